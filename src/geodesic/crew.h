/* Many independent geodesics on the context's threads. */
#ifndef RM2I_CREW_H
#define RM2I_CREW_H

#include "geodesic/probe.h"
#include "riemann2/geodesic.h"

/* What one thread has for itself: messages do not meet. */
typedef struct rm2i_worker {
    rm2_context *ctx;
    rm2i_probe probe; /* its evaluations are counted from 0 in each task */
} rm2i_worker;

typedef rm2_status (*rm2i_task_fn)(void *job, size_t i, rm2i_worker *worker);

/* Task i = 0..count-1, each on one thread; where there are fewer tasks than threads, each has several
 * for the metric. `progress` (may be NULL) is called on the caller's thread. A task that fails does
 * not stop the others, except for an interrupt or lack of memory. The first failure's status and
 * message are the result, *failed its index (SIZE_MAX: none). */
rm2_status rm2i_crew_run(rm2_context *ctx, const rm2_metric *metric, size_t count, rm2i_task_fn fn,
                         void *job, rm2_count_fn progress, void *user, size_t *failed);

#endif
