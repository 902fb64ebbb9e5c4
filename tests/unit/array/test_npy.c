/* .npy files: every type, order and version, headers that lie, and what is refused. Values are
 * compared exactly: all conversions are exact or refused. */
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

#include "array/npy.h"
#include "front/arrays.h"
#include "io_fixture.h"
#include "riemann2/io.h"

static int set_up(void **state) {
    return fixture_set_up(state, "a.npy");
}

/* A file of the given version with this header text and these data bytes; returns its size. */
static size_t make_file(unsigned char *file, int version, const char *header, const void *data,
                        size_t size) {
    size_t length = strlen(header), at = version == 1 ? 10 : 12;
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[7] = 0;
    memset(file + 8, 0, at - 8);
    file[8] = (unsigned char)(length & 0xff);
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + at, header, length);
    if (size > 0)
        memcpy(file + at + length, data, size);
    return at + length + size;
}

static rm2_status parse(fixture *f, int version, const char *header, const void *data, size_t size,
                        rm2_array *array) {
    unsigned char file[1024];
    assert_true(strlen(header) + size + 12 <= sizeof file);
    return rm2i_npy_parse(f->ctx, "a.npy", file, make_file(file, version, header, data, size),
                          array);
}

static void expect_values(fixture *f, const char *header, const void *data, size_t size,
                          const double *values, size_t count) {
    rm2_array array;
    if (parse(f, 1, header, data, size, &array) != RM2_OK)
        fail_msg("%s: %s", header, rm2_context_error(f->ctx));
    assert_int_equal(rm2_array_count(&array), count);
    for (size_t i = 0; i < count; i++)
        if (memcmp(&array.values[i], &values[i], sizeof(double)) != 0)
            fail_msg("%s: element %zu is %a, not %a", header, i, array.values[i], values[i]);
    rm2_array_clear(&array);
}

static void expect_refusal(fixture *f, const char *header, const void *data, size_t size,
                           rm2_status expected, const char *word) {
    rm2_array array;
    rm2_status status = parse(f, 1, header, data, size, &array);
    const char *message = rm2_context_error(f->ctx);
    if (status != expected || !strstr(message, word))
        fail_msg("%s: status %d, '%s' expected in: %s", header, (int)status, word, message);
    assert_non_null(strstr(message, "a.npy"));
    assert_null(array.values);
    rm2_array_clear(&array);
}

#define SHAPE2 "'fortran_order': False, 'shape': (2,), }"

static void every_type_is_read(void **state) {
    fixture *f = *state;
    const struct {
        const char *descr;
        unsigned char bytes[16];
        size_t size;
        double values[2];
    } cases[] = {
        {"|b1", {0, 1}, 2, {0, 1}},
        {"|i1", {0x80, 0x7f}, 2, {-128, 127}},
        {"|u1", {0x80, 0xff}, 2, {128, 255}},
        {"<i2", {0xfe, 0xff, 0, 1}, 4, {-2, 256}},
        {">i2", {0xff, 0xfe, 0, 1}, 4, {-2, 1}},
        {"<u2", {0xfe, 0xff, 0, 1}, 4, {65534, 256}},
        {">u2", {0xff, 0xfe, 0, 1}, 4, {65534, 1}},
        {"<i4", {0, 0, 0, 0x80, 1, 0, 0, 0}, 8, {-2147483648.0, 1}},
        {">i4", {0x80, 0, 0, 0, 0, 0, 0, 1}, 8, {-2147483648.0, 1}},
        {"<u4", {0, 0, 0, 0x80, 1, 0, 0, 0}, 8, {2147483648.0, 1}},
        {">u4", {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1}, 8, {4294967295.0, 1}},
        {"<i8", {0, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}, 16, {0x1p53, -0x1p63}},
        {">i8",
         {0, 0, 0, 0, 0, 0, 0, 5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
         16,
         {5, -1}},
        {"<u8", {0, 0, 0, 0, 0, 0, 0, 0x80, 7}, 16, {0x1p63, 7}},
        {">u8", {0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}, 16, {0x1p63, 7}},
        {"<f2", {0x00, 0x3c, 0x01, 0x80}, 4, {1, -0x1p-24}},
        {">f2", {0x7b, 0xff, 0xfc, 0x00}, 4, {65504, -(double)INFINITY}},
        {"<f4", {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0}, 8, {1, -2.5}},
        {">f4", {0x3f, 0x80, 0, 0, 0, 0, 0, 1}, 8, {1, 0x1p-149}},
        {"<f8", {0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 1}, 16, {1, 0x1p-1074}},
        {">f8", {0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0}, 16, {1, -2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[128];
        (void)snprintf(header, sizeof header, "{'descr': '%s', " SHAPE2, cases[i].descr);
        expect_values(f, header, cases[i].bytes, cases[i].size, cases[i].values, 2);
    }
    const double native[] = {1.5, -2};
    expect_values(f, "{'descr': '=f8', " SHAPE2, native, sizeof native, native, 2);
    expect_values(f, "{'descr': 'f8', " SHAPE2, native, sizeof native, native, 2);
}

static void half_nan_is_nan(void **state) {
    fixture *f = *state;
    rm2_array array;
    assert_int_equal(parse(f, 1, "{'descr': '<f2', " SHAPE2, "\x01\x7e\x00\x7c", 4, &array),
                     RM2_OK);
    assert_true(isnan(array.values[0]));
    assert_true(isinf(array.values[1]));
    rm2_array_clear(&array);
}

static void fortran_order_is_turned(void **state) {
    fixture *f = *state;
    /* element (i, j, k) of shape (2, 3, 2) is 100 i + 10 j + k */
    const double stored[] = {0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121};
    const double expected[] = {0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
    expect_values(f, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3, 2), }", stored,
                  sizeof stored, expected, 12);
    const unsigned char bytes[] = {1, 4, 2, 5, 3, 6};
    expect_values(f, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", bytes, 6,
                  (const double[]){1, 2, 3, 4, 5, 6}, 6);
    expect_values(f, "{'descr': '|u1', 'fortran_order': True, 'shape': (6,), }", bytes, 6,
                  (const double[]){1, 4, 2, 5, 3, 6}, 6);
}

/* More elements than are converted at a time, in both orders. */
static void large_arrays_are_converted(void **state) {
    fixture *f = *state;
    enum { ROWS = 1000, COLUMNS = 37 };
    size_t data = (size_t)ROWS * COLUMNS * 4;
    unsigned char *file = malloc(data + 256);
    assert_non_null(file);
    for (int fortran = 0; fortran < 2; fortran++) {
        char header[128];
        (void)snprintf(header, sizeof header,
                       "{'descr': '<u4', 'fortran_order': %s, 'shape': (%d, %d), }",
                       fortran ? "True" : "False", ROWS, COLUMNS);
        size_t start = make_file(file, 1, header, NULL, 0);
        for (uint32_t i = 0; i < (uint32_t)ROWS * COLUMNS; i++)
            for (uint32_t b = 0; b < 4; b++)
                file[start + 4 * i + b] = (unsigned char)(i >> 8 * b);
        rm2_array array;
        assert_int_equal(rm2i_npy_parse(f->ctx, "a.npy", file, start + data, &array), RM2_OK);
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++)
                if (array.values[i * COLUMNS + j] !=
                    (double)(fortran ? j * ROWS + i : i * COLUMNS + j))
                    fail_msg("element (%zu, %zu) is wrong", i, j);
        rm2_array_clear(&array);
    }
    free(file);
}

static void versions_and_layouts_are_read(void **state) {
    fixture *f = *state;
    const double values[] = {1, 2};
    const char *const headers[] = {
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}",
        "{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"<f8\"}   \n",
        "  { 'shape' : ( 2 , ) ,\n 'descr' :'<f8', 'fortran_order': False , } \n",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, )}",
    };
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
            rm2_array array;
            if (parse(f, version, headers[i], values, sizeof values, &array) != RM2_OK)
                fail_msg("%s: %s", headers[i], rm2_context_error(f->ctx));
            assert_int_equal(array.dims, i < 4 ? 1 : 2);
            assert_int_equal(array.shape[array.dims - 1], 2);
            assert_memory_equal(array.values, values, sizeof values);
            rm2_array_clear(&array);
        }
}

static void scalars_and_empty_arrays_are_read(void **state) {
    fixture *f = *state;
    const double seven = 7;
    rm2_array array;
    assert_int_equal(
        parse(f, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }", &seven, 8, &array),
        RM2_OK);
    assert_int_equal(array.dims, 0);
    assert_int_equal(rm2_array_count(&array), 1);
    assert_true(array.values[0] == 7);
    rm2_array_clear(&array);
    assert_int_equal(parse(f, 1,
                           "{'descr': '<f8', 'fortran_order': True, 'shape': "
                           "(18446744073709551615, 0, 18446744073709551615), }",
                           NULL, 0, &array),
                     RM2_OK);
    assert_int_equal(rm2_array_count(&array), 0);
    assert_non_null(array.values);
    rm2_array_clear(&array);
}

static void types_that_are_no_numbers_are_refused(void **state) {
    fixture *f = *state;
    const struct {
        const char *descr, *word;
    } cases[] = {{"'|O'", "pickled"},
                 {"'|O'", "np.save(path, np.asarray(x, dtype=float))"},
                 {"'<c16'", "'<c16'"},
                 {"'<c16'", "complex"},
                 {"'<U2'", "texts"},
                 {"'|S3'", "texts"},
                 {"'<M8[ns]'", "dates"},
                 {"'|V8'", "'|V8'"},
                 {"'<f16'", "long double"},
                 {"[('x', '<f8')]", "structured"},
                 {"'<f3'", "'<f3'"},
                 {"'<i16'", "'<i16'"},
                 {"'<f'", "'<f'"},
                 {"'<'", "'<'"},
                 {"''", "''"},
                 {"'b8'", "'b8'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char header[128];
        (void)snprintf(header, sizeof header, "{'descr': %s, " SHAPE2, cases[i].descr);
        expect_refusal(f, header, "0123456789abcdef", 16, RM2_ERR_UNSUPPORTED, cases[i].word);
    }
}

static void integers_beyond_doubles_are_refused(void **state) {
    fixture *f = *state;
    const int64_t numbers[] = {5, (INT64_C(1) << 53) + 1};
    expect_refusal(f, "{'descr': '=i8', " SHAPE2, numbers, 16, RM2_ERR_DATA, "9007199254740993");
    expect_refusal(f, "{'descr': '=i8', " SHAPE2, numbers, 16, RM2_ERR_DATA, "element 1");
    const int64_t negative[] = {-(INT64_C(1) << 53) - 1, 0};
    expect_refusal(f, "{'descr': '=i8', " SHAPE2, negative, 16, RM2_ERR_DATA, "-9007199254740993");
    const uint64_t large[] = {UINT64_MAX, 0};
    expect_refusal(f, "{'descr': '=u8', " SHAPE2, large, 16, RM2_ERR_DATA, "18446744073709551615");
}

static void lying_headers_are_refused(void **state) {
    fixture *f = *state;
    const double values[] = {1, 2};
    const char *const malformed[] = {
        "",
        "{",
        "[]",
        "{}",
        "{'descr': '<f8'",
        "{'descr' '<f8', " SHAPE2,
        "{'descr': '<f8', 'fortran_order': False, }",
        "{'descr': '<f8', 'shape': (2,), }",
        "{'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f8', 'descr': '<f8', " SHAPE2,
        "{'descr': '<f8', 'color': 1, " SHAPE2,
        "{'descr': '<f8', " SHAPE2 "x",
        "{'descr': '<f8', 'fortran_order': 0, 'shape': (2,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 2, }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2.0,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807,), }",
        "{'descr': '<f8, ",
        "{'descr': 'a name that is longer than all others', " SHAPE2,
    };
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++)
        expect_refusal(f, malformed[i], values, sizeof values, RM2_ERR_FORMAT,
                       "malformed NumPy header");
    /* a petabyte is refused before it is asked for */
    expect_refusal(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (125000000000000,), }",
                   values, sizeof values, RM2_ERR_FORMAT, "only 16 bytes follow");
    expect_refusal(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", values,
                   sizeof values, RM2_ERR_FORMAT, "announces 3 elements");
    expect_refusal(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }",
                   values, sizeof values, RM2_ERR_UNSUPPORTED, "more than 8 dimensions");
}

static void broken_beginnings_are_refused(void **state) {
    fixture *f = *state;
    const struct {
        const char *bytes;
        size_t size;
        rm2_status status;
        const char *word;
    } cases[] = {
        {"", 0, RM2_ERR_FORMAT, "ends within"},
        {"\x93NUM", 4, RM2_ERR_FORMAT, "ends within"},
        {"NOTNUMPY", 8, RM2_ERR_FORMAT, "NumPy magic"},
        {"\x93NUMPY\x04\x00", 8, RM2_ERR_UNSUPPORTED, "version 4.0"},
        {"\x93NUMPY\x01\x07", 8, RM2_ERR_UNSUPPORTED, "version 1.7"},
        {"\x93NUMPY\x01\x00\x10", 9, RM2_ERR_FORMAT, "header length"},
        {"\x93NUMPY\x01\x00\xff\xff{", 11, RM2_ERR_FORMAT, "65535 bytes goes beyond"},
        {"\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13, RM2_ERR_FORMAT, "4294967295 bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rm2_array array;
        assert_int_equal(rm2i_npy_parse(f->ctx, "a.npy", cases[i].bytes, cases[i].size, &array),
                         cases[i].status);
        if (!strstr(rm2_context_error(f->ctx), cases[i].word))
            fail_msg("'%s' not in: %s", cases[i].word, rm2_context_error(f->ctx));
    }
}

static void bytes_after_the_array_are_warned_of(void **state) {
    fixture *f = *state;
    const double values[] = {1, 2, 3};
    expect_values(f, "{'descr': '=f8', " SHAPE2, values, sizeof values, values, 2);
    assert_non_null(strstr(f->log, "8 bytes after the array"));
}

static void files_and_pipes_are_read(void **state) {
    fixture *f = *state;
    double values[] = {1, 2.5, -3, 1e300, 0, -0.0};
    rm2_array array = {.dims = 2, .shape = {3, 2}, .values = values}, again;
    assert_int_equal(rm2_npy_write(f->ctx, f->path, &array, false), RM2_OK);
    assert_int_equal(rm2_npy_read(f->ctx, f->path, &again), RM2_OK);
    assert_int_equal(again.dims, 2);
    assert_int_equal(again.shape[0], 3);
    assert_memory_equal(again.values, values, sizeof values);
    assert_null(again.name);
    rm2_array_clear(&again);

    unsigned char file[256];
    FILE *stream = fopen(f->path, "rb");
    assert_non_null(stream);
    size_t size = fread(file, 1, sizeof file, stream);
    (void)fclose(stream);
    assert_int_equal(size, 128 + sizeof values); /* data begins at a multiple of 64 */
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], file, size), size);
    (void)close(ends[1]);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(rm2_npy_read(f->ctx, path, &again), RM2_OK);
    assert_memory_equal(again.values, values, sizeof values);
    rm2_array_clear(&again);
    (void)close(ends[0]);
}

static void odd_shapes_are_written(void **state) {
    fixture *f = *state;
    double value = 5;
    const rm2_array arrays[] = {
        {.dims = 0, .values = &value},
        {.dims = 1, .shape = {1}, .values = &value},
        {.dims = 2, .shape = {0, 3}},
        {.dims = 8, .shape = {1, 1, 1, 1, 1, 1, 1, 1}, .values = &value},
        {.dims = 8,
         .shape = {0, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX}}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        rm2_array again;
        assert_int_equal(rm2_npy_write(f->ctx, f->path, &arrays[i], true), RM2_OK);
        if (rm2_npy_read(f->ctx, f->path, &again) != RM2_OK)
            fail_msg("%s", rm2_context_error(f->ctx));
        assert_int_equal(again.dims, arrays[i].dims);
        assert_memory_equal(again.shape, arrays[i].shape, sizeof again.shape);
        rm2_array_clear(&again);
    }
}

static void bad_arguments_are_refused(void **state) {
    fixture *f = *state;
    double value = 5;
    rm2_array many = {.dims = 9, .values = &value}, none = {.dims = 1, .shape = {1}};
    rm2_array large = {.dims = 2, .shape = {SIZE_MAX, 2}, .values = &value}, array;
    assert_int_equal(rm2_npy_write(f->ctx, f->path, &many, false), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_npy_write(f->ctx, f->path, &none, false), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_npy_write(f->ctx, f->path, &large, false), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_npy_write(f->ctx, f->path, NULL, false), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_npy_read(f->ctx, f->path, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_npy_read(f->ctx, "/nowhere/a.npy", &array), RM2_ERR_IO);
    assert_non_null(strstr(rm2_context_error(f->ctx), "/nowhere/a.npy: No such file"));
    many = (rm2_array){.dims = 0, .values = &value};
    assert_int_equal(rm2_npy_write(f->ctx, "/dev/full", &many, true), RM2_ERR_IO);
    assert_non_null(strstr(rm2_context_error(f->ctx), "disk full"));
    assert_int_equal(rm2_array_count(NULL), 0);
    rm2_array_clear(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_type_is_read),
        TEST(half_nan_is_nan),
        TEST(fortran_order_is_turned),
        TEST(large_arrays_are_converted),
        TEST(versions_and_layouts_are_read),
        TEST(scalars_and_empty_arrays_are_read),
        TEST(types_that_are_no_numbers_are_refused),
        TEST(integers_beyond_doubles_are_refused),
        TEST(lying_headers_are_refused),
        TEST(broken_beginnings_are_refused),
        TEST(bytes_after_the_array_are_warned_of),
        TEST(files_and_pipes_are_read),
        TEST(odd_shapes_are_written),
        TEST(bad_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
