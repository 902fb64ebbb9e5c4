/* space.h: arguments that are missing are named, and results are empty. */
#include "api.h"

static const double a[] = {0, 0}, b[] = {1, 1}, points[] = {0, 0, 1, 0, 1, 1};

/* A flat plane without a roadmap. */
typedef struct plane {
    rm2_metric *metric;
    rm2_space *space;
} plane;

static plane open_plane(rm2_context *ctx) {
    rm2_space_settings s = rm2_space_settings_default();
    plane p;
    s.roadmap = RM2_SPACE_LINE;
    s.grid_points = 0;
    MUST(rm2_metric_analytic(ctx, "euclidean", 2, &p.metric));
    MUST(rm2_space_from_metric(ctx, p.metric, &s, 0, NULL, &p.space));
    return p;
}

static void close_plane(plane *p) {
    rm2_space_free(p->space);
    rm2_metric_free(p->metric);
}

static void constructors(void **state) {
    rm2_context *ctx = *state;
    plane p = open_plane(ctx);
    rm2_space *other;
    rm2_space_settings s = rm2_space_settings_default();
    NO_CONTEXT(rm2_space_create(NULL, NULL, NULL, 0, NULL, &other));
    MISSING("model", rm2_space_create(ctx, NULL, NULL, 0, NULL, &other));
    MISSING("space", rm2_space_create(ctx, NULL, NULL, 0, NULL, NULL));
    assert_null(other);
    NO_CONTEXT(rm2_space_from_metric(NULL, p.metric, NULL, 3, points, &other));
    MISSING("metric", rm2_space_from_metric(ctx, NULL, NULL, 3, points, &other));
    MISSING("points", rm2_space_from_metric(ctx, p.metric, NULL, 3, NULL, &other));
    MISSING("space", rm2_space_from_metric(ctx, p.metric, NULL, 3, points, NULL));
    s.metric = (rm2_space_metric_kind)77;
    REFUSED("settings.metric is 77", rm2_space_from_metric(ctx, p.metric, &s, 3, points, &other));
    s = rm2_space_settings_default();
    s.roadmap = (rm2_space_roadmap_kind)77;
    REFUSED("settings.roadmap is 77", rm2_space_from_metric(ctx, p.metric, &s, 3, points, &other));
    s = rm2_space_settings_default();
    s.stage = (rm2_geodesic_stage)77;
    REFUSED("settings.stage is 77", rm2_space_from_metric(ctx, p.metric, &s, 3, points, &other));
    assert_null(other);
    rm2_space_settings own = *rm2_space_settings_of(p.space), other_one = own;
    NO_CONTEXT(rm2_space_with_settings(NULL, p.space, &own, &other));
    MISSING("space", rm2_space_with_settings(ctx, NULL, &own, &other));
    MISSING("settings", rm2_space_with_settings(ctx, p.space, NULL, &other));
    MISSING("other", rm2_space_with_settings(ctx, p.space, &own, NULL));
    other_one.stage = (rm2_geodesic_stage)77;
    REFUSED("settings.stage is 77", rm2_space_with_settings(ctx, p.space, &other_one, &other));
    other_one = own;
    other_one.clearance = -1;
    REFUSED("settings.clearance is -1", rm2_space_with_settings(ctx, p.space, &other_one, &other));
    other_one = own;
    other_one.obstacles = &(rm2_obstacles){0};
    REFUSED("needs a space of a model", rm2_space_with_settings(ctx, p.space, &other_one, &other));
    assert_null(other);
    rm2_space_free(NULL);
    close_plane(&p);
}

static void descriptions(void **state) {
    (void)state;
    assert_int_equal(rm2_space_dim(NULL), 0);
    assert_string_equal(rm2_space_text(NULL), "");
    assert_null(rm2_space_model(NULL));
    assert_null(rm2_space_metric(NULL));
    assert_null(rm2_space_exact_metric(NULL));
    assert_null(rm2_space_roadmap(NULL));
    assert_null(rm2_space_settings_of(NULL));
}

static void geodesics(void **state) {
    rm2_context *ctx = *state;
    plane p = open_plane(ctx);
    rm2_curve *curve;
    double out[2];
    NO_CONTEXT(rm2_space_geodesic(NULL, p.space, a, b, &curve));
    MISSING("space", rm2_space_geodesic(ctx, NULL, a, b, &curve));
    MISSING("from", rm2_space_geodesic(ctx, p.space, NULL, b, &curve));
    MISSING("to", rm2_space_geodesic(ctx, p.space, a, NULL, &curve));
    MISSING("curve", rm2_space_geodesic(ctx, p.space, a, b, NULL));
    NO_CONTEXT(rm2_space_through(NULL, p.space, 3, points, &curve));
    MISSING("space", rm2_space_through(ctx, NULL, 3, points, &curve));
    MISSING("points", rm2_space_through(ctx, p.space, 3, NULL, &curve));
    MISSING("curve", rm2_space_through(ctx, p.space, 3, points, NULL));
    assert_null(curve);
    NO_CONTEXT(rm2_space_exp(NULL, p.space, a, b, out, NULL, 0, NULL));
    MISSING("space", rm2_space_exp(ctx, NULL, a, b, out, NULL, 0, NULL));
    MISSING("x", rm2_space_exp(ctx, p.space, NULL, b, out, NULL, 0, NULL));
    MISSING("v", rm2_space_exp(ctx, p.space, a, NULL, out, NULL, 0, NULL));
    MISSING("end", rm2_space_exp(ctx, p.space, a, b, NULL, NULL, 0, NULL));
    MISSING("path", rm2_space_exp(ctx, p.space, a, b, out, NULL, 3, NULL));
    NO_CONTEXT(rm2_space_log(NULL, p.space, a, b, out, NULL));
    MISSING("space", rm2_space_log(ctx, NULL, a, b, out, NULL));
    MISSING("x", rm2_space_log(ctx, p.space, NULL, b, out, NULL));
    MISSING("y", rm2_space_log(ctx, p.space, a, NULL, out, NULL));
    MISSING("v", rm2_space_log(ctx, p.space, a, b, NULL, NULL));
    close_plane(&p);
}

static void many(void **state) {
    rm2_context *ctx = *state;
    plane p = open_plane(ctx);
    rm2_curve *curve;
    double d[9], mean[2];
    NO_CONTEXT(rm2_space_many(NULL, p.space, 1, a, b, &curve, NULL));
    MISSING("space", rm2_space_many(ctx, NULL, 1, a, b, &curve, NULL));
    MISSING("from", rm2_space_many(ctx, p.space, 1, NULL, b, &curve, NULL));
    MISSING("to", rm2_space_many(ctx, p.space, 1, a, NULL, &curve, NULL));
    MISSING("curves", rm2_space_many(ctx, p.space, 1, a, b, NULL, NULL));
    NO_CONTEXT(rm2_space_distances(NULL, p.space, 3, points, d, NULL));
    MISSING("space", rm2_space_distances(ctx, NULL, 3, points, d, NULL));
    MISSING("points", rm2_space_distances(ctx, p.space, 3, NULL, d, NULL));
    MISSING("distance", rm2_space_distances(ctx, p.space, 3, points, NULL, NULL));
    NO_CONTEXT(rm2_space_mean(NULL, p.space, 3, points, NULL, NULL, mean, NULL));
    MISSING("space", rm2_space_mean(ctx, NULL, 3, points, NULL, NULL, mean, NULL));
    MISSING("points", rm2_space_mean(ctx, p.space, 3, NULL, NULL, NULL, mean, NULL));
    MISSING("mean", rm2_space_mean(ctx, p.space, 3, points, NULL, NULL, NULL, NULL));
    close_plane(&p);
}

static void lengths(void **state) {
    rm2_context *ctx = *state;
    plane p = open_plane(ctx);
    double length, error, out[9];
    NO_CONTEXT(rm2_space_path_length(NULL, p.space, 3, points, &length, NULL));
    MISSING("space", rm2_space_path_length(ctx, NULL, 3, points, &length, NULL));
    MISSING("path", rm2_space_path_length(ctx, p.space, 3, NULL, &length, NULL));
    MISSING("length", rm2_space_path_length(ctx, p.space, 3, points, NULL, NULL));
    NO_CONTEXT(rm2_space_straight_length(NULL, p.space, 3, points, &length));
    MISSING("space", rm2_space_straight_length(ctx, NULL, 3, points, &length));
    MISSING("points", rm2_space_straight_length(ctx, p.space, 3, NULL, &length));
    MISSING("length", rm2_space_straight_length(ctx, p.space, 3, points, NULL));
    NO_CONTEXT(rm2_space_expected_length(NULL, p.space, 3, points, 9, &length, &error));
    MISSING("space", rm2_space_expected_length(ctx, NULL, 3, points, 9, &length, &error));
    MISSING("path", rm2_space_expected_length(ctx, p.space, 3, NULL, 9, &length, &error));
    MISSING("length", rm2_space_expected_length(ctx, p.space, 3, points, 9, NULL, &error));
    MISSING("standard_error", rm2_space_expected_length(ctx, p.space, 3, points, 9, &length, NULL));
    NO_CONTEXT(rm2_space_decode(NULL, p.space, 3, points, out, NULL));
    MISSING("space", rm2_space_decode(ctx, NULL, 3, points, out, NULL));
    MISSING("x", rm2_space_decode(ctx, p.space, 3, NULL, out, NULL));
    close_plane(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(constructors), cmocka_unit_test(descriptions), WITH_CONTEXT(geodesics),
        WITH_CONTEXT(many),         WITH_CONTEXT(lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
