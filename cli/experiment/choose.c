/* Settings of one model of an experiment: those of the options, and over them what --for names for that model,
 * "wgplvm:kernel=matern52". */
#include "experiment/experiment.h"

#include <stdio.h>
#include <string.h>

enum { PART = 64 };

/* "MODEL:NAME=VALUE" in its parts. */
typedef struct choice {
    char model[PART], name[PART];
    const char *value;
} choice;

/* Names as options have them, and where they are kept. */
static const struct {
    const char *name, *setting;
    bool space;
} known[] = {{"recipe", "recipe", false},     {"kernel", "kernel", false},
             {"latent", "latent_dim", false}, {"iterations", "max_iterations", false},
             {"metric", "metric", true},      {"sigma", "sigma", true},
             {"contrast", "contrast", true}};
enum { KNOWN = sizeof known / sizeof *known };

static bool split(const char *text, choice *c) {
    int used = 0;
    bool whole = sscanf(text, "%63[^:]:%63[^=]=%n", c->model, c->name, &used) == 2 && used > 0;
    c->value = text + used;
    return whole && *c->value;
}

static int find_known(const char *name) {
    for (int k = 0; k < KNOWN; k++)
        if (strcmp(known[k].name, name) == 0)
            return k;
    return -1;
}

static const char *model_word(const trained *t) {
    return t->kind == RM2_WGPLVM ? "wgplvm" : "gplvm";
}

static size_t row_of(const rm2_settings_table *table, const char *name) {
    size_t row = 0;
    while (strcmp(rm2_settings_at(table, row)->name, name) != 0)
        row++;
    return row;
}

/* What was given to all models, with the choices for this one in its place. */
static setting_options choices_for(const experiment_run *r, const trained *t, bool space) {
    setting_options given = space ? r->options->space_from : r->options->from;
    for (size_t i = 0; i < r->options->choices.count; i++) {
        choice c;
        int k = split(r->options->choices.items[i], &c) ? find_known(c.name) : -1;
        if (k >= 0 && known[k].space == space && strcmp(c.model, model_word(t)) == 0)
            given.given[row_of(given.table, known[k].setting)] = c.value;
    }
    return given;
}

int experiment_fit_settings(const experiment_run *r, const trained *t, rm2_setting_text *texts,
                            rm2_fit_settings *s) {
    const setting_options given = choices_for(r, t, false);
    const char *latent = setting_given(&given, "latent_dim");
    const char *recipe = setting_given(&given, "recipe");
    *s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    s->texts = texts;
    s->text_count = settings_texts(&given, texts);
    if (latent && strcmp(latent, "auto") == 0)
        return work_complain(&r->work, EXIT_USAGE, "--latent auto: an experiment needs a number");
    if (!recipe)
        return EXIT_DONE;
    return work_check(&r->work,
                      rm2_settings_set(r->work.ctx, rm2_settings_table_of(RM2_SETTINGS_FIT), s,
                                       "recipe", recipe));
}

int experiment_space_settings(const experiment_run *r, const trained *t, rm2_space_settings *s) {
    const setting_options given = choices_for(r, t, true);
    *s = r->options->space;
    int code = work_check(&r->work, settings_apply(r->work.ctx, &given, s));
    if (code == EXIT_DONE && t->info && t->info->latent_dim > 3) {
        s->roadmap = RM2_SPACE_AUTO; /* a grid has too many nodes */
        s->grid_points = 0;
    }
    return code;
}

/* Wrong values are found before the work, in settings that are thrown away. */
static int check_one(const work *w, const char *text) {
    choice c;
    if (!split(text, &c) || (strcmp(c.model, "gplvm") != 0 && strcmp(c.model, "wgplvm") != 0))
        return work_complain(w, EXIT_USAGE,
                             "--for %s: expected gplvm:NAME=VALUE or wgplvm:NAME=VALUE", text);
    int k = find_known(c.name);
    if (k < 0)
        return work_complain(w, EXIT_USAGE,
                             "--for %s: unknown setting '%s'; known: recipe, kernel, latent, "
                             "iterations, metric, sigma, contrast",
                             text, c.name);
    rm2_fit_settings fit = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    rm2_space_settings space = rm2_space_settings_default();
    rm2_status status = known[k].space
                            ? rm2_settings_set(w->ctx, rm2_settings_table_of(RM2_SETTINGS_SPACE),
                                               &space, known[k].setting, c.value)
                            : rm2_settings_set(w->ctx, rm2_settings_table_of(RM2_SETTINGS_FIT),
                                               &fit, known[k].setting, c.value);
    if (status == RM2_OK)
        return EXIT_DONE;
    char expected[240];
    const rm2_settings_table *table = known[k].space ? rm2_settings_table_of(RM2_SETTINGS_SPACE)
                                                     : rm2_settings_table_of(RM2_SETTINGS_FIT);
    rm2_setting_expected(rm2_settings_find(table, known[k].setting), expected, sizeof expected);
    return work_complain(w, EXIT_USAGE, "--for %s: expected %s", text, expected);
}

int experiment_check_choices(const work *w, const experiment_options *o) {
    int code = EXIT_DONE;
    for (size_t i = 0; i < o->choices.count && code == EXIT_DONE; i++)
        code = check_one(w, o->choices.items[i]);
    return code;
}
