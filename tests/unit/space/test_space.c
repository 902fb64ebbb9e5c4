/* Latent spaces of a model: the numbers of the parts assembled by hand, points outside of the grid, settings
 * and what is wrong with them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context_fixture.h"
#include "geodesic/geodesic.h"
#include "metric/metric.h"
#include "roadmap/roadmap.h"
#include "space_fixture.h"

/* ---- by hand -------------------------------------------------------------------------------- */

typedef struct parts {
    rm2_metric *exact, *search;
    rm2i_roadmap *roadmap;
    rm2i_geodesic_settings geodesics;
} parts;

static const double centre[2] = {0.3, 0.2}, radius[1] = {0.4}, height[1] = {30};
static const rm2_discouraged discouraged = {1, 0, 2, centre, radius, height};

/* A model's metrics and roadmap with the calls below the space, as its header says. */
static parts assemble(const rm2_space_settings *s, size_t n, const double *points) {
    parts p = {.geodesics = rm2i_geodesic_settings_default()};
    rm2i_pullback_settings pullback = rm2i_pullback_settings_default();
    rm2i_grid_settings grid = rm2i_grid_settings_default();
    double *covered = numbers((N + n) * Q);
    pullback.contrast = s->contrast;
    pullback.weight = s->weight;
    if (s->discouraged)
        pullback.cost = (rm2_cost){rm2i_discouraged_cost, s->discouraged, RM2_ALL_FACTORS};
    ok(rm2i_metric_pullback(ctx, model, &pullback, &p.exact));
    pullback.support = s->support;
    if (s->metric == RM2_SPACE_DENSITY)
        ok(rm2i_metric_density(ctx, N, Q, latents, s->sigma, &p.search));
    else if (s->metric == RM2_SPACE_STRAIGHT)
        ok(rm2_metric_analytic(ctx, "euclidean", Q, &p.search));
    else
        ok(rm2i_metric_pullback(ctx, model, &pullback, &p.search));
    memcpy(covered, latents, N * Q * sizeof *covered);
    if (n > 0)
        memcpy(covered + N * Q, points, n * Q * sizeof *covered);
    grid.points = s->grid_points;
    grid.padding = s->padding;
    grid.reach = s->reach;
    bool line = s->roadmap == RM2_SPACE_LINE || s->metric == RM2_SPACE_STRAIGHT;
    if (s->roadmap == RM2_SPACE_GRAPH)
        ok(rm2i_roadmap_graph(ctx, p.search, N, latents, s->neighbours, RM2I_EDGE_ENDS,
                              &p.roadmap));
    else if (!line)
        ok(rm2i_roadmap_grid(ctx, p.search, &grid, N + n, covered, &p.roadmap));
    p.geodesics.last = s->stage;
    p.geodesics.nodes = s->nodes;
    p.geodesics.tolerance = s->tolerance;
    free(covered);
    return p;
}

static void release(parts *p) {
    rm2i_roadmap_free(p->roadmap);
    rm2_metric_free(p->search);
    rm2_metric_free(p->exact);
}

/* Geodesics between two, through three and of two pairs. */
static void compare_curves(const rm2_space *space, const parts *p, const double *x) {
    rm2_curve *a, *b, *c[2], *d[2];
    size_t failed;
    ok(rm2_space_geodesic(ctx, space, x, x + Q, &a));
    ok(rm2i_geodesic(ctx, p->search, p->roadmap, &p->geodesics, x, x + Q, &b));
    assert_same_curve(a, b);
    rm2_curve_free(a);
    rm2_curve_free(b);
    ok(rm2_space_through(ctx, space, 3, x, &a));
    ok(rm2i_geodesic_through(ctx, p->search, p->roadmap, &p->geodesics, 3, x, &b));
    assert_same_curve(a, b);
    rm2_curve_free(a);
    rm2_curve_free(b);
    ok(rm2_space_many(ctx, space, 2, x, x + Q, c, &failed));
    assert_true(failed == SIZE_MAX);
    ok(rm2i_geodesic_many(ctx, p->search, p->roadmap, &p->geodesics, 2, x, x + Q, d, NULL));
    for (int k = 0; k < 2; k++) {
        assert_same_curve(c[k], d[k]);
        rm2_curve_free(c[k]);
        rm2_curve_free(d[k]);
    }
}

/* Distances, mean, logarithm and exponential. */
static void compare_points(const rm2_space *space, const parts *p, const double *x) {
    double a[9], b[9], v[Q], w[Q], end[Q], back[Q];
    size_t unconverged = 9, open = 9;
    bool converged = false;
    rm2_mean_settings few = {.size = sizeof few, .max_iterations = 2, .tolerance = 1e-6};
    rm2_mean_info one = {.size = sizeof one}, two = {.size = sizeof two};
    ok(rm2_space_distances(ctx, space, 3, x, a, &unconverged));
    ok(rm2i_geodesic_distances(ctx, p->search, p->roadmap, &p->geodesics, 3, x, b, &open));
    assert_memory_equal(a, b, sizeof a);
    assert_true(unconverged == open && open <= 3);
    ok(rm2_space_mean(ctx, space, 3, x, (double[]){1, 2, 1}, &few, v, &one));
    ok(rm2i_geodesic_mean(ctx, p->search, p->roadmap, &p->geodesics, 3, x, (double[]){1, 2, 1},
                          &few, w, &two));
    assert_memory_equal(v, w, sizeof v);
    assert_true(one.variance == two.variance && one.iterations == two.iterations);
    ok(rm2_space_log(ctx, space, x, x + Q, v, &converged));
    ok(rm2i_geodesic_log(ctx, p->search, p->roadmap, &p->geodesics, x, x + Q, w, NULL));
    assert_memory_equal(v, w, sizeof v);
    ok(rm2_space_exp(ctx, space, x, v, end, NULL, 0, NULL));
    ok(rm2i_geodesic_exp(ctx, p->search, p->geodesics.tolerance * p->geodesics.tolerance, x, v,
                         back, NULL, 0, NULL));
    assert_memory_equal(end, back, sizeof end);
}

/* Lengths in the exact metric, and decoded points. */
static void compare_lengths(const rm2_space *space, const parts *p, const double *x) {
    enum { STEPS = 199 };
    double length, energy, straight, expected, error, want, want_energy, want_error;
    double line[(STEPS + 1) * Q], y[3 * D], z[3 * D], sd[3], want_sd[3];
    for (int k = 0; k <= STEPS; k++)
        for (int q = 0; q < Q; q++)
            line[k * Q + q] = x[q] + (double)k / STEPS * (x[Q + q] - x[q]);
    ok(rm2_space_path_length(ctx, space, 3, x, &length, &energy));
    ok(rm2i_metric_measure(ctx, p->exact, 3, x, &want, &want_energy));
    assert_true(length == want && energy == want_energy);
    ok(rm2_space_straight_length(ctx, space, 2, x, &straight));
    ok(rm2i_metric_measure(ctx, p->exact, STEPS + 1, line, &want, NULL));
    assert_true(straight == want);
    rm2_context_set_seed(ctx, 5);
    ok(rm2_space_expected_length(ctx, space, 3, x, 10, &expected, &error));
    rm2_context_set_seed(ctx, 5);
    ok(rm2i_metric_expected_length(ctx, p->exact, 3, x, 10, &want, &want_error));
    assert_true(expected == want && error == want_error);
    ok(rm2_space_decode(ctx, space, 3, x, y, sd));
    ok(rm2_model_decode(ctx, model, 3, x, z, NULL, NULL, want_sd));
    assert_memory_equal(y, z, sizeof y);
    assert_memory_equal(sd, want_sd, sizeof sd);
}

static void same_as_by_hand(void **state) {
    (void)state;
    rm2_space_settings variants[7];
    double x[3 * Q]; /* far apart, and in no special place */
    for (int q = 0; q < Q; q++) {
        x[q] = latents[q] + 0.01;
        x[Q + q] = latents[(N - 1) * Q + q];
        x[2 * Q + q] = latents[N / 2 * Q + q] - 0.01;
    }
    for (int k = 0; k < 7; k++)
        variants[k] = quick_settings();
    variants[1].metric = RM2_SPACE_DENSITY;
    variants[1].sigma = 0.6;
    variants[2].metric = RM2_SPACE_STRAIGHT;
    variants[2].grid_points = 0;
    variants[3].roadmap = RM2_SPACE_GRAPH;
    variants[3].grid_points = 0;
    variants[3].contrast = 0;
    variants[3].support = 0;
    variants[4].roadmap = RM2_SPACE_LINE;
    variants[4].grid_points = 0;
    variants[4].weight = 3;
    variants[5].discouraged = &discouraged;
    variants[5].stage = RM2_STAGE_SPLINE;
    variants[6].stage = RM2_STAGE_PATH;
    variants[6].reach = 2;
    variants[6].padding = 0.2;
    for (int k = 0; k < 7; k++) {
        rm2_space *space = make_space(&variants[k], 0, NULL);
        parts p = assemble(&variants[k], 0, NULL);
        compare_curves(space, &p, x);
        compare_points(space, &p, x);
        compare_lengths(space, &p, x);
        assert_string_equal(rm2_metric_text(rm2_space_metric(space)), rm2_metric_text(p.search));
        release(&p);
        rm2_space_free(space);
    }
}

/* ---- the grid ------------------------------------------------------------------------------- */

/* A point beyond the grid's box along both axes. */
static void beyond(const rm2_space *space, double *x) {
    rm2_roadmap_info g = *rm2_space_roadmap(space);
    for (size_t q = 0; q < Q; q++)
        x[q] = g.x[(g.nodes - 1) * Q + q] + 0.5 + 0.1 * (double)q;
}

/* A call with points outside of the grid answers what a space made with them answers, in every bit; the
 * space itself stays as it is. */
static void points_outside(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space = make_space(&s, 0, NULL);
    double x[3 * Q] = {latents[0], latents[1], 0, 0, latents[20], latents[21]};
    double before[4], after[4];
    beyond(space, x + Q);
    ok(rm2_space_distances(ctx, space, 2, latents, before, NULL));
    rm2_space *wide = make_space(&s, 1, x + Q);
    parts p = assemble(&s, 1, x + Q);
    rm2_roadmap_info a = *rm2_space_roadmap(wide);
    rm2_roadmap_info b = rm2i_roadmap_describe(p.roadmap);
    assert_int_equal(a.nodes, b.nodes);
    assert_memory_equal(a.x, b.x, a.nodes * Q * sizeof *a.x);
    assert_memory_equal(a.G, b.G, a.nodes * Q * Q * sizeof *a.G);
    compare_curves(space, &p, x);
    compare_points(space, &p, x);
    compare_curves(wide, &p, x);
    compare_points(wide, &p, x);
    ok(rm2_space_distances(ctx, space, 2, latents, after, NULL));
    assert_memory_equal(before, after, sizeof before);
    assert_true(rm2_space_roadmap(space)->nodes == 400);
    release(&p);
    rm2_space_free(wide);
    rm2_space_free(space);
}

/* Stage path measures on the roadmap itself, which must have the points. */
static void far_outside(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_curve *c;
    double distance[4], x[2 * Q] = {-30, 5, 40, -7};
    s.stage = RM2_STAGE_PATH;
    rm2_space *space = make_space(&s, 0, NULL);
    ok(rm2_space_geodesic(ctx, space, x, x + Q, &c));
    assert_true(c->converged && c->x[0] == -30 && c->x[(c->nodes - 1) * Q] == 40);
    ok(rm2_space_distances(ctx, space, 2, x, distance, NULL));
    assert_true(distance[1] > 0 && isfinite(distance[1]));
    rm2_curve_free(c);
    rm2_space_free(space);
}

/* ---- settings ------------------------------------------------------------------------------- */

static void defaults_are_what_the_header_says(void **state) {
    (void)state;
    rm2_space *space;
    ok(rm2_space_create(ctx, model, NULL, 0, NULL, &space));
    const rm2_space_settings *s = rm2_space_settings_of(space);
    assert_true(s->size == sizeof *s && s->metric == RM2_SPACE_PULLBACK && s->contrast == 100);
    assert_true(s->roadmap == RM2_SPACE_GRID && s->grid_points == 50 && s->reach == 3);
    assert_true(s->padding == 0.1 && s->support == 1e-7 && s->tolerance == 1e-4);
    assert_true(s->stage == RM2_STAGE_POLISH && s->nodes == 200 && s->intervals == 16);
    assert_true(rm2_space_dim(space) == Q && rm2_space_model(space) == model);
    assert_true(rm2_space_roadmap(space)->nodes == 2500);
    assert_true(rm2_space_metric(space) != rm2_space_exact_metric(space));
    assert_contains(rm2_space_text(space), "expected pullback metric, contrast 100");
    assert_contains(rm2_space_text(space), "; grid of 2500 nodes; geodesic equation");
    rm2_space_free(space);
}

/* A caller with a shorter struct gets the defaults of what it does not know. */
static void older_callers(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space;
    s.size = offsetof(rm2_space_settings, roadmap);
    s.support = 0;
    s.roadmap = RM2_SPACE_LINE;
    s.grid_points = 0;
    s.nodes = 1;
    ok(rm2_space_create(ctx, model, &s, 0, NULL, &space));
    const rm2_space_settings *used = rm2_space_settings_of(space);
    assert_true(used->support == 0 && used->roadmap == RM2_SPACE_GRID && used->nodes == 200);
    assert_true(rm2_space_metric(space) == rm2_space_exact_metric(space));
    rm2_space_free(space);
    const size_t sizes[] = {0, sizeof s.size, sizeof s + 1};
    for (int k = 0; k < 3; k++) {
        s.size = sizes[k];
        assert_int_equal(rm2_space_create(ctx, model, &s, 0, NULL, &space), RM2_ERR_ARGUMENT);
        assert_null(space);
        assert_contains(rm2_context_error(ctx), "size of a struct");
    }
}

/* The settings are refused with a sentence that names the field. */
static void refused(rm2_space_settings s, const char *message) {
    rm2_space *space = NULL;
    assert_int_equal(rm2_space_create(ctx, model, &s, 0, NULL, &space), RM2_ERR_ARGUMENT);
    assert_null(space);
    assert_contains(rm2_context_error(ctx), message);
}

static void bad_settings(void **state) {
    (void)state;
    const double wrong[1] = {-1};
    rm2_discouraged bad = discouraged, beyond_point = discouraged;
    rm2_space_settings s;
#define REFUSED(field, value, message)                                                             \
    s = quick_settings();                                                                          \
    s.field = value;                                                                               \
    refused(s, message)
    REFUSED(metric, (rm2_space_metric_kind)7, "settings.metric is 7");
    REFUSED(roadmap, (rm2_space_roadmap_kind)-1, "settings.roadmap is -1");
    REFUSED(stage, (rm2_geodesic_stage)3, "settings.stage is 3");
    REFUSED(nodes, 1, "settings.nodes is 1");
    REFUSED(intervals, 1, "intervals");
    REFUSED(tolerance, NAN, "tolerance");
    REFUSED(contrast, -1, "contrast is -1");
    REFUSED(weight, NAN, "weight");
    REFUSED(support, 2, "support is 2");
    REFUSED(padding, -1, "padding");
    REFUSED(grid_points, 1, "settings.grid_points is 1");
    REFUSED(reach, 11, "settings.reach is 11");
    s.roadmap = RM2_SPACE_GRAPH;
    s.grid_points = 0;
    s.reach = s.neighbours = 0;
    refused(s, "settings.neighbours is 0");
    s = quick_settings();
    s.metric = RM2_SPACE_DENSITY;
    s.sigma = 0;
    refused(s, "settings.sigma is 0");
    s.sigma = 1;
    s.discouraged = &discouraged;
    refused(s, "settings.discouraged needs");
    s.sigma = rm2_space_settings_default().sigma;
    s.metric = RM2_SPACE_PULLBACK;
    s.cost = (rm2_cost){rm2i_discouraged_cost, &discouraged, RM2_ALL_FACTORS};
    refused(s, "exclude each other");
    s.cost.at = NULL;
    bad.radius = wrong;
    s.discouraged = &bad;
    refused(s, "sphere 0 has radius -1");
    bad.radius = NULL;
    refused(s, "is NULL");
    beyond_point.offset = 4;
    s.discouraged = &beyond_point;
    refused(s, "entries 4 to 6");
#undef REFUSED
}

/* Obstacles are copied: the caller's may go. */
static void discouraged_are_copied(void **state) {
    (void)state;
    double places[2] = {0.3, 0.2}, r[1] = {0.4}, h[1] = {30};
    rm2_discouraged own = {1, 0, 2, places, r, h};
    rm2_space_settings s = quick_settings();
    double before, after;
    s.discouraged = &own;
    rm2_space *space = make_space(&s, 0, NULL);
    ok(rm2_space_path_length(ctx, space, 2, latents, &before, NULL));
    places[0] = r[0] = h[0] = NAN;
    own.count = 99;
    ok(rm2_space_path_length(ctx, space, 2, latents, &after, NULL));
    assert_true(before == after && isfinite(after));
    assert_true(rm2_space_settings_of(space)->discouraged->count == 1);
    rm2_space_free(space);
}

/* ---- arguments ------------------------------------------------------------------------------ */

static void bad_points(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space = make_space(&s, 0, NULL), *none;
    rm2_curve *c = NULL;
    double x[2 * Q] = {0, 0, NAN, 0}, length;
    assert_int_equal(rm2_space_create(ctx, model, &s, 2, x, &none), RM2_ERR_DATA);
    assert_contains(rm2_context_error(ctx), "point 1, coordinate 0 is nan");
    assert_int_equal(rm2_space_geodesic(ctx, space, x, x + Q, &c), RM2_ERR_DATA);
    assert_int_equal(rm2_space_through(ctx, space, 2, x, &c), RM2_ERR_DATA);
    assert_int_equal(rm2_space_through(ctx, space, 1, x, &c), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_space_straight_length(ctx, space, 2, x, &length), RM2_ERR_DATA);
    assert_int_equal(rm2_space_straight_length(ctx, space, 1, x, &length), RM2_ERR_ARGUMENT);
    assert_null(c);
    ok(rm2_space_many(ctx, space, 0, NULL, NULL, NULL, NULL));
    ok(rm2_space_distances(ctx, space, 0, NULL, NULL, NULL));
    rm2_space_free(space);
}

/* ---- the same space, other geodesics -------------------------------------------------------- */

static void with_other_geodesics(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space = make_space(&s, 0, NULL), *quick;
    rm2_space_settings g = *rm2_space_settings_of(space);
    rm2_curve *a, *b;
    g.stage = RM2_STAGE_PATH;
    g.nodes = 5;
    ok(rm2_space_with_settings(ctx, space, &g, &quick));
    assert_ptr_equal(rm2_space_roadmap(quick)->x, rm2_space_roadmap(space)->x);
    assert_true(rm2_space_metric(quick) == rm2_space_metric(space));
    assert_true(rm2_space_settings_of(quick)->stage == RM2_STAGE_PATH);
    assert_contains(rm2_space_text(quick), "; path, ");
    ok(rm2_space_geodesic(ctx, space, latents, latents + (N - 1) * Q, &a));
    rm2_space_free(space); /* either may go first */
    ok(rm2_space_geodesic(ctx, quick, latents, latents + (N - 1) * Q, &b));
    assert_true(b->nodes == 5 && b->stage == RM2_STAGE_PATH);
    assert_true(fabs(b->length - a->path_length) <= 5e-3 * b->length && a->length < b->length);
    g.nodes = 0;
    assert_int_equal(rm2_space_with_settings(ctx, quick, &g, &space), RM2_ERR_ARGUMENT);
    assert_null(space);
    g.nodes = 5;
    g.stage = (rm2_geodesic_stage)9;
    assert_int_equal(rm2_space_with_settings(ctx, quick, &g, &space), RM2_ERR_ARGUMENT);
    g = *rm2_space_settings_of(quick);
    g.contrast *= 2; /* of the metrics, which are shared */
    assert_int_equal(rm2_space_with_settings(ctx, quick, &g, &space), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "settings.contrast is not that of the space");
    assert_null(space);
    rm2_curve_free(a);
    rm2_curve_free(b);
    rm2_space_free(quick);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_by_hand),
        cmocka_unit_test(points_outside),
        cmocka_unit_test(far_outside),
        cmocka_unit_test(defaults_are_what_the_header_says),
        cmocka_unit_test(older_callers),
        cmocka_unit_test(bad_settings),
        cmocka_unit_test(discouraged_are_copied),
        cmocka_unit_test(bad_points),
        cmocka_unit_test(with_other_geodesics),
    };
    return cmocka_run_group_tests(tests, space_set_up, space_tear_down);
}
