/* The object: ends, plans, the corrected motion, its check and what is said of it. */
#include "meet/meet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "linalg/dense.h"

/* Via poses keep a fortieth of the nodes from the ends. */
enum { FEWEST_NODES = 20, MARGIN = 40, ADJUSTMENTS = 8 };
static const double MET = 1e-9; /* in model units */
static const double DEGREES = 57.295779513082320877;

/* ---- memory --------------------------------------------------------------------------------- */

typedef struct writable {
    double *route_points, *points, *corrected, *largest, *variability, *over_spread, *pose_errors,
        *pose_shares, *pose_velocities, *correction;
    size_t *pose_nodes;
} writable;

typedef struct layout {
    rm2_meet *meet;
    writable w;
} layout;

static void lay_out(void *arg, rm2i_arena *a) {
    layout *l = arg;
    const rm2_manifold *m = l->meet->model->manifold;
    size_t n = l->meet->result.nodes, poses = l->meet->poses.count;
    l->meet->moved = rm2i_reserve(a, double, n, m->ambient);
    l->w.route_points = rm2i_reserve(a, double, n, m->ambient);
    l->w.points = rm2i_reserve(a, double, n, m->ambient);
    l->w.corrected = rm2i_reserve(a, double, n, m->count);
    l->w.largest = rm2i_reserve(a, double, m->count);
    l->w.variability = rm2i_reserve(a, double, n, m->count);
    l->w.over_spread = rm2i_reserve(a, double, n);
    l->w.pose_errors = rm2i_reserve(a, double, poses, m->count);
    l->w.pose_shares = rm2i_reserve(a, double, poses);
    l->w.pose_velocities = rm2i_reserve(a, double, poses, m->ambient);
    l->w.correction = rm2i_reserve(a, double, n, m->dim);
    l->w.pose_nodes = rm2i_reserve(a, size_t, poses);
}

/* Free what belongs to one route. */
static void clear_route(rm2_meet *meet) {
    rm2i_meet_process_free(&meet->process);
    rm2i_meet_deviations_free(&meet->deviations);
    rm2i_meet_route_free(&meet->line);
}

void rm2_meet_free(rm2_meet *meet) {
    if (!meet)
        return;
    clear_route(meet);
    rm2_curve_free(meet->route);
    rm2i_meet_poses_free(&meet->poses);
    rm2i_meet_ends_free(&meet->ends);
    rm2i_task_frames_free(&meet->frames);
    free(meet->memory);
    free(meet);
}

const rm2_meet_result *rm2_meet_result_of(const rm2_meet *meet) {
    return meet ? &meet->result : NULL;
}

/* ---- nodes of the via poses ----------------------------------------------------------------- */

typedef struct via_search {
    size_t n, count;
    double *cost;   /* count x n: squared distances, then least sums */
    size_t *before; /* count x n: node of the pose before */
    double *work, *memory;
    size_t work_size;
} via_search;

static void lay_out_search(void *arg, rm2i_arena *a) {
    via_search *s = arg;
    s->cost = rm2i_reserve(a, double, s->count, s->n);
    s->before = rm2i_reserve(a, size_t, s->count, s->n);
    s->work = rm2i_reserve(a, double, s->work_size);
}

static size_t node_at(const rm2i_meet_route *line, double s) {
    size_t best = 1;
    for (size_t i = 1; i + 1 < line->n; i++)
        if (fabs(line->s[i] - s) < fabs(line->s[best] - s))
            best = i;
    return best;
}

/* Least sums of squared distances with nodes that strictly increase. */
static void search_nodes(const rm2_meet *meet, via_search *s) {
    const rm2_manifold *m = meet->line.m;
    size_t margin = s->n / MARGIN > 1 ? s->n / MARGIN : 1;
    for (size_t k = 0; k < s->count; k++) {
        const rm2i_meet_pose *pose = &meet->poses.pose[k + 1];
        double least = k == 0 ? 0 : INFINITY;
        size_t from = SIZE_MAX;
        for (size_t i = 0; i < s->n; i++) {
            double *cost = &s->cost[k * s->n + i];
            bool allowed = pose->asked->timed ? i == pose->node : i >= margin && i < s->n - margin;
            double d =
                allowed ? rm2i_meet_distance(m, pose, meet->moved + i * m->ambient, NULL, s->work)
                        : INFINITY;
            *cost = (pose->asked->timed && allowed ? 0 : d * d) + least;
            s->before[k * s->n + i] = from;
            if (k > 0 && s->cost[(k - 1) * s->n + i] < least) {
                least = s->cost[(k - 1) * s->n + i];
                from = i;
            }
        }
    }
}

static rm2_status copy_nodes(rm2_context *ctx, rm2_meet *meet, const via_search *s) {
    size_t margin = s->n / MARGIN > 1 ? s->n / MARGIN : 1, at = 0;
    const double *last = s->cost + (s->count - 1) * s->n;
    for (size_t i = 1; i < s->n; i++)
        if (last[i] < last[at])
            at = i;
    if (!isfinite(last[at]))
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "the via poses cannot be passed in this order: their "
                         "times and the nodes next to them do not rise");
    for (size_t k = s->count; k-- > 0; at = s->before[k * s->n + at]) {
        rm2i_meet_pose *pose = &meet->poses.pose[k + 1];
        if (!pose->asked->timed && (at == margin || at == s->n - 1 - margin))
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "%s is nearest to the %s of the motion: it lies %s it; give it a time "
                             "if it is meant",
                             pose->name, at == margin ? "start" : "goal",
                             at == margin ? "before" : "behind");
        pose->node = at;
    }
    for (size_t k = 1; k < s->count; k++) {
        const rm2i_meet_pose *a = &meet->poses.pose[k], *b = a + 1;
        if (b->node == a->node + 1 && !(a->asked->timed && b->asked->timed))
            return rm2i_fail(ctx, RM2_ERR_DATA,
                             "%s and %s are nearest to the same node of the motion, or in the "
                             "other order; give them times if that is meant",
                             a->name, b->name);
    }
    return RM2_OK;
}

static rm2_status find_nodes(rm2_context *ctx, rm2_meet *meet) {
    via_search s = {
        .n = meet->line.n, .count = meet->poses.count - 2, .work_size = meet->line.m->work_size};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_search, &s, &s.memory));
    search_nodes(meet, &s);
    rm2_status status = copy_nodes(ctx, meet, &s);
    free(s.memory);
    return status;
}

/* ---- one route ------------------------------------------------------------------------------ */

static rm2_status decode_route(rm2_context *ctx, rm2_meet *meet, const writable *w,
                               const rm2_curve *curve) {
    const rm2_model *model = meet->model;
    size_t n = curve->nodes;
    RM2_TRY(rm2_model_decode(ctx, model, n, curve->x, w->route_points, NULL, NULL, NULL));
    RM2_TRY(rm2i_model_project(ctx, model, n, w->route_points, w->points, NULL));
    return rm2i_meet_route_build(ctx, model->manifold, n, w->points, &meet->line);
}

/* Nodes that are known before the motion is. */
static void set_first_nodes(rm2_meet *meet) {
    size_t last = meet->poses.count - 1;
    for (size_t k = 0; k <= last; k++) {
        rm2i_meet_pose *pose = &meet->poses.pose[k];
        pose->node = k == 0 ? 0 : k == last ? meet->line.n - 1 : SIZE_MAX;
        if (pose->asked->timed && pose->node == SIZE_MAX)
            pose->node = node_at(&meet->line, pose->asked->time / meet->settings.duration);
    }
}

static rm2_status condition_once(rm2_context *ctx, rm2_meet *meet, const writable *w) {
    rm2i_meet_process_free(&meet->process);
    RM2_TRY(rm2i_meet_condition(ctx, &meet->line, &meet->deviations, &meet->poses,
                                meet->settings.approach, &meet->process, w->correction));
    return rm2i_meet_move(ctx, &meet->line, w->correction, meet->moved);
}

/* A velocity is that of the motion's difference quotient, which on curved factors depends a little on the motion itself. */
static rm2_status condition(rm2_context *ctx, rm2_meet *meet, const writable *w) {
    const rm2_manifold *m = meet->line.m;
    for (size_t k = 0; k < meet->poses.count; k++) {
        rm2i_meet_pose *pose = &meet->poses.pose[k];
        memset(pose->adjust, 0, m->dim * sizeof *pose->adjust);
        if (pose->node != SIZE_MAX)
            rm2i_meet_face(m, meet->line.y + pose->node * m->ambient, pose);
    }
    RM2_TRY(condition_once(ctx, meet, w));
    for (int round = 0; round < ADJUSTMENTS; round++) {
        double most = 0;
        for (size_t k = 0; k < meet->poses.count; k++) {
            rm2i_meet_pose *pose = &meet->poses.pose[k];
            double lack = 0;
            if (pose->node != SIZE_MAX && pose->asked->velocity)
                RM2_TRY(rm2i_meet_adjust_velocity(ctx, &meet->line, meet->moved, pose, &lack));
            most = fmax(most, lack);
        }
        if (most <= MET * meet->line.length)
            return RM2_OK;
        RM2_TRY(condition_once(ctx, meet, w));
    }
    return RM2_OK;
}

/* The motion along a route. */
static rm2_status correct(rm2_context *ctx, rm2_meet *meet, const writable *w,
                          const rm2_curve *curve) {
    const rm2i_meet_pose *first = &meet->poses.pose[0];
    const rm2i_meet_pose *last = &meet->poses.pose[meet->poses.count - 1];
    rm2i_meet_demos demos = {.model = meet->model,
                             .ends = &meet->ends,
                             .frames = &meet->frames,
                             .robust = meet->settings.robust,
                             .centred = !meet->space->regions};
    demos.open[0] = first->asked->middle;
    demos.open[1] = last->asked->middle;
    clear_route(meet);
    RM2_TRY(decode_route(ctx, meet, w, curve));
    RM2_TRY(rm2i_meet_deviations_find(ctx, &demos, &meet->line, &meet->deviations));
    set_first_nodes(meet);
    RM2_TRY(condition(ctx, meet, w));
    if (meet->poses.count == 2)
        return RM2_OK;
    RM2_TRY(find_nodes(ctx, meet));
    return condition(ctx, meet, w);
}

/* ---- routes --------------------------------------------------------------------------------- */

static rm2_status find_route(rm2_context *ctx, const rm2_meet *meet, const rm2_space *space,
                             rm2_curve **curve) {
    size_t Q = meet->model->Q, count = meet->poses.count, n = 0;
    double *stops;
    RM2_TRY(rm2i_alloc(ctx, count * Q, sizeof *stops, &stops));
    for (size_t k = 0; k < count; k++)
        if (k == 0 || k + 1 == count || meet->settings.through)
            memcpy(stops + n++ * Q, meet->poses.pose[k].latent, Q * sizeof *stops);
    rm2_status status = n == 2 ? rm2_space_geodesic(ctx, space, stops, stops + Q, curve)
                               : rm2_space_through(ctx, space, n, stops, curve);
    free(stops);
    return status;
}

/* Corrections and positions of the factor of the obstacles, in the units of the data, and standard deviations. */
typedef struct positions {
    const rm2_meet *meet;
    double *shift, *y, *deviation, *C, *work, *block, *values, *vectors, *eigen;
    double *memory;
} positions;

static void lay_out_positions(void *arg, rm2i_arena *a) {
    positions *p = arg;
    size_t n = p->meet->line.n, M = p->meet->line.m->dim, P = p->meet->process.P;
    size_t dim = p->meet->space->clearance.position.dim;
    p->shift = rm2i_reserve(a, double, n, dim);
    p->y = rm2i_reserve(a, double, n, dim);
    p->deviation = rm2i_reserve(a, double, n);
    p->C = rm2i_reserve(a, double, M, M);
    p->work = rm2i_reserve(a, double, M, P);
    p->block = rm2i_reserve(a, double, dim, dim);
    p->values = rm2i_reserve(a, double, dim);
    p->vectors = rm2i_reserve(a, double, dim, dim);
    p->eigen = rm2i_reserve(a, double, rm2i_eigen_work(dim));
}

/* Root of the largest eigenvalue of the position's block. */
static rm2_status deviate(rm2_context *ctx, const positions *p, const rm2_factor *f, double scale,
                          size_t i) {
    size_t M = p->meet->line.m->dim;
    double largest = 0;
    rm2i_meet_posterior(ctx, &p->meet->process, i, p->C, p->work);
    for (size_t a = 0; a < f->dim; a++)
        for (size_t b = 0; b < f->dim; b++)
            p->block[a * f->dim + b] = p->C[(f->dim_offset + a) * M + f->dim_offset + b];
    RM2_TRY(rm2i_eigen(f->dim, p->block, p->values, p->vectors, p->eigen));
    for (size_t k = 0; k < f->dim; k++)
        largest = fmax(largest, p->values[k]);
    p->deviation[i] = scale * sqrt(largest);
    return RM2_OK;
}

static rm2_status find_positions(rm2_context *ctx, const double *correction, const positions *p) {
    const rm2_meet *meet = p->meet;
    const rm2_manifold *m = meet->line.m;
    size_t factor = meet->space->clearance.position.factor;
    const rm2_factor *f = &m->factors[factor];
    double scale = meet->model->data->scale[factor];
    for (size_t i = 0; i < meet->line.n; i++) {
        for (size_t k = 0; k < f->dim; k++) {
            p->shift[i * f->dim + k] = scale * correction[i * m->dim + f->dim_offset + k];
            p->y[i * f->dim + k] = scale * meet->moved[i * m->ambient + f->ambient_offset + k];
        }
        p->deviation[i] = 0;
        if (meet->space->clearance.deviations > 0)
            RM2_TRY(deviate(ctx, p, f, scale, i));
    }
    return RM2_OK;
}

/* The clearance of the motion and, if it is too small, the space of the next plan. */
static rm2_status look(rm2_context *ctx, rm2_meet *meet, const writable *w, const rm2_curve *curve,
                       rm2i_meet_plan *plan, double *clearance, rm2_space **next) {
    positions p = {.meet = meet};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_positions, &p, &p.memory));
    rm2i_meet_corrected c = {meet->line.n, curve->x, p.shift, p.deviation};
    rm2_status status = find_positions(ctx, w->correction, &p);
    if (status == RM2_OK)
        status = rm2i_meet_clearance(ctx, meet->space, &c, clearance);
    if (status == RM2_OK && *clearance < meet->space->clearance.wanted &&
        meet->result.plans < RM2I_MEET_PLANS)
        status = rm2i_meet_replan(ctx, meet->space, &c, p.y, meet->result.plans + 1, plan, next);
    free(p.memory);
    return status;
}

/* One plan: its route, the motion, its clearance; the better of two routes is kept. */
static rm2_status try_plan(rm2_context *ctx, rm2_meet *meet, const writable *w,
                           rm2i_meet_plan *plan, rm2_space **space) {
    double clearance = INFINITY;
    rm2_space *next = NULL;
    rm2_curve *curve;
    RM2_TRY(find_route(ctx, meet, *space ? *space : meet->space, &curve));
    meet->result.plans++;
    rm2_status status = correct(ctx, meet, w, curve);
    if (status == RM2_OK && meet->space->regions)
        status = look(ctx, meet, w, curve, plan, &clearance, &next);
    rm2_space_free(*space);
    *space = next;
    if (status != RM2_OK || (meet->route && clearance <= meet->result.clearance)) {
        rm2_curve_free(curve);
        return status;
    }
    rm2_curve_free(meet->route);
    meet->route = curve;
    meet->result.clearance = clearance;
    return RM2_OK;
}

static rm2_status plan_all(rm2_context *ctx, rm2_meet *meet, const writable *w) {
    rm2i_meet_plan plan = {.count = 0};
    rm2_space *space = NULL;
    rm2_status status;
    do
        status = try_plan(ctx, meet, w, &plan, &space);
    while (status == RM2_OK && space);
    rm2_space_free(space);
    rm2i_meet_plan_free(&plan);
    meet->result.blocked =
        meet->space->regions && meet->result.clearance < meet->space->clearance.wanted;
    if (status == RM2_OK && meet->result.blocked)
        status = correct(ctx, meet, w, meet->route); /* the best of the plans again */
    return status;
}

/* ---- check and report ----------------------------------------------------------------------- */

/* "factor 1 (R): 0.002 in the units of the data, factor 2 (S): 0.1 degrees" */
static void say_errors(const rm2_meet *meet, const double *errors, char *text, size_t size) {
    const rm2_manifold *m = meet->line.m;
    size_t used = 0;
    for (size_t f = 0; f < m->count && used < size; f++) {
        bool angle = m->factors[f].geometry != &rm2_euclidean &&
                     isfinite(m->factors[f].geometry->injectivity_radius(m->factors[f].n));
        if (isnan(errors[f]))
            continue;
        int length =
            snprintf(text + used, size - used, "%sfactor %zu: %.3g %s", used > 0 ? ", " : "", f + 1,
                     errors[f] * (angle ? DEGREES : 1), angle ? "degrees" : "in its units");
        used += length > 0 ? (size_t)length : 0;
    }
}

/* Distances of points (model units) from the poses, in the units of the data. */
static rm2_status check(rm2_context *ctx, rm2_meet *meet, const double *points, double *errors) {
    const rm2_manifold *m = meet->line.m;
    double *work;
    RM2_TRY(rm2i_alloc(ctx, m->work_size + 1, sizeof *work, &work));
    rm2_status status = RM2_OK;
    for (size_t k = 0; status == RM2_OK && k < meet->poses.count; k++) {
        const rm2i_meet_pose *pose = &meet->poses.pose[k];
        double *own = errors + k * m->count;
        double away = rm2i_meet_distance(m, pose, points + pose->node * m->ambient, own, work);
        for (size_t f = 0; f < m->count; f++)
            own[f] *= rm2i_meet_unit(meet->model, &m->factors[f], f);
        if (!(away <= MET)) {
            char text[512];
            say_errors(meet, own, text, sizeof text);
            status = rm2i_fail(ctx, RM2_ERR_NUMERIC,
                               "%s is missed by %.3g in model units (%s); poses must be met to %g",
                               pose->name, away, text, MET);
        }
    }
    free(work);
    return status;
}

/* The asked poses in place of what agrees with them, and the motion in the units of the data. */
static rm2_status write_points(rm2_context *ctx, rm2_meet *meet, const writable *w) {
    const rm2_manifold *m = meet->line.m;
    size_t n = meet->line.n;
    RM2_TRY(check(ctx, meet, meet->moved, w->pose_errors));
    for (size_t k = 0; k < meet->poses.count; k++)
        for (size_t f = 0; f < m->count; f++) {
            const rm2i_meet_pose *pose = &meet->poses.pose[k];
            size_t at = m->factors[f].ambient_offset;
            if (pose->there[f])
                memcpy(meet->moved + pose->node * m->ambient + at, pose->point + at,
                       m->factors[f].ambient * sizeof *meet->moved);
        }
    memcpy(w->points, meet->moved, n * m->ambient * sizeof *w->points);
    rm2_data_unscale(meet->model->data, n, w->points);
    double *again;
    RM2_TRY(rm2i_alloc(ctx, n * m->ambient, sizeof *again, &again));
    rm2_status status = rm2i_model_project(ctx, meet->model, n, w->points, again, NULL);
    if (status == RM2_OK)
        status = check(ctx, meet, again, w->pose_errors);
    free(again);
    return status;
}

static void measure_corrections(rm2_meet *meet, const writable *w) {
    const rm2_manifold *m = meet->line.m;
    const rm2i_meet_deviations *d = &meet->deviations;
    for (size_t i = 0; i < d->n; i++)
        for (size_t f = 0; f < m->count; f++) {
            const rm2_factor *factor = &m->factors[f];
            double unit = rm2i_meet_unit(meet->model, factor, f), square = 0, spread = 0;
            for (size_t a = factor->dim_offset; a < factor->dim_offset + factor->dim; a++) {
                square += w->correction[i * d->M + a] * w->correction[i * d->M + a];
                for (size_t k = 0; k < d->D; k++)
                    spread += d->R[(k * d->n + i) * d->M + a] * d->R[(k * d->n + i) * d->M + a];
            }
            w->corrected[i * m->count + f] = unit * sqrt(square);
            w->variability[i * m->count + f] = unit * sqrt(spread);
            w->largest[f] = fmax(i > 0 ? w->largest[f] : 0, unit * sqrt(square));
        }
}

static void measure_shares(const rm2_meet *meet, const writable *w) {
    const rm2i_meet_process *p = &meet->process;
    double total = 0;
    memset(w->pose_shares, 0, meet->poses.count * sizeof *w->pose_shares);
    for (size_t k = 0; k < p->P; k++) {
        w->pose_shares[p->observation[k].pose] += p->a[k] * p->r[k];
        total += p->a[k] * p->r[k];
    }
    for (size_t k = 0; total > 0 && k < meet->poses.count; k++)
        w->pose_shares[k] /= total;
    for (size_t k = 0; k < meet->poses.count; k++)
        w->pose_nodes[k] = meet->poses.pose[k].node;
}

typedef struct quotient {
    const rm2_manifold *m;
    double *v, *sum, *frame, *work, *memory;
} quotient;

static void lay_out_quotient(void *arg, rm2i_arena *a) {
    quotient *q = arg;
    q->v = rm2i_reserve(a, double, q->m->dim);
    q->sum = rm2i_reserve(a, double, q->m->dim);
    q->frame = rm2i_reserve(a, double, q->m->frame_size);
    q->work = rm2i_reserve(a, double, q->m->work_size);
}

/* Sum of the weights times Log from the point, which is that of the asked velocities. */
static rm2_status find_velocity(const rm2_meet *meet, size_t node, const quotient *q,
                                double *velocity) {
    const rm2_manifold *m = q->m;
    rm2i_meet_slope d = rm2i_meet_slope_at(&meet->line, node);
    memset(q->sum, 0, m->dim * sizeof *q->sum);
    RM2_TRY(rm2i_manifold_frame(m, meet->moved + node * m->ambient, q->frame, q->work, NULL));
    for (size_t k = 0; k < 3; k++) {
        const double *point = meet->moved + d.node[k] * m->ambient;
        RM2_TRY(rm2i_manifold_log(m, q->frame, point, q->v, q->work, NULL));
        rm2i_axpy(m->dim, d.weight[k] / meet->settings.duration, q->v, q->sum);
    }
    rm2i_manifold_from_coords(m, q->frame, q->sum, velocity, q->work);
    rm2_data_unscale(meet->model->data, 1, velocity);
    return RM2_OK;
}

static rm2_status measure_velocities(rm2_context *ctx, const rm2_meet *meet, const writable *w) {
    quotient q = {.m = meet->line.m};
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out_quotient, &q, &q.memory));
    rm2_status status = RM2_OK;
    for (size_t k = 0; status == RM2_OK && k < meet->poses.count; k++)
        status = find_velocity(meet, w->pose_nodes[k], &q, w->pose_velocities + k * q.m->ambient);
    free(q.memory);
    return status == RM2_OK
               ? status
               : rm2i_fail(ctx, status, "velocities at the poses: %s", rm2_status_text(status));
}

static void explain(rm2_meet *meet, const writable *w) {
    const rm2_meet_result *r = &meet->result;
    size_t worst = 0, used = 0;
    for (size_t k = 1; k < meet->poses.count; k++)
        worst = w->pose_shares[k] > w->pose_shares[worst] ? k : worst;
    const char *name = meet->poses.pose[worst].name;
    char *text = meet->reason;
    size_t room = sizeof meet->reason;
#define SAY(...)                                                                                   \
    do {                                                                                           \
        if (used < room)                                                                           \
            used += (size_t)snprintf(text + used, room - used, __VA_ARGS__);                       \
    } while (0)
    if (r->blocked)
        SAY("no way around the obstacles: the best of %zu plans has a clearance of %.3g, %g is "
            "asked; ",
            r->plans, r->clearance, meet->space->clearance.wanted);
    if (r->stretch > meet->settings.stretch_limit)
        SAY("the %s is %.2g times as far from the demonstrations as they are from each other "
            "(limit %g); ",
            name, r->stretch, meet->settings.stretch_limit);
    else if (r->stretch > 1)
        SAY("the %s is %.2g times as far from the demonstrations as they are from each other: the "
            "motion is stretched; ",
            name, r->stretch);
    if (r->route_over_spread > meet->settings.spread_limit)
        SAY("the route is %.2g spreads away from the demonstrations (limit %g); ",
            r->route_over_spread, meet->settings.spread_limit);
#undef SAY
    if (used > 1 && used < room)
        text[used - 2] = '\0';
}

static rm2_status report(rm2_context *ctx, rm2_meet *meet, const rm2_vicinity *vicinity,
                         const writable *w) {
    rm2_meet_result *r = &meet->result;
    rm2_nearness route = {.size = sizeof route, .over_spread = NAN},
                 motion = {.size = sizeof motion};
    RM2_TRY(rm2_vicinity_distances(ctx, vicinity, r->nodes, w->route_points, NULL, &route));
    RM2_TRY(rm2_vicinity_distances(ctx, vicinity, r->nodes, w->points, w->over_spread, &motion));
    measure_corrections(meet, w);
    measure_shares(meet, w);
    RM2_TRY(measure_velocities(ctx, meet, w));
    r->route = meet->route;
    r->phase = meet->line.s;
    r->route_points = w->route_points;
    r->points = w->points;
    r->correction = w->correction;
    r->frames = meet->line.F;
    r->corrected = w->corrected;
    r->largest = w->largest;
    r->variability = w->variability;
    r->over_spread = w->over_spread;
    r->pose_nodes = w->pose_nodes;
    r->pose_errors = w->pose_errors;
    r->pose_shares = w->pose_shares;
    r->pose_velocities = w->pose_velocities;
    r->route_over_spread = route.over_spread;
    r->stretch = meet->process.stretch;
    r->kappa = meet->process.kappa;
    r->demonstrations = meet->deviations.D;
    r->reversed = meet->deviations.reversed;
    r->family = meet->ends.family;
    r->context[0] = meet->poses.pose[0].context;
    r->context[1] = meet->poses.pose[meet->poses.count - 1].context;
    r->outside = r->stretch > meet->settings.stretch_limit ||
                 r->route_over_spread > meet->settings.spread_limit;
    explain(meet, w);
    r->reason = meet->reason;
    return RM2_OK;
}

/* ---- making it ------------------------------------------------------------------------------ */

static rm2_status build(rm2_context *ctx, const rm2_meet_request *request,
                        const rm2_vicinity *vicinity, rm2_meet *meet) {
    layout l = {.meet = meet};
    const rm2_model *model = meet->model;
    RM2_TRY(rm2i_meet_poses_convert(ctx, model, request, &meet->settings, &meet->poses));
    meet->result.nodes = meet->space->geodesics.nodes;
    meet->result.dim = model->M;
    meet->result.factors = model->manifold->count;
    meet->result.poses = meet->poses.count;
    RM2_TRY(rm2i_arena_calloc(ctx, lay_out, &l, &meet->memory));
    RM2_TRY(rm2i_meet_check_clear(ctx, meet->space, &meet->poses));
    RM2_TRY(rm2i_meet_ends_create(ctx, model, rm2_vicinity_info_of(vicinity)->spread, &meet->ends));
    rm2i_task_frames_complete(request, model, &meet->ends);
    RM2_TRY(rm2i_meet_place_ends(ctx, &meet->poses, meet->settings.through, &meet->ends));
    RM2_TRY(
        rm2i_task_frames_convert(ctx, model, &meet->poses, &meet->ends, request, &meet->frames));
    meet->result.clearance = INFINITY;
    RM2_TRY(plan_all(ctx, meet, &l.w));
    RM2_TRY(write_points(ctx, meet, &l.w));
    return report(ctx, meet, vicinity, &l.w);
}

static rm2_status build_near(rm2_context *ctx, const rm2_meet_request *request,
                             const rm2_vicinity *vicinity, rm2_meet *meet) {
    rm2_vicinity *own = NULL;
    if (!vicinity)
        RM2_TRY(rm2_vicinity_create(ctx, meet->model, &own));
    rm2_status status = build(ctx, request, own ? own : vicinity, meet);
    rm2_vicinity_free(own);
    return status;
}

static rm2_status check_space(rm2_context *ctx, const rm2_space *space) {
    const rm2_model *model = space->core->model;
    if (!model || model->settings.model == RM2_GPLVM)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED, "motions that meet poses need %s",
                         model ? "a model on the manifold, not a Euclidean one"
                               : "a space of a model");
    if (space->geodesics.nodes < FEWEST_NODES)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.nodes of the space is %zu; motions that meet poses need %d",
                         space->geodesics.nodes, FEWEST_NODES);
    return RM2_OK;
}

rm2_status rm2_meet_create(rm2_context *ctx, const rm2_space *space, const rm2_vicinity *vicinity,
                           const rm2_meet_request *request, const rm2_meet_settings *settings,
                           rm2_meet **meet) {
    rm2_meet_settings s = rm2_meet_settings_default();
    rm2_meet *made;
    RM2_REQUIRE(ctx, meet);
    *meet = NULL;
    RM2_REQUIRE(ctx, space, request);
    RM2_TRY(rm2_settings_overlay(ctx, settings, &s));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_MEET), &s));
    RM2_TRY(check_space(ctx, space));
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *made, &made));
    made->space = space;
    made->model = space->core->model;
    made->settings = s;
    rm2i_activity_begin(ctx, "motion", 0);
    rm2_status status = build_near(ctx, request, vicinity, made);
    rm2i_activity_end(ctx);
    if (status == RM2_OK)
        *meet = made;
    else
        rm2_meet_free(made);
    return status;
}
