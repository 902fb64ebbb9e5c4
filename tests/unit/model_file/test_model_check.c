/* Models that no training could have made are refused, with a message that names the dataset; a model
 * that is read predicts finite numbers, whatever number was forged. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <hdf5.h>

#include "h5_forge.h"
#include "hdf5/bytes.h"
#include "hdf5/seal.h"
#include "model_fixture.h"
#include "riemann2/fit.h"

enum { FILE_MAX = 1 << 20, VALUES_MAX = 256, FIELDS_MAX = 1 << 14 };

/* ---- models --------------------------------------------------------------------------------- */

typedef enum which {
    PLAIN,    /* robust, R2 x S2, trajectories */
    FULL,     /* noise per output, back constraint, dynamics */
    LABELLED, /* SPD15 with labels, raw coordinates */
    CHOSEN,   /* inducing points of a training */
    GIVEN,    /* inducing points of the user */
    FREE,     /* inducing inputs */
    MODELS
} which;

static rm2_fit_settings settings_for(which w) {
    static const size_t given[] = {3, 0, 9, 12};
    rm2_fit_settings s = robust_settings(3);
    if (w == FULL) {
        s.noise = RM2_NOISE_PER_OUTPUT;
        s.task = RM2_TASK_LEARNED;
        s.back_constraint = true;
        s.gpdm_weight = 1;
    }
    if (w == LABELLED)
        s.model = RM2_GPLVM;
    if (w >= CHOSEN) {
        s.inference = RM2_INFERENCE_INDUCING;
        s.inducing = 4;
        s.inducing_points = w == GIVEN ? given : NULL;
        s.inducing_free = w == FREE;
    }
    return s;
}

static void train_and_write(which w, const char *path) {
    rm2_data *data = w == LABELLED ? example_data("connectome", 0, 6) : example_data("toy", 2, 8);
    rm2_fit_settings s = settings_for(w);
    rm2_model *model = fit_model(data, &s);
    ok(rm2_model_write(ctx, model, path, true));
    rm2_model_free(model);
    rm2_data_free(data);
}

static unsigned char *load(const char *path, size_t *size) {
    unsigned char *bytes = malloc(FILE_MAX);
    FILE *stream = fopen(path, "rb");
    assert_true(bytes && stream);
    *size = fread(bytes, 1, FILE_MAX, stream);
    assert_true(*size < FILE_MAX && fclose(stream) == 0);
    return bytes;
}

static void store(const char *path, const unsigned char *bytes, size_t size) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

/* Trained once. */
static struct {
    unsigned char *bytes;
    size_t size;
} models[MODELS];

static void write_model(which w, const char *path) {
    if (!models[w].bytes) {
        train_and_write(w, path);
        models[w].bytes = load(path, &models[w].size);
    }
    store(path, models[w].bytes, models[w].size);
}

static int free_models(void **state) {
    for (which w = 0; w < MODELS; w++)
        free(models[w].bytes);
    return model_tear_down(state);
}

/* ---- one entry, by libhdf5 ------------------------------------------------------------------ */

static void change_double(hid_t set, size_t entry, double value) {
    double *values = numbers(VALUES_MAX * VALUES_MAX);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    values[entry] = value;
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    free(values);
}

static void change_size(hid_t set, size_t entry, size_t value) {
    size_t values[VALUES_MAX];
    assert_true(H5Dread(set, H5T_NATIVE_ULONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    values[entry] = value;
    assert_true(H5Dwrite(set, H5T_NATIVE_ULONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
}

static void seal_again(const char *path) {
    size_t size;
    unsigned char *bytes = load(path, &size);
    rm2i_h5_seal(bytes, size);
    store(path, bytes, size);
    free(bytes);
}

static void change_entry(const char *path, const char *dataset, size_t entry, double value) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT), type = H5Dget_type(set);
    assert_true(file >= 0 && set >= 0 && type >= 0);
    assert_in_range(H5Dget_storage_size(set), entry * sizeof value + 1,
                    sizeof value * VALUES_MAX * VALUES_MAX);
    if (H5Tget_class(type) == H5T_FLOAT)
        change_double(set, entry, value);
    else
        change_size(set, entry, (size_t)value);
    assert_true(H5Tclose(type) >= 0 && H5Dclose(set) >= 0 && H5Fclose(file) >= 0);
    seal_again(path);
}

static void change_text(const char *path, const char *dataset, const char *text) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, dataset, H5P_DEFAULT), type = H5Dget_type(set);
    assert_true(file >= 0 && set >= 0 && H5Tget_size(type) == strlen(text) + 1);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_true(H5Tclose(type) >= 0 && H5Dclose(set) >= 0 && H5Fclose(file) >= 0);
    seal_again(path);
}

/* ---- each field ----------------------------------------------------------------------------- */

typedef struct forgery {
    which model;
    const char *dataset;
    size_t entry;
    double value;
    const char *reason; /* in the message, next to the dataset's name */
} forgery;

static const forgery forgeries[] = {
    /* units and points: a point of R2 x S2 is 2 + 3 entries */
    {PLAIN, "data/scale", 0, -1, "positive"},
    {PLAIN, "data/scale", 0, 0, "positive"},
    {PLAIN, "data/scale", 0, 1e308, "1e150"},
    {PLAIN, "data/scale", 1, 2, "only Euclidean factors have units"},
    {PLAIN, "data/scale", 0, NAN, "entry 0 is"},
    {PLAIN, "data/points", 5, 1e308, "entry 5 is 1e+308"},
    {PLAIN, "data/points", 7, 0.3, "point 1: factor 2 is off the manifold"},
    {PLAIN, "data/points", 7, NAN, "entry 7 is"},
    {PLAIN, "data/base", 2, 3, "factor 2 is off the manifold"},
    {PLAIN, "data/base", 0, -1e200, "entry 0 is -1e+200"},
    {PLAIN, "data/outputs", 3, 5, "output 0 of point 3 is"},
    {PLAIN, "data/outputs", 3, 1e308, "output 0 of point 3 is"},
    {PLAIN, "data/mean", 0, 100, "data/outputs, output 0 of point 0"},
    {LABELLED, "data/points", 1, 0.5, "factor 1 is off the manifold"},
    {LABELLED, "data/points", 0, -1, "factor 1 is off the manifold"},
    {LABELLED, "data/outputs", 0, 100, "output 0 of point 0 is"},
    /* trajectories and labels */
    {PLAIN, "data/starts", 0, 1, "does not divide"},
    {PLAIN, "data/starts", 1, 16, "does not divide"},
    {PLAIN, "data/starts", 2, 17, "does not divide"},
    {LABELLED, "data/labels", 4, 7, "entry 4: no label 7"},
    /* parameters */
    {PLAIN, "parameters/latents", 3, NAN, "entry 3 is"},
    {PLAIN, "parameters/latents", 3, 1e308, "below 1e75 lengthscales"},
    {PLAIN, "parameters/lengthscale", 1, 0, "positive"},
    {PLAIN, "parameters/lengthscale", 1, -0.2, "positive"},
    {PLAIN, "parameters/lengthscale", 1, 1e-300, "between 1e-75"},
    {PLAIN, "parameters/variance", 0, -1, "positive"},
    {PLAIN, "parameters/variance", 0, 1e308, "between"},
    {PLAIN, "parameters/noise", 0, 0, "positive"},
    {PLAIN, "parameters/noise", 0, INFINITY, "inf"},
    {FULL, "parameters/task_noise", 2, -1e-3, "entry 2 is -0.001"},
    {PLAIN, "parameters/task_covariance", 1, 0.3, "symmetric"},
    {PLAIN, "parameters/task_covariance", 5, -1, "0 or positive"},
    {PLAIN, "parameters/task_covariance", 0, 1e308, "below 1e301"},
    {PLAIN, "parameters/task_covariance", 0, 1e-12, "exceeds the variances"},
    {PLAIN, "parameters/gpdm", 1, 1, "no dynamics"},
    {FULL, "parameters/gpdm", 1, 0, "positive"},
    {FULL, "parameters/gpdm", 0, -1, "positive"},
    {FULL, "parameters/back_weights", 3, 1e200, "entry 3 is 1e+200"},
    {FULL, "parameters/back_kernels", 0, 9, "no kernel 9"},
    {FULL, "parameters/back_kernels", 0, 0.5, "no kernel 0.5"},
    {FULL, "parameters/back_kernels", 0, 3, "log-euclidean is a kernel of SPD"},
    {FULL, "parameters/back_kernels", 1, -1, "lengthscale -1"},
    {FULL, "parameters/back_kernels", 3, NAN, "lengthscale"},
    {CHOSEN, "parameters/inducing", 1, 16, "must be indices of the 16 points"},
    {FREE, "parameters/inducing_inputs", 2, 1e200, "entry 2 is 1e+200"},
    {FREE, "parameters/inducing_inputs", 2, NAN, "entry 2 is"},
    {GIVEN, "settings/inducing_points", 1, 16, "must be indices of the 16 points"},
    /* start */
    {PLAIN, "start/family", 0, 9, "entry 0 is 9, expected less than 1"},
    {PLAIN, "start/reversed", 1, 2, "entry 1 is 2, expected less than 2"},
    {PLAIN, "start/outliers", 0, 17, "expected less than 17"},
    {PLAIN, "start/resting", 0, 17, "expected less than 17"},
    {PLAIN, "start/phase", 1, NAN, "entry 1 is"},
    {PLAIN, "start/reference", 0, 7, "entry 0 is 7"},
    {PLAIN, "start/complete", 0, 2, "entry 0 is 2"},
    {PLAIN, "start/labelled", 0, 2, "expected 0 or 1"},
    /* record */
    {PLAIN, "training/trace", 2, NAN, "entry 2 is"},
    {PLAIN, "training/volume", 0, INFINITY, "finite"},
    {PLAIN, "training/start", 0, NAN, "entry 0 is"},
    {PLAIN, "training/end", 5, INFINITY, "entry 5 is"},
    {PLAIN, "training/end", 6, -1, "0 or positive"},
    {PLAIN, "training/stop", 0, 0, "a reason to stop"},
    {PLAIN, "training/stop", 0, 9, "unknown reason 9"},
    {PLAIN, "training/evaluations", 0, 0, "at least the number of iterations"},
    {CHOSEN, "training/certificate", 0, 1e9, "the lower bound 1e+09 exceeds"},
    {CHOSEN, "training/certificate", 3, NAN, "entry 3 is"},
    {CHOSEN, "training/gpdm_inducing", 0, 17, "a number of training points"},
    /* settings */
    {PLAIN, "settings/noise_bound", 0, -1, "a number from 0"},
    {PLAIN, "settings/time_weight", 0, NAN, "a number from 0"},
    {PLAIN, "settings/optim.beta1", 0, 2, "is 2, expected"},
    {PLAIN, "settings/kernel", 0, 7, "is 7, expected"},
    {PLAIN, "settings/ard", 0, 0.5, "is 0.5, expected"},
    {PLAIN, "settings/neighbours", 0, -3, "is -3, expected"},
    {PLAIN, "settings/seed", 0, 1e300, "is 1e+300, expected"},
    {PLAIN, "version", 0, 2, "version 2"},
};

/* Settings that fit refuses too, in its words. */
static const forgery refused_by_fit[] = {
    {PLAIN, "settings/latent_dim", 0, 3, "parameters/latents has the wrong shape"},
    {PLAIN, "settings/lengthscale.start", 0, -1, "is -1, expected"},
    {PLAIN, "settings/task_anchor", 0, -1, "is -1, expected"},
    {PLAIN, "settings/task_rank", 0, 5, "settings: task rank 5"},
    {PLAIN, "settings/accuracy", 0, 0, "is 0, expected"},
    {GIVEN, "settings/inducing_points", 1, 3, "settings: inducing point 3 is given twice"},
    {PLAIN, "settings/model", 0, 1, "data/outputs must be 5 x 16"},
    {PLAIN, "settings/noise", 0, 1, "parameters/task_noise is missing"},
    {PLAIN, "settings/gpdm_weight", 0, 1, "parameters/gpdm"},
    {PLAIN, "settings/back_constraint", 0, 1, "parameters/back_weights is missing"},
    {PLAIN, "settings/inference", 0, 2, "parameters/inducing does not agree with the settings"},
    {CHOSEN, "settings/inference", 0, 1, "parameters/inducing does not agree with the settings"},
    {CHOSEN, "settings/inducing_free", 0, 1, "parameters/inducing_inputs does not agree"},
    {FREE, "settings/inducing_free", 0, 0, "parameters/inducing does not agree"},
};

static void assert_refused(const forgery *f, bool named) {
    const char *path = in_folder("model"), *message;
    rm2_model *model;
    write_model(f->model, path);
    change_entry(path, f->dataset, f->entry, f->value);
    rm2_status status = rm2_model_read(ctx, path, &model);
    message = rm2_context_error(ctx);
    if (status != RM2_ERR_FORMAT)
        fail_msg("%s, entry %zu = %g: status %d, %s", f->dataset, f->entry, f->value, (int)status,
                 status == RM2_OK ? "is read" : message);
    assert_null(model);
    const char *part = named && strstr(f->reason, "data/outputs") ? f->reason : f->dataset;
    if ((named && !strstr(message, part)) || !strstr(message, f->reason) ||
        strncmp(message, path, strlen(path)) != 0)
        fail_msg("\"%s\", \"%s\" are not in: %s", f->dataset, f->reason, message);
    assert_int_equal(unlink(path), 0);
}

static void each_field_is_checked(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof forgeries / sizeof *forgeries; k++)
        assert_refused(&forgeries[k], true);
    for (size_t k = 0; k < sizeof refused_by_fit / sizeof *refused_by_fit; k++)
        assert_refused(&refused_by_fit[k], false);
}

/* Two entries at once: variances stay, one covariance changes its sign, and with it the spectrum. */
static void covariances_are_definite(void **state) {
    (void)state;
    const char *path = in_folder("model");
    rm2_model *model;
    write_model(PLAIN, path);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) /* eigenvalues 1.9 (thrice) and 1 - 3 * 0.9 */
            change_entry(path, "parameters/task_covariance", i * 4 + j, i == j ? 1 : -0.9);
    assert_int_equal(rm2_model_read(ctx, path, &model), RM2_ERR_FORMAT);
    assert_non_null(
        strstr(rm2_context_error(ctx), "parameters/task_covariance is not positive semidefinite"));
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) /* rank 1: semidefinite */
            change_entry(path, "parameters/task_covariance", i * 4 + j, 1);
    ok(rm2_model_read(ctx, path, &model));
    rm2_model_free(model);
    assert_int_equal(unlink(path), 0);
}

static void points_are_listed_once(void **state) {
    (void)state;
    const char *path = in_folder("model");
    rm2_model *model;
    write_model(CHOSEN, path);
    change_entry(path, "parameters/inducing", 0, 5);
    change_entry(path, "parameters/inducing", 2, 5);
    assert_int_equal(rm2_model_read(ctx, path, &model), RM2_ERR_FORMAT);
    assert_non_null(strstr(rm2_context_error(ctx), "parameters/inducing: point 5 is listed twice"));
    assert_int_equal(unlink(path), 0);
}

/* Sizes come from the file; a manifold that is larger than its arrays asks for no memory. */
static void manifolds_fit_their_arrays(void **state) {
    (void)state;
    const char *path = in_folder("model");
    rm2_model *model;
    static const char *const specs[][2] = {{"R2 x S3", "data/points must be 16 x 6"},
                                           {"R999999", "data/points must be 16 x 999999"},
                                           {"SPD9999", "manifold"},
                                           {"R2 x Q2", "manifold"}};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        bool known = k < 2; /* others may be geometries that are not registered here */
        write_model(PLAIN, path);
        change_text(path, "manifold", specs[k][0]);
        assert_int_equal(rm2_model_read(ctx, path, &model),
                         known ? RM2_ERR_FORMAT : RM2_ERR_UNSUPPORTED);
        if (!strstr(rm2_context_error(ctx), specs[k][1]))
            fail_msg("\"%s\" is not in: %s", specs[k][1], rm2_context_error(ctx));
    }
    assert_int_equal(unlink(path), 0);
}

/* ---- any number anywhere -------------------------------------------------------------------- */

/* What a model that was read gives out is finite. */
static void use(const rm2_model *model) {
    const rm2_model_info *i = rm2_model_info_of(model);
    size_t M = i->outputs, D = rm2_manifold_ambient(i->manifold), n = 2;
    double *block = numbers(n * (D + M + M * M + 1));
    ok(rm2_model_decode(ctx, model, n, i->latents, block, block + n * D, block + n * (D + M),
                        block + n * (D + M + M * M)));
    assert_finite(n * (D + M + M * M + 1), block);
    free(block);
}

/* Put numbers into datasets of a file, one at a time, and count those that `read` takes. */
static size_t forge_values(const char *path, bool (*read)(const char *path)) {
    static const double values[] = {0, -1, 1e-320, 1e-80, 1e160, -1e308, INFINITY, NAN};
    size_t size, taken = 0;
    unsigned char *bytes = load(path, &size);
    h5_field *fields = calloc(FIELDS_MAX, sizeof *fields);
    assert_non_null(fields);
    size_t count = h5_fields(bytes, size, fields, FIELDS_MAX);
    assert_true(count < FIELDS_MAX);
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; fields[k].values && j < sizeof values / sizeof *values; j++) {
            size_t at = fields[k].at + 8 * (j % (fields[k].width / 8 + 1));
            unsigned char old[8];
            if (at + 8 > fields[k].at + fields[k].width)
                at = fields[k].at;
            memcpy(old, bytes + at, sizeof old);
            memcpy(bytes + at, &values[j], sizeof old);
            rm2i_h5_seal(bytes, size);
            store(path, bytes, size);
            taken += read(path);
            memcpy(bytes + at, old, sizeof old);
        }
    free(fields);
    free(bytes);
    assert_int_equal(unlink(path), 0);
    return taken;
}

static bool read_and_use(const char *path) {
    rm2_model *model;
    if (rm2_model_read(ctx, path, &model) != RM2_OK) {
        assert_null(model);
        return false;
    }
    use(model);
    rm2_model_free(model);
    return true;
}

static void any_number_in_a_model(void **state) {
    (void)state;
    for (which w = 0; w < MODELS; w++) {
        const char *path = in_folder("model");
        write_model(w, path);
        assert_true(forge_values(path, read_and_use) > 0); /* limits of the training, for example */
    }
}

/* ---- checkpoints ---------------------------------------------------------------------------- */

static which resumed; /* the settings of the training that goes on */

static bool resume_and_use(const char *path) {
    rm2_data *data = example_data("toy", 2, 8);
    rm2_fit_settings s = settings_for(resumed);
    rm2_checkpoint checkpoint = {path, 1e9, true};
    rm2_model *model;
    s.optim.max_iterations = 5;
    rm2_status status = rm2_fit(ctx, data, &s, &checkpoint, &model);
    rm2_data_free(data);
    assert_true((status == RM2_OK) == (model != NULL));
    if (!model) {
        if (!strstr(rm2_context_error(ctx), path))
            fail_msg("status %d, without the file's name: %s", (int)status, rm2_context_error(ctx));
        return false;
    }
    use(model);
    const rm2_model_info *i = rm2_model_info_of(model);
    assert_finite(i->training.iterations + 1, i->training.trace);
    assert_true(isfinite(i->training.start.total) && isfinite(i->training.end.total));
    rm2_model_free(model);
    return true;
}

static void any_number_in_a_checkpoint(void **state) {
    (void)state;
    static const which of[] = {PLAIN, FULL, CHOSEN};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        const char *path = in_folder("checkpoint");
        rm2_data *data = example_data("toy", 2, 8);
        rm2_fit_settings s = settings_for(resumed = of[k]);
        rm2_checkpoint checkpoint = {path, 1e9, false};
        rm2_model_free(fit_model_with(data, &s, &checkpoint));
        rm2_data_free(data);
        assert_true(forge_values(path, resume_and_use) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_field_is_checked),  cmocka_unit_test(covariances_are_definite),
        cmocka_unit_test(points_are_listed_once), cmocka_unit_test(manifolds_fit_their_arrays),
        cmocka_unit_test(any_number_in_a_model),  cmocka_unit_test(any_number_in_a_checkpoint),
    };
    return cmocka_run_group_tests(tests, model_set_up, free_models);
}
