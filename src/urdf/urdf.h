/* URDF files inside libriemann2-urdf: a library of its own, on installed headers and expat.
 *
 *   urdf_parse.c    bytes to a robot: links and joints as they stand in the file
 *   urdf.c          the chain between two links as frames of an arm
 *   urdf_bodies.c   shapes of its links as bodies of the arm
 */
#ifndef RM2I_URDF_H
#define RM2I_URDF_H

#include "riemann2/urdf.h"

/* As in the library below: name a missing argument, hand up a failure. */
#define RM2_REQUIRE(ctx, pointer)                                                                  \
    do {                                                                                           \
        if (!(ctx) || !(pointer))                                                                  \
            return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "argument '%s' is NULL", #pointer);     \
    } while (0)
#define RM2_TRY(call)                                                                              \
    do {                                                                                           \
        rm2_status rm2_try_status_ = (call);                                                       \
        if (rm2_try_status_ != RM2_OK)                                                             \
            return rm2_try_status_;                                                                \
    } while (0)

enum { RM2I_URDF_MOST = 4096 }; /* links, and joints */

typedef struct rm2i_urdf_joint {
    char *name, *type, *parent, *child;
    char *mimic; /* the joint it follows; NULL: none */
    double xyz[3], rpy[3], axis[3];
    double lower, upper, velocity; /* NaN: not given */
    size_t line;
} rm2i_urdf_joint;

typedef enum rm2i_urdf_form {
    RM2I_URDF_NO_FORM, /* not known yet */
    RM2I_URDF_SPHERE,
    RM2I_URDF_CYLINDER,
    RM2I_URDF_BOX,
    RM2I_URDF_MESH /* or anything else whose size is not in the file */
} rm2i_urdf_form;

/* A <collision> of a link. */
typedef struct rm2i_urdf_shape {
    size_t link;
    rm2i_urdf_form form;
    double xyz[3], rpy[3];
    double size[3]; /* radius; radius and length; sides */
} rm2i_urdf_shape;

typedef struct rm2i_urdf_robot {
    const char *file; /* for messages */
    char **links;
    rm2i_urdf_joint *joints;
    rm2i_urdf_shape *shapes;
    size_t link_count, joint_count, shape_count;
} rm2i_urdf_robot;

/* Rz(yaw) Ry(pitch) Rx(roll) as a quaternion. */
void rm2i_urdf_turn(const double rpy[3], double q[4]);
/* Bodies of an arm whose frames are those of these links (links of the arm + 1): capsules around the shapes of a link; where it
 * has none, or a mesh, the arm's own. */
rm2_status rm2i_urdf_set_bodies(rm2_context *ctx, const rm2i_urdf_robot *robot,
                                const char *const *links, rm2_arm *arm);

/* What is read is freed by rm2i_urdf_clear, after a failure too. */
rm2_status rm2i_urdf_scan(rm2_context *ctx, size_t bytes, const char *text, rm2i_urdf_robot *robot);
void rm2i_urdf_clear(rm2i_urdf_robot *robot);

#endif
