/* Curves, points and bands on the page. */
#include <math.h>

#include "front/base.h"
#include "plot/draw.h"

static const double HALO = 0.9; /* width of the white edge; of thin lines less */

void rm2i_set_stroke(cairo_t *cr, const rm2_style *style) {
    static const double patterns[][4] = {
        {0, 0, 0, 0}, {3.5, 2, 3.5, 2}, {0.01, 2, 0.01, 2}, {4, 2, 0.01, 2}};
    double dashes[4];
    for (size_t i = 0; i < 4; i++)
        dashes[i] = patterns[style->dash][i] * style->width;
    bool dotted = style->dash == RM2_DOTTED || style->dash == RM2_DASH_DOT;
    cairo_set_dash(cr, dashes, style->dash == RM2_SOLID ? 0 : 4, 0);
    cairo_set_line_cap(cr, dotted || style->dash == RM2_SOLID ? CAIRO_LINE_CAP_ROUND
                                                              : CAIRO_LINE_CAP_BUTT);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_width(cr, style->width);
}

/* Stroke the path, over a wider white one if there is a halo, which has no gaps. */
static void stroke(cairo_t *cr, const rm2_style *style) {
    cairo_save(cr);
    rm2i_set_stroke(cr, style);
    if (style->halo) {
        cairo_save(cr);
        cairo_set_dash(cr, NULL, 0, 0);
        cairo_set_line_width(cr, style->width + 2 * fmin(HALO, 0.8 * style->width));
        rm2i_set_colour(cr, RM2_WHITE, style->opacity);
        cairo_stroke_preserve(cr);
        cairo_restore(cr);
    }
    rm2i_set_colour(cr, style->colour, style->opacity);
    cairo_stroke(cr);
    cairo_restore(cr);
}

/* ---- curves ----------------------------------------------------------------------------------- */

static bool is_wanted(const rm2i_view *view, const double *point) {
    return view->pass == RM2I_ALL || rm2i_view_hidden(view, point) == (view->pass == RM2I_HIDDEN);
}

/* From a to b on a sphere: only the parts that are wanted, in small steps. */
static void trace_parts(cairo_t *cr, const rm2i_view *view, const double *a, const double *b) {
    enum { PARTS = 12 };
    for (int i = 0; i < PARTS; i++) {
        double points[3][3], page[3]; /* ends and middle of the step */
        for (int e = 0; e < 3; e++)
            for (size_t k = 0; k < 3; k++)
                points[e][k] = a[k] + (b[k] - a[k]) * (i + 0.5 * e) / PARTS;
        if (!is_wanted(view, points[1])) {
            cairo_new_sub_path(cr);
            continue;
        }
        if (!cairo_has_current_point(cr) && rm2i_view_point(view, points[0], page))
            cairo_move_to(cr, page[0], page[1]);
        if (rm2i_view_point(view, points[2], page))
            cairo_line_to(cr, page[0], page[1]);
    }
}

static void trace(cairo_t *cr, const rm2i_item *item, const rm2i_view *view) {
    size_t dims = view->kind == RM2_PANEL_PLANE ? 2 : 3;
    bool down = false;
    cairo_new_path(cr);
    for (size_t i = 0; i < item->count; i++) {
        const double *point = item->points + i * dims;
        double page[3];
        bool there = rm2i_view_point(view, point, page);
        if (!there || !down)
            cairo_new_sub_path(cr);
        if (there && view->pass == RM2I_ALL)
            cairo_line_to(cr, page[0], page[1]);
        else if (there && down)
            trace_parts(cr, view, point - dims, point);
        down = there;
    }
}

/* ---- markers ---------------------------------------------------------------------------------- */

static void polygon(cairo_t *cr, double x, double y, double radius, int corners, double turn,
                    double inner) {
    cairo_new_sub_path(cr);
    for (int i = 0; i < corners; i++) {
        double r = i % 2 ? inner * radius : radius, angle = turn + 2 * RM2_PI * i / corners;
        cairo_line_to(cr, x + r * sin(angle), y - r * cos(angle));
    }
    cairo_close_path(cr);
}

/* Outline of a marker of about the area of a circle of the diameter. */
static void marker_path(cairo_t *cr, rm2_marker marker, double x, double y, double diameter) {
    double r = diameter / 2, arm = 0.85 * r;
    cairo_new_path(cr);
    switch (marker) {
    case RM2_MARKER_NONE:
        break;
    case RM2_MARKER_CIRCLE:
        cairo_arc(cr, x, y, r, 0, 2 * RM2_PI);
        break;
    case RM2_MARKER_SQUARE:
        polygon(cr, x, y, 1.25 * r, 4, RM2_PI / 4, 1);
        break;
    case RM2_MARKER_TRIANGLE:
        polygon(cr, x, y, 1.4 * r, 3, 0, 1);
        break;
    case RM2_MARKER_DIAMOND:
        polygon(cr, x, y, 1.3 * r, 4, 0, 1);
        break;
    case RM2_MARKER_STAR:
        polygon(cr, x, y, 1.5 * r, 10, 0, 0.42);
        break;
    case RM2_MARKER_CROSS:
        cairo_move_to(cr, x - arm, y - arm);
        cairo_line_to(cr, x + arm, y + arm);
        cairo_move_to(cr, x - arm, y + arm);
        cairo_line_to(cr, x + arm, y - arm);
        break;
    }
}

static void draw_marker(cairo_t *cr, const rm2_style *style, double x, double y) {
    bool cross = style->marker == RM2_MARKER_CROSS;
    double line = cross ? fmax(0.8, style->size / 4) : 0;
    cairo_save(cr);
    marker_path(cr, style->marker, x, y, style->size);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    if (style->halo) {
        cairo_set_line_width(cr, line + HALO);
        rm2i_set_colour(cr, RM2_WHITE, style->opacity);
        cairo_stroke_preserve(cr);
    }
    rm2i_set_colour(cr, style->colour, style->opacity);
    cairo_set_line_width(cr, line);
    if (cross)
        cairo_stroke(cr);
    else
        cairo_fill(cr);
    cairo_restore(cr);
}

static void draw_points(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    size_t dims = view->kind == RM2_PANEL_PLANE ? 2 : 3;
    for (size_t i = 0; i < item->count; i++) {
        double page[3];
        const double *point = item->points + i * dims;
        if (rm2i_view_point(view, point, page) && is_wanted(view, point))
            draw_marker(cr, &item->style, page[0], page[1]);
    }
}

/* Points that coincide: one marker, with their number above it. */
static void draw_counted(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    static const double LETTERS = 5.5; /* points of the page */
    size_t dims = view->kind == RM2_PANEL_PLANE ? 2 : 3;
    draw_points(item, view, cr);
    rm2i_font(cr, LETTERS, false);
    rm2i_set_colour(cr, RM2I_INK, item->style.opacity);
    for (size_t i = 0; i < item->count; i++) {
        const double *point = item->points + i * dims;
        double page[3], above = item->style.size / 2;
        char text[32];
        if (item->extra[i] < 2 || !rm2i_view_point(view, point, page) || !is_wanted(view, point))
            continue;
        (void)snprintf(text, sizeof text, "×%.0f", item->extra[i]);
        rm2i_text_on_ink(cr, text, page[0] + above, page[1] - above, 0, 1);
    }
}

static void draw_curve(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    trace(cr, item, view);
    stroke(cr, &item->style);
    if (item->style.marker != RM2_MARKER_NONE)
        draw_points(item, view, cr);
}

/* The outline of the region between the curves: runs of points, each closed on its way back. */
static void draw_band(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    size_t n = item->count / 2;
    double page[3];
    cairo_new_path(cr);
    for (size_t from = 0, to; from < n; from = to + 1) {
        for (to = from; to < n; to++) {
            const double *low = item->points + 2 * to, *high = item->points + 2 * (n + to);
            if (!rm2i_view_point(view, high, page) || !rm2i_view_point(view, low, page))
                break;
            cairo_line_to(cr, page[0], page[1]);
        }
        for (size_t i = to; i-- > from;)
            if (rm2i_view_point(view, item->points + 2 * (n + i), page))
                cairo_line_to(cr, page[0], page[1]);
        cairo_close_path(cr);
        cairo_new_sub_path(cr);
    }
    rm2i_set_colour(cr, item->style.colour, item->style.opacity);
    cairo_fill(cr);
}

/* ---- samples in the legend -------------------------------------------------------------------- */

static void sample_points(const rm2i_item *item, rm2i_rect box, cairo_t *cr) {
    draw_marker(cr, &item->style, box.x + box.w / 2, box.y + box.h / 2);
}

static void sample_curve(const rm2i_item *item, rm2i_rect box, cairo_t *cr) {
    cairo_move_to(cr, box.x, box.y + box.h / 2);
    cairo_line_to(cr, box.x + box.w, box.y + box.h / 2);
    stroke(cr, &item->style);
    if (item->style.marker != RM2_MARKER_NONE)
        sample_points(item, box, cr);
}

static void sample_band(const rm2i_item *item, rm2i_rect box, cairo_t *cr) {
    cairo_rectangle(cr, box.x, box.y + 0.1 * box.h, box.w, 0.8 * box.h);
    rm2i_set_colour(cr, item->style.colour, item->style.opacity);
    cairo_fill(cr);
}

const rm2i_item_kind rm2i_curve = {1.2, 3.5, 1, draw_curve, sample_curve};
const rm2i_item_kind rm2i_points = {1, 3.5, 1, draw_counted, sample_points};
const rm2i_item_kind rm2i_band = {1, 1, 0.25, draw_band, sample_band};
