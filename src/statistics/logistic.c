/* Multinomial logistic regression with a ridge.
 *
 *   f(W, b) = - sum_i log p_i,l_i + (ridge/2) |W|^2,   p_ik = exp(w_k.x_i + b_k)/sum_j exp(w_j.x_i + b_j)
 *   df/dw_k = sum_i (p_ik - [l_i = k]) x_i + ridge w_k,   df/db_k = sum_i (p_ik - [l_i = k])
 *
 * The minimiser lies in the span of the points. With more columns than points the x_i are replaced by their coordinates z_i in
 * an orthonormal basis of that span: X X^T = U S U^T, Z = U S^(1/2), and W = w^T S^(-1/2) U^T X. Distances and the penalty
 * stay as they are. L-BFGS on f/n. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "optim/optim.h"
#include "riemann2/statistics.h"
#include "statistics/statistics.h"

static const rm2_optim_settings OPTIM = {
    .method = RM2_LBFGS, .max_iterations = 2000, .gradient = 1e-9, .history = 20};
static const double SPAN = 1e-13; /* of the largest eigenvalue of X X^T: less is rounding */

typedef struct problem {
    size_t n, width, labels;
    const double *x;     /* n x width */
    const size_t *label; /* n */
    double ridge;
    double *p; /* n x labels */
} problem;

/* exp(s - largest) over their sum, in place; returns log sum exp. */
static double softmax(size_t labels, double *s) {
    double largest = -INFINITY, sum = 0;
    for (size_t k = 0; k < labels; k++)
        largest = fmax(largest, s[k]);
    for (size_t k = 0; k < labels; k++)
        sum += s[k] = exp(s[k] - largest);
    for (size_t k = 0; k < labels; k++)
        s[k] /= sum;
    return largest + log(fmax(sum, 1)); /* the largest adds 1 */
}

/* S = X W^T + 1 b^T */
static void scores(size_t n, size_t width, const double *x, size_t labels, const double *weights,
                   double *s) {
    int K = (int)labels, d = (int)width;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < labels; k++)
            s[i * labels + k] = weights[k * (width + 1) + width];
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, K, d, 1, x, d, weights, d + 1, 1, s,
               K);
}

static rm2_status evaluate(void *user, const double *weights, double *f, double *gradient) {
    problem *q = user;
    size_t K = q->labels, d = q->width;
    double sum = 0, scale = 1 / (double)q->n;
    scores(q->n, d, q->x, K, weights, q->p);
    for (size_t i = 0; i < q->n; i++) {
        double *p = q->p + i * K, own = p[q->label[i]];
        sum += softmax(K, p) - own;
        p[q->label[i]] -= 1;
    }
    /* P^T X, then the ridge; intercepts are column sums of P */
    rm2i_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)K, (int)d, (int)q->n, scale, q->p,
               (int)K, q->x, (int)d, 0, gradient, (int)d + 1);
    for (size_t k = 0; k < K; k++) {
        const double *w = weights + k * (d + 1);
        double *g = gradient + k * (d + 1);
        g[d] = 0;
        for (size_t i = 0; i < q->n; i++)
            g[d] += scale * q->p[i * K + k];
        rm2i_axpy(d, scale * q->ridge, w, g);
        sum += 0.5 * q->ridge * rm2i_dot(d, w, w);
    }
    *f = scale * sum;
    return RM2_OK;
}

/* From weights 0. */
static rm2_status minimise(rm2_context *ctx, problem *q, double *weights,
                           rm2i_logistic_info *info) {
    size_t count = q->labels * (q->width + 1);
    rm2i_optim *optim;
    rm2_stop stop = RM2_STOP_RUNNING;
    memset(weights, 0, count * sizeof *weights);
    RM2_TRY(rm2i_optim_create(ctx, &OPTIM, count, weights, &optim));
    rm2_status status = RM2_OK;
    while (status == RM2_OK && stop == RM2_STOP_RUNNING)
        status = rm2i_optim_step(ctx, optim, evaluate, q, &stop);
    if (status == RM2_OK) {
        memcpy(weights, rm2i_optim_best_x(optim), count * sizeof *weights);
        info->objective = rm2i_optim_best_f(optim) * (double)q->n;
        info->iterations = rm2i_optim_iteration(optim);
        /* a line search that finds nothing lower has reached what rounding allows */
        info->converged = stop == RM2_STOP_GRADIENT ||
                          (stop == RM2_STOP_LINE_SEARCH && rm2i_optim_gradient(optim) < 1e-6);
    }
    rm2i_optim_free(optim);
    return status;
}

/* ---- more columns than points ------------------------------------------------------------------ */

typedef struct span {
    size_t n, width, labels, dim;
    double *U, *S,
        *Z;    /* n x n: eigenvectors of X X^T by rows; n: eigenvalues, ascending; n x dim */
    double *w; /* labels x (dim + 1) */
    double *T; /* labels x n: w S^(-1/2) U^T */
    double *work;
    double *memory;
} span;

static void lay_out_span(void *arg, rm2i_arena *a) {
    span *s = arg;
    s->U = rm2i_reserve(a, double, s->n, s->n);
    s->S = rm2i_reserve(a, double, s->n);
    s->Z = rm2i_reserve(a, double, s->n, s->n);
    s->w = rm2i_reserve(a, double, s->labels, s->n + 1);
    s->T = rm2i_reserve(a, double, s->labels, s->n);
    s->work = rm2i_reserve(a, double, rm2i_symmetric_eigen_work(s->n));
}

/* Eigenvectors are the rows of U. Features that are all 0 span nothing: one coordinate, which is 0, stays. */
static rm2_status find_span(rm2_context *ctx, const double *x, span *s) {
    size_t n = s->n;
    rm2i_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)s->width, 1, x, (int)s->width,
               0, s->U, (int)n);
    if (rm2i_symmetric_eigen(n, s->U, s->S, s->work) != RM2_OK)
        return rm2i_fail(ctx, RM2_ERR_NUMERIC, "logistic regression: features are not finite");
    s->dim = s->S[n - 1] > 0 ? 0 : 1;
    for (size_t j = 0; j < n; j++)
        s->dim += s->S[j] > SPAN * s->S[n - 1];
    for (size_t i = 0; i < n; i++)
        for (size_t r = 0; r < s->dim; r++) {
            size_t j = n - s->dim + r;
            s->Z[i * s->dim + r] = s->U[j * n + i] * sqrt(fmax(s->S[j], 0));
        }
    return RM2_OK;
}

/* W = (w S^(-1/2) U^T) X */
static void leave_span(const span *s, const double *x, double *weights) {
    size_t n = s->n, d = s->width;
    memset(s->T, 0, s->labels * n * sizeof *s->T);
    for (size_t k = 0; k < s->labels; k++) {
        const double *w = s->w + k * (s->dim + 1);
        for (size_t r = 0; r < s->dim; r++) {
            size_t j = n - s->dim + r;
            if (s->S[j] > 0)
                rm2i_axpy(n, w[r] / sqrt(s->S[j]), s->U + j * n, s->T + k * n);
        }
        weights[k * (d + 1) + d] = w[s->dim];
    }
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)s->labels, (int)d, (int)n, 1, s->T,
               (int)n, x, (int)d, 0, weights, (int)d + 1);
}

static rm2_status fit_in_span(rm2_context *ctx, problem *q, double *weights,
                              rm2i_logistic_info *info) {
    span s = {.n = q->n, .width = q->width, .labels = q->labels};
    const double *x = q->x;
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_span, &s, &s.memory));
    rm2_status status = find_span(ctx, x, &s);
    if (status == RM2_OK) {
        q->x = s.Z;
        q->width = s.dim;
        status = minimise(ctx, q, s.w, info);
    }
    if (status == RM2_OK)
        leave_span(&s, x, weights);
    free(s.memory);
    return status;
}

/* ---- public ------------------------------------------------------------------------------------ */

static rm2_status check(rm2_context *ctx, const rm2i_features *data, double ridge) {
    if (data->n == 0 || data->width == 0 || data->label_count < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "logistic regression of %zu points with %zu features and %zu labels: "
                         "expected at least 1, 1 and 2",
                         data->n, data->width, data->label_count);
    if (!(ridge > 0 && isfinite(ridge)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "ridge is %g: expected a positive number", ridge);
    for (size_t i = 0; i < data->n; i++)
        if (data->labels[i] >= data->label_count)
            return rm2i_fail(
                ctx, RM2_ERR_ARGUMENT,
                "data.labels[%zu] is %zu: expected a number below data.label_count %zu", i,
                data->labels[i], data->label_count);
    for (size_t i = 0; i < data->n * data->width; i++)
        if (!isfinite(data->x[i]))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "feature %zu of point %zu is %g",
                             i % data->width, i / data->width, data->x[i]);
    return RM2_OK;
}

rm2_status rm2i_logistic_fit(rm2_context *ctx, const rm2i_features *data, double ridge,
                             double *weights, rm2i_logistic_info *info) {
    rm2i_logistic_info ignored;
    RM2_REQUIRE(ctx, data, data->x, data->labels, weights);
    RM2_TRY(check(ctx, data, ridge));
    info = info ? info : &ignored;
    *info = (rm2i_logistic_info){.converged = false};
    problem q = {.n = data->n,
                 .width = data->width,
                 .labels = data->label_count,
                 .x = data->x,
                 .label = data->labels,
                 .ridge = ridge};
    RM2_TRY(rm2i_alloc(ctx, q.n * q.labels, sizeof *q.p, &q.p));
    rm2_status status =
        q.width > q.n ? fit_in_span(ctx, &q, weights, info) : minimise(ctx, &q, weights, info);
    free(q.p);
    return status;
}

rm2_status rm2i_logistic_probabilities(rm2_context *ctx, size_t n, size_t width, const double *x,
                                       size_t label_count, const double *weights,
                                       double *probabilities) {
    RM2_REQUIRE(ctx, weights);
    if (n > 0)
        RM2_REQUIRE(ctx, x, probabilities);
    scores(n, width, x, label_count, weights, probabilities);
    for (size_t i = 0; i < n; i++)
        (void)softmax(label_count, probabilities + i * label_count);
    return RM2_OK;
}
