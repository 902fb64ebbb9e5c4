/* Reports on paths: measures, and the rules by which a path may be relied on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/vicinity.h"
#include "front/smoothness.h"
#include "metric/metric.h"
#include "model/model.h"
#include "riemann2/report.h"
#include "settings/settings.h"
#include "space/around.h"

/* ---- settings ------------------------------------------------------------------------------- */

static const rm2_setting rows[] = {
    {RM2I_MEMBER(rm2_report_settings, spread_limit), .name = "spread_limit",
     .type = RM2_SETTING_NUMBER, RM2I_ABOVE(0), .defaults = {RM2I_TEXT(RM2_VICINITY_LIMIT)},
     .group = "Reliance",
     .help = "largest distance of a result from the demonstrations, in multiples of their spread"},
    {RM2I_MEMBER(rm2_report_settings, omission_limit), .name = "omission_limit",
     .type = RM2_SETTING_NUMBER, RM2I_ABOVE(0), .defaults = {"3"}, .group = "Reliance",
     .help = "largest distance of the demonstrated motion between the ends of a path from the "
             "path, in spreads"},
};

RM2I_TABLE(rm2i_report_table, "report", rm2_report_settings, rows)

/* ---- nodes ---------------------------------------------------------------------------------- */

size_t rm2_path_measured_nodes(size_t nodes) {
    if (nodes < 2 || nodes > RM2I_PATH_STEPS)
        return nodes;
    size_t steps = nodes - 1;
    return (RM2I_PATH_STEPS + steps - 1) / steps * steps + 1;
}

/* A curve, and every `stride`-th of its nodes. */
typedef struct subject {
    const rm2_space *space;
    const rm2_curve *curve;
    const rm2_report_settings *settings;
    size_t stride, nodes;
    double *x, *ends; /* nodes x Q; first and last node */
    double *points;   /* nodes of the curve x ambient; NULL: not decoded */
} subject;

static rm2_status resolve_subject(rm2_context *ctx, subject *s) {
    const rm2_curve *c = s->curve;
    size_t wanted = s->settings->nodes ? s->settings->nodes : c->nodes;
    if (c->Q != rm2_space_dim(s->space))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the curve has %zu dimensions, the space %zu", c->Q,
                         rm2_space_dim(s->space));
    if (c->nodes < 2 || wanted < 2 || wanted > c->nodes || (c->nodes - 1) % (wanted - 1) != 0)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.nodes is %zu, expected evenly spaced nodes of the curve's %zu",
                         wanted, c->nodes);
    if (s->settings->vicinity &&
        rm2i_vicinity_model(s->settings->vicinity) != rm2_space_model(s->space))
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.vicinity is of another model than that of the space");
    if (s->settings->points && s->settings->stops < 2)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.stops is %zu, expected 2 or more",
                         s->settings->stops);
    RM2_TRY(rm2i_metric_check_points(ctx, c->Q, c->nodes, c->x));
    s->nodes = wanted;
    s->stride = (c->nodes - 1) / (wanted - 1);
    RM2_TRY(rm2i_alloc(ctx, wanted + 2, c->Q * sizeof *s->x, &s->x));
    for (size_t i = 0; i < wanted; i++)
        memcpy(s->x + i * c->Q, c->x + i * s->stride * c->Q, c->Q * sizeof *s->x);
    s->ends = s->x + wanted * c->Q;
    memcpy(s->ends, c->x, c->Q * sizeof *s->ends);
    memcpy(s->ends + c->Q, s->ends - c->Q, c->Q * sizeof *s->ends);
    return RM2_OK;
}

/* ---- measures ------------------------------------------------------------------------------- */

static rm2_status find_lengths(rm2_context *ctx, const subject *s, rm2_path_report *r) {
    const rm2_curve *c = s->curve;
    const rm2_report_settings *with = s->settings;
    r->length = c->length;
    r->energy = c->energy;
    r->straight = NAN;
    if (rm2_space_settings_of(s->space)->metric != RM2_SPACE_PULLBACK)
        RM2_TRY(rm2_space_path_length(ctx, s->space, c->nodes, c->x, &r->length, &r->energy));
    if (!with->straight)
        return RM2_OK;
    return rm2_space_straight_length(ctx, s->space, with->points ? with->stops : 2,
                                     with->points ? with->points : s->ends, &r->straight);
}

/* The straight lines between few nodes may come nearer to the obstacles than the curve. */
static rm2_status find_clearance(rm2_context *ctx, const subject *s, rm2_path_report *r) {
    const rm2_curve *c = s->curve;
    r->clearance = c->clearance;
    r->clearance_wanted = rm2_space_settings_of(s->space)->clearance;
    if (c->blocked)
        r->reasons |= RM2_PATH_BLOCKED;
    RM2_TRY(rm2i_space_nearest_node(ctx, s->space, s->nodes, s->x, &r->clearance_node));
    if (r->clearance_node == SIZE_MAX || s->stride == 1 || c->blocked)
        return RM2_OK;
    RM2_TRY(rm2i_space_clearance(ctx, s->space, s->nodes, s->x, &r->clearance));
    if (!(r->clearance >= r->clearance_wanted))
        r->reasons |= RM2_PATH_TOO_FEW_NODES;
    return RM2_OK;
}

static rm2_status find_omission(rm2_context *ctx, const subject *s, size_t family,
                                rm2_path_report *r) {
    const rm2_report_settings *with = s->settings;
    const rm2i_passage passage = {.n = s->curve->nodes,
                                  .points = s->points,
                                  .stops = with->points ? with->stops : 2,
                                  .stop = with->points ? with->points : s->ends,
                                  .family = family};
    rm2i_omission found;
    RM2_TRY(rm2i_vicinity_omission(ctx, with->vicinity, &passage, &found));
    r->omission = found.distance;
    r->omitted_demonstration = found.demonstration;
    r->omitted_point = found.point;
    if (found.demonstration != SIZE_MAX)
        r->omitted_id = rm2_space_model(s->space)->data->ids[found.demonstration];
    return RM2_OK;
}

/* Paths that are blocked are not compared with the demonstrations. */
static rm2_status find_nearness(rm2_context *ctx, subject *s, double *over_spread,
                                rm2_path_report *r) {
    const rm2_curve *c = s->curve;
    const rm2_vicinity *v = s->settings->vicinity;
    rm2_nearness found = {.size = sizeof found, .over_spread = NAN};
    r->spread = rm2_vicinity_info_of(v)->spread;
    r->spread_limit = s->settings->spread_limit;
    for (size_t i = 0; over_spread && i < c->nodes; i++)
        over_spread[i] = NAN;
    r->smoothness = rm2_vicinity_info_of(NULL)->smoothness;
    r->demonstrated = rm2_vicinity_info_of(v)->smoothness;
    r->omission = NAN;
    r->omission_limit = s->settings->omission_limit;
    r->omitted_demonstration = r->omitted_point = SIZE_MAX;
    if (v && !r->reasons) {
        const rm2_model *m = rm2_space_model(s->space);
        size_t ambient = rm2_manifold_ambient(rm2_model_info_of(m)->manifold);
        RM2_TRY(rm2i_alloc(ctx, c->nodes, ambient * sizeof *s->points, &s->points));
        RM2_TRY(rm2_space_decode(ctx, s->space, c->nodes, c->x, s->points, NULL));
        RM2_TRY(rm2_vicinity_distances(ctx, v, c->nodes, s->points, over_spread, &found));
        RM2_TRY(rm2_model_smoothness(ctx, m, c->nodes, s->points, &r->smoothness));
        RM2_TRY(find_omission(ctx, s, found.family, r));
    }
    r->over_spread = found.over_spread;
    r->farthest = isnan(found.over_spread) ? SIZE_MAX : found.farthest / s->stride;
    return RM2_OK;
}

/* ---- reliance ------------------------------------------------------------------------------- */

/* All rules by which a path may be relied on. */
static void judge(const rm2_curve *c, rm2_path_report *r) {
    r->converged = c->converged;
    r->blocked = r->reasons != 0;
    if (!r->converged && !r->blocked)
        r->reasons |= RM2_PATH_NOT_CONVERGED;
    if (r->over_spread > r->spread_limit)
        r->reasons |= RM2_PATH_OUTSIDE;
    if (r->omission > r->omission_limit)
        r->reasons |= RM2_PATH_INCOMPLETE;
    r->reliable = r->reasons == 0;
}

static rm2_status measure(rm2_context *ctx, subject *s, double *over_spread, rm2_path_report *r) {
    RM2_TRY(resolve_subject(ctx, s));
    r->nodes = s->nodes;
    r->error = s->curve->error;
    r->residual = s->curve->residual;
    RM2_TRY(find_clearance(ctx, s, r));
    RM2_TRY(find_nearness(ctx, s, over_spread, r));
    RM2_TRY(find_lengths(ctx, s, r));
    judge(s->curve, r);
    return RM2_OK;
}

rm2_status rm2_path_measure(rm2_context *ctx, const rm2_space *space, const rm2_curve *curve,
                            const rm2_report_settings *settings, double *over_spread,
                            rm2_path_report *report) {
    RM2_REQUIRE(ctx, space, curve, report);
    RM2_REQUIRE(ctx, curve->x);
    rm2_report_settings own = rm2_report_settings_default();
    rm2_path_report found = {.size = sizeof found};
    RM2_TRY(rm2_settings_overlay(ctx, settings, &own));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_REPORT), &own));
    subject s = {.space = space, .curve = curve, .settings = &own};
    rm2_status status = measure(ctx, &s, over_spread, &found);
    free(s.points);
    free(s.x);
    return status == RM2_OK ? rm2_settings_give(ctx, &found, report) : status;
}

/* ---- texts ---------------------------------------------------------------------------------- */

const char *rm2_path_reason_name(rm2_path_reason reason) {
    switch (reason) {
    case RM2_PATH_BLOCKED:
        return "blocked";
    case RM2_PATH_TOO_FEW_NODES:
        return "too few nodes";
    case RM2_PATH_NOT_CONVERGED:
        return "not converged";
    case RM2_PATH_OUTSIDE:
        return "outside";
    case RM2_PATH_INCOMPLETE:
        return "incomplete";
    }
    return "unknown reason";
}

rm2_path_reason rm2_path_next_reason(unsigned reasons, rm2_path_reason last) {
    unsigned more = reasons & ~(2 * (unsigned)last - (last != 0));
    return (rm2_path_reason)(more & (~more + 1));
}

static void write_reason(const rm2_path_report *r, rm2_path_reason reason, char *text,
                         size_t size) {
    bool known = isfinite(r->error);
    int used = 0;
    switch (reason) {
    case RM2_PATH_BLOCKED:
        (void)snprintf(
            text, size,
            "no way around the obstacles within the data: best clearance found %.4g, "
            "wanted %.4g. Lower settings.clearance, or add demonstrations that go around",
            r->clearance, r->clearance_wanted);
        break;
    case RM2_PATH_TOO_FEW_NODES:
        (void)snprintf(text, size,
                       "too few nodes: the straight lines between %zu points keep a clearance of "
                       "%.4g, wanted %.4g. Raise settings.nodes",
                       r->nodes, r->clearance, r->clearance_wanted);
        break;
    case RM2_PATH_NOT_CONVERGED:
        (void)snprintf(text, size,
                       "the geodesic did not converge (%s %.1e). Raise settings.max_iterations or "
                       "settings.tolerance",
                       known ? "relative error" : "residual", known ? r->error : r->residual);
        break;
    case RM2_PATH_OUTSIDE:
        used = snprintf(text, size, "node %zu of %zu ", r->farthest + 1, r->nodes);
        if (used >= 0 && (size_t)used < size)
            rm2_vicinity_text(r->over_spread, r->spread_limit, text + used, size - (size_t)used);
        break;
    case RM2_PATH_INCOMPLETE:
        (void)snprintf(
            text, size,
            "the path leaves out a part of the demonstrated motion between its ends: point %zu of "
            "demonstration %s is %.2f spreads away from the path (limit %g). Pass a point there, "
            "check "
            "the demonstrations, or raise settings.omission_limit",
            r->omitted_point + 1, r->omitted_id ? r->omitted_id : "?", r->omission,
            r->omission_limit);
    }
}

void rm2_path_reason_text(const rm2_path_report *report, rm2_path_reason reason, char *text,
                          size_t size) {
    rm2_path_report own = {.size = sizeof own};
    if (!text || size == 0)
        return;
    *text = 0;
    if (report && rm2_settings_overlay(NULL, report, &own) == RM2_OK && (own.reasons & reason))
        write_reason(&own, reason, text, size);
}
