/* Is the uncertainty of a model the right size?
 *
 * An observation v at the latent point x is N(f(x), S), S = P diag(h(x) + noise) P^T, so with
 * y = P^-1 (v - f(x)) the squared Mahalanobis distance
 *   d2 = (v - f)^T S^-1 (v - f) = sum_m y_m^2/(h_m + noise)
 * is chi-square with M degrees of freedom, and its distribution function at d2 uniform on (0, 1). Encoding x from v takes
 * up to Q of them. Where S has the size that deviations of n demonstrations had, d2 is k times an F variable instead.
 * Kronecker noise: P is triangular. Per-output noise: P = D^1/2 U, so P^-1 = P^T D^-1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/factor.h"
#include "manifold/manifold.h"
#include "math/beta.h"
#include "math/gamma.h"
#include "math/order.h"
#include "model/model.h"
#include "riemann2/eval.h"

enum { BLOCK = 64 }; /* points whose kernel vectors are solved for at once */

static const double levels[RM2_LEVELS] = {0.5, 0.68, 0.8, 0.9, 0.95, 0.99};

typedef struct calibrating {
    const rm2_model *m;
    size_t n;
    double degrees, freedom; /* k, n: of the reference; n infinite: chi-square */
    const double *latents;   /* n x Q */
    double *scaled;          /* n x ambient: the points in the model's units */
    double *outputs;         /* n x M */
    double *squares;         /* n: d2 */
    double *sorted;          /* n: probabilities */
    double *memory;
} calibrating;

static void lay_out(void *arg, rm2i_arena *a) {
    calibrating *c = arg;
    c->scaled = rm2i_reserve(a, double, c->n, c->m->manifold->ambient);
    c->outputs = rm2i_reserve(a, double, c->n, c->m->M);
    c->squares = rm2i_reserve(a, double, c->n);
    c->sorted = rm2i_reserve(a, double, c->n);
}

/* y = P^-1 r */
static void whiten(const rm2_model *m, double *r, double *y) {
    size_t M = m->M;
    const double *P = m->posterior->P;
    if (m->settings.noise == RM2_NOISE_KRONECKER) {
        memcpy(y, r, M * sizeof *y);
        rm2i_factor_half_solve(NULL, M, P, 1, y);
        return;
    }
    memset(y, 0, M * sizeof *y);
    for (size_t a = 0; a < M; a++)
        for (size_t k = 0; k < M; k++)
            y[k] += P[a * M + k] * r[a] / (m->task_noise[a] + m->noise);
}

typedef struct block_scratch {
    double *posterior; /* its scratch */
    double *f, *h, *y; /* BLOCK x M, BLOCK x M, M */
} block_scratch;

static void lay_out_block(block_scratch *s, const rm2_model *m, rm2i_arena *a) {
    s->posterior = rm2i_reserve(a, double, rm2i_posterior_at_work(m->posterior, BLOCK));
    s->f = rm2i_reserve(a, double, BLOCK, m->M);
    s->h = rm2i_reserve(a, double, BLOCK, m->M);
    s->y = rm2i_reserve(a, double, m->M);
}

/* Block b of the points. */
static rm2_status square_block(const void *arg, size_t b, double *work) {
    const calibrating *c = arg;
    const rm2_model *m = c->m;
    size_t M = m->M, first = b * BLOCK, count = c->n - first < BLOCK ? c->n - first : BLOCK;
    block_scratch s;
    lay_out_block(&s, m, &(rm2i_arena){work, 0});
    rm2i_posterior_at(m->posterior, count, c->latents + first * m->Q, s.f, s.h, s.posterior);
    for (size_t i = 0; i < count; i++) {
        double *r = s.f + i * M, d2 = 0;
        for (size_t k = 0; k < M; k++)
            r[k] = c->outputs[(first + i) * M + k] - m->mean[k] - r[k];
        whiten(m, r, s.y);
        for (size_t k = 0; k < M; k++)
            d2 += s.y[k] * s.y[k] / (s.h[i * M + k] + m->posterior->observed);
        c->squares[first + i] = d2;
    }
    return RM2_OK;
}

/* max |F_n(u) - u| over the sorted values: just before and at each of them. */
static double uniformity(size_t n, double *u) {
    double worst = 0;
    qsort(u, n, sizeof *u, rm2i_ascending);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fmax((double)(i + 1) / (double)n - u[i], u[i] - (double)i / (double)n));
    return worst;
}

/* The probabilities are put in order here. */
static rm2_calibration summarise(const calibrating *by) {
    size_t n = by->n;
    double k = by->degrees, f = by->freedom, mean = isinf(f) ? k : k * f / (f - 2);
    rm2_calibration c = {
        .points = n, .outputs = by->m->M, .degrees = (size_t)k, .freedom = isinf(f) ? 0 : f};
    for (size_t l = 0; l < RM2_LEVELS; l++) {
        size_t inside = 0;
        c.level[l] = levels[l];
        c.quantile[l] = rm2i_scaled_f_quantile(k, f, levels[l]);
        for (size_t i = 0; i < n; i++)
            inside += by->squares[i] <= c.quantile[l];
        c.coverage[l] = (double)inside / (double)n;
    }
    for (size_t i = 0; i < n; i++)
        c.mean_square += by->squares[i] / (mean * (double)n);
    c.uniformity = uniformity(n, by->sorted);
    return c;
}

static rm2_status find_squares(rm2_context *ctx, const calibrating *c) {
    const rm2_model *m = c->m;
    rm2i_arena work = {NULL, 0};
    lay_out_block(&(block_scratch){0}, m, &work);
    RM2_TRY(rm2i_jobs(ctx, (c->n + BLOCK - 1) / BLOCK, work.used, square_block, c, NULL));
    for (size_t i = 0; i < c->n; i++)
        if (!isfinite(c->squares[i]))
            return rm2i_fail(ctx, RM2_ERR_NUMERIC,
                             "point %zu: the predictive covariance is singular there", i);
    return RM2_OK;
}

static double degrees_of(const rm2_model *m, bool encoded) {
    if (!encoded)
        return (double)m->M;
    return m->M > m->Q ? (double)(m->M - m->Q) : 1;
}

rm2_status rm2_model_calibration(rm2_context *ctx, const rm2_model *model,
                                 const rm2_calibration_points *points,
                                 rm2_calibration *calibration) {
    RM2_REQUIRE(ctx, model, points, points->latents, points->points, calibration);
    RM2_TRY(rm2i_check_size(ctx, calibration, sizeof *calibration));
    size_t n = points->n, D = model->manifold->ambient;
    calibrating c = {.m = model,
                     .n = n,
                     .degrees = degrees_of(model, points->encoded),
                     .freedom = model->calibration ? model->info.calibration_freedom : INFINITY,
                     .latents = points->latents};
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no points to calibrate on");
    RM2_TRY(rm2i_check_finite(ctx, "latent point", n, model->Q, points->latents));
    RM2_TRY(rm2i_check_finite(ctx, "point", n, D, points->points));
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &c, &c.memory));
    rm2_status status = rm2i_model_project(ctx, model, n, points->points, c.scaled, NULL);
    if (status == RM2_OK)
        status = rm2i_model_outputs(ctx, model, n, c.scaled, c.outputs);
    if (status == RM2_OK)
        status = find_squares(ctx, &c);
    for (size_t i = 0; status == RM2_OK && i < n; i++)
        c.sorted[i] = rm2i_scaled_f_cdf(c.degrees, c.freedom, c.squares[i]);
    if (status == RM2_OK && points->squares)
        memcpy(points->squares, c.squares, n * sizeof *c.squares);
    if (status == RM2_OK && points->probabilities)
        memcpy(points->probabilities, c.sorted, n * sizeof *c.sorted);
    if (status == RM2_OK) {
        const rm2_calibration found = summarise(&c);
        rm2i_results_give(1, &found, sizeof found, calibration);
    }
    free(c.memory);
    return status;
}
