/* What a figure says: texts stay texts, one legend for a figure, panels of one size, numbers of coincident points,
 * colours that differ. */
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

/* The bytes of the figure in a format; the caller's to free. */
static char *bytes_as(picture *p, const char *ending, size_t *size) {
    char path[96];
    (void)snprintf(path, sizeof path, "%s/figure%s", p->directory, ending);
    must(p, rm2_figure_save(p->ctx, p->figure, path, 0, true));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *bytes = calloc(1, 1 << 22);
    assert_non_null(bytes);
    *size = fread(bytes, 1, (1 << 22) - 1, file);
    (void)fclose(file);
    (void)unlink(path);
    return bytes;
}

static size_t count(const char *where, const char *what) {
    size_t found = 0;
    while ((where = strstr(where, what)))
        found++, where++;
    return found;
}

/* ---- texts ------------------------------------------------------------------------------------ */

static void begin_labelled(picture *p) {
    rm2_panel_settings s = plane_to_ten();
    s.title = "a < b & \"c\" > d";
    s.x.label = "time [s]";
    s.y.label = "turned Ω";
    begin(p, s);
    pin(p, (double[]){5, 5}, RED);
}

static void svg_keeps_texts(void **state) {
    picture *p = *state;
    size_t size;
    begin_labelled(p);
    char *svg = bytes_as(p, ".svg", &size);
    assert_int_equal(count(svg, ">a &lt; b &amp; \"c\" &gt; d</text>"), 1);
    assert_int_equal(count(svg, ">time [s]</text>"), 1);
    const char *turned = strstr(svg, ">turned Ω</text>");
    assert_non_null(turned);
    while (strncmp(turned, "<text", 5) != 0)
        turned--;
    assert_non_null(strstr(turned, "rotate(-90.00"));
    assert_true(strstr(turned, "rotate(-90.00") < strstr(turned, "</text>"));
    assert_non_null(strstr(svg, "font-family=\"'DejaVu Sans', Verdana,"));
    assert_int_equal(count(svg, "glyph"), 0); /* no outlines of letters */
    assert_string_equal(svg + size - 7, "</svg>\n");
    free(svg);
}

/* A text is where its ink is in the picture of the same figure: the title's middle is the panel's. */
static void svg_texts_are_where_letters_are(void **state) {
    picture *p = *state;
    size_t size;
    begin_labelled(p);
    develop(p);
    blot dot = pinned(p, RED); /* in the middle of the panel */
    char *svg = bytes_as(p, ".svg", &size), *label = strstr(svg, ">time [s]</text>");
    assert_non_null(label);
    while (strncmp(label, "<text", 5) != 0)
        label--;
    double x = strtod(strstr(label, "x=\"") + 3, NULL);
    assert_non_null(strstr(label, "text-anchor=\"middle\""));
    assert_true(fabs(x * 200 / 72 - dot.x) < 2); /* pixels of 200 dpi; a marker is found to one */
    free(svg);
}

/* Fonts of a PDF carry the table from letters to characters that copying and searching need. */
static void pdf_keeps_texts(void **state) {
    picture *p = *state;
    size_t size, found = 0;
    begin_labelled(p);
    char *pdf = bytes_as(p, ".pdf", &size);
    for (size_t i = 0; i + 9 < size; i++)
        found += memcmp(pdf + i, "/ToUnicode", 10) == 0;
    assert_true(found >= 1);
    free(pdf);
}

/* ---- legends and panels ----------------------------------------------------------------------- */

static rm2_panel *add_plane(picture *p, size_t column, double top) {
    rm2_panel_settings s = plane();
    rm2_panel *panel;
    s.x.max = 10;
    s.y.max = top;
    must(p, rm2_figure_panel(p->ctx, p->figure, 0, column, &s, &panel));
    return panel;
}

/* Two planes, one with long numbers and a colour bar, one without. */
static void begin_two(picture *p, bool legend) {
    rm2_figure_settings page = rm2_figure_settings_default();
    page.width = 160;
    page.height = 70;
    page.columns = 2;
    page.legend = legend;
    rm2_figure_free(p->figure);
    must(p, rm2_figure_create(p->ctx, &page, &p->figure));
    const rm2_colour corners[2][2] = {{RED, LIME}, {NAVY, CYAN}};
    for (size_t k = 0; k < 2; k++) {
        double top = k ? 1 : 1234567;
        rm2_panel *panel = add_plane(p, k, top);
        if (k == 0)
            must(p, rm2_plot_heat(p->ctx, panel,
                                  &(rm2_heat_map){.columns = 2,
                                                  .rows = 2,
                                                  .values = (double[]){0, 0, 0, 1},
                                                  .x_max = 10,
                                                  .y_max = top,
                                                  .label = "bar"}));
        must(p, rm2_plot_curve(p->ctx, panel, 2, (double[]){1, 0, 9, top},
                               &(rm2_style){.label = "shared name", .colour = RM2_BLACK}));
        must(p, rm2_plot_points(p->ctx, panel, 1, (double[]){0.5, top / 20},
                                &(rm2_style){.label = k ? "one" : "two", .colour = corners[k][0]}));
        must(p, rm2_plot_points(p->ctx, panel, 1, (double[]){9.5, 0.95 * top},
                                &(rm2_style){.colour = corners[k][1]}));
    }
}

static void one_legend_for_a_figure(void **state) {
    picture *p = *state;
    size_t size;
    begin_two(p, false);
    char *svg = bytes_as(p, ".svg", &size);
    assert_int_equal(count(svg, ">shared name</text>"), 2);
    free(svg);
    begin_two(p, true);
    svg = bytes_as(p, ".svg", &size);
    assert_int_equal(count(svg, ">shared name</text>"), 1);
    assert_int_equal(count(svg, ">one</text>") + count(svg, ">two</text>"), 2);
    free(svg);
}

/* Distances of the markers that stand in the same corners of both frames. */
static void panels_have_one_size(void **state) {
    picture *p = *state;
    begin_two(p, true);
    develop(p);
    /* the legend shows RED and NAVY too, below: the markers alone are above the lower third */
    blot right[2] = {pinned(p, LIME), pinned(p, CYAN)}, left[2];
    const rm2_colour colours[2] = {RED, NAVY};
    for (int k = 0; k < 2; k++) {
        left[k] = (blot){0, 0, 0, p->width, -1, p->height, -1};
        for (int y = 0; y < p->height * 5 / 6; y++)
            for (int x = 0; x < p->width; x++)
                if (pixel(p, x, y) == colours[k]) {
                    left[k].count++;
                    left[k].x += x;
                    left[k].y += y;
                }
        assert_true(left[k].count > 20);
        left[k].x /= (double)left[k].count;
        left[k].y /= (double)left[k].count;
    }
    assert_true(fabs((right[0].x - left[0].x) - (right[1].x - left[1].x)) < 2);
    assert_true(fabs((left[0].y - right[0].y) - (left[1].y - right[1].y)) < 2);
    assert_true(fabs(right[0].y - right[1].y) < 2);
}

/* ---- points ----------------------------------------------------------------------------------- */

static void coincident_points_show_their_number(void **state) {
    picture *p = *state;
    size_t size;
    const double points[] = {1, 1, 5, 5, 1 + 1e-9, 1, 9, 9, 5, 5, 1, 1, NAN, 1, NAN, 2, 5, 6};
    begin(p, plane_to_ten());
    must(p, rm2_plot_points(p->ctx, p->panel, 9, points, NULL));
    char *svg = bytes_as(p, ".svg", &size);
    assert_int_equal(count(svg, ">×3</text>"), 1); /* (1, 1) */
    assert_int_equal(count(svg, ">×2</text>"), 1); /* (5, 5); NaN are not drawn */
    assert_int_equal(count(svg, ">×"), 2);
    free(svg);
    const size_t group[] = {1, 0, 0, 0, 0, 1, 0, 0, 0}; /* (1, 1) is once in 0, twice in 1 */
    begin(p, plane_to_ten());
    must(p, rm2_plot_groups(p->ctx, p->panel, &(rm2_groups){9, points, group, 2, NULL}, NULL));
    svg = bytes_as(p, ".svg", &size);
    assert_int_equal(count(svg, ">×2</text>"), 2);
    assert_int_equal(count(svg, ">×"), 2);
    free(svg);
}

/* Points without order: ink at the points, none between them. */
static void points_of_a_factor_are_not_joined(void **state) {
    picture *p = *state;
    const double points[] = {1, 1, 9, 9};
    rm2_manifold *m;
    must(p, rm2_manifold_create(p->ctx, "R2", &m));
    const rm2_style style = {.colour = RED, .size = 6, .width = 3};
    begin(p, plane_to_ten());
    must(p, rm2_plot_factor_points(p->ctx, p->panel, m, 0, 2, points, &style));
    develop(p);
    blot apart = find(p, RED);
    int x = (apart.left + apart.right) / 2, y = (apart.top + apart.bottom) / 2;
    assert_true(apart.count > 40);
    assert_int_equal(pixel(p, x, y), RM2_WHITE);
    begin(p, plane_to_ten());
    must(p, rm2_plot_factor(p->ctx, p->panel, m, 0, 2, points, &style));
    develop(p);
    assert_int_equal(pixel(p, x, y), RED);
    rm2_manifold_free(m);
}

/* ---- colours ---------------------------------------------------------------------------------- */

static double linear(rm2_colour c, int shift) {
    double x = (c >> shift & 255u) / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

/* OKLab of a colour as people see it whose vision is normal (0), or without red, green or blue cones: Machado,
 * Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency", 2009. */
static void seen(rm2_colour colour, int vision, double lab[3]) {
    static const double models[4][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},
                                        {0.152286, 1.052583, -0.204868, 0.114503, 0.786281,
                                         0.099216, -0.003882, -0.048116, 1.051998},
                                        {0.367322, 0.860646, -0.227968, 0.280085, 0.672501,
                                         0.047413, -0.011820, 0.042940, 0.968881},
                                        {1.255528, -0.076749, -0.178779, -0.078411, 0.930809,
                                         0.147602, 0.004733, 0.691367, 0.303900}};
    double rgb[3], cone[3];
    for (int k = 0; k < 3; k++) {
        const double *row = models[vision] + 3 * k;
        double x =
            row[0] * linear(colour, 16) + row[1] * linear(colour, 8) + row[2] * linear(colour, 0);
        rgb[k] = x < 0 ? 0 : x > 1 ? 1 : x;
    }
    cone[0] = cbrt(0.4122214708 * rgb[0] + 0.5363325363 * rgb[1] + 0.0514459929 * rgb[2]);
    cone[1] = cbrt(0.2119034982 * rgb[0] + 0.6806995451 * rgb[1] + 0.1073969566 * rgb[2]);
    cone[2] = cbrt(0.0883024619 * rgb[0] + 0.2817188376 * rgb[1] + 0.6299787005 * rgb[2]);
    lab[0] = 0.2104542553 * cone[0] + 0.7936177850 * cone[1] - 0.0040720468 * cone[2];
    lab[1] = 1.9779984951 * cone[0] - 2.4285922050 * cone[1] + 0.4505937099 * cone[2];
    lab[2] = 0.0259040371 * cone[0] + 0.7827717662 * cone[1] - 0.8086757660 * cone[2];
}

/* The least difference of two colours over the four kinds of vision; 0.02 is about one that can just be seen. */
static double contrast(rm2_colour a, rm2_colour b) {
    double least = INFINITY;
    for (int vision = 0; vision < 4; vision++) {
        double x[3], y[3];
        seen(a, vision, x);
        seen(b, vision, y);
        least = fmin(least, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
    }
    return least;
}

static void colours_differ_for_everybody(void **state) {
    (void)state;
    const rm2_colour paths[] = {RM2_COLOUR_GEODESIC, RM2_COLOUR_STRAIGHT, RM2_COLOUR_DEMONSTRATIONS,
                                RM2_COLOUR_NEW, RM2_COLOUR_OBSTACLE};
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < i; j++)
            if (contrast(paths[i], paths[j]) < 0.1)
                fail_msg("meanings %zu and %zu differ by %g", i, j, contrast(paths[i], paths[j]));
    for (size_t i = 0; i < RM2_PALETTE_SIZE; i++) {
        for (size_t j = 0; j < i; j++)
            if (contrast(rm2_palette(i), rm2_palette(j)) < 0.07)
                fail_msg("groups %zu and %zu differ by %g", i, j,
                         contrast(rm2_palette(i), rm2_palette(j)));
        assert_true(contrast(rm2_palette(i), RM2_COLOUR_GEODESIC) > 0.1);
        assert_true(contrast(rm2_palette(i), RM2_WHITE) > 0.1);
    }
}

/* A geodesic is seen on every colour of a map: with its white edge, one of both differs. */
static void geodesics_are_seen_on_every_map(void **state) {
    (void)state;
    for (int k = 0; k <= 100; k++) {
        rm2_colour ground = rm2_colour_map_at(RM2_MAP_SEQUENTIAL, k / 100.0);
        assert_true(contrast(RM2_COLOUR_GEODESIC, ground) > 0.08);
    }
    assert_true(contrast(RM2_COLOUR_GEODESIC, RM2_WHITE) > 0.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(svg_keeps_texts),
        TEST(svg_texts_are_where_letters_are),
        TEST(pdf_keeps_texts),
        TEST(one_legend_for_a_figure),
        TEST(panels_have_one_size),
        TEST(coincident_points_show_their_number),
        TEST(points_of_a_factor_are_not_joined),
        cmocka_unit_test(colours_differ_for_everybody),
        cmocka_unit_test(geodesics_are_seen_on_every_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
