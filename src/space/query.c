/* What is asked of a space: the calls of geodesic.h, metric.h and model.h with its parts in place. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "metric/metric.h"
#include "space/space.h"

/* ---- geodesics ------------------------------------------------------------------------------ */

rm2_status rm2_space_geodesic(rm2_context *ctx, const rm2_space *space, const double *from,
                              const double *to, rm2_curve **curve) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, curve);
    *curve = NULL;
    RM2_REQUIRE(ctx, space, from, to);
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{1, 1}, {from, to}}, &cover));
    rm2_status status =
        rm2_geodesic(ctx, space->core->search, cover.roadmap, &space->geodesics, from, to, curve);
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
    rm2_status status = rm2_geodesic_through(ctx, space->core->search, cover.roadmap,
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
    rm2_status status = rm2_geodesic_many(ctx, space->core->search, cover.roadmap,
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
    rm2_status status = rm2_geodesic_distances(ctx, space->core->search, cover.roadmap,
                                               &space->geodesics, n, points, distance, unconverged);
    rm2_roadmap_free(cover.temporary);
    return status;
}

rm2_status rm2_space_mean(rm2_context *ctx, const rm2_space *space, size_t n, const double *points,
                          const double *weights, const rm2_mean_settings *settings, double *mean,
                          rm2_mean_info *info) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, space, points, mean);
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
    double tolerance = space->geodesics.tolerance;
    return rm2_geodesic_exp(ctx, space->core->search, tolerance * tolerance, x, v, end, velocity,
                            nodes, path);
}

rm2_status rm2_space_log(rm2_context *ctx, const rm2_space *space, const double *x, const double *y,
                         double *v, bool *converged) {
    rm2i_cover cover;
    RM2_REQUIRE(ctx, space, x, y, v);
    RM2_TRY(rm2i_space_cover(ctx, space, &(rm2i_space_points){{1, 1}, {x, y}}, &cover));
    rm2_status status = rm2_geodesic_log(ctx, space->core->search, cover.roadmap, &space->geodesics,
                                         x, y, v, converged);
    rm2_roadmap_free(cover.temporary);
    return status;
}

/* ---- lengths -------------------------------------------------------------------------------- */

enum { LINE_STEPS = 199 }; /* of a straight line, as many as a curve of 200 nodes has */

rm2_status rm2_space_path_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                 const double *path, double *length, double *energy) {
    RM2_REQUIRE(ctx, space, path, length);
    return rm2_metric_measure(ctx, space->core->exact, n, path, length, energy);
}

/* Point `row` of the lines through the points, each in LINE_STEPS steps; the last is row `last`. */
static void place_on_lines(size_t Q, const double *points, size_t row, size_t last, double *x) {
    size_t leg = row < last ? row / LINE_STEPS : last / LINE_STEPS - 1;
    const double *from = points + leg * Q, *to = from + Q;
    double part = (double)(row - leg * LINE_STEPS) / LINE_STEPS;
    for (size_t q = 0; q < Q; q++)
        x[q] = from[q] + part * (to[q] - from[q]);
}

rm2_status rm2_space_straight_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                     const double *points, double *length) {
    RM2_REQUIRE(ctx, space, points, length);
    if (n < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "straight lines through %zu points, not 2 or more",
                         n);
    size_t Q = space->core->Q, last = (n - 1) * LINE_STEPS;
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
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "this latent space has a metric of its own and no model: nothing to "
                         "decode with");
    return rm2_model_decode(ctx, space->core->model, n, x, points, NULL, NULL, deviation);
}
