/* Trajectories on a manifold: distances between them under time warping, resampling, timing within
 * limits of speed and acceleration. No model and no latent metric is known here. */
#ifndef RIEMANN2_TRAJECTORY_H
#define RIEMANN2_TRAJECTORY_H

#include "riemann2/base.h"
#include "riemann2/manifold.h"
#include "riemann2/settings.h"

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
    size_t size; /* as rm2_dtw_settings_default sets it */
    rm2_dtw_kind kind;
    size_t window; /* points i and j may meet if j - i is less than this beyond 0 and beyond the
                      difference of the lengths (Sakoe and Chiba); 1: diagonals only; 0: no limit */
    const rm2_manifold
        *manifold; /* its distance between points; NULL: Euclidean distance of rows */
} rm2_dtw_settings;

static inline rm2_dtw_settings rm2_dtw_settings_default(void) {
    rm2_dtw_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_DTW), 0, &settings);
    return settings;
}

typedef struct rm2_distance_summary {
    size_t size; /* sizeof(rm2_distance_summary), set by the caller */
    size_t count;
    double mean;
    double deviation; /* standard deviation with divisor `count`, as numpy.std */
} rm2_distance_summary;

/* Distances of one sequence from `count` others, on the context's threads. distances: `count`, or
 * NULL. */
RM2_API rm2_status rm2_dtw_from(rm2_context *ctx, const rm2_dtw_settings *settings,
                                const rm2_sequence *from, size_t count, const rm2_sequence *others,
                                double *distances, rm2_distance_summary *spread);
/* Distances among `count` >= 2 sequences, all pairs i < j. The mean is the floor: what one
 * demonstration is away from another. distances: count (count - 1)/2 by rows, or NULL. */
RM2_API rm2_status rm2_dtw_floor(rm2_context *ctx, const rm2_dtw_settings *settings, size_t count,
                                 const rm2_sequence *sequences, double *distances,
                                 rm2_distance_summary *spread);

/* ---- resampling --------------------------------------------------------------------------- */

/* `count` points at equal steps along n points, on the geodesics between neighbours. */
RM2_API rm2_status rm2_trajectory_resample(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                           const double *points, size_t count, double *out);
/* The same at equal steps of arc length: the curve, whatever its timing and the number of its points. A curve without
 * length stays its first point. */
RM2_API rm2_status rm2_trajectory_resample_by_length(rm2_context *ctx, const rm2_manifold *m,
                                                     size_t n, const double *points, size_t count,
                                                     double *out);

/* ---- timing --------------------------------------------------------------------------------- */

typedef struct rm2_speed_limits {
    const double *speed; /* one per factor, in its distance units per second; NULL or 0: none */
    const double *acceleration; /* the same per second squared; NULL or 0: none. With one or more,
                                   the trajectory starts and ends at rest, and speed is continuous */
} rm2_speed_limits;

/* Times t of n points x of a trajectory on a manifold, from 0, as fast as the limits allow. In each
 * factor, with h_i = t_{i+1} - t_i,
 *
 *     d(x_i, x_{i+1}) <= speed h_i,
 *     |2 (Log_{x_i}(x_{i+1})/h_i + Log_{x_i}(x_{i-1})/h_{i-1})| <= acceleration (h_{i-1} + h_i):
 *
 * change of speed and of direction together. Corners are passed the slower the closer the points, in the
 * limit at rest. The shorter the steps, the closer the times to the shortest possible. Points in a row
 * between which no factor with a limit moves, apart from rounding, have the same time and count as one.
 * RM2_ERR_CUT_LOCUS for steps of a factor with a limit of acceleration that have no direction. */
RM2_API rm2_status rm2_trajectory_retime(rm2_context *ctx, const rm2_manifold *manifold, size_t n,
                                         const double *points, const rm2_speed_limits *limits,
                                         double *time);

#ifdef __cplusplus
}
#endif
#endif
