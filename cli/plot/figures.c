/* Parts of figures. */
#include "plot/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 12 }; /* more cannot be told apart: names of points, not of groups */

static const double LOG_10 = 2.30258509299404568402;

double figure_legend_height(size_t entries, double width) {
    static const double ENTRY = 34, LINE = 4.5; /* of the usual font */
    return 3 + LINE * ceil((double)entries * ENTRY / width);
}

double figure_latent_height(const rm2_roadmap_info *grid, double width) {
    rm2_roadmap_info g = *grid;
    const double *last = g.x + 2 * (g.nodes - 1);
    double height = 14 + (width - 30) * (last[1] - g.x[1]) / (last[0] - g.x[0]);
    return height < 1.3 * width ? height : 1.3 * width;
}

rm2_status figure_latent_panel(rm2_context *ctx, rm2_figure *figure, size_t row, size_t column,
                               const char *title, rm2_panel **panel) {
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    s.title = title;
    s.x.label = "z1";
    s.y.label = "z2";
    s.equal = true;
    s.legend = RM2_LEGEND_BELOW;
    return rm2_figure_panel(ctx, figure, row, column, &s, panel);
}

/* Values on the grid, rows of y: the roadmap has the last coordinate fastest. */
static rm2_status grid_values(rm2_context *ctx, const rm2_model *model, const rm2_metric *metric,
                              const rm2_roadmap_info *g, bool uncertainty, double *values) {
    size_t nx = g->counts[0], ny = g->counts[1];
    double *field = malloc(g->nodes * sizeof *field);
    if (!field)
        return RM2_ERR_MEMORY;
    rm2_status status = uncertainty
                            ? rm2_model_decode(ctx, model, g->nodes, g->x, NULL, NULL, NULL, field)
                            : rm2_metric_magnification(ctx, metric, g->nodes, g->x, field);
    for (size_t i = 0; i < nx && status == RM2_OK; i++)
        for (size_t j = 0; j < ny; j++)
            values[j * nx + i] = uncertainty ? field[i * ny + j] : field[i * ny + j] / LOG_10;
    free(field);
    return status;
}

rm2_heat_map figure_grid(const rm2_roadmap_info *g, const double *values) {
    const double *last = g->x + 2 * (g->nodes - 1);
    return (rm2_heat_map){.columns = g->counts[0],
                          .rows = g->counts[1],
                          .values = values,
                          .x_min = g->x[0],
                          .y_min = g->x[1],
                          .x_max = last[0],
                          .y_max = last[1]};
}

rm2_status figure_heat(rm2_context *ctx, rm2_panel *panel, const rm2_model *model,
                       const rm2_metric *metric, const rm2_roadmap_info *grid, bool uncertainty) {
    rm2_roadmap_info g = *grid;
    double *values = malloc(g.nodes * sizeof *values);
    if (!values)
        return RM2_ERR_MEMORY;
    rm2_heat_map heat = figure_grid(&g, values);
    heat.label = uncertainty ? "standard deviation [model\u00a0units]" : "log₁₀ magnification";
    rm2_status status = grid_values(ctx, model, metric, &g, uncertainty, values);
    if (status == RM2_OK)
        status = rm2_plot_heat(ctx, panel, &heat);
    free(values);
    return status;
}

size_t figure_groups(const rm2_model_info *i) {
    return i->data->labels && i->data->label_count <= MOST_GROUPS ? i->data->label_count : 1;
}

void figure_text(const char *text, char drawn[DRAWN_SIZE]) {
    static const char replacement[] = "\xef\xbf\xbd", more[] = "...";
    size_t used = 0;
    while (*text) {
        size_t length = rm2_utf8_length(text, strnlen(text, 4));
        const char *shown = rm2_utf8_printable(text, length) == 0 ? replacement : text;
        size_t size = shown == text ? length : sizeof replacement - 1;
        if (used + size + sizeof more > DRAWN_SIZE) {
            memcpy(drawn + used, more, sizeof more);
            return;
        }
        memcpy(drawn + used, shown, size);
        used += size;
        text += length ? length : 1;
    }
    drawn[used] = 0;
}

static const char *background_name(const rm2_data *d) {
    return d->trajectories ? "demonstrations" : "training data";
}

static rm2_status grouped_latents(rm2_context *ctx, rm2_panel *panel, const rm2_model_info *i) {
    static const rm2_style style = {.size = 2.6, .halo = true};
    char texts[MOST_GROUPS][DRAWN_SIZE];
    const char *names[MOST_GROUPS];
    for (size_t k = 0; k < i->data->label_count; k++) {
        figure_text(i->data->label_names[k], texts[k]);
        names[k] = texts[k];
    }
    const rm2_groups groups = {i->points, i->latents, i->data->labels, i->data->label_count, names};
    return rm2_plot_groups(ctx, panel, &groups, &style);
}

/* A thin line per trajectory, with dots where nothing else shows the points. */
static rm2_status latent_trajectories(rm2_context *ctx, rm2_panel *panel, const rm2_model_info *i,
                                      bool dots) {
    rm2_style line = {.colour = RM2_COLOUR_DEMONSTRATIONS, .width = 0.5, .halo = true};
    if (dots) {
        line.label = background_name(i->data);
        line.marker = RM2_MARKER_CIRCLE;
        line.size = i->points > 300 ? 1.3 : 1.9;
    }
    for (size_t t = 0; t < i->data->trajectories; t++) {
        const size_t *starts = i->data->starts + t;
        WORK_TRY(rm2_plot_curve(ctx, panel, starts[1] - starts[0],
                                i->latents + starts[0] * i->latent_dim, &line));
    }
    return RM2_OK;
}

rm2_status figure_latents(rm2_context *ctx, rm2_panel *panel, const rm2_model_info *i) {
    bool grouped = figure_groups(i) > 1;
    WORK_TRY(latent_trajectories(ctx, panel, i, !grouped));
    if (grouped)
        return grouped_latents(ctx, panel, i);
    if (i->data->trajectories)
        return RM2_OK;
    const rm2_style plain = {.label = background_name(i->data),
                             .colour = RM2_COLOUR_DEMONSTRATIONS,
                             .size = i->points > 300 ? 1.6 : 2.2,
                             .halo = true};
    return rm2_plot_points(ctx, panel, i->points, i->latents, &plain);
}

/* ---- paths ---------------------------------------------------------------------------------- */

rm2_style figure_geodesic_style(const char *label, bool on_heat) {
    return (rm2_style){
        .label = label, .colour = RM2_COLOUR_GEODESIC, .width = 1.6, .halo = on_heat};
}

rm2_style figure_straight_style(const char *label, bool on_heat) {
    return (rm2_style){.label = label,
                       .colour = RM2_COLOUR_STRAIGHT,
                       .width = 1.3,
                       .dash = RM2_DASHED,
                       .halo = on_heat};
}

/* Dashes tell them apart where colours do not. */
rm2_style figure_other_style(size_t index, const char *label, bool on_heat) {
    static const rm2_dash dashes[] = {RM2_SOLID, RM2_DASH_DOT, RM2_DOTTED};
    return (rm2_style){.label = label,
                       .colour = rm2_palette(index),
                       .width = 1.4,
                       .dash = dashes[index % 3],
                       .halo = on_heat};
}

static const rm2_style end_styles[] = {{.label = "start",
                                        .colour = RM2_COLOUR_STRAIGHT,
                                        .marker = RM2_MARKER_CIRCLE,
                                        .size = 4.5,
                                        .halo = true},
                                       {.label = "end",
                                        .colour = RM2_COLOUR_STRAIGHT,
                                        .marker = RM2_MARKER_SQUARE,
                                        .size = 4.5,
                                        .halo = true}};

rm2_status figure_ends(rm2_context *ctx, rm2_panel *panel, size_t n, size_t width,
                       const double *x) {
    WORK_TRY(rm2_plot_points(ctx, panel, 1, x, &end_styles[0]));
    return rm2_plot_points(ctx, panel, 1, x + width * (n - 1), &end_styles[1]);
}

/* Is this factor one whose demonstrations would hide everything? */
static bool crowded(const rm2_factor *f) {
    return f->geometry == &rm2_rotation || (f->geometry == &rm2_sphere && f->n == 3) ||
           (rm2_is_spd(f->geometry) && f->n > 2);
}

rm2_status figure_factor_ends(rm2_context *ctx, rm2_panel *panel, const rm2_manifold *manifold,
                              size_t factor, size_t n, const double *points) {
    const double *last = points + (n - 1) * rm2_manifold_ambient(manifold);
    if (crowded(rm2_manifold_factor(manifold, factor)))
        return RM2_OK;
    WORK_TRY(rm2_plot_factor_points(ctx, panel, manifold, factor, 1, points, &end_styles[0]));
    return rm2_plot_factor_points(ctx, panel, manifold, factor, 1, last, &end_styles[1]);
}

/* ---- decoded points ------------------------------------------------------------------------- */

void figure_label_axes(rm2_panel_settings *s, const char *unit, axis_texts *texts) {
    rm2_axis *const axes[] = {&s->x, &s->y, &s->z};
    for (size_t k = 0; k < 3; k++) {
        if (unit)
            (void)snprintf(texts->text[k], AXIS_TEXT, "%c [%.30s]", (char)('x' + k), unit);
        else
            (void)snprintf(texts->text[k], AXIS_TEXT, "%c", (char)('x' + k));
        axes[k]->label = texts->text[k];
    }
}

rm2_status figure_background(rm2_context *ctx, rm2_panel *panel, const rm2_data *d, size_t factor,
                             const double *points) {
    rm2_style style = {.label = background_name(d),
                       .colour = RM2_COLOUR_DEMONSTRATIONS,
                       .width = 0.6,
                       .size = 2,
                       .opacity = 0.8};
    size_t ambient = rm2_manifold_ambient(d->manifold);
    if (crowded(rm2_manifold_factor(d->manifold, factor)))
        return RM2_OK;
    if (d->trajectories == 0)
        return rm2_plot_factor_points(ctx, panel, d->manifold, factor, d->count, points, &style);
    for (size_t t = 0; t < d->trajectories; t++)
        WORK_TRY(rm2_plot_factor(ctx, panel, d->manifold, factor, d->starts[t + 1] - d->starts[t],
                                 points + d->starts[t] * ambient, &style));
    return RM2_OK;
}

rm2_status figure_trace(rm2_context *ctx, rm2_panel *panel, const rm2_model_info *i, double zero,
                        double unit, const char *label) {
    size_t n = i->training.iterations + 1;
    double *points = malloc(2 * n * sizeof *points);
    if (!points)
        return RM2_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) {
        points[2 * k] = (double)k;
        points[2 * k + 1] = (i->training.trace[k] - zero) / unit;
    }
    rm2_style style = {.label = label, .width = 1.2};
    rm2_status status = rm2_plot_curve(ctx, panel, n, points, &style);
    free(points);
    return status;
}
