/* Grids of a planner: that of the space, whose nodes the model decodes, and finer ones, whose nodes the field decodes. */
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "planner/planner.h"
#include "space/around.h"

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_level *l = arg;
    size_t n = l->net->nodes;
    l->node = rm2i_reserve(a, rm2i_clear_point, n);
    l->root = rm2i_reserve(a, double, n);
    l->radius = rm2i_reserve(a, double, n);
    l->at = rm2i_reserve(a, double, n);
    l->key = rm2i_reserve(a, double, n);
    l->before = rm2i_reserve(a, size_t, n);
    l->heap = rm2i_reserve(a, size_t, 2 * n);
    l->searching = rm2i_reserve(a, double, l->times == 1 ? rm2i_search_work(n) : 0);
    l->seen = rm2i_reserve(a, size_t, n);
    l->reached = rm2i_reserve(a, size_t, n);
    l->removed = rm2i_reserve(a, size_t, l->net->graph.first[n]);
    l->bow = rm2i_reserve(a, double, l->net->graph.first[n]);
}

/* Grids of more nodes have fewer directions, as for single queries (space/around.c). */
static size_t reach_of(const rm2i_roadmap *grid, size_t times) {
    return grid->Q < 3 && times < 4 ? grid->reach : 1;
}

rm2_status rm2i_level_create(rm2_context *ctx, const rm2i_roadmap *grid, size_t times,
                             rm2i_level *level) {
    *level = (rm2i_level){.net = grid, .times = times};
    if (times > 1) {
        RM2_TRY(
            rm2i_finer_grid(ctx, grid, times, reach_of(grid, times), &level->metric, &level->own));
        level->net = level->own;
    }
    return rm2i_arena_calloc(ctx, lay_out, level, &level->memory);
}

void rm2i_level_clear(rm2i_level *level) {
    rm2i_roadmap_free(level->own);
    rm2_metric_free(level->metric);
    free(level->memory);
    *level = (rm2i_level){0};
}

/* ---- nodes ---------------------------------------------------------------------------------- */

typedef struct decode_job {
    const rm2i_clearance *clearance;
    const rm2i_level *level;
} decode_job;

static rm2_status decode_node(const void *job, size_t i, double *work) {
    const decode_job *j = job;
    const rm2i_roadmap *net = j->level->net;
    rm2i_clearance_at(j->clearance, net->x + i * net->Q, &j->level->node[i], work);
    return RM2_OK;
}

rm2_status rm2i_level_decode(rm2_context *ctx, const rm2i_clearance *clearance, rm2i_level *level) {
    rm2_status status = rm2i_batch(ctx, level->net->nodes, rm2i_clearance_work(clearance),
                                   decode_node, &(decode_job){clearance, level}, NULL);
    return status == RM2_INTERRUPTED ? rm2i_fail(ctx, status, "planner: interrupted") : status;
}

void rm2i_level_interpolate(const rm2i_field *field, rm2i_level *level) {
    for (size_t i = 0; i < level->net->nodes; i++)
        rm2i_field_position(field, level->net->x + i * field->Q, &level->node[i]);
}

/* ---- bows and radii ------------------------------------------------------------------------- */

typedef struct measure_job {
    const rm2i_field *field;
    const rm2i_level *level;
} measure_job;

static double distance_from_chord(size_t dim, const double *y, const double *a, const double *b) {
    double along = 0, square = 0, left = 0;
    for (size_t k = 0; k < dim; k++) {
        along += (y[k] - a[k]) * (b[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    double t = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
    for (size_t k = 0; k < dim; k++) {
        double off = y[k] - a[k] - t * (b[k] - a[k]);
        left += off * off;
    }
    return sqrt(left);
}

/* At quarters of the edge; on short edges the middle is enough. */
static double bow_of(const measure_job *j, size_t from, size_t to) {
    const rm2i_roadmap *net = j->level->net;
    const double *a = net->x + from * net->Q, *b = net->x + to * net->Q;
    double x[RM2I_GRID_Q], most = 0;
    rm2i_clear_point at;
    for (int k = net->reach > 1 ? 1 : 2; k <= 3; k += net->reach > 1 ? 1 : 2) {
        for (size_t q = 0; q < net->Q; q++)
            x[q] = a[q] + 0.25 * k * (b[q] - a[q]);
        rm2i_field_position(j->field, x, &at);
        most = fmax(most, distance_from_chord(j->field->dim, at.y, j->level->node[from].y,
                                              j->level->node[to].y));
    }
    return most;
}

/* The farthest of the corners of the cell around node i, and some more for what is between. */
static double radius_of(const measure_job *j, size_t i) {
    static const double MORE = 1.2;
    const rm2i_roadmap *net = j->level->net;
    double x[RM2I_GRID_Q], most = 0;
    rm2i_clear_point at;
    for (size_t corner = 0; corner < (size_t)1 << net->Q; corner++) {
        for (size_t q = 0; q < net->Q; q++) {
            const double *axis = net->axis[q];
            double half = 0.5 * (axis[1] - axis[0]), centre = net->x[i * net->Q + q];
            x[q] = fmin(fmax(centre + (corner >> q & 1 ? half : -half), axis[0]),
                        axis[net->count[q] - 1]);
        }
        rm2i_field_position(j->field, x, &at);
        most = fmax(most, distance_from_chord(j->field->dim, at.y, j->level->node[i].y,
                                              j->level->node[i].y));
    }
    return MORE * most;
}

static rm2_status measure_node(const void *job, size_t i, double *work) {
    const measure_job *j = job;
    const rm2i_graph *g = &j->level->net->graph;
    (void)work;
    j->level->radius[i] = radius_of(j, i);
    for (size_t e = g->first[i]; e < g->first[i + 1]; e++)
        j->level->bow[e] = bow_of(j, i, g->to[e]);
    return RM2_OK;
}

rm2_status rm2i_level_measure(rm2_context *ctx, const rm2i_field *field, rm2i_level *level) {
    rm2_status status =
        rm2i_batch(ctx, level->net->nodes, 1, measure_node, &(measure_job){field, level}, NULL);
    return status == RM2_INTERRUPTED ? rm2i_fail(ctx, status, "planner: interrupted") : status;
}
