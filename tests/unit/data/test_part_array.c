/* Parts of .npy and .npz files: one after the other they are the whole, and their failures are those of the whole. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "array/npy.h"
#include "front/base.h"
#include "io_fixture.h"
#include "parts_fixture.h"
#include "zip_forge.h"

enum { NPY_MAX = 1 << 14, STORED = 0, DEFLATED = 8 };

typedef struct npy {
    unsigned char bytes[NPY_MAX];
    size_t size, start; /* of the file; where its elements begin */
} npy;

static rm2_manifold *plane, *matrices; /* R2, SPD2 */

static int set_up_group(void **state) {
    rm2_context *ctx;
    (void)state;
    bool made = rm2_context_create(&ctx) == RM2_OK &&
                rm2_manifold_create(ctx, "R2", &plane) == RM2_OK &&
                rm2_manifold_create(ctx, "SPD2", &matrices) == RM2_OK;
    rm2_context_free(ctx);
    return made ? 0 : -1;
}

static int tear_down_group(void **state) {
    (void)state;
    rm2_manifold_free(plane);
    rm2_manifold_free(matrices);
    return 0;
}

static int set_up_npy(void **state) {
    return fixture_set_up(state, "data.npy");
}

static int set_up_npz(void **state) {
    return fixture_set_up(state, "data.npz");
}

static reading reading_of(const fixture *f, const rm2_manifold *m) {
    return (reading){.path = f->path,
                     .settings = rm2_data_settings_default(),
                     .wanted = {m, rm2_manifold_ambient(m)}};
}

/* ---- arrays --------------------------------------------------------------------------------- */

static void begin(npy *a, const char *type, const char *order, const char *shape) {
    int length =
        snprintf((char *)a->bytes + 10, NPY_MAX - 10,
                 "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", type, order, shape);
    memcpy(a->bytes, "\x93NUMPY\x01\x00", 8);
    a->bytes[8] = (unsigned char)length;
    a->bytes[9] = 0;
    a->size = a->start = 10 + (size_t)length;
}

/* `size` bytes of an element, in the order of the type. */
static void put(npy *a, uint64_t bits, size_t size, bool big_endian) {
    for (size_t k = 0; k < size; k++)
        a->bytes[a->size++] =
            (unsigned char)(k < 8 ? bits >> 8 * (big_endian ? size - 1 - k : k) : 0);
}

static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Element i as this type has it: different for each i, with all bytes in use where the type has them. */
static uint64_t element(char kind, size_t size, size_t i) {
    if (kind == 'f' && size == 8)
        return double_bits(sin((double)i) * 1e5);
    if (kind == 'f' && size == 4) {
        float value = (float)cos((double)i);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        return bits;
    }
    if (kind == 'f')
        return 0x3c00 + i; /* from 1 on */
    if (kind == 'b')
        return i % 3 == 0;
    return size == 8 ? UINT64_C(1234567890123) * i : 37 * i;
}

static void fill(npy *a, const char *type, const char *shape, size_t count) {
    size_t size = (size_t)atoi(type + 2);
    begin(a, type, "False", shape);
    for (size_t i = 0; i < count; i++)
        put(a, element(type[1], size, i), size, type[0] == '>');
}

static void write_npy(const fixture *f, const npy *a) {
    write_bytes(f->path, a->bytes, a->size);
}

static void good(fixture *f, const reading *r) {
    if (expect_same(f->ctx, r) != RM2_OK)
        fail_msg("%s", rm2_context_error(f->ctx));
}

static void bad(fixture *f, const reading *r, const char *words) {
    assert_int_not_equal(expect_same(f->ctx, r), RM2_OK);
    assert_non_null(strstr(rm2_context_error(f->ctx), words));
}

/* ---- .npy ----------------------------------------------------------------------------------- */

static void types_are_read_in_parts(void **state) {
    static const char *const types[] = {"<f8", ">f8", "<f4", ">f4", "<f2", "<i8",
                                        ">i8", "<u4", ">i2", "|i1", "|u1", "|b1"};
    fixture *f = *state;
    reading r = reading_of(f, plane);
    npy a;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        fill(&a, types[k], "(11, 2)", 22);
        write_npy(f, &a);
        good(f, &r);
        fill(&a, types[k], "(1, 2)", 2);
        write_npy(f, &a);
        good(f, &r);
    }
}

/* More elements than the buffer of the conversion. */
static void long_arrays_are_read_in_parts(void **state) {
    fixture *f = *state;
    reading r = reading_of(f, plane);
    static unsigned char bytes[100 + 4 * 40000];
    npy a;
    begin(&a, "<i4", "False", "(20000, 2)");
    memcpy(bytes, a.bytes, a.size);
    for (size_t i = 0; i < 40000; i++)
        memcpy(bytes + a.size + 4 * i, &(uint32_t){(uint32_t)i}, 4);
    write_bytes(f->path, bytes, a.size + sizeof(uint32_t) * 40000);
    good(f, &r);
}

static void shapes_are_read_in_parts(void **state) {
    fixture *f = *state;
    reading r = reading_of(f, plane), spd = reading_of(f, matrices);
    npy a;
    fill(&a, "<f8", "(3, 4, 2)", 24);
    write_npy(f, &a);
    good(f, &r);
    r.settings.columns = "1";
    good(f, &r);
    fill(&a, ">f4", "(9, 5)", 45);
    write_npy(f, &a);
    r.settings.columns = "4,0";
    good(f, &r);
    r.settings.columns = NULL;
    r.settings.ignore = "1-3";
    good(f, &r);
    fill(&a, "<f8", "(5, 2, 2)", 20);
    write_npy(f, &a);
    good(f, &spd);
    fill(&a, "<f8", "(2, 5, 2, 2)", 40);
    write_npy(f, &a);
    good(f, &spd);
}

static void failures_are_those_of_the_array(void **state) {
    fixture *f = *state;
    reading r = reading_of(f, plane);
    npy a;
    fill(&a, "<i8", "(9, 2)", 18);
    memset(a.bytes + a.start + 8 * 13, 0x11, 8);
    write_npy(f, &a);
    bad(f, &r, "element 13 (counted from 0 as stored) is 1229782938247303441");
    write_bytes(f->path, a.bytes, a.size - 1);
    bad(f, &r, "the header announces 18 elements of 8 bytes");
    fill(&a, "<f8", "(0, 2)", 0);
    write_npy(f, &a);
    bad(f, &r, "the array is empty");
    fill(&a, "<f8", "(4, 3)", 12);
    write_npy(f, &a);
    bad(f, &r, "an array of shape (4, 3) does not hold points of R2");
    begin(&a, "<U2", "False", "(2,)");
    put(&a, 0, 16, false);
    write_npy(f, &a);
    bad(f, &r, "the array holds texts");
    r.settings.group = "id";
    bad(f, &r, "an .npy file has no columns by name");
}

static void only_the_bytes_of_the_part_are_read(void **state) {
    fixture *f = *state;
    reading r = reading_of(f, plane);
    rm2i_raw_plan plan;
    rm2i_raw part;
    npy a;
    fill(&a, "<i8", "(9, 2)", 18);
    memset(a.bytes + a.start + 8 * 13, 0x11, 8); /* row 6, which a double cannot hold */
    write_npy(f, &a);
    assert_int_equal(make_plan(f->ctx, &r, 9, &plan), RM2_OK);
    for (size_t k = 0; k < 9; k++) {
        assert_int_equal(read_part(f->ctx, &r, &plan, k, &part), k == 6 ? RM2_ERR_DATA : RM2_OK);
        rm2i_raw_free(&part);
    }
    rm2i_raw_plan_free(&plan);
}

static void other_orders_have_no_plan(void **state) {
    fixture *f = *state;
    reading r = reading_of(f, plane), spd = reading_of(f, matrices);
    rm2i_raw_plan plan;
    npy a;
    begin(&a, "<f8", "True", "(3, 2)");
    put(&a, 0, 48, false);
    write_npy(f, &a);
    assert_int_equal(make_plan(f->ctx, &r, 2, &plan), RM2_ERR_UNSUPPORTED);
    assert_non_null(strstr(rm2_context_error(f->ctx), "Fortran order"));
    fill(&a, "<f8", "(2, 2, 5)", 20);
    write_npy(f, &a);
    assert_int_equal(make_plan(f->ctx, &spd, 2, &plan), RM2_ERR_UNSUPPORTED);
    assert_non_null(strstr(rm2_context_error(f->ctx), "along the first two axes"));
}

static void changed_arrays_are_noticed(void **state) {
    fixture *f = *state;
    reading r = reading_of(f, plane);
    rm2i_raw_plan plan;
    rm2i_raw part;
    rm2_array array;
    npy a;
    fill(&a, "<f8", "(6, 2)", 12);
    write_npy(f, &a);
    assert_int_equal(make_plan(f->ctx, &r, 3, &plan), RM2_OK);
    fill(&a, "<f8", "(5, 2)", 10);
    write_npy(f, &a);
    assert_int_equal(read_part(f->ctx, &r, &plan, 2, &part), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(f->ctx), "the file has changed while it was read"));
    begin(&a, "<f4", "False", "(12,2)"); /* as many bytes */
    put(&a, 0, plan.bytes - a.size, false);
    assert_int_equal(a.size, plan.bytes);
    write_npy(f, &a);
    assert_int_equal(read_part(f->ctx, &r, &plan, 2, &part), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(f->ctx), "expected 6 rows as before, got 12"));
    rm2i_raw_plan_free(&plan);
    const rm2i_npy_span beyond = {20, 5}, far = {25, 0};
    assert_int_equal(rm2i_npy_read_span(f->ctx, f->path, &beyond, &array), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(f->ctx), "has the file changed?"));
    assert_int_equal(rm2i_npy_read_span(f->ctx, f->path, &far, &array), RM2_ERR_FORMAT);
    assert_null(array.values);
}

/* ---- .npz ----------------------------------------------------------------------------------- */

typedef struct archive {
    npy points, id, name, time;
} archive;

/* Eight points in the plane, ids as numbers and as texts, time. */
static void fill_archive(archive *a) {
    static const char *const names[] = {"one", "one", "two", "two", "two", "\xe9", "\xe9", ""};
    fill(&a->points, "<f8", "(8, 2)", 16);
    begin(&a->id, ">i4", "False", "(8,)");
    begin(&a->name, "<U3", "False", "(8,)");
    for (size_t i = 0; i < 8; i++) {
        put(&a->id, i / 3, 4, true);
        for (size_t k = 0; k < 3; k++)
            put(&a->name, k < strlen(names[i]) ? (unsigned char)names[i][k] : 0, 4, false);
    }
    fill(&a->time, "<f4", "(8,)", 8);
}

static void write_archive(const fixture *f, const archive *a, unsigned method) {
    static zip_forge zip;
    zip_member members[] = {
        {.name = "points.npy", .data = a->points.bytes, .size = a->points.size},
        {.name = "id.npy", .data = a->id.bytes, .size = a->id.size},
        {.name = "name.npy", .data = a->name.bytes, .size = a->name.size},
        {.name = "time.npy", .data = a->time.bytes, .size = a->time.size},
    };
    enum { COUNT = sizeof members / sizeof *members };
    zip.size = 0;
    for (size_t k = 0; k < COUNT; k++)
        zip_put_member(&zip, method, &members[k]);
    zip_put_directory(&zip, method, members, COUNT);
    write_bytes(f->path, zip.bytes, zip.size);
}

static void archives_are_read_in_parts(void **state) {
    fixture *f = *state;
    static archive a;
    fill_archive(&a);
    for (unsigned method = STORED; method <= DEFLATED; method += DEFLATED) {
        reading r = reading_of(f, plane);
        write_archive(f, &a, method);
        good(f, &r);
        r.settings.group = "id";
        r.settings.time = "time";
        good(f, &r);
        r.settings.group = "name";
        good(f, &r);
        r.settings.columns = "1,0";
        good(f, &r);
    }
    fill(&a.points, ">f8", "(2, 4, 2)", 16);
    for (unsigned method = STORED; method <= DEFLATED; method += DEFLATED) {
        reading r = reading_of(f, plane);
        write_archive(f, &a, method);
        good(f, &r);
        r.settings.group = "id";
        bad(f, &r, "counts the trajectories already");
    }
}

static void failures_are_those_of_the_archive(void **state) {
    fixture *f = *state;
    static archive a;
    for (unsigned method = STORED; method <= DEFLATED; method += DEFLATED) {
        reading r = reading_of(f, plane);
        fill_archive(&a);
        r.settings.group = "id";
        begin(&a.id, "<f8", "False", "(8,)");
        for (size_t i = 0; i < 8; i++)
            put(&a.id, double_bits(i < 5 ? 1 : (double)INFINITY), 8, false);
        write_archive(f, &a, method);
        bad(f, &r, "array \"id\", entry 5 (counted from 0) is inf");
        r.settings.group = "name";
        a.name.bytes[a.name.start + 12 * 6 + 2] = 0x55;
        write_archive(f, &a, method);
        bad(f, &r, "entry 6 (counted from 0): 0x5500e9 is not a Unicode character");
        fill(&a.name, "<i4", "(7,)", 7);
        write_archive(f, &a, method);
        bad(f, &r, "array \"name\" has 7 numbers for 8 points");
        r.settings.group = NULL;
        r.settings.time = "when";
        bad(f, &r, "no array \"when\"");
        r.settings.time = "points";
        bad(f, &r, "is used twice");
        a.points.size += 3;
        write_archive(f, &a, method);
        r.settings.time = NULL;
        bad(f, &r, "there are bytes after the array");
    }
}

/* A wrong byte is noticed by the checksum where all bytes are seen: in deflated arrays, and in one part. */
static void checksums_are_compared(void **state) {
    fixture *f = *state;
    reading r = reading_of(f, plane);
    static archive a;
    static zip_forge zip;
    rm2i_raw_plan plan;
    rm2i_raw part;
    fill_archive(&a);
    for (unsigned method = STORED; method <= DEFLATED; method += DEFLATED) {
        zip_member only = {.name = "points.npy", .data = a.points.bytes, .size = a.points.size};
        zip.size = 0;
        zip_put_member(&zip, method, &only);
        zip_put_directory(&zip, method, &only, 1);
        zip.bytes[zip.directory_at + 16] ^= 1; /* of the checksum */
        write_bytes(f->path, zip.bytes, zip.size);
        for (size_t parts = 1; parts < 3; parts++) {
            assert_int_equal(make_plan(f->ctx, &r, parts, &plan), RM2_OK);
            bool seen = parts == 1 || method == DEFLATED;
            assert_int_equal(read_part(f->ctx, &r, &plan, 0, &part),
                             seen ? RM2_ERR_FORMAT : RM2_OK);
            assert_true(!seen || strstr(rm2_context_error(f->ctx), "checksum"));
            rm2i_raw_free(&part);
            rm2i_raw_plan_free(&plan);
        }
    }
}

/* ---- random arrays -------------------------------------------------------------------------- */

static size_t below(rm2_rng *rng, size_t n) {
    return (size_t)(rm2_rng_uniform(rng) * (double)n) % n;
}

static void random_archives_are_the_same_in_parts(void **state) {
    static const char *const types[] = {"<f8", ">f8", "<f4", "<i8", ">u2", "|b1"};
    enum { TYPES = sizeof types / sizeof *types, ARCHIVES = 200 };
    fixture *f = *state;
    static archive a;
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (size_t k = 0; k < ARCHIVES; k++) {
        reading r = reading_of(f, plane);
        size_t paths = 1 + below(&rng, 6), length = 1 + below(&rng, 9), rows = paths * length;
        char shape[64], list[64];
        bool cut = k % 2 == 0;
        (void)snprintf(list, sizeof list, "(%zu,)", rows);
        if (cut)
            (void)snprintf(shape, sizeof shape, "(%zu, %zu, 2)", paths, length);
        else
            (void)snprintf(shape, sizeof shape, "(%zu, 2)", rows);
        fill(&a.points, types[below(&rng, TYPES)], shape, 2 * rows);
        fill(&a.id, types[below(&rng, TYPES)], list, rows);
        fill(&a.time, types[below(&rng, TYPES)], list, rows);
        begin(&a.name, "|S2", "False", list);
        for (size_t i = 0; i < 2 * rows; i++)
            put(&a.name, i % 2 ? 0 : 'a' + below(&rng, 4), 1, false);
        r.settings.time = k % 3 ? "time" : NULL;
        r.settings.group = cut ? NULL : k % 5 ? "id" : "name";
        write_archive(f, &a, k % 7 < 3 ? DEFLATED : STORED);
        good(f, &r);
    }
}

#define NPY_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_npy, tear_down)
#define NPZ_TEST(test) cmocka_unit_test_setup_teardown(test, set_up_npz, tear_down)

/* A file of the same name and size with one other number: the part that has it has another checksum, parts far from it have
 * the same. */
static void another_file(void **state) {
    fixture *f = *state;
    static npy a;
    rm2i_raw_plan plan;
    enum { ROWS = 40000, PARTS = 4, OTHER = 35000 }; /* in the last part */
    uint64_t before[PARTS], after;
    reading r = reading_of(f, plane);
    begin(&a, "<f8", "False", "(40000, 2)");
    size_t size = a.size + ROWS * 2 * sizeof(double);
    unsigned char *bytes = calloc(size, 1);
    assert_non_null(bytes);
    memcpy(bytes, a.bytes, a.size);
    write_bytes(f->path, bytes, size);
    assert_int_equal(make_plan(f->ctx, &r, PARTS, &plan), RM2_OK);
    for (size_t k = 0; k < PARTS; k++)
        assert_int_equal(rm2i_raw_part_sum(f->ctx, r.path, &plan, k, &before[k]), RM2_OK);
    bytes[a.start + OTHER * 2 * sizeof(double)] = 1;
    write_bytes(f->path, bytes, size);
    for (size_t k = 0; k < PARTS; k++) {
        assert_int_equal(rm2i_raw_part_sum(f->ctx, r.path, &plan, k, &after), RM2_OK);
        assert_true((after != before[k]) == (k == 3));
    }
    assert_int_equal(remove(r.path), 0);
    assert_int_equal(rm2i_raw_part_sum(f->ctx, r.path, &plan, 1, &after), RM2_ERR_IO);
    assert_non_null(strstr(rm2_context_error(f->ctx), "No such file or directory"));
    rm2i_raw_plan_free(&plan);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        NPY_TEST(another_file),
        NPY_TEST(types_are_read_in_parts),
        NPY_TEST(long_arrays_are_read_in_parts),
        NPY_TEST(shapes_are_read_in_parts),
        NPY_TEST(failures_are_those_of_the_array),
        NPY_TEST(only_the_bytes_of_the_part_are_read),
        NPY_TEST(other_orders_have_no_plan),
        NPY_TEST(changed_arrays_are_noticed),
        NPZ_TEST(archives_are_read_in_parts),
        NPZ_TEST(failures_are_those_of_the_archive),
        NPZ_TEST(checksums_are_compared),
        NPZ_TEST(random_archives_are_the_same_in_parts),
    };
    return cmocka_run_group_tests(tests, set_up_group, tear_down_group);
}
