/* Options to metrics, networks and end points. */
#include "geometry.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
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
     "last stage: the geodesic equation (default), least energy, the network's path"},
    {"--grid", "N", OPTION_SIZE, GEOMETRY(grid), NULL,
     "grid nodes along a dimension (default: 50, or 24 in three dimensions)"},
    {"--padding", "P", OPTION_NUMBER, GEOMETRY(padding), NULL,
     "margin of the grid, in parts of its larger side (default: 0.1)"},
    {"--reach", "N", OPTION_SIZE, GEOMETRY(reach), NULL,
     "edges of the grid go so many cells far (default: 3)"},
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

/* ---- obstacles ------------------------------------------------------------------------------ */

static const rm2_factor *first_euclidean(const rm2_manifold *m) {
    for (size_t i = 0; i < rm2_manifold_factor_count(m); i++)
        if (rm2_manifold_factor(m, i)->geometry == &rm2_euclidean)
            return rm2_manifold_factor(m, i);
    return NULL;
}

/* Rows of `width` numbers, with semicolons between them. */
static bool parse_rows(const char *text, size_t width, size_t *rows, double **values) {
    size_t most = 1;
    for (const char *at = text; *at; at++)
        most += *at == ';';
    char *copy = malloc(strlen(text) + 1);
    *values = malloc(most * width * sizeof **values);
    *rows = 0;
    bool good = copy && *values;
    char *next = good ? strcpy(copy, text) : NULL;
    while (good && next) {
        char *end = strchr(next, ';');
        if (end)
            *end = 0;
        good = parse_numbers(next, width, *values + *rows * width);
        (*rows)++;
        next = end ? end + 1 : NULL;
    }
    free(copy);
    return good;
}

static int read_rows(const model_work *m, const char *path, size_t width, size_t *rows,
                     double **values) {
    rm2_csv_settings s = rm2_csv_settings_default();
    rm2_table table;
    int code = work_check(&m->work, rm2_csv_read(m->work.ctx, path, &s, &table));
    if (code != EXIT_DONE)
        return code;
    if (table.columns == width) {
        *rows = table.rows;
        *values = table.values;
        table.values = NULL;
    } else {
        code = work_complain(&m->work, EXIT_BAD_DATA,
                             "%s has %zu columns; obstacles have %zu: centre, radius, height", path,
                             table.columns, width);
    }
    rm2_table_free(&table);
    return code;
}

/* From rows (centre, radius, height) to the arrays of the library. */
static int arrange_obstacles(const model_work *m, const rm2_factor *factor, size_t rows,
                             const double *values, geometry *g) {
    size_t dim = factor->dim, width = dim + 2;
    g->obstacle_memory = malloc((rows * width + 1) * sizeof *g->obstacle_memory);
    if (!g->obstacle_memory)
        return work_no_memory(&m->work);
    double *centres = g->obstacle_memory, *radius = centres + rows * dim, *height = radius + rows;
    for (size_t k = 0; k < rows; k++) {
        memcpy(centres + k * dim, values + k * width, dim * sizeof *centres);
        radius[k] = values[k * width + dim];
        height[k] = values[k * width + dim + 1];
        if (!(radius[k] > 0 && height[k] >= 0))
            return work_complain(&m->work, EXIT_BAD_DATA,
                                 "obstacle %zu: radius %g must be positive, height %g not negative",
                                 k, radius[k], height[k]);
    }
    g->obstacles = (rm2_obstacles){rows, factor->ambient_offset, dim, centres, radius, height};
    return EXIT_DONE;
}

static int take_obstacles(const model_work *m, geometry *g) {
    const char *text = m->options->geometry.avoid;
    const rm2_factor *factor = first_euclidean(m->info.manifold);
    double *values = NULL;
    size_t rows = 0;
    if (!factor)
        return work_complain(&m->work, EXIT_USAGE, "--avoid needs a Euclidean factor; %s has none",
                             rm2_manifold_spec(m->info.manifold));
    size_t width = factor->dim + 2;
    int code = EXIT_DONE;
    if (access(text, R_OK) == 0)
        code = read_rows(m, text, width, &rows, &values);
    else if (!parse_rows(text, width, &rows, &values))
        code = work_complain(&m->work, EXIT_USAGE,
                             "--avoid %s: expected a file, or %zu numbers for each obstacle: "
                             "centre (%zu), radius, height",
                             text, width, factor->dim);
    if (code == EXIT_DONE)
        code = arrange_obstacles(m, factor, rows, values, g);
    free(values);
    return code;
}

/* ---- metric --------------------------------------------------------------------------------- */

static int pullback_settings(const model_work *m, geometry *g, rm2_pullback_settings *s) {
    const geometry_options *o = &m->options->geometry;
    *s = rm2_pullback_settings_default();
    if (o->contrast && o->weight > 0)
        return work_complain(&m->work, EXIT_USAGE, "--contrast and --weight exclude each other");
    if (o->contrast && strcmp(o->contrast, "none") == 0)
        s->contrast = 0;
    else if (o->contrast && (!parse_numbers(o->contrast, 1, &s->contrast) || !(s->contrast > 0)))
        return work_complain(&m->work, EXIT_USAGE,
                             "--contrast %s: expected a positive number, or none", o->contrast);
    s->weight = o->weight;
    if (!o->avoid)
        return EXIT_DONE;
    int code = take_obstacles(m, g);
    s->cost = (rm2_cost){rm2_obstacles_cost, &g->obstacles, RM2_ALL_FACTORS};
    return code;
}

/* Paths are searched in a metric that is quicker to evaluate, and measured in the exact one. */
static int open_metric(const model_work *m, bool search, geometry *g) {
    const geometry_options *o = &m->options->geometry;
    rm2_context *ctx = m->work.ctx;
    size_t Q = m->info.latent_dim;
    rm2_pullback_settings s;
    int code = pullback_settings(m, g, &s);
    if (code == EXIT_DONE)
        code = work_check(&m->work, rm2_metric_pullback(ctx, m->model, &s, &g->pullback));
    if (code != EXIT_DONE)
        return code;
    if (o->metric == METRIC_DENSITY)
        return work_check(&m->work, rm2_metric_density(ctx, m->info.points, Q, m->info.latents,
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

/* ---- network -------------------------------------------------------------------------------- */

static rm2_status open_grid(const model_work *m, size_t n, const double *points, geometry *g) {
    const geometry_options *o = &m->options->geometry;
    rm2_grid_settings s = rm2_grid_settings_default();
    s.points = o->grid;
    s.reach = o->reach;
    if (o->padding > 0)
        s.padding = o->padding;
    return rm2_network_grid(m->work.ctx, g->metric, &s, n, points, &g->network);
}

static int open_network(const model_work *m, size_t n, const double *points, geometry *g) {
    const geometry_options *o = &m->options->geometry;
    const rm2_model_info *i = &m->info;
    size_t Q = i->latent_dim, all = i->points + n;
    int start = o->start != START_AUTO         ? o->start
                : o->metric == METRIC_STRAIGHT ? START_LINE
                : Q <= 3                       ? START_GRID
                                               : START_GRAPH;
    if (start == START_LINE)
        return EXIT_DONE;
    double *covered = malloc(all * Q * sizeof *covered);
    if (!covered)
        return work_no_memory(&m->work);
    memcpy(covered, i->latents, i->points * Q * sizeof *covered);
    memcpy(covered + i->points * Q, points, n * Q * sizeof *covered);
    rm2_status status =
        start == START_GRID
            ? open_grid(m, all, covered, g)
            : rm2_network_graph(m->work.ctx, g->metric, i->points, i->latents,
                                o->neighbours ? o->neighbours : 8, RM2_EDGE_ENDS, &g->network);
    free(covered);
    return work_check(&m->work, status);
}

static void take_settings(const geometry_options *o, rm2_geodesic_settings *s) {
    *s = rm2_geodesic_settings_default();
    s->last = (rm2_geodesic_stage)((int)RM2_STAGE_POLISH - o->stage);
    if (o->nodes)
        s->nodes = o->nodes;
    if (o->intervals)
        s->intervals = o->intervals;
    s->tolerance = o->tolerance > 0 ? o->tolerance : PATH_TOLERANCE;
}

int geometry_open(const model_work *m, size_t n, const double *points, geometry *g) {
    *g = (geometry){.metric = NULL};
    take_settings(&m->options->geometry, &g->settings);
    int code = open_metric(m, points && !m->options->whole_grid, g);
    if (code == EXIT_DONE && points)
        code = open_network(m, n, points, g);
    return code;
}

void geometry_close(geometry *g) {
    rm2_network_free(g->network);
    if (g->metric != g->pullback)
        rm2_metric_free(g->metric);
    rm2_metric_free(g->pullback);
    free(g->obstacle_memory);
}

/* ---- end points ----------------------------------------------------------------------------- */

static int training_point(const model_work *m, const char *name, const char *text, double *x) {
    char *end;
    size_t Q = m->info.latent_dim;
    unsigned long long index = strtoull(text, &end, 10);
    if (*end || *text < '0' || *text > '9' || index >= m->info.points)
        return work_complain(&m->work, EXIT_BAD_DATA,
                             "%s %s: the model has the training points 0 to %zu", name, text,
                             m->info.points - 1);
    memcpy(x, m->info.latents + (size_t)index * Q, Q * sizeof *x);
    return EXIT_DONE;
}

static int trajectory_end(const model_work *m, const char *name, const char *id, bool first,
                          double *x) {
    const rm2_model_info *i = &m->info;
    for (size_t t = 0; t < i->trajectories; t++)
        if (strcmp(i->ids[t], id) == 0) {
            size_t at = first ? i->starts[t] : i->starts[t + 1] - 1;
            memcpy(x, i->latents + at * i->latent_dim, i->latent_dim * sizeof *x);
            return EXIT_DONE;
        }
    return work_complain(&m->work, EXIT_BAD_DATA, "%s: the model has no trajectory \"%s\"", name,
                         id);
}

static int encoded_point(const model_work *m, const char *name, const char *text, double *x) {
    size_t ambient = rm2_manifold_ambient(m->info.manifold);
    double *y = malloc(ambient * sizeof *y);
    rm2_encode_settings s = rm2_encode_settings_default();
    if (!y)
        return work_no_memory(&m->work);
    int code = EXIT_DONE;
    if (!parse_numbers(text, ambient, y))
        code = work_complain(&m->work, EXIT_USAGE, "%s %s: a point of %s has %zu numbers", name,
                             text, rm2_manifold_spec(m->info.manifold), ambient);
    if (code == EXIT_DONE)
        code =
            work_check(&m->work, rm2_model_encode(m->work.ctx, m->model, &s, 1, y, x, NULL, NULL));
    free(y);
    return code;
}

static int latent_point(const model_work *m, const char *name, const char *text, double *x) {
    if (parse_numbers(text, m->info.latent_dim, x))
        return EXIT_DONE;
    return work_complain(&m->work, EXIT_USAGE, "%s %s: a latent point has %zu numbers", name, text,
                         m->info.latent_dim);
}

int geometry_parse_end(const model_work *m, const char *name, const char *text, double *x) {
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : 0, count = count_numbers(text);
#define IS(word) (length == strlen(word) && strncmp(text, word, length) == 0)
    if (IS("index"))
        return training_point(m, name, colon + 1, x);
    if (IS("first") || IS("last"))
        return trajectory_end(m, name, colon + 1, IS("first"), x);
    if (IS("latent"))
        return latent_point(m, name, colon + 1, x);
    if (IS("point"))
        return encoded_point(m, name, colon + 1, x);
#undef IS
    if (count == 1 && strspn(text, "0123456789") == strlen(text))
        return training_point(m, name, text, x);
    if (count == m->info.latent_dim)
        return latent_point(m, name, text, x);
    if (count == rm2_manifold_ambient(m->info.manifold))
        return encoded_point(m, name, text, x);
    return work_complain(&m->work, EXIT_USAGE,
                         "%s %s: expected the index of a training point, %zu latent coordinates, "
                         "%zu entries of a point, first:ID or last:ID",
                         name, text, m->info.latent_dim, rm2_manifold_ambient(m->info.manifold));
}

/* ---- progress ------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

progress progress_begin(const work *w, const char *what) {
    return (progress){.shown = !w->common->quiet,
                      .terminal = isatty(2) != 0,
                      .started = now(),
                      .last = now(),
                      .what = what};
}

/* A line that is written over on a terminal, a new one every ten seconds elsewhere. */
void progress_count(void *user, size_t done, size_t total) {
    progress *p = user;
    double at = now(), taken = at - p->started;
    bool last = done == total;
    if (!p->shown || (at - p->last < (p->terminal ? 0.2 : 10) && !(last && taken > 2)))
        return;
    p->last = at;
    (void)fprintf(stderr, "%s%s %zu of %zu, %.0f s, about %.0f s left%s", p->terminal ? "\r" : "",
                  p->what, done, total, taken,
                  done ? taken / (double)done * (double)(total - done) : 0,
                  p->terminal && !last ? "   " : "\n");
}
