/* Inside the evaluation layer: checks that its files share (view.c). */
#ifndef RM2I_EVAL_H
#define RM2I_EVAL_H

#include "riemann2/eval.h"

/* Are the data on the model's manifold? */
rm2_status rm2i_check_manifold(rm2_context *ctx, const rm2_model *model, const rm2_data *data);
rm2_status rm2i_check_shrinkage(rm2_context *ctx, const rm2_model *m, const rm2_data *data);
/* Are n x width numbers finite? `what` names a row in the message. */
rm2_status rm2i_check_finite(rm2_context *ctx, const char *what, size_t n, size_t width,
                             const double *x);

#endif
