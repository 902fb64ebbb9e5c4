/* riemann2 fit: trains a model. The first Ctrl-C ends training with what it has, a second one ends
 * the program. */
#include "fit.h"

#include "work.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Everything a run of the command owns. */
typedef struct training {
    work work;
    const char *path; /* of the data */
    data_options *data_options;
    const fit_options *options;
    rm2_data *data, *held; /* held: trajectories set aside, or NULL */
    rm2_fit_settings settings;
    rm2_factor_kernel *kernels;
    double *start; /* latent points to start from, or NULL */
    rm2_model *model;
} training;

static void training_free(training *t) {
    free(t->start);
    free(t->kernels);
    rm2_model_free(t->model);
    rm2_data_free(t->data);
    rm2_data_free(t->held);
}

static const char *plural(size_t count) {
    return count == 1 ? "" : "s";
}

/* ---- progress ------------------------------------------------------------------------------- */

enum { ROW_EVERY = 10 };                /* iterations between two rows, */
static const double ROW_AT_LEAST = 2.0; /* or seconds, where iterations take long */

typedef struct table {
    bool quiet, every, terminal, begun;
    double last; /* seconds at the last row */
} table;

static void print_row(void *user, const rm2_progress *p) {
    table *t = user;
    bool last = p->stop != RM2_STOP_RUNNING;
    bool due = p->iteration % ROW_EVERY == 0 || p->iteration == 1;
    if (t->quiet || !(t->every || last || due || p->seconds - t->last >= ROW_AT_LEAST))
        return;
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
}

/* ---- interrupt ------------------------------------------------------------------------------ */

static rm2_context *interrupted_context; /* the one that the signal handler stops */

static void on_interrupt(int number) {
    (void)number;
    rm2_context_interrupt(interrupted_context);
}

/* Catch the first signal for `ctx`; with NULL, none any more. */
static void catch_interrupts(rm2_context *ctx) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = ctx ? on_interrupt : SIG_DFL;
    action.sa_flags = ctx ? (int)SA_RESETHAND : 0;
    (void)sigemptyset(&action.sa_mask);
    interrupted_context = ctx ? ctx : interrupted_context;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

/* ---- inputs --------------------------------------------------------------------------------- */

/* "heat:0.2,matern52:0.5", one for each factor. */
static bool parse_back_kernels(const char *text, size_t factors, rm2_factor_kernel *kernels) {
    for (size_t k = 0; k < factors; k++) {
        char name[32];
        size_t length = strcspn(text, ":");
        if (length == 0 || length >= sizeof name || text[length] != ':')
            return false;
        memcpy(name, text, length);
        name[length] = 0;
        char *end;
        double value = strtod(text + length + 1, &end);
        if (!rm2_kernel_from_name(name, &kernels[k].kind) || end == text + length + 1 ||
            !(value > 0 && isfinite(value)) || *end != (k + 1 < factors ? ',' : 0))
            return false;
        kernels[k].lengthscale = value;
        text = end + 1;
    }
    return true;
}

static int take_back_kernels(training *t) {
    const char *text = t->options->back_kernels;
    if (!text)
        return EXIT_DONE;
    size_t factors =
        t->settings.model == RM2_GPLVM ? 1 : rm2_manifold_factor_count(t->data->manifold);
    t->kernels = calloc(factors, sizeof *t->kernels);
    if (!t->kernels)
        return work_no_memory(&t->work);
    t->settings.back_kernels = t->kernels;
    if (parse_back_kernels(text, factors, t->kernels))
        return EXIT_DONE;
    return work_complain(&t->work, EXIT_USAGE,
                         "--back-kernels %s: expected kernel:lengthscale for %zu factor%s (%s), "
                         "such as heat:0.2%s",
                         text, factors, plural(factors), rm2_manifold_spec(t->data->manifold),
                         factors > 1 ? ",matern52:0.5" : "");
}

static int take_start(training *t) {
    const char *path = t->options->init_from;
    size_t rows;
    if (!path)
        return EXIT_DONE;
    int code = work_read_latents(&t->work, path, t->settings.latent_dim, &rows, &t->start);
    if (code == EXIT_DONE && rows != t->data->count)
        code = work_complain(&t->work, EXIT_BAD_DATA,
                             "%s has %zu latent point%s, but there are %zu training points", path,
                             rows, plural(rows), t->data->count);
    t->settings.init = RM2_INIT_GIVEN;
    t->settings.init_latent = t->start;
    return code;
}

/* Numbers of dimensions that cannot be meant, and settings that the data do not allow. */
static int check_settings(const training *t) {
    size_t Q = t->settings.latent_dim, dim = rm2_manifold_dim(t->data->manifold);
    char text[160];
    if (Q > t->data->count)
        return work_complain(&t->work, EXIT_USAGE,
                             "--latent %zu: more latent dimensions than points (%zu)", Q,
                             t->data->count);
    (void)snprintf(text, sizeof text, "warning: %zu latent dimensions for data of dimension %zu", Q,
                   dim);
    if (Q > dim)
        work_note(&t->work, text);
    rm2_fit_settings recipe = rm2_fit_settings_recipe(t->settings.recipe);
    if (recipe.gpdm_weight > 0 && t->data->trajectories == 0 && !t->options->gpdm &&
        !t->options->no_gpdm)
        work_note(&t->work, "warning: no trajectories, so without the recipe's dynamics prior; "
                            "name their column with --group");
    return EXIT_DONE;
}

static int read_inputs(training *t) {
    const work *w = &t->work;
    rm2_status status = data_options_finish(w->ctx, t->data_options);
    if (status == RM2_OK)
        status =
            rm2_data_read(w->ctx, t->path, &t->data_options->settings, &t->data, &t->held, NULL);
    if (status != RM2_OK)
        return work_check(w, status);
    t->settings = fit_options_settings(t->options, w->common->seed, t->data->trajectories > 0);
    int code = check_settings(t);
    if (code == EXIT_DONE)
        code = take_back_kernels(t);
    return code == EXIT_DONE ? take_start(t) : code;
}

/* What would be written must not be in the way of anything; told before training. */
static int check_outputs(const training *t) {
    const fit_options *o = t->options;
    const char *const inputs[] = {t->path, o->init_from, NULL};
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

/* ---- training ------------------------------------------------------------------------------- */

static int train(training *t) {
    const work *w = &t->work;
    const fit_options *o = t->options;
    table rows = {
        .quiet = w->common->quiet, .every = w->common->verbose, .terminal = isatty(2) != 0};
    rm2_checkpoint checkpoint = {o->checkpoint, o->checkpoint_every > 0 ? o->checkpoint_every : 60,
                                 o->resume};
    catch_interrupts(w->ctx);
    rm2_status status =
        rm2_fit(w->ctx, t->data, &t->settings, &checkpoint, print_row, &rows, &t->model);
    catch_interrupts(NULL);
    rm2_context_clear_interrupt(w->ctx);
    return work_check(w, status);
}

/* Adam has no other end than its number of iterations. */
static bool converged(const training *t, const rm2_model_info *i) {
    return i->stop != RM2_STOP_INTERRUPTED && i->stop != RM2_STOP_MAX_SECONDS &&
           (i->stop != RM2_STOP_MAX_ITERATIONS || t->settings.optim.method == RM2_ADAM);
}

/* Training that reaches its number of iterations is done, converged or not. */
static bool done(const rm2_model_info *i) {
    return i->stop != RM2_STOP_INTERRUPTED && i->stop != RM2_STOP_MAX_SECONDS;
}

/* ---- quality of the result ------------------------------------------------------------------ */

typedef struct quality {
    double ambient, outputs; /* reconstruction: root mean squared errors, scaled units */
    double *distance;        /* one for each factor, units of the data; NULL: not known */
    double held_density, held_residual; /* NaN: nothing held out */
} quality;

/* Root mean squared distance of the factor's part of n points. */
static rm2_status factor_distance(rm2_context *ctx, const rm2_factor *factor, size_t n,
                                  size_t ambient, const double *a, const double *b,
                                  double *result) {
    size_t own = factor->ambient;
    rm2_manifold *m;
    double *x = malloc(n * (2 * own + 1) * sizeof *x);
    if (!x)
        return RM2_ERR_MEMORY;
    double *y = x + n * own, *d = y + n * own, sum = 0;
    for (size_t i = 0; i < n; i++) {
        memcpy(x + i * own, a + i * ambient + factor->ambient_offset, own * sizeof *x);
        memcpy(y + i * own, b + i * ambient + factor->ambient_offset, own * sizeof *y);
    }
    rm2_status status = rm2_manifold_from_factors(ctx, factor, 1, &m);
    if (status == RM2_OK) {
        status = rm2_manifold_distance(ctx, m, n, x, n, y, d);
        rm2_manifold_free(m);
    }
    for (size_t i = 0; status == RM2_OK && i < n; i++)
        sum += d[i] * d[i] / (double)n;
    *result = sqrt(sum);
    free(x);
    return status;
}

/* Distances between the training points and what they are decoded to, factor by factor. */
static rm2_status find_distances(const training *t, const rm2_model_info *i, double *distance) {
    rm2_context *ctx = t->work.ctx;
    size_t ambient = rm2_manifold_ambient(i->manifold), entries = i->points * ambient;
    double *points = malloc(2 * entries * sizeof *points);
    if (!points)
        return RM2_ERR_MEMORY;
    double *decoded = points + entries;
    memcpy(points, i->data, entries * sizeof *points);
    rm2_data_unscale(t->data, i->points, points);
    rm2_status status =
        rm2_model_decode(ctx, t->model, i->points, i->latents, decoded, NULL, NULL, NULL);
    for (size_t k = 0; status == RM2_OK && k < rm2_manifold_factor_count(i->manifold); k++)
        status = factor_distance(ctx, rm2_manifold_factor(i->manifold, k), i->points, ambient,
                                 points, decoded, &distance[k]);
    free(points);
    return status;
}

/* Means over the trajectories that were held out. */
static rm2_status score_held_out(const training *t, quality *q) {
    size_t n = t->held->count, Q = t->settings.latent_dim;
    double *latents = malloc(n * Q * sizeof *latents), squares = 0;
    rm2_encoded *info = malloc(n * sizeof *info);
    rm2_status status = RM2_ERR_MEMORY;
    if (latents && info) {
        rm2_data_unscale(t->held, n, t->held->points);
        status =
            rm2_model_encode(t->work.ctx, t->model, NULL, n, t->held->points, latents, NULL, info);
    }
    if (status == RM2_OK) {
        q->held_density = 0;
        for (size_t i = 0; i < n; i++) {
            q->held_density += info[i].log_density / (double)n;
            squares += info[i].residual * info[i].residual / (double)n;
        }
        q->held_residual = sqrt(squares);
    }
    free(latents);
    free(info);
    return status;
}

/* The model is written by now: what cannot be told about it is a warning. */
static void warn_unless(const training *t, const char *what, rm2_status status) {
    char text[512];
    const char *why = rm2_context_error(t->work.ctx);
    (void)snprintf(text, sizeof text, "warning: %s: %s", what,
                   status != RM2_ERR_MEMORY && *why ? why : rm2_status_text(status));
    if (status != RM2_OK)
        work_note(&t->work, text);
}

static void judge(const training *t, const rm2_model_info *i, quality *q) {
    char text[96];
    *q = (quality){NAN, NAN, NULL, NAN, NAN};
    warn_unless(t, "reconstruction",
                rm2_model_reconstruction(t->work.ctx, t->model, &q->ambient, &q->outputs));
    if (i->kind == RM2_WGPLVM) { /* the other's points are not on the manifold */
        q->distance = malloc(rm2_manifold_factor_count(i->manifold) * sizeof *q->distance);
        rm2_status status = q->distance ? find_distances(t, i, q->distance) : RM2_ERR_MEMORY;
        warn_unless(t, "reconstruction", status);
        if (status != RM2_OK) {
            free(q->distance);
            q->distance = NULL;
        }
    }
    if (t->held) {
        (void)snprintf(text, sizeof text, "encoding the %zu points that were held out",
                       t->held->count);
        work_note(&t->work, text);
        warn_unless(t, "the points that were held out", score_held_out(t, q));
    }
}

/* ---- summary -------------------------------------------------------------------------------- */

static void print_json(FILE *out, const training *t, const rm2_model_info *i, const quality *q) {
    (void)fprintf(out, "{\"file\": ");
    json_text(out, t->options->output);
    (void)fprintf(out,
                  ", \"points\": %zu, \"outputs\": %zu, \"latent\": %zu, \"stop\": ", i->points,
                  i->outputs, i->latent_dim);
    json_text(out, rm2_stop_text(i->stop));
    (void)fprintf(out, ", \"converged\": %s, \"iterations\": %zu, \"evaluations\": %zu",
                  converged(t, i) ? "true" : "false", i->iterations, i->evaluations);
    json_field(out, "seconds", i->seconds);
    json_field(out, "objective_start", i->start.total);
    json_field(out, "objective", i->end.total);
    json_field(out, "log_likelihood", i->end.log_likelihood);
    json_field(out, "log_density", i->end.log_likelihood - i->volume);
    (void)fprintf(out, ", \"inducing\": %zu, \"gpdm_inducing\": %zu", i->inducing,
                  i->gpdm_inducing);
    json_field(out, "log_likelihood_lower", i->likelihood.lower);
    json_field(out, "log_likelihood_upper", i->likelihood.upper);
    json_field(out, "gpdm_lower", i->dynamics.lower);
    json_field(out, "gpdm_upper", i->dynamics.upper);
    json_field(out, "reconstruction", q->ambient);
    json_field(out, "reconstruction_tangent", q->outputs);
    (void)fprintf(out, ", \"distance\": [");
    for (size_t k = 0; q->distance && k < rm2_manifold_factor_count(i->manifold); k++) {
        (void)fprintf(out, "%s", k ? ", " : "");
        json_number(out, q->distance[k]);
    }
    (void)fprintf(out, "]");
    json_field(out, "held_out_log_density", q->held_density);
    json_field(out, "held_out_residual", q->held_residual);
    (void)fprintf(out, "}\n");
}

static void print_reconstruction(FILE *out, const rm2_model_info *i, const quality *q) {
    if (!q->distance) {
        (void)fprintf(out, "reconstruction: root mean squared error of the entries %.4g\n",
                      q->ambient);
        return;
    }
    (void)fprintf(out, "reconstruction: root mean squared distance");
    for (size_t k = 0; k < rm2_manifold_factor_count(i->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(i->manifold, k);
        (void)fprintf(out, "%s %.4g on %s%zu", k ? "," : "", q->distance[k], f->geometry->name,
                      f->n);
    }
    (void)fprintf(out, ", units of the data\n");
}

/* What is proven of the bounds that were maximised. */
static void print_inference(FILE *out, const rm2_model_info *i) {
    if (i->inducing == 0)
        return;
    (void)fprintf(
        out,
        "inference by %zu inducing point%s: log-likelihood %.4f, exactly between %.4f and "
        "%.4f (at most %.1e nats a point above)\n",
        i->inducing, plural(i->inducing), i->end.log_likelihood, i->likelihood.lower,
        i->likelihood.upper, (i->likelihood.upper - i->end.log_likelihood) / (double)i->points);
    if (i->gpdm_inducing)
        (void)fprintf(out, "dynamics by %zu: %.4f, exactly between %.4f and %.4f\n",
                      i->gpdm_inducing, i->end.gpdm, i->dynamics.lower, i->dynamics.upper);
}

static void print_text(FILE *out, const training *t, const rm2_model_info *i, const quality *q) {
    (void)fprintf(out, "trained on %zu points of %s, %zu latent dimension%s\n", i->points,
                  rm2_manifold_spec(i->manifold), i->latent_dim, plural(i->latent_dim));
    (void)fprintf(out, "stopped: %s, after %zu iteration%s (%zu evaluation%s, %.2f s)\n",
                  rm2_stop_text(i->stop), i->iterations, plural(i->iterations), i->evaluations,
                  plural(i->evaluations), i->seconds);
    (void)fprintf(out, "objective %.4f (start %.4f); log density on the manifold %.4f\n",
                  i->end.total, i->start.total, i->end.log_likelihood - i->volume);
    print_inference(out, i);
    print_reconstruction(out, i, q);
    if (isfinite(q->held_density))
        (void)fprintf(out,
                      "held out: %zu points, mean log density %.4f, root mean squared residual "
                      "%.4g (tangent coordinates)\n",
                      t->held->count, q->held_density, q->held_residual);
    (void)fprintf(out, "model: %s\n", t->options->output);
    if (!converged(t, i))
        (void)fprintf(out, "not converged: %s\n",
                      t->options->checkpoint ? "go on with --resume (and more --iterations)"
                                             : "try more --iterations");
}

static int finish(const training *t) {
    const common_options *common = t->work.common;
    rm2_model_info info = rm2_model_describe(t->model);
    int code = work_check(
        &t->work, rm2_model_write(t->work.ctx, t->model, t->options->output, common->force));
    if (code != EXIT_DONE)
        return code;
    if (common->json || !common->quiet) {
        FILE *out = strcmp(t->options->output, "-") == 0 ? stderr : stdout;
        quality q;
        judge(t, &info, &q);
        if (common->json)
            print_json(out, t, &info, &q);
        else
            print_text(out, t, &info, &q);
        free(q.distance);
    }
    return done(&info) ? EXIT_DONE : EXIT_NOT_CONVERGED;
}

/* ---- command -------------------------------------------------------------------------------- */

static int fit(training *t) {
    int code = check_outputs(t);
    if (code == EXIT_DONE)
        code = read_inputs(t);
    if (code == EXIT_DONE)
        code = train(t);
    return code == EXIT_DONE ? finish(t) : code;
}

int run_fit(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    fit_options options = fit_options_default();
    const option_group groups[] = {{"Training", fit_option_table, &options},
                                   {"Data", data_option_table, &data},
                                   {"Common options", common_option_table, &common},
                                   {.options = NULL}};
    training t = {.work = {self, NULL, &common}, .data_options = &data, .options = &options};
    size_t count;
    if (!options_parse(self->name, argc, argv, groups, &t.path, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0 || !data.settings.manifold || !options.output) {
        (void)fprintf(stderr, "usage: riemann2 fit %s\n%s", self->usage, self->examples);
        return EXIT_USAGE;
    }
    const char *conflict = fit_options_conflict(&options);
    if (conflict)
        return work_complain(&t.work, EXIT_USAGE, "%s", conflict);
    t.work.ctx = command_context(&common);
    if (!t.work.ctx)
        return EXIT_FAILED;
    int code = fit(&t);
    training_free(&t);
    rm2_context_free(t.work.ctx);
    return code;
}
