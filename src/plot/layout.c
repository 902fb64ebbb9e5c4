/* The layout of a figure: every panel has a cell of the grid, and in it an area without margins. The
 * margins come from the measured texts, which depend on the ticks, which depend on the size of the
 * area: a few rounds settle it. Planes of a row have their frames at one height, those of a column at
 * one width, so that axes align; where cells have one size, so have the planes. A figure may have one legend below
 * its panels. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/draw.h"

static const double EDGE = 3, CELL_GAP = 9, GAP = 3; /* lengths on the page */
static const double AREA_MIN = 24;                   /* side of the smallest area worth drawing */
static const double FAINT = 0.3;                     /* opacity of what is hidden */
enum { ROUNDS = 12, ROUNDS_FREE = 2 };

void rm2i_items_draw(cairo_t *cr, const rm2i_drawing_place *place, rm2i_pass pass) {
    rm2i_view view = place->view;
    view.pass = pass;
    for (size_t i = 0; i < place->panel->item_count; i++) {
        rm2i_item item = *place->panel->items[i];
        if (pass == RM2I_HIDDEN)
            item.style.opacity *= FAINT;
        cairo_save(cr);
        item.kind->draw(&item, &view, cr);
        cairo_restore(cr);
    }
}

void rm2i_place_draw_inside(cairo_t *cr, const rm2i_drawing_place *place) {
    if (place->view.kind == RM2_PANEL_PLANE)
        rm2i_items_draw(cr, place, RM2I_ALL);
    else if (place->view.kind == RM2_PANEL_SPHERE)
        rm2i_sphere_draw(cr, place);
    else if (place->view.kind == RM2_PANEL_MATRICES)
        rm2i_matrices_draw(cr, place);
    else
        rm2i_space_draw(cr, place);
}

/* ---- measuring -------------------------------------------------------------------------------- */

/* Fit the panel into its area; the margins it needs around it. */
static rm2i_margins measure(cairo_t *cr, rm2i_drawing_place *place) {
    const rm2_panel *panel = place->panel;
    rm2_panel_kind kind = panel->settings.kind;
    place->axes = (rm2i_margins){0, 0, 0, 0};
    if (kind == RM2_PANEL_PLANE)
        rm2i_plane_fit(cr, place);
    else if (kind == RM2_PANEL_MATRICES)
        rm2i_matrices_fit(cr, place);
    else
        rm2i_space_fit(cr, place);
    rm2i_block_make(cr, panel->settings.title, place->font_size + 0.5, false, place->cell.w,
                    &place->title);
    const char *label = panel->heat ? panel->heat->label : panel->matrix_label;
    rm2i_bar_measure(cr, label, place->font_size, place->view.frame.h, &place->bar);
    rm2i_legend_box *legend = &place->legend;
    double room = legend->mode == RM2_LEGEND_RIGHT ? place->cell.w / 2 : place->cell.w;
    rm2i_legend_measure(cr, place->font_size, room, legend);
    rm2i_margins need = place->axes;
    if (place->title.lines > 0)
        need.top = fmax(need.top, place->title.height + GAP);
    if (place->bar.colours) {
        need.right = fmax(need.right, place->bar.width);
        need.top = fmax(need.top, place->font_size / 2);
    }
    if (legend->count > 0 && legend->mode == RM2_LEGEND_BELOW)
        need.bottom += GAP + legend->height;
    if (legend->count > 0 && legend->mode == RM2_LEGEND_RIGHT)
        need.right += GAP + legend->width;
    return need;
}

/* Make margins at least as large as needed; false if they were. */
static bool grow(rm2i_margins *margins, const rm2i_margins *need) {
    rm2i_margins old = *margins;
    margins->left = fmax(old.left, need->left);
    margins->right = fmax(old.right, need->right);
    margins->top = fmax(old.top, need->top);
    margins->bottom = fmax(old.bottom, need->bottom);
    return margins->left > old.left || margins->right > old.right || margins->top > old.top ||
           margins->bottom > old.bottom;
}

static bool same_size(double a, double b) {
    return fabs(a - b) < 1e-6;
}

/* Planes share margins with the planes of their row and column, and with those whose cells are as large;
 * titles of a row are aligned. */
static void align(rm2i_drawing_place *places, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            rm2i_margins *a = &places[i].margins, *b = &places[j].margins;
            bool planes =
                places[i].view.kind == RM2_PANEL_PLANE && places[j].view.kind == RM2_PANEL_PLANE;
            bool row = places[i].panel->row == places[j].panel->row;
            bool column = places[i].panel->column == places[j].panel->column;
            if (row)
                a->top = b->top = fmax(a->top, b->top);
            if (planes && (row || same_size(places[i].cell.h, places[j].cell.h))) {
                a->top = b->top = fmax(a->top, b->top);
                a->bottom = b->bottom = fmax(a->bottom, b->bottom);
            }
            if (planes && (column || same_size(places[i].cell.w, places[j].cell.w))) {
                a->left = b->left = fmax(a->left, b->left);
                a->right = b->right = fmax(a->right, b->right);
            }
        }
}

/* Matrices of panels side by side are equally large; false if they were. */
static bool share_sides(rm2i_drawing_place *places, size_t count) {
    bool changed = false;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            if (places[i].panel->row == places[j].panel->row && places[j].side > 0 &&
                places[i].side > places[j].side + 1e-6) {
                places[i].side = places[i].side_most = places[j].side;
                changed = true;
            }
    return changed;
}

static rm2_status set_area(rm2_context *ctx, const rm2_figure *figure, rm2i_drawing_place *place) {
    const rm2i_margins *m = &place->margins;
    const rm2i_rect *cell = &place->cell;
    place->area = (rm2i_rect){cell->x + m->left, cell->y + m->top, cell->w - m->left - m->right,
                              cell->h - m->top - m->bottom};
    if (place->area.w >= AREA_MIN && place->area.h >= AREA_MIN)
        return RM2_OK;
    return rm2_context_fail(
        ctx, RM2_ERR_ARGUMENT,
        "the figure of %.0f x %.0f mm is too small: titles, axes and legends leave "
        "%.0f x %.0f points for panel (%zu, %zu); make it larger, or the font smaller",
        figure->width / 72 * 25.4, figure->height / 72 * 25.4, place->area.w, place->area.h,
        place->panel->row, place->panel->column);
}

/* Rounds of measuring and setting areas. The first ones start with areas that are too large, and their
 * margins are forgotten; after that margins only grow, so that it comes to an end. */
static rm2_status settle(rm2_context *ctx, const rm2_figure *figure, cairo_t *cr,
                         rm2i_drawing_place *places, size_t count) {
    bool changed = true;
    for (int round = 0; round < ROUNDS && changed; round++) {
        changed = false;
        for (size_t i = 0; i < count; i++) {
            rm2i_margins need = measure(cr, &places[i]);
            if (round < ROUNDS_FREE)
                places[i].margins = (rm2i_margins){0, 0, 0, 0};
            changed = grow(&places[i].margins, &need) || changed;
        }
        align(places, count);
        changed = share_sides(places, count) || changed;
        for (size_t i = 0; i < count; i++)
            RM2_TRY(set_area(ctx, figure, &places[i]));
    }
    return RM2_OK;
}

/* ---- places ----------------------------------------------------------------------------------- */

/* Beginning and size of row or column `index` of n in a length. */
static void cut(double from, double length, const double *parts, size_t n, size_t index,
                double *start, double *size) {
    double room = length - (double)(n - 1) * CELL_GAP;
    *start = from + (double)index * CELL_GAP;
    for (size_t i = 0; i < index; i++)
        *start += parts[i] * room;
    *size = parts[index] * room;
}

static rm2i_rect cell_of(const rm2_figure *figure, const rm2_panel *panel, rm2i_rect grid) {
    rm2i_rect cell;
    cut(grid.x, grid.w, figure->column_parts, figure->columns, panel->column, &cell.x, &cell.w);
    cut(grid.y, grid.h, figure->row_parts, figure->rows, panel->row, &cell.y, &cell.h);
    return cell;
}

static void start_bar(rm2i_drawing_place *place) {
    const rm2_panel *panel = place->panel;
    if (panel->heat)
        place->bar = (rm2i_bar){.colours = &panel->heat->colours,
                                .map = RM2_MAP_SEQUENTIAL,
                                .below = panel->heat->below,
                                .above = panel->heat->above};
    else if (panel->matrix_row_count > 0)
        place->bar = (rm2i_bar){.colours = &panel->matrix_colours, .map = RM2_MAP_DIVERGING};
}

static rm2_status start_legend(rm2_context *ctx, const rm2_figure *figure,
                               rm2i_drawing_place *place) {
    place->legend.mode = figure->legend ? RM2_LEGEND_NONE : place->panel->settings.legend;
    return rm2i_legend_add(ctx, place->panel, &place->legend);
}

static rm2_status start_places(rm2_context *ctx, const rm2_figure *figure, rm2i_rect grid,
                               rm2i_drawing_place *places, size_t *count) {
    *count = 0;
    for (size_t i = 0; i < figure->rows * figure->columns; i++) {
        if (!figure->panels[i])
            continue;
        rm2i_drawing_place *place = &places[(*count)++];
        place->panel = figure->panels[i];
        place->font_size = figure->font_size;
        place->cell = place->area = cell_of(figure, place->panel, grid);
        start_bar(place);
        RM2_TRY(rm2i_view_start(ctx, place->panel, &place->start));
        place->view = place->start;
        RM2_TRY(start_legend(ctx, figure, place));
    }
    if (*count == 0)
        return rm2_context_fail(ctx, RM2_ERR_DATA, "the figure has no panel: add one to draw it");
    return RM2_OK;
}

/* Legends without a free corner go below their panels, which changes the areas. */
static rm2_status settle_legends(rm2_context *ctx, const rm2_figure *figure, cairo_t *cr,
                                 rm2i_drawing_place *places, size_t count) {
    for (bool moved = true; moved;) {
        RM2_TRY(settle(ctx, figure, cr, places, count));
        moved = false;
        for (size_t i = 0; i < count; i++) {
            rm2_legend before = places[i].legend.mode;
            rm2i_legend_find(&places[i], &places[i].legend);
            moved = moved || places[i].legend.mode != before;
        }
    }
    return RM2_OK;
}

/* ---- drawing ---------------------------------------------------------------------------------- */

static void place_legend(const rm2i_drawing_place *place, rm2i_legend_box *legend) {
    const rm2i_rect *frame = &place->view.frame;
    if (legend->mode == RM2_LEGEND_BELOW) {
        legend->x = frame->x + frame->w / 2 - legend->width / 2;
        double least = place->cell.x, most = place->cell.x + place->cell.w - legend->width;
        legend->x = fmax(least, fmin(most, legend->x));
        legend->y = frame->y + frame->h + place->axes.bottom + GAP;
    } else if (legend->mode == RM2_LEGEND_RIGHT) {
        double beside = place->bar.colours ? place->bar.width : place->axes.right;
        legend->x = frame->x + frame->w + beside + GAP;
        legend->y = frame->y;
    }
}

static void draw_place(cairo_t *cr, const rm2i_drawing_place *place) {
    const rm2i_rect *frame = &place->view.frame;
    if (place->view.kind == RM2_PANEL_PLANE)
        rm2i_plane_draw(cr, place);
    else
        rm2i_place_draw_inside(cr, place);
    rm2i_set_colour(cr, RM2I_INK, 1);
    double middle = frame->x + frame->w / 2, half = place->title.width / 2;
    middle = fmax(place->cell.x + half, fmin(place->cell.x + place->cell.w - half, middle));
    rm2i_block_draw(cr, &place->title, middle, frame->y - GAP - place->title.height / 2, 0);
    rm2i_bar_draw(cr, &place->bar, place->font_size, *frame);
    rm2i_legend_box legend = place->legend;
    place_legend(place, &legend);
    rm2i_legend_draw(cr, &legend);
}

static void set_quality(cairo_t *cr) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
}

/* One legend for all panels, below them in the middle; without entries it has no height. */
static rm2_status common_legend(rm2_context *ctx, const rm2_figure *figure, cairo_t *cr,
                                rm2i_legend_box *legend) {
    *legend = (rm2i_legend_box){.mode = figure->legend ? RM2_LEGEND_BELOW : RM2_LEGEND_NONE};
    for (size_t i = 0; i < figure->rows * figure->columns; i++)
        if (figure->panels[i] && figure->panels[i]->settings.legend != RM2_LEGEND_NONE)
            RM2_TRY(rm2i_legend_add(ctx, figure->panels[i], legend));
    rm2i_legend_measure(cr, figure->font_size, figure->width - 2 * EDGE, legend);
    legend->x = (figure->width - legend->width) / 2;
    legend->y = figure->height - EDGE - legend->height;
    return RM2_OK;
}

static void paper(cairo_t *cr) {
    set_quality(cr);
    rm2i_set_colour(cr, RM2_WHITE, 1);
    cairo_paint(cr);
}

rm2_status rm2i_figure_draw(rm2_context *ctx, const rm2_figure *figure, cairo_t *cr) {
    rm2i_drawing_place *places;
    rm2i_text_block title;
    rm2i_legend_box legend;
    size_t count;
    paper(cr);
    rm2i_block_make(cr, figure->title, figure->font_size + 1, true, figure->width - 2 * EDGE,
                    &title);
    RM2_TRY(common_legend(ctx, figure, cr, &legend));
    double top = EDGE + (title.lines > 0 ? title.height + GAP : 0);
    double below = legend.count > 0 ? legend.height + 2 * GAP : 0;
    const rm2i_rect grid = {EDGE, top, figure->width - 2 * EDGE,
                            figure->height - top - EDGE - below};
    RM2_TRY(rm2i_plot_alloc(ctx, figure->rows * figure->columns, sizeof *places, &places));
    rm2_status status = start_places(ctx, figure, grid, places, &count);
    if (status == RM2_OK)
        status = settle_legends(ctx, figure, cr, places, count);
    for (size_t i = 0; status == RM2_OK && i < count; i++)
        draw_place(cr, &places[i]);
    rm2i_legend_draw(cr, &legend);
    rm2i_set_colour(cr, RM2I_INK, 1);
    rm2i_block_draw(cr, &title, figure->width / 2, EDGE + title.height / 2, 0);
    free(places);
    return status;
}
