/* A lengthscale from the start of the latents: it grows with the latent length of a demonstration.
 *
 *   L_t = sum |x0_(i+1) - x0_i| along demonstration t,   l = median_t L_t/12
 *
 * Shorter lengthscales let decoded motions turn more than the demonstrations, longer ones take single motions away from
 * them. L depends on the motion, and by 1 % on the number of points and 5 % on noise of 10 %. For starts that do not lay
 * demonstrations out along a motion, and without demonstrations, l = 0.4 sqrt(Q/2), about the same for a typical motion. */
#ifndef RM2I_MOTION_SCALE_H
#define RM2I_MOTION_SCALE_H

#include "train/objective.h"

/* Of the start p->X0, whose rows may be shared. */
rm2_status rm2i_motion_scale(rm2_context *ctx, const rm2_fit_settings *s,
                             const rm2i_model_problem *p, double *scale);

#endif
