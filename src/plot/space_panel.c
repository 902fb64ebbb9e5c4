/* Space on the page: as large as the texts around it leave room for.
 *
 * Everything that must be seen is an anchor: a point p of the projected box (in units of the scale s to
 * be found), an offset o and half sizes h on the page. All fit side by side if
 *     s (p_i - p_j) + (o_i + h_i) - (o_j - h_j) <= width   for all pairs i, j,
 * and likewise for the height; the largest s that satisfies every pair is taken. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "plot/box.h"

/* The largest scale at which all anchors fit into a length, along x (k = 0) or y (k = 1). */
static double largest_scale(const rm2i_anchors *list, size_t k, double length) {
    double scale = DBL_MAX;
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = 0; j < list->count; j++) {
            const rm2i_anchor *a = &list->at[i], *b = &list->at[j];
            double apart = a->p[k] - b->p[k];
            double fixed = a->o[k] + a->h[k] - b->o[k] + b->h[k];
            if (apart > 1e-9)
                scale = fmin(scale, (length - fixed) / apart);
        }
    return scale;
}

/* Where the middle of the box must be, so that all anchors are in the middle of the area. */
static double middle(const rm2i_anchors *list, size_t k, double scale, double from, double length) {
    double lo = DBL_MAX, hi = -DBL_MAX;
    for (size_t i = 0; i < list->count; i++) {
        const rm2i_anchor *a = &list->at[i];
        lo = fmin(lo, scale * a->p[k] + a->o[k] - a->h[k]);
        hi = fmax(hi, scale * a->p[k] + a->o[k] + a->h[k]);
    }
    return from + length / 2 - (lo + hi) / 2;
}

static void fit(const rm2i_anchors *list, rm2i_rect area, rm2i_view *view) {
    double scale = fmin(largest_scale(list, 0, area.w), largest_scale(list, 1, area.h));
    view->scale = fmax(scale, 0);
    view->centre[0] = middle(list, 0, view->scale, area.x, area.w);
    view->centre[1] = middle(list, 1, view->scale, area.y, area.h);
    view->frame = area;
}

/* ---- anchors ---------------------------------------------------------------------------------- */

static void add_point(rm2i_anchors *list, const double p[2], double half) {
    if (list->count == RM2I_ANCHORS_MAX)
        return;
    list->at[list->count++] = (rm2i_anchor){{p[0], p[1]}, {0, 0}, {half, half}};
}

static void add_corners(const rm2i_view *unit, rm2i_anchors *list) {
    for (unsigned corner = 0; corner < 8; corner++) {
        double page[3], q[3];
        for (size_t k = 0; k < 3; k++)
            q[k] = corner >> k & 1u ? unit->half[k] : -unit->half[k];
        rm2i_view_project(unit, q, page);
        add_point(list, page, 1);
    }
}

/* The smallest rectangle around all items, with the size of what is drawn there. */
static void add_items(const rm2i_drawing_place *place, const rm2i_view *unit, rm2i_anchors *list) {
    double lo[2] = {DBL_MAX, DBL_MAX}, hi[2] = {-DBL_MAX, -DBL_MAX}, half = 0, page[3];
    for (size_t i = 0; i < place->panel->item_count; i++) {
        const rm2i_item *item = place->panel->items[i];
        double size = item->style.size * (item->kind == &rm2i_frames ? 1 : 0.5);
        half = fmax(half, size + item->style.width);
        for (size_t j = 0; j < item->count; j++)
            if (rm2i_view_point(unit, item->points + 3 * j, page))
                for (size_t k = 0; k < 2; k++) {
                    lo[k] = fmin(lo[k], page[k]);
                    hi[k] = fmax(hi[k], page[k]);
                }
    }
    if (lo[0] > hi[0])
        return;
    add_point(list, lo, half);
    add_point(list, hi, half);
}

/* ---- fitting ---------------------------------------------------------------------------------- */

/* Do two anchors come closer than a gap at this scale? */
static bool collide(const rm2i_anchor *a, const rm2i_anchor *b, double scale) {
    static const double gap[2] = {5, 2};
    for (size_t k = 0; k < 2; k++) {
        double distance = fabs(scale * (a->p[k] - b->p[k]) + a->o[k] - b->o[k]);
        if (distance >= a->h[k] + b->h[k] + gap[k])
            return false;
    }
    return true;
}

/* Where texts of axes j and k meet, near a corner of the box, one of a tick is left out: of the axis
 * that has more of them. */
static void separate(cairo_t *cr, rm2i_drawing_place *place, size_t j, size_t k) {
    rm2i_anchors first = {0}, second = {0};
    rm2i_ticks *a = &place->ticks[j], *b = &place->ticks[k];
    rm2i_box_anchors(cr, place, j, &first);
    rm2i_box_anchors(cr, place, k, &second);
    for (size_t i = 0; i < first.count; i++)
        for (size_t l = 0; l < second.count; l++) {
            bool is_tick = i < a->count, other_is = l < b->count; /* otherwise the axis' label */
            if (!collide(&first.at[i], &second.at[l], place->view.scale))
                continue;
            if (is_tick && (!other_is || a->count > b->count))
                a->text[i][0] = '\0';
            else if (other_is)
                b->text[l][0] = '\0';
        }
}

/* Axes for an estimate of the view, then the view that leaves room for them. */
static void fit_with_axes(cairo_t *cr, rm2i_drawing_place *place, const rm2i_view *estimate,
                          const rm2i_anchors *bare) {
    rm2i_anchors list = *bare;
    for (size_t k = 0; k < 3; k++) {
        rm2i_box_axis(cr, place, estimate, k);
        rm2i_box_anchors(cr, place, k, &list);
    }
    fit(&list, place->area, &place->view);
}

void rm2i_space_fit(cairo_t *cr, rm2i_drawing_place *place) {
    rm2i_anchors bare = {0};
    place->view = place->start;
    rm2i_view unit = rm2i_unit_view(&place->view);
    add_items(place, &unit, &bare);
    if (place->view.kind == RM2_PANEL_SPHERE) { /* its silhouette is the unit circle */
        add_point(&bare, (double[]){-1, -1}, 1);
        add_point(&bare, (double[]){1, 1}, 1);
        fit(&bare, place->area, &place->view);
        return;
    }
    add_corners(&unit, &bare);
    fit(&bare, place->area, &place->view);
    rm2i_view estimate = place->view;
    estimate.scale *= 0.75; /* about a quarter goes to the texts */
    fit_with_axes(cr, place, &estimate, &bare);
    estimate = place->view;
    fit_with_axes(cr, place, &estimate, &bare);
    separate(cr, place, 0, 1);
    separate(cr, place, 0, 2);
    separate(cr, place, 1, 2);
}

void rm2i_space_draw(cairo_t *cr, const rm2i_drawing_place *place) {
    bool cone = place->view.kind == RM2_PANEL_CONE;
    rm2i_box_draw(cr, place);
    if (cone)
        rm2i_cone_back(cr, &place->view);
    rm2i_items_draw(cr, place, RM2I_ALL);
    if (cone)
        rm2i_cone_front(cr, &place->view);
}
