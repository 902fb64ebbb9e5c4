/* A metric that is near another one and costs next to nothing where it is asked for often. */
#ifndef RM2I_LATTICE_H
#define RM2I_LATTICE_H

#include "geodesic/evaluator.h"

/* Around a path of n points, for the evaluator's metric, whose scale must be known: splines through its values at the nodes
 * of a fine lattice, which are evaluated when they are first needed. For one thread at a time; the evaluator must live as
 * long. *near is NULL where a lattice would need too many nodes. RM2_ERR_DOMAIN beyond its edge. */
rm2_status rm2i_lattice_create(rm2_context *ctx, rm2i_evaluator *evaluator, size_t n,
                               const double *path, rm2_metric **near);

#endif
