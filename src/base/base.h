/* Internal side of the base layer: failing with a message, logging, checked allocation. */
#ifndef RM2I_BASE_H
#define RM2I_BASE_H

#include <stdarg.h>

#include "riemann2/base.h"

/* Store the message in the context (NULL is allowed) and return the status. */
rm2_status rm2i_fail(rm2_context *ctx, rm2_status status, const char *format, ...) RM2_PRINTF(3, 4);

/* Put "text: " in front of the stored message, to say where a failure came up; returns status. */
rm2_status rm2i_fail_prefix(rm2_context *ctx, rm2_status status, const char *format, ...)
    RM2_PRINTF(3, 4);

void rm2i_log(rm2_context *ctx, rm2_log_level level, const char *format, ...) RM2_PRINTF(3, 4);

bool rm2i_interrupted(const rm2_context *ctx);

/* count * size bytes, overflow checked; *out is NULL on failure, and never NULL on success.
 * rm2i_calloc clears the memory; rm2i_grow keeps the old contents (and the old block if it fails).
 */
rm2_status rm2i_alloc(rm2_context *ctx, size_t count, size_t size, void *out);
rm2_status rm2i_calloc(rm2_context *ctx, size_t count, size_t size, void *out);
rm2_status rm2i_grow(rm2_context *ctx, size_t count, size_t size, void *inout);

/* Cut `count` doubles from the front of *memory: many arrays from one allocation. */
static inline double *rm2i_cut(double **memory, size_t count) {
    double *piece = *memory;
    *memory += count;
    return piece;
}

/* A copy of a string. */
rm2_status rm2i_strdup(rm2_context *ctx, const char *text, char **out);

/* Run the expression; on failure hand its status to the caller. For functions that own nothing. */
#define RM2_TRY(expression)                                                                        \
    do {                                                                                           \
        rm2_status rm2_try_status_ = (expression);                                                 \
        if (rm2_try_status_ != RM2_OK)                                                             \
            return rm2_try_status_;                                                                \
    } while (0)

/* One point of a batch: `work` is the calling thread's own scratch. */
typedef rm2_status (*rm2i_point_fn)(const void *job, size_t i, double *work);

/* Run fn for i = 0..n-1 on the context's threads, each with `work_size` doubles of scratch
 * (allocated once). Stops early on a failure or an interrupt and returns the status; *failed
 * is then the smallest index that failed. */
rm2_status rm2i_batch(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                      const void *job, size_t *failed);
/* The same where each i is work enough for a thread of its own (pairs of trajectories): on all
 * threads however few there are, the interrupt looked at after each. */
rm2_status rm2i_tasks(rm2_context *ctx, size_t n, size_t work_size, rm2i_point_fn fn,
                      const void *job, size_t *failed);

#endif
