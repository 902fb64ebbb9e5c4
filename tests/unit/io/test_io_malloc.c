/* Every allocation of the readers and writers fails once: the status must be RM2_ERR_MEMORY, the
 * result empty, and nothing may leak. */
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
#include "array/npz.h"
#include "failing_malloc.h"
#include "front/arrays.h"

typedef struct fixture {
    rm2_context *ctx;
    char directory[64], path[96];
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(rm2_context_create(&f->ctx), RM2_OK);
    (void)strcpy(f->directory, "/tmp/rm2-test-malloc-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    (void)snprintf(f->path, sizeof f->path, "%s/file.npz", f->directory);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    (void)unlink(f->path);
    assert_int_equal(rmdir(f->directory), 0); /* no temporary file is left */
    rm2_context_free(f->ctx);
    free(f);
    return 0;
}

static void fail_every_allocation(fixture *f, allocating_fn call, long at_least) {
    assert_true(fail_each_allocation(f->ctx, call, f) >= at_least);
}

static rm2_status parse_csv(void *state) {
    fixture *f = state;
    static char text[20000];
    if (!text[0]) {
        size_t used = (size_t)sprintf(text, "id,x,\"a\"\"b\"\n");
        for (int i = 0; used < sizeof text - 40; i++)
            used += (size_t)sprintf(text + used, "\"n\"\"%d\",%d,1\n", i % 100, i);
    }
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.text = (const char *const[]){"id"};
    settings.text_count = 1;
    rm2_table table;
    rm2_status status = rm2_csv_parse(f->ctx, "t.csv", text, strlen(text), &settings, &table);
    assert_true(status == RM2_OK || (!table.values && !table.names && !table.texts));
    rm2_table_clear(&table);
    return status;
}

static rm2_status parse_npy(void *state) {
    fixture *f = state;
    static const char file[] = "\x93NUMPY\x01\x00\x3d\x00"
                               "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2), }   \n"
                               "abcd";
    rm2_array array;
    rm2_status status = rm2i_npy_parse(f->ctx, "a.npy", file, sizeof file - 1, &array);
    assert_true(status == RM2_OK || !array.values);
    rm2_array_clear(&array);
    return status;
}

static rm2_status parse_texts(void *state) {
    fixture *f = state;
    static const char file[] = "\x93NUMPY\x01\x00\x3c\x00"
                               "{'descr': '|S1', 'fortran_order': False, 'shape': (9,), }  \n"
                               "abcabdefg";
    rm2i_source source;
    rm2_texts texts;
    rm2i_source_memory(f->ctx, "a.npy", file, sizeof file - 1, &source);
    rm2_status status = rm2i_npy_load_texts(&source, NULL, &texts);
    assert_true(status == RM2_OK ? texts.distinct_count == 7 : !texts.codes && !texts.distinct);
    rm2_texts_clear(&texts);
    return status;
}

static rm2_status write_npz(void *state) {
    fixture *f = state;
    double value = 1;
    const rm2_array arrays[] = {{.name = "a", .dims = 0, .shape = {0}, .values = &value},
                                {.name = NULL, .dims = 1, .shape = {1}, .values = &value}};
    return rm2_npz_write(f->ctx, f->path, arrays, 2, true);
}

static rm2_status read_npz(void *state) {
    fixture *f = state;
    rm2_array *arrays;
    size_t count;
    rm2_status status = rm2i_npz_read(f->ctx, f->path, &arrays, &count);
    assert_true(status == RM2_OK || (!arrays && count == 0));
    rm2i_arrays_free(arrays, count);
    return status;
}

static rm2_status read_deflated(void *state) {
    fixture *f = state;
    /* the array [0., 1.] as np.savez_compressed writes it */
    static const unsigned char file[] = {
        0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xee,
        0x55, 0x68, 0x8a, 0x49, 0x00, 0x00, 0x00, 0x90, 0x00, 0x00, 0x00, 0x05, 0x00, 0x14, 0x00,
        0x61, 0x2e, 0x6e, 0x70, 0x79, 0x01, 0x00, 0x10, 0x00, 0x90, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x49, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b,
        0x10, 0xc9, 0xc8, 0x50, 0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c, 0xa4, 0x6e, 0xa5,
        0xa0, 0x6e, 0x93, 0x66, 0xa1, 0xae, 0xa3, 0xa0, 0x9e, 0x96, 0x5f, 0x54, 0x52, 0x94, 0x98,
        0x17, 0x9f, 0x5f, 0x94, 0x92, 0x0a, 0x12, 0x77, 0x4b, 0xcc, 0x29, 0x4e, 0x05, 0x8a, 0x17,
        0x67, 0x24, 0x16, 0xa4, 0x02, 0xf9, 0x1a, 0x46, 0x3a, 0x9a, 0x3a, 0x0a, 0xb5, 0x0a, 0x14,
        0x00, 0x2e, 0x06, 0x14, 0xf0, 0xc1, 0x1e, 0x00, 0x50, 0x4b, 0x01, 0x02, 0x14, 0x03, 0x14,
        0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xee, 0x55, 0x68, 0x8a, 0x49, 0x00,
        0x00, 0x00, 0x90, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x61, 0x2e, 0x6e, 0x70, 0x79, 0x50,
        0x4b, 0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x33, 0x00, 0x00, 0x00,
        0x80, 0x00, 0x00, 0x00, 0x00, 0x00,
    };
    rm2_array *arrays;
    size_t count;
    rm2_status status = rm2i_npz_parse(f->ctx, "d.npz", file, sizeof file, &arrays, &count);
    assert_true(status == RM2_OK || (!arrays && count == 0));
    rm2i_arrays_free(arrays, count);
    return status;
}

/* A pipe is spooled into memory; one is filled for each try. */
static rm2_status read_npy_from_pipe(void *state) {
    fixture *f = state;
    static const char file[] = "\x93NUMPY\x01\x00\x3d\x00"
                               "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }  \n"
                               "abcd";
    int ends[2];
    char path[32];
    rm2_array array;
    if (pipe(ends) != 0 || write(ends[1], file, sizeof file - 1) != (ssize_t)sizeof file - 1)
        return RM2_ERR_IO;
    (void)close(ends[1]);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    rm2_status status = rm2_npy_read(f->ctx, path, &array);
    assert_true(status == RM2_OK || !array.values);
    rm2_array_clear(&array);
    (void)close(ends[0]);
    return status;
}

static rm2_status write_csv(void *state) {
    fixture *f = state;
    double values[] = {1, 2};
    rm2_table table = {.rows = 1, .columns = 2, .values = values};
    return rm2_csv_write(f->ctx, f->path, &table, true);
}

/* The least number of allocations each call needs is known from what it must hold. */
static void csv_reader_survives(void **state) {
    fail_every_allocation(*state, parse_csv, 100); /* one for each distinct text */
}

static void npy_reader_survives(void **state) {
    fail_every_allocation(*state, parse_npy, 3); /* header, values, conversion buffer */
}

static void npy_reader_survives_on_a_pipe(void **state) {
    fail_every_allocation(*state, read_npy_from_pipe, 4);
}

static void text_reader_survives(void **state) {
    fail_every_allocation(*state, parse_texts, 12);
}

static void npz_writer_and_reader_survive(void **state) {
    fail_every_allocation(*state, write_npz, 6);
    fail_every_allocation(*state, read_npz, 10);
}

static void npz_reader_survives_deflate(void **state) {
    fail_every_allocation(*state, read_deflated, 8);
}

/* Text that did not fit is never a text with gaps. */
static rm2_status print_text(void *state) {
    const fixture *f = state;
    rm2_writer *stream;
    char *text;
    size_t size;
    RM2_TRY(rm2_writer_open_memory(f->ctx, &stream));
    for (int k = 0; k < 10000; k++)
        (void)fprintf(rm2_writer_stream(stream), "%04d\n", k);
    rm2_status status = rm2_writer_consume(f->ctx, stream, &text, &size);
    assert_true(status == RM2_OK ? size == 50000 : !text);
    rm2_free(text);
    return status;
}

static void text_streams_survive(void **state) {
    fail_every_allocation(*state, print_text, 5);
}

static void csv_writer_survives(void **state) {
    fail_every_allocation(*state, write_csv, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(csv_reader_survives),           TEST(npy_reader_survives),
        TEST(npy_reader_survives_on_a_pipe), TEST(npz_writer_and_reader_survive),
        TEST(npz_reader_survives_deflate),   TEST(csv_writer_survives),
        TEST(text_reader_survives),          TEST(text_streams_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
