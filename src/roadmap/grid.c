/* Grids. A node is joined to all that are a primitive step away, one whose entries have no common
 * divisor, of at most `reach` cells along each axis; others are made of primitive ones. More
 * directions make the shortest path follow a geodesic more closely: in the Euclidean plane it is
 * too long by at most 8.2, 2.8, 1.3 % with reach 1, 2, 3, however fine the grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "metric/metric.h"
#include "roadmap/grid_rows.h"

enum { REACHED = 2 * RM2I_GRID_REACH + 1, STEPS_MAX = REACHED * REACHED * REACHED };

size_t rm2i_grid_points(size_t Q) {
    return Q <= 2 ? 50 : 24;
}

size_t rm2i_grid_reach(size_t Q) {
    return Q <= 2 ? 3 : 2;
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* A step of a grid; entries beyond Q are 0. */
typedef struct step {
    int by[RM2I_GRID_Q];
} step;

static int common_divisor(int a, int b) {
    return b == 0 ? abs(a) : common_divisor(b, a % b);
}

/* Primitive steps in the order of the nodes they lead to; returns how many. */
static size_t list_steps(size_t Q, int reach, step *steps) {
    int second = Q > 1 ? reach : 0, third = Q > 2 ? reach : 0;
    size_t count = 0;
    for (int i = -reach; i <= reach; i++)
        for (int j = -second; j <= second; j++)
            for (int k = -third; k <= third; k++)
                if (common_divisor(i, common_divisor(j, k)) == 1)
                    steps[count++] = (step){{i, j, k}};
    return count;
}

/* Nodes a step away from node i, in order; only their number if `to` is NULL. */
static size_t list_neighbours(const rm2i_roadmap *net, size_t i, size_t count, const step *steps,
                              size_t *to) {
    size_t found = 0, at[RM2I_GRID_Q];
    for (size_t q = 0; q < net->Q; q++)
        at[q] = i / net->stride[q] % net->count[q];
    for (size_t s = 0; s < count; s++) {
        size_t node = 0, q = 0;
        for (; q < net->Q; q++) {
            size_t there = at[q] + (size_t)steps[s].by[q]; /* wraps round below 0 */
            if (there >= net->count[q])
                break;
            node += there * net->stride[q];
        }
        if (q < net->Q)
            continue;
        if (to)
            to[found] = node;
        found++;
    }
    return found;
}

/* At some of the nodes: should the call end? */
static rm2_status look(rm2_context *ctx, size_t i) {
    return i % 1024 == 1023 && rm2i_interrupted(ctx)
               ? rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted")
               : RM2_OK;
}

static rm2_status join_nodes(rm2_context *ctx, rm2i_roadmap *net) {
    rm2i_graph *g = &net->graph;
    step *steps;
    RM2_TRY(rm2i_alloc(ctx, STEPS_MAX, sizeof *steps, &steps));
    size_t count = list_steps(net->Q, (int)net->reach, steps);
    g->n = net->nodes;
    rm2_status status = rm2i_calloc(ctx, net->nodes + 1, sizeof *g->first, &g->first);
    for (size_t i = 0; i < net->nodes && status == RM2_OK; i++) {
        g->first[i + 1] = g->first[i] + list_neighbours(net, i, count, steps, NULL);
        status = look(ctx, i);
    }
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, g->first[net->nodes], sizeof *g->to, &g->to);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, g->first[net->nodes], sizeof *g->length, &g->length);
    for (size_t i = 0; i < net->nodes && status == RM2_OK; i++) {
        (void)list_neighbours(net, i, count, steps, g->to + g->first[i]);
        status = look(ctx, i);
    }
    free(steps);
    return status;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static rm2_status check_axis(rm2_context *ctx, size_t q, size_t count, const double *axis) {
    if (count < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "axis %zu of the grid has %zu nodes; expected at least 2", q, count);
    for (size_t i = 0; i + 1 < count; i++)
        if (!(axis[i] < axis[i + 1]) || !isfinite(axis[count - 1] - axis[0]))
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "axis %zu of the grid does not increase from %.17g to %.17g (nodes "
                             "%zu and %zu): numbers lie no closer, or are not finite",
                             q, axis[i], axis[i + 1], i, i + 1);
    return RM2_OK;
}

/* Numbers of nodes, and where they are, along each axis. */
typedef struct grid_plan {
    size_t Q, reach;
    rm2i_edge_rule rule;
    const size_t *counts;
    const double *const *axes;
} grid_plan;

static void lay_out_axes(void *roadmap, rm2i_arena *a) {
    rm2i_roadmap *net = roadmap;
    for (size_t q = 0; q < net->Q; q++)
        net->axis[q] = rm2i_reserve(a, double, net->count[q]);
}

static rm2_status copy_axes(rm2_context *ctx, rm2i_roadmap *net, const grid_plan *plan) {
    const size_t *counts = plan->counts;
    size_t Q = plan->Q;
    memcpy(net->count, counts, Q * sizeof *counts);
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_axes, net, &net->axes));
    for (size_t q = 0; q < Q; q++)
        memcpy(net->axis[q], plan->axes[q], counts[q] * sizeof *net->axis[q]);
    net->nodes = 1;
    for (size_t q = Q; q-- > 0;) {
        net->stride[q] = net->nodes;
        if (__builtin_mul_overflow(net->nodes, counts[q], &net->nodes))
            return rm2i_fail(ctx, RM2_ERR_MEMORY, "out of memory: a grid of %zu nodes per side",
                             counts[q]);
    }
    return RM2_OK;
}

static rm2_status place_nodes(rm2_context *ctx, rm2i_roadmap *net, const rm2_metric *metric) {
    size_t Q = net->Q;
    RM2_TRY(rm2i_alloc(ctx, net->nodes, Q * sizeof *net->x, &net->x));
    RM2_TRY(rm2i_alloc(ctx, net->nodes, Q * Q * sizeof *net->G, &net->G));
    for (size_t i = 0; i < net->nodes; i++)
        for (size_t q = 0; q < Q; q++)
            net->x[i * Q + q] = net->axis[q][i / net->stride[q] % net->count[q]];
    rm2_status status = rm2i_metric_at_counted(ctx, metric, net->nodes, net->x, net->G);
    return status == RM2_OK ? status : rm2i_fail_prefix(ctx, status, "nodes of the grid");
}

static rm2_status fill(rm2_context *ctx, rm2i_roadmap *net, const rm2_metric *metric,
                       const grid_plan *plan) {
    for (size_t q = 0; q < net->Q; q++)
        RM2_TRY(check_axis(ctx, q, plan->counts[q], plan->axes[q]));
    RM2_TRY(copy_axes(ctx, net, plan));
    rm2i_activity_begin(ctx, "roadmap", net->nodes);
    rm2_status status = place_nodes(ctx, net, metric);
    if (status == RM2_OK)
        status = join_nodes(ctx, net);
    if (status == RM2_OK)
        status = rm2i_roadmap_measure(ctx, net, metric);
    rm2i_activity_end(ctx);
    return status;
}

static const rm2_setting rows[] = {
    RM2I_GRID_ROWS(rm2i_grid_settings, points, "points", "Grid"),
    {RM2I_GRID_ROW(rm2i_grid_settings, rule, "rule", CHOICE, "Grid"),
     RM2I_WORDS("ends", "midpoint"), .defaults = {"ends"},
     .help = "metric along an edge: interpolated between its ends, or that of its middle"},
};

RM2I_TABLE(rm2i_grid_settings_table, "grid", rm2i_grid_settings, rows)

static rm2_status check(rm2_context *ctx, size_t Q, const rm2i_grid_settings *s) {
    if (Q > RM2I_GRID_Q)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "a grid in %zu dimensions has too many nodes: use the graph over points "
                         "beyond 3",
                         Q);
    return rm2_settings_check(ctx, rm2i_grid_settings_table(), s);
}

/* What was checked becomes a roadmap. */
static rm2_status create(rm2_context *ctx, const rm2_metric *metric, const grid_plan *plan,
                         rm2i_roadmap **roadmap) {
    rm2i_roadmap *net;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *net, &net));
    net->Q = plan->Q;
    net->grid = true;
    net->rule = plan->rule;
    net->reach = plan->reach ? plan->reach : rm2i_grid_reach(plan->Q);
    net->span = 3 * net->reach;
    rm2_status status = fill(ctx, net, metric, plan);
    if (status == RM2_OK)
        *roadmap = net;
    else
        rm2i_roadmap_free(net);
    return status;
}

rm2_status rm2i_roadmap_grid_axes(rm2_context *ctx, const rm2_metric *metric, size_t reach,
                                  rm2i_edge_rule rule, const size_t *counts,
                                  const double *const *axes, rm2i_roadmap **roadmap) {
    RM2_REQUIRE(ctx, roadmap);
    *roadmap = NULL;
    RM2_REQUIRE(ctx, metric, counts, axes);
    size_t Q = rm2_metric_dim(metric);
    rm2i_grid_settings s = rm2i_grid_settings_default();
    s.reach = reach;
    s.rule = rule;
    RM2_TRY(check(ctx, Q, &s));
    for (size_t q = 0; q < Q; q++)
        RM2_REQUIRE(ctx, axes[q]);
    return create(ctx, metric, &(grid_plan){Q, reach, rule, counts, axes}, roadmap);
}

/* ---- a grid around points ------------------------------------------------------------------- */

static rm2_status find_box(rm2_context *ctx, size_t n, size_t Q, const double *points,
                           double padding, double *low, double *high) {
    double larger = 0;
    for (size_t q = 0; q < Q; q++) {
        low[q] = INFINITY;
        high[q] = -INFINITY;
        for (size_t i = 0; i < n; i++) {
            double x = points[i * Q + q];
            if (!isfinite(x))
                return rm2i_fail(ctx, RM2_ERR_DATA, "point %zu, coordinate %zu is not finite: %g",
                                 i, q, x);
            low[q] = fmin(low[q], x);
            high[q] = fmax(high[q], x);
        }
        larger = fmax(larger, high[q] - low[q]);
    }
    if (!(larger > 0))
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "all %zu points are equal: their box has no size, a grid needs its axes",
                         n);
    for (size_t q = 0; q < Q; q++) {
        if (padding == 0 && high[q] == low[q])
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "the points have no extent along axis %zu: the grid needs padding", q);
        low[q] -= padding * larger;
        high[q] += padding * larger;
    }
    return RM2_OK;
}

rm2_status rm2i_roadmap_grid(rm2_context *ctx, const rm2_metric *metric,
                             const rm2i_grid_settings *settings, size_t n, const double *points,
                             rm2i_roadmap **roadmap) {
    RM2_REQUIRE(ctx, roadmap);
    *roadmap = NULL;
    RM2_REQUIRE(ctx, metric);
    if (n > 0)
        RM2_REQUIRE(ctx, points);
    rm2i_grid_settings s = rm2i_grid_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &s));
    size_t Q = rm2_metric_dim(metric), count = s.points ? s.points : rm2i_grid_points(Q);
    RM2_TRY(check(ctx, Q, &s));
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a grid around 0 points; expected 1 or more");
    double low[RM2I_GRID_Q] = {0}, high[RM2I_GRID_Q] = {0}, *memory;
    RM2_TRY(find_box(ctx, n, Q, points, s.padding, low, high));
    RM2_TRY(rm2i_alloc(ctx, count, Q * sizeof *memory, &memory));
    const double *axes[RM2I_GRID_Q] = {memory, memory, memory};
    size_t counts[RM2I_GRID_Q] = {count, count, count};
    for (size_t q = 0; q < Q; q++) {
        double *axis = memory + q * count;
        for (size_t i = 0; i < count; i++) { /* both ends exactly */
            double t = (double)i / (double)(count - 1);
            axis[i] = (1 - t) * low[q] + t * high[q];
        }
        axes[q] = axis;
    }
    rm2_status status =
        create(ctx, metric, &(grid_plan){Q, s.reach, s.rule, counts, axes}, roadmap);
    free(memory);
    return status;
}
