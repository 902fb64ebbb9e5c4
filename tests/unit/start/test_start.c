/* Starts: geometry that is known beforehand comes out, and degenerate data give a finite start or
 * a message. Tolerances: rounding of eigenvectors is about 1e-13 here; where a bound is larger, it
 * is the method's own error, and said so. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "front/base.h"
#include "start/start.h"

static void assert_ok(rm2_context *ctx, rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

static double *doubles(size_t count) {
    double *x = calloc(count, sizeof *x);
    assert_non_null(x);
    return x;
}

static void assert_finite(size_t count, const double *x) {
    for (size_t i = 0; i < count; i++)
        assert_true(isfinite(x[i]));
}

static double mean_of(size_t n, const double *x, size_t stride) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i * stride];
    return sum / (double)n;
}

static double correlation(size_t n, const double *x, size_t dx, const double *y, size_t dy) {
    double a = mean_of(n, x, dx), b = mean_of(n, y, dy), xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < n; i++) {
        xx += (x[i * dx] - a) * (x[i * dx] - a);
        xy += (x[i * dx] - a) * (y[i * dy] - b);
        yy += (y[i * dy] - b) * (y[i * dy] - b);
    }
    return xy / sqrt(xx * yy);
}

static double standard_deviation(size_t n, const double *x) {
    double mean = mean_of(n, x, 1), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (x[i] - mean) * (x[i] - mean);
    return sqrt(sum / (double)n);
}

static double distance(size_t d, const double *x, const double *y) {
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum);
}

/* Largest entry made positive, the first of those of nearly the same magnitude. */
static void assert_sign(size_t N, size_t Q, const double *X) {
    for (size_t q = 0; q < Q; q++) {
        double largest = 0;
        for (size_t i = 0; i < N; i++)
            largest = fmax(largest, fabs(X[i * Q + q]));
        size_t i = 0;
        while (fabs(X[i * Q + q]) < (1 - 1e-6) * largest)
            i++;
        assert_true(X[i * Q + q] > 0);
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Three quarters of a circle in space, points in a scrambled order. */
static void curve_is_unrolled(void **state) {
    rm2_context *ctx = *state;
    enum { N = 150, Q = 1 };
    double F[N * 3], angle[N], X[N * Q];
    for (size_t i = 0; i < N; i++) {
        angle[i] = 4.7 * (double)(i * 67 % N) / N;
        F[i * 3] = cos(angle[i]);
        F[i * 3 + 1] = sin(angle[i]);
        F[i * 3 + 2] = 0.2 * angle[i];
    }
    assert_ok(ctx,
              rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, 3, F, 0, NULL, NULL, NULL}, Q, X));
    assert_true(fabs(correlation(N, X, 1, angle, 1)) > 0.999);
    assert_float_equal(standard_deviation(N * Q, X), 1, 1e-12);
    assert_sign(N, Q, X);
}

/* Out and back on the same line: without time the two ways fall together, with time they do not. */
static void time_untangles_a_retraced_stroke(void **state) {
    rm2_context *ctx = *state;
    enum { T = 81, N = 2 * T, Q = 2 };
    double F[N * 2], X[N * Q], phase[N];
    size_t starts[3] = {0, T, N};
    for (size_t i = 0; i < N; i++) {
        phase[i] = (double)(i % T) / (T - 1);
        F[i * 2] = 1 - fabs(2 * phase[i] - 1);
        F[i * 2 + 1] = 1e-3 * sin(9 * phase[i] + (double)(i / T));
    }
    rm2i_isomap_settings plain = {.neighbours = 8, .time_weight = 0};
    assert_ok(ctx, rm2i_start_isomap(ctx, &plain,
                                     &(rm2i_start_data){N, 2, F, 2, starts, NULL, NULL}, Q, X));
    assert_true(distance(Q, X, X + (T - 1) * Q) < 0.1);
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, 2, F, 2, starts, NULL, NULL},
                                     Q, X));
    assert_true(distance(Q, X, X + (T - 1) * Q) > 2);
    assert_true(fabs(correlation(N, X, Q, phase, 1)) > 0.999);
}

static void given_time_counts(void **state) {
    rm2_context *ctx = *state;
    enum { N = 60, Q = 2 };
    double F[N], even[N], uneven[N], A[N * Q], B[N * Q], C[N * Q];
    size_t starts[2] = {0, N};
    for (size_t i = 0; i < N; i++) {
        F[i] = sin(0.3 * (double)i);
        even[i] = 1e9 + 0.25 * (double)i;
        uneven[i] = (double)(i * i);
    }
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, 1, F, 1, starts, NULL, NULL},
                                     Q, A));
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, 1, F, 1, starts, even, NULL},
                                     Q, B));
    assert_memory_equal(A, B, sizeof A); /* phases are the same fractions */
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL,
                                     &(rm2i_start_data){N, 1, F, 1, starts, uneven, NULL}, Q, C));
    assert_true(distance(N * Q, A, C) > 1);
    for (size_t i = 0; i < N; i++)
        uneven[i] = 5; /* no usable time: evenly spaced */
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL,
                                     &(rm2i_start_data){N, 1, F, 1, starts, uneven, NULL}, Q, C));
    assert_memory_equal(A, C, sizeof A);
}

static void some_data(size_t N, size_t M, double *F) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 7);
    for (size_t i = 0; i < N * M; i++)
        F[i] = sin(0.1 * (double)(i / M) + (double)(i % M)) + 0.1 * rm2_rng_normal(&rng);
}

static void threads_and_scale_change_nothing(void **state) {
    rm2_context *ctx = *state;
    enum { N = 200, M = 5, Q = 3 };
    double F[N * M], one[N * Q], X[N * Q];
    size_t starts[3] = {0, 90, N};
    some_data(N, M, F);
    rm2_context_set_threads(ctx, 1);
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, M, F, 2, starts, NULL, NULL},
                                     Q, one));
    for (int threads = 2; threads <= 5; threads++) {
        rm2_context_set_threads(ctx, threads);
        assert_ok(ctx, rm2i_start_isomap(ctx, NULL,
                                         &(rm2i_start_data){N, M, F, 2, starts, NULL, NULL}, Q, X));
        assert_memory_equal(one, X, sizeof X);
    }
    for (size_t i = 0; i < N * M; i++)
        F[i] = ldexp(F[i], 900);
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, M, F, 2, starts, NULL, NULL},
                                     Q, X));
    assert_memory_equal(one, X, sizeof X);
    for (size_t i = 0; i < N * M; i++)
        F[i] = ldexp(F[i], -1700);
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, M, F, 2, starts, NULL, NULL},
                                     Q, X));
    assert_memory_equal(one, X, sizeof X);
}

static rm2_status build_graph(rm2_context *ctx, const rm2i_start_data *points, size_t k,
                              rm2i_graph *g) {
    return rm2i_graph_build(ctx, points, &(rm2i_graph_settings){.neighbours = k, .steps = 1}, g);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static double edge_length(const rm2i_graph *g, size_t a, size_t b) {
    for (size_t e = g->first[a]; e < g->first[a + 1]; e++)
        if (g->to[e] == b)
            return g->length[e];
    return INFINITY;
}

static void graph_is_as_defined(void **state) {
    rm2_context *ctx = *state;
    enum { N = 60, D = 2, K = 4 };
    double P[N * D];
    size_t starts[3] = {0, 25, N};
    rm2i_graph g;
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 0; i < N * D; i++)
        P[i] = rm2_rng_normal(&rng);
    assert_ok(ctx, build_graph(ctx, &(rm2i_start_data){N, D, P, 2, starts, NULL, NULL}, K, &g));
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double d = distance(D, P + i * D, P + j * D);
            size_t closer_i = 0, closer_j = 0;
            for (size_t k = 0; k < N; k++) {
                closer_i += k != i && distance(D, P + i * D, P + k * D) < d;
                closer_j += k != j && distance(D, P + j * D, P + k * D) < d;
            }
            bool step = (i + 1 == j && j != 25) || (j + 1 == i && i != 25);
            bool wanted = i != j && (closer_i < K || closer_j < K || step);
            double length = edge_length(&g, i, j);
            assert_int_equal(isfinite(length), wanted); /* these points are connected so */
            assert_true(!wanted || fabs(length - d) < 1e-15);
            assert_true(!wanted || length == edge_length(&g, j, i));
        }
    rm2i_graph_free(&g);
}

/* Neighbours in other trajectories (3 of N points in 2 dimensions, 3 trajectories), by the definition of the graph. */
enum { OTHERS_N = 60, OTHERS_K = 3 };

static size_t run_of(size_t i) {
    return (size_t)(i >= 25) + (i >= 40);
}

/* Distance of point i from its neighbour number `rank`, from 0, in other trajectories. */
static double neighbour_distance(const double *P, size_t i, size_t rank) {
    for (size_t j = 0; j < OTHERS_N; j++) {
        size_t closer = 0;
        double d = distance(2, P + 2 * i, P + 2 * j);
        for (size_t k = 0; k < OTHERS_N; k++)
            closer += run_of(k) != run_of(i) && distance(2, P + 2 * i, P + 2 * k) < d;
        if (run_of(j) != run_of(i) && closer == rank)
            return d;
    }
    return NAN;
}

/* d, or d/(1 - (d/r)^64) if tapered; infinite without an edge. */
static double wanted_length(const double *P, size_t i, size_t j, bool tapered) {
    double d = distance(2, P + 2 * i, P + 2 * j);
    size_t rank = tapered ? OTHERS_K + 1 : OTHERS_K;
    double reach = fmax(neighbour_distance(P, i, rank), neighbour_distance(P, j, rank));
    if (run_of(i) == run_of(j))
        return i != j && (i > j ? i - j : j - i) <= 2 ? d : INFINITY;
    if (d >= reach)
        return INFINITY;
    return tapered ? d / (1 - pow(d / reach, 64)) : d;
}

static void graph_of_others(void **state) {
    rm2_context *ctx = *state;
    double P[2 * OTHERS_N];
    size_t starts[] = {0, 25, 40, OTHERS_N};
    rm2_rng rng;
    rm2_rng_seed(&rng, 8);
    for (size_t i = 0; i < 2 * OTHERS_N; i++)
        P[i] = rm2_rng_normal(&rng);
    const rm2i_start_data points = {OTHERS_N, 2, P, 3, starts, NULL, NULL};
    for (int tapered = 0; tapered < 2; tapered++) {
        rm2i_graph_settings settings = {OTHERS_K, true, 2, tapered};
        rm2i_graph g;
        assert_ok(ctx, rm2i_graph_build(ctx, &points, &settings, &g));
        for (size_t i = 0; i < OTHERS_N; i++)
            for (size_t j = 0; j < OTHERS_N; j++) {
                double length = edge_length(&g, i, j), wanted = wanted_length(P, i, j, tapered);
                assert_int_equal(isfinite(length),
                                 isfinite(wanted)); /* these points are connected so */
                /* rounding of d/r, 64 times, over the least 1 - (d/r)^32 of these points, 1e-3 */
                assert_true(isinf(wanted) || fabs(length - wanted) < 1e-11 * wanted);
            }
        rm2i_graph_free(&g);
    }
}

/* With one trajectory there are no others. */
static void graph_without_others(void **state) {
    rm2_context *ctx = *state;
    double P[] = {0, 1, 2, 3};
    size_t starts[] = {0, 4};
    rm2i_graph g;
    rm2i_graph_settings settings = {3, true, 2, true};
    assert_ok(ctx, rm2i_graph_build(ctx, &(rm2i_start_data){4, 1, P, 1, starts, NULL, NULL},
                                    &settings, &g));
    assert_int_equal(g.first[4], 2 * 5);
    assert_true(isinf(edge_length(&g, 0, 3)) && edge_length(&g, 0, 2) == 2);
    rm2i_graph_free(&g);
}

/* Three clusters on a line, at 0, 10 and 16: joined by the two shortest links, not the third. */
static void parts_are_joined_by_shortest_links(void **state) {
    rm2_context *ctx = *state;
    enum { N = 12, K = 2 };
    double P[N], centre[3] = {10, 0, 16};
    rm2i_graph g;
    for (size_t i = 0; i < N; i++)
        P[i] = centre[i % 3] + 0.1 * (double)(i / 3);
    assert_ok(ctx, build_graph(ctx, &(rm2i_start_data){N, 1, P, 0, NULL, NULL, NULL}, K, &g));
    size_t between = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t e = g.first[i]; e < g.first[i + 1]; e++)
            between += g.to[e] % 3 != i % 3;
    assert_int_equal(between, 4); /* two links, from both ends */
    assert_true(fabs(edge_length(&g, 10, 0) - 9.7) < 1e-12);
    assert_true(fabs(edge_length(&g, 9, 2) - 5.7) < 1e-12);
    double D[N * N];
    assert_ok(ctx, rm2i_graph_distances(ctx, &g, D));
    for (size_t i = 0; i < N * N; i++) /* on a line, paths are as long as the way */
        assert_true(fabs(D[i] - fabs(P[i / N] - P[i % N])) < 1e-12);
    rm2i_graph_free(&g);
}

static void floyd_warshall(const rm2i_graph *g, double *D) {
    size_t n = g->n;
    for (size_t i = 0; i < n * n; i++)
        D[i] = i / n == i % n ? 0 : edge_length(g, i / n, i % n);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                D[i * n + j] = fmin(D[i * n + j], D[i * n + k] + D[k * n + j]);
}

static void paths_are_shortest(void **state) {
    rm2_context *ctx = *state;
    enum { N = 70, D = 3 };
    double P[N * D], *found = doubles((size_t)N * N), *expected = doubles((size_t)N * N);
    rm2i_graph g;
    some_data(N, D, P);
    memcpy(P + 10 * D, P + 40 * D, D * sizeof *P); /* an edge of length 0 */
    assert_ok(ctx, build_graph(ctx, &(rm2i_start_data){N, D, P, 0, NULL, NULL, NULL}, 3, &g));
    assert_ok(ctx, rm2i_graph_distances(ctx, &g, found));
    floyd_warshall(&g, expected);
    for (size_t i = 0; i < N * N; i++) {
        assert_true(fabs(found[i] - expected[i]) < 1e-13);
        assert_true(found[i] == found[i % N * N + i / N]);
    }
    rm2i_graph_free(&g);
    free(found);
    free(expected);
}

static void unreachable_is_infinite(void **state) {
    rm2_context *ctx = *state;
    size_t first[4] = {0, 1, 2, 2}, to[2] = {1, 0};
    double length[2] = {2, 2}, D[9], X[3];
    rm2i_graph g = {.n = 3, .first = first, .to = to, .length = length};
    assert_ok(ctx, rm2i_graph_distances(ctx, &g, D));
    assert_true(D[1] == 2 && D[8] == 0 && isinf(D[2]) && isinf(D[7]));
    assert_int_equal(rm2i_start_mds(ctx, 3, D, 1, X), RM2_ERR_NUMERIC);
}

static void scaling_recovers_points(void **state) {
    rm2_context *ctx = *state;
    enum { N = 40, D = 3 };
    double P[N * D], distances[N * N], X[N * D];
    some_data(N, D, P);
    for (size_t i = 0; i < N * N; i++)
        distances[i] = distance(D, P + i / N * D, P + i % N * D);
    assert_ok(ctx, rm2i_start_mds(ctx, N, distances, D, X));
    for (size_t i = 0; i < N * N; i++) {
        double d = distance(D, P + i / N * D, P + i % N * D);
        assert_true(fabs(distance(D, X + i / N * D, X + i % N * D) - d) < 1e-12);
    }
    assert_true(fabs(correlation(N, X, D, X + 1, D)) < 1e-12); /* principal axes */
    assert_sign(N, D, X);
}

/* ---- principal components ------------------------------------------------------------------- */

/* Both ways, more points than columns and fewer, against classical scaling of the distances. */
static void components_equal_scaling(void **state) {
    rm2_context *ctx = *state;
    enum { N = 30, Q = 3 };
    for (size_t D = 4; D <= 64; D *= 4) {
        double *Y = doubles(N * D), *distances = doubles((size_t)N * N), X[N * Q], Z[N * Q];
        some_data(N, D, Y);
        for (size_t i = 0; i < N * N; i++)
            distances[i] = distance(D, Y + i / N * D, Y + i % N * D);
        assert_ok(ctx, rm2i_start_mds(ctx, N, distances, Q, Z));
        assert_ok(ctx, rm2i_start_pca(ctx, N, D, Y, Q, false, X));
        for (size_t i = 0; i < N * Q; i++)
            assert_true(fabs(X[i] - Z[i]) < 1e-11);
        assert_ok(ctx, rm2i_start_pca(ctx, N, D, Y, Q, true, X));
        assert_float_equal(standard_deviation(N * Q, X), 1, 1e-12);
        free(Y);
        free(distances);
    }
}

static void large_numbers_do_not_overflow(void **state) {
    rm2_context *ctx = *state;
    double Y[6] = {1e300, 0, -1e300, 1e299, 0, -1e299}, X[3];
    assert_ok(ctx, rm2i_start_pca(ctx, 3, 2, Y, 1, false, X));
    assert_true(fabs(fabs(X[0] - X[1]) / 2e300 - 1) < 1e-2);
}

static void random_is_standard_normal(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    double *X = doubles(COUNT);
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    rm2i_start_random(&rng, COUNT / 2, 2, X);
    assert_float_equal(mean_of(COUNT, X, 1), 0, 0.03); /* four standard errors */
    assert_float_equal(standard_deviation(COUNT, X), 1, 0.03);
    free(X);
}

/* ---- degenerate data ------------------------------------------------------------------------ */

static void missing_columns_are_spread(void **state) {
    rm2_context *ctx = *state;
    enum { N = 50, Q = 3 };
    double F[N], X[N * Q], column[N];
    size_t starts[2] = {0, N};
    for (size_t i = 0; i < N; i++)
        F[i] = (double)i;
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, 1, F, 1, starts, NULL, NULL},
                                     Q, X));
    assert_float_equal(standard_deviation(N * Q, X), 1, 1e-3);
    assert_true(fabs(correlation(N, X, Q, F, 1)) > 1 - 1e-12);
    for (size_t q = 1; q < Q; q++) {
        for (size_t i = 0; i < N; i++)
            column[i] = X[i * Q + q];
        assert_true(fabs(standard_deviation(N, column) / RM2I_START_SPREAD - 1) < 0.2);
        for (size_t p = 0; p < q; p++)
            assert_true(fabs(correlation(N, X + p, Q, X + q, Q)) < 0.3);
    }
}

static void few_points(void **state) {
    rm2_context *ctx = *state;
    double F[6] = {0, 0, 3, 4, -1, 2}, X[3 * 5];
    size_t starts[2] = {0, 2}, singles[4] = {0, 1, 2, 3};
    for (size_t Q = 1; Q <= 5; Q++) /* Q < N, Q = N, Q > N; fewer points than neighbours */
        for (size_t N = 2; N <= 3; N++) {
            assert_ok(ctx, rm2i_start_isomap(
                               ctx, NULL, &(rm2i_start_data){N, 2, F, 0, NULL, NULL, NULL}, Q, X));
            assert_finite(N * Q, X);
            assert_true(distance(Q, X, X + Q) > 0.1);
            assert_ok(ctx, rm2i_start_pca(ctx, N, 2, F, Q, true, X));
            assert_finite(N * Q, X);
            assert_ok(ctx,
                      rm2i_start_isomap(ctx, NULL,
                                        &(rm2i_start_data){N, 2, F, N, singles, NULL, NULL}, Q, X));
            assert_finite(N * Q, X);
        }
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){2, 2, F, 1, starts, NULL, NULL},
                                     1, X));
    assert_true(X[0] == 1 && X[1] == -1); /* ties in magnitude: the first is positive */
}

static void duplicates(void **state) {
    rm2_context *ctx = *state;
    enum { N = 60, Q = 2 };
    double F[N * 2], X[N * Q];
    size_t starts[3] = {0, 30, N};
    for (size_t i = 0; i < N; i++) { /* five places, twelve points each: more than k */
        F[i * 2] = (double)(i % 5);
        F[i * 2 + 1] = (double)(i % 5 == 2);
    }
    assert_ok(ctx,
              rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, 2, F, 0, NULL, NULL, NULL}, Q, X));
    assert_finite(N * Q, X);
    for (size_t i = 5; i < N; i++) /* the places are on one line along the graph: one column */
        assert_true(fabs(X[i * Q] - X[(i - 5) * Q]) < 1e-12);
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, 2, F, 2, starts, NULL, NULL},
                                     Q, X));
    assert_finite(N * Q, X);
}

static void refuses(rm2_context *ctx, rm2_status status, rm2_status expected, const char *part) {
    assert_int_equal(status, expected);
    if (!strstr(rm2_context_error(ctx), part))
        fail_msg("\"%s\" is not in: %s", part, rm2_context_error(ctx));
}

static void hopeless_data_are_refused(void **state) {
    rm2_context *ctx = *state;
    double equal[8] = {1, 2, 1, 2, 1, 2, 1, 2}, bad[4] = {0, 1, NAN, 3}, X[8];
    double time[2] = {0, INFINITY};
    size_t starts[2] = {0, 4}, wrong[3] = {0, 0, 2}, two[2] = {0, 2};
    rm2i_isomap_settings none = {.neighbours = 0, .time_weight = 4};
    rm2i_isomap_settings minus = {.neighbours = 8, .time_weight = -1};
    refuses(
        ctx,
        rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){4, 2, equal, 1, starts, NULL, NULL}, 2, X),
        RM2_ERR_DATA, "are equal");
    refuses(ctx, rm2i_start_pca(ctx, 4, 2, equal, 2, false, X), RM2_ERR_DATA, "are equal");
    refuses(
        ctx,
        rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){1, 2, equal, 0, NULL, NULL, NULL}, 1, X),
        RM2_ERR_DATA, "two points");
    refuses(ctx,
            rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){2, 2, bad, 0, NULL, NULL, NULL}, 1, X),
            RM2_ERR_DATA, "point 1, coordinate 0 is not finite");
    refuses(ctx,
            rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){2, 1, bad, 0, NULL, NULL, NULL}, 0, X),
            RM2_ERR_ARGUMENT, "dimension");
    refuses(ctx,
            rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){2, 1, bad, 2, wrong, NULL, NULL}, 1, X),
            RM2_ERR_ARGUMENT, "starts");
    refuses(ctx,
            rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){2, 1, bad, 1, two, time, NULL}, 1, X),
            RM2_ERR_DATA, "time");
    refuses(ctx,
            rm2i_start_isomap(ctx, &none, &(rm2i_start_data){2, 1, bad, 0, NULL, NULL, NULL}, 1, X),
            RM2_ERR_ARGUMENT, "neighbours");
    refuses(
        ctx,
        rm2i_start_isomap(ctx, &minus, &(rm2i_start_data){2, 1, bad, 0, NULL, NULL, NULL}, 1, X),
        RM2_ERR_ARGUMENT, "weight of time");
}

static void interrupt_stops(void **state) {
    rm2_context *ctx = *state;
    enum { N = 100 };
    double F[N * 2], X[N * 2];
    some_data(N, 2, F);
    rm2_context_interrupt(ctx);
    assert_int_equal(
        rm2i_start_isomap(ctx, NULL, &(rm2i_start_data){N, 2, F, 0, NULL, NULL, NULL}, 2, X),
        RM2_INTERRUPTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(curve_is_unrolled),
        WITH_CONTEXT(time_untangles_a_retraced_stroke),
        WITH_CONTEXT(given_time_counts),
        WITH_CONTEXT(threads_and_scale_change_nothing),
        WITH_CONTEXT(graph_is_as_defined),
        WITH_CONTEXT(graph_of_others),
        WITH_CONTEXT(graph_without_others),
        WITH_CONTEXT(parts_are_joined_by_shortest_links),
        WITH_CONTEXT(paths_are_shortest),
        WITH_CONTEXT(unreachable_is_infinite),
        WITH_CONTEXT(scaling_recovers_points),
        WITH_CONTEXT(components_equal_scaling),
        WITH_CONTEXT(large_numbers_do_not_overflow),
        WITH_CONTEXT(random_is_standard_normal),
        WITH_CONTEXT(missing_columns_are_spread),
        WITH_CONTEXT(few_points),
        WITH_CONTEXT(duplicates),
        WITH_CONTEXT(hopeless_data_are_refused),
        WITH_CONTEXT(interrupt_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
