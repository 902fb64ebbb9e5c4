/* region.h: arguments that are missing are named. */
#include <math.h>

#include "api.h"

static const rm2_region ball = {RM2_REGION_SPHERE, 2, {0, 0}, {0}, 1};

static void regions(void **state) {
    rm2_context *ctx = *state;
    const double y[2] = {0, 0};
    size_t count;
    rm2_region *list;
    NO_CONTEXT(rm2_region_check(NULL, &ball));
    MISSING("region", rm2_region_check(ctx, NULL));
    assert_true(isnan(rm2_region_distance(NULL, y, NULL)));
    assert_true(isnan(rm2_region_distance(&ball, NULL, NULL)));
    NO_CONTEXT(rm2_regions_parse(NULL, "", 2, &count, &list));
    MISSING("text", rm2_regions_parse(ctx, NULL, 2, &count, &list));
    MISSING("count", rm2_regions_parse(ctx, "", 2, NULL, &list));
    MISSING("regions", rm2_regions_parse(ctx, "", 2, &count, NULL));
    NO_CONTEXT(rm2_regions_read(NULL, "", 2, &count, &list));
    MISSING("path", rm2_regions_read(ctx, NULL, 2, &count, &list));
    MISSING("count", rm2_regions_read(ctx, "", 2, NULL, &list));
    MISSING("regions", rm2_regions_read(ctx, "", 2, &count, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
