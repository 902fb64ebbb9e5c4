/* A kernel that depends on the distance r alone, as a table over r. */
#ifndef RM2I_MANIFOLD_PROFILE_H
#define RM2I_MANIFOLD_PROFILE_H

#include "riemann2/base.h"

/* Value at r >= 0 of the function to be tabulated: 1 at 0, decreasing. */
typedef double (*rm2i_radial_fn)(const void *data, double r);

typedef struct rm2i_profile rm2i_profile;

/* Table of f on [0, r_max], or up to where f falls below RM2I_TINY. `scale` is a distance over
 * which f changes. The table is compared with f and as accurate as f is (absolute 3e-15 as a rule).
 */
rm2_status rm2i_profile_create(rm2_context *ctx, rm2i_radial_fn f, const void *data, double scale,
                               double r_max, rm2i_profile **profile);
void rm2i_profile_free(rm2i_profile *profile);

/* In [0, 1]; exactly 1 at 0; 0 beyond the table's end when f is negligible there. */
double rm2i_profile_at(const rm2i_profile *profile, double r);

/* Kernel values below this are zero: no subnormal number reaches a Gram matrix. */
#define RM2I_TINY 1e-300

#endif
