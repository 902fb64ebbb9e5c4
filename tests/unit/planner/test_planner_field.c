/* The interpolated metric of planners: the numbers of its nodes, accuracy between them, derivatives by differences. */
#include "front/base.h"
#include "planner/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "metric/metric.h"
#include "space/space.h"
#include "space_fixture.h"

enum { NUMBERS = RM2I_FIELD_NUMBERS, TERMS = RM2I_FIELD_TERMS };

static rm2_space *space;
static rm2i_level level;
static rm2i_field field;
static rm2i_clearance clearance;
static double *work;

static int set_up(void **state) {
    if (space_set_up(state) != 0)
        return 1;
    rm2_space_settings s = rm2_space_settings_default();
    s.grid_points = 60;
    space = make_space(&s, 0, NULL);
    const rm2i_roadmap *grid = space->core->roadmap;
    ok(rm2i_position_of(ctx, model, RM2I_FIRST_EUCLIDEAN, &clearance.position));
    clearance.deviations = 1;
    ok(rm2i_level_create(ctx, grid, 1, &level));
    ok(rm2i_level_decode(ctx, &clearance, &level));
    size_t singular;
    ok(rm2i_field_create(ctx, grid, 2, level.node, &field, &singular));
    work = numbers(rm2i_clearance_work(&clearance));
    return 0;
}

static int tear_down(void **state) {
    free(work);
    rm2i_field_clear(&field);
    rm2i_level_clear(&level);
    rm2_space_free(space);
    return space_tear_down(state);
}

/* G = L L^T from the numbers of the field. */
static void metric_of(const double *L, double *G) {
    G[0] = L[0] * L[0];
    G[1] = G[2] = L[0] * L[1];
    G[3] = L[1] * L[1] + L[2] * L[2];
}

/* At the nodes a spline that interpolates has their values, but for rounding. */
static void nodes(void **state) {
    (void)state;
    const rm2i_roadmap *grid = space->core->roadmap;
    for (size_t i = 0; i < grid->nodes; i += 7) {
        double terms[TERMS][NUMBERS], G[4];
        assert_true(rm2i_field_at(&field, grid->x + i * Q, 0, terms));
        metric_of(terms[0], G);
        for (int k = 0; k < 4; k++)
            assert_true(fabs(G[k] - grid->G[i * 4 + (size_t)k]) <= 1e-9 * (G[0] + G[3]));
        for (size_t k = 0; k < 2; k++)
            assert_true(fabs(terms[0][3 + k] - level.node[i].y[k]) <= 1e-9);
        assert_true(fabs(terms[0][5] - level.node[i].deviation) <= 1e-9);
    }
}

static void random_point(rm2_rng *rng, double *x) {
    const rm2i_roadmap *grid = space->core->roadmap;
    for (size_t q = 0; q < Q; q++) {
        double low = grid->axis[q][0], high = grid->axis[q][grid->count[q] - 1];
        x[q] = low + (0.02 + 0.96 * rm2_rng_uniform(rng)) * (high - low);
    }
}

/* Between the nodes: what a search needs. The model is rough, with a length scale of some cells. */
static void accuracy(void **state) {
    (void)state;
    rm2_rng rng;
    double most = 0, farthest = 0;
    rm2_rng_seed(&rng, 4);
    for (int k = 0; k < 200; k++) {
        double x[Q], terms[TERMS][NUMBERS], G[4], exact[4];
        rm2i_clear_point at;
        random_point(&rng, x);
        assert_true(rm2i_field_at(&field, x, 0, terms));
        metric_of(terms[0], G);
        ok(rm2_metric_at(ctx, rm2_space_metric(space), 1, x, exact, NULL));
        rm2i_clearance_at(&clearance, x, &at, work);
        for (int i = 0; i < 4; i++)
            most = fmax(most, fabs(G[i] - exact[i]) / (exact[0] + exact[3]));
        farthest = fmax(farthest, hypot(terms[0][3] - at.y[0], terms[0][4] - at.y[1]));
    }
    print_message("metric to %.1e, position to %.1e\n", most, farthest);
    assert_true(most < 0.05 && farthest < 5e-3);
    double x[Q] = {1e3, 0}, terms[TERMS][NUMBERS];
    assert_false(rm2i_field_at(&field, x, 0, terms));
    assert_true(isinf(rm2i_field_length(&field, x, latents)));
}

/* v^T d_t G v at x moved by a step along coordinate s. */
static double slope_at(const rm2_metric *m, const double *x, size_t s, double step, size_t t,
                       const double *v) {
    double y[Q], G[4], dG[8], none[1];
    memcpy(y, x, sizeof y);
    y[s] += step;
    rm2i_metric_room room = {1, none, NULL};
    ok(rm2i_metric_at(m, 1, y, G, dG, &room));
    return rm2i_metric_inner(Q, dG + t * 4, v, v);
}

/* First and second derivatives of the metric with barrier against central differences: 1e-6 of their size and more is the
 * error of a difference over 1e-5 lengths. */
static void derivatives(void **state) {
    (void)state;
    rm2_region regions[3] = {
        {.kind = RM2_REGION_SPHERE, .dim = 2, .radius = 0.05},
        {.kind = RM2_REGION_CAPSULE, .dim = 2, .radius = 0.03},
        {.kind = RM2_REGION_HALF_SPACE, .dim = 2, .b = {1, 0.5}},
    };
    rm2_rng rng;
    rm2_metric *m;
    size_t seen = 0;
    rm2_rng_seed(&rng, 8);
    clearance.count = 1;
    clearance.wanted = 0.01;
    clearance.deviations = 0.1;
    ok(rm2i_field_metric(ctx, &field, &clearance, 0.5, &m));
    for (int k = 0; k < 150; k++) {
        double x[Q], v[Q], G[4], dG[8], bend[4], none[1], terms[TERMS][NUMBERS];
        rm2_region *r = &regions[k % 3];
        random_point(&rng, x);
        assert_true(rm2i_field_at(&field, x, 0, terms));
        for (size_t q = 0; q < 2; q++) { /* somewhere near the position */
            v[q] = rm2_rng_normal(&rng);
            r->a[q] = terms[0][3 + q] + 0.6 * rm2_rng_normal(&rng);
            if (r->kind == RM2_REGION_CAPSULE)
                r->b[q] = r->a[q] + 0.4 * rm2_rng_normal(&rng);
        }
        clearance.regions = r;
        const rm2i_metric_request request = {.x = x, .G = G, .dG = dG, .v = v, .bend = bend};
        rm2i_metric_room room = {1, none, NULL};
        rm2_status status = rm2i_metric_bend_at(m, 1, &request, &room);
        double c = rm2_region_distance(r, terms[0] + 3, NULL) - 0.1 * terms[0][5] - 0.01;
        assert_true((status == RM2_OK) == (c > 0));
        if (status != RM2_OK || c < 0.05) /* close to the wall differences are of no use */
            continue;
        double size = fabs(bend[0]) + fabs(bend[3]), h = 1e-5;
        for (size_t t = 0; t < Q; t++) {
            double up[4], down[4], y[Q];
            memcpy(y, x, sizeof y);
            y[t] += h;
            ok(rm2i_metric_at(m, 1, y, up, NULL, &room));
            y[t] -= 2 * h;
            ok(rm2i_metric_at(m, 1, y, down, NULL, &room));
            for (size_t i = 0; i < 4; i++)
                assert_true(fabs((up[i] - down[i]) / (2 * h) - dG[t * 4 + i]) <=
                            1e-4 * (G[0] + G[3] + fabs(dG[t * 4 + i])));
            for (size_t s = 0; s < Q; s++) {
                double difference =
                    (slope_at(m, x, s, h, t, v) - slope_at(m, x, s, -h, t, v)) / (2 * h);
                assert_true(fabs(difference - bend[t * Q + s]) <= 1e-3 * (size + G[0] + G[3]));
            }
        }
        seen++;
    }
    assert_true(seen >= 40);
    clearance.count = 0;
    rm2_metric_free(m);
}

/* A polygon that leaves the field: its sides are measured in the latent space, and nodes are on it at equal lengths. */
static void polygons_outside(void **state) {
    (void)state;
    enum { NODES = 9 };
    double corners[3][Q] = {{0, 0}, {0, 1e3}, {3e3, 1e3}}, x[NODES][Q], lengths[3];
    const rm2i_planner_scene scene = {.field = &field, .clearance = &clearance, .width = 0.5};
    const rm2i_polygon way = {.n = 3, .most = 3, .x = corners[0]};
    assert_true(isinf(rm2i_polygon_length(&field, 3, corners[0])));
    rm2i_polygon_resample(&scene, &way, NODES, x[0], lengths);
    for (size_t k = 0; k < NODES; k++) { /* 4e3 in eight pieces, two of them on the first side */
        double at = 500 * (double)k;
        assert_true(fabs(x[k][0] - fmax(at - 1e3, 0)) < 1e-9 &&
                    fabs(x[k][1] - fmin(at, 1e3)) < 1e-9);
    }
    memset(x, 0xff, sizeof x);
    assert_true(rm2i_polygon_divide(&scene, &way, NODES, x[0], lengths));
    assert_memory_equal(x[0], corners[0], sizeof corners[0]);
    assert_memory_equal(x[2], corners[1], sizeof corners[1]);
    assert_memory_equal(x[NODES - 1], corners[2], sizeof corners[2]);
    for (size_t k = 0; k + 1 < NODES; k++) /* pieces of equal length here, too */
        assert_true(fabs(hypot(x[k + 1][0] - x[k][0], x[k + 1][1] - x[k][1]) - 500) < 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes), cmocka_unit_test(accuracy),
                                       cmocka_unit_test(derivatives),
                                       cmocka_unit_test(polygons_outside)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
