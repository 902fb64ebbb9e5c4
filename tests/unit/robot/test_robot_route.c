/* Motions found by searching the whole trajectory, causes where there is none, chains with prismatic joints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "front/base.h"
#include "near.h"
#include "robot/robot.h"
#include "robot_fixture.h"

/* ---- paths that an arm can follow ------------------------------------------------------------ */

/* Through four random configurations near the limits, by minimum-jerk steps: a path that the arm can follow, as it
 * has made it. */
static void wide_motion(const rm2_arm *arm, size_t n, double *q) {
    enum { VIA = 4 };
    rm2_rng *rng = rm2_context_rng(ctx);
    double via[VIA][JOINTS];
    for (size_t v = 0; v < VIA; v++)
        for (size_t k = 0; k < JOINTS; k++) {
            const rm2_link *l = rm2_arm_joint(arm, k);
            double half = (l->upper - l->lower) / 2;
            via[v][k] = l->lower + half + 0.97 * half * (2 * rm2_rng_uniform(rng) - 1);
        }
    for (size_t i = 0; i < n; i++) {
        double s = (double)(i * (VIA - 1)) / (double)(n - 1);
        size_t v = s < VIA - 1 ? (size_t)s : VIA - 2;
        double u = s - (double)v, w = u * u * u * (10 - 15 * u + 6 * u * u);
        for (size_t k = 0; k < JOINTS; k++)
            q[i * JOINTS + k] = via[v][k] + w * (via[v + 1][k] - via[v][k]);
    }
}

/* Every one of twelve is followed, without a jump. Following alone misses points of some of them: what the
 * search is for. */
static void what_an_arm_did_it_can_follow(void **state) {
    (void)state;
    enum { POINTS = 120, PATHS = 12 };
    rm2_arm *arm = open_arm("panda");
    double made[POINTS * JOINTS], targets[POINTS * 7], q[POINTS * JOINTS];
    size_t failed_alone = 0;
    rm2_track_settings alone = rm2_track_settings_default();
    alone.stations = 0;
    for (size_t path = 0; path < PATHS; path++) {
        rm2_track_error errors[POINTS] = {{.size = sizeof *errors}};
        rm2_track_info info = {.size = sizeof info};
        const rm2_arm_targets all = {&pose, POINTS, targets, NULL};
        wide_motion(arm, POINTS, made);
        assert_int_equal(rm2_arm_pose(ctx, arm, POINTS, made, targets), RM2_OK);
        assert_int_equal(rm2_arm_track(ctx, arm, &all, &alone, q, NULL, &info), RM2_OK);
        failed_alone += info.missed + info.jumps > 0;
        assert_int_equal(rm2_arm_track(ctx, arm, &all, NULL, q, errors, &info), RM2_OK);
        if (info.missed + info.jumps > 0)
            fail_msg("path %zu: %zu missed, %zu jumps", path, info.missed, info.jumps);
        assert_int_equal(info.cause, RM2_TRACK_NOT_MISSED);
        assert_true(info.largest_step <= 0.5);
        inside_limits(arm, POINTS, q);
        errors_are_true(arm, &pose, POINTS, targets, q, errors);
    }
    assert_true(failed_alone > 0);
    rm2_arm_free(arm);
}

/* From a start that is given, the first configuration is the one that reaches the first target from there. */
static void a_given_start_is_kept(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("panda");
    double made[N * JOINTS], targets[N * 7], q[N * JOINTS];
    rm2_track_settings settings = rm2_track_settings_default();
    rm2_track_info info = {.size = sizeof info};
    for (size_t path = 0; path < 4; path++) {
        wide_motion(arm, N, made);
        assert_int_equal(rm2_arm_pose(ctx, arm, N, made, targets), RM2_OK);
        settings.start = made;
        settings.null_step = 0; /* nothing moves the first configuration */
        assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&pose, N, targets, NULL},
                                       &settings, q, NULL, &info),
                         RM2_OK);
        for (size_t k = 0; k < JOINTS; k++)
            assert_near(q[k], made[k], 1e-9);
        assert_int_equal(info.missed, 0);
        settings.null_step = 0.1;
    }
    rm2_arm_free(arm);
}

/* ---- paths that it cannot -------------------------------------------------------------------- */

/* Two links of length 1, the first within -3.2 .. 3.2: a circle of radius 1.5 across the back can be reached everywhere, from
 * one side or the other, but not passed through: q1 = angle - 0.7227 meets 3.2. */
static void a_joint_in_the_way_is_named(void **state) {
    (void)state;
    const rm2_link links[] = {{0, 0, 0, 0, -3.2, 3.2, INFINITY},
                              {1, 0, 0, 0, 0.1, 3, INFINITY},
                              {1, 0, 0, 0, 0, 0, INFINITY}};
    rm2_arm *arm = NULL;
    double targets[N][2], q[N * 2];
    rm2_track_info info = {.size = sizeof info};
    assert_int_equal(rm2_arm_create(ctx, "back", links, 3, &arm), RM2_OK);
    for (size_t i = 0; i < N; i++) {
        double angle = 2.5 + 2.5 * (double)i / (N - 1);
        targets[i][0] = 1.5 * cos(angle);
        targets[i][1] = 1.5 * sin(angle);
    }
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, N, targets[0], NULL},
                                   NULL, q, NULL, &info),
                     RM2_OK);
    inside_limits(arm, N, q);
    assert_true(info.missed > 0);
    assert_int_equal(info.cause, RM2_TRACK_WAY);
    assert_int_equal(info.cause_joint, 0);
    assert_near(info.cause_limit, 3.2, 0);
    double bend = acos(1.5 * 1.5 / 2 - 1); /* of the elbow at radius 1.5: |x|^2 = 2 + 2 cos */
    double meets = (3.2 + bend / 2 - 2.5) / 2.5 * (N - 1);
    assert_int_equal(info.cause_target, (size_t)ceil(meets));
    rm2_arm_free(arm);
}

static rm2_track_info track_one(const rm2_arm *arm, const rm2_arm_task *task,
                                const double *target) {
    double q[RM2_ARM_MAX_LINKS];
    rm2_track_info info = {.size = sizeof info};
    assert_int_equal(
        rm2_arm_track(ctx, arm, &(rm2_arm_targets){task, 1, target, NULL}, NULL, q, NULL, &info),
        RM2_OK);
    return info;
}

static void causes_are_told_apart(void **state) {
    (void)state;
    rm2_arm *stiff = stiff_arm(), *planar = open_arm("planar:1,1,1");
    assert_int_equal(track_one(stiff, &position, (double[]){5, 0}).cause, RM2_TRACK_FAR);
    rm2_track_info info = track_one(stiff, &position, (double[]){-1, 0.2});
    assert_int_equal(info.cause, RM2_TRACK_LIMIT);
    assert_true(info.cause_joint < 2);
    assert_near(fabs(info.cause_limit), 1, 0);
    /* an arm in the plane cannot tilt its tip */
    info = track_one(planar, &pose, (double[]){1, 1, 0, sqrt(0.5), sqrt(0.5), 0, 0});
    assert_int_equal(info.cause, RM2_TRACK_POSE);
    assert_true(info.cause_joint == SIZE_MAX);
    info = track_one(planar, &position, (double[]){1, 1});
    assert_int_equal(info.cause, RM2_TRACK_NOT_MISSED);
    rm2_arm_free(stiff);
    rm2_arm_free(planar);
}

/* ---- chains of frames ------------------------------------------------------------------------ */

/* Axes at odd angles, a slide between two turns. */
static rm2_arm *sliding_arm(void) {
    const rm2_frame frames[] = {
        {"turn", RM2_JOINT_REVOLUTE, {0.1, 0, 0.3}, {1, 0, 0, 0}, {0, 0, 2}, -2, 2, 1},
        {"slide", RM2_JOINT_PRISMATIC, {0, 0.2, 0}, {0.6, 0.8, 0, 0}, {1, 1, 0}, 0, 0.5, 0.2},
        {NULL, RM2_JOINT_FIXED, {0.1, 0, 0}, {0.8, 0, 0.6, 0}, {0, 0, 0}, 0, 0, 0},
        {NULL,
         RM2_JOINT_REVOLUTE,
         {0, 0, 0.4},
         {1, 0, 0, 0},
         {0, 1, 0.5},
         -INFINITY,
         INFINITY,
         INFINITY},
        {NULL, RM2_JOINT_REVOLUTE, {0.3, 0, 0.1}, {0.6, 0, 0, 0.8}, {1, 0, 0}, -1, 1, 1}};
    rm2_arm *arm = NULL;
    assert_int_equal(rm2_arm_from_frames(ctx, "sliding", frames, 5, &arm), RM2_OK);
    return arm;
}

static void chains_are_described(void **state) {
    (void)state;
    rm2_arm *arm = sliding_arm();
    assert_int_equal(rm2_arm_joints(arm), 4);
    assert_int_equal(rm2_arm_links(arm), 5);
    assert_string_equal(rm2_arm_joint_name(arm, 1), "slide");
    assert_string_equal(rm2_arm_joint_name(arm, 2), "joint3");
    assert_int_equal(rm2_arm_joint_kind(arm, 1), RM2_JOINT_PRISMATIC);
    assert_true(isnan(rm2i_arm_link(arm, 0)->a));
    assert_near(rm2_arm_joint(arm, 1)->upper, 0.5, 0);
    /* lengths of the shifts, and the slide's */
    assert_near(rm2_arm_reach(arm), sqrt(0.1) + 0.2 + 0.1 + 0.4 + sqrt(0.1) + 0.5, 1e-15);
    rm2_arm_free(arm);
    arm = open_arm("panda");
    assert_string_equal(rm2_arm_joint_name(arm, 6), "panda_joint7");
    rm2_arm_free(arm);
}

/* Columns of the Jacobian, and derivatives of the ellipsoid, against central differences. */
static void slides_move_as_differences_do(void **state) {
    (void)state;
    enum { J = 4 };
    const double h = 1e-6;
    rm2_arm *arm = sliding_arm();
    const double q[J] = {0.4, 0.2, -0.7, 0.5};
    double jacobian[6 * J], dM[J * 9];
    assert_int_equal(rm2_arm_jacobian(ctx, arm, 1, q, jacobian), RM2_OK);
    assert_int_equal(rm2_arm_manipulability_derivative(ctx, arm, 3, 1, q, dM), RM2_OK);
    for (size_t k = 0; k < J; k++) {
        double two[2][J], poses[2][7], M[2][9];
        for (int side = 0; side < 2; side++) {
            memcpy(two[side], q, sizeof q);
            two[side][k] += side ? h : -h;
        }
        assert_int_equal(rm2_arm_pose(ctx, arm, 2, two[0], poses[0]), RM2_OK);
        assert_int_equal(rm2_arm_manipulability(ctx, arm, 3, 2, two[0], M[0]), RM2_OK);
        for (size_t i = 0; i < 3; i++) /* third derivatives times h^2, and rounding over h */
            assert_near(jacobian[i * J + k], (poses[1][i] - poses[0][i]) / (2 * h), 1e-9);
        for (size_t i = 0; i < 9; i++)
            assert_near(dM[k * 9 + i], (M[1][i] - M[0][i]) / (2 * h), 1e-8);
        /* w = 2 (dr) r^-1; its first component from the quaternions' difference */
        const double *a = poses[0] + 3, *b = poses[1] + 3;
        double wx = 2 * (-b[0] * a[1] + b[1] * a[0] - b[2] * a[3] + b[3] * a[2]) / (2 * h);
        assert_near(jacobian[3 * J + k], wx, 1e-9);
    }
    for (size_t i = 3; i < 6; i++)
        assert_near(jacobian[i * J + 1], 0, 0); /* a slide does not turn */
    rm2_arm_free(arm);
}

static void slides_are_followed(void **state) {
    (void)state;
    const rm2_arm_task in_space = {.dim = 3};
    rm2_arm *arm = sliding_arm();
    double made[N * 4], poses[N * 7], targets[N * 3], q[N * 4];
    rm2_track_info info = {.size = sizeof info};
    smooth_motion(arm, N, made);
    assert_int_equal(rm2_arm_pose(ctx, arm, N, made, poses), RM2_OK);
    for (size_t i = 0; i < N; i++)
        memcpy(targets + 3 * i, poses + 7 * i, 3 * sizeof *targets);
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&in_space, N, targets, NULL}, NULL,
                                   q, NULL, &info),
                     RM2_OK);
    assert_int_equal(info.missed, 0);
    inside_limits(arm, N, q);
    rm2_arm_free(arm);
}

static void bad_frames_are_refused(void **state) {
    (void)state;
    const rm2_frame good = {"a", RM2_JOINT_REVOLUTE, {1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1}, -1, 1, 1};
    const struct {
        size_t offset;
        double value;
        const char *part;
    } cases[] = {{offsetof(rm2_frame, position), NAN, "position"},
                 {offsetof(rm2_frame, rotation), 2, "quaternion of length 1"},
                 {offsetof(rm2_frame, axis) + 2 * sizeof(double), 0, "axis"},
                 {offsetof(rm2_frame, lower), 1, "below"},
                 {offsetof(rm2_frame, speed), 0, "speed"}};
    rm2_arm *arm;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rm2_frame bad = good;
        memcpy((char *)&bad + cases[i].offset, &cases[i].value, sizeof(double));
        refuses(rm2_arm_from_frames(ctx, "bad", &bad, 1, &arm), RM2_ERR_ARGUMENT, cases[i].part);
        assert_null(arm);
    }
    rm2_frame endless = good;
    endless.kind = RM2_JOINT_PRISMATIC;
    endless.upper = INFINITY;
    refuses(rm2_arm_from_frames(ctx, "bad", &endless, 1, &arm), RM2_ERR_ARGUMENT, "finite limits");
    refuses(rm2_arm_from_frames(ctx, "bad", &good, 0, &arm), RM2_ERR_ARGUMENT, "0 links");
    rm2_track_settings settings = rm2_track_settings_default();
    double q[2];
    rm2_arm *stiff = stiff_arm();
    settings.stations = 1;
    refuses(rm2_arm_solve(ctx, stiff, &position, (double[]){1, 1}, &settings, q, NULL),
            RM2_ERR_ARGUMENT, "stations");
    rm2_arm_free(stiff);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FRESH_CONTEXT(what_an_arm_did_it_can_follow),
        WITH_FRESH_CONTEXT(a_given_start_is_kept),
        WITH_FRESH_CONTEXT(a_joint_in_the_way_is_named),
        WITH_FRESH_CONTEXT(causes_are_told_apart),
        WITH_FRESH_CONTEXT(chains_are_described),
        WITH_FRESH_CONTEXT(slides_move_as_differences_do),
        WITH_FRESH_CONTEXT(slides_are_followed),
        WITH_FRESH_CONTEXT(bad_frames_are_refused),
    };
    return cmocka_run_group_tests_name("robot_route", tests, NULL, NULL);
}
