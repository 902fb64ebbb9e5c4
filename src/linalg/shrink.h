/* Symmetric positive semidefinite matrices that are singular, or nearly so, and how they are mended: row-major,
 * contiguous, as in dense.h. */
#ifndef RM2I_SHRINK_H
#define RM2I_SHRINK_H

#include <stddef.h>

#include "riemann2/base.h"

/* A <- (1 - a) A + a (tr A / n) I: the trace stays, every eigenvalue moves towards their mean. */
void rm2i_shrink(size_t n, double a, double *A);

/* Is the symmetric matrix A singular within rounding? Decided for C = D^-1/2 A D^-1/2, D the diagonal of A, so that
 * the units of the rows do not matter: with rounding errors of n eps |C| <= n^2 eps its smallest eigenvalue is
 * unknown below 16 n^2 eps. 1 / tr(C^-1) is at most that eigenvalue and at least 1/n of it. A matrix with a negative
 * eigenvalue counts as singular. work: rm2i_singular_work(n) doubles. */
bool rm2i_singular(size_t n, const double *A, double *work);
size_t rm2i_singular_work(size_t n);

#endif
