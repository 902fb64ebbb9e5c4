/* A binary heap of nodes by their distance that knows where each node is, so that a distance can
 * fall in place: what Dijkstra's and Kruskal's methods take the next from. The memory is the
 * caller's. */
#ifndef RM2I_HEAP_H
#define RM2I_HEAP_H

#include <stddef.h>

typedef struct rm2i_heap {
    size_t count;
    size_t *node;     /* heap: no node is closer than the one above it */
    size_t *place;    /* place[i]: where node i is in the heap */
    const double *at; /* distances */
} rm2i_heap;

static inline void rm2i_heap_put(rm2i_heap *h, size_t place, size_t node) {
    h->node[place] = node;
    h->place[node] = place;
}

/* The distance of `node` at `place` fell. */
static inline void rm2i_heap_rise(rm2i_heap *h, size_t place, size_t node) {
    while (place > 0) {
        size_t above = (place - 1) / 2;
        if (h->at[h->node[above]] <= h->at[node])
            break;
        rm2i_heap_put(h, place, h->node[above]);
        place = above;
    }
    rm2i_heap_put(h, place, node);
}

static inline void rm2i_heap_push(rm2i_heap *h, size_t node) {
    rm2i_heap_rise(h, h->count++, node);
}

/* Take out the closest. */
static inline size_t rm2i_heap_pop(rm2i_heap *h) {
    size_t top = h->node[0], node = h->node[--h->count], place = 0;
    for (;;) {
        size_t below = 2 * place + 1;
        if (below >= h->count)
            break;
        if (below + 1 < h->count && h->at[h->node[below + 1]] < h->at[h->node[below]])
            below++;
        if (h->at[node] <= h->at[h->node[below]])
            break;
        rm2i_heap_put(h, place, h->node[below]);
        place = below;
    }
    rm2i_heap_put(h, place, node);
    return top;
}

#endif
