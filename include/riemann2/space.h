/* The latent space of a model as one object: its metric, the roadmap that finds the way in it, and how
 * geodesics are computed. Make it once, then ask for geodesics, distances, means, exponential and
 * logarithm, lengths and decoded points.
 *
 * Two metrics belong to a space. Paths are searched in one that is quick to evaluate: of a model the
 * pullback metric through some of its support points, or another metric altogether. Lengths that are to
 * be compared with each other are measured in the exact one: the pullback metric of the model.
 *
 * Calls take the space as `const`: several threads may use one space at once, each with a context of
 * its own.
 *
 * Points may lie anywhere. A grid covers the latents of the training data and the points that the space
 * was made with; a call with points outside of it makes a grid that covers these as well, for this call
 * alone, and answers what a space made with these points would answer. That costs a grid per call: where
 * many calls will leave the grid, make the space with the corners of the region as points to cover. */
#ifndef RIEMANN2_SPACE_H
#define RIEMANN2_SPACE_H

#include "riemann2/base.h"
#include "riemann2/geodesic.h"
#include "riemann2/manifold.h"
#include "riemann2/metric.h"
#include "riemann2/model.h"
#include "riemann2/region.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- settings ------------------------------------------------------------------------------- */

typedef enum rm2_space_metric_kind {
    RM2_SPACE_PULLBACK, /* expected pullback metric of the model */
    RM2_SPACE_DENSITY,  /* density metric of the latents */
    RM2_SPACE_STRAIGHT  /* Euclidean metric: straight lines */
} rm2_space_metric_kind;

typedef enum rm2_space_roadmap_kind {
    RM2_SPACE_AUTO,  /* line for RM2_SPACE_STRAIGHT; else grid up to 3 dimensions, graph beyond */
    RM2_SPACE_GRID,  /* regular grid, at most 3 dimensions */
    RM2_SPACE_GRAPH, /* neighbour graph of the latents */
    RM2_SPACE_LINE   /* none: geodesics start from the straight line */
} rm2_space_roadmap_kind;

/* Keep-out regions in a Euclidean factor of the data, in its units. Geodesics of a space with obstacles go
 * around them: the edges of the roadmap that enter one are left out, a barrier keeps the refinement away, and the
 * curve is proven to keep the clearance: the decoded line between every two of its nodes, and the straight line
 * between their decoded positions. Otherwise the curve is marked as blocked (rm2_curve). */
typedef struct rm2_obstacles {
    size_t count;
    const rm2_region *regions; /* each of the dimension of the factor */
    size_t factor;             /* of the manifold; RM2_ALL_FACTORS: the first Euclidean one */
} rm2_obstacles;

/* Defaults and ranges are in the table (RM2_SETTINGS_SPACE) and in docs/settings.md; costs and
 * obstacles, which are no texts, are not. */
typedef struct rm2_space_settings {
    size_t size; /* as rm2_space_settings_default sets it */

    rm2_space_metric_kind metric;
    /* pullback: metric far from the data over metric on the data; 0: weight 1. The metric is
     * E[J^T Gc J] = J^T Gc J + w sum_m (p_m^T Gc p_m) R_m; w = 1 is the expectation, a contrast gives
     * w = max(1, contrast a/b), a = median over the latents of tr(J^T Gc J), b that of the covariance term far from the
     * data. Models whose kernel has a linear part take no contrast: w = 1 unless a weight is given */
    double contrast;
    double weight; /* pullback: of the covariance term, instead of a contrast; 0: from that */
    double sigma;  /* density: width of the kernel */
    rm2_cost cost; /* pullback: on the data's space; what it points to must outlive the space */
    const rm2_discouraged *discouraged; /* pullback: instead of a cost of your own; copied */
    double support; /* pullback, for the search: part of the latent kernel's trace that the support
                       points may leave unexplained; 0: the exact metric */

    rm2_space_roadmap_kind roadmap;
    size_t grid_points; /* grid: nodes along each dimension; 0: 50, or 24 in three dimensions */
    double padding;     /* grid: margin, in parts of its larger side */
    size_t reach;      /* grid: cells that edges span, at most 10; 0: 3, or 2 in three dimensions */
    size_t neighbours; /* graph: of each point */

    rm2_geodesic_stage stage; /* the last one */
    size_t nodes;             /* of a curve */
    size_t intervals;         /* of the first spline */
    size_t max_iterations;    /* of each optimisation */
    double tolerance;         /* of the velocity, relative; that of the length is its square */

    const rm2_obstacles *obstacles; /* NULL: none; copied */
    double clearance;               /* that paths keep from them, in the units of the data */
    double deviations; /* standard deviations of the decoded position by which regions grow */
} rm2_space_settings;

static inline rm2_space_settings rm2_space_settings_default(void) {
    rm2_space_settings settings = {0};
    settings.size = sizeof settings;
    settings.cost.factor = RM2_ALL_FACTORS;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_SPACE), 0, &settings);
    return settings;
}

/* ---- making a space ------------------------------------------------------------------------- */

typedef struct rm2_space rm2_space;

/* The latent space of a model, which must outlive it. `settings` NULL: the defaults. A grid covers the
 * latents of the training data and n more points (n x Q; n may be 0). */
RM2_API rm2_status rm2_space_create(rm2_context *ctx, const rm2_model *model,
                                    const rm2_space_settings *settings, size_t n,
                                    const double *points, rm2_space **space);
/* A space with any metric, which must outlive it and is both the exact one and that of the search. n
 * points (n x Q) are what a grid covers, or the nodes of a graph; without points RM2_SPACE_AUTO is
 * RM2_SPACE_LINE. Settings of metrics other than the defaults are rejected. */
RM2_API rm2_status rm2_space_from_metric(rm2_context *ctx, const rm2_metric *metric,
                                         const rm2_space_settings *settings, size_t n,
                                         const double *points, rm2_space **space);
/* The same space with other settings of geodesics (`stage`, `nodes`, `intervals`, `max_iterations`, `tolerance`) and other
 * obstacles (`obstacles`, `clearance`, `deviations`): for a quick first answer by RM2_STAGE_PATH, or for curves with more
 * nodes. Begin with *rm2_space_settings_of(space): metrics and roadmap are shared, so that their settings must stay
 * (RM2_ERR_ARGUMENT). Each space is freed on its own. */
RM2_API rm2_status rm2_space_with_settings(rm2_context *ctx, const rm2_space *space,
                                           const rm2_space_settings *settings, rm2_space **other);
RM2_API void rm2_space_free(rm2_space *space);

/* ---- what is in a space --------------------------------------------------------------------- */

/* Pointers live as long as the space. */
RM2_API size_t rm2_space_dim(const rm2_space *space);       /* Q */
RM2_API const char *rm2_space_text(const rm2_space *space); /* one line: metric, roadmap, stage */
RM2_API const rm2_model *rm2_space_model(const rm2_space *space);   /* NULL: none */
RM2_API const rm2_metric *rm2_space_metric(const rm2_space *space); /* what geodesics minimise */
RM2_API const rm2_metric *rm2_space_exact_metric(const rm2_space *space);
RM2_API const rm2_roadmap_info *rm2_space_roadmap(
    const rm2_space *space); /* no nodes: straight lines */
/* As they are used: every automatic choice made. `discouraged` and `obstacles` are the copies. */
RM2_API const rm2_space_settings *rm2_space_settings_of(const rm2_space *space);

/* ---- geodesics ------------------------------------------------------------------------------ */

/* A geodesic is found in stages, each of which may be the last: a path on the roadmap (global: it finds the way), a cubic
 * spline through it that minimises the energy (smooth), and the boundary-value problem of the geodesic equation
 * (exact). No stage makes the energy higher. Lengths in a curve are those of the metric that is minimised; see
 * rm2_space_path_length for others.
 *
 * With obstacles curves have a `clearance` and may be `blocked`: no way around was found within the box of the roadmap. A
 * blocked curve is the way of the largest clearance that was found, and must not be driven. Distances are
 * infinite between points that no way joins. Means, exponentials and logarithms know no obstacles:
 * RM2_ERR_UNSUPPORTED. */
/* Coincident points give a curve of length 0; between points that differ by less than 1e-10 of their coordinates, where the
 * direction has few digits, it is the line. */
RM2_API rm2_status rm2_space_geodesic(rm2_context *ctx, const rm2_space *space, const double *from,
                                      const double *to, rm2_curve **curve);
/* Through all of n >= 2 points in turn: geodesics end to end, one curve of constant speed. Nodes are equally spaced along
 * the whole, so that points on the way lie between two of them. */
RM2_API rm2_status rm2_space_through(rm2_context *ctx, const rm2_space *space, size_t n,
                                     const double *points, rm2_curve **curve);
/* `count` pairs (count x Q each) on the context's threads. One that fails does not stop the others: curves[i] is NULL there,
 * *failed (may be NULL) the first (SIZE_MAX: none), whose status is returned, with its message in the context. After an
 * interrupt, or where memory is short, all curves are NULL and *failed is SIZE_MAX. */
RM2_API rm2_status rm2_space_many(rm2_context *ctx, const rm2_space *space, size_t count,
                                  const double *from, const double *to, rm2_curve **curves,
                                  size_t *failed);
/* Distances between n points, n x n and symmetric; *unconverged (may be NULL) counts pairs that did not converge. */
RM2_API rm2_status rm2_space_distances(rm2_context *ctx, const rm2_space *space, size_t n,
                                       const double *points, double *distance, size_t *unconverged);
/* Fréchet mean of n points (weights NULL: equal), from their medoid. The gradient cannot be smaller than what the tolerance
 * of the geodesics leaves: the larger of the two tolerances counts. With RM2_STAGE_PATH the search ends where steps of the
 * larger of the tolerance and 1e-3, relative to the root of the variance, find no lower variance. settings and info may be
 * NULL. */
RM2_API rm2_status rm2_space_mean(rm2_context *ctx, const rm2_space *space, size_t n,
                                  const double *points, const double *weights,
                                  const rm2_mean_settings *settings, double *mean,
                                  rm2_mean_info *info);
/* Exponential map: the geodesic from x with velocity v at t = 1; `nodes` > 0: also the path (nodes x Q, equal steps of t).
 * RM2_ERR_DOMAIN where it leaves the metric, RM2_ERR_NUMERIC where it leaves what numbers can hold; both report how far it
 * came. `velocity` (Q, at the end) and `path` may be NULL. The relative error of a step is the square of the
 * settings' tolerance: 1e-8. */
RM2_API rm2_status rm2_space_exp(rm2_context *ctx, const rm2_space *space, const double *x,
                                 const double *v, double *end, double *velocity, size_t nodes,
                                 double *path);
/* Logarithm: the velocity at x of the geodesic to y; `converged` (may be NULL) as in rm2_curve. */
RM2_API rm2_status rm2_space_log(rm2_context *ctx, const rm2_space *space, const double *x,
                                 const double *y, double *v, bool *converged);

/* ---- lengths in the exact metric ------------------------------------------------------------ */

/* The polygon through n points, each side with G at three Gauss-Legendre points; `energy` may be NULL. */
RM2_API rm2_status rm2_space_path_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                         const double *path, double *length, double *energy);
/* Straight lines through n >= 2 points in turn, each measured in 199 equal steps. */
RM2_API rm2_status rm2_space_straight_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                             const double *points, double *length);
/* Expected length of the polygon under the random metric of the model (no cost): the mean over `samples` random Jacobians,
 * from the context's generator, and its standard error. Not above the length under the expected metric, w = 1 (Jensen). */
RM2_API rm2_status rm2_space_expected_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                             const double *path, size_t samples, double *length,
                                             double *standard_error);

/* ---- the data's space ----------------------------------------------------------------------- */

/* Points on the manifold of the data at n latent points, such as the nodes of a curve, in the units of
 * the data (n x ambient), and their standard deviations (n); either may be NULL. RM2_ERR_UNSUPPORTED for
 * a space without a model. */
RM2_API rm2_status rm2_space_decode(rm2_context *ctx, const rm2_space *space, size_t n,
                                    const double *x, double *points, double *deviation);

#ifdef __cplusplus
}
#endif
#endif
