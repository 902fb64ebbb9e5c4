/* A CSV text that was dropped on the page, to latent points. */
#include <stdlib.h>
#include <string.h>

#include "core/columns.h"
#include "explore/explorer.h"

enum { ROW_LIMIT = 5000 };
static const char SOURCE[] = "the dropped file";

/* The columns of the points: those with the names that commands write, or all that have no other role. */
typedef struct dropped {
    const rm2_manifold *manifold;
    rm2_data_settings settings;
    column_list points;
    char *list; /* "x,y,...", or NULL */
} dropped;

static bool join_names(dropped *d) {
    size_t size = d->points.count * (COLUMN_NAME + 1) + 1, used = 0;
    d->list = malloc(size);
    for (size_t k = 0; d->list && k < d->points.count; k++)
        used +=
            (size_t)snprintf(d->list + used, size - used, "%s%s", k ? "," : "", d->points.list[k]);
    return d->list != NULL;
}

/* Columns of ids, labels and time are none of the points. */
static void find_roles(dropped *d, const rm2_table *header, rm2_csv_settings *csv) {
    static const char *const texts[] = {"demo", "label", "sample", "pair"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts && !csv->text; k++)
        if (rm2_table_column(header, texts[k]) != SIZE_MAX) {
            csv->text = &texts[k];
            csv->text_count = 1;
            d->settings.group = texts[k];
        }
    if (rm2_table_column(header, "time") != SIZE_MAX)
        d->settings.time = "time";
}

static size_t count_circles(const rm2_manifold *m) {
    size_t count = 0;
    for (size_t k = 0; k < rm2_manifold_factor_count(m); k++) {
        const rm2_factor *f = rm2_manifold_factor(m, k);
        count += f->geometry == &rm2_sphere && f->n == 1;
    }
    return count;
}

static rm2_status choose_columns(void *user, const rm2_table *header, rm2_csv_settings *csv) {
    dropped *d = user;
    if (columns_all(&d->points, header)) {
        csv->numeric = d->points.list;
        csv->numeric_count = d->points.count;
        d->settings.columns = join_names(d) ? d->list : NULL;
        return d->list ? RM2_OK : RM2_ERR_MEMORY;
    }
    find_roles(d, header, csv);
    size_t others = csv->text_count + (d->settings.time ? 1u : 0u);
    size_t circles = count_circles(d->manifold); /* one angle each instead of two entries? */
    d->settings.angles = circles > 0 && header->columns - others + circles == d->points.count;
    return RM2_OK;
}

static rm2_status parse(rm2_context *ctx, dropped *d, const char *text, size_t size,
                        rm2_data **data) {
    rm2_csv_settings csv = rm2_csv_settings_default();
    rm2_table table;
    if (!columns_of_points(&d->points, d->manifold))
        return RM2_ERR_MEMORY;
    csv.choose = choose_columns;
    csv.user = d;
    WORK_TRY(rm2_csv_parse(ctx, SOURCE, text, size, &csv, &table));
    rm2_status status = rm2_data_from_table(ctx, SOURCE, &table, &d->settings, data, NULL, NULL);
    rm2_table_clear(&table);
    return status;
}

/* Points in the units of the text, with the signs of the training data. */
static rm2_status read_text(const explorer *e, rm2_context *ctx, const char *text, size_t size,
                            rm2_data **data) {
    dropped d = {.manifold = e->info->manifold, .settings = rm2_data_settings_default()};
    rm2_data *read = NULL;
    d.settings.manifold = rm2_manifold_spec(d.manifold);
    d.settings.scale = RM2_SCALE_NONE;
    rm2_status status = parse(ctx, &d, text, size, &read);
    columns_free(&d.points);
    free(d.list);
    if (status == RM2_OK)
        status = rm2_data_align(ctx, read, e->info->data, data);
    rm2_data_free(read);
    return status;
}

static rm2_status encode(const explorer *e, rm2_context *ctx, const rm2_data *data, numbers *out) {
    size_t n = data->count;
    if (n > ROW_LIMIT)
        return rm2_context_fail(ctx, RM2_ERR_DATA,
                                "%s has %zu points; at most %d are encoded here, use riemann2 "
                                "encode for more",
                                SOURCE, n, ROW_LIMIT);
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
