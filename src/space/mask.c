/* Roadmaps with obstacles. Clearances of the nodes are known from the start, and edges whose chord or ends come too near are
 * left out at once. What the chord does not see, the bow of the decoded line, is looked at only for the edges of a path that
 * was found (lazy collision checking: Bohlin and Kavraki, ICRA 2000): where one does not keep the clearance it is left
 * out, and the search runs again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "graph/heap.h"
#include "space/around.h"

struct rm2i_mask {
    rm2i_mask_request r;
    rm2i_graph graph; /* the roadmap's, with lengths of its own */
    rm2i_clear_point *node;
    rm2i_clear_point ends[2];
    rm2i_join join[2];
    double *at, *exit;     /* nodes */
    size_t *before, *path; /* nodes */
    bool *done;            /* nodes */
    double *heap, *joining, *clearing;
    double *memory;
};

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_mask *m = arg;
    const rm2i_roadmap *net = m->r.roadmap;
    size_t n = net->nodes;
    m->node = rm2i_reserve(a, rm2i_clear_point, n);
    m->graph.length = rm2i_reserve(a, double, net->graph.first[n]);
    for (int k = 0; k < 2; k++)
        rm2i_join_lay_out(&m->join[k], net, a);
    m->at = rm2i_reserve(a, double, n);
    m->exit = rm2i_reserve(a, double, n);
    m->before = rm2i_reserve(a, size_t, n);
    m->path = rm2i_reserve(a, size_t, n);
    m->done = rm2i_reserve(a, bool, n);
    m->heap = rm2i_reserve(a, double, rm2i_search_work(n));
    m->joining = rm2i_reserve(a, double, rm2i_join_work(net, m->r.metric));
    m->clearing = rm2i_reserve(a, double, rm2i_clearance_work(m->r.clearance));
}

/* ---- nodes and edges ------------------------------------------------------------------------ */

static rm2_status node_at(const void *job, size_t i, double *work) {
    const rm2i_mask *m = job;
    rm2i_clearance_at(m->r.clearance, m->r.roadmap->x + i * m->r.roadmap->Q, &m->node[i], work);
    return RM2_OK;
}

static double chord_length(const rm2i_mask *m, const rm2i_clear_point *a,
                           const rm2i_clear_point *b) {
    double square = 0;
    for (size_t k = 0; k < m->r.clearance->position.dim; k++)
        square += (a->y[k] - b->y[k]) * (a->y[k] - b->y[k]);
    return sqrt(square);
}

static double factor_of(const rm2i_mask *m, const rm2i_clear_point *p) {
    return rm2i_barrier_factor(m->r.clearance, m->r.width, p);
}

/* Length of edge e from node i in the metric of the barrier; infinite where its chord comes too near. */
static double edge_length(const rm2i_mask *m, size_t i, size_t e) {
    const rm2i_graph *g = &m->r.roadmap->graph;
    const rm2i_clear_point *a = &m->node[i], *b = &m->node[g->to[e]];
    double wanted = m->r.clearance->wanted;
    if (!(a->clearance >= wanted && b->clearance >= wanted) ||
        !rm2i_clearance_chord_holds(m->r.clearance, a, b))
        return INFINITY;
    return g->length[e] * 0.5 * (sqrt(m->at[i]) + sqrt(m->at[g->to[e]]));
}

static rm2_status edges_of(const void *job, size_t i, double *work) {
    const rm2i_mask *m = job;
    const rm2i_graph *g = &m->r.roadmap->graph;
    (void)work;
    for (size_t e = g->first[i]; e < g->first[i + 1]; e++)
        m->graph.length[e] = edge_length(m, i, e);
    return RM2_OK;
}

rm2_status rm2i_mask_create(rm2_context *ctx, const rm2i_mask_request *request, rm2i_mask **mask) {
    rm2i_mask *m;
    *mask = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *m, &m));
    m->r = *request;
    m->graph = request->roadmap->graph;
    size_t n = request->roadmap->nodes;
    rm2_status status = rm2i_arena_alloc(ctx, lay_out, m, &m->memory);
    if (status == RM2_OK)
        status = rm2i_batch(ctx, n, rm2i_clearance_work(request->clearance), node_at, m, NULL);
    for (size_t i = 0; i < n && status == RM2_OK; i++)
        m->at[i] = factor_of(m, &m->node[i]); /* phi, as long as edges are measured */
    if (status == RM2_OK)
        status = rm2i_batch(ctx, n, 1, edges_of, m, NULL);
    if (status != RM2_OK) {
        rm2i_mask_free(m);
        return status == RM2_INTERRUPTED ? rm2i_fail(ctx, status, "interrupted") : status;
    }
    *mask = m;
    return RM2_OK;
}

rm2_status rm2i_mask_copy(rm2_context *ctx, const rm2i_mask *mask, rm2i_mask **copy) {
    rm2i_mask *m;
    size_t n = mask->graph.n;
    *copy = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *m, &m));
    m->r = mask->r;
    m->graph = mask->graph;
    rm2_status status = rm2i_arena_alloc(ctx, lay_out, m, &m->memory);
    if (status != RM2_OK) {
        rm2i_mask_free(m);
        return status;
    }
    memcpy(m->node, mask->node, n * sizeof *m->node);
    memcpy(m->graph.length, mask->graph.length, m->graph.first[n] * sizeof *m->graph.length);
    *copy = m;
    return RM2_OK;
}

void rm2i_mask_free(rm2i_mask *mask) {
    if (!mask)
        return;
    free(mask->memory);
    free(mask);
}

void rm2i_way_clear(rm2i_way *way) {
    free(way->x);
    *way = (rm2i_way){0};
}

/* ---- ends ----------------------------------------------------------------------------------- */

static bool line_holds(rm2i_mask *m, const double *a, const rm2i_clear_point *at_a, const double *b,
                       const rm2i_clear_point *at_b) {
    return rm2i_clearance_holds(m->r.clearance, a, at_a, b, at_b, m->clearing);
}

/* Join an end to the nodes around it. */
static rm2_status join_end(rm2_context *ctx, rm2i_mask *m, int k, const double *x) {
    const rm2i_roadmap *net = m->r.roadmap;
    rm2_status status = rm2i_roadmap_join_point(net, m->r.metric, x, &m->join[k], m->joining);
    if (status != RM2_OK)
        return rm2i_fail(ctx, status, "the metric cannot be computed near an end of the path");
    rm2i_clearance_at(m->r.clearance, x, &m->ends[k], m->clearing);
    return RM2_OK;
}

/* Infinite lengths for joints that do not keep the clearance; the others in the metric of the barrier. */
static void filter_joints(rm2i_mask *m, int k) {
    const rm2i_roadmap *net = m->r.roadmap;
    rm2i_join *j = &m->join[k];
    double phi = factor_of(m, &m->ends[k]);
    for (size_t i = 0; i < j->count; i++) {
        const rm2i_clear_point *node = &m->node[j->node[i]];
        if (line_holds(m, j->x, &m->ends[k], net->x + j->node[i] * net->Q, node))
            j->length[i] *= 0.5 * (sqrt(phi) + sqrt(factor_of(m, node)));
        else
            j->length[i] = INFINITY;
    }
}

/* ---- the shortest path ---------------------------------------------------------------------- */

static rm2_status copy_way(rm2_context *ctx, const rm2i_mask *m, size_t last, rm2i_way *way) {
    const rm2i_roadmap *net = m->r.roadmap;
    size_t Q = net->Q, count = 0, bytes = Q * sizeof *way->x;
    for (size_t i = last; i != SIZE_MAX; i = m->before[i])
        m->path[count++] = i;
    RM2_TRY(rm2i_alloc(ctx, count + 2, bytes, &way->x));
    memcpy(way->x, m->join[0].x, bytes);
    way->n = 1;
    while (count-- > 0) {
        bool is_end = (m->join[0].on_node && m->path[count] == m->join[0].node[0]) ||
                      (m->join[1].on_node && m->path[count] == m->join[1].node[0]);
        if (!is_end)
            memcpy(way->x + way->n++ * Q, net->x + m->path[count] * Q, bytes);
    }
    memcpy(way->x + way->n++ * Q, m->join[1].x, bytes);
    return RM2_OK;
}

static void remove_edge(rm2i_mask *m, size_t from, size_t to) {
    for (size_t e = m->graph.first[from]; e < m->graph.first[from + 1]; e++)
        if (m->graph.to[e] == to)
            m->graph.length[e] = INFINITY;
}

/* Leave out the edges up to `last` that do not keep the clearance; true if there are none. */
static bool path_holds(rm2i_mask *m, size_t last) {
    const rm2i_roadmap *net = m->r.roadmap;
    bool holds = true;
    for (size_t b = last, a = m->before[b]; a != SIZE_MAX; b = a, a = m->before[b]) {
        if (line_holds(m, net->x + a * net->Q, &m->node[a], net->x + b * net->Q, &m->node[b]))
            continue;
        remove_edge(m, a, b);
        remove_edge(m, b, a);
        holds = false;
    }
    return holds;
}

static size_t search(rm2i_mask *m) {
    const rm2i_search s = {.graph = &m->graph,
                           .seeds = m->join[0].count,
                           .seed = m->join[0].node,
                           .start = m->join[0].length,
                           .exit = m->exit,
                           .at = m->at,
                           .before = m->before,
                           .work = m->heap};
    double length = INFINITY;
    size_t last = rm2i_graph_search(&s, &length);
    return isfinite(length) ? last : SIZE_MAX;
}

/* Seeds at an infinite distance are none. */
static void drop_infinite(rm2i_join *j) {
    size_t kept = 0;
    for (size_t i = 0; i < j->count; i++)
        if (isfinite(j->length[i])) {
            j->node[kept] = j->node[i];
            j->length[kept++] = j->length[i];
        }
    j->count = kept;
}

static rm2_status straight_way(rm2_context *ctx, const rm2i_mask *m, rm2i_way *way) {
    size_t Q = m->r.roadmap->Q;
    RM2_TRY(rm2i_alloc(ctx, 2 * Q, sizeof *way->x, &way->x));
    memcpy(way->x, m->join[0].x, Q * sizeof *way->x);
    memcpy(way->x + Q, m->join[1].x, Q * sizeof *way->x);
    way->n = 2;
    return RM2_OK;
}

rm2_status rm2i_mask_shortest(rm2_context *ctx, rm2i_mask *m, const double *from, const double *to,
                              rm2i_way *way) {
    const rm2i_roadmap *net = m->r.roadmap;
    double direct = INFINITY;
    *way = (rm2i_way){0};
    RM2_TRY(join_end(ctx, m, 0, from));
    RM2_TRY(join_end(ctx, m, 1, to));
    RM2_TRY(rm2i_join_direct(net, m->r.metric, &m->join[0], &m->join[1], &direct, m->joining));
    if (isfinite(direct) && line_holds(m, from, &m->ends[0], to, &m->ends[1]))
        return straight_way(ctx, m, way);
    for (int k = 0; k < 2; k++) {
        filter_joints(m, k);
        drop_infinite(&m->join[k]);
    }
    for (size_t i = 0; i < net->nodes; i++)
        m->exit[i] = INFINITY;
    for (size_t i = 0; i < m->join[1].count; i++)
        m->exit[m->join[1].node[i]] = m->join[1].length[i];
    for (;;) {
        if (rm2i_interrupted(ctx))
            return rm2i_fail(ctx, RM2_INTERRUPTED, "geodesic: interrupted");
        size_t last = m->join[0].count > 0 ? search(m) : SIZE_MAX;
        if (last == SIZE_MAX)
            return RM2_OK;
        if (path_holds(m, last))
            return copy_way(ctx, m, last, way);
    }
}

/* ---- is there hope? ------------------------------------------------------------------------- */

/* Could a way that keeps the clearance pass near node i? Its clearance is at most that of the node and the decoded length
 * of the longest edge there more. */
static bool may_pass(const rm2i_mask *m, size_t i) {
    const rm2i_graph *g = &m->r.roadmap->graph;
    double longest = 0;
    if (m->node[i].clearance >= m->r.clearance->wanted)
        return true;
    for (size_t e = g->first[i]; e < g->first[i + 1]; e++)
        longest = fmax(longest, chord_length(m, &m->node[i], &m->node[g->to[e]]));
    return m->node[i].clearance + longest >= m->r.clearance->wanted;
}

/* Breadth first from the nodes around one end. */
rm2_status rm2i_mask_may_pass(rm2_context *ctx, rm2i_mask *m, const double *from, const double *to,
                              bool *may) {
    const rm2i_graph *g = &m->r.roadmap->graph;
    size_t head = 0, tail = 0, *queue = m->path;
    RM2_TRY(join_end(ctx, m, 0, from));
    RM2_TRY(join_end(ctx, m, 1, to));
    memset(m->done, 0, g->n * sizeof *m->done);
    for (size_t i = 0; i < m->join[0].count; i++) {
        m->done[m->join[0].node[i]] = true;
        queue[tail++] = m->join[0].node[i];
    }
    while (head < tail) {
        size_t i = queue[head++];
        for (size_t e = g->first[i]; e < g->first[i + 1]; e++)
            if (!m->done[g->to[e]] && may_pass(m, g->to[e])) {
                m->done[g->to[e]] = true;
                queue[tail++] = g->to[e];
            }
    }
    *may = false;
    for (size_t i = 0; i < m->join[1].count; i++)
        *may = *may || m->done[m->join[1].node[i]];
    return RM2_OK;
}

/* ---- the widest path ------------------------------------------------------------------------ */

/* What the ends of a line say of its clearance: on a chord of length l it is at least (c_a + c_b - l)/2. */
static double width_of(const rm2i_mask *m, const rm2i_clear_point *a, const rm2i_clear_point *b) {
    return 0.5 * (a->clearance + b->clearance - chord_length(m, a, b));
}

/* The path to `node` over `before` has so narrow a place (minus its width): keep it if that is wider. */
static void offer(rm2i_mask *m, rm2i_heap *heap, size_t node, double narrow, size_t before) {
    if (m->done[node] || narrow >= m->at[node])
        return;
    bool is_new = isinf(m->at[node]) && m->at[node] > 0;
    m->at[node] = narrow;
    m->before[node] = before;
    rm2i_heap_rise(heap, is_new ? heap->count++ : heap->place[node], node);
}

/* Dijkstra's method with the narrowest place in the place of the length. */
static size_t search_widest(rm2i_mask *m) {
    const rm2i_graph *g = &m->r.roadmap->graph;
    rm2i_heap heap = {.at = m->at};
    rm2i_arena a = {m->heap, 0};
    size_t last = SIZE_MAX;
    double best = INFINITY;
    heap.node = rm2i_reserve(&a, size_t, g->n);
    heap.place = rm2i_reserve(&a, size_t, g->n);
    for (size_t i = 0; i < g->n; i++) {
        m->at[i] = INFINITY;
        m->done[i] = false;
    }
    for (size_t i = 0; i < m->join[0].count; i++) {
        size_t node = m->join[0].node[i];
        offer(m, &heap, node, -width_of(m, &m->ends[0], &m->node[node]), SIZE_MAX);
    }
    while (heap.count > 0) {
        size_t from = rm2i_heap_pop(&heap);
        m->done[from] = true;
        if (fmax(m->at[from], m->exit[from]) < best) {
            best = fmax(m->at[from], m->exit[from]);
            last = from;
        }
        for (size_t e = g->first[from]; e < g->first[from + 1]; e++) {
            double width = width_of(m, &m->node[from], &m->node[g->to[e]]);
            offer(m, &heap, g->to[e], fmax(m->at[from], -width), from);
        }
    }
    return last;
}

rm2_status rm2i_mask_widest(rm2_context *ctx, rm2i_mask *m, const double *from, const double *to,
                            rm2i_way *way) {
    *way = (rm2i_way){0};
    RM2_TRY(join_end(ctx, m, 0, from));
    RM2_TRY(join_end(ctx, m, 1, to));
    for (size_t i = 0; i < m->r.roadmap->nodes; i++)
        m->exit[i] = INFINITY;
    for (size_t i = 0; i < m->join[1].count; i++) {
        size_t node = m->join[1].node[i];
        m->exit[node] = -width_of(m, &m->ends[1], &m->node[node]);
    }
    size_t last = search_widest(m);
    return last == SIZE_MAX ? straight_way(ctx, m, way) : copy_way(ctx, m, last, way);
}
