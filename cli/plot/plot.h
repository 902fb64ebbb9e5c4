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
    text_list paths, points;
    double width, height, dpi;
    const char *title, *unit;
} plot_options;

/* A file of the command line: its latent points, what they decode to, its name in the legend. */
typedef struct drawn_file {
    latent_paths paths;
    double *points;
    char name[DRAWN_SIZE];
} drawn_file;

/* A path of a file. A few paths differ in colour and dash; of many, those of one file share name and style. */
typedef struct drawn_path {
    const drawn_file *file;
    size_t from, n; /* rows of the file */
    char name[DRAWN_SIZE];
    bool straight;
    size_t number; /* of what it shares its looks with, straight lines apart */
    size_t order;  /* of its name in the figure */
} drawn_path;

typedef struct plot_job {
    const model_work *m;
    const plot_options *options;
    drawn_file *files; /* those of --path, then those of --points */
    drawn_path *paths;
    size_t path_count;
    rm2_region *regions; /* of --avoid */
    size_t region_count;
    region_names names; /* of rows and columns of matrices */
    rm2_figure *figure;
} plot_job;

/* The files of --points. */
static inline const drawn_file *plot_points_file(const plot_job *j, size_t k) {
    return &j->files[j->options->paths.count + k];
}

/* The paths of the files of --path, with their names and looks (paths.c); an exit code. */
int plot_find_paths(plot_job *j);
rm2_style plot_path_style(const drawn_path *p, bool on_heat);
/* New data in a panel: each point as a marker, by label where the file has labels (points.c). In the latent plane,
 * or of a factor. */
rm2_status plot_new_latents(const plot_job *j, rm2_panel *panel);
rm2_status plot_new_points(const plot_job *j, size_t factor, rm2_panel *panel);

/* Regions of --avoid (obstacles.c): read them; an exit code. Draw them in the panel of their factor, and hatch the
 * latents that decode into them. */
int plot_read_regions(plot_job *j);
rm2_status plot_regions(const plot_job *j, const rm2_factor *factor, rm2_panel *panel);
rm2_status plot_blocked(const plot_job *j, const rm2_space *space, rm2_panel *panel);

/* Each opens job->figure and fills it; `space` is there for those that show a grid. */
rm2_status plot_latent(plot_job *j, const rm2_space *space);
rm2_status plot_decoded(plot_job *j, const rm2_space *space);
rm2_status plot_time(plot_job *j, const rm2_space *space);
rm2_status plot_training(plot_job *j, const rm2_space *space);

#endif
