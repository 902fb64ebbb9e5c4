/* Orders of the inducing points in which a block of rows needs few of them.
 *
 * Where latents extend over many lengthscales, many entries of a kernel exp(-rho^2/2) are below 1e-12 of its diagonal
 * and count as zero. A side is an order of the inducing points, by one coordinate ascending or descending, with a factor
 * of its own: Kuu = Ls Ls^T in that order, from Lu = Ls T^T, rows of Lu in that order, with T orthogonal. A block of rows
 * whose nearby inducing points are numbers b to e - 1 of a side has the columns b to e - 1 of K there, and those from b
 * on of Vs = Ls^-1 Kun, by forward substitution.
 *
 *   V = T Vs
 *   A = sum over sides of T As T^T,  V F = sum of T (Vs F),  us = T^T u,  Ps = T^T P
 *
 * A block uses the side with the larger b, so that in the middle of the latents half of V is left out, and more near
 * their ends. Without such orders (other kernels, few points, short latents) there is one side with the order and the
 * factor of the inducing points themselves, where every block has all columns and T = I. */
#ifndef RM2I_INDUCING_SIDES_H
#define RM2I_INDUCING_SIDES_H

#include "riemann2/base.h"

struct rm2i_inducing;
struct rm2i_row_pass;
struct rm2i_part;

enum { RM2I_SIDES = 2 };

typedef struct rm2i_side {
    size_t *order; /* r: the inducing point that is number k of this side */
    double
        *at;   /* r, ascending: its coordinate in lengthscales; NULL: every block has all columns */
    double *Z; /* r x Q */
    double *L; /* r x r: Ls */
    double *turn;  /* r x r: T^T */
    double *A;     /* r x r: As, then scratch */
    double *u, *H; /* M x r: us^T, and H of the derivatives */
    double *P;     /* r x r: Ps, columns in this order */
} rm2i_side;

/* Rows of a block, and the columns of K and V that it has. */
typedef struct rm2i_row_block {
    size_t first, count;
    const double *X; /* count x Q */
    const rm2i_side *side;
    size_t number; /* of the side */
    size_t begin, columns,
        beyond; /* K: `columns` from `begin` on; V: `beyond` of them, all to the last */
} rm2i_row_block;

/* One side: that of the inducing points themselves. */
void rm2i_sides_whole(struct rm2i_inducing *in);
/* Two sides where they save work, else one; once Kuu is factored. */
void rm2i_sides_choose(const struct rm2i_row_pass *pass);

/* Rows `first` to `first` + `count` - 1 in the order of blocks. */
rm2i_row_block rm2i_block_of(const struct rm2i_row_pass *pass, size_t first, size_t count,
                             const struct rm2i_part *own);
/* F^T of a block, M x count; rows are *stride apart. */
const double *rm2i_block_outputs(const struct rm2i_row_pass *pass, const rm2i_row_block *b,
                                 const struct rm2i_part *own, size_t *stride);
/* Where derivatives by X of a block are to be added, and what brings them to X_bar afterwards. */
double *rm2i_block_bars(const struct rm2i_row_pass *pass, const rm2i_row_block *b,
                        const struct rm2i_part *own);
void rm2i_block_add_bars(const struct rm2i_row_pass *pass, const rm2i_row_block *b,
                         const double *bars);

/* A, V F (in U) and t from the sums of all sides. */
void rm2i_sides_join(struct rm2i_inducing *in, const double *sums);
/* us; Ps and H of the sides from P in B and H in U. */
void rm2i_sides_turn_means(struct rm2i_inducing *in);
void rm2i_sides_turn_derivatives(struct rm2i_inducing *in);
/* Derivatives by Z in the order of the inducing points, r x Q, from those of all sides. */
double *rm2i_sides_join_inputs(struct rm2i_inducing *in, double *Z_bar);

#endif
