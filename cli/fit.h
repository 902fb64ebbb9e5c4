/* What the commands that make and use models share: options of training, steps that report their
 * own failure, files of latent points. */
#ifndef RM2_CLI_FIT_H
#define RM2_CLI_FIT_H

#include "cli.h"

/* ---- options of training -------------------------------------------------------------------- */

/* -1 in a choice, 0 in a number: as the recipe has it. */
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
/* What is wrong with the options together: an option that would have no effect is an error, not a
 * silence. NULL if they fit. */
const char *fit_options_conflict(const fit_options *o);
/* Settings of the recipe with the options' overrides. Dynamics need trajectories: a recipe's are
 * left out where there are none. */
rm2_fit_settings fit_options_settings(const fit_options *o, uint64_t seed, bool trajectories);

/* ---- steps of a command --------------------------------------------------------------------- */

/* A command's run: who it is, what it works with. Its steps return an exit code, and one that is
 * not EXIT_DONE has printed its one line. */
typedef struct work {
    const command *self;
    rm2_context *ctx;
    const common_options *common;
} work;

#if defined(__GNUC__)
#define CLI_FORMAT __attribute__((format(printf, 3, 4)))
#else
#define CLI_FORMAT
#endif

/* Print "riemann2 COMMAND: ..." and return the code. */
int work_complain(const work *w, int code, const char *format, ...) CLI_FORMAT;
int work_no_memory(const work *w);
/* The exit code of a call of the library; prints its message. */
int work_check(const work *w, rm2_status status);
/* A message that --quiet silences. */
void work_note(const work *w, const char *text);

/* Can `path` be written at the end? Says so before the work instead of after it. `inputs` (ends
 * with NULL) must not be overwritten even with --force. */
int work_check_output(const work *w, const char *path, const char *const *inputs);
bool same_file(const char *a, const char *b);

/* A file of latent points (CSV or .npy): rows x Q, the caller's to free. In a CSV with columns z1,
 * z2, ... only these are read, so that what encode, decode and info write can be used. */
int work_read_latents(const work *w, const char *path, size_t Q, size_t *rows, double **values);

#endif
