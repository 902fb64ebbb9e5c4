/* Jets of SPD(n), see jet.h. */
#ifndef RM2I_SPD_JET_H
#define RM2I_SPD_JET_H

#include "manifold/jet.h"

enum { RM2I_SPD_JET_MAX = 48 }; /* largest n */

static const double RM2I_SPD_INTERPOLATION = 1e-13; /* relative error of traces */

/* ---- spd_trace.c ---------------------------------------------------------------------------- */

/* table (dim x dim) of the covariance Sigma (dim x dim) of the coordinates, and its product with the coordinates of
 * the identity as one more row. */
size_t rm2i_spd_trace_table_size(size_t n);
void rm2i_spd_trace_table(size_t n, const double *Sigma, double *table);

/* Added to trace[i]: tr(G Sigma) at the point with eigenvalues l (points x n) and eigenvectors Ut (points x n x n, in
 * rows). */
size_t rm2i_spd_traces_work(size_t n, size_t points);
void rm2i_spd_traces(size_t n, const double *table, size_t points, const double *l,
                     const double *Ut, double *trace, double *work);

/* ---- spd_jet.c ------------------------------------------------------------------------------ */

size_t rm2i_spd_jets_work(size_t n, size_t points, size_t count, size_t directions);
/* GW is set; inner products, slopes and traces are added to. */
rm2_status rm2i_spd_jets(size_t n, const double *table, const rm2i_jet_query *query, double *work);

#endif
