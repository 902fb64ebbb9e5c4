/* Grids of a planner: that of the space, whose nodes the model decodes, and finer ones, whose nodes the field decodes. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "planner/planner.h"
#include "space/around.h"

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_level *l = arg;
    size_t n = l->net->nodes;
    l->node = rm2i_take(a, rm2i_clear_point, n);
    l->root = rm2i_take(a, double, n);
    l->to_goal = rm2i_take(a, double, n);
    l->at = rm2i_take(a, double, n);
    l->key = rm2i_take(a, double, n);
    l->before = rm2i_take(a, size_t, n);
    l->heap = rm2i_take(a, size_t, 2 * n);
    l->seen = rm2i_take(a, size_t, n);
    l->reached = rm2i_take(a, size_t, n);
    l->removed = rm2i_take(a, size_t, l->net->graph.first[n]);
}

/* Grids of more nodes have fewer directions, as for single queries (space/around.c). */
static size_t reach_of(const rm2_roadmap *grid, size_t times) {
    return grid->Q < 3 && times < 4 ? grid->reach : 1;
}

rm2_status rm2i_level_create(rm2_context *ctx, const rm2_roadmap *grid, size_t times,
                             rm2i_level *level) {
    *level = (rm2i_level){.net = grid};
    if (times > 1) {
        RM2_TRY(rm2i_finer_grid(ctx, grid, times, reach_of(grid, times), &level->metric,
                                &level->own));
        level->net = level->own;
    }
    return rm2i_arena_calloc(ctx, lay_out, level, &level->memory);
}

void rm2i_level_clear(rm2i_level *level) {
    rm2_roadmap_free(level->own);
    rm2_metric_free(level->metric);
    free(level->memory);
    *level = (rm2i_level){0};
}

/* ---- nodes ---------------------------------------------------------------------------------- */

typedef struct decode_job {
    const rm2i_clearance *clearance;
    const rm2i_level *level;
} decode_job;

static rm2_status decode_node(const void *job, size_t i, double *work) {
    const decode_job *j = job;
    const rm2_roadmap *net = j->level->net;
    rm2i_clearance_at(j->clearance, net->x + i * net->Q, &j->level->node[i], work);
    return RM2_OK;
}

rm2_status rm2i_level_decode(rm2_context *ctx, const rm2i_clearance *clearance, rm2i_level *level) {
    rm2_status status = rm2i_batch(ctx, level->net->nodes, rm2i_clearance_work(clearance),
                                   decode_node, &(decode_job){clearance, level}, NULL);
    return status == RM2_INTERRUPTED ? rm2i_fail(ctx, status, "planner: interrupted") : status;
}

void rm2i_level_interpolate(const rm2i_field *field, rm2i_level *level) {
    for (size_t i = 0; i < level->net->nodes; i++)
        rm2i_field_position(field, level->net->x + i * field->Q, &level->node[i]);
}
