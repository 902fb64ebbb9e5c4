/* Inducing points for the matrix normal likelihood: Sigma = Kf (x) (K + s2 I) with K replaced by
 * Q = Knu Kuu^-1 Kun, where u are r of the N points or free inputs, and the collapsed variational bound
 * of the log density (Titsias, AISTATS 2009) in place of the density. Cost N r^2, memory N r.
 *
 *   Kuu = Lu Lu^T,  V = Lu^-1 Kun,  A = V V^T,  B = s2 I + A,  u = B^-1 V F,  R = F - V^T u
 *   t = tr(K - Q) = tr K - |V|^2,   log|Q + s2 I| = (N - r) log s2 + log|B|
 *   S = F^T (Q + s2 I)^-1 F = R^T R/s2 + u^T u      (a sum of squares: nothing cancels)
 *   lower = -1/2 (tr(Kf^-1 S) + M log|Q + s2 I| + N log|Kf| + N M log 2 pi + M t/s2)
 *   upper = the same without the last term, and with S at the noise s2 + t (Titsias, 2014)
 *   lower <= exact <= upper, because 0 <= K - Q <= t I.
 *
 * Sums over n go in blocks of rows; each thread adds its blocks, and the threads' parts are added in
 * their order: the same number of threads gives the same bits. */
#ifndef RM2I_INDUCING_H
#define RM2I_INDUCING_H

#include "kernel/latent.h"
#include "riemann2/base.h"

/* The most that are chosen where only an accuracy is asked for. */
#define RM2I_INDUCING_MOST 1000

typedef struct rm2i_inducing {
    size_t N, M, Q, r;
    int threads;
    size_t *index;       /* r: which points, in the order in which they were chosen; NULL: free */
    double chosen;       /* t where and when they were */
    double *Z;           /* r x Q: where they are now; the caller sets those that are free */
    double *Z_bar;       /* r x Q, the caller's: where derivatives of free ones are added */
    double *K, *V;       /* N x r: Kun^T and V^T; without derivatives one array */
    double *Kuu, *L, *A; /* r x r, lower triangles; L is Lu */
    double *B;           /* r x r: its Cholesky factor, then scratch of the derivatives */
    double *u, *U;       /* M x r: u^T, and Lf^-1 u^T */
    double *Y;           /* M x N, the caller's: R^T, then Lf^-1 R^T */
    double *S;           /* M x M, the caller's */
    double noise, trace; /* s2, t */
    double log_det;      /* log|Q + s2 I| */
    double jitter;       /* of Kuu; the bounds hold with it */
    double *parts;       /* threads x part: their sums and scratch */
    size_t part;
    double *gram_work; /* of the derivatives of Kuu */
    bool derivatives;
    double *memory;
} rm2i_inducing;

/* Choose among N points until t <= enough or `most` are chosen. */
typedef struct rm2i_inducing_request {
    const rm2i_latent_kernel *kernel;
    size_t N;
    const double *X; /* N x Q */
    double enough;
    size_t most;
} rm2i_inducing_request;

/* Pivoted Cholesky of K (Fine and Scheinberg, 2001): the point whose variance given those before it is
 * largest, again and again, until the request is met or what is left is rounding. `index` has room
 * for `most`; *left is t. */
rm2_status rm2i_inducing_choose(rm2_context *ctx, const rm2i_inducing_request *request,
                                size_t *index, size_t *count, double *left);

/* r inducing points among N (index NULL: free inputs), with M outputs; `derivatives` if backward will be
 * called. */
typedef struct rm2i_inducing_shape {
    size_t N, M, Q, r;
    const size_t *index;
    bool derivatives;
} rm2i_inducing_shape;

/* The arrays of such a set. Y and S are to be set by the caller. */
rm2_status rm2i_inducing_create(rm2_context *ctx, const rm2i_inducing_shape *shape,
                                rm2i_inducing **inducing);
void rm2i_inducing_free(rm2i_inducing *in);
/* Z = the rows `index` of X. */
void rm2i_inducing_gather(size_t r, const size_t *index, size_t Q, const double *X, double *Z);
/* From now on they are free, and start where they are among X. */
void rm2i_inducing_release(rm2i_inducing *in, const double *X);
/* Choose and create, with derivatives, in place of *inducing, which may be NULL. */
rm2_status rm2i_inducing_renew(rm2_context *ctx, const rm2i_inducing_request *request, size_t M,
                               rm2i_inducing **inducing);

/* Everything up to R and S at the points X (N x Q) and outputs F (M x N). */
rm2_status rm2i_inducing_solve(rm2i_inducing *in, const rm2i_latent_kernel *kernel, const double *X,
                               double noise, const double *F);
/* Y becomes Lf^-1 R^T (Lf NULL: the identity); the lower bound, and tr(Kf^-1 S) in *trace if that is
 * not NULL. */
double rm2i_inducing_value(rm2i_inducing *in, const double *Lf, double *trace);
/* After value: adds the lower bound's derivatives. */
rm2_status rm2i_inducing_backward(rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                                  const double *X, double *X_bar, double *lengthscale_bar,
                                  double *variance_bar, double *noise_bar);

typedef struct rm2i_inducing_data {
    const rm2i_latent_kernel *kernel;
    size_t N, M;
    const double *X, *F; /* N x Q, M x N */
    double noise;
    const double *Lf; /* M x M; NULL: the identity */
} rm2i_inducing_data;

typedef struct rm2i_bounds {
    double lower, upper;
    size_t count; /* of inducing points */
} rm2i_bounds;

/* Both bounds for points that are given, with an inducing set of their own, t <= enough or as many
 * points as memory allows. */
rm2_status rm2i_inducing_bounds(rm2_context *ctx, const rm2i_inducing_data *data, double enough,
                                rm2i_bounds *bounds);

/* ---- for the files of this subject ----------------------------------------------------------- */

/* What a pass over the rows works on. */
typedef struct rm2i_rows {
    rm2i_inducing *in;
    const rm2i_latent_kernel *kernel;
    const double *X, *F;
    double *X_bar;
    const double *P, *H; /* of the derivatives */
} rm2i_rows;

/* One thread's sums, in three kinds of passes that take turns. */
typedef struct rm2i_part {
    double *A, *VF, *t;                 /* r x r, M x r, 1 */
    double *RR;                         /* M x M: R^T R */
    double *Z_bar, *l_bar, *s_bar;      /* r x Q, Q, 1 */
    double *K_bar;                      /* RM2I_ROWS x r: of a block, not summed */
    size_t forward, residual, backward; /* how many numbers are summed over the threads */
} rm2i_part;

typedef void (*rm2i_rows_fn)(const rm2i_rows *rows, size_t first, size_t count,
                             const rm2i_part *own);

/* Runs fn over the blocks of rows; the first `summed` numbers of the part that comes back are the threads'
 * sums. */
rm2i_part rm2i_inducing_rows(const rm2i_rows *rows, rm2i_rows_fn fn, size_t summed);
rm2i_part rm2i_inducing_part(const rm2i_inducing *in, int thread);
/* Rows in a block. */
enum { RM2I_ROWS = 128 };

#endif
