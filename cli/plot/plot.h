/* riemann2 plot: what it draws, and how each kind of figure is drawn. */
#ifndef RM2_CLI_PLOT_H
#define RM2_CLI_PLOT_H

#include "core/latents.h"
#include "geometry/geometry.h"
#include "plot/figures.h"

typedef enum plot_kind {
    KIND_LATENT,
    KIND_UNCERTAINTY,
    KIND_DECODED,
    KIND_TIME,
    KIND_TRAINING
} plot_kind;

typedef struct plot_options {
    int kind;
    text_list paths;
    double width, height, dpi;
    const char *title;
} plot_options;

/* A file of the command line: its paths, what they decode to, its name in the legend. */
typedef struct drawn_file {
    latent_paths paths;
    double *points;
    char name[DRAWN_SIZE];
} drawn_file;

typedef struct plot_job {
    const model_work *m;
    const plot_options *options;
    drawn_file *files; /* one for each --path */
    rm2_figure *figure;
} plot_job;

/* Each opens job->figure and fills it; `space` is there for those that show a grid. */
rm2_status plot_latent(plot_job *j, const rm2_space *space);
rm2_status plot_decoded(plot_job *j, const rm2_space *space);
rm2_status plot_time(plot_job *j, const rm2_space *space);
rm2_status plot_training(plot_job *j, const rm2_space *space);

#endif
