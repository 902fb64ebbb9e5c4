/* SPD(n) with the affine-invariant metric <V, W>_P = tr(P^-1 V P^-1 W).
 *
 * With P = L L^T the map V -> S = L^-1 V L^-T is an isometry onto symmetric matrices with the
 * Frobenius product; coordinates are S_ii and sqrt(2) S_ij (i < j) by rows of the upper triangle.
 *   Exp_P: L expm(S) L^T          Log_P(Q) = logm(L^-1 Q L^-T)
 * With S = U diag(l) U^T and W~ = U^T W U:
 *   dExp in whitened form has entries sinhc((l_a - l_b)/2) W~_ab, so
 *   G(W1, W2) = sum_ab g(l_a - l_b) W1~_ab W2~_ab,  g(d) = (sinh(d/2)/(d/2))^2
 *   log det dExp = sum_{a<b} log sinhc((l_a - l_b)/2)
 *   dG[Z] W ~ = X + X^T,  X_ab = sum_c Z~_ac T(a,c;b) W~_cb,
 *   T(a,c;b) = (g(l_a - l_b) - g(l_c - l_b))/(l_a - l_c), or by Taylor where l_a ~ l_c.
 * A small step uses Q - P and expm1, so that neighbours keep their digits; a wide spectrum uses the
 * Cholesky factor of Q and one-sided Jacobi, so that small eigenvalues keep theirs.
 *
 * Frame: P, L^T, L^-1, L^-T, n x n each. Eigenvectors are rows of Ut. */
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/base.h"
#include "linalg/clones.h"
#include "linalg/dense.h"
#include "linalg/special.h"
#include "manifold/geometry.h"
#include "manifold/spd_many.h"

static const double SMALL_STEP = 0.5;     /* |S| below which differences and expm1 are used */
static const double WIDE_SPECTRUM = 1e-6; /* smallest/largest eigenvalue below which Jacobi is */
static const double EIGENVALUE_FLOOR = 1e-12; /* projection: relative to the largest */
static const double NEARLY_EQUAL = 1e-3;      /* |l_a - l_c| below which T is expanded */

enum { SMALL_N = 48 }; /* up to here triangles by loops beat full products by BLAS */

static size_t dim(size_t n) {
    return n * (n + 1) / 2;
}

static size_t square(size_t n) {
    return n * n;
}

static size_t frame_size(size_t n) {
    return 4 * n * n;
}

/* Names for the scratch: eigenvalues, eigenvectors, three matrices, the eigensolver's own, a frame
 * for the one function that has none, and rotated vectors for squared norms. */
typedef struct scratch {
    double *values, *Ut, *A, *B, *C, *frame, *eigen, *rotated;
} scratch;

enum { DIRECTIONS = 4 }; /* of derivatives of squared norms that are done at once */

/* Vectors whose squared norms are done at once: their matrices stay in the cache. */
static size_t norms_block(size_t n) {
    size_t fits = ((size_t)1 << 17) / (n * n) + 1;
    return fits < dim(n) ? fits : dim(n);
}

/* Sums of squared norms by matrix products: of matrices so large that these pay, and so small that n
 * of their squares are no burden. */
static bool sums_by_products(size_t n) {
    return n >= 5 && n <= SMALL_N;
}

static size_t work_size(size_t n) {
    size_t sums = sums_by_products(n) ? (norms_block(n) + n) * n * n : 0;
    return n + 8 * n * n + rm2i_eigen_work(n) + (norms_block(n) + DIRECTIONS) * n * n + sums;
}

static scratch split(size_t n, double *work) {
    double *matrices = work + n;
    return (scratch){.values = work,
                     .Ut = matrices,
                     .A = matrices + n * n,
                     .B = matrices + 2 * n * n,
                     .C = matrices + 3 * n * n,
                     .frame = matrices + 4 * n * n,
                     .eigen = matrices + 8 * n * n,
                     .rotated = matrices + 8 * n * n + rm2i_eigen_work(n)};
}

/* ---- coordinates <-> symmetric matrices ----------------------------------------------------- */

static void pack(size_t n, const double *S, double *c) {
    for (size_t i = 0; i < n; i++) {
        *c++ = S[i * n + i];
        for (size_t j = i + 1; j < n; j++)
            *c++ = 1.41421356237309504880 * S[i * n + j];
    }
}

static void unpack(size_t n, const double *c, double *S) {
    for (size_t i = 0; i < n; i++) {
        S[i * n + i] = *c++;
        for (size_t j = i + 1; j < n; j++)
            S[i * n + j] = S[j * n + i] = 0.70710678118654752440 * *c++;
    }
}

/* out = R X R^T for symmetric X, through a scratch matrix: (R X) then rows against R^T. */
static void congruence(size_t n, const double *R, const double *Rt, const double *X, double *out,
                       double *half) {
    rm2i_multiply(n, R, X, half);
    rm2i_multiply(n, half, Rt, out);
    rm2i_symmetrise(n, out);
}

/* ---- points --------------------------------------------------------------------------------- */

static void default_point(size_t n, double *p) {
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
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            worst = fmax(worst, fabs(x[i * n + j] - x[j * n + i]));
    return worst;
}

/* Relative asymmetry, and how far below zero the spectrum reaches. */
static double defect(size_t n, const double *x, double *work) {
    scratch s = split(n, work);
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

/* Symmetric part with its eigenvalues lifted to the floor; positive definite matrices only lose
 * their asymmetry. */
static rm2_status project(size_t n, const double *x, double *y, double *work) {
    scratch s = split(n, work);
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

/* ---- tangent spaces ------------------------------------------------------------------------- */

static rm2_status frame(size_t n, const double *p, double *out, double *work) {
    scratch s = split(n, work);
    double *Lt = out + n * n, *inverse = Lt + n * n, *inverse_t = inverse + n * n;
    memcpy(out, p, n * n * sizeof *out);
    if (isinf(rm2i_max_abs(n * n, p)) || rm2i_cholesky(n, p, s.A) != RM2_OK)
        return RM2_ERR_DOMAIN;
    rm2i_transpose(n, s.A, Lt);
    rm2i_lower_inverse(n, s.A, inverse);
    rm2i_transpose(n, inverse, inverse_t);
    return RM2_OK;
}

static const double *frame_Lt(size_t n, const double *f) {
    return f + n * n;
}

/* Lower triangle to the upper one. */
static void mirror(size_t n, double *A) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            A[j * n + i] = A[i * n + j];
}

/* out = X Lt, Lt upper triangular: row i += X_ik Lt_k from entry k on. Rows are padded to multiples of
 * four entries, so that the inner loop is whole vectors; what lies before k is zero. */
RM2I_AVX2_CLONES static void times_Lt_loops(size_t n, const double *restrict X,
                                            const double *restrict Lt, double *restrict out) {
    size_t ld = (n + 3) / 4 * 4;
    double padded[SMALL_N * SMALL_N], row[SMALL_N];
    for (size_t k = 0; k < n; k++) {
        memcpy(padded + k * ld, Lt + k * n, n * sizeof *padded);
        memset(padded + k * ld + n, 0, (ld - n) * sizeof *padded);
    }
    for (size_t i = 0; i < n; i++) {
        memset(row, 0, ld * sizeof *row);
        for (size_t k = 0; k < n; k++)
            for (size_t j = k / 4 * 4; j < ld; j += 4)
                for (size_t q = j; q < j + 4; q++)
                    row[q] += X[i * n + k] * padded[k * ld + q];
        memcpy(out + i * n, row, n * sizeof *row);
    }
}

/* Lower triangle of L^-1 X L^-T, from R = L^-1 and Rt. */
RM2I_AVX2_CLONES static void whiten_loops(size_t n, const double *R, const double *Rt,
                                          const double *X, double *out, double *half) {
    memset(out, 0, n * n * sizeof *out);
    memset(half, 0, n * n * sizeof *half);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            rm2i_axpy(n, R[i * n + k], X + k * n, half + i * n);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            rm2i_axpy(i - k + 1, half[i * n + k], Rt + k * n + k, out + i * n + k);
}

/* Lower triangle of (Lt)^T T for T = X Lt: row i, up to the diagonal, += Lt_ki T_k. */
RM2I_AVX2_CLONES static void colour_loops(size_t n, const double *Lt, const double *T,
                                          double *out) {
    memset(out, 0, n * n * sizeof *out);
    for (size_t k = 0; k < n; k++)
        for (size_t i = k; i < n; i++)
            rm2i_axpy(i + 1, Lt[k * n + i], T + k * n, out + i * n);
}

static void times_Lt(size_t n, const double *X, const double *f, double *out) {
    if (n > SMALL_N)
        rm2i_multiply(n, X, frame_Lt(n, f), out);
    else
        times_Lt_loops(n, X, frame_Lt(n, f), out);
}

/* out = L^-1 X L^-T */
static void whiten(size_t n, const double *f, const double *X, double *out, double *half) {
    if (n > SMALL_N) {
        congruence(n, f + 2 * n * n, f + 3 * n * n, X, out, half);
        return;
    }
    whiten_loops(n, f + 2 * n * n, f + 3 * n * n, X, out, half);
    mirror(n, out);
}

/* out = L X L^T = (Lt)^T X Lt */
static void colour(size_t n, const double *f, const double *X, double *out, double *half) {
    times_Lt(n, X, f, half);
    if (n > SMALL_N) {
        rm2i_multiply_tn(n, frame_Lt(n, f), half, out);
        rm2i_symmetrise(n, out);
        return;
    }
    colour_loops(n, frame_Lt(n, f), half, out);
    mirror(n, out);
}

static void to_coords(size_t n, const double *f, const double *v, double *c, double *work) {
    scratch s = split(n, work);
    whiten(n, f, v, s.A, s.B);
    pack(n, s.A, c);
}

static void from_coords(size_t n, const double *f, const double *c, double *v, double *work) {
    scratch s = split(n, work);
    unpack(n, c, s.A);
    colour(n, f, s.A, v, s.B);
}

/* ---- geodesics ------------------------------------------------------------------------------ */

/* S = coordinates as a matrix = U diag(values) U^T; S itself is left in s.A. */
static rm2_status decompose(size_t n, const double *c, scratch s) {
    unpack(n, c, s.A);
    return rm2i_eigen(n, s.A, s.values, s.Ut, s.eigen);
}

static rm2_status exponential(size_t n, const double *f, const double *c, double *y, double *work) {
    scratch s = split(n, work);
    RM2_TRY(decompose(n, c, s));
    bool small = rm2i_norm(n, s.values) < SMALL_STEP;
    for (size_t i = 0; i < n; i++)
        s.values[i] = small ? expm1(s.values[i]) : exp(s.values[i]);
    times_Lt(n, s.Ut, f, s.B);               /* rows of (L U)^T */
    rm2i_weighted_gram(n, s.values, s.B, y); /* L U diag U^T L^T */
    if (small)
        rm2i_axpy(n * n, 1, f, y); /* P + L expm1(S) L^T */
    double size = rm2i_max_abs(n * n, y);
    return size == 0 || isinf(size) ? RM2_ERR_NUMERIC : RM2_OK; /* under- or overflow */
}

/* Eigenvalues log(l) of the whitened Q from C = L_P^-1 L_Q, for spectra too wide for C C^T. */
static rm2_status wide_spectrum(size_t n, const double *f, const double *q, scratch s) {
    if (rm2i_cholesky(n, q, s.A) != RM2_OK)
        return RM2_ERR_DOMAIN;
    rm2i_multiply(n, f + 2 * n * n, s.A, s.B);
    RM2_TRY(rm2i_eigen_gram(n, s.B, s.values, s.Ut));
    if (!(smallest(n, s.values) > 0))
        return RM2_ERR_DOMAIN;
    for (size_t i = 0; i < n; i++)
        s.values[i] = log(s.values[i]);
    return RM2_OK;
}

/* The same near the base point: E = L^-1 (Q - P) L^-T and log1p. */
static rm2_status small_spectrum(size_t n, const double *f, const double *q, scratch s) {
    for (size_t i = 0; i < n * n; i++)
        s.A[i] = q[i] - f[i];
    whiten(n, f, s.A, s.B, s.C);
    RM2_TRY(rm2i_eigen(n, s.B, s.values, s.Ut, s.eigen));
    for (size_t i = 0; i < n; i++)
        s.values[i] = log1p(s.values[i]);
    return RM2_OK;
}

/* s.values, s.Ut: eigenvalues and vectors of logm(L^-1 Q L^-T). */
static rm2_status log_spectrum(size_t n, const double *f, const double *q, scratch s) {
    whiten(n, f, q, s.B, s.C);
    for (size_t i = 0; i < n * n; i++)
        s.A[i] = s.B[i] - (i % (n + 1) == 0);
    if (rm2i_norm(n * n, s.A) < SMALL_STEP)
        return small_spectrum(n, f, q, s);
    if (rm2i_eigen(n, s.B, s.values, s.Ut, s.eigen) != RM2_OK)
        return RM2_ERR_DOMAIN;
    if (!(smallest(n, s.values) > WIDE_SPECTRUM * largest(n, s.values)))
        return wide_spectrum(n, f, q, s);
    for (size_t i = 0; i < n; i++)
        s.values[i] = log(s.values[i]);
    return RM2_OK;
}

static rm2_status logarithm(size_t n, const double *f, const double *q, double *c, double *work) {
    scratch s = split(n, work);
    RM2_TRY(log_spectrum(n, f, q, s));
    rm2i_weighted_gram(n, s.values, s.Ut, s.A);
    pack(n, s.A, c);
    return RM2_OK;
}

static rm2_status distance(size_t n, const double *p, const double *q, double *d, double *work) {
    scratch s = split(n, work);
    RM2_TRY(frame(n, p, s.frame, work));
    RM2_TRY(log_spectrum(n, s.frame, q, s));
    *d = rm2i_norm(n, s.values);
    return RM2_OK;
}

static double injectivity_radius(size_t n) {
    (void)n;
    return INFINITY;
}

/* exp(S) at the identity for normal coordinates S. */
static void random_point(size_t n, rm2_rng *rng, double *p, double *work) {
    scratch s = split(n, work);
    do {
        for (size_t i = 0; i < dim(n); i++)
            s.B[i] = rm2_rng_normal(rng);
    } while (decompose(n, s.B, s) != RM2_OK);
    for (size_t i = 0; i < n; i++)
        s.values[i] = exp(s.values[i]);
    rm2i_weighted_gram(n, s.values, s.Ut, p);
}

/* X <- U^T X U, through s.B; s.C holds U. */
static void rotate_in(size_t n, const double *X, double *out, scratch s) {
    rm2i_multiply(n, s.Ut, X, s.B);
    rm2i_multiply(n, s.B, s.C, out);
}

/* out = L U X U^T L^T for symmetric X in s.A. */
static void rotate_out_and_colour(size_t n, const double *f, double *out, scratch s) {
    times_Lt(n, s.Ut, f, s.C); /* (L U)^T */
    rm2i_multiply(n, s.A, s.C, s.B);
    rm2i_multiply_tn(n, s.C, s.B, out);
    rm2i_symmetrise(n, out);
}

/* L U [m(l_a, l_b) (U^T Z U)_ab] U^T L^T: transport and dExp differ in m only. */
static rm2_status carry(size_t n, const double *f, const double *c, const double *z,
                        double (*multiplier)(double, double), double *out, double *work) {
    scratch s = split(n, work);
    RM2_TRY(decompose(n, c, s));
    rm2i_transpose(n, s.Ut, s.C);
    unpack(n, z, out);
    rotate_in(n, out, s.A, s);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            s.A[a * n + b] *= multiplier(s.values[a], s.values[b]);
    rotate_out_and_colour(n, f, out, s);
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

/* ---- the exponential map seen from its coordinates ------------------------------------------ */

static rm2_status log_volume(size_t n, const double *c, double *value, double *work) {
    scratch s = split(n, work);
    RM2_TRY(decompose(n, c, s));
    double sum = 0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < a; b++)
            sum += rm2i_log_snc(-1, fabs(s.values[a] - s.values[b]) / 2);
    *value = sum;
    return RM2_OK;
}

/* g(l_a - l_b) for all pairs. */
static void g_table(size_t n, const double *l, double *g) {
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b <= a; b++)
            g[a * n + b] = g[b * n + a] = rm2i_spd_g(l[a] - l[b]);
}

/* out = pack(U X U^T) for symmetric X in s.A. */
static void rotate_out(size_t n, double *out, scratch s) {
    rm2i_multiply(n, s.A, s.Ut, s.B);
    rm2i_multiply_tn(n, s.Ut, s.B, s.A);
    pack(n, s.A, out);
}

static rm2_status metric(size_t n, const double *c, size_t count, const double *W, double *out,
                         size_t stride, double *work) {
    scratch s = split(n, work);
    double *g = s.frame, *w = g + n * n;
    RM2_TRY(decompose(n, c, s));
    rm2i_transpose(n, s.Ut, s.C);
    g_table(n, s.values, g);
    for (size_t k = 0; k < count; k++) {
        unpack(n, W + k * stride, w);
        rotate_in(n, w, s.A, s);
        for (size_t i = 0; i < n * n; i++)
            s.A[i] *= g[i];
        rotate_out(n, out + k * stride, s);
    }
    return RM2_OK;
}

/* T(a,c;b) for all b. */
static void divided_g(size_t n, const double *l, const double *g, size_t a, size_t c, double *T) {
    double h = l[a] - l[c];
    for (size_t b = 0; b < n; b++) {
        double middle = (l[a] + l[c]) / 2 - l[b];
        T[b] = fabs(h) < NEARLY_EQUAL ? rm2i_spd_g1(middle) + h * h / 24 * rm2i_spd_g3(middle)
                                      : (g[a * n + b] - g[c * n + b]) / h;
    }
}

/* X_ab = sum_c Z_ac T(a,c;b) W_cb; out = X + X^T */
static void derivative_product(size_t n, const double *l, const double *g, const double *Z,
                               const double *W, double *X, double *out, double *T) {
    memset(X, 0, n * n * sizeof *X);
    for (size_t a = 0; a < n; a++)
        for (size_t c = 0; c < n; c++) {
            divided_g(n, l, g, a, c, T);
            for (size_t b = 0; b < n; b++)
                X[a * n + b] += Z[a * n + c] * T[b] * W[c * n + b];
        }
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            out[a * n + b] = X[a * n + b] + X[b * n + a];
}

static rm2_status metric_derivative(size_t n, const double *c, const double *z, size_t count,
                                    const double *W, double *out, size_t stride, double *work) {
    scratch s = split(n, work);
    double *g = s.frame, *Z = g + n * n, *w = Z + n * n, *X = w + n * n;
    RM2_TRY(decompose(n, c, s));
    rm2i_transpose(n, s.Ut, s.C);
    g_table(n, s.values, g);
    unpack(n, z, X);
    rotate_in(n, X, Z, s);
    for (size_t k = 0; k < count; k++) {
        unpack(n, W + k * stride, X);
        rotate_in(n, X, w, s);
        derivative_product(n, s.values, g, Z, w, X, s.A, s.eigen);
        rotate_out(n, out + k * stride, s);
    }
    return RM2_OK;
}

/* ---- squared norms: w^T G w = sum_ab g_ab W~_ab^2, and along Z
 *   w^T dG[Z] w = 2 sum_ac Z~_ac sum_b T(a,c;b) W~_ab W~_cb,
 * one T for all vectors ---- */

static void rotate_rows(size_t n, size_t count, const double *W, size_t stride, double *rotated,
                        scratch s) {
    for (size_t k = 0; k < count; k++) {
        unpack(n, W + k * stride, s.A);
        rotate_in(n, s.A, rotated + k * n * n, s);
    }
}

/* Four sums side by side, as in rm2i_dot. */
RM2I_AVX2_CLONES
static double triple_dot(size_t n, const double *x, const double *y, const double *z) {
    double sum[4] = {0, 0, 0, 0}, rest = 0;
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += x[i + k] * y[i + k] * z[i + k];
    for (; i < n; i++)
        rest += x[i] * y[i] * z[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + rest;
}

static void add_derivatives(size_t n, const double *g, size_t count, const double *rotated,
                            size_t directions, const double *Z, size_t all, double *derivative,
                            scratch s) {
    double *T = s.eigen;
    for (size_t a = 0; a < n; a++)
        for (size_t c = 0; c <= a; c++) {
            divided_g(n, s.values, g, a, c, T);
            double twice = a == c ? 2 : 4; /* T is symmetric in a and c */
            for (size_t k = 0; k < count; k++) {
                const double *w = rotated + k * n * n;
                double sum = twice * triple_dot(n, T, w + a * n, w + c * n);
                for (size_t d = 0; d < directions; d++)
                    derivative[k * all + d] += sum * Z[d * n * n + a * n + c];
            }
        }
}

/* Only the sums over the vectors: with N_b[a][c] = sum_k W~_ab W~_cb,
 *   sum_k w^T G w = sum_ab g_ab N_b[a][a],   sum_k w^T dG[Z] w = 2 sum_ac Z~_ac sum_b T(a,c;b) N_b[a][c] */

/* N_b for b = 0..n-1, n x n each, lower triangles. */
static void sum_products(size_t n, size_t count, const double *W, size_t stride, double *N,
                         double *turned, scratch s) {
    size_t most = norms_block(n);
    int m = (int)n;
    for (size_t first = 0; first < count; first += most) {
        size_t block = count - first < most ? count - first : most;
        int rows = (int)(block * n);
        for (size_t k = 0; k < block; k++)
            unpack(n, W + (first + k) * stride, s.rotated + k * n * n);
        /* (b; k, i) = sum_j U_jb W_ij, then (b, k; a) = sum_i U_ia (b; k, i) */
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, rows, m, 1, s.Ut, m, s.rotated, m,
                    0, turned, rows);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, m, m, 1, turned, m, s.Ut, m, 0,
                    s.rotated, m);
        for (size_t b = 0; b < n; b++)
            cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, m, (int)block, 1,
                        s.rotated + b * block * n, m, first > 0, N + b * n * n, m);
    }
}

static void sum_derivatives(size_t n, const double *g, const double *N, size_t directions,
                            const double *Z, double *derivative, scratch s) {
    double *T = s.eigen;
    for (size_t a = 0; a < n; a++)
        for (size_t c = 0; c <= a; c++) {
            double sum = 0, twice = a == c ? 2 : 4;
            divided_g(n, s.values, g, a, c, T);
            for (size_t b = 0; b < n; b++)
                sum += T[b] * N[(b * n + a) * n + c];
            for (size_t d = 0; d < directions; d++)
                derivative[d] += twice * sum * Z[d * n * n + a * n + c];
        }
}

static void metric_sums(size_t n, const double *g, size_t count, const double *W, size_t directions,
                        const double *Z, size_t stride, double *value, double *derivative,
                        double *Zt, scratch s) {
    double *N = Zt + DIRECTIONS * n * n, *turned = N + n * n * n;
    sum_products(n, count, W, stride, N, turned, s);
    for (size_t b = 0; b < n; b++)
        for (size_t a = 0; a < n; a++)
            *value += g[a * n + b] * N[(b * n + a) * n + a];
    for (size_t d = 0; d < directions; d += DIRECTIONS) {
        size_t some = directions - d < DIRECTIONS ? directions - d : DIRECTIONS;
        rotate_rows(n, some, Z + d * stride, stride, Zt, s);
        sum_derivatives(n, g, N, some, Zt, derivative + d, s);
    }
}

static rm2_status metric_norms(size_t n, const double *c, size_t count, const double *W,
                               size_t directions, const double *Z, size_t stride, bool sum,
                               double *value, double *derivative, double *work) {
    scratch s = split(n, work);
    double *g = s.frame, *Zt = s.rotated + norms_block(n) * n * n;
    RM2_TRY(decompose(n, c, s));
    rm2i_transpose(n, s.Ut, s.C);
    g_table(n, s.values, g);
    if (sum && count > 0 && sums_by_products(n)) {
        metric_sums(n, g, count, W, directions, Z, stride, value, derivative, Zt, s);
        return RM2_OK;
    }
    for (size_t first = 0; first < count; first += norms_block(n)) {
        size_t block = count - first < norms_block(n) ? count - first : norms_block(n);
        rotate_rows(n, block, W + first * stride, stride, s.rotated, s);
        for (size_t k = 0; k < block; k++) {
            const double *w = s.rotated + k * n * n;
            value[first + k] += triple_dot(n * n, g, w, w);
        }
        for (size_t d = 0; d < directions; d += DIRECTIONS) {
            size_t some = directions - d < DIRECTIONS ? directions - d : DIRECTIONS;
            rotate_rows(n, some, Z + d * stride, stride, Zt, s);
            add_derivatives(n, g, block, s.rotated, some, Zt, directions,
                            derivative + first * directions + d, s);
        }
    }
    return RM2_OK;
}

const rm2_geometry rm2_spd = {
    .name = "SPD",
    .n_min = 1,
    .n_max = 2000,
    .dim = dim,
    .ambient = square,
    .frame_size = frame_size,
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
    .many_n_max = RM2I_SPD_MANY,
    .exp_many = rm2i_spd_exp_many,
    .log_many = rm2i_spd_log_many,
};
