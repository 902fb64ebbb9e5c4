/* Every allocation of a motion and of what it is asked fails once: RM2_ERR_MEMORY, nothing handed out, no leak. */
#include "failing_malloc.h"
#include "meet_fixture.h"
#include "space_with.h"

static scene s;
static rm2_vicinity *near;
static rm2_meet_pose middle;
static double *goal;

static rm2_status create(void *state) {
    rm2_meet *meet = (rm2_meet *)&s;
    const rm2_task_frame frame = {.kind = RM2_FRAME_START};
    rm2_meet_request r = {{.point = shown(&s, 0, 0)}, {.point = goal}, 1, &middle, 1, &frame};
    rm2_status status = rm2_meet_create(ctx, state, near, &r, NULL, &meet);
    assert_true((meet != NULL) == (status == RM2_OK));
    rm2_meet_free(meet);
    return status;
}

/* Latent ends, with a velocity; around an obstacle the route is planned more than once. */
static rm2_status create_around(void *state) {
    rm2_meet *meet = (rm2_meet *)&s;
    double velocity[5] = {0.1, 0.1, NAN, NAN, NAN};
    rm2_meet_request r = {.start = {.latent = rm2_model_info_of(s.model)->latents},
                          .goal = {.point = goal,
                                   .latent = rm2_model_info_of(s.model)->latents + (POINTS - 1) * 2,
                                   .velocity = velocity}};
    rm2_status status = rm2_meet_create(ctx, state, near, &r, NULL, &meet);
    assert_true((meet != NULL) == (status == RM2_OK));
    rm2_meet_free(meet);
    return status;
}

static rm2_status ask(void *meet) {
    double covariance[NODES * 16], points[NODES * 5];
    rm2_status status = rm2_meet_covariance(ctx, meet, RM2_MEET_POSE, covariance, NULL);
    return status == RM2_OK ? rm2_meet_sample(ctx, meet, 1, points) : status;
}

static void every_call(void **state) {
    const plan p = {.spec = "R2 x S2", .count = 4, .families = 1};
    rm2_space *around;
    (void)state;
    rm2_context_set_threads(ctx, 1);
    s = open_scene(&p, 10);
    rm2_space_settings settings = rm2_space_settings_default();
    settings.grid_points = 8;
    settings.nodes = NODES;
    settings.stage = RM2_STAGE_PATH; /* allocations count here, not accuracy */
    rm2_space_free(s.space);
    ok(rm2_space_create(ctx, s.model, &settings, 0, NULL, &s.space));
    ok(rm2_vicinity_create(ctx, s.model, &near));
    goal = aside(&s, shown(&s, 0, POINTS - 1), 0.2);
    double *via = aside(&s, shown(&s, 1, POINTS / 2), 0.05);
    middle = (rm2_meet_pose){.point = via};
    assert_true(fail_each_allocation(ctx, create, s.space) >= 20);
    rm2_meet *meet = meet_ends(&s, shown(&s, 0, 0), goal, NULL);
    assert_true(fail_each_allocation(ctx, ask, meet) >= 3);
    const double *y = rm2_meet_result_of(meet)->points + NODES / 2 * s.D;
    const rm2_region ball = {RM2_REGION_SPHERE, 2, {y[0], y[1]}, {0}, 0.05};
    const rm2_obstacles o = {1, &ball, RM2_ALL_FACTORS};
    rm2_meet_free(meet);
    ok(space_with_obstacles(ctx, s.space, &o, 0, 0.1, &around));
    assert_true(fail_each_allocation(ctx, create_around, around) >= 20);
    rm2_space_free(around);
    rm2_vicinity_free(near);
    free(goal);
    free(via);
    close_scene(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call)};
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
