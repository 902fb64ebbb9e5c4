/* Kernels on the latent space. */
#ifndef RIEMANN2_LATENT_H
#define RIEMANN2_LATENT_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rm2_latent_kind {
    RM2_LATENT_SE,       /* squared exponential */
    RM2_LATENT_MATERN32, /* once differentiable */
    RM2_LATENT_MATERN52  /* twice differentiable */
} rm2_latent_kind;

#ifdef __cplusplus
}
#endif
#endif
