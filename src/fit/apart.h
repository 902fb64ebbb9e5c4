/* Demonstrations of motions that a model does not know. */
#ifndef RM2I_APART_H
#define RM2I_APART_H

#include "model/model.h"
#include "start/start.h"

/* Latents X (N x Q) of demonstrations of new motions, next to those of the model: the start that a training on them alone has, of the
 * extent that the model's latents have, placed next to these as the start does with families. Their outputs are as the
 * model has them (rm2i_model_outputs). */
rm2_status rm2i_place_apart(rm2_context *ctx, const rm2_model *model, const rm2i_start_data *demos,
                            double *X);

#endif
