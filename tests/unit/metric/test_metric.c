/* Metrics in general: closed forms and functions of the caller, evaluation of many points, what is
 * wrong with which point; magnification; lengths and energies of curves that are known.
 *
 * Tolerances: closed forms are a few operations each, 1e-14; five-point differences over 1e-3 have
 * truncation 1e-13 G''''' and rounding 1e-13, 1e-9. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "front/base.h"
#include "pullback_fixture.h"

enum { MOST_Q = 3, Q3 = MOST_Q * MOST_Q * MOST_Q };

static rm2_context *ctx;

static int setup(void **state) {
    (void)state;
    return rm2_context_create(&ctx) == RM2_OK ? 0 : 1;
}

static int teardown(void **state) {
    (void)state;
    rm2_context_free(ctx);
    return 0;
}

static rm2_metric *analytic(const char *name, size_t Q) {
    rm2_metric *metric;
    assert_int_equal(rm2_metric_analytic(ctx, name, Q, &metric), RM2_OK);
    assert_int_equal(rm2_metric_dim(metric), Q);
    assert_string_equal(rm2_metric_text(metric), name);
    assert_true(rm2_metric_weight(metric) == 1);
    return metric;
}

static rm2_metric *from_function(size_t Q, rm2_metric_fn at, const void *user) {
    rm2_metric *metric;
    assert_int_equal(rm2_metric_from_function(ctx, Q, at, user, "own", &metric), RM2_OK);
    assert_string_equal(rm2_metric_text(metric), "own");
    return metric;
}

static void assert_message(const char *part) {
    if (!strstr(rm2_context_error(ctx), part))
        fail_msg("\"%s\" is not in \"%s\"", part, rm2_context_error(ctx));
}

/* ---- closed forms --------------------------------------------------------------------------- */

/* Squared length of a small step on the surface itself: on the unit sphere, on the graph of
 * 2 exp(-|x|^2/2), in the plane. */
static double embedded_square(const char *name, size_t Q, const double *x, const double *step) {
    double at[2][MOST_Q + 1] = {{0}}, sum = 0;
    for (int k = 0; k < 2; k++) {
        double y[MOST_Q], square = 0;
        for (size_t q = 0; q < Q; q++) {
            y[q] = x[q] + (k ? 0.5 : -0.5) * step[q];
            square += y[q] * y[q];
            at[k][q] = y[q];
        }
        if (strcmp(name, "sphere_latlon") == 0) {
            at[k][0] = cos(y[0]) * cos(y[1]);
            at[k][1] = cos(y[0]) * sin(y[1]);
            at[k][2] = sin(y[0]);
        } else if (strcmp(name, "bump") == 0) {
            at[k][Q] = 2 * exp(-square / 2);
        }
    }
    for (size_t i = 0; i <= Q; i++)
        sum += pow(at[1][i] - at[0][i], 2);
    return strcmp(name, "half_plane") == 0 ? sum / (x[1] * x[1]) : sum;
}

static void check_closed_form(const char *name, size_t Q) {
    static const double x[] = {0.4, 0.7, -0.3}, a[] = {0.5, -0.8, 0.6};
    rm2_metric *metric = analytic(name, Q);
    double G[Q3], same[Q3], dG[Q3], differences[Q3], step[MOST_Q], h = 1e-4;
    assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, dG), RM2_OK);
    assert_int_equal(rm2_metric_at(ctx, metric, 1, x, same, NULL), RM2_OK);
    assert_memory_equal(G, same, Q * Q * sizeof *G);
    for (size_t q = 0; q < Q; q++)
        step[q] = h * a[q];
    double found = rm2i_metric_inner(Q, G, a, a), square = embedded_square(name, Q, x, step);
    square /= h * h;
    assert_close(name, 1, &found, &square, 1e-7); /* h^2 times curvatures of order 1 */
    metric_differences(ctx, metric, x, 1e-3, differences);
    for (size_t k = 0; k < Q * Q * Q; k++)
        assert_true(fabs(dG[k] - differences[k]) <= 1e-9);
    rm2_metric_free(metric);
}

static void test_closed_forms(void **state) {
    (void)state;
    check_closed_form("sphere_latlon", 2);
    check_closed_form("half_plane", 2);
    for (size_t Q = 1; Q <= MOST_Q; Q++) {
        check_closed_form("euclidean", Q);
        check_closed_form("bump", Q);
    }
    double x[2] = {0.3, 0.5}, G[4], dG[8]; /* the formulas themselves */
    rm2_metric *metric = analytic("sphere_latlon", 2);
    assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, dG), RM2_OK);
    assert_true(G[0] == 1 && G[1] == 0 && G[2] == 0 && fabs(G[3] - pow(cos(0.3), 2)) < 1e-15);
    rm2_metric_free(metric);
    metric = analytic("half_plane", 2);
    assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, dG), RM2_OK);
    assert_true(G[0] == 4 && G[1] == 0 && G[2] == 0 && G[3] == 4);
    rm2_metric_free(metric);
}

static void test_names_and_dimensions(void **state) {
    (void)state;
    rm2_metric *metric;
    assert_int_equal(rm2_metric_analytic(ctx, "torus", 2, &metric), RM2_ERR_ARGUMENT);
    assert_null(metric);
    assert_message("torus");
    assert_message("half_plane"); /* the names there are */
    static const char *const planes[] = {"sphere_latlon", "half_plane"};
    for (int k = 0; k < 2; k++)
        for (size_t Q = 0; Q < 4; Q++)
            if (Q != 2) {
                assert_int_equal(rm2_metric_analytic(ctx, planes[k], Q, &metric), RM2_ERR_ARGUMENT);
                assert_null(metric);
                assert_message(planes[k]);
                assert_message("it has 2");
            }
    assert_int_equal(rm2_metric_analytic(ctx, "euclidean", 0, &metric), RM2_ERR_ARGUMENT);
    assert_null(metric);
    rm2_metric_free(NULL);
}

/* ---- failures name the point ---------------------------------------------------------------- */

static void test_outside_the_domain(void **state) {
    (void)state;
    rm2_metric *metric = analytic("half_plane", 2);
    double x[] = {0, 1, 2, 3, 0.5, 0, 1, -1}, G[16], dG[32], length;
    assert_int_equal(rm2_metric_at(ctx, metric, 2, x, G, dG), RM2_OK);
    assert_int_equal(rm2_metric_at(ctx, metric, 4, x, G, dG), RM2_ERR_DOMAIN);
    assert_message("half_plane");
    assert_message("point 2: ");
    assert_message("(0.5, 0)");
    assert_int_equal(rm2_metric_magnification(ctx, metric, 1, x + 6, G), RM2_ERR_DOMAIN);
    assert_message("point 0: ");
    assert_message("(1, -1)");
    assert_int_equal(rm2i_metric_measure(ctx, metric, 3, x, &length, NULL), RM2_OK);
    assert_int_equal(rm2i_metric_measure(ctx, metric, 4, x, &length, NULL), RM2_ERR_DOMAIN);
    assert_message("side 2: ");
    rm2_metric_free(metric);
}

typedef struct trap {
    double from;       /* x[0] from here on fails */
    rm2_status status; /* RM2_OK: not a number instead */
    atomic_size_t calls;
} trap;

static rm2_status trapped(const void *user, const double *x, double *G, double *dG) {
    trap *t = (trap *)(uintptr_t)user;
    atomic_fetch_add(&t->calls, 1);
    if (x[0] >= t->from && t->status != RM2_OK)
        return t->status;
    G[0] = x[0] >= t->from && t->status == RM2_OK ? NAN : 1 + x[0];
    if (dG)
        dG[0] = 1;
    return RM2_OK;
}

/* The first point that fails is named, wherever it is, with any number of threads; its status is
 * handed on. */
static void test_failing_function(void **state) {
    (void)state;
    enum { MANY = 40000 };
    static double x[MANY], G[MANY];
    const size_t places[] = {0, 1, 63, 64, 700, 17000, MANY - 1};
    trap t = {.from = 0};
    rm2_metric *metric = from_function(1, trapped, &t);
    for (size_t i = 0; i < MANY; i++)
        x[i] = (double)i;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        for (int threads = 1; threads <= 2; threads++)
            for (int nan = 0; nan < 2; nan++) {
                char name[32];
                (void)snprintf(name, sizeof name, "point %zu: own", places[k]);
                t.from = (double)places[k];
                t.status = nan ? RM2_OK : RM2_ERR_DATA;
                rm2_context_set_threads(ctx, threads);
                assert_int_equal(rm2_metric_at(ctx, metric, MANY, x, G, NULL),
                                 nan ? RM2_ERR_NUMERIC : RM2_ERR_DATA);
                assert_message(name);
            }
    t.from = INFINITY;
    atomic_store(&t.calls, 0);
    assert_int_equal(rm2_metric_at(ctx, metric, MANY, x, G, NULL), RM2_OK);
    assert_int_equal(atomic_load(&t.calls), MANY); /* each point once */
    for (size_t i = 0; i < MANY; i++)
        assert_true(G[i] == 1 + x[i]);
    rm2_metric_free(metric);
    assert_int_equal(rm2_metric_from_function(ctx, 0, trapped, &t, "own", &metric),
                     RM2_ERR_ARGUMENT);
    assert_null(metric);
    assert_int_equal(rm2_metric_from_function(ctx, 2, NULL, &t, "own", &metric), RM2_ERR_ARGUMENT);
    assert_null(metric);
}

static void test_interrupt_and_bad_points(void **state) {
    (void)state;
    rm2_metric *metric = analytic("bump", 2);
    double x[6] = {0, 1, 2, NAN, 4, 5}, G[12], value[3], length;
    assert_int_equal(rm2_metric_at(ctx, metric, 3, x, G, NULL), RM2_ERR_DATA);
    assert_message("point 1, coordinate 1 is nan");
    x[3] = -INFINITY;
    assert_int_equal(rm2_metric_magnification(ctx, metric, 3, x, value), RM2_ERR_DATA);
    assert_message("point 1, coordinate 1 is -inf");
    assert_int_equal(rm2i_metric_measure(ctx, metric, 3, x, &length, NULL), RM2_ERR_DATA);
    assert_message("point 1, coordinate 1 is -inf");
    x[3] = 3;
    rm2_context_interrupt(ctx);
    assert_int_equal(rm2_metric_at(ctx, metric, 3, x, G, NULL), RM2_INTERRUPTED);
    assert_message("interrupted");
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(rm2_metric_at(ctx, metric, 3, x, G, NULL), RM2_OK);
    assert_int_equal(rm2_metric_at(ctx, metric, 0, NULL, NULL, NULL), RM2_OK);
    assert_int_equal(rm2_metric_magnification(ctx, metric, 0, NULL, NULL), RM2_OK);
    rm2_metric_free(metric);
}

/* ---- magnification -------------------------------------------------------------------------- */

/* user: a Q x Q matrix, the metric everywhere; Q is 2 or 3 by name */
static rm2_status constant2(const void *user, const double *x, double *G, double *dG) {
    (void)x, (void)dG;
    memcpy(G, user, 4 * sizeof *G);
    return RM2_OK;
}

static rm2_status constant3(const void *user, const double *x, double *G, double *dG) {
    (void)x, (void)dG;
    memcpy(G, user, 9 * sizeof *G);
    return RM2_OK;
}

static double magnification(size_t Q, const double *G) {
    rm2_metric *metric = from_function(Q, Q == 2 ? constant2 : constant3, G);
    double x[3] = {0}, value = NAN;
    assert_int_equal(rm2_metric_magnification(ctx, metric, 1, x, &value), RM2_OK);
    rm2_metric_free(metric);
    return value;
}

static void test_magnification(void **state) {
    (void)state;
    rm2_metric *metric = analytic("half_plane", 2); /* det = y^-4 */
    double x[6] = {0, 0.25, 1, 1, -3, 20}, value[3];
    assert_int_equal(rm2_metric_magnification(ctx, metric, 3, x, value), RM2_OK);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(value[i] + 2 * log(x[2 * i + 1])) <= 1e-14);
    rm2_metric_free(metric);
    /* det (I + g g^T) = 1 + |g|^2 with g = grad z of the bump */
    metric = analytic("bump", 3);
    double y[3] = {0.3, -0.5, 0.2}, square = 0.09 + 0.25 + 0.04;
    assert_int_equal(rm2_metric_magnification(ctx, metric, 1, y, value), RM2_OK);
    assert_true(fabs(value[0] - 0.5 * log(1 + 4 * exp(-square) * square)) <= 1e-14);
    rm2_metric_free(metric);
}

/* det (s A) = s^Q det A for scales where products of entries overflow or vanish, and directions
 * whose scales differ: det diag(a, b) A diag(a, b) = (a b)^2 det A. */
static void test_magnification_of_any_scale(void **state) {
    (void)state;
    static const double powers[] = {-300, -200, -160, -20, 0, 20, 155, 200, 300};
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        double s = pow(10, powers[k]), log_s = log(s);
        double A[4] = {2 * s, s, s, 2 * s}, B[9] = {4 * s, s, 0, s, 3 * s, -s, 0, -s, 2 * s};
        assert_true(fabs(magnification(2, A) - log_s - 0.5 * log(3)) <= 1e-12);
        assert_true(fabs(magnification(3, B) - 1.5 * log_s - 0.5 * log(18)) <= 1e-12);
        double C[4] = {2 / s, 1, 1, 2 * s};
        assert_true(fabs(magnification(2, C) - 0.5 * log(3)) <= 1e-12);
    }
    double pole[4] = {1, 0, 0, 1e-30};
    assert_true(fabs(magnification(2, pole) + 15 * log(10)) <= 1e-12);
}

static void test_magnification_of_singular_metrics(void **state) {
    (void)state;
    const double zero[4] = {0}, negative[4] = {1, 0, 0, -1e-18}, edge[4] = {1, 0, 0, 0};
    assert_true(magnification(2, zero) == -INFINITY);
    assert_true(magnification(2, negative) == -INFINITY);
    assert_true(magnification(2, edge) == -INFINITY);
    rm2_rng rng;
    rm2_rng_seed(&rng, 2);
    for (int trial = 0; trial < 200; trial++) { /* v v^T, and in three dimensions u u^T + v v^T */
        double u[3], v[3], A[4], B[9], s = pow(10, 40 * rm2_rng_uniform(&rng) - 20);
        for (size_t q = 0; q < 3; q++) {
            u[q] = rm2_rng_normal(&rng);
            v[q] = s * rm2_rng_normal(&rng);
        }
        for (size_t k = 0; k < 4; k++)
            A[k] = v[k / 2] * v[k % 2];
        for (size_t k = 0; k < 9; k++)
            B[k] = u[k / 3] * u[k % 3] + v[k / 3] * v[k % 3] / (s * s);
        assert_true(magnification(2, A) == -INFINITY);
        assert_true(magnification(3, B) == -INFINITY);
    }
}

/* ---- lengths -------------------------------------------------------------------------------- */

/* A straight polygon of n points. */
static void straight(size_t n, size_t Q, const double *from, const double *to, double *path) {
    for (size_t i = 0; i < n; i++)
        for (size_t q = 0; q < Q; q++)
            path[i * Q + q] = from[q] + (to[q] - from[q]) * (double)i / (double)(n - 1);
}

static void measure(const rm2_metric *metric, size_t n, const double *path, double *length,
                    double *energy) {
    assert_int_equal(rm2i_metric_measure(ctx, metric, n, path, length, energy), RM2_OK);
    double only = NAN; /* either may be left out */
    assert_int_equal(rm2i_metric_measure(ctx, metric, n, path, &only, NULL), RM2_OK);
    assert_true(only == *length);
    assert_int_equal(rm2i_metric_measure(ctx, metric, n, path, NULL, &only), RM2_OK);
    assert_true(only == *energy);
}

/* Gauss-Legendre with three points on sides of size h: relative error h^6 f^(6)/2016000. */
static void test_lengths(void **state) {
    (void)state;
    enum { N = 60 };
    double path[N * 3], length, energy;
    rm2_metric *metric = analytic("euclidean", 3);
    straight(N, 3, (double[3]){1, 2, 3}, (double[3]){3, -4, 6}, path);
    measure(metric, N, path, &length, &energy);
    assert_true(fabs(length - 7) <= 1e-13 && fabs(energy - 49) <= 1e-12);
    measure(metric, 1, path, &length, &energy);
    assert_true(length == 0 && energy == 0);
    measure(metric, 0, path, &length, &energy);
    assert_true(length == 0 && energy == 0);
    rm2_metric_free(metric);

    metric = analytic("sphere_latlon", 2); /* along a circle of latitude, and from pole to pole */
    straight(N, 2, (double[2]){0.7, -1}, (double[2]){0.7, 2}, path);
    measure(metric, N, path, &length, &energy);
    assert_true(fabs(length - 3 * cos(0.7)) <= 1e-13);
    assert_true(fabs(energy - pow(3 * cos(0.7), 2)) <= 1e-12);
    straight(N, 2, (double[2]){-acos(-1) / 2, 1}, (double[2]){acos(-1) / 2, 1}, path);
    measure(metric, N, path, &length, &energy);
    assert_true(fabs(length - acos(-1)) <= 1e-13);
    rm2_metric_free(metric);

    metric = analytic("half_plane", 2); /* upwards: log(b/a), energy (b - a)(1/a - 1/b) */
    straight(N, 2, (double[2]){0.3, 1}, (double[2]){0.3, 3}, path);
    measure(metric, N, path, &length, &energy);
    assert_true(fabs(length - log(3)) <= 1e-11 && fabs(energy - 4.0 / 3) <= 1e-10);
    double coarse[4] = {0.3, 1, 0.3, 3}, f[3], sum = 0; /* one side: the rule itself */
    for (int k = 0; k < 3; k++) {
        f[k] = 2 / (2 + (k - 1) * sqrt(0.6)); /* |step| / y */
        sum += (k == 1 ? 8 : 5) / 18.0 * f[k];
    }
    measure(metric, 2, coarse, &length, &energy);
    assert_true(fabs(length - sum) <= 1e-14);
    rm2_metric_free(metric);

    metric = analytic("bump", 1); /* the graph of 2 exp(-r^2/2), by Simpson's rule on 2000 pieces */
    double exact = 0;
    for (int k = 0; k <= 2000; k++) {
        double r = 3.0 * k / 2000, speed = sqrt(1 + 4 * r * r * exp(-r * r));
        exact += speed * (k == 0 || k == 2000 ? 1 : k % 2 ? 4 : 2) * 3.0 / 6000;
    }
    straight(N, 1, (double[1]){0}, (double[1]){3}, path);
    measure(metric, N, path, &length, &energy);
    assert_true(fabs(length - exact) <= 1e-10 && energy >= length * length);
    rm2_metric_free(metric);
}

/* Squares of lengths that overflow are an error, not infinity. */
static void test_length_that_overflows(void **state) {
    (void)state;
    const double huge[4] = {1e300, 0, 0, 1e300};
    rm2_metric *metric = from_function(2, constant2, huge);
    double path[4] = {0, 0, 1e10, 0}, length;
    assert_int_equal(rm2i_metric_measure(ctx, metric, 2, path, &length, NULL), RM2_ERR_NUMERIC);
    assert_message("overflow");
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_names_and_dimensions),
        cmocka_unit_test(test_outside_the_domain),
        cmocka_unit_test(test_failing_function),
        cmocka_unit_test(test_interrupt_and_bad_points),
        cmocka_unit_test(test_magnification),
        cmocka_unit_test(test_magnification_of_any_scale),
        cmocka_unit_test(test_magnification_of_singular_metrics),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_length_that_overflows),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
