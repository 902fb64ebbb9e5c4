/* The exponential map of SPD(n) seen from its coordinates: volume, metric, derivative, squared norms.
 *
 * With S = U diag(l) U^T and W~ = U^T W U the whitened dExp has entries sinhc((l_a - l_b)/2) W~_ab, so
 *   log det dExp = sum_{a<b} log sinhc((l_a - l_b)/2)
 *   G(W1, W2) = sum_ab g(l_a - l_b) W1~_ab W2~_ab,  g(d) = (sinh(d/2)/(d/2))^2
 *   dG[Z] W ~ = X + X^T,  X_ab = sum_c Z~_ac T(a,c;b) W~_cb,
 *   T(a,c;b) = (g(l_a - l_b) - g(l_c - l_b))/(l_a - l_c), or by Taylor where l_a ~ l_c.
 * Squared norms need one T for all vectors:
 *   w^T G w = sum_ab g_ab W~_ab^2,   w^T dG[Z] w = 2 sum_ac Z~_ac sum_b T(a,c;b) W~_ab W~_cb
 * Their sums over many vectors have a faster way of their own (spd_jet.c). */
#include "geometry/spd.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/clones.h"
#include "linalg/dense.h"
#include "math/special.h"

static const double NEARLY_EQUAL = 1e-3; /* |l_a - l_c| below which T is expanded */

/* ---- volume, metric, derivative ------------------------------------------------------------ */

rm2_status rm2i_spd_log_volume(size_t n, const double *c, double *value, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(rm2i_spd_decompose(n, c, &s));
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
static void rotate_out(size_t n, double *out, const rm2i_spd_scratch *s) {
    rm2i_multiply(n, s->A, s->Ut, s->B);
    rm2i_multiply_tn(n, s->Ut, s->B, s->A);
    rm2i_spd_pack_coords(n, s->A, out);
}

/* S of the coordinates c, its eigenvectors and the table g. */
static rm2_status prepare(size_t n, const double *c, const rm2i_spd_scratch *s) {
    RM2_TRY(rm2i_spd_decompose(n, c, s));
    rm2i_transpose(n, s->Ut, s->C);
    g_table(n, s->values, s->g);
    return RM2_OK;
}

rm2_status rm2i_spd_metric(size_t n, const double *c, const rm2_product_query *query,
                           double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(prepare(n, c, &s));
    for (size_t k = 0; k < query->count; k++) {
        rm2i_spd_unpack_coords(n, query->W + k * query->stride, s.W);
        rm2i_spd_rotate_in(n, s.W, s.A, &s);
        for (size_t i = 0; i < n * n; i++)
            s.A[i] *= s.g[i];
        rotate_out(n, query->out + k * query->stride, &s);
    }
    return RM2_OK;
}

/* T(a,c;b) for all b. */
static void divided_g(size_t n, size_t a, size_t c, const rm2i_spd_scratch *s) {
    const double *l = s->values, *g = s->g;
    double h = l[a] - l[c];
    for (size_t b = 0; b < n; b++) {
        double middle = (l[a] + l[c]) / 2 - l[b];
        s->T[b] = fabs(h) < NEARLY_EQUAL ? rm2i_spd_g1(middle) + h * h / 24 * rm2i_spd_g3(middle)
                                         : (g[a * n + b] - g[c * n + b]) / h;
    }
}

/* X_ab = sum_c Z_ac T(a,c;b) W_cb; A = X + X^T */
static void derivative_product(size_t n, const rm2i_spd_scratch *s) {
    memset(s->X, 0, n * n * sizeof *s->X);
    for (size_t a = 0; a < n; a++)
        for (size_t c = 0; c < n; c++) {
            divided_g(n, a, c, s);
            for (size_t b = 0; b < n; b++)
                s->X[a * n + b] += s->Z[a * n + c] * s->T[b] * s->W[c * n + b];
        }
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            s->A[a * n + b] = s->X[a * n + b] + s->X[b * n + a];
}

rm2_status rm2i_spd_metric_derivative(size_t n, const double *c, const double *z,
                                      const rm2_product_query *query, double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    RM2_TRY(prepare(n, c, &s));
    rm2i_spd_unpack_coords(n, z, s.X);
    rm2i_spd_rotate_in(n, s.X, s.Z, &s);
    for (size_t k = 0; k < query->count; k++) {
        rm2i_spd_unpack_coords(n, query->W + k * query->stride, s.X);
        rm2i_spd_rotate_in(n, s.X, s.W, &s);
        derivative_product(n, &s);
        rotate_out(n, query->out + k * query->stride, &s);
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

typedef struct norms_scratch {
    size_t block;    /* vectors at once */
    double *rotated; /* block x n x n: W~ */
    double *Z;       /* DIRECTIONS x n x n: Z~ */
} norms_scratch;

static void lay_out(norms_scratch *s, size_t n, rm2i_arena *a) {
    size_t block = s->block = norms_block(n);
    s->rotated = rm2i_reserve(a, double, block, n, n);
    s->Z = rm2i_reserve(a, double, DIRECTIONS, n, n);
}

size_t rm2i_spd_norms_work(size_t n) {
    norms_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, n, &a);
    return a.used;
}

static void rotate_rows(size_t n, size_t count, const double *W, size_t stride, double *rotated,
                        const rm2i_spd_scratch *s) {
    for (size_t k = 0; k < count; k++) {
        rm2i_spd_unpack_coords(n, W + k * stride, s->A);
        rm2i_spd_rotate_in(n, s->A, rotated + k * n * n, s);
    }
}

/* DIRECTIONS vectors of the query from d on, or as many as there are. */
static size_t rotate_directions(size_t n, const rm2_norms_query *q, size_t d,
                                const norms_scratch *norms, const rm2i_spd_scratch *s) {
    size_t count = q->directions - d < DIRECTIONS ? q->directions - d : DIRECTIONS;
    rotate_rows(n, count, q->Z + d * q->stride, q->stride, norms->Z, s);
    return count;
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

/* derivative[k][d] += w_k^T dG[Z_d] w_k = 2 sum_ac Z~_ac sum_b T(a,c;b) W~_ab W~_cb for `count` vectors,
 * in rows of `all` derivatives, of which there are `directions` here. */
static void add_derivatives(size_t n, size_t count, size_t directions, const norms_scratch *norms,
                            double *derivative, size_t all, const rm2i_spd_scratch *s) {
    for (size_t a = 0; a < n; a++)
        for (size_t c = 0; c <= a; c++) {
            divided_g(n, a, c, s);
            double twice = a == c ? 2 : 4; /* T is symmetric in a and c */
            for (size_t k = 0; k < count; k++) {
                const double *w = norms->rotated + k * n * n;
                double sum = twice * triple_dot(n, s->T, w + a * n, w + c * n);
                for (size_t d = 0; d < directions; d++)
                    derivative[k * all + d] += sum * norms->Z[d * n * n + a * n + c];
            }
        }
}

/* Those of one block of vectors. */
static void block_norms(size_t n, const rm2_norms_query *q, size_t first,
                        const norms_scratch *norms, const rm2i_spd_scratch *s) {
    size_t count = q->count - first < norms->block ? q->count - first : norms->block;
    rotate_rows(n, count, q->W + first * q->stride, q->stride, norms->rotated, s);
    for (size_t k = 0; k < count; k++) {
        const double *w = norms->rotated + k * n * n;
        q->value[first + k] += triple_dot(n * n, s->g, w, w);
    }
    for (size_t d = 0; d < q->directions; d += DIRECTIONS) {
        size_t some = rotate_directions(n, q, d, norms, s);
        add_derivatives(n, count, some, norms, q->derivative + first * q->directions + d,
                        q->directions, s);
    }
}

rm2_status rm2i_spd_metric_norms(size_t n, const double *c, const rm2_norms_query *query,
                                 double *work) {
    rm2i_spd_scratch s = rm2i_spd_split(n, work);
    norms_scratch norms;
    lay_out(&norms, n, &(rm2i_arena){s.norms, 0});
    RM2_TRY(prepare(n, c, &s));
    for (size_t first = 0; first < query->count; first += norms.block)
        block_norms(n, query, first, &norms, &s);
    return RM2_OK;
}
