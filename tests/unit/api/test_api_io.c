/* io.h: arguments that are missing are named, and results are empty. */
#include <unistd.h>

#include "api.h"
#include "front/arrays.h"
#include "front/tables.h"

static const char csv[] = "a,b\n1,2\n";

static void tables(void **state) {
    rm2_context *ctx = *state;
    rm2_table table;
    rm2_csv_settings s = rm2_csv_settings_default();
    assert_int_equal(s.header, RM2_HEADER_AUTO);
    NO_CONTEXT(rm2_csv_read(NULL, "x.csv", NULL, &table));
    MISSING("table", rm2_csv_read(ctx, "x.csv", NULL, NULL));
    MISSING("path", rm2_csv_read(ctx, NULL, NULL, &table));
    assert_null(table.values);
    NO_CONTEXT(rm2_csv_parse(NULL, "x", csv, sizeof csv - 1, NULL, &table));
    MISSING("table", rm2_csv_parse(ctx, "x", csv, sizeof csv - 1, NULL, NULL));
    MISSING("name", rm2_csv_parse(ctx, NULL, csv, sizeof csv - 1, NULL, &table));
    MISSING("bytes", rm2_csv_parse(ctx, "x", NULL, 1, NULL, &table));
    s.text_count = 1;
    REFUSED("settings.text is NULL", rm2_csv_parse(ctx, "x", csv, sizeof csv - 1, &s, &table));
    s = rm2_csv_settings_default();
    s.numeric_count = 1;
    REFUSED("settings.numeric is NULL", rm2_csv_parse(ctx, "x", csv, sizeof csv - 1, &s, &table));
    s = rm2_csv_settings_default();
    s.header = (rm2_header)77;
    REFUSED("settings.header is 77", rm2_csv_parse(ctx, "x", csv, sizeof csv - 1, &s, &table));
    assert_null(table.values);
    rm2_table_clear(NULL);
    assert_int_equal(rm2_table_column(NULL, "a"), SIZE_MAX);
    assert_int_equal(rm2_table_column(&table, NULL), SIZE_MAX);
}

static void chosen_columns(void **state) {
    rm2_context *ctx = *state;
    const rm2_table table = {.columns = 3};
    rm2_column_choice choice = {.columns = "0-1"};
    size_t chosen[3], count;
    NO_CONTEXT(rm2_table_choose(NULL, "x", &table, &choice, chosen, &count));
    MISSING("source", rm2_table_choose(ctx, NULL, &table, &choice, chosen, &count));
    MISSING("table", rm2_table_choose(ctx, "x", NULL, &choice, chosen, &count));
    MISSING("choice", rm2_table_choose(ctx, "x", &table, NULL, chosen, &count));
    MISSING("chosen", rm2_table_choose(ctx, "x", &table, &choice, NULL, &count));
    MISSING("count", rm2_table_choose(ctx, "x", &table, &choice, chosen, NULL));
    choice.role_count = 1;
    MISSING("choice->roles", rm2_table_choose(ctx, "x", &table, &choice, chosen, &count));
}

/* ---- files of named arrays ------------------------------------------------------------------- */

static rm2_status open_none(rm2_context *ctx, const char *path, void **file,
                            const rm2_archive_entry **entries, size_t *count) {
    static const rm2_archive_entry entry = {
        .name = "odd", .refused = "it cannot be read"}; /* an array of a format of one's own */
    (void)ctx;
    *file = (void *)path;
    *entries = &entry;
    *count = 1;
    return RM2_OK;
}

static rm2_status no_array(rm2_context *ctx, void *file, size_t index, rm2_array *array) {
    (void)file;
    (void)index;
    (void)array;
    return rm2_context_fail(ctx, RM2_ERR_DATA, "never called");
}

static rm2_status no_texts(rm2_context *ctx, void *file, size_t index, rm2_texts *texts) {
    (void)texts;
    return no_array(ctx, file, index, NULL);
}

static void close_none(void *file) {
    (void)file;
}

static const rm2_archive_format own = {sizeof own, ".own",   false,     open_none,
                                       no_array,   no_texts, close_none};

static void registered_formats(void **state) {
    rm2_context *ctx = *state;
    rm2_archive_format other = own;
    NO_CONTEXT(rm2_archive_register(NULL, &own));
    MISSING("format", rm2_archive_register(ctx, NULL));
    other.open = NULL;
    MISSING("format->open", rm2_archive_register(ctx, &other));
    other = own;
    static const char *const bad[] = {NULL, "", "own", ".", ".O", ".a b"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        other.extension = bad[k];
        REFUSED("must be a dot, then small letters", rm2_archive_register(ctx, &other));
    }
    static const char *const taken[] = {".npz", ".npy", ".csv", ".txt", ".own"};
    assert_int_equal(rm2_archive_register(ctx, &own), RM2_OK);
    assert_int_equal(rm2_archive_register(ctx, &own), RM2_OK);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
        other.extension = taken[k];
        REFUSED("belongs to another format", rm2_archive_register(ctx, &other));
    }
    assert_ptr_equal(rm2_archive_format_of(ctx, "a/b.OWN"), &own);
    assert_null(rm2_archive_format_of(NULL, "b.own"));
    assert_null(rm2_archive_format_of(ctx, "own"));
    assert_null(rm2_archive_format_of(ctx, NULL));
    assert_non_null(rm2_archive_format_of(NULL, "b.npz"));
}

static void named_arrays(void **state) {
    rm2_context *ctx = *state;
    rm2_archive *archive;
    rm2_array array;
    rm2_texts texts;
    NO_CONTEXT(rm2_archive_open(NULL, "a.npz", &archive));
    MISSING("archive", rm2_archive_open(ctx, "a.npz", NULL));
    MISSING("path", rm2_archive_open(ctx, NULL, &archive));
    assert_int_equal(rm2_archive_register(ctx, &own), RM2_OK);
    assert_int_equal(rm2_archive_open(ctx, "b.own", &archive), RM2_OK);
    assert_ptr_equal(rm2_archive_format_used(archive), &own);
    assert_int_equal(rm2_archive_count(archive), 1);
    assert_null(rm2_archive_entry_at(archive, 1));
    NO_CONTEXT(rm2_archive_array(NULL, archive, 0, &array));
    MISSING("array", rm2_archive_array(ctx, archive, 0, NULL));
    MISSING("archive", rm2_archive_array(ctx, NULL, 0, &array));
    REFUSED("no array number 1; there are 1", rm2_archive_array(ctx, archive, 1, &array));
    assert_int_equal(rm2_archive_array(ctx, archive, 0, &array), RM2_ERR_UNSUPPORTED);
    assert_contains(rm2_context_error(ctx), "it cannot be read");
    NO_CONTEXT(rm2_archive_texts(NULL, archive, 0, &texts));
    MISSING("texts", rm2_archive_texts(ctx, archive, 0, NULL));
    MISSING("archive", rm2_archive_texts(ctx, NULL, 0, &texts));
    assert_int_equal(rm2_archive_find(archive, "odd"), 0);
    assert_int_equal(rm2_archive_find(archive, NULL), SIZE_MAX);
    char list[24] = "kept";
    rm2_archive_list(archive, NULL, 4);
    rm2_archive_list(archive, list, 0);
    assert_string_equal(list, "kept");
    rm2_archive_list(archive, list, 8);
    assert_string_equal(list, "...");
    rm2_archive_list(NULL, list, sizeof list);
    assert_string_equal(list, "");
    rm2_archive_close(archive);
    rm2_archive_close(NULL);
    assert_null(rm2_archive_format_used(NULL));
    assert_int_equal(rm2_archive_count(NULL), 0);
    assert_null(rm2_archive_entry_at(NULL, 0));
}

static void lists_of_texts(void **state) {
    rm2_context *ctx = *state;
    const char *list[] = {"b", "a", "b"};
    rm2_texts texts;
    NO_CONTEXT(rm2_texts_create(NULL, 3, list, &texts));
    MISSING("texts", rm2_texts_create(ctx, 3, list, NULL));
    MISSING("list", rm2_texts_create(ctx, 3, NULL, &texts));
    assert_int_equal(rm2_texts_create(ctx, 3, list, &texts), RM2_OK);
    assert_int_equal(texts.distinct_count, 2);
    assert_true(texts.codes[0] == 0 && texts.codes[1] == 1 && texts.codes[2] == 0);
    rm2_texts_clear(&texts);
    list[1] = NULL;
    REFUSED("list[1] is NULL", rm2_texts_create(ctx, 3, list, &texts));
    assert_null(texts.codes);
}

static void written_tables(void **state) {
    rm2_context *ctx = *state;
    double values[] = {1, 2};
    rm2_table table = {.rows = 1, .columns = 2, .values = values};
    NO_CONTEXT(rm2_csv_write(NULL, "x.csv", &table, false));
    MISSING("path", rm2_csv_write(ctx, NULL, &table, false));
    MISSING("table", rm2_csv_write(ctx, "x.csv", NULL, false));
    table.values = NULL;
    MISSING("table->values", rm2_csv_write(ctx, "x.csv", &table, false));
    table.values = values;
    table.texts = (char **[2]){NULL, NULL};
    MISSING("table->text_counts", rm2_csv_write(ctx, "x.csv", &table, false));
}

static void arrays(void **state) {
    rm2_context *ctx = *state;
    double values[] = {1, 2};
    rm2_array array = {.dims = 1, .shape = {2}, .values = values}, read;
    assert_int_equal(rm2_array_count(NULL), 0);
    rm2_array_clear(NULL);
    NO_CONTEXT(rm2_npy_read(NULL, "x.npy", &read));
    MISSING("array", rm2_npy_read(ctx, "x.npy", NULL));
    MISSING("path", rm2_npy_read(ctx, NULL, &read));
    assert_null(read.values);
    NO_CONTEXT(rm2_npy_write(NULL, "x.npy", &array, false));
    MISSING("path", rm2_npy_write(ctx, NULL, &array, false));
    MISSING("array", rm2_npy_write(ctx, "x.npy", NULL, false));
    array.values = NULL;
    MISSING("array->values", rm2_npy_write(ctx, "x.npy", &array, false));
}

static void lists_of_arrays(void **state) {
    rm2_context *ctx = *state;
    double values[] = {1};
    rm2_array array = {.dims = 1, .shape = {1}, .values = values};
    NO_CONTEXT(rm2_npz_write(NULL, "x.npz", &array, 1, false));
    MISSING("path", rm2_npz_write(ctx, NULL, &array, 1, false));
    MISSING("arrays", rm2_npz_write(ctx, "x.npz", NULL, 1, false));
}

static void writers(void **state) {
    rm2_context *ctx = *state;
    rm2_writer *writer;
    NO_CONTEXT(rm2_writer_open(NULL, "x", false, &writer));
    MISSING("output", rm2_writer_open(ctx, "x", false, NULL));
    MISSING("path", rm2_writer_open(ctx, NULL, false, &writer));
    assert_null(writer);
    assert_null(rm2_writer_stream(NULL));
    NO_CONTEXT(rm2_writer_commit(NULL, NULL));
    MISSING("output", rm2_writer_commit(ctx, NULL));
    rm2_writer_discard(NULL);
}

static void small_files(void **state) {
    rm2_context *ctx = *state;
    char *text;
    size_t size;
    bool whole;
    NO_CONTEXT(rm2_file_read(NULL, "x", 9, &text, &size, &whole));
    MISSING("text", rm2_file_read(ctx, "x", 9, NULL, &size, &whole));
    MISSING("size", rm2_file_read(ctx, "x", 9, &text, NULL, &whole));
    MISSING("path", rm2_file_read(ctx, NULL, 9, &text, &size, &whole));
    assert_null(text);
    assert_int_equal(rm2_file_read(ctx, "/no/such/file", 9, &text, &size, NULL), RM2_ERR_IO);
    assert_null(text);
}

static void writers_into_memory(void **state) {
    rm2_context *ctx = *state;
    rm2_writer *writer;
    char *text;
    size_t size;
    NO_CONTEXT(rm2_writer_open_memory(NULL, &writer));
    MISSING("output", rm2_writer_open_memory(ctx, NULL));
    NO_CONTEXT(rm2_writer_consume(NULL, NULL, &text, &size));
    MISSING("text", rm2_writer_consume(ctx, NULL, NULL, &size));
    MISSING("output", rm2_writer_consume(ctx, NULL, &text, &size));
    assert_null(text);
    MUST(rm2_writer_open_memory(ctx, &writer));
    (void)fputs("abc", rm2_writer_stream(writer));
    MUST(rm2_writer_consume(ctx, writer, &text, &size));
    assert_string_equal(text, "abc");
    assert_int_equal(size, 3);
    rm2_free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(writers_into_memory), WITH_CONTEXT(tables),
        WITH_CONTEXT(chosen_columns),      WITH_CONTEXT(registered_formats),
        WITH_CONTEXT(named_arrays),        WITH_CONTEXT(lists_of_texts),
        WITH_CONTEXT(written_tables),      WITH_CONTEXT(arrays),
        WITH_CONTEXT(lists_of_arrays),     WITH_CONTEXT(writers),
        WITH_CONTEXT(small_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
