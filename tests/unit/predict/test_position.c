/* Decoded positions: values and derivatives against the model's own decoding and differences; the bounds along lines against
 * dense samples, for every kernel and both kinds of noise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "front/base.h"
#include "model_fixture.h"
#include "predict/position.h"

enum { Q = 2, D = 5, LINES = 60, SAMPLES = 60 };

static rm2_data *toy;

static int set_up(void **state) {
    int code = model_set_up(state);
    toy = scaled_example("toy", 2, 12);
    return code;
}

static int tear_down(void **state) {
    rm2_data_free(toy);
    return model_tear_down(state);
}

/* Largest standard deviation of the first two outputs, in the units of the data, from their covariance. */
static double deviation_of(const rm2_model *m, size_t M, const double *covariance) {
    double a = covariance[0], b = covariance[1], c = covariance[M + 1];
    double largest = (a + c) / 2 + hypot((a - c) / 2, b);
    return m->data->scale[0] * sqrt(largest);
}

static void check_values(const rm2_model *m, const rm2i_position *y, const double *x,
                         double *work) {
    size_t M = m->M;
    double point[D], *covariance = numbers(M * M), found[3], deviation, J[3 * Q], slope[Q];
    rm2i_position_slope at = {.J = J, .slope = slope};
    ok(rm2_model_decode(ctx, m, 1, x, point, NULL, covariance, NULL));
    rm2i_position_at(y, x, found, &deviation, work);
    rm2i_position_gradient(y, x, &at, work);
    double expected = deviation_of(m, M, covariance);
    for (size_t q = 0; q < 2; q++) /* the same sums in another order: rounding */
        assert_true(fabs(found[q] - point[q]) < 1e-9 && fabs(at.y[q] - point[q]) < 1e-9);
    assert_true(fabs(deviation - expected) <= 1e-6 * (1e-3 + expected));
    assert_true(fabs(at.deviation - expected) <= 1e-6 * (1e-3 + expected));
    for (size_t q = 0; q < Q; q++) {
        const double step = 1e-5;
        double ends[2][3], sigma[2], moved[Q];
        for (int k = 0; k < 2; k++) {
            memcpy(moved, x, sizeof moved);
            moved[q] += k ? step : -step;
            rm2i_position_at(y, moved, ends[k], &sigma[k], work);
        }
        for (size_t a = 0; a < 2;
             a++) /* central differences: step^2 times third derivatives, Matérn: step */
            assert_true(fabs((ends[1][a] - ends[0][a]) / (2 * step) - J[a * Q + q]) < 1e-3);
        assert_true(fabs((sigma[1] - sigma[0]) / (2 * step) - slope[q]) <
                    1e-2 * (1 + fabs(slope[q])));
    }
    free(covariance);
}

/* The decoded line leaves its chord by no more than the bow, and the deviation does not exceed its bound. How much
 * of a bound is used at most is handed back: a bound that nothing comes near would be of no use. */
static void check_line(const rm2i_position *y, const double *a, const double *b, double *work,
                       double used[2]) {
    double ya[3], yb[3], sa, sb;
    rm2i_position_at(y, a, ya, &sa, work);
    rm2i_position_at(y, b, yb, &sb, work);
    double bow = rm2i_position_bow(y, a, b);
    double most =
        rm2i_position_most_deviation(y, &(rm2i_position_end){a, sa}, &(rm2i_position_end){b, sb});
    double swell = most - fmax(sa, sb);
    for (int i = 0; i <= SAMPLES; i++) {
        double t = (double)i / SAMPLES, x[Q], at[3], s, off = 0;
        for (size_t q = 0; q < Q; q++)
            x[q] = a[q] + t * (b[q] - a[q]);
        rm2i_position_at(y, x, at, &s, work);
        for (size_t q = 0; q < 2; q++)
            off += pow(at[q] - ya[q] - t * (yb[q] - ya[q]), 2);
        assert_true(sqrt(off) <= bow * (1 + 1e-9) + 1e-12);
        assert_true(s <= most * (1 + 1e-9) + 1e-9);
        used[0] = fmax(used[0], bow > 1e-12 ? sqrt(off) / bow : 0);
        used[1] = fmax(used[1], swell > 1e-9 ? (s - fmax(sa, sb)) / swell : 0);
    }
}

/* Lines that leave the data, up to some hundred lengthscales, and lines that never come near them: these are straight. */
static void check_far_lines(const rm2i_position *y, rm2_rng *rng, double *work) {
    double used[2];
    const double *l = y->p->gp.kernel.lengthscale;
    for (int k = 0; k < LINES; k++) {
        double a[Q], b[Q], reach = pow(10, 3 * rm2_rng_uniform(rng));
        for (size_t q = 0; q < Q; q++) {
            a[q] = l[q] * rm2_rng_normal(rng);
            b[q] = l[q] * reach * rm2_rng_normal(rng);
        }
        check_line(y, a, b, work, used);
        check_line(y, b, a, work, used);
    }
    double a[Q] = {1e4 * l[0], 0}, b[Q] = {1e4 * l[0], 1e8 * l[1]}, huge[Q] = {-1e160 * l[0], 0};
    assert_true(rm2i_position_bow(y, a, b) == 0);
    assert_true(rm2i_position_bow(y, a, huge) == INFINITY); /* nothing is known */
}

static void one_model(rm2_latent_kind kernel, rm2_noise_kind noise, rm2_model_kind kind) {
    rm2_fit_settings s = robust_settings(8);
    s.lengthscale.start = 0.2; /* the lines below are up to some lengthscales long */
    rm2i_position y;
    rm2_rng rng;
    double used[2] = {0};
    s.kernel = kernel;
    s.noise = noise;
    s.model = kind;
    s.task = noise == RM2_NOISE_PER_OUTPUT ? RM2_TASK_LEARNED : RM2_TASK_PROFILE;
    rm2_model *m = fit_model(toy, &s);
    ok(rm2i_position_of(ctx, m, RM2I_FIRST_EUCLIDEAN, &y));
    assert_true(y.dim == 2 && y.factor == 0 && y.scale == toy->scale[0] && y.scale != 1);
    double *work = numbers(rm2i_position_work(&y));
    rm2_rng_seed(&rng, 1);
    for (int k = 0; k < LINES; k++) {
        double a[Q], b[Q], reach = pow(10, -2 * rm2_rng_uniform(&rng));
        const double *x = m->X + rm2_rng_next(&rng) % m->N * Q;
        for (size_t q = 0; q < Q; q++) {
            a[q] = x[q] + 0.5 * rm2_rng_normal(&rng);
            b[q] = a[q] + reach * rm2_rng_normal(&rng);
        }
        if (k < 10)
            check_values(m, &y, a, work);
        check_line(&y, a, b, work, used);
    }
    assert_true(used[0] > 0.02 && used[1] > 0.02);
    check_far_lines(&y, &rng, work);
    free(work);
    rm2_model_free(m);
}

static void kernels(void **state) {
    (void)state;
    for (int kernel = RM2_LATENT_SE; kernel <= RM2_LATENT_MATERN52; kernel++)
        for (int noise = RM2_NOISE_KRONECKER; noise <= RM2_NOISE_PER_OUTPUT; noise++)
            one_model((rm2_latent_kind)kernel, (rm2_noise_kind)noise, RM2_WGPLVM);
    one_model(RM2_LATENT_SE, RM2_NOISE_KRONECKER, RM2_GPLVM);
}

static void factors(void **state) {
    (void)state;
    rm2_fit_settings s = robust_settings(2);
    rm2_model *m = fit_model(toy, &s);
    rm2i_position y;
    assert_int_equal(rm2i_position_of(ctx, m, 1, &y), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "factor 2 of R2 x S2 is not Euclidean");
    assert_int_equal(rm2i_position_of(ctx, m, 7, &y), RM2_ERR_ARGUMENT);
    rm2_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels), cmocka_unit_test(factors)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
