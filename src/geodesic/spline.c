/* The spline stage: least energy among natural cubic splines, started from a curve of any kind at
 * constant speed.
 *
 * A spline may be too coarse in two ways. Its points of quadrature may miss a wall, so that the
 * energy looks lower than it is; or it cannot follow a corridor, and its speed varies. Both show in
 * the energy against the squared length by a finer rule, which are equal at constant speed. */
#include <math.h>

#include "base/base.h"
#include "geodesic/newton.h"
#include "geodesic/stage.h"

enum {
    POINTS = 3,        /* of quadrature on an interval, for the energy */
    LENGTH_POINTS = 5, /* for the length */
    MOST_INTERVALS = 128,
    COARSE_ITERATIONS = 15 /* after which a finer spline is the better use of evaluations */
};
static const double UNEVENNESS = 0.03; /* of length against root of energy */
static const double ROUNDING = 1e-9;   /* of lengths */

/* Least energy of the candidate's curve. */
static rm2_status minimise(rm2i_stage *stage, size_t max_iterations, rm2i_curve_candidate *c,
                           double *energy, bool *moved_at_all) {
    rm2i_newton *newton;
    bool moved = true;
    RM2_TRY(rm2i_newton_create(stage->ctx, stage->evaluator, c->curve, POINTS, &newton));
    rm2_status status = RM2_OK;
    while (status == RM2_OK && moved && newton->iterations < max_iterations &&
           (newton->step > stage->tolerance || newton->damping > 0))
        status = rm2i_newton_step(newton, stage->tolerance, &moved);
    c->error = INFINITY;
    c->converged = moved && newton->damping == 0 && newton->step <= stage->tolerance;
    *energy = newton->now.energy;
    *moved_at_all = newton->iterations > 0;
    stage->iterations += newton->iterations;
    rm2i_newton_free(newton);
    return status;
}

/* The best spline of this number of intervals; none where the one through the start has no energy, or cannot
 * be made better. */
static rm2_status one_spline(rm2i_stage *stage, const rm2i_arc *start, size_t intervals,
                             bool is_last, rm2i_curve_candidate *c) {
    double energy = 0;
    bool moved = false;
    size_t most = stage->max_iterations;
    if (!is_last && most > COARSE_ITERATIONS)
        most = COARSE_ITERATIONS;
    RM2_TRY(rm2i_pieces_create(stage->ctx, start->curve->Q, intervals, RM2I_SPLINE, &c->curve));
    rm2i_arc_resample(start, c->curve);
    rm2_status status = minimise(stage, most, c, &energy, &moved);
    if (status == RM2_OK && moved)
        status = rm2i_arc_create(stage->ctx, stage->evaluator, c->curve, LENGTH_POINTS, &c->arc);
    if (status == RM2_OK && moved && stage->accuracy > 0)
        status = rm2i_arc_refine(stage->ctx, stage->evaluator, stage->accuracy, &c->arc);
    if (rm2i_no_metric(status) || (status == RM2_OK && !moved)) {
        rm2i_candidate_clear(c);
        return RM2_OK;
    }
    RM2_TRY(status);
    if (!(fabs(sqrt(energy) / c->arc->length - 1) <= UNEVENNESS))
        c->converged = false;
    return RM2_OK;
}

rm2_status rm2i_spline_stage(rm2i_stage *stage, const rm2i_arc *start, size_t intervals,
                             rm2i_curve_candidate *out) {
    for (;; intervals *= 2) {
        bool is_last = 2 * intervals > MOST_INTERVALS;
        rm2i_curve_candidate next = {.curve = NULL};
        rm2_status status =
            one_spline(stage, out->arc ? out->arc : start, intervals, is_last, &next);
        if (status != RM2_OK) {
            rm2i_candidate_clear(&next);
            return status;
        }
        double shortest = out->arc ? out->arc->length : start->length;
        if (next.curve && next.arc->length <= shortest * (1 + ROUNDING)) {
            rm2i_candidate_clear(out);
            *out = next;
        } else {
            rm2i_candidate_clear(&next);
            out->converged = false;
        }
        if (is_last || out->converged)
            return RM2_OK;
    }
}
