/* With e and e' the derivatives dx/ds of the steps before and behind a node x_k, vectors of the tangent
 * space there,
 *
 *     e = -Log_{x_k}(x_{k-1}) / s_{k-1},    e' = Log_{x_k}(x_{k+1}) / s_k,
 *     c = 2 (e' - e)/(s_{k-1} + s_k)
 *
 * is the covariant derivative of dx/ds by second differences. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "trajectory/retime.h"

/* c along and across e. */
static rm2i_bend measure(size_t dim, const double *e, const double *c) {
    rm2i_bend bend = {.square = rm2i_dot(dim, c, c), .along = rm2i_dot(dim, e, c)};
    double square = rm2i_dot(dim, e, e), part = square > 0 ? bend.along / square : 0;
    for (size_t i = 0; i < dim; i++)
        bend.across += square * (c[i] - part * e[i]) * (c[i] - part * e[i]);
    return bend;
}

/* Of factor f at the front of step k > 0, and so at the back of the step before. */
static rm2_status bend_factor(const rm2i_timing *t, size_t k, size_t f, double *work) {
    const rm2_manifold *m = t->manifold;
    const rm2_factor *factor = &m->factors[f];
    const rm2_geometry *g = factor->geometry;
    size_t n = factor->n, dim = factor->dim;
    const double *x = t->points + factor->ambient_offset;
    double *frame = rm2i_cut(&work, m->frame_size), *before = rm2i_cut(&work, dim);
    double *behind = rm2i_cut(&work, dim), *c = rm2i_cut(&work, dim);
    RM2_TRY(g->frame(n, x + t->point[k] * m->ambient, frame, work));
    RM2_TRY(g->log(n, frame, x + t->point[k - 1] * m->ambient, before, work));
    RM2_TRY(g->log(n, frame, x + (t->point[k] + 1) * m->ambient, behind, work));
    for (size_t i = 0; i < dim; i++) {
        before[i] /= -t->s[k - 1];
        behind[i] /= t->s[k];
        c[i] = 2 * (behind[i] - before[i]) / (t->s[k - 1] + t->s[k]);
    }
    t->bend[((k - 1) * t->factors + f) * 2 + 1] = measure(dim, before, c);
    t->bend[(k * t->factors + f) * 2] = measure(dim, behind, c);
    return RM2_OK;
}

static rm2_status bend_node(const void *job, size_t i, double *work) {
    const rm2i_timing *t = job;
    for (size_t f = 0; f < t->factors; f++)
        if (isfinite(t->acceleration[f]))
            RM2_TRY(bend_factor(t, i + 1, f, work));
    return RM2_OK;
}

rm2_status rm2i_timing_bend(rm2_context *ctx, rm2i_timing *t) {
    const rm2_manifold *m = t->manifold;
    size_t failed = 0;
    memset(t->bend, 0, t->steps * t->factors * 2 * sizeof *t->bend);
    rm2_status status = rm2i_batch(ctx, t->steps - 1, m->frame_size + 3 * m->dim + m->work_size,
                                   bend_node, t, &failed);
    if (status == RM2_OK || status == RM2_ERR_MEMORY || status == RM2_INTERRUPTED)
        return status;
    return rm2i_fail(ctx, status, "no acceleration of %s at point %zu: %s", m->spec,
                     t->point[failed + 1], rm2_status_text(status));
}
