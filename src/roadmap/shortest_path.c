/* Shortest paths between points. The two become nodes for one search: its seeds are the nodes that
 * one is joined to, its exits those that the other is joined to; no path leads through a third
 * point, so that a path does not depend on which others are asked for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roadmap/roadmap.h"

/* ---- one path ------------------------------------------------------------------------------- */

typedef struct walk_scratch {
    rm2i_join from, to;
    double *at, *ends; /* nodes: distances, and those of the nodes that `to` is joined to */
    size_t *before;    /* nodes: of the search */
    size_t *order;     /* nodes: the path */
    double *heap;      /* of the search */
    double *joins;     /* scratch of the joins */
} walk_scratch;

static void lay_out(walk_scratch *s, const rm2i_roadmap *net, const rm2_metric *metric,
                    rm2i_arena *a) {
    size_t n = net->nodes;
    rm2i_join_lay_out(&s->from, net, a);
    rm2i_join_lay_out(&s->to, net, a);
    s->at = rm2i_reserve(a, double, n);
    s->ends = rm2i_reserve(a, double, n);
    s->before = rm2i_reserve(a, size_t, n);
    s->order = rm2i_reserve(a, size_t, n);
    s->heap = rm2i_reserve(a, double, rm2i_search_work(n));
    s->joins = rm2i_reserve(a, double, rm2i_join_work(net, metric));
}

size_t rm2i_node_path_work(const rm2i_roadmap *net, const rm2_metric *metric) {
    walk_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, net, metric, &a);
    return a.used;
}

/* The nodes from the seed to `last`, except those that are the ends themselves, in order. */
static void collect(const walk_scratch *s, size_t last, rm2i_node_path *walk) {
    size_t count = 0;
    for (size_t i = last; i != SIZE_MAX; i = s->before[i])
        count++;
    size_t at = count;
    for (size_t i = last; i != SIZE_MAX; i = s->before[i])
        s->order[--at] = i;
    size_t skipped = s->from.on_node && count > 0;
    walk->node = s->order + skipped;
    walk->count = count - skipped;
    walk->count -= s->to.on_node && walk->count > 0;
}

rm2_status rm2i_roadmap_walk(const rm2i_roadmap *net, const rm2_metric *metric, const double *from,
                             const double *to, rm2i_node_path *walk, double *work) {
    walk_scratch s;
    lay_out(&s, net, metric, &(rm2i_arena){work, 0});
    RM2_TRY(rm2i_roadmap_join_point(net, metric, from, &s.from, s.joins));
    RM2_TRY(rm2i_roadmap_join_point(net, metric, to, &s.to, s.joins));
    *walk = (rm2i_node_path){.from = from, .to = to};
    RM2_TRY(rm2i_join_direct(net, metric, &s.from, &s.to, &walk->length, s.joins));
    for (size_t i = 0; i < net->nodes; i++)
        s.ends[i] = INFINITY;
    for (size_t i = 0; i < s.to.count; i++)
        s.ends[s.to.node[i]] = s.to.length[i];
    const rm2i_search search = {.graph = &net->graph,
                                .seeds = s.from.count,
                                .seed = s.from.node,
                                .start = s.from.length,
                                .exit = s.ends,
                                .at = s.at,
                                .before = s.before,
                                .work = s.heap};
    collect(&s, rm2i_graph_search(&search, &walk->length), walk);
    return isfinite(walk->length) ? RM2_OK : RM2_ERR_NUMERIC;
}

void rm2i_node_path_points(const rm2i_roadmap *net, const rm2i_node_path *walk, double *path) {
    size_t Q = net->Q, bytes = Q * sizeof *path;
    memcpy(path, walk->from, bytes);
    for (size_t i = 0; i < walk->count; i++)
        memcpy(path + (i + 1) * Q, net->x + walk->node[i] * Q, bytes);
    memcpy(path + (walk->count + 1) * Q, walk->to, bytes);
}

rm2_status rm2i_roadmap_path(rm2_context *ctx, const rm2i_roadmap *roadmap,
                             const rm2_metric *metric, const double *from, const double *to,
                             rm2i_path *path) {
    RM2_REQUIRE(ctx, path);
    *path = (rm2i_path){.count = 0};
    RM2_REQUIRE(ctx, roadmap, metric, from, to);
    double *work;
    rm2i_node_path walk = {0};
    RM2_TRY(rm2i_roadmap_check(ctx, roadmap, metric, 1, from));
    RM2_TRY(rm2i_roadmap_check(ctx, roadmap, metric, 1, to));
    RM2_TRY(rm2i_alloc(ctx, rm2i_node_path_work(roadmap, metric), sizeof *work, &work));
    rm2_status status = rm2i_roadmap_walk(roadmap, metric, from, to, &walk, work);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, walk.count + 2, roadmap->Q * sizeof *path->x, &path->x);
    else
        status = rm2i_fail(ctx, status,
                           "no path of finite length: the metric is too large, or cannot be "
                           "computed near the ends");
    if (status == RM2_OK) {
        rm2i_node_path_points(roadmap, &walk, path->x);
        path->count = walk.count + 2;
        path->length = walk.length;
    }
    free(work);
    return status;
}

/* ---- distances ------------------------------------------------------------------------------ */

void rm2i_join_search(const rm2i_roadmap *net, const rm2i_join *from, double *at, double *work) {
    rm2i_search search = {.graph = &net->graph,
                          .seeds = from->count,
                          .seed = from->node,
                          .start = from->length,
                          .at = at,
                          .work = work};
    (void)rm2i_graph_search(&search, NULL);
}

rm2_status rm2i_join_distance(const rm2i_roadmap *net, const rm2_metric *metric,
                              const rm2i_join *from, const double *at, const rm2i_join *to,
                              double *length, double *work) {
    RM2_TRY(rm2i_join_direct(net, metric, from, to, length, work));
    for (size_t k = 0; k < to->count; k++)
        *length = fmin(*length, at[to->node[k]] + to->length[k]);
    return RM2_OK;
}

typedef struct distances_job {
    rm2_context *ctx;
    const rm2i_roadmap *net;
    const rm2_metric *metric;
    size_t n;
    const rm2i_join *join; /* of each point */
    double *distance;
} distances_job;

typedef struct row_scratch {
    double *at, *heap, *star; /* distances of the nodes, their search, one line */
} row_scratch;

static void lay_out_row(row_scratch *s, const rm2i_roadmap *net, const rm2_metric *metric,
                        rm2i_arena *a) {
    s->at = rm2i_reserve(a, double, net->nodes);
    s->heap = rm2i_reserve(a, double, rm2i_search_work(net->nodes));
    s->star = rm2i_reserve(a, double, rm2i_star_work(net, metric, 1));
}

/* Distances of point i to all later ones; the diagonal is 0. */
static rm2_status distances_from(const void *job, size_t i, double *work) {
    const distances_job *j = job;
    const rm2i_join *a = &j->join[i];
    double *row = j->distance + i * j->n;
    row_scratch s;
    lay_out_row(&s, j->net, j->metric, &(rm2i_arena){work, 0});
    rm2i_join_search(j->net, a, s.at, s.heap);
    row[i] = 0;
    for (size_t k = i + 1; k < j->n; k++) {
        RM2_TRY(rm2i_join_distance(j->net, j->metric, a, s.at, &j->join[k], &row[k], s.star));
        if (!isfinite(row[k]))
            return RM2_ERR_NUMERIC;
    }
    rm2i_activity_advance(j->ctx, j->n - 1 - i);
    return RM2_OK;
}

static rm2_status run_distances(rm2_context *ctx, const distances_job *job) {
    size_t failed = 0;
    rm2i_arena work = {NULL, 0};
    lay_out_row(&(row_scratch){0}, job->net, job->metric, &work);
    rm2_status status = rm2i_jobs(ctx, job->n, work.used, distances_from, job, &failed);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return rm2i_fail(ctx, status,
                     "no paths of finite length from point %zu: the metric is too large, or cannot "
                     "be computed near it",
                     failed);
}

static rm2_status find_distances(rm2_context *ctx, const rm2i_roadmap *roadmap,
                                 const rm2_metric *metric, size_t n, const double *points,
                                 double *distance) {
    RM2_REQUIRE(ctx, roadmap, metric);
    if (n > 0)
        RM2_REQUIRE(ctx, points, distance);
    rm2i_join *join = NULL;
    RM2_TRY(rm2i_roadmap_join_all(ctx, roadmap, metric, n, points, &join));
    distances_job job = {ctx, roadmap, metric, n, join, distance};
    rm2_status status = run_distances(ctx, &job);
    for (size_t i = 0; i < n && status == RM2_OK; i++)
        for (size_t k = 0; k < i; k++)
            distance[i * n + k] = distance[k * n + i];
    free(join);
    return status;
}

rm2_status rm2i_roadmap_distances(rm2_context *ctx, const rm2i_roadmap *roadmap,
                                  const rm2_metric *metric, size_t n, const double *points,
                                  double *distance) {
    rm2i_activity_begin(ctx, "distances", n > 1 ? n * (n - 1) / 2 : 0);
    rm2_status status = find_distances(ctx, roadmap, metric, n, points, distance);
    rm2i_activity_end(ctx);
    return status;
}
