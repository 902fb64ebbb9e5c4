/* A data set that no process has as a whole.
 *
 * Each process reads its part of the file (raw_part.h), whatever trajectories begin and end there. The root learns where
 * trajectories begin in all, and divides them (rows/rows.h); processes exchange the rows at the borders of their parts.
 * From then on every process has whole trajectories, and checks and converts them as a single process does. Signs and
 * scales, which depend on all points, are found together, with the bits of a single process. */
#ifndef RM2I_DIVIDED_H
#define RM2I_DIVIDED_H

#include "data/data.h"

typedef struct rm2i_divided {
    rm2i_rows rows;
    rm2_data *own; /* the points of this process */
    char **ids;    /* on the root: of all trajectories */
} rm2i_divided;

/* Can it be read so? The file as rm2i_raw_divisible says; not where points are thinned or held out. */
bool rm2i_data_divisible(rm2_context *ctx, const char *path, const rm2_data_settings *s);

/* All processes of the context have the same path and settings (rm2i_data_settings_overlay). A failure is the same on all,
 * with the message of the first that failed; clear the result also then. */
rm2_status rm2i_data_read_divided(rm2_context *ctx, const char *path, const rm2_data_settings *s,
                                  rm2i_divided *divided);
void rm2i_divided_clear(rm2i_divided *divided);

#endif
