/* Every allocation of covariances fails once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "failing_malloc.h"
#include "front/tables.h"
#include "riemann2/covariance.h"
#include "riemann2/io.h"

static rm2_context *context;

static rm2_status covariances(void *state) {
    static const double x[] = {1, 2, 4, 3, 9, 1, 0, 5};
    rm2_signals signals = {.size = sizeof signals, .samples = 4, .channels = 2, .values = x};
    double S[4];
    (void)state;
    return rm2_covariances(context, &signals, NULL, S, NULL);
}

static rm2_status choose(void *state) {
    const rm2_table table = {.columns = 3};
    rm2_column_choice choice = {.columns = "0-1"};
    size_t chosen[3], count;
    (void)state;
    return rm2_table_choose(context, "x", &table, &choice, chosen, &count);
}

static void each_fails(void **state) {
    context = *state;
    rm2_context_set_threads(context, 1);
    assert_true(fail_each_allocation(context, covariances, NULL) >= 1);
    assert_true(fail_each_allocation(context, choose, NULL) >= 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(each_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
