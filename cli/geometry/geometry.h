/* What the commands on the latent space's geometry share: the metric, the roadmap that finds the
 * way, obstacles, end points, progress. */
#ifndef RM2_CLI_GEOMETRY_H
#define RM2_CLI_GEOMETRY_H

#include "core/model.h"

/* Relative error of the velocity of paths; their length is good to its square. */
#define PATH_TOLERANCE 1e-4
/* What the support points of the metric in which paths are searched leave unexplained. */
#define PATH_SUPPORT 1e-7

/* Groups of options for model_action: of the metric alone, and with those of paths. */
extern const option_group metric_groups[], path_groups[];

/* Everything a geodesic needs; made from the options, freed by geometry_close. */
typedef struct geometry {
    rm2_metric *metric;   /* what is minimised */
    rm2_metric *pullback; /* the model's own, for lengths */
    bool other;           /* `metric` is neither that nor it through fewer support points */
    rm2_roadmap *roadmap; /* NULL: straight lines */
    rm2_geodesic_settings settings;
    rm2_obstacles obstacles;
    double *obstacle_memory;
} geometry;

/* The metric alone. */
int geometry_open(const model_work *m, geometry *g);
/* The metric for paths, and a roadmap around `points` (n x Q) and the training latents. Paths are
 * searched in a metric that is quicker to evaluate, and measured in the exact one. */
int geometry_open_around(const model_work *m, size_t n, const double *points, geometry *g);
/* The grid over the training latents, once the metric is there. */
int geometry_add_grid(const model_work *m, geometry *g);
void geometry_close(geometry *g);

/* --avoid: obstacles in the first Euclidean factor. */
int geometry_take_obstacles(const model_work *m, const char *text, geometry *g);

/* An end point: "17" or "index:17" (training point), "first:ID" and "last:ID" (of a trajectory),
 * "0.1,-0.3" or "latent:..." (coordinates), "point:..." or as many numbers as a data point has
 * (encoded first). */
int geometry_parse_end(const model_work *m, const char *name, const char *text, double *x);

/* A progress line with the time left: fn and user of calls that count. */
typedef struct progress {
    bool shown, terminal;
    double started, last;
    const char *what;
} progress;

progress progress_begin(const work *w, const char *what);
void progress_count(void *user, size_t done, size_t total);

#endif
