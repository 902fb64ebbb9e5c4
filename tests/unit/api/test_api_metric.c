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
    rm2_metric *metric;
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

static void evaluations(void **state) {
    rm2_context *ctx = *state;
    rm2_metric *metric = flat(ctx);
    double out[16];
    NO_CONTEXT(rm2_metric_at(NULL, metric, 2, x, out, NULL));
    MISSING("metric", rm2_metric_at(ctx, NULL, 2, x, out, NULL));
    MISSING("x", rm2_metric_at(ctx, metric, 2, NULL, out, NULL));
    MISSING("G", rm2_metric_at(ctx, metric, 2, x, NULL, NULL));
    NO_CONTEXT(rm2_metric_magnification(NULL, metric, 2, x, out));
    MISSING("metric", rm2_metric_magnification(ctx, NULL, 2, x, out));
    MISSING("x", rm2_metric_magnification(ctx, metric, 2, NULL, out));
    MISSING("log_magnification", rm2_metric_magnification(ctx, metric, 2, x, NULL));
    NO_CONTEXT(rm2_metric_spread(NULL, metric, 2, x, NULL, out, out));
    MISSING("metric", rm2_metric_spread(ctx, NULL, 2, x, NULL, out, out));
    MISSING("x", rm2_metric_spread(ctx, metric, 2, NULL, NULL, out, out));
    MISSING("mean", rm2_metric_spread(ctx, metric, 2, x, NULL, NULL, out));
    MISSING("deviation", rm2_metric_spread(ctx, metric, 2, x, NULL, out, NULL));
    rm2_metric_free(metric);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(constructors),
        cmocka_unit_test(descriptions),
        WITH_CONTEXT(evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
