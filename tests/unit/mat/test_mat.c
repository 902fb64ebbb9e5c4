/* MATLAB files in every version: numbers, texts, cells and structures come back as they were written, arrays that
 * cannot be read say why, and data sets are made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "front/arrays.h"
#include "io_fixture.h"
#include "mat_files.h"
#include "riemann2/data.h"
#include "riemann2/mat.h"

static int set_up(void **state) {
    fixture *f;
    if (fixture_set_up(state, "work.MAT") != 0)
        return 1;
    f = *state;
    return rm2_mat_register(f->ctx) == RM2_OK && rm2_mat_register(f->ctx) == RM2_OK ? 0 : 1;
}

static rm2_archive *open_version(fixture *f, size_t version) {
    rm2_archive *archive;
    assert_int_equal(write_workspace(f->path, &mat_versions[version]), 0);
    if (rm2_archive_open(f->ctx, f->path, &archive) != RM2_OK)
        fail_msg("%s: %s", mat_versions[version].name, rm2_context_error(f->ctx));
    return archive;
}

static void read_numbers(fixture *f, rm2_archive *archive, const char *name, rm2_array *array) {
    size_t index = rm2_archive_find(archive, name);
    assert_true(index != SIZE_MAX);
    const rm2_archive_entry *e = rm2_archive_entry_at(archive, index);
    assert_false(e->texts);
    if (rm2_archive_array(f->ctx, archive, index, array) != RM2_OK)
        fail_msg("%s: %s", name, rm2_context_error(f->ctx));
    assert_string_equal(array->name, name);
    assert_int_equal(array->dims, e->dims);
    assert_memory_equal(array->shape, e->shape, e->dims * sizeof *e->shape);
}

/* C order with the shape of MATLAB. */
static void check_cube(fixture *f, rm2_archive *archive, const char *name, const size_t shape[3],
                       double (*entry)(size_t, size_t, size_t)) {
    rm2_array a;
    read_numbers(f, archive, name, &a);
    assert_int_equal(a.dims, 3);
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(a.shape[k], shape[k]);
    for (size_t i = 0; i < shape[0]; i++)
        for (size_t j = 0; j < shape[1]; j++)
            for (size_t k = 0; k < shape[2]; k++)
                assert_true(a.values[(i * shape[1] + j) * shape[2] + k] == entry(i, j, k));
    rm2_array_clear(&a);
}

static void check_values(fixture *f, rm2_archive *archive, const char *name, size_t count,
                         const double *values) {
    rm2_array a;
    read_numbers(f, archive, name, &a);
    assert_int_equal(rm2_array_count(&a), count);
    for (size_t i = 0; i < count; i++)
        assert_true(a.values[i] == values[i]);
    rm2_array_clear(&a);
}

static void numbers_come_back(void **state) {
    static const size_t grid[3] = {2, 3, 4}, conn[3] = {3, 3, 4};
    for (size_t v = 0; v < MAT_VERSIONS; v++) {
        fixture *f = *state;
        rm2_archive *archive = open_version(f, v);
        check_cube(f, archive, "grid", grid, grid_entry);
        check_cube(f, archive, "conn", conn, conn_entry);
        check_cube(f, archive, "eeg.data", grid, grid_entry);
        check_values(f, archive, "eeg.rate", 1, (const double[]){250});
        check_values(f, archive, "small", 2, (const double[]){-3, 4});
        check_values(f, archive, "single", 2, (const double[]){0.5, -2});
        check_values(f, archive, "large", 1, (const double[]){-4503599627370497.0});
        check_values(f, archive, "truth", 4, (const double[]){1, 0, 1, 1});
        /* cells of (2, 2): the first axis counts them */
        check_values(f, archive, "per_subject", 8,
                     (const double[]){2, 0.5, 0.5, 1, 3, -0.5, -0.5, 1});
        const rm2_archive_entry *e =
            rm2_archive_entry_at(archive, rm2_archive_find(archive, "per_subject"));
        assert_int_equal(e->dims, 3);
        assert_int_equal(e->shape[0], 2);
        rm2_archive_close(archive);
    }
}

static void check_texts(fixture *f, rm2_archive *archive, const char *name, size_t count,
                        const char *const *texts) {
    rm2_texts t;
    size_t index = rm2_archive_find(archive, name);
    assert_true(index != SIZE_MAX && rm2_archive_entry_at(archive, index)->texts);
    assert_int_equal(rm2_archive_entry_at(archive, index)->shape[0], count);
    assert_int_equal(rm2_archive_texts(f->ctx, archive, index, &t), RM2_OK);
    assert_int_equal(t.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(t.distinct[t.codes[i]], texts[i]);
    rm2_texts_clear(&t);
}

static void texts_come_back(void **state) {
    static const char *const group[] = {"patient", "control", "patient", "control"},
                             *const rows[] = {"ab", "cde"};
    for (size_t v = 0; v < MAT_VERSIONS; v++) {
        fixture *f = *state;
        rm2_archive *archive = open_version(f, v);
        check_texts(f, archive, "group", 4, group);
        check_texts(f, archive, "rows", 2, rows);
        rm2_texts t;
        rm2_array a;
        assert_int_equal(rm2_archive_texts(f->ctx, archive, rm2_archive_find(archive, "grid"), &t),
                         RM2_ERR_DATA);
        assert_contains(rm2_context_error(f->ctx), "\"grid\" holds numbers, not texts");
        assert_int_equal(rm2_archive_array(f->ctx, archive, rm2_archive_find(archive, "group"), &a),
                         RM2_ERR_DATA);
        assert_contains(rm2_context_error(f->ctx), "\"group\" holds texts, not numbers");
        rm2_archive_close(archive);
    }
}

static void refuses(fixture *f, rm2_archive *archive, const char *name, const char *why) {
    rm2_array a;
    size_t index = rm2_archive_find(archive, name);
    assert_true(index != SIZE_MAX);
    assert_int_equal(rm2_archive_array(f->ctx, archive, index, &a), RM2_ERR_UNSUPPORTED);
    assert_null(a.values);
    assert_contains(rm2_context_error(f->ctx), why);
    assert_contains(rm2_context_error(f->ctx), name);
}

static void others_are_refused_with_the_way_out(void **state) {
    for (size_t v = 0; v < MAT_VERSIONS; v++) {
        fixture *f = *state;
        rm2_archive *archive = open_version(f, v);
        refuses(f, archive, "mixed", "a cell array of neither texts nor numeric arrays");
        refuses(f, archive, "several", "an array of structures; save one of its fields");
        refuses(f, archive, "wave", "complex numbers; save real(x) or abs(x)");
        refuses(f, archive, "huge", "integers beyond 2^53");
        char list[400];
        rm2_archive_list(archive, list, sizeof list);
        assert_contains(list, "grid (2, 3, 4)");
        assert_contains(list, "group (4) texts");
        assert_contains(list, "wave (not readable)");
        assert_int_equal(rm2_archive_find(archive, "eeg"), SIZE_MAX);
        rm2_archive_close(archive);
    }
}

/* ---- data sets ------------------------------------------------------------------------------ */

static void matrices_may_be_counted_by_the_last_axis(void **state) {
    fixture *f = *state;
    for (size_t v = 0; v < MAT_VERSIONS; v++) {
        rm2_data_settings s = rm2_data_settings_default();
        rm2_data *data;
        assert_int_equal(write_workspace(f->path, &mat_versions[v]), 0);
        s.manifold = "SPD3";
        s.label = "group";
        if (rm2_data_read(f->ctx, f->path, &s, &data, NULL, NULL) != RM2_OK)
            fail_msg("%s: %s", mat_versions[v].name, rm2_context_error(f->ctx));
        assert_int_equal(data->count, 4);
        for (size_t k = 0; k < 4; k++) {
            assert_string_equal(data->label_names[data->labels[k]], k % 2 ? "control" : "patient");
            for (size_t e = 0; e < 9; e++)
                assert_true(data->points[k * 9 + e] == conn_entry(e / 3, e % 3, k));
        }
        rm2_data_free(data);
    }
}

/* The settings fail with this text. */
static void data_fail(fixture *f, const rm2_data_settings *s, const char *text) {
    rm2_data *data;
    assert_int_not_equal(rm2_data_read(f->ctx, f->path, s, &data, NULL, NULL), RM2_OK);
    assert_null(data);
    assert_contains(rm2_context_error(f->ctx), text);
}

static void wrong_choices_are_named(void **state) {
    fixture *f = *state;
    rm2_data_settings s = rm2_data_settings_default();
    assert_int_equal(write_workspace(f->path, &mat_versions[1]), 0);
    s.manifold = "SPD5";
    data_fail(f, &s,
              "the shape of none fits points of SPD5 with 25 numbers each (the file has: grid");
    s.manifold = "SPD3";
    s.array = "con";
    data_fail(f, &s, "no array \"con\" (the file has: grid (2, 3, 4), conn (3, 3, 4)");
    s.array = "grid";
    data_fail(f, &s, "an array of shape (2, 3, 4) does not hold points of SPD3");
    s.array = "group";
    data_fail(f, &s, "array \"group\" holds texts; points must be numbers");
    s.array = "conn";
    s.label = "truths";
    data_fail(f, &s, "no array \"truths\"");
    s.label = "rows";
    data_fail(f, &s, "array \"rows\" has 2 texts for 4 points");
    s.label = NULL;
    s.time = "group";
    data_fail(f, &s, "array \"group\" holds texts; time must be numbers");
    s = rm2_data_settings_default();
    s.manifold = "R4"; /* grid has rows of 4, truth is one */
    data_fail(f, &s, "both fit points of R4; choose one with settings.array (the file has: grid");
}

/* ---- n matrices of size n ------------------------------------------------------------------- */

static double by_first(size_t i, size_t j, size_t k) {
    return conn_entry(j, k, i);
}

static double alike(size_t i, size_t j, size_t k) {
    return i == j && j == k ? 2 : 0.1;
}

static rm2_status read_cube(fixture *f, double (*entry)(size_t, size_t, size_t), rm2_data **data) {
    const size_t dims[3] = {3, 3, 3};
    matvar_t *v = cube("conn", dims, entry);
    mat_t *file = Mat_CreateVer(f->path, NULL, MAT_FT_MAT5);
    assert_int_equal(Mat_VarWrite(file, v, MAT_COMPRESSION_NONE), 0);
    Mat_VarFree(v);
    assert_int_equal(Mat_Close(file), 0);
    rm2_data_settings s = rm2_data_settings_default();
    s.manifold = "SPD3";
    return rm2_data_read(f->ctx, f->path, &s, data, NULL, NULL);
}

static void symmetry_decides_where_shapes_cannot(void **state) {
    fixture *f = *state;
    for (int first = 0; first < 2; first++) {
        rm2_data *data;
        assert_int_equal(read_cube(f, first ? by_first : conn_entry, &data), RM2_OK);
        for (size_t k = 0; k < 3; k++)
            for (size_t e = 0; e < 9; e++)
                assert_true(data->points[k * 9 + e] == conn_entry(e / 3, e % 3, k));
        rm2_data_free(data);
    }
    rm2_data *data;
    assert_int_equal(read_cube(f, alike, &data), RM2_ERR_DATA);
    assert_contains(rm2_context_error(f->ctx), "both ways they are symmetric; save one row of 9");
}

/* ---- damaged files -------------------------------------------------------------------------- */

static size_t load(const char *path, unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    assert_int_equal(fclose(file), 0);
    return size;
}

static void store(const char *path, const unsigned char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* One variable of known numbers, so that all of the file matters. */
static size_t write_grid(fixture *f, enum matio_compression packing, unsigned char *bytes,
                         size_t room) {
    const size_t dims[3] = {2, 3, 4};
    matvar_t *v = cube("grid", dims, grid_entry);
    mat_t *file = Mat_CreateVer(f->path, NULL, MAT_FT_MAT5);
    assert_int_equal(Mat_VarWrite(file, v, packing), 0);
    Mat_VarFree(v);
    assert_int_equal(Mat_Close(file), 0);
    return load(f->path, bytes, room);
}

/* Reads the grid, or fails with a message: true if it was read. */
static bool try_grid(fixture *f) {
    rm2_archive *archive;
    rm2_array a;
    if (rm2_archive_open(f->ctx, f->path, &archive) != RM2_OK) {
        assert_null(archive);
        assert_true(strlen(rm2_context_error(f->ctx)) > 0);
        return false;
    }
    rm2_status status = rm2_archive_array(f->ctx, archive, 0, &a);
    bool whole = status == RM2_OK && rm2_array_count(&a) == 24;
    for (size_t e = 0; whole && e < 24; e++)
        whole = a.values[e] == grid_entry(e / 12, e / 4 % 3, e % 4);
    assert_true(whole || status != RM2_OK);
    rm2_array_clear(&a);
    rm2_archive_close(archive);
    return whole;
}

static void no_file_that_ends_early_is_read(void **state) {
    static unsigned char bytes[1 << 16];
    for (int packed = 0; packed < 2; packed++) {
        fixture *f = *state;
        size_t size = write_grid(f, packed ? MAT_COMPRESSION_ZLIB : MAT_COMPRESSION_NONE, bytes,
                                 sizeof bytes);
        assert_true(try_grid(f));
        for (size_t cut = 1; cut < size; cut += 7) {
            store(f->path, bytes, size - cut);
            assert_false(try_grid(f));
        }
    }
}

/* A byte of the packed numbers is another: zlib's checksum tells. */
static void no_packed_variable_with_a_wrong_byte_is_read(void **state) {
    static unsigned char bytes[1 << 16];
    fixture *f = *state;
    size_t size = write_grid(f, MAT_COMPRESSION_ZLIB, bytes, sizeof bytes);
    for (size_t at = 140; at < size; at += 11) {
        bytes[at] ^= 0xff;
        store(f->path, bytes, size);
        if (try_grid(f))
            fail_msg("byte %zu of %zu", at, size);
        bytes[at] ^= 0xff;
    }
}

/* A file with one 1 x 3 array "x" of these numbers. */
static void write_row(const fixture *f, const mat_version *how, enum matio_classes class,
                      enum matio_types type, void *values) {
    mat_t *file = Mat_CreateVer(f->path, NULL, how->version);
    matvar_t *v = numbers("x", class, type, 1, 3, values, 0);
    assert_true(file && v && Mat_VarWrite(file, v, how->packing) == 0);
    Mat_VarFree(v);
    assert_int_equal(Mat_Close(file), 0);
}

/* The ends of the range of every class of numbers; a double holds them, up to 2^53. */
static void every_class_of_numbers_comes_back(void **state) {
    fixture *f = *state;
    int8_t i8[] = {INT8_MIN, 5, INT8_MAX};
    uint8_t u8[] = {0, 5, UINT8_MAX};
    int16_t i16[] = {INT16_MIN, 5, INT16_MAX};
    uint16_t u16[] = {0, 5, UINT16_MAX};
    int32_t i32[] = {INT32_MIN, 5, INT32_MAX};
    uint32_t u32[] = {0, 5, UINT32_MAX};
    int64_t i64[] = {-(INT64_C(1) << 53), 5, INT64_C(1) << 53};
    uint64_t u64[] = {0, 5, UINT64_C(1) << 53};
    float single[] = {-0.5f, 5, 0x1p100f};
    const struct {
        enum matio_classes class;
        enum matio_types type;
        void *values;
        double first, last;
    } rows[] = {{MAT_C_INT8, MAT_T_INT8, i8, INT8_MIN, INT8_MAX},
                {MAT_C_UINT8, MAT_T_UINT8, u8, 0, UINT8_MAX},
                {MAT_C_INT16, MAT_T_INT16, i16, INT16_MIN, INT16_MAX},
                {MAT_C_UINT16, MAT_T_UINT16, u16, 0, UINT16_MAX},
                {MAT_C_INT32, MAT_T_INT32, i32, INT32_MIN, INT32_MAX},
                {MAT_C_UINT32, MAT_T_UINT32, u32, 0, UINT32_MAX},
                {MAT_C_INT64, MAT_T_INT64, i64, -0x1p53, 0x1p53},
                {MAT_C_UINT64, MAT_T_UINT64, u64, 0, 0x1p53},
                {MAT_C_SINGLE, MAT_T_SINGLE, single, -0.5, 0x1p100}};
    for (size_t version = 0; version < MAT_VERSIONS; version++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            rm2_archive *archive;
            write_row(f, &mat_versions[version], rows[k].class, rows[k].type, rows[k].values);
            assert_int_equal(rm2_archive_open(f->ctx, f->path, &archive), RM2_OK);
            check_values(f, archive, "x", 3, (double[]){rows[k].first, 5, rows[k].last});
            rm2_archive_close(archive);
        }
    u64[2]++; /* a digit would be lost */
    write_row(f, &mat_versions[0], MAT_C_UINT64, MAT_T_UINT64, u64);
    rm2_archive *archive;
    rm2_array array;
    assert_int_equal(rm2_archive_open(f->ctx, f->path, &archive), RM2_OK);
    assert_int_not_equal(rm2_archive_array(f->ctx, archive, 0, &array), RM2_OK);
    assert_contains(rm2_context_error(f->ctx), "\"x\"");
    rm2_archive_close(archive);
}

/* Characters of 16 bits beyond ASCII become UTF-8; half a pair becomes U+FFFD. */
static void every_character_comes_back(void **state) {
    fixture *f = *state;
    static const struct {
        uint16_t units[3];
        const char *text;
    } rows[] = {{{'a', 0xe9, 0x20ac}, "a\xc3\xa9\xe2\x82\xac"},
                {{0xd83d, 0xde00, 'b'},
                 "\xf0\x9f\x98\x80"
                 "b"},
                {{0xd83d, 'x', 0xde00}, "\xef\xbf\xbdx\xef\xbf\xbd"},
                {{'x', 'y', 0xd83d}, "xy\xef\xbf\xbd"}};
    for (size_t version = 0; version < MAT_VERSIONS; version++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            rm2_archive *archive;
            write_row(f, &mat_versions[version], MAT_C_CHAR, MAT_T_UINT16, (void *)rows[k].units);
            assert_int_equal(rm2_archive_open(f->ctx, f->path, &archive), RM2_OK);
            check_texts(f, archive, "x", 1, &rows[k].text);
            rm2_archive_close(archive);
        }
}

static void other_files_are_told_apart(void **state) {
    fixture *f = *state;
    rm2_archive *archive;
    store(f->path, (const unsigned char *)"x,y\n1,2\n", 8);
    assert_int_equal(rm2_archive_open(f->ctx, f->path, &archive), RM2_ERR_FORMAT);
    assert_contains(rm2_context_error(f->ctx), "is not a MATLAB file of version 5, 7 or 7.3");
    assert_int_equal(rm2_archive_open(f->ctx, "none.mat", &archive), RM2_ERR_IO);
    assert_contains(rm2_context_error(f->ctx), "cannot read none.mat: No such file");
    assert_int_equal(rm2_archive_open(f->ctx, "/dev/null/x.mat", &archive), RM2_ERR_IO);
    rm2_context *bare;
    assert_int_equal(rm2_context_create(&bare), RM2_OK);
    assert_int_equal(rm2_archive_open(bare, f->path, &archive), RM2_ERR_UNSUPPORTED);
    assert_contains(rm2_context_error(bare), "unknown format of named arrays");
    rm2_context_free(bare);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(every_class_of_numbers_comes_back),
        cmocka_unit_test(every_character_comes_back),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(others_are_refused_with_the_way_out),
        cmocka_unit_test(matrices_may_be_counted_by_the_last_axis),
        cmocka_unit_test(wrong_choices_are_named),
        cmocka_unit_test(symmetry_decides_where_shapes_cannot),
        cmocka_unit_test(no_file_that_ends_early_is_read),
        cmocka_unit_test(no_packed_variable_with_a_wrong_byte_is_read),
        cmocka_unit_test(other_files_are_told_apart),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
