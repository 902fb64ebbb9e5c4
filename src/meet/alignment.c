/* Demonstrations on the route, by dynamic programming. With K = 100 samples of the route (all nodes if there are fewer) and J = K
 * points of a demonstration at even steps of arc length,
 *
 *     D(k, j) = dist^2(y_k, demo_j) + min( D(k-1, j-1),  D(k-1, j) + g,  D(k, j-1) + g ),    g = h^2/2,
 *
 * h the mean step of the route's samples. The place of sample k is the mean of all j matched to it, smoothed over five samples
 * on each side, 0 and J - 1 at the ends, and non-decreasing. Where the route begins in the middle of the motion, D(0, j) is free for
 * every j; where the demonstration does, D(k, 0) for every k; ends likewise. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "math/order.h"
#include "meet/meet.h"
#include "riemann2/trajectory.h"
#include "start/curves.h"

enum { K = RM2I_MEET_SAMPLES, SMOOTHED = 5 };

/* ---- demonstrations at even steps ----------------------------------------------------------- */

/* A point is a spike if it is this many times as far from its neighbours as steps around it are long, and these are near to
 * each other. */
static const double SPIKE = 6;
enum { AROUND = 5 };

static double typical_step(size_t steps, const double *step, size_t i, double mean) {
    double few[2 * AROUND];
    size_t from = i < AROUND ? 0 : i - AROUND, to = i + AROUND < steps ? i + AROUND : steps;
    memcpy(few, step + from, (to - from) * sizeof *few);
    return fmax(rm2i_median(to - from, few), mean / 2);
}

typedef struct thinning {
    const rm2_manifold *m;
    size_t T, kept;
    double *step, *point, *work; /* T, T x ambient */
    double *memory;
} thinning;

static void lay_out_thinning(void *arg, rm2i_arena *a) {
    thinning *t = arg;
    t->step = rm2i_reserve(a, double, t->T);
    t->point = rm2i_reserve(a, double, t->T, t->m->ambient);
    t->work = rm2i_reserve(a, double, t->m->work_size);
}

/* Copy the points that are no spikes. */
static rm2_status remove_spikes(thinning *t, const double *y) {
    size_t D = t->m->ambient;
    double mean = 0;
    for (size_t i = 0; i + 1 < t->T; i++) {
        RM2_TRY(
            rm2i_manifold_distance(t->m, y + i * D, y + (i + 1) * D, &t->step[i], t->work, NULL));
        mean += t->step[i] / (double)(t->T - 1);
    }
    t->kept = 0;
    for (size_t i = 0; i < t->T; i++) {
        bool spike = false;
        if (i > 0 && i + 1 < t->T && t->T > 2 * AROUND) {
            double across, least = fmin(t->step[i - 1], t->step[i]);
            RM2_TRY(rm2i_manifold_distance(t->m, y + (i - 1) * D, y + (i + 1) * D, &across, t->work,
                                           NULL));
            spike = least > SPIKE * typical_step(t->T - 1, t->step, i, mean) && across < least;
        }
        if (!spike)
            memcpy(t->point + t->kept++ * D, y + i * D, D * sizeof *y);
    }
    return RM2_OK;
}

rm2_status rm2i_meet_resample(rm2_context *ctx, const rm2_model *model, size_t count,
                              const size_t *which, double *samples) {
    const rm2_data *data = model->data;
    size_t D = model->manifold->ambient;
    rm2_status status = RM2_OK;
    for (size_t d = 0; status == RM2_OK && d < count; d++) {
        size_t first = data->starts[which[d]];
        thinning t = {.m = model->manifold, .T = data->starts[which[d] + 1] - first};
        RM2_TRY(rm2i_arena_alloc(ctx, lay_out_thinning, &t, &t.memory));
        status = remove_spikes(&t, data->points + first * D);
        if (status == RM2_OK)
            status = rm2_trajectory_resample_by_length(ctx, t.m, t.kept, t.point, K,
                                                       samples + d * K * D);
        free(t.memory);
        if (status != RM2_OK)
            status = rm2i_fail_prefix(ctx, status, "demonstration %s", data->ids[which[d]]);
    }
    return status;
}

/* ---- the table ------------------------------------------------------------------------------ */

typedef enum came_from { DIAGONAL, ROUTE_STEP, DEMO_STEP, BEGINNING } came_from;

typedef struct table {
    const rm2_manifold *m;
    double *sum;         /* K x K */
    unsigned char *came; /* K x K */
    double *total;       /* K: sums of the j matched to a sample */
    size_t *matched;     /* K: their number */
    double *work, *memory;
    size_t from, to; /* samples of the route that are matched */
} table;

static void lay_out(void *arg, rm2i_arena *a) {
    table *t = arg;
    t->sum = rm2i_reserve(a, double, K, K);
    t->came = rm2i_reserve(a, unsigned char, K, K);
    t->total = rm2i_reserve(a, double, 2 * K);
    t->matched = rm2i_reserve(a, size_t, K);
    t->work = rm2i_reserve(a, double, t->m->work_size);
}

/* Samples of the route: all nodes if there are fewer than K. */
static size_t samples_of(const rm2i_meet_route *route) {
    return route->n < K ? route->n : K;
}

static size_t node_of(const rm2i_meet_route *route, size_t k) {
    double last = (double)(samples_of(route) - 1);
    return (size_t)floor((double)k * (double)(route->n - 1) / last + 0.5);
}

static rm2_status find_gap(const rm2i_meet_route *route, const table *t, double *gap) {
    size_t D = route->m->ambient;
    double sum = 0;
    size_t steps = samples_of(route) - 1;
    for (size_t k = 0; k < steps; k++) {
        double step;
        RM2_TRY(rm2i_manifold_distance(route->m, route->y + node_of(route, k) * D,
                                       route->y + node_of(route, k + 1) * D, &step, t->work, NULL));
        sum += step / (double)steps;
    }
    *gap = sum * sum / 2;
    return RM2_OK;
}

/* The least of the ways into a cell; ties go to the first. */
static void enter_cell(table *t, size_t k, size_t j, double gap, bool free_start) {
    double way[3] = {INFINITY, INFINITY, INFINITY}, least = INFINITY;
    came_from from = BEGINNING;
    if (k > 0 && j > 0)
        way[DIAGONAL] = t->sum[(k - 1) * K + j - 1];
    if (k > 0)
        way[ROUTE_STEP] = t->sum[(k - 1) * K + j] + gap;
    if (j > 0)
        way[DEMO_STEP] = t->sum[k * K + j - 1] + gap;
    if (free_start)
        least = 0;
    for (int w = DIAGONAL; w <= DEMO_STEP; w++)
        if (way[w] < least) {
            least = way[w];
            from = (came_from)w;
        }
    t->sum[k * K + j] += least;
    t->came[k * K + j] = (unsigned char)from;
}

/* Fill the table with costs; demo point j from the far end if backwards. */
static rm2_status fill(const rm2i_meet_route *route, const double *demo, const rm2i_meet_open *open,
                       bool backwards, table *t) {
    size_t D = route->m->ambient;
    double gap;
    RM2_TRY(find_gap(route, t, &gap));
    for (size_t k = 0; k < samples_of(route); k++)
        for (size_t j = 0; j < K; j++) {
            double d;
            size_t point = backwards ? K - 1 - j : j;
            RM2_TRY(rm2i_manifold_distance(route->m, route->y + node_of(route, k) * D,
                                           demo + point * D, &d, t->work, NULL));
            t->sum[k * K + j] = d * d;
            bool start =
                (k == 0 && j == 0) || (open->route[0] && k == 0) || (open->demo[0] && j == 0);
            enter_cell(t, k, j, gap, start);
        }
    return RM2_OK;
}

/* The cell where the alignment ends. */
static size_t find_end(const rm2i_meet_route *route, const table *t, const rm2i_meet_open *open) {
    size_t cells = samples_of(route) * K, end = cells - 1;
    for (size_t c = 0; c < cells; c++)
        if (((open->route[1] && c / K == cells / K - 1) || (open->demo[1] && c % K == K - 1)) &&
            t->sum[c] < t->sum[end])
            end = c;
    return end;
}

static void walk_back(table *t, size_t cell) {
    came_from from;
    memset(t->total, 0, K * sizeof *t->total);
    memset(t->matched, 0, K * sizeof *t->matched);
    t->to = cell / K;
    do {
        size_t k = cell / K, j = cell % K;
        t->total[k] += (double)j;
        t->matched[k]++;
        t->from = k;
        from = (came_from)t->came[cell];
        cell -= from == DIAGONAL ? K + 1 : from == ROUTE_STEP ? K : from == DEMO_STEP ? 1 : 0;
    } while (from != BEGINNING);
}

/* ---- places --------------------------------------------------------------------------------- */

/* Smoothed places of the samples that are matched, in t->total. */
static void smooth(const rm2i_meet_open *open, table *t) {
    double *j = t->total + K;
    size_t count = t->to - t->from + 1;
    for (size_t k = t->from; k <= t->to; k++)
        j[k] = t->total[k] / (double)t->matched[k];
    rm2i_running_mean(count, j + t->from, SMOOTHED, t->total + t->from);
    if (!open->route[0])
        t->total[t->from] = 0;
    if (!open->route[1])
        t->total[t->to] = K - 1;
    for (size_t k = t->from + 1; k <= t->to; k++)
        t->total[k] = fmax(t->total[k], t->total[k - 1]);
}

/* Between the samples by linear interpolation. */
static void place_nodes(const rm2i_meet_route *route, const table *t, bool backwards,
                        double *place) {
    size_t k = t->from;
    for (size_t i = 0; i < route->n; i++) {
        place[i] = NAN;
        if (i < node_of(route, t->from) || i > node_of(route, t->to))
            continue;
        while (k < t->to && node_of(route, k + 1) <= i)
            k++;
        size_t before = node_of(route, k), after = k < t->to ? node_of(route, k + 1) : before;
        double part = after > before ? (double)(i - before) / (double)(after - before) : 0;
        double at = t->total[k] + (part > 0 ? part * (t->total[k + 1] - t->total[k]) : 0);
        place[i] = backwards ? K - 1 - at : at;
    }
}

rm2_status rm2i_meet_align(rm2_context *ctx, const rm2i_meet_route *route, const double *demo,
                           const rm2i_meet_open *open, bool backwards, double *place,
                           double *cost) {
    table t = {.m = route->m};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &t, &t.memory));
    rm2_status status = fill(route, demo, open, backwards, &t);
    if (status == RM2_OK) {
        size_t end = find_end(route, &t, open);
        *cost = t.sum[end];
        walk_back(&t, end);
        smooth(open, &t);
        place_nodes(route, &t, backwards, place);
    } else
        status = rm2i_fail(ctx, status, "distances of a demonstration from the route: %s",
                           rm2_status_text(status));
    free(t.memory);
    return status;
}
