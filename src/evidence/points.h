/* Training for data without trajectories: every hyperparameter from an evidence in which the covariance of
 * the outputs is integrated out (gp/evidence.h), the latents moved once (gp/restricted.h).
 *
 *   F (M x N), centred outputs; X0 = T/s, T the start in units of the data, s the root mean square of T
 *   1. g, l, c, nu maximise evidence + log priors at X0
 *   2. X maximises the restricted likelihood with g, l and the noise level e held, under the anchor
 *      s^2 |X - X0|^2/(2 e tau^2): a latent's standard deviation under the noise is the unit of tau
 *   3. as 1 at X, then the output covariance (points_outputs.c)
 *
 * A start by principal components explains Q directions of the outputs exactly: they tell nothing about
 * noise and are left out of the evidence (`plane`). Other starts explain none, and all outputs count.
 * The model that comes out has the kernel w (1 + x.x') + g shape and the noise 1. Points that are equal count
 * once and share a latent. Of many points the evidence and the restricted likelihood are bounds by inducing points
 * (gp/evidence_bound.h, gp/restricted_bound.h), as is the covariance of the outputs. */
#ifndef RM2I_POINTS_H
#define RM2I_POINTS_H

#include "gp/evidence.h"
#include "train/train.h"

typedef struct rm2i_points_data {
    size_t N, M, Q;
    const double *F; /* M x N: centred outputs, task-major */
} rm2i_points_data;

/* ---- starts (points_start.c) ---------------------------------------------------------------- */

typedef struct rm2i_points_start {
    double *X;   /* N x Q, the caller's: centred, root mean square 1 */
    double unit; /* s; 0: from a regression of the outputs on X */
    bool plane;
} rm2i_points_start;

/* Principal components of the outputs, or Isomap on `neighbours` of each. */
rm2_status rm2i_points_components(rm2_context *ctx, const rm2i_points_data *data,
                                  rm2i_points_start *start);
rm2_status rm2i_points_isomap(rm2_context *ctx, const rm2i_points_data *data, size_t neighbours,
                              rm2i_points_start *start);
/* start->X as it is: centred and scaled. RM2_ERR_DATA if all latents are equal. */
rm2_status rm2i_points_given(rm2_context *ctx, const rm2i_points_data *data,
                             rm2i_points_start *start);

/* first[i]: the first point whose outputs equal those of point i, to rounding; returns how many are
 * distinct. */
rm2_status rm2i_points_distinct(rm2_context *ctx, const rm2i_points_data *data, size_t *first,
                                size_t *distinct);

/* ---- outputs (points_outputs.c) ------------------------------------------------------------- */

/* What a linear function of X leaves of the outputs. */
typedef struct rm2i_points_linear {
    double *B;    /* M x Q: least squares of F on X, transposed */
    double *W;    /* columns x M: orthonormal basis of the columns of B */
    double *left; /* M x N: (F - B X^T) without its part in W; or F itself unless `plane` */
    double *small, *scores;
    size_t columns;
    double unit; /* |B|/sqrt Q */
    double *memory;
} rm2i_points_linear;

rm2_status rm2i_points_linear_create(rm2_context *ctx, const rm2i_points_data *data,
                                     rm2i_points_linear *linear);
rm2_status rm2i_points_linear_at(const rm2i_points_data *data, const double *X, bool plane,
                                 rm2i_points_linear *linear);

/* Kf (M x M) and its mean level e, given the kernel (with its linear part) and c, nu, n. */
typedef struct rm2i_points_covariance {
    const rm2i_latent_kernel *kernel;
    const double *X;
    double scale, weight, freedom; /* c, nu, n */
    double least;                  /* smallest variance of an output */
    size_t r;                      /* inducing points; 0: exact */
    const size_t *index;           /* which r of the points */
    double *Kf;                    /* NULL: only the level is wanted */
    double level;                  /* e */
} rm2i_points_covariance;

rm2_status rm2i_points_outputs(rm2_context *ctx, const rm2i_points_data *data,
                               const rm2i_points_linear *linear, bool plane,
                               rm2i_points_covariance *covariance);

/* ---- training (points.c) ------------------------------------------------------------------- */

typedef struct rm2i_points_result {
    double *X;                    /* N x Q, the caller's */
    double *Kf;                   /* M x M, the caller's */
    double variance, lengthscale; /* of the radial part */
    double scale, weight;         /* c, nu */
    double level, unit;           /* e, s */
    double freedom;               /* nu + n + 2: of the Student t density of an observation */
    size_t distinct;              /* points */
    rm2_training_record training; /* its trace is the caller's to free */
    size_t inducing_count;
    size_t *inducing; /* which of all points are inducing, the caller's to free; NULL: exact */
} rm2i_points_result;

typedef struct rm2i_points_request {
    rm2i_points_data data;
    rm2i_points_start start;
    const rm2_fit_settings *settings;
} rm2i_points_request;

rm2_status rm2i_points_train(rm2_context *ctx, const rm2i_points_request *request,
                             rm2i_points_result *result);

/* The same as a way to train a model (points_model.c). */
extern const rm2i_trainer rm2i_evidence_trainer;

#endif
