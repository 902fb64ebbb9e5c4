/* Spaces with a metric of one's own: the sphere in latitude and longitude, whose distances are known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_fixture.h"
#include "front/base.h"
#include "metric/metric.h"
#include "near.h"
#include "riemann2/space.h"
#include "shared_context.h"

enum { Q = 2, N = 40 };

/* G = diag(1, cos^2 lat) by the caller's own function. */
static rm2_status sphere_at(const void *user, const double *x, double *G, double *dG) {
    double c = cos(x[0]), s = sin(x[0]);
    (void)user;
    memcpy(G, (double[4]){1, 0, 0, c * c}, 4 * sizeof *G);
    if (dG)
        memcpy(dG, (double[8]){0, 0, 0, -2 * c * s}, 8 * sizeof *dG);
    return RM2_OK;
}

static rm2_metric *sphere;
static double points[N * Q]; /* scattered over a part of it, well away from the poles */

static int set_up(void **state) {
    rm2_rng rng;
    if (create_shared_context(state) != 0)
        return 1;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 0; i < N; i++) {
        points[i * Q] = 2 * rm2_rng_uniform(&rng) - 1;
        points[i * Q + 1] = 3 * rm2_rng_uniform(&rng);
    }
    return rm2_metric_from_function(ctx, Q, sphere_at, NULL, "sphere", &sphere) != RM2_OK;
}

static int tear_down(void **state) {
    rm2_metric_free(sphere);
    return free_shared_context(state);
}

static double great_circle(const double *a, const double *b) {
    double dlat = sin((b[0] - a[0]) / 2), dlon = sin((b[1] - a[1]) / 2);
    return 2 * asin(sqrt(dlat * dlat + cos(a[0]) * cos(b[0]) * dlon * dlon));
}

static rm2_space *space_of(rm2_space_roadmap_kind kind, size_t n) {
    rm2_space_settings s = rm2_space_settings_default();
    rm2_space *space;
    s.roadmap = kind;
    s.tolerance = 1e-6; /* of velocities: lengths are good to 1e-12 and rounding */
    ok(rm2_space_from_metric(ctx, sphere, &s, n, n ? points : NULL, &space));
    return space;
}

/* Distances, mean, logarithm and exponential on grid, graph and lines are those of the sphere. */
static void known_distances(void **state) {
    (void)state;
    const rm2_space_roadmap_kind kinds[] = {RM2_SPACE_AUTO, RM2_SPACE_GRAPH, RM2_SPACE_LINE};
    for (int k = 0; k < 3; k++) {
        rm2_space *space = space_of(kinds[k], N);
        double distance[25], v[Q], end[Q], length;
        size_t unconverged = 9;
        bool converged = false;
        assert_true(rm2_space_metric(space) == sphere && rm2_space_exact_metric(space) == sphere);
        assert_true((rm2_space_roadmap(space)->nodes == 0) == (k == 2));
        ok(rm2_space_distances(ctx, space, 5, points, distance, &unconverged));
        assert_int_equal(unconverged, 0);
        for (size_t i = 0; i < 5; i++)
            for (size_t j = 0; j < 5; j++)
                assert_near(distance[i * 5 + j], great_circle(points + i * Q, points + j * Q),
                            1e-9);
        ok(rm2_space_log(ctx, space, points, points + Q, v, &converged));
        assert_true(converged);
        ok(rm2_space_exp(ctx, space, points, v, end, NULL, 0, NULL));
        for (int q = 0; q < Q; q++) /* the tolerance of v, times lengths of about 2 */
            assert_near(end[q], points[Q + q], 1e-5);
        ok(rm2_space_path_length(ctx, space, 2, (double[4]){-0.5, 1, 0.5, 1}, &length, NULL));
        assert_near(length, 1, 1e-14); /* a meridian */
        ok(rm2_space_straight_length(ctx, space, 3, (double[6]){0, 0, 0, 1, 0, 2}, &length));
        assert_near(length, 2, 1e-13); /* the equator */
        rm2_space_free(space);
    }
}

/* The mean of two points is half way. */
static void mean_of_two(void **state) {
    (void)state;
    rm2_space *space = space_of(RM2_SPACE_AUTO, N);
    double mean[Q];
    rm2_mean_info info = {.size = sizeof info};
    ok(rm2_space_mean(ctx, space, 2, points, NULL, NULL, mean, &info));
    assert_true(info.converged);
    double d = great_circle(points, points + Q);
    assert_near(great_circle(points, mean), d / 2, 1e-5 * d);
    assert_near(great_circle(points + Q, mean), d / 2, 1e-5 * d);
    rm2_space_free(space);
}

/* A point that the grid does not cover. */
static void outside(void **state) {
    (void)state;
    rm2_space *space = space_of(RM2_SPACE_GRID, N);
    const double far[Q] = {-1.2, 4};
    rm2_curve *curve;
    ok(rm2_space_geodesic(ctx, space, points, far, &curve));
    assert_true(curve->converged);
    assert_near(curve->length, great_circle(points, far), 1e-9);
    rm2_curve_free(curve);
    rm2_space_free(space);
}

/* Without points there are lines; what needs a model or a roadmap says so. */
static void without_points_or_model(void **state) {
    (void)state;
    rm2_space *space = space_of(RM2_SPACE_AUTO, 0), *none = space;
    rm2_space_settings s = rm2_space_settings_default();
    double x[4] = {0, 0, 0.1, 0.2}, length, error, y[9];
    assert_true(rm2_space_settings_of(space)->roadmap == RM2_SPACE_LINE);
    assert_null(rm2_space_model(space));
    assert_contains(rm2_space_text(space), "sphere; straight lines; geodesic equation");
    assert_int_equal(rm2_space_decode(ctx, space, 1, x, y, NULL), RM2_ERR_UNSUPPORTED);
    assert_contains(rm2_context_error(ctx), "without a model");
    assert_int_equal(rm2_space_expected_length(ctx, space, 2, x, 9, &length, &error),
                     RM2_ERR_UNSUPPORTED);
    s.roadmap = RM2_SPACE_GRID;
    assert_int_equal(rm2_space_from_metric(ctx, sphere, &s, 0, NULL, &none), RM2_ERR_ARGUMENT);
    assert_null(none);
    rm2_space_free(space);
}

static void settings_without_effect(void **state) {
    (void)state;
    rm2_space *space = NULL;
    const rm2_discouraged o = {0};
    for (int k = 0; k < 4; k++) {
        const char *const names[] = {"metric", "weight", "cost", "discouraged"};
        rm2_space_settings s = rm2_space_settings_default();
        s.metric = k == 0 ? RM2_SPACE_STRAIGHT : s.metric;
        s.weight = k == 1 ? 2 : 0;
        s.cost.at = k == 2 ? rm2i_discouraged_cost : NULL;
        s.discouraged = k == 3 ? &o : NULL;
        assert_int_equal(rm2_space_from_metric(ctx, sphere, &s, N, points, &space),
                         RM2_ERR_ARGUMENT);
        assert_null(space);
        assert_contains(rm2_context_error(ctx), names[k]);
    }
}

/* In four dimensions the roadmap is a graph, and a grid is refused. */
static void four_dimensions(void **state) {
    (void)state;
    rm2_space_settings s = rm2_space_settings_default();
    rm2_metric *flat;
    rm2_space *space;
    rm2_curve *curve;
    ok(rm2_metric_analytic(ctx, "euclidean", 4, &flat));
    ok(rm2_space_from_metric(ctx, flat, &s, N / 2, points, &space));
    assert_true(rm2_space_settings_of(space)->roadmap == RM2_SPACE_GRAPH);
    assert_contains(rm2_space_text(space), "graph of 20 points with 8 neighbours");
    ok(rm2_space_geodesic(ctx, space, (double[4]){0}, (double[4]){3, 0, 4, 0}, &curve));
    assert_near(curve->length, 5, 1e-9); /* wherever the graph is */
    rm2_curve_free(curve);
    rm2_space_free(space);
    s.roadmap = RM2_SPACE_GRID;
    assert_int_equal(rm2_space_from_metric(ctx, flat, &s, N / 2, points, &space), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "at most 3 dimensions, the latent space has 4");
    rm2_metric_free(flat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_distances),
        cmocka_unit_test(mean_of_two),
        cmocka_unit_test(outside),
        cmocka_unit_test(without_points_or_model),
        cmocka_unit_test(settings_without_effect),
        cmocka_unit_test(four_dimensions),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
