/* Jacobian moments: kernel vectors of all points, then matrix products and solves on all of them. */
#include "gp/moments.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "base/clones.h"
#include "linalg/dense.h"
#include "linalg/factor.h"
#include "linalg/serial.h"

static bool kronecker(const rm2i_posterior *p) {
    return p->gp.noise_kind == RM2_NOISE_KRONECKER;
}

static void lay_out(rm2i_moments *mo, const rm2i_posterior *p, size_t count, rm2i_moment_kind kind,
                    rm2i_arena *a) {
    size_t n = p->n, M = p->gp.M, Q = p->gp.Q, T = rm2i_pairs(Q);
    size_t covariance = kind != RM2I_MOMENT_MEAN ? count : 0;
    size_t derivative = kind >= RM2I_MOMENT_DERIVATIVE ? count : 0;
    size_t bend = kind == RM2I_MOMENT_BEND ? count : 0;
    *mo = (rm2i_moments){.p = p};
    mo->f = rm2i_reserve(a, double, count, M);
    mo->J = rm2i_reserve(a, double, count, Q, M);
    mo->dJ = rm2i_reserve(a, double, derivative, T, M);
    mo->H = rm2i_reserve(a, double, derivative, T, n);
    mo->U = rm2i_reserve(a, double, covariance, Q, n);
    mo->S = rm2i_reserve(a, double, derivative, kronecker(p) ? Q : T, n);
    mo->c = rm2i_reserve(a, double, kronecker(p) ? 0 : 1 + Q, n);
    mo->prior = rm2i_reserve(a, double, Q);
    mo->pU = rm2i_reserve(a, double, bend, Q, n);
    mo->pV = rm2i_reserve(a, double, bend, Q, n);
    mo->row = rm2i_reserve(a, double, bend ? 2 : 0, n);
    mo->pp = rm2i_reserve(a, double, bend, T, n);
    mo->ddJ = rm2i_reserve(a, double, bend, T, M);
    mo->k = rm2i_reserve(a, double, count, n);
    mo->dk = rm2i_reserve(a, double, count, Q, n);
}

size_t rm2i_moments_work(const rm2i_posterior *p, size_t count, rm2i_moment_kind kind) {
    rm2i_moments mo;
    rm2i_arena a = {NULL, 0};
    lay_out(&mo, p, count, kind, &a);
    return a.used;
}

/* out (rows x M) = vectors (rows x n) C^T */
static void project(const rm2i_posterior *p, size_t rows, const double *vectors, double *out) {
    int n = (int)p->n, M = (int)p->gp.M;
    rm2i_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, M, n, 1, vectors, n, p->C, n, 0,
               out, M);
}

bool rm2i_moments_can_bend(const rm2i_posterior *p) {
    rm2_latent_kind kind = p->gp.kernel.kind;
    return kronecker(p) && (kind == RM2_LATENT_SE || kind == RM2_LATENT_LINEAR);
}

static void bend_at(const rm2i_posterior *p, size_t count, const double *x, const double *v,
                    rm2i_moments *mo) {
    size_t n = p->n, Q = p->gp.Q, T = rm2i_pairs(Q);
    for (size_t i = 0; i < count; i++) {
        const rm2i_latent_along along = {.v = v + i * Q,
                                         .d = mo->dk + i * Q * n,
                                         .h = mo->H + i * T * n,
                                         .p = mo->pU + i * Q * n,
                                         .pp = mo->pp + i * T * n};
        rm2i_latent_cross_along(&p->gp.kernel, n, p->Z, x + i * Q, &along);
    }
    if (p->inverse) {
        rm2i_posterior_solve(p, count * Q, mo->pU, mo->pV);
    } else {
        rm2i_posterior_reduce(p, count * Q, mo->pU, mo->pV);
        mo->pU = mo->pV;
    }
    project(p, count * T, mo->pp, mo->ddJ);
}

void rm2i_moments_at(const rm2i_posterior *p, size_t count, const double *x, const double *v,
                     rm2i_moment_kind kind, double *work, rm2i_moments *mo) {
    size_t n = p->n, Q = p->gp.Q, T = rm2i_pairs(Q);
    lay_out(mo, p, count, kind, &(rm2i_arena){work, 0});
    double *k = mo->k, *dk = mo->dk;
    rm2i_latent_derivative_variance(&p->gp.kernel, mo->prior);
    for (size_t i = 0; i < count; i++)
        if (kind >= RM2I_MOMENT_DERIVATIVE)
            rm2i_latent_cross_hessian(&p->gp.kernel, n, p->Z, x + i * Q, k + i * n, dk + i * Q * n,
                                      mo->H + i * T * n);
        else
            rm2i_latent_cross_gradient(&p->gp.kernel, n, p->Z, x + i * Q, k + i * n,
                                       dk + i * Q * n);
    project(p, count, k, mo->f);      /* f = C k */
    project(p, count * Q, dk, mo->J); /* J = C dk */
    if (kind == RM2I_MOMENT_MEAN)
        return;
    mo->V = mo->U;
    if (p->inverse) {
        rm2i_posterior_solve(p, count * Q, dk, mo->V);
        mo->S = mo->V;
        mo->U = dk;
    } else {
        rm2i_posterior_reduce(p, count * Q, dk, mo->U);
    }
    if (kind < RM2I_MOMENT_DERIVATIVE)
        return;
    project(p, count * T, mo->H, mo->dJ); /* dJ = C H */
    if (!kronecker(p))
        rm2i_posterior_reduce(p, count * T, mo->H, mo->S);
    else if (!p->inverse)
        rm2i_posterior_restore(p, count * Q, mo->U, mo->S); /* S = A^-1 dk */
    if (kind == RM2I_MOMENT_BEND)
        bend_at(p, count, x, v, mo);
}

/* ---- sum of w_m R_m ------------------------------------------------------------------------- */

size_t rm2i_moments_weights(const rm2i_posterior *p) {
    return kronecker(p) ? 1 : p->gp.M;
}

/* R[r][s] = prior - U_r.V_s, times the weight; dR by the product rule with
 * d(U_r.V_s)/dx_t = H_rt.S_s + S_r.H_st. */
RM2I_AVX2_CLONES
static void kronecker_covariance(const rm2i_moments *mo, size_t i, double weight,
                                 const double *d_weight, double *R, double *dR) {
    size_t n = mo->p->n, Q = mo->p->gp.Q, T = rm2i_pairs(Q);
    const double *U = mo->U + i * Q * n, *V = mo->V + i * Q * n;
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s <= r; s++) {
            double sigma = (r == s ? mo->prior[r] : 0) - rm2i_dot(n, U + r * n, V + s * n);
            R[r * Q + s] = R[s * Q + r] = sigma;
        }
    for (size_t t = 0; dR && t < Q; t++) {
        const double *S = mo->S + i * Q * n, *H = mo->H + i * T * n;
        for (size_t r = 0; r < Q; r++)
            for (size_t s = 0; s <= r; s++) {
                double d = rm2i_dot(n, H + rm2i_pair(Q, r, t) * n, S + s * n) +
                           rm2i_dot(n, S + r * n, H + rm2i_pair(Q, s, t) * n);
                dR[(t * Q + r) * Q + s] = dR[(t * Q + s) * Q + r] =
                    d_weight[t] * R[r * Q + s] - weight * d;
            }
    }
    for (size_t k = 0; k < Q * Q; k++)
        R[k] *= weight;
}

/* c_n = sum_m w_m l_m^2/(l_m o_n + 1); returns w.l */
static double gather_weights(const rm2i_posterior *p, const double *w, double *c) {
    double scale = 0;
    memset(c, 0, p->n * sizeof *c);
    for (size_t m = 0; m < p->gp.M; m++) {
        double l = p->l[m], wl2 = w[m] * l * l;
        scale += w[m] * l;
        for (size_t k = 0; k < p->n; k++)
            c[k] += wl2 / (l * p->o[k] + 1);
    }
    return scale;
}

static double weighted_dot(size_t n, const double *c, const double *a, const double *b) {
    double sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += c[k] * a[k] * b[k];
    return sum;
}

static void per_output_covariance(const rm2i_moments *mo, size_t i, const double *w,
                                  const double *dw, double *R, double *dR) {
    const rm2i_posterior *p = mo->p;
    size_t n = p->n, M = p->gp.M, Q = p->gp.Q, T = rm2i_pairs(Q);
    const double *Z = mo->U + i * Q * n, *ZH = mo->S + i * T * n;
    double *c = mo->c, *dc = mo->c + n, scale = gather_weights(p, w, c);
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s <= r; s++)
            R[r * Q + s] = R[s * Q + r] =
                (r == s ? scale * mo->prior[r] : 0) - weighted_dot(n, c, Z + r * n, Z + s * n);
    for (size_t t = 0; dR && t < Q; t++) {
        double d_scale = gather_weights(p, dw + t * M, dc);
        for (size_t r = 0; r < Q; r++)
            for (size_t s = 0; s <= r; s++)
                dR[(t * Q + r) * Q + s] = dR[(t * Q + s) * Q + r] =
                    (r == s ? d_scale * mo->prior[r] : 0) -
                    weighted_dot(n, dc, Z + r * n, Z + s * n) -
                    weighted_dot(n, c, ZH + rm2i_pair(Q, r, t) * n, Z + s * n) -
                    weighted_dot(n, c, Z + r * n, ZH + rm2i_pair(Q, s, t) * n);
    }
}

void rm2i_moments_covariance(const rm2i_moments *mo, size_t i, const double *w, const double *dw,
                             double *R, double *dR) {
    if (kronecker(mo->p))
        kronecker_covariance(mo, i, *w, dw, R, dR);
    else
        per_output_covariance(mo, i, w, dw, R, dR);
}

/* ---- along a direction ---------------------------------------------------------------------- */

/* out = sum_r v_r rows_r */
static void combine_rows(size_t Q, size_t n, const double *v, const double *rows, double *out) {
    memset(out, 0, n * sizeof *out);
    for (size_t r = 0; r < Q; r++)
        rm2i_axpy(n, v[r], rows + r * n, out);
}

/* With p = dk v: v^T R v = prior - |p|^2, slopes -2 p.p_t, second -2 (p_t.p_s + p.p_ts), products those of
 * A^-1. */
RM2I_AVX2_CLONES
static void along(const rm2i_moments *mo, size_t i, const double *v, double *value, double *slope,
                  double *second) {
    size_t n = mo->p->n, Q = mo->p->gp.Q, T = rm2i_pairs(Q);
    const double *pU = mo->pU + i * Q * n, *pV = mo->pV + i * Q * n;
    double *p = mo->row, *other = p + n;
    combine_rows(Q, n, v, mo->U + i * Q * n, p);
    combine_rows(Q, n, v, mo->V + i * Q * n, other);
    *value = -rm2i_dot(n, p, other);
    for (size_t q = 0; q < Q; q++)
        *value += mo->prior[q] * v[q] * v[q];
    for (size_t t = 0; t < Q; t++)
        slope[t] = -2 * rm2i_dot(n, p, pV + t * n);
    combine_rows(Q, n, v, mo->S + i * Q * n, p);
    for (size_t t = 0; t < Q; t++)
        for (size_t s = t; s < Q; s++) {
            size_t k = rm2i_pair(Q, t, s);
            second[k] = -2 * (rm2i_dot(n, pU + t * n, pV + s * n) +
                              rm2i_dot(n, p, mo->pp + (i * T + k) * n));
        }
}

void rm2i_moments_along(const rm2i_moments *mo, size_t i, const double *v, double *value,
                        double *slope, double *second) {
    along(mo, i, v, value, slope, second);
}

/* ---- single rows and the far field ---------------------------------------------------------- */

/* sum_r a_r U_r, entry k, at point i */
static double combine(const rm2i_moments *mo, const double *U, size_t i, const double *a,
                      size_t k) {
    size_t n = mo->p->n, Q = mo->p->gp.Q;
    double sum = 0;
    for (size_t r = 0; r < Q; r++)
        sum += a[r] * U[(i * Q + r) * n + k];
    return sum;
}

void rm2i_moments_each(const rm2i_moments *mo, size_t i, const double *a, const double *b,
                       double *value) {
    const rm2i_posterior *p = mo->p;
    double prior = 0, sum = 0;
    for (size_t r = 0; r < p->gp.Q; r++)
        prior += a[r] * b[r] * mo->prior[r];
    for (size_t m = 0; m < p->gp.M; m++)
        value[m] = kronecker(p) ? prior : p->l[m] * prior;
    for (size_t k = 0; k < p->n; k++) {
        double product = combine(mo, mo->U, i, a, k) * combine(mo, mo->V, i, b, k);
        sum += product;
        for (size_t m = 0; !kronecker(p) && m < p->gp.M; m++)
            value[m] -= p->l[m] * p->l[m] * product / (p->l[m] * p->o[k] + 1);
    }
    for (size_t m = 0; kronecker(p) && m < p->gp.M; m++)
        value[m] -= sum;
}

double rm2i_moments_far_trace(const rm2i_moments *mo, const double *w) {
    const rm2i_posterior *p = mo->p;
    double weight = kronecker(p) ? *w : rm2i_dot(p->gp.M, w, p->l), trace = 0;
    for (size_t q = 0; q < p->gp.Q; q++)
        trace += mo->prior[q];
    return weight * trace;
}
