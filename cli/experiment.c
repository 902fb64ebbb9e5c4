/* The table of experiments and the command that runs them. */
#include "experiment.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

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

#define VARIANTS(list) list, sizeof(list) / sizeof *(list)

const experiment experiments[] = {
    {"toy", "Letters on R2 x S2", "toy", "R2 x S2", "Table 2", VARIANTS(toy_variants), 0.025, 0,
     true, false},
    {"robot", "Robot motions on R3 x S3", "robot", "R3 x S3", "Table 2", VARIANTS(robot_variants),
     0.05, 0.2, false, true},
    {"manipulability", "Manipulability ellipsoids on R2 x SPD2", "manipulability", "R2 x SPD2",
     "Table 3", VARIANTS(manipulability_variants), 0.025, 0.5, true, true},
    {"connectome", "Brain connectomes", "connectome", "SPD15", "Table 2",
     VARIANTS(connectome_variants), 0.03, 0, false, false},
    {"metric-learning", "Density metrics beside the pullback metric", "toy", "R2 x S2", "Table 4",
     VARIANTS(density_variants), 0.025, 0, true, false},
    {.name = NULL},
};

/* ---- options -------------------------------------------------------------------------------- */

#define EXPERIMENT(member) offsetof(experiment_options, member)

static const char *const recipe_names[] = {"robust", "map", "paper", NULL};
static const char *const format_names[] = {"svg", "png", "pdf", NULL};

static const option experiment_table[] = {
    {"--output", "FOLDER", OPTION_TEXT, EXPERIMENT(output), NULL,
     "where tables, figures and the report go (also -o; default: riemann2-NAME)"},
    {"--data", "FILE", OPTION_TEXT, EXPERIMENT(data), NULL,
     "real data of the same kind, instead of generated ones"},
    {"--recipe", NULL, OPTION_CHOICE, EXPERIMENT(recipe), recipe_names,
     "robust (default), map, or the paper's settings (slow)"},
    {"--contrast", "X", OPTION_TEXT, EXPERIMENT(contrast), NULL,
     "of the pullback metric (default: 100); none: the expectation"},
    {"--nodes", "N", OPTION_SIZE, EXPERIMENT(nodes), NULL, "points of a path (default: 200)"},
    {"--iterations", "N", OPTION_SIZE, EXPERIMENT(iterations), NULL,
     "most iterations of a training, instead of the recipe's"},
    {"--format", NULL, OPTION_CHOICE, EXPERIMENT(format), format_names,
     "of the figures (the report has SVG in any case)"},
    {.name = NULL},
};

/* ---- small things --------------------------------------------------------------------------- */

double experiment_clock(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void experiment_say(const experiment_run *r, const char *format, ...) {
    va_list arguments;
    if (r->work.common->quiet)
        return;
    (void)fprintf(stderr, "%s: ", r->experiment->name);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
}

void experiment_path(const experiment_run *r, const char *name, char *path, size_t size) {
    (void)snprintf(path, size, "%s/%s", r->folder, name);
}

const trained *experiment_wrapped(const experiment_run *r) {
    for (size_t k = 0; k < r->model_count; k++)
        if (r->models[k].kind == RM2_WGPLVM && !r->models[k].independent)
            return &r->models[k];
    return NULL;
}

const outcome *experiment_outcome(const experiment_run *r, const trained *t, movement m) {
    for (size_t k = 0; k < r->outcome_count; k++)
        if (r->outcomes[k].trained == t && r->outcomes[k].variant->movement == m)
            return &r->outcomes[k];
    return NULL;
}

static int make_folder(const experiment_run *r) {
    if (mkdir(r->folder, 0777) == 0 || errno == EEXIST)
        return EXIT_DONE;
    return work_complain(&r->work, EXIT_FAILED, "%s cannot be made: %s", r->folder,
                         strerror(errno));
}

/* ---- one experiment, or all ----------------------------------------------------------------- */

static int run_one(const work *w, const experiment *e, const experiment_options *o,
                   data_options *data, const char *folder) {
    int (*const steps[])(experiment_run *) = {
        experiment_load,    experiment_train, experiment_move,  experiment_compare,
        experiment_execute, experiment_draw,  experiment_report};
    double started = experiment_clock();
    experiment_run *r = calloc(1, sizeof *r);
    if (!r)
        return work_no_memory(w);
    *r = (experiment_run){
        .work = *w, .experiment = e, .options = o, .data_options = data, .folder = folder};
    int code = make_folder(r);
    catch_interrupts(w->ctx);
    for (size_t k = 0; k < sizeof steps / sizeof *steps && code == EXIT_DONE; k++) {
        r->seconds = experiment_clock() - started;
        code = steps[k](r);
    }
    catch_interrupts(NULL);
    experiment_free(r);
    free(r);
    return code;
}

static int run_all(const work *w, const experiment_options *o, data_options *data) {
    const char *root = o->output ? o->output : "riemann2-experiments";
    int code = EXIT_DONE;
    if (o->data)
        return work_complain(w, EXIT_USAGE, "--data belongs to one experiment, not to all");
    if (mkdir(root, 0777) != 0 && errno != EEXIST)
        return work_complain(w, EXIT_FAILED, "%s cannot be made: %s", root, strerror(errno));
    for (const experiment *e = experiments; e->name && code == EXIT_DONE; e++) {
        char folder[1024];
        data_options own = *data;
        (void)snprintf(folder, sizeof folder, "%s/%s", root, e->name);
        code = run_one(w, e, o, &own, folder);
    }
    return code;
}

static int run_named(const work *w, const char *name, const experiment_options *o,
                     data_options *data) {
    char folder[256];
    if (strcmp(name, "all") == 0)
        return run_all(w, o, data);
    for (const experiment *e = experiments; e->name; e++)
        if (strcmp(e->name, name) == 0) {
            (void)snprintf(folder, sizeof folder, "riemann2-%s", name);
            return run_one(w, e, o, data, o->output ? o->output : folder);
        }
    return work_complain(w, EXIT_USAGE,
                         "no experiment is called %s: toy, robot, manipulability, connectome, "
                         "metric-learning, all",
                         name);
}

int run_experiment(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    experiment_options options = {.output = NULL};
    const option_group groups[] = {{"Options", experiment_table, &options},
                                   {"Data (with --data)", data_option_table, &data},
                                   {"Common options", common_option_table, &common},
                                   {.options = NULL}};
    const char *name;
    size_t count;
    if (!options_parse(self->name, argc, argv, groups, &name, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0) {
        (void)fprintf(stderr, "usage: riemann2 %s %s\n%s", self->name, self->usage, self->examples);
        return EXIT_USAGE;
    }
    work w = {self, command_context(&common), &common};
    if (!w.ctx)
        return EXIT_FAILED;
    int code = run_named(&w, name, &options, &data);
    rm2_context_free(w.ctx);
    return code;
}
