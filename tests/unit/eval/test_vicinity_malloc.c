/* Every allocation of a vicinity and of what it is asked fails once: RM2_ERR_MEMORY, nothing handed out, no leak. */
#include "failing_malloc.h"
#include "space_fixture.h"

#include "riemann2/eval.h"

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
    return rm2_vicinity_of(ctx, state, 2, data->points, over, NULL);
}

static void every_call(void **state) {
    rm2_vicinity *v;
    (void)state;
    rm2_context_set_threads(ctx, 1);
    assert_true(fail_each_allocation(ctx, create, ctx) >= 4);
    assert_int_equal(rm2_vicinity_create(ctx, model, &v), RM2_OK);
    assert_true(fail_each_allocation(ctx, ask, v) >= 1);
    rm2_vicinity_free(v);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call)};
    return cmocka_run_group_tests(tests, space_set_up, space_tear_down);
}
