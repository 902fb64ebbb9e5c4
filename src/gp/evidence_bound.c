/* The restricted evidence from matrices of inducing points and of outputs. */
#include "gp/evidence_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "front/base.h"
#include "gp/linear_mean.h"
#include "linalg/factor.h"

struct rm2i_evidence_bound {
    size_t N, Q, n, m, rows;
    rm2_latent_kind kind;
    rm2_context *ctx;
    double least, level;
    rm2i_linear_mean *mean;
    double *X, *lengthscale; /* N x Q, Q */
    double *factor, *W;      /* rows x rows: of T + c' I; scratch */
    double *memory;
};

static void lay_out(void *arg, rm2i_arena *a) {
    rm2i_evidence_bound *b = arg;
    b->X = rm2i_reserve(a, double, b->N, b->Q);
    b->lengthscale = rm2i_reserve(a, double, b->Q);
    b->factor = rm2i_reserve(a, double, b->rows, b->rows);
    b->W = rm2i_reserve(a, double, b->rows, b->rows);
}

static rm2_status build(rm2_context *ctx, const rm2i_evidence_data *d, size_t r,
                        const size_t *index, rm2i_evidence_bound *b) {
    const rm2i_linear_mean_data data = {d->N, d->Q, d->rows, d->m, d->F, r, index};
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, b, &b->memory));
    RM2_TRY(rm2i_linear_mean_create(ctx, &data, &b->mean));
    memcpy(b->X, d->X, d->N * d->Q * sizeof *b->X);
    RM2_TRY(rm2i_linear_mean_at(b->mean, b->X));
    b->level = rm2i_linear_mean_squares(b->mean) / ((double)b->n * (double)b->m) + d->least;
    return RM2_OK;
}

rm2_status rm2i_evidence_bound_create(rm2_context *ctx, const rm2i_evidence_data *d, size_t r,
                                      const size_t *index, rm2i_evidence_bound **bound) {
    rm2i_evidence_bound *b;
    *bound = NULL;
    RM2_TRY(rm2i_evidence_check(ctx, d));
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *b, &b));
    *b = (rm2i_evidence_bound){.N = d->N,
                               .Q = d->Q,
                               .n = d->N - 1 - d->Q,
                               .m = d->m,
                               .rows = d->rows,
                               .kind = d->kind,
                               .ctx = ctx,
                               .least = d->least};
    rm2_status status = build(ctx, d, r, index, b);
    if (status != RM2_OK) {
        rm2i_evidence_bound_free(b);
        return status;
    }
    *bound = b;
    return RM2_OK;
}

void rm2i_evidence_bound_free(rm2i_evidence_bound *b) {
    if (!b)
        return;
    rm2i_linear_mean_free(b->mean);
    free(b->memory);
    free(b);
}

size_t rm2i_evidence_bound_freedom(const rm2i_evidence_bound *b) {
    return b->n;
}

double rm2i_evidence_bound_level(const rm2i_evidence_bound *b) {
    return b->level;
}

double rm2i_evidence_bound_trace(const rm2i_evidence_bound *b) {
    return b->mean->inducing->trace;
}

/* ---- values --------------------------------------------------------------------------------- */

static rm2i_latent_kernel kernel_at(const rm2i_evidence_bound *b, const rm2i_evidence_at *at) {
    for (size_t q = 0; q < b->Q; q++)
        b->lengthscale[q] = at->lengthscale;
    return (rm2i_latent_kernel){b->kind, b->Q, b->lengthscale, at->variance, 0};
}

static double floored(const rm2i_evidence_bound *b, double c) {
    return c + (double)b->n * b->least;
}

static double half_freedom(const rm2i_evidence_bound *b, double nu) {
    return (nu + (double)(b->m + 1 + b->n)) / 2;
}

/* log|T + c' I| - (rows - m) log c' - m log c, with the factor kept */
static rm2_status log_ratio(rm2i_evidence_bound *b, double c, double *value) {
    double jitter, own = floored(b, c), m = (double)b->m;
    RM2_TRY(rm2i_factor(b->ctx, b->rows, b->mean->T, own, b->factor, &jitter));
    *value =
        rm2i_factor_log_det(b->rows, b->factor) - ((double)b->rows - m) * log(own) - m * log(c);
    return RM2_OK;
}

/* E from its two logarithms. */
static double combine(const rm2i_evidence_bound *b, const rm2i_evidence_at *at, double ratio,
                      double log_det, double *gamma_slope) {
    double n = (double)b->n, m = (double)b->m;
    return rm2i_evidence_gammas(b->n, b->m, at->weight, gamma_slope) -
           0.5 * n * m * log(RM2_PI * at->scale) - half_freedom(b, at->weight) * ratio -
           0.5 * m * log_det;
}

/* c tr((T + c' I)^-1) over the outputs that count */
static rm2_status scaled_trace(rm2i_evidence_bound *b, double c, double *trace) {
    size_t rows = b->rows;
    memcpy(b->W, b->factor, rows * rows * sizeof *b->W);
    RM2_TRY(rm2i_factor_invert(b->ctx, rows, b->W));
    *trace = -((double)rows - (double)b->m) * c / floored(b, c);
    for (size_t k = 0; k < rows; k++)
        *trace += c * b->W[k * rows + k];
    return RM2_OK;
}

/* Derivatives by the kernel, with W = (T + c' I)/(2 h). */
static rm2_status kernel_slopes(rm2i_evidence_bound *b, const rm2i_latent_kernel *kernel,
                                const rm2i_evidence_at *at, rm2i_evidence_at *slope) {
    double scale = 1 / sqrt(2 * half_freedom(b, at->weight));
    for (size_t k = 0; k < b->rows * b->rows; k++)
        b->W[k] = scale * b->factor[k];
    RM2_TRY(rm2i_linear_mean_backward(b->mean, kernel, b->X, b->W));
    slope->variance = at->variance * b->mean->variance;
    slope->lengthscale = 0;
    for (size_t q = 0; q < b->Q; q++)
        slope->lengthscale += at->lengthscale * b->mean->lengthscale[q];
    return RM2_OK;
}

rm2_status rm2i_evidence_bound_value(rm2i_evidence_bound *b, const rm2i_evidence_at *at,
                                     double *value, rm2i_evidence_at *slope) {
    double ratio, trace, gamma_slope, n = (double)b->n, m = (double)b->m;
    const rm2i_latent_kernel kernel = kernel_at(b, at);
    RM2_TRY(rm2i_linear_mean_solve(b->mean, &kernel, b->X, 1));
    RM2_TRY(log_ratio(b, at->scale, &ratio));
    *value = combine(b, at, ratio, b->mean->log_det, &gamma_slope) -
             0.5 * m * rm2i_evidence_bound_trace(b);
    if (!isfinite(*value))
        return RM2_ERR_NUMERIC;
    if (!slope)
        return RM2_OK;
    /* dE/dlog c = -n m/2 + h (m - c tr((T + c' I)^-1)) */
    RM2_TRY(scaled_trace(b, at->scale, &trace));
    slope->scale = -0.5 * n * m + half_freedom(b, at->weight) * (m - trace);
    slope->weight = at->weight * (gamma_slope - 0.5 * ratio);
    return kernel_slopes(b, &kernel, at, slope);
}

rm2_status rm2i_evidence_bound_upper(rm2i_evidence_bound *b, const rm2i_evidence_at *at,
                                     double *value) {
    double ratio, gamma_slope;
    const rm2i_latent_kernel kernel = kernel_at(b, at);
    RM2_TRY(rm2i_linear_mean_solve(b->mean, &kernel, b->X, 1));
    double log_det = b->mean->log_det, t = fmax(b->mean->inducing->trace, 0);
    RM2_TRY(rm2i_linear_mean_solve(b->mean, &kernel, b->X, 1 + t));
    RM2_TRY(log_ratio(b, at->scale, &ratio));
    *value = combine(b, at, ratio, log_det, &gamma_slope);
    return isfinite(*value) ? RM2_OK : RM2_ERR_NUMERIC;
}
