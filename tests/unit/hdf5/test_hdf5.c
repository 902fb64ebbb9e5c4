/* Model files: what is put is what is got, bit by bit; damaged files and foreign ones are refused
 * with a message that names file and dataset. Files that were forged: test_hdf5_forged.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "h5_library.h"
#include "hdf5/bytes.h"
#include "hdf5/hdf5.h"
#include "hdf5/seal.h"

enum { FLIPS = 5000 };

typedef struct fixture {
    rm2_context *ctx;
    char directory[64], path[96], other[96];
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    assert_int_equal(rm2_context_create(&f->ctx), RM2_OK);
    (void)strcpy(f->directory, "/tmp/rm2-test-hdf5-XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    (void)snprintf(f->path, sizeof f->path, "%s/a.h5", f->directory);
    (void)snprintf(f->other, sizeof f->other, "%s/b.h5", f->directory);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    (void)unlink(f->path);
    (void)unlink(f->other);
    assert_int_equal(rmdir(f->directory), 0); /* nothing is left behind */
    rm2_context_free(f->ctx);
    free(f);
    return 0;
}

static void assert_ok(const fixture *f, rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(f->ctx));
}

static void assert_message(const fixture *f, const char *part) {
    if (!strstr(rm2_context_error(f->ctx), part))
        fail_msg("\"%s\" is not in: %s", part, rm2_context_error(f->ctx));
}

static const double VALUES[6] = {1, -0.0, 1e-310, 0x1.fffffffffffffp1023, 3.141592653589793, 42};
static const size_t SIZES[3] = {0, 7, SIZE_MAX};

static rm2i_h5_writer *fill(const fixture *f) {
    static const char *const ids[] = {"", "Übung", "c"};
    rm2i_h5_writer *h5;
    assert_ok(f, rm2i_h5_create(f->ctx, &h5));
    assert_ok(f, rm2i_h5_put_doubles(f->ctx, h5, "model/X", 2, (size_t[]){2, 3}, VALUES));
    assert_ok(f, rm2i_h5_put_doubles(f->ctx, h5, "model/kernel/noise", 0, NULL, &VALUES[4]));
    assert_ok(f, rm2i_h5_put_doubles(f->ctx, h5, "model/empty", 2, (size_t[]){0, 3}, NULL));
    assert_ok(f, rm2i_h5_put_sizes(f->ctx, h5, "starts", 1, (size_t[]){3}, SIZES));
    assert_ok(f, rm2i_h5_put_sizes(f->ctx, h5, "version", 0, NULL, &SIZES[1]));
    assert_ok(f, rm2i_h5_put_text(f->ctx, h5, "spec", "R3 x S3"));
    assert_ok(f, rm2i_h5_put_text(f->ctx, h5, "note", ""));
    assert_ok(f, rm2i_h5_put_texts(f->ctx, h5, "ids", 3, ids));
    assert_ok(f, rm2i_h5_put_texts(f->ctx, h5, "none", 0, NULL));
    return h5;
}

static void write_file(const fixture *f, const char *path) {
    assert_ok(f, rm2i_h5_commit(f->ctx, fill(f), path, true));
}

static unsigned char *load_file(const char *path, size_t *size) {
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    unsigned char *bytes = malloc(1 << 20);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 20, stream);
    (void)fclose(stream);
    return bytes;
}

static void store_file(const char *path, const void *bytes, size_t size) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* ---- what is put is what is got ------------------------------------------------------------- */

static void numbers_come_back(void **state) {
    fixture *f = *state;
    rm2i_h5 *h5;
    write_file(f, f->path);
    assert_ok(f, rm2i_h5_open(f->ctx, f->path, &h5));
    size_t any[2] = {SIZE_MAX, SIZE_MAX}, rows[2] = {0, 3}, three[1] = {3}, version;
    double *x, noise;
    assert_ok(f, rm2i_h5_get_doubles(f->ctx, h5, "model/X", 2, any, &x));
    assert_int_equal(any[0], 2);
    assert_int_equal(any[1], 3);
    assert_memory_equal(x, VALUES, sizeof VALUES);
    free(x);
    assert_ok(f, rm2i_h5_get_doubles(f->ctx, h5, "model/empty", 2, rows, &x));
    assert_non_null(x);
    free(x);
    assert_ok(f, rm2i_h5_get_double(f->ctx, h5, "model/kernel/noise", &noise));
    assert_memory_equal(&noise, &VALUES[4], sizeof noise);
    size_t *starts;
    assert_ok(f, rm2i_h5_get_sizes(f->ctx, h5, "starts", 1, three, &starts));
    assert_memory_equal(starts, SIZES, sizeof SIZES);
    free(starts);
    assert_ok(f, rm2i_h5_get_size(f->ctx, h5, "version", &version));
    assert_int_equal(version, 7);
    rm2i_h5_close(h5);
}

static void texts_come_back(void **state) {
    fixture *f = *state;
    rm2i_h5 *h5;
    char *text, **texts;
    write_file(f, f->path);
    assert_ok(f, rm2i_h5_open(f->ctx, f->path, &h5));
    assert_ok(f, rm2i_h5_get_text(f->ctx, h5, "spec", &text));
    assert_string_equal(text, "R3 x S3");
    free(text);
    assert_ok(f, rm2i_h5_get_text(f->ctx, h5, "note", &text));
    assert_string_equal(text, "");
    free(text);
    size_t count = SIZE_MAX, none = SIZE_MAX;
    assert_ok(f, rm2i_h5_get_texts(f->ctx, h5, "ids", &count, &texts));
    assert_int_equal(count, 3);
    assert_string_equal(texts[0], "");
    assert_string_equal(texts[1], "Übung");
    assert_string_equal(texts[2], "c");
    rm2i_texts_free(texts, count);
    assert_ok(f, rm2i_h5_get_texts(f->ctx, h5, "none", &none, &texts));
    assert_int_equal(none, 0);
    rm2i_texts_free(texts, none);
    rm2i_h5_close(h5);
}

static void not_a_number_comes_back(void **state) {
    fixture *f = *state;
    double values[2] = {NAN, -INFINITY}, *back;
    size_t shape[1] = {2};
    rm2i_h5 *h5;
    rm2i_h5_writer *made;
    assert_ok(f, rm2i_h5_create(f->ctx, &made));
    assert_ok(f, rm2i_h5_put_doubles(f->ctx, made, "a", 1, shape, values));
    assert_ok(f, rm2i_h5_commit(f->ctx, made, f->path, false));
    assert_ok(f, rm2i_h5_open(f->ctx, f->path, &h5));
    assert_ok(f, rm2i_h5_get_doubles(f->ctx, h5, "a", 1, shape, &back));
    assert_memory_equal(back, values, sizeof values);
    free(back);
    rm2i_h5_close(h5);
}

static void shapes_and_names(void **state) {
    fixture *f = *state;
    rm2i_h5 *h5;
    size_t dims, shape[RM2_ARRAY_MAX_DIMS];
    write_file(f, f->path);
    assert_ok(f, rm2i_h5_open(f->ctx, f->path, &h5));
    assert_ok(f, rm2i_h5_shape(f->ctx, h5, "model/X", &dims, shape));
    assert_int_equal(dims, 2);
    assert_int_equal(shape[1], 3);
    assert_ok(f, rm2i_h5_shape(f->ctx, h5, "spec", &dims, shape));
    assert_int_equal(dims, 0);
    assert_true(rm2i_h5_has(h5, "model"));
    assert_true(rm2i_h5_has(h5, "model/kernel/noise"));
    assert_false(rm2i_h5_has(h5, "model/kernel/nois"));
    assert_false(rm2i_h5_has(h5, "modem/kernel/noise"));
    assert_false(rm2i_h5_has(h5, "spec/kernel"));
    assert_false(rm2i_h5_has(h5, ""));
    rm2i_h5_close(h5);
}

static void nothing_comes_back(void **state) {
    fixture *f = *state;
    rm2i_h5 *h5;
    rm2i_h5_writer *made;
    assert_ok(f, rm2i_h5_create(f->ctx, &made));
    assert_ok(f, rm2i_h5_commit(f->ctx, made, f->path, false));
    assert_ok(f, rm2i_h5_open(f->ctx, f->path, &h5));
    assert_false(rm2i_h5_has(h5, "spec"));
    rm2i_h5_close(h5);
}

/* More datasets than a group of libhdf5 holds without an index, unless told to. */
static void many_come_back(void **state) {
    fixture *f = *state;
    enum { MANY = 300 };
    rm2i_h5 *h5;
    rm2i_h5_writer *made;
    char name[32];
    size_t value;
    assert_ok(f, rm2i_h5_create(f->ctx, &made));
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof name, "group/%zu", i);
        assert_ok(f, rm2i_h5_put_sizes(f->ctx, made, name, 0, NULL, &i));
    }
    assert_ok(f, rm2i_h5_commit(f->ctx, made, f->path, false));
    assert_ok(f, rm2i_h5_open(f->ctx, f->path, &h5));
    for (size_t i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof name, "group/%zu", i);
        assert_ok(f, rm2i_h5_get_size(f->ctx, h5, name, &value));
        assert_int_equal(value, i);
    }
    rm2i_h5_close(h5);
}

static void same_contents_same_bytes(void **state) {
    fixture *f = *state;
    size_t size, other_size;
    write_file(f, f->path);
    write_file(f, f->other);
    unsigned char *bytes = load_file(f->path, &size), *other = load_file(f->other, &other_size);
    assert_int_equal(size, other_size);
    assert_memory_equal(bytes, other, size);
    free(bytes);
    free(other);
}

static void several_files_at_once(void **state) {
    fixture *f = *state;
    rm2i_h5 *one, *two;
    rm2i_h5_writer *three;
    size_t version;
    write_file(f, f->path);
    assert_ok(f, rm2i_h5_open(f->ctx, f->path, &one));
    assert_ok(f, rm2i_h5_open(f->ctx, f->path, &two)); /* the same file twice */
    three = fill(f);
    rm2i_h5_close(one);
    assert_ok(f, rm2i_h5_get_size(f->ctx, two, "version", &version));
    assert_ok(f, rm2i_h5_commit(f->ctx, three, f->path, true)); /* read whole: may be replaced */
    assert_ok(f, rm2i_h5_get_size(f->ctx, two, "version", &version));
    rm2i_h5_close(two);
}

/* Other programs read the same numbers and texts, through libhdf5. */
static void libhdf5_reads_the_same(void **state) {
    fixture *f = *state;
    double x[6], noise;
    size_t starts[3];
    char ids[3][7];
    write_file(f, f->path);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT), text = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(text, sizeof ids[0]) >= 0 && H5Tset_cset(text, H5T_CSET_UTF8) >= 0);
    const struct {
        const char *name;
        hid_t type;
        void *to;
    } sets[] = {{"model/X", H5T_NATIVE_DOUBLE, x},
                {"model/kernel/noise", H5T_NATIVE_DOUBLE, &noise},
                {"starts", H5T_NATIVE_ULONG, starts},
                {"ids", text, ids}};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
        hid_t set = H5Dopen2(file, sets[k].name, H5P_DEFAULT);
        assert_true(H5Dread(set, sets[k].type, H5S_ALL, H5S_ALL, H5P_DEFAULT, sets[k].to) >= 0);
        assert_true(H5Dclose(set) >= 0);
    }
    assert_true(H5Tclose(text) >= 0 && H5Fclose(file) >= 0);
    assert_memory_equal(x, VALUES, sizeof VALUES);
    assert_true(noise == VALUES[4]);
    assert_memory_equal(starts, SIZES, sizeof SIZES);
    assert_string_equal(ids[0], "");
    assert_string_equal(ids[1], "Übung");
    assert_string_equal(ids[2], "c");
}

/* Files that libhdf5 wrote for earlier versions hold what the same calls put into a file now. */
static void files_of_earlier_versions_are_read(void **state) {
    fixture *f = *state;
    rm2i_h5 *h5;
    size_t size, shape[2] = {2, 3}, none[2] = {0, 3}, three = 3, zero = 0, *starts;
    double *x, noise;
    char *spec, **ids;
    unsigned char *bytes = h5_library_file(&size);
    assert_ok(f, rm2i_h5_open_bytes(f->ctx, bytes, size, "earlier", &h5));
    assert_ok(f, rm2i_h5_get_doubles(f->ctx, h5, "a/X", 2, shape, &x));
    for (size_t i = 0; i < 6; i++)
        assert_true(x[i] == 1 + (double)i);
    free(x);
    assert_ok(f, rm2i_h5_get_double(f->ctx, h5, "a/b/noise", &noise));
    assert_true(noise == 1);
    assert_ok(f, rm2i_h5_get_doubles(f->ctx, h5, "a/empty", 2, none, &x));
    free(x);
    assert_ok(f, rm2i_h5_get_sizes(f->ctx, h5, "starts", 1, &three, &starts));
    assert_memory_equal(starts, SIZES, sizeof SIZES);
    free(starts);
    assert_ok(f, rm2i_h5_get_text(f->ctx, h5, "spec", &spec));
    assert_string_equal(spec, "R3 x S3");
    free(spec);
    assert_ok(f, rm2i_h5_get_texts(f->ctx, h5, "ids", &three, &ids));
    assert_string_equal(ids[2], "cc");
    rm2i_texts_free(ids, three);
    assert_ok(f, rm2i_h5_get_texts(f->ctx, h5, "none", &zero, &ids));
    rm2i_texts_free(ids, zero);
    rm2i_h5_close(h5);
    free(bytes);
}

/* A file in memory is the file on disk. */
static void bytes_are_the_file(void **state) {
    fixture *f = *state;
    unsigned char *bytes, *stored;
    size_t size, stored_size, version;
    rm2i_h5 *h5;
    write_file(f, f->path);
    stored = load_file(f->path, &stored_size);
    assert_ok(f, rm2i_h5_to_bytes(f->ctx, fill(f), &bytes, &size));
    assert_int_equal(size, stored_size);
    assert_memory_equal(bytes, stored, size);
    assert_ok(f, rm2i_h5_open_bytes(f->ctx, bytes, size, "memory", &h5));
    assert_ok(f, rm2i_h5_get_size(f->ctx, h5, "version", &version));
    assert_int_equal(version, 7);
    rm2i_h5_close(h5);
    free(bytes);
    free(stored);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void putting_fails(void **state) {
    fixture *f = *state;
    rm2i_h5_writer *h5 = fill(f);
    size_t shape[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    assert_int_equal(rm2i_h5_put_text(f->ctx, h5, "spec", "again"), RM2_ERR_ARGUMENT);
    assert_message(f, "dataset spec");
    assert_int_equal(rm2i_h5_put_text(f->ctx, h5, "spec/below", "x"), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_h5_put_doubles(f->ctx, h5, "many", 9, shape, VALUES), RM2_ERR_ARGUMENT);
    assert_message(f, "too many dimensions");
    assert_int_equal(rm2i_h5_put_text(f->ctx, h5, "", "x"), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_h5_put_text(f->ctx, h5, "model/", "x"), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_h5_put_text(f->ctx, h5, "model", "x"), RM2_ERR_ARGUMENT);
    assert_message(f, "the name is taken");
    assert_int_equal(rm2i_h5_put_text(f->ctx, h5, "model//x", "x"), RM2_ERR_ARGUMENT);
    assert_message(f, "invalid name of a group");
    assert_int_equal(rm2i_h5_put_text(f->ctx, h5, "new/..", "x"), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_h5_put_text(f->ctx, h5, "new/./x", "x"), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_h5_put_text(f->ctx, h5, "new//x", "x"), RM2_ERR_ARGUMENT);
    assert_ok(f, rm2i_h5_put_text(f->ctx, h5, "new", "no group of that name is left"));
    shape[0] = shape[1] = (size_t)1 << 31;
    assert_int_equal(rm2i_h5_put_doubles(f->ctx, h5, "large", 2, shape, VALUES), RM2_ERR_ARGUMENT);
    assert_message(f, "it is too large");
    shape[1] = (size_t)1 << 25; /* 0.5 EiB */
    assert_int_equal(rm2i_h5_put_doubles(f->ctx, h5, "large", 2, shape, VALUES), RM2_ERR_MEMORY);
    assert_ok(f,
              rm2i_h5_put_text(f->ctx, h5, "large", "the name is free")); /* nothing was stored */
    unsigned char *bytes;
    size_t size;
    assert_ok(f, rm2i_h5_announce(f->ctx, h5, "array", 3));
    assert_int_equal(rm2i_h5_to_bytes(f->ctx, h5, &bytes, &size), RM2_ERR_ARGUMENT);
    assert_null(bytes);
    rm2i_h5_discard(NULL);
}

static void existing_file_stays(void **state) {
    fixture *f = *state;
    store_file(f->path, "mine", 4);
    assert_int_equal(rm2i_h5_commit(f->ctx, fill(f), f->path, false), RM2_ERR_IO);
    assert_message(f, "exists already");
    size_t size;
    unsigned char *bytes = load_file(f->path, &size);
    assert_int_equal(size, 4);
    free(bytes);
    assert_int_equal(rm2i_h5_commit(f->ctx, fill(f), "", false), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_h5_commit(f->ctx, fill(f), "/no/such/place", false), RM2_ERR_IO);
    assert_message(f, "/no/such/place");
}

static void open_refuses(fixture *f, const char *path, rm2_status status, const char *part) {
    rm2i_h5 *h5;
    assert_int_equal(rm2i_h5_open(f->ctx, path, &h5), status);
    assert_null(h5);
    assert_message(f, path);
    assert_message(f, part);
}

static void other_files_are_refused(void **state) {
    fixture *f = *state;
    char text[2048];
    memset(text, 'x', sizeof text);
    open_refuses(f, f->path, RM2_ERR_IO, "cannot read");
    open_refuses(f, f->directory, RM2_ERR_IO, "directory");
    store_file(f->path, "", 0);
    open_refuses(f, f->path, RM2_ERR_FORMAT, "empty");
    store_file(f->path, text, sizeof text);
    open_refuses(f, f->path, RM2_ERR_FORMAT, "not a model");
    store_file(f->path, "\x89HDF\r\n\x1a\n........", 16);
    open_refuses(f, f->path, RM2_ERR_FORMAT, "is an HDF5 file, but not a model");
    store_file(f->path, "RIEMANN2", 8);
    open_refuses(f, f->path, RM2_ERR_FORMAT, "cut off");
}

static void other_versions_are_refused(void **state) {
    fixture *f = *state;
    size_t size;
    write_file(f, f->path);
    unsigned char *bytes = load_file(f->path, &size);
    bytes[8] = 2;
    store_file(f->path, bytes, size);
    open_refuses(f, f->path, RM2_ERR_FORMAT, "file format 2");
    rm2i_h5_seal(bytes, size);
    store_file(f->path, bytes, size - 1);
    open_refuses(f, f->path, RM2_ERR_FORMAT, "cut off");
    memset(bytes + size, 0, 1);
    store_file(f->path, bytes, size + 1);
    open_refuses(f, f->path, RM2_ERR_FORMAT, "damaged");
    bytes[size - 1] ^= 1;
    store_file(f->path, bytes, size);
    open_refuses(f, f->path, RM2_ERR_FORMAT, "checksum");
    free(bytes);
}

static void wrong_datasets_are_refused(void **state) {
    fixture *f = *state;
    rm2i_h5 *h5;
    double *x;
    size_t *s, shape[2] = {2, 4}, any[3] = {SIZE_MAX, SIZE_MAX, SIZE_MAX}, four = 4;
    char *text, **texts;
    write_file(f, f->path);
    assert_ok(f, rm2i_h5_open(f->ctx, f->path, &h5));
    assert_int_equal(rm2i_h5_get_doubles(f->ctx, h5, "model/Y", 2, any, &x), RM2_ERR_FORMAT);
    assert_message(f, f->path);
    assert_message(f, "dataset model/Y is missing");
    assert_int_equal(rm2i_h5_get_doubles(f->ctx, h5, "model/X", 2, shape, &x), RM2_ERR_FORMAT);
    assert_message(f, "dataset model/X is 2 x 3, expected 2 x 4");
    assert_null(x);
    assert_int_equal(rm2i_h5_get_doubles(f->ctx, h5, "model/X", 3, any, &x), RM2_ERR_FORMAT);
    assert_message(f, "expected any x any x any");
    assert_int_equal(rm2i_h5_get_double(f->ctx, h5, "model/X", x), RM2_ERR_FORMAT);
    assert_message(f, "expected a single value");
    assert_int_equal(rm2i_h5_get_doubles(f->ctx, h5, "starts", 1, any, &x), RM2_ERR_FORMAT);
    assert_message(f, "floating-point");
    assert_int_equal(rm2i_h5_get_sizes(f->ctx, h5, "model/X", 2, any, &s), RM2_ERR_FORMAT);
    assert_message(f, "whole numbers");
    assert_int_equal(rm2i_h5_get_sizes(f->ctx, h5, "model", 0, NULL, &s), RM2_ERR_FORMAT);
    assert_message(f, "model is a group, not a dataset");
    assert_int_equal(rm2i_h5_get_text(f->ctx, h5, "ids", &text), RM2_ERR_FORMAT);
    assert_int_equal(rm2i_h5_get_text(f->ctx, h5, "version", &text), RM2_ERR_FORMAT);
    assert_message(f, "texts");
    assert_int_equal(rm2i_h5_get_texts(f->ctx, h5, "ids", &four, &texts), RM2_ERR_FORMAT);
    assert_message(f, "dataset ids is 3, expected 4");
    assert_null(texts);
    rm2i_h5_close(h5);
}

/* ---- damage --------------------------------------------------------------------------------- */

static void truncated_files_are_refused(void **state) {
    fixture *f = *state;
    rm2i_h5 *h5;
    size_t size;
    write_file(f, f->path);
    unsigned char *bytes = load_file(f->path, &size);
    for (size_t cut = 0; cut < size; cut += cut < 1024 ? 1 : 64)
        assert_int_equal(rm2i_h5_open_bytes(f->ctx, bytes, cut, "cut", &h5), RM2_ERR_FORMAT);
    free(bytes);
}

static void damaged_files_are_refused(void **state) {
    fixture *f = *state;
    rm2i_h5 *h5;
    rm2_rng rng;
    size_t size;
    write_file(f, f->path);
    unsigned char *bytes = load_file(f->path, &size);
    rm2_rng_seed(&rng, 1);
    for (int i = 0; i < FLIPS; i++) {
        size_t at = rm2_rng_next(&rng) % size;
        unsigned char old = bytes[at];
        bytes[at] = (unsigned char)(old ^ (1 + rm2_rng_next(&rng) % 255));
        assert_int_equal(rm2i_h5_open_bytes(f->ctx, bytes, size, "bad", &h5), RM2_ERR_FORMAT);
        bytes[at] = old;
    }
    assert_ok(f, rm2i_h5_open_bytes(f->ctx, bytes, size, "good", &h5));
    rm2i_h5_close(h5);
    free(bytes);
}

/* ---- arrays in pieces ----------------------------------------------------------------------- */

enum { STREAMED = 5003 };

static rm2i_h5_stream *open_stream(const fixture *f, size_t texts) {
    rm2i_h5_writer *h5;
    rm2i_h5_stream *stream;
    char text[64] = "a text of another length";
    size_t three = 3;
    text[texts] = '\0'; /* sizes of what is in front of the array: not always a multiple of 8 */
    assert_ok(f, rm2i_h5_create(f->ctx, &h5));
    assert_ok(f, rm2i_h5_put_text(f->ctx, h5, "text", text));
    assert_ok(f, rm2i_h5_announce(f->ctx, h5, "group/array", STREAMED));
    assert_ok(f, rm2i_h5_put_sizes(f->ctx, h5, "group/sizes", 1, &three, SIZES));
    assert_int_equal(rm2i_h5_announce(f->ctx, h5, "other", 3), RM2_ERR_ARGUMENT);
    assert_ok(f, rm2i_h5_stream_open(f->ctx, h5, f->path, true, &stream));
    return stream;
}

static double streamed(size_t i) {
    return i % 7 == 0 ? -0.0 : 1 / ((double)i - 1000.5);
}

static void assert_streamed(const double *values) {
    for (size_t i = 0; i < STREAMED; i++) {
        double expected = streamed(i);
        assert_memory_equal(&values[i], &expected, sizeof expected);
    }
}

/* By our reader and by libhdf5. */
static void pieces_come_back(void **state) {
    fixture *f = *state;
    static double values[STREAMED];
    for (size_t i = 0; i < STREAMED; i++)
        values[i] = streamed(i);
    for (size_t text = 0; text < 12; text++) {
        rm2i_h5_stream *stream = open_stream(f, text);
        rm2i_h5 *h5;
        size_t count = STREAMED, three = 3, *sizes;
        double *got;
        assert_ok(f, rm2i_h5_stream_put(f->ctx, stream, 0, values));
        for (size_t at = 0, some = 1; at < STREAMED; at += some, some = 3 * some)
            assert_ok(f,
                      rm2i_h5_stream_put(f->ctx, stream,
                                         at + some < STREAMED ? some : STREAMED - at, values + at));
        assert_ok(f, rm2i_h5_stream_commit(f->ctx, stream));
        assert_ok(f, rm2i_h5_open(f->ctx, f->path, &h5));
        assert_ok(f, rm2i_h5_get_doubles(f->ctx, h5, "group/array", 1, &count, &got));
        assert_ok(f, rm2i_h5_get_sizes(f->ctx, h5, "group/sizes", 1, &three, &sizes));
        assert_streamed(got);
        assert_memory_equal(sizes, SIZES, sizeof SIZES);
        free(got);
        free(sizes);
        rm2i_h5_close(h5);
    }
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "group/array", H5P_DEFAULT);
    memset(values, 0, sizeof values);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    assert_streamed(values);
    H5Dclose(set);
    H5Fclose(file);
}

static void write_streamed(const fixture *f) {
    static double values[STREAMED];
    for (size_t i = 0; i < STREAMED; i++)
        values[i] = streamed(i);
    rm2i_h5_stream *stream = open_stream(f, 5);
    assert_ok(f, rm2i_h5_stream_put(f->ctx, stream, STREAMED, values));
    assert_ok(f, rm2i_h5_stream_commit(f->ctx, stream));
}

/* The array stays in the file, and comes in any pieces; one that is held comes in pieces too. */
static void files_are_read_in_pieces(void **state) {
    fixture *f = *state;
    static double values[STREAMED];
    rm2i_h5 *h5;
    size_t three = 3, any = SIZE_MAX, *sizes, counts[] = {1, 700, 2049, STREAMED};
    double *whole;
    write_streamed(f);
    assert_ok(f, rm2i_h5_open_pieces(f->ctx, f->path, &h5));
    assert_ok(f, rm2i_h5_get_sizes(f->ctx, h5, "group/sizes", 1, &three, &sizes));
    assert_memory_equal(sizes, SIZES, sizeof SIZES);
    free(sizes);
    for (size_t k = 0; k < 4; k++) {
        memset(values, 0, sizeof values);
        for (size_t at = 0, some; at < STREAMED; at += some) {
            some = counts[k] < STREAMED - at ? counts[k] : STREAMED - at;
            assert_ok(f, rm2i_h5_get_some(f->ctx, h5, &(rm2i_h5_some){"group/array", at, some},
                                          values + at));
        }
        assert_streamed(values);
    }
    const rm2i_h5_some beyond[] = {{"group/array", STREAMED, 1}, {"group/array", SIZE_MAX, 2}};
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(rm2i_h5_get_some(f->ctx, h5, &beyond[k], values), RM2_ERR_FORMAT);
    assert_int_equal(rm2i_h5_get_some(f->ctx, h5, &(rm2i_h5_some){"group/sizes", 0, 1}, values),
                     RM2_ERR_FORMAT);
    assert_int_equal(rm2i_h5_get_doubles(f->ctx, h5, "group/array", 1, &any, &whole),
                     RM2_ERR_FORMAT);
    assert_null(whole);
    rm2i_h5_close(h5);
    write_file(f, f->path);
    assert_ok(f, rm2i_h5_open_pieces(f->ctx, f->path, &h5));
    assert_ok(f, rm2i_h5_get_some(f->ctx, h5, &(rm2i_h5_some){"model/X", 2, 3}, values));
    assert_memory_equal(values, VALUES + 2, 3 * sizeof *values);
    rm2i_h5_close(h5);
}

/* A seal with any number of bytes in front of the array: refused, or read as it is. */
static void forged_fronts_do_no_harm(void **state) {
    fixture *f = *state;
    static double values[STREAMED];
    size_t size;
    write_streamed(f);
    unsigned char *bytes = load_file(f->path, &size);
    size_t good = (size_t)rm2i_load(bytes + 24, 8);
    assert_int_equal(good, size - STREAMED * sizeof(double));
    for (size_t front = 0; front < size + 2000; front += front < good + 20 ? 1 : 997) {
        rm2i_h5 *h5;
        rm2i_h5_seal_begin(bytes, size, front);
        rm2i_h5_seal_end(bytes, rm2i_h5_seal_sum_front(bytes, size));
        store_file(f->path, bytes, size);
        if (rm2i_h5_open_pieces(f->ctx, f->path, &h5) != RM2_OK) {
            assert_null(h5);
            continue;
        }
        assert_ok(
            f, rm2i_h5_get_some(f->ctx, h5, &(rm2i_h5_some){"group/array", 0, STREAMED}, values));
        assert_streamed(values);
        rm2i_h5_close(h5);
    }
    bytes[size - 1] ^= 1; /* in what is behind the front */
    store_file(f->path, bytes, size);
    rm2i_h5 *h5;
    assert_int_equal(rm2i_h5_open_pieces(f->ctx, f->path, &h5), RM2_ERR_FORMAT);
    assert_message(f, "its checksum does not match");
    free(bytes);
}

/* The file that was there stays; set_up's directory shows that no other is left. */
static void incomplete_arrays_are_refused(void **state) {
    fixture *f = *state;
    static const double zeros[STREAMED + 1];
    store_file(f->path, "old", 3);
    rm2i_h5_stream *stream = open_stream(f, 3);
    assert_ok(f, rm2i_h5_stream_put(f->ctx, stream, STREAMED - 1, zeros));
    assert_int_equal(rm2i_h5_stream_put(f->ctx, stream, 2, zeros), RM2_ERR_ARGUMENT);
    assert_message(f, "1 values more than announced");
    assert_int_equal(rm2i_h5_stream_commit(f->ctx, stream), RM2_ERR_ARGUMENT);
    assert_message(f, "1 values fewer than announced");
    stream = open_stream(f, 5);
    rm2i_h5_stream_discard(stream);
    struct stat info;
    assert_int_equal(stat(f->path, &info), 0);
    assert_int_equal(info.st_size, 3);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(numbers_come_back),
        TEST(texts_come_back),
        TEST(not_a_number_comes_back),
        TEST(nothing_comes_back),
        TEST(many_come_back),
        TEST(shapes_and_names),
        TEST(libhdf5_reads_the_same),
        TEST(files_of_earlier_versions_are_read),
        TEST(bytes_are_the_file),
        TEST(same_contents_same_bytes),
        TEST(several_files_at_once),
        TEST(putting_fails),
        TEST(pieces_come_back),
        TEST(files_are_read_in_pieces),
        TEST(forged_fronts_do_no_harm),
        TEST(incomplete_arrays_are_refused),
        TEST(existing_file_stays),
        TEST(other_files_are_refused),
        TEST(other_versions_are_refused),
        TEST(wrong_datasets_are_refused),
        TEST(truncated_files_are_refused),
        TEST(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
