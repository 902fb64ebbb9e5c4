/* The matrix normal likelihood at the profiled task covariance, by N x N matrices alone: what many
 * outputs of few points (connectomes: M = 406, N = 100) need.
 *
 *   Kf = (S + c I)/n,  S = F^T A^-1 F,  c = nu psi > 0,  n = N + nu
 *   T = F F^T/c (constant),  C = A + T
 *   log|Kf| = M log(c/n) + log|C| - log|A|        (det(I + F^T A^-1 F/c) = det(I + A^-1 T))
 *   tr(Kf^-1 S) = n tr(C^-1 T)
 *   A^-1 F Kf^-1 F^T A^-1 = n (A^-1 - C^-1)       (Woodbury)
 *   A_bar = 1/2 ((n - M) A^-1 - n C^-1)
 *
 * Two Cholesky factors and inverses of N x N, whatever M is, instead of one and 3 N^2 M + 2 N M^2
 * multiplications. */
#ifndef RM2I_DUAL_H
#define RM2I_DUAL_H

#include "riemann2/base.h"

typedef struct rm2i_dual {
    rm2_context *ctx; /* whose threads are used; NULL: the calling one */
    size_t N, M;
    double c, n;         /* nu psi, N + nu */
    double *T, *sum, *C; /* N x N: sum is K + T */
    double log_det_Kf;
    double trace; /* tr(Kf^-1 S) */
    double value; /* log-likelihood */
    double jitter;
} rm2i_dual;

/* T of the outputs F (M x N, task-major). */
void rm2i_dual_prepare(rm2i_dual *d, const double *F);

/* A = K + noise I: all values; L becomes the lower triangle of A_bar. */
rm2_status rm2i_dual_solve(rm2i_dual *d, const double *K, double noise, double *L);

#endif
