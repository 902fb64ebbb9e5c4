/* Nearest neighbours and searches on graphs against their definitions: all points compared, all
 * paths compared. Neighbours are exact, ties included, so that nothing here has a tolerance but
 * sums along paths, which round at every edge. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "graph/neighbours.h"

static int set_up(void **state) {
    rm2_context *ctx;
    assert_int_equal(rm2_context_create(&ctx), RM2_OK);
    *state = ctx;
    return 0;
}

static int tear_down(void **state) {
    rm2_context_free(*state);
    return 0;
}

static void *room(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    assert_non_null(memory);
    return memory;
}

typedef struct candidate {
    double square;
    size_t index;
} candidate;

static int by_distance_then_index(const void *a, const void *b) {
    const candidate *p = a, *q = b;
    if (p->square != q->square)
        return p->square < q->square ? -1 : 1;
    return p->index < q->index ? -1 : 1;
}

static double square_of(size_t d, const double *x, const double *y) {
    double sum = 0;
    for (size_t m = 0; m < d; m++)
        sum += (x[m] - y[m]) * (x[m] - y[m]);
    return sum;
}

/* All points sorted around x. */
static void sort_around(size_t n, size_t d, const double *points, const double *x,
                        candidate *sorted) {
    for (size_t i = 0; i < n; i++)
        sorted[i] = (candidate){square_of(d, points + i * d, x), i};
    qsort(sorted, n, sizeof *sorted, by_distance_then_index);
}

typedef enum cloud_kind { NORMAL, LATTICE, LINE, ONE_POINT, KINDS } cloud_kind;

/* Lattices have ties without end; on the line most coordinates have no extent. */
static void fill(cloud_kind kind, size_t n, size_t d, double *points) {
    rm2_rng rng;
    rm2_rng_seed(&rng, n + d);
    for (size_t i = 0; i < n * d; i++) {
        double z = rm2_rng_normal(&rng);
        points[i] = kind == NORMAL    ? z
                    : kind == LATTICE ? round(2 * z)
                    : kind == LINE    ? (i % d == d / 2 ? z : 0.25)
                                      : -3;
    }
}

static void compare_cloud(rm2_context *ctx, cloud_kind kind, size_t n, size_t d, size_t k) {
    double *points = room(n * d, sizeof *points), *square = room(n, sizeof *square);
    candidate *sorted = room(n, sizeof *sorted);
    size_t *nearest = room(n * k, sizeof *nearest), *index = room(n, sizeof *index);
    rm2i_kd_tree tree;
    fill(kind, n, d, points);
    assert_int_equal(rm2i_kd_build(ctx, n, d, points, &tree), RM2_OK);
    assert_int_equal(rm2i_neighbours(ctx, &tree, points, k, nearest), RM2_OK);
    for (size_t i = 0; i < n; i++) {
        const double *x = points + i * d;
        sort_around(n, d, points, x, sorted);
        for (size_t m = 0, at = 0; m < k; m++, at++) {
            at += sorted[at].index == i;
            assert_int_equal(nearest[i * k + m], sorted[at].index);
        }
        /* all of them, the point itself included */
        assert_int_equal(rm2i_kd_nearest(&tree, x, SIZE_MAX, n + 5, index, square), n);
        for (size_t m = 0; m < n; m++)
            assert_true(index[m] == sorted[m].index && square[m] == sorted[m].square);
        rm2i_kd_squares(&tree, x, square);
        for (size_t m = 0; m < n; m++)
            assert_true(square[m] == square_of(d, points + m * d, x));
    }
    rm2i_kd_free(&tree);
    free(points);
    free(square);
    free(sorted);
    free(nearest);
    free(index);
}

static void neighbours_are_the_nearest(void **state) {
    static const size_t sizes[] = {2, 31, 32, 33, 64, 200, 333};
    for (cloud_kind kind = NORMAL; kind < KINDS; kind++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t d = 1; d <= 12; d += 3 + kind)
                compare_cloud(*state, kind, sizes[s], d, sizes[s] < 9 ? 1 : 8);
}

static void queries_need_not_be_points(void **state) {
    enum { N = 500, D = 3, K = 6 };
    double points[N * D], square[K];
    candidate sorted[N];
    size_t index[K];
    rm2i_kd_tree tree;
    rm2_rng rng;
    rm2_rng_seed(&rng, 9);
    fill(NORMAL, N, D, points);
    assert_int_equal(rm2i_kd_build(*state, N, D, points, &tree), RM2_OK);
    for (int trial = 0; trial < 200; trial++) {
        double x[D];
        for (size_t m = 0; m < D; m++)
            x[m] = 4 * rm2_rng_normal(&rng);
        sort_around(N, D, points, x, sorted);
        assert_int_equal(rm2i_kd_nearest(&tree, x, SIZE_MAX, K, index, square), K);
        for (size_t m = 0; m < K; m++)
            assert_true(index[m] == sorted[m].index && square[m] == sorted[m].square);
    }
    rm2i_kd_free(&tree);
}

static void no_points_are_refused(void **state) {
    rm2i_kd_tree tree;
    assert_int_equal(rm2i_kd_build(*state, 0, 3, NULL, &tree), RM2_ERR_ARGUMENT);
    rm2i_kd_free(&tree);
}

/* ---- searches ------------------------------------------------------------------------------- */

enum { NODES = 40, EDGES = 90 };

static void random_graph(rm2_context *ctx, uint64_t seed, rm2i_graph *graph, double *D) {
    rm2i_edge edges[EDGES];
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < NODES * NODES; i++)
        D[i] = i / NODES == i % NODES ? 0 : INFINITY;
    for (size_t e = 0; e < EDGES; e++) {
        size_t a = rm2_rng_next(&rng) % NODES, b = rm2_rng_next(&rng) % NODES;
        edges[e] = (rm2i_edge){a, b, e % 7 ? rm2_rng_uniform(&rng) : 0};
        D[a * NODES + b] = D[b * NODES + a] = fmin(D[a * NODES + b], edges[e].length);
    }
    assert_int_equal(rm2i_graph_rows(ctx, NODES, edges, EDGES, graph), RM2_OK);
    for (size_t k = 0; k < NODES; k++) /* Floyd and Warshall */
        for (size_t i = 0; i < NODES; i++)
            for (size_t j = 0; j < NODES; j++)
                D[i * NODES + j] = fmin(D[i * NODES + j], D[i * NODES + k] + D[k * NODES + j]);
}

static double edge_length(const rm2i_graph *g, size_t a, size_t b) {
    double length = INFINITY;
    for (size_t e = g->first[a]; e < g->first[a + 1]; e++)
        if (g->to[e] == b)
            length = fmin(length, g->length[e]);
    return length;
}

/* Two seeds and three nodes near the goal: length, and the nodes on the way. */
static void search_finds_the_shortest(void **state) {
    double D[NODES * NODES], at[NODES], exits[NODES], work[2 * NODES];
    size_t before[NODES];
    for (uint64_t seed = 0; seed < 50; seed++) {
        rm2i_graph graph;
        random_graph(*state, seed, &graph, D);
        size_t ends[3] = {5, 17, 31}, seeds[2] = {2, 9};
        double start[2] = {0.4, 0.1}, expected = INFINITY;
        for (size_t i = 0; i < NODES; i++)
            exits[i] = INFINITY;
        for (size_t e = 0; e < 3; e++) {
            exits[ends[e]] = 0.1 * (double)e;
            for (size_t s = 0; s < 2; s++)
                expected =
                    fmin(expected, start[s] + D[seeds[s] * NODES + ends[e]] + exits[ends[e]]);
        }
        rm2i_search search = {&graph, 2, seeds, start, exits, at, before, work};
        double length = INFINITY, along;
        size_t last = rm2i_graph_search(&search, &length);
        assert_true(isinf(expected) ? isinf(length) : fabs(length - expected) < 1e-14);
        if (last != SIZE_MAX) {
            for (along = exits[last]; before[last] != SIZE_MAX; last = before[last])
                along += edge_length(&graph, before[last], last);
            assert_true(last == 2 || last == 9);
            assert_true(fabs(along + start[last == 9] - length) < 1e-14);
        }
        length = expected * 0.999; /* known to be shorter another way */
        assert_true(rm2i_graph_search(&search, &length) == SIZE_MAX);
        assert_true(length == expected * 0.999);
        rm2i_graph_free(&graph);
    }
}

static void parts_are_counted(void **state) {
    rm2i_edge edges[3] = {{3, 1, 1}, {4, 2, 1}, {2, 3, 1}};
    size_t parent[6];
    (void)state;
    assert_int_equal(rm2i_graph_parts(6, edges, 3, parent), 3);
    const size_t expected[6] = {0, 1, 1, 1, 1, 5};
    assert_memory_equal(parent, expected, sizeof expected);
    assert_int_equal(rm2i_graph_parts(6, NULL, 0, parent), 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(neighbours_are_the_nearest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(queries_need_not_be_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_points_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(search_finds_the_shortest, set_up, tear_down),
        cmocka_unit_test(parts_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
