/* The box of a panel in space: what its axes need on the page (box.c), and the scale at which all of it
 * fits (space.c). */
#ifndef RM2I_BOX_H
#define RM2I_BOX_H

#include "plot/draw.h"

enum { RM2I_ANCHORS_MAX = 128 };

/* Something that must be on the page: around s p + o, where p is a point of the projected box and s the
 * scale, with half sizes h. */
typedef struct rm2i_anchor {
    double p[2], o[2], h[2];
} rm2i_anchor;

typedef struct rm2i_anchors {
    size_t count;
    rm2i_anchor at[RM2I_ANCHORS_MAX];
} rm2i_anchors;

/* The view in units of its scale, with the middle of the box at the origin of the page. */
rm2i_view rm2i_unit_view(const rm2i_view *view);

/* Ticks and label of axis k for a view of about the final scale. */
void rm2i_box_axis(cairo_t *cr, rm2i_drawing_place *place, const rm2i_view *estimate, size_t k);

/* Anchors of the texts of axis k: one a tick, in their order, then the label if there is one. */
void rm2i_box_anchors(cairo_t *cr, const rm2i_drawing_place *place, size_t k, rm2i_anchors *list);

/* Panes behind the data with grid, then the axes. */
void rm2i_box_draw(cairo_t *cr, const rm2i_drawing_place *place);

#endif
