/* More demonstrations for a model that is there: its training goes on with all of them.
 *
 * New points are encoded by the model, trajectories as a whole; those of motions that it does not know are placed next to what it
 * has, as the start does with families; training then starts from the model's own latents and these, with the model's settings,
 * base point and scales. Objectives of models with an anchor (settings.latent_anchor) are not comparable: the anchor holds latents
 * near where a training starts, and that is another place than for a training from the data alone. */
#ifndef RIEMANN2_ADD_H
#define RIEMANN2_ADD_H

#include "riemann2/base.h"
#include "riemann2/data.h"
#include "riemann2/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the model makes of one new trajectory (or of all new points, where there are no trajectories). Residuals are root mean
 * squared norms in tangent coordinates. */
typedef struct rm2_added {
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
