/* Distances between sequences under time warping.
 *
 * A warping path goes from (0, 0) to (n - 1, m - 1) by steps (1, 0), (0, 1) and (1, 1); with local
 * costs c_ij = |a_i - b_j|^2 the least sum over all of them is
 *   D_ij = c_ij + min(D_i-1,j-1, D_i-1,j, D_i,j-1),   D_00 = c_00
 * (Sakoe and Chiba 1978), row by row over the longer sequence, so that one row of the shorter one's
 * length is all that is kept. The distance is the root of the last entry: dtaidistance's
 * dtw_ndim.distance, window included. The cost is symmetric, so sequences may change places. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "manifold/manifold.h"
#include "riemann2/trajectory.h"
#include "settings/settings.h"
#include "trajectory/dtw.h"

/* ---- two sequences -------------------------------------------------------------------------- */

/* Two sequences as they are compared: a is not shorter; a padded one repeats its last point. */
typedef struct pairing {
    const rm2_sequence *a, *b;
    size_t rows, columns;
    const rm2_dtw_settings *settings;
    rm2_context *ctx; /* whose interrupt ends the work */
} pairing;

static pairing pair_up(rm2_context *ctx, const rm2_dtw_settings *s, const rm2_sequence *a,
                       const rm2_sequence *b) {
    bool swap = a->count < b->count;
    pairing p = {.a = swap ? b : a, .b = swap ? a : b, .settings = s, .ctx = ctx};
    p.rows = p.a->count;
    p.columns = s->kind == RM2_DTW_PADDED ? p.rows : p.b->count;
    return p;
}

typedef struct pairing_scratch {
    double *costs, *best; /* columns: of one row; sums along the best paths, or minima */
    double *work;         /* of the manifold */
} pairing_scratch;

static void lay_out(pairing_scratch *s, const rm2_manifold *m, size_t columns, rm2i_arena *a) {
    s->costs = rm2i_reserve(a, double, columns);
    s->best = rm2i_reserve(a, double, columns);
    s->work = rm2i_reserve(a, double, m ? m->work_size : 0);
}

static double smaller(double x, double y) { /* costs are numbers: fmin would look for NaN */
    return x < y ? x : y;
}

static double squared_difference(size_t n, const double *x, const double *y) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
}

/* Squared distances of point i of a from points [from, to) of b. */
static rm2_status find_costs(const pairing *p, size_t i, size_t from, size_t to, double *costs,
                             double *work) {
    size_t width = p->a->width, last = p->b->count - 1;
    const double *x = p->a->points + i * width;
    if (rm2i_interrupted(p->ctx))
        return RM2_INTERRUPTED;
    for (size_t j = from; j < to; j++) {
        const double *y = p->b->points + (j < last ? j : last) * width;
        if (!p->settings->manifold) {
            costs[j] = squared_difference(width, x, y);
            continue;
        }
        double d;
        RM2_TRY(rm2i_manifold_distance(p->settings->manifold, x, y, &d, work, NULL));
        costs[j] = d * d;
    }
    return RM2_OK;
}

/* Row i of D in place of row i - 1; outside [from, to) it is infinite. What is left of `from`, which grows
 * by one per row, is not read again. */
static void advance(const double *costs, size_t i, size_t from, size_t to, double *sums) {
    double left = INFINITY;                                            /* D_i,j-1 */
    double corner = from > 0 ? sums[from - 1] : i == 0 ? 0 : INFINITY; /* D_i-1,j-1 */
    for (size_t j = from; j < to; j++) {
        double above = sums[j];
        left = costs[j] + smaller(smaller(above, left), corner);
        corner = above;
        sums[j] = left;
    }
}

/* -window < i - j < rows - columns + window: a band around the diagonals from both ends. */
static void band(const pairing *p, size_t i, size_t *from, size_t *to) {
    size_t window = p->settings->window;
    if (window == 0 || window > p->rows)
        window = p->rows;
    size_t behind = p->rows - p->columns + window - 1;
    *from = i > behind ? i - behind : 0;
    *to = i + window < p->columns ? i + window : p->columns;
}

static rm2_status warped(const pairing *p, double *distance, const pairing_scratch *s) {
    double *sums = s->best;
    for (size_t j = 0; j < p->columns; j++)
        sums[j] = INFINITY;
    for (size_t i = 0; i < p->rows; i++) {
        size_t from, to;
        band(p, i, &from, &to);
        RM2_TRY(find_costs(p, i, from, to, s->costs, s->work));
        advance(s->costs, i, from, to, sums);
    }
    *distance = sqrt(sums[p->columns - 1]);
    return RM2_OK;
}

/* sum_i min_j |a_i - b_j| + sum_j min_i |a_i - b_j| */
static rm2_status nearest(const pairing *p, double *distance, const pairing_scratch *s) {
    double *costs = s->costs, *least = s->best, sum = 0;
    for (size_t j = 0; j < p->columns; j++)
        least[j] = INFINITY;
    for (size_t i = 0; i < p->rows; i++) {
        double own = INFINITY;
        RM2_TRY(find_costs(p, i, 0, p->columns, costs, s->work));
        for (size_t j = 0; j < p->columns; j++) {
            own = smaller(own, costs[j]);
            least[j] = smaller(least[j], costs[j]);
        }
        sum += sqrt(own);
    }
    for (size_t j = 0; j < p->columns; j++)
        sum += sqrt(least[j]);
    *distance = sum;
    return RM2_OK;
}

/* ---- settings ------------------------------------------------------------------------------- */

static const rm2_setting rows[] = {
    {RM2I_MEMBER(rm2_dtw_settings, kind), .name = "kind", .option = "dtw",
     .type = RM2_SETTING_CHOICE, RM2I_WORDS("warped", "padded", "nearest"), .defaults = {"warped"},
     .group = "Time warping",
     .help =
         "root of the least sum of squares; with the shorter one padded; sum of nearest distances"},
    {RM2I_MEMBER(rm2_dtw_settings, window), .name = "window", .type = RM2_SETTING_COUNT,
     RM2I_COUNT_FROM(1), .zero = "unlimited", .defaults = {"unlimited"}, .group = "Time warping",
     .help = "warp by less than this number of points"},
};

RM2I_TABLE(rm2i_dtw_table, "dtw", rm2_dtw_settings, rows)

/* ---- checks --------------------------------------------------------------------------------- */

static rm2_status overlay_settings(rm2_context *ctx, const rm2_dtw_settings *settings,
                                   rm2_dtw_settings *s) {
    *s = rm2_dtw_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, settings, s));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_DTW), s));
    if (s->kind == RM2_DTW_NEAREST && s->window)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "a window of %zu limits warping; the sum of nearest distances has none",
                         s->window);
    return RM2_OK;
}

/* Is sequence `index` comparable with rows of `width` numbers? */
static rm2_status check_sequence(rm2_context *ctx, const rm2_dtw_settings *s, size_t width,
                                 const rm2_sequence *q, size_t index) {
    if (q->count == 0 || q->width == 0)
        return rm2i_fail(ctx, RM2_ERR_DATA, "sequence %zu has no points", index);
    if (s->manifold && q->width != s->manifold->ambient)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "sequence %zu has %zu numbers per point, but points of %s have %zu", index,
                         q->width, s->manifold->spec, s->manifold->ambient);
    if (q->width != width)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "sequence %zu has %zu numbers per point, the others have %zu", index,
                         q->width, width);
    if (!q->points)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "sequence %zu: points is NULL", index);
    for (size_t i = 0; i < q->count * width; i++)
        if (!isfinite(q->points[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "sequence %zu, point %zu: entry %zu is %g", index,
                             i / width, i % width, q->points[i]);
    if (!s->manifold)
        return RM2_OK;
    char name[40];
    (void)snprintf(name, sizeof name, "sequence %zu, ", index);
    return rm2i_manifold_check_all(ctx, s->manifold, name, q->count, q->points);
}

/* ---- many pairs ----------------------------------------------------------------------------- */

/* One sequence against `count` others, or (from NULL) these among themselves. */
typedef struct pairs {
    rm2_context *ctx;
    const rm2_dtw_settings *settings;
    const rm2_sequence *from, *sequences;
    size_t count;
    double *distances;
} pairs;

/* The pair of number k: by rows over i < j. */
static pairing find_pair(const pairs *p, size_t k, size_t *i, size_t *j) {
    *i = 0;
    *j = k;
    if (p->from)
        return pair_up(p->ctx, p->settings, p->from, &p->sequences[k]);
    for (size_t row = p->count - 1; *j >= row; row--) {
        *j -= row;
        ++*i;
    }
    *j += *i + 1;
    return pair_up(p->ctx, p->settings, &p->sequences[*i], &p->sequences[*j]);
}

static rm2_status distance_of_pair(const void *arg, size_t k, double *work) {
    const pairs *p = arg;
    size_t i, j;
    pairing pair = find_pair(p, k, &i, &j);
    pairing_scratch s;
    lay_out(&s, p->settings->manifold, pair.columns, &(rm2i_arena){work, 0});
    rm2_status status = p->settings->kind == RM2_DTW_NEAREST ? nearest(&pair, &p->distances[k], &s)
                                                             : warped(&pair, &p->distances[k], &s);
    if (status == RM2_OK && !isfinite(p->distances[k])) /* squares overflow */
        return RM2_ERR_NUMERIC;
    rm2i_activity_advance(p->ctx, 1);
    return status;
}

static rm2_status check_pairs(rm2_context *ctx, const pairs *p, size_t *longest) {
    const rm2_sequence *first = p->from ? p->from : p->sequences;
    *longest = first->count;
    if (p->from)
        RM2_TRY(check_sequence(ctx, p->settings, first->width, first, 0));
    for (size_t k = 0; k < p->count; k++) {
        const rm2_sequence *q = &p->sequences[k];
        RM2_TRY(check_sequence(ctx, p->settings, first->width, q, k + (p->from != NULL)));
        *longest = q->count > *longest ? q->count : *longest;
    }
    return RM2_OK;
}

/* sqrt(mean (x - mean)^2) */
static rm2_distance_summary spread_of(size_t n, const double *x) {
    rm2_distance_summary s = {.count = n};
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        s.mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (x[i] - s.mean) * (x[i] - s.mean) / (double)n;
    s.deviation = sqrt(squares);
    return s;
}

/* `total` distances, in memory of its own if the caller wants none of them. */
static rm2_status run_pairs(rm2_context *ctx, pairs *p, size_t total,
                            rm2_distance_summary *spread) {
    size_t longest, failed = 0, i, j;
    double *own = NULL;
    RM2_TRY(rm2i_check_size(ctx, spread, sizeof *spread));
    RM2_TRY(check_pairs(ctx, p, &longest));
    if (!p->distances)
        RM2_TRY(rm2i_alloc(ctx, total, sizeof *own, &own));
    if (own)
        p->distances = own;
    rm2i_arena work = {NULL, 0};
    lay_out(&(pairing_scratch){0}, p->settings->manifold, longest, &work);
    rm2i_activity_begin(ctx, "distances", total);
    rm2_status status = rm2i_jobs(ctx, total, work.used, distance_of_pair, p, &failed);
    rm2i_activity_end(ctx);
    if (status == RM2_OK) {
        const rm2_distance_summary found = spread_of(total, p->distances);
        rm2i_results_give(1, &found, sizeof found, spread);
    }
    free(own);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    (void)find_pair(p, failed, &i, &j);
    return rm2i_fail(ctx, status, "distance of sequences %zu and %zu: %s", i, j + (p->from != NULL),
                     rm2_status_text(status));
}

rm2_status rm2i_dtw(rm2_context *ctx, const rm2_dtw_settings *settings, const rm2_sequence *a,
                    const rm2_sequence *b, double *distance) {
    RM2_REQUIRE(ctx, a, b, distance);
    rm2_dtw_settings used;
    pairs p = {ctx, &used, a, b, 1, distance};
    RM2_TRY(overlay_settings(ctx, settings, &used));
    return run_pairs(ctx, &p, 1, NULL);
}

rm2_status rm2_dtw_from(rm2_context *ctx, const rm2_dtw_settings *settings,
                        const rm2_sequence *from, size_t count, const rm2_sequence *others,
                        double *distances, rm2_distance_summary *spread) {
    RM2_REQUIRE(ctx, from);
    if (count > 0)
        RM2_REQUIRE(ctx, others);
    rm2_dtw_settings used;
    pairs p = {ctx, &used, from, others, count, distances};
    RM2_TRY(overlay_settings(ctx, settings, &used));
    if (count == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no sequence to take the distance from");
    return run_pairs(ctx, &p, count, spread);
}

rm2_status rm2_dtw_floor(rm2_context *ctx, const rm2_dtw_settings *settings, size_t count,
                         const rm2_sequence *sequences, double *distances,
                         rm2_distance_summary *spread) {
    if (count > 0)
        RM2_REQUIRE(ctx, sequences);
    rm2_dtw_settings used;
    pairs p = {ctx, &used, NULL, sequences, count, distances};
    RM2_TRY(overlay_settings(ctx, settings, &used));
    if (count < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%zu sequence%s: distances among sequences need at least 2", count,
                         count == 1 ? "" : "s");
    return run_pairs(ctx, &p, count * (count - 1) / 2, spread);
}
