/* Demonstrations as curves: nodes at even steps of arc length, whatever the timing was. */
#ifndef RM2I_CURVES_H
#define RM2I_CURVES_H

#include "start/start.h"

typedef struct rm2i_curves {
    size_t D, M;
    double spread;  /* rho: root of the summed variances along the curves */
    double spacing; /* h: arc length between two nodes */
    size_t *first;  /* D + 1: curve d has the nodes first[d] .. first[d + 1] - 1 */
    double *node;   /* first[D] x M */
    double *place;  /* N: where a point is on its curve, in nodes from the curve's first */
    size_t *spikes; /* D: points that were replaced */
    size_t *worst;  /* D: the one that was farthest from its place, in its demonstration */
    double *off;    /* D: its distance; 0: none was replaced */
    double *jitter; /* D: size of the noise of a point */
    size_t *rests;  /* D: points of pauses */
} rm2i_curves;

static inline size_t rm2i_curve_nodes(const rm2i_curves *c, size_t d) {
    return c->first[d + 1] - c->first[d];
}

/* Empty curves (first[D] = 0) if more than half of the demonstrations have no length. */
rm2_status rm2i_curves_build(rm2_context *ctx, const rm2i_start_data *demos, rm2i_curves *curves);
/* All curves on the root; with `places` also where their points are, else `place` is NULL. On other processes they have no
 * nodes. A single process gets its own curves, borrowed. nodes: those of all curves as rows. */
rm2_status rm2i_curves_gather(rm2_context *ctx, const rm2i_start_data *demos,
                              const rm2i_curves *own, bool places, rm2i_rows *nodes,
                              rm2i_curves *all);
void rm2i_curves_free(rm2i_curves *curves);

/* Points of a demonstration (T x M) that are far from those around them: q (T x M) has them where the others put them, distance
 * (T) is how far they are from there, 0 for all other points. Returns how many there are. */
size_t rm2i_find_spikes(size_t T, size_t M, const double *F, double *q, double *distance,
                        double *work);
size_t rm2i_spikes_work(size_t T, size_t M);

/* Running mean of n values over 2 half + 1 of them, fewer at the ends, on both sides alike. */
void rm2i_running_mean(size_t n, const double *x, size_t half, double *mean);

/* Value at `place` (0 .. n - 1) of a function that is linear between its n values, `stride` apart. */
double rm2i_between(size_t n, const double *x, size_t stride, double place);

#endif
