/* riemann2 generate: writes an example data set. */
#include <string.h>

#include "cli.h"

typedef struct generate_options {
    rm2_generate_settings settings;
    const char *output;
} generate_options;

static const option table[] = {
    {"--output", "FILE", OPTION_TEXT, offsetof(generate_options, output), NULL,
     "where to write: .csv, .tsv, .npy, .npz, or - for standard output (also -o)"},
    {"--demos", "N", OPTION_SIZE, offsetof(generate_options, settings.trajectories), NULL,
     "number of trajectories"},
    {"--points", "N", OPTION_SIZE, offsetof(generate_options, settings.points), NULL,
     "points of a trajectory (connectome: of the set)"},
    {.name = NULL},
};

static void print_names(FILE *out) {
    (void)fprintf(out, "\nData sets:\n");
    for (size_t k = 0; rm2_generate_name(k); k++)
        (void)fprintf(out, "  %-16s%s\n", rm2_generate_name(k), rm2_generate_description(k));
}

static int report(const rm2_data *data, const char *output, const common_options *common) {
    const char *spec = rm2_manifold_spec(data->manifold);
    FILE *out = strcmp(output, "-") == 0 ? stderr : stdout;
    if (common->json) {
        (void)fprintf(out, "{\"file\": ");
        json_text(out, output);
        (void)fprintf(out, ", \"manifold\": \"%s\", \"points\": %zu, \"trajectories\": %zu}\n",
                      spec, data->count, data->trajectories);
    } else if (!common->quiet) {
        (void)fprintf(out, "%s: %zu points on %s", output, data->count, spec);
        if (data->trajectories)
            (void)fprintf(out, ", %zu trajectories (column demo)", data->trajectories);
        (void)fprintf(out, "\nnext: riemann2 check %s --manifold \"%s\"%s%s%s\n", output, spec,
                      data->trajectories ? " --group demo" : "", data->time ? " --time time" : "",
                      data->labels ? " --label label" : "");
    }
    return EXIT_DONE;
}

static int generate(const command *self, rm2_context *ctx, const char *name,
                    const generate_options *options, const common_options *common) {
    rm2_data *data;
    rm2_status status = rm2_generate(ctx, name, &options->settings, &data);
    if (status == RM2_OK)
        status = rm2_data_write(ctx, data, options->output, common->force);
    int code =
        status == RM2_OK ? report(data, options->output, common) : command_fail(self, ctx, status);
    rm2_data_free(data);
    return code;
}

int run_generate(const command *self, int argc, char **argv) {
    common_options common = {.help = false};
    generate_options options = {.output = NULL};
    const option_group groups[] = {{"Options", table, &options},
                                   {"Common options", common_option_table, &common},
                                   {.options = NULL}};
    const char *name = NULL;
    size_t count;
    if (!options_parse(self->name, argc, argv, groups, &name, 1, &count))
        return EXIT_USAGE;
    if (common.help) {
        command_help(self, groups);
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
    int code = generate(self, ctx, name, &options, &common);
    rm2_context_free(ctx);
    return code;
}
