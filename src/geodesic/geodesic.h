/* Geodesics of a metric: shortest paths on a grid or a graph, curves that minimise the energy, solutions of the geodesic
 * equation; exponential and logarithm, distances, means. Only the metric is known here.
 *
 * A geodesic is found in stages, each of which may be the last: a path on a roadmap (global: it
 * finds the way), a cubic spline through it that minimises the energy (smooth), and the
 * boundary-value problem of the geodesic equation (exact). No stage makes the energy higher. */
#ifndef RM2I_GEODESIC_H
#define RM2I_GEODESIC_H

#include "riemann2/geodesic.h"
#include "riemann2/manifold.h"
#include "riemann2/settings.h"
#include "roadmap/roadmap.h"

typedef struct rm2i_geodesic_settings {
    size_t size;             /* as rm2i_geodesic_settings_default sets it */
    rm2_geodesic_stage last; /* where to stop */
    size_t nodes;            /* of the result */
    size_t intervals;        /* of the first spline, doubled where that is too coarse */
    size_t max_iterations;   /* of each optimisation */
    double tolerance;        /* of the velocity, relative; that of the length is its square */
} rm2i_geodesic_settings;

const rm2_settings_table *rm2i_geodesic_settings_table(void);

static inline rm2i_geodesic_settings rm2i_geodesic_settings_default(void) {
    rm2i_geodesic_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2i_geodesic_settings_table(), 0, &settings);
    return settings;
}

/* The geodesic between two points. Without a roadmap (NULL) the straight line is the initial path.
 * Coincident points give a curve of length 0; between points that differ by less than 1e-10 of their
 * coordinates, where the direction has few digits, it is the line. */
rm2_status rm2i_geodesic(rm2_context *ctx, const rm2_metric *metric, const rm2i_roadmap *roadmap,
                         const rm2i_geodesic_settings *settings, const double *from,
                         const double *to, rm2_curve **curve);
/* From an initial path of n points, ends included. A path whose ends coincide, as above, gives the point
 * or the line. */
rm2_status rm2i_geodesic_refine(rm2_context *ctx, const rm2_metric *metric,
                                const rm2i_geodesic_settings *settings, size_t n,
                                const double *path, rm2_curve **curve);
/* Through all of n >= 2 points in turn: geodesics end to end, one curve of constant speed. Nodes are
 * equally spaced along the whole, so that points on the way lie between two of them. */
rm2_status rm2i_geodesic_through(rm2_context *ctx, const rm2_metric *metric,
                                 const rm2i_roadmap *roadmap,
                                 const rm2i_geodesic_settings *settings, size_t n,
                                 const double *points, rm2_curve **curve);

/* `count` pairs (count x Q each) on the context's threads. One that fails does not stop the others:
 * curves[i] is NULL there, *failed (may be NULL) the first (SIZE_MAX: none), whose status is returned,
 * with its message in the context. After an interrupt, or where memory is short, all curves are NULL
 * and *failed is SIZE_MAX. */
rm2_status rm2i_geodesic_many(rm2_context *ctx, const rm2_metric *metric,
                              const rm2i_roadmap *roadmap, const rm2i_geodesic_settings *settings,
                              size_t count, const double *from, const double *to,
                              rm2_curve **curves, size_t *failed);

/* Exponential map: the geodesic from x with velocity v at t = 1, by Dormand and Prince's method with
 * relative error `tolerance` a step. `nodes` > 0: also the path (nodes x Q, equal steps of t).
 * velocity (Q, may be NULL): at the end. RM2_ERR_DOMAIN where it leaves the metric, RM2_ERR_NUMERIC
 * where it leaves what numbers can hold; both report how far it came. */
rm2_status rm2i_geodesic_exp(rm2_context *ctx, const rm2_metric *metric, double tolerance,
                             const double *x, const double *v, double *end, double *velocity,
                             size_t nodes, double *path);
/* Logarithm: the velocity at x of the geodesic to y; `converged` (may be NULL) as in rm2_curve. */
rm2_status rm2i_geodesic_log(rm2_context *ctx, const rm2_metric *metric,
                             const rm2i_roadmap *roadmap, const rm2i_geodesic_settings *settings,
                             const double *x, const double *y, double *v, bool *converged);

/* Distances between n points, n x n and symmetric; *unconverged (may be NULL) counts pairs that did
 * not converge. */
rm2_status rm2i_geodesic_distances(rm2_context *ctx, const rm2_metric *metric,
                                   const rm2i_roadmap *roadmap,
                                   const rm2i_geodesic_settings *settings, size_t n,
                                   const double *points, double *distance, size_t *unconverged);

/* Fréchet mean of n points (weights NULL: equal), starting at the medoid of the roadmap's or the
 * straight distances. The gradient cannot be smaller than what the tolerance of the geodesics
 * leaves: the larger of the two tolerances counts. mean_settings and info may be NULL.
 *
 * With RM2_STAGE_PATH distances are rm2i_roadmap_distances, or lengths of straight lines: the search
 * starts at the best of all points and nodes, and ends where steps of the larger of the tolerance
 * and 1e-3, relative to the root of the variance, find no lower variance. Such variances have kinks,
 * and the gradient, by differences over the last step, need not be small. */
rm2_status rm2i_geodesic_mean(rm2_context *ctx, const rm2_metric *metric,
                              const rm2i_roadmap *roadmap, const rm2i_geodesic_settings *settings,
                              size_t n, const double *points, const double *weights,
                              const rm2_mean_settings *mean_settings, double *mean,
                              rm2_mean_info *info);

#endif
