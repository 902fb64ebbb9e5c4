/* Following targets: reachable ones are met, speeds are measured, motions are reproducible, bad input is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "front/base.h"
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
    rm2_track_error errors[N] = {{.size = sizeof *errors}};
    rm2_track_info info = {.size = sizeof info};
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
    rm2_track_info info = {.size = sizeof info};
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
            RM2_ERR_DATA, "target 2 has a number that is not finite");
    refuses(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, 1, (double[]){1, -1e60}, NULL},
                          NULL, q, NULL, NULL),
            RM2_ERR_DATA, "target 1 is 1e+60 away");
    refuses(
        rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, 0, good, NULL}, NULL, q, NULL, NULL),
        RM2_ERR_ARGUMENT, "no targets");
    refuses(
        rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, 2, good, late}, NULL, q, NULL, NULL),
        RM2_ERR_DATA, "target 2: time 1 does not come after 1");
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
            "settings.position_tolerance is 0, expected a positive number");
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

/* ---- with time -------------------------------------------------------------------------------- */

enum { STEPS = 40 };

/* One link of length 1 turned step by step, with a gap before point 20. */
static void turned_link(double step, double gap, double *targets) {
    double angle = -1;
    for (size_t i = 0; i < STEPS; i++) {
        angle += i == 20 ? gap : step;
        targets[2 * i] = cos(angle);
        targets[2 * i + 1] = sin(angle);
    }
}

static rm2_track_info turn(double step, double gap, double dt) {
    const rm2_link links[] = {{.lower = -3, .upper = 3, .speed = 2}, {.a = 1, .speed = INFINITY}};
    double targets[2 * STEPS], time[STEPS], q[STEPS];
    rm2_arm *arm;
    rm2_track_info info = {.size = sizeof info};
    turned_link(step, gap, targets);
    for (size_t i = 0; i < STEPS; i++)
        time[i] = dt * (double)i;
    assert_int_equal(rm2_arm_create(ctx, "one", links, 2, &arm), RM2_OK);
    const rm2_arm_targets all = {&position, STEPS, targets, dt > 0 ? time : NULL};
    assert_int_equal(rm2_arm_track(ctx, arm, &all, NULL, q, NULL, &info), RM2_OK);
    rm2_arm_free(arm);
    return info;
}

/* At most 2 radians a second. A gap of 0.3 rad is no jump where times are unknown, nor in half a second; in 0.01 s
 * it is one, and not because time could be stretched: all other steps are thirty times slower. Where all are too fast,
 * none is a jump. */
static void jumps_are_judged_by_time(void **state) {
    (void)state;
    assert_int_equal(turn(0.01, 0.3, 0).jumps, 0);
    assert_int_equal(turn(0.01, 0.3, 0.5).jumps, 0);
    rm2_track_info info = turn(0.01, 0.3, 0.01);
    assert_int_equal(info.jumps, 1);
    assert_int_equal(info.jump_target, 20);
    assert_int_equal(info.jump_joint, 0);
    assert_int_equal(turn(0.01, 0.6, 0).jumps, 1);
    assert_int_equal(turn(0.01, 0.6, 0.5).jumps, 0); /* within the speed limit */
    assert_int_equal(turn(0.01, 1.2, 10).jumps, 1);  /* but never so far */
    info = turn(0.05, 0.05, 0.001);
    assert_int_equal(info.jumps, 0);
    assert_near(info.stretch, 25, 1e-6);
}

/* Velocities against the cubic that they make: it stays between neighbours, its largest speed is the one that is told, and for
 * samples of sin t they are its derivative. */
static void velocities_make_a_spline(void **state) {
    (void)state;
    enum { DENSE = 200 };
    rm2_arm *arm = stiff_arm();
    double q[2 * STEPS], time[STEPS], v[2 * STEPS], stretch, most = 0;
    for (size_t i = 0; i < STEPS; i++) {
        time[i] = 0.1 * (double)i + 0.03 * sin((double)i);
        q[2 * i] = sin(time[i]);
        q[2 * i + 1] = rm2_rng_uniform(rm2_context_rng(ctx));
    }
    assert_int_equal(rm2_arm_velocities(ctx, arm, STEPS, q, time, v, &stretch), RM2_OK);
    for (size_t i = 1; i + 1 < STEPS; i++)
        if (fabs(cos(time[i])) > 0.2)
            assert_near(v[2 * i], cos(time[i]), 0.02);
    for (size_t k = 0; k < 2; k++) {
        assert_near(v[k], 0, 0);
        assert_near(v[2 * (STEPS - 1) + k], 0, 0);
        for (size_t i = 0; i + 1 < STEPS; i++) {
            double h = time[i + 1] - time[i], a = q[2 * i + k], b = q[2 * i + 2 + k], before = a;
            for (size_t j = 1; j <= DENSE; j++) {
                double u = (double)j / DENSE;
                double at =
                    a * (1 + 2 * u) * (1 - u) * (1 - u) + b * u * u * (3 - 2 * u) +
                    h * (v[2 * i + k] * u * (1 - u) * (1 - u) + v[2 * i + 2 + k] * u * u * (u - 1));
                assert_true(at >= fmin(a, b) - 1e-12 && at <= fmax(a, b) + 1e-12);
                most = fmax(most, fabs(at - before) / (h / DENSE) / rm2_arm_joint(arm, k)->speed);
                before = at;
            }
        }
    }
    assert_true(most <= stretch * (1 + 1e-9) && most >= stretch * (1 - 1e-3));
    time[3] = time[2];
    refuses(rm2_arm_velocities(ctx, arm, STEPS, q, time, v, NULL), RM2_ERR_DATA,
            "configuration 3: time");
    rm2_arm_free(arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FRESH_CONTEXT(damped_steps_solve_their_problem),
        WITH_FRESH_CONTEXT(the_panda_follows_what_it_can_reach),
        WITH_FRESH_CONTEXT(speeds_are_measured),
        WITH_FRESH_CONTEXT(the_same_seed_gives_the_same_motion),
        WITH_FRESH_CONTEXT(bad_input_is_refused),
        WITH_FRESH_CONTEXT(jumps_are_judged_by_time),
        WITH_FRESH_CONTEXT(velocities_make_a_spline),
    };
    return cmocka_run_group_tests_name("robot_track", tests, NULL, NULL);
}
