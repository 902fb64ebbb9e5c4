/* Shapes of links as capsules around them, with R the turn of the shape and c its place in the link's frame:
 *
 *     sphere      c, the radius
 *     cylinder    c -+ R z length/2, the radius: it stands out by the radius at both ends
 *     box         c -+ R a/2 along its longest side a, half the diagonal of the other two
 */
#include <math.h>
#include <string.h>

#include "urdf/urdf.h"

/* R axis_k: v + 2 w (u x v) + 2 u x (u x v) of the quaternion (w, u). */
static void turned_axis(const double q[4], size_t k, double out[3]) {
    double v[3] = {k == 0, k == 1, k == 2}, uv[3], uuv[3];
    const double *u = q + 1;
    for (size_t i = 0; i < 3; i++)
        uv[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    for (size_t i = 0; i < 3; i++)
        uuv[i] = u[(i + 1) % 3] * uv[(i + 2) % 3] - u[(i + 2) % 3] * uv[(i + 1) % 3];
    for (size_t i = 0; i < 3; i++)
        out[i] = v[i] + 2 * (q[0] * uv[i] + uuv[i]);
}

static rm2_arm_body body_around(const rm2i_urdf_shape *s, size_t frame, const char *name) {
    rm2_arm_body b = {.name = name, .frame = {frame, frame}, .radius = s->size[0]};
    double q[4], axis[3], half = 0;
    size_t along = 2; /* z */
    if (s->form == RM2I_URDF_CYLINDER)
        half = s->size[1] / 2;
    if (s->form == RM2I_URDF_BOX) {
        for (size_t k = 0; k < 2; k++)
            along = s->size[k] > s->size[along] ? k : along;
        half = s->size[along] / 2;
        b.radius = hypot(s->size[(along + 1) % 3], s->size[(along + 2) % 3]) / 2;
    }
    rm2i_urdf_turn(s->rpy, q);
    turned_axis(q, along, axis);
    for (size_t k = 0; k < 3; k++) {
        b.end[0][k] = s->xyz[k] - half * axis[k];
        b.end[1][k] = s->xyz[k] + half * axis[k];
    }
    return b;
}

/* A list of bodies that grows; one too many is counted, and refused by the arm. */
typedef struct body_list {
    rm2_arm_body items[RM2_ARM_MAX_BODIES + 1];
    size_t count;
} body_list;

static void append(body_list *list, const rm2_arm_body *body) {
    if (list->count <= RM2_ARM_MAX_BODIES)
        list->items[list->count++] = *body;
}

/* Shapes of a link that have a size; is that all of it? */
static bool add_shapes(const rm2i_urdf_robot *r, const char *link, size_t frame, body_list *list) {
    bool found = false, all = true;
    for (size_t i = 0; i < r->shape_count; i++) {
        const rm2i_urdf_shape *s = &r->shapes[i];
        if (strcmp(r->links[s->link], link) != 0)
            continue;
        bool sized = s->form != RM2I_URDF_MESH && s->form != RM2I_URDF_NO_FORM;
        found = true;
        all = all && sized;
        if (!sized)
            continue;
        const rm2_arm_body body = body_around(s, frame, link);
        append(list, &body);
    }
    return found && all;
}

static void add_piece(const rm2_arm *arm, const char *link, size_t frame, body_list *list) {
    for (size_t i = 0; i < rm2_arm_bodies(arm); i++) {
        rm2_arm_body body = *rm2_arm_body_at(arm, i);
        body.name = link;
        if (body.frame[0] == frame)
            append(list, &body);
    }
}

rm2_status rm2i_urdf_set_bodies(rm2_context *ctx, const rm2i_urdf_robot *r,
                                const char *const *links, rm2_arm *arm) {
    body_list list = {.count = 0};
    for (size_t frame = 0; frame <= rm2_arm_links(arm); frame++)
        if (!add_shapes(r, links[frame], frame, &list))
            add_piece(arm, links[frame], frame, &list);
    return rm2_arm_set_bodies(ctx, arm, list.count, list.items);
}
