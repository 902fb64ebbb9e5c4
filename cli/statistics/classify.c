/* riemann2 classify: how well labels are predicted on the manifold and in latent spaces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "core/sheet.h"
#include "statistics/statistics.h"

typedef struct classify_options {
    const char *output, *methods;
    rm2_classify_settings settings;
    setting_options from;
} classify_options;

#define CLASSIFY(member) offsetof(classify_options, member)

static const option table[] = {
    {"--output", "FILE", OPTION_TEXT, CLASSIFY(output), NULL,
     "CSV file of the accuracies (also -o; - prints)"},
    {"--methods", "NAME,...", OPTION_TEXT, CLASSIFY(methods), NULL,
     "of mean, neighbours, tangent-logistic, latent-network, latent-euclidean, latent-logistic "
     "(default: these) and latent-geodesic (exact geodesics, slow)"},
    {.name = NULL},
};

/* What was found for one method. */
typedef struct outcome {
    rm2_classifier method;
    rm2_accuracy all;
    double *each, *each_error; /* label_count */
} outcome;

typedef struct classify_work {
    work work;
    const classify_options *options;
    const char *path;
    labelled_data d;
    rm2_classifier methods[RM2_CLASSIFIERS];
    size_t count;
    double *right;   /* count x n */
    double *numbers; /* count x 2 x label_count */
    outcome outcomes[RM2_CLASSIFIERS];
    size_t unconverged;
} classify_work;

/* ---- options -------------------------------------------------------------------------------- */

static void all_methods(classify_work *w) {
    for (int k = 0; k < RM2_CLASSIFIERS; k++)
        if (k != RM2_CLASSIFY_LATENT_GEODESIC)
            w->methods[w->count++] = (rm2_classifier)k;
}

static bool add_method(classify_work *w, const char *name) {
    for (int k = 0; k < RM2_CLASSIFIERS; k++) {
        if (strcmp(name, rm2_classifier_text((rm2_classifier)k)) != 0)
            continue;
        for (size_t j = 0; j < w->count; j++)
            if (w->methods[j] == (rm2_classifier)k)
                return true;
        w->methods[w->count++] = (rm2_classifier)k;
        return true;
    }
    return false;
}

static int parse_methods(classify_work *w) {
    size_t count = 0;
    int code = EXIT_DONE;
    if (!w->options->methods) {
        all_methods(w);
        return EXIT_DONE;
    }
    char **names = split_text(w->options->methods, ',', &count);
    if (!names)
        return work_no_memory(&w->work);
    for (size_t k = 0; k < count && code == EXIT_DONE; k++)
        if (!add_method(w, names[k]))
            code = work_complain(&w->work, EXIT_USAGE,
                                 "--methods: unknown method \"%s\"; see riemann2 classify --help",
                                 names[k]);
    free(names);
    return code;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static int predict(classify_work *w) {
    rm2_classify_settings settings = w->options->settings;
    progress p;
    settings.seed = w->work.common->seed;
    size_t n = w->d.view.n, K = w->d.view.label_count;
    w->right = calloc(w->count * n + 1, sizeof *w->right);
    w->numbers = calloc(w->count * 2 * K + 1, sizeof *w->numbers);
    if (!w->right || !w->numbers)
        return work_no_memory(&w->work);
    progress_begin(&w->work, &p);
    return progress_end(&p, rm2_classify(w->work.ctx, &w->d.view, &settings, w->count, w->methods,
                                         w->right, &w->unconverged));
}

static int summarise(classify_work *w) {
    size_t K = w->d.view.label_count;
    int code = EXIT_DONE;
    for (size_t k = 0; k < w->count && code == EXIT_DONE; k++) {
        outcome *o = &w->outcomes[k];
        *o = (outcome){.method = w->methods[k],
                       .all = {.size = sizeof o->all},
                       .each = w->numbers + 2 * k * K,
                       .each_error = w->numbers + (2 * k + 1) * K};
        code = work_check(&w->work,
                          rm2_labelled_accuracy(w->work.ctx, &w->d.view, w->right + k * w->d.view.n,
                                                &o->all, o->each, o->each_error));
    }
    return code;
}

/* ---- results -------------------------------------------------------------------------------- */

static size_t points_of(const classify_work *w, size_t label) {
    size_t count = 0;
    for (size_t i = 0; i < w->d.view.n; i++)
        count += w->d.labels[i] == label;
    return count;
}

static void print_number(FILE *out, int width, double value) {
    if (isnan(value))
        (void)fprintf(out, "  %*s", width, "-");
    else
        (void)fprintf(out, "  %*.3f", width, value);
}

static void print_text(const classify_work *w, FILE *out) {
    const rm2_classify_settings *s = &w->options->settings;
    const rm2_accuracy *any = &w->outcomes[0].all;
    size_t K = w->d.view.label_count;
    labelled_print(out, &w->d);
    (void)fprintf(out, "labels:");
    for (size_t k = 0; k < K; k++)
        (void)fprintf(out, "%s %s (%zu)", k ? "," : "", labelled_name(&w->d, k), points_of(w, k));
    (void)fprintf(out,
                  "\n%zu folds, %zu repeats, seed %llu; everything is fitted to the other folds "
                  "alone; standard errors over %s\n\n",
                  s->folds, s->repeats, (unsigned long long)w->work.common->seed,
                  w->d.view.subjects ? "subjects" : "points");
    (void)fprintf(out, "%-16s  accuracy  error  balanced  error", "method");
    for (size_t k = 0; k < K; k++)
        (void)fprintf(out, "  %8s  error", labelled_name(&w->d, k));
    (void)fprintf(out, "\n%-16s  %8.3f         %8.3f\n", "chance", any->chance,
                  any->chance_balanced);
    for (size_t j = 0; j < w->count; j++) {
        const outcome *o = &w->outcomes[j];
        (void)fprintf(out, "%-16s", rm2_classifier_text(o->method));
        print_number(out, 8, o->all.accuracy);
        print_number(out, 5, o->all.error);
        print_number(out, 8, o->all.balanced);
        print_number(out, 5, o->all.balanced_error);
        for (size_t k = 0; k < K; k++) {
            int width = (int)strlen(labelled_name(&w->d, k));
            print_number(out, width > 8 ? width : 8, o->each[k]);
            print_number(out, 5, o->each_error[k]);
        }
        (void)fputc('\n', out);
    }
    if (w->unconverged)
        (void)fprintf(out, "NOT CONVERGED: %zu fits or encoded points\n", w->unconverged);
}

/* Accuracy of a method, and its accuracy and error by label. */
static void json_outcome(rm2_json *json, const classify_work *w, const outcome *o) {
    rm2_json_object(json, rm2_classifier_text(o->method));
    rm2_json_put(json, RM2_NUMBER("accuracy", o->all.accuracy), RM2_NUMBER("error", o->all.error),
                 RM2_NUMBER("balanced", o->all.balanced),
                 RM2_NUMBER("balanced_error", o->all.balanced_error));
    rm2_json_object(json, "labels");
    for (size_t k = 0; k < w->d.view.label_count; k++)
        rm2_json_numbers(json, labelled_name(&w->d, k), 2,
                         (const double[]){o->each[k], o->each_error[k]});
    rm2_json_end(json);
    rm2_json_end(json);
}

static void print_json(const classify_work *w, FILE *out) {
    const rm2_classify_settings *s = &w->options->settings;
    const rm2_accuracy *any = &w->outcomes[0].all;
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_TEXT("file", w->path),
                 RM2_TEXT("manifold", rm2_manifold_spec(w->d.view.manifold)),
                 RM2_COUNT("points", w->d.view.n), RM2_COUNT("folds", s->folds),
                 RM2_COUNT("repeats", s->repeats), RM2_COUNT("not_converged", w->unconverged),
                 RM2_NUMBER("chance", any->chance),
                 RM2_NUMBER("chance_balanced", any->chance_balanced));
    rm2_json_object(&json, "methods");
    for (size_t k = 0; k < w->count; k++)
        json_outcome(&json, w, &w->outcomes[k]);
    rm2_json_end(&json);
    rm2_json_end(&json);
}

/* One row per method and label; "all" and "balanced" are the means over points and over labels. */
static bool fill_sheet(const classify_work *w, sheet *s, double *columns, const char **names,
                       const char **labels) {
    size_t K = w->d.view.label_count, rows = w->count * (K + 2);
    double *method = columns, *label = method + rows, *value = label + rows, *error = value + rows;
    labels[0] = "all";
    labels[1] = "balanced";
    for (size_t k = 0; k < K; k++)
        labels[k + 2] = labelled_name(&w->d, k);
    for (size_t j = 0, row = 0; j < w->count; j++) {
        const outcome *o = &w->outcomes[j];
        names[j] = rm2_classifier_text(o->method);
        for (size_t k = 0; k < K + 2; k++, row++) {
            method[row] = (double)j;
            label[row] = (double)k;
            value[row] = k == 0 ? o->all.accuracy : k == 1 ? o->all.balanced : o->each[k - 2];
            error[row] = k == 0   ? o->all.error
                         : k == 1 ? o->all.balanced_error
                                  : o->each_error[k - 2];
        }
    }
    return sheet_create(s, rows, 4) && sheet_add_texts(s, "method", method, names, w->count) &&
           sheet_add_texts(s, "label", label, labels, K + 2) &&
           sheet_add(s, "accuracy", value, 1) && sheet_add(s, "error", error, 1);
}

static int write_table(const classify_work *w) {
    size_t K = w->d.view.label_count;
    sheet s = {.next = 0};
    double *columns = calloc(4 * w->count * (K + 2) + 1, sizeof *columns);
    const char **names = calloc(w->count + 1, sizeof *names);
    const char **labels = calloc(K + 2, sizeof *labels);
    bool built = columns && names && labels && fill_sheet(w, &s, columns, names, labels);
    int code = built ? work_check(&w->work, rm2_csv_write(w->work.ctx, w->options->output, &s.table,
                                                          w->work.common->force))
                     : work_no_memory(&w->work);
    sheet_free(&s);
    free(columns);
    free(names);
    free(labels);
    return code;
}

static int report(const classify_work *w) {
    const char *output = w->options->output;
    int code = output ? write_table(w) : EXIT_DONE;
    FILE *out = output && strcmp(output, "-") == 0 ? stderr : stdout;
    if (code != EXIT_DONE)
        return code;
    if (w->work.common->json)
        print_json(w, out);
    else if (!w->work.common->quiet || !output)
        print_text(w, out);
    return w->unconverged ? EXIT_NOT_CONVERGED : EXIT_DONE;
}

static int classify(classify_work *w, const char *path, data_options *data) {
    const char *const inputs[] = {path, NULL};
    w->path = path;
    const char *output = w->options->output;
    int code = parse_methods(w);
    if (code == EXIT_DONE && output)
        code = work_check_output(&w->work, output, inputs);
    if (code == EXIT_DONE && output)
        code = work_check_format(&w->work, output, table_formats);
    if (code == EXIT_DONE)
        code = labelled_read(&w->work, path, data, &w->d);
    if (code == EXIT_DONE)
        code = predict(w);
    if (code == EXIT_DONE)
        code = summarise(w);
    if (code == EXIT_DONE)
        code = report(w);
    free(w->right);
    free(w->numbers);
    labelled_free(&w->d);
    return code;
}

int run_classify(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    data_options data = data_options_default();
    classify_options options = {.settings = rm2_classify_settings_default(),
                                .from = {.table = rm2_settings_table_of(RM2_SETTINGS_CLASSIFY)}};
    const option_group groups[] = {{"Options", table, &options, NULL},
                                   {NULL, NULL, &options.settings, &options.from},
                                   {"Data", NULL, &data.settings, &data.from},
                                   {"Common options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    const char *path = NULL;
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, &path, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
        return EXIT_DONE;
    }
    if (count == 0 || !data.settings.manifold || !data.settings.label) {
        (void)fprintf(stderr, "usage: riemann2 classify %s\n%s", self->usage, self->examples);
        return EXIT_USAGE;
    }
    classify_work w = {.work = {self, command_context(&common), &common}, .options = &options};
    if (!w.work.ctx)
        return EXIT_FAILED;
    int code = classify(&w, path, &data);
    rm2_context_free(w.work.ctx);
    return code;
}
