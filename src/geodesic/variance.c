/* With a roadmap, one search from m knows the distances to all points: that is the variance at m. One
 * search from each point x_i, on the other hand, knows d(m, x_i) for all nodes m at once, and n of
 * them the variance at every node and every point; sums are taken in the order of the points, so that
 * they do not depend on threads. Distances are those of rm2i_roadmap_distances. */
#include "geodesic/variance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geodesic/leg.h"
#include "geodesic/workers.h"

enum { BLOCK = 64 }; /* searches whose distances are kept until they are added */

rm2_status rm2i_variance_begin(rm2_context *ctx, rm2i_variance *v) {
    v->joins = NULL;
    return v->roadmap
               ? rm2i_roadmap_join_all(ctx, v->roadmap, v->metric, v->n, v->points, &v->joins)
               : RM2_OK;
}

void rm2i_variance_end(rm2i_variance *v) {
    free(v->joins);
    v->joins = NULL;
}

/* Points without a weight may be out of reach. */
static double term(double weight, double distance) {
    return weight > 0 ? weight * distance * distance : 0;
}

/* ---- nodes and points ----------------------------------------------------------------------- */

typedef struct block_job {
    rm2_context *ctx;
    const rm2i_variance *v;
    size_t first;     /* point of the block */
    size_t places;    /* nodes of the roadmap, and behind them the points */
    size_t rows;      /* points of the largest block */
    double *distance; /* rows x places */
    double *sum;      /* places: the variance there */
    double *memory;
} block_job;

static void lay_out_block(void *job, rm2i_arena *a) {
    block_job *b = job;
    b->distance = rm2i_reserve(a, double, b->rows, b->places);
    b->sum = rm2i_reserve(a, double, b->places);
}

typedef struct row_scratch {
    double *heap, *star; /* a search over the nodes, one line */
} row_scratch;

static void lay_out_row(row_scratch *s, const rm2i_variance *v, rm2i_arena *a) {
    s->heap = rm2i_reserve(a, double, rm2i_search_work(v->roadmap->nodes));
    s->star = rm2i_reserve(a, double, rm2i_star_work(v->roadmap, v->metric, 1));
}

/* Distances of point first + i to all places. */
static rm2_status distances_from(const void *job, size_t i, double *work) {
    const block_job *b = job;
    const rm2i_variance *v = b->v;
    const rm2i_join *from = &v->joins[b->first + i];
    size_t nodes = v->roadmap->nodes;
    double *at = b->distance + i * b->places;
    row_scratch s;
    lay_out_row(&s, v, &(rm2i_arena){work, 0});
    rm2i_join_search(v->roadmap, from, at, s.heap);
    for (size_t k = 0; k < v->n; k++)
        RM2_TRY(rm2i_join_distance(v->roadmap, v->metric, from, at, &v->joins[k], &at[nodes + k],
                                   s.star));
    at[nodes + b->first + i] = 0;
    rm2i_activity_advance(b->ctx, 1);
    return RM2_OK;
}

/* The variance at all places; b->sum is cleared. */
static rm2_status sum_blocks(rm2_context *ctx, block_job *b) {
    const rm2i_variance *v = b->v;
    rm2i_arena work = {NULL, 0};
    lay_out_row(&(row_scratch){0}, v, &work);
    for (b->first = 0; b->first < v->n; b->first += BLOCK) {
        size_t count = v->n - b->first < BLOCK ? v->n - b->first : BLOCK, failed = 0;
        rm2_status status = rm2i_jobs(ctx, count, work.used, distances_from, b, &failed);
        if (rm2i_no_metric(status))
            return rm2i_fail(ctx, status, "mean: the metric cannot be computed near point %zu",
                             b->first + failed);
        RM2_TRY(status);
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < b->places; k++)
                b->sum[k] += term(v->weights[b->first + i], b->distance[i * b->places + k]);
    }
    return RM2_OK;
}

static rm2_status best_of_roadmap(rm2_context *ctx, const rm2i_variance *v, double *x,
                                  double *least) {
    const rm2i_roadmap *net = v->roadmap;
    size_t best = 0;
    block_job job = {
        .ctx = ctx, .v = v, .places = net->nodes + v->n, .rows = v->n < BLOCK ? v->n : BLOCK};
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out_block, &job, &job.memory));
    rm2_status status = sum_blocks(ctx, &job);
    for (size_t k = 1; k < job.places; k++)
        best = job.sum[k] < job.sum[best] ? k : best;
    *least = job.sum[best];
    memcpy(x, best < net->nodes ? net->x + best * v->Q : v->points + (best - net->nodes) * v->Q,
           v->Q * sizeof *x);
    free(job.memory);
    return status;
}

static rm2_status best_of_points(rm2_context *ctx, const rm2i_variance *v, double *x,
                                 double *least) {
    rm2i_geodesic_settings lines = rm2i_geodesic_settings_default();
    size_t n = v->n;
    double *distance;
    lines.last = RM2_STAGE_PATH;
    RM2_TRY(rm2i_alloc(ctx, n, n * sizeof *distance, &distance));
    rm2_status status =
        rm2i_geodesic_distances(ctx, v->metric, NULL, &lines, n, v->points, distance, NULL);
    *least = INFINITY;
    for (size_t k = 0; k < n && status == RM2_OK; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += term(v->weights[i], distance[k * n + i]);
        if (sum < *least) {
            *least = sum;
            memcpy(x, v->points + k * v->Q, v->Q * sizeof *x);
        }
    }
    free(distance);
    return status;
}

rm2_status rm2i_variance_best(rm2_context *ctx, const rm2i_variance *v, double *x, double *least) {
    *least = INFINITY;
    RM2_TRY(v->roadmap ? best_of_roadmap(ctx, v, x, least) : best_of_points(ctx, v, x, least));
    return isfinite(*least) ? RM2_OK
                            : rm2i_fail(ctx, RM2_ERR_NUMERIC,
                                        "mean: no point has paths of finite length to all others: "
                                        "the metric is too large");
}

/* ---- anywhere ------------------------------------------------------------------------------- */

typedef struct trial_job {
    rm2_context *ctx;
    const rm2i_variance *v;
    const double *x;
    double *result; /* of each trial; of lines: of each trial to each point */
} trial_job;

static bool is_inside(const rm2i_roadmap *net, const double *x) {
    for (size_t q = 0; q < net->Q; q++)
        if (!isfinite(x[q]) ||
            (net->grid && (x[q] < net->axis[q][0] || x[q] > net->axis[q][net->count[q] - 1])))
            return false;
    return true;
}

typedef struct trial_scratch {
    rm2i_join join;
    double *at, *heap; /* nodes: distances, their search */
    double *joins;     /* scratch of joins */
} trial_scratch;

static void lay_out_trial(trial_scratch *s, const rm2i_variance *v, rm2i_arena *a) {
    rm2i_join_lay_out(&s->join, v->roadmap, a);
    s->at = rm2i_reserve(a, double, v->roadmap->nodes);
    s->heap = rm2i_reserve(a, double, rm2i_search_work(v->roadmap->nodes));
    s->joins = rm2i_reserve(a, double, rm2i_join_work(v->roadmap, v->metric));
}

static rm2_status sum_from(const rm2i_variance *v, const double *x, double *sum, double *work) {
    const rm2i_roadmap *net = v->roadmap;
    double length;
    trial_scratch s;
    lay_out_trial(&s, v, &(rm2i_arena){work, 0});
    RM2_TRY(rm2i_roadmap_join_point(net, v->metric, x, &s.join, s.joins));
    rm2i_join_search(net, &s.join, s.at, s.heap);
    *sum = 0;
    for (size_t i = 0; i < v->n; i++) {
        RM2_TRY(rm2i_join_distance(net, v->metric, &s.join, s.at, &v->joins[i], &length, s.joins));
        *sum += term(v->weights[i], length);
    }
    return RM2_OK;
}

static rm2_status one_trial(const void *job, size_t k, double *work) {
    const trial_job *t = job;
    const double *x = t->x + k * t->v->Q;
    t->result[k] = INFINITY;
    if (!is_inside(t->v->roadmap, x))
        return RM2_OK;
    rm2_status status = sum_from(t->v, x, &t->result[k], work);
    if (status != RM2_OK)
        t->result[k] = INFINITY;
    rm2i_activity_advance(t->ctx, 1);
    return rm2i_no_metric(status) ? RM2_OK : status;
}

/* The line of trial k / n to point k % n. */
static rm2_status one_line(void *job, size_t k, rm2i_worker *worker) {
    const trial_job *t = job;
    const rm2i_variance *v = t->v;
    size_t n = 0;
    double *path = NULL;
    rm2i_curve_candidate line = {.curve = NULL};
    rm2_status status = rm2i_start_path(worker->ctx, v->metric, NULL, t->x + k / v->n * v->Q,
                                        v->points + k % v->n * v->Q, &n, &path);
    if (status == RM2_OK)
        status = rm2i_path_stage(worker->ctx, &worker->evaluator, n, path, &line);
    t->result[k] = status == RM2_OK ? line.arc->length : INFINITY;
    rm2i_candidate_clear(&line);
    free(path);
    return rm2i_no_metric(status) ? RM2_OK : status;
}

static rm2_status sum_lines(rm2_context *ctx, const rm2i_variance *v, size_t count, const double *x,
                            double *variance) {
    trial_job job = {.v = v, .x = x};
    RM2_TRY(rm2i_alloc(ctx, count, v->n * sizeof *job.result, &job.result));
    rm2_status status = rm2i_workers_run(ctx, v->metric, count * v->n, one_line, &job, NULL);
    for (size_t k = 0; k < count && status == RM2_OK; k++) {
        variance[k] = 0;
        for (size_t i = 0; i < v->n; i++)
            variance[k] += term(v->weights[i], job.result[k * v->n + i]);
    }
    free(job.result);
    return status;
}

rm2_status rm2i_variance_at(rm2_context *ctx, const rm2i_variance *v, size_t count, const double *x,
                            double *variance) {
    if (!v->roadmap)
        return sum_lines(ctx, v, count, x, variance);
    trial_job job = {.ctx = ctx, .v = v, .x = x, .result = variance};
    rm2i_arena work = {NULL, 0};
    lay_out_trial(&(trial_scratch){0}, v, &work);
    return rm2i_jobs(ctx, count, work.used, one_trial, &job, NULL);
}
