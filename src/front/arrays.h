/* NumPy files and files of named arrays for our own front ends.
 *
 * Headers of src/front are not installed and their functions are not exported: the program, the
 * benchmark and the Python extension, which are linked with the static library, include them. */
#ifndef RM2_FRONT_ARRAYS_H
#define RM2_FRONT_ARRAYS_H

#include "riemann2/io.h"

rm2_status rm2_npy_read(rm2_context *ctx, const char *path, rm2_array *array);
rm2_status rm2_npy_write(rm2_context *ctx, const char *path, const rm2_array *array,
                         bool overwrite);

/* Write an .npz of arrays, uncompressed.
 *
 * @param ctx  context
 * @param path  the file
 * @param arrays  the arrays, with names
 * @param count  number of arrays
 * @param overwrite  replace an existing file; otherwise it is an error
 */
rm2_status rm2_npz_write(rm2_context *ctx, const char *path, const rm2_array *arrays, size_t count,
                         bool overwrite);

/* ---- files of named arrays ------------------------------------------------------------------ */

/* The format of a file, by its extension in small or capital letters; NULL if the context knows no
 * such format. */
const rm2_archive_format *rm2_archive_format_of(const rm2_context *ctx, const char *path);

typedef struct rm2_archive rm2_archive;

rm2_status rm2_archive_open(rm2_context *ctx, const char *path, rm2_archive **archive);
void rm2_archive_close(rm2_archive *archive);
const rm2_archive_format *rm2_archive_format_used(const rm2_archive *archive);
size_t rm2_archive_count(const rm2_archive *archive); /* number of arrays */
/* The entry with an index; NULL past the end. */
const rm2_archive_entry *rm2_archive_entry_at(const rm2_archive *archive, size_t index);
/* The index of the array with a name; SIZE_MAX for an unknown name. */
size_t rm2_archive_find(const rm2_archive *archive, const char *name);
rm2_status rm2_archive_array(rm2_context *ctx, rm2_archive *archive, size_t index,
                             rm2_array *array);
rm2_status rm2_archive_texts(rm2_context *ctx, rm2_archive *archive, size_t index,
                             rm2_texts *texts);
/* List the arrays with their shapes, for messages: "points (20, 15, 15), label (20) texts". The
 * list is cut at `size`. */
void rm2_archive_list(const rm2_archive *archive, char *text, size_t size);

#endif
