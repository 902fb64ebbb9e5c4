#include "gp/left_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/pool.h"
#include "gp/inducing.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

enum { ROWS = 256 }; /* of a demonstration at a time, with inducing points */

/* Shared by all demonstrations. */
typedef struct left_out {
    const rm2i_left_out *what;
    double *Lf; /* Cholesky factors of the groups' parts of Kf, one behind the other */
    double *W;  /* exact: A^-1, lower triangle */
    double *Y;  /* exact: (A^-1 F)^T, M x N; inducing points: Z F, M x r */
    double *L;  /* inducing points: Lu */
    double *B;  /* inducing points: s2 I + Z Z^T, lower triangle */
    double *squares, *memory;
    double *work; /* workers x work_size */
    size_t work_size;
    rm2_status *status; /* of each demonstration */
} left_out;

static size_t size_of(const rm2i_left_out *what, size_t g) {
    return what->first[g + 1] - what->first[g];
}

/* ---- the size of residuals ------------------------------------------------------------------ */

static rm2_status factor_groups(rm2_context *ctx, const left_out *l) {
    const rm2i_left_out *what = l->what;
    size_t M = what->gp->M, at = 0;
    for (size_t g = 0; g < what->groups; g++) {
        size_t m = size_of(what, g), from = what->first[g];
        double *part, jitter;
        RM2_TRY(rm2i_alloc(ctx, m, m * sizeof *part, &part));
        for (size_t a = 0; a < m; a++)
            memcpy(part + a * m, what->gp->Kf + (from + a) * M + from, m * sizeof *part);
        rm2_status status = rm2i_factor(ctx, m, part, 0, l->Lf + at, &jitter);
        free(part);
        RM2_TRY(status);
        at += m * m;
    }
    return RM2_OK;
}

/* Adds |Lf^-1 r|^2/(V m) of every group; r (M) becomes Lf^-1 r. */
static void add_square(const left_out *l, double *r, double V, double *sums) {
    const rm2i_left_out *what = l->what;
    size_t at = 0;
    for (size_t g = 0; g < what->groups; g++) {
        size_t m = size_of(what, g);
        double *part = r + what->first[g];
        rm2i_factor_half_solve(NULL, m, l->Lf + at, 1, part);
        sums[g] += rm2i_dot(m, part, part) / (V * (double)m);
        at += m * m;
    }
}

static void average(const rm2i_left_out *what, size_t points, double *sums) {
    for (size_t g = 0; g < what->groups; g++)
        sums[g] /= (double)points;
}

/* ---- exact ---------------------------------------------------------------------------------- */

typedef struct exact_scratch {
    double *block, *inverse, *r; /* n x n, n x n, M x n */
    double *row;                 /* M */
} exact_scratch;

static void lay_out_exact(exact_scratch *s, const rm2i_gp *gp, size_t n, rm2i_arena *a) {
    s->block = rm2i_reserve(a, double, n, n);
    s->inverse = rm2i_reserve(a, double, n, n);
    s->r = rm2i_reserve(a, double, gp->M, n);
    s->row = rm2i_reserve(a, double, gp->M);
}

static rm2_status leave_out_exact(const left_out *l, size_t k, double *work) {
    const rm2i_gp *gp = l->what->gp;
    size_t d = l->what->which[k], from = gp->starts[d], n = gp->starts[d + 1] - from, M = gp->M;
    exact_scratch s;
    lay_out_exact(&s, gp, n, &(rm2i_arena){work, 0});
    for (size_t i = 0; i < n; i++)
        memcpy(s.block + i * n, l->W + (from + i) * gp->N + from, (i + 1) * sizeof *s.block);
    for (size_t m = 0; m < M; m++)
        memcpy(s.r + m * n, l->Y + m * gp->N + from, n * sizeof *s.r);
    if (!rm2i_factor_in_place(NULL, n, s.block))
        return RM2_ERR_NUMERIC;
    rm2i_factor_solve(NULL, n, s.block, M, s.r);
    memcpy(s.inverse, s.block, n * n * sizeof *s.inverse);
    RM2_TRY(rm2i_factor_invert(NULL, n, s.inverse));
    for (size_t i = 0; i < n; i++) {
        for (size_t m = 0; m < M; m++)
            s.row[m] = s.r[m * n + i];
        add_square(l, s.row, s.inverse[i * n + i], l->squares + k * l->what->groups);
    }
    average(l->what, n, l->squares + k * l->what->groups);
    return RM2_OK;
}

static rm2_status prepare_exact(rm2_context *ctx, const left_out *l) {
    const rm2i_gp *gp = l->what->gp;
    size_t N = gp->N;
    double *K, jitter;
    RM2_TRY(rm2i_alloc(ctx, N, N * sizeof *K, &K));
    rm2i_latent_gram(ctx, &gp->kernel, N, gp->X, K);
    rm2_status status = rm2i_factor(ctx, N, K, gp->noise, l->W, &jitter);
    free(K);
    RM2_TRY(status);
    memcpy(l->Y, gp->F, gp->M * N * sizeof *l->Y);
    rm2i_factor_solve(ctx, N, l->W, gp->M, l->Y);
    return rm2i_factor_invert(ctx, N, l->W);
}

/* ---- inducing points ------------------------------------------------------------------------ */

typedef struct inducing_scratch {
    double *B;  /* r x r */
    double *c;  /* M x r */
    double *z;  /* ROWS x r */
    double *zz; /* ROWS: |z_n|^2 */
    double *f;  /* ROWS x M */
} inducing_scratch;

static void lay_out_inducing(inducing_scratch *s, const rm2i_gp *gp, rm2i_arena *a) {
    size_t r = gp->inducing;
    s->B = rm2i_reserve(a, double, r, r);
    s->c = rm2i_reserve(a, double, gp->M, r);
    s->z = rm2i_reserve(a, double, ROWS, r);
    s->zz = rm2i_reserve(a, double, ROWS);
    s->f = rm2i_reserve(a, double, ROWS, gp->M);
}

/* z of `count` rows, as rows. */
static void find_z(const left_out *l, size_t from, size_t count, double *z) {
    const rm2i_gp *gp = l->what->gp;
    size_t r = gp->inducing;
    for (size_t i = 0; i < count; i++)
        rm2i_latent_cross(&gp->kernel, r, gp->Z, gp->X + (from + i) * gp->Q, z + i * r);
    rm2i_factor_half_solve(NULL, r, l->L, count, z);
}

/* B - z^T z and Z F - z^T F of these rows. */
static void take_rows(const left_out *l, const inducing_scratch *s, size_t from, size_t count) {
    const rm2i_gp *gp = l->what->gp;
    int r = (int)gp->inducing, M = (int)gp->M;
    find_z(l, from, count, s->z);
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, r, (int)count, -1, s->z, r, 1, s->B, r);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, M, r, (int)count, -1, gp->F + from,
               (int)gp->N, s->z, r, 1, s->c, r);
}

/* With L L^T = B_d, y = L^-1 z and c = L^-1 (Z F - Z_d F_d): R = F - y.c, V = k - |z|^2 + s2 |y|^2 + s2. */
static void add_rows(const left_out *l, const inducing_scratch *s, size_t from, size_t count,
                     double *sums) {
    const rm2i_gp *gp = l->what->gp;
    size_t r = gp->inducing, M = gp->M;
    find_z(l, from, count, s->z);
    for (size_t i = 0; i < count; i++) {
        s->zz[i] = rm2i_dot(r, s->z + i * r, s->z + i * r);
        for (size_t m = 0; m < M; m++)
            s->f[i * M + m] = gp->F[m * gp->N + from + i];
    }
    rm2i_factor_half_solve(NULL, r, s->B, count, s->z);
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)M, (int)r, -1, s->z,
               (int)r, s->c, (int)r, 1, s->f, (int)M);
    for (size_t i = 0; i < count; i++) {
        double own = rm2i_latent_variance_at(&gp->kernel, gp->X + (from + i) * gp->Q) - s->zz[i];
        double yy = rm2i_dot(r, s->z + i * r, s->z + i * r);
        add_square(l, s->f + i * M, fmax(own, 0) + gp->noise * (1 + yy), sums);
    }
}

static rm2_status leave_out_inducing(const left_out *l, size_t k, double *work) {
    const rm2i_gp *gp = l->what->gp;
    size_t d = l->what->which[k], from = gp->starts[d], to = gp->starts[d + 1], r = gp->inducing;
    double *sums = l->squares + k * l->what->groups;
    inducing_scratch s;
    lay_out_inducing(&s, gp, &(rm2i_arena){work, 0});
    memcpy(s.B, l->B, r * r * sizeof *s.B);
    memcpy(s.c, l->Y, gp->M * r * sizeof *s.c);
    for (size_t i = from; i < to; i += ROWS)
        take_rows(l, &s, i, to - i < ROWS ? to - i : ROWS);
    if (!rm2i_factor_in_place(NULL, r, s.B))
        return RM2_ERR_NUMERIC;
    rm2i_factor_half_solve(NULL, r, s.B, gp->M, s.c);
    for (size_t i = from; i < to; i += ROWS)
        add_rows(l, &s, i, to - i < ROWS ? to - i : ROWS, sums);
    average(l->what, to - from, sums);
    return RM2_OK;
}

static rm2_status prepare_inducing(rm2_context *ctx, const left_out *l) {
    const rm2i_gp *gp = l->what->gp;
    size_t r = gp->inducing;
    double jitter;
    rm2i_latent_gram(ctx, &gp->kernel, r, gp->Z, l->B);
    RM2_TRY(rm2i_factor(ctx, r, l->B, 0, l->L, &jitter));
    memset(l->B, 0, r * r * sizeof *l->B);
    rm2i_unpack_triangle(r, gp->sums, l->B);
    for (size_t i = 0; i < r; i++)
        l->B[i * r + i] += gp->noise;
    memcpy(l->Y, gp->sums + rm2i_triangle(r), gp->M * r * sizeof *l->Y);
    return RM2_OK;
}

/* ---- both ----------------------------------------------------------------------------------- */

static void lay_out(void *arg, rm2i_arena *a) {
    left_out *l = arg;
    const rm2i_gp *gp = l->what->gp;
    size_t r = gp->inducing, n = r ? 0 : gp->N, parts = 0;
    for (size_t g = 0; g < l->what->groups; g++)
        parts += size_of(l->what, g) * size_of(l->what, g);
    l->Lf = rm2i_reserve(a, double, parts);
    l->W = rm2i_reserve(a, double, n, n);
    l->Y = rm2i_reserve(a, double, gp->M, r ? r : n);
    l->L = rm2i_reserve(a, double, r, r);
    l->B = rm2i_reserve(a, double, r, r);
}

static size_t work_size(const rm2i_left_out *what) {
    rm2i_arena a = {NULL, 0};
    size_t longest = 0;
    for (size_t k = 0; k < what->count; k++) {
        const size_t *start = what->gp->starts + what->which[k];
        longest = start[1] - start[0] > longest ? start[1] - start[0] : longest;
    }
    if (what->gp->inducing)
        lay_out_inducing(&(inducing_scratch){0}, what->gp, &a);
    else
        lay_out_exact(&(exact_scratch){0}, what->gp, longest, &a);
    return a.used;
}

static void leave_out(void *job, size_t k, size_t worker) {
    const left_out *l = job;
    double *work = l->work + worker * l->work_size;
    l->status[k] =
        l->what->gp->inducing ? leave_out_inducing(l, k, work) : leave_out_exact(l, k, work);
}

/* Not interrupted: the model of a training that was has all of its parts. */
static rm2_status leave_out_each(rm2_context *ctx, left_out *l) {
    size_t count = l->what->count;
    l->work_size = work_size(l->what);
    RM2_TRY(rm2i_alloc(ctx, rm2i_workers(ctx, count), l->work_size * sizeof *l->work, &l->work));
    rm2_status status = rm2i_alloc(ctx, count, sizeof *l->status, &l->status);
    if (status == RM2_OK)
        rm2i_parallel(ctx, count, leave_out, l);
    for (size_t k = 0; status == RM2_OK && k < count; k++)
        status = l->status[k];
    free(l->work);
    free(l->status);
    return status;
}

rm2_status rm2i_left_out_squares(rm2_context *ctx, const rm2i_left_out *what, double *squares) {
    bool inducing = what->gp->inducing > 0;
    left_out l = {.what = what, .squares = squares};
    memset(squares, 0, what->count * what->groups * sizeof *squares);
    if (what->count == 0)
        return RM2_OK;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &l, &l.memory));
    rm2_status status = factor_groups(ctx, &l);
    if (status == RM2_OK)
        status = inducing ? prepare_inducing(ctx, &l) : prepare_exact(ctx, &l);
    if (status == RM2_OK)
        status = leave_out_each(ctx, &l);
    free(l.memory);
    return status;
}
