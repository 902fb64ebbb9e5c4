/* Covariances without an argument that they need. */
#include "api.h"
#include "front/data.h"

static void missing_arguments(void **state) {
    rm2_context *ctx = *state;
    double x[8] = {1, 2, 4, 3, 9, 1, 0, 5}, S[4];
    rm2_signals signals = {.size = sizeof signals, .samples = 4, .channels = 2, .values = x},
                empty = {.size = sizeof empty, .samples = 4, .channels = 2};
    rm2_signals no_begin = signals;
    rm2_window_info info = {.size = sizeof info, .fault = RM2_WINDOW_GOOD},
                    odd = {.size = sizeof odd, .fault = (rm2_window_fault)77};
    no_begin.windows = 2;
    no_begin.length = 2;
    NO_CONTEXT(rm2_covariances(NULL, &signals, NULL, S, NULL));
    MISSING("signals", rm2_covariances(ctx, NULL, NULL, S, NULL));
    MISSING("matrices", rm2_covariances(ctx, &signals, NULL, NULL, NULL));
    MISSING("s->values", rm2_covariances(ctx, &empty, NULL, S, NULL));
    MISSING("s->begin", rm2_covariances(ctx, &no_begin, NULL, S, NULL));
    NO_CONTEXT(rm2_window_explain(NULL, &signals, NULL, 0, &info));
    MISSING("signals", rm2_window_explain(ctx, NULL, NULL, 0, &info));
    MISSING("info", rm2_window_explain(ctx, &signals, NULL, 0, NULL));
    REFUSED("no window 1", rm2_window_explain(ctx, &signals, NULL, 1, &info));
    REFUSED("info.fault is 77", rm2_window_explain(ctx, &signals, NULL, 0, &odd));
    empty.channels = 0;
    REFUSED("0 channels", rm2_covariances(ctx, &empty, NULL, S, NULL));
    assert_non_null(rm2_settings_table_of(RM2_SETTINGS_COVARIANCE));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(missing_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
