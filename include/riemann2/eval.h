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

/* ---- distances between sequences of points -------------------------------------------------- */

/* Points in order: count x width, borrowed. */
typedef struct rm2_sequence {
    size_t count, width;
    const double *points;
} rm2_sequence;

typedef enum rm2_dtw_kind {
    RM2_DTW_WARPED, /* root of the least sum of squared distances over all warping paths, as
                       dtw_ndim of dtaidistance */
    RM2_DTW_PADDED, /* the same, the shorter one padded with its last point first */
    RM2_DTW_NEAREST /* no warping: sum over the points of both of the distance to the nearest point
                       of the other (the formula printed in the paper) */
} rm2_dtw_kind;

typedef struct rm2_dtw_settings {
    rm2_dtw_kind kind;
    size_t window; /* points i and j may meet if j - i is less than this beyond 0 and beyond the
                      difference of the lengths (Sakoe and Chiba); 1: diagonals only; 0: no limit */
    const rm2_manifold
        *manifold; /* its distance between points; NULL: Euclidean distance of rows */
} rm2_dtw_settings;

/* `settings` NULL: warped, no window, Euclidean. */
RM2_API rm2_status rm2_dtw(rm2_context *ctx, const rm2_dtw_settings *settings,
                           const rm2_sequence *a, const rm2_sequence *b, double *distance);

typedef struct rm2_spread {
    size_t count;
    double mean;
    double deviation; /* standard deviation with divisor `count`, as numpy.std */
} rm2_spread;

/* Distances of one sequence from `count` others, on the context's threads. distances: `count`, or
 * NULL. */
RM2_API rm2_status rm2_dtw_from(rm2_context *ctx, const rm2_dtw_settings *settings,
                                const rm2_sequence *from, size_t count, const rm2_sequence *others,
                                double *distances, rm2_spread *spread);
/* Distances among `count` >= 2 sequences, all pairs i < j. The mean is the floor: what one
 * demonstration is away from another. distances: count (count - 1)/2 by rows, or NULL. */
RM2_API rm2_status rm2_dtw_floor(rm2_context *ctx, const rm2_dtw_settings *settings, size_t count,
                                 const rm2_sequence *sequences, double *distances,
                                 rm2_spread *spread);

/* ---- points --------------------------------------------------------------------------------- */

/* Which of n points are on the manifold, in the sense of numpy.isclose,
 * |a - b| <= 1e-8 + 1e-5 |b|: norm 1 (spheres, rotations); symmetric entries, and positive definite
 * (SPD); <x, x> = -1 and x0 > 0 (hyperbolic); always (Euclidean); relative defect up to 1e-5 (other
 * geometries). A number that is not finite is off. on: n x factors, or NULL; *count: points with
 * all their factors on. */
RM2_API rm2_status rm2_on_manifold(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                   const double *points, bool *on, size_t *count);

/* `count` points at equal steps along n points, on the geodesics between neighbours. */
RM2_API rm2_status rm2_resample(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                const double *points, size_t count, double *out);

/* ---- data as a model sees them -------------------------------------------------------------- */

typedef enum rm2_space {
    RM2_SPACE_AMBIENT, /* ambient coordinates, Euclidean factors in the model's units */
    RM2_SPACE_TANGENT, /* coordinates of the logarithm at the model's base point */
    RM2_SPACE_MANIFOLD /* as ambient; points must be on the manifold, compare by its distance */
} rm2_space;

/* Numbers of a point. */
RM2_API size_t rm2_space_width(const rm2_model *model, rm2_space space);
/* n points in the units of the data to rows of that space. */
RM2_API rm2_status rm2_space_rows(rm2_context *ctx, const rm2_model *model, rm2_space space,
                                  size_t n, const double *points, double *rows);

/* Quaternions (S3, SO3) with the signs that the model's training data have: each trajectory of `data`
 * as a whole takes the sign that agrees with the model's first one at equal phases; without
 * trajectories, points take that of the nearest training point. Missing ones stay. */
RM2_API rm2_status rm2_model_align_signs(rm2_context *ctx, const rm2_model *model, rm2_data *data);

/* ---- data that a model has not seen --------------------------------------------------------- */

typedef struct rm2_score {
    size_t points, converged; /* converged: encodings that did */
    double log_density;       /* mean a point, of the tangent coordinates, in the model's units */
    double log_density_manifold; /* against the Riemannian volume: less log |det dExp|; NaN for a
                                    model that is not on the manifold (RM2_GPLVM) */
    double tangent, ambient; /* root mean squared length of observation minus decoded mean: tangent
                                coordinates, ambient coordinates in the model's units */
} rm2_score;

/* Encode `data` (complete; its scale is undone) and compare with what comes back. latents (count x Q),
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

/* n points (units of the data) against the predictions at n latent points. Latents that were encoded
 * from the same points were chosen to fit them, which takes up to Q of the M degrees of freedom: the
 * coverage is then too high. squares (d2) and probabilities (F(d2), the PIT values), n each, may be
 * NULL. */
RM2_API rm2_status rm2_model_calibration(rm2_context *ctx, const rm2_model *model, size_t n,
                                         const double *latents, const double *points,
                                         double *squares, double *probabilities,
                                         rm2_calibration *calibration);

#ifdef __cplusplus
}
#endif
#endif
