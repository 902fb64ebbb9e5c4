/* The graph of Isomap: i and j are joined if one is among the k nearest of the other, or if they
 * follow each other in a trajectory; an edge is as long as its ends are apart. What is not
 * connected then is joined by the shortest links between the parts, the fewest that do (a minimum
 * spanning tree over the parts, by Prim's method: Bell System Technical Journal 36, 1957), because
 * distances between the parts must be finite and as little as possible is to be made up.
 *
 * Neighbours come from all n^2 distances, with the coordinates by columns so that the inner loop is
 * one contiguous vector loop: at the sizes of this library a search tree does not pay. A distance
 * is the same sum from both ends, bit by bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/init.h"

typedef struct edge {
    size_t a, b;
} edge;

typedef struct cloud {
    size_t n, d, k;
    const double *columns; /* d x n */
    size_t *nearest;       /* n x k */
} cloud;

static double separation(const cloud *c, size_t i, size_t j) {
    double sum = 0;
    for (size_t m = 0; m < c->d; m++) {
        double difference = c->columns[m * c->n + i] - c->columns[m * c->n + j];
        sum += difference * difference;
    }
    return sum;
}

/* Squared distances of all points from point i. */
static void squares_from(const cloud *c, size_t i, double *squares) {
    memset(squares, 0, c->n * sizeof *squares);
    for (size_t m = 0; m < c->d; m++) {
        const double *column = c->columns + m * c->n;
        double own = column[i];
        for (size_t j = 0; j < c->n; j++)
            squares[j] += (column[j] - own) * (column[j] - own);
    }
}

/* ---- nearest neighbours --------------------------------------------------------------------- */

static rm2_status find_nearest(const void *job, size_t i, double *work) {
    const cloud *c = job;
    size_t *list = c->nearest + i * c->k, held = 0;
    squares_from(c, i, work);
    for (size_t j = 0; j < c->n; j++) {
        if (j == i || (held == c->k && work[j] >= work[list[held - 1]]))
            continue;
        size_t at = held < c->k ? held++ : held - 1;
        for (; at > 0 && work[list[at - 1]] > work[j]; at--)
            list[at] = list[at - 1];
        list[at] = j;
    }
    return RM2_OK;
}

static bool is_listed(const cloud *c, size_t i, size_t j) {
    for (size_t m = 0; m < c->k; m++)
        if (c->nearest[i * c->k + m] == j)
            return true;
    return false;
}

/* Neighbours, then steps, each edge once; returns how many. */
static size_t list_edges(const cloud *c, size_t trajectories, const size_t *starts, edge *edges) {
    size_t count = 0;
    for (size_t i = 0; i < c->n; i++)
        for (size_t m = 0; m < c->k; m++) {
            size_t j = c->nearest[i * c->k + m];
            if (i < j || !is_listed(c, j, i))
                edges[count++] = (edge){i, j};
        }
    for (size_t t = 0; t < trajectories; t++)
        for (size_t i = starts[t]; i + 1 < starts[t + 1]; i++)
            if (!is_listed(c, i, i + 1) && !is_listed(c, i + 1, i))
                edges[count++] = (edge){i, i + 1};
    return count;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static size_t root(size_t *parent, size_t i) {
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* parent[i] becomes the smallest point of the part of i; returns the number of parts. */
static size_t find_parts(size_t n, const edge *edges, size_t count, size_t *parent) {
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

/* The tree takes in a part: `gap` and `nearest` are, for each point outside of it, the squared
 * distance to the tree and the point of the tree that is so far away; inside, the gap is -1. */
static void take_part(const cloud *c, size_t part, const size_t *parent, double *squares,
                      double *gap, size_t *nearest) {
    for (size_t i = 0; i < c->n; i++) {
        if (parent[i] != part)
            continue;
        gap[i] = -1;
        squares_from(c, i, squares);
        for (size_t j = 0; j < c->n; j++)
            if (squares[j] < gap[j]) {
                gap[j] = squares[j];
                nearest[j] = i;
            }
    }
}

/* Links between the parts, appended to the edges. */
static rm2_status join_parts(rm2_context *ctx, const cloud *c, size_t parts, const size_t *parent,
                             edge *edges, size_t *count) {
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
        edges[(*count)++] = (edge){nearest[closest], closest};
        part = parent[closest];
        if (rm2i_interrupted(ctx))
            status = rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
    }
    free(gap);
    free(nearest);
    return status;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static rm2_status store_rows(rm2_context *ctx, const cloud *c, const edge *edges, size_t count,
                             rm2i_graph *graph) {
    graph->n = c->n;
    RM2_TRY(rm2i_calloc(ctx, c->n + 1, sizeof *graph->first, &graph->first));
    RM2_TRY(rm2i_alloc(ctx, 2 * count, sizeof *graph->to, &graph->to));
    RM2_TRY(rm2i_alloc(ctx, 2 * count, sizeof *graph->length, &graph->length));
    size_t *first = graph->first;
    for (size_t e = 0; e < count; e++) {
        first[edges[e].a]++;
        first[edges[e].b]++;
    }
    for (size_t i = 0; i < c->n; i++)
        first[i + 1] += first[i]; /* ends of the rows; filling brings them to the beginnings */
    for (size_t e = count; e-- > 0;) {
        size_t a = edges[e].a, b = edges[e].b;
        double length = sqrt(separation(c, a, b));
        graph->to[--first[a]] = b;
        graph->length[first[a]] = length;
        graph->to[--first[b]] = a;
        graph->length[first[b]] = length;
    }
    return RM2_OK;
}

void rm2i_graph_free(rm2i_graph *graph) {
    free(graph->first);
    free(graph->to);
    free(graph->length);
    *graph = (rm2i_graph){0};
}

static rm2_status build(rm2_context *ctx, const cloud *c, size_t trajectories, const size_t *starts,
                        rm2i_graph *graph) {
    edge *edges = NULL; /* neighbours, steps, links */
    size_t *parent = NULL, count = 0;
    rm2_status status = rm2i_batch(ctx, c->n, c->n, find_nearest, c, NULL);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, c->n * (c->k + 2), sizeof *edges, &edges);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, c->n, sizeof *parent, &parent);
    if (status == RM2_OK) {
        count = list_edges(c, trajectories, starts, edges);
        size_t parts = find_parts(c->n, edges, count, parent);
        status = join_parts(ctx, c, parts, parent, edges, &count);
    }
    if (status == RM2_OK)
        status = store_rows(ctx, c, edges, count, graph);
    free(edges);
    free(parent);
    return status;
}

rm2_status rm2i_graph_build(rm2_context *ctx, size_t n, size_t d, const double *points, size_t k,
                            size_t trajectories, const size_t *starts, rm2i_graph *graph) {
    *graph = (rm2i_graph){0};
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a graph needs points");
    cloud c = {.n = n, .d = d, .k = k < n - 1 ? k : n - 1};
    double *columns;
    RM2_TRY(rm2i_alloc(ctx, n * d, sizeof *columns, &columns));
    for (size_t i = 0; i < n; i++)
        for (size_t m = 0; m < d; m++)
            columns[m * n + i] = points[i * d + m];
    c.columns = columns;
    rm2_status status = rm2i_alloc(ctx, n * c.k, sizeof *c.nearest, &c.nearest);
    if (status == RM2_OK)
        status = build(ctx, &c, trajectories, starts, graph);
    if (status != RM2_OK)
        rm2i_graph_free(graph);
    free(columns);
    free(c.nearest);
    return status;
}
