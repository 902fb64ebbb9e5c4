/* Distances of segments from keep-out regions. */
#ifndef RM2I_REGION_H
#define RM2I_REGION_H

#include "riemann2/region.h"

/* Least signed distance of the points between two (dim each), never above it, and below it by at most 1e-9 of
 * the segment's length. */
double rm2i_region_segment_distance(const rm2_region *region, const double *from, const double *to);
/* The same, and in *part (or NULL) where it is: at from + part (to - from). */
double rm2i_region_segment_nearest(const rm2_region *region, const double *from, const double *to,
                                   double *part);

#endif
