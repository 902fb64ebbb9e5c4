/* The increments are a matrix normal with identity columns: the same code as the likelihood. */
#include "model/gpdm.h"

#include <string.h>

#include "base/base.h"
#include "kernel/latent.h"
#include "linalg/special.h"
#include "model/likelihood.h"

size_t rm2i_gpdm_work(size_t N, size_t Q, int threads) {
    /* Lo, its derivative, E, W, Z; S and a copy; lengthscales and their derivatives; threads' parts
     */
    return 5 * N * Q + 2 * Q * Q + 2 * Q + (size_t)threads * (N * Q + Q + 1);
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

static void first_points(rm2i_gpdm *g, const double *X) {
    for (size_t t = 0; t < g->trajectories; t++)
        for (size_t q = 0; q < g->Q; q++) {
            double x = X[g->starts[t] * g->Q + q];
            g->value -= 0.5 * (x * x + RM2I_LOG_2PI);
            g->X_bar[g->starts[t] * g->Q + q] -= x;
        }
}

static rm2_status increments(rm2i_gpdm *g, const double *X, size_t n) {
    size_t Q = g->Q;
    double *Lo = g->work, *Lo_bar = Lo + n * Q, *E = Lo_bar + n * Q, *W = E + n * Q;
    double *S = W + n * Q, *l = S + Q * Q, *l_bar = l + Q, *rest = l_bar + Q;
    differences(g, X, n, Lo, E);
    for (size_t q = 0; q < Q; q++) {
        l[q] = g->lengthscale;
        l_bar[q] = 0;
    }
    rm2i_latent_kernel kernel = {RM2_LATENT_SE, Q, l, g->variance};
    rm2i_latent_gram(&kernel, n, Lo, g->threads, g->K);
    rm2i_matrix_normal mn = {.N = n, .M = Q, .Y = W, .S = S};
    RM2_TRY(rm2i_matrix_normal_solve(&mn, g->K, g->noise, E, g->L));
    g->value += rm2i_matrix_normal_value(&mn, NULL, NULL);
    g->jitter = mn.jitter;
    RM2_TRY(rm2i_matrix_normal_backward(&mn, g->L)); /* W is A^-1 E now */
    for (size_t i = 0; i < n; i++)
        g->noise_bar += g->L[i * n + i];
    memset(Lo_bar, 0, n * Q * sizeof *Lo_bar);
    rm2i_latent_gram_backward(&kernel, n, Lo, g->K, g->L, g->threads, rest, Lo_bar, l_bar,
                              &g->variance_bar);
    for (size_t q = 0; q < Q; q++)
        g->lengthscale_bar += l_bar[q];
    scatter(g, n, W, Lo_bar);
    return RM2_OK;
}

rm2_status rm2i_gpdm_evaluate(rm2i_gpdm *g, const double *X) {
    size_t n = g->N - g->trajectories;
    g->value = g->jitter = g->lengthscale_bar = g->variance_bar = g->noise_bar = 0;
    memset(g->X_bar, 0, g->N * g->Q * sizeof *g->X_bar);
    first_points(g, X);
    return n > 0 ? increments(g, X, n) : RM2_OK;
}
