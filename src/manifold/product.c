/* A point of a product is its factors' points side by side: every operation runs over the factors
 * with their offsets; distances add in squares, log-volumes add. A single manifold is a product of
 * one. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "geometry/geometries.h"
#include "geometry/spd.h"
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

static const double LOW = (1 - RM2I_OFF_MANIFOLD) * (1 - RM2I_OFF_MANIFOLD),
                    HIGH = (1 + RM2I_OFF_MANIFOLD) * (1 + RM2I_OFF_MANIFOLD);

/* Is |x| = 1, by squares? */
static bool near_sphere(size_t entries, const double *x) {
    double square = 0;
    for (size_t k = 0; k < entries; k++)
        square += x[k] * x[k];
    return square >= LOW && square <= HIGH;
}

/* Is x0 = sqrt(1 + |s|^2), by squares? */
static bool near_hyperboloid(size_t entries, const double *x) {
    double square = 1;
    for (size_t k = 1; k < entries; k++)
        square += x[k] * x[k];
    return x[0] > 0 && x[0] * x[0] >= LOW * square && x[0] * x[0] <= HIGH * square;
}

static bool near_factor(const rm2_factor *f, const double *x, double *work) {
    const rm2_geometry *g = f->geometry;
    if (g == &rm2_euclidean)
        return true;
    if (g == &rm2_sphere || g == &rm2_rotation)
        return near_sphere(f->ambient, x);
    if (g == &rm2_hyperbolic)
        return near_hyperboloid(f->ambient, x);
    return rm2_is_spd(g) ? rm2i_spd_symmetric(f->n, x)
                         : g->defect(f->n, x, work) <= RM2I_OFF_MANIFOLD;
}

rm2_status rm2i_manifold_check(const rm2_manifold *m, const double *x, double *work,
                               size_t *failed) {
    FOR_FACTORS(m, f, i, near_factor(f, x + f->ambient_offset, work) ? RM2_OK : RM2_ERR_DOMAIN);
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

/* The coordinates of one factor. */
static rm2_product_query product_of(const rm2_factor *f, const rm2_product_query *q) {
    size_t at = f->dim_offset;
    return (rm2_product_query){q->count, q->W + at, q->out + at, q->stride};
}

rm2_status rm2i_manifold_metric(const rm2_manifold *m, const double *c,
                                const rm2_product_query *query, double *work, size_t *failed) {
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        rm2_product_query own = product_of(f, query);
        rm2_status status = f->geometry->metric(f->n, c + f->dim_offset, &own, work);
        if (status != RM2_OK)
            return report(status, i, failed);
    }
    return RM2_OK;
}

rm2_status rm2i_manifold_metric_derivative(const rm2_manifold *m, const double *c, const double *z,
                                           const rm2_product_query *query, double *work,
                                           size_t *failed) {
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        rm2_product_query own = product_of(f, query);
        rm2_status status =
            f->geometry->metric_derivative(f->n, c + f->dim_offset, z + f->dim_offset, &own, work);
        if (status != RM2_OK)
            return report(status, i, failed);
    }
    return RM2_OK;
}

/* Of squared norms for a geometry that has no call of its own. */
typedef struct norms_scratch {
    double *out, *work; /* dim; of the geometry */
} norms_scratch;

static void lay_out_norms(norms_scratch *s, const rm2_factor *f, rm2i_arena *a) {
    s->out = rm2i_reserve(a, double, f->dim);
    s->work = rm2i_reserve(a, double, f->geometry->work_size(f->n));
}

size_t rm2i_factor_work(const rm2_factor *f) {
    if (f->geometry->metric_norms)
        return f->geometry->work_size(f->n);
    norms_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out_norms(&s, f, &a);
    return a.used;
}

static rm2_status default_norms(const rm2_factor *f, const double *c, const rm2_norms_query *q,
                                double *memory) {
    rm2_status status = RM2_OK;
    norms_scratch s;
    lay_out_norms(&s, f, &(rm2i_arena){memory, 0});
    for (size_t k = 0; k < q->count && status == RM2_OK; k++) {
        const double *w = q->W + k * q->stride;
        const rm2_product_query one = {1, w, s.out, f->dim};
        status = f->geometry->metric(f->n, c, &one, s.work);
        q->value[k] += rm2i_dot(f->dim, w, s.out);
        for (size_t d = 0; d < q->directions && status == RM2_OK; d++) {
            status = f->geometry->metric_derivative(f->n, c, q->Z + d * q->stride, &one, s.work);
            q->derivative[k * q->directions + d] += rm2i_dot(f->dim, w, s.out);
        }
    }
    return status;
}

rm2_status rm2i_factor_norms(const rm2_factor *f, const double *c, const rm2_norms_query *query,
                             double *work) {
    return f->geometry->metric_norms ? f->geometry->metric_norms(f->n, c, query, work)
                                     : default_norms(f, c, query, work);
}

rm2_status rm2i_manifold_metric_norms(const rm2_manifold *m, const double *c,
                                      const rm2_norms_query *query, double *work, size_t *failed) {
    memset(query->value, 0, query->count * sizeof *query->value);
    if (query->directions)
        memset(query->derivative, 0, query->count * query->directions * sizeof *query->derivative);
    for (size_t i = 0; i < m->count; i++) {
        const rm2_factor *f = &m->factors[i];
        size_t at = f->dim_offset;
        rm2_norms_query own = *query;
        own.W += at;
        own.Z = query->directions ? query->Z + at : NULL;
        rm2_status status = rm2i_factor_norms(f, c + at, &own, work);
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
