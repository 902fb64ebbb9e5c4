/* riemann2 fit: trains a model. The first Ctrl-C ends training with what it has, a second one ends
 * the program. */
#include "fit/fit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/progress.h"

static void training_free(training *t) {
    free(t->start);
    free(t->base);
    free(t->inducing);
    free(t->kernels);
    free(t->added);
    rm2_fit_plan_free(t->plan);
    rm2_model_free(t->old);
    rm2_model_free(t->model);
    rm2_data_free(t->data);
    rm2_data_free(t->held);
}

/* ---- progress -------------------------------------------------------------------------------- */

enum { ROW_EVERY = 10 };                /* iterations between two rows, */
static const double ROW_AT_LEAST = 2.0; /* or seconds, where iterations take long */

typedef struct table {
    bool quiet, every, terminal, begun;
    double last; /* seconds at the last row */
} table;

static bool print_row(void *user, const rm2_progress *report) {
    table *t = user;
    const rm2_fit_progress *p = report->row;
    if (!p) /* between iterations */
        return true;
    bool last = p->stop != RM2_STOP_RUNNING;
    bool due = p->iteration % ROW_EVERY == 0 || p->iteration == 1;
    if (t->quiet || !(t->every || last || due || p->seconds - t->last >= ROW_AT_LEAST))
        return true;
    if (!t->begun)
        (void)fprintf(stderr, "%6s | %12s | %12s | %11s | %8s | %8s | %7s\n", "iter", "objective",
                      "loglik", "priors", "|grad|", "step", "time");
    t->begun = true;
    t->last = p->seconds;
    double priors = p->terms.total - p->terms.log_likelihood;
    (void)fprintf(stderr, "%6zu | %12.4f | %12.4f | %11.4f | %8.1e | %8.1e | %6.1fs", p->iteration,
                  p->terms.total, p->terms.log_likelihood, priors, p->gradient, p->step,
                  p->seconds);
    if (t->terminal && !last && p->iteration)
        (void)fprintf(stderr, "  (at most %.0fs more)",
                      p->seconds / (double)p->iteration *
                          (double)(p->max_iterations - p->iteration));
    (void)fprintf(stderr, "\n");
    return true;
}

/* ---- outputs --------------------------------------------------------------------------------- */

/* What would be written must not be in the way of anything; told before training. */
static int check_outputs(const training *t) {
    const fit_options *o = t->options;
    const char *inputs[6] = {t->path};
    size_t count = 1;
    if (o->from_model)
        inputs[count++] = o->from_model;
    if (o->init_from)
        inputs[count++] = o->init_from;
    if (o->base_point)
        inputs[count++] = o->base_point;
    if (o->inducing_points)
        inputs[count] = o->inducing_points;
    int code = work_check_output(&t->work, o->output, inputs);
    if (code != EXIT_DONE || !o->checkpoint)
        return code;
    if (strcmp(o->checkpoint, "-") == 0)
        return work_complain(&t->work, EXIT_USAGE, "--checkpoint needs a file");
    if (same_file(o->checkpoint, o->output))
        return work_complain(&t->work, EXIT_USAGE,
                             "model and checkpoint cannot be the same file, %s", o->output);
    bool exists = access(o->checkpoint, F_OK) == 0;
    if (exists && !o->resume && !t->work.common->force)
        return work_complain(&t->work, EXIT_FAILED,
                             "%s exists already; use --resume to continue from it, --force to "
                             "overwrite",
                             o->checkpoint);
    common_options overwrite = *t->work.common;
    overwrite.force = true;
    work with = t->work;
    with.common = &overwrite;
    return work_check_output(&with, o->checkpoint, inputs);
}

/* ---- training -------------------------------------------------------------------------------- */

void fit_print_note(FILE *out, const char *before, const rm2_fit_note *note) {
    char reason[MESSAGE_SIZE], name[SETTING_WORD];
    const rm2_setting *s =
        rm2_settings_find(rm2_settings_table_of(RM2_SETTINGS_FIT), note->setting);
    (void)fprintf(out, "%s%s %s, since %s\n", before, setting_name(s, name), note->value,
                  message_as_options(note->reason, reason, sizeof reason));
}

/* The latent dimensions that the plan has compared. */
static void print_dimensions(const work *w, const rm2_fit_plan_info *p) {
    if (w->common->quiet || p->dimension_count == 0)
        return;
    (void)fprintf(stderr, "%6s | %12s | %9s | %9s\n", "latent", "log density", "std error",
                  "residual");
    for (size_t k = 0; k < p->dimension_count; k++) {
        const rm2_latent_choice *row = &p->dimensions[k];
        (void)fprintf(stderr, "%6zu | %12.4f | %9.4f | %9.4g%s\n", row->latent_dim,
                      row->log_density, row->standard_error, row->residual,
                      k == p->chosen ? "  chosen" : "");
    }
}

static int plan(training *t) {
    const work *w = &t->work;
    progress p;
    if (t->options->settings.latent_dim == 0)
        work_note(w, "choosing the latent dimension on held-out points");
    progress_begin(w, &p);
    int code = progress_end(&p, rm2_fit_plan_create(w->ctx, t->data, &t->settings, &t->plan));
    if (code != EXIT_DONE)
        return code;
    const rm2_fit_plan_info *info = rm2_fit_plan_info_of(t->plan);
    print_dimensions(w, info);
    for (size_t k = 0; k < info->note_count; k++)
        if (info->notes[k].warning && !w->common->quiet)
            fit_print_note(stderr, "warning: ", &info->notes[k]);
    return EXIT_DONE;
}

static int train(training *t) {
    const work *w = &t->work;
    const fit_options *o = t->options;
    table rows = {
        .quiet = w->common->quiet, .every = w->common->verbose, .terminal = isatty(2) != 0};
    rm2_checkpoint checkpoint = {o->checkpoint, o->checkpoint_every > 0 ? o->checkpoint_every : 60,
                                 o->resume};
    rm2_context_set_progress(w->ctx, print_row, &rows);
    catch_interrupts(w->ctx);
    rm2_status status;
    if (t->old)
        status = rm2_fit_add(w->ctx, t->old, t->data, &checkpoint, t->added, &t->model);
    else if (t->plan)
        status = rm2_fit_run(w->ctx, t->plan, &checkpoint, &t->model);
    else
        status = rm2_fit_file(w->ctx, t->path, &t->data_options->settings, &t->settings,
                              &checkpoint, &t->model);
    catch_interrupts(NULL);
    rm2_context_set_progress(w->ctx, NULL, NULL);
    rm2_context_clear_interrupt(w->ctx);
    return work_check(w, status);
}

fit_end fit_ended(const rm2_model_info *i) {
    if (i->training.stop == RM2_STOP_INTERRUPTED || i->training.stop == RM2_STOP_MAX_SECONDS)
        return FIT_UNFINISHED;
    bool no_other_end = i->settings->optim.method == RM2_ADAM;
    return i->training.stop != RM2_STOP_MAX_ITERATIONS || no_other_end ? FIT_CONVERGED
                                                                       : FIT_AT_LIMIT;
}

static int finish(const training *t) {
    const common_options *common = t->work.common;
    const rm2_model_info *info = rm2_model_info_of(t->model);
    int code = fit_write_model(t);
    if (code != EXIT_DONE)
        return code;
    if (common->json || !common->quiet) {
        FILE *out = strcmp(t->options->output, "-") == 0 ? stderr : stdout;
        fit_print_summary(out, t, info);
    }
    bool relied = fit_ended(info) != FIT_UNFINISHED && fit_unknown(t) == 0;
    return relied ? EXIT_DONE : EXIT_NOT_CONVERGED;
}

/* ---- command --------------------------------------------------------------------------------- */

/* May every process reads its part, each its part? Nothing here may need the data themselves. */
static bool fit_in_parts(const training *t) {
    const fit_options *o = t->options;
    const rm2_data_settings *d = &t->data_options->settings;
    return command_ranks() > 1 && o->compact && !o->init_from && !o->base_point &&
           !o->back_kernels && !o->inducing_points && !d->holdout && !d->label;
}

static int fit(training *t) {
    int code = check_outputs(t);
    if (code == EXIT_DONE && t->options->add)
        code = fit_read_addition(t);
    else if (code == EXIT_DONE && !fit_in_parts(t)) {
        code = fit_read_inputs(t);
        if (code == EXIT_DONE)
            code = plan(t);
    }
    if (code == EXIT_DONE)
        code = train(t);
    return code == EXIT_DONE ? finish(t) : code;
}

/* --family: its column takes the place of the labels. */
static int copy_family(training *t) {
    const char *family = t->options->family;
    if (!family)
        return EXIT_DONE;
    if (t->data_options->settings.label)
        return work_complain(&t->work, EXIT_USAGE, "--family and --label exclude each other");
    t->data_options->settings.label = family;
    return EXIT_DONE;
}

static int run(training *t) {
    int code = fit_options_check(&t->work, t->options);
    if (code == EXIT_DONE)
        code = copy_family(t);
    if (code == EXIT_DONE)
        code = fit_options_settings(&t->work, t->options, &t->texts, &t->settings);
    if (code == EXIT_DONE)
        code = fit(t);
    training_free(t);
    return code;
}

int run_fit(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    fit_options options = fit_options_default();
    char names[200] = "", title[240];
    hyper_list_names(names, sizeof names);
    (void)snprintf(title, sizeof title, "Hyperparameters (NAME:%s)", names);
    const option_group groups[] = {{"Files", fit_option_table, &options, NULL},
                                   {NULL, NULL, &options.settings, &options.from},
                                   {title, hyper_option_table, &options, NULL},
                                   {"Data", NULL, &data.settings, &data.from},
                                   {"Common options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    const char *path;
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, &path, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    bool more = options.add || options.from_model;
    if (more && (count || !options.add || !options.from_model)) {
        (void)fprintf(
            stderr, "riemann2 fit: expected --add FILE --from MODEL together, and no other file\n");
        return EXIT_USAGE;
    }
    if ((!more && (count == 0 || !data.settings.manifold)) || !options.output) {
        (void)fprintf(stderr, "usage: riemann2 fit %s\n%s", self->usage, self->examples);
        return EXIT_USAGE;
    }
    work w = {self, command_context(&common), &common};
    if (!w.ctx)
        return EXIT_FAILED;
    training *t = calloc(1, sizeof *t);
    int code = t ? EXIT_DONE : work_no_memory(&w);
    if (t) {
        t->work = w;
        t->path = more ? options.add : path;
        t->data_options = &data;
        t->options = &options;
        code = run(t);
    }
    free(t);
    rm2_context_free(w.ctx);
    return code;
}
