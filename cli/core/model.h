/* Commands on a model file: what they work with, and how they are run. */
#ifndef RM2_CLI_MODEL_H
#define RM2_CLI_MODEL_H

#include "core/latents.h"
#include "core/settings.h"
#include "core/sheet.h"
#include "core/work.h"

/* Options of all these commands; each has a table with its own. */
typedef struct model_options {
    const char *output, *at, *trajectory, *latents;
    const char *from, *to, *through, *pairs, *speed, *acceleration, *frames, *frame_poses;
    bool train, noise, whole_grid, spread;
    size_t count, medoids, samples;
    double duration;
    const char *discourage, *names;
    text_list avoid;
    rm2_space_settings space;
    setting_options space_from;
    rm2_report_settings report;
    setting_options report_from;
    rm2_meet_settings meet;
    setting_options meet_from;
    int ends; /* 0: poses are met; 1: their encodings are the ends */
} model_options;

#define MODEL(member) offsetof(model_options, member)

typedef struct model_work {
    work work;
    const char *paths[2]; /* the model, and a second file or NULL */
    const model_options *options;
    const void *own; /* the command's own options, as in model_action */
    rm2_model *model;
    const rm2_model_info *info;
} model_work;

/* Does the output go to standard output? */
bool model_prints(const char *output);
/* --json asks for the summary on standard output, the table goes to a file or nowhere. */
bool model_wants_table(const model_work *m);
/* Where the summary goes: standard error if the table is on standard output. */
FILE *model_summary(const model_work *m);
/* Print a sentence of the library about a result, with options in place of its fields, after `what` it is about; returns
 * EXIT_NOT_CONVERGED. */
int model_complain(const model_work *m, const char *what, const char *sentence);
int model_write_sheet(const model_work *m, const sheet *s);
/* Latent points from --at, --train, --trajectory or the second file; the caller's to free. */
int model_find_latents(const model_work *m, size_t *n, double **latents);
/* The same with ids, times and labels, where the source has them; freed by latent_paths_free, also after a failure. */
int model_find_paths(const model_work *m, latent_paths *p);
/* The number of a training trajectory; says which ones there are if it is not among them. */
int model_find_trajectory(const model_work *m, const char *id, size_t *trajectory);
/* Data on the model's manifold, in the units of the file, as the options say; held_out may be NULL if
 * they set nothing aside. Both are the caller's to free. */
int model_read_data(const model_work *m, const char *path, data_options *options, rm2_data **data,
                    rm2_data **held_out);

/* Replace *data (which may be NULL) by the same with the signs of the model's training data. */
int model_align_signs(const model_work *m, rm2_data **data);

/* One of the actions: on what is in `m` alone, or with options that say how data are read. */
typedef struct model_action {
    const option *table;        /* fills model_options */
    const option_group *groups; /* more options, at most 3 groups; settings NULL: model_options */
    bool space;                 /* has options of the latent space, */
    const char *const *space_settings; /* from these settings, ends with NULL; NULL: all */
    bool report;                       /* has options of reports: --spread-limit */
    bool meet;                         /* has options of motions that meet poses */
    void *own;                         /* for the command itself */
    size_t files;                      /* most arguments */
    bool needs_source;                 /* latent points from exactly one place */
    const char *const *formats;        /* of the output; NULL: table_formats */
    int (*run)(const model_work *m);
    int (*run_with_data)(const model_work *m, data_options *options);
    /* With --manifold: on a file of points in place of a model; NULL: the command needs a model. */
    int (*run_on_points)(const model_work *m, data_options *options);
    setting_options *points_from; /* settings that only this has, or NULL */
} model_action;

int model_run(const command *self, int argc, char **argv, const model_action *a);

#endif
