/* H^n in the Lorentz model: points (p_0, s) of R^(n+1) with -p_0^2 + |s|^2 = -1, p_0 > 0. A frame
 * is the base point.
 *
 * Orthonormal basis at p: the boost that takes (1, 0) to p, B = [s^T; I + s s^T/(1 + p_0)], smooth
 * everywhere. Seen from p, a point q has spatial part B^T J (q - p) = sinh(d) * direction: its
 * length gives the distance d = asinh, without the cancellation of acosh(-<p,q>). */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "geometry/geometries.h"
#include "linalg/dense.h"
#include "math/special.h"

static void default_point(size_t n, double *p) {
    memset(p, 0, (n + 1) * sizeof *p);
    p[0] = 1;
}

/* Height of the hyperboloid above s. */
static double height(size_t n, const double *s) {
    return hypot(1, rm2i_norm(n, s));
}

static double defect(size_t n, const double *x, double *work) {
    (void)work;
    double h = height(n, x + 1), off = fabs(x[0] - h) / h;
    return isfinite(off) ? off : INFINITY;
}

/* Along the axis: s is kept, p_0 follows. */
static rm2_status project(size_t n, const double *x, double *y, double *work) {
    if (!(x[0] > 0) || isinf(defect(n, x, work)))
        return RM2_ERR_DOMAIN;
    memcpy(y + 1, x + 1, n * sizeof *y);
    y[0] = height(n, x + 1);
    return RM2_OK;
}

static void random_point(size_t n, rm2_rng *rng, double *p, double *work) {
    (void)work;
    for (size_t i = 1; i <= n; i++)
        p[i] = rm2_rng_normal(rng);
    p[0] = height(n, p + 1);
}

static bool on_upper_sheet(size_t n, const double *p) {
    return p[0] > 0 && !isinf(rm2i_max_abs(n + 1, p));
}

static rm2_status frame(size_t n, const double *p, double *out, double *work) {
    memcpy(out, p, (n + 1) * sizeof *out);
    return defect(n, p, work) <= RM2I_OFF_MANIFOLD ? RM2_OK : RM2_ERR_DOMAIN;
}

/* B^T J v for any v: its tangent part at p. */
static void to_coords(size_t n, const double *p, const double *v, double *c, double *work) {
    (void)work;
    double along = rm2i_dot(n, p + 1, v + 1) / (1 + p[0]) - v[0];
    for (size_t i = 0; i < n; i++)
        c[i] = v[i + 1] + p[i + 1] * along;
}

static void from_coords(size_t n, const double *p, const double *c, double *v, double *work) {
    (void)work;
    v[0] = rm2i_dot(n, p + 1, c);
    for (size_t i = 0; i < n; i++)
        v[i + 1] = c[i] + p[i + 1] * v[0] / (1 + p[0]);
}

static rm2_status exponential(size_t n, const double *p, const double *c, double *y, double *work) {
    rm2i_space_form f = rm2i_space_form_at(-1, rm2i_norm(n, c));
    from_coords(n, p, c, work, NULL);
    for (size_t i = 1; i <= n; i++)
        y[i] = f.cs * p[i] + f.snc * work[i];
    y[0] = height(n, y + 1);
    return isfinite(y[0]) ? RM2_OK : RM2_ERR_NUMERIC;
}

static rm2_status logarithm(size_t n, const double *p, const double *q, double *c, double *work) {
    if (!on_upper_sheet(n, p) || !on_upper_sheet(n, q))
        return RM2_ERR_DOMAIN;
    double rise = 0; /* q_0 - p_0 = (s_q - s_p).(s_q + s_p)/(q_0 + p_0) */
    for (size_t i = 1; i <= n; i++) {
        work[i] = q[i] - p[i];
        rise += work[i] * (q[i] + p[i]);
    }
    work[0] = rise / (q[0] + p[0]);
    to_coords(n, p, work, c, NULL);
    double sinh_d = rm2i_norm(n, c);
    double stretch = sinh_d > 0 ? asinh(sinh_d) / sinh_d : 0;
    for (size_t i = 0; i < n; i++)
        c[i] *= stretch;
    return isfinite(stretch) ? RM2_OK : RM2_ERR_DOMAIN;
}

static size_t work_size(size_t n) {
    return 2 * n + 1; /* an ambient vector and coordinates */
}

static rm2_status distance(size_t n, const double *p, const double *q, double *d, double *work) {
    double *c = work + n + 1;
    RM2_TRY(logarithm(n, p, q, c, work));
    *d = rm2i_norm(n, c);
    return RM2_OK;
}

static double injectivity_radius(size_t n) {
    (void)n;
    return INFINITY;
}

static rm2_status transport(size_t n, const double *p, const double *c, const double *z,
                            double *out, double *work) {
    from_coords(n, p, z, out, NULL);
    from_coords(n, p, c, work, NULL);
    rm2i_space_form_transport(-1, n + 1, rm2i_norm(n, c), p, work, rm2i_dot(n, c, z), out);
    return RM2_OK;
}

static rm2_status dexp(size_t n, const double *p, const double *c, const double *w, double *out,
                       double *work) {
    from_coords(n, p, w, out, NULL);
    from_coords(n, p, c, work, NULL);
    rm2i_space_form_dexp(-1, n + 1, rm2i_norm(n, c), p, work, rm2i_dot(n, c, w), out);
    return RM2_OK;
}

static rm2_status log_volume(size_t n, const double *c, double *value, double *work) {
    (void)work;
    *value = (double)(n - 1) * rm2i_log_snc(-1, rm2i_norm(n, c));
    return RM2_OK;
}

static rm2_status metric(size_t n, const double *c, const rm2_product_query *query, double *work) {
    (void)work;
    return rm2i_space_form_metric(-1, 1, n, c, query);
}

static rm2_status metric_derivative(size_t n, const double *c, const double *z,
                                    const rm2_product_query *query, double *work) {
    (void)work;
    return rm2i_space_form_metric_derivative(-1, 1, n, c, z, query);
}

static rm2_status metric_norms(size_t n, const double *c, const rm2_norms_query *query,
                               double *work) {
    (void)work;
    return rm2i_space_form_metric_norms(-1, 1, n, c, query);
}

const rm2_geometry rm2_hyperbolic = {
    .size = sizeof(rm2_geometry),
    .name = "H",
    .n_min = 1,
    .n_max = 1000000,
    .dim = rm2i_identity_size,
    .ambient = rm2i_next_size,
    .frame_size = rm2i_next_size,
    .work_size = work_size,
    .default_point = default_point,
    .defect = defect,
    .project = project,
    .random_point = random_point,
    .frame = frame,
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
};
