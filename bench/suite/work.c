/* The linear algebra that an answer cannot do without, by BLAS and LAPACK alone: the measure of what the
 * rest costs. The only file of the program that calls these itself, because a yardstick must not be
 * our own code. Its numbers mean nothing, but they are neither singular nor slow:
 *
 *   T_ij = exp(-((i - j)/10)^2/2) + 0.1 (i = j), factored and inverted; rows of 1e-3, solved with its
 *   factor and multiplied
 *
 * Rows go in blocks on all threads, with BLAS on one thread in each, as the library has it. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <cblas.h>
#include <omp.h>

#include "suite/suite.h"

enum { ROWS = 128 }; /* in a block */

/* LAPACK's functions in Fortran, with the length of a text at the end. */
void dpotrf_(const char *uplo, const int *n, double *A, const int *stride, int *info, size_t);
void dpotri_(const char *uplo, const int *n, double *A, const int *stride, int *info, size_t);

struct bare_work {
    bare_shape shape;
    double *toeplitz; /* larger of the matrices' sizes: a row of T */
    double *A, *B;    /* n x n or r x r */
    double *C;        /* outputs x r */
    double *rows;     /* inducing: n x r */
    double *own;      /* the threads' blocks: rows, products, sums */
    size_t own_size;
};

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* ---- memory --------------------------------------------------------------------------------- */

static double *numbers(size_t count, double value, bool *good) {
    double *x = malloc((count + 1) * sizeof *x);
    *good = *good && x;
    for (size_t i = 0; x && i < count; i++)
        x[i] = value;
    return x;
}

static void fill_matrix(const bare_work *w, size_t n, double *A) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            A[i * n + j] = w->toeplitz[i > j ? i - j : j - i];
}

static bool allocate(bare_work *w) {
    const bare_shape *s = &w->shape;
    bool good = true, factors = s->kind == BARE_FACTORS;
    size_t n = factors ? larger(s->n, s->steps) : s->r;
    w->own_size = factors ? 0 : ROWS * (2 * n + s->outputs) + n * n;
    w->toeplitz = numbers(n, 0, &good);
    w->A = numbers(n * n, 0, &good);
    w->B = numbers(factors ? 0 : n * n, 0, &good);
    w->C = numbers(factors ? 0 : s->outputs * n, 1e-3, &good);
    w->rows = numbers(s->kind == BARE_INDUCING ? s->n * n : 0, 1e-3, &good);
    w->own = numbers((size_t)s->threads * w->own_size, 1e-3, &good);
    for (size_t i = 0; good && i < n; i++)
        w->toeplitz[i] = exp(-0.5 * pow((double)i / 10, 2)) + (i == 0 ? 0.1 : 0);
    return good;
}

bare_work *bare_create(const bare_shape *shape) {
    bare_work *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    w->shape = *shape;
    if (allocate(w))
        return w;
    bare_free(w);
    return NULL;
}

void bare_free(bare_work *w) {
    if (!w)
        return;
    free(w->toeplitz);
    free(w->A);
    free(w->B);
    free(w->C);
    free(w->rows);
    free(w->own);
    free(w);
}

/* ---- operations ------------------------------------------------------------------------------ */

/* dpotrf n^3/3, dpotri 2 n^3/3; dtrsm and dsyrk of a row r^2, dgemm 2 r^2 (r x r) or 2 r outputs. */
double bare_operations(const bare_shape *s) {
    double n = (double)s->n, r = (double)s->r, steps = (double)s->steps;
    double rows = n * (double)s->vectors;
    switch (s->kind) {
    case BARE_FACTORS:
        return s->times * ((double)s->factors * n * n * n + steps * steps * steps);
    case BARE_INDUCING:
        return s->times * (4 * n * r * r + r * r * r / 3 + r * r * r);
    case BARE_PREDICTION:
        return s->times * rows * r * ((s->product ? 2 : 1) * r + 2 * (double)s->outputs);
    }
    return NAN;
}

/* ---- work ------------------------------------------------------------------------------------ */

static bool factor(size_t n, double *A) {
    int k = (int)n, info = 0;
    dpotrf_("U", &k, A, &k, &info, 1);
    return info == 0;
}

static bool invert(size_t n, double *A) {
    int k = (int)n, info = 0;
    dpotri_("U", &k, A, &k, &info, 1);
    return info == 0;
}

static double factor_and_invert(const bare_work *w, size_t n) {
    fill_matrix(w, n, w->A);
    double start = rm2_seconds();
    return factor(n, w->A) && invert(n, w->A) ? rm2_seconds() - start : NAN;
}

/* Rows of X, `count` of them, become rows L^-1 x: A = L L^T is U^T U for column-major eyes. */
static void solve_rows(const bare_work *w, size_t count, double *X) {
    int r = (int)w->shape.r;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, r, (int)count, 1,
                w->A, r, X, r);
}

static size_t in_block(size_t total, size_t first) {
    return total - first < ROWS ? total - first : ROWS;
}

/* V = L^-1 K, V V^T; then V B^-1. */
static void inducing_rows(bare_work *w, bool backward) {
    size_t n = w->shape.n, r = w->shape.r, blocks = (n + ROWS - 1) / ROWS;
#pragma omp parallel for schedule(static) num_threads(w->shape.threads)
    for (size_t b = 0; b < blocks; b++) {
        double *own = w->own + (size_t)omp_get_thread_num() * w->own_size, *V = w->rows;
        int R = (int)r, count = (int)in_block(n, b * ROWS);
        V += b * ROWS * r;
        if (backward) {
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count, R, R, 1, V, R, w->B, R, 0,
                        own, R);
        } else {
            solve_rows(w, (size_t)count, V);
            cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, R, count, 1, V, R, 1, own, R);
        }
    }
}

static double inducing(bare_work *w) {
    size_t r = w->shape.r;
    fill_matrix(w, r, w->A);
    fill_matrix(w, r, w->B);
    for (size_t i = 0; i < w->shape.n * r; i++)
        w->rows[i] = 1e-3;
    double start = rm2_seconds();
    bool good = factor(r, w->A);
    inducing_rows(w, false);
    good = good && factor(r, w->B) && invert(r, w->B);
    inducing_rows(w, true);
    return good ? rm2_seconds() - start : NAN;
}

/* Outputs x r times the vectors; then these solved, or r x r times them. */
static double prediction(bare_work *w) {
    size_t r = w->shape.r, total = w->shape.n * w->shape.vectors;
    size_t blocks = (total + ROWS - 1) / ROWS;
    fill_matrix(w, r, w->A);
    bool good = factor(r, w->A);
    double start = rm2_seconds();
#pragma omp parallel for schedule(static) num_threads(w->shape.threads)
    for (size_t b = 0; b < blocks; b++) {
        double *X = w->own + (size_t)omp_get_thread_num() * w->own_size;
        double *Y = X + ROWS * r, *product = Y + ROWS * w->shape.outputs;
        int R = (int)r, M = (int)w->shape.outputs, count = (int)in_block(total, b * ROWS);
        for (size_t i = 0; i < (size_t)count * r; i++)
            X[i] = 1e-3;
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, M, R, 1, X, R, w->C, R, 0, Y,
                    M);
        if (w->shape.product)
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, R, R, 1, X, R, w->A, R, 0,
                        product, R);
        else
            solve_rows(w, (size_t)count, X);
    }
    return good ? rm2_seconds() - start : NAN;
}

static double seconds_of(bare_work *w) {
    const bare_shape *s = &w->shape;
    switch (s->kind) {
    case BARE_FACTORS:
        return s->times * ((double)s->factors * factor_and_invert(w, s->n) +
                           (s->steps ? factor_and_invert(w, s->steps) : 0));
    case BARE_INDUCING:
        return s->times * inducing(w);
    case BARE_PREDICTION:
        return s->times * prediction(w);
    }
    return NAN;
}

/* Threads of OpenMP go on looking for work for some milliseconds, which are not ours. */
static void let_threads_sleep(void) {
    const struct timespec pause = {.tv_nsec = 20000000};
    (void)nanosleep(&pause, NULL);
}

double bare_seconds(bare_work *w) {
    rm2_blas_set_threads(w->shape.threads);
    double seconds = seconds_of(w);
    rm2_blas_set_threads(1);
    if (w->shape.threads > 1)
        let_threads_sleep();
    return seconds;
}
