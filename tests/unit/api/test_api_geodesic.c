/* geodesic.h: arguments that are missing are named. */
#include "api.h"

static const double a[] = {0, 0}, b[] = {1, 1}, points[] = {0, 0, 1, 0, 1, 1};

static rm2_metric *flat(rm2_context *ctx) {
    rm2_metric *metric;
    MUST(rm2_metric_analytic(ctx, "euclidean", 2, &metric));
    return metric;
}

static void curves(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *g = flat(ctx);
    rm2_geodesic_settings s = rm2_geodesic_settings_default();
    rm2_curve *curve;
    NO_CONTEXT(rm2_geodesic(NULL, g, NULL, &s, a, b, &curve));
    MISSING("metric", rm2_geodesic(ctx, NULL, NULL, &s, a, b, &curve));
    MISSING("from", rm2_geodesic(ctx, g, NULL, &s, NULL, b, &curve));
    MISSING("to", rm2_geodesic(ctx, g, NULL, &s, a, NULL, &curve));
    MISSING("curve", rm2_geodesic(ctx, g, NULL, &s, a, b, NULL));
    NO_CONTEXT(rm2_geodesic_refine(NULL, g, &s, 3, points, &curve));
    MISSING("metric", rm2_geodesic_refine(ctx, NULL, &s, 3, points, &curve));
    MISSING("path", rm2_geodesic_refine(ctx, g, &s, 3, NULL, &curve));
    MISSING("curve", rm2_geodesic_refine(ctx, g, &s, 3, points, NULL));
    NO_CONTEXT(rm2_geodesic_through(NULL, g, NULL, &s, 3, points, &curve));
    MISSING("metric", rm2_geodesic_through(ctx, NULL, NULL, &s, 3, points, &curve));
    MISSING("points", rm2_geodesic_through(ctx, g, NULL, &s, 3, NULL, &curve));
    MISSING("curve", rm2_geodesic_through(ctx, g, NULL, &s, 3, points, NULL));
    s.last = (rm2_geodesic_stage)77;
    REFUSED("settings.last is 77", rm2_geodesic(ctx, g, NULL, &s, a, b, &curve));
    assert_null(curve);
    rm2_curve_free(NULL);
    assert_string_equal(rm2_stage_text((rm2_geodesic_stage)77), "unknown stage");
    rm2_metric_free(g);
}

static void maps(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *g = flat(ctx);
    double out[2];
    NO_CONTEXT(rm2_geodesic_exp(NULL, g, 1e-6, a, b, out, NULL, 0, NULL));
    MISSING("metric", rm2_geodesic_exp(ctx, NULL, 1e-6, a, b, out, NULL, 0, NULL));
    MISSING("x", rm2_geodesic_exp(ctx, g, 1e-6, NULL, b, out, NULL, 0, NULL));
    MISSING("v", rm2_geodesic_exp(ctx, g, 1e-6, a, NULL, out, NULL, 0, NULL));
    MISSING("end_point", rm2_geodesic_exp(ctx, g, 1e-6, a, b, NULL, NULL, 0, NULL));
    MISSING("path", rm2_geodesic_exp(ctx, g, 1e-6, a, b, out, NULL, 3, NULL));
    NO_CONTEXT(rm2_geodesic_log(NULL, g, NULL, NULL, a, b, out, NULL));
    MISSING("metric", rm2_geodesic_log(ctx, NULL, NULL, NULL, a, b, out, NULL));
    MISSING("x", rm2_geodesic_log(ctx, g, NULL, NULL, NULL, b, out, NULL));
    MISSING("y", rm2_geodesic_log(ctx, g, NULL, NULL, a, NULL, out, NULL));
    MISSING("v", rm2_geodesic_log(ctx, g, NULL, NULL, a, b, NULL, NULL));
    rm2_metric_free(g);
}

static void many(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *g = flat(ctx);
    double d[9];
    rm2_curve *curve;
    NO_CONTEXT(rm2_geodesic_many(NULL, g, NULL, NULL, 1, a, b, &curve, NULL));
    MISSING("metric", rm2_geodesic_many(ctx, NULL, NULL, NULL, 1, a, b, &curve, NULL));
    MISSING("from", rm2_geodesic_many(ctx, g, NULL, NULL, 1, NULL, b, &curve, NULL));
    MISSING("to", rm2_geodesic_many(ctx, g, NULL, NULL, 1, a, NULL, &curve, NULL));
    MISSING("curves", rm2_geodesic_many(ctx, g, NULL, NULL, 1, a, b, NULL, NULL));
    MUST(rm2_geodesic_many(ctx, g, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    NO_CONTEXT(rm2_geodesic_distances(NULL, g, NULL, NULL, 3, points, d, NULL));
    MISSING("metric", rm2_geodesic_distances(ctx, NULL, NULL, NULL, 3, points, d, NULL));
    MISSING("points", rm2_geodesic_distances(ctx, g, NULL, NULL, 3, NULL, d, NULL));
    MISSING("distance", rm2_geodesic_distances(ctx, g, NULL, NULL, 3, points, NULL, NULL));
    rm2_metric_free(g);
}

static void centres(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *g = flat(ctx);
    const double d[] = {0, 1, 1, 0};
    double mean[2], cost;
    size_t medoid;
    NO_CONTEXT(rm2_geodesic_mean(NULL, g, NULL, NULL, 3, points, NULL, NULL, mean, NULL));
    MISSING("metric", rm2_geodesic_mean(ctx, NULL, NULL, NULL, 3, points, NULL, NULL, mean, NULL));
    MISSING("points", rm2_geodesic_mean(ctx, g, NULL, NULL, 3, NULL, NULL, NULL, mean, NULL));
    MISSING("mean", rm2_geodesic_mean(ctx, g, NULL, NULL, 3, points, NULL, NULL, NULL, NULL));
    NO_CONTEXT(rm2_distance_medoids(NULL, 2, d, 1, &medoid, NULL, &cost));
    MISSING("distance", rm2_distance_medoids(ctx, 2, NULL, 1, &medoid, NULL, &cost));
    MISSING("medoids", rm2_distance_medoids(ctx, 2, d, 1, NULL, NULL, &cost));
    MISSING("cost", rm2_distance_medoids(ctx, 2, d, 1, &medoid, NULL, NULL));
    rm2_metric_free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(curves),
        WITH_CONTEXT(maps),
        WITH_CONTEXT(many),
        WITH_CONTEXT(centres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
