/* Drafts of data sets, and the data set object made of one: a public view, what it points to, and a
 * count of references. */
#include "data/data.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- drafts --------------------------------------------------------------------------------- */

void rm2i_draft_clear(rm2i_draft *d) {
    rm2_manifold_free(d->manifold);
    free(d->source);
    free(d->points);
    free(d->rows);
    free(d->starts);
    rm2i_texts_free(d->ids, d->trajectories);
    free(d->time);
    free(d->labels);
    rm2i_texts_free(d->label_names, d->label_count);
    free(d->scale);
    free(d->singular_at);
    *d = (rm2i_draft){.count = 0};
}

rm2_status rm2i_number_names(rm2_context *ctx, size_t first, size_t count, char **names) {
    for (size_t i = 0; i < count; i++) {
        char name[24];
        (void)snprintf(name, sizeof name, "%zu", first + i);
        RM2_TRY(rm2i_strdup(ctx, name, &names[i]));
    }
    return RM2_OK;
}

static rm2_status fill(rm2_context *ctx, const char *source, rm2i_draft *d) {
    size_t factors = rm2_manifold_factor_count(d->manifold);
    size_t ambient = rm2_manifold_ambient(d->manifold);
    RM2_TRY(rm2i_strdup(ctx, source, &d->source));
    RM2_TRY(rm2i_calloc(ctx, d->count, ambient * sizeof *d->points, &d->points));
    RM2_TRY(rm2i_alloc(ctx, d->count, sizeof *d->rows, &d->rows));
    for (size_t i = 0; i < d->count; i++)
        d->rows[i] = i;
    RM2_TRY(rm2i_alloc(ctx, factors, sizeof *d->scale, &d->scale));
    for (size_t i = 0; i < factors; i++)
        d->scale[i] = 1;
    if (d->trajectories == 0)
        return RM2_OK;
    RM2_TRY(rm2i_calloc(ctx, d->trajectories + 1, sizeof *d->starts, &d->starts));
    RM2_TRY(rm2i_calloc(ctx, d->trajectories, sizeof *d->ids, &d->ids));
    return rm2i_number_names(ctx, 0, d->trajectories, d->ids);
}

rm2_status rm2i_draft_create(rm2_context *ctx, const rm2_manifold *manifold, const char *source,
                             size_t count, size_t trajectories, rm2i_draft *draft) {
    *draft = (rm2i_draft){.manifold = rm2_manifold_retain(manifold),
                          .count = count,
                          .row_word = "point",
                          .trajectories = trajectories};
    rm2_status status = fill(ctx, source, draft);
    if (status != RM2_OK)
        rm2i_draft_clear(draft);
    return status;
}

rm2_status rm2i_draft_set_labels(rm2_context *ctx, rm2i_draft *d, size_t label_count,
                                 const char *const *names) {
    RM2_TRY(rm2i_calloc(ctx, d->count, sizeof *d->labels, &d->labels));
    RM2_TRY(rm2i_calloc(ctx, label_count, sizeof *d->label_names, &d->label_names));
    d->label_count = label_count;
    for (size_t i = 0; i < label_count; i++)
        RM2_TRY(rm2i_strdup(ctx, names[i], &d->label_names[i]));
    return RM2_OK;
}

rm2_status rm2i_draft_set_time(rm2_context *ctx, rm2i_draft *d) {
    return rm2i_calloc(ctx, d->count, sizeof *d->time, &d->time);
}

static rm2_status copy_into(rm2_context *ctx, const rm2_data *data, rm2i_draft *d) {
    size_t n = data->count;
    memcpy(d->points, data->points, n * rm2_manifold_ambient(data->manifold) * sizeof *d->points);
    memcpy(d->rows, data->rows, n * sizeof *d->rows);
    memcpy(d->scale, data->scale, rm2_manifold_factor_count(data->manifold) * sizeof *d->scale);
    d->row_word = data->row_word;
    d->shrinkage = data->shrinkage;
    d->singular = data->singular;
    d->singular_row = data->singular_row;
    for (size_t t = 0; t < data->trajectories; t++) {
        d->starts[t + 1] = data->starts[t + 1];
        free(d->ids[t]);
        d->ids[t] = NULL;
        RM2_TRY(rm2i_strdup(ctx, data->ids[t], &d->ids[t]));
    }
    if (data->time) {
        RM2_TRY(rm2i_draft_set_time(ctx, d));
        memcpy(d->time, data->time, n * sizeof *d->time);
    }
    if (data->labels) {
        RM2_TRY(rm2i_draft_set_labels(ctx, d, data->label_count, data->label_names));
        memcpy(d->labels, data->labels, n * sizeof *d->labels);
    }
    return RM2_OK;
}

rm2_status rm2i_draft_copy(rm2_context *ctx, const rm2_data *data, rm2i_draft *draft) {
    RM2_TRY(rm2i_draft_create(ctx, data->manifold, data->source, data->count, data->trajectories,
                              draft));
    rm2_status status = copy_into(ctx, data, draft);
    if (status != RM2_OK)
        rm2i_draft_clear(draft);
    return status;
}

rm2_data rm2i_draft_view(const rm2i_draft *d) {
    return (rm2_data){
        .manifold = d->manifold,
        .source = d->source,
        .count = d->count,
        .points = d->points,
        .rows = d->rows,
        .row_word = d->row_word,
        .trajectories = d->trajectories,
        .starts = d->starts,
        .ids = (const char *const *)d->ids,
        .time = d->time,
        .labels = d->labels,
        .label_names = (const char *const *)d->label_names,
        .label_count = d->label_count,
        .scale = d->scale,
        .shrinkage = d->shrinkage,
        .singular = d->singular,
        .singular_row = d->singular_row,
    };
}

/* ---- the object ----------------------------------------------------------------------------- */

typedef struct object {
    rm2_data view; /* first: the address of both is the same */
    rm2i_draft owned;
    atomic_size_t references;
} object;

static size_t count_missing(const rm2i_draft *d) {
    size_t missing = 0, entries = d->count * rm2_manifold_ambient(d->manifold);
    for (size_t i = 0; i < entries; i++)
        missing += isnan(d->points[i]) ? 1 : 0;
    return missing;
}

rm2_status rm2i_draft_finish(rm2_context *ctx, rm2i_draft *draft, rm2_data **data) {
    object *o;
    *data = NULL;
    RM2_TRY(rm2i_alloc(ctx, 1, sizeof *o, &o));
    o->view = rm2i_draft_view(draft);
    o->view.missing = count_missing(draft);
    o->owned = *draft;
    atomic_init(&o->references, 1);
    *draft = (rm2i_draft){.count = 0};
    *data = &o->view;
    return RM2_OK;
}

rm2_data *rm2_data_retain(const rm2_data *data) {
    object *o = (object *)(void *)data; /* the count alone changes */
    if (!o)
        return NULL;
    atomic_fetch_add_explicit(&o->references, 1, memory_order_relaxed);
    return &o->view;
}

void rm2_data_free(rm2_data *data) {
    object *o = (object *)(void *)data;
    if (!o || atomic_fetch_sub_explicit(&o->references, 1, memory_order_acq_rel) > 1)
        return;
    rm2i_draft_clear(&o->owned);
    free(o);
}

/* ---- places --------------------------------------------------------------------------------- */

rm2i_input_place rm2i_data_place(const rm2_data *data, size_t point) {
    rm2i_input_place place;
    size_t trajectory = 0;
    while (data->starts && data->starts[trajectory + 1] <= point)
        trajectory++;
    if (data->starts && strcmp(data->row_word, "line") != 0)
        (void)snprintf(place.text, sizeof place.text, "%s %zu (trajectory %.24s, point %zu)",
                       data->row_word, data->rows[point], data->ids[trajectory],
                       point - data->starts[trajectory]);
    else
        (void)snprintf(place.text, sizeof place.text, "%s %zu", data->row_word, data->rows[point]);
    return place;
}

rm2_status rm2i_data_complete(rm2_context *ctx, const rm2_data *data, const char *what) {
    size_t ambient = rm2_manifold_ambient(data->manifold), i = 0;
    if (data->missing == 0)
        return RM2_OK;
    while (!isnan(data->points[i]))
        i++;
    return rm2i_fail(ctx, RM2_ERR_DATA,
                     "%s, %s: entry %zu (counted from 0) is missing; %s all of them", data->source,
                     rm2i_data_place(data, i / ambient).text, i % ambient, what);
}

rm2_status rm2i_data_regular(rm2_context *ctx, const rm2_data *data) {
    if (data->singular == 0)
        return RM2_OK;
    return rm2i_fail(
        ctx, RM2_ERR_DATA,
        "%s: %zu matri%s singular within rounding, the first in %s %zu: distances from "
        "such matrices are infinite; regularise them with settings.shrinkage, such as 0.01, or "
        "estimate "
        "them anew from the signals with a shrinkage estimator (lwf, oas)",
        data->source, data->singular, data->singular == 1 ? "x is" : "ces are", data->row_word,
        data->singular_row);
}
