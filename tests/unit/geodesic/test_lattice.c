/* The interpolated metric in which curves are searched: its accuracy, its derivatives, what it evaluates; and geodesics by
 * way of it against those by all stages in the metric itself. */
#include "geodesic/geodesic.h"
#include "geodesic/lattice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "metric/metric.h"
#include "riemann2/geodesic.h"
#include "shared_context.h"

/* G = f^2 [[1, t], [t, 1 + t^2]], f = 1 + wall sin(2 y - 2 sin x)^2, t = 0.3 cos x: a corridor along y = sin x that the metric
 * keeps curves in. Beyond `edge` it is not defined. `scale` is what it says of itself; 0 is unknown. */
typedef struct corridor {
    double wall, scale, edge;
} corridor;

static void corridor_at(const corridor *c, const double *x, double *G) {
    double s = sin(2 * x[1] - 2 * sin(x[0])), f = 1 + c->wall * s * s, t = 0.3 * cos(x[0]);
    G[0] = f * f;
    G[1] = G[2] = f * f * t;
    G[3] = f * f * (1 + t * t);
}

/* dG by central differences of numbers that are smooth: to 1e-9. */
static rm2_status at_points(const void *self, size_t count, const rm2i_metric_request *request,
                            double *work) {
    const corridor *c = self;
    (void)work;
    for (size_t i = 0; i < count; i++) {
        const double *x = request->x + 2 * i, h = 1e-5;
        if (c->edge > 0 && x[1] > c->edge)
            return RM2_ERR_DOMAIN;
        corridor_at(c, x, request->G + 4 * i);
        for (size_t t = 0; request->dG && t < 2; t++) {
            double up[2] = {x[0], x[1]}, down[2] = {x[0], x[1]}, high[4], low[4];
            up[t] += h;
            down[t] -= h;
            corridor_at(c, up, high);
            corridor_at(c, down, low);
            for (size_t k = 0; k < 4; k++)
                request->dG[8 * i + 4 * t + k] = (high[k] - low[k]) / (2 * h);
        }
    }
    return RM2_OK;
}

static size_t no_work(const void *self, size_t count, rm2i_metric_order order) {
    (void)self, (void)count, (void)order;
    return 0;
}

static double scale_of(const void *self) {
    return ((const corridor *)self)->scale;
}

static const rm2i_metric_type corridor_type = {
    .work = no_work, .at = at_points, .scale = scale_of, .free = free, .block = 16};

static rm2_metric *metric_of(corridor like) {
    corridor *self = malloc(sizeof *self);
    rm2_metric *metric;
    assert_non_null(self);
    *self = like;
    assert_int_equal(rm2i_metric_create(ctx, &corridor_type, 2, self, "corridor", &metric), RM2_OK);
    return metric;
}

static const double PATH[4] = {-1, -0.8, 1, 0.8};

/* ---- the metric ----------------------------------------------------------------------------- */

/* Largest difference of G, relative, at points of the box of the path. */
static double worst_error(double scale, size_t *evaluations) {
    const corridor like = {.wall = 2, .scale = scale};
    rm2_metric *metric = metric_of(like), *near;
    rm2i_evaluator evaluator;
    double worst = 0, none[1];
    rm2i_metric_room room = {1, none, NULL};
    assert_int_equal(rm2i_evaluator_begin(ctx, metric, 1, &evaluator), RM2_OK);
    assert_int_equal(rm2i_lattice_create(ctx, &evaluator, 2, PATH, &near), RM2_OK);
    assert_non_null(near);
    for (int k = 0; k < 200; k++) {
        double x[2] = {cos(k), 0.8 * sin(1.7 * k)}, G[4], exact[4];
        assert_int_equal(rm2i_metric_at(near, 1, x, G, NULL, &room), RM2_OK);
        corridor_at(&like, x, exact);
        for (int i = 0; i < 4; i++)
            worst = fmax(worst, fabs(G[i] - exact[i]) / (exact[0] + exact[3]));
    }
    *evaluations = evaluator.evaluations;
    rm2_metric_free(near);
    rm2i_evaluator_end(&evaluator);
    rm2_metric_free(metric);
    return worst;
}

/* Errors fall with the fourth power of the step: by 16, and 10 where they do not quite yet. */
static void errors_fall_with_the_step(void **state) {
    (void)state;
    size_t coarse, fine;
    double at_one = worst_error(1, &coarse), at_half = worst_error(0.5, &fine);
    assert_true(at_one < 5e-3 && at_half < at_one / 10);
    assert_true(coarse < fine);
}

/* Derivatives of the interpolation itself against central differences over 1e-5: 1e-6 is the error of these. Points that
 * were asked for before need no evaluation. */
static void derivatives_and_memory(void **state) {
    (void)state;
    rm2_metric *metric = metric_of((corridor){.wall = 2, .scale = 1}), *near;
    rm2i_evaluator evaluator;
    double none[1], h = 1e-5;
    rm2i_metric_room room = {1, none, NULL};
    assert_int_equal(rm2i_evaluator_begin(ctx, metric, 1, &evaluator), RM2_OK);
    assert_int_equal(rm2i_lattice_create(ctx, &evaluator, 2, PATH, &near), RM2_OK);
    for (int k = 0; k < 30; k++) {
        double x[2] = {cos(k), 0.8 * sin(1.7 * k)}, v[2] = {sin(k), 1}, G[4], dG[8], bend[4];
        const rm2i_metric_request request = {.x = x, .G = G, .dG = dG, .v = v, .bend = bend};
        assert_int_equal(rm2i_metric_bend_at(near, 1, &request, &room), RM2_OK);
        for (size_t t = 0; t < 2; t++) {
            double up[2] = {x[0], x[1]}, down[2] = {x[0], x[1]}, high[4], low[4], dh[8], dl[8];
            up[t] += h;
            down[t] -= h;
            assert_int_equal(rm2i_metric_at(near, 1, up, high, dh, &room), RM2_OK);
            assert_int_equal(rm2i_metric_at(near, 1, down, low, dl, &room), RM2_OK);
            for (size_t i = 0; i < 4; i++)
                assert_true(fabs((high[i] - low[i]) / (2 * h) - dG[4 * t + i]) <= 1e-6 * G[3]);
            for (size_t s = 0; s < 2; s++) {
                double rise =
                    rm2i_metric_inner(2, dh + 4 * s, v, v) - rm2i_metric_inner(2, dl + 4 * s, v, v);
                assert_true(fabs(rise / (2 * h) - bend[2 * s + t]) <=
                            1e-3 * (1 + fabs(bend[2 * s + t])));
            }
        }
        size_t before = evaluator.evaluations;
        assert_int_equal(rm2i_metric_bend_at(near, 1, &request, &room), RM2_OK);
        assert_int_equal(evaluator.evaluations, before);
    }
    double far[2] = {1e3, 0}, G[4];
    assert_int_equal(rm2i_metric_at(near, 1, far, G, NULL, &room), RM2_ERR_DOMAIN);
    rm2_metric_free(near);
    rm2i_evaluator_end(&evaluator);
    rm2_metric_free(metric);
}

/* No scale, and one that is too small for the way: no lattice. */
static void none_without_a_scale(void **state) {
    (void)state;
    static const double scales[] = {0, 1e-9};
    for (size_t k = 0; k < 2; k++) {
        rm2_metric *metric = metric_of((corridor){.wall = 2, .scale = scales[k]}), *near;
        rm2i_evaluator evaluator;
        assert_int_equal(rm2i_evaluator_begin(ctx, metric, 1, &evaluator), RM2_OK);
        assert_int_equal(rm2i_lattice_create(ctx, &evaluator, 2, PATH, &near), RM2_OK);
        assert_null(near);
        rm2i_evaluator_end(&evaluator);
        rm2_metric_free(metric);
    }
}

/* ---- geodesics ------------------------------------------------------------------------------ */

static rm2_curve *geodesic(corridor like, const double *from, const double *to) {
    rm2_metric *metric = metric_of(like);
    rm2i_geodesic_settings s = rm2i_geodesic_settings_default();
    rm2_curve *curve;
    s.tolerance = 1e-4;
    assert_int_equal(rm2i_geodesic(ctx, metric, NULL, &s, from, to, &curve), RM2_OK);
    assert_true(curve->converged && curve->stage == RM2_STAGE_POLISH);
    rm2_metric_free(metric);
    return curve;
}

/* Both have velocities to 1e-4: lengths to its square, nodes to some times it. */
static void the_same_geodesics(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        corridor c = {.wall = 1 + k, .scale = 1};
        double from[2] = {-2 + 0.1 * k, sin(-2 + 0.1 * k)}, to[2] = {2.5, sin(2.5) + 0.02 * k};
        rm2_curve *near = geodesic(c, from, to);
        c.scale = 0;
        rm2_curve *staged = geodesic(c, from, to);
        assert_true(near->evaluations != staged->evaluations); /* they are not the same way */
        assert_true(fabs(near->length - staged->length) <= 2e-8 * staged->length);
        assert_true(near->path_length >= near->spline_length &&
                    near->spline_length >= near->length);
        for (size_t i = 0; i < 2 * near->nodes; i++)
            assert_true(fabs(near->x[i] - staged->x[i]) <= 1e-3);
        rm2_curve_free(near);
        rm2_curve_free(staged);
    }
}

/* Nodes of the lattice beyond the edge of the domain end the search there; all stages find the geodesic. */
static void an_edge_of_the_domain(void **state) {
    (void)state;
    corridor c = {.wall = 1};
    const double from[2] = {0, 0}, to[2] = {3, 0};
    rm2_curve *anywhere = geodesic(c, from, to);
    for (size_t i = 0; i < anywhere->nodes;
         i++) /* less than a step of the lattice beyond the curve */
        c.edge = fmax(c.edge, anywhere->x[2 * i + 1] + 0.05);
    rm2_curve_free(anywhere);
    rm2_curve *staged = geodesic(c, from, to);
    c.scale = 1;
    rm2_curve *near = geodesic(c, from, to);
    assert_true(near->length == staged->length);
    rm2_curve_free(near);
    rm2_curve_free(staged);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_fall_with_the_step), cmocka_unit_test(derivatives_and_memory),
        cmocka_unit_test(none_without_a_scale),      cmocka_unit_test(the_same_geodesics),
        cmocka_unit_test(an_edge_of_the_domain),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
