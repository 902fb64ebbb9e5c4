/* One context for a program: what all its tests, or one at a time, work with. */
#ifndef SHARED_CONTEXT_H
#define SHARED_CONTEXT_H

#include "riemann2/base.h"

extern rm2_context *ctx;

/* Of the group of tests, or of each. */
int create_shared_context(void **state);
int free_shared_context(void **state);

/* Fails with the context's message. */
void ok(rm2_status status);

#endif
