/* The metric between the nodes of a regular grid, by cubic splines
 *
 *     f(x) = sum_k c_k b(u_1 - k_1) ... b(u_Q - k_Q),   u the place of x in nodes, b the cubic B-spline,
 *
 * with two continuous derivatives, as Newton's method wants them. Ends are natural: c_-1 = 2 c_0 - c_1. With G = L L^T and
 * a = L^T v the derivatives along a direction v are
 *
 *     g = v^T G v = a.a,   g_r = 2 a.a_r,   g_rs = 2 (a_r.a_s + a.a_rs). */
#include "roadmap/field.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "metric/metric.h"

enum { TAPS = 4 };
static const double ROUNDING = 1e-9; /* of places at the ends of axes, in nodes */

/* ---- coefficients --------------------------------------------------------------------------- */

/* Interpolation along one line of `count` nodes and two beyond them: c_0 and c_last are the values, and
 * (c_k-1 + 4 c_k + c_k+1)/6 = f_k between. work: count. */
static void interpolate_line(size_t count, size_t stride, double *c, double *work) {
    double *first = c + stride; /* node 0 */
    size_t last = count - 1;
    work[0] = 0;
    for (size_t k = 1; k < last; k++) { /* elimination of the lower diagonal */
        double *f = first + k * stride, pivot = 4 - work[k - 1];
        work[k] = 1 / pivot;
        *f = (6 * *f - f[-(ptrdiff_t)stride]) / pivot;
    }
    for (size_t k = last; k-- > 1;)
        first[k * stride] -= work[k] * first[(k + 1) * stride];
    c[0] = 2 * first[0] - first[stride];
    first[count * stride] = 2 * first[last * stride] - first[(last - 1) * stride];
}

/* Along axis q, for every line of the padded grid. */
static void interpolate_axis(const rm2i_field *f, size_t q, double *work) {
    size_t total = f->numbers, step = f->stride[q] * f->numbers;
    for (size_t p = 0; p < f->Q; p++)
        total *= f->count[p] + 2;
    size_t line = step * (f->count[q] + 2);
    for (size_t block = 0; block < total; block += line)
        for (size_t k = 0; k < step; k++)
            interpolate_line(f->count[q], step, f->coef + block + k, work);
}

rm2_status rm2i_field_factor(size_t Q, const double *G, double *numbers) {
    double L[RM2I_GRID_Q * RM2I_GRID_Q];
    RM2_TRY(rm2i_cholesky(Q, G, L));
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s <= r; s++)
            *numbers++ = L[r * Q + s];
    return RM2_OK;
}

/* The numbers of node i of the grid at its place in the padded one. */
static rm2_status put_node(const rm2i_field *f, const rm2i_roadmap *grid, size_t i,
                           const rm2i_clear_point *node) {
    size_t place = 0, Q = f->Q;
    for (size_t q = 0; q < Q; q++)
        place += (i / grid->stride[q] % grid->count[q] + 1) * f->stride[q];
    double *out = f->coef + place * f->numbers;
    RM2_TRY(rm2i_field_factor(Q, grid->G + i * Q * Q, out));
    if (!node)
        return RM2_OK;
    memcpy(out + f->factors, node->y, f->dim * sizeof *out);
    out[f->factors + f->dim] = node->deviation;
    return RM2_OK;
}

size_t rm2i_field_lay_out(rm2i_field *f) {
    size_t total = 1;
    for (size_t q = f->Q; q-- > 0; total *= f->count[q] + 2)
        f->stride[q] = total;
    return total;
}

rm2_status rm2i_field_create(rm2_context *ctx, const rm2i_roadmap *grid, size_t dim,
                             const rm2i_clear_point *nodes, rm2i_field *f, size_t *singular) {
    size_t Q = grid->Q, most = 0;
    double *work;
    *f = (rm2i_field){.grid = grid, .Q = Q, .dim = dim, .factors = Q * (Q + 1) / 2};
    f->numbers = f->factors + (nodes ? dim + 1 : 0);
    for (size_t q = 0; q < Q; q++) {
        f->count[q] = grid->count[q];
        f->low[q] = grid->axis[q][0];
        f->step[q] = (grid->axis[q][grid->count[q] - 1] - f->low[q]) / (double)(grid->count[q] - 1);
        most = grid->count[q] > most ? grid->count[q] : most;
    }
    RM2_TRY(rm2i_calloc(ctx, rm2i_field_lay_out(f), f->numbers * sizeof *f->coef, &f->coef));
    for (*singular = 0; *singular < grid->nodes; ++*singular)
        RM2_TRY(put_node(f, grid, *singular, nodes ? &nodes[*singular] : NULL));
    RM2_TRY(rm2i_alloc(ctx, most, sizeof *work, &work));
    for (size_t q = 0; q < Q; q++)
        interpolate_axis(f, q, work);
    free(work);
    return RM2_OK;
}

void rm2i_field_clear(rm2i_field *field) {
    free(field->coef);
    field->coef = NULL;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The four B-splines around a point along one axis, and their derivatives by x. */
typedef struct taps {
    double by[3][TAPS];
} taps;

static taps taps_at(double u, double step) {
    double w = 1 - u, one = 1 / step, two = one * one;
    return (taps){
        {{w * w * w / 6, (4 - 3 * u * u * (1 + w)) / 6, (4 - 3 * w * w * (1 + u)) / 6,
          u * u * u / 6},
         {-w * w / 2 * one, u * (3 * u - 4) / 2 * one, w * (4 - 3 * w) / 2 * one, u * u / 2 * one},
         {w * two, (3 * u - 2) * two, (3 * w - 2) * two, u * two}}};
}

/* How often each term is differentiated by each coordinate; returns how many terms there are. */
static size_t list_terms(size_t Q, int order, int by[RM2I_FIELD_TERMS][RM2I_GRID_Q]) {
    size_t count = 1;
    memset(by, 0, sizeof(int[RM2I_FIELD_TERMS][RM2I_GRID_Q]));
    for (size_t r = 0; order >= 1 && r < Q; r++)
        by[count++][r] = 1;
    for (size_t r = 0; order >= 2 && r < Q; r++)
        for (size_t s = r; s < Q; s++) {
            by[count][r]++;
            by[count++][s]++;
        }
    return count;
}

double rm2i_field_place(const rm2i_field *f, size_t q, double x) {
    double place = (x - f->low[q]) / f->step[q], last = (double)(f->count[q] - 1);
    if (place < 0 && place > -ROUNDING)
        return 0;
    return place > last && place < last + ROUNDING ? last : place;
}

bool rm2i_field_at(const rm2i_field *f, const double *x, int order, rm2i_field_terms terms) {
    size_t Q = f->Q, numbers = f->numbers, base = 0, all = 1;
    int by[RM2I_FIELD_TERMS][RM2I_GRID_Q];
    taps t[RM2I_GRID_Q] = {0};
    size_t count = list_terms(Q, order, by);
    for (size_t q = 0; q < Q; q++, all *= TAPS) {
        double last = (double)(f->count[q] - 1), place = rm2i_field_place(f, q, x[q]);
        if (!(place >= 0 && place <= last))
            return false;
        size_t cell = place < last ? (size_t)place : (size_t)place - 1;
        t[q] = taps_at(place - (double)cell, f->step[q]);
        base += cell * f->stride[q];
    }
    memset(terms, 0, count * sizeof *terms);
    for (size_t tap = 0; tap < all; tap++) {
        size_t node = base, at[RM2I_GRID_Q] = {0};
        for (size_t q = 0, rest = tap; q < Q; q++, rest /= TAPS) {
            at[q] = rest % TAPS;
            node += at[q] * f->stride[q];
        }
        const double *c = f->coef + node * numbers;
        for (size_t k = 0; k < count; k++) {
            double weight = t[0].by[by[k][0]][at[0]];
            for (size_t q = 1; q < Q; q++)
                weight *= t[q].by[by[k][q]][at[q]];
            for (size_t m = 0; m < numbers; m++)
                terms[k][m] += weight * c[m];
        }
    }
    return true;
}

/* ---- the metric ----------------------------------------------------------------------------- */

/* a = L^T v from the rows of L. */
static void times_factor(size_t Q, const double *L, const double *v, double *a) {
    for (size_t s = 0; s < Q; s++)
        a[s] = 0;
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s <= r; s++)
            a[s] += *L++ * v[r];
}

/* G = L L^T, d_t G = L_t L^T + L L_t^T */
static void fill_metric(size_t Q, rm2i_field_terms terms, double *G, double *dG) {
    double L[RM2I_GRID_Q + 1][RM2I_GRID_Q][RM2I_GRID_Q] = {0};
    for (size_t k = 0; k <= (dG ? Q : 0); k++) {
        const double *number = terms[k];
        for (size_t r = 0; r < Q; r++)
            for (size_t s = 0; s <= r; s++)
                L[k][r][s] = *number++;
    }
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++) {
            G[r * Q + s] = rm2i_dot(Q, L[0][r], L[0][s]);
            for (size_t t = 0; dG && t < Q; t++)
                dG[(t * Q + r) * Q + s] =
                    rm2i_dot(Q, L[t + 1][r], L[0][s]) + rm2i_dot(Q, L[0][r], L[t + 1][s]);
        }
}

size_t rm2i_field_pair(size_t Q, size_t r, size_t s) {
    size_t low = r < s ? r : s, high = r < s ? s : r;
    return 1 + Q + low * Q - low * (low + 1) / 2 + high;
}

/* v^T d_r d_s G v */
static void fill_bend(size_t Q, rm2i_field_terms terms, const double *v, double *bend) {
    double a[RM2I_FIELD_TERMS][RM2I_GRID_Q] = {{0}};
    for (size_t k = 0; k < 1 + Q + Q * (Q + 1) / 2; k++)
        times_factor(Q, terms[k], v, a[k]);
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++)
            bend[r * Q + s] = 2 * (rm2i_dot(Q, a[1 + r], a[1 + s]) +
                                   rm2i_dot(Q, a[0], a[rm2i_field_pair(Q, r, s)]));
}

void rm2i_field_fill(size_t Q, rm2i_field_terms terms, const rm2i_metric_request *request,
                     size_t i) {
    size_t square = Q * Q;
    fill_metric(Q, terms, request->G + i * square,
                request->dG ? request->dG + i * square * Q : NULL);
    if (request->bend)
        fill_bend(Q, terms, request->v + i * Q, request->bend + i * square);
}

size_t rm2i_field_metric_work(const void *self, size_t count, rm2i_metric_order order) {
    (void)self;
    (void)count;
    (void)order;
    return 1;
}

bool rm2i_field_can_bend(const void *self) {
    (void)self;
    return true;
}
