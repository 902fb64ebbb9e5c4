/* The model as the page needs it: JSON, with every text escaped. */
#include <stdlib.h>

#include "explore/explorer.h"

static void put_factors(FILE *out, const rm2_manifold *m) {
    (void)fprintf(out, ", \"factors\": [");
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        (void)fprintf(out, "%s{\"name\": ", k ? ", " : "");
        json_text(out, f->geometry->name);
        (void)fprintf(out, ", \"n\": %zu, \"dim\": %zu, \"ambient\": %zu, \"offset\": %zu}", f->n,
                      f->dim, f->ambient, f->ambient_offset);
    }
    (void)fprintf(out, "], \"columns\": [");
    for (size_t k = 0; k < rm2_manifold_ambient(m); k++) {
        char name[NAME_SIZE];
        rm2_data_column_name(m, k, name, sizeof name);
        (void)fprintf(out, "%s", k ? ", " : "");
        json_text(out, name);
    }
    (void)fprintf(out, "]");
}

static void put_trajectories(FILE *out, const rm2_data *d) {
    (void)fprintf(out, ", \"trajectories\": [");
    for (size_t t = 0; t < d->trajectories; t++) {
        (void)fprintf(out, "%s{\"id\": ", t ? ", " : "");
        json_text(out, d->ids[t]);
        (void)fprintf(out, ", \"start\": %zu, \"count\": %zu}", d->starts[t],
                      d->starts[t + 1] - d->starts[t]);
    }
    (void)fprintf(out, "], \"labelNames\": [");
    for (size_t k = 0; d->labels && k < d->label_count; k++) {
        (void)fprintf(out, "%s", k ? ", " : "");
        json_text(out, d->label_names[k]);
    }
    (void)fprintf(out, "], \"labels\": [");
    for (size_t i = 0; d->labels && i < d->count; i++)
        (void)fprintf(out, "%s%zu", i ? "," : "", d->labels[i]);
    (void)fprintf(out, "]");
}

/* Where the latents are, a tenth wider. */
static void put_box(FILE *out, const rm2_model_info *i) {
    (void)fprintf(out, ", \"box\": [");
    for (size_t q = 0; q < i->latent_dim; q++) {
        double low = i->latents[q], high = low;
        for (size_t n = 1; n < i->points; n++) {
            double x = i->latents[n * i->latent_dim + q];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        double margin = high > low ? 0.12 * (high - low) : 1;
        (void)fprintf(out, "%s[", q ? ", " : "");
        json_number(out, low - margin);
        (void)fprintf(out, ", ");
        json_number(out, high + margin);
        (void)fprintf(out, "]");
    }
    (void)fprintf(out, "]");
}

static void put_all(FILE *out, const explorer *e) {
    const rm2_model_info *i = e->info;
    (void)fprintf(out, "{\"file\": ");
    json_text(out, e->file);
    (void)fprintf(out, ", \"version\": \"%s\", \"manifold\": ", rm2_version());
    json_text(out, rm2_manifold_spec(i->manifold));
    put_factors(out, i->manifold);
    (void)fprintf(out, ", \"latentDim\": %zu, \"points\": %zu, \"ambient\": %zu", i->latent_dim,
                  i->points, rm2_manifold_ambient(i->manifold));
    put_trajectories(out, i->data);
    (void)fprintf(out, ", \"scale\": [");
    for (size_t k = 0; k < rm2_manifold_factor_count(i->manifold); k++) {
        (void)fprintf(out, "%s", k ? ", " : "");
        json_number(out, i->data->scale[k]);
    }
    (void)fprintf(out, "]");
    put_box(out, i);
    (void)fprintf(out, ", \"arm\": ");
    if (e->player.name)
        json_text(out, e->player.name);
    else
        (void)fprintf(out, "null");
    (void)fprintf(out, ", \"obstacles\": %s", explorer_position(e) ? "true" : "false");
    (void)fprintf(out, ", \"poses\": %s", i->settings->model == RM2_WGPLVM ? "true" : "false");
    json_field(out, "contrast", e->settings.contrast);
    (void)fprintf(out, "}");
}

rm2_status explorer_describe(rm2_context *ctx, const explorer *e, char **text) {
    size_t size;
    rm2_writer *stream;
    *text = NULL;
    rm2_status status = rm2_writer_open_memory(ctx, &stream);
    if (status != RM2_OK)
        return status;
    put_all(rm2_writer_stream(stream), e);
    return rm2_writer_take(ctx, stream, text, &size);
}
