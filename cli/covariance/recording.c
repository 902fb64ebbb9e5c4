/* A file of signals: CSV and TSV with a column per channel (or a row), .npy, .npz and .mat with (samples, channels) or
 * epochs of (samples, channels). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/covariance.h"

void recording_free(recording *r) {
    for (size_t k = 0; r->names && k < r->channels; k++)
        free(r->names[k]);
    free(r->names);
    free(r->values);
    free(r->subject);
    rm2_texts_clear(&r->group);
    rm2_texts_clear(&r->label);
    rm2_texts_clear(&r->events);
    *r = (recording){.path = NULL};
}

char *subject_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* rows x columns to columns x rows, for each of `count` matrices; false: no memory. */
static bool transpose(size_t count, size_t rows, size_t columns, double **values) {
    size_t size = rows * columns;
    double *turned = malloc((count * size + 1) * sizeof *turned);
    for (size_t k = 0; turned && k < count; k++)
        for (size_t i = 0; i < rows; i++)
            for (size_t j = 0; j < columns; j++)
                turned[k * size + j * rows + i] = (*values)[k * size + i * columns + j];
    if (turned) {
        free(*values);
        *values = turned;
    }
    return turned != NULL;
}

/* ---- text files ------------------------------------------------------------------------------ */

/* The texts of a column, which the table gives up. */
static int copy_texts(const covariance_work *c, rm2_table *table, const char *name, rm2_texts *t) {
    if (!name)
        return EXIT_DONE;
    size_t column = rm2_table_column(table, name);
    t->codes = malloc((table->rows + 1) * sizeof *t->codes);
    if (!t->codes)
        return work_no_memory(&c->work);
    for (size_t i = 0; i < table->rows; i++)
        t->codes[i] = (size_t)table->values[i * table->columns + column];
    t->count = table->rows;
    t->distinct = table->texts[column];
    t->distinct_count = table->text_counts[column];
    table->texts[column] = NULL;
    table->text_counts[column] = 0;
    return EXIT_DONE;
}

/* Names of the chosen columns; nothing without a header. */
static bool consume_names(rm2_table *table, const size_t *chosen, recording *r) {
    r->names = table->names ? calloc(r->channels + 1, sizeof *r->names) : NULL;
    for (size_t k = 0; r->names && k < r->channels; k++) {
        r->names[k] = table->names[chosen[k]];
        table->names[chosen[k]] = NULL;
    }
    return r->names || !table->names;
}

/* Keep the chosen columns of rows x columns numbers, in the same memory; false: no memory. */
static bool keep_columns(size_t rows, size_t columns, const size_t *chosen, size_t count,
                         double *values) {
    double *row = malloc((count + 1) * sizeof *row);
    for (size_t i = 0; row && i < rows; i++) {
        for (size_t k = 0; k < count; k++)
            row[k] = values[i * columns + chosen[k]];
        memcpy(values + i * count, row, count * sizeof *row);
    }
    free(row);
    return row != NULL;
}

static int copy_values(const covariance_work *c, rm2_table *table, const size_t *chosen,
                       recording *r) {
    if (!keep_columns(table->rows, table->columns, chosen, r->channels, table->values))
        return work_no_memory(&c->work);
    r->samples = table->rows;
    r->values = table->values;
    table->values = NULL;
    if (c->options->channels == CHANNELS_COLUMNS)
        return consume_names(table, chosen, r) ? EXIT_DONE : work_no_memory(&c->work);
    size_t channels = r->samples;
    if (!transpose(1, r->samples, r->channels, &r->values))
        return work_no_memory(&c->work);
    r->samples = r->channels;
    r->channels = channels;
    return EXIT_DONE;
}

static int convert_table(const covariance_work *c, const rm2_column_choice *choice,
                         rm2_table *table, recording *r) {
    const covariance_options *o = c->options;
    size_t *chosen = malloc((table->columns + 1) * sizeof *chosen);
    if (!chosen)
        return work_no_memory(&c->work);
    int code = work_check(
        &c->work, rm2_table_choose(c->work.ctx, r->path, table, choice, chosen, &r->channels));
    if (code == EXIT_DONE && r->channels == 0)
        code = work_complain(&c->work, EXIT_BAD_DATA, "%s: no columns remain for the channels",
                             r->path);
    if (code == EXIT_DONE)
        code = copy_texts(c, table, o->group, &r->group);
    if (code == EXIT_DONE && !o->labels)
        code = copy_texts(c, table, o->label, &r->label);
    if (code == EXIT_DONE)
        code = copy_texts(c, table, o->events, &r->events);
    if (code == EXIT_DONE)
        code = copy_values(c, table, chosen, r);
    free(chosen);
    return code;
}

static int read_text(const covariance_work *c, recording *r) {
    const covariance_options *o = c->options;
    const char *roles[] = {o->group, o->labels ? NULL : o->label, o->events}, *texts[3];
    const rm2_column_choice choice = {o->columns, o->ignore, roles, 3};
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table;
    s.allow_missing = true;
    s.choice = &choice;
    s.text = texts;
    for (size_t k = 0; k < 3; k++)
        if (roles[k])
            texts[s.text_count++] = roles[k];
    int code = work_check(&c->work, rm2_csv_read(c->work.ctx, r->path, &s, &table));
    if (code == EXIT_DONE)
        code = convert_table(c, &choice, &table, r);
    rm2_table_clear(&table);
    return code;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* Keep the chosen channels of samples x channels, in place. */
static int choose_channels(const covariance_work *c, recording *r) {
    const covariance_options *o = c->options;
    const rm2_column_choice choice = {.columns = o->columns, .ignore = o->ignore};
    const rm2_table table = {.columns = r->channels};
    size_t *chosen = malloc((r->channels + 1) * sizeof *chosen);
    if (!chosen)
        return work_no_memory(&c->work);
    int code = work_check(
        &c->work, rm2_table_choose(c->work.ctx, r->path, &table, &choice, chosen, &r->channels));
    if (code == EXIT_DONE &&
        !keep_columns(r->samples, table.columns, chosen, r->channels, r->values))
        code = work_no_memory(&c->work);
    free(chosen);
    return code;
}

/* (rows, columns, epochs) to (epochs, rows, columns); false: no memory. */
static bool epochs_first(rm2_array *a) {
    size_t matrix = a->shape[0] * a->shape[1], epochs = a->shape[2];
    if (!transpose(1, matrix, epochs, &a->values))
        return false;
    a->shape[2] = a->shape[1];
    a->shape[1] = a->shape[0];
    a->shape[0] = epochs;
    return true;
}

/* Does the last axis count the epochs? As asked for, else as the format has it. */
static bool last_axis_counts(const covariance_options *o, const rm2_archive_format *format) {
    return o->epochs == EPOCHS_AUTO ? format && format->last_axis_counts : o->epochs == EPOCHS_LAST;
}

static int convert_array(const covariance_work *c, const rm2_archive_format *format, rm2_array *a,
                         recording *r) {
    bool rows = c->options->channels == CHANNELS_ROWS;
    if (a->dims < 1 || a->dims > 3 || rm2_array_count(a) == 0)
        return work_complain(
            &c->work, EXIT_BAD_DATA,
            "%s: an array of %zu dimensions and %zu numbers; expected (samples, channels) or "
            "(epochs, samples, channels)",
            r->path, a->dims, rm2_array_count(a));
    if (a->dims == 3 && last_axis_counts(c->options, format) && !epochs_first(a))
        return work_no_memory(&c->work);
    size_t outer = a->dims < 2 ? a->shape[0] : a->shape[a->dims - 2];
    size_t inner = a->dims < 2 ? 1 : a->shape[a->dims - 1];
    size_t pieces = a->dims == 3 ? a->shape[0] : 1;
    r->values = a->values;
    a->values = NULL;
    if (rows && !transpose(pieces, outer, inner, &r->values))
        return work_no_memory(&c->work);
    r->channels = rows ? outer : inner;
    r->samples = pieces * (rows ? inner : outer);
    r->epochs = a->dims == 3 ? pieces : 0;
    return c->options->columns || c->options->ignore ? choose_channels(c, r) : EXIT_DONE;
}

static int read_npy(const covariance_work *c, recording *r) {
    rm2_array array;
    int code = work_check(&c->work, rm2_npy_read(c->work.ctx, r->path, &array));
    if (code == EXIT_DONE)
        code = convert_array(c, NULL, &array, r);
    rm2_array_clear(&array);
    return code;
}

static int no_array(const covariance_work *c, const recording *r, const rm2_archive *archive,
                    const char *name) {
    char list[400];
    rm2_archive_list(archive, list, sizeof list);
    return work_complain(&c->work, EXIT_BAD_DATA, "%s: no array \"%s\" (--array; the file has: %s)",
                         r->path, name, list);
}

static int read_role(const covariance_work *c, const recording *r, rm2_archive *archive,
                     const char *name, rm2_texts *t) {
    if (!name)
        return EXIT_DONE;
    size_t index = rm2_archive_find(archive, name);
    if (index == SIZE_MAX)
        return no_array(c, r, archive, name);
    int code = work_archive_texts(&c->work, archive, index, t);
    size_t wanted = r->epochs ? r->epochs : r->samples;
    if (code == EXIT_DONE && t->count != wanted)
        return work_complain(&c->work, EXIT_BAD_DATA, "%s: array \"%s\" has %zu entries for %zu %s",
                             r->path, name, t->count, wanted, r->epochs ? "epochs" : "samples");
    return code;
}

static bool is_role(const covariance_options *o, const char *name) {
    const char *const roles[] = {o->group, o->labels ? NULL : o->label, o->events};
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++)
        if (roles[k] && strcmp(roles[k], name) == 0)
            return true;
    return false;
}

/* Numbers with two or three axes, both of them longer than 1. */
static bool may_be_signals(const covariance_options *o, const rm2_archive_entry *e) {
    return !e->refused && !e->texts && !is_role(o, e->name) && (e->dims == 2 || e->dims == 3) &&
           e->shape[0] > 1 && e->shape[1] > 1;
}

/* The array called --array, or "signals", or the only one, or the only one that may be signals. */
static int find_signals(const covariance_work *c, const recording *r, const rm2_archive *archive,
                        size_t *index) {
    const covariance_options *o = c->options;
    const char *name = o->array ? o->array : "signals";
    const rm2_archive_entry *e;
    *index = rm2_archive_find(archive, name);
    if (*index == SIZE_MAX && !o->array && rm2_archive_count(archive) == 1)
        *index = 0;
    if (*index != SIZE_MAX)
        return EXIT_DONE;
    for (size_t k = 0; !o->array && (e = rm2_archive_entry_at(archive, k)); k++) {
        bool fits = may_be_signals(o, e);
        if (fits && *index != SIZE_MAX) {
            char list[400];
            rm2_archive_list(archive, list, sizeof list);
            return work_complain(&c->work, EXIT_BAD_DATA,
                                 "%s: several arrays may be signals; choose one with --array (the "
                                 "file has: %s)",
                                 r->path, list);
        }
        *index = fits ? k : *index;
    }
    return *index == SIZE_MAX ? no_array(c, r, archive, name) : EXIT_DONE;
}

static int read_arrays(const covariance_work *c, rm2_archive *archive, recording *r) {
    const covariance_options *o = c->options;
    rm2_array array = {.dims = 0};
    size_t index;
    int code = find_signals(c, r, archive, &index);
    if (code == EXIT_DONE)
        code = work_check(&c->work, rm2_archive_array(c->work.ctx, archive, index, &array));
    if (code == EXIT_DONE)
        code = convert_array(c, rm2_archive_format_used(archive), &array, r);
    rm2_array_clear(&array);
    if (code == EXIT_DONE)
        code = read_role(c, r, archive, o->group, &r->group);
    if (code == EXIT_DONE && !o->labels)
        code = read_role(c, r, archive, o->label, &r->label);
    return code == EXIT_DONE ? read_role(c, r, archive, o->events, &r->events) : code;
}

static int read_archive(const covariance_work *c, recording *r) {
    rm2_archive *archive;
    int code = work_check(&c->work, rm2_archive_open(c->work.ctx, r->path, &archive));
    if (code == EXIT_DONE) {
        code = read_arrays(c, archive, r);
        rm2_archive_close(archive);
    }
    return code;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* Does the channel grow evenly, as time and counters do? */
static bool is_counter(const recording *r, size_t k) {
    size_t d = r->channels, n = r->samples;
    if (n < 4)
        return false;
    double step = r->values[d + k] - r->values[k];
    for (size_t i = 1; i < n; i++)
        if (!(fabs(r->values[i * d + k] - r->values[(i - 1) * d + k] - step) <= 1e-3 * fabs(step)))
            return false;
    return step != 0;
}

static int check_recording(const covariance_work *c, const recording *r) {
    for (size_t k = 0; k < r->channels; k++)
        if (is_counter(r, k))
            return work_complain(
                &c->work, EXIT_BAD_DATA,
                "%s: channel %zu%s%s%s grows evenly: time, or a counter? Leave it out with "
                "--ignore",
                r->path, k + 1, r->names ? " (\"" : "", r->names ? r->names[k] : "",
                r->names ? "\")" : "");
    return EXIT_DONE;
}

/* Roles need columns, or arrays with names. */
static int check_roles(const covariance_work *c, const char *path) {
    const covariance_options *o = c->options;
    bool roles = o->group || o->events || (o->label && !o->labels);
    bool archive = rm2_archive_format_of(c->work.ctx, path) != NULL;
    bool text = !has_ending(path, ".npy") && !archive;
    if (roles && has_ending(path, ".npy"))
        return work_complain(
            &c->work, EXIT_USAGE,
            "%s: an .npy file has signals alone; --group, --label and --events need a text "
            "file, an .npz or a .mat",
            path);
    if (roles && text && o->channels == CHANNELS_ROWS)
        return work_complain(
            &c->work, EXIT_USAGE,
            "%s: --group, --label and --events are columns of a text file, whose rows are "
            "channels with --channels rows",
            path);
    if (o->array && !archive)
        return work_complain(&c->work, EXIT_USAGE,
                             "%s: --array names an array of an .npz or .mat file", path);
    if (o->epochs != EPOCHS_AUTO && text)
        return work_complain(&c->work, EXIT_USAGE, "%s: --epochs is for arrays of three axes",
                             path);
    return EXIT_DONE;
}

int recording_read(const covariance_work *c, const char *path, recording *r) {
    *r = (recording){.path = path, .subject = subject_of(path)};
    int code = r->subject ? check_roles(c, path) : work_no_memory(&c->work);
    if (code == EXIT_DONE)
        code = has_ending(path, ".npy")                   ? read_npy(c, r)
               : rm2_archive_format_of(c->work.ctx, path) ? read_archive(c, r)
                                                          : read_text(c, r);
    return code == EXIT_DONE ? check_recording(c, r) : code;
}
