/* Rows of a data set that are divided among the ranks of a team: consecutive ones to each, whole trajectories, about as
 * many rows to each.
 *
 * Calls that take parts make the same calls on all ranks, each with its rows. Parts of NULL are those of a single process:
 * its rows are all there are. */
#ifndef RM2I_PARTS_H
#define RM2I_PARTS_H

#include "rows/units.h"

typedef struct rm2i_parts {
    const rm2_communicator *comm;
    size_t all, all_trajectories; /* of all ranks */
    size_t *rows;                 /* ranks + 1: rank k has the rows rows[k] to rows[k + 1] - 1, */
    size_t *trajectories;         /* ranks + 1: and these trajectories */
    size_t *starts; /* all_trajectories + 1: first row of each, and all; not read without any */
    size_t *sent, *received; /* ranks: scratch of exchanges */
    size_t *memory;
} rm2i_parts;

/* On rank 0: who gets which of all rows. Refuses more ranks than there are units. Empty on failure. */
rm2_status rm2i_parts_plan(rm2_context *ctx, const rm2_communicator *comm,
                           const rm2i_rows_of *whole, rm2i_parts *parts);
/* Collective: what rank 0 has planned, on all ranks; on others `parts` need not be set. The caller frees them on rank 0
 * also after a failure. */
rm2_status rm2i_parts_share(rm2_context *ctx, const rm2_communicator *comm, rm2i_parts *parts);
void rm2i_parts_free(rm2i_parts *parts);

/* Of parts that may be NULL: the team; rows of all ranks, where this one has n. */
static inline const rm2_communicator *rm2i_parts_comm(const rm2i_parts *parts) {
    return parts ? parts->comm : NULL;
}
static inline size_t rm2i_parts_all(const rm2i_parts *parts, size_t n) {
    return parts ? parts->all : n;
}
/* Is this the process that has what is about the whole? */
static inline bool rm2i_parts_first(const rm2i_parts *parts) {
    return !parts || parts->comm->rank == 0;
}

/* Rows and trajectories of this rank, and where its trajectories begin among its rows: one more than it has. */
size_t rm2i_parts_rows(const rm2i_parts *parts);
size_t rm2i_parts_trajectories(const rm2i_parts *parts);
void rm2i_parts_starts(const rm2i_parts *parts, size_t *starts);

/* Items of `width` numbers, of which rank k has of_rank[k] to of_rank[k + 1] - 1: those of all ranks to rank 0, or from
 * there; `whole` is not used on other ranks. Collective. */
void rm2i_parts_collect(const rm2i_parts *parts, const size_t *of_rank, size_t width,
                        const double *own, double *whole);
void rm2i_parts_distribute(const rm2i_parts *parts, const size_t *of_rank, size_t width,
                           const double *whole, double *own);

/* A few rows of all ranks on rank 0: `index` (rising, the same on all ranks) are their numbers among all rows. */
typedef struct rm2i_some_rows {
    size_t count;
    const size_t *index;
    size_t width;      /* numbers per row */
    const double *own; /* this rank's rows */
} rm2i_some_rows;
/* some: count x width; not used on other ranks. Collective. */
rm2_status rm2i_parts_pick(rm2_context *ctx, const rm2i_parts *parts, const rm2i_some_rows *what,
                           double *some);

#endif
