/* Geodesics against closed forms on the sphere and the half plane, and on metrics that have none
 * against what must hold of any: no stage makes them longer, speed is constant, the geodesic equation
 * holds. The default tolerance 1e-6 is of velocities; lengths err by its square. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "front/base.h"
#include "geodesic/geodesic.h"
#include "metric/metric.h"
#include "metric_fixture.h"
#include "precise.h"
#include "riemann2/geodesic.h"

static rm2i_geodesic_settings precise; /* set at the start */

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

static double great_circle(const double *a, const double *b) {
    double half_lat = sin((a[0] - b[0]) / 2), half_lon = sin((a[1] - b[1]) / 2);
    return 2 *
           asin(fmin(1, sqrt(half_lat * half_lat + cos(a[0]) * cos(b[0]) * half_lon * half_lon)));
}

static double hyperbolic(const double *a, const double *b) {
    return 2 * asinh(hypot(a[0] - b[0], a[1] - b[1]) / (2 * sqrt(a[1] * b[1])));
}

static rm2_curve *geodesic(const rm2_metric *metric, const rm2i_geodesic_settings *settings,
                           const double *from, const double *to) {
    rm2_curve *curve = NULL;
    assert_int_equal(
        rm2i_geodesic(ctx, metric, NULL, settings ? settings : &precise, from, to, &curve), RM2_OK);
    return curve;
}

/* ---- what holds of every curve -------------------------------------------------------------- */

static double speed_at(const rm2_metric *metric, const double *x, const double *v) {
    double G[Q * Q], sum = 0;
    assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, NULL), RM2_OK);
    for (size_t r = 0; r < Q; r++)
        for (size_t s = 0; s < Q; s++)
            sum += v[r] * G[r * Q + s] * v[s];
    return sqrt(sum);
}

/* Ends to the last bit, nothing that is not a number, |velocity| = length at every node. */
static void check_curve(const rm2_metric *metric, const rm2_curve *c, const double *from,
                        const double *to) {
    assert_memory_equal(c->x, from, Q * sizeof *from);
    assert_memory_equal(c->x + (c->nodes - 1) * Q, to, Q * sizeof *to);
    for (size_t i = 0; i < c->nodes * Q; i++)
        assert_true(isfinite(c->x[i]) && isfinite(c->velocity[i]));
    for (size_t j = 0; j < c->nodes; j++)
        assert_true(fabs(speed_at(metric, c->x + j * Q, c->velocity + j * Q) / c->length - 1) <
                    1e-12);
    assert_true(isfinite(c->length) && c->energy == c->length * c->length);
    assert_true(c->residual >= 0 && c->evaluations >= c->nodes);
}

/* Velocities against differences of the nodes, of second order: the third derivative times h^2/6. */
static void check_velocities(const rm2_curve *c, double tolerance) {
    double steps = (double)(c->nodes - 1);
    for (size_t j = 1; j + 1 < c->nodes; j++)
        for (size_t q = 0; q < Q; q++) {
            double slope = (c->x[(j + 1) * Q + q] - c->x[(j - 1) * Q + q]) * steps / 2;
            assert_true(fabs(slope - c->velocity[j * Q + q]) < tolerance);
        }
}

/* ---- closed forms --------------------------------------------------------------------------- */

typedef double (*distance_fn)(const double *a, const double *b);

static void check_pair(const rm2_metric *metric, distance_fn distance, const double *a,
                       const double *b) {
    rm2_curve *c = geodesic(metric, NULL, a, b);
    double want = distance(a, b), step = want / (double)(c->nodes - 1);
    assert_true(c->converged && c->stage == RM2_STAGE_POLISH);
    assert_true(c->error <= 2e-6);
    check_curve(metric, c, a, b);
    assert_true(fabs(c->length / want - 1) < 1e-10);
    for (size_t j = 0; j + 1 < c->nodes; j++) /* equal steps along the true geodesic */
        assert_true(fabs(distance(c->x + j * Q, c->x + (j + 1) * Q) - step) < 1e-6 * want);
    /* lengths of paths and splines are by quadrature with an error of some 1e-6 */
    assert_true(c->path_length >= want * (1 - 1e-5) && c->spline_length >= want * (1 - 1e-5));
    assert_true(c->spline_length <= c->path_length * (1 + 1e-5));
    rm2_curve_free(c);
}

static void sphere_pairs(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 1);
    for (int i = 0; i < 60; i++) { /* uniform on the sphere, up to the poles */
        double a[Q] = {asin(2 * rm2_rng_uniform(&rng) - 1), 0};
        double b[Q] = {asin(2 * rm2_rng_uniform(&rng) - 1), 3 * rm2_rng_uniform(&rng)};
        check_pair(sphere, great_circle, a, b);
    }
}

static void half_plane_pairs(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 2);
    for (int i = 0; i < 60; i++) { /* heights over four powers of ten */
        double a[Q] = {4 * rm2_rng_uniform(&rng), exp(2 * rm2_rng_normal(&rng))};
        double b[Q] = {4 * rm2_rng_uniform(&rng), exp(2 * rm2_rng_normal(&rng))};
        check_pair(half_plane, hyperbolic, a, b);
    }
}

static void extreme_pairs(void **state) {
    (void)state;
    const double near[2][Q] = {{0.3, 0.7}, {0.3 + 1e-9, 0.7 - 1e-9}};
    rm2_curve *c = geodesic(half_plane, NULL, near[0], near[1]);
    assert_true(c->converged); /* the difference of the ends has 7 digits */
    assert_true(fabs(c->length / hyperbolic(near[0], near[1]) - 1) < 1e-6);
    rm2_curve_free(c);
    const double far[3][Q] = {{0, 1e-4}, {1, 1e5}, {1e6, 1}};
    check_pair(half_plane, hyperbolic, far[0], far[1]);
    c = geodesic(half_plane, NULL, far[0], far[2]);
    check_curve(half_plane, c, far[0], far[2]); /* and whatever it is, no longer than the line */
    assert_true(c->length <= c->path_length * (1 + 1e-9));
    rm2_curve_free(c);
}

/* Q = 1: the length is the integral of sqrt G whatever the curve. G = (1 + x^2)^2. */
static rm2_status one_dimension(const void *user, const double *x, double *G, double *dG) {
    (void)user;
    double f = 1 + x[0] * x[0];
    G[0] = f * f;
    if (dG)
        dG[0] = 4 * x[0] * f;
    return RM2_OK;
}

static void one_and_more_dimensions(void **state) {
    (void)state;
    rm2_metric *metric = NULL;
    rm2_curve *c = NULL;
    double a[5] = {-1, 0.3, 0.2, -0.5, 1}, b[5] = {2, -0.4, 1.5, 0.1, 0};
    assert_int_equal(rm2_metric_from_function(ctx, 1, one_dimension, NULL, "1", &metric), RM2_OK);
    assert_int_equal(rm2i_geodesic(ctx, metric, NULL, &precise, a, b, &c), RM2_OK);
    assert_true(c->converged && c->Q == 1);
    assert_true(fabs(c->length - 6) < 1e-9); /* x + x^3/3 from -1 to 2 */
    for (size_t j = 0; j < c->nodes; j++) {
        double want = -4.0 / 3 + 6 * (double)j / (double)(c->nodes - 1), x = c->x[j];
        assert_true(fabs(x + x * x * x / 3 - want) < 1e-6);
    }
    rm2_curve_free(c);
    rm2_metric_free(metric);
    assert_int_equal(rm2_metric_analytic(ctx, "euclidean", 5, &metric), RM2_OK);
    assert_int_equal(rm2i_geodesic(ctx, metric, NULL, &precise, a, b, &c), RM2_OK);
    double square = 0;
    for (size_t q = 0; q < 5; q++)
        square += (a[q] - b[q]) * (a[q] - b[q]);
    assert_true(c->converged && fabs(c->length - sqrt(square)) < 1e-13);
    rm2_curve_free(c);
    rm2_metric_free(metric);
}

/* The bump is round: in three dimensions a geodesic stays in the plane through the axis, and is the
 * one of two dimensions. */
static void three_dimensions(void **state) {
    (void)state;
    rm2_metric *metric = NULL;
    rm2_curve *c = NULL, *flat = NULL;
    double a2[2] = {-1.5, 0.4}, b2[2] = {1.2, 0.7}, u = cos(0.6), w = sin(0.6);
    double a3[3] = {-1.5, 0.4 * u, 0.4 * w}, b3[3] = {1.2, 0.7 * u, 0.7 * w};
    assert_int_equal(rm2_metric_analytic(ctx, "bump", 3, &metric), RM2_OK);
    assert_int_equal(rm2i_geodesic(ctx, metric, NULL, &precise, a3, b3, &c), RM2_OK);
    flat = geodesic(bump, NULL, a2, b2);
    assert_true(c->converged && flat->converged);
    assert_true(fabs(c->length / flat->length - 1) < 1e-10);
    for (size_t j = 0; j < c->nodes; j++) {
        const double *x = c->x + 3 * j, *y = flat->x + 2 * j;
        assert_true(fabs(x[0] - y[0]) < 1e-6 && fabs(u * x[1] + w * x[2] - y[1]) < 1e-6);
        assert_true(fabs(w * x[1] - u * x[2]) < 1e-6);
    }
    rm2_curve_free(c);
    rm2_curve_free(flat);
    rm2_metric_free(metric);
}

/* ---- stages --------------------------------------------------------------------------------- */

static void each_stage(void **state) {
    (void)state;
    const double a[Q] = {-1.1, 0.2}, b[Q] = {0.9, 2.4};
    double length[3], want = great_circle(a, b);
    for (int last = 0; last < 3; last++) {
        rm2i_geodesic_settings settings = precise_settings();
        settings.last = (rm2_geodesic_stage)last;
        settings.nodes = 801;
        rm2_curve *c = geodesic(sphere, &settings, a, b);
        check_curve(sphere, c, a, b);
        assert_true(c->converged && (int)c->stage == last);
        check_velocities(c, 1e-3);
        length[last] = c->length;
        assert_true(last == 2 ? c->error <= 2e-6 : isinf(c->error));
        assert_true((c->path_length > 0) == (last > 0) && (c->spline_length > 0) == (last > 1));
        rm2_curve_free(c);
    }
    assert_true(length[0] > length[1] && length[1] > length[2]);
    assert_true(fabs(length[1] / want - 1) < 1e-4 && fabs(length[2] / want - 1) < 1e-10);
    assert_string_equal(rm2_stage_text(RM2_STAGE_PATH), "path");
    assert_string_equal(rm2_stage_text((rm2_geodesic_stage)9), "unknown stage");
}

/* |D x'/dt| / L by differences of nodes and velocities at node j, across the velocity. */
static double residual_at(const rm2_metric *metric, const rm2_curve *c, size_t j) {
    double G[4], dG[8], force[2] = {0, 0}, h = 1 / (double)(c->nodes - 1);
    const double *x = c->x + j * Q, *v = c->velocity + j * Q;
    assert_int_equal(rm2_metric_at(ctx, metric, 1, x, G, dG), RM2_OK);
    for (size_t r = 0; r < Q; r++) { /* G D = G x'' + (sum_t v_t d_t G) v - [v^T d_r G v]/2 */
        for (size_t s = 0; s < Q; s++)
            force[r] += G[r * Q + s] *
                        (c->velocity[(j + 1) * Q + s] - c->velocity[(j - 1) * Q + s]) / (2 * h);
        for (size_t t = 0; t < Q; t++)
            for (size_t s = 0; s < Q; s++)
                force[r] += v[t] * dG[(t * Q + r) * Q + s] * v[s] -
                            0.5 * v[t] * dG[(r * Q + t) * Q + s] * v[s];
    }
    double det = G[0] * G[3] - G[1] * G[2];
    double D[2] = {(G[3] * force[0] - G[1] * force[1]) / det,
                   (G[0] * force[1] - G[2] * force[0]) / det};
    double along = (force[0] * v[0] + force[1] * v[1]) / (c->length * c->length);
    D[0] -= along * v[0];
    D[1] -= along * v[1];
    return speed_at(metric, x, D) / c->length;
}

static void residual_is_what_it_says(void **state) {
    (void)state;
    const double a[Q] = {-1.1, 0.2}, b[Q] = {0.9, 2.4};
    rm2i_geodesic_settings settings = precise_settings();
    settings.last = RM2_STAGE_SPLINE;
    settings.nodes = 4001;
    rm2_curve *c = geodesic(sphere, &settings, a, b);
    double worst = 0;
    for (size_t j = 1; j + 1 < c->nodes; j++)
        worst = fmax(worst, residual_at(sphere, c, j));
    /* at the ends, which differences do not see, the spline has no acceleration */
    assert_true(worst > 0.01 && c->residual >= 0.98 * worst);
    rm2_curve_free(c);
    settings.last = RM2_STAGE_POLISH;
    c = geodesic(sphere, &settings, a, b);
    assert_true(c->residual < 1e-2 * worst);
    rm2_curve_free(c);
}

/* ---- rough ground --------------------------------------------------------------------------- */

/* Stages in turn never make a curve longer, on metrics with hills up to 30 times as dear. */
static void never_longer(void **state) {
    (void)state;
    rm2_rng rng;
    rm2_rng_seed(&rng, 4);
    for (uint64_t seed = 0; seed < 12; seed++) {
        hills h = make_hills(seed, 2, 30, 0.3 + 0.05 * (double)(seed % 4));
        rm2_metric *metric = NULL;
        assert_int_equal(rm2_metric_from_function(ctx, 2, hills_at, &h, "hills", &metric), RM2_OK);
        double path[7 * Q];
        for (size_t i = 0; i < 7; i++) {
            path[i * Q] = -2 + 4.0 / 6 * (double)i;
            path[i * Q + 1] = rm2_rng_normal(&rng);
        }
        rm2_curve *c = NULL;
        assert_int_equal(rm2i_geodesic_refine(ctx, metric, NULL, 7, path, &c), RM2_OK);
        check_curve(metric, c, path, path + 6 * Q);
        double measured;
        assert_int_equal(rm2i_metric_measure(ctx, metric, c->nodes, c->x, &measured, NULL), RM2_OK);
        assert_true(fabs(measured / c->length - 1) < 1e-2); /* the polygon through the nodes */
        assert_true(c->length <= c->spline_length * (1 + 1e-9));
        assert_true(c->spline_length <= c->path_length * (1 + 1e-9));
        assert_true(c->converged);
        rm2_curve_free(c);
        rm2_metric_free(metric);
    }
}

/* A winding corridor 0.2 wide, a hundred times as dear outside, from the zigzag of a grid: the
 * geodesic is found, whatever the start in the corridor, with few evaluations. */
static void winding_corridor(void **state) {
    (void)state;
    const corridor cases[] = {{0.8, 1.5, 0.1, 100}, {0.8, 2.5, 0.1, 100}, {0.8, 3.14, 0.1, 100}};
    for (size_t i = 0; i < 3; i++) {
        rm2_metric *metric = NULL;
        double path[400 * Q], length[2];
        assert_int_equal(
            rm2_metric_from_function(ctx, 2, corridor_at, &cases[i], "corridor", &metric), RM2_OK);
        for (size_t k = 0; k < 2; k++) {
            size_t n = corridor_path(&cases[i], 4, k ? 0.08 : 0.05, 400, path);
            rm2_curve *c = NULL;
            assert_int_equal(rm2i_geodesic_refine(ctx, metric, NULL, n, path, &c), RM2_OK);
            check_curve(metric, c, path, path + (n - 1) * Q);
            assert_true(c->converged && c->length < 0.9 * c->path_length);
            assert_true(c->evaluations < 15000); /* measured: 3000 to 8000 */
            length[k] = c->length;
            rm2_curve_free(c);
        }
        assert_true(fabs(length[0] / length[1] - 1) < 1e-9);
        rm2_metric_free(metric);
    }
}

/* ---- through several points ----------------------------------------------------------------- */

static void through_points(void **state) {
    (void)state;
    const double points[4 * Q] = {-0.5, 0, 0.7, 0.8, 0.7, 0.8, -0.2, 1.5}; /* one twice */
    double want = great_circle(points, points + 2) + great_circle(points + 4, points + 6);
    rm2_curve *c = NULL;
    assert_int_equal(rm2i_geodesic_through(ctx, sphere, NULL, &precise, 4, points, &c), RM2_OK);
    check_curve(sphere, c, points, points + 6);
    assert_true(c->converged && fabs(c->length / want - 1) < 1e-10);
    double step = want / (double)(c->nodes - 1), nearest = INFINITY;
    for (size_t j = 0; j < c->nodes; j++)
        nearest = fmin(nearest, great_circle(c->x + j * Q, points + 2));
    assert_true(nearest <= 0.5 * step * (1 + 1e-6)); /* between two nodes */
    size_t corners = 0;
    for (size_t j = 0; j + 1 < c->nodes; j++) {
        double gap = great_circle(c->x + j * Q, c->x + (j + 1) * Q);
        assert_true(gap <= step * (1 + 1e-6));
        corners += gap < step * (1 - 1e-6);
    }
    assert_true(corners <= 1); /* only where it cuts the corner */
    rm2_curve_free(c);
    assert_int_equal(rm2i_geodesic_through(ctx, sphere, NULL, &precise, 1, points, &c),
                     RM2_ERR_ARGUMENT);
    assert_null(c);
}

/* ---- edges ---------------------------------------------------------------------------------- */

static void coincident_points(void **state) {
    (void)state;
    const double a[Q] = {0.3, 0.4}, loop[3 * Q] = {0.3, 0.4, 1, 1, 0.3, 0.4};
    for (int k = 0; k < 2; k++) {
        rm2_curve *c = NULL;
        rm2_status status = k ? rm2i_geodesic_refine(ctx, sphere, NULL, 3, loop, &c)
                              : rm2i_geodesic(ctx, sphere, NULL, &precise, a, a, &c);
        assert_int_equal(status, RM2_OK);
        assert_true(c->length == 0 && c->energy == 0 && c->converged && c->residual == 0);
        for (size_t j = 0; j < c->nodes; j++)
            for (size_t q = 0; q < Q; q++)
                assert_true(c->x[j * Q + q] == a[q] && c->velocity[j * Q + q] == 0);
        rm2_curve_free(c);
    }
}

static void bad_arguments(void **state) {
    (void)state;
    const double a[Q] = {0.3, 0.4}, b[Q] = {0.5, NAN}, below[Q] = {0.5, -1};
    rm2i_geodesic_settings settings = precise_settings();
    rm2_curve *c = NULL;
    assert_int_equal(rm2i_geodesic(ctx, sphere, NULL, &precise, a, b, &c), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "coordinate 1 of point 1"));
    assert_int_equal(rm2i_geodesic(ctx, half_plane, NULL, &precise, a, below, &c), RM2_ERR_DOMAIN);
    assert_non_null(strstr(rm2_context_error(ctx), "initial path"));
    assert_null(c);
    assert_int_equal(rm2i_geodesic_refine(ctx, sphere, NULL, 1, a, &c), RM2_ERR_ARGUMENT);
    settings.nodes = 1;
    assert_int_equal(rm2i_geodesic(ctx, sphere, NULL, &settings, a, below, &c), RM2_ERR_ARGUMENT);
    settings = precise_settings();
    settings.intervals = 1;
    assert_int_equal(rm2i_geodesic(ctx, sphere, NULL, &settings, a, below, &c), RM2_ERR_ARGUMENT);
    settings = precise_settings();
    settings.tolerance = 0;
    assert_int_equal(rm2i_geodesic(ctx, sphere, NULL, &settings, a, below, &c), RM2_ERR_ARGUMENT);
    const double huge[Q] = {1e200, 1};
    assert_int_equal(rm2i_geodesic(ctx, half_plane, NULL, &precise, a, huge, &c), RM2_ERR_NUMERIC);
    assert_non_null(strstr(rm2_context_error(ctx), "too far apart"));
}

/* G = diag(1, 0): lengths along y are 0, and Newton's equations singular. */
static rm2_status singular(const void *user, const double *x, double *G, double *dG) {
    (void)user, (void)x;
    memcpy(G, (double[4]){1, 0, 0, 0}, 4 * sizeof *G);
    if (dG)
        memset(dG, 0, 8 * sizeof *dG);
    return RM2_OK;
}

static void singular_metric(void **state) {
    (void)state;
    const double a[Q] = {0, 0}, b[Q] = {1, 1}, up[Q] = {0, 1};
    rm2_metric *metric = NULL;
    assert_int_equal(rm2_metric_from_function(ctx, 2, singular, NULL, "singular", &metric), RM2_OK);
    rm2_curve *c = geodesic(metric, NULL, a, b);
    assert_true(!c->converged && c->stage == RM2_STAGE_PATH && fabs(c->length - 1) < 1e-12);
    assert_true(isinf(c->residual));
    check_curve(metric, c, a, b);
    rm2_curve_free(c);
    c = geodesic(metric, NULL, a, up);
    assert_true(c->length == 0);
    for (size_t i = 0; i < c->nodes * Q; i++)
        assert_true(isfinite(c->x[i]) && c->velocity[i] == 0);
    rm2_curve_free(c);
    rm2_metric_free(metric);
}

/* Cut off early the best so far comes back, and says that it is not the end. */
static void too_few_iterations(void **state) {
    (void)state;
    const corridor wind = {0.8, 2.5, 0.1, 100};
    rm2_metric *metric = NULL;
    double path[400 * Q];
    size_t n = corridor_path(&wind, 4, 0.08, 400, path);
    assert_int_equal(rm2_metric_from_function(ctx, 2, corridor_at, &wind, "corridor", &metric),
                     RM2_OK);
    for (size_t most = 0; most < 6; most++) {
        rm2i_geodesic_settings settings = precise_settings();
        settings.max_iterations = most;
        rm2_curve *c = NULL;
        assert_int_equal(rm2i_geodesic_refine(ctx, metric, &settings, n, path, &c), RM2_OK);
        check_curve(metric, c, path, path + (n - 1) * Q);
        assert_true(!c->converged && c->length <= c->path_length * (1 + 1e-9));
        rm2_curve_free(c);
    }
    rm2_metric_free(metric);
}

/* A metric with an edge: Newton's steps and differences that cross it are no failure. The straight
 * line of y = 1e-3 hugs the edge of the half plane. */
static void at_the_edge(void **state) {
    (void)state;
    const double a[Q] = {0, 1e-3}, b[Q] = {3, 1e-3};
    check_pair(half_plane, hyperbolic, a, b);
}

static void interrupted(void **state) {
    (void)state;
    const double a[Q] = {0.3, 0.4}, b[Q] = {1, 2};
    rm2_curve *c = NULL;
    rm2_context_interrupt(ctx);
    assert_int_equal(rm2i_geodesic(ctx, sphere, NULL, &precise, a, b, &c), RM2_INTERRUPTED);
    rm2_context_clear_interrupt(ctx);
    assert_null(c);
}

/* Tolerances buy accuracy: v at the start is the logarithm, whose true value is known. */
static void tolerance_counts(void **state) {
    (void)state;
    const double a[Q] = {1.3, 0}, b[Q] = {1.2, 2.5};
    size_t before = 0;
    double d = great_circle(a, b), lat = (sin(b[0]) - cos(d) * sin(a[0])) / (sin(d) * cos(a[0]));
    for (int k = 2; k <= 10; k += 2) {
        rm2i_geodesic_settings settings = precise_settings();
        settings.tolerance = pow(10, -k);
        rm2_curve *c = geodesic(sphere, &settings, a, b);
        assert_true(c->converged && c->evaluations >= before);
        /* d lat = d (sin lat_b - cos d sin lat_a) / (sin d cos lat_a) */
        assert_true(fabs(c->velocity[0] / d - lat) < settings.tolerance);
        before = c->evaluations;
        rm2_curve_free(c);
    }
}

static void threads_agree(void **state) {
    (void)state;
    hills h = make_hills(3, 2, 20, 0.4);
    rm2_metric *metric = NULL;
    const double a[Q] = {-2, -1}, b[Q] = {2, 1};
    rm2_curve *c[2];
    assert_int_equal(rm2_metric_from_function(ctx, 2, hills_at, &h, "hills", &metric), RM2_OK);
    for (int k = 0; k < 2; k++) {
        rm2_context_set_threads(ctx, k + 1);
        c[k] = geodesic(metric, NULL, a, b);
    }
    rm2_context_set_threads(ctx, 0);
    assert_memory_equal(c[0]->x, c[1]->x, c[0]->nodes * Q * sizeof(double));
    rm2_curve_free(c[0]);
    rm2_curve_free(c[1]);
    rm2_metric_free(metric);
}

int main(void) {
    precise = precise_settings();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_pairs),
        cmocka_unit_test(half_plane_pairs),
        cmocka_unit_test(extreme_pairs),
        cmocka_unit_test(one_and_more_dimensions),
        cmocka_unit_test(three_dimensions),
        cmocka_unit_test(each_stage),
        cmocka_unit_test(residual_is_what_it_says),
        cmocka_unit_test(never_longer),
        cmocka_unit_test(winding_corridor),
        cmocka_unit_test(through_points),
        cmocka_unit_test(coincident_points),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(singular_metric),
        cmocka_unit_test(too_few_iterations),
        cmocka_unit_test(at_the_edge),
        cmocka_unit_test(interrupted),
        cmocka_unit_test(tolerance_counts),
        cmocka_unit_test(threads_agree),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
