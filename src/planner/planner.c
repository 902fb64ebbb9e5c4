/* Planners: what is kept, and one update.
 *
 *     1. The rest of the last path is proven as it is, where there is a deadline: what the call falls back to.
 *     2. Two candidates: the rest of the last path, and the shortest path of the search. Both are refined in the metric of
 *        the barrier by Newton's method on polygons, in the interpolated metric.
 *     3. The better one that is proven to keep the clearance is the answer. Where neither is, the shortest path on the grid
 *        all of whose edges are proven; where there is none, a finer grid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/base.h"
#include "metric/metric.h"
#include "planner/planner.h"
#include "settings/settings.h"
#include "space/space.h"

enum { GRIDS = 3, FEWEST_NODES = 8, MOST_NODES = 100000, MOST_STEPS = 20 };
static const double BARRIER_WIDTH = 0.02; /* of the extent of the positions, as in space/around.c */
static const double ENOUGH =
    0.02; /* relative change of the velocity: the length changes by its square */
static const double PROOF_SECONDS = 5e-4; /* of the first proof, as long as none was timed */

typedef enum candidate { REST, FRESH, CANDIDATES } candidate;

struct rm2_planner {
    const rm2_space *space;
    rm2_planner_settings settings;
    rm2i_clearance clearance; /* regions are the caller's, and there during an update alone */
    double width;             /* of the barrier */
    rm2i_field field;
    rm2_metric *metric;
    rm2i_evaluator evaluator;
    rm2i_pieces *curve;
    rm2i_newton *newton;
    size_t levels, most; /* grids; points of a polygon at most */
    rm2i_level level[GRIDS];
    rm2i_planner_scene scene;
    double *from, *to;           /* Q */
    bool has_goal;               /* `to` is that of the last update */
    rm2i_polygon way;            /* of a search, or to be resampled */
    double *lengths;             /* of its sides */
    double *refined[CANDIDATES]; /* nodes x Q */
    double value[CANDIDATES];    /* length in the metric of the barrier; infinite: no candidate */
    bool is_refined[CANDIDATES]; /* otherwise the length is that of the path of the search */
    rm2i_polygon answer;
    rm2i_clear_point *points; /* of the answer, decoded */
    double *positions;
    double proof_seconds; /* of the last proof */
    rm2_plan plan;
    double *work, *memory;
};

const char *rm2_plan_state_text(rm2_plan_state state) {
    switch (state) {
    case RM2_PLAN_FOUND:
        return "path found";
    case RM2_PLAN_START_BLOCKED:
        return "the current point does not keep the clearance";
    case RM2_PLAN_GOAL_BLOCKED:
        return "the goal does not keep the clearance";
    case RM2_PLAN_BLOCKED:
        return "no way around the obstacles";
    case RM2_PLAN_LATE:
        return "no path before the deadline";
    }
    return "unknown state";
}

/* ---- making a planner ----------------------------------------------------------------------- */

static const rm2_setting rows[] = {
    {RM2I_MEMBER(rm2_planner_settings, deviations), .name = "deviations",
     .type = RM2_SETTING_NUMBER, RM2I_FROM(0), .defaults = {"0"}, .group = "Planner",
     .help = "standard deviations of the position by which regions grow; updates take longer then"},
    {RM2I_MEMBER(rm2_planner_settings, nodes), .name = "nodes", .type = RM2_SETTING_COUNT,
     RM2I_FROM_TO(FEWEST_NODES, MOST_NODES), .defaults = {"48"}, .group = "Planner",
     .help = "nodes of a refined path"},
    {RM2I_MEMBER(rm2_planner_settings, gain), .name = "gain", .type = RM2_SETTING_NUMBER,
     RM2I_FROM_TO_BELOW(0, 1), .defaults = {"0.01"}, .group = "Planner",
     .help = "relative gain in length for which the path leaves the side of the last one"},
};

RM2I_TABLE(rm2i_planner_table, "planner", rm2_planner_settings, rows)

static rm2_status check(rm2_context *ctx, const rm2_space *space, const rm2_planner_settings *s) {
    const rm2i_roadmap *net = space->core->roadmap;
    if (!space->core->model)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "a planner needs a space of a model: obstacles are in its data's space");
    if (!net || !net->grid)
        return rm2i_fail(ctx, RM2_ERR_UNSUPPORTED,
                         "a planner needs a space with a grid (settings.roadmap, at most 3 latent "
                         "dimensions)");
    return rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_PLANNER), s);
}

static void lay_out(void *arg, rm2i_arena *a) {
    rm2_planner *p = arg;
    size_t Q = p->field.Q, most = p->most;
    p->from = rm2i_reserve(a, double, Q);
    p->to = rm2i_reserve(a, double, Q);
    p->scene.to_goal = rm2i_reserve(a, double, p->level[0].net->nodes);
    p->way.x = rm2i_reserve(a, double, most, Q);
    p->lengths = rm2i_reserve(a, double, most);
    for (int k = 0; k < CANDIDATES; k++)
        p->refined[k] = rm2i_reserve(a, double, p->settings.nodes, Q);
    p->answer.x = rm2i_reserve(a, double, most, Q);
    p->points = rm2i_reserve(a, rm2i_clear_point, most);
    p->positions = rm2i_reserve(a, double, most, p->field.dim);
    p->work = rm2i_reserve(a, double, rm2i_clearance_work(&p->clearance));
}

static rm2_status make_field(rm2_context *ctx, const rm2i_roadmap *grid, rm2_planner *p) {
    size_t node;
    rm2_status status =
        rm2i_field_create(ctx, grid, p->clearance.position.dim, p->level[0].node, &p->field, &node);
    return status == RM2_ERR_NUMERIC
               ? rm2i_fail(ctx, status,
                           "the metric is singular at node %zu of the grid: a planner needs a "
                           "positive definite one",
                           node)
               : status;
}

/* Grids of more nodes have too many edges in three dimensions. */
static rm2_status make_levels(rm2_context *ctx, rm2_planner *p) {
    const rm2i_roadmap *grid = p->space->core->roadmap;
    p->levels = grid->Q < 3 ? GRIDS : 2;
    RM2_TRY(rm2i_level_create(ctx, grid, 1, &p->level[0]));
    RM2_TRY(rm2i_level_decode(ctx, &p->clearance, &p->level[0]));
    RM2_TRY(make_field(ctx, grid, p));
    for (size_t k = 1; k < p->levels; k++) {
        RM2_TRY(rm2i_level_create(ctx, grid, (size_t)1 << k, &p->level[k]));
        rm2i_level_interpolate(&p->field, &p->level[k]);
    }
    for (size_t k = 0; k < p->levels; k++)
        RM2_TRY(rm2i_level_measure(ctx, &p->field, &p->level[k]));
    p->most = p->level[p->levels - 1].net->nodes + p->settings.nodes + 2;
    return RM2_OK;
}

static rm2_status make_refinement(rm2_context *ctx, rm2_planner *p) {
    RM2_TRY(rm2i_field_metric(ctx, &p->field, &p->clearance, p->width, &p->metric));
    RM2_TRY(rm2i_evaluator_begin(ctx, p->metric, 1, &p->evaluator));
    p->evaluator.room.ctx = NULL; /* updates have a context of their own */
    RM2_TRY(rm2i_pieces_create(ctx, p->field.Q, p->settings.nodes - 1, 1, &p->curve));
    return rm2i_newton_create(ctx, &p->evaluator, p->curve, 1, &p->newton);
}

static rm2_status fill(rm2_context *ctx, rm2_planner *p) {
    const rm2_model *model = p->space->core->model;
    RM2_TRY(rm2i_position_of(ctx, model, p->settings.factor, &p->clearance.position));
    p->clearance.deviations = p->settings.deviations;
    p->width = BARRIER_WIDTH * rm2i_space_extent(model, p->clearance.position.factor);
    RM2_TRY(make_levels(ctx, p));
    RM2_TRY(make_refinement(ctx, p));
    RM2_TRY(rm2i_arena_alloc(ctx, lay_out, p, &p->memory));
    p->way.most = p->answer.most = p->most;
    return RM2_OK;
}

rm2_status rm2_planner_create(rm2_context *ctx, const rm2_space *space,
                              const rm2_planner_settings *settings, rm2_planner **planner) {
    rm2_planner_settings s = rm2_planner_settings_default();
    rm2_planner *p;
    RM2_REQUIRE(ctx, planner);
    *planner = NULL;
    RM2_REQUIRE(ctx, space);
    RM2_TRY(rm2i_settings_overlay(ctx, settings, &s));
    RM2_TRY(check(ctx, space, &s));
    RM2_TRY(rm2i_calloc(ctx, 1, sizeof *p, &p));
    p->space = space;
    p->settings = s;
    p->proof_seconds = PROOF_SECONDS;
    rm2_status status = fill(ctx, p);
    if (status == RM2_OK)
        *planner = p;
    else
        rm2_planner_free(p);
    return status;
}

void rm2_planner_free(rm2_planner *planner) {
    if (!planner)
        return;
    rm2i_newton_free(planner->newton);
    rm2i_pieces_free(planner->curve);
    rm2i_evaluator_end(&planner->evaluator);
    rm2_metric_free(planner->metric);
    for (size_t k = 0; k < GRIDS; k++)
        rm2i_level_clear(&planner->level[k]);
    rm2i_field_clear(&planner->field);
    free(planner->memory);
    free(planner);
}

void rm2_planner_forget(rm2_planner *planner) {
    if (planner)
        planner->answer.n = 0;
}

/* ---- candidates ----------------------------------------------------------------------------- */

/* Squared distance of x from the line from a to b. */
static double distance_from_side(size_t Q, const double *x, const double *a, const double *b) {
    double along = 0, square = 0, left = 0;
    for (size_t q = 0; q < Q; q++) {
        along += (x[q] - a[q]) * (b[q] - a[q]);
        square += (b[q] - a[q]) * (b[q] - a[q]);
    }
    double t = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
    for (size_t q = 0; q < Q; q++) {
        double off = x[q] - a[q] - t * (b[q] - a[q]);
        left += off * off;
    }
    return left;
}

/* What is left of the last path, from the side that is nearest to the current point on, between the ends of now. */
static void copy_rest(rm2_planner *p) {
    size_t Q = p->field.Q, nearest = 0, n = p->answer.n;
    double least = INFINITY;
    p->way.n = 0;
    if (n < 2)
        return;
    for (size_t i = 0; i + 1 < n; i++) {
        const double *a = p->answer.x + i * Q;
        double far = distance_from_side(Q, p->from, a, a + Q);
        if (far <= least) {
            least = far;
            nearest = i;
        }
    }
    size_t between = n - 2 - nearest; /* nodes between the nearest side's end and the goal */
    memcpy(p->way.x, p->from, Q * sizeof *p->from);
    memcpy(p->way.x + Q, p->answer.x + (nearest + 1) * Q, between * Q * sizeof *p->from);
    memcpy(p->way.x + (between + 1) * Q, p->to, Q * sizeof *p->to);
    p->way.n = between + 2;
}

/* Should refinement leave the rest of the time to the proof? */
static bool must_prove(const rm2_planner *p) {
    return isfinite(p->scene.end) && rm2_seconds() > p->scene.end - 1.5 * p->proof_seconds;
}

/* Minimise the energy of the curve; false where it comes too near at its start. */
static bool minimise(rm2_planner *p) {
    bool moved = true;
    rm2i_newton_restart(p->newton);
    for (int k = 0; k < MOST_STEPS && moved && !must_prove(p) && p->newton->step > ENOUGH; k++)
        if (rm2i_newton_step(p->newton, ENOUGH, &moved) != RM2_OK)
            return false;
    return p->newton->sampled || p->newton->iterations > 0;
}

/* The polygon in `way` with few nodes and of least energy. Equal lengths cut corners, which may be too near to an
 * obstacle: then nodes are at the corners. */
static void refine(rm2_planner *p, candidate which) {
    size_t n = p->settings.nodes, bytes = n * p->field.Q * sizeof(double);
    double *x = p->curve->coef;
    p->value[which] = which == FRESH ? p->way.length : INFINITY;
    p->is_refined[which] = false;
    if (p->way.n < 2)
        return;
    rm2i_polygon_resample(&p->scene, &p->way, n, x, p->lengths);
    bool done = minimise(p);
    if (!done && rm2i_polygon_divide(&p->scene, &p->way, n, x, p->lengths))
        done = minimise(p);
    if (!done)
        return;
    p->is_refined[which] = true;
    p->value[which] = sqrt(p->newton->now.energy);
    memcpy(p->refined[which], x, bytes);
}

/* ---- answers -------------------------------------------------------------------------------- */

/* Is a polygon proven? Then it is the answer. */
static bool answer_with(rm2_planner *p, size_t n, const double *x) {
    size_t Q = p->field.Q, dim = p->field.dim;
    double begin = rm2_seconds();
    if (!rm2i_polygon_holds(&p->scene, n, x, p->points))
        return false;
    p->proof_seconds = rm2_seconds() - begin;
    memmove(p->answer.x, x, n * Q * sizeof *x);
    p->answer.n = n;
    p->plan.state = RM2_PLAN_FOUND;
    p->plan.nodes = n;
    p->plan.length = rm2i_polygon_length(&p->field, n, x);
    p->plan.clearance = INFINITY;
    for (size_t k = 0; k < n; k++) {
        memcpy(p->positions + k * dim, p->points[k].y, dim * sizeof *p->positions);
        p->plan.clearance = fmin(p->plan.clearance, p->points[k].clearance);
    }
    return true;
}

static bool answer_candidate(rm2_planner *p, candidate which) {
    if (!p->is_refined[which] || !answer_with(p, p->settings.nodes, p->refined[which]))
        return false;
    p->plan.refined = true;
    p->plan.kept = which == REST;
    return true;
}

/* The shortest path on a grid all of whose edges are proven, refined if possible. */
static rm2i_outcome answer_with_grid(rm2_planner *p, size_t k) {
    rm2i_outcome outcome = rm2i_level_proven(&p->level[k], &p->scene, &p->way);
    if (outcome != RM2I_WAY)
        return outcome;
    refine(p, FRESH);
    if (answer_candidate(p, FRESH))
        return RM2I_WAY;
    rm2i_polygon_cut(&p->scene, &p->way);
    p->plan.refined = p->plan.kept = false;
    return answer_with(p, p->way.n, p->way.x) ? RM2I_WAY : RM2I_TOO_LATE;
}

/* The path of the search on grid k: as it was refined, else with a proof for every edge. */
static rm2i_outcome answer_fresh(rm2_planner *p, size_t k) {
    if (answer_candidate(p, FRESH))
        return RM2I_WAY;
    return rm2i_scene_late(&p->scene) ? RM2I_TOO_LATE : answer_with_grid(p, k);
}

/* On grid k: search, refine, prove. */
static rm2i_outcome try_level(rm2_planner *p, size_t k) {
    p->plan.level = k;
    rm2i_outcome outcome = rm2i_level_shortest(&p->level[k], &p->scene, &p->way);
    if (outcome != RM2I_WAY)
        return outcome;
    refine(p, FRESH);
    bool stay = p->value[REST] * (1 - p->settings.gain) <= p->value[FRESH];
    if (stay && answer_candidate(p, REST))
        return RM2I_WAY;
    outcome = answer_fresh(p, k);
    return outcome == RM2I_NO_WAY && !stay && answer_candidate(p, REST) ? RM2I_WAY : outcome;
}

/* Ends within a cell of the grid are joined by the line where that is proven. */
static bool answer_line(rm2_planner *p) {
    const rm2i_roadmap *grid = p->field.grid;
    size_t Q = p->field.Q;
    for (size_t q = 0; q < Q; q++)
        if (fabs(p->to[q] - p->from[q]) > grid->axis[q][1] - grid->axis[q][0])
            return false;
    p->way.n = 2;
    memcpy(p->way.x, p->from, Q * sizeof *p->from);
    memcpy(p->way.x + Q, p->to, Q * sizeof *p->to);
    p->plan.refined = answer_with(p, p->way.n, p->way.x);
    return p->plan.refined;
}

/* From the coarsest grid to the finest; the rest of the last path where none has a way. */
static rm2i_outcome try_levels(rm2_planner *p) {
    rm2i_outcome outcome = RM2I_NO_WAY;
    for (size_t k = 0; k < p->levels && outcome == RM2I_NO_WAY; k++) {
        outcome = try_level(p, k);
        if (outcome == RM2I_NO_WAY && !rm2i_level_may_pass(&p->level[k], &p->scene))
            break;
    }
    if (outcome == RM2I_NO_WAY && answer_candidate(p, REST))
        return RM2I_WAY;
    return outcome;
}

/* ---- an update ------------------------------------------------------------------------------ */

static rm2_status check_point(rm2_context *ctx, const rm2_planner *p, const char *name,
                              const double *x) {
    const rm2i_roadmap *net = p->space->core->roadmap;
    for (size_t q = 0; q < net->Q; q++) {
        double low = net->axis[q][0], high = net->axis[q][net->count[q] - 1];
        if (!(x[q] >= low && x[q] <= high))
            return rm2i_fail(
                ctx, RM2_ERR_DATA,
                "query.%s: coordinate %zu is %g; the grid of the space goes from %g to "
                "%g: make the space with points that it must cover",
                name, q, x[q], low, high);
    }
    return RM2_OK;
}

static rm2_status check_query(rm2_context *ctx, const rm2_planner *p, const rm2_plan_query *q) {
    size_t dim = p->clearance.position.dim;
    RM2_REQUIRE_EACH(ctx, q->from, q->to);
    if (q->count > 0)
        RM2_REQUIRE_EACH(ctx, q->regions);
    if (!(q->clearance >= 0 && isfinite(q->clearance)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "query.clearance is %g; expected 0 or more",
                         q->clearance);
    if (!(q->seconds >= 0))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "query.seconds is %g; expected 0 (no deadline) or "
                         "more",
                         q->seconds);
    for (size_t k = 0; k < q->count; k++) {
        rm2_status status = rm2_region_check(ctx, &q->regions[k]);
        if (status == RM2_OK && q->regions[k].dim != dim)
            status = rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%zu dimensions; the positions have %zu",
                               q->regions[k].dim, dim);
        if (status != RM2_OK)
            return rm2i_fail_prefix(ctx, status, "query.regions: region %zu", k + 1);
    }
    RM2_TRY(check_point(ctx, p, "from", q->from));
    return check_point(ctx, p, "to", q->to);
}

/* The query becomes the scene, with decoded ends; lengths to another goal are forgotten. */
static void open_scene(rm2_context *ctx, rm2_planner *p, const rm2_plan_query *q, double begin) {
    size_t bytes = p->field.Q * sizeof *q->to;
    bool same_goal = p->has_goal && memcmp(p->to, q->to, bytes) == 0;
    rm2i_planner_scene *s = &p->scene;
    memcpy(p->from, q->from, bytes);
    memcpy(p->to, q->to, bytes);
    p->has_goal = true;
    p->clearance.count = q->count;
    p->clearance.regions = q->regions;
    p->clearance.wanted = q->clearance;
    s->ctx = ctx;
    s->field = &p->field;
    s->clearance = &p->clearance;
    s->width = p->width;
    s->number++;
    s->end = q->seconds > 0 ? begin + q->seconds : INFINITY;
    s->from.x = p->from;
    s->to.x = p->to;
    s->work = p->work;
    s->new_goal = s->new_goal || !same_goal;
    s->expanded = 0;
    rm2i_clearance_at(&p->clearance, p->from, &s->from.at, p->work);
    rm2i_clearance_at(&p->clearance, p->to, &s->to.at, p->work);
    p->plan = (rm2_plan){.Q = p->field.Q,
                         .dim = p->field.dim,
                         .x = p->answer.x,
                         .positions = p->positions,
                         .complete = true};
}

static rm2_plan_state find_path(rm2_planner *p) {
    double wanted = p->clearance.wanted;
    if (p->scene.from.at.clearance < wanted)
        return RM2_PLAN_START_BLOCKED;
    if (p->scene.to.at.clearance < wanted)
        return RM2_PLAN_GOAL_BLOCKED;
    if (answer_line(p))
        return RM2_PLAN_FOUND;
    copy_rest(p);
    bool spare = false;
    if (isfinite(p->scene.end) && p->way.n >= 2)
        spare = p->plan.kept = answer_with(p, p->way.n, p->way.x);
    refine(p, REST);
    rm2i_outcome outcome = try_levels(p);
    p->plan.complete = outcome != RM2I_TOO_LATE;
    if (outcome == RM2I_WAY || spare)
        return RM2_PLAN_FOUND;
    return outcome == RM2I_NO_WAY ? RM2_PLAN_BLOCKED : RM2_PLAN_LATE;
}

rm2_status rm2_planner_update(rm2_context *ctx, rm2_planner *planner, const rm2_plan_query *query,
                              const rm2_plan **plan) {
    double begin = rm2_seconds();
    RM2_REQUIRE(ctx, plan);
    *plan = NULL;
    RM2_REQUIRE(ctx, planner, query);
    rm2_plan_query q = rm2_plan_query_default();
    RM2_TRY(rm2i_settings_overlay(ctx, query, &q));
    RM2_TRY(check_query(ctx, planner, &q));
    open_scene(ctx, planner, &q, begin);
    rm2_plan_state state = find_path(planner);
    planner->clearance.count = 0;
    planner->clearance.regions = NULL;
    if (rm2i_interrupted(ctx))
        return rm2i_fail(ctx, RM2_INTERRUPTED, "planner: interrupted");
    planner->plan.state = state;
    if (state != RM2_PLAN_FOUND)
        planner->plan.nodes = 0;
    planner->plan.expanded = planner->scene.expanded;
    planner->plan.seconds = rm2_seconds() - begin;
    *plan = &planner->plan;
    return RM2_OK;
}
