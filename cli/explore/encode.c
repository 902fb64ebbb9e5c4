/* A CSV text that was dropped on the page, to latent points. */
#include <stdlib.h>
#include <string.h>

#include "explore/explorer.h"

enum { ROW_LIMIT = 5000 };

/* Points in the units of the text, with the signs of the training data. */
static rm2_status read_text(const explorer *e, rm2_context *ctx, const char *text, size_t size,
                            rm2_data **data) {
    static const char name[] = "the dropped file";
    rm2_csv_settings csv = rm2_csv_settings_default();
    rm2_data_settings s = rm2_data_settings_default();
    rm2_data *read;
    rm2_table table;
    s.manifold = rm2_manifold_spec(e->info->manifold);
    s.scale = RM2_SCALE_NONE;
    WORK_TRY(rm2_csv_parse(ctx, name, text, size, &csv, &table));
    WORK_TRY(rm2_data_from_table(ctx, name, &table, &s, &read, NULL, NULL));
    rm2_status status = rm2_data_align(ctx, read, e->info->data, data);
    rm2_data_free(read);
    return status;
}

static rm2_status encode(const explorer *e, rm2_context *ctx, const rm2_data *data, numbers *out) {
    size_t n = data->count;
    if (n > ROW_LIMIT)
        return rm2_context_fail(ctx, RM2_ERR_DATA,
                                "the dropped file has %zu rows; at most %d are encoded here, use "
                                "riemann2 encode for more",
                                n, ROW_LIMIT);
    WORK_TRY(numbers_make(n * e->info->latent_dim, out));
    return rm2_model_encode(ctx, e->model, NULL, n, data->points, out->values, NULL, NULL);
}

rm2_status answer_encode(explorer *e, rm2_context *ctx, const char *text, size_t size,
                         numbers *out) {
    rm2_data *data;
    WORK_TRY(read_text(e, ctx, text, size, &data));
    rm2_status status = encode(e, ctx, data, out);
    rm2_data_free(data);
    return status;
}
