/* What a model says of its training: the settings that it was given, the base point in the units of
 * the data, the kernels of its back constraint; the same from a file. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "model_settings.h"
#include "model_variants.h"

/* The model again, from a file. */
static rm2_model *through_file(const rm2_model *model) {
    const char *path = in_folder("model.rm2");
    rm2_model *copy;
    ok(rm2_model_write(ctx, model, path, false));
    ok(rm2_model_read(ctx, path, &copy));
    assert_int_equal(unlink(path), 0);
    return copy;
}

/* ---- settings ------------------------------------------------------------------------------- */

static rm2_hyperparameter learned(double start, rm2_prior_kind prior, double a, double b) {
    return (rm2_hyperparameter){.start = start, .learned = true, .prior = prior, .a = a, .b = b};
}

/* No member is as the default recipe has it, but for those that exclude others. */
static rm2_fit_settings unusual_settings(void) {
    return (rm2_fit_settings){
        .size = sizeof(rm2_fit_settings),
        .recipe = RM2_RECIPE_MAP,
        .model = RM2_WGPLVM,
        .latent_dim = 3,
        .kernel = RM2_LATENT_MATERN52,
        .ard = true,
        .lengthscale = learned(0.31, RM2_PRIOR_GAMMA, 2, 10),
        .variance = learned(0.32, RM2_PRIOR_NONE, 0, 0),
        .noise = RM2_NOISE_PER_OUTPUT,
        .noise_variance = learned(0.33, RM2_PRIOR_LOGNORMAL, -1, 0.7),
        .task_noise = learned(0.34, RM2_PRIOR_LOGNORMAL, NAN, 0.6),
        .noise_bound = 1e-7,
        .task = RM2_TASK_LEARNED,
        .task_rank = 2,
        .task_random = true,
        .task_anchor = 0.5,
        .latent_normal = true,
        .latent_anchor = 0.2,
        .gpdm_weight = 0.25,
        .gpdm_lengthscale = {.start = 0.35},
        .gpdm_variance = {.start = 0},
        .gpdm_noise = learned(0, RM2_PRIOR_LOGNORMAL, NAN, 0.4),
        .back_constraint = true,
        .back_ridge = 1e-5,
        .softplus = true,
        .inference = RM2_INFERENCE_EXACT,
        .accuracy = 0.001,
        .init = RM2_INIT_ISOMAP,
        .time_weight = 3,
        .neighbours = 5,
        .base = RM2_BASE_DEFAULT,
        .optim = {.method = RM2_ADAM,
                  .max_iterations = 3,
                  .relative_decrease = 1e-5,
                  .gradient = 1e-7,
                  .max_seconds = 1e6,
                  .history = 20,
                  .learning_rate = 0.01,
                  .beta1 = 0.8,
                  .beta2 = 0.99,
                  .epsilon = 1e-9},
        .seed = 12345678901234567890u,
    };
}

static void check_settings(const rm2_data *data, const rm2_fit_settings *s) {
    rm2_model *model = fit_model(data, s), *copy = through_file(model);
    assert_same_settings(rm2_model_info_of(model)->settings, s);
    assert_same_settings(rm2_model_info_of(copy)->settings, s);
    assert_null(rm2_model_info_of(copy)->settings->init_latent);
    rm2_model_free(model);
    rm2_model_free(copy);
}

static void test_settings(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    for (size_t k = 0; k < VARIANTS; k++) {
        rm2_fit_settings s = settings_of(&variants[k], 2);
        check_settings(data, &s);
    }
    rm2_fit_settings s = unusual_settings();
    check_settings(data, &s);
    s = robust_settings(2);
    s.independent = true;
    s.inference = RM2_INFERENCE_INDUCING;
    s.inducing = 9;
    s.optim.relative_decrease = 1e-4;
    s.optim.history = 11;
    check_settings(data, &s);
    s.inducing = 0;
    s.accuracy = 0.01;
    s.init = RM2_INIT_RANDOM;
    check_settings(data, &s);
    rm2_data_free(data);
}

/* ---- base point ----------------------------------------------------------------------------- */

/* Equal to the rounding of a division by the scale, the product with it, and a normalisation. */
static void assert_near(size_t count, const double *a, const double *b) {
    assert_non_null(a);
    for (size_t k = 0; k < count; k++)
        if (!(fabs(a[k] - b[k]) <= 4 * DBL_EPSILON * fabs(b[k])))
            fail_msg("entry %zu is %.17g, not %.17g", k, a[k], b[k]);
}

static void test_base_point(void **state) {
    (void)state;
    rm2_data *data = scaled_example("toy", 2, 12);
    rm2_fit_settings s = robust_settings(2);
    double mean[5], usual[5], given[5] = {0.5, -0.25, 0.6, 0, 0.8};
    assert_true(data->scale[0] != 1);
    ok(rm2_manifold_mean(ctx, data->manifold, data->count, data->points, NULL, NULL, mean, NULL));
    rm2_data_unscale(data, 1, mean);
    rm2_manifold_default_point(data->manifold, usual);
    const double *expected[] = {mean, usual, given};
    for (int k = 0; k < 3; k++) {
        s.base = (rm2_base_kind)k;
        s.base_point = s.base == RM2_BASE_GIVEN ? given : NULL;
        rm2_model *model = fit_model(data, &s), *copy = through_file(model);
        assert_near(5, rm2_model_info_of(model)->base_point, expected[k]);
        assert_near(5, rm2_model_info_of(copy)->base_point, expected[k]);
        /* the settings of a model are settings, here with its base point held */
        rm2_fit_settings again = *rm2_model_info_of(copy)->settings;
        again.base = RM2_BASE_GIVEN;
        again.base_point = rm2_model_info_of(copy)->base_point;
        rm2_model *second = fit_model(data, &again);
        assert_near(5, rm2_model_info_of(second)->base_point, expected[k]);
        rm2_model_free(model);
        rm2_model_free(copy);
        rm2_model_free(second);
    }
    s.model = RM2_GPLVM; /* has none */
    s.base = RM2_BASE_FRECHET;
    s.base_point = NULL;
    rm2_model *model = fit_model(data, &s);
    assert_null(rm2_model_info_of(model)->base_point);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- back constraint ------------------------------------------------------------------------ */

static void test_back_kernels(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    rm2_fit_settings s = robust_settings(2);
    const rm2_factor_kernel given[] = {{RM2_KERNEL_MATERN52, 0.5}, {RM2_KERNEL_HEAT, 0.3}};
    rm2_model *model = fit_model(data, &s);
    assert_null(rm2_model_info_of(model)->settings->back_kernels);
    rm2_model_free(model);
    s.back_constraint = true;
    for (int k = 0; k < 2; k++) {
        s.back_kernels = k ? given : NULL;
        model = fit_model(data, &s);
        rm2_model *copy = through_file(model);
        const rm2_factor_kernel *a = rm2_model_info_of(model)->settings->back_kernels;
        const rm2_factor_kernel *b = rm2_model_info_of(copy)->settings->back_kernels;
        for (size_t f = 0; f < 2; f++) {
            assert_int_equal(a[f].kind, k ? given[f].kind : RM2_KERNEL_HEAT);
            assert_true(k ? a[f].lengthscale == given[f].lengthscale : a[f].lengthscale > 0);
            assert_true(a[f].kind == b[f].kind && a[f].lengthscale == b[f].lengthscale);
        }
        rm2_model_free(model);
        rm2_model_free(copy);
    }
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_base_point),
        cmocka_unit_test(test_back_kernels),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
