/* Values of the Cholesky factor of G at the nodes of a lattice, and between them the cubic spline with coefficients
 *
 *     c_k = (8 f_k - f_k-1 - f_k+1)/6   along each axis,
 *
 * which reproduces cubic polynomials and errs by the fourth power of the step (de Boor and Fix, J. Approx. Theory 8, 1973).
 * A coefficient needs the node's neighbours alone, so that only nodes near the curve are ever evaluated. */
#include "geodesic/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "roadmap/field.h"

enum {
    MOST_Q = 2, /* in more dimensions a curve has too many nodes around it */
    MOST_NODES = 1 << 20,
    EDGE = 2,             /* nodes beyond the cell of a point that its coefficients need */
    ALL_AT_ONCE = 1 << 20 /* points of a call: their nodes are evaluated together */
};
static const double STEP = 1.0 / 12; /* of the scale of the metric */
static const double MARGIN = 0.25;   /* of the path's extent, on each side of its box */

enum {
    LISTED = 1,
    KNOWN = 2,
    SPREAD = 4
}; /* node is to be evaluated, has its value, has its coefficient */

typedef struct lattice {
    rm2i_evaluator *evaluator;
    rm2_context *ctx;
    rm2i_field field;     /* its nodes have one more at both ends of every axis */
    double *value;        /* as field.coef: numbers of L at the nodes */
    unsigned char *state; /* of the nodes */
} lattice;

/* Nodes that are to be evaluated. */
typedef struct news {
    size_t count, room;
    size_t *node;
    double *x, *G;
} news;

static void free_lattice(void *self) {
    lattice *l = self;
    rm2i_field_clear(&l->field);
    free(l->value);
    free(l->state);
    free(l);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* The cell of x along each axis; false where the nodes that it needs are not all there. */
static bool find_cell(const rm2i_field *f, const double *x, size_t *cell) {
    for (size_t q = 0; q < f->Q; q++) {
        double place = rm2i_field_place(f, q, x[q]), last = (double)(f->count[q] - 1);
        if (!(place >= EDGE && place < last - EDGE))
            return false;
        cell[q] = (size_t)place;
    }
    return true;
}

/* Run through the nodes from `before` cells before a cell to `behind` its lower end: number k of them, or SIZE_MAX. */
static size_t node_of(const rm2i_field *f, const size_t *cell, size_t before, size_t behind,
                      size_t k) {
    size_t wide = before + behind + 1, node = 0;
    for (size_t q = 0; q < f->Q; q++, k /= wide)
        node += (cell[q] + 1 + k % wide - before) * f->stride[q];
    return k == 0 ? node : SIZE_MAX;
}

/* List the nodes around a cell that have no value. */
static rm2_status list_nodes(const lattice *l, const size_t *cell, news *fresh) {
    for (size_t k = 0, node; (node = node_of(&l->field, cell, EDGE, EDGE + 1, k)) != SIZE_MAX;
         k++) {
        if (l->state[node] & (LISTED | KNOWN))
            continue;
        if (fresh->count == fresh->room) {
            fresh->room = 2 * fresh->room + 1024;
            RM2_TRY(rm2i_grow(l->ctx, fresh->room, sizeof *fresh->node, &fresh->node));
        }
        l->state[node] |= LISTED;
        fresh->node[fresh->count++] = node;
    }
    return RM2_OK;
}

static void place_node(const rm2i_field *f, size_t node, double *x) {
    for (size_t q = 0; q < f->Q; q++) {
        double k = (double)(node / f->stride[q] % (f->count[q] + 2)) - 1;
        x[q] = f->low[q] + k * f->step[q];
    }
}

/* Values of the nodes listed. */
static rm2_status evaluate(const lattice *l, news *fresh) {
    size_t Q = l->field.Q;
    if (fresh->count == 0)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(l->ctx, fresh->count, Q * sizeof *fresh->x, &fresh->x));
    RM2_TRY(rm2i_alloc(l->ctx, fresh->count, Q * Q * sizeof *fresh->G, &fresh->G));
    for (size_t i = 0; i < fresh->count; i++)
        place_node(&l->field, fresh->node[i], fresh->x + i * Q);
    RM2_TRY(rm2i_evaluator_at(l->evaluator, fresh->count, fresh->x, fresh->G, NULL));
    for (size_t i = 0; i < fresh->count; i++) {
        double *value = l->value + fresh->node[i] * l->field.numbers;
        RM2_TRY(rm2i_field_factor(Q, fresh->G + i * Q * Q, value));
        l->state[fresh->node[i]] = KNOWN;
    }
    return RM2_OK;
}

/* The coefficient of a node from its neighbours. */
static void spread_node(const lattice *l, size_t node) {
    static const double weight[3] = {-1.0 / 6, 8.0 / 6, -1.0 / 6};
    const rm2i_field *f = &l->field;
    double *c = f->coef + node * f->numbers;
    for (size_t k = 0; k < (f->Q == 1 ? 3 : 9); k++) {
        size_t by[MOST_Q] = {k % 3, k / 3}, at = node;
        double factor = 1;
        for (size_t q = 0; q < f->Q; q++) {
            at += by[q] * f->stride[q] - f->stride[q];
            factor *= weight[by[q]];
        }
        for (size_t m = 0; m < f->numbers; m++)
            c[m] += factor * l->value[at * f->numbers + m];
    }
    l->state[node] |= SPREAD;
}

/* Values and coefficients that the points need. */
static rm2_status prepare(const lattice *l, size_t count, const double *x) {
    size_t cell[RM2I_GRID_Q], Q = l->field.Q;
    news fresh = {.count = 0};
    rm2_status status = RM2_OK;
    for (size_t i = 0; i < count && status == RM2_OK; i++)
        status =
            find_cell(&l->field, x + i * Q, cell) ? list_nodes(l, cell, &fresh) : RM2_ERR_DOMAIN;
    if (status == RM2_OK)
        status = evaluate(l, &fresh);
    for (size_t i = 0; i < fresh.count; i++) /* those of a call that failed are not */
        l->state[fresh.node[i]] &= (unsigned char)~LISTED;
    free(fresh.node);
    free(fresh.x);
    free(fresh.G);
    for (size_t i = 0; i < count && status == RM2_OK; i++) {
        (void)find_cell(&l->field, x + i * Q, cell);
        for (size_t k = 0, node; (node = node_of(&l->field, cell, 1, 2, k)) != SIZE_MAX; k++)
            if (!(l->state[node] & SPREAD))
                spread_node(l, node);
    }
    return status;
}

/* ---- the metric ----------------------------------------------------------------------------- */

static rm2_status metric_at(const void *self, size_t count, const rm2i_metric_request *request,
                            double *work) {
    const lattice *l = self;
    int order = (int)rm2i_metric_order_of(request);
    double terms[RM2I_FIELD_TERMS][RM2I_FIELD_NUMBERS];
    (void)work;
    RM2_TRY(prepare(l, count, request->x));
    for (size_t i = 0; i < count; i++) {
        if (!rm2i_field_at(&l->field, request->x + i * l->field.Q, order, terms))
            return RM2_ERR_DOMAIN;
        rm2i_field_fill(l->field.Q, terms, request, i);
    }
    return RM2_OK;
}

/* Axes around the box of the path; false where they would have too many nodes. */
static bool lay_axes(const rm2i_evaluator *evaluator, size_t n, const double *path, rm2i_field *f) {
    double step = STEP * rm2i_metric_scale(evaluator->metric), extent = 0, nodes = 1;
    double low[MOST_Q], high[MOST_Q];
    for (size_t q = 0; q < f->Q; q++) {
        low[q] = high[q] = path[q];
        for (size_t i = 1; i < n; i++) {
            low[q] = fmin(low[q], path[i * f->Q + q]);
            high[q] = fmax(high[q], path[i * f->Q + q]);
        }
        extent = fmax(extent, high[q] - low[q]);
    }
    for (size_t q = 0; q < f->Q; q++) {
        double margin = MARGIN * extent + 2 * EDGE * step;
        double count = ceil((high[q] - low[q] + 2 * margin) / step) + 1;
        nodes *= count + 2;
        if (!(nodes <= MOST_NODES))
            return false;
        f->count[q] = (size_t)count;
        f->low[q] = low[q] - margin;
        f->step[q] = step;
    }
    return true;
}

rm2_status rm2i_lattice_create(rm2_context *ctx, rm2i_evaluator *evaluator, size_t n,
                               const double *path, rm2_metric **near) {
    static const rm2i_metric_type type = {.work = rm2i_field_metric_work,
                                          .at = metric_at,
                                          .can_bend = rm2i_field_can_bend,
                                          .free = free_lattice,
                                          .block = ALL_AT_ONCE};
    size_t Q = evaluator->metric->Q;
    lattice *l;
    *near = NULL;
    rm2i_field field = {.Q = Q, .factors = Q * (Q + 1) / 2, .numbers = Q * (Q + 1) / 2};
    if (Q > MOST_Q || !lay_axes(evaluator, n, path, &field))
        return RM2_OK;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *l, &l));
    size_t nodes = rm2i_field_lay_out(&field), bytes = field.numbers * sizeof *l->value;
    *l = (lattice){.evaluator = evaluator, .ctx = ctx, .field = field};
    rm2_status status = rm2i_calloc(ctx, nodes, bytes, &l->field.coef);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, nodes, bytes, &l->value);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, nodes, sizeof *l->state, &l->state);
    if (status == RM2_OK)
        return rm2i_metric_create(ctx, &type, Q, l, "interpolated metric", near);
    free_lattice(l);
    return status;
}
