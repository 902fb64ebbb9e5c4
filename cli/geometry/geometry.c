/* Options to metrics and roadmaps. */
#include "geometry/geometry.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- options -------------------------------------------------------------------------------- */

#define GEOMETRY(member) offsetof(geometry_options, member)

enum { METRIC_PULLBACK, METRIC_DENSITY, METRIC_STRAIGHT };
static const char *const metric_names[] = {"pullback", "density", "straight", NULL};
enum { START_AUTO, START_GRID, START_GRAPH, START_LINE };
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

const option_group metric_groups[] = {{"Metric", metric_table, NULL}, {.options = NULL}};
const option_group path_groups[] = {
    {"Metric", metric_table, NULL}, {"Path", path_table, NULL}, {.options = NULL}};

/* ---- metric --------------------------------------------------------------------------------- */

static int check_metric_options(const model_work *m) {
    const geometry_options *o = &m->options->geometry;
    if (o->contrast && o->weight > 0)
        return work_complain(&m->work, EXIT_USAGE, "--contrast and --weight exclude each other");
    if (o->sigma > 0 && o->metric != METRIC_DENSITY)
        return work_complain(&m->work, EXIT_USAGE, "--sigma needs --metric density");
    if (o->avoid && o->metric != METRIC_PULLBACK)
        return work_complain(&m->work, EXIT_USAGE, "--avoid needs --metric pullback");
    return EXIT_DONE;
}

static int pullback_settings(const model_work *m, geometry *g, rm2_pullback_settings *s) {
    const geometry_options *o = &m->options->geometry;
    *s = rm2_pullback_settings_default();
    s->weight = o->weight;
    int code = check_metric_options(m);
    if (code == EXIT_DONE)
        code = work_take_contrast(&m->work, o->contrast, &s->contrast);
    if (code != EXIT_DONE || !o->avoid)
        return code;
    s->cost = (rm2_cost){rm2_obstacles_cost, &g->obstacles, RM2_ALL_FACTORS};
    return geometry_take_obstacles(m, o->avoid, g);
}

/* `search`: a pullback metric is reduced to some support points. */
static int open_metrics(const model_work *m, bool search, geometry *g) {
    const geometry_options *o = &m->options->geometry;
    rm2_context *ctx = m->work.ctx;
    size_t Q = m->info->latent_dim;
    rm2_pullback_settings s;
    *g = (geometry){.metric = NULL};
    int code = pullback_settings(m, g, &s);
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_metric_pullback(ctx, m->model, &s, &g->pullback));
    if (code != EXIT_DONE)
        return code;
    g->other = o->metric != METRIC_PULLBACK;
    if (o->metric == METRIC_DENSITY)
        return work_check(&m->work, rm2_metric_density(ctx, m->info->points, Q, m->info->latents,
                                                       o->sigma > 0 ? o->sigma : 0.25, &g->metric));
    if (o->metric == METRIC_STRAIGHT)
        return work_check(&m->work, rm2_metric_analytic(ctx, "euclidean", Q, &g->metric));
    if (!search) {
        g->metric = g->pullback;
        return EXIT_DONE;
    }
    s.support = PATH_SUPPORT;
    return work_check(&m->work, rm2_metric_pullback(ctx, m->model, &s, &g->metric));
}

int geometry_open(const model_work *m, geometry *g) {
    return open_metrics(m, false, g);
}

void geometry_close(geometry *g) {
    rm2_roadmap_free(g->roadmap);
    if (g->metric != g->pullback)
        rm2_metric_free(g->metric);
    rm2_metric_free(g->pullback);
    free(g->obstacle_memory);
}

/* ---- roadmap -------------------------------------------------------------------------------- */

static int open_grid(const model_work *m, size_t n, const double *points, geometry *g) {
    const geometry_options *o = &m->options->geometry;
    rm2_grid_settings s = rm2_grid_settings_default();
    s.points = o->grid;
    s.reach = o->reach;
    if (o->padding > 0)
        s.padding = o->padding;
    return work_check(&m->work,
                      rm2_roadmap_grid(m->work.ctx, g->metric, &s, n, points, &g->roadmap));
}

int geometry_add_grid(const model_work *m, geometry *g) {
    return open_grid(m, m->info->points, m->info->latents, g);
}

static int open_grid_around(const model_work *m, size_t n, const double *points, geometry *g) {
    const rm2_model_info *i = m->info;
    size_t Q = i->latent_dim, all = i->points + n;
    double *covered = malloc(all * Q * sizeof *covered);
    if (!covered)
        return work_no_memory(&m->work);
    memcpy(covered, i->latents, i->points * Q * sizeof *covered);
    memcpy(covered + i->points * Q, points, n * Q * sizeof *covered);
    int code = open_grid(m, all, covered, g);
    free(covered);
    return code;
}

static int open_graph(const model_work *m, geometry *g) {
    size_t neighbours = m->options->geometry.neighbours;
    return work_check(&m->work,
                      rm2_roadmap_graph(m->work.ctx, g->metric, m->info->points, m->info->latents,
                                        neighbours ? neighbours : 8, RM2_EDGE_ENDS, &g->roadmap));
}

static int choose_start(const model_work *m) {
    const geometry_options *o = &m->options->geometry;
    if (o->start != START_AUTO)
        return o->start;
    if (o->metric == METRIC_STRAIGHT)
        return START_LINE;
    return m->info->latent_dim <= 3 ? START_GRID : START_GRAPH;
}

static int open_roadmap(const model_work *m, size_t n, const double *points, geometry *g) {
    const geometry_options *o = &m->options->geometry;
    int start = choose_start(m);
    if ((o->grid || o->padding > 0 || o->reach) && start != START_GRID)
        return work_complain(&m->work, EXIT_USAGE,
                             "--grid, --padding and --reach need --start grid; here it is %s",
                             start_names[start]);
    if (o->neighbours && start != START_GRAPH)
        return work_complain(&m->work, EXIT_USAGE,
                             "--neighbours needs --start graph; here it is %s", start_names[start]);
    if (start == START_LINE)
        return EXIT_DONE;
    return start == START_GRID ? open_grid_around(m, n, points, g) : open_graph(m, g);
}

static rm2_geodesic_settings path_settings(const geometry_options *o) {
    rm2_geodesic_settings s = rm2_geodesic_settings_default();
    s.last = (rm2_geodesic_stage)((int)RM2_STAGE_POLISH - o->stage);
    if (o->nodes)
        s.nodes = o->nodes;
    if (o->intervals)
        s.intervals = o->intervals;
    s.tolerance = o->tolerance > 0 ? o->tolerance : PATH_TOLERANCE;
    return s;
}

int geometry_open_around(const model_work *m, size_t n, const double *points, geometry *g) {
    int code = open_metrics(m, true, g);
    g->settings = path_settings(&m->options->geometry);
    return code == EXIT_DONE ? open_roadmap(m, n, points, g) : code;
}

/* ---- progress ------------------------------------------------------------------------------- */

progress progress_begin(const work *w, const char *what) {
    double now = work_clock();
    return (progress){.shown = !w->common->quiet,
                      .terminal = isatty(2) != 0,
                      .started = now,
                      .last = now,
                      .what = what};
}

/* A line that is written over on a terminal, a new one every ten seconds elsewhere. */
void progress_count(void *user, size_t done, size_t total) {
    progress *p = user;
    double now = work_clock(), taken = now - p->started;
    bool last = done == total;
    if (!p->shown || (now - p->last < (p->terminal ? 0.2 : 10) && !(last && taken > 2)))
        return;
    p->last = now;
    (void)fprintf(stderr, "%s%s %zu of %zu, %.0f s, about %.0f s left%s", p->terminal ? "\r" : "",
                  p->what, done, total, taken,
                  done ? taken / (double)done * (double)(total - done) : 0,
                  p->terminal && !last ? "   " : "\n");
}
