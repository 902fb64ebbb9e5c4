/* Density of a latent point, from the latents of training: a mixture of one normal density per training latent,
 *
 *   p(x) = (1/N) sum_i N(x; m + sqrt(1 - h^2) L z_i, h^2 L L^T)
 *
 * m the mean of the latents, z_i the whitened ones, L L^T their covariance without the variance that the
 * noise of the outputs gives them (`noise`; at least 5 % of each eigenvalue stays). Mean and covariance
 * of p are m and L L^T whatever the bandwidth h is; h maximises the leave-one-out density, h = 1 is the
 * normal density. Of more than 1000 latents as many are drawn as centres; m and the covariance are those of all. */
#ifndef RM2I_LATENT_PRIOR_H
#define RM2I_LATENT_PRIOR_H

#include "riemann2/base.h"

typedef struct rm2i_latent_prior {
    size_t N, Q; /* N: centres */
    double bandwidth;
    double constant; /* of log p: what does not depend on x */
    double *mean;    /* Q */
    double *basis;   /* Q x Q: rows r_q, x - m = sum_q r_q root_q u_q */
    double *root;    /* Q */
    double *z;       /* N x Q: sqrt(1 - h^2) z_i */
    double *memory;
} rm2i_latent_prior;

rm2_status rm2i_latent_prior_create(rm2_context *ctx, size_t N, size_t Q, const double *X,
                                    double noise, rm2i_latent_prior **prior);
void rm2i_latent_prior_free(rm2i_latent_prior *prior);

/* log p(x) - constant; its slope is added to `slope` unless NULL. work: 3 Q. */
double rm2i_latent_prior_log(const rm2i_latent_prior *prior, const double *x, double *slope,
                             double *work);

#endif
