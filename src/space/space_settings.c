/* Settings of a space: their table; the caller's over the defaults, checked, with automatic choices made. */
#include "settings/settings.h"

#include "base/base.h"
#include "geodesic/geodesic_rows.h"
#include "geodesic/leg.h"
#include "roadmap/grid_rows.h"
#include "space/space.h"

/* ---- the table ------------------------------------------------------------------------------ */

#define SPACE(member, kind)                                                                        \
    RM2I_MEMBER(rm2_space_settings, member), .name = #member, .type = RM2_SETTING_##kind

/* One row per setting. */
/* clang-format off */
static const rm2_setting rows[] = {
    {SPACE(metric, CHOICE), RM2I_WORDS("pullback", "density", "straight"), .defaults = {"pullback"}, .group = "Metric",
     .help = "pullback metric, density metric of the latents, or straight lines"},
    {SPACE(contrast, NUMBER), RM2I_ABOVE(0), .zero = "none", .defaults = {"100"},
     .group = "Metric",
     .help = "ratio of the metric far from the data to that on the data; none: expected metric"},
    {SPACE(weight, NUMBER), RM2I_ABOVE(0), .zero = "auto", .defaults = {"auto"},
     .group = "Metric",
     .help = "weight of the covariance term of the pullback metric; auto: from the contrast"},
    {SPACE(sigma, NUMBER), RM2I_ABOVE(0), .defaults = {"0.25"}, .group = "Metric",
     .help = "width of the kernel of the density metric"},
    {SPACE(support, NUMBER), .lower_open = true, .upper = 1, .upper_open = true, .zero = "exact",
     .defaults = {"1e-7"}, .group = "Metric",
     .help = "largest part of the kernel's trace that the support points of the search metric may leave out"},

    {SPACE(roadmap, CHOICE), .option = "start", RM2I_WORDS("auto", "grid", "graph", "line"), .defaults = {"auto"},
     .group = "Roadmap",
     .help = "roadmap of the first path; auto: grid up to 3 dimensions, otherwise graph"},
    RM2I_GRID_ROWS(rm2_space_settings, grid_points, "grid_points", "Roadmap"),
    {SPACE(neighbours, COUNT), RM2I_COUNT_FROM(1), .defaults = {"8"}, .group = "Roadmap",
     .help = "neighbours of each latent point in the graph"},

    RM2I_GEODESIC_ROWS(rm2_space_settings, stage),

    {SPACE(clearance, NUMBER), RM2I_FROM(0), .defaults = {"0"}, .group = "Obstacles",
     .help = "distance that paths keep from obstacles, in the units of the data"},
    {SPACE(deviations, NUMBER), RM2I_FROM(0), .defaults = {"0"}, .group = "Obstacles",
     .help = "number of standard deviations of the position to add to the clearance"},
};
/* clang-format on */

RM2I_TABLE(rm2i_space_table, "space", rm2_space_settings, rows)

/* ---- geodesics ------------------------------------------------------------------------------ */

rm2i_geodesic_settings rm2i_space_geodesics(const rm2_space_settings *s) {
    rm2i_geodesic_settings g = rm2i_geodesic_settings_default();
    g.last = s->stage;
    g.nodes = s->nodes;
    g.intervals = s->intervals;
    g.max_iterations = s->max_iterations;
    g.tolerance = s->tolerance;
    return g;
}

/* ---- the caller's --------------------------------------------------------------------------- */

/* Settings that exclude each other, or would have no effect. A member that equals its default counts as not given. */
static rm2_status check_needs(rm2_context *ctx, const rm2_space_settings *s) {
    const rm2_space_settings d = rm2_space_settings_default();
    bool pullback = s->metric == RM2_SPACE_PULLBACK;
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {s->weight > 0 && s->contrast != d.contrast,
         "settings.contrast and settings.weight exclude each other"},
        {s->sigma != d.sigma && s->metric != RM2_SPACE_DENSITY,
         "settings.sigma needs settings.metric density"},
        {s->support != d.support && s->support > 0 && !pullback,
         "settings.support needs settings.metric pullback"},
        {s->cost.at && !pullback, "settings.cost needs settings.metric pullback"},
        {s->discouraged && !pullback, "settings.discouraged needs settings.metric pullback"},
        {s->cost.at && s->discouraged, "settings.cost and settings.discouraged exclude each other"},
        {s->clearance != 0 && !s->obstacles, "settings.clearance needs settings.obstacles"},
        {s->deviations != 0 && !s->obstacles, "settings.deviations needs settings.obstacles"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%s", conflicts[k].text);
    return RM2_OK;
}

/* The same for settings of another roadmap than the one that was chosen; `s` is still the caller's. */
static rm2_status check_roadmap(rm2_context *ctx, const rm2_space_settings *s,
                                rm2_space_roadmap_kind chosen) {
    const rm2_space_settings d = rm2_space_settings_default();
    const struct {
        bool changed;
        const char *name;
        rm2_space_roadmap_kind needs;
    } rules[] = {
        {s->grid_points != d.grid_points, "grid_points", RM2_SPACE_GRID},
        {s->padding != d.padding, "padding", RM2_SPACE_GRID},
        {s->reach != d.reach, "reach", RM2_SPACE_GRID},
        {s->neighbours != d.neighbours, "neighbours", RM2_SPACE_GRAPH},
    };
    const char *const *words =
        rm2_settings_find(rm2_settings_table_of(RM2_SETTINGS_SPACE), "roadmap")->words;
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
        if (rules[k].changed && rules[k].needs != chosen)
            return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                             "settings.%s needs settings.roadmap %s; here it is %s", rules[k].name,
                             words[rules[k].needs], words[chosen]);
    return RM2_OK;
}

static rm2_space_roadmap_kind choose_roadmap(const rm2_space_settings *s, size_t Q, size_t n) {
    bool line = s->metric == RM2_SPACE_STRAIGHT && !s->obstacles; /* obstacles need ways around */
    if (s->roadmap != RM2_SPACE_AUTO)
        return s->roadmap;
    if (line || n == 0)
        return RM2_SPACE_LINE;
    return Q <= RM2I_GRID_Q ? RM2_SPACE_GRID : RM2_SPACE_GRAPH;
}

rm2_status rm2i_space_settings_overlay(rm2_context *ctx, const rm2_space_settings *given, size_t Q,
                                       size_t n, rm2_space_settings *s) {
    *s = rm2_space_settings_default();
    RM2_TRY(rm2i_settings_overlay(ctx, given, s));
    RM2_TRY(rm2_settings_check(ctx, rm2_settings_table_of(RM2_SETTINGS_SPACE), s));
    RM2_TRY(check_needs(ctx, s));
    rm2_space_roadmap_kind chosen = choose_roadmap(s, Q, n);
    RM2_TRY(check_roadmap(ctx, s, chosen));
    s->roadmap = chosen;
    if (chosen == RM2_SPACE_GRID && s->grid_points == 0)
        s->grid_points = rm2i_grid_points(Q);
    if (chosen == RM2_SPACE_GRID && s->reach == 0)
        s->reach = rm2i_grid_reach(Q);
    return RM2_OK;
}
