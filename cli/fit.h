/* Options of training. -1 in a choice, 0 in a number: as the recipe has it. */
#ifndef RM2_CLI_FIT_H
#define RM2_CLI_FIT_H

#include "cli.h"

typedef struct fit_options {
    const char *output;
    int recipe, model, kernel, noise, outputs, task, base, init, method;
    size_t latent, rank, iterations;
    bool ard, learn_lengthscale, learn_noise, gpdm, no_gpdm, no_anchor, back_constraint, resume;
    double lengthscale, noise_level, anchor, learning_rate, decrease, checkpoint_every;
    const char *back_kernels, *init_from, *checkpoint;
} fit_options;

extern const option fit_option_table[];
fit_options fit_options_default(void);
/* Settings of the recipe with the options' overrides. Dynamics need trajectories: a recipe's are
 * left out where there are none. */
rm2_fit_settings fit_options_settings(const fit_options *o, uint64_t seed, bool trajectories);

/* A file of numbers with `columns` columns (CSV or .npy): rows x columns, the caller's to free. */
rm2_status read_numbers(rm2_context *ctx, const char *path, size_t columns, size_t *rows,
                        double **values);

#endif
