/* Every allocation of a vicinity, of what it is asked and of a report on a path fails once: RM2_ERR_MEMORY, nothing handed out, no leak. */
#include "failing_malloc.h"
#include "space_fixture.h"

#include "riemann2/report.h"

static rm2_status create(void *state) {
    rm2_vicinity *v = (rm2_vicinity *)state; /* anything that is not NULL */
    rm2_status status = rm2_vicinity_create(ctx, model, &v);
    assert_true((v != NULL) == (status == RM2_OK));
    rm2_vicinity_free(v);
    return status;
}

static rm2_status ask(void *state) {
    const rm2_data *data = rm2_model_info_of(model)->data;
    double over[2];
    return rm2_vicinity_distances(ctx, state, 2, data->points, over, NULL);
}

/* A path that is measured. */
typedef struct path {
    rm2_space *space;
    rm2_curve *curve;
    rm2_report_settings settings;
} path;

static rm2_status measure(void *state) {
    const path *p = state;
    rm2_path_report report = {.size = sizeof report};
    rm2_status status = rm2_path_measure(ctx, p->space, p->curve, &p->settings, NULL, &report);
    assert_true((report.length > 0) == (status == RM2_OK));
    return status;
}

static void measure_a_path(const rm2_vicinity *v) {
    rm2_space_settings s = quick_settings();
    path p = {.space = make_space(&s, 0, NULL), .settings = rm2_report_settings_default()};
    p.settings.vicinity = v;
    ok(rm2_space_geodesic(ctx, p.space, latents, latents + Q, &p.curve));
    assert_true(fail_each_allocation(ctx, measure, &p) >= 4);
    rm2_curve_free(p.curve);
    rm2_space_free(p.space);
}

static void every_call(void **state) {
    rm2_vicinity *v;
    (void)state;
    rm2_context_set_threads(ctx, 1);
    assert_true(fail_each_allocation(ctx, create, ctx) >= 4);
    assert_int_equal(rm2_vicinity_create(ctx, model, &v), RM2_OK);
    assert_true(fail_each_allocation(ctx, ask, v) >= 1);
    measure_a_path(v);
    rm2_vicinity_free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call)};
    return cmocka_run_group_tests(tests, space_set_up, space_tear_down);
}
