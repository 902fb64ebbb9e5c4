/* Functions with known minima, walls and waves, and optimisers that run on them. */
#ifndef OPTIM_FIXTURE_H
#define OPTIM_FIXTURE_H

#include "optim/optim.h"
#include "shared_context.h"

void assert_near(double a, double b, double tolerance);
void assert_same_bits(const double *a, const double *b, size_t n);

/* ---- functions ------------------------------------------------------------------------------- */

typedef struct problem {
    size_t n, calls;
    double condition, offset;
    size_t fail_at; /* call that fails with `status`; 0: none */
    rm2_status status;
} problem;

/* offset + sum_i c_i (x_i - i)^2 / 2 with c_i from 1 to the condition number */
rm2_status quadratic(void *user, const double *x, double *f, double *g);
/* sum_i 100 (x_i+1 - x_i^2)^2 + (1 - x_i)^2 */
rm2_status rosenbrock(void *user, const double *x, double *f, double *g);
/* x - log x a coordinate: minimum n at 1; NaN where x <= 0. Every tenth coordinate is steeper. */
rm2_status barrier(void *user, const double *x, double *f, double *g);
/* The same, refusing by status and touching nothing. */
rm2_status walled(void *user, const double *x, double *f, double *g);
/* Falls towards a wall at 1 with no minimum before it. */
rm2_status cliff(void *user, const double *x, double *f, double *g);
/* Waves over a bowl: Adam's steps rise often. */
rm2_status waves(void *user, const double *x, double *f, double *g);

/* ---- optimisers ------------------------------------------------------------------------------ */

/* L-BFGS until the gradient vanishes; Adam as it is by default. */
rm2_optim_settings usual_settings(void); /* of training */
rm2_optim_settings exact_settings(void);
rm2_optim_settings adam_settings(void);

/* Starting from x0; from the same value in up to 128 coordinates. */
rm2i_optim *optim_from(rm2_optim_settings s, size_t n, const double *x0);
rm2i_optim *optim_filled(rm2_optim_settings s, size_t n, double value);

/* From a state in memory. */
rm2_status optim_restore(rm2i_optim *o, const double *state, size_t size);

/* One step; all steps to the end. */
rm2_stop optim_step(rm2i_optim *o, rm2i_objective_fn fn, problem *p);
rm2_stop optim_run(rm2i_optim *o, rm2i_objective_fn fn, problem *p);

#endif
