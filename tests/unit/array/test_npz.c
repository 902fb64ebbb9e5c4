/* .npz files: what NumPy writes, what this library writes, and archives that are damaged or lie.
 * Archives for the refusals are made here, with every field of the zip records in reach. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "array/npz.h"
#include "front/arrays.h"
#include "zip_forge.h"

enum { LOCAL = 30, ENTRY = 46, END = 22 };

/* np.savez_compressed(file, a=np.arange(3.), b=np.zeros((2, 50))) of NumPy 1.24: 64-bit extra
 * fields in the local headers, deflated. */
static const unsigned char from_numpy[] = {
    0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0x24, 0x21,
    0xe1, 0x2b, 0x4c, 0x00, 0x00, 0x00, 0x98, 0x00, 0x00, 0x00, 0x05, 0x00, 0x14, 0x00, 0x61, 0x2e,
    0x6e, 0x70, 0x79, 0x01, 0x00, 0x10, 0x00, 0x98, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x4c,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b, 0x10, 0xc9, 0xc8, 0x50,
    0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c, 0xa4, 0x6e, 0xa5, 0xa0, 0x6e, 0x93, 0x66, 0xa1,
    0xae, 0xa3, 0xa0, 0x9e, 0x96, 0x5f, 0x54, 0x52, 0x94, 0x98, 0x17, 0x9f, 0x5f, 0x94, 0x92, 0x0a,
    0x12, 0x77, 0x4b, 0xcc, 0x29, 0x4e, 0x05, 0x8a, 0x17, 0x67, 0x24, 0x16, 0xa4, 0x02, 0xf9, 0x1a,
    0xc6, 0x3a, 0x9a, 0x3a, 0x0a, 0xb5, 0x0a, 0x14, 0x00, 0x2e, 0x06, 0x14, 0xf0, 0xc1, 0x1e, 0xca,
    0x70, 0x00, 0x00, 0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21,
    0x00, 0xba, 0x1e, 0x80, 0x4b, 0x4f, 0x00, 0x00, 0x00, 0xa0, 0x03, 0x00, 0x00, 0x05, 0x00, 0x14,
    0x00, 0x62, 0x2e, 0x6e, 0x70, 0x79, 0x01, 0x00, 0x10, 0x00, 0xa0, 0x03, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x4f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x9b, 0xec, 0x17, 0xea, 0x1b, 0x10,
    0xc9, 0xc8, 0x50, 0xc6, 0x50, 0xad, 0x9e, 0x92, 0x5a, 0x9c, 0x5c, 0xa4, 0x6e, 0xa5, 0xa0, 0x6e,
    0x93, 0x66, 0xa1, 0xae, 0xa3, 0xa0, 0x9e, 0x96, 0x5f, 0x54, 0x52, 0x94, 0x98, 0x17, 0x9f, 0x5f,
    0x94, 0x92, 0x0a, 0x12, 0x77, 0x4b, 0xcc, 0x29, 0x4e, 0x05, 0x8a, 0x17, 0x67, 0x24, 0x16, 0xa4,
    0x02, 0xf9, 0x1a, 0x46, 0x3a, 0x0a, 0xa6, 0x06, 0x9a, 0x3a, 0x0a, 0xb5, 0x0a, 0xe4, 0x02, 0x2e,
    0x86, 0x51, 0x30, 0x0a, 0x46, 0x01, 0x4e, 0x00, 0x00, 0x50, 0x4b, 0x01, 0x02, 0x14, 0x03, 0x14,
    0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0x24, 0x21, 0xe1, 0x2b, 0x4c, 0x00, 0x00,
    0x00, 0x98, 0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x61, 0x2e, 0x6e, 0x70, 0x79, 0x50, 0x4b, 0x01, 0x02,
    0x14, 0x03, 0x14, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0xba, 0x1e, 0x80, 0x4b,
    0x4f, 0x00, 0x00, 0x00, 0xa0, 0x03, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x80, 0x01, 0x83, 0x00, 0x00, 0x00, 0x62, 0x2e, 0x6e, 0x70, 0x79, 0x50,
    0x4b, 0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x02, 0x00, 0x66, 0x00, 0x00, 0x00, 0x09,
    0x01, 0x00, 0x00, 0x00, 0x00,
};

typedef struct fixture {
    rm2_context *ctx;
    char directory[64], path[96];
    zip_forge zip;
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(rm2_context_create(&f->ctx), RM2_OK);
    (void)strcpy(f->directory, "/tmp/rm2-test-npz-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    (void)snprintf(f->path, sizeof f->path, "%s/a.npz", f->directory);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    (void)unlink(f->path);
    (void)rmdir(f->directory);
    rm2_context_free(f->ctx);
    free(f);
    return 0;
}

/* Overwrite a field of a record made before. */
static void poke(zip_forge *zip, size_t at, uint64_t value, size_t bytes) {
    size_t size = zip->size;
    zip->size = at;
    zip_put(zip, value, bytes);
    zip->size = size;
}

/* An archive with one entry. Its directory entry lies at f->zip.directory_at. */
static void make_archive(fixture *f, const char *name, unsigned method, const void *data,
                         size_t size) {
    zip_member only = {.name = name, .data = data, .size = size};
    f->zip.size = 0;
    zip_put_member(&f->zip, method, &only);
    zip_put_directory(&f->zip, method, &only, 1);
}

/* A .npy file of `count` doubles i = 0, 1, ..., or zeros; returns its size. */
static size_t make_npy(unsigned char *bytes, size_t count, bool zeros) {
    char header[128];
    int length = snprintf(header, sizeof header,
                          "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu,), }\n", count);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (unsigned char)length;
    bytes[9] = 0;
    memcpy(bytes + 10, header, (size_t)length);
    for (size_t i = 0; i < count; i++) {
        double value = zeros ? 0 : (double)i;
        memcpy(bytes + 10 + length + 8 * i, &value, sizeof value);
    }
    return 10 + (size_t)length + 8 * count;
}

static void make_sample(fixture *f, unsigned method) {
    unsigned char npy[512];
    make_archive(f, "a.npy", method, npy, make_npy(npy, 5, false));
}

static void expect_sample(fixture *f) {
    rm2_array *arrays;
    size_t count;
    if (rm2i_npz_parse(f->ctx, "a.npz", f->zip.bytes, f->zip.size, &arrays, &count) != RM2_OK)
        fail_msg("%s", rm2_context_error(f->ctx));
    assert_int_equal(count, 1);
    assert_string_equal(arrays[0].name, "a");
    assert_int_equal(arrays[0].shape[0], 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(arrays[0].values[i] == (double)i);
    rm2i_arrays_free(arrays, count);
}

static void expect_refusal(fixture *f, rm2_status expected, const char *word) {
    rm2_array *arrays;
    size_t count;
    rm2_status status = rm2i_npz_parse(f->ctx, "a.npz", f->zip.bytes, f->zip.size, &arrays, &count);
    const char *message = rm2_context_error(f->ctx);
    if (status != expected || !strstr(message, word) || !strstr(message, "a.npz"))
        fail_msg("status %d, '%s' expected in: %s", (int)status, word, message);
    assert_null(arrays);
    assert_int_equal(count, 0);
}

/* ---- what is read --------------------------------------------------------------------------- */

static void archives_of_numpy_are_read(void **state) {
    fixture *f = *state;
    rm2_array *arrays;
    size_t count;
    if (rm2i_npz_parse(f->ctx, "n", from_numpy, sizeof from_numpy, &arrays, &count) != RM2_OK)
        fail_msg("%s", rm2_context_error(f->ctx));
    assert_int_equal(count, 2);
    assert_string_equal(arrays[0].name, "a");
    assert_string_equal(arrays[1].name, "b");
    assert_int_equal(arrays[0].dims, 1);
    assert_int_equal(arrays[1].shape[1], 50);
    for (size_t i = 0; i < 3; i++)
        assert_true(arrays[0].values[i] == (double)i);
    for (size_t i = 0; i < 100; i++)
        assert_true(arrays[1].values[i] == 0);
    rm2i_arrays_free(arrays, count);
}

/* Zeros in single precision are unpacked in pieces: the last bytes of the packed data may be used up while zeros are still
 * to come. */
static void packed_data_may_end_before_the_numbers(void **state) {
    enum { PIECE = 8192, MORE = 400, STEP = 3 };
    static unsigned char npy[256 + 8 * (PIECE + MORE)];
    fixture *f = *state;
    for (size_t n = PIECE; n < PIECE + MORE; n += STEP) {
        rm2_array *arrays;
        size_t count, size = make_npy(npy, n, true) - 4 * n;
        strstr((char *)npy + 10, "f8")[1] = '4';
        make_archive(f, "a.npy", 8, npy, size);
        if (rm2i_npz_parse(f->ctx, "a.npz", f->zip.bytes, f->zip.size, &arrays, &count) != RM2_OK)
            fail_msg("%zu zeros: %s", n, rm2_context_error(f->ctx));
        assert_int_equal(rm2_array_count(&arrays[0]), n);
        rm2i_arrays_free(arrays, count);
    }
}

static void stored_and_deflated_entries_are_read(void **state) {
    fixture *f = *state;
    make_sample(f, 0);
    expect_sample(f);
    make_sample(f, 8);
    expect_sample(f);
    f->zip.bytes[f->zip.size - 2] = 7; /* a comment behind the directory */
    zip_put_bytes(&f->zip, "PK\x05\x06 no", 7);
    expect_sample(f);
}

static void large_entries_are_unpacked(void **state) {
    fixture *f = *state;
    static unsigned char npy[8 * 40000 + 256];
    make_archive(f, "zeros.npy", 8, npy, make_npy(npy, 40000, true));
    rm2_array *arrays;
    size_t count;
    assert_int_equal(rm2i_npz_parse(f->ctx, "z", f->zip.bytes, f->zip.size, &arrays, &count),
                     RM2_OK);
    assert_int_equal(rm2_array_count(&arrays[0]), 40000);
    assert_true(arrays[0].values[39999] == 0);
    rm2i_arrays_free(arrays, count);
}

/* Warnings with a text. */
typedef struct expected {
    const char *text;
    size_t warnings;
} expected;

static void count_warnings(void *user, rm2_log_level level, const char *line) {
    expected *e = user;
    e->warnings += level == RM2_LOG_WARNING && strstr(line, e->text);
}

static void names_that_come_twice_are_reported(void **state) {
    fixture *f = *state;
    unsigned char first[512], second[512];
    zip_member members[] = {{.name = "a.npy", .data = first, .size = make_npy(first, 3, false)},
                            {.name = "b.npy", .data = second, .size = make_npy(second, 2, true)},
                            {.name = "a.npy", .data = second, .size = make_npy(second, 2, true)}};
    expected e = {.text = "twins.npz: the name 'a' appears more than once"};
    rm2i_npz *npz;
    rm2_array array;
    f->zip.size = 0;
    for (size_t k = 0; k < 3; k++)
        zip_put_member(&f->zip, 0, &members[k]);
    zip_put_directory(&f->zip, 0, members, 3);
    rm2_context_set_log(f->ctx, count_warnings, &e);
    assert_int_equal(rm2i_npz_open_bytes(f->ctx, "twins.npz", f->zip.bytes, f->zip.size, &npz),
                     RM2_OK);
    rm2_context_set_log(f->ctx, NULL, NULL);
    assert_int_equal(e.warnings, 1);
    assert_int_equal(rm2i_npz_array(f->ctx, npz, rm2i_npz_find(npz, "a"), &array), RM2_OK);
    assert_int_equal(array.shape[0], 3);
    rm2_array_clear(&array);
    rm2i_npz_close(npz);
}

static void write_bytes(const fixture *f) {
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(f->zip.bytes, 1, f->zip.size, file), f->zip.size);
    assert_int_equal(fclose(file), 0);
}

/* An array of a file is often chosen because no other fits: one whose bytes are wrong must not be passed over in silence. */
static void damage_of_other_arrays_is_reported_once(void **state) {
    fixture *f = *state;
    unsigned char good[512], cut[512];
    zip_member members[] = {{.name = "good.npy", .data = good, .size = make_npy(good, 3, false)},
                            {.name = "cut.npy", .data = cut, .size = make_npy(cut, 3, false) - 8}};
    expected e = {.text = "array 'cut': the header announces 3 elements"};
    rm2_archive *archive;
    rm2_array array;
    f->zip.size = 0;
    for (size_t k = 0; k < 2; k++)
        zip_put_member(&f->zip, 0, &members[k]);
    zip_put_directory(&f->zip, 0, members, 2);
    write_bytes(f);
    rm2_context_set_log(f->ctx, count_warnings, &e);
    assert_int_equal(rm2_archive_open(f->ctx, f->path, &archive), RM2_OK);
    assert_int_equal(e.warnings, 0); /* who asks for it gets an error */
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(rm2_archive_array(f->ctx, archive, 0, &array), RM2_OK);
        rm2_array_clear(&array);
        assert_int_equal(e.warnings, 1);
    }
    assert_int_not_equal(rm2_archive_array(f->ctx, archive, 1, &array), RM2_OK);
    rm2_context_set_log(f->ctx, NULL, NULL);
    rm2_archive_close(archive);
}

/* The same archive with its numbers in the 64-bit records, as in files above 4 GiB. */
static void zip64_records_are_read(void **state) {
    fixture *f = *state;
    make_sample(f, 0);
    unsigned char directory[ENTRY + 5];
    size_t start = f->zip.directory_at, size = f->zip.bytes[start + 24];
    memcpy(directory, f->zip.bytes + start, sizeof directory);
    f->zip.size = start;
    zip_put_bytes(&f->zip, directory, sizeof directory);
    poke(&f->zip, start + 20, UINT32_MAX, 4);
    poke(&f->zip, start + 24, UINT32_MAX, 4);
    poke(&f->zip, start + 30, 4 + 4 + 28, 2);
    poke(&f->zip, start + 42, UINT32_MAX, 4);
    zip_put(&f->zip, 0x9999, 2); /* an extra field of someone else */
    zip_put(&f->zip, 0, 2);
    zip_put(&f->zip, 1, 2);
    zip_put(&f->zip, 28, 2);
    zip_put(&f->zip, size, 8);
    zip_put(&f->zip, size, 8);
    zip_put(&f->zip, 0, 8);
    zip_put(&f->zip, 0, 4); /* disk */
    size_t end = f->zip.size;
    zip_put(&f->zip, 0x06064b50, 4);
    zip_put(&f->zip, 44, 8);
    zip_put(&f->zip, 0, 12);
    zip_put(&f->zip, 1, 8);
    zip_put(&f->zip, 1, 8);
    zip_put(&f->zip, end - start, 8);
    zip_put(&f->zip, start, 8);
    zip_put(&f->zip, 0x07064b50, 4);
    zip_put(&f->zip, 0, 4);
    zip_put(&f->zip, end, 8);
    zip_put(&f->zip, 1, 4);
    zip_put(&f->zip, 0x06054b50, 4);
    zip_put(&f->zip, 0, 4);
    zip_put(&f->zip, UINT16_MAX, 2);
    zip_put(&f->zip, UINT16_MAX, 2);
    zip_put(&f->zip, UINT32_MAX, 4);
    zip_put(&f->zip, UINT32_MAX, 4);
    zip_put(&f->zip, 0, 2);
    expect_sample(f);
    poke(&f->zip, start + 20, size,
         4); /* only the numbers that are all ones stand in the extra field */
    poke(&f->zip, start + ENTRY + 5 + 4 + 4 + 8, 0, 8);
    poke(&f->zip, start + ENTRY + 5 + 4 + 4 + 16, UINT64_MAX, 8);
    expect_sample(f);
    size_t locator = f->zip.size - END - 20;
    poke(&f->zip, locator + 8, f->zip.size, 8);
    expect_refusal(f, RM2_ERR_FORMAT, "64-bit directory record");
    poke(&f->zip, locator, 0, 4);
    expect_refusal(f, RM2_ERR_FORMAT, "64-bit directory record");
}

static void written_archives_are_read_back(void **state) {
    fixture *f = *state;
    double values[] = {1, 2.5, -3, 1e300, 0, -0.0};
    const rm2_array arrays[] = {
        {.name = "points", .dims = 2, .shape = {3, 2}, .values = values},
        {.name = "\xc3\xa9t\xc3\xa9/x", .dims = 0, .shape = {0}, .values = values},
        {.name = NULL, .dims = 1, .shape = {0}, .values = NULL}};
    const char *const names[] = {"points", "\xc3\xa9t\xc3\xa9/x", "arr_2"};
    assert_int_equal(rm2_npz_write(f->ctx, f->path, arrays, 3, false), RM2_OK);
    rm2_array *again;
    size_t count;
    assert_int_equal(rm2i_npz_read(f->ctx, f->path, &again, &count), RM2_OK);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(again[i].name, names[i]);
        assert_int_equal(again[i].dims, arrays[i].dims);
    }
    assert_memory_equal(again[0].values, values, sizeof values);
    rm2i_arrays_free(again, count);
}

/* Whole numbers, as NumPy's int64; others are refused. */
static void integers_are_written(void **state) {
    fixture *f = *state;
    double values[] = {0, -7, 0x1p53};
    rm2_array array = {.name = "n", .dims = 1, .shape = {3}, .values = values, .integers = true};
    rm2i_npz *npz;
    rm2_array again;
    rm2i_npy_header header;
    assert_int_equal(rm2_npz_write(f->ctx, f->path, &array, 1, false), RM2_OK);
    assert_int_equal(rm2i_npz_open(f->ctx, f->path, &npz), RM2_OK);
    assert_int_equal(rm2i_npz_header(f->ctx, npz, 0, &header), RM2_OK);
    assert_true(header.type.kind == RM2I_NPY_SIGNED && header.type.size == 8);
    assert_int_equal(rm2i_npz_array(f->ctx, npz, 0, &again), RM2_OK);
    assert_memory_equal(again.values, values, sizeof values);
    rm2_array_clear(&again);
    rm2i_npz_close(npz);
    values[1] = 0.5;
    assert_int_equal(rm2_npz_write(f->ctx, f->path, &array, 1, true), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(f->ctx), "entry 1 of an array of integers is 0.5"));
    values[1] = 0x1p54;
    assert_int_equal(rm2_npz_write(f->ctx, f->path, &array, 1, true), RM2_ERR_ARGUMENT);
}

/* An array in pieces between two others: the bytes of the values are those of the array written whole. */
static void pieces_are_an_array(void **state) {
    fixture *f = *state;
    enum { COUNT = 1000 };
    double values[COUNT], more[COUNT];
    const rm2_array small = {.name = "a", .dims = 1, .shape = {2}, .values = values},
                    last = {.name = "z", .dims = 0, .values = values};
    rm2i_npz_writer *w;
    rm2_writer *file;
    rm2_array *again;
    size_t count;
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (double)(i * i);
    assert_int_equal(rm2_writer_open(f->ctx, f->path, false, &file), RM2_OK);
    assert_int_equal(rm2i_npz_begin(f->ctx, rm2_writer_stream(file), f->path, &w), RM2_OK);
    assert_int_equal(rm2i_npz_put(f->ctx, w, &small), RM2_OK);
    assert_int_equal(rm2i_npz_announce(f->ctx, w, "none", 0), RM2_OK);
    assert_int_equal(rm2i_npz_announce(f->ctx, w, "many", COUNT), RM2_OK);
    for (size_t i = 0; i < COUNT; i += 250) {
        assert_int_equal(rm2i_npz_put(f->ctx, w, &last), RM2_ERR_ARGUMENT);
        assert_int_equal(rm2i_npz_end(f->ctx, w), RM2_ERR_ARGUMENT);
        assert_non_null(strstr(rm2_context_error(f->ctx), "values fewer than announced"));
        assert_int_equal(rm2i_npz_put_piece(f->ctx, w, COUNT + 1, more), RM2_ERR_ARGUMENT);
        assert_int_equal(rm2i_npz_put_piece(f->ctx, w, 250, values + i), RM2_OK);
    }
    assert_int_equal(rm2i_npz_put_piece(f->ctx, w, 1, values), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_npz_put(f->ctx, w, &last), RM2_OK);
    assert_int_equal(rm2i_npz_end(f->ctx, w), RM2_OK);
    rm2i_npz_writer_free(w);
    assert_int_equal(rm2_writer_commit(f->ctx, file), RM2_OK);
    assert_int_equal(rm2i_npz_read(f->ctx, f->path, &again, &count), RM2_OK);
    assert_int_equal(count, 4);
    assert_int_equal(again[1].shape[0], 0);
    assert_int_equal(again[2].shape[0], COUNT);
    assert_memory_equal(again[2].values, values, sizeof values);
    rm2i_arrays_free(again, count);
    rm2i_npz *npz;
    assert_int_equal(rm2i_npz_open(f->ctx, f->path, &npz), RM2_OK);
    assert_int_equal(rm2i_npz_verify(f->ctx, npz, 2), RM2_OK);
    assert_int_equal(
        rm2i_npz_load(f->ctx, npz, 2, &(rm2i_npy_span){300, 7}, again = &(rm2_array){0}), RM2_OK);
    assert_memory_equal(again->values, values + 300, 7 * sizeof *values);
    rm2_array_clear(again);
    rm2i_npz_close(npz);
}

static size_t read_whole(const char *path, unsigned char *bytes, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    assert_int_equal(fclose(file), 0);
    return size;
}

static void the_same_arrays_give_the_same_bytes(void **state) {
    fixture *f = *state;
    double values[] = {1, 2};
    const rm2_array array = {.name = "a", .dims = 1, .shape = {2}, .values = values};
    unsigned char first[1024], second[1024];
    assert_int_equal(rm2_npz_write(f->ctx, f->path, &array, 1, false), RM2_OK);
    size_t size = read_whole(f->path, first, sizeof first);
    assert_int_equal(rm2_npz_write(f->ctx, f->path, &array, 1, true), RM2_OK);
    assert_int_equal(read_whole(f->path, second, sizeof second), size);
    assert_memory_equal(first, second, size);
    assert_int_equal(first[12] | first[13] << 8, 0x21); /* 1980-01-01 */
}

/* More entries than a 16-bit number can count. */
static void many_arrays_are_written_and_read(void **state) {
    fixture *f = *state;
    enum { COUNT = 66000 };
    double value = 3;
    rm2_array *arrays = calloc(COUNT, sizeof *arrays), *again;
    assert_non_null(arrays);
    for (size_t i = 0; i < COUNT; i++)
        arrays[i].values = &value;
    assert_int_equal(rm2_npz_write(f->ctx, f->path, arrays, COUNT, false), RM2_OK);
    free(arrays);
    size_t count;
    assert_int_equal(rm2i_npz_read(f->ctx, f->path, &again, &count), RM2_OK);
    assert_int_equal(count, COUNT);
    assert_string_equal(again[COUNT - 1].name, "arr_65999");
    assert_true(again[COUNT - 1].values[0] == 3);
    rm2i_arrays_free(again, count);
}

static void pipes_are_read(void **state) {
    fixture *f = *state;
    int ends[2];
    char path[32];
    rm2_array *arrays;
    size_t count;
    make_sample(f, 8);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], f->zip.bytes, f->zip.size), f->zip.size);
    (void)close(ends[1]);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(rm2i_npz_read(f->ctx, path, &arrays, &count), RM2_OK);
    assert_int_equal(count, 1);
    rm2i_arrays_free(arrays, count);
    (void)close(ends[0]);
}

/* Texts, numbers, pickled objects and a text beside them. */
static void make_mixed(fixture *f, unsigned method) {
#define HEADER(descr)                                                                              \
    "\x93NUMPY\x01\0\x39\0{'descr': '" descr "', 'fortran_order': False, 'shape': (4,), }"
    static const char texts[] = HEADER("|S2") "b\0ab\0\0b\0";
    static const char objects[] = HEADER("|O8") "junk";
#undef HEADER
    unsigned char npy[512];
    zip_member members[] = {{.name = "who.npy", .data = texts, .size = sizeof texts - 1},
                            {.name = "note.txt", .data = "hello", .size = 5},
                            {.name = "x.npy", .data = npy, .size = make_npy(npy, 5, false)},
                            {.name = "any.npy", .data = objects, .size = sizeof objects - 1}};
    f->zip.size = 0;
    for (size_t i = 0; i < 4; i++)
        zip_put_member(&f->zip, method, &members[i]);
    zip_put_directory(&f->zip, method, members, 4);
}

static void expect_mixed(fixture *f, rm2i_npz *npz) {
    rm2_array array;
    rm2_texts texts;
    bool are_texts = false;
    assert_int_equal(rm2i_npz_holds_texts(f->ctx, npz, 0, &are_texts), RM2_OK);
    assert_true(are_texts);
    if (rm2i_npz_get_texts(f->ctx, npz, 0, &texts) != RM2_OK)
        fail_msg("%s", rm2_context_error(f->ctx));
    assert_memory_equal(texts.codes, ((size_t[]){0, 1, 2, 0}), 4 * sizeof(size_t));
    assert_int_equal(texts.distinct_count, 3);
    assert_string_equal(texts.distinct[0], "b");
    assert_string_equal(texts.distinct[1], "ab");
    assert_string_equal(texts.distinct[2], "");
    rm2_texts_clear(&texts);
    assert_int_equal(rm2i_npz_holds_texts(f->ctx, npz, 1, &are_texts), RM2_OK);
    assert_false(are_texts);
    assert_int_equal(rm2i_npz_array(f->ctx, npz, 1, &array), RM2_OK);
    assert_string_equal(array.name, "x");
    assert_int_equal(array.shape[0], 5);
    assert_true(array.values[4] == 4);
    rm2_array_clear(&array);
}

static void arrays_are_read_one_at_a_time(void **state) {
    fixture *f = *state;
    for (unsigned method = 0; method <= 8; method += 8) {
        rm2i_npz *npz;
        make_mixed(f, method);
        if (rm2i_npz_open_bytes(f->ctx, "a.npz", f->zip.bytes, f->zip.size, &npz) != RM2_OK)
            fail_msg("%s", rm2_context_error(f->ctx));
        assert_int_equal(rm2i_npz_count(npz), 3);
        assert_string_equal(rm2i_npz_name(npz, 2), "any");
        assert_null(rm2i_npz_name(npz, 3));
        assert_int_equal(rm2i_npz_find(npz, "x"), 1);
        assert_int_equal(rm2i_npz_find(npz, "note"), SIZE_MAX);
        expect_mixed(f, npz);
        rm2i_npz_close(npz);
        expect_refusal(f, RM2_ERR_UNSUPPORTED, "array 'who': the array holds texts");
    }
    rm2i_npz_close(NULL);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void damaged_archives_are_refused(void **state) {
    fixture *f = *state;
    expect_refusal(f, RM2_ERR_FORMAT, "no zip directory");
    make_sample(f, 0);
    f->zip.size -= 1;
    expect_refusal(f, RM2_ERR_FORMAT, "no zip directory");
    make_sample(f, 0);
    f->zip.bytes[LOCAL + 5 + 100] ^= 1; /* data */
    expect_refusal(f, RM2_ERR_FORMAT, "checksum");
    make_sample(f, 8);
    memset(f->zip.bytes + LOCAL + 5, 0xff, 20);
    expect_refusal(f, RM2_ERR_FORMAT, "packed data is damaged");
    make_sample(f, 0);
    f->zip.bytes[0] = 'X';
    expect_refusal(f, RM2_ERR_FORMAT, "not an entry");
    make_sample(f, 0);
    poke(&f->zip, f->zip.directory_at, 0, 4);
    expect_refusal(f, RM2_ERR_FORMAT, "directory is malformed");
    make_sample(f, 0);
    poke(&f->zip, f->zip.directory_at + 28, 60000, 2); /* length of the name */
    expect_refusal(f, RM2_ERR_FORMAT, "directory is malformed");
    make_sample(f, 0);
    poke(&f->zip, f->zip.directory_at + 42, f->zip.size - 8, 4); /* offset */
    expect_refusal(f, RM2_ERR_FORMAT, "ends within");
    make_sample(f, 0);
    poke(&f->zip, f->zip.size - 6, f->zip.size, 4); /* offset of the directory */
    expect_refusal(f, RM2_ERR_FORMAT, "does not fit");
    make_sample(f, 0);
    poke(&f->zip, f->zip.size - 12, 9999, 2); /* number of entries */
    expect_refusal(f, RM2_ERR_FORMAT, "does not fit");
}

static void sizes_that_lie_are_refused(void **state) {
    fixture *f = *state;
    make_sample(f, 0);
    poke(&f->zip, f->zip.directory_at + 24, 4000000000u, 4);
    expect_refusal(f, RM2_ERR_FORMAT, "contradict");
    make_sample(f, 8);
    poke(&f->zip, f->zip.directory_at + 24, 4000000000u, 4); /* beyond what deflate can do */
    expect_refusal(f, RM2_ERR_FORMAT, "contradict");
    make_sample(f, 0);
    poke(&f->zip, f->zip.directory_at + 20, 4000000000u, 4);
    expect_refusal(f, RM2_ERR_FORMAT, "more bytes than the file");
    make_sample(f, 8);
    size_t size = f->zip.bytes[f->zip.directory_at + 24];
    poke(&f->zip, f->zip.directory_at + 24, size - 8, 4); /* one double fewer than packed */
    expect_refusal(f, RM2_ERR_FORMAT, "announces 5 elements");
    make_sample(f, 8);
    poke(&f->zip, f->zip.directory_at + 24, size + 8, 4);
    expect_refusal(f, RM2_ERR_FORMAT, "after the array");
    make_sample(f, 8);
    poke(&f->zip, f->zip.directory_at + 20, f->zip.bytes[f->zip.directory_at + 20] - 4u, 4);
    expect_refusal(f, RM2_ERR_FORMAT, "ends too early");
}

/* A header that promises fewer elements than are packed. */
static void entries_must_match_their_header(void **state) {
    fixture *f = *state;
    unsigned char npy[512];
    size_t size = make_npy(npy, 5, false);
    for (unsigned method = 0; method <= 8; method += 8) {
        make_archive(f, "a.npy", method, npy, size + 8);
        expect_refusal(f, RM2_ERR_FORMAT, "array 'a': there are bytes after the array");
    }
    make_archive(f, "a.npy", 8, npy, size + 8);
    poke(&f->zip, f->zip.directory_at + 24, size, 4);
    expect_refusal(f, RM2_ERR_FORMAT, "more than the size in the zip directory");
}

/* Local headers have the names of the directory, and no byte belongs to two entries. */
static void entries_stand_apart(void **state) {
    fixture *f = *state;
    make_mixed(f, 0);
    size_t second = f->zip.directory_at + 46 + strlen("who.npy");
    f->zip.bytes[LOCAL] ^= 1;
    expect_refusal(f, RM2_ERR_FORMAT, "another name than in the directory");
    make_mixed(f, 0);
    poke(&f->zip, 26, 6, 2);
    expect_refusal(f, RM2_ERR_FORMAT, "another name than in the directory");
    make_mixed(f, 0);
    poke(&f->zip, second + 42, 0, 4); /* the second entry is the first */
    expect_refusal(f, RM2_ERR_FORMAT, "beyond the next one");
    make_mixed(f, 0);
    poke(&f->zip, 28, 1, 2); /* extras that shift the data into the next entry */
    expect_refusal(f, RM2_ERR_FORMAT, "beyond the next one");
    make_mixed(f, 0);
    poke(&f->zip, f->zip.size - 6, f->zip.directory_at - 1, 4); /* the directory in the last one */
    expect_refusal(f, RM2_ERR_FORMAT, "");
}

static void unknown_methods_are_refused(void **state) {
    fixture *f = *state;
    make_sample(f, 0);
    poke(&f->zip, f->zip.directory_at + 8, 1, 2);
    expect_refusal(f, RM2_ERR_UNSUPPORTED, "'a.npy' is encrypted");
    make_sample(f, 0);
    poke(&f->zip, f->zip.directory_at + 10, 14, 2);
    expect_refusal(f, RM2_ERR_UNSUPPORTED, "method");
}

static void archives_without_arrays_are_refused(void **state) {
    fixture *f = *state;
    make_archive(f, "readme.txt", 0, "hello", 5);
    expect_refusal(f, RM2_ERR_FORMAT, "no arrays");
    make_archive(f, "a.npy", 0, "hello", 5);
    expect_refusal(f, RM2_ERR_FORMAT, "array 'a'");
}

static void arrays_of_another_kind_are_refused(void **state) {
    fixture *f = *state;
    rm2i_npz *npz;
    rm2_array array;
    rm2_texts texts;
    bool are_texts;
    make_mixed(f, 0);
    f->zip.bytes[LOCAL + 7 + 70] ^= 1; /* within the texts */
    assert_int_equal(rm2i_npz_open_bytes(f->ctx, "a.npz", f->zip.bytes, f->zip.size, &npz), RM2_OK);
    assert_int_equal(rm2i_npz_array(f->ctx, npz, 0, &array), RM2_ERR_UNSUPPORTED);
    assert_null(array.values);
    assert_int_equal(rm2i_npz_get_texts(f->ctx, npz, 1, &texts), RM2_ERR_UNSUPPORTED);
    assert_non_null(strstr(rm2_context_error(f->ctx), "a.npz: array 'x': the array holds numbers"));
    assert_int_equal(rm2i_npz_get_texts(f->ctx, npz, 0, &texts), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(f->ctx), "checksum"));
    assert_null(texts.codes);
    assert_int_equal(rm2i_npz_holds_texts(f->ctx, npz, 2, &are_texts), RM2_ERR_UNSUPPORTED);
    assert_int_equal(rm2i_npz_array(f->ctx, npz, 3, &array), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(f->ctx), "no array number 3"));
    assert_int_equal(rm2i_npz_get_texts(f->ctx, npz, SIZE_MAX, &texts), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_npz_array(f->ctx, npz, 1, NULL), RM2_ERR_ARGUMENT);
    rm2i_npz_close(npz);
    assert_int_equal(rm2i_npz_array(f->ctx, NULL, 0, &array), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_npz_open(f->ctx, f->path, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_npz_open(f->ctx, "/nowhere/a.npz", &npz), RM2_ERR_IO);
    assert_null(npz);
    assert_int_equal(rm2i_npz_count(NULL), 0);
}

static void bad_arguments_are_refused(void **state) {
    fixture *f = *state;
    double value = 1;
    const rm2_array twins[] = {{.name = "a", .dims = 0, .shape = {0}, .values = &value},
                               {.name = "a", .dims = 0, .shape = {0}, .values = &value}};
    const rm2_array nameless = {.name = "", .dims = 0, .shape = {0}, .values = &value};
    rm2_array *arrays;
    size_t count;
    assert_int_equal(rm2_npz_write(f->ctx, f->path, twins, 2, false), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(f->ctx), "arrays 0 and 1 have the same name"));
    assert_int_equal(rm2_npz_write(f->ctx, f->path, &nameless, 1, false), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_npz_write(f->ctx, f->path, NULL, 1, false), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_npz_write(f->ctx, f->path, twins, 0, false), RM2_ERR_ARGUMENT);
    assert_int_equal(access(f->path, F_OK), -1);
    assert_int_equal(rm2_npz_write(f->ctx, "/dev/full", twins, 1, true), RM2_ERR_IO);
    assert_int_equal(rm2i_npz_read(f->ctx, "/nowhere/a.npz", &arrays, &count), RM2_ERR_IO);
    assert_int_equal(rm2i_npz_read(f->ctx, f->path, NULL, &count), RM2_ERR_ARGUMENT);
    rm2i_arrays_free(NULL, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(archives_of_numpy_are_read),
        TEST(packed_data_may_end_before_the_numbers),
        TEST(stored_and_deflated_entries_are_read),
        TEST(large_entries_are_unpacked),
        TEST(zip64_records_are_read),
        TEST(names_that_come_twice_are_reported),
        TEST(damage_of_other_arrays_is_reported_once),
        TEST(written_archives_are_read_back),
        TEST(the_same_arrays_give_the_same_bytes),
        TEST(many_arrays_are_written_and_read),
        TEST(pipes_are_read),
        TEST(damaged_archives_are_refused),
        TEST(sizes_that_lie_are_refused),
        TEST(entries_must_match_their_header),
        TEST(entries_stand_apart),
        TEST(integers_are_written),
        TEST(pieces_are_an_array),
        TEST(unknown_methods_are_refused),
        TEST(archives_without_arrays_are_refused),
        TEST(bad_arguments_are_refused),
        TEST(arrays_are_read_one_at_a_time),
        TEST(arrays_of_another_kind_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
