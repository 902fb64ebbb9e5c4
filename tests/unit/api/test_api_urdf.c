/* urdf.h: arguments that are missing are named. */
#include "api.h"
#include "riemann2/urdf.h"

static void arms(void **state) {
    rm2_context *ctx = *state;
    rm2_arm *arm;
    NO_CONTEXT(rm2_urdf_read(NULL, "a.urdf", NULL, NULL, &arm));
    MISSING("arm", rm2_urdf_read(ctx, "a.urdf", NULL, NULL, NULL));
    MISSING("path", rm2_urdf_read(ctx, NULL, NULL, NULL, &arm));
    assert_null(arm);
    NO_CONTEXT(rm2_urdf_parse(NULL, "a", 0, "", NULL, NULL, &arm));
    MISSING("arm", rm2_urdf_parse(ctx, "a", 0, "", NULL, NULL, NULL));
    MISSING("name", rm2_urdf_parse(ctx, NULL, 0, "", NULL, NULL, &arm));
    MISSING("text", rm2_urdf_parse(ctx, "a", 0, NULL, NULL, NULL, &arm));
    assert_null(arm);
}

int main(void) {
    const struct CMUnitTest tests[] = {WITH_CONTEXT(arms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
