/* cross.h: arguments that are missing are named. */
#include "api.h"

static void cross_validation(void **state) {
    rm2_context *ctx = *state;
    const double points[] = {0, 1, 2, 3};
    const rm2_fit_settings *candidates[] = {NULL};
    rm2_manifold *m;
    rm2_data *data;
    rm2_cross *cross;
    MUST(rm2_manifold_create(ctx, "R1", &m));
    rm2_data_arrays arrays = {.size = sizeof arrays, .manifold = m, .count = 4, .points = points};
    MUST(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL));
    NO_CONTEXT(rm2_cross_validate(NULL, data, NULL, 1, candidates, NULL, &cross));
    MISSING("data", rm2_cross_validate(ctx, NULL, NULL, 1, candidates, NULL, &cross));
    MISSING("candidates", rm2_cross_validate(ctx, data, NULL, 1, NULL, NULL, &cross));
    MISSING("cross", rm2_cross_validate(ctx, data, NULL, 1, candidates, NULL, NULL));
    rm2_cross_free(NULL);
    assert_string_equal(rm2_cross_measure_text((rm2_cross_measure)-1), "unknown");
    rm2_data_free(data);
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(cross_validation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
