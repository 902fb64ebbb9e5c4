/* Metric and position between the nodes of a regular grid, by cubic splines
 *
 *     f(x) = sum_k c_k b(u_1 - k_1) ... b(u_Q - k_Q),   u the place of x in nodes, b the cubic B-spline,
 *
 * with two continuous derivatives, as Newton's method wants them. Ends are natural: c_-1 = 2 c_0 - c_1. With G = L L^T and
 * a = L^T v the derivatives along a direction v are
 *
 *     g = v^T G v = a.a,   g_r = 2 a.a_r,   g_rs = 2 (a_r.a_s + a.a_rs),
 *
 * and those of the barrier, with c_k = d_k(y) - K sigma - wanted and u = c/width, psi = e^-u/u,
 *
 *     psi' = -psi (1 + 1/u)/width,   psi'' = psi (1 + 2/u + 2/u^2)/width^2,
 *     c_r = n.y_r - K sigma_r,       c_rs = n.y_rs + y_r^T D y_s - K sigma_rs,
 *
 * n and D the first two derivatives of the distance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "metric/metric.h"
#include "planner/planner.h"

enum { TAPS = 4, BLOCK = 64 };

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
        total *= f->grid->count[p] + 2;
    size_t line = step * (f->grid->count[q] + 2);
    for (size_t block = 0; block < total; block += line)
        for (size_t k = 0; k < step; k++)
            interpolate_line(f->grid->count[q], step, f->coef + block + k, work);
}

/* The numbers of node i at its place in the padded grid. */
static rm2_status put_node(const rm2i_field *f, size_t i, const rm2i_clear_point *node) {
    const rm2_roadmap *net = f->grid;
    size_t Q = f->Q, place = 0, k = 0;
    double L[RM2I_GRID_Q * RM2I_GRID_Q];
    RM2_TRY(rm2i_cholesky(Q, net->G + i * Q * Q, L));
    for (size_t q = 0; q < Q; q++)
        place += (i / net->stride[q] % net->count[q] + 1) * f->stride[q];
    double *out = f->coef + place * f->numbers;
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s <= r; s++)
            out[k++] = L[r * Q + s];
    memcpy(out + k, node->y, f->dim * sizeof *out);
    out[k + f->dim] = node->deviation;
    return RM2_OK;
}

rm2_status rm2i_field_create(rm2_context *ctx, const rm2_roadmap *grid, size_t dim,
                             const rm2i_clear_point *nodes, rm2i_field *f) {
    size_t Q = grid->Q, total = 1, most = 0;
    double *work;
    *f = (rm2i_field){.grid = grid, .Q = Q, .dim = dim, .factors = Q * (Q + 1) / 2};
    f->numbers = f->factors + dim + 1;
    for (size_t q = Q; q-- > 0; total *= grid->count[q] + 2) {
        f->stride[q] = total;
        most = grid->count[q] > most ? grid->count[q] : most;
    }
    RM2_TRY(rm2i_calloc(ctx, total, f->numbers * sizeof *f->coef, &f->coef));
    for (size_t i = 0; i < grid->nodes; i++)
        if (put_node(f, i, &nodes[i]) != RM2_OK)
            return rm2i_fail(ctx, RM2_ERR_NUMERIC,
                             "the metric is singular at node %zu of the grid: a planner needs a "
                             "positive definite one",
                             i);
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

bool rm2i_field_at(const rm2i_field *f, const double *x, int order,
                   double terms[RM2I_FIELD_TERMS][RM2I_FIELD_NUMBERS]) {
    size_t Q = f->Q, numbers = f->numbers, base = 0, all = 1;
    int by[RM2I_FIELD_TERMS][RM2I_GRID_Q];
    taps t[RM2I_GRID_Q] = {0};
    size_t count = list_terms(Q, order, by);
    for (size_t q = 0; q < Q; q++, all *= TAPS) {
        double last = (double)(f->grid->count[q] - 1), place = rm2i_grid_place(f->grid, q, x[q]);
        if (!(place >= 0 && place <= last))
            return false;
        size_t cell = place < last ? (size_t)place : (size_t)place - 1;
        t[q] = taps_at(place - (double)cell, f->grid->axis[q][1] - f->grid->axis[q][0]);
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

void rm2i_field_position(const rm2i_field *f, const double *x, rm2i_clear_point *point) {
    double terms[RM2I_FIELD_TERMS][RM2I_FIELD_NUMBERS];
    *point = (rm2i_clear_point){.clearance = -INFINITY};
    if (!rm2i_field_at(f, x, 0, terms))
        return;
    memcpy(point->y, terms[0] + f->factors, f->dim * sizeof *point->y);
    point->deviation = fmax(terms[0][f->factors + f->dim], 0);
}

/* a = L^T v from the rows of L. */
static void times_factor(size_t Q, const double *L, const double *v, double *a) {
    for (size_t s = 0; s < Q; s++)
        a[s] = 0;
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s <= r; s++)
            a[s] += *L++ * v[r];
}

/* Cells that the line from a to b spans along the axis where these are most; 1 at least. */
static size_t pieces_of(const rm2i_field *f, const double *a, const double *b) {
    double most = 1;
    for (size_t q = 0; q < f->Q; q++)
        most = fmax(most, fabs(b[q] - a[q]) / (f->grid->axis[q][1] - f->grid->axis[q][0]));
    return (size_t)ceil(most - 1e-9); /* rounding of places is no piece more */
}

double rm2i_field_length(const rm2i_field *f, const double *a, const double *b) {
    double terms[RM2I_FIELD_TERMS][RM2I_FIELD_NUMBERS], length = 0;
    double x[RM2I_GRID_Q], h[RM2I_GRID_Q], Lh[RM2I_GRID_Q];
    size_t pieces = pieces_of(f, a, b);
    for (size_t k = 0; k < pieces; k++) {
        for (size_t q = 0; q < f->Q; q++) {
            h[q] = (b[q] - a[q]) / (double)pieces;
            x[q] = a[q] + ((double)k + 0.5) * h[q];
        }
        if (!rm2i_field_at(f, x, 0, terms))
            return INFINITY;
        times_factor(f->Q, terms[0], h, Lh);
        length += sqrt(rm2i_dot(f->Q, Lh, Lh));
    }
    return length;
}

/* ---- the barrier ---------------------------------------------------------------------------- */

typedef struct field_metric {
    const rm2i_field *field;
    const rm2i_clearance *clearance;
    double width;
} field_metric;

/* D of a region whose distance at y is d with the gradient n: (I - n n^T)/rho for round ones, without the direction of a
 * capsule's axis next to its segment; 0 where surfaces are taken as flat. */
static void bend_of_distance(const rm2_region *r, const double *y, double d, const double *n,
                             double D[RM2I_POSITION_DIM][RM2I_POSITION_DIM]) {
    double rho = d + r->radius, axis[RM2I_POSITION_DIM], along = 0, square = 0;
    memset(D, 0, sizeof(double[RM2I_POSITION_DIM][RM2I_POSITION_DIM]));
    if ((r->kind != RM2_REGION_SPHERE && r->kind != RM2_REGION_CAPSULE) || !(rho > 0))
        return;
    for (size_t a = 0; a < r->dim; a++) {
        axis[a] = r->kind == RM2_REGION_CAPSULE ? r->b[a] - r->a[a] : 0;
        along += (y[a] - r->a[a]) * axis[a];
        square += axis[a] * axis[a];
    }
    bool beside = along > 0 && along < square;
    for (size_t a = 0; a < r->dim; a++)
        for (size_t b = 0; b < r->dim; b++)
            D[a][b] = ((a == b) - n[a] * n[b] - (beside ? axis[a] * axis[b] / square : 0)) / rho;
}

/* phi with its derivatives. */
typedef struct factor {
    double value, by[RM2I_GRID_Q], second[RM2I_GRID_Q][RM2I_GRID_Q];
} factor;

typedef double (*field_terms)[RM2I_FIELD_NUMBERS];

/* The term of a pair of coordinates. */
static size_t pair_of(size_t Q, size_t r, size_t s) {
    size_t low = r < s ? r : s, high = r < s ? s : r;
    return 1 + Q + low * Q - low * (low + 1) / 2 + high;
}

/* Add psi of one region; false where the clearance is not kept. */
static bool add_region(const field_metric *m, const rm2_region *region, int order,
                       field_terms terms, factor *phi) {
    const rm2i_field *f = m->field;
    size_t Q = f->Q, dim = f->dim, y = f->factors, sigma = y + dim;
    double K = m->clearance->deviations, n[RM2I_POSITION_DIM] = {0}, c_r[RM2I_GRID_Q];
    double D[RM2I_POSITION_DIM][RM2I_POSITION_DIM];
    double d = rm2_region_distance(region, terms[0] + y, order > 0 ? n : NULL);
    double u = (d - K * terms[0][sigma] - m->clearance->wanted) / m->width;
    if (!(u > 0))
        return false;
    if (u > 36) /* e^-36 is less than rounding */
        return true;
    double psi = exp(-u) / u, first = -psi * (1 + 1 / u) / m->width;
    double second = psi * (1 + 2 / u + 2 / (u * u)) / (m->width * m->width);
    phi->value += psi;
    for (size_t r = 0; order > 0 && r < Q; r++) {
        c_r[r] = rm2i_dot(dim, n, terms[1 + r] + y) - K * terms[1 + r][sigma];
        phi->by[r] += first * c_r[r];
    }
    if (order < 2)
        return true;
    bend_of_distance(region, terms[0] + y, d, n, D);
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++) {
            const double *rs = terms[pair_of(Q, r, s)];
            double c_rs = rm2i_dot(dim, n, rs + y) - K * rs[sigma];
            for (size_t a = 0; a < dim; a++)
                c_rs += terms[1 + r][y + a] * rm2i_dot(dim, D[a], terms[1 + s] + y);
            phi->second[r][s] += second * c_r[r] * c_r[s] + first * c_rs;
        }
    return true;
}

/* G = phi L L^T, d_t G = phi_t L L^T + phi (L_t L^T + L L_t^T) */
static void fill_metric(size_t Q, const factor *phi, field_terms terms, double *G, double *dG) {
    double L[RM2I_GRID_Q + 1][RM2I_GRID_Q][RM2I_GRID_Q] = {0};
    for (size_t k = 0; k <= (dG ? Q : 0); k++) {
        const double *number = terms[k];
        for (size_t r = 0; r < Q; r++)
            for (size_t s = 0; s <= r; s++)
                L[k][r][s] = *number++;
    }
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++) {
            double plain = rm2i_dot(Q, L[0][r], L[0][s]);
            G[r * Q + s] = phi->value * plain;
            for (size_t t = 0; dG && t < Q; t++)
                dG[(t * Q + r) * Q + s] =
                    phi->by[t] * plain + phi->value * (rm2i_dot(Q, L[t + 1][r], L[0][s]) +
                                                       rm2i_dot(Q, L[0][r], L[t + 1][s]));
        }
}

/* v^T d_r d_s (phi G) v = phi_rs g + phi_r g_s + phi_s g_r + phi g_rs */
static void fill_bend(size_t Q, const factor *phi, field_terms terms, const double *v,
                      double *bend) {
    double a[RM2I_FIELD_TERMS][RM2I_GRID_Q], g_r[RM2I_GRID_Q];
    for (size_t k = 0; k < 1 + Q + Q * (Q + 1) / 2; k++)
        times_factor(Q, terms[k], v, a[k]);
    double g = rm2i_dot(Q, a[0], a[0]);
    for (size_t r = 0; r < Q; r++)
        g_r[r] = 2 * rm2i_dot(Q, a[0], a[1 + r]);
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++) {
            double g_rs =
                2 * (rm2i_dot(Q, a[1 + r], a[1 + s]) + rm2i_dot(Q, a[0], a[pair_of(Q, r, s)]));
            bend[r * Q + s] = phi->second[r][s] * g + phi->by[r] * g_r[s] + phi->by[s] * g_r[r] +
                              phi->value * g_rs;
        }
}

static rm2_status metric_at(const void *self, size_t count, const rm2i_metric_request *request,
                            double *work) {
    const field_metric *m = self;
    size_t Q = m->field->Q, square = Q * Q;
    int order = (int)rm2i_metric_order_of(request);
    double terms[RM2I_FIELD_TERMS][RM2I_FIELD_NUMBERS];
    (void)work;
    for (size_t i = 0; i < count; i++) {
        factor phi = {.value = 1};
        if (!rm2i_field_at(m->field, request->x + i * Q, order, terms))
            return RM2_ERR_DOMAIN;
        for (size_t k = 0; k < m->clearance->count; k++)
            if (!add_region(m, &m->clearance->regions[k], order, terms, &phi))
                return RM2_ERR_DOMAIN;
        fill_metric(Q, &phi, terms, request->G + i * square,
                    request->dG ? request->dG + i * square * Q : NULL);
        if (request->bend)
            fill_bend(Q, &phi, terms, request->v + i * Q, request->bend + i * square);
    }
    return RM2_OK;
}

static size_t metric_work(const void *self, size_t count, rm2i_metric_order order) {
    (void)self;
    (void)count;
    (void)order;
    return 1;
}

static bool can_bend(const void *self) {
    (void)self;
    return true;
}

rm2_status rm2i_field_metric(rm2_context *ctx, const rm2i_field *field,
                             const rm2i_clearance *clearance, double width, rm2_metric **metric) {
    static const rm2i_metric_type type = {
        .work = metric_work, .at = metric_at, .can_bend = can_bend, .free = free, .block = BLOCK};
    field_metric *m;
    *metric = NULL;
    RM2_TRY(rm2i_alloc(ctx, 1, sizeof *m, &m));
    *m = (field_metric){field, clearance, width};
    return rm2i_metric_create(ctx, &type, field->Q, m, "interpolated metric around obstacles",
                              metric);
}
