/* Two factors, two inverses; only lower triangles are touched. */
#include "gp/dual.h"

#include <math.h>

#include "base/base.h"
#include "linalg/factor.h"
#include "linalg/serial.h"
#include "math/special.h"

void rm2i_dual_prepare(rm2i_dual *d, const double *F) {
    rm2i_gram_product(d->ctx, &(rm2i_gram){d->N, d->M, F, 1 / d->c, 0}, d->T);
}

/* K + T, lower triangle. */
static void add_outputs(const rm2i_dual *d, const double *K) {
    for (size_t i = 0; i < d->N; i++)
        for (size_t j = 0; j <= i; j++)
            d->sum[i * d->N + j] = K[i * d->N + j] + d->T[i * d->N + j];
}

/* L = A^-1 becomes A_bar, C is C^-1; returns tr(C^-1 T). */
static double backward(const rm2i_dual *d, double *L) {
    double n = d->n, rest = d->n - (double)d->M, trace = 0;
    for (size_t i = 0; i < d->N; i++) {
        const double *C = d->C + i * d->N, *T = d->T + i * d->N;
        double *row = L + i * d->N, below = 0;
        for (size_t j = 0; j < i; j++)
            below += C[j] * T[j];
        trace += 2 * below + C[i] * T[i];
        for (size_t j = 0; j <= i; j++)
            row[j] = 0.5 * (rest * row[j] - n * C[j]);
    }
    return trace;
}

rm2_status rm2i_dual_solve(rm2i_dual *d, const double *K, double noise, double *L) {
    double N = (double)d->N, M = (double)d->M, log_det_A, more;
    RM2_TRY(rm2i_factor(d->ctx, d->N, K, noise, L, &d->jitter));
    add_outputs(d, K);
    RM2_TRY(rm2i_factor(d->ctx, d->N, d->sum, noise + d->jitter, d->C, &more));
    log_det_A = rm2i_factor_log_det(d->N, L);
    d->log_det_Kf = M * log(d->c / d->n) + rm2i_factor_log_det(d->N, d->C) - log_det_A;
    RM2_TRY(rm2i_factor_invert(d->ctx, d->N, L));
    RM2_TRY(rm2i_factor_invert(d->ctx, d->N, d->C));
    d->trace = d->n * backward(d, L);
    d->value = -0.5 * (d->trace + M * log_det_A + N * d->log_det_Kf + N * M * RM2I_LOG_2PI);
    return RM2_OK;
}
