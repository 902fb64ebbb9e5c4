/* Mean in stage path. The variance
 *
 *     V(m) = sum_i w_i d(m, x_i)^2
 *
 * by lengths of paths has kinks where a shortest path changes, and jumps where m is joined to other
 * nodes: logarithms, the directions in which paths leave, say little about where it falls. So V alone
 * decides. It is known at all points and nodes; from the best of them a pattern search goes on: with
 * the columns e_k of L^-T, G(m) = L L^T, an orthonormal frame of the metric, V is asked for at all
 *
 *     m +- h e_k,
 *
 * m moves to the best of these if that is better by ENOUGH h^2, and h is halved if not, until it is
 * RESOLUTION of the root of V: lengths of paths are right to some per cent. The least gain keeps the
 * number of moves finite and makes the limit stationary where V is smooth (T. G. Kolda, R. M. Lewis,
 * V. Torczon, "Optimization by direct search", SIAM Review 45, 2003). */
#include "geodesic/mean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "linalg/dense.h"

static const double FIRST_STEP = 0.5;  /* of the root of the variance */
static const double RESOLUTION = 1e-3; /* the same */
static const double ENOUGH = 1e-3;

typedef struct pattern {
    const rm2i_variance *v;
    double *m; /* Q: the best so far */
    double variance;
    double *G, *L, *frame; /* Q x Q; the frame by rows */
    double *trial;         /* 2 Q x Q: m + h e_k and m - h e_k in turn */
    double *value;         /* 2 Q */
    double *memory;
} pattern;

static void lay_out(void *arg, rm2i_arena *a) {
    pattern *p = arg;
    size_t Q = p->v->Q;
    p->m = rm2i_reserve(a, double, Q);
    p->G = rm2i_reserve(a, double, Q, Q);
    p->L = rm2i_reserve(a, double, Q, Q);
    p->frame = rm2i_reserve(a, double, Q, Q);
    p->trial = rm2i_reserve(a, double, 2, Q, Q);
    p->value = rm2i_reserve(a, double, 2, Q);
}

/* The frame at m, and V around. */
static rm2_status poll(rm2_context *ctx, pattern *p, double h) {
    size_t Q = p->v->Q;
    RM2_TRY(rm2_metric_at(ctx, p->v->metric, 1, p->m, p->G, NULL));
    if (rm2i_cholesky(Q, p->G, p->L) != RM2_OK)
        return rm2i_fail(
            ctx, RM2_ERR_NUMERIC,
            "mean: the metric is not positive definite at (%.6g%s), where the variance "
            "is least",
            p->m[0], Q > 1 ? ", ..." : "");
    rm2i_lower_inverse(Q, p->L, p->frame);
    for (size_t k = 0; k < 2 * Q; k++)
        for (size_t q = 0; q < Q; q++)
            p->trial[k * Q + q] = p->m[q] + (k % 2 ? -h : h) * p->frame[k / 2 * Q + q];
    return rm2i_variance_at(ctx, p->v, 2 * Q, p->trial, p->value);
}

/* Go to the best of the trials if that is better. */
static bool move(pattern *p, double h) {
    size_t Q = p->v->Q, best = 0;
    for (size_t k = 1; k < 2 * Q; k++)
        best = p->value[k] < p->value[best] ? k : best;
    if (!(p->value[best] < p->variance - ENOUGH * h * h))
        return false;
    memcpy(p->m, p->trial + best * Q, Q * sizeof *p->m);
    p->variance = p->value[best];
    return true;
}

/* |grad V|/2, the norm of the mean of the logarithms, by differences over h; of one side where the
 * other has no variance. */
static double gradient(const pattern *p, double h) {
    double square = 0;
    for (size_t k = 0; k < p->v->Q; k++) {
        double up = p->value[2 * k] - p->variance, down = p->variance - p->value[2 * k + 1];
        double slope = isfinite(up) && isfinite(down) ? (up + down) / 2
                       : isfinite(up)                 ? up
                       : isfinite(down)               ? down
                                                      : 0;
        square += slope * slope;
    }
    return sqrt(square) / (2 * h);
}

static rm2_status search(rm2_context *ctx, pattern *p, const rm2_mean_settings *settings,
                         rm2_mean_info *info) {
    double least = fmax(settings->tolerance, RESOLUTION), h = FIRST_STEP * sqrt(p->variance);
    bool polled = p->variance == 0; /* at m, which has no gradient then */
    for (;;) {
        info->converged = h <= least * sqrt(p->variance);
        if (info->converged || (size_t)info->iterations >= settings->max_iterations)
            break;
        info->iterations++;
        RM2_TRY(poll(ctx, p, h));
        info->gradient = gradient(p, h);
        polled = !move(p, h);
        h /= polled ? 2 : 1;
    }
    if (!polled) {
        RM2_TRY(poll(ctx, p, h));
        info->gradient = gradient(p, h);
    }
    info->variance = p->variance;
    return RM2_OK;
}

rm2_status rm2i_mean_of_paths(rm2_context *ctx, rm2i_variance *v, const rm2_mean_settings *settings,
                              double *mean, rm2_mean_info *info) {
    pattern p = {.v = v};
    rm2_status status = rm2i_variance_begin(ctx, v);
    if (status == RM2_OK)
        status = rm2i_arena_alloc(ctx, lay_out, &p, &p.memory);
    if (status == RM2_OK)
        status = rm2i_variance_best(ctx, v, p.m, &p.variance);
    if (status == RM2_OK)
        status = search(ctx, &p, settings, info);
    if (status == RM2_OK)
        memcpy(mean, p.m, v->Q * sizeof *mean);
    free(p.memory);
    rm2i_variance_end(v);
    return status;
}
