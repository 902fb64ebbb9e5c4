/* Graphs over points, in any dimension: i and j are joined if one is among the k nearest of the
 * other.
 *
 * A graph in several pieces is refused, with the number of neighbours that would do. Point j is the
 * r-th nearest of i; the graph with k neighbours has all edges of order r <= k, so that the number
 * sought is the largest order in the spanning tree whose orders are least. Kruskal's method
 * (Proceedings of the American Mathematical Society 7, 1956) finds it: of each point only the
 * nearest in another piece can be next, and is looked up again when the two pieces have become
 * one. */
#include <math.h>
#include <stdlib.h>

#include "graph/heap.h"
#include "metric/metric.h"
#include "roadmap/roadmap.h"

/* ---- pieces --------------------------------------------------------------------------------- */

typedef struct pieces {
    size_t n, count;
    const rm2i_kd_tree *tree;
    const double *x;
    size_t *of;     /* piece of each point: its smallest */
    size_t *beyond; /* of each point: the nearest in another piece, */
    double *order;  /* and its order */
    rm2i_heap heap; /* by order */
    size_t *size;   /* of the piece that begins with each point */
    double *square; /* n: scratch */
    double *memory;
} pieces;

static void lay_out_pieces(void *arg, rm2i_arena *a) {
    pieces *p = arg;
    p->beyond = rm2i_reserve(a, size_t, p->n);
    p->order = rm2i_reserve(a, double, p->n);
    p->heap.node = rm2i_reserve(a, size_t, p->n);
    p->heap.place = rm2i_reserve(a, size_t, p->n);
    p->heap.at = p->order;
    p->size = rm2i_reserve(a, size_t, p->n);
    p->square = rm2i_reserve(a, double, p->n);
}

static rm2_status look_beyond(const void *job, size_t i, double *square) {
    const pieces *p = job;
    size_t nearest = SIZE_MAX, order = 1;
    rm2i_kd_squares(p->tree, p->x + i * p->tree->d, square);
    for (size_t j = 0; j < p->n; j++)
        if (p->of[j] != p->of[i] && (nearest == SIZE_MAX || square[j] < square[nearest]))
            nearest = j;
    for (size_t j = 0; j < p->n; j++)
        order += j != i && rm2i_comes_before(square[j], j, square[nearest], nearest);
    p->beyond[i] = nearest;
    p->order[i] = (double)order;
    return RM2_OK;
}

static void merge(const pieces *p, size_t a, size_t b) {
    size_t kept = p->of[a] < p->of[b] ? p->of[a] : p->of[b];
    size_t gone = p->of[a] < p->of[b] ? p->of[b] : p->of[a];
    for (size_t i = 0; i < p->n; i++)
        if (p->of[i] == gone)
            p->of[i] = kept;
}

/* Merges all pieces; returns the neighbours that this takes. */
static size_t merge_all(pieces *p) {
    size_t order = 0;
    for (size_t i = 0; i < p->n; i++)
        rm2i_heap_push(&p->heap, i);
    while (p->count > 1) {
        size_t i = rm2i_heap_pop(&p->heap);
        if (p->of[i] != p->of[p->beyond[i]]) {
            order = (size_t)p->order[i];
            merge(p, i, p->beyond[i]);
            p->count--;
        }
        if (p->count > 1) {
            (void)look_beyond(p, i, p->square);
            rm2i_heap_push(&p->heap, i);
        }
    }
    return order;
}

static size_t smallest(const pieces *p) {
    size_t least = p->n;
    for (size_t i = 0; i < p->n; i++)
        p->size[i] = 0;
    for (size_t i = 0; i < p->n; i++)
        p->size[p->of[i]]++;
    for (size_t i = 0; i < p->n; i++)
        least = p->size[i] > 0 && p->size[i] < least ? p->size[i] : least;
    return least;
}

static rm2_status refuse(rm2_context *ctx, const rm2i_roadmap *net, size_t k, size_t count,
                         size_t *of) {
    size_t n = net->nodes;
    pieces p = {.n = n, .count = count, .tree = &net->tree, .x = net->x, .of = of};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_pieces, &p, &p.memory));
    size_t least = smallest(&p);
    rm2_status status = rm2i_batch(ctx, n, n, look_beyond, &p, NULL);
    if (status == RM2_OK)
        status = rm2i_fail(ctx, RM2_ERR_DATA,
                           "the graph of %zu points with %zu neighbours each is in %zu pieces, "
                           "the smallest of %zu point%s: %zu neighbours join them",
                           n, k, count, least, least == 1 ? "" : "s", merge_all(&p));
    free(p.memory);
    return status;
}

/* ---- the graph ------------------------------------------------------------------------------ */

static int by_size(const void *a, const void *b) {
    size_t p = *(const size_t *)a, q = *(const size_t *)b;
    return (p > q) - (p < q);
}

typedef struct join_scratch {
    size_t n, k;
    size_t *nearest, *piece; /* n x k, n */
    rm2i_edge *edges;        /* n x k */
    double *memory;
} join_scratch;

static void lay_out_joins(void *arg, rm2i_arena *a) {
    join_scratch *s = arg;
    s->nearest = rm2i_reserve(a, size_t, s->n, s->k);
    s->edges = rm2i_reserve(a, rm2i_edge, s->n, s->k);
    s->piece = rm2i_reserve(a, size_t, s->n);
}

static rm2_status join_nodes(rm2_context *ctx, rm2i_roadmap *net, size_t k) {
    size_t n = net->nodes;
    join_scratch s = {.n = n, .k = k};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_joins, &s, &s.memory));
    rm2_status status = rm2i_neighbours(ctx, &net->tree, net->x, k, s.nearest);
    if (status == RM2_OK) {
        size_t count = rm2i_neighbour_edges(n, net->Q, net->x, k, s.nearest, s.edges);
        size_t parts = rm2i_graph_parts(n, s.edges, count, s.piece);
        status = parts > 1 ? refuse(ctx, net, k, parts, s.piece)
                           : rm2i_graph_rows(ctx, n, s.edges, count, &net->graph);
    }
    for (size_t i = 0; i < n && status == RM2_OK; i++)
        qsort(net->graph.to + net->graph.first[i], net->graph.first[i + 1] - net->graph.first[i],
              sizeof *net->graph.to, by_size);
    free(s.memory);
    return status;
}

static rm2_status build(rm2_context *ctx, rm2i_roadmap *net, const rm2_metric *metric) {
    size_t n = net->nodes, k = net->neighbours;
    RM2_TRY(rm2i_kd_build(ctx, n, net->Q, net->x, &net->tree));
    RM2_TRY(join_nodes(ctx, net, k < n ? k : n - 1));
    RM2_TRY(rm2i_metric_at_counted(ctx, metric, n, net->x, net->G));
    return rm2i_roadmap_measure(ctx, net, metric);
}

static rm2_status fill(rm2_context *ctx, rm2i_roadmap *net, const rm2_metric *metric,
                       const double *points) {
    size_t n = net->nodes, Q = net->Q;
    RM2_TRY(rm2i_alloc(ctx, n, Q * sizeof *net->x, &net->x));
    RM2_TRY(rm2i_alloc(ctx, n, Q * Q * sizeof *net->G, &net->G));
    for (size_t i = 0; i < n * Q; i++) {
        if (!isfinite(points[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "point %zu, coordinate %zu is not finite: %g",
                             i / Q, i % Q, points[i]);
        net->x[i] = points[i];
    }
    rm2i_activity_begin(ctx, "roadmap", n);
    rm2_status status = build(ctx, net, metric);
    rm2i_activity_end(ctx);
    return status;
}

rm2_status rm2i_roadmap_graph(rm2_context *ctx, const rm2_metric *metric, size_t n,
                              const double *points, size_t neighbours, rm2i_edge_rule rule,
                              rm2i_roadmap **roadmap) {
    RM2_REQUIRE(ctx, roadmap);
    *roadmap = NULL;
    RM2_REQUIRE(ctx, metric);
    if (n > 0)
        RM2_REQUIRE(ctx, points);
    if (n == 0 || neighbours == 0)
        return rm2i_fail(
            ctx, RM2_ERR_ARGUMENT,
            "a graph of %zu points with %zu neighbours each; expected at least 1 and 1", n,
            neighbours);
    RM2_TRY(rm2i_roadmap_check_rule(ctx, rule));
    rm2i_roadmap *net;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *net, &net));
    *net = (rm2i_roadmap){
        .nodes = n, .Q = rm2_metric_dim(metric), .rule = rule, .span = 1, .neighbours = neighbours};
    rm2_status status = fill(ctx, net, metric, points);
    if (status == RM2_OK)
        *roadmap = net;
    else
        rm2i_roadmap_free(net);
    return status;
}
