/* Heat kernel of SPD(3). */
#ifndef RM2I_MANIFOLD_SPD3_H
#define RM2I_MANIFOLD_SPD3_H

#include "riemann2/base.h"

typedef struct rm2i_spd3 rm2i_spd3;

rm2_status rm2i_spd3_create(rm2_context *ctx, double lengthscale, rm2i_spd3 **kernel);
void rm2i_spd3_free(rm2i_spd3 *kernel);

/* Normalised kernel, w the eigenvalues of log(X^-1/2 Y X^-1/2) in any order. */
double rm2i_spd3_at(const rm2i_spd3 *kernel, const double w[3]);

/* log(k(w)/k_0(w)) by quadrature, not normalised; w_1 - w_2 = d1 >= 0, w_2 - w_3 = d2 >= 0 and
 * k_0 = e^(-|w|^2/(2 l^2)) prod_(i<j) (sinh(w_ij/2)/(w_ij/2))^(-1/2). Finer steps with `refine`
 * > 1. */
double rm2i_spd3_quadrature(double lengthscale, double d1, double d2, double refine);

#endif
