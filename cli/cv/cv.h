/* riemann2 cv: its options, the grid of settings, and what a run owns. */
#ifndef RM2_CLI_CV_H
#define RM2_CLI_CV_H

#include "fit/fit.h"

/* ---- the grid of settings --------------------------------------------------------------------- */

enum { GRID_AXES = 16, AXIS_VALUES = 32, VALUE_SIZE = 96, GRID_POINTS = 1000 };

/* One option and its values: a setting of the table, or a hyperparameter of --set. */
typedef struct axis {
    char name[SETTING_WORD]; /* "latent" */
    size_t row;              /* of the table; SETTING_ROWS: --set */
    size_t count;
    char value[AXIS_VALUES][VALUE_SIZE];
} axis;

/* All combinations of the values. Only axes of more than one value are in the tables: `shown` of them, which come first. */
typedef struct grid {
    axis *axes; /* GRID_AXES */
    size_t count, shown, candidates;
} grid;

/* From the options as they were given. */
int grid_create(const work *w, const fit_options *o, grid *g);
void grid_free(grid *g);
/* The settings of one candidate; `texts` hold what they point to. */
int grid_settings(const work *w, const grid *g, const fit_options *o, size_t candidate,
                  fit_texts *texts, rm2_fit_settings *settings);
/* Value of an axis for a candidate. */
const char *grid_value(const grid *g, size_t candidate, size_t number);

/* ---- a run ------------------------------------------------------------------------------------ */

typedef struct cv_options {
    fit_options fit; /* settings and hyperparameters; no files */
    rm2_cross_settings cross;
    setting_options from;
    const char *output, *checkpoint;
    bool resume;
} cv_options;

typedef struct cv_run {
    work work;
    const cv_options *options;
    const char *path;
    rm2_data *data;
    grid grid;
    rm2_fit_settings *settings; /* of the candidates */
    fit_texts *texts;
    rm2_cross *cross;
} cv_run;

/* The tables on standard output and in the file; the exit code. */
int cv_report(const cv_run *r);

#endif
