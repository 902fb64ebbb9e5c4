/* Internal side of the io layer: byte sources, numbers as text, distinct texts, output checks. */
#ifndef RM2I_IO_H
#define RM2I_IO_H

#include <locale.h>

#include "base/base.h"
#include "front/tables.h"
#include "riemann2/io.h"

/* ---- sources of bytes: a file, a stream, memory, or an entry of an archive ------------------ */

typedef struct rm2i_source rm2i_source;

/* Read `size` bytes, fewer only at the end of the source. */
typedef rm2_status (*rm2i_read_fn)(rm2i_source *source, void *bytes, size_t size, size_t *got);
/* Pass over bytes that are there. */
typedef rm2_status (*rm2i_skip_fn)(rm2i_source *source, uint64_t size);

struct rm2i_source {
    rm2_context *ctx;
    const char *name; /* stands for the source in messages */
    rm2i_read_fn read;
    rm2i_skip_fn skip; /* NULL: only the position changes */
    uint64_t position;
    uint64_t size; /* RM2I_STREAM if it is unknown */
    uint64_t most; /* bytes; more are an error */
    int fd;
    const unsigned char *bytes;
    void *spool; /* owned copy of a stream */
};

#define RM2I_STREAM UINT64_MAX

/* "-" is standard input. On failure the source is closed. */
rm2_status rm2i_source_open(rm2_context *ctx, const char *path, rm2i_source *source);
void rm2i_source_memory(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                        rm2i_source *source);
void rm2i_source_close(rm2i_source *source);

/* Refuse more than `most` bytes: a stream may have no end. */
rm2_status rm2i_source_limit(rm2i_source *source, uint64_t most);

/* Turn a stream into memory, so that its size is known and any part can be read; nothing to do for
 * files and memory. Of a stream that does not begin with `start` only the first bytes are taken, enough to refuse it: it may
 * have no end. */
rm2_status rm2i_source_spool(rm2i_source *source, const char *start);

/* Bytes still to come; only for a source of known size. */
uint64_t rm2i_source_left(const rm2i_source *source);

/* Go on after `size` bytes, which the source of known size has. */
rm2_status rm2i_source_skip(rm2i_source *source, uint64_t size);

/* Size of a regular file; false: it is not one, or is not there. */
bool rm2i_regular_file(const char *path, uint64_t *size);

/* Read exactly `size` bytes; `what` names them in the message if the source ends before. */
rm2_status rm2i_source_exactly(rm2i_source *source, void *bytes, size_t size, const char *what);

/* ---- numbers as text ------------------------------------------------------------------------ */

/* The "C" locale for the calling thread: enter before the two functions below, leave after. */
typedef struct rm2i_c_locale {
    locale_t own, previous;
} rm2i_c_locale;

rm2_status rm2i_c_locale_enter(rm2_context *ctx, rm2i_c_locale *scope);
void rm2i_c_locale_leave(rm2i_c_locale *scope);

/* The decimal number at `text`, correctly rounded: [+-]digits[.digits][e[+-]digits]. Returns the
 * first character after it, or NULL if there is no number. The text must go on with a character
 * that cannot belong to a number, such as NUL. */
const char *rm2i_parse_double(const char *text, double *value);

enum { RM2I_NUMBER_SIZE = 32 }; /* chars of a formatted double with its NUL */

/* The shortest of 15, 16 and 17 digits that gives the same bits when read again. */
void rm2i_format_double(double value, char text[RM2I_NUMBER_SIZE]);

/* ---- texts ---------------------------------------------------------------------------------- */

enum { RM2I_SHOWN_SIZE = 48 }; /* buffer for a value shown in a message */

/* Copy at most 40 bytes of a text into `shown`, fit for one line of a message: control characters
 * and bytes that are not UTF-8 become '?', a longer text ends in "...". Returns `shown`. */
const char *rm2i_shown(const char *text, size_t size, char shown[RM2I_SHOWN_SIZE]);

/* Distinct texts without NUL, numbered in order of first appearance. Zeroed memory is an empty set.
 */
typedef struct rm2i_text_set {
    char **texts;
    size_t count, capacity;
    size_t *slots; /* hash table: number of the text + 1, or 0 */
    size_t slot_count;
} rm2i_text_set;

rm2_status rm2i_text_set_add(rm2_context *ctx, rm2i_text_set *set, const char *text, size_t size,
                             size_t *number);
void rm2i_text_set_free(rm2i_text_set *set);

/* Take the list out of the set, which is empty afterwards; never NULL on success. */
rm2_status rm2i_text_set_consume(rm2_context *ctx, rm2i_text_set *set, char ***texts,
                                 size_t *count);

void rm2i_texts_free(char **texts, size_t count);

/* Columns of a list (choose.c): as rm2_table_choose, for a context that may be NULL; is any of them a name; the
 * failure of a column that a table does not have. */
rm2_status rm2i_table_choose(rm2_context *ctx, const char *source, const rm2_table *table,
                             const rm2_column_choice *choice, size_t *chosen, size_t *count);
bool rm2i_choice_has_names(const rm2_column_choice *choice);
rm2_status rm2i_no_column(rm2_context *ctx, const char *source, const rm2_table *table,
                          const char *name);

/* ---- parts of a table ------------------------------------------------------------------------ */

/* Rows of a file of text: bytes from the start of a row up to before the start of another, or the end of the file. */
typedef struct rm2i_csv_part {
    uint64_t from, to;
    size_t line; /* of the first row, from 1 */
} rm2i_csv_part;

/* As rm2_csv_read, for the rows of a part, which may be none, or NULL. Names, delimiter and roles of the columns are those
 * of the source's beginning. Parts need a source of known size. */
rm2_status rm2i_csv_load(rm2_context *ctx, rm2i_source *source, const rm2_csv_settings *settings,
                         const rm2i_csv_part *part, rm2_table *table);

/* Divide a text into parts of about as many bytes each, in one pass that reads no values. `at` has count + 1 bytes: where
 * the first row of each part begins, and the end of the text; `lines` are the lines there, except that of the end, which
 * is 0. Fails as rm2i_csv_load does up to the first row. Parts after a row that cannot be cut into fields are empty, so
 * that who reads its part reports it. */
rm2_status rm2i_csv_divide(rm2_context *ctx, rm2i_source *source, const rm2_csv_settings *settings,
                           size_t count, size_t *at, size_t *lines);

/* The number written out in a text such as "12", SIZE_MAX if it is none. */
size_t rm2i_written_number(const char *text);

/* Failure if the ending of the path is that of a file which other programs write and no reader here takes: the
 * message has the way to a file that is read. */
rm2_status rm2i_refuse_foreign(rm2_context *ctx, const char *path);

/* ---- output --------------------------------------------------------------------------------- */

/* Failure if a write to the stream went wrong; to be called right after the write, while errno
 * still tells why. */
rm2_status rm2i_stream_check(rm2_context *ctx, FILE *stream, const char *name);

bool rm2i_ends_with(const char *text, const char *ending);
/* The same for a file's name, in small or capital letters; `extension` is in small ones, with its dot. */
bool rm2i_has_extension(const char *path, const char *extension);

/* The table as CSV on a stream. */
rm2_status rm2i_csv_print(rm2_context *ctx, FILE *stream, const char *name, const rm2_table *table,
                          char delimiter);

#endif
