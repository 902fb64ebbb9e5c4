/* Keep-out regions in figures: the regions themselves among decoded points, and hatched where latent points decode
 * into them. */
#include <math.h>
#include <stdlib.h>

#include "core/regions.h"
#include "plot/plot.h"

static const rm2_style region_style = {.label = "obstacle", .colour = RM2_COLOUR_OBSTACLE};

int plot_read_regions(plot_job *j) {
    if (j->m->options->avoid.count == 0)
        return EXIT_DONE;
    return parse_regions(&j->m->work, j->m->info->manifold, &j->m->options->avoid, &j->region_count,
                         &j->regions);
}

rm2_status plot_regions(const plot_job *j, const rm2_factor *factor, rm2_panel *panel) {
    bool drawn = factor == positions_factor(j->m->info->manifold) && factor->dim >= 2;
    for (size_t k = 0; k < j->region_count && drawn; k++)
        WORK_TRY(rm2_plot_region(j->m->work.ctx, panel, &j->regions[k], &region_style));
    return RM2_OK;
}

/* Distance of a position from the nearest region, less the clearance that is asked for. */
static double room(const plot_job *j, const double *position) {
    double least = INFINITY;
    for (size_t k = 0; k < j->region_count; k++)
        least = fmin(least, rm2_region_distance(&j->regions[k], position, NULL));
    return least - j->m->options->space.clearance;
}

/* Of every node of the grid, in rows of y: the roadmap has the last coordinate fastest. */
static rm2_status grid_room(const plot_job *j, const rm2_roadmap_info *g, double *values) {
    const rm2_manifold *manifold = j->m->info->manifold;
    size_t ambient = rm2_manifold_ambient(manifold), nx = g->counts[0], ny = g->counts[1];
    size_t offset = positions_factor(manifold)->ambient_offset;
    double *points = malloc(g->nodes * ambient * sizeof *points);
    if (!points)
        return RM2_ERR_MEMORY;
    rm2_status status =
        rm2_model_decode(j->m->work.ctx, j->m->model, g->nodes, g->x, points, NULL, NULL, NULL);
    for (size_t i = 0; i < nx && status == RM2_OK; i++)
        for (size_t k = 0; k < ny; k++)
            values[k * nx + i] = room(j, points + (i * ny + k) * ambient + offset);
    free(points);
    return status;
}

rm2_status plot_blocked(const plot_job *j, const rm2_space *space, rm2_panel *panel) {
    static const rm2_style style = {
        .label = "blocked by an obstacle", .colour = RM2_COLOUR_OBSTACLE, .halo = true};
    rm2_roadmap_info g = *rm2_space_roadmap(space);
    if (j->region_count == 0)
        return RM2_OK;
    double *values = malloc(g.nodes * sizeof *values);
    if (!values)
        return RM2_ERR_MEMORY;
    rm2_heat_map field = figure_grid(&g, values);
    rm2_status status = grid_room(j, &g, values);
    if (status == RM2_OK)
        status = rm2_plot_hatched(j->m->work.ctx, panel, &field, &style);
    free(values);
    return status;
}
