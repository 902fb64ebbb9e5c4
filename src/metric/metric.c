/* Evaluation of any metric at many points, and what follows from G alone: magnification, lengths. */
#include "metric/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "base/base.h"
#include "linalg/dense.h"

/* ---- the object ----------------------------------------------------------------------------- */

rm2_status rm2i_metric_create(rm2_context *ctx, const rm2i_metric_type *type, size_t Q, void *self,
                              const char *text, rm2_metric **metric) {
    *metric = NULL;
    rm2_metric *m;
    rm2_status status = rm2i_calloc(ctx, 1, sizeof *m, &m);
    if (status != RM2_OK) {
        type->free(self);
        return status;
    }
    *m = (rm2_metric){.type = type, .Q = Q, .self = self};
    status = rm2i_strdup(ctx, text, &m->text);
    if (status != RM2_OK) {
        rm2_metric_free(m);
        return status;
    }
    *metric = m;
    return RM2_OK;
}

void rm2_metric_free(rm2_metric *metric) {
    if (!metric)
        return;
    metric->type->free(metric->self);
    free(metric->text);
    free(metric);
}

size_t rm2_metric_dim(const rm2_metric *metric) {
    return metric->Q;
}

const char *rm2_metric_text(const rm2_metric *metric) {
    return metric->text;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* Points of one block: few enough that every thread has one. */
static size_t block_of(const rm2_metric *m, size_t n, int threads) {
    size_t share = (n + (size_t)threads - 1) / (size_t)threads;
    return share < m->type->block ? (share ? share : 1) : m->type->block;
}

static size_t slice_of(const rm2_metric *m, size_t block, bool derivative) {
    return (m->type->work(m->self, block, derivative) + 15) / 8 * 8; /* own cache lines */
}

size_t rm2i_metric_work(const rm2_metric *m, size_t n, int threads, bool derivative) {
    return (size_t)threads * slice_of(m, block_of(m, n, threads), derivative);
}

static bool all_finite(size_t n, const double *x) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

rm2_status rm2i_metric_at(const rm2_metric *m, size_t n, const double *x, double *G, double *dG,
                          int threads, double *work) {
    size_t Q = m->Q, block = block_of(m, n, threads), slice = slice_of(m, block, dG != NULL);
    size_t blocks = (n + block - 1) / block;
    rm2_status status = RM2_OK;
    if (!all_finite(n * Q, x))
        return RM2_ERR_NUMERIC;
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1 && blocks > 1)
    for (size_t b = 0; b < blocks; b++) {
        size_t i = b * block, count = n - i < block ? n - i : block;
        rm2_status own =
            m->type->at(m->self, count, x + i * Q, G + i * Q * Q, dG ? dG + i * Q * Q * Q : NULL,
                        work + slice * (size_t)omp_get_thread_num());
        if (own != RM2_OK) {
#pragma omp critical
            status = own;
        }
    }
    if (status == RM2_OK && !(all_finite(n * Q * Q, G) && (!dG || all_finite(n * Q * Q * Q, dG))))
        status = RM2_ERR_NUMERIC;
    return status;
}

/* Which point does not work? The first that fails alone. */
static rm2_status name_failure(rm2_context *ctx, const rm2_metric *m, size_t n, const double *x,
                               double *G, double *dG, double *work, rm2_status status) {
    size_t Q = m->Q;
    for (size_t i = 0; i < n; i++)
        if (rm2i_metric_at(m, 1, x + i * Q, G, dG, 1, work) != RM2_OK)
            return rm2i_fail(ctx, status, "the metric cannot be computed at point %zu (%.6g%s)", i,
                             x[i * Q], Q > 1 ? ", ..." : "");
    return rm2i_fail(ctx, status, "the metric cannot be computed");
}

enum { CHUNK = 16384 }; /* points between two looks at the interrupt flag */

rm2_status rm2_metric_at(rm2_context *ctx, const rm2_metric *m, size_t n, const double *x,
                         double *G, double *dG) {
    size_t Q = m->Q, chunk = n < CHUNK ? n : CHUNK;
    int threads = rm2_context_threads(ctx);
    double *work;
    RM2_TRY(rm2i_alloc(ctx, rm2i_metric_work(m, chunk, threads, dG != NULL), sizeof *work, &work));
    rm2_status status = RM2_OK;
    for (size_t i = 0; i < n && status == RM2_OK; i += chunk) {
        size_t count = n - i < chunk ? n - i : chunk;
        const double *at = x + i * Q;
        double *g = G + i * Q * Q, *dg = dG ? dG + i * Q * Q * Q : NULL;
        if (rm2i_interrupted(ctx))
            status = rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted");
        else
            status = rm2i_metric_at(m, count, at, g, dg, threads, work);
        if (status != RM2_OK && status != RM2_INTERRUPTED)
            status = name_failure(ctx, m, count, at, g, dg, work, status);
    }
    free(work);
    return status;
}

/* ---- magnification -------------------------------------------------------------------------- */

/* log sqrt det by elimination with the diagonal as pivots: G is symmetric and not indefinite but
 * for rounding. G is destroyed. */
static double log_root_det(size_t Q, double *G) {
    double sum = 0, size = rm2i_max_abs(Q * Q, G);
    for (size_t k = 0; k < Q; k++) {
        double pivot = G[k * Q + k];
        if (!(pivot > size * 1e-15)) /* what elimination leaves of a singular matrix */
            return -INFINITY;
        sum += 0.5 * log(pivot);
        for (size_t i = k + 1; i < Q; i++)
            for (size_t j = k + 1; j < Q; j++)
                G[i * Q + j] -= G[i * Q + k] * G[k * Q + j] / pivot;
    }
    return sum;
}

rm2_status rm2_metric_magnification(rm2_context *ctx, const rm2_metric *m, size_t n,
                                    const double *x, double *log_magnification) {
    size_t Q = m->Q;
    double *G;
    RM2_TRY(rm2i_alloc(ctx, n, Q * Q * sizeof *G, &G));
    rm2_status status = rm2_metric_at(ctx, m, n, x, G, NULL);
    for (size_t i = 0; i < n && status == RM2_OK; i++)
        log_magnification[i] = log_root_det(Q, G + i * Q * Q);
    free(G);
    return status;
}

/* ---- lengths -------------------------------------------------------------------------------- */

/* Gauss-Legendre with 3 points on [0, 1]: exact to degree 5 */
static const double NODE[3] = {0.11270166537925831148, 0.5, 0.88729833462074168852};
static const double WEIGHT[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};

rm2_status rm2_metric_measure(rm2_context *ctx, const rm2_metric *m, size_t n, const double *path,
                              double *length, double *energy) {
    size_t Q = m->Q, sides = n > 1 ? n - 1 : 0;
    double *x, *G, total = 0, squares = 0;
    RM2_TRY(rm2i_alloc(ctx, 3 * sides, (Q + Q * Q) * sizeof *x, &x));
    G = x + 3 * sides * Q;
    for (size_t i = 0; i < sides; i++)
        for (size_t g = 0; g < 3; g++)
            for (size_t q = 0; q < Q; q++)
                x[(3 * i + g) * Q + q] =
                    (1 - NODE[g]) * path[i * Q + q] + NODE[g] * path[(i + 1) * Q + q];
    rm2_status status = rm2_metric_at(ctx, m, 3 * sides, x, G, NULL);
    for (size_t i = 0; i < sides && status == RM2_OK; i++) {
        double *step = x; /* no longer needed */
        for (size_t q = 0; q < Q; q++)
            step[q] = path[(i + 1) * Q + q] - path[i * Q + q];
        for (size_t g = 0; g < 3; g++) {
            double square = rm2i_metric_inner(Q, G + (3 * i + g) * Q * Q, step, step);
            total += WEIGHT[g] * sqrt(fmax(square, 0));
            squares += WEIGHT[g] * square;
        }
    }
    free(x);
    if (length)
        *length = total;
    if (energy)
        *energy = (double)sides * squares;
    return status;
}
