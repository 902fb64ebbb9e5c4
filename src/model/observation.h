/* One observation whose latent point is sought: what is maximised, with its slope (observation.c), and
 * the search for the best latent point (encode_search.c). */
#ifndef RM2I_OBSERVATION_H
#define RM2I_OBSERVATION_H

#include "model/model.h"

typedef struct rm2i_observation {
    rm2_context *ctx; /* whose interrupt ends the search */
    const rm2_model *m;
    bool residual_only;
    size_t count;               /* coordinates that are there */
    size_t *which;              /* M: their indices */
    double *v;                  /* count: centred */
    double *P;                  /* count x M: rows of P that are there */
    double *centre, *precision; /* Q: the broad Gaussian */
    double *L;                  /* count x count: factor of S, or of P P^T with Kronecker noise */
    double log_det;             /* of P P^T, Kronecker noise */
    double *f, *h, *J, *dh, *r, *y, *Y; /* M, M, MQ, MQ, M, M, M x M */
    double *start;                      /* Q: best of least squares */
    double *work;
} rm2i_observation;

/* Doubles of memory that an observation needs, and one in such memory, with the broad Gaussian. */
size_t rm2i_observation_size(const rm2_model *m);
rm2i_observation rm2i_observation_in(const rm2_model *m, double *memory);
/* Take the coordinates that are there (M flags) of an observation (M, centred), their rows of P, and the
 * factor that does not depend on x. */
rm2_status rm2i_observe(rm2i_observation *o, const double *centred, const bool *there);

/* log N(v; f(x), S(x)); its slope in x is added if wanted. Leaves the residual in o->r. */
double rm2i_observation_density(rm2i_observation *o, const double *x, double *slope);
/* An rm2i_objective_fn: minus the log of what is maximised. */
rm2_status rm2i_observation_minus_log(void *observation, const double *x, double *value,
                                      double *gradient);
/* Inverse of the curvature of minus the log at x, Q x Q. work: 2 Q^2 + 4 Q. */
rm2_status rm2i_observation_curvature(rm2i_observation *o, const double *x, double *covariance,
                                      double *work);

/* ---- encode_search.c ------------------------------------------------------------------------- */

/* The training point nearest to the observation. */
size_t rm2i_encode_nearest(const rm2i_observation *o);
/* x: where the density, or the least squares if o->residual_only, is best; fills converged and nearest
 * of the info. */
rm2_status rm2i_encode_search(rm2i_observation *o, const rm2_encode_settings *s, double *x,
                              rm2_encoded *info);

#endif
