/* Second derivatives of e = v^T G v for a fixed v: all that Newton's method needs of them.
 *
 *   e = u^T Gc u + w tau rho,   u = J v,   tau = sum_m p_m^T Gc p_m,   rho = v^T R v   (Kronecker noise)
 *   e_t = 2 u_t^T Gc u + u^T dGc[c_t] u + w (tau_t rho + tau rho_t)
 *
 * The posterior's part is exact: c, u, rho with two derivatives by x each (moments.h). Those of Gc, which
 * has one, are by a difference: e_t where everything has moved along its derivative by x_s, less e_t here,
 * which is v^T dG_t v. No further evaluation of the posterior is needed. */
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "metric/pullback.h"

static const double STEP = 1e-5; /* in lengthscales: truncation 1e-5, rounding 1e-11 */

/* What e_t is made of. */
typedef struct state {
    double *c, *u;   /* M */
    double *ct, *ut; /* Q x M: derivatives */
    double rho;
    double *rho_t; /* Q */
} state;

typedef struct bend_scratch {
    state moved;
    double rho;             /* here */
    double *slope, *second; /* Q and T: its derivatives */
    double *e;              /* Q */
    double *Gu, *w, *dw;    /* M, M, M x Q */
    double *work;           /* of the manifold */
} bend_scratch;

static void lay_out(bend_scratch *b, const rm2i_pullback_field *f, rm2i_arena *a) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    b->moved.c = rm2i_take(a, double, M);
    b->moved.u = rm2i_take(a, double, M);
    b->moved.ct = rm2i_take(a, double, Q, M);
    b->moved.ut = rm2i_take(a, double, Q, M);
    b->moved.rho_t = rm2i_take(a, double, Q);
    b->slope = rm2i_take(a, double, Q);
    b->second = rm2i_take(a, double, rm2i_pairs(Q));
    b->e = rm2i_take(a, double, Q);
    b->Gu = rm2i_take(a, double, M);
    b->w = rm2i_take(a, double, M);
    b->dw = rm2i_take(a, double, M, Q);
    b->work = rm2i_take(a, double, rm2i_pullback_manifold_work(f));
}

size_t rm2i_pullback_bend_work(const rm2i_pullback_field *f) {
    bend_scratch b;
    rm2i_arena a = {NULL, 0};
    lay_out(&b, f, &a);
    return a.used;
}

/* out = a + factor b */
static void add(size_t n, const double *a, double factor, const double *b, double *out) {
    for (size_t k = 0; k < n; k++)
        out[k] = a[k] + factor * b[k];
}

/* The state with x_s moved by a step. */
static void move(const rm2i_bend_point *at, size_t s, double step, bend_scratch *b) {
    const rm2i_moments *mo = at->moments;
    size_t M = mo->p->gp.M, Q = mo->p->gp.Q, T = rm2i_pairs(Q), i = at->i;
    const double *v = at->v;
    const double *J = mo->J + i * Q * M, *dJ = mo->dJ + i * T * M, *ddJ = mo->ddJ + i * T * M;
    state *m = &b->moved;
    add(M, at->c, step, J + s * M, m->c);
    m->rho = b->rho + step * b->slope[s];
    memset(m->u, 0, M * sizeof *m->u);
    for (size_t t = 0; t < Q; t++) {
        size_t ts = rm2i_pair(Q, t, s);
        add(M, J + t * M, step, dJ + ts * M, m->ct + t * M);
        rm2i_axpy(M, v[t], m->ct + t * M, m->u); /* u = J v moves as J does */
        m->rho_t[t] = b->slope[t] + step * b->second[ts];
        double *ut = m->ut + t * M; /* u_t = sum_r v_r J_rt, and its derivative */
        for (size_t k = 0; k < M; k++)
            ut[k] = step * ddJ[ts * M + k];
        for (size_t r = 0; r < Q; r++)
            rm2i_axpy(M, v[r], dJ + rm2i_pair(Q, r, t) * M, ut);
    }
}

/* e_t of a state. */
static rm2_status slopes(const rm2i_pullback_field *f, bend_scratch *b) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    const state *m = &b->moved;
    double tau = 0;
    RM2_TRY(rm2i_pullback_ambient(f, m->c, 1, m->u, b->Gu, b->work));
    for (size_t t = 0; t < Q; t++)
        b->e[t] = 2 * rm2i_dot(M, m->ut + t * M, b->Gu);
    const rm2_product_query on_u = {1, m->u, b->Gu, M};
    for (size_t t = 0; f->manifold && t < Q; t++) {
        RM2_TRY(rm2i_manifold_metric_derivative(f->manifold, m->c, m->ct + t * M, &on_u, b->work,
                                                NULL));
        b->e[t] += rm2i_dot(M, m->u, b->Gu);
    }
    const rm2_norms_query query = {
        .W = f->all.Pt, .directions = Q, .Z = m->ct, .value = b->w, .derivative = b->dw};
    RM2_TRY(rm2i_pullback_weights(f, m->c, query, b->work));
    for (size_t k = 0; k < M; k++)
        tau += b->w[k];
    for (size_t t = 0; t < Q; t++) {
        double tau_t = 0;
        for (size_t k = 0; k < M; k++)
            tau_t += b->dw[k * Q + t];
        b->e[t] += f->weight * (tau_t * m->rho + tau * m->rho_t[t]);
    }
    return RM2_OK;
}

rm2_status rm2i_pullback_bend(const rm2i_pullback_field *f, const rm2i_bend_point *at, double *bend,
                              double *work) {
    size_t Q = f->posterior->gp.Q;
    bend_scratch b;
    lay_out(&b, f, &(rm2i_arena){work, 0});
    rm2i_moments_along(at->moments, at->i, at->v, &b.rho, b.slope, b.second);
    for (size_t s = 0; s < Q; s++) {
        double step = STEP * f->posterior->gp.kernel.lengthscale[s];
        move(at, s, step, &b);
        RM2_TRY(slopes(f, &b));
        for (size_t t = 0; t < Q; t++)
            bend[t * Q + s] =
                (b.e[t] - rm2i_metric_inner(Q, at->dG + t * Q * Q, at->v, at->v)) / step;
    }
    rm2i_symmetrise(Q, bend);
    return RM2_OK;
}
