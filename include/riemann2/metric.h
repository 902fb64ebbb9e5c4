/* Riemannian metrics on the latent space R^Q.
 *
 * A metric gives at every point x a symmetric positive definite Q x Q matrix G(x) and, exactly, its
 * derivative. Those of models are pulled back from the data through the random decoder; geodesics
 * (geodesic.h) see only what is declared here, so that they can be tested on the sphere in latitude
 * and longitude, with no Gaussian process in sight. */
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
/* One line for tables and files: "expected pullback metric, contrast 100 (weight 23.1)". */
RM2_API const char *rm2_metric_text(const rm2_metric *metric);

/* ---- evaluation ----------------------------------------------------------------------------- */

/* G (n x Q x Q) and, unless NULL, dG (n x Q x Q x Q): dG[i][t] = dG/dx_t at point i. RM2_ERR_DATA
 * for a point that is not finite, RM2_ERR_DOMAIN where the metric is not defined (the half plane
 * below its edge); the message names the point. */
RM2_API rm2_status rm2_metric_at(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                 const double *x, double *G, double *dG);

/* log sqrt det G at n points: the magnification factor, which itself overflows far from the data
 * where metrics grow; -infinity where G is singular. */
RM2_API rm2_status rm2_metric_magnification(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                            const double *x, double *log_magnification);

/* Nodes of a roadmap, a grid or a graph, on which paths are searched, with the metric there; later versions may add members
 * at the end. */
typedef struct rm2_roadmap_info {
    size_t nodes, Q;
    const double *x;      /* nodes x Q; grids: last coordinate fastest */
    const double *G;      /* nodes x Q x Q */
    const size_t *counts; /* Q numbers of nodes along the axes; NULL for graphs */
} rm2_roadmap_info;

/* ---- metrics of a model --------------------------------------------------------------------- */

/* A positive weight c(y) on the ambient space: it multiplies the metric of the data, so that
 * geodesics go round where it is large. Value and gradient (ambient entries, zero before the call)
 * at a point y in the units of the data. Called from several threads at once. */
typedef rm2_status (*rm2_cost_fn)(const void *user, const double *y, double *value,
                                  double *gradient);

#define RM2_ALL_FACTORS SIZE_MAX

typedef struct rm2_cost {
    rm2_cost_fn at; /* NULL: no cost */
    const void *user;
    size_t factor; /* whose metric is multiplied; RM2_ALL_FACTORS */
} rm2_cost;

/* Discouraged places, a cost and no wall: c(y) = 1 + sum_k height_k exp(-|y - centre_k|^2/(2 radius_k^2)) in one Euclidean
 * factor, `offset` and `dim` saying where its entries are in y. */
typedef struct rm2_discouraged {
    size_t count, offset, dim;
    const double *centres; /* count x dim */
    const double *radius, *height;
} rm2_discouraged;

/* The weight w of a pullback metric; 1 for others. */
RM2_API double rm2_metric_weight(const rm2_metric *metric);

/* How certain is a pullback metric? a^T G a is random: its mean (w = 1, no cost) and standard
 * deviation at n points, for a direction (n x Q) each, or of the trace of G where `directions` is
 * NULL. */
RM2_API rm2_status rm2_metric_spread(rm2_context *ctx, const rm2_metric *metric, size_t n,
                                     const double *x, const double *directions, double *mean,
                                     double *deviation);

/* ---- metrics in closed form, for tests and teaching ----------------------------------------- */

/* "euclidean": I. "sphere_latlon": (latitude, longitude), diag(1, cos^2 lat). "half_plane": (x, y),
 * I/y^2. "bump": the surface z = 2 exp(-|x|^2/2) seen from above, I + grad z grad z^T. The second
 * and third have Q = 2. */
RM2_API rm2_status rm2_metric_analytic(rm2_context *ctx, const char *name, size_t Q,
                                       rm2_metric **metric);

/* One's own: fills G and, unless NULL, dG at one point; called from several threads at once. */
typedef rm2_status (*rm2_metric_fn)(const void *user, const double *x, double *G, double *dG);
RM2_API rm2_status rm2_metric_from_function(rm2_context *ctx, size_t Q, rm2_metric_fn at,
                                            const void *user, const char *text,
                                            rm2_metric **metric);

#ifdef __cplusplus
}
#endif
#endif
