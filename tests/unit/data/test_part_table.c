/* Parts of text files: one after the other they are the whole, and their failures are those of the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "io/csv.h"
#include "io_fixture.h"
#include "parts_fixture.h"

static int set_up(void **state) {
    return fixture_set_up(state, "data.csv");
}

static reading reading_of(const fixture *f) {
    return (reading){.path = f->path, .settings = rm2_data_settings_default()};
}

/* A file with these bytes; the status is that of reading it as a whole. */
static rm2_status same_for(fixture *f, const char *text, rm2_data_settings s) {
    reading r = reading_of(f);
    r.settings = s;
    write_bytes(f->path, text, strlen(text));
    return expect_same(f->ctx, &r);
}

static void good(fixture *f, const char *text, rm2_data_settings s) {
    if (same_for(f, text, s) != RM2_OK)
        fail_msg("%s", rm2_context_error(f->ctx));
}

static void bad(fixture *f, const char *text, rm2_data_settings s, const char *words) {
    assert_int_not_equal(same_for(f, text, s), RM2_OK);
    assert_non_null(strstr(rm2_context_error(f->ctx), words));
}

/* ---- files by hand -------------------------------------------------------------------------- */

static void rows_are_those_of_the_file(void **state) {
    fixture *f = *state;
    rm2_data_settings s = rm2_data_settings_default();
    good(f, "x,y\n1,2\n", s);
    good(f, "x,y\n1,2\n3,4", s); /* the last line has no end */
    good(f, "1,2\n3,4\n5,6\n7,8\n9,10\n11,12\n13,14\n", s);
    good(f, "x\ty\n1\t2\n-0\t4e-310\n5\t0.1\n", s);
    good(f, "x;y;z\n1;2;3\n4;5;6;\n7;8;9\n", s);
    good(f, "  1  2\n 3   4\n5 6 \n7 8\n", s);
    good(f, "\xef\xbb\xbfx,y\r\n1,2\r\n\r\n3,4\r\n5,6", s);
    good(f,
         "\xef\xbb\xbf"
         "1,2\n3,4\n",
         s);
    good(f, "# a \"comment\n\nx,y\n# one more\n1,2\n   \n#\"\n3,4\n\n\n5,6\n# the end\n\n", s);
    s.header = RM2_HEADER_YES;
    good(f, "1,2\n3,4\n5,6\n", s);
    s.header = RM2_HEADER_NO;
    good(f, "1,2\n3,4\n5,6\n", s);
    s.delimiter = '|';
    good(f, "1|2\n3|4\n5|6\n", s);
}

static void columns_have_their_roles(void **state) {
    fixture *f = *state;
    rm2_data_settings s = rm2_data_settings_default();
    s.group = "id";
    good(f, "id,x\n\"a, b\",1\n\"a, b\",2\n\"line\nbreak\n\",3\n\"say \"\"so\"\"\",4\nc,5\n", s);
    good(f, "id,x\n7,1\n7,2\n07,3\n8,4\n", s);
    s.time = "t";
    good(f, "t,id,x,y\n0.1,a,1,2\n0.2,a,3,4\n0.1,b,5,6\n0.2,b,7,8\n0.3,b,9,10\n", s);
    s.columns = "y,x";
    good(f, "t,id,note,x,y\n0.1,a,any \"text\",1,2\n0.2,a,,3,4\n0.1,b,\"\n\n\",5,6\n0.2,b,-,7,8\n",
         s);
    s = rm2_data_settings_default();
    s.group = "0";
    s.ignore = "2";
    good(f, "a,1,u,2\na,3,v,4\nb,5,w,6\n", s);
}

static void failures_are_those_of_the_file(void **state) {
    fixture *f = *state;
    rm2_data_settings s = rm2_data_settings_default();
    bad(f, "", s, "is empty");
    bad(f, "# nothing\n\n", s, "holds no table");
    bad(f, "x,y\n\n# no rows\n", s, "a header and no rows");
    bad(f, "x,y\n1,2\n3,4\n5,six\n7,8\n9,10\n", s, "line 4, column 2 ('y'): 'six'");
    bad(f, "x,y\n1,2\n3,4\n5,6\n7,8\n9,\n", s, "line 6, column 2 ('y')");
    bad(f, "x,y\n1,2\n\n#\n3,4\n5\n7,8\n9,10\n", s, "line 6 has 1 field");
    bad(f, "x,y\n1,2\n3,4\n5,6\n7,8,9\n9,10\n", s, "line 5 has 3 fields");
    bad(f, "x,y\n1,2\n3,4\n\"5,6\n7,8\n9,10\n", s, "the quote that begins here is not closed");
    bad(f, "x,y\n1,2\n3,4\n\"5\"5,6\n7,8\n9,10\n", s, "text after the closing quote");
    bad(f, "x,y\n1,2\n3,4\r5,6\n7,8\n9,10\n", s, "carriage return without a line feed");
    /* the first bad row counts, whatever comes after it */
    bad(f, "x,y\n1,2\n3,four\n5,6\n7,8\n\"9,10\n11,12\n", s, "line 3, column 2");
    s.group = "name";
    bad(f, "x,y\n1,2\n3,4\n", s, "no column 'name'");
    s.group = "x";
    s.time = "x";
    bad(f, "x,y\n1,2\n3,4\n", s, "used twice");
}

/* ---- random files --------------------------------------------------------------------------- */

typedef struct random_table {
    rm2_rng rng;
    char text[1 << 14];
    size_t size;
    char delimiter;
    const char *line_end;
} random_table;

/* true once in n times */
static bool once_in(random_table *t, unsigned n) {
    return rm2_rng_uniform(&t->rng) * n < 1;
}

static void put_text(random_table *t, const char *text) {
    size_t size = strlen(text);
    assert_true(t->size + size < sizeof t->text);
    memcpy(t->text + t->size, text, size);
    t->size += size;
}

static void put_one_of(random_table *t, const char *const *list, size_t count) {
    put_text(t, list[(size_t)(rm2_rng_uniform(&t->rng) * (double)count) % count]);
}

static void put_number(random_table *t, bool faults) {
    static const char *const odd[] = {"\"1\"", " 2 ", "\"-3.5\" ", "+4", "1e-320", "-0"};
    static const char *const wrong[] = {"",     "NA",   "x",      "1e999", "\"",  "\"1\"2",
                                        "1\r2", "\"\n", "\"open", "5,5",   "a\"b"};
    char text[40];
    if (faults && once_in(t, 60)) {
        put_one_of(t, wrong, sizeof wrong / sizeof *wrong);
    } else if (once_in(t, 8)) {
        put_one_of(t, odd, sizeof odd / sizeof *odd);
    } else {
        (void)snprintf(text, sizeof text, "%.17g", rm2_rng_uniform(&t->rng) * 100 - 50);
        put_text(t, text);
    }
}

static void put_id(random_table *t) {
    static const char *const ids[] = {"a",    "b",          "\"a\"",      "\"b,;\t c\"", "7",
                                      "\"\"", "\"x\n\ny\"", "\"q\"\"q\"", "\"\r\n#\"",   "l'm"};
    put_one_of(t, ids, sizeof ids / sizeof *ids);
}

static void put_delimiter(random_table *t) {
    char text[] = {t->delimiter, '\0'};
    put_text(t, text);
}

static void put_between(random_table *t) {
    static const char *const lines[] = {"", "# comment", "  # \"open", "   ", "#\"\"\""};
    while (once_in(t, 6)) {
        put_one_of(t, lines, sizeof lines / sizeof *lines);
        put_text(t, t->line_end);
    }
}

/* An id, a time, two numbers. */
static void fill_table(random_table *t, bool header, bool faults) {
    size_t rows = (size_t)(rm2_rng_uniform(&t->rng) * 30);
    t->size = 0;
    t->delimiter = ",;\t "[(size_t)(rm2_rng_uniform(&t->rng) * 4) & 3];
    t->line_end = once_in(t, 3) ? "\r\n" : "\n";
    if (once_in(t, 5))
        put_text(t, "\xef\xbb\xbf");
    put_between(t);
    for (size_t i = header ? 0 : 1; i <= rows; i++) {
        static const char *const names[] = {"id", "time", "x", "y"};
        for (size_t c = 0; c < 4; c++) {
            if (i == 0)
                put_text(t, names[c]);
            else if (c == 0)
                put_id(t);
            else
                put_number(t, faults);
            if (c < 3 || (faults && once_in(t, 80)))
                put_delimiter(t);
        }
        if (i < rows || !once_in(t, 3))
            put_text(t, t->line_end);
        if (i < rows)
            put_between(t);
    }
}

static void random_tables_are_the_same_in_parts(void **state) {
    fixture *f = *state;
    enum { TABLES = 1500 };
    static random_table t;
    size_t fine = 0, failed = 0;
    rm2_rng_seed(&t.rng, 20);
    for (size_t i = 0; i < TABLES; i++) {
        reading r = reading_of(f);
        bool header = i % 2 == 0;
        fill_table(&t, header, i % 3 == 0);
        r.settings.group = header ? "id" : "0";
        r.settings.time = header ? "time" : "1";
        r.settings.ignore = i % 5 == 0 ? "2" : NULL;
        write_bytes(f->path, t.text, t.size);
        rm2_status status = expect_same(f->ctx, &r);
        fine += status == RM2_OK;
        failed += status != RM2_OK;
    }
    assert_true(fine > TABLES / 2 && failed > TABLES / 10); /* both were tried */
}

/* ---- larger than the window ----------------------------------------------------------------- */

/* About 4 MB, so that the window of 1 MiB is filled again. Every `quoted`-th row has a text with a line end. */
static void write_large(const fixture *f, size_t rows, size_t quoted) {
    FILE *file = fopen(f->path, "wb");
    assert_non_null(file);
    (void)fputs("id,x\n", file);
    for (size_t i = 0; i < rows; i++)
        (void)fprintf(file, i % quoted == quoted - 1 ? "\"id\n %zu\",%zu\n" : "id %zu,%zu\n",
                      i / 10, i);
    assert_int_equal(fclose(file), 0);
}

static void large_files_are_the_same_in_parts(void **state) {
    fixture *f = *state;
    enum { ROWS = 250000 };
    reading r = reading_of(f);
    r.settings.group = "id";
    for (size_t quoted = 3; quoted < ROWS; quoted *= 317) {
        rm2i_raw whole;
        write_large(f, ROWS, quoted);
        assert_int_equal(read_whole(f->ctx, &r, &whole), RM2_OK);
        assert_int_equal(whole.rows, ROWS);
        expect_parts(f->ctx, &r, &whole, 3);
        expect_parts(f->ctx, &r, &whole, 7);
        rm2i_raw_free(&whole);
    }
}

static void parts_are_about_equally_long(void **state) {
    fixture *f = *state;
    enum { ROWS = 10000, PARTS = 7, LONGEST = 20 };
    reading r = reading_of(f);
    rm2i_raw_plan plan;
    r.settings.group = "id";
    write_large(f, ROWS, 4);
    assert_int_equal(make_plan(f->ctx, &r, PARTS, &plan), RM2_OK);
    assert_int_equal(plan.at[0], strlen("id,x\n"));
    assert_int_equal(plan.at[PARTS], plan.bytes);
    assert_int_equal(plan.numbers[0], 2);
    size_t each = (plan.at[PARTS] - plan.at[0]) / PARTS;
    for (size_t k = 0; k < PARTS; k++) {
        size_t size = plan.at[k + 1] - plan.at[k];
        assert_true(size + LONGEST >= each && size <= each + LONGEST);
    }
    rm2i_raw_plan_free(&plan);
}

/* ---- other promises ------------------------------------------------------------------------- */

static void changed_files_are_noticed(void **state) {
    fixture *f = *state;
    reading r = reading_of(f);
    rm2i_raw_plan plan;
    rm2i_raw part;
    static const char before[] = "x,y\n1,2\n3,4\n5,6\n7,8\n", moved[] = "x,y\n1,2\n3,4\n5,60\n7,\n",
                      shorter[] = "x,y\n1,2\n3,4\n";
    write_bytes(f->path, before, strlen(before));
    assert_int_equal(make_plan(f->ctx, &r, 4, &plan), RM2_OK);
    write_bytes(f->path, moved, strlen(moved));
    assert_int_equal(read_part(f->ctx, &r, &plan, 3, &part), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(f->ctx), "line 5 does not begin at byte 16"));
    write_bytes(f->path, shorter, strlen(shorter));
    assert_int_equal(read_part(f->ctx, &r, &plan, 0, &part), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(f->ctx), "expected 20 bytes as before, got 12"));
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(read_part(f->ctx, &r, &plan, 0, &part), RM2_ERR_IO);
    assert_int_equal(read_part(f->ctx, &r, &plan, 4, &part), RM2_ERR_ARGUMENT);
    rm2i_raw_plan_free(&plan);
    assert_int_equal(make_plan(f->ctx, &r, 2, &plan), RM2_ERR_UNSUPPORTED);
    assert_null(plan.memory);
    assert_int_equal(make_plan(f->ctx, &r, 0, &plan), RM2_ERR_ARGUMENT);
}

/* The file ends while a part is read. */
static void files_that_end_early_are_noticed(void **state) {
    fixture *f = *state;
    static const char text[] = "x,y\n1,2\n3,4\n";
    const rm2i_csv_part beyond = {.from = 8, .to = 100, .line = 3};
    const rm2i_csv_part after = {.from = 50, .to = 100, .line = 9};
    rm2i_source source;
    rm2_table table;
    rm2i_source_memory(f->ctx, "text", text, strlen(text), &source);
    assert_int_equal(rm2i_csv_load(f->ctx, &source, NULL, &beyond, &table), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(f->ctx), "expected 100 bytes as before, got 12"));
    assert_null(table.values);
    rm2i_source_memory(f->ctx, "text", text, strlen(text), &source);
    assert_int_equal(rm2i_csv_load(f->ctx, &source, NULL, &after, &table), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(f->ctx), "ends within a line"));
}

static void plans_do_not_warn(void **state) {
    fixture *f = *state;
    reading r = reading_of(f);
    rm2i_raw_plan plan;
    rm2i_raw part;
    write_bytes(f->path, "x,x\n1,2\n", 8);
    assert_int_equal(make_plan(f->ctx, &r, 1, &plan), RM2_OK);
    assert_string_equal(f->log, "");
    assert_int_equal(read_part(f->ctx, &r, &plan, 0, &part), RM2_OK);
    assert_non_null(strstr(f->log, "two columns have the name 'x'"));
    rm2i_raw_free(&part);
    rm2i_raw_plan_free(&plan);
}

static void divisible_files_are_known(void **state) {
    fixture *f = *state;
    rm2_data_settings s = rm2_data_settings_default();
    write_bytes(f->path, "1\n", 2);
    assert_true(rm2i_raw_divisible(f->ctx, f->path, &s));
    s.label = "y";
    assert_false(rm2i_raw_divisible(f->ctx, f->path, &s));
    s.label = NULL;
    s.allow_missing = true;
    assert_false(rm2i_raw_divisible(f->ctx, f->path, &s));
    s.allow_missing = false;
    assert_false(rm2i_raw_divisible(f->ctx, f->directory, &s));
    assert_false(rm2i_raw_divisible(f->ctx, "/dev/null", &s));
    assert_false(rm2i_raw_divisible(f->ctx, "-", &s));
    assert_false(rm2i_raw_divisible(f->ctx, "missing.csv", &s));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(rows_are_those_of_the_file),
        TEST(columns_have_their_roles),
        TEST(failures_are_those_of_the_file),
        TEST(random_tables_are_the_same_in_parts),
        TEST(large_files_are_the_same_in_parts),
        TEST(parts_are_about_equally_long),
        TEST(changed_files_are_noticed),
        TEST(files_that_end_early_are_noticed),
        TEST(plans_do_not_warn),
        TEST(divisible_files_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
