/* The training loop: optimiser steps, the iteration table, checkpoints. */
#ifndef RM2I_TRAIN_H
#define RM2I_TRAIN_H

#include "optim/optim.h"
#include "riemann2/model.h"
#include "train/objective.h"

typedef struct rm2i_training {
    rm2_stop stop;
    size_t iterations, evaluations;
    double seconds;
    rm2_objective_terms start, end;
    rm2_certificate likelihood, dynamics; /* at the end */
    double *trace; /* iterations + 1 values of the objective's total; the caller's to free */
} rm2i_training;

/* Log that inference is by inducing points where the settings leave it open. */
void rm2i_tell_inference(rm2_context *ctx, const rm2_fit_settings *s, size_t N, bool inducing);

/* Train from the objective's start, or from the checkpoint; leaves the objective evaluated at the
 * best point. Collective where a team shares the problem; rank 0 reads and writes checkpoints, which are those of a
 * training by one process. */
rm2_status rm2i_train(rm2_context *ctx, rm2i_objective *o, const rm2_checkpoint *checkpoint,
                      rm2i_training *training);

/* Are there as many points as latent dimensions? Else RM2_ERR_ARGUMENT. (fit.c) */
rm2_status rm2i_latent_check(rm2_context *ctx, const rm2_fit_settings *s, size_t points);

/* Base point, outputs, start and training of a model that rm2i_model_create made; all but its posterior. Collective where
 * ranks have parts of its points. (fit.c) */
rm2_status rm2i_model_train(rm2_context *ctx, const rm2_fit_settings *s,
                            const rm2_checkpoint *checkpoint, rm2_model *model);

/* ---- checkpoint.c --------------------------------------------------------------------------- */

typedef struct rm2i_saved {
    struct rm2i_h5 *file; /* that has the optimiser's state, on rank 0; NULL: not read from one */
    size_t state_size;
    double *trace;
    size_t trace_size;
    rm2_objective_terms start;
    rm2_stop stop;    /* RM2_STOP_RUNNING but at the end */
    rm2i_sets sets;   /* of inducing points */
    size_t chosen_at; /* iteration at which they were chosen */
} rm2i_saved;

/* A number that differs when data, settings or start differ; of a team, on rank 0. */
uint64_t rm2i_fingerprint(const rm2i_objective *o, const double *raw);
/* Its beginning, from outputs and start; that of a team goes on from here. */
uint64_t rm2i_fingerprint_begin(const rm2i_model_problem *whole);
/* Where a checkpoint is written. */
typedef struct rm2i_checkpoint_place {
    const rm2_team *team; /* NULL, or the ranks that write it together: rank 0 has the file */
    const char *path;
    uint64_t fingerprint;
} rm2i_checkpoint_place;
/* The optimiser's state goes to the file piece by piece; saved->file is not looked at. */
rm2_status rm2i_checkpoint_write(rm2_context *ctx, const rm2i_checkpoint_place *place,
                                 const rm2i_saved *saved, const rm2i_optim *optim);
/* Reads into fresh arrays, all but the optimiser's state; refuses another training's checkpoint. */
rm2_status rm2i_checkpoint_read(rm2_context *ctx, const char *path, uint64_t fingerprint,
                                rm2i_saved *saved);
/* The optimiser's state, piece by piece. Collective. */
rm2_status rm2i_checkpoint_restore(rm2_context *ctx, const rm2i_saved *saved, rm2i_optim *optim);
/* What rank 0 has read, on all ranks, except for the optimiser's state. A failure leaves nothing to free. */
rm2_status rm2i_saved_tell(rm2_context *ctx, const rm2_team *team, rm2i_saved *saved);
void rm2i_saved_free(rm2i_saved *saved);

#endif
