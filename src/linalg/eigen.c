/* Symmetric eigenvalue problems of one small matrix.
 *
 * rm2i_eigen: Householder reduction to tridiagonal form, then implicit QL with Wilkinson's shift
 * (Bowdler, Martin, Reinsch and Wilkinson, 1968). Eigenvectors are kept as rows, so that a rotation
 * of the QL sweep works on two contiguous rows. For small n calls into LAPACK cost
 * more than the sums; dsyevd takes over for large n.
 *
 * rm2i_eigen_gram: one-sided Jacobi (Hestenes, 1958) on C. Forming C C^T first would lose every
 * eigenvalue below 1e-16 of the largest; rotating the rows of C until they are orthogonal keeps
 * them to high relative accuracy (Demmel and Veselic, 1992). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "linalg/dense.h"
#include "linalg/factor.h"

enum { LOOPS_UP_TO = 48, MAX_SWEEPS = 60 };

/* Entries below this count as 0 in a matrix scaled to size one: their squares would underflow. */
static const double NEGLIGIBLE = 1e-150;

/* Inlined into the clones of `eigen_loops`. */
#define INLINED static inline __attribute__((always_inline))

/* Rows are padded with zeros to a multiple of four entries: vector loops then leave no rest. */
static size_t padded(size_t n) {
    return (n + 3) / 4 * 4;
}

size_t rm2i_eigen_work(size_t n) { /* matrix, a row, off-diagonal and betas; or LAPACK's */
    return n <= LOOPS_UP_TO ? n * padded(n) + padded(n) + 2 * n : rm2i_symmetric_eigen_work(n);
}

/* Loops over `width` entries, a multiple of four: no rest, no test for overlap. */
#define FOR_FOURS(j, q, width)                                                                     \
    for (size_t j = 0; j < (width); j += 4)                                                        \
        for (size_t q = j; q < (j) + 4; q++)

/* y += a x */
INLINED void axpy(size_t width, double a, const double *restrict x, double *restrict y) {
    FOR_FOURS(j, q, width)
    y[q] += a * x[q];
}

/* y -= a x + b z */
INLINED void update(size_t width, double a, const double *restrict x, double b,
                    const double *restrict z, double *restrict y) {
    FOR_FOURS(j, q, width)
    y[q] -= a * x[q] + b * z[q];
}

/* x' = c x - s y, y' = s x + c y */
INLINED void rotate(size_t width, double c, double s, double *restrict x, double *restrict y) {
    FOR_FOURS(j, q, width) {
        double old = y[q];
        y[q] = s * x[q] + c * old;
        x[q] = c * x[q] - s * old;
    }
}

/* A (n x n, symmetric, rows ld apart) -> diagonal d, off-diagonal e (e[n-1] = 0), and the Householder
 * vectors of H_k = I - beta_k v_k v_k^T, row k, which are zero up to entry k. p: a row of scratch. */
INLINED void tridiagonalise(size_t n, size_t ld, double *A, double *d, double *e, double *beta,
                            double *p) {
    for (size_t k = 0; k + 2 < n; k++) {
        double *v = A + k * ld, length = rm2i_norm(n - k - 1, v + k + 1);
        d[k] = v[k];
        e[k] = v[k + 1] > 0 ? -length : length;
        beta[k] = 0;
        memset(v, 0, (k + 1) * sizeof *v);
        if (length < NEGLIGIBLE) {
            e[k] = 0;
            continue;
        }
        v[k + 1] -= e[k];
        beta[k] = -1 / (e[k] * v[k + 1]);
        size_t from = (k + 1) / 4 * 4,
               width = ld - from; /* whole vectors: v is zero before k + 1 */
        memset(p, 0, ld * sizeof *p);
        for (size_t i = k + 1; i < n; i++) /* p = beta A v, by rows: A is symmetric */
            axpy(width, beta[k] * v[i], A + i * ld + from, p + from);
        memset(p, 0, (k + 1) * sizeof *p);
        double vp = rm2i_dot(width, v + from, p + from);
        axpy(width, -0.5 * beta[k] * vp, v + from, p + from); /* w = p - (beta/2) (v.p) v */
        for (size_t i = k + 1; i < n; i++)                    /* A -= v w^T + w v^T */
            update(width, v[i], p + from, p[i], v + from, A + i * ld + from);
    }
    if (n > 1) {
        d[n - 2] = A[(n - 2) * ld + n - 2];
        e[n - 2] = A[(n - 2) * ld + n - 1];
    }
    d[n - 1] = A[(n - 1) * ld + n - 1];
    e[n - 1] = 0;
}

/* Turn the vectors into Qt = H_{n-3} ... H_0, from the last reflection to the first: A = Qt^T T Qt. */
INLINED void accumulate(size_t n, size_t ld, double *A, const double *beta) {
    size_t first = n > 2 ? n - 2 : 0; /* the trailing block that no vector occupies */
    for (size_t i = first; i < n; i++) {
        memset(A + i * ld, 0, ld * sizeof *A);
        A[i * ld + i] = 1;
    }
    for (size_t k = first; k-- > 0;) {
        double *v = A + k * ld;
        size_t from = (k + 1) / 4 * 4, width = ld - from;
        for (size_t i = k + 1; i < n; i++) { /* row_i -= beta (row_i . v) v */
            double *row = A + i * ld + from;
            double s = beta[k] * rm2i_dot(width, row, v + from);
            axpy(width, -s, v + from, row);
        }
        memset(v, 0, ld * sizeof *v);
        v[k] = 1;
    }
}

static void rotate_rows(size_t n, double c, double s, double *x, double *y) {
    for (size_t k = 0; k < n; k++) {
        double old = y[k];
        y[k] = s * x[k] + c * old;
        x[k] = c * x[k] - s * old;
    }
}

INLINED size_t end_of_block(size_t n, const double *d, const double *e, size_t l) {
    size_t m = l;
    while (m + 1 < n &&
           !(fabs(e[m]) <= DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1])) || fabs(e[m]) < NEGLIGIBLE))
        m++;
    return m;
}

/* One implicit QL sweep over the unreduced block l..m. */
INLINED void ql_sweep(size_t ld, size_t l, size_t m, double *d, double *e, double *Zt) {
    double g = (d[l + 1] - d[l]) / (2 * e[l]);
    double r = sqrt(g * g + 1);
    g = d[m] - d[l] + e[l] / (g + copysign(r, g)); /* d_m - shift */
    double s = 1, c = 1, p = 0;
    for (size_t i = m; i-- > l;) {
        double f = s * e[i], b = c * e[i];
        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) { /* the block splits by itself */
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        double inverse = 1 / r;
        s = f * inverse;
        c = g * inverse;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate(ld, c, s, Zt + i * ld, Zt + (i + 1) * ld);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

INLINED rm2_status ql(size_t n, size_t ld, double *d, double *e, double *Zt) {
    for (size_t l = 0; l < n; l++)
        for (int sweep = 0;; sweep++) {
            size_t m = end_of_block(n, d, e, l);
            if (m == l)
                break;
            if (sweep == MAX_SWEEPS)
                return RM2_ERR_NUMERIC;
            ql_sweep(ld, l, m, d, e, Zt);
        }
    return RM2_OK;
}

/* A = down * A first, in padded rows of the scratch. */
RM2I_AVX2_CLONES static rm2_status eigen_loops(size_t n, const double *A, double down,
                                               double *values, double *vectors, double *work) {
    size_t ld = padded(n);
    double *M = work, *row = M + n * ld, *e = row + ld, *beta = e + n;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            M[i * ld + j] = down * A[i * n + j];
        memset(M + i * ld + n, 0, (ld - n) * sizeof *M);
    }
    tridiagonalise(n, ld, M, values, e, beta, row);
    accumulate(n, ld, M, beta);
    rm2_status status = ql(n, ld, values, e, M);
    for (size_t i = 0; i < n; i++)
        memcpy(vectors + i * n, M + i * ld, n * sizeof *vectors);
    return status;
}

static rm2_status eigen_lapack(size_t n, const double *A, double down, double *values,
                               double *vectors, double *work) {
    for (size_t i = 0; i < n * n; i++)
        vectors[i] = down * A[i];
    return rm2i_symmetric_eigen(n, vectors, values, work);
}

rm2_status rm2i_eigen(size_t n, const double *A, double *values, double *vectors, double *work) {
    double largest = rm2i_max_abs(n * n, A);
    if (isinf(largest))
        return RM2_ERR_NUMERIC;
    int exponent = 0; /* scale by a power of two, exactly, so that squares stay in range */
    (void)frexp(largest, &exponent);
    double down = largest > 0 ? ldexp(1, -exponent) : 1;
    if (isinf(down)) /* all entries subnormal */
        return RM2_ERR_NUMERIC;
    rm2_status status = n > LOOPS_UP_TO ? eigen_lapack(n, A, down, values, vectors, work)
                                        : eigen_loops(n, A, down, values, vectors, work);
    for (size_t i = 0; i < n; i++)
        values[i] /= down;
    return status;
}

/* Rotate rows x, y of C (and of V) so that they become orthogonal; returns their cosine before,
 * and leaves rows alone whose cosine is below `small`. */
static double orthogonalise(size_t n, double small, double *x, double *y, double *vx, double *vy) {
    double a = rm2i_dot(n, x, x), b = rm2i_dot(n, y, y), c = rm2i_dot(n, x, y);
    double cosine = c == 0 ? 0 : fabs(c) / (sqrt(a) * sqrt(b));
    if (!(cosine > small))
        return cosine;
    double zeta = (b - a) / (2 * c); /* tan of the angle: smaller root of t^2 + 2 zeta t - 1 */
    double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double cs = 1 / sqrt(1 + t * t), sn = cs * t;
    rotate_rows(n, cs, sn, x, y);
    rotate_rows(n, cs, sn, vx, vy);
    return cosine;
}

rm2_status rm2i_eigen_gram(size_t n, double *C, double *values, double *vectors) {
    if (isinf(rm2i_max_abs(n * n, C)))
        return RM2_ERR_NUMERIC;
    for (size_t i = 0; i < n * n; i++)
        vectors[i] = i % (n + 1) == 0;
    double worst = 1, small = (double)(n + 3) * DBL_EPSILON; /* rounding of a dot product */
    for (int sweep = 0; worst > small; sweep++) {
        if (sweep == MAX_SWEEPS)
            return RM2_ERR_NUMERIC;
        worst = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t j = i + 1; j < n; j++)
                worst = fmax(worst, orthogonalise(n, small, C + i * n, C + j * n, vectors + i * n,
                                                  vectors + j * n));
    }
    for (size_t i = 0; i < n; i++)
        values[i] = rm2i_dot(n, C + i * n, C + i * n);
    return RM2_OK;
}
