/* A table as CSV, or as TSV where the path ends in ".tsv". Fields are quoted whenever a reader
 * that guesses delimiter and comments from the first lines could misunderstand them; numbers have
 * the digits that give the same bits again. */
#include <errno.h>
#include <string.h>

#include "io/io.h"

/* A text of a plain ASCII start without marks, blanks and control characters needs none. */
static bool needs_quotes(const char *text) {
    unsigned char first = (unsigned char)*text;
    if (first == '\0' || first == '#' || first >= 0x80) /* blank, comment, byte order mark */
        return true;
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p <= ' ' || strchr(",;\"", *p))
            return true;
    return false;
}

static void print_text(FILE *stream, const char *text) {
    if (!needs_quotes(text)) {
        (void)fputs(text, stream);
        return;
    }
    (void)putc('"', stream);
    for (; *text; text++) {
        if (*text == '"')
            (void)putc('"', stream);
        (void)putc(*text, stream);
    }
    (void)putc('"', stream);
}

static rm2_status print_cell(rm2_context *ctx, FILE *stream, const rm2_table *table, size_t row,
                             size_t column) {
    double value = table->values[row * table->columns + column];
    if (!table->texts || !table->texts[column]) {
        char text[RM2I_NUMBER_SIZE];
        rm2i_format_double(value, text);
        (void)fputs(text, stream);
        return RM2_OK;
    }
    if (!(value >= 0 && value < (double)table->text_counts[column]))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "row %zu, column %zu: unknown text code %g", row,
                         column, value);
    print_text(stream, table->texts[column][(size_t)value]);
    return RM2_OK;
}

static void print_names(FILE *stream, const rm2_table *table, char delimiter) {
    for (size_t c = 0; c < table->columns; c++) {
        if (c > 0)
            (void)putc(delimiter, stream);
        print_text(stream, table->names[c]);
    }
    (void)putc('\n', stream);
}

static rm2_status print_row(rm2_context *ctx, FILE *stream, const rm2_table *table, size_t row,
                            char delimiter) {
    for (size_t c = 0; c < table->columns; c++) {
        if (c > 0)
            (void)putc(delimiter, stream);
        RM2_TRY(print_cell(ctx, stream, table, row, c));
    }
    (void)putc('\n', stream);
    return RM2_OK;
}

static rm2_status print_rows(rm2_context *ctx, FILE *stream, const char *name,
                             const rm2_table *table, char delimiter) {
    errno = 0;
    if (table->names)
        print_names(stream, table, delimiter);
    for (size_t i = 0; i < table->rows; i++) {
        RM2_TRY(print_row(ctx, stream, table, i, delimiter));
        RM2_TRY(rm2i_stream_check(ctx, stream, name));
        if (rm2i_interrupted(ctx))
            return rm2i_fail(ctx, RM2_INTERRUPTED, "interrupted while writing %s", name);
    }
    return RM2_OK;
}

rm2_status rm2i_csv_print(rm2_context *ctx, FILE *stream, const char *name, const rm2_table *table,
                          char delimiter) {
    rm2i_c_locale scope;
    RM2_TRY(rm2i_c_locale_enter(ctx, &scope));
    rm2_status status = print_rows(ctx, stream, name, table, delimiter);
    rm2i_c_locale_leave(&scope);
    return status;
}

rm2_status rm2_csv_write(rm2_context *ctx, const char *path, const rm2_table *table,
                         bool overwrite) {
    RM2_REQUIRE(ctx, path, table);
    if (table->columns == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the table has no columns");
    if (table->rows > 0)
        RM2_REQUIRE(ctx, table->values);
    if (table->texts)
        RM2_REQUIRE(ctx, table->text_counts);
    rm2_writer *output;
    RM2_TRY(rm2_writer_open(ctx, path, overwrite, &output));
    rm2_status status = rm2i_csv_print(ctx, rm2_writer_stream(output), path, table,
                                       rm2i_ends_with(path, ".tsv") ? '\t' : ',');
    if (status == RM2_OK)
        return rm2_writer_commit(ctx, output);
    rm2_writer_discard(output);
    return status;
}
