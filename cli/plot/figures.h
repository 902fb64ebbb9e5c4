/* Parts of figures that `plot` and `experiment` share. */
#ifndef RM2_CLI_FIGURES_H
#define RM2_CLI_FIGURES_H

#include "core/work.h"
#include "riemann2/plot.h"

/* Approximate height of a legend with this number of entries below a figure of that width, in millimetres. */
double figure_legend_height(size_t entries, double width);
/* Height of a panel of that width (millimetres) around the grid, in which one unit is equally long on
 * both axes: with room for labels and colour bar. */
double figure_latent_height(const rm2_roadmap_info *grid, double width);
/* A panel for a latent space of two dimensions. */
rm2_status figure_latent_panel(rm2_context *ctx, rm2_figure *figure, size_t row, size_t column,
                               const char *title, rm2_panel **panel);
/* A field on the grid's nodes, whose values are in rows of y. */
rm2_heat_map figure_grid(const rm2_roadmap_info *grid, const double *values);
/* Magnification of the metric, or standard deviation of decoded points, on the grid's nodes. */
rm2_status figure_heat(rm2_context *ctx, rm2_panel *panel, const rm2_model *model,
                       const rm2_metric *metric, const rm2_roadmap_info *grid, bool uncertainty);
/* A text of a file as a figure can have it: U+FFFD for bytes that are not UTF-8 and for control characters, a
 * long one ends in "...". */
enum { DRAWN_SIZE = 200 };
void figure_text(const char *text, char drawn[DRAWN_SIZE]);
/* Groups of latents that a legend tells apart: by label if there are labels, and few; else one. */
size_t figure_groups(const rm2_model_info *info);
/* Latents, by these groups; those of a trajectory are joined. */
rm2_status figure_latents(rm2_context *ctx, rm2_panel *panel, const rm2_model_info *info);
/* How paths look, in every figure: one colour, one meaning. They have a white edge on a heat map. */
rm2_style figure_geodesic_style(const char *label, bool on_heat);
rm2_style figure_straight_style(const char *label, bool on_heat);
rm2_style figure_other_style(size_t index, const char *label, bool on_heat); /* of further paths */
/* A circle at the first and a square at the last of n points of the panel, or of a factor; nothing in a panel of
 * frames or matrices. */
rm2_status figure_ends(rm2_context *ctx, rm2_panel *panel, size_t n, size_t width, const double *x);
rm2_status figure_factor_ends(rm2_context *ctx, rm2_panel *panel, const rm2_manifold *manifold,
                              size_t factor, size_t n, const double *points);
/* x, y and z; `unit` may be NULL. */
enum { AXIS_TEXT = 48 };
typedef struct axis_texts {
    char text[3][AXIS_TEXT];
} axis_texts;
void figure_label_axes(rm2_panel_settings *s, const char *unit, axis_texts *texts);
/* The data in the background of a factor's panel: trajectories as lines, other points as markers; none where
 * they would hide everything: frames, large matrices. points: count x ambient. */
rm2_status figure_background(rm2_context *ctx, rm2_panel *panel, const rm2_data *data,
                             size_t factor, const double *points);
/* The objective over the iterations, less `zero`, divided by `unit`. */
rm2_status figure_trace(rm2_context *ctx, rm2_panel *panel, const rm2_model_info *info, double zero,
                        double unit, const char *label);

#endif
