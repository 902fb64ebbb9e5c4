/* Colour bars: a strip of the colours with ticks and a label, to the right of a frame. */
#include <math.h>

#include "front/base.h"
#include "plot/draw.h"

static const double BEFORE = 5, STRIP = 7, TICK = 2.5, MINOR = 1.5,
                    GAP = 2;     /* lengths on the page */
static const double POINTED = 5; /* height of an end that says: values go on */

void rm2i_bar_measure(cairo_t *cr, const char *label, double font_size, double height,
                      rm2i_bar *bar) {
    char text[RM2I_LINE_SIZE];
    if (!bar->colours)
        return;
    rm2i_font(cr, font_size, false);
    double strip = height - POINTED * (bar->below + bar->above);
    rm2i_ticks_fit(cr, bar->colours, strip, true, &bar->ticks, &bar->breadth);
    rm2i_axis_text(label, &bar->ticks, text);
    rm2i_block_make(cr, text, font_size, false, height, &bar->label);
    bar->width = BEFORE + STRIP + TICK + GAP + bar->breadth;
    if (bar->label.lines > 0)
        bar->width += GAP + bar->label.height;
}

/* The colours from the bottom to the top of the strip. */
static cairo_pattern_t *gradient(rm2_colour_map map, double bottom, double top) {
    enum { STOPS = 64 };
    cairo_pattern_t *pattern = cairo_pattern_create_linear(0, bottom, 0, top);
    for (int i = 0; i <= STOPS; i++) {
        rm2_colour c = rm2_colour_map_at(map, (double)i / STOPS);
        cairo_pattern_add_color_stop_rgb(pattern, (double)i / STOPS, (c >> 16 & 255u) / 255.0,
                                         (c >> 8 & 255u) / 255.0, (c & 255u) / 255.0);
    }
    return pattern;
}

static void draw_strip(cairo_t *cr, const rm2i_bar *bar, double x, double bottom, double top) {
    cairo_move_to(cr, x, top);
    if (bar->above)
        cairo_line_to(cr, x + STRIP / 2, top - POINTED);
    cairo_line_to(cr, x + STRIP, top);
    cairo_line_to(cr, x + STRIP, bottom);
    if (bar->below)
        cairo_line_to(cr, x + STRIP / 2, bottom + POINTED);
    cairo_line_to(cr, x, bottom);
    cairo_close_path(cr);
    cairo_pattern_t *colours = gradient(bar->map, bottom, top);
    cairo_set_source(cr, colours);
    cairo_fill_preserve(cr);
    cairo_pattern_destroy(colours);
    rm2i_set_colour(cr, RM2I_INK, 1);
    cairo_set_line_width(cr, 0.5);
    cairo_stroke(cr);
}

void rm2i_bar_draw(cairo_t *cr, const rm2i_bar *bar, double font_size, rm2i_rect beside) {
    if (!bar->colours)
        return;
    double x = beside.x + beside.w + BEFORE;
    double top = beside.y + (bar->above ? POINTED : 0);
    double bottom = beside.y + beside.h - (bar->below ? POINTED : 0);
    draw_strip(cr, bar, x, bottom, top);
    rm2i_font(cr, font_size, false);
    for (size_t i = 0; i < bar->ticks.count + bar->ticks.minor_count; i++) {
        bool minor = i >= bar->ticks.count;
        double value = minor ? bar->ticks.minor[i - bar->ticks.count] : bar->ticks.at[i];
        double y = bottom + (top - bottom) * rm2i_range_part(bar->colours, value);
        cairo_move_to(cr, x + STRIP, y);
        cairo_line_to(cr, x + STRIP + (minor ? MINOR : TICK), y);
        cairo_stroke(cr);
        if (!minor)
            rm2i_text_at(cr, bar->ticks.text[i], x + STRIP + TICK + GAP, y, 0, 0.5);
    }
    double label = x + STRIP + TICK + 2 * GAP + bar->breadth + bar->label.height / 2;
    rm2i_block_draw(cr, &bar->label, label, beside.y + beside.h / 2, -RM2_PI / 2);
}
