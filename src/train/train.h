/* The training loop: optimiser steps, the iteration table, checkpoints. */
#ifndef RM2I_TRAIN_H
#define RM2I_TRAIN_H

#include "model/model.h"
#include "optim/optim.h"
#include "riemann2/model.h"
#include "train/objective.h"

/* Train from the objective's start, or from the checkpoint; leaves the objective evaluated at the
 * best point. The root reads and writes checkpoints, which are those of a training by a single process. */
rm2_status rm2i_train(rm2_context *ctx, rm2i_objective *o, const rm2_checkpoint *checkpoint,
                      rm2_training_record *training);

/* ---- trainers -------------------------------------------------------------------------------- */

/* Method of training for a model whose base point and outputs are there. */
typedef struct rm2i_trainer {
    bool checkpoints; /* can it write and resume them? */
    /* Find the latents to start from, m->X, from the outputs V (N x M, centred). */
    rm2_status (*start)(rm2_context *ctx, const rm2_fit_settings *s, const double *V, rm2_model *m);
    /* Train from these: latents, parameters and the record of the training. */
    rm2_status (*train)(rm2_context *ctx, const rm2_fit_settings *s,
                        const rm2_checkpoint *checkpoint, rm2_model *m);
} rm2i_trainer;

/* By the objective (train_model.c). RM2_TASK_INTEGRATED has rm2i_evidence_trainer (evidence/points.h). */
extern const rm2i_trainer rm2i_objective_trainer;

/* Warn if the accuracy that was asked for was not reached with inducing points. */
void rm2i_warn_accuracy(rm2_context *ctx, const rm2_fit_settings *s, const rm2_model *m);

/* Find the start X0 (N x Q) of the latents from the outputs V (N x M, centred), as the settings ask for; fill the
 * model's report of it. X0 NULL: only the report of aligned demonstrations. (latent_start.c) */
rm2_status rm2i_model_start(rm2_context *ctx, const rm2_fit_settings *s, const double *V,
                            double *X0, rm2_model *m);

/* ---- checkpoint.c --------------------------------------------------------------------------- */

typedef struct rm2i_saved {
    struct rm2i_file
        *file;        /* that has the optimiser's state, on the root; NULL: not read from one */
    const char *path; /* the file's, for messages */
    size_t state_size;
    double *trace;
    size_t trace_size;
    rm2_objective_terms start;
    rm2_stop stop;    /* RM2_STOP_RUNNING but at the end */
    rm2i_sets sets;   /* of inducing points */
    size_t chosen_at; /* iteration at which they were chosen */
} rm2i_saved;

/* A number that differs when data, settings or start differ. */
uint64_t rm2i_fingerprint(const rm2i_objective *o, const double *raw);
/* Where a checkpoint is written. */
typedef struct rm2i_checkpoint_place {
    const rm2i_rows *rows; /* of all processes that write it together: the root has the file */
    const char *path;
    uint64_t fingerprint;
} rm2i_checkpoint_place;
/* The optimiser's state goes to the file piece by piece; saved->file is not looked at. */
rm2_status rm2i_checkpoint_write(rm2_context *ctx, const rm2i_checkpoint_place *place,
                                 const rm2i_saved *saved, const rm2i_optim *optim);
/* Reads into fresh arrays, all but the optimiser's state; refuses another training's checkpoint. */
rm2_status rm2i_checkpoint_read(rm2_context *ctx, const char *path, uint64_t fingerprint,
                                rm2i_saved *saved);
/* The optimiser's state, piece by piece. */
rm2_status rm2i_checkpoint_restore(rm2_context *ctx, const rm2i_saved *saved, rm2i_optim *optim);
/* Broadcast what the root has read, except for the optimiser's state. A failure leaves nothing to free. */
rm2_status rm2i_saved_broadcast(rm2_context *ctx, const rm2i_rows *rows, rm2i_saved *saved);
void rm2i_saved_free(rm2i_saved *saved);

#endif
