/* Planners inside the library.
 *
 *     field.c     positions between the nodes of a grid, and the metric of the barrier there
 *     level.c     a grid with what a search keeps at its nodes
 *     search.c    the shortest path on a grid around the obstacles
 *     polygon.c   paths of few nodes: from polygons of any number, refined, proven
 *     planner.c   the object and its update */
#ifndef RM2I_PLANNER_H
#define RM2I_PLANNER_H

#include "geodesic/newton.h"
#include "metric/obstacle_clearance.h"
#include "riemann2/planner.h"
#include "roadmap/field.h"

/* ---- the field: rm2i_field with positions ----------------------------------------------------- */

/* Position and deviation at x. */
void rm2i_field_position(const rm2i_field *field, const double *x, rm2i_clear_point *point);
/* Length of the line from a to b, with G in the middle of pieces not longer than a cell; infinite outside of the grid. */
double rm2i_field_length(const rm2i_field *field, const double *a, const double *b);

/* The metric phi G of the barrier (metric/obstacle_clearance.h) on the field. Both must live as long; the regions may change. */
rm2_status rm2i_field_metric(rm2_context *ctx, const rm2i_field *field,
                             const rm2i_clearance *clearance, double width, rm2_metric **metric);

/* ---- levels --------------------------------------------------------------------------------- */

/* A grid, its nodes decoded, and the state of a search. Marks hold the number of the update or of the search that set
 * them, so that nothing needs to be cleared. */
typedef struct rm2i_level {
    const rm2i_roadmap *net;
    size_t times;      /* as fine as the space's grid */
    rm2i_roadmap *own; /* finer grids */
    rm2_metric *metric;
    rm2i_clear_point *node; /* clearances: of the update */
    double *root;           /* sqrt(phi), of the update */
    double *radius;   /* nodes: of the image of the cell around them, by samples of the field */
    double *at, *key; /* length from the start, and with what is left */
    size_t *before, *heap;
    double *searching; /* scratch of the lengths to the goal: the space's grid alone */
    size_t *seen;      /* nodes: update that looked at them */
    size_t *reached;   /* nodes: search that came there */
    size_t *removed;   /* edges: update that took them out */
    double *bow;   /* edges: how far the decoded line is from the chord, by samples of the field */
    size_t search; /* number of the last search */
    double *memory;
} rm2i_level;

/* An end of the path with the nodes around it. */
enum { RM2I_END_NODES = 64 }; /* 4^Q */
typedef struct rm2i_end {
    const double *x;
    rm2i_clear_point at;
    size_t count;
    size_t node[RM2I_END_NODES];
    double length[RM2I_END_NODES];
} rm2i_end;

/* What an update asks for. */
typedef struct rm2i_planner_scene {
    rm2_context *ctx;
    const rm2i_field *field;
    const rm2i_clearance *clearance;
    double width;  /* of the barrier */
    size_t number; /* of the update */
    double end;    /* time of the deadline; infinity: none */
    rm2i_end from, to;
    double *to_goal; /* nodes of the space's grid: lengths without obstacles */
    bool new_goal;   /* they are still those to another one */
    double *work;    /* rm2i_clearance_work */
    size_t expanded; /* nodes so far */
} rm2i_planner_scene;

bool rm2i_scene_late(const rm2i_planner_scene *scene);

/* `times` as fine as the grid; 1: the grid itself. Then one of the two below. Clear it also after a failure. */
rm2_status rm2i_level_create(rm2_context *ctx, const rm2i_roadmap *grid, size_t times,
                             rm2i_level *level);
/* Positions of the nodes: by the model, or by the field. */
rm2_status rm2i_level_decode(rm2_context *ctx, const rm2i_clearance *clearance, rm2i_level *level);
void rm2i_level_interpolate(const rm2i_field *field, rm2i_level *level);
/* Bows of the edges and radii of the cells, once there are positions. */
rm2_status rm2i_level_measure(rm2_context *ctx, const rm2i_field *field, rm2i_level *level);
void rm2i_level_clear(rm2i_level *level);

/* ---- searches ------------------------------------------------------------------------------- */

/* A polygon with room for `most` points. */
typedef struct rm2i_polygon {
    size_t n, most;
    double *x;
    double length; /* of a path of the search, in the metric of the barrier */
} rm2i_polygon;

typedef enum rm2i_outcome {
    RM2I_WAY,     /* found */
    RM2I_NO_WAY,  /* proven as far as the grid tells */
    RM2I_TOO_LATE /* deadline or interrupt */
} rm2i_outcome;

/* The shortest path whose edges keep the clearance, as far as samples tell. The space's grid comes first. */
rm2i_outcome rm2i_level_shortest(rm2i_level *level, rm2i_planner_scene *scene, rm2i_polygon *way);
/* The shortest path that is proven to keep it, by removing the edges of paths that do not. */
rm2i_outcome rm2i_level_proven(rm2i_level *level, rm2i_planner_scene *scene, rm2i_polygon *way);
/* May there be a way between the nodes that a finer grid would find? */
bool rm2i_level_may_pass(rm2i_level *level, rm2i_planner_scene *scene);

/* ---- polygons ------------------------------------------------------------------------------- */

/* n nodes at about equal lengths of phi G along a polygon. lengths: one per point of that. */
void rm2i_polygon_resample(const rm2i_planner_scene *scene, const rm2i_polygon *way, size_t n,
                           double *x, double *lengths);
/* n nodes on a polygon, all of its corners among them; false where these are too many. */
bool rm2i_polygon_divide(const rm2i_planner_scene *scene, const rm2i_polygon *way, size_t n,
                         double *x, double *lengths);
double rm2i_polygon_length(const rm2i_field *field, size_t n, const double *x);
/* Is every side proven to keep the clearance? The decoded nodes are left in `points`. False also after the deadline. */
bool rm2i_polygon_holds(rm2i_planner_scene *scene, size_t n, const double *x,
                        rm2i_clear_point *points);
/* Leave out corners that are not needed, in place: from each to the last one that it is proven to see. */
void rm2i_polygon_cut(rm2i_planner_scene *scene, rm2i_polygon *way);

#endif
