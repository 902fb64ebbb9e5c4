/* The null space: ellipsoids are met where they can be, limits of angles and speeds are kept, and the best
 * of several ways through the targets is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "near.h"
#include "robot_fixture.h"

/* ---- ellipsoids ----------------------------------------------------------------------------- */

/* Positions and ellipsoids of a motion of the same arm, from its own start: both can be met, and
 * are, since the null space's problem has a solution with h = 0. */
static void ellipsoids_of_a_motion_are_met_in_the_null_space(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1,1,1");
    double made[N * 4], targets[N * 6], q[N * 4], at[7];
    rm2_track_error errors[N] = {{.size = sizeof *errors}};
    rm2_track_settings settings = rm2_track_settings_default();
    smooth_motion(arm, N, made);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(rm2_arm_pose(ctx, arm, 1, made + 4 * i, at), RM2_OK);
        memcpy(targets + 6 * i, at, 2 * sizeof *at);
        assert_int_equal(rm2_arm_manipulability(ctx, arm, 2, 1, made + 4 * i, targets + 6 * i + 2),
                         RM2_OK);
    }
    settings.start = made;
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&profile, N, targets, NULL},
                                   &settings, q, errors, NULL),
                     RM2_OK);
    for (size_t i = 0; i < N; i++) {
        assert_near(errors[i].position, 0, 1e-11);
        assert_near(errors[i].ellipsoid, 0, 1e-6); /* |c|^2 stops falling by 1e-9 of itself */
    }
    settings.null_step = 0; /* without the null space they are not */
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&profile, N, targets, NULL},
                                   &settings, q, errors, NULL),
                     RM2_OK);
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
    rm2_track_error error = {.size = sizeof error};
    assert_int_equal(rm2_manifold_create(ctx, "SPD2", &spd), RM2_OK);
    assert_int_equal(rm2_arm_solve(ctx, arm, &profile, target, NULL, q, &error), RM2_OK);
    assert_false(error.missed);
    assert_int_equal(rm2_arm_manipulability(ctx, arm, 2, 1, q, M), RM2_OK);
    assert_int_equal(rm2_manifold_distance(ctx, spd, 1, M, 1, target + 2, &d), RM2_OK);
    assert_near(error.ellipsoid, d, 1e-9); /* 1e-12 of the squared reach is added to M */
    rm2_manifold_free(spd);
    rm2_arm_free(arm);
}

/* The straight arm's ellipsoid is a line: its distance is large and finite, and falls from there. */
static void a_stretched_arm_has_an_ellipsoid(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1,1,1");
    const double start[4] = {0, 0, 0, 0};
    const double targets[3 * 6] = {4, 0, 2, 0, 0, 3, 4, 0, 2, 0, 0, 3, 2, 1, 2, 0, 0, 3};
    double q[3 * 4];
    rm2_track_error errors[3] = {{.size = sizeof *errors}};
    rm2_track_settings settings = rm2_track_settings_default();
    settings.start = start;
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&profile, 3, targets, NULL},
                                   &settings, q, errors, NULL),
                     RM2_OK);
    inside_limits(arm, 3, q);
    assert_true(errors[0].ellipsoid > 5 && errors[0].ellipsoid < 40);
    assert_near(errors[2].position, 0, 1e-9);
    assert_true(errors[2].ellipsoid < errors[0].ellipsoid);
    rm2_arm_free(arm);
}

/* ---- limits --------------------------------------------------------------------------------- */

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
    rm2_track_info info = {.size = sizeof info};
    rm2_track_settings settings = rm2_track_settings_default();
    smooth_motion(arm, N, made);
    assert_int_equal(rm2_arm_pose(ctx, arm, N, made, targets), RM2_OK);
    settings.start = made;
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&pose, N, targets, NULL}, &settings,
                                   with, NULL, &info),
                     RM2_OK);
    assert_int_equal(info.missed, 0);
    settings.null_step = 0;
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&pose, N, targets, NULL}, &settings,
                                   without, NULL, &info),
                     RM2_OK);
    assert_int_equal(info.missed, 0);
    assert_true(off_middle(arm, N, with) < off_middle(arm, N, without));

    for (size_t i = 0; i < N; i++)
        time[i] = 0.2 * (double)i; /* made: 0.05 rad a step, 0.25 rad/s */
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&pose, N, targets, time}, &settings,
                                   without, NULL, &info),
                     RM2_OK);
    double needed = info.stretch;
    assert_true(needed < 1);
    settings.null_step = 1;
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&pose, N, targets, time}, &settings,
                                   with, NULL, &info),
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
    rm2_track_error errors[POINTS] = {{.size = sizeof *errors}};
    rm2_track_info info = {.size = sizeof info};
    for (size_t i = 0; i < POINTS; i++) {
        targets[i][0] = 0.5;
        targets[i][1] = 1.5;
        memcpy(targets[i] + 2, i < 3 ? before : after, sizeof before);
        time[i] = 0.01 * (double)i;
    }
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&profile, POINTS, targets[0], time},
                                   NULL, q[0], errors, &info),
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
        rm2_track_error error = {.size = sizeof error};
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

/* ---- starts --------------------------------------------------------------------------------- */

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
    rm2_track_error errors[N] = {{.size = sizeof *errors}};
    rm2_track_settings one = rm2_track_settings_default();
    smooth_motion(arm, N, made);
    for (size_t i = 0; i < N; i++) { /* ellipsoids that this arm does not have at these places */
        assert_int_equal(rm2_arm_pose(ctx, arm, 1, made + 4 * i, at), RM2_OK);
        memcpy(targets + 6 * i, (double[]){at[0], at[1], 5, 1, 1, 2}, 6 * sizeof *targets);
    }
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&profile, N, targets, NULL}, NULL,
                                   q, errors, NULL),
                     RM2_OK);
    double best = sum_of_squares(N, errors), worst = 0;
    one.searches = 1;
    for (uint64_t seed = 0; seed < 8; seed++) {
        rm2_context_set_seed(ctx, seed);
        assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&profile, N, targets, NULL},
                                       &one, q, errors, NULL),
                         RM2_OK);
        assert_true(best <= sum_of_squares(N, errors) * 1.001);
        worst = fmax(worst, sum_of_squares(N, errors));
    }
    assert_true(worst > 1.1 * best); /* there are worse ones, or this shows nothing */
    rm2_arm_free(arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FRESH_CONTEXT(ellipsoids_of_a_motion_are_met_in_the_null_space),
        WITH_FRESH_CONTEXT(ellipsoid_errors_are_distances),
        WITH_FRESH_CONTEXT(a_stretched_arm_has_an_ellipsoid),
        WITH_FRESH_CONTEXT(the_null_space_keeps_away_from_limits),
        WITH_FRESH_CONTEXT(the_null_space_keeps_speed_limits),
        WITH_FRESH_CONTEXT(the_null_space_goes_along_limits),
        WITH_FRESH_CONTEXT(the_best_start_is_kept),
    };
    return cmocka_run_group_tests_name("robot_null_space", tests, NULL, NULL);
}
