/* Models without most of their training points. Predictions with inducing points need the sums A and V F over the points
 * (gp/inducing.h), not the points; the rest, such as starts of an encoding, the extent of the latents and distances from
 * the demonstrations, is content with some of them. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "model/model.h"
#include "start/start.h"

enum { KEPT = 5000 };

static rm2_status refuse(rm2_context *ctx, const rm2_model *m) {
    if (m->inducing_count == 0)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "a model with exact inference needs all of its points: train with "
                         "settings.inference inducing for a compact one");
    if (m->settings.task == RM2_TASK_INTEGRATED)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "a model with settings.task integrated (recipe points) needs all of its "
                         "points: train with recipe robust for a compact one");
    if (m->back_weights)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "a model with settings.back_constraint needs all of its points: train "
                         "without for a compact one");
    return RM2_OK;
}

/* ---- the data set --------------------------------------------------------------------------- */

static rm2_status copy_id(rm2_context *ctx, const char *id, char **to) {
    free(*to);
    *to = NULL;
    return rm2i_strdup(ctx, id, to);
}

static rm2_status fill_draft(rm2_context *ctx, const rm2_data *data, const rm2i_kept *kept,
                             rm2i_draft *d) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    memcpy(d->scale, data->scale, rm2_manifold_factor_count(data->manifold) * sizeof *d->scale);
    d->shrinkage = data->shrinkage;
    d->row_word = data->row_word;
    if (data->time)
        RM2_TRY(rm2i_draft_set_time(ctx, d));
    if (data->labels)
        RM2_TRY(rm2i_draft_set_labels(ctx, d, data->label_count, data->label_names));
    for (size_t k = 0; k < kept->n; k++) {
        size_t i = kept->index[k];
        memcpy(d->points + k * ambient, data->points + i * ambient, ambient * sizeof *d->points);
        d->rows[k] = data->rows[i];
        if (data->time)
            d->time[k] = data->time[i];
        if (data->labels)
            d->labels[k] = data->labels[i];
    }
    for (size_t t = 0; t < kept->trajectories; t++) {
        d->starts[t + 1] = kept->starts[t + 1];
        RM2_TRY(copy_id(ctx, data->ids[kept->chosen[t]], &d->ids[t]));
    }
    return RM2_OK;
}

static rm2_status keep_data(rm2_context *ctx, const rm2_data *data, const rm2i_kept *kept,
                            rm2_data **some) {
    rm2i_draft draft;
    RM2_TRY(
        rm2i_draft_create(ctx, data->manifold, data->source, kept->n, kept->trajectories, &draft));
    rm2_status status = fill_draft(ctx, data, kept, &draft);
    if (status == RM2_OK)
        status = rm2i_draft_finish(ctx, &draft, some);
    rm2i_draft_clear(&draft); /* empty unless that failed */
    return status;
}

/* ---- the model ------------------------------------------------------------------------------ */

static void copy_parameters(const rm2_model *m, const rm2i_kept *kept, rm2_model *c) {
    size_t M = m->M, Q = m->Q;
    for (size_t k = 0; k < kept->n; k++) {
        memcpy(c->X + k * Q, m->X + kept->index[k] * Q, Q * sizeof *c->X);
        for (size_t o = 0; o < M; o++)
            c->F[o * c->N + k] = m->F[o * m->N + kept->index[k]];
    }
    memcpy(c->mean, m->mean, M * sizeof *c->mean);
    memcpy(c->base, m->base, rm2_manifold_ambient(m->manifold) * sizeof *c->base);
    memcpy(c->lengthscale, m->lengthscale, Q * sizeof *c->lengthscale);
    memcpy(c->Kf, m->Kf, M * M * sizeof *c->Kf);
    memcpy(c->gpdm, m->gpdm, sizeof c->gpdm);
    c->variance = m->variance;
    c->linear = m->linear;
    c->noise = m->noise;
}

static void copy_record(const rm2_model *m, rm2_model *c) {
    c->start = m->start;
    c->end = m->end;
    c->likelihood = m->likelihood;
    c->dynamics = m->dynamics;
    c->volume = m->volume;
    c->stop = m->stop;
    c->iterations = m->iterations;
    c->evaluations = m->evaluations;
    c->seconds = m->seconds;
    c->gpdm_inducing = m->gpdm_inducing;
    memcpy(c->trace, m->trace, (m->iterations + 1) * sizeof *c->trace);
}

static rm2_status take_sums(rm2_context *ctx, const rm2_model *m, rm2_model *c) {
    size_t r = m->inducing_count, count = rm2i_inducing_sums_count(r, m->M);
    c->inducing_count = r;
    RM2_TRY(rm2i_alloc(ctx, r, m->Q * sizeof *c->inducing_inputs, &c->inducing_inputs));
    memcpy(c->inducing_inputs, m->inducing_inputs, r * m->Q * sizeof *c->inducing_inputs);
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *c->inducing_sums, &c->inducing_sums));
    memcpy(c->inducing_sums, m->posterior->sums, count * sizeof *c->inducing_sums);
    return RM2_OK;
}

static rm2_status fill(rm2_context *ctx, const rm2_model *m, const rm2i_kept *kept, rm2_model *c) {
    c->trained = m->trained ? m->trained : m->N;
    RM2_TRY(rm2i_alloc(ctx, m->iterations + 1, sizeof *c->trace, &c->trace));
    copy_parameters(m, kept, c);
    copy_record(m, c);
    RM2_TRY(take_sums(ctx, m, c));
    return rm2i_model_finish(ctx, c);
}

static rm2_status build(rm2_context *ctx, const rm2_model *m, const rm2i_kept *kept,
                        rm2_model **compact) {
    rm2_data *data;
    rm2_model *c;
    RM2_TRY(keep_data(ctx, m->data, kept, &data));
    rm2_status status = rm2i_model_create(ctx, data, &m->settings, &c);
    rm2_data_free(data);
    RM2_TRY(status);
    status = fill(ctx, m, kept, c);
    if (status == RM2_OK)
        *compact = c;
    else
        rm2_model_free(c);
    return status;
}

rm2_status rm2_model_compact(rm2_context *ctx, const rm2_model *model, size_t points,
                             rm2_model **compact) {
    rm2i_kept kept;
    RM2_REQUIRE(ctx, compact);
    *compact = NULL;
    RM2_REQUIRE(ctx, model);
    if (points == 1)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "a compact model keeps at least 2 points, not 1");
    RM2_TRY(refuse(ctx, model));
    const rm2_data *d = model->data;
    const rm2i_start_data all = {
        .N = model->N, .trajectories = d->trajectories, .starts = d->starts};
    RM2_TRY(rm2i_keep(ctx, &all, points ? points : KEPT, &kept));
    rm2_status status = build(ctx, model, &kept, compact);
    rm2i_kept_free(&kept);
    return status;
}
