/* Manifolds: products of one or more geometries, and calls on many points at once.
 *
 * Layout: n points of a manifold with ambient size D are n x D doubles in C order. A product's
 * point is its factors' points side by side; coordinates likewise. Every call takes n points and
 * runs on the context's threads. Base points: `p_count` is 1 (all share one) or n (one each); the
 * message of a failure names the point, the factor and what is wrong with it. Points that are off
 * the manifold by more than 1e-3, relative to their size, are refused (RM2_ERR_DOMAIN); the check costs one pass over
 * their numbers. Closer ones are taken as they are, and so are tangent vectors: pass points of uncertain origin
 * through rm2_manifold_project_within first. */
#ifndef RIEMANN2_MANIFOLD_H
#define RIEMANN2_MANIFOLD_H

#include "riemann2/base.h"
#include "riemann2/geometry.h"
#include "riemann2/settings.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rm2_manifold rm2_manifold;

typedef struct rm2_factor {
    const rm2_geometry *geometry;
    size_t n;
    size_t dim, dim_offset;         /* coordinates of this factor inside the product's */
    size_t ambient, ambient_offset; /* entries of this factor inside the product's point */
} rm2_factor;

/* From a spec: R3, S2, SO3, SPD15, H2, T7 (= seven S1), SE3 (= R3 x SO3), SE2 (= R2 x S1), and
 * products with "x": "R3 x S3". Names of registered geometries are read like built-in ones. */
RM2_API rm2_status rm2_manifold_create(rm2_context *ctx, const char *spec, rm2_manifold **manifold);

/* From factors: only `geometry` and `n` of each are read. A geometry of your own needs a name (1 to
 * 20 letters) that is neither built in nor that of another geometry registered in the context. The
 * library keeps the pointer: the table must outlive every manifold made of it. */
RM2_API rm2_status rm2_manifold_from_factors(rm2_context *ctx, const rm2_factor *factors,
                                             size_t count, rm2_manifold **manifold);

/* Add a geometry of your own to the context: specs can then name it ("Torus2 x R3"), and models
 * trained on it can be read. The same table may be registered again, and in several contexts; it
 * must outlive them. */
RM2_API rm2_status rm2_manifold_register(rm2_context *ctx, const rm2_geometry *geometry);

/* A manifold never changes and is counted: retain takes one more reference, free gives one back, and
 * the last one frees. Any number of threads may share it. NULL is allowed in both. */
RM2_API rm2_manifold *rm2_manifold_retain(const rm2_manifold *manifold);
RM2_API void rm2_manifold_free(rm2_manifold *manifold);

/* Have both the same factors: the same geometry tables with the same n, in the same order? */
RM2_API bool rm2_manifold_equal(const rm2_manifold *a, const rm2_manifold *b);

RM2_API const char *rm2_manifold_spec(const rm2_manifold *manifold); /* normalised: "R3 x S3" */
RM2_API size_t rm2_manifold_dim(const rm2_manifold *manifold);
RM2_API size_t rm2_manifold_ambient(const rm2_manifold *manifold);
RM2_API size_t rm2_manifold_factor_count(const rm2_manifold *manifold);
RM2_API const rm2_factor *rm2_manifold_factor(const rm2_manifold *manifold, size_t index);

/* The base point of the paper: 0, (1, 0, ...), identity. */
RM2_API void rm2_manifold_default_point(const rm2_manifold *manifold, double *p);

/* ---- points --------------------------------------------------------------------------------- */

/* Relative distance from the manifold: n x factors numbers, one for each factor of each point. */
RM2_API rm2_status rm2_manifold_defect(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                       const double *x, double *defect);
RM2_API rm2_status rm2_manifold_project(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                        const double *x, double *y);
/* As rm2_manifold_project, for points that should be on the manifold: one whose defect in some factor
 * is larger than `tolerance`, or that is not finite, is refused with RM2_ERR_DOMAIN and a message that
 * names point, factor and defect. Factors whose defect is up to 1e-14 are copied as they are; defects
 * beyond 1e-6 are logged as a warning. `name` describes the points in both (NULL: nothing). y may
 * be x. */
RM2_API rm2_status rm2_manifold_project_within(rm2_context *ctx, const rm2_manifold *m,
                                               const char *name, double tolerance, size_t n,
                                               const double *x, double *y);
/* Which of n points are on the manifold, in the sense of numpy.isclose,
 * |a - b| <= 1e-8 + 1e-5 |b|: norm 1 (spheres, rotations); symmetric entries, and positive definite
 * (SPD); <x, x> = -1 and x0 > 0 (hyperbolic); always (Euclidean); relative defect up to 1e-5 (other
 * geometries). A number that is not finite is off. on: n x factors, or NULL; *count: points with
 * all their factors on. */
RM2_API rm2_status rm2_manifold_contains(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                         const double *points, bool *on, size_t *count);
/* From the context's generator; the same points whatever the number of threads. */
RM2_API rm2_status rm2_manifold_random(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                       double *p);

/* ---- geodesics, with ambient tangent vectors ------------------------------------------------ */

RM2_API rm2_status rm2_manifold_exp(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                    const double *p, size_t p_count, const double *v, double *y);
RM2_API rm2_status rm2_manifold_log(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                    const double *p, size_t p_count, const double *q, double *v);
RM2_API rm2_status rm2_manifold_distance(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                         const double *p, size_t p_count, const double *q,
                                         double *d);
/* Between all pairs of n points: n x n, symmetric. */
RM2_API rm2_status rm2_manifold_distances(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                          const double *points, double *distance);
RM2_API rm2_status rm2_manifold_inner(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                      const double *p, size_t p_count, const double *v,
                                      const double *w, double *value);
/* z carried from p along the geodesic t -> Exp_p(t v), t = 0..1. */
RM2_API rm2_status rm2_manifold_transport(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                          const double *p, size_t p_count, const double *v,
                                          const double *z, double *out);
/* d/dt Exp_p(v + t w) at t = 0. */
RM2_API rm2_status rm2_manifold_dexp(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                     const double *p, size_t p_count, const double *v,
                                     const double *w, double *out);

/* ---- the same in coordinates of the orthonormal frame at p ---------------------------------- */

RM2_API rm2_status rm2_manifold_to_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                          const double *p, size_t p_count, const double *v,
                                          double *c);
RM2_API rm2_status rm2_manifold_from_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                            const double *p, size_t p_count, const double *c,
                                            double *v);
RM2_API rm2_status rm2_manifold_exp_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                           const double *p, size_t p_count, const double *c,
                                           double *y);
RM2_API rm2_status rm2_manifold_log_coords(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                           const double *p, size_t p_count, const double *q,
                                           double *c);

/* ---- the exponential map seen from its coordinates ------------------------------------------ */

/* log |det dExp| at each of n coordinate vectors. */
RM2_API rm2_status rm2_manifold_log_volume(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                           const double *c, double *value);
/* G(c) = dExp^T g dExp applied to `count` vectors at each c: W and out are n x count x dim. */
RM2_API rm2_status rm2_manifold_metric(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                       const double *c, size_t count, const double *W, double *out);
/* dG(c)[z] applied to `count` vectors at each c; z is n x dim. */
RM2_API rm2_status rm2_manifold_metric_derivative(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                                  const double *c, const double *z, size_t count,
                                                  const double *W, double *out);

/* ---- Fréchet mean --------------------------------------------------------------------------- */

typedef struct rm2_mean_settings {
    size_t size; /* as rm2_mean_settings_default sets it */
    size_t max_iterations;
    double tolerance; /* on |gradient| relative to the root mean squared distance */
} rm2_mean_settings;

typedef struct rm2_mean_info {
    size_t size;    /* sizeof(rm2_mean_info), set by the caller */
    bool converged; /* not an error when false: the best mean so far is there */
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

/* Minimiser of sum_i w_i d(mean, p_i)^2; `weights` (NULL: equal) need not sum to one. `settings`
 * and `info` may be NULL. */
RM2_API rm2_status rm2_manifold_mean(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                     const double *points, const double *weights,
                                     const rm2_mean_settings *settings, double *mean,
                                     rm2_mean_info *info);

/* ---- conformance suite of the interface ----------------------------------------------------- */

/* One row a property: worst error over the trials and the bound it must keep. */
typedef void (*rm2_selftest_fn)(void *user, const char *property, double worst, double bound,
                                bool passed);

/* Check a manifold against the definitions, by finite differences and identities that hold on every
 * Riemannian manifold; `failures` counts the properties that do not hold. `report` may be NULL. */
RM2_API rm2_status rm2_manifold_selftest(rm2_context *ctx, const rm2_manifold *m, size_t trials,
                                         rm2_selftest_fn report, void *user, size_t *failures);

#ifdef __cplusplus
}
#endif
#endif
