/* Items of a panel: checked and copied when they are added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/draw.h"

static const unsigned POINT_PANELS =
    1u << RM2_PANEL_PLANE | 1u << RM2_PANEL_SPACE | 1u << RM2_PANEL_SPHERE | 1u << RM2_PANEL_CONE;

void rm2i_item_free(rm2i_item *item) {
    if (!item)
        return;
    free(item->label);
    free(item->points);
    free(item);
}

static rm2_status check_item(rm2_context *ctx, size_t count, const rm2_style *style) {
    if (count < 1 || count > RM2I_PLOT_MAX)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                "cannot plot %zu points: 1 to %d are possible", count,
                                RM2I_PLOT_MAX);
    if (!(style->width >= 0 && style->size >= 0 && style->width <= 1000 && style->size <= 1e6))
        return rm2_context_fail(
            ctx, RM2_ERR_ARGUMENT,
            "a style of width %g and size %g cannot be drawn: 0 is the default, others "
            "are positive points",
            style->width, style->size);
    if (!(style->opacity >= 0 && style->opacity <= 1))
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "opacity %g is not between 0 and 1",
                                style->opacity);
    if (style->dash < RM2_SOLID || style->dash > RM2_DASH_DOT || style->marker < RM2_MARKER_NONE ||
        style->marker > RM2_MARKER_STAR)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "unknown dash %d or marker %d",
                                (int)style->dash, (int)style->marker);
    return RM2_OK;
}

static rm2_colour default_colour(rm2_panel *panel, const rm2i_item_kind *kind) {
    if (kind == &rm2i_region || kind == &rm2i_half_space || kind == &rm2i_hatched)
        return RM2_COLOUR_OBSTACLE;
    return kind == &rm2i_arm ? RM2_COLOUR_ARM : rm2_palette(panel->colours_used++);
}

/* The style with every default filled in; the next colour of the palette if it names none. */
static rm2_style complete(rm2_panel *panel, const rm2i_item_kind *kind, rm2_style style) {
    style.label = NULL;
    style.width = style.width > 0 ? style.width : kind->width;
    style.size = style.size > 0 ? style.size : kind->size;
    style.opacity = style.opacity > 0 ? style.opacity : kind->opacity;
    if (kind == &rm2i_points && style.marker == RM2_MARKER_NONE)
        style.marker = RM2_MARKER_CIRCLE;
    if (style.colour == 0 && kind != &rm2i_frames)
        style.colour = default_colour(panel, kind);
    return style;
}

static rm2_status append(rm2_context *ctx, rm2_panel *panel, rm2i_item *item) {
    if (panel->item_count == panel->item_capacity) {
        size_t capacity = 2 * panel->item_capacity + 8;
        RM2_TRY(rm2i_plot_grow(ctx, capacity, sizeof(rm2i_item *), &panel->items));
        panel->item_capacity = capacity;
    }
    panel->items[panel->item_count++] = item;
    return RM2_OK;
}

rm2_status rm2i_item_add(rm2_context *ctx, rm2_panel *panel, const rm2i_item_kind *kind,
                         size_t count, size_t extra, const rm2_style *style, rm2i_item **item) {
    static const rm2_style plain = {0};
    *item = NULL;
    if (!style)
        style = &plain;
    RM2_TRY(check_item(ctx, count, style));
    size_t numbers = count * rm2i_panel_dims(panel);
    rm2i_item *made;
    RM2_TRY(rm2i_plot_alloc(ctx, 1, sizeof *made, &made));
    rm2_status status = rm2i_copy_label(ctx, style->label, &made->label);
    if (status == RM2_OK)
        status = rm2i_plot_alloc(ctx, numbers + extra, sizeof(double), &made->points);
    if (status == RM2_OK)
        status = append(ctx, panel, made);
    if (status != RM2_OK) {
        rm2i_item_free(made);
        return status;
    }
    made->kind = kind;
    made->count = count;
    made->extra = made->points + numbers;
    made->style = complete(panel, kind, *style);
    *item = made;
    return RM2_OK;
}

/* ---- points ----------------------------------------------------------------------------------- */

/* (u, v, w) of a 2 x 2 matrix, as body.c has it. */
static void cone_coordinates(const double *m, double *uvw) {
    uvw[0] = (m[0] - m[3]) / 2;
    uvw[1] = (m[1] + m[2]) / 2;
    uvw[2] = (m[0] + m[3]) / 2;
}

static size_t numbers_given(const rm2_panel *panel) {
    return panel->settings.kind == RM2_PANEL_CONE ? 4 : rm2i_panel_dims(panel);
}

/* One point as the caller gives it to one as it is stored. */
static void store_point(const rm2_panel *panel, const double *given, double *stored) {
    if (panel->settings.kind == RM2_PANEL_CONE)
        cone_coordinates(given, stored);
    else
        memcpy(stored, given, rm2i_panel_dims(panel) * sizeof *stored);
}

static rm2_status add_points(rm2_context *ctx, rm2_panel *panel, const rm2i_item_kind *kind,
                             size_t n, const double *points, const rm2_style *style,
                             const char *call) {
    bool counted = kind == &rm2i_points;
    RM2_TRY(rm2i_expect_panel(ctx, panel, POINT_PANELS, call));
    RM2_REQUIRE(ctx, points);
    rm2i_item *item;
    RM2_TRY(rm2i_item_add(ctx, panel, kind, n, counted ? n : 0, style, &item));
    for (size_t i = 0; i < n; i++)
        store_point(panel, points + i * numbers_given(panel),
                    item->points + i * rm2i_panel_dims(panel));
    return counted ? rm2i_count_coincident(ctx, rm2i_panel_dims(panel), item) : RM2_OK;
}

rm2_status rm2_plot_curve(rm2_context *ctx, rm2_panel *panel, size_t n, const double *points,
                          const rm2_style *style) {
    return add_points(ctx, panel, &rm2i_curve, n, points, style, "rm2_plot_curve");
}

rm2_status rm2_plot_points(rm2_context *ctx, rm2_panel *panel, size_t n, const double *points,
                           const rm2_style *style) {
    return add_points(ctx, panel, &rm2i_points, n, points, style, "rm2_plot_points");
}

/* ---- groups ----------------------------------------------------------------------------------- */

/* Colours repeat, with the next marker. */
static rm2_style group_style(const rm2_style *style, size_t g, const char *name) {
    static const rm2_marker markers[] = {RM2_MARKER_CIRCLE, RM2_MARKER_TRIANGLE, RM2_MARKER_SQUARE,
                                         RM2_MARKER_DIAMOND, RM2_MARKER_CROSS};
    rm2_style own = style ? *style : (rm2_style){0};
    own.label = name;
    own.colour = rm2_palette(g);
    if (own.marker == RM2_MARKER_NONE || g >= RM2_PALETTE_SIZE)
        own.marker = markers[g / RM2_PALETTE_SIZE % (sizeof markers / sizeof *markers)];
    return own;
}

static rm2_status add_group(rm2_context *ctx, rm2_panel *panel, const rm2_groups *groups, size_t g,
                            const rm2_style *style) {
    size_t count = 0, dims = rm2i_panel_dims(panel);
    const double *points = groups->points;
    for (size_t i = 0; i < groups->n; i++)
        count += groups->group[i] == g;
    if (count == 0)
        return RM2_OK;
    rm2i_item *item;
    RM2_TRY(rm2i_item_add(ctx, panel, &rm2i_points, count, count, style, &item));
    for (size_t i = 0, to = 0; i < groups->n; i++)
        if (groups->group[i] == g)
            store_point(panel, points + i * numbers_given(panel), item->points + to++ * dims);
    return rm2i_count_coincident(ctx, dims, item);
}

rm2_status rm2_plot_groups(rm2_context *ctx, rm2_panel *panel, const rm2_groups *groups,
                           const rm2_style *style) {
    RM2_TRY(rm2i_expect_panel(ctx, panel, POINT_PANELS, "rm2_plot_groups"));
    RM2_REQUIRE(ctx, groups);
    RM2_REQUIRE(ctx, groups->points);
    RM2_REQUIRE(ctx, groups->group);
    if (groups->n == 0)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "rm2_plot_groups: n is 0");
    for (size_t i = 0; i < groups->n; i++)
        if (groups->group[i] >= groups->count)
            return rm2_context_fail(ctx, RM2_ERR_ARGUMENT,
                                    "rm2_plot_groups: point %zu is of group %zu, but there are %zu",
                                    i, groups->group[i], groups->count);
    for (size_t g = 0; g < groups->count; g++) {
        rm2_style own = group_style(style, g, groups->names ? groups->names[g] : NULL);
        RM2_TRY(add_group(ctx, panel, groups, g, &own));
    }
    return RM2_OK;
}

/* ---- bands ------------------------------------------------------------------------------------ */

rm2_status rm2_plot_band(rm2_context *ctx, rm2_panel *panel, size_t n, const double *x,
                         const double *low, const double *high, const rm2_style *style) {
    RM2_TRY(rm2i_expect_panel(ctx, panel, 1u << RM2_PANEL_PLANE, "rm2_plot_band"));
    RM2_REQUIRE(ctx, x);
    RM2_REQUIRE(ctx, low);
    RM2_REQUIRE(ctx, high);
    if (n < 1 || n > RM2I_PLOT_MAX / 2)
        return rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "rm2_plot_band: cannot plot %zu points", n);
    rm2i_item *item;
    RM2_TRY(rm2i_item_add(ctx, panel, &rm2i_band, 2 * n, 0, style, &item));
    for (size_t i = 0; i < n; i++) {
        item->points[2 * i] = item->points[2 * (n + i)] = x[i];
        item->points[2 * i + 1] = low[i];
        item->points[2 * (n + i) + 1] = high[i];
    }
    return RM2_OK;
}
