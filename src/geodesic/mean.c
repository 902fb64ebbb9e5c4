/* Fréchet mean by gradient descent: m <- Exp_m(step g), g = sum_i w_i Log_m(x_i), which is minus half
 * the gradient of the variance sum_i w_i d(m, x_i)^2; weights add up to one.
 *
 * Logarithms are velocities of geodesics, the dear part: those to a new m start from those to the old
 * one, pulled along with their end; the stages make geodesics of them. The step is 1 (exact in flat
 * space) and is halved where the variance does not fall. Near the minimum its changes drown in the
 * error of the lengths: then the gradient must fall. The start is the medoid. Paths, which nothing
 * shortens once they are pulled, have a search of their own (mean_path.c). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "geodesic/leg.h"
#include "geodesic/mean.h"
#include "geodesic/workers.h"
#include "linalg/dense.h"

enum { NODES = 64 }; /* of the geodesics: they serve as paths only */
static const double LEAST_STEP = 1e-3;
static const double EXP_TOLERANCE = 1e-9;
static const double ROUNDING = 1e-9; /* of variances, relative */
static const double SPLINE_ERROR =
    1e-3; /* of variances by splines, whose intervals change with m */

/* Geodesics from one point to all others, and what follows from them. */
typedef struct fan {
    double *m; /* Q */
    rm2_curve **curves;
    double *gradient; /* Q: mean of the logarithms */
    double norm, variance;
    bool converged; /* all of them */
} fan;

typedef struct descent {
    const rm2_metric *metric;
    const rm2i_roadmap *roadmap;
    rm2i_geodesic_settings settings;
    size_t n, Q;
    const double *points;
    double *weights, *step, *G, *memory;
    fan best, trial;
    double least; /* variance so far */
} descent;

/* ---- memory --------------------------------------------------------------------------------- */

static void lay_out_fan(const descent *d, rm2i_arena *a, fan *f) {
    f->m = rm2i_reserve(a, double, d->Q);
    f->gradient = rm2i_reserve(a, double, d->Q);
    f->curves = rm2i_reserve(a, rm2_curve *, d->n);
}

static void lay_out(void *arg, rm2i_arena *a) {
    descent *d = arg;
    d->weights = rm2i_reserve(a, double, d->n);
    d->step = rm2i_reserve(a, double, d->Q);
    d->G = rm2i_reserve(a, double, d->Q, d->Q);
    lay_out_fan(d, a, &d->best);
    lay_out_fan(d, a, &d->trial);
}

static rm2_status prepare(rm2_context *ctx, descent *d, const double *weights) {
    double total = 0;
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, d, &d->memory));
    for (size_t i = 0; i < d->n; i++) {
        d->weights[i] = weights ? weights[i] : 1;
        if (!(d->weights[i] >= 0) || isinf(d->weights[i]))
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "mean: weight %zu is %g", i, d->weights[i]);
        total += d->weights[i];
    }
    if (!(total > 0) || isinf(total))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "mean: the weights add up to %g", total);
    for (size_t i = 0; i < d->n; i++)
        d->weights[i] /= total;
    return RM2_OK;
}

static void clear_curves(const descent *d, fan *f) {
    for (size_t i = 0; f->curves && i < d->n; i++) {
        rm2_curve_free(f->curves[i]);
        f->curves[i] = NULL;
    }
}

static void release(descent *d) {
    clear_curves(d, &d->best);
    clear_curves(d, &d->trial);
    free(d->memory);
}

/* ---- start ---------------------------------------------------------------------------------- */

static void straight_distances(const descent *d, double *distance) {
    for (size_t i = 0; i < d->n; i++)
        for (size_t j = 0; j < d->n; j++) {
            double square = 0;
            for (size_t q = 0; q < d->Q; q++) {
                double gap = d->points[i * d->Q + q] - d->points[j * d->Q + q];
                square += gap * gap;
            }
            distance[i * d->n + j] = sqrt(square);
        }
}

/* The point with the least weighted sum of squared distances to all. */
static rm2_status start(rm2_context *ctx, descent *d) {
    double *distance, least = INFINITY;
    RM2_TRY(rm2i_alloc(ctx, d->n, d->n * sizeof *distance, &distance));
    rm2_status status = RM2_OK;
    if (d->roadmap)
        status = rm2i_roadmap_distances(ctx, d->roadmap, d->metric, d->n, d->points, distance);
    else
        straight_distances(d, distance);
    for (size_t i = 0; i < d->n && status == RM2_OK; i++) {
        double sum = 0;
        for (size_t j = 0; j < d->n; j++)
            sum += d->weights[j] * distance[i * d->n + j] * distance[i * d->n + j];
        if (sum < least || i == 0) {
            least = sum;
            memcpy(d->best.m, d->points + i * d->Q, d->Q * sizeof *d->best.m);
        }
    }
    free(distance);
    return status;
}

/* ---- geodesics to all points ---------------------------------------------------------------- */

typedef struct spread_job {
    const descent *d;
    const fan *before; /* whose geodesics to start from; NULL: none */
    fan *fan;
} spread_job;

/* The old geodesic with its front pulled from the old point to the new one. */
static void pull(const rm2_curve *old, const double *from, const double *to, double *path) {
    for (size_t j = 0; j < old->nodes; j++) {
        double part = 1 - (double)j / (double)(old->nodes - 1);
        for (size_t q = 0; q < old->Q; q++)
            path[j * old->Q + q] = old->x[j * old->Q + q] + part * (to[q] - from[q]);
    }
    memcpy(path, to, old->Q * sizeof *to);
}

static rm2_status path_to(const spread_job *job, size_t i, rm2_context *ctx, size_t *n,
                          double **path) {
    const descent *d = job->d;
    if (!job->before)
        return rm2i_start_path(ctx, d->metric, d->roadmap, job->fan->m, d->points + i * d->Q, n,
                               path);
    const rm2_curve *old = job->before->curves[i];
    RM2_TRY(rm2i_alloc(ctx, old->nodes, d->Q * sizeof **path, path));
    pull(old, job->before->m, job->fan->m, *path);
    *n = old->nodes;
    return RM2_OK;
}

static rm2_status one_geodesic(void *arg, size_t i, rm2i_worker *worker) {
    const spread_job *job = arg;
    const rm2i_geodesic_settings *settings = &job->d->settings;
    double *path = NULL;
    size_t n;
    rm2i_leg leg = {.stage = RM2_STAGE_PATH};
    rm2_status status = path_to(job, i, worker->ctx, &n, &path);
    if (status == RM2_OK)
        status = rm2i_leg_create(worker->ctx, &worker->evaluator, settings, n, path, &leg);
    if (status == RM2_OK)
        status = rm2i_leg_sample(worker->ctx, &worker->evaluator, settings->nodes, 1, &leg,
                                 &job->fan->curves[i]);
    rm2i_leg_clear(&leg);
    free(path);
    return status == RM2_OK ? status
                            : rm2i_fail_prefix(worker->ctx, status, "mean: to point %zu", i);
}

/* Geodesics from f->m, their mean velocity and squared length. */
static rm2_status spread(rm2_context *ctx, descent *d, const fan *before, fan *f) {
    spread_job job = {.d = d, .before = before, .fan = f};
    clear_curves(d, f);
    RM2_TRY(rm2i_workers_run(ctx, d->metric, d->n, one_geodesic, &job, NULL));
    memset(f->gradient, 0, d->Q * sizeof *f->gradient);
    f->variance = 0;
    f->converged = true;
    for (size_t i = 0; i < d->n; i++) {
        const rm2_curve *c = f->curves[i];
        rm2i_axpy(d->Q, d->weights[i], c->velocity, f->gradient);
        f->variance += d->weights[i] * c->length * c->length;
        f->converged = f->converged && c->converged;
    }
    RM2_TRY(rm2_metric_at(ctx, d->metric, 1, f->m, d->G, NULL));
    f->norm = sqrt(fmax(rm2i_metric_inner(d->Q, d->G, f->gradient, f->gradient), 0));
    return RM2_OK;
}

/* ---- descent -------------------------------------------------------------------------------- */

/* How far variances are right: lengths are to the square of the tolerance of the velocities. */
static double variance_error(const descent *d) {
    return d->settings.last == RM2_STAGE_SPLINE
               ? SPLINE_ERROR
               : fmax(d->settings.tolerance * d->settings.tolerance, ROUNDING);
}

/* Is the variance of the trial lower, or its gradient at a variance that is, as far as one can tell, no
 * higher than the lowest so far? */
static bool is_better(const descent *d) {
    if (d->trial.variance < d->best.variance * (1 - 1e-12))
        return true;
    return d->trial.norm < d->best.norm && d->trial.variance <= d->least * (1 + variance_error(d));
}

/* Try a step from the best point; *better says that it is the new one. A step that leaves the metric
 * is too long. */
static rm2_status try_step(rm2_context *ctx, descent *d, double step, bool *better) {
    *better = false;
    for (size_t q = 0; q < d->Q; q++)
        d->step[q] = step * d->best.gradient[q];
    rm2_status status = rm2i_geodesic_exp(ctx, d->metric, EXP_TOLERANCE, d->best.m, d->step,
                                          d->trial.m, NULL, 0, NULL);
    if (status == RM2_OK)
        status = spread(ctx, d, &d->best, &d->trial);
    if (status != RM2_OK)
        return rm2i_no_metric(status) ? RM2_OK : status;
    *better = is_better(d);
    if (*better) {
        fan old = d->best;
        d->best = d->trial;
        d->trial = old;
        d->least = fmin(d->least, d->best.variance);
    }
    return RM2_OK;
}

static rm2_status descend(rm2_context *ctx, descent *d, const rm2_mean_settings *settings,
                          rm2_mean_info *info) {
    double step = 1, tolerance = fmax(settings->tolerance, d->settings.tolerance);
    RM2_TRY(spread(ctx, d, NULL, &d->best));
    d->least = d->best.variance;
    for (;;) {
        bool done = d->best.norm <= tolerance * sqrt(d->best.variance);
        info->converged = done && d->best.converged;
        if (done || step < LEAST_STEP || (size_t)info->iterations >= settings->max_iterations)
            break;
        bool better;
        info->iterations++;
        RM2_TRY(try_step(ctx, d, step, &better));
        if (!better)
            step *= 0.5;
    }
    info->gradient = d->best.norm;
    info->variance = d->best.variance;
    return RM2_OK;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static rm2_status find_mean(rm2_context *ctx, descent *d, const rm2_mean_settings *settings,
                            double *mean, rm2_mean_info *info) {
    if (d->settings.last == RM2_STAGE_PATH) {
        rm2i_variance v = {d->metric, d->roadmap, d->n, d->Q, d->points, d->weights, NULL};
        return rm2i_mean_of_paths(ctx, &v, settings, mean, info);
    }
    RM2_TRY(start(ctx, d));
    RM2_TRY(descend(ctx, d, settings, info));
    memcpy(mean, d->best.m, d->Q * sizeof *mean);
    return RM2_OK;
}

rm2_status rm2i_geodesic_mean(rm2_context *ctx, const rm2_metric *metric,
                              const rm2i_roadmap *roadmap, const rm2i_geodesic_settings *settings,
                              size_t n, const double *points, const double *weights,
                              const rm2_mean_settings *mean_settings, double *mean,
                              rm2_mean_info *info) {
    RM2_REQUIRE(ctx, metric, mean);
    if (n > 0)
        RM2_REQUIRE(ctx, points);
    rm2_mean_settings limits = rm2_mean_settings_default();
    rm2_mean_info ignored = {.converged = false};
    info = info ? info : &ignored;
    *info = (rm2_mean_info){.converged = false};
    descent d = {.metric = metric,
                 .roadmap = roadmap,
                 .n = n,
                 .Q = rm2_metric_dim(metric),
                 .points = points};
    RM2_TRY(rm2i_geodesic_settings_overlay(ctx, settings, &d.settings));
    RM2_TRY(rm2i_settings_overlay(ctx, mean_settings, &limits));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_MEAN), &limits));
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "mean: there are no points");
    d.settings.nodes = NODES;
    rm2i_activity_begin(ctx, "mean", 0);
    rm2_status status = prepare(ctx, &d, weights);
    if (status == RM2_OK)
        status = find_mean(ctx, &d, &limits, mean, info);
    release(&d);
    rm2i_activity_end(ctx);
    return status;
}
