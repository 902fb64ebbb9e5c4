/* Arms from tables of links. An arm that is taken has joints, a finite reach and a pose of finite numbers; otherwise there is a
 * message of one line. */
#include <math.h>
#include <string.h>

#include "fuzz_file.h"
#include "robot/robot.h"

static void check_arm(rm2_context *ctx, const rm2_arm *arm) {
    size_t joints = rm2_arm_joints(arm);
    double q[RM2_ARM_MAX_LINKS] = {0}, pose[7];
    CHECK(joints > 0 && joints <= RM2_ARM_MAX_LINKS && isfinite(rm2_arm_reach(arm)));
    CHECK(rm2_arm_pose(ctx, arm, 1, q, pose) == RM2_OK);
    for (size_t k = 0; k < 7; k++)
        CHECK(isfinite(pose[k]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    rm2_arm *arm = NULL;
    const char *path = fuzz_file(data, size);
    CHECK(rm2_context_create(&ctx) == RM2_OK);
    if (rm2_arm_read(ctx, path, &arm) == RM2_OK)
        check_arm(ctx, arm);
    else
        CHECK(!arm && rm2_context_error(ctx)[0] && !strchr(rm2_context_error(ctx), '\n'));
    rm2_arm_free(arm);
    rm2_context_free(ctx);
    return 0;
}
