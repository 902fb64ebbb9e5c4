/* Small files as a whole, and the limits that keep streams without an end out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "front/tables.h"
#include "io_fixture.h"
#include "riemann2/io.h"

static int set_up(void **state) {
    return fixture_set_up(state, "file.txt");
}

static void write_file(const fixture *f, const void *bytes, size_t size) {
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void files_are_read_as_a_whole(void **state) {
    fixture *f = *state;
    static const char bytes[] = "a\0b\n";
    char *text;
    size_t size;
    bool whole = false;
    write_file(f, bytes, 4);
    const size_t limits[] = {4, 5};
    for (size_t k = 0; k < 2; k++) {
        assert_int_equal(rm2_file_read(f->ctx, f->path, limits[k], &text, &size, &whole), RM2_OK);
        assert_true(whole);
        assert_int_equal(size, 4);
        assert_memory_equal(text, bytes, 5); /* with a NUL behind them */
        rm2_free(text);
    }
    write_file(f, bytes, 0);
    assert_int_equal(rm2_file_read(f->ctx, f->path, 0, &text, &size, NULL), RM2_OK);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    rm2_free(text);
    assert_int_equal(rm2_file_read(f->ctx, f->path, SIZE_MAX, &text, &size, NULL), RM2_ERR_MEMORY);
    assert_null(text);
    assert_int_equal(rm2_file_read(f->ctx, f->directory, 9, &text, &size, NULL), RM2_ERR_IO);
    assert_non_null(strstr(rm2_context_error(f->ctx), "it is a directory"));
}

static void larger_files_are_refused(void **state) {
    fixture *f = *state;
    char *text;
    size_t size;
    bool whole = true;
    write_file(f, "hello", 5);
    assert_int_equal(rm2_file_read(f->ctx, f->path, 4, &text, &size, NULL), RM2_ERR_FORMAT);
    assert_null(text);
    assert_int_equal(size, 0);
    assert_non_null(strstr(rm2_context_error(f->ctx), f->path));
    assert_non_null(strstr(rm2_context_error(f->ctx), "has more than 4 bytes, the limit"));
    assert_int_equal(rm2_file_read(f->ctx, f->path, 4, &text, &size, &whole), RM2_OK);
    assert_false(whole);
    assert_string_equal(text, "hell");
    assert_int_equal(size, 4);
    rm2_free(text);
}

static void streams_have_a_limit(void **state) {
    fixture *f = *state;
    char *text;
    size_t size;
    bool whole = true;
    assert_int_equal(rm2_file_read(f->ctx, "/dev/zero", 100000, &text, &size, NULL),
                     RM2_ERR_FORMAT);
    assert_non_null(
        strstr(rm2_context_error(f->ctx), "/dev/zero has more than 100000 bytes, the limit"));
    assert_int_equal(rm2_file_read(f->ctx, "/dev/zero", 10, &text, &size, &whole), RM2_OK);
    assert_false(whole);
    assert_int_equal(size, 10);
    rm2_free(text);
}

/* A table knows its limit before the first row of a file, and while it reads a stream. */
static void tables_have_a_limit(void **state) {
    fixture *f = *state;
    static const char table[] = "1,2\n3,4\n";
    rm2_csv_settings settings = rm2_csv_settings_default();
    rm2_table t;
    write_file(f, table, sizeof table - 1);
    settings.most_bytes = sizeof table - 1;
    assert_int_equal(rm2_csv_read(f->ctx, f->path, &settings, &t), RM2_OK);
    assert_int_equal(t.rows, 2);
    rm2_table_clear(&t);
    settings.most_bytes--;
    assert_int_equal(rm2_csv_read(f->ctx, f->path, &settings, &t), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(f->ctx), "has more than 7 bytes, the limit"));
    assert_null(t.values);
    assert_int_equal(rm2_csv_parse(f->ctx, "t", table, sizeof table - 1, &settings, &t),
                     RM2_ERR_FORMAT);
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], table, sizeof table - 1), sizeof table - 1);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    /* the other end stays open: more could follow */
    settings.most_bytes = 1;
    assert_int_equal(rm2_csv_read(f->ctx, path, &settings, &t), RM2_ERR_FORMAT);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_are_read_as_a_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(larger_files_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(streams_have_a_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_have_a_limit, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
