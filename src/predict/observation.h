/* One observation whose latent point is sought: what is maximised, with its slope (observation.c), and
 * the search for the best latent point (encode_search.c). */
#ifndef RM2I_OBSERVATION_H
#define RM2I_OBSERVATION_H

#include "model/model.h"

typedef struct rm2i_observation {
    rm2_context *ctx; /* whose interrupt ends the search */
    const rm2_model *m;
    const rm2i_posterior *quick; /* that h comes from, Kronecker noise (rm2i_model_quick) */
    rm2_encode_kind kind;        /* what is maximised */
    size_t count;                /* coordinates that are there */
    size_t *which;               /* M: their indices */
    double *v;                   /* count: centred */
    const rm2i_posterior
        *white; /* the model's where all coordinates are there: f, J, r, y are then */
    double *w;  /* M: those of P^-1 v; NULL: of v */
    double *P;  /* count x M: rows of P that are there */
    double *centre, *precision; /* Q: the broad Gaussian */
    double wall;                /* height of the wall around the latents, least squares only */
    double *L;                  /* count x count: room for a factor */
    const double *S; /* factor of S, or of P P^T with Kronecker noise: L, or the model's */
    double log_det;  /* of P P^T, Kronecker noise */
    double *f, *h, *J, *dh, *r, *y, *Y; /* M, M, MQ, MQ, M, M, M x M */
    double *start;                      /* Q: best of least squares */
    double *prior;                      /* 3 Q: scratch of the prior */
    double *work;
} rm2i_observation;

/* Doubles of memory that an observation needs, and one in such memory, with the broad Gaussian. Variances are those of the
 * model's quick posterior if it has been found (rm2i_model_quick), else of the posterior. */
size_t rm2i_observation_size(const rm2_model *m);
rm2i_observation rm2i_observation_in(const rm2_model *m, double *memory);
/* Take the coordinates that are there (M flags) of an observation (M, centred), their rows of P, and the
 * factor that does not depend on x. */
rm2_status rm2i_observe(rm2i_observation *o, const double *centred, const bool *there);

/* log density of v given x: N(v; f(x), S(x)), or a Student t density of this covariance where the model has
 * degrees of freedom; its slope in x is added if wanted. Leaves the residual in o->r. */
double rm2i_observation_density(rm2i_observation *o, const double *x, double *slope);
/* An rm2i_objective_fn: minus the log of what is maximised. */
rm2_status rm2i_observation_minus_log(void *observation, const double *x, double *value,
                                      double *gradient);
/* Doubles of scratch for each of the two below. */
size_t rm2i_observation_scratch(const rm2_model *m);
/* Inverse of the curvature of minus the log at x, Q x Q. */
rm2_status rm2i_observation_curvature(rm2i_observation *o, const double *x, double *covariance,
                                      double *work);
/* log of the integral over x of density times prior by Laplace's method, x a maximum of their product; o->kind is the
 * density. */
rm2_status rm2i_observation_laplace(rm2i_observation *o, const double *x, double *value,
                                    double *work);

/* ---- encode_search.c ------------------------------------------------------------------------- */

/* The training point nearest to the observation. */
size_t rm2i_encode_nearest(const rm2i_observation *o);
/* The nearest one whose latent is apart from those of `count` others; SIZE_MAX: there is none. */
size_t rm2i_encode_next_start(const rm2i_observation *o, const size_t *starts, size_t count);
/* x: where o->kind is best; fills converged and nearest of the info. */
rm2_status rm2i_encode_search(rm2i_observation *o, const rm2_encode_settings *s, double *x,
                              rm2_encoded *info);
/* log density of the observation: Laplace's method at the mode near x. With a mixture as prior the density may have
 * several: the sum over those that searches from the nearest training points find. */
enum { RM2I_MODES = 4 };
size_t rm2i_encode_marginal_work(const rm2_model *m);
rm2_status rm2i_encode_marginal(rm2i_observation *o, const rm2_encode_settings *s, const double *x,
                                double *value, double *work);

#endif
