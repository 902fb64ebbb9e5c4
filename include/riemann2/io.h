/* Files: formats of named arrays that other libraries add to .npz, and writers. data.h defines the
 * meaning of the numbers.
 *
 * Readers refuse files that they cannot read exactly, with a message that names file, line, column
 * and value. Writers write a temporary file next to the target and rename it when it is complete
 * and on disk: a full disk or a crash leaves no half-written file. A target that is not a regular
 * file (a pipe, /dev/stdout) is written directly; "-" is standard output. */
#ifndef RIEMANN2_IO_H
#define RIEMANN2_IO_H

#include <stdio.h>

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rule for the first line of a text file. AUTO: it is a header if one of its fields is not a
 * number. */
typedef enum rm2_header { RM2_HEADER_AUTO, RM2_HEADER_YES, RM2_HEADER_NO } rm2_header;

/* ---- NumPy ---------------------------------------------------------------------------------- */

enum { RM2_ARRAY_MAX_DIMS = 8 };

/* A dense array of doubles in C order, whatever type and order the file has. Readers refuse 64-bit
 * integers above 2^53 that a double cannot hold exactly, and complex, structured and object arrays.
 * Arrays of texts have a type of their own (rm2_texts). */
typedef struct rm2_array {
    char *name; /* inside an .npz; NULL in an .npy */
    size_t dims;
    size_t shape[RM2_ARRAY_MAX_DIMS];
    double *values;
    /* For writers: the values are codes into these UTF-8 texts; NULL: the values are numbers. */
    const char *const *texts;
    size_t text_count;
    bool integers; /* for writers: the values are whole, and are written as 64-bit integers */
} rm2_array;

RM2_API size_t rm2_array_count(const rm2_array *array); /* product of the shape */
RM2_API void rm2_array_clear(rm2_array *array);

/* An array of texts (NumPy's U and S) of one dimension, in UTF-8: codes into the list of distinct
 * texts, in order of first appearance. Readers refuse bytes that are not UTF-8, zeros within a
 * text, and numbers that are not Unicode characters. */
typedef struct rm2_texts {
    size_t count;
    size_t *codes; /* count */
    char **distinct;
    size_t distinct_count;
} rm2_texts;

RM2_API void rm2_texts_clear(rm2_texts *texts);
/* Make such an array from one text per entry; all texts are copied. */
RM2_API rm2_status rm2_texts_create(rm2_context *ctx, size_t count, const char *const *list,
                                    rm2_texts *texts);

/* ---- files of named arrays ------------------------------------------------------------------ */

/* One array of a file of named arrays. */
typedef struct rm2_archive_entry {
    const char *name;
    size_t dims;
    size_t shape[RM2_ARRAY_MAX_DIMS];
    bool texts;          /* the entries are texts; false: numbers */
    const char *refused; /* why it cannot be read; NULL: it can be read */
} rm2_archive_entry;

/* A format of named arrays, as a table of functions. .npz is built in; libriemann2-mat (mat.h) adds
 * .mat. */
typedef struct rm2_archive_format {
    size_t size;           /* sizeof(rm2_archive_format) of the caller */
    const char *extension; /* ".mat" */
    bool last_axis_counts; /* the last axis of an array counts its matrices, as in MATLAB */
    /* Open the file at `path`; *entries lists its *count arrays, which stay valid until `close`. */
    rm2_status (*open)(rm2_context *ctx, const char *path, void **file,
                       const rm2_archive_entry **entries, size_t *count);
    /* Read entry `index`: numbers in C order, with the shape of the entry. */
    rm2_status (*array)(rm2_context *ctx, void *file, size_t index, rm2_array *array);
    /* Read entry `index`, an array of texts. */
    rm2_status (*texts)(rm2_context *ctx, void *file, size_t index, rm2_texts *texts);
    void (*close)(void *file);
} rm2_archive_format;

/* Add a format to the context: files with its extension are then read wherever an .npz is. The same
 * table may be registered again, and in several contexts; it must outlive them. */
RM2_API rm2_status rm2_archive_register(rm2_context *ctx, const rm2_archive_format *format);

/* ---- files that appear whole or not at all -------------------------------------------------- */

typedef struct rm2_writer rm2_writer;

/* Open a file for writing; an existing file is refused unless `overwrite` is set. Write to
 * rm2_writer_stream, then commit (flush, fsync, rename) or discard; both free the object. The
 * stream has no descriptor of its own (fileno), continues after a signal unless `ctx` is
 * interrupted, and commit reports why a write failed. */
RM2_API rm2_status rm2_writer_open(rm2_context *ctx, const char *path, bool overwrite,
                                   rm2_writer **output);
RM2_API FILE *rm2_writer_stream(rm2_writer *output);
RM2_API rm2_status rm2_writer_commit(rm2_context *ctx, rm2_writer *output);
RM2_API void rm2_writer_discard(rm2_writer *output);

/* Open a writer into memory: print to its stream, then consume or discard it. Consuming it returns
 * the text (a NUL follows its `size` bytes; freed with rm2_free). A text that does not fit into
 * memory is RM2_ERR_MEMORY, never a text with gaps, as open_memstream of the C library may give. */
RM2_API rm2_status rm2_writer_open_memory(rm2_context *ctx, rm2_writer **output);
RM2_API rm2_status rm2_writer_consume(rm2_context *ctx, rm2_writer *output, char **text,
                                      size_t *size);

/* ---- small files ----------------------------------------------------------------------------- */

enum { RM2_SMALL_FILE = 1 << 24 }; /* limit in bytes for tables and texts that people write */

/* Read all bytes of a file.
 *
 * @param ctx  context
 * @param path  the file; "-": standard input
 * @param most  largest number of bytes that is read; a stream may have no end
 * @param text  result: the bytes, followed by a NUL, freed with rm2_free
 * @param size  result: number of bytes, without the NUL
 * @param whole  result: false if the file has more than `most` bytes; the first ones are then
 *     returned. NULL: such a file is RM2_ERR_FORMAT
 */
RM2_API rm2_status rm2_file_read(rm2_context *ctx, const char *path, size_t most, char **text,
                                 size_t *size, bool *whole);

#ifdef __cplusplus
}
#endif
#endif
