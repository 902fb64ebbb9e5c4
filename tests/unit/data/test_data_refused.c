/* Data that are refused: the message says where the number stands in the file and what to do. Settings that
 * cannot have an effect are refused before the file is opened. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "front/arrays.h"
#include "io_fixture.h"
#include "riemann2/data.h"
#include "riemann2/io.h"
#include "riemann2/settings.h"

static int set_up(void **state) {
    return fixture_set_up(state, "a.npy");
}

static rm2_data_settings settings_for(const char *manifold) {
    rm2_data_settings s = rm2_data_settings_default();
    s.manifold = manifold;
    return s;
}

static void expect_refusal(const fixture *f, const rm2_data_settings *s, rm2_status expected,
                           const char *text) {
    rm2_data *data;
    rm2_status status = rm2_data_read(f->ctx, f->path, s, &data, NULL, NULL);
    if (status != expected || !strstr(rm2_context_error(f->ctx), text))
        fail_msg("status %d, \"%s\" expected in: %s", (int)status, text, rm2_context_error(f->ctx));
    assert_null(data);
}

/* Points in an array of three columns, all of them or those listed, with one entry of row 2 changed. */
static void expect_complaint(const fixture *f, const char *columns, size_t column, double value,
                             const char *text) {
    double values[4 * 3] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const rm2_array array = {.dims = 2, .shape = {4, 3}, .values = values};
    rm2_data_settings s = settings_for(columns ? "R2" : "R3");
    s.columns = columns;
    values[2 * 3 + column] = value;
    assert_int_equal(rm2_npy_write(f->ctx, f->path, &array, true), RM2_OK);
    expect_refusal(f, &s, RM2_ERR_DATA, text);
}

/* Rows and columns as NumPy counts them, also where columns were chosen. */
static void entries_that_are_not_finite_are_named(void **state) {
    const fixture *f = *state;
    expect_complaint(f, NULL, 1, NAN, "a.npy, row 2, column 1 (counted from 0): the value is nan");
    expect_complaint(f, NULL, 0, INFINITY, "row 2, column 0 (counted from 0): the value is inf");
    expect_complaint(f, "2,0", 2, NAN, "row 2, column 2 (counted from 0): the value is nan");
    expect_complaint(f, "2,0", 0, -INFINITY, "row 2, column 0 (counted from 0): the value is -inf");
}

/* Squared distances between +-1e150 are 4e300; DBL_MAX is 1.8e308. Other manifolds have other limits. */
static void entries_whose_squares_overflow_are_named(void **state) {
    const fixture *f = *state;
    expect_complaint(f, NULL, 1, -1e300,
                     "a.npy, row 2, column 1 (counted from 0): the value is -1e+300; beyond 1e+150 "
                     "squared distances overflow: divide the entries of factor 1 (R3)");
    expect_complaint(f, "2,0", 0, 1.01e150,
                     "row 2, column 0 (counted from 0): the value is 1.01e+150");
    double large[] = {1e150, -1e150, -1e150, 1e150, 0, 0}, matrices[] = {2e300, 0, 0, 1e300};
    const rm2_array points = {.dims = 2, .shape = {3, 2}, .values = large};
    const rm2_array matrix = {.dims = 2, .shape = {1, 4}, .values = matrices};
    rm2_data_settings s = settings_for("R2");
    rm2_data *data;
    rm2_data_report report = {.size = sizeof report};
    assert_int_equal(rm2_npy_write(f->ctx, f->path, &points, true), RM2_OK);
    assert_int_equal(rm2_data_read(f->ctx, f->path, &s, &data, NULL, &report), RM2_OK);
    assert_true(report.factor[0].mean_found);
    /* (0, 0) is the mean: two points at sqrt(2) 1e150, one at 0 */
    assert_true(fabs(report.factor[0].spread / (sqrt(4.0 / 3) * 1e150) - 1) < 1e-14);
    rm2_data_report_clear(&report);
    rm2_data_free(data);
    s = settings_for("SPD2");
    assert_int_equal(rm2_npy_write(f->ctx, f->path, &matrix, true), RM2_OK);
    assert_int_equal(rm2_data_read(f->ctx, f->path, &s, &data, NULL, NULL), RM2_OK);
    rm2_data_free(data);
}

static void entries_of_trajectories_are_named(void **state) {
    const fixture *f = *state;
    double values[3 * 2 * 2] = {0, 1, 2, 3, 4, 5, 6, NAN, 8, 9, 10, 11};
    const rm2_array array = {.dims = 3, .shape = {3, 2, 2}, .values = values};
    rm2_data_settings s = settings_for("R2");
    assert_int_equal(rm2_npy_write(f->ctx, f->path, &array, true), RM2_OK);
    expect_refusal(f, &s, RM2_ERR_DATA,
                   "row 3 (trajectory 1, point 1), column 1 (counted from 0): the value is nan");
}

/* ---- settings ------------------------------------------------------------------------------- */

/* The file is not there: settings are looked at first. A status of RM2_ERR_IO says that they were right. */
static void expect_settings(fixture *f, const char *file, rm2_data_settings s, const char *text) {
    rm2_data *data;
    char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", f->directory, file);
    rm2_status status = rm2_data_read(f->ctx, path, &s, &data, NULL, NULL);
    assert_null(data);
    const char *message = rm2_context_error(f->ctx);
    if (status != (text ? RM2_ERR_ARGUMENT : RM2_ERR_IO) || (text && !strstr(message, text)))
        fail_msg("%s on %s: status %d, \"%s\" expected in: %s", file, s.manifold, (int)status,
                 text ? text : "No such file", message);
}

static void settings_without_effect_on_the_file_are_refused(void **state) {
    fixture *f = *state;
    rm2_data_settings array = settings_for("R2"), delimiter = array, header = array;
    array.array = "x";
    delimiter.delimiter = ',';
    header.header = RM2_HEADER_NO;
    expect_settings(f, "b.csv", array, "settings.array has no effect on");
    expect_settings(f, "b.npy", array, "b.npy: it names an array of an .npz or .mat file");
    expect_settings(f, "b.npz", array, NULL);
    expect_settings(f, "b.npz", delimiter, "settings.delimiter has no effect on");
    expect_settings(f, "b.npy", delimiter, "b.npy: it is for text files");
    expect_settings(f, "b.txt", delimiter, NULL);
    expect_settings(f, "b.NPZ", header, "settings.header has no effect on");
    expect_settings(f, "b.tsv", header, NULL);
}

static void settings_without_effect_on_the_manifold_are_refused(void **state) {
    fixture *f = *state;
    const rm2_data_settings none = rm2_data_settings_default();
    rm2_data_settings angles = none, degrees = none, layout = none, diagonal = none, matrix = none,
                      rotvec = none, euler = none, order = none;
    angles.angles = true;
    degrees.degrees = true;
    layout.spd_layout = RM2_SPD_LOWER;
    diagonal.unit_diagonal = true;
    matrix.orientation = RM2_ORIENTATION_MATRIX;
    rotvec.orientation = RM2_ORIENTATION_ROTVEC;
    euler.euler = "xyz";
    euler.orientation = RM2_ORIENTATION_EULER;
    order.quat_order = RM2_QUAT_XYZW;
    const struct {
        const rm2_data_settings *settings;
        const char *refused_on, *text, *taken_on;
    } cases[] = {
        {&angles, "R2 x S2", "settings.angles has no effect on R2 x S2: it is for S1 factors",
         "R2 x S1"},
        {&layout, "R3", "settings.spd_layout has no effect on R3: it is for SPD factors",
         "R3 x SPD2"},
        {&diagonal, "S1", "settings.unit_diagonal has no effect on S1", NULL},
        {&matrix, "R3 x S2", "settings.orientation has no effect on R3 x S2: it is for S3 and SO3",
         "SE3"},
        {&rotvec, "R4", "settings.orientation has no effect on R4", "S3"},
        {&euler, "T3", "settings.euler has no effect on", "SO3"},
        {&order, "R4", "settings.quat_order has no effect on R4", "R1 x S3"},
        {&degrees, "T2", "settings.degrees has no effect on S1 x S1: no factor is given as angles",
         NULL},
        {&degrees, "SO3", "settings.degrees has no effect on SO3", NULL},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rm2_data_settings s = *cases[k].settings;
        s.manifold = cases[k].refused_on;
        expect_settings(f, "b.csv", s, cases[k].text);
        s.manifold = cases[k].taken_on;
        if (s.manifold)
            expect_settings(f, "b.csv", s, NULL);
    }
}

/* Settings that need another one, or contradict it. */
static void settings_that_contradict_each_other_are_refused(void **state) {
    fixture *f = *state;
    rm2_data_settings s = settings_for("R1 x S1 x SO3");
    s.degrees = true;
    s.angles = true;
    expect_settings(f, "b.csv", s, NULL);
    s.angles = false;
    s.orientation = RM2_ORIENTATION_ROTVEC;
    expect_settings(f, "b.csv", s, NULL);
    s.orientation = RM2_ORIENTATION_MATRIX;
    expect_settings(f, "b.csv", s, "settings.degrees has no effect");
    s.degrees = false;
    s.quat_order = RM2_QUAT_WXYZ;
    expect_settings(f, "b.csv", s, "settings.quat_order has no effect");
    s.quat_order = RM2_QUAT_AUTO;
    s.euler = "xyz";
    expect_settings(f, "b.csv", s, "settings.euler has no effect");
    s.orientation = RM2_ORIENTATION_EULER;
    expect_settings(f, "b.csv", s, NULL);
    s = settings_for("SPD3");
    s.spd_layout = RM2_SPD_UPPER;
    s.unit_diagonal = true;
    expect_settings(f, "b.csv", s, NULL);
}

/* Ids and labels that are no numbers would each be one of their own, as NaN is not equal to itself. */
static void ids_that_are_not_finite_are_named(void **state) {
    const fixture *f = *state;
    double values[3 * 2] = {0, 1, 2, 3, 4, 5}, ids[3] = {0, 0, NAN};
    char points_name[] = "points", ids_name[] = "ids";
    const rm2_array arrays[] = {{.name = points_name, .dims = 2, .shape = {3, 2}, .values = values},
                                {.name = ids_name, .dims = 1, .shape = {3}, .values = ids}};
    fixture npz = *f;
    (void)snprintf(npz.path, sizeof npz.path, "%s/a.npz", f->directory);
    assert_int_equal(rm2_npz_write(f->ctx, npz.path, arrays, 2, true), RM2_OK);
    for (int k = 0; k < 2; k++) {
        rm2_data_settings s = settings_for("R2");
        s.array = "points";
        s.group = k ? NULL : "ids";
        s.label = k ? "ids" : NULL;
        expect_refusal(&npz, &s, RM2_ERR_DATA, "array \"ids\", entry 2 (counted from 0) is nan");
    }
    assert_int_equal(unlink(npz.path), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* No ids, as from an empty variable of a shell, are not all ids. */
static void empty_lists_of_trajectories(void **state) {
    fixture *f = *state;
    static const char text[] = "x,y,demo\n1,2,a\n3,4,a\n5,6,b\n7,8,b\n";
    static const char *const names[] = {"select", "holdout"};
    (void)snprintf(strrchr(f->path, '.'), 5, ".csv");
    FILE *file = fopen(f->path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    for (int k = 0; k < 2; k++) {
        rm2_data_settings s = settings_for("R2");
        s.group = "demo";
        assert_int_equal(
            rm2_settings_set(f->ctx, rm2_settings_table_of(RM2_SETTINGS_DATA), &s, names[k], ""),
            RM2_OK);
        expect_refusal(f, &s, RM2_ERR_ARGUMENT, "is empty; expected ids");
    }
    assert_int_equal(remove(f->path), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(entries_that_are_not_finite_are_named),
        TEST(ids_that_are_not_finite_are_named),
        TEST(entries_of_trajectories_are_named),
        TEST(entries_whose_squares_overflow_are_named),
        TEST(settings_without_effect_on_the_file_are_refused),
        TEST(settings_without_effect_on_the_manifold_are_refused),
        TEST(settings_that_contradict_each_other_are_refused),
        TEST(empty_lists_of_trajectories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
