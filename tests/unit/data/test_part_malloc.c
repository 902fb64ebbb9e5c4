/* Every allocation on the way to a plan and to a part fails once: the call answers RM2_ERR_MEMORY and leaks nothing. And a
 * part asks for memory in proportion to its rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "parts_fixture.h"
#include "zip_forge.h"

enum { ROWS = 100000, PARTS = 10, HEADER = 256, STORED = 0, DEFLATED = 8 };

typedef struct files {
    rm2_context *ctx;
    rm2_manifold *m;
    char folder[32], path[64];
    reading how;
    rm2i_raw_plan plan;
} files;

static files shared;

static int set_up(void **state) {
    files *f = *state = &shared;
    (void)strcpy(f->folder, "/tmp/rm2_malloc_XXXXXX");
    return rm2_context_create(&f->ctx) == RM2_OK && mkdtemp(f->folder) &&
                   rm2_manifold_create(f->ctx, "R2", &f->m) == RM2_OK
               ? 0
               : -1;
}

static int tear_down(void **state) {
    files *f = *state;
    rm2_manifold_free(f->m);
    rm2_context_free(f->ctx);
    return rmdir(f->folder);
}

static void use_file(files *f, const char *name) {
    (void)snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
    f->how =
        (reading){.path = f->path, .settings = rm2_data_settings_default(), .wanted = {f->m, 2}};
}

/* ---- files ---------------------------------------------------------------------------------- */

static void write_table(const files *f, size_t rows) {
    FILE *file = fopen(f->how.path, "wb");
    assert_non_null(file);
    (void)fputs("id,time,x,y\n", file);
    for (size_t i = 0; i < rows; i++)
        (void)fprintf(file, "\"a \"\"%zu\"\"\",%zu,%zu,1\n", i / 1000, i, i);
    assert_int_equal(fclose(file), 0);
}

/* An array of zeros; returns its bytes. */
static size_t make_zeros(char *bytes, const char *type, size_t rows, size_t columns) {
    int length = snprintf(bytes + 10, HEADER - 10,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu), }\n", type,
                          rows, columns);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (char)length;
    return 10 + (size_t)length + rows * columns * 8;
}

static void write_archive(const files *f, unsigned method, size_t rows) {
    static zip_forge zip;
    static char points[HEADER + ROWS * 16], ids[HEADER + ROWS * 8], times[HEADER + ROWS * 8];
    zip_member members[] = {
        {.name = "points.npy", .data = points, .size = make_zeros(points, ">f8", rows, 2)},
        {.name = "id.npy", .data = ids, .size = make_zeros(ids, "<i8", rows, 1)},
        {.name = "time.npy", .data = times, .size = make_zeros(times, "<f8", rows, 1)},
    };
    zip.size = 0;
    for (size_t k = 0; k < 3; k++)
        zip_put_member(&zip, method, &members[k]);
    zip_put_directory(&zip, method, members, 3);
    write_bytes(f->how.path, zip.bytes, zip.size);
}

/* ---- failures ------------------------------------------------------------------------------- */

static rm2_status plan_file(void *state) {
    files *f = state;
    rm2i_raw_plan plan;
    rm2_status status = make_plan(f->ctx, &f->how, 3, &plan);
    assert_true((status == RM2_OK) == (plan.memory != NULL));
    rm2i_raw_plan_free(&plan);
    return status;
}

static rm2_status read_second(void *state) {
    files *f = state;
    rm2i_raw part;
    rm2_status status = read_part(f->ctx, &f->how, &f->plan, 1, &part);
    rm2i_raw_free(&part);
    return status;
}

static void expect_no_leaks(files *f) {
    f->how.settings.group = "id";
    f->how.settings.time = "time";
    assert_true(fail_each_allocation(f->ctx, plan_file, f) >= 8);
    assert_int_equal(make_plan(f->ctx, &f->how, 3, &f->plan), RM2_OK);
    assert_true(fail_each_allocation(f->ctx, read_second, f) >= 15);
    rm2i_raw_plan_free(&f->plan);
    assert_int_equal(unlink(f->how.path), 0);
}

static void tables(void **state) {
    use_file(*state, "data.csv");
    write_table(*state, 20);
    expect_no_leaks(*state);
}

static void archives(void **state) {
    use_file(*state, "data.npz");
    write_archive(*state, STORED, 20);
    expect_no_leaks(*state);
    write_archive(*state, DEFLATED, 20);
    expect_no_leaks(*state);
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Bytes that were asked for: at most `fixed` and those of the part, if rows take their share of those of the whole. */
static void expect_share(files *f, size_t fixed) {
    rm2i_raw raw;
    f->how.settings.group = "id";
    f->how.settings.time = "time";
    (void)bytes_requested();
    assert_int_equal(read_whole(f->ctx, &f->how, &raw), RM2_OK);
    size_t whole = bytes_requested();
    assert_int_equal(raw.rows, ROWS);
    rm2i_raw_free(&raw);
    (void)bytes_requested();
    assert_int_equal(make_plan(f->ctx, &f->how, PARTS, &f->plan), RM2_OK);
    size_t plan = bytes_requested();
    assert_true(plan <= fixed);
    for (size_t k = 0; k < PARTS; k++) {
        (void)bytes_requested();
        assert_int_equal(read_part(f->ctx, &f->how, &f->plan, k, &raw), RM2_OK);
        size_t part = bytes_requested();
        if (part > fixed + 3 * whole / (2 * PARTS)) /* rows grow by half */
            fail_msg("part %zu: %zu bytes, the whole %zu", k, part, whole);
        rm2i_raw_free(&raw);
    }
    assert_true(whole > 2 * fixed);
    rm2i_raw_plan_free(&f->plan);
    assert_int_equal(unlink(f->how.path), 0);
}

static void memory_of_tables(void **state) {
    use_file(*state, "data.csv");
    write_table(*state, ROWS);
    expect_share(*state, (1 << 20) + (1 << 16)); /* the window */
}

static void memory_of_archives(void **state) {
    use_file(*state, "data.npz");
    write_archive(*state, DEFLATED, ROWS);
    expect_share(*state, 12 << 16); /* buffers for packed data and conversion, of each array */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables),
        cmocka_unit_test(archives),
        cmocka_unit_test(memory_of_tables),
        cmocka_unit_test(memory_of_archives),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
