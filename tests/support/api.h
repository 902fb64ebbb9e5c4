/* Public functions with arguments that are missing: each is called with every required pointer NULL in turn. */
#ifndef API_H
#define API_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "front/arrays.h"
#include "front/base.h"
#include "front/data.h"
#include "front/texts.h"
#include "riemann2.h"

/* The call fails and names the argument. `ctx` is the test's context. */
#define MISSING(argument, call)                                                                    \
    do {                                                                                           \
        assert_int_equal(rm2_context_fail(ctx, RM2_ERR_ARGUMENT, "no message"), RM2_ERR_ARGUMENT); \
        rm2_status missing_ = (call);                                                              \
        if (missing_ != RM2_ERR_ARGUMENT ||                                                        \
            !strstr(rm2_context_error(ctx), "'" argument "' is NULL"))                             \
            fail_msg("%s: status %d, %s", #call, (int)missing_, rm2_context_error(ctx));           \
    } while (0)

/* The call has no context, which is refused without a message. */
#define NO_CONTEXT(call)                                                                           \
    do {                                                                                           \
        if ((call) != RM2_ERR_ARGUMENT)                                                            \
            fail_msg("%s: not refused", #call);                                                    \
    } while (0)

/* The call fails, whatever its message says of the value. */
#define REFUSED(words, call)                                                                       \
    do {                                                                                           \
        rm2_status refused_ = (call);                                                              \
        if (refused_ != RM2_ERR_ARGUMENT || !strstr(rm2_context_error(ctx), words))                \
            fail_msg("%s: status %d, %s", #call, (int)refused_, rm2_context_error(ctx));           \
    } while (0)

#define MUST(call)                                                                                 \
    do {                                                                                           \
        if ((call) != RM2_OK)                                                                      \
            fail_msg("%s: %s", #call, rm2_context_error(ctx));                                     \
    } while (0)

#endif
