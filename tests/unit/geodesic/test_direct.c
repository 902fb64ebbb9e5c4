/* Geodesics without a spline, where the metric barely changes along the path: the same curves as by all stages, and not
 * taken where a narrow part of the metric lies between few samples. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geodesic/geodesic.h"
#include "geodesic/stage.h"
#include "metric/metric.h"
#include "riemann2/geodesic.h"
#include "shared_context.h"

/* G = f^2 I in the plane, f = 1 + hills (sin x + cos 2y) + height exp(-|x - centre|^2 / (2 width^2)). `scale` is what the
 * metric says of itself; 0 is unknown, and then all stages run. */
typedef struct bumpy {
    double hills, height, width, centre[2], scale;
} bumpy;

static double factor_at(const bumpy *b, const double *x, double slope[2]) {
    double dx = x[0] - b->centre[0], dy = x[1] - b->centre[1], w2 = b->width * b->width;
    double bump = b->height * exp(-(dx * dx + dy * dy) / (2 * w2));
    slope[0] = b->hills * cos(x[0]) - bump * dx / w2;
    slope[1] = -2 * b->hills * sin(2 * x[1]) - bump * dy / w2;
    return 1 + b->hills * (sin(x[0]) + cos(2 * x[1])) + bump;
}

static rm2_status at_points(const void *self, size_t count, const rm2i_metric_request *request,
                            double *work) {
    (void)work;
    for (size_t i = 0; i < count; i++) {
        double slope[2], f = factor_at(self, request->x + 2 * i, slope);
        for (size_t k = 0; k < 4; k++)
            request->G[4 * i + k] = k % 3 == 0 ? f * f : 0;
        for (size_t k = 0; request->dG && k < 8; k++)
            request->dG[8 * i + k] = k % 4 % 3 == 0 ? 2 * f * slope[k / 4] : 0;
    }
    return RM2_OK;
}

static size_t no_work(const void *self, size_t count, rm2i_metric_order order) {
    (void)self, (void)count, (void)order;
    return 0;
}

static double scale_of(const void *self) {
    return ((const bumpy *)self)->scale;
}

static const rm2i_metric_type bumpy_type = {
    .work = no_work, .at = at_points, .scale = scale_of, .free = free, .block = 16};

static rm2_metric *metric_of(bumpy like) {
    bumpy *self = malloc(sizeof *self);
    rm2_metric *metric;
    assert_non_null(self);
    *self = like;
    assert_int_equal(rm2i_metric_create(ctx, &bumpy_type, 2, self, "bumpy", &metric), RM2_OK);
    return metric;
}

static rm2_curve *geodesic(bumpy like, const double *from, const double *to) {
    rm2_metric *metric = metric_of(like);
    rm2_curve *curve;
    assert_int_equal(rm2i_geodesic(ctx, metric, NULL, NULL, from, to, &curve), RM2_OK);
    assert_int_equal(curve->stage, RM2_STAGE_POLISH);
    rm2_metric_free(metric);
    return curve;
}

/* No spline has shortened the path. */
static bool went_directly(const rm2_curve *curve) {
    return curve->spline_length == curve->path_length;
}

/* Both have velocities to 1e-4: lengths to its square, nodes to some times it. */
static void the_same_geodesic(void **state) {
    (void)state;
    for (int k = 0; k < 12; k++) {
        bumpy b = {.hills = 0.01 * (1 + k), .width = 1, .scale = 0.5};
        double from[2] = {-1, -0.4 + 0.05 * k}, to[2] = {0.9, 0.5 - 0.07 * k};
        rm2_curve *direct = geodesic(b, from, to);
        b.scale = 0;
        rm2_curve *staged = geodesic(b, from, to);
        assert_true(went_directly(direct) && !went_directly(staged));
        assert_true(direct->converged && staged->converged);
        assert_true(direct->evaluations < staged->evaluations);
        assert_true(fabs(direct->length - staged->length) <= 2e-8 * staged->length);
        assert_int_equal(direct->nodes, staged->nodes);
        for (size_t i = 0; i < 2 * direct->nodes; i++)
            assert_true(fabs(direct->x[i] - staged->x[i]) <= 3e-4);
        rm2_curve_free(direct);
        rm2_curve_free(staged);
    }
}

/* Do few samples on the line find the metric even? */
static bool looks_even(bumpy like, const double ends[4]) {
    rm2_metric *metric = metric_of(like);
    rm2i_evaluator evaluator;
    rm2i_curve_candidate sketch = {.curve = NULL};
    assert_int_equal(rm2i_evaluator_begin(ctx, metric, 1, &evaluator), RM2_OK);
    assert_int_equal(rm2i_path_sketch(ctx, &evaluator, 2, ends, &sketch), RM2_OK);
    bool even = sketch.curve != NULL;
    rm2i_candidate_clear(&sketch);
    rm2i_evaluator_end(&evaluator);
    rm2_metric_free(metric);
    return even;
}

/* A bump of twice the metric, so narrow that the samples of an even metric pass it on both sides: with its true scale it is
 * always seen, and all stages run; a scale that is too large shows that it can be missed. */
static void narrow_parts_are_seen(void **state) {
    (void)state;
    const double ends[4] = {0, 0, 1, 0};
    size_t missed = 0;
    for (int k = 0; k < 40; k++) {
        bumpy b = {.height = 1.25, .width = 1 / 31.5, .centre = {0.1 + 0.02 * k, 0}, .scale = 0};
        rm2_curve *staged = geodesic(b, ends, ends + 2);
        b.scale = b.width;
        rm2_curve *seen = geodesic(b, ends, ends + 2);
        assert_false(looks_even(b, ends) || went_directly(seen));
        assert_true(fabs(seen->length - staged->length) <= 2e-8 * staged->length);
        b.scale = 1;
        missed += looks_even(b, ends);
        rm2_curve_free(staged);
        rm2_curve_free(seen);
    }
    assert_true(missed > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_geodesic),
        cmocka_unit_test(narrow_parts_are_seen),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
