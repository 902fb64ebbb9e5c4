/* Damped least squares towards one target, inside a box of joint angles.
 *
 * Minimised is |r(q)|^2 / 2 by Levenberg-Marquardt steps
 *   dq = A^T (A A^T + lambda I)^-1 r,     lambda = mu |r|^2,
 * A A^T and |r|^2 both squared lengths. A damping that falls with the squared residual keeps the
 * convergence quadratic and the steps finite where A is singular (Yamashita and Fukushima, "On the
 * rate of convergence of the Levenberg-Marquardt method", Computing Suppl. 15, 2001; for inverse
 * kinematics Sugihara, "Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt
 * method", IEEE Trans. Robotics 27, 2011). mu follows the ratio of actual to predicted decrease.
 *
 * Joints at a bound that r pushes outwards are held; joints that a step would carry beyond a bound go
 * to it, and the rest of the step is computed again for what is left of r. So no angle ever leaves the
 * box, and other joints take over (compare Flacco, De Luca and Khatib, "Motion control of redundant
 * robots under joint constraints: saturation in the null space", ICRA 2012). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "robot/robot.h"
#include "settings/settings.h"

static const double ROUNDING = 1e-13;    /* of lengths, relative to the reach */
static const double NO_PROGRESS = 1e-13; /* relative decrease of |r|^2 at which to stop */
static const double FAR =
    1e4; /* times the reach: nearest configurations differ by 1e-4 from then on */
static const double MU_MIN = 1e-8, MU_MAX = 1e12;
static const double ELLIPSOID_FLOOR = 1e-12; /* relative to the squared reach */

/* ---- the solver ----------------------------------------------------------------------------- */

#define TRACK(member, kind)                                                                        \
    RM2I_MEMBER(rm2_track_settings, member), .name = #member, .type = RM2_SETTING_##kind,          \
                                             .group = "Tracking"

/* clang-format off */
static const rm2_setting track_rows[] = {
    {TRACK(position_tolerance, NUMBER), .option = "tolerance", RM2I_ABOVE(0), .defaults = {"1e-6"},
     .help = "largest error of a position; a point further off is missed"},
    {TRACK(orientation_tolerance, NUMBER), .option = "angle-tolerance", RM2I_ABOVE(0),
     .unit = "radians", .defaults = {"1e-6"}, .help = "largest error of an orientation"},
    {TRACK(orientation_weight, NUMBER), RM2I_ABOVE(0), .zero = "auto", .defaults = {"auto"},
     .help = "length that weighs as a radian where a pose is out of reach; auto: a quarter of the reach"},
    {TRACK(limit_weight, NUMBER), RM2I_ANY_NUMBER, .defaults = {"-1"},
     .help = "null space: weight of the middle of the ranges; negative: 1, or 0 with ellipsoids"},
    {TRACK(null_step, NUMBER), RM2I_FROM(0), .defaults = {"0.1"},
     .help = "null space: largest motion of a joint per point"},
    {TRACK(searches, COUNT), RM2I_COUNT_FROM(1), .defaults = {"30"},
     .help = "random configurations tried for the start"},
    {TRACK(stations, COUNT), RM2I_FROM_TO(2, RM2I_MOST_STATIONS), .zero = "0", .defaults = {"48"},
     .help = "points at which the whole trajectory is searched where following it fails; 0: none"},
    {TRACK(iterations, COUNT), RM2I_COUNT_FROM(1), .limit = true, .defaults = {"200"},
     .help = "largest number of steps per point"},
};
/* clang-format on */

RM2I_TABLE(rm2i_track_table, "track", rm2_track_settings, track_rows)

static rm2_status check_start(rm2_context *ctx, const rm2_arm *arm, const double *start) {
    RM2_TRY(rm2i_check_angles(ctx, arm, 1, start));
    for (size_t k = 0; k < arm->joints; k++) {
        const rm2_link *l = rm2_arm_joint(arm, k);
        if (start[k] < l->lower || start[k] > l->upper)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "start: %g is outside the limits of joint %zu, %g to %g", start[k],
                             k + 1, l->lower, l->upper);
    }
    return RM2_OK;
}

rm2_status rm2i_solver_create(rm2_context *ctx, const rm2_arm *arm, const rm2_arm_task *task,
                              const rm2_track_settings *settings, rm2i_solver **solver) {
    rm2_track_settings s = rm2_track_settings_default();
    *solver = NULL;
    RM2_TRY(rm2i_check_task(ctx, task));
    RM2_TRY(rm2i_check_arm(ctx, arm, task));
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &s));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_TRACK), &s));
    if (s.start)
        RM2_TRY(check_start(ctx, arm, s.start));
    if (s.orientation_weight == 0)
        s.orientation_weight = arm->reach / 4;
    if (s.limit_weight < 0)
        s.limit_weight = task->ellipsoid ? 0 : 1;
    size_t work = rm2_spd.work_size(task->dim);
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof **solver + work * sizeof(double), solver));
    (*solver)->ctx = ctx;
    (*solver)->arm = arm;
    (*solver)->task = *task;
    (*solver)->settings = s;
    (*solver)->joints = arm->joints;
    (*solver)->rows = rm2i_task_rows(task);
    (*solver)->floor = ELLIPSOID_FLOOR * arm->reach * arm->reach;
    rm2_status status = s.scene ? rm2i_scene_create(ctx, arm, s.scene, &(*solver)->scene) : RM2_OK;
    if (status != RM2_OK) {
        free(*solver);
        *solver = NULL;
    }
    return status;
}

void rm2i_box_of_arm(const rm2_arm *arm, rm2i_joint_box *box) {
    for (size_t k = 0; k < arm->joints; k++) {
        box->lower[k] = rm2_arm_joint(arm, k)->lower;
        box->upper[k] = rm2_arm_joint(arm, k)->upper;
    }
}

/* ---- steps ---------------------------------------------------------------------------------- */

/* gram = A A^T; returns its trace. */
static double gram_of(size_t rows, size_t joints, const double *A, double *gram) {
    double trace = 0;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j <= i; j++)
            gram[i * rows + j] = gram[j * rows + i] =
                rm2i_dot(joints, A + i * joints, A + j * joints);
        trace += gram[i * rows + i];
    }
    return trace;
}

void rm2i_damped_step(rm2i_solver *s, size_t rows, const double *A, const double *b, double damping,
                      double *x) {
    double trace = gram_of(rows, s->joints, A, s->gram), added = 0;
    double next = fmax(damping, 1e-15 * trace);
    memset(x, 0, s->joints * sizeof *x);
    if (!(trace > 0))
        return; /* nothing moves anything */
    do {
        for (size_t i = 0; i < rows; i++)
            s->gram[i * rows + i] += next - added;
        added = next;
        next *= 10;
    } while (rm2i_cholesky(rows, s->gram, s->factor) != RM2_OK && added < trace);
    rm2i_lower_inverse(rows, s->factor, s->gram);
    memset(s->whole, 0, rows * sizeof *s->whole);
    for (size_t i = 0; i < rows; i++) { /* (L^-T L^-1) b */
        s->half[i] = rm2i_dot(i + 1, s->gram + i * rows, b);
        rm2i_axpy(i + 1, s->half[i], s->gram + i * rows, s->whole);
    }
    for (size_t i = 0; i < rows; i++)
        rm2i_axpy(s->joints, s->whole[i], A + i * s->joints, x);
}

static void hold(rm2i_solver *s, size_t joint) {
    for (size_t i = 0; i < s->rows; i++)
        s->free_A[i * s->joints + joint] = 0;
}

static double clamped(const rm2i_joint_box *box, size_t k, double angle) {
    return fmin(fmax(angle, box->lower[k]), box->upper[k]);
}

/* Joints at a bound against which r pushes are held. Returns the largest entry of A^T r among the
 * others: 0 at the nearest configuration. */
static double free_joints(rm2i_solver *s, const rm2i_joint_box *box, const double *q,
                          const double *r) {
    double largest = 0;
    memcpy(s->free_A, s->A, s->rows * s->joints * sizeof *s->A);
    for (size_t k = 0; k < s->joints; k++) {
        double push = 0;
        for (size_t i = 0; i < s->rows; i++)
            push += s->A[i * s->joints + k] * r[i];
        if ((push > 0 && q[k] >= box->upper[k]) || (push < 0 && q[k] <= box->lower[k]))
            hold(s, k);
        else
            largest = fmax(largest, fabs(push));
    }
    return largest;
}

/* The damped step from q inside the box, free_A given; r becomes what the step leaves of it. */
static void box_step(rm2i_solver *s, const rm2i_joint_box *box, const double *q, double damping,
                     double *r, double *step) {
    double x[RM2_ARM_MAX_LINKS];
    bool again = true;
    memset(step, 0, s->joints * sizeof *step);
    for (size_t round = 0; again && round < s->joints; round++) {
        again = false;
        rm2i_damped_step(s, s->rows, s->free_A, r, damping, x);
        for (size_t k = 0; k < s->joints; k++) {
            double inside = clamped(box, k, q[k] + x[k]);
            if (x[k] == 0 || inside == q[k] + x[k])
                continue;
            step[k] = inside - q[k];
            for (size_t i = 0; i < s->rows; i++)
                r[i] -= s->A[i * s->joints + k] * step[k];
            hold(s, k);
            again = true;
        }
    }
    for (size_t k = 0; k < s->joints && !again; k++) {
        if (x[k] == 0)
            continue;
        step[k] = x[k];
        for (size_t i = 0; i < s->rows; i++)
            r[i] -= s->A[i * s->joints + k] * x[k];
    }
}

/* ---- one target ----------------------------------------------------------------------------- */

static double residual_at(rm2i_solver *s, const double *target, const double *q, double *r) {
    rm2i_arm_posture(s->arm, q, &s->posture, NULL);
    rm2i_task_residual(&s->task, target, s->settings.orientation_weight, &s->posture, r);
    return rm2i_norm(s->rows, r);
}

/* mu for the next step, from the ratio of actual to predicted decrease. */
static double next_mu(double mu, double gain) {
    if (gain > 0.75)
        return fmax(mu / 5, MU_MIN);
    return gain < 0.25 ? 4 * mu : mu;
}

/* A target that is far out of reach, nearer by in the same direction: the same configurations are
 * nearest to it, and the residual does not drown what they can change of it. */
static void shorten(const rm2i_solver *s, const double *target, double *near) {
    double length = rm2i_norm(s->task.dim, target), most = FAR * s->arm->reach;
    memcpy(near, target, rm2_arm_task_width(&s->task) * sizeof *near);
    for (size_t i = 0; i < s->task.dim && length > most; i++)
        near[i] *= most / length;
}

double rm2i_reach(rm2i_solver *s, const double *far, const rm2i_joint_box *box, double *q) {
    double target[RM2I_TARGET_SIZE];
    shorten(s, far, target);
    double r[RM2I_MAIN_ROWS], left[RM2I_MAIN_ROWS], trial_r[RM2I_MAIN_ROWS];
    double step[RM2_ARM_MAX_LINKS], trial[RM2_ARM_MAX_LINKS], mu = 1;
    double norm = residual_at(s, target, q, r);
    bool moved = true;
    for (size_t it = 0; it < s->settings.iterations && mu < MU_MAX; it++) {
        if (norm <= ROUNDING * s->arm->reach)
            break;
        if (moved)
            rm2i_task_matrix(&s->task, s->joints, s->settings.orientation_weight, &s->posture,
                             s->A);
        if (free_joints(s, box, q, r) <= ROUNDING * s->arm->reach * norm)
            break;
        memcpy(left, r, sizeof left);
        box_step(s, box, q, mu * norm * norm, left, step);
        for (size_t k = 0; k < s->joints; k++)
            trial[k] = clamped(box, k, q[k] + step[k]);
        double predicted = norm * norm - rm2i_dot(s->rows, left, left);
        double next = residual_at(s, target, trial, trial_r), actual = norm * norm - next * next;
        moved = predicted > 0 && actual > 1e-4 * predicted;
        mu = moved ? next_mu(mu, actual / predicted) : 8 * mu;
        if (!moved)
            continue;
        memcpy(q, trial, s->joints * sizeof *q);
        memcpy(r, trial_r, sizeof r);
        if (actual <= NO_PROGRESS * norm * norm)
            break;
        norm = next;
    }
    return residual_at(s, target, q, r);
}

/* Errors of the main task; the posture is that of q afterwards. */
static rm2_track_error main_error(rm2i_solver *s, const double *target, const double *q) {
    double r[RM2I_MAIN_ROWS];
    (void)residual_at(s, target, q, r);
    rm2_track_error e = {.position = rm2i_norm(s->task.dim, r)};
    if (s->task.orientation)
        e.orientation = rm2i_norm(3, r + s->task.dim) / s->settings.orientation_weight;
    e.missed = !(e.position <= s->settings.position_tolerance &&
                 e.orientation <= s->settings.orientation_tolerance);
    return e;
}

bool rm2i_reached(rm2i_solver *s, const double *target, const double *q) {
    return !main_error(s, target, q).missed;
}

rm2_status rm2i_measure(rm2i_solver *s, const double *target, const double *q,
                        rm2_track_error *error) {
    double c[RM2I_ELLIPSOID_ROWS];
    *error = main_error(s, target, q);
    if (!s->task.ellipsoid)
        return RM2_OK;
    const rm2i_ellipsoid_query query = {&s->task, target, s->joints, s->floor, &s->posture};
    rm2_status status = rm2i_ellipsoid_residual(&query, c, NULL, s->work);
    if (status != RM2_OK)
        return rm2i_fail(s->ctx, status, "the distance between ellipsoids cannot be computed");
    error->ellipsoid = rm2i_norm(rm2_spd.dim(s->task.dim), c);
    return RM2_OK;
}

size_t rm2i_blocking_joint(rm2i_solver *s, const double *target, const double *q, bool *upper) {
    double r[RM2I_MAIN_ROWS], largest = 0;
    size_t joint = SIZE_MAX;
    (void)residual_at(s, target, q, r);
    rm2i_task_matrix(&s->task, s->joints, s->settings.orientation_weight, &s->posture, s->A);
    for (size_t k = 0; k < s->joints; k++) {
        const rm2_link *l = rm2_arm_joint(s->arm, k);
        double push = 0; /* (A^T r)_k */
        for (size_t i = 0; i < s->rows; i++)
            push += s->A[i * s->joints + k] * r[i];
        bool outwards = (push > 0 && q[k] >= l->upper) || (push < 0 && q[k] <= l->lower);
        if (!outwards || fabs(push) <= largest)
            continue;
        largest = fabs(push);
        joint = k;
        *upper = push > 0;
    }
    return joint;
}
