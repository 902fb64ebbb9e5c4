/* Geodesics between two points, or through several. */
#include "geodesic/geodesic.h"
#include "riemann2/geodesic.h"
#include "roadmap/roadmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geodesic/leg.h"

const char *rm2_stage_text(rm2_geodesic_stage stage) {
    switch (stage) {
    case RM2_STAGE_PATH:
        return "path";
    case RM2_STAGE_SPLINE:
        return "spline";
    case RM2_STAGE_POLISH:
        return "geodesic equation";
    }
    return "unknown stage";
}

void rm2_curve_free(rm2_curve *curve) {
    if (!curve)
        return;
    free(curve->x); /* the velocity is in the same block */
    free(curve);
}

/* Stages of one geodesic. */
static size_t stages_of(const rm2i_geodesic_settings *settings) {
    return (size_t)settings->last + 1;
}

static rm2_status refine(rm2_context *ctx, const rm2_metric *metric,
                         const rm2i_geodesic_settings *settings, size_t n, const double *path,
                         rm2_curve **curve) {
    rm2i_evaluator evaluator;
    rm2i_leg leg;
    RM2_TRY(rm2i_evaluator_begin(ctx, metric, rm2_context_threads(ctx), &evaluator));
    rm2_status status = rm2i_leg_create(ctx, &evaluator, settings, n, path, &leg);
    if (status == RM2_OK)
        status = rm2i_leg_sample(ctx, &evaluator, settings->nodes, 1, &leg, curve);
    rm2i_leg_clear(&leg);
    rm2i_evaluator_end(&evaluator);
    return status;
}

rm2_status rm2i_geodesic_refine(rm2_context *ctx, const rm2_metric *metric,
                                const rm2i_geodesic_settings *settings, size_t n,
                                const double *path, rm2_curve **curve) {
    RM2_REQUIRE(ctx, curve);
    rm2i_geodesic_settings used;
    *curve = NULL;
    RM2_REQUIRE(ctx, metric, path);
    if (n < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "geodesic: a path of %zu points; expected 2 or more", n);
    RM2_TRY(rm2i_geodesic_settings_overlay(ctx, settings, &used));
    rm2i_activity_begin(ctx, "geodesic", stages_of(&used));
    rm2_status status = refine(ctx, metric, &used, n, path, curve);
    rm2i_activity_end(ctx);
    return status;
}

rm2_status rm2i_geodesic(rm2_context *ctx, const rm2_metric *metric, const rm2i_roadmap *roadmap,
                         const rm2i_geodesic_settings *settings, const double *from,
                         const double *to, rm2_curve **curve) {
    RM2_REQUIRE(ctx, curve);
    *curve = NULL;
    RM2_REQUIRE(ctx, metric, from, to);
    rm2i_geodesic_settings used;
    double *path;
    size_t n;
    RM2_TRY(rm2i_geodesic_settings_overlay(ctx, settings, &used));
    rm2i_activity_begin(ctx, "geodesic", stages_of(&used));
    rm2_status status = rm2i_start_path(ctx, metric, roadmap, from, to, &n, &path);
    if (status == RM2_OK)
        status = refine(ctx, metric, &used, n, path, curve);
    free(path);
    rm2i_activity_end(ctx);
    return status;
}

rm2_status rm2i_geodesic_log(rm2_context *ctx, const rm2_metric *metric,
                             const rm2i_roadmap *roadmap, const rm2i_geodesic_settings *settings,
                             const double *x, const double *y, double *v, bool *converged) {
    RM2_REQUIRE(ctx, metric, x, y, v);
    rm2i_geodesic_settings used;
    rm2_curve *curve = NULL;
    RM2_TRY(rm2i_geodesic_settings_overlay(ctx, settings, &used));
    used.nodes = 2;
    rm2_status status = rm2i_geodesic(ctx, metric, roadmap, &used, x, y, &curve);
    if (curve) {
        memcpy(v, curve->velocity, curve->Q * sizeof *v);
        if (converged)
            *converged = curve->converged;
    }
    rm2_curve_free(curve);
    return status;
}

/* ---- through several points ----------------------------------------------------------------- */

static rm2_status join_legs(rm2_context *ctx, rm2i_evaluator *evaluator,
                            const rm2i_roadmap *roadmap, const rm2i_geodesic_settings *settings,
                            size_t count, const double *points, rm2i_leg *legs) {
    size_t Q = evaluator->metric->Q;
    for (size_t i = 0; i < count; i++) {
        const double *from = points + i * Q;
        rm2_status status =
            rm2i_leg_between(ctx, evaluator, roadmap, settings, from, from + Q, &legs[i]);
        if (status != RM2_OK)
            return rm2i_fail_prefix(ctx, status, "from point %zu to point %zu", i, i + 1);
    }
    return RM2_OK;
}

rm2_status rm2i_geodesic_through(rm2_context *ctx, const rm2_metric *metric,
                                 const rm2i_roadmap *roadmap,
                                 const rm2i_geodesic_settings *settings, size_t n,
                                 const double *points, rm2_curve **curve) {
    RM2_REQUIRE(ctx, curve);
    *curve = NULL;
    RM2_REQUIRE(ctx, metric, points);
    rm2i_geodesic_settings used;
    size_t count = n - 1;
    rm2i_evaluator evaluator;
    rm2i_leg *legs;
    if (n < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "geodesic through %zu points; expected 2 or more",
                         n);
    RM2_TRY(rm2i_geodesic_settings_overlay(ctx, settings, &used));
    RM2_TRY(rm2i_calloc(ctx, count, sizeof *legs, &legs));
    rm2i_activity_begin(ctx, "geodesic", count * stages_of(&used));
    rm2_status status = rm2i_evaluator_begin(ctx, metric, rm2_context_threads(ctx), &evaluator);
    if (status == RM2_OK)
        status = join_legs(ctx, &evaluator, roadmap, &used, count, points, legs);
    if (status == RM2_OK)
        status = rm2i_leg_sample(ctx, &evaluator, used.nodes, count, legs, curve);
    for (size_t i = 0; i < count; i++)
        rm2i_leg_clear(&legs[i]);
    free(legs);
    rm2i_evaluator_end(&evaluator);
    rm2i_activity_end(ctx);
    return status;
}
