/* riemann2 distance without a model: distances on the manifold, within and between labels, medoids. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/progress.h"
#include "geometry/matrix.h"
#include "statistics/points.h"
#include "statistics/statistics.h"

FILE *points_summary(const model_work *m) {
    return m->options->output && strcmp(m->options->output, "-") == 0 ? stderr : stdout;
}

typedef struct distance_work {
    const model_work *m;
    labelled_data d;
    double *distance;        /* n x n */
    double *between, *pairs; /* label_count x label_count: mean over pairs of points; how many */
    centres centres;
} distance_work;

static int find_distances(distance_work *w) {
    progress p;
    progress_begin(&w->m->work, &p);
    return progress_end(&p, rm2_manifold_distances(w->m->work.ctx, w->d.view.manifold, w->d.view.n,
                                                   w->d.view.points, w->distance));
}

/* NaN where labels have no pair. */
static void average(const distance_work *w) {
    size_t n = w->d.view.n, K = w->d.view.label_count;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j) {
                size_t at = w->d.labels[i] * K + w->d.labels[j];
                w->between[at] += w->distance[i * n + j];
                w->pairs[at]++;
            }
    for (size_t k = 0; k < K * K; k++)
        w->between[k] = w->pairs[k] > 0 ? w->between[k] / w->pairs[k] : NAN;
}

static void print_between(const distance_work *w, FILE *out) {
    size_t K = w->d.view.label_count;
    int width = labelled_name_width(&w->d, 8);
    if (!w->d.data->labels)
        return;
    (void)fprintf(out, "\n%-*s", width + 8, "mean distance");
    for (size_t k = 0; k < K; k++)
        (void)fprintf(out, "  %*s", width, labelled_name(&w->d, k));
    for (size_t a = 0; a < K; a++) {
        (void)fprintf(out, "\n%-*s", width + 8, labelled_name(&w->d, a));
        for (size_t b = 0; b < K; b++)
            if (isnan(w->between[a * K + b]))
                (void)fprintf(out, "  %*s", width, "-");
            else
                (void)fprintf(out, "  %*.4g", width, w->between[a * K + b]);
    }
    (void)fputc('\n', out);
}

static void json_between(rm2_json *json, const distance_work *w) {
    size_t K = w->d.view.label_count;
    rm2_json_object(json, "between");
    for (size_t a = 0; a < K; a++) {
        rm2_json_object(json, labelled_name(&w->d, a));
        for (size_t b = 0; b < K; b++)
            rm2_json_put(json, RM2_NUMBER(labelled_name(&w->d, b), w->between[a * K + b]));
        rm2_json_end(json);
    }
    rm2_json_end(json);
}

static void print_json(const distance_work *w, const distance_summary *s, FILE *out) {
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_COUNT("points", s->n),
                 RM2_TEXT("manifold", rm2_manifold_spec(w->d.view.manifold)),
                 RM2_NUMBER("mean", s->mean), RM2_NUMBER("largest", s->largest));
    if (w->d.data->labels)
        json_between(&json, w);
    centres_json(&json, &w->centres, w->m->options->medoids);
    rm2_json_end(&json);
}

static int report(const distance_work *w) {
    const common_options *common = w->m->work.common;
    int code = w->m->options->output ? write_distances(w->m, w->d.view.n, w->distance) : EXIT_DONE;
    distance_summary s = summarise_distances(w->d.view.n, w->distance, 0);
    FILE *out = points_summary(w->m);
    if (code == EXIT_DONE && common->json) {
        print_json(w, &s, out);
    } else if (code == EXIT_DONE && !common->quiet) {
        labelled_print(out, &w->d);
        (void)fprintf(out, "mean distance %.6g, largest %.6g\n", s.mean, s.largest);
        centres_print(out, &w->centres, w->m->options->medoids);
        print_between(w, out);
    }
    return code;
}

static int work_on(distance_work *w) {
    size_t n = w->d.view.n, K = w->d.view.label_count;
    int code = check_centres(w->m, n);
    if (code != EXIT_DONE)
        return code;
    w->distance = calloc(n, n * sizeof *w->distance);
    w->between = calloc(K, K * sizeof *w->between);
    w->pairs = calloc(K, K * sizeof *w->pairs);
    if (!w->distance || !w->between || !w->pairs)
        return work_no_memory(&w->m->work);
    code = find_distances(w);
    if (code == EXIT_DONE)
        code = find_centres(w->m, n, w->distance, &w->centres);
    if (code != EXIT_DONE)
        return code;
    average(w);
    return report(w);
}

int distance_of_points(const model_work *m, data_options *options) {
    distance_work w = {.m = m};
    int code = labelled_read(&m->work, m->paths[0], options, &w.d);
    if (code == EXIT_DONE)
        code = work_on(&w);
    free(w.distance);
    free(w.between);
    free(w.pairs);
    free(w.centres.index);
    labelled_free(&w.d);
    return code;
}
