/* riemann2 decode and sample: latent points to points on the manifold. */
#include <math.h>
#include <stdlib.h>

#include "core/vicinity.h"

static const option decode_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV, .npz or .npy (points alone) to write (also -o; - prints CSV)"},
    {"--at", "Z1,Z2,...", OPTION_TEXT, MODEL(at), NULL, "one latent point, instead of a file"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "the latents of this training trajectory"},
    NAMES_OPTION(MODEL(names)),
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

/* Samples and how far each is from the demonstrations. */
typedef struct samples {
    size_t n, count;     /* points of each */
    double *points;      /* count x n x ambient */
    double *over_spread; /* count x n */
    size_t outside;      /* samples that leave the demonstrations */
    rm2_nearness worst;  /* of all of them */
    rm2_vicinity *vicinity;
} samples;

static void json_samples(rm2_json *json, const model_work *m, const samples *s) {
    rm2_json_put(json, RM2_NUMBER("spread", rm2_vicinity_info_of(s->vicinity)->spread),
                 RM2_NUMBER("spread_limit", m->options->report.spread_limit),
                 RM2_NUMBER("over_spread", s->worst.over_spread), RM2_COUNT("outside", s->outside));
}

/* "motion.csv: 100 points on R2 x S2"; nothing where the points themselves are printed. `drawn` NULL: decoded points. */
static void report_points(const model_work *m, size_t points, const samples *drawn) {
    size_t count = drawn ? drawn->count : 0;
    const char *output = m->options->output;
    if (m->work.common->json) {
        rm2_json json = rm2_json_begin(model_summary(m));
        rm2_json_put(&json, RM2_TEXT("file", output),
                     RM2_TEXT("manifold", rm2_manifold_spec(m->info->manifold)),
                     RM2_COUNT("points", points), RM2_COUNT("samples", count));
        if (drawn)
            json_samples(&json, m, drawn);
        rm2_json_end(&json);
    } else if (!m->work.common->quiet && !model_prints(output)) {
        printf("%s: ", output);
        if (count)
            printf("%zu sample%s of ", count, plural(count));
        printf("%zu point%s on %s\n", points, points == 1 ? "" : "s",
               rm2_manifold_spec(m->info->manifold));
        if (drawn)
            vicinity_print(stdout, m, drawn->vicinity, drawn->worst.over_spread);
    }
}

/* ---- decode --------------------------------------------------------------------------------- */

/* Times and labels of the latent points are kept, ids of trajectories in .npz files. */
static int write_decoded(const model_work *m, const latent_paths *p, const region_names *names,
                         const double *points, const double *deviation) {
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
        sheet_add_latents(&s, Q, p->x) &&
        sheet_add_named_points(&s, m->info->manifold, names, points) &&
        sheet_add(&s, "deviation", deviation, 1);
    int code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    return code;
}

static int do_decode(const model_work *m) {
    size_t ambient = rm2_manifold_ambient(m->info->manifold);
    double *points = NULL;
    latent_paths p = {.count = 0};
    region_names names;
    int code = names_read(&m->work, m->options->names, m->info->manifold, &names);
    if (code == EXIT_DONE)
        code = model_find_paths(m, &p);
    if (code == EXIT_DONE && !(points = malloc(p.count * (ambient + 1) * sizeof *points)))
        code = work_no_memory(&m->work);
    double *deviation = points ? points + p.count * ambient : NULL;
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_model_decode(m->work.ctx, m->model, p.count, p.x, points,
                                                     NULL, NULL, deviation));
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_decoded(m, &p, &names, points, deviation);
    if (code == EXIT_DONE)
        report_points(m, p.count, NULL);
    free(points);
    names_free(&names);
    latent_paths_free(&p);
    return code;
}

/* ---- sample --------------------------------------------------------------------------------- */

static int write_samples(const model_work *m, const samples *drawn) {
    sheet s;
    size_t rows = drawn->n * drawn->count;
    bool near = !vicinity_unknown(drawn->vicinity);
    double *numbers = malloc((rows + 1) * sizeof *numbers);
    for (size_t k = 0; numbers && k < rows; k++) {
        size_t sample = k / drawn->n;
        numbers[k] = (double)sample;
    }
    bool built =
        sheet_create(&s, rows, (near ? 2u : 1u) + rm2_manifold_ambient(m->info->manifold)) &&
        numbers && sheet_add(&s, "sample", numbers, 1) &&
        sheet_add_points(&s, m->info->manifold, drawn->points) &&
        (!near || sheet_add(&s, "over_spread", drawn->over_spread, 1));
    int code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    free(numbers);
    return code;
}

/* Each sample is a path of its own. */
static rm2_status find_nearness(const model_work *m, samples *s) {
    size_t ambient = rm2_manifold_ambient(m->info->manifold);
    WORK_TRY(rm2_vicinity_create(m->work.ctx, m->model, &s->vicinity));
    s->worst.over_spread = NAN;
    for (size_t k = 0; k < s->count; k++) {
        rm2_nearness one = {.size = sizeof one};
        WORK_TRY(rm2_vicinity_distances(m->work.ctx, s->vicinity, s->n,
                                        s->points + k * s->n * ambient, s->over_spread + k * s->n,
                                        &one));
        s->outside += vicinity_beyond(m, one.over_spread);
        if (!(one.over_spread <= s->worst.over_spread)) {
            s->worst = one;
            s->worst.farthest += k * s->n;
        }
    }
    return RM2_OK;
}

/* A draw may stray; most of them may not. */
static int judge(const model_work *m, const samples *s) {
    char what[120], text[RM2_REASON_SIZE];
    if (2 * s->outside <= s->count)
        return EXIT_DONE;
    (void)snprintf(what, sizeof what, "%zu of %zu samples leave it: point %zu of sample %zu ",
                   s->outside, s->count, s->worst.farthest % s->n, s->worst.farthest / s->n);
    rm2_vicinity_text(s->worst.over_spread, m->options->report.spread_limit, text, sizeof text);
    return model_complain(m, what, text);
}

static int draw(const model_work *m, const double *latents, samples *s) {
    size_t ambient = rm2_manifold_ambient(m->info->manifold);
    if (s->n > SIZE_MAX / sizeof *s->points / (ambient + 1) / s->count)
        return work_no_memory(&m->work);
    s->points = malloc(s->count * s->n * (ambient + 1) * sizeof *s->points + 1);
    if (!s->points)
        return work_no_memory(&m->work);
    s->over_spread = s->points + s->count * s->n * ambient;
    rm2_status status = rm2_model_sample(m->work.ctx, m->model, s->n, latents, s->count,
                                         m->options->noise, s->points);
    return work_check(&m->work, status == RM2_OK ? find_nearness(m, s) : status);
}

static int do_sample(const model_work *m) {
    samples s = {.count = m->options->count ? m->options->count : 1};
    double *latents;
    int code = model_find_latents(m, &s.n, &latents);
    if (code == EXIT_DONE)
        code = draw(m, latents, &s);
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_samples(m, &s);
    if (code == EXIT_DONE) {
        report_points(m, s.n, &s);
        code = judge(m, &s);
    }
    rm2_vicinity_free(s.vicinity);
    free(s.points);
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
                                     .report = true,
                                     .files = 2,
                                     .needs_source = true,
                                     .formats = array_formats,
                                     .run = do_sample});
}
