/* The conformance suite's inside: one random trial, and the tables of properties it is put to.
 * A property writes its error, which the suite compares with the bound; a failing call counts as an
 * infinite error. */
#ifndef RM2I_SELFTEST_H
#define RM2I_SELFTEST_H

#include "manifold/manifold.h"

enum {
    RM2I_TRIAL_BATCH = 40,      /* points of the batch properties: enough for several threads */
    RM2I_TRIAL_DENSE_DIM = 500, /* largest dimension whose determinants are computed */
};

/* Random data of one trial, then scratch that each property may overwrite. */
typedef struct rm2i_selftest_trial {
    rm2_context *ctx;
    const rm2_manifold *m;
    bool dense; /* D and gram are there */

    double *p, *frame;   /* base point and the frame there */
    double *c;           /* coordinates inside the injectivity radius, factor by factor */
    double *y, *frame_y; /* Exp_p(c) and the frame there */
    double *batch_c;     /* RM2I_TRIAL_BATCH vectors like c */
    double *q, *r;       /* Exp_p of the first two of them */
    double *u, *v, *w;   /* random coordinates of length 1 */

    double *x1, *x2, *x3;                /* scratch: ambient */
    double *c1, *c2, *c3;                /* scratch: coordinates */
    double *frame_x;                     /* scratch: frame */
    double *batch_p, *batch_1, *batch_2; /* scratch: RM2I_TRIAL_BATCH points and coordinates */
    double *D, *gram;                    /* scratch: dim x dim */
    double *work;                        /* of the geometries */
} rm2i_selftest_trial;

typedef struct rm2i_property {
    const char *name;
    double bound;
    rm2_status (*check)(rm2i_selftest_trial *t, double *error);
    bool dense; /* needs D and gram */
} rm2i_property;

extern const rm2i_property rm2i_geodesic_properties[];
extern const size_t rm2i_geodesic_property_count;
extern const rm2i_property rm2i_metric_properties[];
extern const size_t rm2i_metric_property_count;

/* Largest difference of two points, each factor relative to its own largest entry. */
double rm2i_trial_point_error(const rm2i_selftest_trial *t, const double *x,
                              const double *expected);
/* |a - b| / max(1, |b|) for coordinates. */
double rm2i_trial_coords_error(const rm2i_selftest_trial *t, const double *c,
                               const double *expected);
/* |a - b| / max(1, |b|) for numbers. */
double rm2i_trial_number_error(double a, double expected);

#endif
