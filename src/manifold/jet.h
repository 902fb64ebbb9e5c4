/* The metric Gc = dExp^T g dExp seen from coordinates, with first derivatives, at several points at
 * once: all that a pulled-back metric asks of the manifold, from one eigenproblem per SPD point.
 *
 * Besides products with vectors it gives the trace tr(Gc Sigma) with one fixed covariance of the
 * coordinates, and its slopes. What these need of Sigma alone is computed once (rm2i_traces). */
#ifndef RM2I_JET_H
#define RM2I_JET_H

#include "manifold/manifold.h"

/* A point's rows of c, W, Z and GW follow each other, all `stride` apart. */
typedef struct rm2i_jet_query {
    size_t points;
    const double *c; /* points */
    size_t count;
    const double *W; /* points x count: vectors */
    size_t directions;
    const double *Z; /* points x directions; not read if there are none */
    size_t stride;
    double *GW;    /* points x count: Gc w_k; NULL, without directions: inner products are enough */
    double *inner; /* points x count x count: w_k^T Gc w_l, where GW is NULL */
    double *slope; /* points x directions x count x count: w_k^T dGc[z_d] w_l */
    double *trace; /* points: tr(Gc Sigma); NULL: no traces */
    double *trace_slope; /* points x directions: tr(dGc[z_d] Sigma) */
} rm2i_jet_query;

/* Some of the coordinates of a manifold, with Sigma = sum_m p_m p_m^T on them. */
typedef struct rm2i_traces {
    const rm2_manifold *manifold;
    size_t from, to;  /* whole factors; others count as flat with Gc = 0 */
    const double *Pt; /* dim x dim: rows p_m */
    double **table;   /* of each factor; NULL: squared norms of the p_m, one by one */
    double *memory;
} rm2i_traces;

/* manifold and Pt must live on. */
rm2_status rm2i_traces_create(rm2_context *ctx, const rm2_manifold *manifold, size_t from,
                              size_t to, const double *Pt, rm2i_traces **traces);
void rm2i_traces_free(rm2i_traces *traces);

/* Doubles of scratch for queries with up to this number of points, vectors and directions. */
size_t rm2i_jets_work(const rm2i_traces *traces, size_t points, size_t count, size_t directions);
/* Results are set, not added to. */
rm2_status rm2i_jets(const rm2i_traces *traces, const rm2i_jet_query *query, double *work);

#endif
