/* Settings of a training in a model file: every row of rm2_fit_settings_table as settings/FIELD. */
#ifndef RM2I_SETTINGS_FILE_H
#define RM2I_SETTINGS_FILE_H

#include "hdf5/hdf5.h"
#include "riemann2/model.h"

rm2_status rm2i_settings_put(rm2_context *ctx, rm2i_h5_writer *h5, const rm2_fit_settings *s);
/* Fields that the file lacks keep their value; values outside their range are RM2_ERR_FORMAT. */
rm2_status rm2i_settings_get(rm2_context *ctx, const rm2i_h5 *h5, rm2_fit_settings *s);

/* Feed every value except limits (iterations, seconds) to a function, in the order of the table: what a
 * fingerprint is made of. */
void rm2i_settings_each(const rm2_fit_settings *s, void (*take)(void *user, double value),
                        void *user);

#endif
