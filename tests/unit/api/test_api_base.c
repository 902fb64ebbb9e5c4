/* base.h, blas.h, optim.h, communicator.h: nothing crashes without its arguments. */
#include <math.h>

#include "api.h"
#include "front/base.h"
#include "front/texts.h"

static void contexts(void **state) {
    (void)state;
    assert_int_equal(rm2_context_create(NULL), RM2_ERR_ARGUMENT);
    rm2_context_free(NULL);
    rm2_free(NULL);
    assert_string_equal(rm2_context_error(NULL), "");
    assert_int_equal(rm2_context_fail(NULL, RM2_ERR_DATA, "%d", 3), RM2_ERR_DATA);
    rm2_context_set_threads(NULL, 2);
    assert_int_equal(rm2_context_threads(NULL), 1);
    rm2_context_set_log(NULL, NULL, NULL);
    rm2_context_set_progress(NULL, NULL, NULL);
    rm2_context_interrupt(NULL);
    rm2_context_clear_interrupt(NULL);
    rm2_context_set_seed(NULL, 1);
    assert_null(rm2_context_rng(NULL));
}

static void communicators(void **state) {
    rm2_context *ctx = *state;
    const rm2_communicator empty = {.size = 2};
    assert_int_equal(rm2_context_set_communicator(NULL, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_context_set_communicator(ctx, &empty), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_communicator_serve(NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_communicator_end(NULL), RM2_ERR_ARGUMENT);
}

static void generators(void **state) {
    (void)state;
    rm2_rng_seed(NULL, 1);
    assert_int_equal(rm2_rng_next(NULL), 0);
    assert_true(isnan(rm2_rng_uniform(NULL)));
    assert_true(isnan(rm2_rng_normal(NULL)));
}

static void texts(void **state) {
    (void)state;
    assert_int_equal(rm2_utf8_length(NULL, 1), 0);
    assert_int_equal(rm2_utf8_printable(NULL, 1), 0);
    assert_non_null(rm2_version());
    assert_string_equal(rm2_status_text((rm2_status)77), "unknown status");
    assert_string_equal(rm2_stop_text((rm2_stop)77), "unknown reason");
}

static void linear_algebra(void **state) {
    (void)state;
    rm2_blas_info blas = {.size = sizeof blas};
    assert_int_equal(rm2_blas_check(NULL, &blas), RM2_OK);
    assert_non_null(blas.core);
    assert_int_equal(rm2_blas_check(NULL, NULL), RM2_ERR_ARGUMENT);
    rm2_blas_set_threads(-1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts), WITH_CONTEXT(communicators),      cmocka_unit_test(generators),
        cmocka_unit_test(texts),    cmocka_unit_test(linear_algebra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
