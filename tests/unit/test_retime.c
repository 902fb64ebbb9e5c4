/* Times of trajectories: limits are looked up again in the times, from distances over durations;
 * where the fastest motion is known, it comes out. 1e-9 is rounding, relative. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "riemann2/geodesic.h"

#define ROUNDING 1e-9

enum { MOST = 801, WIDTH = 7 };

static int set_up(void **state) {
    rm2_context *ctx;
    assert_int_equal(rm2_context_create(&ctx), RM2_OK);
    *state = ctx;
    return 0;
}

static int tear_down(void **state) {
    rm2_context_free(*state);
    return 0;
}

static void assert_ok(rm2_context *ctx, rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

static rm2_manifold *manifold(rm2_context *ctx, const char *spec) {
    rm2_manifold *m;
    assert_ok(ctx, rm2_manifold_create(ctx, spec, &m));
    return m;
}

/* Distance of points i and i + 1 in one factor. */
static double step_of(rm2_context *ctx, const rm2_manifold *m, const double *points, size_t i,
                      size_t f) {
    const rm2_factor *factor = rm2_manifold_factor(m, f);
    const double *p = points + i * rm2_manifold_ambient(m) + factor->ambient_offset;
    rm2_manifold *alone;
    double d;
    assert_ok(ctx, rm2_manifold_from_factors(ctx, factor, 1, &alone));
    assert_ok(ctx, rm2_manifold_distance(ctx, alone, 1, p, 1, p + rm2_manifold_ambient(m), &d));
    rm2_manifold_free(alone);
    return d;
}

/* The largest speed, and change of speed a second, of a factor: mean speeds of two steps are half
 * of both durations apart; before and behind the trajectory there is rest. */
static void measure(rm2_context *ctx, const rm2_manifold *m, size_t n, const double *points,
                    const double *time, size_t f, double *speed, double *acceleration) {
    double before = 0, duration_before = 0;
    *speed = *acceleration = 0;
    assert_true(time[0] == 0);
    for (size_t i = 0; i + 1 < n; i++) {
        double duration = time[i + 1] - time[i], d = step_of(ctx, m, points, i, f);
        assert_true(duration >= 0 && isfinite(duration));
        if (duration == 0)
            continue; /* no limited factor moves */
        double now = d / duration;
        *speed = fmax(*speed, now);
        *acceleration = fmax(*acceleration, 2 * fabs(now - before) / (duration + duration_before));
        before = now;
        duration_before = duration;
    }
    *acceleration = fmax(*acceleration, 2 * before / duration_before);
}

/* ---- closed forms --------------------------------------------------------------------------- */

static void line(size_t n, double length, double *x) {
    for (size_t i = 0; i < n; i++)
        x[i] = length * (double)i / (double)(n - 1);
}

/* From rest to rest: length/v + v/a with a stretch of full speed, 2 sqrt(length/a) without. */
static void straight_line(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = manifold(ctx, "R1");
    double x[MOST], time[MOST], speed = 2, acceleration = 4;
    rm2_speed_limits limits = {&speed, &acceleration};
    line(81, 8, x); /* full speed after v^2/(2 a) = 0.5: at a point */
    assert_ok(ctx, rm2_retime(ctx, m, 81, x, &limits, time));
    assert_true(fabs(time[80] - (8 / 2.0 + 2 / 4.0)) < ROUNDING);
    assert_true(fabs(time[5] - 0.5) < ROUNDING && fabs(time[75] - 4) < ROUNDING);
    limits.speed = NULL;
    assert_ok(ctx, rm2_retime(ctx, m, 81, x, &limits, time));
    assert_true(fabs(time[80] - 2 * sqrt(8 / 4.0)) < ROUNDING);
    assert_ok(ctx, rm2_retime(ctx, m, 2, (const double[]){0, 8}, &limits, time)); /* one step */
    assert_true(fabs(time[1] - 2 * sqrt(8 / 4.0)) < ROUNDING);
    limits = (rm2_speed_limits){&speed, NULL};
    assert_ok(ctx, rm2_retime(ctx, m, 81, x, &limits, time));
    for (size_t i = 0; i < 81; i++)
        assert_true(fabs(time[i] - 0.05 * (double)i) < ROUNDING);
    rm2_manifold_free(m);
}

/* ---- limits --------------------------------------------------------------------------------- */

/* A smooth trajectory in R3 x S3, whose factors hurry and rest at different times. */
static void smooth(size_t n, double *points) {
    for (size_t i = 0; i < n; i++) {
        double t = (double)i / (double)(n - 1), *x = points + i * WIDTH;
        double angle = 1.5 * sin(4 * t) * sin(4 * t), turn = t * t;
        x[0] = cos(5 * t);
        x[1] = sin(3 * t);
        x[2] = t * t * t;
        x[3] = cos(angle) * cos(turn);
        x[4] = sin(angle) * cos(turn);
        x[5] = cos(angle) * sin(turn);
        x[6] = sin(angle) * sin(turn);
    }
}

static void speeds_keep_their_limits(void **state) {
    rm2_context *ctx = *state;
    enum { N = 60 };
    rm2_manifold *m = manifold(ctx, "R3 x S3");
    double points[N * WIDTH], time[N], limit[2] = {0.4, 0.7};
    rm2_speed_limits limits = {limit, NULL};
    smooth(N, points);
    assert_ok(ctx, rm2_retime(ctx, m, N, points, &limits, time));
    for (size_t i = 0; i + 1 < N; i++) { /* one of them is reached in every step */
        double a = step_of(ctx, m, points, i, 0) / limit[0];
        double b = step_of(ctx, m, points, i, 1) / limit[1];
        assert_true(fabs(time[i + 1] - time[i] - fmax(a, b)) < ROUNDING);
    }
    limit[1] = 0;
    assert_ok(ctx, rm2_retime(ctx, m, N, points, &limits, time));
    for (size_t i = 0; i + 1 < N; i++)
        assert_true(fabs(time[i + 1] - time[i] - step_of(ctx, m, points, i, 0) / 0.4) < ROUNDING);
    rm2_manifold_free(m);
}

/* One factor, steps of very different lengths, and points that repeat: limits are exact. */
static void one_factor_keeps_its_limits(void **state) {
    rm2_context *ctx = *state;
    enum { N = 200 };
    rm2_manifold *m = manifold(ctx, "R1");
    rm2_rng rng;
    rm2_rng_seed(&rng, 6);
    for (int trial = 0; trial < 50; trial++) {
        double x[N] = {0}, time[N], limit[2] = {0.5 + trial % 3, 1 + trial % 4};
        double speed, acceleration, way = 0;
        for (size_t i = 1; i < N; i++) {
            double step = exp(1.5 * rm2_rng_normal(&rng)) * (i % 9 ? 1 : 0);
            x[i] = x[i - 1] + (i % 50 > 25 ? -step : step);
            way += fabs(x[i] - x[i - 1]);
        }
        rm2_speed_limits limits = {&limit[0], &limit[1]};
        assert_ok(ctx, rm2_retime(ctx, m, N, x, &limits, time));
        measure(ctx, m, N, x, time, 0, &speed, &acceleration);
        assert_true(speed <= limit[0] * (1 + ROUNDING));
        assert_true(acceleration <= limit[1] * (1 + ROUNDING));
        /* and no slower, however the way is cut into steps */
        assert_true(fabs(time[N - 1] / (way / limit[0] + limit[0] / limit[1]) - 1) < ROUNDING);
        for (size_t i = 0; i + 1 < N; i++)
            assert_int_equal(x[i] == x[i + 1], time[i] == time[i + 1]);
    }
    rm2_manifold_free(m);
}

/* Several factors: speeds exactly; accelerations up to the steps' length, less the finer they are.
 * */
static void products_keep_their_limits(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = manifold(ctx, "R3 x S3");
    double *points = calloc((size_t)MOST * WIDTH, sizeof *points), time[MOST], excess[2], total[2];
    double speeds[2] = {1.1, 0.8}, accelerations[2] = {2, 3};
    rm2_speed_limits limits = {speeds, accelerations};
    assert_non_null(points);
    for (size_t pass = 0; pass < 2; pass++) {
        size_t n = pass ? MOST : 101;
        smooth(n, points);
        assert_ok(ctx, rm2_retime(ctx, m, n, points, &limits, time));
        excess[pass] = 0;
        total[pass] = time[n - 1];
        for (size_t f = 0; f < 2; f++) {
            double speed, acceleration;
            measure(ctx, m, n, points, time, f, &speed, &acceleration);
            assert_true(speed <= speeds[f] * (1 + ROUNDING) && speed > 0.9 * speeds[f]);
            assert_true(acceleration > 0.9 * accelerations[f]);
            excess[pass] = fmax(excess[pass], acceleration / accelerations[f] - 1);
        }
    }
    assert_true(excess[0] < 0.05 && excess[1] < excess[0] / 4); /* steps of an eighth */
    assert_true(fabs(total[0] - total[1]) < 0.02 * total[1]);
    free(points);
    rm2_manifold_free(m);
}

/* First one factor moves, then the other: both must be at rest between. */
static void factors_take_turns(void **state) {
    rm2_context *ctx = *state;
    enum { N = 801 };
    rm2_manifold *m = manifold(ctx, "R1 x R1");
    double points[N * 2], time[N], accelerations[2] = {1, 1};
    rm2_speed_limits limits = {NULL, accelerations};
    for (size_t i = 0; i < N; i++) {
        points[2 * i] = fmin((double)i / 400, 1);
        points[2 * i + 1] = fmax((double)i / 400 - 1, 0);
    }
    assert_ok(ctx, rm2_retime(ctx, m, N, points, &limits, time));
    /* twice from rest to rest, 2 sqrt(1/a) each; corners are rounded by a step of 1/400 */
    assert_true(fabs(time[N - 1] - 4) < 0.1);
    for (size_t f = 0; f < 2; f++) {
        double speed, acceleration;
        measure(ctx, m, N, points, time, f, &speed, &acceleration);
        assert_true(acceleration < 1.5); /* the corner is within a step: more cannot be seen */
    }
    rm2_manifold_free(m);
}

/* ---- special cases -------------------------------------------------------------------------- */

static void units_do_not_count(void **state) {
    rm2_context *ctx = *state;
    enum { N = 50 };
    rm2_manifold *m = manifold(ctx, "R3 x S3");
    double points[N * WIDTH], time[N], other[N], speeds[2] = {1, 0.8}, accelerations[2] = {2, 3};
    rm2_speed_limits limits = {speeds, accelerations};
    smooth(N, points);
    assert_ok(ctx, rm2_retime(ctx, m, N, points, &limits, time));
    for (size_t i = 0; i < N * WIDTH; i++) /* metres become millimetres */
        points[i] *= i % WIDTH < 3 ? 1000 : 1;
    speeds[0] *= 1000;
    accelerations[0] *= 1000;
    assert_ok(ctx, rm2_retime(ctx, m, N, points, &limits, other));
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(time[i] - other[i]) < ROUNDING);
    rm2_manifold_free(m);
}

/* A factor without limits does not take time, with or without accelerations. */
static void unlimited_factors_are_free(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = manifold(ctx, "R1 x R1"), *one = manifold(ctx, "R1");
    const double points[10] = {0, 0, 1, 5, 1, 9, 1, 9, 3, 9}, first[3] = {0, 1, 3};
    double time[5], alone[3], speeds[2] = {2, 0}, accelerations[2] = {1, 0};
    for (int pass = 0; pass < 3; pass++) {
        rm2_speed_limits limits = {pass == 1 ? NULL : speeds, pass == 0 ? NULL : accelerations};
        assert_ok(ctx, rm2_retime(ctx, m, 5, points, &limits, time));
        assert_ok(ctx, rm2_retime(ctx, one, 3, first, &limits, alone));
        assert_true(time[1] == time[2] && time[2] == time[3]);
        assert_true(time[1] == alone[1] && time[4] == alone[2]);
    }
    rm2_manifold_free(m);
    rm2_manifold_free(one);
}

static void nothing_moves(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = manifold(ctx, "R1");
    const double points[3] = {2, 2, 2};
    double time[3] = {NAN, NAN, NAN}, limit = 1;
    rm2_speed_limits limits = {&limit, &limit};
    assert_ok(ctx, rm2_retime(ctx, m, 3, points, &limits, time));
    assert_true(time[0] == 0 && time[1] == 0 && time[2] == 0);
    time[0] = NAN;
    assert_ok(ctx, rm2_retime(ctx, m, 1, points, &limits, time));
    assert_true(time[0] == 0);
    rm2_manifold_free(m);
}

static void bad_input_is_refused(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = manifold(ctx, "R1 x S2");
    double points[8] = {0, 1, 0, 0, 1, 0, 1, 0}, time[2], limit[2] = {0, 0};
    rm2_speed_limits limits = {limit, NULL};
    assert_int_equal(rm2_retime(ctx, m, 2, points, &limits, time), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "no factor of R1 x S2 has a limit"));
    limit[1] = -1;
    assert_int_equal(rm2_retime(ctx, m, 2, points, &limits, time), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "the speed limit of factor 2 is -1"));
    limit[1] = NAN;
    limits = (rm2_speed_limits){NULL, limit};
    assert_int_equal(rm2_retime(ctx, m, 2, points, &limits, time), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "the acceleration limit of factor 2 is nan"));
    limit[1] = 1;
    assert_int_equal(rm2_retime(ctx, m, 0, points, &limits, time), RM2_ERR_ARGUMENT);
    points[4] = INFINITY;
    assert_int_equal(rm2_retime(ctx, m, 2, points, &limits, time), RM2_ERR_DOMAIN);
    assert_non_null(strstr(rm2_context_error(ctx), "points 0 and 1 in factor 1 (R1)"));
    points[4] = 1e100;
    limit[0] = 1e-300;
    limits = (rm2_speed_limits){limit, NULL};
    assert_int_equal(rm2_retime(ctx, m, 2, points, &limits, time), RM2_ERR_NUMERIC);
    assert_non_null(strstr(rm2_context_error(ctx), "beyond what numbers can hold"));
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(straight_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(speeds_keep_their_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_factor_keeps_its_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(products_keep_their_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(factors_take_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(units_do_not_count, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unlimited_factors_are_free, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_moves, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_input_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
