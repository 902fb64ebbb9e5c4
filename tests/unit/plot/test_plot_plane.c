/* Panels in the plane, drawn and read back: ink is where the numbers say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "picture.h"

#define RED  RM2_RGB(0xFF0000)
#define LIME RM2_RGB(0x00FF00)
#define NAVY RM2_RGB(0x0000FF)
#define CYAN RM2_RGB(0x00FFFF)

/* Centres of markers are found to a pixel: their mean is over whole pixels. */
static const double PIXEL = 1;

static void points_are_where_they_belong(void **state) {
    picture *p = *state;
    begin(p, plane_to_ten());
    pin(p, (double[]){1, 1}, RED);
    pin(p, (double[]){9, 9}, LIME);
    pin(p, (double[]){3, 7}, NAVY);
    develop(p);
    blot low = pinned(p, RED), high = pinned(p, LIME), here = pinned(p, NAVY);
    assert_true(fabs(here.x - (low.x + 0.25 * (high.x - low.x))) < PIXEL);
    assert_true(fabs(here.y - (low.y + 0.75 * (high.y - low.y))) < PIXEL);
    assert_true(high.y < low.y && high.x > low.x);
    assert_int_equal(p->width, (int)ceil(80 / 25.4 * 200)); /* the page at 200 dpi */
    assert_int_equal(p->height, (int)ceil(60 / 25.4 * 200));
}

static void logarithmic_axes_are_logarithmic(void **state) {
    picture *p = *state;
    rm2_panel_settings s = plane();
    s.x.log = s.y.log = true;
    begin(p, s);
    pin(p, (double[]){1, 1e-3}, RED);
    pin(p, (double[]){100, 1e3}, LIME);
    pin(p, (double[]){10, 10}, NAVY);
    pin(p, (double[]){-10, 10}, CYAN); /* has no place */
    develop(p);
    blot low = pinned(p, RED), high = pinned(p, LIME), here = pinned(p, NAVY);
    assert_true(fabs(here.x - (low.x + high.x) / 2) < PIXEL);
    assert_true(fabs(here.y - (low.y + 4.0 / 6 * (high.y - low.y))) < PIXEL);
    assert_int_equal(find(p, CYAN).count, 0);
}

static void equal_units_are_equally_long(void **state) {
    picture *p = *state;
    rm2_panel_settings s = plane();
    s.equal = true;
    begin(p, s);
    pin(p, (double[]){0, 0}, RED);
    pin(p, (double[]){1, 0}, LIME);
    pin(p, (double[]){0, 1}, NAVY);
    develop(p);
    blot o = pinned(p, RED), x = pinned(p, LIME), y = pinned(p, NAVY);
    assert_true(fabs((x.x - o.x) - (o.y - y.y)) < PIXEL);
    assert_true(o.y - y.y > p->height / 3);
}

static void curves_are_interrupted_where_numbers_are_missing(void **state) {
    picture *p = *state;
    const double line[] = {1, 5, 3, 5, NAN, 5, 6, 5, 8, 5, INFINITY, 0, 9, 5, 9, 5};
    begin(p, plane_to_ten());
    must(p, rm2_plot_curve(p->ctx, p->panel, 8, line, &(rm2_style){.colour = RED, .width = 3}));
    pin(p, (double[]){0, 5}, LIME);
    pin(p, (double[]){10, 5}, NAVY);
    develop(p);
    blot from = pinned(p, LIME), to = pinned(p, NAVY);
    static const struct {
        double x;
        bool ink;
    } at[] = {{2, true}, {4.5, false}, {7, true}, {8.6, false}};
    for (size_t i = 0; i < 4; i++) {
        /* the outer pins are cut in half by the frame: their middles are 5 / 4 points inside */
        double inset = 5.0 / 4 * 200 / 72, left = from.x - inset, right = to.x + inset;
        int x = (int)(left + at[i].x / 10 * (right - left));
        assert_int_equal(pixel(p, x, (int)(from.y + 0.5)) == RED, at[i].ink);
    }
}

static void dashes_leave_gaps(void **state) {
    picture *p = *state;
    long ink[4];
    for (int dash = RM2_SOLID; dash <= RM2_DASH_DOT; dash++) {
        begin(p, plane_to_ten());
        must(p, rm2_plot_curve(p->ctx, p->panel, 2, (double[]){1, 5, 9, 5},
                               &(rm2_style){.colour = RED, .width = 3, .dash = (rm2_dash)dash}));
        develop(p);
        ink[dash] = find(p, RED).count;
        assert_true(ink[dash] > 100);
    }
    assert_true((double)ink[RM2_DASHED] < 0.8 * (double)ink[RM2_SOLID]);
    assert_true(ink[RM2_DOTTED] < ink[RM2_DASHED]);
    assert_true((double)ink[RM2_DASH_DOT] < 0.9 * (double)ink[RM2_SOLID]);
}

static void every_marker_has_ink(void **state) {
    picture *p = *state;
    begin(p, plane_to_ten());
    for (int m = RM2_MARKER_CIRCLE; m <= RM2_MARKER_STAR; m++)
        must(p, rm2_plot_points(p->ctx, p->panel, 1, (double[]){m + 1.0, 5},
                                &(rm2_style){.colour = RM2_RGB(0x10 * m),
                                             .size = 6,
                                             .marker = (rm2_marker)m,
                                             .halo = true}));
    develop(p);
    for (int m = RM2_MARKER_CIRCLE; m <= RM2_MARKER_STAR; m++)
        assert_true(find(p, RM2_RGB(0x10 * m)).count > 20);
}

static void bands_fill_the_region_between(void **state) {
    picture *p = *state;
    const double x[] = {0, 5, 10, NAN, 10}, low[] = {2, 2, 2, 0, 0}, high[] = {6, 6, 6, 9, 9};
    begin(p, plane_to_ten());
    must(p, rm2_plot_band(p->ctx, p->panel, 5, x, low, high,
                          &(rm2_style){.colour = RED, .opacity = 0.4}));
    pin(p, (double[]){5, 1}, LIME);
    pin(p, (double[]){5, 9}, NAVY);
    develop(p);
    blot bottom = pinned(p, LIME), top = pinned(p, NAVY);
    double unit = (bottom.y - top.y) / 8;
    int column = (int)bottom.x;
    /* 40 % of red over white: (255, 153, 153) */
    assert_true(difference(pixel(p, column, (int)(bottom.y - 3 * unit)), RM2_RGB(0xFF9999)) <= 1);
    assert_true(difference(pixel(p, column, (int)(bottom.y - 4.8 * unit)), RM2_RGB(0xFF9999)) <= 1);
    assert_int_equal(pixel(p, column, (int)(bottom.y - 5.2 * unit)), RM2_WHITE);
    assert_int_equal(pixel(p, column, (int)(bottom.y - 0.7 * unit)), RM2_WHITE);
}

static void groups_have_their_colours(void **state) {
    picture *p = *state;
    double points[2 * 10];
    size_t group[10];
    for (size_t i = 0; i < 10; i++) {
        points[2 * i] = (double)(i % 4) + 3;
        points[2 * i + 1] = (double)i + 0.2;
        group[i] = i;
    }
    begin(p, plane_to_ten());
    must(p, rm2_plot_groups(p->ctx, p->panel, &(rm2_groups){10, points, group, 10, NULL},
                            &(rm2_style){.size = 6}));
    develop(p);
    for (size_t g = 0; g < 8; g++)
        assert_true(find(p, rm2_palette(g)).count > 50);
    blot blue = find(p, RM2_BLUE); /* groups 0 and 8: a circle and a triangle */
    assert_true(blue.bottom - blue.top > p->height / 3);
}

/* ---- heat maps -------------------------------------------------------------------------------- */

static rm2_heat_map ramp(const double *values) {
    return (rm2_heat_map){.columns = 3, .rows = 2, .values = values, .x_max = 10, .y_max = 10};
}

/* Colours of four pixels around a place of the plane. */
static void expect_colour(picture *p, double x, double y, rm2_colour expected, int tolerance) {
    blot low = pinned(p, RED), high = pinned(p, LIME);
    int column = (int)lround(low.x + (x - 1) / 8 * (high.x - low.x));
    int row = (int)lround(low.y + (y - 1) / 8 * (high.y - low.y));
    if (difference(pixel(p, column, row), expected) > tolerance)
        fail_msg("at (%g, %g): %06x, not %06x", x, y, pixel(p, column, row) & 0xFFFFFF,
                 expected & 0xFFFFFF);
}

static void pin_corners(picture *p) {
    pin(p, (double[]){1, 1}, RED);
    pin(p, (double[]){9, 9}, LIME);
}

static void heat_maps_interpolate_their_values(void **state) {
    picture *p = *state;
    const double values[] = {0, 1, 2, 4, 5, 6}; /* x / 5 + 4 y / 10 */
    rm2_heat_map heat = ramp(values);
    begin(p, plane());
    must(p, rm2_plot_heat(p->ctx, p->panel, &heat));
    pin_corners(p);
    develop(p);
    for (double x = 2; x <= 8; x += 1.5)
        for (double y = 2; y <= 8; y += 1.5) {
            /* a pixel is 0.015 of the panel, the map changes by 4 bytes in a channel there */
            double part = (x / 5 + 4 * y / 10) / 6;
            expect_colour(p, x, y, rm2_colour_map_at(RM2_MAP_SEQUENTIAL, part), 5);
        }
}

static void heat_maps_show_what_is_missing(void **state) {
    picture *p = *state;
    const double values[] = {0, 0, NAN, 0, 1, INFINITY};
    rm2_heat_map heat = ramp(values);
    begin(p, plane());
    must(p, rm2_plot_heat(p->ctx, p->panel, &heat));
    pin_corners(p);
    develop(p);
    expect_colour(p, 8, 5, RM2_RGB(0xD8D8D8), 0); /* nearer to the missing node */
    expect_colour(p, 6.5, 2, rm2_colour_map_at(RM2_MAP_SEQUENTIAL, 0), 3);
}

static void heat_maps_can_be_logarithmic_and_limited(void **state) {
    picture *p = *state;
    const double values[] = {1, 10, 100, 1, 10, 100};
    rm2_heat_map heat = ramp(values);
    heat.log = true;
    heat.min = 1;
    heat.max = 10;
    heat.label = "value";
    begin(p, plane());
    must(p, rm2_plot_heat(p->ctx, p->panel, &heat));
    pin_corners(p);
    develop(p);
    expect_colour(p, 2.5, 5, rm2_colour_map_at(RM2_MAP_SEQUENTIAL, 0.5), 4); /* 10^(1/2) */
    expect_colour(p, 8, 5, rm2_colour_map_at(RM2_MAP_SEQUENTIAL, 1), 2);
}

static void contours_are_at_their_level(void **state) {
    picture *p = *state;
    double values[21 * 21];
    for (int r = 0; r < 21; r++)
        for (int c = 0; c < 21; c++)
            values[r * 21 + c] = hypot(c - 10, r - 10) / 2; /* distance from (5, 5) */
    rm2_heat_map heat = {.columns = 21,
                         .rows = 21,
                         .values = values,
                         .x_max = 10,
                         .y_max = 10,
                         .min = 0,
                         .max = 7,
                         .contours = 2};
    begin(p, plane());
    must(p, rm2_plot_heat(p->ctx, p->panel, &heat));
    pin_corners(p);
    develop(p);
    /* one level, 5: the circle through (2, 1), lighter than the map; not inside */
    blot low = pinned(p, RED), high = pinned(p, LIME);
    double unit = (high.x - low.x) / 8, rows = (low.y - high.y) / 8;
    rm2_colour plain = rm2_colour_map_at(RM2_MAP_SEQUENTIAL, 5.0 / 7);
    int lightest = 0;
    for (int d = -3; d <= 3; d++) /* (5 + 5 cos 37, 5 + 5 sin 37) = (9, 8) */
        lightest = (int)fmax(
            lightest,
            difference(pixel(p, (int)(low.x + 8 * unit) + d, (int)(low.y - 7 * rows)), plain));
    assert_true(lightest > 25);
    expect_colour(p, 7, 5, rm2_colour_map_at(RM2_MAP_SEQUENTIAL, 2.0 / 7), 6);
}

/* ---- shapes ----------------------------------------------------------------------------------- */

/* Semi-axes 1 and 1/2, turned by 0, 90 and 45 degrees, on axes of quite different units. */
static void ellipses_keep_their_shape(void **state) {
    picture *p = *state;
    static const double matrices[][4] = {
        {1, 0, 0, 0.25}, {0.25, 0, 0, 1}, {0.625, 0.375, 0.375, 0.625}};
    const double unit = 20.0 * 200 / 72;
    for (size_t i = 0; i < 3; i++) {
        begin(p, plane());
        pin(p, (double[]){0, 0}, LIME);
        pin(p, (double[]){1000, 1}, LIME);
        must(p, rm2_plot_ellipses(p->ctx, p->panel, 1, (double[]){500, 0.5}, matrices[i],
                                  &(rm2_style){.colour = RED, .size = 20, .width = 2}));
        develop(p);
        blot e = pinned(p, RED);
        /* half extents are the roots of the diagonal, the line 1 point wider; edges are not pure */
        assert_true(fabs((e.right - e.left) / 2.0 - sqrt(matrices[i][0]) * unit - 1) < 3);
        assert_true(fabs((e.bottom - e.top) / 2.0 - sqrt(matrices[i][3]) * unit - 1) < 3);
    }
    /* the last one leans to the right: its upper right has ink, its upper left none */
    blot e = pinned(p, RED);
    int tip = (int)(unit / sqrt(2)), found[2] = {0, 0};
    for (int d = -3; d <= 3; d++) {
        found[0] += pixel(p, (int)e.x + tip + d, (int)e.y - tip - d) == RED;
        found[1] += pixel(p, (int)e.x - tip + d, (int)e.y - tip + d) == RED;
    }
    assert_true(found[0] > 0 && found[1] == 0);
}

static void ellipses_find_a_size_that_fits(void **state) {
    picture *p = *state;
    double centres[16], matrices[32];
    for (int i = 0; i < 8; i++) {
        centres[2 * i] = i;
        centres[2 * i + 1] = 0;
        memcpy(matrices + 4 * i, (double[]){1e-26 * (i + 1), 0, 0, 2e-26}, 4 * sizeof(double));
    }
    rm2_panel_settings s = plane();
    s.y.hidden = true;
    begin(p, s);
    must(p, rm2_plot_ellipses(p->ctx, p->panel, 8, centres, matrices,
                              &(rm2_style){.colour = RED, .width = 2}));
    develop(p);
    blot e = pinned(p, RED); /* a row over most of the panel */
    assert_true(e.right - e.left > 0.8 * p->width && e.left > 0 && e.right < p->width - 1);
}

static void arms_go_from_light_to_dark(void **state) {
    picture *p = *state;
    const double joints[] = {1, 1, 1, 5, 1, 9, 5, 1, 5, 5, 5, 9, 9, 1, 9, 5, 9, 9};
    begin(p, plane_to_ten());
    must(p, rm2_plot_arm(p->ctx, p->panel, 3, 3, joints, &(rm2_style){.colour = RED, .width = 6}));
    develop(p);
    blot first = find(p, RM2_RGB(0xFFBFBF)), last = find(p, RED); /* 75 % white, none */
    assert_true(first.count > 500 && last.count > 500 && first.right < last.left);
    assert_true(first.bottom - first.top > p->height / 2);
    assert_int_equal(pixel(p, (int)last.x, (int)last.y), RM2_WHITE); /* the joint in the middle */
}

/* ---- legends ---------------------------------------------------------------------------------- */

static void legends_go_to_a_free_corner(void **state) {
    picture *p = *state;
    static const double corners[][2] = {{9, 9}, {1, 9}, {9, 1}, {1, 1}};
    for (int taken = 0; taken < 4; taken++) { /* upper right, upper left, lower right, lower left */
        begin(p, plane_to_ten());
        for (int i = 0; i < taken; i++)
            pin(p, corners[i], LIME);
        must(p, rm2_plot_curve(p->ctx, p->panel, 2, (double[]){5, 4, 5, 6},
                               &(rm2_style){.colour = RED, .width = 3, .label = "l"}));
        develop(p);
        blot line = find(p, RED);
        bool right = taken % 2 == 0, above = taken < 2;
        assert_true(right ? line.right > 0.7 * p->width : line.left < 0.35 * p->width);
        assert_true(above ? line.top < 0.15 * p->height : line.bottom > 0.7 * p->height);
    }
}

static void legends_go_below_full_panels(void **state) {
    picture *p = *state;
    double grid[2 * 400];
    for (int i = 0; i < 400; i++) {
        grid[2 * i] = i % 20 / 2.0 + 0.25;
        grid[2 * i + 1] = i / 20 / 2.0 + 0.25;
    }
    for (int legend = RM2_LEGEND_AUTO; legend <= RM2_LEGEND_NONE; legend++) {
        rm2_panel_settings s = plane_to_ten();
        s.legend = (rm2_legend)legend;
        begin(p, s);
        must(p, rm2_plot_points(p->ctx, p->panel, 400, grid,
                                &(rm2_style){.colour = LIME, .label = "grid"}));
        must(p, rm2_plot_curve(p->ctx, p->panel, 2, (double[]){5, 8, 5, 9},
                               &(rm2_style){.colour = RED, .width = 3, .label = "line"}));
        develop(p);
        blot points = find(p, LIME), line = find(p, RED);
        bool below = legend == RM2_LEGEND_AUTO || legend == RM2_LEGEND_BELOW;
        assert_int_equal(line.bottom > 0.85 * p->height, below);
        assert_int_equal(line.right > 0.7 * p->width, legend == RM2_LEGEND_RIGHT);
        assert_true(points.count > 1000);
    }
}

static void labels_appear_once(void **state) {
    picture *p = *state;
    long samples[2];
    for (int twice = 0; twice < 2; twice++) {
        rm2_panel_settings s = plane_to_ten();
        s.legend = RM2_LEGEND_RIGHT;
        begin(p, s);
        for (int i = 0; i <= twice; i++) /* outside of the panel: only the legend shows them */
            must(p, rm2_plot_curve(p->ctx, p->panel, 2, (double[]){20, 20, 30, 30},
                                   &(rm2_style){.colour = RED, .width = 3, .label = "same"}));
        develop(p);
        samples[twice] = find(p, RED).count;
    }
    assert_int_equal(samples[0], samples[1]);
    assert_true(samples[0] > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(points_are_where_they_belong),
        TEST(logarithmic_axes_are_logarithmic),
        TEST(equal_units_are_equally_long),
        TEST(curves_are_interrupted_where_numbers_are_missing),
        TEST(dashes_leave_gaps),
        TEST(every_marker_has_ink),
        TEST(bands_fill_the_region_between),
        TEST(groups_have_their_colours),
        TEST(heat_maps_interpolate_their_values),
        TEST(heat_maps_show_what_is_missing),
        TEST(heat_maps_can_be_logarithmic_and_limited),
        TEST(contours_are_at_their_level),
        TEST(ellipses_keep_their_shape),
        TEST(ellipses_find_a_size_that_fits),
        TEST(arms_go_from_light_to_dark),
        TEST(legends_go_to_a_free_corner),
        TEST(legends_go_below_full_panels),
        TEST(labels_appear_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
