/* riemann2 decode and sample: latent points to points on the manifold. */
#include <stdlib.h>

#include "core/model.h"

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

/* "motion.csv: 100 points on R2 x S2"; nothing where the points themselves are printed. */
static void report_points(const model_work *m, size_t points, size_t samples) {
    const char *output = m->options->output;
    if (m->work.common->json) {
        FILE *out = model_summary(m);
        (void)fprintf(out, "{\"file\": ");
        if (output)
            json_text(out, output);
        else
            (void)fprintf(out, "null");
        (void)fprintf(out, ", \"manifold\": ");
        json_text(out, rm2_manifold_spec(m->info->manifold));
        (void)fprintf(out, ", \"points\": %zu, \"samples\": %zu}\n", points, samples);
    } else if (!m->work.common->quiet && !model_prints(output)) {
        printf("%s: ", output);
        if (samples)
            printf("%zu sample%s of ", samples, samples == 1 ? "" : "s");
        printf("%zu point%s on %s\n", points, points == 1 ? "" : "s",
               rm2_manifold_spec(m->info->manifold));
    }
}

/* ---- decode --------------------------------------------------------------------------------- */

static int write_decoded(const model_work *m, size_t n, const double *latents, const double *points,
                         const double *deviation) {
    sheet s;
    size_t Q = m->info->latent_dim, ambient = rm2_manifold_ambient(m->info->manifold);
    bool built = sheet_create(&s, n, Q + ambient + 1) && sheet_add_latents(&s, Q, latents) &&
                 sheet_add_points(&s, m->info->manifold, points) &&
                 sheet_add(&s, "deviation", deviation, 1);
    int code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    return code;
}

static int do_decode(const model_work *m) {
    size_t n = 0, ambient = rm2_manifold_ambient(m->info->manifold);
    double *latents, *points = NULL;
    int code = model_find_latents(m, &n, &latents);
    if (code == EXIT_DONE && !(points = malloc(n * (ambient + 1) * sizeof *points)))
        code = work_no_memory(&m->work);
    double *deviation = points ? points + n * ambient : NULL;
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_model_decode(m->work.ctx, m->model, n, latents, points,
                                                     NULL, NULL, deviation));
    if (code == EXIT_DONE && model_wants_table(m))
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
    bool built = sheet_create(&s, rows, 1 + rm2_manifold_ambient(m->info->manifold)) && numbers &&
                 sheet_add(&s, "sample", numbers, 1) &&
                 sheet_add_points(&s, m->info->manifold, points);
    int code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    free(numbers);
    return code;
}

static int do_sample(const model_work *m) {
    size_t n = 0, count = m->options->count ? m->options->count : 1;
    size_t ambient = rm2_manifold_ambient(m->info->manifold);
    double *latents, *points = NULL;
    int code = model_find_latents(m, &n, &latents);
    if (code == EXIT_DONE && (n > SIZE_MAX / sizeof *points / ambient / count ||
                              !(points = malloc(count * n * ambient * sizeof *points + 1))))
        code = work_no_memory(&m->work);
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_model_sample(m->work.ctx, m->model, n, latents, count,
                                                     m->options->noise, points));
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_samples(m, n, count, points);
    if (code == EXIT_DONE)
        report_points(m, n, count);
    free(points);
    free(latents);
    return code;
}

int run_decode(const command *self, int argc, char **argv) {
    return model_run(
        self, argc, argv,
        &(model_action){.table = decode_table, .files = 2, .needs_source = true, .run = do_decode});
}

int run_sample(const command *self, int argc, char **argv) {
    return model_run(
        self, argc, argv,
        &(model_action){.table = sample_table, .files = 2, .needs_source = true, .run = do_sample});
}
