/* Could a training have made this model? Asked of every model that is read, since a file may say
 * anything. */
#ifndef RM2I_MODEL_CHECK_H
#define RM2I_MODEL_CHECK_H

#include "model/model.h"

/* A complete model except its posterior, of the file `name`, whose sizes fit together and whose indices
 * are in range. RM2_ERR_FORMAT: the message names the array, the entry, its value and what it
 * must be. */
rm2_status rm2i_model_check(rm2_context *ctx, const char *name, const rm2_model *model);

/* Once a compact model has its posterior: are its sums those of the points that it has? Its mean at these is of the size
 * of their outputs. */
rm2_status rm2i_model_check_compact(rm2_context *ctx, const char *name, const rm2_model *model);

/* Values between two bounds; `text` says which. */
typedef struct rm2i_range {
    double lowest, highest;
    const char *text;
} rm2i_range;

extern const rm2i_range rm2i_finite;
extern const rm2i_range
    rm2i_entry; /* as entries of data that is read: sums of their squares are finite */
extern const rm2i_range
    rm2i_length; /* fourth powers, which second derivatives of a kernel have, are finite, of inverses
                                        too */

/* RM2_ERR_FORMAT unless all values of an array are in the range; NaN is in none. */
rm2_status rm2i_check_range(rm2_context *ctx, const char *name, const char *array, size_t count,
                            const double *values, const rm2i_range *range);

#endif
