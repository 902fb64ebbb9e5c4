/* Paths while an obstacle moves: from a planner, which needs no new space for every place of the obstacle. It is made with
 * the first obstacle that moves. */
#include <math.h>
#include <string.h>

#include "explore/explorer.h"

static const double DEADLINE =
    0.05; /* seconds: about what a new space and its path take (docs/performance.md) */

/* NULL where there cannot be one: positions that are neither R2 nor R3, a roadmap that is not a grid. */
static rm2_status find_planner(explorer *e, rm2_context *ctx) {
    planning *p = &e->planning;
    const rm2_space *space;
    if (p->tried)
        return RM2_OK;
    WORK_TRY(space_plain(e, ctx, &space));
    rm2_status status = rm2_planner_create(ctx, space, NULL, &p->planner);
    p->tried = status != RM2_INTERRUPTED;
    return status == RM2_ERR_UNSUPPORTED ? RM2_OK : status;
}

/* A plan as a curve, which owns nothing. */
static rm2_curve as_curve(const rm2_plan *plan) {
    return (rm2_curve){.nodes = plan->nodes,
                       .Q = plan->Q,
                       .x = (double *)plan->x,
                       .length = plan->length,
                       .energy = plan->length * plan->length,
                       .error = INFINITY,
                       .stage = RM2_STAGE_PATH,
                       .converged = plan->complete && plan->refined,
                       .clearance = plan->clearance};
}

/* One after the other: a planner serves one thread. */
rm2_status planning_path(explorer *e, rm2_context *ctx, reader *r, const double *ends,
                         path_writer write, void *user) {
    rm2_region regions[OBSTACLE_LIMIT];
    rm2_plan_query query = rm2_plan_query_default();
    const rm2_plan *plan = NULL;
    reader ahead = *r;
    query.count = space_regions(e, &ahead, regions);
    query.regions = regions;
    query.from = ends;
    query.to = ends + e->info->latent_dim;
    query.seconds = DEADLINE;
    if (ahead.bad || query.count == 0)
        return RM2_OK;
    (void)pthread_mutex_lock(&e->planning.lock);
    rm2_status status = find_planner(e, ctx);
    if (status == RM2_OK && e->planning.planner)
        status = rm2_planner_update(ctx, e->planning.planner, &query, &plan);
    if (status == RM2_ERR_DATA) /* an end outside the grid: the full search covers it */
        status = RM2_OK;
    else if (status == RM2_OK && plan && plan->state == RM2_PLAN_FOUND) {
        const rm2_curve curve = as_curve(plan);
        *r = ahead;
        status = write(user, &curve);
    }
    (void)pthread_mutex_unlock(&e->planning.lock);
    return status;
}
