/* The Gaussian process over the latent space: kinds of kernels and of noise. */
#ifndef RIEMANN2_LATENT_H
#define RIEMANN2_LATENT_H

#ifdef __cplusplus
extern "C" {
#endif

/* The part of a kernel that is a function of the distance. A linear part w (1 + x.x') may be
 * added. */
typedef enum rm2_latent_kind {
    RM2_LATENT_SE,       /* squared exponential */
    RM2_LATENT_MATERN32, /* once differentiable */
    RM2_LATENT_MATERN52, /* twice differentiable */
    RM2_LATENT_LINEAR    /* no such part: the linear part alone */
} rm2_latent_kind;

typedef enum rm2_noise_kind {
    RM2_NOISE_KRONECKER, /* Kf (x) (Kx + s2 I) */
    RM2_NOISE_PER_OUTPUT /* Kf (x) Kx + diag(task noise + noise) (x) I */
} rm2_noise_kind;

#ifdef __cplusplus
}
#endif
#endif
