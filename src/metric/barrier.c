/* A metric around keep-out regions: symbols in clearance.h. With u = g/width and psi = e^-u/u,
 *
 *     dpsi/dg = -psi (1 + 1/u)/width,   dg/dx = n^T J - K dsigma/dx,   n the gradient of the distance,
 *     d(phi G) = dphi G + phi dG. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/base.h"
#include "metric/metric.h"
#include "metric/obstacle_clearance.h"

typedef struct barrier {
    const rm2_metric *inner;
    const rm2i_clearance *clearance;
    double width;
} barrier;

typedef struct barrier_scratch {
    double *J, *slope, *dphi; /* dim x Q, Q, Q */
    double *position, *inner;
} barrier_scratch;

static void lay_out(barrier_scratch *s, const barrier *b, size_t count, rm2i_metric_order order,
                    rm2i_arena *a) {
    size_t Q = b->inner->Q;
    s->J = rm2i_reserve(a, double, RM2I_POSITION_DIM, Q);
    s->slope = rm2i_reserve(a, double, Q);
    s->dphi = rm2i_reserve(a, double, Q);
    s->position = rm2i_reserve(a, double, rm2i_position_work(&b->clearance->position));
    s->inner = rm2i_reserve(a, double, b->inner->type->work(b->inner->self, count, order));
}

static size_t barrier_work(const void *self, size_t count, rm2i_metric_order order) {
    barrier_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, self, count, order, &a);
    return a.used;
}

/* psi, infinite where g is not positive, and its derivative by g. */
static double psi_of(double g, double width, double *slope) {
    double u = g / width, psi = exp(-u) / u;
    *slope = -psi * (1 + 1 / u) / width;
    return g > 0 ? psi : INFINITY;
}

double rm2i_barrier_factor(const rm2i_clearance *c, double width, const rm2i_clear_point *point) {
    double phi = 1, slope;
    for (size_t k = 0; k < c->count; k++)
        phi += psi_of(rm2_region_distance(&c->regions[k], point->y, NULL) -
                          c->deviations * point->deviation - c->wanted,
                      width, &slope);
    return phi;
}

/* phi, and its derivatives in the scratch; infinite where the clearance is not kept. */
static double factor_at(const barrier *b, const double *x, barrier_scratch *s) {
    const rm2i_clearance *c = b->clearance;
    size_t Q = b->inner->Q, dim = c->position.dim;
    rm2i_position_slope at = {.J = s->J, .slope = c->deviations > 0 ? s->slope : NULL};
    double phi = 1, n[RM2I_POSITION_DIM], by_g;
    rm2i_position_gradient(&c->position, x, &at, s->position);
    for (size_t q = 0; q < Q; q++)
        s->dphi[q] = 0;
    for (size_t k = 0; k < c->count; k++) {
        double d = rm2_region_distance(&c->regions[k], at.y, n);
        phi += psi_of(d - c->deviations * at.deviation - c->wanted, b->width, &by_g);
        for (size_t q = 0; q < Q; q++) {
            double by_x = at.slope ? -c->deviations * at.slope[q] : 0;
            for (size_t a = 0; a < dim; a++)
                by_x += n[a] * at.J[a * Q + q];
            s->dphi[q] += by_g * by_x;
        }
    }
    return phi;
}

static rm2_status barrier_at(const void *self, size_t count, const rm2i_metric_request *request,
                             double *work) {
    const barrier *b = self;
    size_t Q = b->inner->Q, square = Q * Q;
    barrier_scratch s;
    lay_out(&s, b, count, rm2i_metric_order_of(request), &(rm2i_arena){work, 0});
    RM2_TRY(b->inner->type->at(b->inner->self, count, request, s.inner));
    for (size_t i = 0; i < count; i++) {
        double *G = request->G + i * square, phi = factor_at(b, request->x + i * Q, &s);
        if (!isfinite(phi))
            return RM2_ERR_DOMAIN;
        for (size_t t = 0; request->dG && t < Q; t++) {
            double *dG = request->dG + (i * Q + t) * square;
            for (size_t k = 0; k < square; k++)
                dG[k] = s.dphi[t] * G[k] + phi * dG[k];
        }
        for (size_t k = 0; k < square; k++)
            G[k] *= phi;
    }
    return RM2_OK;
}

rm2_status rm2i_metric_barrier(rm2_context *ctx, const rm2_metric *metric,
                               const rm2i_clearance *clearance, double width, rm2_metric **out) {
    static const rm2i_metric_type type = {
        .work = barrier_work, .at = barrier_at, .free = free, .block = 16};
    barrier *b;
    char text[256];
    *out = NULL;
    RM2_TRY(rm2i_alloc(ctx, 1, sizeof *b, &b));
    *b = (barrier){metric, clearance, width};
    (void)snprintf(text, sizeof text, "%s, around %zu obstacle%s", metric->text, clearance->count,
                   clearance->count == 1 ? "" : "s");
    return rm2i_metric_create(ctx, &type, metric->Q, b, text, out);
}
