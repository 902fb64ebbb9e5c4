/* How good is a model, how good is a trajectory: distances between trajectories under time warping,
 * points on the manifold, density and reconstruction of data the model has not seen, and whether its
 * uncertainty is the right size. */
#ifndef RIEMANN2_EVAL_H
#define RIEMANN2_EVAL_H

#include "riemann2/base.h"
#include "riemann2/data.h"
#include "riemann2/manifold.h"
#include "riemann2/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- data as a model sees them -------------------------------------------------------------- */

typedef enum rm2_model_view {
    RM2_VIEW_AMBIENT, /* ambient coordinates, Euclidean factors in the model's units */
    RM2_VIEW_TANGENT, /* coordinates of the logarithm at the model's base point */
    RM2_VIEW_MANIFOLD /* as ambient; points must be on the manifold, compare by its distance */
} rm2_model_view;

/* Numbers of a point. */
RM2_API size_t rm2_model_view_width(const rm2_model *model, rm2_model_view view);
/* n points in the units of the data to rows of that space; those of RM2_VIEW_TANGENT and
 * RM2_VIEW_MANIFOLD must be on the manifold (rm2_manifold_contains). */
RM2_API rm2_status rm2_model_view_rows(rm2_context *ctx, const rm2_model *model,
                                       rm2_model_view view, size_t n, const double *points,
                                       double *rows);

/* ---- data that a model has not seen --------------------------------------------------------- */

typedef struct rm2_score {
    size_t points, converged; /* converged: encodings that did */
    double log_density;       /* mean a point, of the tangent coordinates, in the model's units */
    double log_density_manifold; /* against the Riemannian volume: less log |det dExp|; NaN for a
                                    model that is not on the manifold (RM2_GPLVM) */
    double tangent, ambient; /* root mean squared length of observation minus decoded mean: tangent
                                coordinates, ambient coordinates in the model's units */
} rm2_score;

/* Encode `data` (no missing entries; its scale is undone) and compare with what comes back. latents (count x Q),
 * each (one a trajectory) may be NULL. */
RM2_API rm2_status rm2_model_score(rm2_context *ctx, const rm2_model *model,
                                   const rm2_encode_settings *settings, const rm2_data *data,
                                   double *latents, rm2_score *each, rm2_score *total);

/* ---- calibration ---------------------------------------------------------------------------- */

enum { RM2_LEVELS = 6 };

/* If the model is right, the squared Mahalanobis distance d2 of an observation from the mean at its
 * latent point, under the predictive covariance with noise, is chi-square with M degrees of freedom.
 */
typedef struct rm2_calibration {
    size_t points, outputs;      /* n, M */
    double level[RM2_LEVELS];    /* nominal: 0.5, 0.68, 0.8, 0.9, 0.95, 0.99 */
    double quantile[RM2_LEVELS]; /* of chi-square with M degrees of freedom */
    double coverage[RM2_LEVELS]; /* share of points with d2 up to it */
    double mean_square;          /* mean d2 / M: 1 if right, above: too certain */
    double uniformity; /* largest difference between the distribution function of the probabilities
                          and the uniform one (Kolmogorov and Smirnov's statistic) */
} rm2_calibration;

/* Points, the latent points at which they are predicted, and, unless NULL, where the results of each are
 * written. */
typedef struct rm2_calibration_points {
    size_t n;
    const double *latents; /* n x Q */
    const double *points;  /* n x ambient, in the units of the data */
    double *squares;       /* n: d2 */
    double *probabilities; /* n: F(d2), the PIT values */
} rm2_calibration_points;

/* Latents that were encoded from the same points were chosen to fit them, which takes up to Q of the M
 * degrees of freedom: the coverage is then too high. */
RM2_API rm2_status rm2_model_calibration(rm2_context *ctx, const rm2_model *model,
                                         const rm2_calibration_points *points,
                                         rm2_calibration *calibration);

#ifdef __cplusplus
}
#endif
#endif
