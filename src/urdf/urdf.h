/* URDF files inside libriemann2-urdf: a library of its own, on installed headers and expat.
 *
 *   urdf_parse.c    bytes to a robot: links and joints as they stand in the file
 *   urdf.c          the chain between two links as frames of an arm
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

typedef struct rm2i_urdf_robot {
    const char *file; /* for messages */
    char **links;
    rm2i_urdf_joint *joints;
    size_t link_count, joint_count;
} rm2i_urdf_robot;

/* What is read is freed by rm2i_urdf_clear, after a failure too. */
rm2_status rm2i_urdf_scan(rm2_context *ctx, size_t bytes, const char *text, rm2i_urdf_robot *robot);
void rm2i_urdf_clear(rm2i_urdf_robot *robot);

#endif
