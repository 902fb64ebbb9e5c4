/* Smoothness of curves, for our own front ends; reports on paths contain it (rm2_path_measure). */
#ifndef RM2_FRONT_SMOOTHNESS_H
#define RM2_FRONT_SMOOTHNESS_H

#include "riemann2/eval.h"

/* Measure the smoothness of a curve.
 *
 * @param ctx  context
 * @param model  the model
 * @param n  number of points
 * @param points  n x ambient, in the units of the data; on the manifold, except for RM2_GPLVM
 * @param smoothness  result
 */
rm2_status rm2_model_smoothness(rm2_context *ctx, const rm2_model *model, size_t n,
                                const double *points, rm2_smoothness *smoothness);
/* Median of n curves, separately for each number; NaN is ignored. */
rm2_status rm2_smoothness_median(rm2_context *ctx, size_t n, const rm2_smoothness *of,
                                 rm2_smoothness *median);

#endif
