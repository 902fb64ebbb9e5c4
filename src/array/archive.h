/* Files of named arrays inside the library: archive.c knows the formats, npz_read.c is one of them, and the only one
 * whose arrays are read in parts. */
#ifndef RM2I_ARCHIVE_H
#define RM2I_ARCHIVE_H

#include "array/npy.h"
#include "array/npz.h"
#include "front/arrays.h"

extern const rm2_archive_format rm2i_npz_format;

/* A span of an array of an .npz that the format has opened. */
rm2_status rm2i_npz_numbers(rm2_context *ctx, void *file, size_t index, const rm2i_npy_span *span,
                            rm2_array *array);
rm2_status rm2i_npz_texts(rm2_context *ctx, void *file, size_t index, const rm2i_npy_span *span,
                          rm2_texts *texts);

/* As rm2_archive_array and rm2_archive_texts, for a span of the elements (npy.h) or NULL. */
rm2_status rm2i_archive_numbers(rm2_context *ctx, rm2_archive *archive, size_t index,
                                const rm2i_npy_span *span, rm2_array *array);
rm2_status rm2i_archive_texts(rm2_context *ctx, rm2_archive *archive, size_t index,
                              const rm2i_npy_span *span, rm2_texts *texts);
/* Failure if the array cannot be read. */
rm2_status rm2i_archive_check(rm2_context *ctx, const rm2_archive *archive, size_t index);

#endif
