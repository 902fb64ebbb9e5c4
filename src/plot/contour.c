/* Contour lines of a heat map: in every cell of the grid the points where its four edges pass the
 * level, joined two by two (marching squares; Lorensen and Cline, 1987, in the plane). Where all four
 * edges do, the mean of the corners says which two belong together. */
#include <math.h>

#include "plot/draw.h"

typedef struct cell {
    double column, row; /* of its first corner */
    double value[4];    /* at corners 0, 0; 1, 0; 1, 1; 0, 1 */
} cell;

/* Where edge k, from corner k to corner k + 1, passes the level. */
static bool crossing(const cell *c, size_t k, double level, double at[2]) {
    static const double corner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    double a = c->value[k] - level, b = c->value[(k + 1) % 4] - level;
    if ((a < 0) == (b < 0))
        return false;
    double t = a / (a - b);
    at[0] = c->column + corner[k][0] + t * (corner[k + 1][0] - corner[k][0]);
    at[1] = c->row + corner[k][1] + t * (corner[k + 1][1] - corner[k][1]);
    return true;
}

/* Grid coordinates to the page. */
static void go(cairo_t *cr, const rm2i_heat *heat, const rm2i_view *view, const double at[2],
               bool draw) {
    double page[3],
        point[2] = {heat->x.lo + (heat->x.hi - heat->x.lo) * at[0] / (double)(heat->columns - 1),
                    heat->y.lo + (heat->y.hi - heat->y.lo) * at[1] / (double)(heat->rows - 1)};
    if (!rm2i_view_point(view, point, page))
        return;
    if (draw)
        cairo_line_to(cr, page[0], page[1]);
    else
        cairo_move_to(cr, page[0], page[1]);
}

static void trace_cell(cairo_t *cr, const rm2i_heat *heat, const rm2i_view *view, const cell *c,
                       double level) {
    double at[4][2];
    size_t count = 0;
    for (size_t k = 0; k < 4; k++)
        count += crossing(c, k, level, at[count]);
    double mean = (c->value[0] + c->value[1] + c->value[2] + c->value[3]) / 4;
    /* four crossings: lines cut off corners 1 and 3, or corners 0 and 2 */
    size_t first = count == 4 && (mean < level) == (c->value[0] < level) ? 0 : count == 4;
    for (size_t i = 0; i + 1 < count; i += 2) {
        go(cr, heat, view, at[(first + i) % 4], false);
        go(cr, heat, view, at[(first + i + 1) % 4], true);
    }
}

void rm2i_contour_trace(cairo_t *cr, const rm2i_heat *heat, const rm2i_view *view, double level) {
    for (size_t r = 0; r + 1 < heat->rows; r++)
        for (size_t c = 0; c + 1 < heat->columns; c++) {
            const double *v = heat->part + r * heat->columns + c, *w = v + heat->columns;
            cell here = {(double)c, (double)r, {v[0], v[1], w[1], w[0]}};
            if (isfinite(v[0] + v[1] + w[0] + w[1]))
                trace_cell(cr, heat, view, &here, level);
        }
}

void rm2i_contours_draw(cairo_t *cr, const rm2i_heat *heat, const rm2i_view *view) {
    rm2i_ticks levels;
    if (heat->contours == 0)
        return;
    rm2i_ticks_make(&heat->colours, heat->contours, &levels);
    cairo_save(cr);
    cairo_new_path(cr);
    for (size_t i = 0; i < levels.count; i++)
        rm2i_contour_trace(cr, heat, view, rm2i_range_part(&heat->colours, levels.at[i]));
    rm2i_set_colour(cr, RM2_WHITE, 0.45);
    cairo_set_line_width(cr, 0.5);
    cairo_set_line_cap(cr, CAIRO_LINE_CAP_ROUND);
    cairo_stroke(cr);
    cairo_restore(cr);
}
