/* Jets of SPD(n), see jet.h. */
#ifndef RM2I_SPD_JET_H
#define RM2I_SPD_JET_H

#include "manifold/jet.h"

enum { RM2I_SPD_JET_MAX = 48 }; /* largest n */

/* table (dim x dim) of the covariance Sigma (dim x dim) of the coordinates. */
void rm2i_spd_trace_table(size_t n, const double *Sigma, double *table);

size_t rm2i_spd_jets_work(size_t n, size_t points, size_t count, size_t directions);
/* GW is set; slopes and traces are added to. */
rm2_status rm2i_spd_jets(size_t n, const double *table, const rm2i_jet_query *query, double *work);

#endif
