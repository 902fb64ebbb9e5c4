/* Texts of options and of terminals for our own front ends.
 *
 * Headers of src/front are not installed and their functions are not exported: the program, the
 * benchmark and the Python extension, which are linked with the static library, include them. */
#ifndef RM2_FRONT_TEXTS_H
#define RM2_FRONT_TEXTS_H

#include "riemann2/settings.h"

/* Change one part of a hyperparameter.
 *
 *   start   0.2: a positive number
 *   prior   none | gamma:SHAPE:RATE | lognormal:MEAN:WIDTH | lognormal:start:WIDTH (mean and
 *           standard deviation of the logarithm); only for a hyperparameter that is learned
 *   learn   learn a hyperparameter that was held, under lognormal:start:0.5
 *   hold    hold it at its start, without a prior */
rm2_status rm2_hyperparameter_set_start(rm2_context *ctx, const char *text,
                                        rm2_hyperparameter *hyperparameter);
rm2_status rm2_hyperparameter_set_prior(rm2_context *ctx, const char *text,
                                        rm2_hyperparameter *hyperparameter);
void rm2_hyperparameter_learn(rm2_hyperparameter *hyperparameter);
void rm2_hyperparameter_hold(rm2_hyperparameter *hyperparameter);

/* The default of a column as text; that of the first column if the table has fewer columns. ""
 * without a setting. */
const char *rm2_setting_default(const rm2_setting *setting, size_t column);
/* Describe the valid values of a setting: "a whole number from 1, or auto", "one of se, matern32,
 * matern52". */
void rm2_setting_expected(const rm2_setting *setting, char *text, size_t size);

/* Get the value of a setting as a number, whose text is that of rm2_settings_get.
 *
 * @param ctx  receives messages; may be NULL
 * @param table  table of the struct
 * @param settings  the struct, with its size
 * @param name  name of the setting
 * @param value  result
 */
rm2_status rm2_settings_get_number(rm2_context *ctx, const rm2_settings_table *table,
                                   const void *settings, const char *name, double *value);

#endif
