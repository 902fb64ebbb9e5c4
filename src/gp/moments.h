/* Moments of the decoder's Jacobian at many points at once: all that a metric needs of a model.
 *
 * The tangent field's Jacobian is Gaussian: mean J (Q rows of M), and P^-1 J has independent rows m
 * with covariance R_m (Q x Q). For weights w_m = p_m^T G p_m the expected metric needs sum w_m R_m:
 *   Kronecker noise:  R_m = d2K - dK^T A^-1 dK, the same for all m
 *   per-output noise: sum w_m R_m = (w.l) d2K - Z^T diag(c) Z,  c_n = sum_m w_m l_m^2/(l_m o_n + 1)
 * with Z = V dK. Derivatives by x_t put the kernel's second derivatives H_t in place of dK. */
#ifndef RM2I_MOMENTS_H
#define RM2I_MOMENTS_H

#include "gp/posterior.h"

typedef enum rm2i_moment_kind {
    RM2I_MOMENT_MEAN,       /* f and J only */
    RM2I_MOMENT_COVARIANCE, /* and sum w_m R_m */
    RM2I_MOMENT_DERIVATIVE, /* and the derivatives of all by x */
    RM2I_MOMENT_BEND        /* and second derivatives of J v and v^T R v: SE, Kronecker noise */
} rm2i_moment_kind;

/* Everything lies in the caller's scratch. T = Q (Q + 1)/2 pairs r <= s. */
typedef struct rm2i_moments {
    const rm2i_posterior *p;
    double *f;  /* count x M */
    double *J;  /* count x Q x M: row r is df/dx_r */
    double *dJ; /* count x T x M: d2f/dx_r dx_s */
    double *H;  /* count x T x n: d2k/dx_r dx_s */
    double *U,
        *V;    /* count x Q x n: U.V stands for dk^T A^-1 dk; dk reduced both, or dk and A^-1 dk */
    double *S; /* Kronecker: A^-1 dk, count x Q x n; per output: H reduced, count x T x n */
    double *c; /* per output: (1 + Q) x n */
    double *prior; /* Q: d2K */
    /* along v, p = dk v: */
    double *pU, *pV; /* count x Q x n: as U and V, of dp/dx_t */
    double *pp;      /* count x T x n: d2p/dx_t dx_s */
    double *ddJ;     /* count x T x M: C pp = d2(J v)/dx_t dx_s */
    double *row;     /* 2 x n: scratch */
    double *k, *dk;  /* count x n, count x Q x n: kernel vectors and their derivatives */
} rm2i_moments;

size_t rm2i_moments_work(const rm2i_posterior *p, size_t count, rm2i_moment_kind kind);
/* v (count x Q) is for RM2I_MOMENT_BEND, which rm2i_moments_can_bend must allow; else NULL. */
void rm2i_moments_at(const rm2i_posterior *p, size_t count, const double *x, const double *v,
                     rm2i_moment_kind kind, double *work, rm2i_moments *moments);
bool rm2i_moments_can_bend(const rm2i_posterior *p);

/* T, and the place of the pair (r, s) among them. */
static inline size_t rm2i_pairs(size_t Q) {
    return Q * (Q + 1) / 2;
}

static inline size_t rm2i_pair(size_t Q, size_t r, size_t s) {
    size_t low = r < s ? r : s, high = r < s ? s : r;
    return low * (2 * Q - low - 1) / 2 + high;
}

/* K, the number of weights of the R_m: one for all with Kronecker noise, where only their sum counts,
 * else M. */
size_t rm2i_moments_weights(const rm2i_posterior *p);
/* At point i: R = sum_m w_m R_m (Q x Q) and, unless dR is NULL, dR (Q x Q x Q) by x_t, where the
 * weights (K) change by dw (Q x K). */
void rm2i_moments_covariance(const rm2i_moments *moments, size_t i, const double *w,
                             const double *dw, double *R, double *dR);

/* Kronecker noise: v^T R v at point i, its derivatives by x_t (Q) and by x_t and x_s (T). */
void rm2i_moments_along(const rm2i_moments *moments, size_t i, const double *v, double *value,
                        double *slope, double *second);

/* a^T R_m b at point i for all m. */
void rm2i_moments_each(const rm2i_moments *moments, size_t i, const double *a, const double *b,
                       double *value);

/* What R becomes far from all data: sum_m w_m l_m d2K (l_m = 1 with Kronecker noise), its trace; K weights. */
double rm2i_moments_far_trace(const rm2i_moments *moments, const double *w);

#endif
