/* A box with three axes: panes and grid behind the data, ticks and texts outside its silhouette. */
#include <math.h>
#include <string.h>

#include "front/base.h"
#include "plot/box.h"

static const double TICK = 2.5, GAP = 2; /* lengths on the page */

rm2i_view rm2i_unit_view(const rm2i_view *view) {
    rm2i_view unit = *view;
    unit.scale = 1;
    unit.centre[0] = unit.centre[1] = 0;
    return unit;
}

/* ---- edges ------------------------------------------------------------------------------------ */

/* An edge of the box that carries an axis: ends in q, and the direction away from the box on the page. */
typedef struct edge {
    double from[3], to[3];
    double out[2];
    double length; /* on the page, in units of the scale */
    bool seen;     /* not if it points at the viewer */
} edge;

/* The side of the box, across axis k, that is nearer to the viewer. */
static double front(const rm2i_view *view, size_t k) {
    return view->turn[2][k] >= 0 ? view->half[k] : -view->half[k];
}

/* x and y axes lie on the floor in front, the z axis on the left of the silhouette. */
static void place_edge(const rm2i_view *view, size_t k, edge *e) {
    double corner[3] = {front(view, 0), front(view, 1), -front(view, 2)};
    if (k == 2) {
        double across = view->turn[0][0] * corner[0] - view->turn[0][1] * corner[1];
        corner[across < 0 ? 1 : 0] *= -1;
    }
    memcpy(e->from, corner, sizeof corner);
    memcpy(e->to, corner, sizeof corner);
    e->from[k] = -view->half[k];
    e->to[k] = view->half[k];
}

static edge edge_of_axis(const rm2i_view *view, size_t k) {
    edge e;
    double a[3], b[3];
    rm2i_view unit = rm2i_unit_view(view);
    place_edge(view, k, &e);
    rm2i_view_project(&unit, e.from, a);
    rm2i_view_project(&unit, e.to, b);
    e.length = hypot(b[0] - a[0], b[1] - a[1]);
    e.seen = e.length > 0.1 * view->half[k];
    double across[2] = {-(b[1] - a[1]), b[0] - a[0]};
    double side = across[0] * (a[0] + b[0]) + across[1] * (a[1] + b[1]) < 0 ? -1 : 1;
    for (size_t i = 0; i < 2; i++)
        e.out[i] = e.seen ? side * across[i] / e.length : 0;
    return e;
}

static void middle_of_edge(const rm2i_view *view, const edge *e, double page[2]) {
    double a[3], b[3];
    rm2i_view_project(view, e->from, a);
    rm2i_view_project(view, e->to, b);
    page[0] = (a[0] + b[0]) / 2;
    page[1] = (a[1] + b[1]) / 2;
}

static void tick_position(const rm2i_view *view, const edge *e, size_t k, double value,
                          double page[3]) {
    double q[3];
    memcpy(q, e->from, sizeof q);
    q[k] = view->half[k] * (2 * rm2i_range_part(&view->range[k], value) - 1);
    rm2i_view_project(view, q, page);
}

/* ---- texts ------------------------------------------------------------------------------------ */

/* How far a box of half sizes h reaches in the direction away from the edge. */
static double reach(const edge *e, const double h[2]) {
    return fabs(e->out[0]) * h[0] + fabs(e->out[1]) * h[1];
}

/* Offset and half sizes of the text of a tick: its box touches the end of the tick. */
static void tick_box(cairo_t *cr, const edge *e, const char *text, double o[2], double h[2]) {
    h[0] = rm2i_text_width(cr, text) / 2;
    h[1] = rm2i_digit_height(cr) / 2;
    for (size_t i = 0; i < 2; i++)
        o[i] = (TICK + GAP + reach(e, h)) * e->out[i];
}

/* The label runs along the edge, from left to right, or upwards. */
static double label_angle(const edge *e) {
    double angle = atan2(-e->out[0], e->out[1]);
    if (angle > 0.499 * RM2_PI)
        angle -= RM2_PI;
    return angle < -0.501 * RM2_PI ? angle + RM2_PI : angle;
}

/* Offset and half sizes of the label: beyond the deepest text of a tick. */
static void label_box(cairo_t *cr, const rm2i_drawing_place *place, const edge *e, size_t k,
                      double o[2], double h[2]) {
    const rm2i_text_block *label = &place->label[k];
    double deepest = 0, c = fabs(cos(label_angle(e))), s = fabs(sin(label_angle(e)));
    rm2i_font(cr, place->font_size, false);
    for (size_t i = 0; i < place->ticks[k].count; i++) {
        tick_box(cr, e, place->ticks[k].text[i], o, h);
        deepest = fmax(deepest, reach(e, h));
    }
    double distance = TICK + GAP + 2 * deepest + GAP + label->height / 2;
    h[0] = (c * label->width + s * label->height) / 2;
    h[1] = (s * label->width + c * label->height) / 2;
    for (size_t i = 0; i < 2; i++)
        o[i] = distance * e->out[i];
}

/* Texts of neighbouring ticks must be apart along x or along y. */
static bool texts_apart(cairo_t *cr, const rm2i_view *view, const edge *e, size_t k,
                        const rm2i_ticks *ticks) {
    double height = rm2i_digit_height(cr);
    for (size_t i = 1; i < ticks->count; i++) {
        double a[3], b[3];
        tick_position(view, e, k, ticks->at[i - 1], a);
        tick_position(view, e, k, ticks->at[i], b);
        double widths =
            rm2i_text_width(cr, ticks->text[i - 1]) + rm2i_text_width(cr, ticks->text[i]);
        if (fabs(b[0] - a[0]) < widths / 2 + 2 * GAP && fabs(b[1] - a[1]) < 1.6 * height)
            return false;
    }
    return true;
}

void rm2i_box_axis(cairo_t *cr, rm2i_drawing_place *place, const rm2i_view *estimate, size_t k) {
    const rm2_panel_settings *s = &place->panel->settings;
    const char *const labels[] = {s->x.label, s->y.label, s->z.label};
    edge e = edge_of_axis(estimate, k);
    char text[RM2I_LINE_SIZE];
    rm2i_font(cr, place->font_size, false);
    for (size_t most = 5; most >= 2; most--) {
        rm2i_ticks_make(&estimate->range[k], most, &place->ticks[k]);
        if (texts_apart(cr, estimate, &e, k, &place->ticks[k]))
            break;
    }
    rm2i_axis_text(labels[k], &place->ticks[k], text);
    double room = fmax(1.3 * e.length * estimate->scale, 40);
    rm2i_block_make(cr, text, place->font_size, false, room, &place->label[k]);
}

void rm2i_box_anchors(cairo_t *cr, const rm2i_drawing_place *place, size_t k, rm2i_anchors *list) {
    rm2i_view unit = rm2i_unit_view(&place->view);
    edge e = edge_of_axis(&place->view, k);
    if (!e.seen)
        return;
    rm2i_font(cr, place->font_size, false);
    for (size_t i = 0; i < place->ticks[k].count; i++) {
        rm2i_anchor *a = &list->at[list->count++];
        double page[3];
        tick_position(&unit, &e, k, place->ticks[k].at[i], page);
        memcpy(a->p, page, sizeof a->p);
        tick_box(cr, &e, place->ticks[k].text[i], a->o, a->h);
    }
    if (place->label[k].lines > 0) {
        rm2i_anchor *a = &list->at[list->count++];
        middle_of_edge(&unit, &e, a->p);
        label_box(cr, place, &e, k, a->o, a->h);
    }
}

/* ---- drawing ---------------------------------------------------------------------------------- */

static void line(cairo_t *cr, const rm2i_view *view, const double a[3], const double b[3]) {
    double from[3], to[3];
    rm2i_view_project(view, a, from);
    rm2i_view_project(view, b, to);
    cairo_move_to(cr, from[0], from[1]);
    cairo_line_to(cr, to[0], to[1]);
    cairo_stroke(cr);
}

/* Lines on the pane across axis k at the ticks of axis `along`. */
static void draw_grid(cairo_t *cr, const rm2i_drawing_place *place, size_t k, size_t along) {
    const rm2i_view *view = &place->view;
    size_t across = 3 - k - along;
    for (size_t i = 0; i < place->ticks[along].count; i++) {
        double from[3], to[3];
        double part = rm2i_range_part(&view->range[along], place->ticks[along].at[i]);
        from[k] = to[k] = -front(view, k);
        from[along] = to[along] = view->half[along] * (2 * part - 1);
        from[across] = -view->half[across];
        to[across] = view->half[across];
        line(cr, view, from, to);
    }
}

/* The face behind the data across axis k. */
static void draw_pane(cairo_t *cr, const rm2i_drawing_place *place, size_t k) {
    const rm2i_view *view = &place->view;
    size_t a = (k + 1) % 3, b = (k + 2) % 3;
    double q[3], page[3];
    q[k] = -front(view, k);
    for (unsigned corner = 0; corner < 4; corner++) {
        q[a] = corner == 1 || corner == 2 ? view->half[a] : -view->half[a];
        q[b] = corner >= 2 ? view->half[b] : -view->half[b];
        rm2i_view_project(view, q, page);
        cairo_line_to(cr, page[0], page[1]);
    }
    cairo_close_path(cr);
    rm2i_set_colour(cr, RM2_RGB(0xF6F6F6), 1);
    cairo_fill_preserve(cr);
    rm2i_set_colour(cr, RM2_RGB(0xC8C8C8), 1);
    cairo_set_line_width(cr, 0.5);
    cairo_stroke(cr);
    rm2i_set_colour(cr, RM2_RGB(0xE2E2E2), 1);
    draw_grid(cr, place, k, a);
    draw_grid(cr, place, k, b);
}

static void draw_axis(cairo_t *cr, const rm2i_drawing_place *place, size_t k) {
    const rm2i_view *view = &place->view;
    edge e = edge_of_axis(view, k);
    double page[3], o[2], h[2];
    if (!e.seen)
        return;
    rm2i_set_colour(cr, RM2I_INK, 1);
    cairo_set_line_width(cr, 0.6);
    line(cr, view, e.from, e.to);
    rm2i_font(cr, place->font_size, false);
    for (size_t i = 0; i < place->ticks[k].count; i++) {
        const char *text = place->ticks[k].text[i];
        tick_position(view, &e, k, place->ticks[k].at[i], page);
        cairo_move_to(cr, page[0], page[1]);
        cairo_line_to(cr, page[0] + TICK * e.out[0], page[1] + TICK * e.out[1]);
        cairo_stroke(cr);
        tick_box(cr, &e, text, o, h);
        rm2i_text_at(cr, text, page[0] + o[0], page[1] + o[1], 0.5, 0.5);
    }
    middle_of_edge(view, &e, page);
    label_box(cr, place, &e, k, o, h);
    rm2i_block_draw(cr, &place->label[k], page[0] + o[0], page[1] + o[1], label_angle(&e));
}

void rm2i_box_draw(cairo_t *cr, const rm2i_drawing_place *place) {
    for (size_t k = 0; k < 3; k++)
        draw_pane(cr, place, k);
    for (size_t k = 0; k < 3; k++)
        draw_axis(cr, place, k);
}
