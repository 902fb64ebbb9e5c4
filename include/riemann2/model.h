/* Models: a wrapped multitask Gaussian process latent variable model of points on a manifold.
 *
 *   v_n = Log_p(y_n) in orthonormal coordinates at the base point p, centred: F (N x M)
 *   vec F ~ N(0, Kf (x) Kx + noise),   Kx = kernel of the latent points X (N x Q)
 *
 * Everything decoded, Exp_p(mean + f(x)), lies on the manifold. Training maximises one objective,
 * the sum of the terms that the settings switch on, over the parameters that they do not hold;
 * recipes are settings with names. */
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

typedef enum rm2_task_kind {
    RM2_TASK_PROFILE,   /* Kf in closed form at its best value (Kronecker noise only) */
    RM2_TASK_LEARNED,   /* Kf = B B^T + diag(v), B and v parameters */
    RM2_TASK_INTEGRATED /* hyperparameters from the evidence with Kf integrated out under an inverse
                           Wishart prior; latents are moved once. For points without trajectories */
} rm2_task_kind;

typedef enum rm2_base_kind {
    RM2_BASE_FRECHET, /* mean of the training points */
    RM2_BASE_DEFAULT, /* 0, (1, 0, ...), identity: the paper's */
    RM2_BASE_GIVEN
} rm2_base_kind;

typedef enum rm2_init_kind {
    RM2_INIT_ALIGNED, /* Isomap of aligned demonstrations, whatever their timing; with fewer than two
                         trajectories as RM2_INIT_ISOMAP */
    RM2_INIT_ISOMAP,  /* time-aware Isomap on the tangent coordinates */
    RM2_INIT_PCA,     /* principal components of the ambient coordinates */
    RM2_INIT_RANDOM,  /* N(0, 1) */
    RM2_INIT_GIVEN,
    RM2_INIT_TANGENT, /* principal components of the tangent coordinates */
    RM2_INIT_AUTO     /* of these and Isomap the one with the higher density of points held out */
} rm2_init_kind;

/* Families of demonstrations: those of the same motion (RM2_INIT_ALIGNED). */
typedef enum rm2_families {
    RM2_FAMILIES_AUTO, /* the labels, if they are constant along trajectories and each has at least two;
                          else found in the data */
    RM2_FAMILIES_ONE,  /* all are one */
    RM2_FAMILIES_LABEL /* the labels, which must be constant along trajectories */
} rm2_families;

typedef enum rm2_inference {
    RM2_INFERENCE_AUTO,    /* exact for few points, inducing for many (Kronecker noise only) */
    RM2_INFERENCE_EXACT,   /* N^3 */
    RM2_INFERENCE_INDUCING /* a lower bound by r inducing points, N r^2 (Kronecker noise only) */
} rm2_inference;

typedef enum rm2_recipe {
    RM2_RECIPE_AUTO, /* robust for trajectories; points for data without, where its rules allow the settings */
    RM2_RECIPE_ROBUST, /* latents only, short held lengthscale, anchored */
    RM2_RECIPE_MAP,    /* everything learned under stated priors */
    RM2_RECIPE_PAPER,  /* the paper's settings */
    RM2_RECIPE_POINTS  /* all from an evidence, nearly linear: for data without trajectories */
} rm2_recipe;

/* Defaults and ranges are in the table (RM2_SETTINGS_FIT) and in docs/settings.md. */
typedef struct rm2_fit_settings {
    size_t size;       /* as rm2_fit_settings_recipe sets it */
    rm2_recipe recipe; /* what the rest was filled from */
    rm2_model_kind model;
    size_t latent_dim; /* Q; 0: chosen on points held out (RM2_TASK_INTEGRATED) */

    rm2_latent_kind kernel;
    bool ard; /* one lengthscale a latent dimension */
    rm2_hyperparameter lengthscale, variance;
    rm2_hyperparameter linear; /* weight w of a linear part w (1 + x.x'); start 0: there is none */

    rm2_noise_kind noise;
    rm2_hyperparameter noise_variance; /* s2 relative to Kf, or the noise all outputs share */
    rm2_hyperparameter task_noise;     /* per-output noise only */
    double noise_bound;                /* with softplus: smallest noise */

    rm2_task_kind task;
    bool independent;   /* Kf diagonal */
    size_t task_rank;   /* columns of B; 0: as many as outputs */
    bool task_random;   /* learned Kf starts at random, as the paper's, not at the profile */
    double task_anchor; /* weight of Kf's isotropic anchor, in units of N; 0: none */
    /* RM2_TASK_INTEGRATED: weight nu of the inverse Wishart prior of Kf, and its scale nu psi where psi I is
     * its mean; a start of 0: from the data */
    rm2_hyperparameter task_weight, task_scale;

    bool latent_normal; /* N(0, I) on X */
    double
        latent_anchor; /* X ~ N(X0, tau^2 I): tau; 0: none. RM2_TASK_INTEGRATED: in standard deviations
                             of a latent under the noise */
    bool latents_held;  /* X stays at its start (RM2_TASK_INTEGRATED only) */
    double gpdm_weight; /* dynamics over trajectories: weight of its log density; 0: none */
    rm2_hyperparameter gpdm_lengthscale, gpdm_variance, gpdm_noise;

    bool back_constraint;                  /* X = K_M(Y, Y) W */
    const rm2_factor_kernel *back_kernels; /* one per factor; NULL: defaults */
    double back_ridge;                     /* of the start W, relative */

    bool softplus; /* positive parameters through softplus instead of logarithms */

    rm2_inference inference;
    double accuracy; /* of inducing points: how far, in nats per point, the bound may be off */
    size_t inducing; /* how many; 0: as many as the accuracy needs */
    const size_t
        *inducing_points; /* `inducing` training points; NULL: chosen, anew when they move */
    bool inducing_free;   /* they leave the points they start from, and are optimised like these */
    /* either of the two asks for inference by inducing points, also where it is RM2_INFERENCE_AUTO */

    rm2_init_kind init;
    const double *init_latent; /* N x Q, if given */
    double time_weight;        /* of the phase in the start */
    size_t neighbours;

    rm2_base_kind base;
    const double *base_point; /* if given, in the units of the data */

    rm2_optim_settings optim;
    uint64_t seed;

    rm2_families families;

    /* Settings by name, such as {"latent_dim", "3"}: applied in this order over the members above, once the recipe is
     * known. A name counts as given whatever its value; of the members above those that differ from their defaults. */
    const rm2_setting_text *texts;
    size_t text_count;
    bool
        compact; /* the model is to become compact (rm2_model_compact): inference by inducing points */
} rm2_fit_settings;

/* Start from here; RM2_RECIPE_AUTO unless you know the recipe. */
static inline rm2_fit_settings rm2_fit_settings_recipe(rm2_recipe recipe) {
    rm2_fit_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_FIT), (size_t)recipe, &settings);
    return settings;
}

/* The objective's terms at a parameter value. */
typedef struct rm2_objective_terms {
    double log_likelihood; /* of the tangent coordinates, all constants; or its lower bound */
    double task_anchor;    /* -(nu/2) (log|Kf| + tr(Kf^-1 Psi) - M) */
    double latent;         /* N(0, I) with constants, anchor without */
    double gpdm;           /* weighted */
    double hyper;          /* priors of the hyperparameters */
    double total;
    double jitter; /* largest that a Cholesky factor needed, 0 if none */
} rm2_objective_terms;

/* What the exact log density is proven to be within; both are it with exact inference. */
typedef struct rm2_certificate {
    double lower, upper;
} rm2_certificate;

/* ---- training ------------------------------------------------------------------------------- */

/* One row of the iteration table, rm2_progress.row of the activity "fit". */
typedef struct rm2_fit_progress {
    size_t iteration, max_iterations, evaluations;
    rm2_objective_terms terms;
    double gradient; /* largest entry, of the objective divided by N M */
    double step;
    double seconds;
    rm2_stop stop; /* RM2_STOP_RUNNING except in the last row */
} rm2_fit_progress;

/* Checkpoints: the state of training in `path`, every `seconds` and at the end, written whole
 * or not at all. With `resume` an existing one is continued, to the same result as without the
 * stop. */
typedef struct rm2_checkpoint {
    const char *path; /* NULL: none */
    double seconds;   /* between two */
    bool resume;
} rm2_checkpoint;

/* How a training went. Later versions may add members at the end. */
typedef struct rm2_training_record {
    rm2_stop stop;
    size_t iterations, evaluations;
    double seconds;                       /* 0 in a model that was read from a file */
    rm2_objective_terms start, end;       /* of the objective, before and after */
    rm2_certificate likelihood, dynamics; /* of end.log_likelihood and end.gpdm */
    double *trace;                        /* iterations + 1: the objective's total */
} rm2_training_record;

/* ---- models --------------------------------------------------------------------------------- */

typedef struct rm2_model rm2_model;

RM2_API void rm2_model_free(rm2_model *model);

/* Model files are .npz; docs/model-file.md has every array. A model is read back in memory before it is written: one that could
 * not be read is refused (RM2_ERR_FORMAT). */
RM2_API rm2_status rm2_model_write(rm2_context *ctx, const rm2_model *model, const char *path,
                                   bool overwrite);
RM2_API rm2_status rm2_model_read(rm2_context *ctx, const char *path, rm2_model **model);

/* A model that predicts the same with about `points` of its training points (0: 5000; of many trajectories some), for a
 * small file. Mean and covariance, and with them the metric at a given weight, are those of the model, bit for bit: they
 * come from sums over all points. Encoding, latent grids, automatic weights and distances from the demonstrations use the
 * points that are kept; the report of the start is left out. RM2_ERR_UNSUPPORTED without inducing points, with
 * RM2_TASK_INTEGRATED or a back constraint, and from calls that need all points of a compact model (rm2_fit_add). */
RM2_API rm2_status rm2_model_compact(rm2_context *ctx, const rm2_model *model, size_t points,
                                     rm2_model **compact);

/* The same in memory: the bytes are those of the file. *bytes is freed with rm2_free; `name` stands for
 * the path in messages (NULL: "model"). A model of a geometry of one's own is read in a context where
 * that is registered (rm2_manifold_register), else RM2_ERR_UNSUPPORTED. */
RM2_API rm2_status rm2_model_to_bytes(rm2_context *ctx, const rm2_model *model, void **bytes,
                                      size_t *size);
RM2_API rm2_status rm2_model_from_bytes(rm2_context *ctx, const void *bytes, size_t size,
                                        const char *name, rm2_model **model);

/* ---- what is in a model --------------------------------------------------------------------- */

/* Pointers live as long as the model; later versions may add members at the end. */
typedef struct rm2_model_info {
    const rm2_manifold *manifold; /* that of the data */
    const rm2_data *data;         /* the training set; retain it to keep it longer than the model */
    /* How it was trained, for another training alike: `base_point` and inducing points are there if they were given, and
     * the `back_kernels` of a back constraint (for RM2_GPLVM one, of the ambient space); `init_latent` is NULL. */
    const rm2_fit_settings *settings;
    size_t points, outputs, latent_dim; /* N, M, Q */
    const double *latents;              /* N x Q */
    const double *base;        /* ambient, in the units of data->points; NULL for RM2_GPLVM */
    const double *base_point;  /* the same in the units of the data */
    const double *mean;        /* M: centre of the outputs */
    const double *lengthscale; /* Q */
    double variance, noise;
    double linear;                 /* weight of the linear part of the kernel; 0: none */
    const double *task_noise;      /* M; NULL with Kronecker noise */
    const double *task_covariance; /* Kf, M x M */
    double gpdm[3];                /* lengthscale, variance, noise; 0 without dynamics */
    size_t inducing;               /* inducing points; 0: exact inference */
    const size_t *inducing_points; /* which training points; NULL: exact, or free */
    const double *inducing_inputs; /* inducing x Q: where they are; NULL: exact */
    size_t gpdm_inducing;          /* those of the dynamics */
    rm2_training_record training;
    double
        volume; /* sum of log |det dExp|: log density on the manifold is log_likelihood - volume */
    const rm2_start_report *start_report; /* NULL unless the start aligned demonstrations */
    /* RM2_TASK_INTEGRATED: degrees of freedom of the Student t density of an observation given its latent point, and
     * the variance that the noise of the outputs gives a latent; else 0 */
    double freedom, latent_noise;
    size_t trained; /* points it was trained on; more than `points` in a compact model */
    /* Scales of the predictive covariance, one per factor of the manifold, from demonstrations that were predicted from
     * the others: with S = diag(sqrt(scale of each output's factor)) it is S Kf S (v(x) + noise). NULL: not calibrated,
     * Kf (v(x) + noise) */
    const double *calibration;
    size_t calibrated; /* demonstrations they were found on; 0: not calibrated */
    double
        calibration_freedom; /* degrees of freedom that this leaves, at least 3 (rm2_calibration); 0: not calibrated */
} rm2_model_info;

/* What is in a model; NULL for NULL. */
RM2_API const rm2_model_info *rm2_model_info_of(const rm2_model *model);

/* ---- prediction ----------------------------------------------------------------------------- */

/* Decoded points at n latent points, in the units of the data. Any output may be NULL:
 * points n x ambient; tangent n x M: mean of the outputs (centre included, scaled units);
 * covariance n x M x M: of the outputs, without observation noise; deviation n: root of its mean
 * diagonal. */
RM2_API rm2_status rm2_model_decode(rm2_context *ctx, const rm2_model *model, size_t n,
                                    const double *latents, double *points, double *tangent,
                                    double *covariance, double *deviation);

/* Root mean squared distance between training points and their decoded means: of ambient entries in
 * scaled units, and of outputs. */
RM2_API rm2_status rm2_model_reconstruction(rm2_context *ctx, const rm2_model *model,
                                            double *ambient, double *outputs);

/* Residuals of the training points, root mean squared norms in tangent coordinates: of the decoded latents, of the mean of
 * the points, and of as many principal components as there are latent dimensions. The part of the variance that is
 * explained is 1 - (residual/mean)^2. */
typedef struct rm2_fidelity {
    size_t size; /* sizeof(rm2_fidelity), set by the caller */
    double residual, mean, components;
    /* latents nearer to another one than a thousandth of their spread; above 10,000 points less, as N^(-1/Q) */
    size_t coincident;
    bool
        worse; /* the residual is larger than that of the principal components, by more than 0.2 % */
} rm2_fidelity;

RM2_API rm2_status rm2_model_fidelity(rm2_context *ctx, const rm2_model *model,
                                      rm2_fidelity *fidelity);

/* Training points that were held out in turn and predicted by models of the others: what a residual of training points
 * cannot show. Residuals are root mean squared norms in tangent coordinates; principal components are as many as there are
 * latent dimensions. Log densities are means per point, in tangent coordinates less log |det dExp|, so that they are
 * densities on the manifold. */
typedef struct rm2_held_out {
    size_t size; /* sizeof(rm2_held_out), set by the caller */
    size_t points, folds;
    double residual, mean,
        components;         /* of the nearest decoded point, the mean, principal components */
    double explained;       /* part of the variance: 1 - (residual/mean)^2 */
    double plane;           /* the same for a plane in an arbitrary direction: Q/M */
    double explained_error; /* standard error of explained - plane, over points */
    double log_density;     /* of the model */
    double ppca,
        ledoit_wolf; /* probabilistic principal components; a normal density, covariance by Ledoit-Wolf */
    double ppca_error, ledoit_wolf_error; /* standard errors of the differences from log_density */
    bool
        structure; /* explained exceeds plane by more than two standard errors: latents hold more of a new
                       point than chance */
} rm2_held_out;

/* Trains once per fold with the settings of the model, on its own training points without trajectories: five folds of at
 * most 300 points, the same for the same number of points. A start that was given counts as automatic. */
RM2_API rm2_status rm2_model_held_out(rm2_context *ctx, const rm2_model *model,
                                      rm2_held_out *held_out);

typedef enum rm2_encode_kind {
    RM2_ENCODE_DENSITY, /* maximise predictive density times the prior of latents, a broad Gaussian around the latents;
                            RM2_TASK_INTEGRATED: a mixture over them */
    RM2_ENCODE_RESIDUAL, /* least squares in the metric of the noise */
    RM2_ENCODE_NEAREST /* least squares in tangent coordinates: the decoded point that is nearest */
} rm2_encode_kind;

typedef struct rm2_encode_settings {
    size_t size; /* as rm2_encode_settings_default sets it */
    rm2_encode_kind objective;
    size_t searches;      /* per point, from the latents of the nearest training points */
    bool back_constraint; /* use it if the model has one (default) */
    rm2_optim_settings optim;
    /* Points starts[t] .. starts[t + 1] - 1 are trajectory t, whose latents are sought together: they do not jump
     * between places that decode alike. 0 trajectories: every point by itself. */
    size_t trajectories;
    const size_t *starts; /* trajectories + 1 */
} rm2_encode_settings;

static inline rm2_encode_settings rm2_encode_settings_default(void) {
    rm2_encode_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_ENCODE), 0, &settings);
    return settings;
}

typedef struct rm2_encoded {
    size_t size; /* sizeof(rm2_encoded), set by the caller */
    double
        log_density; /* of the observation, tangent coordinates: its density given a latent point,
                                     integrated over the prior of latents by Laplace's method */
    double
        log_density_at_latent; /* given the latent point that was found. Not a density of the observation: it grows
                                     with every latent dimension */
    double residual; /* norm of observation minus decoded mean, tangent coordinates */
    bool converged;
    size_t nearest; /* training point that the best start came from */
} rm2_encoded;

/* Latent points of n observations in the units of the data; NaN entries are missing (entries of
 * Euclidean factors, or whole factors). covariance (n x Q x Q, or NULL): latent uncertainty, the
 * inverse curvature at the result. `settings` and `info` may be NULL. */
RM2_API rm2_status rm2_model_encode(rm2_context *ctx, const rm2_model *model,
                                    const rm2_encode_settings *settings, size_t n,
                                    const double *points, double *latents, double *covariance,
                                    rm2_encoded *info);

/* `count` draws of whole trajectories over n latent points, from the context's generator: count x n
 * x ambient, in the units of the data, on the manifold. With `noise` as observations. */
RM2_API rm2_status rm2_model_sample(rm2_context *ctx, const rm2_model *model, size_t n,
                                    const double *latents, size_t count, bool noise,
                                    double *points);

#ifdef __cplusplus
}
#endif
#endif
