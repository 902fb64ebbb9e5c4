/* Curves in pieces: on each interval [t_i, t_i+1] of [0, 1] a polynomial
 *
 *     c(t) = sum_k a_(first + k) b_k(u),   u = (t - t_i) / (t_i+1 - t_i),
 *
 * with few functions b_k on each, so that a coefficient moves few intervals. The first and the last
 * coefficient are the ends of the curve. Two kinds:
 *
 * Elements of a degree: continuous; coefficients are values at the Lobatto nodes of each interval.
 * Those of degree 1 are polygons.
 *
 * Natural cubic splines: two derivatives, c'' = 0 at the ends, equal intervals. Coefficients are
 * those of the B-splines at the knots, c(t_i) = (a_i-1 + 4 a_i + a_i+1) / 6; the natural ends give
 * a_-1 = 2 a_0 - a_1, hence c(0) = a_0: free coefficients are all but the ends, and all are local. */
#ifndef RM2I_PIECES_H
#define RM2I_PIECES_H

#include "geodesic/quadrature.h"
#include "riemann2/base.h"

enum { RM2I_SPLINE = 0 }; /* in place of a degree */

typedef struct rm2i_pieces {
    size_t Q, intervals;
    size_t degree;              /* of elements, or RM2I_SPLINE (at least two intervals) */
    size_t count;               /* coefficients */
    double *breaks;             /* intervals + 1 */
    double *coef;               /* count x Q */
    double node[RM2I_RULE_MAX]; /* elements: Lobatto nodes */
} rm2i_pieces;

/* Equal intervals, coefficients 0. */
rm2_status rm2i_pieces_create(rm2_context *ctx, size_t Q, size_t intervals, size_t degree,
                              rm2i_pieces **pieces);
void rm2i_pieces_free(rm2i_pieces *pieces);

/* Values of the basis functions and of two derivatives by t at u in [0, 1] of an interval. */
typedef struct rm2i_local {
    size_t first, functions;
    double value[RM2I_RULE_MAX], slope[RM2I_RULE_MAX], second[RM2I_RULE_MAX];
} rm2i_local;

void rm2i_pieces_basis(const rm2i_pieces *p, size_t interval, double u, rm2i_local *local);

/* Point, velocity and acceleration there, NULL for what is not wanted. */
void rm2i_pieces_sum(const rm2i_pieces *p, const rm2i_local *local, double *x, double *v,
                     double *a);
/* The same at a time t. */
void rm2i_pieces_at(const rm2i_pieces *p, double t, double *x, double *v, double *a);

/* Relative size of what is lost in differences of neighbouring coefficients because coordinates are
 * rounded. */
double rm2i_pieces_rounding(const rm2i_pieces *p);

/* Time k of the `count` at which values determine the curve: knots of a spline, nodes of elements. */
double rm2i_pieces_site(const rm2i_pieces *p, size_t k);
/* The coefficients hold values at the sites: make them coefficients. */
void rm2i_pieces_interpolate(rm2i_pieces *p);

#endif
