/* Time-aware Isomap (Tenenbaum, de Silva and Langford, Science 290, 2000, with time as one more
 * axis):
 *
 *     rho^2 = sum_m var F_m                    (variances divide by N)
 *     feature_i = [F_i, om rho phase_i]        phase: 0 .. 1 along each trajectory
 *     graph = k nearest features, made symmetric, with the steps of the trajectories
 *     X0 = classical scaling of the shortest paths, over the standard deviation of all entries
 *
 * The time axis holds apart what a stroke passes twice: points close in space and far in time are
 * no neighbours, so that a stroke which retraces itself does not fold. Steps of a trajectory are
 * edges whatever lies between them: a demonstration never falls apart.
 *
 * Above ALL_UP_TO points, paths start from landmarks only (landmarks.c). Above WHOLE_UP_TO points the graph is that of
 * some of them, and the others are placed by their nearest ones in it (thin.c).
 *
 * X0 does not depend on the scale of F, which is brought to about one first, by a power of two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "start/start.h"

enum {
    ALL_UP_TO = 2000, /* points, all of which paths start from */
    LANDMARKS = 500,
    WHOLE_UP_TO = 50000, /* points, all of which are in the graph */
    KEPT = 20000         /* points in the graph of more */
};

rm2i_isomap_settings rm2i_isomap_settings_default(void) {
    return (rm2i_isomap_settings){.neighbours = 8, .time_weight = 4};
}

/* What is seen of all points. */
typedef struct sight {
    double largest; /* magnitude */
    bool differ;    /* from the first row */
} sight;

typedef struct sight_job {
    const rm2i_start_data *data;
    const double *first; /* M: the first of all rows */
} sight_job;

static void look(const void *job, void *state) {
    const sight_job *j = job;
    sight *seen = state;
    size_t M = j->data->M;
    for (size_t i = 0; i < j->data->N * M; i++) {
        seen->largest = fmax(seen->largest, fabs(j->data->F[i]));
        seen->differ |= j->data->F[i] != j->first[i % M];
    }
}

static rm2_status check_finite(rm2_context *ctx, const rm2i_start_data *d) {
    size_t before = rm2i_rows_before(d->rows);
    for (size_t i = 0; i < d->N * d->M; i++)
        if (!isfinite(d->F[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "point %zu, coordinate %zu is not finite: %g",
                             before + i / d->M, i % d->M, d->F[i]);
    return RM2_OK;
}

static rm2_status check_sizes(rm2_context *ctx, const rm2i_start_data *d, size_t Q) {
    size_t N = rm2i_rows_all(d->rows, d->N);
    if (Q == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a latent space needs at least one dimension");
    if (N < 2 || d->M == 0)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%zu points of %zu coordinates: a start needs at least two points", N,
                         d->M);
    return RM2_OK;
}

rm2_status rm2i_start_check(rm2_context *ctx, const rm2i_start_data *data, size_t Q,
                            double *scale) {
    double *first;
    RM2_TRY(check_sizes(ctx, data, Q));
    rm2_status status = check_finite(ctx, data);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, data->M, sizeof *first, &first);
    else
        first = NULL;
    status = rm2i_rows_agree(ctx, data->rows, status);
    sight seen = {0, false};
    if (status == RM2_OK) {
        memcpy(first, data->F, data->M * sizeof *first);
        rm2i_rows_broadcast(data->rows, first, data->M * sizeof *first);
        rm2i_rows_fold(data->rows, sizeof seen, &seen, look, &(sight_job){data, first});
    }
    free(first);
    RM2_TRY(status);
    if (!seen.differ)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "all %zu points are equal: there is nothing to learn from",
                         rm2i_rows_all(data->rows, data->N));
    int exponent;
    (void)frexp(seen.largest, &exponent);
    *scale = ldexp(1, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
    return RM2_OK;
}

/* ---- features ------------------------------------------------------------------------------- */

rm2_status rm2i_start_check_trajectories(rm2_context *ctx, const rm2i_start_data *data) {
    const size_t *starts = data->starts, count = data->trajectories, N = data->N;
    if (count == 0)
        return RM2_OK;
    bool good = starts && starts[0] == 0 && starts[count] == N;
    for (size_t d = 0; good && d < count; d++)
        good = starts[d] < starts[d + 1];
    if (!good)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "the starts of %zu trajectories do not rise from 0 to %zu", count, N);
    for (size_t i = 0; data->time && i < N; i++)
        if (!isfinite(data->time[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "the time of point %zu is not finite: %g", i,
                             data->time[i]);
    return RM2_OK;
}

/* Where point i of the trajectory [from, to) is in time: 0 at its first point, 1 at its last. A
 * trajectory whose last time is its first has no usable time, one point no extent. */
static double phase(size_t from, size_t to, size_t i, const double *time) {
    if (to - from < 2)
        return 0;
    if (time && time[to - 1] != time[from]) /* halves: the difference may not overflow */
        return (time[i] / 2 - time[from] / 2) / (time[to - 1] / 2 - time[from] / 2);
    return (double)(i - from) / (double)(to - from - 1);
}

/* Sums over the points, of each coordinate. */
typedef struct sums_job {
    const rm2i_start_data *data;
    double scale;
    const double *mean; /* M: squared differences from it; NULL: the coordinates themselves */
} sums_job;

static void add_points(const void *job, void *state) {
    const sums_job *j = job;
    double *sum = state;
    size_t M = j->data->M;
    for (size_t i = 0; i < j->data->N; i++)
        for (size_t m = 0; m < M; m++) {
            double x = j->scale * j->data->F[i * M + m];
            sum[m] += j->mean ? (x - j->mean[m]) * (x - j->mean[m]) : x;
        }
}

/* sqrt(sum_m var F_m) */
static rm2_status find_spread(rm2_context *ctx, const rm2i_start_data *data, double scale,
                              double *spread) {
    double *mean, N = (double)rm2i_rows_all(data->rows, data->N), sum = 0;
    size_t M = data->M;
    RM2_TRY(rm2i_rows_alloc(ctx, data->rows, 2 * M, sizeof *mean, &mean));
    double *square = mean + M;
    rm2i_rows_fold(data->rows, M * sizeof *mean, mean, add_points, &(sums_job){data, scale, NULL});
    for (size_t m = 0; m < M; m++)
        mean[m] /= N;
    rm2i_rows_fold(data->rows, M * sizeof *mean, square, add_points,
                   &(sums_job){data, scale, mean});
    for (size_t m = 0; m < M; m++)
        sum += square[m] / N;
    free(mean);
    *spread = sqrt(sum);
    return RM2_OK;
}

static void fill_features(const rm2i_start_data *data, double scale, double weight,
                          double *features) {
    size_t M = data->M;
    const size_t *starts = data->starts;
    for (size_t i = 0; i < data->N; i++) {
        for (size_t m = 0; m < M; m++)
            features[i * (M + 1) + m] = scale * data->F[i * M + m];
        features[i * (M + 1) + M] = 0;
    }
    for (size_t d = 0; d < data->trajectories; d++)
        for (size_t i = starts[d]; i < starts[d + 1]; i++)
            features[i * (M + 1) + M] = weight * phase(starts[d], starts[d + 1], i, data->time);
}

/* ---- starts --------------------------------------------------------------------------------- */

static rm2_status embed_all(rm2_context *ctx, const rm2i_graph *graph, size_t Q, double *X0) {
    size_t n = graph->n;
    double *distance;
    RM2_TRY(rm2i_alloc(ctx, n, n * sizeof *distance, &distance));
    rm2_status status = rm2i_graph_distances(ctx, graph, distance);
    if (status == RM2_OK)
        status = rm2i_start_mds(ctx, n, distance, Q, X0);
    free(distance);
    return status;
}

rm2_status rm2i_start_embed(rm2_context *ctx, const rm2i_graph *graph, size_t landmarks, size_t Q,
                            double *X) {
    if (landmarks == 0)
        landmarks = graph->n <= ALL_UP_TO ? graph->n : LANDMARKS;
    return landmarks >= graph->n ? embed_all(ctx, graph, Q, X)
                                 : rm2i_start_from_landmarks(ctx, graph, landmarks, Q, X);
}

static rm2_status scale_whole(rm2_context *ctx, const rm2i_start_data *points,
                              const rm2i_graph_settings *plan, size_t landmarks, size_t Q,
                              double *X) {
    rm2i_graph graph;
    RM2_TRY(rm2i_graph_build(ctx, points, plan, &graph));
    rm2_status status = rm2i_start_embed(ctx, &graph, landmarks, Q, X);
    rm2i_graph_free(&graph);
    return status;
}

/* All points, which are not many, are scaled on the root. */
static rm2_status scale_collected(rm2_context *ctx, const rm2i_start_data *points,
                                  const rm2i_graph_settings *plan, size_t landmarks, size_t Q,
                                  double *X) {
    const rm2i_rows rows = rm2i_start_rows(points);
    rm2i_start_data all = {.N = rows.all,
                           .M = points->M,
                           .trajectories = rows.all_trajectories,
                           .starts = rows.all_starts};
    double *memory;
    RM2_TRY(rm2i_rows_collect(ctx, &rows, points->M, points->F, &all.F, &memory));
    rm2_status status =
        rm2i_rows_root(&rows) ? scale_whole(ctx, &all, plan, landmarks, Q, X) : RM2_OK;
    free(memory);
    return rm2i_rows_agree(ctx, &rows, status);
}

rm2_status rm2i_start_scaling(rm2_context *ctx, const rm2i_start_data *points,
                              const rm2i_graph_settings *plan, size_t landmarks, size_t Q,
                              double *X) {
    if (rm2i_rows_all(points->rows, points->N) > WHOLE_UP_TO)
        return rm2i_start_thinned(ctx, points, plan, KEPT, Q, X);
    return scale_collected(ctx, points, plan, landmarks, Q, X);
}

/* Classical scaling of the points with their features, in units of its standard deviation. */
static rm2_status scale_features(rm2_context *ctx, const rm2i_isomap_settings *s,
                                 const rm2i_start_data *points, size_t Q, double *X0) {
    const rm2i_graph_settings plan = {.neighbours = s->neighbours, .steps = 1};
    const rm2i_rows rows = rm2i_start_rows(points);
    double *whole;
    RM2_TRY(rm2i_rows_room(ctx, &rows, Q, X0, &whole));
    rm2_status status = rm2i_start_scaling(ctx, points, &plan, s->landmarks, Q, whole);
    if (status == RM2_OK && rm2i_rows_root(&rows))
        rm2i_start_unit(rows.all, Q, whole);
    if (status == RM2_OK)
        rm2i_rows_scatter(&rows, Q, whole, X0);
    if (whole != X0)
        free(whole);
    return status;
}

rm2_status rm2i_start_isomap(rm2_context *ctx, const rm2i_isomap_settings *settings,
                             const rm2i_start_data *data, size_t Q, double *X0) {
    rm2i_isomap_settings defaults = rm2i_isomap_settings_default();
    const rm2i_isomap_settings *use = settings ? settings : &defaults;
    if (use->neighbours == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the graph of a start needs neighbours");
    if (!(use->time_weight >= 0 && use->time_weight <= 1e6))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the weight of time is %g, not within 0 .. 1e6",
                         use->time_weight);
    double scale, spread, *features;
    RM2_TRY(rm2i_start_check(ctx, data, Q, &scale));
    RM2_TRY(rm2i_rows_agree(ctx, data->rows, rm2i_start_check_trajectories(ctx, data)));
    RM2_TRY(find_spread(ctx, data, scale, &spread));
    RM2_TRY(rm2i_rows_alloc(ctx, data->rows, data->N, (data->M + 1) * sizeof *features, &features));
    fill_features(data, scale, use->time_weight * spread, features);
    rm2i_start_data points = *data;
    points.M++;
    points.F = features;
    points.time = NULL;
    rm2_status status = scale_features(ctx, use, &points, Q, X0);
    free(features);
    return status;
}

void rm2i_start_random(rm2_rng *rng, size_t N, size_t Q, double *X0) {
    for (size_t i = 0; i < N * Q; i++)
        X0[i] = rm2_rng_normal(rng);
}
