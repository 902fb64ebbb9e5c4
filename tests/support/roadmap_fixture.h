/* What roadmaps are by definition, for tests: edges and their lengths written down anew, all paths
 * compared by Floyd and Warshall's method. Lengths are sums of at most a few hundred roots near
 * one: ROUNDING is what that leaves of them. Include cmocka.h first. */
#ifndef NETWORK_FIXTURE_H
#define NETWORK_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "roadmap/roadmap.h"

#define ROUNDING 1e-12

static inline int set_up(void **state) {
    rm2_context *ctx;
    assert_int_equal(rm2_context_create(&ctx), RM2_OK);
    *state = ctx;
    return 0;
}

static inline int tear_down(void **state) {
    rm2_context_free(*state);
    return 0;
}

static inline void assert_ok(rm2_context *ctx, rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

static inline void assert_says(rm2_context *ctx, const char *text) {
    if (!strstr(rm2_context_error(ctx), text))
        fail_msg("\"%s\" does not say \"%s\"", rm2_context_error(ctx), text);
}

static inline double *doubles(size_t count) {
    double *x = calloc(count, sizeof *x);
    assert_non_null(x);
    return x;
}

static inline rm2_metric *analytic(rm2_context *ctx, const char *name, size_t Q) {
    rm2_metric *metric;
    assert_ok(ctx, rm2_metric_analytic(ctx, name, Q, &metric));
    return metric;
}

/* ---- definitions ---------------------------------------------------------------------------- */

/* Place along an irregular axis by linear search. */
static inline double place(const rm2i_roadmap *net, size_t q, double x) {
    const double *axis = net->axis[q];
    size_t i = 0;
    while (i + 2 < net->count[q] && x > axis[i + 1])
        i++;
    return (double)i + (x - axis[i]) / (axis[i + 1] - axis[i]);
}

/* G between the nodes: linear along the first axis of what is linear along the others. */
static inline double interpolated(const rm2i_roadmap *net, const double *x, size_t q, size_t node,
                                  size_t entry) {
    if (q == net->Q || q == RM2I_GRID_Q)
        return net->G[node * net->Q * net->Q + entry];
    double at = place(net, q, x[q]), low = fmin(floor(at), (double)net->count[q] - 2);
    size_t below = node + (size_t)low * net->stride[q];
    return (low + 1 - at) * interpolated(net, x, q + 1, below, entry) +
           (at - low) * interpolated(net, x, q + 1, below + net->stride[q], entry);
}

static inline double norm(size_t Q, const double *G, const double *v) {
    double sum = 0;
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++)
            sum += v[r] * G[r * Q + s] * v[s];
    return sqrt(sum);
}

/* G at a point of a line: exactly at its ends and where midpoints are asked for. */
static inline void metric_on(rm2_context *ctx, const rm2i_roadmap *net, const rm2_metric *metric,
                             const double *a, const double *b, double t, double *G) {
    size_t Q = net->Q;
    double x[8];
    for (size_t q = 0; q < Q; q++)
        x[q] = t < 1 ? a[q] + t * (b[q] - a[q]) : b[q];
    if (t == 0 || t == 1 || net->rule == RM2I_EDGE_MIDPOINT)
        assert_ok(ctx, rm2_metric_at(ctx, metric, 1, x, G, NULL));
    else
        for (size_t e = 0; e < Q * Q; e++)
            G[e] = interpolated(net, x, 0, 0, e);
}

static inline double line_length(rm2_context *ctx, const rm2i_roadmap *net,
                                 const rm2_metric *metric, const double *a, const double *b) {
    size_t Q = net->Q;
    double cells = 1, sum = 0, h[8], G[64], H[64];
    for (size_t q = 0; net->grid && q < Q; q++)
        cells = fmax(cells, fabs(place(net, q, a[q]) - place(net, q, b[q])));
    double pieces = ceil(cells - 1e-9);
    for (size_t q = 0; q < Q; q++)
        h[q] = (b[q] - a[q]) / pieces;
    for (double k = 0; k < pieces; k++) {
        if (net->rule == RM2I_EDGE_MIDPOINT) {
            metric_on(ctx, net, metric, a, b, (k + 0.5) / pieces, G);
        } else {
            metric_on(ctx, net, metric, a, b, k / pieces, G);
            metric_on(ctx, net, metric, a, b, (k + 1) / pieces, H);
            for (size_t e = 0; e < Q * Q; e++)
                G[e] = (G[e] + H[e]) / 2;
        }
        sum += norm(Q, G, h);
    }
    return sum;
}

static inline double separation(size_t Q, const double *a, const double *b) {
    double sum = 0;
    for (size_t q = 0; q < Q; q++)
        sum += (a[q] - b[q]) * (a[q] - b[q]);
    return sum;
}

/* Is j among the k nearest of i, the smaller index first where they are as near? */
static inline bool is_near(const rm2i_roadmap *net, size_t k, size_t i, size_t j) {
    size_t closer = 0, Q = net->Q;
    double d = separation(Q, net->x + i * Q, net->x + j * Q);
    for (size_t m = 0; m < net->nodes; m++) {
        double other = separation(Q, net->x + i * Q, net->x + m * Q);
        closer += m != i && (other < d || (other == d && m < j));
    }
    return closer < k;
}

static inline size_t divisor(size_t a, size_t b) {
    return b ? divisor(b, a % b) : a;
}

static inline bool are_joined(const rm2i_roadmap *net, size_t i, size_t j) {
    if (i == j)
        return false;
    if (!net->grid)
        return is_near(net, net->neighbours, i, j) || is_near(net, net->neighbours, j, i);
    size_t common = 0, most = 0;
    for (size_t q = 0; q < net->Q; q++) {
        size_t a = i / net->stride[q] % net->count[q], b = j / net->stride[q] % net->count[q];
        size_t step = a > b ? a - b : b - a;
        common = divisor(common, step);
        most = step > most ? step : most;
    }
    return common == 1 && most <= net->reach;
}

/* Dense matrix of edges: D[i][j] infinite where there is none. */
static inline void compare_edges(rm2_context *ctx, const rm2i_roadmap *net,
                                 const rm2_metric *metric, double *D) {
    const rm2i_graph *g = &net->graph;
    size_t n = net->nodes, Q = net->Q;
    for (size_t i = 0; i < n * n; i++)
        D[i] = i / n == i % n ? 0 : INFINITY;
    for (size_t i = 0; i < n; i++)
        for (size_t e = g->first[i]; e < g->first[i + 1]; e++)
            D[i * n + g->to[e]] = g->length[e];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            assert_int_equal(isfinite(D[i * n + j]), are_joined(net, i, j));
            assert_true(D[i * n + j] == D[j * n + i]);
            if (isinf(D[i * n + j]))
                continue;
            double length = line_length(ctx, net, metric, net->x + i * Q, net->x + j * Q);
            assert_true(fabs(D[i * n + j] - length) < ROUNDING);
        }
}

static inline void floyd_warshall(size_t n, double *D) {
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                D[i * n + j] = fmin(D[i * n + j], D[i * n + k] + D[k * n + j]);
}

/* Lengths from a point that is no node to every node that it is joined to. */
static inline void point_edges(rm2_context *ctx, const rm2i_roadmap *net, const rm2_metric *metric,
                               const double *x, double *length) {
    size_t Q = net->Q;
    for (size_t i = 0; i < net->nodes; i++) {
        const double *node = net->x + i * Q;
        bool joined = true;
        size_t closer = 0;
        for (size_t q = 0; net->grid && q < Q; q++)
            joined = joined &&
                     fabs(place(net, q, x[q]) - place(net, q, node[q])) <= 3 * (double)net->reach;
        for (size_t m = 0; !net->grid && m < net->nodes; m++)
            closer += separation(Q, net->x + m * Q, x) < separation(Q, node, x);
        joined = joined && (net->grid || closer < net->neighbours);
        length[i] = joined ? line_length(ctx, net, metric, x, node) : INFINITY;
    }
}

/* Shortest path between points too far apart to be joined directly. */
static inline double shortest(size_t n, const double *D, const double *from, const double *to) {
    double least = INFINITY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            least = fmin(least, from[i] + D[i * n + j] + to[j]);
    return least;
}

/* Path, its points and the distance of two points, against all paths there are. */
static inline void compare_path(rm2_context *ctx, const rm2i_roadmap *net, const rm2_metric *metric,
                                const double *D, const double *from, const double *to) {
    size_t n = net->nodes, Q = net->Q;
    double *a = doubles(n), *b = doubles(n), sum = 0, both[16], distances[4];
    rm2i_path path;
    point_edges(ctx, net, metric, from, a);
    point_edges(ctx, net, metric, to, b);
    double expected = shortest(n, D, a, b);
    assert_ok(ctx, rm2i_roadmap_path(ctx, net, metric, from, to, &path));
    assert_true(fabs(path.length - expected) < ROUNDING);
    assert_memory_equal(path.x, from, Q * sizeof *path.x);
    assert_memory_equal(path.x + (path.count - 1) * Q, to, Q * sizeof *path.x);
    for (size_t i = 0; i + 1 < path.count; i++)
        sum += line_length(ctx, net, metric, path.x + i * Q, path.x + (i + 1) * Q);
    assert_true(fabs(sum - path.length) < ROUNDING);
    memcpy(both, from, Q * sizeof *both);
    memcpy(both + Q, to, Q * sizeof *both);
    assert_ok(ctx, rm2i_roadmap_distances(ctx, net, metric, 2, both, distances));
    assert_true(distances[0] == 0 && distances[3] == 0 && distances[1] == distances[2]);
    assert_true(fabs(distances[1] - path.length) < ROUNDING);
    rm2_free(path.x);
    free(a);
    free(b);
}

#endif
