/* Inducing points that are given, and inducing inputs that are free: what stays, what is refused, what
 * training gains by moving them, and that files and checkpoints keep them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/model.h"
#include "riemann2/data.h"
#include "riemann2/fit.h"
#include "train/objective.h"

enum { TRAJECTORIES = 3, LENGTH = 20, N = TRAJECTORIES * LENGTH, GIVEN = 6 };
static const size_t given[GIVEN] = {50, 0, 7, 33, 21, 14};

typedef struct fixture {
    rm2_context *ctx;
    rm2_data *data;
    char folder[32], file[64];
} fixture;

static int set_up(void **state) {
    static fixture f = {.folder = "/tmp/rm2_given_XXXXXX"};
    rm2_generate_settings s = {
        .size = sizeof s, .seed = 1, .trajectories = TRAJECTORIES, .points = LENGTH};
    *state = &f;
    if (!mkdtemp(f.folder) || rm2_context_create(&f.ctx) != RM2_OK)
        return 1;
    (void)snprintf(f.file, sizeof f.file, "%s/file.npz", f.folder);
    return rm2_data_generate(f.ctx, "toy", &s, &f.data) == RM2_OK ? 0 : 1;
}

static int tear_down(void **state) {
    fixture *f = *state;
    rm2_data_free(f->data);
    rm2_context_free(f->ctx);
    return rmdir(f->folder);
}

static rm2_fit_settings settings_of(rm2_recipe recipe) {
    rm2_fit_settings s = rm2_fit_settings_recipe(recipe);
    s.inference = RM2_INFERENCE_INDUCING;
    s.inducing = GIVEN;
    s.optim.max_iterations = 40;
    return s;
}

static rm2_model *fit(const fixture *f, const rm2_fit_settings *s,
                      const rm2_checkpoint *checkpoint) {
    rm2_model *model;
    if (rm2_fit(f->ctx, f->data, s, checkpoint, &model) != RM2_OK)
        fail_msg("%s", rm2_context_error(f->ctx));
    return model;
}

/* ---- given ---------------------------------------------------------------------------------- */

/* They are what was given, in every recipe, wherever the latents went; only the dynamics choose. */
static void given_points_stay(void **state) {
    const fixture *f = *state;
    for (int k = 0; k < 4; k++) {
        rm2_fit_settings s = settings_of(k % 2 ? RM2_RECIPE_MAP : RM2_RECIPE_ROBUST);
        s.inducing_points = given;
        s.inference =
            k ? RM2_INFERENCE_INDUCING : RM2_INFERENCE_AUTO; /* few points: all the same */
        s.back_constraint = k == 2;
        s.optim.method = k == 3 ? RM2_ADAM : RM2_LBFGS;
        rm2_model *model = fit(f, &s, NULL);
        rm2_model_info i = *rm2_model_info_of(model);
        assert_int_equal(i.inducing, GIVEN);
        assert_memory_equal(i.inducing_points, given, sizeof given);
        for (size_t j = 0; j < GIVEN; j++)
            assert_memory_equal(i.inducing_inputs + j * i.latent_dim,
                                i.latents + given[j] * i.latent_dim,
                                i.latent_dim * sizeof *i.latents);
        assert_true(i.training.end.total > i.training.start.total);
        assert_true((i.gpdm_inducing > GIVEN) == (s.gpdm_weight > 0)); /* by accuracy */
        assert_true(i.settings->inducing_points != given); /* nothing borrowed is kept */
        assert_memory_equal(i.settings->inducing_points, given, sizeof given);
        rm2_model_free(model);
    }
}

static void refuse(const fixture *f, const rm2_fit_settings *s, const char *message) {
    rm2_model *model;
    assert_int_equal(rm2_fit(f->ctx, f->data, s, NULL, &model), RM2_ERR_ARGUMENT);
    assert_null(model);
    if (!strstr(rm2_context_error(f->ctx), message))
        fail_msg("%s", rm2_context_error(f->ctx));
}

static void points_that_cannot_be(void **state) {
    const fixture *f = *state;
    size_t twice[3] = {1, 5, 1}, beyond[2] = {3, N}, all[N + 1] = {0};
    rm2_fit_settings s = settings_of(RM2_RECIPE_ROBUST);
    s.inducing_points = twice;
    s.inducing = 3;
    refuse(f, &s, "inducing point 1 is given twice");
    s.inducing_points = beyond;
    s.inducing = 2;
    refuse(f, &s, "inducing point 60: the training points are 0 to 59");
    s.inducing_points = all;
    s.inducing = N + 1;
    refuse(f, &s, "61 inducing points are given for 60 training points");
    s.inducing = 0;
    refuse(f, &s, "0 inducing points are given");
    s.inducing_points = given;
    s.inducing = GIVEN;
    s.inference = RM2_INFERENCE_EXACT;
    refuse(f, &s, "settings.inducing_points needs settings.inference inducing");
    s = rm2_fit_settings_recipe(RM2_RECIPE_PAPER);
    s.inducing_free = true;
    refuse(f, &s, "Kronecker noise");
}

/* All points, in any order, are exact inference; those far from it have a bound below. */
static void all_points_are_exact_inference(void **state) {
    const fixture *f = *state;
    size_t all[N];
    rm2_fit_settings s = settings_of(RM2_RECIPE_ROBUST);
    s.lengthscale.start = 0.3; /* Kuu of all points keeps its digits */
    s.optim.max_iterations = 0;
    s.inducing_points = all;
    s.inducing = N;
    for (size_t n = 0; n < N; n++)
        all[n] = n * 7 % N;
    rm2_model *bound = fit(f, &s, NULL);
    s.inference = RM2_INFERENCE_EXACT;
    s.inducing_points = NULL;
    s.inducing = 0;
    rm2_model *exact = fit(f, &s, NULL);
    double off = exact->training.end.log_likelihood - bound->training.end.log_likelihood;
    if (!(fabs(off) <= 1e-6 * fabs(exact->training.end.log_likelihood))) /* pivots down to 1e-12 */
        fail_msg("%g off", off);
    rm2_model_free(bound);
    rm2_model_free(exact);
}

/* ---- free ----------------------------------------------------------------------------------- */

/* Latents are kept near their start, so that it is the inputs that have room: from the same start, the
 * objective rises further by a twentieth or more, and the bound is still
 * one. */
static void free_inputs_raise_the_bound(void **state) {
    const fixture *f = *state;
    for (size_t count = 24; count <= 40; count += 8) {
        rm2_fit_settings s = settings_of(RM2_RECIPE_ROBUST);
        s.inducing = count;
        s.latent_anchor = 0.01;
        s.lengthscale.start = 0.2; /* short: that many points leave something to gain */
        s.noise_variance.start = 0.005;
        s.optim.max_iterations = 300;
        rm2_model *held = fit(f, &s, NULL);
        s.inducing_free = true;
        rm2_model *raised = fit(f, &s, NULL);
        rm2_model_info a = *rm2_model_info_of(held), b = *rm2_model_info_of(raised);
        assert_int_equal(b.inducing, count);
        assert_null(b.inducing_points);
        assert_non_null(b.inducing_inputs);
        assert_true(a.training.start.total == b.training.start.total);
        double rise = a.training.end.total - a.training.start.total,
               further = b.training.end.total - a.training.end.total;
        if (!(further > 0.05 * rise))
            fail_msg("%zu points: %g more than %g", count, further, rise);
        assert_true(b.training.end.log_likelihood <= b.training.likelihood.lower);
        assert_true(b.training.likelihood.lower <= b.training.likelihood.upper);
        rm2_model_free(held);
        rm2_model_free(raised);
    }
}

/* By accuracy: as many as are chosen at the start, not chosen again. */
static void free_inputs_by_accuracy(void **state) {
    const fixture *f = *state;
    rm2_fit_settings s = settings_of(RM2_RECIPE_MAP);
    s.inducing = 0;
    s.accuracy = 0.05;
    s.optim.max_iterations = 0;
    rm2_model *start = fit(f, &s, NULL);
    s.inducing_free = true;
    s.optim.max_iterations = 60;
    rm2_model *end = fit(f, &s, NULL);
    assert_int_equal(start->inducing_count, end->inducing_count);
    rm2_model_free(start);
    rm2_model_free(end);
}

/* ---- kept ----------------------------------------------------------------------------------- */

static void same_prediction(const fixture *f, const rm2_model *a, const rm2_model *b) {
    double mine[3 * 5], theirs[3 * 5], deviation[2][3];
    assert_int_equal(rm2_model_decode(f->ctx, a, 3, a->X, mine, NULL, NULL, deviation[0]), RM2_OK);
    assert_int_equal(rm2_model_decode(f->ctx, b, 3, a->X, theirs, NULL, NULL, deviation[1]),
                     RM2_OK);
    assert_memory_equal(mine, theirs, sizeof mine);
    assert_memory_equal(deviation[0], deviation[1], sizeof deviation[0]);
}

static void files_keep_free_inputs(void **state) {
    const fixture *f = *state;
    rm2_fit_settings s = settings_of(RM2_RECIPE_ROBUST);
    s.inducing_free = true;
    rm2_model *model = fit(f, &s, NULL), *read;
    assert_int_equal(rm2_model_write(f->ctx, model, f->file, true), RM2_OK);
    assert_int_equal(rm2_model_read(f->ctx, f->file, &read), RM2_OK);
    rm2_model_info i = *rm2_model_info_of(read);
    assert_int_equal(i.inducing, GIVEN);
    assert_null(i.inducing_points);
    assert_memory_equal(i.inducing_inputs, model->inducing_inputs,
                        GIVEN * i.latent_dim * sizeof(double));
    assert_memory_equal(&i.training.likelihood, &model->training.likelihood,
                        sizeof i.training.likelihood);
    assert_true(read->settings.inducing_free);
    same_prediction(f, model, read);
    rm2_model_free(read);
    model->inducing_inputs[3] = NAN;
    assert_int_equal(rm2_model_write(f->ctx, model, f->file, true), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(f->ctx), "parameters/inducing_inputs, entry 3"));
    assert_int_equal(unlink(f->file), 0);
    rm2_model_free(model);
}

/* The settings in a file train the same model again. */
static void settings_are_kept(void **state) {
    const fixture *f = *state;
    for (int k = 0; k < 2; k++) {
        rm2_fit_settings s = settings_of(RM2_RECIPE_ROBUST);
        s.inducing_points = given;
        s.inducing_free = k;
        rm2_model *model = fit(f, &s, NULL), *read;
        assert_int_equal(rm2_model_write(f->ctx, model, f->file, true), RM2_OK);
        assert_int_equal(rm2_model_read(f->ctx, f->file, &read), RM2_OK);
        rm2_model *again = fit(f, rm2_model_info_of(read)->settings, NULL);
        assert_memory_equal(model->X, again->X, model->N * model->Q * sizeof *model->X);
        assert_memory_equal(&model->training.end, &again->training.end, sizeof model->training.end);
        rm2_model_free(again);
        rm2_model_free(read);
        model->given_inducing[1] = N; /* no such point */
        assert_int_equal(rm2_model_write(f->ctx, model, f->file, true), RM2_ERR_FORMAT);
        assert_non_null(strstr(rm2_context_error(f->ctx), "settings/inducing_points"));
        assert_int_equal(unlink(f->file), 0);
        rm2_model_free(model);
    }
}

/* Stopped and resumed, bit for bit the same; with other points it is another training. */
static void resume_is_exact(void **state) {
    const fixture *f = *state;
    for (int k = 0; k < 4; k++) {
        rm2_fit_settings s = settings_of(k % 2 ? RM2_RECIPE_MAP : RM2_RECIPE_ROBUST);
        rm2_checkpoint checkpoint = {f->file, 1e9, true};
        size_t others[GIVEN];
        s.inducing_points = given;
        s.inducing_free = k >= 2;
        s.optim.relative_decrease = s.optim.gradient = 0;
        rm2_model *whole = fit(f, &s, NULL);
        for (size_t stop = 1; stop <= 40; stop += 13) {
            s.optim.max_iterations = stop;
            rm2_model_free(fit(f, &s, &checkpoint));
        }
        rm2_model *rest = fit(f, &s, &checkpoint);
        assert_memory_equal(whole->X, rest->X, whole->N * whole->Q * sizeof *whole->X);
        assert_memory_equal(whole->inducing_inputs, rest->inducing_inputs,
                            GIVEN * whole->Q * sizeof *whole->X);
        assert_memory_equal(&whole->training.end, &rest->training.end, sizeof whole->training.end);
        memcpy(others, given, sizeof given);
        others[2]++;
        s.inducing_points = others;
        rm2_model *refused;
        assert_int_equal(rm2_fit(f->ctx, f->data, &s, &checkpoint, &refused), RM2_ERR_DATA);
        assert_int_equal(unlink(f->file), 0);
        rm2_model_free(whole);
        rm2_model_free(rest);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_points_stay),
        cmocka_unit_test(points_that_cannot_be),
        cmocka_unit_test(all_points_are_exact_inference),
        cmocka_unit_test(free_inputs_raise_the_bound),
        cmocka_unit_test(free_inputs_by_accuracy),
        cmocka_unit_test(files_keep_free_inputs),
        cmocka_unit_test(settings_are_kept),
        cmocka_unit_test(resume_is_exact),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
