/* Inside the optimisers: the object, what a method is, the stopping rule. */
#ifndef RM2I_OPTIM_METHOD_H
#define RM2I_OPTIM_METHOD_H

#include "base/arena.h"
#include "optim/optim.h"
#include "rows/rows.h"

typedef struct rm2i_optim_problem {
    rm2i_objective_fn fn;
    void *user;
} rm2i_optim_problem;

/* One method. iterate moves x once by evaluating trials and accepting one; *stuck says that there
 * was none to accept. On failure it leaves the object's state as it was. */
typedef struct rm2i_method {
    const char *name;
    bool monotone; /* f falls in every iteration: a small decrease is a reason to stop */
    bool pairs;    /* keeps settings.history pairs */
    void (*lay_out_kept)(rm2i_optim *o, rm2i_arena *a);    /* state beyond x, gradient and best */
    void (*lay_out_scratch)(rm2i_optim *o, rm2i_arena *a); /* what lives for one iteration */
    rm2_status (*check)(rm2_context *ctx, const rm2_optim_settings *settings);
    rm2_status (*iterate)(rm2i_optim *o, const rm2i_optim_problem *problem, bool *stuck);
} rm2i_method;

extern const rm2i_method rm2i_lbfgs, rm2i_adam;

struct rm2i_optim {
    rm2_optim_settings settings;
    const rm2i_method *method;
    size_t n;
    const rm2i_rows *rows; /* borrowed; NULL: sums by one loop */
    size_t width;          /* variables per row */

    bool started; /* x0 has been evaluated */
    size_t iteration, evaluations;
    size_t pairs, next; /* ring of L-BFGS: pairs stored, slot of the next */
    double f, best_f, gradient_max, step_length, seconds;
    double decrease; /* relative, of the last iteration; DBL_MAX: none of this function yet */

    double *memory;              /* the vectors below; the first `kept` are saved */
    size_t kept;                 /* doubles */
    double *x, *gradient, *best; /* kept */
    double *s, *y, *sy, *yy;     /* kept by L-BFGS: pairs (history x n), their products */
    double *m, *v;               /* kept by Adam: moments */
    double *returns,
        *lost;       /* kept by Adam: to the best point; iterations since too much was lost */
    double *start_f; /* kept by Adam: f at x0 */
    double *trial_x, *trial_gradient,
        *step;     /* scratch; step: from x to the trial, or its direction */
    double *alpha; /* scratch of L-BFGS: history */
};

/* Value and gradient at trial_x; RM2_ERR_NUMERIC if they are not finite. Keeps the best. */
rm2_status rm2i_optim_evaluate(rm2i_optim *o, const rm2i_optim_problem *problem, double *f);

/* The trial becomes the current point, f its value. */
void rm2i_optim_accept(rm2i_optim *o, double f, double step_length);

/* ---- products.c ------------------------------------------------------------------------------ */

double rm2i_optim_dot(const rm2i_optim *o, const double *x, const double *y);
double rm2i_optim_norm(const rm2i_optim *o, const double *x);
double rm2i_optim_max_abs(const rm2i_optim *o,
                          const double *x); /* infinity if an entry is not a number */

/* Of the pair s = trial_x - x, y = trial_gradient - gradient. */
typedef struct rm2i_pair_products {
    double sy, ss, yy;
} rm2i_pair_products;
rm2i_pair_products rm2i_optim_pair(const rm2i_optim *o);

/* ---- stop.c ---------------------------------------------------------------------------------- */

/* What the stopping rule looks at. */
typedef struct rm2i_progress {
    double decrease; /* relative, the larger of the last two iterations; huge before the second */
    double gradient; /* max |gradient| */
    double seconds;
    size_t iteration;
    bool stuck, interrupted;
} rm2i_progress;

double rm2i_relative_decrease(double before, double after);
rm2_stop rm2i_stop_test(const rm2_optim_settings *settings, bool monotone,
                        const rm2i_progress *progress);

#endif
