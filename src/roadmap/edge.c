/* Lengths of edges. A line is cut into equal pieces, on a grid as many as it crosses cells along
 * the axis where it crosses most: a long step sees every ridge that the grid sees. With h the
 * vector of a piece,
 *
 *     RM2I_EDGE_ENDS       sum over pieces of sqrt(h^T (G_k + G_k+1)/2 h)
 *     RM2I_EDGE_MIDPOINT   sum over pieces of sqrt(h^T G(midpoint) h)
 *
 * G_k at the joints: exactly at the ends, between them interpolated multilinearly from the nodes of
 * the cell, which keeps it positive semidefinite.
 *
 * Lengths are computed once, from one end, and stored. In instructions, on a grid of 50 x 50 nodes
 * with 32 directions, that costs as much as 20 searches over all of it; a search that computed
 * lengths as it goes would cost 40. */
#include <math.h>
#include <string.h>

#include "metric/metric.h"
#include "roadmap/roadmap.h"

double rm2i_grid_place(const rm2i_roadmap *net, size_t q, double x) {
    const double *axis = net->axis[q];
    size_t last = net->count[q] - 1;
    double guess = (x - axis[0]) / (axis[last] - axis[0]) * (double)last;
    size_t cell = guess >= 1 ? (size_t)guess : 0;
    if (cell > last - 1)
        cell = last - 1;
    while (cell > 0 && x < axis[cell]) /* axes need not be regular */
        cell--;
    while (cell + 1 < last && x >= axis[cell + 1])
        cell++;
    return (double)cell + (x - axis[cell]) / (axis[cell + 1] - axis[cell]);
}

static size_t pieces_of(const rm2i_roadmap *net, const double *a, const double *b) {
    double most = 1;
    for (size_t q = 0; net->grid && q < net->Q; q++) {
        double cells = fabs(rm2i_grid_place(net, q, a[q]) - rm2i_grid_place(net, q, b[q]));
        most = cells > most ? cells : most;
    }
    return (size_t)ceil(most - 1e-9); /* rounding of places is no piece more */
}

/* Negative by rounding is 0; what is not a number (infinity less infinity) is no way. */
static double root(double square) {
    return square >= 0 ? sqrt(square) : square < 0 ? 0 : INFINITY;
}

/* h^T G h; grids have few dimensions and many edges. */
static inline double form(size_t Q, const double *G, const double *h) {
    if (Q == 2)
        return h[0] * h[0] * G[0] + h[1] * h[1] * G[3] + 2 * (h[0] * h[1] * G[1]);
    if (Q == 3)
        return h[0] * h[0] * G[0] + h[1] * h[1] * G[4] + h[2] * h[2] * G[8] +
               2 * (h[0] * h[1] * G[1] + h[0] * h[2] * G[2] + h[1] * h[2] * G[5]);
    return rm2i_metric_inner(Q, G, h, h);
}

/* h^T G h with G interpolated at x. */
static double form_between(const rm2i_roadmap *net, const double *x, const double *h) {
    size_t Q = net->Q, base = 0;
    double part[RM2I_GRID_Q], sum = 0;
    for (size_t q = 0; q < Q; q++) {
        double place = rm2i_grid_place(net, q, x[q]);
        size_t cell = (size_t)place;
        part[q] = place - (double)cell;
        base += cell * net->stride[q];
    }
    for (size_t corner = 0; corner < (size_t)1 << Q; corner++) {
        double weight = 1;
        size_t node = base;
        for (size_t q = 0; q < Q && weight > 0; q++) {
            bool upper = corner >> q & 1;
            weight *= upper ? part[q] : 1 - part[q];
            node += upper ? net->stride[q] : 0;
        }
        if (weight > 0) /* no node beyond the last has a weight */
            sum += weight * form(Q, net->G + node * Q * Q, h);
    }
    return sum;
}

static double ends_length(const rm2i_roadmap *net, const double *a, const double *Ga,
                          const double *b, const double *Gb, double *h) {
    size_t Q = net->Q, pieces = pieces_of(net, a, b);
    double x[RM2I_GRID_Q], length = 0;
    for (size_t q = 0; q < Q; q++)
        h[q] = (b[q] - a[q]) / (double)pieces;
    double before = form(Q, Ga, h);
    for (size_t k = 1; k < pieces; k++) {
        double t = (double)k / (double)pieces;
        for (size_t q = 0; q < Q; q++)
            x[q] = a[q] + t * (b[q] - a[q]);
        double here = form_between(net, x, h);
        length += root((before + here) / 2);
        before = here;
    }
    return length + root((before + form(Q, Gb, h)) / 2);
}

/* ---- midpoints ------------------------------------------------------------------------------ */

/* Midpoints of the pieces from a to b, appended to x; returns how many. */
static size_t list_midpoints(const rm2i_roadmap *net, const double *a, const double *b, double *x) {
    size_t Q = net->Q, pieces = pieces_of(net, a, b);
    for (size_t k = 0; k < pieces; k++)
        for (size_t q = 0; q < Q; q++)
            x[k * Q + q] = a[q] + ((double)k + 0.5) / (double)pieces * (b[q] - a[q]);
    return pieces;
}

/* ---- stars ---------------------------------------------------------------------------------- */

typedef struct star_scratch {
    double *h;      /* Q: a piece */
    double *x, *G;  /* midpoints of all pieces, and the metric there */
    double *metric; /* its own scratch */
} star_scratch;

static void lay_out(star_scratch *s, const rm2i_roadmap *net, const rm2_metric *metric,
                    size_t count, rm2i_arena *a) {
    size_t Q = net->Q, midpoints = net->rule == RM2I_EDGE_MIDPOINT ? count * net->span : 0;
    s->h = rm2i_reserve(a, double, Q);
    s->x = rm2i_reserve(a, double, midpoints, Q);
    s->G = rm2i_reserve(a, double, midpoints, Q, Q);
    s->metric = rm2i_reserve(
        a, double, midpoints ? rm2i_metric_work(metric, midpoints, 1, RM2I_ORDER_VALUE) : 0);
}

size_t rm2i_star_work(const rm2i_roadmap *net, const rm2_metric *metric, size_t count) {
    star_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, net, metric, count, &a);
    return a.used;
}

static rm2_status midpoint_lengths(const rm2i_roadmap *net, const rm2_metric *metric,
                                   const rm2i_star *s, const star_scratch *own) {
    size_t Q = net->Q, total = 0;
    double *h = own->h, *G = own->G;
    for (size_t i = 0; i < s->count; i++)
        total += list_midpoints(net, s->x, s->xs + s->which[i] * Q, own->x + total * Q);
    RM2_TRY(
        rm2i_metric_at(metric, total, own->x, G, NULL, &(rm2i_metric_room){1, own->metric, NULL}));
    for (size_t i = 0; i < s->count; i++) {
        const double *end = s->xs + s->which[i] * Q;
        size_t pieces = pieces_of(net, s->x, end);
        for (size_t q = 0; q < Q; q++)
            h[q] = (end[q] - s->x[q]) / (double)pieces;
        s->length[i] = 0;
        for (size_t k = 0; k < pieces; k++, G += Q * Q)
            s->length[i] += root(form(Q, G, h));
    }
    return RM2_OK;
}

rm2_status rm2i_star_lengths(const rm2i_roadmap *net, const rm2_metric *metric,
                             const rm2i_star *star, double *work) {
    size_t Q = net->Q;
    star_scratch own;
    lay_out(&own, net, metric, star->count, &(rm2i_arena){work, 0});
    if (net->rule == RM2I_EDGE_MIDPOINT)
        return midpoint_lengths(net, metric, star, &own);
    for (size_t i = 0; i < star->count; i++) {
        size_t end = star->which[i];
        star->length[i] =
            ends_length(net, star->x, star->G, star->xs + end * Q, star->Gs + end * Q * Q, own.h);
    }
    return RM2_OK;
}

/* ---- all edges ------------------------------------------------------------------------------ */

typedef struct measure_job {
    rm2_context *ctx;
    const rm2i_roadmap *net;
    const rm2_metric *metric;
} measure_job;

/* First edge of the row of node i that leads to node `to` or a later one. */
static size_t edge_from(const rm2i_graph *g, size_t i, size_t to) {
    size_t low = g->first[i], high = g->first[i + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->to[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static rm2_status measure_forward(const void *job, size_t i, double *work) {
    const measure_job *j = job;
    const rm2i_roadmap *net = j->net;
    const rm2i_graph *g = &net->graph;
    size_t Q = net->Q, e = edge_from(g, i, i);
    rm2i_star star = {.x = net->x + i * Q,
                      .G = net->G + i * Q * Q,
                      .count = g->first[i + 1] - e,
                      .which = g->to + e,
                      .xs = net->x,
                      .Gs = net->G,
                      .length = g->length + e};
    if (net->rule == RM2I_EDGE_MIDPOINT && rm2i_interrupted(j->ctx)) /* a row may take long */
        return RM2_INTERRUPTED;
    return star.count ? rm2i_star_lengths(net, j->metric, &star, work) : RM2_OK;
}

/* The same edge from its other end. */
static rm2_status copy_back(const void *job, size_t i, double *work) {
    const rm2i_graph *g = &((const measure_job *)job)->net->graph;
    (void)work;
    for (size_t e = g->first[i]; e < g->first[i + 1] && g->to[e] < i; e++)
        g->length[e] = g->length[edge_from(g, g->to[e], i)];
    return RM2_OK;
}

rm2_status rm2i_roadmap_measure(rm2_context *ctx, rm2i_roadmap *net, const rm2_metric *metric) {
    measure_job job = {ctx, net, metric};
    size_t most = 0, failed = 0;
    for (size_t i = 0; i < net->nodes; i++) {
        size_t row = net->graph.first[i + 1] - net->graph.first[i];
        most = row > most ? row : most;
    }
    rm2_status status = rm2i_batch(ctx, net->nodes, rm2i_star_work(net, metric, most),
                                   measure_forward, &job, &failed);
    if (status == RM2_OK)
        return rm2i_batch(ctx, net->nodes, 0, copy_back, &job, NULL);
    if (status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return rm2i_fail(ctx, status,
                     "the metric cannot be computed at a midpoint of an edge of node %zu (%.6g%s)",
                     failed, net->x[failed * net->Q], net->Q > 1 ? ", ..." : "");
}
