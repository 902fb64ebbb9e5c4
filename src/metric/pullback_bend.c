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

/* What e_t is made of, at all points: everything moved along its derivative by x_s. */
typedef struct state {
    double *c, *u;   /* M */
    double *ct, *ut; /* Q x M: derivatives */
    double *rho;     /* 1 */
    double *rho_t;   /* Q */
} state;

typedef struct bend_scratch {
    state moved;
    double *rho, *slope, *second;          /* here: 1, Q and T */
    double *Gu, *du, *trace, *trace_slope; /* M, Q, 1, Q: of the ambient metric there */
    double *work;                          /* of the ambient metric */
} bend_scratch;

static void lay_out(bend_scratch *b, const rm2i_pullback_field *f, size_t count, rm2i_arena *a) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    b->moved.c = rm2i_reserve(a, double, count, M);
    b->moved.u = rm2i_reserve(a, double, count, M);
    b->moved.ct = rm2i_reserve(a, double, count, Q, M);
    b->moved.ut = rm2i_reserve(a, double, count, Q, M);
    b->moved.rho = rm2i_reserve(a, double, count);
    b->moved.rho_t = rm2i_reserve(a, double, count, Q);
    b->rho = rm2i_reserve(a, double, count);
    b->slope = rm2i_reserve(a, double, count, Q);
    b->second = rm2i_reserve(a, double, count, rm2i_pairs(Q));
    b->Gu = rm2i_reserve(a, double, count, M);
    b->du = rm2i_reserve(a, double, count, Q);
    b->trace = rm2i_reserve(a, double, count);
    b->trace_slope = rm2i_reserve(a, double, count, Q);
    b->work = rm2i_reserve(a, double, rm2i_pullback_jets_work(f, count, 1, Q));
}

size_t rm2i_pullback_bend_work(const rm2i_pullback_field *f, size_t count) {
    bend_scratch b;
    rm2i_arena a = {NULL, 0};
    lay_out(&b, f, count, &a);
    return a.used;
}

/* out = a + factor b */
static void add(size_t n, const double *a, double factor, const double *b, double *out) {
    for (size_t k = 0; k < n; k++)
        out[k] = a[k] + factor * b[k];
}

/* The state of point k with x_s moved by a step. */
static void move(const rm2i_bend_points *at, size_t k, size_t s, double step, bend_scratch *b) {
    const rm2i_moments *mo = at->moments;
    size_t M = mo->p->gp.M, Q = mo->p->gp.Q, T = rm2i_pairs(Q), i = at->first + k;
    const double *v = at->v + k * Q, *slope = b->slope + k * Q, *second = b->second + k * T;
    const double *J = mo->J + i * Q * M, *dJ = mo->dJ + i * T * M, *ddJ = mo->ddJ + i * T * M;
    double *u = b->moved.u + k * M;
    add(M, at->c + k * M, step, J + s * M, b->moved.c + k * M);
    b->moved.rho[k] = b->rho[k] + step * slope[s];
    memset(u, 0, M * sizeof *u);
    for (size_t t = 0; t < Q; t++) {
        size_t ts = rm2i_pair(Q, t, s);
        double *ct = b->moved.ct + (k * Q + t) * M;
        add(M, J + t * M, step, dJ + ts * M, ct);
        rm2i_axpy(M, v[t], ct, u); /* u = J v moves as J does */
        b->moved.rho_t[k * Q + t] = slope[t] + step * second[ts];
        double *ut = b->moved.ut + (k * Q + t) * M; /* u_t = sum_r v_r J_rt, and its derivative */
        for (size_t m = 0; m < M; m++)
            ut[m] = step * ddJ[ts * M + m];
        for (size_t r = 0; r < Q; r++)
            rm2i_axpy(M, v[r], dJ + rm2i_pair(Q, r, t) * M, ut);
    }
}

/* e_t of the state of point k. */
static double slope_of(const rm2i_pullback_field *f, const bend_scratch *b, size_t k, size_t t) {
    size_t M = f->posterior->gp.M, Q = f->posterior->gp.Q;
    const state *m = &b->moved;
    return 2 * rm2i_dot(M, m->ut + (k * Q + t) * M, b->Gu + k * M) + b->du[k * Q + t] +
           f->weight * (b->trace_slope[k * Q + t] * m->rho[k] + b->trace[k] * m->rho_t[k * Q + t]);
}

/* The ambient metric at the moved states. */
static rm2_status look(const rm2i_pullback_field *f, size_t count, const bend_scratch *b) {
    const rm2i_jet_query query = {.points = count,
                                  .c = b->moved.c,
                                  .count = 1,
                                  .W = b->moved.u,
                                  .directions = f->posterior->gp.Q,
                                  .Z = b->moved.ct,
                                  .GW = b->Gu,
                                  .slope = b->du,
                                  .trace = b->trace,
                                  .trace_slope = b->trace_slope};
    return rm2i_pullback_jets(f, &f->all, query, b->work);
}

rm2_status rm2i_pullback_bend(const rm2i_pullback_field *f, const rm2i_bend_points *at,
                              double *bend, double *work) {
    size_t Q = f->posterior->gp.Q;
    bend_scratch b;
    lay_out(&b, f, at->count, &(rm2i_arena){work, 0});
    for (size_t k = 0; k < at->count; k++)
        rm2i_moments_along(at->moments, at->first + k, at->v + k * Q, &b.rho[k], b.slope + k * Q,
                           b.second + k * rm2i_pairs(Q));
    for (size_t s = 0; s < Q; s++) {
        double step = STEP * f->posterior->gp.kernel.lengthscale[s];
        for (size_t k = 0; k < at->count; k++)
            move(at, k, s, step, &b);
        RM2_TRY(look(f, at->count, &b));
        for (size_t k = 0; k < at->count; k++)
            for (size_t t = 0; t < Q; t++) {
                const double *v = at->v + k * Q, *dG = at->dG + (k * Q + t) * Q * Q;
                double here = rm2i_metric_inner(Q, dG, v, v);
                bend[(k * Q + t) * Q + s] = (slope_of(f, &b, k, t) - here) / step;
            }
    }
    for (size_t k = 0; k < at->count; k++)
        rm2i_symmetrise(Q, bend + k * Q * Q);
    return RM2_OK;
}
