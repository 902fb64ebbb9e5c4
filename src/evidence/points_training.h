/* What the parts of a training without trajectories share: the distinct points, where the search is, its record. */
#ifndef RM2I_POINTS_TRAINING_H
#define RM2I_POINTS_TRAINING_H

#include "evidence/points.h"

enum {
    RM2I_POINTS_VARIANCE,
    RM2I_POINTS_LENGTHSCALE,
    RM2I_POINTS_SCALE,
    RM2I_POINTS_WEIGHT,
    RM2I_POINTS_HYPERS
};

typedef struct rm2i_points_training {
    rm2_context *ctx;
    const rm2_fit_settings *s;
    rm2i_points_data d; /* distinct points */
    bool plane;
    double *F, *X0, *X; /* of distinct points: M x N, N x Q, N x Q */
    size_t *number;     /* N: which of all points they are */
    double *rows;       /* count x N, count = min(N, M): rows with the F F^T of the outputs */
    size_t count;
    rm2i_points_linear linear;
    double least, unit, level;
    double hyper[RM2I_POINTS_HYPERS];
    double *lengthscale; /* Q, for kernels */
    bool by_inducing;    /* inference by inducing points */
    size_t *index;       /* which of the distinct points: of the last choice */
    size_t r, most;      /* how many; room for `most` */
    rm2_certificate likelihood;
    size_t evaluations, traced, most_traced;
    double *trace;
    rm2_objective_terms start, terms;
    double since;
    rm2_stop stop;
    double *memory;
} rm2i_points_training;

enum {
    RM2I_POINTS_LATENT_ITERATIONS = 100,
    RM2I_POINTS_ROUNDS = 5
}; /* at most; choices per search */

/* n = N - 1 - Q */
double rm2i_points_freedom(const rm2i_points_training *t);
/* The kernel of the model at the hyperparameters as they are, with or without its linear part. */
rm2i_latent_kernel rm2i_points_kernel(const rm2i_points_training *t, bool linear);
/* The outputs that count at X, once `linear` is there. */
rm2i_evidence_data rm2i_points_evidence_data(const rm2i_points_training *t, const double *X);
rm2i_evidence_at rm2i_points_place(const double *hyper);
/* One more iteration, at an objective with the terms as they are. */
void rm2i_points_record(rm2i_points_training *t, double gradient, double step, rm2_stop stop);

/* Hyperparameters at X by the evidence, exact or by inducing points (points_search.c). */
rm2_status rm2i_points_find_hypers(rm2i_points_training *t, const double *X);
/* X from X0 by the restricted likelihood (points_latents.c). */
rm2_status rm2i_points_move(rm2i_points_training *t);
void rm2i_points_centre(size_t N, size_t Q, double *X);

/* ---- inducing points (points_inducing.c) ----------------------------------------------------- */

/* Largest trace of K - Q for the accuracy that the settings ask for, with m outputs. */
double rm2i_points_trace(const rm2i_points_training *t, size_t m);
/* Choose the points at X for a kernel; m outputs. */
rm2_status rm2i_points_choose(rm2i_points_training *t, const rm2i_latent_kernel *kernel,
                              const double *X, size_t m);
/* What the evidence at the result is proven to be within. */
rm2_status rm2i_points_certify(rm2i_points_training *t);

#endif
