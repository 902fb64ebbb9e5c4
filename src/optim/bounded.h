/* Minimisation of a smooth function of a few variables in a box. */
#ifndef RM2I_BOUNDED_H
#define RM2I_BOUNDED_H

#include "optim/optim.h"

enum { RM2I_BOUNDED_MOST = 8 }; /* variables */

typedef struct rm2i_bounded_problem {
    rm2i_objective_fn fn;
    void *user;
    size_t n;
    const double *lower, *upper; /* n; equal bounds hold a variable */
    const rm2_optim_settings *settings;
    /* Called after every iteration with the value there; may be NULL. */
    void (*report)(void *user, double f);
} rm2i_bounded_problem;

typedef struct rm2i_bounded_result {
    double f;
    double gradient; /* largest entry that a bound does not hold back */
    size_t iterations, evaluations;
    rm2_stop stop;
} rm2i_bounded_result;

/* x is the start, which is moved into the box, and becomes the result. Settings: relative decrease,
 * gradient and iterations count. RM2_ERR_NUMERIC if the function has no value at the start. */
rm2_status rm2i_bounded_minimise(rm2_context *ctx, const rm2i_bounded_problem *problem, double *x,
                                 rm2i_bounded_result *result);

#endif
