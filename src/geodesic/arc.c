/* Lengths: the speed |x'| is known at Gauss's points of each interval, or of equal parts of it; between
 * them it is the polynomial through these values, whose integral is exact by the same rule. */
#include "geodesic/arc.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

enum { MOST_PARTS = 16384 }; /* of all intervals */

static size_t parts_of_all(const rm2i_arc *arc) {
    return arc->curve->intervals * arc->parts;
}

/* In time. */
static double width_of(const rm2i_arc *arc, size_t part) {
    const double *breaks = arc->curve->breaks + part / arc->parts;
    return (breaks[1] - breaks[0]) / (double)arc->parts;
}

static double front_of(const rm2i_arc *arc, size_t part) {
    return arc->curve->breaks[part / arc->parts] +
           (double)(part % arc->parts) * width_of(arc, part);
}

static rm2_status evaluate(rm2_context *ctx, rm2i_evaluator *evaluator, rm2i_arc *arc) {
    const rm2i_pieces *p = arc->curve;
    size_t Q = p->Q, g = arc->rule.points, n = parts_of_all(arc) * g;
    double *x;
    RM2_TRY(rm2i_alloc(ctx, n, (2 * Q + Q * Q) * sizeof *x, &x));
    double *v = x + n * Q, *G = v + n * Q;
    for (size_t k = 0; k < n; k++) {
        rm2i_local local;
        size_t part = k / g;
        double u = ((double)(part % arc->parts) + arc->rule.node[k % g]) / (double)arc->parts;
        rm2i_pieces_basis(p, part / arc->parts, u, &local);
        rm2i_pieces_sum(p, &local, x + k * Q, v + k * Q, NULL);
    }
    rm2_status status = rm2i_evaluator_at(evaluator, n, x, G, NULL);
    for (size_t k = 0; k < n && status == RM2_OK; k++) {
        double square = rm2i_metric_inner(Q, G + k * Q * Q, v + k * Q, v + k * Q);
        arc->speed[k] = sqrt(fmax(square, 0));
    }
    free(x);
    return status;
}

static void accumulate(rm2i_arc *arc) {
    size_t g = arc->rule.points, parts = parts_of_all(arc);
    for (size_t i = 0; i < parts; i++) {
        double h = width_of(arc, i), sum = 0;
        for (size_t k = 0; k < g; k++)
            sum += arc->rule.weight[k] * arc->speed[i * g + k];
        arc->at[i + 1] = arc->at[i] + h * sum;
    }
    arc->length = arc->at[parts];
}

static rm2_status create(rm2_context *ctx, rm2i_evaluator *evaluator, const rm2i_pieces *curve,
                         size_t points, size_t parts, rm2i_arc **arc) {
    rm2i_arc *a;
    *arc = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *a, &a));
    *a = (rm2i_arc){.curve = curve, .rule = rm2i_gauss_rule(points), .parts = parts};
    rm2_status status = rm2i_calloc(ctx, parts_of_all(a) * (points + 1) + 1, sizeof *a->at, &a->at);
    if (status == RM2_OK) {
        a->speed = a->at + parts_of_all(a) + 1;
        status = evaluate(ctx, evaluator, a);
    }
    if (status != RM2_OK) {
        rm2i_arc_free(a);
        return status;
    }
    accumulate(a);
    *arc = a;
    return RM2_OK;
}

rm2_status rm2i_arc_create(rm2_context *ctx, rm2i_evaluator *evaluator, const rm2i_pieces *curve,
                           size_t points, rm2i_arc **arc) {
    return create(ctx, evaluator, curve, points, 1, arc);
}

rm2_status rm2i_arc_refine(rm2_context *ctx, rm2i_evaluator *evaluator, double accuracy,
                           rm2i_arc **arc) {
    for (bool settled = false; !settled && 2 * parts_of_all(*arc) <= MOST_PARTS;) {
        const rm2i_arc *old = *arc;
        rm2i_arc *finer;
        RM2_TRY(create(ctx, evaluator, old->curve, old->rule.points, 2 * old->parts, &finer));
        settled = fabs(finer->length - old->length) <= accuracy * finer->length;
        rm2i_arc_free(*arc);
        *arc = finer;
    }
    return RM2_OK;
}

void rm2i_arc_free(rm2i_arc *arc) {
    if (!arc)
        return;
    free(arc->at);
    free(arc);
}

/* ---- times of lengths ----------------------------------------------------------------------- */

/* Length from the front of part i to u in it, and the speed there. */
static double length_to(const rm2i_arc *arc, size_t i, double u, double *speed) {
    const rm2i_quadrature *rule = &arc->rule;
    double value[RM2I_RULE_MAX], slope[RM2I_RULE_MAX], second[RM2I_RULE_MAX], sum = 0;
    const double *known = arc->speed + i * rule->points;
    for (size_t g = 0; g <= rule->points; g++) { /* the last is the speed at u itself */
        bool end = g == rule->points;
        double here = 0;
        rm2i_lagrange(rule->points, rule->node, end ? u : u * rule->node[g], value, slope, second);
        for (size_t k = 0; k < rule->points; k++)
            here += value[k] * known[k];
        if (end)
            *speed = here;
        else
            sum += u * rule->weight[g] * here;
    }
    return width_of(arc, i) * sum;
}

/* Root of length_to(u) = s by Newton's steps that stay between two bounds, else by bisection. */
static double part_of(const rm2i_arc *arc, size_t i, double s) {
    double h = width_of(arc, i), low = 0, high = 1, whole = arc->at[i + 1] - arc->at[i];
    if (!(whole > 0))
        return 0;
    double u = s / whole;
    for (int step = 0; step < 50; step++) {
        double speed, off = length_to(arc, i, u, &speed) - s;
        if (fabs(off) <= 1e-14 * arc->length)
            break;
        if (off > 0)
            high = u;
        else
            low = u;
        u -= off / (h * speed);
        if (!(u > low && u < high))
            u = 0.5 * (low + high);
    }
    return u;
}

double rm2i_arc_time(const rm2i_arc *arc, double s) {
    size_t low = 0, high = parts_of_all(arc);
    double target = s * arc->length;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (target < arc->at[middle])
            high = middle;
        else
            low = middle;
    }
    return front_of(arc, low) + part_of(arc, low, target - arc->at[low]) * width_of(arc, low);
}

void rm2i_arc_resample(const rm2i_arc *arc, rm2i_pieces *into) {
    for (size_t k = 0; k < into->count; k++) {
        double s = rm2i_pieces_site(into, k);
        rm2i_pieces_at(arc->curve, rm2i_arc_time(arc, s), into->coef + k * into->Q, NULL, NULL);
    }
    rm2i_pieces_interpolate(into);
}
