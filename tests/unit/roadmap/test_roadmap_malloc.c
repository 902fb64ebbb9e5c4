/* Every allocation of roadmaps, means on them, medoids and times fails once: the call answers
 * RM2_ERR_MEMORY, hands out nothing and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "failing_malloc.h"
#include "front/base.h"
#include "geodesic/geodesic.h"
#include "riemann2/geodesic.h"
#include "riemann2/trajectory.h"
#include "roadmap/roadmap.h"

enum { N = 40 };

typedef struct fixture {
    rm2_context *ctx;
    rm2_metric *metric;
    rm2i_roadmap *grid;
    rm2_manifold *manifold;
    double points[N * 2], distance[N * N];
} fixture;

static rm2_status make_grid(void *state) {
    fixture *f = state;
    rm2i_roadmap *roadmap;
    rm2i_grid_settings settings = {
        .size = sizeof settings, .points = 6, .padding = 0.1, .rule = RM2I_EDGE_MIDPOINT};
    rm2_status status = rm2i_roadmap_grid(f->ctx, f->metric, &settings, N, f->points, &roadmap);
    assert_true((status == RM2_OK) == (roadmap != NULL));
    rm2i_roadmap_free(roadmap);
    return status;
}

static rm2_status make_graph(void *state) {
    fixture *f = state;
    rm2i_roadmap *roadmap;
    rm2_status status =
        rm2i_roadmap_graph(f->ctx, f->metric, N, f->points, 8, RM2I_EDGE_ENDS, &roadmap);
    assert_true((status == RM2_OK) == (roadmap != NULL));
    rm2i_roadmap_free(roadmap);
    return status;
}

/* Refused for its pieces, which are counted in memory: success is the message. */
static rm2_status make_pieces(void *state) {
    fixture *f = state;
    rm2i_roadmap *roadmap;
    rm2_status status =
        rm2i_roadmap_graph(f->ctx, f->metric, N, f->points, 1, RM2I_EDGE_ENDS, &roadmap);
    assert_null(roadmap);
    return status == RM2_ERR_DATA ? RM2_OK : status;
}

static rm2_status find_path(void *state) {
    fixture *f = state;
    rm2i_path path;
    rm2_status status =
        rm2i_roadmap_path(f->ctx, f->grid, f->metric, f->points, f->points + 20, &path);
    assert_true((status == RM2_OK) == (path.x != NULL && path.count > 0));
    rm2_free(path.x);
    return status;
}

static rm2_status find_distances(void *state) {
    fixture *f = state;
    return rm2i_roadmap_distances(f->ctx, f->grid, f->metric, N, f->points, f->distance);
}

static rm2_status find_mean(const fixture *f, const rm2i_roadmap *roadmap) {
    rm2i_geodesic_settings paths = rm2i_geodesic_settings_default();
    double mean[2];
    paths.last = RM2_STAGE_PATH;
    return rm2i_geodesic_mean(
        f->ctx, f->metric, roadmap, &paths, 3, f->points, NULL,
        &(rm2_mean_settings){.size = sizeof(rm2_mean_settings), .max_iterations = 2}, mean, NULL);
}

static rm2_status mean_on_grid(void *state) {
    const fixture *f = state;
    return find_mean(f, f->grid);
}

static rm2_status mean_by_lines(void *state) {
    const fixture *f = state;
    return find_mean(f, NULL);
}

static rm2_status find_medoids(void *state) {
    fixture *f = state;
    size_t medoids[3];
    double cost;
    return rm2_distance_medoids(f->ctx, N, f->distance, 3, medoids, NULL, &cost);
}

static rm2_status find_times(void *state) {
    fixture *f = state;
    double time[N];
    rm2_speed_limits limits = {(const double[]){1}, (const double[]){1}};
    return rm2_trajectory_retime(f->ctx, f->manifold, N, f->points, &limits, time);
}

/* ---- the test ------------------------------------------------------------------------------- */

static void every_allocation_fails(void **state) {
    fixture *f = *state;
    static const allocating_fn calls[] = {make_grid,     make_graph,     make_pieces,
                                          find_path,     find_distances, mean_on_grid,
                                          mean_by_lines, find_medoids,   find_times};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
        assert_true(fail_each_allocation(f->ctx, calls[c], f) >= 2);
}

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(rm2_context_create(&f->ctx), RM2_OK);
    rm2_context_set_threads(f->ctx, 1);
    assert_int_equal(rm2_metric_analytic(f->ctx, "bump", 2, &f->metric), RM2_OK);
    assert_int_equal(rm2_manifold_create(f->ctx, "R2", &f->manifold), RM2_OK);
    for (size_t i = 0; i < (size_t)N * 2; i++)
        f->points[i] = rm2_rng_normal(rm2_context_rng(f->ctx));
    assert_int_equal(rm2i_roadmap_grid(f->ctx, f->metric, NULL, N, f->points, &f->grid), RM2_OK);
    assert_int_equal(find_distances(f), RM2_OK); /* what medoids need */
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rm2i_roadmap_free(f->grid);
    rm2_metric_free(f->metric);
    rm2_manifold_free(f->manifold);
    rm2_context_free(f->ctx);
    free(f);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_allocation_fails, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
