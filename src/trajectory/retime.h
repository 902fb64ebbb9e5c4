/* The parts of a trajectory's timing:
 *
 *     retime.c            limits, distances, the clock, times
 *     retime_curvature.c       how the way of each factor curves at the nodes
 *     retime_profile.c    speeds within the limits of acceleration
 *
 * Nodes are the points between steps in which a factor with a limit moves. All factors follow one clock
 * s, whose unit does not matter; s_k is that of step k, h_k its duration. */
#ifndef RM2I_RETIME_H
#define RM2I_RETIME_H

#include "manifold/manifold.h"

/* The curvature c of one factor's way at a node, and e = dx/ds of the step on one side of it. */
typedef struct rm2i_curvature {
    double square; /* |c|^2 */
    double along;  /* e . c */
    double across; /* |e|^2 |c|^2 - (e . c)^2 */
} rm2i_curvature;

typedef struct rm2i_timing {
    const rm2_manifold *manifold;
    const double *points;
    size_t factors, steps;
    const double *speed, *acceleration; /* infinite: none */
    size_t *point;                      /* steps: where each starts */
    double *d;                          /* steps x factors: distances */
    double *s;                          /* steps */
    rm2i_curvature *curvature; /* steps x factors x 2: at the front and the back of the step */
    double *z;                 /* steps + 1: (ds/dt)^2 at the nodes */
} rm2i_timing;

/* What limits of the factors are for the clock in step k: the least limit_f / |e_f|. */
double rm2i_timing_limit(const rm2i_timing *t, size_t k, const double *limit);

/* Bends at all nodes; the ends have none. */
rm2_status rm2i_timing_bend(rm2_context *ctx, rm2i_timing *t);

/* z at all nodes, 0 at both ends. */
void rm2i_timing_accelerate(rm2i_timing *t);
/* The duration of step k with it. */
double rm2i_timing_duration(const rm2i_timing *t, size_t k);

#endif
