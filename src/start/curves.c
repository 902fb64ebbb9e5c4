/* Curves of demonstrations, without their timing.
 *
 * Spikes: with m_i the median (by coordinate) of five points around point i, and sigma_i the median of
 * the ten steps around it, but at least half the mean step,
 *
 *     |F_i - m_i| > 4 sigma_i:  F_i becomes m_i
 *
 * The first point is compared with the second, the last with the last but one, and the limit is 6 sigma_i: an end has points on one
 * side only, and motions may begin or end fast.
 *
 * Long recordings, of 80 points and more, are then smoothed by a running median whose width grows with
 * them: their noise would add to the length. Short ones are not: where a demonstration is fast it has
 * few points, and a median would cut its corners off.
 *
 *     s_i = sum_l<i |q_l+1 - q_l|,  S_d = s_last,  S = median of S_d
 *     rho^2 = integral of |q - mean q|^2 over the curves / sum of S_d
 *     n = ceil(5 S/rho) within 40 .. 200,  h = S/(n - 1)
 *
 * and curve d has round(S_d/h) + 1 nodes at equal steps: a demonstration that stops early has fewer
 * nodes, not closer ones. Of very many demonstrations the nodes are fewer. Integrals are sums over the
 * points with half of the neighbouring steps as weights: points of a pause weigh nothing. */
#include "start/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/neighbours.h"
#include "math/order.h"

enum {
    SPIKE_HALF = 2,     /* half width of the median that shows spikes */
    SPIKE_STEPS = 5,    /* steps on each side that say how large a step is */
    SPIKE_SHORTEST = 7, /* shorter demonstrations are taken as they are */
    NOISE_POINTS = 80,  /* running median: half width 1 per this number of points */
    REST_STEPS = 4,     /* least steps of a pause, */
    REST_SHARE = 20,    /* or this part of the demonstration */
    LEAST_NODES = 8,
    LONGEST = 4,       /* times the typical number of nodes */
    ALL_NODES = 20000, /* of all curves; more are thinned */
    THINNEST = 20      /* typical number of nodes, at least */
};
static const double SPIKE = 4, SPIKE_END = 6;
static const double REST = 0.05; /* speed of a pause, against the mean */
static const double NODES_PER_SPREAD = 5, NODES_MIN = 40, NODES_MAX = 200;

/* ---- sequences ------------------------------------------------------------------------------ */

void rm2i_running_mean(size_t n, const double *x, size_t half, double *mean) {
    for (size_t i = 0; i < n; i++) {
        size_t w = half < i ? half : i;
        w = w < n - 1 - i ? w : n - 1 - i;
        double sum = 0;
        for (size_t k = i - w; k <= i + w; k++)
            sum += x[k];
        mean[i] = sum / (double)(2 * w + 1);
    }
}

double rm2i_between(size_t n, const double *x, size_t stride, double place) {
    size_t i = place > 0 ? (size_t)place : 0;
    if (i + 1 >= n)
        return x[(n - 1) * stride];
    double part = place - (double)i;
    return (1 - part) * x[i * stride] + part * x[(i + 1) * stride];
}

/* ---- noise ------------------------------------------------------------------------------------ */

/* Independent noise of size sigma gives third differences of size sqrt(1 + 9 + 9 + 1) sigma, smooth motions barely any; their
 * median ignores spikes and corners. work: T + M */
static double find_jitter(size_t T, size_t M, const double *F, double *work) {
    if (T < SPIKE_SHORTEST)
        return 0;
    for (size_t i = 0; i + 3 < T; i++) {
        const double *a = F + i * M;
        double square = 0;
        for (size_t m = 0; m < M; m++) {
            double third = a[3 * M + m] - 3 * a[2 * M + m] + 3 * a[M + m] - a[m];
            square += third * third;
        }
        work[i] = sqrt(square / 20);
    }
    return rm2i_median(T - 3, work);
}

/* ---- one demonstration ----------------------------------------------------------------------- */

/* Median of column m of the points i - half .. i + half; beyond the ends, the end counts. */
static double median_around(size_t T, size_t M, const double *F, size_t m, size_t i, size_t half,
                            double *work) {
    for (size_t k = 0; k <= 2 * half; k++) {
        size_t at = i + k < half ? 0 : i + k - half;
        work[k] = F[(at < T ? at : T - 1) * M + m];
    }
    return rm2i_median(2 * half + 1, work);
}

static double step_around(size_t T, const double *step, double mean, size_t i, double *work) {
    size_t from = i < SPIKE_STEPS ? 0 : i - SPIKE_STEPS;
    size_t to = i + SPIKE_STEPS < T - 1 ? i + SPIKE_STEPS : T - 1;
    memcpy(work, step + from, (to - from) * sizeof *work);
    return fmax(rm2i_median(to - from, work), mean / 2);
}

/* centre: where the points around point i put it; an end is put at its neighbour. Returns the distance of point i. */
static double off_centre(size_t T, size_t M, const double *F, size_t i, double *few,
                         double *centre) {
    if (i == 0 || i == T - 1) {
        size_t next = i == 0 ? 1 : T - 2;
        memcpy(centre, F + next * M, M * sizeof *centre);
        return rm2i_separation(M, F, i, next);
    }
    double square = 0;
    for (size_t m = 0; m < M; m++) {
        centre[m] = median_around(T, M, F, m, i, SPIKE_HALF, few);
        square += (F[i * M + m] - centre[m]) * (F[i * M + m] - centre[m]);
    }
    return sqrt(square);
}

size_t rm2i_spikes_work(size_t T, size_t M) {
    return T + 2 * SPIKE_STEPS + M;
}

size_t rm2i_find_spikes(size_t T, size_t M, const double *F, double *q, double *distance,
                        double *work) {
    double *step = work, *few = step + T, *centre = few + 2 * (size_t)SPIKE_STEPS, mean = 0;
    size_t spikes = 0;
    memcpy(q, F, T * M * sizeof *q);
    memset(distance, 0, T * sizeof *distance);
    if (T < SPIKE_SHORTEST)
        return 0;
    for (size_t i = 0; i + 1 < T; i++) {
        step[i] = rm2i_separation(M, F, i, i + 1);
        mean += step[i] / (double)(T - 1);
    }
    for (size_t i = 0; i < T; i++) {
        double sigma = step_around(T, step, mean, i, few);
        double off = off_centre(T, M, F, i, few, centre);
        if (off > (i == 0 || i == T - 1 ? SPIKE_END : SPIKE) * sigma) {
            memcpy(q + i * M, centre, M * sizeof *q);
            distance[i] = off;
            spikes++;
        }
    }
    return spikes;
}

/* Running median of every column. work: T + 2 (T / NOISE_POINTS) + 1 */
static void remove_noise(size_t T, size_t M, double *q, double *work) {
    size_t half = T / NOISE_POINTS;
    if (half == 0)
        return;
    double *column = work, *few = work + T;
    for (size_t m = 0; m < M; m++) {
        for (size_t i = 0; i < T; i++)
            column[i] = q[i * M + m];
        for (size_t i = 0; i < T; i++)
            q[i * M + m] = median_around(T, 1, column, 0, i, half, few);
    }
}

/* s_i: arc length up to point i; the index where there is no length. Returns S. */
static double arc_lengths(size_t T, size_t M, const double *q, double *s) {
    s[0] = 0;
    for (size_t i = 1; i < T; i++)
        s[i] = s[i - 1] + rm2i_separation(M, q, i - 1, i);
    double length = s[T - 1];
    for (size_t i = 0; !(length > 0) && i < T; i++)
        s[i] = (double)i;
    return length;
}

/* Are the points i .. i + window all within `radius` of point i? */
static bool rests(size_t M, const double *q, size_t i, size_t window, double radius) {
    for (size_t k = i + window; k > i; k--)
        if (rm2i_separation(M, q, i, k) > radius)
            return false;
    return true;
}

/* Points of pauses: those of windows of T/20 points, at least 5, that stay within a twentieth of the way that
 * this number of points goes on average. */
static size_t count_rests(size_t T, size_t M, const double *q, double length) {
    size_t window = T / REST_SHARE > REST_STEPS ? T / REST_SHARE : REST_STEPS, count = 0, seen = 0;
    for (size_t i = 0; i + window < T; i++)
        if (rests(M, q, i, window, REST * (double)window * length / (double)(T - 1))) {
            size_t from = i > seen ? i : seen;
            count += i + window + 1 - from;
            seen = i + window + 1;
            i += window / 4; /* windows overlap enough */
        }
    return count;
}

/* Nodes at equal steps of s; s becomes places. */
static void put_nodes(size_t T, size_t M, const double *q, double *s, size_t nodes, double *node) {
    double whole = s[T - 1] > 0 ? s[T - 1] : 1;
    size_t i = 0;
    for (size_t k = 0; k < nodes; k++) {
        double at = s[T - 1] * (double)k / (double)(nodes - 1);
        while (i + 2 < T && s[i + 1] < at)
            i++;
        size_t next = i + 1 < T ? i + 1 : i;
        double step = s[next] - s[i], part = step > 0 ? (at - s[i]) / step : 0;
        part = part < 1 ? part : 1;
        for (size_t m = 0; m < M; m++)
            node[k * M + m] = (1 - part) * q[i * M + m] + part * q[next * M + m];
    }
    for (i = 0; i < T; i++)
        s[i] *= (double)(nodes - 1) / whole;
}

/* ---- all demonstrations ----------------------------------------------------------------------- */

static size_t longest_demo(const rm2i_start_data *demos) {
    size_t longest = 0;
    for (size_t d = 0; d < demos->trajectories; d++) {
        size_t T = demos->starts[d + 1] - demos->starts[d];
        longest = T > longest ? T : longest;
    }
    return longest;
}

static size_t largest(size_t n, const double *x) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

/* q (N x M), arc lengths of the points, lengths of the curves (D); what was seen on the way. */
static rm2_status measure(rm2_context *ctx, const rm2i_start_data *demos, double *q, rm2i_curves *c,
                          double *length) {
    size_t longest = longest_demo(demos), M = demos->M;
    double *work;
    RM2_TRY(rm2i_alloc(ctx, 2 * longest + rm2i_spikes_work(longest, M) + 1, sizeof *work, &work));
    double *off = work + longest + rm2i_spikes_work(longest, M) + 1;
    for (size_t d = 0; d < demos->trajectories; d++) {
        size_t from = demos->starts[d], T = demos->starts[d + 1] - from;
        c->spikes[d] = rm2i_find_spikes(T, M, demos->F + from * M, q + from * M, off, work);
        c->worst[d] = largest(T, off);
        c->off[d] = off[c->worst[d]];
        c->jitter[d] = find_jitter(T, M, demos->F + from * M, work);
        remove_noise(T, M, q + from * M, work);
        length[d] = arc_lengths(T, M, q + from * M, c->place + from);
        c->rests[d] = count_rests(T, M, q + from * M, length[d]);
    }
    free(work);
    return RM2_OK;
}

/* Half of the steps before and after point i. */
static double weight_of(const double *s, size_t T, size_t i) {
    return ((i + 1 < T ? s[i + 1] : s[i]) - (i ? s[i - 1] : s[i])) / 2;
}

/* Weighted sums over the points of all curves. */
typedef struct average_job {
    const rm2i_start_data *demos;
    const double *q, *s, *length;
    const double *centre; /* M: of squared differences from it; NULL: of the coordinates */
} average_job;

/* state: sums of w x of each coordinate, and of w */
static void add_curves(const void *job, void *state) {
    const average_job *j = job;
    size_t M = j->demos->M;
    double *sum = state, *whole = sum + M;
    for (size_t d = 0; d < j->demos->trajectories; d++) {
        size_t from = j->demos->starts[d], T = j->demos->starts[d + 1] - from;
        for (size_t i = 0; j->length[d] > 0 && i < T; i++) {
            double weight = weight_of(j->s + from, T, i);
            const double *x = j->q + (from + i) * M;
            for (size_t m = 0; m < M; m++) {
                double y = j->centre ? (x[m] - j->centre[m]) * (x[m] - j->centre[m]) : x[m];
                sum[m] += weight * y;
            }
            *whole += weight;
        }
    }
}

/* average (M + 1): sum of w x / sum of w for each coordinate */
static void find_average(const average_job *job, double *average) {
    size_t M = job->demos->M;
    memset(average, 0, (M + 1) * sizeof *average);
    rm2i_rows_fold(job->demos->rows, (M + 1) * sizeof *average, average, add_curves, job);
    for (size_t m = 0; m < M; m++)
        average[m] /= average[M];
}

/* rho. work: 2 (M + 1) */
static double spread_of(average_job job, double *work) {
    double sum = 0, *centre = work, *square = work + job.demos->M + 1;
    find_average(&job, centre);
    job.centre = centre;
    find_average(&job, square);
    for (size_t m = 0; m < job.demos->M; m++)
        sum += square[m];
    return sqrt(sum);
}

/* Typical number of nodes of a curve. */
static double typical_nodes(size_t D, double length, double spread) {
    double n = fmin(fmax(ceil(NODES_PER_SPREAD * length / spread), NODES_MIN), NODES_MAX);
    return fmin(n, fmax(ALL_NODES / (double)D, THINNEST));
}

/* Median length of all demonstrations. */
static rm2_status find_typical(rm2_context *ctx, const rm2i_start_data *demos, const double *length,
                               double *typical) {
    const rm2i_rows rows = rm2i_start_rows(demos), each = rm2i_rows_of_trajectories(&rows);
    bool root = rm2i_rows_root(&rows);
    double *all;
    RM2_TRY(rm2i_rows_alloc(ctx, &rows, root ? each.all : 0, sizeof *all, &all));
    rm2i_rows_gather(&each, 1, length, all);
    *typical = root ? rm2i_median(each.all, all) : 0;
    free(all);
    rm2i_rows_broadcast(&rows, typical, sizeof *typical);
    return RM2_OK;
}

/* Nodes of each curve, where the typical length of all D is known. */
static void count_nodes(size_t D, double typical, const double *length, rm2i_curves *c) {
    double n = typical_nodes(D, typical, c->spread);
    c->spacing = typical / (n - 1);
    for (size_t d = 0; d < c->D; d++) {
        double nodes = fmin(round(length[d] / c->spacing) + 1, LONGEST * n);
        c->first[d + 1] = c->first[d] + (size_t)fmax(nodes, LEAST_NODES);
    }
}

/* q: N x M, then the lengths of the curves and scratch of spread_of */
static rm2_status resample(rm2_context *ctx, const rm2i_start_data *demos, double *q,
                           rm2i_curves *c) {
    const rm2i_rows rows = rm2i_start_rows(demos);
    double *length = q + demos->N * demos->M, typical;
    RM2_TRY(rm2i_rows_agree(ctx, &rows, measure(ctx, demos, q, c, length)));
    c->spread = spread_of((average_job){demos, q, c->place, length, NULL}, length + c->D);
    RM2_TRY(find_typical(ctx, demos, length, &typical));
    if (!(typical > 0)) /* more than half of the curves have no length */
        return RM2_OK;
    count_nodes(rows.all_trajectories, typical, length, c);
    RM2_TRY(rm2i_rows_agree(ctx, &rows,
                            rm2i_alloc(ctx, c->first[c->D], c->M * sizeof *c->node, &c->node)));
    for (size_t d = 0; d < demos->trajectories; d++) {
        size_t from = demos->starts[d];
        put_nodes(demos->starts[d + 1] - from, c->M, q + from * c->M, c->place + from,
                  rm2i_curve_nodes(c, d), c->node + c->first[d] * c->M);
    }
    return RM2_OK;
}

void rm2i_curves_free(rm2i_curves *c) {
    free(c->first);
    free(c->node);
    free(c->place);
    free(c->spikes);
    free(c->off);
    *c = (rm2i_curves){0};
}

static rm2_status allocate(rm2_context *ctx, size_t points, rm2i_curves *c) {
    RM2_TRY(rm2i_calloc(ctx, c->D + 1, sizeof *c->first, &c->first));
    RM2_TRY(rm2i_alloc(ctx, 3 * c->D, sizeof *c->spikes, &c->spikes));
    RM2_TRY(rm2i_alloc(ctx, 2 * c->D, sizeof *c->off, &c->off));
    c->jitter = c->off + c->D;
    c->rests = c->spikes + c->D;
    c->worst = c->rests + c->D;
    return points ? rm2i_alloc(ctx, points, sizeof *c->place, &c->place) : RM2_OK;
}

rm2_status rm2i_curves_build(rm2_context *ctx, const rm2i_start_data *demos, rm2i_curves *c) {
    *c = (rm2i_curves){.D = demos->trajectories, .M = demos->M};
    double *q = NULL;
    size_t numbers = demos->N * demos->M + c->D + 2 * (demos->M + 1);
    rm2_status status = allocate(ctx, demos->N, c);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, numbers, sizeof *q, &q);
    status = rm2i_rows_agree(ctx, demos->rows, status);
    if (status == RM2_OK)
        status = resample(ctx, demos, q, c);
    free(q);
    if (status != RM2_OK)
        rm2i_curves_free(c);
    return status;
}

/* ---- all curves -------------------------------------------------------------------------------- */

enum { NODES, SPIKES, WORST, OFF, JITTER, RESTS, COUNTS }; /* of a demonstration */

/* On the root: how many nodes, spikes and rests every demonstration has. */
static rm2_status gather_counts(rm2_context *ctx, const rm2i_rows *demos, const rm2i_curves *own,
                                const rm2i_curves *all) {
    const double *found;
    double *memory, *counts;
    RM2_TRY(rm2i_rows_alloc(ctx, demos, own->D, COUNTS * sizeof *counts, &counts));
    for (size_t d = 0; d < own->D; d++) {
        counts[d * COUNTS + NODES] = (double)rm2i_curve_nodes(own, d);
        counts[d * COUNTS + SPIKES] = (double)own->spikes[d];
        counts[d * COUNTS + WORST] = (double)own->worst[d];
        counts[d * COUNTS + OFF] = own->off[d];
        counts[d * COUNTS + JITTER] = own->jitter[d];
        counts[d * COUNTS + RESTS] = (double)own->rests[d];
    }
    rm2_status status = rm2i_rows_collect(ctx, demos, COUNTS, counts, &found, &memory);
    for (size_t d = 0; status == RM2_OK && d < all->D; d++, found += COUNTS) {
        all->first[d + 1] = all->first[d] + (size_t)found[NODES];
        all->spikes[d] = (size_t)found[SPIKES];
        all->worst[d] = (size_t)found[WORST];
        all->off[d] = found[OFF];
        all->jitter[d] = found[JITTER];
        all->rests[d] = (size_t)found[RESTS];
    }
    free(memory);
    free(counts);
    return status;
}

static rm2_status gather(rm2_context *ctx, const rm2i_rows *rows, const rm2i_curves *own,
                         const rm2i_rows *nodes, rm2i_curves *all) {
    const rm2i_rows demos = rm2i_rows_of_trajectories(rows);
    RM2_TRY(gather_counts(ctx, &demos, own, all));
    RM2_TRY(rm2i_rows_room(ctx, nodes, all->M, NULL, &all->node));
    rm2i_rows_gather(nodes, all->M, own->node, all->node);
    return RM2_OK;
}

rm2_status rm2i_curves_gather(rm2_context *ctx, const rm2i_start_data *demos,
                              const rm2i_curves *own, bool places, rm2i_rows *nodes,
                              rm2i_curves *all) {
    const rm2i_rows rows = rm2i_start_rows(demos);
    bool root = rm2i_rows_root(&rows);
    RM2_TRY(rm2i_rows_join(ctx, &(rm2i_rows){.n = own->first[own->D], .comm = rows.comm}, nodes));
    *all = *own;
    if (!rm2i_rows_shared(&rows))
        return RM2_OK;
    *all = (rm2i_curves){.D = root ? rows.all_trajectories : 0,
                         .M = own->M,
                         .spread = own->spread,
                         .spacing = own->spacing};
    rm2_status status = root ? allocate(ctx, places ? rows.all : 0, all) : RM2_OK;
    status = rm2i_rows_agree(ctx, &rows, status);
    if (status == RM2_OK)
        status = gather(ctx, &rows, own, nodes, all);
    if (status == RM2_OK && places)
        rm2i_rows_gather(&rows, 1, own->place, all->place);
    if (status != RM2_OK)
        rm2i_curves_free(all);
    return status;
}
