/* Heat and Matern kernels of H^n as functions of the distance. */
#ifndef RM2I_MANIFOLD_HYPERBOLIC_H
#define RM2I_MANIFOLD_HYPERBOLIC_H

#include "riemann2/kernel.h"

enum { RM2I_HYPERBOLIC_MOST = 9 }; /* largest n */

typedef struct rm2i_hyperbolic_kernel {
    size_t n;
    size_t count; /* times of the mixture */
    double *t, *amplitude;
    double norm; /* value at distance 0 before normalisation */
} rm2i_hyperbolic_kernel;

/* 2 <= n <= RM2I_HYPERBOLIC_MOST */
rm2_status rm2i_hyperbolic_kernel_create(rm2_context *ctx, size_t n, rm2_kernel_kind kind,
                                         double lengthscale, rm2i_hyperbolic_kernel *kernel);
void rm2i_hyperbolic_kernel_free(rm2i_hyperbolic_kernel *kernel);

/* Normalised kernel at the distance r. */
double rm2i_hyperbolic_kernel_at(const rm2i_hyperbolic_kernel *kernel, double r);

#endif
