/* Distances from the demonstrations and their spread, against brute force over densely sampled demonstrations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "front/base.h"
#include "riemann2/eval.h"
#include "riemann2/fit.h"
#include "riemann2/trajectory.h"

enum { TRAJECTORIES = 4, POINTS = 40, DENSE = 1000, D = 5, ASKED = 60 };

static rm2_context *ctx;
static rm2_data *toy;
static rm2_model *wrapped; /* of it */

static void ok(rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

static void near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g, not %.17g (tolerance %g)", got, want, tolerance);
}

static rm2_model *fit_kind(const rm2_data *data, rm2_model_kind kind) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_model *model;
    s.optim.max_iterations = 1;
    s.model = kind;
    ok(rm2_fit(ctx, data, &s, NULL, &model));
    return model;
}

static rm2_vicinity *vicinity_of(const rm2_model *model) {
    rm2_vicinity *v;
    ok(rm2_vicinity_create(ctx, model, &v));
    return v;
}

static rm2_data *data_of(const rm2_manifold *m, size_t n, const double *points, size_t trajectories,
                         const size_t *starts) {
    rm2_data_arrays a = {.size = sizeof a,
                         .manifold = m,
                         .count = n,
                         .points = points,
                         .trajectories = trajectories,
                         .starts = starts};
    rm2_data *data;
    ok(rm2_data_create(ctx, &a, NULL, &data, NULL, NULL));
    return data;
}

static int set_up(void **state) {
    (void)state;
    omp_set_num_threads(1);
    rm2_generate_settings size = {
        .size = sizeof size, .trajectories = TRAJECTORIES, .points = POINTS, .scale = true};
    if (rm2_context_create(&ctx) != RM2_OK || rm2_data_generate(ctx, "toy", &size, &toy) != RM2_OK)
        return -1;
    wrapped = fit_kind(toy, RM2_WGPLVM);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    rm2_model_free(wrapped);
    rm2_data_free(toy);
    rm2_context_free(ctx);
    return 0;
}

/* ---- brute force ---------------------------------------------------------------------------- */

static double dense[TRAJECTORIES][DENSE * D]; /* every demonstration at equal steps of its index */

static void sample_densely(void) {
    for (size_t t = 0; t < TRAJECTORIES; t++)
        ok(rm2_trajectory_resample(ctx, toy->manifold, POINTS, toy->points + t * POINTS * D, DENSE,
                                   dense[t]));
}

/* Least distance of y from the demonstrations but number `skip`. */
static double least_distance(const double *y, size_t skip) {
    static double many[DENSE * D], found[DENSE];
    double least = INFINITY;
    for (size_t i = 0; i < DENSE; i++)
        memcpy(many + i * D, y, D * sizeof *y);
    for (size_t t = 0; t < TRAJECTORIES; t++) {
        ok(rm2_manifold_distance(ctx, toy->manifold, DENSE, dense[t], DENSE, many, found));
        for (size_t i = 0; i < DENSE && t != skip; i++)
            least = fmin(least, found[i]);
    }
    return least;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double spread_by_definition(void) {
    double h[TRAJECTORIES] = {0};
    for (size_t t = 0; t < TRAJECTORIES; t++)
        for (size_t i = 0; i < POINTS; i++)
            h[t] = fmax(h[t], least_distance(toy->points + (t * POINTS + i) * D, t));
    qsort(h, TRAJECTORIES, sizeof *h, ascending);
    return (h[1] + h[2]) / 2;
}

/* Points on the manifold in the model's units: demonstrations moved by up to three units, one after the other. */
static void points_around(double *points) {
    rm2_rng rng;
    rm2_rng_seed(&rng, 7);
    for (size_t i = 0; i < ASKED; i++) {
        const double *from = toy->points + i * (TRAJECTORIES * POINTS / ASKED) * D;
        double *to = points + i * D, norm = 0, far = 3 * rm2_rng_uniform(&rng);
        for (size_t k = 0; k < D; k++)
            to[k] = from[k] + far * (rm2_rng_uniform(&rng) - 0.5);
        for (size_t k = 2; k < D; k++)
            norm += to[k] * to[k];
        for (size_t k = 2; k < D; k++)
            to[k] /= sqrt(norm);
    }
}

/* Steps of the dense samples are about 0.01 and segments about 0.3 long; the tangent space is exact to second order:
 * a hundredth covers both. */
static void distances_are_those_of_brute_force(void **state) {
    static double points[ASKED * D], asked[ASKED * D], over[ASKED];
    rm2_vicinity *v = vicinity_of(wrapped);
    const rm2_vicinity_info *info = rm2_vicinity_info_of(v);
    rm2_nearness all = {.size = sizeof all};
    double largest = 0;
    size_t beyond = 0;
    (void)state;
    sample_densely();
    assert_true(info->trajectories);
    assert_int_equal(info->demonstrations, TRAJECTORIES);
    near(info->spread / spread_by_definition(), 1, 0.01);
    points_around(points);
    memcpy(asked, points, sizeof asked);
    rm2_data_unscale(toy, ASKED, asked);
    ok(rm2_vicinity_distances(ctx, v, ASKED, asked, over, &all));
    for (size_t i = 0; i < ASKED; i++) {
        double want = least_distance(points + i * D, SIZE_MAX);
        near(over[i] * info->spread, want, 0.01 * (want + info->spread));
        largest = fmax(largest, over[i]);
        beyond += over[i] > RM2_VICINITY_LIMIT;
    }
    assert_true(beyond > 5 && beyond < ASKED - 5); /* both kinds were tried */
    assert_int_equal(all.beyond, beyond);
    assert_true(all.over_spread == largest && over[all.farthest] == largest);
    rm2_vicinity_free(v);
}

/* Bounds of earlier points of a path exclude nothing that counts: each point by itself has the same distance. */
static void the_path_before_does_not_matter(void **state) {
    static double points[ASKED * D], over[ASKED];
    rm2_vicinity *v = vicinity_of(wrapped);
    double alone;
    (void)state;
    points_around(points);
    rm2_data_unscale(toy, ASKED, points);
    ok(rm2_vicinity_distances(ctx, v, ASKED, points, over, NULL));
    for (size_t i = 0; i < ASKED; i++) {
        ok(rm2_vicinity_distances(ctx, v, 1, points + i * D, &alone, NULL));
        near(over[i], alone, 1e-12 * alone);
    }
    rm2_vicinity_free(v);
}

/* Twice as many points on the same curves: the same spread and distances, to the curvature between points. */
static void sampling_does_not_matter(void **state) {
    enum { FINE = 2 * POINTS - 1 };
    static double fine[TRAJECTORIES * FINE * D], points[ASKED * D], over[2][ASKED];
    size_t starts[TRAJECTORIES + 1];
    rm2_data_settings keep = rm2_data_settings_default();
    (void)state;
    for (size_t t = 0; t <= TRAJECTORIES; t++)
        starts[t] = t * FINE;
    for (size_t t = 0; t < TRAJECTORIES; t++)
        ok(rm2_trajectory_resample(ctx, toy->manifold, POINTS, toy->points + t * POINTS * D, FINE,
                                   fine + t * FINE * D));
    keep.scale = RM2_SCALE_NONE;
    rm2_data_arrays a = {.size = sizeof a,
                         .manifold = toy->manifold,
                         .count = (size_t)TRAJECTORIES * FINE,
                         .points = fine,
                         .trajectories = TRAJECTORIES,
                         .starts = starts};
    rm2_data *finer;
    ok(rm2_data_create(ctx, &a, &keep, &finer, NULL, NULL));
    rm2_model *model = fit_kind(finer, RM2_WGPLVM);
    rm2_vicinity *v[2] = {vicinity_of(wrapped), vicinity_of(model)};
    near(rm2_vicinity_info_of(v[1])->spread / rm2_vicinity_info_of(v[0])->spread, 1, 0.03);
    points_around(points);
    ok(rm2_vicinity_distances(ctx, v[1], ASKED, points, over[1], NULL));
    rm2_data_unscale(toy, ASKED, points);
    ok(rm2_vicinity_distances(ctx, v[0], ASKED, points, over[0], NULL));
    for (size_t i = 0; i < ASKED; i++)
        near(over[1][i], over[0][i], 0.03 * (over[0][i] + 1));
    rm2_vicinity_free(v[0]);
    rm2_vicinity_free(v[1]);
    rm2_model_free(model);
    rm2_data_free(finer);
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* Lines y = 0, 1, 2 of length 8, the last of these twice as far away as the others: distances are those of a ruler. */
static void lines_have_the_distances_of_a_ruler(void **state) {
    enum { N = 9 };
    static const double height[3] = {0, 1, 3};
    double points[3 * N * 2];
    size_t starts[4] = {0, N, 2 * N, 3 * N};
    const double asked[8] = {2.5, 0.4, 2.5, 2, -3, 0, 4, 7};
    double over[4];
    rm2_manifold *plane;
    (void)state;
    for (size_t t = 0; t < 3; t++)
        for (size_t i = 0; i < N; i++) {
            points[(t * N + i) * 2] = (double)i;
            points[(t * N + i) * 2 + 1] = height[t];
        }
    ok(rm2_manifold_create(ctx, "R2", &plane));
    rm2_data *data = data_of(plane, (size_t)3 * N, points, 3, starts);
    rm2_model *model = fit_kind(data, RM2_WGPLVM), *flat = fit_kind(data, RM2_GPLVM);
    rm2_vicinity *v = vicinity_of(model), *w = vicinity_of(flat);
    near(rm2_vicinity_info_of(v)->spread, 1, 1e-12); /* median of 1, 1, 2 */
    near(rm2_vicinity_info_of(w)->spread, 1, 1e-12);
    ok(rm2_vicinity_distances(ctx, v, 4, asked, over, NULL));
    near(over[0], 0.4, 1e-12);
    near(over[1], 1, 1e-12);
    near(over[2], 3, 1e-12);
    near(over[3], 4, 1e-12);
    rm2_vicinity_free(v);
    rm2_vicinity_free(w);
    rm2_model_free(model);
    rm2_model_free(flat);
    rm2_data_free(data);
    rm2_manifold_free(plane);
}

/* Points without trajectories: 99 % quantile of the distances to the nearest other one. */
static void points_have_nearest_neighbours(void **state) {
    enum { N = 50 };
    double points[N * 2], nearest[N], over[2];
    rm2_manifold *plane;
    rm2_rng rng;
    rm2_nearness all = {.size = sizeof all};
    (void)state;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 0; i < (size_t)2 * N; i++)
        points[i] = 10 * rm2_rng_uniform(&rng);
    for (size_t i = 0; i < N; i++) {
        nearest[i] = INFINITY;
        for (size_t j = 0; j < N; j++)
            if (j != i)
                nearest[i] = fmin(nearest[i], hypot(points[2 * i] - points[2 * j],
                                                    points[2 * i + 1] - points[2 * j + 1]));
    }
    qsort(nearest, N, sizeof *nearest, ascending);
    double at = 0.99 * (N - 1), want = nearest[48] + (at - 48) * (nearest[49] - nearest[48]);
    ok(rm2_manifold_create(ctx, "R2", &plane));
    rm2_data *data = data_of(plane, N, points, 0, NULL);
    rm2_model *model = fit_kind(data, RM2_WGPLVM);
    rm2_vicinity *v = vicinity_of(model);
    assert_false(rm2_vicinity_info_of(v)->trajectories);
    near(rm2_vicinity_info_of(v)->spread, want, 1e-12 * want);
    const double asked[4] = {points[0], points[1], 500, 600};
    ok(rm2_vicinity_distances(ctx, v, 2, asked, over, &all));
    near(over[0], 0, 1e-12);
    assert_int_equal(all.farthest, 1);
    assert_int_equal(all.beyond, 1);
    rm2_vicinity_free(v);
    rm2_model_free(model);
    rm2_data_free(data);
    rm2_manifold_free(plane);
}

/* One demonstration, and two that are the same, have no spread: nothing is said rather than something wrong. */
static void without_a_spread_nothing_is_known(void **state) {
    enum { N = 12 };
    double points[2 * N * 2], over[1] = {0};
    rm2_manifold *plane;
    rm2_nearness all = {.size = sizeof all};
    (void)state;
    for (size_t i = 0; i < (size_t)2 * N; i++) {
        points[2 * i] = (double)(i % N);
        points[2 * i + 1] = sin((double)(i % N));
    }
    ok(rm2_manifold_create(ctx, "R2", &plane));
    for (size_t count = 1; count <= 2; count++) {
        size_t starts[3] = {0, N, 2 * N};
        rm2_data *data = data_of(plane, count * N, points, count, starts);
        rm2_model *model = fit_kind(data, RM2_WGPLVM);
        rm2_vicinity *v = vicinity_of(model);
        assert_true(isnan(rm2_vicinity_info_of(v)->spread));
        assert_int_equal(rm2_vicinity_info_of(v)->demonstrations, count);
        ok(rm2_vicinity_distances(ctx, v, 1, points, over, &all));
        assert_true(isnan(over[0]) && isnan(all.over_spread));
        assert_int_equal(all.beyond, 0);
        rm2_vicinity_free(v);
        rm2_model_free(model);
        rm2_data_free(data);
    }
    assert_true(isnan(rm2_vicinity_info_of(NULL)->spread));
    rm2_vicinity_free(NULL);
    rm2_manifold_free(plane);
}

/* Single samples far off, in every demonstration, change neither the spread nor the distance of a point next to one. */
static void errors_of_the_recording_do_not_count(void **state) {
    enum { LINES = 3, N = 30 };
    double points[LINES * N * 2], asked[] = {7, 8.1}, over[2];
    size_t starts[] = {0, N, 2 * N, 3 * N};
    rm2_manifold *plane;
    (void)state;
    ok(rm2_manifold_create(ctx, "R2", &plane));
    for (size_t bad = 0; bad < 2; bad++) {
        for (size_t i = 0; i < (size_t)LINES * N; i++) {
            points[2 * i] = (double)(i % N);
            points[2 * i + 1] = 0.1 * (double)(i / N) + (bad && i % N == 7 ? 8 : 0);
        }
        if (bad)
            points[1] = 9; /* the first sample of the first */
        rm2_data *data = data_of(plane, (size_t)LINES * N, points, LINES, starts);
        rm2_model *model = fit_kind(data, RM2_WGPLVM);
        rm2_vicinity *v = vicinity_of(model);
        near(rm2_vicinity_info_of(v)->spread, 0.1 / data->scale[0], 1e-9);
        ok(rm2_vicinity_distances(ctx, v, 1, asked, &over[bad], NULL));
        near(over[bad], 79, 1e-9); /* 7.9 above the last line */
        rm2_vicinity_free(v);
        rm2_model_free(model);
        rm2_data_free(data);
    }
    rm2_manifold_free(plane);
}

static void points_off_the_manifold_are_refused(void **state) {
    const double off[D] = {0, 0, 3, 0, 0};
    double over;
    rm2_vicinity *v = vicinity_of(wrapped);
    (void)state;
    assert_int_equal(rm2_vicinity_distances(ctx, v, 1, off, &over, NULL), RM2_ERR_DOMAIN);
    assert_non_null(strstr(rm2_context_error(ctx), "S2"));
    rm2_vicinity_free(v);
}

/* Horizontal lines y = 0, 0.1, 0.3 and vertical ones x = 2, 2.02, 2.06, which cross: two families by label. h_t of parallel
 * lines are distances from the next: spreads 0.1 and 0.02. */
static rm2_data *crossing_lines(void) {
    enum { LINES = 6, STEPS = 31 };
    static double points[LINES * STEPS * 2];
    static size_t labels[LINES * STEPS], starts[LINES + 1];
    static const char *const names[] = {"across", "up"};
    const double at[LINES] = {0, 0.1, 0.3, 2, 2.02, 2.06};
    for (size_t t = 0; t < LINES; t++)
        for (size_t i = 0; i < STEPS; i++) {
            double *y = points + (t * STEPS + i) * 2, along = 3 * (double)i / (STEPS - 1);
            y[t >= 3] = t < 3 ? along : along - 1.5;
            y[t < 3] = at[t];
            labels[t * STEPS + i] = t / 3;
            starts[t + 1] = (t + 1) * STEPS;
        }
    rm2_manifold *m;
    rm2_data *data;
    rm2_data_settings plain = rm2_data_settings_default();
    plain.scale = RM2_SCALE_NONE;
    ok(rm2_manifold_create(ctx, "R2", &m));
    rm2_data_arrays a = {.size = sizeof a,
                         .manifold = m,
                         .count = (size_t)LINES * STEPS,
                         .points = points,
                         .trajectories = LINES,
                         .starts = starts,
                         .labels = labels,
                         .label_count = 2,
                         .label_names = names};
    ok(rm2_data_create(ctx, &a, &plain, &data, NULL, NULL));
    rm2_manifold_free(m);
    return data;
}

/* A path that turns from one family into the other is near to a demonstration everywhere, and was not demonstrated. */
static void families_are_compared_one_by_one(void **state) {
    (void)state;
    rm2_data *data = crossing_lines();
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_model *model;
    s.optim.max_iterations = 1;
    s.families = RM2_FAMILIES_LABEL;
    ok(rm2_fit(ctx, data, &s, NULL, &model));
    rm2_vicinity *v = vicinity_of(model);
    const double across[] = {0.5, 0.05, 1.5, 0.04, 2.01, 0.05, 2.5, 0.05},
                 turning[] = {0.5, 0.05, 1.5, 0.04, 2.01, 0.05, 2.01, 1};
    double over[4];
    rm2_nearness all = {.size = sizeof all};
    near(rm2_vicinity_info_of(v)->spread, 0.07, 1e-9); /* of 0.02, 0.02, 0.04, 0.1, 0.1, 0.2 */
    ok(rm2_vicinity_distances(ctx, v, 4, across, over, &all));
    near(all.over_spread, 0.5, 1e-9); /* 0.05 from lines 0.1 apart */
    near(over[2], 0.5, 1e-9);
    ok(rm2_vicinity_distances(ctx, v, 4, turning, over, &all));
    near(all.over_spread, 7, 1e-9); /* 0.7 above the lines across */
    assert_int_equal(all.farthest, 3);
    assert_int_equal(all.beyond, 1);
    near(over[3], 7, 1e-9);
    ok(rm2_vicinity_distances(ctx, v, 4, turning, over, NULL)); /* each point by itself */
    near(over[1], 0.4, 1e-9);
    near(over[3], 0.5, 1e-9); /* 0.01 from lines 0.02 apart */
    rm2_vicinity_free(v);
    rm2_model_free(model);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_brute_force),
        cmocka_unit_test(the_path_before_does_not_matter),
        cmocka_unit_test(sampling_does_not_matter),
        cmocka_unit_test(lines_have_the_distances_of_a_ruler),
        cmocka_unit_test(points_have_nearest_neighbours),
        cmocka_unit_test(without_a_spread_nothing_is_known),
        cmocka_unit_test(points_off_the_manifold_are_refused),
        cmocka_unit_test(errors_of_the_recording_do_not_count),
        cmocka_unit_test(families_are_compared_one_by_one),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
