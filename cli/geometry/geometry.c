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

static bool is_given(const model_work *m, const char *name) {
    return setting_given(&m->options->space_from, name) != NULL;
}

int geometry_check_metric(const model_work *m) {
    rm2_space_metric_kind metric = m->options->space.metric;
    const struct {
        bool found;
        const char *text;
    } conflicts[] = {
        {is_given(m, "contrast") && is_given(m, "weight"),
         "--contrast and --weight exclude each other"},
        {is_given(m, "sigma") && metric != RM2_SPACE_DENSITY, "--sigma needs --metric density"},
        {is_given(m, "support") && metric != RM2_SPACE_PULLBACK,
         "--support needs --metric pullback"},
        {m->options->discourage && metric != RM2_SPACE_PULLBACK,
         "--discourage needs --metric pullback"},
        {is_given(m, "clearance") && m->options->avoid.count == 0, "--clearance needs --avoid"},
        {is_given(m, "deviations") && m->options->avoid.count == 0, "--deviations needs --avoid"},
        {m->options->avoid.count > 0 && m->options->space.roadmap == RM2_SPACE_LINE,
         "--avoid needs ways around: --start grid or graph, not line"},
    };
    for (size_t k = 0; k < sizeof conflicts / sizeof *conflicts; k++)
        if (conflicts[k].found)
            return work_complain(&m->work, EXIT_USAGE, "%s", conflicts[k].text);
    return EXIT_DONE;
}

/* As the library chooses. */
static rm2_space_roadmap_kind choose_start(const model_work *m) {
    const rm2_space_settings *s = &m->options->space;
    if (s->roadmap != RM2_SPACE_AUTO)
        return s->roadmap;
    if (s->metric == RM2_SPACE_STRAIGHT && m->options->avoid.count == 0)
        return RM2_SPACE_LINE;
    return m->info->latent_dim <= 3 ? RM2_SPACE_GRID : RM2_SPACE_GRAPH;
}

static int check_roadmap(const model_work *m) {
    rm2_space_roadmap_kind start = choose_start(m);
    const char *word = rm2_settings_find(rm2_space_settings_table(), "roadmap")->words[start];
    if ((is_given(m, "grid_points") || is_given(m, "padding") || is_given(m, "reach")) &&
        start != RM2_SPACE_GRID)
        return work_complain(&m->work, EXIT_USAGE,
                             "--grid, --padding and --reach need --start grid; here it is %s",
                             word);
    if (is_given(m, "neighbours") && start != RM2_SPACE_GRAPH)
        return work_complain(&m->work, EXIT_USAGE,
                             "--neighbours needs --start graph; here it is %s", word);
    return EXIT_DONE;
}

/* ---- spaces --------------------------------------------------------------------------------- */

static int create(const model_work *m, const rm2_space_settings *s, size_t n, const double *points,
                  rm2_space **space) {
    rm2_space_settings with = *s;
    rm2_discouraged discouraged;
    rm2_obstacles obstacles = {.factor = RM2_ALL_FACTORS};
    rm2_region *regions = NULL;
    double *memory = NULL;
    int code = EXIT_DONE;
    if (m->options->discourage) {
        code = geometry_take_discouraged(m, m->options->discourage, &discouraged, &memory);
        with.discouraged = &discouraged;
    }
    if (code == EXIT_DONE && m->options->avoid.count > 0) {
        code = take_regions(&m->work, m->info->manifold, &m->options->avoid, &obstacles.count,
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
    int code = geometry_check_metric(m);
    if (code == EXIT_DONE)
        code = check_roadmap(m);
    return code == EXIT_DONE ? create(m, s, n, points, space) : code;
}

int geometry_open_metric(const model_work *m, bool grid, rm2_space **space) {
    rm2_space_settings s = m->options->space;
    int code = geometry_check_metric(m);
    s.support = 0;
    s.roadmap = grid ? RM2_SPACE_GRID : RM2_SPACE_LINE;
    return code == EXIT_DONE ? create(m, &s, 0, NULL, space) : code;
}

bool geometry_is_other(const rm2_space *space) {
    return rm2_space_settings_of(space)->metric != RM2_SPACE_PULLBACK;
}
