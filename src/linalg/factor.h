/* Cholesky factors and eigenvectors of large symmetric matrices, lower triangle, row-major.
 *
 * Work is cut into blocks, whose parts run on the threads of `ctx` (NULL: on the calling thread). Blocks depend on
 * sizes alone: results have the same bits on any number of threads. */
#ifndef RM2I_FACTOR_H
#define RM2I_FACTOR_H

#include "riemann2/base.h"

/* A = lower Cholesky factor of K + diagonal I (lower triangles; K is kept, A's strict upper
 * triangle is not touched). If that is not positive definite, multiples of its mean diagonal are
 * added, ten times more at each attempt (1e-12 to 1e-4); *jitter is what was added, 0 if nothing.
 */
rm2_status rm2i_factor(rm2_context *ctx, size_t n, const double *K, double diagonal, double *A,
                       double *jitter);
/* A = its lower Cholesky factor; false if A is not positive definite. */
bool rm2i_factor_in_place(rm2_context *ctx, size_t n, double *A);

/* A (lower triangle) = sum_k values_k r_k r_k^T: its rows become the eigenvectors r_k, values
 * ascend. work: rm2i_symmetric_eigen_work(n) doubles. RM2_ERR_NUMERIC if it does not converge. */
rm2_status rm2i_symmetric_eigen(size_t n, double *A, double *values, double *work);
size_t rm2i_symmetric_eigen_work(size_t n);

/* log det of L L^T. */
double rm2i_factor_log_det(size_t n, const double *L);

/* B <- (L L^T)^-1 B for `count` vectors, each contiguous (count x n). */
void rm2i_factor_solve(rm2_context *ctx, size_t n, const double *L, size_t count, double *B);

/* B <- L^-1 B, the same layout. */
void rm2i_factor_half_solve(rm2_context *ctx, size_t n, const double *L, size_t count, double *B);

/* B <- L^-T B, the same layout. */
void rm2i_factor_other_half_solve(rm2_context *ctx, size_t n, const double *L, size_t count,
                                  double *B);

/* B = L Q with L lower triangular, some of its diagonal negative, and Q orthogonal, in place of B. All n x n, n at least
 * 2; L's strict upper triangle is not touched; work: n x n doubles. On the calling thread. */
void rm2i_lq(size_t n, double *B, double *L, double *work);

/* Lower triangle of (L L^T)^-1 in place of L; the strict upper triangle is scratch. */
rm2_status rm2i_factor_invert(rm2_context *ctx, size_t n, double *L);

/* C = weight Y^T Y + old C, n x n, lower triangle. */
typedef struct rm2i_gram {
    size_t n, rows;
    const double *Y; /* rows x n */
    double weight, old;
} rm2i_gram;
void rm2i_gram_product(rm2_context *ctx, const rm2i_gram *gram, double *C);

#endif
