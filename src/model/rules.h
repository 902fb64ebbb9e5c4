/* Rules about the settings of a fit, in one place: which settings need others, which exclude each other, and which sizes of
 * the data they need. A plan (fit/plan.h), the trainings and the reader of model files ask here. */
#ifndef RM2I_RULES_H
#define RM2I_RULES_H

#include "riemann2/model.h"

typedef struct rm2i_fit_sizes {
    size_t N, M;         /* points, outputs */
    size_t trajectories; /* 0: the points are separate */
} rm2i_fit_sizes;

/* Number of outputs of a model of the manifold. */
size_t rm2i_rules_outputs(const rm2_fit_settings *s, const rm2_manifold *manifold);

/* Do the settings ask for inference by inducing points, directly or by settings about these points? */
bool rm2i_rules_inducing_asked(const rm2_fit_settings *s);
/* Is inference by inducing points? The settings ask for it, or leave it open and the points are many. */
bool rm2i_rules_inducing(const rm2_fit_settings *s, size_t N);

/* Can data of these sizes be trained with the settings? RM2_ERR_ARGUMENT or RM2_ERR_DATA with the reason. */
rm2_status rm2i_rules_check(rm2_context *ctx, const rm2_fit_settings *s,
                            const rm2i_fit_sizes *sizes);

#endif
