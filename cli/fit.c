/* riemann2 fit: trains a model. Ctrl-C ends training with what it has. */
#include "fit.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- progress ------------------------------------------------------------------------------- */

typedef struct table {
    bool quiet, every, terminal;
    size_t printed;
} table;

static void print_row(void *user, const rm2_progress *p) {
    table *t = user;
    bool last = p->stop != RM2_STOP_RUNNING;
    if (t->quiet || !(t->every || last || p->iteration % 10 == 0 || p->iteration == 1))
        return;
    if (t->printed++ == 0)
        (void)fprintf(stderr, "%6s | %12s | %12s | %11s | %8s | %8s | %7s\n", "iter", "objective",
                      "loglik", "priors", "|grad|", "step", "time");
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

/* ---- inputs --------------------------------------------------------------------------------- */

/* "heat:0.2,matern52:0.5", one a factor. */
static bool parse_back_kernels(const char *text, size_t factors, rm2_factor_kernel *kernels) {
    for (size_t k = 0; k < factors; k++) {
        char name[32];
        size_t length = strcspn(text, ":");
        if (length == 0 || length >= sizeof name || text[length] != ':')
            return false;
        memcpy(name, text, length);
        name[length] = 0;
        char *end;
        kernels[k].lengthscale = strtod(text + length + 1, &end);
        if (!rm2_kernel_from_name(name, &kernels[k].kind) || end == text + length + 1 ||
            !(kernels[k].lengthscale > 0) || *end != (k + 1 < factors ? ',' : 0))
            return false;
        text = end + 1;
    }
    return true;
}

/* ---- result --------------------------------------------------------------------------------- */

static void print_summary(const rm2_model_info *i, double ambient, double inner, double lpd,
                          const char *output, bool json) {
    double density = i->end.log_likelihood - i->volume;
    if (json) {
        printf("{\"file\": ");
        json_text(stdout, output);
        printf(", \"points\": %zu, \"outputs\": %zu, \"latent\": %zu, \"stop\": ", i->points,
               i->outputs, i->latent_dim);
        json_text(stdout, rm2_stop_text(i->stop));
        printf(", \"iterations\": %zu, \"evaluations\": %zu, \"seconds\": %.3f", i->iterations,
               i->evaluations, i->seconds);
        printf(", \"objective_start\": ");
        json_number(stdout, i->start.total);
        printf(", \"objective\": ");
        json_number(stdout, i->end.total);
        printf(", \"log_likelihood\": ");
        json_number(stdout, i->end.log_likelihood);
        printf(", \"log_density\": ");
        json_number(stdout, density);
        printf(", \"reconstruction\": ");
        json_number(stdout, ambient);
        printf(", \"reconstruction_tangent\": ");
        json_number(stdout, inner);
        printf(", \"held_out_log_density\": ");
        json_number(stdout, lpd);
        printf("}\n");
        return;
    }
    printf("trained on %zu points of %s, %zu latent dimensions\n", i->points,
           rm2_manifold_spec(i->manifold), i->latent_dim);
    printf("stopped: %s, after %zu iterations (%zu evaluations, %.2f s)\n", rm2_stop_text(i->stop),
           i->iterations, i->evaluations, i->seconds);
    printf("objective %.4f (start %.4f); log density on the manifold %.4f\n", i->end.total,
           i->start.total, density);
    printf("the objective leaves out the constants of the anchors\n");
    printf(
        "reconstruction: root mean squared error %.4g (tangent coordinates %.4g), scaled units\n",
        ambient, inner);
    if (isfinite(lpd))
        printf("held out: mean log density a point %.4f (tangent coordinates)\n", lpd);
    printf("model: %s\n", output);
}

/* Mean log density of the trajectories that were held out; NaN if there are none. */
static rm2_status held_out_density(rm2_context *ctx, const rm2_model *model, rm2_data *held,
                                   double *mean) {
    *mean = NAN;
    if (!held)
        return RM2_OK;
    size_t Q = rm2_model_describe(model).latent_dim;
    double *latents = malloc(held->count * Q * sizeof *latents);
    rm2_encoded *info = malloc(held->count * sizeof *info);
    rm2_status status = RM2_ERR_MEMORY;
    if (latents && info) {
        rm2_data_unscale(held, held->count, held->points);
        status = rm2_model_encode(ctx, model, NULL, held->count, held->points, latents, NULL, info);
    }
    if (status == RM2_OK) {
        *mean = 0;
        for (size_t i = 0; i < held->count; i++)
            *mean += info[i].log_density / (double)held->count;
    }
    free(latents);
    free(info);
    return status;
}

static rm2_status finish(rm2_context *ctx, const rm2_model *model, rm2_data *held,
                         const char *output, const common_options *common) {
    double ambient, inner, lpd;
    rm2_model_info info = rm2_model_describe(model);
    rm2_context_clear_interrupt(ctx);
    rm2_status status = rm2_model_write(ctx, model, output, common->force);
    if (status == RM2_OK)
        status = rm2_model_reconstruction(ctx, model, &ambient, &inner);
    if (status == RM2_OK)
        status = held_out_density(ctx, model, held, &lpd);
    if (status == RM2_OK && (common->json || !common->quiet))
        print_summary(&info, ambient, inner, lpd, output, common->json);
    return status;
}

static rm2_status train(rm2_context *ctx, const rm2_data *data, const fit_options *options,
                        const common_options *common, rm2_fit_settings *s, rm2_model **model) {
    table rows = {.quiet = common->quiet, .every = common->verbose, .terminal = isatty(2) != 0};
    rm2_checkpoint checkpoint = {options->checkpoint, options->checkpoint_every, options->resume};
    interrupted_context = ctx;
    (void)signal(SIGINT, on_interrupt);
    (void)signal(SIGTERM, on_interrupt);
    return rm2_fit(ctx, data, s, &checkpoint, print_row, &rows, model);
}

static int fit(const command *self, rm2_context *ctx, const char *path, data_options *data_opts,
               const fit_options *options, const common_options *common) {
    rm2_data *data = NULL, *held = NULL;
    rm2_model *model = NULL;
    rm2_factor_kernel *kernels = NULL;
    double *start = NULL;
    rm2_status status = data_options_finish(ctx, data_opts);
    if (status == RM2_OK)
        status = rm2_data_read(ctx, path, &data_opts->settings, &data, &held, NULL);
    if (status == RM2_OK) {
        rm2_fit_settings s = fit_options_settings(options, common->seed, data->trajectories > 0);
        if (options->back_kernels) {
            size_t factors = s.model == RM2_GPLVM ? 1 : rm2_manifold_factor_count(data->manifold);
            kernels = calloc(factors, sizeof *kernels);
            if (!kernels || !parse_back_kernels(options->back_kernels, factors, kernels)) {
                (void)fprintf(
                    stderr,
                    "riemann2 fit: --back-kernels %s: expected %zu of kernel:lengthscale, "
                    "such as heat:0.2\n",
                    options->back_kernels, factors);
                status = RM2_ERR_ARGUMENT;
            }
            s.back_kernels = kernels;
        }
        size_t rows = data->count;
        if (status == RM2_OK && options->init_from) {
            s.init = RM2_INIT_GIVEN;
            status = read_numbers(ctx, options->init_from, s.latent_dim, &rows, &start);
            if (status == RM2_OK && rows != data->count) {
                (void)fprintf(stderr, "riemann2 fit: %s has %zu latent points for %zu points\n",
                              options->init_from, rows, data->count);
                free(start);
                free(kernels);
                rm2_data_free(data);
                rm2_data_free(held);
                return EXIT_BAD_DATA;
            }
            s.init_latent = start;
        }
        if (status == RM2_OK)
            status = train(ctx, data, options, common, &s, &model);
        if (status == RM2_OK)
            status = finish(ctx, model, held, options->output, common);
    }
    int code = status == RM2_OK ? EXIT_DONE : command_fail(self, ctx, status);
    free(start);
    free(kernels);
    rm2_model_free(model);
    rm2_data_free(data);
    rm2_data_free(held);
    return code;
}

int run_fit(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    fit_options options = fit_options_default();
    const option_group groups[] = {{"Training", fit_option_table, &options},
                                   {"Data", data_option_table, &data},
                                   {"Common options", common_option_table, &common},
                                   {.options = NULL}};
    const char *path = NULL;
    size_t count;
    if (!options_parse(self->name, argc, argv, groups, &path, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0 || !data.settings.manifold || !options.output) {
        (void)fprintf(stderr, "usage: riemann2 fit %s\n%s", self->usage, self->examples);
        return EXIT_USAGE;
    }
    if (!common.force && access(options.output, F_OK) == 0) { /* before training, not after */
        (void)fprintf(stderr, "riemann2 fit: %s exists already; use --force to overwrite\n",
                      options.output);
        return EXIT_FAILED;
    }
    rm2_context *ctx = command_context(&common);
    if (!ctx)
        return EXIT_FAILED;
    int code = fit(self, ctx, path, &data, &options, &common);
    rm2_context_free(ctx);
    return code;
}
