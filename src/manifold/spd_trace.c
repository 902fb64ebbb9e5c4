/* Traces tr(G Sigma) of SPD(n) without slopes, in fewer products with the table than those of spd_jet.c need.
 *
 * With o_a the coordinates of u_a u_a^T and N_ab = o_a^T table o_b >= 0 the trace is sum_ab g(l_a - l_b) N_ab. On an
 * interval of the l of half-width h around m let x = (l - m)/h. g is even, and a polynomial stands for it:
 *
 *   g(l_a - l_b) = sum_k<=K c_k (x_a - x_b)^2k,   f_j = sum_b x_b^j o_b:
 *   tr(G Sigma) = sum_j<=K f_j^T table sum_a w_j(x_a) o_a,
 *   w_j(x) = (-1)^j x^j (c_j C(2j,j) + 2 sum_k>j c_k C(2k,j) x^(2k-2j))
 *
 * Of the two powers in a term of (x_a - x_b)^2k the lower one is at most K and meets the table: K products for a
 * polynomial of degree 2K, as f_0 is the same at all points.
 *
 * The c_k interpolate g(2 h sqrt(t)) = sum_k 2 (2h)^2k t^k/(2k+2)! at K + 1 Chebyshev nodes t of [0, 1]. All terms are
 * positive, so its derivative of order K + 1 is largest at t = 1, where each term of that sum is at most
 * q = 4 h^2 (K + 2)/((2K + 5)(2K + 6)) times the one before; interpolation errs by at most
 *
 *   4 h^(2K+2)/((2K+4)! (1 - q)),
 *
 * a bound of the relative error of the trace because g >= 1. Terms add up to about g(2h) in size: rounding makes
 * that much more of it, which bounds h. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/clones.h"
#include "linalg/dense.h"
#include "linalg/serial.h"
#include "manifold/spd_jet.h"
#include "math/special.h"

enum { POWERS_MAX = 16 };
static const double WIDEST = 4; /* h: g(8) is 47 */

/* ---- the table ------------------------------------------------------------------------------ */

static const double HALF_ROOT2 = 0.70710678118654752440;

/* Place of entry (i, j), i <= j, among the coordinates. */
static size_t coordinate(size_t n, size_t i, size_t j) {
    return i * n - i * (i + 1) / 2 + j;
}

/* E[W_ij W_kl] */
static double moment(size_t n, const double *Sigma, size_t i, size_t j, size_t k, size_t l) {
    size_t dim = n * (n + 1) / 2;
    size_t at = i <= j ? coordinate(n, i, j) : coordinate(n, j, i);
    size_t by = k <= l ? coordinate(n, k, l) : coordinate(n, l, k);
    return (i == j ? 1 : HALF_ROOT2) * (k == l ? 1 : HALF_ROOT2) * Sigma[at * dim + by];
}

/* The last row: table f_0, f_0 the coordinates of the identity. */
static void add_identity_row(size_t n, double *table) {
    size_t dim = n * (n + 1) / 2;
    double *row = table + dim * dim;
    memset(row, 0, dim * sizeof *row);
    for (size_t i = 0; i < n; i++)
        rm2i_axpy(dim, 1, table + coordinate(n, i, i) * dim, row);
}

/* e^T table f = sum_k tr(E W_k F W_k) for matrices E, F with coordinates e, f: with the unit vectors
 * E = a_ij (e_i e_j^T + e_j e_i^T) and a = 1/sqrt(2), or 1/2 on the diagonal, it is a a' times the sum of
 * E[W_jk W_li] over both orders of (i, j) and (k, l). */
void rm2i_spd_trace_table(size_t n, const double *Sigma, double *table) {
    size_t dim = n * (n + 1) / 2;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            for (size_t k = 0; k < n; k++)
                for (size_t l = k; l < n; l++) {
                    double scale = (i == j ? 0.5 : HALF_ROOT2) * (k == l ? 0.5 : HALF_ROOT2);
                    double sum = moment(n, Sigma, j, k, l, i) + moment(n, Sigma, j, l, k, i) +
                                 moment(n, Sigma, i, k, l, j) + moment(n, Sigma, i, l, k, j);
                    table[coordinate(n, i, j) * dim + coordinate(n, k, l)] = scale * sum;
                }
    add_identity_row(n, table);
}

size_t rm2i_spd_trace_table_size(size_t n) {
    size_t dim = n * (n + 1) / 2;
    return dim * (dim + 1);
}

/* ---- scratch -------------------------------------------------------------------------------- */

typedef struct trace_scratch {
    size_t *rows;  /* points: products with the table */
    double *w;     /* points x n x n: weights of the rows, one for each eigenvalue */
    double *Ot;    /* points x dim x n: coordinates of u_a u_a^T, in columns */
    double *F, *Y; /* rows of dim: those of each point, one point after the other */
    double *O;     /* n x dim: one point's Ot by rows */
    double *V;     /* (n + 1) x n: F = V O */
    double *A;     /* n x n */
    double *U;     /* n x n */
} trace_scratch;

static void lay_out(trace_scratch *s, size_t n, size_t points, rm2i_arena *a) {
    size_t dim = n * (n + 1) / 2;
    s->rows = rm2i_reserve(a, size_t, points);
    s->w = rm2i_reserve(a, double, points, n, n);
    s->Ot = rm2i_reserve(a, double, points, dim, n);
    s->F = rm2i_reserve(a, double, points, n + 1, dim);
    s->Y = rm2i_reserve(a, double, points, n, dim);
    s->O = rm2i_reserve(a, double, n, dim);
    s->V = rm2i_reserve(a, double, n + 1, n);
    s->A = rm2i_reserve(a, double, n, n);
    s->U = rm2i_reserve(a, double, n, n);
}

size_t rm2i_spd_traces_work(size_t n, size_t points) {
    rm2i_arena a = {NULL, 0};
    lay_out(&(trace_scratch){0}, n, points, &a);
    return a.used;
}

/* ---- the polynomial ------------------------------------------------------------------------- */

/* K that keeps the relative error below RM2I_SPD_INTERPOLATION; n where that takes as many products as the
 * eigenvalues themselves. */
static size_t powers_for(size_t n, double h) {
    double bound = h * h / 6; /* 4 h^(2K+2)/(2K+4)! */
    for (size_t K = 0; K < n && K < POWERS_MAX && h <= WIDEST; K++) {
        double k = (double)K, q = 4 * h * h * (k + 2) / ((2 * k + 5) * (2 * k + 6));
        if (q < 0.5 && bound < RM2I_SPD_INTERPOLATION * (1 - q))
            return K;
        bound *= h * h / ((2 * k + 5) * (2 * k + 6));
    }
    return n;
}

/* c_0 to c_K: divided differences at the nodes, then powers of t = ((x - y)/2)^2. */
static void find_coefficients(double h, size_t K, double *c) {
    double t[POWERS_MAX + 1], d[POWERS_MAX + 1], ignored[POWERS_MAX + 1];
    for (size_t i = 0; i <= K; i++) {
        t[i] = 0.5 + 0.5 * cos((double)(2 * i + 1) * RM2_PI / (double)(2 * K + 2));
        d[i] = 2 * h * sqrt(t[i]);
    }
    rm2i_spd_g_many(K + 1, d, c, ignored);
    for (size_t order = 1; order <= K; order++)
        for (size_t i = K; i >= order; i--)
            c[i] = (c[i] - c[i - 1]) / (t[i] - t[i - order]);
    for (size_t i = K; i-- > 0;) /* (..) (t - t_i) + c_i, as powers */
        for (size_t k = i; k < K; k++)
            c[k] -= t[i] * c[k + 1];
    for (size_t k = 0; k <= K; k++)
        c[k] = ldexp(c[k], -2 * (int)k);
}

/* B[j][k] = (-1)^j C(2k,j) c_k, twice that for j < k. */
static void pair_coefficients(size_t K, const double *c, double B[][POWERS_MAX + 1]) {
    for (size_t k = 0; k <= K; k++) {
        double term = c[k];
        for (size_t j = 0; j <= k; j++) {
            B[j][k] = j < k ? 2 * term : term;
            term *= -(double)(2 * k - j) / (double)(j + 1);
        }
    }
}

/* Rows x^j of V for j = 1 to K with their weights w_j, and w_0 as one more row of V. */
RM2I_AVX2_CLONES
static void fill_powers(size_t n, size_t K, const double *x, double B[][POWERS_MAX + 1],
                        double *restrict V, double *restrict w) {
    for (size_t j = 0; j <= K; j++) {
        double *weight = j ? w + (j - 1) * n : V + K * n;
        for (size_t a = 0; a < n; a++) {
            double sum = B[j][K], square = x[a] * x[a];
            for (size_t k = K; k-- > j;)
                sum = sum * square + B[j][k];
            weight[a] = sum;
        }
        for (size_t a = 0; a < n && j; a++) {
            double power = V[(j - 1) * n + a] = j > 1 ? V[(j - 2) * n + a] * x[a] : x[a];
            weight[a] *= power;
        }
    }
}

/* ---- all points ----------------------------------------------------------------------------- */

/* Coordinates of u_a u_a^T: columns a of Ot, from U (rows: entries of all eigenvectors). */
RM2I_AVX2_CLONES
static void outer_columns(size_t n, const double *restrict U, double *restrict Ot) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++, Ot += n)
            for (size_t a = 0; a < n; a++)
                Ot[a] = (j > i ? 2 * HALF_ROOT2 : 1) * U[i * n + a] * U[j * n + a];
}

static void transpose(size_t rows, size_t columns, const double *A, double *B) {
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            B[j * rows + i] = A[i * columns + j];
}

/* The eigenvalues themselves: F = O with weights g(l_a - l_b). */
static void place_eigenvalues(size_t n, size_t i, const double *l, const trace_scratch *s,
                              double *F) {
    size_t dim = n * (n + 1) / 2;
    for (size_t b = 0; b < n; b++)
        for (size_t a = 0; a < n; a++)
            s->A[b * n + a] = l[a] - l[b];
    rm2i_spd_g_many(n * n, s->A, s->w + i * n * n, s->V);
    transpose(dim, n, s->Ot + i * dim * n, F);
    s->rows[i] = n;
}

/* Rows of point i for the table's product, from F on, and their weights; returns what f_0 adds to the trace. */
static double place_rows(size_t n, size_t i, const double *table, const double *l,
                         const trace_scratch *s, double *F) {
    size_t dim = n * (n + 1) / 2;
    double low = l[0], high = l[0], c[POWERS_MAX + 1], B[POWERS_MAX + 1][POWERS_MAX + 1];
    for (size_t a = 0; a < n; a++) {
        low = fmin(low, l[a]);
        high = fmax(high, l[a]);
    }
    double m = (low + high) / 2, h = (high - low) / 2;
    size_t K = powers_for(n, h);
    if (K == n) {
        place_eigenvalues(n, i, l, s, F);
        return 0;
    }
    for (size_t a = 0; a < n; a++)
        s->A[a] = h > 0 ? (l[a] - m) / h : 0;
    find_coefficients(h, K, c);
    pair_coefficients(K, c, B);
    fill_powers(n, K, s->A, B, s->V, s->w + i * n * n);
    transpose(dim, n, s->Ot + i * dim * n, s->O);
    rm2i_multiply_rows(K + 1, n, dim, s->V, s->O, F);
    s->rows[i] = K;
    return rm2i_dot(dim, table + dim * dim, F + K * dim);
}

void rm2i_spd_traces(size_t n, const double *table, size_t points, const double *l,
                     const double *Ut, double *trace, double *work) {
    size_t dim = n * (n + 1) / 2, rows = 0;
    trace_scratch s;
    lay_out(&s, n, points, &(rm2i_arena){work, 0});
    for (size_t i = 0; i < points; i++) {
        rm2i_transpose(n, Ut + i * n * n, s.U);
        outer_columns(n, s.U, s.Ot + i * dim * n);
        trace[i] += place_rows(n, i, table, l + i * n, &s, s.F + rows * dim);
        rows += s.rows[i];
    }
    if (rows > 0)
        rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)dim, (int)dim, 1, s.F,
                   (int)dim, table, (int)dim, 0, s.Y, (int)dim);
    for (size_t i = 0; i < points; i++) { /* sum_ja w_j(x_a) o_a^T (table f_j) */
        rm2i_multiply_rows(s.rows[i], dim, n, s.Y, s.Ot + i * dim * n, s.A);
        trace[i] += rm2i_dot(s.rows[i] * n, s.w + i * n * n, s.A);
        s.Y += s.rows[i] * dim;
    }
}
