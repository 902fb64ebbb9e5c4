/* Keep-out regions and hatched areas: the ink of the picture against the signed distance of the region. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "picture.h"
#include "region/region.h"

#define RED  RM2_RGB(0xFF0000)
#define LIME RM2_RGB(0x00FF00)
#define NAVY RM2_RGB(0x0000FF)

static const rm2_style style = {.colour = RM2_COLOUR_OBSTACLE};

/* Pixels of three points, which give every other one of a linear image. */
typedef struct image {
    blot o, x, y;
} image;

static image pins(picture *p, const double *o, const double *x, const double *y) {
    pin(p, o, RED);
    pin(p, x, LIME);
    pin(p, y, NAVY);
    develop(p);
    return (image){pinned(p, RED), pinned(p, LIME), pinned(p, NAVY)};
}

static bool is_inked(const picture *p, double x, double y) {
    return difference(pixel(p, (int)lround(x), (int)lround(y)), RM2_WHITE) > 20;
}

/* In a plane from 0 to 10, pixels farther from the edge than a line is wide are inked inside and white outside. */
static void agrees_with_distance(picture *p, const rm2_region *region) {
    static const double EDGE = 0.12;
    begin(p, plane_to_ten());
    must(p, rm2_plot_region(p->ctx, p->panel, region, &style));
    image i = pins(p, (double[]){0.5, 0.5}, (double[]){9.5, 0.5}, (double[]){0.5, 9.5});
    size_t inside = 0, outside = 0;
    for (double u = 0.05; u < 0.96; u += 0.01)
        for (double v = 0.05; v < 0.96; v += 0.01) {
            double at[] = {0.5 + 9 * u, 0.5 + 9 * v};
            double distance = rm2_region_distance(region, at, NULL);
            bool ink = is_inked(p, i.o.x + u * (i.x.x - i.o.x), i.o.y + v * (i.y.y - i.o.y));
            if (fabs(distance) < EDGE)
                continue;
            if (ink != (distance < 0))
                fail_msg("(%g, %g) is %g from the region", at[0], at[1], distance);
            inside += distance < 0;
            outside += distance > 0;
        }
    assert_true(inside > 100 && outside > 100);
}

static void regions_in_a_plane(void **state) {
    const rm2_region regions[] = {
        {RM2_REGION_SPHERE, 2, {4, 6}, {0}, 2.5},
        {RM2_REGION_BOX, 2, {1, 2}, {7, 5}, 0},
        {RM2_REGION_CAPSULE, 2, {2, 3}, {7, 6}, 1.5},
        {RM2_REGION_CAPSULE, 2, {5, 2}, {5, 7}, 1.5},
        {RM2_REGION_CAPSULE, 2, {5, 5}, {5, 5}, 2}, /* a sphere */
        {RM2_REGION_HALF_SPACE, 2, {5, 5}, {1, -2}, 0},
        {RM2_REGION_HALF_SPACE, 2, {4, 0}, {-1, 0}, 0},
    };
    for (size_t k = 0; k < sizeof regions / sizeof *regions; k++)
        agrees_with_distance(*state, &regions[k]);
}

/* Seen along y, a region is inked where a point of the line of sight is in it. */
static void regions_in_space(void **state) {
    const rm2_region regions[] = {
        {RM2_REGION_SPHERE, 3, {4, 5, 6}, {0}, 2.5},
        {RM2_REGION_BOX, 3, {1, 3, 2}, {7, 6, 5}, 0},
        {RM2_REGION_CAPSULE, 3, {2, 3, 3}, {7, 8, 6}, 1.5},
        {RM2_REGION_HALF_SPACE, 3, {5, 5, 5}, {1, 0, -2}, 0},
    };
    picture *p = *state;
    for (size_t k = 0; k < sizeof regions / sizeof *regions; k++) {
        rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_SPACE);
        s.azimuth = -90;
        s.elevation = 0;
        s.equal = true;
        s.x.max = s.y.max = s.z.max = 10;
        begin(p, s);
        must(p, rm2_plot_region(p->ctx, p->panel, &regions[k], &style));
        image i =
            pins(p, (double[]){0.5, 0, 0.5}, (double[]){9.5, 0, 0.5}, (double[]){0.5, 0, 9.5});
        rm2_colour back = RM2_WHITE; /* walls of the box are light grey */
        size_t inside = 0;
        for (double u = 0.1; u < 0.95; u += 0.03)
            for (double v = 0.1; v < 0.95; v += 0.03) {
                double from[] = {0.5 + 9 * u, 0, 0.5 + 9 * v}, to[] = {from[0], 10, from[2]};
                double distance = rm2i_region_segment_distance(&regions[k], from, to);
                int x = (int)lround(i.o.x + u * (i.x.x - i.o.x));
                int y = (int)lround(i.o.y + v * (i.y.y - i.o.y));
                bool ink = difference(pixel(p, x, y), back) > 40;
                if (fabs(distance) < 0.3 || (distance < 0) == ink)
                    inside += distance < 0;
                else
                    fail_msg("region %zu: (%g, %g) is %g away", k, from[0], from[2], distance);
            }
        assert_true(inside > 20);
    }
}

/* A field that is negative in a disc around (0, 0), a grid without a value in one node. */
static void negative_areas_are_hatched(void **state) {
    enum { N = 21 };
    picture *p = *state;
    double values[N * N];
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            values[i * N + j] = hypot((double)j - 10, (double)i - 10) - 6;
    values[0] = NAN;
    begin(p, plane_to_ten());
    must(p,
         rm2_plot_hatched(
             p->ctx, p->panel,
             &(rm2_heat_map){.columns = N, .rows = N, .values = values, .x_max = 10, .y_max = 10},
             &(rm2_style){.colour = RM2_COLOUR_OBSTACLE, .halo = true}));
    image i = pins(p, (double[]){0.5, 0.5}, (double[]){9.5, 0.5}, (double[]){0.5, 9.5});
    size_t inked = 0, inside = 0;
    for (double u = 0.06; u < 0.95; u += 0.004)
        for (double v = 0.06; v < 0.95; v += 0.004) {
            double distance = hypot(9 * u - 4.5, 9 * v - 4.5) - 3;
            bool ink = is_inked(p, i.o.x + u * (i.x.x - i.o.x), i.o.y + v * (i.y.y - i.o.y));
            assert_false(distance > 0.15 && ink);
            inside += distance < -0.15;
            inked += distance < -0.15 && ink;
        }
    assert_true(10 * inked > inside && inked < inside); /* lines, and paper between them */
}

/* The reddish part of the box around all reddish pixels; letters are grey. */
static double reddish_share(const picture *p) {
    int left = p->width, right = -1, top = p->height, bottom = -1;
    double count = 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            rm2_colour c = pixel(p, x, y);
            if ((int)(c >> 16 & 255) < (int)(c >> 8 & 255) + 40)
                continue;
            count++;
            left = x < left ? x : left;
            right = x > right ? x : right;
            top = y < top ? y : top;
            bottom = y > bottom ? y : bottom;
        }
    assert_true(right > 0.7 * p->width && right - left > 8 && bottom - top > 4);
    return count / ((double)(right - left + 1) * (bottom - top + 1));
}

/* Outside of the panel, so that only the legend shows them: a filled patch, and one with lines and paper between them. */
static void legends_show_patches(void **state) {
    picture *p = *state;
    const rm2_style named = {.colour = RED, .label = "wall"};
    const double values[] = {-1, -1, -1, -1};
    rm2_panel_settings s = plane_to_ten();
    s.legend = RM2_LEGEND_RIGHT;
    begin(p, s);
    must(p, rm2_plot_region(p->ctx, p->panel, &(rm2_region){RM2_REGION_SPHERE, 2, {50, 50}, {0}, 1},
                            &named));
    develop(p);
    assert_true(reddish_share(p) > 0.9);
    begin(p, s);
    must(p, rm2_plot_hatched(p->ctx, p->panel,
                             &(rm2_heat_map){.columns = 2,
                                             .rows = 2,
                                             .values = values,
                                             .x_min = 40,
                                             .x_max = 50,
                                             .y_min = 40,
                                             .y_max = 50},
                             &named));
    develop(p);
    double share = reddish_share(p);
    assert_true(share > 0.2 && share < 0.9);
}

static void wrong_regions_are_refused(void **state) {
    picture *p = *state;
    rm2_region sphere = {RM2_REGION_SPHERE, 3, {0}, {0}, 1};
    begin(p, plane());
    assert_int_equal(rm2_plot_region(p->ctx, p->panel, &sphere, NULL), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(p->ctx), "3 dimensions, the panel shows 2"));
    sphere.dim = 2;
    sphere.radius = -1;
    assert_int_equal(rm2_plot_region(p->ctx, p->panel, &sphere, NULL), RM2_ERR_ARGUMENT);
    const double values[] = {1, 2, 3, 4};
    rm2_heat_map field = {.columns = 1, .rows = 2, .values = values, .x_max = 1, .y_max = 1};
    assert_int_equal(rm2_plot_hatched(p->ctx, p->panel, &field, NULL), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(p->ctx), "rm2_plot_hatched: cannot draw a grid"));
    begin(p, rm2_panel_settings_default(RM2_PANEL_SPHERE));
    assert_int_equal(rm2_plot_hatched(p->ctx, p->panel, &field, NULL), RM2_ERR_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(regions_in_a_plane),         TEST(regions_in_space),
        TEST(negative_areas_are_hatched), TEST(legends_show_patches),
        TEST(wrong_regions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
