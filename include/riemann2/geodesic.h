/* Curves of a latent space: geodesics and what is known of them; medoids of distances. Spaces (space.h) compute geodesics. */
#ifndef RIEMANN2_GEODESIC_H
#define RIEMANN2_GEODESIC_H

#include "riemann2/base.h"

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

/* ---- many points ---------------------------------------------------------------------------- */

/* k medoids of n points with these distances (n x n): medoids (k increasing indices), cluster of
 * each point (n, may be NULL; c: it is nearest to medoids[c]), total distance to them.
 * Partitioning around medoids, from the greedy start: no chance. */
RM2_API rm2_status rm2_distance_medoids(rm2_context *ctx, size_t n, const double *distance,
                                        size_t k, size_t *medoids, size_t *cluster, double *cost);

#ifdef __cplusplus
}
#endif
#endif
