/* Allocations that fail on purpose. A program called *_malloc is linked with --wrap for malloc,
 * calloc, realloc and free, so that calls from the library come here; those inside other shared
 * libraries (BLAS, the C library itself) do not. Failures are those of the thread that asks for them: with one
 * thread in the context, so that allocations come in a fixed order. */
#ifndef FAILING_MALLOC_H
#define FAILING_MALLOC_H

#include "riemann2/base.h"

/* After `count` more allocations one fails (and with it every later one, if `for_good`). */
void fail_allocation_after(long count, bool for_good);
/* No more failures; was there one since they were asked for? */
bool fail_no_allocation(void);

/* Bytes that were asked for since the last call of this; growing a block asks for all of it. */
size_t bytes_requested(void);

/* Blocks that are allocated and not freed, of all threads. */
long live_blocks(void);

/* A call under test: releases what it was given; one that fails asserts that this was nothing. */
typedef rm2_status (*allocating_fn)(void *fixture);

/* Make allocation 0, 1, 2, ... of the call fail alone, and every fourth (with RM2_ALL_FAILURES in the environment: each)
 * with all later ones, until the call needs no more: each time the status is RM2_ERR_MEMORY, the message in `ctx` (NULL: there
 * is none) says so, and nothing leaks. Returns how many allocations there are. */
long fail_each_allocation(rm2_context *ctx, allocating_fn call, void *fixture);

#endif
