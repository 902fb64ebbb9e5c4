/* Bodies of arms: distances from regions and from each other against brute force, motions that go around what is in the way, and
 * what is told where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "front/base.h"
#include "near.h"
#include "robot/robot.h"
#include "robot_fixture.h"

static const rm2_region scattered[] = {
    {.kind = RM2_REGION_SPHERE, .dim = 3, .a = {0.4, 0.2, 0.6}, .radius = 0.1},
    {.kind = RM2_REGION_BOX, .dim = 3, .a = {-0.6, -0.5, 0.2}, .b = {-0.2, -0.1, 0.5}},
    {.kind = RM2_REGION_CAPSULE,
     .dim = 3,
     .a = {0.5, -0.4, 0},
     .b = {0.5, -0.4, 1},
     .radius = 0.05},
    {.kind = RM2_REGION_HALF_SPACE, .dim = 3, .a = {0, 0, 0.1}, .b = {0, 0, 1}},
    {.kind = RM2_REGION_SPHERE, .dim = 2, .a = {-0.3, 0.5}, .radius = 0.2}};
enum { REGIONS = sizeof scattered / sizeof scattered[0] };

/* ---- brute force ---------------------------------------------------------------------------- */

/* Ends of the pieces of an arm without prismatic joints, from its skeleton; pieces of no length are left out. */
static size_t pieces_at(const rm2_arm *arm, const double *q, double ends[][2][3], size_t *frame) {
    double points[3 * (RM2_ARM_MAX_LINKS + 1)];
    size_t count = 0;
    assert_int_equal(rm2_arm_skeleton(ctx, arm, 1, q, points), RM2_OK);
    for (size_t i = 0; i < rm2_arm_links(arm); i++) {
        double square = 0;
        for (size_t k = 0; k < 3; k++) {
            double step = points[3 * (i + 1) + k] - points[3 * i + k];
            square += step * step;
        }
        if (square < 1e-20)
            continue;
        memcpy(ends[count], points + 3 * i, 6 * sizeof(double));
        frame[count++] = i;
    }
    return count;
}

static void point_on(double end[2][3], double part, double p[3]) {
    for (int k = 0; k < 3; k++)
        p[k] = end[0][k] + part * (end[1][k] - end[0][k]);
}

enum { DOTS = 60 }; /* on a segment */

/* Least distance of dots of all pieces but the first, which stands still, from the regions. */
static double brute_regions(size_t count, double (*ends)[2][3], double radius) {
    double least = INFINITY, p[3];
    for (size_t i = 1; i < count; i++)
        for (size_t j = 0; j <= DOTS; j++) {
            point_on(ends[i], (double)j / DOTS, p);
            for (size_t r = 0; r < REGIONS; r++)
                least = fmin(least, rm2_region_distance(&scattered[r], p, NULL) - radius);
        }
    return least;
}

/* The same of dots of two pieces with at least two others of some length between them. */
static double brute_self(size_t count, double (*ends)[2][3], double radius) {
    double least = INFINITY, p[3], o[3];
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 3; j < count; j++)
            for (size_t a = 0; a <= DOTS; a++)
                for (size_t b = 0; b <= DOTS; b++) {
                    point_on(ends[i], (double)a / DOTS, p);
                    point_on(ends[j], (double)b / DOTS, o);
                    double d = sqrt((p[0] - o[0]) * (p[0] - o[0]) + (p[1] - o[1]) * (p[1] - o[1]) +
                                    (p[2] - o[2]) * (p[2] - o[2]));
                    least = fmin(least, d - 2 * radius);
                }
    return least;
}

/* What is reported is not above what many configurations between the given ones show, and below it by at most the resolution and
 * what lies between dots: half a piece's part of 0.4/60, and between configurations less than 0.002. */
static void distances_are_those_of_brute_force(void **state) {
    (void)state;
    enum { STEPS = 3, BETWEEN = 40 };
    const rm2_arm_scene scene = {.regions = scattered, .count = REGIONS};
    rm2_arm *arm = open_arm("panda");
    double q[(STEPS + 1) * JOINTS], here[JOINTS], ends[RM2_ARM_MAX_LINKS][2][3], radius = 0.03;
    size_t frame[RM2_ARM_MAX_LINKS];
    rm2_rng *rng = rm2_context_rng(ctx);
    assert_int_equal(rm2_arm_set_radii(ctx, arm, 1, &radius), RM2_OK);
    for (size_t trial = 0; trial < 12; trial++) {
        double outside = INFINITY, inside = INFINITY, rows[2 * (STEPS + 1)];
        rm2_arm_clearance_info info = {.size = sizeof info};
        for (size_t i = 0; i < (STEPS + 1) * JOINTS; i++) {
            const rm2_link *l = rm2_arm_joint(arm, i % JOINTS);
            double step = 0.3 * (2 * rm2_rng_uniform(rng) - 1);
            q[i] = i < JOINTS ? l->lower + (l->upper - l->lower) * rm2_rng_uniform(rng)
                              : q[i - JOINTS] + step;
        }
        for (size_t i = 0; i < STEPS * BETWEEN + 1; i++) {
            size_t at = i / BETWEEN < STEPS ? i / BETWEEN : STEPS - 1;
            double t = (double)i / BETWEEN - (double)at;
            for (size_t k = 0; k < JOINTS; k++)
                here[k] = (1 - t) * q[at * JOINTS + k] + t * q[(at + 1) * JOINTS + k];
            size_t count = pieces_at(arm, here, ends, frame);
            outside = fmin(outside, brute_regions(count, ends, radius));
            inside = fmin(inside, brute_self(count, ends, radius));
        }
        assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, STEPS + 1, q, rows, &info), RM2_OK);
        assert_true(info.region.distance <= outside + 1e-12);
        assert_true(info.region.distance >= outside - 0.01);
        assert_true(info.self.distance <= inside + 1e-12); /* may compare more pairs */
        for (size_t i = 0; i <= STEPS; i++) {
            size_t count = pieces_at(arm, q + i * JOINTS, ends, frame);
            assert_true(fabs(rows[2 * i] - brute_regions(count, ends, radius)) < 0.005);
            assert_true(rows[2 * i] >= info.region.distance - 1e-12);
        }
    }
    rm2_arm_free(arm);
}

/* The gradient of distances against central differences. */
static void gradients_are_those_of_differences(void **state) {
    (void)state;
    const double h = 1e-6, radius = 0.045; /* so that the bent wrist does not meet itself */
    const rm2_arm_scene about = {.regions = scattered, .count = REGIONS};
    rm2_arm *arm = open_arm("panda");
    rm2i_robot_scene scene;
    double q[JOINTS], gradient[JOINTS];
    size_t seen[RM2I_SCENE_KINDS] = {0};
    assert_int_equal(rm2_arm_set_radii(ctx, arm, 1, &radius), RM2_OK);
    assert_int_equal(rm2i_scene_create(ctx, arm, &about, &scene), RM2_OK);
    for (size_t trial = 0; trial < 20; trial++) {
        rm2i_touch least[RM2I_SCENE_KINDS], more[RM2I_SCENE_KINDS], less[RM2I_SCENE_KINDS];
        rm2i_posture posture;
        for (size_t k = 0; k < JOINTS; k++) {
            const rm2_link *l = rm2_arm_joint(arm, k);
            q[k] = l->lower + (l->upper - l->lower) * rm2_rng_uniform(rm2_context_rng(ctx));
        }
        for (int kind = 0; kind < RM2I_SCENE_KINDS; kind++) {
            rm2i_scene_least(&scene, q, least);
            rm2i_arm_posture(arm, q, &posture, NULL);
            rm2i_scene_gradient(&scene, kind, &least[kind], &posture, gradient);
            for (size_t k = 0; k < JOINTS; k++) {
                double kept = q[k];
                q[k] = kept + h;
                rm2i_scene_least(&scene, q, more);
                q[k] = kept - h;
                rm2i_scene_least(&scene, q, less);
                q[k] = kept;
                double difference = (more[kind].distance - less[kind].distance) / (2 * h);
                double curved =
                    more[kind].distance + less[kind].distance - 2 * least[kind].distance;
                if (fabs(curved) > 1e-9) /* another pair, or another end, becomes the nearest */
                    continue;
                assert_near(gradient[k], difference, 2e-3);
                seen[kind] += fabs(difference) > 0.01;
            }
        }
    }
    assert_true(seen[RM2I_REGIONS] > 30 && seen[RM2I_SELF] > 10);
    rm2_arm_free(arm);
}

/* ---- an arm and itself ---------------------------------------------------------------------- */

/* Three links of length 1 folded to three sides of a square: 1 between the first and the last; with the joints turned
 * straight, further. */
static void a_folded_arm_is_near_to_itself(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1,1");
    const double half_pi = acos(0), radius = 0.1;
    const double q[6] = {0, 0, 0, 0, half_pi, half_pi};
    const rm2_arm_scene scene = {.self_clearance = 0.9};
    rm2_arm_clearance_info info = {.size = sizeof info};
    double rows[4];
    assert_int_equal(rm2_arm_bodies(arm), 3);
    assert_string_equal(rm2_arm_body_at(arm, 0)->name, "link1");
    assert_near(rm2_arm_body_at(arm, 2)->radius, 0.15, 1e-15);
    assert_null(rm2_arm_body_at(arm, 3));
    assert_int_equal(rm2_arm_set_radii(ctx, arm, 1, &radius), RM2_OK);
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, 2, q, rows, &info), RM2_OK);
    assert_near(rows[1], 1 - 0.2, 1e-8);
    assert_near(rows[3], 1 - 0.2, 1e-8);
    assert_near(info.self.distance, 0.8, 3e-4);
    assert_int_equal(info.self.body, 2);
    assert_int_equal(info.self.other, 0);
    assert_true(isinf(info.region.distance) && !info.kept);
    const double closed[3] = {0, 0.9 * 2 * half_pi,
                              0.9 * 2 * half_pi}; /* the last crosses the first */
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, 1, closed, NULL, &info), RM2_OK);
    assert_near(info.self.distance, -0.2, 1e-8);
    rm2_arm_free(arm);
}

/* Between two configurations that are clear the arm sweeps through a sphere. */
static void between_configurations_counts_too(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1");
    const double q[2] = {-0.5, 0.5}, radius = 0.01;
    const rm2_region ball = {.kind = RM2_REGION_SPHERE, .dim = 2, .a = {0.9, 0}, .radius = 0.05};
    const rm2_arm_scene scene = {.regions = &ball, .count = 1};
    rm2_arm_clearance_info info = {.size = sizeof info};
    double rows[4];
    assert_int_equal(rm2_arm_set_radii(ctx, arm, 1, &radius), RM2_OK);
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, 2, q, rows, &info), RM2_OK);
    assert_near(rows[0], 0.9 * sin(0.5) - 0.06, 1e-8);
    assert_near(info.region.distance, -0.06, 2e-4);
    assert_near(info.region.at, 0.5, 0.01);
    assert_false(info.kept);
    rm2_arm_free(arm);
}

/* ---- motions -------------------------------------------------------------------------------- */

enum { POINTS = 30 };

/* Three links follow a short line; a ball stands where the elbow would be without it. */
static void the_elbow_goes_out_of_the_way(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1,1");
    double targets[2 * POINTS], q[3 * POINTS], radius = 0.05;
    for (size_t i = 0; i < POINTS; i++) {
        targets[2 * i] = 1.6 + 0.01 * (double)i;
        targets[2 * i + 1] = 0.3;
    }
    const rm2_arm_targets all = {&position, POINTS, targets, NULL};
    rm2_track_settings settings = rm2_track_settings_default();
    rm2_track_info info = {.size = sizeof info};
    rm2_arm_clearance_info near = {.size = sizeof near};
    double elbow[15]; /* base, three joints, tip */
    assert_int_equal(rm2_arm_set_radii(ctx, arm, 1, &radius), RM2_OK);
    assert_int_equal(rm2_arm_track(ctx, arm, &all, &settings, q, NULL, &info), RM2_OK);
    assert_int_equal(rm2_arm_skeleton(ctx, arm, 1, q + 3 * (POINTS / 2), elbow), RM2_OK);
    rm2_region ball = {.kind = RM2_REGION_SPHERE, .dim = 2, .radius = 0.2};
    memcpy(ball.a, elbow + 6, 2 * sizeof(double)); /* where the second joint is half-way */
    const rm2_arm_scene scene = {.regions = &ball, .count = 1, .clearance = 0.02};
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, POINTS, q, NULL, &near), RM2_OK);
    assert_false(near.kept);
    settings.scene = &scene;
    assert_int_equal(rm2_arm_track(ctx, arm, &all, &settings, q, NULL, &info), RM2_OK);
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, POINTS, q, NULL, &near), RM2_OK);
    assert_int_equal(info.missed + info.jumps, 0);
    assert_true(near.kept && near.region.distance >= 0.02);
    rm2_arm_free(arm);
}

/* A wall beside a seven-joint arm: the path is the one that the arm made with its elbow in the wall. The search finds
 * another way through the same poses. */
static void seven_joints_avoid_what_six_cannot(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("panda");
    double made[POINTS * JOINTS], targets[POINTS * 7], q[POINTS * JOINTS], radius = 0.05;
    const double first[JOINTS] = {0.9, 0.6, 0.7, -1.8, 0.3, 2.2, 0.2};
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < JOINTS; k++)
            made[i * JOINTS + k] = first[k] - (k == 0 ? 0.01 * (double)i : 0);
    assert_int_equal(rm2_arm_set_radii(ctx, arm, 1, &radius), RM2_OK);
    assert_int_equal(rm2_arm_pose(ctx, arm, POINTS, made, targets), RM2_OK);
    double skeleton[3 * 9];
    assert_int_equal(rm2_arm_skeleton(ctx, arm, 1, made + (POINTS / 2) * JOINTS, skeleton), RM2_OK);
    rm2_region ball = {.kind = RM2_REGION_SPHERE, .dim = 3, .radius = 0.06};
    memcpy(ball.a, skeleton + 3 * 4, sizeof ball.a); /* the elbow */
    const rm2_arm_scene scene = {.regions = &ball, .count = 1, .clearance = 0.01};
    rm2_arm_clearance_info near = {.size = sizeof near};
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, POINTS, made, NULL, &near), RM2_OK);
    assert_false(near.kept);
    rm2_track_settings settings = rm2_track_settings_default();
    rm2_track_info info = {.size = sizeof info};
    settings.scene = &scene;
    const rm2_arm_targets all = {&pose, POINTS, targets, NULL};
    assert_int_equal(rm2_arm_track(ctx, arm, &all, &settings, q, NULL, &info), RM2_OK);
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, POINTS, q, NULL, &near), RM2_OK);
    assert_int_equal(info.missed + info.jumps, 0);
    assert_true(near.kept && near.region.distance >= 0.01 && near.self.distance >= 0);
    rm2_arm_free(arm);
}

/* Two links reach a point with the elbow on one side or on the other; balls on both sides leave nothing. */
static void nothing_is_found_where_nothing_is(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1");
    const double targets[4] = {1.4, 0, 1.42, 0}, radius = 0.05;
    rm2_region balls[2] = {{.kind = RM2_REGION_SPHERE, .dim = 2, .a = {0.7, 0.7}, .radius = 0.1},
                           {.kind = RM2_REGION_SPHERE, .dim = 2, .a = {0.7, -0.7}, .radius = 0.1}};
    rm2_arm_scene scene = {.regions = balls, .count = 1};
    rm2_track_settings settings = rm2_track_settings_default();
    const rm2_arm_targets all = {&position, 2, targets, NULL};
    double q[4];
    rm2_arm_clearance_info near = {.size = sizeof near};
    assert_int_equal(rm2_arm_set_radii(ctx, arm, 1, &radius), RM2_OK);
    settings.scene = &scene;
    for (size_t kept = 2; kept-- > 0; scene.count++) {
        assert_int_equal(rm2_arm_track(ctx, arm, &all, &settings, q, NULL, NULL), RM2_OK);
        assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, 2, q, NULL, &near), RM2_OK);
        assert_int_equal(near.kept, kept);
    }
    assert_true(near.region.distance < 0);
    scene.count = 1;
    assert_int_equal(rm2_arm_solve(ctx, arm, &position, targets, &settings, q, NULL), RM2_OK);
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, 1, q, NULL, &near), RM2_OK);
    assert_true(near.kept);
    rm2_arm_free(arm);
}

/* ---- bodies of one's own -------------------------------------------------------------------- */

static void bodies_can_be_given(void **state) {
    (void)state;
    rm2_arm *arm = open_arm("planar:1,1");
    const double two[2] = {0.1, 0.2}, bad[2] = {0.1, -1}, q[2] = {0, 0};
    const rm2_arm_body tool = {
        .name = "tool", .frame = {3, 3}, .end = {{0, 0, 0}, {0.5, 0, 0}}, .radius = 0.02};
    rm2_arm_body wrong = tool;
    const rm2_region ball = {.kind = RM2_REGION_SPHERE, .dim = 3, .a = {3, 0, 0}, .radius = 0.1};
    rm2_arm_scene scene = {.regions = &ball, .count = 1};
    rm2_arm_clearance_info near = {.size = sizeof near};
    assert_int_equal(rm2_arm_set_radii(ctx, arm, 2, two), RM2_OK);
    assert_near(rm2_arm_body_at(arm, 1)->radius, 0.2, 0);
    refuses(rm2_arm_set_radii(ctx, arm, 3, two), RM2_ERR_ARGUMENT, "expected 1 radius or 2");
    refuses(rm2_arm_set_radii(ctx, arm, 2, bad), RM2_ERR_ARGUMENT, "must be positive, not -1");
    assert_int_equal(rm2_arm_set_bodies(ctx, arm, 1, &tool), RM2_OK);
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, 1, q, NULL, &near), RM2_OK);
    assert_near(near.region.distance, 0.5 - 0.1 - 0.02, 1e-8);
    assert_string_equal(rm2_arm_body_at(arm, near.region.body)->name, "tool");
    wrong.frame[1] = 4;
    refuses(rm2_arm_set_bodies(ctx, arm, 1, &wrong), RM2_ERR_ARGUMENT,
            "a frame that the arm does not have");
    wrong = tool;
    wrong.end[0][1] = NAN;
    refuses(rm2_arm_set_bodies(ctx, arm, 1, &wrong), RM2_ERR_ARGUMENT, "ends that are not finite");
    wrong = tool;
    wrong.radius = 0;
    refuses(rm2_arm_set_bodies(ctx, arm, 1, &wrong), RM2_ERR_ARGUMENT,
            "a radius that is not positive");
    refuses(rm2_arm_set_bodies(ctx, arm, 0, &tool), RM2_ERR_ARGUMENT, "1 to 128 bodies");
    scene.clearance = -1;
    refuses(rm2_arm_clearance(ctx, arm, &scene, 1, q, NULL, &near), RM2_ERR_ARGUMENT, "at least 0");
    scene.clearance = 0;
    const rm2_region flat = {.kind = RM2_REGION_SPHERE, .dim = 3};
    scene.regions = &flat;
    refuses(rm2_arm_clearance(ctx, arm, &scene, 1, q, NULL, &near), RM2_ERR_ARGUMENT, "region 0: ");
    rm2_track_settings settings = rm2_track_settings_default();
    double found[2];
    settings.scene = &scene;
    refuses(rm2_arm_solve(ctx, arm, &position, q, &settings, found, NULL), RM2_ERR_ARGUMENT,
            "region 0: ");
    rm2_arm_free(arm);
}

/* A prismatic joint lengthens its link. */
static void a_link_that_slides_grows(void **state) {
    (void)state;
    const rm2_frame frames[] = {{.kind = RM2_JOINT_REVOLUTE,
                                 .rotation = {1, 0, 0, 0},
                                 .axis = {0, 0, 1},
                                 .lower = -3,
                                 .upper = 3,
                                 .speed = INFINITY},
                                {.kind = RM2_JOINT_PRISMATIC,
                                 .rotation = {1, 0, 0, 0},
                                 .axis = {1, 0, 0},
                                 .upper = 2,
                                 .speed = INFINITY}};
    rm2_arm *arm;
    const double q[4] = {0, 0.5, 0, 1.5}, radius = 0.1;
    const rm2_region ball = {.kind = RM2_REGION_SPHERE, .dim = 3, .a = {2, 0, 0}, .radius = 0.1};
    const rm2_arm_scene scene = {.regions = &ball, .count = 1};
    rm2_arm_clearance_info near = {.size = sizeof near};
    double rows[4];
    assert_int_equal(rm2_arm_from_frames(ctx, "slide", frames, 2, &arm), RM2_OK);
    assert_int_equal(rm2_arm_set_radii(ctx, arm, 1, &radius), RM2_OK);
    assert_int_equal(rm2_arm_clearance(ctx, arm, &scene, 2, q, rows, &near), RM2_OK);
    assert_near(rows[0], 1.5 - 0.2, 1e-8);
    assert_near(rows[2], 0.5 - 0.2, 1e-8);
    assert_near(near.region.distance, 0.3, 1e-8);
    rm2_arm_free(arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_FRESH_CONTEXT(distances_are_those_of_brute_force),
        WITH_FRESH_CONTEXT(gradients_are_those_of_differences),
        WITH_FRESH_CONTEXT(a_folded_arm_is_near_to_itself),
        WITH_FRESH_CONTEXT(between_configurations_counts_too),
        WITH_FRESH_CONTEXT(the_elbow_goes_out_of_the_way),
        WITH_FRESH_CONTEXT(seven_joints_avoid_what_six_cannot),
        WITH_FRESH_CONTEXT(nothing_is_found_where_nothing_is),
        WITH_FRESH_CONTEXT(bodies_can_be_given),
        WITH_FRESH_CONTEXT(a_link_that_slides_grows),
    };
    return cmocka_run_group_tests_name("robot_clearance", tests, NULL, NULL);
}
