/* Following targets: reachable ones are met, speeds are measured, motions are reproducible, bad input is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "near.h"
#include "robot/robot.h"
#include "robot_fixture.h"

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
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&pose, N, targets, NULL}, NULL, q,
                                   errors, &info),
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
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, 3, targets[0], time},
                                   &settings, q[0], NULL, &info),
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
        assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&pose, N, targets, NULL}, NULL,
                                       q[run], NULL, NULL),
                         RM2_OK);
    }
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_true(memcmp(q[0], q[2], sizeof q[0]) != 0);
    rm2_arm_free(arm);
}

static void bad_input_is_refused(void **state) {
    (void)state;
    rm2_arm *arm = stiff_arm(), *panda = open_arm("panda");
    const double good[4] = {1, 1, 1, 1}, late[2] = {1, 1}, outside[2] = {0, 2};
    double q[2 * JOINTS];
    refuses(rm2_arm_track(ctx, arm,
                          &(rm2_arm_targets){&position, 2, (double[]){1, 1, NAN, 1}, NULL}, NULL, q,
                          NULL, NULL),
            RM2_ERR_DATA, "target 1 has a number that is not finite");
    refuses(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, 1, (double[]){1, -1e60}, NULL},
                          NULL, q, NULL, NULL),
            RM2_ERR_DATA, "target 0 is 1e+60 away");
    refuses(
        rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, 0, good, NULL}, NULL, q, NULL, NULL),
        RM2_ERR_ARGUMENT, "no targets");
    refuses(
        rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, 2, good, late}, NULL, q, NULL, NULL),
        RM2_ERR_DATA, "target 1: time 1 does not come after 1");
    refuses(rm2_arm_track(ctx, panda,
                          &(rm2_arm_targets){&pose, 1, (double[]){0, 0, 0, 1, 1, 0, 0}, NULL}, NULL,
                          q, NULL, NULL),
            RM2_ERR_DATA, "quaternion of length 1.41421356");
    refuses(rm2_arm_track(ctx, arm,
                          &(rm2_arm_targets){&profile, 1, (double[]){1, 1, 1, 2, 2, 1}, NULL}, NULL,
                          q, NULL, NULL),
            RM2_ERR_DATA, "not positive definite");
    refuses(rm2_arm_track(
                ctx, arm,
                &(rm2_arm_targets){&(rm2_arm_task){.dim = 3, .ellipsoid = true}, 1, good, NULL},
                NULL, q, NULL, NULL),
            RM2_ERR_UNSUPPORTED, "moves in a plane");
    refuses(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&(rm2_arm_task){.dim = 1}, 1, good, NULL},
                          NULL, q, NULL, NULL),
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
    s.searches = 0;
    refuses(rm2_arm_solve(ctx, arm, &position, good, &s, q, NULL), RM2_ERR_ARGUMENT, "searches");
    assert_int_equal(rm2_arm_solve(NULL, arm, &position, good, NULL, q, NULL), RM2_ERR_ARGUMENT);
    rm2_context_interrupt(ctx);
    refuses(
        rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, 2, good, NULL}, NULL, q, NULL, NULL),
        RM2_INTERRUPTED, "interrupted");
    rm2_arm_free(panda);
    rm2_arm_free(arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FRESH_CONTEXT(damped_steps_solve_their_problem),
        WITH_FRESH_CONTEXT(the_panda_follows_what_it_can_reach),
        WITH_FRESH_CONTEXT(speeds_are_measured),
        WITH_FRESH_CONTEXT(the_same_seed_gives_the_same_motion),
        WITH_FRESH_CONTEXT(bad_input_is_refused),
    };
    return cmocka_run_group_tests_name("robot_track", tests, NULL, NULL);
}
