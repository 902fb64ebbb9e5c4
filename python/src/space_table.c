/* The table of a space's settings. */
#include "glue.h"

static const char *const metrics[] = {"pullback", "density", "straight", NULL};
static const char *const roadmaps[] = {"auto", "grid", "graph", "line", NULL};
static const char *const stages[] = {"path", "spline", "polish", NULL};

#define SPACE(member, kind)                                                                        \
    .name = #member, .field = #member, .offset = offsetof(rm2_space_settings, member),             \
    .type = RM2_SETTING_##kind

static const rm2_setting rows[] = {
    {SPACE(metric, CHOICE), .words = metrics, .defaults = {"pullback"}, .group = "Metric", .help = "metric"},
    {SPACE(contrast, NUMBER), .upper = 1e300, .zero = "none", .defaults = {"100"}, .group = "Metric", .help = "contrast"},
    {SPACE(weight, NUMBER), .upper = 1e300, .zero = "auto", .defaults = {"auto"}, .group = "Metric", .help = "weight"},
    {SPACE(sigma, NUMBER), .upper = 1e300, .defaults = {"0.25"}, .group = "Metric", .help = "width"},
    {SPACE(support, NUMBER), .upper = 1, .zero = "exact", .defaults = {"1e-7"}, .group = "Metric", .help = "support"},
    {SPACE(roadmap, CHOICE), .words = roadmaps, .defaults = {"auto"}, .group = "Roadmap", .help = "roadmap"},
    {SPACE(grid_points, COUNT), .upper = 1e9, .zero = "auto", .defaults = {"auto"}, .group = "Roadmap", .help = "grid"},
    {SPACE(padding, NUMBER), .upper = 1e300, .defaults = {"0.1"}, .group = "Roadmap", .help = "padding"},
    {SPACE(reach, COUNT), .upper = 10, .zero = "auto", .defaults = {"auto"}, .group = "Roadmap", .help = "reach"},
    {SPACE(neighbours, COUNT), .upper = 1e9, .defaults = {"8"}, .group = "Roadmap", .help = "neighbours"},
    {SPACE(stage, CHOICE), .words = stages, .defaults = {"polish"}, .group = "Geodesics", .help = "stage"},
    {SPACE(nodes, COUNT), .upper = 1e9, .defaults = {"200"}, .group = "Geodesics", .help = "nodes"},
    {SPACE(intervals, COUNT), .upper = 1e9, .defaults = {"16"}, .group = "Geodesics", .help = "intervals"},
    {SPACE(max_iterations, COUNT), .upper = 1e9, .defaults = {"200"}, .group = "Geodesics", .help = "iterations"},
    {SPACE(tolerance, NUMBER), .upper = 1e300, .defaults = {"1e-4"}, .group = "Geodesics", .help = "tolerance"},
};

const rm2_settings_table *rm2_space_settings_table(void) {
    static const rm2_settings_table table = {.name = "space",
                                             .struct_size = sizeof(rm2_space_settings),
                                             .count = sizeof rows / sizeof *rows,
                                             .columns = 1,
                                             .rows = rows};
    return &table;
}
