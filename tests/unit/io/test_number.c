/* Numbers as text: reading must give the bits of strtod, which glibc rounds correctly, for every
 * input; writing must give the same bits when read again. No tolerance anywhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "io/io.h"

enum { RANDOM_CASES = 500000 };

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double from_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void check_number(const char *text) {
    char *end;
    double expected = strtod(text, &end), value = 0;
    const char *after = rm2i_parse_double(text, &value);
    if (after != end || bits_of(value) != bits_of(expected))
        fail_msg("'%s' reads as %a (strtod: %a)", text, value, expected);
}

static void every_form_is_read(void **state) {
    (void)state;
    const char *const forms[] = {"0",
                                 "-0",
                                 "+0",
                                 "1",
                                 "+1.5",
                                 "-1.5",
                                 ".5",
                                 "5.",
                                 "-.5e1",
                                 "1e5",
                                 "1E+5",
                                 "1e-5",
                                 "00012.50",
                                 "0.000000000000000000000000000001",
                                 "123456789012345678901234567890",
                                 "1.00000000000000000000000000000000000000001",
                                 "9007199254740993",
                                 "9007199254740992",
                                 "9007199254740991e22",
                                 "9007199254740993e-22",
                                 "1e22",
                                 "1e23",
                                 "1e-23",
                                 "8.5e27",
                                 "1e308",
                                 "1.7976931348623157e308",
                                 "1.7976931348623159e308",
                                 "1e309",
                                 "-1e400",
                                 "1e999999999999",
                                 "1e-999999999999",
                                 "2.2250738585072014e-308",
                                 "2.2250738585072011e-308",
                                 "4.9e-324",
                                 "2.4703282292062327e-324",
                                 "2.4703282292062328e-324",
                                 "0e400",
                                 "0e-400",
                                 "18446744073709551615",
                                 "18446744073709551616",
                                 "9999999999999999999",
                                 "1e27",
                                 "1e28",
                                 "0.1e1000000",
                                 "7.2057594037927933e16",
                                 "6.02214076e23",
                                 "1.e3"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check_number(forms[i]);
}

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    const char *const none[] = {"", "+", "-", ".", "-.", "e5", "abc", "+-1", "nan", "inf", ",5"};
    double value;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(rm2i_parse_double(none[i], &value));
    /* the number ends before what does not belong to it */
    const char *const partial[][2] = {{"1e", "e"}, {"1e+", "e+"}, {"0x10", "x10"}, {"1.2.3", ".3"}};
    for (size_t i = 0; i < sizeof partial / sizeof *partial; i++)
        assert_string_equal(rm2i_parse_double(partial[i][0], &value), partial[i][1]);
}

/* Any double, written with 1 to 20 digits. */
static void random_doubles(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    for (int i = 0; i < RANDOM_CASES; i++) {
        char text[64];
        double x = from_bits(rm2_rng_next(&rng));
        if (x != x || x - x != 0)
            continue;
        (void)snprintf(text, sizeof text, "%.*e", (int)(rm2_rng_next(&rng) % 20), x);
        check_number(text);
        (void)snprintf(text, sizeof text, "%.17g", x);
        check_number(text);
    }
}

/* Numbers of everyday size, as programs write them. */
static void everyday_numbers(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 2);
    for (int i = 0; i < RANDOM_CASES; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "%.*g", 15 + (int)(rm2_rng_next(&rng) % 4),
                       rm2_rng_normal(&rng));
        check_number(text);
        (void)snprintf(text, sizeof text, "%.*f", (int)(rm2_rng_next(&rng) % 18),
                       1e4 * rm2_rng_normal(&rng));
        check_number(text);
    }
}

/* 19 random digits with any exponent: overflow and subnormals included. */
static void random_digits_and_exponents(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    for (int i = 0; i < RANDOM_CASES; i++) {
        char text[64];
        unsigned long long digits = rm2_rng_next(&rng) >> (rm2_rng_next(&rng) % 64);
        (void)snprintf(text, sizeof text, "%llue%d", digits, (int)(rm2_rng_next(&rng) % 720) - 360);
        check_number(text);
        (void)snprintf(text, sizeof text, "%llue%d", digits, (int)(rm2_rng_next(&rng) % 60) - 30);
        check_number(text);
    }
}

/* Exact middles of two doubles with up to 19 digits, and their neighbours in the last digit: an
 * odd number of 54 bits times 2^k or 10^-k. */
static void middles_of_doubles(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 4);
    for (int i = 0; i < RANDOM_CASES / 2; i++) {
        uint64_t middle = (UINT64_C(1) << 53) | rm2_rng_next(&rng) >> 11 | 1;
        unsigned k = (unsigned)(rm2_rng_next(&rng) % 10);
        uint64_t fives = 1;
        for (unsigned j = 0; j < k % 4; j++)
            fives *= 5;
        for (int d = -1; d <= 1; d++) {
            char text[64];
            (void)snprintf(text, sizeof text, "%llu",
                           (unsigned long long)((middle << k) + (uint64_t)d));
            check_number(text);
            (void)snprintf(text, sizeof text, "%llue-%u",
                           (unsigned long long)(middle * fives + (uint64_t)d), k % 4);
            check_number(text);
        }
    }
}

/* Exact middles with all their digits, up to 760 of them. */
static void long_middles(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 5);
    for (int i = 0; i < 2000; i++) {
        char text[1200];
        double x = from_bits(rm2_rng_next(&rng) & INT64_MAX);
        if (x != x || x > 1e300)
            continue;
        double above = from_bits(bits_of(x) + 1);
        (void)snprintf(text, sizeof text, "%.1100Lg", ((long double)x + (long double)above) / 2);
        check_number(text);
        text[strlen(text) - 1] ^= 1; /* one digit beside the middle */
        check_number(text);
    }
}

static void formatting_gives_the_same_bits(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 6);
    for (int i = 0; i < RANDOM_CASES / 2; i++) {
        char text[RM2I_NUMBER_SIZE];
        double x = i % 2 ? from_bits(rm2_rng_next(&rng)) : rm2_rng_normal(&rng);
        if (x != x || x - x != 0)
            continue;
        rm2i_format_double(x, text);
        if (bits_of(strtod(text, NULL)) != bits_of(x))
            fail_msg("%a is written as '%s'", x, text);
    }
}

static void formatting_is_short(void **state) {
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {1, "1"},
                 {-0.0, "-0"},
                 {1e300, "1e+300"},
                 {0.3, "0.3"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {5e-324, "4.94065645841247e-324"},
                 {2.0 / 3, "0.6666666666666666"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[RM2I_NUMBER_SIZE];
        rm2i_format_double(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void c_locale_is_left_again(void **state) {
    (void)state;
    locale_t before = uselocale((locale_t)0);
    rm2i_c_locale scope;
    assert_int_equal(rm2i_c_locale_enter(NULL, &scope), RM2_OK);
    assert_true(uselocale((locale_t)0) != before);
    rm2i_c_locale_leave(&scope);
    assert_true(uselocale((locale_t)0) == before);
}

static void values_shown_are_printable(void **state) {
    (void)state;
    char shown[RM2I_SHOWN_SIZE];
    assert_string_equal(rm2i_shown("plain", 5, shown), "plain");
    assert_string_equal(rm2i_shown("a\nb\x1b[0m\x7f", 8, shown), "a?b?[0m?");
    assert_string_equal(rm2i_shown("\xc3\xa9\xff\xc2\x85\xc3", 6, shown), "\xc3\xa9????");
    const char *longer = "0123456789012345678901234567890123456789XYZ";
    assert_string_equal(rm2i_shown(longer, 40, shown), "0123456789012345678901234567890123456789");
    assert_string_equal(rm2i_shown(longer, 43, shown),
                        "0123456789012345678901234567890123456789...");
    const char *cut = "012345678901234567890123456789012345678\xc3\xa9";
    assert_string_equal(rm2i_shown(cut, 41, shown), "012345678901234567890123456789012345678...");
}

static void text_set_numbers_by_first_appearance(void **state) {
    (void)state;
    rm2i_text_set set = {0};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < 5000; i++) {
            char text[32];
            size_t number, size = (size_t)snprintf(text, sizeof text, "id%zu", i);
            assert_int_equal(rm2i_text_set_add(NULL, &set, text, size, &number), RM2_OK);
            assert_int_equal(number, i);
        }
    }
    size_t number;
    assert_int_equal(rm2i_text_set_add(NULL, &set, "id12345", 3, &number), RM2_OK);
    assert_int_equal(number, 1); /* only the first 3 bytes: "id1" */
    assert_int_equal(set.count, 5000);
    rm2i_text_set_free(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_read),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(random_doubles),
        cmocka_unit_test(everyday_numbers),
        cmocka_unit_test(random_digits_and_exponents),
        cmocka_unit_test(middles_of_doubles),
        cmocka_unit_test(long_middles),
        cmocka_unit_test(formatting_gives_the_same_bits),
        cmocka_unit_test(formatting_is_short),
        cmocka_unit_test(c_locale_is_left_again),
        cmocka_unit_test(values_shown_are_printable),
        cmocka_unit_test(text_set_numbers_by_first_appearance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
