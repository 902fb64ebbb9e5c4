/* metric.h: arguments that are missing are named. */
#include "api.h"

static const double x[] = {0, 0, 1, 1};

static rm2_metric *flat(rm2_context *ctx) {
    rm2_metric *metric;
    MUST(rm2_metric_analytic(ctx, "euclidean", 2, &metric));
    return metric;
}

static rm2_status identity(const void *user, const double *at, double *G, double *dG) {
    (void)user;
    (void)at;
    G[0] = 1;
    if (dG)
        dG[0] = 0;
    return RM2_OK;
}

static void constructors(void **state) {
    rm2_context *ctx = *state;
    rm2_pullback_settings s = rm2_pullback_settings_default();
    rm2_metric *metric;
    NO_CONTEXT(rm2_metric_pullback(NULL, NULL, &s, &metric));
    MISSING("metric", rm2_metric_pullback(ctx, NULL, &s, NULL));
    MISSING("model", rm2_metric_pullback(ctx, NULL, &s, &metric));
    assert_null(metric);
    NO_CONTEXT(rm2_metric_density(NULL, 2, 2, x, 1, &metric));
    MISSING("points", rm2_metric_density(ctx, 2, 2, NULL, 1, &metric));
    MISSING("metric", rm2_metric_density(ctx, 2, 2, x, 1, NULL));
    NO_CONTEXT(rm2_metric_analytic(NULL, "euclidean", 2, &metric));
    MISSING("name", rm2_metric_analytic(ctx, NULL, 2, &metric));
    MISSING("metric", rm2_metric_analytic(ctx, "euclidean", 2, NULL));
    NO_CONTEXT(rm2_metric_from_function(NULL, 1, identity, NULL, "one", &metric));
    MISSING("at", rm2_metric_from_function(ctx, 1, NULL, NULL, "one", &metric));
    MISSING("text", rm2_metric_from_function(ctx, 1, identity, NULL, NULL, &metric));
    MISSING("metric", rm2_metric_from_function(ctx, 1, identity, NULL, "one", NULL));
    assert_null(metric);
    rm2_metric_free(NULL);
}

static void descriptions(void **state) {
    (void)state;
    assert_int_equal(rm2_metric_dim(NULL), 0);
    assert_string_equal(rm2_metric_text(NULL), "");
    assert_true(rm2_metric_weight(NULL) == 1);
}

static void discouraged(void **state) {
    (void)state;
    const rm2_discouraged none = {.dim = 2};
    double value, gradient[2];
    assert_int_equal(rm2_discouraged_cost(NULL, x, &value, gradient), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_discouraged_cost(&none, NULL, &value, gradient), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_discouraged_cost(&none, x, NULL, gradient), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_discouraged_cost(&none, x, &value, NULL), RM2_ERR_ARGUMENT);
}

static void evaluations(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric = flat(ctx);
    double out[16], length, error;
    NO_CONTEXT(rm2_metric_at(NULL, metric, 2, x, out, NULL));
    MISSING("metric", rm2_metric_at(ctx, NULL, 2, x, out, NULL));
    MISSING("x", rm2_metric_at(ctx, metric, 2, NULL, out, NULL));
    MISSING("G", rm2_metric_at(ctx, metric, 2, x, NULL, NULL));
    NO_CONTEXT(rm2_metric_magnification(NULL, metric, 2, x, out));
    MISSING("metric", rm2_metric_magnification(ctx, NULL, 2, x, out));
    MISSING("x", rm2_metric_magnification(ctx, metric, 2, NULL, out));
    MISSING("log_magnification", rm2_metric_magnification(ctx, metric, 2, x, NULL));
    NO_CONTEXT(rm2_metric_measure(NULL, metric, 2, x, &length, NULL));
    MISSING("metric", rm2_metric_measure(ctx, NULL, 2, x, &length, NULL));
    MISSING("path", rm2_metric_measure(ctx, metric, 2, NULL, &length, NULL));
    MUST(rm2_metric_measure(ctx, metric, 2, x, NULL, NULL));
    NO_CONTEXT(rm2_metric_spread(NULL, metric, 2, x, NULL, out, out));
    MISSING("metric", rm2_metric_spread(ctx, NULL, 2, x, NULL, out, out));
    MISSING("x", rm2_metric_spread(ctx, metric, 2, NULL, NULL, out, out));
    MISSING("mean", rm2_metric_spread(ctx, metric, 2, x, NULL, NULL, out));
    MISSING("deviation", rm2_metric_spread(ctx, metric, 2, x, NULL, out, NULL));
    NO_CONTEXT(rm2_metric_expected_length(NULL, metric, 2, x, 9, &length, &error));
    MISSING("metric", rm2_metric_expected_length(ctx, NULL, 2, x, 9, &length, &error));
    MISSING("path", rm2_metric_expected_length(ctx, metric, 2, NULL, 9, &length, &error));
    MISSING("length", rm2_metric_expected_length(ctx, metric, 2, x, 9, NULL, &error));
    MISSING("standard_error", rm2_metric_expected_length(ctx, metric, 2, x, 9, &length, NULL));
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(constructors),
        cmocka_unit_test(descriptions),
        cmocka_unit_test(discouraged),
        WITH_CONTEXT(evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
