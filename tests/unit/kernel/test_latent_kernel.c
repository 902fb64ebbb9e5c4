/* Kernels on the latent space: values against their definitions written out once more, first and
 * second derivatives against central differences, coincident and far points, threads.
 *
 * Tolerances: values and their definition differ by the rounding of a few operations and of one
 * exponential whose argument is below 10 here, 1e-14 of the variance. Central differences with h =
 * 1e-5 have an error of h^2 f'''/6 + eps f/h, some 1e-10; the bounds are 1e-7 of the largest
 * derivative (1e-5 where Matérn 3/2 is not three times differentiable). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "kernel/latent.h"
#include "linalg/dense.h"

enum { N = 20, R = 11, MANY = 150, MOST_Q = 3, KINDS = 3 };

static const rm2_latent_kind kinds[KINDS] = {RM2_LATENT_SE, RM2_LATENT_MATERN32,
                                             RM2_LATENT_MATERN52};
static const double one_length[MOST_Q] = {0.8, 0.8, 0.8}, ard[MOST_Q] = {0.8, 1.7, 0.5};

/* Calls `check` for every radial kind, Q = 1..3, one lengthscale and one a dimension. */
static void for_all(void (*check)(const rm2i_latent_kernel *k)) {
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t Q = 1; Q <= MOST_Q; Q++) {
            rm2i_latent_kernel k = {kinds[kind], Q, one_length, 1.7, 0};
            check(&k);
            k.lengthscale = ard;
            check(&k);
        }
}

/* The same and with a linear part; and that alone. */
static void for_all_sums(void (*check)(const rm2i_latent_kernel *k)) {
    for_all(check);
    for (size_t Q = 1; Q <= MOST_Q; Q++) {
        rm2i_latent_kernel k = {RM2_LATENT_LINEAR, Q, ard, 0, 0.6};
        check(&k);
        for (int kind = 0; kind < KINDS; kind++) {
            k = (rm2i_latent_kernel){kinds[kind], Q, ard, 1.7, 0.6};
            check(&k);
        }
    }
}

/* What values and derivatives are of the order of. */
static double size_of(const rm2i_latent_kernel *k) {
    return k->variance + 10 * k->linear;
}

static void random_points(size_t count, uint64_t seed, double *X) {
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < count; i++)
        X[i] = rm2_rng_normal(&rng);
}

/* Rasmussen and Williams, 2006, (4.9) and (4.17). */
static double definition(const rm2i_latent_kernel *k, const double *x, const double *y) {
    double rho2 = 0, linear = k->linear;
    for (size_t q = 0; q < k->dim; q++) {
        rho2 += (x[q] - y[q]) * (x[q] - y[q]) / (k->lengthscale[q] * k->lengthscale[q]);
        linear += k->linear * x[q] * y[q];
    }
    double r = sqrt(rho2);
    if (k->kind == RM2_LATENT_LINEAR)
        return linear;
    if (k->kind == RM2_LATENT_SE)
        return linear + k->variance * exp(-rho2 / 2);
    if (k->kind == RM2_LATENT_MATERN32)
        return linear + k->variance * (1 + sqrt(3.0) * r) * exp(-sqrt(3.0) * r);
    return linear + k->variance * (1 + sqrt(5.0) * r + 5 * rho2 / 3) * exp(-sqrt(5.0) * r);
}

/* ---- values --------------------------------------------------------------------------------- */

static void check_values(const rm2i_latent_kernel *k) {
    double X[N * MOST_Q], K[N * N], values[N];
    random_points(N * k->dim, 1, X);
    for (size_t i = 0; i < N * N; i++)
        K[i] = -7;
    rm2i_latent_gram(NULL, k, N, X, K);
    for (size_t i = 0; i < N; i++) {
        const double *at = X + i * k->dim;
        assert_true(fabs(K[i * N + i] - definition(k, at, at)) <= 1e-14 * size_of(k));
        assert_true(K[i * N + i] == rm2i_latent_variance_at(k, at));
        assert_true(k->linear > 0 || K[i * N + i] == k->variance);
        for (size_t j = 0; j < i; j++)
            assert_true(fabs(K[i * N + j] - definition(k, X + i * k->dim, X + j * k->dim)) <=
                        1e-14 * size_of(k));
        for (size_t j = i + 1; j < N; j++)
            assert_true(K[i * N + j] == -7); /* the upper triangle is left alone */
    }
    double x[MOST_Q] = {0.3, -0.2, 0.9};
    rm2i_latent_cross(k, N, X, x, values);
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(values[i] - definition(k, X + i * k->dim, x)) <= 1e-14 * size_of(k));
}

/* Eigenvalues of K are not negative but for rounding: K + 1e-13 tr K has a Cholesky factor. */
static void check_positive(const rm2i_latent_kernel *k) {
    double X[N * MOST_Q], K[N * N] = {0}, L[N * N], trace = 0;
    random_points(N * k->dim, 8, X);
    memcpy(X + k->dim, X, k->dim * sizeof *X); /* a point twice */
    rm2i_latent_gram(NULL, k, N, X, K);
    for (size_t i = 0; i < N; i++)
        trace += K[i * N + i];
    for (size_t i = 0; i < N; i++)
        K[i * N + i] += 1e-13 * trace;
    assert_int_equal(rm2i_cholesky(N, K, L), RM2_OK);
}

static void test_values(void **state) {
    (void)state;
    for_all_sums(check_values);
    for_all_sums(check_positive);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* f = sum over all i, j of K_bar_ij K_ij, with a symmetric K_bar. */
static double contracted(const rm2i_latent_kernel *k, const double *X, const double *K_bar) {
    double sum = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            sum += K_bar[(i > j ? i : j) * N + (i > j ? j : i)] *
                   definition(k, X + i * k->dim, X + j * k->dim);
    return sum;
}

static void check_backward(const rm2i_latent_kernel *k) {
    size_t Q = k->dim;
    double X[N * MOST_Q], K[N * N], K_bar[N * N], X_bar[N * MOST_Q], l_bar[MOST_Q], s_bar = 3,
                                                                                    w_bar = 4;
    double *work = malloc(rm2i_latent_backward_work(k->dim, N) * sizeof *work), h = 1e-5,
           largest = 0;
    assert_non_null(work);
    random_points(N * Q, 2, X);
    random_points(N * N, 3, K_bar);
    for (size_t i = 0; i < N; i++) /* only the lower triangle may be read */
        for (size_t j = i + 1; j < N; j++)
            K_bar[i * N + j] = NAN;
    for (size_t i = 0; i < N * Q; i++)
        X_bar[i] = 1; /* results are added */
    for (size_t q = 0; q < Q; q++)
        l_bar[q] = 2;
    rm2i_latent_gram(NULL, k, N, X, K);
    rm2i_latent_gram_backward(NULL, k,
                              &(rm2i_latent_adjoint){.n = N,
                                                     .X = X,
                                                     .K = K,
                                                     .K_bar = K_bar,
                                                     .X_bar = X_bar,
                                                     .lengthscale_bar = l_bar,
                                                     .variance_bar = &s_bar,
                                                     .linear_bar = &w_bar},
                              work);
    for (size_t i = 0; i < N * Q; i++)
        largest = fmax(largest, fabs(X_bar[i] - 1));
    for (size_t i = 0; i < N * Q; i++) {
        double keep = X[i];
        X[i] = keep + h;
        double up = contracted(k, X, K_bar);
        X[i] = keep - h;
        double down = contracted(k, X, K_bar);
        X[i] = keep;
        assert_true(fabs((up - down) / (2 * h) - (X_bar[i] - 1)) <= 1e-7 * largest);
    }
    for (size_t q = 0; q < Q; q++) {
        double l[MOST_Q];
        memcpy(l, k->lengthscale, sizeof l);
        rm2i_latent_kernel moved = *k;
        moved.lengthscale = l;
        l[q] = k->lengthscale[q] + h;
        double up = contracted(&moved, X, K_bar);
        l[q] = k->lengthscale[q] - h;
        double down = contracted(&moved, X, K_bar);
        assert_true(fabs((up - down) / (2 * h) - (l_bar[q] - 2)) <= 1e-7 * largest);
    }
    rm2i_latent_kernel radial = *k, linear = {RM2_LATENT_LINEAR, Q, k->lengthscale, 0, 1};
    radial.variance = 1;
    radial.linear = 0;
    assert_true(fabs(contracted(&radial, X, K_bar) - (s_bar - 3)) <= 1e-12 * largest);
    double expected = k->linear > 0 ? contracted(&linear, X, K_bar) : 0; /* not touched without */
    assert_true(fabs(expected - (w_bar - 4)) <= 1e-12 * largest);
    free(work);
}

/* f = sum of K_bar_ij k(x_i, z_j) */
static double contracted_rows(const rm2i_latent_kernel *k, const double *X, const double *Z,
                              const double *K_bar) {
    double sum = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < R; j++)
            sum += K_bar[i * R + j] * definition(k, X + i * k->dim, Z + j * k->dim);
    return sum;
}

static void check_moved(const rm2i_latent_kernel *k, const double *X, const double *Z,
                        const double *K_bar, double *moved, double bar) {
    double h = 1e-5, keep = *moved;
    *moved = keep + h;
    double up = contracted_rows(k, X, Z, K_bar);
    *moved = keep - h;
    double down = contracted_rows(k, X, Z, K_bar);
    *moved = keep;
    assert_true(fabs((up - down) / (2 * h) - bar) <= 1e-7 * (1 + fabs(bar)));
}

static void check_rows_backward(const rm2i_latent_kernel *k) {
    size_t Q = k->dim;
    double X[N * MOST_Q], Z[R * MOST_Q], K[N * R], K_bar[N * R], l[MOST_Q];
    double X_bar[N * MOST_Q] = {0}, Z_bar[R * MOST_Q] = {0}, l_bar[MOST_Q] = {0}, s_bar = 0,
                     w_bar = 0;
    rm2i_latent_kernel moved = *k;
    random_points(N * Q, 2, X);
    random_points(R * Q, 5, Z);
    random_points(N * R, 3, K_bar);
    rm2i_latent_rows(k, N, X, R, Z, K);
    rm2i_latent_rows_backward(k, &(rm2i_latent_adjoint){.n = N,
                                                        .r = R,
                                                        .X = X,
                                                        .Z = Z,
                                                        .K = K,
                                                        .K_bar = K_bar,
                                                        .X_bar = X_bar,
                                                        .Z_bar = Z_bar,
                                                        .lengthscale_bar = l_bar,
                                                        .variance_bar = &s_bar,
                                                        .linear_bar = &w_bar});
    for (size_t i = 0; i < N * Q; i++)
        check_moved(k, X, Z, K_bar, &X[i], X_bar[i]);
    for (size_t i = 0; i < R * Q; i++)
        check_moved(k, X, Z, K_bar, &Z[i], Z_bar[i]);
    memcpy(l, k->lengthscale, sizeof l);
    moved.lengthscale = l;
    for (size_t q = 0; q < Q; q++)
        check_moved(&moved, X, Z, K_bar, &l[q], l_bar[q]);
    if (k->variance > 0)
        check_moved(&moved, X, Z, K_bar, &moved.variance, s_bar);
    if (k->linear > 0)
        check_moved(&moved, X, Z, K_bar, &moved.linear, w_bar);
}

static void check_cross_gradient(const rm2i_latent_kernel *k) {
    size_t Q = k->dim;
    double X[N * MOST_Q], values[N], same[N], d[MOST_Q * N], x[MOST_Q] = {0.3, -0.2, 0.9}, h = 1e-5;
    random_points(N * Q, 4, X);
    rm2i_latent_cross_gradient(k, N, X, x, values, d);
    rm2i_latent_cross(k, N, X, x, same);
    assert_memory_equal(values, same, sizeof values);
    for (size_t q = 0; q < Q; q++)
        for (size_t i = 0; i < N; i++) {
            double moved[MOST_Q];
            memcpy(moved, x, sizeof moved);
            moved[q] = x[q] + h;
            double up = definition(k, X + i * Q, moved);
            moved[q] = x[q] - h;
            double down = definition(k, X + i * Q, moved);
            assert_true(fabs((up - down) / (2 * h) - d[q * N + i]) <= 1e-7 * size_of(k));
        }
}

/* d2k/dx_r dx_s of the definition by mixed differences over h, in extended precision. */
static long double mixed_difference(const rm2i_latent_kernel *k, const double *x, const double *y,
                                    size_t r, size_t s, long double h) {
    long double sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        long double d[MOST_Q], rho2 = 0, sr = corner & 1 ? 1 : -1, ss = corner & 2 ? 1 : -1;
        for (size_t q = 0; q < k->dim; q++) {
            d[q] = (long double)x[q] - y[q] + (q == r ? sr * h : 0) + (q == s ? ss * h : 0);
            rho2 += d[q] * d[q] / ((long double)k->lengthscale[q] * k->lengthscale[q]);
        }
        long double c = sqrtl((k->kind == RM2_LATENT_MATERN32 ? 3 : 5) * rho2);
        sum += sr * ss *
               (k->kind == RM2_LATENT_SE         ? expl(-rho2 / 2)
                : k->kind == RM2_LATENT_MATERN32 ? (1 + c) * expl(-c)
                                                 : (1 + c + c * c / 3) * expl(-c));
    }
    return k->variance * sum / (4 * h * h);
}

/* Differences over h and h/2, extrapolated: truncation h^4 k/100 (1e-14 times at most 1e6 at
 * these distances and lengthscales), rounding 1e-19/h^2: 1e-8 is ten times their sum. */
static void check_cross_hessian(const rm2i_latent_kernel *k) {
    size_t Q = k->dim, T = Q * (Q + 1) / 2;
    double X[N * MOST_Q], values[N], d[MOST_Q * N], same[N], same_d[MOST_Q * N];
    double h[MOST_Q * (MOST_Q + 1) / 2 * N], x[MOST_Q] = {0.3, -0.2, 0.9};
    random_points(N * Q, 4, X);
    rm2i_latent_cross_hessian(k, N, X, x, values, d, h);
    rm2i_latent_cross_gradient(k, N, X, x, same, same_d);
    assert_memory_equal(values, same, sizeof values);
    assert_memory_equal(d, same_d, Q * N * sizeof *d);
    size_t pair = 0;
    for (size_t r = 0; r < Q; r++)
        for (size_t s = r; s < Q; s++, pair++)
            for (size_t i = 0; i < N; i++) {
                long double coarse = mixed_difference(k, x, X + i * Q, r, s, 4e-4L);
                long double fine = mixed_difference(k, x, X + i * Q, r, s, 2e-4L);
                double expected = (double)((4 * fine - coarse) / 3);
                if (!(fabs(h[pair * N + i] - expected) <= 1e-8 * size_of(k)))
                    fail_msg("kind %d, pair %zu, point %zu: %.15g against %.15g", (int)k->kind,
                             pair, i, h[pair * N + i], expected);
            }
    assert_int_equal(pair, T);
}

/* Derivatives along v: p = H v, and central differences of p over 1e-5 for the next ones (truncation 1e-10
 * times a fifth derivative of the kernel, rounding 1e-11). */
static void check_cross_along(const rm2i_latent_kernel *k) {
    size_t Q = k->dim;
    double X[N * MOST_Q], values[N], d[MOST_Q * N], h[MOST_Q * (MOST_Q + 1) / 2 * N], step = 1e-5;
    double p[3][MOST_Q * N], pp[MOST_Q * (MOST_Q + 1) / 2 * N];
    const double x[MOST_Q] = {0.3, -0.2, 0.9}, v[MOST_Q] = {0.8, -0.5, 0.3};
    if (k->kind != RM2_LATENT_SE && k->kind != RM2_LATENT_LINEAR)
        return;
    random_points(N * Q, 4, X);
    for (size_t t = 0; t < Q; t++) {
        static const int sides[3] = {-1, 1, 0}; /* the last is at x itself */
        for (size_t side = 0; side < 3; side++) {
            double at[MOST_Q];
            memcpy(at, x, sizeof at);
            at[t] += sides[side] * step;
            rm2i_latent_cross_hessian(k, N, X, at, values, d, h);
            rm2i_latent_cross_along(k, N, X, at, &(rm2i_latent_along){v, d, h, p[side], pp});
        }
        for (size_t s = 0; s < Q; s++)
            for (size_t i = 0; i < N; i++) {
                size_t low = s < t ? s : t, pair = low * (2 * Q - low - 1) / 2 + (s < t ? t : s);
                double expected = (p[1][s * N + i] - p[0][s * N + i]) / (2 * step);
                assert_true(fabs(pp[pair * N + i] - expected) <= 1e-6 * size_of(k));
            }
    }
    for (size_t s = 0; s < Q; s++)
        for (size_t i = 0; i < N; i++) {
            double sum = 0;
            for (size_t r = 0; r < Q; r++) {
                size_t low = s < r ? s : r, pair = low * (2 * Q - low - 1) / 2 + (s < r ? r : s);
                sum += v[r] * h[pair * N + i];
            }
            assert_true(fabs(p[2][s * N + i] - sum) <= 1e-13 * size_of(k));
        }
}

/* At a coincident point the Hessian is minus the variance of the derivative; nearby it tends to it
 * (Matérn 3/2 with the distance, the others with its square); far away it is finite, 0 where the
 * value is, and never subnormal. */
static void check_hessian_edges(const rm2i_latent_kernel *k) {
    size_t Q = k->dim, T = Q * (Q + 1) / 2;
    double X[MOST_Q] = {0.3, -0.2, 0.9}, value, d[MOST_Q], diagonal[MOST_Q];
    double h[MOST_Q * (MOST_Q + 1) / 2], near[MOST_Q * (MOST_Q + 1) / 2];
    double close[MOST_Q] = {0.3 + 1e-9, -0.2 - 2e-9, 0.9 + 1e-9};
    rm2i_latent_derivative_variance(k, diagonal);
    rm2i_latent_cross_hessian(k, 1, X, X, &value, d, h);
    rm2i_latent_cross_hessian(k, 1, X, close, &value, d, near);
    size_t pair = 0;
    for (size_t r = 0; r < Q; r++)
        for (size_t s = r; s < Q; s++, pair++) {
            assert_true(h[pair] == (r == s ? -diagonal[r] : 0));
            assert_true(fabs(near[pair] - h[pair]) <= 1e-6 * k->variance);
        }
    for (double far = 1; far <= 1e300; far *= far < 1e4 ? 1.05 : 1e3) {
        close[0] = far;
        rm2i_latent_cross_hessian(k, 1, X, close, &value, d, h);
        for (size_t t = 0; t < T; t++) {
            assert_true(isfinite(h[t]) && (value != 0 || h[t] == 0));
            assert_true(h[t] == 0 || fabs(h[t]) >= 1e-200);
        }
    }
}

/* d2k/dx_q dx'_r at x = x' by a mixed difference over h = 1e-4: rounding eps/h^2 = 2e-8, truncation
 * h^2 k''''; Matérn 3/2 has a third derivative that jumps: h k'''. */
static void check_derivative_variance(const rm2i_latent_kernel *k) {
    size_t Q = k->dim;
    double diagonal[MOST_Q], h = 1e-4;
    double bound = (k->kind == RM2_LATENT_MATERN32 ? 3e-3 : 1e-6) * size_of(k);
    rm2i_latent_derivative_variance(k, diagonal);
    for (size_t q = 0; q < Q; q++)
        for (size_t r = 0; r < Q; r++) {
            double sum = 0;
            for (int corner = 0; corner < 4; corner++) {
                double x[MOST_Q] = {0}, y[MOST_Q] = {0};
                double sx = corner & 1 ? 1 : -1, sy = corner & 2 ? 1 : -1;
                x[q] += sx * h;
                y[r] += sy * h;
                sum += sx * sy * definition(k, x, y);
            }
            double expected = q == r ? diagonal[q] : 0, scale = 1 / pow(k->lengthscale[q], 2);
            assert_true(fabs(sum / (4 * h * h) - expected) <= bound * fmax(scale, 1) * 4);
        }
}

static void test_derivatives(void **state) {
    (void)state;
    for_all_sums(check_backward);
    for_all_sums(check_rows_backward);
    for_all_sums(check_cross_gradient);
    for_all_sums(check_derivative_variance);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static void check_coincident(const rm2i_latent_kernel *k) {
    size_t Q = k->dim;
    double X[2 * MOST_Q], K[4], K_bar[4] = {0.5, 0, 2, 0.25}, X_bar[2 * MOST_Q] = {0};
    double l_bar[MOST_Q] = {0}, s_bar = 0, values[2], d[2 * MOST_Q], work[3 * MOST_Q + 2];
    random_points(Q, 5, X);
    memcpy(X + Q, X, Q * sizeof *X);
    rm2i_latent_gram(NULL, k, 2, X, K);
    assert_true(K[2] == k->variance);
    rm2i_latent_gram_backward(NULL, k,
                              &(rm2i_latent_adjoint){.n = 2,
                                                     .X = X,
                                                     .K = K,
                                                     .K_bar = K_bar,
                                                     .X_bar = X_bar,
                                                     .lengthscale_bar = l_bar,
                                                     .variance_bar = &s_bar},
                              work);
    rm2i_latent_cross_gradient(k, 2, X, X, values, d);
    for (size_t i = 0; i < 2 * Q; i++)
        assert_true(X_bar[i] == 0 && d[i] == 0);
    for (size_t q = 0; q < Q; q++)
        assert_true(l_bar[q] == 0);
    assert_true(values[0] == k->variance && values[1] == k->variance);
    assert_true(fabs(s_bar - 4.75) < 1e-14);
}

/* Every value is 0 or at least 1e-150 of the variance, at all distances up to the largest number,
 * and derivatives are finite and 0 where the value is. */
static void check_far(const rm2i_latent_kernel *k) {
    size_t Q = k->dim;
    double X[2 * MOST_Q] = {0}, K[4], K_bar[4] = {1, 0, 1, 1}, values[1], d[MOST_Q];
    double work[3 * MOST_Q + 2];
    for (double far = 1; far <= 1e300; far *= far < 1e4 ? 1.05 : 1e3) {
        double X_bar[2 * MOST_Q] = {0}, l_bar[MOST_Q] = {0}, s_bar = 0;
        X[Q] = far;
        rm2i_latent_gram(NULL, k, 2, X, K);
        assert_true(K[2] == 0 || (K[2] >= 1e-150 * k->variance && K[2] <= k->variance));
        assert_true(far < 1000 || K[2] == 0);
        rm2i_latent_cross_gradient(k, 1, X, X + Q, values, d);
        assert_true(values[0] == K[2]);
        rm2i_latent_gram_backward(NULL, k,
                                  &(rm2i_latent_adjoint){.n = 2,
                                                         .X = X,
                                                         .K = K,
                                                         .K_bar = K_bar,
                                                         .X_bar = X_bar,
                                                         .lengthscale_bar = l_bar,
                                                         .variance_bar = &s_bar},
                                  work);
        for (size_t q = 0; q < Q; q++) {
            assert_true(isfinite(d[q]) && isfinite(X_bar[q]) && isfinite(l_bar[q]));
            assert_true(K[2] != 0 || (d[q] == 0 && X_bar[q] == 0 && l_bar[q] == 0));
            assert_true(d[q] == 0 || fabs(d[q]) >= 1e-200); /* no subnormal numbers */
        }
    }
}

static void test_second_derivatives(void **state) {
    (void)state;
    for_all_sums(check_cross_hessian);
    for_all_sums(check_cross_along);
    for_all(check_hessian_edges);
}

static void test_edges(void **state) {
    (void)state;
    for_all(check_coincident);
    for_all(check_far);
}

/* The same bits on one thread and on several. */
static void check_threads(const rm2i_latent_kernel *k) {
    size_t Q = k->dim, count = MANY * Q, work_size = rm2i_latent_backward_work(Q, MANY);
    double *memory = malloc((3 * MANY * MANY + 3 * count + work_size) * sizeof *memory);
    rm2_context *ctx[2];
    assert_non_null(memory);
    double *K1 = memory, *K2 = K1 + MANY * MANY, *K_bar = K2 + MANY * MANY;
    double *X = K_bar + MANY * MANY, *bar[2] = {X + count, X + 2 * count}, *work = X + 3 * count;
    double l_bar[2][MOST_Q] = {{0}}, s_bar[2] = {0}, w_bar[2] = {0};
    random_points(count, 6, X);
    random_points(MANY * MANY, 7, K_bar);
    memset(K1, 0, 2 * MANY * MANY * sizeof *K1);
    for (int t = 0; t < 2; t++) {
        assert_int_equal(rm2_context_create(&ctx[t]), RM2_OK);
        rm2_context_set_threads(ctx[t], 1 + 2 * t);
        rm2i_latent_gram(ctx[t], k, MANY, X, t ? K2 : K1);
        memset(bar[t], 0, count * sizeof *X);
        rm2i_latent_gram_backward(ctx[t], k,
                                  &(rm2i_latent_adjoint){.n = MANY,
                                                         .X = X,
                                                         .K = K1,
                                                         .K_bar = K_bar,
                                                         .X_bar = bar[t],
                                                         .lengthscale_bar = l_bar[t],
                                                         .variance_bar = &s_bar[t],
                                                         .linear_bar = &w_bar[t]},
                                  work);
        rm2_context_free(ctx[t]);
    }
    assert_memory_equal(K1, K2, MANY * MANY * sizeof *K1);
    assert_memory_equal(bar[0], bar[1], count * sizeof *X);
    assert_memory_equal(l_bar[0], l_bar[1], sizeof l_bar[0]);
    assert_memory_equal(&s_bar[0], &s_bar[1], sizeof s_bar[0]);
    assert_memory_equal(&w_bar[0], &w_bar[1], sizeof w_bar[0]);
    free(memory);
}

static void test_threads(void **state) {
    (void)state;
    for_all(check_threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_second_derivatives),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
