/* Arms as tables of links or chains of frames, and the two that are built in.
 *
 * Panda: Denavit-Hartenberg parameters in Craig's convention, joint and speed limits as published by
 * Franka Emika ("Robot and interface specifications" of the Franka Control Interface documentation);
 * the last row is the flange, 107 mm in front of the last joint. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "io/io.h"
#include "linalg/dense.h"
#include "robot/robot.h"

static const double half_pi = 1.57079632679489661923;

/* ---- tables --------------------------------------------------------------------------------- */

const char *rm2i_link_problem(const rm2_link *l) {
    if (!isfinite(l->a) || !isfinite(l->d) || !isfinite(l->alpha) || !isfinite(l->theta))
        return "a, d, alpha and theta must be finite numbers";
    if (fabs(l->alpha) > 4 * half_pi + 1e-9 || fabs(l->theta) > 4 * half_pi + 1e-9)
        return "alpha and theta are angles in radians, at most 2 pi";
    if (isnan(l->lower) || isnan(l->upper) || l->lower > l->upper)
        return "the lower limit is above the upper one";
    if (l->lower == l->upper && !isfinite(l->lower))
        return "a joint with equal limits must have finite ones";
    if (!(l->speed > 0))
        return "the largest speed must be positive";
    return NULL;
}

static bool moves(const rm2_link *l) {
    return l->lower < l->upper;
}

/* Rx(alpha) Dx(a) ... Dz(d): frame i is at (a, -sin(alpha) d, cos(alpha) d) in frame i-1. */
static rm2i_segment segment_of_link(const rm2_link *l) {
    return (rm2i_segment){.kind = moves(l) ? RM2_JOINT_REVOLUTE : RM2_JOINT_FIXED,
                          .shift = {l->a, -sin(l->alpha) * l->d, cos(l->alpha) * l->d},
                          .turn = {cos(l->alpha / 2), sin(l->alpha / 2), 0, 0},
                          .axis = {0, 0, 1},
                          .offset = l->theta + (moves(l) ? 0 : l->lower)};
}

static const char *frame_problem(const rm2_frame *f) {
    double turn = rm2i_norm(4, f->rotation), axis = rm2i_norm(3, f->axis);
    if (f->kind != RM2_JOINT_FIXED && f->kind != RM2_JOINT_REVOLUTE &&
        f->kind != RM2_JOINT_PRISMATIC)
        return "unknown kind of joint";
    if (!isfinite(rm2i_norm(3, f->position)))
        return "the position must be finite numbers";
    if (!(fabs(turn - 1) < 1e-6))
        return "the rotation must be a quaternion of length 1";
    if (f->kind == RM2_JOINT_FIXED)
        return NULL;
    if (!(axis > 1 / RM2I_LARGEST) || !isfinite(axis))
        return "the axis must be a finite vector that is not zero";
    if (!(f->lower < f->upper))
        return "the lower limit must be below the upper one";
    if (f->kind == RM2_JOINT_PRISMATIC && !(isfinite(f->lower) && isfinite(f->upper)))
        return "a prismatic joint needs finite limits";
    return f->speed > 0 ? NULL : "the largest speed must be positive";
}

static rm2i_segment segment_of_frame(const rm2_frame *f) {
    rm2i_segment s = {.kind = f->kind, .axis = {0, 0, 1}};
    double turn = rm2i_norm(4, f->rotation), axis = rm2i_norm(3, f->axis);
    memcpy(s.shift, f->position, sizeof s.shift);
    for (int i = 0; i < 4; i++)
        s.turn[i] = f->rotation[i] / turn;
    for (int i = 0; i < 3 && f->kind != RM2_JOINT_FIXED; i++)
        s.axis[i] = f->axis[i] / axis;
    return s;
}

static rm2_link link_of_frame(const rm2_frame *f) {
    bool fixed = f->kind == RM2_JOINT_FIXED;
    return (rm2_link){.a = NAN,
                      .d = NAN,
                      .alpha = NAN,
                      .theta = NAN,
                      .lower = fixed ? 0 : f->lower,
                      .upper = fixed ? 0 : f->upper,
                      .speed = fixed ? INFINITY : f->speed};
}

/* One more link; `name` of its joint may be NULL. */
static rm2_status append(rm2_context *ctx, rm2_arm *arm, const rm2_link *link,
                         const rm2i_segment *segment, const char *name) {
    size_t i = arm->links++;
    arm->link[i] = *link;
    arm->segment[i] = *segment;
    arm->reach += rm2i_piece_length(arm, i);
    if (!moves(link))
        return RM2_OK;
    char numbered[32];
    size_t k = arm->joints++;
    arm->link_of[k] = i;
    (void)snprintf(numbered, sizeof numbered, "joint%zu", k + 1);
    return rm2i_strdup(ctx, name ? name : numbered, &arm->joint_name[k]);
}

static rm2_status finish(rm2_context *ctx, const char *name, rm2_arm *arm) {
    if (arm->joints == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "arm %s has no joint that moves", name);
    if (!(arm->reach > 1 / RM2I_LARGEST && arm->reach < RM2I_LARGEST))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "arm %s has links of %g in all; choose other units",
                         name, arm->reach);
    RM2_TRY(rm2i_strdup(ctx, name, &arm->name));
    return rm2i_arm_default_bodies(ctx, arm, NULL);
}

/* An arm of links or of frames. */
typedef struct description {
    const char *name;
    const rm2_link *links;
    const rm2_frame *frames; /* where links is NULL */
    const char *prefix;      /* of the joints' names: PREFIX1, PREFIX2, ...; NULL: their own */
    size_t count;
} description;

static rm2_status fill(rm2_context *ctx, const description *d, rm2_arm *arm) {
    char numbered[64];
    for (size_t i = 0; i < d->count; i++) {
        const rm2_frame *f = d->links ? NULL : &d->frames[i];
        const char *problem = f ? frame_problem(f) : rm2i_link_problem(&d->links[i]);
        if (problem)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "arm %s, link %zu: %s", d->name, i + 1,
                             problem);
        rm2_link link = f ? link_of_frame(f) : d->links[i];
        rm2i_segment segment = f ? segment_of_frame(f) : segment_of_link(&link);
        (void)snprintf(numbered, sizeof numbered, "%s%zu", d->prefix ? d->prefix : "",
                       arm->joints + 1);
        RM2_TRY(append(ctx, arm, &link, &segment, d->prefix ? numbered : f ? f->name : NULL));
    }
    return finish(ctx, d->name, arm);
}

static rm2_status create(rm2_context *ctx, const description *d, rm2_arm **arm) {
    if (d->count == 0 || d->count > RM2_ARM_MAX_LINKS)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "arm %s has %zu links; 1 to %d are supported",
                         d->name, d->count, RM2_ARM_MAX_LINKS);
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof **arm, arm));
    rm2_status status = fill(ctx, d, *arm);
    if (status != RM2_OK) {
        rm2_arm_free(*arm);
        *arm = NULL;
    }
    return status;
}

rm2_status rm2_arm_create(rm2_context *ctx, const char *name, const rm2_link *links, size_t count,
                          rm2_arm **arm) {
    RM2_REQUIRE(ctx, arm);
    *arm = NULL;
    RM2_REQUIRE(ctx, name, links);
    return create(ctx, &(description){.name = name, .links = links, .count = count}, arm);
}

rm2_status rm2_arm_from_frames(rm2_context *ctx, const char *name, const rm2_frame *frames,
                               size_t count, rm2_arm **arm) {
    RM2_REQUIRE(ctx, arm);
    *arm = NULL;
    RM2_REQUIRE(ctx, name, frames);
    return create(ctx, &(description){.name = name, .frames = frames, .count = count}, arm);
}

void rm2_arm_free(rm2_arm *arm) {
    if (!arm)
        return;
    for (size_t k = 0; k < arm->joints; k++)
        free(arm->joint_name[k]);
    free(arm->name);
    free(arm->body);
    free(arm);
}

const char *rm2_arm_name(const rm2_arm *arm) {
    return arm ? arm->name : "";
}

size_t rm2_arm_joints(const rm2_arm *arm) {
    return arm ? arm->joints : 0;
}

size_t rm2_arm_links(const rm2_arm *arm) {
    return arm ? arm->links : 0;
}

const rm2_link *rm2i_arm_link(const rm2_arm *arm, size_t link) {
    return arm && link < arm->links ? &arm->link[link] : NULL;
}

const rm2_link *rm2_arm_joint(const rm2_arm *arm, size_t joint) {
    return arm && joint < arm->joints ? &arm->link[arm->link_of[joint]] : NULL;
}

const char *rm2_arm_joint_name(const rm2_arm *arm, size_t joint) {
    return arm && joint < arm->joints ? arm->joint_name[joint] : "";
}

rm2_joint_kind rm2_arm_joint_kind(const rm2_arm *arm, size_t joint) {
    return arm && joint < arm->joints ? arm->segment[arm->link_of[joint]].kind : RM2_JOINT_FIXED;
}

double rm2_arm_reach(const rm2_arm *arm) {
    return arm ? arm->reach : 0;
}

/* ---- built-in arms -------------------------------------------------------------------------- */

static rm2_status create_panda(rm2_context *ctx, rm2_arm **arm) {
    const double slow = 2.1750, fast = 2.6100; /* rad/s */
    const rm2_link links[] = {
        {0, 0.333, 0, 0, -2.8973, 2.8973, slow},
        {0, 0, -half_pi, 0, -1.7628, 1.7628, slow},
        {0, 0.316, half_pi, 0, -2.8973, 2.8973, slow},
        {0.0825, 0, half_pi, 0, -3.0718, -0.0698, slow},
        {-0.0825, 0.384, -half_pi, 0, -2.8973, 2.8973, fast},
        {0, 0, half_pi, 0, -0.0175, 3.7525, fast},
        {0.088, 0, half_pi, 0, -2.8973, 2.8973, fast},
        {0, 0.107, 0, 0, 0, 0, INFINITY},
    };
    const description panda = {.name = "panda",
                               .links = links,
                               .prefix = "panda_joint", /* as in its URDF description */
                               .count = sizeof links / sizeof links[0]};
    return create(ctx, &panda, arm);
}

/* Joint i turns about the end of link i-1, so that link i's length is the next row's a. */
static rm2_status create_planar(rm2_context *ctx, const char *spec, size_t count,
                                const double *lengths, rm2_arm **arm) {
    rm2_link links[RM2_ARM_MAX_LINKS] = {{.a = 0}};
    for (size_t i = 0; i < count; i++)
        links[i] = (rm2_link){
            .a = i ? lengths[i - 1] : 0, .lower = -INFINITY, .upper = INFINITY, .speed = INFINITY};
    links[count] = (rm2_link){.a = lengths[count - 1], .speed = INFINITY};
    return rm2_arm_create(ctx, spec, links, count + 1, arm);
}

static rm2_status parse_planar(rm2_context *ctx, const char *spec, rm2_arm **arm) {
    double lengths[RM2_ARM_MAX_LINKS];
    size_t count = 0;
    const char *at = strchr(spec, ':') + 1;
    for (;; at++) {
        if (count == RM2_ARM_MAX_LINKS - 1)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a planar arm has at most %d links",
                             RM2_ARM_MAX_LINKS - 1);
        at = rm2i_parse_double(at, &lengths[count]);
        if (!at || (*at && *at != ',') || !(lengths[count] > 0) || !isfinite(lengths[count]))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "arm \"%.60s\": expected lengths of links such as planar:1,1,0.5",
                             spec);
        count++;
        if (!*at)
            return create_planar(ctx, spec, count, lengths, arm);
    }
}

/* The known arm that begins with the same letters, two or more. */
static const char *nearest_arm(const char *spec) {
    static const char *const known[] = {"panda", "planar:1,1,0.5"};
    const char *nearest = NULL;
    for (size_t i = 0, most = 1; i < sizeof known / sizeof known[0]; i++) {
        size_t shared = 0;
        while (spec[shared] && spec[shared] == known[i][shared])
            shared++;
        if (shared > most) {
            most = shared;
            nearest = known[i];
        }
    }
    return nearest;
}

static rm2_status fail_unknown(rm2_context *ctx, const char *spec) {
    const char *nearest = nearest_arm(spec);
    return rm2i_fail(
        ctx, RM2_ERR_ARGUMENT,
        "unknown arm \"%.60s\"%s%s%s; known: panda, planar:L1,L2,..., URDF files (*.urdf) "
        "and CSV files of modified Denavit-Hartenberg parameters",
        spec, nearest ? " (did you mean " : "", nearest ? nearest : "", nearest ? "?)" : "");
}

rm2_status rm2_arm_read(rm2_context *ctx, const char *spec, rm2_arm **arm) {
    RM2_REQUIRE(ctx, arm);
    *arm = NULL;
    RM2_REQUIRE(ctx, spec);
    if (strcmp(spec, "panda") == 0)
        return create_panda(ctx, arm);
    if (strncmp(spec, "planar:", strlen("planar:")) == 0) {
        rm2i_c_locale scope;
        RM2_TRY(rm2i_c_locale_enter(ctx, &scope));
        rm2_status status = parse_planar(ctx, spec, arm);
        rm2i_c_locale_leave(&scope);
        return status;
    }
    size_t length = strlen(spec);
    if (length >= 5 && strcmp(spec + length - 5, ".urdf") == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: URDF files are read by rm2_urdf_read of libriemann2-urdf", spec);
    if (!strpbrk(spec, "./"))
        return fail_unknown(ctx, spec);
    return rm2i_arm_read(ctx, spec, arm);
}
