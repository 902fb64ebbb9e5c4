/* Demonstrations predicted from the others: the Gaussian process without their rows, at its own parameters and latents.
 *
 * Exact, with A = Kx + s2 I, W = A^-1 and the rows I of a demonstration:
 *   B = (W[I, I])^-1,   R = B (W F)[I, :],   V_n = B[n, n]
 * Inducing points (symbols of inducing.h; V there is Z here, z_n its columns), with B of all points:
 *   B_d = B - Z_d Z_d^T,   R = F_d - Z_d^T B_d^-1 (Z F - Z_d F_d),   V_n = k(x_n, x_n) - |z_n|^2 + s2 z_n^T B_d^-1 z_n + s2
 * R holds the residuals of the outputs, V_n their variance relative to Kf, noise included. */
#ifndef RM2I_LEFT_OUT_H
#define RM2I_LEFT_OUT_H

#include "gp/posterior.h"

/* Kronecker noise. `gp->trajectories` are the demonstrations of this process; with inducing points `gp->sums` are those
 * of all points. */
typedef struct rm2i_left_out {
    const rm2i_gp *gp;
    size_t count;        /* demonstrations that are left out, each by itself, */
    const size_t *which; /* and their numbers */
    size_t groups;       /* of outputs: group g has the outputs first[g] to first[g + 1] - 1 */
    const size_t *first;
} rm2i_left_out;

/* squares (count x groups): mean over the points of a demonstration of r^T Kf^-1 r/(V_n m) in the m outputs of the group;
 * 1 on average where the model is right. RM2_ERR_NUMERIC where a matrix cannot be factored. */
rm2_status rm2i_left_out_squares(rm2_context *ctx, const rm2i_left_out *what, double *squares);

#endif
