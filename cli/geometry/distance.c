/* riemann2 distance and mean: many latent points at once. */
#include <math.h>
#include <stdlib.h>

#include "core/progress.h"
#include "geometry/geometry.h"
#include "geometry/matrix.h"
#include "statistics/points.h"

static const option distance_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV or .npy file of the matrix to write (also -o; - prints)"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "between the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "between the latents of this training trajectory"},
    {"--medoids", "K", OPTION_SIZE, MODEL(medoids), NULL, "also print the K most central points"},
    {.name = NULL},
};

static const char *const matrix_formats[] = {".csv", ".tsv", ".txt", ".npy", NULL};

static const option mean_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "CSV file to write (also -o; - prints)"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "of the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "of the latents of this training trajectory"},
    NAMES_OPTION(MODEL(names)),
    {.name = NULL},
};

/* ---- distance ------------------------------------------------------------------------------- */

static void print_distances_json(FILE *out, const rm2_metric *metric, const distance_summary *s,
                                 const centres *c, size_t medoids) {
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_COUNT("points", s->n), RM2_COUNT("not_converged", s->unconverged),
                 RM2_COUNT("blocked", s->blocked), RM2_TEXT("metric", rm2_metric_text(metric)),
                 RM2_NUMBER("weight", rm2_metric_weight(metric)), RM2_NUMBER("mean", s->mean),
                 RM2_NUMBER("largest", s->largest));
    centres_json(&json, c, medoids);
    rm2_json_end(&json);
}

static void print_distances(FILE *out, const rm2_metric *metric, const distance_summary *s,
                            const centres *c, size_t medoids) {
    (void)fprintf(out, "%zu point%s: mean distance %.6g, largest %.6g, %zu not converged; %s\n",
                  s->n, s->n == 1 ? "" : "s", s->mean, s->largest, s->unconverged,
                  rm2_metric_text(metric));
    if (s->blocked > 0)
        (void)fprintf(out, "%zu pair%s without a way around the obstacles: distance inf\n",
                      s->blocked, plural(s->blocked));
    centres_print(out, c, medoids);
}

static int find_distances(const model_work *m, size_t n, const double *points, rm2_space **space,
                          double *distance, size_t *unconverged) {
    progress p;
    int code = geometry_open(m, &m->options->space, n, points, space);
    if (code != EXIT_DONE)
        return code;
    progress_begin(&m->work, &p);
    return progress_end(&p,
                        rm2_space_distances(m->work.ctx, *space, n, points, distance, unconverged));
}

/* Distances between the points, in what `distance` has room for. */
static int work_on_distances(const model_work *m, size_t n, const double *points,
                             double *distance) {
    size_t unconverged = 0, medoids = m->options->medoids;
    rm2_space *space = NULL;
    centres c = {.index = NULL};
    int code = find_distances(m, n, points, &space, distance, &unconverged);
    if (code == EXIT_DONE)
        code = find_centres(m, n, distance, &c);
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_distances(m, n, distance);
    if (code == EXIT_DONE) {
        distance_summary s = summarise_distances(n, distance, unconverged);
        const rm2_metric *metric = rm2_space_metric(space);
        if (m->work.common->json)
            print_distances_json(model_summary(m), metric, &s, &c, medoids);
        else if (!m->work.common->quiet)
            print_distances(model_summary(m), metric, &s, &c, medoids);
        code = unconverged || s.blocked ? EXIT_NOT_CONVERGED : EXIT_DONE;
    }
    free(c.index);
    rm2_space_free(space);
    return code;
}

static int do_distance(const model_work *m) {
    size_t n = 0;
    double *points, *distance = NULL;
    int code = model_find_latents(m, &n, &points);
    if (code == EXIT_DONE)
        code = check_centres(m, n);
    if (code == EXIT_DONE && !(distance = calloc(n, n * sizeof *distance)))
        code = work_no_memory(&m->work);
    if (code == EXIT_DONE)
        code = work_on_distances(m, n, points, distance);
    free(distance);
    free(points);
    return code;
}

int run_distance(const command *self, int argc, char **argv) {
    return model_run(self, argc, argv,
                     &(model_action){.table = distance_table,
                                     .groups = obstacle_groups,
                                     .space = true,
                                     .files = 2,
                                     .needs_source = true,
                                     .formats = matrix_formats,
                                     .run = do_distance,
                                     .run_on_points = distance_of_points});
}

/* ---- mean ----------------------------------------------------------------------------------- */

static int write_mean(const model_work *m, const region_names *names, const double *mean) {
    sheet s;
    size_t Q = m->info->latent_dim, ambient = rm2_manifold_ambient(m->info->manifold);
    double deviation, *point = malloc(ambient * sizeof *point);
    if (!point)
        return work_no_memory(&m->work);
    int code = work_check(
        &m->work, rm2_model_decode(m->work.ctx, m->model, 1, mean, point, NULL, NULL, &deviation));
    if (code == EXIT_DONE) {
        bool built = sheet_create(&s, 1, Q + ambient + 1) && sheet_add_latents(&s, Q, mean) &&
                     sheet_add_named_points(&s, m->info->manifold, names, point) &&
                     sheet_add(&s, "deviation", &deviation, 1);
        code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
        sheet_free(&s);
    }
    free(point);
    return code;
}

static void report_mean(const model_work *m, const rm2_metric *metric, size_t n, const double *mean,
                        const rm2_mean_info *info) {
    FILE *out = model_summary(m);
    if (m->work.common->json) {
        rm2_json json = rm2_json_begin(out);
        rm2_json_put(&json, RM2_COUNT("points", n));
        rm2_json_numbers(&json, "mean", m->info->latent_dim, mean);
        rm2_json_put(&json, RM2_TEXT("metric", rm2_metric_text(metric)),
                     RM2_NUMBER("weight", rm2_metric_weight(metric)),
                     RM2_NUMBER("variance", info->variance), RM2_NUMBER("gradient", info->gradient),
                     RM2_COUNT("iterations", (size_t)info->iterations),
                     RM2_FLAG("converged", info->converged));
        rm2_json_end(&json);
    } else if (!m->work.common->quiet) {
        (void)fprintf(out, "mean of %zu point%s: variance %.6g, %d iteration%s%s; %s\n", n,
                      n == 1 ? "" : "s", info->variance, info->iterations,
                      info->iterations == 1 ? "" : "s", info->converged ? "" : ", NOT CONVERGED",
                      rm2_metric_text(metric));
    }
}

static int find_mean(const model_work *m, size_t n, const double *points, rm2_space **space,
                     double *mean, rm2_mean_info *info) {
    progress p;
    int code = geometry_open(m, &m->options->space, n, points, space);
    if (code != EXIT_DONE)
        return code;
    progress_begin(&m->work, &p);
    return progress_end(&p, rm2_space_mean(m->work.ctx, *space, n, points, NULL, NULL, mean, info));
}

static int do_mean(const model_work *m) {
    rm2_space *space = NULL;
    size_t n = 0;
    rm2_mean_info info = {.size = sizeof info};
    double *points = NULL, *mean = NULL;
    const mean_options *own = m->own;
    region_names names = {0};
    int code = own->test ? work_complain(&m->work, EXIT_USAGE,
                                         "--test needs --manifold, for a file of points without "
                                         "a model")
                         : model_find_latents(m, &n, &points);
    if (code == EXIT_DONE)
        code = names_read(&m->work, m->options->names, m->info->manifold, &names);
    if (code == EXIT_DONE && !(mean = calloc(m->info->latent_dim, sizeof *mean)))
        code = work_no_memory(&m->work);
    if (code == EXIT_DONE)
        code = find_mean(m, n, points, &space, mean, &info);
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_mean(m, &names, mean);
    if (code == EXIT_DONE) {
        report_mean(m, rm2_space_metric(space), n, mean, &info);
        code = info.converged ? EXIT_DONE : EXIT_NOT_CONVERGED;
    }
    free(mean);
    free(points);
    names_free(&names);
    rm2_space_free(space);
    return code;
}

int run_mean(const command *self, int argc, char **argv) {
    mean_options own = mean_options_default();
    const option_group groups[] = {cost_groups[0],
                                   {"Without a model", mean_points_table, &own, NULL},
                                   {NULL, NULL, &own.test_settings, &own.test_from},
                                   {.options = NULL}};
    setting_options *test = &own.test_from;
    return model_run(self, argc, argv,
                     &(model_action){.table = mean_table,
                                     .groups = groups,
                                     .space = true,
                                     .own = &own,
                                     .files = 2,
                                     .needs_source = true,
                                     .run = do_mean,
                                     .run_on_points = mean_of_points,
                                     .points_from = test});
}
