/* Helpers that several geometries share. */
#ifndef RM2I_GEOMETRY_H
#define RM2I_GEOMETRY_H

#include "riemann2/geometry.h"

/* Geodesics closer than this to the cut locus have no trustworthy direction. */
#define RM2I_CUT_LOCUS 1e-12

/* Base points may be off the manifold by this much, relative to their size: what data may be off by
 * before they are refused. */
#define RM2I_OFF_MANIFOLD 1e-3

size_t rm2i_identity_size(size_t n); /* n */
size_t rm2i_next_size(size_t n);     /* n + 1 */
size_t rm2i_no_work(size_t n);       /* 0 */

/* G w = phi w + psi v (v.w) and its derivative in constant curvature k; coordinates multiplied by
 * `unit` first (1, or 1/2 for the angle metric of SO(3)). */
rm2_status rm2i_space_form_metric(int k, double unit, size_t dim, const double *c,
                                  const rm2_product_query *query);
rm2_status rm2i_space_form_metric_derivative(int k, double unit, size_t dim, const double *c,
                                             const double *z, const rm2_product_query *query);

/* The same for squared norms, as in rm2_geometry's metric_norms. */
rm2_status rm2i_space_form_metric_norms(int k, double unit, size_t dim, const double *c,
                                        const rm2_norms_query *query);

/* Given ambient p, v (the geodesic's start), z and cz = <v, z>: out = z carried along Exp(t v). */
void rm2i_space_form_transport(int k, size_t ambient, double r, const double *p, const double *v,
                               double cz, double *out_z);

/* Given ambient p, v and cw = <v, w>: out_w = w turned into d/dt Exp(v + t w). */
void rm2i_space_form_dexp(int k, size_t ambient, double r, const double *p, const double *v,
                          double cw, double *out_w);

#endif
