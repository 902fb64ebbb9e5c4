/* Roadmaps of a space. A grid is given by the box of the points that it covers, so that one which covers
 * further points is the grid that all points together would have had. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "metric/metric.h"
#include "space/space.h"

/* ---- boxes ---------------------------------------------------------------------------------- */

static void add_points(size_t Q, size_t n, const double *x, rm2i_point_box *box) {
    for (size_t i = 0; i < n * Q; i++) {
        box->low[i % Q] = fmin(box->low[i % Q], x[i]);
        box->high[i % Q] = fmax(box->high[i % Q], x[i]);
    }
}

static rm2i_point_box box_of(size_t Q, const rm2i_space_points *p) {
    rm2i_point_box box;
    for (size_t q = 0; q < RM2I_GRID_Q; q++) {
        box.low[q] = INFINITY;
        box.high[q] = -INFINITY;
    }
    for (int k = 0; k < 2; k++)
        add_points(Q, p->count[k], p->x[k], &box);
    return box;
}

static bool is_inside(const rm2i_roadmap *grid, const rm2i_point_box *box) {
    for (size_t q = 0; q < grid->Q; q++)
        if (box->low[q] < grid->axis[q][0] || box->high[q] > grid->axis[q][grid->count[q] - 1])
            return false;
    return true;
}

/* ---- roadmaps ------------------------------------------------------------------------------- */

static rm2_status build_grid(rm2_context *ctx, const rm2_space_settings *s,
                             const rm2_metric *metric, const rm2i_point_box *box,
                             rm2i_roadmap **grid) {
    rm2i_grid_settings g = rm2i_grid_settings_default();
    size_t Q = rm2_metric_dim(metric);
    double corners[2 * RM2I_GRID_Q] = {0};
    g.points = s->grid_points;
    g.padding = s->padding;
    g.reach = s->reach;
    for (size_t q = 0; q < Q && q < RM2I_GRID_Q; q++) {
        corners[q] = box->low[q];
        corners[Q + q] = box->high[q];
    }
    return rm2i_roadmap_grid(ctx, metric, &g, 2, corners, grid);
}

/* Nodes are the latents of a model, or the points of a space without one. */
static rm2_status build_graph(rm2_context *ctx, const rm2_space_settings *s,
                              const rm2i_space_points *p, rm2i_space_core *core) {
    size_t which = core->model ? 0 : 1;
    return rm2i_roadmap_graph(ctx, core->search, p->count[which], p->x[which], s->neighbours,
                              RM2I_EDGE_ENDS, &core->roadmap);
}

rm2_status rm2i_space_build_roadmap(rm2_context *ctx, const rm2_space_settings *s,
                                    const rm2i_space_points *p, rm2i_space_core *core) {
    if (s->roadmap == RM2_SPACE_LINE)
        return RM2_OK;
    if (s->roadmap == RM2_SPACE_GRAPH)
        return build_graph(ctx, s, p, core);
    if (core->Q > RM2I_GRID_Q)
        return rm2i_fail(
            ctx, RM2_ERR_ARGUMENT,
            "a grid needs at most %d dimensions, the latent space has %zu: use a graph",
            (int)RM2I_GRID_Q, core->Q);
    core->covered = box_of(core->Q, p);
    return build_grid(ctx, s, core->search, &core->covered, &core->roadmap);
}

rm2_status rm2i_space_cover(rm2_context *ctx, const rm2_space *space, const rm2i_space_points *p,
                            rm2i_cover *cover) {
    const rm2i_space_core *core = space->core;
    *cover = (rm2i_cover){core->roadmap, NULL};
    for (int k = 0; k < 2; k++)
        RM2_TRY(rm2i_metric_check_points(ctx, core->Q, p->count[k], p->x[k]));
    if (!core->roadmap || !core->roadmap->grid)
        return RM2_OK;
    rm2i_point_box box = box_of(core->Q, p);
    if (is_inside(core->roadmap, &box))
        return RM2_OK;
    add_points(core->Q, 1, core->covered.low, &box);
    add_points(core->Q, 1, core->covered.high, &box);
    RM2_TRY(build_grid(ctx, &space->settings, core->search, &box, &cover->temporary));
    cover->roadmap = cover->temporary;
    return RM2_OK;
}
