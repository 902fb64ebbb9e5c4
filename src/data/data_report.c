/* What a person wants to know of a data set before training: per factor the spread around the
 * Fréchet mean, points near the cut locus of it, rank and condition; duplicates, lengths, time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "linalg/dense.h"

enum { SAMPLE = 5000, RANK_UP_TO = 1000 };  /* points looked at, dimensions whose rank is found */
static const double NEAR_CUT = 0.1;         /* radians */
static const double RANK_TOLERANCE = 1e-12; /* on variances, relative to the largest */

void rm2_data_report_clear(rm2_data_report *report) {
    rm2_data_report own = {.size = sizeof own}, none = {.size = sizeof none};
    if (rm2i_settings_overlay(NULL, report, &own) != RM2_OK)
        return;
    free(own.factor);
    free(own.odd_column);
    rm2i_results_give(1, &none, sizeof none, report);
}

/* ---- one factor ----------------------------------------------------------------------------- */

typedef struct view {
    rm2_manifold *m; /* the factor alone */
    size_t n;        /* points in the sample */
    double *points, *coords, *mean, *covariance, *values, *vectors, *work;
} view;

static void view_free(view *v) {
    rm2_manifold_free(v->m);
    free(v->points);
    free(v->coords);
    free(v->mean);
    free(v->covariance);
}

static rm2_status view_create(rm2_context *ctx, const rm2_data *data, const rm2_factor *f,
                              view *v) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    v->n = data->count < SAMPLE ? data->count : SAMPLE;
    RM2_TRY(rm2_manifold_from_factors(ctx, f, 1, &v->m));
    RM2_TRY(rm2i_alloc(ctx, v->n * f->ambient, sizeof *v->points, &v->points));
    RM2_TRY(rm2i_alloc(ctx, v->n * f->dim, sizeof *v->coords, &v->coords));
    RM2_TRY(rm2i_alloc(ctx, f->ambient, sizeof *v->mean, &v->mean));
    for (size_t i = 0; i < v->n; i++) /* evenly spaced points */
        memcpy(v->points + i * f->ambient,
               data->points + i * data->count / v->n * ambient + f->ambient_offset,
               f->ambient * sizeof *v->points);
    return RM2_OK;
}

/* Number of variances above the tolerance; coords are centred in place. */
static rm2_status find_rank(rm2_context *ctx, view *v, size_t dim, size_t *rank) {
    *rank = SIZE_MAX;
    if (dim > RANK_UP_TO)
        return RM2_OK;
    size_t square = dim * dim;
    RM2_TRY(
        rm2i_calloc(ctx, 2 * square + dim + rm2i_eigen_work(dim), sizeof(double), &v->covariance));
    v->vectors = v->covariance + square;
    v->values = v->vectors + square;
    v->work = v->values + dim;
    for (size_t k = 0; k < dim; k++) {
        double mean = 0;
        for (size_t i = 0; i < v->n; i++)
            mean += v->coords[i * dim + k] / (double)v->n;
        for (size_t i = 0; i < v->n; i++)
            v->coords[i * dim + k] -= mean;
    }
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < dim; k++)
            rm2i_axpy(dim, v->coords[i * dim + k], v->coords + i * dim, v->covariance + k * dim);
    if (rm2i_eigen(dim, v->covariance, v->values, v->vectors, v->work) != RM2_OK)
        return RM2_OK;
    double largest = rm2i_max_abs(dim, v->values);
    *rank = 0;
    for (size_t k = 0; k < dim; k++)
        *rank += v->values[k] > RANK_TOLERANCE * largest;
    return RM2_OK;
}

static rm2_status describe_spread(rm2_context *ctx, view *v, const rm2_factor *f,
                                  rm2_factor_report *r) {
    rm2_mean_info info = {.size = sizeof info};
    rm2_status status = rm2_manifold_mean(ctx, v->m, v->n, v->points, NULL, NULL, v->mean, &info);
    if (status == RM2_OK)
        status = rm2_manifold_log_coords(ctx, v->m, v->n, v->mean, 1, v->points, v->coords);
    if (status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    r->mean_found = status == RM2_OK && info.converged;
    if (!r->mean_found) /* too spread out for a mean: said in the report, not an error */
        return RM2_OK;
    double limit = f->geometry->injectivity_radius(f->n) - NEAR_CUT;
    r->spread = sqrt(info.variance);
    for (size_t i = 0; i < v->n; i++) {
        double distance = rm2i_norm(f->dim, v->coords + i * f->dim);
        r->farthest = fmax(r->farthest, distance);
        r->near_cut += distance > limit;
    }
    return find_rank(ctx, v, f->dim, &r->rank);
}

static rm2_status describe_condition(rm2_context *ctx, const view *v, const rm2_factor *f,
                                     rm2_factor_report *r) {
    size_t n = f->n;
    double *values;
    RM2_TRY(rm2i_alloc(ctx, n + n * n + rm2i_eigen_work(n), sizeof *values, &values));
    for (size_t i = 0; i < v->n; i++) {
        if (rm2i_eigen(n, v->points + i * n * n, values, values + n, values + n + n * n) != RM2_OK)
            continue;
        double low = values[0], high = values[0];
        for (size_t k = 1; k < n; k++) {
            low = fmin(low, values[k]);
            high = fmax(high, values[k]);
        }
        r->condition = fmax(r->condition, low > 0 ? high / low : INFINITY);
    }
    free(values);
    return RM2_OK;
}

static rm2_status describe_factor(rm2_context *ctx, const rm2_data *data, const rm2_factor *f,
                                  rm2_factor_report *r) {
    view v = {.m = NULL};
    rm2_status status = view_create(ctx, data, f, &v);
    if (status == RM2_OK) {
        r->magnitude = rm2i_norm(v.n * f->ambient, v.points) / sqrt((double)(v.n * f->ambient));
        status = describe_spread(ctx, &v, f, r);
    }
    if (status == RM2_OK && rm2_is_spd(f->geometry))
        status = describe_condition(ctx, &v, f, r);
    view_free(&v);
    return status;
}

/* ---- the whole set -------------------------------------------------------------------------- */

static bool starts_trajectory(const rm2_data *data, size_t *t, size_t i) {
    while (*t < data->trajectories && data->starts[*t] < i)
        ++*t;
    return *t < data->trajectories && data->starts[*t] == i;
}

static void describe_order(const rm2_data *data, rm2_data_report *report) {
    size_t ambient = rm2_manifold_ambient(data->manifold), t = 0;
    for (size_t i = 1; i < data->count; i++) {
        if (starts_trajectory(data, &t, i))
            continue;
        const double *p = data->points + i * ambient;
        report->duplicates += memcmp(p, p - ambient, ambient * sizeof *p) == 0;
        report->time_reversals += data->time && !(data->time[i] > data->time[i - 1]);
    }
    for (t = 0; t < data->trajectories; t++) {
        size_t length = data->starts[t + 1] - data->starts[t];
        report->longest = length > report->longest ? length : report->longest;
        report->shortest = t == 0 || length < report->shortest ? length : report->shortest;
    }
}

rm2_status rm2i_describe(rm2_context *ctx, const rm2_data *data, rm2_data_report *report) {
    describe_order(data, report);
    RM2_TRY(rm2i_describe_columns(ctx, data, report));
    for (size_t k = 0; k < report->factors; k++)
        RM2_TRY(
            describe_factor(ctx, data, rm2_manifold_factor(data->manifold, k), &report->factor[k]));
    return RM2_OK;
}
