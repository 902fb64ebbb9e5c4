/* Scalar functions of the exponential map, accurate at and near zero.
 *
 * Constant curvature k = +1 (sphere) or -1 (hyperbolic), sn = sin or sinh, cs = cos or cosh:
 *   snc = sn(r)/r, phi = snc^2, psi = (1 - phi)/r^2, and f' means (df/dr)/r.
 * SPD(n): g(d) = (sinh(d/2)/(d/2))^2, which is phi of curvature -1 at d/2. */
#ifndef RM2I_SPECIAL_H
#define RM2I_SPECIAL_H

#include <stddef.h>

#define RM2I_LOG_2PI 1.8378770664093454836 /* log(2 pi) */

typedef struct rm2i_space_form {
    double cs;  /* cs(r) */
    double snc; /* sn(r)/r */
} rm2i_space_form;

rm2i_space_form rm2i_space_form_at(int k, double r);
double rm2i_d_snc(int k, double r);   /* snc' = (cs - snc)/r^2 */
double rm2i_versine(int k, double r); /* (cs - 1)/r^2 */

typedef struct rm2i_pullback {
    double phi, psi;     /* G = phi I + psi v v^T */
    double d_phi, d_psi; /* phi', psi' */
} rm2i_pullback;

rm2i_pullback rm2i_pullback_at(int k, double r);

/* log |sn(r)/r| */
double rm2i_log_snc(int k, double r);

/* g(d), its first and third derivative. */
double rm2i_spd_g(double d);
double rm2i_spd_g1(double d);
double rm2i_spd_g3(double d);
/* g and its first derivative at n arguments. */
void rm2i_spd_g_many(size_t n, const double *d, double *g, double *g1);

#endif
