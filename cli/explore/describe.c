/* The model as the page needs it: JSON, with every text escaped. */
#include <stdlib.h>

#include "explore/explorer.h"

static void put_factors(rm2_json *json, const rm2_manifold *m) {
    rm2_json_array(json, "factors");
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        rm2_json_record(json, NULL, RM2_TEXT("name", f->geometry->name), RM2_COUNT("n", f->n),
                        RM2_COUNT("dim", f->dim), RM2_COUNT("ambient", f->ambient),
                        RM2_COUNT("offset", f->ambient_offset));
    }
    rm2_json_end(json);
    rm2_json_array(json, "columns");
    for (size_t k = 0; k < rm2_manifold_ambient(m); k++) {
        char name[NAME_SIZE];
        rm2_data_column_name(m, k, name, sizeof name);
        rm2_json_put(json, RM2_TEXT(NULL, name));
    }
    rm2_json_end(json);
}

static void put_trajectories(rm2_json *json, const rm2_data *d) {
    rm2_json_array(json, "trajectories");
    for (size_t t = 0; t < d->trajectories; t++) {
        rm2_json_record(json, NULL, RM2_TEXT("id", d->ids[t]), RM2_COUNT("start", d->starts[t]),
                        RM2_COUNT("count", d->starts[t + 1] - d->starts[t]));
    }
    rm2_json_end(json);
    rm2_json_texts(json, "labelNames", d->labels ? d->label_count : 0,
                   (const char *const *)d->label_names);
    rm2_json_counts(json, "labels", d->labels ? d->count : 0, d->labels);
}

/* Where the latents are, a tenth wider. */
static void put_box(rm2_json *json, const rm2_model_info *i) {
    rm2_json_array(json, "box");
    for (size_t q = 0; q < i->latent_dim; q++) {
        double low = i->latents[q], high = low;
        for (size_t n = 1; n < i->points; n++) {
            double x = i->latents[n * i->latent_dim + q];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        double margin = high > low ? 0.12 * (high - low) : 1;
        rm2_json_numbers(json, NULL, 2, (const double[]){low - margin, high + margin});
    }
    rm2_json_end(json);
}

static void put_all(FILE *out, const explorer *e) {
    const rm2_model_info *i = e->info;
    rm2_json json = rm2_json_begin(out);
    rm2_json_put(&json, RM2_TEXT("file", e->file), RM2_TEXT("version", rm2_version()),
                 RM2_TEXT("manifold", rm2_manifold_spec(i->manifold)));
    put_factors(&json, i->manifold);
    rm2_json_put(&json, RM2_COUNT("latentDim", i->latent_dim), RM2_COUNT("points", i->points),
                 RM2_COUNT("ambient", rm2_manifold_ambient(i->manifold)));
    put_trajectories(&json, i->data);
    rm2_json_numbers(&json, "scale", rm2_manifold_factor_count(i->manifold), i->data->scale);
    put_box(&json, i);
    rm2_json_put(&json, RM2_TEXT("arm", e->player.name),
                 RM2_FLAG("obstacles", explorer_position(e)),
                 RM2_FLAG("poses", i->settings->model == RM2_WGPLVM),
                 RM2_NUMBER("contrast", e->settings.contrast));
    rm2_json_end(&json);
}

rm2_status explorer_describe(rm2_context *ctx, const explorer *e, char **text) {
    size_t size;
    rm2_writer *stream;
    *text = NULL;
    rm2_status status = rm2_writer_open_memory(ctx, &stream);
    if (status != RM2_OK)
        return status;
    put_all(rm2_writer_stream(stream), e);
    return rm2_writer_consume(ctx, stream, text, &size);
}
