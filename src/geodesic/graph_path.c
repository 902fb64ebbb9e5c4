/* The path that a geodesic starts from, and its length. Sides of paths may be long where the metric is
 * rough: they are halved until a rule of low order and one of high order agree on each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geodesic/leg.h"
#include "roadmap/roadmap.h"

enum {
    PATH_PIECES = 32,  /* at least, into which a path is divided for its length */
    PATH_POINTS = 5,   /* of quadrature on each */
    SKETCH_PIECES = 8, /* the same where the metric may be even, and not longer than its scale */
    SKETCH_POINTS = 2,
    MOST_PIECES = 4096
};
static const double EVEN = 2;      /* largest over least speed where a sketch will do */
static const double UNEVEN = 0.05; /* difference of two rules on a side, in mean sides */
/* Of coordinates: the direction from one end to the other keeps six digits, and a geodesic differs from
 * the line by less than that. */
static const double ONE_PLACE = 1e-10;

rm2_status rm2i_start_path(rm2_context *ctx, const rm2_metric *metric, const rm2i_roadmap *roadmap,
                           const double *from, const double *to, size_t *n, double **path) {
    size_t Q = rm2_metric_dim(metric);
    rm2i_path shortest = {.count = 0};
    *path = NULL;
    if (roadmap) {
        rm2_status status = rm2i_roadmap_path(ctx, roadmap, metric, from, to, &shortest);
        *n = shortest.count;
        *path = shortest.x;
        return status;
    }
    RM2_TRY(rm2i_alloc(ctx, 2 * Q, sizeof **path, path));
    memcpy(*path, from, Q * sizeof *from);
    memcpy(*path + Q, to, Q * sizeof *to);
    *n = 2;
    return RM2_OK;
}

/* ---- the polygon ---------------------------------------------------------------------------- */

static double side_of(size_t Q, const double *path, size_t i) {
    double square = 0;
    for (size_t q = 0; q < Q; q++) {
        double step = path[(i + 1) * Q + q] - path[i * Q + q];
        square += step * step;
    }
    return sqrt(square);
}

/* Into how many pieces side i is divided, of a path that is to have `least`. */
static size_t pieces_of(size_t Q, const double *path, size_t i, double length, size_t least) {
    double pieces = ceil((double)least * side_of(Q, path, i) / length);
    return pieces > 1 ? (size_t)pieces : 1;
}

/* Do the ends coincide, or nearly? */
bool rm2i_is_one_place(size_t Q, size_t n, const double *path) {
    const double *last = path + (n - 1) * Q;
    double size = 0, extent = 0;
    for (size_t q = 0; q < Q; q++) {
        size = fmax(size, fmax(fabs(path[q]), fabs(last[q])));
        extent = fmax(extent, fabs(last[q] - path[q]));
    }
    return extent <= ONE_PLACE * size;
}

/* Between ends in one place nothing is shorter than the line, whichever way the path goes. */
static rm2_status make_line(rm2_context *ctx, size_t Q, size_t n, const double *path,
                            rm2i_pieces **line) {
    RM2_TRY(rm2i_pieces_create(ctx, Q, 1, 1, line));
    memcpy((*line)->coef, path, Q * sizeof *path);
    memcpy((*line)->coef + Q, path + (n - 1) * Q, Q * sizeof *path);
    return RM2_OK;
}

/* The path as a polygon of `least` sides or more. */
static rm2_status make_polygon(rm2_context *ctx, size_t Q, size_t n, const double *path,
                               size_t least, rm2i_pieces **polygon) {
    double length = 0;
    size_t sides = 0;
    if (rm2i_is_one_place(Q, n, path))
        return make_line(ctx, Q, n, path, polygon);
    for (size_t i = 0; i + 1 < n; i++)
        length += side_of(Q, path, i);
    if (!isfinite(length))
        return rm2i_fail(ctx, RM2_ERR_NUMERIC, "geodesic: the points are too far apart");
    for (size_t i = 0; i + 1 < n; i++)
        sides += pieces_of(Q, path, i, length, least);
    RM2_TRY(rm2i_pieces_create(ctx, Q, sides, 1, polygon));
    double *x = (*polygon)->coef;
    for (size_t i = 0; i + 1 < n; i++) {
        size_t pieces = pieces_of(Q, path, i, length, least);
        for (size_t k = 0; k < pieces; k++)
            for (size_t q = 0; q < Q; q++)
                *x++ = path[i * Q + q] +
                       (path[(i + 1) * Q + q] - path[i * Q + q]) * (double)k / (double)pieces;
    }
    memcpy(x, path + (n - 1) * Q, Q * sizeof *x);
    return RM2_OK;
}

/* ---- its length ----------------------------------------------------------------------------- */

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
static rm2_status measure_polygon(rm2_context *ctx, rm2i_evaluator *evaluator,
                                  rm2i_curve_candidate *out) {
    for (;;) {
        RM2_TRY(rm2i_arc_create(ctx, evaluator, out->curve, PATH_POINTS, &out->arc));
        size_t uneven = count_uneven(out->arc);
        if (uneven == 0 || out->curve->intervals + uneven > MOST_PIECES)
            return RM2_OK;
        rm2i_pieces *finer;
        RM2_TRY(halve_uneven(ctx, out->arc, uneven, &finer));
        rm2i_candidate_clear(out);
        out->curve = finer;
    }
}

/* ---- the first curve ------------------------------------------------------------------------ */

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
                            "geodesic: initial path (give a roadmap, or a path that "
                            "stays where the metric is defined)");
}

static rm2_status check_finite(rm2_context *ctx, size_t Q, size_t n, const double *path) {
    for (size_t i = 0; i < n * Q; i++)
        if (!isfinite(path[i]))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "geodesic: coordinate %zu of point %zu of the path is %g", i % Q,
                             i / Q, path[i]);
    return RM2_OK;
}

/* Length in the metric per length in coordinates varies by no more than EVEN along the polygon. */
static bool is_even(const rm2i_arc *arc) {
    const rm2i_pieces *p = arc->curve;
    size_t points = arc->rule.points;
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < p->intervals; i++) {
        double side = side_of(p->Q, p->coef, i), time = p->breaks[i + 1] - p->breaks[i];
        for (size_t k = 0; k < points && side > 0; k++) {
            double ratio = arc->speed[i * points + k] * time / side;
            least = fmin(least, ratio);
            most = fmax(most, ratio);
        }
    }
    return least > 0 && most <= EVEN * least;
}

/* Pieces of a sketch, none longer than the metric's scale, so that no change of it is missed between the
 * points; 0 where these would be too many, or the scale is unknown. */
static size_t sketch_pieces(const rm2_metric *metric, size_t n, const double *path) {
    double length = 0, scale = rm2i_metric_scale(metric);
    for (size_t i = 0; i + 1 < n; i++)
        length += side_of(metric->Q, path, i);
    if (!(length <= PATH_PIECES * scale))
        return 0;
    return (size_t)fmax(SKETCH_PIECES, ceil(length / scale));
}

rm2_status rm2i_path_sketch(rm2_context *ctx, rm2i_evaluator *evaluator, size_t n,
                            const double *path, rm2i_curve_candidate *out) {
    size_t Q = evaluator->metric->Q, pieces = sketch_pieces(evaluator->metric, n, path);
    RM2_TRY(check_finite(ctx, Q, n, path));
    if (pieces == 0 || rm2i_is_one_place(Q, n, path))
        return RM2_OK;
    RM2_TRY(make_polygon(ctx, Q, n, path, pieces, &out->curve));
    rm2_status status = rm2i_arc_create(ctx, evaluator, out->curve, SKETCH_POINTS, &out->arc);
    if (status == RM2_OK && is_even(out->arc)) {
        out->converged = true;
        out->error = INFINITY;
        return RM2_OK;
    }
    rm2i_candidate_clear(out);
    return rm2i_no_metric(status) ? RM2_OK : status;
}

rm2_status rm2i_path_measure(rm2_context *ctx, rm2i_evaluator *evaluator, size_t n,
                             const double *path, rm2i_curve_candidate *out) {
    RM2_TRY(make_polygon(ctx, evaluator->metric->Q, n, path, PATH_PIECES, &out->curve));
    return measure_polygon(ctx, evaluator, out);
}

rm2_status rm2i_path_stage(rm2_context *ctx, rm2i_evaluator *evaluator, size_t n,
                           const double *path, rm2i_curve_candidate *out) {
    size_t Q = evaluator->metric->Q;
    RM2_TRY(check_finite(ctx, Q, n, path));
    rm2_status status = rm2i_path_measure(ctx, evaluator, n, path, out);
    if (status == RM2_INTERRUPTED)
        return rm2i_fail(ctx, status, "geodesic: interrupted");
    if (rm2i_no_metric(status) && out->curve)
        return name_failure(ctx, evaluator->metric, out->curve, status);
    out->converged = true;
    out->error = rm2i_is_one_place(Q, n, path) ? 0 : INFINITY;
    return status;
}
