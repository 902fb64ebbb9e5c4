/* Roadmaps: shortest paths over the nodes of a grid or a graph, in any metric of the latent space. */
#ifndef RIEMANN2_ROADMAP_H
#define RIEMANN2_ROADMAP_H

#include "riemann2/base.h"
#include "riemann2/metric.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rm2_roadmap rm2_roadmap;

typedef enum rm2_edge_rule {
    RM2_EDGE_ENDS,    /* mean of G at the ends; longer edges in pieces, G interpolated between */
    RM2_EDGE_MIDPOINT /* G at the edge's own midpoint: as many evaluations as edges */
} rm2_edge_rule;

typedef struct rm2_grid_settings {
    size_t size;    /* as rm2_grid_settings_default sets it */
    size_t points;  /* along each dimension; 0: 50 for Q <= 2, 24 for Q = 3 */
    double padding; /* of the box around the points, in parts of its larger side */
    size_t
        reach; /* edges to all primitive steps of at most this number of cells (1 to 10): 1, 2, 3 are 8,
                       16, 32 directions in the plane; 0: 3 for Q <= 2, 2 for Q = 3 */
    rm2_edge_rule rule;
} rm2_grid_settings;

RM2_API const rm2_settings_table *rm2_grid_settings_table(void);

static inline rm2_grid_settings rm2_grid_settings_default(void) {
    rm2_grid_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_grid_settings_table(), 0, &settings);
    return settings;
}

/* A regular grid over the box of `n` points, Q <= 3. The metric is evaluated at its nodes once.
 * `settings` may be NULL. */
RM2_API rm2_status rm2_roadmap_grid(rm2_context *ctx, const rm2_metric *metric,
                                    const rm2_grid_settings *settings, size_t n,
                                    const double *points, rm2_roadmap **roadmap);
/* The same with nodes given along each axis: axes[q] has counts[q] >= 2 increasing values. `reach`
 * as above. */
RM2_API rm2_status rm2_roadmap_grid_axes(rm2_context *ctx, const rm2_metric *metric, size_t reach,
                                         rm2_edge_rule rule, const size_t *counts,
                                         const double *const *axes, rm2_roadmap **roadmap);
/* The `neighbours` nearest (Euclidean, symmetrised) of n points, any Q. A graph in several pieces
 * is refused with their number and the neighbours that would join them. */
RM2_API rm2_status rm2_roadmap_graph(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                     const double *points, size_t neighbours, rm2_edge_rule rule,
                                     rm2_roadmap **roadmap);
RM2_API void rm2_roadmap_free(rm2_roadmap *roadmap);

/* Pointers live as long as the roadmap. */
typedef struct rm2_roadmap_info {
    size_t nodes, Q;
    const double *x;      /* nodes x Q; grids: last coordinate fastest */
    const double *G;      /* nodes x Q x Q */
    const size_t *counts; /* Q numbers of nodes along the axes; NULL for graphs */
} rm2_roadmap_info;

RM2_API rm2_roadmap_info rm2_roadmap_describe(const rm2_roadmap *roadmap);

/* Points that are joined by straight lines. */
typedef struct rm2_path {
    size_t count;
    double *x; /* count x Q; to be freed with rm2_free */
    double length;
} rm2_path;

/* Shortest path between two points, which need not be nodes: they are joined to the nodes around,
 * and to each other if they are close. The path has both ends, also where they are equal; after a
 * failure it is empty. RM2_ERR_DATA, with the box, for a point outside a grid. */
RM2_API rm2_status rm2_roadmap_path(rm2_context *ctx, const rm2_roadmap *roadmap,
                                    const rm2_metric *metric, const double *from, const double *to,
                                    rm2_path *path);
/* Lengths of the shortest paths between n points: n x n, symmetric, each as rm2_roadmap_path has
 * it. */
RM2_API rm2_status rm2_roadmap_distances(rm2_context *ctx, const rm2_roadmap *roadmap,
                                         const rm2_metric *metric, size_t n, const double *points,
                                         double *distance);

#ifdef __cplusplus
}
#endif
#endif
