/* Why a motion misses targets: which of them no configuration reaches, within the limits of the joints or without
 * them, or that each of them is reached but no motion leads through all. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "robot/robot.h"

enum { ASKED = 20 }; /* missed targets that are looked at, at most */

/* The configuration of `solver` that comes nearest to the target. */
static rm2_status nearest(rm2i_solver *s, const double *target, rm2i_arm_candidate *best) {
    size_t count;
    return rm2i_candidates(s, target, s->settings.searches ? s->settings.searches : 1, 1, best,
                           &count);
}

/* Is the target reached by an arm like this one whose revolute joints have no limits? */
static rm2_status reached_without_limits(rm2i_solver *s, const double *target, bool *reached) {
    rm2_arm *arm = NULL;
    rm2i_solver *other = NULL;
    rm2i_arm_candidate best = {.reached = false};
    rm2_track_settings settings = s->settings;
    settings.start = NULL;
    settings.scene = NULL;
    RM2_TRY(rm2i_alloc(s->ctx, 1, sizeof *arm, &arm));
    *arm = *s->arm;
    for (size_t k = 0; k < arm->joints; k++)
        if (rm2_arm_joint_kind(arm, k) == RM2_JOINT_REVOLUTE) {
            arm->link[arm->link_of[k]].lower = -INFINITY;
            arm->link[arm->link_of[k]].upper = INFINITY;
        }
    rm2_status status = rm2i_solver_create(s->ctx, arm, &s->task, &settings, &other);
    if (status == RM2_OK)
        status = nearest(other, target, &best);
    *reached = status == RM2_OK && best.reached;
    free(other);
    free(arm);
    return status;
}

static void name_joint(rm2i_solver *s, const double *target, const double *q,
                       rm2_track_info *info) {
    bool upper;
    info->cause_joint = rm2i_blocking_joint(s, target, q, &upper);
    if (info->cause_joint == SIZE_MAX)
        return;
    const rm2_link *l = rm2_arm_joint(s->arm, info->cause_joint);
    info->cause_limit = upper ? l->upper : l->lower;
}

/* What is wrong with target i by itself; info->cause stays as it is if nothing is. */
static rm2_status ask(rm2i_solver *s, const rm2i_joint_motion *m, size_t i, rm2_track_info *info) {
    const double *target = m->targets + i * rm2_arm_task_width(&s->task);
    rm2i_arm_candidate best = {.reached = false};
    bool free_arm_reaches;
    if (rm2i_norm(s->task.dim, target) > s->arm->reach) {
        info->cause = RM2_TRACK_FAR;
        info->cause_target = i;
        return RM2_OK;
    }
    RM2_TRY(nearest(s, target, &best));
    if (best.reached)
        return RM2_OK;
    RM2_TRY(reached_without_limits(s, target, &free_arm_reaches));
    info->cause = free_arm_reaches ? RM2_TRACK_LIMIT : RM2_TRACK_POSE;
    info->cause_target = i;
    if (free_arm_reaches)
        name_joint(s, target, best.q, info);
    return RM2_OK;
}

rm2_status rm2i_find_cause(rm2i_solver *s, const rm2i_joint_motion *m, rm2_track_info *info) {
    size_t first = SIZE_MAX, seen = 0, by = info->missed / ASKED + 1;
    info->cause_joint = SIZE_MAX;
    if (info->missed == 0)
        return RM2_OK;
    RM2_TRY(ask(s, m, info->worst, info));
    for (size_t i = 0; i < m->n && info->cause == RM2_TRACK_NOT_MISSED; i++) {
        if (!m->errors[i].missed)
            continue;
        if (first == SIZE_MAX)
            first = i;
        if (seen++ % by == 0)
            RM2_TRY(ask(s, m, i, info));
    }
    if (info->cause != RM2_TRACK_NOT_MISSED)
        return RM2_OK;
    info->cause = RM2_TRACK_WAY;
    info->cause_target = first;
    name_joint(s, m->targets + first * rm2_arm_task_width(&s->task), m->q + first * s->joints,
               info);
    return RM2_OK;
}

/* ---- in words ------------------------------------------------------------------------------- */

void rm2_track_cause_text(const rm2_arm *arm, const rm2_track_info *info, char *text, size_t size) {
    static const char way[] =
        "every point can be reached, but no motion was found that leads through all without a "
        "jump; search at more points (settings.stations), split the path here, or move or turn it";
    static const char *const causes[] = {
        [RM2_TRACK_FAR] = "it is beyond the arm's reach; move or shrink the path",
        [RM2_TRACK_POSE] = "no posture has this position and orientation; move or turn the path",
        [RM2_TRACK_LIMIT] = "only postures beyond joint limits reach it; move or turn the path",
        [RM2_TRACK_WAY] = way};
    char joint[160] = "";
    if (!text || size == 0)
        return;
    *text = 0;
    if (!info || info->cause < RM2_TRACK_FAR || info->cause > RM2_TRACK_WAY)
        return;
    if (info->cause_joint != SIZE_MAX)
        (void)snprintf(joint, sizeof joint, "joint %zu (%.60s) is at its limit %.6g, ",
                       info->cause_joint + 1, rm2_arm_joint_name(arm, info->cause_joint),
                       info->cause_limit);
    (void)snprintf(text, size, "%s%s", joint, causes[info->cause]);
}
