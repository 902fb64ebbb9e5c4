/* Kernels on manifolds: positive definite functions k(x, y) of two points, with k(x, x) = 1.
 *
 * A product's kernel is the product of one kernel a factor. Lengthscales are in units of the
 * factor's own distance (rotation angle on SO3, affine-invariant distance on SPD(n)).
 *
 *   heat            e^{t Laplace} with t = lengthscale^2/2: on R^n the squared exponential
 *   matern32, 52    (2 nu/lengthscale^2 - Laplace)^(-nu - dim/2), nu = 3/2 or 5/2
 *   log-euclidean   exp(-|log X - log Y|^2 / (2 lengthscale^2)) on SPD(n)
 *
 *              R^n   S^n   SO3   H^n        SPD(1)  SPD(2), SPD(3)  SPD(n > 3)
 *   heat       yes   yes   yes   n <= 9     yes     yes             no
 *   matern     yes   yes   yes   n <= 9     yes     no              no
 *   log-eucl.  no    no    no    no         yes     yes             yes */
#ifndef RIEMANN2_KERNEL_H
#define RIEMANN2_KERNEL_H

#include "riemann2/base.h"
#include "riemann2/manifold.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The one list of kernels: name in C, name in text. */
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

/* "heat", "matern32", ...; "?" for a value that is none. */
RM2_API const char *rm2_kernel_name(rm2_kernel_kind kind);
/* The kernel of that name; false (and *kind untouched) if there is none. */
RM2_API bool rm2_kernel_from_name(const char *name, rm2_kernel_kind *kind);
/* heat, or log-euclidean on SPD(n > 3). */
RM2_API rm2_kernel_kind rm2_kernel_default(const rm2_factor *factor);

/* The kernel of one factor. */
typedef struct rm2_factor_kernel {
    rm2_kernel_kind kind;
    double lengthscale; /* between 1e-100 and 1e100 */
} rm2_factor_kernel;

typedef struct rm2_manifold_kernel rm2_manifold_kernel;

/* One setting a factor, in the order of the manifold's; `count` must be their number. What does not
 * depend on points (series coefficients, tables) is computed here, once; the kernel is constant
 * afterwards and may be shared between threads. The manifold may be freed before the kernel. */
RM2_API rm2_status rm2_manifold_kernel_create(rm2_context *ctx, const rm2_manifold *manifold,
                                              const rm2_factor_kernel *settings, size_t count,
                                              rm2_manifold_kernel **kernel);
RM2_API void rm2_manifold_kernel_free(rm2_manifold_kernel *kernel);

/* K_ij = k(x_i, y_j): n x m for n points X and m points Y. With Y = NULL (and m ignored) the
 * symmetric n x n matrix of X with itself, with ones on the diagonal. Values below 1e-300 are 0. */
RM2_API rm2_status rm2_manifold_kernel_matrix(rm2_context *ctx, const rm2_manifold_kernel *kernel,
                                              size_t n, const double *X, size_t m, const double *Y,
                                              double *K);

#ifdef __cplusplus
}
#endif
#endif
