/* The density of an observation at a latent point, from the definition: decoded moments, noise,
 * plain sums; and its curvature. */
#ifndef MODEL_DENSITY_H
#define MODEL_DENSITY_H

#include "riemann2/model.h"

enum { MOST_M = 8, MOST_Q = 4 }; /* outputs, latent dimensions */

/* Outputs (tangent coordinates) of a point in the units of the data. */
void outputs_of(const rm2_model *model, const double *point, double *v);

/* Entry (a, b) of the covariance of the outputs in predictions: S Kf S of a model that is calibrated, else Kf. */
double predicted_covariance(const rm2_model *model, size_t a, size_t b);

/* log N(v; f(x), covariance of an observation at x) over the outputs `there` (NULL: all). */
double log_density_at(const rm2_model *model, const double *x, const double *v, const bool *there);

/* The broad Gaussian around the latents that density encoding adds: variance 25 times theirs. */
double log_broad_at(const rm2_model *model, const double *x);

/* The Hessian of the sum of both, negative, by second differences over 1e-3 lengthscales, good to
 * about 1e-3. */
void find_hessian(const rm2_model *model, const double *x, const double *v,
                  double H[MOST_Q][MOST_Q]);

/* H cov = 1, within 1 %. */
void assert_inverse(size_t Q, double H[MOST_Q][MOST_Q], const double *cov);
/* Symmetric, too. */
void assert_positive_definite(size_t n, const double *A);

#endif
