/* Points at equal steps along a trajectory. */
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
    double *c, *rest;       /* count x dim, count: how far it is behind the first */
    double *memory;
} steps;

static void lay_out(void *arg, rm2i_arena *a) {
    steps *s = arg;
    s->before = rm2i_take(a, double, s->count, s->m->ambient);
    s->after = rm2i_take(a, double, s->count, s->m->ambient);
    s->c = rm2i_take(a, double, s->count, s->m->dim);
    s->rest = rm2i_take(a, double, s->count);
}

/* Exp_p(s Log_p(q)) at t = k (n - 1)/(count - 1), p and q the points before and after, s the rest. */
static rm2_status interpolate(rm2_context *ctx, const steps *s, size_t n, const double *points,
                              double *out) {
    const rm2_manifold *m = s->m;
    size_t D = m->ambient, count = s->count;
    for (size_t k = 0; k < count; k++) {
        double t = count > 1 ? (double)k * (double)(n - 1) / (double)(count - 1) : 0;
        size_t i = (size_t)t, next = i + 1 < n ? i + 1 : i;
        s->rest[k] = t - (double)i;
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

rm2_status rm2_trajectory_resample(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                   const double *points, size_t count, double *out) {
    RM2_REQUIRE(ctx, m, points, out);
    steps s = {.m = m, .count = count};
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no points to resample");
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, &s, &s.memory));
    rm2_status status = interpolate(ctx, &s, n, points, out);
    free(s.memory);
    return status;
}
