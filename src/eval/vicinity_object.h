/* The demonstrations with their spread, inside of this folder. */
#ifndef RM2I_VICINITY_OBJECT_H
#define RM2I_VICINITY_OBJECT_H

#include "eval/nearest.h"
#include "eval/vicinity.h"

enum { RM2I_MOST_DEMONSTRATIONS = 32, RM2I_MOST_POINTS_OF_ONE = 64 }; /* that are looked at */

struct rm2_vicinity {
    const rm2_model *model;
    rm2_manifold *manifold; /* retained */
    double *
        points; /* training points, errors of the recording replaced by a neighbour; NULL: no trajectories */
    rm2i_segments segments;
    rm2_vicinity_info info;
    size_t families;
    size_t *family; /* of each demonstration; NULL: one family */
    double *spread; /* of each family */
};

/* Number k of `count` evenly spaced ones of n. */
static inline size_t rm2i_evenly(size_t k, size_t count, size_t n) {
    return count > 1 ? k * (n - 1) / (count - 1) : 0;
}

#endif
