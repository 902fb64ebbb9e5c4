/* Figures and panels: a grid of cells that own what was put into them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

enum { GRID_MAX = 100 }; /* panels of a figure */

static const double POINTS_PER_MM = 72 / 25.4;
static rm2_status check_settings(rm2_context *ctx, const rm2_figure_settings *s) {
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_FIGURE), s));
    if (s->columns > GRID_MAX / s->rows)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "a figure of %zu x %zu panels cannot be drawn: there are 1 to %d",
                                s->rows, s->columns, GRID_MAX);
    return RM2_OK;
}

/* Parts of the whole, from sizes relative to each other. */
static rm2_status set_parts(rm2_context *ctx, size_t n, const double *given, double *parts) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        parts[i] = given ? given[i] : 1;
        if (!(parts[i] > 0 && isfinite(parts[i])))
            return rm2_context_fail(
                ctx, RM2_ERR_ARGUMENT,
                "row or column %zu of the figure cannot have the part %g: parts are "
                "positive",
                i, parts[i]);
        sum += parts[i];
    }
    for (size_t i = 0; i < n; i++)
        parts[i] /= sum;
    return RM2_OK;
}

static rm2_status make_grid(rm2_context *ctx, const rm2_figure_settings *s, rm2_figure *figure) {
    figure->rows = s->rows;
    figure->columns = s->columns;
    RM2_TRY(rm2i_plot_alloc(ctx, s->rows * s->columns, sizeof(rm2_panel *), &figure->panels));
    RM2_TRY(rm2i_plot_alloc(ctx, s->rows + s->columns, sizeof(double), &figure->row_parts));
    figure->column_parts = figure->row_parts + s->rows;
    RM2_TRY(set_parts(ctx, s->rows, s->row_parts, figure->row_parts));
    return set_parts(ctx, s->columns, s->column_parts, figure->column_parts);
}

rm2_status rm2_figure_create(rm2_context *ctx, const rm2_figure_settings *settings,
                             rm2_figure **figure) {
    RM2_REQUIRE(ctx, figure);
    *figure = NULL;
    rm2_figure_settings s = rm2_figure_settings_default();
    RM2_TRY(rm2_settings_overlay(ctx, settings, &s));
    RM2_TRY(check_settings(ctx, &s));
    rm2_figure *made;
    RM2_TRY(rm2i_plot_alloc(ctx, 1, sizeof *made, &made));
    made->width = s.width * POINTS_PER_MM;
    made->height = s.height * POINTS_PER_MM;
    made->font_size = s.font_size;
    made->legend = s.legend;
    rm2_status status = make_grid(ctx, &s, made);
    if (status == RM2_OK)
        status = rm2i_copy_label(ctx, s.title, &made->title);
    if (status == RM2_OK)
        *figure = made;
    else
        rm2_figure_free(made);
    return status;
}

static void free_panel(rm2_panel *panel) {
    if (!panel)
        return;
    for (size_t i = 0; i < panel->item_count; i++)
        rm2i_item_free(panel->items[i]);
    for (size_t i = 0; i < panel->matrix_row_count; i++)
        rm2i_matrix_row_free(panel->matrix_rows + i);
    free(panel->items);
    free(panel->matrix_rows);
    free(panel->matrix_label);
    rm2i_heat_free(panel->heat);
    for (size_t i = 0; i < RM2I_PANEL_TEXTS; i++)
        free(panel->texts[i]);
    for (size_t i = 0; panel->names && i < panel->settings.name_count; i++)
        free(panel->names[i]);
    free(panel->names);
    free(panel);
}

void rm2_figure_free(rm2_figure *figure) {
    if (!figure)
        return;
    for (size_t i = 0; figure->panels && i < figure->rows * figure->columns; i++)
        free_panel(figure->panels[i]);
    free(figure->panels);
    free(figure->row_parts);
    free(figure->title);
    free(figure);
}

/* ---- panels ---------------------------------------------------------------------------------- */

static rm2_status check_axis(rm2_context *ctx, const rm2_panel_settings *s, const rm2_axis *axis,
                             char name) {
    bool plane = s->kind == RM2_PANEL_PLANE;
    if (!isfinite(axis->min) || !isfinite(axis->max) || axis->min > axis->max)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "the %c axis cannot go from %g to %g", name,
                                axis->min, axis->max);
    if ((axis->log || axis->hidden) && !plane)
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "the %c axis cannot be logarithmic or hidden: only axes in a plane can", name);
    if (axis->log && axis->max > axis->min && axis->min <= 0)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "the logarithmic %c axis cannot begin at %g: it must be positive",
                                name, axis->min);
    return RM2_OK;
}

static rm2_status check_panel(rm2_context *ctx, const rm2_panel_settings *s) {
    if (s->kind < RM2_PANEL_PLANE || s->kind > RM2_PANEL_MATRICES)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "unknown kind of panel %d", (int)s->kind);
    if ((unsigned)s->legend > RM2_LEGEND_NONE)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "settings.legend is %d, not an rm2_legend",
                                (int)s->legend);
    if (!isfinite(s->azimuth) || !(fabs(s->elevation) <= 90))
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "cannot look from azimuth %g, elevation %g: the latter is -90 to 90 degrees",
            s->azimuth, s->elevation);
    if (s->equal && (s->x.log || s->y.log))
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "axes of equal scale cannot be logarithmic: set one or the other");
    if (s->names && (s->kind != RM2_PANEL_MATRICES || s->name_count == 0))
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "settings.names are %zu names of rows and columns: they need a "
                                "panel of kind MATRICES and a number",
                                s->name_count);
    RM2_TRY(check_axis(ctx, s, &s->x, 'x'));
    RM2_TRY(check_axis(ctx, s, &s->y, 'y'));
    return check_axis(ctx, s, &s->z, 'z');
}

/* The texts of the settings become the panel's own copies. */
static rm2_status own_texts(rm2_context *ctx, rm2_panel *panel) {
    rm2_panel_settings *s = &panel->settings;
    const char **texts[RM2I_PANEL_TEXTS] = {&s->title, &s->x.label, &s->y.label, &s->z.label};
    for (size_t i = 0; i < RM2I_PANEL_TEXTS; i++) {
        RM2_TRY(rm2i_copy_label(ctx, *texts[i], &panel->texts[i]));
        *texts[i] = panel->texts[i];
    }
    if (!s->names)
        return RM2_OK;
    const char *const *given = s->names;
    s->names = NULL;
    RM2_TRY(rm2i_plot_alloc(ctx, s->name_count, sizeof *panel->names, &panel->names));
    for (size_t i = 0; i < s->name_count; i++)
        RM2_TRY(rm2i_copy_label(ctx, given[i] ? given[i] : "", &panel->names[i]));
    s->names = (const char *const *)panel->names;
    return RM2_OK;
}

rm2_status rm2_figure_panel(rm2_context *ctx, rm2_figure *figure, size_t row, size_t column,
                            const rm2_panel_settings *settings, rm2_panel **panel) {
    RM2_REQUIRE(ctx, panel);
    *panel = NULL;
    RM2_REQUIRE(ctx, figure);
    if (row >= figure->rows || column >= figure->columns)
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "no cell (%zu, %zu) in a figure of %zu x %zu panels, counted from 0", row, column,
            figure->rows, figure->columns);
    rm2_panel **cell = figure->panels + row * figure->columns + column;
    if (*cell)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "cell (%zu, %zu) of the figure has a panel already", row, column);
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    RM2_TRY(rm2_settings_overlay(ctx, settings, &s));
    RM2_TRY(check_panel(ctx, &s));
    rm2_panel *made;
    RM2_TRY(rm2i_plot_alloc(ctx, 1, sizeof *made, &made));
    made->settings = s;
    made->row = row;
    made->column = column;
    rm2_status status = own_texts(ctx, made);
    if (status == RM2_OK)
        *cell = *panel = made;
    else
        free_panel(made);
    return status;
}

/* ---- what the other files ask of a panel ------------------------------------------------------ */

rm2_status rm2i_expect_panel(rm2_context *ctx, const rm2_panel *panel, unsigned kinds,
                             const char *call) {
    static const char *const names[] = {"PLANE", "SPACE", "SPHERE", "CONE", "MATRICES"};
    RM2_REQUIRE(ctx, panel);
    if (!(kinds >> panel->settings.kind & 1u))
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "%s does not draw in a panel of kind %s",
                                call, names[panel->settings.kind]);
    return RM2_OK;
}

/* Bytes of the printable UTF-8 characters that the text starts with, `size` at most. */
static size_t printable(const char *text, size_t size) {
    size_t used = 0;
    for (;;) {
        size_t length = rm2_utf8_printable(text + used, size - used);
        if (length == 0)
            return used;
        used += length;
    }
}

rm2_status rm2i_copy_label(rm2_context *ctx, const char *text, char **copy) {
    enum { SHOWN = 40 }; /* bytes in a message */
    *copy = NULL;
    if (!text)
        return RM2_OK;
    size_t size = strlen(text), good = printable(text, size);
    int shown = (int)printable(text, good < SHOWN ? good : SHOWN);
    if (good < size)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "the text '%.*s...' is not UTF-8 on one line: byte %zu is wrong",
                                shown, text, good + 1);
    if (size > RM2I_TEXT_MAX)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "the text '%.*s...' has %zu bytes, more than %d", shown, text, size,
                                RM2I_TEXT_MAX);
    RM2_TRY(rm2i_plot_alloc(ctx, size + 1, 1, copy));
    memcpy(*copy, text, size);
    return RM2_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* `out` is the address of a pointer of any object type; memcpy moves the pointer's value, so that no aliasing rule is
 * bent. */
static rm2_status no_memory(rm2_context *ctx, size_t count, size_t size) {
    return rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory: cannot allocate %zu x %zu bytes",
                            count, size);
}

rm2_status rm2i_plot_alloc(rm2_context *ctx, size_t count, size_t size, void *out) {
    void *block = calloc(count ? count : 1, size);
    memcpy(out, &block, sizeof block);
    /* cppcheck-suppress memleak ; `out` has it */
    return block ? RM2_OK : no_memory(ctx, count, size);
}

rm2_status rm2i_plot_grow(rm2_context *ctx, size_t count, size_t size, void *inout) {
    void *old;
    memcpy(&old, inout, sizeof old);
    void *block = count <= PTRDIFF_MAX / size ? realloc(old, count * size) : NULL;
    if (!block)
        return no_memory(ctx, count, size);
    memcpy(inout, &block, sizeof block);
    return RM2_OK;
}
