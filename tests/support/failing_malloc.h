/* An allocator that fails on demand and knows which blocks are still there. Programs that include it
 * are linked with --wrap for malloc, calloc, realloc and free (all called *_malloc are), which other
 * shared libraries (HDF5, BLAS) do not see. One thread only, so that allocations come in a fixed
 * order. */
#ifndef FAILING_MALLOC_H
#define FAILING_MALLOC_H

#include <stdlib.h>
#include <string.h>

#include "riemann2/base.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static long until_failure = -1; /* allocations that still succeed; negative: all */
enum { MOST_LIVE = 4096 };
static void *blocks[MOST_LIVE]; /* allocated here and not freed */
static long live;

static bool fails_now(void) {
    if (until_failure < 0)
        return false;
    return until_failure-- == 0;
}

static void *count_in(void *block) {
    if (block) {
        if (live == MOST_LIVE)
            abort();
        blocks[live++] = block;
    }
    return block;
}

/* Blocks of the C library (realpath) were never counted. */
static void count_out(const void *block) {
    for (long k = live; block && k-- > 0;)
        if (blocks[k] == block) {
            blocks[k] = blocks[--live];
            return;
        }
}

void *__wrap_malloc(size_t size) {
    return count_in(fails_now() ? NULL : __real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return count_in(fails_now() ? NULL : __real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
    if (fails_now())
        return NULL;
    count_out(old);
    return count_in(__real_realloc(old, size));
}

void __wrap_free(void *block) {
    count_out(block);
    __real_free(block);
}

/* A call on the program's `struct fixture`, which has a context `ctx`. */
typedef struct fixture fixture;
typedef rm2_status (*call_fn)(fixture *f);

/* Fail allocation 0, 1, 2, ... until the call succeeds; returns how many there are. The message is
 * looked for in ctx, unless NULL. */
static long fail_each(const rm2_context *ctx, fixture *f, call_fn call) {
    for (long k = 0;; k++) {
        long before = live;
        until_failure = k;
        rm2_status status = call(f);
        bool reached = until_failure < 0;
        until_failure = -1;
        if (live != before)
            fail_msg("allocation %ld: %ld blocks are left", k, live - before);
        if (!reached) {
            assert_int_equal(status, RM2_OK);
            return k;
        }
        if (status != RM2_ERR_MEMORY || (ctx && !strstr(rm2_context_error(ctx), "out of memory")))
            fail_msg("allocation %ld: status %d, %s", k, (int)status, rm2_context_error(ctx));
    }
}

#endif
