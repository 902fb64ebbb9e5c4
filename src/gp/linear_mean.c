/* H and F as outputs of one set of inducing points. */
#include "gp/linear_mean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_linear_mean *m = arg;
    m->Z = rm2i_reserve(a, double, m->all, m->N);
    m->inducing->Y = rm2i_reserve(a, double, m->all, m->N);
    m->S = m->inducing->S = rm2i_reserve(a, double, m->all, m->all);
    m->C = rm2i_reserve(a, double, m->q, m->q);
    m->D = rm2i_reserve(a, double, m->rows, m->q);
    m->T = rm2i_reserve(a, double, m->rows, m->rows);
    m->L = rm2i_reserve(a, double, m->all, m->all);
    m->HH = rm2i_reserve(a, double, m->q, m->q);
    m->small = rm2i_reserve(a, double, m->q, m->q);
    m->X_bar = rm2i_reserve(a, double, m->N, m->Q);
    m->lengthscale = rm2i_reserve(a, double, m->Q);
}

rm2_status rm2i_linear_mean_create(rm2_context *ctx, const rm2i_linear_mean_data *d,
                                   rm2i_linear_mean **mean) {
    rm2i_linear_mean *m;
    *mean = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *m, &m));
    *m = (rm2i_linear_mean){.N = d->N, .Q = d->Q, .rows = d->rows, .q = d->Q + 1, .m = d->m};
    m->all = m->q + m->rows;
    const rm2i_inducing_shape shape = {
        .N = d->N, .M = m->all, .Q = d->Q, .r = d->r, .index = d->index, .derivatives = true};
    rm2_status status = rm2i_inducing_create(ctx, &shape, &m->inducing);
    if (status == RM2_OK)
        status = rm2i_arena_calloc(ctx, lay_out, m, &m->memory);
    if (status != RM2_OK) {
        rm2i_linear_mean_free(m);
        return status;
    }
    m->inducing->counted = d->m;
    memcpy(m->Z + m->q * m->N, d->F, d->rows * d->N * sizeof *m->Z);
    *mean = m;
    return RM2_OK;
}

void rm2i_linear_mean_free(rm2i_linear_mean *m) {
    if (!m)
        return;
    rm2i_inducing_free(m->inducing);
    free(m->memory);
    free(m);
}

rm2_status rm2i_linear_mean_at(rm2i_linear_mean *m, const double *X) {
    int q = (int)m->q, N = (int)m->N;
    double jitter;
    for (size_t i = 0; i < m->N; i++) {
        m->Z[i] = 1;
        for (size_t k = 0; k < m->Q; k++)
            m->Z[(k + 1) * m->N + i] = X[i * m->Q + k];
    }
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, q, N, 1, m->Z, N, 0, m->small, q);
    return rm2i_factor(m->inducing->ctx, m->q, m->small, 0, m->HH, &jitter);
}

/* |F|^2 - |Lh^-1 H^T F|^2, H^T H = Lh Lh^T */
double rm2i_linear_mean_squares(const rm2i_linear_mean *m) {
    int N = (int)m->N, rows = (int)m->rows, q = (int)m->q;
    const double *F = m->Z + m->q * m->N;
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, q, N, 1, F, N, m->Z, N, 0, m->D, q);
    rm2i_factor_half_solve(NULL, m->q, m->HH, m->rows, m->D);
    double explained = rm2i_dot(m->rows * m->q, m->D, m->D);
    return fmax(rm2i_dot(m->rows * m->N, F, F) - explained, 0);
}

/* C = Lc Lc^T, D = S_FH Lc^-T, T = S_FF - D D^T */
static rm2_status eliminate_mean(rm2i_linear_mean *m) {
    size_t all = m->all, q = m->q, rows = m->rows;
    double jitter;
    for (size_t i = 0; i < q; i++)
        memcpy(m->small + i * q, m->S + i * all, q * sizeof *m->small);
    RM2_TRY(rm2i_factor(m->inducing->ctx, q, m->small, 0, m->C, &jitter));
    for (size_t i = 0; i < rows; i++) {
        memcpy(m->D + i * q, m->S + (q + i) * all, q * sizeof *m->D);
        memcpy(m->T + i * rows, m->S + (q + i) * all + q, rows * sizeof *m->T);
    }
    rm2i_factor_half_solve(NULL, q, m->C, rows, m->D);
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)rows, (int)q, -1, m->D, (int)q, 1,
               m->T, (int)rows);
    return RM2_OK;
}

rm2_status rm2i_linear_mean_solve(rm2i_linear_mean *m, const rm2i_latent_kernel *kernel,
                                  const double *X, double noise) {
    RM2_TRY(rm2i_inducing_solve(m->inducing, kernel, X, noise, m->Z));
    RM2_TRY(eliminate_mean(m));
    m->log_det =
        m->inducing->log_det + rm2i_factor_log_det(m->q, m->C) - rm2i_factor_log_det(m->q, m->HH);
    return RM2_OK;
}

/* L = [Lc/sqrt m, 0; D/sqrt m, W] */
static void fill_factor(rm2i_linear_mean *m, const double *W) {
    size_t all = m->all, q = m->q, rows = m->rows;
    double scale = 1 / sqrt((double)m->m);
    for (size_t i = 0; i < all; i++)
        for (size_t j = 0; j <= i; j++) {
            double *entry = m->L + i * all + j;
            if (j < q)
                *entry = scale * (i < q ? m->C[i * q + j] : m->D[(i - q) * q + j]);
            else
                *entry = W[(i - q) * rows + j - q];
        }
}

rm2_status rm2i_linear_mean_backward(rm2i_linear_mean *m, const rm2i_latent_kernel *kernel,
                                     const double *X, const double *W) {
    double noise = 0, linear = 0;
    const rm2i_inducing_bars bars = {m->X_bar, m->lengthscale, &m->variance, &linear, &noise};
    fill_factor(m, W);
    memset(m->X_bar, 0, m->N * m->Q * sizeof *m->X_bar);
    memset(m->lengthscale, 0, m->Q * sizeof *m->lengthscale);
    m->variance = 0;
    (void)rm2i_inducing_value(m->inducing, m->L, NULL);
    return rm2i_inducing_backward(m->inducing, kernel, X, &bars);
}

void rm2i_linear_mean_move(rm2i_linear_mean *m) {
    size_t N = m->N, Q = m->Q, q = m->q;
    int all = (int)m->all, n = (int)N;
    double *Y = m->inducing->Y; /* L^-1 s2 Z^T A^-1 */
    rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, all, n,
               -1 / m->inducing->noise, m->L, all, Y, n);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < Q; k++)
            m->X_bar[i * Q + k] += Y[(k + 1) * N + i];
    memcpy(Y, m->Z, q * N * sizeof *Y); /* (H^T H)^-1 H^T */
    rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)q, n, 1,
               m->HH, (int)q, Y, n);
    rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)q, n, 1, m->HH,
               (int)q, Y, n);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < Q; k++)
            m->X_bar[i * Q + k] += (double)m->m * Y[(k + 1) * N + i];
}
