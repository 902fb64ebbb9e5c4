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

static bool all_rows_equal(size_t N, size_t M, const double *F) {
    for (size_t i = 1; i < N; i++)
        for (size_t m = 0; m < M; m++)
            if (F[i * M + m] != F[m])
                return false;
    return true;
}

rm2_status rm2i_start_check(rm2_context *ctx, size_t N, size_t M, const double *F, size_t Q,
                            double *scale) {
    if (Q == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a latent space needs at least one dimension");
    if (N < 2 || M == 0)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%zu points of %zu coordinates: a start needs at least two points", N, M);
    double largest = 0;
    for (size_t i = 0; i < N * M; i++) {
        if (!isfinite(F[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "point %zu, coordinate %zu is not finite: %g",
                             i / M, i % M, F[i]);
        largest = fmax(largest, fabs(F[i]));
    }
    if (all_rows_equal(N, M, F))
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "all %zu points are equal: there is nothing to learn from", N);
    int exponent;
    (void)frexp(largest, &exponent);
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

/* sqrt(sum_m var F_m) */
static double spread(size_t N, size_t M, double scale, const double *F) {
    double sum = 0;
    for (size_t m = 0; m < M; m++) {
        double mean = 0, square = 0;
        for (size_t i = 0; i < N; i++)
            mean += scale * F[i * M + m];
        mean /= (double)N;
        for (size_t i = 0; i < N; i++)
            square += (scale * F[i * M + m] - mean) * (scale * F[i * M + m] - mean);
        sum += square / (double)N;
    }
    return sqrt(sum);
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

rm2_status rm2i_start_scaling(rm2_context *ctx, const rm2i_start_data *points,
                              const rm2i_graph_settings *plan, size_t landmarks, size_t Q,
                              double *X) {
    rm2i_graph graph;
    if (points->N > WHOLE_UP_TO)
        return rm2i_start_thinned(ctx, points, plan, KEPT, Q, X);
    RM2_TRY(rm2i_graph_build(ctx, points, plan, &graph));
    rm2_status status = rm2i_start_embed(ctx, &graph, landmarks, Q, X);
    rm2i_graph_free(&graph);
    return status;
}

rm2_status rm2i_start_isomap(rm2_context *ctx, const rm2i_isomap_settings *settings,
                             const rm2i_start_data *data, size_t Q, double *X0) {
    rm2i_isomap_settings defaults = rm2i_isomap_settings_default();
    const rm2i_isomap_settings *use = settings ? settings : &defaults;
    size_t N = data->N, M = data->M;
    if (use->neighbours == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the graph of a start needs neighbours");
    if (!(use->time_weight >= 0 && use->time_weight <= 1e6))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the weight of time is %g, not within 0 .. 1e6",
                         use->time_weight);
    double scale;
    RM2_TRY(rm2i_start_check(ctx, N, M, data->F, Q, &scale));
    RM2_TRY(rm2i_start_check_trajectories(ctx, data));
    double *features, weight = use->time_weight * spread(N, M, scale, data->F);
    RM2_TRY(rm2i_alloc(ctx, N, (M + 1) * sizeof *features, &features));
    fill_features(data, scale, weight, features);
    const rm2i_start_data points = {N, M + 1, features, data->trajectories, data->starts, NULL};
    const rm2i_graph_settings plan = {.neighbours = use->neighbours, .steps = 1};
    rm2_status status = rm2i_start_scaling(ctx, &points, &plan, use->landmarks, Q, X0);
    free(features);
    if (status == RM2_OK)
        rm2i_start_unit(N, Q, X0);
    return status;
}

void rm2i_start_random(rm2_rng *rng, size_t N, size_t Q, double *X0) {
    for (size_t i = 0; i < N * Q; i++)
        X0[i] = rm2_rng_normal(rng);
}
