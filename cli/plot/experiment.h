/* What the figures of an experiment share. */
#ifndef RM2_CLI_PLOT_EXPERIMENT_H
#define RM2_CLI_PLOT_EXPERIMENT_H

#include "experiment/experiment.h"
#include "plot/figures.h"

enum { PAGE_WIDTH = 175 }; /* millimetres: two columns of a paper */

/* The path is drawn on a heat map, or on white paper. */
rm2_style experiment_style(const experiment_run *r, const outcome *o, bool on_heat);
const char *experiment_model_name(const trained *t);
/* "WGPLVM and Riemann², magnification": titles of a figure differ. */
enum { TITLE_SIZE = 120 };
void experiment_title(const trained *t, const char *what, char title[TITLE_SIZE]);
/* Save as SVG, and in the format asked for. */
int experiment_save(experiment_run *r, const rm2_figure *figure, const char *name,
                    const char *caption);
int experiment_draw_decoded(experiment_run *r);
int experiment_draw_groups(experiment_run *r);
int experiment_draw_arms(experiment_run *r);

#endif
