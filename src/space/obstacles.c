/* Obstacles of a space: checked, copied, and seen as a clearance of latent points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "model/model.h"
#include "space/space.h"

static rm2_status check_regions(rm2_context *ctx, const rm2_space *space, const rm2_obstacles *o) {
    if (o->count > 0 && !o->regions)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.obstacles: regions is NULL");
    for (size_t k = 0; k < o->count; k++) {
        rm2_status status = rm2_region_check(ctx, &o->regions[k]);
        if (status == RM2_OK && o->regions[k].dim != space->clearance.position.dim)
            status = rm2i_fail(ctx, RM2_ERR_ARGUMENT, "%zu dimensions; the positions have %zu",
                               o->regions[k].dim, space->clearance.position.dim);
        if (status != RM2_OK)
            return rm2i_fail_prefix(ctx, status, "settings.obstacles: region %zu", k + 1);
    }
    return RM2_OK;
}

double rm2i_space_extent(const rm2_model *m, size_t factor) {
    const rm2_factor *f = rm2_manifold_factor(m->manifold, factor);
    size_t ambient = rm2_manifold_ambient(m->manifold);
    double square = 0;
    for (size_t q = 0; q < f->ambient; q++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < m->N; i++) {
            double y = m->data->points[i * ambient + f->ambient_offset + q];
            low = fmin(low, y);
            high = fmax(high, y);
        }
        square += (high - low) * (high - low);
    }
    return square > 0 ? sqrt(square) * m->data->scale[factor] : 1;
}

rm2_status rm2i_space_convert_obstacles(rm2_context *ctx, rm2_space *space) {
    const rm2_obstacles *o = space->settings.obstacles;
    const rm2_model *model = space->core->model;
    if (!o)
        return RM2_OK;
    space->settings.obstacles = NULL;
    if (!model)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT, "settings.obstacles needs a space of a model");
    if (!space->core->roadmap)
        return rm2i_fail(ctx, RM2_ERR_ARGUMENT,
                         "settings.obstacles needs a grid or a graph; settings.roadmap is line");
    rm2_status status = rm2i_position_of(ctx, model, o->factor, &space->clearance.position);
    if (status != RM2_OK)
        return rm2i_fail_prefix(ctx, status, "settings.obstacles");
    RM2_TRY(check_regions(ctx, space, o));
    RM2_TRY(rm2i_alloc(ctx, o->count + 1, sizeof *space->regions, &space->regions));
    if (o->count > 0)
        memcpy(space->regions, o->regions, o->count * sizeof *o->regions);
    space->obstacles = *o;
    space->obstacles.regions = space->regions;
    space->obstacles.factor = space->clearance.position.factor;
    space->settings.obstacles = &space->obstacles;
    space->clearance.count = o->count;
    space->clearance.regions = space->regions;
    space->clearance.deviations = space->settings.deviations;
    space->clearance.wanted = space->settings.clearance;
    space->extent = rm2i_space_extent(model, space->clearance.position.factor);
    return RM2_OK;
}
