/* Predictions: units of the data, moments of draws, latents far outside the data. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_density.h"
#include "model_fixture.h"
#include "model_variants.h"

/* The training points as they were: divided by a scale and multiplied again, or made unit vectors once
 * more, a few roundings. */
static void check_data(const rm2_model *model, const double *original) {
    double points[60 * 5];
    rm2_data_original(rm2_model_info_of(model)->data, points);
    for (size_t k = 0; k < 300; k++)
        assert_true(fabs(points[k] - original[k]) <= 2 * DBL_EPSILON * fabs(original[k]));
}

/* A scaled data set: training points, decoding and encoding speak the original units. */
static void test_scale(void **state) {
    (void)state;
    rm2_data *toy = example_data("toy", 3, 20);
    double original[60 * 5], decoded[60 * 5], x[60 * 2], again[60 * 5], norm = 0, off = 0;
    memcpy(original, toy->points, sizeof original);
    for (size_t n = 0; n < 60; n++)
        for (size_t k = 0; k < 2; k++)
            original[n * 5 + k] *= 1000;
    rm2_data *data = data_like(toy, original, true);
    rm2_data_free(toy);
    assert_true(data->scale[0] > 100 && data->scale[1] == 1);
    for (int kind = 0; kind < 2; kind++) {
        rm2_fit_settings s = robust_settings(40);
        s.model = kind ? RM2_GPLVM : RM2_WGPLVM;
        double base[5] = {100, 200, 0.6, 0, 0.8};
        s.base = kind ? RM2_BASE_FRECHET : RM2_BASE_GIVEN;
        s.base_point = kind ? NULL : base;
        rm2_model *model = fit_model(data, &s);
        rm2_model_info i = *rm2_model_info_of(model);
        check_model(model);
        check_data(model, original);
        assert_true(kind || i.base[0] == 100 * (1 / data->scale[0]));
        assert_memory_equal(i.data->scale, data->scale, 2 * sizeof(double));
        assert_int_equal(rm2_model_decode(ctx, model, 60, i.latents, decoded, NULL, NULL, NULL),
                         RM2_OK);
        assert_int_equal(rm2_model_encode(ctx, model, NULL, 60, original, x, NULL, NULL), RM2_OK);
        assert_int_equal(rm2_model_decode(ctx, model, 60, x, again, NULL, NULL, NULL), RM2_OK);
        for (size_t k = 0; k < 300; k++)
            if (k % 5 < 2) {
                norm += original[k] * original[k];
                off += fmax(pow(decoded[k] - original[k], 2), pow(again[k] - original[k], 2));
            }
        assert_true(off < 0.05 * norm);
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

/* Draws on the manifold; in the Euclidean coordinates their mean and variance are the decoded ones,
 * with observation noise if asked for, within 5 standard errors. */
static void test_samples(void **state) {
    (void)state;
    enum { DRAWS = 3000 };
    rm2_data *data = scaled_example("toy", 3, 20);
    double *points = numbers(DRAWS * 2 * 5);
    for (int k = 0; k < 4; k++) {
        rm2_fit_settings s = robust_settings(20);
        if (k / 2)
            use_own_noise(&s);
        bool noise = k % 2;
        rm2_model *model = fit_model(data, &s);
        rm2_model_info i = *rm2_model_info_of(model);
        double x[4], f[8], cov[32];
        memcpy(x, i.latents + 20, sizeof x); /* on the data, where noise counts */
        assert_int_equal(rm2_model_decode(ctx, model, 2, x, NULL, f, cov, NULL), RM2_OK);
        rm2_context_set_seed(ctx, 21);
        assert_int_equal(rm2_model_sample(ctx, model, 2, x, DRAWS, noise, points), RM2_OK);
        assert_true(worst_defect(i.manifold, 2 * DRAWS, points) < 1e-12);
        for (size_t at = 0; at < 2; at++)
            for (size_t c = 0; c < 2; c++) {
                double variance = cov[at * 16 + c * 5], mean = 0, square = 0;
                double expected = f[at * 4 + c] + i.base[c]; /* Exp on R^2 is a sum */
                if (noise)
                    variance += k / 2 ? i.noise + i.task_noise[c]
                                      : i.noise * predicted_covariance(model, c, c);
                for (size_t d = 0; d < DRAWS; d++) {
                    double off = points[(d * 2 + at) * 5 + c] / i.data->scale[0] - expected;
                    mean += off / DRAWS;
                    square += off * off / DRAWS;
                }
                assert_true(fabs(mean) <= 5 * sqrt(variance / DRAWS));
                assert_true(fabs(square - variance) <= 5 * variance * sqrt(2.0 / DRAWS));
            }
        double once[5], twice[5];
        rm2_context_set_seed(ctx, 2);
        assert_int_equal(rm2_model_sample(ctx, model, 1, x, 1, noise, once), RM2_OK);
        rm2_context_set_seed(ctx, 2);
        assert_int_equal(rm2_model_sample(ctx, model, 1, x, 1, noise, twice), RM2_OK);
        assert_memory_equal(once, twice, sizeof once);
        rm2_model_free(model);
    }
    free(points);
    rm2_data_free(data);
}

/* Far outside its data a model is its prior: decoding gives the centre, at any distance. */
static void test_far_latents(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    for (int kernel = 0; kernel < 3; kernel++) {
        rm2_fit_settings s = robust_settings(5);
        s.kernel = (rm2_latent_kind)kernel;
        rm2_model *model = fit_model(data, &s);
        rm2_model_info i = *rm2_model_info_of(model);
        double x[8] = {1e3, 0, 1e20, -1e20, 1e160, 1, -1e300, 1e300}, f[16], cov[64], deviation[4];
        assert_int_equal(rm2_model_decode(ctx, model, 4, x, NULL, f, cov, deviation), RM2_OK);
        for (size_t n = 0; n < 4; n++) {
            assert_memory_equal(f + n * 4, i.mean, 4 * sizeof *f);
            for (size_t k = 0; k < 16; k++)
                assert_true(fabs(cov[n * 16 + k] -
                                 i.variance * predicted_covariance(model, k / 4, k % 4)) <= 1e-12);
        }
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_far_latents),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
