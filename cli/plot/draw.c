/* The figures of riemann2 plot. A file of paths has one colour and one name, however many it has. */
#include <stdlib.h>

#include "core/columns.h"
#include "plot/plot.h"

static rm2_status open_figure(plot_job *j, size_t columns, double height) {
    rm2_figure_settings page = rm2_figure_settings_default();
    const plot_options *o = j->options;
    page.columns = columns;
    page.width = o->width > 0 ? o->width : columns > 1 ? 175 : 120;
    page.height = o->height > 0 ? o->height : height;
    page.title = o->title;
    return rm2_figure_create(j->m->work.ctx, &page, &j->figure);
}

/* The paths of a file in the latent space. */
static rm2_status add_file(const plot_job *j, const drawn_file *f, const rm2_style *style,
                           rm2_panel *panel) {
    const latent_paths *p = &f->paths;
    for (size_t r = 0; r < p->runs; r++)
        WORK_TRY(rm2_plot_curve(j->m->work.ctx, panel, p->starts[r + 1] - p->starts[r],
                                p->x + p->starts[r] * j->m->info->latent_dim, style));
    return RM2_OK;
}

static rm2_status add_files(const plot_job *j, rm2_panel *panel) {
    for (size_t k = 0; k < j->options->paths.count; k++) {
        rm2_style style = {
            .label = j->files[k].name, .colour = rm2_palette(k + 1), .width = 1.5, .halo = true};
        WORK_TRY(add_file(j, &j->files[k], &style, panel));
    }
    return RM2_OK;
}

rm2_status plot_latent(plot_job *j, const rm2_space *space) {
    bool uncertainty = j->options->kind == KIND_UNCERTAINTY;
    rm2_context *ctx = j->m->work.ctx;
    rm2_panel *panel;
    double width = j->options->width > 0 ? j->options->width : 120;
    WORK_TRY(open_figure(j, 1, figure_latent_height(rm2_space_roadmap(space), width)));
    WORK_TRY(figure_latent_panel(ctx, j->figure, 0, 0, NULL, &panel));
    WORK_TRY(figure_heat(ctx, panel, j->m->model, rm2_space_metric(space), rm2_space_roadmap(space),
                         uncertainty));
    WORK_TRY(figure_latents(ctx, panel, j->m->info));
    return add_files(j, panel);
}

static rm2_status add_training(const plot_job *j, size_t factor, rm2_panel *panel) {
    const rm2_model_info *i = j->m->info;
    double *points = malloc(i->points * rm2_manifold_ambient(i->manifold) * sizeof *points);
    if (!points)
        return RM2_ERR_MEMORY;
    rm2_data_original(i->data, points);
    rm2_status status = figure_demonstrations(j->m->work.ctx, panel, i->manifold, factor,
                                              i->data->trajectories, i->data->starts, points);
    free(points);
    return status;
}

/* The decoded paths of a file. */
static rm2_status add_decoded(const plot_job *j, const drawn_file *f, size_t factor,
                              const rm2_style *style, rm2_panel *panel) {
    const rm2_manifold *m = j->m->info->manifold;
    const size_t *starts = f->paths.starts;
    for (size_t r = 0; r < f->paths.runs; r++)
        WORK_TRY(rm2_plot_factor(j->m->work.ctx, panel, m, factor, starts[r + 1] - starts[r],
                                 f->points + starts[r] * rm2_manifold_ambient(m), style));
    return RM2_OK;
}

static rm2_status factor_panel(const plot_job *j, size_t factor) {
    rm2_context *ctx = j->m->work.ctx;
    const rm2_manifold *m = j->m->info->manifold;
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_panel *panel;
    WORK_TRY(rm2_panel_settings_factor(ctx, m, factor, &s));
    s.legend = RM2_LEGEND_BELOW;
    if (rm2_manifold_factor(m, factor)->geometry == &rm2_euclidean)
        figure_label_axes(&s, false);
    WORK_TRY(rm2_figure_panel(ctx, j->figure, 0, factor, &s, &panel));
    WORK_TRY(add_training(j, factor, panel));
    for (size_t k = 0; k < j->options->paths.count; k++) {
        rm2_style style = {.label = j->files[k].name, .colour = rm2_palette(k), .width = 1.3};
        WORK_TRY(add_decoded(j, &j->files[k], factor, &style, panel));
    }
    return RM2_OK;
}

rm2_status plot_decoded(plot_job *j, const rm2_space *space) {
    size_t factors = rm2_manifold_factor_count(j->m->info->manifold);
    (void)space;
    WORK_TRY(open_figure(j, factors, 90));
    for (size_t k = 0; k < factors; k++)
        WORK_TRY(factor_panel(j, k));
    return RM2_OK;
}

/* Is the time of all paths known? */
static bool has_times(const plot_job *j) {
    for (size_t k = 0; k < j->options->paths.count; k++)
        if (!j->files[k].paths.time)
            return false;
    return true;
}

/* An entry of the points of path r, over time or over t = 0..1. */
static rm2_status entry_curve(const plot_job *j, const drawn_file *f, size_t r, size_t entry,
                              const rm2_style *style, rm2_panel *panel) {
    size_t ambient = rm2_manifold_ambient(j->m->info->manifold);
    size_t from = f->paths.starts[r], n = f->paths.starts[r + 1] - from;
    const double *time = has_times(j) ? f->paths.time + from : NULL;
    double *line = malloc(2 * n * sizeof *line);
    if (!line)
        return RM2_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        line[2 * i] = time ? time[i] : n > 1 ? (double)i / (double)(n - 1) : 0;
        line[2 * i + 1] = f->points[(from + i) * ambient + entry];
    }
    rm2_status status = rm2_plot_curve(j->m->work.ctx, panel, n, line, style);
    free(line);
    return status;
}

/* An entry of all points; a colour for each. */
static rm2_status entry_curves(const plot_job *j, size_t entry, rm2_colour colour,
                               rm2_panel *panel) {
    char name[COLUMN_NAME];
    rm2_data_column_name(j->m->info->manifold, entry, name, sizeof name);
    rm2_style style = {.label = name, .colour = colour, .width = 1.2};
    for (size_t k = 0; k < j->options->paths.count; k++)
        for (size_t r = 0; r < j->files[k].paths.runs; r++)
            WORK_TRY(entry_curve(j, &j->files[k], r, entry, &style, panel));
    return RM2_OK;
}

/* A panel for each factor. */
rm2_status plot_time(plot_job *j, const rm2_space *space) {
    enum { MOST_ENTRIES = 8 };
    const rm2_manifold *m = j->m->info->manifold;
    size_t factors = rm2_manifold_factor_count(m);
    (void)space;
    WORK_TRY(open_figure(j, factors, 90));
    for (size_t k = 0; k < factors; k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
        rm2_panel *panel;
        char title[32];
        (void)snprintf(title, sizeof title, "%s%zu", f->geometry->name, f->n);
        s.title = title;
        s.x.label = has_times(j) ? "time" : "t";
        s.legend = RM2_LEGEND_BELOW;
        WORK_TRY(rm2_figure_panel(j->m->work.ctx, j->figure, 0, k, &s, &panel));
        for (size_t e = 0; e < f->ambient && e < MOST_ENTRIES; e++)
            WORK_TRY(entry_curves(j, f->ambient_offset + e, rm2_palette(e), panel));
    }
    return RM2_OK;
}

rm2_status plot_training(plot_job *j, const rm2_space *space) {
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_panel *panel;
    (void)space;
    s.x.label = "iteration";
    s.y.label = "objective";
    WORK_TRY(open_figure(j, 1, 80));
    WORK_TRY(rm2_figure_panel(j->m->work.ctx, j->figure, 0, 0, &s, &panel));
    return figure_trace(j->m->work.ctx, panel, j->m->info, 0, 1, NULL);
}
