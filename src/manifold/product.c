/* A point of a product is its factors' points side by side: every operation runs over the factors
 * with their offsets; distances add in squares, log-volumes add. A single manifold is a product of
 * one. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "manifold/manifold.h"

static rm2_status report(rm2_status status, size_t factor, size_t *failed) {
    if (status != RM2_OK && failed)
        *failed = factor;
    return status;
}

/* Run `call` for each factor f with index i; hand on the first failure. */
#define FOR_FACTORS(m, f, i, call)                                                                 \
    for (size_t i = 0; i < (m)->count; i++) {                                                      \
        const rm2_factor *f = &(m)->factors[i];                                                    \
        rm2_status status = (call);                                                                \
        if (status != RM2_OK)                                                                      \
            return report(status, i, failed);                                                      \
    }                                                                                              \
    return RM2_OK

rm2_status rm2i_manifold_frame(const rm2_manifold *m, const double *p, double *frame, double *work,
                               size_t *failed) {
    FOR_FACTORS(m, f, i,
                f->geometry->frame(f->n, p + f->ambient_offset, frame + m->frame_offsets[i], work));
}

void rm2i_manifold_to_coords(const rm2_manifold *m, const double *frame, const double *v, double *c,
                             double *work) {
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        f->geometry->to_coords(f->n, frame + m->frame_offsets[i], v + f->ambient_offset,
                               c + f->dim_offset, work);
    }
}

void rm2i_manifold_from_coords(const rm2_manifold *m, const double *frame, const double *c,
                               double *v, double *work) {
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        f->geometry->from_coords(f->n, frame + m->frame_offsets[i], c + f->dim_offset,
                                 v + f->ambient_offset, work);
    }
}

rm2_status rm2i_manifold_exp(const rm2_manifold *m, const double *frame, const double *c, double *y,
                             double *work, size_t *failed) {
    FOR_FACTORS(m, f, i,
                f->geometry->exp(f->n, frame + m->frame_offsets[i], c + f->dim_offset,
                                 y + f->ambient_offset, work));
}

rm2_status rm2i_manifold_log(const rm2_manifold *m, const double *frame, const double *q, double *c,
                             double *work, size_t *failed) {
    FOR_FACTORS(m, f, i,
                f->geometry->log(f->n, frame + m->frame_offsets[i], q + f->ambient_offset,
                                 c + f->dim_offset, work));
}

rm2_status rm2i_manifold_distance(const rm2_manifold *m, const double *p, const double *q,
                                  double *d, double *work, size_t *failed) {
    double sum = 0;
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        double part;
        rm2_status status =
            f->geometry->distance(f->n, p + f->ambient_offset, q + f->ambient_offset, &part, work);
        if (status != RM2_OK)
            return report(status, i, failed);
        sum = m->count == 1 ? part : hypot(sum, part);
    }
    *d = sum;
    return RM2_OK;
}

rm2_status rm2i_manifold_transport(const rm2_manifold *m, const double *frame, const double *c,
                                   const double *z, double *out, double *work, size_t *failed) {
    FOR_FACTORS(m, f, i,
                f->geometry->transport(f->n, frame + m->frame_offsets[i], c + f->dim_offset,
                                       z + f->dim_offset, out + f->ambient_offset, work));
}

rm2_status rm2i_manifold_dexp(const rm2_manifold *m, const double *frame, const double *c,
                              const double *w, double *out, double *work, size_t *failed) {
    FOR_FACTORS(m, f, i,
                f->geometry->dexp(f->n, frame + m->frame_offsets[i], c + f->dim_offset,
                                  w + f->dim_offset, out + f->ambient_offset, work));
}

rm2_status rm2i_manifold_project(const rm2_manifold *m, const double *x, double *y, double *work,
                                 size_t *failed) {
    FOR_FACTORS(m, f, i,
                f->geometry->project(f->n, x + f->ambient_offset, y + f->ambient_offset, work));
}

rm2_status rm2i_manifold_log_volume(const rm2_manifold *m, const double *c, double *value,
                                    double *work, size_t *failed) {
    *value = 0;
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        double part;
        rm2_status status = f->geometry->log_volume(f->n, c + f->dim_offset, &part, work);
        if (status != RM2_OK)
            return report(status, i, failed);
        *value += part;
    }
    return RM2_OK;
}

rm2_status rm2i_manifold_metric(const rm2_manifold *m, const double *c, size_t count,
                                const double *W, double *out, double *work, size_t *failed) {
    FOR_FACTORS(m, f, i,
                f->geometry->metric(f->n, c + f->dim_offset, count, W + f->dim_offset,
                                    out + f->dim_offset, m->dim, work));
}

rm2_status rm2i_manifold_metric_derivative(const rm2_manifold *m, const double *c, const double *z,
                                           size_t count, const double *W, double *out, double *work,
                                           size_t *failed) {
    FOR_FACTORS(m, f, i,
                f->geometry->metric_derivative(f->n, c + f->dim_offset, z + f->dim_offset, count,
                                               W + f->dim_offset, out + f->dim_offset, m->dim,
                                               work));
}

/* Squared norms for a geometry that has no call of its own; `out` is dim doubles. */
static rm2_status default_norms(const rm2_factor *f, const double *c, size_t count, const double *W,
                                size_t directions, const double *Z, size_t stride, double *value,
                                double *derivative, double *out, double *work) {
    rm2_status status = RM2_OK;
    for (size_t k = 0; k < count && status == RM2_OK; k++) {
        const double *w = W + k * stride;
        status = f->geometry->metric(f->n, c, 1, w, out, stride, work);
        value[k] += rm2i_dot(f->dim, w, out);
        for (size_t d = 0; d < directions && status == RM2_OK; d++) {
            status =
                f->geometry->metric_derivative(f->n, c, Z + d * stride, 1, w, out, stride, work);
            derivative[k * directions + d] += rm2i_dot(f->dim, w, out);
        }
    }
    return status;
}

rm2_status rm2i_manifold_metric_norms(const rm2_manifold *m, const double *c, size_t count,
                                      const double *W, size_t directions, const double *Z, bool sum,
                                      double *value, double *derivative, double *work,
                                      size_t *failed) {
    memset(value, 0, count * sizeof *value);
    if (directions)
        memset(derivative, 0, count * directions * sizeof *derivative);
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        size_t at = f->dim_offset;
        const double *own_Z = directions ? Z + at : NULL;
        rm2_status status =
            f->geometry->metric_norms
                ? f->geometry->metric_norms(f->n, c + at, count, W + at, directions, own_Z, m->dim,
                                            sum, value, derivative, work)
                : default_norms(f, c + at, count, W + at, directions, own_Z, m->dim, value,
                                derivative, work, work + f->dim);
        if (status != RM2_OK)
            return report(status, i, failed);
    }
    return RM2_OK;
}

void rm2i_manifold_random(const rm2_manifold *m, rm2_rng *rng, double *p, double *work) {
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        f->geometry->random_point(f->n, rng, p + f->ambient_offset, work);
    }
}
