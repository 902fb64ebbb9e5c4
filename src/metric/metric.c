/* Evaluation of any metric at many points, and what follows from G alone: magnification, lengths. */
#include "metric/metric.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/pool.h"

/* ---- the object ----------------------------------------------------------------------------- */

rm2_status rm2i_metric_create(rm2_context *ctx, const rm2i_metric_type *type, size_t Q, void *self,
                              const char *text, rm2_metric **metric) {
    *metric = NULL;
    rm2_metric *m;
    rm2_status status = rm2i_calloc(ctx, 1, sizeof *m, &m);
    if (status != RM2_OK) {
        type->free(self);
        return status;
    }
    *m = (rm2_metric){.type = type, .Q = Q, .self = self};
    status = rm2i_strdup(ctx, text, &m->text);
    if (status != RM2_OK) {
        rm2_metric_free(m);
        return status;
    }
    *metric = m;
    return RM2_OK;
}

double rm2i_metric_scale(const rm2_metric *metric) {
    return metric->type->scale ? metric->type->scale(metric->self) : 0;
}

void rm2_metric_free(rm2_metric *metric) {
    if (!metric)
        return;
    metric->type->free(metric->self);
    free(metric->text);
    free(metric);
}

size_t rm2_metric_dim(const rm2_metric *metric) {
    return metric ? metric->Q : 0;
}

const char *rm2_metric_text(const rm2_metric *metric) {
    return metric ? metric->text : "";
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* Points of one block: few enough that every thread has as many blocks as the others. */
static size_t block_of(const rm2_metric *m, size_t n, int threads) {
    size_t all = (size_t)threads, turns = (n + all * m->type->block - 1) / (all * m->type->block);
    return turns ? (n + all * turns - 1) / (all * turns) : 1;
}

enum { CACHE_LINE = 8 }; /* doubles: slices of two threads never share a line */

/* One thread's scratch; a multiple of this where there are several. */
static size_t slice_of(const rm2_metric *m, size_t block, rm2i_metric_order order) {
    rm2i_arena a = {NULL, 0};
    (void)rm2i_reserve(&a, double, m->type->work(m->self, block, order));
    (void)rm2i_reserve(&a, double, 2 * CACHE_LINE - a.used % CACHE_LINE);
    return a.used;
}

/* Fewer points may have a larger block than n: the scratch is for the largest of all. */
size_t rm2i_metric_work(const rm2_metric *m, size_t n, int threads, rm2i_metric_order order) {
    size_t share = (n + (size_t)threads - 1) / (size_t)threads;
    size_t largest = share < m->type->block ? share : m->type->block;
    rm2i_arena a = {NULL, 0};
    (void)rm2i_reserve(&a, double, (size_t)threads, slice_of(m, largest ? largest : 1, order));
    return a.used;
}

static bool all_finite(size_t n, const double *x) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* The request from point i on. */
static rm2i_metric_request from_point(size_t Q, const rm2i_metric_request *r, size_t i) {
    return (rm2i_metric_request){.x = r->x + i * Q,
                                 .G = r->G + i * Q * Q,
                                 .dG = r->dG ? r->dG + i * Q * Q * Q : NULL,
                                 .v = r->v ? r->v + i * Q : NULL,
                                 .bend = r->bend ? r->bend + i * Q * Q : NULL};
}

static bool is_finite(size_t n, size_t Q, const rm2i_metric_request *r) {
    return all_finite(n * Q * Q, r->G) && (!r->dG || all_finite(n * Q * Q * Q, r->dG)) &&
           (!r->bend || all_finite(n * Q * Q, r->bend));
}

typedef struct blocks_job {
    const rm2_metric *m;
    size_t n, block, slice; /* points, those of a block; scratch of a thread */
    const rm2i_metric_request *r;
    const rm2i_metric_room *room;
    atomic_int status; /* of a block that failed */
} blocks_job;

static void one_block(void *job, size_t b, size_t worker) {
    blocks_job *j = job;
    size_t i = b * j->block, count = j->n - i < j->block ? j->n - i : j->block;
    rm2i_metric_request part = from_point(j->m->Q, j->r, i);
    rm2_status status =
        rm2i_interrupted(j->room->ctx)
            ? RM2_INTERRUPTED
            : j->m->type->at(j->m->self, count, &part, j->room->work + j->slice * worker);
    if (status != RM2_OK)
        atomic_store(&j->status, (int)status);
}

static rm2_status in_blocks(const rm2_metric *m, size_t n, const rm2i_metric_request *r,
                            const rm2i_metric_room *room) {
    blocks_job j = {.m = m, .n = n, .block = block_of(m, n, room->threads), .r = r, .room = room};
    bool shared = room->threads > 1 && room->threads >= rm2_context_threads(room->ctx);
    if (!all_finite(n * m->Q, r->x))
        return RM2_ERR_NUMERIC;
    j.slice = slice_of(m, j.block, rm2i_metric_order_of(r));
    rm2i_parallel(shared ? room->ctx : NULL, (n + j.block - 1) / j.block, one_block, &j);
    rm2_status status = (rm2_status)atomic_load(&j.status);
    return status == RM2_OK && !is_finite(n, m->Q, r) ? RM2_ERR_NUMERIC : status;
}

rm2_status rm2i_metric_at(const rm2_metric *m, size_t n, const double *x, double *G, double *dG,
                          const rm2i_metric_room *room) {
    return in_blocks(m, n, &(rm2i_metric_request){.x = x, .G = G, .dG = dG}, room);
}

bool rm2i_metric_can_bend(const rm2_metric *m) {
    return m->type->can_bend && m->type->can_bend(m->self);
}

rm2_status rm2i_metric_bend_at(const rm2_metric *m, size_t n, const rm2i_metric_request *request,
                               const rm2i_metric_room *room) {
    return in_blocks(m, n, request, room);
}

rm2_status rm2i_metric_check_points(rm2_context *ctx, size_t Q, size_t n, const double *x) {
    for (size_t i = 0; i < n * Q; i++)
        if (!isfinite(x[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "point %zu, coordinate %zu is %g", i / Q, i % Q,
                             x[i]);
    return RM2_OK;
}

/* "0.5, -1", or only the first coordinates where there are many. */
static void print_point(size_t Q, const double *x, char text[96]) {
    size_t used = 0, shown = Q < 4 ? Q : 4; /* of at most 15 characters each */
    for (size_t q = 0; q < shown; q++)
        used += (size_t)snprintf(text + used, 96 - used, "%s%.6g", q ? ", " : "", x[q]);
    if (shown < Q)
        (void)snprintf(text + used, 96 - used, ", ...");
}

/* Which point does not work? The first that fails alone: its index, its status, and a message. */
static rm2_status name_failure(rm2_context *ctx, const rm2_metric *m, size_t n,
                               const rm2i_metric_request *r, double *work, size_t *failed) {
    size_t Q = m->Q, i = 0;
    rm2i_metric_room room = {1, work, NULL};
    rm2_status status = rm2i_metric_at(m, 1, r->x, r->G, r->dG, &room);
    while (status == RM2_OK && ++i < n)
        status = rm2i_metric_at(m, 1, r->x + i * Q, r->G, r->dG, &room);
    char place[96] = "none alone";
    if (i < n)
        print_point(Q, r->x + i * Q, place);
    *failed = i;
    return rm2i_fail(ctx, i < n ? status : RM2_ERR_NUMERIC, "%s: %s at (%s)", m->text,
                     status == RM2_ERR_DOMAIN ? "not defined" : "cannot be computed", place);
}

enum { TURNS = 4 }; /* blocks of a thread that scratch and counts are for */

/* The message of a failure does not say which of the points it was: *failed does, and is SIZE_MAX
 * where it was none of them. */
static rm2_status evaluate(rm2_context *ctx, const rm2_metric *m, size_t n,
                           const rm2i_metric_request *r, bool counted, size_t *failed) {
    int threads = rm2_context_threads(ctx);
    size_t most = TURNS * (size_t)threads * m->type->block, chunk = n < most ? n : most;
    double *work;
    *failed = SIZE_MAX;
    RM2_TRY(rm2i_alloc(ctx, rm2i_metric_work(m, chunk, threads, rm2i_metric_order_of(r)),
                       sizeof *work, &work));
    rm2i_metric_room room = {threads, work, ctx};
    rm2_status status = RM2_OK;
    for (size_t i = 0; i < n && status == RM2_OK; i += chunk) {
        size_t count = n - i < chunk ? n - i : chunk;
        rm2i_metric_request part = from_point(m->Q, r, i);
        status = in_blocks(m, count, &part, &room);
        if (status == RM2_INTERRUPTED) {
            (void)rm2i_fail(ctx, status, "interrupted");
        } else if (status != RM2_OK) {
            status = name_failure(ctx, m, count, &part, work, failed);
            *failed += i;
        } else if (counted) {
            rm2i_activity_advance(ctx, count);
        }
    }
    free(work);
    return status;
}

static rm2_status at_points(rm2_context *ctx, const rm2_metric *m, size_t n,
                            const rm2i_metric_request *r, bool counted) {
    size_t failed;
    RM2_TRY(rm2i_metric_check_points(ctx, m->Q, n, r->x));
    rm2_status status = evaluate(ctx, m, n, r, counted, &failed);
    return status != RM2_OK && failed != SIZE_MAX
               ? rm2i_fail_prefix(ctx, status, "point %zu", failed)
               : status;
}

rm2_status rm2_metric_at(rm2_context *ctx, const rm2_metric *metric, size_t n, const double *x,
                         double *G, double *dG) {
    RM2_REQUIRE(ctx, metric);
    if (n > 0)
        RM2_REQUIRE(ctx, x, G);
    return at_points(ctx, metric, n, &(rm2i_metric_request){.x = x, .G = G, .dG = dG}, false);
}

rm2_status rm2i_metric_at_counted(rm2_context *ctx, const rm2_metric *m, size_t n, const double *x,
                                  double *G) {
    return at_points(ctx, m, n, &(rm2i_metric_request){.x = x, .G = G}, true);
}

/* ---- magnification -------------------------------------------------------------------------- */

static size_t largest_diagonal(size_t Q, const double *G) {
    size_t best = 0;
    for (size_t k = 1; k < Q; k++)
        best = G[k * Q + k] > G[best * Q + best] ? k : best;
    return best;
}

/* log sqrt det of a positive definite matrix A with unit diagonal, by elimination with the largest
 * diagonal entry as pivot; -infinity where no more than rounding is left of it. A is destroyed. */
static double log_root_det_unit(size_t Q, double *A) {
    double sum = 0, rounding = 4 * (double)Q * DBL_EPSILON;
    for (size_t step = 0; step < Q; step++) {
        size_t k = largest_diagonal(Q, A);
        double pivot = A[k * Q + k];
        if (!(pivot > rounding))
            return -INFINITY;
        sum += 0.5 * log(pivot);
        for (size_t i = 0; i < Q; i++)
            for (size_t j = 0; i != k && j < Q; j++)
                A[i * Q + j] -= j == k ? 0 : A[i * Q + k] * A[k * Q + j] / pivot;
        A[k * Q + k] = 0; /* done */
    }
    return sum;
}

/* log sqrt det G = sum_r log sqrt G_rr + log sqrt det A, A_rs = G_rs/sqrt(G_rr G_ss): neither the
 * size of G nor that of one direction against another matters. G is destroyed. */
static double log_root_det(size_t Q, double *G) {
    double sum = 0;
    for (size_t r = 0; r < Q; r++) {
        if (!(G[r * Q + r] > 0))
            return -INFINITY;
        sum += 0.5 * log(G[r * Q + r]);
    }
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++)
            if (r != s)
                G[r * Q + s] = G[r * Q + s] / sqrt(G[r * Q + r]) / sqrt(G[s * Q + s]);
    for (size_t r = 0; r < Q; r++)
        G[r * Q + r] = 1;
    return sum + log_root_det_unit(Q, G);
}

rm2_status rm2_metric_magnification(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                    const double *x, double *log_magnification) {
    RM2_REQUIRE(ctx, metric);
    if (n > 0)
        RM2_REQUIRE(ctx, x, log_magnification);
    size_t Q = metric->Q;
    double *G;
    RM2_TRY(rm2i_alloc(ctx, n, Q * Q * sizeof *G, &G));
    rm2_status status = rm2_metric_at(ctx, metric, n, x, G, NULL);
    for (size_t i = 0; i < n && status == RM2_OK; i++)
        log_magnification[i] = log_root_det(Q, G + i * Q * Q);
    free(G);
    return status;
}

/* ---- lengths -------------------------------------------------------------------------------- */

/* Gauss-Legendre with 3 points on [0, 1]: exact to degree 5 */
const double rm2i_side_node[RM2I_SIDE_NODES] = {0.11270166537925831148, 0.5,
                                                0.88729833462074168852};
const double rm2i_side_weight[RM2I_SIDE_NODES] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

static void place_nodes(size_t Q, const double *from, const double *to, double *x) {
    for (size_t g = 0; g < RM2I_SIDE_NODES; g++)
        for (size_t q = 0; q < Q; q++)
            x[g * Q + q] = (1 - rm2i_side_node[g]) * from[q] + rm2i_side_node[g] * to[q];
}

/* Add to the length and to the sum of squares what G at the nodes of one side gives. */
static void add_side(size_t Q, const double *from, const double *to, const double *G, double *step,
                     double *length, double *squares) {
    for (size_t q = 0; q < Q; q++)
        step[q] = to[q] - from[q];
    for (size_t g = 0; g < RM2I_SIDE_NODES; g++) {
        double square = rm2i_metric_inner(Q, G + g * Q * Q, step, step);
        *length += rm2i_side_weight[g] * sqrt(fmax(square, 0));
        *squares += rm2i_side_weight[g] * square;
    }
}

/* The nodes of all sides, and G there. */
typedef struct side_nodes {
    size_t Q, nodes;
    double *x, *G, *step, *memory;
} side_nodes;

static void lay_out_nodes(void *arg, rm2i_arena *a) {
    side_nodes *s = arg;
    s->x = rm2i_reserve(a, double, s->nodes, s->Q);
    s->G = rm2i_reserve(a, double, s->nodes, s->Q, s->Q);
    s->step = rm2i_reserve(a, double, s->Q);
}

rm2_status rm2i_metric_measure(rm2_context *ctx, const rm2_metric *metric, size_t n,
                               const double *path, double *length, double *energy) {
    RM2_REQUIRE(ctx, metric);
    if (n > 0)
        RM2_REQUIRE(ctx, path);
    size_t Q = metric->Q, sides = n > 1 ? n - 1 : 0, nodes = RM2I_SIDE_NODES * sides, failed;
    double total = 0, squares = 0;
    side_nodes at = {.Q = Q, .nodes = nodes};
    RM2_TRY(rm2i_metric_check_points(ctx, Q, n, path));
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_nodes, &at, &at.memory));
    double *x = at.x, *G = at.G;
    for (size_t i = 0; i < sides; i++)
        place_nodes(Q, path + i * Q, path + (i + 1) * Q, x + RM2I_SIDE_NODES * i * Q);
    rm2_status status =
        evaluate(ctx, metric, nodes, &(rm2i_metric_request){.x = x, .G = G}, false, &failed);
    if (status != RM2_OK && failed != SIZE_MAX)
        status = rm2i_fail_prefix(ctx, status, "side %zu", failed / RM2I_SIDE_NODES);
    for (size_t i = 0; i < sides && status == RM2_OK; i++)
        add_side(Q, path + i * Q, path + (i + 1) * Q, G + RM2I_SIDE_NODES * i * Q * Q, at.step,
                 &total, &squares);
    if (status == RM2_OK && !isfinite((double)sides * squares))
        status = rm2i_fail(ctx, RM2_ERR_NUMERIC, "the length of the path overflows");
    free(at.memory);
    if (length)
        *length = total;
    if (energy)
        *energy = (double)sides * squares;
    return status;
}
