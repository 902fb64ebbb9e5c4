/* R^n: the flat space. A frame is the base point. */
#include <math.h>
#include <string.h>

#include "front/base.h"
#include "geometry/geometries.h"
#include "linalg/dense.h"

static void default_point(size_t n, double *p) {
    memset(p, 0, n * sizeof *p);
}

static double defect(size_t n, const double *x, double *work) {
    (void)work;
    return isinf(rm2i_max_abs(n, x)) ? INFINITY : 0;
}

static rm2_status project(size_t n, const double *x, double *y, double *work) {
    memcpy(y, x, n * sizeof *y);
    return isinf(defect(n, x, work)) ? RM2_ERR_DOMAIN : RM2_OK;
}

static void random_point(size_t n, rm2_rng *rng, double *p, double *work) {
    (void)work;
    for (size_t i = 0; i < n; i++)
        p[i] = rm2_rng_normal(rng);
}

static rm2_status frame(size_t n, const double *p, double *out, double *work) {
    memcpy(out, p, n * sizeof *out);
    return isinf(defect(n, p, work)) ? RM2_ERR_DOMAIN : RM2_OK;
}

static void copy(size_t n, const double *base, const double *v, double *out, double *work) {
    (void)base;
    (void)work;
    memcpy(out, v, n * sizeof *out);
}

static rm2_status exponential(size_t n, const double *p, const double *c, double *y, double *work) {
    (void)work;
    for (size_t i = 0; i < n; i++)
        y[i] = p[i] + c[i];
    return isinf(rm2i_max_abs(n, y)) ? RM2_ERR_NUMERIC : RM2_OK;
}

static rm2_status logarithm(size_t n, const double *p, const double *q, double *c, double *work) {
    (void)work;
    for (size_t i = 0; i < n; i++)
        c[i] = q[i] - p[i];
    return isinf(rm2i_max_abs(n, c)) ? RM2_ERR_DOMAIN : RM2_OK;
}

static rm2_status distance(size_t n, const double *p, const double *q, double *d, double *work) {
    (void)work;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (q[i] - p[i]) * (q[i] - p[i]);
    *d = sqrt(sum);
    return isfinite(*d) ? RM2_OK : RM2_ERR_DOMAIN;
}

static double injectivity_radius(size_t n) {
    (void)n;
    return INFINITY;
}

/* Transport and dExp leave the vector as it is. */
static rm2_status carry(size_t n, const double *p, const double *c, const double *z, double *out,
                        double *work) {
    (void)p;
    (void)c;
    (void)work;
    memcpy(out, z, n * sizeof *out);
    return RM2_OK;
}

static rm2_status log_volume(size_t n, const double *c, double *value, double *work) {
    (void)n;
    (void)c;
    (void)work;
    *value = 0;
    return RM2_OK;
}

static rm2_status metric(size_t n, const double *c, const rm2_product_query *query, double *work) {
    (void)c, (void)work;
    for (size_t k = 0; k < query->count; k++)
        memcpy(query->out + k * query->stride, query->W + k * query->stride,
               n * sizeof *query->out);
    return RM2_OK;
}

static rm2_status metric_derivative(size_t n, const double *c, const double *z,
                                    const rm2_product_query *query, double *work) {
    (void)c, (void)z, (void)work;
    for (size_t k = 0; k < query->count; k++)
        memset(query->out + k * query->stride, 0, n * sizeof *query->out);
    return RM2_OK;
}

/* G is constant: nothing is added to derivatives. */
static rm2_status metric_norms(size_t n, const double *c, const rm2_norms_query *query,
                               double *work) {
    (void)c, (void)work;
    for (size_t k = 0; k < query->count; k++) {
        const double *w = query->W + k * query->stride;
        query->value[k] += rm2i_dot(n, w, w);
    }
    return RM2_OK;
}

static rm2_status exp_many(size_t n, const double *p, size_t count, const double *v, double *y,
                           size_t stride) {
    double sum = 0; /* finite only if all entries are */
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < n; k++) {
            y[i * stride + k] = p[k] + v[i * stride + k];
            sum += y[i * stride + k] * 0;
        }
    return sum == 0 ? RM2_OK : RM2_ERR_UNSUPPORTED;
}

static rm2_status log_many(size_t n, const double *p, size_t count, const double *q, double *v,
                           size_t stride) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < n; k++) {
            v[i * stride + k] = q[i * stride + k] - p[k];
            sum += v[i * stride + k] * 0;
        }
    return sum == 0 ? RM2_OK : RM2_ERR_UNSUPPORTED;
}

const rm2_geometry rm2_euclidean = {
    .size = sizeof(rm2_geometry),
    .name = "R",
    .n_min = 1,
    .n_max = 1000000,
    .dim = rm2i_identity_size,
    .ambient = rm2i_identity_size,
    .frame_size = rm2i_identity_size,
    .work_size = rm2i_no_work,
    .default_point = default_point,
    .defect = defect,
    .project = project,
    .random_point = random_point,
    .frame = frame,
    .to_coords = copy,
    .from_coords = copy,
    .exp = exponential,
    .log = logarithm,
    .distance = distance,
    .injectivity_radius = injectivity_radius,
    .transport = carry,
    .dexp = carry,
    .log_volume = log_volume,
    .metric = metric,
    .metric_derivative = metric_derivative,
    .metric_norms = metric_norms,
    .many_n_max = 1000000,
    .exp_many = exp_many,
    .log_many = log_many,
};
