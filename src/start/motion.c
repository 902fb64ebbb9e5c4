/* The common motion of a family, and where on it the nodes of its demonstrations are.
 *
 * The motion begins as the reference. Where demonstrations go on beyond one of its ends, it is continued
 * by the nodes that one of them has there, and so on, until nobody goes on by much: demonstrations of
 * which none is complete make a whole, and those of a loop begun at different places make a
 * run of more than one turn. It runs as most of them do. A node's place on the motion is averaged over the three nodes on either
 * side. */
#include "start/motion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 8,      /* of growth */
    SMOOTH = 3,      /* nodes on either side */
    LEAST_GROWTH = 4 /* nodes */
};
static const double GROWTH = 0.1; /* least continuation, of the nodes of the motion */

/* ---- places ------------------------------------------------------------------------------------- */

typedef struct place_job {
    const rm2i_curves *curves;
    const rm2i_motion *motion;
} place_job;

static rm2_status place_member(const void *job, size_t k, double *work) {
    const rm2i_curves *c = ((const place_job *)job)->curves;
    const rm2i_motion *m = ((const place_job *)job)->motion;
    rm2i_nodes query = rm2i_curve(c, m->member[k]), motion = {m->nodes, m->node};
    m->fit[k] = rm2i_align(c, query, motion, work);
    rm2i_align_places(c, query, motion, &m->fit[k], m->place + m->slot[k], work);
    return RM2_OK;
}

static rm2_status find_places(rm2_context *ctx, const rm2i_curves *c, const rm2i_motion *m) {
    place_job job = {c, m};
    size_t most = m->nodes;
    for (size_t k = 0; k < m->count; k++)
        most = m->slot[k + 1] - m->slot[k] > most ? m->slot[k + 1] - m->slot[k] : most;
    return rm2i_jobs(ctx, m->count, rm2i_align_work(most), place_member, &job, NULL);
}

static rm2_status smooth_places(rm2_context *ctx, const rm2i_motion *m) {
    double *raw;
    size_t total = m->slot[m->count];
    RM2_TRY(rm2i_alloc(ctx, total, sizeof *raw, &raw));
    memcpy(raw, m->place, total * sizeof *raw);
    for (size_t k = 0; k < m->count; k++)
        rm2i_running_mean(m->slot[k + 1] - m->slot[k], raw + m->slot[k], SMOOTH,
                          m->place + m->slot[k]);
    free(raw);
    return RM2_OK;
}

/* ---- growth ------------------------------------------------------------------------------------- */

/* Nodes of member k beyond an end of the motion. */
static size_t beyond(const rm2i_motion *m, size_t k, bool end) {
    size_t count = 0;
    for (size_t i = m->slot[k]; i < m->slot[k + 1]; i++)
        count += end ? m->place[i] > (double)(m->nodes - 1) : m->place[i] < 0;
    return count;
}

/* The member that fits best, of those that go on for at least half of the longest continuation;
 * SIZE_MAX if none goes on by much. */
static size_t find_continuation(const rm2i_motion *m, bool end) {
    size_t longest = 0, best = SIZE_MAX;
    for (size_t k = 0; k < m->count; k++) {
        size_t count = beyond(m, k, end);
        longest = count > longest ? count : longest;
    }
    if (longest < LEAST_GROWTH || (double)longest < GROWTH * (double)m->nodes)
        return SIZE_MAX;
    for (size_t k = 0; k < m->count; k++)
        if (2 * beyond(m, k, end) >= longest &&
            (best == SIZE_MAX || m->fit[k].cost < m->fit[best].cost))
            best = k;
    return best;
}

/* Put the nodes that member k has beyond an end there. */
static rm2_status continue_by(rm2_context *ctx, const rm2i_curves *c, size_t k, bool end,
                              rm2i_motion *m) {
    size_t M = c->M, more = beyond(m, k, end);
    bool reversed = m->fit[k].reversed, last = end != reversed; /* its last nodes, or its first */
    rm2i_nodes q = rm2i_curve(c, m->member[k]);
    RM2_TRY(rm2i_grow(ctx, m->nodes + more, M * sizeof *m->node, &m->node));
    if (!end)
        memmove(m->node + more * M, m->node, m->nodes * M * sizeof *m->node);
    double *to = m->node + (end ? m->nodes * M : 0);
    for (size_t i = 0; i < more; i++)
        memcpy(to + (reversed ? more - 1 - i : i) * M, q.node + (last ? q.n - more + i : i) * M,
               M * sizeof *to);
    m->nodes += more;
    return RM2_OK;
}

static rm2_status grow(rm2_context *ctx, const rm2i_curves *c, rm2i_motion *m) {
    for (int round = 0; round < ROUNDS; round++) {
        RM2_TRY(find_places(ctx, c, m));
        size_t at_end = find_continuation(m, true), at_begin = find_continuation(m, false);
        if (at_end == SIZE_MAX && at_begin == SIZE_MAX)
            return RM2_OK;
        bool end = at_end != SIZE_MAX;
        RM2_TRY(continue_by(ctx, c, end ? at_end : at_begin, end, m));
    }
    return find_places(ctx, c, m);
}

/* ---- direction ---------------------------------------------------------------------------------- */

/* The motion runs as most of the demonstrations do. (Its nodes are not needed any more.) */
static void face_majority(rm2i_motion *m) {
    size_t reversed = 0;
    for (size_t k = 0; k < m->count; k++)
        reversed += m->fit[k].reversed;
    if (2 * reversed <= m->count)
        return;
    for (size_t k = 0; k < m->count; k++)
        m->fit[k].reversed = !m->fit[k].reversed;
    for (size_t i = 0; i < m->slot[m->count]; i++)
        m->place[i] = (double)(m->nodes - 1) - m->place[i];
}

/* ---- the whole ---------------------------------------------------------------------------------- */

void rm2i_motion_free(rm2i_motion *m) {
    free(m->slot);
    free(m->node);
    free(m->fit);
    free(m->place);
    *m = (rm2i_motion){0};
}

static rm2_status make_room(rm2_context *ctx, const rm2i_curves *c, rm2i_motion *m) {
    RM2_TRY(rm2i_alloc(ctx, m->count + 1, sizeof *m->slot, &m->slot));
    m->slot[0] = 0;
    for (size_t k = 0; k < m->count; k++)
        m->slot[k + 1] = m->slot[k] + rm2i_curve_nodes(c, m->member[k]);
    RM2_TRY(rm2i_alloc(ctx, m->count, sizeof *m->fit, &m->fit));
    RM2_TRY(rm2i_alloc(ctx, 2 * m->slot[m->count], sizeof *m->place, &m->place));
    m->phase = m->place + m->slot[m->count];
    return rm2i_alloc(ctx, m->nodes, c->M * sizeof *m->node, &m->node);
}

rm2_status rm2i_motion_build(rm2_context *ctx, const rm2i_curves *c, size_t count,
                             const size_t *member, size_t reference, rm2i_motion *m) {
    rm2i_nodes r = rm2i_curve(c, reference);
    *m = (rm2i_motion){.count = count, .member = member, .reference = reference, .nodes = r.n};
    rm2_status status = make_room(ctx, c, m);
    if (status == RM2_OK) {
        memcpy(m->node, r.node, r.n * c->M * sizeof *m->node);
        status = grow(ctx, c, m);
    }
    if (status == RM2_OK) {
        face_majority(m);
        status = smooth_places(ctx, m);
    }
    if (status != RM2_OK)
        rm2i_motion_free(m);
    return status;
}
