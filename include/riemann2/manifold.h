/* Manifolds: products of one or more geometries, and calls on many points at once.
 *
 * Layout: n points of a manifold with ambient size D are n x D doubles in C order. The points of
 * the factors stand side by side in a point of the product; coordinates likewise. Every call takes
 * n points and runs on the context's threads. The message of a failure names the point, the factor
 * and the reason.
 *
 * Points that are off the manifold by more than 1e-3, relative to their size, are refused
 * (RM2_ERR_DOMAIN); the check costs one pass over their numbers. Closer points are used unchanged,
 * and so are tangent vectors: pass points of uncertain origin through rm2_manifold_project_within
 * first. */
#ifndef RIEMANN2_MANIFOLD_H
#define RIEMANN2_MANIFOLD_H

#include "riemann2/base.h"
#include "riemann2/geometry.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rm2_manifold rm2_manifold;

/* One factor of a product. */
typedef struct rm2_factor {
    const rm2_geometry *geometry;
    size_t n;
    size_t dim, dim_offset;         /* coordinates of this factor inside the product's */
    size_t ambient, ambient_offset; /* entries of this factor inside the product's point */
} rm2_factor;

/* Create a manifold from a spec: R3, S2, SO3, SPD15, H2, T7 (= seven S1), SE3 (= R3 x SO3), SE2
 * (= R2 x S1), and products with "x": "R3 x S3". Names of registered geometries are read like
 * built-in ones. */
RM2_API rm2_status rm2_manifold_create(rm2_context *ctx, const char *spec, rm2_manifold **manifold);

/* Create a manifold from factors: only `geometry` and `n` of each factor are read. A geometry of
 * your own needs a name (1 to 20 letters) that is neither built in nor the name of another geometry
 * registered in the context. The library keeps the pointer: the table must outlive every manifold
 * made from it. */
RM2_API rm2_status rm2_manifold_from_factors(rm2_context *ctx, const rm2_factor *factors,
                                             size_t count, rm2_manifold **manifold);

/* Add a geometry of your own to the context: specs can then name it ("Torus2 x R3"), and models
 * trained on it can be read. The same table may be registered again, and in several contexts; it
 * must outlive them. */
RM2_API rm2_status rm2_manifold_register(rm2_context *ctx, const rm2_geometry *geometry);

/* A manifold never changes and counts its references: retain adds one, free removes one, and the
 * last free releases the manifold. Any number of threads may share it. NULL is allowed in both
 * calls. */
RM2_API rm2_manifold *rm2_manifold_retain(const rm2_manifold *manifold);
RM2_API void rm2_manifold_free(rm2_manifold *manifold);

/* True if two manifolds have the same factors: the same geometry tables with the same n, in the
 * same order. */
RM2_API bool rm2_manifold_equal(const rm2_manifold *a, const rm2_manifold *b);

RM2_API const char *rm2_manifold_spec(const rm2_manifold *manifold); /* normalised: "R3 x S3" */
RM2_API size_t rm2_manifold_dim(const rm2_manifold *manifold);
RM2_API size_t rm2_manifold_ambient(const rm2_manifold *manifold);
RM2_API size_t rm2_manifold_factor_count(const rm2_manifold *manifold);
RM2_API const rm2_factor *rm2_manifold_factor(const rm2_manifold *manifold, size_t index);

/* Write the base point of the paper to p: 0, (1, 0, ...), identity. */
RM2_API void rm2_manifold_default_point(const rm2_manifold *manifold, double *p);

/* ---- points --------------------------------------------------------------------------------- */

/* Compute relative distances from the manifold.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param x  n x ambient
 * @param defect  result: n x factors, one number per factor of each point
 */
RM2_API rm2_status rm2_manifold_defect(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                       const double *x, double *defect);
/* Project points onto the manifold.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param x  n x ambient
 * @param y  result: n x ambient, the nearest points of the manifold; may be x
 */
RM2_API rm2_status rm2_manifold_project(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                        const double *x, double *y);
/* Project points that should be on the manifold, as rm2_manifold_project does. A point whose defect
 * in some factor is larger than `tolerance`, or that is not finite, is refused with RM2_ERR_DOMAIN
 * and a message that names point, factor and defect. Factors whose defect is at most 1e-14 are
 * copied unchanged; defects above 1e-6 are logged as a warning.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param name  describes the points in messages; NULL: no description
 * @param tolerance  largest defect that is accepted
 * @param n  number of points
 * @param x  n x ambient
 * @param y  result: n x ambient; may be x
 */
RM2_API rm2_status rm2_manifold_project_within(rm2_context *ctx, const rm2_manifold *m,
                                               const char *name, double tolerance, size_t n,
                                               const double *x, double *y);
/* Find out which points are on the manifold, in the sense of numpy.isclose,
 * |a - b| <= 1e-8 + 1e-5 |b|: norm 1 (spheres, rotations); symmetric entries, and positive definite
 * (SPD); <x, x> = -1 and x0 > 0 (hyperbolic); always (Euclidean); relative defect up to 1e-5 (other
 * geometries). A number that is not finite is off the manifold.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param points  n x ambient
 * @param on  result: n x factors, or NULL
 * @param count  result: number of points that are on the manifold in all factors
 */
RM2_API rm2_status rm2_manifold_contains(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                         const double *points, bool *on, size_t *count);
/* Draw n random points p (n x ambient) from the context's generator; they do not depend on the
 * number of threads. */
RM2_API rm2_status rm2_manifold_random(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                       double *p);

/* ---- geodesics, with ambient tangent vectors ------------------------------------------------ */

/* y = Exp_p(v): follow the geodesics that start at p with velocities v for unit time.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param v  n x ambient: tangent vectors at p
 * @param y  result: n x ambient
 */
RM2_API rm2_status rm2_manifold_exp(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                    const double *p, size_t p_count, const double *v, double *y);
/* v = Log_p(q): initial velocities of the shortest geodesics from p to q.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param q  n x ambient
 * @param v  result: n x ambient, tangent vectors at p
 * @return RM2_ERR_CUT_LOCUS if a shortest geodesic is not unique
 */
RM2_API rm2_status rm2_manifold_log(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                    const double *p, size_t p_count, const double *q, double *v);
/* Geodesic distances between p and q.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param q  n x ambient
 * @param d  result: n
 */
RM2_API rm2_status rm2_manifold_distance(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                         const double *p, size_t p_count, const double *q,
                                         double *d);
/* Geodesic distances between all pairs of points.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param points  n x ambient
 * @param distance  result: n x n, symmetric
 */
RM2_API rm2_status rm2_manifold_distances(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                          const double *points, double *distance);
/* Inner products g_p(v, w) of tangent vectors.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param v  n x ambient: tangent vectors at p
 * @param w  n x ambient: tangent vectors at p
 * @param value  result: n
 */
RM2_API rm2_status rm2_manifold_inner(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                      const double *p, size_t p_count, const double *v,
                                      const double *w, double *value);
/* Parallel transport of z from p along the geodesic t -> Exp_p(t v), t = 0..1.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param v  n x ambient: tangent vectors at p, the directions of the transport
 * @param z  n x ambient: tangent vectors at p that are transported
 * @param out  result: n x ambient, tangent vectors at Exp_p(v)
 */
RM2_API rm2_status rm2_manifold_transport(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                          const double *p, size_t p_count, const double *v,
                                          const double *z, double *out);
/* Derivative of the exponential map: d/dt Exp_p(v + t w) at t = 0.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param v  n x ambient: tangent vectors at p
 * @param w  n x ambient: tangent vectors at p, the directions of the derivative
 * @param out  result: n x ambient, tangent vectors at Exp_p(v)
 */
RM2_API rm2_status rm2_manifold_dexp(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                     const double *p, size_t p_count, const double *v,
                                     const double *w, double *out);

/* ---- coordinates in the orthonormal frame at p ---------------------------------------------- */

/* Coordinates c of tangent vectors v in the orthonormal frame at p.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param v  n x ambient: tangent vectors at p
 * @param c  result: n x dim
 */
RM2_API rm2_status rm2_manifold_to_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                          const double *p, size_t p_count, const double *v,
                                          double *c);
/* Tangent vectors v from their coordinates c.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param c  n x dim
 * @param v  result: n x ambient, tangent vectors at p
 */
RM2_API rm2_status rm2_manifold_from_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                            const double *p, size_t p_count, const double *c,
                                            double *v);
/* rm2_manifold_exp of tangent vectors with coordinates c.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param c  n x dim
 * @param y  result: n x ambient
 */
RM2_API rm2_status rm2_manifold_exp_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                           const double *p, size_t p_count, const double *c,
                                           double *y);
/* Coordinates of rm2_manifold_log.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param p  base points: p_count x ambient
 * @param p_count  1 (one base point for all) or n (one each)
 * @param q  n x ambient
 * @param c  result: n x dim
 * @return RM2_ERR_CUT_LOCUS if a shortest geodesic is not unique
 */
RM2_API rm2_status rm2_manifold_log_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                           const double *p, size_t p_count, const double *q,
                                           double *c);

/* ---- the exponential map seen from its coordinates ------------------------------------------ */

/* log |det dExp|, the change of Riemannian volume.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of coordinate vectors
 * @param c  n x dim
 * @param value  result: n
 */
RM2_API rm2_status rm2_manifold_log_volume(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                           const double *c, double *value);
/* Apply the metric G(c) = dExp^T g dExp to several vectors at each c.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of coordinate vectors c
 * @param c  n x dim
 * @param count  number of vectors at each c
 * @param W  n x count x dim: the vectors
 * @param out  result: n x count x dim
 */
RM2_API rm2_status rm2_manifold_metric(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                       const double *c, size_t count, const double *W, double *out);
/* Apply the derivative dG(c)[z] of the metric to several vectors at each c.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of coordinate vectors c
 * @param c  n x dim
 * @param z  n x dim: direction of the derivative at each c
 * @param count  number of vectors at each c
 * @param W  n x count x dim: the vectors
 * @param out  result: n x count x dim
 */
RM2_API rm2_status rm2_manifold_metric_derivative(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                                  const double *c, const double *z, size_t count,
                                                  const double *W, double *out);

/* ---- Fréchet mean --------------------------------------------------------------------------- */

typedef struct rm2_mean_settings {
    size_t size; /* as rm2_mean_settings_default sets it */
    size_t max_iterations;
    double tolerance; /* on |gradient|, relative to the root mean squared distance */
} rm2_mean_settings;

typedef struct rm2_mean_info {
    size_t size;    /* sizeof(rm2_mean_info), set by the caller */
    bool converged; /* false is not an error: the result is the best mean so far */
    int iterations;
    double gradient; /* norm of the mean of the logarithms at the result */
    double variance; /* weighted mean of squared distances */
} rm2_mean_info;

static inline rm2_mean_settings rm2_mean_settings_default(void) {
    rm2_mean_settings settings = {0};
    settings.size = sizeof settings;
    rm2_settings_fill(rm2_settings_table_of(RM2_SETTINGS_MEAN), 0, &settings);
    return settings;
}

/* Fréchet mean: the minimiser of sum_i w_i d(mean, p_i)^2.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param n  number of points
 * @param points  n x ambient
 * @param weights  n, need not add up to one; NULL: equal
 * @param settings  NULL: the defaults
 * @param mean  result: ambient
 * @param info  result, or NULL
 */
RM2_API rm2_status rm2_manifold_mean(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                     const double *points, const double *weights,
                                     const rm2_mean_settings *settings, double *mean,
                                     rm2_mean_info *info);

/* ---- conformance suite of the interface ----------------------------------------------------- */

/* Receiver of the self-test's results, one call per property: the worst error over the trials and
 * the bound that it must keep. */
typedef void (*rm2_selftest_fn)(void *user, const char *property, double worst, double bound,
                                bool passed);

/* Check a manifold against the definitions, by finite differences and identities that hold on every
 * Riemannian manifold.
 *
 * @param ctx  context
 * @param m  the manifold
 * @param trials  number of random trials per property
 * @param report  receives the result of each property; NULL: none
 * @param user  first argument of `report`
 * @param failures  result: number of properties that do not hold
 */
RM2_API rm2_status rm2_manifold_selftest(rm2_context *ctx, const rm2_manifold *m, size_t trials,
                                         rm2_selftest_fn report, void *user, size_t *failures);

#ifdef __cplusplus
}
#endif
#endif
