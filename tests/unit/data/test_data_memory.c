/* Data sets from arrays: the same, bit for bit, as from a file with the same numbers; arrays that do not
 * fit together are refused; data sets are counted and never change; signs of one data set for another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context_fixture.h"
#include "riemann2/data.h"
#include "shared_context.h"

static rm2_manifold *manifold(const char *spec) {
    return make_manifold(ctx, spec);
}

static void assert_same_numbers(const void *a, const void *b, size_t bytes) {
    assert_true((a == NULL) == (b == NULL));
    if (a)
        assert_memory_equal(a, b, bytes);
}

/* All but source and rows, which tell where the points came from. */
static void assert_same_data(const rm2_data *a, const rm2_data *b) {
    size_t n = a->count, t = a->trajectories;
    assert_true(rm2_manifold_equal(a->manifold, b->manifold));
    assert_int_equal(n, b->count);
    assert_int_equal(t, b->trajectories);
    assert_int_equal(a->label_count, b->label_count);
    assert_int_equal(a->missing, b->missing);
    assert_same_numbers(a->points, b->points, n * rm2_manifold_ambient(a->manifold) * 8);
    assert_same_numbers(a->starts, b->starts, (t + 1) * sizeof *a->starts);
    assert_same_numbers(a->time, b->time, n * 8);
    assert_same_numbers(a->labels, b->labels, n * sizeof *a->labels);
    assert_same_numbers(a->scale, b->scale, rm2_manifold_factor_count(a->manifold) * 8);
    for (size_t i = 0; i < t; i++)
        assert_string_equal(a->ids[i], b->ids[i]);
    for (size_t i = 0; i < a->label_count; i++)
        assert_string_equal(a->label_names[i], b->label_names[i]);
}

static void assert_same_report(const rm2_data_report *a, const rm2_data_report *b) {
    assert_int_equal(a->factors, b->factors);
    assert_int_equal(a->duplicates, b->duplicates);
    assert_true(a->shortest == b->shortest && a->longest == b->longest);
    assert_int_equal(a->time_reversals, b->time_reversals);
    for (size_t k = 0; k < a->factors; k++) {
        const rm2_factor_report *p = &a->factor[k], *q = &b->factor[k];
        assert_true(p->worst_defect == q->worst_defect && p->spread == q->spread);
        assert_true(p->farthest == q->farthest && p->magnitude == q->magnitude);
        assert_true(p->condition == q->condition && p->mean_found == q->mean_found);
        assert_int_equal(p->projected, q->projected);
        assert_int_equal(p->warned, q->warned);
        assert_int_equal(p->sign_flips, q->sign_flips);
        assert_int_equal(p->sign_jumps, q->sign_jumps);
        assert_int_equal(p->near_cut, q->near_cut);
        assert_int_equal(p->rank, q->rank);
    }
}

/* ---- files and arrays ------------------------------------------------------------------------ */

/* Write the example (17 digits: the same doubles come back), read it, and make it from its arrays. */
static void compare_with_file(const char *name, const rm2_data_settings *s) {
    char folder[] = "/tmp/rm2_memory_XXXXXX", path[64];
    rm2_data *example, *read, *read_held, *made, *made_held;
    rm2_data_report read_report = {.size = sizeof read_report},
                    made_report = {.size = sizeof made_report};
    ok(rm2_data_generate(ctx, name, NULL, &example));
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/data.csv", folder);
    ok(rm2_data_write(ctx, example, path, true));
    rm2_data_settings file = *s;
    file.manifold = rm2_manifold_spec(example->manifold);
    file.group = example->trajectories ? "demo" : NULL;
    file.time = example->time ? "time" : NULL;
    file.label = example->labels ? "label" : NULL;
    ok(rm2_data_read(ctx, path, &file, &read, &read_held, &read_report));
    assert_true(unlink(path) == 0 && rmdir(folder) == 0);
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = example->manifold,
                              .source = "arrays",
                              .count = example->count,
                              .points = example->points,
                              .trajectories = example->trajectories,
                              .starts = example->starts,
                              .ids = example->ids,
                              .time = example->time,
                              .labels = example->labels,
                              .label_names = example->label_names,
                              .label_count = example->label_count};
    ok(rm2_data_create(ctx, &arrays, s, &made, &made_held, &made_report));
    assert_same_data(made, read);
    assert_same_report(&made_report, &read_report);
    assert_string_equal(made->source, "arrays");
    assert_string_equal(made->row_word, "point");
    assert_string_equal(read->row_word, "line");
    assert_int_equal(made->rows[3] + 2,
                     read->rows[3]); /* line 1 has names, and lines count from 1 */
    assert_true((made_held == NULL) == (s->holdout == NULL));
    if (made_held)
        assert_same_data(made_held, read_held);
    rm2_data *all[] = {example, read, read_held, made, made_held};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        rm2_data_free(all[k]);
    rm2_data_report_clear(&read_report);
    rm2_data_report_clear(&made_report);
}

static void arrays_are_as_files(void **state) {
    (void)state;
    rm2_data_settings s = rm2_data_settings_default();
    compare_with_file("connectome", &s);
    static const char *const names[] = {"toy", "robot", "manipulability"};
    for (int k = 0; k < 3; k++) {
        rm2_data_settings split = s;
        compare_with_file(names[k], &s);
        split.thin = 9;
        split.holdout = "1,4";
        split.select = "0,1,3,4";
        split.scale = RM2_SCALE_ALL;
        compare_with_file(names[k], &split);
    }
}

/* The library's copy is its own. */
static void arrays_are_copied(void **state) {
    (void)state;
    rm2_manifold *m = manifold("R2");
    double points[] = {1, 2, 3, 4}, time[] = {0, 1};
    int64_t group[] = {7, 7};
    char text[] = "a", source[] = "mine";
    const char *labels[] = {text, text};
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = m,
                              .source = source,
                              .count = 2,
                              .points = points,
                              .group_numbers = group,
                              .time = time,
                              .label_texts = labels};
    rm2_data *data;
    ok(rm2_data_create(ctx, &arrays, NULL, &data, NULL, NULL));
    rm2_manifold_free(m); /* the data set has a reference */
    memset(points, 0, sizeof points);
    time[1] = -5;
    group[0] = 3;
    text[0] = source[0] = '?';
    assert_same_numbers(data->points, (double[]){1, 2, 3, 4}, sizeof points);
    assert_true(data->time[1] == 1);
    assert_int_equal(data->trajectories, 1);
    assert_string_equal(data->ids[0], "7");
    assert_string_equal(data->label_names[0], "a");
    assert_string_equal(data->source, "mine");
    assert_string_equal(rm2_manifold_spec(data->manifold), "R2");
    rm2_data_free(data);
}

static void ways_to_give_trajectories(void **state) {
    (void)state;
    rm2_manifold *m = manifold("R1");
    const double points[6] = {1, 2, 3, 4, 5, 6};
    const size_t starts[] = {0, 2, 3, 6};
    const char *const ids[] = {"-4", "b", "c d"}, *const texts[] = {"-4",  "-4",  "b",
                                                                    "c d", "c d", "c d"};
    const int64_t numbers[] = {INT64_MIN, INT64_MIN, 0, INT64_MAX, INT64_MAX, INT64_MAX};
    rm2_data *by_starts, *by_texts, *by_numbers, *unnamed, *none;
    rm2_data_arrays a = {.size = sizeof a, .manifold = m, .count = 6, .points = points};
    ok(rm2_data_create(ctx, &a, NULL, &none, NULL, NULL));
    assert_int_equal(none->trajectories, 0);
    assert_true(!none->starts && !none->ids && !none->time && !none->labels);
    assert_string_equal(none->source, "memory");
    a.group_texts = texts;
    ok(rm2_data_create(ctx, &a, NULL, &by_texts, NULL, NULL));
    a.group_texts = NULL;
    a.group_numbers = numbers;
    ok(rm2_data_create(ctx, &a, NULL, &by_numbers, NULL, NULL));
    a.group_numbers = NULL;
    a.trajectories = 3;
    a.starts = starts;
    ok(rm2_data_create(ctx, &a, NULL, &unnamed, NULL, NULL));
    a.ids = ids;
    ok(rm2_data_create(ctx, &a, NULL, &by_starts, NULL, NULL));
    assert_same_data(by_starts, by_texts);
    assert_same_numbers(by_numbers->starts, starts, sizeof starts);
    assert_string_equal(by_numbers->ids[0], "-9223372036854775808");
    assert_string_equal(by_numbers->ids[2], "9223372036854775807");
    assert_string_equal(unnamed->ids[2], "2");
    rm2_data *all[] = {by_starts, by_texts, by_numbers, unnamed, none};
    for (size_t k = 0; k < 5; k++)
        rm2_data_free(all[k]);
    rm2_manifold_free(m);
}

/* Labels with names that no point has keep these; texts are counted in order of appearance. */
static void ways_to_give_labels(void **state) {
    (void)state;
    rm2_manifold *m = manifold("R1");
    const double points[4] = {1, 2, 3, 4};
    const size_t labels[4] = {2, 0, 2, 2};
    const char *const names[] = {"a", "never", "c"}, *const texts[] = {"c", "a", "c", "c"};
    rm2_data_arrays a = {.size = sizeof a,
                         .manifold = m,
                         .count = 4,
                         .points = points,
                         .labels = labels,
                         .label_names = names,
                         .label_count = 3};
    rm2_data *indexed, *spelled;
    ok(rm2_data_create(ctx, &a, NULL, &indexed, NULL, NULL));
    assert_same_numbers(indexed->labels, labels, sizeof labels);
    assert_int_equal(indexed->label_count, 3);
    assert_string_equal(indexed->label_names[1], "never");
    a = (rm2_data_arrays){.size = sizeof(rm2_data_arrays),
                          .manifold = m,
                          .count = 4,
                          .points = points,
                          .label_texts = texts};
    ok(rm2_data_create(ctx, &a, NULL, &spelled, NULL, NULL));
    assert_same_numbers(spelled->labels, (size_t[]){0, 1, 0, 0}, sizeof labels);
    assert_string_equal(spelled->label_names[0], "c");
    assert_int_equal(spelled->label_count, 2);
    rm2_data_free(indexed);
    rm2_data_free(spelled);
    rm2_manifold_free(m);
}

/* The forms of files: two angles in degrees and the upper triangle of a matrix. */
static void other_forms(void **state) {
    (void)state;
    rm2_manifold *m = manifold("T2 x SPD2");
    const double numbers[] = {90, 180, 2, 0.5, 3}, want[] = {0, 1, -1, 0, 2, 0.5, 0.5, 3};
    rm2_data_arrays a = {
        .size = sizeof a, .manifold = m, .count = 1, .width = 5, .points = numbers};
    rm2_data_settings s = rm2_data_settings_default();
    rm2_data *data;
    s.angles = s.degrees = true;
    s.spd_layout = RM2_SPD_UPPER;
    ok(rm2_data_create(ctx, &a, &s, &data, NULL, NULL));
    for (size_t k = 0; k < 8; k++)
        assert_true(fabs(data->points[k] - want[k]) < 1e-15);
    rm2_data_free(data);
    a.width = 8; /* what is not the form that the settings tell */
    a.points = want;
    assert_int_equal(rm2_data_create(ctx, &a, &s, &data, NULL, NULL), RM2_ERR_DATA);
    assert_contains(rm2_context_error(ctx), "8 columns for the points");
    assert_null(data);
    rm2_manifold_free(m);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void refused(const rm2_data_arrays *a, const rm2_data_settings *s, rm2_status want,
                    const char *why) {
    rm2_data *data = (rm2_data *)(void *)&data, *held = data; /* anything that is not NULL */
    rm2_data_report report = {.size = sizeof report, .factors = 3};
    assert_int_equal(rm2_data_create(ctx, a, s, &data, &held, &report), want);
    assert_contains(rm2_context_error(ctx), why);
    assert_true(!data && !held && report.factors == 0 && !report.factor);
}

static void arrays_that_do_not_fit(void **state) {
    (void)state;
    rm2_manifold *m = manifold("R1");
    const double points[3] = {1, 2, 3}, late[3] = {0, NAN, 1};
    const int64_t again[] = {5, 6, 5}, group[] = {1, 1, 1};
    const size_t starts[] = {0, 2, 3}, labels[] = {0, 1, 2};
    const char *const ids[] = {"a", "a"}, *const hole[] = {"a", NULL, "b"};
    const rm2_data_arrays good = {.size = sizeof good, .manifold = m, .count = 3, .points = points};
    rm2_data_arrays a = good;
#define REFUSED(change, why) a = good, change, refused(&a, NULL, RM2_ERR_ARGUMENT, why)
    refused(NULL, NULL, RM2_ERR_ARGUMENT, "arrays.manifold is NULL");
    REFUSED(a.manifold = NULL, "arrays.manifold is NULL");
    REFUSED(a.points = NULL, "arrays.points is NULL");
    REFUSED(a.count = 0, "arrays.count is 0");
    REFUSED(a.starts = starts, "arrays.trajectories is 0");
    REFUSED(a.trajectories = 2, "arrays.starts is NULL");
    REFUSED(a.ids = ids, "arrays.ids is given, but arrays.starts is NULL");
    REFUSED((a.starts = starts, a.trajectories = 2, a.group_numbers = group), "more than once");
    REFUSED((a.starts = starts, a.trajectories = 1), "arrays.starts[1] is 2");
    REFUSED((a.starts = starts + 1, a.trajectories = 1), "arrays.starts[0] is 2");
    REFUSED((a.starts = starts, a.trajectories = 2, a.ids = ids), "are both \"a\"");
    REFUSED((a.starts = starts, a.trajectories = 2, a.ids = hole), "arrays.ids[1] is NULL");
    REFUSED(a.group_texts = hole, "arrays.group_texts[1] is NULL");
    REFUSED((a.labels = labels, a.label_texts = hole), "labels are given twice");
    REFUSED(a.labels = labels, "arrays.label_names is NULL");
    REFUSED(a.label_names = ids, "arrays.labels is NULL");
    REFUSED((a.labels = labels, a.label_names = ids, a.label_count = 2),
            "arrays.labels[2] is 2, but there are 2 names");
    REFUSED((a.labels = labels, a.label_names = hole, a.label_count = 3), "label_names[1] is NULL");
    REFUSED(a.label_texts = hole, "arrays.label_texts[1] is NULL");
#undef REFUSED
    a = good;
    a.group_numbers = again;
    refused(&a, NULL, RM2_ERR_DATA, "memory, point 2: trajectory \"5\" appears again after others");
    a = good;
    a.time = late;
    refused(&a, NULL, RM2_ERR_DATA, "memory, point 1: time is nan");
    rm2_data *none;
    assert_int_equal(rm2_data_create(ctx, &good, NULL, NULL, &none, NULL), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "argument 'data' is NULL");
    assert_int_equal(rm2_data_read(ctx, NULL, NULL, &none, NULL, NULL), RM2_ERR_ARGUMENT);
    rm2_manifold_free(m);
}

static void settings_for_files(void **state) {
    (void)state;
    rm2_manifold *m = manifold("R1");
    const double points[] = {1, 2};
    const rm2_data_arrays a = {.size = sizeof a, .manifold = m, .count = 2, .points = points};
    const rm2_data_settings plain = rm2_data_settings_default();
    rm2_data_settings s;
#define REFUSED(change, name)                                                                      \
    s = plain, change, refused(&a, &s, RM2_ERR_ARGUMENT, name " has no effect on data in memory")
    REFUSED(s.manifold = "R1", "settings.manifold");
    REFUSED(s.group = "g", "settings.group");
    REFUSED(s.label = "l", "settings.label");
    REFUSED(s.time = "t", "settings.time");
    REFUSED(s.columns = "a", "settings.columns");
    REFUSED(s.array = "a", "settings.array");
    REFUSED(s.delimiter = ';', "settings.delimiter");
    REFUSED(s.header = RM2_HEADER_YES, "settings.header");
#undef REFUSED
    rm2_manifold_free(m);
}

/* Points that are none: a message with point, factor, numbers and distance. */
static void points_are_validated(void **state) {
    (void)state;
    rm2_manifold *m = manifold("R2 x S2 x SO3");
    double y[18] = {1, 2, 1, 0, 0, 1, 0, 0, 0, 3, 4, 0, 1, 0, 0, 1, 0, 0}, good[18];
    const size_t starts[] = {0, 2};
    const rm2_data_arrays a = {.size = sizeof a,
                               .manifold = m,
                               .count = 2,
                               .points = y,
                               .trajectories = 1,
                               .starts = starts};
    memcpy(good, y, sizeof y);
    y[12] = 3;
    refused(&a, NULL, RM2_ERR_DATA,
            "memory, point 1 (trajectory 0, point 1), factor 2 (S2): (0, 3, 0) is off the manifold "
            "by 2");
    memcpy(y, good, sizeof y);
    y[15] = 0;
    refused(&a, NULL, RM2_ERR_DATA, "factor 3 (SO3): (0, 0, 0, 0) is off the manifold by 1");
    memcpy(y, good, sizeof y);
    y[9] = INFINITY;
    refused(&a, NULL, RM2_ERR_DATA,
            "point 1 (trajectory 0, point 1), column 0 (counted from 0): the value is inf");
    y[9] = NAN;
    refused(&a, NULL, RM2_ERR_DATA, "the value is nan");
    rm2_data_settings s = rm2_data_settings_default();
    rm2_data *data;
    s.allow_missing = true;
    ok(rm2_data_create(ctx, &a, &s, &data, NULL, NULL));
    assert_int_equal(data->missing, 1);
    rm2_data_free(data);
    y[11] = NAN;
    refused(&a, &s, RM2_ERR_DATA, "1 of 3 entries are missing");
    s.scale = RM2_SCALE_ALL;
    memcpy(y, good, sizeof y);
    y[9] = NAN;
    refused(&a, &s, RM2_ERR_DATA, "factor 1 (R2) has missing entries; scaling needs all of them");
    memcpy(y, good, sizeof y);
    y[2] = 1.0005; /* within the tolerance: moved */
    ok(rm2_data_create(ctx, &a, NULL, &data, NULL, NULL));
    assert_true(data->points[2] == 1 && data->missing == 0);
    rm2_data_free(data);
    rm2_manifold_free(m);
}

/* ---- references ------------------------------------------------------------------------------ */

enum { THREADS = 4, TURNS = 20000 };

static void *hold_and_let_go(void *shared) {
    const rm2_data *data = shared;
    for (int i = 0; i < TURNS; i++)
        rm2_data_free(rm2_data_retain(data));
    return rm2_data_retain(data);
}

static void references(void **state) {
    (void)state;
    rm2_data *data, *second;
    ok(rm2_data_generate(ctx, "toy", NULL, &data));
    second = rm2_data_retain(data);
    assert_ptr_equal(second, data);
    rm2_data_free(data);
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, hold_and_let_go, second), 0);
    for (int i = 0; i < THREADS; i++) {
        void *held;
        assert_int_equal(pthread_join(thread[i], &held), 0);
        rm2_data_free(held);
    }
    assert_string_equal(second->source, "toy"); /* under ASan: still there */
    rm2_data_free(second);
    assert_null(rm2_data_retain(NULL));
    rm2_data_free(NULL);
}

/* ---- signs ----------------------------------------------------------------------------------- */

static void flip(double *points, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        for (size_t k = 3; k < 7; k++)
            points[i * 7 + k] *= -1;
}

/* The robot example with other points; signs are left alone. */
static rm2_data *robot_like(const rm2_data *robot, const double *points, bool trajectories) {
    rm2_data_arrays a = {.size = sizeof a,
                         .manifold = robot->manifold,
                         .source = "other",
                         .count = robot->count,
                         .points = points,
                         .trajectories = trajectories ? robot->trajectories : 0,
                         .starts = trajectories ? robot->starts : NULL,
                         .time = robot->time};
    rm2_data_settings s = rm2_data_settings_default();
    rm2_data *data;
    s.align_signs = false;
    s.allow_missing = true;
    ok(rm2_data_create(ctx, &a, &s, &data, NULL, NULL));
    return data;
}

/* Whole trajectories of the other sign come back to the reference's, and so do points alone. */
static void signs_of_a_reference(void **state) {
    (void)state;
    rm2_data *robot, *own, *other, *aligned, *toy;
    rm2_generate_settings size = {.size = sizeof size, .trajectories = 3, .points = 12};
    ok(rm2_data_generate(ctx, "robot", &size, &robot));
    ok(rm2_data_generate(ctx, "toy", &size, &toy));
    size_t n = robot->count, bytes = n * 7 * sizeof(double);
    double *y = malloc(bytes);
    assert_non_null(y);
    own = robot_like(robot, robot->points, true); /* with the rounding of a projection */
    memcpy(y, own->points, bytes);
    flip(y, robot->starts[1], robot->starts[2]);
    other = robot_like(robot, y, true);
    double before = other->points[robot->starts[1] * 7 + 3];
    ok(rm2_data_align(ctx, other, own, &aligned));
    assert_true(other->points[robot->starts[1] * 7 + 3] == before); /* the argument stays */
    assert_string_equal(aligned->source, "other");
    for (size_t i = 0; i < n * 7; i++) /* twice projected */
        assert_true(fabs(aligned->points[i] - own->points[i]) <= 4e-16 * fabs(own->points[i]));
    assert_memory_equal(aligned->time, robot->time, n * sizeof(double));
    assert_int_equal(aligned->trajectories, 3);
    rm2_data_free(aligned);
    rm2_data_free(other);
    flip(y, 0, n / 3); /* each point alone; a missing one stays */
    flip(y, n / 2, n / 2 + 1);
    for (size_t k = 3; k < 7; k++)
        y[k] = NAN;
    other = robot_like(robot, y, false);
    ok(rm2_data_align(ctx, other, own, &aligned));
    rm2_data_align_points(own, n, y);
    for (size_t i = 0; i < n * 7; i++) {
        bool gone = i >= 3 && i < 7;
        assert_true(gone == isnan(aligned->points[i]) && gone == isnan(y[i]));
        assert_true(gone || (fabs(y[i] - own->points[i]) <= 4e-16 &&
                             fabs(aligned->points[i] - own->points[i]) <= 4e-16));
    }
    assert_int_equal(aligned->missing, 4);
    rm2_data_free(aligned);
    assert_int_equal(rm2_data_align(ctx, toy, robot, &aligned), RM2_ERR_DATA);
    assert_string_equal(rm2_context_error(ctx),
                        "the data (toy) are on R2 x S2, the reference (robot) "
                        "is on R3 x S3");
    assert_null(aligned);
    assert_int_equal(rm2_data_align(ctx, NULL, robot, &aligned), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_data_align(ctx, toy, NULL, &aligned), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_data_align(ctx, toy, robot, NULL), RM2_ERR_ARGUMENT);
    free(y);
    rm2_data *all[] = {robot, own, other, toy};
    for (size_t k = 0; k < 4; k++)
        rm2_data_free(all[k]);
}

/* Two trajectories of three matrices; the middle one of the second is singular. */
static void parts_know_their_own_singular_matrices(void **state) {
    static const double points[] = {2, 0, 0, 1, 2, 0.5, 0.5, 1, 3, 0, 0, 1,
                                    2, 0, 0, 1, 1, 1,   1,   1, 3, 0, 0, 1};
    static const char *const groups[] = {"a", "a", "a", "b", "b", "b"};
    (void)state;
    rm2_manifold *m = manifold("SPD2");
    rm2_data_arrays arrays = {
        .size = sizeof arrays, .manifold = m, .count = 6, .points = points, .group_texts = groups};
    rm2_data_settings s = rm2_data_settings_default();
    rm2_data *data, *held;
    assert_int_equal(rm2_data_create(ctx, &arrays, &s, &data, NULL, NULL), RM2_OK);
    assert_true(data->singular == 1 && data->singular_row == 4);
    rm2_data_free(data);
    s.holdout = "b";
    assert_int_equal(rm2_data_create(ctx, &arrays, &s, &data, &held, NULL), RM2_OK);
    assert_int_equal(data->singular, 0);
    assert_true(held->singular == 1 && held->singular_row == 4);
    rm2_data_free(data);
    rm2_data_free(held);
    s.holdout = "a";
    s.thin = 2; /* the ends of each trajectory */
    assert_int_equal(rm2_data_create(ctx, &arrays, &s, &data, &held, NULL), RM2_OK);
    assert_true(data->singular == 0 && held->singular == 0);
    rm2_data_free(data);
    rm2_data_free(held);
    rm2_manifold_free(m);
}

static void points_that_were_shrunk_before_stay(void **state) {
    static const double points[] = {2, 0.5, 0.5, 1};
    (void)state;
    rm2_manifold *m = manifold("SPD2");
    rm2_data_arrays arrays = {
        .size = sizeof arrays, .manifold = m, .count = 1, .points = points, .shrunk = 0.25};
    rm2_data_settings s = rm2_data_settings_default();
    rm2_data *data;
    assert_int_equal(rm2_data_create(ctx, &arrays, &s, &data, NULL, NULL), RM2_OK);
    assert_true(data->shrinkage == 0.25);
    assert_memory_equal(data->points, points, sizeof points);
    rm2_data_free(data);
    s.shrinkage = 0.1;
    assert_int_equal(rm2_data_create(ctx, &arrays, &s, &data, NULL, NULL), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "both given; points are shrunk once");
    s.shrinkage = 0;
    arrays.shrunk = NAN;
    assert_int_equal(rm2_data_create(ctx, &arrays, &s, &data, NULL, NULL), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "arrays.shrunk is nan; expected 0 to 1");
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_as_files),
        cmocka_unit_test(arrays_are_copied),
        cmocka_unit_test(ways_to_give_trajectories),
        cmocka_unit_test(ways_to_give_labels),
        cmocka_unit_test(other_forms),
        cmocka_unit_test(arrays_that_do_not_fit),
        cmocka_unit_test(settings_for_files),
        cmocka_unit_test(points_are_validated),
        cmocka_unit_test(references),
        cmocka_unit_test(signs_of_a_reference),
        cmocka_unit_test(parts_know_their_own_singular_matrices),
        cmocka_unit_test(points_that_were_shrunk_before_stay),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
