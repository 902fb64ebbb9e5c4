/* Classical scaling from landmarks of a graph (mds.c has the equations). Landmark j is at the fraction frac((j + 1/2) g)
 * of the points, g the golden section: as dense as the data, and, because points are in the order of their trajectories,
 * even along these, without the resonance of equal steps with trajectories of equal length. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "start/start.h"

static int by_place(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

size_t rm2i_spread_places(size_t n, size_t count, size_t *place) {
    const double golden = 0.61803398874989484820;
    size_t distinct = 0;
    for (size_t j = 0; j < count; j++) {
        double whole, at = modf(((double)j + 0.5) * golden, &whole) * (double)n;
        place[j] = (size_t)at < n ? (size_t)at : n - 1;
    }
    qsort(place, count, sizeof *place, by_place);
    for (size_t j = 0; j < count; j++)
        if (j == 0 || place[j] != place[j - 1])
            place[distinct++] = place[j];
    return distinct;
}

/* B from the distances between the landmarks; forth and back, the same sum may round differently. */
static rm2_status between_landmarks(rm2_context *ctx, size_t N, size_t L, const size_t *landmark,
                                    const double *distance, double *B) {
    for (size_t i = 0; i < L; i++)
        for (size_t n = 0; n < N; n++)
            if (!isfinite(distance[i * N + n]))
                return rm2i_fail(ctx, RM2_ERR_NUMERIC, "the distance of points %zu and %zu is %g",
                                 landmark[i], n, distance[i * N + n]);
    for (size_t i = 0; i < L; i++)
        for (size_t j = 0; j <= i; j++)
            B[i * L + j] = B[j * L + i] = distance[j * N + landmark[i]];
    return RM2_OK;
}

rm2_status rm2i_landmarks_find(rm2_context *ctx, size_t N, size_t L, const size_t *landmark,
                               const double *distance, size_t Q, rm2i_landmarks *l) {
    double *B;
    *l = (rm2i_landmarks){0};
    RM2_TRY(rm2i_alloc(ctx, L, L * sizeof *B, &B));
    rm2_status status = between_landmarks(ctx, N, L, landmark, distance, B);
    if (status == RM2_OK)
        status = rm2i_landmarks_solve(ctx, N, L, B, Q, l);
    free(B);
    return status;
}

/* T (N x held) */
static void triangulate(const rm2i_landmarks *l, size_t N, const double *distance, double *T) {
    memset(T, 0, N * l->held * sizeof *T);
    for (size_t i = 0; i < l->count; i++)
        for (size_t q = 0; q < l->held; q++) {
            double weight = l->weights[i * l->held + q];
            const double *d = distance + i * N;
            for (size_t n = 0; n < N; n++)
                T[n * l->held + q] += weight * (l->means[i] - d[n] * d[n]);
        }
}

rm2_status rm2i_start_landmarks(rm2_context *ctx, size_t N, size_t L, const size_t *landmark,
                                const double *distance, size_t Q, double *X) {
    rm2i_landmarks l;
    double *T = NULL;
    rm2_status status = rm2i_landmarks_find(ctx, N, L, landmark, distance, Q, &l);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, N, l.held * sizeof *T, &T);
    if (status == RM2_OK) {
        triangulate(&l, N, distance, T);
        status = rm2i_start_pca(ctx, N, l.held, T, Q, false, X);
    }
    free(T);
    rm2i_landmarks_free(&l);
    return status;
}

rm2_status rm2i_start_from_landmarks(rm2_context *ctx, const rm2i_graph *graph, size_t count,
                                     size_t Q, double *X) {
    size_t *landmark;
    double *distance = NULL;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *landmark, &landmark));
    count = rm2i_spread_places(graph->n, count, landmark);
    rm2_status status = rm2i_alloc(ctx, graph->n, count * sizeof *distance, &distance);
    if (status == RM2_OK)
        status = rm2i_graph_distances_from(ctx, graph, count, landmark, distance);
    if (status == RM2_OK)
        status = rm2i_start_landmarks(ctx, graph->n, count, landmark, distance, Q, X);
    free(distance);
    free(landmark);
    return status;
}
