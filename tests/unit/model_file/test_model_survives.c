/* Data that are hardly data: few, equal, constant, huge and tiny. A model of them is sound in all
 * it says, or refused with a sentence. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "riemann2/fit.h"

/* Trained and sound in all it says, encodes and draws; or refused with a sentence. Outputs beyond
 * the range of an exponential map (a matrix e^1e26) are refused where they are decoded. */
static void check_survives(const char *name, const rm2_data *data, const rm2_fit_settings *s,
                           bool must_train) {
    rm2_model *model;
    rm2_status status = rm2_fit(ctx, data, s, NULL, &model);
    if (status != RM2_OK) {
        print_message("%s: %s\n", name, rm2_context_error(ctx));
        assert_null(model);
        assert_true(!must_train && rm2_context_error(ctx)[0]);
        return;
    }
    rm2_model_info i = *rm2_model_info_of(model);
    size_t N = i.points, Q = i.latent_dim, D = rm2_manifold_ambient(i.manifold);
    double *x = numbers(N * Q), *cov = numbers(N * Q * Q), *points = numbers(2 * N * D);
    status = rm2_model_decode(ctx, model, N, i.latents, points, NULL, NULL, NULL);
    if (status == RM2_OK)
        check_model(model);
    else
        print_message("%s, decoding: %s\n", name, rm2_context_error(ctx));
    assert_true(status == RM2_OK || (!must_train && status == RM2_ERR_NUMERIC));
    rm2_data_original(rm2_model_info_of(model)->data, points);
    if (rm2_model_encode(ctx, model, NULL, N, points, x, cov, NULL) != RM2_OK)
        fail_msg("%s, encoding: %s", name, rm2_context_error(ctx));
    assert_finite(N * Q, x);
    assert_finite(N * Q * Q, cov);
    status = rm2_model_sample(ctx, model, N, i.latents, 2, true, points);
    if (status == RM2_OK)
        assert_finite(2 * N * D, points);
    else if (must_train)
        fail_msg("%s, draws: %s", name, rm2_context_error(ctx));
    else
        print_message("%s, draws: %s\n", name, rm2_context_error(ctx));
    free(x);
    free(cov);
    free(points);
    rm2_model_free(model);
}

static void survives_recipes(const char *name, const rm2_data *data, size_t latent_dim) {
    static const rm2_recipe recipes[] = {RM2_RECIPE_ROBUST, RM2_RECIPE_MAP, RM2_RECIPE_PAPER};
    for (int k = 0; k < 3; k++) {
        rm2_fit_settings s = rm2_fit_settings_recipe(recipes[k]);
        s.optim.max_iterations = 15;
        s.latent_dim = latent_dim;
        if (data->trajectories == 0)
            s.gpdm_weight = 0;
        check_survives(name, data, &s, true);
        if (k == 0) {
            s.kernel = RM2_LATENT_MATERN52;
            s.back_constraint = true;
            check_survives(name, data, &s, false);
        }
    }
}

/* More latent dimensions than points are refused before anything is done. */
static void refuses_dimensions(const rm2_data *data, size_t latent_dim) {
    rm2_fit_settings s = robust_settings(3);
    rm2_model *model;
    rm2_fit_plan *plan;
    s.latent_dim = latent_dim;
    s.gpdm_weight = 0;
    assert_int_equal(rm2_fit_check(ctx, data, &s), RM2_ERR_ARGUMENT);
    assert_int_equal(rm2_fit_plan_create(ctx, data, &s, &plan), RM2_ERR_ARGUMENT);
    assert_null(plan);
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_ERR_ARGUMENT);
    assert_null(model);
    assert_non_null(strstr(rm2_context_error(ctx), "more latent dimensions than points"));
}

static void test_few_points(void **state) {
    (void)state;
    rm2_data *toy = example_data("toy", 1, 12);
    for (int trajectory = 0; trajectory < 2; trajectory++)
        for (size_t Q = 1; Q <= 2; Q++) {
            rm2_data *two = data_of("R2 x S2", 2, toy->points, trajectory);
            survives_recipes("two points", two, Q);
            refuses_dimensions(two, Q + 2);
            rm2_data_free(two);
        }
    rm2_data *five = data_of("R2 x S2", 5, toy->points, true);
    survives_recipes("Q above M, as many as N", five, 5);
    refuses_dimensions(five, 6);
    rm2_data_free(five);
    double line[6] = {0, 1, 2, 3, 5, 4};
    rm2_data *flat = data_of("R1", 6, line, false);
    survives_recipes("Q above M", flat, 3);
    rm2_data_free(flat);
    rm2_model *model;
    rm2_fit_settings s = robust_settings(3);
    rm2_data *one = data_of("R2 x S2", 1, toy->points, false);
    assert_int_equal(rm2_fit(ctx, one, &s, NULL, &model), RM2_ERR_DATA);
    assert_null(model);
    rm2_data_free(one);
    rm2_data_free(toy);
}

/* Other points in the place of the toy's. */
static void survives_points(const char *name, const rm2_data *toy, const double *points) {
    rm2_data *data = data_like(toy, points, false);
    survives_recipes(name, data, 2);
    rm2_data_free(data);
}

static void test_duplicates_and_constants(void **state) {
    (void)state;
    rm2_data *toy = example_data("toy", 2, 12);
    double y[24 * 5];
    memcpy(y, toy->points, sizeof y);
    memcpy(y + 5 * 5, y + 4 * 5, 5 * sizeof *y);
    memcpy(y + 20 * 5, y + 4 * 5, 5 * sizeof *y);
    survives_points("duplicates", toy, y);
    for (size_t n = 0; n < 24; n++)
        memmove(y + n * 5, y + n / 8 * 40, 5 * sizeof *y);
    survives_points("three different points", toy, y);
    memcpy(y, toy->points, sizeof y);
    for (size_t n = 0; n < 24; n++)
        y[n * 5] = 3;
    survives_points("a constant column", toy, y);
    for (size_t n = 0; n < 24; n++)
        memmove(y + n * 5 + 2, y + 2, 3 * sizeof *y);
    survives_points("a constant factor", toy, y);
    rm2_data_free(toy);
}

static void test_nothing_to_learn(void **state) {
    (void)state;
    rm2_data *toy = example_data("toy", 2, 12);
    double y[24 * 5];
    for (size_t n = 0; n < 24; n++)
        memcpy(y + n * 5, toy->points, 5 * sizeof *y);
    rm2_data *same = data_like(toy, y, false);
    static const rm2_recipe recipes[] = {RM2_RECIPE_ROBUST, RM2_RECIPE_MAP, RM2_RECIPE_PAPER};
    for (int k = 0; k < 6; k++) {
        rm2_fit_settings s = rm2_fit_settings_recipe(recipes[k % 3]);
        s.model = k < 3 ? RM2_WGPLVM : RM2_GPLVM;
        rm2_model *model;
        assert_int_equal(rm2_fit(ctx, same, &s, NULL, &model), RM2_ERR_DATA);
        assert_null(model);
        if (!strstr(rm2_context_error(ctx), "nothing to learn"))
            fail_msg("%s", rm2_context_error(ctx));
    }
    rm2_data_free(same);
    rm2_data_free(toy);
}

/* Matrices and positions of size 1e-26 and 1e26: the affine-invariant distance knows no scale. */
static void test_wild_scales(void **state) {
    (void)state;
    static const double sizes[] = {1e-26, 1e26, 1e-100, 1e100};
    rm2_data *example = example_data("manipulability", 2, 12);
    for (int k = 0; k < 4; k++)
        for (int scaled = 0; scaled < 2; scaled++) {
            double y[24 * 6];
            for (size_t i = 0; i < 24 * 6; i++)
                y[i] = sizes[k] * example->points[i];
            rm2_data *data = data_like(example, y, scaled);
            static const rm2_recipe recipes[] = {RM2_RECIPE_ROBUST, RM2_RECIPE_MAP,
                                                 RM2_RECIPE_PAPER};
            for (int r = 0; r < 6; r++) {
                rm2_fit_settings s = rm2_fit_settings_recipe(recipes[r % 3]);
                s.optim.max_iterations = 10;
                s.model = r < 3 ? RM2_WGPLVM : RM2_GPLVM;
                char name[64];
                (void)snprintf(name, sizeof name, "size %g, recipe %d%s", sizes[k], r,
                               scaled ? ", scaled" : "");
                check_survives(name, data, &s, false);
            }
            rm2_data_free(data);
        }
    rm2_data_free(example);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_points),
        cmocka_unit_test(test_duplicates_and_constants),
        cmocka_unit_test(test_nothing_to_learn),
        cmocka_unit_test(test_wild_scales),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
