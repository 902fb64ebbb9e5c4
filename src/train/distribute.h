/* A training that the ranks of a team share.
 *
 * Rank 0 has the whole problem and gives each rank its part: whole units (rows/units.h), about as many points to each.
 * Then all ranks make the same calls (objective.h, train.h), each with its part; at the end rank 0 gets the latents of
 * all, and the outputs, which it need not keep meanwhile. */
#ifndef RM2I_DISTRIBUTE_H
#define RM2I_DISTRIBUTE_H

#include "train/train.h"

/* What the ranks that wait are asked for, by rank 0. */
typedef enum rm2i_work { RM2I_WORK_END, RM2I_WORK_TRAIN, RM2I_WORK_FIT_FILE } rm2i_work;
/* Rank 0: the others begin, as its next calls ask for. A team of NULL: there are none. */
void rm2i_work_begin(const rm2_context *ctx, const rm2_communicator *comm, rm2i_work work);
/* Other ranks: their side of rm2_fit_file (fit_file.c). */
rm2_status rm2i_fit_file_join(rm2_context *ctx, const rm2_communicator *comm);

/* What a rank trains on. */
typedef struct rm2i_part_of_training {
    rm2_fit_settings settings;
    rm2i_model_problem problem; /* of this rank */
    rm2_checkpoint checkpoint;  /* only rank 0 uses the path */
    double *F, *X0;             /* what the problem points to */
    size_t *starts, *inducing_points;
} rm2i_part_of_training;

/* A training of rank 0. */
typedef struct rm2i_whole_training {
    const rm2_fit_settings *settings;
    const rm2i_model_problem *problem;
    const rm2_checkpoint *checkpoint; /* NULL: none */
} rm2i_whole_training;

/* Refuses settings of a training that is not distributed. */
rm2_status rm2i_training_check(rm2_context *ctx, const rm2_fit_settings *s);
/* Rank 0: give the ranks their parts of a training, and this one its own. Refuses more ranks than there
 * are units, before another rank knows of it. Of the whole, the trajectories and the checkpoint's path must live longer. */
rm2_status rm2i_training_divide(rm2_context *ctx, const rm2_communicator *comm,
                                const rm2i_whole_training *whole, rm2i_part_of_training *part);
/* What a training leaves: latents (N x Q) and outputs (M x N) of all ranks, in fresh arrays on rank 0; NULL on others. */
typedef struct rm2i_collected {
    double *X, *F;
} rm2i_collected;
rm2_status rm2i_training_collect(rm2_context *ctx, const rm2i_objective *o, rm2i_collected *whole);
void rm2i_part_clear(rm2i_part_of_training *part);

#endif
