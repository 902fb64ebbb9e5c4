/* Robot execution: an arm follows the decoded trajectories, as the paper does with its robots. Poses go
 * to a 7-joint arm, positions with ellipsoids to a planar one whose null space follows the ellipsoids. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment/experiment.h"

/* Means and largest errors of a tracked trajectory. */
static void summarise(execution *e, const rm2_track_error *errors) {
    for (size_t i = 0; i < e->n; i++) {
        e->mean_position += errors[i].position / (double)e->n;
        e->worst_position = fmax(e->worst_position, errors[i].position);
        e->mean_orientation += errors[i].orientation / (double)e->n;
        e->mean_ellipsoid += errors[i].ellipsoid / (double)e->n;
    }
}

static rm2_status follow(const experiment_run *r, const rm2_arm *arm, const rm2_arm_task *task,
                         const rm2_placement *placement, execution *e) {
    rm2_context *ctx = r->work.ctx;
    rm2_track_error *errors = calloc(e->n, sizeof *errors);
    if (!errors)
        return RM2_ERR_MEMORY;
    errors->size = sizeof *errors;
    e->info.size = sizeof e->info;
    const rm2_arm_targets targets = {.task = task, .n = e->n, .points = e->targets};
    rm2_status status = rm2_arm_place(ctx, task, placement, e->n, e->targets);
    if (status == RM2_OK)
        status = rm2_arm_track(ctx, arm, &targets, NULL, e->q, errors, &e->info);
    if (status == RM2_OK)
        status = rm2_arm_skeleton(ctx, arm, e->n, e->q, e->skeleton);
    if (status == RM2_OK)
        summarise(e, errors);
    free(errors);
    return status;
}

static int execute_one(experiment_run *r, const rm2_arm *arm, const rm2_arm_task *task,
                       const rm2_placement *placement, const outcome *o) {
    execution *e = &r->executions[r->execution_count++];
    *e = (execution){.outcome = o,
                     .n = o->curve->nodes,
                     .joints = rm2_arm_joints(arm),
                     .links = rm2_arm_links(arm),
                     .flat = task->dim == 2,
                     .width = rm2_arm_task_width(task)};
    (void)snprintf(e->arm, sizeof e->arm, "%s", rm2_arm_name(arm));
    e->q = calloc(e->n * e->joints, sizeof *e->q);
    e->skeleton = calloc(e->n * (e->links + 1) * 3, sizeof *e->skeleton);
    e->targets = malloc(e->n * e->width * sizeof *e->targets);
    if (!e->q || !e->skeleton || !e->targets)
        return work_no_memory(&r->work);
    memcpy(e->targets, o->points, e->n * e->width * sizeof *e->targets);
    int code = work_check(&r->work, follow(r, arm, task, placement, e));
    if (code == EXIT_DONE)
        experiment_say(r, "%s follows %s: mean position error %.2g, %zu of %zu points missed",
                       e->arm, o->variant->name, e->mean_position, e->info.missed, e->n);
    return code;
}

/* Both wrapped trajectories stand in one place: where the geodesic's is within reach. */
static int execute_wrapped(experiment_run *r, const rm2_arm *arm, const rm2_arm_task *task) {
    const trained *wrapped = experiment_wrapped(r);
    const outcome *geodesic = experiment_outcome(r, wrapped, MOVE_PULLBACK);
    const outcome *straight = experiment_outcome(r, wrapped, MOVE_STRAIGHT);
    rm2_placement placement = rm2_placement_default();
    const rm2_arm_targets targets = {
        .task = task, .n = geodesic->curve->nodes, .points = geodesic->points};
    bool found;
    int code = work_check(&r->work,
                          rm2_arm_place_auto(r->work.ctx, arm, &targets, NULL, &placement, &found));
    if (code == EXIT_DONE && !found)
        experiment_say(r, "no place was found where all of the path is within reach of %s",
                       rm2_arm_name(arm));
    if (code == EXIT_DONE && straight)
        code = execute_one(r, arm, task, &placement, straight);
    return code == EXIT_DONE ? execute_one(r, arm, task, &placement, geodesic) : code;
}

int experiment_execute(experiment_run *r) {
    rm2_arm_task task;
    rm2_arm *arm;
    if (!r->experiment->arm)
        return EXIT_DONE;
    if (rm2_arm_task_from_manifold(r->work.ctx, r->data->manifold, &task) != RM2_OK) {
        experiment_say(r, "no arm can follow points of %s", rm2_manifold_spec(r->data->manifold));
        return EXIT_DONE;
    }
    const char *name = task.dim == 2 ? "planar:1,1,1,1" : "panda";
    int code = work_check(&r->work, rm2_arm_read(r->work.ctx, name, &arm));
    if (code != EXIT_DONE)
        return code;
    code = execute_wrapped(r, arm, &task);
    rm2_arm_free(arm);
    return code;
}
