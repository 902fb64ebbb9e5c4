/* Every allocation of a planner fails once, and updates make none. */
#include "riemann2/planner.h"

#include "failing_malloc.h"
#include "space_fixture.h"

static rm2_space *space;

static int set_up(void **state) {
    if (space_set_up(state) != 0)
        return 1;
    rm2_context_set_threads(ctx, 1);
    rm2_space_settings s = quick_settings();
    s.grid_points = 12;
    space = make_space(&s, 0, NULL);
    return 0;
}

static int tear_down(void **state) {
    rm2_space_free(space);
    return space_tear_down(state);
}

static rm2_status create(void *state) {
    rm2_planner *planner = (rm2_planner *)space; /* anything that is not NULL */
    (void)state;
    rm2_status status = rm2_planner_create(ctx, space, NULL, &planner);
    assert_true((planner != NULL) == (status == RM2_OK));
    rm2_planner_free(planner);
    return status;
}

static void creation(void **state) {
    (void)state;
    assert_true(fail_each_allocation(ctx, create, NULL) >= 25);
}

/* Paths, blocked scenes, all grids, deadlines, and queries that are rejected. */
static void updates(void **state) {
    (void)state;
    rm2_planner *planner;
    rm2_region region = {.kind = RM2_REGION_SPHERE, .dim = 2};
    size_t states[5] = {0};
    ok(rm2_planner_create(ctx, space, NULL, &planner));
    (void)bytes_requested();
    for (int k = 0; k < 120; k++) {
        const double *y = toy->points + k % N * D;
        const rm2_plan *plan;
        rm2_plan_query q = rm2_plan_query_default();
        q.from = latents;
        q.to = latents + (N - 1 - (size_t)k / 40) * Q;
        q.count = 1;
        q.regions = &region;
        q.seconds = k % 10 == 9 ? 1e-9 : 0;
        region.a[0] = y[0] * toy->scale[0];
        region.a[1] = y[1] * toy->scale[0];
        region.radius = 0.04 * (1 + k % 30);
        ok(rm2_planner_update(ctx, planner, &q, &plan));
        states[plan->state]++;
        q.clearance = -1;
        assert_int_equal(rm2_planner_update(ctx, planner, &q, &plan), RM2_ERR_ARGUMENT);
    }
    assert_true(bytes_requested() == 0);
    for (int k = 0; k < 5; k++)
        print_message("%s: %zu\n", rm2_plan_state_text((rm2_plan_state)k), states[k]);
    assert_true(states[RM2_PLAN_FOUND] > 0 && states[RM2_PLAN_BLOCKED] > 0 &&
                states[RM2_PLAN_LATE] > 0);
    rm2_planner_free(planner);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(creation), cmocka_unit_test(updates)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
