/* From curves in pieces to nodes: equal steps of length, velocities of constant speed, and how far the
 * curve is from a geodesic.
 *
 * A curve x(t) that is run through at the constant speed L has the acceleration (L/|x'|)^2 n, n the
 * part of D x'/dt = x'' + Gamma(x', x') across x'. |n| L / |x'|^2 is its geodesic curvature times
 * its length: the residual.
 *
 * At its ends a curve of elements knows its velocity better than by the derivative of its
 * polynomials, of order s: the momentum G x' there is half the derivative of the discrete energy by
 * the end, of order 2s. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "geodesic/leg.h"
#include "linalg/dense.h"

typedef struct sampling {
    size_t Q, nodes;
    double *x, *v, *a; /* nodes x Q: positions, derivatives by the pieces' own time */
    double *G, *dG;
    double length;
} sampling;

static void lay_out(void *samples, rm2i_arena *a) {
    sampling *s = samples;
    s->x = rm2i_reserve(a, double, s->nodes, s->Q);
    s->v = rm2i_reserve(a, double, s->nodes, s->Q);
    s->a = rm2i_reserve(a, double, s->nodes, s->Q);
    s->G = rm2i_reserve(a, double, s->nodes, s->Q, s->Q);
    s->dG = rm2i_reserve(a, double, s->nodes, s->Q, s->Q, s->Q);
}

static rm2_status begin(rm2_context *ctx, size_t Q, size_t nodes, double **memory, sampling *s) {
    *s = (sampling){.Q = Q, .nodes = nodes};
    return rm2i_arena_alloc(ctx, lay_out, s, memory);
}

/* Node j, at length j/(nodes - 1) of the whole, on the leg that has it. */
static void place_node(size_t count, const rm2i_leg *legs, sampling *s, size_t j) {
    size_t Q = s->Q, k = 0;
    double target = s->length * (double)j / (double)(s->nodes - 1);
    while (k + 1 < count && target > legs[k].best.arc->length)
        target -= legs[k++].best.arc->length;
    const rm2i_arc *arc = legs[k].best.arc;
    double part = arc->length > 0 ? fmin(target / arc->length, 1) : 0;
    double t = part < 1 ? rm2i_arc_time(arc, part) : 1;
    rm2i_pieces_at(arc->curve, t, s->x + j * Q, s->v + j * Q, s->a + j * Q);
}

/* Polygons have no second derivative: differences of the nodes stand for it, in the time in which
 * the whole is run through; the ends get none. */
static void difference_accelerations(sampling *s) {
    size_t Q = s->Q;
    double steps = (double)(s->nodes - 1);
    for (size_t j = 0; j < s->nodes; j++)
        for (size_t q = 0; q < Q; q++) {
            const double *x = s->x + j * Q + q;
            bool inside = j > 0 && j + 1 < s->nodes;
            s->a[j * Q + q] = inside ? (x[Q] - 2 * *x + *(x - Q)) * steps * steps : 0;
        }
}

/* ---- velocities at the ends ------------------------------------------------------------------ */

/* Half the derivative of the energy by the end's coefficient: sum_k w_k (b (v^T d_r G v)/2 + b' G v)
 * over the points of the interval next to it; minus that at the front. */
static void sum_momentum(size_t points, const rm2i_local *local, const double *weight, size_t end,
                         const sampling *s, double *momentum) {
    size_t Q = s->Q;
    memset(momentum, 0, Q * sizeof *momentum);
    for (size_t k = 0; k < points; k++) {
        size_t f = end ? local[k].functions - 1 : 0;
        double sign = end ? weight[k] : -weight[k];
        const double *v = s->v + k * Q, *G = s->G + k * Q * Q;
        for (size_t r = 0; r < Q; r++) {
            double by_x = 0.5 * rm2i_metric_inner(Q, s->dG + (k * Q + r) * Q * Q, v, v);
            momentum[r] +=
                sign * (local[k].value[f] * by_x + local[k].slope[f] * rm2i_dot(Q, G + r * Q, v));
        }
    }
}

/* Momentum at the front or (end = 1) the back of a curve of elements. */
static rm2_status end_momentum(rm2_context *ctx, rm2i_evaluator *evaluator, const rm2i_pieces *p,
                               size_t end, double *momentum) {
    rm2i_quadrature rule = rm2i_gauss_rule(p->degree);
    rm2i_local local[RM2I_RULE_MAX];
    size_t i = end ? p->intervals - 1 : 0;
    double *memory;
    sampling s;
    RM2_TRY(begin(ctx, p->Q, rule.points, &memory, &s));
    for (size_t k = 0; k < rule.points; k++) {
        rm2i_pieces_basis(p, i, rule.node[k], &local[k]);
        rm2i_pieces_sum(p, &local[k], s.x + k * p->Q, s.v + k * p->Q, NULL);
        rule.weight[k] *= p->breaks[i + 1] - p->breaks[i];
    }
    rm2_status status = rm2i_evaluator_at(evaluator, rule.points, s.x, s.G, s.dG);
    if (status == RM2_OK)
        sum_momentum(rule.points, local, rule.weight, end, &s, momentum);
    free(memory);
    return status;
}

/* Velocity of node j from the momentum, if the curve is of elements; the polynomials' stays where
 * there is none. */
static rm2_status improve_end(rm2_context *ctx, rm2i_evaluator *evaluator, const rm2i_pieces *p,
                              size_t end, const sampling *s, double *work) {
    size_t Q = s->Q, j = end ? s->nodes - 1 : 0;
    double *momentum = work, *L = work + Q;
    if (p->degree == RM2I_SPLINE || p->degree == 1 || s->length == 0)
        return RM2_OK;
    rm2_status status = end_momentum(ctx, evaluator, p, end, momentum);
    if (status == RM2_OK && rm2i_raise(Q, s->G + j * Q * Q, momentum, L) == RM2_OK)
        memcpy(s->v + j * Q, momentum, Q * sizeof *momentum);
    return rm2i_no_metric(status) ? RM2_OK : status;
}

/* ---- velocities and residual ---------------------------------------------------------------- */

/* v <- v L / |v|, in the metric of its node. */
static double normalise(const sampling *s, size_t j) {
    double *v = s->v + j * s->Q;
    double square = rm2i_metric_inner(s->Q, s->G + j * s->Q * s->Q, v, v);
    double factor = square > 0 ? s->length / sqrt(square) : 0;
    for (size_t q = 0; q < s->Q; q++)
        v[q] *= factor;
    return factor;
}

/* |n| / L where v has the length L; work: Q (Q + 2). */
static double residual_at(const sampling *s, size_t j, double *work) {
    size_t Q = s->Q;
    const double *G = s->G + j * Q * Q, *v = s->v + j * Q;
    double *a = s->a + j * Q, *geodesic = work, square = s->length * s->length;
    if (rm2i_acceleration(Q, G, s->dG + j * Q * Q * Q, v, geodesic, work + Q) != RM2_OK)
        return INFINITY;
    rm2i_axpy(Q, -1, geodesic, a);
    rm2i_axpy(Q, -rm2i_metric_inner(Q, G, a, v) / square, v, a);
    return sqrt(fmax(rm2i_metric_inner(Q, G, a, a), 0)) / s->length;
}

/* Velocities of constant speed and the largest residual; work: Q (Q + 2). */
static double finish(sampling *s, bool polygon, double *work) {
    double residual = 0;
    if (s->length == 0)
        memset(s->v, 0, s->nodes * s->Q * sizeof *s->v);
    for (size_t j = 0; j < s->nodes && s->length > 0; j++) {
        double factor = normalise(s, j); /* dt of the pieces over dt of the whole */
        for (size_t q = 0; q < s->Q && !polygon; q++)
            s->a[j * s->Q + q] *= factor * factor;
        if (!polygon || (j > 0 && j + 1 < s->nodes))
            residual = fmax(residual, residual_at(s, j, work));
    }
    return residual;
}

/* ---- the curve ------------------------------------------------------------------------------ */

static rm2_status store(rm2_context *ctx, const sampling *s, size_t count, const rm2i_leg *legs,
                        double residual, rm2_curve **curve) {
    rm2_curve *c;
    size_t numbers = s->nodes * s->Q;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *c, &c));
    *c = (rm2_curve){.nodes = s->nodes,
                     .Q = s->Q,
                     .length = s->length,
                     .energy = s->length * s->length,
                     .residual = residual,
                     .stage = legs[0].stage,
                     .converged = true,
                     .clearance = INFINITY};
    rm2_status status = rm2i_alloc(ctx, 2 * numbers, sizeof *c->x, &c->x);
    if (status != RM2_OK) {
        rm2_curve_free(c);
        return status;
    }
    c->velocity = c->x + numbers;
    memcpy(c->x, s->x, numbers * sizeof *c->x);
    memcpy(c->velocity, s->v, numbers * sizeof *c->x);
    for (size_t k = 0; k < count; k++) {
        c->path_length += legs[k].path_length;
        c->spline_length += legs[k].spline_length;
        c->iterations += legs[k].iterations;
        c->error = fmax(c->error, legs[k].best.error);
        c->converged = c->converged && legs[k].best.converged;
        if (legs[k].stage < c->stage)
            c->stage = legs[k].stage;
    }
    *curve = c;
    return RM2_OK;
}

/* Nodes and the metric there. */
static rm2_status place_nodes(rm2i_evaluator *evaluator, size_t count, const rm2i_leg *legs,
                              bool polygon, sampling *s) {
    const rm2i_pieces *front = legs[0].best.curve, *back = legs[count - 1].best.curve;
    size_t Q = s->Q, bytes = Q * sizeof *s->x;
    for (size_t j = 0; j < s->nodes; j++)
        place_node(count, legs, s, j);
    memcpy(s->x, front->coef, bytes); /* the ends to the last bit */
    memcpy(s->x + (s->nodes - 1) * Q, back->coef + (back->count - 1) * Q, bytes);
    if (polygon)
        difference_accelerations(s);
    return rm2i_evaluator_at(evaluator, s->nodes, s->x, s->G, s->dG);
}

rm2_status rm2i_leg_sample(rm2_context *ctx, rm2i_evaluator *evaluator, size_t nodes, size_t count,
                           const rm2i_leg *legs, rm2_curve **curve) {
    const rm2i_pieces *front = legs[0].best.curve, *back = legs[count - 1].best.curve;
    size_t Q = front->Q;
    bool polygon = false;
    double *memory, *work = NULL;
    sampling s;
    *curve = NULL;
    RM2_TRY(begin(ctx, Q, nodes, &memory, &s));
    for (size_t k = 0; k < count; k++) {
        double length = legs[k].best.arc->length;
        s.length += length;
        polygon = polygon || (length > 0 && legs[k].best.curve->degree == 1);
    }
    rm2_status status = rm2i_alloc(ctx, Q * (Q + 2), sizeof *work, &work);
    if (status == RM2_OK)
        status = place_nodes(evaluator, count, legs, polygon, &s);
    if (status == RM2_OK)
        status = improve_end(ctx, evaluator, front, 0, &s, work);
    if (status == RM2_OK)
        status = improve_end(ctx, evaluator, back, 1, &s, work);
    if (status == RM2_INTERRUPTED || rm2i_no_metric(status))
        (void)rm2i_fail(ctx, status, "geodesic: %s", rm2_status_text(status));
    if (status == RM2_OK)
        status = store(ctx, &s, count, legs, finish(&s, polygon, work), curve);
    if (status == RM2_OK)
        (*curve)->evaluations = evaluator->evaluations;
    free(work);
    free(memory);
    return status;
}
