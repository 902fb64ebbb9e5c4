/* Files: formats of named arrays that other libraries add to .npz, and writers. What the numbers mean is decided in data.h.
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

/* The first line of a text file: AUTO, a header is a first line with a field that is not a number. */
typedef enum rm2_header { RM2_HEADER_AUTO, RM2_HEADER_YES, RM2_HEADER_NO } rm2_header;

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

/* An array of texts (NumPy's U and S) of one dimension, in UTF-8: codes into the list of distinct
 * ones, in order of first appearance, as in a table. Bytes that are not UTF-8, zeros within a text
 * and numbers that are not Unicode characters are refused. */
typedef struct rm2_texts {
    size_t count;
    size_t *codes; /* count */
    char **distinct;
    size_t distinct_count;
} rm2_texts;

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
    size_t size;           /* sizeof(rm2_archive_format) of the caller */
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

/* A writer into memory: print to its stream, then take the text (a NUL follows its `size` bytes; freed with rm2_free) or
 * discard. Unlike with open_memstream of the C library, a text that does not fit into memory is RM2_ERR_MEMORY, never
 * a text with gaps. */
RM2_API rm2_status rm2_writer_open_memory(rm2_context *ctx, rm2_writer **output);
RM2_API rm2_status rm2_writer_consume(rm2_context *ctx, rm2_writer *output, char **text,
                                      size_t *size);

/* ---- small files ----------------------------------------------------------------------------- */

enum { RM2_SMALL_FILE = 1 << 24 }; /* bytes: the limit for tables and texts that people write */

/* All bytes of a file ("-": standard input), with a NUL after the `size` bytes; freed with rm2_free. A file of more than `most`
 * bytes is RM2_ERR_FORMAT; where `whole` is not NULL, its first bytes are taken instead, and *whole is false. No more
 * is read of a stream, which may have no end. */
RM2_API rm2_status rm2_file_read(rm2_context *ctx, const char *path, size_t most, char **text,
                                 size_t *size, bool *whole);

#ifdef __cplusplus
}
#endif
#endif
