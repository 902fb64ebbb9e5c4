/* Fréchet means by lengths of paths: the variance that is reported is looked up again in the distances
 * of the roadmap, and nowhere near is a lower one; the geodesics' mean is not far. */
#include "context_fixture.h"
#include "geodesic/geodesic.h"
#include "roadmap/roadmap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric_fixture.h"
#include "riemann2/geodesic.h"

/* Sums in another order: some hundred edges. */
#define ROUNDING 1e-12

enum { Q = 2, N = 12, CELLS = 24 };

static const corridor winding = {.height = 0.8, .k = 2, .width = 0.3, .contrast = 8};
static const double weights[N] = {1, 0.2, 3, 0, 0.7, 1, 1, 2, 0.1, 1, 0.5, 2};

typedef struct fixture {
    rm2_context *ctx;
    rm2_metric *metric;
    rm2i_roadmap *roadmap; /* NULL: straight lines */
    double points[N * Q];
} fixture;

typedef enum roadmap_kind { GRID, GRAPH, LINES, KINDS } roadmap_kind;

/* Points along a winding corridor, a little off its middle, and a roadmap around. */
static fixture begin(rm2_context *ctx, roadmap_kind kind, size_t cells) {
    fixture f = {.ctx = ctx};
    rm2i_grid_settings grid = rm2i_grid_settings_default();
    grid.points = cells + 1;
    assert_int_equal(rm2_metric_from_function(ctx, Q, corridor_at, &winding, "corridor", &f.metric),
                     RM2_OK);
    for (size_t i = 0; i < N; i++) {
        double x = 0.3 * (double)i, off = 0.05 * sin(7.0 * (double)i);
        f.points[i * Q] = x;
        f.points[i * Q + 1] = winding.height * sin(winding.k * x) + off;
    }
    if (kind == GRID)
        assert_int_equal(rm2i_roadmap_grid(ctx, f.metric, &grid, N, f.points, &f.roadmap), RM2_OK);
    if (kind == GRAPH)
        assert_int_equal(
            rm2i_roadmap_graph(ctx, f.metric, N, f.points, 4, RM2I_EDGE_ENDS, &f.roadmap), RM2_OK);
    return f;
}

static void end(fixture *f) {
    rm2i_roadmap_free(f->roadmap);
    rm2_metric_free(f->metric);
}

static rm2i_geodesic_settings stage(rm2_geodesic_stage last) {
    rm2i_geodesic_settings settings = rm2i_geodesic_settings_default();
    settings.last = last;
    return settings;
}

/* Variance at each of `count` places, from all distances of places and points. */
static void variances(const fixture *f, rm2_geodesic_stage last, const double *w, size_t count,
                      const double *places, double *variance) {
    rm2i_geodesic_settings settings = stage(last);
    size_t all = N + count;
    double *x = calloc(all, Q * sizeof *x), *distance = calloc(all, all * sizeof *distance);
    assert_true(x && distance);
    memcpy(x, f->points, sizeof f->points);
    memcpy(x + (size_t)N * Q, places, count * Q * sizeof *x);
    assert_int_equal(
        rm2i_geodesic_distances(f->ctx, f->metric, f->roadmap, &settings, all, x, distance, NULL),
        RM2_OK);
    for (size_t k = 0; k < count; k++) {
        double sum = 0, total = 0;
        for (size_t i = 0; i < N; i++) {
            sum += (w ? w[i] : 1) * pow(distance[(N + k) * all + i], 2);
            total += w ? w[i] : 1;
        }
        variance[k] = sum / total;
        assert_true(isfinite(variance[k]));
    }
    free(x);
    free(distance);
}

static rm2_mean_info find_mean(const fixture *f, const double *w, double *mean) {
    rm2i_geodesic_settings paths = stage(RM2_STAGE_PATH);
    rm2_mean_info info = {.size = sizeof info};
    assert_int_equal(rm2i_geodesic_mean(f->ctx, f->metric, f->roadmap, &paths, N, f->points, w,
                                        NULL, mean, &info),
                     RM2_OK);
    return info;
}

/* ---- what is reported ----------------------------------------------------------------------- */

static void variance_is_that_of_the_point(void **state) {
    for (int kind = 0; kind < KINDS; kind++)
        for (int weighted = 0; weighted < 2; weighted++) {
            fixture f = begin(*state, (roadmap_kind)kind, CELLS);
            const double *w = weighted ? weights : NULL;
            double mean[Q], again, at_points[N];
            rm2_mean_info info = find_mean(&f, w, mean);
            variances(&f, RM2_STAGE_PATH, w, 1, mean, &again);
            assert_true(info.converged && info.iterations > 0);
            assert_true(fabs(info.variance / again - 1) < ROUNDING);
            variances(&f, RM2_STAGE_PATH, w, N, f.points, at_points);
            for (size_t i = 0; i < N; i++)
                assert_true(info.variance <= at_points[i] * (1 + ROUNDING));
            end(&f);
        }
}

static void no_node_is_better(void **state) {
    fixture f = begin(*state, GRID, CELLS);
    rm2_roadmap_info nodes = rm2i_roadmap_describe(f.roadmap);
    double mean[Q], *variance = calloc(nodes.nodes, sizeof *variance);
    assert_non_null(variance);
    rm2_mean_info info = find_mean(&f, NULL, mean);
    variances(&f, RM2_STAGE_PATH, NULL, nodes.nodes, nodes.x, variance);
    for (size_t k = 0; k < nodes.nodes; k++)
        assert_true(info.variance <= variance[k] * (1 + ROUNDING));
    free(variance);
    end(&f);
}

/* A lattice of a quarter of a cell in a square of four cells around the mean has nothing that is better
 * by more than 0.5 %: kinks can hold the search before the very best point. */
static void little_is_better_around(void **state) {
    enum { HALF = 8, SIDE = 2 * HALF + 1 };
    for (int kind = 0; kind < KINDS; kind++) {
        fixture f = begin(*state, (roadmap_kind)kind, CELLS);
        double mean[Q], step = 0.15 / 4, *x = calloc((size_t)SIDE * SIDE, Q * sizeof *x);
        double *variance = calloc((size_t)SIDE * SIDE, sizeof *variance);
        assert_true(x && variance);
        rm2_mean_info info = find_mean(&f, NULL, mean);
        for (size_t k = 0; k < (size_t)SIDE * SIDE; k++) {
            x[k * Q] = mean[0] + step * ((double)(k / SIDE) - HALF);
            x[k * Q + 1] = mean[1] + step * ((double)(k % SIDE) - HALF);
        }
        variances(&f, RM2_STAGE_PATH, NULL, (size_t)SIDE * SIDE, x, variance);
        for (size_t k = 0; k < (size_t)SIDE * SIDE; k++)
            assert_true(info.variance <= variance[k] * 1.005);
        free(x);
        free(variance);
        end(&f);
    }
}

/* ---- geodesics ------------------------------------------------------------------------------ */

/* The finer the grid the closer both variances: that by the roadmap's distances, and that by splines at
 * the point that was found, which can be below the minimum by the error of polishing only. Edges in 32
 * directions are up to 1.3 % too long, variances twice that. */
static void close_to_geodesics(void **state) {
    double excess[2], true_excess[2];
    for (size_t pass = 0; pass < 2; pass++) {
        fixture f = begin(*state, GRID, pass ? 80 : 40);
        rm2i_geodesic_settings polish = stage(RM2_STAGE_POLISH);
        rm2_mean_info info = {.size = sizeof info};
        double mean[Q], exact[Q], at_mean;
        polish.tolerance = 1e-4;
        assert_int_equal(rm2i_geodesic_mean(f.ctx, f.metric, f.roadmap, &polish, N, f.points, NULL,
                                            NULL, exact, &info),
                         RM2_OK);
        assert_true(info.converged);
        rm2_mean_info paths = find_mean(&f, NULL, mean);
        variances(&f, RM2_STAGE_SPLINE, NULL, 1, mean, &at_mean);
        excess[pass] = paths.variance / info.variance - 1;
        true_excess[pass] = at_mean / info.variance - 1;
        end(&f);
    }
    assert_true(excess[1] > 0 && excess[1] < 0.026 && excess[1] < excess[0]);
    assert_true(true_excess[1] > -1e-4 && true_excess[1] < 1e-3);
}

/* In flat space straight lines are geodesics: h of the search, 1e-3 of the root of the variance, is
 * how far the mean may be from the centre along each axis, and V - V* = |m - m*|^2. */
static void flat_centre(void **state) {
    rm2_context *ctx = *state;
    rm2i_geodesic_settings paths = stage(RM2_STAGE_PATH);
    rm2_metric *metric = NULL;
    rm2_mean_info info = {.size = sizeof info};
    const double points[3 * Q] = {0, 0, 1, 2, 5, 1};
    double mean[Q];
    assert_int_equal(rm2_metric_analytic(ctx, "euclidean", Q, &metric), RM2_OK);
    assert_int_equal(
        rm2i_geodesic_mean(ctx, metric, NULL, &paths, 3, points, NULL, NULL, mean, &info), RM2_OK);
    double h = 1e-3 * sqrt(info.variance);
    assert_true(info.converged && fabs(mean[0] - 2) <= h && fabs(mean[1] - 1) <= h);
    assert_true(info.gradient <= 2 * h);
    rm2_metric_free(metric);
}

/* Half of the way: on a grid and within a cell, where no node helps. */
static void halfway(void **state) {
    const double far[2 * Q] = {0.1, 0.3, 2.9, -0.4}, near[2 * Q] = {1.01, 0.5, 1.06, 0.52};
    for (size_t pass = 0; pass < 2; pass++) {
        fixture f = begin(*state, GRID, CELLS);
        rm2i_geodesic_settings paths = stage(RM2_STAGE_PATH);
        const double *points = pass ? near : far;
        double mean[Q], distance[4];
        rm2_mean_info info = {.size = sizeof info};
        assert_int_equal(rm2i_roadmap_distances(f.ctx, f.roadmap, f.metric, 2, points, distance),
                         RM2_OK);
        assert_int_equal(rm2i_geodesic_mean(f.ctx, f.metric, f.roadmap, &paths, 2, points, NULL,
                                            NULL, mean, &info),
                         RM2_OK);
        /* m is one node more: two halves may be shorter than the whole, by the grid's 1.3 % */
        assert_true(info.converged);
        assert_true(fabs(4 * info.variance / (distance[1] * distance[1]) - 1) < 0.026);
        end(&f);
    }
}

/* ---- special cases -------------------------------------------------------------------------- */

static void without_iterations(void **state) {
    fixture f = begin(*state, GRID, CELLS);
    rm2i_geodesic_settings paths = stage(RM2_STAGE_PATH);
    const rm2_mean_settings none = {.size = sizeof none, .max_iterations = 0, .tolerance = 1e-14};
    rm2_mean_info info = {.size = sizeof info};
    double mean[Q], again;
    assert_int_equal(rm2i_geodesic_mean(f.ctx, f.metric, f.roadmap, &paths, N, f.points, NULL,
                                        &none, mean, &info),
                     RM2_OK);
    variances(&f, RM2_STAGE_PATH, NULL, 1, mean, &again);
    assert_true(!info.converged && info.iterations == 0 && info.gradient > 0);
    assert_true(fabs(info.variance / again - 1) < ROUNDING);
    end(&f);
}

static void coincident_points(void **state) {
    for (int kind = 0; kind < KINDS; kind++) {
        fixture f = begin(*state, (roadmap_kind)kind, CELLS);
        rm2i_geodesic_settings paths = stage(RM2_STAGE_PATH);
        const double points[3 * Q] = {1.1, 0.6, 1.1, 0.6, 1.1, 0.6};
        for (size_t n = 1; n <= 3; n += 2) {
            rm2_mean_info info = {.size = sizeof info};
            double mean[Q];
            assert_int_equal(rm2i_geodesic_mean(f.ctx, f.metric, f.roadmap, &paths, n, points, NULL,
                                                NULL, mean, &info),
                             RM2_OK);
            assert_true(info.converged && info.variance == 0 && info.gradient == 0);
            assert_true(mean[0] == points[0] && mean[1] == points[1]);
        }
        end(&f);
    }
}

static void threads_do_not_count(void **state) {
    double mean[2][Q];
    rm2_mean_info info[2] = {{.size = sizeof *info}, {.size = sizeof *info}};
    for (int kind = 0; kind < KINDS; kind++) {
        for (int k = 0; k < 2; k++) {
            fixture f = begin(*state, (roadmap_kind)kind, CELLS);
            rm2_context_set_threads(*state, k + 1);
            info[k] = find_mean(&f, weights, mean[k]);
            end(&f);
        }
        assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
        assert_true(info[0].variance == info[1].variance && info[0].gradient == info[1].gradient);
    }
}

static void outside_is_refused(void **state) {
    fixture f = begin(*state, GRID, CELLS);
    rm2i_geodesic_settings paths = stage(RM2_STAGE_PATH);
    const double points[2 * Q] = {1, 0.5, 100, 0};
    double mean[Q];
    assert_int_equal(
        rm2i_geodesic_mean(f.ctx, f.metric, f.roadmap, &paths, 2, points, NULL, NULL, mean, NULL),
        RM2_ERR_DATA);
    assert_contains(rm2_context_error(f.ctx), "outside of the grid");
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(variance_is_that_of_the_point),
        WITH_CONTEXT(no_node_is_better),
        WITH_CONTEXT(little_is_better_around),
        WITH_CONTEXT(close_to_geodesics),
        WITH_CONTEXT(flat_centre),
        WITH_CONTEXT(halfway),
        WITH_CONTEXT(without_iterations),
        WITH_CONTEXT(coincident_points),
        WITH_CONTEXT(threads_do_not_count),
        WITH_CONTEXT(outside_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
