/* Bounds of the restricted evidence and of the restricted likelihood of latents by inducing points: with all points
 * against the exact ones, with fewer against dense matrices; derivatives against central differences; the exact
 * value between the bounds.
 *
 * Tolerances. All points inducing: the kernel matrix of points 0.9 lengthscales apart has a condition of 1e4, so that
 * values agree to 1e-9 of their size. Dense formulas: conditions up to 1e4 times eps. Differences over h have an error
 * of h^2 f'''/6 + eps |f|/h: with h = 1e-5 below 1e-7 of the size of f. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dense_evidence.h"
#include "gp/evidence_bound.h"
#include "gp/restricted_bound.h"
#include "shared_context.h"

enum { N = 30, Q = 2, M = 4, FEW = 9 };

static const rm2_latent_kind kinds[] = {RM2_LATENT_SE, RM2_LATENT_MATERN32, RM2_LATENT_MATERN52};
static const rm2i_evidence_at places[] = {{0.3, 0.9, 2, 3}, {20, 0.7, 0.1, 500}};
static const size_t some[FEW] = {3, 17, 8, 29, 0, 21, 12, 25, 6};

typedef struct problem {
    double X[N * Q], F[M * N];
    size_t all[N];
    rm2i_evidence_data d;
} problem;

static void make(problem *p, rm2_latent_kind kind) {
    fill(N * Q, 21, p->X);
    fill(M * N, 22, p->F);
    for (size_t i = 0; i < N; i++) {
        p->X[i * Q] += (double)(i % 6); /* apart from each other */
        p->X[i * Q + 1] += (double)(i / 6);
        p->F[i] += sin(p->X[i * Q]);
        p->all[i] = (7 * i) % N; /* any order */
    }
    p->d =
        (rm2i_evidence_data){.N = N, .Q = Q, .rows = M, .X = p->X, .F = p->F, .m = M, .kind = kind};
}

static rm2i_evidence_bound *bound_of(const problem *p, size_t r, const size_t *index) {
    rm2i_evidence_bound *b;
    assert_int_equal(rm2i_evidence_bound_create(ctx, &p->d, r, index, &b), RM2_OK);
    return b;
}

static double lower_of(rm2i_evidence_bound *b, rm2i_evidence_at at) {
    double value;
    assert_int_equal(rm2i_evidence_bound_value(b, &at, &value, NULL), RM2_OK);
    return value;
}

static void near(const char *what, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: %.14g against %.14g", what, got, want);
}

static void near_slopes(rm2i_evidence_at got, rm2i_evidence_at want, double tolerance) {
    near("variance", got.variance, want.variance, tolerance);
    near("lengthscale", got.lengthscale, want.lengthscale, tolerance);
    near("scale", got.scale, want.scale, tolerance);
    near("weight", got.weight, want.weight, tolerance);
}

/* ---- the evidence --------------------------------------------------------------------------- */

static void all_points_give_the_evidence(void **state) {
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        problem p;
        rm2i_evidence *exact;
        rm2i_evidence_at slope[2];
        double value[2], upper;
        make(&p, kinds[k % 3]);
        rm2i_evidence_bound *b = bound_of(&p, N, p.all);
        assert_int_equal(rm2i_evidence_create(ctx, &p.d, &exact), RM2_OK);
        assert_int_equal(rm2i_evidence_value(exact, &places[k / 3], &value[0], &slope[0]), RM2_OK);
        assert_int_equal(rm2i_evidence_bound_value(b, &places[k / 3], &value[1], &slope[1]),
                         RM2_OK);
        assert_int_equal(rm2i_evidence_bound_upper(b, &places[k / 3], &upper), RM2_OK);
        near("lower bound", value[1], value[0], 1e-9 * fabs(value[0]));
        near("upper bound", upper, value[0], 1e-9 * fabs(value[0]));
        near_slopes(slope[1], slope[0], 1e-8 * fabs(value[0]));
        near("level", rm2i_evidence_bound_level(b), rm2i_evidence_level(exact), 1e-12);
        assert_int_equal(rm2i_evidence_bound_freedom(b), rm2i_evidence_freedom(exact));
        rm2i_evidence_free(exact);
        rm2i_evidence_bound_free(b);
    }
}

/* K_nu Kuu^-1 K_un, and the trace that it leaves. */
static double nystrom(const problem *p, rm2i_evidence_at at, double *K) {
    double Kuu[FEW * FEW], inverse[FEW * FEW], t = 0;
    for (size_t a = 0; a < FEW * FEW; a++)
        Kuu[a] = kernel(p->d.kind, Q, p->X + some[a / FEW] * Q, p->X + some[a % FEW] * Q,
                        at.variance, at.lengthscale);
    (void)invert(FEW, Kuu, inverse);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            K[i * N + j] = 0;
            for (size_t a = 0; a < FEW * FEW; a++)
                K[i * N + j] += kernel(p->d.kind, Q, p->X + i * Q, p->X + some[a / FEW] * Q,
                                       at.variance, at.lengthscale) *
                                inverse[a] *
                                kernel(p->d.kind, Q, p->X + j * Q, p->X + some[a % FEW] * Q,
                                       at.variance, at.lengthscale);
            t += i == j ? at.variance - K[i * N + j] : 0;
        }
    return t;
}

/* A = U^T K U + I and G = U^T F F^T U */
static size_t restrict_dense(const problem *p, const double *K, double *A, double *G) {
    double U[N * N], Z[N * M] = {0};
    size_t n = complement(N, Q, p->X, U);
    for (size_t a = 0; a < n; a++)
        for (size_t k = 0; k < M * N; k++)
            Z[a * M + k / N] += U[k % N * n + a] * p->F[k];
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            A[a * n + b] = a == b;
            G[a * n + b] = 0;
            for (size_t k = 0; k < N * N; k++)
                A[a * n + b] += U[k / N * n + a] * K[k] * U[k % N * n + b];
            for (size_t m = 0; m < M; m++)
                G[a * n + b] += Z[a * M + m] * Z[b * M + m];
        }
    return n;
}

/* E of evidence.h from dense matrices of n x n. */
static double dense_evidence(const problem *p, rm2i_evidence_at at, const double *K) {
    static double A[N * N], B[N * N], G[N * N], inverse[N * N];
    size_t n = restrict_dense(p, K, A, G);
    double a = at.weight + M + 1, value = -0.5 * (double)(n * M) * log(acos(-1) * at.scale);
    for (size_t k = 0; k < n * n; k++)
        B[k] = A[k] + G[k] / at.scale;
    double log_A = invert(n, A, inverse), log_B = invert(n, B, inverse);
    for (int j = 1; j <= M; j++)
        value += lgamma((a + (double)n + 1 - j) / 2) - lgamma((a + 1 - j) / 2);
    return value - 0.5 * (a + (double)n) * (log_B - log_A) - 0.5 * M * log_A;
}

static void fewer_points_give_its_bound(void **state) {
    (void)state;
    static double K[N * N];
    for (size_t k = 0; k < 6; k++) {
        problem p;
        rm2i_evidence_at at = places[k / 3];
        make(&p, kinds[k % 3]);
        rm2i_evidence_bound *b = bound_of(&p, FEW, some);
        double t = nystrom(&p, at, K), want = dense_evidence(&p, at, K) - 0.5 * M * t;
        near("bound", lower_of(b, at), want, 1e-10 * fabs(want));
        near("trace", rm2i_evidence_bound_trace(b), t, 1e-10 * t);
        rm2i_evidence_bound_free(b);
    }
}

static double log_moved(rm2i_evidence_bound *b, rm2i_evidence_at at, size_t which, double by) {
    double *t[4] = {&at.variance, &at.lengthscale, &at.scale, &at.weight};
    *t[which] *= exp(by);
    return lower_of(b, at);
}

/* Also with outputs that are dependent, of which fewer count, and with a smallest variance. */
static void slopes_are_differences(void **state) {
    (void)state;
    for (size_t k = 0; k < 12; k++) {
        problem p;
        rm2i_evidence_at at = places[k / 3 % 2], slope;
        double value, h = 1e-5;
        make(&p, kinds[k % 3]);
        if (k >= 6) {
            memcpy(p.F + 3 * N, p.F + 2 * N, N * sizeof *p.F);
            p.d.m = M - 1;
            p.d.least = 1e-3;
        }
        rm2i_evidence_bound *b = bound_of(&p, FEW, some);
        assert_int_equal(rm2i_evidence_bound_value(b, &at, &value, &slope), RM2_OK);
        const double slopes[4] = {slope.variance, slope.lengthscale, slope.scale, slope.weight};
        for (size_t j = 0; j < 4; j++)
            near("slope", slopes[j], (log_moved(b, at, j, h) - log_moved(b, at, j, -h)) / (2 * h),
                 1e-7 * (1 + fabs(value)));
        rm2i_evidence_bound_free(b);
    }
}

/* Outputs in another basis, of more rows: the same. */
static void rows_may_be_dependent(void **state) {
    (void)state;
    problem p;
    double wide[(M + 1) * N];
    make(&p, RM2_LATENT_SE);
    p.d.least = 1e-4;
    memcpy(wide, p.F, sizeof p.F);
    for (size_t i = 0; i < N; i++) {
        wide[M * N + i] = 0.6 * p.F[i]; /* (1, 0) to (0.8, 0.6) */
        wide[i] = 0.8 * p.F[i];
    }
    rm2i_evidence_bound *b = bound_of(&p, FEW, some);
    double want = lower_of(b, places[0]);
    rm2i_evidence_bound_free(b);
    p.d.F = wide;
    p.d.rows = M + 1;
    b = bound_of(&p, FEW, some);
    near("wide", lower_of(b, places[0]), want, 1e-11 * fabs(want));
    rm2i_evidence_bound_free(b);
}

static void the_evidence_is_between(void **state) {
    (void)state;
    double before[2] = {INFINITY, INFINITY};
    for (size_t k = 0; k < 6; k++)
        for (size_t r = 5; r < N; r += 8) {
            problem p;
            rm2i_evidence *exact;
            double value, lower, upper;
            make(&p, kinds[k % 3]);
            rm2i_evidence_bound *b = bound_of(&p, r, p.all);
            assert_int_equal(rm2i_evidence_create(ctx, &p.d, &exact), RM2_OK);
            assert_int_equal(rm2i_evidence_value(exact, &places[k / 3], &value, NULL), RM2_OK);
            lower = lower_of(b, places[k / 3]);
            assert_int_equal(rm2i_evidence_bound_upper(b, &places[k / 3], &upper), RM2_OK);
            assert_true(lower < value && value < upper);
            if (r > 5) /* more points, nearer bounds */
                assert_true(value - lower < before[0] && upper - value < before[1]);
            before[0] = value - lower;
            before[1] = upper - value;
            rm2i_evidence_free(exact);
            rm2i_evidence_bound_free(b);
        }
}

/* ---- latents -------------------------------------------------------------------------------- */

static rm2i_restricted_data latents_of(const problem *p, const double *lengthscale,
                                       const double *X0) {
    return (rm2i_restricted_data){.N = N,
                                  .Q = Q,
                                  .M = M,
                                  .rows = M,
                                  .F = p->F,
                                  .X0 = X0,
                                  .kernel = {p->d.kind, Q, lengthscale, 1.7, 0},
                                  .variance = 0.3,
                                  .precision = 2.5};
}

static void all_points_give_the_likelihood_of_latents(void **state) {
    (void)state;
    const double lengthscale[Q] = {0.8, 0.8};
    for (size_t k = 0; k < 3; k++) {
        problem p;
        double X0[N * Q], bars[2][N * Q], value[2];
        rm2i_restricted *exact;
        rm2i_restricted_bound *b;
        make(&p, kinds[k]);
        fill(N * Q, 5, X0);
        rm2i_restricted_data d = latents_of(&p, lengthscale, X0);
        assert_int_equal(rm2i_restricted_create(ctx, &d, &exact), RM2_OK);
        assert_int_equal(rm2i_restricted_bound_create(ctx, &d, N, p.all, &b), RM2_OK);
        assert_int_equal(rm2i_restricted_value(exact, p.X, &value[0], bars[0]), RM2_OK);
        assert_int_equal(rm2i_restricted_bound_value(b, p.X, &value[1], bars[1]), RM2_OK);
        near("value", value[1], value[0], 1e-9 * fabs(value[0]));
        for (size_t i = 0; i < N * Q; i++)
            near("derivative", bars[1][i], bars[0][i], 1e-8 * fabs(value[0]));
        rm2i_restricted_free(exact);
        rm2i_restricted_bound_free(b);
    }
}

static void latents_have_derivatives(void **state) {
    (void)state;
    const double lengthscale[Q] = {0.8, 0.8};
    problem p;
    double X0[N * Q], X_bar[N * Q], ignored[N * Q], value, up, down, h = 1e-5;
    rm2i_restricted_bound *b;
    make(&p, RM2_LATENT_MATERN52);
    fill(N * Q, 5, X0);
    rm2i_restricted_data d = latents_of(&p, lengthscale, X0);
    assert_int_equal(rm2i_restricted_bound_create(ctx, &d, FEW, some, &b), RM2_OK);
    assert_int_equal(rm2i_restricted_bound_value(b, p.X, &value, X_bar), RM2_OK);
    for (size_t i = 0; i < N * Q; i++) {
        double keep = p.X[i];
        p.X[i] = keep + h;
        assert_int_equal(rm2i_restricted_bound_value(b, p.X, &up, ignored), RM2_OK);
        p.X[i] = keep - h;
        assert_int_equal(rm2i_restricted_bound_value(b, p.X, &down, ignored), RM2_OK);
        p.X[i] = keep;
        near("derivative", X_bar[i], (up - down) / (2 * h), 1e-7 * fabs(value));
    }
    rm2i_restricted_bound_free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_points_give_the_evidence),
        cmocka_unit_test(fewer_points_give_its_bound),
        cmocka_unit_test(slopes_are_differences),
        cmocka_unit_test(rows_may_be_dependent),
        cmocka_unit_test(the_evidence_is_between),
        cmocka_unit_test(all_points_give_the_likelihood_of_latents),
        cmocka_unit_test(latents_have_derivatives),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
