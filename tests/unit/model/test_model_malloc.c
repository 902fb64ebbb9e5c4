/* Every allocation of the model and evaluation layers fails once: the call answers RM2_ERR_MEMORY,
 * hands out nothing, leaves no file and leaks nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failing_malloc.h"
#include "riemann2/eval.h"
#include "riemann2/fit.h"
#include "riemann2/model.h"
#include "riemann2/trajectory.h"
#include "start/start.h"

/* ---- calls under test ----------------------------------------------------------------------- */

enum { DEMOS = 2, POINTS = 3, N = DEMOS * POINTS, D = 5, M = 4, Q = 2 };

typedef struct fixture {
    rm2_context *ctx;
    rm2_data *data, *labelled;
    rm2_fit_settings settings;
    rm2_model *plain, *back; /* back: with a back constraint and noise an output */
    char folder[32], path[64], checkpoint[64];
} fixture;

static rm2_status fit(fixture *f, const rm2_data *data, const rm2_checkpoint *checkpoint) {
    rm2_model *model;
    rm2_status status = rm2_fit(f->ctx, data, &f->settings, checkpoint, &model);
    assert_true((status == RM2_OK) == (model != NULL));
    rm2_model_free(model);
    return status;
}

static rm2_status fit_data(void *state) {
    fixture *f = state;
    return fit(f, f->data, NULL);
}

static rm2_status fit_labelled(void *state) {
    fixture *f = state;
    return fit(f, f->labelled, NULL);
}

/* With a checkpoint: none there at the start, then the one of the run that succeeds. */
static rm2_status fit_and_save(void *state) {
    fixture *f = state;
    rm2_checkpoint checkpoint = {f->checkpoint, 0, false};
    (void)remove(f->checkpoint);
    return fit(f, f->data, &checkpoint);
}

static rm2_status resume(void *state) {
    fixture *f = state;
    rm2_checkpoint checkpoint = {f->checkpoint, 1e9, true};
    return fit(f, f->data, &checkpoint);
}

static rm2_status write_file(fixture *f, const rm2_model *model) {
    (void)remove(f->path);
    rm2_status status = rm2_model_write(f->ctx, model, f->path, false);
    assert_true((status == RM2_OK) == (access(f->path, F_OK) == 0));
    return status;
}

static rm2_status write_plain(void *state) {
    fixture *f = state;
    return write_file(f, f->plain);
}

static rm2_status write_back(void *state) {
    fixture *f = state;
    return write_file(f, f->back);
}

/* Compact, to a file. */
static rm2_status write_compact(void *state) {
    fixture *f = state;
    rm2_model *compact;
    rm2_status status = rm2_model_compact(f->ctx, f->plain, POINTS, &compact);
    assert_true((status == RM2_OK) == (compact != NULL));
    if (status == RM2_OK)
        status = write_file(f, compact);
    rm2_model_free(compact);
    return status;
}

static rm2_status read_file(void *state) {
    fixture *f = state;
    rm2_model *model;
    rm2_status status = rm2_model_read(f->ctx, f->path, &model);
    assert_true((status == RM2_OK) == (model != NULL));
    rm2_model_free(model);
    return status;
}

/* To bytes in memory, and back. */
static rm2_status through_bytes(void *state) {
    fixture *f = state;
    void *bytes;
    size_t size;
    rm2_model *model = NULL;
    rm2_status status = rm2_model_to_bytes(f->ctx, f->plain, &bytes, &size);
    assert_true((status == RM2_OK) == (bytes != NULL));
    if (status == RM2_OK)
        status = rm2_model_from_bytes(f->ctx, bytes, size, NULL, &model);
    assert_true((status == RM2_OK) == (model != NULL));
    rm2_model_free(model);
    rm2_free(bytes);
    return status;
}

static const double latents[2 * Q] = {0.1, -0.2, 0.3, 0.4};

static rm2_status decode(void *state) {
    fixture *f = state;
    double points[2 * D], covariance[2 * M * M], deviation[2];
    return rm2_model_decode(f->ctx, f->plain, 2, latents, points, NULL, covariance, deviation);
}

static rm2_status reconstruct(void *state) {
    fixture *f = state;
    double ambient, outputs;
    return rm2_model_reconstruction(f->ctx, f->plain, &ambient, &outputs);
}

static rm2_status encode(void *state) {
    fixture *f = state;
    double x[2 * Q], covariance[2 * Q * Q];
    rm2_encoded info[2] = {{.size = sizeof *info}};
    return rm2_model_encode(f->ctx, f->plain, NULL, 2, f->data->points, x, covariance, info);
}

static rm2_status encode_together(void *state) {
    fixture *f = state;
    double x[2 * Q];
    const size_t starts[] = {0, 2};
    rm2_encode_settings s = rm2_encode_settings_default();
    s.trajectories = 1;
    s.starts = starts;
    return rm2_model_encode(f->ctx, f->plain, &s, 2, f->data->points, x, NULL, NULL);
}

static rm2_status encode_back(void *state) {
    fixture *f = state;
    double x[2 * Q];
    return rm2_model_encode(f->ctx, f->back, NULL, 2, f->data->points, x, NULL, NULL);
}

static rm2_status sample(void *state) {
    fixture *f = state;
    double points[3 * 2 * D];
    return rm2_model_sample(f->ctx, f->plain, 2, latents, 3, true, points);
}

static rm2_status score(void *state) {
    fixture *f = state;
    rm2_score each[DEMOS] = {{.size = sizeof *each}}, total = {.size = sizeof total};
    return rm2_model_score(f->ctx, f->plain, NULL, f->data, NULL, each, &total);
}

static rm2_status calibrate(void *state) {
    fixture *f = state;
    rm2_calibration c = {.size = sizeof c};
    return rm2_model_calibration(
        f->ctx, f->plain, &(rm2_calibration_points){2, latents, f->data->points, NULL, NULL, false},
        &c);
}

static rm2_status compare(void *state) {
    fixture *f = state;
    double rows[N * D];
    rm2_sequence s[DEMOS] = {{POINTS, M, rows}, {POINTS, M, rows + (size_t)POINTS * M}};
    rm2_status status =
        rm2_model_view_rows(f->ctx, f->plain, RM2_VIEW_TANGENT, N, f->data->points, rows);
    return status == RM2_OK ? rm2_dtw_floor(f->ctx, NULL, DEMOS, s, NULL, NULL) : status;
}

static rm2_status look_at_points(void *state) {
    fixture *f = state;
    double out[4 * D];
    size_t on;
    rm2_status status =
        rm2_manifold_contains(f->ctx, f->data->manifold, N, f->data->points, NULL, &on);
    if (status == RM2_OK)
        status =
            rm2_trajectory_resample(f->ctx, f->data->manifold, POINTS, f->data->points, 4, out);
    return status;
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
    rm2_generate_settings toy = {.size = sizeof toy, .trajectories = DEMOS, .points = POINTS},
                          set = {.size = sizeof set, .points = N};
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
    return rm2_data_generate(f->ctx, "toy", &toy, &f->data) == RM2_OK &&
                   rm2_data_generate(f->ctx, "connectome", &set, &f->labelled) == RM2_OK &&
                   rm2_fit(f->ctx, f->data, &f->settings, NULL, &f->plain) == RM2_OK &&
                   rm2_fit(f->ctx, f->data, &back, NULL, &f->back) == RM2_OK &&
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

static long fail_each(fixture *f, allocating_fn call) {
    return fail_each_allocation(f->ctx, call, f);
}

static void training(void **state) {
    fixture *f = *state;
    rm2_fit_settings keep = f->settings;
    assert_true(fail_each(f, fit_data) >= 30);
    assert_true(fail_each(f, fit_labelled) >= 30);
    use_back_constraint(&f->settings);
    assert_true(fail_each(f, fit_data) >= 35);
    f->settings.model = RM2_GPLVM;
    f->settings.optim.method = RM2_ADAM;
    f->settings.init = RM2_INIT_PCA;
    assert_true(fail_each(f, fit_data) >= 30);
    f->settings = keep;
}

static void checkpoints(void **state) {
    fixture *f = *state;
    assert_true(fail_each(f, fit_and_save) >= 35);
    assert_true(fail_each(f, resume) >= 35);
}

static void files(void **state) {
    fixture *f = *state;
    assert_true(fail_each(f, write_plain) >= 2);
    assert_true(fail_each(f, read_file) >= 20);
    assert_true(fail_each(f, write_back) >= 3);
    assert_true(fail_each(f, through_bytes) >= 22);
    assert_true(fail_each(f, read_file) >= 20);
}

static void prediction(void **state) {
    fixture *f = *state;
    assert_true(fail_each(f, decode) >= 3);
    assert_true(fail_each(f, reconstruct) >= 3);
    assert_true(fail_each(f, encode) >= 6);
    assert_true(fail_each(f, encode_together) >= 6);
    assert_true(fail_each(f, encode_back) >= 6);
    assert_true(fail_each(f, sample) >= 2);
}

static void evaluation(void **state) {
    fixture *f = *state;
    assert_true(fail_each(f, score) >= 8);
    assert_true(fail_each(f, calibrate) >= 2);
    assert_true(fail_each(f, compare) >= 5);
    assert_true(fail_each(f, look_at_points) >= 4);
}

static rm2_status start_from_landmarks(void *state) {
    fixture *f = state;
    double F[40 * 2], X[40 * Q];
    rm2i_isomap_settings s = {.neighbours = 3, .time_weight = 0, .landmarks = 10};
    for (size_t i = 0; i < 80; i++)
        F[i] = (double)(i * 37 % 80);
    return rm2i_start_isomap(f->ctx, &s, &(rm2i_start_data){40, 2, F, 0, NULL, NULL, NULL}, Q, X);
}

static void inducing_points(void **state) {
    fixture *f = *state;
    rm2_fit_settings keep = f->settings;
    rm2_model *plain = f->plain;
    f->settings.inference = RM2_INFERENCE_INDUCING;
    f->settings.gpdm_weight = 1;
    f->settings.inducing_points = (const size_t[]){0, 2};
    f->settings.inducing = 2;
    assert_true(fail_each(f, fit_data) >= 50);
    f->settings.inducing_free = true;
    assert_true(fail_each(f, fit_and_save) >= 50);
    f->settings = keep;
    f->settings.inference = RM2_INFERENCE_INDUCING;
    f->settings.gpdm_weight = 1;
    assert_true(fail_each(f, fit_data) >= 50);
    assert_true(fail_each(f, fit_and_save) >= 50);
    assert_true(fail_each(f, resume) >= 50);
    assert_int_equal(rm2_fit(f->ctx, f->data, &f->settings, NULL, &f->plain), RM2_OK);
    assert_true(fail_each(f, write_plain) >= 2);
    assert_true(fail_each(f, read_file) >= 20);
    assert_true(fail_each(f, decode) >= 3);
    assert_true(fail_each(f, write_compact) >= 30);
    assert_true(fail_each(f, read_file) >= 20);
    assert_true(fail_each(f, start_from_landmarks) >= 10);
    rm2_model_free(f->plain);
    f->plain = plain;
    f->settings = keep;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training),   cmocka_unit_test(checkpoints),
        cmocka_unit_test(files),      cmocka_unit_test(prediction),
        cmocka_unit_test(evaluation), cmocka_unit_test(inducing_points),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
