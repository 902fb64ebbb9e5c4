/* Classical scaling of very many points: the graph, its landmarks and their paths are those of a thinned set; every other
 * point is placed as one more node that is joined to its k nearest of the set,
 *
 *     d_i = min_j |x - x_j| + d_ij        over the k nearest nodes j, d_ij from node j to landmark i
 *     x_q = sum_i weight_iq (mean_i - d_i^2)
 *
 * so that the memory per point is that of its coordinates, and points are independent of each other. A node itself has
 * its own distances.
 *
 * The thinned set has whole trajectories, evenly chosen, where these are many, so that their steps remain edges; each is
 * thinned to every s-th point and its last one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/clones.h"
#include "linalg/neighbours.h"
#include "start/start.h"

enum {
    LANDMARKS = 500,
    FEWEST = 50,         /* points that a kept trajectory has, if it has as many */
    MOST_NEIGHBOURS = 32 /* of a point that is placed */
};

/* ---- what is kept --------------------------------------------------------------------------- */

typedef struct thinned {
    size_t n, trajectories;
    size_t *index;  /* n: which points */
    size_t *starts; /* trajectories + 1, or NULL */
    double *F;      /* n x M */
    rm2i_tree tree;
    size_t count;     /* landmarks */
    size_t *landmark; /* count, among the n */
    double *distance; /* n x count */
    rm2i_landmarks scaling;
} thinned;

static void release(thinned *t) {
    free(t->index);
    free(t->starts);
    free(t->F);
    rm2i_tree_free(&t->tree);
    free(t->landmark);
    free(t->distance);
    rm2i_landmarks_free(&t->scaling);
}

/* Points of the trajectories in `chosen`, every stride-th and the last; returns how many. */
static size_t keep_points(const rm2i_start_data *p, size_t chosen_count, const size_t *chosen,
                          size_t stride, const thinned *t) {
    size_t n = 0;
    for (size_t k = 0; k < chosen_count; k++) {
        size_t from = p->starts[chosen[k]], to = p->starts[chosen[k] + 1];
        t->starts[k] = n;
        for (size_t i = from; i < to; i += stride)
            t->index[n++] = i;
        if (t->index[n - 1] != to - 1)
            t->index[n++] = to - 1;
    }
    t->starts[chosen_count] = n;
    return n;
}

static size_t points_of(const rm2i_start_data *p, size_t count, const size_t *chosen) {
    size_t sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += p->starts[chosen[k] + 1] - p->starts[chosen[k]];
    return sum;
}

static rm2_status keep_trajectories(rm2_context *ctx, const rm2i_start_data *p, size_t kept,
                                    thinned *t) {
    size_t mean = p->N / p->trajectories, each = mean < FEWEST ? mean : FEWEST;
    size_t count = kept / each < p->trajectories ? kept / each + 1 : p->trajectories, *chosen;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *chosen, &chosen));
    for (size_t k = 0; k < count; k++)
        chosen[k] = k;
    if (count < p->trajectories)
        count = rm2i_spread_places(p->trajectories, count, chosen);
    size_t points = points_of(p, count, chosen), stride = (points + kept - 1) / kept;
    rm2_status status = rm2i_alloc(ctx, points / stride + 2 * count, sizeof *t->index, &t->index);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, count + 1, sizeof *t->starts, &t->starts);
    if (status == RM2_OK)
        t->n = keep_points(p, count, chosen, stride, t);
    t->trajectories = count;
    free(chosen);
    return status;
}

static rm2_status keep(rm2_context *ctx, const rm2i_start_data *p, size_t kept, thinned *t) {
    if (p->trajectories > 0) {
        RM2_TRY(keep_trajectories(ctx, p, kept, t));
    } else {
        RM2_TRY(rm2i_alloc(ctx, kept, sizeof *t->index, &t->index));
        t->n = rm2i_spread_places(p->N, kept, t->index);
    }
    RM2_TRY(rm2i_alloc(ctx, t->n, p->M * sizeof *t->F, &t->F));
    for (size_t k = 0; k < t->n; k++)
        memcpy(t->F + k * p->M, p->F + t->index[k] * p->M, p->M * sizeof *t->F);
    return rm2i_tree_build(ctx, t->n, p->M, t->F, &t->tree);
}

/* ---- landmarks ------------------------------------------------------------------------------ */

static void transpose(size_t rows, size_t columns, const double *A, double *B) {
    enum { SIDE = 16 };
    for (size_t i0 = 0; i0 < rows; i0 += SIDE)
        for (size_t j = 0; j < columns; j++)
            for (size_t i = i0; i < i0 + SIDE && i < rows; i++)
                B[j * rows + i] = A[i * columns + j];
}

static rm2_status scale_landmarks(rm2_context *ctx, const rm2i_graph *graph, size_t Q, thinned *t) {
    double *from; /* count x n */
    size_t count = t->n < LANDMARKS ? t->n : LANDMARKS;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *t->landmark, &t->landmark));
    t->count = rm2i_spread_places(t->n, count, t->landmark);
    RM2_TRY(rm2i_alloc(ctx, t->n, t->count * sizeof *t->distance, &t->distance));
    RM2_TRY(rm2i_alloc(ctx, t->n, t->count * sizeof *from, &from));
    rm2_status status = rm2i_graph_distances_from(ctx, graph, t->count, t->landmark, from);
    if (status == RM2_OK)
        status = rm2i_landmarks_find(ctx, t->n, t->count, t->landmark, from, Q, &t->scaling);
    if (status == RM2_OK)
        transpose(t->count, t->n, from, t->distance);
    free(from);
    return status;
}

static rm2_status prepare(rm2_context *ctx, const rm2i_start_data *points,
                          const rm2i_graph_settings *plan, size_t kept, size_t Q, thinned *t) {
    rm2i_graph graph;
    RM2_TRY(keep(ctx, points, kept, t));
    const rm2i_start_data nodes = {t->n, points->M, t->F, t->trajectories, t->starts, NULL};
    RM2_TRY(rm2i_graph_build(ctx, &nodes, plan, &graph));
    rm2_status status = scale_landmarks(ctx, &graph, Q, t);
    rm2i_graph_free(&graph);
    return status;
}

/* ---- points --------------------------------------------------------------------------------- */

typedef struct place_job {
    const rm2i_start_data *points;
    const thinned *t;
    size_t neighbours;
    double *T; /* N x held */
} place_job;

/* d_i = min(d_i, gap + row_i) */
RM2I_AVX2_CLONES
static void shorten(size_t count, double gap, const double *restrict row, double *restrict d) {
    for (size_t i = 0; i < count; i++)
        d[i] = gap + row[i] < d[i] ? gap + row[i] : d[i];
}

/* work: as many numbers as landmarks */
static rm2_status place_point(const void *job, size_t n, double *work) {
    const place_job *j = job;
    const rm2i_landmarks *s = &j->t->scaling;
    size_t node[MOST_NEIGHBOURS];
    double square[MOST_NEIGHBOURS], *x = j->T + n * s->held;
    size_t found = rm2i_tree_nearest(&j->t->tree, j->points->F + n * j->points->M, SIZE_MAX,
                                     j->neighbours, node, square);
    found = square[0] > 0 ? found : 1; /* a node, or where one is */
    for (size_t i = 0; i < s->count; i++)
        work[i] = INFINITY;
    for (size_t k = 0; k < found; k++)
        shorten(s->count, sqrt(square[k]), j->t->distance + node[k] * s->count, work);
    memset(x, 0, s->held * sizeof *x);
    for (size_t i = 0; i < s->count; i++)
        for (size_t q = 0; q < s->held; q++)
            x[q] += s->weights[i * s->held + q] * (s->means[i] - work[i] * work[i]);
    return RM2_OK;
}

static rm2_status place(rm2_context *ctx, const rm2i_start_data *points, const thinned *t,
                        size_t neighbours, size_t Q, double *X) {
    place_job job = {points, t, neighbours < MOST_NEIGHBOURS ? neighbours : MOST_NEIGHBOURS, NULL};
    size_t held = t->scaling.held;
    RM2_TRY(rm2i_alloc(ctx, points->N, held * sizeof *job.T, &job.T));
    rm2_status status = rm2i_batch(ctx, points->N, t->count, place_point, &job, NULL);
    if (status == RM2_OK)
        status = rm2i_start_pca(ctx, points->N, held, job.T, Q, false, X);
    free(job.T);
    return status;
}

rm2_status rm2i_start_thinned(rm2_context *ctx, const rm2i_start_data *points,
                              const rm2i_graph_settings *plan, size_t kept, size_t Q, double *X) {
    thinned t = {0};
    rm2_status status = prepare(ctx, points, plan, kept, Q, &t);
    if (status == RM2_OK)
        status = place(ctx, points, &t, plan->neighbours, Q, X);
    release(&t);
    return status;
}
