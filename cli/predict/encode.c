/* riemann2 encode: points to latent points. */
#include <math.h>
#include <stdlib.h>

#include "core/progress.h"
#include "core/vicinity.h"

typedef struct encode_options {
    rm2_encode_settings settings;
    bool points;
} encode_options;

static const option points_table[] = {
    {"--points", NULL, OPTION_FLAG, offsetof(encode_options, points), NULL,
     "encode every point by itself (default: whole trajectories if the file has them)"},
    {.name = NULL},
};

static const option encode_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV, .npz or .npy (latents alone) to write (also -o; - prints CSV)"},
    {.name = NULL},
};

typedef struct encoded {
    size_t n, Q, converged, outside; /* outside: residual beyond the limit */
    double spread;
    rm2_vicinity *vicinity;
    double *points, *latents, *covariance;
    rm2_encoded *info;
} encoded;

static void encoded_free(encoded *e) {
    rm2_vicinity_free(e->vicinity);
    free(e->points);
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
    static const char *const names[] = {"log_density", "log_density_at_latent", "residual",
                                        "converged", "over_spread"};
    for (int k = 0; k < (isfinite(e->spread) ? 5 : 4); k++) {
        for (size_t i = 0; i < e->n; i++)
            column[i] = k == 0   ? e->info[i].log_density
                        : k == 1 ? e->info[i].log_density_at_latent
                        : k == 2 ? e->info[i].residual
                        : k == 3 ? (double)e->info[i].converged
                                 : e->info[i].residual / e->spread;
        if (!sheet_add(s, names[k], column, 1))
            return false;
    }
    return true;
}

static int write_encoded(const model_work *m, const encoded *e, const rm2_data *data) {
    sheet s;
    double *column = malloc((e->n + 1) * sizeof *column);
    size_t columns =
        (data->trajectories ? 1u : 0u) + (data->time ? 1u : 0u) + (data->labels ? 1u : 0u);
    bool built = sheet_create(&s, e->n, columns + 2 * e->Q + (isfinite(e->spread) ? 5u : 4u)) &&
                 column &&
                 sheet_add_trajectories(&s, data->trajectories, data->starts, data->ids) &&
                 (!data->time || sheet_add(&s, "time", data->time, 1)) &&
                 sheet_add_labels(&s, data->labels, data->label_count, data->label_names) &&
                 sheet_add_latents(&s, e->Q, e->latents) && add_deviations(&s, e, column) &&
                 add_quality(&s, e, column);
    int code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    free(column);
    return code;
}

static void print_encoded(const model_work *m, const encoded *e) {
    FILE *out = model_summary(m);
    double density = 0, at_latent = 0, squares = 0;
    for (size_t i = 0; i < e->n; i++) {
        density += e->info[i].log_density / (double)e->n;
        at_latent += e->info[i].log_density_at_latent / (double)e->n;
        squares += e->info[i].residual * e->info[i].residual / (double)e->n;
    }
    if (m->work.common->json) {
        rm2_json json = rm2_json_begin(out);
        rm2_json_put(
            &json, RM2_COUNT("points", e->n), RM2_COUNT("converged", e->converged),
            RM2_NUMBER("log_density", density), RM2_NUMBER("log_density_at_latent", at_latent),
            RM2_NUMBER("residual", sqrt(squares)), RM2_NUMBER("spread", e->spread),
            RM2_NUMBER("spread_limit", m->options->report.spread_limit),
            RM2_NUMBER("over_spread", sqrt(squares) / e->spread), RM2_COUNT("outside", e->outside));
        rm2_json_end(&json);
    } else if (!m->work.common->quiet) {
        (void)fprintf(
            out,
            "encoded %zu point%s (%zu converged): mean log density %.4f (at the latent point "
            "%.4f), root mean squared residual %.4g (tangent coordinates)\n",
            e->n, e->n == 1 ? "" : "s", e->converged, density, at_latent, sqrt(squares));
        if (isfinite(e->spread))
            (void)fprintf(
                out, "that is %.2f of the spread of the training data; points beyond %g: %zu\n",
                sqrt(squares) / e->spread, m->options->report.spread_limit, e->outside);
    }
}

static int encode(const model_work *m, const rm2_data *data, bool align_signs, encoded *e) {
    e->n = data->count;
    e->Q = m->info->latent_dim;
    e->points = calloc(e->n, rm2_manifold_ambient(data->manifold) * sizeof *e->points);
    e->latents = calloc(e->n, e->Q * sizeof *e->latents);
    e->covariance = calloc(e->n, e->Q * e->Q * sizeof *e->covariance);
    e->info = calloc(e->n, sizeof *e->info);
    if (!e->points || !e->latents || !e->covariance || !e->info)
        return work_no_memory(&m->work);
    e->info->size = sizeof *e->info;
    rm2_data_original(data, e->points);
    if (align_signs)
        rm2_data_align_points(m->info->data, e->n, e->points);
    const encode_options *own = m->own;
    rm2_encode_settings settings = own->settings;
    if (!own->points && data->trajectories > 0) {
        settings.trajectories = data->trajectories;
        settings.starts = data->starts;
    }
    progress p;
    progress_begin(&m->work, &p);
    rm2_status status = rm2_model_encode(m->work.ctx, m->model, &settings, e->n, e->points,
                                         e->latents, e->covariance, e->info);
    int code = progress_end(&p, status);
    for (size_t i = 0; code == EXIT_DONE && i < e->n; i++)
        e->converged += e->info[i].converged;
    return code;
}

/* Residuals in spreads of the training data. */
static int compare_residuals(const model_work *m, encoded *e) {
    int code = work_check(&m->work, rm2_vicinity_create(m->work.ctx, m->model, &e->vicinity));
    e->spread = rm2_vicinity_info_of(e->vicinity)->spread;
    for (size_t i = 0; code == EXIT_DONE && i < e->n; i++)
        e->outside += vicinity_beyond(m, e->info[i].residual / e->spread);
    return code;
}

/* Single points may be unlike the training data; most of them may not. */
static int judge(const model_work *m, const encoded *e) {
    if (2 * e->outside > e->n)
        return work_complain(
            &m->work, EXIT_NOT_CONVERGED,
            "%zu of %zu points are farther than %g spreads of the training data from what their "
            "latent points decode to: the model does not describe these data. Check units, columns "
            "and --manifold, fit a model with such data, or accept it with --spread-limit",
            e->outside, e->n, m->options->report.spread_limit);
    return e->converged == e->n ? EXIT_DONE : EXIT_NOT_CONVERGED;
}

static int encode_data(const model_work *m, const rm2_data *data, bool align_signs) {
    encoded e = {.n = 0};
    int code = encode(m, data, align_signs, &e);
    if (code == EXIT_DONE)
        code = compare_residuals(m, &e);
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_encoded(m, &e, data);
    if (code == EXIT_DONE) {
        print_encoded(m, &e);
        code = judge(m, &e);
    }
    encoded_free(&e);
    return code;
}

static int encode_file(const model_work *m, data_options *options) {
    rm2_data *data = NULL;
    options->settings.allow_missing = true;
    int code = model_read_data(m, m->paths[1], options, &data, NULL);
    if (code == EXIT_DONE)
        code = encode_data(m, data, options->settings.align_signs);
    rm2_data_free(data);
    return code;
}

int run_encode(const command *self, int argc, char **argv) {
    encode_options own = {.settings = rm2_encode_settings_default()};
    setting_options from = {.table = rm2_settings_table_of(RM2_SETTINGS_ENCODE)};
    const option_group groups[] = {{"Trajectories", points_table, &own, NULL},
                                   {NULL, NULL, &own.settings, &from},
                                   {.options = NULL}};
    return model_run(self, argc, argv,
                     &(model_action){.table = encode_table,
                                     .groups = groups,
                                     .own = &own,
                                     .report = true,
                                     .files = 2,
                                     .needs_source = true,
                                     .formats = array_formats,
                                     .run_with_data = encode_file});
}
