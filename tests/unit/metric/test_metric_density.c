/* The density metric against its definition, p^(-2/Q) with p the kernel density, in extended
 * precision; its derivative; far from the points, and widths of any scale.
 *
 * Tolerances: sums of 150 exponentials, several blocks of points, with arguments to 20, whose rounding
 * 20 eps is the relative error of each: 1e-13. Differences over h = 1e-4 sigma in extended precision:
 * 1e-9. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "metric/metric.h"
#include "riemann2/metric.h"

enum { N = 150, MOST_Q = 3 };

static rm2_context *ctx;
static double points[N * MOST_Q];

static int setup(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 8);
    for (size_t i = 0; i < N * MOST_Q; i++)
        points[i] = rm2_rng_normal(&rng);
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

static rm2_metric *density(size_t Q, double sigma) {
    rm2_metric *metric;
    assert_int_equal(rm2i_metric_density(ctx, N, Q, points, sigma, &metric), RM2_OK);
    assert_int_equal(rm2_metric_dim(metric), Q);
    return metric;
}

static long double lambda(size_t Q, double sigma, const long double *x) {
    long double p = 0, two_pi = 2 * acosl(-1);
    for (size_t n = 0; n < N; n++) {
        long double square = 0;
        for (size_t q = 0; q < Q; q++)
            square += (x[q] - points[n * Q + q]) * (x[q] - points[n * Q + q]);
        p += expl(-square / (2 * (long double)sigma * sigma)) / N;
    }
    p *= powl(two_pi * sigma * sigma, -(long double)Q / 2);
    return powl(p, -2 / (long double)Q);
}

static void check(size_t Q, double sigma, const double *place) {
    rm2_metric *metric = density(Q, sigma);
    double G[MOST_Q * MOST_Q], dG[MOST_Q * MOST_Q * MOST_Q], h = 1e-4 * sigma;
    long double x[MOST_Q];
    for (size_t q = 0; q < Q; q++)
        x[q] = place[q];
    double expected = (double)lambda(Q, sigma, x);
    assert_int_equal(rm2_metric_at(ctx, metric, 1, place, G, dG), RM2_OK);
    for (size_t k = 0; k < Q * Q; k++)
        assert_true(k % (Q + 1) ? G[k] == 0 : fabs(G[k] - expected) <= 1e-13 * expected);
    for (size_t t = 0; t < Q; t++) {
        x[t] = place[t] + (long double)h;
        long double up = lambda(Q, sigma, x);
        x[t] = place[t] - (long double)h;
        double slope = (double)((up - lambda(Q, sigma, x)) / (2 * (long double)h));
        x[t] = place[t];
        for (size_t k = 0; k < Q * Q; k++) {
            double d = dG[t * Q * Q + k];
            assert_true(k % (Q + 1) ? d == 0
                                    : fabs(d - slope) <= 1e-7 * (fabs(slope) + expected / sigma));
        }
    }
    rm2_metric_free(metric);
}

static void test_definition(void **state) {
    (void)state;
    static const double places[][MOST_Q] = {{0, 0, 0}, {0.5, -1, 0.3}, {2, 1.5, -2}};
    for (size_t Q = 1; Q <= MOST_Q; Q++)
        for (size_t i = 0; i < 3; i++) {
            check(Q, 0.7, places[i]);
            check(Q, 2.5, places[i]);
        }
}

/* Where the density vanishes the metric is large, finite and flat; it never falls on the way out. */
static void test_far_away(void **state) {
    (void)state;
    for (size_t Q = 1; Q <= MOST_Q; Q++) {
        rm2_metric *metric = density(Q, 0.1);
        double before = 0, G[MOST_Q * MOST_Q], dG[MOST_Q * MOST_Q * MOST_Q];
        for (int k = 0; k <= 200; k++) {
            double x[MOST_Q] = {4 + 0.5 * k};
            assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, dG), RM2_OK);
            assert_true(isfinite(G[0]) && G[0] >= before);
            for (size_t i = 0; i < Q * Q * Q; i++)
                assert_true(isfinite(dG[i]));
            before = G[0];
        }
        assert_true(before > 1e30 && dG[0] == 0);
        double edge[MOST_Q] = {-1e308, 1e308, 1e308};
        assert_int_equal(rm2_metric_at(ctx, metric, 1, edge, G, dG), RM2_OK);
        assert_true(G[0] == before && dG[0] == 0);
        rm2_metric_free(metric);
    }
}

/* The unit of length is free: with points and sigma scaled by s, G is scaled by s^2 (lambda by
 * p^(-2/Q), p by s^-Q), also far away. */
static void test_any_scale(void **state) {
    (void)state;
    static const double scales[] = {1e-20, 1e-8, 1e5, 1e20};
    for (size_t Q = 1; Q <= MOST_Q; Q++)
        for (size_t k = 0; k < sizeof scales / sizeof *scales; k++)
            for (int far = 0; far < 2; far++) {
                double scaled[N * MOST_Q], s = scales[k], x[MOST_Q] = {far ? 500 : 0.5, -0.2, 0.1};
                double G[9], dG[27], G_scaled[9], dG_scaled[27], x_scaled[MOST_Q];
                rm2_metric *metric = density(Q, 0.8), *other;
                for (size_t i = 0; i < N * Q; i++)
                    scaled[i] = s * points[i];
                for (size_t q = 0; q < Q; q++)
                    x_scaled[q] = s * x[q];
                assert_int_equal(rm2i_metric_density(ctx, N, Q, scaled, s * 0.8, &other), RM2_OK);
                assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, dG), RM2_OK);
                assert_int_equal(rm2_metric_at(ctx, other, 1, x_scaled, G_scaled, dG_scaled),
                                 RM2_OK);
                assert_true(fabs(G_scaled[0] / (s * s) - G[0]) <= 1e-12 * G[0]);
                assert_true(fabs(dG_scaled[0] / s - dG[0]) <= 1e-11 * (fabs(dG[0]) + G[0]));
                rm2_metric_free(metric);
                rm2_metric_free(other);
            }
}

static void test_refusals(void **state) {
    (void)state;
    rm2_metric *metric;
    static const double widths[] = {0, -1, NAN, INFINITY};
    for (int k = 0; k < 4; k++) {
        assert_int_equal(rm2i_metric_density(ctx, N, 2, points, widths[k], &metric),
                         RM2_ERR_ARGUMENT);
        assert_null(metric);
        assert_non_null(strstr(rm2_context_error(ctx), "sigma"));
    }
    assert_int_equal(rm2i_metric_density(ctx, 0, 2, points, 1, &metric), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_metric_density(ctx, N, 0, points, 1, &metric), RM2_ERR_ARGUMENT);
    double bad[4] = {0, 1, 2, NAN};
    assert_int_equal(rm2i_metric_density(ctx, 2, 2, bad, 1, &metric), RM2_ERR_DATA);
    assert_null(metric);
    assert_non_null(strstr(rm2_context_error(ctx), "point 1, coordinate 1"));
    metric = density(2, 0.25);
    assert_string_equal(rm2_metric_text(metric), "density metric, sigma 0.25");
    assert_true(rm2_metric_weight(metric) == 1);
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),
        cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_any_scale),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
