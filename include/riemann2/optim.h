/* Settings of the optimisers and their stop reasons.
 *
 * L-BFGS is for smooth functions that are evaluated exactly. Adam takes longer but passes over
 * rough places, since it never requires a decrease. Each returns the best point that it has
 * seen. */
#ifndef RIEMANN2_OPTIM_H
#define RIEMANN2_OPTIM_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Stop reasons: name, value, text. */
#define RM2_STOP_LIST(X)                                                                           \
    X(RM2_STOP_RUNNING, 0, "running")                                                              \
    X(RM2_STOP_DECREASE, 1, "relative decrease below tolerance")                                   \
    X(RM2_STOP_GRADIENT, 2, "gradient below tolerance")                                            \
    X(RM2_STOP_MAX_ITERATIONS, 3, "maximum number of iterations")                                  \
    X(RM2_STOP_LINE_SEARCH, 4, "no further decrease possible")                                     \
    X(RM2_STOP_INTERRUPTED, 5, "interrupted")                                                      \
    X(RM2_STOP_MAX_SECONDS, 6, "maximum time")

typedef enum rm2_stop {
#define RM2_STOP_ENUM(name, value, text) name = (value),
    RM2_STOP_LIST(RM2_STOP_ENUM)
#undef RM2_STOP_ENUM
} rm2_stop;

/* Text of a reason; never NULL. */
RM2_API const char *rm2_stop_text(rm2_stop stop);

typedef enum rm2_optimiser { RM2_LBFGS, RM2_ADAM } rm2_optimiser;

/* Settings of an optimiser. They are members of other settings, which have the size; this struct
 * does not grow. Defaults and ranges are in the tables of those settings. */
typedef struct rm2_optim_settings {
    rm2_optimiser method;
    size_t max_iterations;
    /* L-BFGS stops at (f_k - f_k+1) / max(|f_k|, |f_k+1|, 1) <= this, twice in a row; 0: only if f
     * does not decrease. Adam ignores it, because a step of Adam may increase f. */
    double relative_decrease;
    double gradient;    /* stop at max |gradient| <= this */
    double max_seconds; /* stop after the iteration that passes this; 0: no limit */
    size_t history;     /* L-BFGS: number of pairs kept */
    double learning_rate, beta1, beta2, epsilon; /* Adam */
} rm2_optim_settings;

#ifdef __cplusplus
}
#endif
#endif
