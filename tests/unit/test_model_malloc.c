/* Every allocation of the model layer fails once: the call answers RM2_ERR_MEMORY, hands out
 * nothing, leaves no file and leaks nothing. The program is linked with --wrap for malloc, calloc,
 * realloc and free, which libraries of their own (HDF5, BLAS) do not see; one thread, so that
 * allocations come in a fixed order. */
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

#include "model/init.h"
#include "riemann2/model.h"

/* ---- counting allocator --------------------------------------------------------------------- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static long until_failure = -1; /* allocations that still succeed; negative: all */
enum { MOST_LIVE = 4096 };
static void *blocks[MOST_LIVE]; /* allocated here and not freed */
static long live;

static bool fails_now(void) {
    if (until_failure < 0)
        return false;
    return until_failure-- == 0;
}

static void *count_in(void *block) {
    if (block) {
        if (live == MOST_LIVE)
            abort();
        blocks[live++] = block;
    }
    return block;
}

/* Blocks of the C library (realpath) were never counted. */
static void count_out(const void *block) {
    for (long k = live; block && k-- > 0;)
        if (blocks[k] == block) {
            blocks[k] = blocks[--live];
            return;
        }
}

void *__wrap_malloc(size_t size) {
    return count_in(fails_now() ? NULL : __real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return count_in(fails_now() ? NULL : __real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
    if (fails_now())
        return NULL;
    count_out(old);
    return count_in(__real_realloc(old, size));
}

void __wrap_free(void *block) {
    count_out(block);
    __real_free(block);
}

/* ---- calls under test ----------------------------------------------------------------------- */

enum { DEMOS = 2, POINTS = 3, N = DEMOS * POINTS, D = 5, M = 4, Q = 2 };

typedef struct fixture {
    rm2_context *ctx;
    rm2_data *data, *labelled;
    rm2_fit_settings settings;
    rm2_model *plain, *back; /* back: with a back constraint and noise an output */
    char folder[32], path[64], checkpoint[64];
} fixture;

typedef rm2_status (*call_fn)(fixture *f);

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

/* Fail allocation 0, 1, 2, ... until the call succeeds; returns how many there are. */
static long fail_each(fixture *f, call_fn call) {
    for (long k = 0;; k++) {
        long before = live;
        until_failure = k;
        rm2_status status = call(f);
        bool reached = until_failure < 0;
        until_failure = -1;
        if (live != before)
            fail_msg("allocation %ld: %ld blocks are left", k, live - before);
        if (!reached) {
            assert_int_equal(status, RM2_OK);
            return k;
        }
        if (status != RM2_ERR_MEMORY)
            fail_msg("allocation %ld: status %d, %s", k, (int)status, rm2_context_error(f->ctx));
        if (!strstr(rm2_context_error(f->ctx), "out of memory"))
            fail_msg("allocation %ld: %s", k, rm2_context_error(f->ctx));
    }
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
    assert_true(fail_each(f, read_file) >= 20);
}

static void prediction(void **state) {
    fixture *f = *state;
    assert_true(fail_each(f, decode) >= 3);
    assert_true(fail_each(f, reconstruct) >= 3);
    assert_true(fail_each(f, encode) >= 6);
    assert_true(fail_each(f, encode_back) >= 6);
    assert_true(fail_each(f, sample) >= 2);
}

static rm2_status start_from_landmarks(fixture *f) {
    double F[40 * 2], X[40 * Q];
    rm2i_isomap_settings s = {.neighbours = 3, .time_weight = 0, .landmarks = 10};
    for (size_t i = 0; i < 80; i++)
        F[i] = (double)(i * 37 % 80);
    return rm2i_init_isomap(f->ctx, &s, 40, 2, F, 0, NULL, NULL, Q, X);
}

static void inducing_points(void **state) {
    fixture *f = *state;
    rm2_fit_settings keep = f->settings;
    rm2_model *plain = f->plain;
    f->settings.inference = RM2_INFERENCE_INDUCING;
    f->settings.gpdm_weight = 1;
    assert_true(fail_each(f, fit_data) >= 50);
    assert_true(fail_each(f, fit_and_save) >= 50);
    assert_true(fail_each(f, resume) >= 50);
    assert_int_equal(rm2_fit(f->ctx, f->data, &f->settings, NULL, NULL, NULL, &f->plain), RM2_OK);
    assert_true(fail_each(f, write_plain) >= 2);
    assert_true(fail_each(f, read_file) >= 20);
    assert_true(fail_each(f, decode) >= 3);
    assert_true(fail_each(f, start_from_landmarks) >= 10);
    rm2_model_free(f->plain);
    f->plain = plain;
    f->settings = keep;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training),   cmocka_unit_test(checkpoints),     cmocka_unit_test(files),
        cmocka_unit_test(prediction), cmocka_unit_test(inducing_points),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
