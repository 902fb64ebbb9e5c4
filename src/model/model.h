/* The model object: everything needed to predict, and the record of its training. */
#ifndef RM2I_MODEL_H
#define RM2I_MODEL_H

#include "gp/posterior.h"
#include "riemann2/model.h"

struct rm2_model {
    rm2_manifold *manifold;
    rm2_fit_settings settings; /* its pointers are to members of this, or NULL */
    size_t N, M, Q;
    char *source;
    /* training data, scaled units */
    double *data;       /* N x ambient */
    double *F;          /* M x N */
    double *mean;       /* M */
    double *base;       /* ambient; the default point for RM2_GPLVM, which does not use it */
    double *scale;      /* factors */
    double *base_point; /* the base in the units of the data; NULL for RM2_GPLVM */
    size_t trajectories;
    size_t *starts;
    char **ids;
    size_t *labels;
    char **label_names;
    size_t label_count;
    /* parameters */
    double *X;                       /* N x Q */
    double *back_weights;            /* N x Q, or NULL */
    rm2_factor_kernel *back_kernels; /* one a factor, or NULL */
    double *lengthscale;             /* Q */
    double variance, linear, noise;
    double *task_noise; /* M, or NULL */
    double *Kf;         /* M x M */
    double gpdm[3];
    size_t inducing_count;   /* 0: exact inference */
    size_t *inducing;        /* which of the points they are; NULL: exact, or free inputs */
    double *inducing_inputs; /* inducing_count x Q: where they are; NULL: exact */
    size_t *given_inducing;  /* settings.inducing training points that were given, or NULL */
    size_t gpdm_inducing;
    /* record */
    rm2_objective_terms start, end;
    rm2_certificate likelihood, dynamics;
    double volume;
    rm2_stop stop;
    size_t iterations, evaluations;
    double seconds;
    double *trace; /* iterations + 1 */
    /* derived */
    rm2i_posterior *posterior;
    double *frame; /* of the manifold at the base point */
};

/* An empty model of these sizes with its arrays; labels, task noise and back constraint only if
 * asked for by the settings or the caller. */
rm2_status rm2i_model_create(rm2_context *ctx, const char *manifold_spec,
                             const rm2_fit_settings *settings, size_t N, rm2_model **model);
/* Posterior and frame, once the parameters are there. */
rm2_status rm2i_model_finish(rm2_context *ctx, rm2_model *model);

/* Outputs of n points (scaled units), not centred: tangent coordinates, or ambient ones
 * (RM2_GPLVM). out is n x M. */
rm2_status rm2i_model_outputs(rm2_context *ctx, const rm2_model *model, size_t n,
                              const double *points, double *out);
/* The way back: points (scaled units) of outputs with the mean included. */
rm2_status rm2i_model_points(rm2_context *ctx, const rm2_model *model, size_t n,
                             const double *outputs, double *points);

/* Divide (or, undoing it, multiply) Euclidean factors by the model's scale. */
void rm2i_model_scale(const rm2_model *model, bool undo, size_t n, double *points);

#endif
