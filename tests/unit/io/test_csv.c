/* CSV and TSV: what is read, what is refused and with which words, and that writing and reading
 * give the same bits. All comparisons are exact: nothing here may round. */
#include <fcntl.h>
#include <locale.h>
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

#include "front/base.h"
#include "front/tables.h"
#include "io_fixture.h"
#include "riemann2/io.h"

enum { WINDOW = 1 << 20 }; /* bytes the reader takes at a time */

static int set_up(void **state) {
    return fixture_set_up(state, "table.csv");
}

static rm2_table parse_with(fixture *f, const char *text, const rm2_csv_settings *settings) {
    rm2_table table;
    rm2_status status = rm2_csv_parse(f->ctx, "t.csv", text, strlen(text), settings, &table);
    if (status != RM2_OK)
        fail_msg("'%.60s': %s", text, rm2_context_error(f->ctx));
    return table;
}

static rm2_table parse(fixture *f, const char *text) {
    return parse_with(f, text, NULL);
}

/* Numbers of the table, and its release. */
static void expect_values(rm2_table table, size_t rows, size_t columns, const double *values) {
    assert_int_equal(table.rows, rows);
    assert_int_equal(table.columns, columns);
    for (size_t i = 0; i < rows * columns; i++)
        if (isnan(values[i]))
            assert_true(isnan(table.values[i]));
        else
            assert_memory_equal(&table.values[i], &values[i], sizeof(double));
    rm2_table_clear(&table);
    assert_null(table.values);
}

/* Refused with this status, and all of these words in the message. */
static void expect_refusal_with(fixture *f, const char *text, size_t size,
                                const rm2_csv_settings *settings, rm2_status expected,
                                const char *const *words, size_t count) {
    rm2_table table;
    rm2_status status = rm2_csv_parse(f->ctx, "t.csv", text, size, settings, &table);
    const char *message = rm2_context_error(f->ctx);
    if (status != expected)
        fail_msg("'%.60s': status %d, %s", text, (int)status, message);
    for (size_t i = 0; i < count; i++)
        if (!strstr(message, words[i]))
            fail_msg("'%.60s': '%s' is not in: %s", text, words[i], message);
    assert_null(strchr(message, '\n'));
    assert_null(table.values);
    assert_int_equal(table.columns, 0);
    rm2_table_clear(&table);
}

#define WORDS(...)                                                                                 \
    (const char *const[]){__VA_ARGS__},                                                            \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)

static void expect_refusal(fixture *f, const char *text, rm2_status expected,
                           const char *const *words, size_t count) {
    expect_refusal_with(f, text, strlen(text), NULL, expected, words, count);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* ---- what is read --------------------------------------------------------------------------- */

static const double one_to_four[] = {1, 2, 3, 4};

static void every_delimiter_is_found(void **state) {
    fixture *f = *state;
    const char *const texts[] = {"1,2\n3,4\n", "1\t2\n3\t4\n", "1;2\n3;4\n", "1 2\n3 4\n",
                                 "  1   2 \n3\t 4  \n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_values(parse(f, texts[i]), 2, 2, one_to_four);
    rm2_csv_settings bar = rm2_csv_settings_default();
    bar.delimiter = '|';
    expect_values(parse_with(f, "1|2\n3|4", &bar), 2, 2, one_to_four);
}

static void every_line_end_is_read(void **state) {
    fixture *f = *state;
    const char *const texts[] = {
        "1,2\r\n3,4\r\n",
        "1,2\n3,4",
        "1,2\r\n3,4\r",
        "\n\n1,2\n  \n3,4\n\n",
        "# c\n1,2\n  # d, e \"\r\n3,4\n# end",
        "\xef\xbb\xbf\x31,2\n3,4", /* 31: a digit would belong to the byte before */
        " 1 , +2 \n\t3 ,\t4\t\n",
        "1,2,\n3,4,\n",
        "1,2\n3,4,\n",
        "\"1\",\"2\"\n\" 3 \", \"4\" \n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_values(parse(f, texts[i]), 2, 2, one_to_four);
}

static void numbers_keep_all_their_digits(void **state) {
    fixture *f = *state;
    expect_values(parse(f, "0.1,1e-5,-2.5E+3,.5,5.,1e400x\n1,2,3,4,5,6\n"), 1, 6,
                  (const double[]){1, 2, 3, 4, 5, 6}); /* 1e400x makes it a header */
    expect_values(parse(f, "0.1,1e-5,-2.5E+3\n0.30000000000000004,4.9e-324,-0\n"), 2, 3,
                  (const double[]){0.1, 1e-5, -2.5e3, 0.1 + 0.2, 4.9e-324, -0.0});
}

static void a_single_column_is_read(void **state) {
    fixture *f = *state;
    expect_values(parse(f, "x\n1\n2\n3\n4\n"), 4, 1, one_to_four);
    expect_values(parse(f, "1 \n2\n3\n4"), 4, 1, one_to_four);
}

static void lines_are_counted(void **state) {
    fixture *f = *state;
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.text = (const char *const[]){"id"};
    settings.text_count = 1;
    rm2_table table = parse_with(f, "# a\nid,x\n\n\"a\n\nb\",1\n# c\nd,2\r\n", &settings);
    assert_int_equal(table.rows, 2);
    assert_int_equal(table.lines[0], 4);
    assert_int_equal(table.lines[1], 8);
    assert_string_equal(table.texts[0][0], "a\n\nb");
    rm2_table_clear(&table);
}

static void header_is_recognised(void **state) {
    fixture *f = *state;
    rm2_table table = parse(f, "x, \"y \"\"1\"\"\" ,\"a,b\"\n1,2,3\n");
    assert_int_equal(table.rows, 1);
    assert_string_equal(table.names[0], "x");
    assert_string_equal(table.names[1], "y \"1\"");
    assert_string_equal(table.names[2], "a,b");
    assert_null(table.texts[0]);
    rm2_table_clear(&table);
    table = parse(f, "1,2\n3,4\n");
    assert_null(table.names);
    rm2_table_clear(&table);
    table = parse(f, ",x\n1,2\n");
    assert_string_equal(table.names[0], "");
    rm2_table_clear(&table);
    table = parse(f, "a,b,\n1,2,\n3,4\n");
    assert_int_equal(table.columns, 2);
    rm2_table_clear(&table);
}

static void header_can_be_set(void **state) {
    fixture *f = *state;
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.header = RM2_HEADER_YES;
    rm2_table table = parse_with(f, "2020,2021\n3,4\n", &settings);
    assert_int_equal(table.rows, 1);
    assert_string_equal(table.names[1], "2021");
    assert_int_equal(rm2_table_column(&table, "2021"), 1);
    rm2_table_clear(&table);
    settings.header = RM2_HEADER_NO;
    expect_refusal_with(f, "x,y\n1,2\n", 8, &settings, RM2_ERR_FORMAT,
                        WORDS("line 1", "column 1:", "'x'", "not a number"));
}

static void odd_headers_are_warned_of(void **state) {
    fixture *f = *state;
    rm2_table table = parse(f, "x,7\n1,2\n");
    assert_non_null(strstr(f->log, "'7'"));
    rm2_table_clear(&table);
    table = parse(f, "x,y,x\n1,2,3\n");
    assert_non_null(strstr(f->log, "two columns have the name 'x'"));
    assert_int_equal(rm2_table_column(&table, "x"), 0);
    rm2_table_clear(&table);
}

static void columns_are_found_by_name_and_number(void **state) {
    fixture *f = *state;
    rm2_table table = parse(f, "x,1,y\n1,2,3\n");
    assert_int_equal(rm2_table_column(&table, "y"), 2);
    assert_int_equal(rm2_table_column(&table, "1"), 1);
    assert_int_equal(rm2_table_column(&table, "2"), 2);
    assert_true(rm2_table_column(&table, "3") == SIZE_MAX);
    assert_true(rm2_table_column(&table, "") == SIZE_MAX);
    assert_true(rm2_table_column(&table, "-1") == SIZE_MAX);
    assert_true(rm2_table_column(&table, "99999999999999999999999") == SIZE_MAX);
    assert_true(rm2_table_column(&table, NULL) == SIZE_MAX);
    rm2_table_clear(&table);
}

static void text_columns_hold_codes(void **state) {
    fixture *f = *state;
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.text = (const char *const[]){"kind"};
    settings.text_count = 1;
    rm2_table table =
        parse_with(f, "x,kind\n1, b \n2,\"a \"\"q\"\", 1\"\n3,b\n4,\n5,12\n", &settings);
    const double codes[] = {0, 1, 0, 2, 3};
    const char *const texts[] = {"b", "a \"q\", 1", "", "12"};
    assert_int_equal(table.text_counts[1], 4);
    assert_int_equal(table.text_counts[0], 0);
    for (size_t i = 0; i < 5; i++)
        assert_true(table.values[2 * i + 1] == codes[i]);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(table.texts[1][i], texts[i]);
    rm2_table_clear(&table);
}

static void text_columns_by_number_say_nothing_about_the_header(void **state) {
    fixture *f = *state;
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.text = (const char *const[]){"0"};
    settings.text_count = 1;
    rm2_table table = parse_with(f, "a,1\nb,2\n", &settings);
    assert_int_equal(table.rows, 2);
    assert_null(table.names);
    rm2_table_clear(&table);
    table = parse_with(f, "id,x\nb,2\n", &settings);
    assert_int_equal(table.rows, 1);
    assert_string_equal(table.names[0], "id");
    rm2_table_clear(&table);
}

static void only_the_numeric_columns_must_be_numbers(void **state) {
    fixture *f = *state;
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.numeric = (const char *const[]){"x", "y"};
    settings.numeric_count = 2;
    expect_values(parse_with(f, "x,note,y\n1,\"good, \nreally\",2\n3,,4\n", &settings), 2, 3,
                  (const double[]){1, (double)NAN, 2, 3, (double)NAN, 4});
    settings.numeric = (const char *const[]){"0"};
    settings.numeric_count = 1;
    expect_values(parse_with(f, "1,a\n2,b\n", &settings), 2, 2,
                  (const double[]){1, (double)NAN, 2, (double)NAN});
}

/* Only z1 and z2, where the file has them; `user` counts the calls. */
static rm2_status choose_latents(void *user, const rm2_table *header, rm2_csv_settings *settings) {
    static const char *const names[] = {"z1", "z2"};
    ++*(size_t *)user;
    assert_int_equal(header->rows, 0);
    settings->numeric = names;
    settings->numeric_count = rm2_table_column(header, "z1") == SIZE_MAX ? 0 : 2;
    return header->columns == 9 ? RM2_ERR_UNSUPPORTED : RM2_OK;
}

static void columns_are_chosen_by_the_names_that_are_found(void **state) {
    fixture *f = *state;
    size_t calls = 0;
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.choose = choose_latents;
    settings.user = &calls;
    expect_values(parse_with(f, "# z1\n\nz2,note,z1\n1,a,2\n", &settings), 1, 3,
                  (const double[]){1, (double)NAN, 2});
    expect_values(parse_with(f, "1,2\n3,4\n", &settings), 2, 2, (const double[]){1, 2, 3, 4});
    expect_refusal_with(f, "z1,y\n1,2\n", 9, &settings, RM2_ERR_DATA,
                        WORDS("no column 'z2'", "z1, y"));
    rm2_table table;
    assert_int_equal(rm2_csv_parse(f->ctx, "t.csv", "1,2,3,4,5,6,7,8,9\n", 18, &settings, &table),
                     RM2_ERR_UNSUPPORTED);
    assert_null(table.values);
    assert_int_equal(calls, 4);
}

static void missing_values_become_nan_when_allowed(void **state) {
    fixture *f = *state;
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.allow_missing = true;
    const double n = (double)NAN;
    expect_values(parse_with(f, "a,b,c\n1,,NA\nnan,-NaN,3\n,,\n", &settings), 3, 3,
                  (const double[]){1, n, n, n, n, 3, n, n, n});
    expect_values(parse_with(f, "1,2,\n4,5,6\n", &settings), 2, 3,
                  (const double[]){1, 2, n, 4, 5, 6});
    expect_refusal_with(f, "1,2\n3,-inf\n", 11, &settings, RM2_ERR_DATA,
                        WORDS("line 2", "column 2", "'-inf'", "finite"));
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void values_that_are_no_numbers_are_refused(void **state) {
    fixture *f = *state;
    expect_refusal(f, "x,y\n1,2\n3,NaN\n", RM2_ERR_DATA,
                   WORDS("t.csv", "line 3", "column 2", "('y')", "'NaN'"));
    expect_refusal(f, "x,y\n1,\n", RM2_ERR_DATA, WORDS("line 2", "column 2 ('y')", "missing"));
    expect_refusal(f, "x,y\n,1\n", RM2_ERR_DATA, WORDS("line 2", "column 1 ('x')", "missing"));
    expect_refusal(f, "1,2\n+Inf,3\n", RM2_ERR_DATA, WORDS("line 2, column 1", "'+Inf'", "finite"));
    expect_refusal(f, "1,2\nInfinity,3\n", RM2_ERR_DATA, WORDS("'Infinity'", "finite"));
    expect_refusal(f, "1,2\n1e999,3\n", RM2_ERR_DATA, WORDS("'1e999'", "too large"));
    expect_refusal(f, "x,kind\n1,setosa\n", RM2_ERR_FORMAT,
                   WORDS("line 2", "column 2 ('kind')", "'setosa'", "not a number",
                         "settings.numeric", "settings.text"));
    expect_refusal(f, "1\n0x10\n", RM2_ERR_FORMAT, WORDS("'0x10'"));
    expect_refusal(f, "1\n1e\n", RM2_ERR_FORMAT, WORDS("'1e'"));
    expect_refusal(f, "1,2\n1 2,3\n", RM2_ERR_FORMAT, WORDS("'1 2'"));
    expect_refusal(f, "1,2\n\"a\n\x1b[31mb\",3\n", RM2_ERR_FORMAT, WORDS("line 2", "'a??[31mb'"));
    expect_refusal(f, "1\n0123456789012345678901234567890123456789x\n", RM2_ERR_FORMAT,
                   WORDS("'0123456789012345678901234567890123456789...'"));
}

static void decimal_commas_are_named(void **state) {
    fixture *f = *state;
    expect_refusal(f, "a;b\n1,5;2\n", RM2_ERR_FORMAT,
                   WORDS("line 2", "column 1 ('a')", "'1,5'", "decimal comma"));
    expect_refusal(f, "1,5;2,5\n3,5;4,5\n", RM2_ERR_FORMAT, WORDS("line 1", "decimal comma"));
    expect_refusal(f, "1,5\t2,5\n", RM2_ERR_FORMAT, WORDS("decimal comma"));
    expect_refusal(f, "x,y\n1,\"2,5\"\n", RM2_ERR_FORMAT, WORDS("'2,5'", "decimal comma"));
}

static void ragged_rows_are_refused(void **state) {
    fixture *f = *state;
    expect_refusal(f, "1,2,3\n4,5\n", RM2_ERR_FORMAT,
                   WORDS("line 2", "has 2 fields", "expected 3", "','"));
    expect_refusal(f, "1,2\n4,5,6,7\n", RM2_ERR_FORMAT, WORDS("has 4 fields", "expected 2"));
    expect_refusal(f, "1 2\n4\n", RM2_ERR_FORMAT, WORDS("has 1 field,", "blanks"));
    expect_refusal(f, "1\t2\n4,5\n", RM2_ERR_FORMAT, WORDS("line 2"));
    expect_refusal(f, "1,2\n3,4,,\n", RM2_ERR_FORMAT, WORDS("has 4 fields"));
    expect_refusal(f, "1,2\n3,4,\"\"\n", RM2_ERR_FORMAT, WORDS("has 3 fields"));
}

static void broken_quotes_and_line_ends_are_refused(void **state) {
    fixture *f = *state;
    expect_refusal(f, "x,y\n1,\"2\n3,4\n", RM2_ERR_FORMAT, WORDS("line 2", "quote", "not closed"));
    expect_refusal(f, "x,y\n1,\"2\"3\n", RM2_ERR_FORMAT,
                   WORDS("line 2", "after the closing quote"));
    expect_refusal(f, "x,y\r1,2\r3,4\r", RM2_ERR_FORMAT, WORDS("line 1", "carriage return"));
    expect_refusal(f, "1,2\n3\r,4\n", RM2_ERR_FORMAT, WORDS("line 2", "carriage return"));
}

static void what_is_no_table_is_refused(void **state) {
    fixture *f = *state;
    expect_refusal(f, "", RM2_ERR_FORMAT, WORDS("t.csv is empty"));
    expect_refusal(f, "\n \n# only\n", RM2_ERR_FORMAT, WORDS("no table"));
    expect_refusal(f, "\xef\xbb\xbf", RM2_ERR_FORMAT, WORDS("no table"));
    expect_refusal(f, "x,y\n", RM2_ERR_FORMAT, WORDS("header and no rows"));
    expect_refusal(f, "\x1f\x8b\x08", RM2_ERR_FORMAT, WORDS("gzip"));
    expect_refusal(f, "PK\x03\x04", RM2_ERR_FORMAT, WORDS("zip"));
    expect_refusal(f, "\x93NUMPY", RM2_ERR_FORMAT, WORDS(".npy"));
    expect_refusal_with(f,
                        "\xff\xfe"
                        "1\0,\0",
                        6, NULL, RM2_ERR_FORMAT, WORDS("UTF-16"));
    expect_refusal_with(f, "1,2\n3,\0004\n", 9, NULL, RM2_ERR_FORMAT, WORDS("NUL", "line 2"));
    expect_refusal_with(f, NULL, 0, NULL, RM2_ERR_FORMAT, WORDS("empty"));
}

static void unknown_columns_are_refused(void **state) {
    fixture *f = *state;
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.text = (const char *const[]){"kind"};
    settings.text_count = 1;
    expect_refusal_with(f, "x,y\n1,2\n", 8, &settings, RM2_ERR_DATA,
                        WORDS("no column 'kind'", "x, y"));
    settings.header = RM2_HEADER_NO;
    expect_refusal_with(f, "1,2\n", 4, &settings, RM2_ERR_DATA,
                        WORDS("no column 'kind'", "without a header", "0 to 1"));
    settings = rm2_csv_settings_default();
    settings.numeric = (const char *const[]){"2"};
    settings.numeric_count = 1;
    expect_refusal_with(f, "1,2\n", 4, &settings, RM2_ERR_DATA, WORDS("no column '2'"));
}

static void bad_arguments_are_refused(void **state) {
    fixture *f = *state;
    rm2_csv_settings settings = rm2_csv_settings_default();
    const char bad[] = {'"', '#', '\n', '\r', '1', '.', '-', '+', 'e', '\x01'};
    for (size_t i = 0; i < sizeof bad; i++) {
        settings.delimiter = bad[i];
        expect_refusal_with(f, "1,2", 3, &settings, RM2_ERR_ARGUMENT, WORDS("separate"));
    }
    rm2_table table;
    assert_int_equal(rm2_csv_parse(f->ctx, "t", "1", 1, NULL, NULL), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_csv_read(f->ctx, NULL, NULL, &table), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_csv_read(f->ctx, "", NULL, &table), RM2_ERR_ARGUMENT);
    rm2_table_clear(NULL);
}

/* ---- files ---------------------------------------------------------------------------------- */

static void unreadable_paths_are_named(void **state) {
    fixture *f = *state;
    rm2_table table;
    assert_int_equal(rm2_csv_read(f->ctx, "/nowhere/x.csv", NULL, &table), RM2_ERR_IO);
    assert_non_null(strstr(rm2_context_error(f->ctx), "/nowhere/x.csv: No such file or directory"));
    assert_int_equal(rm2_csv_read(f->ctx, f->directory, NULL, &table), RM2_ERR_IO);
    assert_non_null(strstr(rm2_context_error(f->ctx), "is a directory"));
    rm2_table_clear(&table);
}

static void files_and_pipes_are_read(void **state) {
    fixture *f = *state;
    rm2_table table;
    write_file(f->path, "1,2\n3,4\n");
    assert_int_equal(rm2_csv_read(f->ctx, f->path, NULL, &table), RM2_OK);
    expect_values(table, 2, 2, one_to_four);
    int ends[2];
    char path[32];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], "1 2\n3 4\n", 8), 8);
    (void)close(ends[1]);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_int_equal(rm2_csv_read(f->ctx, path, NULL, &table), RM2_OK);
    expect_values(table, 2, 2, one_to_four);
    (void)close(ends[0]);
}

static void reading_can_be_interrupted(void **state) {
    fixture *f = *state;
    rm2_table table;
    write_file(f->path, "1,2\n3,4\n");
    rm2_context_interrupt(f->ctx);
    assert_int_equal(rm2_csv_read(f->ctx, f->path, NULL, &table), RM2_INTERRUPTED);
    rm2_context_clear_interrupt(f->ctx);
}

/* A sample with everything that spans characters is moved over the end of the window byte by
 * byte; the result must not depend on where the window ends. */
static void windows_end_anywhere(void **state) {
    fixture *f = *state;
    const char *sample = "id,x\r\n# note\r\n\"a \"\"b\"\"\r\nc\",-1.25e-3\r\n\r\n  d , 17 ,\r\n";
    size_t size = strlen(sample);
    char *text = malloc(WINDOW + size);
    assert_non_null(text);
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.text = (const char *const[]){"id"};
    settings.text_count = 1;
    for (size_t before = 0; before <= size + 1; before++) {
        size_t start = WINDOW - 1 - before;
        memset(text, '#', start);
        text[start - 1] = '\n';
        memcpy(text + start, sample, size);
        rm2_table table;
        assert_int_equal(rm2_csv_parse(f->ctx, "t", text, start + size, &settings, &table), RM2_OK);
        assert_int_equal(table.rows, 2);
        assert_true(table.values[1] == -1.25e-3 && table.values[3] == 17);
        assert_string_equal(table.texts[0][0], "a \"b\"\r\nc");
        assert_string_equal(table.texts[0][1], "d");
        assert_int_equal(table.text_counts[0], 2);
        assert_int_equal(table.lines[0], 4);
        assert_int_equal(table.lines[1], 7);
        rm2_table_clear(&table);
    }
    free(text);
}

/* Rows longer than the window, and rows by the hundred thousand. */
static void long_and_many_rows_are_read(void **state) {
    fixture *f = *state;
    const struct { size_t rows, columns; } sizes[] = {{3, 400000}, {400000, 3}};
    for (size_t k = 0; k < 2; k++) {
        size_t rows = sizes[k].rows, columns = sizes[k].columns, used = 0;
        char *text = malloc(rows * columns * 8 + 1);
        assert_non_null(text);
        for (size_t i = 0; i < rows * columns; i++)
            used += (size_t)sprintf(text + used, "%zu%c", i, (i + 1) % columns ? ',' : '\n');
        rm2_table table;
        assert_int_equal(rm2_csv_parse(f->ctx, "t", text, used, NULL, &table), RM2_OK);
        assert_int_equal(table.rows, rows);
        assert_int_equal(table.columns, columns);
        for (size_t i = 0; i < rows * columns; i++)
            if (table.values[i] != (double)i)
                fail_msg("cell %zu is %g", i, table.values[i]);
        rm2_table_clear(&table);
        free(text);
    }
}

/* ---- locale and writing --------------------------------------------------------------------- */

static bool enter_comma_locale(void) {
    const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                 "de_DE",       "fr_FR",      "es_ES.UTF-8", "pt_BR.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]) && *localeconv()->decimal_point == ',')
            return true;
    return false;
}

static void same_bits_after_writing(fixture *f, const rm2_table *table,
                                    const rm2_csv_settings *settings) {
    assert_int_equal(rm2_csv_write(f->ctx, f->path, table, true), RM2_OK);
    rm2_table again;
    if (rm2_csv_read(f->ctx, f->path, settings, &again) != RM2_OK)
        fail_msg("%s", rm2_context_error(f->ctx));
    assert_int_equal(again.rows, table->rows);
    assert_int_equal(again.columns, table->columns);
    assert_memory_equal(again.values, table->values, table->rows * table->columns * sizeof(double));
    for (size_t c = 0; table->names && c < table->columns; c++)
        assert_string_equal(again.names[c], table->names[c]);
    for (size_t c = 0; c < table->columns; c++)
        for (size_t i = 0; table->texts && table->texts[c] && i < table->text_counts[c]; i++)
            assert_string_equal(again.texts[c][i], table->texts[c][i]);
    rm2_table_clear(&again);
}

static void locale_does_not_matter(void **state) {
    fixture *f = *state;
    if (!enter_comma_locale())
        skip(); /* no locale with a decimal comma is installed */
    /* 20 digits and a near tie go through strtod, short numbers do not */
    double values[] = {0.5, 1.2345678901234567, 9007199254740993.0, 1e-310};
    rm2_table table = {.rows = 2, .columns = 2, .values = values};
    expect_values(parse(f, "1.5,1.23456789012345678901234\n"), 1, 2,
                  (const double[]){1.5, 0x1.3c0ca428c59fbp+0});
    same_bits_after_writing(f, &table, NULL);
    (void)setlocale(LC_ALL, "C");
}

static void written_tables_are_read_back(void **state) {
    fixture *f = *state;
    char *names[] = {"a b", "x;y", "#z", "", "\"q\"", "\xef\xbb\xbfn"};
    char *kinds[] = {"", "with, comma", "line\nbreak", "\"", " blank ", "#", "plain", "tab\there"};
    char **texts[] = {NULL, kinds, NULL, NULL, NULL, NULL};
    size_t counts[] = {0, 8, 0, 0, 0, 0};
    double values[8 * 6];
    rm2_rng rng;
    rm2_rng_seed(&rng, 11);
    for (size_t i = 0; i < 48; i++)
        values[i] = i % 6 == 1 ? (double)(i / 6) : rm2_rng_normal(&rng) * pow(10, (double)i - 20);
    rm2_table table = {8, 6, values, names, NULL, texts, counts};
    rm2_csv_settings settings = rm2_csv_settings_default();
    settings.text = (const char *const[]){"x;y"};
    settings.text_count = 1;
    same_bits_after_writing(f, &table, &settings);
    (void)unlink(f->path);
    (void)snprintf(f->path, sizeof f->path, "%s/table.tsv", f->directory);
    same_bits_after_writing(f, &table, &settings);
}

static void single_columns_survive_writing(void **state) {
    fixture *f = *state;
    char *names[] = {"reaction time"};
    double values[] = {1, 0.1, 1e22};
    rm2_table table = {3, 1, values, names, NULL, NULL, NULL};
    same_bits_after_writing(f, &table, NULL);
    names[0] = "#1";
    same_bits_after_writing(f, &table, NULL);
}

static void written_text_is_as_expected(void **state) {
    fixture *f = *state;
    char *names[] = {"x", "kind"}, *kinds[] = {"a", "b\"c"}, **texts[] = {NULL, kinds};
    size_t counts[] = {0, 2};
    double values[] = {0.1, 1, (double)NAN, 0};
    rm2_table table = {2, 2, values, names, NULL, texts, counts};
    char text[64] = {0};
    assert_int_equal(rm2_csv_write(f->ctx, f->path, &table, false), RM2_OK);
    FILE *file = fopen(f->path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    assert_string_equal(text, "x,kind\n0.1,\"b\"\"c\"\nnan,a\n");
    assert_int_equal(rm2_csv_write(f->ctx, f->path, &table, false), RM2_ERR_IO);
    assert_non_null(strstr(rm2_context_error(f->ctx), "overwrite = true"));
}

static void tables_that_cannot_be_written_are_refused(void **state) {
    fixture *f = *state;
    char *kinds[] = {"a"}, **texts[] = {kinds};
    size_t counts[] = {1};
    double values[] = {1};
    rm2_table table = {1, 1, values, NULL, NULL, texts, counts};
    assert_int_equal(rm2_csv_write(f->ctx, f->path, &table, false), RM2_ERR_ARGUMENT);
    assert_int_equal(access(f->path, F_OK), -1);
    assert_int_equal(rm2_csv_write(f->ctx, f->path, NULL, false), RM2_ERR_ARGUMENT);
    values[0] = 0;
    assert_int_equal(rm2_csv_write(f->ctx, "/dev/full", &table, true), RM2_ERR_IO);
    assert_non_null(strstr(rm2_context_error(f->ctx), "/dev/full: disk full"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_delimiter_is_found),
        TEST(every_line_end_is_read),
        TEST(numbers_keep_all_their_digits),
        TEST(a_single_column_is_read),
        TEST(lines_are_counted),
        TEST(header_is_recognised),
        TEST(header_can_be_set),
        TEST(odd_headers_are_warned_of),
        TEST(columns_are_found_by_name_and_number),
        TEST(text_columns_hold_codes),
        TEST(text_columns_by_number_say_nothing_about_the_header),
        TEST(only_the_numeric_columns_must_be_numbers),
        TEST(columns_are_chosen_by_the_names_that_are_found),
        TEST(missing_values_become_nan_when_allowed),
        TEST(values_that_are_no_numbers_are_refused),
        TEST(decimal_commas_are_named),
        TEST(ragged_rows_are_refused),
        TEST(broken_quotes_and_line_ends_are_refused),
        TEST(what_is_no_table_is_refused),
        TEST(unknown_columns_are_refused),
        TEST(bad_arguments_are_refused),
        TEST(unreadable_paths_are_named),
        TEST(files_and_pipes_are_read),
        TEST(reading_can_be_interrupted),
        TEST(windows_end_anywhere),
        TEST(long_and_many_rows_are_read),
        TEST(locale_does_not_matter),
        TEST(written_tables_are_read_back),
        TEST(single_columns_survive_writing),
        TEST(written_text_is_as_expected),
        TEST(tables_that_cannot_be_written_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
