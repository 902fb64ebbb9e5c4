/* Every allocation of a space and of what it is asked fails once: the call answers RM2_ERR_MEMORY, hands
 * out nothing and leaks nothing. */
#include <stdlib.h>
#include <string.h>

#include "failing_malloc.h"
#include "geodesic/geodesic.h"
#include "space/space.h"
#include "space_fixture.h"
#include "space_with.h"

static rm2_space *shared;
static double far[2 * Q] = {3, -4, 0, 0}; /* outside of the grid, and inside */

/* ---- calls under test ----------------------------------------------------------------------- */

static const double centre[2] = {0.3, 0.2}, radius[1] = {0.4}, height[1] = {30};
static const rm2_discouraged discouraged = {1, 0, 2, centre, radius, height};

static rm2_space_settings small_settings(void) {
    rm2_space_settings s = quick_settings();
    s.grid_points = 6;
    s.nodes = 4;
    return s;
}

static rm2_status make(const rm2_space_settings *s) {
    rm2_space *space = shared; /* anything that is not NULL */
    rm2_status status = rm2_space_create(ctx, model, s, 1, far, &space);
    assert_true((space != NULL) == (status == RM2_OK));
    rm2_space_free(space);
    return status;
}

static rm2_status create(void *state) {
    rm2_space_settings s = small_settings();
    (void)state;
    return make(&s);
}

static rm2_status create_with_discouraged(void *state) {
    rm2_space_settings s = small_settings();
    (void)state;
    s.discouraged = &discouraged;
    s.roadmap = RM2_SPACE_GRAPH;
    s.grid_points = 0;
    return make(&s);
}

static rm2_status create_density(void *state) {
    rm2_space_settings s = small_settings();
    (void)state;
    s.metric = RM2_SPACE_DENSITY;
    return make(&s);
}

static rm2_status from_metric(void *state) {
    rm2_space *space = shared;
    (void)state;
    rm2_space_settings s = small_settings();
    rm2_status status =
        rm2_space_from_metric(ctx, rm2_space_metric(shared), &s, N, latents, &space);
    assert_true((space != NULL) == (status == RM2_OK));
    rm2_space_free(space);
    return status;
}

static rm2_status with_other_geodesics(void *state) {
    rm2_space *space = shared;
    (void)state;
    rm2_status status = rm2_space_with_settings(ctx, shared, rm2_space_settings_of(shared), &space);
    assert_true((space != NULL) == (status == RM2_OK));
    rm2_space_free(space);
    return status;
}

static rm2_status geodesic(void *state) {
    rm2_curve *curve = (rm2_curve *)shared;
    (void)state;
    rm2_status status = rm2_space_geodesic(ctx, shared, far, latents, &curve);
    assert_true((curve != NULL) == (status == RM2_OK));
    rm2_curve_free(curve);
    return status;
}

/* Curves are all there or none is. */
static rm2_status many(void *state) {
    rm2_curve *curves[2];
    (void)state;
    rm2_status status = rm2_space_many(ctx, shared, 2, latents, latents + Q, curves, NULL);
    for (int k = 0; k < 2; k++) {
        assert_true((curves[k] != NULL) == (status == RM2_OK));
        rm2_curve_free(curves[k]);
    }
    return status;
}

static const rm2_region ball = {RM2_REGION_SPHERE, 2, {0.28, -1.05}, {0}, 0.1};
static const rm2_region wall = {RM2_REGION_BOX, 2, {-0.3, -9}, {-0.2, 9}, 0};

/* Around an obstacle; a wall has ways tried on finer grids as well. */
static rm2_status around(void *region) {
    rm2_curve *curve = (rm2_curve *)shared;
    rm2_space *space = shared;
    const rm2_obstacles obstacles = {1, region, RM2_ALL_FACTORS};
    double clearance;
    rm2_status status = space_with_obstacles(ctx, shared, &obstacles, 0, 0, &space);
    assert_true((space != NULL) == (status == RM2_OK));
    if (status != RM2_OK)
        return status;
    rm2_space *path;
    rm2_space_settings g = *rm2_space_settings_of(space);
    g.stage = region == (void *)&wall ? RM2_STAGE_PATH : RM2_STAGE_SPLINE;
    status = rm2_space_with_settings(ctx, space, &g, &path);
    rm2_space_free(space);
    if (status != RM2_OK)
        return status;
    space = path;
    status = rm2_space_geodesic(ctx, space, latents, latents + (N / 2 - 1) * Q, &curve);
    assert_true((curve != NULL) == (status == RM2_OK));
    if (status == RM2_OK)
        status = rm2i_space_clearance(ctx, space, curve->nodes, curve->x, &clearance);
    rm2_curve_free(curve);
    rm2_space_free(space);
    return status;
}

static rm2_status lengths(void *state) {
    double length;
    (void)state;
    rm2_status status = rm2_space_straight_length(ctx, shared, 2, far, &length);
    return status == RM2_OK ? rm2_space_path_length(ctx, shared, 2, far, &length, NULL) : status;
}

static rm2_status decode(void *state) {
    double points[2 * D], deviation[2];
    (void)state;
    return rm2_space_decode(ctx, shared, 2, far, points, deviation);
}

/* ---- the tests ------------------------------------------------------------------------------ */

static int set_up(void **state) {
    if (space_set_up(state) != 0)
        return 1;
    rm2_context_set_threads(ctx, 1);
    rm2_space_settings s = small_settings();
    shared = make_space(&s, 0, NULL);
    return 0;
}

static int tear_down(void **state) {
    rm2_space_free(shared);
    return space_tear_down(state);
}

static void every_call(void **state) {
    (void)state;
    assert_true(fail_each_allocation(ctx, create, NULL) >= 25);
    assert_true(fail_each_allocation(ctx, create_with_discouraged, NULL) >= 25);
    assert_true(fail_each_allocation(ctx, create_density, NULL) >= 15);
    assert_true(fail_each_allocation(ctx, from_metric, NULL) >= 8);
    assert_true(fail_each_allocation(ctx, with_other_geodesics, NULL) == 2);
    assert_true(fail_each_allocation(ctx, geodesic, NULL) >= 30);
    assert_true(fail_each_allocation(ctx, many, NULL) >= 40);
    assert_true(fail_each_allocation(ctx, around, (void *)&ball) >= 20);
    assert_true(fail_each_allocation(ctx, around, (void *)&wall) >= 15);
    assert_true(fail_each_allocation(ctx, lengths, NULL) >= 3);
    assert_true(fail_each_allocation(ctx, decode, NULL) >= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
