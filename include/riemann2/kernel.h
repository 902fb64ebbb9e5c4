/* Kernels on manifolds: positive definite functions k(x, y) of two points, with k(x, x) = 1.
 *
 * The kernel of a product is the product of one kernel per factor. Lengthscales are in units of the
 * factor's own distance (rotation angle on SO3, affine-invariant distance on SPD(n)).
 *
 *     heat            e^{t Laplace} with t = lengthscale^2/2: on R^n the squared exponential
 *     matern32, 52    (2 nu/lengthscale^2 - Laplace)^(-nu - dim/2), nu = 3/2 or 5/2
 *     log-euclidean   exp(-|log X - log Y|^2 / (2 lengthscale^2)) on SPD(n)
 *
 *                R^n   S^n   SO3   H^n        SPD(1)  SPD(2), SPD(3)  SPD(n > 3)
 *     heat       yes   yes   yes   n <= 9     yes     yes             no
 *     matern     yes   yes   yes   n <= 9     yes     no              no
 *     log-eucl.  no    no    no    no         yes     yes             yes */
#ifndef RIEMANN2_KERNEL_H
#define RIEMANN2_KERNEL_H

#include "riemann2/base.h"
#include "riemann2/manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All kernels: name in C, name in text. */
#define RM2_KERNEL_LIST(X)                                                                         \
    X(RM2_KERNEL_HEAT, "heat")                                                                     \
    X(RM2_KERNEL_MATERN32, "matern32")                                                             \
    X(RM2_KERNEL_MATERN52, "matern52")                                                             \
    X(RM2_KERNEL_LOG_EUCLIDEAN, "log-euclidean")

typedef enum rm2_kernel_kind {
#define RM2_KERNEL_ENUM(name, text) name,
    RM2_KERNEL_LIST(RM2_KERNEL_ENUM)
#undef RM2_KERNEL_ENUM
} rm2_kernel_kind;

/* Name of a kernel: "heat", "matern32", ...; "?" for an unknown value. */
RM2_API const char *rm2_kernel_name(rm2_kernel_kind kind);
/* Find a kernel by its name; false (and *kind untouched) if the name is unknown. */
RM2_API bool rm2_kernel_from_name(const char *name, rm2_kernel_kind *kind);
/* The default kernel of a factor: heat, or log-euclidean on SPD(n > 3). */
RM2_API rm2_kernel_kind rm2_kernel_default(const rm2_factor *factor);

/* The kernel of one factor. */
typedef struct rm2_factor_kernel {
    rm2_kernel_kind kind;
    double lengthscale; /* between 1e-100 and 1e100 */
} rm2_factor_kernel;

typedef struct rm2_manifold_kernel rm2_manifold_kernel;

/* Create the kernel of a manifold. Everything that does not depend on points (series coefficients,
 * tables) is computed here, once; the kernel is constant afterwards and may be shared between
 * threads. The manifold may be freed before the kernel.
 *
 * @param ctx  context
 * @param manifold  the manifold
 * @param settings  kernel of each factor (count), in the order of the manifold's factors
 * @param count  must be the number of factors
 * @param kernel  result, freed with rm2_manifold_kernel_free
 */
RM2_API rm2_status rm2_manifold_kernel_create(rm2_context *ctx, const rm2_manifold *manifold,
                                              const rm2_factor_kernel *settings, size_t count,
                                              rm2_manifold_kernel **kernel);
RM2_API void rm2_manifold_kernel_free(rm2_manifold_kernel *kernel);

/* Compute the kernel matrix K_ij = k(x_i, y_j). Values below 1e-300 become 0.
 *
 * @param ctx  context
 * @param kernel  the kernel
 * @param n  number of points X
 * @param X  n x ambient
 * @param m  number of points Y; ignored if Y is NULL
 * @param Y  m x ambient; NULL: X, which gives the symmetric n x n matrix with ones on the diagonal
 * @param K  result: n x m
 */
RM2_API rm2_status rm2_manifold_kernel_matrix(rm2_context *ctx, const rm2_manifold_kernel *kernel,
                                              size_t n, const double *X, size_t m, const double *Y,
                                              double *K);

#ifdef __cplusplus
}
#endif
#endif
