/* Figures for tests of plots: saved as PNG and read back pixel by pixel. */
#ifndef PICTURE_H
#define PICTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairo.h>

#include "riemann2/plot.h"

typedef struct picture {
    rm2_context *ctx;
    char directory[64], path[96];
    rm2_figure *figure;
    rm2_panel *panel; /* the panel in cell (0, 0) */
    cairo_surface_t *image;
    int width, height;
} picture;

static inline void must(const picture *p, rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(p->ctx));
}

static inline int set_up(void **state) {
    picture *p = calloc(1, sizeof *p);
    *state = p;
    if (!p || rm2_context_create(&p->ctx) != RM2_OK)
        return 1;
    (void)strcpy(p->directory, "/tmp/rm2-test-plot-XXXXXX");
    if (!mkdtemp(p->directory))
        return 1;
    (void)snprintf(p->path, sizeof p->path, "%s/figure.png", p->directory);
    return 0;
}

static inline int tear_down(void **state) {
    picture *p = *state;
    rm2_figure_free(p->figure);
    cairo_surface_destroy(p->image);
    (void)unlink(p->path);
    int left = rmdir(p->directory); /* nothing else may be there */
    rm2_context_free(p->ctx);
    free(p);
    return left;
}

/* A figure of 80 x 60 mm with one panel. */
static inline void begin(picture *p, rm2_panel_settings settings) {
    rm2_figure_settings page = rm2_figure_settings_default();
    page.width = 80;
    page.height = 60;
    rm2_figure_free(p->figure);
    must(p, rm2_figure_create(p->ctx, &page, &p->figure));
    must(p, rm2_figure_panel(p->ctx, p->figure, 0, 0, &settings, &p->panel));
}

static inline rm2_panel_settings plane(void) {
    return rm2_panel_settings_default(RM2_PANEL_PLANE);
}

/* A plane from 0 to 10 on both axes. */
static inline rm2_panel_settings plane_to_ten(void) {
    rm2_panel_settings s = plane();
    s.x.max = s.y.max = 10;
    return s;
}

static inline void develop(picture *p) {
    must(p, rm2_figure_save(p->ctx, p->figure, p->path, 200, true));
    cairo_surface_destroy(p->image);
    p->image = cairo_image_surface_create_from_png(p->path);
    assert_int_equal(cairo_surface_status(p->image), CAIRO_STATUS_SUCCESS);
    p->width = cairo_image_surface_get_width(p->image);
    p->height = cairo_image_surface_get_height(p->image);
}

static inline rm2_colour pixel(const picture *p, int x, int y) {
    uint32_t value;
    assert_true(x >= 0 && y >= 0 && x < p->width && y < p->height);
    memcpy(&value,
           cairo_image_surface_get_data(p->image) + y * cairo_image_surface_get_stride(p->image) +
               4 * x,
           sizeof value);
    return RM2_RGB(value & 0xFFFFFF);
}

/* Largest difference of two colours in a channel, of 255. */
static inline int difference(rm2_colour a, rm2_colour b) {
    int largest = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        int d = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
        largest = d > largest ? d : largest;
    }
    return largest;
}

/* Pixels of exactly one colour: how many, their mean and their extent. */
typedef struct blot {
    long count;
    double x, y;
    int left, right, top, bottom;
} blot;

static inline blot find(const picture *p, rm2_colour colour) {
    blot b = {0, 0, 0, p->width, -1, p->height, -1};
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++)
            if (pixel(p, x, y) == colour) {
                b.count++;
                b.x += x;
                b.y += y;
                b.left = x < b.left ? x : b.left;
                b.right = x > b.right ? x : b.right;
                b.top = y < b.top ? y : b.top;
                b.bottom = y > b.bottom ? y : b.bottom;
            }
    if (b.count > 0) {
        b.x /= (double)b.count;
        b.y /= (double)b.count;
    }
    return b;
}

/* A marker of a colour of its own, to be found again. */
static inline void pin(picture *p, const double *point, rm2_colour colour) {
    must(p, rm2_plot_points(p->ctx, p->panel, 1, point, &(rm2_style){.colour = colour, .size = 5}));
}

static inline blot pinned(const picture *p, rm2_colour colour) {
    blot b = find(p, colour);
    assert_true(b.count > 20);
    return b;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
