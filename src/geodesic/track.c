/* The stages in turn. The shortest curve so far is kept whatever a stage comes back with: all lengths
 * are those of the metric along the curve, and the energy of a curve of constant speed is the square
 * of its length. */
#include "geodesic/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum {
    PATH_PIECES = 32, /* at least, into which a path is divided for its length */
    PATH_POINTS = 5,  /* of quadrature on each */
    MOST_PIECES = 4096,
    INTERVALS_PER_ELEMENT = 2 /* of the spline, for the first elements */
};
static const double ROUGH = 0.03;    /* tolerance of a spline that is polished afterwards */
static const double ROUNDING = 1e-9; /* of lengths */
static const double UNEVEN = 0.05;   /* difference of two rules on a side, in mean sides */

rm2_status rm2i_check_geodesic_settings(rm2_context *ctx, const rm2_geodesic_settings *settings) {
    if (settings->nodes < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "geodesic: %zu nodes, not 2 or more",
                         settings->nodes);
    if (settings->intervals < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "geodesic: a spline of %zu intervals, not 2 or more", settings->intervals);
    if (!(settings->tolerance > 0))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "geodesic: tolerance is %g, not above 0",
                         settings->tolerance);
    return RM2_OK;
}

rm2_status rm2i_start_path(rm2_context *ctx, const rm2_metric *metric, const rm2_network *network,
                           const double *from, const double *to, size_t *n, double **path) {
    size_t Q = rm2_metric_dim(metric);
    double length;
    *path = NULL;
    if (network)
        return rm2_network_path(ctx, network, metric, from, to, n, path, &length);
    RM2_TRY(rm2i_alloc(ctx, 2 * Q, sizeof **path, path));
    memcpy(*path, from, Q * sizeof *from);
    memcpy(*path + Q, to, Q * sizeof *to);
    *n = 2;
    return RM2_OK;
}

/* ---- the path ------------------------------------------------------------------------------- */

static double side_of(size_t Q, const double *path, size_t i) {
    double square = 0;
    for (size_t q = 0; q < Q; q++) {
        double step = path[(i + 1) * Q + q] - path[i * Q + q];
        square += step * step;
    }
    return sqrt(square);
}

/* Into how many pieces side i is divided, of a path of so long. */
static size_t pieces_of(size_t Q, const double *path, size_t i, double length) {
    double pieces = ceil(PATH_PIECES * side_of(Q, path, i) / length);
    return pieces > 1 ? (size_t)pieces : 1;
}

/* Between coincident ends nothing is shorter than the point. */
static rm2_status make_point(rm2_context *ctx, size_t Q, const double *x, rm2i_pieces **point) {
    RM2_TRY(rm2i_pieces_create(ctx, Q, 1, 1, point));
    memcpy((*point)->coef, x, Q * sizeof *x);
    memcpy((*point)->coef + Q, x, Q * sizeof *x);
    return RM2_OK;
}

/* The path as a polygon of short sides. */
static rm2_status make_polygon(rm2_context *ctx, size_t Q, size_t n, const double *path,
                               rm2i_pieces **polygon) {
    double length = 0;
    size_t sides = 0;
    if (memcmp(path, path + (n - 1) * Q, Q * sizeof *path) == 0)
        return make_point(ctx, Q, path, polygon);
    for (size_t i = 0; i + 1 < n; i++)
        length += side_of(Q, path, i);
    if (!isfinite(length))
        return rm2i_fail(ctx, RM2_ERR_NUMERIC, "geodesic: the points are too far apart");
    for (size_t i = 0; i + 1 < n; i++)
        sides += pieces_of(Q, path, i, length);
    RM2_TRY(rm2i_pieces_create(ctx, Q, sides, 1, polygon));
    double *x = (*polygon)->coef;
    for (size_t i = 0; i + 1 < n; i++) {
        size_t pieces = pieces_of(Q, path, i, length);
        for (size_t k = 0; k < pieces; k++)
            for (size_t q = 0; q < Q; q++)
                *x++ = path[i * Q + q] +
                       (path[(i + 1) * Q + q] - path[i * Q + q]) * (double)k / (double)pieces;
    }
    memcpy(x, path + (n - 1) * Q, Q * sizeof *x);
    return RM2_OK;
}

/* The rule of order 4 with the first, middle and last of the five points differs from Gauss's by so
 * much of the length on side i. The weights on [-1, 1] are 1/(3 x^2) at -x and x, for x the last
 * point, and what is missing to 2 in the middle. */
static double measure_error(const rm2i_arc *arc, size_t i) {
    const rm2i_pieces *p = arc->curve;
    const double *speed = arc->speed + i * PATH_POINTS;
    double x = 2 * arc->rule.node[PATH_POINTS - 1] - 1, outer = 1 / (3 * x * x);
    double rule =
        0.5 * outer * (speed[0] + speed[PATH_POINTS - 1]) + (1 - outer) * speed[PATH_POINTS / 2];
    return fabs((p->breaks[i + 1] - p->breaks[i]) * rule - (arc->at[i + 1] - arc->at[i]));
}

static bool is_uneven(const rm2i_arc *arc, size_t i) {
    return measure_error(arc, i) > UNEVEN * arc->length / (double)arc->curve->intervals;
}

static size_t count_uneven(const rm2i_arc *arc) {
    size_t count = 0;
    for (size_t i = 0; i < arc->curve->intervals; i++)
        count += is_uneven(arc, i);
    return count;
}

/* The same polygon with a node more in the middle of each uneven side. */
static rm2_status halve_uneven(rm2_context *ctx, const rm2i_arc *arc, size_t uneven,
                               rm2i_pieces **finer) {
    const rm2i_pieces *old = arc->curve;
    size_t Q = old->Q;
    RM2_TRY(rm2i_pieces_create(ctx, Q, old->intervals + uneven, 1, finer));
    double *x = (*finer)->coef;
    for (size_t i = 0; i < old->intervals; i++) {
        const double *a = old->coef + i * Q;
        memcpy(x, a, Q * sizeof *x);
        x += Q;
        for (size_t q = 0; q < Q && is_uneven(arc, i); q++)
            *x++ = 0.5 * (a[q] + a[Q + q]);
    }
    memcpy(x, old->coef + old->intervals * Q, Q * sizeof *x);
    return RM2_OK;
}

/* Length of the polygon, with sides halved until the metric is even on each. */
static rm2_status measure_polygon(rm2_context *ctx, rm2i_probe *probe, rm2i_candidate *out) {
    for (;;) {
        RM2_TRY(rm2i_arc_create(ctx, probe, out->curve, PATH_POINTS, &out->arc));
        size_t uneven = count_uneven(out->arc);
        if (uneven == 0 || out->curve->intervals + uneven > MOST_PIECES)
            return RM2_OK;
        rm2i_pieces *finer;
        RM2_TRY(halve_uneven(ctx, out->arc, uneven, &finer));
        rm2i_candidate_clear(out);
        out->curve = finer;
    }
}

/* Say where the path leaves the metric. */
static rm2_status name_failure(rm2_context *ctx, const rm2_metric *metric,
                               const rm2i_pieces *polygon, rm2_status status) {
    size_t Q = polygon->Q, n = polygon->count;
    double *G;
    RM2_TRY(rm2i_alloc(ctx, n, Q * Q * sizeof *G, &G));
    rm2_status own = rm2_metric_at(ctx, metric, n, polygon->coef, G, NULL);
    free(G);
    if (own == RM2_ERR_MEMORY)
        return own;
    if (own == RM2_OK)
        (void)rm2i_fail(ctx, status, "the metric cannot be computed between two of its points");
    return rm2i_fail_prefix(ctx, status,
                            "geodesic: initial path (give a network, or a path that "
                            "stays where the metric is defined)");
}

static rm2_status take_path(rm2_context *ctx, rm2i_probe *probe, size_t n, const double *path,
                            rm2i_candidate *out) {
    size_t Q = probe->metric->Q;
    for (size_t i = 0; i < n * Q; i++)
        if (!isfinite(path[i]))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "geodesic: coordinate %zu of point %zu of the path is %g", i % Q,
                             i / Q, path[i]);
    RM2_TRY(make_polygon(ctx, Q, n, path, &out->curve));
    rm2_status status = measure_polygon(ctx, probe, out);
    if (status == RM2_INTERRUPTED)
        return rm2i_fail(ctx, status, "geodesic: interrupted");
    if (rm2i_no_metric(status))
        return name_failure(ctx, probe->metric, out->curve, status);
    out->converged = true;
    out->error = INFINITY;
    return status;
}

/* ---- stages --------------------------------------------------------------------------------- */

/* Measure a curve again, as finely as can be. */
static rm2_status remeasure(rm2i_stage *stage, rm2i_candidate *candidate) {
    rm2i_arc *fine;
    RM2_TRY(rm2i_arc_create(stage->ctx, stage->probe, candidate->curve, RM2I_RULE_MAX, &fine));
    rm2i_arc_free(candidate->arc);
    candidate->arc = fine;
    return RM2_OK;
}

/* Is the candidate longer than the best so far? Rules with few points err where a curve is coarse,
 * so both are measured again before that is believed. */
static rm2_status is_longer(rm2i_stage *stage, rm2i_candidate *best, rm2i_candidate *candidate,
                            bool *longer) {
    *longer = false;
    if (candidate->arc->length <= best->arc->length * (1 + ROUNDING))
        return RM2_OK;
    RM2_TRY(remeasure(stage, best));
    RM2_TRY(remeasure(stage, candidate));
    *longer = !(candidate->arc->length <= best->arc->length * (1 + ROUNDING));
    return RM2_OK;
}

/* Take over what a stage has made, if it is good. */
static rm2_status settle(rm2i_stage *stage, rm2_geodesic_stage name, rm2i_candidate *candidate,
                         rm2i_track *track) {
    bool refused = !candidate->curve;
    rm2_status status = refused ? RM2_OK : is_longer(stage, &track->best, candidate, &refused);
    if (status != RM2_OK)
        return status;
    if (track->stage == RM2_STAGE_PATH)
        track->path_length = track->best.arc->length;
    if (name == RM2_STAGE_POLISH)
        track->spline_length = track->best.arc->length;
    if (refused) {
        track->best.converged = false;
        return RM2_OK;
    }
    rm2i_candidate_clear(&track->best);
    track->best = *candidate;
    track->stage = name;
    *candidate = (rm2i_candidate){.curve = NULL};
    return RM2_OK;
}

static rm2_status run_spline(rm2_context *ctx, rm2i_probe *probe,
                             const rm2_geodesic_settings *settings, rm2i_track *track,
                             size_t *intervals) {
    bool polished = settings->last == RM2_STAGE_POLISH;
    rm2i_stage stage = {.ctx = ctx,
                        .probe = probe,
                        .max_iterations = settings->max_iterations,
                        .tolerance =
                            polished ? fmax(ROUGH, settings->tolerance) : settings->tolerance};
    rm2i_candidate candidate = {.curve = NULL};
    rm2_status status = rm2i_spline_stage(&stage, track->best.arc, settings->intervals, &candidate);
    *intervals = candidate.curve ? candidate.curve->intervals : settings->intervals;
    if (status == RM2_OK)
        status = settle(&stage, RM2_STAGE_SPLINE, &candidate, track);
    rm2i_candidate_clear(&candidate);
    track->iterations += stage.iterations;
    return status;
}

static rm2_status run_polish(rm2_context *ctx, rm2i_probe *probe,
                             const rm2_geodesic_settings *settings, size_t intervals,
                             rm2i_track *track) {
    rm2i_stage stage = {.ctx = ctx,
                        .probe = probe,
                        .max_iterations = settings->max_iterations,
                        .tolerance = settings->tolerance};
    rm2i_candidate candidate = {.curve = NULL};
    size_t elements = (intervals + INTERVALS_PER_ELEMENT - 1) / INTERVALS_PER_ELEMENT;
    rm2_status status = rm2i_polish_stage(&stage, track->best.arc, elements, &candidate);
    if (status == RM2_OK)
        status = settle(&stage, RM2_STAGE_POLISH, &candidate, track);
    rm2i_candidate_clear(&candidate);
    track->iterations += stage.iterations;
    return status;
}

rm2_status rm2i_track_create(rm2_context *ctx, rm2i_probe *probe,
                             const rm2_geodesic_settings *settings, size_t n, const double *path,
                             rm2i_track *track) {
    *track = (rm2i_track){.stage = RM2_STAGE_PATH};
    RM2_TRY(take_path(ctx, probe, n, path, &track->best));
    if (settings->last == RM2_STAGE_PATH)
        return RM2_OK;
    if (track->best.arc->length == 0) { /* nothing is shorter */
        track->stage = settings->last;
        track->best.error = 0;
        return RM2_OK;
    }
    size_t intervals = 0;
    rm2_status status = run_spline(ctx, probe, settings, track, &intervals);
    if (status == RM2_OK && settings->last == RM2_STAGE_POLISH)
        status = run_polish(ctx, probe, settings, intervals, track);
    return status == RM2_INTERRUPTED ? rm2i_fail(ctx, status, "geodesic: interrupted") : status;
}

rm2_status rm2i_track_between(rm2_context *ctx, rm2i_probe *probe, const rm2_network *network,
                              const rm2_geodesic_settings *settings, const double *from,
                              const double *to, rm2i_track *track) {
    double *path;
    size_t n;
    *track = (rm2i_track){.stage = RM2_STAGE_PATH};
    RM2_TRY(rm2i_start_path(ctx, probe->metric, network, from, to, &n, &path));
    rm2_status status = rm2i_track_create(ctx, probe, settings, n, path, track);
    free(path);
    return status;
}

void rm2i_track_clear(rm2i_track *track) {
    rm2i_candidate_clear(&track->best);
}
