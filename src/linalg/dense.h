/* Small dense matrices, row-major and contiguous: what one SPD point needs. Kernels for n up to
 * SMALL are plain loops over contiguous rows (a library call costs more than the arithmetic there);
 * larger ones go to BLAS and LAPACK, on the calling thread only: points are what runs in parallel,
 * and a result must not depend on whether the caller is a thread of many. Nothing here allocates.
 */
#ifndef RM2I_DENSE_H
#define RM2I_DENSE_H

#include <math.h>
#include <stddef.h>

#include "riemann2/base.h"

/* y += a x */
static inline void rm2i_axpy(size_t n, double a, const double *restrict x, double *restrict y) {
    for (size_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* Four sums side by side, added in a fixed order: a single one would wait for every addition. */
static inline double rm2i_dot(size_t n, const double *x, const double *y) {
    double sum[4] = {0, 0, 0, 0}, rest = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += x[i + k] * y[i + k];
    for (; i < n; i++)
        rest += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

/* |x| where squares of entries may overflow or underflow; infinity if an entry is not a number. */
double rm2i_scaled_norm(size_t n, const double *x);

static inline double rm2i_norm(size_t n, const double *x) {
    double square = rm2i_dot(n, x, x);
    return square > 1e-280 && square < 1e280 ? sqrt(square) : rm2i_scaled_norm(n, x);
}

double rm2i_max_abs(size_t n, const double *x); /* infinity if an entry is not a number */

/* C = A B and C = A^T B, all n x n. */
void rm2i_multiply(size_t n, const double *A, const double *B, double *C);
void rm2i_multiply_tn(size_t n, const double *A, const double *B, double *C);

/* C (rows x width) = A (rows x inner) B (inner x width), all small. */
void rm2i_multiply_rows(size_t rows, size_t inner, size_t width, const double *A, const double *B,
                        double *C);

/* B = A^T */
void rm2i_transpose(size_t n, const double *A, double *B);

/* C = sum_k d_k r_k r_k^T over the rows r_k of R: R^T diag(d) R, symmetric by construction. */
void rm2i_weighted_gram(size_t n, const double *d, const double *R, double *C);

/* A <- (A + A^T) / 2 */
void rm2i_symmetrise(size_t n, double *A);

/* Lower Cholesky factor A = L L^T (zeros above the diagonal); reads the lower triangle.
 * RM2_ERR_NUMERIC if A is not positive definite. */
rm2_status rm2i_cholesky(size_t n, const double *A, double *L);

/* X = L^-1 for a lower triangular L. */
void rm2i_lower_inverse(size_t n, const double *L, double *X);

/* A = sum_k values_k r_k r_k^T with orthonormal rows r_k of `vectors` (no particular order).
 * work: rm2i_eigen_work(n) doubles. RM2_ERR_NUMERIC if A is not finite. */
rm2_status rm2i_eigen(size_t n, const double *A, double *values, double *vectors, double *work);
size_t rm2i_eigen_work(size_t n);

/* The same for A = C C^T, from C itself: small eigenvalues keep their digits however ill
 * conditioned A is (the condition of C is only its root). C is destroyed. */
rm2_status rm2i_eigen_gram(size_t n, double *C, double *values, double *vectors);

#endif
