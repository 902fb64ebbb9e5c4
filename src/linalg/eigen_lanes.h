/* Symmetric eigenproblems of four matrices of one size side by side: number `l` of each is the innermost index, so that
 * every operation is a vector one. */
#ifndef RM2I_EIGEN_LANES_H
#define RM2I_EIGEN_LANES_H

#include <stdbool.h>

#include "riemann2/base.h"

enum {
    RM2I_LANES = 4,      /* a vector of AVX2 */
    RM2I_LANES_MOST = 32 /* largest n */
};

/* Lane l is element l; operations are those of all lanes. */
typedef double rm2i_lanes __attribute__((vector_size(RM2I_LANES * sizeof(double))));

/* A (n x n, lower triangles are read) = sum_k values_k v_k v_k^T with rows v_k of A, which it becomes: as rm2i_eigen, for
 * entries between 1e-140 and 1e140. False if a lane does not converge, as with NaN. */
bool rm2i_eigen_lanes(size_t n, rm2i_lanes *A, rm2i_lanes *values);

/* rm2i_eigen of `count` matrices that follow each other, four side by side where that is faster and their entries allow
 * it. work: rm2i_eigen_work(n) doubles. RM2_ERR_NUMERIC if one of them is not finite. */
rm2_status rm2i_eigen_many(size_t n, size_t count, const double *A, double *values, double *vectors,
                           double *work);

#endif
