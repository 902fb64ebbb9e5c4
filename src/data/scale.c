/* What is done to points before training, and to new ones alike. Units: Euclidean factors are divided by one number each, so that a metre and a radian weigh about the
 * same. s = root of the mean over the factor's columns of their variance. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "linalg/shrink.h"

/* Multiply the factors of n points by scale (undo), or by 1/scale. */
static void multiply(const rm2_manifold *m, const double *scale, bool undo, size_t n,
                     double *points) {
    size_t ambient = rm2_manifold_ambient(m);
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        double by = undo ? scale[k] : 1 / scale[k];
        for (size_t i = 0; scale[k] != 1 && i < n; i++)
            for (size_t j = 0; j < f->ambient; j++)
                points[i * ambient + f->ambient_offset + j] *= by;
    }
}

void rm2i_data_scale(const rm2_data *data, size_t n, double *points) {
    multiply(data->manifold, data->scale, false, n, points);
}

void rm2_data_unscale(const rm2_data *data, size_t n, double *points) {
    if (data && points)
        multiply(data->manifold, data->scale, true, n, points);
}

void rm2_data_original(const rm2_data *data, double *points) {
    if (!data || !points)
        return;
    memcpy(points, data->points,
           data->count * rm2_manifold_ambient(data->manifold) * sizeof *points);
    rm2_data_unscale(data, data->count, points);
}

/* Entries of a factor. */
typedef struct entries {
    const rm2i_draft *d;
    const rm2_factor *f;
    const rm2i_rows *rows;
} entries;

static void find_largest(const void *job, void *state) {
    const entries *e = job;
    double *largest = state;
    size_t ambient = rm2_manifold_ambient(e->d->manifold);
    for (size_t i = 0; i < e->d->count; i++)
        for (size_t k = 0; k < e->f->ambient; k++)
            *largest = fmax(*largest, fabs(e->d->points[i * ambient + e->f->ambient_offset + k]));
}

/* A power of two that the factor's entries are of the size of where their squares would vanish; otherwise 1.
 * Entries whose squares overflow have been rejected. */
static double unit_of(const entries *e) {
    enum { SMALL = -400 }; /* squares below 2^-800 come near the least normal number, 2^-1022 */
    double largest = 0;
    int exponent = 0;
    rm2i_rows_fold(e->rows, sizeof largest, &largest, find_largest, e);
    (void)frexp(largest, &exponent);
    return largest > 0 && exponent < SMALL ? ldexp(1, exponent - 1) : 1;
}

/* A column of the factor, in units of `unit`. */
typedef struct column {
    const entries *e;
    size_t entry;
    double unit, mean;
} column;

static double value_at(const column *c, size_t i) {
    size_t ambient = rm2_manifold_ambient(c->e->d->manifold);
    return c->e->d->points[i * ambient + c->e->f->ambient_offset + c->entry] / c->unit;
}

static void add_shares(const void *job, void *state) {
    const column *c = job;
    double *mean = state, n = (double)rm2i_rows_all(c->e->rows, c->e->d->count);
    for (size_t i = 0; i < c->e->d->count; i++)
        *mean += value_at(c, i) / n;
}

static void add_squares(const void *job, void *state) {
    const column *c = job;
    double *sum = state;
    for (size_t i = 0; i < c->e->d->count; i++)
        *sum += (value_at(c, i) - c->mean) * (value_at(c, i) - c->mean);
}

/* Mean over the factor's columns of their variance (divisor n - 1), in units of unit^2. */
static double mean_variance(const entries *e, double unit) {
    double total = 0, n = (double)rm2i_rows_all(e->rows, e->d->count);
    for (size_t k = 0; k < e->f->ambient; k++) {
        column c = {e, k, unit, 0};
        double squares = 0;
        rm2i_rows_fold(e->rows, sizeof c.mean, &c.mean, add_shares,
                       &(column){.e = e, .entry = k, .unit = unit});
        rm2i_rows_fold(e->rows, sizeof squares, &squares, add_squares, &c);
        total += squares / (n - 1);
    }
    return total / (double)e->f->ambient;
}

static rm2_status find_scale(rm2_context *ctx, const rm2i_rows *rows, rm2i_draft *d) {
    if (rm2i_rows_all(rows, d->count) < 2)
        return rm2i_fail(ctx, RM2_ERR_DATA, "scaling needs at least 2 points, %s has %zu",
                         d->source, d->count);
    for (size_t k = 0; k < rm2_manifold_factor_count(d->manifold); k++) {
        const entries e = {d, rm2_manifold_factor(d->manifold, k), rows};
        if (e.f->geometry != &rm2_euclidean)
            continue;
        double unit = unit_of(&e), scale = unit * sqrt(mean_variance(&e, unit));
        if (isnan(scale))
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "%s: factor %zu (R%zu) has missing entries; scaling needs all of them",
                             d->source, k + 1, e.f->n);
        if (scale > 0 && scale < RM2I_UNIT_LEAST)
            return rm2i_fail(
                ctx, RM2_ERR_DATA,
                "%s: factor %zu (R%zu) varies by %g; below %g its scale is not exact: multiply its "
                "entries by one large number, or choose smaller units",
                d->source, k + 1, e.f->n, scale, RM2I_UNIT_LEAST);
        if (scale > 0) /* constant columns have no scale of their own */
            d->scale[k] = scale;
    }
    return RM2_OK;
}

bool rm2i_scale_vanishes(const rm2i_draft *d, const rm2i_rows *rows) {
    bool vanishes = false;
    bool several = rm2i_rows_all(rows, d->count) > 1;
    for (size_t k = 0; several && k < rm2_manifold_factor_count(d->manifold); k++) {
        const entries e = {d, rm2_manifold_factor(d->manifold, k), rows};
        if (e.f->geometry == &rm2_euclidean)
            vanishes |= unit_of(&e) != 1;
    }
    return vanishes;
}

rm2_status rm2i_scale(rm2_context *ctx, const rm2i_rows *rows, rm2i_draft *draft,
                      rm2i_draft *held_out) {
    RM2_TRY(find_scale(ctx, rows, draft));
    multiply(draft->manifold, draft->scale, false, draft->count, draft->points);
    if (!held_out || !held_out->manifold)
        return RM2_OK;
    memcpy(held_out->scale, draft->scale,
           rm2_manifold_factor_count(draft->manifold) * sizeof *draft->scale);
    multiply(draft->manifold, draft->scale, false, held_out->count, held_out->points);
    return RM2_OK;
}

void rm2_data_regularise_points(const rm2_data *reference, size_t n, double *points) {
    if (!reference || !points || !(reference->shrinkage > 0))
        return;
    size_t ambient = rm2_manifold_ambient(reference->manifold);
    for (size_t k = 0; k < rm2_manifold_factor_count(reference->manifold); k++) {
        const rm2_factor *f = rm2_manifold_factor(reference->manifold, k);
        for (size_t i = 0; rm2_is_spd(f->geometry) && i < n; i++)
            rm2i_shrink(f->n, reference->shrinkage, points + i * ambient + f->ambient_offset);
    }
}
