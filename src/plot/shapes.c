/* Ellipses, orientation frames and arms on the page. Ellipses and frames keep their shape whatever the
 * scales of the axes are: they are drawn around a point of the page, in directions of the data. */
#include <math.h>
#include <string.h>

#include "front/base.h"
#include "plot/draw.h"

/* ---- ellipses --------------------------------------------------------------------------------- */

/* shape: semi-axes a, b on the page, angle of the first, anticlockwise. */
static void draw_ellipse(cairo_t *cr, const rm2_style *style, double x, double y, double a,
                         double b, double angle) {
    cairo_save(cr);
    cairo_translate(cr, x, y);
    cairo_rotate(cr, -angle);
    cairo_scale(cr, fmax(a, 0.05), fmax(b, 0.05));
    cairo_new_path(cr);
    cairo_arc(cr, 0, 0, 1, 0, 2 * RM2_PI);
    cairo_restore(cr);
    cairo_save(cr);
    rm2i_set_colour(cr, style->colour, 0.16 * style->opacity);
    cairo_fill_preserve(cr);
    rm2i_set_stroke(cr, style);
    rm2i_set_colour(cr, style->colour, style->opacity);
    cairo_stroke(cr);
    cairo_restore(cr);
}

static void draw_ellipses(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    double unit = item->style.size > 0 ? item->style.size : view->ellipse;
    for (size_t i = 0; i < item->count; i++) {
        const double *shape = item->extra + 3 * i;
        double page[3];
        if (rm2i_view_point(view, item->points + 2 * i, page) && isfinite(shape[0]))
            draw_ellipse(cr, &item->style, page[0], page[1], unit * shape[0], unit * shape[1],
                         shape[2]);
    }
}

static void sample_ellipse(const rm2i_item *item, rm2i_rect box, cairo_t *cr) {
    draw_ellipse(cr, &item->style, box.x + box.w / 2, box.y + box.h / 2, 0.42 * box.w, 0.45 * box.h,
                 0.25);
}

/* ---- frames ----------------------------------------------------------------------------------- */

/* A line with a head at its end, which shrinks as the arrow points at the viewer. */
static void draw_arrow(cairo_t *cr, const rm2_style *style, rm2_colour colour, double x, double y,
                       double dx, double dy) {
    double length = hypot(dx, dy), head = fmin(2.8 * style->width, length);
    cairo_save(cr);
    rm2i_set_colour(cr, colour, style->opacity);
    cairo_set_line_width(cr, style->width);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_move_to(cr, x, y);
    if (length > 1e-6)
        cairo_line_to(cr, x + dx * (1 - head / length), y + dy * (1 - head / length));
    else
        cairo_line_to(cr, x, y);
    cairo_stroke(cr);
    cairo_translate(cr, x + dx, y + dy);
    cairo_rotate(cr, atan2(dy, dx));
    cairo_move_to(cr, 0, 0);
    cairo_line_to(cr, -head, 0.42 * head);
    cairo_line_to(cr, -head, -0.42 * head);
    cairo_close_path(cr);
    cairo_fill(cr);
    cairo_restore(cr);
}

static const rm2_colour frame_colours[] = {RM2_COLOUR_FRAME_X, RM2_COLOUR_FRAME_Y,
                                           RM2_COLOUR_FRAME_Z};

/* The three axes of a frame, the one that points away from the viewer first. `columns` of the
 * rotation matrix R are the axes; on the page they are the columns of T R. */
static void draw_frame(cairo_t *cr, const rm2i_item *item, const rm2i_view *view, size_t i) {
    const double *R = item->extra + 9 * i;
    double page[3], axis[3][3];
    size_t order[3] = {0, 1, 2};
    if (!isfinite(R[0]) || !rm2i_view_point(view, item->points + 3 * i, page))
        return;
    for (size_t a = 0; a < 3; a++)
        for (size_t k = 0; k < 3; k++) /* axis_a = T R e_a */
            axis[a][k] =
                view->turn[k][0] * R[a] + view->turn[k][1] * R[3 + a] + view->turn[k][2] * R[6 + a];
    for (size_t a = 0; a < 2; a++)
        for (size_t b = 0; b + 1 < 3 - a; b++)
            if (axis[order[b]][2] > axis[order[b + 1]][2]) {
                size_t swap = order[b];
                order[b] = order[b + 1];
                order[b + 1] = swap;
            }
    for (size_t a = 0; a < 3; a++)
        draw_arrow(cr, &item->style, frame_colours[order[a]], page[0], page[1],
                   item->style.size * axis[order[a]][0], -item->style.size * axis[order[a]][1]);
}

/* Far frames first: of those left, the farthest one that is nearer than the last. */
static void draw_frames(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    double last = -INFINITY;
    size_t last_index = 0;
    for (size_t drawn = 0; drawn < item->count; drawn++) {
        double best = INFINITY, page[3];
        size_t best_index = item->count;
        for (size_t i = 0; i < item->count; i++) {
            if (!rm2i_view_point(view, item->points + 3 * i, page))
                continue;
            bool after = page[2] > last || (page[2] == last && i > last_index);
            if ((after || drawn == 0) && page[2] < best) {
                best = page[2];
                best_index = i;
            }
        }
        if (best_index == item->count)
            return;
        draw_frame(cr, item, view, best_index);
        last = best;
        last_index = best_index;
    }
}

static void sample_frames(const rm2i_item *item, rm2i_rect box, cairo_t *cr) {
    static const double directions[3][2] = {{-0.8, 0.45}, {0.95, 0.3}, {0, -1}};
    for (size_t a = 0; a < 3; a++)
        draw_arrow(cr, &item->style, frame_colours[a], box.x + box.w / 2, box.y + 0.7 * box.h,
                   0.6 * box.h * directions[a][0], 0.7 * box.h * directions[a][1]);
}

/* ---- arms ------------------------------------------------------------------------------------- */

/* Links as a thick line with thin joints on it; a square at the base. */
static void draw_chain(cairo_t *cr, const rm2_style *style, rm2_colour colour, size_t joints,
                       const double (*page)[3]) {
    cairo_save(cr);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
    cairo_new_path(cr);
    for (size_t j = 0; j < joints; j++)
        cairo_line_to(cr, page[j][0], page[j][1]);
    rm2i_set_colour(cr, colour, style->opacity);
    cairo_set_line_width(cr, style->width);
    cairo_stroke(cr);
    for (size_t j = 0; j < joints; j++) {
        cairo_new_sub_path(cr);
        cairo_arc(cr, page[j][0], page[j][1], 0.24 * style->width, 0, 2 * RM2_PI);
    }
    rm2i_set_colour(cr, RM2_WHITE, 1);
    cairo_fill(cr);
    cairo_restore(cr);
}

static void draw_arm(const rm2i_item *item, const rm2i_view *view, cairo_t *cr) {
    size_t dims = view->kind == RM2_PANEL_PLANE ? 2 : 3, arms = item->count / item->joints;
    for (size_t i = 0; i < arms; i++) {
        double page[RM2I_JOINTS_MAX][3];
        bool whole = true;
        for (size_t j = 0; j < item->joints; j++)
            whole = whole &&
                    rm2i_view_point(view, item->points + (i * item->joints + j) * dims, page[j]);
        double light = arms > 1 ? 0.75 * (1 - (double)i / (double)(arms - 1)) : 0;
        if (whole)
            draw_chain(cr, &item->style, rm2i_mix(item->style.colour, RM2_WHITE, light),
                       item->joints, (const double(*)[3])page);
    }
}

static void sample_arm(const rm2i_item *item, rm2i_rect box, cairo_t *cr) {
    double page[3][3] = {{box.x + 1, box.y + 0.85 * box.h, 0},
                         {box.x + 0.45 * box.w, box.y + 0.2 * box.h, 0},
                         {box.x + box.w - 1, box.y + 0.6 * box.h, 0}};
    rm2_style style = item->style;
    style.width = fmin(style.width, 0.4 * box.h);
    draw_chain(cr, &style, style.colour, 3, (const double(*)[3])page);
}

const rm2i_item_kind rm2i_ellipses = {0.8, 0, 1, draw_ellipses, sample_ellipse};
const rm2i_item_kind rm2i_frames = {1, 12, 1, draw_frames, sample_frames};
const rm2i_item_kind rm2i_arm = {4, 1, 1, draw_arm, sample_arm};
