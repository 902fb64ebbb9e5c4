/* Rows of latent kernels and sums over them against the equations in long double, one number at a
 * time: every length from 1 on and around the length of a block, Q = 1, 2, 3 and 5, coincident points,
 * points whose distance overflows.
 *
 * Tolerances, in units of eps = 2^-52: the squared distance is a sum of at most 5 squares of numbers with
 * three roundings each, 6 eps at most, which changes e^(-rho^2/2) by 3 rho^2 eps and e^(-r), r = c rho,
 * by 4 r eps; the exponential itself and the few products beside it add no more than 10 eps. A sum of n
 * terms adds n eps of the sum of their absolute values. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "kernel/latent_shape.h"

enum { MOST = 150, MOST_Q = 5, PAIRS = MOST_Q * (MOST_Q + 1) / 2 };

static const double lengths[MOST_Q] = {0.8, 1.7, 0.5, 1.1, 2.3};
static const size_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 127, 128, 129, 131, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Calls `check` for every kind, Q and length. */
static void for_all(void (*check)(const rm2i_latent_kernel *k, size_t n)) {
    static const rm2_latent_kind kinds[] = {RM2_LATENT_SE, RM2_LATENT_MATERN32,
                                            RM2_LATENT_MATERN52};
    static const size_t dims[] = {1, 2, 3, 5};
    for (size_t kind = 0; kind < 3; kind++)
        for (size_t d = 0; d < 4; d++)
            for (size_t s = 0; s < SIZES; s++) {
                rm2i_latent_kernel k = {kinds[kind], dims[d], lengths, 1.7, 0};
                check(&k, sizes[s]);
            }
}

/* Normal numbers; of every nine points one is that before it again, one a little too far to matter, and
 * two (one above, one below) so far that squares, or differences to each other, overflow. */
static void some_points(size_t n, size_t Q, uint64_t seed, double *X) {
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < n; i++)
        for (size_t q = 0; q < Q; q++) {
            double *x = X + i * Q, u = rm2_rng_normal(&rng);
            x[q] = i % 9 == 2   ? X[(i - 1) * Q + q]
                   : i % 9 == 4 ? 40 * u
                   : i % 9 == 5 ? (i % 2 ? 1e150 : 1e308) * (1 + fabs(u) / 10)
                   : i % 9 == 7 ? (i % 2 ? -1e160 : -1e308)
                                : u;
        }
}

/* ---- definitions ---------------------------------------------------------------------------- */

typedef struct exact {
    long double k, a, b; /* with the variance */
    long double error;   /* relative */
} exact;

static long double scaled(const rm2i_latent_kernel *k, const double *x, const double *y, size_t q) {
    return ((long double)x[q] - y[q]) / k->lengthscale[q];
}

static exact definition(const rm2i_latent_kernel *k, const double *x, const double *y) {
    long double rho2 = 0, s = k->variance;
    for (size_t q = 0; q < k->dim; q++)
        rho2 += scaled(k, x, y, q) * scaled(k, x, y, q);
    long double c = sqrtl(k->kind == RM2_LATENT_MATERN32 ? 3 : 5), r = c * sqrtl(rho2);
    long double e = s * expl(-r), g = s * expl(-rho2 / 2);
    if (k->kind == RM2_LATENT_SE)
        return (exact){g, g, g, (10 + 3 * rho2) * DBL_EPSILON};
    long double error = (10 + 4 * r) * DBL_EPSILON;
    if (k->kind == RM2_LATENT_MATERN32)
        return (exact){(1 + r) * e, 3 * e, rho2 == 0 ? 0 : 3 * c * c * e / r, error};
    return (exact){(1 + r + r * r / 3) * e, 5 * (1 + r) * e / 3, 25 * e / 3, error};
}

/* Exponentials below 1.5e-150 are zero, and polynomials in r are below 1e5 there. */
static void compare_values(const rm2i_latent_kernel *k, const double *x, const double *y,
                           double value) {
    exact at = definition(k, x, y);
    if (value == 0 ? at.k > 1e-145L * k->variance
                   : value < 1e-150 * k->variance || !(fabsl(value - at.k) <= at.error * at.k))
        fail_msg("kind %d, Q = %zu: %.17g against %.17Lg", (int)k->kind, k->dim, value, at.k);
}

/* ---- values --------------------------------------------------------------------------------- */

static void check_values(const rm2i_latent_kernel *k, size_t n) {
    static double X[MOST * MOST_Q], K[MOST * MOST], rows[MOST * MOST], cross[MOST];
    size_t Q = k->dim;
    some_points(n, Q, 1, X);
    for (size_t i = 0; i < n * n; i++)
        K[i] = -7;
    rm2i_latent_gram(NULL, k, n, X, K);
    rm2i_latent_rows(k, n, X, n, X, rows);
    for (size_t i = 0; i < n; i++) {
        rm2i_latent_cross(k, n, X, X + i * Q, cross);
        assert_memory_equal(cross, rows + i * n, n * sizeof *cross);
        assert_memory_equal(cross, K + i * n, i * sizeof *cross);
        assert_true(K[i * n + i] == k->variance && cross[i] == k->variance);
        for (size_t j = 0; j < n; j++) {
            compare_values(k, X + i * Q, X + j * Q, cross[j]);
            assert_true(j <= i || K[i * n + j] == -7);
        }
    }
}

static void test_values(void **state) {
    (void)state;
    for_all(check_values);
}

/* Single numbers, compiled here for any processor, and rows in the library give the same bits. */
static void check_same_bits(const rm2i_latent_kernel *k, size_t n) {
    double X[MOST * MOST_Q], values[MOST], x[MOST_Q] = {0.3, -0.2, 0.9, 0.1, -1};
    some_points(n, k->dim, 2, X);
    rm2i_latent_cross(k, n, X, x, values);
    for (size_t i = 0; i < n; i++) {
        double rho2 = 0;
        for (size_t q = 0; q < k->dim; q++) {
            double v = (X[i * k->dim + q] - x[q]) * (1 / k->lengthscale[q]);
            rho2 += v * v;
        }
        double alone = k->variance * rm2i_latent_shape_at(k->kind, rho2).k;
        assert_memory_equal(&alone, &values[i], sizeof alone);
    }
}

static void test_same_bits(void **state) {
    (void)state;
    for_all(check_same_bits);
}

/* ---- derivatives at a point ----------------------------------------------------------------- */

static void compare_hessian(const rm2i_latent_kernel *k, size_t n, size_t i, const double *point,
                            const double *x, bool zero, const double *h) {
    exact at = definition(k, point, x);
    size_t pair = 0;
    for (size_t r = 0; r < k->dim; r++)
        for (size_t s = r; s < k->dim; s++, pair++) {
            long double over = 1 / ((long double)k->lengthscale[r] * k->lengthscale[s]);
            long double first = at.b * scaled(k, point, x, r) * scaled(k, point, x, s) * over;
            long double second = r == s ? at.a * over : 0;
            double got = h[pair * n + i];
            if (zero ? got != 0
                     : !(fabsl(got - (first - second)) <=
                         2 * at.error * (fabsl(first) + fabsl(second))))
                fail_msg("kind %d, Q = %zu, pair %zu: %.17g against %.17Lg", (int)k->kind, k->dim,
                         pair, got, first - second);
        }
}

static void check_cross(const rm2i_latent_kernel *k, size_t n) {
    static double X[MOST * MOST_Q], values[2][MOST], d[2][MOST * MOST_Q], h[MOST * PAIRS];
    size_t Q = k->dim;
    some_points(n, Q, 3, X);
    for (size_t p = 0; p < n && p < 9; p++) { /* at one of the points, far ones too */
        const double *x = X + p * Q;
        rm2i_latent_cross_gradient(k, n, X, x, values[0], d[0]);
        rm2i_latent_cross_hessian(k, n, X, x, values[1], d[1], h);
        assert_memory_equal(values[0], values[1], n * sizeof *values[0]);
        assert_memory_equal(d[0], d[1], n * Q * sizeof *d[0]);
        for (size_t i = 0; i < n; i++) {
            exact at = definition(k, X + i * Q, x);
            bool zero = values[0][i] == 0;
            compare_values(k, X + i * Q, x, values[0][i]);
            for (size_t q = 0; q < Q; q++) { /* a u_q */
                long double expected = at.a * scaled(k, X + i * Q, x, q) / k->lengthscale[q];
                double got = d[0][q * n + i];
                assert_true(zero ? got == 0
                                 : fabsl(got - expected) <= 2 * at.error * fabsl(expected));
            }
            compare_hessian(k, n, i, X + i * Q, x, zero, h);
        }
    }
}

static void test_cross(void **state) {
    (void)state;
    for_all(check_cross);
}

/* ---- backward ------------------------------------------------------------------------------- */

/* Sums and what they may be off by. */
typedef struct sums {
    long double x[MOST * MOST_Q], z[MOST * MOST_Q], l[MOST_Q], s;
    long double x_error[MOST * MOST_Q], z_error[MOST * MOST_Q], l_error[MOST_Q], s_error;
} sums;

/* Adds the derivatives of K_bar k(x_i, z_j); `terms` is how many there are in the longest sum. */
static void add_pair(const rm2i_latent_kernel *k, const double *X, size_t i, const double *Z,
                     size_t j, double K_bar, size_t terms, sums *out) {
    size_t Q = k->dim;
    exact at = definition(k, X + i * Q, Z + j * Q);
    if (at.k < 1e-145L * k->variance)
        return;
    long double error = 2 * at.error + (long double)terms * DBL_EPSILON;
    for (size_t q = 0; q < Q; q++) {
        long double d = (long double)X[i * Q + q] - Z[j * Q + q], l = k->lengthscale[q];
        long double g = K_bar * at.a * d / (l * l), spread = g * d / l;
        out->x[i * Q + q] -= g;
        out->z[j * Q + q] += g;
        out->l[q] += spread;
        out->x_error[i * Q + q] += error * fabsl(g);
        out->z_error[j * Q + q] += error * fabsl(g);
        out->l_error[q] += error * fabsl(spread);
    }
    out->s += K_bar * at.k / k->variance;
    out->s_error += error * fabsl(K_bar * at.k / k->variance);
}

/* Where nothing is added but pairs that are nearly negligible: their derivatives are below this. */
static const long double TINY = 1e-100L;

static void compare_sums(size_t n, const double *got, const long double *expected,
                         const long double *error) {
    for (size_t i = 0; i < n; i++)
        if (!(fabsl(got[i] - expected[i]) <= error[i] + TINY))
            fail_msg("entry %zu of %zu: %.17g against %.17Lg, not within %Lg", i, n, got[i],
                     expected[i], error[i]);
}

static void some_weights(size_t n, double *K_bar) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (size_t i = 0; i < n; i++)
        K_bar[i] = rm2_rng_normal(&rng);
}

static void check_gram_backward(const rm2i_latent_kernel *k, size_t n) {
    static double X[MOST * MOST_Q], K[MOST * MOST], K_bar[MOST * MOST];
    static double X_bar[MOST * MOST_Q], work[8 * (MOST * MOST_Q + MOST_Q + 2)];
    static sums expected;
    double l_bar[MOST_Q] = {0}, s_bar = 0;
    size_t Q = k->dim;
    memset(&expected, 0, sizeof expected);
    memset(X_bar, 0, sizeof X_bar);
    some_points(n, Q, 4, X);
    some_weights(n * n, K_bar);
    rm2i_latent_gram(NULL, k, n, X, K);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            add_pair(k, X, i, X, j, K_bar[i > j ? i * n + j : j * n + i], n * n, &expected);
            if (j > i) /* may not be read */
                K[i * n + j] = NAN;
        }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            K_bar[i * n + j] = NAN;
    rm2i_latent_gram_backward(NULL, k,
                              &(rm2i_latent_adjoint){.n = n,
                                                     .X = X,
                                                     .K = K,
                                                     .K_bar = K_bar,
                                                     .X_bar = X_bar,
                                                     .lengthscale_bar = l_bar,
                                                     .variance_bar = &s_bar},
                              work);
    for (size_t i = 0; i < n * Q; i++) { /* a point is row and column */
        expected.x[i] += expected.z[i];
        expected.x_error[i] += expected.z_error[i];
    }
    compare_sums(n * Q, X_bar, expected.x, expected.x_error);
    compare_sums(Q, l_bar, expected.l, expected.l_error);
    compare_sums(1, &s_bar, &expected.s, &expected.s_error);
}

static void check_rows_backward(const rm2i_latent_kernel *k, size_t n) {
    static double X[MOST * MOST_Q], Z[MOST * MOST_Q], K[MOST * MOST], K_bar[MOST * MOST];
    static double X_bar[MOST * MOST_Q], Z_bar[MOST * MOST_Q];
    static sums expected;
    double l_bar[MOST_Q] = {0}, s_bar = 0;
    size_t Q = k->dim, r = n < 20 ? 11 : 20; /* fewer rows or columns, and other points */
    memset(&expected, 0, sizeof expected);
    memset(X_bar, 0, sizeof X_bar);
    memset(Z_bar, 0, sizeof Z_bar);
    some_points(n, Q, 6, X);
    some_points(r, Q, 7, Z);
    memcpy(Z, X, Q * sizeof *Z);
    some_weights(n * r, K_bar);
    rm2i_latent_rows(k, r, Z, n, X, K);
    for (size_t i = 0; i < r; i++)
        for (size_t j = 0; j < n; j++)
            add_pair(k, Z, i, X, j, K_bar[i * n + j], n * r, &expected);
    rm2i_latent_rows_backward(k, &(rm2i_latent_adjoint){.n = r,
                                                        .r = n,
                                                        .X = Z,
                                                        .Z = X,
                                                        .K = K,
                                                        .K_bar = K_bar,
                                                        .X_bar = Z_bar,
                                                        .Z_bar = X_bar,
                                                        .lengthscale_bar = l_bar,
                                                        .variance_bar = &s_bar});
    compare_sums(r * Q, Z_bar, expected.x, expected.x_error);
    compare_sums(n * Q, X_bar, expected.z, expected.z_error);
    compare_sums(Q, l_bar, expected.l, expected.l_error);
    compare_sums(1, &s_bar, &expected.s, &expected.s_error);
}

static void test_backward(void **state) {
    (void)state;
    for_all(check_gram_backward);
    for_all(check_rows_backward);
}

/* ---- not a number --------------------------------------------------------------------------- */

/* A coordinate that is not a number is seen in everything that depends on it, and nowhere else. */
static void check_nan(const rm2i_latent_kernel *k, size_t n) {
    double X[MOST * MOST_Q], values[MOST], d[MOST * MOST_Q], h[MOST * PAIRS], x[MOST_Q] = {0};
    size_t Q = k->dim, bad = n / 2;
    some_points(n, Q, 8, X);
    X[bad * Q + Q - 1] = NAN;
    rm2i_latent_cross_hessian(k, n, X, x, values, d, h);
    for (size_t i = 0; i < n; i++) {
        assert_true(isnan(values[i]) == (i == bad));
        for (size_t q = 0; q < Q; q++)
            assert_true(!isnan(d[q * n + i]) == (i != bad));
        for (size_t p = 0; p < Q * (Q + 1) / 2; p++)
            assert_true(!isnan(h[p * n + i]) == (i != bad));
    }
}

static void test_nan(void **state) {
    (void)state;
    for_all(check_nan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_cross),  cmocka_unit_test(test_backward),
        cmocka_unit_test(test_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
