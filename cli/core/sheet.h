/* Tables for output that grow by columns; a call that fails (false) has run out of memory. */
#ifndef RM2_CLI_SHEET_H
#define RM2_CLI_SHEET_H

#include "core/cli.h"

typedef struct sheet {
    rm2_table table;
    size_t next; /* column */
} sheet;

bool sheet_create(sheet *s, size_t rows, size_t columns);
bool sheet_add(sheet *s, const char *name, const double *values, size_t stride);
bool sheet_add_texts(sheet *s, const char *name, const double *codes, const char *const *texts,
                     size_t count);
bool sheet_add_trajectories(sheet *s, size_t count, const size_t *starts, const char *const *ids);
bool sheet_add_labels(sheet *s, const rm2_data *data);
bool sheet_add_latents(sheet *s, size_t Q, const double *latents);
bool sheet_add_points(sheet *s, const rm2_manifold *m, const double *points);
void sheet_free(sheet *s);

#endif
