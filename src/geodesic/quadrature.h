/* Points and weights on [0, 1], and polynomials through points. */
#ifndef RM2I_QUADRATURE_H
#define RM2I_QUADRATURE_H

#include <stddef.h>

enum { RM2I_RULE_MAX = 12 };

typedef struct rm2i_quadrature {
    size_t points;
    double node[RM2I_RULE_MAX], weight[RM2I_RULE_MAX];
} rm2i_quadrature;

/* Legendre's polynomial P_n of 2u - 1: orthogonal on [0, 1], with squared norm 1 / (2n + 1). */
double rm2i_legendre(size_t n, double u);

/* Gauss and Legendre: exact for polynomials of degree 2 points - 1. */
rm2i_quadrature rm2i_gauss_rule(size_t points);

/* Gauss and Lobatto, with both ends: nodes only, at which interpolation is well conditioned. */
void rm2i_lobatto_nodes(size_t points, double *node);

/* The polynomials l_k of degree points - 1 with l_k(node_j) = (j == k), their first and second
 * derivative at u. */
void rm2i_lagrange(size_t points, const double *node, double u, double *value, double *slope,
                   double *second);

#endif
