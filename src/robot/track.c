/* Trajectories: where to start, and from each target to the next.
 *
 * The first target is reached from many random configurations, each improved in its null space; the
 * best few that differ (elbow up, elbow down, ...) are followed through the whole trajectory, and the
 * one that misses fewest targets is the answer. From target to target the arm goes by damped least
 * squares from where it is, so that the motion is continuous, and then moves in the null space within
 *   |q_k - q_k(target reached)| <= null_step,  |q_k - q_k(before)| <= speed_k dt,  lower, upper.
 * Where least squares ends in a stationary point that is no solution (an arm stretched straight
 * towards a target nearer by), small random kicks try to leave it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "robot/robot.h"

enum {
    SETTLE = 100,   /* null-space steps at the start */
    ON_THE_WAY = 8, /* and at each target after it */
    FOLLOWED = 4,   /* candidates for the start that are followed */
    KICKS = 3
};
static const double KICK = 0.05, DIFFERENT = 0.05; /* radians */
static const double pi = 3.14159265358979323846;

/* ---- the start ------------------------------------------------------------------------------ */

static double between(rm2_rng *rng, double low, double high) {
    return fmin(fmax(low + (high - low) * rm2_rng_uniform(rng), low), high);
}

void rm2i_random_angles(rm2i_solver *s, double *q) {
    rm2_rng *rng = rm2_context_rng(s->ctx);
    for (size_t k = 0; k < s->joints; k++) {
        const rm2_link *l = rm2_arm_joint(s->arm, k);
        double low = isfinite(l->lower) ? l->lower : isfinite(l->upper) ? l->upper - 2 * pi : -pi;
        double high = isfinite(l->upper) ? l->upper : low + 2 * pi;
        q[k] = between(rng, low, high);
    }
}

static bool better(const rm2i_arm_candidate *a, const rm2i_arm_candidate *b) {
    if (a->reached != b->reached)
        return a->reached;
    return a->reached ? a->aim < b->aim : a->residual < b->residual;
}

/* The same posture; whole turns of a joint without limits are none. */
static bool same_posture(const rm2_arm *arm, const double *a, const double *b) {
    for (size_t k = 0; k < arm->joints; k++) {
        const rm2_link *l = rm2_arm_joint(arm, k);
        bool free_to_turn = isinf(l->lower) && isinf(l->upper);
        double turn = free_to_turn ? remainder(a[k] - b[k], 2 * pi) : a[k] - b[k];
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
        if (same_posture(arm, list[i].q, new->q) && !better(new, &list[i]))
            return;
    for (size_t i = 0; i < *count; i++)
        if (!same_posture(arm, list[i].q, new->q))
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
    rm2i_box box;
    rm2i_box_of_arm(s->arm, &box);
    c->residual = rm2i_reach(s, target, &box, c->q);
    c->reached = rm2i_reached(s, target, c->q);
    c->aim = 0;
    if (!c->reached || !rm2i_has_second_aim(s))
        return RM2_OK;
    return rm2i_descend(s, target, &box, SETTLE, c->q, &c->aim);
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

/* ---- from target to target ------------------------------------------------------------------ */

/* Least squares from q, and from kicked copies of the result if that is no solution. */
static void reach_firmly(rm2i_solver *s, const double *target, double *q) {
    rm2_rng *rng = rm2_context_rng(s->ctx);
    rm2i_box box;
    rm2i_box_of_arm(s->arm, &box);
    double best = rm2i_reach(s, target, &box, q), kicked[RM2_ARM_MAX_LINKS];
    for (int kick = 0; kick < KICKS && !rm2i_reached(s, target, q); kick++) {
        for (size_t k = 0; k < s->joints; k++)
            kicked[k] = fmin(fmax(q[k] + between(rng, -KICK, KICK), box.lower[k]), box.upper[k]);
        double residual = rm2i_reach(s, target, &box, kicked);
        if (residual < best * (1 - 1e-6)) {
            best = residual;
            memcpy(q, kicked, s->joints * sizeof *q);
        }
    }
}

/* Angles that motions in the null space may use; `before` is one target earlier, dt after it. */
static void window(const rm2i_solver *s, const double *q, const double *before, double dt,
                   rm2i_box *box) {
    rm2i_box_of_arm(s->arm, box);
    for (size_t k = 0; k < s->joints; k++) {
        double way = rm2_arm_joint(s->arm, k)->speed * dt; /* infinite without time or limit */
        double low = fmax(q[k] - s->settings.null_step, fmin(q[k], before[k] - way));
        double high = fmin(q[k] + s->settings.null_step, fmax(q[k], before[k] + way));
        box->lower[k] = fmax(box->lower[k], low);
        box->upper[k] = fmin(box->upper[k], high);
    }
}

static rm2_status go_on(rm2i_solver *s, const double *target, const double *before, double dt,
                        double *q) {
    rm2i_box box;
    double ignored;
    memcpy(q, before, s->joints * sizeof *q);
    reach_firmly(s, target, q);
    if (!(s->settings.null_step > 0) || !rm2i_has_second_aim(s) || !rm2i_reached(s, target, q))
        return RM2_OK;
    window(s, q, before, dt, &box);
    return rm2i_descend(s, target, &box, ON_THE_WAY, q, &ignored);
}

/* How well a trajectory was followed. */
typedef struct outcome {
    size_t missed;
    double worst; /* |r| without its units: position and orientation over their tolerances */
    double aim;   /* sum of squared ellipsoid distances, or of positions in the ranges */
} outcome;

static double over_tolerance(const rm2i_solver *s, const rm2_track_error *e) {
    return fmax(e->position / s->settings.position_tolerance,
                e->orientation / s->settings.orientation_tolerance);
}

/* Sum of squares of the joints' distances from the middle of their ranges. */
static double off_middle(const rm2i_solver *s, const double *q) {
    double sum = 0;
    for (size_t k = 0; k < s->joints; k++) {
        const rm2_link *l = rm2_arm_joint(s->arm, k);
        double half = (l->upper - l->lower) / 2, t = (q[k] - l->lower - half) / half;
        sum += isfinite(t) ? t * t : 0;
    }
    return sum;
}

typedef struct trajectory {
    size_t n;
    const double *targets, *time;
    double *q;               /* n x joints */
    rm2_track_error *errors; /* n */
} trajectory;

/* Two, by turns the best so far and a trial. */
typedef struct attempts {
    trajectory trial, best;
    size_t joints;
    double *memory;
} attempts;

static void lay_out(void *arg, rm2i_arena *a) {
    attempts *t = arg;
    t->trial.q = rm2i_take(a, double, t->trial.n, t->joints);
    t->trial.errors = rm2i_take(a, rm2_track_error, t->trial.n);
    t->best.q = rm2i_take(a, double, t->best.n, t->joints);
    t->best.errors = rm2i_take(a, rm2_track_error, t->best.n);
}

/* Time from the target before to target i. */
static double step_time(const trajectory *t, size_t i) {
    return t->time ? t->time[i] - t->time[i - 1] : INFINITY;
}

/* All targets, from the configuration in the first row of q on. */
static rm2_status follow(rm2i_solver *s, const trajectory *t, outcome *o) {
    size_t width = rm2_arm_task_width(&s->task);
    *o = (outcome){.missed = 0};
    for (size_t i = 0; i < t->n; i++) {
        double *q = t->q + i * s->joints;
        if (rm2i_interrupted(s->ctx))
            return rm2i_fail(s->ctx, RM2_INTERRUPTED, "interrupted");
        if (i > 0)
            RM2_TRY(go_on(s, t->targets + i * width, q - s->joints, step_time(t, i), q));
        RM2_TRY(rm2i_measure(s, t->targets + i * width, q, &t->errors[i]));
        o->missed += t->errors[i].missed;
        o->worst = fmax(o->worst, over_tolerance(s, &t->errors[i]));
        o->aim +=
            s->task.ellipsoid ? t->errors[i].ellipsoid * t->errors[i].ellipsoid : off_middle(s, q);
    }
    return RM2_OK;
}

static bool improves(const outcome *a, const outcome *b) {
    if (a->missed != b->missed)
        return a->missed < b->missed;
    return a->missed > 0 ? a->worst < b->worst : a->aim < b->aim;
}

/* ---- summary -------------------------------------------------------------------------------- */

static void summarise_limits(const rm2_arm *arm, const double *q, rm2_track_info *info) {
    for (size_t k = 0; k < arm->joints; k++) {
        const rm2_link *l = rm2_arm_joint(arm, k);
        double margin = fmin(q[k] - l->lower, l->upper - q[k]);
        if (margin < info->margin) {
            info->margin = margin;
            info->margin_joint = k;
        }
    }
}

/* From one configuration to the next in the time dt, infinite if unknown. */
static void summarise_step(const rm2_arm *arm, const double *q, const double *next, double dt,
                           rm2_track_info *info) {
    for (size_t k = 0; k < arm->joints; k++) {
        double step = fabs(next[k] - q[k]), ratio = step / dt / rm2_arm_joint(arm, k)->speed;
        info->largest_step = fmax(info->largest_step, step);
        if (ratio > info->stretch) {
            info->stretch = ratio;
            info->stretch_joint = k;
        }
    }
}

static void summarise(const rm2i_solver *s, const trajectory *t, rm2_track_info *info) {
    double worst = -1;
    *info = (rm2_track_info){.margin = INFINITY};
    for (size_t i = 0; i < t->n; i++) {
        info->missed += t->errors[i].missed;
        if (over_tolerance(s, &t->errors[i]) > worst) {
            worst = over_tolerance(s, &t->errors[i]);
            info->worst = i;
        }
        const double *q = t->q + i * s->joints;
        summarise_limits(s->arm, q, info);
        if (i > 0)
            summarise_step(s->arm, q - s->joints, q, step_time(t, i), info);
    }
}

/* ---- public --------------------------------------------------------------------------------- */

rm2_status rm2_arm_solve(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_task *task,
                         const double *target, const rm2_track_settings *settings, double *q,
                         rm2_track_error *error) {
    RM2_REQUIRE(ctx, arm, task, target, q);
    rm2i_solver *s;
    rm2i_arm_candidate best = {.reached = false};
    size_t count = 1;
    RM2_TRY(rm2i_solver_create(ctx, arm, task, settings, &s));
    rm2_status status = rm2i_check_targets(ctx, task, 1, target);
    if (status == RM2_OK && s->settings.start) {
        memcpy(best.q, s->settings.start, arm->joints * sizeof *q);
        reach_firmly(s, target, best.q);
    } else if (status == RM2_OK) {
        status = rm2i_candidates(s, target, s->settings.searches, 1, &best, &count);
    }
    rm2_track_error found = {.position = 0};
    if (status == RM2_OK)
        status = rm2i_measure(s, target, best.q, &found);
    memcpy(q, best.q, arm->joints * sizeof *q);
    if (error)
        *error = found;
    free(s);
    return status;
}

static rm2_status check_time(rm2_context *ctx, size_t n, const double *time) {
    for (size_t i = 0; time && i < n; i++)
        if (!isfinite(time[i]) || (i > 0 && !(time[i] > time[i - 1])))
            return rm2i_fail(ctx, RM2_ERR_DATA, "target %zu: time %g does not come after %g", i,
                             time[i], i > 0 ? time[i - 1] : -(double)INFINITY);
    return RM2_OK;
}

/* Follow the trajectory from each candidate; the best is in `best` in the end. */
static rm2_status follow_candidates(rm2i_solver *s, const rm2i_arm_candidate *list, size_t count,
                                    trajectory *trial, trajectory *best) {
    outcome o, least = {.missed = SIZE_MAX};
    for (size_t i = 0; i < count; i++) {
        memcpy(trial->q, list[i].q, s->joints * sizeof *trial->q);
        RM2_TRY(follow(s, trial, &o));
        if (!improves(&o, &least))
            continue;
        least = o;
        trajectory swap = *best;
        *best = *trial;
        *trial = swap;
    }
    return RM2_OK;
}

static rm2_status track(rm2i_solver *s, trajectory *trial, trajectory *best) {
    rm2i_arm_candidate list[FOLLOWED];
    size_t count = 0;
    if (s->settings.start) {
        RM2_TRY(go_on(s, trial->targets, s->settings.start, INFINITY, list[0].q));
        count = 1;
    } else {
        RM2_TRY(rm2i_candidates(s, trial->targets, s->settings.searches, FOLLOWED, list, &count));
    }
    return follow_candidates(s, list, count, trial, best);
}

rm2_status rm2_arm_track(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_targets *targets,
                         const rm2_track_settings *settings, double *q, rm2_track_error *errors,
                         rm2_track_info *info) {
    RM2_REQUIRE(ctx, arm, targets, targets->task);
    size_t n = targets->n;
    if (n > 0)
        RM2_REQUIRE(ctx, targets->points, q);
    rm2i_solver *s;
    RM2_TRY(rm2i_solver_create(ctx, arm, targets->task, settings, &s));
    const trajectory empty = {.n = n, .targets = targets->points, .time = targets->time};
    attempts t = {.trial = empty, .best = empty, .joints = arm->joints};
    rm2_status status = rm2i_check_targets(ctx, targets->task, n, targets->points);
    if (status == RM2_OK)
        status = check_time(ctx, n, targets->time);
    if (status == RM2_OK)
        status = rm2i_arena_alloc(ctx, lay_out, &t, &t.memory);
    if (status == RM2_OK)
        status = track(s, &t.trial, &t.best);
    if (status == RM2_OK) {
        memcpy(q, t.best.q, n * arm->joints * sizeof *q);
        if (errors)
            memcpy(errors, t.best.errors, n * sizeof *errors);
        if (info)
            summarise(s, &t.best, info);
    }
    free(t.memory);
    free(s);
    return status;
}
