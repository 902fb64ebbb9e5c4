/* Grids, points on and between their nodes, and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "roadmap_fixture.h"

/* ---- grids ---------------------------------------------------------------------------------- */

static const double irregular[] = {0.5, 0.6, 0.9, 1, 1.4, 1.5, 1.55, 2.1, 2.5};

static rm2i_roadmap *irregular_grid(rm2_context *ctx, const rm2_metric *metric, size_t reach,
                                    rm2i_edge_rule rule) {
    static const size_t counts[3][3] = {{9, 0, 0}, {9, 7, 0}, {5, 4, 6}};
    const double *axes[3] = {irregular, irregular + 1, irregular + 2};
    rm2i_roadmap *net;
    assert_ok(ctx, rm2i_roadmap_grid_axes(ctx, metric, reach, rule,
                                          counts[rm2_metric_dim(metric) - 1], axes, &net));
    return net;
}

static void grids_are_as_defined(void **state) {
    for (size_t Q = 1; Q <= 3; Q++) {
        rm2_metric *metric = analytic(*state, "bump", Q);
        for (size_t reach = 1; reach <= 3; reach++)
            for (rm2i_edge_rule rule = RM2I_EDGE_ENDS; rule <= RM2I_EDGE_MIDPOINT; rule++) {
                rm2i_roadmap *net = irregular_grid(*state, metric, reach, rule);
                double *D = doubles(net->nodes * net->nodes);
                compare_edges(*state, net, metric, D);
                floyd_warshall(net->nodes, D);
                const double from[3] = {0.52, 0.65, 1.97}, to[3] = {1.38, 1.35, 0.91};
                if (Q > 1 && reach == 1) /* farther apart than the span */
                    compare_path(*state, net, metric, D, from, to);
                for (size_t i = 0; i < net->nodes; i += 7) { /* nodes to nodes, not joined anew */
                    size_t j = net->nodes - 1 - i / 2;
                    rm2i_path path;
                    assert_ok(*state, rm2i_roadmap_path(*state, net, metric, net->x + i * Q,
                                                        net->x + j * Q, &path));
                    assert_true(fabs(path.length - D[i * net->nodes + j]) < ROUNDING);
                    rm2_free(path.x);
                }
                free(D);
                rm2i_roadmap_free(net);
            }
        rm2_metric_free(metric);
    }
}

static void boxes_are_padded(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric = analytic(ctx, "bump", 2);
    const double points[6] = {1, 5, 3, 5, 2, 5}; /* no extent along the second axis */
    rm2i_roadmap *net;
    assert_ok(ctx, rm2i_roadmap_grid(ctx, metric, NULL, 3, points, &net));
    rm2_roadmap_info info = rm2i_roadmap_describe(net);
    assert_int_equal(info.nodes, 2500);
    assert_int_equal(info.Q, 2);
    assert_true(info.counts[0] == 50 && info.counts[1] == 50);
    double G[4];
    for (size_t i = 0; i < info.nodes; i++) { /* 10 % of 2 on every side */
        double x = 0.8 + 2.4 * (double)(i / 50) / 49, y = 4.8 + 0.4 * (double)(i % 50) / 49;
        assert_true(fabs(info.x[2 * i] - x) < 1e-14 && fabs(info.x[2 * i + 1] - y) < 1e-14);
        assert_ok(ctx, rm2_metric_at(ctx, metric, 1, info.x + 2 * i, G, NULL));
        assert_memory_equal(G, info.G + 4 * i, sizeof G);
    }
    assert_int_equal(net->graph.first[25 * 50 + 26] - net->graph.first[25 * 50 + 25], 32);
    rm2i_roadmap_free(net);
    rm2i_grid_settings tight = {.size = sizeof tight, .points = 7, .padding = 0, .reach = 2};
    const double box[4] = {0, 0.1, 0.3, 0.7};
    assert_ok(ctx, rm2i_roadmap_grid(ctx, metric, &tight, 2, box, &net));
    assert_memory_equal(net->x, box, sizeof *box * 2); /* ends exactly: both points are inside */
    assert_memory_equal(net->x + 48 * 2, box + 2, sizeof *box * 2);
    rm2i_roadmap_free(net);
    rm2_metric_free(metric);
    metric = analytic(ctx, "bump", 3);
    assert_ok(ctx, rm2i_roadmap_grid(ctx, metric, NULL, 2, points, &net));
    assert_int_equal(net->nodes, 24 * 24 * 24);
    size_t middle = (12 * 24 + 12) * 24 + 12;
    assert_int_equal(net->graph.first[middle + 1] - net->graph.first[middle], 98);
    rm2i_roadmap_free(net);
    rm2_metric_free(metric);
}

/* One column of nodes is expensive: no long step jumps over it. */
static rm2_status ridge(const void *user, const double *x, double *G, double *dG) {
    (void)user, (void)dG;
    G[0] = G[3] = fabs(x[0]) < 0.5 ? 1e6 : 1;
    G[1] = G[2] = 0;
    return RM2_OK;
}

static void ridges_are_seen(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric;
    rm2i_roadmap *net;
    double axis[11];
    const double *axes[2] = {axis, axis};
    size_t counts[2] = {11, 11};
    rm2i_path path;
    for (size_t i = 0; i < 11; i++)
        axis[i] = (double)i - 5;
    assert_ok(ctx, rm2_metric_from_function(ctx, 2, ridge, NULL, "ridge", &metric));
    for (size_t reach = 1; reach <= 4; reach++) {
        assert_ok(ctx,
                  rm2i_roadmap_grid_axes(ctx, metric, reach, RM2I_EDGE_ENDS, counts, axes, &net));
        const double from[2] = {-1.1, 0.3}, to[2] = {1.2, 0.4};
        assert_ok(ctx, rm2i_roadmap_path(ctx, net, metric, from, to, &path));
        /* linear between nodes, G is 1e6 (1 - |x|): the way across is at least, by concavity of
         * the root, 1000 times the area of a triangle of height 1 */
        assert_true(path.length > 1000);
        rm2_free(path.x);
        rm2i_roadmap_free(net);
    }
    rm2_metric_free(metric);
}

/* In one dimension a length is an integral: that of 1 + x^2 is x + x^3/3. With f the root of G,
 * linear between nodes, the mean of G at the ends of pieces gives the rule of the trapezoid and
 * more: the error is at most h^2 (f''/12 + f'^2/(8 f) + G''/(16 f)) a unit of x, here below h^2.
 * */
static rm2_status quartic(const void *user, const double *x, double *G, double *dG) {
    (void)user, (void)dG;
    G[0] = pow(1 + x[0] * x[0], 2);
    return RM2_OK;
}

static void one_dimension_is_an_integral(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric;
    assert_ok(ctx, rm2_metric_from_function(ctx, 1, quartic, NULL, "quartic", &metric));
    const double ends[2] = {-1, 1};
    for (rm2i_edge_rule rule = RM2I_EDGE_ENDS; rule <= RM2I_EDGE_MIDPOINT; rule++) {
        rm2i_grid_settings settings = {
            .size = sizeof settings, .points = 101, .padding = 0.05, .reach = 3, .rule = rule};
        rm2i_roadmap *net;
        assert_ok(ctx, rm2i_roadmap_grid(ctx, metric, &settings, 2, ends, &net));
        double h = net->x[1] - net->x[0];
        for (int i = 0; i < 10; i++)
            for (int j = 0; j < 10; j++) {
                double a = 0.19 * i - 0.97, b = 0.21 * j - 1.02;
                rm2i_path path;
                double exact = fabs(b * b * b / 3 + b - a * a * a / 3 - a);
                assert_ok(ctx, rm2i_roadmap_path(ctx, net, metric, &a, &b, &path));
                assert_true(fabs(path.length - exact) <= h * h * fabs(a - b) + ROUNDING);
                rm2_free(path.x);
            }
        rm2i_roadmap_free(net);
    }
    rm2_metric_free(metric);
}

/* ---- points --------------------------------------------------------------------------------- */

static void special_points(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric = analytic(ctx, "bump", 2);
    rm2i_roadmap *net = irregular_grid(ctx, metric, 2, RM2I_EDGE_ENDS);
    const double off[2] = {0.7, 1.2}, close[2] = {0.71, 1.22}, *node = net->x + 20;
    rm2i_path path;
    assert_ok(ctx, rm2i_roadmap_path(ctx, net, metric, off, off, &path));
    assert_true(path.count == 2 && path.length == 0 && path.x[0] == path.x[2] &&
                path.x[1] == path.x[3]);
    rm2_free(path.x);
    assert_ok(ctx, rm2i_roadmap_path(ctx, net, metric, node, node, &path));
    assert_true(path.count == 2 && path.length == 0);
    rm2_free(path.x);
    assert_ok(ctx, rm2i_roadmap_path(ctx, net, metric, off, close, &path));
    assert_true(path.count == 2); /* straight: no way round is shorter in so small a triangle */
    assert_true(fabs(path.length - line_length(ctx, net, metric, off, close)) < ROUNDING);
    rm2_free(path.x);
    assert_ok(ctx, rm2i_roadmap_path(ctx, net, metric, node, net->x, &path));
    for (size_t i = 0; i + 1 < path.count; i++) /* ends that are nodes come once */
        assert_true(path.x[2 * i] != path.x[2 * i + 2] || path.x[2 * i + 1] != path.x[2 * i + 3]);
    rm2_free(path.x);
    rm2i_roadmap_free(net);
    rm2_metric_free(metric);
}

static void bad_points_are_refused(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric = analytic(ctx, "bump", 2), *wide = analytic(ctx, "bump", 3);
    rm2i_roadmap *net = irregular_grid(ctx, metric, 1, RM2I_EDGE_ENDS);
    const double inside[2] = {1, 1}, outside[2] = {1, 2.2}, bad[2] = {NAN, 1};
    rm2i_path path;
    double distances[4], both[4] = {1, 1, 0, 1};
    assert_int_equal(rm2i_roadmap_path(ctx, net, metric, inside, outside, &path), RM2_ERR_DATA);
    assert_null(path.x);
    assert_says(ctx, "2.2 is outside of the grid, which is [0.5, 2.5] x [0.6, 2.1]");
    assert_int_equal(rm2i_roadmap_path(ctx, net, metric, bad, inside, &path), RM2_ERR_DATA);
    assert_says(ctx, "not finite");
    assert_int_equal(rm2i_roadmap_distances(ctx, net, metric, 2, both, distances), RM2_ERR_DATA);
    assert_says(ctx, "point 1, coordinate 0: 0 is outside");
    assert_int_equal(rm2i_roadmap_path(ctx, net, wide, inside, inside, &path), RM2_ERR_ARGUMENT);
    assert_says(ctx, "2 dimensions and the metric 3");
    rm2i_roadmap_free(net);
    rm2_metric_free(metric);
    rm2_metric_free(wide);
}

static rm2_status constant(const void *user, const double *x, double *G, double *dG) {
    (void)x, (void)dG;
    memcpy(G, user, 4 * sizeof *G);
    return RM2_OK;
}

/* Lengths of 0, of 0 in one direction, and beyond all numbers: a result, or a message. */
static void extreme_metrics(void **state) {
    rm2_context *ctx = *state;
    static const double zero[4] = {0}, flat[4] = {1, 1, 1, 1};
    static const double vast[4] = {1e308, -1e308, -1e308, 1e308};
    const double *const metrics[3] = {zero, flat, vast};
    const double from[2] = {-400, 30}, to[2] = {410, 120}, ends[4] = {-500, -500, 500, 500};
    for (size_t m = 0; m < 3; m++)
        for (rm2i_edge_rule rule = RM2I_EDGE_ENDS; rule <= RM2I_EDGE_MIDPOINT; rule++) {
            rm2_metric *metric;
            rm2i_roadmap *net;
            rm2i_grid_settings settings = {
                .size = sizeof settings, .points = 9, .padding = 0, .reach = 2, .rule = rule};
            assert_ok(ctx, rm2_metric_from_function(ctx, 2, constant, metrics[m], "", &metric));
            assert_ok(ctx, rm2i_roadmap_grid(ctx, metric, &settings, 2, ends, &net));
            rm2i_path path;
            double distances[4];
            rm2_status status = rm2i_roadmap_path(ctx, net, metric, from, to, &path);
            if (m == 2) {
                assert_int_equal(status, RM2_ERR_NUMERIC);
                assert_says(ctx, "the metric is too large");
                assert_int_equal(rm2i_roadmap_distances(ctx, net, metric, 2, ends, distances),
                                 RM2_ERR_NUMERIC);
                assert_says(ctx, "from point 0");
            } else {
                assert_ok(ctx, status);
                assert_ok(ctx, rm2i_roadmap_distances(ctx, net, metric, 2, ends, distances));
                assert_true(isfinite(path.length) && isfinite(distances[1]));
                assert_true(m == 1 || (path.length == 0 && distances[1] == 0));
                for (size_t i = 0; i < 2 * path.count; i++)
                    assert_true(isfinite(path.x[i]));
            }
            rm2_free(path.x);
            rm2i_roadmap_free(net);
            rm2_metric_free(metric);
        }
}

static void distances_do_not_depend_on_threads(void **state) {
    rm2_context *ctx = *state;
    enum { N = 70 };
    double points[N * 2], one[N * N], more[N * N];
    rm2_rng rng;
    rm2_rng_seed(&rng, 4);
    for (size_t i = 0; i < N * 2; i++)
        points[i] = rm2_rng_normal(&rng);
    memcpy(points + 20, points + 60, 2 * sizeof *points);
    rm2_metric *metric = analytic(ctx, "bump", 2);
    rm2i_roadmap *net;
    assert_ok(ctx, rm2i_roadmap_grid(ctx, metric, NULL, N, points, &net));
    for (int threads = 1; threads <= 3; threads++) {
        rm2_context_set_threads(ctx, threads);
        assert_ok(ctx,
                  rm2i_roadmap_distances(ctx, net, metric, N, points, threads > 1 ? more : one));
        assert_true(threads == 1 || memcmp(one, more, sizeof one) == 0);
    }
    assert_true(one[10 * N + 30] == 0);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j += 5) {
            rm2i_path path;
            assert_true(one[i * N + j] == one[j * N + i]);
            assert_ok(ctx,
                      rm2i_roadmap_path(ctx, net, metric, points + 2 * i, points + 2 * j, &path));
            assert_true(fabs(path.length - one[i * N + j]) < ROUNDING);
            rm2_free(path.x);
        }
    assert_ok(ctx, rm2i_roadmap_distances(ctx, net, metric, 0, points, more));
    rm2i_roadmap_free(net);
    rm2_metric_free(metric);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void bad_grids_are_refused(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *plane = analytic(ctx, "half_plane", 2), *many = analytic(ctx, "bump", 4);
    const double same[4] = {1, 1, 1, 1}, line[4] = {0, 1, 1, 1}, low[4] = {0, 0.05, 1, 1};
    const double bad[4] = {0, 1, 1, INFINITY};
    rm2i_roadmap *net;
    rm2i_grid_settings s = rm2i_grid_settings_default();
    assert_int_equal(rm2i_roadmap_grid(ctx, many, &s, 1, same, &net), RM2_ERR_ARGUMENT);
    assert_says(ctx, "4 dimensions");
    assert_int_equal(rm2i_roadmap_grid(ctx, plane, &s, 2, same, &net), RM2_ERR_DATA);
    assert_says(ctx, "all 2 points are equal");
    assert_int_equal(rm2i_roadmap_grid(ctx, plane, &s, 2, bad, &net), RM2_ERR_DATA);
    assert_says(ctx, "point 1, coordinate 1 is not finite");
    assert_int_equal(rm2i_roadmap_grid(ctx, plane, &s, 2, low, &net), RM2_ERR_DOMAIN);
    assert_says(ctx, "nodes of the grid: point 0: half_plane: not defined at");
    s.padding = 0;
    assert_int_equal(rm2i_roadmap_grid(ctx, plane, &s, 2, line, &net), RM2_ERR_DATA);
    assert_says(ctx, "no extent along axis 1");
    s.padding = 1e-18;
    assert_int_equal(rm2i_roadmap_grid(ctx, plane, &s, 2, line, &net), RM2_ERR_DATA);
    assert_says(ctx, "does not increase");
    s.padding = -1;
    assert_int_equal(rm2i_roadmap_grid(ctx, plane, &s, 2, line, &net), RM2_ERR_ARGUMENT);
    s = (rm2i_grid_settings){.size = sizeof(rm2i_grid_settings), .points = 1};
    assert_int_equal(rm2i_roadmap_grid(ctx, plane, &s, 2, line, &net), RM2_ERR_ARGUMENT);
    s = (rm2i_grid_settings){.size = sizeof(rm2i_grid_settings), .points = 5, .reach = 11};
    assert_int_equal(rm2i_roadmap_grid(ctx, plane, &s, 2, line, &net), RM2_ERR_ARGUMENT);
    assert_says(ctx, "settings.reach is 11, expected a whole number from 1 to 10, or auto");
    assert_int_equal(rm2i_roadmap_graph(ctx, plane, 2, bad, 1, RM2I_EDGE_ENDS, &net), RM2_ERR_DATA);
    assert_int_equal(rm2i_roadmap_graph(ctx, plane, 2, line, 0, RM2I_EDGE_ENDS, &net),
                     RM2_ERR_ARGUMENT);
    assert_null(net);
    rm2i_roadmap_free(NULL);
    rm2_metric_free(plane);
    rm2_metric_free(many);
}

/* Defined at the nodes and not between them. */
static rm2_status holes(const void *user, const double *x, double *G, double *dG) {
    (void)user, (void)dG;
    G[0] = 1;
    return x[0] == floor(x[0]) ? RM2_OK : RM2_ERR_DOMAIN;
}

static void midpoints_without_metric_are_named(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric;
    rm2i_roadmap *net;
    const double axis[3] = {0, 1, 2}, *axes[1] = {axis};
    assert_ok(ctx, rm2_metric_from_function(ctx, 1, holes, NULL, "holes", &metric));
    assert_int_equal(
        rm2i_roadmap_grid_axes(ctx, metric, 1, RM2I_EDGE_MIDPOINT, (const size_t[]){3}, axes, &net),
        RM2_ERR_DOMAIN);
    assert_says(ctx, "at a midpoint of an edge of node 0");
    rm2_metric_free(metric);
}

static void interrupts_are_heard(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric = analytic(ctx, "bump", 2);
    rm2i_roadmap *net;
    const double ends[4] = {0, 0, 1, 1};
    rm2_context_interrupt(ctx);
    assert_int_equal(rm2i_roadmap_grid(ctx, metric, NULL, 2, ends, &net), RM2_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(grids_are_as_defined, set_up, tear_down),
        cmocka_unit_test_setup_teardown(boxes_are_padded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ridges_are_seen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_dimension_is_an_integral, set_up, tear_down),
        cmocka_unit_test_setup_teardown(special_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_points_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(extreme_metrics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(distances_do_not_depend_on_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_grids_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(midpoints_without_metric_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(interrupts_are_heard, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
