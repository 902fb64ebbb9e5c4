/* Latents of whole trajectories. */
#ifndef RM2I_ENCODE_PATH_H
#define RM2I_ENCODE_PATH_H

#include "predict/observation.h"

/* Observations of one model: n x M, centred, and which are there. */
typedef struct rm2i_observations {
    rm2_context *ctx;
    const rm2_model *m;
    const rm2_encode_settings *s; /* with trajectories */
    size_t n;
    const double *centred;
    const bool *there;
} rm2i_observations;

rm2_status rm2i_check_trajectories(rm2_context *ctx, const rm2_encode_settings *settings, size_t n);
/* latents (n x Q) and info (n, or NULL; nearest and converged) of all trajectories. */
rm2_status rm2i_encode_paths(const rm2i_observations *all, double *latents, rm2_encoded *info);

#endif
