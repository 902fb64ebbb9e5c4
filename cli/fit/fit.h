/* Training: its options, and what a run of the command owns. */
#ifndef RM2_CLI_FIT_H
#define RM2_CLI_FIT_H

#include "core/settings.h"
#include "core/work.h"

/* ---- options --------------------------------------------------------------------------------- */

typedef struct fit_options {
    rm2_fit_settings
        settings; /* as the options were read one by one: fit_options_settings is what counts */
    setting_options from;
    const char *output, *back_kernels, *base_point, *init_from, *family, *inducing_points,
        *checkpoint, *add, *from_model;
    double checkpoint_every; /* 0: not given */
    bool resume, compact;
    text_list set, learn, hold, prior; /* of hyperparameters, by name */
} fit_options;

extern const option fit_option_table[];
extern const option hyper_option_table[];
fit_options fit_options_default(void);

/* Names of the hyperparameters, a blank before each. */
void hyper_list_names(char *text, size_t size);

/* Settings as texts for the library; those of hyperparameters are copies. */
enum { FIT_HYPERS = 48, FIT_VALUE = 96 };
typedef struct fit_texts {
    size_t count, copies;
    rm2_setting_text list[SETTING_ROWS + FIT_HYPERS];
    char value[FIT_HYPERS][FIT_VALUE];
} fit_texts;

/* The settings of the options; what files will hold is only marked as there. `texts` must outlive them. */
int fit_options_settings(const work *w, const fit_options *o, fit_texts *texts,
                         rm2_fit_settings *s);
/* Reject options that contradict each other, as far as that is known without data. */
int fit_options_check(const work *w, const fit_options *o);
/* --set, --learn, --hold and --prior. */
int fit_hyper_texts(const work *w, const fit_options *o, fit_texts *texts);

/* ---- a run ----------------------------------------------------------------------------------- */

/* Everything a run of the command owns. */
typedef struct training {
    work work;
    const char *path; /* of the data */
    data_options *data_options;
    const fit_options *options;
    rm2_data *data, *held; /* NULL: every process reads its part; trajectories set aside, or NULL */
    fit_texts texts;
    rm2_fit_settings settings; /* as given; those of the plan are what counts */
    rm2_fit_plan *plan;        /* NULL: --add, or every process reads its part */
    rm2_factor_kernel *kernels;
    double *start;    /* latent points to start from, or NULL */
    double *base;     /* base point, or NULL */
    size_t *inducing; /* inducing points, or NULL */
    rm2_model *model;
    rm2_model *old;   /* --from: the model that goes on with the data of --add, or NULL */
    rm2_added *added; /* what it makes of each trajectory of them */
} training;

/* Data, settings, and what else comes from files. */
int fit_read_inputs(training *t);
/* --from and --add: the model, the new data as the model's were read, its settings. */
int fit_read_addition(training *t);
/* Of the trajectories that were added: how many the model did not know; lines; a member of a JSON object. */
size_t fit_unknown(const training *t);
void fit_print_added(FILE *out, const training *t);
void fit_json_added(rm2_json *json, const training *t);
/* --base-point: a point of the training's manifold, in the units of the data. */
int fit_read_base(training *t);
/* --inducing-points: some of the training points. */
int fit_read_inducing(training *t);

/* How a training ended, the one rule for words, JSON and exit code: at its own end or at its number of
 * iterations it is finished (0), stopped before (interrupted, out of time) it is not (4). */
typedef enum fit_end {
    FIT_CONVERGED,
    FIT_AT_LIMIT, /* more iterations may improve it */
    FIT_UNFINISHED
} fit_end;
fit_end fit_ended(const rm2_model_info *i);

/* The model's file (rescue.c). */
int fit_write_model(const training *t);

/* "recipe robust, since ...", after `before`. */
void fit_print_note(FILE *out, const char *before, const rm2_fit_note *note);

/* What became of the training, on `out`, with the model written. */
void fit_print_summary(FILE *out, const training *t, const rm2_model_info *i);

#endif
