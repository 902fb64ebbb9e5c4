/* .npy and .npz to raw rows. Shapes: (N, D); (trajectories, T, D); (N, n, n) and
 * (trajectories, T, n, n) for matrices. In an .npz, trajectory ids, labels and time are arrays of
 * their own with one number a point, ids and labels also with one text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "riemann2/io.h"

static void shape_text(const rm2_array *a, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "(");
    for (size_t k = 0; k < a->dims && used + 24 < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%zu", k ? ", " : "", a->shape[k]);
    (void)snprintf(text + used, size - used, ")");
}

/* Numbers of a row, if the last `tail` axes make one. */
static size_t tail_product(const rm2_array *a, size_t tail) {
    size_t product = 1;
    for (size_t k = a->dims - tail; k < a->dims; k++)
        product *= a->shape[k];
    return product;
}

/* How many trailing axes make one point: the shape must have 1 or 2 axes before them. */
static size_t point_axes(const rm2_array *a, size_t width, bool columns_chosen) {
    if (columns_chosen)
        return a->dims == 2 || a->dims == 3 ? 1 : 0;
    for (size_t tail = 1; tail <= 2; tail++)
        if (a->dims >= tail + 1 && a->dims <= tail + 2 && tail_product(a, tail) == width)
            return tail;
    return 0;
}

static rm2_status number_codes(rm2_context *ctx, size_t trajectories, size_t length,
                               rm2i_codes *group) {
    RM2_TRY(rm2i_alloc(ctx, trajectories * length, sizeof *group->code, &group->code));
    RM2_TRY(rm2i_calloc(ctx, trajectories, sizeof *group->names, &group->names));
    group->count = trajectories;
    for (size_t i = 0; i < trajectories * length; i++)
        group->code[i] = i / length;
    return rm2i_number_names(ctx, trajectories, group->names);
}

/* Keep the columns listed, in place. */
static rm2_status select_columns(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                 rm2i_raw *raw) {
    const rm2_table numbered = {.columns = raw->width};
    const rm2_column_choice choice = {.columns = s->columns, .ignore = s->ignore};
    size_t count;
    double *row;
    RM2_TRY(rm2i_alloc(ctx, raw->width, sizeof *raw->columns, &raw->columns));
    RM2_TRY(rm2i_table_choose(ctx, path, &numbered, &choice, raw->columns, &count));
    RM2_TRY(rm2i_alloc(ctx, raw->width, sizeof *row, &row));
    for (size_t i = 0; i < raw->rows; i++) {
        for (size_t k = 0; k < count; k++)
            row[k] = raw->values[i * raw->width + raw->columns[k]];
        memcpy(raw->values + i * count, row, count * sizeof *row);
    }
    free(row);
    raw->width = count;
    return RM2_OK;
}

static rm2_status take_points(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                              const rm2i_wanted *wanted, rm2_array *a, rm2i_raw *raw) {
    size_t width = wanted->width;
    bool chosen = s->columns || s->ignore;
    size_t tail = point_axes(a, width, chosen);
    if (tail == 0) {
        char shape[120];
        shape_text(a, shape, sizeof shape);
        return rm2i_fail(
            ctx, RM2_ERR_DATA,
            "%s: an array of shape %s does not hold points of %s with %zu numbers each; "
            "expected (N, %zu) or (trajectories, T, %zu); check the manifold, the "
            "layout, or choose settings.columns",
            path, shape, rm2_manifold_spec(wanted->manifold), width, width, width);
    }
    raw->width = tail_product(a, tail);
    raw->rows = raw->width ? rm2_array_count(a) / raw->width : 0;
    if (raw->rows == 0)
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: the array is empty", path);
    if (a->dims == tail + 2)
        RM2_TRY(number_codes(ctx, a->shape[0], a->shape[1], &raw->group));
    RM2_TRY(rm2i_alloc(ctx, raw->rows, sizeof *raw->numbers, &raw->numbers));
    for (size_t i = 0; i < raw->rows; i++)
        raw->numbers[i] = i;
    raw->row_word = "row";
    raw->values = a->values;
    a->values = NULL;
    return chosen ? select_columns(ctx, path, s, raw) : RM2_OK;
}

/* ---- .npz: several arrays ------------------------------------------------------------------- */

static rm2_status no_array(rm2_context *ctx, const char *path, const rm2_npz *npz,
                           const char *name) {
    char list[300] = "none";
    size_t used = 0;
    for (size_t k = 0; k < rm2_npz_count(npz) && used + 48 < sizeof list; k++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%.40s", k ? ", " : "",
                                 rm2_npz_name(npz, k));
    return rm2i_fail(ctx, RM2_ERR_DATA, "%s: no array \"%.60s\" (the file has: %s)", path, name,
                     list);
}

/* The array called s->array, or "points", or the only one. */
static rm2_status find_points(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                              const rm2_npz *npz, size_t *index) {
    const char *name = s->array ? s->array : "points";
    *index = rm2_npz_find(npz, name);
    if (*index == SIZE_MAX && !s->array && rm2_npz_count(npz) == 1)
        *index = 0;
    return *index == SIZE_MAX ? no_array(ctx, path, npz, name) : RM2_OK;
}

static rm2_status read_points(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                              const rm2i_wanted *wanted, rm2_npz *npz, size_t index,
                              rm2i_raw *raw) {
    rm2_array points;
    RM2_TRY(rm2_npz_array(ctx, npz, index, &points));
    rm2_status status = take_points(ctx, path, s, wanted, &points, raw);
    rm2_array_clear(&points);
    return status;
}

/* An archive on its way in. */
typedef struct intake {
    const char *path;
    rm2_npz *npz;
    size_t points; /* index of the points */
    rm2i_raw *raw;
} intake;

static rm2_status find_role(rm2_context *ctx, const intake *in, const char *name, size_t *index) {
    *index = rm2_npz_find(in->npz, name);
    if (*index == SIZE_MAX)
        return no_array(ctx, in->path, in->npz, name);
    if (*index == in->points)
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: array \"%.60s\" is used twice", in->path, name);
    return RM2_OK;
}

static rm2_status check_count(rm2_context *ctx, const intake *in, const char *name, size_t count,
                              const char *what) {
    if (count == in->raw->rows)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_DATA, "%s: array \"%.60s\" has %zu %s for %zu points", in->path,
                     name, count, what, in->raw->rows);
}

/* The array with one number a point. */
static rm2_status read_numbers(rm2_context *ctx, const intake *in, const char *name, size_t index,
                               double **numbers) {
    rm2_array array;
    RM2_TRY(rm2_npz_array(ctx, in->npz, index, &array));
    rm2_status status = check_count(ctx, in, name, rm2_array_count(&array), "numbers");
    if (status == RM2_OK) {
        *numbers = array.values;
        array.values = NULL;
    }
    rm2_array_clear(&array);
    return status;
}

static rm2_status check_ids(rm2_context *ctx, const intake *in, const char *name,
                            const double *numbers) {
    for (size_t i = 0; i < in->raw->rows; i++)
        if (!isfinite(numbers[i]))
            return rm2i_fail(
                ctx, RM2_ERR_DATA,
                "%s: array \"%.60s\", entry %zu (counted from 0) is %g: ids and labels "
                "must be numbers or texts",
                in->path, name, i, numbers[i]);
    return RM2_OK;
}

static const char *text_of_number(const void *list, size_t i, char room[RM2I_TEXT_ROOM]) {
    (void)snprintf(room, RM2I_TEXT_ROOM, "%.17g", ((const double *)list)[i] + 0.0); /* -0 is 0 */
    return room;
}

/* Texts are codes already. */
static rm2_status code_texts(rm2_context *ctx, const intake *in, const char *name, size_t index,
                             rm2i_codes *codes) {
    rm2_texts texts;
    RM2_TRY(rm2_npz_texts(ctx, in->npz, index, &texts));
    rm2_status status = check_count(ctx, in, name, texts.count, "texts");
    if (status == RM2_OK) {
        *codes = (rm2i_codes){texts.codes, texts.distinct, texts.distinct_count};
        texts = (rm2_texts){0};
    }
    rm2_texts_clear(&texts);
    return status;
}

static rm2_status take_codes(rm2_context *ctx, const intake *in, const char *name,
                             rm2i_codes *codes) {
    size_t index;
    bool are_texts = false;
    double *numbers = NULL;
    RM2_TRY(find_role(ctx, in, name, &index));
    RM2_TRY(rm2_npz_holds_texts(ctx, in->npz, index, &are_texts));
    if (are_texts)
        return code_texts(ctx, in, name, index, codes);
    RM2_TRY(read_numbers(ctx, in, name, index, &numbers));
    rm2_status status = check_ids(ctx, in, name, numbers);
    if (status == RM2_OK)
        status = rm2i_code_texts(ctx, in->raw->rows, text_of_number, numbers, codes);
    free(numbers);
    return status;
}

static rm2_status take_roles(rm2_context *ctx, const intake *in, const rm2_data_settings *s) {
    rm2i_raw *raw = in->raw;
    size_t time;
    if (s->group && raw->group.code)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: the first axis of the points counts the trajectories already; leave "
                         "out settings.group",
                         in->path);
    if (s->group)
        RM2_TRY(take_codes(ctx, in, s->group, &raw->group));
    if (s->label)
        RM2_TRY(take_codes(ctx, in, s->label, &raw->label));
    if (!s->time)
        return RM2_OK;
    RM2_TRY(find_role(ctx, in, s->time, &time));
    return read_numbers(ctx, in, s->time, time, &raw->time);
}

static rm2_status from_npz(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                           const rm2i_wanted *wanted, rm2i_raw *raw) {
    intake in = {.path = path, .raw = raw};
    RM2_TRY(rm2_npz_open(ctx, path, &in.npz));
    rm2_status status = find_points(ctx, path, s, in.npz, &in.points);
    if (status == RM2_OK)
        status = read_points(ctx, path, s, wanted, in.npz, in.points, raw);
    if (status == RM2_OK)
        status = take_roles(ctx, &in, s);
    rm2_npz_close(in.npz);
    return status;
}

static rm2_status from_npy(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                           const rm2i_wanted *wanted, rm2i_raw *raw) {
    if (s->group || s->label || s->time)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: an .npy file has no columns by name for settings.group, "
                         "settings.label or settings.time; "
                         "use an array (trajectories, T, D), an .npz or a CSV file",
                         path);
    rm2_array array;
    RM2_TRY(rm2_npy_read(ctx, path, &array));
    rm2_status status = take_points(ctx, path, s, wanted, &array, raw);
    rm2_array_clear(&array);
    return status;
}

rm2_status rm2i_raw_from_array(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               const rm2i_wanted *wanted, rm2i_raw *raw) {
    return rm2i_has_extension(path, ".npz") ? from_npz(ctx, path, s, wanted, raw)
                                            : from_npy(ctx, path, s, wanted, raw);
}
