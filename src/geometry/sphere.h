/* The unit sphere's functions, which SO(3) reuses on S^3 with coordinates of half the size. */
#ifndef RM2I_SPHERE_H
#define RM2I_SPHERE_H

#include "front/base.h"
#include "riemann2/geometry.h"

void rm2i_sphere_default_point(size_t n, double *p);
double rm2i_sphere_defect(size_t n, const double *x, double *work);
rm2_status rm2i_sphere_project(size_t n, const double *x, double *y, double *work);
void rm2i_sphere_random_point(size_t n, rm2_rng *rng, double *p, double *work);
rm2_status rm2i_sphere_frame(size_t n, const double *p, double *frame, double *work);
void rm2i_sphere_to_coords(size_t n, const double *p, const double *v, double *c, double *work);
void rm2i_sphere_from_coords(size_t n, const double *p, const double *c, double *v, double *work);
rm2_status rm2i_sphere_exp(size_t n, const double *p, const double *c, double *y, double *work);
rm2_status rm2i_sphere_log(size_t n, const double *p, const double *q, double *c, double *work);
rm2_status rm2i_sphere_distance(size_t n, const double *p, const double *q, double *d,
                                double *work);
rm2_status rm2i_sphere_transport(size_t n, const double *p, const double *c, const double *z,
                                 double *out, double *work);
rm2_status rm2i_sphere_dexp(size_t n, const double *p, const double *c, const double *w,
                            double *out, double *work);
size_t rm2i_sphere_work(size_t n);

enum { RM2I_SPHERE_MANY = 16 }; /* largest n of the two calls below */
rm2_status rm2i_sphere_exp_many(size_t n, const double *p, size_t count, const double *v, double *y,
                                size_t stride);
rm2_status rm2i_sphere_log_many(size_t n, const double *p, size_t count, const double *q, double *v,
                                size_t stride, bool pairs);

#endif
