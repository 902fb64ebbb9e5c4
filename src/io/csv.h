/* Parts of the CSV reader: the scanner (csv_scan.c) cuts the text into fields, csv_value.c tells
 * what a field is, csv_header.c settles delimiter, names and roles of the columns, csv_read.c
 * builds the table, csv_divide.c finds where parts of it begin. */
#ifndef RM2I_CSV_H
#define RM2I_CSV_H

#include "front/tables.h"
#include "io/io.h"

/* A field as it stands in the window, without quotes and surrounding blanks. */
typedef struct rm2i_csv_field {
    const char *text;
    size_t size;
    bool quoted;
    bool escaped; /* quotes inside are doubled */
} rm2i_csv_field;

/* How a field ends. */
typedef enum rm2i_csv_stop {
    RM2I_CSV_NEXT, /* another field of the record follows */
    RM2I_CSV_LAST, /* the record ends */
    RM2I_CSV_CUT,  /* the window ends first: get more and scan the record again */
    RM2I_CSV_BAD   /* not a legal field: the status of the scanner says why */
} rm2i_csv_stop;

/* A window on the text that always holds the record being scanned from its start; a NUL follows
 * the last byte, so that loops over characters need no other bound. */
typedef struct rm2i_csv_scanner {
    rm2_context *ctx;
    rm2i_source *source;
    char *window;
    size_t capacity;
    const char *record; /* start of the record */
    const char *end;    /* end of the window, a NUL */
    uint64_t limit;     /* byte of the source where the text ends; UINT64_MAX: with the source */
    bool at_end;        /* nothing comes after the window */
    size_t line;        /* line of the record, from 1 */
    bool has_quotes;    /* in the record: only such a record can span lines */
    char delimiter;     /* ' ' stands for any number of blanks and tabs; 0: not known yet */
    rm2_status status;  /* why a field is bad */
} rm2i_csv_scanner;

/* Open refuses what is not text at the first bytes; close after a failure too. */
rm2_status rm2i_csv_scanner_open(rm2_context *ctx, rm2i_source *source, char delimiter,
                                 rm2i_csv_scanner *scanner);
void rm2i_csv_scanner_close(rm2i_csv_scanner *scanner);

/* Read more text behind the window; the record may move. Fails with at_end. */
rm2_status rm2i_csv_more(rm2i_csv_scanner *scanner);

/* Go on with the text of a part, which is in a source of known size. */
rm2_status rm2i_csv_enter_part(rm2i_csv_scanner *scanner, const rm2i_csv_part *part);

/* Go to the next record, over blank and comment lines. */
rm2_status rm2i_csv_find_record(rm2i_csv_scanner *scanner, bool *found);

/* The record was used up to `end`. */
void rm2i_csv_end_record(rm2i_csv_scanner *scanner, const char *end);

/* Byte of the source where the record begins. */
uint64_t rm2i_csv_offset(const rm2i_csv_scanner *scanner);

static inline bool rm2i_csv_is_blank(const rm2i_csv_scanner *scanner, char c) {
    return c == ' ' || (c == '\t' && scanner->delimiter != '\t');
}
const char *rm2i_csv_skip_blanks(const rm2i_csv_scanner *scanner, const char *p);

/* What comes after a field that ends at p: moves *cursor to the next field or record. BAD means
 * that something else stands there and leaves the status alone. */
rm2i_csv_stop rm2i_csv_after_field(const rm2i_csv_scanner *scanner, const char *p,
                                   const char **cursor);

/* After the opening quote of a field: the closing one, or NULL if the window ends before. */
const char *rm2i_csv_scan_quoted(const rm2i_csv_scanner *scanner, const char *p,
                                 rm2i_csv_field *field);

/* Scan the field at *cursor and move on. */
rm2i_csv_stop rm2i_csv_scan_field(rm2i_csv_scanner *scanner, const char **cursor,
                                  rm2i_csv_field *field);

/* Fields of the record, which is then whole in the window; last_empty: nothing, not even quotes,
 * stands after the last delimiter. */
rm2_status rm2i_csv_count_fields(rm2i_csv_scanner *scanner, size_t *count, bool *last_empty);

/* Line of the file at a place in the record. */
size_t rm2i_csv_line_at(const rm2i_csv_scanner *scanner, const char *p);

/* Copy the text of a field with single quotes for doubled ones; room for size bytes. Returns the
 * length. */
size_t rm2i_csv_unescape(const rm2i_csv_field *field, char *copy);

/* What the text of a field stands for. */
typedef enum rm2i_csv_kind {
    RM2I_CSV_NUMBER,
    RM2I_CSV_MISSING,       /* empty, NA, NaN */
    RM2I_CSV_INFINITE,      /* inf, infinity */
    RM2I_CSV_TOO_LARGE,     /* digits beyond the range of a double */
    RM2I_CSV_DECIMAL_COMMA, /* would be a number with a point for its comma */
    RM2I_CSV_TEXT
} rm2i_csv_kind;

rm2i_csv_kind rm2i_csv_classify(const char *text, size_t size, double *value);

typedef enum rm2i_csv_role {
    RM2I_CSV_ROLE_NUMBER,
    RM2I_CSV_ROLE_TEXT,
    RM2I_CSV_ROLE_IGNORED
} rm2i_csv_role;

/* Settle delimiter, number of columns, names and roles from the first record. The record is used
 * up if it is a header and stays the next one otherwise. */
rm2_status rm2i_csv_read_header(rm2i_csv_scanner *scanner, const rm2_csv_settings *settings,
                                rm2_table *table, rm2i_csv_role **roles);

/* Where parts of the rows begin: as rm2i_csv_divide, for a scanner that stands at the first row of a source of known
 * size. */
rm2_status rm2i_csv_find_parts(rm2i_csv_scanner *scanner, size_t count, size_t *at, size_t *lines);

#endif
