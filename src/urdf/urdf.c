/* The chain between two links of a URDF robot as an arm.
 *
 * A joint's frame is at xyz in its parent's, turned by Rz(yaw) Ry(pitch) Rx(roll), rpy = (roll, pitch, yaw); the
 * joint turns it about `axis` or moves it along it, and the child link's frame is the result. So the chain is found
 * from the tip towards the base: every link is the child of at most one joint. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "riemann2/io.h"
#include "urdf/urdf.h"

enum { LARGEST = 64 << 20 }; /* bytes of a file */

/* ---- the robot's tree ----------------------------------------------------------------------- */

static rm2_status find_link(rm2_context *ctx, const rm2i_urdf_robot *r, const char *what,
                            const char *name) {
    for (size_t i = 0; i < r->link_count; i++)
        if (strcmp(r->links[i], name) == 0)
            return RM2_OK;
    return rm2_context_fail(
        ctx, RM2_ERR_DATA,
        "%s: %s \"%.60s\" is not a link of this robot; its first is \"%.60s\", its last \"%.60s\"",
        r->file, what, name, r->links[0], r->links[r->link_count - 1]);
}

/* The joint whose child is this link; NULL: none, or several (*twice). */
static const rm2i_urdf_joint *joint_above(const rm2i_urdf_robot *r, const char *link, bool *twice) {
    const rm2i_urdf_joint *found = NULL;
    *twice = false;
    for (size_t i = 0; i < r->joint_count; i++) {
        if (strcmp(r->joints[i].child, link) != 0)
            continue;
        *twice = found != NULL;
        if (*twice)
            return NULL;
        found = &r->joints[i];
    }
    return found;
}

static bool has_child(const rm2i_urdf_robot *r, const char *link) {
    for (size_t i = 0; i < r->joint_count; i++)
        if (strcmp(r->joints[i].parent, link) == 0)
            return true;
    return false;
}

/* The only link without a parent (root) or without a child (leaf). */
static rm2_status only_link(rm2_context *ctx, const rm2i_urdf_robot *r, bool root,
                            const char **name) {
    const char *first = NULL, *second = NULL;
    for (size_t i = 0; i < r->link_count; i++) {
        bool twice, is_root = !joint_above(r, r->links[i], &twice) && !twice;
        if (root ? !is_root : has_child(r, r->links[i]))
            continue;
        second = first;
        first = r->links[i];
        if (second)
            break;
    }
    *name = first;
    if (first && !second)
        return RM2_OK;
    const char *what = root ? "base" : "tip";
    if (!first)
        return rm2_context_fail(ctx, RM2_ERR_DATA, "%s: the links form a cycle; name the %s link",
                                r->file, what);
    return rm2_context_fail(ctx, RM2_ERR_DATA,
                            "%s: \"%.60s\" and \"%.60s\" could be the %s link; name one", r->file,
                            second, first, what);
}

/* ---- one joint ------------------------------------------------------------------------------ */

void rm2i_urdf_turn(const double rpy[3], double q[4]) {
    double cr = cos(rpy[0] / 2), sr = sin(rpy[0] / 2), cp = cos(rpy[1] / 2), sp = sin(rpy[1] / 2);
    double cy = cos(rpy[2] / 2), sy = sin(rpy[2] / 2);
    q[0] = cr * cp * cy + sr * sp * sy;
    q[1] = sr * cp * cy - cr * sp * sy;
    q[2] = cr * sp * cy + sr * cp * sy;
    q[3] = cr * cp * sy - sr * sp * cy;
}

static rm2_status wrong_joint(rm2_context *ctx, const rm2i_urdf_robot *r, const rm2i_urdf_joint *j,
                              const char *problem) {
    return rm2_context_fail(ctx, RM2_ERR_DATA, "%s, line %zu: joint \"%.60s\" %s", r->file, j->line,
                            j->name, problem);
}

/* Limits of a joint that has them: URDF's default of a limit that is not given is 0. */
static rm2_status copy_limits(rm2_context *ctx, const rm2i_urdf_robot *r, const rm2i_urdf_joint *j,
                              rm2_frame *f) {
    f->lower = isnan(j->lower) ? 0 : j->lower;
    f->upper = isnan(j->upper) ? 0 : j->upper;
    if (isnan(j->lower) && isnan(j->upper))
        return wrong_joint(ctx, r, j, "needs <limit lower=... upper=...>");
    return f->lower < f->upper
               ? RM2_OK
               : wrong_joint(ctx, r, j, "has a lower limit that is not below the upper one");
}

static rm2_status convert_kind(rm2_context *ctx, const rm2i_urdf_robot *r, const rm2i_urdf_joint *j,
                               rm2_frame *f) {
    if (strcmp(j->type, "fixed") == 0) {
        f->kind = RM2_JOINT_FIXED;
        return RM2_OK;
    }
    if (j->mimic)
        return wrong_joint(
            ctx, r, j, "mimics another joint, which is not supported; choose a tip link before it");
    f->speed = j->velocity > 0 ? j->velocity : INFINITY;
    f->lower = -INFINITY;
    f->upper = INFINITY;
    f->kind = strcmp(j->type, "prismatic") == 0 ? RM2_JOINT_PRISMATIC : RM2_JOINT_REVOLUTE;
    if (strcmp(j->type, "continuous") == 0)
        return RM2_OK;
    if (strcmp(j->type, "revolute") == 0 || strcmp(j->type, "prismatic") == 0)
        return copy_limits(ctx, r, j, f);
    char text[160];
    (void)snprintf(text, sizeof text,
                   "is of type \"%.40s\"; revolute, continuous, prismatic and fixed are supported",
                   j->type);
    return wrong_joint(ctx, r, j, text);
}

static rm2_status frame_of(rm2_context *ctx, const rm2i_urdf_robot *r, const rm2i_urdf_joint *j,
                           rm2_frame *f) {
    *f = (rm2_frame){.name = j->name};
    memcpy(f->position, j->xyz, sizeof f->position);
    memcpy(f->axis, j->axis, sizeof f->axis);
    rm2i_urdf_turn(j->rpy, f->rotation);
    return convert_kind(ctx, r, j, f);
}

/* ---- the chain ------------------------------------------------------------------------------ */

/* Frames from the tip to the base, last first, and the links that they carry. */
static rm2_status collect(rm2_context *ctx, const rm2i_urdf_robot *r, const char *base,
                          const char *tip, rm2_frame *frames, const char **links, size_t *count) {
    const char *at = tip;
    for (*count = 0; strcmp(at, base) != 0; ++*count) {
        bool twice;
        const rm2i_urdf_joint *j = joint_above(r, at, &twice);
        if (twice)
            return rm2_context_fail(ctx, RM2_ERR_DATA,
                                    "%s: link \"%.60s\" is the child of two joints", r->file, at);
        if (!j)
            return rm2_context_fail(
                ctx, RM2_ERR_DATA,
                "%s: no joints lead from link \"%.60s\" to \"%.60s\": \"%.60s\" has no parent",
                r->file, base, tip, at);
        if (*count == r->joint_count)
            return rm2_context_fail(ctx, RM2_ERR_DATA, "%s: the links above \"%.60s\" form a cycle",
                                    r->file, tip);
        if (*count == RM2_ARM_MAX_LINKS)
            return rm2_context_fail(ctx, RM2_ERR_DATA,
                                    "%s: more than %d joints lead from \"%.60s\" to \"%.60s\"",
                                    r->file, RM2_ARM_MAX_LINKS, base, tip);
        RM2_TRY(find_link(ctx, r, "parent", j->parent));
        RM2_TRY(frame_of(ctx, r, j, &frames[*count]));
        links[*count] = at;
        at = j->parent;
    }
    return RM2_OK;
}

static rm2_status make(rm2_context *ctx, const rm2i_urdf_robot *r, const char *base,
                       const char *tip, rm2_arm **arm) {
    rm2_frame frames[RM2_ARM_MAX_LINKS];
    const char *links[RM2_ARM_MAX_LINKS + 1]; /* the base first */
    size_t count = 0;
    if (r->link_count == 0)
        return rm2_context_fail(ctx, RM2_ERR_DATA, "%s: the robot has no links", r->file);
    if (!base)
        RM2_TRY(only_link(ctx, r, true, &base));
    if (!tip)
        RM2_TRY(only_link(ctx, r, false, &tip));
    RM2_TRY(find_link(ctx, r, "base", base));
    RM2_TRY(find_link(ctx, r, "tip", tip));
    RM2_TRY(collect(ctx, r, base, tip, frames, links + 1, &count));
    links[0] = base;
    if (count == 0)
        return rm2_context_fail(ctx, RM2_ERR_DATA, "%s: base and tip are the same link \"%.60s\"",
                                r->file, base);
    for (size_t i = 0; i < count / 2; i++) {
        rm2_frame swap = frames[i];
        frames[i] = frames[count - 1 - i];
        frames[count - 1 - i] = swap;
        const char *name = links[1 + i];
        links[1 + i] = links[count - i];
        links[count - i] = name;
    }
    rm2_status status = rm2_arm_from_frames(ctx, r->file, frames, count, arm);
    if (status == RM2_OK)
        status = rm2i_urdf_set_bodies(ctx, r, links, *arm);
    if (status != RM2_OK) {
        rm2_arm_free(*arm);
        *arm = NULL;
    }
    return status == RM2_ERR_ARGUMENT ? RM2_ERR_DATA : status;
}

/* ---- public --------------------------------------------------------------------------------- */

rm2_status rm2_urdf_parse(rm2_context *ctx, const char *name, size_t bytes, const char *text,
                          const char *base, const char *tip, rm2_arm **arm) {
    RM2_REQUIRE(ctx, arm);
    *arm = NULL;
    RM2_REQUIRE(ctx, name);
    RM2_REQUIRE(ctx, text);
    rm2i_urdf_robot robot = {.file = name};
    rm2_status status = rm2i_urdf_scan(ctx, bytes, text, &robot);
    if (status == RM2_OK)
        status = make(ctx, &robot, base, tip, arm);
    rm2i_urdf_clear(&robot);
    return status;
}

rm2_status rm2_urdf_read(rm2_context *ctx, const char *path, const char *base, const char *tip,
                         rm2_arm **arm) {
    RM2_REQUIRE(ctx, arm);
    *arm = NULL;
    RM2_REQUIRE(ctx, path);
    char *text;
    size_t bytes;
    RM2_TRY(rm2_file_read(ctx, path, LARGEST, &text, &bytes, NULL));
    rm2_status status = rm2_urdf_parse(ctx, path, bytes, text, base, tip, arm);
    rm2_free(text);
    return status;
}
