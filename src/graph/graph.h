/* Undirected graphs: edges, their rows, their parts, shortest paths. */
#ifndef RM2I_GRAPH_H
#define RM2I_GRAPH_H

#include "base/base.h"

typedef struct rm2i_edge {
    size_t a, b;
    double length;
} rm2i_edge;

/* A graph by rows: node i has the edges first[i] .. first[i + 1] - 1, and every edge is there from
 * both of its ends. */
typedef struct rm2i_graph {
    size_t n;
    size_t *first; /* n + 1 */
    size_t *to;
    double *length;
} rm2i_graph;

/* Rows from `count` edges; on failure the graph is empty. */
rm2_status rm2i_graph_rows(rm2_context *ctx, size_t n, const rm2i_edge *edges, size_t count,
                           rm2i_graph *graph);
void rm2i_graph_free(rm2i_graph *graph);

/* parent[i] becomes the smallest node of the part of i; returns the number of parts. */
size_t rm2i_graph_parts(size_t n, const rm2i_edge *edges, size_t count, size_t *parent);

/* A search for shortest paths from seeds, each at a distance of its own. */
typedef struct rm2i_search {
    const rm2i_graph *graph;
    size_t seeds;
    const size_t *seed;
    const double *start;
    /* Where a path may end, infinite elsewhere (n; NULL: nowhere): how far the goal is from the
     * node. The search stops when the way to the goal is known. */
    const double *exit;
    double *at;     /* n: distances; beyond the goal not the shortest ones */
    size_t *before; /* n, or NULL: the node before on the way; SIZE_MAX at seeds */
    double *work;   /* rm2i_search_work(n): the heap */
} rm2i_search;

size_t rm2i_search_work(size_t n);

/* Dijkstra's method. *length, if that is not NULL, is the shortest known before (infinity: none)
 * and becomes that of the path to the goal; returns the last node on it, SIZE_MAX if there is none
 * that is shorter. */
size_t rm2i_graph_search(const rm2i_search *search, double *length);

#endif
