/* The variance of points about another one, sum_i w_i d(m, x_i)^2, where distances are lengths of
 * paths: the shortest of a roadmap or, without one, straight lines in the metric. */
#ifndef RM2I_VARIANCE_H
#define RM2I_VARIANCE_H

#include "roadmap/roadmap.h"

typedef struct rm2i_variance {
    const rm2_metric *metric;
    const rm2i_roadmap *roadmap; /* NULL: straight lines */
    size_t n, Q;
    const double *points;
    const double *weights; /* not negative, their sum is one */
    rm2i_join *joins;      /* of the points, with a roadmap */
} rm2i_variance;

/* `v` has all but the joins. End it also after a failure. */
rm2_status rm2i_variance_begin(rm2_context *ctx, rm2i_variance *v);
void rm2i_variance_end(rm2i_variance *v);

/* The least among the points themselves and, with a roadmap, its nodes; and where it is (Q). */
rm2_status rm2i_variance_best(rm2_context *ctx, const rm2i_variance *v, double *x, double *least);

/* At `count` other points: infinite where the metric, the grid or numbers end. */
rm2_status rm2i_variance_at(rm2_context *ctx, const rm2i_variance *v, size_t count, const double *x,
                            double *variance);

#endif
