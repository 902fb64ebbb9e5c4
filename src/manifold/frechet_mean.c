/* Fréchet mean by gradient descent: x <- Exp_x(step * g), g = sum_i w_i Log_x(y_i), which is minus
 * half the gradient of the variance sum_i w_i d(x, y_i)^2.
 *
 * The start is the best of a few data points, which needs no logarithm and so cannot meet the cut
 * locus. The first step is 1 (exact in flat space). With s = step * g and y = g - g', where g' is the next gradient, the
 * next step is <s, y>/<y, y> (Barzilai and Borwein 1988; frames of neighbours are nearly parallel), so that strong negative
 * curvature takes tens of iterations and not hundreds. It is halved when neither variance nor gradient falls. Sums run over fixed blocks of points in a fixed
 * order: the result does not depend on the number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "manifold/manifold.h"
#include "settings/settings.h"

enum {
    BLOCK = 64,        /* points at most, and */
    NUMBERS = 1 << 14, /* about as many numbers: a large matrix is a block of its own */
    CANDIDATES = 16,
    WITNESSES = 256
};
static const double SHORTEST = 0.05, LONGEST = 2; /* steps */
static const double ROUNDING_LEVEL = 1e3; /* tolerances within which no progress means done */

typedef struct descent {
    const rm2_manifold *m;
    size_t n;
    const double *points, *weights;
    double total; /* sum of the weights */
    double *frame, *work;
    double *partial; /* blocks x (dim + 1): sums of w Log and of w |Log|^2 */
    double *gradient, *before, *step, *best, *trial;
    double *
        block; /* scratch of a block: it runs on this thread alone; NULL: on those of the context */
    double *memory;
} descent;

static double weight(const descent *d, size_t i) {
    return d->weights ? d->weights[i] : 1;
}

static size_t block_size(const descent *d) {
    size_t fit = 1 + NUMBERS / d->m->ambient;
    return fit < BLOCK ? fit : BLOCK;
}

static size_t block_count(const descent *d) {
    return (d->n + block_size(d) - 1) / block_size(d);
}

static size_t block_end(const descent *d, size_t b) {
    size_t end = (b + 1) * block_size(d);
    return end < d->n ? end : d->n;
}

static void lay_out(void *arg, rm2i_arena *a) {
    descent *d = arg;
    const rm2_manifold *m = d->m;
    d->frame = rm2i_reserve(a, double, m->frame_size);
    d->work = rm2i_reserve(a, double, m->work_size);
    d->partial = rm2i_reserve(a, double, block_count(d), m->dim + 1);
    d->gradient = rm2i_reserve(a, double, m->dim);
    d->before = rm2i_reserve(a, double, m->dim);
    d->step = rm2i_reserve(a, double, m->dim);
    d->best = rm2i_reserve(a, double, m->ambient);
    d->trial = rm2i_reserve(a, double, m->ambient);
}

typedef struct block_scratch {
    double *c, *work; /* coordinates of a logarithm, work of the geometries */
} block_scratch;

static void lay_out_block(block_scratch *s, const rm2_manifold *m, rm2i_arena *a) {
    s->c = rm2i_reserve(a, double, m->dim);
    s->work = rm2i_reserve(a, double, m->work_size);
}

static size_t block_work(const rm2_manifold *m) {
    rm2i_arena a = {NULL, 0};
    lay_out_block(&(block_scratch){0}, m, &a);
    return a.used;
}

static rm2_status sum_block(const void *arg, size_t b, double *memory) {
    const descent *d = arg;
    size_t dim = d->m->dim, end = block_end(d, b);
    double *sum = d->partial + b * (dim + 1);
    block_scratch s;
    lay_out_block(&s, d->m, &(rm2i_arena){memory, 0});
    memset(sum, 0, (dim + 1) * sizeof *sum);
    for (size_t i = b * block_size(d); i < end; i++) {
        const double *y = d->points + i * d->m->ambient;
        RM2_TRY(rm2i_manifold_log(d->m, d->frame, y, s.c, s.work, NULL));
        rm2i_axpy(dim, weight(d, i), s.c, sum);
        sum[dim] += weight(d, i) * rm2i_dot(dim, s.c, s.c);
    }
    return RM2_OK;
}

/* The point that made the sum over its block fail, found by its logarithm. */
static rm2_status refuse_point(rm2_context *ctx, const descent *d, size_t b, rm2_status status) {
    size_t i = b * block_size(d), last = block_end(d, b) - 1;
    while (i < last && rm2i_manifold_log(d->m, d->frame, d->points + i * d->m->ambient, d->gradient,
                                         d->work, NULL) == RM2_OK)
        i++;
    if (status == RM2_ERR_CUT_LOCUS)
        return rm2i_fail(
            ctx, status,
            "mean: point %zu (counted from 0) is at the cut locus of the current mean; "
            "the points are too spread out for a unique mean",
            i);
    return rm2i_fail(ctx, status, "mean: point %zu (counted from 0): %s", i,
                     rm2_status_text(status));
}

static rm2_status sum_blocks(rm2_context *ctx, const descent *d, size_t *bad) {
    if (!d->block)
        return rm2i_jobs(ctx, block_count(d), block_work(d->m), sum_block, d, bad);
    for (*bad = 0; *bad < block_count(d); ++*bad)
        RM2_TRY(sum_block(d, *bad, d->block));
    return RM2_OK;
}

/* Gradient direction and variance at x. */
static rm2_status evaluate(rm2_context *ctx, descent *d, const double *x, double *variance) {
    size_t dim = d->m->dim, bad = 0;
    rm2_status status = rm2i_manifold_frame(d->m, x, d->frame, d->work, NULL);
    if (status != RM2_OK)
        return rm2i_fail(ctx, status, "mean: current mean: %s", rm2_status_text(status));
    status = sum_blocks(ctx, d, &bad);
    if (status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    if (status != RM2_OK)
        return refuse_point(ctx, d, bad, status);
    memset(d->gradient, 0, dim * sizeof *d->gradient);
    *variance = 0;
    for (size_t b = 0; b < block_count(d); b++) {
        rm2i_axpy(dim, 1 / d->total, d->partial + b * (dim + 1), d->gradient);
        *variance += d->partial[b * (dim + 1) + dim] / d->total;
    }
    return RM2_OK;
}

/* The data point with the least sum of squared distances to evenly picked others. */
static rm2_status start(rm2_context *ctx, descent *d) {
    size_t candidates = d->n < CANDIDATES ? d->n : CANDIDATES;
    size_t witnesses = d->n < WITNESSES ? d->n : WITNESSES;
    double least = INFINITY;
    for (size_t c = 0; c < candidates; c++) {
        const double *x = d->points + c * d->n / candidates * d->m->ambient;
        double sum = 0;
        for (size_t w = 0; w < witnesses; w++) {
            size_t i = w * d->n / witnesses;
            double r, *work = d->work;
            rm2_status status =
                rm2i_manifold_distance(d->m, x, d->points + i * d->m->ambient, &r, work, NULL);
            if (status != RM2_OK)
                return rm2i_fail(ctx, status, "mean: point %zu (counted from 0): %s", i,
                                 rm2_status_text(status));
            sum += weight(d, i) * r * r;
        }
        if (sum < least) {
            least = sum;
            memcpy(d->best, x, d->m->ambient * sizeof *x);
        }
    }
    return isinf(least) ? rm2i_fail(ctx, RM2_ERR_NUMERIC, "mean: distances are not finite")
                        : RM2_OK;
}

static const rm2_setting rows[] = {
    {RM2I_MEMBER(rm2_mean_settings, max_iterations), .name = "max_iterations",
     .type = RM2_SETTING_COUNT, RM2I_COUNT_FROM(0), .limit = true, .defaults = {"500"},
     .group = "Mean", .help = "largest number of iterations"},
    {RM2I_MEMBER(rm2_mean_settings, tolerance), .name = "tolerance", .type = RM2_SETTING_NUMBER,
     RM2I_FROM(0), .defaults = {"1e-14"}, .group = "Mean",
     .help = "norm of the gradient, relative to the root mean squared distance"},
};

RM2I_TABLE(rm2i_mean_table, "mean", rm2_mean_settings, rows)

/* A logarithm is a difference of points: it is rounded at the size of their numbers, however close they are. Those of
 * SPD matrices are not, as P^-1 Q does not change with the unit. */
static double rounding_size(const rm2_manifold *m, const double *x) {
    double size = 1;
    for (size_t k = 0; k < m->count; k++)
        if (!rm2_is_spd(m->factors[k].geometry))
            size =
                fmax(size, rm2i_max_abs(m->factors[k].ambient, x + m->factors[k].ambient_offset));
    return size;
}

/* The step that follows an accepted one: s is in d->step. */
static double next_step(const descent *d, double step) {
    double sy = 0, yy = 0;
    for (size_t k = 0; k < d->m->dim; k++) {
        double y = d->before[k] - d->gradient[k];
        sy += d->step[k] * y;
        yy += y * y;
    }
    double next = sy / yy; /* NaN where nothing changed */
    return next >= SHORTEST && next <= LONGEST ? next : step;
}

static rm2_status descend(rm2_context *ctx, descent *d, const rm2_mean_settings *settings,
                          rm2_mean_info *info) {
    size_t dim = d->m->dim, bytes = d->m->ambient * sizeof *d->best;
    double step = 1, variance = 0, norm;
    RM2_TRY(evaluate(ctx, d, d->best, &variance));
    norm = rm2i_norm(dim, d->gradient);
    while ((size_t)info->iterations < settings->max_iterations) {
        double enough = settings->tolerance * sqrt(variance);
        info->converged = norm <= enough;
        if (info->converged)
            break;
        info->iterations++;
        /* the frame is at the best point: step from there */
        for (size_t k = 0; k < dim; k++)
            d->step[k] = step * d->gradient[k];
        rm2_status status = rm2i_manifold_exp(d->m, d->frame, d->step, d->trial, d->work, NULL);
        if (status != RM2_OK)
            return rm2i_fail(ctx, status, "mean: step %d: %s", info->iterations,
                             rm2_status_text(status));
        double new_variance = 0;
        memcpy(d->before, d->gradient, dim * sizeof *d->before);
        RM2_TRY(evaluate(ctx, d, d->trial, &new_variance));
        double new_norm = rm2i_norm(dim, d->gradient);
        if (new_norm < norm || new_variance < variance * (1 - 1e-12)) {
            memcpy(d->best, d->trial, bytes);
            norm = new_norm;
            variance = new_variance;
            step = next_step(d, step);
            continue;
        }
        RM2_TRY(evaluate(ctx, d, d->best, &variance)); /* back to the best point */
        double size = fmax(rounding_size(d->m, d->best), sqrt(variance));
        info->converged = norm <= ROUNDING_LEVEL * settings->tolerance * size;
        if (info->converged || step < 1e-6)
            break;
        step *= 0.5;
    }
    info->gradient = norm;
    info->variance = variance;
    return RM2_OK;
}

static rm2_status prepare(rm2_context *ctx, descent *d) {
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, d, &d->memory));
    for (size_t i = 0; i < d->n; i++) {
        if (!(weight(d, i) >= 0) || isinf(weight(d, i)))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "mean: weight %zu is %g", i, weight(d, i));
        d->total += weight(d, i);
    }
    return d->total > 0 ? RM2_OK : rm2i_fail(ctx, RM2_ERR_ARGUMENT, "mean: all weights are 0");
}

rm2_status rm2_manifold_mean(rm2_context *ctx, const rm2_manifold *m, size_t n,
                             const double *points, const double *weights,
                             const rm2_mean_settings *settings, double *mean, rm2_mean_info *info) {
    RM2_REQUIRE(ctx, m, mean);
    if (n > 0)
        RM2_REQUIRE(ctx, points);
    rm2_mean_settings used = rm2_mean_settings_default();
    rm2_mean_info found = {.converged = false};
    RM2_TRY(rm2i_check_size(ctx, info, sizeof *info));
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &used));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_MEAN), &used));
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "mean: there are no points");
    descent d = {.m = m, .n = n, .points = points, .weights = weights};
    RM2_TRY(rm2i_manifold_check_all(ctx, m, "mean: ", n, points));
    rm2_status status = prepare(ctx, &d);
    if (status == RM2_OK)
        status = start(ctx, &d);
    if (status == RM2_OK)
        status = descend(ctx, &d, &used, &found);
    if (status == RM2_OK)
        memcpy(mean, d.best, m->ambient * sizeof *mean);
    rm2i_results_give(1, &found, sizeof found, info);
    free(d.memory);
    return status;
}

/* ---- one of many means ---------------------------------------------------------------------- */

size_t rm2i_mean_work(const rm2_manifold *m, size_t n) {
    descent d = {.m = m, .n = n};
    rm2i_arena a = {NULL, 0};
    lay_out(&d, &a);
    return a.used + block_work(m);
}

rm2_status rm2i_mean_near(const rm2_manifold *m, size_t n, const double *points,
                          const rm2_mean_settings *settings, double *mean, rm2_mean_info *info,
                          double *work) {
    descent d = {.m = m, .n = n, .points = points, .total = (double)n};
    rm2i_arena a = {work, 0};
    lay_out(&d, &a);
    d.block = rm2i_reserve(&a, double, block_work(m));
    memcpy(d.best, mean, m->ambient * sizeof *mean);
    *info = (rm2_mean_info){.converged = false};
    RM2_TRY(descend(NULL, &d, settings, info));
    memcpy(mean, d.best, m->ambient * sizeof *mean);
    return RM2_OK;
}
