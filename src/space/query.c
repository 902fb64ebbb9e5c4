/* What is asked of a space: the calls of geodesic.h, metric.h and model.h with its parts in place. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/pool.h"
#include "geodesic/workers.h"
#include "metric/metric.h"
#include "space/around.h"

/* ---- around obstacles ------------------------------------------------------------------------ */

/* Curves for `count` pairs, or one through the points of the first array. */
typedef struct ways {
    size_t count;
    const double *from, *to;
    size_t stops; /* of one curve; 0: pairs */
} ways;

/* The tasks of one call. */
typedef struct trips {
    rm2i_around *around;
    const ways *w;
    size_t Q, n; /* n points: distances between all pairs */
    rm2_curve **curves;
    double *distance;
    atomic_size_t unconverged;
} trips;

static rm2_status go_between(trips *t, const double *from, const double *to, rm2i_worker *worker,
                             rm2_curve **curve) {
    double *ends;
    RM2_TRY(rm2i_alloc(worker->ctx, 2 * t->Q, sizeof *ends, &ends));
    memcpy(ends, from, t->Q * sizeof *ends);
    memcpy(ends + t->Q, to, t->Q * sizeof *ends);
    rm2_status status = rm2i_around_through(worker->ctx, t->around, worker->number, 2, ends, curve);
    free(ends);
    return status;
}

static rm2_status one_trip(void *job, size_t i, rm2i_worker *worker) {
    trips *t = job;
    const ways *w = t->w;
    return w->stops ? rm2i_around_through(worker->ctx, t->around, worker->number, w->stops, w->from,
                                          t->curves)
                    : go_between(t, w->from + i * t->Q, w->to + i * t->Q, worker, &t->curves[i]);
}

/* Infinite where the way is blocked. */
static rm2_status one_distance(void *job, size_t number, rm2i_worker *worker) {
    trips *t = job;
    size_t i, k;
    rm2_curve *curve;
    rm2i_find_pair(t->n, number, &i, &k);
    rm2_status status = go_between(t, t->w->from + i * t->Q, t->w->from + k * t->Q, worker, &curve);
    if (status != RM2_OK)
        return rm2i_fail_prefix(worker->ctx, status, "from point %zu to point %zu", i, k);
    t->distance[i * t->n + k] = t->distance[k * t->n + i] =
        curve->blocked ? INFINITY : curve->length;
    atomic_fetch_add(&t->unconverged, (size_t)(!curve->converged && !curve->blocked));
    rm2_curve_free(curve);
    return RM2_OK;
}

/* On the context's threads, with the obstacles of all tasks in one place. */
static rm2_status run_trips(rm2_context *ctx, const rm2_space *space, const rm2i_roadmap *roadmap,
                            const char *name, size_t count, rm2i_job_fn fn, trips *t,
                            size_t *failed) {
    t->Q = space->core->Q;
    RM2_TRY(rm2i_around_create(ctx, space, roadmap, rm2i_workers(ctx, count), &t->around));
    rm2i_activity_begin(ctx, name, count);
    rm2_status status = rm2i_workers_run(ctx, space->core->search, count, fn, t, failed);
    rm2i_activity_end(ctx);
    rm2i_around_free(t->around);
    return status;
}

/* An interrupt and lack of memory leave nothing behind. */
static rm2_status go_around(rm2_context *ctx, const rm2_space *space, const rm2i_roadmap *roadmap,
                            const ways *w, rm2_curve **curves, size_t *failed) {
    trips t = {.w = w, .curves = curves};
    size_t count = w->stops ? 1 : w->count;
    rm2_status status = run_trips(ctx, space, roadmap, "geodesics", count, one_trip, &t, failed);
    bool ended = status == RM2_INTERRUPTED || status == RM2_ERR_MEMORY;
    for (size_t i = 0; ended && i < count; i++) {
        rm2_curve_free(curves[i]);
        curves[i] = NULL;
    }
    return status;
}

static rm2_status distances_around(rm2_context *ctx, const rm2_space *space,
                                   const rm2i_roadmap *roadmap, size_t n, const double *points,
                                   double *distance, size_t *unconverged) {
    const ways all = {.from = points};
    trips t = {.w = &all, .n = n, .distance = distance};
    for (size_t i = 0; i < n; i++)
        distance[i * n + i] = 0;
    size_t count = n > 1 ? n * (n - 1) / 2 : 0;
    RM2_TRY(run_trips(ctx, space, roadmap, "distances", count, one_distance, &t, NULL));
    if (unconverged)
        *unconverged = atomic_load(&t.unconverged);
    return RM2_OK;
}

static rm2_status refuse_obstacles(rm2_context *ctx, const rm2_space *space, const char *what) {
    return space->regions ? rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                                      "%s do not support obstacles: use a space without them", what)
                          : RM2_OK;
}

/* ---- geodesics ------------------------------------------------------------------------------ */

rm2_status rm2_space_geodesic(rm2_context *ctx, const rm2_space *space, const double *from,
                              const double *to, rm2_curve **curve) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, curve);
    *curve = NULL;
    RM2_REQUIRE(ctx, space, from, to);
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{1, 1}, {from, to}}, &cover));
    const ways one = {.count = 1, .from = from, .to = to};
    rm2_status status = space->regions ? go_around(ctx, space, cover.roadmap, &one, curve, NULL)
                                       : rm2i_geodesic(ctx, space->core->search, cover.roadmap,
                                                       &space->geodesics, from, to, curve);
    rm2i_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2_space_through(rm2_context *ctx, const rm2_space *space, size_t n,
                             const double *points, rm2_curve **curve) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, curve);
    *curve = NULL;
    RM2_REQUIRE(ctx, space, points);
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{n, 0}, {points, NULL}}, &cover));
    const ways stops = {.from = points, .stops = n};
    rm2_status status = space->regions && n >= 2
                            ? go_around(ctx, space, cover.roadmap, &stops, curve, NULL)
                            : rm2i_geodesic_through(ctx, space->core->search, cover.roadmap,
                                                    &space->geodesics, n, points, curve);
    rm2i_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2_space_many(rm2_context *ctx, const rm2_space *space, size_t count,
                          const double *from, const double *to, rm2_curve **curves,
                          size_t *failed) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, space);
    if (count > 0)
        RM2_REQUIRE(ctx, from, to, curves);
    for (size_t i = 0; i < count; i++)
        curves[i] = NULL;
    if (failed)
        *failed = SIZE_MAX;
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{count, count}, {from, to}}, &cover));
    const ways all = {.count = count, .from = from, .to = to};
    rm2_status status =
        space->regions ? go_around(ctx, space, cover.roadmap, &all, curves, failed)
                       : rm2i_geodesic_many(ctx, space->core->search, cover.roadmap,
                                            &space->geodesics, count, from, to, curves, failed);
    rm2i_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2_space_distances(rm2_context *ctx, const rm2_space *space, size_t n,
                               const double *points, double *distance, size_t *unconverged) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, space);
    if (n > 0)
        RM2_REQUIRE(ctx, points, distance);
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{n, 0}, {points, NULL}}, &cover));
    rm2_status status =
        space->regions
            ? distances_around(ctx, space, cover.roadmap, n, points, distance, unconverged)
            : rm2i_geodesic_distances(ctx, space->core->search, cover.roadmap, &space->geodesics, n,
                                      points, distance, unconverged);
    rm2i_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2_space_mean(rm2_context *ctx, const rm2_space *space, size_t n, const double *points,
                          const double *weights, const rm2_mean_settings *settings, double *mean,
                          rm2_mean_info *info) {
    rm2i_cover cover;
    rm2_mean_info found;
    RM2_REQUIRE(ctx, space, points, mean);
    RM2_TRY(rm2i_check_size(ctx, info, sizeof *info));
    RM2_TRY(refuse_obstacles(ctx, space, "means"));
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{n, 0}, {points, NULL}}, &cover));
    rm2_status status =
        rm2i_geodesic_mean(ctx, space->core->search, cover.roadmap, &space->geodesics, n, points,
                           weights, settings, mean, &found);
    rm2i_results_give(1, &found, sizeof found, info);
    rm2i_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2_space_exp(rm2_context *ctx, const rm2_space *space, const double *x, const double *v,
                         double *end, double *velocity, size_t nodes, double *path) {
    RM2_REQUIRE(ctx, space, x, v, end);
    if (nodes > 0)
        RM2_REQUIRE(ctx, path);
    RM2_TRY(refuse_obstacles(ctx, space, "exponentials"));
    double tolerance = space->geodesics.tolerance;
    return rm2i_geodesic_exp(ctx, space->core->search, tolerance * tolerance, x, v, end, velocity,
                             nodes, path);
}

rm2_status rm2_space_log(rm2_context *ctx, const rm2_space *space, const double *x, const double *y,
                         double *v, bool *converged) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, space, x, y, v);
    RM2_TRY(refuse_obstacles(ctx, space, "logarithms"));
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{1, 1}, {x, y}}, &cover));
    rm2_status status = rm2i_geodesic_log(ctx, space->core->search, cover.roadmap,
                                          &space->geodesics, x, y, v, converged);
    rm2i_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2i_space_clearance(rm2_context *ctx, const rm2_space *space, size_t n,
                                const double *path, double *clearance) {
    RM2_REQUIRE(ctx, space, clearance);
    if (n > 0)
        RM2_REQUIRE(ctx, path);
    *clearance = INFINITY;
    RM2_TRY(rm2i_metric_check_points(ctx, space->core->Q, n, path));
    if (!space->regions)
        return RM2_OK;
    double *work;
    RM2_TRY(rm2i_alloc(ctx, rm2i_clearance_work(&space->clearance), sizeof *work, &work));
    *clearance = rm2i_space_clearance_of(space, n, path, work);
    free(work);
    return RM2_OK;
}

rm2_status rm2i_space_nearest_node(rm2_context *ctx, const rm2_space *space, size_t n,
                                   const double *x, size_t *node) {
    double *work, least = INFINITY;
    *node = SIZE_MAX;
    if (!space->regions)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, rm2i_clearance_work(&space->clearance), sizeof *work, &work));
    for (size_t i = 0; i < n; i++) {
        rm2i_clear_point at;
        rm2i_clearance_at(&space->clearance, x + i * space->core->Q, &at, work);
        if (at.clearance < least)
            *node = i;
        least = fmin(least, at.clearance);
    }
    free(work);
    return RM2_OK;
}

/* ---- lengths -------------------------------------------------------------------------------- */

rm2_status rm2_space_path_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                 const double *path, double *length, double *energy) {
    RM2_REQUIRE(ctx, space, path, length);
    return rm2i_metric_measure(ctx, space->core->exact, n, path, length, energy);
}

/* Point `row` of the lines through the points, each in RM2I_PATH_STEPS steps; the last is row `last`. */
static void place_on_lines(size_t Q, const double *points, size_t row, size_t last, double *x) {
    size_t leg = row < last ? row / RM2I_PATH_STEPS : last / RM2I_PATH_STEPS - 1;
    const double *from = points + leg * Q, *to = from + Q;
    double part = (double)(row - leg * RM2I_PATH_STEPS) / RM2I_PATH_STEPS;
    for (size_t q = 0; q < Q; q++)
        x[q] = from[q] + part * (to[q] - from[q]);
}

rm2_status rm2_space_straight_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                     const double *points, double *length) {
    RM2_REQUIRE(ctx, space, points, length);
    if (n < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "straight lines through %zu points; expected 2 or more", n);
    size_t Q = space->core->Q, last = (n - 1) * RM2I_PATH_STEPS;
    double *path;
    RM2_TRY(rm2i_metric_check_points(ctx, Q, n, points));
    RM2_TRY(rm2i_alloc(ctx, last + 1, Q * sizeof *path, &path));
    for (size_t row = 0; row <= last; row++)
        place_on_lines(Q, points, row, last, path + row * Q);
    rm2_status status = rm2i_metric_measure(ctx, space->core->exact, last + 1, path, length, NULL);
    free(path);
    return status;
}

rm2_status rm2_space_expected_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                     const double *path, size_t samples, double *length,
                                     double *standard_error) {
    RM2_REQUIRE(ctx, space, path, length, standard_error);
    return rm2i_metric_expected_length(ctx, space->core->exact, n, path, samples, length,
                                       standard_error);
}

/* ---- the data's space ----------------------------------------------------------------------- */

rm2_status rm2_space_decode(rm2_context *ctx, const rm2_space *space, size_t n, const double *x,
                            double *points, double *deviation) {
    RM2_REQUIRE(ctx, space, x);
    if (!space->core->model)
        return rm2i_fail(
            ctx, RM2_ERR_UNSUPPORTED,
            "this latent space was made from a metric: without a model it cannot decode");
    return rm2_model_decode(ctx, space->core->model, n, x, points, NULL, NULL, deviation);
}
