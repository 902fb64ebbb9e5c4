/* Many independent geodesics on the context's threads. */
#ifndef RM2I_WORKERS_H
#define RM2I_WORKERS_H

#include "geodesic/evaluator.h"
#include "riemann2/geodesic.h"

/* What one thread has for itself. */
typedef struct rm2i_worker {
    size_t number;            /* 0, 1, ..., less than rm2i_workers(ctx, count) */
    rm2_context *ctx;         /* a child of the caller's: messages do not meet */
    rm2i_evaluator evaluator; /* its evaluations are counted from 0 in each task */
} rm2i_worker;

typedef rm2_status (*rm2i_job_fn)(void *job, size_t i, rm2i_worker *worker);

/* Task i = 0..count-1, each on one thread; where there are fewer tasks than threads, each has several
 * for the metric. Each is a part of the activity that is under way. A task that fails does not stop
 * the others, and the first one's status and message are the result, *failed its index. An interrupt
 * or lack of memory ends all tasks, and is the result then; *failed is SIZE_MAX, as without failure. */
rm2_status rm2i_workers_run(rm2_context *ctx, const rm2_metric *metric, size_t count,
                            rm2i_job_fn fn, void *job, size_t *failed);

/* The pair (i, j), i < j < n, of a number: pairs are counted along the rows of the upper triangle. */
void rm2i_find_pair(size_t n, size_t number, size_t *i, size_t *j);

#endif
