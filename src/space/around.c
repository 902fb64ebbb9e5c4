/* Curves around obstacles.
 *
 * 1. The shortest path on the roadmap without the edges that come too near; where there is none, on finer grids.
 * 2. Its refinement in the metric of the barrier, where no curve of finite energy comes too near.
 * 3. Nodes of constant speed in the metric of the space, whose clearance is proven line by line. Where the refined curve fails,
 *    the path itself is taken, with a node at each of its corners.
 *
 * Without a path the curve is the widest one, and blocked. */
#include "space/around.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "geodesic/evaluator.h"

enum { GRIDS = 4, FEWEST_NODES = 100 }; /* of a refined curve */
/* Of the extent of the positions: width of the barrier; accuracy of a clearance that is reported, and of one that is held
 * against the clearance that is wanted. */
static const double BARRIER_WIDTH = 0.02, REPORTED = 1e-4, COMPARED = 1e-6;

/* A roadmap with its obstacles; the first is the space's, the others are finer. */
typedef struct level {
    rm2_metric *metric; /* of a finer grid */
    rm2i_roadmap *grid;
    rm2i_mask *mask; /* NULL: not made yet */
} level;

typedef struct shared {
    const rm2_space *space;
    const rm2i_roadmap *roadmap;
    rm2_metric *barrier;
    pthread_mutex_t lock; /* of the levels */
    level levels[GRIDS];
} shared;

/* The searches of one task. */
typedef struct seeker {
    shared *s;
    rm2i_mask *mask[GRIDS]; /* copies of those of the levels; NULL: not needed yet */
    double *work;
} seeker;

struct rm2i_around {
    shared s;
    size_t tasks;
    seeker *seeker; /* one per task */
};

rm2_status rm2i_around_create(rm2_context *ctx, const rm2_space *space, const rm2i_roadmap *roadmap,
                              size_t tasks, rm2i_around **around) {
    const rm2i_clearance *c = &space->clearance;
    rm2i_around *a;
    *around = NULL;
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *a, &a));
    a->s.space = space;
    a->s.roadmap = roadmap;
    pthread_mutex_init(&a->s.lock, NULL);
    rm2_status status = rm2i_metric_barrier(ctx, space->core->search, c,
                                            BARRIER_WIDTH * space->extent, &a->s.barrier);
    if (status == RM2_OK)
        status = rm2i_calloc(ctx, tasks, sizeof *a->seeker, &a->seeker);
    for (; status == RM2_OK && a->tasks < tasks; a->tasks++) {
        a->seeker[a->tasks].s = &a->s;
        status = rm2i_alloc(ctx, rm2i_clearance_work(c), sizeof(double), &a->seeker[a->tasks].work);
    }
    if (status == RM2_OK)
        *around = a;
    else
        rm2i_around_free(a);
    return status;
}

void rm2i_around_free(rm2i_around *around) {
    if (!around)
        return;
    for (size_t t = 0; t < around->tasks; t++) {
        for (int k = 0; k < GRIDS; k++)
            rm2i_mask_free(around->seeker[t].mask[k]);
        free(around->seeker[t].work);
    }
    free(around->seeker);
    for (int k = 0; k < GRIDS; k++) {
        rm2i_mask_free(around->s.levels[k].mask);
        rm2i_roadmap_free(around->s.levels[k].grid);
        rm2_metric_free(around->s.levels[k].metric);
    }
    rm2_metric_free(around->s.barrier);
    pthread_mutex_destroy(&around->s.lock);
    free(around);
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* How many roadmaps there are to try: grids of more nodes have too many edges in three dimensions. */
static int levels_of(const seeker *a) {
    return !a->s->roadmap->grid ? 1 : a->s->roadmap->Q < 3 ? GRIDS : 2;
}

static rm2_status make_level(rm2_context *ctx, shared *s, int k) {
    level *l = &s->levels[k];
    if (l->mask)
        return RM2_OK;
    size_t reach = s->roadmap->Q < 3 && k < 2 ? s->roadmap->reach : 1;
    if (k > 0 && !l->grid)
        RM2_TRY(rm2i_finer_grid(ctx, s->roadmap, (size_t)1 << k, reach, &l->metric, &l->grid));
    const rm2i_mask_request request = {k > 0 ? l->grid : s->roadmap,
                                       k > 0 ? l->metric : s->space->core->search,
                                       &s->space->clearance, BARRIER_WIDTH * s->space->extent};
    return rm2i_mask_create(ctx, &request, &l->mask);
}

static rm2_status open_level(rm2_context *ctx, seeker *a, int k) {
    if (a->mask[k])
        return RM2_OK;
    pthread_mutex_lock(&a->s->lock);
    rm2_status status = make_level(ctx, a->s, k);
    pthread_mutex_unlock(&a->s->lock);
    return status == RM2_OK ? rm2i_mask_copy(ctx, a->s->levels[k].mask, &a->mask[k]) : status;
}

static bool end_holds(seeker *a, const double *x) {
    rm2i_clear_point at;
    rm2i_clearance_at(&a->s->space->clearance, x, &at, a->work);
    return at.clearance >= a->s->space->clearance.wanted;
}

static bool keeps_clearance(seeker *a, size_t n, const double *x) {
    const rm2i_clearance *c = &a->s->space->clearance;
    return rm2i_clearance_of(c, n, x, COMPARED * a->s->space->extent, c->wanted, a->work) >=
           c->wanted;
}

/* The widest path on roadmap k; it may keep the clearance after all. */
static rm2_status find_widest(rm2_context *ctx, seeker *a, int k, const double *from,
                              const double *to, rm2i_way *way, bool *blocked) {
    RM2_TRY(open_level(ctx, a, k));
    RM2_TRY(rm2i_mask_widest(ctx, a->mask[k], from, to, way));
    *blocked = !keeps_clearance(a, way->n, way->x);
    return RM2_OK;
}

/* A path that keeps the clearance or, with *blocked, the widest one. */
static rm2_status find_way(rm2_context *ctx, seeker *a, const double *from, const double *to,
                           rm2i_way *way, bool *blocked) {
    bool possible = end_holds(a, from) && end_holds(a, to);
    int k = 0;
    *way = (rm2i_way){0};
    *blocked = false;
    for (; possible && k < levels_of(a); k++) {
        RM2_TRY(open_level(ctx, a, k));
        RM2_TRY(rm2i_mask_shortest(ctx, a->mask[k], from, to, way));
        if (way->n > 0)
            return RM2_OK;
        RM2_TRY(rm2i_mask_may_pass(ctx, a->mask[k], from, to, &possible));
    }
    return find_widest(ctx, a, k > 0 ? k - 1 : 0, from, to, way, blocked);
}

/* ---- refinement ----------------------------------------------------------------------------- */

/* What the legs have in common, and the polygon of all. */
typedef struct route {
    rm2i_way path, refined; /* through all points: the paths, and their refinement */
    rm2_geodesic_stage stage;
    bool converged, blocked;
    double residual, error; /* largest of the legs */
    size_t iterations, evaluations;
} route;

/* Append a polygon whose first point is the last one so far. */
static rm2_status append(rm2_context *ctx, size_t Q, rm2i_way *all, size_t n, const double *x) {
    size_t skip = all->n > 0;
    RM2_TRY(rm2i_grow(ctx, all->n + n - skip, Q * sizeof *all->x, &all->x));
    memcpy(all->x + all->n * Q, x + skip * Q, (n - skip) * Q * sizeof *all->x);
    all->n += n - skip;
    return RM2_OK;
}

/* The refined leg behind the others; the path itself where it cannot be refined. */
static rm2_status add_leg(rm2_context *ctx, seeker *a, const rm2i_way *way, route *r) {
    rm2i_geodesic_settings g = a->s->space->geodesics;
    size_t Q = a->s->roadmap->Q;
    rm2_curve *curve = NULL;
    g.nodes = g.nodes < FEWEST_NODES ? FEWEST_NODES : g.nodes;
    RM2_TRY(append(ctx, Q, &r->path, way->n, way->x));
    rm2_status status = r->blocked || g.last == RM2_STAGE_PATH
                            ? RM2_ERR_DOMAIN
                            : rm2i_geodesic_refine(ctx, a->s->barrier, &g, way->n, way->x, &curve);
    if (rm2i_no_metric(status)) {
        r->stage = RM2_STAGE_PATH;
        r->converged = r->converged && g.last == RM2_STAGE_PATH;
        return append(ctx, Q, &r->refined, way->n, way->x);
    }
    RM2_TRY(status);
    r->stage = curve->stage < r->stage ? curve->stage : r->stage;
    r->converged = r->converged && curve->converged;
    r->residual = fmax(r->residual, curve->residual);
    r->error = fmax(r->error, curve->error);
    r->iterations += curve->iterations;
    r->evaluations += curve->evaluations;
    status = append(ctx, Q, &r->refined, curve->nodes, curve->x);
    rm2_curve_free(curve);
    return status;
}

static rm2_status add_legs(rm2_context *ctx, seeker *a, size_t n, const double *points, route *r) {
    size_t Q = a->s->roadmap->Q;
    for (size_t k = 0; k + 1 < n; k++) {
        rm2i_way way;
        bool blocked;
        rm2_status status = find_way(ctx, a, points + k * Q, points + (k + 1) * Q, &way, &blocked);
        r->blocked = r->blocked || blocked;
        if (status == RM2_OK)
            status = add_leg(ctx, a, &way, r);
        rm2i_way_clear(&way);
        if (status != RM2_OK)
            return n > 2 ? rm2i_fail_prefix(ctx, status, "from point %zu to point %zu", k, k + 1)
                         : status;
    }
    return RM2_OK;
}

double rm2i_space_clearance_of(const rm2_space *space, size_t n, const double *x, double *work) {
    return rm2i_clearance_of(&space->clearance, n, x, REPORTED * space->extent, INFINITY, work);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Nodes of constant speed along a polygon, in the metric of the space. */
static rm2_status make_curve(rm2_context *ctx, const seeker *a, const rm2i_way *polygon,
                             rm2_curve **curve) {
    rm2i_geodesic_settings g = a->s->space->geodesics;
    g.last = RM2_STAGE_PATH;
    return rm2i_geodesic_refine(ctx, a->s->space->core->search, &g, polygon->n, polygon->x, curve);
}

/* Is the line from corner i to corner k of a path clear? */
static bool sees(seeker *a, const double *from, const double *to) {
    const rm2i_clearance *c = &a->s->space->clearance;
    rm2i_clear_point at[2];
    rm2i_clearance_at(c, from, &at[0], a->work);
    rm2i_clearance_at(c, to, &at[1], a->work);
    return rm2i_clearance_holds(c, from, &at[0], to, &at[1], a->work);
}

/* Leave out corners that are not needed, in place: from each to the last one that it sees. */
static void cut_corners(seeker *a, rm2i_way *path) {
    size_t Q = a->s->roadmap->Q, kept = 1;
    for (size_t i = 0; i + 1 < path->n;) {
        size_t next = i + 1;
        while (next + 1 < path->n && sees(a, path->x + i * Q, path->x + (next + 1) * Q))
            next++;
        memmove(path->x + kept++ * Q, path->x + next * Q, Q * sizeof *path->x);
        i = next;
    }
    path->n = kept;
}

static double side_of(size_t Q, const double *x) {
    double square = 0;
    for (size_t q = 0; q < Q; q++)
        square += (x[Q + q] - x[q]) * (x[Q + q] - x[q]);
    return sqrt(square);
}

/* Split the piece from node i to the next where both parts are clear: chords of parts are other chords than that of the
 * whole. The middle if possible, else nearer to one end. */
static bool split(seeker *a, rm2_curve *c, size_t i, size_t count) {
    size_t Q = c->Q, row = Q * sizeof *c->x;
    double *from = c->x + i * Q, *to = from + Q, *x = c->velocity; /* not needed yet */
    for (int halving = 1; halving <= 6; halving++)
        for (int end = 0; end < 2; end++) {
            double part = ldexp(1, -halving), t = end ? 1 - part : part;
            for (size_t q = 0; q < Q; q++)
                x[q] = from[q] + t * (to[q] - from[q]);
            if (!sees(a, from, x) || !sees(a, x, to))
                continue;
            memmove(to + Q, to, (count - i - 1) * row);
            memcpy(to, x, row);
            return true;
        }
    return false;
}

/* Nodes on the sides of a path of at most as many points: one at each corner, the others where pieces are longest.
 * whole: scratch, one per node: pieces that cannot be split. */
static bool place_nodes(seeker *a, const rm2i_way *path, rm2_curve *c, bool *whole) {
    size_t Q = c->Q, count = path->n;
    memcpy(c->x, path->x, count * Q * sizeof *c->x);
    while (count < c->nodes) {
        size_t longest = SIZE_MAX;
        double most = -1;
        for (size_t i = 0; i + 1 < count; i++)
            if (!whole[i] && side_of(Q, c->x + i * Q) > most) {
                most = side_of(Q, c->x + i * Q);
                longest = i;
            }
        if (longest == SIZE_MAX)
            return false;
        whole[longest] = !split(a, c, longest, count);
        if (whole[longest])
            continue;
        memmove(whole + longest + 1, whole + longest, (count - longest) * sizeof *whole);
        count++;
    }
    return true;
}

/* dx/dt by differences. */
static void difference_velocity(rm2_curve *c) {
    size_t Q = c->Q, last = c->nodes - 1;
    for (size_t j = 0; j <= last; j++) {
        size_t low = j > 0 ? j - 1 : 0, high = j < last ? j + 1 : last;
        for (size_t q = 0; q < Q; q++)
            c->velocity[j * Q + q] =
                (c->x[high * Q + q] - c->x[low * Q + q]) * (double)last / (double)(high - low);
    }
}

/* The path itself in the place of a curve that came too near. */
static rm2_status follow_path(rm2_context *ctx, seeker *a, route *r, rm2_curve *c) {
    bool *whole;
    if (r->path.n > c->nodes)
        cut_corners(a, &r->path);
    if (r->path.n > c->nodes || !r->path.x)
        return RM2_OK; /* too few nodes to go round: blocked, by the look that follows */
    RM2_TRY(rm2i_calloc(ctx, c->nodes + 1, sizeof *whole, &whole));
    if (place_nodes(a, &r->path, c, whole)) {
        r->stage = RM2_STAGE_PATH;
        r->converged = r->converged && a->s->space->geodesics.last == RM2_STAGE_PATH;
    }
    difference_velocity(c);
    free(whole);
    return RM2_OK;
}

/* ---- the curve ------------------------------------------------------------------------------ */

static rm2_status finish(rm2_context *ctx, seeker *a, route *r, rm2_curve **curve) {
    double wanted = a->s->space->clearance.wanted;
    RM2_TRY(make_curve(ctx, a, &r->refined, curve));
    rm2_curve *c = *curve;
    bool holds = keeps_clearance(a, c->nodes, c->x);
    if (!holds && !r->blocked) {
        RM2_TRY(follow_path(ctx, a, r, c));
        holds = keeps_clearance(a, c->nodes, c->x);
    }
    c->clearance = rm2i_space_clearance_of(a->s->space, c->nodes, c->x, a->work);
    c->blocked = r->blocked || !holds;
    c->clearance = c->blocked ? c->clearance : fmax(c->clearance, wanted);
    if (r->stage != RM2_STAGE_PATH) { /* of the curve in the metric of the barrier */
        c->residual = r->residual;
        c->error = r->error;
    }
    c->stage = r->stage;
    c->converged = r->converged && !c->blocked;
    c->iterations += r->iterations;
    c->evaluations += r->evaluations;
    return RM2_OK;
}

rm2_status rm2i_around_through(rm2_context *ctx, rm2i_around *around, size_t task, size_t n,
                               const double *points, rm2_curve **curve) {
    seeker *a = &around->seeker[task];
    route r = {.stage = a->s->space->geodesics.last, .converged = true};
    *curve = NULL;
    rm2_status status = add_legs(ctx, a, n, points, &r);
    if (status == RM2_OK)
        status = finish(ctx, a, &r, curve);
    if (status != RM2_OK) {
        rm2_curve_free(*curve);
        *curve = NULL;
    }
    rm2i_way_clear(&r.path);
    rm2i_way_clear(&r.refined);
    return status;
}
