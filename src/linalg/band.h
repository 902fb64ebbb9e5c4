/* Symmetric positive definite matrices with few diagonals: what local basis functions on a line
 * give. Column j of the lower triangle is stored as `reach` + 1 numbers, A(j, j) to A(j + reach, j), so
 * that a matrix is n x (reach + 1); entries below row n - 1 are not read. */
#ifndef RM2I_BAND_H
#define RM2I_BAND_H

#include "riemann2/base.h"

/* Where A(i, j) is stored, i >= j >= i - reach. */
static inline size_t rm2i_band_index(size_t reach, size_t i, size_t j) {
    return j * (reach + 1) + i - j;
}

/* A = L L^T in place; false, and A is lost, if it is not positive definite. */
bool rm2i_band_cholesky(size_t n, size_t reach, double *A);

/* b <- (L L^T)^-1 b */
void rm2i_band_solve(size_t n, size_t reach, const double *L, double *b);

/* y^T A y from the lower triangle. */
double rm2i_band_form(size_t n, size_t reach, const double *A, const double *y);

#endif
