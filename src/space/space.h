/* The latent space inside the library.
 *
 *     settings.c   checks and automatic choices
 *     cover.c      roadmaps, and what they cover
 *     space.c      the object
 *     obstacles.c  obstacles of a space: checks, a copy
 *     query.c      what is asked of it
 *     around.h     ways around obstacles */
#ifndef RM2I_SPACE_H
#define RM2I_SPACE_H

#include <stdatomic.h>

#include "geodesic/geodesic.h"
#include "metric/obstacle_clearance.h"
#include "riemann2/space.h"
#include "roadmap/roadmap.h"

/* Steps of a path whose length is measured as that of a polygon, and of each straight line. */
enum { RM2I_PATH_STEPS = 199 };

/* The smallest box around points; empty: low above high. */
typedef struct rm2i_point_box {
    double low[RM2I_GRID_Q], high[RM2I_GRID_Q];
} rm2i_point_box;

/* What spaces with different settings of geodesics share. */
typedef struct rm2i_space_core {
    atomic_size_t users;
    size_t Q;
    const rm2_model *model;   /* NULL: none */
    const rm2_metric *exact;  /* for lengths */
    const rm2_metric *search; /* what is minimised; the same, or another */
    rm2_metric *own[2];       /* those of the two that are freed with the core */
    rm2i_roadmap *roadmap;    /* NULL: straight lines */
    rm2i_point_box covered;   /* by a grid, without its padding */
    rm2_discouraged discouraged;
    double *discouraged_numbers; /* centres, radii, heights; NULL: nothing discouraged */
} rm2i_space_core;

struct rm2_space {
    rm2i_space_core *core;
    rm2_space_settings settings;
    rm2i_geodesic_settings geodesics; /* the part of them that geodesic.h takes */
    rm2_roadmap_info roadmap;         /* as callers see it */
    char *text;
    rm2_obstacles obstacles; /* with regions of its own */
    rm2_region *regions;     /* NULL: no obstacles */
    rm2i_clearance clearance;
    double extent; /* diagonal of the box of the data's positions */
};

/* ---- settings ------------------------------------------------------------------------------- */

/* The caller's settings over the defaults, and checked; Q dimensions, n points for the roadmap. */
rm2_status rm2i_space_settings_overlay(rm2_context *ctx, const rm2_space_settings *given, size_t Q,
                                       size_t n, rm2_space_settings *settings);
rm2i_geodesic_settings rm2i_space_geodesics(const rm2_space_settings *settings);

/* ---- obstacles ------------------------------------------------------------------------------ */

/* Take those of the settings, once model and roadmap are there. */
rm2_status rm2i_space_convert_obstacles(rm2_context *ctx, rm2_space *space);
/* Diagonal of the box of the training positions, in the units of the data; 1 where all are one. */
double rm2i_space_extent(const rm2_model *model, size_t factor);

/* ---- roadmaps ------------------------------------------------------------------------------- */

/* Points in two arrays: the latents of a model and what else is to be covered; starts and ends. */
typedef struct rm2i_space_points {
    size_t count[2];
    const double *x[2]; /* count x Q each */
} rm2i_space_points;

/* The core's roadmap, as the settings say, once its metrics are there. */
rm2_status rm2i_space_build_roadmap(rm2_context *ctx, const rm2_space_settings *settings,
                                    const rm2i_space_points *points, rm2i_space_core *core);

/* The roadmap of a call: the space's own or, where a grid does not have all points, one for this call
 * alone, which rm2i_roadmap_free(cover.temporary) frees. */
typedef struct rm2i_cover {
    const rm2i_roadmap *roadmap;
    rm2i_roadmap *temporary; /* NULL: none */
} rm2i_cover;

/* For a call with these points; RM2_ERR_DATA where one is not finite. */
rm2_status rm2i_space_cover(rm2_context *ctx, const rm2_space *space,
                            const rm2i_space_points *points, rm2i_cover *cover);

/* Clearance of the polygon through n latent points from the obstacles of the space, less the deviations: of the
 * decoded lines and of the straight lines between their decoded ends. A bound that is proven: never more than it is, and
 * less by at most 1e-4 of the extent of the data's positions. Infinity without obstacles. */
rm2_status rm2i_space_clearance(rm2_context *ctx, const rm2_space *space, size_t n,
                                const double *path, double *clearance);

#endif
