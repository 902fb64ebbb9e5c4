/* k medoids: k of n points such that the sum of all points' distances to the nearest of them is
 * small. Partitioning around medoids (Kaufman and Rousseeuw, Finding Groups in Data, 1990): the
 * start takes one point after the other, each the one that lowers the sum most; then a medoid
 * changes places with another point as long as that lowers the sum, always by the best exchange.
 *
 * All k exchanges of a point x in one pass over the points (FastPAM1: Schubert and Rousseeuw,
 * SISAP 2019). With d1 <= d2 the distances of point o to its nearest and second nearest medoid,
 * m(o) the nearest, and d = d(o, x), the sum changes in an exchange of medoid m for x by
 *
 *     sum_o min(d - d1, 0)  +  sum_{o: m(o) = m} max(min(d, d2) - d1, 0),
 *
 * the first what x brings, the second what the loss of m costs. Terms are small where the change
 * is: no large numbers cancel. Candidates are compared in the order of points, so that of equally
 * good ones the first is taken, on any number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "riemann2/geodesic.h"

typedef struct partition {
    size_t n, k;
    const double *distance;
    size_t *medoid;         /* k; fewer during the start */
    size_t *nearest;        /* n: which of them */
    double *first, *second; /* n: d1 and d2 */
    /* of each point: the best that it can bring */
    double *change;
    size_t *instead; /* of which medoid */
} partition;

/* Nearest and second nearest medoid of each point; returns the sum. A medoid is its own nearest,
 * also where another is as near. */
static double assign(partition *p) {
    double sum = 0;
    for (size_t o = 0; o < p->n; o++) {
        p->first[o] = p->second[o] = INFINITY;
        for (size_t m = 0; m < p->k; m++) {
            double d = p->distance[p->medoid[m] * p->n + o];
            if (d < p->first[o] || p->medoid[m] == o) {
                p->second[o] = p->first[o];
                p->first[o] = d;
                p->nearest[o] = m;
            } else if (d < p->second[o]) {
                p->second[o] = d;
            }
        }
        sum += p->first[o];
    }
    return sum;
}

static bool is_medoid(const partition *p, size_t x) {
    return p->k > 0 && p->nearest[x] < p->k && p->medoid[p->nearest[x]] == x;
}

/* The point of largest decrease, the first of several; SIZE_MAX if there is none. */
static size_t best_of(const partition *p) {
    size_t best = SIZE_MAX;
    for (size_t x = 0; x < p->n; x++)
        if (!is_medoid(p, x) && (best == SIZE_MAX || p->change[x] < p->change[best]))
            best = x;
    return best;
}

/* ---- start ---------------------------------------------------------------------------------- */

static rm2_status weigh_addition(const void *job, size_t x, double *work) {
    const partition *p = job;
    const double *d = p->distance + x * p->n;
    double sum = 0;
    (void)work;
    for (size_t o = 0; o < p->n; o++) /* of the first medoid, the sum itself */
        sum += p->k == 0 ? d[o] : fmin(d[o] - p->first[o], 0);
    p->change[x] = sum;
    return RM2_OK;
}

static rm2_status start(rm2_context *ctx, partition *p, size_t k) {
    while (p->k < k) {
        RM2_TRY(rm2i_batch(ctx, p->n, 0, weigh_addition, p, NULL));
        p->medoid[p->k] = best_of(p);
        p->k++;
        (void)assign(p);
    }
    return RM2_OK;
}

/* ---- exchanges ------------------------------------------------------------------------------ */

static rm2_status weigh_exchange(const void *job, size_t x, double *loss) {
    const partition *p = job;
    const double *d = p->distance + x * p->n;
    double gain = 0;
    size_t best = 0;
    if (is_medoid(p, x))
        return RM2_OK;
    memset(loss, 0, p->k * sizeof *loss);
    for (size_t o = 0; o < p->n; o++) {
        if (d[o] < p->first[o])
            gain += d[o] - p->first[o];
        else
            loss[p->nearest[o]] += fmin(d[o], p->second[o]) - p->first[o];
    }
    for (size_t m = 1; m < p->k; m++)
        if (loss[m] < loss[best] || (loss[m] == loss[best] && p->medoid[m] < p->medoid[best]))
            best = m;
    p->change[x] = gain + loss[best];
    p->instead[x] = best;
    return RM2_OK;
}

/* Exchange until the sum no longer falls; returns it in *cost. It falls every time, in the numbers
 * as they are, so that no partition comes twice. */
static rm2_status exchange(rm2_context *ctx, partition *p, double *cost) {
    *cost = assign(p);
    for (;;) {
        RM2_TRY(rm2i_batch(ctx, p->n, p->k, weigh_exchange, p, NULL));
        size_t x = best_of(p);
        if (x == SIZE_MAX || !(p->change[x] < 0))
            return RM2_OK;
        size_t m = p->instead[x], before = p->medoid[m];
        p->medoid[m] = x;
        double sum = assign(p);
        if (!(sum < *cost)) {
            p->medoid[m] = before;
            (void)assign(p);
            return RM2_OK;
        }
        *cost = sum;
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int by_index(const void *a, const void *b) {
    size_t p = *(const size_t *)a, q = *(const size_t *)b;
    return (p > q) - (p < q);
}

static rm2_status check(rm2_context *ctx, size_t n, const double *distance, size_t k) {
    if (n == 0 || k == 0 || k > n)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%zu medoids of %zu points: give 1 to %zu", k, n,
                         n);
    for (size_t i = 0; i < n * n; i++)
        if (!(distance[i] >= 0 && isfinite(distance[i])) || (i % (n + 1) == 0 && distance[i] > 0))
            return rm2i_fail(ctx, RM2_ERR_DATA, "the distance of points %zu and %zu is %g", i / n,
                             i % n, distance[i]);
    return RM2_OK;
}

rm2_status rm2_distance_medoids(rm2_context *ctx, size_t n, const double *distance, size_t k,
                                size_t *medoids, size_t *cluster, double *cost) {
    RM2_REQUIRE(ctx, distance, medoids, cost);
    RM2_TRY(check(ctx, n, distance, k));
    size_t *indices;
    double *numbers;
    RM2_TRY(rm2i_calloc(ctx, n, 2 * sizeof *indices, &indices));
    rm2_status status = rm2i_alloc(ctx, n, 3 * sizeof *numbers, &numbers);
    if (status == RM2_OK) {
        partition p = {.n = n,
                       .distance = distance,
                       .medoid = medoids,
                       .nearest = indices,
                       .instead = indices + n,
                       .first = numbers,
                       .second = numbers + n,
                       .change = numbers + 2 * n};
        status = start(ctx, &p, k);
        if (status == RM2_OK)
            status = exchange(ctx, &p, cost);
        if (status == RM2_OK) { /* in the order of the points, and clusters with them */
            qsort(medoids, k, sizeof *medoids, by_index);
            *cost = assign(&p);
            if (cluster)
                memcpy(cluster, p.nearest, n * sizeof *cluster);
        }
    }
    free(indices);
    free(numbers);
    return status;
}
