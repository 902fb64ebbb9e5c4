/* With e and e' the derivatives dx/ds of the steps before and behind a node x_k, vectors of the tangent
 * space there,
 *
 *     e = -Log_{x_k}(x_{k-1}) / s_{k-1},    e' = Log_{x_k}(x_{k+1}) / s_k,
 *     c = 2 (e' - e)/(s_{k-1} + s_k)
 *
 * is the covariant derivative of dx/ds by second differences. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "trajectory/retime.h"

/* c along and across e. */
static rm2i_curvature measure(size_t dim, const double *e, const double *c) {
    rm2i_curvature curvature = {.square = rm2i_dot(dim, c, c), .along = rm2i_dot(dim, e, c)};
    double square = rm2i_dot(dim, e, e), part = square > 0 ? curvature.along / square : 0;
    for (size_t i = 0; i < dim; i++)
        curvature.across += square * (c[i] - part * e[i]) * (c[i] - part * e[i]);
    return curvature;
}

typedef struct node_scratch {
    double *frame, *before, *behind, *c; /* a frame, and coordinates */
    double *work;                        /* of the geometry */
} node_scratch;

/* Enough for any factor. */
static void lay_out(node_scratch *s, const rm2_manifold *m, rm2i_arena *a) {
    s->frame = rm2i_reserve(a, double, m->frame_size);
    s->before = rm2i_reserve(a, double, m->dim);
    s->behind = rm2i_reserve(a, double, m->dim);
    s->c = rm2i_reserve(a, double, m->dim);
    s->work = rm2i_reserve(a, double, m->work_size);
}

/* Of factor f at the front of step k > 0, and so at the back of the step before. */
static rm2_status bend_factor(const rm2i_timing *t, size_t k, size_t f, const node_scratch *s) {
    const rm2_manifold *m = t->manifold;
    const rm2_factor *factor = &m->factors[f];
    const rm2_geometry *g = factor->geometry;
    size_t n = factor->n, dim = factor->dim;
    const double *x = t->points + factor->ambient_offset;
    RM2_TRY(g->frame(n, x + t->point[k] * m->ambient, s->frame, s->work));
    RM2_TRY(g->log(n, s->frame, x + t->point[k - 1] * m->ambient, s->before, s->work));
    RM2_TRY(g->log(n, s->frame, x + (t->point[k] + 1) * m->ambient, s->behind, s->work));
    for (size_t i = 0; i < dim; i++) {
        s->before[i] /= -t->s[k - 1];
        s->behind[i] /= t->s[k];
        s->c[i] = 2 * (s->behind[i] - s->before[i]) / (t->s[k - 1] + t->s[k]);
    }
    t->curvature[((k - 1) * t->factors + f) * 2 + 1] = measure(dim, s->before, s->c);
    t->curvature[(k * t->factors + f) * 2] = measure(dim, s->behind, s->c);
    return RM2_OK;
}

static rm2_status bend_node(const void *job, size_t i, double *work) {
    const rm2i_timing *t = job;
    node_scratch s;
    lay_out(&s, t->manifold, &(rm2i_arena){work, 0});
    for (size_t f = 0; f < t->factors; f++)
        if (isfinite(t->acceleration[f]))
            RM2_TRY(bend_factor(t, i + 1, f, &s));
    return RM2_OK;
}

rm2_status rm2i_timing_bend(rm2_context *ctx, rm2i_timing *t) {
    const rm2_manifold *m = t->manifold;
    size_t failed = 0;
    memset(t->curvature, 0, t->steps * t->factors * 2 * sizeof *t->curvature);
    rm2i_arena work = {NULL, 0};
    lay_out(&(node_scratch){0}, m, &work);
    rm2_status status = rm2i_batch(ctx, t->steps - 1, work.used, bend_node, t, &failed);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return rm2i_fail(ctx, status, "no acceleration of %s at point %zu: %s", m->spec,
                     t->point[failed + 1], rm2_status_text(status));
}
