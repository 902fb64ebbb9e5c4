/* The poses of a request: checked, in model units, with what is asked of each factor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "meet/meet.h"

double rm2i_meet_unit(const rm2_model *model, const rm2_factor *f, size_t index) {
    if (f->geometry == &rm2_euclidean)
        return model->data->scale[index];
    return f->geometry == &rm2_sphere && f->n == 3 ? 2 : 1; /* rotation angle */
}

/* ---- taking a request ----------------------------------------------------------------------- */

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_meet_poses *p = arg;
    const rm2_manifold *m = p->model->manifold;
    p->pose = rm2i_reserve(a, rm2i_meet_pose, p->count);
    for (size_t k = 0; k < p->count; k++) {
        rm2i_meet_pose pose = {.node = SIZE_MAX};
        pose.point = rm2i_reserve(a, double, m->ambient);
        pose.velocity = rm2i_reserve(a, double, m->ambient);
        pose.adjust = rm2i_reserve(a, double, m->dim);
        pose.there = rm2i_reserve(a, bool, m->count);
        pose.moving = rm2i_reserve(a, bool, m->count);
        pose.latent = rm2i_reserve(a, double, p->model->Q);
        if (a->base)
            p->pose[k] = pose;
    }
}

/* Which factors have entries; a factor with some is an error. */
static rm2_status find_factors(rm2_context *ctx, const rm2_manifold *m, const char *what,
                               const double *x, bool *there) {
    for (size_t f = 0; f < m->count; f++) {
        const rm2_factor *factor = &m->factors[f];
        size_t missing = 0;
        for (size_t e = 0; e < factor->ambient; e++) {
            double entry = x[factor->ambient_offset + e];
            missing += isnan(entry) ? 1 : 0;
            if (isinf(entry))
                return rm2i_fail(ctx, RM2_ERR_DATA, "%s: entry %zu is not finite", what,
                                 factor->ambient_offset + e);
        }
        there[f] = missing == 0;
        if (missing != 0 && missing != factor->ambient)
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "%s: factor %zu has %zu of %zu entries; a factor is asked whole or "
                             "left free as NaN whole",
                             what, f + 1, factor->ambient - missing, factor->ambient);
    }
    return RM2_OK;
}

static bool any(size_t n, const bool *flag) {
    bool found = false;
    for (size_t k = 0; k < n; k++)
        found = found || flag[k];
    return found;
}

/* The point with the base point in its free factors: all of it is on the manifold. */
static rm2_status project_point(rm2_context *ctx, const rm2_model *model, rm2i_meet_pose *pose) {
    const rm2_manifold *m = model->manifold;
    RM2_TRY(find_factors(ctx, m, pose->name, pose->asked->point, pose->there));
    if (!any(m->count, pose->there))
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: all factors are NaN; ask at least one",
                         pose->name);
    double *whole;
    RM2_TRY(rm2i_alloc(ctx, m->ambient, sizeof *whole, &whole));
    memcpy(whole, model->base_point, m->ambient * sizeof *whole);
    for (size_t f = 0; f < m->count; f++)
        if (pose->there[f])
            memcpy(whole + m->factors[f].ambient_offset,
                   pose->asked->point + m->factors[f].ambient_offset,
                   m->factors[f].ambient * sizeof *whole);
    rm2_data_align_points(model->data, 1, whole);
    rm2_status status = rm2i_model_project(ctx, model, 1, whole, pose->point, NULL);
    free(whole);
    return status == RM2_OK ? status : rm2i_fail_prefix(ctx, status, "%s", pose->name);
}

/* Tangent vectors in model units, with the sign of the aligned quaternion. */
static rm2_status convert_velocity(rm2_context *ctx, const rm2_model *model, double duration,
                                   rm2i_meet_pose *pose) {
    const rm2_manifold *m = model->manifold;
    char what[64];
    (void)snprintf(what, sizeof what, "velocity of %s", pose->name);
    RM2_TRY(find_factors(ctx, m, what, pose->asked->velocity, pose->moving));
    for (size_t f = 0; f < m->count; f++) {
        const rm2_factor *factor = &m->factors[f];
        const double *point = pose->asked->point;
        if (!pose->moving[f])
            continue;
        if (!point || !pose->there[f])
            return rm2i_fail(ctx, RM2_ERR_DATA, "%s: factor %zu has a velocity but no point", what,
                             f + 1);
        size_t at = factor->ambient_offset;
        double unit = factor->geometry == &rm2_euclidean ? 1 / model->data->scale[f] : 1, dot = 0;
        for (size_t e = at; e < at + factor->ambient; e++)
            dot += point[e] * pose->point[e];
        bool turned = rm2i_is_orientation(factor) && dot < 0;
        for (size_t e = at; e < at + factor->ambient; e++)
            pose->velocity[e] = duration * unit * (turned ? -1 : 1) * pose->asked->velocity[e];
    }
    return RM2_OK;
}

static rm2_status check_time(rm2_context *ctx, const rm2i_meet_pose *pose, double duration) {
    double time = pose->asked->time;
    if (pose->asked->timed && !(time > 0 && time < duration))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: time %g is not between 0 and settings.duration, which is %g",
                         pose->name, time, duration);
    return RM2_OK;
}

static rm2_status convert(rm2_context *ctx, const rm2_model *model, double duration, bool via,
                          rm2i_meet_pose *pose) {
    const rm2_meet_pose *asked = pose->asked;
    if (!asked->point && !asked->latent)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: point and latent are both NULL", pose->name);
    if (via && asked->point && asked->latent)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: point and latent exclude each other in a via pose", pose->name);
    if (asked->point)
        RM2_TRY(project_point(ctx, model, pose));
    if (asked->latent) {
        RM2_TRY(rm2i_check_finite(ctx, pose->name, 1, model->Q, asked->latent));
        memcpy(pose->latent, asked->latent, model->Q * sizeof *pose->latent);
    }
    if (!asked->point)
        RM2_TRY(rm2i_meet_decode_pose(ctx, model, pose));
    if (asked->velocity)
        RM2_TRY(convert_velocity(ctx, model, duration, pose));
    return via ? check_time(ctx, pose, duration) : RM2_OK;
}

static void name_pose(const rm2_meet_request *request, size_t k, rm2i_meet_pose *pose) {
    if (k == 0 || k > request->count)
        (void)snprintf(pose->name, sizeof pose->name, "%s", k == 0 ? "start" : "goal");
    else
        (void)snprintf(pose->name, sizeof pose->name, "via pose %zu", k);
    pose->asked = k == 0               ? &request->start
                  : k > request->count ? &request->goal
                                       : &request->via[k - 1];
}

rm2_status rm2i_meet_poses_convert(rm2_context *ctx, const rm2_model *model,
                                   const rm2_meet_request *request,
                                   const rm2_meet_settings *settings, rm2i_meet_poses *poses) {
    *poses = (rm2i_meet_poses){.model = model, .count = request->count + 2};
    if (request->count > 0 && !request->via)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "request.via is NULL");
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, poses, &poses->memory));
    for (size_t k = 0; k < poses->count; k++) {
        name_pose(request, k, &poses->pose[k]);
        RM2_TRY(
            convert(ctx, model, settings->duration, k > 0 && k <= request->count, &poses->pose[k]));
    }
    return RM2_OK;
}

void rm2i_meet_poses_free(rm2i_meet_poses *poses) {
    free(poses->memory);
    *poses = (rm2i_meet_poses){.count = 0};
}

rm2_status rm2i_meet_decode_pose(rm2_context *ctx, const rm2_model *model, rm2i_meet_pose *pose) {
    const rm2_manifold *m = model->manifold;
    double *decoded;
    RM2_TRY(rm2i_alloc(ctx, m->ambient, sizeof *decoded, &decoded));
    rm2_status status = rm2_model_decode(ctx, model, 1, pose->latent, decoded, NULL, NULL, NULL);
    if (status == RM2_OK)
        status = rm2i_model_project(ctx, model, 1, decoded, pose->point, NULL);
    for (size_t f = 0; f < m->count; f++)
        pose->there[f] = true;
    free(decoded);
    return status;
}

/* ---- a pose and a point --------------------------------------------------------------------- */

static bool is_quaternion_sphere(const rm2_factor *f) {
    return f->geometry == &rm2_sphere && f->n == 3;
}

static double dot_of(const rm2_factor *f, const double *a, const double *b) {
    double sum = 0;
    for (size_t e = f->ambient_offset; e < f->ambient_offset + f->ambient; e++)
        sum += a[e] * b[e];
    return sum;
}

void rm2i_meet_face(const rm2_manifold *m, const double *y, rm2i_meet_pose *pose) {
    for (size_t f = 0; f < m->count; f++) {
        const rm2_factor *factor = &m->factors[f];
        if (!pose->there[f])
            memcpy(pose->point + factor->ambient_offset, y + factor->ambient_offset,
                   factor->ambient * sizeof *y);
        if (!is_quaternion_sphere(factor) || dot_of(factor, y, pose->point) >= 0)
            continue;
        for (size_t e = factor->ambient_offset; e < factor->ambient_offset + factor->ambient; e++) {
            pose->point[e] = -pose->point[e];
            pose->velocity[e] = -pose->velocity[e];
        }
    }
}

double rm2i_meet_distance(const rm2_manifold *m, const rm2i_meet_pose *pose, const double *y,
                          double *each, double *work) {
    double square = 0;
    for (size_t f = 0; f < m->count; f++) {
        const rm2_factor *factor = &m->factors[f];
        size_t at = factor->ambient_offset;
        double d = NAN;
        if (pose->there[f]) {
            if (factor->geometry->distance(factor->n, pose->point + at, y + at, &d, work) != RM2_OK)
                d = INFINITY;
            if (is_quaternion_sphere(factor) && dot_of(factor, pose->point, y) < 0)
                d = RM2_PI - d;
            square += d * d;
        }
        if (each)
            each[f] = d;
    }
    return sqrt(square);
}
