/* Riemannian metrics on the latent space R^Q.
 *
 * A metric gives at every point x a symmetric positive definite Q x Q matrix G(x) and, exactly, its
 * derivative. Metrics of models are pulled back from the data through the random decoder. Geodesics
 * (space.h) use only the functions declared here, so that they can be tested on the sphere in
 * latitude and longitude, without a Gaussian process. */
#ifndef RIEMANN2_METRIC_H
#define RIEMANN2_METRIC_H

#include "riemann2/base.h"
#include "riemann2/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rm2_metric rm2_metric;

RM2_API void rm2_metric_free(rm2_metric *metric);
RM2_API size_t rm2_metric_dim(const rm2_metric *metric); /* Q */
/* Description of a metric, one line for tables and files: "expected pullback metric, contrast 100
 * (weight 23.1)". */
RM2_API const char *rm2_metric_text(const rm2_metric *metric);

/* ---- evaluation ----------------------------------------------------------------------------- */

/* Evaluate a metric. Messages name the point.
 *
 * @param ctx  context
 * @param metric  the metric
 * @param n  number of points
 * @param x  n x Q
 * @param G  result: n x Q x Q
 * @param dG  result: n x Q x Q x Q, dG[i][t] = dG/dx_t at point i; or NULL
 * @return RM2_ERR_DATA for a point that is not finite, RM2_ERR_DOMAIN if the metric is not defined
 *     at a point (the half plane below its edge)
 */
RM2_API rm2_status rm2_metric_at(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                 const double *x, double *G, double *dG);

/* Compute the logarithm of the magnification factor, log sqrt det G; the factor itself overflows
 * far from the data where metrics grow.
 *
 * @param ctx  context
 * @param metric  the metric
 * @param n  number of points
 * @param x  n x Q
 * @param log_magnification  result: n; -infinity where G is singular
 */
RM2_API rm2_status rm2_metric_magnification(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                            const double *x, double *log_magnification);

/* Nodes of a roadmap, a grid or a graph, on which paths are searched, with the metric at each node;
 * later versions may add members at the end. */
typedef struct rm2_roadmap_info {
    size_t nodes, Q;
    const double *x;      /* nodes x Q; grids: last coordinate fastest */
    const double *G;      /* nodes x Q x Q */
    const size_t *counts; /* Q: numbers of nodes along the axes; NULL for graphs */
} rm2_roadmap_info;

/* ---- metrics of a model --------------------------------------------------------------------- */

/* Compute a positive weight c(y) on the ambient space. It multiplies the metric of the data, so
 * that geodesics avoid places where it is large. The function writes value and gradient (ambient
 * entries, zero before the call) at a point y in the units of the data. It is called from several
 * threads at once. */
typedef rm2_status (*rm2_cost_fn)(const void *user, const double *y, double *value,
                                  double *gradient);

#define RM2_ALL_FACTORS SIZE_MAX

/* A weight of one factor's metric, or of all. */
typedef struct rm2_cost {
    rm2_cost_fn at; /* NULL: no cost */
    const void *user;
    size_t factor; /* factor whose metric is multiplied; or RM2_ALL_FACTORS */
} rm2_cost;

/* Discouraged places, which add a cost but do not block: c(y) = 1 + sum_k height_k
 * exp(-|y - centre_k|^2/(2 radius_k^2)) in one Euclidean factor; `offset` and `dim` locate its
 * entries in y. */
typedef struct rm2_discouraged {
    size_t count, offset, dim;
    const double *centres; /* count x dim */
    const double *radius, *height;
} rm2_discouraged;

/* The weight w of the covariance term of a pullback metric; 1 for other metrics. */
RM2_API double rm2_metric_weight(const rm2_metric *metric);

/* Compute the uncertainty of a pullback metric: a^T G a is random, and so is the trace of G.
 *
 * @param ctx  context
 * @param metric  the metric
 * @param n  number of points
 * @param x  n x Q
 * @param directions  n x Q, one direction a per point; NULL: the trace of G
 * @param mean  result: n (w = 1, without cost)
 * @param deviation  result: n, standard deviations
 */
RM2_API rm2_status rm2_metric_spread(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                     const double *x, const double *directions, double *mean,
                                     double *deviation);

/* ---- metrics in closed form, for tests and teaching ----------------------------------------- */

/* Create a metric in closed form. "euclidean": I. "sphere_latlon": (latitude, longitude),
 * diag(1, cos^2 lat). "half_plane": (x, y), I/y^2. "bump": the surface z = 2 exp(-|x|^2/2) seen
 * from above, I + grad z grad z^T. The second and third have Q = 2. */
RM2_API rm2_status rm2_metric_analytic(rm2_context *ctx, const char *name, size_t Q,
                                       rm2_metric **metric);

/* Evaluate a metric of your own: fill G and, unless NULL, dG at one point. The function is called
 * from several threads at once. */
typedef rm2_status (*rm2_metric_fn)(const void *user, const double *x, double *G, double *dG);
/* Create a metric from a function.
 *
 * @param ctx  context
 * @param Q  dimension
 * @param at  evaluates the metric
 * @param user  first argument of `at`; must outlive the metric
 * @param text  description of the metric, returned by rm2_metric_text
 * @param metric  result, freed with rm2_metric_free
 */
RM2_API rm2_status rm2_metric_from_function(rm2_context *ctx, size_t Q, rm2_metric_fn at,
                                            const void *user, const char *text,
                                            rm2_metric **metric);

#ifdef __cplusplus
}
#endif
#endif
