/* First record of a CSV file: delimiter, number of columns, names, roles.
 *
 * The delimiter is the first of tab, semicolon, comma and blank that stands outside quotes in the
 * first record. This order lets a file with decimal commas be split rightly and refused for the
 * right reason.
 *
 * Whether there is a header is settled so, unless the caller says it: a column asked for by name
 * needs one; otherwise the first record is a header if a column that is read as numbers has a text
 * there. Columns listed by number as text say nothing, as their values are texts in every row.
 *
 * Which columns are read may depend on the names: then the caller chooses them (`choose`), and names that
 * he may ask for do not make a header.
 *
 * A delimiter at the very end of the first record adds no column, except in a file without header
 * whose missing values are welcome: there it is one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/csv.h"

typedef struct seen_marks {
    bool tab, semicolon, comma, blank;
} seen_marks;

static bool opens_quote(const rm2i_csv_scanner *scanner, const char *p) {
    return *p == '"' && (p == scanner->record || strchr("\t;, ", p[-1]));
}

/* Which delimiters the record has; false if the window ends before the record does. */
static bool look_for_marks(const rm2i_csv_scanner *scanner, seen_marks *seen) {
    *seen = (seen_marks){0};
    bool quoted = false;
    const char *p = scanner->record;
    while (*p == ' ')
        p++;
    for (; p < scanner->end && (quoted || *p != '\n'); p++) {
        if (quoted || opens_quote(scanner, p)) {
            quoted = quoted != (*p == '"');
            continue;
        }
        seen->tab |= *p == '\t';
        seen->semicolon |= *p == ';';
        seen->comma |= *p == ',';
        seen->blank |= *p == ' ' && p[1] != ' ' && p[1] != '\r' && p[1] != '\n' && p[1] != '\0';
    }
    return p < scanner->end || scanner->at_end;
}

static rm2_status detect_delimiter(rm2i_csv_scanner *scanner) {
    seen_marks seen;
    while (!look_for_marks(scanner, &seen))
        RM2_TRY(rm2i_csv_more(scanner));
    bool only_blanks = seen.blank && !seen.comma;
    scanner->delimiter = (char)(seen.tab ? '\t' : seen.semicolon ? ';' : only_blanks ? ' ' : ',');
    return RM2_OK;
}

/* Copies of the fields of the first record, which is whole in the window. */
static rm2_status copy_fields(rm2i_csv_scanner *scanner, size_t count, char **copies,
                              const char **record_end) {
    const char *cursor = scanner->record;
    for (size_t c = 0; c < count; c++) {
        rm2i_csv_field field;
        (void)rm2i_csv_scan_field(scanner, &cursor, &field);
        RM2_TRY(rm2i_alloc(scanner->ctx, field.size + 1, 1, &copies[c]));
        copies[c][rm2i_csv_unescape(&field, copies[c])] = '\0';
    }
    *record_end = cursor;
    return RM2_OK;
}

/* Give the listed columns a role; returns the first name that is not there, or NULL. */
static const char *assign_role(const rm2_table *table, const char *const *names, size_t count,
                               rm2i_csv_role role, rm2i_csv_role *roles) {
    const char *unknown = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t c = rm2_table_column(table, names[i]);
        if (c != SIZE_MAX)
            roles[c] = role;
        else if (!unknown)
            unknown = names[i];
    }
    return unknown;
}

static const char *assign_roles(const rm2_table *table, const rm2_csv_settings *settings,
                                rm2i_csv_role *roles) {
    bool chosen = settings->numeric_count > 0 || settings->choice;
    for (size_t c = 0; c < table->columns; c++)
        roles[c] = chosen ? RM2I_CSV_ROLE_IGNORED : RM2I_CSV_ROLE_NUMBER;
    const char *no_number =
        assign_role(table, settings->numeric, settings->numeric_count, RM2I_CSV_ROLE_NUMBER, roles);
    const char *no_text =
        assign_role(table, settings->text, settings->text_count, RM2I_CSV_ROLE_TEXT, roles);
    return no_number ? no_number : no_text;
}

/* Columns of the choice, on top of the other roles. */
static rm2_status assign_choice(rm2_context *ctx, const char *source, const rm2_table *table,
                                const rm2_column_choice *choice, rm2i_csv_role *roles) {
    size_t *chosen, count;
    if (!choice)
        return RM2_OK;
    RM2_TRY(rm2i_alloc(ctx, table->columns, sizeof *chosen, &chosen));
    rm2_status status = rm2i_table_choose(ctx, source, table, choice, chosen, &count);
    for (size_t k = 0; status == RM2_OK && k < count; k++)
        roles[chosen[k]] = RM2I_CSV_ROLE_NUMBER;
    free(chosen);
    return status;
}

static bool any_name(const char *const *columns, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (rm2i_written_number(columns[i]) == SIZE_MAX)
            return true;
    return false;
}

static bool looks_like_header(const rm2_table *table, const rm2i_csv_role *roles) {
    for (size_t c = 0; c < table->columns; c++) {
        double ignored;
        const char *text = table->names[c];
        if (roles[c] == RM2I_CSV_ROLE_NUMBER &&
            rm2i_csv_classify(text, strlen(text), &ignored) == RM2I_CSV_TEXT)
            return true;
    }
    return false;
}

/* `table->names` holds the fields of the first record, whatever they are. */
static bool decide_header(rm2_table *table, const rm2_csv_settings *settings,
                          rm2i_csv_role *roles) {
    if (settings->header != RM2_HEADER_AUTO)
        return settings->header == RM2_HEADER_YES;
    if (any_name(settings->text, settings->text_count) ||
        any_name(settings->numeric, settings->numeric_count) ||
        (settings->choice && rm2i_choice_has_names(settings->choice)))
        return true;
    rm2_table by_number = {.columns = table->columns};
    (void)assign_roles(&by_number, settings, roles);
    (void)assign_choice(NULL, "", &by_number, settings->choice, roles);
    return looks_like_header(table, roles);
}

/* Names that appear twice, and numbers as names, are legal and rarely meant. */
static rm2_status warn_about_names(const rm2i_csv_scanner *scanner, const rm2_table *table) {
    rm2i_text_set set = {0};
    rm2_status status = RM2_OK;
    for (size_t c = 0; status == RM2_OK && c < table->columns; c++) {
        const char *name = table->names[c];
        size_t size = strlen(name), before = set.count, ignored;
        double value;
        char shown[RM2I_SHOWN_SIZE];
        status = rm2i_text_set_add(scanner->ctx, &set, name, size, &ignored);
        rm2i_shown(name, size, shown);
        if (status == RM2_OK && set.count == before)
            rm2i_log(scanner->ctx, RM2_LOG_WARNING, "%s: two columns have the name '%s'",
                     scanner->source->name, shown);
        if (rm2i_csv_classify(name, size, &value) == RM2I_CSV_NUMBER)
            rm2i_log(scanner->ctx, RM2_LOG_WARNING,
                     "%s: line %zu is taken as the header, though '%s' in it is a number",
                     scanner->source->name, scanner->line, shown);
    }
    rm2i_text_set_free(&set);
    return status;
}

static void drop_last_column(rm2_table *table) {
    table->columns--;
    free(table->names[table->columns]);
    table->names[table->columns] = NULL;
}

static void drop_names(rm2_table *table) {
    rm2i_texts_free(table->names, table->columns);
    table->names = NULL;
}

rm2_status rm2i_csv_read_header(rm2i_csv_scanner *scanner, const rm2_csv_settings *settings,
                                rm2_table *table, rm2i_csv_role **roles) {
    size_t count;
    bool last_empty;
    const char *record_end;
    if (scanner->delimiter == '\0')
        RM2_TRY(detect_delimiter(scanner));
    RM2_TRY(rm2i_csv_count_fields(scanner, &count, &last_empty));
    RM2_TRY(rm2i_calloc(scanner->ctx, count, sizeof *table->names, &table->names));
    table->columns = count;
    RM2_TRY(rm2i_calloc(scanner->ctx, count, sizeof **roles, roles));
    RM2_TRY(copy_fields(scanner, count, table->names, &record_end));

    bool header = decide_header(table, settings, *roles);
    if (last_empty && count > 1 && (header || !settings->allow_missing))
        drop_last_column(table);
    if (header) {
        RM2_TRY(warn_about_names(scanner, table));
        rm2i_csv_end_record(scanner, record_end);
    } else {
        drop_names(table);
    }
    rm2_csv_settings chosen = *settings;
    if (chosen.choose)
        RM2_TRY(chosen.choose(chosen.user, table, &chosen));
    const char *unknown = assign_roles(table, &chosen, *roles);
    return unknown
               ? rm2i_no_column(scanner->ctx, scanner->source->name, table, unknown)
               : assign_choice(scanner->ctx, scanner->source->name, table, chosen.choice, *roles);
}
