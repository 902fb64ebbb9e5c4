/* Optimisers: texts of the reasons to stop, settings without sense. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "optim_fixture.h"

static void every_reason_has_its_own_text(void **state) {
    (void)state;
    const rm2_stop all[] = {
#define STOP_NAME(name, value, text) name,
        RM2_STOP_LIST(STOP_NAME)
#undef STOP_NAME
    };
    size_t count = sizeof all / sizeof all[0];
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(all[i], i);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rm2_stop_text(all[i]), rm2_stop_text(all[j]));
    }
    assert_string_equal(rm2_stop_text((rm2_stop)99), "unknown reason");
}

static void refused(rm2_optim_settings s, size_t n, double x0) {
    rm2i_optim *o = (void *)ctx;
    assert_int_equal(rm2i_optim_create(ctx, &s, n, &x0, &o), RM2_ERR_ARGUMENT);
    assert_null(o);
    assert_true(strlen(rm2_context_error(ctx)) > 0);
}

static void settings_without_sense_are_refused(void **state) {
    (void)state;
    rm2_optim_settings s = usual_settings();
    refused(s, 0, 0);
    refused(s, 1, NAN);
    refused(s, 1, INFINITY);
    s.history = 0;
    refused(s, 1, 0);
    s = usual_settings();
    s.method = (rm2_optimiser)7;
    refused(s, 1, 0);
}

static void tolerances_and_rates_are_checked(void **state) {
    (void)state;
    const double bad[] = {-1, NAN};
    for (size_t i = 0; i < 2; i++) {
        rm2_optim_settings s = usual_settings();
        s.relative_decrease = bad[i];
        refused(s, 1, 0);
        s = usual_settings();
        s.gradient = bad[i];
        refused(s, 1, 0);
        s = usual_settings();
        s.max_seconds = bad[i];
        refused(s, 1, 0);
        s = adam_settings();
        s.learning_rate = bad[i];
        refused(s, 1, 0);
        s = adam_settings();
        s.beta1 = bad[i];
        refused(s, 1, 0);
        s = adam_settings();
        s.beta2 = i ? bad[i] : 1;
        refused(s, 1, 0);
        s = adam_settings();
        s.epsilon = bad[i];
        refused(s, 1, 0);
    }
}

static void sizes_beyond_memory_are_refused(void **state) {
    (void)state;
    rm2_optim_settings s = usual_settings();
    double x0 = 0;
    rm2i_optim *o;
    s.history = SIZE_MAX / 2;
    assert_int_equal(rm2i_optim_create(ctx, &s, 1, &x0, &o), RM2_ERR_MEMORY);
    assert_null(o);
    s.history = SIZE_MAX / 80;
    assert_int_equal(rm2i_optim_create(ctx, &s, 1, &x0, &o), RM2_ERR_MEMORY);
}

static void a_new_optimiser_is_at_its_start(void **state) {
    (void)state;
    rm2_optim_settings s = usual_settings();
    problem p = {.n = 3, .condition = 1};
    double x0[3] = {5, 5, 5};
    rm2i_optim *o;
    ok(rm2i_optim_create(ctx, &s, 3, x0, &o));
    assert_true(isinf(rm2i_optim_f(o)));
    assert_same_bits(rm2i_optim_x(o), x0, 3);
    assert_int_equal(optim_run(o, quadratic, &p), RM2_STOP_GRADIENT);
    rm2i_optim_free(o);
    rm2i_optim_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reason_has_its_own_text),
        cmocka_unit_test(settings_without_sense_are_refused),
        cmocka_unit_test(tolerances_and_rates_are_checked),
        cmocka_unit_test(sizes_beyond_memory_are_refused),
        cmocka_unit_test(a_new_optimiser_is_at_its_start),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
