/* Points at equal steps along a trajectory. */
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "manifold/manifold.h"
#include "riemann2/trajectory.h"

/* Exp_p(s Log_p(q)) at t = k (n - 1)/(count - 1), p and q the points before and after, s the rest. */
static rm2_status interpolate(rm2_context *ctx, const rm2_manifold *m, size_t n,
                              const double *points, size_t count, double *out, double *work) {
    size_t D = m->ambient;
    double *before = rm2i_cut(&work, count * D), *after = rm2i_cut(&work, count * D),
           *c = rm2i_cut(&work, count * m->dim), *rest = work;
    for (size_t k = 0; k < count; k++) {
        double t = count > 1 ? (double)k * (double)(n - 1) / (double)(count - 1) : 0;
        size_t i = (size_t)t, next = i + 1 < n ? i + 1 : i;
        rest[k] = t - (double)i;
        memcpy(before + k * D, points + i * D, D * sizeof *before);
        memcpy(after + k * D, points + (rest[k] > 0 ? next : i) * D, D * sizeof *after);
    }
    RM2_TRY(rm2_manifold_log_coords(ctx, m, count, before, count, after, c));
    for (size_t i = 0; i < count * m->dim; i++)
        c[i] *= rest[i / m->dim];
    RM2_TRY(rm2_manifold_exp_coords(ctx, m, count, before, count, c, out));
    for (size_t k = 0; k < count; k++) /* points that are kept are kept exactly */
        if (rest[k] <= 0)
            memcpy(out + k * D, before + k * D, D * sizeof *out);
    return RM2_OK;
}

rm2_status rm2_trajectory_resample(rm2_context *ctx, const rm2_manifold *m, size_t n,
                                   const double *points, size_t count, double *out) {
    double *work;
    RM2_REQUIRE(ctx, m, points, out);
    if (n == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "no points to resample");
    RM2_TRY(rm2i_alloc(ctx, count, (2 * m->ambient + m->dim + 1) * sizeof *work, &work));
    rm2_status status = interpolate(ctx, m, n, points, count, out, work);
    free(work);
    return status;
}
