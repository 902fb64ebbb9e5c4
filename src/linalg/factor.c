/* A row-major lower triangle is a column-major upper one: A = L L^T = U^T U with U = L^T. */
#include "linalg/factor.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/pool.h"
#include "linalg/lapack.h"
#include "linalg/serial.h"

enum { FIRST_JITTER = -12, LAST_JITTER = -4 }; /* powers of ten, relative to the mean diagonal */

static bool attempt(rm2_context *ctx, size_t n, const double *K, double diagonal, double *A) {
    for (size_t i = 0; i < n; i++) {
        memcpy(A + i * n, K + i * n, (i + 1) * sizeof *A);
        A[i * n + i] += diagonal;
    }
    if (!rm2i_factor_in_place(ctx, n, A))
        return false;
    for (size_t i = 0; i < n; i++) /* OpenBLAS lets NaN pass; it reaches the diagonal of its row */
        if (!isfinite(A[i * n + i]))
            return false;
    return true;
}

rm2_status rm2i_factor(rm2_context *ctx, size_t n, const double *K, double diagonal, double *A,
                       double *jitter) {
    double mean = diagonal;
    for (size_t i = 0; i < n; i++)
        mean += K[i * n + i] / (double)n;
    *jitter = 0;
    if (!isfinite(mean) || mean <= 0)
        return RM2_ERR_NUMERIC;
    if (attempt(ctx, n, K, diagonal, A))
        return RM2_OK;
    for (int power = FIRST_JITTER; power <= LAST_JITTER; power++) {
        *jitter = pow(10, power) * mean;
        if (attempt(ctx, n, K, diagonal + *jitter, A))
            return RM2_OK;
    }
    return RM2_ERR_NUMERIC;
}

double rm2i_factor_log_det(size_t n, const double *L) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(L[i * n + i]);
    return 2 * sum;
}

/* ---- solves --------------------------------------------------------------------------------- */

enum { STRIP = 64, SINGLE = 256 /* rows from which one right-hand side is solved by itself */ };

typedef struct solving {
    size_t n, count, strip; /* strip: right-hand sides that are one part */
    const double *L;
    double *B;
    bool first, second; /* L^-1, then L^-T */
} solving;

static void solve_strip(void *solving_, size_t part, size_t worker) {
    (void)worker;
    const solving *s = solving_;
    size_t at = part * s->strip, count = s->count - at < s->strip ? s->count - at : s->strip;
    int k = (int)s->n, c = (int)count;
    double *B = s->B + at * s->n;
    if (c == 1 && s->n >= SINGLE) { /* dtrsm would copy L */
        if (s->first)
            rm2i_dtrsv(CblasColMajor, CblasUpper, CblasTrans, CblasNonUnit, k, s->L, k, B, 1);
        if (s->second)
            rm2i_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, k, s->L, k, B, 1);
        return;
    }
    if (s->first)
        rm2i_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, k, c, 1, s->L, k,
                   B, k);
    if (s->second)
        rm2i_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, k, c, 1, s->L,
                   k, B, k);
}

static void solve(rm2_context *ctx, solving s) {
    s.strip = ctx || s.count == 0 ? STRIP : s.count;
    rm2i_parallel(ctx, (s.count + s.strip - 1) / s.strip, solve_strip, &s);
}

void rm2i_factor_solve(rm2_context *ctx, size_t n, const double *L, size_t count, double *B) {
    solve(ctx, (solving){n, count, 0, L, B, true, true});
}

void rm2i_factor_half_solve(rm2_context *ctx, size_t n, const double *L, size_t count, double *B) {
    solve(ctx, (solving){n, count, 0, L, B, true, false});
}

void rm2i_factor_other_half_solve(rm2_context *ctx, size_t n, const double *L, size_t count,
                                  double *B) {
    solve(ctx, (solving){n, count, 0, L, B, false, true});
}

/* ---- orthogonal factor ---------------------------------------------------------------------- */

/* B^T = Q^T L^T, column-major. */
void rm2i_lq(size_t n, double *B, double *L, double *work) {
    int k = (int)n, rest = (int)(n * n - n);
    double *tau = work + rest;
    const rm2i_lapack_work in_front = {.doubles = work, .double_count = rest};
    (void)rm2i_dgeqrf(k, B, tau, &in_front);
    for (size_t i = 0; i < n; i++)
        memcpy(L + i * n, B + i * n, (i + 1) * sizeof *L);
    (void)rm2i_dorgqr(k, B, tau, &in_front);
}

/* ---- eigenproblem --------------------------------------------------------------------------- */

static size_t eigen_doubles(size_t n) {
    return 1 + 6 * n + 2 * n * n; /* documented lwork of dsyevd */
}

static size_t eigen_integers(size_t n) {
    return 3 + 5 * n; /* liwork */
}

size_t rm2i_symmetric_eigen_work(size_t n) {
    return eigen_doubles(n) + eigen_integers(n); /* integers are kept in doubles */
}

rm2_status rm2i_symmetric_eigen(size_t n, double *A, double *values, double *work) {
    const rm2i_lapack_work both = {.doubles = work,
                                   .integers = (int *)(void *)(work + eigen_doubles(n)),
                                   .double_count = (int)eigen_doubles(n),
                                   .integer_count = (int)eigen_integers(n)};
    return rm2i_dsyevd((int)n, A, values, &both) == 0 ? RM2_OK : RM2_ERR_NUMERIC;
}
