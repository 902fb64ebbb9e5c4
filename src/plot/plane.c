/* A plane with two axes: ticks point outwards, texts stand outside the frame, items are clipped to it. */
#include <math.h>

#include "front/base.h"
#include "plot/draw.h"

static const double TICK = 2.5, MINOR = 1.5, GAP = 2, LABEL_GAP = 3; /* lengths on the page */

/* How far texts of the x axis go beyond the frame, to the left and to the right. */
static void overhang(cairo_t *cr, const rm2i_drawing_place *place, double *left, double *right) {
    const rm2i_ticks *ticks = &place->ticks[0];
    *left = *right = 0;
    for (size_t i = 0; i < ticks->count; i++) {
        double half = rm2i_text_width(cr, ticks->text[i]) / 2;
        double at = place->view.frame.w * rm2i_range_part(&place->view.range[0], ticks->at[i]);
        *left = fmax(*left, half - at);
        *right = fmax(*right, half - (place->view.frame.w - at));
    }
}

static void make_axis(cairo_t *cr, rm2i_drawing_place *place, size_t k, const rm2_axis *axis) {
    double length = k == 0 ? place->view.frame.w : place->view.frame.h;
    char text[RM2I_LINE_SIZE];
    rm2i_font(cr, place->font_size, false);
    rm2i_ticks_fit(cr, &place->view.range[k], length, k == 1, &place->ticks[k], &place->breadth[k]);
    if (axis->hidden)
        place->ticks[k] = (rm2i_ticks){0};
    rm2i_axis_text(axis->label, &place->ticks[k], text);
    rm2i_block_make(cr, text, place->font_size, false, length, &place->label[k]);
}

void rm2i_plane_fit(cairo_t *cr, rm2i_drawing_place *place) {
    const rm2_panel_settings *s = &place->panel->settings;
    rm2i_margins *axes = &place->axes;
    place->view = place->start;
    rm2i_view_fit_plane(place->panel, place->area, &place->view);
    make_axis(cr, place, 0, &s->x);
    make_axis(cr, place, 1, &s->y);
    rm2i_font(cr, place->font_size, false);
    double digit = rm2i_digit_height(cr), left, right;
    overhang(cr, place, &left, &right);
    *axes = (rm2i_margins){1, fmax(right, 1), s->y.hidden ? 1 : digit / 2, 1};
    if (!s->x.hidden)
        axes->bottom = TICK + GAP + digit;
    if (!s->y.hidden)
        axes->left = TICK + GAP + place->breadth[1];
    if (place->label[0].lines > 0)
        axes->bottom += LABEL_GAP + place->label[0].height;
    if (place->label[1].lines > 0)
        axes->left += LABEL_GAP + place->label[1].height;
    axes->left = fmax(axes->left, left);
}

static void draw_ticks(cairo_t *cr, const rm2i_drawing_place *place, size_t k) {
    const rm2i_ticks *ticks = &place->ticks[k];
    const rm2i_view *view = &place->view;
    double bottom = view->frame.y + view->frame.h;
    for (size_t i = 0; i < ticks->count + ticks->minor_count; i++) {
        bool minor = i >= ticks->count;
        double value = minor ? ticks->minor[i - ticks->count] : ticks->at[i];
        double part = rm2i_range_part(&view->range[k], value), length = minor ? MINOR : TICK;
        if (k == 0) {
            cairo_move_to(cr, view->frame.x + part * view->frame.w, bottom);
            cairo_rel_line_to(cr, 0, length);
        } else {
            cairo_move_to(cr, view->frame.x, bottom - part * view->frame.h);
            cairo_rel_line_to(cr, -length, 0);
        }
        cairo_stroke(cr);
        if (!minor && k == 0)
            rm2i_text_at(cr, ticks->text[i], view->frame.x + part * view->frame.w,
                         bottom + TICK + GAP, 0.5, 0);
        else if (!minor)
            rm2i_text_at(cr, ticks->text[i], view->frame.x - TICK - GAP,
                         bottom - part * view->frame.h, 1, 0.5);
    }
}

static void draw_labels(cairo_t *cr, const rm2i_drawing_place *place) {
    const rm2i_rect *frame = &place->view.frame;
    const rm2i_text_block *x = &place->label[0], *y = &place->label[1];
    double below = place->axes.bottom - x->height / 2;
    double beside = TICK + GAP + place->breadth[1] + LABEL_GAP + y->height / 2;
    if (place->panel->settings.y.hidden)
        beside = LABEL_GAP + y->height / 2;
    rm2i_block_draw(cr, x, frame->x + frame->w / 2, frame->y + frame->h + below, 0);
    rm2i_block_draw(cr, y, frame->x - beside, frame->y + frame->h / 2, -RM2_PI / 2);
}

void rm2i_plane_draw(cairo_t *cr, const rm2i_drawing_place *place) {
    const rm2i_rect *frame = &place->view.frame;
    cairo_save(cr);
    cairo_rectangle(cr, frame->x, frame->y, frame->w, frame->h);
    cairo_clip(cr);
    if (place->panel->heat) {
        rm2i_heat_draw(cr, place->panel->heat, &place->view);
        rm2i_contours_draw(cr, place->panel->heat, &place->view);
    }
    rm2i_items_draw(cr, place, RM2I_ALL);
    cairo_restore(cr);
    rm2i_set_colour(cr, RM2I_INK, 1);
    cairo_set_line_width(cr, 0.6);
    cairo_rectangle(cr, frame->x, frame->y, frame->w, frame->h);
    cairo_stroke(cr);
    rm2i_font(cr, place->font_size, false);
    draw_ticks(cr, place, 0);
    draw_ticks(cr, place, 1);
    draw_labels(cr, place);
}
