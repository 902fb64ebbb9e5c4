/* The bounds' values: passes over blocks of rows, and r x r matrices between them. */
#include "gp/inducing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>
#include <omp.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/special.h"

/* ---- object --------------------------------------------------------------------------------- */

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* A, V F and t; or R^T R; or the derivatives by Z, lengthscales and variance, with a block of Kun_bar and
 * as much again for the Gram matrix's. */
size_t rm2i_inducing_part(const rm2i_inducing *in) {
    size_t r = in->r, sums = larger(r * r + in->M * r + 1, in->M * in->M);
    return larger(sums, 2 * (r * in->Q + in->Q + 1) + RM2I_ROWS * r);
}

static rm2_status allocate(rm2_context *ctx, rm2i_inducing *in, bool derivatives) {
    size_t N = in->N, M = in->M, r = in->r, parts = (size_t)in->threads * rm2i_inducing_part(in);
    size_t rows = N * r * (derivatives ? 2 : 1);
    RM2_TRY(rm2i_calloc(ctx, rows + r * in->Q + 4 * r * r + 2 * M * r + parts, sizeof *in->memory,
                        &in->memory));
    double *m = in->memory;
    in->V = rm2i_cut(&m, N * r);
    in->K = derivatives ? rm2i_cut(&m, N * r) : in->V;
    in->Z = rm2i_cut(&m, r * in->Q);
    in->Kuu = rm2i_cut(&m, r * r);
    in->L = rm2i_cut(&m, r * r);
    in->A = rm2i_cut(&m, r * r);
    in->B = rm2i_cut(&m, r * r);
    in->u = rm2i_cut(&m, M * r);
    in->U = rm2i_cut(&m, M * r);
    in->parts = m;
    return RM2_OK;
}

rm2_status rm2i_inducing_create(rm2_context *ctx, size_t N, size_t M, size_t Q, size_t r,
                                const size_t *index, bool derivatives, rm2i_inducing **inducing) {
    rm2i_inducing *in;
    *inducing = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *in, &in));
    in->N = N;
    in->M = M;
    in->Q = Q;
    in->r = r;
    in->threads = rm2_context_threads(ctx);
    rm2_status status = allocate(ctx, in, derivatives);
    if (status == RM2_OK && index)
        status = rm2i_alloc(ctx, r, sizeof *in->index, &in->index);
    if (status != RM2_OK) {
        rm2i_inducing_free(in);
        return status;
    }
    if (index)
        memcpy(in->index, index, r * sizeof *index);
    *inducing = in;
    return RM2_OK;
}

void rm2i_inducing_free(rm2i_inducing *in) {
    if (!in)
        return;
    free(in->index);
    free(in->memory);
    free(in);
}

void rm2i_inducing_gather(size_t r, const size_t *index, size_t Q, const double *X, double *Z) {
    for (size_t j = 0; j < r; j++)
        memcpy(Z + j * Q, X + index[j] * Q, Q * sizeof *Z);
}

void rm2i_inducing_release(rm2i_inducing *in, const double *X) {
    rm2i_inducing_gather(in->r, in->index, in->Q, X, in->Z);
    free(in->index);
    in->index = NULL;
}

rm2_status rm2i_inducing_renew(rm2_context *ctx, const rm2i_latent_kernel *kernel, size_t N,
                               size_t M, const double *X, double enough, size_t most,
                               rm2i_inducing **inducing) {
    size_t *index, count;
    double left;
    most = most < N ? most : N;
    RM2_TRY(rm2i_alloc(ctx, most, sizeof *index, &index));
    rm2_status status = rm2i_inducing_choose(ctx, kernel, N, X, enough, most, index, &count, &left);
    if (status == RM2_OK) {
        rm2i_inducing_free(*inducing); /* first: the new one's arrays take its place */
        status = rm2i_inducing_create(ctx, N, M, kernel->dim, count, index, true, inducing);
    }
    if (status == RM2_OK)
        (*inducing)->chosen = left;
    free(index);
    return status;
}

/* ---- passes over the rows ------------------------------------------------------------------- */

void rm2i_inducing_rows(const rm2i_rows *rows, rm2i_rows_fn fn, size_t size, size_t summed) {
    const rm2i_inducing *in = rows->in;
    size_t blocks = (in->N + RM2I_ROWS - 1) / RM2I_ROWS;
    int threads = blocks > 1 ? in->threads : 1;
    memset(in->parts, 0, (size_t)threads * size * sizeof *in->parts);
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        double *own = in->parts + (size_t)omp_get_thread_num() * size;
#pragma omp for schedule(static)
        for (size_t b = 0; b < blocks; b++) {
            size_t first = b * RM2I_ROWS, left = in->N - first;
            fn(rows, first, left < RM2I_ROWS ? left : RM2I_ROWS, own);
        }
    }
    for (int t = 1; t < threads; t++)
        rm2i_axpy(summed, 1, in->parts + (size_t)t * size, in->parts);
}

/* Rows of K and V; own: A += V V^T, (V F)^T += F^T V^T, t += k(x, x) - |v|^2. */
static void forward(const rm2i_rows *rows, size_t first, size_t count, double *own) {
    const rm2i_inducing *in = rows->in;
    size_t r = in->r;
    int R = (int)r, n = (int)count, M = (int)in->M, N = (int)in->N;
    double *K = in->K + first * r, *V = in->V + first * r, *VF = own + r * r, *t = VF + in->M * r;
    rm2i_latent_rows(rows->kernel, count, rows->X + first * in->Q, r, in->Z, K);
    if (K != V)
        memcpy(V, K, count * r * sizeof *V);
    rm2i_factor_half_solve(r, in->L, count, V);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, R, n, 1, V, R, 1, own, R);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, R, n, 1, rows->F + first, N, V, R, 1,
                VF, R);
    for (size_t i = 0; i < count; i++)
        *t += rows->kernel->variance - rm2i_dot(r, V + i * r, V + i * r);
}

/* Columns of R^T = F^T - u^T V; own += R^T R. */
static void residual(const rm2i_rows *rows, size_t first, size_t count, double *own) {
    const rm2i_inducing *in = rows->in;
    int R = (int)in->r, n = (int)count, M = (int)in->M, N = (int)in->N;
    double *Y = in->Y + first;
    for (size_t m = 0; m < in->M; m++)
        memcpy(Y + m * in->N, rows->F + m * in->N + first, count * sizeof *Y);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, n, R, -1, in->u, R,
                in->V + first * in->r, R, 1, Y, N);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, M, n, 1, Y, N, 1, own, M);
}

/* ---- r x r ---------------------------------------------------------------------------------- */

/* B, u, R and S at a noise, once A and V F are there. */
static rm2_status solve_noise(const rm2i_rows *rows, const double *VF, double noise) {
    rm2i_inducing *in = rows->in;
    size_t r = in->r, M = in->M;
    double jitter;
    RM2_TRY(rm2i_factor(r, in->A, noise, in->B, &jitter));
    memcpy(in->u, VF, M * r * sizeof *in->u);
    rm2i_factor_solve(r, in->B, M, in->u);
    in->noise = noise;
    in->log_det = (double)(in->N - r) * log(noise) + rm2i_factor_log_det(r, in->B);
    rm2i_inducing_rows(rows, residual, rm2i_inducing_part(in), M * M);
    /* S = R^T R/s2 + u^T u */
    memcpy(in->S, in->parts, M * M * sizeof *in->S);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)M, (int)r, 1, in->u, (int)r,
                1 / noise, in->S, (int)M);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < i; j++)
            in->S[j * M + i] = in->S[i * M + j];
    return RM2_OK;
}

rm2_status rm2i_inducing_solve(rm2i_inducing *in, const rm2i_latent_kernel *kernel, const double *X,
                               double noise, const double *F) {
    rm2i_rows rows = {.in = in, .kernel = kernel, .X = X, .F = F};
    size_t r = in->r, sums = r * r + in->M * r + 1;
    if (in->index)
        rm2i_inducing_gather(r, in->index, in->Q, X, in->Z);
    rm2i_latent_gram(kernel, r, in->Z, in->threads, in->Kuu);
    RM2_TRY(rm2i_factor(r, in->Kuu, 0, in->L, &in->jitter));
    rm2i_inducing_rows(&rows, forward, rm2i_inducing_part(in), sums);
    memcpy(in->A, in->parts, r * r * sizeof *in->A);
    memcpy(in->U, in->parts + r * r, in->M * r * sizeof *in->U); /* V F, until value takes U */
    in->trace = in->parts[sums - 1];
    return solve_noise(&rows, in->U, noise);
}

/* tr(Kf^-1 S) = |Lf^-1 R^T|^2/s2 + |Lf^-1 u^T|^2; Y and U are divided by Lf. */
static double whiten(rm2i_inducing *in, const double *Lf) {
    int N = (int)in->N, M = (int)in->M, R = (int)in->r;
    memcpy(in->U, in->u, in->M * in->r * sizeof *in->U);
    if (Lf) {
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, M, N, 1, Lf,
                    M, in->Y, N);
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, M, R, 1, Lf,
                    M, in->U, R);
    }
    return cblas_ddot(N * M, in->Y, 1, in->Y, 1) / in->noise +
           cblas_ddot(R * M, in->U, 1, in->U, 1);
}

/* -1/2 (square + M log|Q + s2 I| + N log|Kf| + N M log 2 pi) */
static double log_density(const rm2i_inducing *in, double square, double log_det,
                          const double *Lf) {
    double N = (double)in->N, M = (double)in->M;
    double task = Lf ? rm2i_factor_log_det(in->M, Lf) : 0;
    return -0.5 * (square + M * log_det + N * task + N * M * RM2I_LOG_2PI);
}

double rm2i_inducing_value(rm2i_inducing *in, const double *Lf, double *trace) {
    double square = whiten(in, Lf);
    if (trace)
        *trace = square;
    return log_density(in, square, in->log_det, Lf) - 0.5 * (double)in->M * in->trace / in->noise;
}

/* ---- certificate ---------------------------------------------------------------------------- */

enum { MOST_BOUNDS = 2000, MOST_NUMBERS = 100000000 }; /* points; entries of V: 0.8 GB */

static size_t most_for_bounds(size_t N) {
    size_t most = MOST_NUMBERS / N + 1;
    return most < MOST_BOUNDS ? most : MOST_BOUNDS;
}

/* lower, and upper from S at s2 + t. */
static rm2_status both(const rm2i_rows *rows, double noise, const double *Lf, double *VF,
                       rm2i_bounds *bounds) {
    rm2i_inducing *in = rows->in;
    RM2_TRY(rm2i_inducing_solve(in, rows->kernel, rows->X, noise, rows->F));
    memcpy(VF, in->U, in->M * in->r * sizeof *VF);
    double log_det = in->log_det, t = fmax(in->trace, 0);
    bounds->lower = rm2i_inducing_value(in, Lf, NULL);
    RM2_TRY(solve_noise(rows, VF, noise + t));
    bounds->upper = log_density(in, whiten(in, Lf), log_det, Lf);
    return RM2_OK;
}

rm2_status rm2i_inducing_bounds(rm2_context *ctx, const rm2i_latent_kernel *kernel, size_t N,
                                size_t M, const double *X, const double *F, double noise,
                                const double *Lf, double enough, rm2i_bounds *bounds) {
    size_t most = most_for_bounds(N), *index;
    double left, *scratch = NULL;
    rm2i_inducing *in = NULL;
    RM2_TRY(rm2i_alloc(ctx, most, sizeof *index, &index));
    rm2_status status =
        rm2i_inducing_choose(ctx, kernel, N, X, enough, most, index, &bounds->count, &left);
    if (status == RM2_OK)
        status = rm2i_inducing_create(ctx, N, M, kernel->dim, bounds->count, index, false, &in);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, M * (N + M + bounds->count), sizeof *scratch, &scratch);
    if (status == RM2_OK) {
        rm2i_rows rows = {.in = in, .kernel = kernel, .X = X, .F = F};
        in->Y = scratch;
        in->S = in->Y + M * N;
        status = both(&rows, noise, Lf, in->S + M * M, bounds);
    }
    free(scratch);
    rm2i_inducing_free(in);
    free(index);
    return status;
}
