/* Many geodesics at once, distances and the Fréchet mean: against the closed forms of the manifolds
 * S2 and H2, seen through charts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "geodesic/geodesic.h"
#include "precise.h"
#include "riemann2/geodesic.h"
#include "shared_context.h"

static rm2i_geodesic_settings precise; /* set at the start */

enum { Q = 2, N = 9, D = 3, PAIRS = N * (N - 1) / 2 };

/* ---- charts --------------------------------------------------------------------------------- */

static void sphere_point(const double *x, double *p) {
    memcpy(p, (double[D]){cos(x[0]) * cos(x[1]), cos(x[0]) * sin(x[1]), sin(x[0])}, D * sizeof *p);
}

/* (x, y) of the half plane on the hyperboloid: the isometry that takes (0, 1) to (1, 0, 0). */
static void hyperbolic_point(const double *x, double *p) {
    double square = x[0] * x[0] + x[1] * x[1];
    memcpy(p, (double[D]){(square + 1) / (2 * x[1]), (square - 1) / (2 * x[1]), x[0] / x[1]},
           D * sizeof *p);
}

typedef struct space {
    const char *metric, *manifold;
    void (*point)(const double *x, double *p);
    double points[N * Q];
} space;

static space make_space(size_t which) {
    space s = which ? (space){.metric = "half_plane", .manifold = "H2", .point = hyperbolic_point}
                    : (space){.metric = "sphere_latlon", .manifold = "S2", .point = sphere_point};
    rm2_rng rng;
    rm2_rng_seed(&rng, 3 + which);
    for (size_t i = 0; i < N; i++) {
        double u = 2 * rm2_rng_uniform(&rng) - 1, v = 2 * rm2_rng_uniform(&rng) - 1;
        s.points[i * Q] = which ? 2 * u : 0.2 + 0.7 * u;
        s.points[i * Q + 1] = which ? exp(v) : 0.7 * v;
    }
    return s;
}

/* ---- distances ------------------------------------------------------------------------------ */

typedef struct counter {
    size_t calls, last, total;
    pthread_t caller;
    bool elsewhere; /* a call on another thread */
    size_t stop_at;
} counter;

static bool count(void *user, const rm2_progress *p) {
    counter *c = user;
    assert_string_equal(p->activity, "distances");
    assert_true(p->done >= c->last && p->seconds >= 0 && !p->row);
    c->calls += p->done > c->last;
    c->last = p->done;
    c->total = p->total;
    c->elsewhere = c->elsewhere || !pthread_equal(c->caller, pthread_self());
    return !c->stop_at || p->done < c->stop_at;
}

static void all_distances(void **state) {
    (void)state;
    for (size_t which = 0; which < 2; which++) {
        space s = make_space(which);
        rm2_metric *metric = NULL;
        rm2_manifold *manifold = NULL;
        double one[N * N], two[N * N];
        assert_int_equal(rm2_metric_analytic(ctx, s.metric, Q, &metric), RM2_OK);
        assert_int_equal(rm2_manifold_create(ctx, s.manifold, &manifold), RM2_OK);
        for (int threads = 1; threads <= 2; threads++) {
            counter c = {.caller = pthread_self()};
            size_t unconverged = 99;
            rm2_context_set_threads(ctx, threads);
            rm2_context_set_progress(ctx, count, &c);
            assert_int_equal(rm2i_geodesic_distances(ctx, metric, NULL, &precise, N, s.points,
                                                     threads == 1 ? one : two, &unconverged),
                             RM2_OK);
            rm2_context_set_progress(ctx, NULL, NULL);
            assert_true(unconverged == 0 && c.last == PAIRS && c.total == PAIRS && !c.elsewhere);
            assert_true(threads > 1 || c.calls == PAIRS);
        }
        assert_memory_equal(one, two, sizeof one); /* each pair is done by one thread */
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                double p[D], q[D], want;
                s.point(s.points + i * Q, p);
                s.point(s.points + j * Q, q);
                assert_int_equal(rm2_manifold_distance(ctx, manifold, 1, p, 1, q, &want), RM2_OK);
                assert_true(one[i * N + j] == one[j * N + i]);
                assert_true(fabs(one[i * N + j] - want) <= 1e-9 * want);
            }
        rm2_manifold_free(manifold);
        rm2_metric_free(metric);
    }
    rm2_context_set_threads(ctx, 0);
}

static void few_points(void **state) {
    (void)state;
    rm2_metric *metric = NULL;
    const double x[Q] = {0.1, 0.2};
    double distance = 7;
    assert_int_equal(rm2_metric_analytic(ctx, "euclidean", Q, &metric), RM2_OK);
    assert_int_equal(rm2i_geodesic_distances(ctx, metric, NULL, &precise, 0, NULL, NULL, NULL),
                     RM2_OK);
    assert_int_equal(rm2i_geodesic_distances(ctx, metric, NULL, &precise, 1, x, &distance, NULL),
                     RM2_OK);
    assert_true(distance == 0);
    rm2_metric_free(metric);
}

static void stopped(void **state) {
    (void)state;
    space s = make_space(1);
    rm2_metric *metric = NULL;
    double distance[N * N];
    counter c = {.caller = pthread_self(), .stop_at = 3};
    assert_int_equal(rm2_metric_analytic(ctx, s.metric, Q, &metric), RM2_OK);
    for (int threads = 1; threads <= 2; threads++) {
        rm2_context_set_threads(ctx, threads);
        c.last = 0;
        rm2_context_set_progress(ctx, count, &c);
        assert_int_equal(
            rm2i_geodesic_distances(ctx, metric, NULL, &precise, N, s.points, distance, NULL),
            RM2_INTERRUPTED);
        rm2_context_set_progress(ctx, NULL, NULL);
        rm2_context_clear_interrupt(ctx);
        assert_true(c.last < PAIRS);
    }
    rm2_context_set_threads(ctx, 0);
    rm2_metric_free(metric);
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static void pairs_with_a_failure(void **state) {
    (void)state;
    space s = make_space(1);
    rm2_metric *metric = NULL;
    double from[N * Q], to[N * Q];
    rm2_curve *curves[N];
    assert_int_equal(rm2_metric_analytic(ctx, s.metric, Q, &metric), RM2_OK);
    for (size_t i = 0; i < N; i++) {
        memcpy(from + i * Q, s.points + i * Q, Q * sizeof *from);
        memcpy(to + i * Q, s.points + (i + 1) % N * Q, Q * sizeof *to);
    }
    for (int bad = 0; bad < 2; bad++) {
        size_t failed = 5;
        to[4 * Q + 1] = bad ? -1 : s.points[5 * Q + 1]; /* below the edge */
        rm2_status status =
            rm2i_geodesic_many(ctx, metric, NULL, &precise, N, from, to, curves, &failed);
        assert_int_equal(status, bad ? RM2_ERR_DOMAIN : RM2_OK);
        assert_true(failed == (bad ? 4 : SIZE_MAX));
        if (bad)
            assert_non_null(strstr(rm2_context_error(ctx), "pair 4: "));
        for (size_t i = 0; i < N; i++) {
            assert_true((curves[i] != NULL) == !(bad && i == 4));
            if (!curves[i])
                continue;
            rm2_curve *alone = NULL;
            assert_int_equal(
                rm2i_geodesic(ctx, metric, NULL, &precise, from + i * Q, to + i * Q, &alone),
                RM2_OK);
            assert_memory_equal(alone->x, curves[i]->x, alone->nodes * Q * sizeof(double));
            assert_true(alone->evaluations == curves[i]->evaluations);
            rm2_curve_free(alone);
            rm2_curve_free(curves[i]);
        }
    }
    assert_int_equal(rm2i_geodesic_many(ctx, metric, NULL, &precise, 0, NULL, NULL, NULL, NULL),
                     RM2_OK);
    rm2_metric_free(metric);
}

/* ---- mean ----------------------------------------------------------------------------------- */

static void mean_through_the_chart(void **state) {
    (void)state;
    const double weights[N] = {1, 0.2, 3, 0, 0.7, 1, 1, 2, 0.1};
    for (size_t k = 0; k < 4; k++) {
        space s = make_space(k % 2);
        const double *w = k < 2 ? NULL : weights;
        rm2_metric *metric = NULL;
        rm2_manifold *manifold = NULL;
        rm2_mean_info info = {.size = sizeof info}, known = {.size = sizeof known};
        double p[N * D], want[D], mean[Q], got[D];
        assert_int_equal(rm2_metric_analytic(ctx, s.metric, Q, &metric), RM2_OK);
        assert_int_equal(rm2_manifold_create(ctx, s.manifold, &manifold), RM2_OK);
        for (size_t i = 0; i < N; i++)
            s.point(s.points + i * Q, p + i * D);
        assert_int_equal(rm2_manifold_mean(ctx, manifold, N, p, w, NULL, want, &known), RM2_OK);
        assert_int_equal(
            rm2i_geodesic_mean(ctx, metric, NULL, &precise, N, s.points, w, NULL, mean, &info),
            RM2_OK);
        s.point(mean, got);
        assert_true(info.converged && info.iterations > 0);
        for (size_t q = 0; q < D; q++) /* the gradient is below 1e-6 of distances about 1 */
            assert_true(fabs(got[q] - want[q]) < 5e-6);
        assert_true(fabs(info.variance / known.variance - 1) < 1e-9);
        assert_true(info.gradient <= 1e-6 * sqrt(info.variance));
        rm2_manifold_free(manifold);
        rm2_metric_free(metric);
    }
}

static void easy_means(void **state) {
    (void)state;
    rm2_metric *metric = NULL;
    rm2_mean_info info = {.size = sizeof info};
    double points[3 * Q] = {0, 0, 1, 2, 5, 1}, mean[Q];
    assert_int_equal(rm2_metric_analytic(ctx, "euclidean", Q, &metric), RM2_OK);
    assert_int_equal(
        rm2i_geodesic_mean(ctx, metric, NULL, &precise, 3, points, NULL, NULL, mean, &info),
        RM2_OK);
    assert_true(info.converged && fabs(mean[0] - 2) < 1e-9 && fabs(mean[1] - 1) < 1e-9);
    assert_int_equal(
        rm2i_geodesic_mean(ctx, metric, NULL, &precise, 1, points + Q, NULL, NULL, mean, &info),
        RM2_OK);
    assert_true(info.converged && mean[0] == 1 && mean[1] == 2 && info.variance == 0);
    memcpy(points + Q, points, Q * sizeof *points); /* twice the same */
    assert_int_equal(
        rm2i_geodesic_mean(ctx, metric, NULL, &precise, 2, points, NULL, NULL, mean, NULL), RM2_OK);
    assert_true(mean[0] == 0 && mean[1] == 0);
    const rm2_mean_settings none = {.size = sizeof none, .max_iterations = 0, .tolerance = 1e-14};
    assert_int_equal(
        rm2i_geodesic_mean(ctx, metric, NULL, &precise, 3, points, NULL, &none, mean, &info),
        RM2_OK);
    assert_true(!info.converged && info.iterations == 0 && info.gradient > 0);
    rm2_metric_free(metric);
}

static void bad_means(void **state) {
    (void)state;
    rm2_metric *metric = NULL;
    double points[2 * Q] = {0, 1, 1, 2}, mean[Q];
    assert_int_equal(rm2_metric_analytic(ctx, "half_plane", Q, &metric), RM2_OK);
    assert_int_equal(
        rm2i_geodesic_mean(ctx, metric, NULL, &precise, 0, points, NULL, NULL, mean, NULL),
        RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_geodesic_mean(ctx, metric, NULL, &precise, 2, points, (double[2]){1, -1},
                                        NULL, mean, NULL),
                     RM2_ERR_ARGUMENT);
    assert_int_equal(rm2i_geodesic_mean(ctx, metric, NULL, &precise, 2, points, (double[2]){0, 0},
                                        NULL, mean, NULL),
                     RM2_ERR_ARGUMENT);
    points[3] = -2;
    assert_int_equal(
        rm2i_geodesic_mean(ctx, metric, NULL, &precise, 2, points, NULL, NULL, mean, NULL),
        RM2_ERR_DOMAIN);
    assert_non_null(strstr(rm2_context_error(ctx), "mean: to point 1"));
    rm2_metric_free(metric);
}

int main(void) {
    precise = precise_settings();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_distances),
        cmocka_unit_test(few_points),
        cmocka_unit_test(stopped),
        cmocka_unit_test(pairs_with_a_failure),
        cmocka_unit_test(mean_through_the_chart),
        cmocka_unit_test(easy_means),
        cmocka_unit_test(bad_means),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
