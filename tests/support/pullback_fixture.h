/* Small Gaussian processes with outputs on a manifold, and their expected metric from the
 * definition: the full covariance of the Jacobian by dense conditioning (dense_gp.h), the metric of
 * the outputs from differentials of the exponential map. */
#ifndef PULLBACK_FIXTURE_H
#define PULLBACK_FIXTURE_H

#include <string.h>

#include "dense_gp.h"
#include "front/base.h"
#include "metric/pullback.h"

enum { FIELD_N = 10, FIELD_MOST_M = 6, FIELD_MOST_Q = 3, FIELD_MOST_D = 16 };

/* ---- definitions ---------------------------------------------------------------------------- */

/* Gc_ab = <dExp e_a, dExp e_b> at Exp(c), M x M; the identity without a manifold. Its base point is
 * the default one: Gc is the same at all of them. */
static inline void dense_ambient(rm2_context *ctx, const rm2_manifold *m, size_t M, const double *c,
                                 double *Gc) {
    double p[FIELD_MOST_D], y[FIELD_MOST_D], v[FIELD_MOST_D], e[FIELD_MOST_M * FIELD_MOST_M];
    double W[FIELD_MOST_M * FIELD_MOST_D], moved[FIELD_MOST_M * FIELD_MOST_D];
    for (size_t k = 0; k < M * M; k++)
        Gc[k] = e[k] = k % (M + 1) == 0;
    if (!m)
        return;
    size_t D = rm2_manifold_ambient(m);
    assert_true(D <= FIELD_MOST_D && M <= FIELD_MOST_M);
    rm2_manifold_default_point(m, p);
    assert_int_equal(rm2_manifold_exp_coords(ctx, m, 1, p, 1, c, y), RM2_OK);
    assert_int_equal(rm2_manifold_from_coords(ctx, m, 1, p, 1, c, v), RM2_OK);
    assert_int_equal(rm2_manifold_from_coords(ctx, m, M, p, 1, e, W), RM2_OK);
    for (size_t a = 0; a < M; a++)
        assert_int_equal(rm2_manifold_dexp(ctx, m, 1, p, 1, v, W + a * D, moved + a * D), RM2_OK);
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b < M; b++)
            assert_int_equal(
                rm2_manifold_inner(ctx, m, 1, y, 1, moved + a * D, moved + b * D, Gc + a * M + b),
                RM2_OK);
}

/* E[J^T Gc J]_rs = sum_ab Gc_ab (J_ar J_bs + weight cov(J_ar, J_bs)) */
static inline void dense_expected(const dense_gp *d, const double *x, const double *Gc,
                                  double weight, double *E) {
    size_t M = d->gp->M, Q = d->gp->Q, MQ = M * Q;
    double J[FIELD_MOST_M * DENSE_MOST_Q], *cov = malloc(MQ * MQ * sizeof *cov);
    assert_non_null(cov);
    dense_jacobian(d, x, J, cov);
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++) {
            E[r * Q + s] = 0;
            for (size_t a = 0; a < M; a++)
                for (size_t b = 0; b < M; b++)
                    E[r * Q + s] += Gc[a * M + b] * (J[a * Q + r] * J[b * Q + s] +
                                                     weight * cov[(a * Q + r) * MQ + b * Q + s]);
        }
    free(cov);
}

/* ---- problems ------------------------------------------------------------------------------- */

typedef struct field_kind {
    const char *spec; /* NULL: three Euclidean outputs */
    rm2_noise_kind noise;
    rm2_latent_kind kernel;
    size_t Q;
    double linear; /* weight of the kernel's linear part; 0: none */
} field_kind;

typedef struct field_problem {
    rm2_manifold *manifold;
    rm2i_gp gp;
    rm2i_posterior *posterior;
    dense_gp dense;
    double X[FIELD_N * FIELD_MOST_Q], F[FIELD_MOST_M * FIELD_N], Kf[FIELD_MOST_M * FIELD_MOST_M];
    double lengthscale[FIELD_MOST_Q], task_noise[FIELD_MOST_M], mean[FIELD_MOST_M];
} field_problem;

static inline void field_values(field_problem *p, size_t M, size_t Q) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 11);
    for (size_t i = 0; i < FIELD_N * Q; i++)
        p->X[i] = 0.8 * rm2_rng_normal(&rng);
    for (size_t m = 0; m < M; m++)
        for (size_t n = 0; n < FIELD_N; n++)
            p->F[m * FIELD_N + n] =
                0.5 * sin(1.5 * p->X[n * Q] + (double)m) + 0.3 * cos(p->X[n * Q + Q - 1]);
    for (size_t a = 0; a < M; a++)
        for (size_t b = 0; b <= a; b++) /* C C^T/2 + diag, C_ak = cos(a + 2 k) */
            for (size_t k = 0; k < M; k++)
                p->Kf[a * M + b] = p->Kf[b * M + a] +=
                    0.5 * cos((double)(a + 2 * k)) * cos((double)(b + 2 * k)) / (double)M +
                    (a == b ? 0.3 / (double)M : 0);
    for (size_t m = 0; m < M; m++) {
        p->task_noise[m] = 0.02 + 0.03 * (double)m;
        p->mean[m] = 0.4 * cos(2.0 * (double)m);
    }
    for (size_t q = 0; q < Q; q++)
        p->lengthscale[q] = 0.8 + 0.25 * (double)q;
}

static inline void field_create(rm2_context *ctx, const field_kind *kind, field_problem *p) {
    size_t M = 3, Q = kind->Q;
    memset(p, 0, sizeof *p);
    if (kind->spec) {
        assert_int_equal(rm2_manifold_create(ctx, kind->spec, &p->manifold), RM2_OK);
        M = rm2_manifold_dim(p->manifold);
    }
    assert_true(M <= FIELD_MOST_M && Q <= FIELD_MOST_Q);
    field_values(p, M, Q);
    p->gp = (rm2i_gp){.N = FIELD_N,
                      .M = M,
                      .Q = Q,
                      .noise_kind = kind->noise,
                      .kernel = {kind->kernel, Q, p->lengthscale, 1.3, kind->linear},
                      .noise = 0.03,
                      .task_noise = kind->noise == RM2_NOISE_PER_OUTPUT ? p->task_noise : NULL,
                      .Kf = p->Kf,
                      .X = p->X,
                      .F = p->F};
    assert_int_equal(rm2i_posterior_create(ctx, &p->gp, &p->posterior), RM2_OK);
    p->dense = dense_create(&p->gp);
}

static inline void field_free(field_problem *p) {
    rm2i_posterior_free(p->posterior);
    rm2_manifold_free(p->manifold);
    free(p->dense.L);
}

static inline rm2_metric *field_metric(rm2_context *ctx, const field_problem *p, double weight) {
    rm2i_pullback_field like = {
        .posterior = p->posterior, .manifold = p->manifold, .mean = p->mean, .weight = weight};
    rm2i_pullback_field *field;
    rm2_metric *metric;
    assert_int_equal(rm2i_pullback_field_create(ctx, &like, &field), RM2_OK);
    assert_int_equal(rm2i_pullback_create(ctx, field, "test", &metric), RM2_OK);
    return metric;
}

/* Mean output at x, the centre included. */
static inline void field_output(const field_problem *p, const double *x, double *c) {
    dense_mean(&p->dense, x, c);
    for (size_t m = 0; m < p->gp.M; m++)
        c[m] += p->mean[m];
}

/* The expected metric at x by definition. */
static inline void field_expected(rm2_context *ctx, const field_problem *p, const double *x,
                                  double weight, double *E) {
    double c[FIELD_MOST_M], Gc[FIELD_MOST_M * FIELD_MOST_M];
    field_output(p, x, c);
    dense_ambient(ctx, p->manifold, p->gp.M, c, Gc);
    dense_expected(&p->dense, x, Gc, weight, E);
}

/* ---- sampled Jacobians ---------------------------------------------------------------------- */

enum { FIELD_MOST_MQ = FIELD_MOST_M * FIELD_MOST_Q };

/* The Jacobian at one place as a random matrix: mean, covariance C and a factor of it, Gc. */
typedef struct field_jacobian {
    size_t M, Q;
    double mean[FIELD_MOST_MQ], C[FIELD_MOST_MQ * FIELD_MOST_MQ];
    double L[FIELD_MOST_MQ * FIELD_MOST_MQ], Gc[FIELD_MOST_M * FIELD_MOST_M];
} field_jacobian;

static inline void field_jacobian_at(rm2_context *ctx, const field_problem *p, const double *x,
                                     field_jacobian *j) {
    size_t n = p->gp.M * p->gp.Q;
    double c[FIELD_MOST_M], trace = 0;
    j->M = p->gp.M;
    j->Q = p->gp.Q;
    field_output(p, x, c);
    dense_ambient(ctx, p->manifold, j->M, c, j->Gc);
    dense_jacobian(&p->dense, x, j->mean, j->C);
    for (size_t i = 0; i < n; i++)
        trace += j->C[i * n + i];
    for (size_t r = 0; r < n; r++)
        for (size_t s = 0; s <= r; s++) { /* C may be singular but for rounding */
            double sum = j->C[r * n + s] + (r == s ? 1e-12 * trace : 0);
            for (size_t k = 0; k < s; k++)
                sum -= j->L[r * n + k] * j->L[s * n + k];
            assert_true(r != s || sum > 0);
            j->L[r * n + s] = r == s ? sqrt(sum) : sum / j->L[s * n + s];
        }
}

static inline void field_draw(const field_jacobian *j, rm2_rng *rng, double *J) {
    size_t n = j->M * j->Q;
    double z[FIELD_MOST_MQ];
    for (size_t k = 0; k < n; k++)
        z[k] = rm2_rng_normal(rng);
    for (size_t k = 0; k < n; k++) {
        J[k] = j->mean[k];
        for (size_t l = 0; l <= k; l++)
            J[k] += j->L[k * n + l] * z[l];
    }
}

/* (J^T Gc J)_rs of a draw. */
static inline double field_square(const field_jacobian *j, const double *J, size_t r, size_t s) {
    double sum = 0;
    for (size_t a = 0; a < j->M; a++)
        for (size_t b = 0; b < j->M; b++)
            sum += j->Gc[a * j->M + b] * J[a * j->Q + r] * J[b * j->Q + s];
    return sum;
}

/* Manifolds, noises and kernels that every check runs through, with Q = 1, 2, 3 in turn. */
static inline void field_for_all(void (*check)(const field_kind *kind)) {
    static const char *const specs[] = {"R2 x S2", "R3 x SO3", "R2 x SPD2", "SPD3", "H2", NULL};
    for (size_t spec = 0; spec < sizeof specs / sizeof *specs; spec++)
        for (int noise = 0; noise < 2; noise++)
            for (int kernel = 0; kernel < 4; kernel++) { /* the last with a linear part */
                field_kind kind = {specs[spec], noise ? RM2_NOISE_PER_OUTPUT : RM2_NOISE_KRONECKER,
                                   kernel == 1   ? RM2_LATENT_MATERN32
                                   : kernel == 2 ? RM2_LATENT_MATERN52
                                                 : RM2_LATENT_SE,
                                   1 + (spec + (size_t)kernel + (size_t)noise) % 3,
                                   kernel == 3 ? 0.8 : 0};
                check(&kind);
                kind.Q = 2;
                check(&kind);
            }
}

/* ---- comparison and differences ------------------------------------------------------------- */

/* |a - b| within `tolerance` of the largest entry of b; not a number never is. */
static inline void assert_close(const char *what, size_t count, const double *a, const double *b,
                                double tolerance) {
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs(b[i]));
    for (size_t i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * largest))
            fail_msg("%s, entry %zu: %.17g against %.17g, allowed %.1e of %.3g", what, i, a[i],
                     b[i], tolerance, largest);
}

/* dG (Q x Q x Q) at x by five-point differences of G over h. */
static inline void metric_differences(rm2_context *ctx, const rm2_metric *metric, const double *x,
                                      double h, double *dG) {
    static const double weight[4] = {1, -8, 8, -1};
    size_t Q = rm2_metric_dim(metric);
    double moved[DENSE_MOST_Q], G[DENSE_MOST_Q * DENSE_MOST_Q];
    memset(dG, 0, Q * Q * Q * sizeof *dG);
    for (size_t t = 0; t < Q; t++)
        for (int k = 0; k < 4; k++) {
            memcpy(moved, x, Q * sizeof *x);
            moved[t] += h * (k < 2 ? k - 2 : k - 1); /* -2, -1, 1, 2 */
            assert_int_equal(rm2_metric_at(ctx, metric, 1, moved, G, NULL), RM2_OK);
            for (size_t i = 0; i < Q * Q; i++)
                dG[t * Q * Q + i] += weight[k] * G[i] / (12 * h);
        }
}

#endif
