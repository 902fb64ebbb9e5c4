/* Models: a wrapped multitask Gaussian process latent variable model of points on a manifold.
 *
 *     v_n = Log_p(y_n) in orthonormal coordinates at the base point p, centred: F (N x M)
 *     vec F ~ N(0, Kf (x) Kx + noise),   Kx = kernel of the latent points X (N x Q)
 *
 * Every decoded point, Exp_p(mean + f(x)), lies on the manifold. Training maximises one objective,
 * the sum of the terms that the settings switch on, over the parameters that the settings do not
 * hold fixed; recipes are named settings. */
#ifndef RIEMANN2_MODEL_H
#define RIEMANN2_MODEL_H

#include "riemann2/base.h"
#include "riemann2/data.h"
#include "riemann2/kernel.h"
#include "riemann2/latent.h"
#include "riemann2/manifold.h"
#include "riemann2/optim.h"
#include "riemann2/settings.h"
#include "riemann2/start.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- settings ------------------------------------------------------------------------------- */

typedef enum rm2_model_kind {
    RM2_WGPLVM, /* on the manifold, in tangent coordinates */
    RM2_GPLVM   /* Euclidean, in raw ambient coordinates: decoded points leave the manifold */
} rm2_model_kind;

/* How the task covariance Kf is determined. */
typedef enum rm2_task_kind {
    RM2_TASK_PROFILE, /* Kf in closed form at its best value (Kronecker noise only) */
    RM2_TASK_LEARNED, /* Kf = B B^T + diag(v), B and v parameters */
    /* The hyperparameters come from the evidence with Kf integrated out under an inverse Wishart
     * prior; latents are moved once. For points without trajectories. */
    RM2_TASK_INTEGRATED
} rm2_task_kind;

/* The base point p. */
typedef enum rm2_base_kind {
    RM2_BASE_FRECHET, /* mean of the training points */
    RM2_BASE_DEFAULT, /* 0, (1, 0, ...), identity: the base point of the paper */
    RM2_BASE_GIVEN
} rm2_base_kind;

/* The start of the latent points. */
typedef enum rm2_init_kind {
    /* Isomap of aligned demonstrations, whatever their timing; with fewer than two trajectories as
     * RM2_INIT_ISOMAP. */
    RM2_INIT_ALIGNED,
    RM2_INIT_ISOMAP, /* time-aware Isomap on the tangent coordinates */
    RM2_INIT_PCA,    /* principal components of the ambient coordinates */
    RM2_INIT_RANDOM, /* N(0, 1) */
    RM2_INIT_GIVEN,
    RM2_INIT_TANGENT, /* principal components of the tangent coordinates */
    /* RM2_INIT_TANGENT or RM2_INIT_ISOMAP: the one with the higher density of held-out points. */
    RM2_INIT_AUTO
} rm2_init_kind;

/* Families of demonstrations: groups that show the same motion (RM2_INIT_ALIGNED). */
typedef enum rm2_families {
    /* The labels, if they are constant along trajectories and each has at least two; else the
     * families are found in the data. */
    RM2_FAMILIES_AUTO,
    RM2_FAMILIES_ONE,  /* all demonstrations are one family */
    RM2_FAMILIES_LABEL /* the labels, which must be constant along trajectories */
} rm2_families;

/* Inference and its cost for N points. */
typedef enum rm2_inference {
    RM2_INFERENCE_AUTO,    /* exact for few points, inducing for many (Kronecker noise only) */
    RM2_INFERENCE_EXACT,   /* N^3 */
    RM2_INFERENCE_INDUCING /* a lower bound with r inducing points, N r^2 (Kronecker noise only) */
} rm2_inference;

typedef enum rm2_recipe {
    /* RM2_RECIPE_ROBUST for trajectories; RM2_RECIPE_POINTS for data without, if its rules allow
     * the settings. */
    RM2_RECIPE_AUTO,
    RM2_RECIPE_ROBUST, /* trains latents only: short fixed lengthscale, anchored latents */
    RM2_RECIPE_MAP,    /* learns all parameters under stated priors */
    RM2_RECIPE_PAPER,  /* the paper's settings */
    /* All parameters from an evidence, with a nearly linear kernel: for data without
     * trajectories. */
    RM2_RECIPE_POINTS
} rm2_recipe;

/* Settings of training. Defaults and ranges are in the table (RM2_SETTINGS_FIT) and in
 * docs/settings.md. */
typedef struct rm2_fit_settings {
    size_t size;       /* as rm2_fit_settings_recipe sets it */
    rm2_recipe recipe; /* recipe whose defaults fill the other settings */
    rm2_model_kind model;
    /* Q; 0: chosen on held-out points (RM2_TASK_INTEGRATED). */
    size_t latent_dim;

    rm2_latent_kind kernel;
    bool ard; /* one lengthscale per latent dimension */
    rm2_hyperparameter lengthscale, variance;
    rm2_hyperparameter linear; /* weight w of a linear part w (1 + x.x'); start 0: no such part */

    rm2_noise_kind noise;
    /* Variance s2 relative to Kf, or the noise that all outputs share. */
    rm2_hyperparameter noise_variance;
    rm2_hyperparameter task_noise; /* per-output noise only */
    double noise_bound;            /* with softplus: smallest noise */

    rm2_task_kind task;
    bool independent;   /* Kf is diagonal */
    size_t task_rank;   /* columns of B; 0: the number of outputs */
    bool task_random;   /* a learned Kf starts at random, as in the paper, not at the profile */
    double task_anchor; /* weight of Kf's isotropic anchor, in units of N; 0: none */
    /* RM2_TASK_INTEGRATED: weight nu of the inverse Wishart prior of Kf, and its scale nu psi,
     * where psi I is its mean; a start of 0: from the data. */
    rm2_hyperparameter task_weight, task_scale;

    bool latent_normal; /* N(0, I) on X */
    /* Width tau of the anchor X ~ N(X0, tau^2 I); 0: none. RM2_TASK_INTEGRATED: in standard
     * deviations of a latent under the noise. */
    double latent_anchor;
    bool latents_held;  /* X stays at its start (RM2_TASK_INTEGRATED only) */
    double gpdm_weight; /* weight of the log density of the dynamics over trajectories; 0: none */
    rm2_hyperparameter gpdm_lengthscale, gpdm_variance, gpdm_noise;

    bool back_constraint;                  /* X = K_M(Y, Y) W */
    const rm2_factor_kernel *back_kernels; /* one per factor; NULL: defaults */
    double back_ridge;                     /* ridge of the start of W, relative */

    bool softplus; /* parametrise positive numbers by softplus, not by logarithms */

    rm2_inference inference;
    /* Inducing points: largest error of the bound, in nats per point. */
    double accuracy;
    /* Number of inducing points; 0: as many as the accuracy requires. This member and the next two
     * select inference with inducing points if `inference` is RM2_INFERENCE_AUTO. */
    size_t inducing;
    /* Indices of `inducing` training points; NULL: chosen, and chosen again when the latents
     * move. */
    const size_t *inducing_points;
    /* Inducing inputs are optimised like latents, starting at the training points. */
    bool inducing_free;

    rm2_init_kind init;
    const double *init_latent; /* N x Q, if given */
    double time_weight;        /* weight of the phase in the start */
    size_t neighbours;

    rm2_base_kind base;
    const double *base_point; /* if given, in the units of the data */

    rm2_optim_settings optim;
    uint64_t seed;

    rm2_families families;

    /* Settings by name, such as {"latent_dim", "3"}: they are applied in this order over the
     * members above, after the recipe is decided. A named setting counts as given, whatever its
     * value; a member above counts as given if it differs from its default. */
    const rm2_setting_text *texts;
    size_t text_count;
    /* The model will be made compact (rm2_model_compact): inference with inducing points. */
    bool compact;
} rm2_fit_settings;

/* The defaults of a recipe; use RM2_RECIPE_AUTO unless you know the recipe. */
static inline rm2_fit_settings rm2_fit_settings_recipe(rm2_recipe recipe) {
    rm2_fit_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_FIT), (size_t)recipe, &settings);
    return settings;
}

/* Terms of the objective at a parameter value. */
typedef struct rm2_objective_terms {
    /* Log likelihood of the tangent coordinates with all constants, or its lower bound. */
    double log_likelihood;
    double task_anchor; /* -(nu/2) (log|Kf| + tr(Kf^-1 Psi) - M) */
    double latent;      /* N(0, I) with constants, anchor without constants */
    double gpdm;        /* weighted */
    double hyper;       /* priors of the hyperparameters */
    double total;
    double jitter; /* largest jitter that a Cholesky factor needed, 0 if none */
} rm2_objective_terms;

/* Proven bounds of the exact log density; with exact inference the two are equal to it. */
typedef struct rm2_certificate {
    double lower, upper;
} rm2_certificate;

/* ---- training ------------------------------------------------------------------------------- */

/* One row of the iteration table: rm2_progress.row of the activity "fit". */
typedef struct rm2_fit_progress {
    size_t iteration, max_iterations, evaluations;
    rm2_objective_terms terms;
    double gradient; /* largest entry of the gradient of the objective divided by N M */
    double step;
    double seconds;
    rm2_stop stop; /* RM2_STOP_RUNNING except in the last row */
} rm2_fit_progress;

/* Checkpoints: the state of training is written to `path`, every `seconds` and at the end, whole or
 * not at all. With `resume`, training continues from an existing checkpoint, with the same result
 * as without the interruption. */
typedef struct rm2_checkpoint {
    const char *path; /* NULL: none */
    double seconds;   /* time between two checkpoints */
    bool resume;
} rm2_checkpoint;

/* Course of a training. Later versions may add members at the end. */
typedef struct rm2_training_record {
    rm2_stop stop;
    size_t iterations, evaluations;
    double seconds;                       /* 0 in a model that was read from a file */
    rm2_objective_terms start, end;       /* objective before and after training */
    rm2_certificate likelihood, dynamics; /* bounds of end.log_likelihood and end.gpdm */
    double *trace;                        /* iterations + 1: totals of the objective */
} rm2_training_record;

/* ---- models --------------------------------------------------------------------------------- */

typedef struct rm2_model rm2_model;

RM2_API void rm2_model_free(rm2_model *model);

/* Write a model as .npz; docs/model-file.md describes every array. Before it is written, the model
 * is read back in memory: a model that could not be read is refused (RM2_ERR_FORMAT). */
RM2_API rm2_status rm2_model_write(rm2_context *ctx, const rm2_model *model, const char *path,
                                   bool overwrite);
RM2_API rm2_status rm2_model_read(rm2_context *ctx, const char *path, rm2_model **model);

/* Make a model that predicts the same with about `points` of its training points (0: 5000; only
 * some of many trajectories), for a small file. Mean and covariance, and with them the metric at a
 * given weight, are those of the model, bit for bit: they come from sums over all points. Encoding,
 * latent grids, automatic weights and distances from the demonstrations use the points that are
 * kept; the report of the start is left out. The call returns RM2_ERR_UNSUPPORTED without inducing
 * points, with RM2_TASK_INTEGRATED or a back constraint; so do calls that need all points of a
 * compact model (rm2_fit_add). */
RM2_API rm2_status rm2_model_compact(rm2_context *ctx, const rm2_model *model, size_t points,
                                     rm2_model **compact);

/* Write the bytes of a model file to memory. *bytes is freed with rm2_free. */
RM2_API rm2_status rm2_model_to_bytes(rm2_context *ctx, const rm2_model *model, void **bytes,
                                      size_t *size);
/* Read a model from the bytes of its file. A model of a geometry of your own requires a context
 * where the geometry is registered (rm2_manifold_register).
 *
 * @param ctx  context
 * @param bytes  contents of a model file
 * @param size  number of bytes
 * @param name  stands for the path in messages; NULL: "model"
 * @param model  result, freed with rm2_model_free
 * @return RM2_ERR_UNSUPPORTED if the model has a geometry that is not registered in the context
 */
RM2_API rm2_status rm2_model_from_bytes(rm2_context *ctx, const void *bytes, size_t size,
                                        const char *name, rm2_model **model);

/* ---- contents of a model -------------------------------------------------------------------- */

/* Contents of a model. Pointers live as long as the model; later versions may add members at the
 * end. */
typedef struct rm2_model_info {
    const rm2_manifold *manifold; /* manifold of the data */
    const rm2_data *data;         /* the training set; retain it to keep it longer than the model */
    /* The settings of the training, from which another training can start. `base_point` and
     * inducing points are set if they were given, and `back_kernels` for a back constraint (for
     * RM2_GPLVM one kernel, of the ambient space); `init_latent` is NULL. */
    const rm2_fit_settings *settings;
    size_t points, outputs, latent_dim; /* N, M, Q */
    const double *latents;              /* N x Q */
    const double *base;        /* ambient, in the units of data->points; NULL for RM2_GPLVM */
    const double *base_point;  /* the base in the units of the data */
    const double *mean;        /* M: centre of the outputs */
    const double *lengthscale; /* Q */
    double variance, noise;
    double linear;                 /* weight of the linear part of the kernel; 0: none */
    const double *task_noise;      /* M; NULL with Kronecker noise */
    const double *task_covariance; /* Kf, M x M */
    double gpdm[3];                /* lengthscale, variance, noise; 0 without dynamics */
    size_t inducing;               /* number of inducing points; 0: exact inference */
    /* Inducing points that are training points, as indices; NULL: exact inference, or free
     * points. */
    const size_t *inducing_points;
    /* inducing x Q: latent positions of the inducing points; NULL: exact inference. */
    const double *inducing_inputs;
    size_t gpdm_inducing; /* number of inducing points of the dynamics */
    rm2_training_record training;
    /* Sum of log |det dExp|: the log density on the manifold is log_likelihood - volume. */
    double volume;
    const rm2_start_report *start_report; /* NULL unless the start aligned demonstrations */
    /* RM2_TASK_INTEGRATED: degrees of freedom of the Student t density of an observation given its
     * latent point, and the variance that the noise of the outputs gives a latent; otherwise 0. */
    double freedom, latent_noise;
    size_t trained; /* number of training points; larger than `points` in a compact model */
    /* Scales of the predictive covariance, one per factor of the manifold, from demonstrations that
     * were predicted from the others: with S = diag(sqrt(scale of each output's factor)) the
     * covariance is S Kf S (v(x) + noise). NULL: not calibrated, Kf (v(x) + noise). */
    const double *calibration;
    size_t calibrated; /* number of demonstrations that gave the scales; 0: not calibrated */
    /* Remaining degrees of freedom, at least 3 (rm2_calibration); 0: not calibrated. */
    double calibration_freedom;
} rm2_model_info;

/* Contents of a model; NULL for NULL. */
RM2_API const rm2_model_info *rm2_model_info_of(const rm2_model *model);

/* ---- prediction ----------------------------------------------------------------------------- */

/* Decode latent points.
 *
 * @param ctx  context
 * @param model  the model
 * @param n  number of latent points
 * @param latents  n x Q
 * @param points  result: n x ambient, on the manifold, in the units of the data; or NULL
 * @param tangent  result: n x M, means of the outputs (centre included, scaled units); or NULL
 * @param covariance  result: n x M x M, covariances of the outputs without observation noise; or
 *     NULL
 * @param deviation  result: n, roots of the mean diagonals of the covariances; or NULL
 */
RM2_API rm2_status rm2_model_decode(rm2_context *ctx, const rm2_model *model, size_t n,
                                    const double *latents, double *points, double *tangent,
                                    double *covariance, double *deviation);

/* Compute the root mean squared distances between training points and their decoded means: of
 * ambient entries in scaled units, and of outputs. */
RM2_API rm2_status rm2_model_reconstruction(rm2_context *ctx, const rm2_model *model,
                                            double *ambient, double *outputs);

/* Residuals of the training points: root mean squared norms in tangent coordinates of the
 * differences from the decoded latents, from the mean of the points, and from a fit by principal
 * components, as many as latent dimensions. The explained part of the variance is
 * 1 - (residual/mean)^2. */
typedef struct rm2_fidelity {
    size_t size; /* sizeof(rm2_fidelity), set by the caller */
    double residual, mean, components;
    /* Number of latents that are nearer to another one than a thousandth of their spread; above
     * 10,000 points the threshold decreases as N^(-1/Q). */
    size_t coincident;
    /* The residual is larger than that of the principal components, by more than 0.2 %. */
    bool worse;
} rm2_fidelity;

RM2_API rm2_status rm2_model_fidelity(rm2_context *ctx, const rm2_model *model,
                                      rm2_fidelity *fidelity);

/* Training points that were held out in turn and predicted by models of the others; they show
 * errors that residuals of training points cannot show. Residuals are root mean squared norms in
 * tangent coordinates; the number of principal components is the latent dimension. Log densities
 * are means per point, in tangent coordinates less log |det dExp|, so that they are densities on
 * the manifold. */
typedef struct rm2_held_out {
    size_t size; /* sizeof(rm2_held_out), set by the caller */
    size_t points, folds;
    /* Residuals from the nearest decoded point, the mean, and the fit by principal components. */
    double residual, mean, components;
    double explained;       /* explained part of the variance: 1 - (residual/mean)^2 */
    double plane;           /* part that a plane in an arbitrary direction explains: Q/M */
    double explained_error; /* standard error of explained - plane, over points */
    double log_density;     /* under the model */
    /* Log densities under probabilistic principal components, and under a normal density whose
     * covariance is estimated by Ledoit and Wolf's method. */
    double ppca, ledoit_wolf;
    double ppca_error, ledoit_wolf_error; /* standard errors of the differences from log_density */
    /* `explained` exceeds `plane` by more than two standard errors: latents describe new points
     * better than chance. */
    bool structure;
} rm2_held_out;

/* Hold out training points. The call trains once per fold with the settings of the model, on its
 * own training points, which must have no trajectories: five folds of at most 300 points, which
 * depend on the number of points alone. A start that was given counts as automatic. */
RM2_API rm2_status rm2_model_held_out(rm2_context *ctx, const rm2_model *model,
                                      rm2_held_out *held_out);

/* Objectives of encoding. */
typedef enum rm2_encode_kind {
    /* Maximise predictive density times the prior of latents, a broad Gaussian around the latents;
     * for RM2_TASK_INTEGRATED a mixture over them. */
    RM2_ENCODE_DENSITY,
    RM2_ENCODE_RESIDUAL, /* least squares in the metric of the noise */
    RM2_ENCODE_NEAREST   /* least squares in tangent coordinates: the nearest decoded point */
} rm2_encode_kind;

typedef struct rm2_encode_settings {
    size_t size; /* as rm2_encode_settings_default sets it */
    rm2_encode_kind objective;
    size_t searches;      /* per point, starting at the latents of the nearest training points */
    bool back_constraint; /* use it if the model has one (default) */
    rm2_optim_settings optim;
    /* Points starts[t] .. starts[t + 1] - 1 are trajectory t, whose latents are searched together:
     * they do not jump between latent points that decode alike. With 0 trajectories, every point is
     * encoded by itself. */
    size_t trajectories;
    const size_t *starts; /* trajectories + 1 */
} rm2_encode_settings;

static inline rm2_encode_settings rm2_encode_settings_default(void) {
    rm2_encode_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_ENCODE), 0, &settings);
    return settings;
}

/* Result of encoding one point. */
typedef struct rm2_encoded {
    size_t size; /* sizeof(rm2_encoded), set by the caller */
    /* Log density of the observation in tangent coordinates: its density given a latent point,
     * integrated over the prior of latents by Laplace's method. */
    double log_density;
    /* Log density given the latent point that was found. This is not a density of the observation:
     * it grows with every latent dimension. */
    double log_density_at_latent;
    double residual; /* norm of observation minus decoded mean, tangent coordinates */
    bool converged;
    size_t nearest; /* training point at whose latent the best search started */
} rm2_encoded;

/* Encode observations: find their latent points.
 *
 * @param ctx  context
 * @param model  the model
 * @param settings  NULL: the defaults
 * @param n  number of observations
 * @param points  n x ambient, in the units of the data; NaN entries are missing (entries of
 *     Euclidean factors, or whole factors)
 * @param latents  result: n x Q
 * @param covariance  result: n x Q x Q, uncertainties of the latents (inverse curvature at the
 *     result); or NULL
 * @param info  result: n, or NULL
 */
RM2_API rm2_status rm2_model_encode(rm2_context *ctx, const rm2_model *model,
                                    const rm2_encode_settings *settings, size_t n,
                                    const double *points, double *latents, double *covariance,
                                    rm2_encoded *info);

/* Draw whole trajectories from the model with the context's generator.
 *
 * @param ctx  context
 * @param model  the model
 * @param n  number of latent points
 * @param latents  n x Q: path of each draw in the latent space
 * @param count  number of draws
 * @param noise  add the observation noise
 * @param points  result: count x n x ambient, on the manifold, in the units of the data
 */
RM2_API rm2_status rm2_model_sample(rm2_context *ctx, const rm2_model *model, size_t n,
                                    const double *latents, size_t count, bool noise,
                                    double *points);

#ifdef __cplusplus
}
#endif
#endif
