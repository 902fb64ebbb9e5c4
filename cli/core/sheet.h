/* Tables for output that grow by columns; a call that fails (false) has run out of memory. */
#ifndef RM2_CLI_SHEET_H
#define RM2_CLI_SHEET_H

#include "core/names.h"

/* Neighbouring columns that are one array in an .npy or .npz file. */
typedef struct sheet_block {
    const char *name;
    size_t first, columns;
    size_t side; /* matrices of this many rows and columns; 0: vectors */
} sheet_block;

typedef struct sheet {
    rm2_table table;
    size_t next; /* column */
    sheet_block blocks[2];
    size_t block_count;
} sheet;

bool sheet_create(sheet *s, size_t rows, size_t columns);
bool sheet_add(sheet *s, const char *name, const double *values, size_t stride);
bool sheet_add_texts(sheet *s, const char *name, const double *codes, const char *const *texts,
                     size_t count);
bool sheet_add_trajectories(sheet *s, size_t count, const size_t *starts, const char *const *ids);
bool sheet_add_labels(sheet *s, const size_t *labels, size_t count, const char *const *names);
bool sheet_add_latents(sheet *s, size_t Q, const double *latents);
bool sheet_add_points(sheet *s, const rm2_manifold *m, const double *points);
/* The same; columns of matrices have these names, if there are some and the manifold has no other factor. */
bool sheet_add_named_points(sheet *s, const rm2_manifold *m, const region_names *names,
                            const double *points);
/* CSV or TSV, .npz with an array per column, latents and points as one array each, or .npy with the last of these: by
 * the ending of the path. */
rm2_status sheet_write(rm2_context *ctx, const sheet *s, const char *path, bool overwrite);
void sheet_free(sheet *s);

#endif
