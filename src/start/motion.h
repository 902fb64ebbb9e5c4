/* The motion that the demonstrations of a family have in common. */
#ifndef RM2I_MOTION_H
#define RM2I_MOTION_H

#include "start/align.h"

typedef struct rm2i_motion {
    size_t count;
    const size_t *member; /* count: the demonstrations, rising */
    size_t reference;     /* the one the motion begins as */
    size_t *slot;         /* count + 1: nodes of member k are slot[k] .. slot[k + 1] - 1 below */
    size_t nodes;         /* of the motion */
    double *node;         /* nodes x M; as the reference runs */
    rm2i_fit *fit;        /* count: how each demonstration fits */
    double *place;        /* slot[count]: where nodes are on the motion, in its nodes */
    double *phase;        /* slot[count]: the same as phase */
} rm2i_motion;

/* Motion and places of `count` members, given their reference. `member` must live on. */
rm2_status rm2i_motion_build(rm2_context *ctx, const rm2i_curves *curves, size_t count,
                             const size_t *member, size_t reference, rm2i_motion *motion);
void rm2i_motion_free(rm2i_motion *motion);

/* Phases from places: one mean demonstration is as long as 1; with `demos` faster where most demonstrations have many
 * points, without (NULL) at an even pace. */
rm2_status rm2i_motion_phase(rm2_context *ctx, const rm2i_start_data *demos,
                             const rm2i_curves *curves, rm2i_motion *motion);

#endif
