/* The exponential map of SPD(n) seen from its coordinates: volume, metric, derivative, squared norms.
 *
 * With S = U diag(l) U^T and W~ = U^T W U the whitened dExp has entries sinhc((l_a - l_b)/2) W~_ab, so
 *   log det dExp = sum_{a<b} log sinhc((l_a - l_b)/2)
 *   G(W1, W2) = sum_ab g(l_a - l_b) W1~_ab W2~_ab,  g(d) = (sinh(d/2)/(d/2))^2
 *   dG[Z] W ~ = X + X^T,  X_ab = sum_c Z~_ac T(a,c;b) W~_cb,
 *   T(a,c;b) = (g(l_a - l_b) - g(l_c - l_b))/(l_a - l_c), or by Taylor where l_a ~ l_c.
 * Squared norms need one T for all vectors:
 *   w^T G w = sum_ab g_ab W~_ab^2,   w^T dG[Z] w = 2 sum_ac Z~_ac sum_b T(a,c;b) W~_ab W~_cb,
 * and their sums over vectors w_k only N_b[a][c] = sum_k W~_ab W~_cb, which are matrix products:
 *   sum_k w^T G w = sum_ab g_ab N_b[a][a]
 *   sum_k w^T dG[Z] w = 2 sum_ac Z~_ac sum_b T(a,c;b) N_b[a][c] */
#include "manifold/spd.h"

#include <math.h>
#include <string.h>

#include <cblas.h>

#include "base/base.h"
#include "linalg/clones.h"
#include "linalg/dense.h"
#include "linalg/special.h"

static const double NEARLY_EQUAL = 1e-3; /* |l_a - l_c| below which T is expanded */

/* ---- volume, metric, derivative ------------------------------------------------------------ */

rm2_status rm2i_spd_log_volume(size_t n, const double *c, double *value, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(rm2i_spd_decompose(n, c, s));
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

/* out = coordinates of U X U^T for symmetric X in s.A. */
static void rotate_out(size_t n, double *out, rm2i_spd_scratch s) {
    rm2i_multiply(n, s.A, s.Ut, s.B);
    rm2i_multiply_tn(n, s.Ut, s.B, s.A);
    rm2i_spd_pack_coords(n, s.A, out);
}

rm2_status rm2i_spd_metric(size_t n, const double *c, size_t count, const double *W, double *out,
                           size_t stride, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    double *g = s.frame, *w = g + n * n;
    RM2_TRY(rm2i_spd_decompose(n, c, s));
    rm2i_transpose(n, s.Ut, s.C);
    g_table(n, s.values, g);
    for (size_t k = 0; k < count; k++) {
        rm2i_spd_unpack_coords(n, W + k * stride, w);
        rm2i_spd_rotate_in(n, w, s.A, s);
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

rm2_status rm2i_spd_metric_derivative(size_t n, const double *c, const double *z, size_t count,
                                      const double *W, double *out, size_t stride, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    double *g = s.frame, *Z = g + n * n, *w = Z + n * n, *X = w + n * n;
    RM2_TRY(rm2i_spd_decompose(n, c, s));
    rm2i_transpose(n, s.Ut, s.C);
    g_table(n, s.values, g);
    rm2i_spd_unpack_coords(n, z, X);
    rm2i_spd_rotate_in(n, X, Z, s);
    for (size_t k = 0; k < count; k++) {
        rm2i_spd_unpack_coords(n, W + k * stride, X);
        rm2i_spd_rotate_in(n, X, w, s);
        derivative_product(n, s.values, g, Z, w, X, s.A, s.eigen);
        rotate_out(n, out + k * stride, s);
    }
    return RM2_OK;
}

/* ---- squared norms --------------------------------------------------------------------------- */

enum { DIRECTIONS = 4 }; /* of derivatives of squared norms that are done at once */

/* Vectors whose squared norms are done at once: their matrices stay in the cache. */
static size_t norms_block(size_t n) {
    size_t fits = ((size_t)1 << 17) / (n * n) + 1, dim = n * (n + 1) / 2;
    return fits < dim ? fits : dim;
}

/* Sums of squared norms by matrix products: of matrices so large that these pay, and so small that n
 * of their squares are no burden. */
static bool sums_by_products(size_t n) {
    return n >= 5 && n <= 48;
}

size_t rm2i_spd_norms_work(size_t n) {
    size_t sums = sums_by_products(n) ? (norms_block(n) + n) * n * n : 0;
    return (norms_block(n) + DIRECTIONS) * n * n + sums;
}

static void rotate_rows(size_t n, size_t count, const double *W, size_t stride, double *rotated,
                        rm2i_spd_scratch s) {
    for (size_t k = 0; k < count; k++) {
        rm2i_spd_unpack_coords(n, W + k * stride, s.A);
        rm2i_spd_rotate_in(n, s.A, rotated + k * n * n, s);
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

/* derivative[k][d] += w_k^T dG[Z_d] w_k = 2 sum_ac Z~_ac sum_b T(a,c;b) W~_ab W~_cb; rows of `all`. */
static void add_derivatives(size_t n, const double *g, size_t count, const double *rotated,
                            size_t directions, const double *Z, size_t all, double *derivative,
                            rm2i_spd_scratch s) {
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

/* N_b for b = 0..n-1, n x n each, lower triangles. */
static void sum_products(size_t n, size_t count, const double *W, size_t stride, double *N,
                         double *turned, rm2i_spd_scratch s) {
    size_t most = norms_block(n);
    int m = (int)n;
    for (size_t first = 0; first < count; first += most) {
        size_t block = count - first < most ? count - first : most;
        int rows = (int)(block * n);
        for (size_t k = 0; k < block; k++)
            rm2i_spd_unpack_coords(n, W + (first + k) * stride, s.norms + k * n * n);
        /* (b; k, i) = sum_j U_jb W_ij, then (b, k; a) = sum_i U_ia (b; k, i) */
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, rows, m, 1, s.Ut, m, s.norms, m, 0,
                    turned, rows);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, m, m, 1, turned, m, s.Ut, m, 0,
                    s.norms, m);
        for (size_t b = 0; b < n; b++)
            cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, m, (int)block, 1,
                        s.norms + b * block * n, m, first > 0, N + b * n * n, m);
    }
}

/* derivative[d] += sum_k w_k^T dG[Z_d] w_k */
static void sum_derivatives(size_t n, const double *g, const double *N, size_t directions,
                            const double *Z, double *derivative, rm2i_spd_scratch s) {
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

/* Only the sums over the vectors, in the first entry of value and the first row of derivative. */
static void metric_sums(size_t n, const double *g, size_t count, const double *W, size_t directions,
                        const double *Z, size_t stride, double *value, double *derivative,
                        double *Zt, rm2i_spd_scratch s) {
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

rm2_status rm2i_spd_metric_norms(size_t n, const double *c, size_t count, const double *W,
                                 size_t directions, const double *Z, size_t stride, bool sum,
                                 double *value, double *derivative, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    double *g = s.frame, *Zt = s.norms + norms_block(n) * n * n;
    RM2_TRY(rm2i_spd_decompose(n, c, s));
    rm2i_transpose(n, s.Ut, s.C);
    g_table(n, s.values, g);
    if (sum && count > 0 && sums_by_products(n)) {
        metric_sums(n, g, count, W, directions, Z, stride, value, derivative, Zt, s);
        return RM2_OK;
    }
    for (size_t first = 0; first < count; first += norms_block(n)) {
        size_t block = count - first < norms_block(n) ? count - first : norms_block(n);
        rotate_rows(n, block, W + first * stride, stride, s.norms, s);
        for (size_t k = 0; k < block; k++) {
            const double *w = s.norms + k * n * n;
            value[first + k] += triple_dot(n * n, g, w, w);
        }
        for (size_t d = 0; d < directions; d += DIRECTIONS) {
            size_t some = directions - d < DIRECTIONS ? directions - d : DIRECTIONS;
            rotate_rows(n, some, Z + d * stride, stride, Zt, s);
            add_derivatives(n, g, block, s.norms, some, Zt, directions,
                            derivative + first * directions + d, s);
        }
    }
    return RM2_OK;
}
