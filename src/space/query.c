/* What is asked of a space: the calls of geodesic.h, metric.h and model.h with its parts in place. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "metric/metric.h"
#include "space/around.h"

/* ---- around obstacles ------------------------------------------------------------------------ */

/* Curves for `count` pairs in turn (distances: their lengths alone), or through the points of the first array. */
typedef struct ways {
    size_t count;
    const double *from, *to;
    size_t stops; /* of one curve; 0: pairs */
} ways;

static rm2_status go_around(rm2_context *ctx, const rm2_space *space, const rm2_roadmap *roadmap,
                            const ways *w, rm2_curve **curves, size_t *failed) {
    rm2i_around *around;
    size_t Q = space->core->Q;
    double *pair;
    RM2_TRY(rm2i_around_create(ctx, space, roadmap, &around));
    rm2_status status = rm2i_alloc(ctx, 2 * Q, sizeof *pair, &pair);
    if (status == RM2_OK && w->stops)
        status = rm2i_around_through(ctx, around, w->stops, w->from, curves);
    for (size_t i = 0; status == RM2_OK && !w->stops && i < w->count; i++) {
        memcpy(pair, w->from + i * Q, Q * sizeof *pair);
        memcpy(pair + Q, w->to + i * Q, Q * sizeof *pair);
        status = rm2i_around_through(ctx, around, 2, pair, &curves[i]);
        if (status != RM2_OK && failed)
            *failed = i;
    }
    free(pair);
    rm2i_around_free(around);
    return status;
}

static rm2_status refuse_obstacles(rm2_context *ctx, const rm2_space *space, const char *what) {
    return space->regions ? rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                                      "%s do not support obstacles: use a space without them", what)
                          : RM2_OK;
}

/* Lengths of the ways between all pairs; infinite where they are blocked. */
static rm2_status distances_around(rm2_context *ctx, const rm2_space *space,
                                   const rm2_roadmap *roadmap, size_t n, const double *points,
                                   double *distance, size_t *unconverged) {
    size_t Q = space->core->Q, count = 0;
    for (size_t i = 0; i < n; i++)
        distance[i * n + i] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            rm2_curve *curve = NULL;
            const ways pair = {.count = 1, .from = points + i * Q, .to = points + k * Q};
            RM2_TRY(go_around(ctx, space, roadmap, &pair, &curve, NULL));
            distance[i * n + k] = distance[k * n + i] = curve->blocked ? INFINITY : curve->length;
            count += !curve->converged && !curve->blocked;
            rm2_curve_free(curve);
        }
    if (unconverged)
        *unconverged = count;
    return RM2_OK;
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
                                       : rm2_geodesic(ctx, space->core->search, cover.roadmap,
                                                      &space->geodesics, from, to, curve);
    rm2_roadmap_free(cover.temporary);
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
                            : rm2_geodesic_through(ctx, space->core->search, cover.roadmap,
                                                   &space->geodesics, n, points, curve);
    rm2_roadmap_free(cover.temporary);
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
    rm2_status status = space->regions
                            ? go_around(ctx, space, cover.roadmap, &all, curves, failed)
                            : rm2_geodesic_many(ctx, space->core->search, cover.roadmap,
                                                &space->geodesics, count, from, to, curves, failed);
    rm2_roadmap_free(cover.temporary);
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
            : rm2_geodesic_distances(ctx, space->core->search, cover.roadmap, &space->geodesics, n,
                                     points, distance, unconverged);
    rm2_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2_space_mean(rm2_context *ctx, const rm2_space *space, size_t n, const double *points,
                          const double *weights, const rm2_mean_settings *settings, double *mean,
                          rm2_mean_info *info) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, space, points, mean);
    RM2_TRY(refuse_obstacles(ctx, space, "means"));
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{n, 0}, {points, NULL}}, &cover));
    rm2_status status =
        rm2_geodesic_mean(ctx, space->core->search, cover.roadmap, &space->geodesics, n, points,
                          weights, settings, mean, info);
    rm2_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2_space_exp(rm2_context *ctx, const rm2_space *space, const double *x, const double *v,
                         double *end, double *velocity, size_t nodes, double *path) {
    RM2_REQUIRE(ctx, space, x, v, end);
    if (nodes > 0)
        RM2_REQUIRE(ctx, path);
    RM2_TRY(refuse_obstacles(ctx, space, "exponentials"));
    double tolerance = space->geodesics.tolerance;
    return rm2_geodesic_exp(ctx, space->core->search, tolerance * tolerance, x, v, end, velocity,
                            nodes, path);
}

rm2_status rm2_space_log(rm2_context *ctx, const rm2_space *space, const double *x, const double *y,
                         double *v, bool *converged) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, space, x, y, v);
    RM2_TRY(refuse_obstacles(ctx, space, "logarithms"));
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{1, 1}, {x, y}}, &cover));
    rm2_status status = rm2_geodesic_log(ctx, space->core->search, cover.roadmap, &space->geodesics,
                                         x, y, v, converged);
    rm2_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2_space_clearance(rm2_context *ctx, const rm2_space *space, size_t n,
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
    return rm2_metric_measure(ctx, space->core->exact, n, path, length, energy);
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
    rm2_status status = rm2_metric_measure(ctx, space->core->exact, last + 1, path, length, NULL);
    free(path);
    return status;
}

rm2_status rm2_space_expected_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                     const double *path, size_t samples, double *length,
                                     double *standard_error) {
    RM2_REQUIRE(ctx, space, path, length, standard_error);
    return rm2_metric_expected_length(ctx, space->core->exact, n, path, samples, length,
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
