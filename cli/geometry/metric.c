/* riemann2 metric: the metric of the latent space at points or on a grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/geometry.h"

static const option metric_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "CSV file to write (also -o; - prints)"},
    {"--at", "Z1,Z2,...", OPTION_TEXT, MODEL(at), NULL, "one latent point, instead of a file"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "at the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "at the latents of this training trajectory"},
    {"--on-grid", NULL, OPTION_FLAG, MODEL(whole_grid), NULL,
     "at the nodes of a grid over the latents"},

    {"--spread", NULL, OPTION_FLAG, MODEL(spread), NULL,
     "also write mean and standard deviation of the trace of the random metric"},
    {.name = NULL},
};

/* One row per point: G by its upper triangle, log sqrt det G, standard deviation of the decoded point. */
typedef struct field {
    size_t n, Q;
    double *x, *G, *magnification, *deviation, *mean, *spread;
    double *memory;
} field;

static bool field_alloc(field *f, size_t n, size_t Q) {
    *f = (field){.n = n, .Q = Q};
    f->memory = malloc((n * (Q + Q * Q + 4) + 1) * sizeof *f->memory);
    if (!f->memory)
        return false;
    f->x = f->memory;
    f->G = f->x + n * Q;
    f->magnification = f->G + n * Q * Q;
    f->deviation = f->magnification + n;
    f->mean = f->deviation + n;
    f->spread = f->mean + n;
    return true;
}

static int evaluate(const model_work *m, const rm2_space *space, field *f) {
    rm2_context *ctx = m->work.ctx;
    const rm2_metric *metric = rm2_space_metric(space);
    rm2_status status = rm2_metric_at(ctx, metric, f->n, f->x, f->G, NULL);
    if (status == RM2_OK)
        status = rm2_metric_magnification(ctx, metric, f->n, f->x, f->magnification);
    if (status == RM2_OK)
        status = rm2_space_decode(ctx, space, f->n, f->x, NULL, f->deviation);
    if (status == RM2_OK && m->options->spread)
        status = rm2_metric_spread(ctx, metric, f->n, f->x, NULL, f->mean, f->spread);
    return work_check(&m->work, status);
}

static bool add_matrix(sheet *s, const field *f) {
    for (size_t r = 0; r < f->Q; r++)
        for (size_t c = r; c < f->Q; c++) {
            char name[NAME_SIZE];
            (void)snprintf(name, sizeof name, f->Q < 10 ? "g%zu%zu" : "g%zu_%zu", r + 1, c + 1);
            if (!sheet_add(s, name, f->G + r * f->Q + c, f->Q * f->Q))
                return false;
        }
    return true;
}

static int write_field(const model_work *m, const field *f) {
    sheet s;
    bool spread = m->options->spread;
    size_t columns = f->Q + f->Q * (f->Q + 1) / 2 + 2 + (spread ? 2 : 0);
    bool built = sheet_create(&s, f->n, columns) && sheet_add_latents(&s, f->Q, f->x) &&
                 add_matrix(&s, f) && sheet_add(&s, "log_magnification", f->magnification, 1) &&
                 sheet_add(&s, "deviation", f->deviation, 1) &&
                 (!spread || (sheet_add(&s, "trace_mean", f->mean, 1) &&
                              sheet_add(&s, "trace_sd", f->spread, 1)));
    int code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    return code;
}

static void report(const model_work *m, const rm2_metric *metric, const field *f) {
    FILE *out = model_summary(m);
    double low = f->magnification[0], high = low;
    for (size_t i = 1; i < f->n; i++) {
        low = fmin(low, f->magnification[i]);
        high = fmax(high, f->magnification[i]);
    }
    if (m->work.common->json) {
        rm2_json json = rm2_json_begin(out);
        rm2_json_put(&json, RM2_COUNT("points", f->n), RM2_TEXT("metric", rm2_metric_text(metric)),
                     RM2_NUMBER("weight", rm2_metric_weight(metric)),
                     RM2_NUMBER("log_magnification_min", low),
                     RM2_NUMBER("log_magnification_max", high));
        rm2_json_end(&json);
    } else if (!m->work.common->quiet) {
        (void)fprintf(out, "%zu point%s, %s: log magnification from %.3g to %.3g\n", f->n,
                      f->n == 1 ? "" : "s", rm2_metric_text(metric), low, high);
    }
}

static int points_of_grid(const model_work *m, const rm2_space *space, field *f) {
    size_t Q = m->info->latent_dim;
    rm2_roadmap_info grid = *rm2_space_roadmap(space);
    if (!field_alloc(f, grid.nodes, Q))
        return work_no_memory(&m->work);
    memcpy(f->x, grid.x, grid.nodes * Q * sizeof *f->x);
    return EXIT_DONE;
}

static int points_of_options(const model_work *m, field *f) {
    size_t n = 0, Q = m->info->latent_dim;
    double *latents = NULL;
    int code = model_find_latents(m, &n, &latents);
    if (code == EXIT_DONE && latents && field_alloc(f, n, Q))
        memcpy(f->x, latents, n * Q * sizeof *f->x);
    else if (code == EXIT_DONE)
        code = work_no_memory(&m->work);
    free(latents);
    return code;
}

static int check_options(const model_work *m) {
    const model_options *o = m->options;
    size_t Q = m->info->latent_dim;
    const setting_options *from = &o->space_from;
    if ((setting_given(from, "grid_points") || setting_given(from, "padding")) && !o->whole_grid)
        return work_complain(&m->work, EXIT_USAGE, "--grid and --padding need --on-grid");
    if (o->whole_grid && Q > 3)
        return work_complain(&m->work, EXIT_USAGE,
                             "--on-grid needs at most 3 latent dimensions, the model has %zu", Q);
    if (o->spread && o->space.metric != RM2_SPACE_PULLBACK)
        return work_complain(&m->work, EXIT_USAGE,
                             "--spread needs --metric pullback: the others are not random");
    return EXIT_DONE;
}

static int do_metric(const model_work *m) {
    rm2_space *space = NULL;
    field f = {.n = 0};
    int code = check_options(m);
    if (code == EXIT_DONE)
        code = geometry_open_metric(m, m->options->whole_grid, &space);
    if (code == EXIT_DONE)
        code = m->options->whole_grid ? points_of_grid(m, space, &f) : points_of_options(m, &f);
    if (code == EXIT_DONE)
        code = evaluate(m, space, &f);
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_field(m, &f);
    if (code == EXIT_DONE)
        report(m, rm2_space_metric(space), &f);
    free(f.memory);
    rm2_space_free(space);
    return code;
}

int run_metric(const command *self, int argc, char **argv) {
    return model_run(self, argc, argv,
                     &(model_action){.table = metric_table,
                                     .groups = cost_groups,
                                     .space = true,
                                     .space_settings = metric_settings,
                                     .files = 2,
                                     .needs_source = true,
                                     .run = do_metric});
}
