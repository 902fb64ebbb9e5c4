/* The restricted likelihood of latents and its derivative: one factor and one inverse of N x N. */
#include "gp/restricted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

struct rm2i_restricted {
    rm2i_restricted_data d;
    rm2_context *ctx;
    double *K, *L;    /* N x N: kernel; factor of A, then P, then A_bar */
    double *Ht, *AiH; /* (Q + 1) x N: rows of H^T; of (A^-1 H)^T, then of (A^-1 H C^-1)^T */
    double *Y;        /* (Q + 1) x N: Lc^-1 H^T A^-1 */
    double *PF;       /* rows x N: (P F)^T */
    double *C, *HH;   /* (Q + 1)^2: H^T A^-1 H and H^T H, factored */
    double *small;    /* (Q + 1)^2 */
    double *products; /* (Q + 1) x rows: (A^-1 H C^-1)^T F */
    double *HHi;      /* (Q + 1) x N: (H^T H)^-1 H^T, then H_bar^T */
    double *lengthscale_bar, *backward;
    double *memory;
};

static void lay_out(void *restricted, rm2i_arena *a) {
    rm2i_restricted *r = restricted;
    size_t N = r->d.N, Q = r->d.Q, q = Q + 1;
    r->K = rm2i_reserve(a, double, N, N);
    r->L = rm2i_reserve(a, double, N, N);
    r->Ht = rm2i_reserve(a, double, q, N);
    r->AiH = rm2i_reserve(a, double, q, N);
    r->Y = rm2i_reserve(a, double, q, N);
    r->HHi = rm2i_reserve(a, double, q, N);
    r->PF = rm2i_reserve(a, double, r->d.rows, N);
    r->C = rm2i_reserve(a, double, q, q);
    r->HH = rm2i_reserve(a, double, q, q);
    r->small = rm2i_reserve(a, double, q, q);
    r->products = rm2i_reserve(a, double, q, r->d.rows);
    r->lengthscale_bar = rm2i_reserve(a, double, Q);
    r->backward = rm2i_reserve(a, double, rm2i_latent_backward_work(Q, N));
}

rm2_status rm2i_restricted_create(rm2_context *ctx, const rm2i_restricted_data *data,
                                  rm2i_restricted **restricted) {
    rm2i_restricted *r;
    *restricted = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *r, &r));
    r->d = *data;
    r->ctx = ctx;
    rm2_status status = rm2i_arena_calloc(ctx, lay_out, r, &r->memory);
    if (status != RM2_OK) {
        rm2i_restricted_free(r);
        return status;
    }
    *restricted = r;
    return RM2_OK;
}

void rm2i_restricted_free(rm2i_restricted *r) {
    if (!r)
        return;
    free(r->memory);
    free(r);
}

static void fill_H(rm2i_restricted *r, const double *X) {
    size_t N = r->d.N, Q = r->d.Q;
    for (size_t i = 0; i < N; i++) {
        r->Ht[i] = 1;
        for (size_t q = 0; q < Q; q++)
            r->Ht[(q + 1) * N + i] = X[i * Q + q];
    }
}

/* Factor of a b^T for rows a, b of (Q + 1) x N. */
static rm2_status factor_product(rm2i_restricted *r, const double *a, const double *b, double *L) {
    int q = (int)r->d.Q + 1, N = (int)r->d.N;
    double jitter;
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, q, q, N, 1, a, N, b, N, 0, r->small, q);
    return rm2i_factor(NULL, r->d.Q + 1, r->small, 0, L, &jitter);
}

/* rows <- (L L^T)^-1 rows for q rows of N entries: columns are solved for side by side. */
static void solve_rows(size_t q, size_t N, const double *L, double *rows) {
    rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, (int)q, (int)N, 1,
               L, (int)q, rows, (int)N);
    rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasTrans, CblasNonUnit, (int)q, (int)N, 1, L,
               (int)q, rows, (int)N);
}

/* A, C and H^T H factored, A^-1 H; *log_dets = log|A| + log|C| - log|H^T H|. */
static rm2_status factor(rm2i_restricted *r, const double *X, double *log_dets) {
    size_t N = r->d.N, q = r->d.Q + 1;
    double jitter;
    fill_H(r, X);
    rm2i_latent_gram(r->ctx, &r->d.kernel, N, X, r->K);
    RM2_TRY(rm2i_factor(r->ctx, N, r->K, 1, r->L, &jitter));
    *log_dets = rm2i_factor_log_det(N, r->L);
    memcpy(r->AiH, r->Ht, q * N * sizeof *r->AiH);
    rm2i_factor_solve(NULL, N, r->L, q, r->AiH);
    RM2_TRY(factor_product(r, r->Ht, r->AiH, r->C));
    RM2_TRY(factor_product(r, r->Ht, r->Ht, r->HH));
    *log_dets += rm2i_factor_log_det(q, r->C) - rm2i_factor_log_det(q, r->HH);
    return RM2_OK;
}

/* L becomes P = A^-1 - Y^T Y, Y = Lc^-1 H^T A^-1; then P F. */
static rm2_status project(rm2i_restricted *r) {
    int N = (int)r->d.N, q = (int)r->d.Q + 1, rows = (int)r->d.rows;
    RM2_TRY(rm2i_factor_invert(r->ctx, r->d.N, r->L));
    memcpy(r->Y, r->AiH, (size_t)q * r->d.N * sizeof *r->Y);
    rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, q, N, 1, r->C, q,
               r->Y, N);
    rm2i_gram_product(r->ctx, &(rm2i_gram){r->d.N, (size_t)q, r->Y, -1, 1}, r->L);
    rm2i_dsymm(CblasRowMajor, CblasRight, CblasLower, rows, N, 1, r->L, N, r->d.F, N, 0, r->PF, N);
    return RM2_OK;
}

/* H_bar^T in HHi; X_bar takes its last rows. */
static void mean_backward(rm2i_restricted *r, double *X_bar) {
    size_t N = r->d.N, Q = r->d.Q, q = Q + 1;
    int n = (int)N, rows = (int)r->d.rows;
    double M = (double)r->d.M;
    solve_rows(q, N, r->C, r->AiH); /* (A^-1 H C^-1)^T */
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)q, rows, n, 1, r->AiH, n, r->d.F, n, 0,
               r->products, rows);
    memcpy(r->HHi, r->Ht, q * N * sizeof *r->HHi);
    solve_rows(q, N, r->HH, r->HHi);
    rm2i_dscal((int)(q * N), M, r->HHi, 1);
    rm2i_daxpy((int)(q * N), -M, r->AiH, 1, r->HHi, 1);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)q, n, rows, 1 / r->d.variance,
               r->products, rows, r->PF, n, 1, r->HHi, n);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < Q; k++)
            X_bar[i * Q + k] += r->HHi[(k + 1) * N + i];
}

/* P becomes A_bar. */
static void kernel_backward(rm2i_restricted *r, const double *X, double *X_bar) {
    double variance_bar = 0;
    const rm2i_gram gram = {r->d.N, r->d.rows, r->PF, 0.5 / r->d.variance, -0.5 * (double)r->d.M};
    rm2i_gram_product(r->ctx, &gram, r->L);
    rm2i_latent_gram_backward(r->ctx, &r->d.kernel,
                              &(rm2i_latent_adjoint){.n = r->d.N,
                                                     .X = X,
                                                     .K = r->K,
                                                     .K_bar = r->L,
                                                     .X_bar = X_bar,
                                                     .lengthscale_bar = r->lengthscale_bar,
                                                     .variance_bar = &variance_bar},
                              r->backward);
}

rm2_status rm2i_restricted_value(rm2i_restricted *r, const double *X, double *value,
                                 double *X_bar) {
    const rm2i_restricted_data *d = &r->d;
    size_t entries = d->N * d->Q;
    double log_dets, square = 0;
    memset(X_bar, 0, entries * sizeof *X_bar);
    RM2_TRY(factor(r, X, &log_dets));
    RM2_TRY(project(r));
    double trace = rm2i_dot(d->rows * d->N, r->PF, d->F);
    mean_backward(r, X_bar);
    kernel_backward(r, X, X_bar);
    for (size_t i = 0; i < entries; i++) {
        double off = X[i] - d->X0[i];
        square += off * off;
        X_bar[i] -= d->precision * off;
    }
    *value = -0.5 * (trace / d->variance + (double)d->M * log_dets + d->precision * square);
    return isfinite(*value) ? RM2_OK : RM2_ERR_NUMERIC;
}
