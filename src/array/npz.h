/* .npz files inside the library: an archive is written one array after the other, to any stream, and its arrays are read
 * by number, whole or in parts. */
#ifndef RM2I_NPZ_H
#define RM2I_NPZ_H

#include "array/npy.h"

/* An .npz whose arrays are read one at a time: what is in the others does not matter. */
typedef struct rm2i_npz rm2i_npz;

/* ---- writing (npz_write.c) ------------------------------------------------------------------- */

typedef struct rm2i_npz_writer rm2i_npz_writer;

/* The stream stays the caller's; `path` is its name in messages and must live as long. */
rm2_status rm2i_npz_begin(rm2_context *ctx, FILE *stream, const char *path,
                          rm2i_npz_writer **writer);
/* Refuses a name that is taken. */
rm2_status rm2i_npz_put(rm2_context *ctx, rm2i_npz_writer *writer, const rm2_array *array);
/* An array of `count` doubles that is never in memory as a whole: its values come in pieces before anything else. */
rm2_status rm2i_npz_announce(rm2_context *ctx, rm2i_npz_writer *writer, const char *name,
                             size_t count);
rm2_status rm2i_npz_put_piece(rm2_context *ctx, rm2i_npz_writer *writer, size_t count,
                              const double *values);
/* The directory, behind all arrays; refuses an announced array that is not complete. */
rm2_status rm2i_npz_end(rm2_context *ctx, rm2i_npz_writer *writer);
void rm2i_npz_writer_free(rm2i_npz_writer *writer);

/* ---- reading (npz_read.c) -------------------------------------------------------------------- */

/* All arrays of an .npz (stored or deflated), in the order of the file. */
rm2_status rm2i_npz_read(rm2_context *ctx, const char *path, rm2_array **arrays, size_t *count);
void rm2i_arrays_free(rm2_array *arrays, size_t count); /* the list with all in it */

rm2_status rm2i_npz_open(rm2_context *ctx, const char *path, rm2i_npz **npz);
void rm2i_npz_close(rm2i_npz *npz);
size_t rm2i_npz_count(const rm2i_npz *npz);                   /* arrays */
const char *rm2i_npz_name(const rm2i_npz *npz, size_t index); /* NULL past the end */
size_t rm2i_npz_find(const rm2i_npz *npz, const char *name);  /* SIZE_MAX: none has it */

/* Does the array hold texts, to be read by rm2i_npz_get_texts, or numbers, by rm2i_npz_array? */
rm2_status rm2i_npz_holds_texts(rm2_context *ctx, rm2i_npz *npz, size_t index, bool *texts);
rm2_status rm2i_npz_array(rm2_context *ctx, rm2i_npz *npz, size_t index, rm2_array *array);
rm2_status rm2i_npz_get_texts(rm2_context *ctx, rm2i_npz *npz, size_t index, rm2_texts *texts);
rm2_status rm2i_npz_parse(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                          rm2_array **arrays, size_t *count);
/* The bytes must stay until rm2i_npz_close. */
rm2_status rm2i_npz_open_bytes(rm2_context *ctx, const char *name, const void *bytes, size_t size,
                               rm2i_npz **npz);

/* An archive over a source, which it takes over, also on failure; names that appear twice are not reported. */
rm2_status rm2i_npz_open_source(rm2_context *ctx, rm2i_source source, rm2i_npz **npz);
/* Its name in messages. */
const char *rm2i_npz_path(const rm2i_npz *npz);
/* Type and shape of an array. */
rm2_status rm2i_npz_header(rm2_context *ctx, rm2i_npz *npz, size_t index, rm2i_npy_header *header);
/* As rm2i_npz_array, for a span of the elements or NULL. */
rm2_status rm2i_npz_load(rm2_context *ctx, rm2i_npz *npz, size_t index, const rm2i_npy_span *span,
                         rm2_array *array);
/* Compare the checksum of an array of any size, which is not kept. */
rm2_status rm2i_npz_verify(rm2_context *ctx, rm2i_npz *npz, size_t index);
/* The first name that appears twice; NULL: none does. */
rm2_status rm2i_npz_twin(rm2_context *ctx, const rm2i_npz *npz, const char **name);
/* Bytes of the archive, and of an array once it is unpacked. */
uint64_t rm2i_npz_size(const rm2i_npz *npz);
uint64_t rm2i_npz_unpacked(const rm2i_npz *npz, size_t index);

#endif
