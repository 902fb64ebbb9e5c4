/* Means of groups and permutation tests: against brute force over all arrangements, which are found here by trying all
 * sets of subjects, and against the distribution that p values have if labels mean nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "near.h"
#include "riemann2/statistics.h"
#include "shared_context.h"

static rm2_manifold *manifold(const char *spec) {
    rm2_manifold *m;
    ok(rm2_manifold_create(ctx, spec, &m));
    return m;
}

static void refused(rm2_status status, rm2_status want, const char *text) {
    assert_int_equal(status, want);
    if (!strstr(rm2_context_error(ctx), text))
        fail_msg("\"%s\" has no \"%s\"", rm2_context_error(ctx), text);
}

static int by_value(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* ---- brute force ------------------------------------------------------------------------------ */

enum { MOST = 12, MOST_AMBIENT = 9, MOST_SETS = 1 << MOST };

typedef struct brute {
    size_t count;
    double value[MOST_SETS];
} brute;

/* Distance between the means of the points with side 0 and 1, each by the public mean. */
static double distance_of_means(const rm2_labelled *d, const bool *side) {
    size_t D = rm2_manifold_ambient(d->manifold);
    double part[MOST * MOST_AMBIENT], mean[2][MOST_AMBIENT], value;
    for (int k = 0; k < 2; k++) {
        size_t count = 0;
        for (size_t i = 0; i < d->n; i++)
            if (side[i] == k)
                memcpy(part + count++ * D, d->points + i * D, D * sizeof *part);
        ok(rm2_manifold_mean(ctx, d->manifold, count, part, NULL, NULL, mean[k], NULL));
    }
    ok(rm2_manifold_distance(ctx, d->manifold, 1, mean[0], 1, mean[1], &value));
    return value;
}

/* All ways to give each subject the other label for all of its points, or not, that keep the number of subjects which
 * have the second label alone. Subjects are 0, 1, ... */
static void try_all(const rm2_labelled *d, size_t subjects, brute *all) {
    size_t alone = 0;
    bool has[2][MOST] = {{false}}, side[MOST];
    all->count = 0;
    for (size_t i = 0; i < d->n; i++)
        has[d->labels[i]][d->subjects[i]] = true;
    for (size_t s = 0; s < subjects; s++)
        alone += has[1][s] && !has[0][s];
    for (size_t flips = 0; flips < (size_t)1 << subjects; flips++) {
        size_t now = 0;
        for (size_t s = 0; s < subjects; s++)
            if (!(has[0][s] && has[1][s]))
                now += (flips >> s & 1 ? has[0][s] : has[1][s]);
        if (now != alone)
            continue;
        for (size_t i = 0; i < d->n; i++)
            side[i] = (d->labels[i] == 1) != (flips >> d->subjects[i] & 1);
        all->value[all->count++] = distance_of_means(d, side);
    }
}

/* p value, number and, sorted, the statistics of all arrangements but the first (no flips: as it is). */
static void agrees_with_brute_force(const rm2_labelled *d, size_t subjects, size_t expected) {
    static brute all;
    static double values[MOST_SETS];
    rm2_test_settings s = rm2_test_settings_default();
    rm2_test_result r = {.size = sizeof r};
    size_t larger = 0;
    s.permutations = MOST_SETS;
    try_all(d, subjects, &all);
    assert_int_equal(all.count, expected);
    ok(rm2_group_test(ctx, d, 0, 1, &s, values, &r));
    assert_true(r.exact && r.converged);
    assert_int_equal(r.permutations, all.count - 1);
    /* means are found to 1e-6 of the spread of their points, which is about 1 */
    assert_near(r.statistic, all.value[0], 1e-5);
    for (size_t k = 1; k < all.count; k++)
        larger += all.value[k] >= all.value[0] - 1e-5;
    assert_int_equal(r.as_large, larger);
    assert_near(r.p_value, (double)(1 + larger) / (double)all.count, 1e-15);
    qsort(values, r.permutations, sizeof *values, by_value);
    qsort(all.value + 1, r.permutations, sizeof *values, by_value);
    for (size_t k = 0; k < r.permutations; k++)
        assert_near(values[k], all.value[k + 1], 1e-5);
}

static void fill_points(const rm2_labelled *d, double *points, double shift) {
    size_t D = rm2_manifold_ambient(d->manifold);
    rm2_context_set_seed(ctx, 5);
    ok(rm2_manifold_random(ctx, d->manifold, d->n, points));
    for (size_t i = 0; i < d->n && rm2_manifold_factor(d->manifold, 0)->geometry == &rm2_euclidean;
         i++)
        points[i * D] += d->labels[i] ? shift : 0;
}

static void on_manifold(const char *spec, const size_t *labels, const size_t *subjects, size_t n,
                        size_t count, size_t expected) {
    rm2_manifold *m = manifold(spec);
    double points[MOST * MOST_AMBIENT];
    rm2_labelled d = {sizeof d, m, n, points, labels, 2, subjects};
    fill_points(&d, points, 1.5);
    agrees_with_brute_force(&d, count, expected);
    rm2_manifold_free(m);
}

static void one_point_a_subject(void **state) {
    (void)state;
    const size_t labels[] = {0, 1, 0, 1, 1, 0, 1}, subjects[] = {0, 1, 2, 3, 4, 5, 6};
    on_manifold("R2", labels, subjects, 7, 7, 35); /* C(7, 4) */
    on_manifold("SPD2", labels, subjects, 7, 7, 35);
    on_manifold("SPD3", labels, subjects, 7, 7, 35);
    on_manifold("H2", labels, subjects, 7, 7, 35);
    on_manifold("R1 x SPD2", labels, subjects, 7, 7, 35);
}

/* Points of a subject stay together, also where they are not next to each other. */
static void several_points_a_subject(void **state) {
    (void)state;
    const size_t labels[] = {0, 0, 1, 1, 0, 1, 0, 0, 1}, subjects[] = {0, 0, 1, 1, 2, 3, 2, 2, 4};
    on_manifold("R2", labels, subjects, 9, 5, 10); /* C(5, 3) */
    on_manifold("SPD2", labels, subjects, 9, 5, 10);
}

/* Every subject before and after: 2^b; and some that have one label alone: C(3, 1) 2^2. */
static void both_labels_in_a_subject(void **state) {
    (void)state;
    const size_t paired[] = {0, 1, 0, 1, 0, 1, 0, 1}, pairs[] = {0, 0, 1, 1, 2, 2, 3, 3};
    on_manifold("R2", paired, pairs, 8, 4, 16);
    on_manifold("SPD2", paired, pairs, 8, 4, 16);
    const size_t mixed[] = {0, 1, 1, 0, 1, 0, 0, 1}, subjects[] = {0, 0, 0, 1, 2, 3, 4, 4};
    on_manifold("R2", mixed, subjects, 8, 5, 12);
}

/* ---- chance ----------------------------------------------------------------------------------- */

/* Under the hypothesis p is uniform on 1/(B + 1), ..., 1 for a statistic without ties. Kolmogorov and Smirnov's bound at
 * one in a thousand is 1.95/sqrt(R); the steps of p add 1/(B + 1). */
static void uniform_without_an_effect(void **state) {
    (void)state;
    enum { R = 400, N = 16, B = 99 };
    rm2_manifold *m = manifold("R1");
    double points[N], p[R], worst = 0;
    size_t labels[N];
    rm2_rng rng;
    rm2_rng_seed(&rng, 11);
    rm2_test_settings s = rm2_test_settings_default();
    s.permutations = B;
    s.statistic = RM2_TEST_TANGENT;
    for (size_t r = 0; r < R; r++) {
        rm2_test_result result = {.size = sizeof result};
        for (size_t i = 0; i < N; i++) {
            points[i] = rm2_rng_normal(&rng);
            labels[i] = i % 3 == 0;
        }
        s.seed = r;
        ok(rm2_group_test(ctx, &(rm2_labelled){sizeof(rm2_labelled), m, N, points, labels, 2, NULL},
                          0, 1, &s, NULL, &result));
        assert_false(result.exact);
        assert_int_equal(result.permutations, B);
        p[r] = result.p_value;
    }
    qsort(p, R, sizeof *p, by_value);
    for (size_t r = 0; r < R; r++)
        worst = fmax(worst, fmax(fabs(p[r] - (double)r / R), fabs(p[r] - (double)(r + 1) / R)));
    if (worst > 1.95 / sqrt(R) + 1.0 / (B + 1))
        fail_msg("distribution of p values is %g from the uniform one", worst);
    rm2_manifold_free(m);
}

/* Subjects that differ, four rows each: with the subjects named p is uniform, without it is far too small. */
static void subjects_matter(void **state) {
    (void)state;
    enum { R = 200, S = 10, ROWS = 4, N = S * ROWS };
    rm2_manifold *m = manifold("R1");
    double points[N];
    size_t labels[N], subjects[N], small[2] = {0, 0};
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    rm2_test_settings s = rm2_test_settings_default();
    s.permutations = 99;
    s.statistic = RM2_TEST_TANGENT;
    for (size_t r = 0; r < R; r++) {
        double own = 0;
        for (size_t i = 0; i < N; i++) {
            if (i % ROWS == 0)
                own = rm2_rng_normal(&rng);
            points[i] = own + 0.1 * rm2_rng_normal(&rng);
            subjects[i] = i / ROWS;
            labels[i] = subjects[i] % 2;
        }
        for (int named = 0; named < 2; named++) {
            rm2_test_result result = {.size = sizeof result};
            ok(rm2_group_test(ctx,
                              &(rm2_labelled){sizeof(rm2_labelled), m, N, points, labels, 2,
                                              named ? subjects : NULL},
                              0, 1, &s, NULL, &result));
            small[named] += result.p_value <= 0.05;
        }
    }
    /* binomial with 0.05 of 200: 10, standard deviation 3.1; without subjects about half */
    assert_true(small[1] <= 20);
    assert_true(small[0] >= 60);
    rm2_manifold_free(m);
}

/* In flat space the statistics are the same, on any number of threads, and p is the seed's alone. */
static void flat_space_and_threads(void **state) {
    (void)state;
    enum { N = 30, B = 50 };
    rm2_manifold *flat = manifold("R3"), *curved = manifold("SPD2");
    double points[N * 4], value[3][B];
    size_t labels[N];
    rm2_test_result r[3] = {{.size = sizeof *r}, {.size = sizeof *r}, {.size = sizeof *r}};
    for (size_t i = 0; i < N; i++)
        labels[i] = i % 2;
    rm2_labelled d = {sizeof d, flat, N, points, labels, 2, NULL};
    rm2_test_settings s = rm2_test_settings_default();
    fill_points(&d, points, 0.5);
    s.permutations = B;
    ok(rm2_group_test(ctx, &d, 0, 1, &s, value[0], &r[0]));
    s.statistic = RM2_TEST_TANGENT;
    ok(rm2_group_test(ctx, &d, 0, 1, &s, value[1], &r[1]));
    s.seed = 1;
    ok(rm2_group_test(ctx, &d, 1, 0, &s, value[2], &r[2]));
    for (size_t k = 0; k < B; k++)
        assert_near(value[0][k], value[1][k], 1e-12);
    assert_true(memcmp(value[1], value[2], sizeof value[1]) != 0);
    assert_near(r[0].statistic, r[2].statistic, 1e-12);
    d.manifold = curved;
    s.statistic = RM2_TEST_MEANS;
    fill_points(&d, points, 0);
    for (int threads = 1; threads <= 3; threads++) {
        rm2_context_set_threads(ctx, threads);
        ok(rm2_group_test(ctx, &d, 0, 1, &s, value[threads - 1], &r[threads - 1]));
    }
    rm2_context_set_threads(ctx, 1);
    assert_memory_equal(value[0], value[1], sizeof value[0]);
    assert_memory_equal(value[0], value[2], sizeof value[0]);
    rm2_manifold_free(flat);
    rm2_manifold_free(curved);
}

/* The approximation orders arrangements as the exact one does where points are close together: here 0.1 apart, where
 * the curvature changes distances by about 1e-3. */
static void tangent_approximates(void **state) {
    (void)state;
    enum { N = 24, B = 60 };
    rm2_manifold *m = manifold("SPD3");
    double points[N * 9], exact[B], quick[B], base[9], c[N * 6];
    size_t labels[N];
    rm2_test_result r = {.size = sizeof r};
    rm2_manifold_default_point(m, base);
    rm2_rng_seed(rm2_context_rng(ctx), 9);
    for (size_t k = 0; k < N * 6; k++)
        c[k] = 0.1 * rm2_rng_normal(rm2_context_rng(ctx));
    ok(rm2_manifold_exp_coords(ctx, m, N, base, 1, c, points));
    for (size_t i = 0; i < N; i++)
        labels[i] = i % 2;
    rm2_labelled d = {sizeof d, m, N, points, labels, 2, NULL};
    rm2_test_settings s = rm2_test_settings_default();
    s.permutations = B;
    ok(rm2_group_test(ctx, &d, 0, 1, &s, exact, &r));
    s.statistic = RM2_TEST_TANGENT;
    ok(rm2_group_test(ctx, &d, 0, 1, &s, quick, &r));
    for (size_t k = 0; k < B; k++)
        assert_near(quick[k] / exact[k], 1, 2e-2);
    rm2_manifold_free(m);
}

/* ---- means, distances, p values ---------------------------------------------------------------- */

static void means_by_label(void **state) {
    (void)state;
    rm2_manifold *m = manifold("SPD2");
    const size_t labels[] = {2, 0, 2, 0, 0}, subjects[] = {7, 7, 9, 9, 7};
    double points[5 * 4], means[3 * 4], part[3 * 4], want[4], distance[25], one;
    rm2_group groups[3] = {{.size = sizeof *groups}};
    rm2_labelled d = {sizeof d, m, 5, points, labels, 3, subjects};
    fill_points(&d, points, 0);
    ok(rm2_group_means(ctx, &d, NULL, means, groups));
    for (size_t k = 0; k < 3; k++)
        memcpy(part + 4 * k, points + 4 * ((const size_t[]){1, 3, 4})[k], 4 * sizeof *part);
    ok(rm2_manifold_mean(ctx, m, 3, part, NULL, NULL, want, NULL));
    for (size_t k = 0; k < 4; k++) {
        assert_near(means[k], want[k], 0);
        assert_true(isnan(means[4 + k]));
    }
    assert_true(groups[0].points == 3 && groups[1].points == 0 && groups[2].points == 2);
    assert_true(groups[0].subjects == 2 && groups[1].subjects == 0 && groups[2].subjects == 2);
    assert_true(groups[0].converged && groups[2].variance > 0);
    ok(rm2_manifold_distances(ctx, m, 5, points, distance));
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            ok(rm2_manifold_distance(ctx, m, 1, points + 4 * i, 1, points + 4 * j, &one));
            assert_near(distance[5 * i + j], i == j ? 0 : one, 1e-14);
        }
    ok(rm2_manifold_distances(ctx, m, 0, NULL, NULL));
    rm2_manifold_free(m);
}

static void holm(void **state) {
    (void)state;
    /* by hand: sorted 0.01 x 4, 0.02 x 3, 0.03 x 2 (not below 0.06), 0.5 x 1 */
    double p[] = {0.5, 0.01, 0.03, 0.02};
    ok(rm2_adjust_p_values(ctx, 4, p, p));
    assert_near(p[0], 0.5, 1e-15);
    assert_near(p[1], 0.04, 1e-15);
    assert_near(p[2], 0.06, 1e-15);
    assert_near(p[3], 0.06, 1e-15);
    double certain[] = {0.9, 0.8};
    ok(rm2_adjust_p_values(ctx, 2, certain, certain));
    assert_near(certain[0], 1, 0);
    refused(rm2_adjust_p_values(ctx, 1, (const double[]){NAN}, p), RM2_ERR_ARGUMENT, "p[0] is");
}

static void mistakes(void **state) {
    (void)state;
    rm2_manifold *m = manifold("S2");
    double points[] = {0, 0, 1, 1, 0, 0, 0, 0, -1}, distance[9], means[9];
    size_t labels[] = {0, 1, 1}, same[] = {0, 0, 0}, outside[] = {0, 1, 2};
    rm2_group groups[2] = {{.size = sizeof *groups}};
    rm2_test_result r = {.size = sizeof r};
    rm2_test_settings s = rm2_test_settings_default();
    rm2_labelled d = {sizeof d, m, 2, points, labels, 2, NULL};
    refused(rm2_group_test(ctx, &d, 0, 0, NULL, NULL, &r), RM2_ERR_ARGUMENT, "both groups");
    refused(rm2_group_test(ctx, &d, 0, 2, NULL, NULL, &r), RM2_ERR_ARGUMENT, "label 2");
    d.n = 3;
    d.labels = outside;
    refused(rm2_group_test(ctx, &d, 0, 1, NULL, NULL, &r), RM2_ERR_ARGUMENT, "data.labels[2] is 2");
    refused(rm2_group_means(ctx, &d, NULL, means, groups), RM2_ERR_ARGUMENT, "data.labels[2] is 2");
    d.n = 0;
    refused(rm2_group_means(ctx, &d, NULL, means, groups), RM2_ERR_ARGUMENT, "data.n is 0");
    d = (rm2_labelled){sizeof(rm2_labelled), m, 2, points, (const size_t[]){0, 0}, 2, NULL};
    refused(rm2_group_test(ctx, &d, 0, 1, NULL, NULL, &r), RM2_ERR_ARGUMENT, "has no points");
    d = (rm2_labelled){sizeof(rm2_labelled),
                       m,
                       3,
                       points,
                       labels,
                       2,
                       same}; /* two arrangements: exchanged or not */
    s.permutations = 0;
    refused(rm2_group_test(ctx, &d, 0, 1, &s, NULL, &r), RM2_ERR_ARGUMENT, "settings.permutations");
    const double poles[] = {0, 0, 1, 0, 0, -1};
    d = (rm2_labelled){
        sizeof(rm2_labelled), m, 2, poles, labels, 2, NULL}; /* no mean of both together */
    assert_int_equal(rm2_group_test(ctx, &d, 0, 1, NULL, NULL, &r), RM2_ERR_CUT_LOCUS);
    points[8] = NAN;
    refused(rm2_manifold_distances(ctx, m, 3, points, distance), RM2_ERR_DOMAIN,
            "point 2, factor 1 (S2)");
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_point_a_subject),
        cmocka_unit_test(several_points_a_subject),
        cmocka_unit_test(both_labels_in_a_subject),
        cmocka_unit_test(uniform_without_an_effect),
        cmocka_unit_test(subjects_matter),
        cmocka_unit_test(flat_space_and_threads),
        cmocka_unit_test(tangent_approximates),
        cmocka_unit_test(means_by_label),
        cmocka_unit_test(holm),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
