/* planner.h: arguments that are missing are named, and results are empty. */
#include "api.h"

static void calls(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric;
    rm2_space *space;
    rm2_planner *planner;
    const rm2_plan *plan;
    rm2_plan_query query = rm2_plan_query_default();
    rm2_space_settings s = rm2_space_settings_default();
    s.roadmap = RM2_SPACE_LINE;
    s.grid_points = 0;
    MUST(rm2_metric_analytic(ctx, "euclidean", 2, &metric));
    MUST(rm2_space_from_metric(ctx, metric, &s, 0, NULL, &space));
    NO_CONTEXT(rm2_planner_create(NULL, space, NULL, &planner));
    MISSING("planner", rm2_planner_create(ctx, space, NULL, NULL));
    MISSING("space", rm2_planner_create(ctx, NULL, NULL, &planner));
    assert_null(planner);
    assert_int_equal(rm2_planner_create(ctx, space, NULL, &planner), RM2_ERR_UNSUPPORTED);
    assert_null(planner);
    NO_CONTEXT(rm2_planner_update(NULL, NULL, &query, &plan));
    MISSING("plan", rm2_planner_update(ctx, NULL, &query, NULL));
    MISSING("planner", rm2_planner_update(ctx, NULL, &query, &plan));
    assert_null(plan);
    rm2_planner_forget(NULL);
    rm2_planner_free(NULL);
    assert_string_equal(rm2_plan_state_text((rm2_plan_state)77), "unknown state");
    assert_string_equal(rm2_plan_state_text(RM2_PLAN_BLOCKED), "no way around the obstacles");
    rm2_space_free(space);
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(calls)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
