/* Training of a model by the objective. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "model/back.h"
#include "train/scattered.h"

static void copy_block(const rm2i_objective *o, rm2i_parameter_block block, double *to,
                       size_t count) {
    const rm2i_block_info *b = &o->par.block[block];
    for (size_t i = 0; i < count && b->count; i++)
        to[i] = o->natural[b->offset + (b->count > 1 ? i : 0)];
}

static void copy_parameters(const rm2i_objective *o, rm2_model *m) {
    memcpy(m->Kf, o->Kf, m->M * m->M * sizeof *m->Kf);
    memcpy(m->lengthscale, o->lengthscale, m->Q * sizeof *m->lengthscale);
    copy_block(o, RM2I_VARIANCE, &m->variance, 1);
    copy_block(o, RM2I_LINEAR, &m->linear, 1);
    copy_block(o, RM2I_NOISE, &m->noise, 1);
    if (m->task_noise)
        copy_block(o, RM2I_TASK_NOISE, m->task_noise, m->M);
    if (m->back_weights)
        copy_block(o, RM2I_LATENT, m->back_weights, m->N * m->Q);
    copy_block(o, RM2I_GPDM_LENGTHSCALE, &m->gpdm[0], 1);
    copy_block(o, RM2I_GPDM_VARIANCE, &m->gpdm[1], 1);
    copy_block(o, RM2I_GPDM_NOISE, &m->gpdm[2], 1);
}

static rm2_status copy_points(rm2_context *ctx, size_t count, const size_t *points, size_t **copy) {
    if (!points)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof **copy, copy));
    memcpy(*copy, points, count * sizeof **copy);
    return RM2_OK;
}

static rm2_status copy_inducing(rm2_context *ctx, const rm2i_objective *o, rm2_model *m) {
    const rm2i_inducing *in = o->inducing;
    m->gpdm_inducing = o->gpdm.inducing ? o->gpdm.inducing->r : 0;
    if (!in)
        return RM2_OK;
    m->inducing_count = in->r;
    RM2_TRY(rm2i_alloc(ctx, in->r, m->Q * sizeof *m->inducing_inputs, &m->inducing_inputs));
    memcpy(m->inducing_inputs, in->Z, in->r * m->Q * sizeof *in->Z);
    RM2_TRY(copy_points(ctx, o->s.inducing, o->s.inducing_points, &m->given_inducing));
    m->settings.inducing_points = m->given_inducing;
    return copy_points(ctx, in->r, in->index, &m->inducing);
}

/* The sums over all points that the posterior needs, on the root. */
static rm2_status sum_points(rm2_context *ctx, const rm2i_objective *o, rm2_model *m) {
    const rm2i_inducing *in = o->inducing;
    double *sums = NULL;
    if (!in)
        return RM2_OK;
    rm2_status status = RM2_OK;
    if (m && rm2i_rows_root(&o->rows))
        status = rm2i_alloc(ctx, rm2i_inducing_sums_count(in->r, in->M), sizeof *sums, &sums);
    if (m) {
        m->inducing_sums = sums;
        m->own_sums = true;
    }
    RM2_TRY(rm2i_rows_agree(ctx, &o->rows, status));
    return rm2i_objective_sums(o, sums);
}

void rm2i_warn_accuracy(rm2_context *ctx, const rm2_fit_settings *s, const rm2_model *m) {
    const rm2_training_record *t = &m->training;
    double off =
        (t->likelihood.upper - t->end.log_likelihood) / (double)rm2i_rows_all(m->rows, m->N);
    if (m->inducing_count && s->inducing == 0 && off > s->accuracy)
        rm2i_log(ctx, RM2_LOG_WARNING,
                 "%zu inducing points: the log-likelihood is proven to %.1e nats per point, not to "
                 "%.1e; ask for more points with settings.inducing, or for less accuracy",
                 m->inducing_count, off, s->accuracy);
}

/* All processes of a training, each with its rows; m: the model that they train, NULL on processes that have none. */
static rm2_status train_rows(rm2_context *ctx, const rm2i_training *t, rm2_model *m) {
    rm2i_objective *o;
    rm2_training_record unused = {.trace = NULL}, *record = m ? &m->training : &unused;
    RM2_TRY(rm2i_objective_create(ctx, t->settings, t->problem, &o));
    rm2_status status = rm2i_train(ctx, o, t->checkpoint, record);
    if (status == RM2_OK && m)
        copy_parameters(o, m);
    if (status == RM2_OK && !m)
        free(record->trace);
    if (status == RM2_OK)
        status = sum_points(ctx, o, m);
    if (status == RM2_OK)
        status = rm2i_rows_agree(ctx, &o->rows, m ? copy_inducing(ctx, o, m) : RM2_OK);
    if (status == RM2_OK)
        memcpy(t->X, o->X, o->p.N * o->p.Q * sizeof *t->X);
    rm2i_objective_free(o);
    return status;
}

/* The root has all points of its model m; other processes have neither a model nor `whole`. */
static rm2_status train_scattered(rm2_context *ctx, const rm2i_training *whole, rm2_model *m) {
    rm2i_scattered part;
    double *X = NULL, *F = NULL;
    rm2_status status = rm2i_training_scatter(ctx, whole, &part);
    if (status == RM2_OK && m) { /* the processes have them meanwhile */
        free(m->X);
        free(m->F);
        m->X = m->F = NULL;
    }
    if (status == RM2_OK)
        status = train_rows(ctx, &part.training, m);
    if (status == RM2_OK)
        status = rm2i_training_gather(ctx, &part, &X, &F);
    if (m && !m->X) {
        m->X = X;
        m->F = F;
    }
    rm2i_scattered_clear(&part);
    return status;
}

rm2_status rm2i_training_join(rm2_context *ctx) {
    return train_scattered(ctx, NULL, NULL);
}

/* From the start in m->X, which becomes the result. */
static rm2_status train(rm2_context *ctx, const rm2_fit_settings *s,
                        const rm2_checkpoint *checkpoint, rm2_model *m) {
    const rm2i_rows none = rm2i_rows_none(ctx);
    double *gram = NULL;
    rm2_status status =
        s->back_constraint ? rm2i_back_create(ctx, s->back_kernels, m, &gram) : RM2_OK;
    rm2i_model_problem problem = {.N = m->N,
                                  .M = m->M,
                                  .Q = m->Q,
                                  .F = m->F,
                                  .X0 = m->X,
                                  .gram = gram,
                                  .trajectories = m->data->trajectories,
                                  .starts = m->data->starts,
                                  .rows = m->rows};
    const rm2i_training training = {s, &problem, checkpoint, m->X};
    bool scattered = !m->rows && rm2i_rows_shared(&none);
    if (status == RM2_OK && scattered)
        rm2i_announce(ctx, RM2I_WORK_TRAIN);
    if (status == RM2_OK)
        status = scattered ? train_scattered(ctx, &training, m) : train_rows(ctx, &training, m);
    free(gram);
    if (status == RM2_OK && m->training.end.jitter > 0)
        rm2i_log(ctx, RM2_LOG_WARNING, "a jitter of %.1e was added to a covariance matrix",
                 m->training.end.jitter);
    if (status == RM2_OK)
        rm2i_warn_accuracy(ctx, s, m);
    return status;
}

static rm2_status start(rm2_context *ctx, const rm2_fit_settings *s, const double *V,
                        rm2_model *m) {
    return rm2i_model_start(ctx, s, V, m->X, m);
}

const rm2i_trainer rm2i_objective_trainer = {.checkpoints = true, .start = start, .train = train};
