/* Inducing points for a matrix normal: every quantity against dense N x N formulas, the bounds around
 * the exact value in many random cases, derivatives against central differences, the choice against
 * its definition, and sums that do not depend on how rows are shared among threads.
 *
 * Tolerances: the dense formulas solve with Q + s2 I, of condition below 1e6 here: 1e-9 of the value is
 * far above their rounding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "gp/inducing.h"
#include "gp/likelihood.h"
#include "linalg/dense.h"
#include "linalg/factor.h"

static const double LOG_2PI = 1.8378770664093454836;

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

static void ok(rm2_status status) {
    if (status != RM2_OK)
        fail_msg("status %d: %s", (int)status, rm2_context_error(ctx));
}

static double *doubles(size_t count) {
    double *x = calloc(count + 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static void assert_close(double value, double expected, double tolerance, const char *what) {
    if (!(fabs(value - expected) <= tolerance * fmax(fabs(expected), 1)))
        fail_msg("%s: %.15g, expected %.15g", what, value, expected);
}

/* ---- cases ---------------------------------------------------------------------------------- */

enum { MOST_Q = 3 };

typedef struct problem {
    size_t N, M, Q, r;
    double lengthscale[MOST_Q], noise;
    rm2i_latent_kernel kernel;
    double *X, *F, *Kf, *Lf;
    size_t *index;
} problem;

static void make_problem(problem *p, size_t N, size_t M, size_t Q, size_t r, double noise,
                         rm2_latent_kind kind, uint64_t seed) {
    rm2_rng rng;
    double jitter, *B = doubles(M * M);
    rm2_rng_seed(&rng, seed);
    *p = (problem){.N = N, .M = M, .Q = Q, .r = r, .noise = noise};
    p->X = doubles(N * Q);
    p->F = doubles(M * N);
    p->Kf = doubles(M * M);
    p->Lf = doubles(M * M);
    p->index = calloc(r, sizeof *p->index);
    assert_non_null(p->index);
    for (size_t q = 0; q < Q; q++)
        p->lengthscale[q] = 0.5 + 0.3 * (double)q;
    p->kernel = (rm2i_latent_kernel){kind, Q, NULL, 1.3, 0};
    for (size_t i = 0; i < N * Q; i++)
        p->X[i] = rm2_rng_normal(&rng);
    for (size_t i = 0; i < M * N; i++)
        p->F[i] = sin(3 * p->X[i % N * Q]) + 0.3 * rm2_rng_normal(&rng);
    for (size_t i = 0; i < M * M; i++)
        B[i] = rm2_rng_normal(&rng);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++) {
            p->Kf[i * M + j] = i == j ? 0.5 : 0;
            for (size_t k = 0; k < M; k++)
                p->Kf[i * M + j] += B[i * M + k] * B[j * M + k] / (double)M;
        }
    ok(rm2i_factor(NULL, M, p->Kf, 0, p->Lf, &jitter));
    for (size_t j = 0; j < r; j++) /* distinct, in no order */
        p->index[j] = (j * 7919 + 3) % N;
    free(B);
}

static rm2i_latent_kernel kernel_of(const problem *p) {
    rm2i_latent_kernel k = p->kernel;
    k.lengthscale = p->lengthscale;
    return k;
}

static void free_problem(problem *p) {
    free(p->X);
    free(p->F);
    free(p->Kf);
    free(p->Lf);
    free(p->index);
}

/* An inducing object with memory for Y and S behind it. */
static rm2i_inducing *inducing_of(const problem *p) {
    rm2i_inducing *in;
    ok(rm2i_inducing_create(
        ctx,
        &(rm2i_inducing_shape){
            .N = p->N, .M = p->M, .Q = p->Q, .r = p->r, .index = p->index, .derivatives = true},
        &in));
    in->Y = doubles(p->M * p->N + p->M * p->M);
    in->S = in->Y + p->M * p->N;
    return in;
}

static void free_inducing(rm2i_inducing *in) {
    free(in->Y);
    rm2i_inducing_free(in);
}

static double lower_of(const problem *p, rm2i_inducing *in) {
    rm2i_latent_kernel k = kernel_of(p);
    ok(rm2i_inducing_solve(in, &k, p->X, p->noise, p->F));
    return rm2i_inducing_value(in, p->Lf, NULL);
}

/* ---- dense formulas ------------------------------------------------------------------------- */

static double kernel_value(const problem *p, size_t i, size_t j) {
    double rho2 = 0, s = p->kernel.variance, linear = p->kernel.linear;
    for (size_t q = 0; q < p->Q; q++) {
        rho2 += pow((p->X[i * p->Q + q] - p->X[j * p->Q + q]) / p->lengthscale[q], 2);
        linear += p->kernel.linear * p->X[i * p->Q + q] * p->X[j * p->Q + q];
    }
    double r = sqrt(rho2);
    if (p->kernel.kind == RM2_LATENT_SE)
        return linear + s * exp(-rho2 / 2);
    if (p->kernel.kind == RM2_LATENT_MATERN32)
        return linear + s * (1 + sqrt(3) * r) * exp(-sqrt(3) * r);
    return linear + s * (1 + sqrt(5) * r + 5 * rho2 / 3) * exp(-sqrt(5) * r);
}

static void dense_kernel(const problem *p, double *K) {
    for (size_t i = 0; i < p->N; i++)
        for (size_t j = 0; j < p->N; j++)
            K[i * p->N + j] = kernel_value(p, i, j);
}

/* Q = Knu Kuu^-1 Kun, and tr(K - Q). */
static double dense_nystrom(const problem *p, double *Q) {
    size_t N = p->N, r = p->r;
    double *Kuu = doubles(r * r), *L = doubles(r * r), *V = doubles(N * r), jitter, t = 0;
    for (size_t a = 0; a < r; a++)
        for (size_t b = 0; b < r; b++)
            Kuu[a * r + b] = kernel_value(p, p->index[a], p->index[b]);
    ok(rm2i_factor(NULL, r, Kuu, 0, L, &jitter));
    for (size_t i = 0; i < N; i++)
        for (size_t a = 0; a < r; a++)
            V[i * r + a] = kernel_value(p, i, p->index[a]);
    rm2i_factor_half_solve(NULL, r, L, N, V);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            Q[i * N + j] = 0;
            for (size_t a = 0; a < r; a++)
                Q[i * N + j] += V[i * r + a] * V[j * r + a];
        }
    for (size_t i = 0; i < N; i++)
        t += kernel_value(p, i, i) - Q[i * N + i];
    free(Kuu);
    free(L);
    free(V);
    return t;
}

/* tr(Kf^-1 F^T (K + noise I)^-1 F), with log|K + noise I| and S (M x M), if wanted. */
static double dense_square(const problem *p, const double *K, double noise, double *log_det,
                           double *S) {
    size_t N = p->N, M = p->M;
    double *L = doubles(N * N), *Y = doubles(M * N), *y = doubles(M), jitter, sum = 0;
    ok(rm2i_factor(NULL, N, K, noise, L, &jitter));
    assert_true(jitter == 0);
    memcpy(Y, p->F, M * N * sizeof *Y);
    rm2i_factor_half_solve(NULL, N, L, M, Y);
    for (size_t n = 0; n < N; n++) {
        for (size_t m = 0; m < M; m++)
            y[m] = Y[m * N + n];
        rm2i_factor_half_solve(NULL, M, p->Lf, 1, y);
        for (size_t m = 0; m < M; m++)
            sum += y[m] * y[m];
    }
    if (log_det)
        *log_det = rm2i_factor_log_det(N, L);
    for (size_t i = 0; S && i < M * M; i++) {
        S[i] = 0;
        for (size_t n = 0; n < N; n++)
            S[i] += Y[i / M * N + n] * Y[i % M * N + n];
    }
    free(L);
    free(Y);
    free(y);
    return sum;
}

static double dense_density(const problem *p, double square, double log_det) {
    double N = (double)p->N, M = (double)p->M;
    return -0.5 * (square + M * log_det + N * rm2i_factor_log_det(p->M, p->Lf) + N * M * LOG_2PI);
}

static double dense_exact(const problem *p) {
    double *K = doubles(p->N * p->N), log_det;
    dense_kernel(p, K);
    double square = dense_square(p, K, p->noise, &log_det, NULL);
    free(K);
    return dense_density(p, square, log_det);
}

static void for_cases(void (*check)(problem *p)) {
    static const rm2_latent_kind kinds[] = {RM2_LATENT_SE, RM2_LATENT_MATERN32,
                                            RM2_LATENT_MATERN52};
    static const size_t sizes[][4] = {
        {40, 3, 2, 9}, {150, 2, 1, 12}, {300, 4, 3, 40}, {129, 1, 2, 1}, {2, 1, 1, 1}};
    for (size_t k = 0; k < 6; k++) /* without and with a linear part */
        for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
            problem p;
            make_problem(&p, sizes[c][0], sizes[c][1], sizes[c][2], sizes[c][3], 0.03, kinds[k % 3],
                         c);
            p.kernel.linear = k < 3 ? 0 : 0.4;
            check(&p);
            free_problem(&p);
        }
}

/* ---- values --------------------------------------------------------------------------------- */

static void check_pieces(problem *p) {
    double *Q = doubles(p->N * p->N), *S = doubles(p->M * p->M), log_det, trace;
    double t = dense_nystrom(p, Q), square = dense_square(p, Q, p->noise, &log_det, S);
    rm2i_latent_kernel k = kernel_of(p);
    rm2i_inducing *in = inducing_of(p);
    ok(rm2i_inducing_solve(in, &k, p->X, p->noise, p->F));
    assert_close(in->trace, t, 1e-9, "trace");
    assert_close(in->log_det, log_det, 1e-9, "log determinant");
    for (size_t i = 0; i < p->M * p->M; i++)
        assert_close(in->S[i], S[i], 1e-9, "S");
    double lower = rm2i_inducing_value(in, p->Lf, &trace);
    assert_close(trace, square, 1e-9, "tr(Kf^-1 S)");
    assert_close(lower, dense_density(p, square, log_det) - 0.5 * (double)p->M * t / p->noise, 1e-9,
                 "lower bound");
    free_inducing(in);
    free(S);
    free(Q);
}

static void pieces_are_the_dense_ones(void **state) {
    (void)state;
    for_cases(check_pieces);
}

/* The bounds choose their own set: with `enough` out of reach of few points the upper bound is from
 * its definition with the set that the choice gives. */
static void check_upper(problem *p) {
    rm2i_latent_kernel k = kernel_of(p);
    size_t *index = p->index, count;
    double left, log_det, *Q = doubles(p->N * p->N);
    p->index = calloc(p->N, sizeof *index);
    assert_non_null(p->index);
    double enough = 0.1 * (double)p->N;
    ok(rm2i_inducing_choose(ctx,
                            &(rm2i_inducing_request){
                                .kernel = &k, .N = p->N, .X = p->X, .enough = enough, .most = p->N},
                            p->index, &count, &left));
    p->r = count;
    double t = dense_nystrom(p, Q);
    assert_close(left, t, 1e-9, "trace of the choice");
    (void)dense_square(p, Q, p->noise, &log_det, NULL);
    double upper = dense_density(p, dense_square(p, Q, p->noise + t, NULL, NULL), log_det);
    rm2i_bounds bounds;
    ok(rm2i_inducing_bounds(ctx,
                            &(rm2i_inducing_data){.kernel = &k,
                                                  .N = p->N,
                                                  .M = p->M,
                                                  .X = p->X,
                                                  .F = p->F,
                                                  .noise = p->noise,
                                                  .Lf = p->Lf},
                            enough, &bounds));
    assert_int_equal(bounds.count, count);
    assert_close(bounds.upper, upper, 1e-9, "upper bound");
    free(index);
    free(Q);
}

static void upper_bound_is_the_dense_one(void **state) {
    (void)state;
    for_cases(check_upper);
}

static void bounds_bracket_the_exact_value(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 17);
    for (uint64_t trial = 0; trial < 150; trial++) {
        size_t N = 2 + (size_t)(90 * rm2_rng_uniform(&rng)), M = 1 + trial % 4, Q = 1 + trial % 3;
        size_t r = 1 + (size_t)((double)(N - 1) * rm2_rng_uniform(&rng));
        double noise = pow(10, -4 * rm2_rng_uniform(&rng));
        problem p;
        make_problem(&p, N, M, Q, r, noise, (rm2_latent_kind)(trial % 3), trial);
        if (trial % 5 == 0) /* twice the same point */
            memcpy(p.X, p.X + (N - 1) * Q, Q * sizeof *p.X);
        rm2i_latent_kernel k = kernel_of(&p);
        rm2i_inducing *in = inducing_of(&p);
        double exact = dense_exact(&p), lower = lower_of(&p, in), slack = 1e-9 * fabs(exact) + 1e-9;
        rm2i_bounds bounds;
        ok(rm2i_inducing_bounds(
            ctx,
            &(rm2i_inducing_data){
                .kernel = &k, .N = N, .M = M, .X = p.X, .F = p.F, .noise = noise, .Lf = p.Lf},
            (double)N / 2 * rm2_rng_uniform(&rng), &bounds));
        if (!(lower <= exact + slack && bounds.lower <= exact + slack &&
              bounds.upper >= exact - slack))
            fail_msg("trial %d: %.12g (any set %.12g) <= %.12g <= %.12g", (int)trial, bounds.lower,
                     lower, exact, bounds.upper);
        free_inducing(in);
        free_problem(&p);
    }
}

/* K = Q up to rounding, which the smallest pivots (1e-12) and s2 = 1e-3 leave below 1e-6. */
static void all_points_give_the_exact_value(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        problem p;
        size_t N = 2 + 3 * seed;
        make_problem(&p, N, 3, 1 + seed % 3, N, 1e-3, (rm2_latent_kind)(seed % 3), seed);
        rm2i_latent_kernel k = kernel_of(&p);
        rm2i_inducing *in = inducing_of(&p);
        rm2i_bounds bounds;
        double exact = dense_exact(&p);
        for (size_t j = 0; j < N; j++) /* all of them */
            in->index[j] = j;
        assert_close(lower_of(&p, in), exact, 1e-6, "all points");
        ok(rm2i_inducing_bounds(
            ctx,
            &(rm2i_inducing_data){
                .kernel = &k, .N = N, .M = 3, .X = p.X, .F = p.F, .noise = p.noise, .Lf = p.Lf},
            0, &bounds));
        assert_close(bounds.lower, exact, 1e-6, "lower, all points");
        assert_close(bounds.upper, exact, 1e-6, "upper, all points");
        free_inducing(in);
        free_problem(&p);
    }
}

/* A singular Kuu gets a jitter, and the bound is still one. */
static void the_same_point_twice(void **state) {
    (void)state;
    problem p;
    make_problem(&p, 30, 2, 2, 8, 0.01, RM2_LATENT_SE, 1);
    p.index[5] = p.index[2];
    memcpy(p.X + p.index[6] * 2, p.X + p.index[1] * 2, 2 * sizeof *p.X);
    rm2i_inducing *in = inducing_of(&p);
    double lower = lower_of(&p, in), exact = dense_exact(&p);
    assert_true(in->jitter > 0 && in->jitter < 1e-8);
    assert_true(isfinite(lower) && lower <= exact);
    free_inducing(in);
    free_problem(&p);
}

/* ---- derivatives ---------------------------------------------------------------------------- */

typedef struct gradient {
    double *X, lengthscale[MOST_Q], variance, linear, noise;
} gradient;

static gradient gradient_of(const problem *p, rm2i_inducing *in) {
    rm2i_latent_kernel k = kernel_of(p);
    gradient g = {.X = doubles(p->N * p->Q)};
    (void)lower_of(p, in);
    ok(rm2i_inducing_backward(
        in, &k, p->X, &(rm2i_inducing_bars){g.X, g.lengthscale, &g.variance, &g.linear, &g.noise}));
    return g;
}

/* Points as training has them: far enough apart that Kuu^-1, which the derivatives hold, keeps its
 * digits. */
static void choose_apart(problem *p) {
    rm2i_latent_kernel k = kernel_of(p);
    double left;
    ok(rm2i_inducing_choose(
        ctx,
        &(rm2i_inducing_request){
            .kernel = &k, .N = p->N, .X = p->X, .enough = 1e-5 * (double)p->N, .most = p->r},
        p->index, &p->r, &left));
}

static double difference(problem *p, rm2i_inducing *in, double *at, double h) {
    double keep = *at, up, down;
    *at = keep + h;
    up = lower_of(p, in);
    *at = keep - h;
    down = lower_of(p, in);
    *at = keep;
    return (up - down) / (2 * h);
}

/* Central differences have error h^2 f'''/6 + eps |f|/h: below 1e-7 of the largest derivative. */
static void check_gradient(problem *p) {
    choose_apart(p);
    rm2i_inducing *in = inducing_of(p);
    gradient g = gradient_of(p, in);
    double largest = 0, worst = 0;
    for (size_t i = 0; i < p->N * p->Q; i++)
        largest = fmax(largest, fabs(g.X[i]));
    for (size_t i = 0; i < p->N * p->Q; i++)
        worst = fmax(worst, fabs(g.X[i] - difference(p, in, &p->X[i], 1e-5)));
    if (!(worst <= 1e-6 * largest))
        fail_msg("X: error %.2e of %.2e", worst, largest);
    for (size_t q = 0; q < p->Q; q++)
        assert_close(g.lengthscale[q], difference(p, in, &p->lengthscale[q], 1e-5), 1e-6,
                     "lengthscale");
    assert_close(g.variance, difference(p, in, &p->kernel.variance, 1e-5), 1e-6, "variance");
    if (p->kernel.linear > 0)
        assert_close(g.linear, difference(p, in, &p->kernel.linear, 1e-5), 1e-6, "linear");
    assert_close(g.noise, difference(p, in, &p->noise, 1e-6), 1e-6, "noise");
    free(g.X);
    free_inducing(in);
}

static void gradients_are_differences(void **state) {
    (void)state;
    for_cases(check_gradient);
}

/* With all points the gradient is the exact likelihood's. */
static void all_points_give_the_exact_gradient(void **state) {
    (void)state;
    enum { N = 25, M = 2, Q = 2 };
    problem p;
    make_problem(&p, N, M, Q, N, 0.05, RM2_LATENT_MATERN52, 4);
    rm2i_latent_kernel k = kernel_of(&p);
    rm2i_inducing *in = inducing_of(&p);
    for (size_t j = 0; j < N; j++)
        in->index[j] = j;
    gradient g = gradient_of(&p, in);
    double K[N * N], L[N * N], Y[M * N], S[M * M], work[N * Q + Q + 2], X_bar[N * Q] = {0};
    double l_bar[Q] = {0}, s_bar = 0, noise_bar = 0;
    rm2i_matrix_normal mn = {.N = N, .M = M, .Y = Y, .S = S};
    rm2i_latent_gram(NULL, &k, N, p.X, K);
    ok(rm2i_matrix_normal_solve(&mn, K, p.noise, p.F, L));
    (void)rm2i_matrix_normal_value(&mn, p.Lf, NULL);
    ok(rm2i_matrix_normal_backward(&mn, L));
    for (size_t i = 0; i < N; i++)
        noise_bar += L[i * N + i];
    rm2i_latent_gram_backward(NULL, &k,
                              &(rm2i_latent_adjoint){.n = N,
                                                     .X = p.X,
                                                     .K = K,
                                                     .K_bar = L,
                                                     .X_bar = X_bar,
                                                     .lengthscale_bar = l_bar,
                                                     .variance_bar = &s_bar},
                              work);
    for (size_t i = 0; i < N * Q; i++)
        assert_close(g.X[i], X_bar[i], 1e-8, "X");
    for (size_t q = 0; q < Q; q++)
        assert_close(g.lengthscale[q], l_bar[q], 1e-8, "lengthscale");
    assert_close(g.variance, s_bar, 1e-8, "variance");
    assert_close(g.noise, noise_bar, 1e-8, "noise");
    free(g.X);
    free_inducing(in);
    free_problem(&p);
}

/* ---- choice --------------------------------------------------------------------------------- */

/* Variance of point i given the chosen ones, by a dense solve. */
static double variance_given(const problem *p, size_t chosen, size_t i) {
    size_t r = chosen;
    if (r == 0)
        return p->kernel.variance;
    double *Kuu = doubles(r * r), *L = doubles(r * r), *k = doubles(r), jitter,
           sum = p->kernel.variance;
    for (size_t a = 0; a < r; a++) {
        for (size_t b = 0; b < r; b++)
            Kuu[a * r + b] = kernel_value(p, p->index[a], p->index[b]);
        k[a] = kernel_value(p, p->index[a], i);
    }
    ok(rm2i_factor(NULL, r, Kuu, 0, L, &jitter));
    rm2i_factor_half_solve(NULL, r, L, 1, k);
    for (size_t a = 0; a < r; a++)
        sum -= k[a] * k[a];
    free(Kuu);
    free(L);
    free(k);
    return sum;
}

static void choice_is_greedy(void **state) {
    (void)state;
    problem p;
    make_problem(&p, 60, 1, 2, 60, 0.1, RM2_LATENT_MATERN52, 8);
    rm2i_latent_kernel k = kernel_of(&p);
    size_t count;
    double left;
    ok(rm2i_inducing_choose(
        ctx, &(rm2i_inducing_request){.kernel = &k, .N = p.N, .X = p.X, .enough = 0, .most = 15},
        p.index, &count, &left));
    assert_int_equal(count, 15);
    for (size_t j = 0; j < count; j++) {
        double own = variance_given(&p, j, p.index[j]);
        for (size_t i = 0; i < p.N; i++)
            assert_true(variance_given(&p, j, i) <= own + 1e-10);
    }
    double sum = 0;
    for (size_t i = 0; i < p.N; i++)
        sum += variance_given(&p, count, i);
    assert_close(left, sum, 1e-10, "what is left");
    ok(rm2i_inducing_choose(
        ctx, &(rm2i_inducing_request){.kernel = &k, .N = p.N, .X = p.X, .enough = sum, .most = p.N},
        p.index, &count, &left));
    assert_in_range(count, 15, 16); /* enough is enough, up to rounding */
    free_problem(&p);
}

static void choice_of_few_and_of_equal_points(void **state) {
    (void)state;
    enum { N = 40 };
    problem p;
    make_problem(&p, N, 1, 2, N, 0.1, RM2_LATENT_SE, 2);
    rm2i_latent_kernel k = kernel_of(&p);
    size_t count;
    double left;
    for (size_t i = 5; i < N; i++) /* five places */
        memcpy(p.X + i * 2, p.X + i % 5 * 2, 2 * sizeof *p.X);
    ok(rm2i_inducing_choose(
        ctx, &(rm2i_inducing_request){.kernel = &k, .N = N, .X = p.X, .enough = 0, .most = N},
        p.index, &count, &left));
    assert_int_equal(count, 5);
    assert_true(left <= N * 1e-11);
    ok(rm2i_inducing_choose(
        ctx, &(rm2i_inducing_request){.kernel = &k, .N = N, .X = p.X, .enough = 1e9, .most = N},
        p.index, &count, &left));
    assert_int_equal(count, 1); /* one at least */
    ok(rm2i_inducing_choose(
        ctx, &(rm2i_inducing_request){.kernel = &k, .N = 1, .X = p.X, .enough = 0, .most = N},
        p.index, &count, &left));
    assert_int_equal(count, 1);
    assert_true(left == 0);
    free_problem(&p);
}

/* ---- threads -------------------------------------------------------------------------------- */

enum { MANY = 3000 };

static void choice_does_not_depend_on_threads(void **state) {
    (void)state;
    problem p;
    make_problem(&p, MANY, 1, 2, MANY, 0.1, RM2_LATENT_SE, 3);
    rm2i_latent_kernel k = kernel_of(&p);
    size_t one[200], other[200], count, again;
    double left, same;
    rm2_context_set_threads(ctx, 1);
    ok(rm2i_inducing_choose(
        ctx,
        &(rm2i_inducing_request){.kernel = &k, .N = MANY, .X = p.X, .enough = 1e-3, .most = 200},
        one, &count, &left));
    for (int threads = 2; threads <= 4; threads++) {
        rm2_context_set_threads(ctx, threads);
        ok(rm2i_inducing_choose(ctx,
                                &(rm2i_inducing_request){
                                    .kernel = &k, .N = MANY, .X = p.X, .enough = 1e-3, .most = 200},
                                other, &again, &same));
        assert_int_equal(count, again);
        assert_memory_equal(one, other, count * sizeof *one);
        assert_true(left == same);
    }
    free_problem(&p);
}

/* Value and derivatives by X, lengthscales, variance, noise, one after the other. */
static double *everything(const problem *p, rm2i_inducing *in) {
    double *all = doubles(p->N * p->Q + MOST_Q + 3);
    gradient g = gradient_of(p, in);
    memcpy(all, g.X, p->N * p->Q * sizeof *all);
    memcpy(all + p->N * p->Q, g.lengthscale, sizeof g.lengthscale);
    all[p->N * p->Q + MOST_Q] = g.variance;
    all[p->N * p->Q + MOST_Q + 1] = g.noise;
    all[p->N * p->Q + MOST_Q + 2] = lower_of(p, in);
    free(g.X);
    return all;
}

/* Not one bit: units are the same, their sums are added as a tree. */
static void sums_do_not_depend_on_threads(void **state) {
    (void)state;
    problem p;
    make_problem(&p, MANY, 3, 2, 60, 0.1, RM2_LATENT_SE, 3);
    choose_apart(&p);
    double *one = NULL;
    for (int threads = 1; threads <= 4; threads++) {
        rm2_context_set_threads(ctx, threads);
        rm2i_inducing *in = inducing_of(&p);
        double *all = everything(&p, in);
        if (one)
            assert_memory_equal(all, one, (MANY * 2 + MOST_Q + 3) * sizeof *all);
        else
            one = all;
        if (all != one)
            free(all);
        free_inducing(in);
    }
    free(one);
    rm2_context_set_threads(ctx, 0);
    free_problem(&p);
}

/* Rows of K and V that are computed again are the same ones. */
static void rows_computed_again_are_the_kept_ones(void **state) {
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        problem p;
        make_problem(&p, 700, 3, 2, 40, 0.1, k ? RM2_LATENT_MATERN52 : RM2_LATENT_SE, 3);
        p.kernel.linear = k ? 0.3 : 0;
        choose_apart(&p);
        rm2i_inducing *kept = inducing_of(&p), *in;
        ok(rm2i_inducing_create(ctx,
                                &(rm2i_inducing_shape){.N = p.N,
                                                       .M = p.M,
                                                       .Q = p.Q,
                                                       .r = p.r,
                                                       .index = p.index,
                                                       .derivatives = true,
                                                       .recompute = true},
                                &in));
        in->Y = doubles(p.M * p.N + p.M * p.M);
        in->S = in->Y + p.M * p.N;
        assert_true(kept->V && !in->V);
        double *expected = everything(&p, kept), *all = everything(&p, in);
        assert_memory_equal(all, expected, (p.N * 2 + MOST_Q + 3) * sizeof *all);
        free(all);
        free(expected);
        free_inducing(in);
        free_inducing(kept);
        free_problem(&p);
    }
}

/* Of more points than are considered every k-th is: the choice is that among these, t is scaled. */
static void many_points_are_thinned(void **state) {
    (void)state;
    enum { N = 120001, EVERY = 3, n = (N + EVERY - 1) / EVERY, Q = 2, MOST = 20 };
    problem p;
    make_problem(&p, N, 1, Q, MOST, 0.05, RM2_LATENT_SE, 8);
    rm2i_latent_kernel k = kernel_of(&p);
    double *X = doubles(n * Q), left, of_some;
    size_t index[MOST], count, some[MOST], other;
    for (size_t i = 0; i < n; i++)
        memcpy(X + i * Q, p.X + i * EVERY * Q, Q * sizeof *X);
    ok(rm2i_inducing_choose(ctx,
                            &(rm2i_inducing_request){.kernel = &k, .N = N, .X = p.X, .most = MOST},
                            index, &count, &left));
    ok(rm2i_inducing_choose(ctx,
                            &(rm2i_inducing_request){.kernel = &k, .N = n, .X = X, .most = MOST},
                            some, &other, &of_some));
    assert_int_equal(count, MOST);
    assert_int_equal(other, MOST);
    for (size_t j = 0; j < MOST; j++)
        assert_int_equal(index[j], EVERY * some[j]);
    assert_close(left, of_some * N / n, 1e-12, "what is left");
    /* t of all points, to the accuracy of a mean over 40,000 random ones */
    p.r = count;
    memcpy(p.index, index, sizeof index);
    rm2i_inducing *in = inducing_of(&p);
    ok(rm2i_inducing_solve(in, &k, p.X, p.noise, p.F));
    assert_close(left, in->trace, 0.05, "t of all points");
    free_inducing(in);
    free(X);
    free_problem(&p);
}

/* So many points that rows are begun ahead of their pivots: each choice is still the point whose variance
 * given those before is largest, by the definition, up to rounding. */
static void many_points_are_chosen_greedily(void **state) {
    (void)state;
    enum { N = 9000, R = 300, Q = 2 };
    problem p;
    make_problem(&p, N, 1, Q, R, 0.05, RM2_LATENT_SE, 8);
    for (size_t q = 0; q < Q; q++)
        p.lengthscale[q] = 0.15;
    rm2i_latent_kernel k = kernel_of(&p);
    double *G = doubles((size_t)R * N), *d = doubles(N), left, sum = 0;
    size_t count;
    ok(rm2i_inducing_choose(
        ctx, &(rm2i_inducing_request){.kernel = &k, .N = N, .X = p.X, .enough = 0, .most = R},
        p.index, &count, &left));
    assert_int_equal(count, R);
    for (size_t i = 0; i < N; i++)
        d[i] = k.variance;
    for (size_t j = 0; j < R; j++) {
        size_t pivot = p.index[j];
        double *g = G + j * N, largest = 0;
        for (size_t i = 0; i < N; i++)
            largest = fmax(largest, d[i]);
        if (!(d[pivot] >= largest * (1 - 1e-6)))
            fail_msg("choice %zu has %g, another point %g", j, d[pivot], largest);
        rm2i_latent_rows(&k, 1, p.X + pivot * Q, N, p.X, g);
        for (size_t l = 0; l < j; l++)
            rm2i_axpy(N, -G[l * N + pivot], G + l * N, g);
        double scale = 1 / sqrt(d[pivot]);
        for (size_t i = 0; i < N; i++) {
            g[i] *= scale;
            d[i] -= g[i] * g[i];
        }
        d[pivot] = 0;
    }
    for (size_t i = 0; i < N; i++)
        sum += d[i];
    assert_close(left, sum, 1e-6, "what is left");
    free(G);
    free(d);
    free_problem(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_the_dense_ones),
        cmocka_unit_test(upper_bound_is_the_dense_one),
        cmocka_unit_test(bounds_bracket_the_exact_value),
        cmocka_unit_test(all_points_give_the_exact_value),
        cmocka_unit_test(the_same_point_twice),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(all_points_give_the_exact_gradient),
        cmocka_unit_test(choice_is_greedy),
        cmocka_unit_test(choice_of_few_and_of_equal_points),
        cmocka_unit_test(choice_does_not_depend_on_threads),
        cmocka_unit_test(many_points_are_chosen_greedily),
        cmocka_unit_test(sums_do_not_depend_on_threads),
        cmocka_unit_test(rows_computed_again_are_the_kept_ones),
        cmocka_unit_test(many_points_are_thinned),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
