/* Distances from the demonstrations, by blocks of segments and the triangle inequality. */
#include "eval/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"

enum { BLOCK = 16 }; /* segments of a block */

static const double *point_of(const rm2i_segments *c, size_t i) {
    return c->points + i * c->m->ambient;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* A point of a segment is at most half its length from the nearer end:
 * r = max d(c, p_i) + max d(p_i, p_i+1)/2 */
static rm2_status measure_block(const void *arg, size_t b, double *work) {
    const rm2i_segments *c = arg;
    rm2i_segment_block *block = &c->blocks[b];
    double farthest = 0, longest = 0, d;
    for (size_t i = block->from; i <= block->to && block->from < block->to; i++) {
        RM2_TRY(rm2i_manifold_distance(c->m, point_of(c, block->centre), point_of(c, i), &d, work,
                                       NULL));
        farthest = fmax(farthest, d);
        if (i == block->to)
            break;
        RM2_TRY(rm2i_manifold_distance(c->m, point_of(c, i), point_of(c, i + 1), &d, work, NULL));
        c->step[i] = d;
        longest = fmax(longest, d);
    }
    block->radius = farthest + longest / 2;
    return RM2_OK;
}

static size_t blocks_of(size_t points) {
    return points > 1 ? (points - 2) / BLOCK + 1 : points;
}

/* Blocks of the points from .. to - 1 of one trajectory. */
static void divide(rm2i_segments *c, size_t owner, size_t from, size_t to) {
    for (size_t k = 0; k < blocks_of(to - from); k++) {
        size_t first = from + k * BLOCK, last = first + BLOCK < to ? first + BLOCK : to - 1;
        c->blocks[c->count++] = (rm2i_segment_block){first, last, (first + last) / 2, owner, 0};
    }
}

rm2_status rm2i_segments_create(rm2_context *ctx, const rm2_manifold *m, const double *points,
                                size_t n, size_t trajectories, const size_t *starts,
                                rm2i_segments *segments) {
    size_t total = trajectories ? 0 : n, failed = 0;
    *segments = (rm2i_segments){.m = m, .points = points};
    for (size_t t = 0; t < trajectories; t++)
        total += blocks_of(starts[t + 1] - starts[t]);
    RM2_TRY(rm2i_alloc(ctx, total, sizeof *segments->blocks, &segments->blocks));
    rm2_status status = rm2i_alloc(ctx, n, sizeof *segments->step, &segments->step);
    if (status != RM2_OK) {
        rm2i_segments_free(segments);
        return status;
    }
    for (size_t t = 0; t < trajectories; t++)
        divide(segments, t, starts[t], starts[t + 1]);
    for (size_t i = 0; !trajectories && i < n; i++)
        divide(segments, i, i, i + 1);
    status = rm2i_batch(ctx, segments->count, m->work_size, measure_block, segments, &failed);
    if (status == RM2_OK)
        return RM2_OK;
    size_t at = status == RM2_INTERRUPTED ? 0 : segments->blocks[failed].from;
    rm2i_segments_free(segments);
    return status == RM2_INTERRUPTED || status == RM2_ERR_MEMORY
               ? status
               : rm2i_fail(ctx, status, "distances of training points from %zu on: %s", at,
                           rm2_status_text(status));
}

void rm2i_segments_free(rm2i_segments *segments) {
    free(segments->blocks);
    free(segments->step);
    *segments = (rm2i_segments){0};
}

/* ---- a path --------------------------------------------------------------------------------- */

void rm2i_nearest_lay_out(rm2i_nearest *walk, const rm2i_segments *segments, rm2i_arena *a) {
    const rm2_manifold *m = segments->m;
    walk->segments = segments;
    walk->lower = rm2i_reserve(a, double, segments->count);
    walk->previous = rm2i_reserve(a, double, m->ambient);
    walk->frame = rm2i_reserve(a, double, m->frame_size);
    walk->start = rm2i_reserve(a, double, m->dim);
    walk->end = rm2i_reserve(a, double, m->dim);
    walk->scratch = rm2i_reserve(a, double, m->work_size);
}

void rm2i_nearest_begin(rm2i_nearest *walk, size_t skip) {
    rm2i_nearest_begin_in(walk, skip, NULL, 0);
}

void rm2i_nearest_begin_in(rm2i_nearest *walk, size_t skip, const size_t *group, size_t wanted) {
    walk->skip = skip;
    walk->group = group;
    walk->wanted = wanted;
    walk->begun = false;
    walk->nearest = SIZE_MAX;
    for (size_t b = 0; b < walk->segments->count; b++)
        walk->lower[b] = 0;
}

/* c = Log_y(p), by the frame at y; returns its norm. A point on the cut locus has a distance and no logarithm: c is NaN. */
static double look_at(const rm2i_nearest *w, const double *y, const double *p, double *c) {
    const rm2_manifold *m = w->segments->m;
    double d;
    if (rm2i_manifold_log(m, w->frame, p, c, w->scratch, NULL) == RM2_OK)
        return sqrt(rm2i_dot(m->dim, c, c));
    c[0] = NAN;
    return rm2i_manifold_distance(m, y, p, &d, w->scratch, NULL) == RM2_OK ? d : INFINITY;
}

/* |a + t (b - a)| at its least, t = -a.(b - a)/|b - a|^2 between 0 and 1; infinity if that is at an end, or NaN. */
static double inside(size_t n, const double *a, const double *b) {
    double along = 0, square = 0, sum = 0;
    for (size_t k = 0; k < n; k++) {
        along -= a[k] * (b[k] - a[k]);
        square += (b[k] - a[k]) * (b[k] - a[k]);
    }
    if (!(along > 0 && along < square))
        return INFINITY;
    double t = along / square;
    for (size_t k = 0; k < n; k++)
        sum += (a[k] + t * (b[k] - a[k])) * (a[k] + t * (b[k] - a[k]));
    return sqrt(sum);
}

/* The last point before the end of a block that can be reached from point i, at the distance d, without coming nearer
 * than `best`. */
static size_t leap(const rm2i_segments *c, size_t i, size_t end, double d, double best) {
    double room = isfinite(d) ? d - best : 0;
    for (; i + 1 < end && room > c->step[i]; i++)
        room -= c->step[i];
    return i;
}

/* Distance of y from the segments of a block where it is below `best`, and else `best`. */
static double look_into(rm2i_nearest *w, const double *y, const rm2i_segment_block *block,
                        double best) {
    const rm2i_segments *c = w->segments;
    size_t i = block->from;
    double d = look_at(w, y, point_of(c, i), w->start);
    best = fmin(best, d);
    while (i < block->to) {
        size_t next = leap(c, i, block->to, d, best);
        if (next > i) {
            i = next;
            d = look_at(w, y, point_of(c, i), w->start);
            best = fmin(best, d);
            continue;
        }
        d = look_at(w, y, point_of(c, ++i), w->end);
        best = fmin(best, fmin(d, inside(c->m->dim, w->start, w->end)));
        double *held = w->start;
        w->start = w->end;
        w->end = held;
    }
    return best;
}

/* The distance of block b, if it may be below `best`; its bound is renewed. The centre, a point of it, may be near
 * enough. */
static double try_block(rm2i_nearest *w, const double *y, size_t b, double best, double enough) {
    const rm2i_segment_block *block = &w->segments->blocks[b];
    double d;
    if (block->owner == w->skip || w->lower[b] >= best ||
        (w->group && w->group[block->owner] != w->wanted))
        return best;
    if (block->from < block->to) {
        if (rm2i_manifold_distance(w->segments->m, y, point_of(w->segments, block->centre), &d,
                                   w->scratch, NULL) != RM2_OK)
            return best;
        w->lower[b] = d - block->radius;
        if (w->lower[b] >= best)
            return best;
        if (d <= enough) {
            w->nearest = b;
            return d;
        }
    }
    w->lower[b] = d = look_into(w, y, block, best);
    if (d < best)
        w->nearest = b;
    return fmin(d, best);
}

/* Bounds after a step from the previous point to y. */
static void move_bounds(rm2i_nearest *w, const double *y) {
    const rm2_manifold *m = w->segments->m;
    double step = INFINITY;
    if (w->begun && rm2i_manifold_distance(m, w->previous, y, &step, w->scratch, NULL) != RM2_OK)
        step = INFINITY;
    for (size_t b = 0; b < w->segments->count; b++)
        w->lower[b] -= step;
    memcpy(w->previous, y, m->ambient * sizeof *y);
    w->begun = true;
}

rm2_status rm2i_nearest_to(rm2i_nearest *walk, const double *y, double enough, double *distance) {
    *distance = INFINITY;
    RM2_TRY(rm2i_manifold_frame(walk->segments->m, y, walk->frame, walk->scratch, NULL));
    move_bounds(walk, y);
    size_t first = walk->nearest;
    if (first != SIZE_MAX)
        *distance = try_block(walk, y, first, INFINITY, enough);
    for (size_t b = 0; b<walk->segments->count && * distance> enough; b++)
        if (b != first)
            *distance = try_block(walk, y, b, *distance, enough);
    return RM2_OK;
}
