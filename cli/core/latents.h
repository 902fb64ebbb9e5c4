/* Files of latent points, CSV, .npy or .npz (array "latents", or the only one that fits). In a CSV with columns z1, z2, ... only these are read, so that what
 * encode, decode, geodesic and info write can be used. */
#ifndef RM2_CLI_LATENTS_H
#define RM2_CLI_LATENTS_H

#include "core/work.h"

/* The points of a file: rows x Q, the caller's to free. */
int work_read_latents(const work *w, const char *path, size_t Q, size_t *rows, double **values);

/* The same as paths: trajectories that a column (demo, sample, pair) or an axis of an array tells apart,
 * their times, and the labels of their points. */
typedef struct latent_paths {
    size_t count; /* points */
    double *x;    /* count x Q */
    size_t runs;
    size_t *starts; /* runs + 1: first point of each, and count */
    char **ids;     /* runs; NULL: nothing tells trajectories apart */
    double *time;   /* count; NULL: no column or array `time` */
    size_t *labels; /* count: index into label_names; NULL: no column label */
    char **label_names;
    size_t label_count;
} latent_paths;

int work_read_paths(const work *w, const char *path, size_t Q, latent_paths *p);
void latent_paths_free(latent_paths *p);

#endif
