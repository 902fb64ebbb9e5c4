/* Many small SPD matrices at once; see exp_many and log_many in riemann2/geometry.h. */
#ifndef RM2I_SPD_MANY_H
#define RM2I_SPD_MANY_H

#include "riemann2/geometry.h"

enum { RM2I_SPD_MANY = 32 }; /* largest n */

rm2_status rm2i_spd_log_many(size_t n, const double *frame, size_t count, const double *q,
                             double *v, size_t stride);
rm2_status rm2i_spd_exp_many(size_t n, const double *frame, size_t count, const double *v,
                             double *y, size_t stride);

#endif
