/* Two data sets as one, in the units of the first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"

enum { ID_SIZE = 400 };

static rm2_status check_roles(rm2_context *ctx, const rm2_data *a, const rm2_data *b) {
    const char *first = a->source, *second = b->source;
    if (!rm2_manifold_equal(a->manifold, b->manifold))
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s is on %s, %s on %s", first,
                         rm2_manifold_spec(a->manifold), second, rm2_manifold_spec(b->manifold));
    if ((a->trajectories > 0) != (b->trajectories > 0))
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s has trajectories and %s has none; name the column of trajectory ids "
                         "with settings.group",
                         a->trajectories ? first : second, a->trajectories ? second : first);
    if (a->labels && !b->labels)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s has labels and %s has none; name their column with settings.label",
                         first, second);
    if (a->time && !b->time)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s has times and %s has none; name their column with settings.time",
                         first, second);
    if (a->shrinkage != b->shrinkage)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s was read with a shrinkage of %g, %s with %g; read it with "
                         "settings.shrinkage %g",
                         first, a->shrinkage, second, b->shrinkage, a->shrinkage);
    return RM2_OK;
}

static size_t find_text(size_t count, const char *const *texts, const char *text) {
    size_t k = 0;
    while (k < count && strcmp(texts[k], text) != 0)
        k++;
    return k;
}

/* ---- trajectories ---------------------------------------------------------------------------- */

/* An id that is there already gets its source in front. */
static rm2_status join_id(rm2_context *ctx, const rm2_data *b, size_t t, size_t before,
                          rm2i_draft *d) {
    char id[ID_SIZE];
    const char *const *ids = (const char *const *)d->ids;
    (void)snprintf(id, sizeof id, "%s", b->ids[t]);
    if (find_text(before, ids, id) < before)
        (void)snprintf(id, sizeof id, "%.200s:%.190s", b->source, b->ids[t]);
    if (find_text(before, ids, id) < before)
        return rm2i_fail(ctx, RM2_ERR_DATA, "trajectory \"%.60s\" of %s exists already; rename it",
                         b->ids[t], b->source);
    free(d->ids[before]);
    d->ids[before] = NULL;
    return rm2i_strdup(ctx, id, &d->ids[before]);
}

static rm2_status join_trajectories(rm2_context *ctx, const rm2_data *a, const rm2_data *b,
                                    rm2i_draft *d) {
    for (size_t t = 0; t < a->trajectories; t++) {
        d->starts[t + 1] = a->starts[t + 1];
        free(d->ids[t]);
        d->ids[t] = NULL;
        RM2_TRY(rm2i_strdup(ctx, a->ids[t], &d->ids[t]));
    }
    for (size_t t = 0; t < b->trajectories; t++) {
        d->starts[a->trajectories + t + 1] = a->count + b->starts[t + 1];
        RM2_TRY(join_id(ctx, b, t, a->trajectories + t, d));
    }
    return RM2_OK;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* Names of the first set, then those that only the second has. */
static rm2_status join_labels(rm2_context *ctx, const rm2_data *a, const rm2_data *b,
                              rm2i_draft *d) {
    const char **names;
    size_t count = a->label_count;
    if (!a->labels)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, count + b->label_count, sizeof(void *), &names));
    memcpy(names, a->label_names, count * sizeof(void *));
    for (size_t k = 0; k < b->label_count; k++)
        if (find_text(count, names, b->label_names[k]) == count)
            names[count++] = b->label_names[k];
    rm2_status status = rm2i_draft_set_labels(ctx, d, count, names);
    for (size_t i = 0; status == RM2_OK && i < d->count; i++)
        d->labels[i] = i < a->count
                           ? a->labels[i]
                           : find_text(count, names, b->label_names[b->labels[i - a->count]]);
    free(names);
    return status;
}

/* ---- points ---------------------------------------------------------------------------------- */

static rm2_status join_points(rm2_context *ctx, const rm2_data *a, const rm2_data *b,
                              rm2i_draft *d) {
    size_t width = rm2_manifold_ambient(a->manifold);
    double *own = d->points + a->count * width;
    memcpy(d->points, a->points, a->count * width * sizeof *own);
    rm2_data_original(b, own);
    rm2i_data_scale(a, b->count, own);
    memcpy(d->rows, a->rows, a->count * sizeof *d->rows);
    memcpy(d->rows + a->count, b->rows, b->count * sizeof *d->rows);
    memcpy(d->scale, a->scale, rm2_manifold_factor_count(a->manifold) * sizeof *d->scale);
    d->row_word = "row";
    d->shrinkage = a->shrinkage;
    d->singular = a->singular ? a->singular : b->singular;
    d->singular_row = a->singular ? a->singular_row : b->singular_row;
    if (!a->time)
        return RM2_OK;
    RM2_TRY(rm2i_draft_set_time(ctx, d));
    memcpy(d->time, a->time, a->count * sizeof *d->time);
    memcpy(d->time + a->count, b->time, b->count * sizeof *d->time);
    return RM2_OK;
}

rm2_status rm2i_data_join(rm2_context *ctx, const rm2_data *a, const rm2_data *b, rm2_data **both) {
    rm2i_draft d = {0};
    RM2_TRY(check_roles(ctx, a, b));
    RM2_TRY(rm2i_draft_create(ctx, a->manifold, a->source, a->count + b->count,
                              a->trajectories + b->trajectories, &d));
    rm2_status status = join_points(ctx, a, b, &d);
    if (status == RM2_OK)
        status = join_trajectories(ctx, a, b, &d);
    if (status == RM2_OK)
        status = join_labels(ctx, a, b, &d);
    if (status == RM2_OK)
        status = rm2i_draft_finish(ctx, &d, both);
    rm2i_draft_clear(&d); /* empty unless something failed */
    return status;
}
