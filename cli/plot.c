/* riemann2 plot: figures of a model and of paths in it. */
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "geometry.h"

typedef enum plot_kind {
    KIND_LATENT,
    KIND_UNCERTAINTY,
    KIND_DECODED,
    KIND_TIME,
    KIND_TRAINING
} plot_kind;
static const char *const kind_names[] = {"latent", "uncertainty", "decoded",
                                         "time",   "training",    NULL};

typedef struct plot_options {
    int kind;
    text_list paths;
    double width, height, dpi;
    const char *title;
} plot_options;

#define PLOT(member) offsetof(plot_options, member)

static const option shared_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "figure to write: .png, .svg or .pdf (also -o)"},
    {.name = NULL},
};

static const option plot_table[] = {
    {"--kind", NULL, OPTION_CHOICE, PLOT(kind), kind_names,
     "latent space with magnification (default) or uncertainty; decoded paths; over time; "
     "training"},
    {"--path", "FILE", OPTION_TEXTS, PLOT(paths), NULL,
     "a path to draw, as geodesic and decode write it; may be repeated"},
    {"--width", "MM", OPTION_NUMBER, PLOT(width), NULL, "of the figure (default: 120)"},
    {"--height", "MM", OPTION_NUMBER, PLOT(height), NULL,
     "of the figure (default: from its shape)"},
    {"--dpi", "N", OPTION_NUMBER, PLOT(dpi), NULL, "resolution of a PNG (default: 300)"},
    {"--title", "TEXT", OPTION_TEXT, PLOT(title), NULL, "above the figure"},
    {.name = NULL},
};

/* A path of the command line: its latents, what they decode to, its name in the legend. */
typedef struct drawn_path {
    size_t n;
    double *x, *points, *deviation;
    char name[DRAWN_SIZE];
} drawn_path;

typedef struct plot_job {
    const model_work *m;
    const plot_options *options;
    drawn_path *paths;
    rm2_figure *figure;
} plot_job;

/* ---- paths ---------------------------------------------------------------------------------- */

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int read_path(const plot_job *j, const char *file, drawn_path *p) {
    const model_work *m = j->m;
    size_t ambient = rm2_manifold_ambient(m->info.manifold);
    figure_text(file_name(file), p->name);
    int code = work_read_latents(&m->work, file, m->info.latent_dim, &p->n, &p->x);
    if (code != EXIT_DONE)
        return code;
    p->points = malloc(p->n * ambient * sizeof *p->points);
    p->deviation = malloc(p->n * sizeof *p->deviation);
    if (!p->points || !p->deviation)
        return work_no_memory(&m->work);
    return work_check(&m->work, rm2_model_decode(m->work.ctx, m->model, p->n, p->x, p->points, NULL,
                                                 NULL, p->deviation));
}

static int read_paths(plot_job *j) {
    const text_list *list = &j->options->paths;
    int code = EXIT_DONE;
    j->paths = calloc(list->count + 1, sizeof *j->paths);
    if (!j->paths)
        return work_no_memory(&j->m->work);
    for (size_t k = 0; k < list->count && code == EXIT_DONE; k++)
        code = read_path(j, list->items[k], &j->paths[k]);
    return code;
}

/* ---- kinds of figures ----------------------------------------------------------------------- */

static rm2_status open_figure(plot_job *j, size_t columns, double height) {
    rm2_figure_settings page = rm2_figure_settings_default();
    const plot_options *o = j->options;
    page.columns = columns;
    page.width = o->width > 0 ? o->width : columns > 1 ? 175 : 120;
    page.height = o->height > 0 ? o->height : height;
    page.title = o->title;
    return rm2_figure_create(j->m->work.ctx, &page, &j->figure);
}

static rm2_status add_paths(const plot_job *j, rm2_panel *panel) {
    for (size_t k = 0; k < j->options->paths.count; k++) {
        const drawn_path *p = &j->paths[k];
        rm2_style style = {
            .label = p->name, .colour = rm2_palette(k + 1), .width = 1.5, .halo = true};
        WORK_TRY(rm2_plot_curve(j->m->work.ctx, panel, p->n, p->x, &style));
    }
    return RM2_OK;
}

static rm2_status draw_latent(plot_job *j, const geometry *g) {
    bool uncertainty = j->options->kind == KIND_UNCERTAINTY;
    rm2_context *ctx = j->m->work.ctx;
    rm2_panel *panel;
    double width = j->options->width > 0 ? j->options->width : 120;
    WORK_TRY(open_figure(j, 1, figure_latent_height(g->network, width)));
    WORK_TRY(figure_latent_panel(ctx, j->figure, 0, 0, NULL, &panel));
    WORK_TRY(figure_heat(ctx, panel, j->m->model, g->pullback, g->network, uncertainty));
    WORK_TRY(figure_latents(ctx, panel, &j->m->info));
    return add_paths(j, panel);
}

static rm2_status add_training(const plot_job *j, size_t factor, rm2_panel *panel) {
    const rm2_model_info *i = &j->m->info;
    double *points = malloc(i->points * rm2_manifold_ambient(i->manifold) * sizeof *points);
    if (!points)
        return RM2_ERR_MEMORY;
    rm2_model_data(j->m->model, points);
    rm2_status status = figure_demonstrations(j->m->work.ctx, panel, i->manifold, factor,
                                              i->trajectories, i->starts, points);
    free(points);
    return status;
}

static rm2_status factor_panel(const plot_job *j, size_t factor) {
    rm2_context *ctx = j->m->work.ctx;
    const rm2_manifold *m = j->m->info.manifold;
    rm2_panel_settings s;
    rm2_panel *panel;
    WORK_TRY(rm2_panel_settings_factor(ctx, m, factor, &s));
    s.legend = RM2_LEGEND_BELOW;
    if (rm2_manifold_factor(m, factor)->geometry == &rm2_euclidean)
        figure_label_axes(&s, false);
    WORK_TRY(rm2_figure_panel(ctx, j->figure, 0, factor, &s, &panel));
    WORK_TRY(add_training(j, factor, panel));
    for (size_t k = 0; k < j->options->paths.count; k++) {
        rm2_style style = {.label = j->paths[k].name, .colour = rm2_palette(k), .width = 1.3};
        WORK_TRY(rm2_plot_factor(ctx, panel, m, factor, j->paths[k].n, j->paths[k].points, &style));
    }
    return RM2_OK;
}

static rm2_status draw_decoded(plot_job *j, const geometry *g) {
    size_t factors = rm2_manifold_factor_count(j->m->info.manifold);
    (void)g;
    WORK_TRY(open_figure(j, factors, 90));
    for (size_t k = 0; k < factors; k++)
        WORK_TRY(factor_panel(j, k));
    return RM2_OK;
}

/* Entry e of a path over t = 0..1. */
static rm2_status entry_curve(const plot_job *j, const drawn_path *p, size_t entry,
                              const char *name, rm2_panel *panel) {
    size_t ambient = rm2_manifold_ambient(j->m->info.manifold);
    double *line = malloc(2 * p->n * sizeof *line);
    if (!line)
        return RM2_ERR_MEMORY;
    for (size_t i = 0; i < p->n; i++) {
        line[2 * i] = p->n > 1 ? (double)i / (double)(p->n - 1) : 0;
        line[2 * i + 1] = p->points[i * ambient + entry];
    }
    rm2_style style = {.label = name, .width = 1.2};
    rm2_status status = rm2_plot_curve(j->m->work.ctx, panel, p->n, line, &style);
    free(line);
    return status;
}

/* Entries of the first path's points, a panel for each factor. */
static rm2_status draw_time(plot_job *j, const geometry *g) {
    enum { MOST_ENTRIES = 8 };
    const rm2_manifold *m = j->m->info.manifold;
    size_t factors = rm2_manifold_factor_count(m);
    (void)g;
    WORK_TRY(open_figure(j, factors, 90));
    for (size_t k = 0; k < factors; k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
        rm2_panel *panel;
        char title[32];
        (void)snprintf(title, sizeof title, "%s%zu", f->geometry->name, f->n);
        s.title = title;
        s.x.label = "t";
        s.legend = RM2_LEGEND_BELOW;
        WORK_TRY(rm2_figure_panel(j->m->work.ctx, j->figure, 0, k, &s, &panel));
        for (size_t e = 0; e < f->ambient && e < MOST_ENTRIES; e++) {
            char name[96];
            rm2_data_column_name(m, f->ambient_offset + e, name, sizeof name);
            WORK_TRY(entry_curve(j, &j->paths[0], f->ambient_offset + e, name, panel));
        }
    }
    return RM2_OK;
}

static rm2_status draw_training(plot_job *j, const geometry *g) {
    rm2_panel_settings s = rm2_panel_settings_default(RM2_PANEL_PLANE);
    rm2_panel *panel;
    (void)g;
    s.x.label = "iteration";
    s.y.label = "objective";
    WORK_TRY(open_figure(j, 1, 80));
    WORK_TRY(rm2_figure_panel(j->m->work.ctx, j->figure, 0, 0, &s, &panel));
    return figure_trace(j->m->work.ctx, panel, &j->m->info, 0, 1, NULL);
}

static const struct {
    rm2_status (*draw)(plot_job *j, const geometry *g);
    bool grid, paths; /* what it needs */
} kinds[] = {[KIND_LATENT] = {draw_latent, true, false},
             [KIND_UNCERTAINTY] = {draw_latent, true, false},
             [KIND_DECODED] = {draw_decoded, false, true},
             [KIND_TIME] = {draw_time, false, true},
             [KIND_TRAINING] = {draw_training, false, false}};

/* The paths must not be overwritten. */
static int check_output(const plot_job *j) {
    const text_list *list = &j->options->paths;
    const char *inputs[TEXT_LIST_MAX + 1] = {NULL};
    memcpy(inputs, list->items, list->count * sizeof *inputs);
    return work_check_output(&j->m->work, j->m->options->output, inputs);
}

static int check(const plot_job *j) {
    const model_work *m = j->m;
    int kind = j->options->kind;
    if (model_prints(m->options->output))
        return work_complain(&m->work, EXIT_USAGE,
                             "needs -o FILE with the ending .png, .svg or .pdf");
    if (kinds[kind].grid && m->info.latent_dim != 2)
        return work_complain(&m->work, EXIT_USAGE,
                             "--kind %s draws two latent dimensions, the model has %zu",
                             kind_names[kind], m->info.latent_dim);
    if (kinds[kind].paths && j->options->paths.count == 0)
        return work_complain(&m->work, EXIT_USAGE, "--kind %s needs --path FILE", kind_names[kind]);
    return check_output(j);
}

static int do_plot(const model_work *m) {
    plot_job j = {.m = m, .options = m->own};
    geometry g = {.metric = NULL};
    int code = check(&j), kind = j.options->kind;
    if (code == EXIT_DONE)
        code = read_paths(&j);
    if (code == EXIT_DONE && kinds[kind].grid)
        code = geometry_open(m, &g);
    if (code == EXIT_DONE && kinds[kind].grid)
        code = geometry_add_grid(m, &g);
    if (code == EXIT_DONE)
        code = work_check(&m->work, kinds[kind].draw(&j, &g));
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_figure_save(m->work.ctx, j.figure, m->options->output,
                                                    j.options->dpi, m->work.common->force));
    if (code == EXIT_DONE && m->work.common->json) {
        printf("{\"file\": ");
        json_text(stdout, m->options->output);
        printf(", \"kind\": \"%s\", \"paths\": %zu}\n", kind_names[kind], j.options->paths.count);
    } else if (code == EXIT_DONE && !m->work.common->quiet) {
        printf("%s\n", m->options->output);
    }
    for (size_t k = 0; j.paths && k < j.options->paths.count; k++) {
        free(j.paths[k].x);
        free(j.paths[k].points);
        free(j.paths[k].deviation);
    }
    free(j.paths);
    rm2_figure_free(j.figure);
    geometry_close(&g);
    return code;
}

int run_plot(const command *self, int argc, char **argv) {
    plot_options options = {.kind = KIND_LATENT};
    const option_group groups[] = {
        {"Figure", plot_table, &options}, path_groups[0], path_groups[1], {.options = NULL}};
    return model_run(
        self, argc, argv,
        &(model_action){
            .table = shared_table, .groups = groups, .own = &options, .files = 1, .run = do_plot});
}
