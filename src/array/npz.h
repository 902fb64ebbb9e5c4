/* .npz files inside the library: an archive is written one array after the other, to any stream, and its arrays are read
 * by number, whole or in parts. */
#ifndef RM2I_NPZ_H
#define RM2I_NPZ_H

#include "array/npy.h"

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

/* An archive over a source, which it takes over, also on failure; names that appear twice are not reported. */
rm2_status rm2i_npz_open_source(rm2_context *ctx, rm2i_source source, rm2_npz **npz);
/* Its name in messages. */
const char *rm2i_npz_path(const rm2_npz *npz);
/* Type and shape of an array. */
rm2_status rm2i_npz_header(rm2_context *ctx, rm2_npz *npz, size_t index, rm2i_npy_header *header);
/* As rm2_npz_array, for a span of the elements or NULL. */
rm2_status rm2i_npz_load(rm2_context *ctx, rm2_npz *npz, size_t index, const rm2i_npy_span *span,
                         rm2_array *array);
/* Compare the checksum of an array of any size, which is not kept. */
rm2_status rm2i_npz_verify(rm2_context *ctx, rm2_npz *npz, size_t index);
/* The first name that appears twice; NULL: none does. */
rm2_status rm2i_npz_twin(rm2_context *ctx, const rm2_npz *npz, const char **name);
/* Bytes of the archive, and of an array once it is unpacked. */
uint64_t rm2i_npz_size(const rm2_npz *npz);
uint64_t rm2i_npz_unpacked(const rm2_npz *npz, size_t index);

#endif
