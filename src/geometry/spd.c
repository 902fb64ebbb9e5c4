/* SPD(n) with the affine-invariant metric <V, W>_P = tr(P^-1 V P^-1 W): points and geodesics.
 *
 * With P = L L^T the map V -> S = L^-1 V L^-T is an isometry onto symmetric matrices (spd_frame.c), and
 *   Exp_P: L expm(S) L^T          Log_P(Q) = logm(L^-1 Q L^-T)
 * With S = U diag(l) U^T and W~ = U^T W U, transport along the geodesic and dExp are
 *   L U [m(l_a, l_b) W~_ab] U^T L^T,  m = exp((l_a + l_b)/2)  or  (e^l_a - e^l_b)/(l_a - l_b).
 * A small step uses Q - P and expm1, so that neighbours keep their digits; a wide spectrum uses the
 * Cholesky factor of Q and one-sided Jacobi, so that small eigenvalues keep theirs. */
#include "geometry/spd.h"

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "geometry/geometries.h"
#include "geometry/spd_many.h"
#include "linalg/dense.h"
#include "math/special.h"

static const double SMALL_STEP = 0.5;     /* |S| below which differences and expm1 are used */
static const double WIDE_SPECTRUM = 1e-6; /* smallest/largest eigenvalue below which Jacobi is */
static const double EIGENVALUE_FLOOR = 1e-12; /* projection: relative to the largest */

size_t rm2i_spd_dim(size_t n) {
    return n * (n + 1) / 2;
}

size_t rm2i_spd_square(size_t n) {
    return n * n;
}

static size_t frame_size(size_t n) {
    return 4 * n * n;
}

/* ---- points --------------------------------------------------------------------------------- */

void rm2i_spd_default_point(size_t n, double *p) {
    for (size_t i = 0; i < n * n; i++)
        p[i] = i % (n + 1) == 0;
}

static double smallest(size_t n, const double *values) {
    double low = values[0];
    for (size_t i = 1; i < n; i++)
        low = values[i] < low ? values[i] : low;
    return low;
}

static double largest(size_t n, const double *values) {
    double high = values[0];
    for (size_t i = 1; i < n; i++)
        high = values[i] > high ? values[i] : high;
    return high;
}

static double asymmetry(size_t n, const double *x) {
    double worst = 0;
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double off = fabs(x[i * n + j] - x[j * n + i]);
            worst = off > worst ? off : worst;
        }
    return worst;
}

/* Relative asymmetry, and how far below zero the spectrum reaches. */
double rm2i_spd_defect(size_t n, const double *x, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    double size = rm2i_max_abs(n * n, x);
    if (isinf(size))
        return INFINITY;
    if (size == 0)
        return 1;
    double off = asymmetry(n, x) / size;
    memcpy(s.A, x, n * n * sizeof *x);
    rm2i_symmetrise(n, s.A);
    if (rm2i_cholesky(n, s.A, s.B) == RM2_OK)
        return off;
    if (rm2i_eigen(n, s.A, s.values, s.Ut, s.eigen) != RM2_OK)
        return INFINITY;
    double below = 1e-16 - smallest(n, s.values) / size; /* never 0: x is not positive definite */
    return fmax(off, fmax(below, 1e-16));
}

/* The largest entry of a positive definite matrix is on its diagonal. */
bool rm2i_spd_symmetric(size_t n, const double *p) {
    double size = 0;
    for (size_t i = 0; i < n; i++)
        size = p[i * n + i] > size ? p[i * n + i] : size;
    return asymmetry(n, p) <= RM2I_OFF_MANIFOLD * size;
}

/* The Cholesky factor, which sees one triangle, finds what is not positive definite. */
static rm2_status frame(size_t n, const double *p, double *out, double *work) {
    return rm2i_spd_symmetric(n, p) ? rm2i_spd_frame(n, p, out, work) : RM2_ERR_DOMAIN;
}

/* Symmetric part with its eigenvalues lifted to the floor; positive definite matrices only lose
 * their asymmetry. */
rm2_status rm2i_spd_project(size_t n, const double *x, double *y, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    if (isinf(rm2i_max_abs(n * n, x)))
        return RM2_ERR_DOMAIN;
    memcpy(y, x, n * n * sizeof *y);
    rm2i_symmetrise(n, y);
    if (rm2i_cholesky(n, y, s.B) == RM2_OK)
        return RM2_OK;
    if (rm2i_eigen(n, y, s.values, s.Ut, s.eigen) != RM2_OK)
        return RM2_ERR_DOMAIN;
    double floor_value = EIGENVALUE_FLOOR * largest(n, s.values);
    if (!(floor_value > 0))
        return RM2_ERR_DOMAIN;
    for (size_t i = 0; i < n; i++)
        s.values[i] = fmax(s.values[i], floor_value);
    rm2i_weighted_gram(n, s.values, s.Ut, y);
    return RM2_OK;
}

/* ---- geodesics ------------------------------------------------------------------------------ */

static rm2_status exponential(size_t n, const double *f, const double *c, double *y, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(rm2i_spd_decompose(n, c, &s));
    bool small = rm2i_norm(n, s.values) < SMALL_STEP;
    for (size_t i = 0; i < n; i++)
        s.values[i] = small ? expm1(s.values[i]) : exp(s.values[i]);
    rm2i_spd_times_Lt(n, s.Ut, f, s.B);      /* rows of (L U)^T */
    rm2i_weighted_gram(n, s.values, s.B, y); /* L U diag U^T L^T */
    if (small)
        rm2i_axpy(n * n, 1, f, y); /* P + L expm1(S) L^T */
    double size = rm2i_max_abs(n * n, y);
    return size == 0 || isinf(size) ? RM2_ERR_NUMERIC : RM2_OK; /* under- or overflow */
}

/* Eigenvalues log(l) of the whitened Q from C = L_P^-1 L_Q, for spectra too wide for C C^T. */
static rm2_status wide_spectrum(size_t n, const double *f, const double *q,
                                const rm2i_spd_scratch *s) {
    if (rm2i_cholesky(n, q, s->A) != RM2_OK)
        return RM2_ERR_DOMAIN;
    rm2i_multiply(n, f + 2 * n * n, s->A, s->B);
    RM2_TRY(rm2i_eigen_gram(n, s->B, s->values, s->Ut));
    if (!(smallest(n, s->values) > 0))
        return RM2_ERR_DOMAIN;
    for (size_t i = 0; i < n; i++)
        s->values[i] = log(s->values[i]);
    return RM2_OK;
}

/* The same near the base point: E = L^-1 (Q - P) L^-T and log1p. */
static rm2_status small_spectrum(size_t n, const double *f, const double *q,
                                 const rm2i_spd_scratch *s) {
    for (size_t i = 0; i < n * n; i++)
        s->A[i] = q[i] - f[i];
    rm2i_spd_whiten(n, f, s->A, s->B, s->C);
    RM2_TRY(rm2i_eigen(n, s->B, s->values, s->Ut, s->eigen));
    for (size_t i = 0; i < n; i++)
        s->values[i] = log1p(s->values[i]);
    return RM2_OK;
}

/* s.values, s.Ut: eigenvalues and vectors of logm(L^-1 Q L^-T). */
static rm2_status log_spectrum(size_t n, const double *f, const double *q,
                               const rm2i_spd_scratch *s) {
    rm2i_spd_whiten(n, f, q, s->B, s->C);
    for (size_t i = 0; i < n * n; i++)
        s->A[i] = s->B[i] - (i % (n + 1) == 0);
    if (rm2i_norm(n * n, s->A) < SMALL_STEP)
        return small_spectrum(n, f, q, s);
    if (rm2i_eigen(n, s->B, s->values, s->Ut, s->eigen) != RM2_OK)
        return RM2_ERR_DOMAIN;
    if (!(smallest(n, s->values) > WIDE_SPECTRUM * largest(n, s->values)))
        return wide_spectrum(n, f, q, s);
    for (size_t i = 0; i < n; i++)
        s->values[i] = log(s->values[i]);
    return RM2_OK;
}

static rm2_status logarithm(size_t n, const double *f, const double *q, double *c, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(log_spectrum(n, f, q, &s));
    rm2i_weighted_gram(n, s.values, s.Ut, s.A);
    rm2i_spd_pack_coords(n, s.A, c);
    return RM2_OK;
}

static rm2_status distance(size_t n, const double *p, const double *q, double *d, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(rm2i_spd_frame(n, p, s.frame, work));
    RM2_TRY(log_spectrum(n, s.frame, q, &s));
    *d = rm2i_norm(n, s.values);
    return RM2_OK;
}

static double injectivity_radius(size_t n) {
    (void)n;
    return INFINITY;
}

/* exp(S) at the identity for normal coordinates S. */
void rm2i_spd_random_point(size_t n, rm2_rng *rng, double *p, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    do {
        for (size_t i = 0; i < rm2i_spd_dim(n); i++)
            s.B[i] = rm2_rng_normal(rng);
    } while (rm2i_spd_decompose(n, s.B, &s) != RM2_OK);
    for (size_t i = 0; i < n; i++)
        s.values[i] = exp(s.values[i]);
    rm2i_weighted_gram(n, s.values, s.Ut, p);
}

/* out = L U X U^T L^T for symmetric X in s.A. */
static void rotate_out_and_colour(size_t n, const double *f, double *out,
                                  const rm2i_spd_scratch *s) {
    rm2i_spd_times_Lt(n, s->Ut, f, s->C); /* (L U)^T */
    rm2i_multiply(n, s->A, s->C, s->B);
    rm2i_multiply_tn(n, s->C, s->B, out);
    rm2i_symmetrise(n, out);
}

/* L U [m(l_a, l_b) (U^T Z U)_ab] U^T L^T: transport and dExp differ in m only. */
static rm2_status carry(size_t n, const double *f, const double *c, const double *z,
                        double (*multiplier)(double, double), double *out, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(rm2i_spd_decompose(n, c, &s));
    rm2i_transpose(n, s.Ut, s.C);
    rm2i_spd_unpack_coords(n, z, out);
    rm2i_spd_rotate_in(n, out, s.A, &s);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            s.A[a * n + b] *= multiplier(s.values[a], s.values[b]);
    rotate_out_and_colour(n, f, out, &s);
    return RM2_OK;
}

static double half_exponentials(double a, double b) {
    return exp((a + b) / 2); /* E z E^T with E = L expm(S/2) L^-1 */
}

static double divided_exponential(double a, double b) {
    /* (e^a - e^b)/(a - b) */
    return exp((a + b) / 2) * rm2i_space_form_at(-1, fabs(a - b) / 2).snc;
}

static rm2_status transport(size_t n, const double *f, const double *c, const double *z,
                            double *out, double *work) {
    return carry(n, f, c, z, half_exponentials, out, work);
}

static rm2_status dexp(size_t n, const double *f, const double *c, const double *w, double *out,
                       double *work) {
    return carry(n, f, c, w, divided_exponential, out, work);
}

const rm2_geometry rm2_spd = {
    .size = sizeof(rm2_geometry),
    .name = "SPD",
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
    .to_coords = rm2i_spd_to_coords,
    .from_coords = rm2i_spd_from_coords,
    .exp = exponential,
    .log = logarithm,
    .distance = distance,
    .injectivity_radius = injectivity_radius,
    .transport = transport,
    .dexp = dexp,
    .log_volume = rm2i_spd_log_volume,
    .metric = rm2i_spd_metric,
    .metric_derivative = rm2i_spd_metric_derivative,
    .metric_norms = rm2i_spd_metric_norms,
    .many_n_max = RM2I_SPD_MANY,
    .exp_many = rm2i_spd_exp_many,
    .log_many = rm2i_spd_log_many,
};
