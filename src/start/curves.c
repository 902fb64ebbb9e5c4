/* Curves of demonstrations, without their timing.
 *
 * Spikes: with m_i the median (by coordinate) of five points around point i, and sigma_i the median of
 * the ten steps around it, but at least half the mean step,
 *
 *     |F_i - m_i| > 4 sigma_i:  F_i becomes m_i
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

#include "linalg/neighbours.h"

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
static const double SPIKE = 4;
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

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double rm2i_median(size_t n, double *x) {
    qsort(x, n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
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

/* q: F without spikes; returns how many there were. work: T + 2 SPIKE_STEPS + M */
static size_t remove_spikes(size_t T, size_t M, const double *F, double *q, double *work) {
    double *step = work, *few = step + T, *centre = few + 2 * (size_t)SPIKE_STEPS, mean = 0;
    size_t spikes = 0;
    memcpy(q, F, T * M * sizeof *q);
    if (T < SPIKE_SHORTEST)
        return 0;
    for (size_t i = 0; i + 1 < T; i++) {
        step[i] = rm2i_separation(M, F, i, i + 1);
        mean += step[i] / (double)(T - 1);
    }
    for (size_t i = 0; i < T; i++) {
        double square = 0, sigma = step_around(T, step, mean, i, few);
        for (size_t m = 0; m < M; m++) {
            centre[m] = median_around(T, M, F, m, i, SPIKE_HALF, few);
            square += (F[i * M + m] - centre[m]) * (F[i * M + m] - centre[m]);
        }
        if (sqrt(square) > SPIKE * sigma) {
            memcpy(q + i * M, centre, M * sizeof *q);
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

/* q (N x M), arc lengths of the points, lengths of the curves (D); what was seen on the way. */
static rm2_status measure(rm2_context *ctx, const rm2i_start_data *demos, double *q, rm2i_curves *c,
                          double *length) {
    size_t longest = longest_demo(demos), M = demos->M;
    double *work;
    RM2_TRY(rm2i_alloc(ctx, 2 * longest + 2 * SPIKE_STEPS + M + 1, sizeof *work, &work));
    for (size_t d = 0; d < demos->trajectories; d++) {
        size_t from = demos->starts[d], T = demos->starts[d + 1] - from;
        c->spikes[d] = remove_spikes(T, M, demos->F + from * M, q + from * M, work);
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

/* Weighted mean of column m: sum over the points of w x / sum of w; of the squared differences from
 * `centre` if that is not NULL. */
static double average(const rm2i_start_data *demos, const double *q, const double *s, size_t m,
                      const double *length, const double *centre) {
    double sum = 0, whole = 0;
    for (size_t d = 0; d < demos->trajectories; d++) {
        size_t from = demos->starts[d], T = demos->starts[d + 1] - from;
        for (size_t i = 0; length[d] > 0 && i < T; i++) {
            double weight = weight_of(s + from, T, i), x = q[(from + i) * demos->M + m];
            sum += weight * (centre ? (x - *centre) * (x - *centre) : x);
            whole += weight;
        }
    }
    return sum / whole;
}

/* rho */
static double spread_of(const rm2i_start_data *demos, const double *q, const double *s,
                        const double *length) {
    double sum = 0;
    for (size_t m = 0; m < demos->M; m++) {
        double centre = average(demos, q, s, m, length, NULL);
        sum += average(demos, q, s, m, length, &centre);
    }
    return sqrt(sum);
}

/* Typical number of nodes of a curve. */
static double typical_nodes(size_t D, double length, double spread) {
    double n = fmin(fmax(ceil(NODES_PER_SPREAD * length / spread), NODES_MIN), NODES_MAX);
    return fmin(n, fmax(ALL_NODES / (double)D, THINNEST));
}

/* Nodes of each curve; false if more than half of the curves have no length. */
static bool count_nodes(size_t D, const double *length, rm2i_curves *c, double *work) {
    memcpy(work, length, D * sizeof *work);
    double typical = rm2i_median(D, work);
    if (!(typical > 0))
        return false;
    double n = typical_nodes(D, typical, c->spread);
    c->spacing = typical / (n - 1);
    for (size_t d = 0; d < D; d++) {
        double nodes = fmin(round(length[d] / c->spacing) + 1, LONGEST * n);
        c->first[d + 1] = c->first[d] + (size_t)fmax(nodes, LEAST_NODES);
    }
    return true;
}

static rm2_status resample(rm2_context *ctx, const rm2i_start_data *demos, double *q,
                           rm2i_curves *c) {
    double *length = q + demos->N * demos->M;
    RM2_TRY(measure(ctx, demos, q, c, length));
    c->spread = spread_of(demos, q, c->place, length);
    if (!count_nodes(demos->trajectories, length, c, length + demos->trajectories))
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, c->first[c->D], c->M * sizeof *c->node, &c->node));
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
    *c = (rm2i_curves){0};
}

rm2_status rm2i_curves_build(rm2_context *ctx, const rm2i_start_data *demos, rm2i_curves *c) {
    *c = (rm2i_curves){.D = demos->trajectories, .M = demos->M};
    double *q = NULL;
    rm2_status status = rm2i_calloc(ctx, c->D + 1, sizeof *c->first, &c->first);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, 2 * c->D, sizeof *c->spikes, &c->spikes);
    c->rests = c->spikes ? c->spikes + c->D : NULL;
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, demos->N, sizeof *c->place, &c->place);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, demos->N * demos->M + 2 * demos->trajectories, sizeof *q, &q);
    if (status == RM2_OK)
        status = resample(ctx, demos, q, c);
    free(q);
    if (status != RM2_OK)
        rm2i_curves_free(c);
    return status;
}
