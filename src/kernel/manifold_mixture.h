/* Heat and Matern kernels as weights over diffusion times. */
#ifndef RM2I_MANIFOLD_MIXTURE_H
#define RM2I_MANIFOLD_MIXTURE_H

#include "riemann2/kernel.h"

/* k = sum_i exp(log_weight_i) H_{t_i}, up to a constant, with H_t the heat kernel in units of
 * exp(t Laplace) (not normalised). Times increase. */
typedef struct rm2i_mixture {
    size_t count;
    double *t, *log_weight;
} rm2i_mixture;

/* `dim` is the manifold's dimension; `gap` the bottom of the spectrum of -Laplace. */
rm2_status rm2i_mixture_create(rm2_context *ctx, rm2_kernel_kind kind, double lengthscale,
                               size_t dim, double gap, rm2i_mixture *mixture);
void rm2i_mixture_free(rm2i_mixture *mixture);

#endif
