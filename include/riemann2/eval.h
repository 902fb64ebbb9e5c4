/* Evaluation of models: density and reconstruction of data that a model has not seen, calibration
 * of its uncertainty, and distances of results from the training data. */
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

/* Coordinates in which data are compared. */
typedef enum rm2_model_view {
    RM2_VIEW_AMBIENT, /* ambient coordinates, Euclidean factors in the model's units */
    RM2_VIEW_TANGENT, /* coordinates of the logarithm at the model's base point */
    /* Ambient coordinates of points that must be on the manifold, to be compared by its
     * distance. */
    RM2_VIEW_MANIFOLD
} rm2_model_view;

/* Number of entries per point. */
RM2_API size_t rm2_model_view_width(const rm2_model *model, rm2_model_view view);
/* Convert points to rows of a view.
 *
 * @param ctx  context
 * @param model  the model
 * @param view  coordinates of the rows
 * @param n  number of points
 * @param points  n x ambient, in the units of the data; for RM2_VIEW_TANGENT and RM2_VIEW_MANIFOLD
 *     they must be on the manifold (rm2_manifold_contains)
 * @param rows  result: n x rm2_model_view_width
 */
RM2_API rm2_status rm2_model_view_rows(rm2_context *ctx, const rm2_model *model,
                                       rm2_model_view view, size_t n, const double *points,
                                       double *rows);

/* ---- data that a model has not seen --------------------------------------------------------- */

/* Scores of points that were encoded and decoded again. Lengths are root mean squared lengths of
 * the observation minus the decoded mean. */
typedef struct rm2_score {
    size_t size;              /* sizeof(rm2_score), set by the caller */
    size_t points, converged; /* numbers of points, and of encodings that converged */
    /* Mean log density per point, as in rm2_encoded: in tangent coordinates, in the model's
     * units. */
    double log_density;
    /* Mean log density against the Riemannian volume: log_density less log |det dExp|; NaN for a
     * model that is not on the manifold (RM2_GPLVM). */
    double log_density_manifold;
    /* Mean per point of rm2_encoded.log_density_at_latent. */
    double log_density_at_latent;
    /* Lengths in tangent coordinates, and in ambient coordinates in the model's units. */
    double tangent, ambient;
} rm2_score;

/* Encode data and compare them with the decoded means.
 *
 * @param ctx  context
 * @param model  the model
 * @param settings  encoding settings; NULL: the defaults
 * @param data  points without missing entries; their scale is undone
 * @param latents  result: count x Q, or NULL
 * @param each  result: scores of each trajectory, one per trajectory, or NULL
 * @param total  result: scores of all points
 */
RM2_API rm2_status rm2_model_score(rm2_context *ctx, const rm2_model *model,
                                   const rm2_encode_settings *settings, const rm2_data *data,
                                   double *latents, rm2_score *each, rm2_score *total);

/* ---- calibration ---------------------------------------------------------------------------- */

enum { RM2_LEVELS = 6 };

/* Calibration of the uncertainty. The squared Mahalanobis distance d2 of an observation from the
 * mean at its latent point, under the predictive covariance with noise, is compared with a
 * reference distribution with k degrees of freedom:
 *
 *     k              M for latent points that do not depend on the observations, max(M - Q, 1) for
 *                    encoded ones, which are chosen to fit the observations
 *     distribution   chi-square, or k F(k, n) with Fisher's F if the model is calibrated: the size
 *                    of deviations was observed on n demonstrations, and demonstrations differ in
 *                    size (rm2_model_info.calibration_freedom) */
typedef struct rm2_calibration {
    size_t size;                 /* sizeof(rm2_calibration), set by the caller */
    size_t points, outputs;      /* n and M */
    double level[RM2_LEVELS];    /* nominal: 0.5, 0.68, 0.8, 0.9, 0.95, 0.99 */
    double quantile[RM2_LEVELS]; /* quantiles of the reference distribution */
    double coverage[RM2_LEVELS]; /* share of points with d2 up to the quantile */
    /* Mean d2 over the mean of the reference: 1 if right, larger if the model is too certain. */
    double mean_square;
    /* Largest difference between the distribution function of the probabilities and the uniform one
     * (Kolmogorov and Smirnov's statistic). */
    double uniformity;
    size_t degrees; /* k */
    double freedom; /* n; 0: the reference is chi-square */
} rm2_calibration;

/* Points, the latent points at which they are predicted, and results per point. */
typedef struct rm2_calibration_points {
    size_t n;
    const double *latents; /* n x Q */
    const double *points;  /* n x ambient, in the units of the data */
    double *squares;       /* result: n, d2; or NULL */
    /* Result: n, probabilities of the reference up to d2, the PIT values; or NULL. */
    double *probabilities;
    bool encoded; /* the latents were encoded from the points */
} rm2_calibration_points;

/* Measure the calibration of a model. */
RM2_API rm2_status rm2_model_calibration(rm2_context *ctx, const rm2_model *model,
                                         const rm2_calibration_points *points,
                                         rm2_calibration *calibration);

/* ---- smoothness ----------------------------------------------------------------------------- */

/* Parts of a curve. The Euclidean factors together are its positions; the other factors together,
 * as coordinates of the logarithm at the model's base point, are the rest. */
typedef enum rm2_curve_part { RM2_CURVE_POSITIONS, RM2_CURVE_REST, RM2_CURVE_PARTS } rm2_curve_part;

/* Smoothness of a curve, measured for each part at 100 points at equal steps of the part's arc
 * length; NaN without such factors, and if they do not move. */
typedef struct rm2_smoothness {
    /* Sum of the angles between consecutive steps, in radians. */
    double turning[RM2_CURVE_PARTS];
    /* Root mean square of the third derivative of the curve at constant speed, in lengths of the
     * curve per duration cubed: a measure of jerk for a fixed duration that does not depend on the
     * size of the curve. */
    double jerk[RM2_CURVE_PARTS];
} rm2_smoothness;

/* ---- distance from the demonstrations ------------------------------------------------------- */

/* Measure of whether a result lies where the training data are. Distances are those of the manifold
 * in the model's units (Euclidean factors divided by their scale; for RM2_GPLVM ambient ones). If
 * the data have trajectories, a distance is measured to the nearest of the geodesic segments
 * between their points, so that it does not depend on how densely they are sampled; otherwise to
 * the nearest point. Distances are compared with the spread of the training data themselves:
 *
 *     trajectories   h_t = largest distance of a point of demonstration t from the other
 *                    demonstrations; spread = median of h_t, over at most 32 demonstrations with
 *                    64 points each, evenly chosen
 *     points         spread = 99 % quantile of the distances to the nearest other point, over at
 *                    most 128 points
 *
 * If the start of the training found families of demonstrations, distances are measured from the
 * demonstrations of one family, in its spread: a path that is near to one family in one place and
 * to another family elsewhere was not demonstrated.
 *
 * Along geodesics between demonstrations of real recordings, distances are below the limit, 1.5
 * spreads (docs/geometry.md has the numbers). Straight latent lines, end points away from the data,
 * models that were not trained, and paths between unconnected families exceed it. */
typedef struct rm2_vicinity rm2_vicinity;

#define RM2_VICINITY_LIMIT 1.5

typedef struct rm2_vicinity_info {
    /* Number of trajectories, or of points if the data have no trajectories; 0: no training
     * data. */
    size_t demonstrations;
    bool trajectories; /* the demonstrations are trajectories */
    /* In the model's units; NaN: unknown, because the data have fewer than two demonstrations or
     * all are equal. */
    double spread;
    /* Median of at most 32 demonstrations; NaN without trajectories. */
    rm2_smoothness smoothness;
} rm2_vicinity_info;

/* Create the measure for a model, which must outlive it. Several threads may use one vicinity at
 * once, each with a context of its own. */
RM2_API rm2_status rm2_vicinity_create(rm2_context *ctx, const rm2_model *model,
                                       rm2_vicinity **vicinity);
RM2_API void rm2_vicinity_free(rm2_vicinity *vicinity);
/* Properties of a vicinity, which live as long as the vicinity. For NULL the spread is unknown. */
RM2_API const rm2_vicinity_info *rm2_vicinity_info_of(const rm2_vicinity *vicinity);

/* Summary of the distances of several points. */
typedef struct rm2_nearness {
    size_t size;        /* sizeof(rm2_nearness), set by the caller */
    double over_spread; /* largest distance, in spreads; NaN: unknown */
    size_t farthest;    /* index of the point with the largest distance */
    size_t beyond;      /* number of points beyond RM2_VICINITY_LIMIT */
    size_t family;      /* family that a path is nearest to, as in rm2_start_report */
} rm2_nearness;

/* Message for a point beyond a limit, to be printed after the name of the point, with remedies: "is
 * 2.31 spreads from the nearest training data (limit 1.5): ...". */
RM2_API void rm2_vicinity_text(double over_spread, double limit, char *text, size_t size);

/* Measure distances of points from the training data. With `nearness`, the points are a path, and
 * distances are from the family that the whole path is nearest to; otherwise the distance of each
 * point is from the family that this point is nearest to. The search is fast if consecutive points
 * are close to each other, as on a path.
 *
 * @param ctx  context
 * @param vicinity  the measure
 * @param n  number of points
 * @param points  n x ambient, in the units of the data
 * @param over_spread  result: distance of each point in spreads (n; NaN if the spread is unknown),
 *     or NULL
 * @param nearness  result: summary of all points, or NULL
 */
RM2_API rm2_status rm2_vicinity_distances(rm2_context *ctx, const rm2_vicinity *vicinity, size_t n,
                                          const double *points, double *over_spread,
                                          rm2_nearness *nearness);

#ifdef __cplusplus
}
#endif
#endif
