/* Medoids against all choices there are, where these can be counted; otherwise against what defines
 * the end of the method: no exchange is better. Sums have at most 60 terms near one: 1e-12 is
 * rounding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "riemann2/geodesic.h"

#define ROUNDING 1e-12

enum { MOST = 60 };

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

/* Points in the plane, in `groups` groups; some on a lattice, where distances are often equal. */
static void distances(uint64_t seed, size_t n, size_t groups, double *D) {
    double x[MOST * 2];
    rm2_rng rng;
    rm2_rng_seed(&rng, seed);
    for (size_t i = 0; i < 2 * n; i++) {
        x[i] = rm2_rng_normal(&rng) + 9 * (double)(i / 2 % groups) * (double)(i % 2 ? 1 : -1);
        x[i] = seed % 3 ? x[i] : round(x[i]);
    }
    for (size_t i = 0; i < n * n; i++)
        D[i] = hypot(x[i / n * 2] - x[i % n * 2], x[i / n * 2 + 1] - x[i % n * 2 + 1]);
}

static double cost_of(size_t n, const double *D, size_t k, const size_t *medoids) {
    double sum = 0;
    for (size_t o = 0; o < n; o++) {
        double least = INFINITY;
        for (size_t m = 0; m < k; m++)
            least = fmin(least, D[medoids[m] * n + o]);
        sum += least;
    }
    return sum;
}

/* Least cost over all choices from point `from` on. */
static double best_choice(size_t n, const double *D, size_t k, size_t *chosen, size_t held,
                          size_t from) {
    double least = INFINITY;
    if (held == k)
        return cost_of(n, D, k, chosen);
    for (size_t i = from; i < n; i++) {
        chosen[held] = i;
        least = fmin(least, best_choice(n, D, k, chosen, held + 1, i + 1));
    }
    return least;
}

/* What must hold of every answer. */
static void check_answer(size_t n, const double *D, size_t k, const size_t *medoids,
                         const size_t *cluster, double cost) {
    assert_true(fabs(cost - cost_of(n, D, k, medoids)) <= ROUNDING);
    for (size_t m = 0; m < k; m++) {
        assert_true(medoids[m] < n && (m == 0 || medoids[m - 1] < medoids[m]));
        assert_int_equal(cluster[medoids[m]], m);
    }
    for (size_t o = 0; o < n; o++)
        for (size_t m = 0; m < k; m++)
            assert_true(D[medoids[cluster[o]] * n + o] <= D[medoids[m] * n + o]);
    for (size_t m = 0; m < k; m++) /* no exchange is better */
        for (size_t x = 0; x < n; x++) {
            size_t other[MOST];
            memcpy(other, medoids, k * sizeof *other);
            other[m] = x;
            assert_true(cost_of(n, D, k, other) >= cost - ROUNDING);
        }
}

/* The method finds a local minimum: the best one where there are as many groups, and nearly always
 * otherwise. */
static void medoids_are_the_best(void **state) {
    enum { N = 13 };
    double D[N * N];
    size_t best = 0, total = 0;
    for (uint64_t seed = 0; seed < 60; seed++)
        for (size_t k = 1; k <= 4; k++) {
            size_t groups = 1 + seed % 4, medoids[N], cluster[N], chosen[N];
            double cost;
            distances(seed, N, groups, D);
            assert_int_equal(rm2_distance_medoids(*state, N, D, k, medoids, cluster, &cost),
                             RM2_OK);
            check_answer(N, D, k, medoids, cluster, cost);
            bool found = cost <= best_choice(N, D, k, chosen, 0, 0) + ROUNDING;
            assert_true(found || (k > 1 && k != groups));
            best += found;
            total++;
        }
    assert_true(best >= total * 9 / 10);
}

static void many_points(void **state) {
    enum { N = MOST };
    double D[N * N], cost, again;
    for (size_t k = 1; k <= N; k += 6) {
        size_t medoids[N], cluster[N], other[N];
        distances(k, N, 5, D);
        rm2_context_set_threads(*state, 1);
        assert_int_equal(rm2_distance_medoids(*state, N, D, k, medoids, cluster, &cost), RM2_OK);
        check_answer(N, D, k, medoids, cluster, cost);
        rm2_context_set_threads(*state, 3);
        assert_int_equal(rm2_distance_medoids(*state, N, D, k, other, NULL, &again), RM2_OK);
        assert_memory_equal(medoids, other, k * sizeof *other);
        assert_true(cost == again);
    }
}

static void every_point_a_medoid(void **state) {
    enum { N = 9 };
    double D[N * N], cost;
    size_t medoids[N], cluster[N];
    distances(4, N, 2, D);
    assert_int_equal(rm2_distance_medoids(*state, N, D, N, medoids, cluster, &cost), RM2_OK);
    assert_true(cost == 0);
    for (size_t i = 0; i < N; i++)
        assert_true(medoids[i] == i && cluster[i] == i);
}

/* Points that coincide: the first ones are taken, and every medoid has its own cluster. */
static void duplicates(void **state) {
    enum { N = 8 };
    double D[N * N] = {0}, cost;
    size_t medoids[N], cluster[N];
    assert_int_equal(rm2_distance_medoids(*state, N, D, 3, medoids, cluster, &cost), RM2_OK);
    assert_true(cost == 0 && medoids[0] == 0 && medoids[1] == 1 && medoids[2] == 2);
    const size_t expected[N] = {0, 1, 2, 0, 0, 0, 0, 0};
    assert_memory_equal(cluster, expected, sizeof expected);
    for (size_t i = 0; i < N * N; i++) /* two groups of equal points */
        D[i] = i / N % 2 != i % N % 2;
    assert_int_equal(rm2_distance_medoids(*state, N, D, 2, medoids, cluster, &cost), RM2_OK);
    assert_true(cost == 0 && medoids[0] == 0 && medoids[1] == 1);
    assert_int_equal(rm2_distance_medoids(*state, 1, D, 1, medoids, cluster, &cost), RM2_OK);
    assert_true(cost == 0 && medoids[0] == 0 && cluster[0] == 0);
}

static void bad_input_is_refused(void **state) {
    double D[4] = {0, 1, 1, 0}, cost;
    size_t medoids[3];
    assert_int_equal(rm2_distance_medoids(*state, 2, D, 0, medoids, NULL, &cost), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_distance_medoids(*state, 2, D, 3, medoids, NULL, &cost), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(*state), "3 medoids of 2 points: give 1 to 2"));
    const double wrong[3] = {NAN, INFINITY, -1};
    for (size_t i = 0; i < 3; i++) {
        D[1] = wrong[i];
        assert_int_equal(rm2_distance_medoids(*state, 2, D, 1, medoids, NULL, &cost), RM2_ERR_DATA);
        assert_non_null(strstr(rm2_context_error(*state), "the distance of points 0 and 1 is"));
    }
    D[1] = 1;
    D[3] = 0.5;
    assert_int_equal(rm2_distance_medoids(*state, 2, D, 1, medoids, NULL, &cost), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(*state), "points 1 and 1 is 0.5"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(medoids_are_the_best, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_point_a_medoid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(duplicates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_input_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
