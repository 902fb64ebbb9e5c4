/* Numbers between the nodes of a regular grid: its metric, and what else a planner keeps there. */
#ifndef RM2I_FIELD_H
#define RM2I_FIELD_H

#include "metric/metric.h"
#include "metric/obstacle_clearance.h"
#include "roadmap/roadmap.h"

enum { RM2I_FIELD_NUMBERS = 10, RM2I_FIELD_TERMS = 10 }; /* at most, for Q = 3 */

/* Cubic splines on the nodes of a regular grid: the Cholesky factor L of G = L L^T, which makes every G positive
 * semidefinite and, if they are given, a decoded position and its standard deviation. */
typedef struct rm2i_field {
    const rm2i_roadmap *grid; /* that it is made from; NULL: none */
    size_t Q, count[RM2I_GRID_Q];
    double low[RM2I_GRID_Q], step[RM2I_GRID_Q]; /* node k of axis q is at low + k step */
    size_t dim, factors; /* numbers of L: Q (Q + 1)/2, rows of the lower triangle */
    size_t numbers;      /* of a node: L, position, deviation */
    size_t stride[RM2I_GRID_Q];
    double *coef; /* with one more node at both ends of every axis */
} rm2i_field;

/* Strides; returns the number of coefficients, `numbers` each. */
size_t rm2i_field_lay_out(rm2i_field *field);

/* Positions (of `dim` numbers) and deviations of the nodes may be NULL. RM2_ERR_NUMERIC, without a message, where the
 * metric is singular at the node *singular. Clear the field also after a failure. */
rm2_status rm2i_field_create(rm2_context *ctx, const rm2i_roadmap *grid, size_t dim,
                             const rm2i_clear_point *nodes, rm2i_field *field, size_t *singular);
void rm2i_field_clear(rm2i_field *field);

/* Term 0 has the values, 1 to Q their derivatives by each coordinate, then by pairs r <= s (rm2i_field_pair). */
typedef double (*rm2i_field_terms)[RM2I_FIELD_NUMBERS];
size_t rm2i_field_pair(size_t Q, size_t r, size_t s);

/* All numbers at x and, with order 1 or 2, their first and second derivatives. False outside of the grid. */
bool rm2i_field_at(const rm2i_field *field, const double *x, int order, rm2i_field_terms terms);

/* G, dG and bend of a request at its point i, from the terms there. */
void rm2i_field_fill(size_t Q, rm2i_field_terms terms, const rm2i_metric_request *request,
                     size_t i);

/* For types of metrics on a field. */
size_t rm2i_field_metric_work(const void *self, size_t count, rm2i_metric_order order);
bool rm2i_field_can_bend(const void *self);
/* The place of x along axis q, in nodes; negative or beyond the last node outside of the grid. */
double rm2i_field_place(const rm2i_field *field, size_t q, double x);
/* The numbers of L where G is positive definite. */
rm2_status rm2i_field_factor(size_t Q, const double *G, double *numbers);

#endif
