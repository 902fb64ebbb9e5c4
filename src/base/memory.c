/* Checked allocation. `out` is the address of a pointer of any object type; memcpy moves the
 * pointer's value, so that no aliasing rule is bent. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"

static rm2_status store(rm2_context *ctx, void *block, size_t count, size_t size, void *out) {
    memcpy(out, &block, sizeof block);
    if (block)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_MEMORY, "out of memory: cannot allocate %zu x %zu bytes", count,
                     size);
}

static bool total(size_t count, size_t size, size_t *bytes) {
    return !__builtin_mul_overflow(count ? count : 1, size ? size : 1, bytes) &&
           *bytes <= PTRDIFF_MAX;
}

rm2_status rm2i_alloc(rm2_context *ctx, size_t count, size_t size, void *out) {
    size_t bytes;
    void *block = total(count, size, &bytes) ? malloc(bytes) : NULL;
    return store(ctx, block, count, size, out);
}

rm2_status rm2i_calloc(rm2_context *ctx, size_t count, size_t size, void *out) {
    size_t bytes;
    void *block = total(count, size, &bytes) ? calloc(1, bytes) : NULL;
    return store(ctx, block, count, size, out);
}

rm2_status rm2i_grow(rm2_context *ctx, size_t count, size_t size, void *inout) {
    void *old;
    memcpy(&old, inout, sizeof old);
    size_t bytes;
    void *block = total(count, size, &bytes) ? realloc(old, bytes) : NULL;
    if (!block) {
        void *ignored;
        return store(ctx, NULL, count, size, &ignored);
    }
    return store(ctx, block, count, size, inout);
}

rm2_status rm2i_strdup(rm2_context *ctx, const char *text, char **out) {
    size_t bytes = strlen(text) + 1;
    RM2_TRY(rm2i_alloc(ctx, bytes, 1, out));
    memcpy(*out, text, bytes);
    return RM2_OK;
}

void rm2_free(void *block) {
    free(block);
}

typedef rm2_status (*allocate_fn)(rm2_context *ctx, size_t count, size_t size, void *out);

static rm2_status lay_out_by(allocate_fn allocate, rm2_context *ctx, rm2i_layout_fn fn, void *arg,
                             double **memory) {
    rm2i_arena arena = {NULL, 0};
    fn(arg, &arena);
    RM2_TRY(allocate(ctx, arena.used, sizeof **memory, memory));
    fn(arg, &(rm2i_arena){*memory, 0});
    return RM2_OK;
}

rm2_status rm2i_arena_alloc(rm2_context *ctx, rm2i_layout_fn fn, void *arg, double **memory) {
    return lay_out_by(rm2i_alloc, ctx, fn, arg, memory);
}

rm2_status rm2i_arena_calloc(rm2_context *ctx, rm2i_layout_fn fn, void *arg, double **memory) {
    return lay_out_by(rm2i_calloc, ctx, fn, arg, memory);
}

void rm2i_hash(uint64_t *hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t k = 0; k < size; k++)
        *hash = (*hash ^ at[k]) * UINT64_C(1099511628211);
}
