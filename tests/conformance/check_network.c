/* Check "grid8": lengths of shortest paths between nodes of a grid with 8 directions. */
#include "check.h"
#include "roadmap/roadmap.h"

#include <stdlib.h>

#include "riemann2/geodesic.h"

/* Lengths between `pairs` (two nodes each) with one rule of edges. */
static void output_lengths(conf_case *c, const rm2_metric *metric, const char *name,
                           rm2i_edge_rule rule) {
    size_t counts[2], numbers;
    const double *axes[2];
    axes[0] = case_input_any(c, "grid_x", &counts[0]);
    axes[1] = case_input_any(c, "grid_y", &counts[1]);
    const double *pairs = case_input_any(c, "pairs", &numbers);
    if (!axes[0] || !axes[1] || !pairs)
        return;
    double *lengths = case_output(c, name, numbers / 2);
    rm2i_roadmap *roadmap = NULL;
    if (!lengths ||
        !case_ok(c, rm2i_roadmap_grid_axes(c->ctx, metric, 1, rule, counts, axes, &roadmap)))
        return;
    rm2_roadmap_info info = rm2i_roadmap_describe(roadmap);
    for (size_t i = 0; i + 1 < numbers; i += 2) {
        size_t from = (size_t)pairs[i], to = (size_t)pairs[i + 1];
        rm2i_path path = {.count = 0};
        if (from >= info.nodes || to >= info.nodes)
            case_fail(c, "pair %zu is not of two nodes", i / 2);
        else
            case_ok(c, rm2i_roadmap_path(c->ctx, roadmap, metric, info.x + from * info.Q,
                                         info.x + to * info.Q, &path));
        lengths[i / 2] = path.length;
        rm2_free(path.x);
    }
    rm2i_roadmap_free(roadmap);
}

void check_grid8(conf_case *c) {
    rm2_metric *metric = NULL;
    const char *name = json_member_string(json_member(c->json, "in"), "metric", "");
    if (!case_ok(c, rm2_metric_analytic(c->ctx, name, 2, &metric)))
        return;
    output_lengths(c, metric, "length_midpoint", RM2I_EDGE_MIDPOINT);
    output_lengths(c, metric, "length_mean_of_ends", RM2I_EDGE_ENDS);
    rm2_metric_free(metric);
}
