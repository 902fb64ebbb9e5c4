/* Tables of text (CSV and TSV) for our own front ends.
 *
 * Front headers are not installed and their functions are not exported: the program, the benchmark and the Python
 * extension, which are linked with the static library, include them. */
#ifndef RM2_FRONT_TABLES_H
#define RM2_FRONT_TABLES_H

#include "riemann2/io.h"

typedef struct rm2_table rm2_table;
typedef struct rm2_csv_settings rm2_csv_settings;

/* Which columns to read, once their names are known: may set the two lists of the settings, which must
 * stay until the file is read. `header` has names and number of the columns and no rows. */
typedef rm2_status (*rm2_csv_choose_fn)(void *user, const rm2_table *header,
                                        rm2_csv_settings *settings);

/* Columns by a list: names, numbers from 0, ranges of numbers, "a,b,3-380"; a name with a comma, or one that looks like
 * a range, stands in double quotes: "\"x, y\",b". Columns with another role are none of them. */
typedef struct rm2_column_choice {
    const char *columns; /* in their order; NULL: all that are left */
    const char *ignore;  /* a list of those to leave out; NULL: none */
    const char *const *roles;
    size_t role_count; /* entries may be NULL */
} rm2_column_choice;

struct rm2_csv_settings {
    size_t size;             /* as rm2_csv_settings_default sets it */
    char delimiter;          /* 0: found from the first line (comma, tab, semicolon, blanks) */
    rm2_header header;       /* AUTO: a header is a first line with a field that is not a number */
    const char *const *text; /* columns kept as text (ids, labels): names, or 0-based "3" */
    size_t text_count;
    const char *const *numeric; /* columns read as numbers; the others, text apart, become NaN */
    size_t numeric_count;       /* 0: all columns must be numbers */
    bool allow_missing;         /* empty fields, NA and NaN become NaN; otherwise an error */
    rm2_csv_choose_fn choose;   /* NULL: the lists are as they are */
    void *user;                 /* of it */
    const rm2_column_choice *choice; /* more columns that are read as numbers; NULL: none */
    size_t most_bytes; /* larger files are refused, as are streams without an end; 0: any size */
};

static inline rm2_csv_settings rm2_csv_settings_default(void) {
    rm2_csv_settings settings = {0};
    settings.size = sizeof settings;
    return settings;
}

/* Numbers and texts of a CSV file. All columns are there, in the order of the file; a text column
 * holds codes 0, 1, 2, ... into its list of distinct values, in order of first appearance. */
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
void rm2_table_clear(rm2_table *table); /* frees what is in it; it is empty then */

/* Column by name, or by 0-based number written out; SIZE_MAX if there is none. */
size_t rm2_table_column(const rm2_table *table, const char *name);

/* The columns of a choice, from names and number of the table's columns alone; `chosen` has room for all of
 * them. `source` is the file in messages. */
rm2_status rm2_table_choose(rm2_context *ctx, const char *source, const rm2_table *table,
                            const rm2_column_choice *choice, size_t *chosen, size_t *count);

/* Numbers are written so that reading them gives the same bits (shortest of %.15g, 16, 17). */
rm2_status rm2_csv_write(rm2_context *ctx, const char *path, const rm2_table *table,
                         bool overwrite);

/* `name` stands for the path in messages. */
rm2_status rm2_csv_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                         const rm2_csv_settings *settings, rm2_table *table);

#endif
