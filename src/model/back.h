/* Back constraints: latent points as a smooth function of the observations, x = sum_j w_j k_M(y,
 * y_j) (Lawrence and Quiñonero-Candela, 2006), with a kernel of the data's manifold. */
#ifndef RM2I_BACK_H
#define RM2I_BACK_H

#include "model/model.h"

/* Decide the kernels (given, or the defaults with lengthscales from the data), store them in the
 * model and compute the Gram matrix of its training points (N x N, the caller's to free). */
rm2_status rm2i_back_create(rm2_context *ctx, const rm2_factor_kernel *given, rm2_model *model,
                            double **gram);

/* Latent points of n observations (scaled units): X = k(y, Y) W. */
rm2_status rm2i_back_map(rm2_context *ctx, const rm2_model *model, size_t n, const double *points,
                         double *X);

/* Is there such a kernel? */
rm2_status rm2i_back_check(rm2_context *ctx, const rm2_model *model);

#endif
