/* From files to data sets: conversions against independent formulas, signs, splits, scaling, and
 * files that come back bit for bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "data/data.h"
#include "front/arrays.h"
#include "front/base.h"
#include "front/data.h"
#include "riemann2.h"

static rm2_context *ctx;
static char folder[] = "/tmp/rm2_data_XXXXXX";

static int setup(void **state) {
    (void)state;
    return mkdtemp(folder) && rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return rmdir(folder);
}

static const char *path_of(const char *name) {
    static char path[128];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const char *text) {
    const char *path = path_of(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    return path;
}

static void ok(rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

/* Read a text as CSV with these settings. */
static rm2_data *read_text(const char *text, rm2_data_settings s, rm2_data_report *report) {
    const char *path = write_file("data.csv", text);
    rm2_data *data;
    ok(rm2_data_read(ctx, path, &s, &data, NULL, report));
    (void)unlink(path);
    return data;
}

static rm2_data_settings settings_for(const char *manifold) {
    rm2_data_settings s = rm2_data_settings_default();
    s.manifold = manifold;
    s.scale = RM2_SCALE_NONE;
    return s;
}

/* ---- orientations --------------------------------------------------------------------------- */

/* Rotation matrix of a unit quaternion, from the definition v -> q v q*. */
static void matrix_of(const double q[4], double R[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    memcpy(R,
           (double[]){1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                      2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                      2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)},
           9 * sizeof *R);
}

static void axis_rotation(int axis, double angle, double R[9]) {
    double c = cos(angle), s = sin(angle);
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    memset(R, 0, 9 * sizeof *R);
    R[axis * 3 + axis] = 1;
    R[i * 3 + i] = R[j * 3 + j] = c;
    R[i * 3 + j] = -s;
    R[j * 3 + i] = s;
}

static void multiply(const double A[9], const double B[9], double C[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
}

static void assert_same(const double *a, const double *b, size_t n, double tolerance) {
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance))
            fail_msg("entry %zu: %.17g, not %.17g", i, a[i], b[i]);
}

static void test_matrix_to_quaternion(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    for (int trial = 0; trial < 2000; trial++) {
        double q[4], R[9], back[4], norm = 0;
        for (int i = 0; i < 4; i++) {
            q[i] =
                rm2_rng_normal(&rng) * (trial % 4 == i ? 1e-9 : 1); /* each branch, at its edge */
            norm += q[i] * q[i];
        }
        for (int i = 0; i < 4; i++)
            q[i] /= sqrt(norm);
        matrix_of(q, R);
        assert_true(rm2i_matrix_to_quaternion(R, back) < 1e-14);
        double sign =
            q[0] * back[0] + q[1] * back[1] + q[2] * back[2] + q[3] * back[3] < 0 ? -1 : 1;
        for (int i = 0; i < 4; i++)
            back[i] *= sign;
        assert_same(back, q, 4, 1e-14); /* a few rounding errors of entries up to 1 */
    }
    double mirror[9] = {1, 0, 0, 0, 1, 0, 0, 0, -1}, q[4];
    assert_true(rm2i_matrix_to_quaternion(mirror, q) >= 1);
}

static void test_rotvec(void **state) {
    (void)state;
    double q[4], v[3] = {0, 0, 0}, R[9], expected[9];
    rm2i_rotvec_to_quaternion(v, q);
    assert_same(q, (double[]){1, 0, 0, 0}, 4, 0);
    for (int axis = 0; axis < 3; axis++)
        for (double angle = -7; angle < 7; angle += 0.37) {
            memset(v, 0, sizeof v);
            v[axis] = angle;
            rm2i_rotvec_to_quaternion(v, q);
            matrix_of(q, R);
            axis_rotation(axis, angle, expected);
            assert_same(R, expected, 9, 1e-14);
        }
}

static void test_euler(void **state) {
    (void)state;
    const char *orders[] = {"xyz", "zyx", "zxz", "XYZ", "ZYX", "YZY"};
    const double angles[3] = {0.3, -1.1, 2.2};
    for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++) {
        double R[3][9], expected[9], half[9], q[4], got[9];
        bool turning = orders[k][0] < 'a';
        for (int i = 0; i < 3; i++)
            axis_rotation((orders[k][i] | 32) - 'x', angles[i], R[i]);
        multiply(R[turning ? 0 : 2], R[1], half);
        multiply(half, R[turning ? 2 : 0], expected);
        assert_true(rm2i_euler_order_valid(orders[k]));
        rm2i_euler_to_quaternion(angles, orders[k], q);
        matrix_of(q, got);
        assert_same(got, expected, 9, 1e-15 * 8);
    }
    const char *wrong[] = {"xxz", "xyy", "xYz", "xy", "xyzx", "abc", ""};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        assert_false(rm2i_euler_order_valid(wrong[k]));
}

static void test_quaternion_order(void **state) {
    (void)state;
    rm2_data_settings s = settings_for("SO3");
    rm2_data_report report = {.size = sizeof report};
    rm2_data *data = read_text("qx,qy,qz,qw\n0,0,0.6,0.8\n0,0,0,1\n", s, &report);
    assert_same(data->points, (double[]){0.8, 0, 0, 0.6, 1, 0, 0, 0}, 8, 0);
    assert_false(report.factor[0].order_assumed);
    rm2_data_free(data);
    rm2_data_report_clear(&report);
    data = read_text("0.8,0,0,0.6\n1,0,0,0\n", s, &report);
    assert_same(data->points, (double[]){0.8, 0, 0, 0.6, 1, 0, 0, 0}, 8, 0);
    assert_true(report.factor[0].order_assumed);
    rm2_data_free(data);
    rm2_data_report_clear(&report);
    s.quat_order = RM2_QUAT_XYZW;
    data = read_text("0,0,0.6,0.8\n", s, NULL);
    assert_same(data->points, (double[]){0.8, 0, 0, 0.6}, 4, 0);
    rm2_data_free(data);
}

/* Flip random signs of the robot example: alignment must give the original back, up to one sign of
 * the whole set. */
static void test_sign_alignment(void **state) {
    (void)state;
    rm2_data *data;
    ok(rm2_data_generate(ctx, "robot", NULL, &data));
    size_t entries = data->count * 7, flipped = 0;
    rm2i_draft draft;
    ok(rm2i_draft_copy(ctx, data, &draft));
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 1; i < data->count; i++) /* the first keeps its sign */
        if (rm2_rng_uniform(&rng) < 0.5) {
            for (size_t k = 3; k < 7; k++)
                draft.points[i * 7 + k] *= -1;
            flipped++;
        }
    rm2_factor_report factors[2] = {{.projected = 0}, {.projected = 0}};
    rm2_data_report report = {.size = sizeof report, .factors = 2, .factor = factors};
    assert_int_equal(rm2i_align_signs(NULL, NULL, &draft, &report), RM2_OK);
    assert_same(draft.points, data->points, entries, 0);
    assert_true(flipped > 100 && factors[1].sign_flips > 0 && factors[1].sign_jumps == 0);
    rm2i_draft_clear(&draft);
    rm2_data_free(data);
}

static void test_signs_without_trajectories(void **state) {
    (void)state;
    rm2_data_settings s = settings_for("SO3");
    s.quat_order = RM2_QUAT_WXYZ;
    rm2_data_report report = {.size = sizeof report};
    rm2_data *data = read_text("-1,0,0,0\n0.8,0.6,0,0\n-0.8,0,0.6,0\n0.6,0,0,0.8\n", s, &report);
    assert_same(data->points,
                (double[]){-1, 0, 0, 0, -0.8, -0.6, 0, 0, -0.8, 0, 0.6, 0, -0.6, 0, 0, -0.8}, 16,
                1e-15);
    assert_int_equal(report.factor[0].sign_flips, 2);
    rm2_data_free(data);
    rm2_data_report_clear(&report);
}

/* ---- matrices, angles ----------------------------------------------------------------------- */

static void test_spd_layouts(void **state) {
    (void)state;
    const double full[9] = {4, 1, 2, 1, 5, 3, 2, 3, 6};
    const char *texts[] = {"4,1,2,1,5,3,2,3,6\n", "4,1,2,5,3,6\n", "4,1,5,2,3,6\n",
                           "4,1,2,5,3,6\n",       "4,5,6,1,2,3\n", "4,1,5,2,3,6\n"};
    for (int layout = 0; layout < RM2I_SPD_LAYOUTS; layout++) {
        rm2_data_settings s = settings_for("SPD3");
        s.spd_layout = (rm2_spd_layout)layout;
        rm2_data *data = read_text(texts[layout], s, NULL);
        assert_same(data->points, full, 9, 0);
        rm2_data_free(data);
    }
    rm2_data_settings s = settings_for("SPD3");
    s.unit_diagonal = true;
    for (int lower = 0; lower < 2; lower++) {
        s.spd_layout = lower ? RM2_SPD_LOWER : RM2_SPD_UPPER;
        rm2_data *data = read_text("0.1,0.2,0.3\n", s, NULL);
        assert_same(data->points, (double[]){1, .1, .2, .1, 1, .3, .2, .3, 1}, 9, 0);
        rm2_data_free(data);
    }
}

static void test_joint_angles(void **state) {
    (void)state;
    rm2_data_settings s = settings_for("R1 x T2");
    s.angles = true;
    s.degrees = true;
    rm2_data *data = read_text("7,90,-60\n", s, NULL);
    assert_same(data->points, (double[]){7, 0, 1, 0.5, -sqrt(3) / 2}, 5, 1e-15);
    rm2_data_free(data);
}

static void test_in_place_columns(void **state) {
    (void)state;
    rm2_data_settings s = settings_for("R2");
    s.columns = "c,a";
    s.label = "name";
    rm2_data *data = read_text("a,b,name,c\n1,2,u,3\n4,5,v,6\n7,8,u,9\n", s, NULL);
    assert_same(data->points, (double[]){3, 1, 6, 4, 9, 7}, 6, 0);
    assert_int_equal(data->label_count, 2);
    assert_int_equal(data->labels[2], 0);
    assert_string_equal(data->label_names[1], "v");
    assert_int_equal(data->rows[2], 4);
    rm2_data_free(data);
}

/* ---- splits and scaling --------------------------------------------------------------------- */

static rm2_data *toy(size_t demos, size_t points) {
    rm2_data *data;
    rm2_generate_settings g = {.size = sizeof g, .trajectories = demos, .points = points};
    ok(rm2_data_generate(ctx, "toy", &g, &data));
    return data;
}

static rm2i_draft toy_draft(size_t demos, size_t points) {
    rm2_data *data = toy(demos, points);
    rm2i_draft draft;
    ok(rm2i_draft_copy(ctx, data, &draft));
    rm2_data_free(data);
    return draft;
}

static void test_thin(void **state) {
    (void)state;
    rm2i_draft data = toy_draft(2, 200);
    ok(rm2i_thin(ctx, &data, 50));
    assert_int_equal(data.count, 100);
    assert_int_equal(data.starts[1], 50);
    for (size_t k = 0; k < 50; k++) { /* numpy: round(linspace(0, 199, 50)) */
        assert_int_equal(data.rows[k], (size_t)nearbyint((double)k * 199 / 49));
        assert_int_equal(data.rows[50 + k], 200 + data.rows[k]);
    }
    ok(rm2i_thin(ctx, &data, 60)); /* more than there are: all stay */
    assert_int_equal(data.count, 100);
    ok(rm2i_thin(ctx, &data, 1));
    assert_int_equal(data.count, 2);
    rm2i_draft_clear(&data);
}

static void test_hold_out(void **state) {
    (void)state;
    rm2i_draft data = toy_draft(5, 7), held, all = toy_draft(5, 7);
    ok(rm2i_hold_out(ctx, &data, "3,0", &held));
    assert_int_equal(data.trajectories, 3);
    assert_int_equal(held.trajectories, 2);
    assert_string_equal(held.ids[0], "0");
    assert_string_equal(held.ids[1], "3");
    assert_string_equal(data.ids[2], "4");
    assert_same(held.points + 7 * 5, all.points + 21 * 5, 7 * 5, 0);
    assert_same(data.points, all.points + 7 * 5, 14 * 5, 0);
    rm2i_draft_clear(&data);
    rm2i_draft_clear(&held);
    rm2i_draft_clear(&all);
}

static void test_scale(void **state) {
    (void)state;
    rm2_data *raw, *data;
    ok(rm2_data_generate(ctx, "robot", NULL, &raw));
    ok(rm2_data_generate(
        ctx, "robot",
        &(rm2_generate_settings){.size = sizeof(rm2_generate_settings), .scale = true}, &data));
    double *original = malloc(data->count * 7 * sizeof *original);
    assert_non_null(original);
    double variance = 0; /* mean of the three column variances is 1 afterwards */
    for (size_t k = 0; k < 3; k++) {
        double mean = 0;
        for (size_t i = 0; i < data->count; i++)
            mean += data->points[i * 7 + k] / (double)data->count;
        for (size_t i = 0; i < data->count; i++)
            variance += pow(data->points[i * 7 + k] - mean, 2) / (double)(data->count - 1) / 3;
    }
    assert_true(fabs(variance - 1) < 1e-12);
    assert_true(data->scale[0] != 1 && data->scale[1] == 1);
    rm2_data_original(data, original);
    assert_same(raw->points, original, data->count * 7, 1e-15);
    free(original);
    rm2_data_free(raw);
    rm2_data_free(data);
}

static void test_held_out_scale(void **state) {
    (void)state;
    rm2_data_settings s = settings_for("R1 x S1");
    s.group = "g";
    s.holdout = "b";
    s.scale = RM2_SCALE_ALL;
    const char *path = write_file("data.csv", "g,x,c,s\na,0,1,0\na,4,1,0\nb,8,1,0\n");
    rm2_data *data, *held;
    ok(rm2_data_read(ctx, path, &s, &data, &held, NULL));
    (void)unlink(path);
    assert_true(fabs(data->scale[0] - sqrt(8)) < 1e-15); /* variance of 0, 4 is 8 */
    assert_true(held->scale[0] == data->scale[0]);
    assert_true(fabs(held->points[0] - 8 / sqrt(8)) < 1e-15);
    rm2_data_free(data);
    rm2_data_free(held);
}

/* Squares of the entries are 0, their standard deviation is not; 1e-305 has too few digits left for a scale. */
static void test_scale_of_extreme_units(void **state) {
    (void)state;
    static const char *const units[] = {"1e-200", "1e-300"};
    rm2_data_settings s = settings_for("R1");
    for (size_t k = 0; k < 2 * sizeof units / sizeof *units; k++) {
        char text[64];
        double unit = strtod(units[k / 2], NULL);
        s.scale = k % 2 ? RM2_SCALE_AUTO : RM2_SCALE_ALL; /* which scales R alone where it must */
        (void)snprintf(text, sizeof text, "0\n%.17g\n", 4 * unit);
        const char *path = write_file("data.csv", text);
        rm2_data *data;
        ok(rm2_data_read(ctx, path, &s, &data, NULL, NULL));
        (void)unlink(path);
        /* variance of 0, 4 is 8; rounding of 4 unit, the mean, the root and the product: a few eps */
        assert_true(fabs(data->scale[0] / unit - sqrt(8)) < 1e-14);
        assert_true(fabs(data->points[1] - 4 / sqrt(8)) < 1e-14);
        rm2_data_free(data);
    }
    const char *path = write_file("data.csv", "0\n1e-305\n");
    rm2_data *data;
    assert_int_equal(rm2_data_read(ctx, path, &s, &data, NULL, NULL), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(ctx), "choose smaller units"));
    (void)unlink(path);
}

/* By itself only a product of two points or more is scaled. */
static void test_automatic_scale(void **state) {
    (void)state;
    const struct {
        const char *manifold, *file;
        rm2_scale_rule rule;
        bool scaled;
    } cases[] = {
        {"R1 x S1", "0,1,0\n4,1,0\n", RM2_SCALE_AUTO, true},
        {"R1 x S1", "4,1,0\n", RM2_SCALE_AUTO, false},
        {"R1 x S1", "0,1,0\n4,1,0\n", RM2_SCALE_NONE, false},
        {"R3", "0,1,0\n4,1,0\n", RM2_SCALE_AUTO, false},
        {"R3", "0,1,0\n4,1,0\n", RM2_SCALE_ALL, true},
    };
    assert_int_equal(rm2_data_settings_default().scale, RM2_SCALE_AUTO);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rm2_data_settings s = settings_for(cases[k].manifold);
        s.scale = cases[k].rule;
        const char *path = write_file("data.csv", cases[k].file);
        rm2_data *data;
        ok(rm2_data_read(ctx, path, &s, &data, NULL, NULL));
        (void)unlink(path);
        assert_int_equal(data->scale[0] != 1, cases[k].scaled);
        rm2_data_free(data);
    }
}

/* Axes of Euler angles alone say what orientations are. */
static void test_automatic_orientation(void **state) {
    (void)state;
    const char *path = write_file("data.csv", "0,0,1\n0,0.5,1\n");
    rm2_data_settings s = settings_for("SO3");
    rm2_data *automatic, *named;
    s.euler = "xyz";
    ok(rm2_data_read(ctx, path, &s, &automatic, NULL, NULL));
    s.orientation = RM2_ORIENTATION_EULER;
    ok(rm2_data_read(ctx, path, &s, &named, NULL, NULL));
    (void)unlink(path);
    assert_memory_equal(automatic->points, named->points, 8 * sizeof *named->points);
    rm2_data_free(automatic);
    rm2_data_free(named);
}

/* ---- files that come back ------------------------------------------------------------------- */

static void assert_round_trip(const char *name, const char *format, const char *spec,
                              const char *group) {
    rm2_data *data, *back;
    rm2_data_settings s = settings_for(spec);
    s.group = group && strcmp(format, "npy") != 0 ? group : NULL;
    char file[32];
    (void)snprintf(file, sizeof file, "%s.%s", name, format);
    const char *path = path_of(file);
    ok(rm2_data_generate(ctx, name, NULL, &data));
    if (data->time && strcmp(format, "npy") != 0)
        s.time = "time";
    if (data->labels && strcmp(format, "npy") != 0)
        s.label = "label";
    ok(rm2_data_write(ctx, data, path, false));
    assert_int_equal(rm2_data_write(ctx, data, path, false), RM2_ERR_IO); /* exists already */
    ok(rm2_data_read(ctx, path, &s, &back, NULL, NULL));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(back->count, data->count);
    size_t ambient = rm2_manifold_ambient(data->manifold);
    /* projection may touch the last digit of what was generated */
    assert_same(back->points, data->points, data->count * ambient, 3e-16);
    if (s.time)
        assert_memory_equal(back->time, data->time, data->count * sizeof *data->time);
    if (s.group)
        assert_memory_equal(back->starts, data->starts, (data->trajectories + 1) * sizeof(size_t));
    if (s.label)
        assert_memory_equal(back->labels, data->labels, data->count * sizeof *data->labels);
    rm2_data_free(data);
    rm2_data_free(back);
}

static void test_round_trips(void **state) {
    (void)state;
    const char *formats[] = {"csv", "tsv", "npy", "npz"};
    for (size_t k = 0; k < 4; k++) {
        assert_round_trip("toy", formats[k], "R2 x S2", "demo");
        assert_round_trip("robot", formats[k], "R3 x S3", "demo");
        assert_round_trip("manipulability", formats[k], "R2 x SPD2", "demo");
        assert_round_trip("connectome", formats[k], "SPD15", NULL);
    }
}

static void test_matrix_stack(void **state) {
    (void)state;
    double values[2 * 2 * 2 * 2] = {2, 0, 0, 1, 3, 1, 1, 2, 4, 0, 0, 1, 5, 1, 1, 2};
    rm2_array stack = {.dims = 3, .shape = {4, 2, 2}, .values = values};
    rm2_data_settings s = settings_for("SPD2");
    for (int trajectories = 0; trajectories < 2; trajectories++) {
        if (trajectories)
            stack = (rm2_array){.dims = 4, .shape = {2, 2, 2, 2}, .values = values};
        const char *path = path_of("stack.npy");
        rm2_data *data;
        ok(rm2_npy_write(ctx, path, &stack, true));
        ok(rm2_data_read(ctx, path, &s, &data, NULL, NULL));
        assert_int_equal(unlink(path), 0);
        assert_int_equal(data->count, 4);
        assert_int_equal(data->trajectories, trajectories ? 2 : 0);
        assert_same(data->points, values, 16, 0);
        rm2_data_free(data);
    }
}

/* A table gives the same data as its file, and is empty afterwards. */
static void test_from_table(void **state) {
    (void)state;
    const char *text = "id,t,x,y\nb,0,1,2\nb,1,3,4\na,0,5,6\n";
    const char *const ids[] = {"id"};
    rm2_data_settings s = settings_for("R2");
    s.group = "id";
    s.time = "t";
    rm2_csv_settings csv = rm2_csv_settings_default();
    csv.text = ids;
    csv.text_count = 1;
    rm2_table table;
    rm2_data *data, *read = read_text(text, s, NULL);
    ok(rm2_csv_parse(ctx, "t.csv", text, strlen(text), &csv, &table));
    ok(rm2_data_from_table(ctx, "t.csv", &table, &s, &data, NULL, NULL));
    assert_null(table.values);
    assert_null(table.names);
    assert_string_equal(data->source, "t.csv");
    assert_int_equal(data->trajectories, 2);
    assert_string_equal(data->ids[0], "b");
    assert_int_equal(data->rows[2], 4);
    assert_same(data->points, read->points, 6, 0);
    assert_same(data->time, read->time, 3, 0);
    rm2_data_free(read);
    rm2_data_free(data);
}

static void test_bad_tables(void **state) {
    (void)state;
    rm2_data_settings s = settings_for("R1");
    rm2_table table;
    rm2_data *data;
    s.group = "id";
    ok(rm2_csv_parse(ctx, "t.csv", "id,x\n1,2\n", 9, NULL, &table));
    assert_int_equal(rm2_data_from_table(ctx, "t.csv", &table, &s, &data, NULL, NULL),
                     RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "not read as text"));
    assert_null(data);
    assert_null(table.values);
    assert_int_equal(rm2_data_from_table(ctx, "t.csv", NULL, &s, &data, NULL, NULL),
                     RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "read from a file"));
}

static void test_report(void **state) {
    (void)state;
    rm2_data_settings s = settings_for("R2 x S2");
    s.columns = "x,y,sx,sy,sz";
    rm2_data_report r = {.size = sizeof r};
    /* y is constant; all points of S2 but one at (1,0,0), the other nearly opposite */
    rm2_data *data = read_text("x,y,sx,sy,sz\n1,5,1,0,0\n2,5,1,0,0\n3,5,1,0,0\n3,5,1,0,0\n", s, &r);
    assert_int_equal(r.factor[0].rank, 1);
    assert_int_equal(r.factor[1].rank, 0);
    assert_int_equal(r.duplicates, 1);
    assert_true(fabs(r.factor[0].spread - sqrt(0.6875)) < 1e-14); /* variance of 1,2,3,3, over n */
    assert_true(r.factor[1].spread == 0);
    rm2_data_free(data);
    rm2_data_report_clear(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix_to_quaternion),
        cmocka_unit_test(test_rotvec),
        cmocka_unit_test(test_euler),
        cmocka_unit_test(test_quaternion_order),
        cmocka_unit_test(test_sign_alignment),
        cmocka_unit_test(test_signs_without_trajectories),
        cmocka_unit_test(test_spd_layouts),
        cmocka_unit_test(test_joint_angles),
        cmocka_unit_test(test_in_place_columns),
        cmocka_unit_test(test_thin),
        cmocka_unit_test(test_hold_out),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_held_out_scale),
        cmocka_unit_test(test_scale_of_extreme_units),
        cmocka_unit_test(test_automatic_scale),
        cmocka_unit_test(test_automatic_orientation),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_matrix_stack),
        cmocka_unit_test(test_from_table),
        cmocka_unit_test(test_bad_tables),
        cmocka_unit_test(test_report),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
