/* Landmark Isomap: points whose distances are known come out again, the start of many points is that of
 * all shortest paths up to the method's error, and degenerate data give a finite start. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "start/start.h"
#include "thread_team.h"

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

static double *doubles(size_t count) {
    double *x = calloc(count, sizeof *x);
    assert_non_null(x);
    return x;
}

static double distance(size_t d, const double *x, const double *y) {
    double sum = 0;
    for (size_t k = 0; k < d; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sqrt(sum);
}

/* Squared distance of Y from X (both centred, N x 2) after the best rotation or reflection and scale,
 * relative to X. With H = Y^T X, the best orthogonal map gives |H|_* (sum of singular values), and
 * 1 - |H|_*^2/(|X|^2 |Y|^2) is what is left. For 2 x 2: |H|_*^2 = |H|_F^2 + 2 |det H|. */
static double procrustes(size_t N, const double *X, const double *Y) {
    double H[4] = {0}, xx = 0, yy = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < 4; k++)
            H[k] += Y[i * 2 + k / 2] * X[i * 2 + k % 2];
    for (size_t i = 0; i < N * 2; i++) {
        xx += X[i] * X[i];
        yy += Y[i] * Y[i];
    }
    double square =
        H[0] * H[0] + H[1] * H[1] + H[2] * H[2] + H[3] * H[3] + 2 * fabs(H[0] * H[3] - H[1] * H[2]);
    return 1 - square / (xx * yy);
}

/* Euclidean distances determine the points: triangulation is exact then, from any landmarks that span
 * the space. */
static void triangulation_recovers_points(void **state) {
    rm2_context *ctx = *state;
    enum { N = 60, L = 7, D = 3 };
    double P[N * D], distances[L * N], X[N * D];
    size_t landmark[L];
    rm2_rng rng;
    rm2_rng_seed(&rng, 3);
    for (size_t i = 0; i < N * D; i++)
        P[i] = (double)(1 + i % D) * rm2_rng_normal(&rng);
    for (size_t i = 0; i < L; i++) {
        landmark[i] = 3 + 8 * i;
        for (size_t n = 0; n < N; n++)
            distances[i * N + n] = distance(D, P + landmark[i] * D, P + n * D);
    }
    assert_ok(ctx, rm2i_start_landmarks(ctx, N, L, landmark, distances, D, X));
    for (size_t i = 0; i < N * N; i++) {
        double d = distance(D, P + i / N * D, P + i % N * D);
        assert_true(fabs(distance(D, X + i / N * D, X + i % N * D) - d) < 1e-11);
    }
    for (size_t q = 0; q < D; q++) { /* centred */
        double mean = 0;
        for (size_t n = 0; n < N; n++)
            mean += X[n * D + q] / N;
        assert_true(fabs(mean) < 1e-12);
    }
    distances[5] = INFINITY;
    assert_int_equal(rm2i_start_landmarks(ctx, N, L, landmark, distances, D, X), RM2_ERR_NUMERIC);
}

/* Demonstrations of a stroke that crosses itself, in three dimensions. */
static double *strokes(size_t demos, size_t points, size_t *starts) {
    double *F = doubles(demos * points * 3);
    rm2_rng rng;
    rm2_rng_seed(&rng, 7);
    for (size_t d = 0; d < demos; d++) {
        double a = 0.1 * rm2_rng_normal(&rng), b = 0.1 * rm2_rng_normal(&rng);
        starts[d] = d * points;
        for (size_t i = 0; i < points; i++) {
            double t = 2 * (double)i / (double)points, *f = F + (d * points + i) * 3;
            f[0] = sin(3 * t) * (1 + a) + 0.01 * rm2_rng_normal(&rng);
            f[1] = sin(2 * t + b) + 0.01 * rm2_rng_normal(&rng);
            f[2] = t * (1 + b) + a * cos(t);
        }
    }
    starts[demos] = demos * points;
    return F;
}

/* All shortest paths against those from 500 and from 100 of 1500 points: sampling error. */
static void start_is_that_of_all_paths(void **state) {
    rm2_context *ctx = *state;
    enum { DEMOS = 10, POINTS = 150, N = DEMOS * POINTS };
    size_t starts[DEMOS + 1];
    double *F = strokes(DEMOS, POINTS, starts), *all = doubles(N * 2), *some = doubles(N * 2);
    rm2i_isomap_settings s = rm2i_isomap_settings_default();
    assert_ok(ctx, rm2i_start_isomap(
                       ctx, &s, &(rm2i_start_data){N, 3, F, DEMOS, starts, NULL, NULL}, 2, all));
    s.landmarks = 500;
    assert_ok(ctx, rm2i_start_isomap(
                       ctx, &s, &(rm2i_start_data){N, 3, F, DEMOS, starts, NULL, NULL}, 2, some));
    assert_true(procrustes(N, all, some) < 1e-4); /* 1 % of the extent */
    s.landmarks = 100;
    assert_ok(ctx, rm2i_start_isomap(
                       ctx, &s, &(rm2i_start_data){N, 3, F, DEMOS, starts, NULL, NULL}, 2, some));
    assert_true(procrustes(N, all, some) < 1e-3);
    double square = 0;
    for (size_t i = 0; i < N * 2; i++)
        square += some[i] * some[i];
    assert_true(fabs(square / (N * 2) - 1) < 1e-12); /* unit deviation, as ever */
    s.landmarks = N + 5;                             /* more than points: all */
    assert_ok(ctx, rm2i_start_isomap(
                       ctx, &s, &(rm2i_start_data){N, 3, F, DEMOS, starts, NULL, NULL}, 2, some));
    assert_memory_equal(all, some, N * 2 * sizeof *all);
    free(F);
    free(all);
    free(some);
}

/* From 2001 points on there are 500 landmarks; threads change nothing. */
static void many_points(void **state) {
    rm2_context *ctx = *state;
    enum { DEMOS = 3, POINTS = 667, N = DEMOS * POINTS };
    size_t starts[DEMOS + 1];
    double *F = strokes(DEMOS, POINTS, starts), *X = doubles(N * 2), *Y = doubles(N * 2);
    rm2i_isomap_settings s = rm2i_isomap_settings_default();
    rm2_context_set_threads(ctx, 1);
    assert_ok(ctx, rm2i_start_isomap(ctx, NULL,
                                     &(rm2i_start_data){N, 3, F, DEMOS, starts, NULL, NULL}, 2, X));
    rm2_context_set_threads(ctx, 3);
    s.landmarks = 500;
    assert_ok(ctx, rm2i_start_isomap(ctx, &s,
                                     &(rm2i_start_data){N, 3, F, DEMOS, starts, NULL, NULL}, 2, Y));
    assert_memory_equal(X, Y, N * 2 * sizeof *X);
    free(F);
    free(X);
    free(Y);
}

static void degenerate_data(void **state) {
    rm2_context *ctx = *state;
    enum { N = 90, Q = 3 };
    double line[N], places[N], X[N * Q];
    rm2i_isomap_settings s = {.neighbours = 8, .time_weight = 0};
    for (size_t i = 0; i < N; i++) {
        line[i] = (double)i;
        places[i] = (double)(i % 2); /* two places: landmarks coincide */
    }
    for (s.landmarks = 2; s.landmarks < 40; s.landmarks += 9) {
        assert_ok(ctx, rm2i_start_isomap(
                           ctx, &s, &(rm2i_start_data){N, 1, line, 0, NULL, NULL, NULL}, Q, X));
        for (size_t i = 0; i < N * Q; i++)
            assert_true(isfinite(X[i]));
        for (size_t i = 1; i < N; i++) /* in order, on either way */
            assert_true((X[i * Q] - X[(i - 1) * Q]) * (X[(N - 1) * Q] - X[0]) > 0);
        if (s.landmarks == 2) /* they may be in the same place */
            continue;
        assert_ok(ctx, rm2i_start_isomap(
                           ctx, &s, &(rm2i_start_data){N, 1, places, 0, NULL, NULL, NULL}, Q, X));
        for (size_t i = 2; i < N; i++)
            assert_true(isfinite(X[i * Q + 2]) && fabs(X[i * Q] - X[(i - 2) * Q]) < 1e-9);
    }
    rm2_context_interrupt(ctx);
    assert_int_equal(
        rm2i_start_isomap(ctx, &s, &(rm2i_start_data){N, 1, line, 0, NULL, NULL, NULL}, Q, X),
        RM2_INTERRUPTED);
}

/* ---- thinned sets --------------------------------------------------------------------------- */

static const rm2i_graph_settings plan = {.neighbours = 8, .steps = 1};

/* Where all points are kept, each is a node of the graph: the start is that of its landmarks, bit by bit. */
static void thinned_to_all_is_the_whole(void **state) {
    rm2_context *ctx = *state;
    enum { DEMOS = 6, POINTS = 120, N = DEMOS * POINTS };
    size_t starts[DEMOS + 1];
    double *F = strokes(DEMOS, POINTS, starts), *X = doubles(N * 2), *Y = doubles(N * 2);
    for (size_t demos = 0; demos <= DEMOS; demos += DEMOS) { /* without trajectories, and with */
        const rm2i_start_data points = {N, 3, F, demos, demos ? starts : NULL, NULL, NULL};
        rm2i_graph graph;
        assert_ok(ctx, rm2i_graph_build(ctx, &points, &plan, &graph));
        assert_ok(ctx, rm2i_start_embed(ctx, &graph, 500, 2, X));
        size_t kept = demos ? N : 100 * N; /* enough places that none is left out */
        assert_ok(ctx, rm2i_start_thinned(ctx, &points, &plan, kept, 2, Y));
        assert_memory_equal(X, Y, N * 2 * sizeof *X);
        rm2i_graph_free(&graph);
    }
    free(F);
    free(X);
    free(Y);
}

/* A sheet that is rolled up: demonstrations side by side, each along the roll. Returns (arc, across) too, which is what
 * a start finds, centred. */
static double *sheet(size_t demos, size_t points, size_t *starts, double *flat) {
    double *F = doubles(demos * points * 3);
    rm2_rng rng;
    rm2_rng_seed(&rng, 11);
    for (size_t d = 0; d < demos; d++) {
        starts[d] = d * points;
        for (size_t i = 0; i < points; i++) {
            size_t n = d * points + i;
            double t = 4 * ((double)i + 0.5) / (double)points + 0.01 * rm2_rng_normal(&rng);
            double across = 2 * (((double)d + 0.5) / (double)demos - 0.5);
            F[n * 3] = sin(t);
            F[n * 3 + 1] = cos(t);
            F[n * 3 + 2] = across + 0.01 * rm2_rng_normal(&rng);
            flat[n * 2] = t - 2;
            flat[n * 2 + 1] = F[n * 3 + 2];
        }
    }
    starts[demos] = demos * points;
    return F;
}

/* Of a quarter and of an eighth of the points: long trajectories, of which every fourth point is kept, and short ones,
 * of which most are left out as a whole. Threads change nothing. */
static void thinned_start_is_near_the_whole(void **state) {
    rm2_context *ctx = *state;
    enum { DEMOS = 60, POINTS = 100, N = DEMOS * POINTS };
    size_t starts[DEMOS + 1];
    double *X = doubles(N * 2), *Y = doubles(N * 2), *flat = doubles(N * 2);
    double *F = sheet(DEMOS, POINTS, starts, flat);
    const rm2i_start_data points = {N, 3, F, DEMOS, starts, NULL, NULL};
    assert_ok(ctx, rm2i_start_scaling(ctx, &points, &plan, 0, 2, X));
    for (size_t kept = N / 4; kept >= N / 8; kept /= 2) {
        rm2_context_set_threads(ctx, 1);
        assert_ok(ctx, rm2i_start_thinned(ctx, &points, &plan, kept, 2, Y));
        assert_true(procrustes(N, X, Y) < 3e-3); /* 5 % of the extent */
        assert_true(procrustes(N, flat, Y) < 3e-3);
        double *Z = doubles(N * 2);
        rm2_context_set_threads(ctx, 3);
        assert_ok(ctx, rm2i_start_thinned(ctx, &points, &plan, kept, 2, Z));
        assert_memory_equal(Y, Z, N * 2 * sizeof *Y);
        free(Z);
    }
    free(flat);
    free(F);
    free(X);
    free(Y);
}

/* The same by a team, each rank with its part of the points: X of all points is rank 0's. */
typedef struct shared_start {
    rm2i_start_data all;
    size_t kept;
    double *X;
    rm2_status status; /* of rank 0 */
} shared_start;

static rm2_status start_part(rm2_context *own, const rm2_communicator *comm,
                             const shared_start *s) {
    rm2i_rows whole = rm2i_rows_alone(s->all.N, s->all.trajectories, s->all.starts), rows;
    whole.comm = comm;
    rm2_status status = rm2i_rows_divide(own, &whole, &rows);
    if (status == RM2_OK) {
        rm2i_start_data part = s->all;
        part.N = rows.n;
        part.F += rows.before * part.M;
        part.trajectories = rows.trajectories;
        part.starts = rows.starts;
        part.rows = &rows;
        status = rm2i_start_thinned(own, &part, &plan, s->kept, 2, s->X);
    }
    rm2i_rows_free(&rows);
    return status;
}

static void run_part(rm2_context *own, const rm2_communicator *comm, void *user) {
    shared_start *s = user;
    rm2_status status = start_part(own, comm, s);
    if (comm->rank == 0)
        s->status = status;
}

static void a_team_finds_the_same_thinned_start(void **state) {
    rm2_context *ctx = *state;
    enum { DEMOS = 30, POINTS = 60, N = DEMOS * POINTS };
    size_t starts[DEMOS + 1];
    double *X = doubles(N * 2), *Y = doubles(N * 2), *flat = doubles(N * 2);
    double *F = sheet(DEMOS, POINTS, starts, flat);
    shared_start s = {.all = {N, 3, F, DEMOS, starts, NULL, NULL}, .kept = N / 4, .X = Y};
    assert_ok(ctx, rm2i_start_thinned(ctx, &s.all, &plan, s.kept, 2, X));
    for (int ranks = 2; ranks <= 5; ranks++) {
        memset(Y, 0, N * 2 * sizeof *Y);
        run_thread_team(ctx, ranks, run_part, &s);
        assert_ok(ctx, s.status);
        assert_memory_equal(X, Y, N * 2 * sizeof *X);
    }
    free(flat);
    free(F);
    free(X);
    free(Y);
}

/* Nodes on a line at 0, 4, 8, ..: a point between two is as far from a landmark as the way over the nearer node on that
 * side, which is its distance on the line, so that every point is where it belongs. */
static void points_are_placed_between_nodes(void **state) {
    rm2_context *ctx = *state;
    enum { N = 401 };
    size_t starts[] = {0, N};
    double F[N], X[N];
    for (size_t i = 0; i < N; i++)
        F[i] = (double)i;
    const rm2i_start_data points = {N, 1, F, 1, starts, NULL, NULL};
    assert_ok(ctx, rm2i_start_thinned(ctx, &points, &plan, 101, 1, X));
    double sign = X[N - 1] > X[0] ? 1 : -1;
    for (size_t i = 0; i < N; i++)
        assert_true(fabs(sign * X[i] - (F[i] - 200)) < 1e-9);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(triangulation_recovers_points),
        TEST(start_is_that_of_all_paths),
        TEST(many_points),
        TEST(degenerate_data),
        TEST(thinned_to_all_is_the_whole),
        TEST(thinned_start_is_near_the_whole),
        TEST(a_team_finds_the_same_thinned_start),
        TEST(points_are_placed_between_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
