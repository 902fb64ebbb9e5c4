/* A CSV text that was dropped on the page, to latent points. */
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"

/* Columns that the model's points have, whatever else is in the table. */
static rm2_status read_text(const explorer *e, rm2_context *ctx, const http_request *request,
                            rm2_data **data) {
    rm2_csv_settings csv = rm2_csv_settings_default();
    rm2_data_settings s = rm2_data_settings_default();
    rm2_table table;
    s.manifold = rm2_manifold_spec(e->info->manifold);
    WORK_TRY(rm2_csv_parse(ctx, "the dropped file", request->body ? request->body : "",
                           request->size, &csv, &table));
    return rm2_data_from_table(ctx, "the dropped file", &table, &s, data, NULL, NULL);
}

rm2_status answer_encode(explorer *e, rm2_context *ctx, const http_request *request, numbers *out) {
    size_t Q = e->info->latent_dim;
    rm2_data *data;
    WORK_TRY(read_text(e, ctx, request, &data));
    size_t n = data->count;
    double *latents = malloc((n * Q + 1) * sizeof *latents);
    rm2_encoded *info = malloc((n + 1) * sizeof *info);
    out->values = malloc((n * (Q + 1) + 1) * sizeof *out->values);
    out->count = n * (Q + 1);
    rm2_status status = latents && info && out->values ? RM2_OK : RM2_ERR_MEMORY;
    if (status == RM2_OK)
        status = rm2_model_encode(ctx, e->model, NULL, n, data->points, latents, NULL, info);
    for (size_t i = 0; i < n && status == RM2_OK; i++) {
        memcpy(out->values + i * (Q + 1), latents + i * Q, Q * sizeof *latents);
        out->values[i * (Q + 1) + Q] = info[i].residual;
    }
    free(latents);
    free(info);
    rm2_data_free(data);
    return status;
}
