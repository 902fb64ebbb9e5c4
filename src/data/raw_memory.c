/* Arrays of the caller to raw rows: the same as an array that was read from a file, with trajectories by
 * their first points or by an id per point. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"

/* ---- trajectories --------------------------------------------------------------------------- */

static rm2_status check_starts(rm2_context *ctx, const char *source, const rm2_data_arrays *a) {
    if (a->trajectories == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: arrays.starts is given, but arrays.trajectories is 0", source);
    for (size_t t = 0; t <= a->trajectories; t++) {
        bool good = t == 0 ? a->starts[0] == 0 : a->starts[t] > a->starts[t - 1];
        if (!good || (t == a->trajectories && a->starts[t] != a->count))
            return rm2i_fail(
                ctx, RM2_ERR_ARGUMENT,
                "%s: arrays.starts[%zu] is %zu; starts must increase from 0 to the number of "
                "points, %zu",
                source, t, a->starts[t], a->count);
    }
    return RM2_OK;
}

static rm2_status check_texts(rm2_context *ctx, const char *source, const char *name, size_t count,
                              const char *const *texts) {
    for (size_t i = 0; i < count; i++)
        if (!texts[i])
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: arrays.%s[%zu] is NULL", source, name, i);
    return RM2_OK;
}

static rm2_status copy_texts(rm2_context *ctx, size_t count, const char *const *texts,
                             rm2i_codes *codes) {
    RM2_TRY(rm2i_calloc(ctx, count, sizeof *codes->names, &codes->names));
    codes->count = count;
    for (size_t i = 0; i < count; i++)
        RM2_TRY(rm2i_strdup(ctx, texts[i], &codes->names[i]));
    return RM2_OK;
}

/* Two trajectories with one id would come back as one. */
static rm2_status check_distinct(rm2_context *ctx, const char *source, const rm2i_codes *ids) {
    rm2i_text_set set = {.count = 0};
    rm2_status status = RM2_OK;
    for (size_t t = 0; t < ids->count && status == RM2_OK; t++) {
        size_t number = 0;
        status = rm2i_text_set_add(ctx, &set, ids->names[t], strlen(ids->names[t]), &number);
        if (status == RM2_OK && number != t)
            status = rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                               "%s: arrays.ids[%zu] and arrays.ids[%zu] are both \"%.60s\"", source,
                               number, t, ids->names[t]);
    }
    rm2i_text_set_free(&set);
    return status;
}

static rm2_status copy_starts(rm2_context *ctx, const char *source, const rm2_data_arrays *a,
                              rm2i_codes *group) {
    RM2_TRY(check_starts(ctx, source, a));
    RM2_TRY(rm2i_alloc(ctx, a->count, sizeof *group->code, &group->code));
    for (size_t t = 0; t < a->trajectories; t++)
        for (size_t i = a->starts[t]; i < a->starts[t + 1]; i++)
            group->code[i] = t;
    if (a->ids) {
        RM2_TRY(check_texts(ctx, source, "ids", a->trajectories, a->ids));
        RM2_TRY(copy_texts(ctx, a->trajectories, a->ids, group));
        return check_distinct(ctx, source, group);
    }
    RM2_TRY(rm2i_calloc(ctx, a->trajectories, sizeof *group->names, &group->names));
    group->count = a->trajectories;
    return rm2i_number_names(ctx, 0, a->trajectories, group->names);
}

static const char *text_of_number(const void *list, size_t i, char room[RM2I_TEXT_ROOM]) {
    (void)snprintf(room, RM2I_TEXT_ROOM, "%" PRId64, ((const int64_t *)list)[i]);
    return room;
}

static const char *text_of_text(const void *list, size_t i, char room[RM2I_TEXT_ROOM]) {
    (void)room;
    return ((const char *const *)list)[i];
}

static rm2_status copy_group(rm2_context *ctx, const char *source, const rm2_data_arrays *a,
                             rm2i_codes *group) {
    int ways = (a->starts != NULL) + (a->group_numbers != NULL) + (a->group_texts != NULL);
    if (ways > 1)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: trajectories are given more than once; give one of arrays.starts, "
                         "arrays.group_numbers and arrays.group_texts",
                         source);
    if (!a->starts && (a->trajectories || a->ids))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: arrays.%s is given, but arrays.starts is NULL",
                         source, a->trajectories ? "trajectories" : "ids");
    if (a->starts)
        return copy_starts(ctx, source, a, group);
    if (a->group_numbers)
        return rm2i_code_texts(ctx, a->count, text_of_number, a->group_numbers, group);
    if (!a->group_texts)
        return RM2_OK;
    RM2_TRY(check_texts(ctx, source, "group_texts", a->count, a->group_texts));
    return rm2i_code_texts(ctx, a->count, text_of_text, a->group_texts, group);
}

/* ---- labels --------------------------------------------------------------------------------- */

static rm2_status copy_label_numbers(rm2_context *ctx, const char *source, const rm2_data_arrays *a,
                                     rm2i_codes *label) {
    if (!a->label_names)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: arrays.labels is given, but arrays.label_names is NULL", source);
    for (size_t i = 0; i < a->count; i++)
        if (a->labels[i] >= a->label_count)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "%s: arrays.labels[%zu] is %zu, but there are %zu names", source, i,
                             a->labels[i], a->label_count);
    RM2_TRY(check_texts(ctx, source, "label_names", a->label_count, a->label_names));
    RM2_TRY(rm2i_alloc(ctx, a->count, sizeof *label->code, &label->code));
    memcpy(label->code, a->labels, a->count * sizeof *label->code);
    return copy_texts(ctx, a->label_count, a->label_names, label);
}

static rm2_status copy_labels(rm2_context *ctx, const char *source, const rm2_data_arrays *a,
                              rm2i_codes *label) {
    if (a->labels && a->label_texts)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: labels are given twice; give arrays.labels or arrays.label_texts",
                         source);
    if (a->labels)
        return copy_label_numbers(ctx, source, a, label);
    if (a->label_names)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: arrays.label_names is given, but arrays.labels is NULL", source);
    if (!a->label_texts)
        return RM2_OK;
    RM2_TRY(check_texts(ctx, source, "label_texts", a->count, a->label_texts));
    return rm2i_code_texts(ctx, a->count, text_of_text, a->label_texts, label);
}

/* ---- rows ----------------------------------------------------------------------------------- */

static rm2_status copy_points(rm2_context *ctx, const char *source, const rm2_data_arrays *a,
                              size_t width, rm2i_raw *raw) {
    if (a->count == 0 || !a->points)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: %s", source,
                         a->points ? "arrays.count is 0" : "arrays.points is NULL");
    if (!(a->shrunk >= 0 && a->shrunk <= 1))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: arrays.shrunk is %g; expected 0 to 1", source,
                         a->shrunk);
    *raw = (rm2i_raw){.rows = a->count, .width = a->width ? a->width : width, .row_word = "point"};
    RM2_TRY(rm2i_alloc(ctx, raw->rows, raw->width * sizeof *raw->values, &raw->values));
    memcpy(raw->values, a->points, raw->rows * raw->width * sizeof *raw->values);
    RM2_TRY(rm2i_alloc(ctx, raw->rows, sizeof *raw->numbers, &raw->numbers));
    for (size_t i = 0; i < raw->rows; i++)
        raw->numbers[i] = i;
    if (!a->time)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, raw->rows, sizeof *raw->time, &raw->time));
    memcpy(raw->time, a->time, raw->rows * sizeof *raw->time);
    return RM2_OK;
}

rm2_status rm2i_raw_from_memory(rm2_context *ctx, const char *source, const rm2_data_arrays *arrays,
                                size_t width, rm2i_raw *raw) {
    RM2_TRY(copy_points(ctx, source, arrays, width, raw));
    RM2_TRY(copy_group(ctx, source, arrays, &raw->group));
    return copy_labels(ctx, source, arrays, &raw->label);
}
