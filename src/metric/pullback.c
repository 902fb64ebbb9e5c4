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
    double *work;                 /* of the manifold */
} point_scratch;

static size_t ambient_of(const rm2i_pullback_field *f) {
    return f->cost.at ? rm2_manifold_ambient(f->model->manifold) : 0;
}

static size_t manifold_work(const rm2i_pullback_field *f) {
    size_t own = f->manifold ? f->manifold->work_size : 0;
    size_t cost = f->cost.at ? f->model->manifold->work_size : rm2i_pullback_bend_work(f);
    return own > cost ? own : cost;
}

static size_t scratch_size(const rm2i_pullback_field *f) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    return 2 * M + 4 * Q * M + 2 * (Q * Q + Q * Q * Q) + 3 * ambient_of(f) + manifold_work(f);
}

static point_scratch cut_scratch(const rm2i_pullback_field *f, double *at) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q, D = ambient_of(f);
    point_scratch s;
    s.c = rm2i_cut(&at, M);
    s.w = rm2i_cut(&at, M);
    s.GJ = rm2i_cut(&at, Q * M);
    s.dGJ = rm2i_cut(&at, Q * M);
    s.dw = rm2i_cut(&at, Q * M);
    s.by_vector = rm2i_cut(&at, Q * M);
    s.R = rm2i_cut(&at, Q * Q);
    s.dR = rm2i_cut(&at, Q * Q * Q);
    s.part = rm2i_cut(&at, Q * Q);
    s.d_part = rm2i_cut(&at, Q * Q * Q);
    s.y = rm2i_cut(&at, D);
    s.gradient = rm2i_cut(&at, D);
    s.moved = rm2i_cut(&at, D);
    s.work = at;
    return s;
}

/* ---- the ambient metric --------------------------------------------------------------------- */

rm2_status rm2i_pullback_ambient(const rm2i_pullback_field *f, const double *c, size_t count,
                                 const double *W, double *out, double *work) {
    if (f->manifold)
        return rm2i_manifold_metric(f->manifold, c, count, W, out, work, NULL);
    memcpy(out, W, count * f->posterior->gp.M * sizeof *out);
    return RM2_OK;
}

rm2_status rm2i_pullback_weights(const rm2i_pullback_field *f, const double *c, const double *Pt,
                                 size_t directions, const double *Z, double *value,
                                 double *derivative, double *work) {
    size_t M = f->posterior->gp.M;
    if (f->manifold)
        return rm2i_manifold_metric_norms(f->manifold, c, M, Pt, directions, Z,
                                          f->posterior->gp.noise_kind == RM2_NOISE_KRONECKER, value,
                                          derivative, work, NULL);
    for (size_t m = 0; m < M; m++)
        value[m] = rm2i_dot(M, Pt + m * M, Pt + m * M);
    for (size_t k = 0; k < M * directions; k++)
        derivative[k] = 0;
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
    for (size_t t = 0; t < Q; t++) {
        if (f->manifold)
            RM2_TRY(rm2i_manifold_metric_derivative(f->manifold, s->c, J + t * M, Q, J, s->dGJ,
                                                    s->work, NULL));
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
    RM2_TRY(rm2i_pullback_weights(f, s->c, part->Pt, directions, mo->J + i * Q * M, s->w,
                                  s->by_vector, s->work));
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
        RM2_TRY(rm2i_manifold_exp(m->manifold, m->frame, s->c, s->y, s->work, NULL));
    else
        memcpy(s->y, s->c, D * sizeof *s->y);
    rm2i_model_scale(m, true, 1, s->y);
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
        RM2_TRY(rm2i_manifold_dexp(m->manifold, m->frame, s->c, Jt, s->moved, s->work, NULL));
    else
        memcpy(s->moved, Jt, D * sizeof *s->moved);
    rm2i_model_scale(m, true, 1, s->moved);
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

static rm2i_moment_kind moments_of(rm2i_metric_order order) {
    return order == RM2I_ORDER_VALUE        ? RM2I_MOMENT_COVARIANCE
           : order == RM2I_ORDER_DERIVATIVE ? RM2I_MOMENT_DERIVATIVE
                                            : RM2I_MOMENT_BEND;
}

static rm2_status evaluate(const rm2i_pullback_field *f, rm2i_metric_order order, size_t count,
                           const double *x, const double *v, double *G, double *dG, double *bend,
                           double *work) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    point_scratch s = cut_scratch(f, work);
    rm2i_moments mo;
    rm2i_moments_at(f->posterior, count, x, v, moments_of(order), work + scratch_size(f), &mo);
    for (size_t i = 0; i < count; i++) {
        double *Gi = G + i * Q * Q, *dGi = dG ? dG + i * Q * Q * Q : NULL;
        for (size_t k = 0; k < M; k++)
            s.c[k] = mo.f[i * M + k] + f->mean[k];
        RM2_TRY(expected(f, &f->all, &mo, i, &s, Gi, dGi));
        if (f->cost.at)
            RM2_TRY(add_cost(f, &mo, i, &s, Gi, dGi));
        if (bend)
            RM2_TRY(rm2i_pullback_bend(f, &mo, i, s.c, v + i * Q, dGi, bend + i * Q * Q, s.work));
    }
    return RM2_OK;
}

static rm2_status at_points(const void *self, size_t count, const double *x, double *G, double *dG,
                            double *work) {
    return evaluate(self, dG ? RM2I_ORDER_DERIVATIVE : RM2I_ORDER_VALUE, count, x, NULL, G, dG,
                    NULL, work);
}

static bool can_bend(const void *self) {
    const rm2i_pullback_field *f = self;
    return !f->cost.at && rm2i_moments_can_bend(f->posterior);
}

static rm2_status bend_at_points(const void *self, size_t count, const double *x, const double *v,
                                 double *G, double *dG, double *bend, double *work) {
    return evaluate(self, RM2I_ORDER_BEND, count, x, v, G, dG, bend, work);
}

static size_t work_size(const void *self, size_t count, rm2i_metric_order order) {
    const rm2i_pullback_field *f = self;
    return scratch_size(f) + rm2i_moments_work(f->posterior, count, moments_of(order));
}

/* ---- the object ----------------------------------------------------------------------------- */

rm2_status rm2i_pullback_field_create(rm2_context *ctx, const rm2i_pullback_field *like,
                                      rm2i_pullback_field **field) {
    size_t M = like->posterior->gp.M;
    bool one = like->cost.at && like->cost.factor != RM2_ALL_FACTORS;
    rm2i_pullback_field *f;
    double *memory = NULL;
    *field = NULL;
    rm2_status status = rm2i_alloc(ctx, 1, sizeof *f, &f);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, (one ? 2 : 1) * M * M, sizeof *memory, &memory);
    if (status != RM2_OK) {
        rm2i_posterior_free(like->reduced);
        free(f);
        return status;
    }
    *f = *like;
    f->all = (rm2i_output_part){0, M, memory};
    f->costly.Pt = one ? memory + M * M : NULL;
    rm2i_transpose(M, f->posterior->P, f->all.Pt);
    if (one) {
        memcpy(f->costly.Pt, f->all.Pt, M * M * sizeof *memory);
        restrict_to(&f->costly, M, M, f->costly.Pt);
    }
    *field = f;
    return RM2_OK;
}

void rm2i_pullback_field_free(rm2i_pullback_field *f) {
    rm2i_posterior_free(f->reduced);
    free(f->all.Pt);
    free(f);
}

static void free_self(void *self) {
    rm2i_pullback_field_free(self);
}

static const rm2i_metric_type pullback_type = {
    .work = work_size,
    .at = at_points,
    .can_bend = can_bend,
    .bend = bend_at_points,
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
