/* geodesic.h: arguments that are missing are named. */
#include "api.h"

static void curves(void **state) {
    (void)state;
    rm2_curve_free(NULL);
    assert_string_equal(rm2_stage_text((rm2_geodesic_stage)77), "unknown stage");
}

static void centres(void **state) {
    rm2_context *ctx = *state;
    const double d[] = {0, 1, 1, 0};
    double cost;
    size_t medoid;
    NO_CONTEXT(rm2_distance_medoids(NULL, 2, d, 1, &medoid, NULL, &cost));
    MISSING("distance", rm2_distance_medoids(ctx, 2, NULL, 1, &medoid, NULL, &cost));
    MISSING("medoids", rm2_distance_medoids(ctx, 2, d, 1, NULL, NULL, &cost));
    MISSING("cost", rm2_distance_medoids(ctx, 2, d, 1, &medoid, NULL, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(curves), WITH_CONTEXT(centres)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
