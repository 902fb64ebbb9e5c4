/* The program without URDF files (no expat), in place of cli/urdf. */
#include "core/arm.h"

rm2_status urdf_open(rm2_context *ctx, const char *path, const arm_source *source, rm2_arm **arm) {
    (void)source;
    *arm = NULL;
    return rm2_context_fail(ctx, RM2_ERR_UNSUPPORTED,
                            "%s: built without URDF files: build riemann2 with expat (Debian: "
                            "libexpat1-dev), or describe the arm in a CSV file",
                            path);
}
