/* Curves of demonstrations: nodes depend on where a demonstration goes, not on when. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "context_fixture.h"
#include "front/base.h"
#include "math/order.h"
#include "near.h"
#include "start/curves.h"

enum { MOST = 1200 };

static double distance(size_t M, const double *x, const double *y) {
    double sum = 0;
    for (size_t m = 0; m < M; m++)
        sum += (x[m] - y[m]) * (x[m] - y[m]);
    return sqrt(sum);
}

static void build(rm2_context *ctx, const rm2i_start_data *demos, rm2i_curves *curves) {
    if (rm2i_curves_build(ctx, demos, curves) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

/* Half a circle of radius 2, at angles pi f(t). */
static void half_circle(size_t T, double power, double *F) {
    for (size_t i = 0; i < T; i++) {
        double angle = acos(-1) * pow((double)i / (double)(T - 1), power);
        F[i * 2] = 2 * cos(angle);
        F[i * 2 + 1] = 2 * sin(angle);
    }
}

/* Nodes at equal steps, ends at the ends, points at their places; chords of 60 steps are 1e-3 short. */
static void nodes_are_even(void **state) {
    enum { T = 60 };
    double F[2 * T * 2], pi = acos(-1);
    size_t starts[] = {0, T, 2 * T};
    rm2i_start_data demos = {2 * T, 2, F, 2, starts, NULL, NULL};
    rm2i_curves c;
    half_circle(T, 1, F);
    half_circle(T, 1.7, F + (size_t)T * 2);
    build(*state, &demos, &c);
    assert_near(c.spacing, 2 * pi / 39, 1e-3 * c.spacing);
    /* on the half circle: mean (0, 4/pi), so that rho^2 = 4 - 16/pi^2 */
    assert_near(c.spread, sqrt(4 - 16 / (pi * pi)), 1e-3);
    for (size_t d = 0; d < 2; d++) {
        const double *node = c.node + c.first[d] * 2;
        assert_int_equal(rm2i_curve_nodes(&c, d), 40);
        assert_near(distance(2, node, F), 0, 1e-12);
        assert_near(distance(2, node + (size_t)39 * 2, F + (size_t)(T - 1) * 2), 0, 1e-12);
        for (size_t k = 0; k + 1 < 40; k++)
            assert_near(distance(2, node + k * 2, node + (k + 1) * 2), c.spacing, 5e-3 * c.spacing);
        for (size_t i = 0; i < T; i++) {
            double angle = pi * pow((double)i / (T - 1), d ? 1.7 : 1);
            assert_near(c.place[d * T + i], 39 * angle / pi, 0.05);
        }
    }
    rm2i_curves_free(&c);
}

/* Pauses and repeated points add no nodes and change none. */
static void pauses_count_for_nothing(void **state) {
    enum { T = 30, PAUSE = 25, N = 2 * T + PAUSE };
    double F[N * 2];
    size_t starts[] = {0, T, N};
    rm2i_start_data demos = {N, 2, F, 2, starts, NULL, NULL};
    rm2i_curves c;
    half_circle(T, 1, F);
    half_circle(T, 1, F + (size_t)T * 2);
    memmove(F + (size_t)(T + 12 + PAUSE) * 2, F + (size_t)(T + 12) * 2, 2 * (T - 12) * sizeof *F);
    for (size_t i = 0; i < PAUSE; i++)
        memcpy(F + (T + 12 + i) * 2, F + (size_t)(T + 12 + PAUSE) * 2, 2 * sizeof *F);
    build(*state, &demos, &c);
    assert_int_equal(rm2i_curve_nodes(&c, 0), rm2i_curve_nodes(&c, 1));
    for (size_t k = 0; k < rm2i_curve_nodes(&c, 0) * 2; k++)
        assert_near(c.node[k], c.node[c.first[1] * 2 + k], 1e-12);
    assert_true(c.rests[0] == 0 && c.rests[1] >= PAUSE && c.rests[1] <= PAUSE + 4);
    assert_true(c.spikes[0] == 0 && c.spikes[1] == 0);
    rm2i_curves_free(&c);
}

static void spikes_are_removed(void **state) {
    enum { T = 50 };
    double F[2 * T * 2];
    size_t starts[] = {0, T, 2 * T};
    rm2i_start_data demos = {2 * T, 2, F, 2, starts, NULL, NULL};
    rm2i_curves clean, spiked;
    half_circle(T, 1, F);
    half_circle(T, 1, F + (size_t)T * 2);
    build(*state, &demos, &clean);
    F[2 * 20] += 3;
    F[2 * 35 + 1] -= 2;
    build(*state, &demos, &spiked);
    assert_int_equal(clean.first[1], spiked.first[1]);
    assert_true(clean.spikes[0] == 0 && spiked.spikes[0] == 2 && spiked.spikes[1] == 0);
    for (size_t k = 0; k < clean.first[1] * 2; k++) /* a median of five moves a point by a step */
        assert_near(clean.node[k], spiked.node[k], clean.spacing);
    rm2i_curves_free(&clean);
    rm2i_curves_free(&spiked);
}

/* One bad sample at either end is found, is named and does not add to the curve. */
static void bad_ends_are_removed(void **state) {
    enum { T = 50 };
    double F[2 * T * 2];
    size_t starts[] = {0, T, 2 * T};
    rm2i_start_data demos = {2 * T, 2, F, 2, starts, NULL, NULL};
    rm2i_curves clean, bad;
    half_circle(T, 1, F);
    half_circle(T, 1, F + (size_t)T * 2);
    build(*state, &demos, &clean);
    F[0] += 1;
    F[2 * (2 * T - 1) + 1] -= 2;
    build(*state, &demos, &bad);
    assert_true(clean.spikes[0] == 0 && clean.off[0] == 0 && clean.spikes[1] == 0);
    assert_true(bad.spikes[0] == 1 && bad.worst[0] == 0 && bad.spikes[1] == 1);
    assert_int_equal(bad.worst[1], T - 1);
    assert_near(bad.off[0], 1, clean.spacing); /* from its neighbour, a step away */
    assert_near(bad.off[1], 2, clean.spacing);
    assert_near(bad.spacing, clean.spacing * 48 / 49, 1e-3 * clean.spacing); /* each lost a step */
    rm2i_curves_free(&clean);
    rm2i_curves_free(&bad);
}

/* Independent noise has the size that it was made with, whatever the motion; a spike does not change it. The median of the norm of
 * two normal numbers is 1.18 of one, the root mean square 1.41; 397 differences: within a tenth. */
static void noise_is_measured(void **state) {
    enum { T = 400 };
    static double F[2 * T * 2];
    size_t starts[] = {0, T, 2 * T};
    rm2i_start_data demos = {2 * T, 2, F, 2, starts, NULL, NULL};
    rm2i_curves c;
    rm2_rng rng;
    rm2_rng_seed(&rng, 8);
    half_circle(T, 1, F);
    half_circle(T, 1, F + (size_t)T * 2);
    for (size_t i = 0; i < (size_t)T * 2; i++)
        F[i] += 0.05 * rm2_rng_normal(&rng);
    F[2 * 100] += 5;
    build(*state, &demos, &c);
    assert_near(c.jitter[0], 0.05 * 1.18, 0.006);
    assert_near(c.jitter[1], 0, 1e-6); /* third differences of a circle */
    rm2i_curves_free(&c);
}

/* Noise of a long recording does not add to its length. */
static void noise_adds_no_length(void **state) {
    enum { T = MOST / 2 };
    double *F = calloc((size_t)MOST * 2, sizeof *F), pi = acos(-1);
    size_t starts[] = {0, T, MOST};
    rm2i_start_data demos = {MOST, 2, F, 2, starts, NULL, NULL};
    rm2i_curves c;
    rm2_rng rng;
    rm2_rng_seed(&rng, 4);
    assert_non_null(F);
    half_circle(T, 1, F);
    half_circle(T, 1, F + (size_t)T * 2);
    for (size_t i = 0; i < (size_t)MOST * 2; i++)
        F[i] += 0.01 * rm2_rng_normal(&rng); /* as large as a step: twice the length if it stays */
    build(*state, &demos, &c);
    assert_near(c.spacing * 39, 2 * pi, 0.3 * pi);
    rm2i_curves_free(&c);
    free(F);
}

/* Shorter demonstrations have fewer nodes, at the same distances. */
static void nodes_follow_the_length(void **state) {
    enum { T = 50, HALF = 25, N = 2 * T + HALF };
    double F[N * 2];
    size_t starts[] = {0, T, 2 * T, N};
    rm2i_start_data demos = {N, 2, F, 3, starts, NULL, NULL};
    rm2i_curves c;
    half_circle(T, 1, F);
    memcpy(F + (size_t)T * 2, F, T * 2 * sizeof *F);
    memcpy(F + (size_t)(2 * T) * 2, F, HALF * 2 * sizeof *F); /* 24 of 49 steps */
    build(*state, &demos, &c);
    assert_int_equal(rm2i_curve_nodes(&c, 0), 40);
    assert_int_equal(rm2i_curve_nodes(&c, 2), 20);
    rm2i_curves_free(&c);
}

static void points_without_length(void **state) {
    double F[] = {0, 0, 1, 0, 2, 0, 3, 3, 5, 5, 5, 5, 0, 1, 1, 1, 2, 1};
    size_t starts[] = {0, 3, 4, 6, 9}; /* a line, one point, two equal points, a line */
    rm2i_start_data demos = {9, 2, F, 4, starts, NULL, NULL};
    rm2i_curves c;
    build(*state, &demos, &c);
    assert_int_equal(rm2i_curve_nodes(&c, 1), 8);
    assert_int_equal(rm2i_curve_nodes(&c, 2), 8);
    for (size_t k = c.first[1]; k < c.first[3]; k++)
        assert_near(distance(2, c.node + k * 2, F + (k < c.first[2] ? 6 : 8)), 0, 1e-14);
    assert_true(c.place[3] == 0 && c.place[4] == 0 && c.place[5] == 7);
    rm2i_curves_free(&c);
    demos = (rm2i_start_data){3, 2, F + 6, 2, (const size_t[]){0, 1, 3}, NULL, NULL};
    build(*state, &demos, &c);
    assert_int_equal(c.first[2], 0); /* nothing to go along */
    rm2i_curves_free(&c);
}

static void helpers(void **state) {
    (void)state;
    double x[] = {4, 1, 3, 2}, mean[4];
    rm2i_running_mean(4, x, 3, mean); /* as wide on both sides */
    assert_near(mean[0], 4, 0);
    assert_near(mean[1], 8. / 3, 1e-15);
    assert_near(mean[3], 2, 0);
    assert_near(rm2i_between(4, x, 1, 0.5), 2.5, 1e-15);
    assert_near(rm2i_between(4, x, 1, 3), 2, 0);
    assert_near(rm2i_between(2, x, 2, 0.25), 3.75, 1e-15);
    assert_near(rm2i_median(4, x), 2.5, 0);
    assert_near(rm2i_median(3, x), 2, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(nodes_are_even),        WITH_CONTEXT(pauses_count_for_nothing),
        WITH_CONTEXT(spikes_are_removed),    WITH_CONTEXT(bad_ends_are_removed),
        WITH_CONTEXT(noise_is_measured),     WITH_CONTEXT(bad_ends_are_removed),
        WITH_CONTEXT(noise_adds_no_length),  WITH_CONTEXT(nodes_follow_the_length),
        WITH_CONTEXT(points_without_length), cmocka_unit_test(helpers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
