/* Options to the settings of a space. */
#include "geometry/geometry.h"

#include <stdlib.h>

#include "core/progress.h"

/* ---- options -------------------------------------------------------------------------------- */

#define GEOMETRY(member) offsetof(geometry_options, member)

/* In the order of rm2_space_metric_kind and rm2_space_roadmap_kind. */
static const char *const metric_names[] = {"pullback", "density", "straight", NULL};
static const char *const start_names[] = {"auto", "grid", "graph", "line", NULL};
static const char *const stage_names[] = {"polish", "spline", "path", NULL}; /* from the last */

static const option metric_table[] = {
    {"--metric", NULL, OPTION_CHOICE, GEOMETRY(metric), metric_names,
     "of the data (default), of the latents' density, or straight lines"},
    {"--contrast", "X", OPTION_TEXT, GEOMETRY(contrast), NULL,
     "metric far from the data over metric on them (default: 100); none: the expectation"},
    {"--weight", "W", OPTION_NUMBER, GEOMETRY(weight), NULL,
     "weight of the metric's covariance term, instead of a contrast"},
    {"--sigma", "S", OPTION_NUMBER, GEOMETRY(sigma), NULL,
     "width of the density metric's kernel (default: 0.25)"},
    {"--avoid", "X,Y,R,H;...", OPTION_TEXT, GEOMETRY(avoid), NULL,
     "centre, radius and height of obstacles in the first Euclidean factor, or a CSV file of them"},
    {.name = NULL},
};

static const option path_table[] = {
    {"--start", NULL, OPTION_CHOICE, GEOMETRY(start), start_names,
     "where the first path comes from (default: grid up to 3 dimensions, else graph)"},
    {"--stage", NULL, OPTION_CHOICE, GEOMETRY(stage), stage_names,
     "last stage: the geodesic equation (default), least energy, the roadmap's path"},
    {"--grid", "N", OPTION_SIZE, GEOMETRY(grid), NULL,
     "grid nodes along a dimension (default: 50, or 24 in three dimensions)"},
    {"--padding", "P", OPTION_NUMBER, GEOMETRY(padding), NULL,
     "margin of the grid, in parts of its larger side (default: 0.1)"},
    {"--reach", "N", OPTION_SIZE, GEOMETRY(reach), NULL,
     "edges of the grid go so many cells far (default: 3, or 2 in three dimensions)"},
    {"--neighbours", "N", OPTION_SIZE, GEOMETRY(neighbours), NULL,
     "of a latent point in the graph (default: 8)"},
    {"--nodes", "N", OPTION_SIZE, GEOMETRY(nodes), NULL, "points of a path (default: 200)"},
    {"--intervals", "N", OPTION_SIZE, GEOMETRY(intervals), NULL,
     "of the first spline (default: 16)"},
    {"--tolerance", "X", OPTION_NUMBER, GEOMETRY(tolerance), NULL,
     "relative error of the velocity; that of the length is its square (default: 1e-4)"},
    {.name = NULL},
};

const option_group metric_groups[] = {{"Metric", metric_table, NULL, NULL}, {.options = NULL}};
const option_group path_groups[] = {
    {"Metric", metric_table, NULL, NULL}, {"Path", path_table, NULL, NULL}, {.options = NULL}};

/* ---- settings ------------------------------------------------------------------------------- */

static int check_metric_options(const model_work *m) {
    const geometry_options *o = &m->options->geometry;
    if (o->contrast && o->weight > 0)
        return work_complain(&m->work, EXIT_USAGE, "--contrast and --weight exclude each other");
    if (o->sigma > 0 && o->metric != RM2_SPACE_DENSITY)
        return work_complain(&m->work, EXIT_USAGE, "--sigma needs --metric density");
    if (o->avoid && o->metric != RM2_SPACE_PULLBACK)
        return work_complain(&m->work, EXIT_USAGE, "--avoid needs --metric pullback");
    return EXIT_DONE;
}

static int choose_start(const model_work *m) {
    const geometry_options *o = &m->options->geometry;
    if (o->start != RM2_SPACE_AUTO)
        return o->start;
    if (o->metric == RM2_SPACE_STRAIGHT)
        return RM2_SPACE_LINE;
    return m->info->latent_dim <= 3 ? RM2_SPACE_GRID : RM2_SPACE_GRAPH;
}

static int check_path_options(const model_work *m) {
    const geometry_options *o = &m->options->geometry;
    int start = choose_start(m);
    if ((o->grid || o->padding > 0 || o->reach) && start != RM2_SPACE_GRID)
        return work_complain(&m->work, EXIT_USAGE,
                             "--grid, --padding and --reach need --start grid; here it is %s",
                             start_names[start]);
    if (o->neighbours && start != RM2_SPACE_GRAPH)
        return work_complain(&m->work, EXIT_USAGE,
                             "--neighbours needs --start graph; here it is %s", start_names[start]);
    return EXIT_DONE;
}

/* What is not given stays as it is. */
static void set_number(double given, double *value) {
    *value = given > 0 ? given : *value;
}

static void set_count(size_t given, size_t *value) {
    *value = given ? given : *value;
}

int geometry_settings(const model_work *m, rm2_space_settings *s) {
    const geometry_options *o = &m->options->geometry;
    *s = rm2_space_settings_default();
    s->metric = (rm2_space_metric_kind)o->metric;
    s->weight = o->weight;
    set_number(o->sigma, &s->sigma);
    s->roadmap = (rm2_space_roadmap_kind)o->start;
    s->grid_points = o->grid;
    s->reach = o->reach;
    set_number(o->padding, &s->padding);
    set_count(o->neighbours, &s->neighbours);
    s->stage = (rm2_geodesic_stage)((int)RM2_STAGE_POLISH - o->stage);
    set_count(o->nodes, &s->nodes);
    set_count(o->intervals, &s->intervals);
    set_number(o->tolerance, &s->tolerance);
    int code = check_metric_options(m);
    return code == EXIT_DONE ? work_take_contrast(&m->work, o->contrast, &s->contrast) : code;
}

/* ---- spaces --------------------------------------------------------------------------------- */

static int create(const model_work *m, const rm2_space_settings *s, size_t n, const double *points,
                  rm2_space **space) {
    rm2_space_settings with = *s;
    rm2_obstacles obstacles;
    double *memory = NULL;
    int code = EXIT_DONE;
    if (m->options->geometry.avoid) {
        code = geometry_take_obstacles(m, m->options->geometry.avoid, &obstacles, &memory);
        with.obstacles = &obstacles;
    }
    if (code == EXIT_DONE) {
        progress p;
        progress_begin(&m->work, &p);
        rm2_status status = rm2_space_create(m->work.ctx, m->model, &with, n, points, space);
        code = progress_end(&p, status);
    }
    free(memory);
    return code;
}

int geometry_open(const model_work *m, const rm2_space_settings *s, size_t n, const double *points,
                  rm2_space **space) {
    int code = check_path_options(m);
    return code == EXIT_DONE ? create(m, s, n, points, space) : code;
}

int geometry_open_metric(const model_work *m, bool grid, rm2_space **space) {
    rm2_space_settings s;
    int code = geometry_settings(m, &s);
    s.support = 0;
    s.roadmap = grid ? RM2_SPACE_GRID : RM2_SPACE_LINE;
    return code == EXIT_DONE ? create(m, &s, 0, NULL, space) : code;
}

bool geometry_is_other(const rm2_space *space) {
    return rm2_space_settings_of(space)->metric != RM2_SPACE_PULLBACK;
}
