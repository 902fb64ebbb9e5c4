/* Evaluation of the metric along curves. */
#include "geodesic/evaluator.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "linalg/dense.h"

rm2_status rm2i_evaluator_begin(rm2_context *ctx, const rm2_metric *metric, int threads,
                                rm2i_evaluator *evaluator) {
    *evaluator = (rm2i_evaluator){.metric = metric, .room = {.threads = threads, .ctx = ctx}};
    /* the scratch does not grow beyond one block a thread */
    size_t n = metric->type->block * (size_t)threads;
    size_t most = 0;
    rm2i_metric_order highest =
        rm2i_metric_can_bend(metric) ? RM2I_ORDER_BEND : RM2I_ORDER_DERIVATIVE;
    for (rm2i_metric_order order = RM2I_ORDER_VALUE; order <= highest; order++) {
        size_t size = rm2i_metric_work(metric, n, threads, order);
        most = size > most ? size : most;
    }
    return rm2i_alloc(ctx, most, sizeof *evaluator->room.work, &evaluator->room.work);
}

void rm2i_evaluator_end(rm2i_evaluator *evaluator) {
    free(evaluator->room.work);
    evaluator->room.work = NULL;
}

rm2_status rm2i_evaluator_at(rm2i_evaluator *evaluator, size_t n, const double *x, double *G,
                             double *dG) {
    evaluator->evaluations += n;
    return rm2i_metric_at(evaluator->metric, n, x, G, dG, &evaluator->room);
}

rm2_status rm2i_evaluator_bend_at(rm2i_evaluator *evaluator, size_t n, const double *x,
                                  const double *v, double *G, double *dG, double *bend) {
    evaluator->evaluations += n;
    const rm2i_metric_request request = {.x = x, .G = G, .dG = dG, .v = v, .bend = bend};
    return rm2i_metric_bend_at(evaluator->metric, n, &request, &evaluator->room);
}

/* ---- geodesic equation ---------------------------------------------------------------------- */

rm2_status rm2i_raise(size_t Q, const double *G, double *v, double *L) {
    RM2_TRY(rm2i_cholesky(Q, G, L));
    for (size_t i = 0; i < Q; i++)
        v[i] = (v[i] - rm2i_dot(i, L + i * Q, v)) / L[i * Q + i];
    for (size_t i = Q; i-- > 0;) {
        v[i] /= L[i * Q + i];
        rm2i_axpy(i, -v[i], L + i * Q, v);
    }
    return RM2_OK;
}

rm2_status rm2i_acceleration(size_t Q, const double *G, const double *dG, const double *v,
                             double *a, double *work) {
    double *Dv = work, *L = work + Q;
    for (size_t r = 0; r < Q; r++)
        a[r] = 0;
    for (size_t t = 0; t < Q; t++) {
        const double *D = dG + t * Q * Q;
        for (size_t r = 0; r < Q; r++)
            Dv[r] = rm2i_dot(Q, D + r * Q, v); /* d_t G v */
        rm2i_axpy(Q, -v[t], Dv, a);
        a[t] += 0.5 * rm2i_dot(Q, v, Dv);
    }
    return rm2i_raise(Q, G, a, L);
}
