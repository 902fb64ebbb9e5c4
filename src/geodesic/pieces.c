/* Piecewise polynomials: basis functions, values, interpolation. */
#include "geodesic/pieces.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"

rm2_status rm2i_pieces_create(rm2_context *ctx, size_t Q, size_t intervals, size_t degree,
                              rm2i_pieces **pieces) {
    rm2i_pieces *p;
    size_t count = degree == RM2I_SPLINE ? intervals + 1 : intervals * degree + 1;
    *pieces = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *p, &p));
    *p = (rm2i_pieces){.Q = Q, .intervals = intervals, .degree = degree, .count = count};
    rm2_status status = rm2i_calloc(ctx, intervals + 1 + count * Q, sizeof *p->breaks, &p->breaks);
    if (status != RM2_OK) {
        rm2i_pieces_free(p);
        return status;
    }
    p->coef = p->breaks + intervals + 1;
    for (size_t i = 0; i <= intervals; i++)
        p->breaks[i] = (double)i / (double)intervals;
    if (degree != RM2I_SPLINE)
        rm2i_lobatto_nodes(degree + 1, p->node);
    *pieces = p;
    return RM2_OK;
}

void rm2i_pieces_free(rm2i_pieces *pieces) {
    if (!pieces)
        return;
    free(pieces->breaks);
    free(pieces);
}

/* ---- basis ---------------------------------------------------------------------------------- */

/* The four B-splines on one of equal intervals, by u. */
static void b_splines(double u, double *value, double *slope, double *second) {
    double w = 1 - u;
    memcpy(value,
           (double[4]){w * w * w / 6, (4 - 3 * u * u * (1 + w)) / 6, (4 - 3 * w * w * (1 + u)) / 6,
                       u * u * u / 6},
           4 * sizeof *value);
    memcpy(slope, (double[4]){-w * w / 2, u * (3 * u - 4) / 2, w * (4 - 3 * w) / 2, u * u / 2},
           4 * sizeof *slope);
    memcpy(second, (double[4]){w, 3 * u - 2, 3 * w - 2, u}, 4 * sizeof *second);
}

/* The coefficient before the first is 2 a_0 - a_1: its function goes to those two. */
static void fold_first(double *b) {
    memcpy(b, (double[4]){b[1] + 2 * b[0], b[2] - b[0], b[3], 0}, 4 * sizeof *b);
}

/* The one after the last, a_K, is 2 a_K - a_K-1. */
static void fold_last(double *b) {
    memcpy(b, (double[4]){b[0], b[1] - b[3], b[2] + 2 * b[3], 0}, 4 * sizeof *b);
}

static void spline_basis(const rm2i_pieces *p, size_t interval, double u, rm2i_local *local) {
    bool is_first = interval == 0, is_last = interval + 1 == p->intervals;
    b_splines(u, local->value, local->slope, local->second);
    double *const b[3] = {local->value, local->slope, local->second};
    for (size_t k = 0; k < 3; k++)
        if (is_first)
            fold_first(b[k]);
        else if (is_last)
            fold_last(b[k]);
    local->first = is_first ? 0 : interval - 1;
    local->functions = is_first || is_last ? 3 : 4;
}

void rm2i_pieces_basis(const rm2i_pieces *p, size_t interval, double u, rm2i_local *local) {
    double h = p->breaks[interval + 1] - p->breaks[interval];
    if (p->degree == RM2I_SPLINE) {
        spline_basis(p, interval, u, local);
    } else {
        local->first = interval * p->degree;
        local->functions = p->degree + 1;
        rm2i_lagrange(p->degree + 1, p->node, u, local->value, local->slope, local->second);
    }
    for (size_t k = 0; k < local->functions; k++) { /* d/dt = (d/du) / h */
        local->slope[k] /= h;
        local->second[k] /= h * h;
    }
}

/* ---- values --------------------------------------------------------------------------------- */

static void combine(const rm2i_pieces *p, const rm2i_local *local, const double *b, double *out) {
    if (!out)
        return;
    memset(out, 0, p->Q * sizeof *out);
    for (size_t k = 0; k < local->functions; k++)
        rm2i_axpy(p->Q, b[k], p->coef + (local->first + k) * p->Q, out);
}

void rm2i_pieces_sum(const rm2i_pieces *p, const rm2i_local *local, double *x, double *v,
                     double *a) {
    combine(p, local, local->value, x);
    combine(p, local, local->slope, v);
    combine(p, local, local->second, a);
}

/* The interval of a time, by bisection. */
static size_t interval_of(const rm2i_pieces *p, double t) {
    size_t low = 0, high = p->intervals;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (t < p->breaks[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}

void rm2i_pieces_at(const rm2i_pieces *p, double t, double *x, double *v, double *a) {
    size_t i = interval_of(p, t);
    rm2i_local local;
    rm2i_pieces_basis(p, i, (t - p->breaks[i]) / (p->breaks[i + 1] - p->breaks[i]), &local);
    rm2i_pieces_sum(p, &local, x, v, a);
}

/* ---- interpolation -------------------------------------------------------------------------- */

double rm2i_pieces_site(const rm2i_pieces *p, size_t k) {
    if (p->degree == RM2I_SPLINE)
        return p->breaks[k];
    size_t i = k / p->degree;
    if (i == p->intervals)
        return 1;
    return p->breaks[i] + p->node[k % p->degree] * (p->breaks[i + 1] - p->breaks[i]);
}

/* a_i-1 + 4 a_i + a_i+1 = 6 x_i for i = 1..K-1, a_0 = x_0, a_K = x_K: elimination from the front. The
 * pivots 4, 4 - 1/4, ... are 2 + sqrt 3 to rounding long before the last of the table. */
void rm2i_pieces_interpolate(rm2i_pieces *p) {
    enum { PIVOTS = 32 };
    size_t K = p->intervals, Q = p->Q;
    double pivot[PIVOTS], *a = p->coef;
    if (p->degree != RM2I_SPLINE)
        return;
    pivot[0] = 1;
    pivot[1] = 4;
    for (size_t i = 2; i < PIVOTS; i++)
        pivot[i] = 4 - 1 / pivot[i - 1];
    for (size_t i = 1; i < K; i++)
        for (size_t q = 0; q < Q; q++)
            a[i * Q + q] =
                6 * a[i * Q + q] - a[(i - 1) * Q + q] / pivot[(i < PIVOTS ? i : PIVOTS) - 1];
    for (size_t i = K - 1; i > 0; i--)
        for (size_t q = 0; q < Q; q++)
            a[i * Q + q] = (a[i * Q + q] - a[(i + 1) * Q + q]) / pivot[i < PIVOTS ? i : PIVOTS - 1];
}

/* eps |x| of the mean difference, way/count */
double rm2i_pieces_rounding(const rm2i_pieces *p) {
    double size = 0, way = 0;
    for (size_t k = 0; k < p->count; k++) {
        const double *x = p->coef + k * p->Q;
        double step = 0;
        for (size_t q = 0; q < p->Q; q++) {
            size = fmax(size, fabs(x[q]));
            step = k > 0 ? fmax(step, fabs(x[q] - *(x + q - p->Q))) : 0;
        }
        way += step;
    }
    return way > 0 ? DBL_EPSILON * size / way * (double)p->count : 0;
}
