/* Parts of a data set: evenly spaced points, whole trajectories set aside. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"

/* A new data set of the points `keep` (ascending), which come from the trajectories `from`. */
typedef struct choice {
    size_t *keep, count;
    size_t *from, *lengths, trajectories;
} choice;

static void choice_free(choice *c) {
    free(c->keep);
    free(c->from);
    free(c->lengths);
}

static rm2_status choice_create(rm2_context *ctx, const rm2i_draft *data, choice *c) {
    *c = (choice){.count = 0};
    RM2_TRY(rm2i_alloc(ctx, data->count, sizeof *c->keep, &c->keep));
    RM2_TRY(rm2i_alloc(ctx, data->trajectories, sizeof *c->from, &c->from));
    return rm2i_alloc(ctx, data->trajectories, sizeof *c->lengths, &c->lengths);
}

static rm2_status copy_trajectories(rm2_context *ctx, const rm2i_draft *data, const choice *c,
                                    rm2i_draft *part) {
    for (size_t t = 0; t < c->trajectories; t++) {
        part->starts[t + 1] = part->starts[t] + c->lengths[t];
        free(part->ids[t]);
        part->ids[t] = NULL;
        RM2_TRY(rm2i_strdup(ctx, data->ids[c->from[t]], &part->ids[t]));
    }
    return RM2_OK;
}

/* Those among the points that are kept. */
static rm2_status copy_singular(rm2_context *ctx, const rm2i_draft *data, const choice *c,
                                rm2i_draft *part) {
    RM2_TRY(rm2i_calloc(ctx, c->count, sizeof *part->singular_at, &part->singular_at));
    for (size_t i = 0; i < c->count; i++) {
        part->singular_at[i] = data->singular_at[c->keep[i]];
        if (part->singular_at[i] && part->singular == 0)
            part->singular_row = part->rows[i];
        part->singular += part->singular_at[i];
    }
    return RM2_OK;
}

static rm2_status copy_points(rm2_context *ctx, const rm2i_draft *data, const choice *c,
                              rm2i_draft *part) {
    size_t ambient = rm2_manifold_ambient(data->manifold);
    if (data->time)
        RM2_TRY(rm2i_draft_set_time(ctx, part));
    if (data->labels)
        RM2_TRY(rm2i_draft_set_labels(ctx, part, data->label_count,
                                      (const char *const *)data->label_names));
    for (size_t i = 0; i < c->count; i++) {
        size_t k = c->keep[i];
        memcpy(part->points + i * ambient, data->points + k * ambient, ambient * sizeof(double));
        part->rows[i] = data->rows[k];
        if (data->time)
            part->time[i] = data->time[k];
        if (data->labels)
            part->labels[i] = data->labels[k];
    }
    part->row_word = data->row_word;
    part->shrinkage = data->shrinkage;
    if (data->singular_at)
        RM2_TRY(copy_singular(ctx, data, c, part));
    memcpy(part->scale, data->scale,
           rm2_manifold_factor_count(data->manifold) * sizeof *part->scale);
    return RM2_OK;
}

static rm2_status extract(rm2_context *ctx, const rm2i_draft *data, const choice *c,
                          rm2i_draft *part) {
    RM2_TRY(rm2i_draft_create(ctx, data->manifold, data->source, c->count, c->trajectories, part));
    rm2_status status = copy_trajectories(ctx, data, c, part);
    if (status == RM2_OK)
        status = copy_points(ctx, data, c, part);
    if (status != RM2_OK)
        rm2i_draft_clear(part);
    return status;
}

/* Indices round(k (length - 1)/(thin - 1)), halves to even. */
static void choose_evenly(const rm2i_draft *data, size_t t, size_t thin, choice *c) {
    size_t start = data->starts[t], length = data->starts[t + 1] - start;
    size_t kept = thin < length ? thin : length;
    for (size_t k = 0; k < kept; k++) {
        double at = kept > 1 ? (double)k * (double)(length - 1) / (double)(kept - 1) : 0;
        c->keep[c->count++] = start + (size_t)nearbyint(at);
    }
    c->from[c->trajectories] = t;
    c->lengths[c->trajectories++] = kept;
}

/* The part takes the place of the whole. */
static void replace(rm2i_draft *data, rm2i_draft *part) {
    rm2i_draft_clear(data);
    *data = *part;
}

rm2_status rm2i_thin(rm2_context *ctx, rm2i_draft *data, size_t thin) {
    if (data->trajectories == 0)
        return rm2i_fail(
            ctx, RM2_ERR_DATA,
            "%s: thinning keeps points of each trajectory, and there are none; name the "
            "column of trajectory ids with settings.group",
            data->source);
    choice c;
    rm2i_draft part;
    rm2_status status = choice_create(ctx, data, &c);
    for (size_t t = 0; status == RM2_OK && t < data->trajectories; t++)
        choose_evenly(data, t, thin, &c);
    if (status == RM2_OK)
        status = extract(ctx, data, &c, &part);
    choice_free(&c);
    if (status == RM2_OK)
        replace(data, &part);
    return status;
}

/* ---- hold-out ------------------------------------------------------------------------------- */

static bool in_list(const char *list, const char *id) {
    const char *item;
    size_t length;
    while ((item = rm2i_next_item(&list, &length)))
        if (length == strlen(id) && strncmp(item, id, length) == 0)
            return true;
    return false;
}

/* Every id of the list, settings.`name`, is there; *count of them. */
static rm2_status check_ids(rm2_context *ctx, const rm2i_draft *data, const char *name,
                            const char *list, size_t *count) {
    const char *item;
    size_t length;
    *count = 0;
    if (data->trajectories == 0)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: there are no trajectories to choose from; name the column of "
                         "trajectory ids with settings.group",
                         data->source);
    while ((item = rm2i_next_item(&list, &length))) {
        size_t t = 0;
        while (t < data->trajectories &&
               !(strlen(data->ids[t]) == length && strncmp(data->ids[t], item, length) == 0))
            t++;
        if (t == data->trajectories)
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "%s: no trajectory \"%.*s\"; there are %zu, from \"%.40s\" to "
                             "\"%.40s\"",
                             data->source, (int)(length < 60 ? length : 60), item,
                             data->trajectories, data->ids[0], data->ids[data->trajectories - 1]);
        ++*count;
    }
    if (*count == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: settings.%s is empty; expected ids of trajectories", data->source,
                         name);
    return RM2_OK;
}

/* Points that are marked, or those that are not. */
static void choose_marked(const rm2i_draft *data, const bool *marked, bool wanted, choice *c) {
    for (size_t i = 0; i < data->count; i++)
        if (marked[i] == wanted)
            c->keep[c->count++] = i;
    for (size_t t = 0; t < data->trajectories; t++)
        if (marked[data->starts[t]] == wanted) {
            c->from[c->trajectories] = t;
            c->lengths[c->trajectories++] = data->starts[t + 1] - data->starts[t];
        }
}

static rm2_status extract_marked(rm2_context *ctx, const rm2i_draft *data, const bool *marked,
                                 bool wanted, rm2i_draft *part) {
    choice c;
    rm2_status status = choice_create(ctx, data, &c);
    if (status == RM2_OK) {
        choose_marked(data, marked, wanted, &c);
        status = extract(ctx, data, &c, part);
    }
    choice_free(&c);
    return status;
}

/* Divide into what is marked and the rest, which stays in the draft. */
static rm2_status divide(rm2_context *ctx, rm2i_draft *data, const bool *marked, rm2i_draft *part) {
    rm2i_draft rest;
    RM2_TRY(extract_marked(ctx, data, marked, true, part));
    rm2_status status = extract_marked(ctx, data, marked, false, &rest);
    if (status == RM2_OK)
        replace(data, &rest);
    else
        rm2i_draft_clear(part);
    return status;
}

static rm2_status mark_listed(rm2_context *ctx, const rm2i_draft *data, const char *list,
                              bool **marked) {
    RM2_TRY(rm2i_calloc(ctx, data->count, sizeof **marked, marked));
    for (size_t t = 0; t < data->trajectories; t++)
        for (size_t i = data->starts[t]; i < data->starts[t + 1]; i++)
            (*marked)[i] = in_list(list, data->ids[t]);
    return RM2_OK;
}

rm2_status rm2i_select(rm2_context *ctx, rm2i_draft *data, const char *ids) {
    size_t count;
    bool *marked;
    rm2i_draft kept;
    RM2_TRY(check_ids(ctx, data, "select", ids, &count));
    RM2_TRY(mark_listed(ctx, data, ids, &marked));
    rm2_status status = extract_marked(ctx, data, marked, true, &kept);
    free(marked);
    if (status == RM2_OK)
        replace(data, &kept);
    return status;
}

rm2_status rm2i_hold_out(rm2_context *ctx, rm2i_draft *data, const char *ids,
                         rm2i_draft *held_out) {
    size_t count;
    bool *marked;
    RM2_TRY(check_ids(ctx, data, "holdout", ids, &count));
    if (count >= data->trajectories)
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: all %zu trajectories would be held out",
                         data->source, data->trajectories);
    RM2_TRY(mark_listed(ctx, data, ids, &marked));
    rm2_status status = divide(ctx, data, marked, held_out);
    free(marked);
    return status;
}

/* ---- parts of a data set that is made ---------------------------------------------------------- */

/* In original units, without scales. Returns whether there were some. */
static bool undo_scale(const rm2_data *data, rm2i_draft *draft) {
    bool scaled = false;
    rm2_data_original(data, draft->points);
    for (size_t k = 0; k < rm2_manifold_factor_count(data->manifold); k++) {
        scaled = scaled || draft->scale[k] != 1;
        draft->scale[k] = 1;
    }
    return scaled;
}

static rm2_status finish_both(rm2_context *ctx, rm2i_draft *rest, rm2i_draft *part,
                              rm2_data **rest_data, rm2_data **part_data) {
    RM2_TRY(rm2i_draft_finish(ctx, rest, rest_data));
    rm2_status status = rm2i_draft_finish(ctx, part, part_data);
    if (status != RM2_OK) {
        rm2_data_free(*rest_data);
        *rest_data = NULL;
    }
    return status;
}

rm2_status rm2i_data_divide(rm2_context *ctx, const rm2_data *data, const bool *marked,
                            rm2_data **rest, rm2_data **part) {
    rm2i_draft draft = {0}, out = {0};
    RM2_TRY(rm2i_draft_copy(ctx, data, &draft));
    bool scaled = undo_scale(data, &draft);
    rm2_status status = divide(ctx, &draft, marked, &out);
    if (status == RM2_OK && scaled)
        status = rm2i_scale(ctx, NULL, &draft, &out);
    if (status == RM2_OK)
        status = finish_both(ctx, &draft, &out, rest, part);
    rm2i_draft_clear(&draft); /* empty unless something failed */
    rm2i_draft_clear(&out);
    return status;
}
