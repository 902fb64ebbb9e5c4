/* riemann2 geodesic: shortest paths in the latent space, decoded to trajectories on the manifold. */
#include <stdlib.h>
#include <string.h>

#include "geometry.h"

static const option geodesic_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV file of the trajectory to write (also -o; - prints)"},
    {"--from", "POINT", OPTION_TEXT, MODEL(from), NULL,
     "index of a training point, latent coordinates, entries of a point, first:ID, last:ID"},
    {"--to", "POINT", OPTION_TEXT, MODEL(to), NULL, "the same"},
    {"--through", "P;P;...", OPTION_TEXT, MODEL(through), NULL, "points to pass on the way"},
    {"--pairs", "FILE", OPTION_TEXT, MODEL(pairs), NULL,
     "CSV file with columns from and to: many pairs of training points"},
    {"--duration", "S", OPTION_NUMBER, MODEL(duration), NULL, "seconds: adds a column time"},
    {"--speed-limit", "V1,V2,...", OPTION_TEXT, MODEL(speed), NULL,
     "one a factor, 0 for none: adds a column time, as fast as the limits allow"},
    {"--acceleration-limit", "A1,...", OPTION_TEXT, MODEL(acceleration), NULL,
     "one a factor, 0 for none: starts and ends at rest"},
    {"--samples", "N", OPTION_SIZE, MODEL(samples), NULL,
     "expected length of the path, from so many random Jacobians"},
    {.name = NULL},
};

/* Geodesics and what was found about them. */
typedef struct job {
    const model_work *m;
    geometry g;
    size_t pairs; /* curves */
    size_t stops; /* points of the one way with --through; 0: pairs */
    double *ends; /* pairs x 2 x Q, or stops x Q */
    rm2_curve **curves;
    double *straight;                /* pairs: length of the straight line */
    double expected, standard_error; /* of the first, with --samples */
} job;

/* ---- end points ----------------------------------------------------------------------------- */

static int ends_of_way(job *j) {
    const model_options *o = j->m->options;
    size_t Q = j->m->info.latent_dim, most = 2;
    const char *via = o->through ? o->through : "";
    for (const char *at = via; *at; at++)
        most += *at == ';';
    most += o->through != NULL;
    j->pairs = 1;
    j->ends = malloc(most * Q * sizeof *j->ends);
    char *copy = malloc(strlen(via) + 1);
    int code = j->ends && copy ? geometry_parse_end(j->m, "--from", o->from, j->ends)
                               : work_no_memory(&j->m->work);
    j->stops = 1;
    char *next = o->through && copy ? strcpy(copy, via) : NULL;
    while (code == EXIT_DONE && next) {
        char *end = strchr(next, ';');
        if (end)
            *end = 0;
        code = geometry_parse_end(j->m, "--through", next, j->ends + j->stops++ * Q);
        next = end ? end + 1 : NULL;
    }
    if (code == EXIT_DONE)
        code = geometry_parse_end(j->m, "--to", o->to, j->ends + j->stops++ * Q);
    if (!o->through)
        j->stops = 0;
    free(copy);
    return code;
}

static int take_pairs(job *j, const rm2_table *table, const char *path) {
    const rm2_model_info *i = &j->m->info;
    size_t from = rm2_table_column(table, "from"), to = rm2_table_column(table, "to");
    if (from == SIZE_MAX || to == SIZE_MAX)
        return work_complain(&j->m->work, EXIT_BAD_DATA, "%s has no columns from and to", path);
    j->pairs = table->rows;
    j->ends = malloc((j->pairs * 2 * i->latent_dim + 1) * sizeof *j->ends);
    if (!j->ends)
        return work_no_memory(&j->m->work);
    for (size_t k = 0; k < 2 * j->pairs; k++) {
        double index = table->values[k / 2 * table->columns + (k % 2 ? to : from)];
        if (!(index >= 0 && index < (double)i->points && index == (double)(size_t)index))
            return work_complain(&j->m->work, EXIT_BAD_DATA,
                                 "%s, pair %zu, column %s: %g is no index of a training point "
                                 "(0 to %zu)",
                                 path, k / 2, k % 2 ? "to" : "from", index, i->points - 1);
        memcpy(j->ends + k * i->latent_dim, i->latents + (size_t)index * i->latent_dim,
               i->latent_dim * sizeof *j->ends);
    }
    return j->pairs ? EXIT_DONE
                    : work_complain(&j->m->work, EXIT_BAD_DATA, "%s has no pairs", path);
}

static int ends_of_pairs(job *j) {
    const char *path = j->m->options->pairs;
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table;
    int code = work_check(&j->m->work, rm2_csv_read(j->m->work.ctx, path, &s, &table));
    if (code != EXIT_DONE)
        return code;
    code = take_pairs(j, &table, path);
    rm2_table_free(&table);
    return code;
}

static int find_ends(job *j) {
    const model_options *o = j->m->options;
    if (o->pairs && (o->from || o->to || o->through))
        return work_complain(&j->m->work, EXIT_USAGE,
                             "--pairs excludes --from, --to and --through");
    if (o->pairs)
        return ends_of_pairs(j);
    if (!o->from || !o->to)
        return work_complain(&j->m->work, EXIT_USAGE, "needs --from and --to, or --pairs");
    return ends_of_way(j);
}

/* ---- geodesics ------------------------------------------------------------------------------ */

static rm2_status compute(job *j) {
    const geometry *g = &j->g;
    rm2_context *ctx = j->m->work.ctx;
    size_t Q = j->m->info.latent_dim, failed;
    if (j->stops)
        return rm2_geodesic_through(ctx, g->metric, g->network, &g->settings, j->stops, j->ends,
                                    &j->curves[0]);
    if (j->pairs == 1)
        return rm2_geodesic(ctx, g->metric, g->network, &g->settings, j->ends, j->ends + Q,
                            &j->curves[0]);
    progress p = progress_begin(&j->m->work, "geodesics");
    double *from = malloc(2 * j->pairs * Q * sizeof *from), *to = from + j->pairs * Q;
    if (!from)
        return RM2_ERR_MEMORY;
    for (size_t k = 0; k < j->pairs; k++) {
        memcpy(from + k * Q, j->ends + 2 * k * Q, Q * sizeof *from);
        memcpy(to + k * Q, j->ends + (2 * k + 1) * Q, Q * sizeof *to);
    }
    rm2_status status = rm2_geodesic_many(ctx, g->metric, g->network, &g->settings, j->pairs, from,
                                          to, progress_count, &p, j->curves, &failed);
    free(from);
    return status;
}

/* Lengths in the model's own metric, whatever was minimised. */
static rm2_status measure(job *j) {
    const geometry *g = &j->g;
    rm2_context *ctx = j->m->work.ctx;
    size_t Q = j->m->info.latent_dim, samples = j->m->options->samples;
    rm2_status status = RM2_OK;
    for (size_t k = 0; k < j->pairs && status == RM2_OK; k++) {
        rm2_curve *c = j->curves[k];
        const double *first = j->stops ? j->ends : j->ends + 2 * k * Q;
        size_t count = j->stops ? j->stops : 2;
        status = rm2_metric_measure(ctx, g->pullback, count, first, &j->straight[k], NULL);
        if (status == RM2_OK && g->metric != g->pullback)
            status = rm2_metric_measure(ctx, g->pullback, c->nodes, c->x, &c->length, &c->energy);
    }
    if (samples && status == RM2_OK)
        status = rm2_metric_expected_length(ctx, g->pullback, j->curves[0]->nodes, j->curves[0]->x,
                                            samples, &j->expected, &j->standard_error);
    return status;
}

static int find_geodesics(job *j) {
    const work *w = &j->m->work;
    size_t count = j->stops ? j->stops : 2 * j->pairs;
    j->curves = calloc(j->pairs, sizeof(rm2_curve *));
    j->straight = calloc(j->pairs, sizeof *j->straight);
    if (!j->curves || !j->straight)
        return work_no_memory(w);
    int code = geometry_open(j->m, count, j->ends, &j->g);
    if (code != EXIT_DONE)
        return code;
    catch_interrupts(w->ctx);
    rm2_status status = compute(j);
    catch_interrupts(NULL);
    return work_check(w, status == RM2_OK ? measure(j) : status);
}

/* ---- the table ------------------------------------------------------------------------------ */

/* All nodes of all curves, one after the other. */
typedef struct trajectory {
    size_t rows, Q, ambient;
    double *pair, *t, *time, *x, *points, *deviation, *memory;
} trajectory;

static bool trajectory_alloc(trajectory *r, const job *j) {
    r->Q = j->m->info.latent_dim;
    r->ambient = rm2_manifold_ambient(j->m->info.manifold);
    r->rows = 0;
    for (size_t k = 0; k < j->pairs; k++)
        r->rows += j->curves[k]->nodes;
    r->memory = malloc(r->rows * (4 + r->Q + r->ambient) * sizeof *r->memory);
    if (!r->memory)
        return false;
    r->pair = r->memory;
    r->t = r->pair + r->rows;
    r->time = r->t + r->rows;
    r->deviation = r->time + r->rows;
    r->x = r->deviation + r->rows;
    r->points = r->x + r->rows * r->Q;
    size_t row = 0;
    for (size_t k = 0; k < j->pairs; k++)
        for (size_t i = 0; i < j->curves[k]->nodes; i++, row++) {
            const rm2_curve *c = j->curves[k];
            r->pair[row] = (double)k;
            r->t[row] = c->nodes > 1 ? (double)i / (double)(c->nodes - 1) : 0;
            memcpy(r->x + row * r->Q, c->x + i * r->Q, r->Q * sizeof *r->x);
        }
    return true;
}

static int take_limits(const model_work *m, const char *name, const char *text, double *values) {
    size_t factors = rm2_manifold_factor_count(m->info.manifold);
    if (parse_numbers(text, factors, values))
        return EXIT_DONE;
    return work_complain(&m->work, EXIT_USAGE, "%s %s: expected one number for each factor of %s",
                         name, text, rm2_manifold_spec(m->info.manifold));
}

static int retime(const job *j, trajectory *r) {
    const model_options *o = j->m->options;
    size_t factors = rm2_manifold_factor_count(j->m->info.manifold), row = 0;
    double *speed = calloc(2 * factors, sizeof *speed), *acceleration = speed + factors;
    if (!speed)
        return work_no_memory(&j->m->work);
    int code = take_limits(j->m, "--speed-limit", o->speed, speed);
    if (code == EXIT_DONE && o->acceleration)
        code = take_limits(j->m, "--acceleration-limit", o->acceleration, acceleration);
    rm2_speed_limits limits = {speed, o->acceleration ? acceleration : NULL};
    for (size_t k = 0; k < j->pairs && code == EXIT_DONE; row += j->curves[k++]->nodes)
        code = work_check(&j->m->work,
                          rm2_retime(j->m->work.ctx, j->m->info.manifold, j->curves[k]->nodes,
                                     r->points + row * r->ambient, &limits, r->time + row));
    free(speed);
    return code;
}

static int fill_times(const job *j, trajectory *r) {
    const model_options *o = j->m->options;
    if (o->speed)
        return retime(j, r);
    for (size_t i = 0; i < r->rows; i++)
        r->time[i] = o->duration * r->t[i];
    return EXIT_DONE;
}

static int write_trajectory(const job *j, const trajectory *r) {
    sheet s;
    bool timed = j->m->options->speed || j->m->options->duration > 0, many = j->pairs > 1;
    size_t columns = (many ? 1u : 0u) + 1 + (timed ? 1u : 0u) + r->Q + r->ambient + 1;
    bool built =
        sheet_create(&s, r->rows, columns) && (!many || sheet_add(&s, "pair", r->pair, 1)) &&
        sheet_add(&s, "t", r->t, 1) && (!timed || sheet_add(&s, "time", r->time, 1)) &&
        sheet_add_latents(&s, r->Q, r->x) && sheet_add_points(&s, j->m->info.manifold, r->points) &&
        sheet_add(&s, "deviation", r->deviation, 1);
    int code = built ? model_write_sheet(j->m, &s) : work_no_memory(&j->m->work);
    sheet_free(&s);
    return code;
}

static int decode_and_write(const job *j) {
    trajectory r = {.memory = NULL};
    if (!trajectory_alloc(&r, j))
        return work_no_memory(&j->m->work);
    int code = work_check(&j->m->work, rm2_model_decode(j->m->work.ctx, j->m->model, r.rows, r.x,
                                                        r.points, NULL, NULL, r.deviation));
    if (code == EXIT_DONE)
        code = fill_times(j, &r);
    if (code == EXIT_DONE)
        code = write_trajectory(j, &r);
    free(r.memory);
    return code;
}

/* ---- report --------------------------------------------------------------------------------- */

static void print_json(const job *j) {
    printf("{\"metric\": ");
    json_text(stdout, rm2_metric_text(j->g.metric));
    json_field(stdout, "weight", rm2_metric_weight(j->g.metric));
    printf(", \"lengths_in\": ");
    json_text(stdout, rm2_metric_text(j->g.pullback));
    printf(", \"curves\": [");
    for (size_t k = 0; k < j->pairs; k++) {
        const rm2_curve *c = j->curves[k];
        printf("%s{\"nodes\": %zu", k ? ", " : "", c->nodes);
        json_field(stdout, "length", c->length);
        json_field(stdout, "energy", c->energy);
        json_field(stdout, "straight_length", j->straight[k]);
        json_field(stdout, "path_length", c->path_length);
        json_field(stdout, "spline_length", c->spline_length);
        json_field(stdout, "residual", c->residual);
        printf(", \"stage\": \"%s\", \"iterations\": %zu, \"evaluations\": %zu, \"converged\": %s}",
               rm2_stage_text(c->stage), c->iterations, c->evaluations,
               c->converged ? "true" : "false");
    }
    printf("]");
    if (j->m->options->samples) {
        json_field(stdout, "expected_length", j->expected);
        json_field(stdout, "expected_length_error", j->standard_error);
    }
    printf("}\n");
}

static void print_text(const job *j, size_t open) {
    FILE *out = model_prints(j->m->options->output) ? stderr : stdout;
    const rm2_curve *c = j->curves[0];
    if (j->pairs > 1)
        (void)fprintf(out, "%zu geodesics, %zu not converged; %s\n", j->pairs, open,
                      rm2_metric_text(j->g.metric));
    else
        (void)fprintf(out,
                      "length %.6g (straight line %.6g), energy %.6g, %s, residual %.1e, %zu "
                      "iterations%s\n%s\n",
                      c->length, j->straight[0], c->energy, rm2_stage_text(c->stage), c->residual,
                      c->iterations, c->converged ? "" : ", NOT CONVERGED",
                      rm2_metric_text(j->g.metric));
    if (j->m->options->samples)
        (void)fprintf(out, "expected length %.6g +- %.1e (sampled Jacobians)\n", j->expected,
                      j->standard_error);
}

static int report(const job *j) {
    size_t open = 0;
    for (size_t k = 0; k < j->pairs; k++)
        open += !j->curves[k]->converged;
    if (j->m->work.common->json)
        print_json(j);
    else if (!j->m->work.common->quiet)
        print_text(j, open);
    return open ? EXIT_NOT_CONVERGED : EXIT_DONE;
}

static int do_geodesic(const model_work *m) {
    job j = {.m = m};
    int code = find_ends(&j);
    if (code == EXIT_DONE)
        code = find_geodesics(&j);
    if (code == EXIT_DONE && model_wants_table(m))
        code = decode_and_write(&j);
    if (code == EXIT_DONE)
        code = report(&j);
    for (size_t k = 0; j.curves && k < j.pairs; k++)
        rm2_curve_free(j.curves[k]);
    free((void *)j.curves);
    free(j.straight);
    free(j.ends);
    geometry_close(&j.g);
    return code;
}

int run_geodesic(const command *self, int argc, char **argv) {
    return model_run(
        self, argc, argv,
        &(model_action){
            .table = geodesic_table, .groups = path_groups, .files = 1, .run = do_geodesic});
}
