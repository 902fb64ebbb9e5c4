/* The discrete energy. With x = sum_k a_k b_k, v = sum_k a_k b_k' the integrand e = v^T G(x) v has
 *
 *     e_x = [v^T d_r G v]_r,            e_v  = 2 G v,
 *     e_xx = [v^T d_r d_s G v]_rs,      e_xv = 2 [(d_r G v)_s]_rs,      e_vv = 2 G,
 *
 * and derivatives by the coefficients are sums of these times values b_k and slopes b_k'.
 *
 * Where the curve is of elements of degree s with s points on each, dE = 0 are the equations of
 * Gauss's collocation for the geodesic equation in x and G x' (Hairer, Lubich and Wanner, Geometric
 * Numerical Integration, VI.6): of order 2s, and yet a minimum, so that no step needs to go up. */
#include "geodesic/energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/band.h"
#include "linalg/dense.h"

static void fill_points(rm2i_energy *e) {
    const rm2i_pieces *curve = e->curve;
    size_t g = e->rule.points;
    for (size_t k = 0; k < e->points; k++) {
        size_t i = k / g;
        rm2i_pieces_basis(curve, i, e->rule.node[k % g], &e->local[k]);
        e->weight[k] = e->rule.weight[k % g] * (curve->breaks[i + 1] - curve->breaks[i]);
    }
}

static void lay_out(void *energy, rm2i_arena *a) {
    rm2i_energy *e = energy;
    size_t Q = e->Q, n = e->points;
    e->local = rm2i_reserve(a, rm2i_local, n);
    e->weight = rm2i_reserve(a, double, n);
    e->shifted = rm2i_reserve(a, double, n, Q);
    e->shifted_G = rm2i_reserve(a, double, n, Q, Q);
    e->shifted_dG = rm2i_reserve(a, double, n, Q, Q, Q);
}

rm2_status rm2i_energy_create(rm2_context *ctx, rm2i_evaluator *evaluator, const rm2i_pieces *curve,
                              size_t points, rm2i_energy **energy) {
    rm2i_energy *e;
    size_t Q = curve->Q, functions = curve->degree == RM2I_SPLINE ? 4 : curve->degree + 1;
    *energy = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *e, &e));
    *e = (rm2i_energy){.evaluator = evaluator,
                       .curve = curve,
                       .Q = Q,
                       .points = curve->intervals * points,
                       .unknowns = (curve->count - 2) * Q,
                       .bandwidth = functions * Q - 1,
                       .rule = rm2i_gauss_rule(points)};
    rm2_status status = rm2i_arena_alloc(ctx, lay_out, e, &e->memory);
    if (status != RM2_OK) {
        rm2i_energy_free(e);
        return status;
    }
    fill_points(e);
    *energy = e;
    return RM2_OK;
}

void rm2i_energy_free(rm2i_energy *energy) {
    if (!energy)
        return;
    free(energy->memory);
    free(energy);
}

/* ---- value ---------------------------------------------------------------------------------- */

rm2i_sample rm2i_sample_reserve(const rm2i_energy *e, rm2i_arena *arena) {
    size_t Q = e->Q, n = e->points;
    rm2i_sample sample = {.energy = 0};
    sample.x = rm2i_reserve(arena, double, n, Q);
    sample.v = rm2i_reserve(arena, double, n, Q);
    sample.G = rm2i_reserve(arena, double, n, Q, Q);
    sample.dG = rm2i_reserve(arena, double, n, Q, Q, Q);
    sample.bend = rm2i_reserve(arena, double, n, Q, Q);
    return sample;
}

rm2_status rm2i_energy_at(const rm2i_energy *e, bool bend, rm2i_sample *sample) {
    size_t Q = e->Q;
    for (size_t k = 0; k < e->points; k++)
        rm2i_pieces_sum(e->curve, &e->local[k], sample->x + k * Q, sample->v + k * Q, NULL);
    sample->bent = bend && rm2i_metric_can_bend(e->evaluator->metric);
    RM2_TRY(sample->bent
                ? rm2i_evaluator_bend_at(e->evaluator, e->points, sample->x, sample->v, sample->G,
                                         sample->dG, sample->bend)
                : rm2i_evaluator_at(e->evaluator, e->points, sample->x, sample->G, sample->dG));
    sample->energy = 0;
    for (size_t k = 0; k < e->points; k++) {
        const double *v = sample->v + k * Q;
        sample->energy += e->weight[k] * rm2i_metric_inner(Q, sample->G + k * Q * Q, v, v);
    }
    return isfinite(sample->energy) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* ---- derivatives ---------------------------------------------------------------------------- */

/* Is a coefficient free? The first and the last are the ends. */
static bool is_free(const rm2i_energy *e, size_t a) {
    return a > 0 && a + 1 < e->curve->count;
}

void rm2i_energy_gradient(const rm2i_energy *e, const rm2i_sample *sample, double *gradient) {
    size_t Q = e->Q;
    memset(gradient, 0, e->unknowns * sizeof *gradient);
    for (size_t k = 0; k < e->points; k++) {
        const rm2i_local *local = &e->local[k];
        const double *v = sample->v + k * Q, *G = sample->G + k * Q * Q;
        for (size_t r = 0; r < Q; r++) {
            double by_x = rm2i_metric_inner(Q, sample->dG + (k * Q + r) * Q * Q, v, v);
            double by_v = 2 * rm2i_dot(Q, G + r * Q, v);
            for (size_t f = 0; f < local->functions; f++)
                if (is_free(e, local->first + f))
                    gradient[(local->first + f - 1) * Q + r] +=
                        e->weight[k] * (local->value[f] * by_x + local->slope[f] * by_v);
        }
    }
}

/* A step for differences of dG at point k: small compared with the way to the next point, on which the
 * curve is thought to know the metric, and large compared with what can be added to its coordinates. */
static double difference_step(const rm2i_energy *e, const rm2i_sample *sample, size_t k) {
    size_t Q = e->Q;
    double way = e->weight[k] * rm2i_norm(Q, sample->v + k * Q);
    return fmax(1e-4 * way, 1e-9 * rm2i_max_abs(Q, sample->x + k * Q));
}

/* dG with coordinate t moved by a step, up or down (sign -1). */
static rm2_status shift(const rm2i_energy *e, const rm2i_sample *sample, size_t t, double sign) {
    memcpy(e->shifted, sample->x, e->points * e->Q * sizeof *e->shifted);
    for (size_t k = 0; k < e->points; k++)
        e->shifted[k * e->Q + t] += sign * difference_step(e, sample, k);
    return rm2i_evaluator_at(e->evaluator, e->points, e->shifted, e->shifted_G, e->shifted_dG);
}

/* By the metric itself. */
static rm2_status own_bend(const rm2i_energy *e, const rm2i_sample *sample, double *bend) {
    return rm2i_evaluator_bend_at(e->evaluator, e->points, sample->x, sample->v, e->shifted_G,
                                  e->shifted_dG, bend);
}

/* By differences of dG. */
static rm2_status difference_bend(const rm2i_energy *e, const rm2i_sample *sample, double *bend) {
    size_t Q = e->Q;
    for (size_t t = 0; t < Q; t++) {
        rm2_status status = shift(e, sample, t, 1);
        if (rm2i_no_metric(status)) /* an edge of the domain is near: look the other way */
            status = shift(e, sample, t, -1);
        RM2_TRY(status);
        for (size_t k = 0; k < e->points; k++)
            for (size_t s = 0; s < Q; s++) {
                const double *v = sample->v + k * Q;
                double step = e->shifted[k * Q + t] - sample->x[k * Q + t];
                size_t at = (k * Q + s) * Q * Q;
                double there = rm2i_metric_inner(Q, e->shifted_dG + at, v, v);
                double here = rm2i_metric_inner(Q, sample->dG + at, v, v);
                bend[(k * Q + t) * Q + s] = (there - here) / step;
            }
    }
    for (size_t k = 0; k < e->points; k++)
        rm2i_symmetrise(Q, bend + k * Q * Q);
    return RM2_OK;
}

rm2_status rm2i_energy_bend(const rm2i_energy *e, const rm2i_sample *sample, double *bend) {
    if (sample->bent) {
        memcpy(bend, sample->bend, e->points * e->Q * e->Q * sizeof *bend);
        return RM2_OK;
    }
    return rm2i_metric_can_bend(e->evaluator->metric) ? own_bend(e, sample, bend)
                                                      : difference_bend(e, sample, bend);
}

/* What one point adds to the entries of coordinates r and s: of H
 *     w (b_f b_g e_xx + b_f b_g' e_xv + b_f' b_g e_xv^T + b_f' b_g' e_vv)_rs. */
typedef struct integrand {
    double xx, xv, vx, vv;
} integrand;

static void add_entries(const rm2i_energy *e, const rm2i_local *local, size_t r, size_t s,
                        const integrand *part, double *H, double *K) {
    size_t Q = e->Q;
    for (size_t f = 0; f < local->functions; f++)
        for (size_t g = 0; g <= f; g++) {
            size_t a = local->first + f, b = local->first + g;
            if (!is_free(e, a) || !is_free(e, b) || (f == g && s > r))
                continue;
            double bf = local->value[f], bg = local->value[g];
            double sf = local->slope[f], sg = local->slope[g], kinetic = sf * sg * part->vv;
            size_t at = rm2i_band_index(e->bandwidth, (a - 1) * Q + r, (b - 1) * Q + s);
            K[at] += kinetic;
            H[at] += bf * bg * part->xx + bf * sg * part->xv + sf * bg * part->vx + kinetic;
        }
}

void rm2i_energy_hessian(const rm2i_energy *e, const rm2i_sample *sample, const double *bend,
                         double *H, double *K) {
    size_t Q = e->Q, bytes = e->unknowns * (e->bandwidth + 1) * sizeof *H;
    memset(H, 0, bytes);
    memset(K, 0, bytes);
    for (size_t k = 0; k < e->points; k++) {
        const double *v = sample->v + k * Q, *dG = sample->dG + k * Q * Q * Q;
        double w = e->weight[k];
        for (size_t r = 0; r < Q; r++)
            for (size_t s = 0; s < Q; s++) {
                const integrand part = {.xx = w * bend[(k * Q + r) * Q + s],
                                        .xv = 2 * w * rm2i_dot(Q, dG + (r * Q + s) * Q, v),
                                        .vx = 2 * w * rm2i_dot(Q, dG + (s * Q + r) * Q, v),
                                        .vv = 2 * w * sample->G[(k * Q + r) * Q + s]};
                add_entries(e, &e->local[k], r, s, &part, H, K);
            }
    }
}
