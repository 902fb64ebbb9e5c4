/* Every allocation of more demonstrations for a model fails once: the call answers RM2_ERR_MEMORY and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>

#include "failing_malloc.h"
#include "riemann2/fit.h"

static rm2_context *ctx;
static rm2_data *data, *moved; /* as the model has them; further on: another motion */
static rm2_model *model;

static int set_up(void **state) {
    rm2_generate_settings g = rm2_generate_settings_default();
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    (void)state;
    omp_set_num_threads(1);
    if (rm2_context_create(&ctx) != RM2_OK)
        return -1;
    rm2_context_set_threads(ctx, 1);
    g.trajectories = 2;
    g.points = 5;
    g.scale = true;
    s.latent_dim = 1;
    s.optim.max_iterations = 1;
    bool made = rm2_data_generate(ctx, "toy", &g, &data) == RM2_OK &&
                rm2_fit(ctx, data, &s, NULL, &model) == RM2_OK;
    if (!made)
        return -1;
    double points[50];
    rm2_data_original(data, points);
    for (size_t i = 0; i < data->count; i++)
        points[5 * i] += 0.7;
    const rm2_data_arrays arrays = {.size = sizeof arrays,
                                    .manifold = data->manifold,
                                    .source = "moved",
                                    .count = data->count,
                                    .points = points,
                                    .trajectories = data->trajectories,
                                    .starts = data->starts};
    return rm2_data_create(ctx, &arrays, NULL, &moved, NULL, NULL) == RM2_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    rm2_model_free(model);
    rm2_data_free(data);
    rm2_data_free(moved);
    rm2_context_free(ctx);
    return 0;
}

static rm2_status add(void *more_data) {
    rm2_added added[2] = {{.size = sizeof *added}};
    rm2_model *more;
    rm2_status status = rm2_fit_add(ctx, model, more_data, NULL, added, &more);
    assert_true(status != RM2_OK || added->apart == (more_data == moved));
    if (status != RM2_OK)
        assert_null(more);
    rm2_model_free(more);
    return status;
}

static void addition(void **state) {
    (void)state;
    assert_true(fail_each_allocation(ctx, add, data) >= 40);
    assert_true(fail_each_allocation(ctx, add, moved) >= 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(addition)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
