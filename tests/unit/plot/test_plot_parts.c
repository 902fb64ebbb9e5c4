/* Parts of figures that need no page: round ticks, colour maps, projections. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "plot/draw.h"

/* ---- ticks ------------------------------------------------------------------------------------ */

static void expect_ticks(double lo, double hi, bool log, size_t most, const char *expected) {
    rm2i_axis_range range = {lo, hi, log};
    rm2i_ticks ticks;
    char texts[512] = "", label[RM2I_LINE_SIZE];
    rm2i_ticks_make(&range, most, &ticks);
    for (size_t i = 0; i < ticks.count; i++) {
        (void)strcat(strcat(texts, i ? " " : ""), ticks.text[i]);
        double part = rm2i_range_part(&range, ticks.at[i]);
        assert_true(part > -1e-6 && part < 1 + 1e-6);
    }
    rm2i_axis_text("", &ticks, label);
    (void)strcat(strcat(texts, *label ? " " : ""), label);
    assert_string_equal(texts, expected);
}

static void linear_ticks_are_round(void **state) {
    (void)state;
    expect_ticks(0, 10, false, 6, "0 2 4 6 8 10");
    expect_ticks(-1.05, 1.05, false, 5, "−1.0 −0.5 0.0 0.5 1.0");
    expect_ticks(0.1, 0.3, false, 3, "0.1 0.2 0.3");
    expect_ticks(-0.02, 0.031, false, 6, "−0.02 −0.01 0.00 0.01 0.02 0.03");
    expect_ticks(3, 97, false, 4, "20 40 60 80");
    expect_ticks(3, 97, false, 3, "50"); /* steps of 20 would give four */
}

static void powers_of_ten_are_taken_out(void **state) {
    (void)state;
    expect_ticks(0, 3e-26, false, 4, "0 1 2 3 ×10⁻²⁶");
    expect_ticks(-2e5, 4e5, false, 4, "−2 0 2 4 ×10⁵");
    expect_ticks(0, 99999, false, 3, "0 50000");
}

static void common_digits_are_taken_out(void **state) {
    (void)state;
    expect_ticks(1.7e9, 1.7e9 + 10, false, 6, "0 2 4 6 8 10 +1700000000");
    expect_ticks(-1e6 - 1, -1e6, false, 3, "−1.0 −0.5 0.0 −1000000");
    expect_ticks(1e6, 1e6 + 2e-4, false, 3, "0 1 2 ×10⁻⁴ + 1000000");
}

static void logarithmic_ticks_are_powers(void **state) {
    (void)state;
    expect_ticks(0.05, 2e3, true, 6, "10⁻¹ 10⁰ 10¹ 10² 10³");
    expect_ticks(1e-20, 1e5, true, 6, "10⁻²⁰ 10⁻¹⁵ 10⁻¹⁰ 10⁻⁵ 10⁰ 10⁵");
    expect_ticks(0.9, 60, true, 6, "1 2 5 10 20 50");
    expect_ticks(1e-6, 6e-6, true, 6, "10⁻⁶ 2·10⁻⁶ 5·10⁻⁶");
    expect_ticks(3, 3.5, true, 6, "3.0 3.1 3.2 3.3 3.4 3.5");
}

static void minor_ticks_fill_decades(void **state) {
    (void)state;
    rm2i_axis_range range = {1, 1000, true};
    rm2i_ticks ticks;
    rm2i_ticks_make(&range, 6, &ticks);
    assert_int_equal(ticks.count, 4);
    assert_int_equal(ticks.minor_count, 3 * 8);
    for (size_t i = 0; i < ticks.minor_count; i++)
        assert_true(ticks.minor[i] > 1 && ticks.minor[i] < 1000);
}

/* Whatever the range: at least one tick, at most as many as asked for, even steps. */
static void ticks_of_any_range(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    for (int trial = 0; trial < 20000; trial++) {
        double width = pow(10, 60 * rm2_rng_uniform(&rng) - 30);
        double lo = width * 1e3 * (rm2_rng_uniform(&rng) - 0.5);
        rm2i_axis_range range = {lo, lo + width, false};
        rm2i_ticks ticks;
        size_t most = 2 + (size_t)(7 * rm2_rng_uniform(&rng));
        rm2i_ticks_make(&range, most, &ticks);
        assert_in_range(ticks.count, 1, most);
        for (size_t i = 2; i < ticks.count; i++) /* 1e-9: rounding of lo, 500 times the width */
            assert_true(fabs(ticks.at[i] - 2 * ticks.at[i - 1] + ticks.at[i - 2]) < 1e-9 * width);
    }
}

/* ---- colours ---------------------------------------------------------------------------------- */

/* sRGB to OKLab, from the published matrices. */
static void to_oklab(rm2_colour colour, double lab[3]) {
    double c[3];
    for (int k = 0; k < 3; k++) {
        double s = (colour >> (16 - 8 * k) & 255) / 255.0;
        c[k] = s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
    }
    double l = cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
    double m = cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
    double s = cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static double relative_luminance(rm2_colour colour) {
    double sum = 0;
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    for (int k = 0; k < 3; k++)
        sum += weights[k] * pow((colour >> (16 - 8 * k) & 255) / 255.0, 2.2);
    return sum;
}

static void sequential_map_is_uniform(void **state) {
    (void)state;
    double before[3], here[3], shortest = 1, longest = 0;
    to_oklab(rm2_colour_map_at(RM2_MAP_SEQUENTIAL, 0), before);
    for (int i = 1; i <= 32; i++) {
        rm2_colour colour = rm2_colour_map_at(RM2_MAP_SEQUENTIAL, i / 32.0);
        to_oklab(colour, here);
        double step = sqrt(pow(here[0] - before[0], 2) + pow(here[1] - before[1], 2) +
                           pow(here[2] - before[2], 2));
        shortest = fmin(shortest, step);
        longest = fmax(longest, step);
        assert_true(fabs(here[0] - before[0] - 0.67 / 32) < 0.004); /* a byte is up to 1/255 of L */
        assert_true(relative_luminance(colour) >
                    relative_luminance(rm2_colour_map_at(RM2_MAP_SEQUENTIAL, (i - 1) / 32.0)));
        memcpy(before, here, sizeof before);
    }
    /* speed sqrt(0.67^2 + 0.385^2) / 32 = 0.024; rounding to bytes moves ends by up to 0.003 */
    assert_true(shortest > 0.020 && longest < 0.029);
}

static void sequential_map_stays_inside_srgb(void **state) {
    (void)state;
    double lab[3];
    for (int i = 0; i <= 256; i++) { /* a colour that was clipped has lost its lightness */
        to_oklab(rm2_colour_map_at(RM2_MAP_SEQUENTIAL, i / 256.0), lab);
        assert_true(fabs(lab[0] - (0.25 + 0.67 * i / 256.0)) < 0.004);
    }
}

static void diverging_map_is_symmetric(void **state) {
    (void)state;
    double low[3], high[3];
    for (int i = 0; i < 32; i++) {
        to_oklab(rm2_colour_map_at(RM2_MAP_DIVERGING, 0.5 - i / 64.0), low);
        to_oklab(rm2_colour_map_at(RM2_MAP_DIVERGING, 0.5 + i / 64.0), high);
        assert_true(fabs(low[0] - high[0]) < 0.004);
        assert_true(fabs(low[0] - (0.98 - 0.5 * i / 32)) < 0.004);
    }
    assert_true(low[2] < -0.1 && high[1] > 0.1); /* blue and red */
}

static void colours_outside_the_map(void **state) {
    (void)state;
    assert_int_equal(rm2_colour_map_at(RM2_MAP_SEQUENTIAL, -3),
                     rm2_colour_map_at(RM2_MAP_SEQUENTIAL, 0));
    assert_int_equal(rm2_colour_map_at(RM2_MAP_DIVERGING, 3),
                     rm2_colour_map_at(RM2_MAP_DIVERGING, 1));
    assert_int_equal(rm2_colour_map_at(RM2_MAP_SEQUENTIAL, NAN), RM2I_LIGHT);
    assert_int_equal(rm2_palette(1), rm2_palette(1 + RM2_PALETTE_SIZE));
    assert_int_equal(rm2i_mix(RM2_BLACK, RM2_WHITE, 0.2), RM2_RGB(0x333333));
}

/* ---- projections ------------------------------------------------------------------------------ */

static rm2i_view view_from(double azimuth, double elevation) {
    rm2_panel panel = {.settings = rm2_panel_settings_default(RM2_PANEL_SPHERE)};
    rm2i_view view;
    panel.settings.azimuth = azimuth;
    panel.settings.elevation = elevation;
    assert_int_equal(rm2i_view_start(NULL, &panel, &view), RM2_OK);
    view.scale = 100;
    return view;
}

static void expect_page(const rm2i_view *view, double x, double y, double z, double right,
                        double up, double towards) {
    double page[3];
    assert_true(rm2i_view_point(view, (double[]){x, y, z}, page));
    assert_true(fabs(page[0] - 100 * right) < 1e-9);
    assert_true(fabs(page[1] + 100 * up) < 1e-9);
    assert_true(fabs(page[2] - towards) < 1e-9);
}

static void viewers_see_axes_where_they_are(void **state) {
    (void)state;
    rm2i_view view = view_from(0, 0); /* on the x axis */
    expect_page(&view, 1, 0, 0, 0, 0, 1);
    expect_page(&view, 0, 1, 0, 1, 0, 0);
    expect_page(&view, 0, 0, 1, 0, 1, 0);
    view = view_from(-90, 0); /* in front of the x-z plane */
    expect_page(&view, 1, 0, 0, 1, 0, 0);
    expect_page(&view, 0, 1, 0, 0, 0, -1);
    view = view_from(-90, 90); /* above a map */
    expect_page(&view, 1, 0, 0, 1, 0, 0);
    expect_page(&view, 0, 1, 0, 0, 1, 0);
    expect_page(&view, 0, 0, 1, 0, 0, 1);
}

static void projections_are_rotations(void **state) {
    (void)state;
    rm2i_view view = view_from(-37, 21);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) {
            double dot = 0;
            for (size_t k = 0; k < 3; k++)
                dot += view.turn[i][k] * view.turn[j][k];
            assert_true(fabs(dot - (i == j)) < 1e-15);
        }
}

static void the_sphere_hides_what_is_behind_it(void **state) {
    (void)state;
    rm2i_view view = view_from(0, 0);
    static const struct {
        double point[3];
        bool hidden;
    } cases[] = {{{1, 0, 0}, false},     {{-1, 0, 0}, true},   {{0.6, 0.8, 0}, false},
                 {{-0.6, 0.8, 0}, true}, {{0, 0, 0}, true},    {{0.5, 0, 0}, true},
                 {{2, 0, 0}, false},     {{-2, 0, 0}, true},   {{-2, 1.1, 0}, false},
                 {{0.99, 0, 0}, false},  {{0, 0, 1.5}, false}, {{-0.99, 0.05, 0}, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(rm2i_view_hidden(&view, cases[i].point), cases[i].hidden);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_ticks_are_round),
        cmocka_unit_test(powers_of_ten_are_taken_out),
        cmocka_unit_test(common_digits_are_taken_out),
        cmocka_unit_test(logarithmic_ticks_are_powers),
        cmocka_unit_test(minor_ticks_fill_decades),
        cmocka_unit_test(ticks_of_any_range),
        cmocka_unit_test(sequential_map_is_uniform),
        cmocka_unit_test(sequential_map_stays_inside_srgb),
        cmocka_unit_test(diverging_map_is_symmetric),
        cmocka_unit_test(colours_outside_the_map),
        cmocka_unit_test(viewers_see_axes_where_they_are),
        cmocka_unit_test(projections_are_rotations),
        cmocka_unit_test(the_sphere_hides_what_is_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
