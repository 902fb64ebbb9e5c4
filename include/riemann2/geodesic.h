/* Curves in a latent space: geodesics with their properties, and medoids of distances. Spaces
 * (space.h) compute geodesics. */
#ifndef RIEMANN2_GEODESIC_H
#define RIEMANN2_GEODESIC_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- geodesics ------------------------------------------------------------------------------ */

/* Stages in which a geodesic is computed. */
typedef enum rm2_geodesic_stage {
    RM2_STAGE_PATH,   /* the initial path, resampled at constant speed */
    RM2_STAGE_SPLINE, /* least energy among cubic splines */
    RM2_STAGE_POLISH  /* solution of the geodesic equation */
} rm2_geodesic_stage;

RM2_API const char *rm2_stage_text(rm2_geodesic_stage stage);

/* A curve, usually a geodesic. */
typedef struct rm2_curve {
    size_t nodes, Q;
    double *x;             /* nodes x Q, at equal steps of t = 0..1, at constant speed */
    double *velocity;      /* nodes x Q: dx/dt, |dx/dt| = length */
    double length, energy; /* integrals of |x'| and |x'|^2; the energy is the squared length */
    /* Lengths after the first two stages; 0 if a stage was not run. They have three correct digits
     * if the stage ran in an interpolated metric. */
    double path_length, spline_length;
    double residual; /* largest |D x'/dt| / length at the nodes */
    /* Estimated relative error of the velocity; infinity before RM2_STAGE_POLISH, 0 if the ends
     * coincide. */
    double error;
    rm2_geodesic_stage stage; /* stage that computed the result */
    size_t iterations;        /* in the metric itself */
    size_t evaluations;       /* number of points at which G was computed */
    bool converged;           /* the requested stage reached its tolerance */
    /* In a space with obstacles: no path that keeps the clearance was found; do not drive this
     * curve. */
    bool blocked;
    double clearance; /* proven distance from the obstacles; infinity without obstacles */
} rm2_curve;

RM2_API void rm2_curve_free(rm2_curve *curve);

/* ---- many points ---------------------------------------------------------------------------- */

/* Find k medoids of n points from their distances, by partitioning around medoids from the greedy
 * start; the result is deterministic.
 *
 * @param ctx  context
 * @param n  number of points
 * @param distance  n x n
 * @param k  number of medoids
 * @param medoids  result: k increasing indices
 * @param cluster  result: index c of the nearest medoid, medoids[c], of each point (n), or NULL
 * @param cost  result: total distance to the medoids
 */
RM2_API rm2_status rm2_distance_medoids(rm2_context *ctx, size_t n, const double *distance,
                                        size_t k, size_t *medoids, size_t *cluster, double *cost);

#ifdef __cplusplus
}
#endif
#endif
