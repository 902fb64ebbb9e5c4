/* Model files: what is read is what was written, bit for bit; damaged files are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model_fixture.h"
#include "model_settings.h"
#include "model_variants.h"
#include "riemann2/fit.h"

static void assert_same_text(const char *a, const char *b) {
    assert_true((a == NULL) == (b == NULL));
    if (a)
        assert_string_equal(a, b);
}

static void assert_same_array(const void *a, const void *b, size_t bytes) {
    assert_true((a == NULL) == (b == NULL));
    if (a)
        assert_memory_equal(a, b, bytes);
}

static void assert_same_info(const rm2_model_info *a, const rm2_model_info *b) {
    size_t N = a->points, M = a->outputs, Q = a->latent_dim, d = sizeof(double);
    size_t D = rm2_manifold_ambient(a->manifold), factors = rm2_manifold_factor_count(a->manifold);
    assert_same_text(rm2_manifold_spec(a->manifold), rm2_manifold_spec(b->manifold));
    assert_same_settings(a->settings, b->settings);
    assert_true(N == b->points && M == b->outputs && Q == b->latent_dim);
    assert_int_equal(a->data->trajectories, b->data->trajectories);
    assert_same_array(a->data->starts, b->data->starts,
                      (a->data->trajectories + 1) * sizeof *a->data->starts);
    for (size_t t = 0; t < a->data->trajectories; t++)
        assert_same_text(a->data->ids[t], b->data->ids[t]);
    assert_same_array(a->data->labels, b->data->labels, N * sizeof *a->data->labels);
    assert_int_equal(a->data->label_count, b->data->label_count);
    for (size_t k = 0; k < a->data->label_count; k++)
        assert_same_text(a->data->label_names[k], b->data->label_names[k]);
    assert_same_text(a->data->source, b->data->source);
    assert_same_array(a->latents, b->latents, N * Q * d);
    assert_same_array(a->data->points, b->data->points, N * D * d);
    assert_same_array(a->base, b->base, D * d);
    assert_same_array(a->mean, b->mean, M * d);
    assert_same_array(a->data->scale, b->data->scale, factors * d);
    assert_same_array(a->lengthscale, b->lengthscale, Q * d);
    assert_true(a->variance == b->variance && a->noise == b->noise);
    assert_same_array(a->task_noise, b->task_noise, M * d);
    assert_same_array(a->task_covariance, b->task_covariance, M * M * d);
    assert_memory_equal(a->gpdm, b->gpdm, sizeof a->gpdm);
    assert_memory_equal(&a->training.start, &b->training.start, sizeof a->training.start);
    assert_memory_equal(&a->training.end, &b->training.end, sizeof a->training.end);
    assert_true(a->volume == b->volume && b->training.seconds == 0);
    assert_int_equal(a->training.stop, b->training.stop);
    assert_int_equal(a->training.iterations, b->training.iterations);
    assert_int_equal(a->training.evaluations, b->training.evaluations);
    assert_same_array(a->training.trace, b->training.trace, (a->training.iterations + 1) * d);
}

static void check_round_trip(const rm2_model *model, const double *observations) {
    const char *path = in_folder("model.rm2");
    rm2_model *copy;
    assert_int_equal(rm2_model_write(ctx, model, path, false), RM2_OK);
    assert_int_equal(rm2_model_write(ctx, model, path, false), RM2_ERR_IO); /* there already */
    assert_int_equal(rm2_model_write(ctx, model, path, true), RM2_OK);
    if (rm2_model_read(ctx, path, &copy) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    rm2_model_info a = *rm2_model_info_of(model), b = *rm2_model_info_of(copy);
    assert_same_info(&a, &b);
    size_t M = a.outputs, Q = a.latent_dim, D = rm2_manifold_ambient(a.manifold), n = 3;
    double *block = numbers(2 * n * (D + M + M * M + 1 + Q + Q * Q)), *to[2][6];
    for (size_t k = 0, at = 0; k < 2; k++) {
        const size_t sizes[6] = {D, M, M * M, 1, Q, Q * Q};
        for (size_t j = 0; j < 6; at += n * sizes[j++])
            to[k][j] = block + at;
        const rm2_model *m = k ? copy : model;
        assert_int_equal(
            rm2_model_decode(ctx, m, n, a.latents, to[k][0], to[k][1], to[k][2], to[k][3]), RM2_OK);
        assert_int_equal(rm2_model_encode(ctx, m, NULL, n, observations, to[k][4], to[k][5], NULL),
                         RM2_OK);
    }
    assert_memory_equal(to[0][0], to[1][0], n * (D + M + M * M + 1 + Q + Q * Q) * sizeof *block);
    free(block);
    rm2_model_free(copy);
    assert_int_equal(unlink(path), 0);
}

static void test_files(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 3, 15);
    for (size_t k = 0; k < VARIANTS; k++) {
        rm2_fit_settings s = settings_of(&variants[k], 4);
        s.seed = k == 1 ? UINT64_MAX - 1 : k; /* every seed is kept exactly */
        rm2_model *model = fit_model(data, &s);
        check_round_trip(model, data->points);
        rm2_model_free(model);
    }
    rm2_data_free(data);
    data = example_data("connectome", 0, 8); /* labels, no trajectories */
    rm2_fit_settings s = robust_settings(2);
    rm2_model *model = fit_model(data, &s);
    check_round_trip(model, data->points);
    rm2_model_free(model);
    rm2_data_free(data);
}

static unsigned char *slurp(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    *size = (size_t)ftell(f);
    rewind(f);
    unsigned char *bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, f), *size);
    assert_int_equal(fclose(f), 0);
    return bytes;
}

static void assert_refused(const char *path, const unsigned char *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
    rm2_model *model;
    rm2_status status = rm2_model_read(ctx, path, &model);
    assert_true(status == RM2_ERR_FORMAT || status == RM2_ERR_IO);
    assert_null(model);
    assert_non_null(strstr(rm2_context_error(ctx), "broken"));
}

static void test_damaged_files(void **state) {
    (void)state;
    rm2_data *data = example_data("toy", 2, 8);
    rm2_fit_settings s = robust_settings(3);
    rm2_model *model = fit_model(data, &s), *none;
    const char *path = in_folder("broken");
    assert_int_equal(rm2_model_write(ctx, model, path, true), RM2_OK);
    size_t size;
    unsigned char *bytes = slurp(path, &size);
    for (size_t k = 0; k < 20; k++)
        assert_refused(path, bytes, k < 10 ? k * 60 : size - 1 - (k - 10) * size / 11);
    free(bytes);
    assert_int_equal(unlink(path), 0);
    /* a checkpoint is no model, nor is a model a checkpoint */
    rm2_checkpoint checkpoint = {in_folder("checkpoint"), 1e9, true};
    rm2_model_free(fit_model_with(data, &s, &checkpoint));
    assert_int_equal(rm2_model_read(ctx, checkpoint.path, &none), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(ctx), "not a model"));
    assert_null(none);
    assert_int_equal(rm2_model_write(ctx, model, checkpoint.path, true), RM2_OK);
    assert_int_equal(rm2_fit(ctx, data, &s, &checkpoint, &none), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(ctx), "not a checkpoint"));
    assert_null(none);
    assert_int_equal(unlink(checkpoint.path), 0);
    assert_int_equal(rm2_model_read(ctx, in_folder("nowhere"), &none), RM2_ERR_IO);
    assert_null(none);
    rm2_model_free(model);
    rm2_data_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_damaged_files),
    };
    return cmocka_run_group_tests(tests, model_set_up, model_tear_down);
}
