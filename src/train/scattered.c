/* Scattering a training among processes, and gathering its results. */
#include "train/scattered.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"

void rm2i_announce(const rm2_context *ctx, rm2i_work work) {
    const rm2i_rows none = rm2i_rows_none(ctx);
    rm2i_announcement a = {work, rm2_context_threads(ctx)};
    rm2i_rows_broadcast(&none, &a, sizeof a);
}

rm2_status rm2i_training_check(rm2_context *ctx, const rm2_fit_settings *s) {
    if (s->task == RM2_TASK_INTEGRATED)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "training with settings.task integrated is not divided among processes: "
                         "train on a single process");
    if (s->back_constraint)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "training with settings.back_constraint is not divided among processes: "
                         "train on a single process");
    if (s->inference == RM2_INFERENCE_EXACT || s->noise == RM2_NOISE_PER_OUTPUT)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "exact inference is not divided among processes: set settings.inference "
                         "to inducing and "
                         "settings.noise to kronecker, or train on a single process");
    return RM2_OK;
}

void rm2i_scattered_clear(rm2i_scattered *part) {
    rm2i_rows_free(&part->rows);
    free(part->F);
    free(part->X);
    free(part->inducing_points);
    *part = (rm2i_scattered){.F = NULL};
}

/* The sizes and settings of the whole. */
typedef struct job {
    size_t M, Q;
    double checkpoint_seconds;
    bool checkpoint, resume, inducing_points;
    rm2_fit_settings settings;
} job;

static job job_of(const rm2i_training *whole) {
    const rm2_checkpoint *c = whole->checkpoint;
    return (job){.M = whole->problem->M,
                 .Q = whole->problem->Q,
                 .checkpoint_seconds = c ? c->seconds : 0,
                 .checkpoint = c && c->path,
                 .resume = c && c->resume,
                 .inducing_points = whole->settings->inducing_points != NULL,
                 .settings = *whole->settings};
}

static rm2_status allocate(rm2_context *ctx, const job *j, rm2i_scattered *part) {
    size_t n = part->rows.n, given = j->inducing_points ? j->settings.inducing : 0;
    RM2_TRY(rm2i_alloc(ctx, j->M, n * sizeof *part->F, &part->F));
    RM2_TRY(rm2i_alloc(ctx, n, j->Q * sizeof *part->X, &part->X));
    return given ? rm2i_alloc(ctx, given, sizeof *part->inducing_points, &part->inducing_points)
                 : RM2_OK;
}

static void fill(const job *j, const rm2i_training *whole, const rm2i_scattered *part) {
    const rm2i_model_problem *p = whole ? whole->problem : NULL;
    size_t n = part->rows.n, given = j->settings.inducing * sizeof *part->inducing_points;
    for (size_t m = 0; m < j->M; m++)
        rm2i_rows_scatter(&part->rows, 1, p ? p->F + m * p->N : NULL, part->F + m * n);
    rm2i_rows_scatter(&part->rows, j->Q, p ? p->X0 : NULL, part->X);
    if (whole && j->inducing_points)
        memcpy(part->inducing_points, whole->settings->inducing_points, given);
    if (j->inducing_points)
        rm2i_rows_broadcast(&part->rows, part->inducing_points, given);
}

static void describe(const job *j, const rm2i_training *whole, rm2i_scattered *part) {
    part->settings = j->settings;
    part->settings.inducing_points = part->inducing_points;
    part->settings.init_latent = part->settings.base_point = NULL; /* of the start, which is made */
    part->settings.back_kernels = NULL;
    part->problem = (rm2i_model_problem){.N = part->rows.n,
                                         .M = j->M,
                                         .Q = j->Q,
                                         .F = part->F,
                                         .X0 = part->X,
                                         .trajectories = part->rows.trajectories,
                                         .starts = part->rows.starts,
                                         .rows = &part->rows};
    part->checkpoint = (rm2_checkpoint){
        .path = j->checkpoint ? "" : NULL, .seconds = j->checkpoint_seconds, .resume = j->resume};
    if (whole && j->checkpoint)
        part->checkpoint.path = whole->checkpoint->path;
    part->training = (rm2i_training){&part->settings, &part->problem, &part->checkpoint, part->X};
}

rm2_status rm2i_training_scatter(rm2_context *ctx, const rm2i_training *whole,
                                 rm2i_scattered *part) {
    rm2i_rows all = rm2i_rows_none(ctx);
    job j = {.M = 0};
    *part = (rm2i_scattered){.F = NULL};
    if (whole) {
        j = job_of(whole);
        all.n = whole->problem->N;
        all.trajectories = whole->problem->trajectories;
        all.starts = whole->problem->starts;
    }
    rm2i_rows_broadcast(&all, &j, sizeof j);
    RM2_TRY(rm2i_rows_divide(ctx, &all, &part->rows));
    RM2_TRY(rm2i_rows_agree(ctx, &all, allocate(ctx, &j, part)));
    fill(&j, whole, part);
    describe(&j, whole, part);
    return RM2_OK;
}

rm2_status rm2i_training_gather(rm2_context *ctx, const rm2i_scattered *part, double **X,
                                double **F) {
    const rm2i_model_problem *p = &part->problem;
    const rm2i_rows *rows = &part->rows;
    *F = NULL;
    RM2_TRY(rm2i_rows_room(ctx, rows, p->Q, NULL, X));
    RM2_TRY(rm2i_rows_room(ctx, rows, p->M, NULL, F));
    rm2i_rows_gather(rows, p->Q, part->X, *X);
    for (size_t m = 0; m < p->M; m++)
        rm2i_rows_gather(rows, 1, part->F + m * p->N, *F ? *F + m * rows->all : NULL);
    return RM2_OK;
}
