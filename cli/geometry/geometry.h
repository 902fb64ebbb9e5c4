/* What the commands on the latent space's geometry share: options to a space, obstacles, end points. */
#ifndef RM2_CLI_GEOMETRY_H
#define RM2_CLI_GEOMETRY_H

#include "core/model.h"

/* For model_action: --discourage, with --avoid before it where paths are found, and the settings of the metric and the grid
 * that it may be shown on. */
extern const option_group cost_groups[], obstacle_groups[];
extern const char *const metric_settings[];

/* The space with these settings and the obstacles of --avoid and the places of --discourage; a grid covers `points` (n x Q) and the
 * training latents. */
int geometry_open(const model_work *m, const rm2_space_settings *s, size_t n, const double *points,
                  rm2_space **space);
/* The metric itself, not a quicker one for the search and without the barrier of --avoid; with a grid over the training latents, or
 * without a roadmap. */
int geometry_open_metric(const model_work *m, bool grid, rm2_space **space);

/* Lengths of paths in it are not those in the metric of the model. */
bool geometry_is_other(const rm2_space *space);

/* --discourage: spheres in the first Euclidean factor; *memory has their numbers, the caller's to free. */
int geometry_parse_discouraged(const model_work *m, const char *text, rm2_discouraged *places,
                               double **memory);

/* An end point: "17" or "index:17" (training point), "first:ID" and "last:ID" (of a trajectory),
 * "0.1,-0.3" or "latent:..." (coordinates), "point:..." or as many numbers as a data point has
 * (encoded first). */
int geometry_parse_end(const model_work *m, const char *name, const char *text, double *x);

#endif
