/* Every allocation of the model layer fails once: the call answers RM2_ERR_MEMORY, hands out
 * nothing, leaves no file and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <omp.h>

#include "failing_malloc.h"
#include "riemann2/model.h"

/* ---- calls under test ----------------------------------------------------------------------- */

enum { DEMOS = 2, POINTS = 3, N = DEMOS * POINTS, D = 5, M = 4, Q = 2 };

struct fixture {
    rm2_context *ctx;
    rm2_data *data, *labelled;
    rm2_fit_settings settings;
    rm2_model *plain, *back; /* back: with a back constraint and noise an output */
    char folder[32], path[64], checkpoint[64];
};

static rm2_status fit(fixture *f, const rm2_data *data, const rm2_checkpoint *checkpoint) {
    rm2_model *model;
    rm2_status status = rm2_fit(f->ctx, data, &f->settings, checkpoint, NULL, NULL, &model);
    assert_true((status == RM2_OK) == (model != NULL));
    rm2_model_free(model);
    return status;
}

static rm2_status fit_data(fixture *f) {
    return fit(f, f->data, NULL);
}

static rm2_status fit_labelled(fixture *f) {
    return fit(f, f->labelled, NULL);
}

/* With a checkpoint: none there at the start, then the one of the run that succeeds. */
static rm2_status fit_and_save(fixture *f) {
    rm2_checkpoint checkpoint = {f->checkpoint, 0, false};
    (void)remove(f->checkpoint);
    return fit(f, f->data, &checkpoint);
}

static rm2_status resume(fixture *f) {
    rm2_checkpoint checkpoint = {f->checkpoint, 1e9, true};
    return fit(f, f->data, &checkpoint);
}

static rm2_status write_file(fixture *f, const rm2_model *model) {
    (void)remove(f->path);
    rm2_status status = rm2_model_write(f->ctx, model, f->path, false);
    assert_true((status == RM2_OK) == (access(f->path, F_OK) == 0));
    return status;
}

static rm2_status write_plain(fixture *f) {
    return write_file(f, f->plain);
}

static rm2_status write_back(fixture *f) {
    return write_file(f, f->back);
}

static rm2_status read_file(fixture *f) {
    rm2_model *model;
    rm2_status status = rm2_model_read(f->ctx, f->path, &model);
    assert_true((status == RM2_OK) == (model != NULL));
    rm2_model_free(model);
    return status;
}

static const double latents[2 * Q] = {0.1, -0.2, 0.3, 0.4};

static rm2_status decode(fixture *f) {
    double points[2 * D], covariance[2 * M * M], deviation[2];
    return rm2_model_decode(f->ctx, f->plain, 2, latents, points, NULL, covariance, deviation);
}

static rm2_status reconstruct(fixture *f) {
    double ambient, outputs;
    return rm2_model_reconstruction(f->ctx, f->plain, &ambient, &outputs);
}

static rm2_status encode(fixture *f) {
    double x[2 * Q], covariance[2 * Q * Q];
    rm2_encoded info[2];
    return rm2_model_encode(f->ctx, f->plain, NULL, 2, f->data->points, x, covariance, info);
}

static rm2_status encode_back(fixture *f) {
    double x[2 * Q];
    return rm2_model_encode(f->ctx, f->back, NULL, 2, f->data->points, x, NULL, NULL);
}

static rm2_status sample(fixture *f) {
    double points[3 * 2 * D];
    return rm2_model_sample(f->ctx, f->plain, 2, latents, 3, true, points);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static fixture shared;

static void use_back_constraint(rm2_fit_settings *s) {
    s->noise = RM2_NOISE_PER_OUTPUT;
    s->task = RM2_TASK_LEARNED;
    s->back_constraint = true;
    s->gpdm_weight = 1;
}

static int set_up(void **state) {
    fixture *f = *state = &shared;
    omp_set_num_threads(1); /* BLAS: these matrices are too small to share, waiting costs time */
    rm2_generate_settings toy = {.trajectories = DEMOS, .points = POINTS}, set = {.points = N};
    (void)strcpy(f->folder, "/tmp/rm2-test-model-XXXXXX");
    if (!mkdtemp(f->folder) || rm2_context_create(&f->ctx) != RM2_OK)
        return -1;
    (void)snprintf(f->path, sizeof f->path, "%s/model", f->folder);
    (void)snprintf(f->checkpoint, sizeof f->checkpoint, "%s/checkpoint", f->folder);
    rm2_context_set_threads(f->ctx, 1);
    f->settings = rm2_fit_settings_recipe(RM2_RECIPE_ROBUST);
    f->settings.optim.max_iterations = 2;
    rm2_fit_settings back = f->settings;
    use_back_constraint(&back);
    return rm2_generate(f->ctx, "toy", &toy, &f->data) == RM2_OK &&
                   rm2_generate(f->ctx, "connectome", &set, &f->labelled) == RM2_OK &&
                   rm2_fit(f->ctx, f->data, &f->settings, NULL, NULL, NULL, &f->plain) == RM2_OK &&
                   rm2_fit(f->ctx, f->data, &back, NULL, NULL, NULL, &f->back) == RM2_OK &&
                   rm2_model_write(f->ctx, f->plain, f->path, true) == RM2_OK
               ? 0
               : -1;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rm2_model_free(f->plain);
    rm2_model_free(f->back);
    rm2_data_free(f->data);
    rm2_data_free(f->labelled);
    rm2_context_free(f->ctx);
    (void)remove(f->path);
    (void)remove(f->checkpoint);
    return rmdir(f->folder);
}

static void training(void **state) {
    fixture *f = *state;
    rm2_fit_settings keep = f->settings;
    assert_true(fail_each(f->ctx, f, fit_data) >= 30);
    assert_true(fail_each(f->ctx, f, fit_labelled) >= 30);
    use_back_constraint(&f->settings);
    assert_true(fail_each(f->ctx, f, fit_data) >= 35);
    f->settings.model = RM2_GPLVM;
    f->settings.optim.method = RM2_ADAM;
    f->settings.init = RM2_INIT_PCA;
    assert_true(fail_each(f->ctx, f, fit_data) >= 30);
    f->settings = keep;
}

static void checkpoints(void **state) {
    fixture *f = *state;
    assert_true(fail_each(f->ctx, f, fit_and_save) >= 35);
    assert_true(fail_each(f->ctx, f, resume) >= 35);
}

static void files(void **state) {
    fixture *f = *state;
    assert_true(fail_each(f->ctx, f, write_plain) >= 2);
    assert_true(fail_each(f->ctx, f, read_file) >= 20);
    assert_true(fail_each(f->ctx, f, write_back) >= 3);
    assert_true(fail_each(f->ctx, f, read_file) >= 20);
}

static void prediction(void **state) {
    fixture *f = *state;
    assert_true(fail_each(f->ctx, f, decode) >= 3);
    assert_true(fail_each(f->ctx, f, reconstruct) >= 3);
    assert_true(fail_each(f->ctx, f, encode) >= 6);
    assert_true(fail_each(f->ctx, f, encode_back) >= 6);
    assert_true(fail_each(f->ctx, f, sample) >= 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training),
        cmocka_unit_test(checkpoints),
        cmocka_unit_test(files),
        cmocka_unit_test(prediction),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
