/* Odd columns: constant, running evenly as time does, a thousand times smaller than others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "riemann2/data.h"

enum { N = 24, HALF = N / 2, WIDTH = 8 };

/* R5 x S2: x, constant, time, x/2000, a line in one trajectory only; a sphere whose z is 0. */
static void fill(double *points) {
    for (size_t i = 0; i < N; i++) {
        double *p = points + i * WIDTH, t = (double)(i % HALF);
        p[0] = sin(0.7 * t) + (double)(i / HALF);
        p[1] = 3.5;
        p[2] = 10 + 0.25 * t;
        p[3] = p[0] / 2000 + 7;
        p[4] = i < HALF ? t : t * t / HALF;
        p[5] = cos(0.1 * t);
        p[6] = sin(0.1 * t);
        p[7] = 0;
    }
}

static rm2_data_report report_of(rm2_context *ctx, const double *points, size_t trajectories) {
    rm2_manifold *m = make_manifold(ctx, "R5 x S2");
    rm2_data *data;
    rm2_data_report report = {.size = sizeof report};
    const size_t starts[] = {0, HALF, N};
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = m,
                              .count = N,
                              .points = points,
                              .trajectories = trajectories,
                              .starts = trajectories ? starts : NULL};
    if (rm2_data_create(ctx, &arrays, NULL, &data, NULL, &report) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    rm2_data_free(data);
    rm2_manifold_free(m);
    return report;
}

static void odd_columns_are_found(void **state) {
    double points[N * WIDTH];
    fill(points);
    rm2_data_report r = report_of(*state, points, 2);
    const rm2_odd_column want[] = {
        {0, 1, RM2_ODD_CONSTANT}, {0, 2, RM2_ODD_STEADY}, {0, 3, RM2_ODD_TINY}};
    assert_int_equal(r.odd_columns, 3);
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(r.odd_column[k].factor, want[k].factor);
        assert_int_equal(r.odd_column[k].entry, want[k].entry);
        assert_int_equal(r.odd_column[k].kind, want[k].kind);
    }
    rm2_data_report_clear(&r);
}

/* Time is told by trajectories, and by their common direction. */
static void steady_needs_trajectories(void **state) {
    double points[N * WIDTH];
    fill(points);
    rm2_data_report r = report_of(*state, points, 0);
    assert_int_equal(r.odd_columns, 2);
    rm2_data_report_clear(&r);
    for (size_t i = HALF; i < N; i++)
        points[i * WIDTH + 2] = -points[i * WIDTH + 2];
    r = report_of(*state, points, 2);
    assert_int_equal(r.odd_columns, 2);
    rm2_data_report_clear(&r);
    assert_null(r.odd_column);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(odd_columns_are_found),
        WITH_CONTEXT(steady_needs_trajectories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
