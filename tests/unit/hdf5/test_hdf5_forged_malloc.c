/* Files with a right seal and right checksums that this library did not write: other parts of HDF5 are
 * refused with a message that says what they are; whatever a field says, reading ends with values or
 * with a message, and asks for memory in proportion to the file. Run under ASan, these tests also see every
 * access outside of the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <hdf5.h>

#include "failing_malloc.h"
#include "h5_forge.h"
#include "h5_library.h"
#include "hdf5/bytes.h"
#include "hdf5/h5_read.h"
#include "hdf5/h5_write.h"
#include "hdf5/seal.h"
#include "shared_context.h"

/* PROPORTION: ten times the file at once (hdf5.h), blocks that grow by halves counted at every size. */
enum { FIELDS_MAX = 4096, STEPS = 20000, PROPORTION = 30, SMALL = 4096 };

typedef struct file {
    unsigned char *bytes;
    size_t size;
} file;

static const char *const names[] = {"a/X", "a/b/noise", "a/empty", "starts", "spec",
                                    "ids", "none",      "a",       "a/b"};

/* Groups in groups, and all kinds of datasets. */
static rm2_status fill(rm2i_h5_writer *h5) {
    static const double x[6] = {1, 2, 3, 4, 5, 6};
    static const char *const ids[] = {"", "b", "cc"};
    RM2_TRY(rm2i_h5_put_doubles(ctx, h5, "a/X", 2, (size_t[]){2, 3}, x));
    RM2_TRY(rm2i_h5_put_doubles(ctx, h5, "a/b/noise", 0, NULL, x));
    RM2_TRY(rm2i_h5_put_doubles(ctx, h5, "a/empty", 2, (size_t[]){0, 3}, NULL));
    RM2_TRY(rm2i_h5_put_sizes(ctx, h5, "starts", 1, (size_t[]){3}, (size_t[]){0, 7, SIZE_MAX}));
    RM2_TRY(rm2i_h5_put_text(ctx, h5, "spec", "R3 x S3"));
    RM2_TRY(rm2i_h5_put_texts(ctx, h5, "ids", 3, ids));
    return rm2i_h5_put_texts(ctx, h5, "none", 0, NULL);
}

static file valid_file(void) {
    rm2i_h5_writer *h5;
    file made;
    ok(rm2i_h5_create(ctx, &h5));
    ok(fill(h5));
    ok(rm2i_h5_to_bytes(ctx, h5, &made.bytes, &made.size));
    return made;
}

/* The same from libhdf5, with headers in several blocks. */
static file earlier_file(void) {
    file made;
    made.bytes = h5_library_file(&made.size);
    return made;
}

/* ---- reading whatever there is -------------------------------------------------------------- */

static void read_dataset(const rm2i_h5 *h5, const char *name) {
    size_t any[RM2_ARRAY_MAX_DIMS], dims = 0, shape[RM2_ARRAY_MAX_DIMS], *sizes;
    double *values;
    char *text, **texts;
    if (rm2i_h5_shape(ctx, h5, name, &dims, shape) != RM2_OK)
        return;
    memset(any, 0xff, sizeof any);
    if (rm2i_h5_get_doubles(ctx, h5, name, dims, any, &values) == RM2_OK)
        free(values);
    if (rm2i_h5_get_sizes(ctx, h5, name, dims, any, &sizes) == RM2_OK)
        free(sizes);
    if (rm2i_h5_get_text(ctx, h5, name, &text) == RM2_OK)
        free(text);
    if (rm2i_h5_get_texts(ctx, h5, name, &any[0], &texts) == RM2_OK)
        rm2i_texts_free(texts, any[0]);
}

/* Whether the file is read. The copy has no byte more than the file. */
static bool survives(const unsigned char *bytes, size_t size) {
    unsigned char *copy = malloc(size);
    rm2i_h5 *h5;
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    (void)bytes_requested();
    rm2_status status = rm2i_h5_open_bytes(ctx, copy, size, "forged", &h5);
    assert_in_range(bytes_requested(), 0, PROPORTION * size + SMALL);
    if (status == RM2_OK) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            read_dataset(h5, names[i]);
        rm2i_h5_close(h5);
    } else {
        assert_int_equal(status, RM2_ERR_FORMAT);
        assert_null(h5);
        assert_int_equal(strncmp(rm2_context_error(ctx), "forged", 6), 0);
        assert_null(strchr(rm2_context_error(ctx), '\n'));
    }
    free(copy);
    return status == RM2_OK;
}

/* ---- every field ---------------------------------------------------------------------------- */

/* What a forger may write into a field at a position: borders of its range, neighbours of what is there,
 * places inside and at the ends of the file, and the field itself. */
static size_t interesting(const file *f, const h5_field *field, uint64_t old, uint64_t *values) {
    uint64_t most = field->width == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * field->width)) - 1;
    uint64_t base = RM2I_H5_BLOCK, at = field->at, root = rm2i_load(f->bytes + base + 36, 8);
    const uint64_t all[] = {0,
                            1,
                            2,
                            7,
                            8,
                            most,
                            most - 1,
                            most / 2,
                            most / 2 + 1,
                            old + 1,
                            old - 1,
                            2 * old,
                            old / 2,
                            old ^ 4,
                            old ^ 0x80,
                            at,
                            at - base,
                            at - base - 8,
                            root,
                            root + 4,
                            f->size,
                            f->size - 1,
                            f->size - base,
                            f->size - base - 1,
                            f->size - base - 8,
                            most - f->size,
                            most - base,
                            UINT64_C(0xff0000000030)};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        values[k] = all[k] & most;
    return sizeof all / sizeof *all;
}

static void every_field_says_anything(file f) {
    unsigned char *forged = malloc(f.size);
    h5_field *fields = calloc(FIELDS_MAX, sizeof *fields);
    assert_true(forged && fields);
    size_t count = h5_fields(f.bytes, f.size, fields, FIELDS_MAX), forgeries = 0, read = 0;
    assert_in_range(count, 200, FIELDS_MAX);
    for (size_t k = 0; k < count; k++) {
        if (fields[k].values)
            continue;
        uint64_t values[64], old = rm2i_load(f.bytes + fields[k].at, fields[k].width);
        size_t some = interesting(&f, &fields[k], old, values);
        for (size_t j = 0; j < some; j++, forgeries++) {
            memcpy(forged, f.bytes, f.size);
            rm2i_store(forged + fields[k].at, values[j], fields[k].width);
            h5_mend(forged, f.size);
            read += survives(forged, f.size);
        }
    }
    assert_true(forgeries > 5000);
    /* what is still read is what nobody looks at, names, and fields that kept their value */
    assert_true(read > 0 && read < forgeries / 4);
    print_message("%zu fields, %zu forgeries, %zu of them readable\n", count, forgeries, read);
    free(fields);
    free(forged);
    free(f.bytes);
}

static void every_field_may_say_anything(void **state) {
    (void)state;
    every_field_says_anything(valid_file());
    every_field_says_anything(earlier_file());
}

/* Fields that were changed together, and bytes anywhere. */
static void several_change(file f) {
    rm2_rng rng;
    unsigned char *forged = malloc(f.size);
    h5_field *fields = calloc(FIELDS_MAX, sizeof *fields);
    assert_true(forged && fields);
    size_t count = h5_fields(f.bytes, f.size, fields, FIELDS_MAX);
    rm2_rng_seed(&rng, 1);
    for (size_t step = 0; step < STEPS; step++) {
        memcpy(forged, f.bytes, f.size);
        for (size_t n = 1 + rm2_rng_next(&rng) % 3; n > 0; n--) {
            h5_field field = fields[rm2_rng_next(&rng) % count];
            field.width = field.width > 8 ? 8 : field.width; /* the first of a dataset's values */
            uint64_t values[64], old = rm2i_load(f.bytes + field.at, field.width);
            size_t some = interesting(&f, &field, old, values);
            if (rm2_rng_next(&rng) % 4)
                rm2i_store(forged + field.at, values[rm2_rng_next(&rng) % some], field.width);
            else
                forged[rm2_rng_next(&rng) % f.size] = (unsigned char)rm2_rng_next(&rng);
        }
        h5_mend(forged, f.size);
        (void)survives(forged, f.size);
    }
    free(fields);
    free(forged);
    free(f.bytes);
}

static void several_changes_at_once(void **state) {
    (void)state;
    several_change(valid_file());
    several_change(earlier_file());
}

/* A file that ends anywhere, with a seal that says so. */
static void every_end(void **state) {
    (void)state;
    file f = valid_file();
    unsigned char *forged = malloc(f.size);
    assert_non_null(forged);
    for (size_t size = RM2I_H5_BLOCK; size < f.size; size++) {
        memcpy(forged, f.bytes, f.size);
        if (size >= RM2I_H5_BLOCK + RM2I_H5_SUPERBLOCK)
            rm2i_store(forged + RM2I_H5_BLOCK + 28, size, 8); /* the superblock says so too */
        h5_mend(forged, size);
        assert_false(survives(forged, size));
    }
    free(forged);
    free(f.bytes);
}

/* ---- structures that lead to each other ----------------------------------------------------- */

static const h5_field *field_of(const h5_field *fields, size_t count, const char *what,
                                size_t width) {
    for (size_t k = 0; k < count; k++)
        if (fields[k].width == width && strcmp(fields[k].what, what) == 0)
            return &fields[k];
    fail_msg("the file has no %s of %zu bytes", what, width);
    return NULL;
}

/* The file with one field changed is refused for this reason. */
static void assert_refused(const file *f, const h5_field *field, uint64_t value,
                           const char *reason) {
    unsigned char *forged = malloc(f->size);
    assert_non_null(forged);
    memcpy(forged, f->bytes, f->size);
    rm2i_store(forged + field->at, value, field->width);
    h5_mend(forged, f->size);
    assert_false(survives(forged, f->size));
    if (!strstr(rm2_context_error(ctx), reason))
        fail_msg("\"%s\" is not in: %s", reason, rm2_context_error(ctx));
    assert_non_null(strstr(rm2_context_error(ctx), "not written by riemann2"));
    free(forged);
}

static void circles_are_refused(void **state) {
    (void)state;
    file f = earlier_file();
    h5_field fields[FIELDS_MAX];
    size_t count = h5_fields(f.bytes, f.size, fields, FIELDS_MAX);
    uint64_t root = rm2i_load(f.bytes + RM2I_H5_BLOCK + 36, 8);
    const h5_field *next = field_of(fields, count, "continuation", 8);
    const h5_field *link = field_of(fields, count, "link", 8);
    const h5_field *values = field_of(fields, count, "layout", 8);
    assert_refused(&f, link, root, "overlap");   /* a group that is its own member */
    assert_refused(&f, values, root, "overlap"); /* values that are a header */
    assert_refused(&f, values, 0, "overlap");    /* values that are the superblock */
    assert_refused(&f, next, root, "");          /* a header that continues in itself */
    assert_refused(&f, next, UINT64_MAX, "beyond the end");
    assert_refused(&f, link, f.size - RM2I_H5_BLOCK, "beyond the end");
    assert_refused(&f, link, f.size - RM2I_H5_BLOCK - 1, "object header is missing");
    free(f.bytes);
}

/* A block of a header whose only message leads to itself: it would be read for ever. */
static void continuation_of_itself(void **state) {
    (void)state;
    file f = earlier_file();
    h5_field fields[FIELDS_MAX];
    size_t count = h5_fields(f.bytes, f.size, fields, FIELDS_MAX);
    const h5_field *next = field_of(fields, count, "continuation", 8);
    size_t block = RM2I_H5_BLOCK + (size_t)rm2i_load(f.bytes + next->at, 8);
    uint64_t size = rm2i_load(f.bytes + next->at + 8, 8);
    assert_true(size >= 32);
    f.bytes[block + 4] = 16; /* continuation, 16 bytes: address and size of the block itself */
    rm2i_store(f.bytes + block + 5, 16, 2);
    memcpy(f.bytes + block + 8, f.bytes + next->at, 16);
    f.bytes[block + 24] = 0; /* the rest is empty */
    rm2i_store(f.bytes + block + 25, size - 32, 2);
    f.bytes[block + 27] = 0;
    h5_mend(f.bytes, f.size);
    assert_false(survives(f.bytes, f.size));
    assert_non_null(strstr(rm2_context_error(ctx), "overlap"));
    free(f.bytes);
}

/* ---- other parts of HDF5 -------------------------------------------------------------------- */

static void add_dataset(hid_t file_id, hid_t type, hid_t space, hid_t creation) {
    hid_t set = H5Dcreate2(file_id, "x", type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dclose(set) >= 0);
}

static hid_t four(void) {
    hsize_t n = 4;
    return H5Screate_simple(1, &n, NULL);
}

static void add_chunked(hid_t file_id, hid_t creation) {
    hsize_t n = 4;
    assert_true(H5Pset_chunk(creation, 1, &n) >= 0);
    add_dataset(file_id, H5T_IEEE_F64LE, four(), creation);
}

static void add_packed(hid_t file_id, hid_t creation) {
    assert_true(H5Pset_deflate(creation, 1) >= 0);
    add_chunked(file_id, creation);
}

static void add_compact(hid_t file_id, hid_t creation) {
    assert_true(H5Pset_layout(creation, H5D_COMPACT) >= 0);
    add_dataset(file_id, H5T_IEEE_F64LE, four(), creation);
}

static void add_single_precision(hid_t file_id, hid_t creation) {
    add_dataset(file_id, H5T_IEEE_F32LE, four(), creation);
}

static void add_big_endian(hid_t file_id, hid_t creation) {
    add_dataset(file_id, H5T_IEEE_F64BE, four(), creation);
}

static void add_signed(hid_t file_id, hid_t creation) {
    add_dataset(file_id, H5T_STD_I64LE, four(), creation);
}

static void add_variable_text(hid_t file_id, hid_t creation) {
    hid_t type = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(type, H5T_VARIABLE) >= 0);
    add_dataset(file_id, type, four(), creation);
    assert_true(H5Tclose(type) >= 0);
}

static void add_without_values(hid_t file_id, hid_t creation) {
    add_dataset(file_id, H5T_IEEE_F64LE, four(), creation);
}

static void add_null_space(hid_t file_id, hid_t creation) {
    add_dataset(file_id, H5T_IEEE_F64LE, H5Screate(H5S_NULL), creation);
}

static void add_external(hid_t file_id, hid_t creation) {
    assert_true(H5Pset_external(creation, "/etc/passwd", 0, 32) >= 0);
    add_dataset(file_id, H5T_IEEE_F64LE, four(), creation);
}

static void add_times(hid_t file_id, hid_t creation) {
    assert_true(H5Pset_obj_track_times(creation, true) >= 0);
    add_dataset(file_id, H5T_IEEE_F64LE, H5Screate(H5S_SCALAR), creation);
}

static void add_attribute(hid_t file_id, hid_t creation) {
    (void)creation;
    hid_t a = H5Acreate2(file_id, "a", H5T_IEEE_F64LE, four(), H5P_DEFAULT, H5P_DEFAULT);
    assert_true(a >= 0 && H5Aclose(a) >= 0);
}

static void add_soft_link(hid_t file_id, hid_t creation) {
    (void)creation;
    assert_true(H5Lcreate_soft("y", file_id, "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void add_link_to_a_file(hid_t file_id, hid_t creation) {
    (void)creation;
    assert_true(H5Lcreate_external("/tmp/x", "/y", file_id, "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void add_second_link(hid_t file_id, hid_t creation) {
    (void)creation;
    assert_true(H5Lcreate_hard(file_id, "/", file_id, "x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void add_type(hid_t file_id, hid_t creation) {
    (void)creation;
    hid_t type = H5Tcopy(H5T_IEEE_F64LE), of_type = H5Pcreate(H5P_DATATYPE_CREATE);
    assert_true(H5Pset_obj_track_times(of_type, false) >= 0);
    assert_true(H5Tcommit2(file_id, "x", type, H5P_DEFAULT, of_type, H5P_DEFAULT) >= 0);
    assert_true(H5Pclose(of_type) >= 0);
    assert_true(H5Tclose(type) >= 0);
}

static void add_dense_group(hid_t file_id, hid_t creation) {
    (void)creation;
    char name[8];
    for (int k = 0; k < 20; k++) { /* more than a list holds by default */
        (void)snprintf(name, sizeof name, "%d", k);
        hid_t group = H5Gcreate2(file_id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(group >= 0 && H5Gclose(group) >= 0);
    }
}

static void add_nothing(hid_t file_id, hid_t creation) {
    (void)file_id;
    (void)creation;
}

/* A file with one thing in it, made by libhdf5 without times but where that thing asks for them. */
static file foreign_file(const char *path, H5F_libver_t version,
                         void (*add)(hid_t file_id, hid_t creation)) {
    hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t of_set = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_userblock(creation, RM2I_H5_BLOCK) >= 0);
    assert_true(H5Pset_obj_track_times(creation, false) >= 0);
    assert_true(H5Pset_obj_track_times(of_set, false) >= 0);
    assert_true(H5Pset_libver_bounds(access, version, H5F_LIBVER_LATEST) >= 0);
    assert_true(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0);
    if (version == H5F_LIBVER_V18)
        assert_true(H5Pset_libver_bounds(access, version, version) >= 0);
    hid_t file_id = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    assert_true(file_id >= 0);
    add(file_id, of_set);
    assert_true(H5Fclose(file_id) >= 0);
    (void)H5Pclose(creation);
    (void)H5Pclose(access);
    (void)H5Pclose(of_set);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    file made = {.bytes = malloc(1 << 16)};
    assert_non_null(made.bytes);
    made.size = fread(made.bytes, 1, 1 << 16, stream);
    assert_int_equal(fclose(stream), 0);
    rm2i_h5_seal(made.bytes, made.size);
    return made;
}

static void other_parts_of_hdf5_are_refused(void **state) {
    (void)state;
    static const struct {
        void (*add)(hid_t file_id, hid_t creation);
        H5F_libver_t version;
        const char *reason;
    } cases[] = {
        {add_chunked, H5F_LIBVER_V18, "not in one piece"},
        {add_packed, H5F_LIBVER_V18, "message of type 11 is unknown"},
        {add_compact, H5F_LIBVER_V18, "not in one piece"},
        {add_single_precision, H5F_LIBVER_V18, "datatype other than"},
        {add_big_endian, H5F_LIBVER_V18, "datatype other than"},
        {add_signed, H5F_LIBVER_V18, "datatype other than"},
        {add_variable_text, H5F_LIBVER_V18, "datatype other than"},
        {add_without_values, H5F_LIBVER_V18, "beyond the end of the file"},
        {add_null_space, H5F_LIBVER_V18, "dataspace"},
        {add_external, H5F_LIBVER_V18, "message of type 7 is unknown"},
        {add_times, H5F_LIBVER_V18, "object header of version 2 with flags 3"},
        {add_attribute, H5F_LIBVER_V18, "message with flags 4"},
        {add_soft_link, H5F_LIBVER_V18, "unknown kind of link"},
        {add_link_to_a_file, H5F_LIBVER_V18, "unknown kind of link"},
        {add_second_link, H5F_LIBVER_V18, "message with flags 4"},
        {add_type, H5F_LIBVER_V18, "message with flags 5"},
        {add_dense_group, H5F_LIBVER_V18, "message of type 2 is unknown"},
        {add_nothing, H5F_LIBVER_EARLIEST, "superblock of version 0"},
        {add_nothing, H5F_LIBVER_V110, "superblock of version 3"},
    };
    char path[] = "/tmp/rm2-test-forged-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        file f = foreign_file(path, cases[k].version, cases[k].add);
        if (survives(f.bytes, f.size))
            fail_msg("case %zu, \"%s\", is read", k, cases[k].reason);
        if (!strstr(rm2_context_error(ctx), cases[k].reason))
            fail_msg("\"%s\" is not in: %s", cases[k].reason, rm2_context_error(ctx));
        assert_non_null(strstr(rm2_context_error(ctx), "not written by riemann2"));
        free(f.bytes);
    }
    assert_int_equal(unlink(path), 0);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* The most objects that bytes can be: groups with names of few letters. */
static void many_objects(void **state) {
    (void)state;
    enum { MANY = 1000 };
    char name[16];
    rm2i_h5_writer *h5;
    file f;
    ok(rm2i_h5_create(ctx, &h5));
    for (size_t k = 0; k < MANY; k++) {
        (void)snprintf(name, sizeof name, "%zx/e", k);
        ok(rm2i_h5_put_texts(ctx, h5, name, 0, NULL));
    }
    ok(rm2i_h5_to_bytes(ctx, h5, &f.bytes, &f.size));
    assert_true(survives(f.bytes, f.size));
    free(f.bytes);
}

static rm2_status open_and_read(void *state) {
    const file *f = state;
    size_t any[2] = {SIZE_MAX, SIZE_MAX}, count = SIZE_MAX;
    rm2i_h5 *h5;
    double *values = NULL;
    char **texts = NULL;
    rm2_status status = rm2i_h5_open_bytes(ctx, f->bytes, f->size, "memory", &h5);
    if (status == RM2_OK)
        status = rm2i_h5_get_doubles(ctx, h5, "a/X", 2, any, &values);
    if (status == RM2_OK)
        status = rm2i_h5_get_texts(ctx, h5, "ids", &count, &texts);
    if (texts)
        rm2i_texts_free(texts, count);
    free(values);
    rm2i_h5_close(h5);
    return status;
}

static void allocations_may_fail(void **state) {
    (void)state;
    file f = valid_file();
    assert_true(fail_each_allocation(ctx, open_and_read, &f) >= 8);
    free(f.bytes);
}

static rm2_status write_bytes(void *state) {
    const file *f = state;
    rm2i_h5_writer *h5;
    rm2_status status = rm2i_h5_create(ctx, &h5);
    if (status == RM2_OK)
        status = fill(h5);
    if (status != RM2_OK) {
        rm2i_h5_discard(h5);
        return status;
    }
    file written;
    status = rm2i_h5_to_bytes(ctx, h5, &written.bytes, &written.size);
    if (status == RM2_OK) {
        assert_int_equal(written.size, f->size);
        assert_memory_equal(written.bytes, f->bytes, f->size);
    }
    free(written.bytes);
    return status;
}

static void allocations_of_a_writer_may_fail(void **state) {
    (void)state;
    file f = valid_file();
    assert_true(fail_each_allocation(ctx, write_bytes, &f) >= 4);
    free(f.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_may_say_anything),
        cmocka_unit_test(several_changes_at_once),
        cmocka_unit_test(every_end),
        cmocka_unit_test(circles_are_refused),
        cmocka_unit_test(continuation_of_itself),
        cmocka_unit_test(other_parts_of_hdf5_are_refused),
        cmocka_unit_test(many_objects),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(allocations_of_a_writer_may_fail),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
