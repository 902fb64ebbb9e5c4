/* Trajectories at equal steps of arc length: against positions known in closed form, and the same curve with other points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "riemann2/trajectory.h"

static rm2_context *ctx;
static rm2_manifold *plane, *sphere;

static void ok(rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

static void near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g, not %.17g (tolerance %g)", got, want, tolerance);
}

static int set_up(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK && rm2_manifold_create(ctx, "R2", &plane) == RM2_OK &&
                   rm2_manifold_create(ctx, "S2", &sphere) == RM2_OK
               ? 0
               : -1;
}

static int tear_down(void **state) {
    (void)state;
    rm2_manifold_free(plane);
    rm2_manifold_free(sphere);
    rm2_context_free(ctx);
    return 0;
}

/* An L of length 3 and 1, with a pause in the corner: quarters of the length are at 0, 1, 2, 3, 4. */
static void a_corner_with_a_pause(void **state) {
    const double points[12] = {0, 0, 0.5, 0, 3, 0, 3, 0, 3, 0, 3, 1};
    const double want[10] = {0, 0, 1, 0, 2, 0, 3, 0, 3, 1};
    double out[10];
    (void)state;
    ok(rm2_trajectory_resample_by_length(ctx, plane, 6, points, 5, out));
    for (size_t i = 0; i < 10; i++)
        near(out[i], want[i], 1e-15); /* rounding of numbers up to 3 */
}

/* Uneven points of a great circle: equal angles, the ends exactly. */
static void a_great_circle(void **state) {
    const double angle[7] = {0, 0.01, 0.4, 0.41, 0.9, 1.7, 2};
    double points[21], out[33];
    (void)state;
    for (size_t i = 0; i < 7; i++) {
        const double p[3] = {cos(angle[i]), sin(angle[i]), 0};
        memcpy(points + 3 * i, p, sizeof p);
    }
    ok(rm2_trajectory_resample_by_length(ctx, sphere, 7, points, 11, out));
    for (size_t k = 0; k < 11; k++)
        near(atan2(out[3 * k + 1], out[3 * k]), 0.2 * (double)k, 1e-14);
    assert_memory_equal(out, points, 3 * sizeof *out);
    assert_memory_equal(out + 30, points + 18, 3 * sizeof *out);
}

/* More points on the same polygon change nothing but rounding. */
static void points_on_the_curve_do_not_matter(void **state) {
    enum { N = 9, FINE = 4 * (N - 1) + 1, COUNT = 50 };
    double coarse[2 * N], fine[2 * FINE], a[2 * COUNT], b[2 * COUNT];
    (void)state;
    for (size_t i = 0; i < N; i++) {
        coarse[2 * i] = (double)(i * i);
        coarse[2 * i + 1] = sin((double)i);
    }
    for (size_t i = 0; i < FINE; i++)
        for (size_t k = 0; k < 2; k++) {
            const double *p = coarse + 2 * (i / 4) + k;
            double t = (double)(i % 4) / 4;
            fine[2 * i + k] = t > 0 ? (1 - t) * p[0] + t * p[2] : p[0];
        }
    ok(rm2_trajectory_resample_by_length(ctx, plane, N, coarse, COUNT, a));
    ok(rm2_trajectory_resample_by_length(ctx, plane, FINE, fine, COUNT, b));
    for (size_t i = 0; i < (size_t)2 * COUNT; i++)
        near(a[i], b[i], 1e-12); /* sums of lengths up to 70 */
}

static void without_length_it_is_the_first_point(void **state) {
    const double points[4] = {1, 2, 1, 2};
    double out[6];
    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        ok(rm2_trajectory_resample_by_length(ctx, plane, n, points, 3, out));
        for (size_t i = 0; i < 6; i++)
            assert_true(out[i] == points[i % 2]);
    }
    assert_int_equal(rm2_trajectory_resample_by_length(ctx, plane, 0, points, 3, out),
                     RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "no points to resample"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corner_with_a_pause),
        cmocka_unit_test(a_great_circle),
        cmocka_unit_test(points_on_the_curve_do_not_matter),
        cmocka_unit_test(without_length_it_is_the_first_point),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
