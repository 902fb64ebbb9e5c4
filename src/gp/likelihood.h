/* Log-likelihoods of N outputs of M tasks, with their derivatives by covariance matrices.
 *
 * F is kept task-major: row m holds the N values of task m (M x N), so that vec(F) is contiguous
 * and LAPACK sees N x M column-major. K, A are N x N row-major of which the lower triangle counts.
 */
#ifndef RM2I_LIKELIHOOD_H
#define RM2I_LIKELIHOOD_H

#include "riemann2/base.h"

/* Matrix normal: Sigma = Kf (x) A, A = L L^T, Kf = Lf Lf^T.
 *   Y = L^-1 F, S = Y^T Y = F^T A^-1 F, Z = Lf^-1 Y^T (M x N), tr(Kf^-1 S) = |Z|^2
 *   LL = -1/2 |Z|^2 - M/2 log|A| - N/2 log|Kf| - NM/2 log 2 pi
 *   A_bar = 1/2 (W Kf^-1 W^T - M A^-1) = 1/2 (V^T V - M A^-1), V = Z L^-1, W = A^-1 F
 *   Kf_bar = 1/2 (Kf^-1 S Kf^-1 - N Kf^-1)
 * In steps, because Kf may be found from S (the profile) between them. One array is Y, then Z, then V
 * (which is W^T if Kf is the identity). */
typedef struct rm2i_matrix_normal {
    rm2_context *ctx; /* whose threads are used; NULL: the calling one */
    size_t N, M;
    double *Y; /* M x N: Y^T, Z or V */
    double *S; /* M x M */
    double log_det_A;
    double jitter;
} rm2i_matrix_normal;

/* A = K + noise I, factored: fills L, Y, S, log_det_A, jitter. */
rm2_status rm2i_matrix_normal_solve(rm2i_matrix_normal *mn, const double *K, double noise,
                                    const double *F, double *L);
/* Y becomes Z (Lf NULL: the identity); returns the log-likelihood, and tr(Kf^-1 S) in *trace if that
 * is not NULL. */
double rm2i_matrix_normal_value(rm2i_matrix_normal *mn, const double *Lf, double *trace);
/* Z becomes V, and L the lower triangle of A_bar. */
rm2_status rm2i_matrix_normal_backward(rm2i_matrix_normal *mn, double *L);
/* Kf_bar, M x M symmetric; work: rm2i_matrix_normal_task_work(M). */
void rm2i_matrix_normal_task_backward(const rm2i_matrix_normal *mn, const double *Lf,
                                      double *Kf_bar, double *work);
size_t rm2i_matrix_normal_task_work(size_t M);

/* Per-output noise: Sigma = Kf (x) K + diag(d) (x) I.
 *   D^-1/2 Kf D^-1/2 = U diag(l) U^T,  K = V diag(o) V^T,  F~ = V^T F D^-1/2 U,  den_nm = o_n l_m +
 * 1 LL = -1/2 sum F~^2/den - 1/2 sum log den - N/2 sum log d - NM/2 log 2 pi */
typedef struct rm2i_per_output {
    rm2_context *ctx; /* whose threads are used; NULL: the calling one */
    size_t N, M;
    double *V;       /* N x N: row k is eigenvector k of K; K is destroyed in place */
    double *o;       /* N */
    double *Ut;      /* M x M: row m is eigenvector m of D^-1/2 Kf D^-1/2 */
    double *l;       /* M */
    double *d;       /* M: noise variances */
    double *rotated; /* M x N: F~ / den */
    double *alpha;   /* M x N: V (F~/den), row m */
    double *Am;      /* M x N: Sigma^-1 vec F */
    double value;
} rm2i_per_output;

/* Fills everything; V holds K on entry (lower triangle). work: rm2i_per_output_work(N, M). */
rm2_status rm2i_per_output_solve(rm2i_per_output *po, const double *Kf, const double *F,
                                 double *work);
size_t rm2i_per_output_work(size_t N, size_t M);
/* K_bar (N x N, lower), Kf_bar (M x M), d_bar (M). `K` is the kernel matrix again (lower). */
void rm2i_per_output_backward(const rm2i_per_output *po, const double *K, double *K_bar,
                              double *Kf_bar, double *d_bar, double *work);

#endif
