/* Training on several processes.
 *
 * A team is a number of processes, or ranks, that train one model together. Rank 0 calls rm2_fit on data that it has read,
 * or rm2_fit_file, for which every rank reads its part of a file, as a program alone would, and gets the model; every
 * other rank calls rm2_team_work and takes part in each training of rank 0 until that calls rm2_team_end. Training by inducing points is divided among the ranks, whole trajectories to
 * each; results do not depend on the number of ranks (docs/scale.md). Other kinds of training are refused where the
 * team has more than one rank. A team of one is the same as none.
 *
 * The library knows a team as a table of operations on memory. riemann2/mpi.h, of the library riemann2-mpi, fills it
 * with calls of MPI; an own transport fills it with its own. */
#ifndef RIEMANN2_TEAM_H
#define RIEMANN2_TEAM_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective operations: all ranks call the same ones in the same order. They return when this rank's arrays may be
 * used again. They do not fail: a transport that breaks down ends the process, as MPI does by default. */
typedef struct rm2_team {
    int rank, size;
    void *user;
    /* Copy `bytes` bytes from rank `root` to all others. */
    void (*broadcast)(void *user, int root, size_t bytes, void *data);
    /* Every rank gets what all ranks have, in the order of ranks: counts[k] doubles of rank k. */
    void (*gather)(void *user, const size_t *counts, const double *own, double *all);
    /* sent[k] doubles to rank k, received[k] doubles from rank k; those of rank 0 come first in both arrays. */
    void (*exchange)(void *user, const size_t *sent, const double *out, const size_t *received,
                     double *in);
} rm2_team;

/* The team of a context; borrowed, must live longer than the context. NULL: none. RM2_ERR_ARGUMENT for a rank that is
 * not among 0 to size - 1 or a table with a missing operation. */
RM2_API rm2_status rm2_context_set_team(rm2_context *ctx, const rm2_team *team);

/* On every rank except rank 0: take part in the trainings of rank 0 until it calls rm2_team_end, with as many threads as
 * rank 0 has. A training that fails is reported by rank 0, whichever rank it failed on. Does nothing in a
 * team of one. */
RM2_API rm2_status rm2_team_work(rm2_context *ctx);
/* On rank 0: no more trainings. Does nothing in a team of one. */
RM2_API rm2_status rm2_team_end(rm2_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
