/* Parts of a computation on the threads of a context.
 *
 * The calling thread takes parts, and so do helpers, threads of the context that sleep between calls. A helper
 * that has not started when all parts are taken is not waited for: the calling thread alone is enough
 * to finish. It waits only for parts that a helper has begun.
 *
 * That wait is long where other programs use the processors and a helper is interrupted in the middle of a part.
 * So each call compares the time that helpers saved (their parts at the calling thread's own pace) with the time
 * it waited for them. When more was lost than saved, the calls that follow run on the calling thread alone for
 * PAUSE times as long as was lost: waiting costs at most 1/PAUSE of the time, whatever else is running.
 *
 * Which thread runs a part, and how many threads there are, must not change results: parts are cut by sizes of the
 * problem, never by the number of threads. */
#ifndef RM2I_POOL_H
#define RM2I_POOL_H

#include "riemann2/base.h"

/* Part `part` of the job. `worker` numbers the threads of this call, 0 is the calling thread, all are below
 * rm2i_workers: it chooses scratch memory, nothing else. */
typedef void (*rm2i_part_fn)(void *job, size_t part, size_t worker);

/* Run all parts; returns when they are done. Inside a part of the same context, in a parallel region of OpenMP, and
 * with ctx NULL they run on the calling thread, as worker 0. Parts that take longest should come first. */
void rm2i_parallel(rm2_context *ctx, size_t parts, rm2i_part_fn fn, void *job);

/* Number of threads that may work on this number of parts, at least 1. */
size_t rm2i_workers(const rm2_context *ctx, size_t parts);

#endif
