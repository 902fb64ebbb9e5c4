/* A motion through candidates along the whole trajectory, for where following it from a start meets a
 * limit.
 *
 * Some targets, evenly spaced, are stations. Candidates of a station are configurations c that reach it: from
 * random ones, and from candidates of the stations before and after it by following the targets between them.
 * Among all ways with one candidate per station, i = 0 .. m,
 *
 *   sum_i  m |c_i - c_(i-1)|^2 + o_i^2  +  1/m sum_i aim(c_i)
 *
 * is least for the one that dynamic programming finds (Viterbi); o_i is by how much a speed limit is exceeded.
 * Whether the targets between two stations can be followed is not known before it is tried. So the edges of
 * the best way are tried one by one, those that fail are removed, and the best way is found again, until all
 * of its edges hold (lazy shortest paths: Dellin and Srinivasa, "A unifying formalism for shortest path problems
 * with expensive edge evaluations", ICAPS 2016). Its stations are then moved towards the mean of their neighbours,
 * where that lowers the cost, and the targets between them are reached from a spline through them. With a scene
 * candidates, ways between targets and what smoothing makes of them keep its clearances, or they are none; a candidate
 * that does not is first moved away in its null space. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "linalg/dense.h"
#include "robot/robot.h"

enum {
    SEARCHES = 40, /* random configurations per station */
    MOST = 64,     /* candidates per station */
    TRIED = 3000,  /* edges, at most */
    AWAY = 40,     /* null-space steps of a candidate away from what it is too near to */
    SWEEPS = 30    /* of smoothing */
};
static const double EDGE = 1.4; /* largest motion of a joint from station to station, in jumps */
static const double TURN = 6.28318530717958647692;

typedef enum edge_state { UNKNOWN, HOLDS, FAILS } edge_state;

typedef struct route {
    rm2i_solver *s;
    rm2i_joint_motion *motion;
    rm2i_joint_box box;
    size_t stations, joints, width;
    double weight;        /* of the second aim */
    size_t *target;       /* of each station */
    size_t *count;        /* of its candidates */
    double *q;            /* stations x MOST x joints */
    double *aim, *cost;   /* stations x MOST; cost of the best way to a candidate */
    size_t *from;         /* stations x MOST: the candidate before it */
    unsigned char *edges; /* stations x MOST x MOST: from a candidate to one of the next station */
    size_t *way;          /* stations: the best candidates */
    double *path, *plain; /* stations x joints: their configurations, smoothed and as they were */
    double *memory;
} route;

static void lay_out(void *arg, rm2i_arena *a) {
    route *r = arg;
    r->target = rm2i_reserve(a, size_t, r->stations);
    r->count = rm2i_reserve(a, size_t, r->stations);
    r->q = rm2i_reserve(a, double, r->stations, MOST * r->joints);
    r->aim = rm2i_reserve(a, double, r->stations, MOST);
    r->cost = rm2i_reserve(a, double, r->stations, MOST);
    r->from = rm2i_reserve(a, size_t, r->stations, MOST);
    r->edges = rm2i_reserve(a, unsigned char, r->stations, MOST *MOST);
    r->way = rm2i_reserve(a, size_t, r->stations);
    r->path = rm2i_reserve(a, double, r->stations, r->joints);
    r->plain = rm2i_reserve(a, double, r->stations, r->joints);
}

static const double *target_of(const route *r, size_t i) {
    return r->motion->targets + i * r->width;
}

static double *candidate(const route *r, size_t station, size_t c) {
    return r->q + (station * MOST + c) * r->joints;
}

/* out = b with joints that have no limits turned as near to a as whole turns allow. */
static void unwind(const route *r, const double *a, const double *b, double *out) {
    for (size_t k = 0; k < r->joints; k++) {
        const rm2_link *l = rm2_arm_joint(r->s->arm, k);
        bool turns = isinf(l->lower) && isinf(l->upper);
        out[k] = turns ? a[k] + remainder(b[k] - a[k], TURN) : b[k];
    }
}

/* To target i from the configuration in q; false if it is missed. */
static bool step_to(const route *r, size_t i, double *q) {
    (void)rm2i_reach(r->s, target_of(r, i), &r->box, q);
    return rm2i_reached(r->s, target_of(r, i), q);
}

/* From one target to the next without a jump, and clear of the scene? */
static bool can_go(const route *r, const double *a, const double *b) {
    return !rm2i_jumps(r->s, a, b) && rm2i_way_is_clear(r->s, a, b);
}

/* ---- candidates ----------------------------------------------------------------------------- */

static rm2_status add_candidate(route *r, size_t station, const double *q) {
    rm2_track_error error;
    size_t c = r->count[station];
    if (c == MOST || rm2i_excess(r->s, q) > 0)
        return RM2_OK;
    for (size_t i = 0; i < c; i++)
        if (rm2i_same_posture(r->s->arm, candidate(r, station, i), q))
            return RM2_OK;
    RM2_TRY(rm2i_measure(r->s, target_of(r, r->target[station]), q, &error));
    memcpy(candidate(r, station, c), q, r->joints * sizeof *q);
    r->aim[station * MOST + c] = r->weight * rm2i_aim_at(r->s, q, &error);
    r->count[station]++;
    return RM2_OK;
}

static rm2_status add_random(route *r, size_t station) {
    double q[RM2_ARM_MAX_LINKS];
    for (size_t i = 0; i < SEARCHES && r->count[station] < MOST / 2; i++) {
        double ignored;
        rm2i_random_angles(r->s, q);
        if (!step_to(r, r->target[station], q))
            continue;
        if (rm2i_excess(r->s, q) > 0)
            RM2_TRY(
                rm2i_descend(r->s, target_of(r, r->target[station]), &r->box, AWAY, q, &ignored));
        RM2_TRY(add_candidate(r, station, q));
    }
    return RM2_OK;
}

/* Candidates of one station, followed target by target to its neighbour. */
static rm2_status spread(route *r, size_t from, size_t to) {
    double q[RM2_ARM_MAX_LINKS];
    for (size_t c = 0; c < r->count[from]; c++) {
        size_t at = r->target[from];
        bool reached = true;
        memcpy(q, candidate(r, from, c), r->joints * sizeof *q);
        while (reached && at != r->target[to]) {
            at += to > from ? 1 : (size_t)-1;
            reached = step_to(r, at, q);
        }
        if (reached)
            RM2_TRY(add_candidate(r, to, q));
    }
    return RM2_OK;
}

/* *complete: every station has candidates. */
static rm2_status find_candidates(route *r, const double *start, bool *complete) {
    *complete = true;
    for (size_t i = 0; i < r->stations && *complete; i++) {
        if (rm2i_interrupted(r->s->ctx))
            return rm2i_fail(r->s->ctx, RM2_INTERRUPTED, "interrupted");
        if (i == 0 && start)
            RM2_TRY(add_candidate(r, i, start));
        else
            RM2_TRY(add_random(r, i));
        *complete = r->count[i] > 0;
    }
    for (size_t i = 1; i < r->stations && *complete; i++)
        RM2_TRY(spread(r, i - 1, i));
    for (size_t i = r->stations - 1; i > (start ? 1 : 0) && *complete; i--)
        RM2_TRY(spread(r, i, i - 1));
    return RM2_OK;
}

/* ---- the best way --------------------------------------------------------------------------- */

/* m |b - a|^2 + o^2 between stations i and i+1, infinite where a joint would move too far. */
static double edge_cost(const route *r, size_t i, const double *a, const double *b) {
    double near[RM2_ARM_MAX_LINKS], squares = 0, over = 0;
    const double *time = r->motion->time;
    size_t gap = r->target[i + 1] - r->target[i];
    double dt = time ? time[r->target[i + 1]] - time[r->target[i]] : INFINITY;
    unwind(r, a, b, near);
    for (size_t k = 0; k < r->joints; k++) {
        double step = near[k] - a[k];
        over = fmax(over, fabs(step) / dt / rm2_arm_joint(r->s->arm, k)->speed - 1);
        near[k] = a[k] + step / (gap > 1 ? EDGE : 1);
        squares += step * step;
    }
    if (rm2i_jumps(r->s, a, near))
        return INFINITY;
    return (double)(r->stations - 1) * squares + over * over;
}

/* Candidate c of station i+1 from the best candidate before it. */
static void extend(route *r, size_t i, size_t c) {
    size_t at = (i + 1) * MOST + c;
    r->cost[at] = INFINITY;
    for (size_t a = 0; a < r->count[i]; a++) {
        double before = r->cost[i * MOST + a];
        if (!isfinite(before) || r->edges[(i * MOST + a) * MOST + c] == FAILS)
            continue;
        double cost = before + r->aim[at] / (double)r->stations;
        if (cost < r->cost[at])
            cost += edge_cost(r, i, candidate(r, i, a), candidate(r, i + 1, c));
        if (cost < r->cost[at]) {
            r->cost[at] = cost;
            r->from[at] = a;
        }
    }
}

/* r->way; false if no way is left. */
static bool best_way(route *r) {
    size_t last = r->stations - 1, best = SIZE_MAX;
    for (size_t c = 0; c < r->count[0]; c++)
        r->cost[c] = r->aim[c] / (double)r->stations;
    for (size_t i = 0; i < last; i++)
        for (size_t c = 0; c < r->count[i + 1]; c++)
            extend(r, i, c);
    for (size_t c = 0; c < r->count[last]; c++)
        if (isfinite(r->cost[last * MOST + c]) &&
            (best == SIZE_MAX || r->cost[last * MOST + c] < r->cost[last * MOST + best]))
            best = c;
    for (size_t i = last; best != SIZE_MAX && i > 0; i--) {
        r->way[i] = best;
        best = r->from[i * MOST + best];
    }
    r->way[0] = best;
    return best != SIZE_MAX;
}

/* Can the targets between stations i and i+1 be followed from a to b, in equal parts of the way between them? */
static bool edge_holds(const route *r, size_t i, const double *a, const double *b) {
    double near[RM2_ARM_MAX_LINKS], before[RM2_ARM_MAX_LINKS], q[RM2_ARM_MAX_LINKS];
    size_t from = r->target[i], to = r->target[i + 1];
    unwind(r, a, b, near);
    memcpy(before, a, r->joints * sizeof *a);
    for (size_t at = from + 1; at < to; at++) {
        double part = (double)(at - from) / (double)(to - from);
        for (size_t k = 0; k < r->joints; k++)
            q[k] = a[k] + part * (near[k] - a[k]);
        if (!step_to(r, at, q) || !can_go(r, before, q))
            return false;
        memcpy(before, q, r->joints * sizeof *q);
    }
    return can_go(r, before, near);
}

/* Try the edges of r->way up to the first that fails. */
static bool way_holds(route *r, size_t *tried) {
    for (size_t i = 0; i + 1 < r->stations; i++) {
        unsigned char *edge = &r->edges[(i * MOST + r->way[i]) * MOST + r->way[i + 1]];
        if (*edge == HOLDS)
            continue;
        ++*tried;
        *edge = edge_holds(r, i, candidate(r, i, r->way[i]), candidate(r, i + 1, r->way[i + 1]))
                    ? HOLDS
                    : FAILS;
        if (*edge == FAILS)
            return false;
    }
    return true;
}

static rm2_status find_way(route *r, bool *found) {
    size_t tried = 0;
    *found = false;
    while (!*found && tried < TRIED && best_way(r)) {
        if (rm2i_interrupted(r->s->ctx))
            return rm2i_fail(r->s->ctx, RM2_INTERRUPTED, "interrupted");
        *found = way_holds(r, &tried);
    }
    for (size_t i = 0; *found && i < r->stations; i++) {
        const double *q = candidate(r, i, r->way[i]);
        unwind(r, i ? r->path + (i - 1) * r->joints : q, q, r->path + i * r->joints);
    }
    memcpy(r->plain, r->path, r->stations * r->joints * sizeof *r->path);
    return RM2_OK;
}

/* ---- smoothing ------------------------------------------------------------------------------ */

/* What the cost has of station i: its edges to both neighbours and its aim. */
static rm2_status station_cost(const route *r, size_t i, const double *q, double *cost) {
    rm2_track_error error;
    const double *before = r->path + (i - 1) * r->joints, *after = r->path + (i + 1) * r->joints;
    RM2_TRY(rm2i_measure(r->s, target_of(r, r->target[i]), q, &error));
    *cost = edge_cost(r, i - 1, before, q) + edge_cost(r, i, q, after) +
            r->weight * rm2i_aim_at(r->s, q, &error) / (double)r->stations;
    return RM2_OK;
}

/* With a scene: do the edges of station i hold if it moves to q? */
static bool stays_clear(const route *r, size_t i, const double *q) {
    const double *before = r->path + (i - 1) * r->joints, *after = r->path + (i + 1) * r->joints;
    return !r->s->settings.scene || (edge_holds(r, i - 1, before, q) && edge_holds(r, i, q, after));
}

static rm2_status smooth(route *r) {
    double q[RM2_ARM_MAX_LINKS], now, next;
    for (size_t i = 1; i + 1 < r->stations; i++) {
        double *at = r->path + i * r->joints;
        const double *before = at - r->joints, *after = at + r->joints;
        for (size_t k = 0; k < r->joints; k++)
            q[k] = (before[k] + after[k]) / 2;
        if (!step_to(r, r->target[i], q))
            continue;
        RM2_TRY(station_cost(r, i, at, &now));
        RM2_TRY(station_cost(r, i, q, &next));
        if (next < now && stays_clear(r, i, q))
            memcpy(at, q, r->joints * sizeof *q);
    }
    return RM2_OK;
}

/* Between stations i and i+1, u in [0, 1]: on the cubic of Catmull and Rom, inside the limits, or on the chord. */
static void between(const route *r, const double *path, size_t i, double u, bool cubic, double *q) {
    const double *b = path + i * r->joints, *c = b + r->joints;
    const double *a = i > 0 ? b - r->joints : b, *d = i + 2 < r->stations ? c + r->joints : c;
    double w = u * u * (3 - 2 * u), first = u * (1 - u) * (1 - u), last = u * u * (u - 1);
    for (size_t k = 0; k < r->joints; k++) {
        double chord = b[k] + u * (c[k] - b[k]);
        double curve =
            b[k] + w * (c[k] - b[k]) + (first * (c[k] - a[k]) + last * (d[k] - b[k])) / 2;
        q[k] = fmin(fmax(cubic ? curve : chord, r->box.lower[k]), r->box.upper[k]);
    }
}

/* All targets from the stations' configurations; false if one is missed, a joint jumps or the scene is in the way. */
static bool fill(const route *r, const double *path, bool cubic) {
    double *q = r->motion->q;
    memcpy(q, path, r->joints * sizeof *q);
    for (size_t i = 0; i + 1 < r->stations; i++) {
        size_t from = r->target[i], to = r->target[i + 1];
        for (size_t at = from + 1; at <= to; at++) {
            double *here = q + at * r->joints;
            between(r, path, i, (double)(at - from) / (double)(to - from), cubic, here);
            if (!step_to(r, at, here) || !can_go(r, here - r->joints, here))
                return false;
        }
    }
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static rm2_status search(route *r, const double *start, bool *found) {
    size_t last = r->motion->n - 1;
    memset(r->edges, UNKNOWN, r->stations * MOST * MOST);
    for (size_t i = 0; i < r->stations; i++) {
        r->target[i] = i * last / (r->stations - 1);
        r->count[i] = 0;
    }
    RM2_TRY(find_candidates(r, start, found));
    if (*found)
        RM2_TRY(find_way(r, found));
    if (!*found)
        return RM2_OK;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        RM2_TRY(smooth(r));
    *found = fill(r, r->path, true) || fill(r, r->path, false) || fill(r, r->plain, false);
    return RM2_OK;
}

rm2_status rm2i_route(rm2i_solver *s, const double *start, rm2i_joint_motion *motion, bool *found) {
    route r = {.s = s,
               .motion = motion,
               .stations = motion->n < s->settings.stations ? motion->n : s->settings.stations,
               .joints = s->joints,
               .width = rm2_arm_task_width(&s->task),
               .weight = s->task.ellipsoid ? 1 : s->settings.limit_weight};
    *found = false;
    if (r.stations < 2)
        return RM2_OK;
    rm2i_box_of_arm(s->arm, &r.box);
    RM2_TRY(rm2i_arena_alloc(s->ctx, lay_out, &r, &r.memory));
    rm2_status status = search(&r, start, found);
    free(r.memory);
    return status;
}
