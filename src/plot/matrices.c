/* Rows of matrices as square heat maps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "plot/draw.h"

enum { SIZE_MAX_SHOWN = 1000, COUNT_MAX = 64, COLOURS = 257 };

static const double GAP = 4, SQUARE_MAX = 120; /* lengths on the page */
static const double NAMED_MAX = 240;           /* side of a square with names of rows and columns */
static const double TICK = 2, NAME_LONGEST = 64;
static const double SMALLEST = 4.5; /* letters of such names; less is not legible */
static const double THINNED = 6;    /* the same where only some names are shown */
static const double LINE = 1.15;    /* distance of names, in sizes of the letters */

void rm2i_matrix_row_free(rm2i_matrix_row *row) {
    for (size_t i = 0; row->names && i < row->count; i++)
        free(row->names[i]);
    free(row->names);
    free(row->name);
    free(row->values);
}

/* ---- adding ----------------------------------------------------------------------------------- */

static rm2_status check_matrices(rm2_context *ctx, const rm2_panel *panel,
                                 const rm2_matrices *matrices) {
    const rm2_matrices *m = matrices;
    RM2_TRY(rm2i_expect_panel(ctx, panel, 1u << RM2_PANEL_MATRICES, "rm2_plot_matrices"));
    RM2_REQUIRE(ctx, matrices);
    RM2_REQUIRE(ctx, matrices->values);
    if (m->count < 1 || m->count > COUNT_MAX || m->n < 1 || m->n > SIZE_MAX_SHOWN)
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "rm2_plot_matrices: cannot draw %zu matrices of size %zu in a row: 1 to %d "
            "of size 1 to %d are possible",
            m->count, m->n, COUNT_MAX, SIZE_MAX_SHOWN);
    if (panel->names && panel->settings.name_count != m->n)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "rm2_plot_matrices: the panel has %zu names of rows and columns, "
                                "the matrices have size %zu",
                                panel->settings.name_count, m->n);
    if (!(m->limit >= 0 && isfinite(m->limit)))
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "rm2_plot_matrices: invalid colour limit %g",
                                m->limit);
    for (size_t i = 0; m->correlation && i < m->count; i++)
        for (size_t k = 0; k < m->n; k++) {
            double variance = m->values[(i * m->n + k) * m->n + k];
            if (variance <= 0)
                return rm2_context_fail(
                    ctx, RM2_ERR_DOMAIN,
                    "rm2_plot_matrices: matrix %zu has %g on the diagonal (row %zu): it "
                    "has no correlations",
                    i, variance, k);
        }
    return RM2_OK;
}

static rm2_status copy_names(rm2_context *ctx, const rm2_matrices *m, rm2i_matrix_row *row) {
    RM2_TRY(rm2i_copy_label(ctx, m->name, &row->name));
    if (!m->names)
        return RM2_OK;
    RM2_TRY(rm2i_plot_alloc(ctx, m->count, sizeof *row->names, &row->names));
    for (size_t i = 0; i < m->count; i++)
        RM2_TRY(rm2i_copy_label(ctx, m->names[i], &row->names[i]));
    return RM2_OK;
}

/* Entries as they are shown, and the largest of them; infinity if there is none. */
static double copy_values(const rm2_matrices *m, double *values) {
    double largest = -INFINITY;
    size_t n = m->n;
    for (size_t i = 0; i < m->count; i++) {
        const double *A = m->values + i * n * n;
        for (size_t r = 0; r < n; r++)
            for (size_t c = 0; c < n; c++) { /* a_rc / sqrt(a_rr a_cc) */
                double scale = m->correlation ? sqrt(A[r * n + r]) * sqrt(A[c * n + c]) : 1;
                double value = A[r * n + c] / scale;
                values[(i * n + r) * n + c] = isfinite(value) ? value : NAN;
                largest = isfinite(value) ? fmax(largest, fabs(value)) : largest;
            }
    }
    return largest;
}

static rm2_status make_row(rm2_context *ctx, const rm2_matrices *m, rm2i_matrix_row *row,
                           double *largest) {
    row->count = m->count;
    row->n = m->n;
    RM2_TRY(rm2i_plot_alloc(ctx, m->count * m->n * m->n, sizeof(double), &row->values));
    *largest = copy_values(m, row->values);
    if (*largest < 0)
        return rm2_context_fail(
            ctx, RM2_ERR_DATA,
            "rm2_plot_matrices: no entry is a finite number: there is nothing to show");
    return copy_names(ctx, m, row);
}

/* Colours for all rows: up to what was asked for, or the largest entry. */
static void extend_colours(rm2_panel *panel, double limit, double largest) {
    rm2i_axis_range *colours = &panel->matrix_colours;
    double reach = limit > 0 ? limit : largest > 0 ? largest : 1;
    colours->hi = panel->matrix_row_count == 1 ? reach : fmax(colours->hi, reach);
    colours->lo = -colours->hi;
}

rm2_status rm2_plot_matrices(rm2_context *ctx, rm2_panel *panel, const rm2_matrices *matrices) {
    RM2_TRY(check_matrices(ctx, panel, matrices));
    RM2_TRY(rm2i_plot_grow(ctx, panel->matrix_row_count + 1, sizeof *panel->matrix_rows,
                           &panel->matrix_rows));
    rm2i_matrix_row row = {0};
    double largest = 0;
    char *label = NULL;
    rm2_status status = make_row(ctx, matrices, &row, &largest);
    if (status == RM2_OK && !panel->matrix_label)
        status = rm2i_copy_label(ctx, matrices->label, &label);
    if (status != RM2_OK) {
        rm2i_matrix_row_free(&row);
        return status;
    }
    if (label)
        panel->matrix_label = label;
    panel->matrix_rows[panel->matrix_row_count++] = row;
    extend_colours(panel, matrices->limit, largest);
    return RM2_OK;
}

/* ---- drawing ---------------------------------------------------------------------------------- */

/* Sizes on the page: side of a square, room for the names of rows of matrices (left) and, in the rows that have
 * them, for those of matrices (below); the same for the names of rows and columns of each matrix. */
typedef struct arrangement {
    size_t columns;
    double side, left, below;
    double rest;      /* height of everything except the squares */
    double name_size; /* letters of the names of rows and columns, */
    double name_room; /* their length with tick and gap; 0: none */
    size_t name_step; /* every name_step-th is shown */
} arrangement;

static double row_gap(const arrangement *a, const rm2i_matrix_row *row) {
    return GAP + (row->names ? a->below : 0);
}

static double widest_name(cairo_t *cr, const rm2i_matrix_row *row) {
    double width = 0;
    for (size_t i = 0; row->names && i < row->count; i++)
        if (row->names[i])
            width = fmax(width, rm2i_text_width(cr, row->names[i]));
    return width;
}

/* Width of the longest name of a row or column in letters of size 1. */
static double longest_name(cairo_t *cr, const rm2_panel *panel, double font_size) {
    double width = 0;
    for (size_t i = 0; i < panel->settings.name_count; i++)
        width = fmax(width, rm2i_text_width(cr, panel->names[i]));
    return width / font_size;
}

/* The largest squares that leave room for everything else. */
static void find_side(const rm2i_drawing_place *place, arrangement *a) {
    double rows = (double)place->panel->matrix_row_count, columns = (double)a->columns;
    double across = (place->area.w - a->left - a->name_room - (columns - 1) * GAP) / columns;
    double down = (place->area.h - a->rest - a->name_room + GAP) / rows;
    double most = place->panel->names ? NAMED_MAX : SQUARE_MAX;
    most = place->side_most > 0 ? fmin(most, place->side_most) : most;
    a->side = fmax(1, fmin(most, fmin(across, down)));
}

/* Letters as large as a row of a matrix, within limits; smaller rows are named by turns. */
static void find_names(const rm2i_drawing_place *place, double longest, arrangement *a) {
    double line = a->side / (double)place->panel->settings.name_count;
    a->name_step = (size_t)ceil(fmax(1, SMALLEST * LINE / line - 1e-9));
    double most = a->name_step > 1 ? fmin(THINNED, place->font_size) : place->font_size;
    a->name_size = fmax(SMALLEST, fmin(most, (double)a->name_step * line / LINE));
    a->name_room = fmin(NAME_LONGEST, longest * a->name_size) + TICK + 1;
}

static arrangement arrange(cairo_t *cr, const rm2i_drawing_place *place) {
    enum { ROUNDS = 6 }; /* squares and letters depend on each other */
    const rm2_panel *panel = place->panel;
    arrangement a = {.name_step = 1};
    rm2i_font(cr, place->font_size, false);
    a.below = rm2i_digit_height(cr) + GAP;
    for (size_t i = 0; i < panel->matrix_row_count; i++) {
        const rm2i_matrix_row *row = &panel->matrix_rows[i];
        a.columns = row->count > a.columns ? row->count : a.columns;
        a.left = row->name ? 1.25 * place->font_size + GAP : a.left;
        a.rest += row_gap(&a, row);
    }
    find_side(place, &a);
    double longest = panel->names ? longest_name(cr, panel, place->font_size) : 0;
    for (int round = 0; panel->names && round < ROUNDS; round++) {
        find_names(place, longest, &a);
        find_side(place, &a);
    }
    return a;
}

/* The frame is what the squares take, in the middle of the area. */
void rm2i_matrices_fit(cairo_t *cr, rm2i_drawing_place *place) {
    arrangement a = arrange(cr, place);
    place->side = a.side;
    double rows = (double)place->panel->matrix_row_count, columns = (double)a.columns;
    double width = a.left + a.name_room + columns * a.side + (columns - 1) * GAP;
    double height = rows * a.side + a.rest + a.name_room - GAP;
    double below = row_gap(&a, &place->panel->matrix_rows[place->panel->matrix_row_count - 1]) -
                   GAP + a.name_room;
    place->view.frame =
        (rm2i_rect){place->area.x + (place->area.w - width) / 2,
                    place->area.y + (place->area.h - height) / 2, width, height - below};
}

typedef struct matrix_source {
    const double *values;
    size_t n;
    const rm2i_axis_range *colours;
} matrix_source;

static rm2_colour matrix_colour(const void *data, double across, double down) {
    const matrix_source *m = data;
    size_t r = (size_t)(down * (double)m->n), c = (size_t)(across * (double)m->n);
    return rm2_colour_map_at(RM2_MAP_DIVERGING,
                             rm2i_range_part(m->colours, m->values[r * m->n + c]));
}

static void draw_name(cairo_t *cr, const rm2i_drawing_place *place, const char *name,
                      rm2i_rect square, double widest) {
    double shrink = fmin(1, (square.w + GAP - 1) / fmax(widest, 1));
    if (!name)
        return;
    rm2i_font(cr, place->font_size * shrink, false);
    rm2i_set_colour(cr, RM2I_INK, 1);
    rm2i_text_at(cr, name, square.x + square.w / 2, square.y + square.h + GAP, 0.5, 0);
}

/* The text, or as many of its first characters as fit, and dots. */
static void shorten(cairo_t *cr, const char *text, char shown[RM2I_TEXT_MAX + 8]) {
    size_t size = strlen(text);
    (void)snprintf(shown, RM2I_TEXT_MAX + 8, "%s", text);
    while (size > 1 && rm2i_text_width(cr, shown) > NAME_LONGEST) {
        do
            size--;
        while (size > 1 && ((unsigned char)text[size] & 0xC0) == 0x80); /* inside a character */
        (void)snprintf(shown, RM2I_TEXT_MAX + 8, "%.*s…", (int)size, text);
    }
}

/* Names at the left edge of a square, or turned below it, with a tick each. */
static void draw_names(cairo_t *cr, const rm2_panel *panel, const arrangement *a, rm2i_rect square,
                       bool turned) {
    char shown[RM2I_TEXT_MAX + 8];
    double line = a->side / (double)panel->settings.name_count;
    rm2i_font(cr, a->name_size, false);
    rm2i_set_colour(cr, RM2I_INK, 1);
    cairo_set_line_width(cr, 0.4);
    for (size_t k = 0; k < panel->settings.name_count; k += a->name_step) {
        double at = ((double)k + 0.5) * line;
        double x = turned ? square.x + at : square.x,
               y = turned ? square.y + square.h : square.y + at;
        cairo_move_to(cr, x, y);
        cairo_rel_line_to(cr, turned ? 0 : -TICK, turned ? TICK : 0);
        cairo_stroke(cr);
        shorten(cr, panel->names[k], shown);
        cairo_save(cr);
        cairo_translate(cr, turned ? x : x - TICK - 1, turned ? y + TICK + 1 : y);
        cairo_rotate(cr, turned ? -RM2_PI / 2 : 0);
        rm2i_text_at(cr, shown, 0, 0, 1, 0.5);
        cairo_restore(cr);
    }
}

static void draw_square(cairo_t *cr, const rm2i_drawing_place *place, const double *values,
                        size_t n, rm2i_rect square) {
    matrix_source source = {values, n, &place->panel->matrix_colours};
    rm2i_raster_draw(cr, square, matrix_colour, &source);
    cairo_rectangle(cr, square.x, square.y, square.w, square.h);
    rm2i_set_colour(cr, RM2I_INK, 1);
    cairo_set_line_width(cr, 0.5);
    cairo_stroke(cr);
}

/* `last`: the names of columns are below it. */
static void draw_row(cairo_t *cr, const rm2i_drawing_place *place, const rm2i_matrix_row *row,
                     const arrangement *a, double y, bool last) {
    rm2i_font(cr, place->font_size, false);
    double widest = widest_name(cr, row), x = place->view.frame.x;
    rm2i_text_block name;
    rm2i_block_make(cr, row->name, place->font_size, false, a->side, &name);
    rm2i_set_colour(cr, RM2I_INK, 1);
    rm2i_block_draw(cr, &name, x + a->left / 2 - GAP / 2, y + a->side / 2, -RM2_PI / 2);
    for (size_t i = 0; i < row->count; i++) {
        rm2i_rect square = {x + a->left + a->name_room + (double)i * (a->side + GAP), y, a->side,
                            a->side};
        draw_square(cr, place, row->values + i * row->n * row->n, row->n, square);
        if (a->name_room > 0 && i == 0)
            draw_names(cr, place->panel, a, square, false);
        if (a->name_room > 0 && last)
            draw_names(cr, place->panel, a, square, true);
        square.h += last ? a->name_room : 0;
        if (row->names)
            draw_name(cr, place, row->names[i], square, widest);
    }
}

void rm2i_matrices_draw(cairo_t *cr, const rm2i_drawing_place *place) {
    arrangement a = arrange(cr, place);
    double y = place->view.frame.y;
    for (size_t i = 0; i < place->panel->matrix_row_count; i++) {
        const rm2i_matrix_row *row = &place->panel->matrix_rows[i];
        draw_row(cr, place, row, &a, y, i + 1 == place->panel->matrix_row_count);
        y += a.side + row_gap(&a, row);
    }
}
