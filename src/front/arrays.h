/* NumPy files and files of named arrays for our own front ends.
 *
 * Front headers are not installed and their functions are not exported: the program, the benchmark and the Python
 * extension, which are linked with the static library, include them. */
#ifndef RM2_FRONT_ARRAYS_H
#define RM2_FRONT_ARRAYS_H

#include "riemann2/io.h"

rm2_status rm2_npy_read(rm2_context *ctx, const char *path, rm2_array *array);
rm2_status rm2_npy_write(rm2_context *ctx, const char *path, const rm2_array *array,
                         bool overwrite);

/* An .npz of these arrays, uncompressed. */
rm2_status rm2_npz_write(rm2_context *ctx, const char *path, const rm2_array *arrays, size_t count,
                         bool overwrite);

/* ---- files of named arrays ------------------------------------------------------------------ */

/* The format of a file, by its extension in small or capital letters; NULL: none that the context knows. */
const rm2_archive_format *rm2_archive_format_of(const rm2_context *ctx, const char *path);

typedef struct rm2_archive rm2_archive;

rm2_status rm2_archive_open(rm2_context *ctx, const char *path, rm2_archive **archive);
void rm2_archive_close(rm2_archive *archive);
const rm2_archive_format *rm2_archive_format_used(const rm2_archive *archive);
size_t rm2_archive_count(const rm2_archive *archive); /* arrays */
/* NULL past the end. */
const rm2_archive_entry *rm2_archive_entry_at(const rm2_archive *archive, size_t index);
size_t rm2_archive_find(const rm2_archive *archive, const char *name); /* SIZE_MAX: none */
rm2_status rm2_archive_array(rm2_context *ctx, rm2_archive *archive, size_t index,
                             rm2_array *array);
rm2_status rm2_archive_texts(rm2_context *ctx, rm2_archive *archive, size_t index,
                             rm2_texts *texts);
/* "points (20, 15, 15), label (20) texts": the arrays with their shapes, cut where `size` ends; for messages. */
void rm2_archive_list(const rm2_archive *archive, char *text, size_t size);

#endif
