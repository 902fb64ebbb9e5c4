/* From data to a model.
 *
 *     rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
 *     rm2_fit(ctx, data, &s, NULL, &model);
 *
 * A fit has two steps. The plan decides on the recipe, settings that follow from others, the latent
 * dimension, the start and the inference; it rejects settings that contradict each other or cannot
 * take effect, and keeps a note of every decision. The run trains. rm2_fit does both. */
#ifndef RIEMANN2_FIT_H
#define RIEMANN2_FIT_H

#include "riemann2/base.h"
#include "riemann2/data.h"
#include "riemann2/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- plans ---------------------------------------------------------------------------------- */

/* One decision on a setting that the caller left open. */
typedef struct rm2_fit_note {
    const char *setting; /* its name in RM2_SETTINGS_FIT */
    const char *value;   /* as text */
    const char *reason;  /* "points: ...": text to print after "since" */
    bool warning;        /* the decision removes a property that the recipe promises */
} rm2_fit_note;

/* Comparison of latent dimensions by the densities of points under models that were trained without
 * them: five folds of at most 500 points. */
typedef struct rm2_latent_choice {
    size_t latent_dim, points;
    double log_density, standard_error; /* mean per point, against the Riemannian volume */
    double residual;                    /* root mean squared, tangent coordinates */
    rm2_init_kind init;                 /* the start that was used, or chosen if it was automatic */
} rm2_latent_choice;

/* Decisions of a plan. Later versions may add members at the end. */
typedef struct rm2_fit_plan_info {
    /* The complete settings; recipe, latent_dim and init are not automatic. */
    const rm2_fit_settings *settings;
    size_t note_count;
    const rm2_fit_note *notes;
    /* The latent dimensions that were compared if settings.latent_dim was automatic; `chosen` is an
     * index of `dimensions`. */
    size_t dimension_count, chosen;
    const rm2_latent_choice *dimensions;
} rm2_fit_plan_info;

typedef struct rm2_fit_plan rm2_fit_plan;

/* Plan a training of `data`, which the plan retains; no entry of the data may be missing. If
 * `settings` is NULL, the defaults are used; arrays that it points to must outlive the plan. The
 * call returns RM2_ERR_ARGUMENT or RM2_ERR_DATA with the reason if the settings contradict each
 * other or the data. To find an automatic latent dimension or an automatic start, it trains on
 * parts of the data, with progress and interrupts. */
RM2_API rm2_status rm2_fit_plan_create(rm2_context *ctx, const rm2_data *data,
                                       const rm2_fit_settings *settings, rm2_fit_plan **plan);
RM2_API void rm2_fit_plan_free(rm2_fit_plan *plan);
/* Decisions of a plan, which live as long as the plan; NULL for NULL. */
RM2_API const rm2_fit_plan_info *rm2_fit_plan_info_of(const rm2_fit_plan *plan);

/* Run the checks of a plan that need no training. If `data` is NULL, only the checks that hold for
 * any data are run; RM2_RECIPE_AUTO then counts as RM2_RECIPE_ROBUST, and of arrays only whether
 * they are NULL is checked. */
RM2_API rm2_status rm2_fit_check(rm2_context *ctx, const rm2_data *data,
                                 const rm2_fit_settings *settings);

/* Compare 1, 2, ... latent dimensions on held-out points, for RM2_TASK_INTEGRATED and data without
 * trajectories.
 *
 * @param ctx  context
 * @param data  points without trajectories
 * @param settings  apply to all trainings, except latent_dim; NULL: the defaults
 * @param count  size of `rows`: the largest latent dimension to try
 * @param rows  result, one per latent dimension: as many as the data allow, fewer if the density
 *     declines
 * @param tried  result: number of rows that were filled
 * @param chosen  result: row of the smallest dimension whose density is below the largest one by at
 *     most the standard error of the difference, and whose residual is not halved by one more
 *     dimension
 */
RM2_API rm2_status rm2_fit_choose_latent(rm2_context *ctx, const rm2_data *data,
                                         const rm2_fit_settings *settings, size_t count,
                                         rm2_latent_choice *rows, size_t *tried, size_t *chosen);

/* Report what the start of the training finds in the demonstrations, without training: families,
 * cuts, reversals, timing, outliers and pauses. *report (rm2_start_report_free) is NULL if the
 * start does not align demonstrations: the plan has another start, the data have fewer than two
 * trajectories, or most trajectories do not move. */
RM2_API rm2_status rm2_fit_inspect(rm2_context *ctx, const rm2_fit_plan *plan,
                                   rm2_start_report **report);

/* ---- training ------------------------------------------------------------------------------- */

/* Train. `checkpoint` may be NULL. The progress callback gets one row per iteration, and a last one
 * with the reason to stop. An interrupt ends training with the best state so far: the call returns
 * RM2_OK and a model with the stop reason RM2_STOP_INTERRUPTED. Before the first iteration, while
 * the start is computed, an interrupted call returns RM2_INTERRUPTED without a model. */
RM2_API rm2_status rm2_fit_run(rm2_context *ctx, const rm2_fit_plan *plan,
                               const rm2_checkpoint *checkpoint, rm2_model **model);

/* Plan, log the notes, and train.
 *
 * @param ctx  context
 * @param data  training data
 * @param settings  NULL: rm2_fit_settings_recipe(RM2_RECIPE_AUTO)
 * @param checkpoint  NULL: none
 * @param model  result, freed with rm2_model_free
 */
RM2_API rm2_status rm2_fit(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *settings,
                           const rm2_checkpoint *checkpoint, rm2_model **model);

/* Train on a file and make the model compact (settings.compact is implied): rm2_data_read, rm2_fit
 * and rm2_model_compact in one call.
 *
 * With a communicator (riemann2/communicator.h) every rank reads its own part of the file, and no
 * rank holds all points: use this call for data that do not fit on one machine. The model is bit
 * for bit the same as that of a single process. For that, the file must be text, .npy or .npz with
 * rows one after the other, without labels and missing entries; settings.select, holdout and thin
 * must not be used; and the fit must begin with RM2_INIT_ALIGNED or RM2_INIT_ISOMAP, without a base
 * point, inducing points or latents of your own. Otherwise rank 0 reads all data. A path that other
 * ranks cannot read is an error.
 *
 * @param ctx  context
 * @param path  the file
 * @param data  settings of reading; data->manifold is required
 * @param settings  training settings; NULL: rm2_fit_settings_recipe(RM2_RECIPE_AUTO)
 * @param checkpoint  NULL: none
 * @param model  result, freed with rm2_model_free
 */
RM2_API rm2_status rm2_fit_file(rm2_context *ctx, const char *path, const rm2_data_settings *data,
                                const rm2_fit_settings *settings, const rm2_checkpoint *checkpoint,
                                rm2_model **model);

/* ---- more demonstrations --------------------------------------------------------------------- */

/* Result of adding one trajectory (or all new points, if they have no trajectories). Residuals are
 * root mean squared norms in tangent coordinates. */
typedef struct rm2_added {
    size_t size; /* sizeof(rm2_added), set by the caller */
    size_t points;
    double before; /* residual of the points encoded by the original model */
    double after;  /* residual of the decoded latents after training */
    /* The model knows this motion: `before` is at most a quarter of the spread of the training
     * points. */
    bool known;
    /* A trajectory that is not known: its latents start next to those of the model. */
    bool apart;
} rm2_added;

/* Train on the points of a model together with new ones.
 *
 * The model encodes the new points, each trajectory as a whole. Points of motions that it does not
 * know are placed next to its latents, as the start places families. Training then starts from the
 * model's own latents and these, with the model's settings, base point and scales. Objectives of
 * models with an anchor (settings.latent_anchor) are not comparable: the anchor holds latents near
 * their start, and this start differs from that of a training from the data alone.
 *
 * Model and new data must both have trajectories, or both none. Labels and time are required if the
 * model has them, and dropped if it has none. If the id of a new trajectory exists in the model,
 * the source is put in front: "new.csv:0". A trajectory that is not known is a new motion, or has
 * another unit or offset: inspect it. Points without trajectories that are not known lie where they
 * fit least badly: train on all data afresh.
 *
 * @param ctx  context
 * @param model  the model to extend
 * @param more  the new data
 * @param checkpoint  NULL: none
 * @param added  result, one per trajectory of `more` (at least one), or NULL
 * @param extended  result: the new model, freed with rm2_model_free
 * @return RM2_ERR_DATA if points are on another manifold, or farther from the model than its
 *     training points are from their mean (other units or columns)
 */
RM2_API rm2_status rm2_fit_add(rm2_context *ctx, const rm2_model *model, const rm2_data *more,
                               const rm2_checkpoint *checkpoint, rm2_added *added,
                               rm2_model **extended);

#ifdef __cplusplus
}
#endif
#endif
