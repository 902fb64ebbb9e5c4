/* The bounds' values: passes over blocks of rows, and r x r matrices between them. */
#include "gp/inducing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/pool.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "math/special.h"

/* ---- object --------------------------------------------------------------------------------- */

enum { MOST_KEPT = 1 << 26 }; /* entries of V that are kept: 512 MB */
enum { ROWS_PER_INPUT = 64 }; /* rows for which the r x r matrices of two sides are worth it */

static void lay_out_side(const rm2i_inducing *in, rm2i_side *s, rm2i_arena *a) {
    size_t r = in->r;
    s->order = rm2i_reserve(a, size_t, r);
    s->at = rm2i_reserve(a, double, r);
    s->Z = rm2i_reserve(a, double, r, in->Q);
    s->L = rm2i_reserve(a, double, r, r);
    s->turn = rm2i_reserve(a, double, r, r);
    s->A = rm2i_reserve(a, double, r, r);
    s->P = rm2i_reserve(a, double, r, r);
    s->u = rm2i_reserve(a, double, in->M, r);
    s->H = rm2i_reserve(a, double, in->M, r);
}

/* Square matrices are first: where they are modulo 16 bytes then depends on r, Q and M alone. Sums of some kernels of
 * OpenBLAS (Prescott, Barcelona) depend on that, and bits must not depend on threads, processes or what is kept. */
static void lay_out(void *inducing, rm2i_arena *a) {
    rm2i_inducing *in = inducing;
    size_t N = in->N, M = in->M, r = in->r;
    in->Kuu = rm2i_reserve(a, double, r, r);
    in->L = rm2i_reserve(a, double, r, r);
    in->A = rm2i_reserve(a, double, r, r);
    in->B = rm2i_reserve(a, double, r, r);
    in->Z = rm2i_reserve(a, double, r, in->Q);
    in->u = rm2i_reserve(a, double, M, r);
    in->U = rm2i_reserve(a, double, M, r);
    for (size_t k = 0; in->local && k < RM2I_SIDES; k++)
        lay_out_side(in, &in->near[k], a);
    in->gram_work =
        rm2i_reserve(a, double, in->derivatives ? rm2i_latent_backward_work(in->Q, r) : 0);
    in->joined = rm2i_reserve(a, double, in->local ? r : 0, in->Q);
    in->index = rm2i_reserve(a, size_t, r);
    in->V = in->kept ? rm2i_reserve(a, double, N, r) : NULL;
    in->part = rm2i_inducing_part_size(in);
    in->parts = rm2i_reserve(a, double, in->workers, in->part);
    in->trees = rm2i_reserve(a, rm2i_tree, in->workers);
    in->row = rm2i_reserve(a, size_t, in->local ? N : 0);
    in->gathered = rm2i_reserve(a, double, rm2i_rows_shared(in->rows) ? 2 : 0, r, in->Q);
}

rm2_status rm2i_inducing_create(rm2_context *ctx, const rm2i_inducing_shape *shape,
                                rm2i_inducing **inducing) {
    rm2i_inducing *in;
    *inducing = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *in, &in));
    in->N = shape->N;
    in->M = in->counted = shape->M;
    in->Q = shape->Q;
    in->r = shape->r;
    in->derivatives = shape->derivatives;
    in->rows = shape->rows;
    in->all = rm2i_rows_all(in->rows, in->N);
    in->kept = !shape->recompute && in->r <= MOST_KEPT / in->all;
    in->local = in->derivatives && in->all / ROWS_PER_INPUT >= in->r;
    in->ctx = ctx;
    in->workers = rm2i_workers(ctx, SIZE_MAX);
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

static void find_inputs(rm2i_inducing *in, const double *X) {
    rm2i_rows_pick_all(in->rows, &(rm2i_few){in->r, in->index}, in->Q, X, in->gathered, in->Z);
}

void rm2i_inducing_release(rm2i_inducing *in, const double *X) {
    find_inputs(in, X);
    in->index = NULL;
}

rm2_status rm2i_inducing_renew(rm2_context *ctx, const rm2i_inducing_request *request, size_t M,
                               rm2i_inducing **inducing) {
    rm2i_inducing_shape shape = {
        .N = request->N, .M = M, .Q = request->kernel->dim, .rows = request->rows};
    size_t N = rm2i_rows_all(request->rows, request->N),
           most = request->most < N ? request->most : N;
    size_t *index;
    double left;
    RM2_TRY(rm2i_rows_alloc(ctx, request->rows, most, sizeof *index, &index));
    rm2_status status = rm2i_inducing_choose(ctx, request, index, &shape.r, &left);
    shape.index = index;
    shape.derivatives = true;
    if (status == RM2_OK) {
        rm2i_inducing_free(*inducing); /* first: the new one's arrays take its place */
        status = rm2i_rows_agree(ctx, request->rows, rm2i_inducing_create(ctx, &shape, inducing));
    }
    if (status == RM2_OK)
        (*inducing)->chosen = left;
    free(index);
    return status;
}

/* ---- passes over the rows ------------------------------------------------------------------- */

/* The columns of K that a block has. */
static void fill_K(const rm2i_row_pass *pass, const rm2i_row_block *b, double *K) {
    const double *Z = b->side->Z + b->begin * pass->in->Q;
    rm2i_latent_rows(pass->kernel, b->count, b->X, b->columns, Z, K);
}

/* K, and the columns of V that a block has. */
static void fill_V(const rm2i_row_pass *pass, const rm2i_row_block *b, double *K, double *V) {
    size_t r = pass->in->r, columns = b->columns, beyond = b->beyond;
    fill_K(pass, b, K);
    for (size_t i = 0; i < b->count; i++) {
        memcpy(V + i * beyond, K + i * columns, columns * sizeof *V);
        memset(V + i * beyond + columns, 0, (beyond - columns) * sizeof *V);
    }
    rm2i_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, (int)beyond,
               (int)b->count, 1, b->side->L + b->begin * (r + 1), (int)r, V, (int)beyond);
}

const double *rm2i_inducing_V(const rm2i_row_pass *pass, const rm2i_row_block *b,
                              const rm2i_part *own) {
    const rm2i_inducing *in = pass->in;
    if (in->kept)
        return in->V + b->first * in->r;
    fill_V(pass, b, own->K, own->V);
    return own->V;
}

const double *rm2i_inducing_K(const rm2i_row_pass *pass, const rm2i_row_block *b,
                              const rm2i_part *own) {
    if (pass->in->kept)
        fill_K(pass, b, own->K);
    return own->K;
}

/* A += V V^T, (V F)^T += F^T V^T of the block's side, t += k(x, x) - |v|^2. */
static void forward(const rm2i_row_pass *pass, size_t first, size_t count, const rm2i_part *own) {
    const rm2i_inducing *in = pass->in;
    const rm2i_row_block b = rm2i_block_of(pass, first, count, own);
    size_t r = in->r, stride;
    const double *F = rm2i_block_outputs(pass, &b, own, &stride);
    int R = (int)r, n = (int)count, M = (int)in->M, v = (int)b.beyond;
    double *V = in->kept ? in->V + first * r : own->V;
    double *A = own->square + b.number * r * r + b.begin * (r + 1);
    double *VF = own->sums + in->sides * rm2i_triangle(r), *t = VF + in->sides * in->M * r;
    fill_V(pass, &b, own->K, V);
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, v, n, 1, V, v, 1, A, R);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, v, n, 1, F, (int)stride, V, v, 1,
               VF + b.number * in->M * r + b.begin, R);
    for (size_t i = 0; i < count; i++)
        *t += rm2i_latent_variance_at(pass->kernel, b.X + i * in->Q) -
              rm2i_dot(b.beyond, V + i * b.beyond, V + i * b.beyond);
}

/* Columns of R^T = F^T - u^T V; R^T R is summed. */
static void residual(const rm2i_row_pass *pass, size_t first, size_t count, const rm2i_part *own) {
    const rm2i_inducing *in = pass->in;
    const rm2i_row_block b = rm2i_block_of(pass, first, count, own);
    size_t stride;
    const double *F = rm2i_block_outputs(pass, &b, own, &stride);
    int R = (int)in->r, n = (int)count, M = (int)in->M, N = (int)in->N, v = (int)b.beyond;
    double *Y = in->Y + first;
    for (size_t m = 0; m < in->M; m++)
        memcpy(Y + m * in->N, F + m * stride, count * sizeof *Y);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, n, v, -1, b.side->u + b.begin, R,
               rm2i_inducing_V(pass, &b, own), v, 1, Y, N);
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, M, n, 1, Y, N, 1, own->square, M);
}

/* Columns of Lf^-1 R^T; their squares are summed. */
static void whitened(const rm2i_row_pass *pass, size_t first, size_t count, const rm2i_part *own) {
    const rm2i_inducing *in = pass->in;
    int n = (int)count, M = (int)in->M, N = (int)in->N;
    double *Y = in->Y + first;
    if (pass->Lf)
        rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, M, n, 1,
                   pass->Lf, M, Y, N);
    for (size_t m = 0; m < in->M; m++)
        *own->sums += rm2i_dot(count, Y + m * in->N, Y + m * in->N);
}

/* ---- r x r ---------------------------------------------------------------------------------- */

/* B and u from A and V F. */
static rm2_status solve_small(rm2i_inducing *in, const double *VF, double noise) {
    size_t r = in->r, M = in->M;
    double jitter;
    RM2_TRY(rm2i_factor(in->ctx, r, in->A, noise, in->B, &jitter));
    memcpy(in->u, VF, M * r * sizeof *in->u);
    rm2i_factor_solve(in->ctx, r, in->B, M, in->u);
    in->noise = noise;
    in->log_det = (double)(in->all - r) * log(noise) + rm2i_factor_log_det(r, in->B);
    return RM2_OK;
}

/* B, u, R and S at a noise, once A and V F are there. */
static rm2_status solve_noise(const rm2i_row_pass *pass, const double *VF, double noise) {
    rm2i_inducing *in = pass->in;
    size_t r = in->r, M = in->M;
    RM2_TRY(solve_small(in, VF, noise));
    rm2i_sides_turn_means(in);
    rm2i_unpack_triangle(M, rm2i_inducing_rows(pass, &(rm2i_row_sums){residual, 1, M, 0}), in->S);
    /* S = R^T R/s2 + u^T u */
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)M, (int)r, 1, in->u, (int)r, 1 / noise,
               in->S, (int)M);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < i; j++)
            in->S[j * M + i] = in->S[i * M + j];
    return RM2_OK;
}

/* Z, Kuu and its factor. */
static rm2_status factor_inputs(rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                                const double *X) {
    if (in->index)
        find_inputs(in, X);
    rm2i_latent_gram(in->ctx, kernel, in->r, in->Z, in->Kuu);
    return rm2i_factor(in->ctx, in->r, in->Kuu, 0, in->L, &in->jitter);
}

rm2_status rm2i_inducing_factor(rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                                const double *X) {
    RM2_TRY(factor_inputs(in, kernel, X));
    rm2i_sides_whole(in);
    return RM2_OK;
}

size_t rm2i_inducing_sums_count(size_t r, size_t M) {
    return rm2i_triangle(r) + M * r + 1;
}

/* Of every side A, then V F, then t; once Kuu is factored and the sides are chosen. */
static const double *sum_rows(const rm2i_row_pass *pass) {
    const rm2i_inducing *in = pass->in;
    size_t others = in->sides * in->M * in->r + 1;
    return rm2i_inducing_rows(pass, &(rm2i_row_sums){forward, in->sides, in->r, others});
}

rm2_status rm2i_inducing_solve(rm2i_inducing *in, const rm2i_latent_kernel *kernel, const double *X,
                               double noise, const double *F) {
    rm2i_row_pass pass = {.in = in, .kernel = kernel, .X = X, .F = F};
    RM2_TRY(factor_inputs(in, kernel, X));
    rm2i_sides_choose(&pass);
    rm2i_sides_join(in, sum_rows(&pass)); /* V F in U, until value takes it */
    return solve_noise(&pass, in->U, noise);
}

rm2_status rm2i_inducing_sum(rm2i_inducing *in, const rm2i_latent_kernel *kernel, const double *X,
                             const double *F, double *sums) {
    rm2i_row_pass pass = {.in = in, .kernel = kernel, .X = X, .F = F};
    RM2_TRY(rm2i_inducing_factor(in, kernel, X));
    const double *found = sum_rows(&pass);
    if (sums)
        memcpy(sums, found, rm2i_inducing_sums_count(in->r, in->M) * sizeof *sums);
    return RM2_OK;
}

rm2_status rm2i_inducing_solve_sums(rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                                    const double *X, double noise, const double *sums) {
    RM2_TRY(rm2i_inducing_factor(in, kernel, X));
    rm2i_sides_join(in, sums);
    return solve_small(in, in->U, noise);
}

/* tr(Kf^-1 S) = |Lf^-1 R^T|^2/s2 + |Lf^-1 u^T|^2; Y and U are divided by Lf. */
static double whiten(rm2i_inducing *in, const double *Lf) {
    const rm2i_row_pass pass = {.in = in, .Lf = Lf};
    int M = (int)in->M, R = (int)in->r;
    memcpy(in->U, in->u, in->M * in->r * sizeof *in->U);
    if (Lf)
        rm2i_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, M, R, 1, Lf, M,
                   in->U, R);
    in->square = *rm2i_inducing_rows(&pass, &(rm2i_row_sums){whitened, 0, 0, 1});
    return in->square / in->noise + rm2i_dot(in->r * in->M, in->U, in->U);
}

/* -1/2 (square + M log|Q + s2 I| + N log|Kf| + N M log 2 pi) */
static double log_density(const rm2i_inducing *in, double square, double log_det,
                          const double *Lf) {
    double N = (double)in->all, M = (double)in->M, counted = (double)in->counted;
    double task = Lf ? rm2i_factor_log_det(in->M, Lf) : 0;
    return -0.5 * (square + counted * log_det + N * task + N * M * RM2I_LOG_2PI);
}

double rm2i_inducing_value(rm2i_inducing *in, const double *Lf, double *trace) {
    double square = whiten(in, Lf);
    if (trace)
        *trace = square;
    return log_density(in, square, in->log_det, Lf) -
           0.5 * (double)in->counted * in->trace / in->noise;
}

/* ---- certificate ---------------------------------------------------------------------------- */

static const double MOST_BOUNDS = 2000; /* inducing points */
static const double MOST_STEPS = 2e11;  /* of the work N r^2: minutes at most */

static size_t most_for_bounds(size_t N) {
    return (size_t)fmin(MOST_BOUNDS, sqrt(MOST_STEPS / (double)N) + 1);
}

/* What the bounds need beyond the inducing points. */
typedef struct bounds_scratch {
    const rm2i_inducing_data *data;
    size_t count;
    double *Y, *S, *VF, *memory; /* M x N, M x M, M x count */
} bounds_scratch;

static void lay_out_bounds(void *scratch, rm2i_arena *a) {
    bounds_scratch *s = scratch;
    s->Y = rm2i_reserve(a, double, s->data->M, s->data->N);
    s->S = rm2i_reserve(a, double, s->data->M, s->data->M);
    s->VF = rm2i_reserve(a, double, s->data->M, s->count);
}

/* lower, and upper from S at s2 + t. */
static rm2_status both(rm2i_inducing *in, const bounds_scratch *s, rm2i_bounds *bounds) {
    const rm2i_inducing_data *d = s->data;
    const rm2i_row_pass pass = {.in = in, .kernel = d->kernel, .X = d->X, .F = d->F};
    in->Y = s->Y;
    in->S = s->S;
    RM2_TRY(rm2i_inducing_solve(in, d->kernel, d->X, d->noise, d->F));
    memcpy(s->VF, in->U, in->M * in->r * sizeof *s->VF);
    double log_det = in->log_det, t = fmax(in->trace, 0);
    bounds->lower = rm2i_inducing_value(in, d->Lf, NULL);
    RM2_TRY(solve_noise(&pass, s->VF, d->noise + t));
    bounds->upper = log_density(in, whiten(in, d->Lf), log_det, d->Lf);
    return RM2_OK;
}

rm2_status rm2i_inducing_bounds(rm2_context *ctx, const rm2i_inducing_data *data, double enough,
                                rm2i_bounds *bounds) {
    size_t N = rm2i_rows_all(data->rows, data->N);
    const rm2i_inducing_request request = {.kernel = data->kernel,
                                           .N = data->N,
                                           .X = data->X,
                                           .enough = enough,
                                           .most = most_for_bounds(N),
                                           .rows = data->rows,
                                           .considered = data->considered};
    bounds_scratch scratch = {.data = data};
    size_t *index;
    double left;
    rm2i_inducing *in = NULL;
    RM2_TRY(rm2i_rows_alloc(ctx, data->rows, request.most, sizeof *index, &index));
    rm2_status status = rm2i_inducing_choose_for_all(ctx, &request, index, &bounds->count, &left);
    const rm2i_inducing_shape shape = {.N = data->N,
                                       .M = data->M,
                                       .Q = data->kernel->dim,
                                       .r = bounds->count,
                                       .index = index,
                                       .rows = data->rows};
    scratch.count = bounds->count;
    if (status == RM2_OK)
        status = rm2i_inducing_create(ctx, &shape, &in);
    if (status == RM2_OK)
        status = rm2i_arena_alloc(ctx, lay_out_bounds, &scratch, &scratch.memory);
    status = rm2i_rows_agree(ctx, data->rows, status);
    if (status == RM2_OK)
        status = both(in, &scratch, bounds);
    free(scratch.memory);
    rm2i_inducing_free(in);
    free(index);
    return status;
}
