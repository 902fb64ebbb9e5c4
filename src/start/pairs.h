/* Distances between the curves of demonstrations, and what they say. */
#ifndef RM2I_PAIRS_H
#define RM2I_PAIRS_H

#include "start/align.h"

/* Costs of aligning every demonstration to some of them, the references (all, unless they are many). */
typedef struct rm2i_pairs {
    size_t D, R;
    size_t *reference; /* R: which demonstrations */
    double *cost;      /* D x R, as in rm2i_fit */
    double *strict;    /* D x R */
} rm2i_pairs;

rm2_status rm2i_pairs_build(rm2_context *ctx, const rm2i_curves *curves, rm2i_pairs *pairs);
void rm2i_pairs_free(rm2i_pairs *pairs);

/* family[d] of the D demonstrations, numbered in the order of their first one; *count of them. */
rm2_status rm2i_pairs_families(rm2_context *ctx, const rm2i_pairs *pairs, size_t *family,
                               size_t *count);

/* The demonstration that those of a family fit into best: argmin_r sum_a cost(a, r). */
size_t rm2i_pairs_reference(const rm2i_pairs *pairs, const size_t *family, size_t f);

#endif
