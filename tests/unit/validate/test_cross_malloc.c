/* Every allocation of a cross-validation fails once: the call answers RM2_ERR_MEMORY and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include <omp.h>

#include "failing_malloc.h"
#include "riemann2/cross.h"

static const char FILE_NAME[] = "test_cross_malloc.csv";

static rm2_context *ctx;
static rm2_data *data;

static int set_up(void **state) {
    rm2_generate_settings s = rm2_generate_settings_default();
    (void)state;
    omp_set_num_threads(1);
    if (rm2_context_create(&ctx) != RM2_OK)
        return -1;
    rm2_context_set_threads(ctx, 1);
    s.trajectories = 2;
    s.points = 4;
    s.scale = true;
    return rm2_data_generate(ctx, "toy", &s, &data) == RM2_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    (void)remove(FILE_NAME);
    rm2_data_free(data);
    rm2_context_free(ctx);
    return 0;
}

static rm2_status validate(void *resume) {
    const rm2_checkpoint file = {FILE_NAME, 1e9, resume != NULL};
    rm2_fit_settings fit = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    rm2_cross_settings s = rm2_cross_settings_default();
    const rm2_fit_settings *candidates[] = {&fit};
    rm2_cross *cross;
    fit.latent_dim = 1;
    fit.init = RM2_INIT_PCA;
    fit.optim.max_iterations = 1;
    s.motion = false;
    rm2_status status = rm2_cross_validate(ctx, data, &s, 1, candidates, &file, &cross);
    if (status != RM2_OK)
        assert_null(cross);
    rm2_cross_free(cross);
    return status;
}

static void jobs(void **state) {
    (void)state;
    assert_true(fail_each_allocation(ctx, validate, NULL) >= 60);
}

/* All from the file, which the other test has left. */
static void resumed(void **state) {
    (void)state;
    long count = fail_each_allocation(ctx, validate, ctx);
    assert_true(count >= 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs), cmocka_unit_test(resumed)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
