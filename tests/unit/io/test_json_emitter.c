/* The emitter of JSON. Expected texts are written out by the grammar of RFC 8259; numbers must read back as the same
 * bits, which 17 digits guarantee. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/json.h"

static char *text;
static size_t size;

static rm2_json begin(void) {
    free(text);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    return rm2_json_begin(out);
}

/* Closes the stream and compares the whole output. */
static void expect(rm2_json *json, bool misused, const char *expected) {
    assert_int_equal(fclose(json->out), 0);
    assert_int_equal(json->misused, misused);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
}

static void objects_and_arrays_nest(void **state) {
    (void)state;
    rm2_json j = begin();
    rm2_json_end(&j);
    expect(&j, false, "{}\n");
    j = begin();
    rm2_json_put(&j, RM2_TEXT("a", "b"));
    rm2_json_array(&j, "list");
    rm2_json_array(&j, NULL);
    rm2_json_end(&j);
    rm2_json_put(&j, RM2_COUNT(NULL, 1), RM2_FLAG(NULL, true));
    rm2_json_object(&j, NULL);
    rm2_json_object(&j, "empty");
    rm2_json_end(&j);
    rm2_json_record(&j, "o", RM2_FLAG("no", false), RM2_NUMBER("x", -0.5));
    rm2_json_end(&j);
    rm2_json_record(&j, NULL, RM2_COUNT("n", 0));
    rm2_json_end(&j);
    rm2_json_put(&j, RM2_COUNT("last", 2));
    rm2_json_end(&j);
    expect(&j, false,
           "{\"a\": \"b\", \"list\": [[], 1, true, {\"empty\": {}, \"o\": {\"no\": false, "
           "\"x\": -0.5}}, {\"n\": 0}], \"last\": 2}\n");
}

static void arrays_of_values(void **state) {
    (void)state;
    rm2_json j = begin();
    rm2_json_numbers(&j, "x", 3, (const double[]){1, NAN, 0.25});
    rm2_json_counts(&j, "n", 2, (const size_t[]){7, SIZE_MAX});
    rm2_json_texts(&j, "t", 2, (const char *const[]){"a", NULL});
    rm2_json_numbers(&j, "none", 0, NULL);
    rm2_json_end(&j);
    expect(&j, false,
           "{\"x\": [1, null, 0.25], \"n\": [7, null], \"t\": [\"a\", null], \"none\": []}\n");
}

static void unknown_values_are_null(void **state) {
    (void)state;
    rm2_json j = begin();
    rm2_json_put(&j, RM2_NUMBER("nan", NAN), RM2_NUMBER("inf", INFINITY),
                 RM2_NUMBER("-inf", -INFINITY), RM2_COUNT("count", SIZE_MAX),
                 RM2_TEXT("text", NULL), RM2_COUNT("most", SIZE_MAX - 1),
                 RM2_WHOLE("seed", UINT64_MAX));
    rm2_json_end(&j);
    expect(&j, false,
           "{\"nan\": null, \"inf\": null, \"-inf\": null, \"count\": null, \"text\": null, "
           "\"most\": 18446744073709551614, \"seed\": 18446744073709551615}\n");
}

static void numbers_read_back(void **state) {
    (void)state;
    const double values[] = {0.1,  1.0 / 3, -DBL_MAX, DBL_MIN,          DBL_TRUE_MIN,
                             -0.0, 1e22,    0x1p53,   3.14159265358979, nextafter(1, 2)};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
        rm2_json j = begin();
        rm2_json_put(&j, RM2_NUMBER("x", values[k]));
        rm2_json_end(&j);
        assert_int_equal(fclose(j.out), 0);
        double back = strtod(strchr(text, ':') + 1, NULL);
        assert_memory_equal(&back, &values[k], sizeof back);
    }
}

/* Quotes, control characters (U+0080 and U+2028 too) and bytes that are no character; names as well as values. */
static void texts_are_escaped(void **state) {
    (void)state;
    rm2_json j = begin();
    rm2_json_put(&j, RM2_TEXT("plain", "a/b \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
                 RM2_TEXT("quoted \"\\", "\"\\"), RM2_TEXT("control\n", "\t\r\x01\x7f"),
                 RM2_TEXT("wide", "\xc2\x80\xe2\x80\xa8\xe2\x80\xaf"),
                 RM2_TEXT("bad \xff", "\xc3(\x80\xed\xa0\x80\xf4\x90\x80\x80"),
                 RM2_TEXT("cut", "\xe2\x82"), RM2_TEXT("", ""));
    rm2_json_end(&j);
    expect(
        &j, false,
        "{\"plain\": \"a/b \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\", "
        "\"quoted \\\"\\\\\": \"\\\"\\\\\", \"control\\u000a\": \"\\u0009\\u000d\\u0001\\u007f\", "
        "\"wide\": \"\\u0080\\u2028\xe2\x80\xaf\", "
        "\"bad \\ufffd\": \"\\ufffd(\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\", "
        "\"cut\": \"\\ufffd\\ufffd\", \"\": \"\"}\n");
}

static void lines_are_broken(void **state) {
    (void)state;
    rm2_json j = begin();
    rm2_json_put(&j, RM2_COUNT("n", 2));
    rm2_json_break(&j);
    rm2_json_array(&j, "list");
    for (size_t k = 0; k < 2; k++) {
        rm2_json_break(&j);
        rm2_json_record(&j, NULL, RM2_COUNT("k", k), RM2_COUNT("m", k));
    }
    rm2_json_end(&j);
    rm2_json_end(&j);
    expect(&j, false,
           "{\"n\": 2,\n \"list\": [\n  {\"k\": 0, \"m\": 0},\n  {\"k\": 1, \"m\": 1}]}\n");
}

/* Every level, each an array in an object or an object in an array; one more is a misuse. */
static void levels_are_counted(void **state) {
    (void)state;
    char expected[8 * RM2_JSON_DEPTH] = "{";
    rm2_json j = begin();
    for (int k = 1; k < RM2_JSON_DEPTH; k++) {
        if (k % 2)
            rm2_json_array(&j, "a");
        else
            rm2_json_object(&j, NULL);
        strcat(expected, k % 2 ? "\"a\": [" : "{");
    }
    rm2_json deep = j;
    for (int k = RM2_JSON_DEPTH - 1; k >= 0; k--) {
        rm2_json_end(&j);
        strcat(expected, k % 2 ? "]" : "}");
    }
    strcat(expected, "\n");
    assert_int_equal(fflush(j.out), 0);
    rm2_json_array(&deep, "a");
    assert_true(deep.misused);
    expect(&j, false, expected);
}

/* Nothing is written from a misuse on. */
static void misuse_stops_the_output(void **state) {
    (void)state;
    rm2_json j = begin();
    rm2_json_put(&j, RM2_COUNT("a", 1), RM2_COUNT(NULL, 2), RM2_COUNT("b", 3));
    rm2_json_end(&j);
    expect(&j, true, "{\"a\": 1");
    j = begin();
    rm2_json_array(&j, "a");
    rm2_json_put(&j, RM2_TEXT("name", "in an array"));
    rm2_json_end(&j);
    rm2_json_end(&j);
    expect(&j, true, "{\"a\": [");
    j = begin();
    rm2_json_object(&j, NULL);
    rm2_json_end(&j);
    rm2_json_end(&j);
    expect(&j, true, "{");
    j = begin();
    rm2_json_end(&j);
    rm2_json_end(&j);
    expect(&j, true, "{}\n");
    j = begin();
    rm2_json_end(&j);
    rm2_json_put(&j, RM2_COUNT("a", 1));
    expect(&j, true, "{}\n");
}

static int free_text(void **state) {
    (void)state;
    free(text);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_and_arrays_nest), cmocka_unit_test(arrays_of_values),
        cmocka_unit_test(unknown_values_are_null), cmocka_unit_test(numbers_read_back),
        cmocka_unit_test(texts_are_escaped),       cmocka_unit_test(lines_are_broken),
        cmocka_unit_test(levels_are_counted),      cmocka_unit_test(misuse_stops_the_output),
    };
    return cmocka_run_group_tests(tests, NULL, free_text);
}
