/* A Gaussian process conditioned as a dense joint Gaussian of all N M observations, in extended
 * precision and from nothing but the definitions: what posteriors and metrics are compared with.
 *
 *   cov(f_a(x), f_b(y)) = Kf_ab k(x, y), derivatives by differentiating k;
 *   observations add Kf_ab s2 (Kronecker noise) or (task noise + noise) delta_ab. */
#ifndef DENSE_GP_H
#define DENSE_GP_H

#include <math.h>
#include <stdlib.h>

#include "gp/posterior.h"

enum { DENSE_MOST_Q = 4 };

/* Kernel between x and y, with derivatives by y where asked for: order 0; order 1: by y_r; order 2:
 * by x_q and y_r. From the closed forms in docs/mathematics.md. */
static inline long double dense_kernel(const rm2i_latent_kernel *k, const double *x,
                                       const double *y, int order, size_t q, size_t r) {
    long double u[DENSE_MOST_Q], rho2 = 0, s = k->variance, lq = k->lengthscale[q], w = k->linear;
    long double product = 1;
    for (size_t i = 0; i < k->dim; i++) {
        product += (long double)x[i] * y[i];
        long double l = k->lengthscale[i], d = (long double)x[i] - y[i];
        u[i] = d / (l * l);
        rho2 += d * d / (l * l);
    }
    long double rho = sqrtl(rho2), c = sqrtl(k->kind == RM2_LATENT_MATERN32 ? 3 : 5), value, a, b;
    long double e = expl(-c * rho);
    /* k, dk/dy_r = a u_r, d2k/dx_q dy_r = a delta/l^2 - b u_q u_r */
    if (k->kind == RM2_LATENT_SE) {
        value = a = b = s * expl(-rho2 / 2);
    } else if (k->kind == RM2_LATENT_MATERN32) {
        value = s * (1 + c * rho) * e;
        a = 3 * s * e;
        b = rho > 0 ? 3 * s * e * c / rho : 0;
    } else if (k->kind == RM2_LATENT_LINEAR) {
        value = a = b = 0;
    } else {
        value = s * (1 + c * rho + 5 * rho2 / 3) * e;
        a = 5 * s / 3 * (1 + c * rho) * e;
        b = 25 * s / 3 * e;
    }
    return order == 0   ? value + w * product
           : order == 1 ? a * u[r] + w * x[r]
                        : (q == r ? a / (lq * lq) + w : 0) - b * u[q] * u[r];
}

/* What is asked of the field: f_task(x), or its derivative by x_q (derivative true). */
typedef struct dense_query {
    const double *x;
    size_t task, q;
    bool derivative;
} dense_query;

static inline long double dense_covariance(const rm2i_gp *gp, const dense_query *a,
                                           const dense_query *b) {
    const rm2i_latent_kernel *k = &gp->kernel;
    long double t = gp->Kf[a->task * gp->M + b->task];
    if (a->derivative && b->derivative)
        return t * dense_kernel(k, a->x, b->x, 2, a->q, b->q);
    if (a->derivative) /* by the second argument of dense_kernel() */
        return t * dense_kernel(k, b->x, a->x, 1, 0, a->q);
    if (b->derivative)
        return t * dense_kernel(k, a->x, b->x, 1, 0, b->q);
    return t * dense_kernel(k, a->x, b->x, 0, 0, 0);
}

/* Cholesky factor of the covariance of the observations, output by output. */
static inline void dense_factor(const rm2i_gp *gp, long double *L) {
    size_t N = gp->N, M = gp->M, NM = N * M;
    for (size_t r = 0; r < NM; r++)
        for (size_t c = 0; c <= r; c++) {
            dense_query a = {gp->X + r % N * gp->Q, r / N, 0, false};
            dense_query b = {gp->X + c % N * gp->Q, c / N, 0, false};
            long double sum = dense_covariance(gp, &a, &b);
            if (r % N == c % N && gp->noise_kind == RM2_NOISE_KRONECKER)
                sum += (long double)gp->Kf[a.task * M + b.task] * gp->noise;
            if (r == c && gp->noise_kind == RM2_NOISE_PER_OUTPUT)
                sum += (long double)gp->task_noise[a.task] + gp->noise;
            for (size_t k = 0; k < c; k++)
                sum -= L[r * NM + k] * L[c * NM + k];
            assert_true(r != c || sum > 0);
            L[r * NM + c] = r == c ? sqrtl(sum) : sum / L[c * NM + c];
        }
}

static inline void dense_half_solve(size_t n, const long double *L, long double *v) {
    for (size_t r = 0; r < n; r++) {
        for (size_t k = 0; k < r; k++)
            v[r] -= L[r * n + k] * v[k];
        v[r] /= L[r * n + r];
    }
}

/* The conditioned process: factor and L^-1 vec F; free(L) ends it. */
typedef struct dense_gp {
    const rm2i_gp *gp;
    long double *L, *y;
} dense_gp;

static inline dense_gp dense_create(const rm2i_gp *gp) {
    size_t NM = gp->N * gp->M;
    dense_gp d = {.gp = gp, .L = malloc((NM * NM + NM) * sizeof *d.L)};
    assert_non_null(d.L);
    d.y = d.L + NM * NM;
    dense_factor(gp, d.L);
    for (size_t i = 0; i < NM; i++)
        d.y[i] = gp->F[i];
    dense_half_solve(NM, d.L, d.y);
    return d;
}

/* Mean (count) and, unless NULL, covariance (count x count) of the queries. */
static inline void dense_condition(const dense_gp *d, size_t count, const dense_query *queries,
                                   double *mean, double *cov) {
    size_t N = d->gp->N, NM = N * d->gp->M;
    long double *cross = malloc(count * NM * sizeof *cross);
    assert_non_null(cross);
    for (size_t a = 0; a < count; a++) {
        long double sum = 0;
        for (size_t i = 0; i < NM; i++) {
            dense_query observed = {d->gp->X + i % N * d->gp->Q, i / N, 0, false};
            cross[a * NM + i] = dense_covariance(d->gp, &queries[a], &observed);
        }
        dense_half_solve(NM, d->L, cross + a * NM);
        for (size_t i = 0; i < NM; i++)
            sum += cross[a * NM + i] * d->y[i];
        mean[a] = (double)sum;
    }
    for (size_t a = 0; cov && a < count; a++)
        for (size_t b = 0; b < count; b++) {
            long double sum = dense_covariance(d->gp, &queries[a], &queries[b]);
            for (size_t i = 0; i < NM; i++)
                sum -= cross[a * NM + i] * cross[b * NM + i];
            cov[a * count + b] = (double)sum;
        }
    free(cross);
}

/* f(x): mean (M). */
static inline void dense_mean(const dense_gp *d, const double *x, double *mean) {
    for (size_t m = 0; m < d->gp->M; m++) {
        dense_query query = {x, m, 0, false};
        dense_condition(d, 1, &query, mean + m, NULL);
    }
}

/* The Jacobian at x, entry m Q + r = df_m/dx_r: mean (M Q), covariance (M Q x M Q, or NULL). */
static inline void dense_jacobian(const dense_gp *d, const double *x, double *mean, double *cov) {
    size_t Q = d->gp->Q, count = d->gp->M * Q;
    dense_query *queries = malloc(count * sizeof *queries);
    assert_non_null(queries);
    for (size_t k = 0; k < count; k++)
        queries[k] = (dense_query){x, k / Q, k % Q, true};
    dense_condition(d, count, queries, mean, cov);
    free(queries);
}

#endif
