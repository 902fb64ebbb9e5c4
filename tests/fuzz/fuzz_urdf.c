/* URDF files. Any text is an arm with joints that have names, or an error with a message of one line. */
#include <string.h>

#include "fuzz.h"
#include "riemann2/urdf.h"

static void check_arm(const rm2_arm *arm) {
    size_t joints = rm2_arm_joints(arm);
    CHECK(joints > 0);
    for (size_t k = 0; k < joints; k++)
        CHECK(rm2_arm_joint_name(arm, k));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    rm2_arm *arm = NULL;
    char *text = malloc(size + 1);
    CHECK(text && rm2_context_create(&ctx) == RM2_OK);
    memcpy(text, data, size);
    text[size] = '\0';
    if (rm2_urdf_parse(ctx, "arm.urdf", size, text, NULL, NULL, &arm) == RM2_OK)
        check_arm(arm);
    else
        CHECK(!arm && rm2_context_error(ctx)[0] && !strchr(rm2_context_error(ctx), '\n'));
    rm2_arm_free(arm);
    rm2_context_free(ctx);
    free(text);
    return 0;
}
