/* Outputs of a model from its points: tangent coordinates at the base point, centred. */
#include <stdlib.h>

#include "base/base.h"
#include "fit/run.h"

/* Numbers of points, to be added up over all of them. */
typedef struct sum_job {
    size_t n, width; /* numbers of a point */
    const double *values;
    double divisor;
} sum_job;

static void add_values(const void *job, void *state) {
    const sum_job *j = job;
    double *sum = state;
    for (size_t i = 0; i < j->n; i++)
        for (size_t k = 0; k < j->width; k++)
            sum[k] += j->values[i * j->width + k] / j->divisor;
}

static rm2_status find_volume(rm2_context *ctx, const double *V, rm2_model *m) {
    double *volumes = NULL;
    rm2_status status = rm2i_alloc(ctx, m->N, sizeof *volumes, &volumes);
    if (status == RM2_OK)
        status = rm2_manifold_log_volume(ctx, m->manifold, m->N, V, volumes);
    status = rm2i_rows_agree(ctx, m->rows, status);
    if (status == RM2_OK)
        rm2i_rows_fold(m->rows, sizeof m->volume, &m->volume, add_values,
                       &(sum_job){m->N, 1, volumes, 1});
    free(volumes);
    return status;
}

rm2_status rm2i_find_outputs(rm2_context *ctx, rm2_model *m, double *V) {
    size_t N = m->N, M = m->M;
    rm2_status status = rm2i_model_outputs(ctx, m, N, m->data->points, V);
    if (status != RM2_OK)
        status = rm2i_fail_prefix(ctx, status, "tangent coordinates at the base point");
    RM2_TRY(rm2i_rows_agree(ctx, m->rows, status));
    if (m->settings.model == RM2_WGPLVM)
        RM2_TRY(find_volume(ctx, V, m));
    rm2i_rows_fold(m->rows, M * sizeof *m->mean, m->mean, add_values,
                   &(sum_job){N, M, V, (double)rm2i_rows_all(m->rows, N)});
    for (size_t n = 0; n < N; n++)
        for (size_t k = 0; k < M; k++) {
            V[n * M + k] -= m->mean[k];
            m->F[k * N + n] = V[n * M + k];
        }
    return RM2_OK;
}
