#include "shared_context.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

rm2_context *ctx;

int create_shared_context(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

int free_shared_context(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

void ok(rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}
