/* Tables of text (CSV and TSV) for our own front ends.
 *
 * Headers of src/front are not installed and their functions are not exported: the program, the
 * benchmark and the Python extension, which are linked with the static library, include them. */
#ifndef RM2_FRONT_TABLES_H
#define RM2_FRONT_TABLES_H

#include "riemann2/io.h"

typedef struct rm2_table rm2_table;
typedef struct rm2_csv_settings rm2_csv_settings;

/* Choose the columns to read, once their names are known: the function may set the two lists of the
 * settings, which must live until the file is read. `header` has names and number of the columns
 * and no rows. */
typedef rm2_status (*rm2_csv_choose_fn)(void *user, const rm2_table *header,
                                        rm2_csv_settings *settings);

/* A choice of columns by a list: names, numbers from 0, ranges of numbers, "a,b,3-380"; a name with
 * a comma, or one that looks like a range, stands in double quotes: "\"x, y\",b". Columns with
 * another role are never chosen. */
typedef struct rm2_column_choice {
    const char *columns;      /* in their order; NULL: all remaining columns */
    const char *ignore;       /* list of columns to leave out; NULL: none */
    const char *const *roles; /* columns with another role; entries may be NULL */
    size_t role_count;
} rm2_column_choice;

struct rm2_csv_settings {
    size_t size;             /* as rm2_csv_settings_default sets it */
    char delimiter;          /* 0: found from the first line (comma, tab, semicolon, blanks) */
    rm2_header header;       /* AUTO: a header is a first line with a field that is not a number */
    const char *const *text; /* columns kept as text (ids, labels): names, or 0-based "3" */
    size_t text_count;
    /* Columns read as numbers; other columns, except texts, become NaN. numeric_count 0: all
     * columns must be numbers. */
    const char *const *numeric;
    size_t numeric_count;
    bool allow_missing;              /* empty fields, NA and NaN become NaN; otherwise an error */
    rm2_csv_choose_fn choose;        /* NULL: the lists stay as they are */
    void *user;                      /* first argument of `choose` */
    const rm2_column_choice *choice; /* more columns that are read as numbers; NULL: none */
    /* Larger files, and streams without an end, are refused; 0: any size. */
    size_t most_bytes;
};

static inline rm2_csv_settings rm2_csv_settings_default(void) {
    rm2_csv_settings settings = {0};
    settings.size = sizeof settings;
    return settings;
}

/* Numbers and texts of a CSV file. The table has all columns, in the order of the file; a text
 * column holds codes 0, 1, 2, ... into its list of distinct values, in order of first
 * appearance. */
struct rm2_table {
    size_t rows, columns;
    double *values; /* rows x columns, C order */
    char **names;   /* columns; NULL without a header */
    size_t *lines;  /* rows: line of the file, from 1 */
    char ***texts;  /* columns: distinct texts of a text column, or NULL */
    size_t *text_counts;
};

rm2_status rm2_csv_read(rm2_context *ctx, const char *path, const rm2_csv_settings *settings,
                        rm2_table *table);
/* Free the contents of a table, which is empty then. */
void rm2_table_clear(rm2_table *table);

/* Index of a column by name, or by 0-based number written out; SIZE_MAX if no column matches. */
size_t rm2_table_column(const rm2_table *table, const char *name);

/* Find the columns of a choice. Only names and number of the table's columns are used.
 *
 * @param ctx  context
 * @param source  name of the file, in messages
 * @param table  the table
 * @param choice  the choice
 * @param chosen  result: indices of the columns; it must have room for all columns
 * @param count  result: number of chosen columns
 */
rm2_status rm2_table_choose(rm2_context *ctx, const char *source, const rm2_table *table,
                            const rm2_column_choice *choice, size_t *chosen, size_t *count);

/* Write a table. Reading it gives the same bits of numbers (shortest of %.15g, 16, 17). */
rm2_status rm2_csv_write(rm2_context *ctx, const char *path, const rm2_table *table,
                         bool overwrite);

/* Read a table from memory.
 *
 * @param ctx  context
 * @param name  stands for the path, in messages
 * @param bytes  contents of a CSV file
 * @param size  number of bytes
 * @param settings  NULL: the defaults
 * @param table  result, emptied with rm2_table_clear
 */
rm2_status rm2_csv_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                         const rm2_csv_settings *settings, rm2_table *table);

#endif
