/* SO(3) as unit quaternions (w, x, y, z), where q and -q are the same rotation.
 *
 * The distance is the rotation angle, twice the distance on S^3: coordinates c at q are the
 * rotation vector in the body frame, Exp_q(c) = q * (cos |c|/2, sin(|c|/2) c/|c|). So every
 * function is the sphere's at c/2, and the logarithm takes the nearer of q and -q. The cut locus is
 * at the angle pi. Ambient tangent vectors are those of S^3; their Riemannian norm is twice the
 * Euclidean. */
#include <math.h>

#include "front/base.h"
#include "geometry/geometries.h"
#include "geometry/sphere.h"
#include "linalg/dense.h"
#include "math/special.h"

static size_t dim(size_t n) {
    (void)n;
    return 3;
}

static size_t ambient(size_t n) {
    (void)n;
    return 4;
}

static size_t work_size(size_t n) {
    return rm2i_sphere_work(n) + 4; /* and a scaled or negated copy of an argument */
}

static void halve(const double *c, double *half) {
    for (int i = 0; i < 3; i++)
        half[i] = 0.5 * c[i];
}

static void twice(double *c) {
    for (int i = 0; i < 3; i++)
        c[i] *= 2;
}

static void to_coords(size_t n, const double *q, const double *v, double *c, double *work) {
    rm2i_sphere_to_coords(n, q, v, c, work);
    twice(c);
}

static void from_coords(size_t n, const double *q, const double *c, double *v, double *work) {
    double half[3];
    halve(c, half);
    rm2i_sphere_from_coords(n, q, half, v, work);
}

static rm2_status exponential(size_t n, const double *q, const double *c, double *y, double *work) {
    double half[3];
    halve(c, half);
    return rm2i_sphere_exp(n, q, half, y, work);
}

/* The representative of `to` on the side of `from`. */
static void nearer(const double *from, const double *to, double *near) {
    double sign = rm2i_dot(4, from, to) < 0 ? -1 : 1;
    for (int i = 0; i < 4; i++)
        near[i] = sign * to[i];
}

static rm2_status distance(size_t n, const double *p, const double *q, double *d, double *work) {
    nearer(p, q, work);
    rm2_status status = rm2i_sphere_distance(n, p, work, d, NULL);
    *d *= 2;
    return status;
}

static double injectivity_radius(size_t n) {
    (void)n;
    return RM2_PI;
}

static rm2_status logarithm(size_t n, const double *p, const double *q, double *c, double *work) {
    double *near = work + rm2i_sphere_work(n);
    nearer(p, q, near);
    /* distance to the cut locus: pi - angle = 2 asin <p, q> */
    if (fabs(2 * rm2i_dot(4, p, near)) < RM2I_CUT_LOCUS)
        return RM2_ERR_CUT_LOCUS;
    rm2_status status = rm2i_sphere_log(n, p, near, c, work);
    twice(c);
    return status;
}

static rm2_status transport(size_t n, const double *q, const double *c, const double *z,
                            double *out, double *work) {
    double half_c[3], half_z[3];
    halve(c, half_c);
    halve(z, half_z);
    return rm2i_sphere_transport(n, q, half_c, half_z, out, work);
}

static rm2_status dexp(size_t n, const double *q, const double *c, const double *w, double *out,
                       double *work) {
    double half_c[3], half_w[3];
    halve(c, half_c);
    halve(w, half_w);
    return rm2i_sphere_dexp(n, q, half_c, half_w, out, work);
}

static rm2_status log_volume(size_t n, const double *c, double *value, double *work) {
    (void)n;
    (void)work;
    *value = 2 * rm2i_log_snc(1, 0.5 * rm2i_norm(3, c));
    return RM2_OK;
}

static rm2_status metric(size_t n, const double *c, const rm2_product_query *query, double *work) {
    (void)work;
    return rm2i_space_form_metric(1, 0.5, n, c, query);
}

static rm2_status metric_derivative(size_t n, const double *c, const double *z,
                                    const rm2_product_query *query, double *work) {
    (void)work;
    return rm2i_space_form_metric_derivative(1, 0.5, n, c, z, query);
}

static rm2_status metric_norms(size_t n, const double *c, const rm2_norms_query *query,
                               double *work) {
    (void)work;
    return rm2i_space_form_metric_norms(1, 0.5, n, c, query);
}

static rm2_status log_many(size_t n, const double *p, size_t count, const double *q, double *v,
                           size_t stride) {
    return rm2i_sphere_log_many(n, p, count, q, v, stride, true);
}

const rm2_geometry rm2_rotation = {
    .size = sizeof(rm2_geometry),
    .name = "SO",
    .n_min = 3,
    .n_max = 3,
    .dim = dim,
    .ambient = ambient,
    .frame_size = ambient,
    .work_size = work_size,
    .default_point = rm2i_sphere_default_point,
    .defect = rm2i_sphere_defect,
    .project = rm2i_sphere_project,
    .random_point = rm2i_sphere_random_point,
    .frame = rm2i_sphere_frame,
    .to_coords = to_coords,
    .from_coords = from_coords,
    .exp = exponential,
    .log = logarithm,
    .distance = distance,
    .injectivity_radius = injectivity_radius,
    .transport = transport,
    .dexp = dexp,
    .log_volume = log_volume,
    .metric = metric,
    .metric_derivative = metric_derivative,
    .metric_norms = metric_norms,
    .many_n_max = 3,
    .exp_many = rm2i_sphere_exp_many, /* ambient vectors and points are those of S^3 */
    .log_many = log_many,
};
