/* SPD(n), 4 < n <= 32: exp and log of many points at one base point, four at a time, by the formulas of spd.c and
 * eigenproblems side by side (linalg/eigen_lanes.h). L and L^-1 are lower triangles: products with them take half the
 * steps, and of a symmetric product one triangle is computed. Points whose spectrum is too wide, and those whose squares
 * leave the range of numbers, are left to the calls for single points. */
#include "geometry/spd_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clones.h"
#include "linalg/eigen_lanes.h"

enum { N_MAX = RM2I_LANES_MOST, ENTRIES = N_MAX * N_MAX };
static const double SMALL_STEP = 0.5, WIDE_SPECTRUM = 1e-6; /* as in spd.c */
static const double LEAST = 1e-200, MOST = 1e200;           /* squared norms that are handled */

#define INLINED      static inline __attribute__((always_inline))
#define FOR_LANES(l) for (size_t l = 0; l < RM2I_LANES; l++)

/* ---- products ------------------------------------------------------------------------------- */

/* Lower triangle of C = A X A^T for symmetric X and a lower triangular A: half = A X, C_ij = sum_k<=j half_ik A_jk. */
INLINED void congruence(size_t n, const double *A, rm2i_lanes *X, rm2i_lanes *half, rm2i_lanes *C) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            rm2i_lanes sum = {0};
            for (size_t k = 0; k <= i; k++)
                sum += A[i * n + k] * X[k * n + j];
            half[j] = sum;
        }
        for (size_t j = 0; j <= i; j++) {
            rm2i_lanes sum = {0};
            for (size_t k = 0; k <= j; k++)
                sum += half[k] * A[j * n + k];
            C[i * n + j] = sum;
        }
    }
}

/* The upper triangle from the lower one. */
INLINED void mirror(size_t n, rm2i_lanes *C) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            C[j * n + i] = C[i * n + j];
}

/* Rows of B = V L^T: B_kj = sum_m<=j V_km L_jm, in the place of V. */
INLINED void colour_rows(size_t n, const double *L, rm2i_lanes *V) {
    for (size_t k = 0; k < n; k++)
        for (size_t j = n; j-- > 0;) {
            rm2i_lanes sum = {0};
            for (size_t m = 0; m <= j; m++)
                sum += V[k * n + m] * L[j * n + m];
            V[k * n + j] = sum;
        }
}

/* C = R^T diag(d) R; `scaled` has a column of diag(d) R. */
INLINED void weighted_gram(size_t n, rm2i_lanes *d, rm2i_lanes *R, rm2i_lanes *scaled,
                           rm2i_lanes *C) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++)
            scaled[k] = d[k] * R[k * n + i];
        for (size_t j = 0; j <= i; j++) {
            rm2i_lanes sum = {0};
            for (size_t k = 0; k < n; k++)
                sum += scaled[k] * R[k * n + j];
            C[i * n + j] = sum;
        }
    }
    mirror(n, C);
}

/* Squared norm of a symmetric matrix, less the identity if that is asked for, from the lower triangle. */
INLINED void square_norm(size_t n, rm2i_lanes *S, double identity, rm2i_lanes *square) {
    rm2i_lanes sum = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++)
            sum += 2 * S[i * n + j] * S[i * n + j];
        rm2i_lanes off = S[i * n + i] - identity;
        sum += off * off;
    }
    *square = sum;
}

/* ---- points --------------------------------------------------------------------------------- */

typedef struct span {
    size_t n, count, stride;
} span;

/* Symmetric parts of the points from `first` on, less `base` if there is one; the last point fills the lanes left over. */
INLINED void gather(const span *s, size_t first, const double *points, const double *base,
                    rm2i_lanes *X) {
    size_t n = s->n;
    FOR_LANES(l) {
        size_t row = first + l < s->count ? first + l : s->count - 1;
        const double *x = points + row * s->stride;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++) {
                double entry = 0.5 * (x[i * n + j] + x[j * n + i]);
                X[i * n + j][l] = X[j * n + i][l] = entry - (base ? base[i * n + j] : 0);
            }
    }
}

INLINED void scatter(const span *s, size_t first, rm2i_lanes *X, double *points) {
    for (size_t l = 0; l < RM2I_LANES && first + l < s->count; l++)
        for (size_t i = 0; i < s->n * s->n; i++)
            points[(first + l) * s->stride + i] = X[i][l];
}

/* L of the frame, which has L^T. */
INLINED void transpose(size_t n, const double *Lt, double *L) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            L[i * n + j] = Lt[j * n + i];
}

/* ---- functions of eigenvalues --------------------------------------------------------------- */

/* Is each lane's square 0 or in range? */
static bool in_range(const rm2i_lanes *lanes) {
    rm2i_lanes square = *lanes;
    FOR_LANES(l)
    if (!(square[l] == 0 || (square[l] > LEAST && square[l] < MOST)))
        return false;
    return true;
}

/* log of the eigenvalues, which are those of S - I in small lanes; false where a spectrum needs more care. */
static bool logarithms(size_t n, const rm2i_lanes *lanes, rm2i_lanes *values) {
    rm2i_lanes small = *lanes;
    FOR_LANES(l) {
        double low = INFINITY, high = 0;
        for (size_t k = 0; k < n; k++) {
            low = fmin(low, values[k][l] + small[l]);
            high = fmax(high, values[k][l] + small[l]);
            values[k][l] = small[l] > 0 ? log1p(values[k][l]) : log(values[k][l]);
        }
        if (!(low > WIDE_SPECTRUM * high))
            return false;
    }
    return true;
}

static bool exponentials(size_t n, const rm2i_lanes *lanes, rm2i_lanes *values) {
    rm2i_lanes small = *lanes;
    for (size_t k = 0; k < n; k++)
        FOR_LANES(l) {
            if (!(fabs(values[k][l]) < 300))
                return false;
            values[k][l] = small[l] > 0 ? expm1(values[k][l]) : exp(values[k][l]);
        }
    return true;
}

/* ---- log and exp ---------------------------------------------------------------------------- */

/* Room for four points. */
typedef struct room {
    rm2i_lanes X[ENTRIES], S[ENTRIES], E[ENTRIES]; /* n x n are used */
    rm2i_lanes values[N_MAX], row[N_MAX];
    rm2i_lanes small; /* 1 near the base point */
} room;

/* Lower triangle of S = L^-1 Q L^-T, or of L^-1 (Q - P) L^-T in lanes near the base point P; false out of range. */
INLINED bool whiten(const span *s, const double *frame, size_t first, const double *q, room *r) {
    size_t n = s->n;
    const double *inverse = frame + 2 * n * n;
    rm2i_lanes square;
    bool any = false;
    gather(s, first, q, NULL, r->X);
    congruence(n, inverse, r->X, r->row, r->S);
    square_norm(n, r->S, 1, &square);
    FOR_LANES(l) {
        r->small[l] = square[l] < SMALL_STEP * SMALL_STEP;
        any = any || r->small[l] > 0;
    }
    if (any) {
        gather(s, first, q, frame, r->X);
        congruence(n, inverse, r->X, r->row, r->E);
        for (size_t i = 0; i < n * n; i++)
            FOR_LANES(l)
        r->S[i][l] = r->small[l] > 0 ? r->E[i][l] : r->S[i][l];
    }
    square_norm(n, r->S, 0, &square);
    return in_range(&square);
}

/* Log_P(Q) = L logm(S) L^T */
INLINED bool log_lanes(const span *s, const double *frame, size_t first, const double *q, room *r) {
    size_t n = s->n;
    double L[ENTRIES];
    if (!whiten(s, frame, first, q, r) || !rm2i_eigen_lanes(n, r->S, r->values) ||
        !logarithms(n, &r->small, r->values))
        return false;
    transpose(n, frame + n * n, L);
    weighted_gram(n, r->values, r->S, r->row, r->E);
    congruence(n, L, r->E, r->row, r->X);
    mirror(n, r->X);
    return true;
}

/* Exp_P(V) = L expm(L^-1 V L^-T) L^T; P + L expm1(..) L^T for small steps. */
INLINED bool exp_lanes(const span *s, const double *frame, size_t first, const double *v, room *r) {
    size_t n = s->n;
    double L[ENTRIES];
    rm2i_lanes square;
    gather(s, first, v, NULL, r->X);
    congruence(n, frame + 2 * n * n, r->X, r->row, r->S);
    square_norm(n, r->S, 0, &square);
    FOR_LANES(l)
    r->small[l] = square[l] < SMALL_STEP * SMALL_STEP;
    if (!in_range(&square) || !rm2i_eigen_lanes(n, r->S, r->values) ||
        !exponentials(n, &r->small, r->values))
        return false;
    transpose(n, frame + n * n, L);
    colour_rows(n, L, r->S);
    weighted_gram(n, r->values, r->S, r->row, r->X);
    for (size_t i = 0; i < n * n; i++)
        r->X[i] += r->small * frame[i];
    return true;
}

RM2I_AVX2_CLONES static rm2_status all_lanes(const span *s, bool logarithm, const double *frame,
                                             const double *in, double *out, room *r) {
    for (size_t first = 0; first < s->count; first += RM2I_LANES) {
        if (!(logarithm ? log_lanes(s, frame, first, in, r) : exp_lanes(s, frame, first, in, r)))
            return RM2_ERR_UNSUPPORTED;
        scatter(s, first, r->X, out);
    }
    return RM2_OK;
}

/* A room is too large for small stacks. Without memory the points are left to the calls for one. */
static rm2_status in_room(const span *s, bool logarithm, const double *frame, const double *in,
                          double *out) {
    enum { CACHE_LINE = 64 }; /* at least the alignment of lanes in the widest registers */
    room *r = aligned_alloc(CACHE_LINE, (sizeof *r + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    rm2_status status = r ? all_lanes(s, logarithm, frame, in, out, r) : RM2_ERR_UNSUPPORTED;
    free(r);
    return status;
}

rm2_status rm2i_spd_log_lanes(size_t n, const double *frame, size_t count, const double *q,
                              double *v, size_t stride) {
    return in_room(&(span){n, count, stride}, true, frame, q, v);
}

rm2_status rm2i_spd_exp_lanes(size_t n, const double *frame, size_t count, const double *v,
                              double *y, size_t stride) {
    return in_room(&(span){n, count, stride}, false, frame, v, y);
}
