/* Geodesics of a metric on the latent space: shortest paths on a grid or a graph, curves that
 * minimise the energy, solutions of the geodesic equation; exponential and logarithm, distances,
 * means, medoids. Only the metric is known here: the latent space becomes a manifold one can
 * compute on, whatever its metric comes from.
 *
 * A geodesic is found in stages, each of which may be the last: a path on a roadmap (global: it
 * finds the way), a cubic spline through it that minimises the energy (smooth), and the
 * boundary-value problem of the geodesic equation (exact). No stage makes the energy higher. */
#ifndef RIEMANN2_GEODESIC_H
#define RIEMANN2_GEODESIC_H

#include "riemann2/base.h"
#include "riemann2/manifold.h"
#include "riemann2/metric.h"
#include "riemann2/roadmap.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- geodesics ------------------------------------------------------------------------------ */

typedef enum rm2_geodesic_stage {
    RM2_STAGE_PATH,   /* the initial path, resampled at constant speed */
    RM2_STAGE_SPLINE, /* least energy among cubic splines */
    RM2_STAGE_POLISH  /* solution of the geodesic equation */
} rm2_geodesic_stage;

RM2_API const char *rm2_stage_text(rm2_geodesic_stage stage);

typedef struct rm2_geodesic_settings {
    size_t size;             /* as rm2_geodesic_settings_default sets it */
    rm2_geodesic_stage last; /* where to stop */
    size_t nodes;            /* of the result */
    size_t intervals;        /* of the first spline, doubled where that is too coarse */
    size_t max_iterations;   /* of each optimisation */
    double tolerance;        /* of the velocity, relative; that of the length is its square */
} rm2_geodesic_settings;

RM2_API const rm2_settings_table *rm2_geodesic_settings_table(void);

static inline rm2_geodesic_settings rm2_geodesic_settings_default(void) {
    rm2_geodesic_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_geodesic_settings_table(), 0, &settings);
    return settings;
}

typedef struct rm2_curve {
    size_t nodes, Q;
    double *x;             /* nodes x Q, at equal steps of t = 0..1, of constant speed */
    double *velocity;      /* nodes x Q: dx/dt, |dx/dt| = length */
    double length, energy; /* integrals of |x'| and |x'|^2, the square of the length */
    /* After the stages before; 0 where there was none. Three digits where they ran in an interpolated metric. */
    double path_length, spline_length;
    double residual; /* largest |D x'/dt| / length at the nodes */
    double error; /* estimated, of the velocity, relative; infinity before RM2_STAGE_POLISH, 0 where
                     ends coincide */
    rm2_geodesic_stage stage; /* what the result comes from */
    size_t iterations;        /* in the metric itself */
    size_t evaluations;       /* points where G was computed */
    bool converged;           /* the stage asked for was reached to its tolerance */
    bool blocked;     /* in a space with obstacles: no way keeps the clearance; do not drive it */
    double clearance; /* proven distance from the obstacles; infinity without */
} rm2_curve;

RM2_API void rm2_curve_free(rm2_curve *curve);

/* The geodesic between two points. Without a roadmap (NULL) the straight line is the initial path.
 * Coincident points give a curve of length 0; between points that differ by less than 1e-10 of their
 * coordinates, where the direction has few digits, it is the line. */
RM2_API rm2_status rm2_geodesic(rm2_context *ctx, const rm2_metric *metric,
                                const rm2_roadmap *roadmap, const rm2_geodesic_settings *settings,
                                const double *from, const double *to, rm2_curve **curve);
/* From an initial path of n points, ends included. A path whose ends coincide, as above, gives the point
 * or the line. */
RM2_API rm2_status rm2_geodesic_refine(rm2_context *ctx, const rm2_metric *metric,
                                       const rm2_geodesic_settings *settings, size_t n,
                                       const double *path, rm2_curve **curve);
/* Through all of n >= 2 points in turn: geodesics end to end, one curve of constant speed. Nodes are
 * equally spaced along the whole, so that points on the way lie between two of them. */
RM2_API rm2_status rm2_geodesic_through(rm2_context *ctx, const rm2_metric *metric,
                                        const rm2_roadmap *roadmap,
                                        const rm2_geodesic_settings *settings, size_t n,
                                        const double *points, rm2_curve **curve);

/* `count` pairs (count x Q each) on the context's threads. One that fails does not stop the others:
 * curves[i] is NULL there, *failed (may be NULL) the first (SIZE_MAX: none), whose status is returned,
 * with its message in the context. After an interrupt, or where memory is short, all curves are NULL
 * and *failed is SIZE_MAX. */
RM2_API rm2_status rm2_geodesic_many(rm2_context *ctx, const rm2_metric *metric,
                                     const rm2_roadmap *roadmap,
                                     const rm2_geodesic_settings *settings, size_t count,
                                     const double *from, const double *to, rm2_curve **curves,
                                     size_t *failed);

/* Exponential map: the geodesic from x with velocity v at t = 1, by Dormand and Prince's method with
 * relative error `tolerance` a step. `nodes` > 0: also the path (nodes x Q, equal steps of t).
 * velocity (Q, may be NULL): at the end. RM2_ERR_DOMAIN where it leaves the metric, RM2_ERR_NUMERIC
 * where it leaves what numbers can hold; both report how far it came. */
RM2_API rm2_status rm2_geodesic_exp(rm2_context *ctx, const rm2_metric *metric, double tolerance,
                                    const double *x, const double *v, double *end, double *velocity,
                                    size_t nodes, double *path);
/* Logarithm: the velocity at x of the geodesic to y; `converged` (may be NULL) as in rm2_curve. */
RM2_API rm2_status rm2_geodesic_log(rm2_context *ctx, const rm2_metric *metric,
                                    const rm2_roadmap *roadmap,
                                    const rm2_geodesic_settings *settings, const double *x,
                                    const double *y, double *v, bool *converged);

/* ---- many points ---------------------------------------------------------------------------- */

/* Distances between n points, n x n and symmetric; *unconverged (may be NULL) counts pairs that did
 * not converge. */
RM2_API rm2_status rm2_geodesic_distances(rm2_context *ctx, const rm2_metric *metric,
                                          const rm2_roadmap *roadmap,
                                          const rm2_geodesic_settings *settings, size_t n,
                                          const double *points, double *distance,
                                          size_t *unconverged);

/* Fréchet mean of n points (weights NULL: equal), starting at the medoid of the roadmap's or the
 * straight distances. The gradient cannot be smaller than what the tolerance of the geodesics
 * leaves: the larger of the two tolerances counts. mean_settings and info may be NULL.
 *
 * With RM2_STAGE_PATH distances are rm2_roadmap_distances, or lengths of straight lines: the search
 * starts at the best of all points and nodes, and ends where steps of the larger of the tolerance
 * and 1e-3, relative to the root of the variance, find no lower variance. Such variances have kinks,
 * and the gradient, by differences over the last step, need not be small. */
RM2_API rm2_status rm2_geodesic_mean(rm2_context *ctx, const rm2_metric *metric,
                                     const rm2_roadmap *roadmap,
                                     const rm2_geodesic_settings *settings, size_t n,
                                     const double *points, const double *weights,
                                     const rm2_mean_settings *mean_settings, double *mean,
                                     rm2_mean_info *info);

/* k medoids of n points with these distances (n x n): medoids (k increasing indices), cluster of
 * each point (n, may be NULL; c: it is nearest to medoids[c]), total distance to them.
 * Partitioning around medoids, from the greedy start: no chance. */
RM2_API rm2_status rm2_distance_medoids(rm2_context *ctx, size_t n, const double *distance,
                                        size_t k, size_t *medoids, size_t *cluster, double *cost);

#ifdef __cplusplus
}
#endif
#endif
