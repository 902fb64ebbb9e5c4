#include "core/arm.h"

#include "core/work.h"

rm2_status arm_open(rm2_context *ctx, const arm_source *source, rm2_arm **arm) {
    if (source->urdf || has_ending(source->spec, ".urdf"))
        return urdf_open(ctx, source->urdf ? source->urdf : source->spec, source, arm);
    return rm2_arm_open(ctx, source->spec, arm);
}
