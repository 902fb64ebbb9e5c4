/* Bodies that data live on: the unit sphere and the cone of 2 x 2 SPD matrices.
 *
 * The cone stands on its tip: with u = (m11 - m22) / 2, v = m12, w = (m11 + m22) / 2 a matrix is
 * positive definite if and only if u^2 + v^2 < w^2, and distances in (u, v, w) are Frobenius distances
 * up to a factor. Its outside at the angle f has the normal (cos f, sin f, -1); seen from elevation e
 * and azimuth a it faces the viewer where cos e cos(f - a) > sin e, that is |f - a| < acos(tan e). */
#include <math.h>

#include "front/base.h"
#include "plot/draw.h"

/* ---- sphere ----------------------------------------------------------------------------------- */

/* The part of a circle of the graticule that is seen, or the part that is not. */
static void circle(cairo_t *cr, const rm2i_view *view, bool meridian, double fixed, bool hidden) {
    enum { STEPS = 180 };
    bool down = false;
    for (int i = 0; i <= STEPS; i++) {
        double moving = 2 * RM2_PI * i / STEPS, page[3];
        double longitude = meridian ? fixed : moving, latitude = meridian ? moving : fixed;
        double p[3] = {cos(latitude) * cos(longitude), cos(latitude) * sin(longitude),
                       sin(latitude)};
        bool wanted = rm2i_view_hidden(view, p) == hidden && rm2i_view_point(view, p, page);
        if (wanted && down)
            cairo_line_to(cr, page[0], page[1]);
        else if (wanted)
            cairo_move_to(cr, page[0], page[1]);
        down = wanted;
    }
}

static void graticule(cairo_t *cr, const rm2i_view *view, bool hidden) {
    for (int k = 0; k < 6; k++)
        circle(cr, view, true, k * RM2_PI / 6, hidden);
    for (int k = -2; k <= 2; k++)
        circle(cr, view, false, k * RM2_PI / 6, hidden);
    rm2i_set_colour(cr, RM2_RGB(0x8A93A0), hidden ? 0.22 : 0.75);
    cairo_set_line_width(cr, 0.4);
    cairo_stroke(cr);
}

/* A ball lit from the upper left. */
static void ball(cairo_t *cr, const rm2i_view *view) {
    double x = view->centre[0], y = view->centre[1], r = view->scale;
    cairo_pattern_t *light = cairo_pattern_create_radial(x - 0.35 * r, y - 0.4 * r, 0, x - 0.1 * r,
                                                         y - 0.12 * r, 1.2 * r);
    cairo_pattern_add_color_stop_rgb(light, 0, 0.99, 0.99, 1.0);
    cairo_pattern_add_color_stop_rgb(light, 0.6, 0.93, 0.945, 0.965);
    cairo_pattern_add_color_stop_rgb(light, 1, 0.80, 0.83, 0.87);
    cairo_arc(cr, x, y, r, 0, 2 * RM2_PI);
    cairo_set_source(cr, light);
    cairo_fill_preserve(cr);
    cairo_pattern_destroy(light);
    rm2i_set_colour(cr, RM2_RGB(0x8A93A0), 1);
    cairo_set_line_width(cr, 0.6);
    cairo_stroke(cr);
}

void rm2i_sphere_draw(cairo_t *cr, const rm2i_drawing_place *place) {
    ball(cr, &place->view);
    graticule(cr, &place->view, true);
    rm2i_items_draw(cr, place, RM2I_HIDDEN);
    graticule(cr, &place->view, false);
    rm2i_items_draw(cr, place, RM2I_VISIBLE);
}

/* ---- cone ------------------------------------------------------------------------------------- */

static void cone_point(const rm2i_view *view, double angle, double height, double page[3]) {
    double p[3] = {height * cos(angle), height * sin(angle), height};
    if (!rm2i_view_point(view, p, page))
        page[0] = page[1] = 0;
}

static void arc(cairo_t *cr, const rm2i_view *view, double from, double to, double height) {
    enum { STEPS = 96 };
    for (int i = 0; i <= STEPS; i++) {
        double page[3];
        cone_point(view, from + (to - from) * i / STEPS, height, page);
        cairo_line_to(cr, page[0], page[1]);
    }
}

/* Surface between two angles: tip, arc of the rim; with its lines. */
static void surface(cairo_t *cr, const rm2i_view *view, double from, double to, double opacity) {
    double tip[3], left[3], right[3], height = view->range[2].hi;
    cone_point(view, 0, 0, tip);
    cone_point(view, 0.5 * RM2_PI + atan2(view->turn[2][1], view->turn[2][0]), height, right);
    cone_point(view, -0.5 * RM2_PI + atan2(view->turn[2][1], view->turn[2][0]), height, left);
    cairo_pattern_t *shade = cairo_pattern_create_linear(left[0], 0, right[0], 0);
    cairo_pattern_add_color_stop_rgba(shade, 0, 0.45, 0.55, 0.68, opacity);
    cairo_pattern_add_color_stop_rgba(shade, 0.4, 0.72, 0.79, 0.88, opacity);
    cairo_pattern_add_color_stop_rgba(shade, 1, 0.40, 0.50, 0.63, opacity);
    cairo_move_to(cr, tip[0], tip[1]);
    arc(cr, view, from, to, height);
    cairo_close_path(cr);
    cairo_set_source(cr, shade);
    cairo_fill(cr);
    cairo_pattern_destroy(shade);
}

/* Level lines of the surface between two angles, and its rim. */
static void level_lines(cairo_t *cr, const rm2i_view *view, double from, double to,
                        double opacity) {
    enum { LEVELS = 4 };
    rm2i_set_colour(cr, RM2_RGB(0x5F6F86), opacity);
    for (int k = 1; k <= LEVELS; k++) {
        cairo_new_path(cr);
        arc(cr, view, from, to, view->range[2].hi * k / LEVELS);
        cairo_set_line_width(cr, k == LEVELS ? 0.7 : 0.35);
        cairo_stroke(cr);
    }
}

/* The outside faces the viewer between a - reach and a + reach. */
static void facing(const rm2i_view *view, double *azimuth, double *reach) {
    double level = hypot(view->turn[2][0], view->turn[2][1]), slope = view->turn[2][2] / level;
    *azimuth = atan2(view->turn[2][1], view->turn[2][0]);
    *reach = level < 1e-9 || slope >= 1 ? 0 : slope <= -1 ? RM2_PI : acos(slope);
}

void rm2i_cone_back(cairo_t *cr, const rm2i_view *view) {
    double a, reach;
    facing(view, &a, &reach);
    surface(cr, view, a + reach, a + 2 * RM2_PI - reach, 0.42);
    level_lines(cr, view, a + reach, a + 2 * RM2_PI - reach, 0.35);
}

void rm2i_cone_front(cairo_t *cr, const rm2i_view *view) {
    double a, reach, tip[3], side[3];
    facing(view, &a, &reach);
    if (reach <= 0)
        return;
    surface(cr, view, a - reach, a + reach, 0.22);
    level_lines(cr, view, a - reach, a + reach, 0.55);
    cone_point(view, 0, 0, tip);
    for (int sign = -1; sign <= 1; sign += 2) {
        cone_point(view, a + sign * reach, view->range[2].hi, side);
        cairo_move_to(cr, tip[0], tip[1]);
        cairo_line_to(cr, side[0], side[1]);
    }
    cairo_set_line_width(cr, 0.7);
    cairo_stroke(cr);
}
