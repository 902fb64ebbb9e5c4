/* Rows in units that depend on the data alone.
 *
 * Sums over points are trees (rows/tree.h) whose terms are the sums of units: whole trajectories, consecutive ones joined
 * until they have enough rows; without trajectories as many rows. A process owns whole units, and a thread adds up whole
 * units, so that results do not depend on who has which. Inside a unit the work goes in blocks of at most RM2I_ROWS
 * rows. */
#ifndef RM2I_UNITS_H
#define RM2I_UNITS_H

#include "riemann2/base.h"
#include "rows/shares.h"

enum { RM2I_ROWS = 128 }; /* most rows in a block */

/* Rows first[u] to first[u + 1] - 1 of this process are unit u, term `offset` + u of sums of `terms` terms. */
typedef struct rm2i_ranges {
    size_t count, offset, terms;
    size_t *first;   /* count + 1 */
    size_t all;      /* rows of all processes */
    size_t *of_rank; /* rank k has the rows of_rank[k] to of_rank[k + 1] - 1; NULL: one process */
    rm2i_shares *shares; /* NULL: one process */
} rm2i_ranges;

/* Of ranges that may be NULL: the team, rows of the ranks before this one, and of all ranks where N are here. */
static inline const rm2_communicator *rm2i_ranges_comm(const rm2i_ranges *r) {
    return r && r->shares ? r->shares->comm : NULL;
}
static inline size_t rm2i_rows_before(const rm2i_ranges *r) {
    return rm2i_ranges_comm(r) ? r->of_rank[r->shares->comm->rank] : 0;
}
static inline size_t rm2i_rows_all(const rm2i_ranges *r, size_t N) {
    return r ? r->all : N;
}

typedef struct rm2i_units {
    rm2i_ranges points;     /* all rows */
    rm2i_ranges increments; /* steps within trajectories, one fewer per trajectory; count 0: none */
    rm2i_ranges trajectories; /* which are in each unit; not set without trajectories */
    rm2i_shares *shares;      /* of all three; NULL: one process */
    double *memory, *ranks;   /* ranks: what `of_rank` are in */
} rm2i_units;

/* Rows that a unit has at least, of N in all processes together. */
size_t rm2i_unit_rows(size_t N);
/* Rows per block in a unit of n rows. */
size_t rm2i_block_rows(size_t n);

/* What is cut into units. */
typedef struct rm2i_rows_of {
    size_t N, trajectories;
    const size_t *starts; /* trajectories + 1; not read where there are none */
    size_t rows;          /* rm2i_unit_rows; SIZE_MAX: all in one unit */
    const rm2_communicator
        *comm; /* the others have the rows before and behind; NULL: one process */
} rm2i_rows_of;

/* Collective where there is a team. */
rm2_status rm2i_units_create(rm2_context *ctx, const rm2i_rows_of *what, rm2i_units **units);
void rm2i_units_free(rm2i_units *units);

#endif
