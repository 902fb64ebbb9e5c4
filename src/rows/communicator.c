/* Broadcasts, agreement and folds. */
#include "rows/communicator.h"

#include <stdlib.h>
#include <string.h>

#include "base/context.h"

/* ---- context -------------------------------------------------------------------------------- */

rm2_status rm2_context_set_communicator(rm2_context *ctx, const rm2_communicator *comm) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    if (comm && comm->size < sizeof *comm)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "communicator: its size is %zu, expected %zu",
                         comm->size, sizeof *comm);
    if (comm && (comm->ranks < 1 || comm->rank < 0 || comm->rank >= comm->ranks))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "communicator: rank %d of %d ranks", comm->rank,
                         comm->ranks);
    if (comm && !(comm->broadcast && comm->allgather && comm->alltoall))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "communicator: an operation is NULL");
    ctx->communicator = comm;
    return RM2_OK;
}

const rm2_communicator *rm2i_communicator_of(const rm2_context *ctx) {
    return ctx && ctx->communicator && ctx->communicator->ranks > 1 ? ctx->communicator : NULL;
}

/* ---- broadcasts ------------------------------------------------------------------------------ */

void rm2i_broadcast(const rm2_communicator *comm, void *data, size_t bytes) {
    if (comm && bytes > 0)
        comm->broadcast(comm->user, 0, bytes, data);
}

bool rm2i_decide(const rm2_communicator *comm, bool on_this_process) {
    unsigned char decision = on_this_process;
    rm2i_broadcast(comm, &decision, sizeof decision);
    return decision != 0;
}

/* ---- failures -------------------------------------------------------------------------------- */

typedef struct report {
    rm2_status status;
    char message[RM2I_MESSAGE_SIZE];
} report;

rm2_status rm2i_agree_all(rm2_context *ctx, const rm2_communicator *comm, rm2_status status) {
    for (int k = 0; k < comm->ranks; k++) {
        report r = {.status = status};
        memcpy(r.message, rm2_context_error(ctx), strlen(rm2_context_error(ctx)) + 1);
        comm->broadcast(comm->user, k, sizeof r.status, &r.status);
        if (r.status == RM2_OK)
            continue;
        comm->broadcast(comm->user, k, sizeof r.message, r.message);
        if (k == 0) /* the root reports about the whole, or the same as all processes */
            return rm2i_fail(ctx, r.status, "%s", r.message);
        return rm2i_fail(ctx, r.status, "rank %d: %.1000s", k, r.message);
    }
    return status;
}

rm2_status rm2i_alloc_all(rm2_context *ctx, const rm2_communicator *comm, size_t count, size_t size,
                          void *out) {
    void *block;
    rm2_status status = rm2i_agree(ctx, comm, rm2i_calloc(ctx, count, size, &block));
    if (status != RM2_OK) {
        free(block);
        block = NULL;
    }
    memcpy(out, &block, sizeof block);
    return status;
}

/* ---- folds ----------------------------------------------------------------------------------- */

void rm2i_comm_fold(const rm2_communicator *comm, size_t bytes, void *state, rm2i_fold_fn fn,
                    const void *job) {
    if (!comm) {
        fn(job, state);
        return;
    }
    for (int k = 0; k < comm->ranks; k++) {
        if (k == comm->rank)
            fn(job, state);
        comm->broadcast(comm->user, k, bytes, state);
    }
}
