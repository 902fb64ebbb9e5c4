/* Options to the settings of a space. */
#include "geometry/geometry.h"

#include <stdlib.h>

#include "core/progress.h"
#include "core/regions.h"

/* ---- options -------------------------------------------------------------------------------- */

static const option cost_table[] = {
    {"--discourage", "X,Y,R,H;...", OPTION_TEXT, MODEL(discourage), NULL,
     "a cost, not a wall: centre, radius and height of places in the first Euclidean factor, or a "
     "CSV file"},
    {.name = NULL},
};

static const option obstacle_table[] = {
    {"--avoid", "SHAPE,X,Y,...", OPTION_TEXTS, MODEL(avoid), NULL,
     "keep-out region in the first Euclidean factor: sphere,CENTRE,R; box,CORNER,CORNER; "
     "capsule,END,END,R; "
     "halfspace,POINT,NORMAL; or a file of them; more than once"},
    {.name = NULL},
};

const option_group cost_groups[] = {{"Costs", cost_table, NULL, NULL}, {.options = NULL}};
const option_group obstacle_groups[] = {{"Costs", cost_table, NULL, NULL},
                                        {"Keep-out regions", obstacle_table, NULL, NULL},
                                        {.options = NULL}};
const char *const metric_settings[] = {"metric",      "contrast", "weight", "sigma",
                                       "grid_points", "padding",  NULL};

/* ---- spaces --------------------------------------------------------------------------------- */

/* `avoid`: with the keep-out regions. */
static int create(const model_work *m, const rm2_space_settings *s, bool avoid, size_t n,
                  const double *points, rm2_space **space) {
    rm2_space_settings with = *s;
    rm2_discouraged discouraged;
    rm2_obstacles obstacles = {.factor = RM2_ALL_FACTORS};
    rm2_region *regions = NULL;
    double *memory = NULL;
    int code = EXIT_DONE;
    if (m->options->discourage) {
        code = geometry_parse_discouraged(m, m->options->discourage, &discouraged, &memory);
        with.discouraged = &discouraged;
    }
    if (code == EXIT_DONE && avoid && m->options->avoid.count > 0) {
        code = parse_regions(&m->work, m->info->manifold, &m->options->avoid, &obstacles.count,
                             &regions);
        obstacles.regions = regions;
        with.obstacles = &obstacles;
    }
    if (code == EXIT_DONE) {
        progress p;
        progress_begin(&m->work, &p);
        rm2_status status = rm2_space_create(m->work.ctx, m->model, &with, n, points, space);
        code = progress_end(&p, status);
    }
    free(regions);
    free(memory);
    return code;
}

int geometry_open(const model_work *m, const rm2_space_settings *s, size_t n, const double *points,
                  rm2_space **space) {
    return create(m, s, true, n, points, space);
}

int geometry_open_metric(const model_work *m, bool grid, rm2_space **space) {
    rm2_space_settings s = m->options->space;
    s.support = s.clearance = s.deviations = 0;
    s.roadmap = grid ? RM2_SPACE_GRID : RM2_SPACE_LINE;
    return create(m, &s, false, 0, NULL, space);
}

bool geometry_is_other(const rm2_space *space) {
    return rm2_space_settings_of(space)->metric != RM2_SPACE_PULLBACK;
}
