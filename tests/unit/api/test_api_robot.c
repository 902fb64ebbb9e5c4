/* robot.h: arguments that are missing are named. */
#include "api.h"

static void arms(void **state) {
    rm2_context *ctx = *state;
    rm2_link link = {.a = 1, .lower = -1, .upper = 1, .speed = 1};
    rm2_arm *arm;
    NO_CONTEXT(rm2_arm_create(NULL, "arm", &link, 1, &arm));
    MISSING("arm", rm2_arm_create(ctx, "arm", &link, 1, NULL));
    MISSING("name", rm2_arm_create(ctx, NULL, &link, 1, &arm));
    MISSING("links", rm2_arm_create(ctx, "arm", NULL, 1, &arm));
    assert_null(arm);
    NO_CONTEXT(rm2_arm_read(NULL, "panda", &arm));
    MISSING("arm", rm2_arm_read(ctx, "panda", NULL));
    MISSING("spec", rm2_arm_read(ctx, NULL, &arm));
    assert_null(arm);
    const rm2_frame frame = {.name = "f"};
    NO_CONTEXT(rm2_arm_from_frames(NULL, "arm", &frame, 1, &arm));
    MISSING("arm", rm2_arm_from_frames(ctx, "arm", &frame, 1, NULL));
    MISSING("name", rm2_arm_from_frames(ctx, NULL, &frame, 1, &arm));
    MISSING("frames", rm2_arm_from_frames(ctx, "arm", NULL, 1, &arm));
    assert_null(arm);
    assert_string_equal(rm2_arm_joint_name(NULL, 0), "");
    assert_int_equal(rm2_arm_joint_kind(NULL, 0), RM2_JOINT_FIXED);
    rm2_arm_free(NULL);
    assert_string_equal(rm2_arm_name(NULL), "");
    assert_int_equal(rm2_arm_joints(NULL), 0);
    assert_int_equal(rm2_arm_links(NULL), 0);
    assert_null(rm2_arm_joint(NULL, 0));
    assert_true(rm2_arm_reach(NULL) == 0);
    char why[40] = "x";
    rm2_track_cause_text(NULL, NULL, NULL, 0);
    rm2_track_cause_text(NULL, NULL, why, sizeof why);
    assert_string_equal(why, "");
    const rm2_track_info far = {.cause = RM2_TRACK_FAR, .cause_joint = SIZE_MAX};
    rm2_track_cause_text(NULL, &far, why, sizeof why);
    assert_string_equal(why, "it is beyond the arm's reach; move or s"); /* what fits */
    MUST(rm2_arm_create(ctx, "arm", &link, 1, &arm));
    assert_null(rm2_arm_joint(arm, 1));
    rm2_arm_free(arm);
}

static void bodies(void **state) {
    rm2_context *ctx = *state;
    rm2_arm *arm;
    const double q[] = {0, 0}, time[] = {0};
    double out[2];
    const rm2_arm_body body = {.radius = 1};
    const rm2_arm_scene scene = {.count = 0}, empty = {.count = 1};
    rm2_arm_clearance_info info = {.size = sizeof info};
    MUST(rm2_arm_read(ctx, "planar:1,1", &arm));
    NO_CONTEXT(rm2_arm_set_bodies(NULL, arm, 1, &body));
    MISSING("arm", rm2_arm_set_bodies(ctx, NULL, 1, &body));
    MISSING("bodies", rm2_arm_set_bodies(ctx, arm, 1, NULL));
    NO_CONTEXT(rm2_arm_set_radii(NULL, arm, 1, q));
    MISSING("arm", rm2_arm_set_radii(ctx, NULL, 1, q));
    MISSING("radii", rm2_arm_set_radii(ctx, arm, 1, NULL));
    assert_int_equal(rm2_arm_bodies(NULL), 0);
    assert_null(rm2_arm_body_at(NULL, 0));
    NO_CONTEXT(rm2_arm_clearance(NULL, arm, &scene, 1, q, NULL, &info));
    MISSING("arm", rm2_arm_clearance(ctx, NULL, &scene, 1, q, NULL, &info));
    MISSING("scene", rm2_arm_clearance(ctx, arm, NULL, 1, q, NULL, &info));
    MISSING("scene->regions", rm2_arm_clearance(ctx, arm, &empty, 1, q, NULL, &info));
    MISSING("q", rm2_arm_clearance(ctx, arm, &scene, 1, NULL, NULL, &info));
    MISSING("info", rm2_arm_clearance(ctx, arm, &scene, 1, q, NULL, NULL));
    MUST(rm2_arm_clearance(ctx, arm, &scene, 0, NULL, NULL, &info));
    assert_true(info.kept);
    NO_CONTEXT(rm2_arm_velocities(NULL, arm, 1, q, time, out, NULL));
    MISSING("arm", rm2_arm_velocities(ctx, NULL, 1, q, time, out, NULL));
    MISSING("q", rm2_arm_velocities(ctx, arm, 1, NULL, time, out, NULL));
    MISSING("time", rm2_arm_velocities(ctx, arm, 1, q, NULL, out, NULL));
    MISSING("velocities", rm2_arm_velocities(ctx, arm, 1, q, time, NULL, NULL));
    rm2_arm_free(arm);
}

static void kinematics(void **state) {
    rm2_context *ctx = *state;
    rm2_arm *arm;
    const double q[] = {0.1, 0.2};
    double out[64];
    MUST(rm2_arm_read(ctx, "planar:1,1", &arm));
#define KINEMATICS(name, call)                                                                     \
    do {                                                                                           \
        NO_CONTEXT(call(NULL, arm, q, out));                                                       \
        MISSING("arm", call(ctx, NULL, q, out));                                                   \
        MISSING("q", call(ctx, arm, NULL, out));                                                   \
        MISSING(name, call(ctx, arm, q, NULL));                                                    \
    } while (0)
#define POSE(c, a, x, y)       rm2_arm_pose(c, a, 1, x, y)
#define SKELETON(c, a, x, y)   rm2_arm_skeleton(c, a, 1, x, y)
#define JACOBIAN(c, a, x, y)   rm2_arm_jacobian(c, a, 1, x, y)
#define ELLIPSOID(c, a, x, y)  rm2_arm_manipulability(c, a, 2, 1, x, y)
#define DERIVATIVE(c, a, x, y) rm2_arm_manipulability_derivative(c, a, 2, 1, x, y)
    KINEMATICS("poses", POSE);
    KINEMATICS("points", SKELETON);
    KINEMATICS("jacobian", JACOBIAN);
    KINEMATICS("ellipsoids", ELLIPSOID);
    KINEMATICS("derivatives", DERIVATIVE);
    MUST(rm2_arm_pose(ctx, arm, 0, NULL, NULL));
    rm2_arm_free(arm);
}

static void tasks(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R2");
    rm2_arm_task task;
    NO_CONTEXT(rm2_arm_task_from_manifold(NULL, m, &task));
    MISSING("manifold", rm2_arm_task_from_manifold(ctx, NULL, &task));
    MISSING("task", rm2_arm_task_from_manifold(ctx, m, NULL));
    assert_int_equal(rm2_arm_task_width(NULL), 0);
    rm2_manifold_free(m);
}

static void tracking(void **state) {
    rm2_context *ctx = *state;
    const rm2_arm_task task = {.dim = 2};
    const double target[] = {1, 1};
    const rm2_arm_targets targets = {&task, 1, target, NULL};
    rm2_arm *arm;
    double q[2];
    rm2_track_settings s = rm2_track_settings_default();
    MUST(rm2_arm_read(ctx, "planar:1,1", &arm));
    NO_CONTEXT(rm2_arm_solve(NULL, arm, &task, target, &s, q, NULL));
    MISSING("arm", rm2_arm_solve(ctx, NULL, &task, target, &s, q, NULL));
    MISSING("task", rm2_arm_solve(ctx, arm, NULL, target, &s, q, NULL));
    MISSING("target", rm2_arm_solve(ctx, arm, &task, NULL, &s, q, NULL));
    MISSING("q", rm2_arm_solve(ctx, arm, &task, target, &s, NULL, NULL));
    MUST(rm2_arm_solve(ctx, arm, &task, target, NULL, q, NULL));
    NO_CONTEXT(rm2_arm_track(NULL, arm, &targets, &s, q, NULL, NULL));
    MISSING("arm", rm2_arm_track(ctx, NULL, &targets, &s, q, NULL, NULL));
    MISSING("targets->task",
            rm2_arm_track(ctx, arm, &(rm2_arm_targets){NULL, 1, target, NULL}, &s, q, NULL, NULL));
    MISSING("targets", rm2_arm_track(ctx, arm, NULL, &s, q, NULL, NULL));
    MISSING("targets->points",
            rm2_arm_track(ctx, arm, &(rm2_arm_targets){&task, 1, NULL, NULL}, &s, q, NULL, NULL));
    MISSING("q", rm2_arm_track(ctx, arm, &targets, &s, NULL, NULL, NULL));
    MUST(rm2_arm_track(ctx, arm, &targets, NULL, q, NULL, NULL));
    rm2_arm_free(arm);
}

static void placing(void **state) {
    rm2_context *ctx = *state;
    const rm2_arm_task task = {.dim = 2};
    rm2_placement p = rm2_placement_default();
    double target[] = {1, 1};
    const rm2_arm_targets targets = {&task, 1, target, NULL};
    rm2_arm *arm;
    bool found;
    MUST(rm2_arm_read(ctx, "planar:1,1", &arm));
    NO_CONTEXT(rm2_arm_place(NULL, &task, &p, 1, target));
    MISSING("task", rm2_arm_place(ctx, NULL, &p, 1, target));
    MISSING("placement", rm2_arm_place(ctx, &task, NULL, 1, target));
    MISSING("targets", rm2_arm_place(ctx, &task, &p, 1, NULL));
    NO_CONTEXT(rm2_arm_place_auto(NULL, arm, &targets, NULL, &p, &found));
    MISSING("arm", rm2_arm_place_auto(ctx, NULL, &targets, NULL, &p, &found));
    MISSING("targets->task", rm2_arm_place_auto(ctx, arm, &(rm2_arm_targets){NULL, 1, target, NULL},
                                                NULL, &p, &found));
    MISSING("targets", rm2_arm_place_auto(ctx, arm, NULL, NULL, &p, &found));
    MISSING(
        "targets->points",
        rm2_arm_place_auto(ctx, arm, &(rm2_arm_targets){&task, 1, NULL, NULL}, NULL, &p, &found));
    MISSING("placement", rm2_arm_place_auto(ctx, arm, &targets, NULL, NULL, &found));
    MISSING("found", rm2_arm_place_auto(ctx, arm, &targets, NULL, &p, NULL));
    rm2_arm_free(arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(arms),     WITH_CONTEXT(kinematics), WITH_CONTEXT(tasks),
        WITH_CONTEXT(tracking), WITH_CONTEXT(placing),    WITH_CONTEXT(bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
