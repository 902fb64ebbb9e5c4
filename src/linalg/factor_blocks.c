/* Cholesky factor, inverse and products of large matrices in blocks, as parts for the threads of a context.
 *
 * Row-major lower triangles are column-major upper ones: A = U^T U, U(i, j) at U[j n + i]. Blocks depend on n alone,
 * so that results have the same bits on any number of threads. */
#include <stdatomic.h>
#include <string.h>

#include "base/pool.h"
#include "linalg/factor.h"
#include "linalg/lapack.h"
#include "linalg/serial.h"

enum { MOST_INVERTED = 64 }; /* rows of a block of the inverse */

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* ---- factor --------------------------------------------------------------------------------- */

typedef struct factoring {
    size_t n, block;
    size_t row; /* first of the block row that is computed */
    double *U;
    atomic_bool failed;
} factoring;

static size_t factor_block(size_t n) {
    return n < 1024 ? 192 : 256;
}

static double *entry(const factoring *f, size_t i, size_t j) {
    return f->U + j * f->n + i;
}

/* U_kk^T U_kk = A_kk - sum_{i<k} U_ik^T U_ik for the diagonal block at k. */
static void diagonal_block(factoring *f, size_t k) {
    size_t rows = smaller(f->block, f->n - k);
    int b = (int)rows, n = (int)f->n;
    if (k > 0)
        rm2i_dsyrk(CblasColMajor, CblasUpper, CblasTrans, b, (int)k, -1, entry(f, 0, k), n, 1,
                   entry(f, k, k), n);
    if (rm2i_dpotrf(b, entry(f, k, k), n) != 0)
        atomic_store(&f->failed, true);
}

/* U_kj = U_kk^-T (A_kj - sum_{i<k} U_ik^T U_ij) for `count` columns from j on, k the block row. */
static void strip(const factoring *f, size_t j, size_t count) {
    int b = (int)f->block, c = (int)count, n = (int)f->n, k = (int)f->row;
    if (k > 0)
        rm2i_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, b, c, k, -1, entry(f, 0, f->row), n,
                   entry(f, 0, j), n, 1, entry(f, f->row, j), n);
    rm2i_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, b, c, 1,
               entry(f, f->row, f->row), n, entry(f, f->row, j), n);
}

/* The first part is the block next to the diagonal and then the next diagonal block, for which the next block row would
 * wait; the others are narrower strips. */
static void factor_part(void *factoring_, size_t part, size_t worker) {
    (void)worker;
    factoring *f = factoring_;
    size_t next = f->row + f->block;
    if (part == 0) {
        strip(f, next, smaller(f->block, f->n - next));
        diagonal_block(f, next);
        return;
    }
    size_t width = f->block / 2, first = next + f->block + (part - 1) * width;
    strip(f, first, smaller(width, f->n - first));
}

bool rm2i_factor_in_place(rm2_context *ctx, size_t n, double *A) {
    factoring f = {.n = n, .block = factor_block(n), .U = A};
    size_t width = f.block / 2;
    diagonal_block(&f, 0);
    for (; f.row + f.block < n && !atomic_load(&f.failed); f.row += f.block) {
        size_t done = f.row + 2 * f.block, rest = n > done ? n - done : 0;
        rm2i_parallel(ctx, 1 + (rest + width - 1) / width, factor_part, &f);
    }
    return !atomic_load(&f.failed);
}

/* ---- inverse -------------------------------------------------------------------------------- */

/* X = U^-T, lower, takes the place below the diagonal, which is free; its diagonal is 1 over that of U. Then
 * A^-1 = X^T X takes the place of U. */
typedef struct inverting {
    size_t n, block;
    double *U;
    atomic_bool failed;
} inverting;

static size_t inverse_block(size_t n) {
    size_t block = n / 16 / 32 * 32;
    return block < 64 ? 64 : smaller(block, MOST_INVERTED);
}

/* Of the diagonal block at j, c x c: its strict lower triangle from X, which is there, with the diagonal; or the whole
 * of U^T. */
static void lower_block(const inverting *v, size_t j, size_t c, bool inverse, double *X) {
    for (size_t q = 0; q < c; q++) {
        const double *column = v->U + (j + q) * v->n + j;
        memset(X + q * c, 0, q * sizeof *X);
        X[q * c + q] = inverse ? 1 / column[q] : column[q];
        for (size_t p = q + 1; p < c; p++)
            X[q * c + p] = inverse ? column[p] : v->U[(j + p) * v->n + j + q];
    }
}

/* X_jj = U_jj^-T, X_ji = -X_jj U_ij^T U_ii^-T with i for all rows before block row j. Long ones come first. */
static void invert_part(void *inverting_, size_t part, size_t worker) {
    (void)worker;
    inverting *v = inverting_;
    size_t blocks = (v->n + v->block - 1) / v->block, j = (blocks - 1 - part) * v->block;
    int c = (int)smaller(v->block, v->n - j), n = (int)v->n;
    double X[MOST_INVERTED * MOST_INVERTED], *row = v->U + j;
    lower_block(v, j, (size_t)c, false, X);
    if (rm2i_dtrtri(c, X, c) != 0)
        atomic_store(&v->failed, true);
    for (int q = 0; q < c; q++)
        memcpy(row + (j + (size_t)q) * v->n + q + 1, X + q * c + q + 1,
               (size_t)(c - q - 1) * sizeof *X);
    if (j == 0)
        return;
    rm2i_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, c, (int)j, c, -1, X, c, v->U + j * v->n, n,
               0, row, n);
    rm2i_dtrsm(CblasColMajor, CblasRight, CblasUpper, CblasTrans, CblasNonUnit, c, (int)j, 1, v->U,
               n, row, n);
}

/* Columns j of A^-1 = X^T X, to the diagonal: rows j of X (X_jj apart), and those behind. */
static void product_part(void *inverting_, size_t part, size_t worker) {
    (void)worker;
    inverting *v = inverting_;
    size_t j = part * v->block, width = smaller(v->block, v->n - j), end = j + width;
    int c = (int)width, rest = (int)(v->n - end), n = (int)v->n, i = (int)j;
    double X[MOST_INVERTED * MOST_INVERTED], *out = v->U + j * v->n;
    lower_block(v, j, width, true, X);
    if (j > 0)
        rm2i_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, i, c, c, 1, v->U + j, n, X, c, 0, out,
                   n);
    if (j > 0 && rest > 0)
        rm2i_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, i, c, rest, 1, v->U + end, n, out + end,
                   n, 1, out, n);
    rm2i_dsyrk(CblasColMajor, CblasUpper, CblasTrans, c, c, 1, X, c, 0, out + j, n);
    if (rest > 0)
        rm2i_dsyrk(CblasColMajor, CblasUpper, CblasTrans, c, rest, 1, out + end, n, 1, out + j, n);
}

rm2_status rm2i_factor_invert(rm2_context *ctx, size_t n, double *L) {
    inverting v = {.n = n, .block = inverse_block(n), .U = L};
    size_t blocks = (n + v.block - 1) / v.block;
    rm2i_parallel(ctx, blocks, invert_part, &v);
    if (atomic_load(&v.failed))
        return RM2_ERR_NUMERIC;
    rm2i_parallel(ctx, blocks, product_part, &v);
    return RM2_OK;
}

/* ---- products ------------------------------------------------------------------------------- */

typedef struct adding {
    const rm2i_gram *gram;
    double *C;
} adding;

enum { STRIP = 96 }; /* rows of C that are one part */

/* The last rows, which are the longest, come first. */
static void add_part(void *adding_, size_t part, size_t worker) {
    (void)worker;
    const adding *a = adding_;
    const rm2i_gram *g = a->gram;
    size_t strips = (g->n + STRIP - 1) / STRIP, first = (strips - 1 - part) * STRIP;
    int c = (int)smaller(STRIP, g->n - first), n = (int)g->n, k = (int)g->rows, j = (int)first;
    const double *own = g->Y + first;
    double *row = a->C + first * g->n;
    if (first > 0)
        rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, c, j, k, g->weight, own, n, g->Y, n,
                   g->old, row, n);
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasTrans, c, k, g->weight, own, n, g->old, row + first,
               n);
}

void rm2i_gram_product(rm2_context *ctx, const rm2i_gram *gram, double *C) {
    adding a = {gram, C};
    rm2i_parallel(ctx, (gram->n + STRIP - 1) / STRIP, add_part, &a);
}
