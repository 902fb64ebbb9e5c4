/* The stages in turn. The shortest curve so far is kept whatever a stage comes back with: all lengths
 * are those of the metric along the curve, and the energy of a curve of constant speed is the square
 * of its length. */
#include "geodesic/leg.h"
#include "geodesic/geodesic.h"
#include "roadmap/roadmap.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "geodesic/geodesic_rows.h"
#include "geodesic/lattice.h"

enum {
    INTERVALS_PER_ELEMENT = 2, /* of the spline, for the first elements */
    DIRECT_ELEMENTS = 2,       /* where the metric barely changes */
    DIRECT_ITERATIONS = 6,
    NEAR_ITERATIONS = 12 /* from the solution in a metric that is near */
};
static const double NEAR_TOLERANCE = 1e-4;  /* there, at least: splines have few derivatives */
static const double NEAR_SLACK = 1e-3;      /* of lengths there */
static const double ROUGH = 0.03;           /* tolerance of a spline that is polished afterwards */
static const double ROUNDING = 1e-9;        /* of lengths */
static const double LENGTH_ACCURACY = 1e-6; /* where a spline is the result */

static const rm2_setting rows[] = {RM2I_GEODESIC_ROWS(rm2i_geodesic_settings, last)};

RM2I_TABLE(rm2i_geodesic_settings_table, "geodesic", rm2i_geodesic_settings, rows)

rm2_status rm2i_geodesic_settings_overlay(rm2_context *ctx, const rm2i_geodesic_settings *given,
                                          rm2i_geodesic_settings *own) {
    *own = rm2i_geodesic_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, given, own));
    return rm2_settings_check(ctx, rm2i_geodesic_settings_table(), own);
}

void rm2i_candidate_clear(rm2i_curve_candidate *candidate) {
    rm2i_arc_free(candidate->arc);
    rm2i_pieces_free(candidate->curve);
    *candidate = (rm2i_curve_candidate){.curve = NULL};
}

/* ---- stages --------------------------------------------------------------------------------- */

/* Both as long as they are, to a relative accuracy. */
static rm2_status measure(rm2i_stage *stage, double accuracy, rm2i_curve_candidate *one,
                          rm2i_curve_candidate *other) {
    RM2_TRY(rm2i_arc_refine(stage->ctx, stage->evaluator, accuracy, &one->arc));
    return rm2i_arc_refine(stage->ctx, stage->evaluator, accuracy, &other->arc);
}

/* Is the candidate longer than the best so far? Rules with few points err where a curve is coarse,
 * so both are measured again before that is believed. */
static rm2_status is_longer(rm2i_stage *stage, rm2i_curve_candidate *best,
                            rm2i_curve_candidate *candidate, bool *longer) {
    double slack = fmax(ROUNDING, rm2i_pieces_rounding(candidate->curve));
    *longer = false;
    if (candidate->arc->length <= best->arc->length * (1 + slack))
        return RM2_OK;
    RM2_TRY(measure(stage, 0.1 * ROUNDING, best, candidate));
    *longer = !(candidate->arc->length <= best->arc->length * (1 + slack));
    return RM2_OK;
}

/* Take over what a stage has made, if it is good. */
static rm2_status accept_candidate(rm2i_stage *stage, rm2_geodesic_stage name,
                                   rm2i_curve_candidate *candidate, rm2i_leg *leg) {
    bool refused = !candidate->curve;
    rm2_status status = refused ? RM2_OK : is_longer(stage, &leg->best, candidate, &refused);
    if (rm2i_no_metric(status))
        refused = true;
    else if (status != RM2_OK)
        return status;
    if (leg->stage == RM2_STAGE_PATH)
        leg->path_length = leg->best.arc->length;
    if (name == RM2_STAGE_POLISH)
        leg->spline_length = leg->best.arc->length;
    if (refused) {
        leg->best.converged = false;
        return RM2_OK;
    }
    rm2i_candidate_clear(&leg->best);
    leg->best = *candidate;
    leg->stage = name;
    *candidate = (rm2i_curve_candidate){.curve = NULL};
    return RM2_OK;
}

/* The same, as a part of the activity that is done. */
static rm2_status finish_stage(rm2i_stage *stage, rm2_geodesic_stage name,
                               rm2i_curve_candidate *candidate, rm2i_leg *leg) {
    rm2_status status = accept_candidate(stage, name, candidate, leg);
    if (status == RM2_OK)
        rm2i_activity_advance(stage->ctx, 1);
    leg->iterations += stage->iterations;
    return status;
}

static rm2_status run_spline(rm2_context *ctx, rm2i_evaluator *evaluator,
                             const rm2i_geodesic_settings *settings, rm2i_leg *leg,
                             size_t *intervals) {
    bool polished = settings->last == RM2_STAGE_POLISH;
    rm2i_stage stage = {.ctx = ctx,
                        .evaluator = evaluator,
                        .max_iterations = settings->max_iterations,
                        .tolerance =
                            polished ? fmax(ROUGH, settings->tolerance) : settings->tolerance};
    rm2i_curve_candidate candidate = {.curve = NULL};
    rm2_status status = RM2_OK;
    if (!polished) { /* it may be the result */
        stage.accuracy = LENGTH_ACCURACY;
        status = rm2i_arc_refine(ctx, evaluator, stage.accuracy, &leg->best.arc);
    }
    if (status == RM2_OK || rm2i_no_metric(status)) /* as it was measured before */
        status = rm2i_spline_stage(&stage, leg->best.arc, settings->intervals, &candidate);
    *intervals = candidate.curve ? candidate.curve->intervals : settings->intervals;
    if (status == RM2_OK)
        status = finish_stage(&stage, RM2_STAGE_SPLINE, &candidate, leg);
    rm2i_candidate_clear(&candidate);
    return status;
}

static rm2_status run_polish(rm2_context *ctx, rm2i_evaluator *evaluator,
                             const rm2i_geodesic_settings *settings, size_t intervals,
                             rm2i_leg *leg) {
    rm2i_stage stage = {.ctx = ctx,
                        .evaluator = evaluator,
                        .max_iterations = settings->max_iterations,
                        .tolerance = settings->tolerance};
    rm2i_curve_candidate candidate = {.curve = NULL};
    size_t elements = (intervals + INTERVALS_PER_ELEMENT - 1) / INTERVALS_PER_ELEMENT;
    rm2_status status = rm2i_polish_stage(&stage, leg->best.arc, elements, &candidate);
    if (status == RM2_OK)
        status = finish_stage(&stage, RM2_STAGE_POLISH, &candidate, leg);
    rm2i_candidate_clear(&candidate);
    return status;
}

/* ---- where the metric barely changes -------------------------------------------------------- */

/* The geodesic equation from the path itself, on few elements: no spline is needed to come near, and few
 * points measure the path. What does not converge in some steps leaves no curve. */
static rm2_status run_direct(rm2_context *ctx, rm2i_evaluator *evaluator,
                             const rm2i_geodesic_settings *settings, size_t n, const double *path,
                             rm2i_leg *leg) {
    rm2i_stage stage = {.ctx = ctx,
                        .evaluator = evaluator,
                        .max_iterations = DIRECT_ITERATIONS,
                        .tolerance = settings->tolerance};
    rm2i_curve_candidate candidate = {.curve = NULL};
    RM2_TRY(rm2i_path_sketch(ctx, evaluator, n, path, &leg->best));
    rm2_status status = RM2_OK;
    if (leg->best.curve)
        status = rm2i_polish_stage(&stage, leg->best.arc, DIRECT_ELEMENTS, &candidate);
    if (status == RM2_OK && candidate.curve && candidate.converged) {
        status = accept_candidate(&stage, RM2_STAGE_POLISH, &candidate, leg);
        leg->iterations = stage.iterations;
    }
    rm2i_candidate_clear(&candidate);
    if (leg->stage != RM2_STAGE_POLISH) {
        rm2i_leg_clear(leg);
        leg->iterations = 0;
    } else if (status == RM2_OK) {
        rm2i_activity_advance(ctx, (size_t)RM2_STAGE_POLISH + 1);
    }
    return status;
}

/* ---- by way of a metric that is near ---------------------------------------------------------- */

/* All stages in the other metric. */
static rm2_status solve_near(rm2_context *ctx, rm2i_evaluator *near,
                             const rm2i_geodesic_settings *settings, size_t n, const double *path,
                             rm2i_leg *leg) {
    rm2i_geodesic_settings own = *settings;
    size_t intervals = 0;
    own.tolerance = fmax(settings->tolerance, NEAR_TOLERANCE);
    rm2_status status = rm2i_path_measure(ctx, near, n, path, &leg->best);
    if (status == RM2_OK)
        status = run_spline(ctx, near, &own, leg, &intervals);
    if (status == RM2_OK)
        status = run_polish(ctx, near, &own, intervals, leg);
    return rm2i_no_metric(status) ? RM2_OK : status;
}

/* The geodesic equation from its solution in the other metric, which takes few steps. What does not converge in
 * them, or is longer than the path, leaves no curve. */
static rm2_status polish_near(rm2_context *ctx, rm2i_evaluator *evaluator, rm2i_evaluator *near,
                              const rm2i_geodesic_settings *settings, const rm2i_leg *start,
                              rm2i_leg *leg) {
    rm2i_stage stage = {.ctx = ctx,
                        .evaluator = evaluator,
                        .max_iterations = settings->max_iterations < NEAR_ITERATIONS
                                              ? settings->max_iterations
                                              : NEAR_ITERATIONS,
                        .tolerance = settings->tolerance};
    rm2i_curve_candidate *best = &leg->best;
    if (start->stage != RM2_STAGE_POLISH || !start->best.converged)
        return RM2_OK;
    RM2_TRY(rm2i_polish_near(&stage, near, start->best.curve, best));
    if (!best->curve || !best->converged ||
        !(best->arc->length <= start->path_length * (1 + NEAR_SLACK))) {
        rm2i_candidate_clear(best);
        return RM2_OK;
    }
    leg->stage = RM2_STAGE_POLISH;
    leg->iterations = stage.iterations;
    leg->path_length = fmax(start->path_length, best->arc->length);
    leg->spline_length = fmax(start->spline_length, best->arc->length);
    return RM2_OK;
}

/* Both; stages in the other metric are no parts of the caller's activity. */
static rm2_status run_near(rm2_context *ctx, rm2i_evaluator *evaluator,
                           const rm2i_geodesic_settings *settings, size_t n, const double *path,
                           rm2i_leg *leg) {
    rm2_metric *near;
    rm2i_evaluator other = {.metric = NULL};
    rm2i_leg start = {.stage = RM2_STAGE_PATH};
    if (rm2i_is_one_place(evaluator->metric->Q, n, path))
        return RM2_OK;
    RM2_TRY(rm2i_lattice_create(ctx, evaluator, n, path, &near));
    if (!near)
        return RM2_OK;
    rm2i_activity_begin(ctx, "geodesic", 1);
    rm2_status status = rm2i_evaluator_begin(ctx, near, 1, &other);
    if (status == RM2_OK)
        status = solve_near(ctx, &other, settings, n, path, &start);
    if (status == RM2_OK)
        status = polish_near(ctx, evaluator, &other, settings, &start, leg);
    rm2i_activity_end(ctx);
    rm2i_leg_clear(&start);
    rm2i_evaluator_end(&other);
    rm2_metric_free(near);
    if (leg->stage == RM2_STAGE_POLISH)
        rm2i_activity_advance(ctx, (size_t)RM2_STAGE_POLISH + 1);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* All stages in turn. */
static rm2_status run_stages(rm2_context *ctx, rm2i_evaluator *evaluator,
                             const rm2i_geodesic_settings *settings, size_t n, const double *path,
                             rm2i_leg *leg) {
    RM2_TRY(rm2i_path_stage(ctx, evaluator, n, path, &leg->best));
    rm2i_activity_advance(ctx, 1);
    if (settings->last == RM2_STAGE_PATH)
        return RM2_OK;
    if (leg->best.error == 0 || leg->best.arc->length == 0) { /* nothing is shorter */
        leg->stage = settings->last;
        leg->best.error = 0;
        rm2i_activity_advance(ctx, (size_t)settings->last);
        return RM2_OK;
    }
    size_t intervals = 0;
    RM2_TRY(run_spline(ctx, evaluator, settings, leg, &intervals));
    return settings->last == RM2_STAGE_POLISH ? run_polish(ctx, evaluator, settings, intervals, leg)
                                              : RM2_OK;
}

rm2_status rm2i_leg_create(rm2_context *ctx, rm2i_evaluator *evaluator,
                           const rm2i_geodesic_settings *settings, size_t n, const double *path,
                           rm2i_leg *leg) {
    *leg = (rm2i_leg){.stage = RM2_STAGE_PATH};
    rm2_status status = RM2_OK;
    bool quick =
        settings->last == RM2_STAGE_POLISH && settings->max_iterations >= DIRECT_ITERATIONS;
    if (quick)
        status = run_direct(ctx, evaluator, settings, n, path, leg);
    if (quick && status == RM2_OK && leg->stage == RM2_STAGE_PATH)
        status = run_near(ctx, evaluator, settings, n, path, leg);
    if (status == RM2_OK && leg->stage == RM2_STAGE_PATH)
        status = run_stages(ctx, evaluator, settings, n, path, leg);
    return status == RM2_INTERRUPTED ? rm2i_fail(ctx, status, "geodesic: interrupted") : status;
}

rm2_status rm2i_leg_between(rm2_context *ctx, rm2i_evaluator *evaluator,
                            const rm2i_roadmap *roadmap, const rm2i_geodesic_settings *settings,
                            const double *from, const double *to, rm2i_leg *leg) {
    double *path;
    size_t n;
    *leg = (rm2i_leg){.stage = RM2_STAGE_PATH};
    RM2_TRY(rm2i_start_path(ctx, evaluator->metric, roadmap, from, to, &n, &path));
    rm2_status status = rm2i_leg_create(ctx, evaluator, settings, n, path, leg);
    free(path);
    return status;
}

void rm2i_leg_clear(rm2i_leg *leg) {
    rm2i_candidate_clear(&leg->best);
}
