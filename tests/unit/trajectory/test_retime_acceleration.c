/* Limits of acceleration: looked up again in second differences on the manifold, of which the times
 * promise that they are within the limits exactly; where the fastest motion is known, it comes out. */
#include "front/base.h"
#include "riemann2/trajectory.h"
#include "timing_fixture.h"

enum { MOST = 801 };

/* ---- closed forms --------------------------------------------------------------------------- */

/* Steps of very different lengths, and points that repeat: exactly as fast as without them. */
static void uneven_line(void **state) {
    rm2_context *ctx = *state;
    enum { N = 200 };
    rm2_manifold *m = make_manifold(ctx, "R1");
    rm2_rng rng;
    rm2_rng_seed(&rng, 6);
    for (int trial = 0; trial < 50; trial++) {
        double x[N] = {0}, time[N], limit[2] = {0.5 + trial % 3, 1 + trial % 4};
        for (size_t i = 1; i < N; i++)
            x[i] = x[i - 1] + exp(1.5 * rm2_rng_normal(&rng)) * (i % 9 ? 1 : 0);
        rm2_speed_limits limits = {&limit[0], &limit[1]};
        assert_ok(ctx, rm2_trajectory_retime(ctx, m, N, x, &limits, time));
        assert_true(assert_kept(ctx, m, N, x, &limits, time) > 0.99);
        assert_true(fabs(time[N - 1] / (x[N - 1] / limit[0] + limit[0] / limit[1]) - 1) < ROUNDING);
        for (size_t i = 0; i + 1 < N; i++)
            assert_int_equal(x[i] == x[i + 1], time[i] == time[i + 1]);
    }
    rm2_manifold_free(m);
}

/* Geodesics do not turn: a great circle, and diag(e^t, e^-t/2) in SPD2, whose length is t sqrt(5)/2. */
static void geodesics_are_lines(void **state) {
    rm2_context *ctx = *state;
    enum { N = 61 };
    rm2_manifold *sphere = make_manifold(ctx, "S2"), *spd = make_manifold(ctx, "SPD2");
    double p[N * 3], q[N * 4], time[N], limit = 0.7;
    rm2_speed_limits limits = {NULL, &limit};
    for (size_t i = 0; i < N; i++) {
        double t = 2 * (double)i / (N - 1);
        memcpy(p + i * 3, (double[3]){0.6 * cos(t), sin(t), 0.8 * cos(t)}, 3 * sizeof *p);
        memcpy(q + i * 4, (double[4]){exp(t), 0, 0, exp(-t / 2)}, 4 * sizeof *q);
    }
    assert_ok(ctx, rm2_trajectory_retime(ctx, sphere, N, p, &limits, time));
    assert_true(fabs(time[N - 1] / (2 * sqrt(2 / limit)) - 1) < ROUNDING);
    assert_ok(ctx, rm2_trajectory_retime(ctx, spd, N, q, &limits, time));
    assert_true(fabs(time[N - 1] / (2 * sqrt(sqrt(5.0) / limit)) - 1) < ROUNDING);
    rm2_manifold_free(sphere);
    rm2_manifold_free(spd);
}

/* On a circle of radius R the speed is sqrt(a R) at most, as second differences of equal chords are
 * v^2/R exactly, and is reached in a part of a turn. Chords are not quite at right angles to the
 * acceleration: speeds may differ by the square of the turn of a step. */
static void circle(void **state) {
    rm2_context *ctx = *state;
    enum { N = 241 };
    rm2_manifold *m = make_manifold(ctx, "R2");
    double points[N * 2], time[N], R = 3, limit = 0.5, turn = 12.5 / (N - 1);
    rm2_speed_limits limits = {NULL, &limit};
    for (size_t i = 0; i < N; i++) {
        double t = turn * (double)i;
        points[2 * i] = R * cos(t);
        points[2 * i + 1] = R * sin(t);
    }
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, N, points, &limits, time));
    assert_true(assert_kept(ctx, m, N, points, &limits, time) > 0.99);
    double chord = step_of(ctx, m, points, 0, 0);
    for (size_t i = N / 3; i < 2 * N / 3; i++)
        assert_true(fabs(chord / (time[i + 1] - time[i]) / sqrt(limit * R) - 1) < turn * turn);
    rm2_manifold_free(m);
}

/* A circle of latitude has the geodesic curvature cot(angle from the pole), by second differences of
 * steps h up to h^2. */
static void small_circle(void **state) {
    rm2_context *ctx = *state;
    enum { N = 241 };
    rm2_manifold *m = make_manifold(ctx, "S2");
    double points[N * 3], time[N], angle = 0.5, limit = 0.5;
    rm2_speed_limits limits = {NULL, &limit};
    for (size_t i = 0; i < N; i++) {
        double t = 12.5 * (double)i / (N - 1);
        memcpy(points + 3 * i, (double[3]){sin(angle) * cos(t), sin(angle) * sin(t), cos(angle)},
               3 * sizeof *points);
    }
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, N, points, &limits, time));
    assert_true(assert_kept(ctx, m, N, points, &limits, time) > 0.99);
    double h = step_of(ctx, m, points, 0, 0);
    for (size_t i = N / 3; i < 2 * N / 3; i++)
        assert_true(fabs(h / (time[i + 1] - time[i]) / sqrt(limit * tan(angle)) - 1) < h * h);
    rm2_manifold_free(m);
}

/* Round a corner, and there and back: rest at the corner, 2 sqrt(1/a) for each leg of length 1, but for
 * the step of length h in which it turns, passed at a speed of the order of sqrt(a h). */
static void corners_are_slow(void **state) {
    rm2_context *ctx = *state;
    enum { MOST_N = 801 };
    rm2_manifold *m = make_manifold(ctx, "R2");
    double points[MOST_N * 2], time[MOST_N], limit = 4, full = 4 * sqrt(1 / limit);
    rm2_speed_limits limits = {NULL, &limit};
    for (int back = 0; back < 2; back++)
        for (size_t n = 51; n <= MOST_N; n = 2 * n - 1) {
            size_t half = n / 2;
            double h = 1 / (double)half;
            for (size_t i = 0; i < n; i++) {
                double in = fmin((double)i * h, 1), out = fmax((double)i * h - 1, 0);
                points[2 * i] = back ? in - out : in;
                points[2 * i + 1] = back ? 0 : out;
            }
            assert_ok(ctx, rm2_trajectory_retime(ctx, m, n, points, &limits, time));
            assert_true(assert_kept(ctx, m, n, points, &limits, time) > 0.99);
            assert_true(h / (time[half] - time[half - 1]) < sqrt(2 * limit * h));
            assert_true(fabs(time[n - 1] / full - 1) < 0.5 * sqrt(h));
        }
    rm2_manifold_free(m);
}

/* ---- limits --------------------------------------------------------------------------------- */

/* Several factors: within the limits exactly, however long the steps; what these cost in time is of
 * their order. */
static void products_keep_their_limits(void **state) {
    rm2_context *ctx = *state;
    rm2_manifold *m = make_manifold(ctx, "R3 x S3");
    double *points = calloc((size_t)MOST * WIDTH, sizeof *points), time[MOST], total = INFINITY;
    double speeds[2] = {1.1, 0.8}, accelerations[2] = {2, 3};
    rm2_speed_limits limits = {speeds, accelerations};
    assert_non_null(points);
    for (size_t n = 26; n <= MOST; n = 2 * n - 1) {
        smooth(n, points);
        assert_ok(ctx, rm2_trajectory_retime(ctx, m, n, points, &limits, time));
        assert_true(assert_kept(ctx, m, n, points, &limits, time) > 0.99);
        assert_true(fabs(time[n - 1] / total - 1) < 1 / (double)n || isinf(total));
        total = time[n - 1];
    }
    free(points);
    rm2_manifold_free(m);
}

/* Points at random on several manifolds: every step is a corner. */
static void any_points_keep_their_limits(void **state) {
    rm2_context *ctx = *state;
    enum { N = 40 };
    static const char *const specs[] = {"R2 x S2", "SPD2 x R1", "S1 x SO3", "H2 x SPD2"};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        rm2_manifold *m = make_manifold(ctx, specs[k]);
        double points[N * WIDTH], time[N];
        assert_true(rm2_manifold_ambient(m) <= WIDTH);
        assert_ok(ctx, rm2_manifold_random(ctx, m, N, points));
        for (int which = 1; which < 8; which++) { /* limits of speed, and of each acceleration */
            double speeds[2] = {0.7, 1.3},
                   accelerations[2] = {which & 2 ? 1.7 : 0, which & 4 ? 0.6 : 0};
            rm2_speed_limits limits = {which & 1 ? speeds : NULL, which & 6 ? accelerations : NULL};
            assert_ok(ctx, rm2_trajectory_retime(ctx, m, N, points, &limits, time));
            if (limits.acceleration)
                (void)assert_kept(ctx, m, N, points, &limits, time);
        }
        rm2_manifold_free(m);
    }
}

/* First one factor moves, then the other: both must be at rest between. */
static void factors_take_turns(void **state) {
    rm2_context *ctx = *state;
    enum { N = 801 };
    rm2_manifold *m = make_manifold(ctx, "R1 x R1");
    double points[N * 2], time[N], accelerations[2] = {1, 1};
    rm2_speed_limits limits = {NULL, accelerations};
    for (size_t i = 0; i < N; i++) {
        points[2 * i] = fmin((double)i / 400, 1);
        points[2 * i + 1] = fmax((double)i / 400 - 1, 0);
    }
    assert_ok(ctx, rm2_trajectory_retime(ctx, m, N, points, &limits, time));
    assert_true(assert_kept(ctx, m, N, points, &limits, time) > 0.99);
    /* twice from rest to rest, 2 sqrt(1/a) each, but for a step of 1/400 */
    assert_true(fabs(time[N - 1] - 4) < sqrt(1.0 / 400));
    rm2_manifold_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(uneven_line),
        WITH_CONTEXT(geodesics_are_lines),
        WITH_CONTEXT(circle),
        WITH_CONTEXT(small_circle),
        WITH_CONTEXT(corners_are_slow),
        WITH_CONTEXT(products_keep_their_limits),
        WITH_CONTEXT(any_points_keep_their_limits),
        WITH_CONTEXT(factors_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
