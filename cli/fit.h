/* Options of training. */
#ifndef RM2_CLI_FIT_H
#define RM2_CLI_FIT_H

#include "cli.h"

/* -1 in a choice, 0 in a number: as the recipe has it. */
typedef struct fit_options {
    const char *output;
    int recipe, model, kernel, noise, outputs, task, base, init, method, inference;
    size_t latent, rank, iterations, inducing;
    bool ard, learn_lengthscale, learn_noise, gpdm, no_gpdm, no_anchor, back_constraint, resume;
    double accuracy, lengthscale, noise_level, anchor, learning_rate, decrease, checkpoint_every;
    const char *back_kernels, *init_from, *checkpoint;
} fit_options;

extern const option fit_option_table[];
fit_options fit_options_default(void);
/* What is wrong with the options together: an option that would have no effect is an error, not a
 * silence. NULL if they fit. */
const char *fit_options_conflict(const fit_options *o);
/* Settings of the recipe with the options' overrides. Dynamics need trajectories: a recipe's are
 * left out where there are none. */
rm2_fit_settings fit_options_settings(const fit_options *o, uint64_t seed, bool trajectories);

#endif
