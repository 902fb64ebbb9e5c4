/* .npy and files of named arrays (.npz, formats of the context) to raw rows. Shapes: (N, D);
 * (trajectories, T, D); (N, n, n) and (trajectories, T, n, n) for matrices; for SPD(n) alone also (n, n, N), as MATLAB
 * has them, and (n, n). In a file of named arrays, trajectory ids, labels and time are arrays of their own with one
 * number per point, ids and labels also with one text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/archive.h"
#include "base/base.h"
#include "data/data.h"
#include "data/raw_shape.h"
#include "riemann2/io.h"

/* ---- points --------------------------------------------------------------------------------- */

/* Trajectories of `length` rows each: those that rows `from` up to before `to` are in. */
static rm2_status number_codes(rm2_context *ctx, size_t from, size_t to, size_t length,
                               rm2i_codes *group) {
    size_t first = from / length, count = from < to ? (to - 1) / length - first + 1 : 0;
    RM2_TRY(rm2i_alloc(ctx, to - from, sizeof *group->code, &group->code));
    RM2_TRY(rm2i_calloc(ctx, count, sizeof *group->names, &group->names));
    group->count = count;
    for (size_t i = from; i < to; i++)
        group->code[i - from] = i / length - first;
    return rm2i_number_names(ctx, first, count, group->names);
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

/* Where points come from, and what they must be. */
typedef struct intake {
    const char *path;
    const rm2_data_settings *settings;
    const rm2i_wanted *wanted;
    bool last_axis_counts; /* as the format has it */
    rm2_archive *archive;  /* NULL: an .npy file */
    size_t points;         /* index of the points */
    rm2i_raw_rows rows;    /* that are read */
    bool some;             /* they may not be all */
    rm2i_raw *raw;
} intake;

static bool columns_chosen(const intake *in) {
    return in->settings->columns || in->settings->ignore;
}

static rm2_status resolve_form(rm2_context *ctx, const intake *in, rm2_array *a, size_t *tail) {
    rm2i_form found = RM2I_FORM_NONE;
    RM2_TRY(rm2i_find_form(ctx, in->path, in->wanted, columns_chosen(in),
                           (rm2i_shape){a->dims, a->shape}, &found));
    bool cube = a->dims == 3 && a->shape[0] == a->shape[1] && a->shape[1] == a->shape[2];
    if (found == RM2I_FORM_MATRICES && cube && in->last_axis_counts)
        RM2_TRY(rm2i_resolve_cube(ctx, in->path, a, &found));
    *tail = found == RM2I_FORM_ROWS ? 1 : 2;
    return found == RM2I_FORM_MATRICES_LAST ? rm2i_matrices_first(ctx, a) : RM2_OK;
}

/* Rows of points whose last `tail` axes are a point: how many there are, and which are read. */
static rm2_status count_rows(rm2_context *ctx, intake *in, rm2i_shape a, size_t tail) {
    rm2i_raw *raw = in->raw;
    raw->width = rm2i_tail_product(a, tail);
    size_t rows = raw->width ? rm2i_tail_product(a, a.dims) / raw->width : 0;
    if (rows == 0)
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: the array is empty", in->path);
    if (in->rows.all > 0 && in->rows.all != rows)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: expected %zu rows as before, got %zu: the file has changed while it "
                         "was read",
                         in->path, in->rows.all, rows);
    in->rows.all = rows;
    if (!in->some)
        in->rows.to = rows;
    raw->rows = in->rows.to - in->rows.from;
    return RM2_OK;
}

/* The values become those of the raw rows. */
static rm2_status gather_rows(rm2_context *ctx, const intake *in, rm2i_shape a, size_t tail,
                              double **values) {
    rm2i_raw *raw = in->raw;
    size_t from = in->rows.from;
    if (a.dims == tail + 2)
        RM2_TRY(number_codes(ctx, from, in->rows.to, a.sizes[1], &raw->group));
    RM2_TRY(rm2i_alloc(ctx, raw->rows, sizeof *raw->numbers, &raw->numbers));
    for (size_t i = 0; i < raw->rows; i++)
        raw->numbers[i] = from + i;
    raw->row_word = "row";
    raw->values = *values;
    *values = NULL;
    return columns_chosen(in) ? select_columns(ctx, in->path, in->settings, raw) : RM2_OK;
}

static rm2_status load_points(rm2_context *ctx, const intake *in, const rm2i_npy_span *span,
                              rm2_array *a) {
    return in->archive ? rm2i_archive_numbers(ctx, in->archive, in->points, span, a)
                       : rm2i_npy_read_span(ctx, in->path, span, a);
}

static rm2_status read_all_points(rm2_context *ctx, intake *in) {
    rm2_array a;
    size_t tail = 1;
    RM2_TRY(load_points(ctx, in, NULL, &a));
    rm2_status status = resolve_form(ctx, in, &a, &tail);
    rm2i_shape whole = {a.dims, a.shape};
    if (status == RM2_OK)
        status = count_rows(ctx, in, whole, tail);
    if (status == RM2_OK)
        status = gather_rows(ctx, in, whole, tail, &a.values);
    rm2_array_clear(&a);
    return status;
}

/* Shape of the points, which are not read yet. */
static rm2_status describe_points(rm2_context *ctx, const intake *in, rm2i_npy_header *header) {
    if (!in->archive)
        return rm2i_npy_describe(ctx, in->path, header);
    RM2_TRY(rm2i_archive_check(ctx, in->archive, in->points));
    const rm2_archive_entry *e = rm2_archive_entry_at(in->archive, in->points);
    *header = (rm2i_npy_header){.dims = e->dims};
    memcpy(header->shape, e->shape, sizeof header->shape);
    return RM2_OK;
}

static rm2_status read_some_points(rm2_context *ctx, intake *in) {
    rm2i_npy_header header;
    rm2_array part;
    rm2i_form found = RM2I_FORM_NONE;
    RM2_TRY(describe_points(ctx, in, &header));
    rm2i_shape whole = {header.dims, header.shape};
    RM2_TRY(rm2i_find_form(ctx, in->path, in->wanted, columns_chosen(in), whole, &found));
    if (found == RM2I_FORM_MATRICES_LAST)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "%s: matrices along the first two axes are not read in parts; save an "
                         "array (N, n, n)",
                         in->path);
    size_t tail = found == RM2I_FORM_ROWS ? 1 : 2;
    RM2_TRY(count_rows(ctx, in, whole, tail));
    size_t width = in->raw->width;
    rm2i_npy_span span = {in->rows.from * width, in->raw->rows * width};
    RM2_TRY(load_points(ctx, in, &span, &part));
    rm2_status status = gather_rows(ctx, in, whole, tail, &part.values);
    rm2_array_clear(&part);
    return status;
}

static rm2_status read_points(rm2_context *ctx, intake *in) {
    return in->some ? read_some_points(ctx, in) : read_all_points(ctx, in);
}

/* ---- files of named arrays ------------------------------------------------------------------ */

enum { LIST_SIZE = 400 };

static rm2_status no_array(rm2_context *ctx, const intake *in, const char *name) {
    char list[LIST_SIZE];
    rm2_archive_list(in->archive, list, sizeof list);
    return rm2i_fail(ctx, RM2_ERR_DATA, "%s: no array \"%.60s\" (the file has: %s)", in->path, name,
                     list);
}

static bool is_role(const rm2_data_settings *s, const char *name) {
    return (s->group && strcmp(s->group, name) == 0) || (s->label && strcmp(s->label, name) == 0) ||
           (s->time && strcmp(s->time, name) == 0);
}

/* The only array whose shape fits the points; *index is SIZE_MAX if there is none. */
static rm2_status find_fitting(rm2_context *ctx, const intake *in, size_t *index) {
    const rm2_data_settings *s = in->settings;
    const rm2_archive_entry *e;
    *index = SIZE_MAX;
    for (size_t k = 0; (e = rm2_archive_entry_at(in->archive, k)); k++) {
        bool fits = !e->refused && !e->texts && !is_role(s, e->name) &&
                    rm2i_form_of((rm2i_shape){e->dims, e->shape}, in->wanted, columns_chosen(in));
        if (fits && *index != SIZE_MAX) {
            char list[LIST_SIZE];
            rm2_archive_list(in->archive, list, sizeof list);
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "%s: arrays \"%.60s\" and \"%.60s\" both fit points of %s; choose one "
                             "with settings.array (the file has: %s)",
                             in->path, rm2_archive_entry_at(in->archive, *index)->name, e->name,
                             rm2_manifold_spec(in->wanted->manifold), list);
        }
        *index = fits ? k : *index;
    }
    return RM2_OK;
}

/* The array called settings.array, or "points", or the only one, or the only one whose shape fits. */
static rm2_status find_points(rm2_context *ctx, intake *in) {
    const char *name = in->settings->array ? in->settings->array : "points";
    in->points = rm2_archive_find(in->archive, name);
    if (in->points != SIZE_MAX)
        return RM2_OK;
    if (in->settings->array)
        return no_array(ctx, in, name);
    if (rm2_archive_find(in->archive, "parameters/latents") != SIZE_MAX)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s is a trained model, not data (its points, in scaled units, are the "
                         "array data/points: settings.array)",
                         in->path);
    if (rm2_archive_count(in->archive) == 1)
        in->points = 0;
    else
        RM2_TRY(find_fitting(ctx, in, &in->points));
    if (in->points != SIZE_MAX)
        return RM2_OK;
    char list[LIST_SIZE];
    rm2_archive_list(in->archive, list, sizeof list);
    return rm2i_fail(ctx, RM2_ERR_DATA,
                     "%s: no array \"points\", and the shape of none fits points of %s with %zu "
                     "numbers each (the file has: %s); choose one with settings.array",
                     in->path, rm2_manifold_spec(in->wanted->manifold), in->wanted->width, list);
}

/* Numbers where numbers must be, texts where texts must be. */
static rm2_status refuse_texts(rm2_context *ctx, const intake *in, size_t index, const char *what) {
    const rm2_archive_entry *e = rm2_archive_entry_at(in->archive, index);
    return e->texts
               ? rm2i_fail(ctx, RM2_ERR_DATA, "%s: array \"%.60s\" holds texts; %s must be numbers",
                           in->path, e->name, what)
               : RM2_OK;
}

static rm2_status find_role(rm2_context *ctx, const intake *in, const char *name, size_t *index) {
    *index = rm2_archive_find(in->archive, name);
    if (*index == SIZE_MAX)
        return no_array(ctx, in, name);
    if (*index == in->points)
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: array \"%.60s\" is used twice", in->path, name);
    return RM2_OK;
}

/* One entry per point of the whole file. */
static rm2_status check_count(rm2_context *ctx, const intake *in, size_t index, const char *what) {
    RM2_TRY(rm2i_archive_check(ctx, in->archive, index));
    const rm2_archive_entry *e = rm2_archive_entry_at(in->archive, index);
    size_t count = rm2i_tail_product((rm2i_shape){e->dims, e->shape}, e->dims);
    if (count == in->rows.all)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_DATA, "%s: array \"%.60s\" has %zu %s for %zu points", in->path,
                     e->name, count, what, in->rows.all);
}

/* The entries of the rows that are read; NULL: all. */
static const rm2i_npy_span *entries_of_rows(const intake *in, rm2i_npy_span *span) {
    *span = (rm2i_npy_span){in->rows.from, in->raw->rows};
    return in->some ? span : NULL;
}

/* The array with one number per point. */
static rm2_status read_numbers(rm2_context *ctx, const intake *in, size_t index, double **numbers) {
    rm2_array array;
    rm2i_npy_span span;
    RM2_TRY(check_count(ctx, in, index, "numbers"));
    RM2_TRY(rm2i_archive_numbers(ctx, in->archive, index, entries_of_rows(in, &span), &array));
    *numbers = array.values;
    array.values = NULL;
    rm2_array_clear(&array);
    return RM2_OK;
}

static rm2_status check_ids(rm2_context *ctx, const intake *in, const char *name,
                            const double *numbers) {
    for (size_t i = 0; i < in->raw->rows; i++)
        if (!isfinite(numbers[i]))
            return rm2i_fail(
                ctx, RM2_ERR_DATA,
                "%s: array \"%.60s\", entry %zu (counted from 0) is %g: ids and labels "
                "must be numbers or texts",
                in->path, name, in->rows.from + i, numbers[i]);
    return RM2_OK;
}

static const char *text_of_number(const void *list, size_t i, char room[RM2I_TEXT_ROOM]) {
    (void)snprintf(room, RM2I_TEXT_ROOM, "%.17g", ((const double *)list)[i] + 0.0); /* -0 is 0 */
    return room;
}

/* Texts are codes already. */
static rm2_status code_texts(rm2_context *ctx, const intake *in, size_t index, rm2i_codes *codes) {
    rm2_texts texts;
    rm2i_npy_span span;
    RM2_TRY(check_count(ctx, in, index, "texts"));
    RM2_TRY(rm2i_archive_texts(ctx, in->archive, index, entries_of_rows(in, &span), &texts));
    *codes = (rm2i_codes){texts.codes, texts.distinct, texts.distinct_count};
    return RM2_OK;
}

static rm2_status copy_codes(rm2_context *ctx, const intake *in, const char *name,
                             rm2i_codes *codes) {
    size_t index;
    double *numbers = NULL;
    RM2_TRY(find_role(ctx, in, name, &index));
    if (rm2_archive_entry_at(in->archive, index)->texts)
        return code_texts(ctx, in, index, codes);
    RM2_TRY(read_numbers(ctx, in, index, &numbers));
    rm2_status status = check_ids(ctx, in, name, numbers);
    if (status == RM2_OK)
        status = rm2i_code_texts(ctx, in->raw->rows, text_of_number, numbers, codes);
    free(numbers);
    return status;
}

static rm2_status copy_roles(rm2_context *ctx, const intake *in) {
    const rm2_data_settings *s = in->settings;
    rm2i_raw *raw = in->raw;
    size_t time;
    if (s->group && raw->group.code)
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "%s: the first axis of the points counts the trajectories already; leave "
                         "out settings.group",
                         in->path);
    if (s->group)
        RM2_TRY(copy_codes(ctx, in, s->group, &raw->group));
    if (s->label)
        RM2_TRY(copy_codes(ctx, in, s->label, &raw->label));
    if (!s->time)
        return RM2_OK;
    RM2_TRY(find_role(ctx, in, s->time, &time));
    RM2_TRY(refuse_texts(ctx, in, time, "time"));
    return read_numbers(ctx, in, time, &raw->time);
}

static rm2_status from_archive(rm2_context *ctx, intake *in) {
    RM2_TRY(rm2_archive_open(ctx, in->path, &in->archive));
    in->last_axis_counts = rm2_archive_format_used(in->archive)->last_axis_counts;
    rm2_status status = find_points(ctx, in);
    if (status == RM2_OK)
        status = refuse_texts(ctx, in, in->points, "points");
    if (status == RM2_OK)
        status = read_points(ctx, in);
    if (status == RM2_OK)
        status = copy_roles(ctx, in);
    rm2_archive_close(in->archive);
    return status;
}

static rm2_status from_npy(rm2_context *ctx, intake *in) {
    const rm2_data_settings *s = in->settings;
    if (s->group || s->label || s->time)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: an .npy file has no columns by name for settings.group, "
                         "settings.label or settings.time; "
                         "use an array (trajectories, T, D), an .npz or a CSV file",
                         in->path);
    return read_points(ctx, in);
}

static rm2_status from_file(rm2_context *ctx, intake *in) {
    return rm2i_has_extension(in->path, ".npy") ? from_npy(ctx, in) : from_archive(ctx, in);
}

rm2_status rm2i_raw_from_array(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               const rm2i_wanted *wanted, rm2i_raw *raw) {
    intake in = {.path = path, .settings = s, .wanted = wanted, .raw = raw};
    return from_file(ctx, &in);
}

rm2_status rm2i_raw_some_of_array(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                  const rm2i_wanted *wanted, rm2i_raw_rows *rows, rm2i_raw *raw) {
    intake in = {
        .path = path, .settings = s, .wanted = wanted, .rows = *rows, .some = true, .raw = raw};
    rm2_status status = from_file(ctx, &in);
    rows->all = in.rows.all;
    return status;
}
