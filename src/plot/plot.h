/* What a figure is made of: panels, items, heat maps. Filled by the rm2_plot_* calls (figure.c,
 * items.c, shapes.c, heat.c, matrices.c), read when the figure is drawn (draw.h).
 *
 * Figures are a library of their own: they use the installed headers of the core and what is in this folder. */
#ifndef RM2I_PLOT_H
#define RM2I_PLOT_H

#include "riemann2/plot.h"

enum {
    RM2I_TEXT_MAX = 240,    /* bytes of a label */
    RM2I_PANEL_TEXTS = 4,   /* title and labels of three axes */
    RM2I_JOINTS_MAX = 64,   /* of an arm */
    RM2I_PLOT_MAX = 1 << 26 /* points of one item: more is a wrong size, not a figure */
};

typedef struct rm2i_item rm2i_item;
typedef struct rm2i_item_kind rm2i_item_kind; /* how it is drawn: draw.h */

typedef struct rm2i_axis_range {
    double lo, hi;
    bool log;
} rm2i_axis_range;

typedef struct rm2i_heat {
    size_t columns, rows;
    double *part;         /* rows x columns: 0 at the first colour, 1 at the last; NaN: no value */
    rm2i_axis_range x, y; /* places of the outermost columns and rows */
    rm2i_axis_range colours; /* values of the first and last colour */
    bool below, above;       /* are there values outside? */
    size_t contours;
    char *label;
} rm2i_heat;

/* One item of a panel. `points` are count x dims of the panel: what the axes must show. */
struct rm2i_item {
    const rm2i_item_kind *kind;
    rm2_style style; /* complete: no zeros that mean a default, except the size of ellipses */
    char *label;
    size_t count;
    double *points; /* owned; `extra` is cut from the same memory */
    double *
        extra; /* points: how many coincide there, 0 after the first; ellipses: 3 per point (semi-axes,
                       angle); frames: 9 (rotation matrix) */
    size_t joints;   /* of an arm; points of a ring of a region */
    rm2i_heat field; /* of a hatched area: `part` is `extra`, the values themselves */
};

typedef struct rm2i_matrix_row {
    size_t count, n;
    double *values; /* as shown */
    char *name;
    char **names; /* NULL or count */
} rm2i_matrix_row;

struct rm2_panel {
    rm2_panel_settings settings; /* its texts are those below */
    char *texts[RM2I_PANEL_TEXTS];
    char **names;       /* settings.name_count of rows and columns of matrices, or NULL */
    size_t row, column; /* from 0 */
    rm2i_item **items;
    size_t item_count, item_capacity;
    size_t colours_used;
    rm2i_heat *heat;
    rm2i_matrix_row *matrix_rows;
    size_t matrix_row_count;
    rm2i_axis_range matrix_colours;
    char *matrix_label;
};

struct rm2_figure {
    double width, height; /* points */
    double font_size;
    bool legend; /* one for all panels */
    char *title;
    size_t rows, columns;
    double *row_parts, *column_parts; /* add up to 1; one piece of memory, owned by row_parts */
    rm2_panel **panels;               /* rows x columns; NULL where a cell is empty */
};

/* Run the expression; on failure hand its status to the caller. For functions that own nothing. */
#define RM2_TRY(expression)                                                                        \
    do {                                                                                           \
        rm2_status rm2_try_status_ = (expression);                                                 \
        if (rm2_try_status_ != RM2_OK)                                                             \
            return rm2_try_status_;                                                                \
    } while (0)

/* At the start of a public function: RM2_ERR_ARGUMENT unless there are a context and the argument named. */
#define RM2_REQUIRE(ctx, pointer)                                                                  \
    do {                                                                                           \
        if (!(ctx) || !(pointer))                                                                  \
            return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "argument '%s' is NULL", #pointer);     \
    } while (0)

/* count x size bytes of zeros, overflow checked; *out is NULL on failure only. `grow` keeps the old contents,
 * and the old block if it fails. */
rm2_status rm2i_plot_alloc(rm2_context *ctx, size_t count, size_t size, void *out);
rm2_status rm2i_plot_grow(rm2_context *ctx, size_t count, size_t size, void *inout);

/* Where a value is in a range: 0 at lo, 1 at hi; NaN if it is nowhere. */
double rm2i_range_part(const rm2i_axis_range *range, double value);

/* Numbers of a point as stored: 2 in a plane, 3 elsewhere. */
static inline size_t rm2i_panel_dims(const rm2_panel *panel) {
    return panel->settings.kind == RM2_PANEL_PLANE ? 2 : 3;
}

/* A copy of a label, NULL if `text` is; an error if it is too long or not UTF-8. */
rm2_status rm2i_copy_label(rm2_context *ctx, const char *text, char **copy);

/* Failure if the context or the panel is NULL, or the panel not of one of the kinds (bits 1 << kind); `call` is
 * for the message. */
rm2_status rm2i_expect_panel(rm2_context *ctx, const rm2_panel *panel, unsigned kinds,
                             const char *call);

/* An empty item of a panel with room for `count` points and `extra` more numbers, with a complete
 * style; the panel owns it. */
rm2_status rm2i_item_add(rm2_context *ctx, rm2_panel *panel, const rm2i_item_kind *kind,
                         size_t count, size_t extra, const rm2_style *style, rm2i_item **item);

/* Fill `extra` of an item of points (coincident.c). */
rm2_status rm2i_count_coincident(rm2_context *ctx, size_t dims, rm2i_item *item);

/* Failure unless the panel can show a grid like this; `call` is for the message (heat.c). */
rm2_status rm2i_check_grid(rm2_context *ctx, const rm2_panel *panel, const rm2_heat_map *grid,
                           const char *call);

void rm2i_item_free(rm2i_item *item);
void rm2i_heat_free(rm2i_heat *heat);
void rm2i_matrix_row_free(rm2i_matrix_row *row);

#endif
