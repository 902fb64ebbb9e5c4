/* A draw of some of many, in order, each with the same probability (selection sampling: Knuth, The Art of Computer
 * Programming, volume 2, algorithm S). It depends on the two numbers alone. */
#ifndef RM2I_SELECTION_H
#define RM2I_SELECTION_H

#include "front/base.h"
#include "riemann2/base.h"

typedef struct rm2i_draw {
    rm2_rng rng;
    size_t left, wanted; /* that are still to be asked about; to be drawn from these */
} rm2i_draw;

static inline rm2i_draw rm2i_draw_some(size_t many, size_t some) {
    rm2i_draw d = {.left = many, .wanted = some < many ? some : many};
    rm2_rng_seed(&d.rng, many);
    return d;
}

/* Is the next one drawn? */
static inline bool rm2i_drawn(rm2i_draw *d) {
    if (d->left == 0)
        return false;
    bool drawn = rm2_rng_next(&d->rng) % d->left < d->wanted;
    d->left--;
    d->wanted -= drawn;
    return drawn;
}

#endif
