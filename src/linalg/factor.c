/* A row-major lower triangle is a column-major upper one: A = L L^T = U^T U with U = L^T. */
#include "linalg/factor.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>

enum { FIRST_JITTER = -12, LAST_JITTER = -4 }; /* powers of ten, relative to the mean diagonal */

static bool attempt(size_t n, const double *K, double diagonal, double *A) {
    lapack_int k = (lapack_int)n;
    for (size_t i = 0; i < n; i++) {
        memcpy(A + i * n, K + i * n, (i + 1) * sizeof *A);
        A[i * n + i] += diagonal;
    }
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', k, A, k) != 0)
        return false;
    for (size_t i = 0; i < n; i++) /* OpenBLAS lets NaN pass; it reaches the diagonal of its row */
        if (!isfinite(A[i * n + i]))
            return false;
    return true;
}

rm2_status rm2i_factor(size_t n, const double *K, double diagonal, double *A, double *jitter) {
    double mean = diagonal;
    for (size_t i = 0; i < n; i++)
        mean += K[i * n + i] / (double)n;
    *jitter = 0;
    if (!isfinite(mean) || mean <= 0)
        return RM2_ERR_NUMERIC;
    if (attempt(n, K, diagonal, A))
        return RM2_OK;
    for (int power = FIRST_JITTER; power <= LAST_JITTER; power++) {
        *jitter = pow(10, power) * mean;
        if (attempt(n, K, diagonal + *jitter, A))
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

void rm2i_factor_solve(size_t n, const double *L, size_t count, double *B) {
    lapack_int k = (lapack_int)n, c = (lapack_int)count;
    (void)LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', k, c, L, k, B, k);
}

void rm2i_factor_half_solve(size_t n, const double *L, size_t count, double *B) {
    int k = (int)n, c = (int)count;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasTrans, CblasNonUnit, k, c, 1, L, k, B,
                k);
}

void rm2i_factor_other_half_solve(size_t n, const double *L, size_t count, double *B) {
    int k = (int)n, c = (int)count;
    cblas_dtrsm(CblasColMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, k, c, 1, L, k, B,
                k);
}

rm2_status rm2i_factor_invert(size_t n, double *L) {
    lapack_int k = (lapack_int)n;
    return LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', k, L, k) == 0 ? RM2_OK : RM2_ERR_NUMERIC;
}

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
    lapack_int k = (lapack_int)n, *iwork = (lapack_int *)(void *)(work + eigen_doubles(n));
    lapack_int info =
        LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', k, A, k, values, work,
                            (lapack_int)eigen_doubles(n), iwork, (lapack_int)eigen_integers(n));
    return info == 0 ? RM2_OK : RM2_ERR_NUMERIC;
}
