/* Shortest paths between nodes: Dijkstra's method (Numerische Mathematik 1, 1959) from every source,
 * with a binary heap that knows where each node is, so that a node's distance can fall in
 * place. n (n + e) log n steps for n nodes and e edges; a node has few edges here, for which this
 * beats the n^3 of Floyd and Warshall by far. Sources are independent: threads share nothing but
 * the graph, and the result does not depend on them. */
#include <math.h>

#include "model/init.h"

typedef struct queue {
    size_t count;
    size_t *node;     /* heap: no node is closer than the one above it */
    size_t *place;    /* place[i]: where node i is in the heap */
    const double *at; /* distances */
} queue;

_Static_assert(sizeof(size_t) <= sizeof(double), "the heap lives in scratch memory for doubles");

static void put(queue *q, size_t place, size_t node) {
    q->node[place] = node;
    q->place[node] = place;
}

static void rise(queue *q, size_t place, size_t node) {
    while (place > 0) {
        size_t above = (place - 1) / 2;
        if (q->at[q->node[above]] <= q->at[node])
            break;
        put(q, place, q->node[above]);
        place = above;
    }
    put(q, place, node);
}

static size_t pop(queue *q) {
    size_t top = q->node[0], node = q->node[--q->count], place = 0;
    for (;;) {
        size_t below = 2 * place + 1;
        if (below >= q->count)
            break;
        if (below + 1 < q->count && q->at[q->node[below + 1]] < q->at[q->node[below]])
            below++;
        if (q->at[node] <= q->at[q->node[below]])
            break;
        put(q, place, q->node[below]);
        place = below;
    }
    put(q, place, node);
    return top;
}

typedef struct paths_job {
    const rm2i_graph *graph;
    const size_t *source; /* NULL: every node */
    double *distance;
} paths_job;

static rm2_status paths_from(const void *job, size_t k, double *work) {
    const paths_job *j = job;
    const rm2i_graph *g = j->graph;
    size_t source = j->source ? j->source[k] : k;
    double *at = j->distance + k * g->n;
    queue q = {.node = (size_t *)(void *)work, .place = (size_t *)(void *)(work + g->n), .at = at};
    for (size_t i = 0; i < g->n; i++)
        at[i] = INFINITY;
    at[source] = 0;
    rise(&q, q.count++, source);
    while (q.count > 0) {
        size_t from = pop(&q);
        for (size_t e = g->first[from]; e < g->first[from + 1]; e++) {
            size_t to = g->to[e];
            double along = at[from] + g->length[e];
            if (along >= at[to])
                continue;
            size_t place = isinf(at[to]) ? q.count++ : q.place[to]; /* not met before: at the end */
            at[to] = along;
            rise(&q, place, to);
        }
    }
    return RM2_OK;
}

rm2_status rm2i_graph_distances_from(rm2_context *ctx, const rm2i_graph *graph, size_t count,
                                     const size_t *source, double *distance) {
    paths_job job = {graph, source, distance};
    return rm2i_batch(ctx, count, 2 * graph->n, paths_from, &job, NULL);
}

rm2_status rm2i_graph_distances(rm2_context *ctx, const rm2i_graph *graph, double *distance) {
    size_t n = graph->n;
    RM2_TRY(rm2i_graph_distances_from(ctx, graph, n, NULL, distance));
    for (size_t i = 0; i < n; i++) /* forth and back, the same sum may round differently */
        for (size_t j = 0; j < i; j++)
            distance[i * n + j] = distance[j * n + i];
    return RM2_OK;
}
