/* Alignment of a curve, the query, to another one, with open ends. */
#ifndef RM2I_ALIGN_H
#define RM2I_ALIGN_H

#include "start/curves.h"

/* A run of nodes: a curve, or the common motion of several. */
typedef struct rm2i_nodes {
    size_t n;
    const double *node; /* n x M */
} rm2i_nodes;

static inline rm2i_nodes rm2i_curve(const rm2i_curves *c, size_t d) {
    return (rm2i_nodes){rm2i_curve_nodes(c, d), c->node + c->first[d] * c->M};
}

/* How a query may be left out at its ends. */
typedef enum rm2i_ends {
    RM2I_WITHIN,  /* it lies within the reference, apart from up to 0.4 of it at each end */
    RM2I_LATER,   /* it begins within the reference and goes on beyond, for up to 0.75 of it */
    RM2I_EARLIER, /* it begins before the reference and ends within it */
    RM2I_STRICT,  /* as RM2I_WITHIN, at a higher cost */
    RM2I_ENDS     /* how many there are */
} rm2i_ends;

typedef struct rm2i_fit {
    double cost;    /* root of the mean cost of a node, in units of the spread */
    double strict;  /* the same with RM2I_STRICT for RM2I_WITHIN: tells motions apart */
    rm2i_ends ends; /* of `cost` */
    bool reversed;  /* the query is passed from its end */
} rm2i_fit;

/* Scratch for queries and references of up to n nodes. */
size_t rm2i_align_work(size_t n);

/* The best way to leave out, in the better direction; forwards and within the reference unless another
 * way is better by a margin. */
rm2i_fit rm2i_align(const rm2i_curves *c, rm2i_nodes query, rm2i_nodes reference, double *work);

/* place[i]: where node i of the query is on the reference, in its nodes, for that fit. Where the query is
 * left out, it goes on by one node a step, beyond the reference. */
void rm2i_align_places(const rm2i_curves *c, rm2i_nodes query, rm2i_nodes reference,
                       const rm2i_fit *fit, double *place, double *work);

#endif
