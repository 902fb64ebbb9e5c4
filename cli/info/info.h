/* What is in a model and how it was trained, on standard output. */
#ifndef RM2_CLI_INFO_H
#define RM2_CLI_INFO_H

#include "core/settings.h"
#include "core/start.h"
#include "core/work.h"

void info_print_text(const rm2_model_info *i);
/* The same in full: every entry of the base point, of the latents' prior, ... */
void info_print_json(const rm2_model_info *i);

/* ---- what both say --------------------------------------------------------------------------- */

/* Mean of the diagonal of Kf. */
double info_output_variance(const rm2_model_info *i);
/* Kernels of a back constraint: one per factor, or one of the ambient space. */
size_t info_back_kernels(const rm2_model_info *i);
/* Values of a hyperparameter at the end of the training; NULL: the model does not have it. */
const double *info_values(const rm2_model_info *i, const rm2_hyperparameter *h, size_t *count);
/* The hyperparameter of a row of the table. */
const rm2_hyperparameter *info_hyperparameter(const rm2_model_info *i, const rm2_setting *setting);

#endif
