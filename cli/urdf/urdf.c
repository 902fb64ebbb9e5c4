/* Arms from URDF files: the only part of the program that knows libriemann2-urdf. */
#include "riemann2/urdf.h"
#include "core/arm.h"

rm2_status urdf_open(rm2_context *ctx, const char *path, const arm_source *source, rm2_arm **arm) {
    return rm2_urdf_read(ctx, path, source->base, source->tip, arm);
}
