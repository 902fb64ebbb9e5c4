/* Training without trajectories by inducing points: with a high accuracy against exact training, with few points the exact
 * evidence between the bounds, numbers of inducing points where points are equal, prediction, metric and files.
 *
 * Tolerances. At an accuracy of 1e-9 nats per point the two objectives differ by less than rounding of conditions of 1e6;
 * both searches end at a relative decrease of 1e-9, and the latents at one of 1e-6: hyperparameters in flat directions agree
 * to two digits, the objective to 1e-5 of N M, predictions to 1e-3 of the noise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/points.h"
#include "linalg/dense.h"
#include "metric/metric.h"
#include "model/rules.h"
#include "riemann2/fit.h"
#include "riemann2/metric.h"
#include "surface_fixture.h"

enum { N = 60, M = 5, Q = 2 };

static rm2_model *fitted(const rm2_data *data, rm2_inference inference, double accuracy) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    rm2_model *model;
    s.init = RM2_INIT_TANGENT;
    s.inference = inference;
    s.accuracy = accuracy;
    ok(rm2_fit(ctx, data, &s, NULL, &model));
    return model;
}

static void near(const char *what, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: %.9g against %.9g", what, got, want);
}

/* ---- against exact training ------------------------------------------------------------------ */

static void compare_predictions(const rm2_model *a, const rm2_model *b, double noise) {
    double x[3 * Q] = {0.3, -0.4, 1.1, 0.2, -0.8, 0.9}, tangent[2][3 * M], wide[2][3];
    double G[2][3 * Q * Q];
    rm2_metric *metric[2];
    const rm2_model *models[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        ok(rm2_model_decode(ctx, models[k], 3, x, NULL, tangent[k], NULL, wide[k]));
        ok(rm2i_metric_pullback(ctx, models[k], NULL, &metric[k]));
        ok(rm2_metric_at(ctx, metric[k], 3, x, G[k], NULL));
        rm2_metric_free(metric[k]);
    }
    for (size_t k = 0; k < 3 * M; k++)
        near("decoded", tangent[1][k], tangent[0][k], 1e-2 * noise);
    for (size_t k = 0; k < 3; k++)
        near("deviation", wide[1][k], wide[0][k], 1e-2 * noise);
    for (size_t k = 0; k < 3 * Q * Q; k++)
        near("metric", G[1][k], G[0][k], 1e-2 * G[0][0]);
}

static void high_accuracy_is_exact(void **state) {
    (void)state;
    rm2_data *data = surface(N, M, false);
    rm2_model *exact = fitted(data, RM2_INFERENCE_EXACT, 1e-3);
    rm2_model *model = fitted(data, RM2_INFERENCE_INDUCING, 1e-9);
    const rm2_model_info *a = rm2_model_info_of(exact), *b = rm2_model_info_of(model);
    assert_int_equal(a->inducing, 0);
    assert_true(b->inducing > Q && b->inducing <= N);
    near("objective", b->training.end.total, a->training.end.total, 1e-5 * N * M);
    near("variance", b->variance / a->variance, 1, 1e-2);
    near("lengthscale", b->lengthscale[0] / a->lengthscale[0], 1, 1e-2);
    near("freedom", b->freedom / a->freedom, 1, 1e-2);
    near("latent noise", b->latent_noise / a->latent_noise, 1, 1e-2);
    near("upper bound", b->training.likelihood.upper, b->training.end.log_likelihood, 1e-5 * N);
    compare_predictions(exact, model, sqrt(a->task_covariance[0]));
    rm2_model_free(exact);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

/* The exact evidence at what a training has found. */
static double evidence_at(const rm2i_points_data *d, const rm2i_points_result *r) {
    rm2i_points_linear linear;
    rm2i_evidence *ev;
    double value;
    ok(rm2i_points_linear_create(ctx, d, &linear));
    ok(rm2i_points_linear_at(d, r->X, true, &linear));
    const rm2i_evidence_data data = {.N = d->N,
                                     .Q = d->Q,
                                     .rows = d->M,
                                     .X = r->X,
                                     .F = linear.left,
                                     .m = d->M - linear.columns,
                                     .kind = RM2_LATENT_SE};
    ok(rm2i_evidence_create(ctx, &data, &ev));
    const rm2i_evidence_at at = {r->variance, r->lengthscale, r->scale, r->weight};
    ok(rm2i_evidence_value(ev, &at, &value, NULL));
    rm2i_evidence_free(ev);
    free(linear.memory);
    return value;
}

static void centred_outputs(const rm2_data *data, double *F) {
    for (size_t m = 0; m < M; m++) {
        double mean = 0;
        for (size_t i = 0; i < N; i++)
            mean += data->points[i * M + m] / N;
        for (size_t i = 0; i < N; i++)
            F[m * N + i] = data->points[i * M + m] - mean;
    }
}

static void the_evidence_is_within_the_certificate(void **state) {
    (void)state;
    rm2_data *data = surface(N, M, false);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    double F[M * N], X0[N * Q], X[N * Q], Kf[M * M], before = -INFINITY;
    centred_outputs(data, F);
    for (s.inducing = 6; s.inducing <= 24; s.inducing += 9) {
        rm2i_points_request r = {.data = {N, M, Q, F}, .start.X = X0, .settings = &s};
        rm2i_points_result result = {.X = X, .Kf = Kf};
        ok(rm2i_points_components(ctx, &r.data, &r.start));
        ok(rm2i_points_train(ctx, &r, &result));
        double value = evidence_at(&r.data, &result);
        assert_int_equal(result.inducing_count, s.inducing);
        assert_true(result.training.end.log_likelihood < value);
        assert_true(result.training.likelihood.lower <= value + 1e-6 &&
                    value - 1e-6 <= result.training.likelihood.upper);
        assert_true(result.training.end.total > before); /* more points, a higher bound */
        before = result.training.end.total;
        free(result.training.trace);
        free(result.inducing);
    }
    rm2_data_free(data);
}

/* ---- numbers, files, rules ------------------------------------------------------------------- */

static void numbers_are_those_of_all_points(void **state) {
    (void)state;
    rm2_data *data = surface(N, M, true);
    rm2_model *model = fitted(data, RM2_INFERENCE_INDUCING, 1e-3);
    const rm2_model_info *i = rm2_model_info_of(model);
    assert_true(i->inducing > 0 && i->inducing_points && i->inducing_inputs);
    for (size_t j = 0; j < i->inducing; j++) {
        assert_true(i->inducing_points[j] < N - 1); /* the last is the first again */
        assert_memory_equal(i->inducing_inputs + j * Q, i->latents + i->inducing_points[j] * Q,
                            Q * sizeof(double));
    }
    assert_memory_equal(i->latents, i->latents + (N - 1) * Q, Q * sizeof(double));
    rm2_model_free(model);
    rm2_data_free(data);
}

static void files_keep_all(void **state) {
    (void)state;
    rm2_data *data = surface(N, M, false);
    rm2_model *model = fitted(data, RM2_INFERENCE_INDUCING, 1e-3), *again;
    void *bytes;
    size_t size;
    double latents[2][3 * Q];
    rm2_encoded got[2][3] = {{{.size = sizeof **got}}, {{.size = sizeof **got}}};
    ok(rm2_model_to_bytes(ctx, model, &bytes, &size));
    ok(rm2_model_from_bytes(ctx, bytes, size, NULL, &again));
    ok(rm2_model_encode(ctx, model, NULL, 3, data->points, latents[0], NULL, got[0]));
    ok(rm2_model_encode(ctx, again, NULL, 3, data->points, latents[1], NULL, got[1]));
    assert_memory_equal(latents[0], latents[1], sizeof latents[0]);
    for (size_t k = 0; k < 3; k++) /* points of the training, where they were */
        for (size_t q = 0; q < Q; q++)
            near("latent", latents[0][k * Q + q], rm2_model_info_of(model)->latents[k * Q + q],
                 0.5);
    for (size_t k = 0; k < 3; k++)
        assert_true(got[0][k].log_density == got[1][k].log_density);
    assert_true(rm2_model_info_of(again)->training.likelihood.upper ==
                rm2_model_info_of(model)->training.likelihood.upper);
    assert_int_equal(rm2_model_info_of(again)->inducing, rm2_model_info_of(model)->inducing);
    rm2_free(bytes);
    rm2_model_free(model);
    rm2_model_free(again);
    rm2_data_free(data);
}

static void many_points_are_trained_by_inducing_ones(void **state) {
    (void)state;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    assert_false(rm2i_rules_inducing(&s, 1000));
    assert_true(rm2i_rules_inducing(&s, 1001));
    ok(rm2i_rules_check(ctx, &s, &(rm2i_fit_sizes){1000000, M, 0}));
    s.inducing = 3;
    assert_true(rm2i_rules_inducing(&s, 10));
    s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    s.inference = RM2_INFERENCE_EXACT;
    assert_false(rm2i_rules_inducing(&s, 5000));
    ok(rm2i_rules_check(ctx, &s, &(rm2i_fit_sizes){5000, M, 0}));
}

static void interrupts_leave_a_model(void **state) {
    (void)state;
    rm2_data *data = surface(N, M, false);
    rm2_context_interrupt(ctx);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    double F[M * N], X0[N * Q], X[N * Q], Kf[M * M];
    s.inference = RM2_INFERENCE_INDUCING;
    centred_outputs(data, F);
    rm2i_points_request r = {.data = {N, M, Q, F}, .start.X = X0, .settings = &s};
    rm2i_points_result result = {.X = X, .Kf = Kf};
    ok(rm2i_points_components(ctx, &r.data, &r.start));
    ok(rm2i_points_train(ctx, &r, &result));
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(result.training.stop, RM2_STOP_INTERRUPTED);
    assert_true(result.level > 0 && isfinite(result.training.end.total) &&
                result.inducing_count > 0);
    free(result.training.trace);
    free(result.inducing);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(high_accuracy_is_exact),
        cmocka_unit_test(the_evidence_is_within_the_certificate),
        cmocka_unit_test(numbers_are_those_of_all_points),
        cmocka_unit_test(files_keep_all),
        cmocka_unit_test(many_points_are_trained_by_inducing_ones),
        cmocka_unit_test(interrupts_leave_a_model),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
