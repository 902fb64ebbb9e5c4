/* One geodesic on its way: from a path through the stages to nodes of constant speed. */
#ifndef RM2I_LEG_H
#define RM2I_LEG_H

#include "geodesic/geodesic.h"
#include "geodesic/stage.h"
#include "riemann2/geodesic.h"
#include "roadmap/roadmap.h"

typedef struct rm2i_leg {
    rm2i_curve_candidate best;
    rm2_geodesic_stage stage; /* that it comes from */
    double path_length, spline_length;
    size_t iterations;
} rm2i_leg;

/* The caller's settings, checked, over the defaults. */
rm2_status rm2i_geodesic_settings_overlay(rm2_context *ctx, const rm2i_geodesic_settings *given,
                                          rm2i_geodesic_settings *own);

/* From a path of n >= 2 points. Where its ends coincide the leg is the point. Clear the leg also
 * after a failure. */
rm2_status rm2i_leg_create(rm2_context *ctx, rm2i_evaluator *evaluator,
                           const rm2i_geodesic_settings *settings, size_t n, const double *path,
                           rm2i_leg *leg);
void rm2i_leg_clear(rm2i_leg *leg);

/* `count` legs end to end as one curve of `nodes` nodes. */
rm2_status rm2i_leg_sample(rm2_context *ctx, rm2i_evaluator *evaluator, size_t nodes, size_t count,
                           const rm2i_leg *legs, rm2_curve **curve);

/* The same from the path to start from. */
rm2_status rm2i_leg_between(rm2_context *ctx, rm2i_evaluator *evaluator,
                            const rm2i_roadmap *roadmap, const rm2i_geodesic_settings *settings,
                            const double *from, const double *to, rm2i_leg *leg);

/* The path to start from: of the roadmap, or the straight line where that is NULL. The caller's to
 * free. */
rm2_status rm2i_start_path(rm2_context *ctx, const rm2_metric *metric, const rm2i_roadmap *roadmap,
                           const double *from, const double *to, size_t *n, double **path);

#endif
