/* Distances from the demonstrations: curves of geodesic segments through their points, or points alone.
 *
 * Points are looked up along a path, one after the other. Segments are kept in blocks, each with a centre c and a radius r.
 * By the triangle inequality a block is at least
 *     d(y, c) - r   from y,   and at least   (that of the previous point) - d(previous, y)
 * away, so that a block is looked into only where one of these bounds is below the nearest distance found so far: a step
 * costs a subtraction per block and the distances of a few, and the result is that of looking at every segment. In a block
 * the same inequality leaps over points: from a point at the distance d no point is nearer than d - (way to it). */
#ifndef RM2I_NEAREST_H
#define RM2I_NEAREST_H

#include "base/arena.h"
#include "manifold/manifold.h"

typedef struct rm2i_segment_block {
    size_t from, to; /* points, both included; equal: one point */
    size_t centre;   /* point */
    size_t owner;    /* trajectory, or the point itself */
    double radius;   /* no point of the segments is farther than this from the centre */
} rm2i_segment_block;

typedef struct rm2i_segments {
    const rm2_manifold *m;
    const double *points; /* borrowed */
    size_t count;         /* blocks */
    rm2i_segment_block *blocks;
    double *step; /* of each point: distance to the next one of its block */
} rm2i_segments;

/* Trajectory t is points starts[t] .. starts[t + 1] - 1; without trajectories (0) each of n points is by itself. */
rm2_status rm2i_segments_create(rm2_context *ctx, const rm2_manifold *m, const double *points,
                                size_t n, size_t trajectories, const size_t *starts,
                                rm2i_segments *segments);
void rm2i_segments_free(rm2i_segments *segments);

/* A path along which distances are asked for. */
typedef struct rm2i_nearest {
    const rm2i_segments *segments;
    size_t skip;         /* owner that does not count; SIZE_MAX: all do */
    const size_t *group; /* of each owner; NULL: all count, else only those of `wanted` */
    size_t wanted;
    bool begun;                            /* there is a previous point */
    size_t nearest;                        /* block of the previous result */
    double *lower, *previous;              /* bounds of the blocks; the previous point */
    double *frame, *start, *end, *scratch; /* of the manifold */
} rm2i_nearest;

/* Begin with memory of its layout (base/arena.h). */
void rm2i_nearest_lay_out(rm2i_nearest *walk, const rm2i_segments *segments, rm2i_arena *a);
void rm2i_nearest_begin(rm2i_nearest *walk, size_t skip);
/* Among the owners of one group alone. */
void rm2i_nearest_begin_in(rm2i_nearest *walk, size_t skip, const size_t *group, size_t wanted);
/* Distance of the next point y of the path; infinity where nothing counts. To segments it is measured in the tangent
 * space at y, where they are straight: exact to the ends and in flat space, to second order in their length else. A
 * distance that is not above `enough` (0: none) may be that of another segment than the nearest. */
rm2_status rm2i_nearest_to(rm2i_nearest *walk, const double *y, double enough, double *distance);

#endif
