/* Packing, transforms and priors of hyperparameters. */
#include "train/parameters.h"

#include <math.h>

#include "math/special.h"

void rm2i_parameters_lay_out(rm2i_parameters *p) {
    p->natural_size = p->raw_size = 0;
    for (int k = 0; k < RM2I_BLOCKS; k++) {
        p->block[k].offset = p->natural_size;
        p->natural_size += p->block[k].count;
        p->raw_size += p->block[k].learned ? p->block[k].count : 0;
    }
}

static double to_raw(const rm2i_block_info *b, double value) {
    double above;
    switch (b->transform) {
    case RM2I_LOG:
        return log(value);
    case RM2I_SOFTPLUS: /* log(e^x - 1), stable for large x */
        above = value - b->bound;
        return above > 30 ? above : log(expm1(above));
    case RM2I_IDENTITY:
        break;
    }
    return value;
}

static double to_natural(const rm2i_block_info *b, double raw) {
    switch (b->transform) {
    case RM2I_LOG:
        return exp(raw);
    case RM2I_SOFTPLUS:
        return b->bound + (raw > 30 ? raw : log1p(exp(raw)));
    case RM2I_IDENTITY:
        break;
    }
    return raw;
}

/* dvalue/draw */
static double slope(const rm2i_block_info *b, double raw, double value) {
    switch (b->transform) {
    case RM2I_LOG:
        return value;
    case RM2I_SOFTPLUS:
        return 1 / (1 + exp(-raw));
    case RM2I_IDENTITY:
        break;
    }
    return 1;
}

void rm2i_parameters_pack(const rm2i_parameters *p, const double *natural, double *raw) {
    for (int k = 0; k < RM2I_BLOCKS; k++) {
        const rm2i_block_info *b = &p->block[k];
        for (size_t i = 0; b->learned && i < b->count; i++)
            *raw++ = to_raw(b, natural[b->offset + i]);
    }
}

void rm2i_parameters_unpack(const rm2i_parameters *p, const double *raw, double *natural) {
    for (int k = 0; k < RM2I_BLOCKS; k++) {
        const rm2i_block_info *b = &p->block[k];
        for (size_t i = 0; b->learned && i < b->count; i++)
            natural[b->offset + i] = to_natural(b, *raw++);
    }
}

void rm2i_parameters_backward(const rm2i_parameters *p, const double *raw,
                              const double *natural_bar, const double *natural, double *raw_bar) {
    for (int k = 0; k < RM2I_BLOCKS; k++) {
        const rm2i_block_info *b = &p->block[k];
        for (size_t i = 0; b->learned && i < b->count; i++) {
            *raw_bar++ = natural_bar[b->offset + i] * slope(b, *raw, natural[b->offset + i]);
            raw++;
        }
    }
}

double rm2i_log_prior(rm2_prior_kind kind, double a, double b, double x, double *derivative) {
    double z;
    switch (kind) {
    case RM2_PRIOR_GAMMA:
        *derivative = (a - 1) / x - b;
        return a * log(b) - lgamma(a) + (a - 1) * log(x) - b * x;
    case RM2_PRIOR_LOGNORMAL:
        z = (log(x) - a) / b;
        *derivative = -z / (b * x);
        return -0.5 * z * z - log(b) - 0.5 * RM2I_LOG_2PI;
    case RM2_PRIOR_NONE:
        break;
    }
    *derivative = 0;
    return 0;
}

double rm2i_parameters_log_prior(const rm2i_parameters *p, const double *natural,
                                 double *natural_bar) {
    double sum = 0;
    for (int k = 0; k < RM2I_BLOCKS; k++) {
        const rm2i_block_info *b = &p->block[k];
        for (size_t i = b->offset; i < b->offset + b->count; i++) {
            double derivative;
            sum += rm2i_log_prior(b->prior, b->a, b->b, natural[i], &derivative);
            natural_bar[i] += derivative;
        }
    }
    return sum;
}
