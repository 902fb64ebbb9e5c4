/* Targets at the edge: those out of reach are met as nearly as a search over all configurations finds,
 * limits hold, stretched arms bend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/base.h"
#include "near.h"
#include "robot_fixture.h"

/* ---- out of reach --------------------------------------------------------------------------- */

static void far_targets_are_met_as_nearly_as_possible(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:2,1");
    const struct {
        double target[2], error;
    } cases[] = {{{5, 0}, 2}, {{-3, 4}, 2}, {{0.3, 0}, 0.7}, {{0, 0}, 1}, {{0, -1e6}, 1e6 - 3}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double q[2];
        rm2_track_error error = {.size = sizeof error};
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
        rm2_track_error error = {.size = sizeof error};
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
        rm2_track_error error = {.size = sizeof error};
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
    rm2_track_error errors[N] = {{.size = sizeof *errors}};
    rm2_track_info info = {.size = sizeof info};
    for (size_t i = 0; i < N; i++) {
        double *t = targets + 7 * i, norm = 0;
        for (size_t k = 0; k < 7; k++)
            t[k] = (k < 3 ? 0.7 : 1) * rm2_rng_normal(rng);
        for (size_t k = 3; k < 7; k++)
            norm += t[k] * t[k];
        for (size_t k = 3; k < 7; k++)
            t[k] /= sqrt(norm);
    }
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&pose, N, targets, NULL}, NULL, q,
                                   errors, &info),
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
    rm2_track_error errors[N] = {{.size = sizeof *errors}};
    rm2_track_info info = {.size = sizeof info};
    rm2_track_settings settings = rm2_track_settings_default();
    settings.start = start;
    for (size_t i = 0; i < N; i++) {
        targets[2 * i] = 3.5 - 0.05 * (double)i; /* out of reach, the edge, inside */
        targets[2 * i + 1] = 0;
    }
    assert_int_equal(rm2_arm_track(ctx, arm, &(rm2_arm_targets){&position, N, targets, NULL},
                                   &settings, q, errors, &info),
                     RM2_OK);
    for (size_t i = 0; i < N; i++) {
        double off = fmax(0, targets[2 * i] - 3);
        /* at the edge the error is quadratic in the angles: 1e-6 is reached at once */
        assert_near(errors[i].position, off, 1e-6);
        assert_int_equal(errors[i].missed, off > 1e-6);
    }
    inside_limits(arm, N, q);
    rm2_arm_free(arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FRESH_CONTEXT(far_targets_are_met_as_nearly_as_possible),
        WITH_FRESH_CONTEXT(very_far_targets_are_pointed_at),
        WITH_FRESH_CONTEXT(limits_make_targets_far),
        WITH_FRESH_CONTEXT(limits_always_hold),
        WITH_FRESH_CONTEXT(a_stretched_arm_bends),
    };
    return cmocka_run_group_tests_name("robot_limits", tests, NULL, NULL);
}
