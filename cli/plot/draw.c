/* The figures of riemann2 plot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/columns.h"
#include "plot/plot.h"

enum { FACTOR_TITLE = 64 };

static double page_width(const plot_job *j, size_t panels) {
    return j->options->width > 0 ? j->options->width : panels > 1 ? 175 : 120;
}

/* Panels stand side by side, or below each other where the page is narrow. */
static bool is_narrow(const plot_job *j, size_t panels) {
    return page_width(j, panels) / (double)panels < 55;
}

/* `height` is that of a panel, `entries` how many the legend has. */
static rm2_status open_figure(plot_job *j, size_t panels, double height, size_t entries) {
    rm2_figure_settings page = rm2_figure_settings_default();
    const plot_options *o = j->options;
    page.columns = is_narrow(j, panels) ? 1 : panels;
    page.rows = panels / page.columns;
    page.width = page_width(j, panels);
    page.height = o->height > 0
                      ? o->height
                      : height * (double)page.rows + figure_legend_height(entries, page.width) +
                            (o->title ? 6 : 0);
    page.title = o->title;
    page.legend = true;
    return rm2_figure_create(j->m->work.ctx, &page, &j->figure);
}

static rm2_status open_panel(const plot_job *j, size_t index, size_t panels,
                             const rm2_panel_settings *s, rm2_panel **panel) {
    bool narrow = is_narrow(j, panels);
    return rm2_figure_panel(j->m->work.ctx, j->figure, narrow ? index : 0, narrow ? 0 : index, s,
                            panel);
}

/* Height of a square panel, millimetres. */
static double square(const plot_job *j, size_t panels) {
    double width = page_width(j, panels);
    return fmin(is_narrow(j, panels) ? width : width / (double)panels, 100);
}

static rm2_status add_paths(const plot_job *j, rm2_panel *panel) {
    size_t Q = j->m->info->latent_dim;
    for (size_t k = 0; k < j->path_count; k++) {
        const drawn_path *p = &j->paths[k];
        const double *x = p->file->paths.x + p->from * Q;
        rm2_style style = plot_path_style(p, true);
        WORK_TRY(rm2_plot_curve(j->m->work.ctx, panel, p->n, x, &style));
    }
    for (size_t k = 0; k < j->path_count; k++) {
        const drawn_path *p = &j->paths[k];
        WORK_TRY(figure_ends(j->m->work.ctx, panel, p->n, Q, p->file->paths.x + p->from * Q));
    }
    return RM2_OK;
}

rm2_status plot_latent(plot_job *j, const rm2_space *space) {
    bool uncertainty = j->options->kind == KIND_UNCERTAINTY;
    rm2_context *ctx = j->m->work.ctx;
    rm2_panel *panel;
    double height = figure_latent_height(rm2_space_roadmap(space), page_width(j, 1));
    size_t entries = figure_groups(j->m->info) + j->options->points.count + j->path_count;
    WORK_TRY(
        open_figure(j, 1, height, entries + (j->path_count ? 2 : 0) + (j->region_count ? 1 : 0)));
    WORK_TRY(figure_latent_panel(ctx, j->figure, 0, 0, NULL, &panel));
    WORK_TRY(figure_heat(ctx, panel, j->m->model, rm2_space_metric(space), rm2_space_roadmap(space),
                         uncertainty));
    WORK_TRY(plot_blocked(j, space, panel));
    WORK_TRY(figure_latents(ctx, panel, j->m->info));
    WORK_TRY(plot_new_latents(j, panel));
    return add_paths(j, panel);
}

static rm2_status add_training(const plot_job *j, size_t factor, rm2_panel *panel) {
    const rm2_model_info *i = j->m->info;
    double *points = malloc(i->points * rm2_manifold_ambient(i->manifold) * sizeof *points);
    if (!points)
        return RM2_ERR_MEMORY;
    rm2_data_original(i->data, points);
    rm2_status status = figure_background(j->m->work.ctx, panel, i->data, factor, points);
    free(points);
    return status;
}

static bool is_frame(const rm2_factor *f) {
    return f->geometry == &rm2_rotation || (f->geometry == &rm2_sphere && f->n == 3);
}

/* The factor whose positions frames stand at, as rm2_plot_factor has it. */
static bool has_positions(const rm2_manifold *m, size_t factor) {
    const rm2_factor *before = factor > 0 ? rm2_manifold_factor(m, factor - 1) : NULL;
    return is_frame(rm2_manifold_factor(m, factor)) && before &&
           before->geometry == &rm2_euclidean && before->n == 3;
}

static rm2_status add_frames(const plot_job *j, size_t factor, rm2_panel *panel) {
    static const rm2_style frames = {.label = "frame: x purple, y green, z blue"};
    const rm2_manifold *m = j->m->info->manifold;
    for (size_t k = 0; k < j->path_count; k++) {
        const drawn_path *p = &j->paths[k];
        WORK_TRY(rm2_plot_factor(j->m->work.ctx, panel, m, factor, p->n,
                                 p->file->points + p->from * rm2_manifold_ambient(m), &frames));
    }
    return RM2_OK;
}

static bool is_matrix(const rm2_factor *f) {
    return rm2_is_spd(f->geometry) && f->n > 2;
}

enum { MOST_MATRICES = 6 }; /* of a path, as rm2_plot_factor has it */

/* The matrices of a path, with their labels below them. */
static rm2_status add_labelled_matrices(const plot_job *j, const drawn_path *p, const rm2_factor *f,
                                        rm2_panel *panel) {
    const latent_paths *file = &p->file->paths;
    size_t ambient = rm2_manifold_ambient(j->m->info->manifold), size = f->ambient;
    char drawn[MOST_MATRICES][DRAWN_SIZE];
    const char *names[MOST_MATRICES];
    double *values = malloc(p->n * size * sizeof *values);
    if (!values)
        return RM2_ERR_MEMORY;
    for (size_t k = 0; k < p->n; k++) {
        memcpy(values + k * size, p->file->points + (p->from + k) * ambient + f->ambient_offset,
               size * sizeof *values);
        figure_text(file->label_names[file->labels[p->from + k]], drawn[k]);
        names[k] = drawn[k];
    }
    const rm2_matrices shown = {.count = p->n,
                                .n = f->n,
                                .values = values,
                                .correlation = true,
                                .limit = 1,
                                .name = p->name,
                                .names = names,
                                .label = "correlation"};
    rm2_status status = rm2_plot_matrices(j->m->work.ctx, panel, &shown);
    free(values);
    return status;
}

/* Paths, and what marks their ends; frames stand on the lines of their positions. */
static rm2_status add_decoded(const plot_job *j, size_t factor, rm2_panel *panel) {
    const rm2_manifold *m = j->m->info->manifold;
    if (is_frame(rm2_manifold_factor(m, factor)))
        WORK_TRY(add_frames(j, factor, panel));
    if (has_positions(m, factor))
        factor--;
    else if (is_frame(rm2_manifold_factor(m, factor)))
        return RM2_OK;
    for (size_t k = 0; k < j->path_count; k++) {
        const drawn_path *p = &j->paths[k];
        const double *points = p->file->points + p->from * rm2_manifold_ambient(m);
        rm2_style style = plot_path_style(p, false);
        if (is_matrix(rm2_manifold_factor(m, factor)) && p->file->paths.labels &&
            p->n <= MOST_MATRICES) {
            WORK_TRY(add_labelled_matrices(j, p, rm2_manifold_factor(m, factor), panel));
            continue;
        }
        WORK_TRY(rm2_plot_factor(j->m->work.ctx, panel, m, factor, p->n, points, &style));
    }
    for (size_t k = 0; k < j->path_count; k++) {
        const drawn_path *p = &j->paths[k];
        const double *points = p->file->points + p->from * rm2_manifold_ambient(m);
        WORK_TRY(figure_factor_ends(j->m->work.ctx, panel, m, factor, p->n, points));
    }
    return RM2_OK;
}

/* "R3", or "R3, factor 2" where there are several. */
static void factor_title(const rm2_manifold *m, size_t factor, char title[FACTOR_TITLE]) {
    const rm2_factor *f = rm2_manifold_factor(m, factor);
    size_t same = 0;
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++)
        same += rm2_manifold_factor(m, k)->geometry == f->geometry &&
                rm2_manifold_factor(m, k)->n == f->n;
    if (same > 1)
        (void)snprintf(title, FACTOR_TITLE, "%s%zu, factor %zu", f->geometry->name, f->n,
                       factor + 1);
    else
        (void)snprintf(title, FACTOR_TITLE, "%s%zu", f->geometry->name, f->n);
}

static rm2_status factor_panel(const plot_job *j, size_t factor) {
    rm2_context *ctx = j->m->work.ctx;
    const rm2_manifold *m = j->m->info->manifold;
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_panel *panel;
    axis_texts axes;
    char title[FACTOR_TITLE];
    WORK_TRY(rm2_panel_settings_factor(ctx, m, factor, &s));
    factor_title(m, factor, title);
    s.title = rm2_manifold_factor_count(m) > 1 ? title : NULL;
    s.names = names_for(&j->names, rm2_manifold_factor(m, factor));
    s.name_count = s.names ? j->names.count : 0;
    if (rm2_manifold_factor(m, factor)->geometry == &rm2_euclidean || has_positions(m, factor))
        figure_label_axes(&s, j->options->unit, &axes);
    WORK_TRY(open_panel(j, factor, rm2_manifold_factor_count(m), &s, &panel));
    WORK_TRY(plot_regions(j, rm2_manifold_factor(m, has_positions(m, factor) ? factor - 1 : factor),
                          panel));
    WORK_TRY(add_training(j, factor, panel));
    WORK_TRY(plot_new_points(j, factor, panel));
    return add_decoded(j, factor, panel);
}

/* Height of rows of matrices, one per path or file, that fill the width; millimetres. */
static double matrices_height(const plot_job *j) {
    enum { BAR = 22, LEFT = 6, NAMES = 18, BELOW = 5, MOST = 42, MOST_NAMED = 84 };
    bool named = j->names.count > 0;
    size_t columns = 1, rows = j->path_count + j->options->points.count;
    for (size_t k = 0; k < j->path_count; k++)
        columns = j->paths[k].n > columns ? j->paths[k].n : columns;
    for (size_t k = 0; k < j->options->points.count; k++)
        columns = plot_points_file(j, k)->paths.count > columns
                      ? plot_points_file(j, k)->paths.count
                      : columns;
    columns = columns < MOST_MATRICES ? columns : MOST_MATRICES;
    double names = named ? NAMES : 0;
    double side = (page_width(j, 1) - BAR - LEFT - names) / (double)columns - 1.5;
    side = fmax(8, fmin(named ? MOST_NAMED : MOST, side));
    return (double)rows * (side + BELOW) + names + 8;
}

rm2_status plot_decoded(plot_job *j, const rm2_space *space) {
    const rm2_manifold *m = j->m->info->manifold;
    size_t factors = rm2_manifold_factor_count(m);
    bool matrices = factors == 1 && is_matrix(rm2_manifold_factor(m, 0));
    (void)space;
    WORK_TRY(matrices ? open_figure(j, 1, matrices_height(j), 0)
                      : open_figure(j, factors, square(j, factors),
                                    j->path_count + 5 + (j->region_count ? 1 : 0)));
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

/* An entry of the points of a path, over time or over t = 0..1. */
static rm2_status entry_curve(const plot_job *j, const drawn_path *p, size_t entry,
                              const rm2_style *style, rm2_panel *panel) {
    size_t ambient = rm2_manifold_ambient(j->m->info->manifold);
    const double *time = has_times(j) ? p->file->paths.time + p->from : NULL;
    double *line = malloc(2 * p->n * sizeof *line);
    if (!line)
        return RM2_ERR_MEMORY;
    for (size_t i = 0; i < p->n; i++) {
        line[2 * i] = time ? time[i] : p->n > 1 ? (double)i / (double)(p->n - 1) : 0;
        line[2 * i + 1] = p->file->points[(p->from + i) * ambient + entry];
    }
    rm2_status status = rm2_plot_curve(j->m->work.ctx, panel, p->n, line, style);
    free(line);
    return status;
}

static const rm2_dash path_dashes[] = {RM2_SOLID, RM2_DASHED, RM2_DOTTED, RM2_DASH_DOT};
enum { PATH_DASHES = sizeof path_dashes / sizeof *path_dashes };

/* An entry of all points: entries differ in colour, paths in dashes and width. */
static rm2_status entry_curves(const plot_job *j, size_t entry, rm2_colour colour,
                               rm2_panel *panel) {
    char name[COLUMN_NAME];
    rm2_data_column_name(j->m->info->manifold, entry, name, sizeof name);
    for (size_t k = 0; k < j->path_count; k++) {
        size_t order = j->paths[k].order;
        const rm2_style style = {.label = order == 0 ? name : NULL,
                                 .colour = colour,
                                 .width = order < PATH_DASHES ? 1.2 : 0.7,
                                 .dash = path_dashes[order % PATH_DASHES]};
        WORK_TRY(entry_curve(j, &j->paths[k], entry, &style, panel));
    }
    return RM2_OK;
}

/* Where there are several paths, the legend says which dashes are whose: curves without a point. */
static rm2_status name_paths(const plot_job *j, rm2_panel *panel) {
    static const double nowhere[] = {NAN, NAN};
    bool several = j->path_count > 0 && j->paths[j->path_count - 1].order > 0;
    for (size_t k = 0; k < j->path_count && several; k++) {
        size_t order = j->paths[k].order;
        const rm2_style style = {.label = j->paths[k].name,
                                 .colour = RM2_COLOUR_STRAIGHT,
                                 .width = order < PATH_DASHES ? 1.2 : 0.7,
                                 .dash = path_dashes[order % PATH_DASHES]};
        WORK_TRY(rm2_plot_curve(j->m->work.ctx, panel, 1, nowhere, &style));
    }
    return RM2_OK;
}

/* A panel for each factor. */
rm2_status plot_time(plot_job *j, const rm2_space *space) {
    enum { MOST_ENTRIES = RM2_PALETTE_SIZE };
    const rm2_manifold *m = j->m->info->manifold;
    size_t factors = rm2_manifold_factor_count(m), colour = 0;
    (void)space;
    WORK_TRY(open_figure(j, factors, 0.85 * square(j, factors), 6));
    for (size_t k = 0; k < factors; k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
        rm2_panel *panel;
        char title[FACTOR_TITLE], label[AXIS_TEXT];
        bool metric = j->options->unit && f->geometry == &rm2_euclidean;
        factor_title(m, k, title);
        (void)snprintf(label, sizeof label, "coordinate%s%.30s%s", metric ? " [" : "",
                       metric ? j->options->unit : "", metric ? "]" : "");
        s.title = title;
        s.x.label = has_times(j) ? "time [s]" : "t";
        s.y.label = label;
        WORK_TRY(open_panel(j, k, factors, &s, &panel));
        for (size_t e = 0; e < f->ambient && e < MOST_ENTRIES; e++, colour++)
            WORK_TRY(entry_curves(j, f->ambient_offset + e, rm2_palette(colour), panel));
        if (k + 1 == factors)
            WORK_TRY(name_paths(j, panel));
    }
    return RM2_OK;
}

rm2_status plot_training(plot_job *j, const rm2_space *space) {
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_panel *panel;
    (void)space;
    s.x.label = "iteration";
    s.y.label = "objective [nats]";
    WORK_TRY(open_figure(j, 1, 75, 0));
    WORK_TRY(rm2_figure_panel(j->m->work.ctx, j->figure, 0, 0, &s, &panel));
    return figure_trace(j->m->work.ctx, panel, j->m->info, 0, 1, NULL);
}
