/* Could a training have made this model? Asked of every model that is read, since a file may say
 * anything. */
#ifndef RM2I_MODEL_CHECK_H
#define RM2I_MODEL_CHECK_H

#include "model/model.h"

/* A complete model except its posterior, of the file `name`, whose sizes fit together and whose indices
 * are in range. RM2_ERR_FORMAT: the message names the dataset, the entry, its value and what it
 * must be. */
rm2_status rm2i_model_check(rm2_context *ctx, const char *name, const rm2_model *model);

/* Once a compact model has its posterior: are its sums those of the points that it has? Its mean at these is of the size
 * of their outputs. */
rm2_status rm2i_model_check_compact(rm2_context *ctx, const char *name, const rm2_model *model);

/* All values of a dataset are finite. */
rm2_status rm2i_model_check_finite(rm2_context *ctx, const char *name, const char *dataset,
                                   size_t count, const double *values);

#endif
