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

#include "base/clones.h"
#include "graph/neighbours.h"
#include "start/start.h"

enum {
    LANDMARKS = 500,
    FEWEST = 50,         /* points that a kept trajectory has, if it has as many */
    MOST_NEIGHBOURS = 32 /* of a point that is placed */
};

/* ---- what is kept --------------------------------------------------------------------------- */

void rm2i_kept_free(rm2i_kept *kept) {
    free(kept->index);
    free(kept->chosen);
    free(kept->starts);
    *kept = (rm2i_kept){0};
}

/* Points of the chosen trajectories, every stride-th and the last. */
static void keep_points(const rm2i_rows *r, size_t stride, rm2i_kept *k) {
    for (size_t t = 0; t < k->trajectories; t++) {
        size_t from = r->all_starts[k->chosen[t]], to = r->all_starts[k->chosen[t] + 1];
        k->starts[t] = k->n;
        for (size_t i = from; i < to; i += stride)
            k->index[k->n++] = i;
        if (k->index[k->n - 1] != to - 1)
            k->index[k->n++] = to - 1;
    }
    k->starts[k->trajectories] = k->n;
}

static size_t points_of(const rm2i_rows *r, const rm2i_kept *k) {
    size_t sum = 0;
    for (size_t t = 0; t < k->trajectories; t++)
        sum += r->all_starts[k->chosen[t] + 1] - r->all_starts[k->chosen[t]];
    return sum;
}

static rm2_status keep_trajectories(rm2_context *ctx, const rm2i_rows *r, size_t most,
                                    rm2i_kept *k) {
    size_t all = r->all_trajectories, mean = r->all / all, each = mean < FEWEST ? mean : FEWEST;
    size_t count = most / each < all ? most / each + 1 : all;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *k->chosen, &k->chosen));
    for (size_t t = 0; t < count; t++)
        k->chosen[t] = t;
    k->trajectories = count;
    if (count < all)
        k->trajectories = rm2i_spread_places(all, count, k->chosen);
    size_t points = points_of(r, k), stride = (points + most - 1) / most;
    RM2_TRY(rm2i_alloc(ctx, points / stride + 2 * count, sizeof *k->index, &k->index));
    RM2_TRY(rm2i_alloc(ctx, count + 1, sizeof *k->starts, &k->starts));
    keep_points(r, stride, k);
    return RM2_OK;
}

static rm2_status keep_separate(rm2_context *ctx, size_t N, size_t most, rm2i_kept *k) {
    size_t count = most < N ? most : N;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *k->index, &k->index));
    for (size_t i = 0; i < count; i++)
        k->index[i] = i;
    k->n = most < N ? rm2i_spread_places(N, count, k->index) : N;
    return RM2_OK;
}

rm2_status rm2i_keep(rm2_context *ctx, const rm2i_rows *rows, size_t most, rm2i_kept *kept) {
    *kept = (rm2i_kept){0};
    rm2_status status = rows->all_trajectories > 0 ? keep_trajectories(ctx, rows, most, kept)
                                                   : keep_separate(ctx, rows->all, most, kept);
    status = rm2i_rows_agree(ctx, rows, status);
    if (status != RM2_OK)
        rm2i_kept_free(kept);
    return status;
}

typedef struct thinned {
    rm2i_kept kept;
    double *F; /* kept.n x M */
    rm2i_kd_tree tree;
    size_t count;     /* landmarks */
    size_t *landmark; /* count, among those kept */
    double *distance; /* kept.n x count */
    rm2i_landmarks scaling;
} thinned;

static void release(thinned *t) {
    rm2i_kept_free(&t->kept);
    free(t->F);
    rm2i_kd_free(&t->tree);
    free(t->landmark);
    free(t->distance);
    rm2i_landmarks_free(&t->scaling);
}

/* Points that are kept, with their coordinates on all processes. */
static rm2_status keep(rm2_context *ctx, const rm2i_start_data *p, const rm2i_rows *rows,
                       size_t most, thinned *t) {
    RM2_TRY(rm2i_keep(ctx, rows, most, &t->kept));
    RM2_TRY(rm2i_rows_alloc(ctx, rows, t->kept.n, p->M * sizeof *t->F, &t->F));
    const rm2i_few few = {t->kept.n, t->kept.index};
    RM2_TRY(rm2i_rows_pick(ctx, rows, &few, p->M, p->F, t->F));
    rm2i_rows_broadcast(rows, t->F, t->kept.n * p->M * sizeof *t->F);
    return rm2i_rows_agree(ctx, rows, rm2i_kd_build(ctx, t->kept.n, p->M, t->F, &t->tree));
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
    size_t n = t->kept.n, count = n < LANDMARKS ? n : LANDMARKS;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *t->landmark, &t->landmark));
    t->count = rm2i_spread_places(n, count, t->landmark);
    RM2_TRY(rm2i_alloc(ctx, n, t->count * sizeof *t->distance, &t->distance));
    RM2_TRY(rm2i_alloc(ctx, n, t->count * sizeof *from, &from));
    rm2_status status = rm2i_graph_distances_from(ctx, graph, t->count, t->landmark, from);
    if (status == RM2_OK)
        status = rm2i_landmarks_find(ctx, n, t->count, t->landmark, from, Q, &t->scaling);
    if (status == RM2_OK)
        transpose(t->count, n, from, t->distance);
    free(from);
    return status;
}

static rm2_status find_landmarks(rm2_context *ctx, const rm2i_start_data *points,
                                 const rm2i_graph_settings *plan, size_t Q, thinned *t) {
    rm2i_graph graph;
    const rm2i_start_data nodes = {.N = t->kept.n,
                                   .M = points->M,
                                   .F = t->F,
                                   .trajectories = t->kept.trajectories,
                                   .starts = t->kept.starts};
    RM2_TRY(rm2i_graph_build(ctx, &nodes, plan, &graph));
    rm2_status status = scale_landmarks(ctx, &graph, Q, t);
    rm2i_graph_free(&graph);
    return status;
}

/* The landmarks of the root on all processes. */
static rm2_status share_landmarks(rm2_context *ctx, const rm2i_rows *rows, thinned *t) {
    rm2i_landmarks *s = &t->scaling;
    size_t sizes[] = {t->count, s->held};
    rm2i_rows_broadcast(rows, sizes, sizeof sizes);
    rm2_status status = RM2_OK;
    if (!rm2i_rows_root(rows)) {
        t->count = s->count = sizes[0];
        s->held = sizes[1];
        status = rm2i_alloc(ctx, s->count, (1 + s->held) * sizeof *s->means, &s->means);
        s->weights = s->means ? s->means + s->count : NULL;
        if (status == RM2_OK)
            status = rm2i_alloc(ctx, t->kept.n, t->count * sizeof *t->distance, &t->distance);
    }
    RM2_TRY(rm2i_rows_agree(ctx, rows, status));
    rm2i_rows_broadcast(rows, s->means, s->count * sizeof *s->means);
    rm2i_rows_broadcast(rows, s->weights, s->count * s->held * sizeof *s->weights);
    rm2i_rows_broadcast(rows, t->distance, t->kept.n * t->count * sizeof *t->distance);
    return RM2_OK;
}

static rm2_status prepare(rm2_context *ctx, const rm2i_start_data *points,
                          const rm2i_graph_settings *plan, size_t kept, size_t Q, thinned *t) {
    const rm2i_rows rows = rm2i_start_rows(points);
    RM2_TRY(keep(ctx, points, &rows, kept, t));
    rm2_status status = rm2i_rows_root(&rows) ? find_landmarks(ctx, points, plan, Q, t) : RM2_OK;
    RM2_TRY(rm2i_rows_agree(ctx, &rows, status));
    return share_landmarks(ctx, &rows, t);
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
    size_t found = rm2i_kd_nearest(&j->t->tree, j->points->F + n * j->points->M, SIZE_MAX,
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

/* Principal axes of all points, which are placed as T (N x held). */
static rm2_status turn(rm2_context *ctx, const rm2i_start_data *points, size_t held,
                       const double *T, size_t Q, double *X) {
    const rm2i_rows rows = rm2i_start_rows(points);
    const double *all;
    double *memory;
    RM2_TRY(rm2i_rows_collect(ctx, &rows, held, T, &all, &memory));
    rm2_status status =
        rm2i_rows_root(&rows) ? rm2i_start_pca(ctx, rows.all, held, all, Q, false, X) : RM2_OK;
    free(memory);
    return rm2i_rows_agree(ctx, &rows, status);
}

static rm2_status place(rm2_context *ctx, const rm2i_start_data *points, const thinned *t,
                        size_t neighbours, size_t Q, double *X) {
    place_job job = {points, t, neighbours < MOST_NEIGHBOURS ? neighbours : MOST_NEIGHBOURS, NULL};
    size_t held = t->scaling.held;
    rm2_status status = rm2i_alloc(ctx, points->N, held * sizeof *job.T, &job.T);
    if (status == RM2_OK)
        status = rm2i_batch(ctx, points->N, t->count, place_point, &job, NULL);
    status = rm2i_rows_agree(ctx, points->rows, status);
    if (status == RM2_OK)
        status = turn(ctx, points, held, job.T, Q, X);
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
