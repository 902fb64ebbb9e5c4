/* Times of trajectories: what limits of speed and simple ways lead to, special cases, and what is
 * refused. */
#include "riemann2/trajectory.h"
#include "timing_fixture.h"

static void line(size_t n, double length, double *x) {
    for (size_t i = 0; i < n; i++)
        x[i] = length * (double)i / (double)(n - 1);
}

/* From rest to rest: length/v + v/a with a stretch of full speed, 2 sqrt(length/a) without. */
static void straight_line(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R1");
    double x[81], time[81], speed = 2, acceleration = 4;
    rm2_speed_limits limits = {&speed, &acceleration};
    line(81, 8, x); /* full speed after v^2/(2 a) = 0.5: at a point */
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, 81, x, &limits, time));
    assert_true(fabs(time[80] - (8 / 2.0 + 2 / 4.0)) < ROUNDING);
    assert_true(fabs(time[5] - 0.5) < ROUNDING && fabs(time[75] - 4) < ROUNDING);
    limits.speed = NULL;
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, 81, x, &limits, time));
    assert_true(fabs(time[80] - 2 * sqrt(8 / 4.0)) < ROUNDING);
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, 2, (const double[]){0, 8}, &limits,
                                         time)); /* one step */
    assert_true(fabs(time[1] - 2 * sqrt(8 / 4.0)) < ROUNDING);
    limits = (rm2_speed_limits){&speed, NULL};
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, 81, x, &limits, time));
    for (size_t i = 0; i < 81; i++)
        assert_true(fabs(time[i] - 0.05 * (double)i) < ROUNDING);
    rm2_manifold_free(m);
}

static void speeds_keep_their_limits(void **state) {
    rm2_context *ctx = *state;
    enum { N = 60 };
    rm2_manifold *m = make_manifold(ctx, "R3 x S3");
    double points[N * WIDTH], time[N], limit[2] = {0.4, 0.7};
    rm2_speed_limits limits = {limit, NULL};
    smooth(N, points);
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, N, points, &limits, time));
    for (size_t i = 0; i + 1 < N; i++) { /* one of them is reached in every step */
        double a = step_of(ctx, m, points, i, 0) / limit[0];
        double b = step_of(ctx, m, points, i, 1) / limit[1];
        assert_true(fabs(time[i + 1] - time[i] - fmax(a, b)) < ROUNDING);
    }
    limit[1] = 0;
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, N, points, &limits, time));
    for (size_t i = 0; i + 1 < N; i++)
        assert_true(fabs(time[i + 1] - time[i] - step_of(ctx, m, points, i, 0) / 0.4) < ROUNDING);
    rm2_manifold_free(m);
}

/* ---- special cases -------------------------------------------------------------------------- */

static void units_do_not_count(void **state) {
    rm2_context *ctx = *state;
    enum { N = 50 };
    rm2_manifold *m = make_manifold(ctx, "R3 x S3");
    double points[N * WIDTH], time[N], other[N], speeds[2] = {1, 0.8}, accelerations[2] = {2, 3};
    rm2_speed_limits limits = {speeds, accelerations};
    smooth(N, points);
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, N, points, &limits, time));
    for (size_t i = 0; i < N * WIDTH; i++) /* metres become millimetres */
        points[i] *= i % WIDTH < 3 ? 1000 : 1;
    speeds[0] *= 1000;
    accelerations[0] *= 1000;
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, N, points, &limits, other));
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(time[i] - other[i]) < ROUNDING);
    rm2_manifold_free(m);
}

/* A factor without limits does not take time, with or without accelerations. */
static void unlimited_factors_are_free(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R1 x R1"), *one = make_manifold(ctx, "R1");
    const double points[10] = {0, 0, 1, 5, 1, 9, 1, 9, 3, 9}, first[3] = {0, 1, 3};
    double time[5], alone[3], speeds[2] = {2, 0}, accelerations[2] = {1, 0};
    for (int pass = 0; pass < 3; pass++) {
        rm2_speed_limits limits = {pass == 1 ? NULL : speeds, pass == 0 ? NULL : accelerations};
        assert_ok(ctx, rm2_trajectory_retime(ctx, m, 5, points, &limits, time));
        assert_ok(ctx, rm2_trajectory_retime(ctx, one, 3, first, &limits, alone));
        assert_true(time[1] == time[2] && time[2] == time[3]);
        assert_true(time[1] == alone[1] && time[4] == alone[2]);
    }
    rm2_manifold_free(m);
    rm2_manifold_free(one);
}

/* Rounding is no motion: it would have a direction, and be a corner. */
static void rounding_is_no_step(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R2");
    const double points[10] = {0, 0, 1, 0, 1, 1e-15, 2, 0, 3, 0};
    double time[5], limit = 1;
    rm2_speed_limits limits = {NULL, &limit};
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, 5, points, &limits, time));
    assert_true(time[1] == time[2] && fabs(time[4] - 2 * sqrt(3)) < ROUNDING);
    rm2_manifold_free(m);
}

/* Opposite points of a sphere have no direction: a factor with such steps can have no limit. */
static void cut_locus(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R1 x S2");
    const double points[12] = {0, 1, 0, 0, 1, 0, 1, 0, 2, 0, -1, 0};
    double time[3], limit[2] = {1, 0};
    rm2_speed_limits limits = {NULL, limit};
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, 3, points, &limits, time));
    assert_true(fabs(time[2] - 2 * sqrt(2)) < ROUNDING);
    limit[1] = 1;
    assert_int_equal(rm2_trajectory_retime(ctx, m, 3, points, &limits, time), RM2_ERR_CUT_LOCUS);
    assert_contains(rm2_context_error(ctx), "no acceleration of R1 x S2 at point 1: ");
    rm2_manifold_free(m);
}

static void nothing_moves(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R1");
    const double points[3] = {2, 2, 2};
    double time[3] = {NAN, NAN, NAN}, limit = 1;
    rm2_speed_limits limits = {&limit, &limit};
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, 3, points, &limits, time));
    assert_true(time[0] == 0 && time[1] == 0 && time[2] == 0);
    time[0] = NAN;
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, 1, points, &limits, time));
    assert_true(time[0] == 0);
    rm2_manifold_free(m);
}

static void bad_input_is_refused(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R1 x S2");
    double points[8] = {0, 1, 0, 0, 1, 0, 1, 0}, time[2], limit[2] = {0, 0};
    rm2_speed_limits limits = {limit, NULL};
    assert_int_equal(rm2_trajectory_retime(ctx, m, 2, points, &limits, time), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "no factor of R1 x S2 has a limit");
    limit[1] = -1;
    assert_int_equal(rm2_trajectory_retime(ctx, m, 2, points, &limits, time), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "the speed limit of factor 2 is -1");
    limit[1] = NAN;
    limits = (rm2_speed_limits){NULL, limit};
    assert_int_equal(rm2_trajectory_retime(ctx, m, 2, points, &limits, time), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "the acceleration limit of factor 2 is nan");
    limit[1] = 1;
    assert_int_equal(rm2_trajectory_retime(ctx, m, 0, points, &limits, time), RM2_ERR_ARGUMENT);
    points[4] = INFINITY;
    assert_int_equal(rm2_trajectory_retime(ctx, m, 2, points, &limits, time), RM2_ERR_DOMAIN);
    assert_contains(rm2_context_error(ctx), "points 0 and 1 in factor 1 (R1)");
    points[4] = 1;
    limit[0] = 1e160;
    assert_int_equal(rm2_trajectory_retime(ctx, m, 2, points, &limits, time), RM2_ERR_ARGUMENT);
    assert_contains(rm2_context_error(ctx), "factor 1 is 1e+160: not between 1e-100 and 1e+100");
    points[4] = 1e150; /* squares of the clock's speed are 0 */
    limit[0] = 1e-100;
    limit[1] = 0;
    limits = (rm2_speed_limits){limit, limit};
    assert_int_equal(rm2_trajectory_retime(ctx, m, 2, points, &limits, time), RM2_ERR_NUMERIC);
    assert_contains(rm2_context_error(ctx), "overflow: the limits are too small");
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(straight_line),       WITH_CONTEXT(speeds_keep_their_limits),
        WITH_CONTEXT(units_do_not_count),  WITH_CONTEXT(unlimited_factors_are_free),
        WITH_CONTEXT(rounding_is_no_step), WITH_CONTEXT(cut_locus),
        WITH_CONTEXT(nothing_moves),       WITH_CONTEXT(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
