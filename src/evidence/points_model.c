/* The evidence as a way to train a model. */
#include "base/base.h"
#include "evidence/points.h"
#include "gp/inducing.h"

/* Principal components and Isomap need the units of the data: rm2i_points_train begins with them. */
static bool has_units(const rm2_fit_settings *s) {
    return s->init == RM2_INIT_TANGENT || s->init == RM2_INIT_ISOMAP;
}

static rm2_status start(rm2_context *ctx, const rm2_fit_settings *s, const double *V,
                        rm2_model *m) {
    return has_units(s) ? RM2_OK : rm2i_model_start(ctx, s, V, m->X, m);
}

static rm2_status begin(rm2_context *ctx, rm2i_points_request *r) {
    if (r->settings->init == RM2_INIT_TANGENT)
        return rm2i_points_components(ctx, &r->data, &r->start);
    if (r->settings->init == RM2_INIT_ISOMAP)
        return rm2i_points_isomap(ctx, &r->data, r->settings->neighbours, &r->start);
    return rm2i_points_given(ctx, &r->data, &r->start);
}

static void copy_result(const rm2i_points_result *r, rm2_model *m) {
    for (size_t q = 0; q < m->Q; q++)
        m->lengthscale[q] = r->lengthscale;
    m->variance = r->variance;
    m->linear = m->settings.linear.start;
    m->noise = m->settings.noise_variance.start;
    m->freedom = r->freedom;
    m->latent_noise = r->level / (r->unit * r->unit);
    m->training = r->training;
    m->inducing = r->inducing;
    m->inducing_count = r->inducing_count;
}

/* Where the inducing points are. */
static rm2_status place_inducing(rm2_context *ctx, rm2_model *m) {
    if (!m->inducing)
        return RM2_OK;
    RM2_TRY(
        rm2i_alloc(ctx, m->inducing_count, m->Q * sizeof *m->inducing_inputs, &m->inducing_inputs));
    rm2i_inducing_gather(m->inducing_count, m->inducing, m->Q, m->X, m->inducing_inputs);
    return RM2_OK;
}

static rm2_status train(rm2_context *ctx, const rm2_fit_settings *s,
                        const rm2_checkpoint *checkpoint, rm2_model *m) {
    rm2i_points_request r = {.data = {m->N, m->M, m->Q, m->F}, .start.X = m->X, .settings = s};
    rm2i_points_result result = {.X = m->X, .Kf = m->Kf};
    (void)checkpoint;
    RM2_TRY(begin(ctx, &r));
    RM2_TRY(rm2i_points_train(ctx, &r, &result));
    copy_result(&result, m);
    RM2_TRY(place_inducing(ctx, m));
    rm2i_warn_accuracy(ctx, s, m);
    if (result.distinct < m->N)
        rm2i_log(
            ctx, RM2_LOG_INFO,
            "%zu points equal others: each of %zu distinct points counts once in the evidence, "
            "equal points share a latent and count as often as they occur in predictions",
            m->N - result.distinct, result.distinct);
    return RM2_OK;
}

/* No checkpoints: it takes few evaluations. */
const rm2i_trainer rm2i_evidence_trainer = {.start = start, .train = train};
