/* How certain the pullback metric is, and expected lengths: against Gaussian moments of the whole
 * Jacobian, against sampled Jacobians, and against the folded normal distribution.
 *
 * Tolerances: moments as in test_metric_pullback.c, 1e-10 (1e-9 for products of two covariances).
 * Means over samples within 5 standard errors; seeds are fixed, so that nothing is left to chance. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "pullback_fixture.h"

enum { PLACES = 4 };

static const double places[PLACES * FIELD_MOST_Q] = {0.13, -0.21, 0.3, 0.47,  0.15, -0.4,
                                                     -0.6, 0.33,  0.1, -0.05, 1.4,  0.2};
static const double directions[PLACES * FIELD_MOST_Q] = {0.5, 1,   -0.2, 0.9, -0.1, 0.3,
                                                         0.4, 0.4, -1,   0.1, 0.2,  0.8};
static rm2_context *ctx;

static int setup(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

/* ---- mean and deviation --------------------------------------------------------------------- */

/* A of the quadratic form j^T A j: A[(m,r),(n,s)] = Gc_mn D_rs, D = a a^T or (a NULL) the identity. */
static void quadratic_form(const field_jacobian *j, const double *a, double *A) {
    size_t M = j->M, Q = j->Q, n = M * Q;
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++) {
            double D = a ? a[k % Q] * a[l % Q] : k % Q == l % Q;
            A[k * n + l] = j->Gc[k / Q * M + l / Q] * D;
        }
}

/* mean = m^T A m + tr(A C), variance = 2 tr(A C A C) + 4 m^T A C A m */
static void gaussian_moments(const field_jacobian *j, const double *a, double *mean,
                             double *variance) {
    size_t n = j->M * j->Q;
    double A[FIELD_MOST_MQ * FIELD_MOST_MQ], AC[FIELD_MOST_MQ * FIELD_MOST_MQ];
    double Am[FIELD_MOST_MQ] = {0};
    quadratic_form(j, a, A);
    *mean = *variance = 0;
    for (size_t k = 0; k < n; k++)
        for (size_t l = 0; l < n; l++) {
            AC[k * n + l] = 0;
            for (size_t i = 0; i < n; i++)
                AC[k * n + l] += A[k * n + i] * j->C[i * n + l];
            Am[k] += A[k * n + l] * j->mean[l];
        }
    for (size_t k = 0; k < n; k++) {
        *mean += j->mean[k] * Am[k] + AC[k * n + k];
        for (size_t l = 0; l < n; l++)
            *variance += 2 * AC[k * n + l] * AC[l * n + k] + 4 * Am[k] * j->C[k * n + l] * Am[l];
    }
}

static void spread_is_that_of_the_jacobian(const field_kind *kind) {
    size_t Q = kind->Q;
    field_problem p;
    field_jacobian j;
    field_create(ctx, kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 7.5); /* the weight does not matter here */
    double mean[PLACES], deviation[PLACES], expected, variance;
    for (int trace = 0; trace < 2; trace++) {
        assert_int_equal(rm2_metric_spread(ctx, metric, PLACES, places, trace ? NULL : directions,
                                           mean, deviation),
                         RM2_OK);
        for (size_t i = 0; i < PLACES; i++) {
            field_jacobian_at(ctx, &p, places + i * Q, &j);
            gaussian_moments(&j, trace ? NULL : directions + i * Q, &expected, &variance);
            double root = sqrt(variance);
            assert_close("mean", 1, &mean[i], &expected, 1e-10);
            assert_close("deviation", 1, &deviation[i], &root, 1e-9);
        }
    }
    rm2_metric_free(metric);
    field_free(&p);
}

/* The moments themselves, of samples: the error of a variance is the root of (m4 - m2^2)/n. */
static void spread_is_that_of_samples(const field_kind *kind) {
    enum { DRAWS = 6000 };
    field_problem p;
    field_jacobian j;
    double mean, deviation, values[DRAWS], m1 = 0, m2 = 0, m4 = 0, J[FIELD_MOST_MQ];
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    field_create(ctx, kind, &p);
    field_jacobian_at(ctx, &p, places, &j);
    rm2_metric *metric = field_metric(ctx, &p, 1);
    assert_int_equal(rm2_metric_spread(ctx, metric, 1, places, NULL, &mean, &deviation), RM2_OK);
    for (int k = 0; k < DRAWS; k++) {
        field_draw(&j, &rng, J);
        values[k] = 0;
        for (size_t r = 0; r < kind->Q; r++)
            values[k] += field_square(&j, J, r, r);
        m1 += values[k] / DRAWS;
    }
    for (int k = 0; k < DRAWS; k++) {
        m2 += pow(values[k] - m1, 2) / DRAWS;
        m4 += pow(values[k] - m1, 4) / DRAWS;
    }
    assert_true(fabs(m1 - mean) <= 5 * sqrt(m2 / DRAWS));
    assert_true(fabs(m2 - deviation * deviation) <= 5 * sqrt((m4 - m2 * m2) / DRAWS));
    rm2_metric_free(metric);
    field_free(&p);
}

static void test_spread(void **state) {
    (void)state;
    field_for_all(spread_is_that_of_the_jacobian);
    field_for_all(spread_is_that_of_samples);
}

/* Many points on two threads: the same as each alone. */
static void test_spread_of_many(void **state) {
    (void)state;
    enum { N = 100 };
    field_kind kind = {"R2 x S2", RM2_NOISE_PER_OUTPUT, RM2_LATENT_SE, 2, 0};
    field_problem p;
    double x[2 * N], mean[N], deviation[N], one_mean, one_deviation;
    field_create(ctx, &kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 1);
    for (size_t i = 0; i < 2 * N; i++)
        x[i] = 0.02 * (double)i - 2;
    rm2_context_set_threads(ctx, 2);
    assert_int_equal(rm2_metric_spread(ctx, metric, N, x, NULL, mean, deviation), RM2_OK);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(
            rm2_metric_spread(ctx, metric, 1, x + 2 * i, NULL, &one_mean, &one_deviation), RM2_OK);
        assert_close("mean", 1, &mean[i], &one_mean, 1e-12);
        assert_close("deviation", 1, &deviation[i], &one_deviation, 1e-12);
    }
    assert_int_equal(rm2_metric_spread(ctx, metric, 0, NULL, NULL, NULL, NULL), RM2_OK);
    x[5] = INFINITY;
    assert_int_equal(rm2_metric_spread(ctx, metric, N, x, NULL, mean, deviation), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(ctx), "point 2, coordinate 1 is inf"));
    x[5] = 0;
    double a[2 * N] = {[7] = NAN};
    assert_int_equal(rm2_metric_spread(ctx, metric, N, x, a, mean, deviation), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(ctx), "direction"));
    rm2_context_interrupt(ctx);
    assert_int_equal(rm2_metric_spread(ctx, metric, N, x, NULL, mean, deviation), RM2_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
    rm2_metric_free(metric);
    field_free(&p);
}

/* ---- expected length ------------------------------------------------------------------------ */

enum { SIDES = 3 };

static double sampled_length(const field_problem *p, const double *path, int draws, double *error) {
    static const double node[3] = {0.5 - 0.3872983346207417, 0.5, 0.5 + 0.3872983346207417};
    size_t Q = p->gp.Q;
    double length = 0, variance = 0, J[FIELD_MOST_MQ];
    rm2_rng rng;
    rm2_rng_seed(&rng, 77);
    for (size_t i = 0; i < SIDES; i++)
        for (int g = 0; g < 3; g++) {
            field_jacobian j;
            double x[FIELD_MOST_Q], a[FIELD_MOST_Q], sum = 0, squares = 0, weight;
            weight = (g == 1 ? 8 : 5) / 18.0;
            for (size_t q = 0; q < Q; q++) {
                a[q] = path[(i + 1) * Q + q] - path[i * Q + q];
                x[q] = path[i * Q + q] + node[g] * a[q];
            }
            field_jacobian_at(ctx, p, x, &j);
            for (int k = 0; k < draws; k++) {
                field_draw(&j, &rng, J);
                double square = 0;
                for (size_t r = 0; r < Q; r++)
                    for (size_t s = 0; s < Q; s++)
                        square += a[r] * a[s] * field_square(&j, J, r, s);
                sum += sqrt(square) / draws;
                squares += square / draws;
            }
            length += weight * sum;
            variance += weight * weight * (squares - sum * sum) / draws;
        }
    *error = sqrt(variance);
    return length;
}

static void expected_length_is_that_of_samples(const field_kind *kind) {
    field_problem p;
    double length, error, sampled_error, jensen;
    field_create(ctx, kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 7.5), *mean = field_metric(ctx, &p, 1);
    rm2_context_set_seed(ctx, 4);
    assert_int_equal(
        rm2i_metric_expected_length(ctx, metric, SIDES + 1, places, 3000, &length, &error), RM2_OK);
    double sampled = sampled_length(&p, places, 1500, &sampled_error);
    assert_true(error > 0 && fabs(length - sampled) <= 5 * hypot(error, sampled_error));
    /* both errors estimate the same deviation over different numbers of draws */
    assert_true(fabs(error * sqrt(2) / sampled_error - 1) <= 0.1);
    assert_int_equal(rm2i_metric_measure(ctx, mean, SIDES + 1, places, &jensen, NULL), RM2_OK);
    assert_true(length <= jensen + 5 * error);
    rm2_metric_free(metric);
    rm2_metric_free(mean);
    field_free(&p);
}

static void test_expected_length(void **state) {
    (void)state;
    field_for_all(expected_length_is_that_of_samples);
}

/* One output: |J a| is a folded normal number, E|z| = sqrt(2 t/pi) exp(-m^2/2t) + m erf(m/sqrt(2t)),
 * and its second moment is m^2 + t. */
static void test_folded_normal(void **state) {
    (void)state;
    field_kind kind = {"R1", RM2_NOISE_KRONECKER, RM2_LATENT_SE, 1, 0};
    field_problem p;
    double path[2] = {-0.3, 0.9}, a = path[1] - path[0], length, error, exact = 0, variance = 0;
    field_create(ctx, &kind, &p);
    for (int g = -1; g <= 1; g++) {
        field_jacobian j;
        double x = path[0] + (0.5 + g * 0.3872983346207417) * a, weight = (g ? 5 : 8) / 18.0;
        field_jacobian_at(ctx, &p, &x, &j);
        double m = fabs(a * j.mean[0]), t = a * a * j.C[0];
        double one = sqrt(2 * t / acos(-1)) * exp(-m * m / (2 * t)) + m * erf(m / sqrt(2 * t));
        exact += weight * one;
        variance += weight * weight * (m * m + t - one * one);
    }
    rm2_metric *metric = field_metric(ctx, &p, 1);
    assert_int_equal(rm2i_metric_expected_length(ctx, metric, 2, path, 100000, &length, &error),
                     RM2_OK);
    assert_true(fabs(length - exact) <= 5 * error);
    assert_true(fabs(error / sqrt(variance / 1e5) - 1) <= 0.02);
    rm2_metric_free(metric);
    field_free(&p);
}

/* Where the decoder is certain, the length is that of the metric and its error is small against it,
 * but not lost in rounding. */
static void test_certain_length(void **state) {
    (void)state;
    field_kind kind = {"R2 x S2", RM2_NOISE_KRONECKER, RM2_LATENT_SE, 1, 0};
    field_problem p;
    double path[3] = {-0.3, 0.1, 0.4}, length, error, measured, tiny = 1e-22;
    field_create(ctx, &kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 1);
    rm2i_pullback_field *f = metric->self;
    for (size_t k = 0; k < 16; k++) /* as if Kf were 1e-22 of itself; the mean stays */
        f->all.Pt[k] *= sqrt(tiny);
    assert_int_equal(rm2i_metric_measure(ctx, metric, 3, path, &measured, NULL), RM2_OK);
    assert_int_equal(rm2i_metric_expected_length(ctx, metric, 3, path, 50, &length, &error),
                     RM2_OK);
    assert_close("certain length", 1, &length, &measured, 1e-10);
    assert_true(error > 1e-14 * length && error < 1e-10 * length);
    rm2_metric_free(metric);
    field_free(&p);
}

static void test_seed_and_refusals(void **state) {
    (void)state;
    field_kind kind = {"R2 x S2", RM2_NOISE_KRONECKER, RM2_LATENT_SE, 2, 0};
    field_problem p;
    double length[3], error[3], path[4] = {0, 0.1, NAN, 0.3};
    field_create(ctx, &kind, &p);
    rm2_metric *metric = field_metric(ctx, &p, 1), *flat;
    for (int k = 0; k < 3; k++) {
        rm2_context_set_seed(ctx, k < 2 ? 6 : 7);
        rm2_context_set_threads(ctx, k + 1);
        assert_int_equal(
            rm2i_metric_expected_length(ctx, metric, 4, places, 50, &length[k], &error[k]), RM2_OK);
    }
    assert_true(length[0] == length[1] && error[0] == error[1] && length[2] != length[0]);
    for (size_t n = 0; n < 2; n++) {
        assert_int_equal(rm2i_metric_expected_length(ctx, metric, n, places, 9, length, error),
                         RM2_OK);
        assert_true(length[0] == 0 && error[0] == 0);
    }
    assert_int_equal(rm2i_metric_expected_length(ctx, metric, 4, places, 1, length, error),
                     RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "two samples"));
    assert_int_equal(rm2i_metric_expected_length(ctx, metric, 2, path, 9, length, error),
                     RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(ctx), "point 1, coordinate 0 is nan"));
    rm2_context_interrupt(ctx);
    assert_int_equal(rm2i_metric_expected_length(ctx, metric, 4, places, 9, length, error),
                     RM2_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(rm2_metric_analytic(ctx, "euclidean", 2, &flat), RM2_OK);
    assert_int_equal(rm2i_metric_expected_length(ctx, flat, 4, places, 9, length, error),
                     RM2_ERR_UNSUPPORTED);
    assert_non_null(strstr(rm2_context_error(ctx), "euclidean"));
    assert_int_equal(rm2_metric_spread(ctx, flat, 1, places, NULL, length, error),
                     RM2_ERR_UNSUPPORTED);
    rm2_metric_free(flat);
    rm2_metric_free(metric);
    field_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spread),          cmocka_unit_test(test_spread_of_many),
        cmocka_unit_test(test_expected_length), cmocka_unit_test(test_folded_normal),
        cmocka_unit_test(test_certain_length),  cmocka_unit_test(test_seed_and_refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
