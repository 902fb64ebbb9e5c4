/* What the links of an arm fill: capsules whose ends are fixed to frames. By default one from the origin of each frame to
 * that of the next one. A prismatic joint moves the far end, a revolute one does not: it turns about that origin. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "robot/robot.h"

static const double SLIM = 0.05; /* default radius, as a part of the reach */
enum { NAME_SIZE = 64 };

/* ---- making --------------------------------------------------------------------------------- */

static const char *body_problem(const rm2_arm *arm, const rm2_arm_body *b) {
    if (b->frame[0] > arm->links || b->frame[1] > arm->links)
        return "a frame that the arm does not have";
    if (!(rm2i_norm(3, b->end[0]) < RM2I_LARGEST && rm2i_norm(3, b->end[1]) < RM2I_LARGEST))
        return "ends that are not finite numbers";
    return b->radius > 0 && b->radius < RM2I_LARGEST ? NULL
                                                     : "a radius that is not positive and finite";
}

/* Copies, their names behind them. */
static rm2_status copy_bodies(rm2_context *ctx, size_t count, const rm2_arm_body *bodies,
                              rm2_arm_body **made) {
    RM2_TRY(rm2i_calloc(ctx, count, sizeof **made + NAME_SIZE, made));
    char *name = (char *)(*made + count);
    for (size_t i = 0; i < count; i++, name += NAME_SIZE) {
        const rm2_arm_body *b = &bodies[i];
        (*made)[i] = *b;
        (*made)[i].name = name;
        if (b->name)
            (void)snprintf(name, NAME_SIZE, "%s", b->name);
        else
            (void)snprintf(name, NAME_SIZE, "link%zu", b->frame[0]);
    }
    return RM2_OK;
}

rm2_status rm2_arm_set_bodies(rm2_context *ctx, rm2_arm *arm, size_t count,
                              const rm2_arm_body *bodies) {
    RM2_REQUIRE(ctx, arm, bodies);
    if (count == 0 || count > RM2_ARM_MAX_BODIES)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "an arm has 1 to %d bodies, not %zu",
                         RM2_ARM_MAX_BODIES, count);
    for (size_t i = 0; i < count; i++) {
        const char *problem = body_problem(arm, &bodies[i]);
        if (problem)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "body %zu has %s", i, problem);
    }
    rm2_arm_body *made;
    RM2_TRY(copy_bodies(ctx, count, bodies, &made));
    free(arm->body);
    arm->body = made;
    arm->bodies = count;
    return RM2_OK;
}

/* The piece from the origin of frame i to that of frame i + 1; false: both are always the same. */
static bool piece(const rm2_arm *arm, size_t i, rm2_arm_body *body) {
    const rm2i_segment *s = &arm->segment[i];
    bool slides = s->kind == RM2_JOINT_PRISMATIC;
    *body = (rm2_arm_body){.frame = {i, slides ? i + 1 : i}, .radius = SLIM * arm->reach};
    if (!slides)
        memcpy(body->end[1], s->shift, sizeof s->shift);
    return slides || rm2i_norm(3, s->shift) > 0;
}

rm2_status rm2i_arm_default_bodies(rm2_context *ctx, rm2_arm *arm, const double *radii) {
    rm2_arm_body list[RM2_ARM_MAX_LINKS];
    size_t count = 0;
    for (size_t i = 0; i < arm->links; i++) {
        if (!piece(arm, i, &list[count]))
            continue;
        if (radii && !isnan(radii[i]))
            list[count].radius = radii[i];
        count++;
    }
    return rm2_arm_set_bodies(ctx, arm, count, list);
}

rm2_status rm2_arm_set_radii(rm2_context *ctx, rm2_arm *arm, size_t count, const double *radii) {
    RM2_REQUIRE(ctx, arm, radii);
    if (count != 1 && count != arm->bodies)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "arm %s: expected 1 radius or %zu, one for each of %s to %s, got %zu",
                         arm->name, arm->bodies, arm->body[0].name, arm->body[arm->bodies - 1].name,
                         count);
    for (size_t i = 0; i < count; i++)
        if (!(radii[i] > 0 && radii[i] < RM2I_LARGEST))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "radii of links must be positive, not %g",
                             radii[i]);
    for (size_t i = 0; i < arm->bodies; i++)
        arm->body[i].radius = radii[count == 1 ? 0 : i];
    return RM2_OK;
}

/* ---- asking --------------------------------------------------------------------------------- */

size_t rm2_arm_bodies(const rm2_arm *arm) {
    return arm ? arm->bodies : 0;
}

const rm2_arm_body *rm2_arm_body_at(const rm2_arm *arm, size_t body) {
    return arm && body < arm->bodies ? &arm->body[body] : NULL;
}

double rm2i_piece_length(const rm2_arm *arm, size_t i) {
    const rm2i_segment *s = &arm->segment[i];
    const rm2_link *l = &arm->link[i];
    double slide = s->kind == RM2_JOINT_PRISMATIC ? fmax(fabs(l->lower), fabs(l->upper)) : 0;
    return rm2i_norm(3, s->shift) + slide;
}
