/* Heat maps: values on a regular grid, interpolated bilinearly between the nodes and coloured after
 * that, in the resolution of the page. A pixel with a node without value among its four takes the
 * nearest node. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/draw.h"

enum { GRID_MAX = 8192, PIXELS_MAX = 4096, COLOURS = 256 };

void rm2i_heat_free(rm2i_heat *heat) {
    if (!heat)
        return;
    free(heat->part);
    free(heat->label);
    free(heat);
}

/* ---- adding ----------------------------------------------------------------------------------- */

rm2_status rm2i_check_grid(rm2_context *ctx, const rm2_panel *panel, const rm2_heat_map *grid,
                           const char *call) {
    RM2_TRY(rm2i_expect_panel(ctx, panel, 1u << RM2_PANEL_PLANE, call));
    if (panel->settings.x.log || panel->settings.y.log)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "%s: a heat map cannot have a logarithmic axis", call);
    if (grid->columns < 2 || grid->rows < 2 || grid->columns > GRID_MAX || grid->rows > GRID_MAX)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "%s: cannot draw a grid of %zu x %zu nodes: sides are 2 to %d",
                                call, grid->rows, grid->columns, GRID_MAX);
    if (!(isfinite(grid->x_max - grid->x_min) && grid->x_max > grid->x_min &&
          isfinite(grid->y_max - grid->y_min) && grid->y_max > grid->y_min))
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "%s: a grid cannot go from (%g, %g) to (%g, %g)", call, grid->x_min,
                                grid->y_min, grid->x_max, grid->y_max);
    return RM2_OK;
}

static rm2_status check_heat(rm2_context *ctx, const rm2_panel *panel, const rm2_heat_map *heat) {
    RM2_REQUIRE(ctx, heat);
    RM2_REQUIRE(ctx, heat->values);
    RM2_TRY(rm2i_check_grid(ctx, panel, heat, "rm2_plot_heat"));
    if (panel->heat)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "rm2_plot_heat: panel (%zu, %zu) has a heat map already",
                                panel->row, panel->column);
    if (!isfinite(heat->min) || !isfinite(heat->max) || heat->min > heat->max ||
        (heat->log && heat->max > heat->min && heat->min <= 0))
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "rm2_plot_heat: colours cannot go from %g to %g%s", heat->min,
                                heat->max, heat->log ? " on a logarithmic scale" : "");
    return RM2_OK;
}

/* Values of the first and last colour: as asked for, or of the data. */
static rm2_status colour_range(rm2_context *ctx, const rm2_heat_map *heat,
                               rm2i_axis_range *colours) {
    double lo = INFINITY, hi = -INFINITY;
    for (size_t i = 0; i < heat->rows * heat->columns; i++) {
        double value = heat->values[i];
        if (!isfinite(value) || (heat->log && value <= 0))
            continue;
        lo = fmin(lo, value);
        hi = fmax(hi, value);
    }
    if (lo > hi)
        return rm2_context_fail(
            ctx, RM2_ERR_DATA,
            "rm2_plot_heat: none of the %zu x %zu values is a %s number: there is "
            "nothing to show",
            heat->rows, heat->columns, heat->log ? "positive" : "finite");
    *colours = (rm2i_axis_range){lo, hi, heat->log};
    if (heat->max > heat->min) {
        colours->lo = heat->min;
        colours->hi = heat->max;
    }
    if (colours->hi - colours->lo <= 1e-12 * fmax(fabs(lo), fabs(hi))) { /* one value everywhere */
        double room = lo == 0 ? 1 : 0.1 * fabs(lo);
        colours->lo -= room;
        colours->hi += room;
    }
    return RM2_OK;
}

static void store_values(const rm2_heat_map *heat, rm2i_heat *made) {
    for (size_t i = 0; i < heat->rows * heat->columns; i++) {
        double value = heat->values[i];
        double part = isfinite(value) ? rm2i_range_part(&made->colours, value) : NAN;
        made->below = made->below || part < -1e-9;
        made->above = made->above || part > 1 + 1e-9;
        made->part[i] = part;
    }
}

rm2_status rm2_plot_heat(rm2_context *ctx, rm2_panel *panel, const rm2_heat_map *heat) {
    rm2i_axis_range colours;
    RM2_TRY(check_heat(ctx, panel, heat));
    RM2_TRY(colour_range(ctx, heat, &colours));
    rm2i_heat *made;
    RM2_TRY(rm2i_plot_alloc(ctx, 1, sizeof *made, &made));
    rm2_status status =
        rm2i_plot_alloc(ctx, heat->rows * heat->columns, sizeof(double), &made->part);
    if (status == RM2_OK)
        status = rm2i_copy_label(ctx, heat->label, &made->label);
    if (status != RM2_OK) {
        rm2i_heat_free(made);
        return status;
    }
    made->columns = heat->columns;
    made->rows = heat->rows;
    made->x = (rm2i_axis_range){heat->x_min, heat->x_max, false};
    made->y = (rm2i_axis_range){heat->y_min, heat->y_max, false};
    made->colours = colours;
    made->contours = heat->contours;
    store_values(heat, made);
    panel->heat = made;
    return RM2_OK;
}

/* ---- rasters ---------------------------------------------------------------------------------- */

/* Pixels for a length on the page: those of the target, or 300 in an inch for SVG and PDF. */
static int pixels(cairo_t *cr, double length) {
    double across = length * 300 / 72, none = 0;
    if (cairo_surface_get_type(cairo_get_target(cr)) == CAIRO_SURFACE_TYPE_IMAGE) {
        across = length;
        cairo_user_to_device_distance(cr, &across, &none);
    }
    return across < 2 ? 2 : across > PIXELS_MAX ? PIXELS_MAX : (int)ceil(across);
}

void rm2i_raster_draw(cairo_t *cr, rm2i_rect where, rm2i_raster_fn colour, const void *data) {
    int width = pixels(cr, where.w), height = pixels(cr, where.h);
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    unsigned char *bytes = cairo_image_surface_get_data(image);
    size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (int y = 0; bytes && y < height; y++)
        for (int x = 0; x < width; x++) {
            uint32_t pixel = colour(data, (x + 0.5) / width, (y + 0.5) / height) & 0xFFFFFFu;
            memcpy(bytes + (size_t)y * stride + 4 * (size_t)x, &pixel, sizeof pixel);
        }
    cairo_surface_mark_dirty(image);
    cairo_save(cr);
    cairo_translate(cr, where.x, where.y);
    cairo_scale(cr, where.w / width, where.h / height);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(cr, 0, 0, width, height);
    cairo_fill(cr);
    cairo_restore(cr);
    cairo_surface_destroy(image);
}

typedef struct heat_source {
    const rm2i_heat *heat;
    rm2_colour colours[COLOURS];
} heat_source;

/* (1 - b) ((1 - a) v00 + a v01) + b ((1 - a) v10 + a v11); the nearest if one is missing. */
double rm2i_heat_at(const rm2i_heat *heat, double column, double row) {
    size_t c = (size_t)fmin(column, (double)heat->columns - 2);
    size_t r = (size_t)fmin(row, (double)heat->rows - 2);
    double a = column - (double)c, b = row - (double)r;
    const double *v = heat->part + r * heat->columns + c, *w = v + heat->columns;
    double value = (1 - b) * ((1 - a) * v[0] + a * v[1]) + b * ((1 - a) * w[0] + a * w[1]);
    return isnan(value) ? (b < 0.5 ? v : w)[a < 0.5 ? 0 : 1] : value;
}

static rm2_colour heat_colour(const void *data, double across, double down) {
    const heat_source *source = data;
    const rm2i_heat *heat = source->heat;
    double part = rm2i_heat_at(heat, across * (double)(heat->columns - 1),
                               (1 - down) * (double)(heat->rows - 1));
    if (isnan(part))
        return RM2I_LIGHT;
    return source->colours[part <= 0 ? 0 : part >= 1 ? COLOURS - 1 : (int)(part * COLOURS)];
}

void rm2i_heat_draw(cairo_t *cr, const rm2i_heat *heat, const rm2i_view *view) {
    heat_source source = {.heat = heat};
    double upper_left[3], lower_right[3];
    for (int i = 0; i < COLOURS; i++)
        source.colours[i] = rm2_colour_map_at(RM2_MAP_SEQUENTIAL, (i + 0.5) / COLOURS);
    if (!rm2i_view_point(view, (double[]){heat->x.lo, heat->y.hi}, upper_left) ||
        !rm2i_view_point(view, (double[]){heat->x.hi, heat->y.lo}, lower_right))
        return;
    rm2i_rect where = {upper_left[0], upper_left[1], lower_right[0] - upper_left[0],
                       lower_right[1] - upper_left[1]};
    rm2i_raster_draw(cr, where, heat_colour, &source);
}
