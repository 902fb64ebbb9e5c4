/* Manifold specs. Any text is a manifold or an error with a message of one line; the spec of a manifold that
 * was made is itself one, of the same manifold. */
#include <string.h>

#include "fuzz.h"
#include "riemann2/manifold.h"

static void check_again(rm2_context *ctx, const rm2_manifold *m) {
    rm2_manifold *again;
    CHECK(rm2_manifold_create(ctx, rm2_manifold_spec(m), &again) == RM2_OK);
    CHECK(strcmp(rm2_manifold_spec(m), rm2_manifold_spec(again)) == 0);
    CHECK(rm2_manifold_dim(m) == rm2_manifold_dim(again));
    CHECK(rm2_manifold_ambient(m) == rm2_manifold_ambient(again));
    CHECK(rm2_manifold_ambient(m) > 0);
    rm2_manifold_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rm2_context *ctx;
    rm2_manifold *m = NULL;
    char *text = malloc(size + 1); /* no byte more than the text */
    CHECK(text && rm2_context_create(&ctx) == RM2_OK);
    memcpy(text, data, size);
    text[size] = '\0';
    if (rm2_manifold_create(ctx, text, &m) == RM2_OK) {
        check_again(ctx, m);
    } else {
        CHECK(!m);
        CHECK(rm2_context_error(ctx)[0] != '\0' && !strchr(rm2_context_error(ctx), '\n'));
    }
    rm2_manifold_free(m);
    rm2_context_free(ctx);
    free(text);
    return 0;
}
