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
#include <stdio.h>
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
    size_t cost = f->cost.at ? f->model->manifold->work_size : 0;
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

/* w_m = p_m^T Gc p_m and dw_m along the rows of J, for the rows of Pt. */
static rm2_status weights(const rm2i_pullback_field *f, const double *Pt, const double *J,
                          bool derivative, point_scratch *s) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q, directions = derivative ? Q : 0;
    if (!f->manifold) {
        for (size_t m = 0; m < M; m++)
            s->w[m] = rm2i_dot(M, Pt + m * M, Pt + m * M);
        memset(s->dw, 0, Q * M * sizeof *s->dw);
        return RM2_OK;
    }
    RM2_TRY(rm2i_manifold_metric_norms(f->manifold, s->c, M, Pt, directions, J, s->w, s->by_vector,
                                       s->work, NULL));
    for (size_t m = 0; m < M; m++)
        for (size_t t = 0; t < directions; t++)
            s->dw[t * M + m] = s->by_vector[m * Q + t];
    return RM2_OK;
}

/* Keep the coordinates from..to of `count` vectors only. */
static void restrict_to(size_t M, size_t from, size_t to, size_t count, double *W) {
    for (size_t k = 0; k < count; k++) {
        memset(W + k * M, 0, from * sizeof *W);
        memset(W + k * M + to, 0, (M - to) * sizeof *W);
    }
}

/* ---- one point ------------------------------------------------------------------------------ */

/* dE[t] = dJ^T Gc J + J^T Gc dJ + J^T dGc[J_t] J; s->GJ is there. */
static rm2_status mean_derivative(const rm2i_pullback_field *f, const rm2i_moments *mo, size_t i,
                                  size_t from, size_t to, point_scratch *s, double *dE) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    const double *J = mo->J + i * Q * M, *dJ = mo->dJ + i * Q * (Q + 1) / 2 * M;
    for (size_t t = 0; t < Q; t++) {
        if (f->manifold)
            RM2_TRY(rm2i_manifold_metric_derivative(f->manifold, s->c, J + t * M, Q, J, s->dGJ,
                                                    s->work, NULL));
        else
            memset(s->dGJ, 0, Q * M * sizeof *s->dGJ);
        restrict_to(M, from, to, Q, s->dGJ);
        for (size_t r = 0; r < Q; r++)
            for (size_t q = 0; q <= r; q++)
                dE[(t * Q + r) * Q + q] = dE[(t * Q + q) * Q + r] =
                    rm2i_dot(M, dJ + rm2i_pair(Q, r, t) * M, s->GJ + q * M) +
                    rm2i_dot(M, s->GJ + r * M, dJ + rm2i_pair(Q, q, t) * M) +
                    rm2i_dot(M, J + r * M, s->dGJ + q * M);
    }
    return RM2_OK;
}

/* E and dE (unless NULL) at point i with Gc restricted to the coordinates from..to. */
static rm2_status expected(const rm2i_pullback_field *f, const rm2i_moments *mo, size_t i,
                           size_t from, size_t to, const double *Pt, point_scratch *s, double *E,
                           double *dE) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    const double *J = mo->J + i * Q * M;
    RM2_TRY(rm2i_pullback_ambient(f, s->c, Q, J, s->GJ, s->work));
    restrict_to(M, from, to, Q, s->GJ);
    for (size_t r = 0; r < Q; r++)
        for (size_t q = 0; q <= r; q++)
            E[r * Q + q] = E[q * Q + r] = rm2i_dot(M, J + r * M, s->GJ + q * M);
    if (dE)
        RM2_TRY(mean_derivative(f, mo, i, from, to, s, dE));
    RM2_TRY(weights(f, Pt, J, dE != NULL, s));
    rm2i_moments_covariance(mo, i, s->w, s->dw, s->R, dE ? s->dR : NULL);
    rm2i_axpy(Q * Q, f->weight, s->R, E);
    if (dE)
        rm2i_axpy(Q * Q * Q, f->weight, s->dR, dE);
    return RM2_OK;
}

/* c(y) - 1 at the decoded point, in the units of the data, and its derivatives by x. */
static rm2_status cost_at(const rm2i_pullback_field *f, const double *J, point_scratch *s,
                          double *excess, double *d_excess) {
    const rm2_model *m = f->model;
    size_t M = m->M, Q = m->Q, D = rm2_manifold_ambient(m->manifold);
    if (f->manifold)
        RM2_TRY(rm2i_manifold_exp(m->manifold, m->frame, s->c, s->y, s->work, NULL));
    else
        memcpy(s->y, s->c, D * sizeof *s->y);
    rm2i_model_scale(m, true, 1, s->y);
    memset(s->gradient, 0, D * sizeof *s->gradient);
    RM2_TRY(f->cost.at(f->cost.user, s->y, excess, s->gradient));
    if (!(*excess > 0))
        return RM2_ERR_DOMAIN;
    *excess -= 1;
    for (size_t t = 0; t < Q; t++) { /* grad c . (scale dExp J_t) */
        if (f->manifold)
            RM2_TRY(rm2i_manifold_dexp(m->manifold, m->frame, s->c, J + t * M, s->moved, s->work,
                                       NULL));
        else
            memcpy(s->moved, J + t * M, D * sizeof *s->moved);
        rm2i_model_scale(m, true, 1, s->moved);
        d_excess[t] = rm2i_dot(D, s->gradient, s->moved);
    }
    return RM2_OK;
}

/* G += (c - 1) E', dG_t += (c - 1) dE'_t + dc_t E'; E' is G itself where all factors are meant. */
static rm2_status add_cost(const rm2i_pullback_field *f, const rm2i_moments *mo, size_t i,
                           point_scratch *s, double *G, double *dG) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    const double *J = mo->J + i * Q * M;
    double excess, *d_excess = s->by_vector; /* Q of its M Q; free after the weights */
    if (f->Pt_cost) {
        RM2_TRY(expected(f, mo, i, f->from, f->to, f->Pt_cost, s, s->part, dG ? s->d_part : NULL));
    } else {
        memcpy(s->part, G, Q * Q * sizeof *G);
        if (dG)
            memcpy(s->d_part, dG, Q * Q * Q * sizeof *dG);
    }
    RM2_TRY(cost_at(f, J, s, &excess, d_excess));
    rm2i_axpy(Q * Q, excess, s->part, G);
    for (size_t t = 0; dG && t < Q; t++) {
        rm2i_axpy(Q * Q, excess, s->d_part + t * Q * Q, dG + t * Q * Q);
        rm2i_axpy(Q * Q, d_excess[t], s->part, dG + t * Q * Q);
    }
    return RM2_OK;
}

static rm2_status at_points(const void *self, size_t count, const double *x, double *G, double *dG,
                            double *work) {
    const rm2i_pullback_field *f = self;
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    point_scratch s = cut_scratch(f, work);
    rm2i_moments mo;
    rm2i_moments_at(f->posterior, count, x, dG ? RM2I_MOMENT_DERIVATIVE : RM2I_MOMENT_COVARIANCE,
                    work + scratch_size(f), &mo);
    for (size_t i = 0; i < count; i++) {
        double *Gi = G + i * Q * Q, *dGi = dG ? dG + i * Q * Q * Q : NULL;
        for (size_t k = 0; k < M; k++)
            s.c[k] = mo.f[i * M + k] + f->mean[k];
        RM2_TRY(expected(f, &mo, i, 0, M, f->Pt, &s, Gi, dGi));
        if (f->cost.at)
            RM2_TRY(add_cost(f, &mo, i, &s, Gi, dGi));
    }
    return RM2_OK;
}

static size_t work_size(const void *self, size_t count, bool derivative) {
    const rm2i_pullback_field *f = self;
    return scratch_size(f) +
           rm2i_moments_work(f->posterior, count,
                             derivative ? RM2I_MOMENT_DERIVATIVE : RM2I_MOMENT_COVARIANCE);
}

/* ---- the object ----------------------------------------------------------------------------- */

static void free_field(void *self) {
    rm2i_pullback_field *f = self;
    free(f->Pt);
    free(f);
}

static const rm2i_metric_type pullback_type = {
    .work = work_size, .at = at_points, .free = free_field, .block = 64};

rm2_status rm2i_pullback_create(rm2_context *ctx, const rm2i_pullback_field *like, const char *text,
                                rm2_metric **metric) {
    *metric = NULL;
    size_t M = like->posterior->gp.M;
    bool one = like->cost.at && like->cost.factor != RM2_ALL_FACTORS;
    rm2i_pullback_field *f;
    RM2_TRY(rm2i_alloc(ctx, 1, sizeof *f, &f));
    *f = *like;
    f->Pt = f->Pt_cost = NULL;
    rm2_status status = rm2i_alloc(ctx, (one ? 2 : 1) * M * M, sizeof *f->Pt, &f->Pt);
    if (status != RM2_OK) {
        free(f);
        return status;
    }
    rm2i_transpose(M, f->posterior->P, f->Pt);
    if (one) {
        f->Pt_cost = f->Pt + M * M;
        memcpy(f->Pt_cost, f->Pt, M * M * sizeof *f->Pt);
        restrict_to(M, f->from, f->to, M, f->Pt_cost);
    }
    return rm2i_metric_create(ctx, &pullback_type, f->posterior->gp.Q, f, text, metric);
}

rm2_status rm2i_pullback_of(rm2_context *ctx, const rm2_metric *metric,
                            const rm2i_pullback_field **field) {
    *field = metric->self;
    return metric->type == &pullback_type
               ? RM2_OK
               : rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "the %s is not random", metric->text);
}

double rm2_metric_weight(const rm2_metric *metric) {
    return metric->type == &pullback_type ? ((const rm2i_pullback_field *)metric->self)->weight : 1;
}
