/* From data to a model.
 *
 *     rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
 *     rm2_fit(ctx, data, &s, NULL, &model);
 *
 * A fit has two steps. The plan decides: recipe, settings that others imply, latent dimension, start, inference; it
 * rejects settings that contradict each other or cannot take effect, and keeps a note of every decision. The run trains.
 * rm2_fit does both. */
#ifndef RIEMANN2_FIT_H
#define RIEMANN2_FIT_H

#include "riemann2/base.h"
#include "riemann2/data.h"
#include "riemann2/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- plans ---------------------------------------------------------------------------------- */

/* A decision that the caller left open. */
typedef struct rm2_fit_note {
    const char *setting; /* its name in RM2_SETTINGS_FIT */
    const char *value;   /* as text */
    const char *reason;  /* "points: ...": follows "since" */
    bool warning;        /* it takes away what the recipe promises */
} rm2_fit_note;

/* Densities of points by models that were trained without them: five folds of at most 500 points. */
typedef struct rm2_latent_choice {
    size_t latent_dim, points;
    double log_density, standard_error; /* mean per point, against the Riemannian volume */
    double residual;                    /* root mean squared, tangent coordinates */
    rm2_init_kind init; /* the start that was used, or chosen if that was automatic */
} rm2_latent_choice;

/* Decisions of a plan. Later versions may add members at the end. */
typedef struct rm2_fit_plan_info {
    const rm2_fit_settings
        *settings; /* all of them; recipe, latent_dim and init are not automatic */
    size_t note_count;
    const rm2_fit_note *notes;
    /* The latent dimensions that were compared, where settings.latent_dim was automatic; `chosen` is a row */
    size_t dimension_count, chosen;
    const rm2_latent_choice *dimensions;
} rm2_fit_plan_info;

typedef struct rm2_fit_plan rm2_fit_plan;

/* Decide on a training of `data`, which the plan retains; its entries must not be missing. `settings` may be NULL; arrays that
 * it points to must live as long as the plan. RM2_ERR_ARGUMENT or RM2_ERR_DATA with the reason where the settings
 * contradict each other or the data. An automatic latent dimension and an automatic start are found by
 * training on parts of the data, with progress and interrupts. */
RM2_API rm2_status rm2_fit_plan_create(rm2_context *ctx, const rm2_data *data,
                                       const rm2_fit_settings *settings, rm2_fit_plan **plan);
RM2_API void rm2_fit_plan_free(rm2_fit_plan *plan);
/* NULL for NULL; lives as long as the plan. */
RM2_API const rm2_fit_plan_info *rm2_fit_plan_info_of(const rm2_fit_plan *plan);

/* The checks of a plan that need no training. Without data (NULL) those that hold for any data; RM2_RECIPE_AUTO is
 * taken as RM2_RECIPE_ROBUST then, and of arrays only whether they are NULL counts. */
RM2_API rm2_status rm2_fit_check(rm2_context *ctx, const rm2_data *data,
                                 const rm2_fit_settings *settings);

/* Compare 1, 2, ... latent dimensions of data without trajectories on points held out, for RM2_TASK_INTEGRATED: fill
 * `rows` (`count`), as many as the data allow (*tried), fewer where the density declines. *chosen is the row of the
 * smallest dimension whose density is not below the largest one by more than the standard error of the difference, and
 * whose residual one more dimension does not halve. `settings` apply, except latent_dim. */
RM2_API rm2_status rm2_fit_choose_latent(rm2_context *ctx, const rm2_data *data,
                                         const rm2_fit_settings *settings, size_t count,
                                         rm2_latent_choice *rows, size_t *tried, size_t *chosen);

/* Find what the start of the training sees in the demonstrations, without training: families, cuts, reversals,
 * timing, outliers, pauses. *report (rm2_start_report_free) is NULL if the start does not align demonstrations: the plan has
 * another start, there are fewer than two trajectories, or most do not move. */
RM2_API rm2_status rm2_fit_inspect(rm2_context *ctx, const rm2_fit_plan *plan,
                                   rm2_start_report **report);

/* ---- training ------------------------------------------------------------------------------- */

/* Train. `checkpoint` may be NULL. The progress callback gets one row per iteration, and one with the reason at the end. An
 * interrupt ends training with the best state so far: RM2_OK, a model, and RM2_STOP_INTERRUPTED in it. Before the first
 * iteration, while the start is computed, it returns RM2_INTERRUPTED without a model. */
RM2_API rm2_status rm2_fit_run(rm2_context *ctx, const rm2_fit_plan *plan,
                               const rm2_checkpoint *checkpoint, rm2_model **model);

/* Plan, log the notes, and train. `settings` (NULL: rm2_fit_settings_recipe(RM2_RECIPE_AUTO)) and `checkpoint` may be NULL. */
RM2_API rm2_status rm2_fit(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *settings,
                           const rm2_checkpoint *checkpoint, rm2_model **model);

/* Train on a file, for a compact model (settings.compact is implied): rm2_data_read, rm2_fit and rm2_model_compact in one call. In a
 * team (riemann2/communicator.h) every rank reads its own part of the file, and no rank has all points: the way for data that one
 * machine cannot hold. The model has the same bits. For that the file is text, .npy or .npz with rows one after the other,
 * without labels, missing entries, and settings.select, holdout and thin, and the fit begins with RM2_INIT_ALIGNED or
 * RM2_INIT_ISOMAP, from no base point, inducing points or latents of your own; else rank 0 reads all. A path that other
 * ranks cannot read is an error. */
RM2_API rm2_status rm2_fit_file(rm2_context *ctx, const char *path, const rm2_data_settings *data,
                                const rm2_fit_settings *settings, const rm2_checkpoint *checkpoint,
                                rm2_model **model);

/* ---- more demonstrations -----------------------------------------------------------------------
 *
 * New points are encoded by the model, trajectories as a whole; those of motions that it does not know are placed next to what it
 * has, as the start does with families; training then starts from the model's own latents and these, with the model's settings,
 * base point and scales. Objectives of models with an anchor (settings.latent_anchor) are not comparable: the anchor holds latents
 * near where a training starts, and that is another place than for a training from the data alone. */

/* What the model makes of one new trajectory (or of all new points, where there are no trajectories). Residuals are root mean
 * squared norms in tangent coordinates. */
typedef struct rm2_added {
    size_t size; /* sizeof(rm2_added), set by the caller */
    size_t points;
    double before; /* residual of the points encoded by the model as it was */
    double after;  /* residual of the decoded latents after training */
    bool
        known; /* `before` is at most a quarter of the spread of the training points: a motion that the model knows */
    bool apart; /* a trajectory that is not known: its latents start next to those of the model */
} rm2_added;

/* Train on the points of the model and those of `more`. Both have trajectories or both have none; labels and time are needed where
 * the model has them, and dropped where it has none. The id of a trajectory that the model has too gets the source in front:
 * "new.csv:0". RM2_ERR_DATA where points are on another manifold, or farther from the model than its training points are from their
 * mean (other units or columns). `added` (one per trajectory of `more`, at least one) may be NULL; `checkpoint` too. A trajectory that is not
 * known is a new motion, or one with another unit or offset: look at it. Points without trajectories that are not known lie where
 * they fit least badly: train on all data afresh. */
RM2_API rm2_status rm2_fit_add(rm2_context *ctx, const rm2_model *model, const rm2_data *more,
                               const rm2_checkpoint *checkpoint, rm2_added *added,
                               rm2_model **extended);

#ifdef __cplusplus
}
#endif
#endif
