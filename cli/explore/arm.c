/* An arm that follows the path. Data that are out of its reach are moved and scaled into its workspace,
 * once for all paths; what the page gets is moved back to the data. */
#include <stdlib.h>
#include <string.h>

#include "core/arm.h"
#include "explore/explorer.h"

enum { PLACED_POINTS = 60, TARGET_LIMIT = 2000, SEED = 1 };

/* Some training points, to find a place for. */
static rm2_status find_place(rm2_context *ctx, explorer *e, bool *found) {
    size_t N = e->info->points, ambient = rm2_manifold_ambient(e->info->manifold);
    size_t count = N < PLACED_POINTS ? N : PLACED_POINTS;
    double *targets = malloc(count * ambient * sizeof *targets);
    if (!targets)
        return RM2_ERR_MEMORY;
    for (size_t k = 0; k < count; k++)
        memcpy(targets + k * ambient, e->points + k * N / count * ambient,
               ambient * sizeof *targets);
    const rm2_arm_targets some = {.task = &e->player.task, .n = count, .points = targets};
    rm2_status status =
        rm2_arm_place_auto(ctx, e->player.arm, &some, NULL, &e->player.placement, found);
    free(targets);
    return status;
}

rm2_status player_open(rm2_context *ctx, const arm_source *source, explorer *e) {
    bool found;
    e->player.name = arm_given(source);
    e->player.placement = rm2_placement_default();
    WORK_TRY(arm_open(ctx, source, &e->player.arm));
    WORK_TRY(rm2_arm_task_from_manifold(ctx, e->info->manifold, &e->player.task));
    rm2_context_set_seed(ctx, SEED);
    WORK_TRY(find_place(ctx, e, &found));
    if (found)
        return RM2_OK;
    return rm2_context_fail(ctx, RM2_ERR_DATA, "the arm %s cannot reach the data from any place",
                            e->player.name);
}

/* x = (p - offset)/scale: the rotation of the placement is the identity. */
static void move_back(const rm2_placement *p, size_t n, double *points) {
    for (size_t k = 0; k < n; k++)
        for (size_t c = 0; c < 3; c++)
            points[3 * k + c] = (points[3 * k + c] - p->offset[c]) / p->scale;
}

static rm2_status follow(const explorer *e, rm2_context *ctx, size_t n, double *targets,
                         double *skeleton) {
    const arm_player *p = &e->player;
    double *q = malloc(n * rm2_arm_joints(p->arm) * sizeof *q);
    const rm2_arm_targets all = {.task = &p->task, .n = n, .points = targets};
    rm2_track_settings settings = rm2_track_settings_default();
    settings.stations = 0; /* fast, while the path is dragged */
    rm2_status status =
        q ? rm2_arm_place(ctx, &p->task, &p->placement, n, targets) : RM2_ERR_MEMORY;
    rm2_context_set_seed(ctx, SEED); /* the same path gives the same motion */
    if (status == RM2_OK)
        status = rm2_arm_track(ctx, p->arm, &all, &settings, q, NULL, NULL);
    if (status == RM2_OK)
        status = rm2_arm_skeleton(ctx, p->arm, n, q, skeleton);
    if (status == RM2_OK)
        move_back(&p->placement, n * (rm2_arm_links(p->arm) + 1), skeleton);
    free(q);
    return status;
}

rm2_status answer_arm(explorer *e, rm2_context *ctx, reader *r, numbers *out) {
    size_t ambient = rm2_manifold_ambient(e->info->manifold);
    const double *points;
    size_t n = reader_rows(r, ambient, TARGET_LIMIT, &points);
    if (r->bad || n == 0)
        return RM2_OK;
    if (!e->player.arm)
        return rm2_context_fail(ctx, RM2_ERR_UNSUPPORTED,
                                "no arm: start riemann2 explore with --arm");
    size_t frames = rm2_arm_links(e->player.arm) + 1;
    double *targets = malloc(n * ambient * sizeof *targets);
    rm2_status status = targets ? numbers_make(1 + n * frames * 3, out) : RM2_ERR_MEMORY;
    if (status == RM2_OK) {
        memcpy(targets, points, n * ambient * sizeof *targets);
        out->values[0] = (double)frames;
        status = follow(e, ctx, n, targets, out->values + 1);
    }
    free(targets);
    return status;
}
