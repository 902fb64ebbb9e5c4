/* What a manifold is made of: one table of functions per geometry.
 *
 * A geometry is a family of spaces of one kind (all spheres, all SPD spaces) and `n` selects the
 * member: R^n, S^n, SPD(n), H^n. A point is `ambient(n)` contiguous doubles. At a base point p a
 * `frame` holds what the other functions need there (p itself, factors of it, a basis), so that it
 * is computed once however many points follow. Tangent vectors are given by their coordinates in an
 * orthonormal basis of the frame, c in R^dim with |c| the Riemannian norm; to_coords and
 * from_coords pass to the ambient representation and back.
 *
 * All functions are pure, allocate nothing and may run in many threads at once; `work` is
 * work_size(n) doubles of scratch whose contents mean nothing. Outputs do not overlap inputs.
 * rm2_manifold_selftest (manifold.h) checks a table against its definitions. */
#ifndef RIEMANN2_GEOMETRY_H
#define RIEMANN2_GEOMETRY_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Vectors to which a metric is applied: row k of `out` becomes G w_k. */
typedef struct rm2_product_query {
    size_t count;
    const double *W;
    double *out;
    size_t stride; /* between the rows of W, and between those of out */
} rm2_product_query;

/* Vectors whose squared norms are wanted, and directions in which these are differentiated:
 * w_k^T G w_k is added to value[k], w_k^T dG[z_d] w_k to derivative[k * directions + d]. */
typedef struct rm2_norms_query {
    size_t count;
    const double *W;
    size_t directions; /* 0: Z and derivative are not used */
    const double *Z;
    size_t stride; /* between the rows of W, and between those of Z */
    bool sum;      /* only the sums over k are wanted, however they are divided among the k */
    double *value;
    double *derivative;
} rm2_norms_query;

typedef struct rm2_geometry {
    size_t size;      /* sizeof(rm2_geometry) of the caller */
    const char *name; /* "S": the letters (1 to 20) before n in a spec string */
    size_t n_min;     /* smallest n */
    size_t n_max;     /* largest n: sizes must not overflow, stack must not be needed */

    size_t (*dim)(size_t n);        /* required: dimension of the manifold */
    size_t (*ambient)(size_t n);    /* required: doubles of a point */
    size_t (*frame_size)(size_t n); /* required: doubles of a frame */
    size_t (*work_size)(size_t n);  /* required: doubles of scratch for any function below */

    /* ---- points: required * ---------------------------------------------------------------------
     */
    void (*default_point)(size_t n, double *p);
    /* How far x is from the manifold, relative to its own size; 0 on it, infinity for NaN. */
    double (*defect)(size_t n, const double *x, double *work);
    /* Nearest point, or RM2_ERR_DOMAIN where there is none (zero vector on a sphere). */
    rm2_status (*project)(size_t n, const double *x, double *y, double *work);
    void (*random_point)(size_t n, rm2_rng *rng, double *p, double *work);

    /* ---- tangent spaces: required * -------------------------------------------------------------
     */
    /* RM2_ERR_DOMAIN if p is not on the manifold (off by more than about 1e-3). */
    rm2_status (*frame)(size_t n, const double *p, double *frame, double *work);
    void (*to_coords)(size_t n, const double *frame, const double *v, double *c, double *work);
    void (*from_coords)(size_t n, const double *frame, const double *c, double *v, double *work);

    /* ---- geodesics: required * ------------------------------------------------------------------
     */
    rm2_status (*exp)(size_t n, const double *frame, const double *c, double *y, double *work);
    /* RM2_ERR_CUT_LOCUS within 1e-12 of it. */
    rm2_status (*log)(size_t n, const double *frame, const double *q, double *c, double *work);
    rm2_status (*distance)(size_t n, const double *p, const double *q, double *d, double *work);
    /* Largest distance at which log is defined (infinity if everywhere). */
    double (*injectivity_radius)(size_t n);
    /* z (coordinates) carried along t -> Exp(t c), t = 0..1; ambient vector at the end. */
    rm2_status (*transport)(size_t n, const double *frame, const double *c, const double *z,
                            double *out, double *work);

    /* ---- the exponential map seen from its coordinates: required * ------------------------------
     */
    /* d/dt Exp(c + t w) at t = 0; ambient vector at Exp(c). */
    rm2_status (*dexp)(size_t n, const double *frame, const double *c, const double *w, double *out,
                       double *work);
    /* log |det dExp| at c: the change of Riemannian volume. */
    rm2_status (*log_volume)(size_t n, const double *c, double *value, double *work);
    /* G = dExp^T g dExp at c, applied to vectors. */
    rm2_status (*metric)(size_t n, const double *c, const rm2_product_query *query, double *work);
    /* The same for dG[z], the derivative of G at c in the direction z. */
    rm2_status (*metric_derivative)(size_t n, const double *c, const double *z,
                                    const rm2_product_query *query, double *work);

    /* ---- optional: squared norms in G; default: by the two calls above ---- */
    rm2_status (*metric_norms)(size_t n, const double *c, const rm2_norms_query *query,
                               double *work);

    /* ---- optional: exp and log with ambient vectors for many points at one base point ---- */
    /* Faster than the calls above, one by one, for n up to `many_n_max`; with the same result up to
     * rounding. Rows of the arrays are `stride` apart. A failure means only that some point cannot
     * be done this way, such as one that is off the manifold: the calls above then find out which, and why. */
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

/* Are its points symmetric positive definite matrices, in either metric? */
static inline bool rm2_is_spd(const rm2_geometry *geometry) {
    return geometry == &rm2_spd || geometry == &rm2_spd_log;
}

#ifdef __cplusplus
}
#endif
#endif
