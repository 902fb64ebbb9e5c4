/* Texts of .npy arrays: UTF-32 in both byte orders and bytes, decoded here again from the definition of
 * UTF-8; what is no text; files that are cut off, changed anywhere, or lie about their sizes. */
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
#include "front/texts.h"
#include "io_fixture.h"

static int set_up(void **state) {
    return fixture_set_up(state, "a.npy");
}

/* A file in memory of exactly its size, so that a sanitizer sees every byte read beyond it. */
static unsigned char *make_file(const char *descr, const char *shape, const void *data, size_t size,
                                size_t *file_size) {
    char header[128];
    size_t length =
        (size_t)snprintf(header, sizeof header,
                         "{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", descr, shape);
    *file_size = 10 + length + size;
    unsigned char *file = malloc(*file_size);
    assert_non_null(file);
    memcpy(file, "\x93NUMPY\x01\x00", 8);
    file[8] = (unsigned char)length;
    file[9] = 0;
    memcpy(file + 10, header, length);
    if (size > 0)
        memcpy(file + 10 + length, data, size);
    return file;
}

static rm2_status load(fixture *f, const unsigned char *file, size_t size, rm2_texts *texts) {
    rm2i_source source;
    rm2i_source_memory(f->ctx, "a.npy", file, size, &source);
    return rm2i_npy_load_texts(&source, NULL, texts);
}

static rm2_status parse(fixture *f, const char *descr, const char *shape, const void *data,
                        size_t size, rm2_texts *texts) {
    size_t file_size;
    unsigned char *file = make_file(descr, shape, data, size, &file_size);
    rm2_status status = load(f, file, file_size, texts);
    free(file);
    return status;
}

static void expect_texts(fixture *f, const char *descr, const char *shape, const void *data,
                         size_t size, const char *const *expected, size_t count) {
    rm2_texts texts;
    if (parse(f, descr, shape, data, size, &texts) != RM2_OK)
        fail_msg("%s: %s", descr, rm2_context_error(f->ctx));
    assert_int_equal(texts.count, count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(texts.distinct[texts.codes[i]], expected[i]);
    rm2_texts_clear(&texts);
}

static void expect_refusal(fixture *f, const char *descr, const char *shape, const void *data,
                           size_t size, rm2_status expected, const char *word) {
    rm2_texts texts;
    rm2_status status = parse(f, descr, shape, data, size, &texts);
    const char *message = rm2_context_error(f->ctx);
    if (status != expected || !strstr(message, word) || !strstr(message, "a.npy"))
        fail_msg("%s: status %d, '%s' expected in: %s", descr, (int)status, word, message);
    assert_true(!texts.codes && !texts.distinct && texts.count == 0);
}

static uint32_t swapped(uint32_t x) {
    return x >> 24 | (x >> 8 & 0xff00) | (x & 0xff00) << 8 | x << 24;
}

/* ---- what is read --------------------------------------------------------------------------- */

static void both_byte_orders_and_bytes_are_read(void **state) {
    fixture *f = *state;
    const char *const expected[] = {"a\xc3\xa9", "\xe6\x97\xa5", "", "a\xc3\xa9"};
    const uint32_t points[] = {'a', 0xe9, 0, 0x65e5, 0, 0, 0, 0, 0, 'a', 0xe9, 0};
    uint32_t other[12];
    for (size_t i = 0; i < 12; i++)
        other[i] = swapped(points[i]);
    bool little = rm2i_npy_native_order() == '<';
    expect_texts(f, "=U3", "(4,)", points, sizeof points, expected, 4);
    expect_texts(f, little ? "<U3" : ">U3", "(4,)", points, sizeof points, expected, 4);
    expect_texts(f, little ? ">U3" : "<U3", "(4,)", other, sizeof other, expected, 4);
    expect_texts(f, "|S3", "(4,)", "a\xc3\xa9\xe6\x97\xa5\0\0\0a\xc3\xa9", 12, expected, 4);
}

/* The number of the only character of a text, from the bits of its bytes; 0 if there are more. */
static uint32_t decode(const char *text) {
    const unsigned char *p = (const unsigned char *)text;
    uint32_t code = 0;
    switch (strlen(text)) {
    case 1:
        return p[0] < 0x80 ? p[0] : 0;
    case 2:
        code = p[0] & 0x1fu;
        break;
    case 3:
        code = p[0] & 0x0fu;
        break;
    case 4:
        code = p[0] & 0x07u;
        break;
    default:
        return 0;
    }
    for (size_t i = 1; p[i]; i++)
        code = code << 6 | (p[i] & 0x3fu);
    return code;
}

static void expect_character(fixture *f, uint32_t code) {
    rm2_texts texts;
    if (parse(f, "=U1", "(1,)", &code, sizeof code, &texts) != RM2_OK)
        fail_msg("U+%04lX: %s", (unsigned long)code, rm2_context_error(f->ctx));
    const char *text = texts.distinct[0];
    size_t length = strlen(text);
    int needed = 1 + (code > 0x7f) + (code > 0x7ff) + (code > 0xffff);
    assert_int_equal(decode(text), code);
    assert_int_equal(length, needed);
    assert_int_equal(rm2_utf8_length(text, length), length);
    char descr[32]; /* and the same bytes as an element of bytes */
    (void)snprintf(descr, sizeof descr, "|S%zu", length);
    expect_texts(f, descr, "(1,)", text, length, (const char *const *)texts.distinct, 1);
    rm2_texts_clear(&texts);
}

static void every_character_becomes_utf8(void **state) {
    fixture *f = *state;
    const uint32_t edges[] = {1,      0x7f,   0x80,   0x7ff,   0x800,
                              0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        expect_character(f, edges[i]);
    for (uint32_t code = 1; code <= 0x10ffff; code += 97)
        if (code < 0xd800 || code >= 0xe000)
            expect_character(f, code);
}

/* More elements than are read at a time; codes as a plain search finds them. */
static void many_texts_are_numbered_by_first_appearance(void **state) {
    fixture *f = *state;
    enum { COUNT = 20000, DISTINCT = 900 };
    static uint32_t points[COUNT][3];
    static size_t expected[COUNT];
    size_t seen[DISTINCT], count = 0;
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (size_t i = 0; i < COUNT; i++) {
        size_t number = rm2_rng_next(&rng) % DISTINCT, k = 0;
        while (k < count && seen[k] != number)
            k++;
        if (k == count)
            seen[count++] = number;
        expected[i] = k;
        for (size_t digit = 0; digit < 3; digit++, number /= 10)
            points[i][digit] = 0x30 + (uint32_t)(number % 10);
    }
    rm2_texts texts;
    assert_int_equal(parse(f, "=U3", "(20000,)", points, sizeof points, &texts), RM2_OK);
    assert_int_equal(texts.count, COUNT);
    assert_int_equal(texts.distinct_count, count);
    assert_memory_equal(texts.codes, expected, sizeof expected);
    rm2_texts_clear(&texts);
}

static void long_texts_are_read(void **state) {
    fixture *f = *state;
    enum { SIZE = 40000 };
    static char bytes[3 * SIZE], first[SIZE + 1];
    memset(bytes, 'x', 2 * SIZE);
    bytes[SIZE] = 'y';
    memset(first, 'x', SIZE);
    rm2_texts texts;
    assert_int_equal(parse(f, "|S40000", "(3,)", bytes, sizeof bytes, &texts), RM2_OK);
    assert_int_equal(texts.distinct_count, 3);
    assert_string_equal(texts.distinct[0], first);
    assert_string_equal(texts.distinct[2], "");
    rm2_texts_clear(&texts);
}

static void arrays_without_elements_have_no_texts(void **state) {
    fixture *f = *state;
    const char *const types[] = {"<U1", "|S9", "<U4000000000000000000"};
    for (size_t i = 0; i < 3; i++) {
        rm2_texts texts;
        assert_int_equal(parse(f, types[i], "(0,)", NULL, 0, &texts), RM2_OK);
        assert_int_equal(texts.count, 0);
        assert_int_equal(texts.distinct_count, 0);
        rm2_texts_clear(&texts);
    }
    rm2_texts_clear(NULL);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void numbers_that_are_no_characters_are_refused(void **state) {
    fixture *f = *state;
    const uint32_t wrong[] = {0xd800, 0xdfff, 0x110000, 0xffffffff};
    for (size_t i = 0; i < 4; i++) {
        const uint32_t points[] = {'a', 'b', 'c', wrong[i]};
        char word[64];
        (void)snprintf(word, sizeof word, "entry 1 (counted from 0): 0x%lx",
                       (unsigned long)wrong[i]);
        expect_refusal(f, "=U2", "(2,)", points, sizeof points, RM2_ERR_DATA, word);
    }
    const uint32_t within[] = {'a', 0, 'b'};
    expect_refusal(f, "=U3", "(1,)", within, sizeof within, RM2_ERR_DATA, "character 0");
}

/* Also a character whose last byte would be the first of the next element. */
static void bytes_that_are_no_utf8_are_refused(void **state) {
    fixture *f = *state;
    expect_refusal(f, "|S2", "(2,)",
                   "ab\xff"
                   "c",
                   4, RM2_ERR_DATA, "entry 1 (counted from 0): byte 0xff is not UTF-8");
    expect_refusal(f, "|S2", "(1,)", "\xc0\x80", 2, RM2_ERR_DATA, "byte 0xc0");
    expect_refusal(f, "|S2", "(2,)", "\xe6\x97\xa5x", 4, RM2_ERR_DATA, "entry 0");
    expect_refusal(f, "|S3", "(1,)", "a\0b", 3, RM2_ERR_DATA, "character 0");
}

static void headers_that_lie_are_refused(void **state) {
    fixture *f = *state;
    const struct {
        const char *descr, *shape;
        rm2_status status;
        const char *word;
    } cases[] = {
        {"<U0", "(9,)", RM2_ERR_UNSUPPORTED, "without any character"},
        {"|S0", "(4611686018427387903,)", RM2_ERR_UNSUPPORTED, "without any character"},
        {"<U", "(1,)", RM2_ERR_UNSUPPORTED, "cannot be read"},
        {"<Ux", "(1,)", RM2_ERR_UNSUPPORTED, "cannot be read"},
        {"<U4611686018427387904", "(1,)", RM2_ERR_UNSUPPORTED, "cannot be read"},
        {"<U99999999999999999999", "(1,)", RM2_ERR_UNSUPPORTED, "cannot be read"},
        {"<U4611686018427387903", "(1,)", RM2_ERR_FORMAT, "announces 1 elements"},
        {"|S1000000000000000000", "(18,)", RM2_ERR_FORMAT, "announces 18 elements"},
        {"<U2", "(3,)", RM2_ERR_FORMAT, "only 16 bytes follow"},
        {"|S1", "(2305843009213693951,)", RM2_ERR_FORMAT, "only 16 bytes follow"},
        {"|S1", "(18446744073709551615,)", RM2_ERR_FORMAT, "too many elements"},
        {"<U1", "(2, 2)", RM2_ERR_UNSUPPORTED, "one dimension, not 2"},
        {"<f8", "(2,)", RM2_ERR_UNSUPPORTED, "holds numbers"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refusal(f, cases[i].descr, cases[i].shape, "a\0\0\0b\0\0\0a\0\0\0b\0\0\0", 16,
                       cases[i].status, cases[i].word);
}

/* ---- files that are cut off or changed ------------------------------------------------------ */

static void check_result(fixture *f, rm2_status status, rm2_texts *texts, size_t bytes) {
    const char *message = rm2_context_error(f->ctx);
    if (status != RM2_OK) {
        assert_true(message[0] != '\0' && !strchr(message, '\n'));
        assert_true(!texts->codes && !texts->distinct);
        return;
    }
    assert_true(texts->count <= bytes && texts->distinct_count <= texts->count);
    for (size_t i = 0; i < texts->count; i++)
        assert_true(texts->codes[i] < texts->distinct_count);
    rm2_texts_clear(texts);
}

static void files_cut_off_anywhere_are_refused(void **state) {
    fixture *f = *state;
    size_t size;
    unsigned char *file = make_file("<U2", "(2,)", "a\0\0\0b\0\0\0a\0\0\0\0\0\0", 16, &size);
    for (size_t length = 0; length < size; length++) {
        unsigned char *part = malloc(length ? length : 1);
        assert_non_null(part);
        memcpy(part, file, length);
        rm2_texts texts;
        rm2_status status = load(f, part, length, &texts);
        assert_int_not_equal(status, RM2_OK);
        check_result(f, status, &texts, length);
        free(part);
    }
    free(file);
}

static void files_changed_anywhere_are_read_or_refused(void **state) {
    fixture *f = *state;
    const char *const types[] = {"<U2", "|S8", ">U1"};
    for (size_t k = 0; k < 3; k++) {
        size_t size;
        unsigned char *file =
            make_file(types[k], k < 2 ? "(2,)" : "(4,)", "a\0\0\0b\0\0\0a\0\0\0\0\0\0", 16, &size);
        for (size_t at = 0; at < size; at++)
            for (unsigned value = 0; value < 256; value++) {
                unsigned char before = file[at];
                rm2_texts texts;
                file[at] = (unsigned char)value;
                check_result(f, load(f, file, size, &texts), &texts, size);
                file[at] = before;
            }
        free(file);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(both_byte_orders_and_bytes_are_read),
        TEST(every_character_becomes_utf8),
        TEST(many_texts_are_numbered_by_first_appearance),
        TEST(long_texts_are_read),
        TEST(arrays_without_elements_have_no_texts),
        TEST(numbers_that_are_no_characters_are_refused),
        TEST(bytes_that_are_no_utf8_are_refused),
        TEST(headers_that_lie_are_refused),
        TEST(files_cut_off_anywhere_are_refused),
        TEST(files_changed_anywhere_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
