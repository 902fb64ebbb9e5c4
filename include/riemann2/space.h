/* The latent space of a model as one object: its metric, the roadmap for searching paths in it, and
 * the settings for computing geodesics. Make it once, then ask for geodesics, distances, means,
 * exponential and logarithm, lengths and decoded points.
 *
 * A space has two metrics. Paths are searched in one that is quick to evaluate: for a model the
 * pullback metric through some of its support points, or another metric altogether. Lengths to be
 * compared with each other are measured in the exact one: the pullback metric of the model.
 *
 * Calls take the space as `const`: several threads may use one space at once, each with a context
 * of its own.
 *
 * Points may lie anywhere. A grid covers the latents of the training data and the points that the
 * space was made with. A call with points outside of the grid makes a grid that covers these as
 * well, for this call alone, and returns the result of a space made with these points. That costs a
 * grid per call: if many calls leave the grid, make the space with the corners of the region as
 * points to cover. */
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
    RM2_SPACE_LINE   /* no roadmap: geodesics start from the straight line */
} rm2_space_roadmap_kind;

/* Keep-out regions in a Euclidean factor of the data, in its units. Geodesics of a space with
 * obstacles go around them: edges of the roadmap that enter a region are left out, and a barrier
 * keeps the refinement away. The curve is proven to keep the clearance: the decoded line between
 * every two of its nodes, and the straight line between their decoded positions. If the proof
 * fails, the curve is marked as blocked (rm2_curve). */
typedef struct rm2_obstacles {
    size_t count;
    const rm2_region *regions; /* each has the dimension of the factor */
    size_t factor;             /* index in the manifold; RM2_ALL_FACTORS: the first Euclidean one */
} rm2_obstacles;

/* Settings of a space. Defaults and ranges are in the table (RM2_SETTINGS_SPACE) and in
 * docs/settings.md, except for costs and obstacles, which cannot be written as texts. */
typedef struct rm2_space_settings {
    size_t size; /* as rm2_space_settings_default sets it */

    rm2_space_metric_kind metric;
    /* pullback: metric far from the data over metric on the data; 0: weight 1. The metric is
     * E[J^T Gc J] = J^T Gc J + w sum_m (p_m^T Gc p_m) R_m; w = 1 is the expectation. A contrast
     * gives w = max(1, contrast a/b), where a is the median of tr(J^T Gc J) over the latents, and b
     * that of the covariance term far from the data. Models whose kernel has a linear part take no
     * contrast: w = 1 unless a weight is given. */
    double contrast;
    double weight; /* pullback: weight w of the covariance term; 0: from the contrast */
    double sigma;  /* density: width of the kernel */
    /* pullback: weight of the metric of the data; objects that it points to must outlive the
     * space. */
    rm2_cost cost;
    const rm2_discouraged *discouraged; /* pullback: instead of a cost of your own; copied */
    /* pullback, for the search: part of the latent kernel's trace that the support points may leave
     * unexplained; 0: the exact metric. */
    double support;

    rm2_space_roadmap_kind roadmap;
    size_t grid_points; /* grid: nodes along each dimension; 0: 50, or 24 in three dimensions */
    double padding;     /* grid: margin, as a fraction of its larger side */
    /* grid: number of cells that edges span, at most 10; 0: 3, or 2 in three dimensions. */
    size_t reach;
    size_t neighbours; /* graph: neighbours of each point */

    rm2_geodesic_stage stage; /* the last stage that is run */
    size_t nodes;             /* nodes of a curve */
    size_t intervals;         /* intervals of the first spline */
    size_t max_iterations;    /* iterations of each optimisation */
    double tolerance; /* relative, of the velocity; the tolerance of the length is its square */

    const rm2_obstacles *obstacles; /* NULL: none; copied */
    double clearance; /* distance that paths keep from the obstacles, in the units of the data */
    /* Standard deviations of the decoded position by which regions grow. */
    double deviations;
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

/* Create the latent space of a model, which must outlive it.
 *
 * @param ctx  context
 * @param model  the model
 * @param settings  NULL: the defaults
 * @param n  number of points, may be 0
 * @param points  n x Q: points that a grid covers, besides the latents of the training data
 * @param space  result, freed with rm2_space_free
 */
RM2_API rm2_status rm2_space_create(rm2_context *ctx, const rm2_model *model,
                                    const rm2_space_settings *settings, size_t n,
                                    const double *points, rm2_space **space);
/* Create a space with any metric, which must outlive it. The metric is both the exact one and that
 * of the search.
 *
 * @param ctx  context
 * @param metric  the metric
 * @param settings  NULL: the defaults. Settings of metrics that differ from the defaults are
 *     rejected
 * @param n  number of points; if it is 0, RM2_SPACE_AUTO is RM2_SPACE_LINE
 * @param points  n x Q: points that a grid covers, or the nodes of a graph
 * @param space  result, freed with rm2_space_free
 */
RM2_API rm2_status rm2_space_from_metric(rm2_context *ctx, const rm2_metric *metric,
                                         const rm2_space_settings *settings, size_t n,
                                         const double *points, rm2_space **space);
/* Create a space that differs in the settings of geodesics (`stage`, `nodes`, `intervals`,
 * `max_iterations`, `tolerance`) and in its obstacles (`obstacles`, `clearance`, `deviations`): for
 * a quick first result by RM2_STAGE_PATH, or for curves with more nodes. Begin with
 * *rm2_space_settings_of(space): the two spaces share metrics and roadmap, whose settings must stay
 * (RM2_ERR_ARGUMENT). Each space is freed on its own. */
RM2_API rm2_status rm2_space_with_settings(rm2_context *ctx, const rm2_space *space,
                                           const rm2_space_settings *settings, rm2_space **other);
RM2_API void rm2_space_free(rm2_space *space);

/* ---- contents of a space -------------------------------------------------------------------- */

/* Number Q of latent dimensions. The pointers that the next functions return live as long as the
 * space. */
RM2_API size_t rm2_space_dim(const rm2_space *space);
RM2_API const char *rm2_space_text(const rm2_space *space); /* one line: metric, roadmap, stage */
RM2_API const rm2_model *rm2_space_model(const rm2_space *space); /* NULL: the space has no model */
/* The metric that geodesics minimise. */
RM2_API const rm2_metric *rm2_space_metric(const rm2_space *space);
/* The metric in which lengths are measured. */
RM2_API const rm2_metric *rm2_space_exact_metric(const rm2_space *space);
/* The roadmap; it has no nodes if geodesics start from straight lines. */
RM2_API const rm2_roadmap_info *rm2_space_roadmap(const rm2_space *space);
/* The settings in use, with every automatic choice made. `discouraged` and `obstacles` are the
 * copies. */
RM2_API const rm2_space_settings *rm2_space_settings_of(const rm2_space *space);

/* ---- geodesics ------------------------------------------------------------------------------ */

/* Compute a geodesic.
 *
 * A geodesic is found in stages, each of which may be the last: a path on the roadmap (global: it
 * finds the way), a cubic spline through it that minimises the energy (smooth), and the
 * boundary-value problem of the geodesic equation (exact). No stage makes the energy higher.
 * Lengths in a curve are those of the metric that is minimised; see rm2_space_path_length for
 * others. Coincident points give a curve of length 0; between points that differ by less than 1e-10
 * of their coordinates, where the direction has few digits, the curve is the straight line.
 *
 * With obstacles, curves have a `clearance` and may be `blocked`: no path around was found within
 * the box of the roadmap. A blocked curve is the path with the largest clearance that was found,
 * and must not be driven. Distances are infinite between points that no path joins. Means,
 * exponentials and logarithms do not support obstacles: RM2_ERR_UNSUPPORTED.
 *
 * @param ctx  context
 * @param space  the space
 * @param from  Q: first point
 * @param to  Q: last point
 * @param curve  result, freed with rm2_curve_free
 */
RM2_API rm2_status rm2_space_geodesic(rm2_context *ctx, const rm2_space *space, const double *from,
                                      const double *to, rm2_curve **curve);
/* Join all points in turn by geodesics, end to end, in one curve of constant speed. Nodes are
 * equally spaced along the whole curve, so that points on the way lie between two nodes.
 *
 * @param ctx  context
 * @param space  the space
 * @param n  number of points, at least 2
 * @param points  n x Q
 * @param curve  result, freed with rm2_curve_free
 */
RM2_API rm2_status rm2_space_through(rm2_context *ctx, const rm2_space *space, size_t n,
                                     const double *points, rm2_curve **curve);
/* Compute geodesics of several pairs on the context's threads. A pair that fails does not stop the
 * others. After an interrupt, or if memory is short, all curves are NULL and *failed is SIZE_MAX.
 *
 * @param ctx  context
 * @param space  the space
 * @param count  number of pairs
 * @param from  count x Q: first points
 * @param to  count x Q: last points
 * @param curves  result: count curves, each freed with rm2_curve_free; NULL for pairs that failed
 * @param failed  result: the first pair that failed; SIZE_MAX: none. May be NULL
 * @return the status of the first pair that failed; the context has its message
 */
RM2_API rm2_status rm2_space_many(rm2_context *ctx, const rm2_space *space, size_t count,
                                  const double *from, const double *to, rm2_curve **curves,
                                  size_t *failed);
/* Compute the distances between all pairs of points.
 *
 * @param ctx  context
 * @param space  the space
 * @param n  number of points
 * @param points  n x Q
 * @param distance  result: n x n, symmetric
 * @param unconverged  result: number of pairs that did not converge, or NULL
 */
RM2_API rm2_status rm2_space_distances(rm2_context *ctx, const rm2_space *space, size_t n,
                                       const double *points, double *distance, size_t *unconverged);
/* Compute the Fréchet mean, starting at the medoid. The gradient cannot be smaller than the
 * tolerance of the geodesics allows: the larger of the two tolerances counts. With RM2_STAGE_PATH
 * the search ends when steps of the larger of the tolerance and 1e-3, relative to the root of the
 * variance, find no lower variance.
 *
 * @param ctx  context
 * @param space  the space
 * @param n  number of points
 * @param points  n x Q
 * @param weights  n; NULL: equal
 * @param settings  NULL: the defaults
 * @param mean  result: Q
 * @param info  result, or NULL
 */
RM2_API rm2_status rm2_space_mean(rm2_context *ctx, const rm2_space *space, size_t n,
                                  const double *points, const double *weights,
                                  const rm2_mean_settings *settings, double *mean,
                                  rm2_mean_info *info);
/* Exponential map: follow the geodesic from x with velocity v to t = 1. The relative error of a
 * step is the square of the settings' tolerance: 1e-8 by default.
 *
 * @param ctx  context
 * @param space  the space
 * @param x  Q: first point
 * @param v  Q: initial velocity
 * @param end  result: Q, the point at t = 1
 * @param velocity  result: Q, the velocity at t = 1; or NULL
 * @param nodes  number of points of `path`; 0: no path
 * @param path  result: nodes x Q, at equal steps of t; or NULL
 * @return RM2_ERR_DOMAIN if the geodesic leaves the domain of the metric, RM2_ERR_NUMERIC if
 *     numbers overflow; the messages report how far it came
 */
RM2_API rm2_status rm2_space_exp(rm2_context *ctx, const rm2_space *space, const double *x,
                                 const double *v, double *end, double *velocity, size_t nodes,
                                 double *path);
/* Logarithm: the initial velocity of the geodesic from x to y.
 *
 * @param ctx  context
 * @param space  the space
 * @param x  Q: first point
 * @param y  Q: last point
 * @param v  result: Q, velocity at x
 * @param converged  result, as in rm2_curve; or NULL
 */
RM2_API rm2_status rm2_space_log(rm2_context *ctx, const rm2_space *space, const double *x,
                                 const double *y, double *v, bool *converged);

/* ---- lengths in the exact metric ------------------------------------------------------------ */

/* Measure the polygon through points, each side with G at three Gauss-Legendre points.
 *
 * @param ctx  context
 * @param space  the space
 * @param n  number of points
 * @param path  n x Q
 * @param length  result: length
 * @param energy  result: energy, or NULL
 */
RM2_API rm2_status rm2_space_path_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                         const double *path, double *length, double *energy);
/* Measure the straight lines through points in turn, each in 199 equal steps.
 *
 * @param ctx  context
 * @param space  the space
 * @param n  number of points, at least 2
 * @param points  n x Q
 * @param length  result: length
 */
RM2_API rm2_status rm2_space_straight_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                             const double *points, double *length);
/* Estimate the expected length of a polygon under the random metric of the model (without cost):
 * the mean over random Jacobians, drawn from the context's generator. It is not above the length
 * under the expected metric, w = 1 (Jensen).
 *
 * @param ctx  context
 * @param space  the space
 * @param n  number of points
 * @param path  n x Q
 * @param samples  number of random Jacobians
 * @param length  result: mean length
 * @param standard_error  result: standard error of the mean
 */
RM2_API rm2_status rm2_space_expected_length(rm2_context *ctx, const rm2_space *space, size_t n,
                                             const double *path, size_t samples, double *length,
                                             double *standard_error);

/* ---- the data's space ----------------------------------------------------------------------- */

/* Decode latent points, such as the nodes of a curve.
 *
 * @param ctx  context
 * @param space  the space
 * @param n  number of points
 * @param x  n x Q
 * @param points  result: n x ambient, on the manifold of the data, in the units of the data; or
 *     NULL
 * @param deviation  result: n, standard deviations; or NULL
 * @return RM2_ERR_UNSUPPORTED for a space without a model
 */
RM2_API rm2_status rm2_space_decode(rm2_context *ctx, const rm2_space *space, size_t n,
                                    const double *x, double *points, double *deviation);

#ifdef __cplusplus
}
#endif
#endif
