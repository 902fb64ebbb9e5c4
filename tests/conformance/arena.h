/* Memory that is given back all at once: a list of blocks that only grows until it is freed. */
#ifndef CONFORMANCE_ARENA_H
#define CONFORMANCE_ARENA_H

#include <stddef.h>

typedef struct arena {
    struct arena_block *blocks; /* NULL: an empty arena, so {0} is a valid one */
} arena;

/* `size` bytes aligned for any type, not initialised; NULL when memory is out. */
void *arena_alloc(arena *a, size_t size);

/* count * size bytes; NULL when the product overflows or memory is out. */
void *arena_array(arena *a, size_t count, size_t size);

/* Give everything back; the arena is empty and usable afterwards. */
void arena_free(arena *a);

#endif
