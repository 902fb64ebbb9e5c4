/* Starts for data without trajectories, in units of the data; points that are equal. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "evidence/points.h"
#include "linalg/dense.h"
#include "start/start.h"

enum { MOST_PATHS = 4000 }; /* points, all of whose paths are found; of more those from landmarks */
static const double SAME = 1e-8; /* distance of equal points, of the root mean squared norm */

/* Centre the columns of X, divide by the root mean square of all entries; that is returned. */
static double standardise(size_t N, size_t Q, double *X) {
    double square = 0;
    for (size_t q = 0; q < Q; q++) {
        double mean = 0;
        for (size_t i = 0; i < N; i++)
            mean += X[i * Q + q] / (double)N;
        for (size_t i = 0; i < N; i++)
            X[i * Q + q] -= mean;
    }
    for (size_t i = 0; i < N * Q; i++)
        square += X[i] * X[i];
    double unit = sqrt(square / (double)(N * Q));
    for (size_t i = 0; unit > 0 && i < N * Q; i++)
        X[i] /= unit;
    return unit;
}

/* Rows of points. */
static rm2_status transpose_outputs(rm2_context *ctx, const rm2i_points_data *d, double **V) {
    RM2_TRY(rm2i_alloc(ctx, d->N, d->M * sizeof **V, V));
    for (size_t n = 0; n < d->N; n++)
        for (size_t m = 0; m < d->M; m++)
            (*V)[n * d->M + m] = d->F[m * d->N + n];
    return RM2_OK;
}

rm2_status rm2i_points_components(rm2_context *ctx, const rm2i_points_data *d,
                                  rm2i_points_start *start) {
    double *V;
    RM2_TRY(transpose_outputs(ctx, d, &V));
    rm2_status status = rm2i_start_pca(ctx, d->N, d->M, V, d->Q, false, start->X);
    free(V);
    RM2_TRY(status);
    start->unit = standardise(d->N, d->Q, start->X);
    start->plane = true;
    return RM2_OK;
}

/* Classical scaling of the shortest paths: their length is the data's. */
rm2_status rm2i_points_isomap(rm2_context *ctx, const rm2i_points_data *d, size_t neighbours,
                              rm2i_points_start *start) {
    double *V;
    size_t landmarks = d->N > MOST_PATHS ? 0 : d->N;
    RM2_TRY(transpose_outputs(ctx, d, &V));
    const rm2i_start_data points = {.N = d->N, .M = d->M, .F = V};
    const rm2i_graph_settings plan = {.neighbours = neighbours, .steps = 1};
    rm2_status status = rm2i_start_scaling(ctx, &points, &plan, landmarks, d->Q, start->X);
    free(V);
    RM2_TRY(status);
    start->unit = standardise(d->N, d->Q, start->X);
    start->plane = false;
    return RM2_OK;
}

rm2_status rm2i_points_given(rm2_context *ctx, const rm2i_points_data *d,
                             rm2i_points_start *start) {
    start->unit = 0;
    start->plane = false;
    if (!(standardise(d->N, d->Q, start->X) > 0))
        return rm2i_fail(ctx, RM2_ERR_DATA, "all latent points of the start are equal");
    return RM2_OK;
}

/* ---- equal points --------------------------------------------------------------------------- */

typedef struct placed {
    double norm;
    size_t point;
} placed;

static int by_norm(const void *a, const void *b) {
    const placed *x = a, *y = b;
    if (x->norm != y->norm)
        return x->norm < y->norm ? -1 : 1;
    return (x->point > y->point) - (x->point < y->point);
}

static bool equal(const rm2i_points_data *d, size_t a, size_t b, double least) {
    double square = 0;
    for (size_t m = 0; m < d->M && square <= least * least; m++) {
        double off = d->F[m * d->N + a] - d->F[m * d->N + b];
        square += off * off;
    }
    return square <= least * least;
}

/* Equal points have equal norms: only those are compared. */
static size_t match(const rm2i_points_data *d, placed *order, double least, size_t *first) {
    size_t distinct = d->N;
    qsort(order, d->N, sizeof *order, by_norm);
    for (size_t i = 0; i < d->N; i++)
        first[i] = i;
    for (size_t i = 1; i < d->N; i++)
        for (size_t j = i; j-- > 0 && order[i].norm - order[j].norm <= least;) {
            size_t a = order[i].point, b = order[j].point;
            if (!equal(d, a, b, least))
                continue;
            size_t one = first[a] < first[b] ? first[a] : first[b];
            first[a] = first[b] = one;
        }
    for (size_t i = 0; i < d->N; i++) { /* chains end at a point that is its own first */
        while (first[first[i]] != first[i])
            first[i] = first[first[i]];
        distinct -= first[i] != i;
    }
    return distinct;
}

rm2_status rm2i_points_distinct(rm2_context *ctx, const rm2i_points_data *d, size_t *first,
                                size_t *distinct) {
    placed *order;
    double square = 0;
    RM2_TRY(rm2i_alloc(ctx, d->N, sizeof *order, &order));
    for (size_t i = 0; i < d->N; i++) {
        double own = 0;
        for (size_t m = 0; m < d->M; m++)
            own += d->F[m * d->N + i] * d->F[m * d->N + i];
        order[i] = (placed){sqrt(own), i};
        square += own / (double)d->N;
    }
    *distinct = match(d, order, SAME * sqrt(square), first);
    free(order);
    return RM2_OK;
}
