/* Collective operations of the processes that share the rows of a data set (riemann2/communicator.h).
 *
 * All processes make the same calls in the same order. They take the same decisions because they decide from equal
 * numbers: sums (rows.h), which have the same bits on all processes, or numbers of process 0, the root. A communicator
 * of NULL is that of a single process: broadcasts then do nothing. */
#ifndef RM2I_COMMUNICATOR_H
#define RM2I_COMMUNICATOR_H

#include "base/base.h"
#include "riemann2/communicator.h"

/* The communicator of a context; NULL: none, or of one process. Contexts of threads (rm2i_context_child) have none. */
const rm2_communicator *rm2i_communicator_of(const rm2_context *ctx);

static inline size_t rm2i_ranks(const rm2_communicator *comm) {
    return comm ? (size_t)comm->ranks : 1;
}
static inline bool rm2i_is_root(const rm2_communicator *comm) {
    return !comm || comm->rank == 0;
}

/* Copy bytes of the root to all processes. */
void rm2i_broadcast(const rm2_communicator *comm, void *data, size_t bytes);
/* Is this true on the root? */
bool rm2i_decide(const rm2_communicator *comm, bool on_this_process);

/* Fail on all processes if one failed, with the message of the first that did, which names its rank. To be called where a
 * process may have failed alone, as for lack of memory. */
rm2_status rm2i_agree_all(rm2_context *ctx, const rm2_communicator *comm, rm2_status status);
static inline rm2_status rm2i_agree(rm2_context *context, const rm2_communicator *comm,
                                    rm2_status status) {
    rm2_status all = comm ? rm2i_agree_all(context, comm, status) : status;
    return status != RM2_OK ? status : all; /* static analysis sees that a failure stays one */
}

/* Allocate zeros on every process, or on none; `out` is as in rm2i_alloc. */
rm2_status rm2i_alloc_all(rm2_context *ctx, const rm2_communicator *comm, size_t count, size_t size,
                          void *out);

/* Apply fn to `state` on one process after the other, each with its own job: a loop over the rows of all processes that
 * has the bits of a single process's loop. All get the result. It runs on one process at a time: for cheap loops. */
typedef void (*rm2i_fold_fn)(const void *job, void *state);
void rm2i_comm_fold(const rm2_communicator *comm, size_t bytes, void *state, rm2i_fold_fn fn,
                    const void *job);

#endif
