/* S^n, the unit sphere of R^(n+1). A frame is the base point p.
 *
 * Orthonormal basis at p: columns 1..n of the Householder matrix H = I - u u^T/(1 + |p_0|),
 * u = p + sign(p_0) e_0, which exists at every p (it is discontinuous across p_0 = 0); on S^3 the
 * quaternion products p i, p j, p k, which are smooth everywhere.
 * Distance 2 atan2(|p - q|, |p + q|): arccos would lose half the digits near 0 and pi. The
 * direction of the logarithm is that of q - p, or of q + p beyond 120 degrees, seen in the basis at
 * p: the shorter of the two keeps its digits. */
#include "geometry/sphere.h"

#include <math.h>
#include <string.h>

#include "front/base.h"
#include "geometry/geometries.h"
#include "linalg/dense.h"
#include "math/special.h"

size_t rm2i_sphere_work(size_t n) {
    return n + 1;
}

void rm2i_sphere_default_point(size_t n, double *p) {
    memset(p, 0, (n + 1) * sizeof *p);
    p[0] = 1;
}

double rm2i_sphere_defect(size_t n, const double *x, double *work) {
    (void)work;
    double off = fabs(rm2i_norm(n + 1, x) - 1);
    return isfinite(off) ? off : INFINITY;
}

rm2_status rm2i_sphere_project(size_t n, const double *x, double *y, double *work) {
    (void)work;
    double length = rm2i_norm(n + 1, x);
    if (!(length > 0) || isinf(length))
        return RM2_ERR_DOMAIN;
    for (size_t i = 0; i <= n; i++)
        y[i] = x[i] / length;
    return RM2_OK;
}

void rm2i_sphere_random_point(size_t n, rm2_rng *rng, double *p, double *work) {
    do { /* a normal vector's direction is uniform */
        for (size_t i = 0; i <= n; i++)
            work[i] = rm2_rng_normal(rng);
    } while (rm2i_sphere_project(n, work, p, NULL) != RM2_OK);
}

rm2_status rm2i_sphere_frame(size_t n, const double *p, double *frame, double *work) {
    memcpy(frame, p, (n + 1) * sizeof *frame);
    return rm2i_sphere_defect(n, p, work) <= RM2I_OFF_MANIFOLD ? RM2_OK : RM2_ERR_DOMAIN;
}

static double householder_sign(const double *p) {
    return p[0] < 0 ? -1 : 1;
}

void rm2i_sphere_to_coords(size_t n, const double *p, const double *v, double *c, double *work) {
    (void)work;
    if (n == 3) { /* c = Im(conj(p) v) */
        c[0] = -p[1] * v[0] + p[0] * v[1] + p[3] * v[2] - p[2] * v[3];
        c[1] = -p[2] * v[0] - p[3] * v[1] + p[0] * v[2] + p[1] * v[3];
        c[2] = -p[3] * v[0] + p[2] * v[1] - p[1] * v[2] + p[0] * v[3];
        return;
    }
    double sign = householder_sign(p);
    double uv = (rm2i_dot(n + 1, p, v) + sign * v[0]) / (1 + fabs(p[0]));
    for (size_t i = 1; i <= n; i++) /* rows 1..n of v - u (u.v)/(1 + |p_0|) */
        c[i - 1] = v[i] - p[i] * uv;
}

void rm2i_sphere_from_coords(size_t n, const double *p, const double *c, double *v, double *work) {
    (void)work;
    if (n == 3) { /* v = p (0, c) */
        v[0] = -p[1] * c[0] - p[2] * c[1] - p[3] * c[2];
        v[1] = p[0] * c[0] - p[3] * c[1] + p[2] * c[2];
        v[2] = p[3] * c[0] + p[0] * c[1] - p[1] * c[2];
        v[3] = -p[2] * c[0] + p[1] * c[1] + p[0] * c[2];
        return;
    }
    double uc = rm2i_dot(n, p + 1, c) / (1 + fabs(p[0])); /* H (0, c) */
    v[0] = -(p[0] + householder_sign(p)) * uc;
    for (size_t i = 1; i <= n; i++)
        v[i] = c[i - 1] - p[i] * uc;
}

rm2_status rm2i_sphere_exp(size_t n, const double *p, const double *c, double *y, double *work) {
    rm2i_space_form f = rm2i_space_form_at(1, rm2i_norm(n, c));
    rm2i_sphere_from_coords(n, p, c, work, NULL);
    for (size_t i = 0; i <= n; i++)
        work[i] = f.cs * p[i] + f.snc * work[i];
    return rm2i_sphere_project(n, work, y, NULL);
}

/* |p - q| and |p + q| */
static void chords(size_t n, const double *p, const double *q, double *minus, double *plus) {
    double a = 0, b = 0;
    for (size_t i = 0; i <= n; i++) {
        a += (p[i] - q[i]) * (p[i] - q[i]);
        b += (p[i] + q[i]) * (p[i] + q[i]);
    }
    *minus = sqrt(a);
    *plus = sqrt(b);
}

rm2_status rm2i_sphere_log(size_t n, const double *p, const double *q, double *c, double *work) {
    double minus, plus;
    chords(n, p, q, &minus, &plus);
    if (plus < 0.5 * RM2I_CUT_LOCUS * minus) /* pi - d = 2 atan(plus/minus) */
        return RM2_ERR_CUT_LOCUS;
    double side = plus < 1 ? 1 : -1; /* |p + q| < 1: more than 120 degrees apart */
    for (size_t i = 0; i <= n; i++)
        work[i] = q[i] + side * p[i];
    rm2i_sphere_to_coords(n, p, work, c, NULL);
    double length = rm2i_norm(n, c);
    double stretch = length > 0 ? 2 * atan2(minus, plus) / length : 0;
    for (size_t i = 0; i < n; i++)
        c[i] *= stretch;
    return isfinite(stretch * length) ? RM2_OK : RM2_ERR_DOMAIN;
}

rm2_status rm2i_sphere_distance(size_t n, const double *p, const double *q, double *d,
                                double *work) {
    (void)work;
    double minus, plus;
    chords(n, p, q, &minus, &plus);
    *d = 2 * atan2(minus, plus);
    return isfinite(minus + plus) ? RM2_OK : RM2_ERR_DOMAIN;
}

static double injectivity_radius(size_t n) {
    (void)n;
    return RM2_PI;
}

rm2_status rm2i_sphere_transport(size_t n, const double *p, const double *c, const double *z,
                                 double *out, double *work) {
    rm2i_sphere_from_coords(n, p, z, out, NULL);
    rm2i_sphere_from_coords(n, p, c, work, NULL);
    rm2i_space_form_transport(1, n + 1, rm2i_norm(n, c), p, work, rm2i_dot(n, c, z), out);
    return RM2_OK;
}

rm2_status rm2i_sphere_dexp(size_t n, const double *p, const double *c, const double *w,
                            double *out, double *work) {
    rm2i_sphere_from_coords(n, p, w, out, NULL);
    rm2i_sphere_from_coords(n, p, c, work, NULL);
    rm2i_space_form_dexp(1, n + 1, rm2i_norm(n, c), p, work, rm2i_dot(n, c, w), out);
    return RM2_OK;
}

static rm2_status log_volume(size_t n, const double *c, double *value, double *work) {
    (void)work;
    *value = (double)(n - 1) * rm2i_log_snc(1, rm2i_norm(n, c));
    return RM2_OK;
}

static rm2_status metric(size_t n, const double *c, const rm2_product_query *query, double *work) {
    (void)work;
    return rm2i_space_form_metric(1, 1, n, c, query);
}

static rm2_status metric_derivative(size_t n, const double *c, const double *z,
                                    const rm2_product_query *query, double *work) {
    (void)work;
    return rm2i_space_form_metric_derivative(1, 1, n, c, z, query);
}

static rm2_status metric_norms(size_t n, const double *c, const rm2_norms_query *query,
                               double *work) {
    (void)work;
    return rm2i_space_form_metric_norms(1, 1, n, c, query);
}

static rm2_status log_many(size_t n, const double *p, size_t count, const double *q, double *v,
                           size_t stride) {
    return rm2i_sphere_log_many(n, p, count, q, v, stride, false);
}

const rm2_geometry rm2_sphere = {
    .size = sizeof(rm2_geometry),
    .name = "S",
    .n_min = 1,
    .n_max = 1000000,
    .dim = rm2i_identity_size,
    .ambient = rm2i_next_size,
    .frame_size = rm2i_next_size,
    .work_size = rm2i_sphere_work,
    .default_point = rm2i_sphere_default_point,
    .defect = rm2i_sphere_defect,
    .project = rm2i_sphere_project,
    .random_point = rm2i_sphere_random_point,
    .frame = rm2i_sphere_frame,
    .to_coords = rm2i_sphere_to_coords,
    .from_coords = rm2i_sphere_from_coords,
    .exp = rm2i_sphere_exp,
    .log = rm2i_sphere_log,
    .distance = rm2i_sphere_distance,
    .injectivity_radius = injectivity_radius,
    .transport = rm2i_sphere_transport,
    .dexp = rm2i_sphere_dexp,
    .log_volume = log_volume,
    .metric = metric,
    .metric_derivative = metric_derivative,
    .metric_norms = metric_norms,
    .many_n_max = RM2I_SPHERE_MANY,
    .exp_many = rm2i_sphere_exp_many,
    .log_many = log_many,
};
