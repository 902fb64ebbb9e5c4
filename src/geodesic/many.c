/* Geodesics between many pairs of points, and the distances between all of a set. */
#include <stdatomic.h>

#include "base/base.h"
#include "geodesic/leg.h"
#include "geodesic/workers.h"

/* ---- pairs ---------------------------------------------------------------------------------- */

typedef struct pairs {
    const rm2i_roadmap *roadmap;
    const rm2i_geodesic_settings *settings;
    size_t Q;
    const double *from, *to;
    rm2_curve **curves;
} pairs;

static rm2_status one_pair(void *job, size_t i, rm2i_worker *worker) {
    const pairs *p = job;
    rm2i_leg leg;
    rm2_status status = rm2i_leg_between(worker->ctx, &worker->evaluator, p->roadmap, p->settings,
                                         p->from + i * p->Q, p->to + i * p->Q, &leg);
    if (status == RM2_OK)
        status = rm2i_leg_sample(worker->ctx, &worker->evaluator, p->settings->nodes, 1, &leg,
                                 &p->curves[i]);
    rm2i_leg_clear(&leg);
    return status == RM2_OK ? status : rm2i_fail_prefix(worker->ctx, status, "pair %zu", i);
}

/* An interrupt and lack of memory leave nothing behind. */
static void clear_after_end(rm2_status status, size_t count, rm2_curve **curves) {
    for (size_t i = 0; i < count && (status == RM2_INTERRUPTED || status == RM2_ERR_MEMORY); i++) {
        rm2_curve_free(curves[i]);
        curves[i] = NULL;
    }
}

rm2_status rm2i_geodesic_many(rm2_context *ctx, const rm2_metric *metric,
                              const rm2i_roadmap *roadmap, const rm2i_geodesic_settings *settings,
                              size_t count, const double *from, const double *to,
                              rm2_curve **curves, size_t *failed) {
    RM2_REQUIRE(ctx, metric);
    if (count > 0)
        RM2_REQUIRE(ctx, from, to, curves);
    rm2i_geodesic_settings used;
    pairs p = {.roadmap = roadmap,
               .settings = &used,
               .Q = rm2_metric_dim(metric),
               .from = from,
               .to = to,
               .curves = curves};
    for (size_t i = 0; i < count; i++)
        curves[i] = NULL;
    if (failed)
        *failed = SIZE_MAX;
    RM2_TRY(rm2i_geodesic_settings_overlay(ctx, settings, &used));
    rm2i_activity_begin(ctx, "geodesics", count);
    rm2_status status = rm2i_workers_run(ctx, metric, count, one_pair, &p, failed);
    rm2i_activity_end(ctx);
    clear_after_end(status, count, curves);
    return status;
}

/* ---- distances ------------------------------------------------------------------------------ */

typedef struct distances {
    const rm2i_roadmap *roadmap;
    const rm2i_geodesic_settings *settings;
    size_t n, Q;
    const double *points;
    double *distance;
    atomic_size_t unconverged;
} distances;

static rm2_status one_distance(void *job, size_t number, rm2i_worker *worker) {
    distances *d = job;
    size_t i, j;
    rm2i_leg leg;
    rm2i_find_pair(d->n, number, &i, &j);
    rm2_status status = rm2i_leg_between(worker->ctx, &worker->evaluator, d->roadmap, d->settings,
                                         d->points + i * d->Q, d->points + j * d->Q, &leg);
    if (status == RM2_OK) {
        d->distance[i * d->n + j] = d->distance[j * d->n + i] = leg.best.arc->length;
        atomic_fetch_add(&d->unconverged, (size_t)!leg.best.converged);
    }
    rm2i_leg_clear(&leg);
    return status == RM2_OK
               ? status
               : rm2i_fail_prefix(worker->ctx, status, "from point %zu to point %zu", i, j);
}

rm2_status rm2i_geodesic_distances(rm2_context *ctx, const rm2_metric *metric,
                                   const rm2i_roadmap *roadmap,
                                   const rm2i_geodesic_settings *settings, size_t n,
                                   const double *points, double *distance, size_t *unconverged) {
    RM2_REQUIRE(ctx, metric);
    if (n > 0)
        RM2_REQUIRE(ctx, points, distance);
    rm2i_geodesic_settings used;
    distances d = {.roadmap = roadmap,
                   .settings = &used,
                   .n = n,
                   .Q = rm2_metric_dim(metric),
                   .points = points,
                   .distance = distance};
    if (unconverged)
        *unconverged = 0;
    RM2_TRY(rm2i_geodesic_settings_overlay(ctx, settings, &used));
    if (roadmap && used.last == RM2_STAGE_PATH)
        return rm2i_roadmap_distances(ctx, roadmap, metric, n, points, distance);
    for (size_t i = 0; i < n; i++)
        distance[i * n + i] = 0;
    size_t count = n > 1 ? n * (n - 1) / 2 : 0;
    rm2i_activity_begin(ctx, "distances", count);
    rm2_status status = rm2i_workers_run(ctx, metric, count, one_distance, &d, NULL);
    rm2i_activity_end(ctx);
    if (unconverged)
        *unconverged = atomic_load(&d.unconverged);
    return status;
}
