/* riemann2 distance and mean: many latent points at once. */
#include <stdlib.h>
#include <string.h>

#include "geometry.h"

static const option distance_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL,
     "CSV or .npy file of the matrix to write (also -o; - prints)"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "between the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "between the latents of this training trajectory"},
    {"--medoids", "K", OPTION_SIZE, MODEL(medoids), NULL, "also the K most central points"},
    {.name = NULL},
};

static const option mean_table[] = {
    {"--output", "FILE", OPTION_TEXT, MODEL(output), NULL, "CSV file to write (also -o; - prints)"},
    {"--train", NULL, OPTION_FLAG, MODEL(train), NULL, "of the latents of the training data"},
    {"--trajectory", "ID", OPTION_TEXT, MODEL(trajectory), NULL,
     "of the latents of this training trajectory"},
    {.name = NULL},
};

/* Latent points, and the geometry around them. */
static int open_points(const model_work *m, size_t *n, double **points, geometry *g) {
    *g = (geometry){.metric = NULL};
    int code = model_find_latents(m, n, points);
    return code == EXIT_DONE ? geometry_open(m, *n, *points, g) : code;
}

/* ---- distance ------------------------------------------------------------------------------- */

static bool is_npy(const char *path) {
    size_t length = path ? strlen(path) : 0;
    return length > 4 && strcmp(path + length - 4, ".npy") == 0;
}

static int write_matrix(const model_work *m, size_t n, double *distance) {
    if (is_npy(m->options->output)) {
        size_t shape[2] = {n, n};
        rm2_array array = {.dims = 2, .values = distance};
        memcpy(array.shape, shape, sizeof shape);
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
    return work_check(&m->work, rm2_medoids(m->work.ctx, n, distance, m->options->medoids, c->index,
                                            NULL, &c->cost));
}

static void report_distances(const model_work *m, const geometry *g, size_t n,
                             const double *distance, size_t open, const centres *c) {
    double sum = 0, largest = 0;
    for (size_t k = 0; k < n * n; k++) {
        sum += distance[k];
        largest = distance[k] > largest ? distance[k] : largest;
    }
    double mean = n > 1 ? sum / (double)(n * (n - 1)) : 0;
    bool json = m->work.common->json;
    FILE *out = !json && model_prints(m->options->output) ? stderr : stdout;
    if (json) {
        printf("{\"points\": %zu, \"not_converged\": %zu, \"metric\": ", n, open);
        json_text(stdout, rm2_metric_text(g->metric));
        json_field(stdout, "weight", rm2_metric_weight(g->metric));
        json_field(stdout, "mean", mean);
        json_field(stdout, "largest", largest);
    } else if (!m->work.common->quiet) {
        (void)fprintf(out, "%zu points: mean distance %.6g, largest %.6g, %zu not converged; %s\n",
                      n, mean, largest, open, rm2_metric_text(g->metric));
    }
    if (c->index && (json || !m->work.common->quiet)) {
        (void)fprintf(out, json ? ", \"medoids\": [" : "medoids:");
        for (size_t k = 0; k < m->options->medoids; k++)
            (void)fprintf(out, json ? "%s%zu" : "%s %zu", json && k ? ", " : "", c->index[k]);
        (void)fprintf(out, json ? "]" : "\n");
    }
    if (json)
        printf("}\n");
}

static int do_distance(const model_work *m) {
    geometry g;
    centres c = {.index = NULL};
    size_t n = 0, open = 0;
    double *points, *distance = NULL;
    int code = open_points(m, &n, &points, &g);
    if (code == EXIT_DONE && m->options->medoids > n)
        code = work_complain(&m->work, EXIT_USAGE, "--medoids %zu: there are %zu points",
                             m->options->medoids, n);
    if (code == EXIT_DONE && !(distance = calloc(n * n, sizeof *distance)))
        code = work_no_memory(&m->work);
    if (code == EXIT_DONE) {
        progress p = progress_begin(&m->work, "distances");
        catch_interrupts(m->work.ctx);
        code = work_check(&m->work,
                          rm2_geodesic_distances(m->work.ctx, g.metric, g.network, &g.settings, n,
                                                 points, progress_count, &p, distance, &open));
        catch_interrupts(NULL);
    }
    if (code == EXIT_DONE)
        code = find_medoids(m, n, distance, &c);
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_matrix(m, n, distance);
    if (code == EXIT_DONE) {
        report_distances(m, &g, n, distance, open, &c);
        code = open ? EXIT_NOT_CONVERGED : EXIT_DONE;
    }
    free(c.index);
    free(distance);
    free(points);
    geometry_close(&g);
    return code;
}

int run_distance(const command *self, int argc, char **argv) {
    return model_run(self, argc, argv,
                     &(model_action){.table = distance_table,
                                     .groups = path_groups,
                                     .files = 2,
                                     .needs_source = true,
                                     .run = do_distance});
}

/* ---- mean ----------------------------------------------------------------------------------- */

static int write_mean(const model_work *m, const double *mean) {
    sheet s;
    size_t Q = m->info.latent_dim, ambient = rm2_manifold_ambient(m->info.manifold);
    double deviation, *point = malloc(ambient * sizeof *point);
    if (!point)
        return work_no_memory(&m->work);
    int code = work_check(
        &m->work, rm2_model_decode(m->work.ctx, m->model, 1, mean, point, NULL, NULL, &deviation));
    if (code == EXIT_DONE) {
        bool built = sheet_create(&s, 1, Q + ambient + 1) && sheet_add_latents(&s, Q, mean) &&
                     sheet_add_points(&s, m->info.manifold, point) &&
                     sheet_add(&s, "deviation", &deviation, 1);
        code = built ? model_write_sheet(m, &s) : work_no_memory(&m->work);
        sheet_free(&s);
    }
    free(point);
    return code;
}

static void report_mean(const model_work *m, const geometry *g, size_t n, const double *mean,
                        const rm2_mean_info *info) {
    if (m->work.common->json) {
        printf("{\"points\": %zu, \"mean\": [", n);
        for (size_t q = 0; q < m->info.latent_dim; q++) {
            printf("%s", q ? ", " : "");
            json_number(stdout, mean[q]);
        }
        printf("], \"metric\": ");
        json_text(stdout, rm2_metric_text(g->metric));
        json_field(stdout, "weight", rm2_metric_weight(g->metric));
        json_field(stdout, "variance", info->variance);
        json_field(stdout, "gradient", info->gradient);
        printf(", \"iterations\": %d, \"converged\": %s}\n", info->iterations,
               info->converged ? "true" : "false");
    } else if (!m->work.common->quiet) {
        (void)fprintf(model_prints(m->options->output) ? stderr : stdout,
                      "mean of %zu points: variance %.6g, %d iterations%s; %s\n", n, info->variance,
                      info->iterations, info->converged ? "" : ", NOT CONVERGED",
                      rm2_metric_text(g->metric));
    }
}

static int do_mean(const model_work *m) {
    geometry g;
    size_t n = 0;
    rm2_mean_info info = {.converged = false};
    double *points, *mean = NULL;
    int code = open_points(m, &n, &points, &g);
    if (code == EXIT_DONE && !(mean = calloc(m->info.latent_dim, sizeof *mean)))
        code = work_no_memory(&m->work);
    if (code == EXIT_DONE) {
        catch_interrupts(m->work.ctx);
        code = work_check(&m->work, rm2_geodesic_mean(m->work.ctx, g.metric, g.network, &g.settings,
                                                      n, points, NULL, NULL, mean, &info));
        catch_interrupts(NULL);
    }
    if (code == EXIT_DONE && model_wants_table(m))
        code = write_mean(m, mean);
    if (code == EXIT_DONE) {
        report_mean(m, &g, n, mean, &info);
        code = info.converged ? EXIT_DONE : EXIT_NOT_CONVERGED;
    }
    free(mean);
    free(points);
    geometry_close(&g);
    return code;
}

int run_mean(const command *self, int argc, char **argv) {
    return model_run(self, argc, argv,
                     &(model_action){.table = mean_table,
                                     .groups = path_groups,
                                     .files = 2,
                                     .needs_source = true,
                                     .run = do_mean});
}
