/* Lengths: the speed |x'| is known at Gauss's points of each interval; between them it is the
 * polynomial through these values, whose integral is exact by the same rule. */
#include "geodesic/arc.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"

static rm2_status evaluate(rm2_context *ctx, rm2i_probe *probe, rm2i_arc *arc) {
    const rm2i_pieces *p = arc->curve;
    size_t Q = p->Q, g = arc->rule.points, n = p->intervals * g;
    double *x;
    RM2_TRY(rm2i_alloc(ctx, n, (2 * Q + Q * Q) * sizeof *x, &x));
    double *v = x + n * Q, *G = v + n * Q;
    for (size_t k = 0; k < n; k++) {
        rm2i_local local;
        rm2i_pieces_basis(p, k / g, arc->rule.node[k % g], &local);
        rm2i_pieces_sum(p, &local, x + k * Q, v + k * Q, NULL);
    }
    rm2_status status = rm2i_probe_at(probe, n, x, G, NULL);
    for (size_t k = 0; k < n && status == RM2_OK; k++) {
        double square = rm2i_metric_inner(Q, G + k * Q * Q, v + k * Q, v + k * Q);
        arc->speed[k] = sqrt(fmax(square, 0));
    }
    free(x);
    return status;
}

static void accumulate(rm2i_arc *arc) {
    const rm2i_pieces *p = arc->curve;
    size_t g = arc->rule.points;
    for (size_t i = 0; i < p->intervals; i++) {
        double h = p->breaks[i + 1] - p->breaks[i], sum = 0;
        for (size_t k = 0; k < g; k++)
            sum += arc->rule.weight[k] * arc->speed[i * g + k];
        arc->at[i + 1] = arc->at[i] + h * sum;
    }
    arc->length = arc->at[p->intervals];
}

rm2_status rm2i_arc_create(rm2_context *ctx, rm2i_probe *probe, const rm2i_pieces *curve,
                           size_t points, rm2i_arc **arc) {
    rm2i_arc *a;
    *arc = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *a, &a));
    *a = (rm2i_arc){.curve = curve, .rule = rm2i_gauss_rule(points)};
    rm2_status status =
        rm2i_calloc(ctx, curve->intervals * (points + 1) + 1, sizeof *a->at, &a->at);
    if (status == RM2_OK) {
        a->speed = a->at + curve->intervals + 1;
        status = evaluate(ctx, probe, a);
    }
    if (status != RM2_OK) {
        rm2i_arc_free(a);
        return status;
    }
    accumulate(a);
    *arc = a;
    return RM2_OK;
}

void rm2i_arc_free(rm2i_arc *arc) {
    if (!arc)
        return;
    free(arc->at);
    free(arc);
}

/* ---- times of lengths ----------------------------------------------------------------------- */

/* Length from the front of interval i to its part u, and the speed there. */
static double length_to(const rm2i_arc *arc, size_t i, double u, double *speed) {
    const rm2i_rule *rule = &arc->rule;
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
    return (arc->curve->breaks[i + 1] - arc->curve->breaks[i]) * sum;
}

/* Root of length_to(u) = s by Newton's steps that stay between two bounds, else by bisection. */
static double part_of(const rm2i_arc *arc, size_t i, double s) {
    const double *breaks = arc->curve->breaks;
    double h = breaks[i + 1] - breaks[i], low = 0, high = 1, whole = arc->at[i + 1] - arc->at[i];
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
    size_t low = 0, high = arc->curve->intervals;
    double target = s * arc->length;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (target < arc->at[middle])
            high = middle;
        else
            low = middle;
    }
    const double *breaks = arc->curve->breaks;
    return breaks[low] + part_of(arc, low, target - arc->at[low]) * (breaks[low + 1] - breaks[low]);
}

void rm2i_arc_resample(const rm2i_arc *arc, rm2i_pieces *into) {
    for (size_t k = 0; k < into->count; k++) {
        double s = rm2i_pieces_site(into, k);
        rm2i_pieces_at(arc->curve, rm2i_arc_time(arc, s), into->coef + k * into->Q, NULL, NULL);
    }
    rm2i_pieces_interpolate(into);
}
