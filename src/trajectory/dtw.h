/* The distance of two sequences by dynamic time warping. */
#ifndef RM2I_DTW_H
#define RM2I_DTW_H

#include "riemann2/trajectory.h"

rm2_status rm2i_dtw(rm2_context *ctx, const rm2_dtw_settings *settings, const rm2_sequence *a,
                    const rm2_sequence *b, double *distance);

#endif
