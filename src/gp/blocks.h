/* Rows in blocks that depend on the data alone.
 *
 * A sum over points is the sum of its blocks' sums (base/sum.h). For it to be the same however points are divided among
 * threads and processes, a block must hold the same rows each time. So the data are cut into *units*: whole trajectories,
 * consecutive ones joined until they have at least RM2I_ROWS rows; without trajectories RM2I_ROWS rows each. A process
 * owns whole units, and a block lies inside one unit. */
#ifndef RM2I_BLOCKS_H
#define RM2I_BLOCKS_H

#include "riemann2/base.h"

enum { RM2I_ROWS = 128 }; /* most rows in a block */

/* Rows first[b] to first[b + 1] - 1 are block b. */
typedef struct rm2i_blocks {
    size_t count;
    size_t *first; /* count + 1 */
} rm2i_blocks;

typedef struct rm2i_units {
    size_t count;
    size_t *row;            /* count + 1: where they begin */
    size_t *trajectory;     /* count + 1: the first trajectory of each; zeros without trajectories */
    rm2i_blocks points;     /* of the rows */
    rm2i_blocks increments; /* of the steps within trajectories, one fewer per trajectory; count 0: none */
    double *memory;
} rm2i_units;

/* starts: trajectories + 1 rows where trajectories begin; not read where there are none. */
rm2_status rm2i_units_create(rm2_context *ctx, size_t N, size_t trajectories, const size_t *starts,
                             rm2i_units **units);
/* All rows in one unit and one block: sums as one loop makes them. */
rm2_status rm2i_units_create_whole(rm2_context *ctx, size_t N, size_t trajectories,
                                   rm2i_units **units);
void rm2i_units_free(rm2i_units *units);

#endif
