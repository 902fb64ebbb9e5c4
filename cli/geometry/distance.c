/* riemann2 distance and mean: many latent points at once. */
#include <math.h>
#include <stdlib.h>

#include "core/progress.h"
#include "geometry/geometry.h"

static const option distance_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV or .npy file of the matrix to write (also -o; - prints)"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "between the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "between the latents of this training trajectory"},
    {"--medoids", "K", OPTION_SIZE, MODEL(medoids), NULL, "also the K most central points"},
    {.name = NULL},
};

static const char *const matrix_formats[] = {".csv", ".tsv", ".txt", ".npy", NULL};

static const option mean_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "CSV file to write (also -o; - prints)"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "of the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "of the latents of this training trajectory"},
    {.name = NULL},
};

/* ---- distance ------------------------------------------------------------------------------- */

static int write_matrix(const model_work *m, size_t n, double *distance) {
    if (m->options->output && has_ending(m->options->output, ".npy")) {
        rm2_array array = {.dims = 2, .shape = {n, n}, .values = distance};
        return work_check(&m->work, rm2_npy_write(m->work.ctx, m->options->output, &array,
                                                  m->work.common->force));
    }
    sheet s;
    bool built = sheet_create(&s, n, n);
    for (size_t k = 0; k < n && built; k++) {
        char name[NAME_SIZE];
        (void)snprintf(name, sizeof name, "d%zu", k);
        built = sheet_add(&s, name, distance + k, n);
    }
    int code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
    sheet_free(&s);
    return code;
}

typedef struct centres {
    size_t *index;
    double cost;
} centres;

static int find_medoids(const model_work *m, size_t n, const double *distance, centres *c) {
    if (!m->options->medoids)
        return EXIT_DONE;
    c->index = calloc(m->options->medoids, sizeof *c->index);
    if (!c->index)
        return work_no_memory(&m->work);
    return work_check(&m->work, rm2_distance_medoids(m->work.ctx, n, distance, m->options->medoids,
                                                     c->index, NULL, &c->cost));
}

/* What is said of a distance matrix. */
typedef struct distance_summary {
    size_t n, unconverged; /* points, pairs that did not converge */
    size_t blocked;        /* pairs that no way joins */
    double mean, largest;  /* of the others */
} distance_summary;

static distance_summary summarise(size_t n, const double *distance, size_t unconverged) {
    distance_summary s = {.n = n, .unconverged = unconverged};
    size_t pairs = n > 1 ? n * (n - 1) : 1;
    for (size_t k = 0; k < n * n; k++) {
        bool blocked = isinf(distance[k]);
        s.blocked += blocked;
        s.mean += blocked ? 0 : distance[k];
        s.largest = fmax(s.largest, blocked ? 0 : distance[k]);
    }
    s.mean /= (double)(pairs - s.blocked > 0 ? pairs - s.blocked : 1);
    s.blocked /= 2;
    return s;
}

static void print_distances_json(FILE *out, const rm2_metric *metric, const distance_summary *s,
                                 const centres *c, size_t medoids) {
    (void)fprintf(out,
                  "{\"points\": %zu, \"not_converged\": %zu, \"blocked\": %zu, \"metric\": ", s->n,
                  s->unconverged, s->blocked);
    json_text(out, rm2_metric_text(metric));
    json_field(out, "weight", rm2_metric_weight(metric));
    json_field(out, "mean", s->mean);
    json_field(out, "largest", s->largest);
    if (medoids) {
        (void)fprintf(out, ", \"medoids\": [");
        for (size_t k = 0; k < medoids; k++)
            (void)fprintf(out, "%s%zu", k ? ", " : "", c->index[k]);
        (void)fprintf(out, "]");
        json_field(out, "distance_to_medoids", c->cost);
    }
    (void)fprintf(out, "}\n");
}

static void print_distances(FILE *out, const rm2_metric *metric, const distance_summary *s,
                            const centres *c, size_t medoids) {
    (void)fprintf(out, "%zu point%s: mean distance %.6g, largest %.6g, %zu not converged; %s\n",
                  s->n, s->n == 1 ? "" : "s", s->mean, s->largest, s->unconverged,
                  rm2_metric_text(metric));
    if (s->blocked > 0)
        (void)fprintf(out, "%zu pair%s without a way around the obstacles: distance inf\n",
                      s->blocked, plural(s->blocked));
    if (!medoids)
        return;
    (void)fprintf(out, "medoids:");
    for (size_t k = 0; k < medoids; k++)
        (void)fprintf(out, " %zu", c->index[k]);
    (void)fprintf(out, " (points from 0), total distance to them %.6g\n", c->cost);
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
        code = find_medoids(m, n, distance, &c);
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_matrix(m, n, distance);
    if (code == EXIT_DONE) {
        distance_summary s = summarise(n, distance, unconverged);
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
    if (code == EXIT_DONE && m->options->medoids > n)
        code = work_complain(&m->work, EXIT_USAGE, "--medoids %zu: there %s %zu point%s",
                             m->options->medoids, n == 1 ? "is" : "are", n, n == 1 ? "" : "s");
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
                                     .run = do_distance});
}

/* ---- mean ----------------------------------------------------------------------------------- */

static int write_mean(const model_work *m, const double *mean) {
    sheet s;
    size_t Q = m->info->latent_dim, ambient = rm2_manifold_ambient(m->info->manifold);
    double deviation, *point = malloc(ambient * sizeof *point);
    if (!point)
        return work_no_memory(&m->work);
    int code = work_check(
        &m->work, rm2_model_decode(m->work.ctx, m->model, 1, mean, point, NULL, NULL, &deviation));
    if (code == EXIT_DONE) {
        bool built = sheet_create(&s, 1, Q + ambient + 1) && sheet_add_latents(&s, Q, mean) &&
                     sheet_add_points(&s, m->info->manifold, point) &&
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
        (void)fprintf(out, "{\"points\": %zu, \"mean\": [", n);
        for (size_t q = 0; q < m->info->latent_dim; q++) {
            (void)fprintf(out, "%s", q ? ", " : "");
            json_number(out, mean[q]);
        }
        (void)fprintf(out, "], \"metric\": ");
        json_text(out, rm2_metric_text(metric));
        json_field(out, "weight", rm2_metric_weight(metric));
        json_field(out, "variance", info->variance);
        json_field(out, "gradient", info->gradient);
        (void)fprintf(out, ", \"iterations\": %d, \"converged\": %s}\n", info->iterations,
                      info->converged ? "true" : "false");
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
    rm2_mean_info info = {.converged = false};
    double *points, *mean = NULL;
    int code = model_find_latents(m, &n, &points);
    if (code == EXIT_DONE && !(mean = calloc(m->info->latent_dim, sizeof *mean)))
        code = work_no_memory(&m->work);
    if (code == EXIT_DONE)
        code = find_mean(m, n, points, &space, mean, &info);
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_mean(m, mean);
    if (code == EXIT_DONE) {
        report_mean(m, rm2_space_metric(space), n, mean, &info);
        code = info.converged ? EXIT_DONE : EXIT_NOT_CONVERGED;
    }
    free(mean);
    free(points);
    rm2_space_free(space);
    return code;
}

int run_mean(const command *self, int argc, char **argv) {
    return model_run(self, argc, argv,
                     &(model_action){.table = mean_table,
                                     .groups = cost_groups,
                                     .space = true,
                                     .files = 2,
                                     .needs_source = true,
                                     .run = do_mean});
}
