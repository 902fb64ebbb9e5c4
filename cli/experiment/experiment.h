/* riemann2 experiment: the experiments of the paper, with all models side by side.
 *
 * An experiment is a table of variants: a model, and how one moves in its latent space. Data come from
 * the generators or from a file of the same kind; every number of the tables is computed here, the
 * paper's own stand next to them for comparison. */
#ifndef RM2_CLI_EXPERIMENT_H
#define RM2_CLI_EXPERIMENT_H

#include "core/names.h"
#include "core/settings.h"
#include "core/work.h"

/* ---- what is compared ----------------------------------------------------------------------- */

typedef enum movement {
    MOVE_STRAIGHT, /* Euclidean latent space: straight lines */
    MOVE_PULLBACK, /* geodesics of the expected pullback metric */
    MOVE_DENSITY   /* geodesics of the density metric */
} movement;

typedef struct variant {
    const char *name;
    rm2_model_kind kind;
    bool independent; /* outputs */
    movement movement;
    double sigma;                        /* of the density metric */
    const char *paper_share, *paper_dtw; /* as printed in the paper; NULL: nothing */
} variant;

typedef struct experiment {
    const char *name, *title, *generator, *manifold;
    const char *paper_table; /* where the paper has its numbers */
    double paper_floor;      /* of its data, as we measure it; 0: they are not public */
    const variant *variants;
    size_t count;
    bool trajectories, arm; /* points of demonstrations; an arm follows the decoded ones */
    /* the paper's settings, for --recipe paper */
    double learning_rate, back_lengthscale; /* 0: no back constraint */
    bool gpdm, lengthscale_prior;
} experiment;

extern const experiment experiments[]; /* ends with a NULL name */

/* ---- what came out -------------------------------------------------------------------------- */

typedef struct trained {
    rm2_model_kind kind;
    bool independent;
    rm2_model *model;
    const rm2_model_info *info;
    rm2_space *space;             /* with its pullback metric */
    rm2_space_metric_kind metric; /* of its geodesics */
} trained;

typedef struct outcome {
    const variant *variant;
    const trained *trained;
    char metric[160]; /* what was minimised */
    rm2_curve *curve;
    rm2_path_report report;                /* lengths in the model's own metric */
    double *points;                        /* nodes x ambient, units of the data */
    double share;                          /* of points on the manifold */
    rm2_distance_summary dtw, dtw_tangent; /* count 0: not defined */
} outcome;

/* How well an arm follows a decoded trajectory. */
typedef struct execution {
    const outcome *outcome;
    char arm[32];
    bool flat; /* a planar arm */
    size_t n, joints;
    double *q, *skeleton, *targets; /* n x joints, n x (links + 1) x 3, n x width */
    size_t links, width;
    double mean_position, worst_position, mean_orientation, mean_ellipsoid;
    rm2_track_info info;
} execution;

enum { MOST_TRAINED = 4, MOST_VARIANTS = 8, MOST_EXECUTIONS = 2, MOST_FIGURES = 5 };

/* ---- groups of points without trajectories (groups.h) ------------------------------------------ */

enum { MOST_GROUPS = 6, MOST_TESTS = MOST_GROUPS * (MOST_GROUPS - 1) / 2 };

typedef struct group_test {
    size_t first, second; /* labels */
    double distance, adjusted;
    rm2_test_result result;
} group_test;

typedef struct group_results {
    rm2_held_out held_out; /* 0 points: not known */
    size_t count;          /* groups; 0: not compared */
    double *means;         /* count x ambient, units of the data */
    rm2_group groups[MOST_GROUPS];
    group_test tests[MOST_TESTS];
    size_t test_count;
    rm2_classify_settings classify;
    rm2_classifier methods[RM2_CLASSIFIERS];
    rm2_accuracy accuracy[RM2_CLASSIFIERS];
    size_t method_count;
    size_t unconverged;
} group_results;

typedef struct figure_file {
    const char *name; /* without folder and ending */
    const char *caption;
} figure_file;

typedef struct experiment_options {
    const char *output, *data, *names;
    int format;
    size_t demos, points;
    bool paper_data;          /* --data are the paper's */
    text_list choices;        /* of settings, for one model each: choose.c */
    rm2_fit_settings fit;     /* of all models: recipe, kernel, latents, iterations */
    rm2_space_settings space; /* metric, contrast, grid and nodes */
    setting_options from, space_from;
    int argc; /* the command, for the report */
    char **argv;
} experiment_options;

typedef struct experiment_run {
    work work;
    const experiment *experiment;
    const experiment_options *options;
    data_options *data_options;
    const char *folder;
    rm2_data *data;      /* trained on */
    rm2_data *reference; /* demonstrations in full, units of the data */
    trained models[MOST_TRAINED];
    size_t model_count;
    outcome outcomes[MOST_VARIANTS];
    size_t outcome_count;
    rm2_distance_summary floor, floor_tangent; /* between the demonstrations; count 0: none */
    region_names names;                        /* of rows and columns of matrices */
    group_results groups;
    execution executions[MOST_EXECUTIONS];
    size_t execution_count;
    figure_file figures[MOST_FIGURES];
    size_t figure_count;
    char *notes, *origin; /* lines below the table: results, and how they came about */
    double started;
} experiment_run;

/* Steps; each returns an exit code and has said what went wrong. */
int experiment_load(experiment_run *r);
int experiment_train(experiment_run *r);
int experiment_move(experiment_run *r);
int experiment_compare(experiment_run *r);
int experiment_execute(experiment_run *r);
int experiment_groups(experiment_run *r);
int experiment_draw(experiment_run *r); /* cli/plot, or cli/plotless without figures */
int experiment_save_files(experiment_run *r);
int experiment_report(experiment_run *r);
void experiment_free(experiment_run *r);

/* Settings of a model: of all, and those that --for names. Whether --for is right is checked before the work. */
int experiment_fit_settings(const experiment_run *r, const trained *t, rm2_setting_text *texts,
                            rm2_fit_settings *s);
int experiment_space_settings(const experiment_run *r, const trained *t, rm2_space_settings *s);
int experiment_check_choices(const work *w, const experiment_options *o);

/* Names of files, without ending: "path-riemann2", "model-gplvm-independent". */
enum { FILE_NAME = 64 };
void experiment_path_name(const variant *v, char name[FILE_NAME]);
void experiment_model_file(rm2_model_kind kind, bool independent, char name[FILE_NAME]);

/* The wrapped model with correlated outputs, Riemann2's: every experiment has one. */
const trained *experiment_wrapped(const experiment_run *r);
/* The outcome of that movement on that model; NULL if there is none. */
const outcome *experiment_outcome(const experiment_run *r, const trained *t, movement m);

/* ---- tables --------------------------------------------------------------------------------- */

enum { CELL = 40, MOST_CELLS = 9 };
typedef struct table_line {
    char cells[MOST_CELLS][CELL];
    size_t count;
} table_line;

table_line experiment_head(const experiment_run *r);
table_line experiment_row(const experiment_run *r, const outcome *o);
/* Fails where a figure cannot be read. */
int experiment_print_html(const experiment_run *r, FILE *out);
void experiment_print_latex(const experiment_run *r, FILE *out);
/* Lines as columns of text, and as a LaTeX table; the first is the head. */
void experiment_print_lines(FILE *out, const table_line *lines, size_t count);
void experiment_print_tabular(FILE *out, const char *title, const table_line *lines, size_t count);

/* A line that --quiet silences: "toy: ...". */
void experiment_say(const experiment_run *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Folder, name and ending in one path. */
enum { PATH_SIZE = 1200 };
void experiment_path(const experiment_run *r, const char *name, const char *ending,
                     char path[PATH_SIZE]);

#endif
