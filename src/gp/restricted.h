/* The restricted likelihood of latents: a matrix normal model with a linear mean under a flat prior and
 * isotropic outputs of variance e,
 *
 *   A = K + I (N x N),  H = [1, X],  C = H^T A^-1 H,  P = A^-1 - A^-1 H C^-1 H^T A^-1,  G = F F^T
 *   o = -tr(P G)/(2 e) - (M/2) (log|A| + log|C| - log|H^T H|) - (p/2) |X - X0|^2
 *
 * K a radial kernel of X, p the precision of the anchor X0. Linear maps of X leave the first two terms as
 * they are where K is zero: nothing pulls the latents together. Derivatives:
 *   A_bar = P G P/(2 e) - (M/2) P
 *   H_bar = P G A^-1 H C^-1/e - M A^-1 H C^-1 + M H (H^T H)^-1, whose last columns are part of X_bar. */
#ifndef RM2I_RESTRICTED_H
#define RM2I_RESTRICTED_H

#include "kernel/latent.h"
#include "riemann2/base.h"

typedef struct rm2i_restricted rm2i_restricted;

typedef struct rm2i_restricted_data {
    size_t N, Q, M, rows;
    const double *F;           /* rows x N: any rows with the F F^T of the outputs; borrowed */
    const double *X0;          /* N x Q; borrowed */
    rm2i_latent_kernel kernel; /* radial; its lengthscales are borrowed */
    double variance;           /* e */
    double precision;          /* p */
} rm2i_restricted_data;

rm2_status rm2i_restricted_create(rm2_context *ctx, const rm2i_restricted_data *data,
                                  rm2i_restricted **restricted);
void rm2i_restricted_free(rm2i_restricted *r);

/* o and its derivative by X (N x Q). */
rm2_status rm2i_restricted_value(rm2i_restricted *r, const double *X, double *value, double *X_bar);

#endif
