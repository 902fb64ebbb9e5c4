/* Geodesics between two points, or through several. */
#include "riemann2/geodesic.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geodesic/track.h"

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

rm2_geodesic_settings rm2_geodesic_settings_default(void) {
    return (rm2_geodesic_settings){.last = RM2_STAGE_POLISH,
                                   .nodes = 200,
                                   .intervals = 16,
                                   .max_iterations = 200,
                                   .tolerance = 1e-6};
}

void rm2_curve_free(rm2_curve *curve) {
    if (!curve)
        return;
    free(curve->x); /* the velocity is in the same block */
    free(curve);
}

rm2_status rm2_geodesic_refine(rm2_context *ctx, const rm2_metric *metric,
                               const rm2_geodesic_settings *settings, size_t n, const double *path,
                               rm2_curve **curve) {
    RM2_REQUIRE(ctx, curve);
    *curve = NULL;
    RM2_REQUIRE(ctx, metric, path);
    rm2_geodesic_settings defaults = rm2_geodesic_settings_default();
    const rm2_geodesic_settings *used = settings ? settings : &defaults;
    rm2i_probe probe;
    rm2i_track track;
    if (n < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "geodesic: a path of %zu points, not 2 or more", n);
    RM2_TRY(rm2i_check_geodesic_settings(ctx, used));
    RM2_TRY(rm2i_probe_begin(ctx, metric, ctx, rm2_context_threads(ctx), &probe));
    rm2_status status = rm2i_track_create(ctx, &probe, used, n, path, &track);
    if (status == RM2_OK)
        status = rm2i_track_sample(ctx, &probe, used->nodes, 1, &track, curve);
    rm2i_track_clear(&track);
    rm2i_probe_end(&probe);
    return status;
}

rm2_status rm2_geodesic(rm2_context *ctx, const rm2_metric *metric, const rm2_roadmap *roadmap,
                        const rm2_geodesic_settings *settings, const double *from, const double *to,
                        rm2_curve **curve) {
    double *path;
    size_t n;
    RM2_REQUIRE(ctx, curve);
    *curve = NULL;
    RM2_REQUIRE(ctx, metric, from, to);
    RM2_TRY(rm2i_start_path(ctx, metric, roadmap, from, to, &n, &path));
    rm2_status status = rm2_geodesic_refine(ctx, metric, settings, n, path, curve);
    free(path);
    return status;
}

rm2_status rm2_geodesic_log(rm2_context *ctx, const rm2_metric *metric, const rm2_roadmap *roadmap,
                            const rm2_geodesic_settings *settings, const double *x, const double *y,
                            double *v, bool *converged) {
    RM2_REQUIRE(ctx, metric, x, y, v);
    rm2_geodesic_settings used = settings ? *settings : rm2_geodesic_settings_default();
    rm2_curve *curve = NULL;
    used.nodes = 2;
    rm2_status status = rm2_geodesic(ctx, metric, roadmap, &used, x, y, &curve);
    if (curve) {
        memcpy(v, curve->velocity, curve->Q * sizeof *v);
        if (converged)
            *converged = curve->converged;
    }
    rm2_curve_free(curve);
    return status;
}

/* ---- through several points ----------------------------------------------------------------- */

rm2_status rm2_geodesic_through(rm2_context *ctx, const rm2_metric *metric,
                                const rm2_roadmap *roadmap, const rm2_geodesic_settings *settings,
                                size_t n, const double *points, rm2_curve **curve) {
    RM2_REQUIRE(ctx, curve);
    *curve = NULL;
    RM2_REQUIRE(ctx, metric, points);
    rm2_geodesic_settings defaults = rm2_geodesic_settings_default();
    const rm2_geodesic_settings *used = settings ? settings : &defaults;
    size_t Q = rm2_metric_dim(metric), legs = n - 1;
    rm2i_probe probe;
    rm2i_track *tracks;
    if (n < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "geodesic through %zu points, not 2 or more", n);
    RM2_TRY(rm2i_check_geodesic_settings(ctx, used));
    RM2_TRY(rm2i_calloc(ctx, legs, sizeof *tracks, &tracks));
    rm2_status status = rm2i_probe_begin(ctx, metric, ctx, rm2_context_threads(ctx), &probe);
    for (size_t i = 0; i < legs && status == RM2_OK; i++) {
        const double *from = points + i * Q;
        status = rm2i_track_between(ctx, &probe, roadmap, used, from, from + Q, &tracks[i]);
        if (status != RM2_OK)
            (void)rm2i_fail_prefix(ctx, status, "from point %zu to point %zu", i, i + 1);
    }
    if (status == RM2_OK)
        status = rm2i_track_sample(ctx, &probe, used->nodes, legs, tracks, curve);
    for (size_t i = 0; i < legs; i++)
        rm2i_track_clear(&tracks[i]);
    free(tracks);
    rm2i_probe_end(&probe);
    return status;
}
