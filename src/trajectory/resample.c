/* Points at equal steps along a trajectory: of its index, or of its arc length. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "manifold/manifold.h"
#include "riemann2/trajectory.h"

typedef struct steps {
    const rm2_manifold *m;
    size_t count;
    double *before, *after; /* count x ambient: the points around each new one */
    double *at;             /* count: where each new one is, as an index with a fraction */
    double *c, *rest;       /* count x dim, count: how far it is behind the first */
    double *memory;
} steps;

static void lay_out(void *arg, rm2i_arena *a) {
    steps *s = arg;
    s->before = rm2i_reserve(a, double, s->count, s->m->ambient);
    s->after = rm2i_reserve(a, double, s->count, s->m->ambient);
    s->at = rm2i_reserve(a, double, s->count);
    s->c = rm2i_reserve(a, double, s->count, s->m->dim);
    s->rest = rm2i_reserve(a, double, s->count);
}

/* Exp_p(s Log_p(q)), p and q the points before and after, s the rest. */
static rm2_status interpolate(rm2_context *ctx, const steps *s, size_t n, const double *points,
                              double *out) {
    const rm2_manifold *m = s->m;
    size_t D = m->ambient, count = s->count;
    for (size_t k = 0; k < count; k++) {
        size_t i = (size_t)s->at[k], next = i + 1 < n ? i + 1 : i;
        s->rest[k] = s->at[k] - (double)i;
        memcpy(s->before + k * D, points + i * D, D * sizeof *points);
        memcpy(s->after + k * D, points + (s->rest[k] > 0 ? next : i) * D, D * sizeof *points);
    }
    RM2_TRY(rm2_manifold_log_coords(ctx, m, count, s->before, count, s->after, s->c));
    for (size_t i = 0; i < count * m->dim; i++)
        s->c[i] *= s->rest[i / m->dim];
    RM2_TRY(rm2_manifold_exp_coords(ctx, m, count, s->before, count, s->c, out));
    for (size_t k = 0; k < count; k++) /* points that are kept are kept exactly */
        if (s->rest[k] <= 0)
            memcpy(out + k * D, s->before + k * D, D * sizeof *out);
    return RM2_OK;
}

/* t = k (n - 1)/(count - 1) */
static void at_equal_indices(const steps *s, size_t n) {
    for (size_t k = 0; k < s->count; k++)
        s->at[k] = s->count > 1 ? (double)k * (double)(n - 1) / (double)(s->count - 1) : 0;
}

/* Where the arc length is k L/(count - 1); `length` has those of the n - 1 steps. */
static void at_equal_lengths(const steps *s, size_t n, const double *length) {
    double total = 0, before = 0;
    size_t i = 0;
    for (size_t k = 0; k + 1 < n; k++)
        total += length[k];
    for (size_t k = 0; k < s->count; k++) {
        double wanted = s->count > 1 ? total * (double)k / (double)(s->count - 1) : 0;
        while (i + 1 < n && before + length[i] < wanted)
            before += length[i++];
        double part = i + 1 < n && length[i] > 0 ? (wanted - before) / length[i] : 0;
        s->at[k] = (double)i + fmin(fmax(part, 0), 1);
    }
    if (s->count > 1 && total > 0) /* whatever rounding does to the sum */
        s->at[s->count - 1] = (double)(n - 1);
}

static rm2_status resample(rm2_context *ctx, steps *s, size_t n, const double *points,
                           const double *length, double *out) {
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, s, &s->memory));
    if (length)
        at_equal_lengths(s, n, length);
    else
        at_equal_indices(s, n);
    rm2_status status = interpolate(ctx, s, n, points, out);
    free(s->memory);
    return status;
}

rm2_status rm2_trajectory_resample(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                   const double *points, size_t count, double *out) {
    RM2_REQUIRE(ctx, m, points, out);
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no points to resample");
    return resample(ctx, &(steps){.m = m, .count = count}, n, points, NULL, out);
}

rm2_status rm2_trajectory_resample_by_length(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                             const double *points, size_t count, double *out) {
    RM2_REQUIRE(ctx, m, points, out);
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no points to resample");
    double *length;
    RM2_TRY(rm2i_alloc(ctx, n, sizeof *length, &length));
    rm2_status status = rm2_manifold_distance(ctx, m, n - 1, points, n - 1,
                                              points + (n > 1 ? m->ambient : 0), length);
    if (status == RM2_OK)
        status = resample(ctx, &(steps){.m = m, .count = count}, n, points, length, out);
    free(length);
    return status;
}
