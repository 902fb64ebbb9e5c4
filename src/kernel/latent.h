/* Kernels on the latent space R^Q: a radial part and a linear part,
 *     k(x, x') = s * shape(rho) + w (1 + x.x'),   rho^2 = sum_q ((x - x')_q / l_q)^2.
 *
 * Every shape has a radial factor a(rho) >= 0 with
 *     dk/dx'_q = a u_q + w x_q,   u_q = (x - x')_q / l_q^2,      dk/dl_q = a (x - x')_q^2 / l_q^3,
 * so that all first derivatives of the radial part are sums of a times differences. */
#ifndef RM2I_LATENT_H
#define RM2I_LATENT_H

#include "riemann2/base.h"
#include "riemann2/latent.h"

typedef struct rm2i_latent_kernel {
    rm2_latent_kind kind;
    size_t dim;                /* Q */
    const double *lengthscale; /* Q */
    double variance;           /* s; 0 where the kind is RM2_LATENT_LINEAR */
    double linear;             /* w; 0: no linear part */
} rm2i_latent_kernel;

/* k(x, x) */
static inline double rm2i_latent_variance_at(const rm2i_latent_kernel *k, const double *x) {
    double square = 0;
    for (size_t q = 0; k->linear > 0 && q < k->dim; q++)
        square += x[q] * x[q];
    return k->linear > 0 ? k->variance + k->linear * (1 + square) : k->variance;
}

/* Lower triangle (with diagonal) of K, row-major n x n; X is n x Q. Values too small to matter are
 * exact zeros: subnormal numbers would slow every later product. On the threads of ctx (NULL: the calling one). */
void rm2i_latent_gram(rm2_context *ctx, const rm2i_latent_kernel *k, size_t n, const double *X,
                      double *K);

/* K_ij = k(x_i, z_j), n x r row-major, on the calling thread. */
void rm2i_latent_rows(const rm2i_latent_kernel *k, size_t n, const double *X, size_t r,
                      const double *Z, double *K);

/* From K_bar = df/dK the derivatives of f by all that K depends on, which are added to the arrays. */
typedef struct rm2i_latent_adjoint {
    size_t n, r;             /* rows and columns; r and Z are not read for a Gram matrix */
    const double *X, *Z;     /* n x Q, r x Q */
    const double *K, *K_bar; /* n x r */
    double *X_bar, *Z_bar;
    double *lengthscale_bar; /* Q */
    double *variance_bar;
    double *linear_bar; /* not read where the kernel has no linear part */
} rm2i_latent_adjoint;

/* Of a Gram matrix: df = sum over ALL i, j of K_bar_ij dK_ij, lower triangles of K and of K_bar, which is
 * symmetric, are read. work: rm2i_latent_backward_work(Q, n). The same bits on any number of threads. */
void rm2i_latent_gram_backward(rm2_context *ctx, const rm2i_latent_kernel *k,
                               const rm2i_latent_adjoint *adjoint, double *work);
size_t rm2i_latent_backward_work(size_t Q, size_t n);

/* Of rows, on the calling thread. */
void rm2i_latent_rows_backward(const rm2i_latent_kernel *k, const rm2i_latent_adjoint *adjoint);

/* k(x_i, x) for all i. */
void rm2i_latent_cross(const rm2i_latent_kernel *k, size_t n, const double *X, const double *x,
                       double *values);

/* Also first derivatives by x: d[q * n + i] = dk(x_i, x)/dx_q. */
void rm2i_latent_cross_gradient(const rm2i_latent_kernel *k, size_t n, const double *X,
                                const double *x, double *values, double *d);

/* Also second derivatives by x: h[pair * n + i] = d2k(x_i, x)/dx_r dx_s for r <= s, pairs in the
 * order (0,0), (0,1), ..., (1,1), ... */
void rm2i_latent_cross_hessian(const rm2i_latent_kernel *k, size_t n, const double *X,
                               const double *x, double *values, double *d, double *h);

/* SE only: derivatives of dk/dx along v, from those above: p[q * n + i] = sum_r v_r d2k/dx_r dx_q and
 * pp[pair * n + i] = sum_r v_r d3k/dx_r dx_t dx_s. */
typedef struct rm2i_latent_along {
    const double *v;     /* Q */
    const double *d, *h; /* of rm2i_latent_cross_hessian */
    double *p, *pp;
} rm2i_latent_along;
void rm2i_latent_cross_along(const rm2i_latent_kernel *k, size_t n, const double *X,
                             const double *x, const rm2i_latent_along *along);

/* d2k/dx_q dx'_q at x = x': the prior covariance of the derivative is diagonal, and the same everywhere. */
void rm2i_latent_derivative_variance(const rm2i_latent_kernel *k, double *diagonal);

#endif
