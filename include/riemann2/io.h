/* Tables and arrays in files: CSV/TSV, NumPy .npy and .npz, and formats of named arrays that other libraries add. Formats only: what the numbers mean is
 * decided in data.h.
 *
 * Readers refuse what they cannot read exactly, with a message that names file, line, column and
 * value. Writers write a temporary file next to the target and rename it when it is complete and on
 * disk: a full disk or a crash leaves no half-written file. A target that is not a regular file
 * (a pipe, /dev/stdout) is written directly; "-" is standard output. */
#ifndef RIEMANN2_IO_H
#define RIEMANN2_IO_H

#include <stdio.h>

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- CSV and TSV ---------------------------------------------------------------------------- */

typedef enum rm2_header { RM2_HEADER_AUTO, RM2_HEADER_YES, RM2_HEADER_NO } rm2_header;

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

RM2_API rm2_status rm2_csv_read(rm2_context *ctx, const char *path,
                                const rm2_csv_settings *settings, rm2_table *table);
RM2_API void rm2_table_clear(rm2_table *table); /* frees what is in it; it is empty then */

/* Column by name, or by 0-based number written out; SIZE_MAX if there is none. */
RM2_API size_t rm2_table_column(const rm2_table *table, const char *name);

/* The columns of a choice, from names and number of the table's columns alone; `chosen` has room for all of
 * them. `source` is the file in messages. */
RM2_API rm2_status rm2_table_choose(rm2_context *ctx, const char *source, const rm2_table *table,
                                    const rm2_column_choice *choice, size_t *chosen, size_t *count);

/* Numbers are written so that reading them gives the same bits (shortest of %.15g, 16, 17). */
RM2_API rm2_status rm2_csv_write(rm2_context *ctx, const char *path, const rm2_table *table,
                                 bool overwrite);

/* ---- NumPy ---------------------------------------------------------------------------------- */

enum { RM2_ARRAY_MAX_DIMS = 8 };

/* A dense array of doubles in C order, whatever type and order the file has. 64-bit integers
 * above 2^53 that a double cannot hold exactly are refused; complex, structured and object arrays
 * too, and texts, which have a reader of their own. */
typedef struct rm2_array {
    char *name; /* inside an .npz; NULL in an .npy */
    size_t dims;
    size_t shape[RM2_ARRAY_MAX_DIMS];
    double *values;
    const char *const
        *texts; /* for rm2_npz_write: the values are codes into these, UTF-8; NULL: numbers */
    size_t text_count;
    bool integers; /* for writers: the values are whole, and are written as 64-bit integers */
} rm2_array;

RM2_API size_t rm2_array_count(const rm2_array *array); /* product of the shape */
RM2_API void rm2_array_clear(rm2_array *array);

RM2_API rm2_status rm2_npy_read(rm2_context *ctx, const char *path, rm2_array *array);
RM2_API rm2_status rm2_npy_write(rm2_context *ctx, const char *path, const rm2_array *array,
                                 bool overwrite);

/* All arrays of an .npz (stored or deflated), in the order of the file. */
RM2_API rm2_status rm2_npz_read(rm2_context *ctx, const char *path, rm2_array **arrays,
                                size_t *count);
RM2_API rm2_status rm2_npz_write(rm2_context *ctx, const char *path, const rm2_array *arrays,
                                 size_t count, bool overwrite);
RM2_API void rm2_arrays_free(rm2_array *arrays, size_t count); /* the list with all in it */

/* An .npz whose arrays are read one at a time: what is in the others does not matter. */
typedef struct rm2_npz rm2_npz;

RM2_API rm2_status rm2_npz_open(rm2_context *ctx, const char *path, rm2_npz **npz);
RM2_API void rm2_npz_close(rm2_npz *npz);
RM2_API size_t rm2_npz_count(const rm2_npz *npz);                   /* arrays */
RM2_API const char *rm2_npz_name(const rm2_npz *npz, size_t index); /* NULL past the end */
RM2_API size_t rm2_npz_find(const rm2_npz *npz, const char *name);  /* SIZE_MAX: none has it */

/* Does the array hold texts, to be read by rm2_npz_texts, or numbers, by rm2_npz_array? */
RM2_API rm2_status rm2_npz_holds_texts(rm2_context *ctx, rm2_npz *npz, size_t index, bool *texts);
RM2_API rm2_status rm2_npz_array(rm2_context *ctx, rm2_npz *npz, size_t index, rm2_array *array);

/* An array of texts (NumPy's U and S) of one dimension, in UTF-8: codes into the list of distinct
 * ones, in order of first appearance, as in a table. Bytes that are not UTF-8, zeros within a text
 * and numbers that are not Unicode characters are refused. */
typedef struct rm2_texts {
    size_t count;
    size_t *codes; /* count */
    char **distinct;
    size_t distinct_count;
} rm2_texts;

RM2_API rm2_status rm2_npz_texts(rm2_context *ctx, rm2_npz *npz, size_t index, rm2_texts *texts);
RM2_API void rm2_texts_clear(rm2_texts *texts);
/* The same from one text per entry; all are copied. */
RM2_API rm2_status rm2_texts_create(rm2_context *ctx, size_t count, const char *const *list,
                                    rm2_texts *texts);

/* ---- files of named arrays ------------------------------------------------------------------ */

/* One array of such a file. */
typedef struct rm2_archive_entry {
    const char *name;
    size_t dims;
    size_t shape[RM2_ARRAY_MAX_DIMS];
    bool texts;          /* texts, to be read by rm2_archive_texts; else numbers */
    const char *refused; /* why it cannot be read; NULL: it can */
} rm2_archive_entry;

/* A format of named arrays, by functions. `open` lists the arrays, which stay as they are until `close`; numbers
 * come in C order with the shape of the entry. .npz is built in; libriemann2-mat (mat.h) brings .mat. */
typedef struct rm2_archive_format {
    const char *extension; /* ".mat" */
    bool last_axis_counts; /* matrices of an array are counted by its last axis, as in MATLAB */
    rm2_status (*open)(rm2_context *ctx, const char *path, void **file,
                       const rm2_archive_entry **entries, size_t *count);
    rm2_status (*array)(rm2_context *ctx, void *file, size_t index, rm2_array *array);
    rm2_status (*texts)(rm2_context *ctx, void *file, size_t index, rm2_texts *texts);
    void (*close)(void *file);
} rm2_archive_format;

/* Add a format to the context: files with its extension are then read wherever an .npz is. The same table may be
 * registered again, and in several contexts; it must outlive them. */
RM2_API rm2_status rm2_archive_register(rm2_context *ctx, const rm2_archive_format *format);
/* The format of a file, by its extension in small or capital letters; NULL: none that the context knows. */
RM2_API const rm2_archive_format *rm2_archive_format_of(const rm2_context *ctx, const char *path);

typedef struct rm2_archive rm2_archive;

RM2_API rm2_status rm2_archive_open(rm2_context *ctx, const char *path, rm2_archive **archive);
RM2_API void rm2_archive_close(rm2_archive *archive);
RM2_API const rm2_archive_format *rm2_archive_format_used(const rm2_archive *archive);
RM2_API size_t rm2_archive_count(const rm2_archive *archive); /* arrays */
/* NULL past the end. */
RM2_API const rm2_archive_entry *rm2_archive_entry_at(const rm2_archive *archive, size_t index);
RM2_API size_t rm2_archive_find(const rm2_archive *archive, const char *name); /* SIZE_MAX: none */
RM2_API rm2_status rm2_archive_array(rm2_context *ctx, rm2_archive *archive, size_t index,
                                     rm2_array *array);
RM2_API rm2_status rm2_archive_texts(rm2_context *ctx, rm2_archive *archive, size_t index,
                                     rm2_texts *texts);
/* "points (20, 15, 15), label (20) texts": the arrays with their shapes, cut where `size` ends; for messages. */
RM2_API void rm2_archive_list(const rm2_archive *archive, char *text, size_t size);

/* ---- the parsers on memory, for those who have the bytes already ---------------------------- */

/* `name` stands for the path in messages. */
RM2_API rm2_status rm2_csv_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                                 const rm2_csv_settings *settings, rm2_table *table);
RM2_API rm2_status rm2_npy_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                                 rm2_array *array);
RM2_API rm2_status rm2_npz_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                                 rm2_array **arrays, size_t *count);
/* The bytes must stay until rm2_npz_close. */
RM2_API rm2_status rm2_npz_open_bytes(rm2_context *ctx, const char *name, const void *bytes,
                                      size_t size, rm2_npz **npz);

/* ---- files that appear whole or not at all -------------------------------------------------- */

typedef struct rm2_writer rm2_writer;

/* Open for writing; refuses an existing file unless `overwrite`. Write to rm2_writer_stream, then
 * commit (flush, fsync, rename) or discard; both free the object. The stream has no descriptor of its own (fileno),
 * continues after a signal unless `ctx` is interrupted, and commit reports why a write failed. */
RM2_API rm2_status rm2_writer_open(rm2_context *ctx, const char *path, bool overwrite,
                                   rm2_writer **output);
RM2_API FILE *rm2_writer_stream(rm2_writer *output);
RM2_API rm2_status rm2_writer_commit(rm2_context *ctx, rm2_writer *output);
RM2_API void rm2_writer_discard(rm2_writer *output);

/* ---- small files ----------------------------------------------------------------------------- */

enum { RM2_SMALL_FILE = 1 << 24 }; /* bytes: the limit for tables and texts that people write */

/* All bytes of a file ("-": standard input), with a NUL after the `size` bytes; freed with rm2_free. A file of more than `most`
 * bytes is RM2_ERR_FORMAT; where `whole` is not NULL, its first bytes are taken instead, and *whole is false. No more
 * is read of a stream, which may have no end. */
RM2_API rm2_status rm2_file_read(rm2_context *ctx, const char *path, size_t most, char **text,
                                 size_t *size, bool *whole);

/* ---- texts in memory -------------------------------------------------------------------------- */

/* A stream into memory: print to rm2_text_stream_file, then take the text (a NUL follows its `size` bytes; freed with
 * rm2_free) or discard; both free the object. Unlike with open_memstream of the C library, a text that does not fit
 * into memory is RM2_ERR_MEMORY, never a text with gaps. */
typedef struct rm2_text_stream rm2_text_stream;

RM2_API rm2_status rm2_text_stream_open(rm2_context *ctx, rm2_text_stream **stream);
RM2_API FILE *rm2_text_stream_file(rm2_text_stream *stream);
RM2_API rm2_status rm2_text_stream_take(rm2_context *ctx, rm2_text_stream *stream, char **text,
                                        size_t *size);
RM2_API void rm2_text_stream_discard(rm2_text_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
