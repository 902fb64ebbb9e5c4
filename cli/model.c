/* riemann2 info, decode, encode, sample: what can be done with a model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* ---- files of numbers ----------------------------------------------------------------------- */

rm2_status read_numbers(rm2_context *ctx, const char *path, size_t columns, size_t *rows,
                        double **values) {
    *values = NULL;
    size_t length = strlen(path);
    size_t found;
    if (length > 4 && strcmp(path + length - 4, ".npy") == 0) {
        rm2_array array;
        rm2_status status = rm2_npy_read(ctx, path, &array);
        if (status != RM2_OK)
            return status;
        found = array.dims == 2 ? array.shape[1] : 1;
        *rows = found ? rm2_array_count(&array) / found : 0;
        *values = array.values;
        array.values = NULL;
        rm2_array_free(&array);
    } else {
        rm2_table table;
        rm2_csv_settings s = rm2_csv_settings_default();
        rm2_status status = rm2_csv_read(ctx, path, &s, &table);
        if (status != RM2_OK)
            return status;
        found = table.columns;
        *rows = table.rows;
        *values = table.values;
        table.values = NULL;
        rm2_table_free(&table);
    }
    if (found == columns)
        return RM2_OK;
    (void)fprintf(stderr, "riemann2: %s has %zu columns, expected %zu (latent coordinates)\n", path,
                  found, columns);
    free(*values);
    *values = NULL;
    return RM2_ERR_DATA;
}

/* ---- tables that grow by columns ------------------------------------------------------------ */

typedef struct sheet {
    rm2_table table;
    size_t next; /* column */
} sheet;

static bool sheet_create(sheet *s, size_t rows, size_t columns) {
    *s = (sheet){.table = {.rows = rows, .columns = columns}};
    rm2_table *t = &s->table;
    t->values = calloc(rows * columns + 1, sizeof *t->values);
    t->names = calloc(columns + 1, sizeof *t->names);
    t->texts = calloc(columns + 1, sizeof *t->texts);
    t->text_counts = calloc(columns + 1, sizeof *t->text_counts);
    return t->values && t->names && t->texts && t->text_counts;
}

/* The next column: row i has values[i * stride]. */
static bool sheet_add(sheet *s, const char *name, const double *values, size_t stride) {
    rm2_table *t = &s->table;
    size_t bytes = strlen(name) + 1;
    t->names[s->next] = malloc(bytes);
    if (!t->names[s->next])
        return false;
    memcpy(t->names[s->next], name, bytes);
    for (size_t i = 0; i < t->rows; i++)
        t->values[i * t->columns + s->next] = values[i * stride];
    s->next++;
    return true;
}

static bool sheet_add_latents(sheet *s, size_t Q, const double *latents) {
    for (size_t q = 0; q < Q; q++) {
        char name[32];
        (void)snprintf(name, sizeof name, "z%zu", q + 1);
        if (!sheet_add(s, name, latents + q, Q))
            return false;
    }
    return true;
}

static bool sheet_add_points(sheet *s, const rm2_manifold *m, const double *points) {
    size_t ambient = rm2_manifold_ambient(m);
    for (size_t k = 0; k < ambient; k++) {
        char name[96];
        rm2_data_column_name(m, k, name, sizeof name);
        if (!sheet_add(s, name, points + k, ambient))
            return false;
    }
    return true;
}

static rm2_status sheet_write(rm2_context *ctx, const sheet *s, const char *path, bool force) {
    return rm2_csv_write(ctx, path, &s->table, force);
}

static void sheet_free(sheet *s) {
    rm2_table_free(&s->table);
}

/* ---- options -------------------------------------------------------------------------------- */

typedef struct model_options {
    const char *output, *at, *trajectory;
    bool train, noise, residual, no_back;
    size_t count, starts;
    const char *latents;
} model_options;

#define MODEL(member) offsetof(model_options, member)

static const option info_table[] = {
    {"--latents", "FILE", OPTION_TEXT, MODEL(latents), NULL,
     "write the latent points of the training data"},
    {.name = NULL},
};

static const option decode_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "where to write (also -o; - prints)"},
    {"--at", "Z1,Z2,...", OPTION_TEXT, MODEL(at), NULL, "one latent point, instead of a file"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "the latents of the training data"},
    {.name = NULL},
};

static const option sample_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "where to write (also -o; - prints)"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "along the latents of this training trajectory, instead of a file"},
    {"--count", "N", OPTION_SIZE, MODEL(count), NULL, "number of samples (default: 1)"},
    {"--with-noise", NULL, OPTION_FLAG, MODEL(noise), NULL, "add observation noise"},
    {.name = NULL},
};

static const option encode_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "where to write (also -o; - prints)"},
    {"--residual", NULL, OPTION_FLAG, MODEL(residual), NULL,
     "least squares instead of the predictive density"},
    {"--starts", "N", OPTION_SIZE, MODEL(starts), NULL, "searches a point (default: 4)"},
    {"--no-back-constraint", NULL, OPTION_FLAG, MODEL(no_back), NULL,
     "search, even if the model has a back constraint"},
    {.name = NULL},
};

/* ---- latent points to work on --------------------------------------------------------------- */

static bool parse_numbers(const char *text, size_t count, double *values) {
    for (size_t k = 0; k < count; k++) {
        char *end;
        values[k] = strtod(text, &end);
        if (end == text || *end != (k + 1 < count ? ',' : 0) || !isfinite(values[k]))
            return false;
        text = end + 1;
    }
    return true;
}

static double *copy_numbers(const double *values, size_t count) {
    double *copy = malloc((count ? count : 1) * sizeof *copy);
    if (copy && count)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

/* From --at, --train, --trajectory or a file. */
static rm2_status find_latents(rm2_context *ctx, const rm2_model_info *i, const model_options *o,
                               const char *path, size_t *n, double **latents) {
    size_t Q = i->latent_dim;
    *latents = NULL;
    if (o->at) {
        double *point = malloc(Q * sizeof *point);
        *n = 1;
        *latents = point;
        if (point && !parse_numbers(o->at, Q, point)) {
            (void)fprintf(stderr, "riemann2: --at %s: expected %zu numbers with commas\n", o->at,
                          Q);
            return RM2_ERR_ARGUMENT;
        }
    } else if (o->train) {
        *n = i->points;
        *latents = copy_numbers(i->latents, *n * Q);
    } else if (o->trajectory) {
        size_t t = 0;
        while (t < i->trajectories && strcmp(i->ids[t], o->trajectory) != 0)
            t++;
        if (t == i->trajectories) {
            (void)fprintf(stderr, "riemann2: the model has no trajectory \"%s\" (it has %zu)\n",
                          o->trajectory, i->trajectories);
            return RM2_ERR_DATA;
        }
        *n = i->starts[t + 1] - i->starts[t];
        *latents = copy_numbers(i->latents + i->starts[t] * Q, *n * Q);
    } else {
        return read_numbers(ctx, path, Q, n, latents);
    }
    return *latents ? RM2_OK : RM2_ERR_MEMORY;
}

/* ---- info ----------------------------------------------------------------------------------- */

static const char *const kernel_names[] = {"squared exponential", "Matérn 3/2", "Matérn 5/2"};
static const char *const recipe_names[] = {"robust", "map", "paper"};

static void print_hyperparameters(const rm2_model_info *i) {
    double trace = 0;
    for (size_t m = 0; m < i->outputs; m++)
        trace += i->task_covariance[m * i->outputs + m] / (double)i->outputs;
    printf("kernel        %s, lengthscale", kernel_names[i->kernel]);
    for (size_t q = 0; q < i->latent_dim; q++)
        printf(" %.4g", i->lengthscale[q]);
    printf(", variance %.4g\n", i->variance);
    printf("noise         %s, %.4g\n",
           i->noise_kind == RM2_NOISE_KRONECKER ? "Kronecker" : "per output", i->noise);
    printf("outputs       %s, mean variance %.4g\n", i->independent ? "independent" : "correlated",
           trace);
    if (i->gpdm[0] > 0)
        printf("dynamics      lengthscale %.4g, variance %.4g, noise %.4g\n", i->gpdm[0],
               i->gpdm[1], i->gpdm[2]);
}

static void print_info(const rm2_model_info *i) {
    printf("model         %s on %s (%zu outputs), %zu latent dimensions%s\n",
           i->kind == RM2_WGPLVM ? "wrapped GPLVM" : "Euclidean GPLVM",
           rm2_manifold_spec(i->manifold), i->outputs, i->latent_dim,
           i->back_constraint ? ", back constraint" : "");
    printf("data          %zu points of %s", i->points, i->source);
    if (i->trajectories)
        printf(", %zu trajectories", i->trajectories);
    if (i->label_count)
        printf(", %zu labels", i->label_count);
    printf("\n");
    print_hyperparameters(i);
    printf("recipe        %s, seed %llu\n", recipe_names[i->recipe], (unsigned long long)i->seed);
    printf("objective     %.4f (start %.4f)\n", i->end.total, i->start.total);
    printf("  likelihood  %.4f; on the manifold %.4f\n", i->end.log_likelihood,
           i->end.log_likelihood - i->volume);
    printf("  priors      task anchor %.4f, latents %.4f, dynamics %.4f, hyperparameters %.4f\n",
           i->end.task_anchor, i->end.latent, i->end.gpdm, i->end.hyper);
    printf("training      %zu iterations, %zu evaluations, %.2f s; stopped: %s\n", i->iterations,
           i->evaluations, i->seconds, rm2_stop_text(i->stop));
    if (i->end.jitter > 0)
        printf("jitter        %.1e added to a covariance matrix\n", i->end.jitter);
}

static void json_field(const char *name, double value) {
    printf(", \"%s\": ", name);
    json_number(stdout, value);
}

static void print_info_json(const rm2_model_info *i) {
    printf("{\"manifold\": \"%s\", \"model\": \"%s\", \"points\": %zu, \"outputs\": %zu, "
           "\"latent\": %zu, \"trajectories\": %zu, \"recipe\": \"%s\", \"iterations\": %zu, "
           "\"evaluations\": %zu, \"stop\": ",
           rm2_manifold_spec(i->manifold), i->kind == RM2_WGPLVM ? "wgplvm" : "gplvm", i->points,
           i->outputs, i->latent_dim, i->trajectories, recipe_names[i->recipe], i->iterations,
           i->evaluations);
    json_text(stdout, rm2_stop_text(i->stop));
    json_field("lengthscale", i->lengthscale[0]);
    json_field("variance", i->variance);
    json_field("noise", i->noise);
    json_field("objective", i->end.total);
    json_field("log_likelihood", i->end.log_likelihood);
    json_field("log_density", i->end.log_likelihood - i->volume);
    json_field("seconds", i->seconds);
    json_field("jitter", i->end.jitter);
    printf("}\n");
}

static rm2_status write_latents(rm2_context *ctx, const rm2_model_info *i, const char *path,
                                bool force) {
    sheet s;
    rm2_status status = RM2_ERR_MEMORY;
    if (sheet_create(&s, i->points, i->latent_dim) &&
        sheet_add_latents(&s, i->latent_dim, i->latents))
        status = sheet_write(ctx, &s, path, force);
    sheet_free(&s);
    return status;
}

static rm2_status do_info(rm2_context *ctx, const rm2_model *model, const char *path,
                          const model_options *o, const common_options *common) {
    (void)path;
    rm2_model_info i = rm2_model_describe(model);
    if (common->json)
        print_info_json(&i);
    else
        print_info(&i);
    return o->latents ? write_latents(ctx, &i, o->latents, common->force) : RM2_OK;
}

/* ---- decode --------------------------------------------------------------------------------- */

static rm2_status do_decode(rm2_context *ctx, const rm2_model *model, const char *path,
                            const model_options *o, const common_options *common) {
    rm2_model_info i = rm2_model_describe(model);
    size_t n, ambient = rm2_manifold_ambient(i.manifold);
    double *latents, *points = NULL;
    sheet s = {.next = 0};
    rm2_status status = find_latents(ctx, &i, o, path, &n, &latents);
    if (status == RM2_OK && !(points = malloc(n * (ambient + 1) * sizeof *points)))
        status = RM2_ERR_MEMORY;
    double *deviation = points ? points + n * ambient : NULL;
    if (status == RM2_OK)
        status = rm2_model_decode(ctx, model, n, latents, points, NULL, NULL, deviation);
    if (status == RM2_OK) {
        bool built = sheet_create(&s, n, i.latent_dim + ambient + 1) &&
                     sheet_add_latents(&s, i.latent_dim, latents) &&
                     sheet_add_points(&s, i.manifold, points) &&
                     sheet_add(&s, "deviation", deviation, 1);
        status = built ? sheet_write(ctx, &s, o->output ? o->output : "-", common->force)
                       : RM2_ERR_MEMORY;
    }
    sheet_free(&s);
    free(points);
    free(latents);
    return status;
}

/* ---- sample --------------------------------------------------------------------------------- */

static rm2_status write_samples(rm2_context *ctx, const rm2_model_info *i, size_t n, size_t count,
                                const double *points, const char *path, bool force) {
    sheet s;
    size_t rows = n * count;
    double *numbers = malloc((rows ? rows : 1) * sizeof *numbers);
    rm2_status status = RM2_ERR_MEMORY;
    for (size_t r = 0; numbers && r < rows; r++)
        numbers[r] = (double)(r / n);
    if (numbers && sheet_create(&s, rows, 1 + rm2_manifold_ambient(i->manifold))) {
        if (sheet_add(&s, "sample", numbers, 1) && sheet_add_points(&s, i->manifold, points))
            status = sheet_write(ctx, &s, path, force);
        sheet_free(&s);
    }
    free(numbers);
    return status;
}

static rm2_status do_sample(rm2_context *ctx, const rm2_model *model, const char *path,
                            const model_options *o, const common_options *common) {
    rm2_model_info i = rm2_model_describe(model);
    size_t n, count = o->count ? o->count : 1, ambient = rm2_manifold_ambient(i.manifold);
    double *latents, *points = NULL;
    rm2_status status = find_latents(ctx, &i, o, path, &n, &latents);
    if (status == RM2_OK && !(points = malloc(count * n * ambient * sizeof *points)))
        status = RM2_ERR_MEMORY;
    if (status == RM2_OK)
        status = rm2_model_sample(ctx, model, n, latents, count, o->noise, points);
    if (status == RM2_OK)
        status =
            write_samples(ctx, &i, n, count, points, o->output ? o->output : "-", common->force);
    free(points);
    free(latents);
    return status;
}

/* ---- running a command on a model file ------------------------------------------------------ */

typedef rm2_status (*model_action)(rm2_context *, const rm2_model *, const char *path,
                                   const model_options *, const common_options *);

/* Arguments: MODEL, and a second file where the command takes one (needs_input). */
static int run_on_model(const command *self, int argc, char **argv, const option *table,
                        bool needs_input, model_action action) {
    common_options common = {.help = false};
    model_options options = {.output = NULL};
    const option_group groups[] = {{"Options", table, &options},
                                   {"Common options", common_option_table, &common},
                                   {.options = NULL}};
    const char *paths[2] = {NULL, NULL};
    size_t count;
    if (!options_parse(self->name, argc, argv, groups, paths, 2, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    bool has_input = count == 2 || options.at || options.train || options.trajectory;
    if (count == 0 || (needs_input && !has_input)) {
        (void)fprintf(stderr, "usage: riemann2 %s %s\n%s", self->name, self->usage, self->examples);
        return EXIT_USAGE;
    }
    rm2_context *ctx = command_context(&common);
    if (!ctx)
        return EXIT_FAILED;
    rm2_model *model;
    rm2_status status = rm2_model_read(ctx, paths[0], &model);
    if (status == RM2_OK)
        status = action(ctx, model, paths[1], &options, &common);
    int code = status == RM2_OK ? EXIT_DONE : command_fail(self, ctx, status);
    rm2_model_free(model);
    rm2_context_free(ctx);
    return code;
}

int run_info(const command *self, int argc, char **argv) {
    return run_on_model(self, argc, argv, info_table, false, do_info);
}

int run_decode(const command *self, int argc, char **argv) {
    return run_on_model(self, argc, argv, decode_table, true, do_decode);
}

int run_sample(const command *self, int argc, char **argv) {
    return run_on_model(self, argc, argv, sample_table, true, do_sample);
}

/* ---- encode --------------------------------------------------------------------------------- */

typedef struct encoded {
    size_t n, Q;
    double *latents, *covariance;
    rm2_encoded *info;
    bool all_converged;
} encoded;

static void encoded_free(encoded *e) {
    free(e->latents);
    free(e->covariance);
    free(e->info);
}

static rm2_status write_encoded(rm2_context *ctx, const encoded *e, const char *path, bool force) {
    sheet s;
    rm2_status status = RM2_ERR_MEMORY;
    double *column = malloc(e->n * 3 * sizeof *column);
    for (size_t i = 0; column && i < e->n; i++) {
        column[i] = e->info[i].log_density;
        column[e->n + i] = e->info[i].residual;
        column[2 * e->n + i] = e->info[i].converged;
    }
    if (column && sheet_create(&s, e->n, 2 * e->Q + 3)) {
        bool built = sheet_add_latents(&s, e->Q, e->latents);
        for (size_t q = 0; q < e->Q; q++) { /* standard deviations: roots of the diagonal */
            char name[32];
            (void)snprintf(name, sizeof name, "sd%zu", q + 1);
            for (size_t i = 0; i < e->n; i++) {
                double *variance = &e->covariance[(i * e->Q + q) * e->Q + q];
                *variance = sqrt(fmax(*variance, 0));
            }
            built = built && sheet_add(&s, name, e->covariance + q * e->Q + q, e->Q * e->Q);
        }
        built = built && sheet_add(&s, "log_density", column, 1) &&
                sheet_add(&s, "residual", column + e->n, 1) &&
                sheet_add(&s, "converged", column + 2 * e->n, 1);
        if (built)
            status = sheet_write(ctx, &s, path, force);
        sheet_free(&s);
    }
    free(column);
    return status;
}

static void print_encoded(const encoded *e, const common_options *common) {
    double density = 0, squares = 0;
    size_t converged = 0;
    for (size_t i = 0; i < e->n; i++) {
        density += e->info[i].log_density / (double)e->n;
        squares += e->info[i].residual * e->info[i].residual / (double)e->n;
        converged += e->info[i].converged;
    }
    FILE *out = common->json ? stdout : stderr;
    if (common->json) {
        printf("{\"points\": %zu, \"converged\": %zu", e->n, converged);
        json_field("log_density", density);
        json_field("residual", sqrt(squares));
        printf("}\n");
    } else if (!common->quiet) {
        (void)fprintf(
            out,
            "encoded %zu points (%zu converged): mean log density %.4f, root mean squared "
            "residual %.4g (tangent coordinates)\n",
            e->n, converged, density, sqrt(squares));
    }
}

static rm2_status encode(rm2_context *ctx, const rm2_model *model, const rm2_data *data,
                         const model_options *o, encoded *e) {
    rm2_encode_settings s = rm2_encode_settings_default();
    if (o->residual)
        s.objective = RM2_ENCODE_RESIDUAL;
    if (o->starts)
        s.starts = o->starts;
    s.back_constraint = !o->no_back;
    e->n = data->count;
    e->Q = rm2_model_describe(model).latent_dim;
    e->latents = malloc(e->n * e->Q * sizeof *e->latents);
    e->covariance = malloc(e->n * e->Q * e->Q * sizeof *e->covariance);
    e->info = malloc(e->n * sizeof *e->info);
    if (!e->latents || !e->covariance || !e->info)
        return RM2_ERR_MEMORY;
    rm2_status status =
        rm2_model_encode(ctx, model, &s, e->n, data->points, e->latents, e->covariance, e->info);
    e->all_converged = true;
    for (size_t i = 0; status == RM2_OK && i < e->n; i++)
        e->all_converged = e->all_converged && e->info[i].converged;
    return status;
}

/* Data in the model's manifold and the file's own units; missing entries are allowed. */
static rm2_status read_observations(rm2_context *ctx, const rm2_model *model, const char *path,
                                    data_options *options, rm2_data **data) {
    const char *own = rm2_manifold_spec(rm2_model_describe(model).manifold);
    if (!options->settings.manifold)
        options->settings.manifold = own;
    rm2_status status = data_options_finish(ctx, options);
    options->settings.scale = false;
    options->settings.allow_missing = true;
    if (status == RM2_OK)
        status = rm2_data_read(ctx, path, &options->settings, data, NULL, NULL);
    if (status == RM2_OK && strcmp(rm2_manifold_spec((*data)->manifold), own) != 0) {
        (void)fprintf(stderr, "riemann2 encode: the model is on %s, the data are on %s\n", own,
                      rm2_manifold_spec((*data)->manifold));
        status = RM2_ERR_DATA;
    }
    return status;
}

static int encode_file(const command *self, rm2_context *ctx, const char *const *paths,
                       data_options *data_opts, const model_options *o,
                       const common_options *common) {
    rm2_model *model;
    rm2_data *data = NULL;
    encoded e = {.n = 0};
    rm2_status status = rm2_model_read(ctx, paths[0], &model);
    if (status == RM2_OK)
        status = read_observations(ctx, model, paths[1], data_opts, &data);
    if (status == RM2_OK)
        status = encode(ctx, model, data, o, &e);
    if (status == RM2_OK)
        print_encoded(&e, common);
    if (status == RM2_OK && (o->output || !common->json))
        status = write_encoded(ctx, &e, o->output ? o->output : "-", common->force);
    int code = status != RM2_OK  ? command_fail(self, ctx, status)
               : e.all_converged ? EXIT_DONE
                                 : EXIT_NOT_CONVERGED;
    encoded_free(&e);
    rm2_data_free(data);
    rm2_model_free(model);
    return code;
}

int run_encode(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    model_options options = {.output = NULL};
    const option_group groups[] = {{"Options", encode_table, &options},
                                   {"Data", data_option_table, &data},
                                   {"Common options", common_option_table, &common},
                                   {.options = NULL}};
    const char *paths[2] = {NULL, NULL};
    size_t count;
    if (!options_parse(self->name, argc, argv, groups, paths, 2, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count < 2) {
        (void)fprintf(stderr, "usage: riemann2 encode %s\n%s", self->usage, self->examples);
        return EXIT_USAGE;
    }
    rm2_context *ctx = command_context(&common);
    if (!ctx)
        return EXIT_FAILED;
    int code = encode_file(self, ctx, paths, &data, &options, &common);
    rm2_context_free(ctx);
    return code;
}
