/* Models that no training could have made are refused, with a message that names the array; a model
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

#include "model_fixture.h"
#include "npz_forge.h"
#include "riemann2/fit.h"
#include "zip_forge.h"

enum { FILE_MAX = 1 << 20 };

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

/* ---- one entry ------------------------------------------------------------------------------ */

/* `text` NULL: the number. */
static void change(const char *path, const char *array, size_t entry, double value,
                   const char *text) {
    size_t size;
    unsigned char *bytes = load(path, &size);
    npz_forge f = npz_forge_open(bytes, size);
    const npz_entry *e = npz_forge_find(&f, array);
    if (!e)
        fail_msg("the file has no array %s", array);
    if (text)
        npz_forge_text(&f, e, entry, text);
    else
        npz_forge_number(&f, e, entry, value);
    store(path, bytes, size);
    free(bytes);
}

static void change_entry(const char *path, const char *array, size_t entry, double value) {
    change(path, array, entry, value, NULL);
}

/* The line of a setting: "NAME=VALUE", in the array `settings`. */
static void change_setting(const char *path, const char *line) {
    size_t size, name = strcspn(line, "="), entry = SIZE_MAX;
    unsigned char *bytes = load(path, &size);
    npz_forge f = npz_forge_open(bytes, size);
    const npz_entry *e = npz_forge_find(&f, "settings");
    assert_non_null(e);
    for (size_t k = 0; k < e->count; k++) {
        const unsigned char *at = bytes + e->values + k * e->width;
        bool same = true;
        for (size_t c = 0; same && c <= name; c++)
            same = at[4 * c] == (unsigned char)line[c];
        entry = same ? k : entry;
    }
    free(bytes);
    if (entry == SIZE_MAX)
        fail_msg("no setting \"%s\"", line);
    change(path, "settings", entry, 0, line);
}

/* ---- each field ----------------------------------------------------------------------------- */

typedef struct forgery {
    which model;
    const char *array; /* or the line of a setting */
    size_t entry;
    double value;
    const char *reason; /* in the message, next to the array's name */
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
    {PLAIN, "parameters/calibration", 0, 0, "positive, between 1e-100 and 1e100"},
    {PLAIN, "parameters/calibration", 1, -1, "positive, between 1e-100 and 1e100"},
    {PLAIN, "parameters/calibration", 1, NAN, "positive, between 1e-100 and 1e100"},
    {PLAIN, "parameters/calibration", 0, 1e101, "positive, between 1e-100 and 1e100"},
    {PLAIN, "parameters/task_covariance", 1, 0.3, "symmetric"},
    {PLAIN, "parameters/task_covariance", 5, -1, "0 or positive"},
    {PLAIN, "parameters/task_covariance", 0, 1e308, "below 1e301"},
    {PLAIN, "parameters/task_covariance", 0, 1e-12, "exceeds the variances"},
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
    {PLAIN, "start/outlier", 0, 17, "expected less than 17"},
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
    {PLAIN, "noise_bound=-1", 0, 0, "a number from 0"},
    {PLAIN, "time_weight=nan", 0, 0, "a number from 0"},
    {PLAIN, "beta1=2", 0, 0, "expected"},
    {PLAIN, "kernel=cubic", 0, 0, "expected one of"},
    {PLAIN, "ard=0.5", 0, 0, "expected yes or no"},
    {PLAIN, "neighbours=-3", 0, 0, "expected"},
    {PLAIN, "seed=1e300", 0, 0, "expected"},
    {PLAIN, "lengthscale=held -1", 0, 0, "expected"},
    {PLAIN, "lengthscale=", 0, 0, "expected"},
    {PLAIN, "task_anchor=-1", 0, 0, "expected"},
    {PLAIN, "accuracy=0", 0, 0, "expected"},
    {PLAIN, "recipe=auto", 0, 0, "expected"},
    {PLAIN, "version", 0, 2, "version 2"},
};

/* Settings that fit refuses too, in its words. */
static const forgery refused_by_fit[] = {
    {PLAIN, "latent_dim=3", 0, 0, "parameters/latents is 16 x 2, but must be any x 3"},
    {PLAIN, "task_rank=5", 0, 0, "settings: task rank 5"},
    {GIVEN, "settings/inducing_points", 1, 3, "settings: inducing point 3 is given twice"},
    {PLAIN, "model=gplvm", 0, 0, "data/outputs is 4 x 16, but must be 5 x 16"},
    {PLAIN, "noise=per-output", 0, 0, "parameters/task_noise is missing"},
    {PLAIN, "gpdm_weight=1", 0, 0, "parameters/gpdm is missing"},
    {PLAIN, "back_constraint=yes", 0, 0, "parameters/back_weights is missing"},
    {PLAIN, "inference=inducing", 0, 0, "parameters/inducing does not agree with the settings"},
    {CHOSEN, "inference=exact", 0, 0, "parameters/inducing does not agree with the settings"},
    {CHOSEN, "inducing_free=yes", 0, 0, "parameters/inducing_inputs does not agree"},
    {FREE, "inducing_free=no", 0, 0, "parameters/inducing does not agree"},
};

static void assert_refused(const forgery *f, bool named) {
    const char *path = in_folder("model"), *message;
    rm2_model *model;
    write_model(f->model, path);
    if (strchr(f->array, '='))
        change_setting(path, f->array);
    else
        change_entry(path, f->array, f->entry, f->value);
    rm2_status status = rm2_model_read(ctx, path, &model);
    message = rm2_context_error(ctx);
    if (status != RM2_ERR_FORMAT)
        fail_msg("%s, entry %zu = %g: status %d, %s", f->array, f->entry, f->value, (int)status,
                 status == RM2_OK ? "is read" : message);
    assert_null(model);
    const char *part = named && strstr(f->reason, "data/outputs") ? f->reason : f->array;
    if ((named && !strstr(message, part)) || !strstr(message, f->reason) ||
        strncmp(message, path, strlen(path)) != 0)
        fail_msg("\"%s\", \"%s\" are not in: %s", f->array, f->reason, message);
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
    static const char *const specs[][2] = {
        {"R2 x S3", "data/points is 16 x 5, but must be 16 x 6"},
        {"R999999", "data/points is 16 x 5, but must be 16 x 999999"},
        {"SPD9999", "manifold"},
        {"R2 x Q2", "manifold"}};
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        bool known = k < 2; /* others may be geometries that are not registered here */
        write_model(PLAIN, path);
        change(path, "manifold", 0, 0, specs[k][0]);
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

/* Put numbers into arrays of a file, one at a time, and count those that `read` takes. */
static size_t forge_values(const char *path, bool (*read)(const char *path)) {
    static const double values[] = {0, -1, 1e-320, 1e-80, 1e160, -1e308, INFINITY, NAN};
    size_t size, taken = 0;
    unsigned char *original = load(path, &size), *bytes = load(path, &size);
    npz_forge f = npz_forge_open(bytes, size);
    for (size_t k = 0; k < f.count; k++)
        for (size_t j = 0; f.entries[k].kind != 'U' && j < sizeof values / sizeof *values; j++) {
            const npz_entry *e = &f.entries[k];
            if (e->count == 0)
                continue;
            npz_forge_number(&f, e, j % e->count, values[j]);
            store(path, bytes, size);
            taken += read(path);
            memcpy(bytes, original, size);
        }
    free(original);
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

/* ---- other arrays, and archives that lie ------------------------------------------------------ */

static npz_forge open_model(which w, unsigned char **bytes) {
    size_t size;
    const char *path = in_folder("model");
    write_model(w, path);
    *bytes = load(path, &size);
    assert_int_equal(unlink(path), 0);
    return npz_forge_open(*bytes, size);
}

static void assert_readable(const unsigned char *bytes, size_t size) {
    rm2_model *model;
    if (rm2_model_from_bytes(ctx, bytes, size, "forged", &model) != RM2_OK)
        fail_msg("%s", rm2_context_error(ctx));
    use(model);
    rm2_model_free(model);
}

static void assert_unreadable(const unsigned char *bytes, size_t size, const char *reason) {
    rm2_model *model;
    rm2_status status = rm2_model_from_bytes(ctx, bytes, size, "forged", &model);
    if (status != RM2_ERR_FORMAT || !strstr(rm2_context_error(ctx), reason))
        fail_msg("status %d, \"%s\" is not in: %s", (int)status, reason, rm2_context_error(ctx));
    assert_null(model);
    assert_null(strchr(rm2_context_error(ctx), '\n'));
}

static const char three_doubles[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
static const char pickled[] = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }";

/* Users may add arrays of their own, of any type. */
static void arrays_of_others_are_ignored(void **state) {
    (void)state;
    static const char *const headers[] = {three_doubles, pickled, "not a header"};
    unsigned char *bytes, npy[256], values[24] = {0};
    npz_forge f = open_model(PLAIN, &bytes);
    for (size_t k = 0; k < 3; k++) {
        size_t size, n = npz_forge_npy(npy, headers[k], values, sizeof values);
        unsigned char *more =
            npz_forge_rebuild(&f, &(npz_addition){.name = "my/own", .npy = npy, .size = n}, &size);
        assert_readable(more, size);
        free(more);
    }
    free(bytes);
}

/* Each array that a model has may be missing, twice, or of another shape or type. */
static void arrays_have_shape_and_type(void **state) {
    (void)state;
    static const char *const wrong[] = {
        pickled, "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1, 1), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }"};
    unsigned char *bytes, npy[256], values[24] = {0};
    npz_forge f = open_model(FULL, &bytes);
    for (size_t k = 0; k < f.count; k++) {
        const char *name = f.entries[k].name;
        size_t size, count = sizeof wrong / sizeof *wrong;
        unsigned char *twice = npz_forge_rebuild(&f,
                                                 &(npz_addition){.name = name,
                                                                 .npy = bytes + f.entries[k].data,
                                                                 .size = f.entries[k].size},
                                                 &size);
        assert_unreadable(twice, size, "two arrays are called");
        free(twice);
        for (size_t j = 0; j < count; j++) {
            size_t n = npz_forge_npy(npy, wrong[j], values, j < 3 ? 16 : 8);
            unsigned char *other = npz_forge_rebuild(
                &f, &(npz_addition){.without = name, .name = name, .npy = npy, .size = n}, &size);
            assert_unreadable(other, size, name);
            free(other);
        }
    }
    free(bytes);
}

static void put(unsigned char *at, uint64_t value, size_t bytes) {
    for (size_t k = 0; k < bytes; k++)
        at[k] = (unsigned char)(value >> 8 * k);
}

/* One number of a zip record is changed. */
static void assert_record(const npz_forge *f, size_t at, uint64_t value, size_t bytes,
                          const char *reason) {
    unsigned char *forged = malloc(f->size);
    assert_non_null(forged);
    memcpy(forged, f->bytes, f->size);
    put(forged + at, value, bytes);
    assert_unreadable(forged, f->size, reason);
    free(forged);
}

static void archives_that_lie_are_refused(void **state) {
    (void)state;
    enum { MOST = 1 << 20 };
    unsigned char *bytes;
    npz_forge f = open_model(PLAIN, &bytes);
    const npz_entry *a = npz_forge_find(&f, "data/points"), *b = npz_forge_find(&f, "data/base");
    assert_true(a && b);
    assert_record(&f, b->directory + 42, a->local, 4, "beyond the next one");
    assert_record(&f, b->directory + 42, f.end, 4, "");
    assert_record(&f, a->directory + 24, a->size + 1, 4, "sizes of an entry");
    assert_record(&f, a->directory + 24, MOST, 4, "sizes of an entry");
    assert_record(&f, a->directory + 16, 1, 4, "checksum");
    assert_record(&f, a->directory + 10, 14, 2, "method");
    assert_record(&f, a->directory + 8, 1, 2, "encrypted");
    assert_record(&f, a->local + 26, 200, 2, "another name");
    assert_record(&f, a->local + 28, 8, 2, "beyond the next one");
    assert_record(&f, a->local + 31, 'x', 1, "another name");
    assert_record(&f, f.end + 16, 0, 4, "directory");
    assert_record(&f, f.end + 10, f.count + 1, 2, "directory");
    free(bytes);
}

/* Entries of the same name as another, with its data: sizes add up, bytes are shared. */
static void entries_share_no_bytes(void **state) {
    (void)state;
    unsigned char *bytes;
    npz_forge f = open_model(PLAIN, &bytes);
    const npz_entry *a = npz_forge_find(&f, "data/points");
    for (size_t k = 1; k < 40; k++) { /* the entry before claims the first k bytes of this one */
        const npz_entry *before = a - 1;
        unsigned char *forged = malloc(f.size);
        assert_non_null(forged);
        memcpy(forged, bytes, f.size);
        put(forged + before->directory + 20, before->size + k, 4);
        put(forged + before->directory + 24, before->size + k, 4);
        assert_unreadable(forged, f.size, "beyond the next one");
        free(forged);
    }
    free(bytes);
}

/* All arrays deflated, those of two names in the place of others of many zeros. */
static void deflate_all(npz_forge *f, const char *const names[2], const zip_member others[2],
                        zip_forge *zip) {
    static char full[NPZ_FORGE_ENTRIES][NPZ_FORGE_NAME + 4];
    static zip_member members[NPZ_FORGE_ENTRIES];
    zip->size = 0;
    for (size_t k = 0; k < f->count; k++) {
        const npz_entry *e = &f->entries[k];
        members[k] = (zip_member){.data = f->bytes + e->data, .size = e->size};
        for (size_t j = 0; j < 2; j++)
            if (strcmp(names[j], e->name) == 0)
                members[k] = others[j];
        (void)snprintf(full[k], sizeof full[k], "%s.npy", e->name);
        members[k].name = full[k];
        zip_put_member(zip, 8, &members[k]);
    }
    zip_put_directory(zip, 8, members, f->count);
}

static zip_member zeros(size_t rows, size_t columns) {
    char header[128];
    size_t size = rows * columns * sizeof(double);
    unsigned char *npy = malloc(size + sizeof header);
    double *elements = numbers(rows * columns);
    assert_non_null(npy);
    (void)snprintf(header, sizeof header,
                   "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", rows,
                   columns);
    zip_member m = {.data = npy, .size = npz_forge_npy(npy, header, elements, size)};
    free(elements);
    return m;
}

/* Deflated arrays are read, but not zeros that unpack to a thousand times their size. */
static void small_files_unpack_to_little(void **state) {
    (void)state;
    enum { POINTS = 1 << 18 };
    static zip_forge zip;
    static const char *const none[2] = {"", ""}, *const both[2] = {"data/points",
                                                                   "parameters/latents"};
    unsigned char *bytes;
    npz_forge f = open_model(PLAIN, &bytes);
    zip_member others[2] = {zeros(POINTS, 5), zeros(POINTS, 2)};
    const npz_entry *starts = npz_forge_find(&f, "data/starts");
    deflate_all(&f, none, others, &zip);
    assert_readable(zip.bytes, zip.size);
    npz_forge_number(&f, starts, starts->count - 1, POINTS);
    deflate_all(&f, both, others, &zip);
    assert_unreadable(zip.bytes, zip.size, "unpacks to more than 100 times its size");
    free((void *)(uintptr_t)others[0].data);
    free((void *)(uintptr_t)others[1].data);
    free(bytes);
}

/* Every byte of a file may be damaged: then the file is refused, or the byte has no meaning. */
static void damage_is_found(void **state) {
    (void)state;
    unsigned char *bytes;
    rm2_model *model;
    npz_forge f = open_model(FULL, &bytes);
    ok(rm2_model_from_bytes(ctx, bytes, f.size, "whole", &model));
    const rm2_model_info *i = rm2_model_info_of(model);
    size_t D = rm2_manifold_ambient(i->manifold), read = 0;
    double *expected = numbers(i->points * D), *got = numbers(i->points * D);
    ok(rm2_model_decode(ctx, model, i->points, i->latents, expected, NULL, NULL, NULL));
    for (size_t at = 0; at < f.size; at += at < f.directory ? 7 : 1) {
        rm2_model *other;
        bytes[at] ^= 0x10;
        if (rm2_model_from_bytes(ctx, bytes, f.size, "damaged", &other) == RM2_OK) {
            ok(rm2_model_decode(ctx, other, i->points, i->latents, got, NULL, NULL, NULL));
            assert_memory_equal(got, expected, i->points * D * sizeof *got);
            rm2_model_free(other);
            read++;
        }
        bytes[at] ^= 0x10;
    }
    assert_true(read > 0 && read < f.size / 4); /* dates, versions, attributes */
    free(expected);
    free(got);
    rm2_model_free(model);
    free(bytes);
}

static void other_files_are_told_apart(void **state) {
    (void)state;
    static const struct {
        const char *bytes, *reason;
        size_t size;
    } files[] = {
        {"", "it is empty", 0},
        {"RIEMANN2\1\0\0\0", "an HDF5 model of an earlier version of riemann2: fit again", 12},
        {"\x89HDF\r\n\x1a\n\0\0", "is an HDF5 file", 10},
        {"a,b\n1,2\n", "is not a model of riemann2", 8},
        {"PK\3\4", "no zip directory", 4}};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        assert_unreadable((const unsigned char *)files[k].bytes, files[k].size, files[k].reason);
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
        cmocka_unit_test(each_field_is_checked),
        cmocka_unit_test(covariances_are_definite),
        cmocka_unit_test(points_are_listed_once),
        cmocka_unit_test(manifolds_fit_their_arrays),
        cmocka_unit_test(any_number_in_a_model),
        cmocka_unit_test(arrays_of_others_are_ignored),
        cmocka_unit_test(arrays_have_shape_and_type),
        cmocka_unit_test(archives_that_lie_are_refused),
        cmocka_unit_test(entries_share_no_bytes),
        cmocka_unit_test(small_files_unpack_to_little),
        cmocka_unit_test(damage_is_found),
        cmocka_unit_test(other_files_are_told_apart),
        cmocka_unit_test(any_number_in_a_checkpoint),
    };
    return cmocka_run_group_tests(tests, model_set_up, free_models);
}
