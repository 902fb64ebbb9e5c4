/* What training maximises: the sum of the terms that the settings switch on, as a function of the
 * raw vector of learned parameters. The optimisers see its negative, divided by N M. */
#ifndef RM2I_OBJECTIVE_H
#define RM2I_OBJECTIVE_H

#include "gp/dual.h"
#include "gp/gpdm.h"
#include "gp/inducing.h"
#include "gp/likelihood.h"
#include "riemann2/model.h"
#include "train/parameters.h"

/* The data of the problem; borrowed. */
typedef struct rm2i_model_problem {
    size_t N, M, Q;
    const double *F;    /* M x N: centred outputs, task-major */
    const double *X0;   /* N x Q: start and anchor of the latents */
    const double *gram; /* N x N: back constraint X = gram W; NULL: X is free */
    size_t trajectories;
    const size_t *starts;
    const rm2i_rows *rows; /* of which these N are; NULL: these are all */
} rm2i_model_problem;

/* Scratch of the terms, one after the other: all but `kernel` is the same memory. */
typedef struct rm2i_objective_scratch {
    double *column;                   /* N */
    double *inverse;                  /* M x M */
    double *values, *vectors, *eigen; /* M, M x M, and the eigenproblem's own */
    double *task, *per_output;        /* of their derivatives */
    double *kernel;                   /* likewise, next to K; exact inference only */
} rm2i_objective_scratch;

typedef struct rm2i_objective {
    rm2_context *ctx;
    rm2_fit_settings s;
    rm2i_model_problem p;
    rm2i_parameters par;
    rm2i_rows rows; /* cut; exact inference: into a single unit */
    size_t columns; /* of B */
    double psi;     /* Psi = psi I: mean variance of the outputs */
    double *natural, *natural_bar;
    double *X,
        *X_bar; /* N x Q: the block of latents, or with a back constraint arrays of their own */
    double *lengthscale, *lengthscale_bar; /* Q */
    double *K, *L;                         /* N x N; exact inference only */
    double *Kf, *Lf, *Kf_bar;              /* M x M */
    rm2i_matrix_normal mn;                 /* Kronecker noise */
    bool dual;                             /* evaluate by `du`, without Kf */
    rm2i_dual du;                          /* Kronecker noise, profile, many outputs */
    rm2i_inducing *inducing;               /* in place of K and L; NULL: exact inference */
    rm2i_per_output po;                    /* per-output noise */
    rm2i_gpdm gpdm;
    rm2i_objective_scratch scratch;
    double *memory, *square;   /* square: K and L, and those of `du` */
    rm2_objective_terms terms; /* of the last evaluation */
} rm2i_objective;

rm2_status rm2i_objective_create(rm2_context *ctx, const rm2_fit_settings *s,
                                 const rm2i_model_problem *p, rm2i_objective **objective);
void rm2i_objective_free(rm2i_objective *o);

/* Cut the rows into units of at least this number. */
rm2_status rm2i_objective_cut(rm2i_objective *o, size_t unit_rows);

/* The raw vector that the settings start from. */
void rm2i_objective_start(const rm2i_objective *o, double *raw);

/* An rm2i_objective_fn: *f = -total/(N M), with its gradient; terms are in o->terms, natural values
 * in o->natural, X and (unless o->dual, which may be cleared) Kf in o->X and o->Kf. */
rm2_status rm2i_objective_evaluate(void *objective, const double *raw, double *f, double *gradient);

/* X and lengthscales from the natural values. */
void rm2i_objective_latents(rm2i_objective *o);

/* The kernel on the latent space at the natural values; its lengthscales are the objective's. */
rm2i_latent_kernel rm2i_objective_kernel(const rm2i_objective *o);

/* ---- objective_inducing.c ------------------------------------------------------------------- */

rm2_status rm2i_objective_check_inference(rm2_context *ctx, const rm2_fit_settings *s, size_t N);
/* Room for free inducing inputs behind the other natural values. */
size_t rm2i_objective_free_inputs(const rm2i_objective *o);
/* At the start: inducing points, or the N x N matrices of exact inference. */
rm2_status rm2i_objective_prepare(rm2i_objective *o);

/* Choose the inducing points at the natural values, X and lengthscales as they stand. Those that were
 * given, or are free, stay what they are. */
rm2_status rm2i_objective_choose(rm2i_objective *o);

/* An inducing set and the remaining trace of K - Q: when it was chosen, at the last evaluation. Free
 * inputs are parameters, not a set. */
typedef struct rm2i_set {
    size_t *index, count; /* 0: none */
    double chosen, trace;
} rm2i_set;
typedef struct rm2i_sets {
    rm2i_set likelihood, dynamics;
} rm2i_sets;
rm2i_sets rm2i_objective_sets(const rm2i_objective *o); /* borrowed */
/* Replace the inducing points. RM2_ERR_FORMAT if the sets are invalid. */
rm2_status rm2i_objective_use(rm2i_objective *o, const rm2i_sets *sets);

/* Have the latents moved so far that the sets should be chosen again? While training goes on, a choice
 * lasts longer than at its end. */
bool rm2i_objective_stale(rm2i_objective *o, bool ended);

/* The sums that a posterior is made of (rm2i_inducing_sum), with inducing points, at the last evaluation; `sums` may be
 * NULL where they are of no use. */
rm2_status rm2i_objective_sums(const rm2i_objective *o, double *sums);

/* Bounds of the exact log-likelihood and of the exact dynamics term at the last evaluation. */
rm2_status rm2i_objective_certify(const rm2i_objective *o, rm2_certificate *likelihood,
                                  rm2_certificate *dynamics);

#endif
