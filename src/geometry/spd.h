/* What the files of SPD(n) share.
 *   spd.c         points, geodesics, transport; the table of functions
 *   spd_frame.c   tangent spaces: frames, coordinates, the basis of eigenvectors
 *   spd_metric.c  the exponential map seen from its coordinates: volume, metric, derivative, norms
 *   spd_many.c    exp and log of many small matrices at once (spd_many.h)
 *   spd_log.c     the log-Euclidean metric: a second geometry of the same points
 *
 * Base point P = L L^T; a tangent vector V is the symmetric matrix S = L^-1 V L^-T = U diag(l) U^T.
 * Frame f: P, L^T, L^-1, L^-T, n x n each. Eigenvectors are rows of Ut = U^T. */
#ifndef RM2I_SPD_H
#define RM2I_SPD_H

#include "front/base.h"
#include "riemann2/geometry.h"

/* Names for the scratch. */
typedef struct rm2i_spd_scratch {
    double *values, *Ut;   /* eigenvalues, eigenvectors */
    double *A, *B, *C;     /* n x n */
    double *frame;         /* for the one function that has none, or by turns */
    double *g, *Z, *W, *X; /* n x n: of the metric */
    double *eigen;         /* the eigensolver's own, or by turns */
    double *T;             /* n: of the metric's derivative */
    double *norms;         /* of squared norms */
} rm2i_spd_scratch;

size_t rm2i_spd_work_size(size_t n);
rm2i_spd_scratch rm2i_spd_split(size_t n, double *work);

/* ---- points: of both metrics ----------------------------------------------------------------- */

size_t rm2i_spd_dim(size_t n);
size_t rm2i_spd_square(size_t n);
void rm2i_spd_default_point(size_t n, double *p);
double rm2i_spd_defect(size_t n, const double *x, double *work);
rm2_status rm2i_spd_project(size_t n, const double *x, double *y, double *work);
void rm2i_spd_random_point(size_t n, rm2_rng *rng, double *p, double *work);
/* Up to what a base point may be off by. */
bool rm2i_spd_symmetric(size_t n, const double *p);

/* ---- tangent spaces ------------------------------------------------------------------------- */

rm2_status rm2i_spd_frame(size_t n, const double *p, double *out, double *work);
void rm2i_spd_to_coords(size_t n, const double *f, const double *v, double *c, double *work);
void rm2i_spd_from_coords(size_t n, const double *f, const double *c, double *v, double *work);

/* Coordinates of a symmetric matrix, and back. */
void rm2i_spd_pack_coords(size_t n, const double *S, double *c);
void rm2i_spd_unpack_coords(size_t n, const double *c, double *S);

/* out = L^-1 X L^-T for symmetric X */
void rm2i_spd_whiten(size_t n, const double *f, const double *X, double *out, double *half);
/* out = X L^T */
void rm2i_spd_times_Lt(size_t n, const double *X, const double *f, double *out);

/* Coordinates as a matrix, S = U diag(values) U^T; S itself is left in s.A. */
rm2_status rm2i_spd_decompose(size_t n, const double *c, const rm2i_spd_scratch *s);
/* out = U^T X U, through s.B; s.C holds U. */
void rm2i_spd_rotate_in(size_t n, const double *X, double *out, const rm2i_spd_scratch *s);

/* ---- the exponential map seen from its coordinates: as in rm2_geometry ---- */

rm2_status rm2i_spd_log_volume(size_t n, const double *c, double *value, double *work);
rm2_status rm2i_spd_metric(size_t n, const double *c, const rm2_product_query *query, double *work);
rm2_status rm2i_spd_metric_derivative(size_t n, const double *c, const double *z,
                                      const rm2_product_query *query, double *work);
rm2_status rm2i_spd_metric_norms(size_t n, const double *c, const rm2_norms_query *query,
                                 double *work);
size_t rm2i_spd_norms_work(size_t n); /* doubles of scratch.norms */

#endif
