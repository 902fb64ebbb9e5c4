/* Roadmaps as objects, and what is checked before anything is asked of them. */
#include "roadmap/roadmap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rm2i_roadmap_free(rm2i_roadmap *roadmap) {
    if (!roadmap)
        return;
    free(roadmap->x);
    free(roadmap->G);
    free(roadmap->axes);
    rm2i_graph_free(&roadmap->graph);
    rm2i_kd_free(&roadmap->tree);
    free(roadmap);
}

rm2_roadmap_info rm2i_roadmap_describe(const rm2i_roadmap *roadmap) {
    if (!roadmap)
        return (rm2_roadmap_info){.nodes = 0};
    return (rm2_roadmap_info){.nodes = roadmap->nodes,
                              .Q = roadmap->Q,
                              .x = roadmap->x,
                              .G = roadmap->G,
                              .counts = roadmap->grid ? roadmap->count : NULL};
}

rm2_status rm2i_roadmap_check_rule(rm2_context *ctx, rm2i_edge_rule rule) {
    if (rule == RM2I_EDGE_ENDS || rule == RM2I_EDGE_MIDPOINT)
        return RM2_OK;
    return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "unknown edge rule %d", (int)rule);
}

/* "[0, 1] x [-2, 2]" */
static void write_box(const rm2i_roadmap *net, size_t size, char *text) {
    size_t used = 0;
    for (size_t q = 0; q < net->Q && used < size; q++) {
        int length = snprintf(text + used, size - used, "%s[%.6g, %.6g]", q ? " x " : "",
                              net->axis[q][0], net->axis[q][net->count[q] - 1]);
        used += length > 0 ? (size_t)length : 0;
    }
}

rm2_status rm2i_roadmap_check(rm2_context *ctx, const rm2i_roadmap *net, const rm2_metric *metric,
                              size_t n, const double *points) {
    char box[160];
    if (rm2_metric_dim(metric) != net->Q)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "the roadmap has %zu dimensions and the metric %zu",
                         net->Q, rm2_metric_dim(metric));
    for (size_t i = 0; i < n * net->Q; i++) {
        size_t q = i % net->Q;
        if (!isfinite(points[i]))
            return rm2i_fail(ctx, RM2_ERR_DATA, "point %zu, coordinate %zu is not finite: %g",
                             i / net->Q, q, points[i]);
        if (!net->grid ||
            (points[i] >= net->axis[q][0] && points[i] <= net->axis[q][net->count[q] - 1]))
            continue;
        write_box(net, sizeof box, box);
        return rm2i_fail(ctx, RM2_ERR_DATA,
                         "point %zu, coordinate %zu: %g is outside of the grid, which is %s: make "
                         "it from points that include this one, or with more padding",
                         i / net->Q, q, points[i], box);
    }
    return RM2_OK;
}
