/* The data set object: allocation, release, scaling. */
#include "data/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

void rm2i_strings_free(char **strings, size_t count) {
    for (size_t i = 0; strings && i < count; i++)
        free(strings[i]);
    free(strings);
}

void rm2_data_free(rm2_data *data) {
    if (!data)
        return;
    rm2_manifold_free(data->manifold);
    free(data->source);
    free(data->points);
    free(data->rows);
    free(data->starts);
    rm2i_strings_free(data->ids, data->trajectories);
    free(data->time);
    free(data->labels);
    rm2i_strings_free(data->label_names, data->label_count);
    free(data->scale);
    free(data);
}

static rm2_status number_ids(rm2_context *ctx, rm2_data *data) {
    for (size_t i = 0; i < data->trajectories; i++) {
        char id[24];
        (void)snprintf(id, sizeof id, "%zu", i);
        RM2_TRY(rm2i_strdup(ctx, id, &data->ids[i]));
    }
    return RM2_OK;
}

static rm2_status fill(rm2_context *ctx, const char *manifold_spec, const char *source,
                       rm2_data *data) {
    RM2_TRY(rm2_manifold_create(ctx, manifold_spec, &data->manifold));
    size_t factors = rm2_manifold_factor_count(data->manifold);
    size_t ambient = rm2_manifold_ambient(data->manifold);
    RM2_TRY(rm2i_strdup(ctx, source, &data->source));
    RM2_TRY(rm2i_calloc(ctx, data->count, ambient * sizeof *data->points, &data->points));
    RM2_TRY(rm2i_alloc(ctx, data->count, sizeof *data->rows, &data->rows));
    for (size_t i = 0; i < data->count; i++)
        data->rows[i] = i;
    RM2_TRY(rm2i_alloc(ctx, factors, sizeof *data->scale, &data->scale));
    for (size_t i = 0; i < factors; i++)
        data->scale[i] = 1;
    if (data->trajectories == 0)
        return RM2_OK;
    RM2_TRY(rm2i_calloc(ctx, data->trajectories + 1, sizeof *data->starts, &data->starts));
    RM2_TRY(rm2i_calloc(ctx, data->trajectories, sizeof *data->ids, &data->ids));
    return number_ids(ctx, data);
}

rm2_status rm2i_data_create(rm2_context *ctx, const char *manifold_spec, const char *source,
                            size_t count, size_t trajectories, rm2_data **data) {
    *data = NULL;
    rm2_data *d;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *d, &d));
    d->count = count;
    d->trajectories = trajectories;
    rm2_status status = fill(ctx, manifold_spec, source, d);
    if (status != RM2_OK) {
        rm2_data_free(d);
        return status;
    }
    *data = d;
    return RM2_OK;
}

rm2_status rm2i_data_set_labels(rm2_context *ctx, rm2_data *data, size_t label_count,
                                const char *const *names) {
    RM2_TRY(rm2i_calloc(ctx, data->count, sizeof *data->labels, &data->labels));
    RM2_TRY(rm2i_calloc(ctx, label_count, sizeof *data->label_names, &data->label_names));
    data->label_count = label_count;
    for (size_t i = 0; i < label_count; i++)
        RM2_TRY(rm2i_strdup(ctx, names[i], &data->label_names[i]));
    return RM2_OK;
}

rm2_status rm2i_data_set_time(rm2_context *ctx, rm2_data *data) {
    return rm2i_calloc(ctx, data->count, sizeof *data->time, &data->time);
}

rm2i_input_place rm2i_data_place(const rm2_data *data, size_t point) {
    rm2i_input_place place;
    size_t trajectory = 0;
    while (data->starts && data->starts[trajectory + 1] <= point)
        trajectory++;
    if (data->rows_are_lines)
        (void)snprintf(place.text, sizeof place.text, "line %zu", data->rows[point]);
    else if (data->starts)
        (void)snprintf(place.text, sizeof place.text, "row %zu (trajectory %.24s, point %zu)",
                       data->rows[point], data->ids[trajectory], point - data->starts[trajectory]);
    else
        (void)snprintf(place.text, sizeof place.text, "row %zu", data->rows[point]);
    return place;
}

/* ---- scaling -------------------------------------------------------------------------------- */

static void multiply_factor(const rm2_manifold *m, const rm2_factor *f, size_t n, double by,
                            double *points) {
    size_t ambient = rm2_manifold_ambient(m);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < f->ambient; k++)
            points[i * ambient + f->ambient_offset + k] *= by;
}

/* Mean over the factor's columns of their variance (divisor n - 1). */
static double mean_variance(const rm2_data *data, const rm2_factor *f) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    double total = 0;
    for (size_t k = 0; k < f->ambient; k++) {
        const double *x = data->points + f->ambient_offset + k;
        double mean = 0, squares = 0;
        for (size_t i = 0; i < data->count; i++)
            mean += x[i * ambient] / (double)data->count;
        for (size_t i = 0; i < data->count; i++)
            squares += (x[i * ambient] - mean) * (x[i * ambient] - mean);
        total += squares / (double)(data->count - 1);
    }
    return total / (double)f->ambient;
}

rm2_status rm2_data_scale(rm2_context *ctx, rm2_data *data) {
    if (data->count < 2)
        return rm2i_fail(ctx, RM2_ERR_DATA, "scaling needs at least 2 points, %s has %zu",
                         data->source, data->count);
    for (size_t i = 0; i < rm2_manifold_factor_count(data->manifold); i++) {
        const rm2_factor *f = rm2_manifold_factor(data->manifold, i);
        if (f->geometry != &rm2_euclidean)
            continue;
        double scale = sqrt(mean_variance(data, f));
        if (!isfinite(scale))
            return rm2i_fail(ctx, RM2_ERR_DATA, "%s: the variance of factor %zu (R%zu) overflows",
                             data->source, i + 1, f->n);
        if (scale == 0) /* constant columns have no scale of their own */
            continue;
        multiply_factor(data->manifold, f, data->count, 1 / scale, data->points);
        data->scale[i] *= scale;
    }
    return RM2_OK;
}

void rm2_data_unscale(const rm2_data *data, size_t n, double *points) {
    for (size_t i = 0; i < rm2_manifold_factor_count(data->manifold); i++)
        if (data->scale[i] != 1)
            multiply_factor(data->manifold, rm2_manifold_factor(data->manifold, i), n,
                            data->scale[i], points);
}
