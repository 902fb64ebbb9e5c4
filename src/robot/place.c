/* Trajectories into the workspace of an arm.
 *
 *   x -> s R x + o,   r -> rho r,   M -> s_M R M R^T,    R the rotation of the quaternion rho
 *
 * The automatic place is found by trying: s and o are judged by how many targets the arm misses, how
 * often it must jump on its way through them, and the second aim there (middle of the joints' ranges,
 * desired ellipsoids). What is in reach as it is stays where it is. Otherwise the size is kept if it
 * is between 1/20 and 1/3 of the arm's reach, or made a quarter of it; the centre is put where random
 * configurations have their tip; and if no centre will do, the trajectory is made smaller. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "math/quaternion.h"
#include "robot/robot.h"
#include "settings/settings.h"

enum {
    TRIED = 400,  /* targets, at most */
    GLANCE = 12,  /* of them, to see that a place is hopeless */
    CENTRES = 60, /* for each size */
    STARTS = 5,
    SIZES = 6
};
static const double SMALLEST = 0.05, LARGEST = 1.0 / 3, WANTED = 0.25, SMALLER = 0.7; /* of reach */
static const double JUMP = 0.5; /* radians of a joint between neighbours */

static const rm2_setting rows[] = {
    {RM2I_MEMBER(rm2_placement, scale), .name = "scale", .type = RM2_SETTING_NUMBER, RM2I_ABOVE(0),
     .defaults = {"1"}, .group = "Place", .help = "S: positions become S R x + offset"},
    {RM2I_MEMBER(rm2_placement, ellipsoid_scale), .name = "ellipsoid_scale",
     .type = RM2_SETTING_NUMBER, RM2I_ABOVE(0), .defaults = {"1"}, .group = "Place",
     .help = "S: ellipsoids become S R M R^T"},
};

RM2I_TABLE(rm2i_placement_table, "placement", rm2_placement, rows)

/* The caller's placement, whatever its version, checked. */
static rm2_status overlay(rm2_context *ctx, const rm2_arm_task *task, const rm2_placement *given,
                          rm2_placement *p) {
    *p = rm2_placement_default();
    RM2_TRY(rm2i_check_task(ctx, task));
    RM2_TRY(rm2i_settings_overlay(ctx, given, p));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_PLACEMENT), p));
    double length = rm2i_norm(4, p->rotation);
    if (isinf(rm2i_max_abs(3, p->offset)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "placement: the offset must be finite");
    if (!(fabs(length - 1) < 1e-6))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "placement: rotation of length %g, not 1", length);
    if (task->dim == 2 && (p->rotation[1] != 0 || p->rotation[2] != 0 || p->offset[2] != 0))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "placement: positions in a plane turn about z and move in x and y only");
    return RM2_OK;
}

/* out = s_M R M R^T: columns, then rows. */
static void turn_ellipsoid(size_t dim, const rm2_placement *p, double *M) {
    for (int pass = 0; pass < 2; pass++) {
        double out[RM2I_ELLIPSOID_SIZE] = {0};
        for (size_t j = 0; j < dim; j++) {
            double column[3] = {0, 0, 0}, turned[3];
            for (size_t i = 0; i < dim; i++)
                column[i] = M[i * dim + j];
            rm2i_quaternion_rotate(p->rotation, column, turned);
            for (size_t i = 0; i < dim; i++)
                out[j * dim + i] = turned[i]; /* transposed: the second pass turns the rows */
        }
        memcpy(M, out, dim * dim * sizeof *M);
    }
    for (size_t i = 0; i < dim * dim; i++)
        M[i] *= p->ellipsoid_scale;
    rm2i_symmetrise(dim, M);
}

static void place(const rm2_arm_task *task, const rm2_placement *p, double *target) {
    double x[3] = {0, 0, 0}, turned[3];
    memcpy(x, target, task->dim * sizeof *x);
    rm2i_quaternion_rotate(p->rotation, x, turned);
    for (int i = 0; i < 3; i++)
        x[i] = p->scale * turned[i] + p->offset[i];
    memcpy(target, x, task->dim * sizeof *x);
    target += task->dim;
    if (task->orientation) {
        rm2i_quaternion_multiply(p->rotation, target, target);
        target += 4;
    }
    if (task->ellipsoid)
        turn_ellipsoid(task->dim, p, target);
}

rm2_status rm2_arm_place(rm2_context *ctx, const rm2_arm_task *task, const rm2_placement *placement,
                         size_t n, double *targets) {
    RM2_REQUIRE(ctx, task, placement);
    if (n > 0)
        RM2_REQUIRE(ctx, targets);
    rm2_placement own;
    RM2_TRY(overlay(ctx, task, placement, &own));
    size_t width = rm2_arm_task_width(task);
    for (size_t i = 0; i < n; i++)
        place(task, &own, targets + i * width);
    return RM2_OK;
}

/* ---- finding a place ------------------------------------------------------------------------ */

typedef struct search {
    rm2i_solver *solver;
    size_t n; /* targets that are tried, turned already */
    const double *targets;
    double centre[3], radius;
} search;

typedef struct judgement {
    size_t missed, jumps;
    double aim;
} judgement;

static bool better(const judgement *a, const judgement *b) {
    if (a->missed != b->missed)
        return a->missed < b->missed;
    return a->jumps != b->jumps ? a->jumps < b->jumps : a->aim < b->aim;
}

/* Centre of the box around the targets, and their largest distance from it. */
static void measure_targets(search *f) {
    const rm2_arm_task *task = &f->solver->task;
    size_t width = rm2_arm_task_width(task);
    for (size_t k = 0; k < task->dim; k++) {
        double low = f->targets[k], high = low;
        for (size_t i = 1; i < f->n; i++) {
            low = fmin(low, f->targets[i * width + k]);
            high = fmax(high, f->targets[i * width + k]);
        }
        f->centre[k] = low + (high - low) / 2;
    }
    for (size_t i = 0; i < f->n; i++) {
        double off[3] = {0, 0, 0};
        for (size_t k = 0; k < task->dim; k++)
            off[k] = f->targets[i * width + k] - f->centre[k];
        f->radius = fmax(f->radius, rm2i_norm(3, off));
    }
}

/* One target from where the arm is, or from random starts. */
static rm2_status visit(rm2i_solver *s, const double *target, rm2i_arm_candidate *at) {
    rm2i_joint_box box;
    size_t count;
    rm2i_box_of_arm(s->arm, &box);
    (void)rm2i_reach(s, target, &box, at->q);
    at->reached = rm2i_reached(s, target, at->q);
    if (!at->reached)
        return rm2i_candidates(s, target, STARTS, 1, at, &count);
    at->aim = 0;
    return rm2i_has_second_aim(s) ? rm2i_descend(s, target, &box, STARTS, at->q, &at->aim) : RM2_OK;
}

/* A place, from every target or from some `by` apart; given up where more than `bound` are missed. */
static rm2_status judge(const search *f, double scale, const double *offset, size_t by,
                        size_t bound, judgement *j) {
    rm2i_solver *s = f->solver;
    size_t width = rm2_arm_task_width(&s->task);
    double target[RM2I_TARGET_SIZE], before[RM2_ARM_MAX_LINKS];
    rm2_placement p = rm2_placement_default();
    rm2i_arm_candidate at;
    p.scale = scale;
    memcpy(p.offset, offset, sizeof p.offset);
    *j = (judgement){.missed = 0};
    rm2i_random_angles(s, at.q);
    for (size_t i = 0; i < f->n && j->missed <= bound; i += by) {
        memcpy(before, at.q, s->joints * sizeof *before);
        memcpy(target, f->targets + i * width, width * sizeof *target);
        place(&s->task, &p, target);
        RM2_TRY(visit(s, target, &at));
        double step = 0;
        for (size_t k = 0; k < s->joints && i > 0; k++)
            step = fmax(step, fabs(at.q[k] - before[k]));
        j->missed += !at.reached;
        j->jumps += step > JUMP;
        j->aim += at.reached ? at.aim : 0;
    }
    return RM2_OK;
}

/* The best of many centres for one size: tips of random configurations. */
static rm2_status try_centres(const search *f, double scale, judgement *best, rm2_placement *p) {
    rm2i_solver *s = f->solver;
    size_t by = f->n > GLANCE ? f->n / GLANCE : 1;
    for (size_t c = 0; c < CENTRES; c++) {
        double q[RM2_ARM_MAX_LINKS], offset[3] = {0, 0, 0};
        rm2i_random_angles(s, q);
        rm2i_arm_posture(s->arm, q, &s->posture, NULL);
        for (size_t k = 0; k < s->task.dim; k++)
            offset[k] = s->posture.tip[k] - scale * f->centre[k];
        judgement j;
        RM2_TRY(judge(f, scale, offset, by, best->missed / by, &j));
        if (by > 1 && j.missed <= best->missed / by)
            RM2_TRY(judge(f, scale, offset, 1, best->missed, &j));
        else if (by > 1)
            continue;
        if (better(&j, best)) {
            *best = j;
            p->scale = scale;
            memcpy(p->offset, offset, sizeof offset);
        }
    }
    return RM2_OK;
}

static rm2_status find_place(const search *f, rm2_placement *p, bool *found) {
    double reach = f->solver->arm->reach, zero[3] = {0, 0, 0};
    judgement best;
    p->scale = 1;
    memset(p->offset, 0, sizeof p->offset);
    RM2_TRY(judge(f, 1, zero, 1, 0, &best));
    *found = best.missed == 0;
    if (*found)
        return RM2_OK;
    bool fits = f->radius >= SMALLEST * reach && f->radius <= LARGEST * reach;
    double scale = fits || !(f->radius > 0) ? 1 : WANTED * reach / f->radius;
    best = (judgement){.missed = f->n, .jumps = SIZE_MAX};
    for (int size = 0; size < SIZES && !*found; size++) {
        RM2_TRY(try_centres(f, scale, &best, p));
        *found = best.missed == 0;
        scale *= SMALLER;
    }
    return RM2_OK;
}

/* Evenly spaced targets, turned as asked for. */
static void choose_targets(const rm2_arm_task *task, const rm2_placement *turn, size_t n,
                           const double *targets, size_t count, double *chosen) {
    size_t width = rm2_arm_task_width(task);
    rm2_placement p = *turn;
    p.scale = 1;
    memset(p.offset, 0, sizeof p.offset);
    for (size_t i = 0; i < count; i++) {
        size_t from = count > 1 ? i * (n - 1) / (count - 1) : 0;
        memcpy(chosen + i * width, targets + from * width, width * sizeof *chosen);
        place(task, &p, chosen + i * width);
    }
}

rm2_status rm2_arm_place_auto(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_targets *targets,
                              const rm2_track_settings *settings, rm2_placement *placement,
                              bool *found) {
    RM2_REQUIRE(ctx, arm, targets, targets->task, placement, found);
    const rm2_arm_task *task = targets->task;
    size_t n = targets->n;
    search f = {.n = n < TRIED ? n : TRIED};
    double *chosen = NULL;
    if (n > 0)
        RM2_REQUIRE(ctx, targets->points);
    *found = false;
    rm2_placement own;
    RM2_TRY(overlay(ctx, task, placement, &own));
    RM2_TRY(rm2i_solver_create(ctx, arm, task, settings, &f.solver));
    rm2_status status = rm2i_check_targets(ctx, task, n, targets->points);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, f.n, rm2_arm_task_width(task) * sizeof *chosen, &chosen);
    if (status == RM2_OK) {
        choose_targets(task, &own, n, targets->points, f.n, chosen);
        f.targets = chosen;
        measure_targets(&f);
        status = find_place(&f, &own, found);
        if (status == RM2_OK)
            status = rm2i_settings_give(ctx, &own, placement);
    }
    free(chosen);
    free(f.solver);
    return status;
}
