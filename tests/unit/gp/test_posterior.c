/* The posterior field against conditioning of the dense joint Gaussian of all N M observations,
 * written out in extended precision, for both noise models; its derivatives; draws by Monte Carlo;
 * and the factor that all of it stands on.
 *
 * Tolerances: both sides solve with a covariance of condition below 1e6 (1e10 with the nearly
 * singular task covariances), so that double precision leaves 1e-10 (1e-7) of the prior's scale. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dense_gp.h"
#include "front/base.h"
#include "linalg/factor.h"

enum { N = 12, M = 3, Q = 2, PATH = 3 };

static rm2_context *ctx;
static double X[N * Q], F[M * N];
static const double lengthscale[Q] = {0.7, 1.1}, task_noise[M] = {0.02, 0.3, 0.05};
static const double path[PATH * Q] = {0.1, -0.2, 0.4, 0.1, 2.5, 2}; /* the last: far from all */

static int setup(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 0; i < N * Q; i++)
        X[i] = 0.8 * rm2_rng_normal(&rng);
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < N; n++)
            F[m * N + n] = sin(X[n * Q] + (double)m) * cos(X[n * Q + 1]) + 0.1 * (double)m;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

/* ---- cases ---------------------------------------------------------------------------------- */

typedef enum task_shape { FULL, RANK_ONE, DIAGONAL, SHAPES } task_shape;

/* Symmetric and positive definite; of rank one but for 1e-8; diagonal. */
static void task_covariance(task_shape shape, double *Kf) {
    const double B[M * M] = {1, 0.2, 0, -0.5, 0.9, 0.1, 0.3, 0.4, 0.8}, b[M] = {1, -0.6, 0.8};
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++) {
            double sum = 0;
            for (size_t k = 0; k < M; k++)
                sum += B[i * M + k] * B[j * M + k];
            if (shape == RANK_ONE)
                sum = b[i] * b[j] + (i == j ? 1e-8 : 0);
            if (shape == DIAGONAL)
                sum = i == j ? 0.5 + (double)i : 0;
            Kf[i * M + j] = sum;
        }
}

typedef struct problem {
    rm2i_gp gp;
    double Kf[M * M], tolerance;
} problem;

/* A radial part, a linear part or both. */
typedef struct kernel_sum {
    rm2_latent_kind kind;
    double variance, linear;
} kernel_sum;

static const kernel_sum SE = {RM2_LATENT_SE, 1.4, 0}, MATERN52 = {RM2_LATENT_MATERN52, 1.4, 0};

static void make_problem(rm2_noise_kind noise, kernel_sum kernel, task_shape shape, problem *p) {
    task_covariance(shape, p->Kf);
    p->tolerance = shape == RANK_ONE ? 1e-7 : 1e-10;
    p->gp = (rm2i_gp){.N = N,
                      .M = M,
                      .Q = Q,
                      .noise_kind = noise,
                      .kernel = {kernel.kind, Q, lengthscale, kernel.variance, kernel.linear},
                      .noise = 0.03,
                      .task_noise = noise == RM2_NOISE_PER_OUTPUT ? task_noise : NULL,
                      .Kf = p->Kf,
                      .X = X,
                      .F = F};
}

enum { RADIAL = 3, SUMS = 7 };

static void for_some(int count, void (*check)(const problem *p)) {
    static const rm2_noise_kind noises[] = {RM2_NOISE_KRONECKER, RM2_NOISE_PER_OUTPUT};
    static const kernel_sum kernels[SUMS] = {
        {RM2_LATENT_SE, 1.4, 0},         {RM2_LATENT_MATERN32, 1.4, 0},
        {RM2_LATENT_MATERN52, 1.4, 0},   {RM2_LATENT_SE, 1.4, 0.7},
        {RM2_LATENT_MATERN32, 1.4, 0.7}, {RM2_LATENT_MATERN52, 1.4, 0.7},
        {RM2_LATENT_LINEAR, 0, 0.7}};
    for (int noise = 0; noise < 2; noise++)
        for (int kernel = 0; kernel < count; kernel++)
            for (int shape = 0; shape < SHAPES; shape++) {
                problem p;
                make_problem(noises[noise], kernels[kernel], (task_shape)shape, &p);
                check(&p);
            }
}

static void for_all(void (*check)(const problem *p)) {
    for_some(SUMS, check);
}

static rm2i_posterior *posterior_of(const problem *p) {
    rm2i_posterior *posterior;
    assert_int_equal(rm2i_posterior_create(ctx, &p->gp, &posterior), RM2_OK);
    return posterior;
}

static double *scratch(size_t count) {
    double *work = malloc((count ? count : 1) * sizeof *work);
    assert_non_null(work);
    return work;
}

static void condition(const problem *p, size_t count, const dense_query *queries, double *mean,
                      double *cov) {
    dense_gp d = dense_create(&p->gp);
    dense_condition(&d, count, queries, mean, cov);
    free(d.L);
}

/* ---- mean, covariance, Jacobian ------------------------------------------------------------- */

static void assert_near(size_t count, const double *a, const double *b, double tolerance) {
    for (size_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance))
            fail_msg("entry %zu: %.17g against %.17g, allowed %.1e", i, a[i], b[i], tolerance);
}

static void check_moments(const problem *p) {
    rm2i_posterior *posterior = posterior_of(p);
    double f[PATH * M], h[PATH * M], only[PATH * M], *work = scratch(2 * PATH * N);
    rm2i_posterior_at(posterior, PATH, path, f, h, work);
    rm2i_posterior_at(posterior, PATH, path, only, NULL, work);
    assert_memory_equal(f, only, sizeof f);
    for (size_t i = 0; i < PATH; i++) {
        dense_query queries[M];
        double mean[M], cov[M * M], found[M * M], noisy[M * M], square[M * M];
        for (size_t m = 0; m < M; m++)
            queries[m] = (dense_query){path + i * Q, m, 0, false};
        condition(p, M, queries, mean, cov);
        assert_near(M, f + i * M, mean, p->tolerance);
        rm2i_posterior_covariance(posterior, h + i * M, found, square);
        assert_near(M * M, found, cov, p->tolerance);
        /* an observation's own noise */
        for (size_t m = 0; m < M; m++)
            h[i * M + m] += posterior->observed;
        rm2i_posterior_covariance(posterior, h + i * M, noisy, square);
        for (size_t a = 0; a < M; a++)
            for (size_t b = 0; b < M; b++) {
                double noise = p->gp.noise_kind == RM2_NOISE_KRONECKER
                                   ? p->Kf[a * M + b] * p->gp.noise
                               : a == b ? task_noise[a] + p->gp.noise
                                        : 0;
                assert_true(fabs(noisy[a * M + b] - cov[a * M + b] - noise) <= p->tolerance);
            }
    }
    free(work);
    rm2i_posterior_free(posterior);
}

static void check_jacobian(const problem *p) {
    rm2i_posterior *posterior = posterior_of(p);
    double *work = scratch(rm2i_posterior_work(posterior)), J[M * Q], R[M * Q * Q];
    const double *P = posterior->P;
    dense_gp d = dense_create(&p->gp);
    for (size_t i = 0; i < PATH; i++) {
        double mean[M * Q], cov[M * Q * M * Q], found[M * Q * M * Q];
        dense_jacobian(&d, path + i * Q, mean, cov);
        rm2i_posterior_jacobian(posterior, path + i * Q, J, R, work);
        assert_near(M * Q, J, mean, 10 * p->tolerance);
        for (size_t a = 0; a < M * Q; a++)
            for (size_t b = 0; b < M * Q; b++) {
                double sum = 0;
                for (size_t m = 0; m < M; m++)
                    sum += P[a / Q * M + m] * P[b / Q * M + m] * R[(m * Q + a % Q) * Q + b % Q];
                found[a * M * Q + b] = sum;
            }
        assert_near(M * Q * M * Q, found, cov, 10 * p->tolerance);
    }
    free(d.L);
    free(work);
    rm2i_posterior_free(posterior);
}

/* Central differences over 1e-5: error some 1e-10 times the third derivative (below 100 here; l_m
 * of the nearly singular case has h of 1e2 and its rounding), bound 1e-6 of the largest h. */
static void check_gradient(const problem *p) {
    rm2i_posterior *posterior = posterior_of(p);
    double *work = scratch(rm2i_posterior_work(posterior) + 2 * N), step = 1e-5;
    for (size_t i = 0; i < PATH; i++) {
        double f[M], h[M], J[M * Q], dh[M * Q], same_J[M * Q], R[M * Q * Q], at_f[M], at_h[M];
        const double *x = path + i * Q;
        rm2i_posterior_gradient(posterior, x, f, h, J, dh, work);
        rm2i_posterior_jacobian(posterior, x, same_J, R, work);
        assert_memory_equal(J, same_J, sizeof J);
        rm2i_posterior_at(posterior, 1, x, at_f, at_h, work);
        assert_near(M, f, at_f, 1e-13);
        double largest = 1;
        for (size_t m = 0; m < M; m++)
            largest = fmax(largest, h[m]);
        assert_near(M, h, at_h, 1e-12 * largest);
        if (posterior->gp.noise_kind == RM2_NOISE_KRONECKER) {
            double one_h, one_dh[Q];
            rm2i_posterior_variance(posterior, x, &one_h, one_dh, work);
            assert_near(1, &one_h, h, 1e-12 * largest);
            assert_near(Q, one_dh, dh, 1e-11 * largest);
        }
        for (size_t q = 0; q < Q; q++) {
            double up_f[M], up_h[M], down_f[M], down_h[M], moved[Q] = {x[0], x[1]};
            moved[q] = x[q] + step;
            rm2i_posterior_at(posterior, 1, moved, up_f, up_h, work);
            moved[q] = x[q] - step;
            rm2i_posterior_at(posterior, 1, moved, down_f, down_h, work);
            for (size_t m = 0; m < M; m++) {
                double df = (up_f[m] - down_f[m]) / (2 * step);
                double d = (up_h[m] - down_h[m]) / (2 * step);
                assert_true(fabs(df - J[m * Q + q]) <= 1e-6);
                assert_true(fabs(d - dh[m * Q + q]) <= 1e-6 * largest);
            }
        }
    }
    free(work);
    rm2i_posterior_free(posterior);
}

static void test_moments(void **state) {
    (void)state;
    for_all(check_moments);
}

static void test_jacobian(void **state) {
    (void)state;
    for_all(check_jacobian);
}

static void test_gradient(void **state) {
    (void)state;
    for_all(check_gradient);
}

/* Far from all data the posterior is the prior, to the last bit; at data it is narrower. */
static void check_prior_far_away(const problem *p) {
    rm2i_posterior *posterior = posterior_of(p);
    double x[2 * Q] = {1e6, -1e6, X[0], X[1]}, f[2 * M], h[2 * M], cov[M * M], square[M * M];
    double *work = scratch(4 * N);
    rm2i_posterior_at(posterior, 2, x, f, h, work);
    for (size_t m = 0; m < M; m++)
        assert_true(f[m] == 0 && h[M + m] < h[m] + 1e-12);
    rm2i_posterior_covariance(posterior, h, cov, square);
    for (size_t k = 0; k < M * M; k++)
        assert_true(fabs(cov[k] - p->Kf[k] * p->gp.kernel.variance) <= 1e-10);
    free(work);
    rm2i_posterior_free(posterior);
}

static void test_prior_far_away(void **state) {
    (void)state;
    for_some(RADIAL, check_prior_far_away);
}

/* An exactly singular task covariance: factored with at most 1e-10 of its mean diagonal added. */
static void test_singular_task(void **state) {
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        problem p;
        make_problem(noise ? RM2_NOISE_PER_OUTPUT : RM2_NOISE_KRONECKER, SE, RANK_ONE, &p);
        for (size_t m = 0; m < M; m++)
            p.Kf[m * M + m] -= 1e-8;
        rm2i_posterior *posterior = posterior_of(&p);
        double f[M], h[M], cov[M * M], square[M * M], *work = scratch(2 * N);
        rm2i_posterior_at(posterior, 1, path, f, h, work);
        rm2i_posterior_covariance(posterior, h, cov, square);
        /* multiples of b = (1, -0.6, 0.8); with Kronecker noise the mean is that of each output */
        assert_true(!noise || fabs(f[1] + 0.6 * f[0]) <= 1e-12);
        assert_true(!noise || fabs(f[2] - 0.8 * f[0]) <= 1e-12);
        assert_true(fabs(cov[1] + 0.6 * cov[0]) <= 1e-9 && fabs(cov[8] - 0.64 * cov[0]) <= 1e-9);
        free(work);
        rm2i_posterior_free(posterior);
    }
}

static void test_refusals(void **state) {
    (void)state;
    problem p;
    rm2i_posterior *posterior;
    make_problem(RM2_NOISE_KRONECKER, SE, FULL, &p);
    p.Kf[0] = NAN;
    assert_int_equal(rm2i_posterior_create(ctx, &p.gp, &posterior), RM2_ERR_NUMERIC);
    assert_null(posterior);
    assert_non_null(strstr(rm2_context_error(ctx), "singular"));
    double negative[M] = {0.1, -1, 0.1};
    make_problem(RM2_NOISE_PER_OUTPUT, SE, FULL, &p);
    p.gp.task_noise = negative;
    assert_int_equal(rm2i_posterior_create(ctx, &p.gp, &posterior), RM2_ERR_NUMERIC);
    make_problem(RM2_NOISE_PER_OUTPUT, SE, FULL, &p);
    p.Kf[1] = p.Kf[3] = NAN;
    assert_int_equal(rm2i_posterior_create(ctx, &p.gp, &posterior), RM2_ERR_NUMERIC);
    assert_null(posterior);
}

/* ---- draws ---------------------------------------------------------------------------------- */

/* Sample mean and covariance over a path jointly, within 5 standard errors of the dense posterior:
 * var of a mean c_ii/n, of a covariance (c_ii c_jj + c_ij^2)/n. The seed is fixed: no chance. */
static void check_draws(const problem *p) {
    enum { DRAWS = 8000, D = PATH * M };
    rm2i_posterior *posterior = posterior_of(p);
    double *work = scratch(rm2i_posterior_sample_work(posterior, PATH)), f[D];
    double mean[D], cov[D * D], sum[D] = {0}, products[D * D] = {0};
    dense_query queries[D];
    for (size_t k = 0; k < D; k++)
        queries[k] = (dense_query){path + k / M * Q, k % M, 0, false};
    condition(p, D, queries, mean, cov);
    rm2_rng rng;
    rm2_rng_seed(&rng, 17);
    for (size_t draw = 0; draw < DRAWS; draw++) {
        assert_int_equal(rm2i_posterior_sample(posterior, PATH, path, &rng, f, work), RM2_OK);
        for (size_t a = 0; a < D; a++) {
            sum[a] += (f[a] - mean[a]) / DRAWS;
            for (size_t b = 0; b < D; b++)
                products[a * D + b] += (f[a] - mean[a]) * (f[b] - mean[b]) / DRAWS;
        }
    }
    for (size_t a = 0; a < D; a++) {
        assert_true(fabs(sum[a]) <= 5 * sqrt(cov[a * D + a] / DRAWS) + 1e-6);
        for (size_t b = 0; b < D; b++) {
            double c = cov[a * D + b],
                   error = sqrt((cov[a * D + a] * cov[b * D + b] + c * c) / DRAWS);
            assert_true(fabs(products[a * D + b] - c) <= 5 * error + 1e-7);
        }
    }
    /* points of a path belong together: the first two are close, the third is far */
    assert_true(fabs(cov[0 * D + M]) > 10 * fabs(cov[0 * D + 2 * M]));
    free(work);
    rm2i_posterior_free(posterior);
}

static void test_draws(void **state) {
    (void)state;
    for (int noise = 0; noise < 2; noise++)
        for (int shape = 0; shape < SHAPES; shape++) {
            problem p;
            make_problem(noise ? RM2_NOISE_PER_OUTPUT : RM2_NOISE_KRONECKER, MATERN52,
                         (task_shape)shape, &p);
            check_draws(&p);
        }
}

/* The same point twice has a singular joint covariance: both draws agree to the jitter's root. */
static void test_draws_of_coincident_points(void **state) {
    (void)state;
    for (int noise = 0; noise < 2; noise++) {
        problem p;
        make_problem(noise ? RM2_NOISE_PER_OUTPUT : RM2_NOISE_KRONECKER, SE, FULL, &p);
        rm2i_posterior *posterior = posterior_of(&p);
        double x[2 * Q] = {0.2, 0.2, 0.2, 0.2}, f[2 * M];
        double *work = scratch(rm2i_posterior_sample_work(posterior, 2));
        rm2_rng rng;
        rm2_rng_seed(&rng, 1);
        for (int draw = 0; draw < 10; draw++) {
            assert_int_equal(rm2i_posterior_sample(posterior, 2, x, &rng, f, work), RM2_OK);
            for (size_t m = 0; m < M; m++)
                assert_true(fabs(f[m] - f[M + m]) <= 1e-3);
        }
        free(work);
        rm2i_posterior_free(posterior);
    }
}

/* ---- the factor ----------------------------------------------------------------------------- */

enum { S = 4 };

/* A = v v^T + extra I, the strict upper triangle marked. */
static void rank_one(double extra, double *A) {
    const double v[S] = {1, -2, 0.5, 3};
    for (size_t i = 0; i < S; i++)
        for (size_t j = 0; j < S; j++)
            A[i * S + j] = j > i ? 77 : v[i] * v[j] + (i == j ? extra : 0);
}

static void test_factor(void **state) {
    (void)state;
    double A[S * S], L[S * S], jitter = -1, log_det = log(0.4 * 0.4 * 0.4) + log(0.4 + 14.25);
    rank_one(0.3, A);
    for (size_t i = 0; i < S * S; i++)
        L[i] = -5;
    assert_int_equal(rm2i_factor(NULL, S, A, 0.1, L, &jitter), RM2_OK);
    assert_true(jitter == 0);
    for (size_t i = 0; i < S; i++)
        for (size_t j = 0; j < S; j++) {
            double sum = 0;
            for (size_t k = 0; k <= j; k++)
                sum += L[i * S + k] * L[j * S + k];
            if (j > i)
                assert_true(L[i * S + j] == -5);
            else
                assert_true(fabs(sum - A[i * S + j] - (i == j ? 0.1 : 0)) < 1e-14);
        }
    assert_true(fabs(rm2i_factor_log_det(S, L) - log_det) < 1e-13);
    double B[2 * S] = {1, 2, 3, 4, -1, 0, 5, 2}, half[2 * S], inverse[S * S];
    memcpy(half, B, sizeof half);
    memcpy(inverse, L, sizeof inverse);
    double solved[2 * S];
    memcpy(solved, B, sizeof solved);
    rm2i_factor_solve(NULL, S, L, 2, solved);
    rm2i_factor_half_solve(NULL, S, L, 2, half);
    assert_int_equal(rm2i_factor_invert(NULL, S, inverse), RM2_OK);
    for (size_t c = 0; c < 2; c++) {
        double quadratic = 0, norm = 0;
        for (size_t i = 0; i < S; i++) {
            double back = 0, direct = 0;
            for (size_t j = 0; j < S; j++) {
                size_t low = i > j ? i * S + j : j * S + i;
                back += (A[low] + (i == j ? 0.1 : 0)) * solved[c * S + j];
                direct += inverse[low] * B[c * S + j];
            }
            assert_true(fabs(back - B[c * S + i]) < 1e-12);
            assert_true(fabs(direct - solved[c * S + i]) < 1e-12);
            quadratic += B[c * S + i] * solved[c * S + i];
            norm += half[c * S + i] * half[c * S + i];
        }
        assert_true(fabs(quadratic - norm) < 1e-12 * norm);
    }
}

/* What is added grows until it is enough, and is reported; A = v v^T - e I needs at least e. */
static void test_jitter(void **state) {
    (void)state;
    const double missing[] = {0, 1e-11, 1e-9, 1e-7, 1e-5};
    double A[S * S], L[S * S], jitter, mean = 14.25 / S, before = 0;
    for (int k = 0; k < 5; k++) {
        rank_one(-missing[k], A);
        assert_int_equal(rm2i_factor(NULL, S, A, 0, L, &jitter), RM2_OK);
        if (k > 0) { /* the first power of ten that is enough, relative to the mean */
            assert_true(jitter > missing[k] && jitter < 12 * fmax(missing[k], 1e-12 * mean));
            assert_true(jitter > before);
            before = jitter;
        } else
            assert_true(jitter >= 0 && jitter < 1e-10); /* rounding decides */
        for (size_t i = 0; i < S; i++) {
            double sum = -A[i * S + i] - jitter;
            for (size_t j = 0; j <= i; j++)
                sum += L[i * S + j] * L[i * S + j];
            assert_true(fabs(sum) < 1e-14 * 14.25);
        }
    }
    rank_one(-0.1, A); /* not by rounding: refused */
    assert_int_equal(rm2i_factor(NULL, S, A, 0, L, &jitter), RM2_ERR_NUMERIC);
    memset(A, 0, sizeof A);
    assert_int_equal(rm2i_factor(NULL, S, A, 0, L, &jitter), RM2_ERR_NUMERIC);
    assert_int_equal(rm2i_factor(NULL, S, A, -1, L, &jitter), RM2_ERR_NUMERIC);
}

/* NaN and infinity anywhere in the lower triangle, in small and in blocked factorisations. */
static void test_factor_refuses_nonfinite(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    const size_t sizes[] = {1, 2, 5, 150};
    double jitter;
    for (int s = 0; s < 4; s++) {
        size_t n = sizes[s];
        double *A = scratch(2 * n * n), *L = A + n * n;
        for (int b = 0; b < 3; b++)
            for (size_t place = 0; place < 4; place++) {
                size_t i = place < 2 ? n - 1 : n / 2, j = place % 2 ? i : i / 2;
                for (size_t k = 0; k < n * n; k++)
                    A[k] = k % (n + 1) == 0 ? 2 : 0.001;
                A[i * n + j] = bad[b];
                assert_int_equal(rm2i_factor(NULL, n, A, 0, L, &jitter), RM2_ERR_NUMERIC);
            }
        free(A);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_jitter),
        cmocka_unit_test(test_factor_refuses_nonfinite),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_jacobian),
        cmocka_unit_test(test_gradient),
        cmocka_unit_test(test_prior_far_away),
        cmocka_unit_test(test_singular_task),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_draws_of_coincident_points),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
