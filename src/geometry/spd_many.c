/* SPD(n), n <= 4 (else spd_lanes.c): exp and log of many points at one base point, ambient vectors, LANES at a time.
 *
 * The formulas are those of spd.c. Eigenvectors come from cyclic Jacobi rotations (Golub and Van Loan,
 * 8.5), which do the same to every matrix and so vectorise, until the largest off-diagonal entry of all
 * lanes is rounding. Points whose spectrum is too wide for it are left to the calls for single points.
 * A matrix of the lanes is [entry][lane], entries by rows. */
#include "geometry/spd_many.h"
#include "geometry/spd.h"

#include <math.h>
#include <string.h>

#include "geometry/lanes.h"
#include "geometry/spd.h"
#include "geometry/spd_lanes.h"

enum { N_MAX = 4, ENTRIES = N_MAX * N_MAX, SWEEPS = 12 };
static const double SMALL_STEP = 0.5, WIDE_SPECTRUM = 1e-6; /* as in spd.c */

#define INLINED static inline __attribute__((always_inline))

typedef double matrices[ENTRIES][LANES];
typedef double vectors[N_MAX][LANES];

/* C = A X, or C = X A, for one matrix A and many X. */
INLINED void multiply_left(size_t n, const double *A, matrices X, matrices C) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum[LANES] = {0};
            for (size_t k = 0; k < n; k++)
                FOR_LANES(l)
            sum[l] += A[i * n + k] * X[k * n + j][l];
            memcpy(C[i * n + j], sum, sizeof sum);
        }
}

INLINED void multiply_right(size_t n, matrices X, const double *A, matrices C) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum[LANES] = {0};
            for (size_t k = 0; k < n; k++)
                FOR_LANES(l)
            sum[l] += X[i * n + k][l] * A[k * n + j];
            memcpy(C[i * n + j], sum, sizeof sum);
        }
}

/* C = A X A^T, symmetric; At is A^T. */
INLINED void congruence(size_t n, const double *A, const double *At, matrices X, matrices C) {
    matrices half;
    multiply_left(n, A, X, half);
    multiply_right(n, half, At, C);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            FOR_LANES(l)
    C[i * n + j][l] = C[j * n + i][l] = 0.5 * (C[i * n + j][l] + C[j * n + i][l]);
}

/* x' = c x - s y, y' = s x + c y */
INLINED void rotate(double *x, double *y, const double *c, const double *s) {
    FOR_LANES(l) {
        double old = x[l];
        x[l] = c[l] * old - s[l] * y[l];
        y[l] = s[l] * old + c[l] * y[l];
    }
}

/* Make entry (p, q) of A zero; rows p, q of V turn along. */
INLINED void annihilate(size_t n, size_t p, size_t q, matrices A, matrices V) {
    double c[LANES], s[LANES];
    double *pp = A[p * n + p], *qq = A[q * n + q], *pq = A[p * n + q];
    FOR_LANES(
        l) { /* t = tan: smaller root of t^2 + 2 theta t - 1, theta = (a_qq - a_pp)/(2 a_pq) */
        double d = qq[l] - pp[l], a = 2 * pq[l];
        double t = (d < 0 ? -a : a) / (fabs(d) + sqrt(d * d + a * a) + 1e-300);
        c[l] = 1 / sqrt(1 + t * t);
        s[l] = c[l] * t;
        pp[l] -= t * pq[l];
        qq[l] += t * pq[l];
        pq[l] = A[q * n + p][l] = 0;
    }
    for (size_t r = 0; r < n; r++) {
        rotate(V[p * n + r], V[q * n + r], c, s);
        if (r == p || r == q)
            continue;
        rotate(A[r * n + p], A[r * n + q], c, s);
        memcpy(A[p * n + r], A[r * n + p], sizeof c);
        memcpy(A[q * n + r], A[r * n + q], sizeof c);
    }
}

/* Is every off-diagonal entry rounding, against its diagonal ones? */
INLINED bool diagonal(size_t n, matrices A) {
    bool done = true;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            FOR_LANES(l)
    done &=
        fabs(A[i * n + j][l]) <= 1e-17 * (fabs(A[i * n + i][l]) + fabs(A[j * n + j][l])) + 1e-290;
    return done;
}

/* A = sum_k values_k v_k v_k^T with rows v_k of V; false if it does not converge (NaN). */
INLINED bool eigen(size_t n, matrices A, vectors values, matrices V) {
    for (size_t i = 0; i < n * n; i++)
        FOR_LANES(l)
    V[i][l] = i % (n + 1) == 0;
    int sweep = 0;
    while (!diagonal(n, A) && sweep++ < SWEEPS)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++)
                annihilate(n, p, q, A, V);
    for (size_t i = 0; i < n; i++)
        memcpy(values[i], A[i * n + i], sizeof values[i]);
    return sweep <= SWEEPS;
}

/* C = R^T diag(d) R */
INLINED void weighted_gram(size_t n, vectors d, matrices R, matrices C) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) {
            double sum[LANES] = {0};
            for (size_t k = 0; k < n; k++)
                FOR_LANES(l)
            sum[l] += d[k][l] * R[k * n + i][l] * R[k * n + j][l];
            memcpy(C[i * n + j], sum, sizeof sum);
            memcpy(C[j * n + i], sum, sizeof sum);
        }
}

/* LANES points of an array, less `base` if there is one; the last point fills the lanes left over. */
INLINED void gather(size_t n, size_t count, size_t first, const double *points, size_t stride,
                    const double *base, matrices X) {
    FOR_LANES(l) {
        size_t row = first + (size_t)l < count ? first + (size_t)l : count - 1;
        for (size_t i = 0; i < n * n; i++)
            X[i][l] = points[row * stride + i] - (base ? base[i] : 0);
    }
}

INLINED void scatter(size_t n, size_t count, size_t first, matrices X, double *points,
                     size_t stride) {
    for (size_t l = 0; l < LANES && first + l < count; l++)
        for (size_t i = 0; i < n * n; i++)
            points[(first + l) * stride + i] = X[i][l];
}

/* Squared norm of the lane's matrix below the limit of a small step? */
INLINED void find_small(size_t count, matrices X, double *small) {
    double sum[LANES] = {0};
    for (size_t i = 0; i < count; i++)
        FOR_LANES(l)
    sum[l] += X[i][l] * X[i][l];
    FOR_LANES(l)
    small[l] = sum[l] < SMALL_STEP * SMALL_STEP;
}

/* Logarithms of eigenvalues of I + E (small) or S; false where they need more care. */
static bool logarithms(size_t n, const double *small, vectors values) {
    FOR_LANES(l) {
        double low = INFINITY, high = 0;
        for (size_t k = 0; k < n; k++) {
            double value = values[k][l] + small[l];
            low = value < low ? value : low;
            high = value > high ? value : high;
            values[k][l] = small[l] > 0 ? log1p(values[k][l]) : log(values[k][l]);
        }
        if (!(low > WIDE_SPECTRUM * high) || isinf(high))
            return false;
    }
    return true;
}

static bool exponentials(size_t n, const double *small, vectors values) {
    FOR_LANES(l)
    for (size_t k = 0; k < n; k++) {
        if (!(fabs(values[k][l]) < 300))
            return false;
        values[k][l] = small[l] > 0 ? expm1(values[k][l]) : exp(values[k][l]);
    }
    return true;
}

/* L X L^T with Lt = L^T */
INLINED void colour(size_t n, const double *Lt, matrices X, matrices C) {
    double L[ENTRIES];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            L[i * n + j] = Lt[j * n + i];
    congruence(n, L, Lt, X, C);
}

/* Frame: P, L^T, L^-1, L^-T. */
INLINED rm2_status log_many(size_t n, const double *frame, size_t count, const double *q, double *v,
                            size_t stride) {
    const double *P = frame, *Lt = P + n * n, *inverse = Lt + n * n, *inverse_t = inverse + n * n;
    for (size_t first = 0; first < count; first += LANES) {
        matrices X, E, S, V;
        vectors values;
        double small[LANES];
        gather(n, count, first, q, stride, P, X);
        congruence(n, inverse, inverse_t, X, E); /* L^-1 (Q - P) L^-T */
        gather(n, count, first, q, stride, NULL, X);
        congruence(n, inverse, inverse_t, X, S); /* L^-1 Q L^-T */
        find_small(n * n, E, small);
        for (size_t i = 0; i < n * n; i++)
            FOR_LANES(l)
        S[i][l] = small[l] > 0 ? E[i][l] : S[i][l];
        if (!eigen(n, S, values, V) || !logarithms(n, small, values))
            return RM2_ERR_UNSUPPORTED;
        weighted_gram(n, values, V, S);
        colour(n, Lt, S, X);
        scatter(n, count, first, X, v, stride);
    }
    return RM2_OK;
}

INLINED rm2_status exp_many(size_t n, const double *frame, size_t count, const double *v, double *y,
                            size_t stride) {
    const double *P = frame, *Lt = P + n * n, *inverse = Lt + n * n, *inverse_t = inverse + n * n;
    for (size_t first = 0; first < count; first += LANES) {
        matrices X, S, V;
        vectors values;
        double small[LANES];
        gather(n, count, first, v, stride, NULL, X);
        congruence(n, inverse, inverse_t, X, S);
        find_small(n * n, S, small);
        if (!eigen(n, S, values, V) || !exponentials(n, small, values))
            return RM2_ERR_UNSUPPORTED;
        multiply_right(n, V, Lt, S); /* rows of (L U)^T */
        weighted_gram(n, values, S, X);
        for (size_t i = 0; i < n * n; i++) /* P + L expm1(S) L^T, for small steps */
            FOR_LANES(l)
        X[i][l] += small[l] * P[i];
        scatter(n, count, first, X, y, stride);
    }
    return RM2_OK;
}

RM2I_AVX2_CLONES static rm2_status log_clones(size_t n, const double *frame, size_t count,
                                              const double *q, double *v, size_t stride) {
    return n == 3   ? log_many(3, frame, count, q, v, stride)
           : n == 2 ? log_many(2, frame, count, q, v, stride)
                    : log_many(n, frame, count, q, v, stride);
}

RM2I_AVX2_CLONES static rm2_status exp_clones(size_t n, const double *frame, size_t count,
                                              const double *v, double *y, size_t stride) {
    return n == 3   ? exp_many(3, frame, count, v, y, stride)
           : n == 2 ? exp_many(2, frame, count, v, y, stride)
                    : exp_many(n, frame, count, v, y, stride);
}

rm2_status rm2i_spd_log_many(size_t n, const double *frame, size_t count, const double *q,
                             double *v, size_t stride) {
    for (size_t i = 0; i < count; i++)
        if (!rm2i_spd_symmetric(n, q + i * stride))
            return RM2_ERR_UNSUPPORTED;
    return n <= N_MAX ? log_clones(n, frame, count, q, v, stride)
                      : rm2i_spd_log_lanes(n, frame, count, q, v, stride);
}

rm2_status rm2i_spd_exp_many(size_t n, const double *frame, size_t count, const double *v,
                             double *y, size_t stride) {
    return n <= N_MAX ? exp_clones(n, frame, count, v, y, stride)
                      : rm2i_spd_exp_lanes(n, frame, count, v, y, stride);
}
