/* Settings of a training in a model file: the array "settings" of texts "NAME=VALUE", one per row of
 * RM2_SETTINGS_FIT. */
#ifndef RM2I_SETTINGS_FILE_H
#define RM2I_SETTINGS_FILE_H

#include "model_file/model_file.h"

rm2_status rm2i_settings_put(rm2i_file_writer w, const rm2_fit_settings *s);
/* Settings that the file lacks keep their value; values outside their range are RM2_ERR_FORMAT. */
rm2_status rm2i_settings_get(rm2i_reader r, rm2_fit_settings *s);

/* Mix every setting except limits (iterations, seconds) into a hash: fingerprints are made of this. */
void rm2i_settings_mix(const rm2_fit_settings *s, uint64_t *hash);

#endif
