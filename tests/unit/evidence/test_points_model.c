/* Models of points without trajectories, from rm2_fit: the density of an observation and its marginal against their
 * definitions and numerical integration, the prior of latents, encoding far away, comparison with principal components,
 * the choice of the start and of the latent dimension, model files.
 *
 * Tolerances. Definitions in other words agree to rounding, 1e-9 after a few hundred operations. Central differences of
 * step 1e-5 leave errors of 1e-10 of third derivatives and rounding of 1e-11/1e-5. Laplace's method is not exact: the
 * study found 0.02 to 0.33 nats; 0.3 is asked for in one dimension. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"
#include "predict/observation.h"
#include "riemann2/fit.h"
#include "surface_fixture.h"

enum { MOST = 12 };
static const double PI = 3.14159265358979323846;

static rm2_model *fitted(const rm2_data *data, size_t Q, rm2_init_kind init) {
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    rm2_model *model;
    s.latent_dim = Q;
    s.init = init;
    ok(rm2_fit(ctx, data, &s, NULL, &model));
    return model;
}

/* ---- density --------------------------------------------------------------------------------- */

/* Student t of n degrees whose covariance is that of the prediction with noise, from the public calls, by elimination. */
static double density_of(const rm2_model *model, const double *x, const double *v) {
    const rm2_model_info *i = rm2_model_info_of(model);
    size_t M = i->outputs;
    double f[MOST], S[MOST * MOST], n = i->freedom, d = (double)M, log_det = 0, square = 0;
    ok(rm2_model_decode(ctx, model, 1, x, NULL, f, S, NULL));
    for (size_t k = 0; k < M * M; k++) /* scale matrix of the Student t */
        S[k] = (S[k] + i->noise * i->task_covariance[k]) * (n - 2) / n;
    for (size_t k = 0; k < M; k++)
        f[k] = v[k] - (f[k] - i->mean[k]);
    for (size_t k = 0; k < M; k++) {
        log_det += log(S[k * M + k]);
        square += f[k] * f[k] / S[k * M + k];
        for (size_t a = k + 1; a < M; a++) {
            double factor = S[a * M + k] / S[k * M + k];
            f[a] -= factor * f[k];
            for (size_t b = 0; b < M; b++)
                S[a * M + b] -= factor * S[k * M + b];
        }
    }
    return lgamma((n + d) / 2) - lgamma(n / 2) - 0.5 * d * log(n * PI) - 0.5 * log_det -
           0.5 * (n + d) * log1p(square / n);
}

static rm2i_observation observe(const rm2_model *model, const double *v, double *memory) {
    bool there[MOST];
    rm2i_observation o = rm2i_observation_in(model, memory);
    for (size_t k = 0; k < MOST; k++)
        there[k] = true;
    o.ctx = ctx;
    assert_int_equal(rm2i_observe(&o, v, there), RM2_OK);
    return o;
}

static void density_is_its_definition(void **state) {
    (void)state;
    rm2_data *data = surface(40, 5, false);
    rm2_model *model = fitted(data, 2, RM2_INIT_TANGENT);
    double *memory = calloc(rm2i_observation_size(model), sizeof *memory);
    const double x[] = {0.4, -0.7}, v[] = {0.3, -0.2, 0.5, 0.1, -0.6};
    assert_non_null(memory);
    rm2i_observation o = observe(model, v, memory);
    double want = density_of(model, x, v), got = rm2i_observation_density(&o, x, NULL);
    assert_true(fabs(got - want) <= 1e-9 * fabs(want));
    free(memory);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* Of everything that encoding minimises: density with prior, least squares of both kinds, inside and outside of the
 * wall. */
static void slopes_are_derivatives(void **state) {
    (void)state;
    rm2_data *data = surface(40, 5, false);
    rm2_model *model = fitted(data, 2, RM2_INIT_TANGENT);
    double *memory = calloc(rm2i_observation_size(model), sizeof *memory);
    const double at[][2] = {{0.4, -0.7}, {-1.2, 0.1}, {300, -200}};
    const double v[] = {0.3, -0.2, 0.5, 0.1, -0.6};
    assert_non_null(memory);
    rm2i_observation o = observe(model, v, memory);
    for (int kind = RM2_ENCODE_DENSITY; kind <= RM2_ENCODE_NEAREST; kind++)
        for (int k = kind == RM2_ENCODE_DENSITY ? 1 : 2; k >= 0; k--)
            for (size_t q = 0; q < 2; q++) {
                double x[2] = {at[k][0], at[k][1]}, slope[2], up, down, other[2];
                double h = 1e-5 * fmax(fabs(x[q]), 1);
                o.kind = (rm2_encode_kind)kind;
                assert_int_equal(rm2i_observation_minus_log(&o, x, &up, slope), RM2_OK);
                x[q] += h;
                assert_int_equal(rm2i_observation_minus_log(&o, x, &up, other), RM2_OK);
                x[q] -= 2 * h;
                assert_int_equal(rm2i_observation_minus_log(&o, x, &down, other), RM2_OK);
                double difference = (up - down) / (2 * h);
                if (!(fabs(difference - slope[q]) <= 1e-6 * fmax(1, fabs(slope[q]))))
                    fail_msg("kind %d, point %d: slope %g, difference %g", kind, k, slope[q],
                             difference);
            }
    free(memory);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- prior and marginal ---------------------------------------------------------------------- */

static double prior_at(const rm2_model *model, double x) {
    double work[3];
    return exp(model->prior->constant + rm2i_latent_prior_log(model->prior, &x, NULL, work));
}

/* The prior integrates to 1, its mean is that of the latents; the marginal is the integral of density times prior. */
static void marginal_is_an_integral(void **state) {
    (void)state;
    rm2_data *data = surface(40, 4, false);
    rm2_model *model = fitted(data, 1, RM2_INIT_TANGENT);
    const rm2_model_info *info = rm2_model_info_of(model);
    const double step = 1e-3;
    double total = 0, mean = 0, points[3 * 4], latents[3], want[3] = {0}, own = 0;
    rm2_encoded got[3] = {{.size = sizeof *got}};
    memcpy(points, data->points, sizeof points);
    for (size_t k = 0; k < 12; k++)
        points[k] += 0.05 * sin(3 * (double)k);
    ok(rm2_model_encode(ctx, model, NULL, 3, points, latents, NULL, got));
    for (double x = -8; x < 8; x += step) {
        double p = prior_at(model, x);
        total += p * step;
        mean += x * p * step;
        for (size_t k = 0; k < 3; k++) {
            double v[4];
            for (size_t m = 0; m < 4; m++)
                v[m] = points[k * 4 + m] - info->base[m] - info->mean[m];
            want[k] += p * exp(density_of(model, &x, v)) * step;
        }
    }
    for (size_t i = 0; i < info->points; i++)
        own += info->latents[i] / (double)info->points;
    assert_true(fabs(total - 1) <= 1e-6);
    assert_true(fabs(mean - own) <= 1e-6);
    for (size_t k = 0; k < 3; k++) {
        if (!(fabs(got[k].log_density - log(want[k])) <= 0.3))
            fail_msg("marginal %g, integral %g", got[k].log_density, log(want[k]));
        assert_true(got[k].log_density < got[k].log_density_at_latent);
    }
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- encoding far away ----------------------------------------------------------------------- */

/* Points a thousand times as far as the data: latents stay finite and within the wall. */
static void encoding_stays_near(void **state) {
    (void)state;
    rm2_data *data = surface(40, 5, false);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_model *models[2] = {fitted(data, 2, RM2_INIT_TANGENT), NULL};
    double points[4 * 5], latents[4 * 2];
    ok(rm2_fit(ctx, data, &s, NULL, &models[1]));
    for (size_t k = 0; k < 20; k++)
        points[k] = (k % 5 < 3 ? 1000 : -1000) * data->points[k];
    for (int m = 0; m < 2; m++)
        for (int kind = RM2_ENCODE_DENSITY; kind <= RM2_ENCODE_NEAREST; kind++) {
            rm2_encode_settings e = rm2_encode_settings_default();
            e.objective = (rm2_encode_kind)kind;
            ok(rm2_model_encode(ctx, models[m], &e, 4, points, latents, NULL, NULL));
            for (size_t k = 0; k < 8;
                 k++) /* 50 standard deviations, times root 2, and the slope of the wall */
                assert_true(fabs(latents[k]) <= 120);
        }
    rm2_model_free(models[0]);
    rm2_model_free(models[1]);
    rm2_data_free(data);
}

/* ---- choices --------------------------------------------------------------------------------- */

/* The recipe of a plan. */
static rm2_recipe decided(const rm2_data *data, const rm2_fit_settings *s) {
    rm2_fit_plan *plan;
    ok(rm2_fit_plan_create(ctx, data, s, &plan));
    rm2_recipe recipe = rm2_fit_plan_info_of(plan)->settings->recipe;
    rm2_fit_plan_free(plan);
    return recipe;
}

static void points_are_the_default(void **state) {
    (void)state;
    rm2_data *data = surface(40, 5, false);
    rm2_model *model;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_AUTO);
    assert_int_equal(decided(data, NULL), RM2_RECIPE_POINTS);
    assert_int_equal(decided(data, &s), RM2_RECIPE_POINTS);
    s.latent_dim = 5;
    assert_int_equal(decided(data, &s), RM2_RECIPE_ROBUST);
    s.latent_dim = 2;
    s.independent = true;
    assert_int_equal(decided(data, &s), RM2_RECIPE_ROBUST);
    s = rm2_fit_settings_recipe(RM2_RECIPE_MAP);
    assert_int_equal(decided(data, &s), RM2_RECIPE_MAP);
    s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    ok(rm2_fit(ctx, data, NULL, NULL, &model));
    assert_int_equal(rm2_model_info_of(model)->settings->recipe, RM2_RECIPE_POINTS);
    assert_int_not_equal(rm2_model_info_of(model)->settings->init, RM2_INIT_AUTO);
    rm2_model_free(model);
    ok(rm2_fit_check(ctx, data, &s));
    s.latent_dim = 5;
    assert_int_equal(rm2_fit_check(ctx, data, &s), RM2_ERR_ARGUMENT);
    s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    s.latent_dim = 0;
    assert_int_equal(rm2_fit_check(ctx, data, &s), RM2_ERR_ARGUMENT);
    rm2_data_free(data);
}

/* Learned noise and more outputs than points: the objective has no maximum. */
static void unbounded_objectives_are_refused(void **state) {
    (void)state;
    rm2_data *data = surface(10, 30, false);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_MAP);
    s.gpdm_weight = 0;
    assert_int_equal(rm2_fit_check(ctx, data, &s), RM2_ERR_ARGUMENT);
    assert_non_null(strstr(rm2_context_error(ctx), "at least 2"));
    s.task_anchor = 2;
    ok(rm2_fit_check(ctx, data, &s));
    s.task_anchor = 1;
    s.noise_variance.learned = false;
    ok(rm2_fit_check(ctx, data, &s));
    rm2_data_free(data);
}

/* A surface of two dimensions is recognised as one. */
static void dimension_is_found(void **state) {
    (void)state;
    rm2_data *data = surface(60, 8, false);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    rm2_latent_choice rows[4];
    rm2_model *model;
    size_t tried, chosen;
    s.init = RM2_INIT_TANGENT;
    ok(rm2_fit_choose_latent(ctx, data, &s, 4, rows, &tried, &chosen));
    assert_true(tried >= 3 && tried <= 4);
    assert_int_equal(rows[chosen].latent_dim, 2);
    assert_true(rows[1].log_density > rows[0].log_density + rows[1].standard_error);
    assert_true(rows[1].residual < rows[0].residual && rows[0].points == 60);
    s.latent_dim = 0;
    ok(rm2_fit(ctx, data, &s, NULL, &model));
    assert_int_equal(rm2_model_info_of(model)->latent_dim, 2);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- reports and files ----------------------------------------------------------------------- */

/* Residuals from their definitions: the mean of the points, one principal component by power iteration. */
static void fidelity_is_its_definition(void **state) {
    (void)state;
    rm2_data *data = surface(40, 4, true);
    rm2_model *model = fitted(data, 1, RM2_INIT_TANGENT);
    const rm2_model_info *info = rm2_model_info_of(model);
    rm2_fidelity f = {.size = sizeof f};
    double C[16] = {0}, w[4] = {1, 0.3, 0.2, 0.1}, total = 0, value = 0;
    for (size_t i = 0; i < 40; i++)
        for (size_t a = 0; a < 16; a++)
            C[a] += (data->points[i * 4 + a / 4] - info->base[a / 4]) *
                    (data->points[i * 4 + a % 4] - info->base[a % 4]) / 40;
    for (int k = 0; k < 300; k++) {
        double u[4] = {0};
        for (size_t a = 0; a < 16; a++)
            u[a / 4] += C[a] * w[a % 4];
        value = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]);
        for (size_t a = 0; a < 4; a++)
            w[a] = u[a] / value;
    }
    for (size_t a = 0; a < 4; a++)
        total += C[a * 5];
    ok(rm2_model_fidelity(ctx, model, &f));
    assert_true(fabs(f.mean - sqrt(total)) <= 1e-9 * f.mean);
    assert_true(fabs(f.components - sqrt(total - value)) <= 1e-6 * f.mean);
    assert_true(f.residual < f.components);
    assert_true(f.coincident >= 2); /* the point that is listed twice */
    assert_memory_equal(info->latents, info->latents + 39, sizeof(double));
    rm2_model_free(model);
    rm2_data_free(data);
}

static void files_keep_all(void **state) {
    (void)state;
    rm2_data *data = surface(40, 5, false);
    rm2_model *model = fitted(data, 2, RM2_INIT_TANGENT), *again;
    void *bytes;
    size_t size;
    double latents[2][6];
    rm2_encoded got[2][3] = {{{.size = sizeof **got}}, {{.size = sizeof **got}}};
    ok(rm2_model_to_bytes(ctx, model, &bytes, &size));
    ok(rm2_model_from_bytes(ctx, bytes, size, NULL, &again));
    ok(rm2_model_encode(ctx, model, NULL, 3, data->points, latents[0], NULL, got[0]));
    ok(rm2_model_encode(ctx, again, NULL, 3, data->points, latents[1], NULL, got[1]));
    assert_memory_equal(latents[0], latents[1], sizeof latents[0]);
    for (size_t k = 0; k < 3; k++)
        assert_true(got[0][k].log_density == got[1][k].log_density);
    assert_true(rm2_model_info_of(again)->freedom == rm2_model_info_of(model)->freedom);
    rm2_free(bytes);
    rm2_model_free(model);
    rm2_model_free(again);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_is_its_definition),
        cmocka_unit_test(slopes_are_derivatives),
        cmocka_unit_test(marginal_is_an_integral),
        cmocka_unit_test(encoding_stays_near),
        cmocka_unit_test(points_are_the_default),
        cmocka_unit_test(unbounded_objectives_are_refused),
        cmocka_unit_test(dimension_is_found),
        cmocka_unit_test(fidelity_is_its_definition),
        cmocka_unit_test(files_keep_all),
    };
    return cmocka_run_group_tests(tests, create_shared_context, free_shared_context);
}
