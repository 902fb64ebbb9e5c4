/* riemann2 eval: trajectories against demonstrations. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/columns.h"
#include "eval/eval.h"
#include "front/smoothness.h"

/* Demonstrations as they are compared. */
typedef struct demonstrations {
    runs of;
    size_t whole[2]; /* starts of data without trajectories */
    rm2_sequence *sequences;
    double *rows;
    double floor;              /* NaN: there is only one */
    rm2_smoothness smoothness; /* median */
    /* As curves, at equal steps of arc length: however many points there are. */
    rm2_manifold *space; /* that rows are points of */
    rm2_sequence *curves;
    double *curve_rows, curve_floor;
} demonstrations;

enum { CURVE = 200 }; /* points of a curve */

static rm2_dtw_settings dtw_settings(const evaluation *e) {
    rm2_dtw_settings s = e->options->dtw;
    s.manifold = e->options->space == RM2_VIEW_MANIFOLD ? e->m->info->manifold : NULL;
    return s;
}

/* What is wrong with the points of a file: the file's name first. */
static int check_points(const evaluation *e, const char *source, rm2_status status) {
    bool data = status == RM2_ERR_DATA || status == RM2_ERR_DOMAIN || status == RM2_ERR_CUT_LOCUS;
    if (!data)
        return work_check(&e->m->work, status);
    char text[MESSAGE_SIZE];
    (void)message_as_options(rm2_context_error(e->m->work.ctx), text, sizeof text);
    return work_complain(&e->m->work, EXIT_BAD_DATA, "%s: %s", source, text);
}

/* ---- demonstrations ------------------------------------------------------------------------- */

/* From the reference, or from the model. */
static void find_runs(const evaluation *e, demonstrations *d) {
    static const char *const everything[] = {"all"};
    const rm2_model_info *i = e->m->info;
    const rm2_data *r = e->reference;
    d->of = r ? (runs){r->source, r->points, r->trajectories, r->starts, r->ids}
              : (runs){i->data->source, e->training, i->data->trajectories, i->data->starts,
                       i->data->ids};
    if (d->of.count)
        return;
    d->whole[1] = r ? r->count : i->points;
    d->of.count = 1;
    d->of.starts = d->whole;
    d->of.ids = everything;
}

static size_t length_of(const evaluation *e, const demonstrations *d, size_t t) {
    return e->options->resample ? e->options->resample : d->of.starts[t + 1] - d->of.starts[t];
}

/* One demonstration to `rows`, through `points` if it is resampled. */
static rm2_status copy_demonstration(const evaluation *e, const demonstrations *d, size_t t,
                                     double *points, double *rows) {
    const rm2_manifold *m = e->m->info->manifold;
    rm2_context *ctx = e->m->work.ctx;
    const double *own = d->of.points + d->of.starts[t] * rm2_manifold_ambient(m);
    size_t n = d->of.starts[t + 1] - d->of.starts[t], wanted = e->options->resample;
    rm2_status status = wanted ? rm2_trajectory_resample(ctx, m, n, own, wanted, points) : RM2_OK;
    if (status != RM2_OK)
        return status;
    return rm2_model_view_rows(ctx, e->m->model, (rm2_model_view)e->options->space,
                               length_of(e, d, t), wanted ? points : own, rows);
}

static int copy_demonstrations(const evaluation *e, demonstrations *d) {
    size_t width = rm2_model_view_width(e->m->model, (rm2_model_view)e->options->space), total = 0;
    size_t ambient = rm2_manifold_ambient(e->m->info->manifold);
    for (size_t t = 0; t < d->of.count; t++)
        total += length_of(e, d, t);
    double *points = malloc((e->options->resample + 1) * ambient * sizeof *points);
    d->rows = malloc((total + 1) * width * sizeof *d->rows);
    d->sequences = calloc(d->of.count, sizeof *d->sequences);
    bool room = points && d->rows && d->sequences;
    int code = room ? EXIT_DONE : work_no_memory(&e->m->work);
    double *rows = d->rows;
    for (size_t t = 0; room && code == EXIT_DONE && t < d->of.count; t++) {
        code = check_points(e, d->of.source, copy_demonstration(e, d, t, points, rows));
        d->sequences[t] = (rm2_sequence){length_of(e, d, t), width, rows};
        rows += length_of(e, d, t) * width;
    }
    free(points);
    return code;
}

/* The demonstrations as curves, and the mean distance between these. */
static rm2_status find_curves(const evaluation *e, demonstrations *d) {
    rm2_context *ctx = e->m->work.ctx;
    rm2_dtw_settings s = dtw_settings(e);
    rm2_distance_summary floor = {.size = sizeof floor, .mean = NAN};
    size_t width = d->sequences[0].width;
    char spec[32];
    (void)snprintf(spec, sizeof spec, "R%zu", width);
    if (s.manifold)
        d->space = rm2_manifold_retain(s.manifold);
    else
        WORK_TRY(rm2_manifold_create(ctx, spec, &d->space));
    d->curve_rows = malloc((d->of.count * CURVE * width + 1) * sizeof *d->curve_rows);
    d->curves = calloc(d->of.count, sizeof *d->curves);
    if (!d->curve_rows || !d->curves)
        return RM2_ERR_MEMORY;
    for (size_t t = 0; t < d->of.count; t++) {
        double *rows = d->curve_rows + t * CURVE * width;
        WORK_TRY(rm2_trajectory_resample_by_length(ctx, d->space, d->sequences[t].count,
                                                   d->sequences[t].points, CURVE, rows));
        d->curves[t] = (rm2_sequence){CURVE, width, rows};
    }
    if (d->of.count > 1)
        WORK_TRY(rm2_dtw_floor(ctx, &s, d->of.count, d->curves, NULL, &floor));
    d->curve_floor = floor.mean;
    return RM2_OK;
}

/* Distance of a curve from the demonstrations over that of these from each other. */
static rm2_status find_ratio(const evaluation *e, const demonstrations *d,
                             const rm2_sequence *sequence, double *ratio) {
    rm2_context *ctx = e->m->work.ctx;
    rm2_dtw_settings s = dtw_settings(e);
    rm2_distance_summary found = {.size = sizeof found};
    double *rows = malloc(CURVE * sequence->width * sizeof *rows);
    rm2_status status = rows ? rm2_trajectory_resample_by_length(ctx, d->space, sequence->count,
                                                                 sequence->points, CURVE, rows)
                             : RM2_ERR_MEMORY;
    const rm2_sequence curve = {CURVE, sequence->width, rows};
    if (status == RM2_OK)
        status = rm2_dtw_from(ctx, &s, &curve, d->of.count, d->curves, NULL, &found);
    if (status == RM2_OK)
        *ratio = found.mean / d->curve_floor;
    free(rows);
    return status;
}

/* ---- smoothness ----------------------------------------------------------------------------- */

static const char *const suffix[RM2_CURVE_PARTS] = {"", "_rest"};

/* A measure of a part, and what it is in those of the demonstrations. */
static void add_measure(evaluation *e, const char *name, size_t part, double value,
                        const double *usual) {
    char measure[32];
    (void)snprintf(measure, sizeof measure, "%s%s", name, suffix[part]);
    findings_add(&e->found, measure, value);
    (void)snprintf(measure, sizeof measure, "over_%s%s", name, suffix[part]);
    if (usual)
        findings_detail(&e->found, measure, value / *usual);
}

/* Does the manifold have factors of this part? */
static bool has_part(const evaluation *e, size_t part) {
    const rm2_manifold *m = e->m->info->manifold;
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++)
        if ((rm2_manifold_factor(m, k)->geometry == &rm2_euclidean) ==
            (part == RM2_CURVE_POSITIONS))
            return true;
    return false;
}

/* `median`: of the demonstrations, whose own measures these are if it is NULL. */
static void add_smoothness(evaluation *e, const rm2_smoothness *s, const rm2_smoothness *median) {
    for (size_t p = 0; p < RM2_CURVE_PARTS; p++) {
        if (!has_part(e, p))
            continue;
        add_measure(e, "turning", p, s->turning[p], median ? &median->turning[p] : NULL);
        add_measure(e, "jerk", p, s->jerk[p], median ? &median->jerk[p] : NULL);
    }
}

/* All points count, whatever --resample says. */
static rm2_status find_smoothness(const evaluation *e, demonstrations *d) {
    rm2_context *ctx = e->m->work.ctx;
    size_t width = rm2_manifold_ambient(e->m->info->manifold);
    rm2_smoothness *of = malloc(d->of.count * sizeof *of);
    rm2_status status = of ? RM2_OK : RM2_ERR_MEMORY;
    for (size_t t = 0; status == RM2_OK && t < d->of.count; t++)
        status = rm2_model_smoothness(ctx, e->m->model, d->of.starts[t + 1] - d->of.starts[t],
                                      d->of.points + d->of.starts[t] * width, &of[t]);
    if (status == RM2_OK)
        status = rm2_smoothness_median(ctx, d->of.count, of, &d->smoothness);
    free(of);
    return status;
}

/* ---- the floor ------------------------------------------------------------------------------ */

static int find_floor(evaluation *e, demonstrations *d) {
    rm2_dtw_settings s = dtw_settings(e);
    rm2_distance_summary floor = {.size = sizeof floor, .mean = NAN, .deviation = NAN};
    double points = 0;
    int code = EXIT_DONE;
    if (d->of.count > 1)
        code = check_points(
            e, d->of.source,
            rm2_dtw_floor(e->m->work.ctx, &s, d->of.count, d->sequences, NULL, &floor));
    for (size_t t = 0; t < d->of.count; t++)
        points += (double)d->sequences[t].count;
    d->floor = floor.mean;
    findings_item(&e->found, "reference", d->of.source);
    findings_add(&e->found, "demonstrations", (double)d->of.count);
    findings_add(&e->found, "points", points);
    findings_add(&e->found, "floor", floor.mean);
    findings_add(&e->found, "floor_sd", floor.deviation);
    if (e->options->trajectories.count > 0)
        add_smoothness(e, &d->smoothness, NULL);
    return code;
}

/* ---- trajectories --------------------------------------------------------------------------- */

static int compare(evaluation *e, const demonstrations *d, const char *name, size_t n,
                   const double *points) {
    const model_work *m = e->m;
    rm2_dtw_settings s = dtw_settings(e);
    rm2_model_view space = (rm2_model_view)e->options->space;
    size_t width = rm2_model_view_width(m->model, space), on = 0;
    double *rows = malloc(n * width * sizeof *rows);
    double *distances = malloc(d->of.count * sizeof *distances);
    const rm2_sequence sequence = {n, width, rows};
    rm2_distance_summary spread = {.size = sizeof spread};
    rm2_smoothness smoothness = {{NAN, NAN}, {NAN, NAN}};
    double ratio = NAN;
    rm2_status status = rows && distances ? RM2_OK : RM2_ERR_MEMORY;
    if (status == RM2_OK)
        status = rm2_manifold_contains(m->work.ctx, m->info->manifold, n, points, NULL, &on);
    if (status == RM2_OK)
        status = rm2_model_view_rows(m->work.ctx, m->model, space, n, points, rows);
    if (status == RM2_OK)
        status =
            rm2_dtw_from(m->work.ctx, &s, &sequence, d->of.count, d->sequences, distances, &spread);
    if (status == RM2_OK && d->curves)
        status = find_ratio(e, d, &sequence, &ratio);
    else if (status == RM2_OK)
        ratio = spread.mean / d->floor;
    if (status == RM2_OK && (on == n || m->info->settings->model == RM2_GPLVM))
        status = rm2_model_smoothness(m->work.ctx, m->model, n, points, &smoothness);
    if (status == RM2_OK) {
        findings_item(&e->found, "trajectory", name);
        findings_add(&e->found, "points", (double)n);
        findings_add(&e->found, "on_manifold_percent", 100 * (double)on / (double)n);
        findings_add(&e->found, "dtw_mean", spread.mean);
        findings_add(&e->found, "dtw_sd", spread.deviation);
        findings_add(&e->found, "over_floor", ratio);
        add_smoothness(e, &smoothness, &d->smoothness);
        for (size_t t = 0; t < d->of.count; t++) {
            char measure[96];
            (void)snprintf(measure, sizeof measure, "dtw_to_%s", d->of.ids[t]);
            findings_detail(&e->found, measure, distances[t]);
        }
    }
    free(rows);
    free(distances);
    return check_points(e, name, status);
}

/* ---- files of trajectories ------------------------------------------------------------------ */

/* Columns of a file of points: those with the names of decode and sample, or, if it has none of them, all
 * but the one of ids. */
typedef struct point_columns {
    column_list named;
    const char *ids; /* NULL: all rows are one trajectory */
    bool found;      /* the file has such names */
} point_columns;

static rm2_status choose_columns(void *user, const rm2_table *header, rm2_csv_settings *s) {
    point_columns *c = user;
    if (!c->ids)
        c->ids = columns_ids(header);
    c->found = columns_any(&c->named, header);
    s->text = &c->ids;
    s->text_count = c->ids != NULL;
    s->numeric = c->named.list;
    s->numeric_count = c->found ? c->named.count : 0;
    return RM2_OK;
}

static int wrong_columns(const evaluation *e, const char *path, size_t found) {
    const rm2_manifold *m = e->m->info->manifold;
    char first[COLUMN_NAME];
    rm2_data_column_name(m, 0, first, sizeof first);
    return work_complain(&e->m->work, EXIT_BAD_DATA,
                         "%s has %zu column%s, but points of %s have %zu numbers; name them as "
                         "decode does: %s, ...",
                         path, found, found == 1 ? "" : "s", rm2_manifold_spec(m),
                         rm2_manifold_ambient(m), first);
}

static void gather_points(const point_columns *c, const rm2_table *table, size_t ids,
                          double *points) {
    for (size_t k = 0; k < c->named.count; k++) {
        size_t column = c->found ? rm2_table_column(table, c->named.list[k]) : k < ids ? k : k + 1;
        for (size_t i = 0; i < table->rows; i++)
            points[i * c->named.count + k] = table->values[i * table->columns + column];
    }
}

/* Each run of one id is a trajectory; without ids (SIZE_MAX) all rows are one. */
static int compare_runs(evaluation *e, const demonstrations *d, const char *path,
                        const rm2_table *table, size_t ids, const double *points) {
    size_t ambient = rm2_manifold_ambient(e->m->info->manifold), from = 0;
    int code = EXIT_DONE;
    if (ids == SIZE_MAX)
        return compare(e, d, path, table->rows, points);
    for (size_t i = 1; code == EXIT_DONE && i <= table->rows; i++) {
        size_t id = (size_t)table->values[(i - 1) * table->columns + ids];
        if (i < table->rows && (size_t)table->values[i * table->columns + ids] == id)
            continue;
        char name[512];
        (void)snprintf(name, sizeof name, "%s:%s", path, table->texts[ids][id]);
        code = compare(e, d, name, i - from, points + from * ambient);
        from = i;
    }
    return code;
}

static int compare_table(evaluation *e, const demonstrations *d, const char *path,
                         const point_columns *c, const rm2_table *table) {
    size_t ids = c->ids ? rm2_table_column(table, c->ids) : SIZE_MAX,
           numbers = table->columns - (c->ids != NULL);
    if (table->rows == 0)
        return work_complain(&e->m->work, EXIT_BAD_DATA, "%s has no points", path);
    if (!c->found && numbers != c->named.count)
        return wrong_columns(e, path, numbers);
    double *points = malloc(table->rows * c->named.count * sizeof *points);
    if (!points)
        return work_no_memory(&e->m->work);
    gather_points(c, table, ids, points);
    int code = compare_runs(e, d, path, table, ids, points);
    free(points);
    return code;
}

static int compare_file(evaluation *e, const demonstrations *d, const char *path) {
    const work *w = &e->m->work;
    point_columns c = {.ids = e->options->by};
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table = {.rows = 0};
    s.choose = choose_columns;
    s.user = &c;
    s.text = &c.ids; /* given by its number, it says nothing of a header */
    s.text_count = c.ids != NULL;
    int code = columns_of_points(&c.named, e->m->info->manifold)
                   ? work_check(w, rm2_csv_read(w->ctx, path, &s, &table))
                   : work_no_memory(w);
    if (code == EXIT_DONE)
        code = compare_table(e, d, path, &c, &table);
    rm2_table_clear(&table);
    columns_free(&c.named);
    return code;
}

int eval_trajectories(evaluation *e) {
    demonstrations d = {.floor = NAN};
    const text_list *files = &e->options->trajectories;
    find_runs(e, &d);
    int code = copy_demonstrations(e, &d);
    if (code == EXIT_DONE && files->count > 0)
        code = check_points(e, d.of.source, find_smoothness(e, &d));
    if (code == EXIT_DONE)
        code = find_floor(e, &d);
    if (code == EXIT_DONE && files->count > 0 && e->options->ratio == 0)
        code = check_points(e, d.of.source, find_curves(e, &d));
    for (size_t k = 0; code == EXIT_DONE && k < files->count; k++)
        code = compare_file(e, &d, files->items[k]);
    free(d.sequences);
    free(d.rows);
    free(d.curves);
    free(d.curve_rows);
    rm2_manifold_free(d.space);
    return code;
}
