/* The parameters of a model as one flat array of natural values, cut into blocks, and the raw
 * vector of those that are learned, which is what an optimiser moves. */
#ifndef RM2I_PARAMETERS_H
#define RM2I_PARAMETERS_H

#include "riemann2/model.h"

typedef enum rm2i_parameter_block {
    RM2I_LATENT,           /* X (N x Q), or the weights of the back constraint */
    RM2I_LENGTHSCALE,      /* 1 or Q */
    RM2I_VARIANCE,         /* s */
    RM2I_LINEAR,           /* w, where the kernel has a linear part */
    RM2I_NOISE,            /* s2, or the global noise */
    RM2I_TASK_NOISE,       /* M (per-output noise) */
    RM2I_TASK_FACTOR,      /* B */
    RM2I_TASK_DIAGONAL,    /* v, M */
    RM2I_GPDM_LENGTHSCALE, /* of the dynamics */
    RM2I_GPDM_VARIANCE,
    RM2I_GPDM_NOISE,
    RM2I_INDUCING, /* free inducing inputs, r x Q; the last: r is known after the rest is set up */
    RM2I_BLOCKS
} rm2i_parameter_block;

typedef enum rm2i_transform {
    RM2I_IDENTITY,
    RM2I_LOG,     /* raw = log value */
    RM2I_SOFTPLUS /* value = bound + log(1 + e^raw) */
} rm2i_transform;

typedef struct rm2i_block_info {
    size_t offset, count; /* in the natural array; count 0: the model has no such block */
    bool learned;
    rm2i_transform transform;
    double bound; /* smallest value, with softplus */
    rm2_prior_kind prior;
    double a, b;
} rm2i_block_info;

typedef struct rm2i_parameters {
    rm2i_block_info block[RM2I_BLOCKS];
    size_t natural_size, raw_size;
} rm2i_parameters;

/* Sizes and offsets from the counts; raw_size from what is learned. */
void rm2i_parameters_lay_out(rm2i_parameters *p);

void rm2i_parameters_pack(const rm2i_parameters *p, const double *natural, double *raw);
/* Blocks that are held keep their value in `natural`. */
void rm2i_parameters_unpack(const rm2i_parameters *p, const double *raw, double *natural);
/* df/draw from df/dnatural. */
void rm2i_parameters_backward(const rm2i_parameters *p, const double *raw,
                              const double *natural_bar, const double *natural, double *raw_bar);

/* Sum of the log priors of the learned and held positive blocks; derivatives are added.
 *   Gamma(a, b): a log b - lgamma(a) + (a - 1) log x - b x, a density of x itself
 *   log-normal: log N(log x; a, b^2), a density of log x */
double rm2i_parameters_log_prior(const rm2i_parameters *p, const double *natural,
                                 double *natural_bar);
double rm2i_log_prior(rm2_prior_kind kind, double a, double b, double x, double *derivative);

#endif
