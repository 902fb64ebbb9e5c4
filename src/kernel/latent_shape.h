/* SE, Matérn 3/2 and 5/2 (Rasmussen and Williams, 2006, chapter 4), s the variance, c = sqrt(2 nu):
 *   SE    k = s e^(-rho^2/2)                          a = k
 *   M5/2  k = s (1 + c rho + 5 rho^2/3) e^(-c rho)    a = (5 s/3)(1 + c rho) e^(-c rho)
 *   M3/2  k = s (1 + c rho) e^(-c rho)                a = 3 s e^(-c rho)
 * and d2k/dx dx' at 0 is a(0)/l^2. Second derivatives: d2k/dx_r dx_s = b u_r u_s - a d_rs/l_r^2 with
 * b = k, (25 s/3) e^(-c rho), 3 s c e^(-c rho)/rho (b u u is 0 at rho = 0).
 *
 * All without branches, for loops over rows; `kind` is a constant wherever these are called. */
#ifndef RM2I_LATENT_SHAPE_H
#define RM2I_LATENT_SHAPE_H

#include <math.h>

#include "base/clones.h"
#include "kernel/latent.h"
#include "linalg/branchless.h"

/* A block of the kernel matrix: coordinates of its columns are gathered once for all its rows. (Loops
 * that the compiler knows to be much shorter it writes out in full, to no good.) */
enum { RM2I_LATENT_ROWS = 8, RM2I_LATENT_COLUMNS = 128 };

/* e^x below here (1.5e-150) is zero, and all that it multiplies: products of two stay normal numbers. */
#define RM2I_LATENT_LEAST (-345.0)

typedef struct rm2i_latent_shape {
    double k, a, b; /* for s = 1 */
} rm2i_latent_shape;

/* r = c rho of the Matérn kinds */
RM2I_INLINED double rm2i_latent_distance(rm2_latent_kind kind, double rho2) {
    const double sqrt3 = 1.7320508075688772935, sqrt5 = 2.2360679774997896964;
    return kind == RM2_LATENT_SE ? 0 : (kind == RM2_LATENT_MATERN32 ? sqrt3 : sqrt5) * sqrt(rho2);
}

/* Far away (where r^2 may be infinite) e and r are set to zero: then all three are zeros. */
RM2I_INLINED rm2i_latent_shape rm2i_latent_shape_at(rm2_latent_kind kind, double rho2) {
    double r = rm2i_latent_distance(kind, rho2), x = kind == RM2_LATENT_SE ? -0.5 * rho2 : -r;
    int near = !(x < RM2I_LATENT_LEAST); /* or not a number */
    double e = rm2i_zero_unless(near, rm2i_exp_negative(x));
    r = rm2i_zero_unless(near, r);
    switch (kind) {
    case RM2_LATENT_SE:
        return (rm2i_latent_shape){e, e, e};
    case RM2_LATENT_MATERN32: /* c/rho = 3/r */
        return (rm2i_latent_shape){(1 + r) * e, 3 * e, rm2i_zero_unless(r != 0, 9 * e / r)};
    case RM2_LATENT_MATERN52:
        return (rm2i_latent_shape){(1 + r + 1.0 / 3 * r * r) * e, 5.0 / 3 * (1 + r) * e,
                                   25.0 / 3 * e};
    case RM2_LATENT_LINEAR:
        break;
    }
    return (rm2i_latent_shape){0, 0, 0};
}

/* a from k, both with the variance, without the exponential */
RM2I_INLINED double rm2i_latent_radial(rm2_latent_kind kind, double rho2, double k) {
    double r = rm2i_zero_unless(k != 0, rm2i_latent_distance(kind, rho2));
    switch (kind) {
    case RM2_LATENT_SE:
        return k;
    case RM2_LATENT_MATERN32:
        return 3 * k / (1 + r);
    case RM2_LATENT_MATERN52:
        return 5.0 / 3 * k * (1 + r) / (1 + r + 1.0 / 3 * r * r);
    case RM2_LATENT_LINEAR:
        break;
    }
    return 0;
}

/* Coordinate q of `count` points. */
RM2I_INLINED void rm2i_latent_gather(size_t Q, size_t q, size_t count, const double *X,
                                     double *restrict column) {
#pragma GCC unroll 8
    for (size_t j = 0; j < count; j++)
        column[j] = X[j * Q + q];
}

/* rho^2 between `rows` points x and at most RM2I_LATENT_COLUMNS points z; rows of rho2 are `stride`
 * apart. */
RM2I_INLINED void rm2i_latent_distances(const rm2i_latent_kernel *k, size_t rows, const double *x,
                                        size_t columns, const double *z, size_t stride,
                                        double *rho2) {
    double column[RM2I_LATENT_COLUMNS];
    size_t q = 0;
    do {
        double inverse = 1 / k->lengthscale[q];
        rm2i_latent_gather(k->dim, q, columns, z, column);
        for (size_t i = 0; i < rows; i++) {
            double at = x[i * k->dim + q], *restrict row = rho2 + i * stride;
            for (size_t j = 0; j < columns; j++) {
                double v = (at - column[j]) * inverse;
                row[j] = (q == 0 ? 0 : row[j]) + v * v;
            }
        }
    } while (++q < k->dim);
}

#endif
