/* Many SPD matrices at once, too large for spd_many.h; see exp_many and log_many in riemann2/geometry.h. */
#ifndef RM2I_SPD_LANES_H
#define RM2I_SPD_LANES_H

#include "riemann2/geometry.h"

rm2_status rm2i_spd_log_lanes(size_t n, const double *frame, size_t count, const double *q,
                              double *v, size_t stride);
rm2_status rm2i_spd_exp_lanes(size_t n, const double *frame, size_t count, const double *v,
                              double *y, size_t stride);

#endif
