/* CSV and TSV to raw rows: which columns are points, which are trajectory ids, labels, time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "data/data.h"
#include "riemann2/io.h"

/* The texts of a text column become the names; the table keeps none. */
static rm2_status consume_codes(rm2_context *ctx, const char *path, rm2_table *table, size_t column,
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

static rm2_status copy_time(rm2_context *ctx, const rm2_table *table, size_t column,
                            double **time) {
    RM2_TRY(rm2i_alloc(ctx, table->rows, sizeof **time, time));
    for (size_t i = 0; i < table->rows; i++)
        (*time)[i] = table->values[i * table->columns + column];
    return RM2_OK;
}

/* Keep the chosen columns, in their order, in the same memory. */
static rm2_status copy_values(rm2_context *ctx, rm2_table *table, size_t count, rm2i_raw *raw) {
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

static rm2_status copy_names(rm2_context *ctx, const rm2_table *table, rm2i_raw *raw) {
    if (!table->names)
        return RM2_OK;
    RM2_TRY(rm2i_calloc(ctx, raw->width, sizeof *raw->names, &raw->names));
    for (size_t k = 0; k < raw->width; k++)
        RM2_TRY(rm2i_strdup(ctx, table->names[raw->columns[k]], &raw->names[k]));
    return RM2_OK;
}

/* Columns with a role, and how the others are chosen. */
typedef struct roles {
    const char *names[3]; /* group, label, time */
    rm2_column_choice choice;
} roles;

static void find_roles(const rm2_data_settings *s, roles *r) {
    *r = (roles){.names = {s->group, s->label, s->time}};
    r->choice = (rm2_column_choice){s->columns, s->ignore, r->names, 3};
}

static rm2_status convert_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                rm2_table *table, rm2i_raw *raw) {
    roles r;
    size_t count;
    find_roles(s, &r);
    RM2_TRY(rm2i_table_choose(ctx, path, table, &r.choice, raw->columns, &count));
    if (count == 0)
        return rm2i_fail(ctx, RM2_ERR_DATA, "%s: no columns remain for the points", path);
    if (s->group)
        RM2_TRY(consume_codes(ctx, path, table, rm2_table_column(table, s->group), &raw->group));
    if (s->label)
        RM2_TRY(consume_codes(ctx, path, table, rm2_table_column(table, s->label), &raw->label));
    if (s->time)
        RM2_TRY(copy_time(ctx, table, rm2_table_column(table, s->time), &raw->time));
    RM2_TRY(copy_values(ctx, table, count, raw));
    return copy_names(ctx, table, raw);
}

/* How the file is read, and what the settings point to. */
typedef struct reading {
    rm2_csv_settings csv;
    const char *text[2];
    roles r;
} reading;

static void choose_reading(const rm2_data_settings *s, reading *how) {
    how->csv = rm2_csv_settings_default();
    rm2_csv_settings *csv = &how->csv;
    find_roles(s, &how->r);
    csv->delimiter = s->delimiter;
    csv->header = s->header;
    csv->allow_missing = s->allow_missing;
    csv->text = how->text;
    if (s->group)
        how->text[csv->text_count++] = s->group;
    if (s->label)
        how->text[csv->text_count++] = s->label;
    if (s->columns || s->ignore) { /* columns that are not chosen may hold anything */
        csv->choice = &how->r.choice;
        csv->numeric = &s->time;
        csv->numeric_count = s->time ? 1 : 0;
    }
}

rm2_status rm2i_raw_consume_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                  rm2_table *table, rm2i_raw *raw) {
    if (!table->values || !table->lines)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s: a table that was read from a file is needed",
                         path);
    RM2_TRY(rm2i_alloc(ctx, table->columns, sizeof *raw->columns, &raw->columns));
    return convert_table(ctx, path, s, table, raw);
}

static rm2_status open_source(rm2_context *ctx, const char *path, rm2i_source *source) {
    RM2_TRY(rm2i_refuse_foreign(ctx, path));
    return rm2i_source_open(ctx, path, source);
}

rm2_status rm2i_raw_divide_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                 size_t parts, size_t *at, size_t *lines) {
    reading how;
    rm2i_source source;
    choose_reading(s, &how);
    RM2_TRY(open_source(ctx, path, &source));
    rm2_status status = rm2i_csv_divide(ctx, &source, &how.csv, parts, at, lines);
    rm2i_source_close(&source);
    return status;
}

rm2_status rm2i_raw_part_of_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                  const rm2i_csv_part *part, rm2i_raw *raw) {
    reading how;
    rm2i_source source;
    rm2_table table;
    choose_reading(s, &how);
    RM2_TRY(open_source(ctx, path, &source));
    rm2_status status = rm2i_csv_load(ctx, &source, &how.csv, part, &table);
    rm2i_source_close(&source);
    if (status == RM2_OK)
        status = rm2i_raw_consume_table(ctx, path, s, &table, raw);
    rm2_table_clear(&table);
    return status;
}

rm2_status rm2i_raw_from_table(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                               rm2i_raw *raw) {
    return rm2i_raw_part_of_table(ctx, path, s, NULL, raw);
}
