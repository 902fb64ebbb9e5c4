/* Dynamics prior over trajectories (Wang, Fleet and Hertzmann, 2008, in first differences):
 *   Lo = all points but the last of each trajectory, Up = all but the first, E = Up - Lo,
 *   A = v SE(Lo; l) + z I (one joint kernel),
 *   log p = sum_first log N(x; 0, I) + log N(E; 0, I (x) A);
 * or its lower bound by inducing points, which are a set of their own among Lo. */
#ifndef RM2I_GPDM_H
#define RM2I_GPDM_H

#include "gp/inducing.h"
#include "riemann2/base.h"

typedef struct rm2i_gpdm {
    size_t N, Q, trajectories;
    const size_t *starts;
    rm2i_rows steps, first; /* of the trajectories, cut: their steps, and they themselves */
    rm2_context *ctx;
    double lengthscale, variance, noise;
    double *K, *L;           /* exact: scratch, (N - trajectories)^2 each */
    double *backward;        /* exact: scratch of the kernel's derivatives at N points */
    rm2i_inducing *inducing; /* NULL: exact */
    double *work;            /* rm2i_gpdm_work of this */
    double *X_bar;           /* N x Q, set */
    double lengthscale_bar, variance_bar, noise_bar;
    double value, jitter;
} rm2i_gpdm;

/* Scratch for the sizes that are set. */
size_t rm2i_gpdm_work(const rm2i_gpdm *g);
/* Fills value, jitter and the derivatives at X. */
rm2_status rm2i_gpdm_evaluate(rm2i_gpdm *g, const double *X);

/* Choose the inducing points at X: t <= enough, or `most` of them. Without increments there are none. */
rm2_status rm2i_gpdm_choose(rm2_context *ctx, rm2i_gpdm *g, const double *X, double enough,
                            size_t most);
/* Bounds of the exact value at X, by a set for which t <= enough. */
rm2_status rm2i_gpdm_bounds(rm2_context *ctx, const rm2i_gpdm *g, const double *X, double enough,
                            rm2i_bounds *bounds);

#endif
