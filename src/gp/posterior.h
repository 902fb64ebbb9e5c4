/* Posterior of the tangent field f: R^Q -> R^M given the training outputs.
 *
 *   mean f(x) = C k*(x), C is M x N;   cov f(x) = P diag(h(x)) P^T, P is M x M
 * Kronecker noise:  C = (A^-1 F)^T, P P^T = K = S Kf S, all h equal: h = k** - k*^T A^-1 k*; S calibrates predictions
 * inducing points:  the same with k* taken with these, C = (Lu^-T u)^T and in place of A^-1
 *                   Lu^-T (I - s2 B^-1) Lu^-1 (symbols of inducing.h)
 * per-output noise: C = Kf Am, P = D^1/2 U, h_m = l_m k** - l_m^2 k*^T (l_m K + I)^-1 k*
 * An observation adds `noise` to h: s2, or 1 (whitened by D) where outputs have their own noise. */
#ifndef RM2I_POSTERIOR_H
#define RM2I_POSTERIOR_H

#include "front/base.h"
#include "kernel/latent.h"
#include "riemann2/base.h"
#include "riemann2/latent.h"

/* What a posterior is made from; borrowed while it lives. */
typedef struct rm2i_gp {
    size_t N, M, Q;
    rm2_noise_kind noise_kind;
    rm2i_latent_kernel kernel;
    double noise;             /* s2, or the noise that all outputs share */
    const double *task_noise; /* M, per-output noise */
    const double *Kf;         /* M x M */
    const double *scale;      /* M: S, Kronecker noise; NULL: the identity */
    const double *X;          /* N x Q */
    const double *F;          /* M x N */
    size_t inducing;          /* inducing points; 0: none, exact */
    const double *Z;          /* inducing x Q: where they are; copied */
    const double *sums; /* of the inducing points (rm2i_inducing_sum), if they are known; copied */
    bool
        proven; /* the sums are those of all points, of which X and F may be some: they are used as they are */
    size_t trajectories; /* of X; sums are those of rows (rows/rows.h) */
    const size_t *starts;
} rm2i_gp;

typedef struct rm2i_posterior {
    rm2i_gp gp;
    size_t n;        /* support points, those that k* is taken with: training or inducing points */
    const double *Z; /* n x Q */
    double *own_Z;   /* inducing points: the copy of them */
    double *sums;    /* inducing points: rm2i_inducing_sum */
    double *C, *P;   /* C is M x n */
    double *Pf;      /* that of Kf, without S, for metrics */
    double *L;       /* Kronecker: Cholesky factor of A */
    double *root;    /* inducing points: root^T root stands for A^-1 */
    double *inverse; /* that product, where its rounding does no harm; NULL elsewhere */
    double *V, *o, *l; /* per-output: rows of V are eigenvectors of K, eigenvalues o; tasks' l */
    double observed;   /* noise added to h by an observation */
    double *memory;
} rm2i_posterior;

rm2_status rm2i_posterior_create(rm2_context *ctx, const rm2i_gp *gp, rm2i_posterior **posterior);
/* A posterior through r of the training points, chosen so that tr(K - Q) (inducing.h) is at most `enough`: r^2 instead of
 * N^2 a point. NULL where that takes more than two thirds of them, with inducing points, and with noise per output. */
rm2_status rm2i_posterior_reduced(rm2_context *ctx, const rm2i_posterior *full, double enough,
                                  rm2i_posterior **reduced);
void rm2i_posterior_free(rm2i_posterior *p);

/* Mean (n x M) and h (n x M, without observation noise; NULL: not wanted) at n points. work:
 * rm2i_posterior_at_work(p, n). */
void rm2i_posterior_at(const rm2i_posterior *p, size_t n, const double *x, double *f, double *h,
                       double *work);

size_t rm2i_posterior_at_work(const rm2i_posterior *p, size_t n);

/* Doubles of scratch for the two calls below. */
size_t rm2i_posterior_work(const rm2i_posterior *p);

/* At one point, with the derivatives: J (M x Q) = df/dx, dh (M x Q). h and dh may both be NULL. */
void rm2i_posterior_gradient(const rm2i_posterior *p, const double *x, double *f, double *h,
                             double *J, double *dh, double *work);

/* Kronecker noise: h, the same for all outputs, and its slope dh (Q) alone, by one solve. work:
 * rm2i_posterior_work. */
void rm2i_posterior_variance(const rm2i_posterior *p, const double *x, double *h, double *dh,
                             double *work);

/* Jacobian of f as a random matrix: mean J (M x Q); column m of Pf^-1 J has covariance R_m (Q x Q):
 * R is M x Q x Q. */
void rm2i_posterior_jacobian(const rm2i_posterior *p, const double *x, double *J, double *R,
                             double *work);

/* Rows of `vectors` (count x n) seen where the covariance is simple: L^-1 v, root v, or V v. */
void rm2i_posterior_reduce(const rm2i_posterior *p, size_t count, const double *vectors,
                           double *reduced);

/* Where there is `inverse`: A^-1 v at once, half the work of the two calls around this. */
void rm2i_posterior_solve(const rm2i_posterior *p, size_t count, const double *vectors,
                          double *solved);

/* Kronecker noise: what is left of A^-1 v for a reduced v: L^-T or root^T. */
void rm2i_posterior_restore(const rm2i_posterior *p, size_t count, const double *reduced,
                            double *solved);

/* cov = P diag(h) P^T, M x M; work: M^2. */
void rm2i_posterior_covariance(const rm2i_posterior *p, const double *h, double *cov, double *work);

/* One draw of f at n points jointly, without observation noise: n x M. work:
 * rm2i_posterior_sample_work(p, n). RM2_ERR_NUMERIC if the joint covariance cannot be factored. */
rm2_status rm2i_posterior_sample(const rm2i_posterior *p, size_t n, const double *x, rm2_rng *rng,
                                 double *f, double *work);
size_t rm2i_posterior_sample_work(const rm2i_posterior *p, size_t n);

#endif
