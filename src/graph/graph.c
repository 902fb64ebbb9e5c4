/* Shortest paths by Dijkstra's method (Numerische Mathematik 1, 1959): nodes leave a heap in the
 * order of their distance, and each shortens the ways to its neighbours. (n + e) log n steps for n
 * nodes and e edges, which are few at a node here. Parts by union and find, with halved paths
 * (Tarjan and van Leeuwen, Journal of the ACM 31, 1984). */
#include "graph/graph.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "graph/heap.h"

/* ---- rows ----------------------------------------------------------------------------------- */

void rm2i_graph_free(rm2i_graph *graph) {
    free(graph->first);
    free(graph->to);
    free(graph->length);
    *graph = (rm2i_graph){0};
}

static rm2_status make_room(rm2_context *ctx, size_t n, size_t count, rm2i_graph *graph) {
    RM2_TRY(rm2i_calloc(ctx, n + 1, sizeof *graph->first, &graph->first));
    RM2_TRY(rm2i_alloc(ctx, 2 * count, sizeof *graph->to, &graph->to));
    return rm2i_alloc(ctx, 2 * count, sizeof *graph->length, &graph->length);
}

rm2_status rm2i_graph_rows(rm2_context *ctx, size_t n, const rm2i_edge *edges, size_t count,
                           rm2i_graph *graph) {
    *graph = (rm2i_graph){.n = n};
    rm2_status status = make_room(ctx, n, count, graph);
    if (status != RM2_OK) {
        rm2i_graph_free(graph);
        return status;
    }
    size_t *first = graph->first;
    for (size_t e = 0; e < count; e++) {
        first[edges[e].a]++;
        first[edges[e].b]++;
    }
    for (size_t i = 0; i < n; i++)
        first[i + 1] += first[i]; /* ends of the rows; filling brings them to the beginnings */
    for (size_t e = count; e-- > 0;) {
        size_t a = edges[e].a, b = edges[e].b;
        graph->to[--first[a]] = b;
        graph->length[first[a]] = edges[e].length;
        graph->to[--first[b]] = a;
        graph->length[first[b]] = edges[e].length;
    }
    return RM2_OK;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static size_t root(size_t *parent, size_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

size_t rm2i_graph_parts(size_t n, const rm2i_edge *edges, size_t count, size_t *parent) {
    for (size_t i = 0; i < n; i++)
        parent[i] = i;
    for (size_t e = 0; e < count; e++) {
        size_t a = root(parent, edges[e].a), b = root(parent, edges[e].b);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    size_t parts = 0;
    for (size_t i = 0; i < n; i++) {
        parent[i] = root(parent, i);
        parts += parent[i] == i;
    }
    return parts;
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* The way to `node` from `before` has this length: keep it if it is shorter than what is known. */
static inline void offer(const rm2i_search *s, rm2i_heap *heap, size_t node, double length,
                         size_t before) {
    if (length >= s->at[node])
        return;
    size_t place = isinf(s->at[node]) ? heap->count++ : heap->place[node]; /* new: at the end */
    s->at[node] = length;
    if (s->before)
        s->before[node] = before;
    rm2i_heap_rise(heap, place, node);
}

static void lay_out(rm2i_heap *heap, size_t n, rm2i_arena *a) {
    heap->node = rm2i_reserve(a, size_t, n);
    heap->place = rm2i_reserve(a, size_t, n);
}

size_t rm2i_search_work(size_t n) {
    rm2i_heap heap;
    rm2i_arena a = {NULL, 0};
    lay_out(&heap, n, &a);
    return a.used;
}

size_t rm2i_graph_search(const rm2i_search *s, double *length) {
    const rm2i_graph *g = s->graph;
    rm2i_heap heap = {.at = s->at};
    lay_out(&heap, g->n, &(rm2i_arena){s->work, 0});
    double best = length ? *length : INFINITY;
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < g->n; i++)
        s->at[i] = INFINITY;
    for (size_t i = 0; i < s->seeds; i++)
        offer(s, &heap, s->seed[i], s->start[i], SIZE_MAX);
    while (heap.count > 0) {
        size_t from = rm2i_heap_pop(&heap);
        double so_far = s->at[from];
        if (so_far >= best)
            break;
        if (s->exit && so_far + s->exit[from] < best) {
            best = so_far + s->exit[from];
            last = from;
        }
        for (size_t e = g->first[from]; e < g->first[from + 1]; e++)
            offer(s, &heap, g->to[e], so_far + g->length[e], from);
    }
    if (length)
        *length = best;
    return last;
}
