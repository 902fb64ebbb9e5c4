/* Trajectories on a manifold: distances between them under time warping, resampling, and timing
 * within limits of speed and acceleration. These calls use neither a model nor a latent metric. */
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

/* Distances between two sequences. */
typedef enum rm2_dtw_kind {
    /* Root of the least sum of squared distances over all warping paths, as dtw_ndim of
     * dtaidistance. */
    RM2_DTW_WARPED,
    RM2_DTW_PADDED, /* RM2_DTW_WARPED after padding the shorter one with its last point */
    /* No warping: sum, over the points of either sequence, of the distance to the nearest point of
     * the other one (the formula printed in the paper). */
    RM2_DTW_NEAREST
} rm2_dtw_kind;

typedef struct rm2_dtw_settings {
    size_t size; /* as rm2_dtw_settings_default sets it */
    rm2_dtw_kind kind;
    /* Points i and j may be matched if j - i lies less than this outside the range between 0 and
     * the difference of the lengths (Sakoe and Chiba); 1: diagonals only; 0: no limit. */
    size_t window;
    /* Manifold whose distance is used between points; NULL: Euclidean distance of rows. */
    const rm2_manifold *manifold;
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

/* Compute distances of one sequence from others, on the context's threads.
 *
 * @param ctx  context
 * @param settings  NULL: the defaults
 * @param from  the sequence
 * @param count  number of other sequences
 * @param others  count sequences
 * @param distances  result: count, or NULL
 * @param spread  result: mean and deviation of the distances, or NULL
 */
RM2_API rm2_status rm2_dtw_from(rm2_context *ctx, const rm2_dtw_settings *settings,
                                const rm2_sequence *from, size_t count, const rm2_sequence *others,
                                double *distances, rm2_distance_summary *spread);
/* Compute distances between all pairs i < j of sequences. Their mean is the floor: the typical
 * distance of one demonstration from another.
 *
 * @param ctx  context
 * @param settings  NULL: the defaults
 * @param count  number of sequences, at least 2
 * @param sequences  count sequences
 * @param distances  result: count (count - 1)/2 by rows, or NULL
 * @param spread  result: mean and deviation of the distances, or NULL
 */
RM2_API rm2_status rm2_dtw_floor(rm2_context *ctx, const rm2_dtw_settings *settings, size_t count,
                                 const rm2_sequence *sequences, double *distances,
                                 rm2_distance_summary *spread);

/* ---- resampling --------------------------------------------------------------------------- */

/* Resample a trajectory at equal steps along its points, on the geodesics between neighbours.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param points  n x ambient
 * @param count  number of points of the result
 * @param out  result: count x ambient
 */
RM2_API rm2_status rm2_trajectory_resample(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                           const double *points, size_t count, double *out);
/* Resample a trajectory at equal steps of arc length, which keeps the curve but not its timing and
 * number of points. A curve without length stays its first point.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param points  n x ambient
 * @param count  number of points of the result
 * @param out  result: count x ambient
 */
RM2_API rm2_status rm2_trajectory_resample_by_length(rm2_context *ctx, const rm2_manifold *m,
                                                     size_t n, const double *points, size_t count,
                                                     double *out);

/* ---- timing --------------------------------------------------------------------------------- */

typedef struct rm2_speed_limits {
    const double *speed; /* one per factor, in its distance units per second; NULL or 0: none */
    /* One per factor, in its distance units per second squared; NULL or 0: none. If any is set, the
     * trajectory starts and ends at rest, and speed is continuous. */
    const double *acceleration;
} rm2_speed_limits;

/* Compute times t of the points x of a trajectory, from 0, as fast as the limits allow. In each
 * factor, with h_i = t_{i+1} - t_i,
 *
 *     d(x_i, x_{i+1}) <= speed h_i,
 *     |2 (Log_{x_i}(x_{i+1})/h_i + Log_{x_i}(x_{i-1})/h_{i-1})| <= acceleration (h_{i-1} + h_i):
 *
 * The second limit applies to changes of speed and of direction together. The closer the points,
 * the slower corners are passed, in the limit at rest. The shorter the steps, the closer the times
 * are to the shortest possible ones. Consecutive points between which no factor with a limit moves,
 * apart from rounding, have the same time and count as one.
 *
 * @param ctx  context
 * @param manifold  the manifold
 * @param n  number of points
 * @param points  n x ambient: x
 * @param limits  limits of speed and acceleration
 * @param time  result: n, the times t
 * @return RM2_ERR_CUT_LOCUS if a step of a factor with a limit of acceleration has no unique
 *     direction
 */
RM2_API rm2_status rm2_trajectory_retime(rm2_context *ctx, const rm2_manifold *manifold, size_t n,
                                         const double *points, const rm2_speed_limits *limits,
                                         double *time);

#ifdef __cplusplus
}
#endif
#endif
