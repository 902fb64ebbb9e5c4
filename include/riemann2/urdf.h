/* Arms from URDF files. Part of libriemann2-urdf, which needs expat and is built where it is found. */
#ifndef RIEMANN2_URDF_H
#define RIEMANN2_URDF_H

#include "riemann2/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The chain from link `base` to link `tip` of the robot in a URDF file; poses are those of the tip link's frame
 * in the base link's. NULL: the link without a parent, and the only one without a child. Joints are revolute,
 * continuous, prismatic or fixed; mimic, floating and planar joints in the chain are refused, joints and links
 * outside of it are of no interest. A velocity limit of 0 or none means no limit. Files with a document type
 * declaration (entities) and xacro files are refused. Bodies are capsules around the <collision> spheres, cylinders and boxes
 * of the links; a link that has none, or a mesh, has its way to the next frame as a body. */
RM2_API rm2_status rm2_urdf_read(rm2_context *ctx, const char *path, const char *base,
                                 const char *tip, rm2_arm **arm);
/* The same from memory; `name` is that of the arm and of messages. */
RM2_API rm2_status rm2_urdf_parse(rm2_context *ctx, const char *name, size_t bytes,
                                  const char *text, const char *base, const char *tip,
                                  rm2_arm **arm);

#ifdef __cplusplus
}
#endif
#endif
