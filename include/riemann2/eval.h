/* How good is a model, how good is a trajectory: distances between trajectories under time warping,
 * points on the manifold, density and reconstruction of data the model has not seen, whether its
 * uncertainty is the right size, and whether a result is where the training data are. */
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
    size_t size;              /* sizeof(rm2_score), set by the caller */
    size_t points, converged; /* converged: encodings that did */
    double
        log_density; /* mean per point, as in rm2_encoded: tangent coordinates, the model's units */
    double log_density_manifold;  /* against the Riemannian volume: less log |det dExp|; NaN for a
                                    model that is not on the manifold (RM2_GPLVM) */
    double log_density_at_latent; /* mean per point: as in rm2_encoded */
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

/* The squared Mahalanobis distance d2 of an observation from the mean at its latent point, under the predictive
 * covariance with noise, is compared with a reference distribution of k degrees of freedom:
 *   k = M for latent points that do not depend on the observations, max(M - Q, 1) for encoded ones, which are chosen to
 *   fit them;
 *   chi-square, or k F(k, n) with Fisher's F where the model is calibrated: the size of deviations was observed on n
 *   demonstrations, and demonstrations differ in size (rm2_model_info.calibration_freedom). */
typedef struct rm2_calibration {
    size_t size;                 /* sizeof(rm2_calibration), set by the caller */
    size_t points, outputs;      /* n, M */
    double level[RM2_LEVELS];    /* nominal: 0.5, 0.68, 0.8, 0.9, 0.95, 0.99 */
    double quantile[RM2_LEVELS]; /* of the reference distribution */
    double coverage[RM2_LEVELS]; /* share of points with d2 up to it */
    double mean_square; /* mean d2 over that of the reference: 1 if right, above: too certain */
    double uniformity;  /* largest difference between the distribution function of the probabilities
                          and the uniform one (Kolmogorov and Smirnov's statistic) */
    size_t degrees;     /* k */
    double freedom;     /* n; 0: the reference is chi-square */
} rm2_calibration;

/* Points, the latent points at which they are predicted, and, unless NULL, where the results of each are
 * written. */
typedef struct rm2_calibration_points {
    size_t n;
    const double *latents; /* n x Q */
    const double *points;  /* n x ambient, in the units of the data */
    double *squares;       /* n: d2 */
    double *probabilities; /* n: of the reference up to d2, the PIT values */
    bool encoded;          /* the latents were encoded from the points */
} rm2_calibration_points;

RM2_API rm2_status rm2_model_calibration(rm2_context *ctx, const rm2_model *model,
                                         const rm2_calibration_points *points,
                                         rm2_calibration *calibration);

/* ---- how smooth ----------------------------------------------------------------------------- */

/* Euclidean factors together are the positions of a curve, other factors together, as coordinates of the logarithm at the
 * model's base point, the rest. */
typedef enum rm2_curve_part { RM2_CURVE_POSITIONS, RM2_CURVE_REST, RM2_CURVE_PARTS } rm2_curve_part;

/* Of 100 points at equal steps of the part's arc length; NaN without such factors, or where they do not move. */
typedef struct rm2_smoothness {
    double
        turning[RM2_CURVE_PARTS]; /* sum of the angles between one step and the next, in radians */
    /* third derivative of the curve at constant speed, root mean square, in lengths of the curve per duration cubed: how
     * jerky it is in a fixed duration, whatever its size */
    double jerk[RM2_CURVE_PARTS];
} rm2_smoothness;

/* ---- how near to the demonstrations --------------------------------------------------------- */

/* Whether a result is where the training data are. Distances are those of the manifold in the model's units (Euclidean
 * factors divided by their scale; of RM2_GPLVM ambient ones): with trajectories to the nearest of the geodesic segments
 * between their points, so that it does not matter how densely they are sampled; else to the nearest point. They are
 * compared with the spread that the training data have among themselves:
 *
 *   trajectories   h_t = largest distance of a point of demonstration t from the other demonstrations;
 *                  spread = median of h_t, of at most 32 demonstrations at 64 points each, evenly chosen
 *   points         spread = 99 % quantile of the distances to the nearest other point, of at most 128 points
 *
 * Where the start of the training found families of demonstrations, distances are from the demonstrations of a family, in
 * its spread: a path that is near to one family here and to another there was not demonstrated.
 *
 * Along geodesics between demonstrations of real recordings distances are below the limit, 1.5 spreads
 * (docs/geometry.md has the numbers); straight latent lines, end points away from the data, models that were not trained
 * and ways between families that nothing joins are beyond it. */
typedef struct rm2_vicinity rm2_vicinity;

#define RM2_VICINITY_LIMIT 1.5

typedef struct rm2_vicinity_info {
    size_t demonstrations; /* trajectories, or points where there are none; 0: no training data */
    bool trajectories;
    double
        spread; /* in the model's units; NaN: unknown, fewer than two demonstrations or all the same */
    rm2_smoothness smoothness; /* median of at most 32 demonstrations; NaN without trajectories */
} rm2_vicinity_info;

/* The model must outlive it; several threads may use one at once, each with a context of its own. */
RM2_API rm2_status rm2_vicinity_create(rm2_context *ctx, const rm2_model *model,
                                       rm2_vicinity **vicinity);
RM2_API void rm2_vicinity_free(rm2_vicinity *vicinity);
/* Lives as long as the vicinity. The spread of NULL is unknown. */
RM2_API const rm2_vicinity_info *rm2_vicinity_info_of(const rm2_vicinity *vicinity);

typedef struct rm2_nearness {
    size_t size;        /* sizeof(rm2_nearness), set by the caller */
    double over_spread; /* largest distance, in spreads; NaN: unknown */
    size_t farthest;    /* point where it is */
    size_t beyond;      /* points beyond RM2_VICINITY_LIMIT */
} rm2_nearness;

/* "is 2.31 spreads from the nearest training data (limit 1.5): ..." with remedies: what to print of a point beyond a
 * limit, after its name. */
RM2_API void rm2_vicinity_text(double over_spread, double limit, char *text, size_t size);

/* Distances of n points in the units of the data, in spreads: over_spread (n, or NULL; NaN where the spread is
 * unknown). With `nearness` they are those of a path, from the family that all of it is nearest to; else each is from the
 * family that it is nearest to by itself. Quick where points follow each other, as those of a path do. */
RM2_API rm2_status rm2_vicinity_distances(rm2_context *ctx, const rm2_vicinity *vicinity, size_t n,
                                          const double *points, double *over_spread,
                                          rm2_nearness *nearness);

#ifdef __cplusplus
}
#endif
#endif
