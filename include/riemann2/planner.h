/* Paths around moving obstacles: the same planning problem, solved many times per second.
 *
 * A planner belongs to a latent space with a grid. It stores everything that does not depend on the
 * obstacles: the metric and the decoded positions at the nodes of the grid and of finer grids,
 * their edges, and the memory of a call. An update takes the current obstacles, the current point
 * and the goal, and returns a path:
 *
 *     rm2_planner *planner;
 *     rm2_planner_create(ctx, space, NULL, &planner);
 *     rm2_plan_query query = rm2_plan_query_default();
 *     query.to = goal;
 *     query.clearance = 0.02;
 *     query.seconds = 0.004;
 *     for (;;) {
 *         query.from = current_point;
 *         query.count = 3;
 *         query.regions = spheres;
 *         const rm2_plan *plan;
 *         rm2_planner_update(ctx, planner, &query, &plan);
 *         if (plan->state == RM2_PLAN_FOUND)
 *             follow(plan->nodes, plan->x);
 *         else
 *             stop(rm2_plan_state_text(plan->state));
 *     }
 *
 * An update searches the whole grid, so that the path changes sides if another path has become
 * shorter; finer grids are searched if the grid has no path. The shortest path of the search and
 * the rest of the last path are both refined in the metric of the space with a barrier around the
 * obstacles, and the shorter one is returned. A path is returned only if it is proven to keep the
 * clearance, as in rm2_space_geodesic: the decoded line between every two of its nodes, and the
 * straight line between their decoded positions.
 *
 * Updates allocate no memory and start no thread. One planner serves one thread at a time; several
 * threads may use planners of one space at once. */
#ifndef RIEMANN2_PLANNER_H
#define RIEMANN2_PLANNER_H

#include "riemann2/base.h"
#include "riemann2/region.h"
#include "riemann2/settings.h"
#include "riemann2/space.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rm2_planner_settings {
    size_t size;       /* as rm2_planner_settings_default sets it */
    size_t factor;     /* Euclidean factor with the positions; RM2_ALL_FACTORS: the first one */
    double deviations; /* standard deviations of the position by which regions grow */
    size_t nodes;      /* nodes of a refined path */
    /* Relative gain in length that is required to leave the side of the last path. */
    double gain;
} rm2_planner_settings;

/* The defaults. The table has all settings except the factor. */
static inline rm2_planner_settings rm2_planner_settings_default(void) {
    rm2_planner_settings settings = {0};
    settings.size = sizeof settings;
    settings.factor = RM2_ALL_FACTORS;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_PLANNER), 0, &settings);
    return settings;
}

typedef struct rm2_plan_query {
    size_t size;  /* as rm2_plan_query_default sets it */
    size_t count; /* number of regions */
    /* Keep-out regions in the factor of the positions, in the units of the data. */
    const rm2_region *regions;
    double clearance; /* distance that the path keeps from the regions: 0 or more */
    /* Current point and goal: Q numbers each, inside the grid of the space. */
    const double *from, *to;
    double seconds; /* deadline, counted from the beginning of the call; 0: none */
} rm2_plan_query;

static inline rm2_plan_query rm2_plan_query_default(void) {
    rm2_plan_query query = {0};
    query.size = sizeof query;
    return query;
}

/* Outcome of an update. */
typedef enum rm2_plan_state {
    RM2_PLAN_FOUND,         /* a path was found and is proven to keep the clearance */
    RM2_PLAN_START_BLOCKED, /* the current point is nearer to a region than the clearance */
    RM2_PLAN_GOAL_BLOCKED,  /* the goal is nearer to a region than the clearance */
    RM2_PLAN_BLOCKED,       /* no path on the finest grid */
    RM2_PLAN_LATE           /* no path was found before the deadline; one may exist */
} rm2_plan_state;

RM2_API const char *rm2_plan_state_text(rm2_plan_state state);

/* Result of an update. Without a path, `nodes` is 0. */
typedef struct rm2_plan {
    rm2_plan_state state;
    /* The work was completed before the deadline; false: the path may be longer than necessary. */
    bool complete;
    bool refined; /* false: the path is a polygon over nodes of the grid */
    bool kept;    /* the path comes from the last path; false: from the search */
    size_t nodes, Q;
    const double *x;         /* nodes x Q, from the current point to the goal */
    size_t dim;              /* dimension of the positions */
    const double *positions; /* nodes x dim: decoded, in the units of the data */
    double length;           /* in the metric of the space, interpolated between grid nodes */
    /* Least clearance of the nodes; between them it is at least that of the query. */
    double clearance;
    double seconds; /* time of the call */
    /* Grid on which the search ended; 0: that of the space, each further one twice as fine. */
    size_t level;
    size_t expanded; /* number of nodes that the search expanded */
} rm2_plan;

typedef struct rm2_planner rm2_planner;

/* Create a planner. The space and its model must outlive it. Obstacles of the space are ignored.
 * The call returns RM2_ERR_UNSUPPORTED for a space without a model or without a grid. */
RM2_API rm2_status rm2_planner_create(rm2_context *ctx, const rm2_space *space,
                                      const rm2_planner_settings *settings, rm2_planner **planner);
RM2_API void rm2_planner_free(rm2_planner *planner);

/* Plan a path. *plan belongs to the planner and is valid until the next update. At the deadline the
 * call ends with the best path that is proven so far, for example the rest of the last path if that
 * keeps the clearance; otherwise with RM2_PLAN_LATE. It exceeds the deadline by at most the time of
 * decoding some points. For points outside the grid it returns RM2_ERR_DATA: create the space with
 * points that it must cover. */
RM2_API rm2_status rm2_planner_update(rm2_context *ctx, rm2_planner *planner,
                                      const rm2_plan_query *query, const rm2_plan **plan);
/* Forget the last path: the next update starts anew. */
RM2_API void rm2_planner_forget(rm2_planner *planner);

#ifdef __cplusplus
}
#endif
#endif
