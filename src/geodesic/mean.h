/* The parts of a mean: geodesics and their logarithms are in mean.c, paths in mean_path.c. */
#ifndef RM2I_MEAN_H
#define RM2I_MEAN_H

#include "geodesic/variance.h"

/* Where the lengths of paths have the least variance; begins and ends v. */
rm2_status rm2i_mean_of_paths(rm2_context *ctx, rm2i_variance *v, const rm2_mean_settings *settings,
                              double *mean, rm2_mean_info *info);

#endif
