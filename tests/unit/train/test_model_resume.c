/* Progress and interrupts of a training; checkpoints that are resumed bit for bit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "riemann2/fit.h"

typedef struct watcher {
    size_t calls, last, interrupt_at;
    double total;
    rm2_stop stop;
} watcher;

static bool watch(void *user, const rm2_progress *progress) {
    watcher *w = user;
    const rm2_fit_progress *p = progress->row;
    assert_string_equal(progress->activity, "fit");
    if (!p) /* between iterations */
        return true;
    assert_true(progress->done == p->iteration && progress->total == p->max_iterations);
    assert_int_equal(w->stop, RM2_STOP_RUNNING); /* nothing comes after the last row */
    w->calls++;
    w->last = p->iteration;
    w->stop = p->stop;
    w->total = p->terms.total;
    assert_true(isfinite(p->terms.total) && p->gradient >= 0 && p->evaluations > 0);
    return p->iteration != w->interrupt_at;
}

static void test_interrupt(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    rm2_fit_settings s = robust_settings(50);
    s.optim.relative_decrease = s.optim.gradient = 0;
    watcher w = {.interrupt_at = 4};
    rm2_model *model;
    rm2_context_set_progress(ctx, watch, &w);
    rm2_status status = rm2_fit(ctx, data, &s, NULL, &model);
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(status, RM2_OK);
    rm2_model_info i = *rm2_model_info_of(model);
    assert_int_equal(i.training.stop, RM2_STOP_INTERRUPTED);
    assert_int_equal(w.stop, RM2_STOP_INTERRUPTED);
    assert_int_equal(i.training.iterations, 4);
    check_model(model);
    rm2_model_free(model);
    /* without interrupt: one row an iteration, and the reason at the end */
    w = (watcher){.interrupt_at = SIZE_MAX};
    s.optim.max_iterations = 6;
    assert_int_equal(rm2_fit(ctx, data, &s, NULL, &model), RM2_OK);
    rm2_context_set_progress(ctx, NULL, NULL);
    assert_int_equal(w.stop, RM2_STOP_MAX_ITERATIONS);
    assert_true(w.last == 6 && w.calls >= 6 && w.calls <= 7);
    rm2_model_free(model);
    rm2_data_free(data);
}

static void assert_same_training(const rm2_model *a, const rm2_model *b) {
    rm2_model_info i = *rm2_model_info_of(a), k = *rm2_model_info_of(b);
    assert_int_equal(i.training.iterations, k.training.iterations);
    assert_int_equal(i.training.evaluations, k.training.evaluations);
    assert_int_equal(i.training.stop, k.training.stop);
    assert_memory_equal(i.latents, k.latents, i.points * i.latent_dim * sizeof(double));
    assert_memory_equal(i.task_covariance, k.task_covariance,
                        i.outputs * i.outputs * sizeof(double));
    assert_memory_equal(i.training.trace, k.training.trace,
                        (i.training.iterations + 1) * sizeof(double));
    assert_memory_equal(&i.training.start, &k.training.start, sizeof i.training.start);
    assert_memory_equal(&i.training.end, &k.training.end, sizeof i.training.end);
}

/* 7 iterations and a resume to 40 are 40 iterations, bit for bit. */
static void test_resume(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12), *other = example_data("toy", 2, 13);
    static const rm2_recipe recipes[] = {RM2_RECIPE_ROBUST, RM2_RECIPE_MAP, RM2_RECIPE_PAPER};
    for (int k = 0; k < 3; k++) { /* L-BFGS, L-BFGS, Adam */
        rm2_fit_settings s = rm2_fit_settings_recipe(recipes[k]);
        rm2_checkpoint checkpoint = {in_folder("checkpoint"), k == 1 ? 0 : 1e9, true};
        s.optim.relative_decrease = k == 2 ? s.optim.relative_decrease : 0;
        s.optim.gradient = 0;
        s.optim.max_iterations = 40;
        rm2_model *whole = fit_model(data, &s), *rest, *refused;
        s.optim.max_iterations = 7;
        rm2_model *part = fit_model_with(data, &s, &checkpoint); /* nothing there to resume yet */
        assert_int_equal(rm2_model_info_of(part)->training.iterations, 7);
        s.optim.max_iterations = 40;
        rest = fit_model_with(data, &s, &checkpoint);
        assert_same_training(whole, rest);
        /* fewer iterations than are done, other data, other settings */
        s.optim.max_iterations = 5;
        assert_int_equal(rm2_fit(ctx, data, &s, &checkpoint, &refused), RM2_ERR_DATA);
        s.optim.max_iterations = 40;
        assert_int_equal(rm2_fit(ctx, other, &s, &checkpoint, &refused), RM2_ERR_DATA);
        assert_non_null(strstr(rm2_context_error(ctx), "other data or settings"));
        s.lengthscale.start = 0.77;
        assert_int_equal(rm2_fit(ctx, data, &s, &checkpoint, &refused), RM2_ERR_DATA);
        assert_null(refused);
        assert_int_equal(unlink(checkpoint.path), 0);
        rm2_model_free(whole);
        rm2_model_free(part);
        rm2_model_free(rest);
    }
    rm2_data_free(data);
    rm2_data_free(other);
}

/* The same points in other trajectories are other data, since the dynamics see them. */
static void test_resume_sees_trajectories(void **state) {
    (void)state;
    rm2_data *toy = example_data("toy", 2, 12), *data = data_like(toy, toy->points, false), *other;
    rm2_fit_settings s = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
    rm2_checkpoint checkpoint = {in_folder("checkpoint"), 1e9, true};
    s.optim.max_iterations = 3;
    rm2_model_free(fit_model_with(data, &s, &checkpoint));
    const size_t starts[] = {0, 7, data->count};
    rm2_data_arrays arrays = {.size = sizeof arrays,
                              .manifold = data->manifold,
                              .count = data->count,
                              .points = toy->points,
                              .trajectories = 2,
                              .starts = starts};
    rm2_data_settings plain = rm2_data_settings_default();
    plain.scale = RM2_SCALE_NONE;
    ok(rm2_data_create(ctx, &arrays, &plain, &other, NULL, NULL));
    rm2_model *refused;
    assert_int_equal(rm2_fit(ctx, other, &s, &checkpoint, &refused), RM2_ERR_DATA);
    assert_memory_equal(other->points, data->points, 24 * 5 * sizeof(double));
    assert_int_equal(unlink(checkpoint.path), 0);
    rm2_data_free(other);
    rm2_data_free(data);
    rm2_data_free(toy);
}

/* A training that had converged stays as it is when resumed. */
static void test_resume_after_the_end(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    rm2_fit_settings s = robust_settings(150);
    rm2_checkpoint checkpoint = {in_folder("checkpoint"), 1e9, true};
    rm2_model *first = fit_model_with(data, &s, &checkpoint);
    assert_int_equal(rm2_model_info_of(first)->training.stop, RM2_STOP_DECREASE);
    rm2_model *again = fit_model_with(data, &s, &checkpoint);
    assert_same_training(first, again);
    assert_int_equal(unlink(checkpoint.path), 0);
    rm2_model_free(first);
    rm2_model_free(again);
    rm2_data_free(data);
}

static void count_warnings(void *count, rm2_log_level level, const char *text) {
    if (level == RM2_LOG_WARNING && strstr(text, "no checkpoint was written"))
        ++*(size_t *)count;
}

/* A place where nothing can be written costs the checkpoints, with one warning, not the training. */
static void test_checkpoint_that_cannot_be_written(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 12);
    rm2_fit_settings s = robust_settings(10);
    rm2_checkpoint checkpoint = {in_folder("missing/checkpoint"), 0, false};
    size_t warnings = 0;
    rm2_model *plain = fit_model_with(data, &s, NULL);
    rm2_context_set_log(ctx, count_warnings, &warnings);
    rm2_model *model = fit_model_with(data, &s, &checkpoint);
    rm2_context_set_log(ctx, NULL, NULL);
    assert_int_equal(warnings, 1);
    assert_same_training(plain, model);
    rm2_model_free(plain);
    rm2_model_free(model);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_resume),
        cmocka_unit_test(test_resume_sees_trajectories),
        cmocka_unit_test(test_resume_after_the_end),
        cmocka_unit_test(test_checkpoint_that_cannot_be_written),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
