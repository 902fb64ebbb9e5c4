/* Turning and jerk of curves whose values are known.
 *
 * A circle of radius r that is run through by the angle a at constant speed in one unit of time: turning a, third
 * derivative r a^3, length r a, so jerk a^2, on positions and in tangent coordinates alike. Of 100 points the first and the
 * last half step are missing from the turning (1 %), and differences of third order see a^2 up to a relative (a/99)^2. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "front/smoothness.h"
#include "model_fixture.h"
#include "riemann2/eval.h"

enum { N = 4000, D = 5 };

static rm2_data *data;
static rm2_model *model;

static int set_up(void **state) {
    rm2_fit_settings s = robust_settings(2);
    if (model_set_up(state) != 0)
        return -1;
    data = scaled_example("toy", 3, 12);
    model = fit_model(data, &s);
    return 0;
}

static int tear_down(void **state) {
    rm2_model_free(model);
    rm2_data_free(data);
    return model_tear_down(state);
}

static void near(const char *what, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: %.12g, not %.12g", what, got, want);
}

/* Positions run through a circle of angle a, log coordinates of S2 through one of angle b, at a pace that varies. */
static void circles(double a, double b, size_t n, double *points) {
    const rm2_model_info *i = rm2_model_info_of(model);
    for (size_t k = 0; k < n; k++) {
        double t = (double)k / (double)(n - 1), pace = t + 0.1 * sin(6 * t) * (1 - t), v[4];
        v[0] = 3 * cos(a * pace);
        v[1] = 3 * sin(a * pace);
        v[2] = 0.4 * cos(b * pace);
        v[3] = 0.4 * sin(b * pace);
        ok(rm2_manifold_exp_coords(ctx, i->manifold, 1, i->base, 1, v, points + k * D));
        points[k * D] *= i->data->scale[0];
        points[k * D + 1] *= i->data->scale[0];
    }
}

static void circles_turn(void **state) {
    (void)state;
    static double points[N * D];
    const double angles[] = {0.5, 2, 6};
    for (size_t k = 0; k < 3; k++) {
        rm2_smoothness s;
        double a = angles[k], b = angles[(k + 1) % 3];
        circles(a, b, N, points);
        ok(rm2_model_smoothness(ctx, model, N, points, &s));
        /* 98 angles of a/99 each; the polygon of N points leaves (a/N)^2 */
        near("turning", s.turning[RM2_CURVE_POSITIONS], a * 98 / 99, 1e-4 * a);
        near("turning of the rest", s.turning[RM2_CURVE_REST], b * 98 / 99, 1e-4 * b);
        near("jerk", s.jerk[RM2_CURVE_POSITIONS], a * a, 0.01 * a * a + 0.05);
        near("jerk of the rest", s.jerk[RM2_CURVE_REST], b * b, 0.01 * b * b + 0.05);
    }
}

/* A straight line turns by nothing, a corner by its angle, and what rests is unknown. */
static void lines_and_corners(void **state) {
    (void)state;
    double points[6 * D];
    rm2_smoothness s;
    circles(0, 0, 6, points);
    for (size_t k = 0; k < 6; k++) {
        points[k * D] = (double)k;
        points[k * D + 1] = 2;
    }
    points[3 * D] = points[2 * D]; /* a rest */
    ok(rm2_model_smoothness(ctx, model, 6, points, &s));
    near("line", s.turning[RM2_CURVE_POSITIONS], 0, 1e-12);
    near("line", s.jerk[RM2_CURVE_POSITIONS], 0, 1e-6); /* rounding by 99^3 */
    assert_true(isnan(s.turning[RM2_CURVE_REST]) && isnan(s.jerk[RM2_CURVE_REST]));
    for (size_t k = 3; k < 6; k++) {
        points[k * D] = 2;
        points[k * D + 1] = 2 + (double)(k - 2);
    }
    ok(rm2_model_smoothness(ctx, model, 6, points, &s));
    near("corner", s.turning[RM2_CURVE_POSITIONS], 1.57079632679489662, 1e-12);
    ok(rm2_model_smoothness(ctx, model, 2, points, &s));
    assert_true(isnan(s.turning[RM2_CURVE_POSITIONS]));
}

/* Size and pace do not matter. */
static void size_does_not_matter(void **state) {
    (void)state;
    static double points[N * D];
    rm2_smoothness s[2];
    circles(2, 1, N, points);
    ok(rm2_model_smoothness(ctx, model, N, points, &s[0]));
    for (size_t k = 0; k < N; k++) {
        points[k * D] = 7 * points[k * D] - 100;
        points[k * D + 1] *= 7;
    }
    ok(rm2_model_smoothness(ctx, model, N, points, &s[1]));
    near("turning", s[1].turning[0], s[0].turning[0], 1e-9);
    near("jerk", s[1].jerk[0], s[0].jerk[0], 1e-5 * s[0].jerk[0]);
}

static void medians(void **state) {
    (void)state;
    const rm2_smoothness of[] = {{{1, NAN}, {5, 4}}, {{9, NAN}, {7, NAN}}, {{2, NAN}, {8, 6}}};
    rm2_smoothness m;
    ok(rm2_smoothness_median(ctx, 3, of, &m));
    assert_true(m.turning[0] == 2 && isnan(m.turning[1]) && m.jerk[0] == 7 && m.jerk[1] == 5);
    ok(rm2_smoothness_median(ctx, 0, NULL, &m));
    assert_true(isnan(m.turning[0]));
}

/* The demonstrations of a vicinity are those of the model, in the units of the data. */
static void demonstrations(void **state) {
    (void)state;
    rm2_vicinity *v;
    rm2_smoothness of[3], m;
    double *points = numbers(data->count * D);
    rm2_data_original(data, points);
    for (size_t t = 0; t < 3; t++)
        ok(rm2_model_smoothness(ctx, model, data->starts[t + 1] - data->starts[t],
                                points + data->starts[t] * D, &of[t]));
    ok(rm2_smoothness_median(ctx, 3, of, &m));
    ok(rm2_vicinity_create(ctx, model, &v));
    rm2_smoothness found = rm2_vicinity_info_of(v)->smoothness;
    for (size_t p = 0; p < RM2_CURVE_PARTS; p++) {
        near("turning", found.turning[p], m.turning[p], 1e-12 * m.turning[p]);
        near("jerk", found.jerk[p], m.jerk[p], 1e-9 * m.jerk[p]);
    }
    rm2_vicinity_free(v);
    free(points);
    assert_true(isnan(rm2_vicinity_info_of(NULL)->smoothness.turning[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(circles_turn),         cmocka_unit_test(lines_and_corners),
        cmocka_unit_test(size_does_not_matter), cmocka_unit_test(medians),
        cmocka_unit_test(demonstrations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
