/* Every allocation of a training without trajectories fails once: points held out to choose the start and the latent
 * dimension, the prior of latents, the comparison with principal components. Each call answers RM2_ERR_MEMORY, hands out
 * nothing and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_malloc.h"
#include "gp/latent_prior.h"
#include "model/model.h"
#include "riemann2/fit.h"
#include "surface_fixture.h"

enum { N = 8, M = 4, Q = 1 };

typedef struct fixture {
    rm2_data *data;
    rm2_fit_settings settings;
    rm2_model *model;
} fixture;

static rm2_status fit(void *state) {
    fixture *f = state;
    rm2_model *model;
    rm2_status status = rm2_fit(ctx, f->data, &f->settings, NULL, &model);
    assert_true((status == RM2_OK) == (model != NULL));
    rm2_model_free(model);
    return status;
}

static rm2_status choose_latent(void *state) {
    fixture *f = state;
    rm2_latent_choice rows[2];
    size_t tried, chosen;
    return rm2_fit_choose_latent(ctx, f->data, &f->settings, 2, rows, &tried, &chosen);
}

static rm2_status make_prior(void *state) {
    fixture *f = state;
    rm2i_latent_prior *prior;
    rm2_status status = rm2i_latent_prior_create(ctx, N, Q, f->model->X, 0.01, &prior);
    assert_true((status == RM2_OK) == (prior != NULL));
    rm2i_latent_prior_free(prior);
    return status;
}

static rm2_status compare(void *state) {
    fixture *f = state;
    rm2_fidelity fidelity = {.size = sizeof fidelity};
    return rm2_model_fidelity(ctx, f->model, &fidelity);
}

static rm2_status hold_out(void *state) {
    fixture *f = state;
    rm2_held_out held_out = {.size = sizeof held_out};
    return rm2_model_held_out(ctx, f->model, &held_out);
}

static fixture shared;

static int set_up(void **state) {
    fixture *f = *state = &shared;
    if (create_shared_context(state) != 0)
        return -1;
    *state = f;
    rm2_context_set_threads(ctx, 1);
    f->data = surface(N, M, false);
    f->settings = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    f->settings.latent_dim = Q;
    f->settings.init = RM2_INIT_TANGENT;
    f->settings.optim.max_iterations = 2;
    return rm2_fit(ctx, f->data, &f->settings, NULL, &f->model) == RM2_OK ? 0 : -1;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rm2_model_free(f->model);
    rm2_data_free(f->data);
    return free_shared_context(state);
}

static void comparisons(void **state) {
    fixture *f = *state;
    assert_true(fail_each_allocation(ctx, make_prior, f) >= 3);
    assert_true(fail_each_allocation(ctx, compare, f) >= 4);
    assert_true(fail_each_allocation(ctx, hold_out, f) >= 100);
}

static void choices(void **state) {
    fixture *f = *state;
    f->settings.init = RM2_INIT_AUTO;
    assert_true(fail_each_allocation(ctx, fit, f) >= 100);
    f->settings.init = RM2_INIT_TANGENT;
    assert_true(fail_each_allocation(ctx, choose_latent, f) >= 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(comparisons), cmocka_unit_test(choices)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
