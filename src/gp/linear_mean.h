/* Inducing points with a linear mean under a flat prior: what the evidence (evidence_bound.h) and the restricted
 * likelihood (restricted_bound.h) by inducing points share.
 *
 *   F = H beta + E,  H = [1, X],  vec E ~ N(0, Kf (x) A),  A = Q + s2 I,  Q = Knu Kuu^-1 Kun (inducing.h)
 *
 * The columns of H are outputs like those of F. With Z = [H, F] one solve gives S = Z^T A^-1 Z, and with
 * the blocks of S, C = H^T A^-1 H = Lc Lc^T and S_FH,
 *
 *   U^T A U for an orthonormal basis U of the complement of H:
 *     log|U^T A U| = log|A| + log|C| - log|H^T H|
 *     F^T U (U^T A U)^-1 U^T F = S_FF - D D^T = T,   D = S_FH Lc^-T
 *
 * Let e(T, log|U^T A U|) be a function with de = -1/2 tr(W^-1 dT) - (m/2) dlog|U^T A U|. Then
 *
 *   de = -1/2 tr(L^-T L^-1 dS) - (m/2) dlog|A|,   L = [Lc/sqrt m, 0; D/sqrt m, chol W]
 *
 * which is the derivative of a normal log density of the outputs Z with the covariance L L^T whose
 * determinant counts m times: that of inducing.h. Its trace term is -(m/2) tr(K - Q)/s2 for every W: it stays
 * what it is where Kf is integrated out. */
#ifndef RM2I_LINEAR_MEAN_H
#define RM2I_LINEAR_MEAN_H

#include "gp/inducing.h"

typedef struct rm2i_linear_mean {
    size_t N, Q, rows, q, all; /* q = Q + 1, all = q + rows */
    size_t m;                  /* outputs that count: fewer than rows where these are dependent */
    rm2i_inducing *inducing;
    double *Z;           /* all x N: rows of H^T, then of F */
    double *S;           /* all x all, of inducing */
    double *C, *D;       /* q x q, rows x q: Lc, D */
    double *T;           /* rows x rows, lower triangle */
    double *L;           /* all x all */
    double *HH, *small;  /* q x q: factor of H^T H; scratch */
    double *X_bar;       /* N x Q */
    double *lengthscale; /* Q, its derivatives */
    double variance;     /* its derivative */
    double log_det;      /* log|U^T A U| */
    double *memory;
} rm2i_linear_mean;

/* `F` (rows x N) is copied; `index`: which r of the points are inducing. */
typedef struct rm2i_linear_mean_data {
    size_t N, Q, rows, m;
    const double *F;
    size_t r;
    const size_t *index;
} rm2i_linear_mean_data;

rm2_status rm2i_linear_mean_create(rm2_context *ctx, const rm2i_linear_mean_data *data,
                                   rm2i_linear_mean **mean);
void rm2i_linear_mean_free(rm2i_linear_mean *mean);

/* H at these latents, and its products. Before the first solve, and whenever X has changed. */
rm2_status rm2i_linear_mean_at(rm2i_linear_mean *mean, const double *X);
/* |U^T F|^2, once H is there. */
double rm2i_linear_mean_squares(const rm2i_linear_mean *mean);
/* log_det, T, Lc and D for a radial kernel. */
rm2_status rm2i_linear_mean_solve(rm2i_linear_mean *mean, const rm2i_latent_kernel *kernel,
                                  const double *X, double noise);
/* X_bar, lengthscale and variance of e - (m/2) tr(K - Q)/s2, with H held; `W`: rows x rows, a factor of W. */
rm2_status rm2i_linear_mean_backward(rm2i_linear_mean *mean, const rm2i_latent_kernel *kernel,
                                     const double *X, const double *W);
/* After that: H's part is added to X_bar,
 *   H_bar = -(A^-1 Z L^-T L^-1)_H + m H (H^T H)^-1, without its first column */
void rm2i_linear_mean_move(rm2i_linear_mean *mean);

#endif
