/* Settings of a space: the caller's over the defaults, checked, with automatic choices made. */
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "geodesic/track.h"
#include "space/space.h"

/* ---- the struct ----------------------------------------------------------------------------- */

rm2_geodesic_settings rm2i_space_geodesics(const rm2_space_settings *s) {
    rm2_geodesic_settings g = rm2_geodesic_settings_default();
    g.last = s->stage;
    g.nodes = s->nodes;
    g.intervals = s->intervals;
    g.max_iterations = s->max_iterations;
    g.tolerance = s->tolerance;
    return g;
}

void rm2i_space_set_geodesics(const rm2_geodesic_settings *g, rm2_space_settings *s) {
    s->stage = g->last;
    s->nodes = g->nodes;
    s->intervals = g->intervals;
    s->max_iterations = g->max_iterations;
    s->tolerance = g->tolerance;
}

/* ---- checks --------------------------------------------------------------------------------- */

static rm2_status check_choice(rm2_context *ctx, const char *name, int value, int most) {
    return value >= 0 && value <= most
               ? RM2_OK
               : rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.%s is %d: must be 0 to %d", name, value,
                           most);
}

static rm2_status check_metric(rm2_context *ctx, const rm2_space_settings *s) {
    bool pullback = s->metric == RM2_SPACE_PULLBACK;
    RM2_TRY(check_choice(ctx, "metric", (int)s->metric, RM2_SPACE_STRAIGHT));
    if (s->metric == RM2_SPACE_DENSITY && !(s->sigma > 0 && isfinite(s->sigma)))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.sigma is %g: must be positive", s->sigma);
    if (!pullback && (s->cost.at || s->obstacles))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.%s needs settings.metric RM2_SPACE_PULLBACK",
                         s->cost.at ? "cost" : "obstacles");
    if (s->cost.at && s->obstacles)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.cost and settings.obstacles exclude each other");
    return RM2_OK;
}

static rm2_status check_roadmap(rm2_context *ctx, const rm2_space_settings *s) {
    RM2_TRY(check_choice(ctx, "roadmap", (int)s->roadmap, RM2_SPACE_LINE));
    if (s->roadmap == RM2_SPACE_GRAPH && s->neighbours == 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.neighbours is 0: must be 1 or more");
    return RM2_OK;
}

/* ---- automatic choices ---------------------------------------------------------------------- */

static void choose_roadmap(size_t Q, size_t n, rm2_space_settings *s) {
    if (s->roadmap == RM2_SPACE_AUTO && (s->metric == RM2_SPACE_STRAIGHT || n == 0))
        s->roadmap = RM2_SPACE_LINE;
    else if (s->roadmap == RM2_SPACE_AUTO)
        s->roadmap = Q <= RM2I_GRID_Q ? RM2_SPACE_GRID : RM2_SPACE_GRAPH;
    if (s->roadmap != RM2_SPACE_GRID)
        return;
    if (s->grid_points == 0)
        s->grid_points = rm2i_grid_points(Q);
    if (s->reach == 0)
        s->reach = rm2i_grid_reach(Q);
}

rm2_status rm2i_space_settings_take(rm2_context *ctx, const rm2_space_settings *given, size_t Q,
                                    size_t n, rm2_space_settings *s) {
    *s = rm2_space_settings_default();
    RM2_TRY(rm2i_settings_take(ctx, given, s));
    RM2_TRY(check_choice(ctx, "stage", (int)s->stage, RM2_STAGE_POLISH));
    RM2_TRY(check_metric(ctx, s));
    rm2_geodesic_settings asked = rm2i_space_geodesics(s), geodesics;
    RM2_TRY(rm2i_take_geodesic_settings(ctx, &asked, &geodesics));
    RM2_TRY(check_choice(ctx, "roadmap", (int)s->roadmap, RM2_SPACE_LINE));
    choose_roadmap(Q, n, s);
    return check_roadmap(ctx, s);
}
