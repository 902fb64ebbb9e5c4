/* Arena: blocks of at least BLOCK_BYTES, allocation moves a mark inside the newest one. */
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 1 << 16 };

struct arena_block {
    struct arena_block *older;
    size_t used, size;
    alignas(max_align_t) unsigned char data[];
};

static struct arena_block *block_create(size_t at_least) {
    size_t size = at_least > BLOCK_BYTES ? at_least : BLOCK_BYTES;
    if (size > SIZE_MAX - sizeof(struct arena_block))
        return NULL;
    struct arena_block *block = malloc(sizeof *block + size);
    if (block)
        *block = (struct arena_block){.size = size};
    return block;
}

void *arena_alloc(arena *a, size_t size) {
    size_t unit = alignof(max_align_t);
    if (size > SIZE_MAX - unit)
        return NULL;
    size = (size + unit - 1) / unit * unit;
    struct arena_block *block = a->blocks;
    if (!block || block->size - block->used < size) {
        block = block_create(size);
        if (!block)
            return NULL;
        block->older = a->blocks;
        a->blocks = block;
    }
    void *memory = block->data + block->used;
    block->used += size;
    return memory;
}

void *arena_array(arena *a, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return arena_alloc(a, count * size);
}

void arena_free(arena *a) {
    while (a->blocks) {
        struct arena_block *older = a->blocks->older;
        free(a->blocks);
        a->blocks = older;
    }
}
