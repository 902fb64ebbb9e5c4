/* Dynamics prior over trajectories (Wang, Fleet and Hertzmann, 2008, in first differences):
 *   Lo = all points but the last of each trajectory, Up = all but the first, E = Up - Lo,
 *   A = v SE(Lo; l) + z I (one joint kernel),
 *   log p = sum_first log N(x; 0, I) + log N(E; 0, I (x) A). */
#ifndef RM2I_GPDM_H
#define RM2I_GPDM_H

#include "riemann2/base.h"

typedef struct rm2i_gpdm {
    size_t N, Q, trajectories;
    const size_t *starts;
    int threads;
    double lengthscale, variance, noise;
    double *K, *L; /* scratch, (N - trajectories)^2 each */
    double *work;  /* rm2i_gpdm_work(N, Q, threads) */
    double *X_bar; /* N x Q, set */
    double lengthscale_bar, variance_bar, noise_bar;
    double value, jitter;
} rm2i_gpdm;

size_t rm2i_gpdm_work(size_t N, size_t Q, int threads);
/* Fills value, jitter and the derivatives at X. */
rm2_status rm2i_gpdm_evaluate(rm2i_gpdm *g, const double *X);

#endif
