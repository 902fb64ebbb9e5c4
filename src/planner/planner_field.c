/* Positions and lengths between the nodes of a planner's grid (roadmap/field.h), and the metric of the barrier: phi G with
 *
 *     d_t (phi G) = phi_t G + phi d_t G,   v^T d_r d_s (phi G) v = phi_rs g + phi_r g_s + phi_s g_r + phi g_rs,
 *
 * g = v^T G v. The derivatives of phi are those of psi: with c_k = d_k(y) - K sigma - wanted and u = c/width, psi = e^-u/u,
 *
 *     psi' = -psi (1 + 1/u)/width,   psi'' = psi (1 + 2/u + 2/u^2)/width^2,
 *     c_r = n.y_r - K sigma_r,       c_rs = n.y_rs + y_r^T D y_s - K sigma_rs,
 *
 * n and D the first two derivatives of the distance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "metric/metric.h"
#include "planner/planner.h"

enum { BLOCK = 64 };

/* ---- values --------------------------------------------------------------------------------- */

void rm2i_field_position(const rm2i_field *f, const double *x, rm2i_clear_point *point) {
    double terms[RM2I_FIELD_TERMS][RM2I_FIELD_NUMBERS];
    *point = (rm2i_clear_point){.clearance = -INFINITY};
    if (!rm2i_field_at(f, x, 0, terms))
        return;
    memcpy(point->y, terms[0] + f->factors, f->dim * sizeof *point->y);
    point->deviation = fmax(terms[0][f->factors + f->dim], 0);
}

/* Cells that the line from a to b spans along the axis where these are most; 1 at least. */
static size_t pieces_of(const rm2i_field *f, const double *a, const double *b) {
    double most = 1;
    for (size_t q = 0; q < f->Q; q++)
        most = fmax(most, fabs(b[q] - a[q]) / f->step[q]);
    return (size_t)ceil(most - 1e-9); /* rounding of places is no piece more */
}

double rm2i_field_length(const rm2i_field *f, const double *a, const double *b) {
    double terms[RM2I_FIELD_TERMS][RM2I_FIELD_NUMBERS], length = 0;
    double x[RM2I_GRID_Q], h[RM2I_GRID_Q], G[RM2I_GRID_Q * RM2I_GRID_Q];
    const rm2i_metric_request plain = {.G = G};
    size_t pieces = pieces_of(f, a, b);
    for (size_t k = 0; k < pieces; k++) {
        for (size_t q = 0; q < f->Q; q++) {
            h[q] = (b[q] - a[q]) / (double)pieces;
            x[q] = a[q] + ((double)k + 0.5) * h[q];
        }
        if (!rm2i_field_at(f, x, 0, terms))
            return INFINITY;
        rm2i_field_fill(f->Q, terms, &plain, 0);
        length += sqrt(fmax(rm2i_metric_inner(f->Q, G, h, h), 0));
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

/* Add psi of one region; false where the clearance is not kept. */
static bool add_region(const field_metric *m, const rm2_region *region, int order,
                       rm2i_field_terms terms, factor *phi) {
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
            const double *rs = terms[rm2i_field_pair(Q, r, s)];
            double c_rs = rm2i_dot(dim, n, rs + y) - K * rs[sigma];
            for (size_t a = 0; a < dim; a++)
                c_rs += terms[1 + r][y + a] * rm2i_dot(dim, D[a], terms[1 + s] + y);
            phi->second[r][s] += second * c_r[r] * c_r[s] + first * c_rs;
        }
    return true;
}

/* The request at its point i times phi; the bend needs G and dG as they were. */
static void multiply(size_t Q, const factor *phi, const rm2i_metric_request *request, size_t i) {
    size_t square = Q * Q;
    double *G = request->G + i * square, *dG = request->dG ? request->dG + i * square * Q : NULL;
    double *bend = request->bend ? request->bend + i * square : NULL, g = 0, g_r[RM2I_GRID_Q] = {0};
    const double *v = request->v ? request->v + i * Q : NULL;
    for (size_t r = 0; bend && r < Q; r++)
        g_r[r] = rm2i_metric_inner(Q, dG + r * square, v, v);
    if (bend)
        g = rm2i_metric_inner(Q, G, v, v);
    for (size_t r = 0; bend && r < Q; r++)
        for (size_t s = 0; s < Q; s++)
            bend[r * Q + s] = phi->second[r][s] * g + phi->by[r] * g_r[s] + phi->by[s] * g_r[r] +
                              phi->value * bend[r * Q + s];
    for (size_t t = 0; dG && t < Q; t++)
        for (size_t k = 0; k < square; k++)
            dG[t * square + k] = phi->by[t] * G[k] + phi->value * dG[t * square + k];
    for (size_t k = 0; k < square; k++)
        G[k] *= phi->value;
}

static rm2_status metric_at(const void *self, size_t count, const rm2i_metric_request *request,
                            double *work) {
    const field_metric *m = self;
    size_t Q = m->field->Q;
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
        rm2i_field_fill(Q, terms, request, i);
        multiply(Q, &phi, request, i);
    }
    return RM2_OK;
}

rm2_status rm2i_field_metric(rm2_context *ctx, const rm2i_field *field,
                             const rm2i_clearance *clearance, double width, rm2_metric **metric) {
    static const rm2i_metric_type type = {.work = rm2i_field_metric_work,
                                          .at = metric_at,
                                          .can_bend = rm2i_field_can_bend,
                                          .free = free,
                                          .block = BLOCK};
    field_metric *m;
    *metric = NULL;
    RM2_TRY(rm2i_alloc(ctx, 1, sizeof *m, &m));
    *m = (field_metric){field, clearance, width};
    return rm2i_metric_create(ctx, &type, field->Q, m, "interpolated metric around obstacles",
                              metric);
}
