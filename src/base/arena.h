/* Many arrays from one allocation. A layout function takes every array of a subject from an arena. It
 * runs twice: on an arena without memory it counts, and its pointers come out NULL; on memory of
 * that size it hands out the arrays. Sizes are written once, so that the two cannot differ.
 *
 *     static void lay_out(void *arg, rm2i_arena *a) {
 *         thing *t = arg;
 *         t->X = rm2i_reserve(a, double, t->N, t->Q);
 *         t->index = rm2i_reserve(a, size_t, t->N);
 *     }
 *     RM2_TRY(rm2i_arena_alloc(ctx, lay_out, t, &t->memory));
 *
 * Scratch that a caller brings as `double *work` is laid out on the arena {work, 0}; its size is
 * what the same function has used of the arena {NULL, 0}. */
#ifndef RM2I_ARENA_H
#define RM2I_ARENA_H

#include "base/base.h"

typedef struct rm2i_arena {
    double *base; /* NULL: only count */
    size_t used;  /* doubles; SIZE_MAX: more than a size can express */
} rm2i_arena;

/* rm2i_reserve(arena, type, n, ...): the next n x ... elements of the type, not cleared. Elements are
 * aligned as doubles are; arrays of doubles follow each other without gaps. */
#define rm2i_reserve(arena, type, ...)                                                             \
    ((type *)rm2i_arena_reserve((arena), sizeof(type),                                             \
                                sizeof((const size_t[]){__VA_ARGS__}) / sizeof(size_t),            \
                                (const size_t[]){__VA_ARGS__}))

/* Doubles that hold `count` elements; *fits becomes false where that is more than a size can express. */
static inline size_t rm2i_arena_doubles(size_t size, size_t count, bool *fits) {
    const size_t unit = sizeof(double);
    bool whole = size % unit == 0; /* known to the compiler: doubles need no multiplication */
    size_t product;
    *fits = !__builtin_mul_overflow(whole ? size / unit : size, count, &product) && *fits;
    return whole ? product : product / unit + (product % unit != 0);
}

static inline void *rm2i_arena_reserve(rm2i_arena *a, size_t size, size_t dimensions,
                                       const size_t *extent) {
    size_t count = extent[0], end;
    bool fits = true;
    for (size_t k = 1; k < dimensions; k++)
        fits = !__builtin_mul_overflow(count, extent[k], &count) && fits;
#ifdef __clang_analyzer__ /* cannot know that a layout which is only counted is not used */
    void *taken = a->base + a->used;
#else
    void *taken = a->base ? a->base + a->used : NULL;
#endif
    size_t doubles = rm2i_arena_doubles(size, count, &fits);
    fits = !__builtin_add_overflow(a->used, doubles, &end) && fits;
    a->used = fits ? end : SIZE_MAX;
    return taken;
}

/* For memory that two layouts use by turns: both start from copies of one arena, which continues behind
 * the longer. */
static inline rm2i_arena rm2i_arena_longer(rm2i_arena a, rm2i_arena b) {
    return a.used > b.used ? a : b;
}

typedef void (*rm2i_layout_fn)(void *arg, rm2i_arena *arena);

/* Count, allocate, lay out. *memory, which the caller frees, is NULL on failure, as the pointers of
 * the layout are. rm2i_arena_calloc clears the memory. */
rm2_status rm2i_arena_alloc(rm2_context *ctx, rm2i_layout_fn fn, void *arg, double **memory);
rm2_status rm2i_arena_calloc(rm2_context *ctx, rm2i_layout_fn fn, void *arg, double **memory);

#endif
