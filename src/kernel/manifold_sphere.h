/* Heat and Matern kernels of S^d and SO(3) as functions of the distance. */
#ifndef RM2I_MANIFOLD_SPHERE_H
#define RM2I_MANIFOLD_SPHERE_H

#include "kernel/manifold_short.h"
#include "riemann2/kernel.h"

typedef struct rm2i_sphere_kernel {
    size_t d;
    bool even;          /* SO(3): functions on S^3 with f(q) = f(-q) */
    size_t levels;      /* of the series, for long times */
    double *series;     /* coefficient of q_n, levels of them */
    size_t short_count; /* times of the expansion */
    double *short_t, *short_amplitude;
    rm2i_short expansion;
    double norm; /* value at distance 0 before normalisation */
} rm2i_sphere_kernel;

rm2_status rm2i_sphere_kernel_create(rm2_context *ctx, size_t d, bool even, rm2_kernel_kind kind,
                                     double lengthscale, rm2i_sphere_kernel *kernel);
void rm2i_sphere_kernel_free(rm2i_sphere_kernel *kernel);

/* Normalised kernel at an angle of [0, pi] (even: the angle on S^3, half that of the rotation). */
double rm2i_sphere_kernel_at(const rm2i_sphere_kernel *kernel, double angle);

#endif
