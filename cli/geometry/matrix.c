/* Distances between points: file, summary, medoids. */
#include "geometry/matrix.h"

#include <math.h>
#include <stdlib.h>

int write_distances(const model_work *m, size_t n, double *distance) {
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

int check_centres(const model_work *m, size_t n) {
    if (m->options->medoids <= n)
        return EXIT_DONE;
    return work_complain(&m->work, EXIT_USAGE, "--medoids %zu: there %s %zu point%s",
                         m->options->medoids, n == 1 ? "is" : "are", n, plural(n));
}

int find_centres(const model_work *m, size_t n, const double *distance, centres *c) {
    if (!m->options->medoids)
        return EXIT_DONE;
    c->index = calloc(m->options->medoids, sizeof *c->index);
    if (!c->index)
        return work_no_memory(&m->work);
    return work_check(&m->work, rm2_distance_medoids(m->work.ctx, n, distance, m->options->medoids,
                                                     c->index, NULL, &c->cost));
}

void centres_print(FILE *out, const centres *c, size_t medoids) {
    if (!medoids)
        return;
    (void)fprintf(out, "medoids:");
    for (size_t k = 0; k < medoids; k++)
        (void)fprintf(out, " %zu", c->index[k]);
    (void)fprintf(out, " (points from 0), total distance to them %.6g\n", c->cost);
}

void centres_json(rm2_json *json, const centres *c, size_t medoids) {
    if (!medoids)
        return;
    rm2_json_counts(json, "medoids", medoids, c->index);
    rm2_json_put(json, RM2_NUMBER("distance_to_medoids", c->cost));
}

distance_summary summarise_distances(size_t n, const double *distance, size_t unconverged) {
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
