/* The graph of Isomap: i and j are joined if one is among the k nearest of the other, or if they
 * follow each other in a trajectory; an edge is as long as its ends are apart. What is not
 * connected then is joined by the shortest links between the parts, the fewest that do (a minimum
 * spanning tree over the parts, by Prim's method: Bell System Technical Journal 36, 1957), because
 * distances between the parts must be finite and as little as possible is to be made up. */
#include <math.h>
#include <stdlib.h>

#include "linalg/neighbours.h"
#include "start/start.h"

typedef struct cloud {
    size_t n, d, k;
    const double *points; /* n x d */
    const rm2i_graph_plan *plan;
    rm2i_tree tree;
    size_t *nearest; /* n x k */
} cloud;

static rm2i_edge edge(const cloud *c, size_t a, size_t b) {
    return (rm2i_edge){a, b, rm2i_separation(c->d, c->points, a, b)};
}

/* Neighbours, then steps, each edge once; returns how many. */
static size_t list_edges(const cloud *c, rm2i_edge *edges) {
    const rm2i_graph_plan *p = c->plan;
    size_t count = rm2i_neighbour_edges(c->n, c->d, c->points, c->k, c->nearest, edges);
    for (size_t t = 0; t < p->trajectories; t++)
        for (size_t i = p->starts[t]; i < p->starts[t + 1]; i++)
            for (size_t s = 1; s <= p->steps && i + s < p->starts[t + 1]; s++)
                if (!rm2i_is_neighbour(c->nearest, c->k, i, i + s) &&
                    !rm2i_is_neighbour(c->nearest, c->k, i + s, i))
                    edges[count++] = edge(c, i, i + s);
    return count;
}

/* The tree of links takes in a part: `gap` and `nearest` are, for each point outside of it, the
 * squared distance to it and the point of it that is so far away; inside, the gap is -1. */
static void take_part(const cloud *c, size_t part, const size_t *parent, double *squares,
                      double *gap, size_t *nearest) {
    for (size_t i = 0; i < c->n; i++) {
        if (parent[i] != part)
            continue;
        gap[i] = -1;
        rm2i_tree_squares(&c->tree, c->points + i * c->d, squares);
        for (size_t j = 0; j < c->n; j++)
            if (squares[j] < gap[j]) {
                gap[j] = squares[j];
                nearest[j] = i;
            }
    }
}

/* Links between the parts, appended to the edges. */
static rm2_status join_parts(rm2_context *ctx, const cloud *c, size_t parts, const size_t *parent,
                             rm2i_edge *edges, size_t *count) {
    if (parts == 1)
        return RM2_OK;
    double *gap;
    size_t *nearest;
    RM2_TRY(rm2i_alloc(ctx, c->n, 2 * sizeof *gap, &gap));
    rm2_status status = rm2i_calloc(ctx, c->n, sizeof *nearest, &nearest);
    for (size_t i = 0; i < c->n; i++)
        gap[i] = INFINITY;
    size_t part = 0; /* that of point 0 */
    for (size_t p = 1; status == RM2_OK && p < parts; p++) {
        take_part(c, part, parent, gap + c->n, gap, nearest);
        size_t closest = SIZE_MAX;
        for (size_t i = 0; i < c->n; i++)
            if (gap[i] >= 0 && (closest == SIZE_MAX || gap[i] < gap[closest]))
                closest = i;
        edges[(*count)++] = edge(c, nearest[closest], closest);
        part = parent[closest];
        if (rm2i_interrupted(ctx))
            status = rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
    }
    free(gap);
    free(nearest);
    return status;
}

static rm2_status find_neighbours(rm2_context *ctx, const cloud *c) {
    const rm2i_graph_plan *p = c->plan;
    return rm2i_neighbours_in_others(ctx, &c->tree, c->points, c->k,
                                     p->others_only ? p->trajectories : 0, p->starts, c->nearest);
}

static rm2_status build(rm2_context *ctx, const cloud *c, rm2i_graph *graph) {
    rm2i_edge *edges = NULL; /* neighbours, steps, links */
    size_t *parent = NULL, count = 0;
    rm2_status status = find_neighbours(ctx, c);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, c->n * (c->k + c->plan->steps + 1), sizeof *edges, &edges);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, c->n, sizeof *parent, &parent);
    if (status == RM2_OK) {
        count = list_edges(c, edges);
        size_t parts = rm2i_graph_parts(c->n, edges, count, parent);
        status = join_parts(ctx, c, parts, parent, edges, &count);
    }
    if (status == RM2_OK)
        status = rm2i_graph_rows(ctx, c->n, edges, count, graph);
    free(edges);
    free(parent);
    return status;
}

/* As many neighbours as every point has. */
static size_t most_neighbours(const rm2i_graph_plan *p) {
    size_t longest = 1;
    for (size_t t = 0; p->others_only && t < p->trajectories; t++)
        if (p->starts[t + 1] - p->starts[t] > longest)
            longest = p->starts[t + 1] - p->starts[t];
    return p->k < p->n - longest ? p->k : p->n - longest;
}

rm2_status rm2i_graph_build(rm2_context *ctx, const rm2i_graph_plan *plan, rm2i_graph *graph) {
    *graph = (rm2i_graph){0};
    cloud c = {.n = plan->n,
               .d = plan->d,
               .k = most_neighbours(plan),
               .points = plan->points,
               .plan = plan};
    RM2_TRY(rm2i_tree_build(ctx, c.n, c.d, c.points, &c.tree));
    rm2_status status = rm2i_alloc(ctx, c.n, c.k * sizeof *c.nearest, &c.nearest);
    if (status == RM2_OK)
        status = build(ctx, &c, graph);
    rm2i_tree_free(&c.tree);
    free(c.nearest);
    return status;
}
