/* A context as the state of each test, and manifolds made in it. */
#ifndef CONTEXT_FIXTURE_H
#define CONTEXT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "riemann2/manifold.h"

int create_context(void **state);
int destroy_context(void **state);
#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, create_context, destroy_context)

/* The manifold of a spec string that is right. */
rm2_manifold *make_manifold(rm2_context *ctx, const char *spec);

void assert_contains(const char *text, const char *part);

#endif
