/* SPD(n) with the log-Euclidean metric of Arsigny, Fillard, Pennec and Ayache (SIAM J. Matrix Analysis 29, 2007).
 *
 * logm maps SPD(n) one to one onto the symmetric matrices, and the metric is the one that makes it an isometry:
 *   <V, W>_P = tr(Dlog_P[V] Dlog_P[W])
 * The space is flat. Coordinates of V are those of S = Dlog_P[V] (spd_frame.c), and
 *   Exp_P = expm(logm P + S)     Log_P(Q) = logm Q - logm P     d(P, Q) = |logm P - logm Q|
 * The mean is expm of the mean of the logarithms, one step of the general iteration from anywhere. Volume is kept, G = I.
 * With X = U diag(l) U^T and W~ = U^T W U the derivative of expm is
 *   Dexp_X[W] = U [m(l_a, l_b) W~_ab] U^T,  m(a, b) = (e^a - e^b)/(a - b),
 * and that of logm at expm(X) has 1/m. Transport keeps coordinates: its ambient vector is Dexp at the end.
 * Frame f: logm P, its eigenvectors (rows of Ut), its eigenvalues. */
#include <math.h>

#include "base/base.h"
#include "geometry/geometries.h"
#include "geometry/spd.h"
#include "linalg/dense.h"
#include "math/special.h"

static const double WIDE_SPECTRUM =
    1e-6; /* smallest/largest eigenvalue below which Jacobi is used */

static size_t frame_size(size_t n) {
    return 2 * n * n + n;
}

/* ---- logarithm and exponential of a matrix ---------------------------------------------------- */

/* values, Ut: eigenvalues and vectors of logm(p). A wide spectrum is found from the Cholesky factor, whose small
 * singular values keep their digits. */
static rm2_status log_spectrum(size_t n, const double *p, double *values, double *Ut,
                               const rm2i_spd_scratch *s) {
    double low = INFINITY, high = 0;
    if (isinf(rm2i_max_abs(n * n, p)) || rm2i_cholesky(n, p, s->B) != RM2_OK)
        return RM2_ERR_DOMAIN;
    if (rm2i_eigen(n, p, values, Ut, s->eigen) != RM2_OK)
        return RM2_ERR_DOMAIN;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    if (!(low > WIDE_SPECTRUM * high)) {
        RM2_TRY(rm2i_eigen_gram(n, s->B, values, Ut));
        for (size_t i = 0; i < n; i++)
            if (!(values[i] > 0))
                return RM2_ERR_DOMAIN;
    }
    for (size_t i = 0; i < n; i++)
        values[i] = log(values[i]);
    return RM2_OK;
}

/* Eigenvalues and vectors of logm P + S in s.values, s.Ut. */
static rm2_status end_spectrum(size_t n, const double *f, const double *c,
                               const rm2i_spd_scratch *s) {
    rm2i_spd_unpack_coords(n, c, s->A);
    rm2i_axpy(n * n, 1, f, s->A);
    return rm2i_eigen(n, s->A, s->values, s->Ut, s->eigen);
}

static double divided_exponential(double a, double b) {
    return exp((a + b) / 2) * rm2i_space_form_at(-1, fabs(a - b) / 2).snc;
}

static double divided_logarithm(double a, double b) {
    return 1 / divided_exponential(a, b);
}

/* out = U [m(l_a, l_b) (U^T X U)_ab] U^T; Ut and l are given. X may be out. */
static void multiply_in_basis(size_t n, const double *Ut, const double *l,
                              double (*m)(double, double), const double *X, double *out,
                              const rm2i_spd_scratch *s) {
    rm2i_transpose(n, Ut, s->C);
    rm2i_multiply(n, Ut, X, s->B);
    rm2i_multiply(n, s->B, s->C, s->A); /* U^T X U */
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            s->A[a * n + b] *= m(l[a], l[b]);
    rm2i_multiply(n, s->A, Ut, s->B);
    rm2i_multiply(n, s->C, s->B, out);
    rm2i_symmetrise(n, out);
}

/* ---- tangent spaces -------------------------------------------------------------------------- */

static rm2_status frame(size_t n, const double *p, double *out, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    double *Ut = out + n * n, *values = Ut + n * n;
    if (!rm2i_spd_symmetric(n, p))
        return RM2_ERR_DOMAIN;
    RM2_TRY(log_spectrum(n, p, values, Ut, &s));
    rm2i_weighted_gram(n, values, Ut, out);
    return RM2_OK;
}

static void to_coords(size_t n, const double *f, const double *v, double *c, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    multiply_in_basis(n, f + n * n, f + 2 * n * n, divided_logarithm, v, s.frame, &s);
    rm2i_spd_pack_coords(n, s.frame, c);
}

static void from_coords(size_t n, const double *f, const double *c, double *v, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    rm2i_spd_unpack_coords(n, c, s.frame);
    multiply_in_basis(n, f + n * n, f + 2 * n * n, divided_exponential, s.frame, v, &s);
}

/* ---- geodesics ------------------------------------------------------------------------------- */

static rm2_status exponential(size_t n, const double *f, const double *c, double *y, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(end_spectrum(n, f, c, &s));
    for (size_t i = 0; i < n; i++)
        s.values[i] = exp(s.values[i]);
    rm2i_weighted_gram(n, s.values, s.Ut, y);
    double size = rm2i_max_abs(n * n, y);
    return size == 0 || isinf(size) ? RM2_ERR_NUMERIC : RM2_OK; /* under- or overflow */
}

/* s.A = logm Q - logm P */
static rm2_status difference(size_t n, const double *log_p, const double *q,
                             const rm2i_spd_scratch *s) {
    RM2_TRY(log_spectrum(n, q, s->values, s->Ut, s));
    rm2i_weighted_gram(n, s->values, s->Ut, s->A);
    rm2i_axpy(n * n, -1, log_p, s->A);
    return RM2_OK;
}

static rm2_status logarithm(size_t n, const double *f, const double *q, double *c, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(difference(n, f, q, &s));
    rm2i_spd_pack_coords(n, s.A, c);
    return RM2_OK;
}

static rm2_status distance(size_t n, const double *p, const double *q, double *d, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(log_spectrum(n, p, s.values, s.Ut, &s));
    rm2i_weighted_gram(n, s.values, s.Ut, s.frame);
    RM2_TRY(difference(n, s.frame, q, &s));
    *d = rm2i_norm(n * n, s.A);
    return RM2_OK;
}

static double injectivity_radius(size_t n) {
    (void)n;
    return INFINITY;
}

/* Transport and dExp are the same: Dexp of the coordinates at the end. */
static rm2_status carry(size_t n, const double *f, const double *c, const double *z, double *out,
                        double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(end_spectrum(n, f, c, &s));
    rm2i_spd_unpack_coords(n, z, s.frame);
    multiply_in_basis(n, s.Ut, s.values, divided_exponential, s.frame, out, &s);
    return RM2_OK;
}

/* ---- the exponential map seen from its coordinates: as in R^dim ------------------------------- */

static rm2_status metric(size_t n, const double *c, const rm2_product_query *query, double *work) {
    return rm2_euclidean.metric(rm2i_spd_dim(n), c, query, work);
}

static rm2_status metric_derivative(size_t n, const double *c, const double *z,
                                    const rm2_product_query *query, double *work) {
    return rm2_euclidean.metric_derivative(rm2i_spd_dim(n), c, z, query, work);
}

static rm2_status metric_norms(size_t n, const double *c, const rm2_norms_query *query,
                               double *work) {
    return rm2_euclidean.metric_norms(rm2i_spd_dim(n), c, query, work);
}

static rm2_status log_volume(size_t n, const double *c, double *value, double *work) {
    return rm2_euclidean.log_volume(rm2i_spd_dim(n), c, value, work);
}

const rm2_geometry rm2_spd_log = {
    .size = sizeof(rm2_geometry),
    .name = "SPDlog",
    .n_min = 1,
    .n_max = 2000,
    .dim = rm2i_spd_dim,
    .ambient = rm2i_spd_square,
    .frame_size = frame_size,
    .work_size = rm2i_spd_work_size,
    .default_point = rm2i_spd_default_point,
    .defect = rm2i_spd_defect,
    .project = rm2i_spd_project,
    .random_point = rm2i_spd_random_point,
    .frame = frame,
    .to_coords = to_coords,
    .from_coords = from_coords,
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
};
