/* Arms from URDF files. The library libriemann2-urdf needs expat and is built if expat is found. */
#ifndef RIEMANN2_URDF_H
#define RIEMANN2_URDF_H

#include "riemann2/robot.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Read the chain between two links of the robot in a URDF file. Joints may be revolute, continuous,
 * prismatic or fixed; mimic, floating and planar joints in the chain are refused, and joints and
 * links outside of it are ignored. A velocity limit of 0 or none means no limit. Files with a
 * document type declaration (entities) and xacro files are refused. Bodies are capsules around the
 * <collision> spheres, cylinders and boxes of the links; a link without any, or with a mesh, has a
 * body from its frame to the next one.
 *
 * @param ctx  context
 * @param path  the file
 * @param base  first link of the chain; NULL: the link without a parent
 * @param tip  last link of the chain, whose frame the poses describe in the frame of `base`; NULL:
 *     the only link without a child
 * @param arm  result, freed with rm2_arm_free
 */
RM2_API rm2_status rm2_urdf_read(rm2_context *ctx, const char *path, const char *base,
                                 const char *tip, rm2_arm **arm);
/* Read such a chain from memory.
 *
 * @param ctx  context
 * @param name  name of the arm, in messages
 * @param bytes  number of bytes of `text`
 * @param text  contents of a URDF file
 * @param base  first link of the chain; NULL: the link without a parent
 * @param tip  last link of the chain; NULL: the only link without a child
 * @param arm  result, freed with rm2_arm_free
 */
RM2_API rm2_status rm2_urdf_parse(rm2_context *ctx, const char *name, size_t bytes,
                                  const char *text, const char *base, const char *tip,
                                  rm2_arm **arm);

#ifdef __cplusplus
}
#endif
#endif
