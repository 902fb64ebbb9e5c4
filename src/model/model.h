/* The model object: everything needed to predict, and the record of its training. */
#ifndef RM2I_MODEL_H
#define RM2I_MODEL_H

#include <stdatomic.h>

#include "data/data.h"
#include "gp/latent_prior.h"
#include "gp/posterior.h"
#include "riemann2/model.h"
#include "rows/rows.h"

/* Found when it is needed for the first time: it takes longer than loading a model. */
typedef struct rm2i_lazy_posterior {
    _Atomic(rm2i_posterior *) found; /* NULL: not yet */
} rm2i_lazy_posterior;

struct rm2_model {
    rm2_model_info info;          /* what callers see of the rest */
    rm2_data *data;               /* the training set, retained */
    const rm2_manifold *manifold; /* of the data */
    const rm2i_rows *
        rows; /* of which the data are, while processes train that have read parts of them; else NULL */
    rm2_fit_settings settings; /* its pointers are to members of this, or NULL */
    size_t N, M, Q;
    double *F;          /* M x N: outputs of the training points, centred */
    double *mean;       /* M */
    double *base;       /* ambient, scaled units; the default point for RM2_GPLVM, which has none */
    double *base_point; /* the base in the units of the data; NULL for RM2_GPLVM */
    /* parameters */
    double *X;                       /* N x Q */
    double *back_weights;            /* N x Q, or NULL */
    rm2_factor_kernel *back_kernels; /* one per factor, or NULL */
    double *lengthscale;             /* Q */
    double variance, linear, noise;
    double *task_noise; /* M, or NULL */
    double *Kf;         /* M x M */
    double gpdm[3];
    double freedom; /* degrees of the Student t density of an observation; 0: normal density */
    double *
        calibration; /* one scale of the predictive covariance per factor (train/calibrate.h); NULL: none */
    size_t calibrated;   /* demonstrations that they were found on; 0: none */
    double latent_noise; /* variance that the noise of the outputs gives a latent, with `freedom` */
    size_t inducing_count;   /* 0: exact inference */
    size_t *inducing;        /* which of the points they are; NULL: exact, or free inputs */
    double *inducing_inputs; /* inducing_count x Q: where they are; NULL: exact */
    double *
        inducing_sums; /* rm2i_inducing_sum, of training, of a file or of the model that a compact one
                              comes from, until the posterior has them; or NULL */
    bool own_sums;     /* they are of training */
    size_t *given_inducing; /* settings.inducing training points that were given, or NULL */
    size_t gpdm_inducing;
    size_t trained; /* compact models: points it was trained on, of which N are here; else 0 */
    /* record */
    rm2_training_record training;
    double volume;
    rm2_start_report *start_report; /* NULL unless the start aligned demonstrations */
    /* derived */
    rm2i_posterior *posterior;
    rm2i_lazy_posterior *quick; /* for the variance while encoding; the posterior itself if there
                                   is none through fewer points */
    rm2i_latent_prior *prior; /* of a latent point, with `freedom`; NULL: a broad normal density */
    rm2i_posterior *
        white; /* of many outputs, Kronecker noise: the posterior with P^-1 C in the place of C; else NULL */
    double *scale; /* M: roots of the scales, one per output; NULL: none */
    double *frame; /* of the manifold at the base point */
};

/* Scales of a calibration that a model may have. */
#define RM2I_SCALE_LEAST 1e-100
#define RM2I_SCALE_MOST  1e100

/* An empty model of a data set with its arrays; task noise and back constraint only if the settings
 * ask for them. */
rm2_status rm2i_model_create(rm2_context *ctx, const rm2_data *data,
                             const rm2_fit_settings *settings, rm2_model **model);
/* The rows of which its points are. */
rm2i_rows rm2i_model_rows(const rm2_model *model);
/* What the posterior is made from. */
rm2i_gp rm2i_model_gp(const rm2_model *model);
/* Failure with a message if most training points are not in the model, which `what` needs. */
rm2_status rm2i_model_whole(rm2_context *ctx, const rm2_model *model, const char *what);
/* Posterior, frame and info, once the parameters are there. */
rm2_status rm2i_model_finish(rm2_context *ctx, rm2_model *model);

/* rm2_model_compact of a model that may be compact, with the ids of all trajectories. The model need not be finished;
 * with `rows` the compact one is the root's. */
rm2_status rm2i_model_compact(rm2_context *ctx, const rm2_model *model, const char *const *ids,
                              size_t points, rm2_model **compact);

/* The model's quick posterior, found if it is not there. */
rm2_status rm2i_model_quick(rm2_context *ctx, const rm2_model *model, const rm2i_posterior **quick);
void rm2i_model_quick_free(rm2_model *model);

/* n points from outside, in the units of the data, to scaled ones, which are on the manifold
 * (RM2_WGPLVM): those further off than rounding explains are refused with point, factor and defect.
 * With `there` (n x M flags, all false) NaN entries are missing and their coordinates are not there. */
rm2_status rm2i_model_project(rm2_context *ctx, const rm2_model *model, size_t n,
                              const double *points, double *scaled, bool *there);
/* Outputs of n points (scaled units), not centred: tangent coordinates, or ambient ones
 * (RM2_GPLVM). out is n x M. */
rm2_status rm2i_model_outputs(rm2_context *ctx, const rm2_model *model, size_t n,
                              const double *points, double *out);
/* The way back: points (scaled units) of outputs with the mean included. */
rm2_status rm2i_model_points(rm2_context *ctx, const rm2_model *model, size_t n,
                             const double *outputs, double *points);

/* Are the data on the model's manifold, and their matrices regularised alike? */
rm2_status rm2i_check_manifold(rm2_context *ctx, const rm2_model *model, const rm2_data *data);
rm2_status rm2i_check_shrinkage(rm2_context *ctx, const rm2_model *m, const rm2_data *data);
/* Are n x width numbers finite? `what` names a row in the message. */
rm2_status rm2i_check_finite(rm2_context *ctx, const char *what, size_t n, size_t width,
                             const double *x);

#endif
