/* Trajectories: where to start, and from each target to the next.
 *
 * The first target is reached from many random configurations, each improved in its null space; the
 * best few that differ (elbow up, elbow down, ...) are followed through the whole trajectory, and the
 * one that misses fewest targets is the answer. From target to target the arm goes by damped least
 * squares from where it is, so that the motion is continuous, and then moves in the null space within
 *   |q_k - q_k(target reached)| <= null_step,  |q_k - q_k(before)| <= speed_k dt,  lower, upper.
 * Where least squares ends in a stationary point that is no solution (an arm stretched straight
 * towards a target nearer by), small random kicks try to leave it. What looks best at one target can end at a
 * limit later, or too near to something of the scene: where no start leads through all targets, the whole
 * trajectory is searched (route.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "math/order.h"
#include "robot/robot.h"

enum {
    ON_THE_WAY = 8, /* null-space steps at each target */
    FOLLOWED = 4,   /* candidates for the start that are followed */
    KICKS = 3
};
static const double KICK = 0.05;              /* radians */
static const double JUMP = 0.5, SLIDE = 0.25; /* between neighbours: radians; part of the reach */
static const double HURRY = 8;              /* a jump is faster than this times the median step, */
static const double SMALL = 0.1, LARGE = 2; /* at least and at most these times JUMP or SLIDE */
static const double FASTER = 1e-6;          /* differences of speeds that count */
static const double TOUCH = 1e-3;           /* at a limit, as a part of the range */

/* ---- from target to target ------------------------------------------------------------------ */

/* Least squares from q, and from kicked copies of the result if that is no solution. */
static void reach_firmly(rm2i_solver *s, const double *target, double *q) {
    rm2_rng *rng = rm2_context_rng(s->ctx);
    rm2i_joint_box box;
    rm2i_box_of_arm(s->arm, &box);
    double best = rm2i_reach(s, target, &box, q), kicked[RM2_ARM_MAX_LINKS];
    for (int kick = 0; kick < KICKS && !rm2i_reached(s, target, q); kick++) {
        for (size_t k = 0; k < s->joints; k++)
            kicked[k] = fmin(fmax(q[k] + rm2i_random_between(rng, -KICK, KICK), box.lower[k]),
                             box.upper[k]);
        double residual = rm2i_reach(s, target, &box, kicked);
        if (residual < best * (1 - 1e-6)) {
            best = residual;
            memcpy(q, kicked, s->joints * sizeof *q);
        }
    }
}

/* Angles that motions in the null space may use; `before` is one target earlier, dt after it. */
static void window(const rm2i_solver *s, const double *q, const double *before, double dt,
                   rm2i_joint_box *box) {
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
    rm2i_joint_box box;
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
    size_t missed, jumps;
    size_t touching; /* targets where a joint is at its limit */
    size_t hits;     /* ways to a target on which clearances are not kept */
    double worst;    /* |r| without its units: position and orientation over their tolerances */
    double speed;    /* largest speed over its limit, at least 1 */
    double pace;     /* median of the steps' largest speeds over their limits; 0: unknown */
    double aim;      /* sum of squared ellipsoid distances, or of positions in the ranges */
} outcome;

static double over_tolerance(const rm2i_solver *s, const rm2_track_error *e) {
    return fmax(e->position / s->settings.position_tolerance,
                e->orientation / s->settings.orientation_tolerance);
}

double rm2i_aim_at(rm2i_solver *s, const double *q, const rm2_track_error *error) {
    double sum = s->task.ellipsoid ? error->ellipsoid * error->ellipsoid : 0;
    sum += rm2i_crowding(s, q);
    for (size_t k = 0; k < s->joints && !s->task.ellipsoid; k++) {
        const rm2_link *l = rm2_arm_joint(s->arm, k);
        double half = (l->upper - l->lower) / 2, t = (q[k] - l->lower - half) / half;
        sum += isfinite(t) ? t * t : 0;
    }
    return sum;
}

/* Between neighbours, whatever the time. */
static double longest_step(const rm2i_solver *s, size_t k) {
    bool slides = rm2_arm_joint_kind(s->arm, k) == RM2_JOINT_PRISMATIC;
    return slides ? SLIDE * s->arm->reach : JUMP;
}

size_t rm2i_jumping_joint(const rm2i_solver *s, const double *a, const double *b) {
    for (size_t k = 0; k < s->joints; k++)
        if (fabs(b[k] - a[k]) > longest_step(s, k))
            return k;
    return s->joints;
}

/* The same in the time dt: with a speed limit v, a step is a jump beyond v dt max(1, HURRY pace). A motion that is too
 * fast everywhere is no jump: its time can be stretched. */
static size_t jumping_joint_in(const rm2i_solver *s, const double *a, const double *b, double dt,
                               double pace) {
    for (size_t k = 0; k < s->joints; k++) {
        double longest = longest_step(s, k), way = rm2_arm_joint(s->arm, k)->speed * dt;
        if (isfinite(way))
            longest = fmin(fmax(way * fmax(1, HURRY * pace), SMALL * longest), LARGE * longest);
        if (fabs(b[k] - a[k]) > longest)
            return k;
    }
    return s->joints;
}

bool rm2i_jumps(const rm2i_solver *s, const double *a, const double *b) {
    return rm2i_jumping_joint(s, a, b) < s->joints;
}

double rm2i_step_time(const rm2i_joint_motion *m, size_t i) {
    return m->time ? m->time[i] - m->time[i - 1] : INFINITY;
}

/* Two, by turns the best so far and a trial. */
typedef struct attempts {
    rm2i_joint_motion trial, best;
    outcome least; /* of the best */
    double *ratio; /* n: of speeds */
    size_t joints;
    double *memory;
} attempts;

static void lay_out(void *arg, rm2i_arena *a) {
    attempts *t = arg;
    t->trial.q = rm2i_reserve(a, double, t->trial.n, t->joints);
    t->trial.errors = rm2i_reserve(a, rm2_track_error, t->trial.n);
    t->best.q = rm2i_reserve(a, double, t->best.n, t->joints);
    t->best.errors = rm2i_reserve(a, rm2_track_error, t->best.n);
    t->ratio = rm2i_reserve(a, double, t->best.n);
}

/* All targets, from the configuration in the first row of q on. */
static rm2_status follow(rm2i_solver *s, const rm2i_joint_motion *m) {
    size_t width = rm2_arm_task_width(&s->task);
    for (size_t i = 1; i < m->n; i++) {
        double *q = m->q + i * s->joints;
        if (rm2i_interrupted(s->ctx))
            return rm2i_fail(s->ctx, RM2_INTERRUPTED, "interrupted");
        RM2_TRY(go_on(s, m->targets + i * width, q - s->joints, rm2i_step_time(m, i), q));
    }
    return RM2_OK;
}

/* Largest speed of a joint over its limit. */
static double speed_ratio(const rm2i_solver *s, const double *a, const double *b, double dt) {
    double ratio = 0;
    for (size_t k = 0; k < s->joints; k++)
        ratio = fmax(ratio, fabs(b[k] - a[k]) / dt / rm2_arm_joint(s->arm, k)->speed);
    return ratio;
}

static bool touches(const rm2i_solver *s, const double *q) {
    for (size_t k = 0; k < s->joints; k++) {
        const rm2_link *l = rm2_arm_joint(s->arm, k);
        double range = isfinite(l->upper - l->lower) ? l->upper - l->lower : 1;
        if (fmin(q[k] - l->lower, l->upper - q[k]) < TOUCH * range)
            return true;
    }
    return false;
}

/* Largest and median speed over limits; ratio: n */
static void judge_speed(const rm2i_solver *s, const rm2i_joint_motion *m, double *ratio,
                        outcome *o) {
    for (size_t i = 1; i < m->n; i++) {
        const double *q = m->q + i * s->joints;
        ratio[i - 1] = speed_ratio(s, q - s->joints, q, rm2i_step_time(m, i));
        o->speed = fmax(o->speed, ratio[i - 1]);
    }
    if (m->n < 2)
        return;
    o->pace = rm2i_median(m->n - 1, ratio);
}

/* Errors and outcome of a motion. */
static rm2_status judge(rm2i_solver *s, const rm2i_joint_motion *m, double *ratio, outcome *o) {
    size_t width = rm2_arm_task_width(&s->task);
    *o = (outcome){.speed = 1};
    judge_speed(s, m, ratio, o);
    for (size_t i = 0; i < m->n; i++) {
        const double *q = m->q + i * s->joints, *before = q - (i ? s->joints : 0);
        RM2_TRY(rm2i_measure(s, m->targets + i * width, q, &m->errors[i]));
        o->missed += m->errors[i].missed;
        double dt = i ? rm2i_step_time(m, i) : INFINITY;
        o->jumps += jumping_joint_in(s, before, q, dt, o->pace) < s->joints;
        o->touching += touches(s, q);
        o->hits += !rm2i_way_is_clear(s, before, q);
        o->worst = fmax(o->worst, over_tolerance(s, &m->errors[i]));
        o->aim += rm2i_aim_at(s, q, &m->errors[i]);
    }
    return RM2_OK;
}

static bool improves(const outcome *a, const outcome *b) {
    if (a->missed != b->missed)
        return a->missed < b->missed;
    if (a->missed > 0)
        return a->worst < b->worst;
    if (a->jumps != b->jumps)
        return a->jumps < b->jumps;
    if (a->hits != b->hits)
        return a->hits < b->hits;
    if (fabs(a->speed - b->speed) > FASTER)
        return a->speed < b->speed;
    return a->touching != b->touching ? a->touching < b->touching : a->aim < b->aim;
}

/* The trial becomes the best if it is better. */
static rm2_status compare(rm2i_solver *s, attempts *t) {
    outcome o;
    RM2_TRY(judge(s, &t->trial, t->ratio, &o));
    if (!improves(&o, &t->least))
        return RM2_OK;
    t->least = o;
    rm2i_joint_motion swap = t->best;
    t->best = t->trial;
    t->trial = swap;
    return RM2_OK;
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

static void summarise(const rm2i_solver *s, const rm2i_joint_motion *t, double pace,
                      rm2_track_info *info) {
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
        if (i == 0)
            continue;
        double dt = rm2i_step_time(t, i);
        size_t joint = jumping_joint_in(s, q - s->joints, q, dt, pace);
        if (joint < s->joints && info->jumps++ == 0) {
            info->jump_target = i;
            info->jump_joint = joint;
        }
        summarise_step(s->arm, q - s->joints, q, dt, info);
    }
}

/* ---- public --------------------------------------------------------------------------------- */

rm2_status rm2_arm_solve(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_task *task,
                         const double *target, const rm2_track_settings *settings, double *q,
                         rm2_track_error *error) {
    RM2_REQUIRE(ctx, arm, task, target, q);
    RM2_TRY(rm2i_check_size(ctx, error, sizeof *error));
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
    rm2i_results_give(1, &found, sizeof found, error);
    free(s);
    return status;
}

static rm2_status check_time(rm2_context *ctx, size_t n, const double *time) {
    for (size_t i = 0; time && i < n; i++)
        if (!isfinite(time[i]) || (i > 0 && !(time[i] > time[i - 1])))
            return rm2i_fail(ctx, RM2_ERR_DATA, "target %zu: time %g does not come after %g", i + 1,
                             time[i], i > 0 ? time[i - 1] : -(double)INFINITY);
    return RM2_OK;
}

static rm2_status track(rm2i_solver *s, attempts *t) {
    rm2i_arm_candidate list[FOLLOWED];
    const double *start = s->settings.start, *targets = t->trial.targets;
    size_t count = 1;
    bool found = false;
    t->least.missed = SIZE_MAX;
    if (start)
        RM2_TRY(go_on(s, targets, start, INFINITY, list[0].q));
    else
        RM2_TRY(rm2i_candidates(s, targets, s->settings.searches, FOLLOWED, list, &count));
    for (size_t i = 0; i < count; i++) {
        memcpy(t->trial.q, list[i].q, s->joints * sizeof *t->trial.q);
        RM2_TRY(follow(s, &t->trial));
        RM2_TRY(compare(s, t));
    }
    const outcome *o = &t->least;
    if (o->missed + o->jumps + o->hits + o->touching == 0 && o->speed <= 1 + FASTER)
        return RM2_OK;
    RM2_TRY(rm2i_route(s, start ? list[0].q : NULL, &t->trial, &found));
    return found ? compare(s, t) : RM2_OK;
}

rm2_status rm2_arm_track(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_targets *targets,
                         const rm2_track_settings *settings, double *q, rm2_track_error *errors,
                         rm2_track_info *info) {
    RM2_REQUIRE(ctx, arm, targets, targets->task);
    size_t n = targets->n;
    if (n > 0)
        RM2_REQUIRE(ctx, targets->points, q);
    RM2_TRY(rm2i_check_size(ctx, n > 0 ? errors : NULL, sizeof *errors));
    RM2_TRY(rm2i_check_size(ctx, info, sizeof *info));
    rm2i_solver *s;
    RM2_TRY(rm2i_solver_create(ctx, arm, targets->task, settings, &s));
    const rm2i_joint_motion empty = {.n = n, .targets = targets->points, .time = targets->time};
    attempts t = {.trial = empty, .best = empty, .joints = arm->joints};
    rm2_track_info found = {.missed = 0};
    rm2_status status = rm2i_check_targets(ctx, targets->task, n, targets->points);
    if (status == RM2_OK)
        status = check_time(ctx, n, targets->time);
    if (status == RM2_OK)
        status = rm2i_arena_alloc(ctx, lay_out, &t, &t.memory);
    if (status == RM2_OK)
        status = track(s, &t);
    if (status == RM2_OK && info) {
        summarise(s, &t.best, t.least.pace, &found);
        status = rm2i_find_cause(s, &t.best, &found);
    }
    if (status == RM2_OK) {
        memcpy(q, t.best.q, n * arm->joints * sizeof *q);
        rm2i_results_give(n, t.best.errors, sizeof *errors, errors);
        rm2i_results_give(1, &found, sizeof found, info);
    }
    free(t.memory);
    free(s);
    return status;
}
