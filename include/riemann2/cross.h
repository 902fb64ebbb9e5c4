/* Cross-validation: which settings describe data best that the model was not trained on?
 *
 * The data are divided into folds. For each candidate (settings of a training) and each fold a model is trained on the
 * other folds and judged on this one: a job. All candidates see the same folds, so that differences between them are
 * differences between jobs of the same fold.
 *
 *     rm2_fit_settings one = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST), two = one;
 *     one.latent_dim = 1;
 *     const rm2_fit_settings *candidates[] = {&one, &two};
 *     rm2_cross *cross;
 *     rm2_cross_validate(ctx, data, NULL, 2, candidates, NULL, &cross);
 *     if (cross->recommended != RM2_CROSS_NONE) ... candidates[cross->recommended] ...
 *     rm2_cross_free(cross); */
#ifndef RIEMANN2_CROSS_H
#define RIEMANN2_CROSS_H

#include "riemann2/base.h"
#include "riemann2/data.h"
#include "riemann2/fit.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- settings ------------------------------------------------------------------------------- */

/* What is held out as a whole. */
typedef enum rm2_split_kind {
    RM2_SPLIT_AUTO,         /* trajectories where the data have some, else points */
    RM2_SPLIT_TRAJECTORIES, /* trajectories */
    RM2_SPLIT_POINTS,       /* single points of data without trajectories */
    RM2_SPLIT_LABELS        /* all points of a label; labels must be constant along trajectories */
} rm2_split_kind;

/* Defaults and ranges are in the table (RM2_SETTINGS_CROSS) and in docs/settings.md. */
typedef struct rm2_cross_settings {
    size_t size; /* as rm2_cross_settings_default sets it */
    rm2_split_kind split;
    size_t folds;  /* 0: one per trajectory or label, ten at most; five for points */
    bool motion;   /* compute RM2_CROSS_MOTION */
    uint64_t seed; /* of the division into folds, where a fold has more than one part */
} rm2_cross_settings;

static inline rm2_cross_settings rm2_cross_settings_default(void) {
    rm2_cross_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_CROSS), 0, &settings);
    return settings;
}

/* ---- results -------------------------------------------------------------------------------- */

/* Measures of held-out points; not a number where one is not defined. Points are encoded one by one, as rm2_model_score does
 * by default, and numbers are in the units of the model of the fold. */
typedef enum rm2_cross_measure {
    RM2_CROSS_DENSITY, /* log density per point: rm2_score.log_density_manifold. For RM2_GPLVM, which has no density on the
                           manifold, rm2_score.log_density if all candidates are RM2_GPLVM, else not a number */
    RM2_CROSS_RESIDUAL, /* root mean squared residual in tangent coordinates: rm2_score.tangent */
    RM2_CROSS_COVERAGE, /* share of points within the 95 % region of the prediction at their latents: 0.95 if the uncertainty
                           is right; somewhat more, because the latents were chosen to fit the points (rm2_calibration) */
    RM2_CROSS_MOTION, /* dynamic time warping distance between a held-out trajectory and the geodesic between its encoded
                           ends with as many nodes, mean over these trajectories, divided by the mean distance between training trajectories (the
                           floor); ambient coordinates. Needs two training trajectories */
    RM2_CROSS_MEASURES /* number of them */
} rm2_cross_measure;

/* "log_density"; "unknown" for other values. */
RM2_API const char *rm2_cross_measure_text(rm2_cross_measure measure);

/* One candidate on one fold. */
typedef struct rm2_cross_job {
    rm2_status status;   /* RM2_OK, or why there are no values */
    const char *message; /* of a failure, or of a motion that failed; "" if there is none */
    size_t train, held;  /* points */
    size_t unconverged;  /* encodings and geodesics that did not converge */
    double value[RM2_CROSS_MEASURES];
    double seconds; /* of training and measuring */
} rm2_cross_job;

/* One candidate over the folds. */
typedef struct rm2_cross_row {
    size_t failed, unconverged; /* jobs; encodings and geodesics */
    double mean[RM2_CROSS_MEASURES],
        error[RM2_CROSS_MEASURES]; /* over jobs that did not fail; standard error of the mean */
    /* Density of the best candidate less this one's, and the standard error of the difference, over the folds; not a number
     * for a candidate with a failed job */
    double behind, behind_error;
} rm2_cross_row;

#define RM2_CROSS_NONE SIZE_MAX

/* Later versions may add members at the end. */
typedef struct rm2_cross {
    size_t candidates, folds;
    rm2_split_kind split;      /* not RM2_SPLIT_AUTO */
    const size_t *fold;        /* of each point of the data */
    const rm2_cross_job *jobs; /* candidates x folds */
    const rm2_cross_row *rows; /* candidates */
    /* Highest density of the candidates without a failed job, and the simplest candidate that is not behind it by more than
     * one standard error of the difference: fewest latent dimensions, then fewest learned hyperparameters, then highest density.
     * RM2_CROSS_NONE: every candidate has a failed job or no density. */
    size_t best, recommended;
    size_t resumed; /* jobs that were taken from the file of results */
} rm2_cross;

/* Run the jobs on the context's threads, one thread per job: results do not depend on their number. `count` candidates;
 * a NULL among them is RM2_RECIPE_AUTO; the recipe of a candidate is decided on all of the data. Everything that is fitted, scales of Euclidean factors included, sees the training part
 * alone. A job that fails is a result (RM2_ERR_MEMORY excepted). `settings` and `checkpoint` may be NULL. With a checkpoint the results of
 * finished jobs are in the file `path`, a CSV table written whole after each job that ends `seconds` or more after the last write, and at
 * the end; with `resume` jobs whose data and settings are the same are taken from it. */
RM2_API rm2_status rm2_cross_validate(rm2_context *ctx, const rm2_data *data,
                                      const rm2_cross_settings *settings, size_t count,
                                      const rm2_fit_settings *const *candidates,
                                      const rm2_checkpoint *checkpoint, rm2_cross **cross);
RM2_API void rm2_cross_free(rm2_cross *cross);

#ifdef __cplusplus
}
#endif
#endif
