/* The parts of a training, and the ranks that wait for one. */
#include "train/distribute.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "rows/parts.h"

/* ---- what rank 0 tells the others ----------------------------------------------------------- */

/* What a training of rank 0 is. */
typedef struct job {
    size_t M, Q;
    double psi, squared_step, checkpoint_seconds;
    bool checkpoint, resume, inducing_points;
    rm2_fit_settings settings;
} job;

static job job_of(const rm2i_whole_training *whole) {
    const rm2i_model_problem *p = whole->problem;
    const rm2_checkpoint *c = whole->checkpoint;
    return (job){.M = p->M,
                 .Q = p->Q,
                 .psi = rm2i_mean_variance(p),
                 .squared_step = rm2i_mean_squared_step(p),
                 .checkpoint_seconds = c ? c->seconds : 0,
                 .checkpoint = c && c->path,
                 .resume = c && c->resume,
                 .inducing_points = whole->settings->inducing_points != NULL,
                 .settings = *whole->settings};
}

/* ---- what can be divided --------------------------------------------------------------------- */

rm2_status rm2i_training_check(rm2_context *ctx, const rm2_fit_settings *s) {
    if (s->task == RM2_TASK_INTEGRATED)
        return rm2i_fail(
            ctx, RM2_ERR_UNSUPPORTED,
            "training with settings.task integrated is not divided among ranks: train on one rank");
    if (s->back_constraint)
        return rm2i_fail(
            ctx, RM2_ERR_UNSUPPORTED,
            "training with settings.back_constraint is not divided among ranks: train on one rank");
    if (s->inference == RM2_INFERENCE_EXACT || s->noise == RM2_NOISE_PER_OUTPUT)
        return rm2i_fail(
            ctx, RM2_ERR_UNSUPPORTED,
            "exact inference is not divided among ranks: set settings.inference to inducing and "
            "settings.noise to kronecker, or train on one rank");
    return RM2_OK;
}

/* ---- parts ---------------------------------------------------------------------------------- */

void rm2i_part_clear(rm2i_part_of_training *part) {
    free(part->F);
    free(part->X0);
    free(part->starts);
    free(part->inducing_points);
    *part = (rm2i_part_of_training){.F = NULL};
}

static rm2_status allocate(rm2_context *ctx, const job *j, const rm2i_parts *parts,
                           rm2i_part_of_training *part) {
    size_t n = rm2i_parts_rows(parts);
    RM2_TRY(rm2i_alloc(ctx, j->M, n * sizeof *part->F, &part->F));
    RM2_TRY(rm2i_alloc(ctx, n, j->Q * sizeof *part->X0, &part->X0));
    RM2_TRY(
        rm2i_alloc(ctx, rm2i_parts_trajectories(parts) + 1, sizeof *part->starts, &part->starts));
    return j->inducing_points ? rm2i_alloc(ctx, j->settings.inducing, sizeof *part->inducing_points,
                                           &part->inducing_points)
                              : RM2_OK;
}

static void fill(const job *j, const rm2i_parts *parts, const rm2i_whole_training *whole,
                 rm2i_part_of_training *part) {
    const rm2i_model_problem *p = whole ? whole->problem : NULL;
    size_t n = rm2i_parts_rows(parts);
    for (size_t m = 0; m < j->M; m++)
        rm2i_parts_distribute(parts, parts->rows, 1, p ? p->F + m * p->N : NULL, part->F + m * n);
    rm2i_parts_distribute(parts, parts->rows, j->Q, p ? p->X0 : NULL, part->X0);
    if (parts->all_trajectories > 0)
        rm2i_parts_starts(parts, part->starts);
    if (p && j->inducing_points)
        memcpy(part->inducing_points, whole->settings->inducing_points,
               j->settings.inducing * sizeof *part->inducing_points);
    if (j->inducing_points)
        rm2i_broadcast(parts->comm, part->inducing_points,
                       j->settings.inducing * sizeof *part->inducing_points);
}

static void describe(const job *j, const rm2i_parts *parts, const rm2i_whole_training *whole,
                     rm2i_part_of_training *part) {
    part->settings = j->settings;
    part->settings.inducing_points = part->inducing_points;
    part->settings.init_latent = part->settings.base_point = NULL; /* of the start, which is made */
    part->settings.back_kernels = NULL;
    part->problem = (rm2i_model_problem){.N = rm2i_parts_rows(parts),
                                         .M = j->M,
                                         .Q = j->Q,
                                         .F = part->F,
                                         .X0 = part->X0,
                                         .trajectories = rm2i_parts_trajectories(parts),
                                         .starts = part->starts,
                                         .comm = parts->comm,
                                         .all = parts->all,
                                         .all_trajectories = parts->all_trajectories,
                                         .psi = j->psi,
                                         .squared_step = j->squared_step};
    part->checkpoint = (rm2_checkpoint){
        .path = j->checkpoint ? "" : NULL, .seconds = j->checkpoint_seconds, .resume = j->resume};
    if (!whole)
        return;
    part->problem.all_starts = whole->problem->starts;
    if (j->checkpoint) {
        part->problem.begun = rm2i_fingerprint_begin(whole->problem);
        part->checkpoint.path = whole->checkpoint->path;
    }
}

/* Both sides of the division, once all know the job; rank 0 has the whole and the plan. */
static rm2_status take_part(rm2_context *ctx, const rm2_communicator *comm, const job *j,
                            rm2i_parts *parts, const rm2i_whole_training *whole,
                            rm2i_part_of_training *part) {
    RM2_TRY(rm2i_parts_share(ctx, comm, parts));
    RM2_TRY(rm2i_agree(ctx, comm, allocate(ctx, j, parts, part)));
    fill(j, parts, whole, part);
    describe(j, parts, whole, part);
    return RM2_OK;
}

rm2_status rm2i_training_divide(rm2_context *ctx, const rm2_communicator *comm,
                                const rm2i_whole_training *whole, rm2i_part_of_training *part) {
    const rm2i_model_problem *p = whole->problem;
    const rm2i_rows_of what = {.N = p->N,
                               .trajectories = p->trajectories,
                               .starts = p->starts,
                               .rows = rm2i_unit_rows(p->N)};
    rm2i_parts parts;
    *part = (rm2i_part_of_training){.F = NULL};
    RM2_TRY(rm2i_parts_plan(ctx, comm, &what, &parts));
    job j = job_of(whole);
    rm2i_work_begin(ctx, comm, RM2I_WORK_TRAIN);
    rm2i_broadcast(comm, &j, sizeof j);
    rm2_status status = take_part(ctx, comm, &j, &parts, whole, part);
    rm2i_parts_free(&parts);
    return status;
}

static rm2_status allocate_whole(rm2_context *ctx, const rm2i_model_problem *p,
                                 rm2i_collected *whole) {
    RM2_TRY(rm2i_alloc(ctx, p->all, p->Q * sizeof *whole->X, &whole->X));
    return rm2i_alloc(ctx, p->M, p->all * sizeof *whole->F, &whole->F);
}

rm2_status rm2i_training_collect(rm2_context *ctx, const rm2i_objective *o, rm2i_collected *whole) {
    const rm2i_ranges *points = &o->units->points;
    const rm2i_model_problem *p = &o->p;
    *whole = (rm2i_collected){.X = NULL};
    RM2_TRY(rm2i_agree(ctx, p->comm, p->comm->rank == 0 ? allocate_whole(ctx, p, whole) : RM2_OK));
    rm2i_shares_collect(points->shares, points->of_rank, p->Q, o->X, whole->X);
    for (size_t m = 0; m < p->M; m++)
        rm2i_shares_collect(points->shares, points->of_rank, 1, p->F + m * p->N,
                            whole->F ? whole->F + m * p->all : NULL);
    return RM2_OK;
}

/* ---- ranks that wait ------------------------------------------------------------------------ */

static rm2_status train_part(rm2_context *ctx, const rm2i_part_of_training *part) {
    rm2i_objective *o;
    rm2_training_record training;
    rm2i_collected none;
    RM2_TRY(rm2i_objective_create(ctx, &part->settings, &part->problem, &o));
    rm2_status status = rm2i_train(ctx, o, &part->checkpoint, &training);
    if (status == RM2_OK) {
        free(training.trace);
        status = rm2i_training_collect(ctx, o, &none);
    }
    if (status == RM2_OK) /* that rank 0 has memory for what comes */
        status = rm2i_agree(ctx, part->problem.comm, RM2_OK);
    if (status == RM2_OK)
        status = rm2i_objective_sums(o, NULL);
    rm2i_objective_free(o);
    return status;
}

/* What rank 0 asks the others for. */
typedef struct announcement {
    rm2i_work work;
    int threads; /* of each rank */
} announcement;

void rm2i_work_begin(const rm2_context *ctx, const rm2_communicator *comm, rm2i_work work) {
    announcement a = {work, rm2_context_threads(ctx)};
    rm2i_broadcast(comm, &a, sizeof a);
}

static rm2_status join_training(rm2_context *ctx, const rm2_communicator *comm) {
    job j;
    rm2i_parts parts = {.comm = NULL};
    rm2i_part_of_training part = {.F = NULL};
    rm2i_broadcast(comm, &j, sizeof j);
    rm2_status status = take_part(ctx, comm, &j, &parts, NULL, &part);
    rm2i_parts_free(&parts);
    if (status == RM2_OK)
        status = train_part(ctx, &part);
    rm2i_part_clear(&part);
    return status;
}

rm2_status rm2_communicator_serve(rm2_context *ctx) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    const rm2_communicator *comm = rm2i_communicator_of(ctx);
    if (comm && comm->rank == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "only rank 0 may train; other ranks call rm2_communicator_serve");
    while (comm) { /* rank 0 knows of a failure, and reports it */
        announcement a;
        rm2i_broadcast(comm, &a, sizeof a);
        if (a.work == RM2I_WORK_END)
            break;
        rm2_context_set_threads(ctx, a.threads);
        (void)(a.work == RM2I_WORK_TRAIN ? join_training(ctx, comm)
                                         : rm2i_fit_file_join(ctx, comm));
    }
    return RM2_OK;
}

rm2_status rm2_communicator_end(rm2_context *ctx) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    const rm2_communicator *comm = rm2i_communicator_of(ctx);
    if (comm && comm->rank != 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "only rank 0 may end the training of other ranks; this is rank %d",
                         comm->rank);
    rm2i_work_begin(ctx, comm, RM2I_WORK_END);
    return RM2_OK;
}
