/* Roadmaps inside the library: nodes with their metrics, and edges by rows, sorted. A grid and a
 * graph over points differ in where an edge is cut, and in which nodes a further point is joined
 * to; everything else sees nodes and edges.
 *
 *     roadmap.c   the object, checks
 *     grid.c      nodes on a grid
 *     graph.c     nodes at points
 *     edge.c      lengths of edges
 *     join.c      edges from points that are no nodes
 *     path.c      paths and distances */
#ifndef RM2I_ROADMAP_H
#define RM2I_ROADMAP_H

#include "base/arena.h"
#include "graph/graph.h"
#include "graph/neighbours.h"
#include "riemann2/metric.h"
#include "riemann2/settings.h"

/* Most dimensions of a grid, and most cells that its edges span. */
enum { RM2I_GRID_Q = 3, RM2I_GRID_REACH = 10 };

typedef struct rm2i_roadmap rm2i_roadmap;

typedef enum rm2i_edge_rule {
    RM2I_EDGE_ENDS,    /* mean of G at the ends; longer edges in pieces, G interpolated between */
    RM2I_EDGE_MIDPOINT /* G at the edge's own midpoint: as many evaluations as edges */
} rm2i_edge_rule;

typedef struct rm2i_grid_settings {
    size_t size;    /* as rm2i_grid_settings_default sets it */
    size_t points;  /* along each dimension; 0: 50 for Q <= 2, 24 for Q = 3 */
    double padding; /* of the box around the points, in parts of its larger side */
    size_t
        reach; /* edges to all primitive steps of at most this number of cells (1 to 10): 1, 2, 3 are 8,
                       16, 32 directions in the plane; 0: 3 for Q <= 2, 2 for Q = 3 */
    rm2i_edge_rule rule;
} rm2i_grid_settings;

const rm2_settings_table *rm2i_grid_settings_table(void);

static inline rm2i_grid_settings rm2i_grid_settings_default(void) {
    rm2i_grid_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2i_grid_settings_table(), 0, &settings);
    return settings;
}

struct rm2i_roadmap {
    size_t nodes, Q;
    double *x, *G;
    rm2i_edge_rule rule;
    rm2i_graph graph; /* rows in the order of the nodes that they lead to */

    size_t span; /* pieces of the longest line: cells that a grid's may cross; else 1 */

    bool grid;
    size_t reach;
    size_t count[RM2I_GRID_Q], stride[RM2I_GRID_Q];
    double *axis[RM2I_GRID_Q];
    double *axes; /* their memory */

    rm2i_kd_tree tree; /* graphs: the nodes */
    size_t neighbours;
};

rm2_status rm2i_roadmap_check_rule(rm2_context *ctx, rm2i_edge_rule rule);
/* Is the metric as wide as the roadmap, are n points finite and inside a grid? */
rm2_status rm2i_roadmap_check(rm2_context *ctx, const rm2i_roadmap *roadmap,
                              const rm2_metric *metric, size_t n, const double *points);

/* Nodes along each dimension of a grid, and cells that its edges span, where nobody says. */
size_t rm2i_grid_points(size_t Q);
size_t rm2i_grid_reach(size_t Q);

/* Where x is along axis q of a grid, in nodes: 2.25 is a quarter of the way from node 2 to 3. */
double rm2i_grid_place(const rm2i_roadmap *roadmap, size_t q, double x);

/* ---- lengths -------------------------------------------------------------------------------- */

/* Straight lines from one point to others, rows `which` of xs and Gs. */
typedef struct rm2i_star {
    const double *x, *G;
    size_t count;
    const size_t *which;
    const double *xs, *Gs;
    double *length; /* count: the result */
} rm2i_star;

/* Scratch for stars of this number of lines, none longer than the span. */
size_t rm2i_star_work(const rm2i_roadmap *roadmap, const rm2_metric *metric, size_t count);
/* Infinite where numbers end. A failure, of the metric at midpoints, has no message. */
rm2_status rm2i_star_lengths(const rm2i_roadmap *roadmap, const rm2_metric *metric,
                             const rm2i_star *star, double *work);

/* Lengths of all edges of a roadmap whose nodes, metrics and rows are there. */
rm2_status rm2i_roadmap_measure(rm2_context *ctx, rm2i_roadmap *roadmap, const rm2_metric *metric);

/* ---- points that are no nodes --------------------------------------------------------------- */

/* A point and the nodes that it is joined to: on a grid those within the span along each axis, in a
 * graph the nearest; a point on a node to that alone, by an edge of length 0. */
typedef struct rm2i_join {
    const double *x; /* given */
    double *G;       /* Q x Q, given */
    size_t *node;    /* rm2i_join_most, given */
    double *length;  /* the same */
    size_t count;
    bool on_node;
    double radius; /* graphs: squared distance of the farthest node */
} rm2i_join;

size_t rm2i_join_most(const rm2i_roadmap *roadmap);
/* work: rm2i_star_work of rm2i_join_most lines. */
rm2_status rm2i_roadmap_join(const rm2i_roadmap *roadmap, const rm2_metric *metric, rm2i_join *join,
                             double *work);
/* The straight line between two points, where they are as close as joined ones are; infinity where
 * they are not, or one is a node. */
rm2_status rm2i_join_direct(const rm2i_roadmap *roadmap, const rm2_metric *metric,
                            const rm2i_join *a, const rm2i_join *b, double *length, double *work);

/* The arrays of a join. */
void rm2i_join_lay_out(rm2i_join *join, const rm2i_roadmap *roadmap, rm2i_arena *a);
/* The join of one point, with its metric, in arrays that are there. The point must be finite and inside a
 * grid. work: rm2i_join_work. A failure has no message. */
size_t rm2i_join_work(const rm2i_roadmap *roadmap, const rm2_metric *metric);
rm2_status rm2i_roadmap_join_point(const rm2i_roadmap *roadmap, const rm2_metric *metric,
                                   const double *x, rm2i_join *join, double *work);

/* Joins of n points, which must stay where they are, in one block: the caller's to free with
 * free(). */
rm2_status rm2i_roadmap_join_all(rm2_context *ctx, const rm2i_roadmap *roadmap,
                                 const rm2_metric *metric, size_t n, const double *points,
                                 rm2i_join **joins);

/* ---- distances ------------------------------------------------------------------------------ */

/* Distances of all nodes from a joined point. work: rm2i_search_work of the nodes. */
void rm2i_join_search(const rm2i_roadmap *roadmap, const rm2i_join *from, double *at, double *work);
/* Length of the shortest path from there to another one, infinite where there is none. work: as for
 * rm2i_join_direct. */
rm2_status rm2i_join_distance(const rm2i_roadmap *roadmap, const rm2_metric *metric,
                              const rm2i_join *from, const double *at, const rm2i_join *to,
                              double *length, double *work);

/* ---- a path --------------------------------------------------------------------------------- */

typedef struct rm2i_node_path {
    const double *from, *to;
    size_t count; /* nodes between the two, in order; they are in the scratch */
    const size_t *node;
    double length;
} rm2i_node_path;

/* For loops over pairs, with scratch of one's own: a failure has no message. Both points must be
 * finite and inside a grid. RM2_ERR_NUMERIC where no path has a finite length. */
size_t rm2i_node_path_work(const rm2i_roadmap *roadmap, const rm2_metric *metric);
rm2_status rm2i_roadmap_walk(const rm2i_roadmap *roadmap, const rm2_metric *metric,
                             const double *from, const double *to, rm2i_node_path *walk,
                             double *work);
/* The points of a walk with both ends: (count + 2) x Q. */
void rm2i_node_path_points(const rm2i_roadmap *roadmap, const rm2i_node_path *walk, double *path);

/* ---- roadmaps, and paths on them ------------------------------------------------------------- */

/* A regular grid over the box of `n` points, Q <= 3. The metric is evaluated at its nodes once.
 * `settings` may be NULL. */
rm2_status rm2i_roadmap_grid(rm2_context *ctx, const rm2_metric *metric,
                             const rm2i_grid_settings *settings, size_t n, const double *points,
                             rm2i_roadmap **roadmap);
/* The same with nodes given along each axis: axes[q] has counts[q] >= 2 increasing values. `reach`
 * as above. */
rm2_status rm2i_roadmap_grid_axes(rm2_context *ctx, const rm2_metric *metric, size_t reach,
                                  rm2i_edge_rule rule, const size_t *counts,
                                  const double *const *axes, rm2i_roadmap **roadmap);
/* The `neighbours` nearest (Euclidean, symmetrised) of n points, any Q. A graph in several pieces
 * is refused with their number and the neighbours that would join them. */
rm2_status rm2i_roadmap_graph(rm2_context *ctx, const rm2_metric *metric, size_t n,
                              const double *points, size_t neighbours, rm2i_edge_rule rule,
                              rm2i_roadmap **roadmap);
void rm2i_roadmap_free(rm2i_roadmap *roadmap);

/* The roadmap as callers of a space see it; no nodes for NULL. */
rm2_roadmap_info rm2i_roadmap_describe(const rm2i_roadmap *roadmap);

/* Points that are joined by straight lines. */
typedef struct rm2i_path {
    size_t count;
    double *x; /* count x Q; to be freed with rm2_free */
    double length;
} rm2i_path;

/* Shortest path between two points, which need not be nodes: they are joined to the nodes around,
 * and to each other if they are close. The path has both ends, also where they are equal; after a
 * failure it is empty. RM2_ERR_DATA, with the box, for a point outside a grid. */
rm2_status rm2i_roadmap_path(rm2_context *ctx, const rm2i_roadmap *roadmap,
                             const rm2_metric *metric, const double *from, const double *to,
                             rm2i_path *path);
/* Lengths of the shortest paths between n points: n x n, symmetric, each as rm2i_roadmap_path has
 * it. */
rm2_status rm2i_roadmap_distances(rm2_context *ctx, const rm2i_roadmap *roadmap,
                                  const rm2_metric *metric, size_t n, const double *points,
                                  double *distance);

#endif
