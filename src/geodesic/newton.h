/* Newton's method for the least energy of a curve in pieces, one step a call. */
#ifndef RM2I_NEWTON_H
#define RM2I_NEWTON_H

#include "geodesic/energy.h"

typedef struct rm2i_newton {
    rm2i_energy *energy;
    rm2i_pieces *curve; /* what moves */
    rm2i_sample now, trial;
    bool sampled;    /* `now` belongs to the curve as it is */
    double *bend;    /* v^T d_r d_s G v along the curve, kept from step to step */
    bool has_bend;   /* it is good enough to be used */
    bool exact_bend; /* it belongs to `now` */
    double step;     /* last step: relative change of the velocity; infinity before the first */
    double radius;   /* longest step that is trusted */
    double damping;  /* of the last step */
    size_t iterations;
    double *gradient, *direction, *before, *H, *K, *factor;
    double *memory;
} rm2i_newton;

/* The curve must live as long; `points` of quadrature on each of its intervals. */
rm2_status rm2i_newton_create(rm2_context *ctx, rm2i_evaluator *evaluator, rm2i_pieces *curve,
                              size_t points, rm2i_newton **newton);
void rm2i_newton_free(rm2i_newton *newton);
/* The curve is another one now: begin anew. */
void rm2i_newton_restart(rm2i_newton *newton);

/* One step; *moved is false where none lowers the energy. A small step that leaves `enough` or less is
 * taken without looking at the energy after it. Fails where the curve it starts from has no energy. */
rm2_status rm2i_newton_step(rm2i_newton *newton, double enough, bool *moved);

/* What is left after steps that shrink like a geometric series: the last, and the one before. */
double rm2i_newton_rest(double step, double before);

#endif
