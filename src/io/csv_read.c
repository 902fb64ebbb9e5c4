/* CSV and TSV into a table, in one pass. The rows grow by half when they are full and are trimmed
 * in the end; the text itself is never in memory as a whole. Plain numbers, the bulk of any file,
 * are parsed where they stand; every other cell takes the slower way through the field scanner,
 * which ends in a value, a text code or a message. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"

enum { FIRST_CELLS = 4096 }; /* cells that the first block of rows has room for */

/* Which parts of a file there are. */
typedef struct division {
    size_t count, *at, *lines;
} division;

typedef struct reader {
    rm2i_csv_scanner scanner;
    rm2_csv_settings settings;
    const rm2i_csv_part *part; /* whose rows are read; NULL: all */
    const division *parts;     /* to be found; NULL: rows are read */
    rm2_table *table;
    rm2i_csv_role *roles;
    rm2i_text_set *sets; /* columns: distinct texts so far */
    size_t row_capacity;
    char *scratch; /* an unescaped text */
    size_t scratch_size;
} reader;

static rm2i_csv_stop fail(reader *r, rm2_status status) {
    r->scanner.status = status;
    return RM2I_CSV_BAD;
}

/* "line 3, column 2 ('y')" */
static void prefix_place(const reader *r, rm2_status status, const char *p, size_t column) {
    const rm2i_csv_scanner *s = &r->scanner;
    const char *name = r->table->names ? r->table->names[column] : "";
    char shown[RM2I_SHOWN_SIZE];
    rm2i_shown(name, strlen(name), shown);
    (void)rm2i_fail_prefix(s->ctx, status, "%s: line %zu, column %zu%s%s%s", s->source->name,
                           rm2i_csv_line_at(s, p), column + 1, *name ? " ('" : "", shown,
                           *name ? "')" : "");
}

static rm2i_csv_stop refuse_value(reader *r, const rm2i_csv_field *field, size_t column,
                                  rm2i_csv_kind kind) {
    static const struct {
        rm2_status status;
        const char *reason;
    } refusals[] = {
        [RM2I_CSV_MISSING] = {RM2_ERR_DATA, "is not a number; fill or remove missing values first"},
        [RM2I_CSV_INFINITE] = {RM2_ERR_DATA, "is not a finite number"},
        [RM2I_CSV_TOO_LARGE] = {RM2_ERR_DATA, "is too large for a double"},
        [RM2I_CSV_DECIMAL_COMMA] = {RM2_ERR_FORMAT, "has a decimal comma; write it with a point"},
        [RM2I_CSV_TEXT] = {RM2_ERR_FORMAT,
                           "is not a number; choose the columns to read as numbers "
                           "(settings.numeric), or read this one as text (settings.text)"},
    };
    char shown[RM2I_SHOWN_SIZE];
    rm2_status status = refusals[kind].status;
    rm2i_shown(field->text, field->size, shown);
    if (field->size == 0)
        (void)rm2i_fail(r->scanner.ctx, status,
                        "the value is missing; fill or remove missing values first");
    else
        (void)rm2i_fail(r->scanner.ctx, status, "'%s' %s", shown, refusals[kind].reason);
    prefix_place(r, status, field->text, column);
    return fail(r, status);
}

static rm2i_csv_stop read_odd_number(reader *r, const char **cursor, size_t column, double *value) {
    rm2i_csv_field field;
    rm2i_csv_stop stop = rm2i_csv_scan_field(&r->scanner, cursor, &field);
    if (stop == RM2I_CSV_BAD || stop == RM2I_CSV_CUT)
        return stop;
    rm2i_csv_kind kind = rm2i_csv_classify(field.text, field.size, value);
    bool fine = kind == RM2I_CSV_NUMBER || (kind == RM2I_CSV_MISSING && r->settings.allow_missing);
    return fine ? stop : refuse_value(r, &field, column, kind);
}

static rm2i_csv_stop read_number(reader *r, const char **cursor, size_t column, double *value) {
    const char *start = rm2i_csv_skip_blanks(&r->scanner, *cursor), *next;
    const char *after = rm2i_parse_double(start, value);
    if (after && isfinite(*value)) {
        rm2i_csv_stop stop = rm2i_csv_after_field(&r->scanner, after, &next);
        if (stop != RM2I_CSV_BAD) {
            *cursor = next;
            return stop;
        }
    }
    return read_odd_number(r, cursor, column, value);
}

static rm2_status unescape(reader *r, rm2i_csv_field *field) {
    if (field->size > r->scratch_size) {
        RM2_TRY(rm2i_grow(r->scanner.ctx, 2 * field->size, 1, &r->scratch));
        r->scratch_size = 2 * field->size;
    }
    field->size = rm2i_csv_unescape(field, r->scratch);
    field->text = r->scratch;
    return RM2_OK;
}

static rm2i_csv_stop read_text(reader *r, const char **cursor, size_t column, double *value) {
    rm2i_csv_field field;
    rm2i_csv_stop stop = rm2i_csv_scan_field(&r->scanner, cursor, &field);
    if (stop == RM2I_CSV_BAD || stop == RM2I_CSV_CUT)
        return stop;
    size_t code;
    rm2_status status = field.escaped ? unescape(r, &field) : RM2_OK;
    if (status == RM2_OK)
        status = rm2i_text_set_add(r->scanner.ctx, &r->sets[column], field.text, field.size, &code);
    if (status != RM2_OK)
        return fail(r, status);
    *value = (double)code;
    return stop;
}

static rm2i_csv_stop read_cell(reader *r, const char **cursor, size_t column, double *value) {
    rm2i_csv_field ignored;
    switch (r->roles[column]) {
    case RM2I_CSV_ROLE_NUMBER:
        return read_number(r, cursor, column, value);
    case RM2I_CSV_ROLE_TEXT:
        return read_text(r, cursor, column, value);
    case RM2I_CSV_ROLE_IGNORED:
        break;
    }
    *value = (double)NAN;
    return rm2i_csv_scan_field(&r->scanner, cursor, &ignored);
}

static const char *delimiter_name(char delimiter, char text[4]) {
    if (delimiter == '\t')
        return "tabs";
    if (delimiter == ' ')
        return "blanks";
    text[0] = text[2] = '\'';
    text[1] = delimiter;
    text[3] = '\0';
    return text;
}

static rm2i_csv_stop refuse_ragged(reader *r) {
    rm2i_csv_scanner *s = &r->scanner;
    size_t count;
    bool last_empty;
    char text[4];
    rm2_status status = rm2i_csv_count_fields(s, &count, &last_empty);
    if (status == RM2_OK)
        status = rm2i_fail(s->ctx, RM2_ERR_FORMAT,
                           "%s: line %zu has %zu field%s, expected %zu as in the first line "
                           "(fields are separated by %s)",
                           s->source->name, s->line, count, count == 1 ? "" : "s",
                           r->table->columns, delimiter_name(s->delimiter, text));
    return fail(r, status);
}

/* After the last column: a delimiter at the very end of the line is no field. */
static rm2i_csv_stop read_surplus(reader *r, const char **cursor) {
    rm2i_csv_field field;
    rm2i_csv_stop stop = rm2i_csv_scan_field(&r->scanner, cursor, &field);
    if (stop == RM2I_CSV_BAD || stop == RM2I_CSV_CUT)
        return stop;
    return stop == RM2I_CSV_LAST && field.size == 0 && !field.quoted ? stop : refuse_ragged(r);
}

static rm2i_csv_stop read_row(reader *r, const char **cursor, double *row) {
    size_t columns = r->table->columns;
    rm2i_csv_stop stop = RM2I_CSV_NEXT;
    size_t c = 0;
    for (; c < columns && stop == RM2I_CSV_NEXT; c++)
        stop = read_cell(r, cursor, c, &row[c]);
    if (stop == RM2I_CSV_NEXT)
        return read_surplus(r, cursor);
    return stop == RM2I_CSV_LAST && c < columns ? refuse_ragged(r) : stop;
}

static rm2_status set_row_capacity(reader *r, size_t capacity) {
    rm2_table *table = r->table;
    rm2_context *ctx = r->scanner.ctx;
    size_t cells;
    if (__builtin_mul_overflow(capacity, table->columns, &cells))
        cells = SIZE_MAX;
    RM2_TRY(rm2i_grow(ctx, cells, sizeof *table->values, &table->values));
    RM2_TRY(rm2i_grow(ctx, capacity, sizeof *table->lines, &table->lines));
    r->row_capacity = capacity;
    return RM2_OK;
}

static rm2_status append_row(reader *r) {
    rm2_table *table = r->table;
    if (table->rows == r->row_capacity) {
        size_t more = r->row_capacity / 2;
        RM2_TRY(set_row_capacity(r, r->row_capacity +
                                        (more ? more : FIRST_CELLS / table->columns + 1)));
    }
    double *row = table->values + table->rows * table->columns;
    for (;;) {
        const char *cursor = r->scanner.record;
        rm2i_csv_stop stop = read_row(r, &cursor, row);
        if (stop == RM2I_CSV_BAD)
            return r->scanner.status;
        if (stop == RM2I_CSV_CUT) {
            RM2_TRY(rm2i_csv_more(&r->scanner));
            continue;
        }
        table->lines[table->rows++] = r->scanner.line;
        rm2i_csv_end_record(&r->scanner, cursor);
        return RM2_OK;
    }
}

static rm2_status allocate_columns(reader *r) {
    rm2_table *table = r->table;
    rm2_context *ctx = r->scanner.ctx;
    RM2_TRY(rm2i_calloc(ctx, table->columns, sizeof *r->sets, &r->sets));
    RM2_TRY(rm2i_calloc(ctx, table->columns, sizeof *table->text_counts, &table->text_counts));
    return rm2i_calloc(ctx, table->columns, sizeof *table->texts, &table->texts);
}

static rm2_status finish(reader *r) {
    rm2_table *table = r->table;
    RM2_TRY(set_row_capacity(r, table->rows));
    for (size_t c = 0; c < table->columns; c++)
        if (r->roles[c] == RM2I_CSV_ROLE_TEXT)
            RM2_TRY(rm2i_text_set_consume(r->scanner.ctx, &r->sets[c], &table->texts[c],
                                          &table->text_counts[c]));
    return RM2_OK;
}

static rm2_status read_rows(reader *r) {
    bool found;
    RM2_TRY(allocate_columns(r));
    for (;;) {
        RM2_TRY(rm2i_csv_find_record(&r->scanner, &found));
        if (!found)
            return finish(r);
        RM2_TRY(append_row(r));
    }
}

static rm2_status find_parts(reader *r) {
    return rm2i_csv_find_parts(&r->scanner, r->parts->count, r->parts->at, r->parts->lines);
}

static rm2_status find_first_row(reader *r) {
    bool found;
    RM2_TRY(rm2i_csv_find_record(&r->scanner, &found));
    return found ? RM2_OK
                 : rm2i_fail(r->scanner.ctx, RM2_ERR_FORMAT, "%s has a header and no rows",
                             r->scanner.source->name);
}

static rm2_status read_table(reader *r) {
    rm2i_csv_scanner *s = &r->scanner;
    bool found;
    RM2_TRY(rm2i_csv_find_record(s, &found));
    if (!found)
        return rm2i_fail(s->ctx, RM2_ERR_FORMAT,
                         "%s holds no table: all its lines are blank or "
                         "comments",
                         s->source->name);
    RM2_TRY(rm2i_csv_read_header(s, &r->settings, r->table, &r->roles));
    RM2_TRY(r->part ? rm2i_csv_enter_part(s, r->part) : find_first_row(r));
    return r->parts ? find_parts(r) : read_rows(r);
}

static void close_reader(reader *r) {
    for (size_t c = 0; r->sets && c < r->table->columns; c++)
        rm2i_text_set_free(&r->sets[c]);
    free(r->sets);
    free(r->roles);
    free(r->scratch);
    rm2i_csv_scanner_close(&r->scanner);
}

static bool legal_delimiter(char c) {
    return c == '\0' || c == '\t' || (c >= ' ' && c <= '/' && !strchr("\"#+-.", c)) ||
           (c >= ':' && c <= '@') || c == '|' || c == '~' || c == '^';
}

static rm2_status check_settings(rm2_context *ctx, const rm2_csv_settings *used) {
    char shown[RM2I_SHOWN_SIZE];
    if ((unsigned)used->header > RM2_HEADER_NO)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.header is %d, not an rm2_header",
                         (int)used->header);
    if (!legal_delimiter(used->delimiter))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "this character cannot separate fields: '%s'",
                         rm2i_shown(&used->delimiter, 1, shown));
    if ((used->text_count > 0 && !used->text) || (used->numeric_count > 0 && !used->numeric))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.%s is NULL",
                         used->text_count > 0 && !used->text ? "text" : "numeric");
    return RM2_OK;
}

/* What is asked for is in `r`; its table is empty after a failure. */
static rm2_status read_source(rm2_context *ctx, rm2i_source *source,
                              const rm2_csv_settings *settings, reader *r) {
    rm2_csv_settings *used = &r->settings;
    *used = rm2_csv_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, settings, used));
    RM2_TRY(check_settings(ctx, used));
    if (used->most_bytes > 0)
        RM2_TRY(rm2i_source_limit(source, used->most_bytes));
    rm2i_c_locale scope;
    RM2_TRY(rm2i_c_locale_enter(ctx, &scope));
    rm2_status status = rm2i_csv_scanner_open(ctx, source, used->delimiter, &r->scanner);
    if (status == RM2_OK)
        status = read_table(r);
    close_reader(r);
    rm2i_c_locale_leave(&scope);
    if (status != RM2_OK)
        rm2_table_clear(r->table);
    return status;
}

rm2_status rm2i_csv_load(rm2_context *ctx, rm2i_source *source, const rm2_csv_settings *settings,
                         const rm2i_csv_part *part, rm2_table *table) {
    reader r = {.table = table, .part = part};
    *table = (rm2_table){0};
    return read_source(ctx, source, settings, &r);
}

rm2_status rm2i_csv_divide(rm2_context *ctx, rm2i_source *source, const rm2_csv_settings *settings,
                           size_t count, size_t *at, size_t *lines) {
    rm2_table columns = {0};
    const division parts = {count, at, lines};
    reader r = {.table = &columns, .parts = &parts};
    rm2_status status = read_source(ctx, source, settings, &r);
    rm2_table_clear(&columns);
    return status;
}

rm2_status rm2_csv_read(rm2_context *ctx, const char *path, const rm2_csv_settings *settings,
                        rm2_table *table) {
    RM2_REQUIRE(ctx, table);
    *table = (rm2_table){0};
    RM2_REQUIRE(ctx, path);
    RM2_TRY(rm2i_refuse_foreign(ctx, path));
    rm2i_source source;
    RM2_TRY(rm2i_source_open(ctx, path, &source));
    rm2_status status = rm2i_csv_load(ctx, &source, settings, NULL, table);
    rm2i_source_close(&source);
    return status;
}

rm2_status rm2_csv_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                         const rm2_csv_settings *settings, rm2_table *table) {
    RM2_REQUIRE(ctx, table);
    *table = (rm2_table){0};
    RM2_REQUIRE(ctx, name);
    if (size > 0)
        RM2_REQUIRE(ctx, bytes);
    rm2i_source source;
    rm2i_source_memory(ctx, name, bytes, size, &source);
    return rm2i_csv_load(ctx, &source, settings, NULL, table);
}
