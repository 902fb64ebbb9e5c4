/* Ways around obstacles: a search over the roadmap without the edges that do not keep the clearance, and the geodesic
 * that follows from it.
 *
 *     mask.c     the roadmap without those edges: the shortest path, the widest path
 *     finer.c    grids with more nodes, for passages that the space's own grid is too coarse for
 *     around.c   from paths to curves that are proven to keep the clearance, or are blocked */
#ifndef RM2I_AROUND_H
#define RM2I_AROUND_H

#include "metric/obstacle_clearance.h"
#include "space/space.h"

/* ---- roadmaps with obstacles ---------------------------------------------------------------- */

typedef struct rm2i_mask rm2i_mask;

/* The roadmap in the metric phi G of the barrier (metric/obstacle_clearance.h) without the edges that come nearer to a region than the
 * clearance that is wanted. Everything given must live as long. */
typedef struct rm2i_mask_request {
    const rm2i_roadmap *roadmap;
    const rm2_metric *metric; /* for points that are no nodes */
    const rm2i_clearance *clearance;
    double width; /* of the barrier */
} rm2i_mask_request;

rm2_status rm2i_mask_create(rm2_context *ctx, const rm2i_mask_request *request, rm2i_mask **mask);
/* A mask of the same roadmap for searches on another thread: searches leave out edges, each in its own mask. */
rm2_status rm2i_mask_copy(rm2_context *ctx, const rm2i_mask *mask, rm2i_mask **copy);
void rm2i_mask_free(rm2i_mask *mask);

/* A polygon of n points. */
typedef struct rm2i_way {
    size_t n; /* 0: none */
    double *x;
} rm2i_way;
void rm2i_way_clear(rm2i_way *way);

/* The shortest path all of whose sides are proven to keep the clearance; empty if there is none. */
rm2_status rm2i_mask_shortest(rm2_context *ctx, rm2i_mask *mask, const double *from,
                              const double *to, rm2i_way *way);
/* May there be a way between the nodes that a finer grid would find? */
rm2_status rm2i_mask_may_pass(rm2_context *ctx, rm2i_mask *mask, const double *from,
                              const double *to, bool *may);
/* The path whose least clearance, as far as the nodes tell, is largest; there is always one. */
rm2_status rm2i_mask_widest(rm2_context *ctx, rm2i_mask *mask, const double *from, const double *to,
                            rm2i_way *way);

/* ---- finer grids ---------------------------------------------------------------------------- */

/* A grid over the box of another one with `times` as many cells along each axis, the metric interpolated between the nodes
 * of that. *metric, which it is made of, is freed after the grid. */
rm2_status rm2i_finer_grid(rm2_context *ctx, const rm2i_roadmap *grid, size_t times, size_t reach,
                           rm2_metric **metric, rm2i_roadmap **finer);

/* ---- curves --------------------------------------------------------------------------------- */

typedef struct rm2i_around rm2i_around;

/* For calls with this roadmap, which must live as long as the space. Roadmaps with obstacles are made once, when a task
 * needs them; up to `tasks` tasks run at the same time, and each has searches of its own. */
rm2_status rm2i_around_create(rm2_context *ctx, const rm2_space *space, const rm2i_roadmap *roadmap,
                              size_t tasks, rm2i_around **around);
void rm2i_around_free(rm2i_around *around);
/* Through n >= 2 points in turn, in the searches of one task. The curve does not depend on the tasks before. */
rm2_status rm2i_around_through(rm2_context *ctx, rm2i_around *around, size_t task, size_t n,
                               const double *points, rm2_curve **curve);

/* Clearance of a polygon, to the accuracy that is reported. work: rm2i_clearance_work. */
double rm2i_space_clearance_of(const rm2_space *space, size_t n, const double *x, double *work);
/* The node with the least clearance; SIZE_MAX: there are no obstacles. */
rm2_status rm2i_space_nearest_node(rm2_context *ctx, const rm2_space *space, size_t n,
                                   const double *x, size_t *node);

#endif
