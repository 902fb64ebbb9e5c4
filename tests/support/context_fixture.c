#include "context_fixture.h"

#include <string.h>

int create_context(void **state) {
    rm2_context *ctx;
    if (rm2_context_create(&ctx) != RM2_OK)
        return -1;
    *state = ctx;
    return 0;
}

int destroy_context(void **state) {
    rm2_context_free(*state);
    return 0;
}

rm2_manifold *make_manifold(rm2_context *ctx, const char *spec) {
    rm2_manifold *m = NULL;
    if (rm2_manifold_create(ctx, spec, &m) != RM2_OK)
        fail_msg("%s: %s", spec, rm2_context_error(ctx));
    return m;
}

void assert_contains(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("\"%s\" does not contain \"%s\"", text, part);
}
