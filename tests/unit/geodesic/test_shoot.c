/* The exponential map against great circles and half circles in closed form, its dense output and
 * accuracy, and the logarithm as its inverse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "front/base.h"
#include "geodesic/geodesic.h"
#include "metric_fixture.h"
#include "riemann2/geodesic.h"

enum { Q = 2 };

static rm2_context *ctx;
static rm2_metric *sphere, *half_plane, *bump;

static int set_up(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK &&
                   rm2_metric_analytic(ctx, "sphere_latlon", 2, &sphere) == RM2_OK &&
                   rm2_metric_analytic(ctx, "half_plane", 2, &half_plane) == RM2_OK &&
                   rm2_metric_analytic(ctx, "bump", 2, &bump) == RM2_OK
               ? 0
               : 1;
}

static int tear_down(void **state) {
    (void)state;
    rm2_metric_free(sphere);
    rm2_metric_free(half_plane);
    rm2_metric_free(bump);
    rm2_context_free(ctx);
    return 0;
}

static double speed_at(const rm2_metric *metric, const double *x, const double *v) {
    double G[Q * Q];
    assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, NULL), RM2_OK);
    return sqrt(v[0] * v[0] * G[0] + 2 * v[0] * v[1] * G[1] + v[1] * v[1] * G[3]);
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* Great circle at time t: cos(r t) p + sin(r t) e in space, e the unit tangent, r = |v|. */
static void sphere_exp(const double *x, const double *v, double t, double *out) {
    double lat = x[0], lon = x[1], r = hypot(v[0], cos(lat) * v[1]);
    double p[3] = {cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)};
    double north[3] = {-sin(lat) * cos(lon), -sin(lat) * sin(lon), cos(lat)};
    double east[3] = {-sin(lon), cos(lon), 0}, y[3];
    for (int k = 0; k < 3; k++)
        y[k] = cos(r * t) * p[k] + sin(r * t) / r * (v[0] * north[k] + cos(lat) * v[1] * east[k]);
    out[0] = asin(y[2]);
    out[1] = lon + remainder(atan2(y[1], y[0]) - lon, 2 * acos(-1));
}

/* Half plane: the axis i e^(r t), turned about i by the map z -> (c z + s)/(c - s z), c and s of half
 * the angle from the axis, and moved to (x, y) by z -> x + y z. */
static void half_plane_exp(const double *x, const double *v, double t, double *out) {
    double r = hypot(v[0], v[1]) / x[1], turn = atan2(v[0], v[1]) / 2;
    double e = exp(r * t), c = cos(turn), s = sin(turn);
    /* (c i e + s) / (-s i e + c) = ((c i e + s)(c + s i e)) / (c^2 + s^2 e^2) */
    double below = c * c + s * s * e * e;
    double re = s * c * (1 - e * e) / below, im = e / below;
    out[0] = x[0] - x[1] * re;
    out[1] = x[1] * im;
}

typedef void (*exp_fn)(const double *x, const double *v, double t, double *out);

enum { NODES = 41 };

static void check_flight(const rm2_metric *metric, exp_fn exact, const double *x, const double *v) {
    double end[Q], velocity[Q], path[NODES * Q], want[Q];
    assert_int_equal(rm2i_geodesic_exp(ctx, metric, 1e-11, x, v, end, velocity, NODES, path),
                     RM2_OK);
    for (size_t j = 0; j < NODES; j++) {
        exact(x, v, (double)j / (NODES - 1), want);
        /* dense output is of order 4 where steps are of order 5: fewer digits between steps */
        for (size_t q = 0; q < Q; q++)
            assert_true(fabs(path[j * Q + q] - want[q]) < 1e-6);
    }
    for (size_t q = 0; q < Q; q++)
        assert_true(fabs(end[q] - want[q]) < 1e-8 * fmax(1, fabs(want[q])));
    assert_memory_equal(path, x, Q * sizeof *x);
    assert_memory_equal(path + (NODES - 1) * Q, end, Q * sizeof *end);
    /* speed is conserved */
    assert_true(fabs(speed_at(metric, end, velocity) / speed_at(metric, x, v) - 1) < 1e-9);
}

static void known_geodesics(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    for (int i = 0; i < 40; i++) {
        double x[Q] = {1.6 * rm2_rng_uniform(&rng) - 0.8, rm2_rng_normal(&rng)};
        double v[Q] = {0.5 * rm2_rng_normal(&rng), rm2_rng_normal(&rng)};
        if (fabs(x[0]) + hypot(v[0], v[1]) < 1.5) /* away from the poles of the chart */
            check_flight(sphere, sphere_exp, x, v);
        double y[Q] = {rm2_rng_normal(&rng), exp(rm2_rng_normal(&rng))};
        double w[Q] = {y[1] * rm2_rng_normal(&rng), y[1] * rm2_rng_normal(&rng)};
        check_flight(half_plane, half_plane_exp, y, w);
    }
}

/* Errors follow the tolerance. */
static void tolerance_counts(void **state) {
    (void)state;
    const double x[Q] = {0.4, 0.7}, v[Q] = {0.3, -1.2};
    double want[Q], before = 1;
    half_plane_exp(x, v, 1, want);
    for (int k = 3; k <= 12; k += 3) {
        double end[Q];
        assert_int_equal(rm2i_geodesic_exp(ctx, half_plane, pow(10, -k), x, v, end, NULL, 0, NULL),
                         RM2_OK);
        double error = hypot(end[0] - want[0], end[1] - want[1]);
        assert_true(error < 10 * pow(10, -k) && error < before);
        before = error;
    }
}

static void zero_velocity(void **state) {
    (void)state;
    const double x[Q] = {0.4, 0.7}, v[Q] = {0, 0};
    double end[Q], velocity[Q], path[3 * Q];
    assert_int_equal(rm2i_geodesic_exp(ctx, half_plane, 1e-8, x, v, end, velocity, 3, path),
                     RM2_OK);
    assert_memory_equal(end, x, sizeof x);
    for (size_t i = 0; i < 3 * Q; i++)
        assert_true(path[i] == x[i % Q] && velocity[i % Q] == 0);
    assert_int_equal(rm2i_geodesic_exp(ctx, half_plane, 1e-8, x, v, end, velocity, 1, path),
                     RM2_OK);
}

/* ---- inverse -------------------------------------------------------------------------------- */

static void check_inverse(const rm2_metric *metric, const double *x, const double *y) {
    double v[Q], end[Q];
    bool converged = false;
    assert_int_equal(rm2i_geodesic_log(ctx, metric, NULL, NULL, x, y, v, &converged), RM2_OK);
    assert_true(converged);
    assert_int_equal(rm2i_geodesic_exp(ctx, metric, 1e-10, x, v, end, NULL, 0, NULL), RM2_OK);
    double size = fmax(1, hypot(y[0], y[1]));
    assert_true(fabs(end[0] - y[0]) < 1e-6 * size && fabs(end[1] - y[1]) < 1e-6 * size);
}

static void exp_of_log(void **state) {
    (void)state;
    hills h = make_hills(8, 2, 1, 0.8);
    rm2_metric *rough = NULL;
    assert_int_equal(rm2_metric_from_function(ctx, 2, hills_at, &h, "hills", &rough), RM2_OK);
    rm2_rng rng;
    rm2_rng_seed(&rng, 6);
    for (int i = 0; i < 20; i++) {
        double u[4];
        for (int k = 0; k < 4; k++)
            u[k] = 2 * rm2_rng_uniform(&rng) - 1;
        check_inverse(sphere, (double[Q]){u[0], 1.2 * u[1]}, (double[Q]){u[2], 1.2 * u[3]});
        check_inverse(half_plane, (double[Q]){u[0], exp(u[1])}, (double[Q]){u[2], exp(u[3])});
        check_inverse(bump, (double[Q]){u[0], 1 + u[1]}, (double[Q]){2 * u[2], 1 + u[3]});
        check_inverse(rough, (double[Q]){u[0], u[1]}, (double[Q]){u[2], u[3]});
    }
    rm2_metric_free(rough);
}

static void log_of_itself(void **state) {
    (void)state;
    const double x[Q] = {0.4, 0.7};
    double v[Q];
    assert_int_equal(rm2i_geodesic_log(ctx, sphere, NULL, NULL, x, x, v, NULL), RM2_OK);
    assert_true(v[0] == 0 && v[1] == 0);
}

/* ---- flights that end early ----------------------------------------------------------------- */

/* Flat, on the disk of radius 1 only. */
static rm2_status disk(const void *user, const double *x, double *G, double *dG) {
    (void)user;
    if (!(hypot(x[0], x[1]) < 1))
        return RM2_ERR_DOMAIN;
    memcpy(G, (double[4]){1, 0, 0, 1}, 4 * sizeof *G);
    if (dG)
        memset(dG, 0, 8 * sizeof *dG);
    return RM2_OK;
}

/* G = e^(-2x) I: the plane without a point, in the coordinates -log r and angle. The point is at
 * x = infinity, at the distance e^(-x). */
static rm2_status punctured(const void *user, const double *x, double *G, double *dG) {
    (void)user;
    double f = exp(-2 * x[0]);
    memcpy(G, (double[4]){f, 0, 0, f}, 4 * sizeof *G);
    if (dG)
        memcpy(dG, (double[8]){-2 * f, 0, 0, -2 * f, 0, 0, 0, 0}, 8 * sizeof *dG);
    return RM2_OK;
}

static void early_ends(void **state) {
    (void)state;
    const double x[Q] = {0.2, 0}, v[Q] = {2, 0.3}, none[Q] = {NAN, 0}, outside[Q] = {3, 0};
    double end[Q] = {7, 7};
    rm2_metric *metric = NULL;
    assert_int_equal(rm2_metric_from_function(ctx, 2, disk, NULL, "disk", &metric), RM2_OK);
    assert_int_equal(rm2i_geodesic_exp(ctx, metric, 1e-8, x, v, end, NULL, 0, NULL),
                     RM2_ERR_DOMAIN);
    assert_non_null(strstr(rm2_context_error(ctx), "domain ends at t = 0.39")); /* |x| = 1 there */
    assert_int_equal(rm2i_geodesic_exp(ctx, metric, 1e-8, outside, v, end, NULL, 0, NULL),
                     RM2_ERR_DOMAIN);
    assert_int_equal(rm2i_geodesic_exp(ctx, metric, 1e-8, x, none, end, NULL, 0, NULL),
                     RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_geodesic_exp(ctx, metric, 0, x, v, end, NULL, 0, NULL), RM2_ERR_ARGUMENT);
    rm2_metric_free(metric);
    assert_int_equal(rm2_metric_from_function(ctx, 2, punctured, NULL, "punctured", &metric),
                     RM2_OK);
    const double centre[Q] = {0, 0}, straight[Q] = {1.25, 0}; /* there after t = 0.8 */
    assert_int_equal(rm2i_geodesic_exp(ctx, metric, 1e-8, centre, straight, end, NULL, 0, NULL),
                     RM2_ERR_NUMERIC);
    assert_non_null(strstr(rm2_context_error(ctx), "numbers give out at t = 0.8 of 1"));
    assert_true(end[0] == 7 && end[1] == 7);
    rm2_metric_free(metric);
}

static void interrupted(void **state) {
    (void)state;
    const double x[Q] = {0.4, 0.7}, v[Q] = {0.3, -1.2};
    double end[Q];
    rm2_context_interrupt(ctx);
    assert_int_equal(rm2i_geodesic_exp(ctx, half_plane, 1e-8, x, v, end, NULL, 0, NULL),
                     RM2_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_geodesics), cmocka_unit_test(tolerance_counts),
        cmocka_unit_test(zero_velocity),   cmocka_unit_test(exp_of_log),
        cmocka_unit_test(log_of_itself),   cmocka_unit_test(early_ends),
        cmocka_unit_test(interrupted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
