/* Arms as tables of links, and the two that are built in.
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
static rm2i_segment segment_of(const rm2_link *l) {
    return (rm2i_segment){.shift = {l->a, -sin(l->alpha) * l->d, cos(l->alpha) * l->d},
                          .cosine = cos(l->alpha / 2),
                          .sine = sin(l->alpha / 2)};
}

static rm2_status fill(rm2_context *ctx, const char *name, const rm2_link *links, size_t count,
                       rm2_arm *arm) {
    for (size_t i = 0; i < count; i++) {
        const char *problem = rm2i_link_problem(&links[i]);
        if (problem)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "arm %s, link %zu: %s", name, i + 1, problem);
        arm->link[i] = links[i];
        arm->segment[i] = segment_of(&links[i]);
        arm->reach += hypot(links[i].a, links[i].d);
        if (moves(&links[i]))
            arm->link_of[arm->joints++] = i;
    }
    arm->links = count;
    if (arm->joints == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "arm %s has no joint that moves", name);
    if (!(arm->reach > 1 / RM2I_LARGEST && arm->reach < RM2I_LARGEST))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "arm %s has links of %g in all; choose other units",
                         name, arm->reach);
    return rm2i_strdup(ctx, name, &arm->name);
}

rm2_status rm2_arm_create(rm2_context *ctx, const char *name, const rm2_link *links, size_t count,
                          rm2_arm **arm) {
    RM2_REQUIRE(ctx, arm);
    *arm = NULL;
    RM2_REQUIRE(ctx, name, links);
    if (count == 0 || count > RM2_ARM_MAX_LINKS)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "arm %s has %zu links; 1 to %d are supported", name,
                         count, RM2_ARM_MAX_LINKS);
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof **arm, arm));
    rm2_status status = fill(ctx, name, links, count, *arm);
    if (status != RM2_OK) {
        rm2_arm_free(*arm);
        *arm = NULL;
    }
    return status;
}

void rm2_arm_free(rm2_arm *arm) {
    if (arm)
        free(arm->name);
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

const rm2_link *rm2_arm_link(const rm2_arm *arm, size_t link) {
    return arm && link < arm->links ? &arm->link[link] : NULL;
}

const rm2_link *rm2_arm_joint(const rm2_arm *arm, size_t joint) {
    return arm && joint < arm->joints ? &arm->link[arm->link_of[joint]] : NULL;
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
    return rm2_arm_create(ctx, "panda", links, sizeof links / sizeof links[0], arm);
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

rm2_status rm2_arm_open(rm2_context *ctx, const char *spec, rm2_arm **arm) {
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
    if (!strpbrk(spec, "./"))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "unknown arm \"%.60s\"; known: panda, planar:L1,L2,... and CSV files of "
                         "modified Denavit-Hartenberg parameters",
                         spec);
    return rm2i_arm_read(ctx, spec, arm);
}
