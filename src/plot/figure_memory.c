/* Checked allocation for figures. `out` is the address of a pointer of any object type; memcpy moves the
 * pointer's value, so that no aliasing rule is bent. */
#include <stdlib.h>
#include <string.h>

#include "plot/plot.h"

static rm2_status no_memory(rm2_context *ctx, size_t count, size_t size) {
    return rm2_context_fail(ctx, RM2_ERR_MEMORY, "out of memory: cannot allocate %zu x %zu bytes",
                            count, size);
}

rm2_status rm2i_plot_alloc(rm2_context *ctx, size_t count, size_t size, void *out) {
    void *block = calloc(count ? count : 1, size);
    memcpy(out, &block, sizeof block);
    /* cppcheck-suppress memleak ; `out` has it */
    return block ? RM2_OK : no_memory(ctx, count, size);
}

rm2_status rm2i_plot_grow(rm2_context *ctx, size_t count, size_t size, void *inout) {
    void *old;
    memcpy(&old, inout, sizeof old);
    void *block = count <= PTRDIFF_MAX / size ? realloc(old, count * size) : NULL;
    if (!block)
        return no_memory(ctx, count, size);
    memcpy(inout, &block, sizeof block);
    return RM2_OK;
}
