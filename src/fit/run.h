/* A training with settings that are decided: base point, outputs, start, training, posterior. */
#ifndef RM2I_FIT_RUN_H
#define RM2I_FIT_RUN_H

#include "train/train.h"

/* Find the base point of a model, m->base. (base_point.c) */
rm2_status rm2i_find_base(rm2_context *ctx, const rm2_fit_settings *s, rm2_model *m);
/* V (N x M, becomes centred), mean, F (M x N), volume. (outputs.c) */
rm2_status rm2i_find_outputs(rm2_context *ctx, rm2_model *m, double *V);

/* Do the data have all entries, and matrices whose distances are finite if the model needs these? */
rm2_status rm2i_data_usable(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s);
/* Train a model that rm2i_model_create made, except for its posterior. */
rm2_status rm2i_fit_model(rm2_context *ctx, const rm2_fit_settings *s,
                          const rm2_checkpoint *checkpoint, rm2_model *m);
/* A trained model of the data. */
rm2_status rm2i_fit_settled(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s,
                            const rm2_checkpoint *checkpoint, rm2_model **model);
/* What the start finds in the demonstrations; *report is NULL if it does not align any. */
rm2_status rm2i_fit_inspect(rm2_context *ctx, const rm2_data *data, const rm2_fit_settings *s,
                            rm2_start_report **report);

/* On processes other than the root: their side of rm2_fit_file. (fit_file.c) */
rm2_status rm2i_fit_file_join(rm2_context *ctx);

#endif
