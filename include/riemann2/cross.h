/* Cross-validation: which settings best describe data that the model was not trained on?
 *
 * The data are divided into folds. For each candidate (settings of a training) and each fold, a
 * model is trained on the other folds and evaluated on this one: a job. All candidates see the same
 * folds, so that differences between them are differences between jobs of the same fold.
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

/* Parts of the data that are held out as a whole. */
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
    uint64_t seed; /* seed of the division into folds, used if a fold has several parts */
} rm2_cross_settings;

static inline rm2_cross_settings rm2_cross_settings_default(void) {
    rm2_cross_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_CROSS), 0, &settings);
    return settings;
}

/* ---- results -------------------------------------------------------------------------------- */

/* Measures of held-out points; NaN if a measure is not defined. Points are encoded one by one, as
 * rm2_model_score does by default, and numbers are in the units of the model of the fold. */
typedef enum rm2_cross_measure {
    /* Log density per point: rm2_score.log_density_manifold. RM2_GPLVM has no density on the
     * manifold: the measure is rm2_score.log_density if all candidates are RM2_GPLVM, else NaN. */
    RM2_CROSS_DENSITY,
    /* Root mean squared residual in tangent coordinates: rm2_score.tangent. */
    RM2_CROSS_RESIDUAL,
    /* Share of points within the 95 % region of the prediction at their latents. It is 0.95 if the
     * uncertainty is right, or somewhat more, because the latents were chosen to fit the points
     * (rm2_calibration). */
    RM2_CROSS_COVERAGE,
    /* Dynamic time warping distance between a held-out trajectory and the geodesic between its
     * encoded ends with as many nodes, averaged over the held-out trajectories and divided by the
     * mean distance between training trajectories (the floor); in ambient coordinates. The measure
     * needs two training trajectories. */
    RM2_CROSS_MOTION,
    RM2_CROSS_MEASURES /* number of measures */
} rm2_cross_measure;

/* Name of a measure, such as "log_density"; "unknown" for other values. */
RM2_API const char *rm2_cross_measure_text(rm2_cross_measure measure);

/* Result of one candidate on one fold. */
typedef struct rm2_cross_job {
    rm2_status status;   /* RM2_OK, or the status of the failure; `value` is then not set */
    const char *message; /* reason for a failed job or a failed motion; otherwise "" */
    size_t train, held;  /* numbers of training points and of held-out points */
    size_t unconverged;  /* encodings and geodesics that did not converge */
    double value[RM2_CROSS_MEASURES];
    double seconds; /* time of training and measuring */
} rm2_cross_job;

/* Results of one candidate over all folds. */
typedef struct rm2_cross_row {
    size_t failed, unconverged; /* failed jobs; encodings and geodesics that did not converge */
    /* Mean over the jobs that did not fail, and its standard error. */
    double mean[RM2_CROSS_MEASURES], error[RM2_CROSS_MEASURES];
    /* Density of the best candidate minus the density of this one, and the standard error of the
     * difference, over the folds; NaN for a candidate with a failed job. */
    double behind, behind_error;
} rm2_cross_row;

#define RM2_CROSS_NONE SIZE_MAX

/* Later versions may add members at the end. */
typedef struct rm2_cross {
    size_t candidates, folds;
    rm2_split_kind split;      /* never RM2_SPLIT_AUTO */
    const size_t *fold;        /* fold of each point of the data */
    const rm2_cross_job *jobs; /* candidates x folds */
    const rm2_cross_row *rows; /* candidates */
    /* `best` has the highest density of the candidates without a failed job. `recommended` is the
     * simplest candidate that is not behind it by more than one standard error of the difference:
     * the one with fewest latent dimensions, then fewest learned hyperparameters, then highest
     * density. If every candidate has a failed job or no density, they are RM2_CROSS_NONE. */
    size_t best, recommended;
    size_t resumed; /* jobs that were read from the file of results */
} rm2_cross;

/* Cross-validate candidates. The jobs run on the context's threads, one thread per job; results do
 * not depend on the number of threads. The recipe of a candidate is decided on all data; everything
 * that is fitted, including the scales of Euclidean factors, sees the training part alone. The
 * result of a failed job is its failure; only RM2_ERR_MEMORY ends the call.
 *
 * With a checkpoint, the results of finished jobs are stored in the file `path`, a CSV table. It is
 * written whole after each job that ends `seconds` or more after the last write, and at the end.
 * With `resume`, jobs with the same data and settings are read from it.
 *
 * @param ctx  context
 * @param data  the data
 * @param settings  NULL: the defaults
 * @param count  number of candidates
 * @param candidates  settings of each candidate (count); a NULL entry stands for RM2_RECIPE_AUTO
 * @param checkpoint  file of results; NULL: none
 * @param cross  result, freed with rm2_cross_free
 */
RM2_API rm2_status rm2_cross_validate(rm2_context *ctx, const rm2_data *data,
                                      const rm2_cross_settings *settings, size_t count,
                                      const rm2_fit_settings *const *candidates,
                                      const rm2_checkpoint *checkpoint, rm2_cross **cross);
RM2_API void rm2_cross_free(rm2_cross *cross);

#ifdef __cplusplus
}
#endif
#endif
