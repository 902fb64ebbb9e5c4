/* Every allocation of the geodesics fails once: the call answers RM2_ERR_MEMORY, hands out nothing
 * and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "failing_malloc.h"
#include "geodesic/geodesic.h"
#include "riemann2/geodesic.h"

/* ---- calls under test ----------------------------------------------------------------------- */

enum { Q = 2, N = 3 };
static const double points[N * Q] = {-0.5, 0, 0.7, 0.8, 0.1, 1.5};

typedef struct fixture {
    rm2_context *ctx;
    rm2_metric *metric;
} fixture;

static fixture shared;

static rm2_status one(void *state) {
    fixture *f = state;
    rm2_curve *curve = NULL;
    rm2_status status = rm2i_geodesic(f->ctx, f->metric, NULL, NULL, points, points + Q, &curve);
    assert_true((curve != NULL) == (status == RM2_OK));
    rm2_curve_free(curve);
    return status;
}

static rm2_status through(void *state) {
    fixture *f = state;
    rm2_curve *curve = NULL;
    rm2_status status = rm2i_geodesic_through(f->ctx, f->metric, NULL, NULL, N, points, &curve);
    assert_true((curve != NULL) == (status == RM2_OK));
    rm2_curve_free(curve);
    return status;
}

static rm2_status outside(void *state) { /* the way of messages about paths without a metric */
    fixture *f = state;
    rm2_metric *metric = NULL;
    rm2_curve *curve = NULL;
    rm2_status status = rm2_metric_analytic(f->ctx, "half_plane", Q, &metric);
    if (status == RM2_OK)
        status = rm2i_geodesic(f->ctx, metric, NULL, NULL, points + Q, (double[Q]){0, -1}, &curve);
    assert_null(curve);
    rm2_metric_free(metric);
    return status == RM2_ERR_DOMAIN ? RM2_OK : status;
}

static rm2_status many(void *state) {
    fixture *f = state;
    rm2_curve *curves[2] = {NULL, NULL};
    rm2_status status =
        rm2i_geodesic_many(f->ctx, f->metric, NULL, NULL, 2, points, points + Q, curves, NULL);
    rm2_curve_free(curves[0]);
    rm2_curve_free(curves[1]);
    return status;
}

static rm2_status distances(void *state) {
    fixture *f = state;
    double distance[N * N];
    return rm2i_geodesic_distances(f->ctx, f->metric, NULL, NULL, N, points, distance, NULL);
}

static rm2_status mean(void *state) {
    fixture *f = state;
    double m[Q];
    return rm2i_geodesic_mean(
        f->ctx, f->metric, NULL, NULL, N, points, NULL,
        &(rm2_mean_settings){.size = sizeof(rm2_mean_settings), .max_iterations = 1}, m, NULL);
}

static rm2_status exponential(void *state) {
    fixture *f = state;
    double end[Q];
    return rm2i_geodesic_exp(f->ctx, f->metric, 1e-6, points, points + Q, end, NULL, 0, NULL);
}

static rm2_status logarithm(void *state) {
    fixture *f = state;
    double v[Q];
    return rm2i_geodesic_log(f->ctx, f->metric, NULL, NULL, points, points + Q, v, NULL);
}

/* ---- the tests ------------------------------------------------------------------------------ */

static int set_up(void **state) {
    fixture *f = *state = &shared;
    if (rm2_context_create(&f->ctx) != RM2_OK)
        return -1;
    rm2_context_set_threads(f->ctx, 1);
    return rm2_metric_analytic(f->ctx, "sphere_latlon", Q, &f->metric) == RM2_OK ? 0 : -1;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rm2_metric_free(f->metric);
    rm2_context_free(f->ctx);
    return 0;
}

static void every_call(void **state) {
    fixture *f = *state;
    assert_true(fail_each_allocation(f->ctx, one, f) >= 20);
    assert_true(fail_each_allocation(f->ctx, through, f) >= 40);
    assert_true(fail_each_allocation(f->ctx, outside, f) >= 5);
    assert_true(fail_each_allocation(f->ctx, many, f) >= 40);
    assert_true(fail_each_allocation(f->ctx, distances, f) >= 40);
    assert_true(fail_each_allocation(f->ctx, mean, f) >= 60);
    assert_true(fail_each_allocation(f->ctx, exponential, f) >= 2);
    assert_true(fail_each_allocation(f->ctx, logarithm, f) >= 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
