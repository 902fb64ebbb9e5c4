/* Points that are no nodes: which nodes they are joined to, and how far away these are.
 *
 * On a grid these are up to three times as far away as nodes that are joined. A path must leave
 * its way by up to half a cell to meet a node, which tells where it is short: of 2000 on the half
 * plane the worst was 4.1 % too long with the reach alone, 1.2 % so. Only the ends of a path are
 * affected. */
#include <math.h>
#include <stdlib.h>

#include "metric/metric.h"
#include "roadmap/roadmap.h"

/* ---- grids ---------------------------------------------------------------------------------- */

/* The nodes within the span along each axis, by an odometer over their ranges. */
static void join_grid(const rm2i_roadmap *net, rm2i_join *join) {
    size_t first[RM2I_GRID_Q] = {0}, last[RM2I_GRID_Q] = {0}, at[RM2I_GRID_Q] = {0};
    double span = (double)net->span;
    join->on_node = true;
    for (size_t q = 0; q < net->Q; q++) {
        double place = rm2i_grid_place(net, q, join->x[q]), end = (double)(net->count[q] - 1);
        bool here = place == floor(place);
        join->on_node = join->on_node && here;
        first[q] = at[q] = (size_t)fmax(ceil(place - span), 0);
        last[q] = (size_t)fmin(floor(place + span), end);
    }
    for (size_t q = 0; join->on_node && q < net->Q; q++)
        first[q] = last[q] = at[q] = (size_t)rm2i_grid_place(net, q, join->x[q]);
    join->count = 0;
    for (size_t q = 0; q < net->Q;) {
        size_t node = 0;
        for (size_t r = 0; r < net->Q; r++)
            node += at[r] * net->stride[r];
        join->node[join->count++] = node;
        for (q = 0; q < net->Q && at[q]++ == last[q]; q++)
            at[q] = first[q];
    }
}

static bool close_on_grid(const rm2i_roadmap *net, const double *a, const double *b) {
    for (size_t q = 0; q < net->Q; q++)
        if (fabs(rm2i_grid_place(net, q, a[q]) - rm2i_grid_place(net, q, b[q])) > (double)net->span)
            return false;
    return true;
}

/* ---- graphs --------------------------------------------------------------------------------- */

static void join_graph(const rm2i_roadmap *net, rm2i_join *join) {
    join->count = rm2i_kd_nearest(&net->tree, join->x, SIZE_MAX, rm2i_join_most(net), join->node,
                                  join->length); /* squares of distances, until lengths come */
    join->radius = join->length[join->count - 1];
    join->on_node = join->length[0] == 0;
    if (join->on_node)
        join->count = 1;
}

static bool close_in_graph(const rm2i_roadmap *net, const rm2i_join *a, const rm2i_join *b) {
    double square = 0;
    for (size_t q = 0; q < net->Q; q++)
        square += (a->x[q] - b->x[q]) * (a->x[q] - b->x[q]);
    return square <= fmax(a->radius, b->radius);
}

/* ---- both ----------------------------------------------------------------------------------- */

size_t rm2i_join_most(const rm2i_roadmap *net) {
    if (!net->grid)
        return net->neighbours < net->nodes ? net->neighbours : net->nodes;
    size_t most = 1;
    for (size_t q = 0; q < net->Q; q++)
        most *= 2 * net->span + 1;
    return most;
}

rm2_status rm2i_roadmap_join(const rm2i_roadmap *net, const rm2_metric *metric, rm2i_join *join,
                             double *work) {
    if (net->grid)
        join_grid(net, join);
    else
        join_graph(net, join);
    if (join->on_node) {
        join->length[0] = 0;
        return RM2_OK;
    }
    rm2i_star star = {join->x, join->G, join->count, join->node, net->x, net->G, join->length};
    return rm2i_star_lengths(net, metric, &star, work);
}

rm2_status rm2i_join_direct(const rm2i_roadmap *net, const rm2_metric *metric, const rm2i_join *a,
                            const rm2i_join *b, double *length, double *work) {
    *length = INFINITY;
    if (a->on_node || b->on_node)
        return RM2_OK;
    if (!(net->grid ? close_on_grid(net, a->x, b->x) : close_in_graph(net, a, b)))
        return RM2_OK;
    rm2i_star star = {a->x, a->G, 1, (const size_t[]){0}, b->x, b->G, length};
    return rm2i_star_lengths(net, metric, &star, work);
}

/* ---- one, with its metric ------------------------------------------------------------------- */

void rm2i_join_lay_out(rm2i_join *join, const rm2i_roadmap *net, rm2i_arena *a) {
    size_t most = rm2i_join_most(net);
    *join = (rm2i_join){.x = NULL};
    join->G = rm2i_reserve(a, double, net->Q, net->Q);
    join->node = rm2i_reserve(a, size_t, most);
    join->length = rm2i_reserve(a, double, most);
}

/* Stars and the metric at one point, by turns. */
size_t rm2i_join_work(const rm2i_roadmap *net, const rm2_metric *metric) {
    size_t star = rm2i_star_work(net, metric, rm2i_join_most(net));
    size_t point = rm2i_metric_work(metric, 1, 1, RM2I_ORDER_VALUE);
    return star > point ? star : point;
}

rm2_status rm2i_roadmap_join_point(const rm2i_roadmap *net, const rm2_metric *metric,
                                   const double *x, rm2i_join *join, double *work) {
    join->x = x;
    RM2_TRY(rm2i_metric_at(metric, 1, x, join->G, NULL, &(rm2i_metric_room){1, work, NULL}));
    return rm2i_roadmap_join(net, metric, join, work);
}

/* ---- many ----------------------------------------------------------------------------------- */

typedef struct join_job {
    rm2_context *ctx;
    const rm2i_roadmap *net;
    const rm2_metric *metric;
    rm2i_join *join;
} join_job;

static rm2_status join_one(const void *job, size_t i, double *work) {
    const join_job *j = job;
    if (j->net->rule == RM2I_EDGE_MIDPOINT && rm2i_interrupted(j->ctx)) /* a star may take long */
        return RM2_INTERRUPTED;
    return rm2i_roadmap_join(j->net, j->metric, &j->join[i], work);
}

static rm2_status run_joins(rm2_context *ctx, const join_job *job, size_t n) {
    size_t failed = 0, work = rm2i_star_work(job->net, job->metric, rm2i_join_most(job->net));
    rm2_status status = rm2i_batch(ctx, n, work, join_one, job, &failed);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return rm2i_fail(ctx, status,
                     "point %zu cannot be joined to the roadmap: the metric cannot be computed "
                     "near it",
                     failed);
}

/* One block, which begins with the joins. */
typedef struct joins_block {
    const rm2i_roadmap *net;
    size_t n;
    rm2i_join *join; /* n */
    double *G;       /* n x Q x Q */
    double *length;  /* n x most */
    size_t *node;    /* n x most */
} joins_block;

static void lay_out(void *arg, rm2i_arena *a) {
    joins_block *b = arg;
    size_t Q = b->net->Q, most = rm2i_join_most(b->net);
    b->join = rm2i_reserve(a, rm2i_join, b->n);
    b->G = rm2i_reserve(a, double, b->n, Q, Q);
    b->length = rm2i_reserve(a, double, b->n, most);
    b->node = rm2i_reserve(a, size_t, b->n, most);
}

rm2_status rm2i_roadmap_join_all(rm2_context *ctx, const rm2i_roadmap *net,
                                 const rm2_metric *metric, size_t n, const double *points,
                                 rm2i_join **joins) {
    size_t Q = net->Q, most = rm2i_join_most(net);
    joins_block b = {.net = net, .n = n};
    double *memory;
    *joins = NULL;
    RM2_TRY(rm2i_roadmap_check(ctx, net, metric, n, points));
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, &b, &memory));
    rm2_status status = rm2_metric_at(ctx, metric, n, points, b.G, NULL);
    for (size_t i = 0; i < n; i++)
        b.join[i] = (rm2i_join){.x = points + i * Q,
                                .G = b.G + i * Q * Q,
                                .node = b.node + i * most,
                                .length = b.length + i * most};
    if (status == RM2_OK)
        status = run_joins(ctx, &(join_job){ctx, net, metric, b.join}, n);
    if (status == RM2_OK)
        *joins = b.join;
    else
        free(memory);
    return status;
}
