#include "failing_malloc.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

/* ---- failures -------------------------------------------------------------------------------- */

static _Thread_local long until_failure = -1; /* allocations that still succeed; negative: all */
static _Thread_local bool failures_stay, failed;

void fail_allocation_after(long count, bool for_good) {
    until_failure = count;
    failures_stay = for_good;
    failed = false;
}

bool fail_no_allocation(void) {
    until_failure = -1;
    return failed;
}

static bool fails_now(void) {
    if (until_failure < 0 || until_failure-- > 0)
        return false;
    until_failure = failures_stay ? 0 : -1;
    failed = true;
    return true;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static _Thread_local size_t requested;

size_t bytes_requested(void) {
    size_t bytes = requested;
    requested = 0;
    return bytes;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { MOST_LIVE = 4096 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of these: */
static void *blocks[MOST_LIVE];                          /* allocated here and not freed */
static long live;

long live_blocks(void) {
    (void)pthread_mutex_lock(&lock);
    long count = live;
    (void)pthread_mutex_unlock(&lock);
    return count;
}

static void *count_in(void *block) {
    (void)pthread_mutex_lock(&lock);
    if (block && live == MOST_LIVE)
        abort();
    if (block)
        blocks[live++] = block;
    (void)pthread_mutex_unlock(&lock);
    return block;
}

/* Blocks of the C library (realpath) were never counted. */
static void count_out(const void *block) {
    (void)pthread_mutex_lock(&lock);
    for (long k = live; block && k-- > 0;)
        if (blocks[k] == block) {
            blocks[k] = blocks[--live];
            break;
        }
    (void)pthread_mutex_unlock(&lock);
}

void *__wrap_malloc(size_t size) {
    requested += size;
    return count_in(fails_now() ? NULL : __real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    requested += count * size;
    return count_in(fails_now() ? NULL : __real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
    requested += size;
    if (fails_now())
        return NULL;
    count_out(old);
    return count_in(__real_realloc(old, size));
}

void __wrap_free(void *block) {
    count_out(block);
    __real_free(block);
}

/* ---- calls under test ------------------------------------------------------------------------ */

/* Whether there was an allocation `k` to fail. */
static bool survives(rm2_context *ctx, allocating_fn call, void *fixture, long k, bool for_good) {
    long before = live_blocks();
    fail_allocation_after(k, for_good);
    rm2_status status = call(fixture);
    fail_no_allocation();
    if (live_blocks() != before)
        fail_msg("allocation %ld: %ld blocks are left", k, live_blocks() - before);
    if (!failed && status != RM2_OK)
        fail_msg("no allocation failed, but status %d, %s", (int)status, rm2_context_error(ctx));
    if (failed && status != RM2_ERR_MEMORY)
        fail_msg("allocation %ld: status %d, %s", k, (int)status, rm2_context_error(ctx));
    if (failed && ctx && !strstr(rm2_context_error(ctx), "out of memory"))
        fail_msg("allocation %ld: %s", k, rm2_context_error(ctx));
    return failed;
}

long fail_each_allocation(rm2_context *ctx, allocating_fn call, void *fixture) {
    const long every = getenv("RM2_ALL_FAILURES") ? 1 : 4;
    for (long k = 0;; k++)
        if (!survives(ctx, call, fixture, k, false) ||
            (k % every == 0 && !survives(ctx, call, fixture, k, true)))
            return k;
}
