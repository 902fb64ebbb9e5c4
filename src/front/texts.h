/* Texts of options and of terminals for our own front ends.
 *
 * Front headers are not installed and their functions are not exported: the program, the benchmark and the Python
 * extension, which are linked with the static library, include them. */
#ifndef RM2_FRONT_TEXTS_H
#define RM2_FRONT_TEXTS_H

#include "riemann2/settings.h"

/* Change one part of a hyperparameter.
 *
 *   start   0.2: a positive number
 *   prior   none | gamma:SHAPE:RATE | lognormal:MEAN:WIDTH | lognormal:start:WIDTH
 *           (mean and standard deviation of the logarithm); of a hyperparameter that is learned
 *   learn   what is held is learned, under lognormal:start:0.5
 *   hold    held at its start, without a prior */
rm2_status rm2_hyperparameter_set_start(rm2_context *ctx, const char *text,
                                        rm2_hyperparameter *hyperparameter);
rm2_status rm2_hyperparameter_set_prior(rm2_context *ctx, const char *text,
                                        rm2_hyperparameter *hyperparameter);
void rm2_hyperparameter_learn(rm2_hyperparameter *hyperparameter);
void rm2_hyperparameter_hold(rm2_hyperparameter *hyperparameter);

/* The default of a column as text; of the first column if there is no such column. "" without a
 * setting. */
const char *rm2_setting_default(const rm2_setting *setting, size_t column);
/* What a value must be: "a whole number from 1, or auto", "one of se, matern32, matern52". */
void rm2_setting_expected(const rm2_setting *setting, char *text, size_t size);

/* The number of a setting, as rm2_settings_get gives its text. */
rm2_status rm2_settings_get_number(rm2_context *ctx, const rm2_settings_table *table,
                                   const void *settings, const char *name, double *value);

#endif
