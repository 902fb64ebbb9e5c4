/* Training on several processes.
 *
 * The processes, or ranks, of a communicator train one model together. Rank 0 calls rm2_fit on data
 * that it has read, or rm2_fit_file, for which every rank reads its part of a file, and gets the
 * model. Every other rank calls rm2_communicator_serve and takes part in each training of rank 0
 * until rank 0 calls rm2_communicator_end. Training by inducing points is divided among the ranks,
 * whole trajectories to each; results do not depend on the number of ranks (docs/scale.md). Other
 * kinds of training are rejected on more than one rank. A communicator of one rank has no effect.
 *
 * The library sees a communicator as a table of operations on memory. riemann2/mpi.h, of the
 * library riemann2-mpi, fills the table with calls of MPI; another transport fills it with its own
 * functions. */
#ifndef RIEMANN2_COMMUNICATOR_H
#define RIEMANN2_COMMUNICATOR_H

#include "riemann2/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Collective operations: all ranks call the same ones in the same order. An operation returns when
 * this rank's arrays may be used again. Operations do not fail: a transport that breaks down ends
 * the process, as MPI does by default. */
typedef struct rm2_communicator {
    size_t size; /* sizeof(rm2_communicator) of the caller */
    int rank, ranks;
    void *user;
    /* Copy `bytes` bytes from rank `root` to all others. */
    void (*broadcast)(void *user, int root, size_t bytes, void *data);
    /* Concatenate on every rank the arrays of all ranks, in the order of ranks: counts[k] doubles
     * of rank k. */
    void (*allgather)(void *user, const size_t *counts, const double *own, double *all);
    /* Send sent[k] doubles to rank k and receive received[k] doubles from rank k. Doubles to and
     * from rank 0 come first in both arrays. */
    void (*alltoall)(void *user, const size_t *sent, const double *out, const size_t *received,
                     double *in);
} rm2_communicator;

/* Set the communicator of a context; NULL: none. It is borrowed and must outlive the context. The
 * call returns RM2_ERR_ARGUMENT for a rank outside 0 to ranks - 1 and for a table with a missing
 * operation. */
RM2_API rm2_status rm2_context_set_communicator(rm2_context *ctx, const rm2_communicator *comm);

/* On every rank except rank 0: take part in the trainings of rank 0 until it calls
 * rm2_communicator_end, with as many threads as rank 0 has. Rank 0 reports a training that fails,
 * whichever rank it failed on. With a single rank the call does nothing. */
RM2_API rm2_status rm2_communicator_serve(rm2_context *ctx);
/* On rank 0: let the other ranks return from rm2_communicator_serve. With a single rank the call
 * does nothing. */
RM2_API rm2_status rm2_communicator_end(rm2_context *ctx);

#ifdef __cplusplus
}
#endif
#endif
