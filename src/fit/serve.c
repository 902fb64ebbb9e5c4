/* Processes that wait for work of the root: trainings, and fits of which every process reads its part of a file. */
#include "base/base.h"
#include "fit/run.h"
#include "train/scattered.h"

rm2_status rm2_communicator_serve(rm2_context *ctx) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    const rm2i_rows none = rm2i_rows_none(ctx);
    if (rm2i_rows_shared(&none) && rm2i_rows_root(&none))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "only rank 0 may train; other ranks call rm2_communicator_serve");
    while (rm2i_rows_shared(&none)) { /* the root knows of a failure, and reports it */
        rm2i_announcement a;
        rm2i_rows_broadcast(&none, &a, sizeof a);
        if (a.work == RM2I_WORK_END)
            break;
        rm2_context_set_threads(ctx, a.threads);
        (void)(a.work == RM2I_WORK_TRAIN ? rm2i_training_join(ctx) : rm2i_fit_file_join(ctx));
    }
    return RM2_OK;
}

rm2_status rm2_communicator_end(rm2_context *ctx) {
    if (!ctx)
        return RM2_ERR_ARGUMENT;
    RM2_TRY(rm2i_rows_expect_root(ctx));
    rm2i_announce(ctx, RM2I_WORK_END);
    return RM2_OK;
}
