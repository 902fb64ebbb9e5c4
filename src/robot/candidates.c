/* Configurations that reach one target: from random ones, each improved in its null space, the best few
 * that differ (elbow up, elbow down, ...); those that keep the clearances of the scene first. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "robot/robot.h"

enum { SETTLE = 100 };                /* null-space steps */
static const double DIFFERENT = 0.05; /* radians */

double rm2i_random_between(rm2_rng *rng, double low, double high) {
    return fmin(fmax(low + (high - low) * rm2_rng_uniform(rng), low), high);
}

void rm2i_random_angles(rm2i_solver *s, double *q) {
    rm2_rng *rng = rm2_context_rng(s->ctx);
    for (size_t k = 0; k < s->joints; k++) {
        const rm2_link *l = rm2_arm_joint(s->arm, k);
        double low = isfinite(l->lower)   ? l->lower
                     : isfinite(l->upper) ? l->upper - 2 * RM2_PI
                                          : -RM2_PI;
        double high = isfinite(l->upper) ? l->upper : low + 2 * RM2_PI;
        q[k] = rm2i_random_between(rng, low, high);
    }
}

static bool better(const rm2i_arm_candidate *a, const rm2i_arm_candidate *b) {
    if (a->reached != b->reached)
        return a->reached;
    if (a->reached && a->excess != b->excess)
        return a->excess < b->excess;
    return a->reached ? a->aim < b->aim : a->residual < b->residual;
}

bool rm2i_same_posture(const rm2_arm *arm, const double *a, const double *b) {
    for (size_t k = 0; k < arm->joints; k++) {
        const rm2_link *l = rm2_arm_joint(arm, k);
        bool free_to_turn = isinf(l->lower) && isinf(l->upper);
        double turn = free_to_turn ? remainder(a[k] - b[k], 2 * RM2_PI) : a[k] - b[k];
        if (fabs(turn) > DIFFERENT)
            return false;
    }
    return true;
}

/* Into the list, best first, without others like it. */
static void insert(const rm2_arm *arm, const rm2i_arm_candidate *new, size_t most,
                   rm2i_arm_candidate *list, size_t *count) {
    size_t kept = 0, at = 0;
    for (size_t i = 0; i < *count; i++)
        if (rm2i_same_posture(arm, list[i].q, new->q) && !better(new, &list[i]))
            return;
    for (size_t i = 0; i < *count; i++)
        if (!rm2i_same_posture(arm, list[i].q, new->q))
            list[kept++] = list[i];
    while (at < kept && !better(new, &list[at]))
        at++;
    if (at < most) {
        kept -= kept == most;
        memmove(list + at + 1, list + at, (kept - at) * sizeof *list);
        list[at] = *new;
        kept++;
    }
    *count = kept;
}

static rm2_status try_start(rm2i_solver *s, const double *target, rm2i_arm_candidate *c) {
    rm2i_joint_box box;
    rm2i_box_of_arm(s->arm, &box);
    c->residual = rm2i_reach(s, target, &box, c->q);
    c->reached = rm2i_reached(s, target, c->q);
    c->aim = c->excess = 0;
    if (!c->reached || !rm2i_has_second_aim(s))
        return RM2_OK;
    rm2_status status = rm2i_descend(s, target, &box, SETTLE, c->q, &c->aim);
    c->excess = rm2i_excess(s, c->q);
    return status;
}

rm2_status rm2i_candidates(rm2i_solver *s, const double *target, size_t searches, size_t most,
                           rm2i_arm_candidate *list, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < searches; i++) {
        rm2i_arm_candidate c;
        if (rm2i_interrupted(s->ctx))
            return rm2i_fail(s->ctx, RM2_INTERRUPTED, "interrupted");
        rm2i_random_angles(s, c.q);
        RM2_TRY(try_start(s, target, &c));
        insert(s->arm, &c, most, list, count);
    }
    return RM2_OK;
}
