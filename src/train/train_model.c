/* Training of a model by the objective: alone, divided among the ranks of a team, or by ranks that have read their parts. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/inducing.h"
#include "model/back.h"
#include "train/distribute.h"

static void copy_block(const rm2i_objective *o, rm2i_parameter_block block, double *to,
                       size_t count) {
    const rm2i_block_info *b = &o->par.block[block];
    for (size_t i = 0; i < count && b->count; i++)
        to[i] = o->natural[b->offset + (b->count > 1 ? i : 0)];
}

/* Of this process, or of all ranks: those of a team have outputs and start of the latents while they train. Ranks that
 * have read their parts keep what is theirs. */
static rm2_status take_latents(rm2_context *ctx, const rm2i_objective *o, rm2_model *m) {
    rm2i_collected whole;
    if (!o->p.comm || m->parts) {
        memcpy(m->X, o->X, m->N * m->Q * sizeof *m->X);
        return RM2_OK;
    }
    rm2_status status = rm2i_training_collect(ctx, o, &whole);
    m->X = whole.X;
    m->F = whole.F;
    return status;
}

static void take_parameters(const rm2i_objective *o, rm2_model *m) {
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

static rm2_status take_inducing(rm2_context *ctx, const rm2i_objective *o, rm2_model *m) {
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

/* What the posterior needs of all points, summed by all ranks. */
static rm2_status take_sums(rm2_context *ctx, const rm2i_objective *o, rm2_model *m) {
    const rm2i_inducing *in = o->inducing;
    if (!in)
        return RM2_OK;
    size_t count = rm2i_inducing_sums_count(in->r, in->M);
    rm2_status status = RM2_OK;
    if (rm2i_parts_first(m->parts))
        status = rm2i_alloc(ctx, count, sizeof *m->inducing_sums, &m->inducing_sums);
    RM2_TRY(rm2i_agree(ctx, o->p.comm, status));
    m->own_sums = true;
    return rm2i_objective_sums(o, m->inducing_sums);
}

void rm2i_warn_accuracy(rm2_context *ctx, const rm2_fit_settings *s, const rm2_model *m) {
    const rm2_training_record *t = &m->training;
    double off =
        (t->likelihood.upper - t->end.log_likelihood) / (double)rm2i_parts_all(m->parts, m->N);
    if (m->inducing_count && s->inducing == 0 && off > s->accuracy)
        rm2i_log(ctx, RM2_LOG_WARNING,
                 "%zu inducing points: the log-likelihood is proven to %.1e nats per point, not to "
                 "%.1e; ask for more points with settings.inducing, or for less accuracy",
                 m->inducing_count, off, s->accuracy);
}

/* By this process, or by all ranks, each with its part. */
static rm2_status train_problem(rm2_context *ctx, const rm2i_whole_training *training,
                                rm2_model *m) {
    rm2i_objective *o = NULL;
    RM2_TRY(rm2i_objective_create(ctx, training->settings, training->problem, &o));
    rm2_status status = rm2i_train(ctx, o, training->checkpoint, &m->training);
    if (status == RM2_OK) {
        take_parameters(o, m);
        status = take_latents(ctx, o, m);
    }
    if (status == RM2_OK)
        status = take_sums(ctx, o, m);
    if (status == RM2_OK)
        status = rm2i_agree(ctx, rm2i_parts_comm(m->parts), take_inducing(ctx, o, m));
    rm2i_objective_free(o);
    return status;
}

static rm2_status train_with_team(rm2_context *ctx, const rm2_communicator *comm,
                                  const rm2i_whole_training *whole, rm2_model *m) {
    rm2i_part_of_training part;
    rm2_status status = rm2i_training_divide(ctx, comm, whole, &part);
    if (status == RM2_OK) {
        free(m->X); /* the ranks have them */
        free(m->F);
        m->X = m->F = NULL;
        status = train_problem(
            ctx, &(rm2i_whole_training){&part.settings, &part.problem, &part.checkpoint}, m);
    }
    rm2i_part_clear(&part);
    return status;
}

/* Every rank with the part that it has read: the whole is described by sums over the ranks. */
static rm2_status train_read_parts(rm2_context *ctx, const rm2_fit_settings *s,
                                   const rm2_checkpoint *checkpoint, rm2i_model_problem *p,
                                   rm2_model *m) {
    p->comm = m->parts->comm;
    p->all = m->parts->all;
    p->all_trajectories = m->parts->all_trajectories;
    p->all_starts = m->parts->starts;
    p->psi = rm2i_mean_variance(p);
    p->squared_step = rm2i_mean_squared_step(p);
    if (checkpoint && checkpoint->path)
        p->begun = rm2i_fingerprint_begin(p);
    return train_problem(ctx, &(rm2i_whole_training){s, p, checkpoint}, m);
}

/* From the start in m->X, which becomes the result. */
static rm2_status train(rm2_context *ctx, const rm2_fit_settings *s,
                        const rm2_checkpoint *checkpoint, rm2_model *m) {
    const rm2_communicator *comm = rm2i_communicator_of(ctx);
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
                                  .starts = m->data->starts};
    const rm2i_whole_training whole = {s, &problem, checkpoint};
    if (status == RM2_OK && m->parts)
        status = train_read_parts(ctx, s, checkpoint, &problem, m);
    else if (status == RM2_OK)
        status = comm ? train_with_team(ctx, comm, &whole, m) : train_problem(ctx, &whole, m);
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
