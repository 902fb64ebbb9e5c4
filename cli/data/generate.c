/* riemann2 generate: writes an example data set. */
#include <string.h>

#include "core/settings.h"
#include "core/work.h"

typedef struct generate_options {
    rm2_generate_settings settings;
    const char *output;
} generate_options;

static const option table[] = {
    {"--output", "FILE", OPTION_TEXT, offsetof(generate_options, output), NULL,
     "file to write: .csv, .tsv, .npy, .npz, or - for standard output (also -o)"},
    {.name = NULL},
};

static void print_names(FILE *out) {
    (void)fprintf(out, "\nData sets:\n");
    for (size_t k = 0; rm2_data_example_name(k); k++)
        (void)fprintf(out, "  %-16s%s\n", rm2_data_example_name(k),
                      rm2_data_example_description(k));
}

/* An argument of a shell: in quotes, where it has other characters than these. */
static void print_argument(FILE *out, const char *text) {
    bool plain = text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789./_-+,:@%=")] == 0;
    (void)fputs(plain ? "" : "'", out);
    for (; *text; text++)
        (void)fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, out);
    (void)fputs(plain ? "" : "'", out);
}

static bool equal_lengths(const rm2_data *data) {
    for (size_t t = 1; t < data->trajectories; t++)
        if (data->starts[t + 1] - data->starts[t] != data->starts[1])
            return false;
    return true;
}

/* Where the trajectories are: an .npy has no columns, it holds them as an axis if their lengths are equal. */
static void print_trajectories(FILE *out, const rm2_data *data, bool array) {
    if (data->trajectories)
        (void)fprintf(out, ", %zu trajectories (%s)", data->trajectories,
                      !array ? "column demo"
                      : equal_lengths(data)
                          ? "first axis"
                          : "of different lengths: an .npy file cannot separate them");
}

/* A command that reads what was written. */
static void print_next(FILE *out, const rm2_data *data, const char *output, bool array) {
    (void)fprintf(out, "\nnext: riemann2 check ");
    print_argument(out, output);
    (void)fprintf(out, " --manifold \"%s\"%s%s%s\n", rm2_manifold_spec(data->manifold),
                  data->trajectories && !array ? " --group demo" : "",
                  data->time && !array ? " --time time" : "",
                  data->labels && !array ? " --label label" : "");
}

static void report(const rm2_data *data, const char *output, const common_options *common) {
    const char *spec = rm2_manifold_spec(data->manifold);
    FILE *out = strcmp(output, "-") == 0 ? stderr : stdout;
    bool array = has_ending(output, ".npy");
    if (common->json) {
        rm2_json json = rm2_json_begin(out);
        rm2_json_put(&json, RM2_TEXT("file", output), RM2_TEXT("manifold", spec),
                     RM2_COUNT("points", data->count),
                     RM2_COUNT("trajectories", data->trajectories));
        rm2_json_end(&json);
    } else if (!common->quiet) {
        (void)fprintf(out, "%s: %zu points on %s", output, data->count, spec);
        print_trajectories(out, data, array);
        print_next(out, data, output, array);
    }
}

static int generate(const work *w, const char *name, const generate_options *options) {
    rm2_data *data;
    int code = work_check_format(w, options->output, array_formats);
    if (code != EXIT_DONE)
        return code;
    rm2_status status = rm2_data_generate(w->ctx, name, &options->settings, &data);
    if (status == RM2_OK)
        status = rm2_data_write(w->ctx, data, options->output, w->common->force);
    if (status == RM2_OK)
        report(data, options->output, w->common);
    rm2_data_free(data);
    return work_check(w, status);
}

int run_generate(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    generate_options options = {.settings = rm2_generate_settings_default()};
    setting_options from = {.table = rm2_settings_table_of(RM2_SETTINGS_GENERATE)};
    const option_group groups[] = {{"Options", table, &options, NULL},
                                   {NULL, NULL, &options.settings, &from},
                                   {"Common options", common_option_table, &common, NULL},
                                   {.options = NULL}};
    const char *name = NULL;
    size_t count;
    if (!options_parse(self->title, argc, argv, groups, &name, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        if (command_help(self, groups))
            print_names(stdout);
        return EXIT_DONE;
    }
    if (count == 0 || !options.output) {
        (void)fprintf(stderr, "usage: riemann2 generate %s\n", self->usage);
        print_names(stderr);
        return EXIT_USAGE;
    }
    options.settings.seed = common.seed;
    rm2_context *ctx = command_context(&common);
    if (!ctx)
        return EXIT_FAILED;
    int code = generate(&(work){self, ctx, &common}, name, &options);
    rm2_context_free(ctx);
    return code;
}
