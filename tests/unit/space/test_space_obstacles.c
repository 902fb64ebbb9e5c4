/* Ways around obstacles: every kind of call and setting, what is refused, what blocked curves say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "context_fixture.h"
#include "space/space.h"
#include "space_fixture.h"
#include "space_with.h"

/* On the way of the letter J; a wall across all of it. */
static const rm2_region ball = {RM2_REGION_SPHERE, 2, {0.28, -1.05}, {0}, 0.1};
static const rm2_region wall = {RM2_REGION_BOX, 2, {-0.3, -9}, {-0.2, 9}, 0};
static const rm2_obstacles one = {1, &ball, RM2_ALL_FACTORS}, walled = {1, &wall, RM2_ALL_FACTORS};

static rm2_space_settings around_settings(void) {
    rm2_space_settings s = quick_settings();
    s.nodes = 40;
    s.tolerance = 1e-2;
    s.obstacles = &one;
    s.clearance = 0.05;
    return s;
}

/* Least distance of the decoded points of many samples of the polygon, less K largest deviations of the position. */
static double sampled(const rm2_curve *c, const rm2_region *r, double K) {
    enum { SAMPLES = 30 };
    size_t M = rm2_model_info_of(model)->outputs;
    double point[D], *covariance = numbers(M * M), least = INFINITY, x[Q];
    for (size_t i = 0; i < (c->nodes - 1) * SAMPLES; i++) {
        const double *a = c->x + i / SAMPLES * Q;
        for (size_t q = 0; q < Q; q++)
            x[q] = a[q] + (double)(i % SAMPLES) / SAMPLES * (a[Q + q] - a[q]);
        ok(rm2_model_decode(ctx, model, 1, x, point, NULL, covariance, NULL));
        double p = covariance[0], q = covariance[1], s = covariance[M + 1];
        double sigma = toy->scale[0] * sqrt((p + s) / 2 + hypot((p - s) / 2, q));
        least = fmin(least, rm2_region_distance(r, point, NULL) - K * sigma);
    }
    free(covariance);
    return least;
}

static const double *from(void) {
    return latents;
}

static const double *to(void) {
    return latents + (N / 2 - 1) * Q;
}

static rm2_curve *path_in(const rm2_space_settings *s) {
    rm2_space *space = make_space(s, 0, NULL);
    rm2_curve *c;
    ok(rm2_space_geodesic(ctx, space, from(), to(), &c));
    rm2_space_free(space);
    return c;
}

/* Without obstacles the path goes through the ball; with them it does not, whatever the stage, metric and roadmap. */
static void goes_around(void **state) {
    (void)state;
    rm2_space_settings s = around_settings();
    s.obstacles = NULL;
    s.clearance = 0;
    rm2_curve *c = path_in(&s);
    assert_true(isinf(c->clearance) && !c->blocked);
    assert_true(sampled(c, &ball, 0) < 0);
    rm2_curve_free(c);
    for (int stage = RM2_STAGE_PATH; stage <= RM2_STAGE_POLISH; stage++)
        for (int metric = RM2_SPACE_PULLBACK; metric <= RM2_SPACE_STRAIGHT; metric++) {
            s = around_settings();
            s.stage = (rm2_geodesic_stage)stage;
            s.metric = (rm2_space_metric_kind)metric;
            c = path_in(&s);
            assert_false(c->blocked);
            assert_true(c->clearance >= s.clearance && sampled(c, &ball, 0) >= s.clearance);
            assert_true(c->stage <= s.stage && c->nodes == s.nodes && c->length > 0);
            if (c->converged)
                assert_true(c->stage == s.stage);
            assert_memory_equal(c->x, from(), Q * sizeof *c->x);
            assert_memory_equal(c->x + (c->nodes - 1) * Q, to(), Q * sizeof *c->x);
            rm2_curve_free(c);
        }
}

/* A curve with few nodes has long sides: it is clear along all of them, or it says that it is not. Some are the way that
 * was searched for, with the corners that it needs. */
static void few_nodes(void **state) {
    (void)state;
    size_t ways = 0;
    for (size_t nodes = 2; nodes <= 16; nodes++) {
        rm2_space_settings s = around_settings();
        s.nodes = nodes;
        rm2_curve *c = path_in(&s);
        assert_true(c->nodes == nodes);
        assert_true(c->blocked || sampled(c, &ball, 0) >= s.clearance);
        ways += !c->blocked && c->stage == RM2_STAGE_PATH;
        rm2_curve_free(c);
    }
    assert_true(ways > 0);
}

/* Regions that grow with the uncertainty are passed at a larger distance. */
static void deviations(void **state) {
    (void)state;
    rm2_space_settings s = around_settings();
    const double K = 0.5;
    s.deviations = K;
    rm2_curve *c = path_in(&s);
    assert_false(c->blocked);
    assert_true(sampled(c, &ball, K) >= s.clearance);
    assert_true(c->clearance >= s.clearance && c->clearance <= sampled(c, &ball, K) + 1e-9);
    rm2_curve_free(c);
}

static void graph(void **state) {
    (void)state;
    static const rm2_region small = {RM2_REGION_SPHERE, 2, {0.28, -1.05}, {0}, 0.02};
    const rm2_obstacles o = {1, &small, 0};
    rm2_space_settings s = around_settings();
    s.roadmap = RM2_SPACE_GRAPH;
    s.grid_points = 0;
    s.obstacles = &o;
    s.clearance = 0;
    rm2_curve *c = path_in(&s);
    assert_true(c->blocked || sampled(c, &small, 0) >= 0);
    rm2_curve_free(c);
}

/* ---- blocked -------------------------------------------------------------------------------- */

static void blocked(void **state) {
    (void)state;
    rm2_space_settings s = around_settings();
    s.obstacles = &walled;
    rm2_space *space = make_space(&s, 0, NULL);
    rm2_curve *c;
    double distance[9], clearance, points[3 * Q];
    size_t unconverged;
    ok(rm2_space_geodesic(ctx, space, from(), to(), &c));
    assert_true(c->blocked && !c->converged && c->clearance < 0);
    ok(rm2i_space_clearance(ctx, space, c->nodes, c->x, &clearance));
    assert_true(clearance == c->clearance);
    rm2_curve_free(c);
    memcpy(points, from(), Q * sizeof *points);
    memcpy(points + Q, from() + Q, Q * sizeof *points);
    memcpy(points + 2 * Q, to(), Q * sizeof *points);
    ok(rm2_space_distances(ctx, space, 3, points, distance, &unconverged));
    assert_true(isfinite(distance[1]) && distance[1] == distance[3]);
    assert_true(isinf(distance[2]) && isinf(distance[5]) && distance[0] == 0 && distance[8] == 0);
    rm2_space_free(space);
}

/* An end inside of a region. */
static void end_inside(void **state) {
    (void)state;
    double point[D];
    ok(rm2_model_decode(ctx, model, 1, from(), point, NULL, NULL, NULL));
    const rm2_region here = {RM2_REGION_SPHERE, 2, {point[0], point[1]}, {0}, 0.05};
    const rm2_obstacles o = {1, &here, RM2_ALL_FACTORS};
    rm2_space_settings s = around_settings();
    s.obstacles = &o;
    rm2_curve *c = path_in(&s);
    assert_true(c->blocked && c->clearance <= -0.05 + 1e-6);
    rm2_curve_free(c);
}

/* ---- several points ------------------------------------------------------------------------- */

/* On one thread: workers compute on one thread each, and the blocks of a metric's points, which OpenBLAS rounds in their
 * own way, are as many as the threads. */
static void through_and_many(void **state) {
    (void)state;
    rm2_context_set_threads(ctx, 1);
    rm2_space_settings s = around_settings();
    rm2_space *space = make_space(&s, 0, NULL), *bare, *again;
    double stops[3 * Q], ends[2 * Q];
    rm2_curve *c, *pairs[2];
    size_t failed;
    memcpy(stops, from(), Q * sizeof *stops);
    memcpy(stops + Q, latents + 3 * Q, Q * sizeof *stops);
    memcpy(stops + 2 * Q, to(), Q * sizeof *stops);
    ok(rm2_space_through(ctx, space, 3, stops, &c));
    assert_true(!c->blocked && sampled(c, &ball, 0) >= s.clearance);
    rm2_curve_free(c);
    memcpy(ends, to(), Q * sizeof *ends);
    memcpy(ends + Q, to(), Q * sizeof *ends);
    ok(rm2_space_many(ctx, space, 2, stops, ends, pairs, &failed));
    assert_true(failed == SIZE_MAX);
    ok(rm2_space_geodesic(ctx, space, from(), to(), &c));
    assert_same_curve(c, pairs[0]);
    for (int k = 0; k < 2; k++) {
        assert_true(!pairs[k]->blocked && sampled(pairs[k], &ball, 0) >= s.clearance);
        rm2_curve_free(pairs[k]);
    }
    ok(space_with_obstacles(ctx, space, NULL, 0, 0, &bare));
    assert_null(rm2_space_settings_of(bare)->obstacles);
    ok(space_with_obstacles(ctx, bare, &one, s.clearance, 0, &again));
    rm2_space_free(space);
    ok(rm2_space_geodesic(ctx, again, from(), to(), &pairs[0]));
    assert_same_curve(c, pairs[0]);
    rm2_curve_free(pairs[0]);
    rm2_curve_free(c);
    rm2_space_free(bare);
    rm2_space_free(again);
}

/* Distances are the lengths of single paths, whatever the number of threads and what other pairs needed: of blocked pairs
 * in between, too. */
static void distances_are_lengths(void **state) {
    (void)state;
    enum { POINTS = 6 };
    rm2_space_settings s = around_settings();
    double points[POINTS * Q], expected[POINTS * POINTS], distance[POINTS * POINTS];
    size_t step = (N / 2 - 1) / (POINTS - 1), unconverged;
    rm2_context_set_threads(ctx, 1); /* as above */
    for (size_t i = 0; i < POINTS; i++)
        memcpy(points + i * Q, latents + i * step * Q, Q * sizeof *points);
    for (int blocked = 0; blocked < 2; blocked++) {
        const rm2_region both[2] = {ball, wall};
        const rm2_obstacles o = {blocked ? 2 : 1, both, RM2_ALL_FACTORS};
        s.obstacles = &o;
        rm2_space *space = make_space(&s, 0, NULL);
        for (size_t i = 0; i < POINTS; i++)
            for (size_t k = i + 1; k < POINTS; k++) {
                rm2_curve *c;
                ok(rm2_space_geodesic(ctx, space, points + i * Q, points + k * Q, &c));
                expected[i * POINTS + k] = c->blocked ? INFINITY : c->length;
                rm2_curve_free(c);
            }
        for (int threads = 1; threads <= 4; threads++) {
            rm2_context_set_threads(ctx, threads);
            ok(rm2_space_distances(ctx, space, POINTS, points, distance, &unconverged));
            for (size_t i = 0; i < POINTS; i++)
                for (size_t k = i + 1; k < POINTS; k++) {
                    assert_true(distance[i * POINTS + k] == expected[i * POINTS + k]);
                    assert_true(distance[k * POINTS + i] == expected[i * POINTS + k]);
                }
        }
        rm2_context_set_threads(ctx, 1);
        rm2_space_free(space);
    }
}

static double seconds_of_distances(const rm2_space *space, size_t n, const double *points) {
    double *distance = numbers(n * n);
    clock_t start = clock();
    ok(rm2_space_distances(ctx, space, n, points, distance, NULL));
    free(distance);
    return (double)(clock() - start);
}

/* The clearances of a grid are found once per call. They are most of the work of one path, so that 66 pairs take about 10 times as
 * long as one and not 66 times; processor time of this process, which others on the machine do not add to. */
static void obstacles_are_read_once(void **state) {
    (void)state;
    enum { POINTS = 12 };
    rm2_space_settings s = around_settings();
    s.stage = RM2_STAGE_PATH;
    s.grid_points = 120;
    double points[POINTS * Q];
    for (size_t i = 0; i < POINTS; i++)
        memcpy(points + i * Q, latents + i * Q, Q * sizeof *points);
    rm2_space *space = make_space(&s, 0, NULL);
    double pair = seconds_of_distances(space, 2, points);
    double all = seconds_of_distances(space, POINTS, points);
    if (!(all < 33 * pair))
        fail_msg("%d points: %g times the time of two", POINTS, all / pair);
    rm2_space_free(space);
}

/* Outside of the grid a call has a grid of its own. */
static void outside(void **state) {
    (void)state;
    rm2_space_settings s = around_settings();
    rm2_space *space = make_space(&s, 0, NULL);
    const double far[Q] = {from()[0] + 4, from()[1]};
    rm2_curve *c;
    ok(rm2_space_geodesic(ctx, space, far, to(), &c));
    assert_true(c->blocked || sampled(c, &ball, 0) >= s.clearance);
    rm2_curve_free(c);
    rm2_space_free(space);
}

/* An end at any distance takes no more time than one nearby: far lines are straight, and need not be cut into pieces. (With
 * pieces of a size that the data need, the second of these took minutes.) */
static void far_away(void **state) {
    (void)state;
    static const double distances[] = {1e3, 1e8, 1e150};
    rm2_space_settings s = around_settings();
    s.stage = RM2_STAGE_PATH;
    for (int sigmas = 0; sigmas < 2; sigmas++) {
        s.deviations = sigmas;
        rm2_space *space = make_space(&s, 0, NULL);
        for (size_t k = 0; k < sizeof distances / sizeof *distances; k++) {
            const double far[Q] = {from()[0] + distances[k], from()[1]};
            rm2_curve *c;
            ok(rm2_space_geodesic(ctx, space, far, to(), &c));
            assert_true(c->blocked || sampled(c, &ball, sigmas) >= s.clearance);
            rm2_curve_free(c);
        }
        rm2_space_free(space);
    }
}

/* ---- refused -------------------------------------------------------------------------------- */

static void refused(const rm2_space_settings *s, const char *message) {
    rm2_space *space;
    assert_int_equal(rm2_space_create(ctx, model, s, 0, NULL, &space), RM2_ERR_ARGUMENT);
    assert_null(space);
    assert_contains(rm2_context_error(ctx), message);
}

static void refusals(void **state) {
    (void)state;
    rm2_space_settings s = around_settings();
    rm2_region bad = ball;
    rm2_obstacles o = {1, &bad, RM2_ALL_FACTORS};
    double x[Q] = {0}, v[Q] = {0}, end[Q];
    s.roadmap = RM2_SPACE_LINE;
    s.grid_points = 0;
    refused(&s, "settings.roadmap is line");
    s = around_settings();
    s.obstacles = &o;
    bad.radius = -1;
    refused(&s, "settings.obstacles: region 1: sphere: radius is -1");
    bad = ball;
    bad.dim = 3;
    refused(&s, "region 1: 3 dimensions; the positions have 2");
    bad = ball;
    o.factor = 1;
    refused(&s, "settings.obstacles: factor 2 of R2 x S2 is not Euclidean");
    o = (rm2_obstacles){1, NULL, 0};
    refused(&s, "regions is NULL");
    s = around_settings();
    s.clearance = -1;
    refused(&s, "settings.clearance is -1");
    s = around_settings();
    rm2_space *space = make_space(&s, 0, NULL);
    assert_contains(rm2_space_text(space), "around 1 obstacle, clearance 0.05");
    assert_true(rm2_space_settings_of(space)->obstacles->regions != &ball);
    assert_int_equal(rm2_space_exp(ctx, space, x, v, end, NULL, 0, NULL), RM2_ERR_UNSUPPORTED);
    assert_int_equal(rm2_space_log(ctx, space, x, x, v, NULL), RM2_ERR_UNSUPPORTED);
    assert_int_equal(rm2_space_mean(ctx, space, 2, latents, NULL, NULL, end, NULL),
                     RM2_ERR_UNSUPPORTED);
    assert_contains(rm2_context_error(ctx), "means do not support obstacles");
    rm2_space_free(space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_around),
        cmocka_unit_test(few_nodes),
        cmocka_unit_test(deviations),
        cmocka_unit_test(graph),
        cmocka_unit_test(blocked),
        cmocka_unit_test(end_inside),
        cmocka_unit_test(through_and_many),
        cmocka_unit_test(distances_are_lengths),
        cmocka_unit_test(obstacles_are_read_once),
        cmocka_unit_test(outside),
        cmocka_unit_test(far_away),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, space_set_up, space_tear_down);
}
