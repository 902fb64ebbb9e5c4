/* The restricted likelihood of latents by inducing points. */
#include "gp/restricted_bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "gp/linear_mean.h"

struct rm2i_restricted_bound {
    rm2i_restricted_data d;
    rm2i_linear_mean *mean;
    double *W; /* rows x rows: sqrt e I */
};

rm2_status rm2i_restricted_bound_create(rm2_context *ctx, const rm2i_restricted_data *d, size_t r,
                                        const size_t *index, rm2i_restricted_bound **bound) {
    rm2i_restricted_bound *b;
    const rm2i_linear_mean_data data = {d->N, d->Q, d->rows, d->M, d->F, r, index};
    *bound = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *b, &b));
    b->d = *d;
    rm2_status status = rm2i_linear_mean_create(ctx, &data, &b->mean);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, d->rows * d->rows, sizeof *b->W, &b->W);
    if (status != RM2_OK) {
        rm2i_restricted_bound_free(b);
        return status;
    }
    for (size_t k = 0; k < d->rows; k++)
        b->W[k * (d->rows + 1)] = sqrt(d->variance);
    *bound = b;
    return RM2_OK;
}

void rm2i_restricted_bound_free(rm2i_restricted_bound *b) {
    if (!b)
        return;
    rm2i_linear_mean_free(b->mean);
    free(b->W);
    free(b);
}

rm2_status rm2i_restricted_bound_value(rm2i_restricted_bound *b, const double *X, double *value,
                                       double *X_bar) {
    const rm2i_restricted_data *d = &b->d;
    rm2i_linear_mean *mean = b->mean;
    size_t entries = d->N * d->Q;
    double trace = 0, square = 0;
    RM2_TRY(rm2i_linear_mean_at(mean, X));
    RM2_TRY(rm2i_linear_mean_solve(mean, &d->kernel, X, 1));
    for (size_t k = 0; k < d->rows; k++)
        trace += mean->T[k * (d->rows + 1)];
    RM2_TRY(rm2i_linear_mean_backward(mean, &d->kernel, X, b->W));
    rm2i_linear_mean_move(mean);
    memcpy(X_bar, mean->X_bar, entries * sizeof *X_bar);
    for (size_t i = 0; i < entries; i++) {
        double off = X[i] - d->X0[i];
        square += off * off;
        X_bar[i] -= d->precision * off;
    }
    double dets = (double)d->M * (mean->log_det + mean->inducing->trace);
    *value = -0.5 * (trace / d->variance + dets + d->precision * square);
    return isfinite(*value) ? RM2_OK : RM2_ERR_NUMERIC;
}
