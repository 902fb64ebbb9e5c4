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

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

static size_t triangle(size_t n) {
    return n * (n + 1) / 2;
}

size_t rm2i_inducing_backward_sums(const rm2i_inducing *in) {
    return (in->r + 1) * in->Q + 3; /* by Z, lengthscales, variance, linear part; and |X|^2 */
}

/* Numbers of the longest pass: A, V F, t; or R^T R; or derivatives. */
static size_t most_sums(const rm2i_inducing *in) {
    size_t forward = triangle(in->r) + in->M * in->r + 1;
    return larger(forward, larger(triangle(in->M), rm2i_inducing_backward_sums(in)));
}

/* Rows of a unit where none are given. */
static size_t even_rows(const rm2i_inducing *in) {
    return (rm2i_unit_rows(in->N) + RM2I_ROWS - 1) / RM2I_ROWS * RM2I_ROWS;
}

static rm2i_ranges units_of(const rm2i_inducing *in) {
    size_t count = (in->N + even_rows(in) - 1) / even_rows(in);
    return in->units ? *in->units : (rm2i_ranges){count, 0, count, NULL};
}

/* Where unit u begins; for the one behind the last, N. */
static size_t unit_start(const rm2i_inducing *in, size_t u) {
    size_t even = u * even_rows(in);
    return in->units ? in->units->first[u] : even < in->N ? even : in->N;
}

static void lay_out_part(rm2i_part *p, const rm2i_inducing *in, rm2i_arena *a) {
    size_t r = in->r, order = larger(r, in->M);
    p->square = rm2i_take(a, double, order, order);
    p->nodes = rm2i_take(a, double, rm2i_tree_most(units_of(in).terms), most_sums(in));
    p->K = rm2i_take(a, double, in->kept ? 0 : RM2I_ROWS, r);
    p->V = rm2i_take(a, double, in->kept ? 0 : RM2I_ROWS, r);
    p->K_bar = rm2i_take(a, double, in->derivatives ? RM2I_ROWS : 0, r);
    p->sums = NULL;
}

static rm2i_part part_of(const rm2i_inducing *in, int thread) {
    rm2i_part part;
    lay_out_part(&part, in, &(rm2i_arena){in->parts, (size_t)thread * in->part});
    return part;
}

enum { MOST_KEPT = 1 << 24 }; /* entries of V that are kept: 128 MB */

static void lay_out(void *inducing, rm2i_arena *a) {
    rm2i_inducing *in = inducing;
    size_t N = in->N, M = in->M, r = in->r;
    rm2i_arena one = {NULL, 0};
    in->V = in->kept ? rm2i_take(a, double, N, r) : NULL;
    in->K = in->kept && in->derivatives ? rm2i_take(a, double, N, r) : in->V;
    in->Z = rm2i_take(a, double, r, in->Q);
    in->Kuu = rm2i_take(a, double, r, r);
    in->L = rm2i_take(a, double, r, r);
    in->A = rm2i_take(a, double, r, r);
    in->B = rm2i_take(a, double, r, r);
    in->u = rm2i_take(a, double, M, r);
    in->U = rm2i_take(a, double, M, r);
    lay_out_part(&(rm2i_part){0}, in, &one);
    in->part = one.used;
    in->parts = rm2i_take(a, double, (size_t)in->threads, in->part);
    in->gram_work = rm2i_take(
        a, double, in->derivatives ? rm2i_latent_backward_work(in->Q, r, in->threads) : 0);
    in->trees = rm2i_take(a, rm2i_tree, (size_t)in->threads);
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
    in->units = shape->units;
    in->kept = !shape->recompute && in->r <= MOST_KEPT / in->N;
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
    rm2i_inducing_shape shape = {
        .N = request->N, .M = M, .Q = request->kernel->dim, .units = request->units};
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

/* The lower triangle of a square matrix, packed. */
static void pack_triangle(size_t n, const double *A, double *packed) {
    for (size_t i = 0; i < n; packed += i + 1, i++)
        memcpy(packed, A + i * n, (i + 1) * sizeof *A);
}

static void unpack_triangle(size_t n, const double *packed, double *A) {
    for (size_t i = 0; i < n; packed += i + 1, i++)
        memcpy(A + i * n, packed, (i + 1) * sizeof *A);
}

/* The sums of unit u, in own->sums. */
static void sum_unit(const rm2i_rows *rows, const rm2i_pass *pass, size_t u, const rm2i_part *own) {
    size_t end = unit_start(rows->in, u + 1), first = unit_start(rows->in, u);
    size_t block = rm2i_block_rows(end - first);
    memset(own->square, 0, pass->order * pass->order * sizeof *own->square);
    for (; first < end; first += block)
        pass->fn(rows, first, end - first < block ? end - first : block, own);
    pack_triangle(pass->order, own->square, own->sums);
}

/* The units from `begin` to `end`. */
static void sum_units(const rm2i_rows *rows, const rm2i_pass *pass, size_t begin, size_t end,
                      rm2i_part *own, rm2i_tree *tree) {
    size_t offset = units_of(rows->in).offset;
    tree->values = own->nodes;
    tree->size = triangle(pass->order) + pass->others;
    tree->count = 0;
    for (size_t u = begin; u < end; u++) {
        own->sums = rm2i_tree_leaf(tree, offset + u);
        sum_unit(rows, pass, u, own);
    }
}

double *rm2i_inducing_rows(const rm2i_rows *rows, const rm2i_pass *pass) {
    const rm2i_inducing *in = rows->in;
    size_t units = units_of(in).count;
    int threads = units > 1 ? in->threads : 1;
    int before =
        rm2i_one_thread_begin(); /* BLAS on each thread by itself, also where there is one */
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
    for (int t = 0; t < threads; t++) {
        rm2i_part own = part_of(in, t);
        sum_units(rows, pass, units * (size_t)t / (size_t)threads,
                  units * (size_t)(t + 1) / (size_t)threads, &own, &in->trees[t]);
    }
    rm2i_one_thread_end(before);
    for (int t = 1; t < threads; t++)
        rm2i_tree_append(&in->trees[0], &in->trees[t]);
    return rm2i_tree_total(&in->trees[0]);
}

/* K and V of a block. */
static void fill_rows(const rm2i_rows *rows, size_t first, size_t count, double *K, double *V) {
    const rm2i_inducing *in = rows->in;
    rm2i_latent_rows(rows->kernel, count, rows->X + first * in->Q, in->r, in->Z, K);
    if (K != V)
        memcpy(V, K, count * in->r * sizeof *V);
    rm2i_factor_half_solve(in->r, in->L, count, V);
}

rm2i_kernel_rows rm2i_inducing_kernel_rows(const rm2i_rows *rows, size_t first, size_t count,
                                           const rm2i_part *own) {
    const rm2i_inducing *in = rows->in;
    if (in->kept)
        return (rm2i_kernel_rows){in->K + first * in->r, in->V + first * in->r};
    fill_rows(rows, first, count, own->K, own->V);
    return (rm2i_kernel_rows){own->K, own->V};
}

/* A += V V^T, (V F)^T += F^T V^T, t += k(x, x) - |v|^2. */
static void forward(const rm2i_rows *rows, size_t first, size_t count, const rm2i_part *own) {
    const rm2i_inducing *in = rows->in;
    size_t r = in->r;
    int R = (int)r, n = (int)count, M = (int)in->M, N = (int)in->N;
    double *K = in->kept ? in->K + first * r : own->K, *V = in->kept ? in->V + first * r : own->V;
    double *VF = own->sums + triangle(r), *t = VF + in->M * r;
    fill_rows(rows, first, count, K, V);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, R, n, 1, V, R, 1, own->square, R);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, R, n, 1, rows->F + first, N, V, R, 1,
                VF, R);
    for (size_t i = 0; i < count; i++)
        *t += rm2i_latent_variance_at(rows->kernel, rows->X + (first + i) * in->Q) -
              rm2i_dot(r, V + i * r, V + i * r);
}

/* Columns of R^T = F^T - u^T V; R^T R is summed. */
static void residual(const rm2i_rows *rows, size_t first, size_t count, const rm2i_part *own) {
    const rm2i_inducing *in = rows->in;
    int R = (int)in->r, n = (int)count, M = (int)in->M, N = (int)in->N;
    double *Y = in->Y + first;
    for (size_t m = 0; m < in->M; m++)
        memcpy(Y + m * in->N, rows->F + m * in->N + first, count * sizeof *Y);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, M, n, R, -1, in->u, R,
                rm2i_inducing_kernel_rows(rows, first, count, own).V, R, 1, Y, N);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, M, n, 1, Y, N, 1, own->square, M);
}

/* Columns of Lf^-1 R^T; their squares are summed. */
static void whitened(const rm2i_rows *rows, size_t first, size_t count, const rm2i_part *own) {
    const rm2i_inducing *in = rows->in;
    int n = (int)count, M = (int)in->M, N = (int)in->N;
    double *Y = in->Y + first;
    if (rows->Lf)
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, M, n, 1,
                    rows->Lf, M, Y, N);
    for (size_t m = 0; m < in->M; m++)
        *own->sums += rm2i_dot(count, Y + m * in->N, Y + m * in->N);
}

/* ---- r x r ---------------------------------------------------------------------------------- */

enum { SMALL_PART = 16 }; /* N/r from which on r x r matrices are a small part of the cost */

rm2i_small rm2i_inducing_small_begin(const rm2i_inducing *in) {
    bool small = in->r <= in->N / SMALL_PART;
    return (rm2i_small){small ? 1 : in->threads, small ? rm2i_one_thread_begin() : 0};
}

void rm2i_inducing_small_end(rm2i_small small) {
    if (small.before > 0)
        rm2i_one_thread_end(small.before);
}

/* B and u from A and V F. */
static rm2_status solve_small(rm2i_inducing *in, const double *VF, double noise) {
    size_t r = in->r, M = in->M;
    double jitter;
    RM2_TRY(rm2i_factor(r, in->A, noise, in->B, &jitter));
    memcpy(in->u, VF, M * r * sizeof *in->u);
    rm2i_factor_solve(r, in->B, M, in->u);
    in->noise = noise;
    in->log_det = (double)(in->N - r) * log(noise) + rm2i_factor_log_det(r, in->B);
    return RM2_OK;
}

/* B, u, R and S at a noise, once A and V F are there. */
static rm2_status solve_noise(const rm2i_rows *rows, const double *VF, double noise) {
    rm2i_inducing *in = rows->in;
    size_t r = in->r, M = in->M;
    rm2i_small small = rm2i_inducing_small_begin(in);
    rm2_status status = solve_small(in, VF, noise);
    rm2i_inducing_small_end(small);
    RM2_TRY(status);
    unpack_triangle(M, rm2i_inducing_rows(rows, &(rm2i_pass){residual, M, 0}), in->S);
    /* S = R^T R/s2 + u^T u */
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)M, (int)r, 1, in->u, (int)r,
                1 / noise, in->S, (int)M);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < i; j++)
            in->S[j * M + i] = in->S[i * M + j];
    return RM2_OK;
}

/* Z, Kuu and its factor. */
static rm2_status factor_inputs(rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                                const double *X) {
    if (in->index)
        rm2i_inducing_gather(in->r, in->index, in->Q, X, in->Z);
    rm2i_latent_gram(kernel, in->r, in->Z, in->threads, in->Kuu);
    rm2i_small small = rm2i_inducing_small_begin(in);
    rm2_status status = rm2i_factor(in->r, in->Kuu, 0, in->L, &in->jitter);
    rm2i_inducing_small_end(small);
    return status;
}

rm2_status rm2i_inducing_solve(rm2i_inducing *in, const rm2i_latent_kernel *kernel, const double *X,
                               double noise, const double *F) {
    rm2i_rows rows = {.in = in, .kernel = kernel, .X = X, .F = F};
    size_t r = in->r, M = in->M;
    RM2_TRY(factor_inputs(in, kernel, X));
    const double *sums = rm2i_inducing_rows(&rows, &(rm2i_pass){forward, r, M * r + 1});
    unpack_triangle(r, sums, in->A);
    sums += triangle(r);
    memcpy(in->U, sums, M * r * sizeof *in->U); /* V F, until value takes U */
    in->trace = sums[M * r];
    return solve_noise(&rows, in->U, noise);
}

/* tr(Kf^-1 S) = |Lf^-1 R^T|^2/s2 + |Lf^-1 u^T|^2; Y and U are divided by Lf. */
static double whiten(rm2i_inducing *in, const double *Lf) {
    const rm2i_rows rows = {.in = in, .Lf = Lf};
    int M = (int)in->M, R = (int)in->r;
    memcpy(in->U, in->u, in->M * in->r * sizeof *in->U);
    if (Lf)
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, M, R, 1, Lf,
                    M, in->U, R);
    in->square = *rm2i_inducing_rows(&rows, &(rm2i_pass){whitened, 0, 1});
    return in->square / in->noise + rm2i_dot(in->r * in->M, in->U, in->U);
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

static const double MOST_BOUNDS = 2000; /* inducing points */
static const double MOST_STEPS = 4e11;  /* of the work N r^2: a minute or less */

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
    const rm2i_inducing_request request = {.kernel = data->kernel,
                                           .N = data->N,
                                           .X = data->X,
                                           .enough = enough,
                                           .most = most_for_bounds(data->N)};
    size_t *index;
    double left;
    bounds_scratch scratch = {.data = data};
    rm2i_inducing *in = NULL;
    RM2_TRY(rm2i_alloc(ctx, request.most, sizeof *index, &index));
    rm2_status status = rm2i_inducing_choose(ctx, &request, index, &bounds->count, &left);
    const rm2i_inducing_shape shape = {.N = data->N,
                                       .M = data->M,
                                       .Q = data->kernel->dim,
                                       .r = bounds->count,
                                       .index = index,
                                       .units = data->units};
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
