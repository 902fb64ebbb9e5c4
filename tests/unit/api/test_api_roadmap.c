/* roadmap.h: arguments that are missing are named. */
#include "api.h"

static const double points[] = {0, 0, 1, 0, 1, 1};

static rm2_metric *flat(rm2_context *ctx) {
    rm2_metric *metric;
    MUST(rm2_metric_analytic(ctx, "euclidean", 2, &metric));
    return metric;
}

static void grids(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric = flat(ctx);
    rm2_grid_settings s = rm2_grid_settings_default();
    const size_t counts[] = {2, 2};
    const double axis[] = {0, 1}, *axes[] = {axis, axis}, *half[] = {axis, NULL};
    rm2_roadmap *roadmap;
    NO_CONTEXT(rm2_roadmap_grid(NULL, metric, &s, 3, points, &roadmap));
    MISSING("metric", rm2_roadmap_grid(ctx, NULL, &s, 3, points, &roadmap));
    MISSING("points", rm2_roadmap_grid(ctx, metric, &s, 3, NULL, &roadmap));
    MISSING("roadmap", rm2_roadmap_grid(ctx, metric, &s, 3, points, NULL));
    s.rule = (rm2_edge_rule)77;
    REFUSED("77", rm2_roadmap_grid(ctx, metric, &s, 3, points, &roadmap));
    NO_CONTEXT(rm2_roadmap_grid_axes(NULL, metric, 0, RM2_EDGE_ENDS, counts, axes, &roadmap));
    MISSING("metric", rm2_roadmap_grid_axes(ctx, NULL, 0, RM2_EDGE_ENDS, counts, axes, &roadmap));
    MISSING("counts", rm2_roadmap_grid_axes(ctx, metric, 0, RM2_EDGE_ENDS, NULL, axes, &roadmap));
    MISSING("axes", rm2_roadmap_grid_axes(ctx, metric, 0, RM2_EDGE_ENDS, counts, NULL, &roadmap));
    MISSING("axes[q]",
            rm2_roadmap_grid_axes(ctx, metric, 0, RM2_EDGE_ENDS, counts, half, &roadmap));
    MISSING("roadmap", rm2_roadmap_grid_axes(ctx, metric, 0, RM2_EDGE_ENDS, counts, axes, NULL));
    REFUSED("77", rm2_roadmap_grid_axes(ctx, metric, 0, (rm2_edge_rule)77, counts, axes, &roadmap));
    assert_null(roadmap);
    rm2_metric_free(metric);
}

static void graphs(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric = flat(ctx);
    rm2_roadmap *roadmap;
    NO_CONTEXT(rm2_roadmap_graph(NULL, metric, 3, points, 2, RM2_EDGE_ENDS, &roadmap));
    MISSING("metric", rm2_roadmap_graph(ctx, NULL, 3, points, 2, RM2_EDGE_ENDS, &roadmap));
    MISSING("points", rm2_roadmap_graph(ctx, metric, 3, NULL, 2, RM2_EDGE_ENDS, &roadmap));
    MISSING("roadmap", rm2_roadmap_graph(ctx, metric, 3, points, 2, RM2_EDGE_ENDS, NULL));
    REFUSED("77", rm2_roadmap_graph(ctx, metric, 3, points, 2, (rm2_edge_rule)77, &roadmap));
    assert_null(roadmap);
    rm2_roadmap_free(NULL);
    assert_int_equal(rm2_roadmap_describe(NULL).nodes, 0);
    rm2_metric_free(metric);
}

static void paths(void **state) {
    rm2_context *ctx = *state;
    const double *from = points, *to = points + 4;
    rm2_path path = {.count = 1};
    double d[9];
    rm2_metric *metric = flat(ctx);
    rm2_roadmap *r;
    MUST(rm2_roadmap_graph(ctx, metric, 3, points, 2, RM2_EDGE_ENDS, &r));
    NO_CONTEXT(rm2_roadmap_path(NULL, r, metric, from, to, &path));
    MISSING("roadmap", rm2_roadmap_path(ctx, NULL, metric, from, to, &path));
    MISSING("metric", rm2_roadmap_path(ctx, r, NULL, from, to, &path));
    MISSING("from", rm2_roadmap_path(ctx, r, metric, NULL, to, &path));
    MISSING("to", rm2_roadmap_path(ctx, r, metric, from, NULL, &path));
    MISSING("path", rm2_roadmap_path(ctx, r, metric, from, to, NULL));
    assert_null(path.x);
    NO_CONTEXT(rm2_roadmap_distances(NULL, r, metric, 3, points, d));
    MISSING("roadmap", rm2_roadmap_distances(ctx, NULL, metric, 3, points, d));
    MISSING("metric", rm2_roadmap_distances(ctx, r, NULL, 3, points, d));
    MISSING("points", rm2_roadmap_distances(ctx, r, metric, 3, NULL, d));
    MISSING("distance", rm2_roadmap_distances(ctx, r, metric, 3, points, NULL));
    rm2_roadmap_free(r);
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(grids),
        WITH_CONTEXT(graphs),
        WITH_CONTEXT(paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
