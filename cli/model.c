/* riemann2 info, decode, encode, sample: what can be done with a model. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fit.h"

/* ---- steps of a command --------------------------------------------------------------------- */

int work_complain(const work *w, int code, const char *format, ...) {
    va_list arguments;
    (void)fprintf(stderr, "riemann2 %s: ", w->self->name);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
    return code;
}

int work_no_memory(const work *w) {
    return work_complain(w, EXIT_FAILED, "%s", rm2_status_text(RM2_ERR_MEMORY));
}

int work_check(const work *w, rm2_status status) {
    if (status == RM2_OK)
        return EXIT_DONE;
    int code = command_fail(w->self, w->ctx, status);
    return code == EXIT_DONE ? EXIT_FAILED : code;
}

void work_note(const work *w, const char *text) {
    if (!w->common->quiet)
        (void)fprintf(stderr, "%s\n", text);
}

bool same_file(const char *a, const char *b) {
    struct stat first, second;
    return strcmp(a, b) == 0 || (stat(a, &first) == 0 && stat(b, &second) == 0 &&
                                 first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

int work_check_output(const work *w, const char *path, const char *const *inputs) {
    struct stat info;
    if (strcmp(path, "-") == 0 ||
        (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
        return EXIT_DONE; /* opening a pipe is felt at its other end */
    for (; *inputs; inputs++)
        if (same_file(path, *inputs))
            return work_complain(w, EXIT_FAILED, "%s is read by this command: write elsewhere",
                                 path);
    rm2_output *output;
    rm2_status status = rm2_output_open(w->ctx, path, w->common->force, &output);
    rm2_output_discard(output);
    return work_check(w, status);
}

/* ---- files of latent points ----------------------------------------------------------------- */

enum { NAME_SIZE = 32 };

static void latent_name(size_t q, char name[NAME_SIZE]) {
    (void)snprintf(name, NAME_SIZE, "z%zu", q + 1);
}

/* Has the first line a field "z1"? */
static bool has_latent_names(const char *path) {
    char line[4096] = "";
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool read = fgets(line, sizeof line, file) != NULL;
    (void)fclose(file);
    for (const char *at = read ? strstr(line, "z1") : NULL; at; at = strstr(at + 1, "z1"))
        if ((at == line || strchr(",;\t \"\xBF", at[-1])) && strchr(",;\t \"\r\n", at[2]))
            return true;
    return false;
}

/* A CSV file as a table; of a file with names, only the columns z1, z2, ... have numbers. */
static rm2_status read_table(rm2_context *ctx, const char *path, size_t Q, bool named,
                             rm2_table *table) {
    rm2_csv_settings s = rm2_csv_settings_default();
    if (!named)
        return rm2_csv_read(ctx, path, &s, table);
    *table = (rm2_table){0};
    char(*names)[NAME_SIZE] = calloc(Q, sizeof *names);
    const char **numeric = calloc(Q, sizeof *numeric);
    rm2_status status = RM2_ERR_MEMORY;
    if (names && numeric) {
        for (size_t q = 0; q < Q; q++) {
            latent_name(q, names[q]);
            numeric[q] = names[q];
        }
        s.numeric = numeric;
        s.numeric_count = Q;
        status = rm2_csv_read(ctx, path, &s, table);
    }
    free(numeric);
    free(names);
    return status;
}

static int take_columns(const work *w, const rm2_table *table, bool named, size_t Q,
                        double **values) {
    *values = malloc((table->rows * Q + 1) * sizeof **values);
    if (!*values)
        return work_no_memory(w);
    for (size_t q = 0; q < Q; q++) {
        char name[NAME_SIZE];
        latent_name(q, name);
        size_t column = named ? rm2_table_column(table, name) : q;
        for (size_t i = 0; i < table->rows; i++)
            (*values)[i * Q + q] = table->values[i * table->columns + column];
    }
    return EXIT_DONE;
}

static int wrong_columns(const work *w, const char *path, size_t found, size_t Q) {
    return work_complain(w, EXIT_BAD_DATA,
                         "%s has %zu column%s, but the latent space has %zu dimension%s%s", path,
                         found, found == 1 ? "" : "s", Q, Q == 1 ? "" : "s",
                         found > Q ? "; name their columns z1, z2, ..." : "");
}

static int read_csv(const work *w, const char *path, size_t Q, size_t *rows, double **values) {
    rm2_table table;
    bool named = has_latent_names(path);
    int code = work_check(w, read_table(w->ctx, path, Q, named, &table));
    if (code != EXIT_DONE)
        return code;
    *rows = table.rows;
    code = named || table.columns == Q ? take_columns(w, &table, named, Q, values)
                                       : wrong_columns(w, path, table.columns, Q);
    rm2_table_free(&table);
    return code;
}

/* The last dimension is the latent one: points, or trajectories of points. */
static int read_npy(const work *w, const char *path, size_t Q, size_t *rows, double **values) {
    rm2_array array;
    int code = work_check(w, rm2_npy_read(w->ctx, path, &array));
    if (code != EXIT_DONE)
        return code;
    size_t found = array.dims > 1 ? array.shape[array.dims - 1] : 1;
    if (found == Q) {
        *rows = rm2_array_count(&array) / Q;
        *values = array.values;
        array.values = NULL;
    } else {
        code = wrong_columns(w, path, found, Q);
    }
    rm2_array_free(&array);
    return code;
}

int work_read_latents(const work *w, const char *path, size_t Q, size_t *rows, double **values) {
    size_t length = strlen(path);
    bool npy = length > 4 && strcmp(path + length - 4, ".npy") == 0;
    *values = NULL;
    int code = npy ? read_npy(w, path, Q, rows, values) : read_csv(w, path, Q, rows, values);
    for (size_t i = 0; code == EXIT_DONE && i < *rows * Q; i++)
        if (!isfinite((*values)[i]))
            code =
                work_complain(w, EXIT_BAD_DATA, "%s: latent point %zu is not finite", path, i / Q);
    if (code == EXIT_DONE && *rows == 0)
        code = work_complain(w, EXIT_BAD_DATA, "%s has no points", path);
    return code;
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

static char *copy_text(const char *text) {
    size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy)
        memcpy(copy, text, bytes);
    return copy;
}

/* The next column: row i has values[i * stride]. */
static bool sheet_add(sheet *s, const char *name, const double *values, size_t stride) {
    rm2_table *t = &s->table;
    t->names[s->next] = copy_text(name);
    if (!t->names[s->next])
        return false;
    for (size_t i = 0; i < t->rows; i++)
        t->values[i * t->columns + s->next] = values[i * stride];
    s->next++;
    return true;
}

/* The next column, of texts: row i has texts[codes[i]]. */
static bool sheet_add_texts(sheet *s, const char *name, const double *codes,
                            const char *const *texts, size_t count) {
    rm2_table *t = &s->table;
    size_t column = s->next;
    if (!sheet_add(s, name, codes, 1))
        return false;
    t->texts[column] = calloc(count, sizeof *t->texts[column]);
    if (!t->texts[column])
        return false;
    t->text_counts[column] = count;
    for (size_t k = 0; k < count; k++)
        if (!(t->texts[column][k] = copy_text(texts[k])))
            return false;
    return true;
}

/* Column "demo", as generate writes it; nothing without trajectories. */
static bool sheet_add_trajectories(sheet *s, size_t count, const size_t *starts,
                                   const char *const *ids) {
    if (count == 0)
        return true;
    double *codes = malloc(s->table.rows * sizeof *codes);
    for (size_t t = 0; codes && t < count; t++)
        for (size_t i = starts[t]; i < starts[t + 1]; i++)
            codes[i] = (double)t;
    bool added = codes && sheet_add_texts(s, "demo", codes, ids, count);
    free(codes);
    return added;
}

static bool sheet_add_labels(sheet *s, const rm2_model_info *i) {
    if (!i->labels)
        return true;
    double *codes = malloc(i->points * sizeof *codes);
    for (size_t n = 0; codes && n < i->points; n++)
        codes[n] = (double)i->labels[n];
    bool added = codes && sheet_add_texts(s, "label", codes, i->label_names, i->label_count);
    free(codes);
    return added;
}

static bool sheet_add_latents(sheet *s, size_t Q, const double *latents) {
    for (size_t q = 0; q < Q; q++) {
        char name[NAME_SIZE];
        latent_name(q, name);
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

static void sheet_free(sheet *s) {
    rm2_table_free(&s->table);
}

/* ---- options -------------------------------------------------------------------------------- */

typedef struct model_options {
    const char *output, *at, *trajectory, *latents;
    bool train, noise, residual, no_back;
    size_t count, starts;
} model_options;

#define MODEL(member) offsetof(model_options, member)

static const option info_table[] = {
    {"--latents", "FILE", OPTION_TEXT, MODEL(latents), NULL,
     "write the latent points of the training data (CSV)"},
    {.name = NULL},
};

static const option decode_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "CSV file to write (also -o; - prints)"},
    {"--at", "Z1,Z2,...", OPTION_TEXT, MODEL(at), NULL, "one latent point, instead of a file"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "the latents of this training trajectory"},
    {.name = NULL},
};

static const option sample_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "CSV file to write (also -o; - prints)"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "along the latents of this training trajectory, instead of a file"},
    {"--count", "N", OPTION_SIZE, MODEL(count), NULL, "number of samples (default: 1)"},
    {"--with-noise", NULL, OPTION_FLAG, MODEL(noise), NULL, "add observation noise"},
    {.name = NULL},
};

static const option encode_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "CSV file to write (also -o; - prints)"},
    {"--residual", NULL, OPTION_FLAG, MODEL(residual), NULL,
     "least squares instead of the predictive density"},
    {"--starts", "N", OPTION_SIZE, MODEL(starts), NULL, "searches for each point (default: 4)"},
    {"--no-back-constraint", NULL, OPTION_FLAG, MODEL(no_back), NULL,
     "search, even if the model has a back constraint"},
    {.name = NULL},
};

/* ---- what a command on a model works with --------------------------------------------------- */

typedef struct model_work {
    work work;
    const char *paths[2]; /* the model, and a second file or NULL */
    const model_options *options;
    rm2_model *model;
    rm2_model_info info;
} model_work;

static bool prints(const char *output) {
    return !output || strcmp(output, "-") == 0;
}

/* --json asks for the summary on standard output, the table goes to a file or nowhere. */
static bool wants_table(const model_work *m) {
    return m->options->output || !m->work.common->json;
}

static int write_sheet(const model_work *m, const sheet *s) {
    const char *path = m->options->output ? m->options->output : "-";
    return work_check(&m->work, rm2_csv_write(m->work.ctx, path, &s->table, m->work.common->force));
}

/* "motion.csv: 100 points on R2 x S2"; nothing where the points themselves are printed. */
static void report_points(const model_work *m, size_t points, size_t samples) {
    const char *output = m->options->output;
    if (m->work.common->json) {
        FILE *out = output && strcmp(output, "-") == 0 ? stderr : stdout;
        (void)fprintf(out, "{\"file\": ");
        if (output)
            json_text(out, output);
        else
            (void)fprintf(out, "null");
        (void)fprintf(out, ", \"manifold\": ");
        json_text(out, rm2_manifold_spec(m->info.manifold));
        (void)fprintf(out, ", \"points\": %zu, \"samples\": %zu}\n", points, samples);
    } else if (!m->work.common->quiet && !prints(output)) {
        printf("%s: ", output);
        if (samples)
            printf("%zu sample%s of ", samples, samples == 1 ? "" : "s");
        printf("%zu point%s on %s\n", points, points == 1 ? "" : "s",
               rm2_manifold_spec(m->info.manifold));
    }
}

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

static int latents_at(const model_work *m, size_t *n, double **latents) {
    size_t Q = m->info.latent_dim;
    *n = 1;
    *latents = malloc(Q * sizeof **latents);
    if (!*latents)
        return work_no_memory(&m->work);
    if (parse_numbers(m->options->at, Q, *latents))
        return EXIT_DONE;
    return work_complain(&m->work, EXIT_USAGE, "--at %s: expected %zu number%s%s", m->options->at,
                         Q, Q == 1 ? "" : "s", Q == 1 ? "" : " with commas between them");
}

/* Training points from..to. */
static int latents_of(const model_work *m, size_t from, size_t to, size_t *n, double **latents) {
    size_t Q = m->info.latent_dim;
    *n = to - from;
    *latents = malloc((*n * Q + 1) * sizeof **latents);
    if (!*latents)
        return work_no_memory(&m->work);
    memcpy(*latents, m->info.latents + from * Q, *n * Q * sizeof **latents);
    return EXIT_DONE;
}

static int no_trajectory(const model_work *m) {
    enum { SHOWN = 10 };
    char list[200] = "";
    size_t used = 0, count = m->info.trajectories;
    if (count == 0)
        return work_complain(&m->work, EXIT_BAD_DATA,
                             "the model was trained without trajectories (fit --group)");
    for (size_t t = 0; t < count && t < SHOWN && used < sizeof list; t++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", t ? ", " : "",
                                 m->info.ids[t]);
    return work_complain(&m->work, EXIT_BAD_DATA, "the model has no trajectory \"%s\"; it has %s%s",
                         m->options->trajectory, list, count > SHOWN ? ", ..." : "");
}

static int latents_of_trajectory(const model_work *m, size_t *n, double **latents) {
    const rm2_model_info *i = &m->info;
    for (size_t t = 0; t < i->trajectories; t++)
        if (strcmp(i->ids[t], m->options->trajectory) == 0)
            return latents_of(m, i->starts[t], i->starts[t + 1], n, latents);
    return no_trajectory(m);
}

/* From --at, --train, --trajectory or a file. */
static int find_latents(const model_work *m, size_t *n, double **latents) {
    *latents = NULL;
    if (m->options->at)
        return latents_at(m, n, latents);
    if (m->options->train)
        return latents_of(m, 0, m->info.points, n, latents);
    if (m->options->trajectory)
        return latents_of_trajectory(m, n, latents);
    return work_read_latents(&m->work, m->paths[1], m->info.latent_dim, n, latents);
}

/* ---- info ----------------------------------------------------------------------------------- */

static const char *const kernel_names[] = {"squared exponential", "Matérn 3/2", "Matérn 5/2"};
static const char *const recipe_names[] = {"robust", "map", "paper"};

static bool one_lengthscale(const rm2_model_info *i) {
    for (size_t q = 1; q < i->latent_dim; q++)
        if (i->lengthscale[q] < i->lengthscale[0] || i->lengthscale[q] > i->lengthscale[0])
            return false;
    return true;
}

static void print_hyperparameters(const rm2_model_info *i) {
    double trace = 0;
    bool kronecker = i->noise_kind == RM2_NOISE_KRONECKER;
    for (size_t m = 0; m < i->outputs; m++)
        trace += i->task_covariance[m * i->outputs + m] / (double)i->outputs;
    printf("kernel        %s, lengthscale", kernel_names[i->kernel]);
    for (size_t q = 0; q < (one_lengthscale(i) ? 1 : i->latent_dim); q++)
        printf(" %.4g", i->lengthscale[q]);
    printf(", variance %.4g\n", i->variance);
    printf("noise         variance %.4g %s\n", i->noise,
           kronecker ? "relative to the outputs'" : "and one for each output");
    printf("outputs       %s, mean variance %.4g\n", i->independent ? "independent" : "correlated",
           trace);
    if (i->gpdm[0] > 0)
        printf("dynamics      lengthscale %.4g, variance %.4g, noise %.4g\n", i->gpdm[0],
               i->gpdm[1], i->gpdm[2]);
}

static void print_objective(const rm2_model_info *i) {
    printf("objective     %.4f (start %.4f), without the constants of anchors\n", i->end.total,
           i->start.total);
    printf("  likelihood  %.4f; as a log density on the manifold %.4f\n", i->end.log_likelihood,
           i->end.log_likelihood - i->volume);
    printf("  priors      outputs %.4f, latents %.4f, dynamics %.4f, hyperparameters %.4f\n",
           i->end.task_anchor, i->end.latent, i->end.gpdm, i->end.hyper);
}

static void print_info(const rm2_model_info *i) {
    printf("model         %s on %s (%zu outputs), %zu latent dimension%s%s\n",
           i->kind == RM2_WGPLVM ? "wrapped GPLVM" : "Euclidean GPLVM",
           rm2_manifold_spec(i->manifold), i->outputs, i->latent_dim, i->latent_dim == 1 ? "" : "s",
           i->back_constraint ? ", back constraint" : "");
    printf("data          %zu points of %s", i->points, i->source);
    if (i->trajectories)
        printf(", %zu %s", i->trajectories, i->trajectories == 1 ? "trajectory" : "trajectories");
    if (i->label_count)
        printf(", %zu label%s", i->label_count, i->label_count == 1 ? "" : "s");
    printf("\n");
    print_hyperparameters(i);
    printf("recipe        %s, seed %llu\n", recipe_names[i->recipe], (unsigned long long)i->seed);
    print_objective(i);
    printf("training      %zu iteration%s, %zu evaluation%s; stopped: %s\n", i->iterations,
           i->iterations == 1 ? "" : "s", i->evaluations, i->evaluations == 1 ? "" : "s",
           rm2_stop_text(i->stop));
    if (i->end.jitter > 0)
        printf("jitter        %.1e added to a covariance matrix\n", i->end.jitter);
}

static void json_field(const char *name, double value) {
    printf(", \"%s\": ", name);
    json_number(stdout, value);
}

static void print_info_json(const rm2_model_info *i) {
    printf("{\"manifold\": \"%s\", \"model\": \"%s\", \"source\": ", rm2_manifold_spec(i->manifold),
           i->kind == RM2_WGPLVM ? "wgplvm" : "gplvm");
    json_text(stdout, i->source);
    printf(", \"points\": %zu, \"outputs\": %zu, \"latent\": %zu, \"trajectories\": %zu, "
           "\"recipe\": \"%s\", \"seed\": %llu, \"iterations\": %zu, \"evaluations\": %zu, "
           "\"stop\": ",
           i->points, i->outputs, i->latent_dim, i->trajectories, recipe_names[i->recipe],
           (unsigned long long)i->seed, i->iterations, i->evaluations);
    json_text(stdout, rm2_stop_text(i->stop));
    printf(", \"lengthscale\": [");
    for (size_t q = 0; q < i->latent_dim; q++) {
        printf("%s", q ? ", " : "");
        json_number(stdout, i->lengthscale[q]);
    }
    printf("]");
    json_field("variance", i->variance);
    json_field("noise", i->noise);
    json_field("objective_start", i->start.total);
    json_field("objective", i->end.total);
    json_field("log_likelihood", i->end.log_likelihood);
    json_field("log_density", i->end.log_likelihood - i->volume);
    json_field("jitter", i->end.jitter);
    printf("}\n");
}

static int write_latents(const model_work *m, const char *path) {
    const rm2_model_info *i = &m->info;
    sheet s;
    size_t texts = (i->trajectories ? 1u : 0u) + (i->labels ? 1u : 0u);
    bool built = sheet_create(&s, i->points, i->latent_dim + texts) &&
                 sheet_add_trajectories(&s, i->trajectories, i->starts, i->ids) &&
                 sheet_add_labels(&s, i) && sheet_add_latents(&s, i->latent_dim, i->latents);
    int code = built ? work_check(&m->work,
                                  rm2_csv_write(m->work.ctx, path, &s.table, m->work.common->force))
                     : work_no_memory(&m->work);
    sheet_free(&s);
    return code;
}

/* With the latents on standard output there is nothing else. */
static int do_info(const model_work *m) {
    const char *latents = m->options->latents;
    int code = latents ? write_latents(m, latents) : EXIT_DONE;
    if (code != EXIT_DONE || (latents && prints(latents)))
        return code;
    if (m->work.common->json)
        print_info_json(&m->info);
    else
        print_info(&m->info);
    return EXIT_DONE;
}

/* ---- decode --------------------------------------------------------------------------------- */

static int write_decoded(const model_work *m, size_t n, const double *latents, const double *points,
                         const double *deviation) {
    sheet s;
    size_t Q = m->info.latent_dim, ambient = rm2_manifold_ambient(m->info.manifold);
    bool built = sheet_create(&s, n, Q + ambient + 1) && sheet_add_latents(&s, Q, latents) &&
                 sheet_add_points(&s, m->info.manifold, points) &&
                 sheet_add(&s, "deviation", deviation, 1);
    int code = built ? write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    return code;
}

static int do_decode(const model_work *m) {
    size_t n = 0, ambient = rm2_manifold_ambient(m->info.manifold);
    double *latents, *points = NULL;
    int code = find_latents(m, &n, &latents);
    if (code == EXIT_DONE && !(points = malloc(n * (ambient + 1) * sizeof *points)))
        code = work_no_memory(&m->work);
    double *deviation = points ? points + n * ambient : NULL;
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_model_decode(m->work.ctx, m->model, n, latents, points,
                                                     NULL, NULL, deviation));
    if (code == EXIT_DONE && wants_table(m))
        code = write_decoded(m, n, latents, points, deviation);
    if (code == EXIT_DONE)
        report_points(m, n, 0);
    free(points);
    free(latents);
    return code;
}

/* ---- sample --------------------------------------------------------------------------------- */

static int write_samples(const model_work *m, size_t n, size_t count, const double *points) {
    sheet s;
    size_t rows = n * count;
    double *numbers = malloc((rows + 1) * sizeof *numbers);
    for (size_t k = 0; numbers && k < count; k++)
        for (size_t i = 0; i < n; i++)
            numbers[k * n + i] = (double)k;
    bool built = sheet_create(&s, rows, 1 + rm2_manifold_ambient(m->info.manifold)) && numbers &&
                 sheet_add(&s, "sample", numbers, 1) &&
                 sheet_add_points(&s, m->info.manifold, points);
    int code = built ? write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    free(numbers);
    return code;
}

static int do_sample(const model_work *m) {
    size_t n = 0, count = m->options->count ? m->options->count : 1;
    size_t ambient = rm2_manifold_ambient(m->info.manifold);
    double *latents, *points = NULL;
    int code = find_latents(m, &n, &latents);
    if (code == EXIT_DONE && (n > SIZE_MAX / sizeof *points / ambient / count ||
                              !(points = malloc(count * n * ambient * sizeof *points + 1))))
        code = work_no_memory(&m->work);
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_model_sample(m->work.ctx, m->model, n, latents, count,
                                                     m->options->noise, points));
    if (code == EXIT_DONE && wants_table(m))
        code = write_samples(m, n, count, points);
    if (code == EXIT_DONE)
        report_points(m, n, count);
    free(points);
    free(latents);
    return code;
}

/* ---- encode --------------------------------------------------------------------------------- */

typedef struct encoded {
    size_t n, Q, converged;
    double *latents, *covariance;
    rm2_encoded *info;
} encoded;

static void encoded_free(encoded *e) {
    free(e->latents);
    free(e->covariance);
    free(e->info);
}

/* Standard deviations: roots of the covariance's diagonal. */
static bool add_deviations(sheet *s, const encoded *e, double *column) {
    for (size_t q = 0; q < e->Q; q++) {
        char name[NAME_SIZE];
        (void)snprintf(name, sizeof name, "sd%zu", q + 1);
        for (size_t i = 0; i < e->n; i++)
            column[i] = sqrt(fmax(e->covariance[(i * e->Q + q) * e->Q + q], 0));
        if (!sheet_add(s, name, column, 1))
            return false;
    }
    return true;
}

static bool add_quality(sheet *s, const encoded *e, double *column) {
    static const char *const names[] = {"log_density", "residual", "converged"};
    for (int k = 0; k < 3; k++) {
        for (size_t i = 0; i < e->n; i++)
            column[i] = k == 0   ? e->info[i].log_density
                        : k == 1 ? e->info[i].residual
                                 : (double)e->info[i].converged;
        if (!sheet_add(s, names[k], column, 1))
            return false;
    }
    return true;
}

static int write_encoded(const model_work *m, const encoded *e, const rm2_data *data) {
    sheet s;
    double *column = malloc((e->n + 1) * sizeof *column);
    bool built = sheet_create(&s, e->n, (data->trajectories ? 1u : 0u) + 2 * e->Q + 3) && column &&
                 sheet_add_trajectories(&s, data->trajectories, data->starts,
                                        (const char *const *)data->ids) &&
                 sheet_add_latents(&s, e->Q, e->latents) && add_deviations(&s, e, column) &&
                 add_quality(&s, e, column);
    int code = built ? write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    free(column);
    return code;
}

static void print_encoded(const model_work *m, const encoded *e) {
    double density = 0, squares = 0;
    for (size_t i = 0; i < e->n; i++) {
        density += e->info[i].log_density / (double)e->n;
        squares += e->info[i].residual * e->info[i].residual / (double)e->n;
    }
    if (m->work.common->json) {
        printf("{\"points\": %zu, \"converged\": %zu", e->n, e->converged);
        json_field("log_density", density);
        json_field("residual", sqrt(squares));
        printf("}\n");
    } else if (!m->work.common->quiet) {
        (void)fprintf(prints(m->options->output) ? stderr : stdout,
                      "encoded %zu point%s (%zu converged): mean log density %.4f, root mean "
                      "squared residual %.4g (tangent coordinates)\n",
                      e->n, e->n == 1 ? "" : "s", e->converged, density, sqrt(squares));
    }
}

static int encode(const model_work *m, const rm2_data *data, encoded *e) {
    const model_options *o = m->options;
    rm2_encode_settings s = rm2_encode_settings_default();
    if (o->residual)
        s.objective = RM2_ENCODE_RESIDUAL;
    if (o->starts)
        s.starts = o->starts;
    s.back_constraint = !o->no_back;
    e->n = data->count;
    e->Q = m->info.latent_dim;
    e->latents = calloc(e->n, e->Q * sizeof *e->latents);
    e->covariance = calloc(e->n, e->Q * e->Q * sizeof *e->covariance);
    e->info = calloc(e->n, sizeof *e->info);
    if (!e->latents || !e->covariance || !e->info)
        return work_no_memory(&m->work);
    int code = work_check(&m->work, rm2_model_encode(m->work.ctx, m->model, &s, e->n, data->points,
                                                     e->latents, e->covariance, e->info));
    for (size_t i = 0; code == EXIT_DONE && i < e->n; i++)
        e->converged += e->info[i].converged;
    return code;
}

/* Data in the model's manifold and the file's own units; missing entries are allowed. */
static int read_observations(const model_work *m, data_options *options, rm2_data **data) {
    const char *own = rm2_manifold_spec(m->info.manifold);
    if (!options->settings.manifold)
        options->settings.manifold = own;
    rm2_status status = data_options_finish(m->work.ctx, options);
    options->settings.scale = false;
    options->settings.allow_missing = true;
    if (status == RM2_OK)
        status = rm2_data_read(m->work.ctx, m->paths[1], &options->settings, data, NULL, NULL);
    if (status == RM2_OK && strcmp(rm2_manifold_spec((*data)->manifold), own) != 0)
        return work_complain(&m->work, EXIT_BAD_DATA, "the model is on %s, the data are on %s", own,
                             rm2_manifold_spec((*data)->manifold));
    return work_check(&m->work, status);
}

static int encode_file(const model_work *m, data_options *options) {
    rm2_data *data = NULL;
    encoded e = {.n = 0};
    int code = read_observations(m, options, &data);
    if (code == EXIT_DONE)
        code = encode(m, data, &e);
    if (code == EXIT_DONE && wants_table(m))
        code = write_encoded(m, &e, data);
    if (code == EXIT_DONE) {
        print_encoded(m, &e);
        code = e.converged == e.n ? EXIT_DONE : EXIT_NOT_CONVERGED;
    }
    encoded_free(&e);
    rm2_data_free(data);
    return code;
}

/* ---- running a command on a model file ------------------------------------------------------ */

/* One of the actions: on what is in `m` alone, or with options that say how data are read. */
typedef struct action {
    const option *table;
    size_t files;      /* most arguments */
    bool needs_source; /* latent points from exactly one place */
    int (*run)(const model_work *m);
    int (*run_with_data)(const model_work *m, data_options *options);
} action;

/* A model there must be, and latent points or data from one place where they are needed. */
static int check_sources(const model_work *m, const action *a, size_t files) {
    const command *self = m->work.self;
    const model_options *o = m->options;
    int sources = (files == 2) + (o->at != NULL) + o->train + (o->trajectory != NULL);
    if (sources > 1)
        return work_complain(&m->work, EXIT_USAGE,
                             "more than one source of latent points; usage: riemann2 %s %s",
                             self->name, self->usage);
    if (files > 0 && (sources == 1 || !a->needs_source))
        return EXIT_DONE;
    (void)fprintf(stderr, "usage: riemann2 %s %s\n%s", self->name, self->usage, self->examples);
    return EXIT_USAGE;
}

static int open_and_run(model_work *m, const action *a, data_options *data) {
    const char *const inputs[] = {m->paths[0], m->paths[1], NULL};
    const char *output = m->options->latents ? m->options->latents : m->options->output;
    int code = output ? work_check_output(&m->work, output, inputs) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_model_read(m->work.ctx, m->paths[0], &m->model));
    if (code != EXIT_DONE)
        return code;
    m->info = rm2_model_describe(m->model);
    code = a->run ? a->run(m) : a->run_with_data(m, data);
    rm2_model_free(m->model);
    return code;
}

static int run_action(const command *self, int argc, char **argv, const action *a) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    model_options options = {.output = NULL};
    const option_group common_group = {"Common options", common_option_table, &common};
    const option_group data_group = {"Data", data_option_table, &data};
    const option_group groups[] = {{"Options", a->table, &options},
                                   a->run ? common_group : data_group,
                                   a->run ? (option_group){.options = NULL} : common_group,
                                   {.options = NULL}};
    model_work m = {.work = {self, NULL, &common}, .options = &options};
    size_t count;
    if (!options_parse(self->name, argc, argv, groups, m.paths, a->files, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    int code = check_sources(&m, a, count);
    if (code != EXIT_DONE)
        return code;
    m.work.ctx = command_context(&common);
    if (!m.work.ctx)
        return EXIT_FAILED;
    code = open_and_run(&m, a, &data);
    rm2_context_free(m.work.ctx);
    return code;
}

int run_info(const command *self, int argc, char **argv) {
    return run_action(self, argc, argv, &(action){.table = info_table, .files = 1, .run = do_info});
}

int run_decode(const command *self, int argc, char **argv) {
    return run_action(
        self, argc, argv,
        &(action){.table = decode_table, .files = 2, .needs_source = true, .run = do_decode});
}

int run_sample(const command *self, int argc, char **argv) {
    return run_action(
        self, argc, argv,
        &(action){.table = sample_table, .files = 2, .needs_source = true, .run = do_sample});
}

int run_encode(const command *self, int argc, char **argv) {
    return run_action(
        self, argc, argv,
        &(action){
            .table = encode_table, .files = 2, .needs_source = true, .run_with_data = encode_file});
}
