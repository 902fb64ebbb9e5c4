/* Model files: HDF5 behind a sealed block of 512 bytes. Datasets are named "group/name"; numbers
 * are 64 bits wide, texts have a fixed length. Failures name file and dataset.
 *
 * This code writes and reads a small part of HDF5 (form.h) itself, without libhdf5, whose programs can read the files.
 * A file is put together in memory and written whole; the same contents give the same bytes. Whatever the bytes
 * of a file are, reading ends with values or with a message, and takes memory of at most ten times the file's
 * size. */
#ifndef RM2I_HDF5_H
#define RM2I_HDF5_H

#include "io/io.h"

/* ---- writing -------------------------------------------------------------------------------- */

typedef struct rm2i_h5_writer rm2i_h5_writer;

rm2_status rm2i_h5_create(rm2_context *ctx, rm2i_h5_writer **h5);

/* Arrays in C order, at most RM2_ARRAY_MAX_DIMS dimensions, extents may be 0; dims = 0 (shape NULL)
 * is a single value. Groups are made as needed; a name can be used once. */
rm2_status rm2i_h5_put_doubles(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t dims,
                               const size_t *shape, const double *values);
rm2_status rm2i_h5_put_sizes(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t dims,
                             const size_t *shape, const size_t *values);
rm2_status rm2i_h5_put_text(rm2_context *ctx, rm2i_h5_writer *h5, const char *name,
                            const char *text);
rm2_status rm2i_h5_put_texts(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t count,
                             const char *const *texts);

/* Write the file, whole or not at all (see rm2_writer_open); frees h5 in every case. */
rm2_status rm2i_h5_commit(rm2_context *ctx, rm2i_h5_writer *h5, const char *path, bool overwrite);
/* The same into memory, which is the caller's to free; NULL on failure. */
rm2_status rm2i_h5_to_bytes(rm2_context *ctx, rm2i_h5_writer *h5, unsigned char **bytes,
                            size_t *size);
void rm2i_h5_discard(rm2i_h5_writer *h5);

/* A file that ends in one large array of doubles, which is never in memory as a whole: it is announced among the other
 * datasets, once, and its values come in pieces after these. The file appears whole, or not at all. */
rm2_status rm2i_h5_announce(rm2_context *ctx, rm2i_h5_writer *h5, const char *name, size_t count);
typedef struct rm2i_h5_stream rm2i_h5_stream;
/* Frees h5 in every case. On failure *stream is NULL. */
rm2_status rm2i_h5_stream_open(rm2_context *ctx, rm2i_h5_writer *h5, const char *path,
                               bool overwrite, rm2i_h5_stream **stream);
rm2_status rm2i_h5_stream_put(rm2_context *ctx, rm2i_h5_stream *stream, size_t count,
                              const double *values);
/* Frees the stream in every case; refuses an array that is not complete. */
rm2_status rm2i_h5_stream_commit(rm2_context *ctx, rm2i_h5_stream *stream);
void rm2i_h5_stream_discard(rm2i_h5_stream *stream);

/* ---- reading -------------------------------------------------------------------------------- */

typedef struct rm2i_h5 rm2i_h5;

/* "-" is standard input. The file is read whole and may change afterwards. */
rm2_status rm2i_h5_open(rm2_context *ctx, const char *path, rm2i_h5 **h5);
/* The same, but an array that was written in pieces (rm2i_h5_announce) stays in the file, which must not change until it
 * is closed: rm2i_h5_get_some has it. */
rm2_status rm2i_h5_open_pieces(rm2_context *ctx, const char *path, rm2i_h5 **h5);
/* A file in memory, which must stay as it is until it is closed; `name` is for messages. */
rm2_status rm2i_h5_open_bytes(rm2_context *ctx, const void *bytes, size_t size, const char *name,
                              rm2i_h5 **h5);
void rm2i_h5_close(rm2i_h5 *h5);

/* The file's name for messages. */
const char *rm2i_h5_name(const rm2i_h5 *h5);

/* Is there such a group or dataset? */
bool rm2i_h5_has(const rm2i_h5 *h5, const char *name);

/* Extents of a dataset of numbers or texts. */
rm2_status rm2i_h5_shape(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t *dims,
                         size_t shape[RM2_ARRAY_MAX_DIMS]);

/* An array with exactly `dims` dimensions of extents `shape`; entries SIZE_MAX of `shape` stand for
 * any extent, and are filled in. *values is for the caller to free; NULL on failure. Values are
 * not looked at: they may be NaN. */
rm2_status rm2i_h5_get_doubles(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t dims,
                               size_t *shape, double **values);
/* `count` values of a dataset of doubles from number `first` on, wherever they are. */
typedef struct rm2i_h5_some {
    const char *name;
    size_t first, count;
} rm2i_h5_some;
rm2_status rm2i_h5_get_some(rm2_context *ctx, rm2i_h5 *h5, const rm2i_h5_some *some,
                            double *values);
rm2_status rm2i_h5_get_sizes(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t dims,
                             size_t *shape, size_t **values);
rm2_status rm2i_h5_get_double(rm2_context *ctx, const rm2i_h5 *h5, const char *name, double *value);
rm2_status rm2i_h5_get_size(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t *value);

/* Texts are for the caller to free (rm2i_texts_free); *count as an entry of `shape` above. */
rm2_status rm2i_h5_get_text(rm2_context *ctx, const rm2i_h5 *h5, const char *name, char **text);
rm2_status rm2i_h5_get_texts(rm2_context *ctx, const rm2i_h5 *h5, const char *name, size_t *count,
                             char ***texts);

#endif
