/* CSV and TSV to raw rows: which columns are points, which are trajectory ids, labels, time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "riemann2/io.h"

/* "3 columns: a, b, c" for messages. */
static void list_columns(const rm2_table *table, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "%zu columns", table->columns);
    for (size_t k = 0; table->names && k < table->columns && used + 32 < size; k++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%.20s", k ? ", " : ": ", table->names[k]);
    if (table->names && used + 32 >= size)
        (void)snprintf(text + used, size - used, ", ...");
}

static rm2_status find_column(rm2_context *ctx, const char *path, const rm2_table *table,
                              const char *name, size_t *column) {
    *column = rm2_table_column(table, name);
    if (*column != SIZE_MAX)
        return RM2_OK;
    char columns[300];
    list_columns(table, columns, sizeof columns);
    return rm2i_fail(ctx, RM2_ERR_DATA, "%s has no column '%.60s'; it has %s", path, name, columns);
}

/* Columns named in settings->columns, or all that have no other role (role[k] is true if so). */
static rm2_status choose_columns(rm2_context *ctx, const char *path, const rm2_table *table,
                                 const char *list, bool *role, size_t *chosen, size_t *count) {
    *count = 0;
    for (size_t k = 0; !list && k < table->columns; k++)
        if (!role[k])
            chosen[(*count)++] = k;
    const char *item;
    size_t length;
    while (list && (item = rm2i_next_item(&list, &length))) {
        char name[256];
        (void)snprintf(name, sizeof name, "%.*s", (int)(length < 255 ? length : 255), item);
        size_t column;
        RM2_TRY(find_column(ctx, path, table, name, &column));
        if (role[column])
            return rm2i_fail(ctx, RM2_ERR_DATA, "%s: column \"%s\" is used twice", path, name);
        role[column] = true;
        chosen[(*count)++] = column;
    }
    return RM2_OK;
}

/* The texts of a text column become the names; the table keeps none. */
static rm2_status take_codes(rm2_context *ctx, const char *path, rm2_table *table, size_t column,
                             rm2i_codes *codes) {
    if (!table->texts || !table->texts[column])
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "%s: column %zu has ids or labels, but was not read "
                         "as text",
                         path, column);
    RM2_TRY(rm2i_alloc(ctx, table->rows, sizeof *codes->code, &codes->code));
    for (size_t i = 0; i < table->rows; i++)
        codes->code[i] = (size_t)table->values[i * table->columns + column];
    codes->names = table->texts[column];
    codes->count = table->text_counts[column];
    table->texts[column] = NULL;
    table->text_counts[column] = 0;
    return RM2_OK;
}

static rm2_status take_time(rm2_context *ctx, const rm2_table *table, size_t column,
                            double **time) {
    RM2_TRY(rm2i_alloc(ctx, table->rows, sizeof **time, time));
    for (size_t i = 0; i < table->rows; i++)
        (*time)[i] = table->values[i * table->columns + column];
    return RM2_OK;
}

/* Keep the chosen columns, in their order, in the same memory. */
static rm2_status take_values(rm2_context *ctx, rm2_table *table, size_t count, rm2i_raw *raw) {
    double *row;
    RM2_TRY(rm2i_alloc(ctx, count, sizeof *row, &row));
    for (size_t i = 0; i < table->rows; i++) {
        for (size_t k = 0; k < count; k++)
            row[k] = table->values[i * table->columns + raw->columns[k]];
        memcpy(table->values + i * count, row, count * sizeof *row);
    }
    free(row);
    raw->rows = table->rows;
    raw->width = count;
    raw->values = table->values;
    raw->numbers = table->lines;
    raw->row_word = "line";
    table->values = NULL;
    table->lines = NULL;
    return RM2_OK;
}

static rm2_status take_names(rm2_context *ctx, const rm2_table *table, rm2i_raw *raw) {
    if (!table->names)
        return RM2_OK;
    RM2_TRY(rm2i_calloc(ctx, raw->width, sizeof *raw->names, &raw->names));
    for (size_t k = 0; k < raw->width; k++)
        RM2_TRY(rm2i_strdup(ctx, table->names[raw->columns[k]], &raw->names[k]));
    return RM2_OK;
}

/* Column of a role, marked as taken; SIZE_MAX if the role is not asked for. */
static rm2_status role_column(rm2_context *ctx, const char *path, const rm2_table *table,
                              const char *name, bool *role, size_t *column) {
    *column = SIZE_MAX;
    if (!name)
        return RM2_OK;
    RM2_TRY(find_column(ctx, path, table, name, column));
    if (role[*column])
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: column \"%.60s\" is used twice", path, name);
    role[*column] = true;
    return RM2_OK;
}

static rm2_status take_all(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                           rm2_table *table, bool *role, rm2i_raw *raw) {
    size_t group, label, time, count;
    RM2_TRY(role_column(ctx, path, table, s->group, role, &group));
    RM2_TRY(role_column(ctx, path, table, s->label, role, &label));
    RM2_TRY(role_column(ctx, path, table, s->time, role, &time));
    RM2_TRY(choose_columns(ctx, path, table, s->columns, role, raw->columns, &count));
    if (count == 0)
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: no columns left for the points", path);
    if (group != SIZE_MAX)
        RM2_TRY(take_codes(ctx, path, table, group, &raw->group));
    if (label != SIZE_MAX)
        RM2_TRY(take_codes(ctx, path, table, label, &raw->label));
    if (time != SIZE_MAX)
        RM2_TRY(take_time(ctx, table, time, &raw->time));
    RM2_TRY(take_values(ctx, table, count, raw));
    return take_names(ctx, table, raw);
}

/* The names in "a,b,c" and one more (or NULL), each a string of its own. */
static rm2_status split_names(rm2_context *ctx, const char *list, const char *more, char ***names,
                              size_t *count) {
    const char *item, *rest = list;
    size_t length, most = 2;
    while (rm2i_next_item(&rest, &length))
        most++;
    *count = 0;
    RM2_TRY(rm2i_calloc(ctx, most, sizeof **names, names));
    while ((item = rm2i_next_item(&list, &length))) {
        RM2_TRY(rm2i_alloc(ctx, length + 1, 1, &(*names)[*count]));
        (void)snprintf((*names)[(*count)++], length + 1, "%s", item);
    }
    if (more)
        RM2_TRY(rm2i_strdup(ctx, more, &(*names)[(*count)++]));
    return RM2_OK;
}

static rm2_status read_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                             rm2_table *table) {
    const char *text[2];
    rm2_csv_settings csv = rm2_csv_settings_default();
    csv.delimiter = s->delimiter;
    csv.header = s->header;
    csv.allow_missing = s->allow_missing;
    csv.text = text;
    if (s->group)
        text[csv.text_count++] = s->group;
    if (s->label)
        text[csv.text_count++] = s->label;
    char **numeric = NULL; /* other columns may hold anything, if columns are chosen */
    size_t count = 0;
    rm2_status status =
        s->columns ? split_names(ctx, s->columns, s->time, &numeric, &count) : RM2_OK;
    csv.numeric = (const char *const *)numeric;
    csv.numeric_count = count;
    if (status == RM2_OK)
        status = rm2_csv_read(ctx, path, &csv, table);
    rm2i_texts_free(numeric, count);
    return status;
}

rm2_status rm2i_raw_take_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               rm2_table *table, rm2i_raw *raw) {
    bool *role = NULL;
    if (!table->values || !table->lines)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: a table that was read from a file is needed",
                         path);
    rm2_status status = rm2i_calloc(ctx, table->columns, sizeof *role, &role);
    if (status == RM2_OK)
        status = rm2i_alloc(ctx, table->columns, sizeof *raw->columns, &raw->columns);
    if (status == RM2_OK)
        status = take_all(ctx, path, s, table, role, raw);
    free(role);
    return status;
}

rm2_status rm2i_raw_from_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               rm2i_raw *raw) {
    rm2_table table;
    RM2_TRY(read_table(ctx, path, s, &table));
    rm2_status status = rm2i_raw_take_table(ctx, path, s, &table, raw);
    rm2_table_clear(&table);
    return status;
}
