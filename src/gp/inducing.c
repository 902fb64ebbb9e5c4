/* The bounds' values: passes over blocks of rows, and r x r matrices between them. */
#include "gp/inducing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cblas.h>
#include <omp.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/special.h"

/* ---- object --------------------------------------------------------------------------------- */

static void lay_out_part(rm2i_part *p, const rm2i_inducing *in, rm2i_arena *a) {
    size_t r = in->r, M = in->M, Q = in->Q;
    rm2i_arena forward = *a, residual = *a, backward = *a;
    p->A = rm2i_take(&forward, double, r, r);
    p->VF = rm2i_take(&forward, double, M, r);
    p->t = rm2i_take(&forward, double, 1);
    p->forward = forward.used - a->used;
    p->RR = rm2i_take(&residual, double, M, M);
    p->residual = residual.used - a->used;
    p->Z_bar = rm2i_take(&backward, double, r, Q);
    p->l_bar = rm2i_take(&backward, double, Q);
    p->s_bar = rm2i_take(&backward, double, 1);
    p->backward = backward.used - a->used;
    p->K_bar = rm2i_take(&backward, double, RM2I_ROWS, r);
    *a = rm2i_arena_longer(forward, rm2i_arena_longer(residual, backward));
}

rm2i_part rm2i_inducing_part(const rm2i_inducing *in, int thread) {
    rm2i_part part;
    lay_out_part(&part, in, &(rm2i_arena){in->parts, (size_t)thread * in->part});
    return part;
}

static void lay_out(void *inducing, rm2i_arena *a) {
    rm2i_inducing *in = inducing;
    size_t N = in->N, M = in->M, r = in->r;
    rm2i_arena one = {NULL, 0};
    lay_out_part(&(rm2i_part){0}, in, &one);
    in->part = one.used;
    in->V = rm2i_take(a, double, N, r);
    in->K = in->derivatives ? rm2i_take(a, double, N, r) : in->V;
    in->Z = rm2i_take(a, double, r, in->Q);
    in->Kuu = rm2i_take(a, double, r, r);
    in->L = rm2i_take(a, double, r, r);
    in->A = rm2i_take(a, double, r, r);
    in->B = rm2i_take(a, double, r, r);
    in->u = rm2i_take(a, double, M, r);
    in->U = rm2i_take(a, double, M, r);
    in->parts = rm2i_take(a, double, (size_t)in->threads, in->part);
    in->gram_work = rm2i_take(
        a, double, in->derivatives ? rm2i_latent_backward_work(in->Q, r, in->threads) : 0);
    in->index = rm2i_take(a, size_t, r);
}

rm2_status rm2i_inducing_create(rm2_context *ctx, const rm2i_inducing_shape *shape,
                                rm2i_inducing **inducing) {
    rm2i_inducing *in;
    *inducing = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *in, &in));
    in->N = shape->N;
    in->M = shape->M;
    in->Q = shape->Q;
    in->r = shape->r;
    in->derivatives = shape->derivatives;
    in->threads = rm2_context_threads(ctx);
    rm2_status status = rm2i_arena_calloc(ctx, lay_out, in, &in->memory);
    if (status != RM2_OK) {
        rm2i_inducing_free(in);
        return status;
    }
    if (shape->index)
        memcpy(in->index, shape->index, shape->r * sizeof *in->index);
    else
        in->index = NULL;
    *inducing = in;
    return RM2_OK;
}

void rm2i_inducing_free(rm2i_inducing *in) {
    if (!in)
        return;
    free(in->memory);
    free(in);
}

void rm2i_inducing_gather(size_t r, const size_t *index, size_t Q, const double *X, double *Z) {
    for (size_t j = 0; j < r; j++)
        memcpy(Z + j * Q, X + index[j] * Q, Q * sizeof *Z);
}

void rm2i_inducing_release(rm2i_inducing *in, const double *X) {
    rm2i_inducing_gather(in->r, in->index, in->Q, X, in->Z);
    in->index = NULL;
}

rm2_status rm2i_inducing_renew(rm2_context *ctx, const rm2i_inducing_request *request, size_t M,
                               rm2i_inducing **inducing) {
    rm2i_inducing_shape shape = {.N = request->N, .M = M, .Q = request->kernel->dim};
    size_t *index, most = request->most < request->N ? request->most : request->N;
    double left;
    RM2_TRY(rm2i_alloc(ctx, most, sizeof *index, &index));
    rm2_status status = rm2i_inducing_choose(ctx, request, index, &shape.r, &left);
    shape.index = index;
    shape.derivatives = true;
    if (status == RM2_OK) {
        rm2i_inducing_free(*inducing); /* first: the new one's arrays take its place */
        status = rm2i_inducing_create(ctx, &shape, inducing);
    }
    if (status == RM2_OK)
        (*inducing)->chosen = left;
    free(index);
    return status;
}

/* ---- passes over the rows ------------------------------------------------------------------- */

rm2i_part rm2i_inducing_rows(const rm2i_rows *rows, rm2i_rows_fn fn, size_t summed) {
    const rm2i_inducing *in = rows->in;
    size_t blocks = (in->N + RM2I_ROWS - 1) / RM2I_ROWS;
    int threads = blocks > 1 ? in->threads : 1;
    memset(in->parts, 0, (size_t)threads * in->part * sizeof *in->parts);
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
        const rm2i_part own = rm2i_inducing_part(in, omp_get_thread_num());
#pragma omp for schedule(static)
        for (size_t b = 0; b < blocks; b++) {
            size_t first = b * RM2I_ROWS, left = in->N - first;
            fn(rows, first, left < RM2I_ROWS ? left : RM2I_ROWS, &own);
        }
    }
    for (int t = 1; t < threads; t++)
        rm2i_axpy(summed, 1, in->parts + (size_t)t * in->part, in->parts);
    return rm2i_inducing_part(in, 0);
}

/* Rows of K and V; own: A += V V^T, (V F)^T += F^T V^T, t += k(x, x) - |v|^2. */
static void forward(const rm2i_rows *rows, size_t first, size_t count, const rm2i_part *own) {
    const rm2i_inducing *in = rows->in;
    size_t r = in->r;
    int R = (int)r, n = (int)count, M = (int)in->M, N = (int)in->N;
    double *K = in->K + first * r, *V = in->V + first * r;
    rm2i_latent_rows(rows->kernel, count, rows->X + first * in->Q, r, in->Z, K);
    if (K != V)
        memcpy(V, K, count * r * sizeof *V);
    rm2i_factor_half_solve(r, in->L, count, V);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, R, n, 1, V, R, 1, own->A, R);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, R, n, 1, rows->F + first, N, V, R, 1,
                own->VF, R);
    for (size_t i = 0; i < count; i++)
        *own->t += rows->kernel->variance - rm2i_dot(r, V + i * r, V + i * r);
}

/* Columns of R^T = F^T - u^T V; own += R^T R. */
static void residual(const rm2i_rows *rows, size_t first, size_t count, const rm2i_part *own) {
    const rm2i_inducing *in = rows->in;
    int R = (int)in->r, n = (int)count, M = (int)in->M, N = (int)in->N;
    double *Y = in->Y + first;
    for (size_t m = 0; m < in->M; m++)
        memcpy(Y + m * in->N, rows->F + m * in->N + first, count * sizeof *Y);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, n, R, -1, in->u, R,
                in->V + first * in->r, R, 1, Y, N);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, M, n, 1, Y, N, 1, own->RR, M);
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
    rm2i_part sums = rm2i_inducing_rows(rows, residual, rm2i_inducing_part(in, 0).residual);
    /* S = R^T R/s2 + u^T u */
    memcpy(in->S, sums.RR, M * M * sizeof *in->S);
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
    size_t r = in->r;
    if (in->index)
        rm2i_inducing_gather(r, in->index, in->Q, X, in->Z);
    rm2i_latent_gram(kernel, r, in->Z, in->threads, in->Kuu);
    RM2_TRY(rm2i_factor(r, in->Kuu, 0, in->L, &in->jitter));
    rm2i_part sums = rm2i_inducing_rows(&rows, forward, rm2i_inducing_part(in, 0).forward);
    memcpy(in->A, sums.A, r * r * sizeof *in->A);
    memcpy(in->U, sums.VF, in->M * r * sizeof *in->U); /* V F, until value takes U */
    in->trace = *sums.t;
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

/* What the bounds need beyond the inducing points. */
typedef struct bounds_scratch {
    const rm2i_inducing_data *data;
    size_t count;
    double *Y, *S, *VF, *memory; /* M x N, M x M, M x count */
} bounds_scratch;

static void lay_out_bounds(void *scratch, rm2i_arena *a) {
    bounds_scratch *s = scratch;
    s->Y = rm2i_take(a, double, s->data->M, s->data->N);
    s->S = rm2i_take(a, double, s->data->M, s->data->M);
    s->VF = rm2i_take(a, double, s->data->M, s->count);
}

/* lower, and upper from S at s2 + t. */
static rm2_status both(rm2i_inducing *in, const bounds_scratch *s, rm2i_bounds *bounds) {
    const rm2i_inducing_data *d = s->data;
    const rm2i_rows rows = {.in = in, .kernel = d->kernel, .X = d->X, .F = d->F};
    in->Y = s->Y;
    in->S = s->S;
    RM2_TRY(rm2i_inducing_solve(in, d->kernel, d->X, d->noise, d->F));
    memcpy(s->VF, in->U, in->M * in->r * sizeof *s->VF);
    double log_det = in->log_det, t = fmax(in->trace, 0);
    bounds->lower = rm2i_inducing_value(in, d->Lf, NULL);
    RM2_TRY(solve_noise(&rows, s->VF, d->noise + t));
    bounds->upper = log_density(in, whiten(in, d->Lf), log_det, d->Lf);
    return RM2_OK;
}

rm2_status rm2i_inducing_bounds(rm2_context *ctx, const rm2i_inducing_data *data, double enough,
                                rm2i_bounds *bounds) {
    const rm2i_inducing_request request = {data->kernel, data->N, data->X, enough,
                                           most_for_bounds(data->N)};
    size_t *index;
    double left;
    bounds_scratch scratch = {.data = data};
    rm2i_inducing *in = NULL;
    RM2_TRY(rm2i_alloc(ctx, request.most, sizeof *index, &index));
    rm2_status status = rm2i_inducing_choose(ctx, &request, index, &bounds->count, &left);
    const rm2i_inducing_shape shape = {data->N,       data->M, data->kernel->dim,
                                       bounds->count, index,   false};
    scratch.count = bounds->count;
    if (status == RM2_OK)
        status = rm2i_inducing_create(ctx, &shape, &in);
    if (status == RM2_OK)
        status = rm2i_arena_alloc(ctx, lay_out_bounds, &scratch, &scratch.memory);
    if (status == RM2_OK)
        status = both(in, &scratch, bounds);
    free(scratch.memory);
    rm2i_inducing_free(in);
    free(index);
    return status;
}
