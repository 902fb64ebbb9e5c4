/* A training of which one process has all points: it gives the others their rows, and gets the results back.
 *
 * The root has the problem and announces it; the other processes wait for announcements (fit/serve.c). All then train as
 * processes do that have read their rows themselves. */
#ifndef RM2I_SCATTERED_H
#define RM2I_SCATTERED_H

#include "train/train.h"

/* Work that the root announces. */
typedef enum rm2i_work { RM2I_WORK_END, RM2I_WORK_TRAIN, RM2I_WORK_FIT_FILE } rm2i_work;
typedef struct rm2i_announcement {
    rm2i_work work;
    int threads; /* of each process */
} rm2i_announcement;
/* On the root: the others take part in its next calls. Nothing happens in a single process. */
void rm2i_announce(const rm2_context *ctx, rm2i_work work);

/* Refuse settings of a training that several processes cannot share. */
rm2_status rm2i_training_check(rm2_context *ctx, const rm2_fit_settings *s);

/* A training: problem, settings, checkpoint, and where the latents of its rows go. */
typedef struct rm2i_training {
    const rm2_fit_settings *settings;
    const rm2i_model_problem *problem;
    const rm2_checkpoint *checkpoint; /* NULL: none */
    double *X;                        /* N x Q; may be where problem->X0 is */
} rm2i_training;

/* The rows that a process gets. */
typedef struct rm2i_scattered {
    rm2i_training training; /* of the following */
    rm2_fit_settings settings;
    rm2i_model_problem problem;
    rm2_checkpoint checkpoint; /* only the root uses the path */
    rm2i_rows rows;
    double *F, *X;
    size_t *inducing_points;
} rm2i_scattered;

/* On all processes, after the announcement; `whole` is the root's, NULL on others. Fails with more processes than units. */
rm2_status rm2i_training_scatter(rm2_context *ctx, const rm2i_training *whole,
                                 rm2i_scattered *part);
/* Latents (N x Q) and outputs (M x N) of all rows, in fresh arrays on the root; NULL on other processes. */
rm2_status rm2i_training_gather(rm2_context *ctx, const rm2i_scattered *part, double **X,
                                double **F);
void rm2i_scattered_clear(rm2i_scattered *part);

/* On other processes: their side of a training that the root announced. (train_model.c) */
rm2_status rm2i_training_join(rm2_context *ctx);

#endif
