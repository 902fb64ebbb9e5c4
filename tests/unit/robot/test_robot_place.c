/* Placing trajectories: moved, scaled and turned, within reach where that can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "near.h"
#include "robot_fixture.h"

/* A quarter turn about z sends x to y; ellipsoids swap their axes. */
static void placements_move_scale_and_turn(void **state) {
    (void)state;
    rm2_placement p = {.size = sizeof p,
                       .scale = 2,
                       .offset = {10, 20, 30},
                       .rotation = {sqrt(0.5), 0, 0, sqrt(0.5)},
                       .ellipsoid_scale = 3};
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
    refuses(rm2_arm_place(ctx, &profile, &p, 1, flat), RM2_ERR_ARGUMENT,
            "settings.scale is 0, expected a positive number");
    refuses(rm2_arm_place(ctx, &(rm2_arm_task){.dim = 7}, &p, 1, flat), RM2_ERR_ARGUMENT, "got 7");
}

/* What is within reach stays; the same in millimetres and far away comes within reach, all of it. */
static void auto_places_are_within_reach(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("panda");
    double made[N * JOINTS], targets[N * 7], q[N * JOINTS];
    bool found;
    rm2_placement p = rm2_placement_default();
    rm2_track_info info = {.size = sizeof info};
    smooth_motion(arm, N, made);
    assert_int_equal(rm2_arm_pose(ctx, arm, N, made, targets), RM2_OK);
    assert_int_equal(
        rm2_arm_place_auto(ctx, arm, &(rm2_arm_targets){&pose, N, targets, NULL}, NULL, &p, &found),
        RM2_OK);
    assert_true(found);
    assert_near(p.scale, 1, 0);
    assert_near(fabs(p.offset[0]) + fabs(p.offset[1]) + fabs(p.offset[2]), 0, 0);
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 3; k++)
            targets[7 * i + k] = 1000 * targets[7 * i + k] + 5000;
    assert_int_equal(
        rm2_arm_place_auto(ctx, arm, &(rm2_arm_targets){&pose, N, targets, NULL}, NULL, &p, &found),
        RM2_OK);
    assert_true(found);
    assert_int_equal(rm2_arm_place(ctx, &pose, &p, N, targets), RM2_OK);
    assert_int_equal(
        rm2_arm_track(ctx, arm, &(rm2_arm_targets){&pose, N, targets, NULL}, NULL, q, NULL, &info),
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
    assert_int_equal(rm2_arm_place_auto(ctx, arm, &(rm2_arm_targets){&flat_pose, 1, upright, NULL},
                                        NULL, &p, &found),
                     RM2_OK);
    assert_false(found);
    assert_true(isfinite(p.scale) && p.scale > 0 && isfinite(p.offset[0]));
    assert_int_equal(rm2_arm_place_auto(ctx, arm, &(rm2_arm_targets){&position, 1, level, NULL},
                                        NULL, &p, &found),
                     RM2_OK);
    assert_true(found);
    assert_near(p.scale, 1, 0);
    assert_true(hypot(9 + p.offset[0], 9 + p.offset[1]) <= 2);
    rm2_arm_free(arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FRESH_CONTEXT(placements_move_scale_and_turn),
        WITH_FRESH_CONTEXT(auto_places_are_within_reach),
        WITH_FRESH_CONTEXT(hopeless_places_are_told),
    };
    return cmocka_run_group_tests_name("robot_place", tests, NULL, NULL);
}
