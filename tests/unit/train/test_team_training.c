/* Training by a team: the model has the bits of one process, for any number of ranks; checkpoints of some ranks are
 * resumed by others; what cannot be divided is refused; failures and interrupts end all ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "riemann2/fit.h"
#include "thread_team.h"

enum { DEMOS = 12, POINTS = 60 };

static rm2_fit_settings settings(rm2_recipe recipe, size_t iterations) {
    rm2_fit_settings s = rm2_fit_settings_recipe(recipe);
    s.inference = RM2_INFERENCE_INDUCING;
    s.inducing = 30;
    s.init = RM2_INIT_TANGENT;
    s.optim.max_iterations = iterations;
    return s;
}

static rm2_model *fit_by(int ranks, const rm2_data *data, const rm2_fit_settings *s,
                         const rm2_checkpoint *checkpoint) {
    thread_team *team = start_thread_team(ctx, ranks);
    rm2_model *model = fit_model_with(data, s, checkpoint);
    end_thread_team(team);
    return model;
}

static void assert_same_model(const rm2_model *a, const rm2_model *b) {
    const rm2_model_info *i = rm2_model_info_of(a), *k = rm2_model_info_of(b);
    assert_int_equal(i->training.iterations, k->training.iterations);
    assert_int_equal(i->training.evaluations, k->training.evaluations);
    assert_int_equal(i->training.stop, k->training.stop);
    assert_memory_equal(i->latents, k->latents, i->points * i->latent_dim * sizeof(double));
    assert_memory_equal(i->task_covariance, k->task_covariance,
                        i->outputs * i->outputs * sizeof(double));
    assert_memory_equal(i->training.trace, k->training.trace,
                        (i->training.iterations + 1) * sizeof(double));
    assert_memory_equal(&i->training.start, &k->training.start, sizeof i->training.start);
    assert_memory_equal(&i->training.end, &k->training.end, sizeof i->training.end);
    assert_memory_equal(&i->training.likelihood, &k->training.likelihood,
                        sizeof i->training.likelihood);
    assert_memory_equal(&i->training.dynamics, &k->training.dynamics, sizeof i->training.dynamics);
    assert_int_equal(i->inducing, k->inducing);
    assert_memory_equal(i->inducing_inputs, k->inducing_inputs,
                        i->inducing * i->latent_dim * sizeof(double));
}

/* The posterior is made of sums over the points of all ranks. */
static void assert_same_predictions(const rm2_model *a, const rm2_model *b) {
    const rm2_model_info *i = rm2_model_info_of(a);
    size_t n = 7, D = rm2_manifold_ambient(i->manifold), M = i->outputs;
    double *points = numbers(2 * n * D), *covariances = numbers(2 * n * M * M);
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(rm2_model_decode(ctx, k ? b : a, n, i->latents, points + k * n * D, NULL,
                                          covariances + k * n * M * M, NULL),
                         RM2_OK);
    assert_memory_equal(points, points + n * D, n * D * sizeof *points);
    assert_memory_equal(covariances, covariances + n * M * M, n * M * M * sizeof *covariances);
    free(points);
    free(covariances);
}

/* And that of a file has the same bits. */
static void assert_same_from_file(const rm2_model *model) {
    void *bytes;
    size_t size;
    rm2_model *read;
    assert_int_equal(rm2_model_to_bytes(ctx, model, &bytes, &size), RM2_OK);
    assert_int_equal(rm2_model_from_bytes(ctx, bytes, size, NULL, &read), RM2_OK);
    assert_same_predictions(model, read);
    rm2_model_free(read);
    rm2_free(bytes);
}

static void any_number_of_ranks_trains_the_same_model(void **state) {
    (void)state;
    rm2_data *data = example_data("robot", DEMOS, POINTS);
    static const rm2_recipe recipes[] = {RM2_RECIPE_ROBUST, RM2_RECIPE_MAP};
    for (size_t k = 0; k < 2; k++) {
        rm2_fit_settings s = settings(recipes[k], 12);
        rm2_model *alone = fit_by(1, data, &s, NULL);
        assert_int_equal(rm2_model_info_of(alone)->points, DEMOS * POINTS);
        for (int ranks = 2; ranks <= 4; ranks++) {
            rm2_model *model = fit_by(ranks, data, &s, NULL);
            assert_same_model(model, alone);
            assert_same_predictions(model, alone);
            rm2_model_free(model);
        }
        assert_same_from_file(alone);
        check_model(alone);
        rm2_model_free(alone);
    }
    rm2_data_free(data);
}

/* Adam, given inducing points, points without trajectories; several trainings by one team. */
static void other_trainings(void **state) {
    (void)state;
    static const size_t points[] = {3, 500, 77, 611, 300, 250, 140, 419, 9, 33, 81, 690};
    rm2_data *data = example_data("robot", DEMOS, POINTS);
    rm2_data *loose = data_of("R3 x S3", data->count, data->points, false);
    rm2_fit_settings adam = settings(RM2_RECIPE_ROBUST, 6), given = settings(RM2_RECIPE_MAP, 5);
    adam.optim.method = RM2_ADAM;
    given.inducing = sizeof points / sizeof *points;
    given.inducing_points = points;
    given.inducing_free = true;
    rm2_model *one[] = {fit_model(data, &adam), fit_model(data, &given), fit_model(loose, &adam)};
    thread_team *team = start_thread_team(ctx, 3);
    rm2_model *three[] = {fit_model(data, &adam), fit_model(data, &given), fit_model(loose, &adam)};
    end_thread_team(team);
    for (size_t k = 0; k < 3; k++) {
        assert_same_model(three[k], one[k]);
        rm2_model_free(one[k]);
        rm2_model_free(three[k]);
    }
    rm2_data_free(loose);
    rm2_data_free(data);
}

/* 5 iterations by some ranks and a resume to 12 by others are 12 iterations by one. */
static void checkpoints_do_not_depend_on_the_number_of_ranks(void **state) {
    (void)state;
    rm2_data *data = example_data("robot", DEMOS, POINTS);
    static const int before[] = {3, 1, 2}, after[] = {2, 4, 1};
    const rm2_checkpoint checkpoint = {in_folder("state.npz"), 0, true};
    rm2_fit_settings s = settings(RM2_RECIPE_MAP, 12), some = s;
    some.optim.max_iterations = 5;
    rm2_model *whole = fit_model(data, &s);
    for (size_t k = 0; k < 3; k++) {
        rm2_model_free(fit_by(before[k], data, &some, &checkpoint));
        rm2_model *model = fit_by(after[k], data, &s, &checkpoint);
        assert_same_model(model, whole);
        rm2_model_free(model);
        assert_int_equal(unlink(checkpoint.path), 0);
    }
    /* of another training */
    rm2_model_free(fit_by(2, data, &some, &checkpoint));
    rm2_model *model;
    s.gpdm_weight = 0.5;
    thread_team *team = start_thread_team(ctx, 2);
    assert_int_equal(rm2_fit(ctx, data, &s, &checkpoint, &model), RM2_ERR_DATA);
    assert_non_null(strstr(rm2_context_error(ctx), "belongs to a training with other data"));
    end_thread_team(team);
    assert_int_equal(unlink(checkpoint.path), 0);
    rm2_model_free(whole);
    rm2_data_free(data);
}

static bool stop_at_four(void *user, const rm2_progress *progress) {
    (void)user;
    return !progress->row || ((const rm2_fit_progress *)progress->row)->iteration < 4;
}

static void interrupts_end_all_ranks(void **state) {
    (void)state;
    rm2_data *data = example_data("robot", DEMOS, POINTS);
    rm2_fit_settings s = settings(RM2_RECIPE_ROBUST, 50);
    s.optim.relative_decrease = s.optim.gradient = 0;
    rm2_context_set_progress(ctx, stop_at_four, NULL);
    rm2_model *model = fit_by(3, data, &s, NULL);
    rm2_context_set_progress(ctx, NULL, NULL);
    rm2_context_clear_interrupt(ctx);
    assert_int_equal(rm2_model_info_of(model)->training.stop, RM2_STOP_INTERRUPTED);
    assert_int_equal(rm2_model_info_of(model)->training.iterations, 4);
    rm2_model_free(model);
    rm2_data_free(data);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void assert_refused(const rm2_data *data, const rm2_fit_settings *s, rm2_status status,
                           const char *words) {
    rm2_model *model;
    assert_int_equal(rm2_fit(ctx, data, s, NULL, &model), status);
    assert_null(model);
    if (!strstr(rm2_context_error(ctx), words))
        fail_msg("'%s' is not in '%s'", words, rm2_context_error(ctx));
}

static void what_is_not_divided_is_refused(void **state) {
    (void)state;
    rm2_data *data = example_data("robot", DEMOS, POINTS), *two = example_data("robot", 2, 400);
    thread_team *team = start_thread_team(ctx, 3);
    rm2_fit_settings s = settings(RM2_RECIPE_ROBUST, 3);
    s.inference = RM2_INFERENCE_EXACT;
    s.inducing = 0;
    assert_refused(data, &s, RM2_ERR_UNSUPPORTED, "exact inference is not divided");
    s.inference = RM2_INFERENCE_AUTO; /* 720 points: exact */
    assert_refused(data, &s, RM2_ERR_UNSUPPORTED, "inference of these 720 points would be exact");
    s = settings(RM2_RECIPE_ROBUST, 3);
    s.back_constraint = true;
    assert_refused(data, &s, RM2_ERR_UNSUPPORTED, "settings.back_constraint is not divided");
    s = rm2_fit_settings_recipe(RM2_RECIPE_POINTS);
    assert_refused(data, &s, RM2_ERR_UNSUPPORTED, "settings.task integrated is not divided");
    s = settings(RM2_RECIPE_PAPER, 3);
    s.inference = RM2_INFERENCE_AUTO;
    s.inducing = 0;
    assert_refused(data, &s, RM2_ERR_UNSUPPORTED, "settings.noise");
    s = settings(RM2_RECIPE_ROBUST, 3);
    assert_refused(two, &s, RM2_ERR_DATA, "at most 2 ranks, not 3");
    s.inducing = 10000; /* more than there are points: as many as there are */
    rm2_model *model = fit_model(data, &s);
    assert_int_equal(rm2_model_info_of(model)->training.iterations, 3);
    rm2_model_free(model);
    end_thread_team(team);
    rm2_data_free(data);
    rm2_data_free(two);
}

static void roles_are_checked(void **state) {
    (void)state;
    thread_team *team = start_thread_team(ctx, 2);
    assert_int_equal(rm2_communicator_serve(ctx), RM2_ERR_ARGUMENT); /* rank 0 */
    end_thread_team(team);
    assert_int_equal(rm2_communicator_serve(ctx), RM2_OK); /* no team: nothing to do */
    assert_int_equal(rm2_communicator_end(ctx), RM2_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_ranks_trains_the_same_model),
        cmocka_unit_test(other_trainings),
        cmocka_unit_test(checkpoints_do_not_depend_on_the_number_of_ranks),
        cmocka_unit_test(interrupts_end_all_ranks),
        cmocka_unit_test(what_is_not_divided_is_refused),
        cmocka_unit_test(roles_are_checked),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
