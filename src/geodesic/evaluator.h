/* Where curves ask for the metric: its scratch, a count of points, the interrupt flag. */
#ifndef RM2I_EVALUATOR_H
#define RM2I_EVALUATOR_H

#include "metric/metric.h"

typedef struct rm2i_evaluator {
    const rm2_metric *metric;
    rm2i_metric_room room;
    size_t evaluations; /* points so far */
} rm2i_evaluator;

/* An interrupt of ctx ends evaluations. Free with rm2i_evaluator_end, also after a failure. */
rm2_status rm2i_evaluator_begin(rm2_context *ctx, const rm2_metric *metric, int threads,
                                rm2i_evaluator *evaluator);
void rm2i_evaluator_end(rm2i_evaluator *evaluator);

/* G and, unless NULL, dG at n points. RM2_ERR_DOMAIN and RM2_ERR_NUMERIC where there is no metric,
 * without a message; RM2_INTERRUPTED. */
rm2_status rm2i_evaluator_at(rm2i_evaluator *evaluator, size_t n, const double *x, double *G,
                             double *dG);

/* The same with v^T d_r d_s G v, where the metric has it. */
rm2_status rm2i_evaluator_bend_at(rm2i_evaluator *evaluator, size_t n, const double *x,
                                  const double *v, double *G, double *dG, double *bend);

/* Does a status say that the metric is not defined at a point? */
static inline bool rm2i_no_metric(rm2_status status) {
    return status == RM2_ERR_DOMAIN || status == RM2_ERR_NUMERIC;
}

/* v <- G^-1 v: velocity from momentum; L is scratch, Q x Q. RM2_ERR_NUMERIC where G is singular. */
rm2_status rm2i_raise(size_t Q, const double *G, double *v, double *L);

/* Christoffel term of the geodesic equation x'' = a: G a = -(sum_t v_t d_t G) v + 1/2 [v^T d_r G v]_r.
 * work: Q (Q + 1) doubles. RM2_ERR_NUMERIC where G is singular. */
rm2_status rm2i_acceleration(size_t Q, const double *G, const double *dG, const double *v,
                             double *a, double *work);

#endif
