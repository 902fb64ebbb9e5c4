/* Training without trajectories by inducing points: how many of these, and what is proven by them.
 *
 * The bound of the evidence (gp/evidence_bound.h) misses it by about m t or less, t = tr(K - Q): m t/2 by its last term
 * and as much in the quadratic form where residuals are noise. An accuracy of a nats per point is t <= a N/m; a choice
 * stops at a quarter of that. The upper bound sees t next to the noise 1 of every one of n residuals, n m t/2, and is
 * computed once, at the end, with a set of its own. */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "evidence/points_training.h"
#include "gp/evidence_bound.h"
#include "gp/inducing.h"

static const double RESERVE = 0.25;        /* of the trace that is allowed: where a choice stops */
static const double OF_UPPER_BOUND = 0.25; /* of the accuracy: what the upper bound may lose */
static const double MOST_BOUNDS = 2000;    /* inducing points of the certificate */
static const double MOST_STEPS = 2e11;     /* of its work N r^2: minutes at most */

double rm2i_points_trace(const rm2i_points_training *t, size_t m) {
    return t->s->accuracy * (double)t->d.N / (double)m;
}

rm2_status rm2i_points_choose(rm2i_points_training *t, const rm2i_latent_kernel *kernel,
                              const double *X, size_t m) {
    const rm2i_inducing_request request = {
        .kernel = kernel,
        .N = t->d.N,
        .X = X,
        .enough = t->s->inducing ? 0 : RESERVE * rm2i_points_trace(t, m),
        .most = t->most};
    double left;
    return rm2i_inducing_choose(t->ctx, &request, t->index, &t->r, &left);
}

static rm2_status bound(rm2i_points_training *t, const rm2i_evidence_data *data, size_t r,
                        const size_t *index) {
    const rm2i_evidence_at at = rm2i_points_place(t->hyper);
    rm2i_evidence_bound *b;
    RM2_TRY(rm2i_evidence_bound_create(t->ctx, data, r, index, &b));
    rm2_status status = rm2i_evidence_bound_value(b, &at, &t->likelihood.lower, NULL);
    if (status == RM2_OK)
        status = rm2i_evidence_bound_upper(b, &at, &t->likelihood.upper);
    rm2i_evidence_bound_free(b);
    return status == RM2_ERR_NUMERIC
               ? rm2i_fail(t->ctx, status, "the bounds of the evidence cannot be computed")
               : status;
}

rm2_status rm2i_points_certify(rm2i_points_training *t) {
    const rm2i_evidence_data data = rm2i_points_evidence_data(t, t->X);
    const rm2i_latent_kernel kernel = rm2i_points_kernel(t, false);
    const rm2i_inducing_request request = {
        .kernel = &kernel,
        .N = t->d.N,
        .X = t->X,
        .enough = 2 * OF_UPPER_BOUND * t->s->accuracy / (double)data.m,
        .most = (size_t)fmin(MOST_BOUNDS, sqrt(MOST_STEPS / (double)t->d.N) + 1)};
    size_t *index, r;
    double left;
    RM2_TRY(rm2i_alloc(t->ctx, request.most, sizeof *index, &index));
    rm2_status status = rm2i_inducing_choose_for_all(t->ctx, &request, index, &r, &left);
    if (status == RM2_OK)
        status = bound(t, &data, r, index);
    free(index);
    return status;
}
