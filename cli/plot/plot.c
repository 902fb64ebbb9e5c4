/* riemann2 plot: figures of a model and of paths in it. */
#include "plot/plot.h"

#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"latent", "uncertainty", "decoded",
                                         "time",   "training",    NULL};

#define PLOT(member) offsetof(plot_options, member)

static const option shared_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "figure to write: .png, .svg or .pdf (also -o)"},
    NAMES_OPTION(MODEL(names)),
    {.name = NULL},
};

static const option plot_table[] = {
    {"--kind", NULL, OPTION_CHOICE, PLOT(kind), kind_names,
     "latent space with magnification (default) or uncertainty; decoded paths; over time; "
     "training"},
    {"--path", "FILE", OPTION_TEXTS, PLOT(paths), NULL,
     "a path to draw, as geodesic and decode write it, or several (column demo, sample or\n"
     "                            pair); may be repeated"},
    {"--points", "FILE", OPTION_TEXTS, PLOT(points), NULL,
     "latent points without an order, as encode writes them, with their labels (column label);\n"
     "                            may be repeated"},
    {"--width", "MM", OPTION_NUMBER, PLOT(width), NULL, "of the figure (default: 120)"},
    {"--height", "MM", OPTION_NUMBER, PLOT(height), NULL,
     "of the figure (default: from its shape)"},
    {"--dpi", "N", OPTION_NUMBER, PLOT(dpi), NULL, "resolution of a PNG (default: 300)"},
    {"--title", "TEXT", OPTION_TEXT, PLOT(title), NULL, "above the figure"},
    {"--unit", "TEXT", OPTION_TEXT, PLOT(unit), NULL,
     "unit of the positions, such as m, on the axes of --kind decoded and time"},
    {.name = NULL},
};

/* ---- paths ---------------------------------------------------------------------------------- */

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int read_file(const plot_job *j, const char *path, drawn_file *f) {
    const model_work *m = j->m;
    size_t ambient = rm2_manifold_ambient(m->info->manifold);
    figure_text(file_name(path), f->name);
    int code = work_read_paths(&m->work, path, m->info->latent_dim, &f->paths);
    if (code != EXIT_DONE)
        return code;
    f->points = malloc(f->paths.count * ambient * sizeof *f->points);
    if (!f->points)
        return work_no_memory(&m->work);
    return work_check(&m->work, rm2_model_decode(m->work.ctx, m->model, f->paths.count, f->paths.x,
                                                 f->points, NULL, NULL, NULL));
}

static size_t count_files(const plot_job *j) {
    return j->options->paths.count + j->options->points.count;
}

/* Files of paths, then those of points. */
static const char *file_path(const plot_job *j, size_t k) {
    const text_list *paths = &j->options->paths, *points = &j->options->points;
    return k < paths->count ? paths->items[k] : points->items[k - paths->count];
}

static int read_files(plot_job *j) {
    int code = EXIT_DONE;
    j->files = calloc(count_files(j) + 1, sizeof *j->files);
    if (!j->files)
        return work_no_memory(&j->m->work);
    for (size_t k = 0; k < count_files(j) && code == EXIT_DONE; k++)
        code = read_file(j, file_path(j, k), &j->files[k]);
    return code == EXIT_DONE ? plot_find_paths(j) : code;
}

static void free_files(plot_job *j) {
    for (size_t k = 0; j->files && k < count_files(j); k++) {
        latent_paths_free(&j->files[k].paths);
        free(j->files[k].points);
    }
    free(j->files);
    free(j->paths);
}

static size_t count_points(const plot_job *j) {
    size_t count = 0;
    for (size_t k = 0; k < j->options->points.count; k++)
        count += plot_points_file(j, k)->paths.count;
    return count;
}

/* ---- before the work ------------------------------------------------------------------------ */

static const char *const figure_formats[] = {".png", ".svg", ".pdf", NULL};

typedef enum need { NEVER, PERHAPS, ALWAYS } need;

/* What a kind of figure shows; options about something else would do nothing. */
static const struct {
    rm2_status (*draw)(plot_job *j, const rm2_space *space);
    bool grid, metric;
    need paths;
    bool points, unit, regions;
} kinds[] = {[KIND_LATENT] = {plot_latent, true, true, PERHAPS, true, false, true},
             [KIND_UNCERTAINTY] = {plot_latent, true, false, PERHAPS, true, false, true},
             [KIND_DECODED] = {plot_decoded, false, false, ALWAYS, true, true, true},
             [KIND_TIME] = {plot_time, false, false, ALWAYS, false, true, false},
             [KIND_TRAINING] = {plot_training, false, false, NEVER, false, false, false}};

/* Is one of the settings (ends with NULL) given? */
static bool is_given(const plot_job *j, const char *const *names) {
    for (; *names; names++)
        if (setting_given(&j->m->options->space_from, *names))
            return true;
    return false;
}

static int check_options(const plot_job *j) {
    static const char *const grid[] = {"grid_points", "padding", NULL};
    static const char *const clearance[] = {"clearance", NULL};
    static const char *const metric[] = {"metric", "contrast", "weight", "sigma", NULL};
    int kind = j->options->kind;
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {kinds[kind].paths == ALWAYS && !kinds[kind].points && j->options->paths.count == 0,
         "needs --path FILE"},
        {kinds[kind].paths == ALWAYS && count_files(j) == 0, "needs --path FILE or --points FILE"},
        {kinds[kind].paths == NEVER && j->options->paths.count > 0,
         "shows no paths: leave --path out"},
        {!kinds[kind].points && j->options->points.count > 0,
         "shows no points: leave --points out"},
        {kind != KIND_DECODED && j->m->options->names, "shows no matrices: leave --names out"},
        {!kinds[kind].unit && j->options->unit, "has no axis of positions: leave --unit out"},
        {!kinds[kind].regions && j->m->options->avoid.count > 0,
         "shows no obstacles: leave --avoid out"},
        {kinds[kind].regions && !kinds[kind].grid && is_given(j, clearance),
         "shows the obstacles themselves: leave --clearance out"},
        {is_given(j, clearance) && j->m->options->avoid.count == 0,
         "shows no obstacles without --avoid: leave --clearance out"},
        {!kinds[kind].grid && is_given(j, grid), "has no grid: leave --grid and --padding out"},
        {!kinds[kind].metric && (is_given(j, metric) || j->m->options->discourage),
         "shows no metric: leave --metric, --contrast, --weight, --sigma and --discourage out"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return work_complain(&j->m->work, EXIT_USAGE, "--kind %s %s", kind_names[kind],
                                 conflicts[k].text);
    return EXIT_DONE;
}

/* The paths must not be overwritten. */
static int check_output(const plot_job *j) {
    const work *w = &j->m->work;
    const char *output = j->m->options->output, *inputs[2 * TEXT_LIST_MAX + 1] = {NULL};
    bool known = false;
    for (size_t k = 0; output && figure_formats[k]; k++)
        known = known || has_ending(output, figure_formats[k]);
    if (!known)
        return work_complain(w, EXIT_USAGE, "needs -o FILE with the ending .png, .svg or .pdf");
    if (j->options->dpi > 0 && !has_ending(output, ".png"))
        return work_complain(w, EXIT_USAGE, "--dpi is the resolution of a .png; %s has none",
                             output);
    for (size_t k = 0; k < count_files(j); k++)
        inputs[k] = file_path(j, k);
    return work_check_output(w, output, inputs);
}

static int check(const plot_job *j) {
    const model_work *m = j->m;
    int code = check_options(j), kind = j->options->kind;
    if (code == EXIT_DONE && kinds[kind].grid && m->info->latent_dim != 2)
        return work_complain(&m->work, EXIT_USAGE,
                             "--kind %s draws two latent dimensions, the model has %zu",
                             kind_names[kind], m->info->latent_dim);
    return code == EXIT_DONE ? check_output(j) : code;
}

/* ---- command -------------------------------------------------------------------------------- */

static int do_plot(const model_work *m) {
    plot_job j = {.m = m, .options = m->own};
    rm2_space *space = NULL;
    int code = check(&j), kind = j.options->kind;
    if (code == EXIT_DONE)
        code = names_read(&m->work, m->options->names, m->info->manifold, &j.names);
    if (code == EXIT_DONE)
        code = read_files(&j);
    if (code == EXIT_DONE)
        code = plot_read_regions(&j);
    if (code == EXIT_DONE && kinds[kind].grid)
        code = geometry_open_metric(m, true, &space);
    if (code == EXIT_DONE)
        code = work_check(&m->work, kinds[kind].draw(&j, space));
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_figure_save(m->work.ctx, j.figure, m->options->output,
                                                    j.options->dpi, m->work.common->force));
    if (code == EXIT_DONE && m->work.common->json) {
        rm2_json json = rm2_json_begin(stdout);
        rm2_json_put(&json, RM2_TEXT("file", m->options->output),
                     RM2_TEXT("kind", kind_names[kind]), RM2_COUNT("paths", j.path_count),
                     RM2_COUNT("points", count_points(&j)));
        rm2_json_end(&json);
    } else if (code == EXIT_DONE && !m->work.common->quiet) {
        printf("%s\n", m->options->output);
    }
    free_files(&j);
    free(j.regions);
    names_free(&j.names);
    rm2_figure_free(j.figure);
    rm2_space_free(space);
    return code;
}

int run_plot(const command *self, int argc, char **argv) {
    plot_options options = {.kind = KIND_LATENT};
    static const char *const shown_settings[] = {"metric",      "contrast", "weight",    "sigma",
                                                 "grid_points", "padding",  "clearance", NULL};
    const option_group groups[] = {{"Figure", plot_table, &options, NULL},
                                   obstacle_groups[0],
                                   obstacle_groups[1],
                                   {.options = NULL}};
    return model_run(self, argc, argv,
                     &(model_action){.table = shared_table,
                                     .groups = groups,
                                     .space = true,
                                     .space_settings = shown_settings,
                                     .own = &options,
                                     .files = 1,
                                     .formats = figure_formats,
                                     .run = do_plot});
}
