/* Model files and checkpoints: .npz files whose arrays are named "group/name" (docs/model-file.md). Numbers are doubles or
 * integers, texts are Unicode.
 *
 * Everything needed to predict is in a model file; the posterior is computed again on reading. Whatever the bytes of a
 * file are, reading ends with values or with a message, which names file and array. Arrays that are not known are
 * ignored. */
#ifndef RM2I_MODEL_FILE_H
#define RM2I_MODEL_FILE_H

#include "array/npz.h"
#include "model/model.h"

enum { RM2I_MODEL_VERSION = 1, RM2I_TERMS = sizeof(rm2_objective_terms) / sizeof(double) };
#define RM2I_MODEL_KIND "model"

/* ---- writing (named_arrays.c) ---------------------------------------------------------------- */

typedef struct rm2i_file_writer {
    rm2_context *ctx;
    rm2i_npz_writer *npz;
} rm2i_file_writer;

/* "format" and "version": "riemann2 KIND". */
rm2_status rm2i_file_put_kind(rm2i_file_writer w, const char *kind, size_t version);
/* Arrays in C order; dims = 0 (shape NULL) is a single value. */
rm2_status rm2i_file_put_doubles(rm2i_file_writer w, const char *name, size_t dims,
                                 const size_t *shape, const double *values);
rm2_status rm2i_file_put_sizes(rm2i_file_writer w, const char *name, size_t dims,
                               const size_t *shape, const size_t *values);
rm2_status rm2i_file_put_number(rm2i_file_writer w, const char *name, double value);
rm2_status rm2i_file_put_count(rm2i_file_writer w, const char *name, size_t value);
rm2_status rm2i_file_put_text(rm2i_file_writer w, const char *name, const char *text);
rm2_status rm2i_file_put_texts(rm2i_file_writer w, const char *name, size_t count,
                               const char *const *texts);

/* ---- reading (named_arrays.c) ---------------------------------------------------------------- */

typedef struct rm2i_file rm2i_file;

/* "-" is standard input. The file must not change until it is closed. */
rm2_status rm2i_file_open(rm2_context *ctx, const char *path, rm2i_file **file);
/* A file in memory, which must stay as it is until it is closed; `name` is for messages. */
rm2_status rm2i_file_open_bytes(rm2_context *ctx, const void *bytes, size_t size, const char *name,
                                rm2i_file **file);
void rm2i_file_close(rm2i_file *file);

typedef struct rm2i_reader {
    rm2_context *ctx;
    rm2i_file *file;
    const char *path;             /* for messages */
    const rm2_manifold *manifold; /* of the model, where it is known; NULL: by its spec */
} rm2i_reader;

/* Failure unless the file is of this kind and version; `remedy` ends the message ("; remove it ..."), or is "". */
rm2_status rm2i_file_expect(rm2i_reader r, const char *kind, size_t version, const char *remedy);
bool rm2i_file_has(rm2i_reader r, const char *name);
/* Extents of an array. */
rm2_status rm2i_file_extents(rm2i_reader r, const char *name, size_t *dims,
                             size_t shape[RM2_ARRAY_MAX_DIMS]);
/* Failure if an array does not have this shape; entries SIZE_MAX stand for any extent, and are filled in. */
rm2_status rm2i_file_shape(rm2i_reader r, const char *name, size_t dims, size_t *shape);

/* Arrays of such a shape. *values is for the caller to free; NULL on failure. Doubles may be NaN; sizes are whole
 * numbers up to 2^53. */
rm2_status rm2i_file_doubles(rm2i_reader r, const char *name, size_t dims, size_t *shape,
                             double **values);
rm2_status rm2i_file_sizes(rm2i_reader r, const char *name, size_t dims, size_t *shape,
                           size_t **values);
/* The same into memory that is there already, and single values. */
rm2_status rm2i_file_copy(rm2i_reader r, const char *name, size_t dims, const size_t *shape,
                          double *values);
rm2_status rm2i_file_number(rm2i_reader r, const char *name, double *value);
rm2_status rm2i_file_count(rm2i_reader r, const char *name, size_t *value);
/* `count` values of an array of doubles from number `first` on. */
rm2_status rm2i_file_some(rm2i_reader r, const char *name, size_t first, size_t count,
                          double *values);
/* Read an array that is only taken in parts, and compare its checksum. */
rm2_status rm2i_file_verify(rm2i_reader r, const char *name);

/* Texts are for the caller to free (rm2i_texts_free); *count as an entry of `shape` above. */
rm2_status rm2i_file_text(rm2i_reader r, const char *name, char **text);
rm2_status rm2i_file_texts(rm2i_reader r, const char *name, size_t *count, char ***texts);

/* ---- arrays of a model (model_arrays.c) ------------------------------------------------------ */

/* The arrays whose sizes follow from data and settings: all rows of one table. Values that no training gives are
 * refused. */
rm2_status rm2i_model_arrays_put(rm2i_file_writer w, const rm2_model *model);
rm2_status rm2i_model_arrays_get(rm2i_reader r, rm2_model *model);

/* ---- parts of a model file ------------------------------------------------------------------- */

/* The data set of N points (model_read_data.c). */
rm2_status rm2i_file_data(rm2i_reader r, size_t N, rm2_data **data);

/* Can these bytes be read as a model on this manifold, whose geometries the context need not know? All is checked that
 * reading checks. (model_read.c) */
rm2_status rm2i_model_readable(rm2_context *ctx, const void *bytes, size_t size, const char *name,
                               const rm2_manifold *manifold);

#endif
