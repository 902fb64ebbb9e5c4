/* Planners in one and three latent dimensions, what they reject, and two threads with planners of one space. */
#include "riemann2/planner.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "context_fixture.h"
#include "space_fixture.h"

/* A model of the same data with other latent dimensions. */
static rm2_space *space_of(size_t dims, size_t grid, rm2_model **own) {
    rm2_fit_settings f = robust_settings(15);
    rm2_space_settings s = rm2_space_settings_default();
    rm2_space *space;
    f.latent_dim = dims;
    *own = fit_model(toy, &f);
    s.roadmap = RM2_SPACE_GRID;
    s.grid_points = grid;
    s.reach = dims == 3 ? 1 : 0;
    ok(rm2_space_create(ctx, *own, &s, 0, NULL, &space));
    return space;
}

/* Least distance from a sphere of the positions along a path, by samples. */
static double sampled(const rm2_model *m, const rm2_plan *p, const rm2_region *r) {
    double least = INFINITY, x[3], point[D];
    for (size_t i = 0; i + 1 < p->nodes; i++)
        for (int k = 0; k <= 10; k++) {
            for (size_t q = 0; q < p->Q; q++)
                x[q] =
                    p->x[i * p->Q + q] + 0.1 * k * (p->x[(i + 1) * p->Q + q] - p->x[i * p->Q + q]);
            ok(rm2_model_decode(ctx, m, 1, x, point, NULL, NULL, NULL));
            least = fmin(least, hypot(point[0] - r->a[0], point[1] - r->a[1]) - r->radius);
        }
    return least;
}

static void one_dimension(size_t dims, size_t grid, size_t paths) {
    rm2_model *m;
    rm2_space *space = space_of(dims, grid, &m);
    rm2_planner *planner;
    const double *x = rm2_model_info_of(m)->latents;
    size_t found = 0, blocked = 0;
    ok(rm2_planner_create(ctx, space, NULL, &planner));
    for (size_t k = 0; k < N; k++) { /* on every point of the data in turn, and apart from them */
        rm2_region r = {.kind = RM2_REGION_SPHERE, .dim = 2, .radius = 0.05};
        const rm2_plan *p;
        rm2_plan_query q = rm2_plan_query_default();
        q.from = x;
        q.to = x + (N / 2 - 1) * dims;
        q.count = 1;
        q.regions = &r;
        r.a[0] = toy->points[k * D] * toy->scale[0] + (k % 2 ? 0 : 0.1);
        r.a[1] = toy->points[k * D + 1] * toy->scale[0];
        ok(rm2_planner_update(ctx, planner, &q, &p));
        found += p->state == RM2_PLAN_FOUND;
        blocked += p->state == RM2_PLAN_BLOCKED;
        if (p->state == RM2_PLAN_FOUND)
            assert_true(sampled(m, p, &r) >= -1e-9);
    }
    print_message("%zu latent dimensions: %zu paths, %zu blocked\n", dims, found, blocked);
    assert_true(found >= paths);
    assert_true(dims > 1 || blocked > 0); /* a line has no way around */
    rm2_planner_free(planner);
    rm2_space_free(space);
    rm2_model_free(m);
}

static void dimensions(void **state) {
    (void)state;
    one_dimension(1, 40, 4);
    one_dimension(3, 9, 10);
}

static void rejected(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_planner_settings settings = rm2_planner_settings_default();
    rm2_planner *planner;
    const rm2_plan *plan;
    rm2_space *space = make_space(&s, 0, NULL), *other;
    s.roadmap = RM2_SPACE_GRAPH;
    s.grid_points = 0;
    other = make_space(&s, 0, NULL);
    assert_int_equal(rm2_planner_create(ctx, other, NULL, &planner), RM2_ERR_UNSUPPORTED);
    assert_contains(rm2_context_error(ctx), "a planner needs a space with a grid");
    rm2_space_free(other);
    ok(rm2_space_from_metric(ctx, rm2_space_metric(space), NULL, N, latents, &other));
    assert_int_equal(rm2_planner_create(ctx, other, NULL, &planner), RM2_ERR_UNSUPPORTED);
    assert_contains(rm2_context_error(ctx), "a planner needs a space of a model");
    rm2_space_free(other);
    settings.nodes = 3;
    assert_int_equal(rm2_planner_create(ctx, space, &settings, &planner), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "settings.nodes is 3, expected a whole number from 8");
    settings = rm2_planner_settings_default();
    settings.gain = 1;
    assert_int_equal(rm2_planner_create(ctx, space, &settings, &planner), RM2_ERR_ARGUMENT);
    settings = rm2_planner_settings_default();
    settings.factor = 1;
    assert_int_equal(rm2_planner_create(ctx, space, &settings, &planner), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "factor 2 of R2 x S2 is not Euclidean");
    assert_null(planner);

    ok(rm2_planner_create(ctx, space, NULL, &planner));
    rm2_region regions[2] = {{.kind = RM2_REGION_SPHERE, .dim = 2, .radius = 1},
                             {.kind = RM2_REGION_SPHERE, .dim = 3, .radius = 1}};
    double far[Q] = {1e4, 0};
    rm2_plan_query q = rm2_plan_query_default();
    q.from = latents;
    q.to = far;
    assert_int_equal(rm2_planner_update(ctx, planner, &q, &plan), RM2_ERR_DATA);
    assert_contains(rm2_context_error(ctx), "query.to: coordinate 0 is 10000; the grid");
    q.to = latents;
    q.count = 2;
    q.regions = regions;
    assert_int_equal(rm2_planner_update(ctx, planner, &q, &plan), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx),
                    "query.regions: region 2: 3 dimensions; the positions have 2");
    q.count = 0;
    q.seconds = NAN;
    assert_int_equal(rm2_planner_update(ctx, planner, &q, &plan), RM2_ERR_ARGUMENT);
    assert_null(plan);
    q.seconds = 0; /* coincident ends are a path */
    ok(rm2_planner_update(ctx, planner, &q, &plan));
    assert_true(plan->state == RM2_PLAN_FOUND && plan->length == 0);
    rm2_context_interrupt(ctx);
    assert_int_equal(rm2_planner_update(ctx, planner, &q, &plan), RM2_INTERRUPTED);
    assert_null(plan);
    rm2_context_clear_interrupt(ctx);
    rm2_planner_free(planner);
    rm2_space_free(space);
    rm2_planner_free(NULL);
    rm2_planner_forget(NULL);
}

/* The answer of update k, of a planner of its own. */
static double last_length(const rm2_space *space, rm2_context *own, size_t updates) {
    rm2_planner *planner;
    const rm2_plan *plan;
    double length = 0;
    if (rm2_planner_create(own, space, NULL, &planner) != RM2_OK)
        return NAN;
    for (size_t k = 0; k < updates; k++) {
        rm2_region r = {.kind = RM2_REGION_SPHERE, .dim = 2, .radius = 0.05};
        rm2_plan_query q = rm2_plan_query_default();
        q.from = latents;
        q.to = latents + (N - 1) * Q;
        q.count = 1;
        q.regions = &r;
        r.a[0] = 0.02 * (double)k;
        if (rm2_planner_update(own, planner, &q, &plan) != RM2_OK)
            length = NAN;
        else
            length += plan->length;
    }
    rm2_planner_free(planner);
    return length;
}

static void threads(void **state) {
    (void)state;
    rm2_space_settings s = quick_settings();
    rm2_space *space = make_space(&s, 0, NULL);
    double alone = last_length(space, ctx, 20), own[2] = {0};
#pragma omp parallel for num_threads(2)
    for (int k = 0; k < 2; k++) {
        rm2_context *c;
        if (rm2_context_create(&c) == RM2_OK) {
            own[k] = last_length(space, c, 20);
            rm2_context_free(c);
        }
    }
    assert_true(alone > 0 && own[0] == alone && own[1] == alone);
    rm2_space_free(space);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(dimensions), cmocka_unit_test(rejected),
                                       cmocka_unit_test(threads)};
    return cmocka_run_group_tests(tests, space_set_up, space_tear_down);
}
