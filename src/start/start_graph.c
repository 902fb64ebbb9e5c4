/* The graph of Isomap: i and j are joined if one is among the k nearest of the other (in other
 * trajectories, if so asked), or if they are few steps apart in a trajectory; an edge is as long as its ends are apart.
 *
 * A small change of the points can replace a k-th neighbour by another, and then all paths across it change. Tapered graphs
 * depend continuously on the points: with r_i the distance of point i from its neighbour k + 2, an edge of length d between i
 * and a point j that is closer becomes
 *
 *     d / (1 - (d/r)^64),  r = max(r_i, r_j)
 *
 * which is almost d for the k nearest, and infinite where the pair is about to be too far apart.
 *
 * What is not connected then is joined by the shortest links between the parts, the fewest that do (a minimum
 * spanning tree over the parts, by Prim's method: Bell System Technical Journal 36, 1957), because
 * distances between the parts must be finite and as little as possible is to be made up. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "graph/neighbours.h"
#include "start/start.h"

typedef struct cloud {
    size_t n, d, k;
    const double *points; /* n x d */
    size_t trajectories;
    const size_t *starts;
    size_t steps;
    bool others_only, tapered;
    rm2i_kd_tree tree;
    size_t *nearest; /* n x k; tapered: with the neighbour at r_i, the last one */
} cloud;

enum { TAPERED_NEIGHBOURS = 2 }; /* beyond k */
static const double SHARPNESS = 64;

static rm2i_edge edge(const cloud *c, size_t a, size_t b) {
    return (rm2i_edge){a, b, rm2i_separation(c->d, c->points, a, b)};
}

/* r_i */
static double reach_of(const cloud *c, size_t i) {
    return rm2i_separation(c->d, c->points, i, c->nearest[i * c->k + c->k - 1]);
}

/* Taper the edges; returns how many have a finite length. */
static size_t taper(const cloud *c, size_t count, rm2i_edge *edges) {
    size_t kept = 0;
    for (size_t e = 0; e < count; e++) {
        double reach = fmax(reach_of(c, edges[e].a), reach_of(c, edges[e].b));
        edges[kept] = edges[e];
        if (edges[e].length > 0)
            edges[kept].length /= 1 - pow(edges[e].length / reach, SHARPNESS);
        kept += isfinite(edges[kept].length) ? 1 : 0;
    }
    return kept;
}

/* Neighbours, then steps, each edge once; returns how many. */
static size_t list_edges(const cloud *c, rm2i_edge *edges) {
    const size_t *starts = c->starts;
    size_t count = rm2i_neighbour_edges(c->n, c->d, c->points, c->k, c->nearest, edges);
    if (c->tapered)
        count = taper(c, count, edges);
    for (size_t t = 0; t < c->trajectories; t++)
        for (size_t i = starts[t]; i < starts[t + 1]; i++)
            for (size_t j = i + 1; j <= i + c->steps && j < starts[t + 1]; j++)
                if (!rm2i_is_neighbour(c->nearest, c->k, i, j) &&
                    !rm2i_is_neighbour(c->nearest, c->k, j, i))
                    edges[count++] = edge(c, i, j);
    return count;
}

/* The tree of links so far. For each point outside of it: the squared distance to it, and the point of
 * it that is so far away; inside, the gap is -1. */
typedef struct links {
    size_t n;
    double *gap, *squares; /* n; squares: scratch */
    size_t *nearest;
    double *memory;
} links;

static void lay_out_links(void *arg, rm2i_arena *a) {
    links *l = arg;
    l->gap = rm2i_reserve(a, double, l->n);
    l->squares = rm2i_reserve(a, double, l->n);
    l->nearest = rm2i_reserve(a, size_t, l->n);
}

/* The tree takes in a part. */
static void add_part(const cloud *c, size_t part, const size_t *parent, const links *l) {
    for (size_t i = 0; i < c->n; i++) {
        if (parent[i] != part)
            continue;
        l->gap[i] = -1;
        rm2i_kd_squares(&c->tree, c->points + i * c->d, l->squares);
        for (size_t j = 0; j < c->n; j++)
            if (l->squares[j] < l->gap[j]) {
                l->gap[j] = l->squares[j];
                l->nearest[j] = i;
            }
    }
}

/* Links between the parts, appended to the edges. */
static rm2_status join_parts(rm2_context *ctx, const cloud *c, size_t parts, const size_t *parent,
                             rm2i_edge *edges, size_t *count) {
    if (parts == 1)
        return RM2_OK;
    links l = {.n = c->n};
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out_links, &l, &l.memory));
    rm2_status status = RM2_OK;
    for (size_t i = 0; i < c->n; i++)
        l.gap[i] = INFINITY;
    size_t part = 0; /* that of point 0 */
    for (size_t p = 1; status == RM2_OK && p < parts; p++) {
        add_part(c, part, parent, &l);
        size_t closest = SIZE_MAX;
        for (size_t i = 0; i < c->n; i++)
            if (l.gap[i] >= 0 && (closest == SIZE_MAX || l.gap[i] < l.gap[closest]))
                closest = i;
        edges[(*count)++] = edge(c, l.nearest[closest], closest);
        part = parent[closest];
        if (rm2i_interrupted(ctx))
            status = rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
    }
    free(l.memory);
    return status;
}

/* Scratch of the graph: neighbours, steps and links; parts. */
typedef struct build_scratch {
    const cloud *c;
    rm2i_edge *edges;
    size_t *parent;
    double *memory;
} build_scratch;

static void lay_out_build(void *arg, rm2i_arena *a) {
    build_scratch *s = arg;
    s->edges = rm2i_reserve(a, rm2i_edge, s->c->n, s->c->k + s->c->steps + 1);
    s->parent = rm2i_reserve(a, size_t, s->c->n);
}

static rm2_status build(rm2_context *ctx, const cloud *c, rm2i_graph *graph) {
    build_scratch s = {.c = c};
    RM2_TRY(rm2i_neighbours_in_others(ctx, &c->tree, c->points, c->k,
                                      c->others_only ? c->trajectories : 0, c->starts, c->nearest));
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_build, &s, &s.memory));
    size_t count = list_edges(c, s.edges);
    size_t parts = rm2i_graph_parts(c->n, s.edges, count, s.parent);
    rm2_status status = join_parts(ctx, c, parts, s.parent, s.edges, &count);
    if (status == RM2_OK)
        status = rm2i_graph_rows(ctx, c->n, s.edges, count, graph);
    free(s.memory);
    return status;
}

/* As many neighbours as every point has; tapered, two more. */
static size_t most_neighbours(const rm2i_start_data *points, const rm2i_graph_settings *s) {
    size_t longest = 1;
    for (size_t t = 0; s->others_only && t < points->trajectories; t++)
        if (points->starts[t + 1] - points->starts[t] > longest)
            longest = points->starts[t + 1] - points->starts[t];
    size_t wanted = s->neighbours + (s->tapered ? TAPERED_NEIGHBOURS : 0);
    return wanted < points->N - longest ? wanted : points->N - longest;
}

rm2_status rm2i_graph_build(rm2_context *ctx, const rm2i_start_data *points,
                            const rm2i_graph_settings *settings, rm2i_graph *graph) {
    *graph = (rm2i_graph){0};
    cloud c = {.n = points->N,
               .d = points->M,
               .k = most_neighbours(points, settings),
               .points = points->F,
               .trajectories = points->trajectories,
               .starts = points->starts,
               .steps = settings->steps,
               .others_only = settings->others_only};
    c.tapered = settings->tapered && c.k == settings->neighbours + TAPERED_NEIGHBOURS;
    RM2_TRY(rm2i_kd_build(ctx, c.n, c.d, c.points, &c.tree));
    rm2_status status = rm2i_alloc(ctx, c.n, c.k * sizeof *c.nearest, &c.nearest);
    if (status == RM2_OK)
        status = build(ctx, &c, graph);
    rm2i_kd_free(&c.tree);
    free(c.nearest);
    return status;
}
