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
/* Log that it is, if the settings leave it open. */
void rm2i_rules_log_inference(rm2_context *ctx, const rm2_fit_settings *s, size_t N);

enum { RM2I_FIT_ROWS = 64 }; /* rows of RM2_SETTINGS_FIT, at most */

/* The settings that a caller gave, by row of RM2_SETTINGS_FIT: `given` any, `named` those of settings.texts. */
typedef struct rm2i_given {
    bool given[RM2I_FIT_ROWS], named[RM2I_FIT_ROWS];
} rm2i_given;

/* Was the setting of this name given? */
bool rm2i_rules_given(const rm2i_given *given, const char *name);

/* Can every setting that was given take effect together with the others? RM2_ERR_ARGUMENT with the pair that cannot. */
rm2_status rm2i_rules_consistent(rm2_context *ctx, const rm2_fit_settings *s,
                                 const rm2i_given *given);

/* Can data of these sizes be trained with the settings? RM2_ERR_ARGUMENT or RM2_ERR_DATA with the reason. */
rm2_status rm2i_rules_check(rm2_context *ctx, const rm2_fit_settings *s,
                            const rm2i_fit_sizes *sizes);

#endif
