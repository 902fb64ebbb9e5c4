/* Graphs over points, and those in pieces. */
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

static void cloud(uint64_t seed, size_t n, size_t Q, double *points) {
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < n * Q; i++)
        points[i] = 0.7 * rm2_rng_normal(&rng);
}

static void graphs_are_as_defined(void **state) {
    rm2_context *ctx = *state;
    enum { N = 60, K = 6 };
    for (size_t Q = 1; Q <= 5; Q += 2)
        for (rm2i_edge_rule rule = RM2I_EDGE_ENDS; rule <= RM2I_EDGE_MIDPOINT; rule++) {
            rm2_metric *metric = analytic(ctx, "bump", Q);
            rm2i_roadmap *net;
            double points[N * 5], *D = doubles((size_t)N * N);
            cloud(Q, N, Q, points);
            memcpy(points + 11 * Q, points + 40 * Q, Q * sizeof *points); /* the same point twice */
            rm2_status status =
                rm2i_roadmap_graph(ctx, metric, N, points, Q == 1 ? 20 : K, rule, &net);
            assert_ok(ctx, status);
            rm2_roadmap_info info = rm2i_roadmap_describe(net);
            assert_true(info.nodes == N && info.Q == Q && !info.counts);
            assert_memory_equal(info.x, points, N * Q * sizeof *points);
            compare_edges(ctx, net, metric, D);
            floyd_warshall(N, D);
            double from[5], to[5], distances[N * N];
            for (size_t q = 0; q < Q; q++) {
                from[q] = points[q] - 0.9;
                to[q] = points[Q + q] + 1.1;
            }
            compare_path(ctx, net, metric, D, from, to);
            assert_ok(ctx, rm2i_roadmap_distances(ctx, net, metric, N, points, distances));
            for (size_t i = 0; i < N * N; i++)
                assert_true(fabs(distances[i] - D[i]) < ROUNDING);
            assert_true(distances[11 * N + 40] == 0);
            free(D);
            rm2i_roadmap_free(net);
            rm2_metric_free(metric);
        }
}

/* Number of pieces with k neighbours, by spreading labels. */
static size_t pieces_with(size_t n, size_t Q, const double *points, size_t k) {
    rm2i_roadmap net = {.nodes = n, .Q = Q, .x = (double *)(uintptr_t)points, .neighbours = k};
    size_t *label = calloc(n, sizeof *label), pieces = 0;
    assert_non_null(label);
    for (size_t i = 0; i < n; i++)
        label[i] = i;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                if (label[i] < label[j] && are_joined(&net, i, j)) {
                    label[j] = label[i];
                    changed = true;
                }
    }
    for (size_t i = 0; i < n; i++)
        pieces += label[i] == i;
    free(label);
    return pieces;
}

static void pieces_are_counted(void **state) {
    rm2_context *ctx = *state;
    enum { N = 40, Q = 2 };
    size_t refused = 0;
    rm2_metric *metric = analytic(ctx, "euclidean", Q);
    for (uint64_t seed = 0; seed < 25; seed++) {
        double points[N * Q];
        cloud(seed, N, Q, points);
        for (size_t i = 0; i < N; i++) /* clusters of different sizes; some lie on a lattice */
            points[i * Q] += (double)(i * i % 7 < seed % 7) * 30;
        for (size_t i = 0; seed % 3 == 0 && i < N * Q; i++)
            points[i] = round(2 * points[i]);
        rm2i_roadmap *net;
        size_t k = 1 + seed % 4, pieces = pieces_with(N, Q, points, k), joining = k;
        char text[64];
        if (pieces == 1)
            continue;
        while (pieces_with(N, Q, points, joining) > 1)
            joining++;
        assert_int_equal(rm2i_roadmap_graph(ctx, metric, N, points, k, RM2I_EDGE_ENDS, &net),
                         RM2_ERR_DATA);
        assert_null(net);
        (void)snprintf(text, sizeof text, "in %zu pieces", pieces);
        assert_says(ctx, text);
        (void)snprintf(text, sizeof text, ": %zu neighbours join them", joining);
        assert_says(ctx, text);
        assert_ok(ctx, rm2i_roadmap_graph(ctx, metric, N, points, joining, RM2I_EDGE_ENDS, &net));
        rm2i_roadmap_free(net);
        refused++;
    }
    assert_true(refused > 15);
    const double far[5] = {0, 0.1, 0.2, 0.3, 50};
    rm2i_roadmap *net;
    rm2_metric_free(metric);
    metric = analytic(ctx, "euclidean", 1);
    assert_ok(ctx, rm2i_roadmap_graph(ctx, metric, 5, far, 99, RM2I_EDGE_ENDS, &net));
    rm2i_roadmap_free(net);
    const double pairs[5] = {0, 0.1, 50, 50.1, 50.2};
    assert_int_equal(rm2i_roadmap_graph(ctx, metric, 5, pairs, 1, RM2I_EDGE_ENDS, &net),
                     RM2_ERR_DATA);
    assert_says(ctx,
                "the graph of 5 points with 1 neighbours each is in 2 pieces, the smallest of 2 "
                "points: 2 neighbours join them");
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(graphs_are_as_defined, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pieces_are_counted, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
