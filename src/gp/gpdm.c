/* The increments are a matrix normal with identity columns: the same code as the likelihood. */
#include "gp/gpdm.h"

#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "gp/likelihood.h"
#include "kernel/latent.h"
#include "linalg/serial.h"
#include "math/special.h"

/* The scratch memory, and what is in it. */
typedef struct increments {
    size_t n;            /* how many */
    double *Lo, *Lo_bar; /* n x Q */
    double *E, *W, *S;   /* Q x n, Q x n, Q x Q */
    double *l, *l_bar;   /* Q, Q */
    rm2i_latent_kernel kernel;
} increments;

static void lay_out(increments *i, const rm2i_gpdm *g, rm2i_arena *a) {
    size_t n = i->n = g->N - g->trajectories, Q = g->Q;
    i->Lo = rm2i_reserve(a, double, n, Q);
    i->Lo_bar = rm2i_reserve(a, double, n, Q);
    i->E = rm2i_reserve(a, double, Q, n);
    i->W = rm2i_reserve(a, double, Q, n);
    i->S = rm2i_reserve(a, double, Q, Q);
    i->l = rm2i_reserve(a, double, Q);
    i->l_bar = rm2i_reserve(a, double, Q);
}

size_t rm2i_gpdm_work(const rm2i_gpdm *g) {
    increments i;
    rm2i_arena a = {NULL, 0};
    lay_out(&i, g, &a);
    return a.used;
}

/* Pack Lo (n x Q) and E (Q x n). */
static void differences(const rm2i_gpdm *g, const double *X, size_t n, double *Lo, double *E) {
    size_t Q = g->Q, k = 0;
    for (size_t t = 0; t < g->trajectories; t++)
        for (size_t i = g->starts[t]; i + 1 < g->starts[t + 1]; i++, k++)
            for (size_t q = 0; q < Q; q++) {
                Lo[k * Q + q] = X[i * Q + q];
                E[q * n + k] = X[(i + 1) * Q + q] - X[i * Q + q];
            }
}

static increments increments_at(const rm2i_gpdm *g, const double *X) {
    increments i;
    lay_out(&i, g, &(rm2i_arena){g->work, 0});
    size_t n = i.n, Q = g->Q;
    differences(g, X, n, i.Lo, i.E);
    memset(i.Lo_bar, 0, n * Q * sizeof *i.Lo_bar);
    for (size_t q = 0; q < Q; q++) {
        i.l[q] = g->lengthscale;
        i.l_bar[q] = 0;
    }
    i.kernel = (rm2i_latent_kernel){RM2_LATENT_SE, Q, i.l, g->variance, 0};
    return i;
}

/* dE = -W: Up -= W, Lo += W and the kernel's part. */
static void scatter(const rm2i_gpdm *g, size_t n, const double *W, const double *Lo_bar) {
    size_t Q = g->Q, k = 0;
    for (size_t t = 0; t < g->trajectories; t++)
        for (size_t i = g->starts[t]; i + 1 < g->starts[t + 1]; i++, k++)
            for (size_t q = 0; q < Q; q++) {
                g->X_bar[i * Q + q] += Lo_bar[k * Q + q] + W[q * n + k];
                g->X_bar[(i + 1) * Q + q] -= W[q * n + k];
            }
}

typedef struct first_job {
    const rm2i_gpdm *g;
    const double *X;
    double *X_bar; /* NULL: not wanted */
} first_job;

/* Of the trajectories from `begin` to `end`. */
static double first_points_of(void *job, size_t begin, size_t end) {
    const first_job *j = job;
    const rm2i_gpdm *g = j->g;
    double sum = 0;
    for (size_t t = begin; t < end; t++)
        for (size_t q = 0; q < g->Q; q++) {
            double x = j->X[g->starts[t] * g->Q + q];
            sum -= 0.5 * (x * x + RM2I_LOG_2PI);
            if (j->X_bar)
                j->X_bar[g->starts[t] * g->Q + q] -= x;
        }
    return sum;
}

static double first_points(const rm2i_gpdm *g, const double *X, double *X_bar) {
    return rm2i_rows_sum_units(&g->first, first_points_of, &(first_job){g, X, X_bar});
}

/* The log density of the increments with its derivatives; i->W becomes A^-1 E. */
static rm2_status exact(rm2i_gpdm *g, increments *i) {
    size_t n = i->n;
    rm2i_latent_gram(g->ctx, &i->kernel, n, i->Lo, g->K);
    rm2i_matrix_normal mn = {.ctx = g->ctx, .N = n, .M = g->Q, .Y = i->W, .S = i->S};
    RM2_TRY(rm2i_matrix_normal_solve(&mn, g->K, g->noise, i->E, g->L));
    g->value += rm2i_matrix_normal_value(&mn, NULL, NULL);
    g->jitter = mn.jitter;
    RM2_TRY(rm2i_matrix_normal_backward(&mn, g->L));
    for (size_t k = 0; k < n; k++)
        g->noise_bar += g->L[k * n + k];
    const rm2i_latent_adjoint adjoint = {.n = n,
                                         .X = i->Lo,
                                         .K = g->K,
                                         .K_bar = g->L,
                                         .X_bar = i->Lo_bar,
                                         .lengthscale_bar = i->l_bar,
                                         .variance_bar = &g->variance_bar};
    rm2i_latent_gram_backward(g->ctx, &i->kernel, &adjoint, g->backward);
    return RM2_OK;
}

/* The same for the lower bound, where A = Q + z I. */
static rm2_status bounded(rm2i_gpdm *g, increments *i) {
    rm2i_inducing *in = g->inducing;
    in->Y = i->W;
    in->S = i->S;
    RM2_TRY(rm2i_inducing_solve(in, &i->kernel, i->Lo, g->noise, i->E));
    g->value += rm2i_inducing_value(in, NULL, NULL);
    g->jitter = in->jitter;
    const rm2i_inducing_bars bars = {.X = i->Lo_bar,
                                     .lengthscale = i->l_bar,
                                     .variance = &g->variance_bar,
                                     .noise = &g->noise_bar};
    RM2_TRY(rm2i_inducing_backward(in, &i->kernel, i->Lo, &bars));
    rm2i_dscal((int)(i->n * g->Q), 1 / g->noise, i->W, 1); /* A^-1 E = R/z */
    return RM2_OK;
}

rm2_status rm2i_gpdm_evaluate(rm2i_gpdm *g, const double *X) {
    g->jitter = g->lengthscale_bar = g->variance_bar = g->noise_bar = 0;
    memset(g->X_bar, 0, g->N * g->Q * sizeof *g->X_bar);
    g->value = first_points(g, X, g->X_bar);
    if (g->steps.all == 0)
        return RM2_OK;
    increments i = increments_at(g, X);
    RM2_TRY(g->inducing ? bounded(g, &i) : exact(g, &i));
    for (size_t q = 0; q < g->Q; q++)
        g->lengthscale_bar += i.l_bar[q];
    scatter(g, i.n, i.W, i.Lo_bar);
    return RM2_OK;
}

rm2_status rm2i_gpdm_choose(rm2_context *ctx, rm2i_gpdm *g, const double *X, double enough,
                            size_t most) {
    if (g->steps.all == 0)
        return RM2_OK;
    increments i = increments_at(g, X);
    const rm2i_inducing_request request = {.kernel = &i.kernel,
                                           .N = i.n,
                                           .X = i.Lo,
                                           .enough = enough,
                                           .most = most,
                                           .rows = &g->steps};
    return rm2i_inducing_renew(ctx, &request, g->Q, &g->inducing);
}

rm2_status rm2i_gpdm_bounds(rm2_context *ctx, const rm2i_gpdm *g, const double *X, double enough,
                            rm2i_bounds *bounds) {
    double first = first_points(g, X, NULL);
    *bounds = (rm2i_bounds){0, 0, 0};
    if (g->steps.all > 0) {
        increments i = increments_at(g, X);
        const rm2i_inducing_data data = {.kernel = &i.kernel,
                                         .N = i.n,
                                         .M = g->Q,
                                         .X = i.Lo,
                                         .F = i.E,
                                         .noise = g->noise,
                                         .rows = &g->steps};
        RM2_TRY(rm2i_inducing_bounds(ctx, &data, enough, bounds));
    }
    bounds->lower += first;
    bounds->upper += first;
    return RM2_OK;
}
