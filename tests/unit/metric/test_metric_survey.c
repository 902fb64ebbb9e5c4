/* The contrast rule of many latents takes its medians over 4096 evenly spaced ones.
 *
 * Outputs are Euclidean, so that Gc = I: metrics with weights 1 and 2 give tr(J^T J) = tr(2 G_1 - G_2) at
 * a latent, and far from all data tr(G_2 - G_1) is the far field, the same for all latents. Tolerances:
 * 1e-6, as G_1 and G_2 are 1e2 times their difference at most and known to 1e-10; and 2 % of the
 * ranks, which between the quantiles 48 and 52 % of these data is less than 10 % of the value. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "metric/metric.h"
#include "riemann2.h"

enum { Q = 2, N = 5000, SURVEYED = 4096 };

static rm2_context *ctx;

static void ok(rm2_status status) {
    if (status != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
}

static rm2_model *fit(void) {
    rm2_generate_settings g = rm2_generate_settings_default();
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_data *data;
    rm2_model *model;
    g.trajectories = 25;
    g.points = N / 25;
    s.model = RM2_GPLVM;
    s.inference = RM2_INFERENCE_INDUCING;
    s.inducing = 40;
    s.optim.max_iterations = 1;
    ok(rm2_data_generate(ctx, "toy", &g, &data));
    assert_int_equal(data->count, N);
    ok(rm2_fit(ctx, data, &s, NULL, &model));
    rm2_data_free(data);
    return model;
}

/* Traces of the metric of a weight at n points. */
static void traces(const rm2_model *model, double weight, size_t n, const double *x, double *out) {
    const rm2i_pullback_settings s = {.size = sizeof s, .weight = weight};
    rm2_metric *metric;
    double *G = malloc(n * Q * Q * sizeof *G);
    assert_non_null(G);
    ok(rm2i_metric_pullback(ctx, model, &s, &metric));
    ok(rm2_metric_at(ctx, metric, n, x, G, NULL));
    for (size_t i = 0; i < n; i++)
        out[i] = G[i * Q * Q] + G[i * Q * Q + 3];
    rm2_metric_free(metric);
    free(G);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(size_t n, double *values) {
    qsort(values, n, sizeof *values, by_value);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static void test_survey(void **state) {
    (void)state;
    static double one[N], two[N], some[SURVEYED];
    const double far[Q] = {1e6, 1e6}, contrast = 1e6;
    double far_one, far_two;
    rm2_model *model = fit();
    const double *X = rm2_model_info_of(model)->latents;
    traces(model, 1, N, X, one);
    traces(model, 2, N, X, two);
    traces(model, 1, 1, far, &far_one);
    traces(model, 2, 1, far, &far_two);
    for (size_t i = 0; i < N; i++)
        one[i] = 2 * one[i] - two[i];
    for (size_t i = 0; i < SURVEYED; i++)
        some[i] = one[i * N / SURVEYED];
    double expected = contrast * median(SURVEYED, some) / (far_two - far_one);
    double of_all = contrast * median(N, one) / (far_two - far_one);
    const rm2i_pullback_settings s = {.size = sizeof s, .contrast = contrast};
    rm2_metric *metric;
    ok(rm2i_metric_pullback(ctx, model, &s, &metric));
    double weight = rm2_metric_weight(metric);
    if (!(weight > 1 && fabs(weight - expected) <= 1e-6 * expected))
        fail_msg("weight %.12g, not %.12g", weight, expected);
    if (!(fabs(weight - of_all) <= 0.1 * of_all))
        fail_msg("weight %.12g, over all latents %.12g", weight, of_all);
    rm2_metric_free(metric);
    rm2_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_survey)};
    if (rm2_context_create(&ctx) != RM2_OK)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    rm2_context_free(ctx);
    return failed;
}
