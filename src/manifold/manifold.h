/* A manifold inside the library: its factors, and the calls on one point that the layers above use
 * in their own loops. `frame` is frame_size doubles, `work` work_size doubles. A failing call says
 * in *failed (if not NULL) which factor it was. */
#ifndef RM2I_MANIFOLD_H
#define RM2I_MANIFOLD_H

#include <stdatomic.h>

#include "front/base.h"
#include "riemann2/manifold.h"

struct rm2_manifold {
    atomic_size_t references; /* all else stays as it was made */
    size_t count;
    rm2_factor *factors;
    size_t *frame_offsets; /* of each factor inside a frame */
    size_t dim, ambient, frame_size, work_size;
    char *spec;
};

rm2_status rm2i_manifold_frame(const rm2_manifold *m, const double *p, double *frame, double *work,
                               size_t *failed);
/* RM2_ERR_DOMAIN if x is off the manifold by more than RM2I_OFF_MANIFOLD: the rule for all points of the
 * public calls. It costs one pass over the numbers of x. It leaves to the calls what they find
 * themselves: numbers that are not finite, matrices that are not positive definite. */
rm2_status rm2i_manifold_check(const rm2_manifold *m, const double *x, double *work,
                               size_t *failed);
/* The same for n points, on the context's threads. The message begins with `name` ("sequence 2, "). */
rm2_status rm2i_manifold_check_all(rm2_context *ctx, const rm2_manifold *m, const char *name,
                                   size_t n, const double *points);
void rm2i_manifold_to_coords(const rm2_manifold *m, const double *frame, const double *v, double *c,
                             double *work);
void rm2i_manifold_from_coords(const rm2_manifold *m, const double *frame, const double *c,
                               double *v, double *work);
rm2_status rm2i_manifold_exp(const rm2_manifold *m, const double *frame, const double *c, double *y,
                             double *work, size_t *failed);
rm2_status rm2i_manifold_log(const rm2_manifold *m, const double *frame, const double *q, double *c,
                             double *work, size_t *failed);
rm2_status rm2i_manifold_distance(const rm2_manifold *m, const double *p, const double *q,
                                  double *d, double *work, size_t *failed);
rm2_status rm2i_manifold_transport(const rm2_manifold *m, const double *frame, const double *c,
                                   const double *z, double *out, double *work, size_t *failed);
rm2_status rm2i_manifold_dexp(const rm2_manifold *m, const double *frame, const double *c,
                              const double *w, double *out, double *work, size_t *failed);
rm2_status rm2i_manifold_project(const rm2_manifold *m, const double *x, double *y, double *work,
                                 size_t *failed);
/* Move x onto one factor (y, which does not overlap x) if it is off by no more than `tolerance`, else
 * RM2_ERR_DOMAIN; *defect: how far it is off. */
rm2_status rm2i_factor_project_within(const rm2_factor *f, double tolerance, const double *x,
                                      double *y, double *work, double *defect);
rm2_status rm2i_manifold_log_volume(const rm2_manifold *m, const double *c, double *value,
                                    double *work, size_t *failed);
rm2_status rm2i_manifold_metric(const rm2_manifold *m, const double *c,
                                const rm2_product_query *query, double *work, size_t *failed);
rm2_status rm2i_manifold_metric_derivative(const rm2_manifold *m, const double *c, const double *z,
                                           const rm2_product_query *query, double *work,
                                           size_t *failed);
/* Doubles of scratch for any call on this factor. */
size_t rm2i_factor_work(const rm2_factor *factor);
/* Of one factor; added to values and derivatives. */
rm2_status rm2i_factor_norms(const rm2_factor *factor, const double *c,
                             const rm2_norms_query *query, double *work);
/* Values and derivatives are set, not added to. */
rm2_status rm2i_manifold_metric_norms(const rm2_manifold *m, const double *c,
                                      const rm2_norms_query *query, double *work, size_t *failed);
/* Fréchet mean of n points on this thread, from the start in `mean`, where the result goes; `work` has
 * rm2i_mean_work doubles. For loops over many means. */
size_t rm2i_mean_work(const rm2_manifold *m, size_t n);
rm2_status rm2i_mean_near(const rm2_manifold *m, size_t n, const double *points,
                          const rm2_mean_settings *settings, double *mean, rm2_mean_info *info,
                          double *work);
void rm2i_manifold_random(const rm2_manifold *m, rm2_rng *rng, double *p, double *work);

#endif
