#include "train/motion_scale.h"

#include <math.h>
#include <stdlib.h>

#include "base/base.h"
#include "math/order.h"

static const double PER_LENGTH = 1.0 / 12, USUAL = 0.4;

/* Latent length of trajectory t. */
static double length_of(const rm2i_model_problem *p, size_t t) {
    double length = 0;
    for (size_t i = p->starts[t]; i + 1 < p->starts[t + 1]; i++) {
        double square = 0;
        for (size_t q = 0; q < p->Q; q++)
            square += pow(p->X0[(i + 1) * p->Q + q] - p->X0[i * p->Q + q], 2);
        length += sqrt(square);
    }
    return length;
}

rm2_status rm2i_motion_scale(rm2_context *ctx, const rm2_fit_settings *s,
                             const rm2i_model_problem *p, double *scale) {
    const rm2i_rows points = p->rows ? *p->rows : rm2i_rows_alone(p->N, p->trajectories, p->starts);
    const rm2i_rows rows = rm2i_rows_of_trajectories(&points);
    bool along = s->init == RM2_INIT_ALIGNED || s->init == RM2_INIT_ISOMAP;
    double *own, *lengths, median = 0;
    *scale = USUAL * sqrt((double)p->Q / 2);
    if (!along || rows.all == 0)
        return RM2_OK;
    RM2_TRY(rm2i_rows_alloc(ctx, &rows, rows.n + rows.all, sizeof *own, &own));
    lengths = own + rows.n;
    for (size_t t = 0; t < rows.n; t++)
        own[t] = length_of(p, t);
    rm2i_rows_gather(&rows, 1, own, lengths);
    if (rm2i_rows_root(&rows))
        median = rm2i_median(rows.all, lengths);
    rm2i_rows_broadcast(&rows, &median, sizeof median);
    free(own);
    if (median > 0 && isfinite(median))
        *scale = PER_LENGTH * median;
    return RM2_OK;
}
