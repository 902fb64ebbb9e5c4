/* The JSON reader: what it takes, what it refuses and on which line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json.h"

#include <stdlib.h>
#include <string.h>

static json_value *parse(arena *memory, const char *text) {
    json_error error;
    json_value *value = json_parse(memory, text, strlen(text), &error);
    if (!value)
        fail_msg("%s: line %zu: %s", text, error.line, error.message);
    return value;
}

static void test_scalars(void **state) {
    (void)state;
    static const struct {
        const char *text;
        json_type type;
        double number;
    } rows[] = {
        {"null", JSON_NULL, 0},           {" true\n", JSON_TRUE, 0},
        {"false", JSON_FALSE, 0},         {"0", JSON_NUMBER, 0},
        {"-0.5", JSON_NUMBER, -0.5},      {"1e3", JSON_NUMBER, 1000},
        {"12.25E-2", JSON_NUMBER, .1225}, {"1e-400", JSON_NUMBER, 0},
        {"2E+1", JSON_NUMBER, 20},        {"0.1", JSON_NUMBER, 0.1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arena memory = {0};
        const json_value *value = parse(&memory, rows[i].text);
        assert_int_equal(value->type, rows[i].type);
        assert_true(value->number == rows[i].number);
        arena_free(&memory);
    }
}

static void test_strings(void **state) {
    (void)state;
    static const struct {
        const char *text, *string;
    } rows[] = {
        {"\"\"", ""},
        {"\"a b\"", "a b"},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"\\u0041\\u00e9\\u20AC\"", "A\xC3\xA9\xE2\x82\xAC"},
        {"\"\\ud83d\\ude00\"", "\xF0\x9F\x98\x80"},
        {"\"\xC3\xA9\"", "\xC3\xA9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arena memory = {0};
        const json_value *value = parse(&memory, rows[i].text);
        assert_int_equal(value->type, JSON_STRING);
        assert_string_equal(value->string, rows[i].string);
        arena_free(&memory);
    }
}

static void test_members(void **state) {
    (void)state;
    arena memory = {0};
    const json_value *root = parse(&memory, "{\"a\": 1.5, \"b\": {\"c\": \"x\"}, \"d\": []}");
    assert_int_equal(root->count, 3);
    assert_true(json_member_number(root, "a", 0) == 1.5);
    assert_true(json_member_number(root, "b", 7) == 7);
    assert_string_equal(json_member_string(json_member(root, "b"), "c", ""), "x");
    assert_string_equal(json_member_string(root, "none", "fallback"), "fallback");
    assert_null(json_member(root, "none"));
    assert_null(json_member(json_member(root, "d"), "a"));
    assert_null(json_member(NULL, "a"));
    arena_free(&memory);
}

static void test_numbers(void **state) {
    (void)state;
    arena memory = {0};
    size_t count;
    double *numbers = json_numbers(parse(&memory, "[[1, 2, 3], [4, [5], 6], []]"), &count);
    assert_int_equal(count, 6);
    for (size_t i = 0; i < count; i++)
        assert_true(numbers[i] == (double)(i + 1));
    free(numbers);
    numbers = json_numbers(parse(&memory, "2.5"), &count);
    assert_int_equal(count, 1);
    assert_true(numbers[0] == 2.5);
    free(numbers);
    numbers = json_numbers(parse(&memory, "[[]]"), &count);
    assert_non_null(numbers);
    assert_int_equal(count, 0);
    free(numbers);
    assert_null(json_numbers(parse(&memory, "[1, \"2\"]"), &count));
    assert_null(json_numbers(parse(&memory, "[1, null]"), &count));
    assert_null(json_numbers(parse(&memory, "{\"a\": 1}"), &count));
    assert_null(json_numbers(NULL, &count));
    arena_free(&memory);
}

static void test_malformed(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t line;
        const char *message;
    } rows[] = {
        {"", 1, "expected a value"},
        {"\n\n", 3, "expected a value"},
        {"nul", 1, "expected a value"},
        {"NaN", 1, "expected a value"},
        {"Infinity", 1, "expected a value"},
        {"'a'", 1, "expected a value"},
        {"+1", 1, "expected a value"},
        {".5", 1, "expected a value"},
        {"-", 1, "malformed number"},
        {"-Infinity", 1, "malformed number"},
        {"1.", 1, "malformed number"},
        {"1e", 1, "malformed number"},
        {"0x10", 1, "malformed number"},
        {"01", 1, "malformed number"},
        {"1e999", 1, "number out of range"},
        {"1 2", 1, "text after the value"},
        {"true,", 1, "text after the value"},
        {"[1, 2", 1, "expected ',' or ']'"},
        {"[1\n2]", 2, "expected ',' or ']'"},
        {"[1,]", 1, "expected a value"},
        {"[,1]", 1, "expected a value"},
        {"{\"a\": 1", 1, "expected ',' or '}'"},
        {"{\"a\"\n 1}", 2, "expected ':'"},
        {"{\"a\": 1,}", 1, "expected a string"},
        {"{a: 1}", 1, "expected a string"},
        {"{\"a\": 1,\n\"a\": 2}", 2, "name twice in one object"},
        {"\"a", 1, "string without end"},
        {"\"a\\", 1, "unknown escape in a string"},
        {"\"a\\\"", 1, "string without end"},
        {"\"\\x\"", 1, "unknown escape in a string"},
        {"\"a\nb\"", 1, "control character in a string"},
        {"\"\\u00g0\"", 1, "\\u needs four hexadecimal digits"},
        {"\"\\u12\"", 1, "\\u needs four hexadecimal digits"},
        {"\"\\u0000\"", 1, "\\u0000 inside a string"},
        {"\"\\ud83d\"", 1, "unpaired surrogate"},
        {"\"\\ud83d\\u0041\"", 1, "unpaired surrogate"},
        {"\"\\ude00\"", 1, "unpaired surrogate"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        arena memory = {0};
        json_error error;
        assert_null(json_parse(&memory, rows[i].text, strlen(rows[i].text), &error));
        assert_string_equal(error.message, rows[i].message);
        assert_int_equal(error.line, rows[i].line);
        arena_free(&memory);
    }
}

static void test_embedded_nul(void **state) {
    (void)state;
    static const char *const texts[] = {"1\0", "\"\0\"", "\"\\\0\"", "[\0]"};
    static const size_t sizes[] = {2, 3, 4, 3};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        arena memory = {0};
        json_error error;
        assert_null(json_parse(&memory, texts[i], sizes[i], &error));
        arena_free(&memory);
    }
}

/* `depth` arrays inside one another. */
static void nested(char *text, size_t depth) {
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
}

static void test_depth(void **state) {
    (void)state;
    arena memory = {0};
    json_error error;
    char text[2 * JSON_MAX_DEPTH + 3];
    nested(text, JSON_MAX_DEPTH);
    assert_non_null(parse(&memory, text));
    nested(text, JSON_MAX_DEPTH + 1);
    assert_null(json_parse(&memory, text, strlen(text), &error));
    assert_string_equal(error.message, "nested too deep");
    arena_free(&memory);
}

/* More values than one block of the arena holds, in order. */
static void test_many_values(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    arena memory = {0};
    size_t count;
    char *text = malloc(2 * COUNT + 2);
    assert_non_null(text);
    text[0] = '[';
    for (size_t i = 0; i < COUNT; i++) {
        text[2 * i + 1] = (char)('0' + i % 10);
        text[2 * i + 2] = ',';
    }
    text[2 * COUNT] = ']';
    text[2 * COUNT + 1] = '\0';
    double *numbers = json_numbers(parse(&memory, text), &count);
    assert_int_equal(count, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(numbers[i] == (double)(i % 10));
    free(numbers);
    free(text);
    arena_free(&memory);
}

static void test_missing_file(void **state) {
    (void)state;
    arena memory = {0};
    json_error error;
    assert_null(json_load(&memory, "no-such-folder/no-such-file.json", &error));
    assert_int_equal(error.line, 0);
    assert_non_null(strstr(error.message, "cannot read"));
    arena_free(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),      cmocka_unit_test(test_strings),
        cmocka_unit_test(test_members),      cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_malformed),    cmocka_unit_test(test_embedded_nul),
        cmocka_unit_test(test_depth),        cmocka_unit_test(test_many_values),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
