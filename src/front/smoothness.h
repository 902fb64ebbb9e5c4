/* How smooth curves are, for our own front ends; reports on paths have it (rm2_path_measure). */
#ifndef RM2_FRONT_SMOOTHNESS_H
#define RM2_FRONT_SMOOTHNESS_H

#include "riemann2/eval.h"

/* Of a curve of n points in the units of the data; they must be on the manifold, except for RM2_GPLVM. */
rm2_status rm2_model_smoothness(rm2_context *ctx, const rm2_model *model, size_t n,
                                const double *points, rm2_smoothness *smoothness);
/* Median of n curves, number by number; curves without a number do not count. */
rm2_status rm2_smoothness_median(rm2_context *ctx, size_t n, const rm2_smoothness *of,
                                 rm2_smoothness *median);

#endif
