/* Inducing points for the matrix normal likelihood: Sigma = Kf (x) (K + s2 I) with K replaced by
 * Q = Knu Kuu^-1 Kun, where u are r of the N points or free inputs, and the collapsed variational bound
 * of the log density (Titsias, AISTATS 2009) in place of the density. Cost N r^2. The N x r matrix V is kept between
 * the passes where it is small, and else computed again block by block, by the same arithmetic; K always is.
 *
 *   Kuu = Lu Lu^T,  V = Lu^-1 Kun,  A = V V^T,  B = s2 I + A,  u = B^-1 V F,  R = F - V^T u
 *   t = tr(K - Q) = tr K - |V|^2,   log|Q + s2 I| = (N - r) log s2 + log|B|
 *   S = F^T (Q + s2 I)^-1 F = R^T R/s2 + u^T u      (a sum of squares: nothing cancels)
 *   lower = -1/2 (tr(Kf^-1 S) + M log|Q + s2 I| + N log|Kf| + N M log 2 pi + M t/s2)
 *   upper = the same without the last term, and with S at the noise s2 + t (Titsias, 2014)
 *   lower <= exact <= upper, because 0 <= K - Q <= t I.
 *
 * Sums over n are sums over rows (rows/rows.h): the result does not depend on threads and processes. */
#ifndef RM2I_INDUCING_H
#define RM2I_INDUCING_H

#include "gp/inducing_sides.h"
#include "kernel/latent.h"
#include "riemann2/base.h"
#include "rows/rows.h"

/* The most that are chosen where only an accuracy is asked for. */
#define RM2I_INDUCING_MOST 1000
/* Points among which a choice is made: of more, every k-th one. */
#define RM2I_INDUCING_CONSIDERED 50000

typedef struct rm2i_inducing {
    size_t N, M, Q, r;
    size_t
        counted; /* outputs that log|Q + s2 I| and t count for: M, unless the caller sets fewer */
    size_t all;  /* rows in all; N of them are here */
    rm2_context *ctx; /* whose threads are used */
    size_t workers;   /* how many, at most */
    size_t *index; /* r: which of all points, in the order in which they were chosen; NULL: free */
    double chosen; /* t where and when they were */
    double *Z;     /* r x Q: where they are now; the caller sets those that are free */
    double *Z_bar; /* r x Q, the caller's: where derivatives of free ones are added */
    double *V;     /* N x r: V^T; NULL: computed again */
    double *Kuu, *L, *A;   /* r x r, lower triangles; L is Lu */
    double *B;             /* r x r: its Cholesky factor, then scratch of the derivatives */
    double *u, *U;         /* M x r: u^T, and Lf^-1 u^T */
    double *Y;             /* M x N, the caller's: R^T, then Lf^-1 R^T */
    double *S;             /* M x M, the caller's */
    double noise, trace;   /* s2, t */
    double square;         /* |Lf^-1 R^T|^2 */
    double log_det;        /* log|Q + s2 I| */
    double jitter;         /* of Kuu; the bounds hold with it */
    const rm2i_rows *rows; /* borrowed, cut; NULL: N rows without trajectories */
    double *parts;         /* workers x part: their sums and scratch */
    size_t part;
    rm2i_tree *trees;      /* one per thread */
    double *gram_work;     /* of the derivatives of Kuu */
    const rm2i_side *side; /* `sides` of them: &whole, or near */
    size_t sides, axis;    /* axis: the coordinate of their orders */
    rm2i_side whole, near[RM2I_SIDES];
    size_t *row;            /* N: rows in the order of blocks, where there are two sides */
    double *joined;         /* r x Q: derivatives by Z */
    double *gathered;       /* 2 x r x Q, where several processes share the rows */
    bool derivatives, kept; /* kept: V is */
    bool local;             /* there is memory for two sides */
    double *memory;
} rm2i_inducing;

/* Choose among N points, or all of `rows`, until t <= enough or `most` are chosen. */
typedef struct rm2i_inducing_request {
    const rm2i_latent_kernel *kernel;
    size_t N;
    const double *X; /* N x Q */
    double enough;
    size_t most;
    const rm2i_rows *rows; /* NULL: N rows without trajectories */
    size_t considered;     /* at a time, at most; 0: RM2I_INDUCING_CONSIDERED */
} rm2i_inducing_request;

/* Pivoted Cholesky of K (Fine and Scheinberg, 2001): the point whose variance given those before it is
 * largest, again and again, until the request is met or what is left is rounding. `index` has room
 * for `most`; *left is t. */
rm2_status rm2i_inducing_choose(rm2_context *ctx, const rm2i_inducing_request *request,
                                size_t *index, size_t *count, double *left);
/* The same until t of all points, not only of those that are considered, is small enough (inducing_rounds.c); *left is
 * t or somewhat more. */
rm2_status rm2i_inducing_choose_for_all(rm2_context *ctx, const rm2i_inducing_request *request,
                                        size_t *index, size_t *count, double *left);

/* r inducing points among all points (index NULL: free inputs), with M outputs; `derivatives` if backward will be
 * called. */
typedef struct rm2i_inducing_shape {
    size_t N, M, Q, r;
    const size_t *index;
    bool derivatives;
    const rm2i_rows *rows; /* cut, must live longer; NULL: N rows without trajectories */
    bool recompute;        /* do not keep V, however small */
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
/* The sums over all points that a posterior is made of: the lower triangle of A row after row, V F (M x r), t. `sums` may
 * be NULL where they are of no use. */
size_t rm2i_inducing_sums_count(size_t r, size_t M);
rm2_status rm2i_inducing_sum(rm2i_inducing *in, const rm2i_latent_kernel *kernel, const double *X,
                             const double *F, double *sums);
/* A, L, B, u and t from these sums; R and S are left out. */
rm2_status rm2i_inducing_solve_sums(rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                                    const double *X, double noise, const double *sums);
/* Y becomes Lf^-1 R^T (Lf NULL: the identity); the lower bound, and tr(Kf^-1 S) in *trace if that is
 * not NULL. */
double rm2i_inducing_value(rm2i_inducing *in, const double *Lf, double *trace);
/* Derivatives of the lower bound, which are added; `linear` is not read where the kernel has no linear
 * part. */
typedef struct rm2i_inducing_bars {
    double *X;           /* N x Q */
    double *lengthscale; /* Q */
    double *variance, *linear, *noise;
} rm2i_inducing_bars;

/* After value. */
rm2_status rm2i_inducing_backward(rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                                  const double *X, const rm2i_inducing_bars *bars);

typedef struct rm2i_inducing_data {
    const rm2i_latent_kernel *kernel;
    size_t N, M;
    const double *X, *F; /* N x Q, M x N */
    double noise;
    const double *Lf; /* M x M; NULL: the identity */
    const rm2i_rows *rows;
    size_t considered; /* as in a request, for the bounds */
} rm2i_inducing_data;

typedef struct rm2i_bounds {
    double lower, upper;
    size_t count; /* of inducing points */
} rm2i_bounds;

/* Both bounds for points that are given, with an inducing set of their own, t <= enough or as many
 * points as memory allows. */
rm2_status rm2i_inducing_bounds(rm2_context *ctx, const rm2i_inducing_data *data, double enough,
                                rm2i_bounds *bounds);

/* ---- inducing_proof.c ------------------------------------------------------------------------ */

/* Are these the sums of the data, with the inducing inputs Z (r x Q)? By random vectors, in N r steps instead of N r^2:
 * *off is relative, 0 to rounding where they are, NaN where nothing can be compared. */
typedef struct rm2i_sums_claim {
    const rm2i_inducing_data *data;
    size_t r;
    const double *Z, *sums;
} rm2i_sums_claim;
rm2_status rm2i_inducing_sums_off(rm2_context *ctx, const rm2i_sums_claim *claim, double *off);

/* ---- for the files of this subject ----------------------------------------------------------- */

/* A pass over the rows: what it works on. */
typedef struct rm2i_row_pass {
    rm2i_inducing *in;
    const rm2i_latent_kernel *kernel;
    const double *X, *F;
    double *X_bar;
    const double *Lf;  /* of the value */
    double *variances; /* N: d, in the rounds of a choice */
    double threshold;  /* of these */
} rm2i_row_pass;

/* What a thread works with: sums of the unit that it adds up, the tree of those before, rows of a block. */
typedef struct rm2i_part {
    double *square;        /* r x r per side, or M x M: symmetric sums, lower triangles */
    double *sums;          /* what a pass sums; the packed triangle comes first */
    double *nodes;         /* of the tree */
    double *K, *V, *K_bar; /* RM2I_ROWS x r; V where it is not kept */
    double *X, *X_bar, *F; /* RM2I_ROWS x Q, the same, M x RM2I_ROWS: rows in the order of blocks */
} rm2i_part;

/* One block of rows, added to own->square and, behind its triangle, to own->sums. */
typedef void (*rm2i_row_fn)(const rm2i_row_pass *pass, size_t first, size_t count,
                            const rm2i_part *own);

/* What a pass over the rows sums: lower triangles of `squares` matrices of `order` rows, and `others` behind. */
typedef struct rm2i_row_sums {
    rm2i_row_fn fn;
    size_t squares, order, others;
} rm2i_row_sums;

/* Runs a pass over all rows; returns the sums, triangles packed. */
double *rm2i_inducing_rows(const rm2i_row_pass *pass, const rm2i_row_sums *sums);
/* Rows of every unit in the order of the coordinate in->axis, so that blocks are short along it. */
void rm2i_inducing_arrange(const rm2i_row_pass *pass);
/* A lower triangle of n rows, row after row. */
static inline size_t rm2i_triangle(size_t n) {
    return n * (n + 1) / 2;
}
void rm2i_unpack_triangle(size_t n, const double *packed, double *A);
/* Z, Kuu and its factor, one side: what passes over V need. */
rm2_status rm2i_inducing_factor(rm2i_inducing *in, const rm2i_latent_kernel *kernel,
                                const double *X);

/* ---- inducing_considered.c ------------------------------------------------------------------- */

/* Points that are considered at a time. */
size_t rm2i_inducing_at_a_time(const rm2i_inducing_request *request);

/* ---- inducing_choice.c ----------------------------------------------------------------------- */

/* Points that are chosen already. */
typedef struct rm2i_inducing_given {
    size_t count;
    const double *Z, *L; /* count x Q, count x count: L the factor of their K */
    double jitter;       /* that is in L: what it leaves of the given points themselves */
    const double *d;     /* variances of the points of the request given these */
} rm2i_inducing_given;
/* Go on with a choice (given NULL: begin it) among the points of the request, all of which are considered: `index`
 * behind the given ones, *count of all, t of these points. Where several processes share the rows, each takes part of
 * the work. */
rm2_status rm2i_inducing_choose_more(rm2_context *ctx, const rm2i_inducing_request *request,
                                     const rm2i_inducing_given *given, size_t *index, size_t *count,
                                     double *left);

size_t rm2i_inducing_part_size(const rm2i_inducing *in);
/* Numbers that the passes sum with this number of sides: A, V F, t; derivatives. */
size_t rm2i_inducing_forward_sums(const rm2i_inducing *in, size_t sides);
size_t rm2i_inducing_backward_sums(const rm2i_inducing *in, size_t sides);

/* V of a block after the forward pass, count x beyond: kept, or computed again in the memory of the thread. Then K of it,
 * count x columns, in that memory. */
const double *rm2i_inducing_V(const rm2i_row_pass *pass, const rm2i_row_block *block,
                              const rm2i_part *own);
const double *rm2i_inducing_K(const rm2i_row_pass *pass, const rm2i_row_block *block,
                              const rm2i_part *own);

#endif
