/* The expected pullback metric (Tosi et al., UAI 2014, for Euclidean outputs):
 *
 *   E[J^T Gc J] = J^T Gc J + w sum_m (p_m^T Gc p_m) R_m,   Gc = dExp^T g dExp at the mean output
 *
 * J: mean Jacobian, R_m: covariance of the rows of P^-1 J (moments.h); w = 1 is the expectation.
 * Derivatives by x_t, with J_t = df/dx_t:
 *   d(J^T Gc J) = dJ^T Gc J + J^T Gc dJ + J^T dGc[J_t] J,   dw_m = p_m^T dGc[J_t] p_m
 * A cost c(y) multiplies Gc, of all factors or of one: G = E + (c - 1) E', where E' has only the
 * coordinates of that factor in Gc; dc/dx_t = grad c . dExp J_t. */
#include "metric/pullback.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"

/* ---- scratch -------------------------------------------------------------------------------- */

/* One point's own arrays. */
typedef struct point_scratch {
    double *c;                    /* M: the mean output */
    double *GJ, *dGJ;             /* Q x M: Gc J_s, dGc[J_t] J_s */
    double *w, *dw;               /* M and Q x M: weights of the R_m and their derivatives */
    double *by_vector;            /* M x Q: dw in the order of metric_norms */
    double *R, *dR;               /* Q x Q and Q x Q x Q */
    double *part, *d_part;        /* the metric of the cost's factor */
    double *y, *gradient, *moved; /* ambient */
    double *work, *cost, *bend;   /* of the manifold, of that of the cost, of bends: by turns */
    double *moments;
} point_scratch;

static size_t ambient_of(const rm2i_pullback_field *f) {
    return f->cost.at ? rm2_manifold_ambient(f->model->manifold) : 0;
}

size_t rm2i_pullback_manifold_work(const rm2i_pullback_field *f) {
    return f->manifold ? f->manifold->work_size : 0;
}

static rm2i_moment_kind moments_of(rm2i_metric_order order) {
    return order == RM2I_ORDER_VALUE        ? RM2I_MOMENT_COVARIANCE
           : order == RM2I_ORDER_DERIVATIVE ? RM2I_MOMENT_DERIVATIVE
                                            : RM2I_MOMENT_BEND;
}

static void lay_out(point_scratch *s, const rm2i_pullback_field *f, size_t count,
                    rm2i_metric_order order, rm2i_arena *a) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q, D = ambient_of(f);
    s->c = rm2i_take(a, double, M);
    s->w = rm2i_take(a, double, M);
    s->GJ = rm2i_take(a, double, Q, M);
    s->dGJ = rm2i_take(a, double, Q, M);
    s->dw = rm2i_take(a, double, Q, M);
    s->by_vector = rm2i_take(a, double, M, Q);
    s->R = rm2i_take(a, double, Q, Q);
    s->dR = rm2i_take(a, double, Q, Q, Q);
    s->part = rm2i_take(a, double, Q, Q);
    s->d_part = rm2i_take(a, double, Q, Q, Q);
    s->y = rm2i_take(a, double, D);
    s->gradient = rm2i_take(a, double, D);
    s->moved = rm2i_take(a, double, D);
    rm2i_arena own = *a, cost = *a, bend = *a;
    s->work = rm2i_take(&own, double, rm2i_pullback_manifold_work(f));
    s->cost = rm2i_take(&cost, double, f->cost.at ? f->model->manifold->work_size : 0);
    s->bend = rm2i_take(&bend, double, order == RM2I_ORDER_BEND ? rm2i_pullback_bend_work(f) : 0);
    *a = rm2i_arena_longer(own, rm2i_arena_longer(cost, bend));
    s->moments = rm2i_take(a, double, rm2i_moments_work(f->posterior, count, moments_of(order)));
}

/* ---- the ambient metric --------------------------------------------------------------------- */

rm2_status rm2i_pullback_ambient(const rm2i_pullback_field *f, const double *c, size_t count,
                                 const double *W, double *out, double *work) {
    size_t M = f->posterior->gp.M;
    if (f->manifold)
        return rm2i_manifold_metric(f->manifold, c, &(rm2_product_query){count, W, out, M}, work,
                                    NULL);
    memcpy(out, W, count * M * sizeof *out);
    return RM2_OK;
}

rm2_status rm2i_pullback_weights(const rm2i_pullback_field *f, const double *c,
                                 rm2_norms_query query, double *work) {
    size_t M = f->posterior->gp.M;
    query.count = query.stride = M;
    query.sum = f->posterior->gp.noise_kind == RM2_NOISE_KRONECKER;
    if (f->manifold)
        return rm2i_manifold_metric_norms(f->manifold, c, &query, work, NULL);
    for (size_t m = 0; m < M; m++)
        query.value[m] = rm2i_dot(M, query.W + m * M, query.W + m * M);
    for (size_t k = 0; k < M * query.directions; k++)
        query.derivative[k] = 0;
    return RM2_OK;
}

/* Keep only the part's coordinates of `count` vectors. */
static void restrict_to(const rm2i_output_part *part, size_t M, size_t count, double *W) {
    for (size_t k = 0; k < count; k++) {
        memset(W + k * M, 0, part->from * sizeof *W);
        memset(W + k * M + part->to, 0, (M - part->to) * sizeof *W);
    }
}

/* ---- one point ------------------------------------------------------------------------------ */

/* dE[t] = dJ^T Gc J + J^T Gc dJ + J^T dGc[J_t] J; s->GJ is there. */
static rm2_status mean_derivative(const rm2i_pullback_field *f, const rm2i_output_part *part,
                                  const rm2i_moments *mo, size_t i, point_scratch *s, double *dE) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    const double *J = mo->J + i * Q * M, *dJ = mo->dJ + i * rm2i_pairs(Q) * M;
    const rm2_product_query on_J = {Q, J, s->dGJ, M};
    for (size_t t = 0; t < Q; t++) {
        if (f->manifold)
            RM2_TRY(rm2i_manifold_metric_derivative(f->manifold, s->c, J + t * M, &on_J, s->work,
                                                    NULL));
        else
            memset(s->dGJ, 0, Q * M * sizeof *s->dGJ);
        restrict_to(part, M, Q, s->dGJ);
        for (size_t r = 0; r < Q; r++)
            for (size_t q = 0; q <= r; q++)
                dE[(t * Q + r) * Q + q] = dE[(t * Q + q) * Q + r] =
                    rm2i_dot(M, dJ + rm2i_pair(Q, r, t) * M, s->GJ + q * M) +
                    rm2i_dot(M, s->GJ + r * M, dJ + rm2i_pair(Q, q, t) * M) +
                    rm2i_dot(M, J + r * M, s->dGJ + q * M);
    }
    return RM2_OK;
}

/* w sum_m (p_m^T Gc p_m) R_m and its derivatives are added to E and dE. */
static rm2_status add_covariance(const rm2i_pullback_field *f, const rm2i_output_part *part,
                                 const rm2i_moments *mo, size_t i, point_scratch *s, double *E,
                                 double *dE) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q, directions = dE ? Q : 0;
    const rm2_norms_query query = {.W = part->Pt,
                                   .directions = directions,
                                   .Z = mo->J + i * Q * M,
                                   .value = s->w,
                                   .derivative = s->by_vector};
    RM2_TRY(rm2i_pullback_weights(f, s->c, query, s->work));
    for (size_t m = 0; m < M; m++)
        for (size_t t = 0; t < directions; t++)
            s->dw[t * M + m] = s->by_vector[m * Q + t];
    rm2i_moments_covariance(mo, i, s->w, s->dw, s->R, dE ? s->dR : NULL);
    rm2i_axpy(Q * Q, f->weight, s->R, E);
    if (dE)
        rm2i_axpy(Q * Q * Q, f->weight, s->dR, dE);
    return RM2_OK;
}

/* E and dE (unless NULL) at point i with a part of the outputs only. */
static rm2_status expected(const rm2i_pullback_field *f, const rm2i_output_part *part,
                           const rm2i_moments *mo, size_t i, point_scratch *s, double *E,
                           double *dE) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    const double *J = mo->J + i * Q * M;
    RM2_TRY(rm2i_pullback_ambient(f, s->c, Q, J, s->GJ, s->work));
    restrict_to(part, M, Q, s->GJ);
    for (size_t r = 0; r < Q; r++)
        for (size_t q = 0; q <= r; q++)
            E[r * Q + q] = E[q * Q + r] = rm2i_dot(M, J + r * M, s->GJ + q * M);
    if (dE)
        RM2_TRY(mean_derivative(f, part, mo, i, s, dE));
    return add_covariance(f, part, mo, i, s, E, dE);
}

/* c(y) - 1 at the decoded point, in the units of the data; leaves the gradient of c. */
static rm2_status cost_at(const rm2i_pullback_field *f, point_scratch *s, double *excess) {
    const rm2_model *m = f->model;
    size_t D = ambient_of(f);
    if (f->manifold)
        RM2_TRY(rm2i_manifold_exp(m->manifold, m->frame, s->c, s->y, s->cost, NULL));
    else
        memcpy(s->y, s->c, D * sizeof *s->y);
    rm2_data_unscale(m->data, 1, s->y);
    memset(s->gradient, 0, D * sizeof *s->gradient);
    double cost;
    RM2_TRY(f->cost.at(f->cost.user, s->y, &cost, s->gradient));
    *excess = cost - 1;
    return cost > 0 ? RM2_OK : RM2_ERR_DOMAIN;
}

/* dc/dx_t = grad c . (scale dExp J_t) */
static rm2_status cost_slope(const rm2i_pullback_field *f, const double *Jt, point_scratch *s,
                             double *slope) {
    const rm2_model *m = f->model;
    size_t D = ambient_of(f);
    if (f->manifold)
        RM2_TRY(rm2i_manifold_dexp(m->manifold, m->frame, s->c, Jt, s->moved, s->cost, NULL));
    else
        memcpy(s->moved, Jt, D * sizeof *s->moved);
    rm2_data_unscale(m->data, 1, s->moved);
    *slope = rm2i_dot(D, s->gradient, s->moved);
    return RM2_OK;
}

/* G += (c - 1) E', dG_t += (c - 1) dE'_t + dc_t E'; E' is G itself where all factors are meant. */
static rm2_status add_cost(const rm2i_pullback_field *f, const rm2i_moments *mo, size_t i,
                           point_scratch *s, double *G, double *dG) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    double excess, slope;
    if (f->costly.Pt) {
        RM2_TRY(expected(f, &f->costly, mo, i, s, s->part, dG ? s->d_part : NULL));
    } else {
        memcpy(s->part, G, Q * Q * sizeof *G);
        if (dG)
            memcpy(s->d_part, dG, Q * Q * Q * sizeof *dG);
    }
    RM2_TRY(cost_at(f, s, &excess));
    rm2i_axpy(Q * Q, excess, s->part, G);
    for (size_t t = 0; dG && t < Q; t++) {
        RM2_TRY(cost_slope(f, mo->J + (i * Q + t) * M, s, &slope));
        rm2i_axpy(Q * Q, excess, s->d_part + t * Q * Q, dG + t * Q * Q);
        rm2i_axpy(Q * Q, slope, s->part, dG + t * Q * Q);
    }
    return RM2_OK;
}

static rm2_status at_points(const void *self, size_t count, const rm2i_metric_request *r,
                            double *work) {
    const rm2i_pullback_field *f = self;
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    rm2i_metric_order order = rm2i_metric_order_of(r);
    point_scratch s;
    rm2i_moments mo;
    lay_out(&s, f, count, order, &(rm2i_arena){work, 0});
    rm2i_moments_at(f->posterior, count, r->x, r->v, moments_of(order), s.moments, &mo);
    for (size_t i = 0; i < count; i++) {
        double *G = r->G + i * Q * Q, *dG = r->dG ? r->dG + i * Q * Q * Q : NULL;
        for (size_t k = 0; k < M; k++)
            s.c[k] = mo.f[i * M + k] + f->mean[k];
        RM2_TRY(expected(f, &f->all, &mo, i, &s, G, dG));
        if (f->cost.at)
            RM2_TRY(add_cost(f, &mo, i, &s, G, dG));
        if (!r->bend)
            continue;
        const rm2i_bend_point at = {&mo, i, s.c, r->v + i * Q, dG};
        RM2_TRY(rm2i_pullback_bend(f, &at, r->bend + i * Q * Q, s.bend));
    }
    return RM2_OK;
}

static bool can_bend(const void *self) {
    const rm2i_pullback_field *f = self;
    return !f->cost.at && rm2i_moments_can_bend(f->posterior);
}

static size_t work_size(const void *self, size_t count, rm2i_metric_order order) {
    point_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out(&s, self, count, order, &a);
    return a.used;
}

/* ---- the object ----------------------------------------------------------------------------- */

static void lay_out_field(void *field, rm2i_arena *a) {
    rm2i_pullback_field *f = field;
    size_t M = f->posterior->gp.M;
    bool one = f->cost.at && f->cost.factor != RM2_ALL_FACTORS;
    f->all.Pt = rm2i_take(a, double, M, M);
    f->costly.Pt = one ? rm2i_take(a, double, M, M) : NULL;
}

rm2_status rm2i_pullback_field_create(rm2_context *ctx, const rm2i_pullback_field *like,
                                      rm2i_pullback_field **field) {
    size_t M = like->posterior->gp.M;
    rm2i_pullback_field *f;
    *field = NULL;
    rm2_status status = rm2i_alloc(ctx, 1, sizeof *f, &f);
    if (status == RM2_OK) {
        *f = *like;
        status = rm2i_arena_alloc(ctx, lay_out_field, f, &f->memory);
    }
    if (status != RM2_OK) {
        rm2i_posterior_free(like->reduced);
        free(f);
        return status;
    }
    f->all.from = 0;
    f->all.to = M;
    rm2i_transpose(M, f->posterior->P, f->all.Pt);
    if (f->costly.Pt) {
        memcpy(f->costly.Pt, f->all.Pt, M * M * sizeof *f->costly.Pt);
        restrict_to(&f->costly, M, M, f->costly.Pt);
    }
    *field = f;
    return RM2_OK;
}

void rm2i_pullback_field_free(rm2i_pullback_field *f) {
    rm2i_posterior_free(f->reduced);
    free(f->memory);
    free(f);
}

static void free_self(void *self) {
    rm2i_pullback_field_free(self);
}

static const rm2i_metric_type pullback_type = {
    .work = work_size,
    .at = at_points,
    .can_bend = can_bend,
    .free = free_self,
    .block = 64,
};

rm2_status rm2i_pullback_create(rm2_context *ctx, rm2i_pullback_field *field, const char *text,
                                rm2_metric **metric) {
    return rm2i_metric_create(ctx, &pullback_type, field->posterior->gp.Q, field, text, metric);
}

rm2_status rm2i_pullback_of(rm2_context *ctx, const rm2_metric *metric,
                            const rm2i_pullback_field **field) {
    *field = metric->self;
    return metric->type == &pullback_type
               ? RM2_OK
               : rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "%s: not random, as pullback metrics are",
                           metric->text);
}

double rm2_metric_weight(const rm2_metric *metric) {
    return metric && metric->type == &pullback_type
               ? ((const rm2i_pullback_field *)metric->self)->weight
               : 1;
}
