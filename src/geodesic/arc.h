/* Lengths along a curve in pieces, and the times at which they are reached. */
#ifndef RM2I_ARC_H
#define RM2I_ARC_H

#include "geodesic/evaluator.h"
#include "geodesic/pieces.h"

typedef struct rm2i_arc {
    const rm2i_pieces *curve;
    rm2i_quadrature rule;
    size_t parts;  /* of each interval, on which the rule is used */
    double *at;    /* intervals x parts + 1: length up to each part */
    double *speed; /* intervals x parts x points: |x'| */
    double length;
} rm2i_arc;

/* By Gauss's rule with `points` on each interval. The curve must live as long. */
rm2_status rm2i_arc_create(rm2_context *ctx, rm2i_evaluator *evaluator, const rm2i_pieces *curve,
                           size_t points, rm2i_arc **arc);
/* With twice the parts of each interval, again and again, until the length has settled to a relative
 * accuracy or there are very many. *arc stays as good as it got where the metric ends. */
rm2_status rm2i_arc_refine(rm2_context *ctx, rm2i_evaluator *evaluator, double accuracy,
                           rm2i_arc **arc);
void rm2i_arc_free(rm2i_arc *arc);

/* The time at which the length is a fraction s of the whole. */
double rm2i_arc_time(const rm2i_arc *arc, double s);

/* The curve with its speed made constant, in other pieces. */
void rm2i_arc_resample(const rm2i_arc *arc, rm2i_pieces *into);

#endif
