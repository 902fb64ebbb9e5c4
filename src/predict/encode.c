/* Latent points of new observations: each is checked, and its latent point sought or given by the back
 * constraint (observation.h). */
#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "linalg/dense.h"
#include "model/back.h"
#include "predict/encode_path.h"
#include "predict/observation.h"
#include "riemann2/settings.h"

typedef struct encoding {
    rm2_context *ctx;
    const rm2_model *m;
    const rm2_encode_settings *s;
    bool found;      /* latents and info were found for whole trajectories */
    bool mapped;     /* latents of complete points are given by the back constraint */
    double *centred; /* n x M */
    bool *there;     /* n x M */
    double *latents, *covariance;
    rm2_encoded *info;
} encoding;

static bool complete(const encoding *e, size_t i) {
    for (size_t k = 0; k < e->m->M; k++)
        if (!e->there[i * e->m->M + k])
            return false;
    return true;
}

static rm2_status encode_point(const void *arg, size_t i, double *work) {
    const encoding *e = arg;
    const rm2_model *m = e->m;
    rm2i_observation o = rm2i_observation_in(m, work);
    double *x = e->latents + i * m->Q, *scratch = work + rm2i_observation_size(m);
    rm2_encoded info = {.converged = true};
    if (e->found && e->info)
        info = e->info[i];
    o.ctx = e->ctx;
    o.kind = e->s->objective;
    RM2_TRY(rm2i_observe(&o, e->centred + i * m->M, e->there + i * m->M));
    if (e->mapped && complete(e, i)) /* trajectories too: the map is continuous */
        info.nearest = rm2i_encode_nearest(&o);
    else if (!e->found)
        RM2_TRY(rm2i_encode_search(&o, e->s, x, &info));
    if (e->covariance)
        RM2_TRY(rm2i_observation_curvature(&o, x, e->covariance + i * m->Q * m->Q, scratch));
    const rm2i_posterior *white = o.white;
    o.white = NULL; /* leaves the residual itself */
    info.log_density_at_latent = rm2i_observation_density(&o, x, NULL);
    info.residual = rm2i_norm(o.count, o.r);
    o.white = white;
    if (e->info) {
        RM2_TRY(rm2i_encode_marginal(&o, e->s, x, &info.log_density, scratch));
        e->info[i] = info;
    }
    rm2i_activity_advance(e->ctx, 1);
    return isfinite(info.log_density_at_latent) ? RM2_OK : RM2_ERR_NUMERIC;
}

/* Centred outputs and masks of the observations (units of the data), which become scaled ones. */
static rm2_status prepare(rm2_context *ctx, const rm2_model *m, size_t n, const double *points,
                          double *scaled, encoding *e) {
    RM2_TRY(rm2i_model_project(ctx, m, n, points, scaled, e->there));
    RM2_TRY(rm2i_model_outputs(ctx, m, n, scaled, e->centred));
    for (size_t i = 0; i < n * m->M; i++)
        e->centred[i] -= m->mean[i % m->M];
    return RM2_OK;
}

static rm2_status encode(rm2_context *ctx, size_t n, const double *points, double *scaled,
                         encoding *e) {
    const rm2_model *m = e->m;
    const rm2i_posterior *quick;
    size_t failed = 0;
    RM2_TRY(rm2i_model_quick(ctx, m, &quick));
    RM2_TRY(prepare(ctx, m, n, points, scaled, e));
    e->mapped = e->s->back_constraint && m->back_weights;
    if (e->mapped)
        RM2_TRY(rm2i_back_map(ctx, m, n, scaled, e->latents));
    e->found = e->s->trajectories > 0 && !e->mapped;
    if (e->found)
        RM2_TRY(rm2i_encode_paths(&(rm2i_observations){ctx, m, e->s, n, e->centred, e->there},
                                  e->latents, e->info));
    size_t work = rm2i_observation_size(m) + rm2i_encode_marginal_work(m);
    rm2_status status = rm2i_jobs(ctx, n, work, encode_point, e, &failed);
    if (status != RM2_OK && status != RM2_INTERRUPTED)
        return rm2i_fail(ctx, status, "point %zu cannot be encoded: %s", failed,
                         rm2_status_text(status));
    return status;
}

rm2_status rm2_model_encode(rm2_context *ctx, const rm2_model *model,
                            const rm2_encode_settings *settings, size_t n, const double *points,
                            double *latents, double *covariance, rm2_encoded *info) {
    rm2_encode_settings used = rm2_encode_settings_default();
    double *scaled = NULL;
    bool *there = NULL;
    rm2_encoded *own = NULL;
    RM2_REQUIRE(ctx, model);
    if (n > 0)
        RM2_REQUIRE(ctx, points, latents);
    RM2_TRY(rm2i_check_size(ctx, n > 0 ? info : NULL, sizeof *info));
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &used));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_ENCODE), &used));
    RM2_TRY(rm2i_check_trajectories(ctx, &used, n));
    size_t ambient = rm2_manifold_ambient(model->manifold);
    rm2_status status = rm2i_alloc(ctx, n, (ambient + model->M) * sizeof *scaled, &scaled);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, n, model->M * sizeof *there, &there);
    if (status == RM2_OK && info)
        status = rm2i_calloc(ctx, n, sizeof *own, &own);
    if (status == RM2_OK) {
        encoding e = {.ctx = ctx,
                      .m = model,
                      .s = &used,
                      .centred = scaled + n * ambient,
                      .there = there,
                      .latents = latents,
                      .covariance = covariance,
                      .info = own};
        rm2i_activity_begin(ctx, "encode", n);
        status = encode(ctx, n, points, scaled, &e);
        rm2i_activity_end(ctx);
    }
    if (own)
        rm2i_results_give(n, own, sizeof *own, info);
    free(own);
    free(scaled);
    free(there);
    return status;
}
