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

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"

enum { TOGETHER = 8 }; /* points whose ambient metrics are computed at once */

/* ---- scratch -------------------------------------------------------------------------------- */

/* The ambient metric at TOGETHER points. */
typedef struct ambient_jets {
    double *GJ;                  /* x Q x M: Gc J_s, with derivatives */
    double *inner;               /* x Q x Q: J_r^T Gc J_s, without */
    double *slope;               /* x Q x Q x Q: J_r^T dGc[J_t] J_s */
    double *trace, *trace_slope; /* 1, x Q */
} ambient_jets;

typedef struct point_scratch {
    double *c;                    /* TOGETHER x M: mean outputs */
    ambient_jets all, costly;     /* of all coordinates, of those of the cost */
    double *w, *dw;               /* K and Q x K: weights of the R_m and their derivatives */
    double *R, *dR;               /* Q x Q and Q x Q x Q */
    double *part, *d_part;        /* the metric of the cost's factor */
    double *y, *gradient, *moved; /* ambient */
    double *work, *cost, *bend;   /* of the jets and weights, of the cost, of bends: by turns */
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

static void lay_out_jets(ambient_jets *j, size_t points, size_t Q, size_t M, rm2i_arena *a) {
    j->GJ = rm2i_reserve(a, double, points, Q, M);
    j->inner = rm2i_reserve(a, double, points, Q, Q);
    j->slope = rm2i_reserve(a, double, points, Q, Q, Q);
    j->trace = rm2i_reserve(a, double, points);
    j->trace_slope = rm2i_reserve(a, double, points, Q);
}

static void lay_out(point_scratch *s, const rm2i_pullback_field *f, size_t count,
                    rm2i_metric_order order, rm2i_arena *a) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q, D = ambient_of(f);
    size_t together = count < TOGETHER ? count : TOGETHER, K = rm2i_moments_weights(f->posterior);
    s->c = rm2i_reserve(a, double, together, M);
    lay_out_jets(&s->all, together, Q, M, a);
    lay_out_jets(&s->costly, f->costly.Pt ? together : 0, Q, M, a);
    s->w = rm2i_reserve(a, double, K);
    s->dw = rm2i_reserve(a, double, Q, K);
    s->R = rm2i_reserve(a, double, Q, Q);
    s->dR = rm2i_reserve(a, double, Q, Q, Q);
    s->part = rm2i_reserve(a, double, Q, Q);
    s->d_part = rm2i_reserve(a, double, Q, Q, Q);
    s->y = rm2i_reserve(a, double, D);
    s->gradient = rm2i_reserve(a, double, D);
    s->moved = rm2i_reserve(a, double, D);
    rm2i_arena jets = *a, weights = *a, cost = *a, bend = *a;
    s->work = rm2i_reserve(&jets, double, rm2i_pullback_jets_work(f, together, Q, Q));
    (void)rm2i_reserve(&weights, double, rm2i_pullback_weights_work(f, Q));
    s->cost = rm2i_reserve(&cost, double, f->cost.at ? f->model->manifold->work_size : 0);
    s->bend = rm2i_reserve(&bend, double,
                           order == RM2I_ORDER_BEND ? rm2i_pullback_bend_work(f, together) : 0);
    *a = rm2i_arena_longer(rm2i_arena_longer(jets, weights), rm2i_arena_longer(cost, bend));
    s->moments = rm2i_reserve(a, double, rm2i_moments_work(f->posterior, count, moments_of(order)));
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

static bool kronecker(const rm2i_pullback_field *f) {
    return f->posterior->gp.noise_kind == RM2_NOISE_KRONECKER;
}

/* Keep only the part's coordinates of `count` vectors. */
static void restrict_to(const rm2i_output_part *part, size_t M, size_t count, double *W) {
    for (size_t k = 0; k < count; k++) {
        memset(W + k * M, 0, part->from * sizeof *W);
        memset(W + k * M + part->to, 0, (M - part->to) * sizeof *W);
    }
}

/* inner[k][l] = w_k^T w_l on the part's coordinates */
static void flat_inner(const rm2i_output_part *part, size_t M, size_t count, const double *W,
                       double *inner) {
    for (size_t k = 0; k < count; k++)
        for (size_t l = 0; l < count; l++)
            inner[k * count + l] =
                rm2i_dot(part->to - part->from, W + k * M + part->from, W + l * M + part->from);
}

/* Euclidean outputs: Gc is the identity, on the part's coordinates. */
static void flat_jets(const rm2i_output_part *part, size_t M, const rm2i_jet_query *q) {
    size_t slopes = q->points * q->directions;
    if (q->GW) {
        memcpy(q->GW, q->W, q->points * q->count * M * sizeof *q->GW);
        restrict_to(part, M, q->points * q->count, q->GW);
    }
    for (size_t i = 0; i < q->points && !q->GW; i++)
        flat_inner(part, M, q->count, q->W + i * q->count * M, q->inner + i * q->count * q->count);
    if (slopes > 0)
        memset(q->slope, 0, slopes * q->count * q->count * sizeof *q->slope);
    for (size_t i = 0; q->trace && i < q->points; i++)
        q->trace[i] = rm2i_dot(M * M, part->Pt, part->Pt);
    if (q->trace && slopes > 0)
        memset(q->trace_slope, 0, slopes * sizeof *q->trace_slope);
}

rm2_status rm2i_pullback_jets(const rm2i_pullback_field *f, const rm2i_output_part *part,
                              rm2i_jet_query query, double *work) {
    query.stride = f->posterior->gp.M;
    if (!kronecker(f))
        query.trace = query.trace_slope = NULL;
    if (part->traces)
        return rm2i_jets(part->traces, &query, work);
    flat_jets(part, query.stride, &query);
    return RM2_OK;
}

size_t rm2i_pullback_jets_work(const rm2i_pullback_field *f, size_t points, size_t count,
                               size_t directions) {
    return f->all.traces ? rm2i_jets_work(f->all.traces, points, count, directions) : 0;
}

/* Of squared norms, in the order of metric_norms. */
typedef struct weights_scratch {
    double *by_vector, *work;
} weights_scratch;

static void lay_out_weights(weights_scratch *s, const rm2i_pullback_field *f, size_t directions,
                            rm2i_arena *a) {
    s->by_vector = rm2i_reserve(a, double, kronecker(f) ? 0 : f->posterior->gp.M, directions);
    s->work = rm2i_reserve(a, double, kronecker(f) ? 0 : rm2i_pullback_manifold_work(f));
}

size_t rm2i_pullback_weights_work(const rm2i_pullback_field *f, size_t directions) {
    weights_scratch s;
    rm2i_arena a = {NULL, 0};
    lay_out_weights(&s, f, directions, &a);
    return a.used;
}

/* w_m = p_m^T Gc p_m, dw[d][m] = p_m^T dGc[z_d] p_m */
static rm2_status squared_norms(const rm2i_pullback_field *f, const rm2i_output_part *part,
                                const rm2i_jet_query *q, size_t i, double *w, double *dw,
                                double *work) {
    size_t M = f->posterior->gp.M, directions = q->directions;
    weights_scratch s;
    lay_out_weights(&s, f, directions, &(rm2i_arena){work, 0});
    const rm2_norms_query norms = {.count = M,
                                   .W = part->Pt,
                                   .directions = directions,
                                   .Z = directions ? q->Z + i * directions * M : NULL,
                                   .stride = M,
                                   .value = w,
                                   .derivative = s.by_vector};
    if (f->manifold)
        RM2_TRY(rm2i_manifold_metric_norms(f->manifold, q->c + i * M, &norms, s.work, NULL));
    for (size_t m = 0; m < M; m++) {
        if (!f->manifold)
            w[m] = rm2i_dot(M, part->Pt + m * M, part->Pt + m * M);
        for (size_t d = 0; d < directions; d++)
            dw[d * M + m] = f->manifold ? s.by_vector[m * directions + d] : 0;
    }
    return RM2_OK;
}

rm2_status rm2i_pullback_weights(const rm2i_pullback_field *f, const rm2i_output_part *part,
                                 const rm2i_jet_query *q, size_t i, double *w, double *dw,
                                 double *work) {
    if (!kronecker(f))
        return squared_norms(f, part, q, i, w, dw, work);
    *w = q->trace[i];
    for (size_t d = 0; d < q->directions; d++)
        dw[d] = q->trace_slope[i * q->directions + d];
    return RM2_OK;
}

/* ---- one point ------------------------------------------------------------------------------ */

/* Points from `first` on: mean outputs, their Jacobians as vectors and, with derivatives, directions. */
typedef struct together {
    const rm2i_moments *moments;
    size_t first, count;
    bool derivative;
} together;

static rm2i_jet_query query_of(const rm2i_pullback_field *f, const together *t,
                               const point_scratch *s, const ambient_jets *j) {
    size_t Q = f->posterior->gp.Q, M = f->posterior->gp.M;
    const double *J = t->moments->J + t->first * Q * M;
    return (rm2i_jet_query){.points = t->count,
                            .c = s->c,
                            .count = Q,
                            .W = J,
                            .directions = t->derivative ? Q : 0,
                            .Z = J,
                            .stride = M,
                            .GW = t->derivative ? j->GJ : NULL,
                            .inner = j->inner,
                            .slope = j->slope,
                            .trace = j->trace,
                            .trace_slope = j->trace_slope};
}

/* dE[t] = dJ^T Gc J + J^T Gc dJ + J^T dGc[J_t] J at point k of those together */
static void mean_derivative(const rm2i_pullback_field *f, const together *at, size_t k,
                            const ambient_jets *j, double *dE) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    const double *dJ = at->moments->dJ + (at->first + k) * rm2i_pairs(Q) * M;
    const double *GJ = j->GJ + k * Q * M, *slope = j->slope + k * Q * Q * Q;
    for (size_t t = 0; t < Q; t++)
        for (size_t r = 0; r < Q; r++)
            for (size_t q = 0; q <= r; q++)
                dE[(t * Q + r) * Q + q] = dE[(t * Q + q) * Q + r] =
                    rm2i_dot(M, dJ + rm2i_pair(Q, r, t) * M, GJ + q * M) +
                    rm2i_dot(M, GJ + r * M, dJ + rm2i_pair(Q, q, t) * M) +
                    slope[(t * Q + r) * Q + q];
}

/* E and, with derivatives, dE at point k of those together, with a part of the outputs only:
 * J^T Gc J + w sum_m (p_m^T Gc p_m) R_m. */
static rm2_status expected(const rm2i_pullback_field *f, const rm2i_output_part *part,
                           const together *at, size_t k, const ambient_jets *j, point_scratch *s,
                           double *E, double *dE) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q, i = at->first + k;
    const double *J = at->moments->J + i * Q * M, *GJ = j->GJ + k * Q * M;
    const rm2i_jet_query query = query_of(f, at, s, j);
    for (size_t r = 0; r < Q; r++)
        for (size_t q = 0; q <= r; q++)
            E[r * Q + q] = E[q * Q + r] =
                at->derivative ? rm2i_dot(M, J + r * M, GJ + q * M) : j->inner[(k * Q + r) * Q + q];
    RM2_TRY(rm2i_pullback_weights(f, part, &query, k, s->w, s->dw, s->work));
    rm2i_moments_covariance(at->moments, i, s->w, s->dw, s->R, dE ? s->dR : NULL);
    rm2i_axpy(Q * Q, f->weight, s->R, E);
    if (!dE)
        return RM2_OK;
    mean_derivative(f, at, k, j, dE);
    rm2i_axpy(Q * Q * Q, f->weight, s->dR, dE);
    return RM2_OK;
}

/* c(y) - 1 at the decoded point, in the units of the data; leaves the gradient of c. */
static rm2_status cost_at(const rm2i_pullback_field *f, const double *c, point_scratch *s,
                          double *excess) {
    const rm2_model *m = f->model;
    size_t D = ambient_of(f);
    if (f->manifold)
        RM2_TRY(rm2i_manifold_exp(m->manifold, m->frame, c, s->y, s->cost, NULL));
    else
        memcpy(s->y, c, D * sizeof *s->y);
    rm2_data_unscale(m->data, 1, s->y);
    memset(s->gradient, 0, D * sizeof *s->gradient);
    double cost;
    RM2_TRY(f->cost.at(f->cost.user, s->y, &cost, s->gradient));
    *excess = cost - 1;
    return cost > 0 ? RM2_OK : RM2_ERR_DOMAIN;
}

/* dc/dx_t = grad c . (scale dExp J_t) */
static rm2_status cost_slope(const rm2i_pullback_field *f, const double *c, const double *Jt,
                             point_scratch *s, double *slope) {
    const rm2_model *m = f->model;
    size_t D = ambient_of(f);
    if (f->manifold)
        RM2_TRY(rm2i_manifold_dexp(m->manifold, m->frame, c, Jt, s->moved, s->cost, NULL));
    else
        memcpy(s->moved, Jt, D * sizeof *s->moved);
    rm2_data_unscale(m->data, 1, s->moved);
    *slope = rm2i_dot(D, s->gradient, s->moved);
    return RM2_OK;
}

/* G += (c - 1) E', dG_t += (c - 1) dE'_t + dc_t E'; E' is G itself where all factors are meant. */
static rm2_status add_cost(const rm2i_pullback_field *f, const together *at, size_t k,
                           point_scratch *s, double *G, double *dG) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    const double *c = s->c + k * M, *J = at->moments->J + (at->first + k) * Q * M;
    double excess, slope;
    if (f->costly.Pt) {
        RM2_TRY(expected(f, &f->costly, at, k, &s->costly, s, s->part, dG ? s->d_part : NULL));
    } else {
        memcpy(s->part, G, Q * Q * sizeof *G);
        if (dG)
            memcpy(s->d_part, dG, Q * Q * Q * sizeof *dG);
    }
    RM2_TRY(cost_at(f, c, s, &excess));
    rm2i_axpy(Q * Q, excess, s->part, G);
    for (size_t t = 0; dG && t < Q; t++) {
        RM2_TRY(cost_slope(f, c, J + t * M, s, &slope));
        rm2i_axpy(Q * Q, excess, s->d_part + t * Q * Q, dG + t * Q * Q);
        rm2i_axpy(Q * Q, slope, s->part, dG + t * Q * Q);
    }
    return RM2_OK;
}

/* ---- many points ---------------------------------------------------------------------------- */

/* The request at the points together. */
static rm2_status at_together(const rm2i_pullback_field *f, const together *at,
                              const rm2i_metric_request *r, point_scratch *s) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    for (size_t k = 0; k < at->count; k++)
        for (size_t m = 0; m < M; m++)
            s->c[k * M + m] = at->moments->f[(at->first + k) * M + m] + f->mean[m];
    RM2_TRY(rm2i_pullback_jets(f, &f->all, query_of(f, at, s, &s->all), s->work));
    if (f->costly.Pt)
        RM2_TRY(rm2i_pullback_jets(f, &f->costly, query_of(f, at, s, &s->costly), s->work));
    for (size_t k = 0; k < at->count; k++) {
        size_t i = at->first + k;
        double *G = r->G + i * Q * Q, *dG = r->dG ? r->dG + i * Q * Q * Q : NULL;
        RM2_TRY(expected(f, &f->all, at, k, &s->all, s, G, dG));
        if (f->cost.at)
            RM2_TRY(add_cost(f, at, k, s, G, dG));
    }
    if (!r->bend)
        return RM2_OK;
    const rm2i_bend_points points = {.moments = at->moments,
                                     .first = at->first,
                                     .count = at->count,
                                     .c = s->c,
                                     .v = r->v + at->first * Q,
                                     .dG = r->dG + at->first * Q * Q * Q};
    return rm2i_pullback_bend(f, &points, r->bend + at->first * Q * Q, s->bend);
}

static rm2_status at_points(const void *self, size_t count, const rm2i_metric_request *r,
                            double *work) {
    const rm2i_pullback_field *f = self;
    rm2i_metric_order order = rm2i_metric_order_of(r);
    point_scratch s;
    rm2i_moments mo;
    lay_out(&s, f, count, order, &(rm2i_arena){work, 0});
    rm2i_moments_at(f->posterior, count, r->x, r->v, moments_of(order), s.moments, &mo);
    for (size_t first = 0; first < count; first += TOGETHER) {
        size_t some = count - first < TOGETHER ? count - first : TOGETHER;
        const together at = {&mo, first, some, r->dG != NULL};
        RM2_TRY(at_together(f, &at, r, &s));
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
    f->all.Pt = rm2i_reserve(a, double, M, M);
    f->costly.Pt = one ? rm2i_reserve(a, double, M, M) : NULL;
}

/* The rows p_m on the part's coordinates, and what traces need of them. */
static rm2_status fill_part(rm2_context *ctx, const rm2i_pullback_field *f,
                            rm2i_output_part *part) {
    size_t M = f->posterior->gp.M;
    rm2i_transpose(M, f->posterior->Pf, part->Pt);
    restrict_to(part, M, M, part->Pt);
    return f->manifold
               ? rm2i_traces_create(ctx, f->manifold, part->from, part->to, part->Pt, &part->traces)
               : RM2_OK;
}

rm2_status rm2i_pullback_field_create(rm2_context *ctx, const rm2i_pullback_field *like,
                                      rm2i_pullback_field **field) {
    rm2i_pullback_field *f;
    *field = NULL;
    rm2_status status = rm2i_alloc(ctx, 1, sizeof *f, &f);
    if (status != RM2_OK) {
        rm2i_posterior_free(like->reduced);
        return status;
    }
    *f = *like;
    f->all = (rm2i_output_part){.from = 0, .to = f->posterior->gp.M};
    status = rm2i_arena_alloc(ctx, lay_out_field, f, &f->memory);
    if (status == RM2_OK)
        status = fill_part(ctx, f, &f->all);
    if (status == RM2_OK && f->costly.Pt)
        status = fill_part(ctx, f, &f->costly);
    if (status != RM2_OK) {
        rm2i_pullback_field_free(f);
        return status;
    }
    *field = f;
    return RM2_OK;
}

void rm2i_pullback_field_free(rm2i_pullback_field *f) {
    rm2i_posterior_free(f->reduced);
    rm2i_traces_free(f->all.traces);
    rm2i_traces_free(f->costly.traces);
    free(f->memory);
    free(f);
}

static void free_self(void *self) {
    rm2i_pullback_field_free(self);
}

/* The shortest lengthscale; a cost may change faster. */
static double scale(const void *self) {
    const rm2i_pullback_field *f = self;
    const rm2i_latent_kernel *kernel = &f->posterior->gp.kernel;
    double least = INFINITY;
    for (size_t q = 0; q < kernel->dim; q++)
        least = fmin(least, kernel->lengthscale[q]);
    return f->cost.at ? 0 : least;
}

static const rm2i_metric_type pullback_type = {
    .work = work_size,
    .at = at_points,
    .can_bend = can_bend,
    .scale = scale,
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
