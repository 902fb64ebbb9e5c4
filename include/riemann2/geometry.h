/* Definition of a manifold: one table of functions per geometry.
 *
 * A geometry is a family of spaces of one kind (all spheres, all SPD spaces) and `n` selects the
 * member: R^n, S^n, SPD(n), H^n. A point is `ambient(n)` contiguous doubles. A `frame` at a base
 * point p holds whatever the other functions need there (p itself, factors of it, a basis), so that
 * it is computed once however many points follow. Tangent vectors are given by their coordinates in
 * an orthonormal basis of the frame, c in R^dim with |c| the Riemannian norm; to_coords and
 * from_coords convert to and from the ambient representation.
 *
 * All functions are pure, allocate nothing and may run in many threads at once. Outputs do not
 * overlap inputs. rm2_manifold_selftest (manifold.h) checks a table against its definitions. The
 * functions share these parameters:
 *
 *     n             selects the space
 *     p, x, y, q    points (ambient(n) doubles)
 *     v             tangent vector at the base point, in the ambient representation
 *     frame         frame at the base point (frame_size(n) doubles), computed by `frame`
 *     c, z, w       coordinates of tangent vectors at the base point (dim(n) doubles)
 *     out, d, value results
 *     work          work_size(n) doubles of scratch with arbitrary contents */
#ifndef RIEMANN2_GEOMETRY_H
#define RIEMANN2_GEOMETRY_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Product of a metric with vectors: row k of `out` becomes G w_k. */
typedef struct rm2_product_query {
    size_t count;
    const double *W;
    double *out;
    size_t stride; /* distance between the rows of W, and between those of out */
} rm2_product_query;

/* Squared norms of vectors, and their derivatives in some directions: w_k^T G w_k is added to
 * value[k], and w_k^T dG[z_d] w_k to derivative[k * directions + d]. */
typedef struct rm2_norms_query {
    size_t count;
    const double *W;
    size_t directions; /* 0: Z and derivative are not used */
    const double *Z;
    size_t stride; /* distance between the rows of W, and between those of Z */
    bool sum;      /* only sums over k are needed; they may be divided among the k in any way */
    double *value;
    double *derivative;
} rm2_norms_query;

/* A geometry. */
typedef struct rm2_geometry {
    size_t size;      /* sizeof(rm2_geometry) of the caller */
    const char *name; /* "S": the letters (1 to 20) before n in a spec string */
    size_t n_min;     /* smallest n */
    size_t n_max;     /* largest n: sizes must not overflow, and the stack must suffice */

    size_t (*dim)(size_t n);        /* required: dimension of the manifold */
    size_t (*ambient)(size_t n);    /* required: doubles of a point */
    size_t (*frame_size)(size_t n); /* required: doubles of a frame */
    size_t (*work_size)(size_t n);  /* required: doubles of scratch for any function below */

    /* ---- points: required ---- */
    void (*default_point)(size_t n, double *p);
    /* Distance of x from the manifold, relative to the size of x; 0 on the manifold, infinity for
     * NaN. */
    double (*defect)(size_t n, const double *x, double *work);
    /* Nearest point y of x, or RM2_ERR_DOMAIN if x has no nearest point (zero vector on a
     * sphere). */
    rm2_status (*project)(size_t n, const double *x, double *y, double *work);
    void (*random_point)(size_t n, rm2_rng *rng, double *p, double *work);

    /* ---- tangent spaces: required ---- */
    /* Compute the frame at p; RM2_ERR_DOMAIN if p is not on the manifold (off by more than about
     * 1e-3). */
    rm2_status (*frame)(size_t n, const double *p, double *frame, double *work);
    void (*to_coords)(size_t n, const double *frame, const double *v, double *c, double *work);
    void (*from_coords)(size_t n, const double *frame, const double *c, double *v, double *work);

    /* ---- geodesics: required ---- */
    /* y = Exp(c). */
    rm2_status (*exp)(size_t n, const double *frame, const double *c, double *y, double *work);
    /* c = Log(q); RM2_ERR_CUT_LOCUS within 1e-12 of the cut locus. */
    rm2_status (*log)(size_t n, const double *frame, const double *q, double *c, double *work);
    rm2_status (*distance)(size_t n, const double *p, const double *q, double *d, double *work);
    /* Largest distance at which log is defined (infinity if it is defined everywhere). */
    double (*injectivity_radius)(size_t n);
    /* Transport z along t -> Exp(t c), t = 0..1; `out` is the ambient vector at the end. */
    rm2_status (*transport)(size_t n, const double *frame, const double *c, const double *z,
                            double *out, double *work);

    /* ---- the exponential map seen from its coordinates: required ---- */
    /* d/dt Exp(c + t w) at t = 0: `out` is an ambient vector at Exp(c). */
    rm2_status (*dexp)(size_t n, const double *frame, const double *c, const double *w, double *out,
                       double *work);
    /* log |det dExp| at c: the change of Riemannian volume. */
    rm2_status (*log_volume)(size_t n, const double *c, double *value, double *work);
    /* G = dExp^T g dExp at c, applied to vectors. */
    rm2_status (*metric)(size_t n, const double *c, const rm2_product_query *query, double *work);
    /* dG[z], the derivative of G at c in the direction z, applied to vectors. */
    rm2_status (*metric_derivative)(size_t n, const double *c, const double *z,
                                    const rm2_product_query *query, double *work);

    /* ---- optional: squared norms in G; without it the two functions above are used ---- */
    rm2_status (*metric_norms)(size_t n, const double *c, const rm2_norms_query *query,
                               double *work);

    /* ---- optional: exp and log with ambient vectors for many points at one base point ---- */
    /* Faster versions of exp and log for many points, used for n up to `many_n_max`, with the same
     * result up to rounding. `count` vectors v or points q, and their results y or v, are in rows
     * that are `stride` apart. A failure means only that some point cannot be computed in this way,
     * for example a point off the manifold: the functions above then find out which one, and
     * why. */
    size_t many_n_max; /* 0: not offered */
    rm2_status (*exp_many)(size_t n, const double *frame, size_t count, const double *v, double *y,
                           size_t stride);
    rm2_status (*log_many)(size_t n, const double *frame, size_t count, const double *q, double *v,
                           size_t stride);
} rm2_geometry;

/* The built-in geometries. */
RM2_API extern const rm2_geometry rm2_euclidean;  /* R^n */
RM2_API extern const rm2_geometry rm2_sphere;     /* S^n in R^(n+1), n >= 1 */
RM2_API extern const rm2_geometry rm2_rotation;   /* SO(3): unit quaternions wxyz, q ~ -q */
RM2_API extern const rm2_geometry rm2_spd;        /* SPD(n), affine-invariant metric, n x n */
RM2_API extern const rm2_geometry rm2_spd_log;    /* SPD(n), log-Euclidean metric: SPD15:log */
RM2_API extern const rm2_geometry rm2_hyperbolic; /* H^n, Lorentz model in R^(n+1) */

/* True if the points of a geometry are symmetric positive definite matrices, in either metric. */
static inline bool rm2_is_spd(const rm2_geometry *geometry) {
    return geometry == &rm2_spd || geometry == &rm2_spd_log;
}

#ifdef __cplusplus
}
#endif
#endif
