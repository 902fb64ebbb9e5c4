/* Following targets: reachable ones are met, others as nearly as a search over all configurations
 * finds, limits hold, singular postures are harmless, the null space does what it is for; and placing
 * trajectories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "robot/robot.h"

enum { N = 60, JOINTS = 7 };

static const rm2_arm_task position = {.dim = 2}, pose = {.dim = 3, .orientation = true},
                          profile = {.dim = 2, .ellipsoid = true};
static rm2_context *ctx;

static int set_up(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int tear_down(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

static rm2_arm *open_arm(const char *spec) {
    rm2_arm *arm = NULL;
    if (rm2_arm_open(ctx, spec, &arm) != RM2_OK)
        fail_msg("%s: %s", spec, rm2_context_error(ctx));
    return arm;
}

/* Two links of length 1 that turn by at most one radian from straight. */
static rm2_arm *stiff_arm(void) {
    const rm2_link links[] = {
        {0, 0, 0, 0, -1, 1, 1}, {1, 0, 0, 0, -1, 1, 1}, {1, 0, 0, 0, 0, 0, 1}};
    rm2_arm *arm = NULL;
    assert_int_equal(rm2_arm_create(ctx, "stiff", links, 3, &arm), RM2_OK);
    return arm;
}

static void inside_limits(const rm2_arm *arm, size_t n, const double *q) {
    for (size_t i = 0; i < n * rm2_arm_joints(arm); i++) {
        const rm2_link *l = rm2_arm_joint(arm, i % rm2_arm_joints(arm));
        if (!(q[i] >= l->lower && q[i] <= l->upper) || !isfinite(q[i]))
            fail_msg("angle %zu is %.17g, limits %g to %g", i, q[i], l->lower, l->upper);
    }
}

/* Errors as they are reported, from poses: distance of positions, and angle 2 asin |q x q_d|... by
 * the chord of the quaternions, 4 asin(|q -+ q_d| / 2). */
static void errors_are_true(const rm2_arm *arm, const rm2_arm_task *task, size_t n,
                            const double *targets, const double *q, const rm2_track_error *e) {
    size_t width = rm2_arm_task_width(task);
    for (size_t i = 0; i < n; i++) {
        double at[7], square = 0, plus = 0, minus = 0;
        const double *t = targets + i * width;
        assert_int_equal(rm2_arm_pose(ctx, arm, 1, q + i * rm2_arm_joints(arm), at), RM2_OK);
        for (size_t k = 0; k < task->dim; k++)
            square += (at[k] - t[k]) * (at[k] - t[k]);
        assert_near(e[i].position, sqrt(square), 1e-14);
        for (size_t k = 3; k < 7 && task->orientation; k++) {
            plus += (at[k] + t[k]) * (at[k] + t[k]);
            minus += (at[k] - t[k]) * (at[k] - t[k]);
        }
        assert_near(e[i].orientation, 4 * asin(fmin(1, sqrt(fmin(plus, minus)) / 2)), 1e-12);
    }
}

/* Joint angles of a smooth motion in the middle of the limits. */
static void smooth_motion(const rm2_arm *arm, size_t n, double *q) {
    size_t joints = rm2_arm_joints(arm);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < joints; k++) {
            const rm2_link *l = rm2_arm_joint(arm, k);
            bool limited = isfinite(l->lower);
            double half = limited ? (l->upper - l->lower) / 2 : 1.2;
            double middle = limited ? l->lower + half : 0.7;
            double t = (double)i / (double)n;
            q[i * joints + k] = middle + 0.5 * half * sin(2 * t + 1.3 * (double)k);
        }
}

/* ---- reaching ------------------------------------------------------------------------------- */

/* Normal equations of |A x - b|^2 + damping |x|^2, from their definition. */
static void damped_steps_solve_their_problem(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("panda");
    rm2i_solver *s = NULL;
    rm2_rng *rng = rm2_context_rng(ctx);
    assert_int_equal(rm2i_solver_create(ctx, arm, &pose, NULL, &s), RM2_OK);
    const double dampings[] = {1e-6, 1e-2, 1, 100};
    for (size_t d = 0; d < 4; d++) {
        double A[6 * JOINTS], b[6], x[JOINTS];
        for (size_t i = 0; i < 6 * JOINTS; i++)
            A[i] = rm2_rng_normal(rng);
        for (size_t i = 0; i < 6; i++)
            b[i] = rm2_rng_normal(rng);
        rm2i_damped_step(s, 6, A, b, dampings[d], x);
        for (size_t k = 0; k < JOINTS; k++) {
            double gradient = dampings[d] * x[k];
            for (size_t i = 0; i < 6; i++) {
                double r = -b[i];
                for (size_t j = 0; j < JOINTS; j++)
                    r += A[i * JOINTS + j] * x[j];
                gradient += A[i * JOINTS + k] * r;
            }
            assert_near(gradient, 0, 1e-12);
        }
    }
    double zero[6 * JOINTS] = {0}, b[6] = {1, 1, 1, 1, 1, 1}, x[JOINTS];
    rm2i_damped_step(s, 6, zero, b, 0, x); /* nothing moves: no step, and no NaN */
    for (size_t k = 0; k < JOINTS; k++)
        assert_near(x[k], 0, 0);
    free(s);
    rm2_arm_free(arm);
}

static void the_panda_follows_what_it_can_reach(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("panda");
    double made[N * JOINTS], targets[N * 7], q[N * JOINTS];
    rm2_track_error errors[N];
    rm2_track_info info;
    smooth_motion(arm, N, made);
    assert_int_equal(rm2_arm_pose(ctx, arm, N, made, targets), RM2_OK);
    for (size_t i = 0; i < N; i += 2) /* the sign of a quaternion means nothing */
        for (size_t k = 3; k < 7; k++)
            targets[7 * i + k] = -targets[7 * i + k];
    assert_int_equal(rm2_arm_track(ctx, arm, &pose, N, targets, NULL, NULL, q, errors, &info),
                     RM2_OK);
    assert_int_equal(info.missed, 0);
    for (size_t i = 0; i < N; i++) { /* asked for: 1e-6; least squares goes on to rounding */
        assert_near(errors[i].position, 0, 1e-11);
        assert_near(errors[i].orientation, 0, 1e-11);
        assert_false(errors[i].missed);
    }
    errors_are_true(arm, &pose, N, targets, q, errors);
    inside_limits(arm, N, q);
    assert_true(info.largest_step < 0.5); /* the motion that was made has steps of 0.05 */
    assert_true(info.margin > 0 && isfinite(info.margin));
    assert_near(info.stretch, 0, 0);
    rm2_arm_free(arm);
}

/* Positions and ellipsoids of a motion of the same arm, from its own start: both can be met, and
 * are, since the null space's problem has a solution with h = 0. */
static void ellipsoids_of_a_motion_are_met_in_the_null_space(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1,1,1");
    double made[N * 4], targets[N * 6], q[N * 4], at[7];
    rm2_track_error errors[N];
    rm2_track_settings settings = rm2_track_settings_default();
    smooth_motion(arm, N, made);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(rm2_arm_pose(ctx, arm, 1, made + 4 * i, at), RM2_OK);
        memcpy(targets + 6 * i, at, 2 * sizeof *at);
        assert_int_equal(rm2_arm_manipulability(ctx, arm, 2, 1, made + 4 * i, targets + 6 * i + 2),
                         RM2_OK);
    }
    settings.start = made;
    assert_int_equal(
        rm2_arm_track(ctx, arm, &profile, N, targets, NULL, &settings, q, errors, NULL), RM2_OK);
    for (size_t i = 0; i < N; i++) {
        assert_near(errors[i].position, 0, 1e-11);
        assert_near(errors[i].ellipsoid, 0, 1e-6); /* |c|^2 stops falling by 1e-9 of itself */
    }
    settings.null_step = 0; /* without the null space they are not */
    assert_int_equal(
        rm2_arm_track(ctx, arm, &profile, N, targets, NULL, &settings, q, errors, NULL), RM2_OK);
    assert_near(errors[N - 1].position, 0, 1e-11);
    assert_true(errors[N - 1].ellipsoid > 0.01);
    rm2_arm_free(arm);
}

/* The reported distance of ellipsoids is the manifold's. */
static void ellipsoid_errors_are_distances(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,0.8,0.6");
    rm2_manifold *spd;
    const double target[6] = {1.1, 0.9, 4, 0.3, 0.3, 1};
    double q[3], M[4], d;
    rm2_track_error error;
    assert_int_equal(rm2_manifold_create(ctx, "SPD2", &spd), RM2_OK);
    assert_int_equal(rm2_arm_solve(ctx, arm, &profile, target, NULL, q, &error), RM2_OK);
    assert_false(error.missed);
    assert_int_equal(rm2_arm_manipulability(ctx, arm, 2, 1, q, M), RM2_OK);
    assert_int_equal(rm2_manifold_distance(ctx, spd, 1, M, 1, target + 2, &d), RM2_OK);
    assert_near(error.ellipsoid, d, 1e-9); /* 1e-12 of the squared reach is added to M */
    rm2_manifold_free(spd);
    rm2_arm_free(arm);
}

/* ---- out of reach --------------------------------------------------------------------------- */

static void far_targets_are_met_as_nearly_as_possible(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:2,1");
    const struct {
        double target[2], error;
    } cases[] = {{{5, 0}, 2}, {{-3, 4}, 2}, {{0.3, 0}, 0.7}, {{0, 0}, 1}, {{0, -1e6}, 1e6 - 3}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double q[2];
        rm2_track_error error;
        assert_int_equal(rm2_arm_solve(ctx, arm, &position, cases[k].target, NULL, q, &error),
                         RM2_OK);
        assert_true(error.missed);
        assert_near(error.position, cases[k].error, 1e-9 * fmax(1, cases[k].error));
        assert_true(isfinite(q[0]) && isfinite(q[1]));
    }
    rm2_arm_free(arm);
}

/* The arm points at what is very far, though the distance hardly depends on where it points. */
static void very_far_targets_are_pointed_at(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:2,1");
    for (int power = 2; power < 50; power += 4) {
        double far = pow(10, power), q[2], at[7];
        rm2_track_error error;
        assert_int_equal(
            rm2_arm_solve(ctx, arm, &position, (double[]){-3 * far, 4 * far}, NULL, q, &error),
            RM2_OK);
        assert_near(error.position, 5 * far - 3, 1e-11 * far);
        assert_int_equal(rm2_arm_pose(ctx, arm, 1, q, at), RM2_OK);
        assert_near(at[0], -1.8, 1e-3); /* reach over distance, 1e-4, and the flat minimum */
        assert_near(at[1], 2.4, 1e-3);
    }
    rm2_arm_free(arm);
}

/* Against all configurations of a grid of 1000 x 1000: the grid's best is at most its spacing off. */
static void limits_make_targets_far(void **state) {
    (void)state;
    enum { GRID = 1000 };
    rm2_arm *arm = stiff_arm();
    const double targets[][2] = {{0, 1.2}, {-1, 0}, {0.5, -0.2}, {1.2, 1.4}, {0.2, 1.9}, {3, 3}};
    for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++) {
        double q[2], best = INFINITY;
        rm2_track_error error;
        assert_int_equal(rm2_arm_solve(ctx, arm, &position, targets[t], NULL, q, &error), RM2_OK);
        inside_limits(arm, 1, q);
        for (int i = 0; i <= GRID; i++)
            for (int j = 0; j <= GRID; j++) {
                double a = 2.0 * i / GRID - 1, b = a + 2.0 * j / GRID - 1;
                best = fmin(
                    best, hypot(cos(a) + cos(b) - targets[t][0], sin(a) + sin(b) - targets[t][1]));
            }
        assert_true(error.position <= best + 1e-9);
        assert_near(error.position, best, 6.0 / GRID); /* |J| <= 3, half a spacing is 1/GRID */
        assert_int_equal(error.missed, error.position > 1e-6);
    }
    rm2_arm_free(arm);
}

/* Random poses near and far, most of them out of reach: finite numbers, inside the limits. */
static void limits_always_hold(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("panda");
    rm2_rng *rng = rm2_context_rng(ctx);
    double targets[N * 7], q[N * JOINTS];
    rm2_track_error errors[N];
    rm2_track_info info;
    for (size_t i = 0; i < N; i++) {
        double *t = targets + 7 * i, norm = 0;
        for (size_t k = 0; k < 7; k++)
            t[k] = (k < 3 ? 0.7 : 1) * rm2_rng_normal(rng);
        for (size_t k = 3; k < 7; k++)
            norm += t[k] * t[k];
        for (size_t k = 3; k < 7; k++)
            t[k] /= sqrt(norm);
    }
    assert_int_equal(rm2_arm_track(ctx, arm, &pose, N, targets, NULL, NULL, q, errors, &info),
                     RM2_OK);
    inside_limits(arm, N, q);
    errors_are_true(arm, &pose, N, targets, q, errors);
    size_t missed = 0;
    for (size_t i = 0; i < N; i++)
        missed += errors[i].missed;
    assert_true(missed > 0);
    assert_int_equal(info.missed, missed);
    assert_true(errors[info.worst].missed);
    assert_true(info.margin >= 0);
    rm2_arm_free(arm);
}

/* ---- singular postures ---------------------------------------------------------------------- */

/* From the straight arm to a target on its own line: A^T r = 0 though the target can be reached. */
static void a_stretched_arm_bends(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1,1");
    const double start[3] = {0, 0, 0};
    double targets[N * 2], q[N * 3];
    rm2_track_error errors[N];
    rm2_track_info info;
    rm2_track_settings settings = rm2_track_settings_default();
    settings.start = start;
    for (size_t i = 0; i < N; i++) {
        targets[2 * i] = 3.5 - 0.05 * (double)i; /* out of reach, the edge, inside */
        targets[2 * i + 1] = 0;
    }
    assert_int_equal(
        rm2_arm_track(ctx, arm, &position, N, targets, NULL, &settings, q, errors, &info), RM2_OK);
    for (size_t i = 0; i < N; i++) {
        double off = fmax(0, targets[2 * i] - 3);
        /* at the edge the error is quadratic in the angles: 1e-6 is reached at once */
        assert_near(errors[i].position, off, 1e-6);
        assert_int_equal(errors[i].missed, off > 1e-6);
    }
    inside_limits(arm, N, q);
    rm2_arm_free(arm);
}

/* The straight arm's ellipsoid is a line: its distance is large and finite, and falls from there. */
static void a_stretched_arm_has_an_ellipsoid(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1,1,1");
    const double start[4] = {0, 0, 0, 0};
    const double targets[3 * 6] = {4, 0, 2, 0, 0, 3, 4, 0, 2, 0, 0, 3, 2, 1, 2, 0, 0, 3};
    double q[3 * 4];
    rm2_track_error errors[3];
    rm2_track_settings settings = rm2_track_settings_default();
    settings.start = start;
    assert_int_equal(
        rm2_arm_track(ctx, arm, &profile, 3, targets, NULL, &settings, q, errors, NULL), RM2_OK);
    inside_limits(arm, 3, q);
    assert_true(errors[0].ellipsoid > 5 && errors[0].ellipsoid < 40);
    assert_near(errors[2].position, 0, 1e-9);
    assert_true(errors[2].ellipsoid < errors[0].ellipsoid);
    rm2_arm_free(arm);
}

/* ---- the null space, time ------------------------------------------------------------------- */

static double off_middle(const rm2_arm *arm, size_t n, const double *q) {
    double sum = 0;
    for (size_t i = 0; i < n * rm2_arm_joints(arm); i++) {
        const rm2_link *l = rm2_arm_joint(arm, i % rm2_arm_joints(arm));
        double half = (l->upper - l->lower) / 2, t = (q[i] - l->lower - half) / half;
        sum += t * t;
    }
    return sum;
}

/* From the same start, motions in the null space keep nearer to the middle of the ranges and reach
 * the same poses; with time they also keep the speed limits that the poses allow. */
static void the_null_space_keeps_away_from_limits(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("panda");
    double made[N * JOINTS], targets[N * 7], with[N * JOINTS], without[N * JOINTS], time[N];
    rm2_track_info info;
    rm2_track_settings settings = rm2_track_settings_default();
    smooth_motion(arm, N, made);
    assert_int_equal(rm2_arm_pose(ctx, arm, N, made, targets), RM2_OK);
    settings.start = made;
    assert_int_equal(rm2_arm_track(ctx, arm, &pose, N, targets, NULL, &settings, with, NULL, &info),
                     RM2_OK);
    assert_int_equal(info.missed, 0);
    settings.null_step = 0;
    assert_int_equal(
        rm2_arm_track(ctx, arm, &pose, N, targets, NULL, &settings, without, NULL, &info), RM2_OK);
    assert_int_equal(info.missed, 0);
    assert_true(off_middle(arm, N, with) < off_middle(arm, N, without));

    for (size_t i = 0; i < N; i++)
        time[i] = 0.2 * (double)i; /* made: 0.05 rad a step, 0.25 rad/s */
    assert_int_equal(
        rm2_arm_track(ctx, arm, &pose, N, targets, time, &settings, without, NULL, &info), RM2_OK);
    double needed = info.stretch;
    assert_true(needed < 1);
    settings.null_step = 1;
    assert_int_equal(rm2_arm_track(ctx, arm, &pose, N, targets, time, &settings, with, NULL, &info),
                     RM2_OK);
    assert_true(info.stretch <= 1 + 1e-12);
    rm2_arm_free(arm);
}

/* The ellipsoid that is wanted turns at once while the tip stays: the null space follows as fast as
 * the speed limits allow, though null_step would allow ten times as much. */
static void the_null_space_keeps_speed_limits(void **state) {
    (void)state;
    enum { POINTS = 200 };
    rm2_link links[5];
    for (size_t i = 0; i < 5; i++)
        links[i] = (rm2_link){i ? 1 : 0, 0, 0, 0, -3, i < 4 ? 3 : -3, 1};
    rm2_arm *arm = NULL;
    assert_int_equal(rm2_arm_create(ctx, "four", links, 5, &arm), RM2_OK);
    double targets[POINTS][6], time[POINTS], q[POINTS][4];
    const double before[4] = {3, 1, 1, 2}, after[4] = {3, -1, -1, 2};
    rm2_track_error errors[POINTS];
    rm2_track_info info;
    for (size_t i = 0; i < POINTS; i++) {
        targets[i][0] = 0.5;
        targets[i][1] = 1.5;
        memcpy(targets[i] + 2, i < 3 ? before : after, sizeof before);
        time[i] = 0.01 * (double)i;
    }
    assert_int_equal(
        rm2_arm_track(ctx, arm, &profile, POINTS, targets[0], time, NULL, q[0], errors, &info),
        RM2_OK);
    assert_int_equal(info.missed, 0);
    inside_limits(arm, POINTS, q[0]);
    assert_true(info.stretch > 0.9 && info.stretch <= 1 + 1e-9); /* at the limit, rounding apart */
    assert_true(errors[POINTS - 1].ellipsoid < 0.5 * errors[3].ellipsoid);
    rm2_arm_free(arm);
}

/* Distance of the ellipsoid at q from the one that is wanted; infinite beyond the limits. */
static double distance_at(const rm2_arm *arm, const rm2_manifold *spd, const double *target,
                          const double q[4]) {
    double M[4], d;
    for (size_t k = 0; k < 4; k++)
        if (fabs(q[k]) > rm2_arm_joint(arm, k)->upper)
            return INFINITY;
    assert_int_equal(rm2_arm_manipulability(ctx, arm, 2, 1, q, M), RM2_OK);
    assert_int_equal(rm2_manifold_distance(ctx, spd, 1, M, 1, target + 2, &d), RM2_OK);
    return d;
}

/* Four links of length 1: the first two angles from a grid, the others in closed form, elbow up and
 * down, are all configurations that reach a target. */
static double best_of_grid(const rm2_arm *arm, const rm2_manifold *spd, const double *target) {
    enum { GRID = 300 };
    double limit = rm2_arm_joint(arm, 0)->upper, best = INFINITY;
    for (int i = 0; i <= GRID; i++)
        for (int j = 0; j <= GRID; j++) {
            double a = limit * (2.0 * i / GRID - 1), b = limit * (2.0 * j / GRID - 1);
            double x = target[0] - cos(a) - cos(a + b), y = target[1] - sin(a) - sin(a + b);
            double bend = 2 * acos(hypot(x, y) / 2); /* NaN out of reach */
            if (isnan(bend))
                continue;
            for (int side = -1; side <= 1; side += 2) {
                double third = remainder(atan2(y, x) - side * bend / 2 - a - b, 8 * atan(1));
                const double q[4] = {a, b, third, side * bend};
                best = fmin(best, distance_at(arm, spd, target, q));
            }
        }
    return best;
}

static void the_null_space_goes_along_limits(void **state) {
    (void)state;
    rm2_link links[5];
    for (size_t i = 0; i < 5; i++)
        links[i] = (rm2_link){i ? 1 : 0, 0, 0, 0, -1.2, i < 4 ? 1.2 : -1.2, 1};
    links[4].theta = 1.2;
    rm2_arm *arm = NULL;
    rm2_manifold *spd;
    assert_int_equal(rm2_arm_create(ctx, "four", links, 5, &arm), RM2_OK);
    assert_int_equal(rm2_manifold_create(ctx, "SPD2", &spd), RM2_OK);
    const double targets[][6] = {{2.2, 1, 9, 0, 0, 1},
                                 {2.2, 1, 1, 0, 0, 9},
                                 {1.5, -1.5, 5, 3, 3, 4},
                                 {2.8, 0, 8, -2, -2, 8}};
    for (size_t t = 0; t < 4; t++) {
        double q[4], at_limit = 0;
        rm2_track_error error;
        assert_int_equal(rm2_arm_solve(ctx, arm, &profile, targets[t], NULL, q, &error), RM2_OK);
        assert_false(error.missed);
        inside_limits(arm, 1, q);
        for (size_t k = 0; k < 4; k++)
            at_limit = fmax(at_limit, fabs(q[k]));
        assert_int_equal(fabs(at_limit - 1.2) < 1e-9, t < 3); /* the last one needs no limit */
        assert_true(error.ellipsoid <= best_of_grid(arm, spd, targets[t]) + 1e-6);
    }
    rm2_manifold_free(spd);
    rm2_arm_free(arm);
}

static double sum_of_squares(size_t n, const rm2_track_error *e) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += e[i].ellipsoid * e[i].ellipsoid;
    return sum;
}

/* Several ways through the targets are tried, and the best is kept: no worse than single ones. */
static void the_best_start_is_kept(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1,1,1");
    double made[N * 4], targets[N * 6], q[N * 4], at[7];
    rm2_track_error errors[N];
    rm2_track_settings one = rm2_track_settings_default();
    smooth_motion(arm, N, made);
    for (size_t i = 0; i < N; i++) { /* ellipsoids that this arm does not have at these places */
        assert_int_equal(rm2_arm_pose(ctx, arm, 1, made + 4 * i, at), RM2_OK);
        memcpy(targets + 6 * i, (double[]){at[0], at[1], 5, 1, 1, 2}, 6 * sizeof *targets);
    }
    assert_int_equal(rm2_arm_track(ctx, arm, &profile, N, targets, NULL, NULL, q, errors, NULL),
                     RM2_OK);
    double best = sum_of_squares(N, errors), worst = 0;
    one.starts = 1;
    for (uint64_t seed = 0; seed < 8; seed++) {
        rm2_context_set_seed(ctx, seed);
        assert_int_equal(rm2_arm_track(ctx, arm, &profile, N, targets, NULL, &one, q, errors, NULL),
                         RM2_OK);
        assert_true(best <= sum_of_squares(N, errors) * 1.001);
        worst = fmax(worst, sum_of_squares(N, errors));
    }
    assert_true(worst > 1.1 * best); /* there are worse ones, or this shows nothing */
    rm2_arm_free(arm);
}

static void speeds_are_measured(void **state) {
    (void)state;
    rm2_arm *arm = stiff_arm(); /* 1 rad/s */
    const double start[2] = {0.2, 0.5}, angles[3][2] = {{0.2, 0.5}, {0.3, 0.3}, {0.35, 0.35}};
    const double time[3] = {1, 1.1, 1.2};
    double targets[3][2], at[7], q[3][2];
    rm2_track_info info;
    rm2_track_settings settings = rm2_track_settings_default();
    settings.start = start;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rm2_arm_pose(ctx, arm, 1, angles[i], at), RM2_OK);
        memcpy(targets[i], at, sizeof targets[i]);
    }
    assert_int_equal(
        rm2_arm_track(ctx, arm, &position, 3, targets[0], time, &settings, q[0], NULL, &info),
        RM2_OK);
    for (size_t i = 0; i < 3; i++) /* two joints, two coordinates: nothing is free */
        for (size_t k = 0; k < 2; k++)
            assert_near(q[i][k], angles[i][k], 1e-9);
    assert_near(info.stretch, 2, 1e-7); /* 0.2 rad in 0.1 s, joint 2 */
    assert_int_equal(info.stretch_joint, 1);
    assert_near(info.largest_step, 0.2, 1e-8);
    assert_near(info.margin, 0.5, 1e-8);
    assert_int_equal(info.margin_joint, 1);
    rm2_arm_free(arm);
}

/* ---- determinism, refusals ------------------------------------------------------------------ */

static void the_same_seed_gives_the_same_motion(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("panda");
    double made[N * JOINTS], targets[N * 7], q[3][N * JOINTS];
    smooth_motion(arm, N, made);
    assert_int_equal(rm2_arm_pose(ctx, arm, N, made, targets), RM2_OK);
    for (size_t run = 0; run < 3; run++) {
        rm2_context_set_seed(ctx, run == 2 ? 8 : 7);
        rm2_context_set_threads(ctx, run == 0 ? 1 : 2);
        assert_int_equal(rm2_arm_track(ctx, arm, &pose, N, targets, NULL, NULL, q[run], NULL, NULL),
                         RM2_OK);
    }
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_true(memcmp(q[0], q[2], sizeof q[0]) != 0);
    rm2_arm_free(arm);
}

static void refuses(rm2_status got, rm2_status expected, const char *part) {
    assert_int_equal(got, expected);
    if (!strstr(rm2_context_error(ctx), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rm2_context_error(ctx));
}

static void bad_input_is_refused(void **state) {
    (void)state;
    rm2_arm *arm = stiff_arm(), *panda = open_arm("panda");
    const double good[4] = {1, 1, 1, 1}, late[2] = {1, 1}, outside[2] = {0, 2};
    double q[2 * JOINTS];
    refuses(
        rm2_arm_track(ctx, arm, &position, 2, (double[]){1, 1, NAN, 1}, NULL, NULL, q, NULL, NULL),
        RM2_ERR_DATA, "target 1 has a number that is not finite");
    refuses(rm2_arm_track(ctx, arm, &position, 1, (double[]){1, -1e60}, NULL, NULL, q, NULL, NULL),
            RM2_ERR_DATA, "target 0 is 1e+60 away");
    refuses(rm2_arm_track(ctx, arm, &position, 0, good, NULL, NULL, q, NULL, NULL),
            RM2_ERR_ARGUMENT, "no targets");
    refuses(rm2_arm_track(ctx, arm, &position, 2, good, late, NULL, q, NULL, NULL), RM2_ERR_DATA,
            "target 1: time 1 does not come after 1");
    refuses(rm2_arm_track(ctx, panda, &pose, 1, (double[]){0, 0, 0, 1, 1, 0, 0}, NULL, NULL, q,
                          NULL, NULL),
            RM2_ERR_DATA, "quaternion of length 1.41421356");
    refuses(rm2_arm_track(ctx, arm, &profile, 1, (double[]){1, 1, 1, 2, 2, 1}, NULL, NULL, q, NULL,
                          NULL),
            RM2_ERR_DATA, "not positive definite");
    refuses(rm2_arm_track(ctx, arm, &(rm2_arm_task){.dim = 3, .ellipsoid = true}, 1, good, NULL,
                          NULL, q, NULL, NULL),
            RM2_ERR_UNSUPPORTED, "moves in a plane");
    refuses(rm2_arm_track(ctx, arm, &(rm2_arm_task){.dim = 1}, 1, good, NULL, NULL, q, NULL, NULL),
            RM2_ERR_ARGUMENT, "2 or 3 coordinates");
    rm2_track_settings s = rm2_track_settings_default();
    s.start = outside;
    refuses(rm2_arm_solve(ctx, arm, &position, good, &s, q, NULL), RM2_ERR_ARGUMENT,
            "2 is outside the limits of joint 2");
    s = rm2_track_settings_default();
    s.position_tolerance = 0;
    refuses(rm2_arm_solve(ctx, arm, &position, good, &s, q, NULL), RM2_ERR_ARGUMENT,
            "position_tolerance must be positive");
    s = rm2_track_settings_default();
    s.null_step = NAN;
    refuses(rm2_arm_solve(ctx, arm, &position, good, &s, q, NULL), RM2_ERR_ARGUMENT, "null_step");
    s = rm2_track_settings_default();
    s.starts = 0;
    refuses(rm2_arm_solve(ctx, arm, &position, good, &s, q, NULL), RM2_ERR_ARGUMENT, "starts");
    assert_int_equal(rm2_arm_solve(NULL, arm, &position, good, NULL, q, NULL), RM2_ERR_ARGUMENT);
    rm2_context_interrupt(ctx);
    refuses(rm2_arm_track(ctx, arm, &position, 2, good, NULL, NULL, q, NULL, NULL), RM2_INTERRUPTED,
            "interrupted");
    rm2_arm_free(panda);
    rm2_arm_free(arm);
}

/* ---- placing -------------------------------------------------------------------------------- */

/* A quarter turn about z sends x to y; ellipsoids swap their axes. */
static void placements_move_scale_and_turn(void **state) {
    (void)state;
    rm2_placement p = {2, {10, 20, 30}, {sqrt(0.5), 0, 0, sqrt(0.5)}, 3};
    const rm2_arm_task all = {.dim = 3, .orientation = true, .ellipsoid = true};
    double target[16] = {1, 2, 3, 0, 1, 0, 0, 4, 1, 0, 1, 9, 2, 0, 2, 16};
    const double expected[16] = {10 - 4, 20 + 2, 30 + 6, 0,  sqrt(0.5), sqrt(0.5), 0, 27,
                                 -3,     -6,     -3,     12, 0,         -6,        0, 48};
    assert_int_equal(rm2_arm_place(ctx, &all, &p, 1, target), RM2_OK);
    for (size_t i = 0; i < 16; i++)
        assert_near(target[i], expected[i], 1e-13);
    double flat[6] = {1, 2, 4, 1, 1, 9};
    p.offset[2] = 0;
    assert_int_equal(rm2_arm_place(ctx, &profile, &p, 1, flat), RM2_OK);
    const double turned[6] = {10 - 4, 20 + 2, 27, -3, -3, 12};
    for (size_t i = 0; i < 6; i++)
        assert_near(flat[i], turned[i], 1e-13);
    p.offset[2] = 1;
    refuses(rm2_arm_place(ctx, &profile, &p, 1, flat), RM2_ERR_ARGUMENT, "in a plane");
    p.offset[2] = 0;
    p.rotation[0] = 2;
    refuses(rm2_arm_place(ctx, &profile, &p, 1, flat), RM2_ERR_ARGUMENT, "rotation of length");
    p = rm2_placement_default();
    p.scale = 0;
    refuses(rm2_arm_place(ctx, &profile, &p, 1, flat), RM2_ERR_ARGUMENT, "scales must be positive");
    refuses(rm2_arm_place(ctx, &(rm2_arm_task){.dim = 7}, &p, 1, flat), RM2_ERR_ARGUMENT, "not 7");
}

/* What is within reach stays; the same in millimetres and far away comes within reach, all of it. */
static void auto_places_are_within_reach(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("panda");
    double made[N * JOINTS], targets[N * 7], q[N * JOINTS];
    bool found;
    rm2_placement p = rm2_placement_default();
    rm2_track_info info;
    smooth_motion(arm, N, made);
    assert_int_equal(rm2_arm_pose(ctx, arm, N, made, targets), RM2_OK);
    assert_int_equal(rm2_arm_place_auto(ctx, arm, &pose, N, targets, NULL, &p, &found), RM2_OK);
    assert_true(found);
    assert_near(p.scale, 1, 0);
    assert_near(fabs(p.offset[0]) + fabs(p.offset[1]) + fabs(p.offset[2]), 0, 0);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 3; k++)
            targets[7 * i + k] = 1000 * targets[7 * i + k] + 5000;
    assert_int_equal(rm2_arm_place_auto(ctx, arm, &pose, N, targets, NULL, &p, &found), RM2_OK);
    assert_true(found);
    assert_int_equal(rm2_arm_place(ctx, &pose, &p, N, targets), RM2_OK);
    assert_int_equal(rm2_arm_track(ctx, arm, &pose, N, targets, NULL, NULL, q, NULL, &info),
                     RM2_OK);
    assert_int_equal(info.missed, 0);
    inside_limits(arm, N, q);
    rm2_arm_free(arm);
}

/* Orientations of all kinds at one place cannot be met: the best is there, and is said to be no good.
 * The same for one target, or all targets at one point, without a size. */
static void hopeless_places_are_told(void **state) {
    (void)state;
    rm2_arm *arm = stiff_arm();
    const rm2_arm_task flat_pose = {.dim = 3, .orientation = true};
    const double upright[7] = {1, 0, 0, sqrt(0.5), sqrt(0.5), 0, 0},
                 level[7] = {9, 9, 0, 1, 0, 0, 0};
    rm2_placement p = rm2_placement_default();
    bool found;
    assert_int_equal(rm2_arm_place_auto(ctx, arm, &flat_pose, 1, upright, NULL, &p, &found),
                     RM2_OK);
    assert_false(found);
    assert_true(isfinite(p.scale) && p.scale > 0 && isfinite(p.offset[0]));
    assert_int_equal(rm2_arm_place_auto(ctx, arm, &position, 1, level, NULL, &p, &found), RM2_OK);
    assert_true(found);
    assert_near(p.scale, 1, 0);
    assert_true(hypot(9 + p.offset[0], 9 + p.offset[1]) <= 2);
    rm2_arm_free(arm);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(damped_steps_solve_their_problem),
        CASE(the_panda_follows_what_it_can_reach),
        CASE(ellipsoids_of_a_motion_are_met_in_the_null_space),
        CASE(ellipsoid_errors_are_distances),
        CASE(far_targets_are_met_as_nearly_as_possible),
        CASE(very_far_targets_are_pointed_at),
        CASE(limits_make_targets_far),
        CASE(limits_always_hold),
        CASE(a_stretched_arm_bends),
        CASE(a_stretched_arm_has_an_ellipsoid),
        CASE(the_null_space_keeps_away_from_limits),
        CASE(the_null_space_keeps_speed_limits),
        CASE(the_null_space_goes_along_limits),
        CASE(the_best_start_is_kept),
        CASE(speeds_are_measured),
        CASE(the_same_seed_gives_the_same_motion),
        CASE(bad_input_is_refused),
        CASE(placements_move_scale_and_turn),
        CASE(auto_places_are_within_reach),
        CASE(hopeless_places_are_told),
    };
    return cmocka_run_group_tests_name("robot_track", tests, NULL, NULL);
}
