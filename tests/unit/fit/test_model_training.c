/* Training by every recipe and variant: seeds, base points, starts, settings that are refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "model_variants.h"
#include "riemann2/fit.h"

static void test_variants(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 3, 20);
    for (size_t k = 0; k < VARIANTS; k++) {
        rm2_fit_settings s = settings_of(&variants[k], 20);
        rm2_model *model = fit_model(data, &s);
        rm2_model_info i = *rm2_model_info_of(model);
        print_message("%s: %.1f to %.1f\n", variants[k].name, i.training.start.total,
                      i.training.end.total);
        check_model(model);
        assert_true(i.training.end.total > i.training.start.total);
        assert_int_equal(i.settings->recipe, variants[k].recipe);
        assert_int_equal(i.points, 60);
        assert_int_equal(i.data->trajectories, 3);
        assert_int_equal(i.outputs, s.model == RM2_GPLVM ? 5 : 4);
        assert_int_equal(i.latent_dim, variants[k].latent_dim);
        assert_true(s.gpdm_weight > 0 ? i.gpdm[0] > 0 && i.gpdm[1] > 0 && i.gpdm[2] > 0
                                      : i.gpdm[0] == 0);
        assert_true((i.task_noise != NULL) == (s.noise == RM2_NOISE_PER_OUTPUT));
        for (size_t m = 1; s.independent && m < i.outputs; m++)
            assert_true(i.task_covariance[m] == 0);
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

/* Between the training latents a Euclidean model leaves the sphere, a wrapped one never does. */
static void test_on_and_off_the_manifold(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 3, 20);
    for (int k = 0; k < 2; k++) {
        rm2_fit_settings s = robust_settings(30);
        s.model = k ? RM2_GPLVM : RM2_WGPLVM;
        rm2_model *model = fit_model(data, &s);
        double latents[50 * 2], points[50 * 5];
        for (size_t i = 0; i < 100; i++)
            latents[i] = -2 + 0.04 * (double)i * (i % 2 ? 1 : -1);
        assert_int_equal(rm2_model_decode(ctx, model, 50, latents, points, NULL, NULL, NULL),
                         RM2_OK);
        double defect = worst_defect(data->manifold, 50, points);
        assert_true(k ? defect > 1e-3 : defect < 1e-12);
        rm2_model_free(model);
    }
    rm2_data_free(data);
}

static void test_other_manifolds(void **state) {
    (void)state;
    static const char *const names[] = {"robot", "manipulability"};
    for (int k = 0; k < 2; k++)
        for (int kind = 0; kind < 2; kind++) {
            rm2_data *data = example_data(names[k], 2, 15);
            rm2_fit_settings s = robust_settings(15);
            s.model = kind ? RM2_GPLVM : RM2_WGPLVM;
            rm2_model *model = fit_model(data, &s);
            check_model(model);
            rm2_model_free(model);
            rm2_data_free(data);
        }
    /* labels travel with the model */
    rm2_data *data = example_data("connectome", 0, 12);
    rm2_fit_settings s = robust_settings(5);
    rm2_model *model = fit_model(data, &s);
    rm2_model_info i = *rm2_model_info_of(model);
    assert_int_equal(i.outputs, 120);
    assert_int_equal(i.data->label_count, data->label_count);
    if (data->labels)
        assert_memory_equal(i.data->labels, data->labels, 12 * sizeof *i.data->labels);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* The same seed gives the same bits, another seed another start; L-BFGS and a start that is not
 * random need no seed. */
static void test_seed(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
    s.optim.max_iterations = 8;
    s.init = RM2_INIT_RANDOM;
    s.seed = 3;
    rm2_model *a = fit_model(data, &s), *b = fit_model(data, &s);
    s.seed = 5;
    rm2_model *c = fit_model(data, &s);
    size_t bytes = 24 * 2 * sizeof(double);
    rm2_model_info ia = *rm2_model_info_of(a), ib = *rm2_model_info_of(b);
    assert_memory_equal(ia.latents, ib.latents, bytes);
    assert_memory_equal(ia.task_covariance, ib.task_covariance, 16 * sizeof(double));
    assert_memory_equal(ia.training.trace, ib.training.trace,
                        (ia.training.iterations + 1) * sizeof(double));
    assert_memory_not_equal(ia.latents, rm2_model_info_of(c)->latents, bytes);
    rm2_model_free(a);
    rm2_model_free(b);
    rm2_model_free(c);
    rm2_data_free(data);
}

static void test_base_point(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    rm2_fit_settings s = robust_settings(3);
    double frechet[5], usual[5], given[5] = {0.5, -0.25, 0.6, 0, 0.8};
    assert_int_equal(
        rm2_manifold_mean(ctx, data->manifold, 24, data->points, NULL, NULL, frechet, NULL),
        RM2_OK);
    rm2_manifold_default_point(data->manifold, usual);
    const double *expected[] = {frechet, usual, given};
    for (int k = 0; k < 3; k++) {
        s.base = k == 2 ? RM2_BASE_FRECHET : (rm2_base_kind)k;
        s.base_point = k == 2 ? given : NULL; /* which implies RM2_BASE_GIVEN */
        rm2_model *model = fit_model(data, &s);
        assert_memory_equal(rm2_model_info_of(model)->base, expected[k], sizeof given);
        check_model(model);
        rm2_model_free(model);
    }
    rm2_model *model;
    s.base = RM2_BASE_GIVEN;
    s.base_point = NULL;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_ERR_ARGUMENT);
    assert_null(model);
    /* the antipode of a training point: no unique logarithm */
    for (size_t k = 2; k < 5; k++)
        given[k] = -data->points[k];
    s.base_point = given;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_ERR_CUT_LOCUS);
    assert_non_null(strstr(rm2_context_error(ctx), "base point"));
    /* not on the manifold, not a number */
    const double off[2][5] = {{0, 0, 2, 0, 0}, {NAN, 0, 1, 0, 0}};
    for (int k = 0; k < 2; k++) {
        s.base_point = off[k];
        assert_int_not_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_OK);
        assert_null(model);
        assert_non_null(strstr(rm2_context_error(ctx), "base point"));
    }
    rm2_data_free(data);
}

static void test_given_start(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    rm2_fit_settings s = robust_settings(0);
    double X0[24 * 2];
    for (size_t i = 0; i < 48; i++)
        X0[i] = sin((double)i * (double)i);
    s.init = RM2_INIT_GIVEN;
    s.init_latent = X0;
    rm2_model *model = fit_model(data, &s);
    rm2_model_info i = *rm2_model_info_of(model);
    assert_memory_equal(i.latents, X0, sizeof X0);
    assert_int_equal(i.training.iterations, 0);
    assert_int_equal(i.training.stop, RM2_STOP_MAX_ITERATIONS);
    assert_true(i.training.end.total == i.training.start.total);
    rm2_model_free(model);
    X0[7] = NAN;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(ctx), "latent point 3"));
    s.init_latent = NULL;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_ERR_ARGUMENT);
    assert_null(model);
    rm2_data_free(data);
}

/* Values that no training can start from. */
static void test_settings_refused(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 6);
    rm2_model *model;
    for (int k = 0; k < 12; k++) {
        rm2_fit_settings s = robust_settings(3);
        double *weights[] = {&s.gpdm_weight, &s.task_anchor, &s.latent_anchor, &s.lengthscale.start,
                             &s.noise_variance.start};
        if (k < 5)
            *weights[k] = -1;
        else if (k < 10)
            *weights[k - 5] = NAN;
        else if (k == 10)
            s.latent_dim = 0;
        else
            s.task_rank = 9;
        assert_int_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_ERR_ARGUMENT);
        assert_null(model);
    }
    rm2_data_free(data);
}

/* Priors that are no densities, and noises at the bound of their transform, in words that name the
 * hyperparameter. */
static void test_hyperparameters_refused(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 6);
    static const rm2_hyperparameter bad[] = {
        {1, true, RM2_PRIOR_GAMMA, -0.5, 2},         {1, true, RM2_PRIOR_GAMMA, 2, 0},
        {1, true, RM2_PRIOR_GAMMA, NAN, 2},          {1, true, RM2_PRIOR_GAMMA, 2, INFINITY},
        {1, true, RM2_PRIOR_LOGNORMAL, 0, 0},        {1, true, RM2_PRIOR_LOGNORMAL, 0, NAN},
        {1, true, RM2_PRIOR_LOGNORMAL, INFINITY, 1}, {0, true, RM2_PRIOR_NONE, 0, 0},
        {-1, false, RM2_PRIOR_NONE, 0, 0},
    };
    rm2_model *model;
    for (size_t k = 0; k < 7 * sizeof bad / sizeof *bad; k++) {
        rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
        const struct {
            rm2_hyperparameter *setting;
            const char *name;
        } all[] = {{&s.lengthscale, "settings.lengthscale"},
                   {&s.variance, "settings.variance"},
                   {&s.noise_variance, "settings.noise_variance"},
                   {&s.task_noise, "settings.task_noise"},
                   {&s.gpdm_lengthscale, "settings.gpdm_lengthscale"},
                   {&s.gpdm_variance, "settings.gpdm_variance"},
                   {&s.gpdm_noise, "settings.gpdm_noise"}};
        *all[k % 7].setting = bad[k / 7];
        if ((k % 7 == 0 || k % 7 >= 5) && bad[k / 7].start == 0)
            continue; /* from the data */
        assert_int_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_ERR_ARGUMENT);
        assert_null(model);
        if (!strstr(rm2_context_error(ctx), all[k % 7].name))
            fail_msg("%s: %s", all[k % 7].name, rm2_context_error(ctx));
    }
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
    s.noise_variance.start = s.noise_bound;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_ERR_ARGUMENT);
    assert_non_null(
        strstr(rm2_context_error(ctx), "settings.noise_variance.start is 1e-08, expected"));
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variants),         cmocka_unit_test(test_on_and_off_the_manifold),
        cmocka_unit_test(test_other_manifolds),  cmocka_unit_test(test_seed),
        cmocka_unit_test(test_base_point),       cmocka_unit_test(test_given_start),
        cmocka_unit_test(test_settings_refused), cmocka_unit_test(test_hyperparameters_refused),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
