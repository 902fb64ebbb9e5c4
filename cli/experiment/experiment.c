/* The table of experiments and the command that runs them. */
#include "experiment/experiment.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the paper's experiments, with the numbers it prints ------------------------------------- */

static const variant toy_variants[] = {
    {"GPLVM", RM2_GPLVM, false, MOVE_STRAIGHT, 0, "1", "13.2 ± 0.98"},
    {"pGPLVM", RM2_GPLVM, false, MOVE_PULLBACK, 0, "0", "3.4 ± 0.77"},
    {"WGPLVM", RM2_WGPLVM, false, MOVE_STRAIGHT, 0, "100", "11.9 ± 0.91"},
    {"Riemann²", RM2_WGPLVM, false, MOVE_PULLBACK, 0, "100", "3.8 ± 0.91"},
};

static const variant robot_variants[] = {
    {"GPLVM", RM2_GPLVM, false, MOVE_STRAIGHT, 0, "2", "1.08 ± 0.06"},
    {"pGPLVM", RM2_GPLVM, false, MOVE_PULLBACK, 0, "4", "0.63 ± 0.11"},
    {"WGPLVM", RM2_WGPLVM, false, MOVE_STRAIGHT, 0, "100", "0.94 ± 0.09"},
    {"Riemann²", RM2_WGPLVM, false, MOVE_PULLBACK, 0, "100", "0.57 ± 0.18"},
};

static const variant manipulability_variants[] = {
    {"GPLVM, independent", RM2_GPLVM, true, MOVE_STRAIGHT, 0, "52", "18.3 ± 1.8"},
    {"pGPLVM, independent", RM2_GPLVM, true, MOVE_PULLBACK, 0, "100", "6.1 ± 1.9"},
    {"WGPLVM, independent", RM2_WGPLVM, true, MOVE_STRAIGHT, 0, "100", "18.3 ± 1.8"},
    {"Riemann², independent", RM2_WGPLVM, true, MOVE_PULLBACK, 0, "100", "3.5 ± 0.8"},
    {"GPLVM, correlated", RM2_GPLVM, false, MOVE_STRAIGHT, 0, "100", "17.0 ± 1.9"},
    {"pGPLVM, correlated", RM2_GPLVM, false, MOVE_PULLBACK, 0, "100", "4.9 ± 1.7"},
    {"WGPLVM, correlated", RM2_WGPLVM, false, MOVE_STRAIGHT, 0, "100", "16.3 ± 1.9"},
    {"Riemann², correlated", RM2_WGPLVM, false, MOVE_PULLBACK, 0, "100", "3.5 ± 0.3"},
};

static const variant connectome_variants[] = {
    {"GPLVM", RM2_GPLVM, false, MOVE_STRAIGHT, 0, "76", NULL},
    {"pGPLVM", RM2_GPLVM, false, MOVE_PULLBACK, 0, "100", NULL},
    {"WGPLVM", RM2_WGPLVM, false, MOVE_STRAIGHT, 0, "100", NULL},
    {"Riemann²", RM2_WGPLVM, false, MOVE_PULLBACK, 0, "100", NULL},
};

static const variant density_variants[] = {
    {"density, sigma 0.1", RM2_WGPLVM, false, MOVE_DENSITY, 0.1, "100", "7.3 ± 0.49"},
    {"density, sigma 0.25", RM2_WGPLVM, false, MOVE_DENSITY, 0.25, "100", "3.6 ± 0.80"},
    {"density, sigma 0.5", RM2_WGPLVM, false, MOVE_DENSITY, 0.5, "100", "11.6 ± 0.65"},
    {"density, sigma 1", RM2_WGPLVM, false, MOVE_DENSITY, 1, "100", "13.1 ± 0.71"},
    {"density, sigma 2", RM2_WGPLVM, false, MOVE_DENSITY, 2, "100", "12.3 ± 0.81"},
    {"Riemann²", RM2_WGPLVM, false, MOVE_PULLBACK, 0, "100", "3.8 ± 0.91"},
};

/* Mean distance between the six demonstrations of the letters that the paper used, 200 points each, in its units
 * (docs/experiments.md): the paper prints distances, not multiples of a floor. */
#define LETTERS_FLOOR 3.67

#define VARIANTS(list) .variants = (list), .count = sizeof(list) / sizeof *(list)

const experiment experiments[] = {
    {.name = "toy",
     .title = "Letters",
     .generator = "toy",
     .manifold = "R2 x S2",
     .paper_table = "Table 2",
     .paper_floor = LETTERS_FLOOR,
     VARIANTS(toy_variants),
     .trajectories = true,
     .learning_rate = 0.025,
     .gpdm = true},
    {.name = "robot",
     .title = "Robot motions",
     .generator = "robot",
     .manifold = "R3 x S3",
     .paper_table = "Table 2",
     VARIANTS(robot_variants),
     .trajectories = true,
     .arm = true,
     .learning_rate = 0.05,
     .back_lengthscale = 0.2,
     .lengthscale_prior = true},
    {.name = "manipulability",
     .title = "Manipulability ellipsoids",
     .generator = "manipulability",
     .manifold = "R2 x SPD2",
     .paper_table = "Table 3",
     VARIANTS(manipulability_variants),
     .trajectories = true,
     .arm = true,
     .learning_rate = 0.025,
     .back_lengthscale = 0.5,
     .gpdm = true,
     .lengthscale_prior = true},
    {.name = "connectome",
     .title = "Brain connectomes",
     .generator = "connectome",
     .manifold = "SPD15",
     .paper_table = "Table 2",
     VARIANTS(connectome_variants),
     .learning_rate = 0.03},
    {.name = "metric-learning",
     .title = "Density metrics compared with the pullback metric",
     .generator = "toy",
     .manifold = "R2 x S2",
     .paper_table = "Table 4",
     .paper_floor = LETTERS_FLOOR,
     VARIANTS(density_variants),
     .trajectories = true,
     .learning_rate = 0.025,
     .gpdm = true},
    {.name = NULL},
};

/* ---- options -------------------------------------------------------------------------------- */

#define EXPERIMENT(member) offsetof(experiment_options, member)

static const char *const format_names[] = {"svg", "png", "pdf", NULL};

static const option experiment_table[] = {
    {"--output", "FOLDER", OPTION_TEXT, EXPERIMENT(output), NULL,
     "folder for tables, figures and the report (also -o; default: riemann2-NAME)"},
    {"--data", "FILE", OPTION_TEXT, EXPERIMENT(data), NULL,
     "data of the same kind, instead of generated data"},
    {"--paper-data", NULL, OPTION_FLAG, EXPERIMENT(paper_data), NULL,
     "the file of --data contains the paper's data: compare with its numbers"},
    NAMES_OPTION(EXPERIMENT(names)),
    {"--demos", "N", OPTION_SIZE, EXPERIMENT(demos), NULL, "generated trajectories"},
    {"--points", "N", OPTION_SIZE, EXPERIMENT(points), NULL,
     "points of a generated trajectory (connectome: of the set)"},

    {"--for", "MODEL:NAME=VALUE", OPTION_TEXTS, EXPERIMENT(choices), NULL,
     "for gplvm or wgplvm alone: recipe, kernel, latent, iterations, metric, sigma or contrast,\n"
     "                            such as wgplvm:kernel=matern52; may be repeated"},
    {"--format", NULL, OPTION_CHOICE, EXPERIMENT(format), format_names,
     "format of the figures (the report always has SVG)"},
    {.name = NULL},
};

/* ---- small things --------------------------------------------------------------------------- */

void experiment_say(const experiment_run *r, const char *format, ...) {
    va_list arguments;
    if (r->work.common->quiet)
        return;
    char message[MESSAGE_SIZE], shown[MESSAGE_SIZE];
    va_start(arguments, format);
    (void)vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    (void)fprintf(stderr, "%s: %s\n", r->experiment->name,
                  plain_text(message, shown, sizeof shown));
}

void experiment_path(const experiment_run *r, const char *name, const char *ending,
                     char path[PATH_SIZE]) {
    (void)snprintf(path, PATH_SIZE, "%s/%s.%s", r->folder, name, ending);
}

const trained *experiment_wrapped(const experiment_run *r) {
    const trained *t = r->models;
    while (t->kind != RM2_WGPLVM || t->independent)
        t++;
    return t;
}

const outcome *experiment_outcome(const experiment_run *r, const trained *t, movement m) {
    for (size_t k = 0; k < r->outcome_count; k++)
        if (r->outcomes[k].trained == t && r->outcomes[k].variant->movement == m)
            return &r->outcomes[k];
    return NULL;
}

/* ---- folders -------------------------------------------------------------------------------- */

static int make_folder(const work *w, const char *folder) {
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return EXIT_DONE;
    return work_complain(w, EXIT_FAILED, "cannot make the folder %s: %s", folder, strerror(errno));
}

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* A folder that is not there yet: could it be? It is made when there is something to put in. */
static int try_folder(const work *w, const char *folder) {
    enum { LONGEST = PATH_SIZE - 100 };
    if (strlen(folder) > LONGEST)
        return work_complain(w, EXIT_USAGE, "the name of the folder has more than %d characters",
                             LONGEST);
    if (access(folder, F_OK) == 0)
        return is_folder(folder)
                   ? EXIT_DONE
                   : work_complain(w, EXIT_FAILED, "%s is a file, not a folder", folder);
    int code = make_folder(w, folder);
    if (code == EXIT_DONE)
        (void)rmdir(folder);
    return code;
}

/* Will everything that an experiment writes find its place? Said before the work. */
static int check_folder(const work *w, const experiment *e, const experiment_options *o,
                        const char *folder) {
    static const char *const files[] = {"table.txt",   "table.csv",  "table.json", "table.tex",
                                        "report.html", "groups.csv", "groups.tex", "means.csv"};
    static const char *const figures[] = {"latent-space", "decoded", "groups", "training", "arm"};
    const char *const inputs[] = {o->data ? o->data : o->names, o->data ? o->names : NULL, NULL};
    char path[PATH_SIZE];
    int code = try_folder(w, folder);
    if (code != EXIT_DONE || !is_folder(folder))
        return code;
    for (size_t k = 0; k < sizeof files / sizeof *files && code == EXIT_DONE; k++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        code = work_check_output(w, path, inputs);
    }
    for (size_t k = 0; k < 2 * sizeof figures / sizeof *figures && code == EXIT_DONE; k++) {
        (void)snprintf(path, sizeof path, "%s/%s.%s", folder, figures[k / 2],
                       k % 2 ? format_names[o->format] : "svg");
        code = work_check_output(w, path, inputs);
    }
    for (size_t k = 0; k < 2 * e->count && code == EXIT_DONE; k++) {
        const variant *v = &e->variants[k / 2];
        char name[FILE_NAME];
        if (k % 2)
            experiment_path_name(v, name);
        else
            experiment_model_file(v->kind, v->independent, name);
        (void)snprintf(path, sizeof path, "%s/%s.%s", folder, name, k % 2 ? "csv" : "npz");
        code = work_check_output(w, path, inputs);
    }
    return code;
}

/* ---- one experiment, or all ----------------------------------------------------------------- */

/* Everything is written by now. */
static int judge_results(const experiment_run *r) {
    for (size_t k = 0; k < r->outcome_count; k++)
        if (!r->outcomes[k].report.converged)
            return EXIT_NOT_CONVERGED;
    return r->groups.unconverged ? EXIT_NOT_CONVERGED : EXIT_DONE;
}

/* All numbers first; the folder appears when they are there. */
static int run_steps(experiment_run *r) {
    int (*const steps[])(experiment_run *) = {experiment_load,    experiment_train,
                                              experiment_move,    experiment_compare,
                                              experiment_execute, experiment_groups};
    int code = EXIT_DONE;
    for (size_t k = 0; k < sizeof steps / sizeof *steps && code == EXIT_DONE; k++)
        code = steps[k](r);
    if (code == EXIT_DONE)
        code = make_folder(&r->work, r->folder);
    if (code == EXIT_DONE)
        code = experiment_save_files(r);
    if (code == EXIT_DONE)
        code = experiment_draw(r);
    if (code == EXIT_DONE)
        code = experiment_report(r);
    return code == EXIT_DONE ? judge_results(r) : code;
}

static int run_one(const work *w, const experiment *e, const experiment_options *o,
                   data_options *data, const char *folder) {
    experiment_run *r = calloc(1, sizeof *r);
    if (!r)
        return work_no_memory(w);
    *r = (experiment_run){.work = *w,
                          .experiment = e,
                          .options = o,
                          .data_options = data,
                          .folder = folder,
                          .started = rm2_seconds()};
    catch_interrupts(w->ctx);
    int code = run_steps(r);
    catch_interrupts(NULL);
    experiment_free(r);
    free(r);
    return code;
}

static int run_all(const work *w, const experiment_options *o, data_options *data) {
    const char *root = o->output ? o->output : "riemann2-experiments";
    char folder[PATH_SIZE];
    if (o->data || o->names)
        return work_complain(w, EXIT_USAGE, "%s belongs to one experiment, not to all",
                             o->data ? "--data" : "--names");
    int code = try_folder(w, root);
    for (const experiment *e = experiments; e->name && code == EXIT_DONE && is_folder(root); e++) {
        (void)snprintf(folder, sizeof folder, "%s/%s", root, e->name);
        code = check_folder(w, e, o, folder);
    }
    if (code == EXIT_DONE)
        code = make_folder(w, root);
    int open = EXIT_DONE;
    for (const experiment *e = experiments; e->name && code == EXIT_DONE; e++) {
        data_options own = *data;
        (void)snprintf(folder, sizeof folder, "%s/%s", root, e->name);
        code = run_one(w, e, o, &own, folder);
        if (code == EXIT_NOT_CONVERGED) { /* a finding of one; the others run */
            open = code;
            code = EXIT_DONE;
        }
    }
    return code == EXIT_DONE ? open : code;
}

static int run_single(const work *w, const experiment *e, const experiment_options *o,
                      data_options *data) {
    char own[PATH_SIZE];
    const char *folder = o->output ? o->output : own;
    (void)snprintf(own, sizeof own, "riemann2-%s", e->name);
    if (o->demos && !e->trajectories)
        return work_complain(w, EXIT_USAGE, "%s has points without trajectories: no --demos",
                             e->name);
    int code = check_folder(w, e, o, folder);
    return code == EXIT_DONE ? run_one(w, e, o, data, folder) : code;
}

static int run_named(const work *w, const char *name, const experiment_options *o,
                     data_options *data) {
    if (strcmp(name, "all") == 0)
        return run_all(w, o, data);
    for (const experiment *e = experiments; e->name; e++)
        if (strcmp(e->name, name) == 0)
            return run_single(w, e, o, data);
    return work_complain(w, EXIT_USAGE,
                         "unknown experiment %s; known: toy, robot, manipulability, connectome, "
                         "metric-learning, all",
                         name);
}

/* Options that would be without effect; `given` is one of those that say how data are read. */
static int check_options(const work *w, const experiment_options *o, const char *given) {
    if (o->output && strcmp(o->output, "-") == 0)
        return work_complain(w, EXIT_USAGE,
                             "-o needs a folder: tables, figures and a report cannot be printed");
    if (o->data && (o->demos || o->points))
        return work_complain(w, EXIT_USAGE, "--demos and --points are for generated data");
    if (o->paper_data && !o->data)
        return work_complain(w, EXIT_USAGE,
                             "--paper-data needs --data: generated data are not the paper's");
    if (setting_given(&o->space_from, "sigma") && o->space.metric != RM2_SPACE_DENSITY)
        return work_complain(w, EXIT_USAGE, "--sigma needs --metric density");
    if (!o->data && given)
        return work_complain(w, EXIT_USAGE, "%s needs --data", given);
    return EXIT_DONE;
}

int run_experiment(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    static const char *const training[] = {"recipe", "kernel", "latent_dim", "max_iterations",
                                           NULL};
    static const char *const space[] = {"metric",      "contrast", "sigma",
                                        "grid_points", "nodes",    NULL};
    experiment_options options = {
        .fit = rm2_fit_settings_recipe(RM2_RECIPE_AUTO),
        .from = {.table = rm2_settings_table_of(RM2_SETTINGS_FIT), .only = training},
        .space = rm2_space_settings_default(),
        .space_from = {.table = rm2_settings_table_of(RM2_SETTINGS_SPACE), .only = space},
        .argc = argc,
        .argv = argv};
    options.space.roadmap = RM2_SPACE_GRID;
    char word[SETTING_WORD];
    const option_group groups[] = {{"Options", experiment_table, &options, NULL},
                                   {"Training", NULL, &options.fit, &options.from},
                                   {"Latent space", NULL, &options.space, &options.space_from},
                                   {"Data (with --data)", NULL, &data.settings, &data.from},
                                   {"Common options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    const char *name;
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, &name, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0) {
        (void)fprintf(stderr, "usage: %s %s\n%s", self->title, self->usage, self->examples);
        return EXIT_USAGE;
    }
    work w = {self, command_context(&common), &common};
    if (!w.ctx)
        return EXIT_FAILED;
    int code = check_options(&w, &options, setting_first_given(&data.from, word));
    if (code == EXIT_DONE)
        code = experiment_check_choices(&w, &options);
    if (code == EXIT_DONE)
        code = run_named(&w, name, &options, &data);
    rm2_context_free(w.ctx);
    return code;
}
