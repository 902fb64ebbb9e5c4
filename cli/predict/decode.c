/* riemann2 decode and sample: latent points to points on the manifold. */
#include <stdlib.h>

#include "core/model.h"

static const option decode_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV, .npz or .npy (points alone) to write (also -o; - prints CSV)"},
    {"--at", "Z1,Z2,...", OPTION_TEXT, MODEL(at), NULL, "one latent point, instead of a file"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "the latents of this training trajectory"},
    {.name = NULL},
};

static const option sample_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV, .npz or .npy (points alone) to write (also -o; - prints CSV)"},
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

/* Times and labels of the latent points are kept, ids of trajectories in .npz files. */
static int write_decoded(const model_work *m, const latent_paths *p, const double *points,
                         const double *deviation) {
    sheet s;
    const char *output = m->options->output;
    size_t Q = m->info->latent_dim, ambient = rm2_manifold_ambient(m->info->manifold);
    size_t runs = p->ids && output && has_ending(output, ".npz") ? p->runs : 0;
    size_t columns = (runs ? 1u : 0u) + (p->time ? 1u : 0u) + (p->labels ? 1u : 0u);
    bool built =
        sheet_create(&s, p->count, columns + Q + ambient + 1) &&
        sheet_add_trajectories(&s, runs, p->starts, (const char *const *)p->ids) &&
        (!p->time || sheet_add(&s, "time", p->time, 1)) &&
        sheet_add_labels(&s, p->labels, p->label_count, (const char *const *)p->label_names) &&
        sheet_add_latents(&s, Q, p->x) && sheet_add_points(&s, m->info->manifold, points) &&
        sheet_add(&s, "deviation", deviation, 1);
    int code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    return code;
}

static int do_decode(const model_work *m) {
    size_t ambient = rm2_manifold_ambient(m->info->manifold);
    double *points = NULL;
    latent_paths p;
    int code = model_find_paths(m, &p);
    if (code == EXIT_DONE && !(points = malloc(p.count * (ambient + 1) * sizeof *points)))
        code = work_no_memory(&m->work);
    double *deviation = points ? points + p.count * ambient : NULL;
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_model_decode(m->work.ctx, m->model, p.count, p.x, points,
                                                     NULL, NULL, deviation));
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_decoded(m, &p, points, deviation);
    if (code == EXIT_DONE)
        report_points(m, p.count, 0);
    free(points);
    latent_paths_free(&p);
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
    return model_run(self, argc, argv,
                     &(model_action){.table = decode_table,
                                     .files = 2,
                                     .needs_source = true,
                                     .formats = array_formats,
                                     .run = do_decode});
}

int run_sample(const command *self, int argc, char **argv) {
    return model_run(self, argc, argv,
                     &(model_action){.table = sample_table,
                                     .files = 2,
                                     .needs_source = true,
                                     .formats = array_formats,
                                     .run = do_sample});
}
