/* riemann2 eval: its options, and what its parts share. */
#ifndef RM2_CLI_EVAL_H
#define RM2_CLI_EVAL_H

#include "core/model.h"
#include "eval/findings.h"

enum { OBJECTIVE_BOTH, OBJECTIVE_DENSITY, OBJECTIVE_RESIDUAL };

typedef struct eval_options {
    const char *reference, *holdout_file, *by, *latents;
    text_list trajectories;
    int space, objective; /* rm2_model_view, one of the above */
    size_t resample;
    int ratio; /* 1: of the sequences of points */
    bool train;
    rm2_dtw_settings dtw;
    rm2_encode_settings encode;
} eval_options;

/* Points in trajectories, borrowed; without trajectories they are one. */
typedef struct runs {
    const char *source;
    const double *points; /* in the units of the data */
    size_t count;
    const size_t *starts;
    const char *const *ids;
} runs;

typedef struct evaluation {
    const model_work *m;
    const eval_options *options;
    rm2_data *reference, *held; /* NULL: none */
    double *training;           /* the model's own points, in the units of the data */
    double *encoded;            /* latents of the held-out points, once they were scored */
    findings found;
    bool converged; /* all encodings so far */
} evaluation;

/* Demonstrations, their distances from each other, and the distances of trajectories from them. */
int eval_trajectories(evaluation *e);
/* Density and reconstruction of held-out data. */
int eval_held_out(evaluation *e);
/* Reconstruction of the training data. */
int eval_training(evaluation *e);
/* Calibration on held-out data, if there are any, and on the training data if asked for. */
int eval_calibration(evaluation *e, bool training);

#endif
