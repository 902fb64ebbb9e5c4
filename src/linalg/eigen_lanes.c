/* The algorithm of eigen.c, on all lanes at once: Householder reduction to tridiagonal form, then implicit QL with
 * Wilkinson's shift. Reduction takes the same steps whatever the numbers. In QL each lane has its own unreduced block
 * l .. m; a sweep goes over all rows that are in the block of some lane, and lanes that are not there turn by no angle. */
#include "linalg/eigen_lanes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "base/clones.h"
#include "linalg/dense.h"

enum { N_MAX = RM2I_LANES_MOST, SWEEPS = 30 }; /* sweeps for each eigenvalue, at most */
static const double NEGLIGIBLE = 1e-150;       /* as in eigen.c */

#define INLINED      static inline __attribute__((always_inline))
#define FOR_LANES(l) for (int l = 0; l < RM2I_LANES; l++)

/* ---- tridiagonal form ----------------------------------------------------------------------- */

/* v (entries k + 1 .. n - 1) = x - e e_1 with H x = e e_1, H = I - beta v v^T; no reflection where x is negligible. */
INLINED void find_reflection(size_t n, size_t k, rm2i_lanes *v, rm2i_lanes *e, rm2i_lanes *beta) {
    rm2i_lanes square = {0}, first = v[k + 1];
    for (size_t i = k + 1; i < n; i++)
        square += v[i] * v[i];
    FOR_LANES(l) {
        double length = sqrt(square[l]), off = first[l] > 0 ? -length : length;
        bool any = !(length < NEGLIGIBLE); /* NaN counts */
        (*e)[l] = any ? off : 0;
        v[k + 1][l] = any ? first[l] - off : 0;
        (*beta)[l] = any ? -1 / (off * (first[l] - off)) : 0;
    }
}

/* p = beta A v, from the lower triangle of the rows and columns behind k. */
INLINED void multiply_vector(size_t n, size_t k, rm2i_lanes *A, rm2i_lanes *v, rm2i_lanes *beta,
                             rm2i_lanes *p) {
    memset(p + k + 1, 0, (n - k - 1) * sizeof *p);
    for (size_t i = k + 1; i < n; i++) {
        rm2i_lanes *row = A + i * n, sum = row[i] * v[i], own = v[i];
        for (size_t j = k + 1; j < i; j++) {
            sum += row[j] * v[j];
            p[j] += row[j] * own;
        }
        p[i] += sum;
    }
    for (size_t i = k + 1; i < n; i++)
        p[i] *= *beta;
}

/* A -= v w^T + w v^T with w = p - (beta/2) (v.p) v, which p becomes. */
INLINED void reflect(size_t n, size_t k, rm2i_lanes *A, rm2i_lanes *v, rm2i_lanes *beta,
                     rm2i_lanes *p) {
    rm2i_lanes vp = {0};
    for (size_t i = k + 1; i < n; i++)
        vp += v[i] * p[i];
    for (size_t i = k + 1; i < n; i++)
        p[i] -= 0.5 * *beta * vp * v[i];
    for (size_t i = k + 1; i < n; i++) {
        rm2i_lanes a = v[i], b = p[i];
        for (size_t j = k + 1; j <= i; j++)
            A[i * n + j] -= a * p[j] + b * v[j];
    }
}

/* Diagonal d, off-diagonal e (e[n - 1] = 0), and the vectors of the reflections in rows k of A, above its diagonal. */
INLINED void tridiagonalise(size_t n, rm2i_lanes *A, rm2i_lanes *d, rm2i_lanes *e,
                            rm2i_lanes *beta) {
    rm2i_lanes v[N_MAX], p[N_MAX];
    for (size_t k = 0; k + 2 < n; k++) {
        for (size_t i = k + 1; i < n; i++)
            v[i] = A[i * n + k];
        d[k] = A[k * n + k];
        find_reflection(n, k, v, &e[k], &beta[k]);
        multiply_vector(n, k, A, v, &beta[k], p);
        reflect(n, k, A, v, &beta[k], p);
        memcpy(A + k * n + k + 1, v + k + 1, (n - k - 1) * sizeof *A);
    }
    if (n > 1) {
        d[n - 2] = A[(n - 2) * n + n - 2];
        e[n - 2] = A[(n - 1) * n + n - 2];
    }
    d[n - 1] = A[n * n - 1];
    e[n - 1] = (rm2i_lanes){0};
}

/* Row i of the identity. */
INLINED void set_row(size_t n, size_t i, rm2i_lanes *row) {
    memset(row, 0, n * sizeof *row);
    row[i] += 1;
}

/* Turn the vectors into H_{n-3} ... H_0, from the last reflection to the first. */
INLINED void accumulate(size_t n, rm2i_lanes *A, rm2i_lanes *beta) {
    rm2i_lanes v[N_MAX]; /* from k + 1 on */
    size_t first = n > 2 ? n - 2 : 0;
    for (size_t i = first; i < n; i++)
        set_row(n, i, A + i * n);
    for (size_t k = first; k-- > 0;) {
        memcpy(v + k + 1, A + k * n + k + 1, (n - k - 1) * sizeof *v);
        for (size_t i = k + 1; i < n; i++) { /* row_i -= beta (row_i . v) v */
            rm2i_lanes *row = A + i * n, s = {0};
            for (size_t j = k + 1; j < n; j++)
                s += row[j] * v[j]; /* cppcheck-suppress uninitvar ; memcpy filled it */
            s *= beta[k];
            for (size_t j = k + 1; j < n; j++)
                row[j] -= s * v[j];
        }
        set_row(n, k, A + k * n);
    }
}

/* ---- QL ------------------------------------------------------------------------------------- */

/* Where the lanes are: unreduced blocks first .. last (numbers, so that they are lanes too), and what a sweep carries. */
typedef struct sweep {
    rm2i_lanes first, last;
    rm2i_lanes g, s, c, p;
    rm2i_lanes open; /* 1 until a block splits by itself */
} sweep;

/* All bits of a lane are set, or none. */
typedef long long mask __attribute__((vector_size(RM2I_LANES * sizeof(long long))));
#define SELECT(m, a, b) ((rm2i_lanes)(((m) & (mask)(a)) | (~(m) & (mask)(b))))
#define SIZE_OF(x)      SELECT((x) < 0, -(x), (x))

/* The next block of each lane, from `first` on; an empty one, first = last = n - 1, where all is done. */
INLINED void find_blocks(size_t n, rm2i_lanes *d, rm2i_lanes *e, sweep *w) {
    const rm2i_lanes end = (rm2i_lanes){0} + (double)(n - 1);
    mask small[N_MAX];
    rm2i_lanes first = end, last = end;
    for (size_t i = 0; i + 1 < n; i++) {
        rm2i_lanes off = SIZE_OF(e[i]);
        small[i] = (off <= DBL_EPSILON * (SIZE_OF(d[i]) + SIZE_OF(d[i + 1]))) | (off < NEGLIGIBLE);
    }
    for (size_t i = n - 1; i-- > 0;)
        /* cppcheck-suppress uninitvar ; n is at least 2 */
        first = SELECT(~small[i] & ((double)i >= w->first), (rm2i_lanes){0} + (double)i, first);
    for (size_t i = n - 1; i-- > 0;)
        last = SELECT(small[i] & ((double)i >= first), (rm2i_lanes){0} + (double)i, last);
    w->first = first;
    w->last = last;
}

/* d_m - shift, Wilkinson's. */
INLINED void find_shift(rm2i_lanes *d, rm2i_lanes *e, sweep *w) {
    rm2i_lanes low = {0}, next = {0}, off = {0}, high = {0};
    FOR_LANES(l) {
        size_t i = (size_t)w->first[l], m = (size_t)w->last[l];
        low[l] = d[i][l];
        next[l] = d[i < m ? i + 1 : i][l];
        off[l] = i < m ? e[i][l] : 1;
        high[l] = d[m][l];
    }
    FOR_LANES(l) {
        double g = (next[l] - low[l]) / (2 * off[l]), r = sqrt(g * g + 1);
        w->g[l] = high[l] - low[l] + off[l] / (g + copysign(r, g));
        w->s[l] = w->c[l] = w->open[l] = 1;
        w->p[l] = 0;
    }
}

/* x' = c x - s y, y' = s x + c y for two rows. */
INLINED void rotate(size_t n, rm2i_lanes *c, rm2i_lanes *s, rm2i_lanes *x, rm2i_lanes *y) {
    rm2i_lanes cosine = *c, sine = *s;
    for (size_t j = 0; j < n; j++) {
        rm2i_lanes old_x = x[j], old_y = y[j];
        y[j] = sine * old_x + cosine * old_y;
        x[j] = cosine * old_x - sine * old_y;
    }
}

INLINED void square_root(rm2i_lanes *x) {
    rm2i_lanes root = *x;
    FOR_LANES(l)
    root[l] = sqrt(root[l]);
    *x = root;
}

/* One rotation, of rows i and i + 1, in the lanes whose block has both. A block may split by itself, where r is 0. */
INLINED void ql_step(size_t n, size_t i, rm2i_lanes *d, rm2i_lanes *e, sweep *w, rm2i_lanes *Zt) {
    const rm2i_lanes zero = {0}, one = zero + 1;
    rm2i_lanes at = zero + (double)i, f = w->s * e[i], b = w->c * e[i];
    rm2i_lanes r = f * f + w->g * w->g;
    square_root(&r);
    mask inside = (w->first <= at) & (at < w->last) & (w->open > zero);
    mask turns = inside & (r > zero), splits = inside & ~(r > zero);
    rm2i_lanes inverse = 1 / SELECT(turns, r, one), s = f * inverse, c = w->g * inverse;
    rm2i_lanes g = d[i + 1] - w->p, t = (d[i] - g) * s + 2 * c * b;
    e[i + 1] = SELECT(inside, r, e[i + 1]);
    d[i + 1] = SELECT(turns, g + s * t, SELECT(splits, g, d[i + 1]));
    w->open = SELECT(splits, zero, w->open);
    w->p = SELECT(turns, s * t, w->p);
    w->g = SELECT(turns, c * t - b, w->g);
    w->s = SELECT(turns, s, w->s);
    w->c = SELECT(turns, c, w->c);
    c = SELECT(turns, c, one);
    s = SELECT(turns, s, zero);
    rotate(n, &c, &s, Zt + i * n, Zt + (i + 1) * n);
}

/* What is left at the ends of the blocks. */
INLINED void end_sweep(rm2i_lanes *d, rm2i_lanes *e, const sweep *w) {
    FOR_LANES(l) {
        size_t i = (size_t)w->first[l], m = (size_t)w->last[l];
        if (i == m)
            continue;
        if (w->open[l] > 0) {
            d[i][l] -= w->p[l];
            e[i][l] = w->g[l];
        }
        e[m][l] = 0;
    }
}

INLINED bool ql(size_t n, rm2i_lanes *d, rm2i_lanes *e, rm2i_lanes *Zt) {
    sweep w = {.first = {0}};
    for (size_t k = 0; k < SWEEPS * n; k++) {
        size_t from = n - 1, to = 0;
        find_blocks(n, d, e, &w);
        FOR_LANES(l) {
            size_t i = (size_t)w.first[l], m = (size_t)w.last[l];
            from = i < from ? i : from;
            to = i < m && m > to ? m : to;
        }
        if (to == 0)
            return true;
        find_shift(d, e, &w);
        for (size_t i = to; i-- > from;)
            ql_step(n, i, d, e, &w, Zt);
        end_sweep(d, e, &w);
    }
    return false;
}

RM2I_AVX2_CLONES static bool eigen(size_t n, rm2i_lanes *A, rm2i_lanes *values) {
    rm2i_lanes e[N_MAX], beta[N_MAX];
    tridiagonalise(n, A, values, e, beta);
    accumulate(n, A, beta);
    return ql(n, values, e, A);
}

bool rm2i_eigen_lanes(size_t n, rm2i_lanes *A, rm2i_lanes *values) {
    return eigen(n, A, values);
}

/* ---- many matrices, one after the other ------------------------------------------------------ */

enum { N_LEAST = 5 }; /* below, single ones are as fast */
static const double LEAST_ENTRY = 1e-140,
                    MOST_ENTRY = 1e140; /* largest entries that lanes can do */

/* Matrix l of `count` in lane l, the last one in those left over. */
static void gather(size_t size, size_t count, const double *A, rm2i_lanes *lanes) {
    for (size_t i = 0; i < size; i++)
        FOR_LANES(l)
    lanes[i][l] = A[((size_t)l < count ? (size_t)l : count - 1) * size + i];
}

static void scatter(size_t size, size_t count, const rm2i_lanes *lanes, double *A) {
    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < size; i++)
            A[l * size + i] = lanes[i][l];
}

/* Up to RM2I_LANES matrices at once; false where they have to be done one by one. */
static bool eigen_together(size_t n, size_t count, const double *A, double *values,
                           double *vectors) {
    rm2i_lanes M[N_MAX * N_MAX], d[N_MAX];
    if (count < 2 || n < N_LEAST || n > N_MAX)
        return false;
    for (size_t l = 0; l < count; l++) {
        double largest = rm2i_max_abs(n * n, A + l * n * n);
        if (!(largest == 0 || (largest > LEAST_ENTRY && largest < MOST_ENTRY)))
            return false;
    }
    gather(n * n, count, A, M);
    if (!rm2i_eigen_lanes(n, M, d))
        return false;
    scatter(n * n, count, M, vectors);
    scatter(n, count, d, values);
    return true;
}

rm2_status rm2i_eigen_many(size_t n, size_t count, const double *A, double *values, double *vectors,
                           double *work) {
    for (size_t first = 0; first < count; first += RM2I_LANES) {
        size_t some = count - first < RM2I_LANES ? count - first : RM2I_LANES, at = first * n * n;
        if (eigen_together(n, some, A + at, values + first * n, vectors + at))
            continue;
        for (size_t i = first; i < first + some; i++)
            RM2_TRY(rm2i_eigen(n, A + i * n * n, values + i * n, vectors + i * n * n, work));
    }
    return RM2_OK;
}
