/* riemann2 geodesic: shortest paths in the latent space, decoded to trajectories on the manifold. */
#include "geometry/geodesic.h"

#include <stdlib.h>
#include <string.h>

#include "core/progress.h"

static const char *const ends_kinds[] = {"meet", "encoded", NULL};

static const option geodesic_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV file of the trajectory to write (also -o; - prints)"},
    {"--from", "POINT", OPTION_TEXT, MODEL(from), NULL,
     "index of a training point, latent coordinates, first:ID, last:ID, or a pose to meet: the "
     "entries "
     "of a point, the word free in a factor that may be anything (middle:POSE: not a start of "
     "motions)"},
    {"--to", "POINT", OPTION_TEXT, MODEL(to), NULL, "the same"},
    {"--through", "P;P;...", OPTION_TEXT, MODEL(through), NULL,
     "via points; of poses P@T: at time T of --duration (default: 1)"},
    {"--ends", NULL, OPTION_CHOICE, MODEL(ends), ends_kinds,
     "encoded: run between the encodings of poses, which are only near them"},
    {"--frame", "F;F;...", OPTION_TEXT, MODEL(frames), NULL,
     "of motions: see demonstrations from objects that moved: start, goal, world, NAME=POSE"},
    {"--frame-poses", "FILE", OPTION_TEXT, MODEL(frame_poses), NULL,
     "CSV file with columns frame, demo and those of a point: where these objects were"},
    {"--pairs", "FILE", OPTION_TEXT, MODEL(pairs), NULL,
     "CSV file with columns from and to: many pairs of training points"},
    {"--duration", "S", OPTION_NUMBER, MODEL(duration), NULL, "seconds: adds a column time"},
    {"--speed-limit", "V1,V2,...", OPTION_TEXT, MODEL(speed), NULL,
     "one per factor, 0 for none: adds a column time, as fast as the limits allow"},
    {"--acceleration-limit", "A1,...", OPTION_TEXT, MODEL(acceleration), NULL,
     "one per factor, 0 for none: starts and ends at rest"},
    {"--samples", "N", OPTION_SIZE, MODEL(samples), NULL,
     "estimate the expected length of the path from N random Jacobians"},
    {.name = NULL},
};

/* ---- end points ----------------------------------------------------------------------------- */

static int ends_of_way(geodesic_job *j) {
    const model_options *o = j->m->options;
    size_t Q = j->m->info->latent_dim, between = 0;
    char **via = o->through ? split_text(o->through, ';', &between) : NULL;
    j->pairs = 1;
    j->ends = malloc((between + 2) * Q * sizeof *j->ends);
    if (!j->ends || (o->through && !via)) {
        free((void *)via);
        return work_no_memory(&j->m->work);
    }
    int code = geometry_parse_end(j->m, "--from", o->from, j->ends);
    for (size_t k = 0; k < between && code == EXIT_DONE; k++)
        code = geometry_parse_end(j->m, "--through", via[k], j->ends + (k + 1) * Q);
    if (code == EXIT_DONE)
        code = geometry_parse_end(j->m, "--to", o->to, j->ends + (between + 1) * Q);
    j->stops = between ? between + 2 : 0;
    free((void *)via);
    return code;
}

static int copy_pairs(geodesic_job *j, const rm2_table *table, const char *path) {
    const rm2_model_info *i = j->m->info;
    size_t from = rm2_table_column(table, "from"), to = rm2_table_column(table, "to");
    j->pairs = table->rows;
    j->ends = malloc(j->pairs * 2 * i->latent_dim * sizeof *j->ends);
    if (!j->ends)
        return work_no_memory(&j->m->work);
    for (size_t k = 0; k < 2 * j->pairs; k++) {
        double index = table->values[k / 2 * table->columns + (k % 2 ? to : from)];
        if (!(index >= 0 && index < (double)i->points && index == (double)(size_t)index))
            return work_complain(
                &j->m->work, EXIT_BAD_DATA,
                "%s, line %zu, column %s: %g is not the index of a training point (0 to %zu)", path,
                table->lines[k / 2], k % 2 ? "to" : "from", index, i->points - 1);
        memcpy(j->ends + k * i->latent_dim, i->latents + (size_t)index * i->latent_dim,
               i->latent_dim * sizeof *j->ends);
    }
    return EXIT_DONE;
}

static int ends_of_pairs(geodesic_job *j) {
    static const char *const names[] = {"from", "to"};
    const char *path = j->m->options->pairs;
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table;
    s.header = RM2_HEADER_YES;
    s.numeric = names;
    s.numeric_count = 2;
    s.most_bytes = RM2_SMALL_FILE;
    int code = work_check(&j->m->work, rm2_csv_read(j->m->work.ctx, path, &s, &table));
    if (code != EXIT_DONE)
        return code;
    code = copy_pairs(j, &table, path);
    rm2_table_clear(&table);
    return code;
}

static int find_ends(geodesic_job *j) {
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

/* ---- limits --------------------------------------------------------------------------------- */

/* One number for each factor; *values stays NULL if the option was not given. */
static int parse_limits(const model_work *m, const char *name, const char *text, double **values) {
    size_t factors = rm2_manifold_factor_count(m->info->manifold);
    if (!text)
        return EXIT_DONE;
    *values = malloc(factors * sizeof **values);
    if (!*values)
        return work_no_memory(&m->work);
    bool good = parse_numbers(text, factors, *values);
    for (size_t f = 0; f < factors && good; f++)
        good = (*values)[f] >= 0;
    return good ? EXIT_DONE
                : work_complain(&m->work, EXIT_USAGE,
                                "%s %s: expected %zu number%s, one for each factor of %s, 0 for "
                                "no limit",
                                name, text, factors, factors == 1 ? "" : "s",
                                rm2_manifold_spec(m->info->manifold));
}

int geodesic_find_limits(const model_work *m, double **speed, double **acceleration) {
    const model_options *o = m->options;
    if (o->duration > 0 && (o->speed || o->acceleration))
        return work_complain(&m->work, EXIT_USAGE,
                             "--duration excludes limits of speed and acceleration");
    int code = parse_limits(m, "--speed-limit", o->speed, speed);
    return code == EXIT_DONE
               ? parse_limits(m, "--acceleration-limit", o->acceleration, acceleration)
               : code;
}

/* ---- geodesics ------------------------------------------------------------------------------ */

static int open_space(geodesic_job *j) {
    rm2_space_settings s = j->m->options->space;
    j->nodes = s.nodes;
    s.nodes = rm2_path_measured_nodes(j->nodes);
    j->stride = (s.nodes - 1) / (j->nodes - 1);
    /* what j holds is freed by job_free. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
    return geometry_open(j->m, &s, j->stops ? j->stops : 2 * j->pairs, j->ends, &j->space);
}

static rm2_status compute_many(geodesic_job *j) {
    size_t Q = j->m->info->latent_dim;
    double *from = malloc(2 * j->pairs * Q * sizeof *from);
    if (!from)
        return RM2_ERR_MEMORY;
    double *to = from + j->pairs * Q;
    for (size_t k = 0; k < j->pairs; k++) {
        memcpy(from + k * Q, j->ends + 2 * k * Q, Q * sizeof *from);
        memcpy(to + k * Q, j->ends + (2 * k + 1) * Q, Q * sizeof *to);
    }
    rm2_status status =
        rm2_space_many(j->m->work.ctx, j->space, j->pairs, from, to, j->curves, NULL);
    free(from);
    return status;
}

static rm2_status compute(geodesic_job *j) {
    rm2_context *ctx = j->m->work.ctx;
    if (j->stops)
        return rm2_space_through(ctx, j->space, j->stops, j->ends, &j->curves[0]);
    if (j->pairs > 1)
        return compute_many(j);
    return rm2_space_geodesic(ctx, j->space, j->ends, j->ends + j->m->info->latent_dim,
                              &j->curves[0]);
}

static rm2_status measure(geodesic_job *j, size_t k) {
    rm2_context *ctx = j->m->work.ctx;
    size_t samples = j->m->options->samples;
    const rm2_curve *c = j->curves[k];
    measured *found = &j->measured[k];
    rm2_report_settings s = j->m->options->report;
    s.vicinity = j->vicinity;
    s.stops = j->stops ? j->stops : 2;
    s.points = j->ends + (j->stops ? 0 : 2 * k * c->Q);
    s.nodes = j->nodes;
    found->report = (rm2_path_report){.size = sizeof found->report};
    found->over_spread = malloc(c->nodes * sizeof *found->over_spread);
    if (!found->over_spread)
        return RM2_ERR_MEMORY;
    WORK_TRY(rm2_path_measure(ctx, j->space, c, &s, found->over_spread, &found->report));
    if (!samples)
        return RM2_OK;
    return rm2_space_expected_length(ctx, j->space, c->nodes, c->x, samples, &found->expected,
                                     &found->standard_error);
}

static rm2_status compute_and_measure(geodesic_job *j) {
    WORK_TRY(compute(j));
    WORK_TRY(rm2_vicinity_create(j->m->work.ctx, j->m->model, &j->vicinity));
    for (size_t k = 0; k < j->pairs; k++)
        WORK_TRY(measure(j, k));
    return RM2_OK;
}

static int find_geodesics(geodesic_job *j) {
    progress p;
    j->curves = calloc(j->pairs + 1, sizeof(rm2_curve *));
    j->measured = calloc(j->pairs + 1, sizeof *j->measured);
    if (!j->curves || !j->measured)
        return work_no_memory(&j->m->work);
    int code = open_space(j);
    if (code != EXIT_DONE)
        return code;
    progress_begin(&j->m->work, &p);
    return progress_end(&p, compute_and_measure(j));
}

/* ---- the command ---------------------------------------------------------------------------- */

static void job_free(geodesic_job *j) {
    for (size_t k = 0; j->curves && k < j->pairs; k++)
        rm2_curve_free(j->curves[k]);
    free((void *)j->curves);
    for (size_t k = 0; j->measured && k < j->pairs; k++)
        free(j->measured[k].over_spread);
    free(j->measured);
    free(j->ends);
    free(j->speed);
    free(j->acceleration);
    rm2_vicinity_free(j->vicinity);
    rm2_space_free(j->space);
}

static int do_geodesic(const model_work *m) {
    geodesic_job j = {.m = m};
    if (motion_wanted(m))
        return motion_run(m);
    if (m->options->frames || m->options->frame_poses)
        return work_complain(&m->work, EXIT_USAGE,
                             "--frame is for motions: give a pose in --from, --to or --through");
    int code = geodesic_find_limits(m, &j.speed, &j.acceleration);
    if (code == EXIT_DONE)
        code = find_ends(&j);
    if (code == EXIT_DONE)
        code = find_geodesics(&j);
    if (code == EXIT_DONE && model_wants_table(m) && geodesic_open(&j) > 0)
        code = geodesic_write(&j);
    if (code == EXIT_DONE)
        code = geodesic_report(&j);
    job_free(&j);
    return code;
}

int run_geodesic(const command *self, int argc, char **argv) {
    return model_run(self, argc, argv,
                     &(model_action){.table = geodesic_table,
                                     .groups = obstacle_groups,
                                     .space = true,
                                     .report = true,
                                     .meet = true,
                                     .files = 1,
                                     .run = do_geodesic});
}
